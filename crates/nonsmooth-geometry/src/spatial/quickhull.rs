//! Triangles around points: the convex hull by quickhull [Barber96].
//!
//! Every face keeps the points outside it. The farthest point of a face replaces all faces it lies
//! above by a fan to their horizon. Faces in one plane with the point go too, if they hang together
//! with those: so no fan has a triangle without area, and points on a face or edge add nothing.

use glam::DVec3;
use std::collections::BTreeMap;

/// Part of the size within which a point lies on a plane.
const ON: f64 = 1e-10;

struct Face {
    corners: [u32; 3],
    normal: DVec3,
    offset: f64,
    /// The face beyond the side from corner k to corner k + 1.
    beyond: [usize; 3],
    outside: Vec<u32>,
    is_gone: bool,
}

/// Triangles of the hull, counter-clockwise seen from outside; none if the points are flat.
pub(super) fn triangles(points: &[DVec3], size: f64) -> Option<Vec<[u32; 3]>> {
    let mut hull = Hull { points, on: ON * size, faces: Vec::new() };
    hull.start()?;
    let mut at = 0;
    // Faces are added behind; each is done when nothing lies outside it.
    while at < hull.faces.len() {
        match hull.farthest(at) {
            Some(point) => hull.add(at, point)?,
            None => at += 1,
        }
    }
    Some(hull.faces.iter().filter(|face| !face.is_gone).map(|face| face.corners).collect())
}

struct Hull<'a> {
    points: &'a [DVec3],
    on: f64,
    faces: Vec<Face>,
}

impl Hull<'_> {
    fn p(&self, i: u32) -> DVec3 {
        self.points[i as usize]
    }

    fn height(&self, face: usize, i: u32) -> f64 {
        self.faces[face].normal.dot(self.p(i)) - self.faces[face].offset
    }

    /// A wide tetrahedron.
    fn start(&mut self) -> Option<()> {
        let all = 0..self.points.len() as u32;
        let farthest = |score: &dyn Fn(DVec3) -> f64| {
            let better =
                |i: &u32, j: &u32| score(self.p(*i)).total_cmp(&score(self.p(*j))).then(j.cmp(i));
            all.clone().max_by(better)
        };
        let a = farthest(&|p| -p.x)?;
        let b = farthest(&|p| p.distance(self.p(a)))?;
        let along = (self.p(b) - self.p(a)).try_normalize()?;
        let c = farthest(&|p| (p - self.p(a)).cross(along).length())?;
        let normal = (self.p(c) - self.p(a)).cross(along).try_normalize()?;
        let d = farthest(&|p| (p - self.p(a)).dot(normal).abs())?;
        let depth = (self.p(d) - self.p(a)).dot((self.p(b) - self.p(a)).cross(self.p(c) - self.p(a)));
        let (b, c) = if depth > 0.0 { (c, b) } else { (b, c) };
        // Counter-clockwise seen from outside, d on the other side of a, b, c.
        for (corners, beyond) in [
            ([a, b, c], [1, 2, 3]),
            ([b, a, d], [0, 3, 2]),
            ([c, b, d], [0, 1, 3]),
            ([a, c, d], [0, 2, 1]),
        ] {
            self.push(corners, beyond)?;
        }
        let rest: Vec<u32> = all.filter(|i| ![a, b, c, d].contains(i)).collect();
        self.assign(0, rest);
        Some(())
    }

    fn push(&mut self, corners: [u32; 3], beyond: [usize; 3]) -> Option<()> {
        let [p, q, r] = corners.map(|i| self.p(i));
        let normal = (q - p).cross(r - p).try_normalize()?;
        let offset = normal.dot((p + q + r) / 3.0);
        self.faces.push(Face { corners, normal, offset, beyond, outside: Vec::new(), is_gone: false });
        Some(())
    }

    /// Gives each point to the face from `first` on above which it lies highest, if any.
    fn assign(&mut self, first: usize, points: Vec<u32>) {
        for i in points {
            let heights = (first..self.faces.len()).map(|face| (face, self.height(face, i)));
            let highest = heights.reduce(|best, next| if next.1 > best.1 { next } else { best });
            if let Some((face, _)) = highest.filter(|(_, height)| *height > self.on) {
                self.faces[face].outside.push(i);
            }
        }
    }

    fn farthest(&self, face: usize) -> Option<u32> {
        if self.faces[face].is_gone {
            return None;
        }
        let height = |i: u32| self.height(face, i);
        self.faces[face]
            .outside
            .iter()
            .copied()
            .max_by(|i, j| height(*i).total_cmp(&height(*j)).then(j.cmp(i)))
    }

    /// Replaces the faces that a point sees by a fan.
    fn add(&mut self, face: usize, point: u32) -> Option<()> {
        let mut seen = vec![face];
        self.faces[face].is_gone = true;
        let mut horizon = Vec::new();
        let mut k = 0;
        while k < seen.len() {
            for neighbour in self.faces[seen[k]].beyond {
                if !self.faces[neighbour].is_gone && self.height(neighbour, point) >= -self.on {
                    self.faces[neighbour].is_gone = true;
                    seen.push(neighbour);
                }
            }
            k += 1;
        }
        for &old in &seen {
            let Face { corners, beyond, .. } = &self.faces[old];
            let sides = (0..3).filter(|side| !self.faces[beyond[*side]].is_gone);
            horizon.extend(sides.map(|side| (corners[side], corners[(side + 1) % 3], beyond[side])));
        }
        let outside: Vec<u32> = seen
            .iter()
            .flat_map(|old| std::mem::take(&mut self.faces[*old].outside))
            .filter(|i| *i != point)
            .collect();
        let first = self.faces.len();
        // Which new face starts at each corner of the horizon, and which ends there.
        let starts: BTreeMap<u32, usize> =
            horizon.iter().enumerate().map(|(k, side)| (side.0, first + k)).collect();
        let ends: BTreeMap<u32, usize> =
            horizon.iter().enumerate().map(|(k, side)| (side.1, first + k)).collect();
        // A horizon is one loop: every corner once.
        if starts.len() != horizon.len() || ends.len() != horizon.len() {
            return None;
        }
        for &(from, to, neighbour) in &horizon {
            let new = self.faces.len();
            self.push([from, to, point], [neighbour, *starts.get(&to)?, *ends.get(&from)?])?;
            let back = self.faces[neighbour].corners.iter().position(|corner| *corner == to)?;
            self.faces[neighbour].beyond[back] = new;
        }
        self.assign(first, outside);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [−1, 1) that look random.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut x = seed;
        move || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// Closed, convex, and all points inside.
    fn check(name: &str, points: &[DVec3]) -> Vec<[u32; 3]> {
        let size = points.iter().map(|p| p.distance(points[0])).fold(0.0, f64::max);
        let triangles = triangles(points, size).unwrap_or_else(|| panic!("{name}: no hull"));
        let mut sides = BTreeMap::new();
        for t in &triangles {
            let [p, q, r] = t.map(|i| points[i as usize]);
            let normal = (q - p).cross(r - p).normalize();
            let highest = points.iter().map(|x| normal.dot(*x - p)).fold(0.0, f64::max);
            assert!(highest <= 1e-8 * size, "{name}: {highest}");
            for k in 0..3 {
                assert!(sides.insert((t[k], t[(k + 1) % 3]), ()).is_none(), "{name}");
            }
        }
        assert!(sides.keys().all(|(from, to)| sides.contains_key(&(*to, *from))), "{name}");
        triangles
    }

    #[test]
    fn clouds_spheres_and_grids_have_closed_convex_hulls() {
        for seed in 0..20 {
            let mut number = numbers(seed);
            let mut vector = || DVec3::new(number(), number(), number());
            let cloud: Vec<DVec3> = (0..200).map(|_| vector()).collect();
            check("cloud", &cloud);
            let sphere: Vec<DVec3> = cloud.iter().map(|p| p.normalize()).collect();
            // All on the hull: 2 n − 4 triangles.
            assert_eq!(check("sphere", &sphere).len(), 2 * sphere.len() - 4);
            let turn = glam::DQuat::from_scaled_axis(3.0 * vector());
            let grid = |n: usize| {
                let at = move |k: usize| k as f64 / (n - 1) as f64 - 0.5;
                (0..n * n * n).map(move |k| DVec3::new(at(k % n), 2.0 * at(k / n % n), at(k / n / n)))
            };
            let cube: Vec<DVec3> = grid(5).collect();
            // Points on edges and faces add nothing but corners of fans.
            check("cube", &cube);
            let turned: Vec<DVec3> = cube.iter().map(|p| turn * *p).collect();
            check("turned cube", &turned);
            let coarse: Vec<DVec3> = turned.iter().map(|p| p.as_vec3().as_dvec3()).collect();
            check("cube in single precision", &coarse);
            let rod: Vec<DVec3> = (0..60)
                .map(|k| {
                    let (sine, cosine) =
                        (0.1 * f64::from(k / 2) * std::f64::consts::TAU / 3.0).sin_cos();
                    turn * DVec3::new(cosine, sine, f64::from(k % 2) * 20.0)
                })
                .collect();
            check("rod", &rod);
        }
    }
}
