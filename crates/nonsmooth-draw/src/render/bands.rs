//! Filled contours: a surface with a number at each vertex, cut into bands of one colour.
//!
//! The number is linear over each triangle, so that a level is a straight cut through it; what lies between two levels is a polygon, fanned
//! into triangles.

use glam::DVec3;
use nonsmooth_geometry::SurfaceMesh;

/// Number of bands from the lowest to the highest number.
pub const N_BANDS: usize = 16;

/// Dark blue over green to yellow: lightness grows evenly, so that it reads in grey as well.
const ANCHORS: [[f64; 3]; 6] = [
    [53.0, 42.0, 110.0],
    [48.0, 90.0, 142.0],
    [37.0, 136.0, 140.0],
    [64.0, 180.0, 110.0],
    [158.0, 214.0, 62.0],
    [250.0, 228.0, 60.0],
];

/// The colour of a band.
pub fn band_colour(band: usize) -> [u8; 3] {
    let x = band as f64 / (N_BANDS - 1) as f64 * (ANCHORS.len() - 1) as f64;
    let i = (x as usize).min(ANCHORS.len() - 2);
    let part = x - i as f64;
    std::array::from_fn(|k| (ANCHORS[i][k] * (1.0 - part) + ANCHORS[i + 1][k] * part).round() as u8)
}

/// The parts of the surface between the levels of `range`, by band; numbers beyond it belong to the first or last band. Triangles with a number
/// that is none are left out.
pub fn bands(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    values: &[f64],
    range: [f64; 2],
) -> Vec<SurfaceMesh> {
    let mut parts = vec![SurfaceMesh::default(); N_BANDS];
    let scale = if range[1] > range[0] { N_BANDS as f64 / (range[1] - range[0]) } else { 0.0 };
    for triangle in triangles {
        let corner =
            |k: u32| (DVec3::from_array(vertices[k as usize]), (values[k as usize] - range[0]) * scale);
        let corners = triangle.map(corner);
        let normal =
            (corners[1].0 - corners[0].0).cross(corners[2].0 - corners[0].0).normalize_or_zero();
        if !corners.iter().all(|(x, level)| x.is_finite() && level.is_finite()) || normal == DVec3::ZERO
        {
            continue;
        }
        let levels = corners.map(|corner| corner.1.clamp(0.0, N_BANDS as f64));
        let lowest = levels.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = levels.iter().copied().fold(0.0, f64::max);
        let first = (lowest as usize).min(N_BANDS - 1);
        let last = (highest.ceil() as usize).clamp(first + 1, N_BANDS);
        for band in first..last {
            let above = if band == 0 { f64::NEG_INFINITY } else { band as f64 };
            let below = if band + 1 == N_BANDS { f64::INFINITY } else { (band + 1) as f64 };
            let polygon = cut(&cut(&corners, above, 1.0), below, -1.0);
            push(&mut parts[band], &polygon, normal);
        }
    }
    parts
}

/// The part of a polygon where sign · (number − level) ≥ 0.
fn cut(polygon: &[(DVec3, f64)], level: f64, sign: f64) -> Vec<(DVec3, f64)> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &(x, a)) in polygon.iter().enumerate() {
        let (y, b) = polygon[(k + 1) % polygon.len()];
        let [inside, next] = [a, b].map(|number| sign * (number - level) >= 0.0);
        if inside {
            kept.push((x, a));
        }
        if inside != next {
            kept.push((x.lerp(y, (level - a) / (b - a)), level));
        }
    }
    kept
}

fn push(part: &mut SurfaceMesh, polygon: &[(DVec3, f64)], normal: DVec3) {
    if polygon.len() < 3 {
        return;
    }
    let (first, number) = (part.vertices.len() as u32, part.normals.len() as u32);
    part.normals.push(normal.to_array());
    part.vertices.extend(polygon.iter().map(|(x, _)| x.to_array()));
    for k in 1..polygon.len() as u32 - 1 {
        part.triangles.push([first, first + k, first + k + 1]);
        part.shading.push([number; 3]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(part: &SurfaceMesh) -> f64 {
        let x = |k: u32| DVec3::from_array(part.vertices[k as usize]);
        part.triangles.iter().map(|t| 0.5 * (x(t[1]) - x(t[0])).cross(x(t[2]) - x(t[0])).length()).sum()
    }

    /// A square whose number is x: every band is a strip of the same area.
    #[test]
    fn bands_of_a_slope_are_strips() {
        let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let (triangles, values) = ([[0, 1, 2], [0, 2, 3]], [0.0, 1.0, 1.0, 0.0]);
        let parts = bands(&vertices, &triangles, &values, [0.0, 1.0]);
        for (k, part) in parts.iter().enumerate() {
            assert!((area(part) - 1.0 / N_BANDS as f64).abs() < 1e-12, "{k}: {}", area(part));
            assert!(part.has_valid_numbers());
            let (low, high) = (k as f64 / N_BANDS as f64, (k + 1) as f64 / N_BANDS as f64);
            assert!(part.vertices.iter().all(|x| x[0] > low - 1e-12 && x[0] < high + 1e-12));
        }
        // What lies beyond the range is in the outer bands, and nothing is lost.
        let parts = bands(&vertices, &triangles, &values, [0.25, 0.75]);
        let whole: f64 = parts.iter().map(area).sum();
        assert!((whole - 1.0).abs() < 1e-12);
        assert!((area(&parts[0]) - 0.25 - 0.5 / N_BANDS as f64).abs() < 1e-12);
        // One number everywhere: the first band.
        let parts = bands(&vertices, &triangles, &[2.0; 4], [2.0, 2.0]);
        assert!((area(&parts[0]) - 1.0).abs() < 1e-12);
        // What is not a number is not drawn.
        let parts = bands(&vertices, &triangles, &[f64::NAN, 1.0, 1.0, 0.0], [0.0, 1.0]);
        assert_eq!(parts.iter().map(area).sum::<f64>(), 0.0);
    }
}
