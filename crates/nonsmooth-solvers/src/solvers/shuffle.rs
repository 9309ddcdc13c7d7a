//! A problem with its constraints in another order, drawn from a seed: sweeps take another way from the same start.

use crate::delassus::{Delassus, Form};
use crate::problem::Problem;
use crate::sparse::Sparse;

/// Start of the generator times the seed, which is not 0 and small: never 0.
const START: u64 = 88_172_645_463_325_252;

/// The same problem in another order.
pub(super) struct Shuffled {
    problem: Problem,
    /// Where each of its rows stands in the problem as it was.
    rows: Vec<usize>,
}

impl Shuffled {
    /// None where rows that are no contacts stand beside them, or W is given by other factors.
    pub(super) fn new(problem: &Problem, seed: u64) -> Option<Self> {
        let order = order(problem.sets.len(), seed);
        let begin: Vec<usize> = problem.blocks().map(|(begin, _)| begin).collect();
        let mut rows = Vec::with_capacity(problem.size());
        for &c in &order {
            let first = begin[c as usize];
            rows.extend(first..first + problem.sets[c as usize].dim());
        }
        let delassus = match &problem.delassus.form {
            Form::Posed(posed) if posed.is_contacts() => problem.delassus.part(&order),
            Form::Explicit(w) => {
                let form = Form::Explicit(permuted(w, &rows));
                Delassus { form, symmetric: problem.delassus.symmetric, ..Delassus::default() }
            }
            _ => return None,
        };
        let u_free = rows.iter().map(|&i| problem.u_free[i]).collect();
        let sets = order.iter().map(|&c| problem.sets[c as usize]).collect();
        Some(Self { problem: Problem { delassus, u_free, sets, scale: None }, rows })
    }

    /// Lets `solver` work on the impulses in this order.
    pub(super) fn solve<T>(&self, p: &mut [f64], solver: impl FnOnce(&Problem, &mut [f64]) -> T) -> T {
        let mut own: Vec<f64> = self.rows.iter().map(|&i| p[i]).collect();
        let made = solver(&self.problem, &mut own);
        self.rows.iter().zip(&own).for_each(|(&i, x)| p[i] = *x);
        made
    }
}

/// The numbers below `n`, shuffled (Fisher and Yates, xorshift).
fn order(n: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut random = START.wrapping_mul(seed);
    for i in (1..n).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        order.swap(i, (random % (i as u64 + 1)) as usize);
    }
    order
}

/// Row and column k of the result are row and column `rows[k]` of `w`.
fn permuted(w: &Sparse, rows: &[usize]) -> Sparse {
    let mut place = vec![0u32; rows.len()];
    rows.iter().enumerate().for_each(|(k, &i)| place[i] = k as u32);
    let mut found = Sparse::empty(rows.len());
    let mut entries: Vec<(u32, f64)> = Vec::new();
    for &i in rows {
        let (columns, values) = w.row(i);
        entries.clear();
        entries.extend(columns.iter().zip(values).map(|(&j, &x)| (place[j as usize], x)));
        entries.sort_unstable_by_key(|entry| entry.0);
        found.column.extend(entries.iter().map(|entry| entry.0));
        found.value.extend(entries.iter().map(|entry| entry.1));
        found.finish_row();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::certify;
    use crate::set::Set;

    #[test]
    fn a_shuffled_problem_has_the_same_residual_for_the_same_impulses() {
        let n = 7;
        let rows: Vec<Vec<f64>> = (0..2 * n)
            .map(|i| (0..2 * n).map(|j| if i == j { 4.0 } else { 1.0 / (1 + i + j) as f64 }).collect())
            .collect();
        let u_free: Vec<f64> = (0..2 * n).map(|i| ((i * i) as f64).sin()).collect();
        let sets = (0..n).map(|c| Set::Coulomb2 { mu: 0.1 * c as f64 }).collect();
        let problem = Problem::new(Sparse::from_rows(&rows), u_free, sets).unwrap();
        let other = Shuffled::new(&problem, 1).unwrap();
        assert_ne!(other.rows, (0..2 * n).collect::<Vec<_>>());
        assert_ne!(other.rows, Shuffled::new(&problem, 2).unwrap().rows);
        let mut p: Vec<f64> = (0..2 * n).map(|i| (1.0 + i as f64).cos().abs()).collect();
        let here = certify(&problem, &p, &mut Vec::new()).residual;
        let before = p.clone();
        let there = other.solve(&mut p, |of, p| certify(of, p, &mut Vec::new()).residual);
        assert!((here - there).abs() < 1e-14 * here && here > 0.0, "{here} {there}");
        assert_eq!(p, before);
    }
}
