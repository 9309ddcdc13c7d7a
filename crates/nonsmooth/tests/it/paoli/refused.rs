//! What is refused fails: each model is run past its refusal, `Integrator::step` alone, and shows why.

use crate::integrator;
use crate::kit::{
    Built, Coulomb, Linear, ModelBuilder, NewtonImpact, Options, Simulation, Sparse, State, StepLog,
};

/// The state after `n` steps of a model that the scheme refuses.
fn past_refusal(scheme: &str, (model, state): Built, h: f64, n: usize) -> State {
    let mut made = integrator(scheme, &Options::default());
    let refused =
        Simulation::new(model.clone(), state.clone(), integrator(scheme, &Options::default()), h);
    assert!(refused.is_err(), "{scheme} refuses the model");
    let (mut now, mut next, mut log) = (state.clone(), state, StepLog::default());
    for _ in 0..n {
        log.clear();
        made.step(&model, &now, h, &mut next, &mut log).expect("a good step");
        std::mem::swap(&mut now, &mut next);
    }
    now
}

/// A point in an obtuse corner that hits one wall while it leaves the other.
fn corner(e: [f64; 2]) -> Built {
    let mut builder = ModelBuilder::new();
    builder.allow_initial_violation();
    let point = Linear::new("point", Sparse::diagonal(&[1.0, 1.0])).initial(&[0.0; 2], &[-1.0, -0.5]);
    let point = builder.linear(point);
    for (i, n) in [[1.0, 0.0], [-0.8, 0.6]].into_iter().enumerate() {
        let law = builder.law(&format!("law{i}"), NewtonImpact { restitution: e[i] });
        builder.linear_gap(&format!("wall{i}"), law, &[(point, 0, n[0]), (point, 1, n[1])], -0.01);
    }
    builder.build(0.0).expect("a right model")
}

/// With one e the step is −e v + (1+e) proj, which never gains; with e = 1 and 0 it is no projection: u⁺ = (1, 0) has ½/0.36 J.
#[test]
fn with_unequal_restitution_the_step_is_no_projection_and_gains_energy() {
    let kinetic = |state: &State| 0.5 * (state.v[0].powi(2) + state.v[1].powi(2));
    let end = past_refusal("moreau-paoli", corner([1.0, 0.0]), 1e-3, 1);
    assert!((kinetic(&end) - 0.5 / 0.36).abs() < 1e-12 && kinetic(&end) > 2.0 * 0.625, "{end:?}");
    for e in [0.0, 0.5, 1.0] {
        let (model, state) = corner([e, e]);
        let scheme = integrator("moreau-paoli", &Options::default());
        let mut simulation = Simulation::new(model, state, scheme, 1e-3).expect("accepted");
        simulation.step().expect("a good step");
        assert!(kinetic(&simulation.state) < 0.625 + 1e-12, "e = {e}");
    }
}

/// Gaps are imposed at one q*, which is that of one e: a ball with another e does not rebound as its law says.
#[test]
fn with_one_weighted_position_a_second_restitution_is_not_honoured() {
    let mut builder = ModelBuilder::new();
    for (i, e) in [0.2, 0.8].into_iter().enumerate() {
        let ball = Linear::new(&format!("ball{i}"), Sparse::diagonal(&[1.0])).initial(&[0.1], &[-1.0]);
        let ball = builder.linear(ball);
        let law = builder.law(&format!("law{i}"), NewtonImpact { restitution: e });
        builder.linear_gap(&format!("floor{i}"), law, &[(ball, 0, 1.0)], 0.0);
    }
    let end = past_refusal("schatzman-paoli", builder.build(0.0).unwrap(), 1.7e-3, 200);
    assert!((end.v[1] - 0.8).abs() > 0.5, "{:?}", end.v);
}

/// One contact over two coupled coordinates, W = [[1, −0.9], [−0.9, 1]], that reverses its sliding: Coulomb's force of the last
/// direction acts through the whole impact and drives. T⁻ = 0.53 J.
fn reversing(height: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let mass = Sparse::from_rows(&[vec![1.0 / 0.19, 0.9 / 0.19], vec![0.9 / 0.19, 1.0 / 0.19]]);
    let point = builder.linear(Linear::new("point", mass).initial(&[height, 0.0], &[-1.0, 1.0]));
    let law = builder.law("rough", Coulomb { friction: 0.5, restitution: 0.9, ..Coulomb::default() });
    builder.linear_contact("floor", law, &[(point, 0, 1.0)], 0.0, &[&[(point, 1, 1.0)]]);
    builder.build(0.0).expect("a right model")
}

#[test]
fn with_friction_the_step_is_no_projection_and_gains_energy() {
    for scheme in ["moreau-paoli", "schatzman-paoli"] {
        let (model, state) = reversing(0.1);
        let before = model.energies_of(&state).expect("finite").kinetic;
        let end = past_refusal(scheme, (model.clone(), state), 1.7e-3, 100);
        let after = model.energies_of(&end).expect("finite").kinetic;
        eprintln!("{scheme}: {before} → {after} J, {:?}", end.v);
        assert!(after > 1.2 * before, "{scheme}: {before} → {after} J");
    }
}
