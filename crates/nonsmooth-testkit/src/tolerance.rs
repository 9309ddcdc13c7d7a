//! Differences, with the worst offender named.

/// |a − b| ≤ tolerance · max(1, |a|, |b|); panics with both numbers. NaN is never close.
pub fn assert_close(what: &str, a: f64, b: f64, tolerance: f64) {
    let size = a.abs().max(b.abs()).max(1.0);
    assert!(
        (a - b).abs() <= tolerance * size,
        "{what}: {a:e} and {b:e} differ, tolerance {tolerance:.0e}"
    );
}

/// [`assert_close`] for each component; panics with the worst one.
pub fn assert_all_close(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}: lengths");
    let far = |k: &usize| {
        let difference = (a[*k] - b[*k]).abs() / a[*k].abs().max(b[*k].abs()).max(1.0);
        if difference.is_nan() { f64::INFINITY } else { difference }
    };
    if let Some(k) = (0..a.len()).max_by(|i, j| far(i).total_cmp(&far(j))) {
        assert_close(&format!("{what}[{k}]"), a[k], b[k], tolerance);
    }
}

/// max |a − b|; NaN counts as infinite.
pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "lengths");
    let difference = |(a, b): (&f64, &f64)| (a - b).abs();
    a.iter().zip(b).map(difference).fold(0.0, |m, d| if d.is_nan() { f64::INFINITY } else { m.max(d) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "x[1]: 2e0 and 3e0 differ")]
    fn the_worst_component_is_named() {
        assert_all_close("x", &[1.0, 2.0, 5.0], &[1.1, 3.0, 5.0], 0.01);
    }

    #[test]
    #[should_panic(expected = "x[0]: NaN")]
    fn nan_is_never_close() {
        assert_all_close("x", &[f64::NAN, 2.0], &[f64::NAN, 3.0], 1e300);
    }

    #[test]
    fn nan_is_far() {
        assert_eq!(largest_difference(&[1.0, f64::NAN], &[2.0, 0.0]), f64::INFINITY);
        assert_eq!(largest_difference(&[f64::NAN, 1.0], &[2.0, 0.0]), f64::INFINITY);
        assert_eq!(largest_difference(&[1.0, 4.0], &[2.0, 1.0]), 3.0);
    }
}
