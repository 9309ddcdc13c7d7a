//! The curvature of a gap by numerical differentiation, for gaps that do not supply it.
//!
//! ```text
//! ÿ at v̇ = 0  =  d/ds u(t + s, q + s v; v) at s = 0,     u = ∂g/∂q v + ∂g/∂t
//! ```
//!
//! Central differences at steps s, s/2, s/4, …, extrapolated to s = 0 in a triangular table; the entry whose
//! neighbours agree best is taken [Ridders82]. No step size need be known beforehand: the first is a tenth of the
//! time in which a coordinate changes by its own size.

use super::gap::Gap;
use crate::model::UserError;

/// Rows of the table: the last step is the first divided by 2¹⁴, fit for motions 10⁴ times faster than 1/s.
const ROWS: usize = 15;
/// A table that got worse by this factor will not become better.
const WORSE: f64 = 4.0;

/// Value of `Gap::curvature` where none is supplied.
pub(super) fn curvature_by_differences<G: Gap + ?Sized>(
    gap: &G,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Result<f64, UserError> {
    let reach = q.iter().zip(v).fold(1.0f64, |m, (q, v)| m.min((1.0 + q.abs()) / v.abs()));
    let (mut there, mut slope) = (q.to_vec(), vec![0.0; q.len()]);
    derivative_at_zero(reach, |s: f64| {
        there.iter_mut().zip(q.iter().zip(v)).for_each(|(x, (q, v))| *x = q + s * v);
        slope.fill(0.0);
        gap.jacobian(t + s, &there, &mut slope)?;
        let along: f64 = slope.iter().zip(v).map(|(s, v)| s * v).sum();
        Ok(along + gap.rate(t + s, &there)?)
    })
}

/// d/ds (T(t + s, q + s v) v + s(t + s, q + s v)) at s = 0 of tangent `k` of a gap: what du_T/dt has beside T v̇.
pub(super) fn tangent_curvature(
    gap: &dyn Gap,
    k: usize,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Result<f64, UserError> {
    let reach = q.iter().zip(v).fold(1.0f64, |m, (q, v)| m.min((1.0 + q.abs()) / v.abs()));
    let (n, mut there) = (q.len(), q.to_vec());
    let (mut tangents, mut rates) = (vec![0.0; n * gap.n_tangents()], vec![0.0; gap.n_tangents()]);
    derivative_at_zero(reach, |s: f64| {
        there.iter_mut().zip(q.iter().zip(v)).for_each(|(x, (q, v))| *x = q + s * v);
        tangents.fill(0.0);
        rates.fill(0.0);
        gap.tangents(t + s, &there, &mut tangents, &mut rates)?;
        let along: f64 = tangents[k * n..].iter().zip(v).map(|(s, v)| s * v).sum();
        Ok(along + rates[k])
    })
}

/// d/ds h(t + s, q + s v, v) at s = 0: what dh/dt has beside ∂h/∂v v̇, for a constraint on velocities.
pub(super) fn velocity_curvature(
    constraint: &dyn super::gap::VelocityConstraint,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Result<f64, UserError> {
    let reach = q.iter().zip(v).fold(1.0f64, |m, (q, v)| m.min((1.0 + q.abs()) / v.abs()));
    let mut there = q.to_vec();
    derivative_at_zero(reach, |s: f64| {
        there.iter_mut().zip(q.iter().zip(v)).for_each(|(x, (q, v))| *x = q + s * v);
        constraint.value(t + s, &there, v)
    })
}

/// The derivative at zero of a function that changes within times of the size `reach` [s].
fn derivative_at_zero(
    reach: f64,
    mut speed: impl FnMut(f64) -> Result<f64, UserError>,
) -> Result<f64, UserError> {
    let mut s = 0.1 * reach;
    let (mut best, mut least) = (f64::NAN, f64::INFINITY);
    let mut above = [0.0; ROWS];
    for row in 0..ROWS {
        let mut table = [0.0; ROWS];
        table[0] = (speed(s)? - speed(-s)?) / (2.0 * s);
        let mut weight = 4.0;
        for k in 1..=row {
            table[k] = table[k - 1] + (table[k - 1] - above[k - 1]) / (weight - 1.0);
            weight *= 4.0;
            let error = (table[k] - table[k - 1]).abs().max((table[k] - above[k - 1]).abs());
            if error < least {
                (best, least) = (table[k], error);
            }
        }
        if least == 0.0 || row > 0 && (table[row] - above[row - 1]).abs() >= WORSE * least {
            break;
        }
        (above, s) = (table, 0.5 * s);
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// g = sin(ω t) q₀ + q₀² q₁ with a frequency to choose.
    struct Wavy(f64);

    impl Gap for Wavy {
        fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
            Ok((self.0 * t).sin() * q[0] + q[0] * q[0] * q[1])
        }
        fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
            out.copy_from_slice(&[(self.0 * t).sin() + 2.0 * q[0] * q[1], q[0] * q[0]]);
            Ok(())
        }
        fn rate(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
            Ok(self.0 * (self.0 * t).cos() * q[0])
        }
    }

    #[test]
    fn slow_and_fast_gaps_are_differentiated_to_twelve_digits() {
        let (t, q, v): (f64, _, _) = (0.3, [0.8, -1.2], [1.7, 40.0]);
        for w in [0.0f64, 1.0, 30.0, 1000.0] {
            let wave = 2.0 * w * (w * t).cos() * v[0] - w * w * (w * t).sin() * q[0];
            let exact = wave + 2.0 * q[1] * v[0] * v[0] + 4.0 * q[0] * v[0] * v[1];
            let found = Wavy(w).curvature(t, &q, &v).unwrap();
            // Against the size of the terms; 1e-11 for the fastest, whose t loses digits.
            let size = w * w + 300.0;
            assert!((found - exact).abs() < 1e-11 * size, "ω = {w}: {found} {exact}");
        }
    }
}
