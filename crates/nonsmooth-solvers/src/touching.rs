//! Rigid bodies that touch: W given by inertias and contact frames, never formed.
//!
//! ```text
//! u_c = F (v_b + ω_b × r_b − v_a − ω_a × r_a),      P = Fᵀ p_c acts on b at r_b, −P on a at r_a,
//! v_b ← v_b + P/m_b,   ω_b ← ω_b + I_b⁻¹ (r_b × P),     W = J M⁻¹ Jᵀ
//! ```
//!
//! F is the frame of the contact, by rows: normal, tangent 1, tangent 2; a set of two components uses the first two rows, a
//! scalar one the normal. All vectors are in world axes. Planar bodies have z = 0 and turn about z only.
//! Where a method needs J and M⁻¹ Jᵀ as sparse matrices, or W, they are derived once (`factored`): the velocities are then
//! those along the axes and about the principal axes of I⁻¹, without those that nothing can change, so that M is diagonal.

use crate::dense::RANK_TOLERANCE;
use crate::eigen::{largest_eigenvalue, principal_axes};
use crate::factored::Factored;
use crate::set::Set;
use crate::sparse::Sparse;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Stands in `Touch::bodies` for what does not move.
pub const IMMOVABLE: u32 = u32::MAX;

/// Contacts from which threads share the bodies: 0.1 ms of work, tens of times what it takes to wake a thread.
const SHARED: usize = 4096;

/// A body's inverse inertia in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// Inverse mass [1/kg].
    pub inv_mass: f64,
    /// Inverse inertia about the centre of mass: xx, yy, zz, xy, xz, yz [1/(kg m²)].
    pub inv_inertia: [f64; 6],
}

/// One contact: u = frame · (v_b + ω_b × r_b − v_a − ω_a × r_a), all in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Bodies a and b, or `IMMOVABLE`; the normal points from a to b.
    pub bodies: [u32; 2],
    /// Rows are normal, tangent 1, tangent 2 [–].
    pub frame: [[f64; 3]; 3],
    /// From the centres of mass of a and b to the point of contact [m].
    pub arms: [[f64; 3]; 2],
}

/// Bodies and contacts in place of W.
///
/// Fields may be refilled in place, but then through `renew`: what was derived from the old ones is dropped there. That
/// holds too where the dimensions of the problem's sets change.
#[derive(Clone, Debug, Default)]
pub struct Touching {
    /// Every body that a contact may name.
    pub bodies: Vec<Inertia>,
    /// Contact i belongs to set i of the problem.
    pub touches: Vec<Touch>,
    factored: OnceLock<Factored>,
    weights: OnceLock<Vec<f64>>,
}

/// What is wrong with bodies or contacts.
pub(crate) enum Fault {
    /// In words, at this contact.
    Contact(usize, String),
    /// A number that is not finite: where, index, value.
    NotFinite(&'static str, usize, f64),
}

pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl Inertia {
    /// I⁻¹ x.
    #[inline(always)]
    pub(crate) fn turn(&self, x: Vector) -> Vector {
        let [xx, yy, zz, xy, xz, yz] = self.inv_inertia;
        [dot([xx, xy, xz], x), dot([xy, yy, yz], x), dot([xz, yz, zz], x)]
    }

    /// Whether no impulse moves it.
    pub(crate) fn is_fixed(&self) -> bool {
        self.inv_mass == 0.0 && self.inv_inertia == [0.0; 6]
    }
}

impl Touch {
    /// The two ends that a body holds: sign, body and arm.
    #[inline]
    pub(crate) fn ends(&self) -> impl Iterator<Item = (f64, usize, Vector)> + '_ {
        [-1.0, 1.0]
            .into_iter()
            .zip(self.bodies)
            .zip(self.arms)
            .filter(|((_, body), _)| *body != IMMOVABLE)
            .map(|((sign, body), arm)| (sign, body as usize, arm))
    }

    /// F (v_b + ω_b × r_b − v_a − ω_a × r_a), the first rows of it.
    #[inline]
    fn relative(&self, v: &[[f64; 6]], u: &mut [f64]) {
        let mut world = [0.0; 3];
        for (sign, body, arm) in self.ends() {
            let v = &v[body];
            let turned = cross([v[3], v[4], v[5]], arm);
            (0..3).for_each(|k| world[k] += sign * (v[k] + turned[k]));
        }
        u.iter_mut().zip(&self.frame).for_each(|(u, row)| *u += dot(*row, world));
    }

    /// Fᵀ p.
    #[inline]
    fn world(&self, p: &[f64]) -> Vector {
        let mut world = [0.0; 3];
        for (p, row) in p.iter().zip(&self.frame) {
            (0..3).for_each(|k| world[k] += row[k] * p);
        }
        world
    }
}

impl Touching {
    /// These bodies and contacts.
    pub fn new(bodies: Vec<Inertia>, touches: Vec<Touch>) -> Self {
        Self { bodies, touches, ..Self::default() }
    }

    /// Forgets bodies and contacts and keeps the memory.
    pub fn clear(&mut self) {
        let (bodies, touches) = self.renew();
        bodies.clear();
        touches.clear();
    }

    /// Bodies and contacts to be changed; what was derived from them is dropped.
    pub fn renew(&mut self) -> (&mut Vec<Inertia>, &mut Vec<Touch>) {
        self.factored = OnceLock::new();
        self.weights = OnceLock::new();
        (&mut self.bodies, &mut self.touches)
    }

    /// What is wrong with it, if anything.
    pub(crate) fn fault(&self, sets: &[Set]) -> Option<Fault> {
        for (i, body) in self.bodies.iter().enumerate() {
            let numbers = std::iter::once(&body.inv_mass).chain(&body.inv_inertia);
            if let Some(&value) = numbers.into_iter().find(|x| !x.is_finite()) {
                return Some(Fault::NotFinite("bodies", i, value));
            }
            if let Some(text) = negative(body) {
                let touch = self.touches.iter().position(|t| t.bodies.contains(&(i as u32)));
                return Some(Fault::Contact(touch.unwrap_or(0), format!("body {i} has {text}")));
            }
        }
        for (i, (touch, set)) in self.touches.iter().zip(sets).enumerate() {
            let [a, b] = touch.bodies;
            let n = self.bodies.len();
            if let Some(body) = [a, b].into_iter().find(|&x| x != IMMOVABLE && x as usize >= n) {
                return Some(Fault::Contact(i, format!("names body {body} of {n} bodies")));
            }
            if a == b && a != IMMOVABLE {
                return Some(Fault::Contact(i, format!("joins body {a} to itself")));
            }
            if set.dim() > 3 || matches!(set, Set::Rolling2 { .. }) {
                let text = format!("bodies that touch have no rows for {}", set.name());
                return Some(Fault::Contact(i, text));
            }
            let numbers = touch.frame.as_flattened().iter();
            if let Some(&value) = numbers.clone().find(|x| !x.is_finite()) {
                return Some(Fault::NotFinite("frame", i, value));
            }
            if let Some(&value) = touch.arms.as_flattened().iter().find(|x| !x.is_finite()) {
                return Some(Fault::NotFinite("arms", i, value));
            }
        }
        None
    }

    /// v = M⁻¹ Jᵀ p, six numbers per body, in `v`. Each thread goes through all contacts for a part of the bodies, so that
    /// every body adds up its impulses in the same order whatever the threads.
    pub(crate) fn velocities(&self, sets: &[Set], p: &[f64], v: &mut Vec<f64>) {
        v.clear();
        v.resize(6 * self.bodies.len(), 0.0);
        let (moving, _) = v.as_chunks_mut::<6>();
        let threads = rayon::current_num_threads();
        if threads == 1 || sets.len() < SHARED {
            return self.add_up(sets, p, 0, moving);
        }
        let share = moving.len().div_ceil(threads).max(1);
        let parts = moving.par_chunks_mut(share).enumerate();
        parts.for_each(|(k, part)| self.add_up(sets, p, k * share, part));
    }

    /// The velocities of the bodies from number `first` on that `moving` has place for.
    fn add_up(&self, sets: &[Set], p: &[f64], first: usize, moving: &mut [[f64; 6]]) {
        let mut begin = 0;
        for (touch, set) in self.touches.iter().zip(sets) {
            let end = begin + set.dim();
            let p = &p[begin..end];
            begin = end;
            let place = |body: u32| (body as usize).wrapping_sub(first);
            let here = touch.bodies.iter().any(|&body| place(body) < moving.len());
            if !here || p.iter().all(|p| *p == 0.0) {
                continue;
            }
            let world = touch.world(p);
            for (sign, body, arm) in touch.ends() {
                let Some(v) = moving.get_mut(body.wrapping_sub(first)) else { continue };
                let inertia = &self.bodies[body];
                let turned = inertia.turn(cross(arm, world));
                for k in 0..3 {
                    v[k] += sign * inertia.inv_mass * world[k];
                    v[3 + k] += sign * turned[k];
                }
            }
        }
    }

    /// u_c ← u_c + J_c v of one contact.
    #[inline]
    pub(crate) fn add_relative(&self, c: usize, v: &[f64], u: &mut [f64]) {
        self.touches[c].relative(v.as_chunks::<6>().0, u);
    }

    /// u ← u + W p; `v` is scratch.
    pub(crate) fn add_product(&self, sets: &[Set], p: &[f64], v: &mut Vec<f64>, u: &mut [f64]) {
        self.velocities(sets, p, v);
        let mut begin = 0;
        for (c, set) in sets.iter().enumerate() {
            let end = begin + set.dim();
            self.add_relative(c, v, &mut u[begin..end]);
            begin = end;
        }
    }

    /// W_cc, the first `dim` rows and columns of it.
    pub(crate) fn block(&self, c: usize, dim: usize) -> [[f64; 3]; 3] {
        let touch = &self.touches[c];
        let mut block = [[0.0; 3]; 3];
        for (_, body, arm) in touch.ends() {
            let inertia = &self.bodies[body];
            let turn = touch.frame.map(|row| cross(arm, row));
            for k in 0..dim {
                let moved = inertia.turn(turn[k]);
                for r in 0..dim {
                    let along = inertia.inv_mass * dot(touch.frame[r], touch.frame[k]);
                    block[r][k] += along + dot(turn[r], moved);
                }
            }
        }
        block
    }

    /// λ_max(W_cc) of every contact [1/kg], computed on first use.
    pub(crate) fn weights(&self, sets: &[Set]) -> &[f64] {
        self.weights.get_or_init(|| {
            (0..sets.len()).into_par_iter().with_min_len(1024).map(|c| self.weight(c, sets[c])).collect()
        })
    }

    fn weight(&self, c: usize, set: Set) -> f64 {
        let (block, dim) = (self.block(c, set.dim()), set.dim());
        let mut packed = [0.0; 9];
        (0..dim * dim).for_each(|k| packed[k] = block[k / dim][k % dim]);
        largest_eigenvalue(&packed[..dim * dim], dim)
    }

    /// J, M and M⁻¹ Jᵀ, derived on first use.
    pub(crate) fn factored(&self, sets: &[Set]) -> &Factored {
        self.factored.get_or_init(|| {
            let velocities = Velocities::new(&self.bodies);
            let n = velocities.inv_mass.len();
            let (mut jacobian, mut response) = (Sparse::empty(n), Sparse::empty(n));
            for (touch, set) in self.touches.iter().zip(sets) {
                let mut ends: Vec<_> = touch.ends().collect();
                ends.sort_unstable_by_key(|end| end.1);
                for row in &touch.frame[..set.dim()] {
                    for &(sign, body, arm) in &ends {
                        velocities.push(body, sign, *row, cross(arm, *row), &mut jacobian);
                    }
                    jacobian.finish_row();
                }
            }
            response.start.clone_from(&jacobian.start);
            response.column.clone_from(&jacobian.column);
            let moved = |(&j, x): (&u32, &f64)| velocities.inv_mass[j as usize] * x;
            response.value = jacobian.column.iter().zip(&jacobian.value).map(moved).collect();
            let mass: Vec<f64> = velocities.inv_mass.iter().map(|inv| 1.0 / inv).collect();
            Factored::part(Sparse::diagonal(&mass), jacobian, response)
        })
    }

    /// These contacts alone, in this order, with the bodies that they name.
    pub(crate) fn part(&self, contacts: &[usize]) -> Self {
        let mut touches: Vec<Touch> = contacts.iter().map(|&c| self.touches[c]).collect();
        let named = touches.iter().flat_map(|touch| touch.bodies);
        let mut kept: Vec<u32> = named.filter(|&body| body != IMMOVABLE).collect();
        kept.sort_unstable();
        kept.dedup();
        for body in touches.iter_mut().flat_map(|touch| &mut touch.bodies) {
            if let Ok(place) = kept.binary_search(body) {
                *body = place as u32;
            }
        }
        Self::new(kept.iter().map(|&body| self.bodies[body as usize]).collect(), touches)
    }
}

/// The first number of a body that must not be negative but is, in words.
fn negative(body: &Inertia) -> Option<String> {
    let names = ["inv_mass", "inv_inertia xx", "inv_inertia yy", "inv_inertia zz"];
    let [xx, yy, zz, ..] = body.inv_inertia;
    let found = names.iter().zip([body.inv_mass, xx, yy, zz]).find(|(_, x)| *x < 0.0);
    found.map(|(name, x)| format!("{name} = {x}; it must be ≥ 0"))
}

/// The velocities of all bodies that an impulse can change.
struct Velocities {
    /// Where each body's begin, linear ones first.
    start: Vec<u32>,
    /// Directions of each body's angular ones.
    axes: Vec<Vector>,
    inv_mass: Vec<f64>,
    /// Whether a body has linear velocities.
    moves: Vec<bool>,
}

impl Velocities {
    fn new(bodies: &[Inertia]) -> Self {
        let (mut inv_mass, mut axes) = (Vec::new(), Vec::new());
        let (mut start, mut moves) = (vec![0], Vec::new());
        for body in bodies {
            moves.push(body.inv_mass > 0.0);
            if body.inv_mass > 0.0 {
                inv_mass.extend([body.inv_mass; 3]);
                axes.extend([[0.0; 3]; 3]);
            }
            let (turns, directions) = principal_axes(body.inv_inertia);
            let largest = turns.iter().fold(0.0f64, |m, x| m.max(*x));
            for (turn, axis) in turns.into_iter().zip(directions) {
                if turn > RANK_TOLERANCE * largest {
                    inv_mass.push(turn);
                    axes.push(axis);
                }
            }
            start.push(inv_mass.len() as u32);
        }
        Self { start, axes, inv_mass, moves }
    }

    /// The entries of one row at one body, for the force `along` and the moment `about`; zeros are left out.
    fn push(&self, body: usize, sign: f64, along: Vector, about: Vector, row: &mut Sparse) {
        let mut next = self.start[body];
        let mut entry = |x: f64| {
            if x != 0.0 {
                row.column.push(next);
                row.value.push(sign * x);
            }
            next += 1;
        };
        if self.moves[body] {
            along.into_iter().for_each(&mut entry);
        }
        let first = self.start[body] as usize + if self.moves[body] { 3 } else { 0 };
        for axis in &self.axes[first..self.start[body + 1] as usize] {
            entry(dot(*axis, about));
        }
    }
}
