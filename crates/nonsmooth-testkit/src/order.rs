//! Orders of convergence from errors: error ≈ C hᵖ, so p = log(e₁/e₂) / log(h₁/h₂).

/// The order between the first and the last of a list of (step, error), by least squares in logarithms.
pub fn fitted_order(errors: &[(f64, f64)]) -> f64 {
    assert!(errors.len() >= 2, "an order needs two errors");
    let points: Vec<(f64, f64)> = errors
        .iter()
        .map(|&(h, e)| {
            assert!(h > 0.0 && e > 0.0 && e.is_finite(), "no order from the error {e} at the step {h}");
            (h.ln(), e.ln())
        })
        .collect();
    let n = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let (mut above, mut below) = (0.0, 0.0);
    for (a, b) in &points {
        above += (a - x) * (b - y);
        below += (a - x) * (a - x);
    }
    above / below
}

/// Runs `error(h)` at h, h/2, h/4, … (`halvings` + 1 steps) and asserts that the fitted order is within `slack` of `order`.
pub fn assert_order(
    what: &str,
    order: f64,
    slack: f64,
    h: f64,
    halvings: usize,
    error: impl Fn(f64) -> f64,
) {
    let steps = (0..=halvings).map(|k| h / (1u64 << k) as f64);
    let errors: Vec<(f64, f64)> = steps.map(|h| (h, error(h))).collect();
    let fitted = fitted_order(&errors);
    assert!(
        (fitted - order).abs() <= slack,
        "{what}: order {fitted:.3}, not {order} ± {slack}: {errors:?}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_have_their_order() {
        assert_order("h³", 3.0, 1e-12, 0.1, 4, |h| 2.0 * h.powi(3));
    }

    #[test]
    #[should_panic(expected = "order 1.000, not 2")]
    fn a_wrong_order_is_told() {
        assert_order("h", 2.0, 0.5, 0.1, 3, |h| h);
    }
}
