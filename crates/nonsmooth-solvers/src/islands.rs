//! Islands: groups of constraints that do not feel each other, and the problem of each.
//!
//! Two constraints feel each other if W has an entry that joins them, or, where W = J M⁻¹ Jᵀ, if they name the same
//! body. The islands of a problem are independent problems, listed by their first constraint. Bodies in contact are
//! split in time that is linear in the contacts, however many islands there are.

use crate::delassus::{Delassus, Form};
use crate::incidence::Incidence;
use crate::posed::Posed;
use crate::primal::{Primal, components};
use crate::problem::Problem;
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
    match &problem.delassus.form {
        Form::Primal(primal) if primal.response().is_some() => {
            let group = components(&primal.mass);
            let mut first = vec![usize::MAX; primal.mass.n_rows()];
            for (c, (begin, set)) in problem.blocks().enumerate() {
                for i in begin..begin + set.dim() {
                    for &j in primal.jacobian.row(i).0 {
                        let body = group[j as usize];
                        if first[body] == usize::MAX {
                            first[body] = c;
                        }
                        join(&mut parent, first[body], c);
                    }
                }
            }
        }
        Form::Posed(posed) => join_groups(posed, problem, &mut parent),
        _ => {
            let w = problem.assembled();
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

/// Joins the sets whose rows act on the same group, and those of one constraint.
fn join_groups(posed: &Posed, problem: &Problem, parent: &mut [usize]) {
    let mut incidence = Incidence::default();
    incidence.build(&posed.mass, &posed.jacobian);
    let mut first = vec![usize::MAX; posed.mass.n_groups()];
    let (mut set, mut begin) = (0, 0);
    for c in 0..posed.jacobian.n_constraints() {
        let (own, end) = (set, posed.jacobian.rows_of(c).end);
        while begin < end {
            join(parent, own, set);
            begin += problem.sets[set].dim();
            set += 1;
        }
        for &group in incidence.groups_of(c) {
            if first[group as usize] == usize::MAX {
                first[group as usize] = own;
            }
            join(parent, first[group as usize], own);
        }
    }
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
        if let Form::Posed(posed) = &whole.delassus.form {
            return self.posed(posed, whole);
        }
        let form = match &whole.delassus.form {
            Form::Primal(primal) if primal.response().is_some() => Form::Primal(self.primal(primal)),
            _ => Form::Explicit(self.formed(whole)),
        };
        Problem {
            delassus: Delassus { form, symmetric: whole.delassus.symmetric, ..Delassus::default() },
            u_free: self.rows.iter().map(|&i| whole.u_free[i]).collect(),
            sets: self.constraints.iter().map(|&c| whole.sets[c]).collect(),
            scale: None,
        }
    }

    /// The island's constraints of masses and rows.
    fn posed(&self, posed: &Posed, whole: &Problem) -> Problem {
        let mut list: Vec<u32> = Vec::new();
        if posed.is_contacts() {
            list.extend(self.constraints.iter().map(|&c| c as u32));
        } else {
            let mut c = 0;
            for &row in &self.rows {
                while posed.jacobian.rows_of(c).end <= row {
                    c += 1;
                }
                if list.last() != Some(&(c as u32)) {
                    list.push(c as u32);
                }
            }
        }
        Problem {
            delassus: whole.delassus.part(&list),
            u_free: self.rows.iter().map(|&i| whole.u_free[i]).collect(),
            sets: self.constraints.iter().map(|&c| whole.sets[c]).collect(),
            scale: None,
        }
    }

    fn formed(&self, whole: &Problem) -> Sparse {
        let w = whole.assembled();
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

    fn primal(&self, whole: &Primal) -> Primal {
        let group = components(&whole.mass);
        let mut named = vec![false; group.len()];
        for &i in &self.rows {
            whole.jacobian.row(i).0.iter().for_each(|&j| named[group[j as usize]] = true);
        }
        let kept: Vec<usize> = (0..group.len()).filter(|&i| named[group[i]]).collect();
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
        Primal::part(
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

    /// Bodies 0 and 2 meet, body 1 has a friction contact of its own.
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
        let factored = Primal::new(mass, jacobian).unwrap();
        let formed = Problem::new(factored.assembled().clone(), u_free.clone(), sets.clone()).unwrap();
        let whole = Problem::posed(Delassus::from_primal(factored, true), u_free, sets).unwrap();
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
