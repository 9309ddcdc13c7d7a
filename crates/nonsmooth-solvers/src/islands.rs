//! Islands: groups of constraints that do not feel each other, and the problem of each.
//!
//! Two constraints feel each other if W has an entry that joins them, or, where W = J M⁻¹ Jᵀ, if they touch the same
//! body. The islands of a problem are independent problems, listed by their first constraint. Bodies that touch are
//! split in time that is linear in the contacts, however many islands there are.

use crate::factored::{Factored, components};
use crate::problem::{Matrix, Problem};
use crate::sparse::Sparse;

/// One independent part of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    /// Its rows, ascending.
    pub(crate) rows: Vec<usize>,
    /// Its constraints, ascending.
    pub(crate) constraints: Vec<usize>,
}

/// The islands of a problem, by first constraint.
pub(crate) fn islands(problem: &Problem) -> Vec<Island> {
    let n = problem.sets.len();
    let mut parent: Vec<usize> = (0..n).collect();
    match &problem.matrix {
        Matrix::Factored(factored) if factored.response().is_some() => {
            let group = components(&factored.mass);
            let mut first = vec![usize::MAX; factored.mass.n_rows()];
            for (c, (begin, set)) in problem.blocks().enumerate() {
                for i in begin..begin + set.dim() {
                    for &j in factored.jacobian.row(i).0 {
                        let body = group[j as usize];
                        if first[body] == usize::MAX {
                            first[body] = c;
                        }
                        join(&mut parent, first[body], c);
                    }
                }
            }
        }
        Matrix::Touching(touching) => {
            let mut first = vec![usize::MAX; touching.bodies.len()];
            for (c, touch) in touching.touches.iter().enumerate() {
                for (_, body, _) in touch.ends().filter(|end| !touching.bodies[end.1].is_fixed()) {
                    if first[body] == usize::MAX {
                        first[body] = c;
                    }
                    join(&mut parent, first[body], c);
                }
            }
        }
        _ => {
            let w = problem.delassus();
            let mut owner = Vec::with_capacity(problem.size());
            for (c, set) in problem.sets.iter().enumerate() {
                owner.extend(std::iter::repeat_n(c, set.dim()));
            }
            for i in 0..w.n_rows() {
                let (columns, values) = w.row(i);
                for (&j, _) in columns.iter().zip(values).filter(|(_, w)| **w != 0.0) {
                    join(&mut parent, owner[i], owner[j as usize]);
                }
            }
        }
    }
    let mut number = vec![usize::MAX; n];
    let mut found: Vec<Island> = Vec::new();
    for (c, (begin, set)) in problem.blocks().enumerate() {
        let root = root(&mut parent, c);
        if number[root] == usize::MAX {
            number[root] = found.len();
            found.push(Island::default());
        }
        let island = &mut found[number[root]];
        island.constraints.push(c);
        island.rows.extend(begin..begin + set.dim());
    }
    found
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

fn join(parent: &mut [usize], i: usize, j: usize) {
    let (a, b) = (root(parent, i), root(parent, j));
    parent[a.max(b)] = a.min(b);
}

impl Island {
    /// The island as a problem of its own.
    pub(crate) fn problem(&self, whole: &Problem) -> Problem {
        let matrix = match &whole.matrix {
            Matrix::Factored(factored) if factored.response().is_some() => {
                Matrix::Factored(self.factored(factored))
            }
            Matrix::Touching(touching) => Matrix::Touching(touching.part(&self.constraints)),
            _ => Matrix::Assembled(self.formed(whole)),
        };
        Problem {
            matrix,
            u_free: self.rows.iter().map(|&i| whole.u_free[i]).collect(),
            sets: self.constraints.iter().map(|&c| whole.sets[c]).collect(),
            symmetric: whole.symmetric,
            matrix_stamp: None,
        }
    }

    fn formed(&self, whole: &Problem) -> Sparse {
        let w = whole.delassus();
        let mut part = Sparse::empty(self.rows.len());
        for &i in &self.rows {
            let (columns, values) = w.row(i);
            for (&j, &x) in columns.iter().zip(values) {
                // Entries out of the island are zeros that were stored.
                if let Ok(place) = self.rows.binary_search(&(j as usize)) {
                    part.column.push(place as u32);
                    part.value.push(x);
                }
            }
            part.finish_row();
        }
        part
    }

    fn factored(&self, whole: &Factored) -> Factored {
        let group = components(&whole.mass);
        let mut touched = vec![false; group.len()];
        for &i in &self.rows {
            whole.jacobian.row(i).0.iter().for_each(|&j| touched[group[j as usize]] = true);
        }
        let kept: Vec<usize> = (0..group.len()).filter(|&i| touched[group[i]]).collect();
        let mut number = vec![u32::MAX; group.len()];
        kept.iter().enumerate().for_each(|(k, &i)| number[i] = k as u32);
        let take = |rows: &[usize], from: &Sparse| {
            let mut part = Sparse::empty(kept.len());
            for &i in rows {
                let (columns, values) = from.row(i);
                part.column.extend(columns.iter().map(|&j| number[j as usize]));
                part.value.extend_from_slice(values);
                part.finish_row();
            }
            part
        };
        let response = whole.response().expect("islands of bodies");
        Factored::part(
            take(&kept, &whole.mass),
            take(&self.rows, &whole.jacobian),
            take(&self.rows, response),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::certify;
    use crate::set::Set;

    /// Bodies 0 and 2 touch, body 1 has a friction contact of its own.
    fn example() -> (Sparse, Sparse, Vec<Set>, Vec<f64>) {
        let mass = Sparse::diagonal(&[1.0, 2.0, 2.0, 3.0]);
        let jacobian = Sparse::from_rows(&[
            vec![1.0, 0.0, 0.0, -1.0],
            vec![0.0, 1.0, 0.0, 0.0],
            vec![0.0, 0.2, 1.0, 0.0],
            vec![0.0, 0.0, 0.0, 1.0],
        ]);
        let sets = vec![Set::Nonnegative, Set::Coulomb2 { mu: 0.5 }, Set::Free];
        (mass, jacobian, sets, vec![-1.0, -0.5, 0.3, 0.2])
    }

    #[test]
    fn factored_and_formed_problems_have_the_same_islands() {
        let (mass, jacobian, sets, u_free) = example();
        let factored = Factored::new(mass, jacobian).unwrap();
        let formed = Problem::new(factored.delassus().clone(), u_free.clone(), sets.clone()).unwrap();
        let whole = Problem::from_factored(factored, true, u_free, sets).unwrap();
        let p = [0.3, 0.2, -0.1, 0.4];
        for problem in [formed, whole] {
            let found = islands(&problem);
            assert_eq!(found.len(), 2);
            assert_eq!((&found[0].constraints[..], &found[0].rows[..]), (&[0, 2][..], &[0, 3][..]));
            assert_eq!((&found[1].constraints[..], &found[1].rows[..]), (&[1][..], &[1, 2][..]));
            let (mut u, mut part_u) = (Vec::new(), Vec::new());
            certify(&problem, &p, &mut u);
            for island in found {
                let part = island.problem(&problem);
                part.check().unwrap();
                let part_p: Vec<f64> = island.rows.iter().map(|&i| p[i]).collect();
                certify(&part, &part_p, &mut part_u);
                for (k, &i) in island.rows.iter().enumerate() {
                    assert!((u[i] - part_u[k]).abs() < 1e-15, "row {i}: {} {}", u[i], part_u[k]);
                }
            }
        }
    }
}
