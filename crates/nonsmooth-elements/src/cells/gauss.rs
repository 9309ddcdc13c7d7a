//! Quadrature rules: Gauss by directions, and symmetric rules of triangles and tetrahedra.
//!
//! All weights are positive and all points lie inside. [Dunavant85; Walkington00]

use super::Point;

/// Two or three points of Gauss on [−1, 1]: exact up to degree 3 or 5.
fn line(n: usize) -> &'static [(f64, f64)] {
    const TWO: f64 = 0.577_350_269_189_625_8;
    const THREE: f64 = 0.774_596_669_241_483_4;
    if n == 2 {
        &[(-TWO, 1.0), (TWO, 1.0)]
    } else {
        &[(-THREE, 5.0 / 9.0), (0.0, 8.0 / 9.0), (THREE, 5.0 / 9.0)]
    }
}

/// n points in each of `dim` directions of [−1, 1]ᵈ.
pub(super) fn tensor(dim: usize, n: usize) -> Vec<Point> {
    let mut points = vec![Point { at: [0.0; 3], weight: 1.0 }];
    for direction in 0..dim {
        let mut finer = Vec::with_capacity(points.len() * n);
        for point in &points {
            for &(x, weight) in line(n) {
                let mut at = point.at;
                at[direction] = x;
                finer.push(Point { at, weight: point.weight * weight });
            }
        }
        points = finer;
    }
    points
}

/// Points of the triangle 0 ≤ ξ, η, ξ + η ≤ 1 from orbits (a, a, 1 − 2a) with weights that add up to 1.
fn triangle(orbits: &[(f64, f64)], centre: f64) -> Vec<Point> {
    let mut points = Vec::new();
    if centre > 0.0 {
        points.push(Point { at: [1.0 / 3.0, 1.0 / 3.0, 0.0], weight: centre / 2.0 });
    }
    for &(a, weight) in orbits {
        let b = 1.0 - 2.0 * a;
        for at in [[a, a, 0.0], [b, a, 0.0], [a, b, 0.0]] {
            points.push(Point { at, weight: weight / 2.0 });
        }
    }
    points
}

/// Six points: degree 4.
pub(super) fn triangle_4() -> Vec<Point> {
    let orbits = [
        (0.445_948_490_915_964_9, 0.223_381_589_678_011_47),
        (0.091_576_213_509_770_74, 0.109_951_743_655_321_87),
    ];
    triangle(&orbits, 0.0)
}

/// Seven points: degree 5.
pub(super) fn triangle_5() -> Vec<Point> {
    let orbits = [
        (0.470_142_064_105_115_1, 0.132_394_152_788_506_2),
        (0.101_286_507_323_456_34, 0.125_939_180_544_827_15),
    ];
    triangle(&orbits, 0.225)
}

/// Four points in the tetrahedron 0 ≤ ξ, η, ζ, ξ + η + ζ ≤ 1: degree 2.
pub(super) fn tetrahedron_2() -> Vec<Point> {
    orbit_of_four(0.138_196_601_125_010_5, 0.25)
}

/// Fourteen points: degree 5.
pub(super) fn tetrahedron_5() -> Vec<Point> {
    let mut points = orbit_of_four(0.310_885_919_263_300_6, 0.112_687_925_718_015_85);
    points.extend(orbit_of_four(0.092_735_250_310_891_23, 0.073_493_043_116_361_95));
    let (a, b) = (0.045_503_704_125_649_65, 0.5 - 0.045_503_704_125_649_65);
    for at in [[a, a, b], [a, b, a], [b, a, a], [a, b, b], [b, a, b], [b, b, a]] {
        points.push(Point { at, weight: 0.042_546_020_777_081_47 / 6.0 });
    }
    points
}

fn orbit_of_four(a: f64, weight: f64) -> Vec<Point> {
    let b = 1.0 - 3.0 * a;
    [[a, a, a], [b, a, a], [a, b, a], [a, a, b]].map(|at| Point { at, weight: weight / 6.0 }).to_vec()
}
