//! Coordinates whose velocity is a given function of time, and dense inverses in which they do not move.

use crate::error::{StepError, StepResult};
use crate::model::{Model, UserError};
use nonsmooth_solvers::invert;

/// A velocity prescribed as a function of time [m/s].
pub type Velocity = Box<dyn Fn(f64) -> Result<f64, UserError> + Send + Sync>;

/// A coordinate whose velocity is a given function of time.
pub struct Prescribed {
    /// Its place in v.
    pub(crate) index: usize,
    /// Its velocity [m/s].
    pub(crate) velocity: Velocity,
}

impl Prescribed {
    /// Its velocity at time `t` [m/s]; finite.
    pub(crate) fn at(&self, model: &Model, t: f64) -> StepResult<f64> {
        let value = (self.velocity)(t).map_err(StepError::in_system(model, self.index))?;
        if value.is_finite() {
            return Ok(value);
        }
        let (system, coordinate) = model.velocity_name(self.index);
        Err(StepError::NotFinite { what: "velocity", system, coordinate, value }.into())
    }
}

/// How far prescribed velocities are from their values at time `t`, in a vector over velocities; zero elsewhere.
pub(super) fn changes(
    prescribed: &[Prescribed],
    model: &Model,
    t: f64,
    v: &[f64],
    out: &mut Vec<f64>,
) -> StepResult {
    out.clear();
    out.resize(v.len(), 0.0);
    prescribed.iter().try_for_each(|p| {
        out[p.index] = p.at(model, t)? - v[p.index];
        Ok(())
    })
}

/// Inverts a dense block with the rows and columns of fixed coordinates taken out (zero in the result); `false` if it is singular.
pub(super) fn invert_masked(
    a: &mut [f64],
    n: usize,
    fixed: impl Fn(usize) -> bool,
    pivots: &mut Vec<usize>,
) -> bool {
    for k in (0..n).filter(|&k| fixed(k)) {
        for i in 0..n {
            a[k * n + i] = 0.0;
            a[i * n + k] = 0.0;
        }
        // Any nonzero number of the matrix's own size decouples the row and leaves the pivots alone.
        a[k * n + k] = a.iter().fold(0.0f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
    }
    let good = invert(a, n, pivots);
    for k in (0..n).filter(|&k| fixed(k)) {
        a[k * n + k] = 0.0;
    }
    good
}

/// The largest scratch that is kept on the stack.
const SMALL: usize = 128;

/// Scratch of `n` zeros, on the stack where it is small.
#[inline]
pub(super) fn with_buffer<T>(n: usize, work: impl FnOnce(&mut [f64]) -> T) -> T {
    if n <= SMALL { work(&mut [0.0; SMALL][..n]) } else { work(&mut vec![0.0; n]) }
}

/// a · b.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
