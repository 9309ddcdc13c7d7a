//! Lagrangian systems: measured orders in smooth motion, estimated Jacobians, first-order form, and what
//! the energy ledger cannot explain.

use crate::kit::{
    At, Bilateral, Built, EnergyLedger, FiniteDifferences, FirstOrderForm, Gap, Lagrangian, Linear,
    ModelBuilder, NewtonImpact, Options, Simulation, Sparse, Trajectory, UserError,
};
use crate::{moreau_jean, order};

/// Two unit masses on two unit rods, angles from the downward vertical.
#[derive(Clone, Copy)]
pub struct DoublePendulum {
    pub gravity: f64,
}

impl Lagrangian for DoublePendulum {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let c = (q[0] - q[1]).cos();
        out.copy_from_slice(&[2.0, c, c, 1.0]);
        Ok(())
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let s = (q[0] - q[1]).sin();
        out.copy_from_slice(&[v[1] * v[1] * s, -v[0] * v[0] * s]);
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(-self.gravity * (2.0 * q[0].cos() + q[1].cos()))
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[2.0 * self.gravity * q[0].sin(), self.gravity * q[1].sin()]);
        Ok(())
    }
    fn jacobians(
        &self,
        at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        let (q, v, g) = (at.q, at.v, self.gravity);
        let (s, c) = (q[0] - q[1]).sin_cos();
        let (a, b) = (v[1] * v[1] * c, v[0] * v[0] * c);
        damping.copy_from_slice(&[0.0, 2.0 * v[1] * s, -2.0 * v[0] * s, 0.0]);
        stiffness.copy_from_slice(&[a + 2.0 * g * q[0].cos(), -a, -b, b + g * q[1].cos()]);
        Ok(())
    }
}

/// y = Σ sin q.
pub struct SineSum;

impl Gap for SineSum {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q.iter().map(|q| q.sin()).sum())
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.iter_mut().zip(q).for_each(|(out, q)| *out = q.cos());
        Ok(())
    }
}

/// A unit mass on a spring of unit length with a damper, in polar coordinates (r, φ).
#[derive(Clone, Copy)]
struct SpringPendulum {
    stiffness: f64,
    damping: f64,
    gravity: f64,
}

impl Lagrangian for SpringPendulum {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[1.0, 0.0, 0.0, q[0] * q[0]]);
        Ok(())
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[-q[0] * v[1] * v[1], 2.0 * q[0] * v[0] * v[1]]);
        Ok(())
    }
    fn internal(&self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = self.damping * v[0];
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(0.5 * self.stiffness * (q[0] - 1.0).powi(2) - self.gravity * q[0] * q[1].cos())
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let (s, c) = q[1].sin_cos();
        let radial = self.stiffness * (q[0] - 1.0) - self.gravity * c;
        out.copy_from_slice(&[radial, self.gravity * q[0] * s]);
        Ok(())
    }
    fn external(&self, t: f64, out: &mut [f64]) -> Result<(), UserError> {
        out[1] = 0.3 * (2.0 * t).sin();
        Ok(())
    }
    fn jacobians(
        &self,
        at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        let ([r, angle], [dr, spin]) = ([at.q[0], at.q[1]], [at.v[0], at.v[1]]);
        let (s, c) = angle.sin_cos();
        let g = self.gravity;
        damping.copy_from_slice(&[self.damping, -2.0 * r * spin, 2.0 * r * spin, 2.0 * r * dr]);
        let across = [g * s, 2.0 * dr * spin + g * s];
        stiffness.copy_from_slice(&[self.stiffness - spin * spin, across[0], across[1], g * r * c]);
        Ok(())
    }
}

const SPRING: SpringPendulum = SpringPendulum { stiffness: 30.0, damping: 0.4, gravity: 9.81 };
const DOUBLE: DoublePendulum = DoublePendulum { gravity: 10.0 };

/// A free Lagrangian system with two coordinates.
fn alone(dynamics: impl Lagrangian + 'static, q: [f64; 2], v: [f64; 2]) -> Built {
    let mut builder = ModelBuilder::new();
    builder.lagrangian("system", &["a", "b"], dynamics, &q, &v);
    builder.build(0.0).expect("the model is sound")
}

pub fn spring_pendulum() -> Built {
    alone(SPRING, [1.2, 0.8], [0.3, -0.5])
}

pub fn free_double_pendulum() -> Built {
    alone(DOUBLE, [0.9, -0.4], [0.2, 1.0])
}

/// Two masses, springs and a damper that is not symmetric, under a force in time.
pub fn driven_pair(q: [f64; 2], v: [f64; 2]) -> Linear {
    let matrix = |rows: [[f64; 2]; 2]| Sparse::from_rows(&rows.map(|row| row.to_vec()));
    Linear::new("pair", matrix([[2.0, 0.5], [0.5, 1.0]]))
        .stiffness(matrix([[9.0, -4.0], [-4.0, 6.0]]))
        .damping(matrix([[0.3, 0.5], [-0.2, 0.1]]))
        .load(&[1.0, -2.0])
        .force(|t, out| {
            out[1] = (3.0 * t).cos();
            Ok(())
        })
        .initial(&q, &v)
}

/// The pair, free.
pub fn linear_system() -> Built {
    let mut builder = ModelBuilder::new();
    builder.linear(driven_pair([0.4, -0.3], [0.0, 1.0]));
    builder.build(0.0).expect("the model is sound")
}

/// x = (q, v) at time `end` by Runge–Kutta on the first-order form: 2e4 steps, error far below 1e-10.
pub fn runge_kutta((model, state): &Built, end: f64) -> Vec<f64> {
    let n = 20_000;
    let h = end / f64::from(n);
    let mut form = FirstOrderForm::new(model, state).expect("the mass matrix is regular");
    let mut x = form.pack(state);
    let r = vec![0.0; x.len() / 2];
    let ahead =
        |x: &[f64], k: &[f64], h: f64| -> Vec<f64> { x.iter().zip(k).map(|(x, k)| x + h * k).collect() };
    let mut slope = |t: f64, x: &[f64]| form.derivative(t, x, &r).expect("the slope exists");
    for i in 0..n {
        let t = f64::from(i) * h;
        let a = slope(t, &x);
        let b = slope(t + 0.5 * h, &ahead(&x, &a, 0.5 * h));
        let c = slope(t + 0.5 * h, &ahead(&x, &b, 0.5 * h));
        let d = slope(t + h, &ahead(&x, &c, h));
        for (j, x) in x.iter_mut().enumerate() {
            *x += h / 6.0 * (a[j] + 2.0 * (b[j] + c[j]) + d[j]);
        }
    }
    x
}

/// Largest difference of q and v at `end` from `exact` after `n` steps.
fn error((model, state): Built, options: &Options, end: f64, n: u64, exact: &[f64]) -> f64 {
    let mut simulation =
        Simulation::new(model, state, moreau_jean(options), end / n as f64).expect("accepted");
    simulation.run(n, &mut []).expect("smooth motion");
    let x = simulation.state.q.iter().chain(&simulation.state.v);
    x.zip(exact).fold(0.0, |m, (x, exact)| m.max((x - exact).abs()))
}

#[test]
fn smooth_motion_has_order_two_for_theta_half_and_one_for_theta_one() {
    type Make = fn() -> Built;
    let cases: [(&str, Make); 3] = [
        ("spring pendulum", spring_pendulum),
        ("double pendulum", free_double_pendulum),
        ("linear", linear_system),
    ];
    for (name, make) in cases {
        let exact = runge_kutta(&make(), 1.5);
        // (θ, configuration, order): M at the end of the step costs an order.
        let schemes = [(0.5, "theta", 2.0), (1.0, "theta", 1.0), (1.0, "end", 1.0)];
        for (theta, configuration, expected) in schemes {
            let options = Options::default().with("theta", theta).with_word("mass_at", configuration);
            let [coarse, fine] = [1000, 2000].map(|n| error(make(), &options, 1.5, n, &exact));
            let measured = order(coarse, fine, 2.0);
            eprintln!(
                "{name}, θ = {theta}, {configuration}: {coarse:.2e} → {fine:.2e}, order {measured:.3}"
            );
            // At these steps the next term of the expansion is a few per cent of the first.
            assert!(
                (measured - expected).abs() < 0.1,
                "{name}, θ = {theta}, {configuration}: order {measured:.3} ({coarse:.2e} → {fine:.2e})"
            );
            // First-order form and scheme mean the same equations of motion.
            assert!(fine < 0.05, "{name}: {fine:.2e} away from Runge–Kutta");
        }
    }
}

#[test]
fn end_configuration_is_first_order_when_the_mass_matrix_moves() {
    let exact = runge_kutta(&free_double_pendulum(), 1.5);
    let options = Options::default().with_word("mass_at", "end");
    let [coarse, fine] = [1000, 2000].map(|n| error(free_double_pendulum(), &options, 1.5, n, &exact));
    let measured = order(coarse, fine, 2.0);
    // M(q⁺) instead of M(q_θ) is an error of O(h) in the acceleration.
    assert!((measured - 1.0).abs() < 0.1, "order {measured:.3} ({coarse:.2e} → {fine:.2e})");
}

fn trajectory((model, state): Built, h: f64, n: u64) -> Trajectory {
    let mut simulation =
        Simulation::new(model, state, moreau_jean(&Options::default()), h).expect("accepted");
    let mut trajectory = Trajectory::default();
    simulation.run(n, &mut [&mut trajectory]).expect("the run ends well");
    trajectory
}

#[test]
fn estimated_jacobians_give_the_same_trajectory() {
    let pairs = [
        (spring_pendulum(), alone(FiniteDifferences(SPRING), [1.2, 0.8], [0.3, -0.5])),
        (free_double_pendulum(), alone(FiniteDifferences(DOUBLE), [0.9, -0.4], [0.2, 1.0])),
    ];
    for (given, estimated) in pairs {
        let [given, estimated] = [given, estimated].map(|model| trajectory(model, 1e-3, 1500));
        let mut worst = 0.0f64;
        for k in 0..given.t.len() {
            let pairs = given.q[k].iter().zip(&estimated.q[k]);
            for (a, b) in pairs.chain(given.v[k].iter().zip(&estimated.v[k])) {
                worst = worst.max((a - b).abs());
            }
        }
        eprintln!("estimated Jacobians: {worst:.2e}");
        // Jacobians only steer Newton, which stops at a relative change of 1e-12 in each of 1500 steps.
        assert!(worst < 1e-9, "worst difference {worst:.2e}");
    }
}

/// |what the ledger cannot explain| after `n` steps to `end`.
fn remainder((model, state): Built, end: f64, n: u64) -> f64 {
    let mut simulation = Simulation::new(model, state, moreau_jean(&Options::default()), end / n as f64)
        .expect("accepted");
    let mut ledger = EnergyLedger::default();
    simulation.run(n, &mut [&mut ledger]).expect("the run ends well");
    ledger.remainder.abs()
}

#[test]
fn ledger_remainder_falls_with_order_two_in_smooth_motion() {
    for (name, make) in [("spring", spring_pendulum as fn() -> Built), ("double", free_double_pendulum)]
    {
        let [coarse, fine] = [400, 1600].map(|n| remainder(make(), 1.5, n));
        let measured = order(coarse, fine, 4.0);
        eprintln!("{name}: remainder {coarse:.2e} → {fine:.2e}, order {measured:.3}");
        // Per step O(h³): M(q_θ) for M at both ends, trapezoid for ∇V.
        assert!(measured > 1.9, "{name}: order {measured:.3} ({coarse:.2e} → {fine:.2e})");
    }
}

/// The double pendulum whose upper mass rebounds from a wall.
fn impacting() -> Built {
    let mut builder = ModelBuilder::new();
    let system = builder.lagrangian("pendulum", &["a", "b"], DOUBLE, &[0.5, 0.9], &[0.0; 2]);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.7 });
    builder.gap("upper", law, &[(system, 0)], SineSum);
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn ledger_remainder_falls_with_order_one_through_impacts() {
    // The impact moves through its step with n: only the mean over phases has an order, 1 from below.
    let mean = |first: u64| -> f64 {
        (0..40).map(|i| remainder(impacting(), 1.1, first + 7 * i)).sum::<f64>() / 40.0
    };
    let [coarse, fine] = [1600, 12_800].map(mean);
    let measured = order(coarse, fine, 8.0);
    eprintln!("with impacts: mean remainder {coarse:.2e} → {fine:.2e}, order {measured:.3}");
    assert!(measured > 0.9, "order {measured:.3} ({coarse:.2e} → {fine:.2e})");
}

#[test]
fn pendulum_pressed_on_a_stop_rests_and_the_stop_carries_the_moment() {
    let h = 1e-3;
    for bilateral in [true, false] {
        let mut builder = ModelBuilder::new();
        let q = [1.0 + 9.81 / 30.0, 0.0];
        let system = builder.lagrangian("mass", &["r", "angle"], Resting(SPRING), &q, &[0.0; 2]);
        let law = if bilateral {
            builder.law("joint", Bilateral)
        } else {
            builder.law("stop", NewtonImpact { restitution: 0.5 })
        };
        builder.gap("stop", law, &[(system, 1)], SineSum);
        let (model, state) = builder.build(0.0).unwrap();
        let run = trajectory((model, state), h, 500);
        for k in 1..run.t.len() {
            let p = run.impulses[k][0];
            // Rounding: the impulse is h × 0.3 N·m, the numbers that make it up are of order h.
            assert!((p - 0.3 * h).abs() < 1e-15, "p = {p:e} at step {k}");
            assert!(run.v[k][1].abs() < 1e-14, "spin {:e} at step {k}", run.v[k][1]);
        }
    }
}

/// A spring pendulum pressed against φ = 0 by a constant moment of −0.3 N·m.
struct Resting(SpringPendulum);

impl Lagrangian for Resting {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.mass(q, out)
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.inertial(q, v, out)
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.0.gradient(q, out)
    }
    fn external(&self, _t: f64, out: &mut [f64]) -> Result<(), UserError> {
        out[1] = -0.3;
        Ok(())
    }
    fn jacobians(
        &self,
        at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        self.0.jacobians(at, damping, stiffness)?;
        damping[0] = 0.0;
        Ok(())
    }
}

/// y = Σ sin q − offset.
struct Shelf {
    offset: f64,
}

impl Gap for Shelf {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(SineSum.gap(t, q)? - self.offset)
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        SineSum.jacobian(t, q, out)
    }
}

/// The double pendulum lying on two stops at `q`, which it overlaps by `depth`.
fn lying(q: [f64; 2], depth: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let system = builder.lagrangian("pendulum", &["a", "b"], DOUBLE, &q, &[0.0; 2]);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    let (upper, lower) = (q[0].sin() + depth, q[0].sin() + q[1].sin() + depth);
    builder.gap("upper", law, &[(system, 0)], Shelf { offset: upper });
    builder.gap("lower", law, &[(system, 0), (system, 1)], Shelf { offset: lower });
    builder.allow_initial_violation();
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn double_pendulum_lying_on_two_stops_stays_there() {
    // Nothing is left to move: v⁺ is rounding of g h, and Newton has to see that it is done. The overlap
    // keeps both contacts closed whatever the rounding.
    let h = 1e-3;
    let mut failures = Vec::new();
    for i in 0..50 {
        let q = [0.3 + 0.02 * f64::from(i), 0.2];
        let (model, state) = lying(q, 1e-9);
        let integrator = moreau_jean(&Options::default());
        let mut simulation = Simulation::new(model, state, integrator, h).unwrap();
        let mut run = Trajectory::default();
        if let Err(error) = simulation.run(200, &mut [&mut run]) {
            failures.push(format!("q = {q:?}: {error}"));
        }
        // ∇V = Hᵀ λ: λ_lower = g tan q1, λ_upper = 2 g tan q0 − λ_lower.
        let lower = 10.0 * q[1].tan();
        let upper = 20.0 * q[0].tan() - lower;
        for k in 1..run.t.len() {
            let (v, p) = (&run.v[k], &run.impulses[k]);
            // Rounding of velocities g h and impulses of the same size, ten times over.
            assert!(v.iter().all(|v| v.abs() < 1e-16), "q = {q:?}: v = {v:?} at step {k}");
            assert!((p[0] - h * upper).abs() < 1e-15, "q = {q:?}: p = {p:?} at step {k}");
            assert!((p[1] - h * lower).abs() < 1e-15, "q = {q:?}: p = {p:?} at step {k}");
        }
    }
    assert!(failures.is_empty(), "{} of 50 runs stopped, first: {}", failures.len(), failures[0]);
}

#[test]
fn double_pendulum_on_two_stops_does_not_sink_at_position_level() {
    // The gap is divided by hθ, so v⁺ is known to a few ε/(hθ) ≈ 1e-12 only; Newton has to know. At the
    // first angles the upper stop lets go and the pendulum moves slowly, at the others it rests.
    let options = Options::default().with_word("level", "position");
    let mut failures = Vec::new();
    for i in 0..100 {
        let x = f64::from(i);
        let (q, h) = ([0.05 + 0.0142 * x, 0.3 - 0.0026 * x], 1e-3 + 2.6e-5 * x);
        let (model, state) = lying(q, 0.0);
        let mut simulation = Simulation::new(model, state, moreau_jean(&options), h).unwrap();
        let mut run = Trajectory::default();
        if let Err(error) = simulation.run(200, &mut [&mut run]) {
            failures.push(format!("q = {q:?}, h = {h}: {error}"));
        }
        let lowest = run.gaps.iter().flatten().fold(0.0f64, |m, y| m.min(*y));
        // Rounding of sines of order 1, and Newton's 1e-12 times the distance of a step.
        assert!(lowest > -1e-14, "q = {q:?}: gap {lowest:e}");
    }
    assert!(failures.is_empty(), "{} of 100 runs stopped, first: {}", failures.len(), failures[0]);
}

#[test]
fn prescribed_spin_of_a_lagrangian_system_leaves_the_motion_along_the_rod() {
    // r̈ = r ω² − k (r − 1) − c ṙ + g cos ωt.
    let (spin, end) = (1.5, 1.2);
    let slope = |t: f64, r: f64, v: f64| {
        let SpringPendulum { stiffness, damping, gravity } = SPRING;
        r * spin * spin - stiffness * (r - 1.0) - damping * v + gravity * (spin * t).cos()
    };
    // Störmer-like midpoint steps, tiny: error about (end/n)² = 4e-12.
    let (n, mut r, mut v) = (600_000, 1.2, 0.3);
    let d = end / f64::from(n);
    for i in 0..n {
        let t = f64::from(i) * d;
        let half = v + 0.5 * d * slope(t, r, v);
        let middle = r + 0.5 * d * v;
        (r, v) = (r + d * half, v + d * slope(t + 0.5 * d, middle, half));
    }
    let [coarse, fine] = [600, 1200].map(|n| {
        let mut builder = ModelBuilder::new();
        let system = builder.lagrangian("mass", &["r", "angle"], SPRING, &[1.2, 0.0], &[0.3, spin]);
        builder.prescribe(system, 1, move |_| Ok(spin));
        let run = trajectory(builder.build(0.0).unwrap(), end / n as f64, n);
        // The angle is a sum of n equal terms: rounding.
        assert!((run.q[n as usize][1] - spin * end).abs() < 1e-12);
        (run.q[n as usize][0] - r).abs().max((run.v[n as usize][0] - v).abs())
    });
    let measured = order(coarse, fine, 2.0);
    // Second order as without the prescribed coordinate.
    assert!((measured - 2.0).abs() < 0.05, "order {measured:.3} ({coarse:.2e} → {fine:.2e})");
}
