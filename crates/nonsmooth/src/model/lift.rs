//! Gaps on coordinates of rigid bodies: from ∂g/∂q to H, where q̇ = T(q) v.
//!
//! ```text
//! positions and angles in the plane   q̇ = v
//! quaternions                          ẇ = −½ (x, y, z)·ω,   (ẋ, ẏ, ż) = ½ (w ω + (x, y, z) × ω)
//! ```

use super::bodies::{Bodies, Dimension};

/// How the entries of a slope over coordinates become entries over velocities.
#[derive(Clone, Debug)]
pub struct Lift {
    /// The velocities, as places in v.
    pub columns: Vec<u32>,
    /// For each coordinate: where its entry goes.
    terms: Vec<Term>,
}

#[derive(Clone, Copy, Debug)]
enum Term {
    /// To this entry.
    Same(usize),
    /// Component of the quaternion that begins at `first` in q; to three entries from `place` on.
    Turn { component: usize, first: usize, place: usize },
}

impl Lift {
    /// The lift for these coordinates, given as places in q; `None` where q and v have the same places.
    pub(super) fn new(bodies: &Bodies, coordinates: &[u32]) -> Option<Self> {
        if coordinates.iter().all(|&j| (j as usize) < bodies.first_q) {
            return None;
        }
        let mut lift = Self { columns: Vec::new(), terms: Vec::new() };
        for &j in coordinates {
            let j = j as usize;
            let term = match j.checked_sub(bodies.first_q) {
                None => Term::Same(lift.entry(j)),
                Some(place) => {
                    let (body, k) = (place / bodies.n_q(), place % bodies.n_q());
                    let first_v = bodies.v_range(body).start;
                    if bodies.dimension == Dimension::Space && k >= 3 {
                        let place = lift.entry(first_v + 3);
                        lift.entry(first_v + 4);
                        lift.entry(first_v + 5);
                        Term::Turn { component: k - 3, first: bodies.q_range(body).start + 3, place }
                    } else {
                        Term::Same(lift.entry(first_v + k))
                    }
                }
            };
            lift.terms.push(term);
        }
        Some(lift)
    }

    fn entry(&mut self, j: usize) -> usize {
        let known = self.columns.iter().position(|&c| c as usize == j);
        known.unwrap_or_else(|| {
            self.columns.push(j as u32);
            self.columns.len() - 1
        })
    }

    /// Whether a quaternion is among the coordinates, so that H depends on q.
    pub(super) fn turns(&self) -> bool {
        self.terms.iter().any(|term| matches!(term, Term::Turn { .. }))
    }

    /// Replaces entries over coordinates by entries over velocities, at coordinates `q` of the whole model.
    pub(crate) fn apply(&self, q: &[f64], slope: &mut Vec<f64>) {
        let mut out = vec![0.0; self.columns.len()];
        for (term, &s) in self.terms.iter().zip(&*slope) {
            match *term {
                Term::Same(place) => out[place] += s,
                Term::Turn { component, first, place } => {
                    let row = quaternion_rate(&q[first..first + 4])[component];
                    (0..3).for_each(|c| out[place + c] += s * row[c]);
                }
            }
        }
        *slope = out;
    }
}

/// T of q̇ = T ω, row by row, ω in body axes.
fn quaternion_rate(q: &[f64]) -> [[f64; 3]; 4] {
    let [w, x, y, z] = [0.5 * q[0], 0.5 * q[1], 0.5 * q[2], 0.5 * q[3]];
    [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
}
