//! Piles of equal spheres, by bodies: each rests on four of the layer below, the lowest layer on the ground.
//!
//! M is diagonal (three masses and three moments of inertia per sphere), J has twelve entries per row and
//! contact, and u_free = J v with v = g h downwards plus a little at random.

use nonsmooth_solvers::{Delassus, Primal, Problem, Set, Sparse};

/// Radius [m], mass [kg] and speed gained in a step [m/s] of the spheres.
const RADIUS: f64 = 0.1;
const MASS: f64 = 2.0;
const SPEED: f64 = 0.01;

pub struct Pile {
    pub mass: Sparse,
    pub jacobian: Sparse,
    pub u_free: Vec<f64>,
    pub sets: Vec<Set>,
}

impl Pile {
    /// A cubic pile of about this many contacts.
    pub fn new(n_contacts: usize, mu: f64) -> Self {
        // Five contacts for two spheres in small piles, four each in large ones.
        let side = (1..).find(|&side| contacts(side).len() >= n_contacts).expect("piles grow");
        let mut contacts = contacts(side);
        contacts.truncate(n_contacts);
        let n_spheres = side * side * side;
        let mut jacobian = Sparse::empty(6 * n_spheres);
        for &(a, b, normal) in &contacts {
            push_rows(&mut jacobian, a, b, normal);
        }
        let inertia = 0.4 * MASS * RADIUS * RADIUS;
        let diagonal = [MASS, MASS, MASS, inertia, inertia, inertia];
        let mass = Sparse::diagonal(&(0..6 * n_spheres).map(|i| diagonal[i % 6]).collect::<Vec<f64>>());
        let v: Vec<f64> = (0..6 * n_spheres)
            .map(|i| {
                let noise = ((i + 1) as f64 * 0.618_034).fract() - 0.5;
                0.2 * SPEED * noise - if i % 6 == 2 { SPEED } else { 0.0 }
            })
            .collect();
        let u_free = (0..jacobian.n_rows()).map(|i| jacobian.row_dot(i, &v)).collect();
        Self { mass, jacobian, u_free, sets: vec![Set::Coulomb3 { mu }; contacts.len()] }
    }

    /// W by bodies.
    pub fn factored(&self) -> Problem {
        let factored =
            Primal::new(self.mass.clone(), self.jacobian.clone()).expect("masses are positive");
        Problem::posed(Delassus::from_primal(factored, true), self.u_free.clone(), self.sets.clone())
            .expect("a pile is well posed")
    }

    /// W formed.
    pub fn formed(&self) -> Problem {
        let w = self.factored().assembled().clone();
        Problem::new(w, self.u_free.clone(), self.sets.clone()).expect("a pile is well posed")
    }
}

/// Sphere below (none for the ground), sphere above, and the normal from the one to the other.
fn contacts(side: usize) -> Vec<(Option<usize>, usize, [f64; 3])> {
    let at = |i: usize, j: usize, k: usize| (k * side + j) * side + i;
    let mut found = Vec::new();
    for k in 0..side {
        for j in 0..side {
            for i in 0..side {
                let above = at(i, j, k);
                if k == 0 {
                    found.push((None, above, [0.0, 0.0, 1.0]));
                    continue;
                }
                for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    if i + x < side && j + y < side {
                        // Layers are shifted by half a sphere, (½, ½, 1/√2) diameters apart.
                        let normal = [0.5 - x as f64, 0.5 - y as f64, 0.5f64.sqrt()];
                        found.push((Some(at(i + x, j + y, k - 1)), above, normal));
                    }
                }
            }
        }
    }
    found
}

/// Three rows: u = v_b − v_a at the contact, along the normal and two tangents.
fn push_rows(jacobian: &mut Sparse, a: Option<usize>, b: usize, normal: [f64; 3]) {
    let cross = |x: [f64; 3], y: [f64; 3]| {
        [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    };
    let size = (1.0 - normal[0] * normal[0]).sqrt();
    let first = cross(normal, [1.0, 0.0, 0.0]).map(|x| x / size);
    for axis in [normal, first, cross(normal, first)] {
        // The contact lies at +r n from the lower centre and −r n from the upper one.
        let turn = cross(normal, axis).map(|x| RADIUS * x);
        let bodies = [a.map(|a| (a, -1.0, turn.map(|x| -x))), Some((b, 1.0, turn.map(|x| -x)))];
        for (body, sign, turn) in bodies.into_iter().flatten() {
            for k in 0..3 {
                jacobian.column.push((6 * body + k) as u32);
                jacobian.value.push(sign * axis[k]);
            }
            for k in 0..3 {
                jacobian.column.push((6 * body + 3 + k) as u32);
                jacobian.value.push(turn[k]);
            }
        }
        jacobian.finish_row();
    }
}
