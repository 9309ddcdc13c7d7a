//! J of all constraints at once: u = J v and v + M̂⁻¹ Jᵀ p. Where all rows are of one kind no constraint is asked which it is.

use super::Jacobian;
use crate::mass_groups::{BodyVelocities, IMMOVABLE, MassGroups};
use crate::vector::{add_rows_of, wrench_of};
use std::ops::Range;

/// u ← u + rows (v, ω) of one side, of each pair of velocities.
#[inline(always)]
fn add_side<const N: usize, const M: usize>(
    layout: &[BodyVelocities],
    body: u32,
    rows: &[[f64; 6]; N],
    v: [&[f64]; M],
    u: &mut [[f64; N]; M],
) {
    if body != IMMOVABLE {
        let velocities = layout[body as usize];
        for (v, u) in v.into_iter().zip(u) {
            match v[velocities.first as usize..].first_chunk() {
                Some(v) if !velocities.planar => add_rows_of::<N>(rows, v, u),
                _ => add_rows_of::<N>(rows, &velocities.read(v), u),
            }
        }
    }
}

impl Jacobian {
    /// u = J v where every constraint is a pair.
    fn multiply_pairs(&self, v: &[f64], u: &mut [f64]) {
        match self.pair_dim {
            1 => return self.multiply_pairs_of::<1, 1>([v], [u]),
            2 => return self.multiply_pairs_of::<2, 1>([v], [u]),
            3 => return self.multiply_pairs_of::<3, 1>([v], [u]),
            5 => return self.multiply_pairs_of::<5, 1>([v], [u]),
            _ => {}
        }
        let mut rest = u;
        for (pair, ends) in self.pairs.iter().zip(self.row_start.windows(2)) {
            let (own, after) = rest.split_at_mut((ends[1] - ends[0]) as usize);
            self.dot_pair(*pair, v, own);
            rest = after;
        }
    }

    /// The same for M velocities, where every pair has N rows.
    #[inline(always)]
    fn multiply_pairs_of<const N: usize, const M: usize>(&self, v: [&[f64]; M], u: [&mut [f64]; M]) {
        let [a, b] = self.on.each_ref().map(|on| on.as_chunks::<N>().0);
        let mut u = u.map(|u| u.as_chunks_mut::<N>().0.iter_mut());
        for ((pair, a), b) in self.pairs.iter().zip(a).zip(b) {
            let mut sums = [[0.0; N]; M];
            add_side(&self.layout.bodies, pair.bodies[0], a, v, &mut sums);
            add_side(&self.layout.bodies, pair.bodies[1], b, v, &mut sums);
            for (u, sum) in u.iter_mut().zip(sums) {
                if let Some(u) = u.next() {
                    *u = sum;
                }
            }
        }
    }

    /// u = J v of neighbouring constraints.
    pub fn multiply_some(&self, constraints: Range<usize>, v: &[f64], u: &mut [f64]) {
        if self.is_pairs() && self.pair_dim == 1 {
            for (i, u) in constraints.zip(u) {
                let mut sums = [[0.0]];
                for (body, on) in self.pairs[i].bodies.into_iter().zip(&self.on) {
                    add_side(&self.layout.bodies, body, &[on[i]], [v], &mut sums);
                }
                *u = sums[0][0];
            }
            return;
        }
        let mut rest = u;
        for c in constraints {
            let (own, after) = rest.split_at_mut(self.rows_of(c).len());
            self.dot(c, v, own);
            rest = after;
        }
    }

    /// u = J v of all constraints.
    pub fn multiply(&self, v: &[f64], u: &mut [f64]) {
        if self.is_general() {
            return self.multiply_general(v, u);
        }
        if self.is_pairs() {
            return self.multiply_pairs(v, u);
        }
        let mut rest = u;
        for c in 0..self.kinds.len() {
            let (own, after) = rest.split_at_mut(self.rows_of(c).len());
            self.dot(c, v, own);
            rest = after;
        }
    }

    /// u = J v of several velocities at once.
    pub fn multiply_many<const M: usize>(&self, v: [&[f64]; M], u: [&mut [f64]; M]) {
        match self.pair_dim {
            1 if self.is_pairs() => self.multiply_pairs_of::<1, M>(v, u),
            3 if self.is_pairs() => self.multiply_pairs_of::<3, M>(v, u),
            _ => v.into_iter().zip(u).for_each(|(v, u)| self.multiply(v, u)),
        }
    }

    /// u = J v of two velocities at once.
    #[inline]
    pub fn multiply_two(&self, [v, w]: [&[f64]; 2], [u, x]: [&mut [f64]; 2]) {
        if !self.is_general() {
            return self.multiply_many([v, w], [u, x]);
        }
        for (((columns, values), u), x) in self.all_general_rows().zip(u).zip(x) {
            // As sums of floating point numbers begin.
            (*u, *x) = (-0.0, -0.0);
            for (&j, h) in columns.iter().zip(values) {
                *u += h * v[j as usize];
                *x += h * w[j as usize];
            }
        }
    }

    /// The same where all rows are general.
    fn multiply_general(&self, v: &[f64], u: &mut [f64]) {
        for ((columns, values), u) in self.all_general_rows().zip(u) {
            *u = columns.iter().zip(values).map(|(&j, h)| h * v[j as usize]).sum();
        }
    }

    /// v ← v + M̂⁻¹ Jᵀ p of all constraints, but for velocities of factored groups.
    #[inline]
    pub fn push_all(&self, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        debug_assert_eq!(p.len(), self.n_rows(), "one impulse per row");
        if self.is_general() {
            self.push_general(mass, p, v)
        } else if self.is_pairs() {
            self.push_pairs(mass, p, v)
        } else {
            self.push_mixed(mass, p, v)
        }
    }

    /// The same where every constraint is a pair.
    fn push_pairs(&self, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        match self.pair_dim {
            1 => return self.push_pairs_of::<1>(mass, p, v),
            2 => return self.push_pairs_of::<2>(mass, p, v),
            3 => return self.push_pairs_of::<3>(mass, p, v),
            5 => return self.push_pairs_of::<5>(mass, p, v),
            _ => {}
        }
        let mut rest = p;
        for (pair, ends) in self.pairs.iter().zip(self.row_start.windows(2)) {
            let (own, after) = rest.split_at((ends[1] - ends[0]) as usize);
            self.respond_pair(*pair, mass, own, v);
            rest = after;
        }
    }

    /// The same where every pair has N rows.
    #[inline(always)]
    fn push_pairs_of<const N: usize>(&self, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        let [a, b] = self.on.each_ref().map(|on| on.as_chunks::<N>().0);
        for (((pair, a), b), p) in self.pairs.iter().zip(a).zip(b).zip(p.as_chunks::<N>().0) {
            for (body, rows) in pair.bodies.into_iter().zip([a, b]) {
                if body != IMMOVABLE {
                    self.respond(mass, body as usize, &wrench_of::<N>(rows, p), v);
                }
            }
        }
    }

    /// The same, constraint by constraint.
    fn push_mixed(&self, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        let mut rest = p;
        for c in 0..self.kinds.len() {
            let (own, after) = rest.split_at(self.rows_of(c).len());
            self.push(c, mass, own, v);
            rest = after;
        }
    }

    /// The same where all rows are general.
    fn push_general(&self, mass: &MassGroups, p: &[f64], v: &mut [f64]) {
        for ((columns, values), p) in self.all_general_rows().zip(p).filter(|(_, p)| **p != 0.0) {
            columns.iter().zip(values).for_each(|(&j, h)| mass.push_unit(j, h * p, v));
        }
    }

    /// Columns and values of all rows of general kind.
    #[inline]
    fn all_general_rows(&self) -> impl Iterator<Item = (&[u32], &[f64])> + '_ {
        self.start.windows(2).map(|ends| {
            let range = ends[0]..ends[1];
            (&self.column[range.clone()], &self.value[range])
        })
    }
}
