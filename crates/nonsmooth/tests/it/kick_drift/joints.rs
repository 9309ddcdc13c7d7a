//! Joints.

use super::{G, ball, diagonal, floor, run, synchronized, world};
use nonsmooth::Simulation;
use nonsmooth::model::constraints::joints::{Revolute, Spherical};
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ModelBuilder, Rigid};

/// Ten rods in the plane, hinged one after the other, falling from the horizontal.
#[test]
fn a_chain_of_ten_keeps_its_energy_and_its_joints() {
    let (n, length) = (10, 0.2);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -G, 0.0]);
    let mut last = Rigid::World;
    for i in 0..n {
        let mut rod = Body::planar(&format!("rod{i}"), 1.0, length * length / 12.0);
        rod.position = [(i as f64 + 0.5) * length, 0.0, 0.0];
        let body = builder.body(rod);
        builder.joint(&format!("hinge{i}"), Revolute::at([i as f64 * length, 0.0, 0.0]), last, body);
        last = body;
    }
    let _ = diagonal;
    let mut simulation = run(builder, 1e-3);
    let start = simulation.model.energies_of(&simulation.state).unwrap();
    let start = start.kinetic + start.potential;
    let scale = n as f64 * G * length * n as f64 / 2.0;
    let mut worst = 0.0f64;
    for _ in 0..1000 {
        simulation.step().unwrap();
        let state = synchronized(&simulation.model, &simulation.state);
        let now = simulation.model.energies_of(&state).unwrap();
        worst = worst.max((now.kinetic + now.potential - start).abs() / scale);
    }
    assert!(worst < 1e-3, "energy is off by {worst:.1e}");
}

/// A heap of 7 × 7 × 3 balls on a floor; with `joined`, two neighbours of the top layer hang together.
fn heap(joined: bool) -> Simulation {
    let (mut builder, stuff) = world(0.5, 0.0);
    floor(&mut builder, stuff);
    let mut bodies = Vec::new();
    for i in 0..147 {
        let mut body = ball(&format!("b{i}"), 0.05, 1.0, stuff);
        let k = f64::from(i);
        let (x, y, z) = (f64::from(i % 7), f64::from(i / 7 % 7), f64::from(i / 49));
        let shift = [0.001 * (7.0 * k).sin(), 0.001 * (11.0 * k).sin()];
        body.position = [0.1025 * x + shift[0], 0.1025 * y + shift[1], 0.0501 + 0.1001 * z];
        bodies.push(builder.body(body));
    }
    if joined {
        builder.joint("tie", Spherical::at([0.05125, 0.0, 0.25]), bodies[98], bodies[99]);
    }
    run(builder, 2e-3)
}

#[test]
fn a_joint_in_a_heap_is_closed_and_the_heap_is_solved_once() {
    let cost = |joined: bool| {
        let mut simulation = heap(joined);
        let (mut work, mut impulse) = (0, 0.0f64);
        for _ in 0..100 {
            let step = simulation.step().unwrap();
            work += step.log.solves.iter().map(|report| report.iterations).sum::<usize>();
            assert!(step.log.solves.last().is_none_or(|report| report.residual <= 1e-10));
            if joined {
                assert!(step.log.gaps.iter().all(|gap| gap.abs() < 1e-13), "{:?}", step.log.gaps);
                let c = step
                    .log
                    .constraints
                    .ids
                    .iter()
                    .position(|id| step.model.describe(*id).contains("tie"));
                let row = step.log.constraints.row_start[c.unwrap()] as usize;
                impulse = impulse.max(
                    step.log.constraints.impulse[row..row + 3].iter().fold(0.0, |m, p| p.abs().max(m)),
                );
            }
        }
        (work, impulse)
    };
    let ((alone, _), (joined, impulse)) = (cost(false), cost(true));
    assert!(impulse > 1e-4, "the joint carries {impulse:.1e} N s");
    assert!(joined as f64 <= 1.3 * alone as f64, "{joined} sweeps, without the joint {alone}");
}

/// Two balls tied to each other, far from everything, are hit by a third one: contact, friction and joint in one island.
#[test]
fn a_joint_and_a_contact_that_rubs_keep_both_momenta() {
    let (mut builder, stuff) = world(0.6, 0.3);
    builder.gravity([0.0; 3]);
    let places = [[0.0, 0.0, 0.0], [0.11, 0.0, 0.0], [0.03, 0.3, 0.02]];
    let mut bodies = Vec::new();
    for (i, place) in places.into_iter().enumerate() {
        let mut body = ball(&format!("b{i}"), 0.05, 1.0 + i as f64, stuff);
        body.position = place;
        if i == 2 {
            body.velocity = [0.3, -3.0, 0.1];
            body.angular_velocity = [20.0, 5.0, -30.0];
        }
        bodies.push(builder.body(body));
    }
    builder.joint("tie", Spherical::at([0.055, 0.0, 0.0]), bodies[0], bodies[1]);
    let mut simulation = run(builder, 1e-2);
    let momenta = |simulation: &Simulation| {
        let state = synchronized(&simulation.model, &simulation.state);
        let (mut linear, mut angular) = ([0.0; 3], [0.0; 3]);
        for i in 0..3 {
            let (m, x, v) = (1.0 + i as f64, &state.q[7 * i..], &state.v[6 * i..]);
            // The rotation of a round body does not matter for its own part of the angular momentum, but its axes do.
            let spin = rotated(&state.q[7 * i + 3..7 * i + 7], [v[3], v[4], v[5]]);
            for k in 0..3 {
                let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                linear[k] += m * v[k];
                angular[k] += m * (x[a] * v[b] - x[b] * v[a]) + 0.4 * m * 0.0025 * spin[k];
            }
        }
        (linear, angular)
    };
    let start = momenta(&simulation);
    let mut impacts = 0;
    for _ in 0..60 {
        impacts += simulation.step().unwrap().log.events.len();
    }
    let end = momenta(&simulation);
    assert!(impacts > 0);
    for k in 0..3 {
        assert!((end.0[k] - start.0[k]).abs() < 1e-13, "P {start:?} {end:?}");
        assert!((end.1[k] - start.1[k]).abs() < 1e-13, "L {start:?} {end:?}");
    }
}

/// R(q) x, q = (w, x, y, z).
fn rotated(q: &[f64], x: [f64; 3]) -> [f64; 3] {
    let (w, n) = (q[0], [q[1], q[2], q[3]]);
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let once = cross(n, x);
    let twice = cross(n, once);
    std::array::from_fn(|k| x[k] + 2.0 * (w * once[k] + twice[k]))
}

/// A ball on a hinged rod strikes a rough floor. There is one degree of freedom, so u_T = a u_N before and after, a = z/x of the point seen from the
/// hinge: Newton's law reverses the slip with the approach, and Coulomb's law on the slip *after* the impact pushes along the slip before it.
/// With p_T = −μ p_N each impulse does its work against ½ (u⁻ + u⁺): friction is −μ a times the impact, a gain of the law, and both
/// together take (1 − e²) of the energy whatever μ is.
#[test]
fn friction_of_a_hinged_rod_does_what_the_law_says() {
    let (z, r, length) = (0.6, 0.05, 1.0f64);
    let x = (length * length - (z - r) * (z - r)).sqrt();
    let a = z / x;
    let cases = [(0.5, 0.3), (0.5, 0.8), (0.2, 0.1), (0.9, 0.5), (0.8, 0.4)];
    for ((e, mu), h) in cases.into_iter().flat_map(|case| [(case, 1e-3), (case, 1e-4)]) {
        let (mut builder, material) = world(mu, e);
        floor(&mut builder, material);
        let tip = builder.body(Body { position: [length, 0.0, z], ..ball("tip", r, 2.0, material) });
        let hinge = Revolute::at([0.0, 0.0, z]).axis([0.0, 1.0, 0.0]);
        builder.joint("hinge", hinge, Rigid::World, tip);
        let mut simulation = run(builder, h);
        let mut before = 0.0;
        let (works, event) = loop {
            let seen = simulation.step().expect("a step");
            if let Some(event) = seen.log.events.first() {
                break (seen.log.works, *event);
            }
            before = seen.log.energies.kinetic;
        };
        let work = |k: usize| 0.5 * event.impulse[k] * (event.u_minus[k] + event.u_plus[k]);
        let ratio = (work(1) + work(2)) / work(0);
        // The hinge holds the velocity at the instant of the impact to O(h).
        let off = (ratio + mu * a).abs();
        assert!(work(0) < 0.0 && off < h / (1.0 - e), "{e}, {mu}, {h}: {ratio} {}", -mu * a);
        // The slip turns round, so what friction gives belongs to the impact.
        assert!(works.friction <= 0.0 && works.impact > work(0), "{e}, {mu}, {h}: {works:?}");
        // The kinetic energy a step before, plus what the fall adds: less than 4 m/s · 9.81 m/s² · 2 kg · h.
        let (taken, fall) = (-(works.friction + works.impact), 80.0 * h);
        let exact = (1.0 - e * e) * before;
        assert!(
            taken > exact - h && taken < exact + (1.0 - e * e) * fall + h,
            "{e}, {mu}: {taken} {exact}"
        );
    }
}
