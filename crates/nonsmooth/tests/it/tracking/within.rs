//! Changes between sticking and sliding that begin and end within one step.

use super::LOCATE;
use super::friction::{coulomb, run};
use crate::kit::{Built, Linear, ModelBuilder, Sparse};

const MU_N: f64 = 0.5 * 9.81;

/// A block of mass 1 that is pressed on a floor with μ N = 4.905 N and pulled along it by a force of time, at this speed.
fn pulled(force: fn(f64) -> f64, speed: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[1.0; 2])).load(&[-9.81, 0.0]);
    let block = block.force(move |t, out| {
        out[1] += force(t);
        Ok(())
    });
    let block = builder.linear(block.initial(&[0.0; 2], &[0.0, speed]));
    let law = builder.law("rough", coulomb(0.5));
    builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &[&[(block, 1, 1.0)]]);
    builder.build(0.0).expect("a right model")
}

/// The bracket of `high-order` is 1e-6 of its step, here 1 s; what `event-driven` does is at 1e-12 per step.
fn bound(scheme: &str) -> f64 {
    if scheme == "high-order" { 2e-5 } else { 1e-9 }
}

/// A pulse of 6 sin πt N moves the block from the time where it exceeds μ N until v = (6/π)(cos πt₁ − cos πt) − μ N (t − t₁) is none again: in one step of 1 s
/// it sticks at both ends.
#[test]
fn a_pulse_within_a_step_moves_a_block_that_sticks() {
    let pi = std::f64::consts::PI;
    let t1 = (MU_N / 6.0).asin() / pi;
    let v = |t: f64| 6.0 / pi * ((pi * t1).cos() - (pi * t).cos()) - MU_N * (t - t1);
    let (mut low, mut high) = (1.0 - t1, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *if v(middle) > 0.0 { &mut low } else { &mut high } = middle;
    }
    let s = low - t1;
    let turned = ((pi * low).sin() - (pi * t1).sin()) / pi;
    let exact = 6.0 / pi * ((pi * t1).cos() * s - turned) - 0.5 * MU_N * s * s;
    assert!(exact > 0.04 && low < 0.99, "{exact} {low}");
    for scheme in LOCATE {
        let end = run(pulled(|t| 6.0 * (std::f64::consts::PI * t).sin(), 0.0), scheme, 1.0, 1);
        // `high-order` passes the slide of half a second in one or two steps, which leaves 2.4e-4 m; without the slide it is off by 0.09 m.
        let bound = if scheme == "high-order" { 1e-3 } else { bound(scheme) };
        assert!((end.q[1] - exact).abs() < bound, "{scheme}: {} not {exact}", end.q[1]);
        assert!(end.v[1].abs() < 1e-12, "{scheme}: {:?}", end.v);
    }
}

/// v = 1 − 3/2 + 6 (t − ½)² would be negative for |t − ½| < 1/√12: the block stops, sticks until the force exceeds μ N again at t = ½, and slides on. Its slip is
/// the same at both ends of the step.
#[test]
fn a_stop_within_a_step_is_seen() {
    let tau = 1.0 / 12f64.sqrt();
    let exact = 0.5 * tau - 2.0 * tau.powi(3) + 0.25;
    for scheme in LOCATE {
        let end = run(pulled(|t| MU_N + 12.0 * (t - 0.5), 1.0), scheme, 1.0, 1);
        assert!((end.q[1] - exact).abs() < bound(scheme), "{scheme}: {} not {exact}", end.q[1]);
        assert!((end.v[1] - 1.5).abs() < bound(scheme), "{scheme}: {:?}", end.v);
    }
}
