//! Academic examples with closed solutions, and errors in norms made for velocities that jump.

use super::run;
use crate::kit::{Built, Linear, ModelBuilder, NewtonImpact, Options, Sparse, Trajectory};
use crate::order;

/// A unit mass with q ≥ 0 and restitution e, spring k, load f, from (1, 0).
fn above_floor(stiffness: f64, load: f64, e: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let mut system = Linear::new("mass", Sparse::diagonal(&[1.0])).load(&[load]).initial(&[1.0], &[0.0]);
    if stiffness != 0.0 {
        system = system.stiffness(Sparse::diagonal(&[stiffness]));
    }
    let mass = builder.linear(system);
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
    builder.build(0.0).expect("the model is sound")
}

/// q̈ = −2 + r, q ≥ 0, e = ½: impacts at 1, 2, 2.5, …, at rest from t = 3 on.
pub fn ball() -> Built {
    above_floor(0.0, -2.0, 0.5)
}

/// (q, v⁺) of the ball.
pub fn ball_exact(t: f64) -> [f64; 2] {
    if t < 1.0 {
        return [1.0 - t * t, -2.0 * t];
    }
    // Flight n lasts 2^−n and begins with v = 2^−n.
    let (mut begin, mut v) = (1.0, 1.0);
    while v > 1e-15 {
        let s = t - begin;
        if s < v {
            return [v * s - s * s, v - 2.0 * s];
        }
        begin += v;
        v *= 0.5;
    }
    [0.0, 0.0]
}

/// q̈ + q = r, q ≥ 0, e = ½: q = 2^−n |cos t|.
pub fn oscillator() -> Built {
    above_floor(1.0, 0.0, 0.5)
}

/// (q, v⁺) of the oscillator.
pub fn oscillator_exact(t: f64) -> [f64; 2] {
    let n = (t / std::f64::consts::PI + 0.5).floor();
    let (size, sign) = (0.5f64.powf(n), if n % 2.0 == 0.0 { 1.0 } else { -1.0 });
    [sign * size * t.cos(), -sign * size * t.sin()]
}

/// Errors against the right limits of an exact solution at the nodes: N + 1 terms, the start included.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    pub l1_q: f64,
    pub max_q: f64,
    pub l1_v: f64,
    pub l2_v: f64,
}

impl Errors {
    pub fn of(ours: &Trajectory, exact: impl Fn(f64) -> [f64; 2]) -> Self {
        let h = ours.t[1] - ours.t[0];
        let mut errors = Self::default();
        for k in 0..ours.t.len() {
            let [q, v] = exact(ours.t[k]);
            let [dq, dv] = [(ours.q[k][0] - q).abs(), (ours.v[k][0] - v).abs()];
            errors.l1_q += h * dq;
            errors.max_q = errors.max_q.max(dq);
            errors.l1_v += h * dv;
            errors.l2_v += h * dv * dv;
        }
        errors.l2_v = errors.l2_v.sqrt();
        errors
    }

    /// Mean over `n` numbers of steps near `first`, 7 apart: the constant of the error jumps with the phase of the
    /// impacts in the step, so one step number tells nothing.
    pub fn mean(example: &Example, scheme: (&str, &Options), (first, n): (u64, u64)) -> Self {
        let mut sum = Self::default();
        for i in 0..n {
            let steps = first + 7 * i;
            let ours = run((example.make)(), scheme, example.end / steps as f64, steps);
            let errors = Self::of(&ours, example.exact);
            sum.l1_q += errors.l1_q / n as f64;
            sum.max_q += errors.max_q / n as f64;
            sum.l1_v += errors.l1_v / n as f64;
            sum.l2_v += errors.l2_v / n as f64;
        }
        sum
    }
}

/// A model, its solution, and a time at which no multiple of a step hits an impact.
pub struct Example {
    pub name: &'static str,
    pub make: fn() -> Built,
    pub exact: fn(f64) -> [f64; 2],
    pub end: f64,
}

pub const EXAMPLES: [Example; 2] = [
    Example { name: "ball", make: ball, exact: ball_exact, end: 3.7001 },
    Example { name: "oscillator", make: oscillator, exact: oscillator_exact, end: 11.3 },
];

/// Measured orders (L1 q, max q, L1 v, L2 v) between about 1000 and 8000 steps.
pub fn orders(example: &Example, scheme: (&str, &Options)) -> [f64; 4] {
    let [coarse, fine] = [1009, 8017].map(|n| Errors::mean(example, scheme, (n, 24)));
    let columns = |e: Errors| [e.l1_q, e.max_q, e.l1_v, e.l2_v];
    let (a, b) = (columns(coarse), columns(fine));
    let orders = [0, 1, 2, 3].map(|i| order(a[i], b[i], 8017.0 / 1009.0));
    eprintln!("{}, {}: {a:?} → {b:?}, orders {orders:.3?}", example.name, scheme.0);
    orders
}

/// Asserts order 1 in L1 and max of q and in L1 of v, ½ in L2 of v.
pub fn assert_first_order(example: &Example, scheme: (&str, &Options)) {
    let measured = orders(example, scheme);
    // The mean over 24 phases scatters by some per cent, over three octaves.
    for (measured, expected) in measured.into_iter().zip([1.0, 1.0, 1.0, 0.5]) {
        let what = format!("{}, {}: order {measured:.3}", example.name, scheme.0);
        assert!((measured - expected).abs() < 0.12, "{what}, expected {expected}");
    }
}

#[test]
fn the_closed_solutions_bounce() {
    assert_eq!(ball_exact(1.0), [0.0, 1.0]);
    assert_eq!(ball_exact(1.5), [0.25, 0.0]);
    assert_eq!(ball_exact(3.5), [0.0, 0.0]);
    let [q, v] = oscillator_exact(std::f64::consts::PI);
    assert!((q - 0.5).abs() < 1e-15 && v.abs() < 1e-15);
}

#[test]
fn moreau_jean_has_order_one_on_the_academic_examples() {
    for example in &EXAMPLES {
        assert_first_order(example, ("moreau-jean", &Options::default()));
    }
}
