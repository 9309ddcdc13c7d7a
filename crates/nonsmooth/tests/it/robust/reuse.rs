//! An iteration that diverges is an error; a belt's work is booked where it belongs; one integrator serves two
//! models.

use crate::kit::{
    Bilateral, Built, EnergyLedger, Integrator, Linear, ModelBuilder, MoreauJean, NewtonImpact, Options,
    RunError, Simulation, Sparse, StepError, StepLog, UserError, VelocityConstraint,
};

/// u = v/√(1+v²): Newton's iteration for u = 0 diverges from |v| > 1.
struct Saturated;

impl VelocityConstraint for Saturated {
    fn value(&self, _t: f64, _q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(v[0] / (1.0 + v[0] * v[0]).sqrt())
    }
    fn jacobian(&self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = (1.0 + v[0] * v[0]).powf(-1.5);
        Ok(())
    }
}

/// u = v − 1: a belt that runs at 1 m/s.
struct Belt;

impl VelocityConstraint for Belt {
    fn value(&self, _t: f64, _q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(v[0] - 1.0)
    }
    fn jacobian(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
}

fn held(constraint: impl VelocityConstraint + 'static, damping: f64, v: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let cart = Linear::new("cart", Sparse::diagonal(&[1.0])).damping(Sparse::diagonal(&[damping]));
    let cart = builder.linear(cart.initial(&[0.0], &[v]));
    let joint = builder.law("joint", Bilateral);
    builder.velocity_constraint("tie", joint, &[(cart, 0)], constraint);
    builder.allow_initial_violation();
    builder.build(0.0).expect("a right model")
}

fn integrator(theta: f64) -> Box<dyn Integrator> {
    crate::moreau_jean(&Options::default().with("theta", theta))
}

#[test]
fn a_newton_iteration_that_diverges_is_never_taken_for_converged() {
    for theta in [0.0, 0.5, 1.0] {
        let (model, state) = held(Saturated, 0.0, 2.0);
        let mut simulation = Simulation::new(model, state, integrator(theta), 0.01).expect("accepted");
        let error = simulation.run(1, &mut []).expect_err("Newton diverges from v = 2");
        let RunError::Step { source, .. } = &error else { panic!("{error}") };
        let honest = matches!(
            source,
            StepError::Newton { .. } | StepError::NotConverged { .. } | StepError::NotFinite { .. }
        );
        assert!(honest, "θ = {theta}: {error}");
        assert_eq!(simulation.state.v[0], 2.0, "θ = {theta}");
    }
}

#[test]
fn a_belt_that_drags_a_damped_cart_does_the_work() {
    for theta in [0.5, 0.75, 1.0] {
        let (model, state) = held(Belt, 2.0, 1.0);
        let mut simulation = Simulation::new(model, state, integrator(theta), 0.01).expect("accepted");
        let mut ledger = EnergyLedger::default();
        simulation.run(100, &mut [&mut ledger]).expect("it runs");
        // The cart moves with the belt: no work at the contact, 2 N · 1 m/s · 1 s by the belt. Rounding.
        let total = ledger.total;
        assert!(total.joint.abs() < 1e-12, "θ = {theta}: {total:?}");
        assert!((total.prescribed - 2.0).abs() < 1e-12, "θ = {theta}: {total:?}");
        assert!((total.viscous + 2.0).abs() < 1e-12, "θ = {theta}: {total:?}");
    }
}

/// A ball of this mass that lies on the floor.
fn ball(mass: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[mass])).load(&[-9.81 * mass]));
    let law = builder.law("impact", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

#[test]
fn one_integrator_serves_two_models_in_turn() {
    let mut shared = crate::body_kit::made(MoreauJean::default());
    for mass in [1.0, 7.0, 1.0] {
        let (model, state) = ball(mass);
        let (mut next, mut log) = (state.clone(), StepLog::default());
        shared.step(&model, &state, 0.01, &mut next, &mut log).expect("it rests");
        let weight = mass * 9.81 * 0.01;
        assert!(
            (log.constraints.impulse[0] - weight).abs() < 1e-15 * weight.max(1.0),
            "{mass} kg: {log:?}"
        );
    }
}

#[test]
fn forces_of_one_model_are_not_booked_for_the_next() {
    let mut shared = crate::body_kit::made(MoreauJean::default());
    let mut builder = ModelBuilder::new();
    builder.linear(Linear::new("driven", Sparse::diagonal(&[1.0])).initial(&[0.0], &[1.0]).force(
        |_, out| {
            out[0] = 5.0;
            Ok(())
        },
    ));
    let mut falling = ModelBuilder::new();
    falling.linear(
        Linear::new("falling", Sparse::diagonal(&[1.0])).load(&[-9.81]).initial(&[0.0], &[-1.0]),
    );
    let models = [builder, falling].map(|builder| builder.build(0.0).expect("a right model"));
    let mut external = Vec::new();
    for (model, state) in &models {
        let (mut next, mut log) = (state.clone(), StepLog::default());
        shared.step(model, state, 0.01, &mut next, &mut log).expect("it runs");
        external.push(log.works.external);
    }
    assert!(external[0] > 0.0, "{external:?}");
    assert_eq!(external[1], 0.0, "{external:?}");
}
