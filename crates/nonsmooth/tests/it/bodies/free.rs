//! Free rotation: what the midpoint rule keeps, and how well.

use super::prelude::*;

const INERTIA: [f64; 3] = [1.0, 2.0, 3.0];

/// A body that tumbles about its middle axis.
fn tumbling(h: f64) -> Simulation {
    spinning([0.3, 2.0, -0.1], h)
}

fn spinning(angular_velocity: [f64; 3], h: f64) -> Simulation {
    let mut builder = ModelBuilder::new();
    let mut inertia = [[0.0; 3]; 3];
    (0..3).for_each(|k| inertia[k][k] = INERTIA[k]);
    builder.body(Body { angular_velocity, ..Body::new("top", 1.0, inertia) });
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, moreau_jean(&Options::default()), h).expect("the scheme takes it")
}

/// Energy, ‖Jω‖ and R Jω.
fn invariants(simulation: &Simulation, state: &State) -> (f64, f64, glam::DVec3) {
    let body = &bodies_of(&simulation.model, state)[0];
    (body.kinetic(), body.momentum.length(), body.rotation * body.momentum)
}

#[test]
fn a_long_free_rotation_keeps_energy_and_momentum() {
    let mut simulation = tumbling(0.01);
    let (energy, norm, _) = invariants(&simulation, &simulation.state);
    for _ in 0..100_000 {
        simulation.step().unwrap();
    }
    let (energy_end, norm_end, _) = invariants(&simulation, &simulation.state);
    // Rounding of 1e5 steps, each a few units in the last place.
    assert!((energy_end / energy - 1.0).abs() < 1e-11, "{energy_end} {energy}");
    assert!((norm_end / norm - 1.0).abs() < 1e-11, "{norm_end} {norm}");
    let q = &simulation.state.q[3..7];
    assert!((q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15);
}

#[test]
fn the_momentum_in_space_is_kept_to_second_order() {
    let drift = |h: f64| {
        let mut simulation = tumbling(h);
        let start = invariants(&simulation, &simulation.state).2;
        let mut worst = 0.0f64;
        for _ in 0..(20.0 / h).round() as usize {
            simulation.step().unwrap();
            worst = worst.max((invariants(&simulation, &simulation.state).2 - start).length());
        }
        worst
    };
    let (coarse, fine) = (drift(0.02), drift(0.01));
    assert!(fine < 1e-3, "{fine}");
    let order = order(coarse, fine, 2.0);
    assert!((1.9..2.1).contains(&order), "order {order}");
}

/// A ball thrown off with spin follows the parabola.
#[test]
fn a_thrown_body_follows_the_parabola() {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let unit = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.5]];
    let (velocity, angular_velocity) = ([1.0, 2.0, 5.0], [0.0, 0.0, 3.0]);
    builder.body(Body { velocity, angular_velocity, ..Body::new("stone", 2.0, unit) });
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, moreau_jean(&Options::default()), 1e-3).unwrap();
    simulation.run(1000, &mut []).unwrap();
    let q = &simulation.state.q;
    // The trapezoidal rule is exact for a parabola; the spin about an axis of inertia stays.
    for (got, want) in q.iter().zip([1.0, 2.0, 5.0 - 0.5 * 9.81]) {
        assert!((got - want).abs() < 1e-11, "{got} {want}");
    }
    let angle = 2.0 * q[6].atan2(q[3]);
    assert!((angle - 3.0).abs() < 1e-11, "{angle}");
}

/// A step in which a body turns many times may be refused, with a step that can be made.
#[test]
fn a_step_of_many_turns_is_refused_with_a_step_that_goes() {
    let (h, mut refused, mut random) = (0.01, 0, Random::new(3));
    for k in 0..400 {
        let axis = glam::DVec3::from_array(random.vector(1.0)).normalize();
        let turn = [1.0, 3.0, 10.0, 30.0][k % 4];
        let spin = (axis * turn / h).to_array();
        let Err(error) = spinning(spin, h).run(1, &mut []) else { continue };
        assert!(turn > 3.0, "{turn} rad: {error}");
        refused += 1;
        let text = error.to_string();
        let turned = format!("it turns by {turn:.3} rad in a step: take steps of at most");
        assert!(text.contains("the rotation of body `top` was not resolved"), "{text}");
        assert!(text.contains(&turned), "{text}");
        let RunError::Step { source: StepError::Rotation { step_size, .. }, .. } = error else {
            panic!("{text}")
        };
        assert!((step_size * turn / h - 1.0).abs() < 1e-12, "{step_size} s");
        spinning(spin, step_size).run(100, &mut []).expect("the step that was named goes");
    }
    eprintln!("{refused} refused");
    assert!(refused > 0, "nothing was refused");
}
