//! What beams of Euler–Bernoulli and Timoshenko have in common: shape functions of deflection and rotation, and their axes.
//!
//! With s = x/L, Φ = 12 EI/(κGA L²) (0 for Euler–Bernoulli) and c = 1/(1 + Φ), for (v₁, θ₁, v₂, θ₂):
//! ```text
//! v:  c(1 − 3s² + 2s³ + Φ(1 − s)),  cL(s − 2s² + s³ + Φ/2 (s − s²)),  c(3s² − 2s³ + Φ s),  cL(−s² + s³ + Φ/2 (s² − s))
//! θ:  6c/L (s² − s),  c(1 − 4s + 3s² + Φ(1 − s)),  6c/L (s − s²),  c(−2s + 3s² + Φ s)
//! K = EI ∫ θ'ᵀθ' + κGA ∫ (v' − θ)ᵀ(v' − θ),     M = ρA ∫ vᵀv + ρI ∫ θᵀθ
//! ```
//! They solve the beam between its nodes exactly under forces at the nodes. [Przemieniecki68, ch. 5, 11]

use super::{Cell, Formulation};
use glam::{DMat3, DVec3};

/// A straight beam with its cross section.
pub(super) struct Frame {
    /// Whether it stands in space.
    pub in_space: bool,
    pub young: f64,
    pub density: f64,
    pub area: f64,
    /// ∫ y² dA and, in space, ∫ z² dA: bending along the second and along the third axis of the beam [m⁴].
    pub inertia: [f64; 2],
    /// G J [N·m²], in space.
    pub torsion: f64,
    /// κ G A in both directions [N]; infinite: no shear.
    pub shear: [f64; 2],
    /// Whether cross sections have rotary inertia.
    pub is_thick: bool,
    /// The axis of the world near which the third axis of the beam lies, in space.
    pub up: Option<DVec3>,
}

/// Gauss's four points on [0, 1]: exact up to degree 7.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Values at a place of one plane of bending, for (v₁, θ₁, v₂, θ₂).
struct Bending {
    v: [f64; 4],
    theta: [f64; 4],
    /// θ'.
    curvature: [f64; 4],
    /// v' − θ, the same at all places.
    shear: [f64; 4],
}

impl Bending {
    fn at(s: f64, length: f64, phi: f64) -> Self {
        let (c, l) = (1.0 / (1.0 + phi), length);
        let half = 0.5 * phi * c;
        Self {
            v: [
                c * (1.0 - 3.0 * s * s + 2.0 * s * s * s + phi * (1.0 - s)),
                c * l * (s - 2.0 * s * s + s * s * s + 0.5 * phi * (s - s * s)),
                c * (3.0 * s * s - 2.0 * s * s * s + phi * s),
                c * l * (s * s * s - s * s + 0.5 * phi * (s * s - s)),
            ],
            theta: [
                6.0 * c / l * (s * s - s),
                c * (1.0 - 4.0 * s + 3.0 * s * s + phi * (1.0 - s)),
                6.0 * c / l * (s - s * s),
                c * (3.0 * s * s - 2.0 * s + phi * s),
            ],
            curvature: [
                6.0 * c / (l * l) * (2.0 * s - 1.0),
                c / l * (6.0 * s - 4.0 - phi),
                6.0 * c / (l * l) * (1.0 - 2.0 * s),
                c / l * (6.0 * s - 2.0 + phi),
            ],
            shear: [-2.0 * half / l, -half, 2.0 * half / l, -half],
        }
    }
}

impl Frame {
    fn dofs(&self) -> usize {
        if self.in_space { 6 } else { 3 }
    }

    /// Places of (v₁, θ₁, v₂, θ₂) of a plane of bending in the local vector, and the sign of θ: about y a rotation lowers w.
    fn plane(&self, k: usize) -> ([usize; 4], f64) {
        match (self.in_space, k) {
            (false, _) => ([1, 2, 4, 5], 1.0),
            (true, 0) => ([1, 5, 7, 11], 1.0),
            (true, _) => ([2, 4, 8, 10], -1.0),
        }
    }

    fn phi(&self, k: usize, length: f64) -> f64 {
        12.0 * self.young * self.inertia[k] / (self.shear[k] * length * length)
    }

    /// Rows: the axes of the beam.
    fn axes(&self, nodes: &[DVec3]) -> (f64, DMat3) {
        let way = nodes[1] - nodes[0];
        let (length, x) = (way.length(), way.normalize());
        let rows = if self.in_space {
            // z of the world, or y for a beam along it: within a degree of the axis the cross section would be turned at random.
            let up = self.up.unwrap_or(if x.z.abs() > 0.999_85 { DVec3::Y } else { DVec3::Z });
            let y = up.cross(x).normalize();
            DMat3::from_cols(x, y, x.cross(y)).transpose()
        } else {
            DMat3::from_cols(x, DVec3::new(-x.y, x.x, 0.0), DVec3::Z).transpose()
        };
        (length, rows)
    }

    /// Turns a local matrix into the axes of the world and adds it: Tᵀ k T.
    fn add_turned(&self, rows: DMat3, local: &[f64], out: &mut [f64]) {
        let size = 2 * self.dofs();
        let t = self.turning(rows);
        for i in 0..size {
            for j in 0..size {
                let mut sum = 0.0;
                for k in (0..size).filter(|&k| t[k * size + i] != 0.0) {
                    let row = &local[k * size..(k + 1) * size];
                    let inner: f64 = (0..size).map(|l| row[l] * t[l * size + j]).sum();
                    sum += t[k * size + i] * inner;
                }
                out[i * size + j] += sum;
            }
        }
    }

    /// T: local = T global.
    fn turning(&self, rows: DMat3) -> Vec<f64> {
        let (dofs, size) = (self.dofs(), 2 * self.dofs());
        let mut t = vec![0.0; size * size];
        // Displacements and rotations turn alike; in the plane the rotation stays.
        let blocks: &[usize] = if self.in_space { &[0, 3, 6, 9] } else { &[0, 3] };
        for &first in blocks {
            let n = if self.in_space { 3 } else { 2 };
            for i in 0..n {
                for j in 0..n {
                    t[(first + i) * size + first + j] = rows.col(j)[i];
                }
            }
            if !self.in_space {
                t[(first + 2) * size + first + dofs - 1] = 1.0;
            }
        }
        t
    }

    /// Adds a (own at the diagonal, other beside it) between the components `i` of both nodes.
    fn add_pair(&self, i: usize, own: f64, other: f64, local: &mut [f64]) {
        let (dofs, size) = (self.dofs(), 2 * self.dofs());
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            local[(a * dofs + i) * size + b * dofs + i] += if a == b { own } else { other };
        }
    }

    /// Adds ∫ Σ w r rᵀ over a plane of bending, for rows r of the place.
    fn add_bending(
        &self,
        k: usize,
        length: f64,
        terms: impl Fn(&Bending) -> [(f64, [f64; 4]); 2],
        local: &mut [f64],
    ) {
        let size = 2 * self.dofs();
        let (places, sign) = self.plane(k);
        let signs = [1.0, sign, 1.0, sign];
        for (s, weight) in GAUSS {
            for (factor, row) in terms(&Bending::at(s, length, self.phi(k, length))) {
                for i in 0..4 {
                    for j in 0..4 {
                        local[places[i] * size + places[j]] +=
                            weight * length * factor * signs[i] * row[i] * signs[j] * row[j];
                    }
                }
            }
        }
    }

    fn planes(&self) -> usize {
        if self.in_space { 2 } else { 1 }
    }
}

impl Formulation for Frame {
    fn components(&self) -> &'static [&'static str] {
        if self.in_space { &["x", "y", "z", "r_x", "r_y", "r_z"] } else { &["x", "y", "r"] }
    }

    fn stiffness(&self, _cell: &Cell, nodes: &[DVec3], out: &mut [f64]) {
        let (length, rows) = self.axes(nodes);
        let mut local = vec![0.0; 4 * self.dofs() * self.dofs()];
        let axial = self.young * self.area / length;
        self.add_pair(0, axial, -axial, &mut local);
        if self.in_space {
            self.add_pair(3, self.torsion / length, -self.torsion / length, &mut local);
        }
        for k in 0..self.planes() {
            let bending = self.young * self.inertia[k];
            // Without shear there is no strain to weigh.
            let shear = if self.shear[k].is_finite() { self.shear[k] } else { 0.0 };
            self.add_bending(k, length, |b| [(bending, b.curvature), (shear, b.shear)], &mut local);
        }
        self.add_turned(rows, &local, out);
    }

    fn mass(&self, _cell: &Cell, nodes: &[DVec3], out: &mut [f64]) {
        let (length, rows) = self.axes(nodes);
        let mut local = vec![0.0; 4 * self.dofs() * self.dofs()];
        let line = self.density * self.area;
        self.add_pair(0, line * length / 3.0, line * length / 6.0, &mut local);
        if self.in_space {
            let polar = self.density * (self.inertia[0] + self.inertia[1]) * length;
            self.add_pair(3, polar / 3.0, polar / 6.0, &mut local);
        }
        for k in 0..self.planes() {
            let rotary = if self.is_thick { self.density * self.inertia[k] } else { 0.0 };
            self.add_bending(k, length, |b| [(line, b.v), (rotary, b.theta)], &mut local);
        }
        self.add_turned(rows, &local, out);
    }

    /// The rotations of both nodes.
    fn angles(&self, _cell: &Cell, _nodes: &[DVec3]) -> Vec<Vec<f64>> {
        let (dofs, n) = (self.dofs(), if self.in_space { 3 } else { 1 });
        let of = |node: usize| {
            (dofs - n..dofs).map(move |k| {
                let mut row = vec![0.0; 2 * dofs];
                row[node * dofs + k] = 1.0;
                row
            })
        };
        of(0).chain(of(1)).collect()
    }

    fn fault(&self, nodes: &[DVec3]) -> Option<String> {
        let along = (nodes[1] - nodes[0]).normalize();
        let is_along = self.in_space && self.up.is_some_and(|up| up.dot(along).abs() > 0.999_85);
        is_along.then(|| "it runs along its axis `up`; name another axis".to_owned())
    }

    fn stresses(&self) -> &'static [&'static str] {
        if self.in_space {
            &["force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"]
        } else {
            &["force_x", "force_y", "moment_z"]
        }
    }

    /// Forces and moments that the part behind the place exerts on the part before it, in the axes of the beam.
    fn stress(&self, _cell: &Cell, nodes: &[DVec3], u: &[f64], xi: [f64; 3]) -> [f64; 6] {
        let (length, rows) = self.axes(nodes);
        let (dofs, size) = (self.dofs(), 2 * self.dofs());
        let t = self.turning(rows);
        let local: Vec<f64> =
            (0..size).map(|i| (0..size).map(|j| t[i * size + j] * u[j]).sum()).collect();
        let mut out = [0.0; 6];
        out[0] = self.young * self.area / length * (local[dofs] - local[0]);
        let s = 0.5 * (1.0 + xi[0]);
        for k in 0..self.planes() {
            let (places, sign) = self.plane(k);
            let along = |row: [f64; 4]| -> f64 {
                (0..4).map(|i| row[i] * local[places[i]] * if i % 2 == 1 { sign } else { 1.0 }).sum()
            };
            let phi = self.phi(k, length);
            let bending = self.young * self.inertia[k];
            let moment = bending * along(Bending::at(s, length, phi).curvature);
            // V = −EI θ'': the curvature is linear between the nodes.
            let ends = [0.0, 1.0].map(|s| along(Bending::at(s, length, phi).curvature));
            let force = -bending * (ends[1] - ends[0]) / length;
            match (self.in_space, k) {
                (false, _) => (out[1], out[2]) = (force, moment),
                (true, 0) => (out[1], out[5]) = (force, moment),
                (true, _) => (out[2], out[4]) = (force, sign * moment),
            }
        }
        if self.in_space {
            out[3] = self.torsion / length * (local[dofs + 3] - local[3]);
        }
        out
    }
}
