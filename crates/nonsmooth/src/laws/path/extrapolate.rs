//! A step of extrapolation: the explicit midpoint rule with 2, 4, 6, … inner steps, extrapolated to none.
//!
//! ```text
//! y_{m+1} = y_{m−1} + 2 h f(y_m),  h = H/n;    T_{k,i} = T_{k,i−1} + (T_{k,i−1} − T_{k−1,i−1})/((n_k/n_{k−i})² − 1)
//! ```
//!
//! The rule has an expansion in even powers of h, so column k has order 2 k. [Hairer93, sec. II.9]

/// Most columns: order 20.
const COLUMNS: usize = 10;
/// Largest difference of the last two columns, relative to the scale of each entry and to the entry: the last column is closer by some digits.
const TOLERANCE: f64 = 5e-14;
/// Storage of the columns.
#[derive(Default)]
pub(super) struct Extrapolation {
    table: Vec<Vec<f64>>,
    before: Vec<f64>,
    middle: Vec<f64>,
    slope: Vec<f64>,
}

impl Extrapolation {
    /// z after a step of length `length` into `out`, and how many columns it took; none where they do not agree.
    pub(super) fn step(
        &mut self,
        f: &mut dyn FnMut(&[f64], &mut [f64]),
        (z, slope): (&[f64], &[f64]),
        length: f64,
        scale: &[f64],
        out: &mut Vec<f64>,
    ) -> Option<usize> {
        self.table.resize(COLUMNS, Vec::new());
        self.slope.resize(z.len(), 0.0);
        for k in 0..COLUMNS {
            let n = 2 * (k + 1);
            self.midpoint(f, (z, slope), length / n as f64, n);
            // The row of column k overwrites that of k − 1 from the left: `table[i]` is T_{k,i}.
            let mut last = std::mem::take(&mut self.middle);
            let mut worst = 0.0f64;
            for i in 1..=k {
                let ratio = n as f64 / (2 * (k + 1 - i)) as f64;
                let divisor = ratio * ratio - 1.0;
                let old = &mut self.table[i - 1];
                worst = 0.0;
                for (j, (x, old)) in last.iter_mut().zip(old.iter_mut()).enumerate() {
                    let next = *x + (*x - *old) / divisor;
                    *old = *x;
                    let change = (next - *x).abs() / (scale[j] + next.abs());
                    // Not `max` alone, which would drop a NaN.
                    worst = if change.is_finite() { worst.max(change) } else { f64::INFINITY };
                    *x = next;
                }
            }
            self.table[k].clone_from(&last);
            let agrees = k > 1 && worst <= TOLERANCE;
            if agrees || k + 1 == COLUMNS {
                out.clone_from(&last);
            }
            self.middle = last;
            if agrees {
                return Some(k);
            }
        }
        None
    }

    /// n inner steps of length h, the result in `middle`.
    fn midpoint(
        &mut self,
        f: &mut dyn FnMut(&[f64], &mut [f64]),
        (z, slope): (&[f64], &[f64]),
        h: f64,
        n: usize,
    ) {
        let Self { before, middle, slope: at, .. } = self;
        before.clear();
        before.extend_from_slice(z);
        middle.clear();
        middle.extend(z.iter().zip(slope).map(|(z, s)| z + h * s));
        for _ in 1..n {
            f(middle, at);
            for ((before, middle), s) in before.iter_mut().zip(middle.iter_mut()).zip(&*at) {
                let next = *before + 2.0 * h * s;
                *before = *middle;
                *middle = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_an_oscillator_is_exact_to_rounding() {
        let mut extrapolation = Extrapolation::default();
        let mut f = |z: &[f64], out: &mut [f64]| {
            out[0] = z[1];
            out[1] = -z[0];
        };
        let mut out = Vec::new();
        let columns =
            extrapolation.step(&mut f, (&[1.0, 0.0], &[0.0, -1.0]), 1.0, &[1.0, 1.0], &mut out);
        assert!(columns.is_some_and(|k| k < 9), "{columns:?}");
        assert!((out[0] - 1f64.cos()).abs() < 2e-14 && (out[1] + 1f64.sin()).abs() < 2e-14, "{out:?}");
    }
}
