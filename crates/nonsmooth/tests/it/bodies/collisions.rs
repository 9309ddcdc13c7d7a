//! Collisions of free bodies: what must be kept is kept; Newton's cradle.

use super::prelude::*;
use glam::DVec3;
use nonsmooth_geometry::spatial::Shape;

/// Momentum, angular momentum about the origin, kinetic energy.
fn kept(simulation: &Simulation, state: &State) -> (DVec3, DVec3, f64) {
    let (mut momentum, mut turn, mut energy) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for body in bodies_of(&simulation.model, state) {
        let p = body.mass * body.velocity;
        momentum += p;
        turn += body.position.cross(p) + body.rotation * body.momentum;
        energy += body.kinetic();
    }
    (momentum, turn, energy)
}

fn shape(random: &mut Random) -> Shape {
    let mut size = || random.between(0.05, 0.2);
    let (a, b, c) = (size(), size(), size());
    match random.bits() % 5 {
        0 => Shape::ball(a),
        1 => Shape::cuboid([a, b, c]),
        2 => Shape::capsule(a, b),
        3 => Shape::cylinder(a, b),
        _ => Shape::hull(&[[a, 0.0, -c], [-a, b, -c], [-a, -b, -c], [0.0, 0.0, 3.0 * c]]),
    }
    .expect("a right shape")
}

/// Two random bodies on the way towards each other, free of gravity.
fn pair(seed: u64, friction: f64, restitution: f64, spin: f64) -> Simulation {
    let mut random = Random::new(seed);
    let mut yard = Yard::new(friction, restitution);
    yard.builder.gravity([0.0; 3]);
    for side in [-1.0, 1.0] {
        let shape = shape(&mut random);
        let mass = shape.mass_properties(1000.0).expect("a solid");
        let mut body: Body = yard.body(&format!("body at {side}"), &shape, 1000.0, [0.0; 3]);
        // Shapes whose centre of mass is elsewhere are put so that it is the origin.
        for part in &mut body.colliders {
            if let nonsmooth::model::rigid::PosedShape::Space(_, pose) = &mut part.posed {
                pose.position = mass.centre.map(|x| -x);
            }
        }
        let aside = random.vector(0.1);
        body.position = [0.7 * side + aside[0], aside[1], aside[2]];
        body.rotation = random.turn();
        let off = random.vector(0.3);
        body.velocity = [-side * random.between(1.0, 3.0), off[1], off[2]];
        body.angular_velocity = random.vector(spin);
        yard.builder.body(body);
    }
    yard.simulation(1e-2)
}

/// Steps until the bodies have collided and parted; the invariants just before and just after each step with contact.
fn through(
    simulation: &mut Simulation,
    mut see: impl FnMut((DVec3, DVec3, f64), (DVec3, DVec3, f64)),
) -> usize {
    let mut n_touched = 0;
    for _ in 0..80 {
        let before = simulation.state.clone();
        let carried = {
            let frame = simulation.step().unwrap_or_else(|error| panic!("{error}"));
            contacts(&frame).any(|c| c.impulse[0] > 0.0)
        };
        if carried {
            n_touched += 1;
            // Velocities after, at the place before: the impulse acts there.
            let after = State { v: simulation.state.v.clone(), ..*before.clone() };
            see(kept(simulation, &before), kept(simulation, &after));
        }
    }
    n_touched
}

/// Without spin the free motion changes nothing, so impulses alone are seen.
#[test]
fn elastic_frictionless_collisions_keep_everything() {
    let mut n_touched = 0;
    for seed in 0..1000 {
        let mut simulation = pair(seed, 0.0, 1.0, 0.0);
        let start = kept(&simulation, &simulation.state).2;
        let mut first = true;
        n_touched += through(&mut simulation, |before, after| {
            // The momentum is a sum of two terms that may cancel: judged by their size, 50 kg m/s at most.
            assert!((after.0 - before.0).length() < 1e-12 * 50.0, "{seed}: momentum");
            if first {
                // Later contacts find the bodies turning; the free rotation then has its own error of order h².
                assert!((after.1 - before.1).length() < 1e-12 * 50.0, "{seed}: angular momentum");
                assert!(
                    (after.2 / before.2 - 1.0).abs() < 1e-9,
                    "{seed}: {:e}",
                    after.2 / before.2 - 1.0
                );
                first = false;
            }
        });
        assert!(start > 0.0);
    }
    assert!(n_touched > 500, "most of the pairs meet: {n_touched}");
}

/// Inelastic collisions with friction keep momenta and never gain energy, spinning or not.
#[test]
fn inelastic_collisions_with_friction_lose_energy() {
    let mut n_touched = 0;
    for seed in 0..1000 {
        let mu = [0.0, 0.2, 0.8][seed as usize % 3];
        let mut simulation = pair(seed, mu, 0.0, 5.0);
        n_touched += through(&mut simulation, |before, after| {
            assert!((after.0 - before.0).length() < 1e-12 * 50.0, "{seed}: momentum");
            let slack = 1e-9 * before.2;
            assert!(
                after.2 <= before.2 + slack,
                "{seed}: gained {:e} of {}",
                after.2 - before.2,
                before.2
            );
        });
    }
    assert!(n_touched > 500, "most of the pairs meet: {n_touched}");
}

/// Five balls in a row with small gaps, so that impacts come one after the other.
fn cradle(restitution: f64) -> Vec<f64> {
    let mut yard = Yard::new(0.0, restitution);
    yard.builder.gravity([0.0; 3]);
    let ball = Shape::ball(0.05).expect("a right shape");
    for i in 0..5 {
        let x = 0.101 * f64::from(i) - if i == 0 { 0.0205 } else { 0.0 };
        let mut body = yard.body(&format!("ball {i}"), &ball, 1000.0, [x, 0.0, 0.05]);
        body.velocity[0] = if i == 0 { 1.0 } else { 0.0 };
        yard.builder.body(body);
    }
    let mut simulation = yard.simulation(1e-4);
    let (ledger, _) = observe(&mut simulation, 20_000, |_| {});
    assert!(ledger.worst_remainder <= 1e-13 * ledger.scale);
    (0..5).map(|i| simulation.state.v[6 * i]).collect()
}

#[test]
fn newtons_cradle() {
    // Each impact exchanges the velocities, to the solver's 1e-10.
    for (i, v) in cradle(1.0).into_iter().enumerate() {
        let want = f64::from(u8::from(i == 4));
        assert!((v - want).abs() < 1e-9, "ball {i}: {v}");
    }
    // Plastic: all end up with a fifth.
    for (i, v) in cradle(0.0).into_iter().enumerate() {
        assert!((v - 0.2).abs() < 1e-9, "ball {i}: {v}");
    }
}

/// A bar hit off its centre: m v = P, J ω = a P, with P = (1 + e) u/(1/m₁ + 1/m₂ + a²/J).
#[test]
fn a_bar_hit_off_centre() {
    let (e, a) = (0.6, 0.35);
    let mut yard = Yard::new(0.0, e);
    yard.builder.gravity([0.0; 3]);
    let bar = Shape::cuboid([0.05, 0.4, 0.05]).unwrap();
    yard.add("bar", &bar, 1000.0, [0.0; 3]);
    let mut ball = yard.body("ball", &Shape::ball(0.05).unwrap(), 1000.0, [-0.15, a, 0.0]);
    ball.velocity = [2.0, 0.0, 0.0];
    yard.builder.body(ball);
    let mut simulation = yard.simulation(1e-3);
    simulation.run(60, &mut []).unwrap();
    let bodies = &simulation.model.rigid.bodies;
    let (bar, ball, turn) = (bodies[0].mass, bodies[1].mass, bodies[0].inertia.0[2]);
    let p = (1.0 + e) * 2.0 / (1.0 / bar + 1.0 / ball + a * a / turn);
    let v = &simulation.state.v;
    for (got, want) in [(v[0], p / bar), (v[5], -a * p / turn), (v[6], 2.0 - p / ball)] {
        assert!((got - want).abs() < 1e-9, "{got} {want}");
    }
}
