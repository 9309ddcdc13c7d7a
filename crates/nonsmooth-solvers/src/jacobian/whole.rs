//! J of all constraints at once: u = J v and v + M̂⁻¹ Jᵀ p. Where all rows are of one kind no constraint is asked which it is.

use super::Jacobian;
use crate::mass_groups::MassGroups;

impl Jacobian {
    /// u = J v where every constraint is a pair.
    fn multiply_pairs(&self, v: &[f64], u: &mut [f64]) {
        let mut rest = u;
        for (pair, ends) in self.pairs.iter().zip(self.row_start.windows(2)) {
            let (own, after) = rest.split_at_mut((ends[1] - ends[0]) as usize);
            self.dot_pair(*pair, v, own);
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

    /// u = J v of two velocities at once.
    pub fn multiply_two(&self, [v, w]: [&[f64]; 2], [u, x]: [&mut [f64]; 2]) {
        if !self.is_general() {
            self.multiply(v, u);
            return self.multiply(w, x);
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
        let mut rest = p;
        for (pair, ends) in self.pairs.iter().zip(self.row_start.windows(2)) {
            let (own, after) = rest.split_at((ends[1] - ends[0]) as usize);
            self.respond_pair(*pair, mass, own, v);
            rest = after;
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
