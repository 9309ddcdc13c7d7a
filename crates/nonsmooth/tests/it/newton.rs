//! Newton's iteration of a step: what does not contract is reported, never taken for rounding or for the noise of a solver.

mod parts;

use crate::kit::{
    At, Built, Lagrangian, ModelBuilder, NewtonImpact, Options, RunError, Simulation, StepError,
    UserError,
};
use crate::moreau_jean;

/// A unit mass under the force −f(q), which claims not to depend on q: passes are a fixed-point iteration
/// v ← v₀ − h f((q + h (v + v₀)/2)), which contracts by h² f′ / 4.
struct Claims<F>(F);

impl<F: Fn(f64) -> f64 + Send + Sync> Lagrangian for Claims<F> {
    fn mass(&self, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn internal(&self, _t: f64, q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = (self.0)(q[0]);
        Ok(())
    }
    fn jacobians(
        &self,
        _at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        damping[0] = 0.0;
        stiffness[0] = 0.0;
        Ok(())
    }
}

/// The mass starts at `q` with `v`.
fn built(force: impl Fn(f64) -> f64 + Send + Sync + 'static, q: f64, v: f64) -> Built {
    let mut builder = ModelBuilder::new();
    builder.lagrangian("mass", &["x"], Claims(force), &[q], &[v]);
    builder.build(0.0).expect("a right model")
}

/// The error of the first step, and the velocity where there is none.
fn first_step((model, state): Built, options: &Options, h: f64) -> Result<f64, StepError> {
    let mut simulation = Simulation::new(model, state, moreau_jean(options), h).expect("accepted");
    match simulation.step() {
        Ok(seen) => Ok(seen.after.v[0]),
        Err(RunError::Step { source, .. }) => Err(source),
        Err(other) => panic!("{other}"),
    }
}

fn newton_failure(found: Result<f64, StepError>) -> (usize, f64, f64) {
    match found {
        Err(StepError::Newton { iterations, change, before, .. }) => (iterations, change, before),
        other => panic!("{other:?}"),
    }
}

/// h² k / 4 = 4: each pass makes the error four times larger.
#[test]
fn an_iteration_that_diverges_is_reported() {
    for k in [1.6e3, 1.6e5] {
        let found = first_step(built(move |q| k * q, 1.0, 0.0), &Options::default(), 0.1);
        let (_, change, before) = newton_failure(found);
        assert!(change > 0.5 && change > 0.9 * before, "{k}: {change} {before}");
    }
}

/// A force that jumps where the step ends: there is no v⁺, and passes jump between both sides by the same, however small the jump.
#[test]
fn an_iteration_that_cycles_is_reported() {
    for jump in [1.0, 1e-3, 1e-6, 1e-9] {
        let found = first_step(
            built(move |q| jump * q.signum(), -0.1 - 0.0025 * jump, 1.0),
            &Options::default(),
            0.1,
        );
        let (iterations, change, before) = newton_failure(found);
        // The mean of both sides, h · jump, of the largest velocity.
        assert!(
            iterations == 50 && (change - before).abs() < 1e-6 * change,
            "{jump}: {change} {before}"
        );
        assert!((change * (1.0 + 0.1 * jump) / (0.1 * jump) - 1.0).abs() < 1e-5, "{jump}: {change}");
    }
}

/// h² k / 4 = 0.95: slow is not converged. After 50 passes the error is still 0.08; with enough of them the step is exact.
#[test]
fn slow_convergence_is_not_taken_for_noise() {
    let (k, h) = (380.0, 0.1);
    let slow = || built(move |q| k * q, 1.0, 0.0);
    let (iterations, change, before) = newton_failure(first_step(slow(), &Options::default(), h));
    assert!(iterations == 50 && (change / before - 0.95).abs() < 1e-6, "{change} {before}");
    let options = Options::default().with("newton_iterations", 2000.0);
    let v = first_step(slow(), &options, h).expect("enough passes");
    // (1 + h² k/4) v⁺ = −h k q for v = 0.
    let exact = -h * k / (1.0 + 0.25 * h * h * k);
    assert!((v - exact).abs() < 1e-10 * exact.abs(), "{v} {exact}");
}

/// The same on a floor that carries: the floor stops the mass, but does not make the iteration of what is free converge.
#[test]
fn a_contact_that_is_solved_does_not_hide_the_rest() {
    let mut builder = ModelBuilder::new();
    let law = builder.law("floor", NewtonImpact { restitution: 0.0 });
    let resting = builder.lagrangian("resting", &["x"], Claims(|_| 10.0), &[0.0], &[0.0]);
    builder.linear_gap("floor", law, &[(resting, 0, 1.0)], 0.0);
    builder.lagrangian("free", &["x"], Claims(|q: f64| 1.6e3 * q), &[1.0], &[0.0]);
    let built = builder.build(0.0).expect("a right model");
    let (_, change, _) = newton_failure(first_step(built, &Options::default(), 0.1));
    assert!(change > 0.5, "{change}");
}

/// Each island ends by its own size: what is slow beside something a million times faster is as exact as alone.
#[test]
fn a_slow_system_beside_a_fast_one_is_as_exact_as_alone() {
    let swing = || Claims(|q: f64| 9.81 * q.sin());
    let alone = first_step(built(swing().0, 1.0, 0.0), &Options::default(), 0.1).expect("it converges");
    let mut builder = ModelBuilder::new();
    builder.lagrangian("slow", &["x"], swing(), &[1.0], &[0.0]);
    builder.lagrangian("fast", &["x"], Claims(|_| 1.0), &[0.0], &[1e6]);
    let built = builder.build(0.0).expect("a right model");
    let beside = first_step(built, &Options::default(), 0.1).expect("it converges");
    assert!((beside - alone).abs() < 1e-13, "{beside} {alone}");
}
