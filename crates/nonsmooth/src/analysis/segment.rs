//! Distance of a point to one segment in the metric of filled-in graphs.
//!
//! ```text
//! d(p, [b, b + γ]) = min over r ∈ [0, 1] of φ(r),    φ(r) = max over i of |cᵢ − γᵢ r|,    c = p − b
//! ```
//!
//! φ is the upper envelope of 2m lines. Between the steepest-falling line known on the left and the rising
//! one known on the right the minimum is where they cross, unless a third line is above: then it takes the
//! place of one of the two. Each line enters once, so the search is exact after at most 2m rounds.

/// A line of the envelope: value + slope·r.
#[derive(Clone, Copy)]
struct Line {
    value: f64,
    slope: f64,
}

/// d(p, [from, to]) in the maximum norm.
pub(super) fn distance(p: &[f64], from: &[f64], to: &[f64]) -> f64 {
    let (at_start, mut left) = active(p, from, to, 0.0);
    if left.slope >= 0.0 {
        return at_start;
    }
    let (at_end, mut right) = active(p, from, to, 1.0);
    if right.slope <= 0.0 {
        return at_end;
    }
    let mut least = at_start.min(at_end);
    for _ in 0..2 * p.len() {
        let r = ((left.value - right.value) / (right.slope - left.slope)).clamp(0.0, 1.0);
        let (height, line) = active(p, from, to, r);
        least = least.min(height);
        // No line is above the crossing: this is the minimum.
        if height <= left.value + left.slope * r || line.slope == 0.0 {
            break;
        }
        *(if line.slope < 0.0 { &mut left } else { &mut right }) = line;
    }
    least
}

/// φ(r) and the line on which it lies.
#[inline]
fn active(p: &[f64], from: &[f64], to: &[f64], r: f64) -> (f64, Line) {
    let mut height = -1.0;
    let mut line = Line { value: 0.0, slope: 0.0 };
    for ((p, from), to) in p.iter().zip(from).zip(to) {
        let (c, gamma) = (p - from, to - from);
        let x = c - gamma * r;
        if x.abs() > height {
            height = x.abs();
            line = if x > 0.0 {
                Line { value: c, slope: -gamma }
            } else {
                Line { value: -c, slope: gamma }
            };
        }
    }
    (height, line)
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn a_point_beside_a_diagonal_is_half_a_unit_away() {
        // At r = ½ both coordinates are ½ away.
        assert_eq!(distance(&[0.0, 1.0], &[0.0, 0.0], &[1.0, 1.0]), 0.5);
        assert_eq!(distance(&[3.0, 1.0], &[0.0, 0.0], &[1.0, 1.0]), 2.0);
        assert_eq!(distance(&[-1.0, 0.0], &[0.0, 0.0], &[1.0, 1.0]), 1.0);
        assert_eq!(distance(&[0.5, 2.0], &[0.0, 0.0], &[1.0, 0.0]), 2.0);
        assert_eq!(distance(&[0.0, 0.5], &[0.0, 0.0], &[0.0, 1.0]), 0.0);
        assert_eq!(distance(&[2.0, 3.0], &[1.0, 1.0], &[1.0, 1.0]), 2.0);
    }
}
