//! Curves with jumps, and long series made short without changing the picture.

use super::shape::Point;

/// Polyline of a function with jumps: the left value is held until the jump, then a vertical line.
///
/// For rows (t_k, x_k) and the first jump time t* in (t_k, t_{k+1}], the segment becomes
/// (t_k, x_k) → (t*, x_k) → (t*, x_{k+1}) → (t_{k+1}, x_{k+1}). Jump times in any order; those
/// outside the rows or not finite are ignored.
pub fn with_jumps(t: &[f64], x: &[f64], jump_times: &[f64]) -> Vec<(f64, f64)> {
    assert_eq!(t.len(), x.len(), "as many times as values");
    let mut jumps: Vec<f64> = jump_times.iter().copied().filter(|t| t.is_finite()).collect();
    jumps.sort_by(f64::total_cmp);

    let mut out = Vec::with_capacity(t.len() + 2 * jumps.len());
    out.extend(t.first().copied().zip(x.first().copied()));
    for k in 1..t.len() {
        let first_after = jumps.partition_point(|&jump| jump <= t[k - 1]);
        if let Some(&jump) = jumps.get(first_after).filter(|jump| **jump <= t[k]) {
            out.push((jump, x[k - 1]));
            if jump < t[k] {
                out.push((jump, x[k]));
            }
        }
        out.push((t[k], x[k]));
    }
    out
}

/// Thins a long polyline so that each of `n_buckets` columns keeps its extremes.
///
/// Consecutive points in one column are replaced by the first, the lowest, the highest and the
/// last of them: at most 4 `n_buckets` points for monotone x, and the right picture for any curve.
/// Series that are short already come back unchanged. Points that are not finite are left out.
pub fn thin(points: &[(f64, f64)], n_buckets: usize) -> Vec<(f64, f64)> {
    let points: Vec<Point> =
        points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
    if points.len() <= 4 * n_buckets.max(1) {
        return points;
    }
    let column = columns(&points, n_buckets);
    points.chunk_by(|a, b| column(*a) == column(*b)).flat_map(extremes).collect()
}

/// The column of a point, 0 to `n_buckets` − 1.
fn columns(points: &[Point], n_buckets: usize) -> impl Fn(Point) -> usize {
    let lo = points.iter().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let hi = points.iter().map(|p| p.0).fold(f64::NEG_INFINITY, f64::max);
    let n = n_buckets.max(1);
    // Halves keep the width finite for ±1e308; `as` maps 0/0 to 0.
    move |p| ((((p.0 / 2.0 - lo / 2.0) / (hi / 2.0 - lo / 2.0)) * n as f64) as usize).min(n - 1)
}

/// First, lowest, highest and last point of a run, in order, each once.
fn extremes(run: &[Point]) -> Vec<Point> {
    let mut keep = [0, 0, 0, run.len() - 1];
    for (i, p) in run.iter().enumerate() {
        if p.1 < run[keep[1]].1 {
            keep[1] = i;
        }
        if p.1 > run[keep[2]].1 {
            keep[2] = i;
        }
    }
    keep.sort_unstable();
    let mut kept = keep.to_vec();
    kept.dedup();
    kept.into_iter().map(|i| run[i]).collect()
}

/// The tallest stem above and below `base` in each column; short series come back unchanged.
pub fn thin_stems(points: &[Point], base: f64, n_buckets: usize) -> Vec<Point> {
    if points.len() <= n_buckets {
        return points.to_vec();
    }
    let column = columns(points, n_buckets);
    let mut tallest = vec![[None::<Point>; 2]; n_buckets.max(1)];
    for &p in points {
        let slot = &mut tallest[column(p)][usize::from(p.1 < base)];
        if slot.is_none_or(|q| (p.1 - base).abs() > (q.1 - base).abs()) {
            *slot = Some(p);
        }
    }
    tallest.into_iter().flatten().flatten().collect()
}

/// One mark per square pixel, the first of each.
pub fn thin_marks(points: &[Point]) -> Vec<Point> {
    let mut seen = std::collections::BTreeSet::new();
    points.iter().copied().filter(|p| seen.insert((p.0 as i64, p.1 as i64))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_held_until_the_jump_and_then_drops_vertically() {
        let line = with_jumps(&[0.0, 1.0, 2.0], &[5.0, -4.0, -3.0], &[0.5]);
        assert_eq!(line, [(0.0, 5.0), (0.5, 5.0), (0.5, -4.0), (1.0, -4.0), (2.0, -3.0)]);
    }

    #[test]
    fn jump_at_a_row_belongs_to_the_step_that_ends_there() {
        let line = with_jumps(&[0.0, 1.0, 2.0], &[5.0, -4.0, -3.0], &[1.0]);
        assert_eq!(line, [(0.0, 5.0), (1.0, 5.0), (1.0, -4.0), (2.0, -3.0)]);
    }

    #[test]
    fn without_jumps_the_rows_come_back_and_foreign_jump_times_are_ignored() {
        let rows = [(0.0, 1.0), (1.0, 2.0)];
        assert_eq!(with_jumps(&[0.0, 1.0], &[1.0, 2.0], &[]), rows);
        assert_eq!(with_jumps(&[0.0, 1.0], &[1.0, 2.0], &[0.0, -1.0, 7.0, f64::NAN]), rows);
        assert!(with_jumps(&[], &[], &[0.5]).is_empty());
    }

    #[test]
    fn first_of_several_jumps_in_a_step_counts_in_any_order() {
        let line = with_jumps(&[0.0, 1.0], &[1.0, 2.0], &[0.75, 0.25]);
        assert_eq!(line, [(0.0, 1.0), (0.25, 1.0), (0.25, 2.0), (1.0, 2.0)]);
    }

    #[test]
    fn thin_keeps_spikes_ends_and_order() {
        let mut points: Vec<Point> = (0..1_000_000).map(|i| (f64::from(i), f64::from(i % 7))).collect();
        points[123_456].1 = 1e9;
        points[654_321].1 = -1e9;
        let short = thin(&points, 500);
        assert!(short.len() <= 2000, "{} points", short.len());
        assert_eq!((short.first(), short.last()), (points.first(), points.last()));
        assert!(short.contains(&(123_456.0, 1e9)) && short.contains(&(654_321.0, -1e9)));
        assert!(short.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn thin_leaves_out_what_is_not_finite_and_takes_degenerate_input() {
        assert_eq!(thin(&[(0.0, f64::NAN), (1.0, 2.0), (f64::INFINITY, 0.0)], 4), [(1.0, 2.0)]);
        assert!(thin(&[], 4).is_empty());
        let upright: Vec<Point> = (0..100).map(|i| (3.0, f64::from(i))).collect();
        assert_eq!(thin(&upright, 0), [(3.0, 0.0), (3.0, 99.0)]);
        let wide: Vec<Point> = (0..9).map(|i| (f64::from(i - 4) * 4e307, 0.0)).collect();
        assert_eq!(thin(&wide, 1), [wide[0], wide[8]]);
    }

    #[test]
    fn thin_stems_keeps_the_tallest_on_both_sides() {
        let mut points: Vec<Point> = (0..1000).map(|i| (f64::from(i), 1.0)).collect();
        points[500].1 = 9.0;
        points[501].1 = -9.0;
        let short = thin_stems(&points, 0.0, 10);
        assert_eq!(short.len(), 11);
        assert!(short.contains(&(500.0, 9.0)) && short.contains(&(501.0, -9.0)));
    }
}
