//! Norms of an error known at nodes, as printed in [Acary10, eq. (36)–(37)].
//!
//! ```text
//! ‖e‖₁ = h Σ |fᵢ − f(tᵢ)|      ‖e‖_p = (h Σ |fᵢ − f(tᵢ)|^p)^{1/p}      ‖e‖_∞ = max |fᵢ − f(tᵢ)|
//! ```
//!
//! The sums run over i = 0 … N: N + 1 terms times h. f(tᵢ) is the right limit of the reference. For vectors |·| is
//! the maximum norm, as in the distance between graphs.

/// |fᵢ − f(tᵢ)| at every node; each node has `width` values in `f` and in `reference`.
pub fn deviations<'a>(
    f: &'a [f64],
    reference: &'a [f64],
    width: usize,
) -> impl Iterator<Item = f64> + Clone + 'a {
    let nodes = f.chunks_exact(width.max(1)).zip(reference.chunks_exact(width.max(1)));
    nodes.map(|(f, reference)| maximum(f.iter().zip(reference).map(|(f, x)| f - x)))
}

/// ‖e‖₁ [unit of e · s].
pub fn l1(step_size: f64, errors: impl IntoIterator<Item = f64>) -> f64 {
    step_size * errors.into_iter().map(f64::abs).sum::<f64>()
}

/// ‖e‖_p for p ≥ 1 [unit of e · s^{1/p}]; p = ∞ is the maximum. NaN for p < 1, which is no norm.
pub fn lp(step_size: f64, p: f64, errors: impl IntoIterator<Item = f64, IntoIter: Clone>) -> f64 {
    let errors = errors.into_iter();
    let largest = maximum(errors.clone());
    if !(p >= 1.0) {
        return f64::NAN;
    }
    if p == f64::INFINITY || !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    // Scaled by the largest, so that no power over- or underflows.
    let sum: f64 = errors.map(|e| (e.abs() / largest).powf(p)).sum();
    largest * (step_size * sum).powf(p.recip())
}

/// ‖e‖_∞ [unit of e]; NaN if an error is.
pub fn maximum(errors: impl IntoIterator<Item = f64>) -> f64 {
    errors.into_iter().fold(0.0, |m, e| if e.abs() > m || e.is_nan() { e.abs() } else { m })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_error_counts_all_nodes() {
        // N + 1 = 11 terms, h = 0.1: 1.1, not 1.
        let e = [2.0; 11];
        assert!((l1(0.1, e) - 2.2).abs() < 1e-15);
        assert!((lp(0.1, 2.0, e) - 2.0 * 1.1f64.sqrt()).abs() < 1e-15);
        assert!((lp(0.1, 1.0, e) - l1(0.1, e)).abs() < 1e-15);
        assert_eq!(maximum(e), 2.0);
        assert_eq!(lp(0.1, f64::INFINITY, e), 2.0);
    }

    #[test]
    fn large_powers_neither_overflow_nor_vanish() {
        let e = [1e-200, -3e-200, 2e-200];
        let by_hand = 3e-200 * (0.5 * (1.0 + 3f64.powf(-7.0) + (2f64 / 3.0).powf(7.0))).powf(1.0 / 7.0);
        assert!((lp(0.5, 7.0, e) / by_hand - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_number_that_is_none_is_not_lost() {
        for e in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            assert!(maximum(e).is_nan() && l1(1.0, e).is_nan() && lp(1.0, 2.0, e).is_nan());
        }
        assert!(lp(1.0, 0.5, [1.0]).is_nan());
        assert_eq!(lp(1.0, 2.0, [0.0, 0.0]), 0.0);
    }

    #[test]
    fn a_vector_counts_by_its_largest_component() {
        let far = deviations(&[0.0, 1.0, 2.0, 3.0], &[0.5, -1.0, 2.0, 3.25], 2);
        assert_eq!(far.collect::<Vec<_>>(), [2.0, 0.25]);
    }
}
