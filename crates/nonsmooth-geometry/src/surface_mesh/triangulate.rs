//! Triangles of a polygon, by cutting ears: O(n r) with r hollow corners. [Ericson05, sec. 12.5]
//!
//! A polygon that crosses itself has no triangulation; it gets n − 2 triangles all the same.

use glam::DVec2;

/// Triangles of a polygon that runs counter-clockwise, by the numbers of its corners.
pub(super) fn triangulate(points: &[DVec2]) -> Vec<[u32; 3]> {
    let mut left: Vec<u32> = (0..points.len() as u32).collect();
    let mut triangles = Vec::with_capacity(points.len().saturating_sub(2));
    let (mut k, mut tried) = (0, 0);
    while left.len() > 3 {
        let n = left.len();
        k %= n;
        let corner = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        // After a full round without an ear, the polygon crosses itself or is flat here.
        if tried >= n || is_ear(points, &left, corner) {
            triangles.push(corner);
            left.remove(k);
            tried = 0;
        } else {
            tried += 1;
        }
        // Not again beside an ear, or a round shape would become one fan.
        k += 1;
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

fn is_ear(points: &[DVec2], left: &[u32], corner: [u32; 3]) -> bool {
    let [a, b, c] = corner.map(|i| points[i as usize]);
    if turn(a, b, c) <= 0.0 {
        return false;
    }
    let n = left.len();
    let is_hollow = |k: usize| {
        let [o, p, q] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]].map(|i| points[i as usize]);
        turn(o, p, q) <= 0.0
    };
    let is_inside = |p: DVec2| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
    !(0..n).any(|k| !corner.contains(&left[k]) && is_inside(points[left[k] as usize]) && is_hollow(k))
}

/// Twice the area of a triangle, > 0 if counter-clockwise.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_add_up_and_every_triangle_is_counter_clockwise() {
        // A star: every other corner is hollow.
        for n in [3_u32, 4, 7, 10, 61, 200] {
            let point = |k: u32| {
                let radius = if k.is_multiple_of(2) { 1.0 } else { 0.45 };
                radius * DVec2::from_angle(std::f64::consts::TAU * f64::from(k) / f64::from(n))
            };
            let points: Vec<DVec2> = (0..n).map(point).collect();
            let next = |k: usize| points[(k + 1) % points.len()];
            let area: f64 = (0..points.len()).map(|k| points[k].perp_dot(next(k))).sum();
            let triangles = triangulate(&points);
            assert_eq!(triangles.len(), points.len() - 2);
            let areas = triangles.iter().map(|t| {
                let [a, b, c] = t.map(|i| points[i as usize]);
                turn(a, b, c)
            });
            let areas: Vec<f64> = areas.collect();
            assert!(areas.iter().all(|a| *a > 0.0), "{n}: {areas:?}");
            // Round-off of n sums.
            assert!((areas.iter().sum::<f64>() - area).abs() < 1e-13, "{n}");
        }
    }

    #[test]
    fn a_polygon_that_crosses_itself_ends() {
        let points = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)];
        let points: Vec<DVec2> = points.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
        assert_eq!(triangulate(&points).len(), 3);
        assert_eq!(triangulate(&[DVec2::ZERO; 9]).len(), 7);
    }
}
