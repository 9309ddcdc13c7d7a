//! Boxes: features that change within a step.

use super::{cuboid, run, world};
use glam::{DQuat, DVec3};
use nonsmooth::Simulation;
use nonsmooth_testkit::Random;

/// Two cubes that tumble towards each other without gravity, e = 1 and no friction, in steps of `h`: the first impact as its time and
/// impulse, and the largest relative change of energy and momentum.
fn met(seed: u64, h: f64) -> Option<(f64, f64, f64)> {
    let random = &mut Random::new(seed);
    let (mut builder, material) = world(0.0, 1.0);
    builder.gravity([0.0; 3]);
    for k in 0..2 {
        let side = 1.0 - 2.0 * f64::from(k);
        let mut body = cuboid(&format!("cube{k}"), [0.1 + 0.05 * f64::from(k); 3], 1.0, material);
        let [y, z, angle] = random.vector(1.0);
        let turn = DQuat::from_axis_angle(DVec3::from_array(random.direction()), 3.0 * angle);
        body.position = [0.4 * side, 0.1 * y, 0.1 * z];
        body.rotation = [turn.w, turn.x, turn.y, turn.z];
        body.velocity = [-2.0 * side, 0.0, 0.0];
        body.angular_velocity = random.vector(15.0);
        builder.body(body);
    }
    let mut simulation = run(builder, h);
    let of = |simulation: &Simulation| {
        let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
        let state = &simulation.state;
        for (body, (q, v)) in
            simulation.model.rigid.bodies.iter().zip(state.q.chunks(7).zip(state.v.chunks(6)))
        {
            let turn = DQuat::from_xyzw(q[4], q[5], q[6], q[3]);
            p += body.mass * DVec3::from_slice(v);
            l += body.mass * DVec3::from_slice(q).cross(DVec3::from_slice(v));
            l += turn * body.inertia.times(DVec3::from_slice(&v[3..]));
        }
        (simulation.model.energies_of(state).expect("finite").kinetic, p, l)
    };
    let (e0, p0, l0) = of(&simulation);
    let (mut first, mut off) = (None, 0.0f64);
    for _ in 0..(0.5 / h).round() as usize {
        let log = simulation.step().expect("it is right").log;
        first = first.or(log.events.first().map(|event| (event.t, event.impulse[0])));
        let (e, p, l) = of(&simulation);
        off = off.max((e / e0 - 1.0).abs()).max((p - p0).length()).max((l - l0).length());
    }
    first.map(|(t, impulse)| (t, impulse, off))
}

/// 0.15 rad in a step: other corners and edges are nearest at its end than at its start. The free drift of a cube is exact, so the first impact
/// cannot depend on the step.
#[test]
fn the_first_impact_of_cubes_that_tumble_does_not_depend_on_the_step() {
    let mut n = 0;
    for seed in 0..40 {
        let [coarse, fine] = [1e-2, 1.25e-3].map(|h| met(seed, h));
        let (Some(coarse), Some(fine)) = (coarse, fine) else {
            assert_eq!(coarse.is_some(), fine.is_some(), "seed {seed}: an impact in one of two runs");
            continue;
        };
        n += 1;
        let time = (coarse.0 - fine.0).abs();
        let impulse = (coarse.1 - fine.1).abs() / fine.1;
        assert!(time < 1e-9 && impulse < 1e-6, "seed {seed}: {coarse:?} and {fine:?}");
        assert!(coarse.2.max(fine.2) < 1e-9, "seed {seed}: energy or momentum: {coarse:?}, {fine:?}");
    }
    assert!(n > 20, "{n} pairs met");
}
