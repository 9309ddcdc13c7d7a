//! Joints and springs beside a few contacts: the bilateral rows are eliminated by one factor, and the others are solved alone.
//!
//! ```text
//! 0 = A p_F + Bᵀ p_C + a        bilateral rows F between bodies, A = J_F M⁻¹ J_Fᵀ + D
//! u = B p_F + C p_C + c         the other rows C
//! X = A⁻¹ Bᵀ:    u = (C − B X) p_C + c − Xᵀ a,     p_F = −A⁻¹ a − X p_C
//! ```
//!
//! A mechanism that stands on its feet has far more rows of joints than of contacts, and its W is badly conditioned along its chains: sweeps
//! crawl. A of chains and trees has a factor without fill (`block_factor.rs`), and C − B X is small and tame. Rows that follow from others
//! have no sound factor; then nothing is eliminated. What comes back is judged by the certificate of the whole problem.

use super::block_factor::BlockFactor;
use super::{Factored, Outcome, Status};
use crate::certificate::certify;
use crate::delassus::Form;
use crate::jacobian::Jacobian;
use crate::mass_groups::MassGroups;
use crate::posed::Posed;
use crate::problem::Problem;
use crate::set::Set;
use crate::sparse::Sparse;

/// Most rows that are left: C − B X is full.
const MOST_LEFT: usize = 300;
/// Least pivot of a sound factor, as a share of its diagonal entry (`bilateral.rs`).
const SOUND: f64 = 1e-5;

/// Rounds until the whole is within the tolerance.
const ROUNDS: usize = 4;

/// The factor of the bilateral rows, and its memory.
#[derive(Default)]
pub(super) struct Presolve {
    factor: BlockFactor,
}

/// What is left of a problem, and the way back.
pub(super) struct Eliminated {
    /// The other rows alone.
    problem: Problem,
    /// Places of the bilateral rows and of the others.
    rows: [Vec<usize>; 2],
    /// X by columns, one for each row that is left.
    columns: Vec<Vec<f64>>,
    /// A⁻¹ a.
    free: Vec<f64>,
}

/// Constraints of F and C, and their rows.
#[derive(Default)]
struct Split {
    constraints: [Vec<u32>; 2],
    rows: [Vec<usize>; 2],
    sets: Vec<Set>,
}

impl Split {
    /// None unless there are both, and F has the more rows.
    fn new(posed: &Posed, sets: &[Set]) -> Option<Self> {
        let (jacobian, mut found, mut next) = (&posed.jacobian, Self::default(), 0);
        for c in 0..jacobian.n_constraints() {
            let (rows, first) = (jacobian.rows_of(c), next);
            let mut dim = 0;
            while dim < rows.len() {
                dim += sets.get(next)?.dim();
                next += 1;
            }
            let own = &sets[first..next];
            let is_free = jacobian.bodies(c).is_some() && own.iter().all(|set| *set == Set::Free);
            if !is_free {
                found.sets.extend_from_slice(own);
            }
            let side = usize::from(!is_free);
            found.constraints[side].push(c as u32);
            found.rows[side].extend(rows);
        }
        let [n_free, n_left] = [found.rows[0].len(), found.rows[1].len()];
        (n_left > 0 && n_left <= MOST_LEFT && n_free >= n_left).then_some(found)
    }
}

impl Presolve {
    /// The problem without its bilateral rows, where that pays and their factor is sound.
    pub(super) fn eliminate(&mut self, problem: &Problem) -> Option<Eliminated> {
        let Form::Posed(posed) = &problem.delassus.form else { return None };
        let (mass, jacobian) = (&*posed.mass, &*posed.jacobian);
        if !jacobian.has_pairs() || !mass.is_symmetric() || mass.has_factored() {
            return None;
        }
        let split = Split::new(posed, &problem.sets)?;
        let [free, left] = &split.rows;
        let compliance: Vec<f64> = free.iter().map(|&i| posed.compliance(i)).collect();
        let (own_mass, own_rows) = jacobian.part(&split.constraints[0], mass);
        let made = self.factor.factor(&own_mass, &own_rows, &compliance);
        if made != Factored::Made || self.factor.weakest() < SOUND {
            return None;
        }
        let columns_of_w = columns((jacobian, mass), &split);
        let at = |column: &[f64], rows: &[usize]| rows.iter().map(|&i| column[i]).collect::<Vec<f64>>();
        let coupled: Vec<Vec<f64>> = columns_of_w.iter().map(|column| at(column, free)).collect();
        let mut columns = coupled.clone();
        columns.iter_mut().for_each(|column| self.factor.solve(column));
        let given = at(&problem.u_free, free);
        let rows: Vec<Vec<f64>> = (0..left.len())
            .map(|i| {
                let entry = |j: usize| columns_of_w[j][left[i]] - dot(&coupled[i], &columns[j]);
                let mut row: Vec<f64> = (0..left.len()).map(entry).collect();
                row[i] += posed.compliance(left[i]);
                row
            })
            .collect();
        let u_free = left.iter().zip(&columns).map(|(&i, x)| problem.u_free[i] - dot(x, &given));
        let small = Problem::new(symmetric(rows), u_free.collect(), split.sets).ok()?;
        let mut moved = given;
        self.factor.solve(&mut moved);
        Some(Eliminated { problem: small, rows: split.rows, columns, free: moved })
    }
}

impl Eliminated {
    /// The impulses by `chain` on the rows that are left, where the whole comes within the tolerance; else `p` is as it was.
    pub(super) fn solve(
        &self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        mut chain: impl FnMut(&Problem, f64, &mut [f64]) -> Outcome,
    ) -> Option<Outcome> {
        let mut left: Vec<f64> = self.rows[1].iter().map(|&i| p[i]).collect();
        let (mut found, mut u) = (p.to_vec(), Vec::new());
        let (mut strictness, mut iterations) = (1.0, 0);
        for _ in 0..ROUNDS {
            let made = chain(&self.problem, strictness * tolerance, &mut left);
            iterations += made.iterations;
            self.whole(&left, &mut found);
            let residual = certify(problem, &found, &mut u).residual;
            if residual <= tolerance {
                p.copy_from_slice(&found);
                return Some(Outcome { iterations, ..made });
            }
            if made.status != Status::Converged || !residual.is_finite() {
                return None;
            }
            // The certificates of both problems measure by other scales.
            strictness *= 0.3 * tolerance / residual;
        }
        None
    }

    /// All impulses from those of the rows that are left.
    fn whole(&self, left: &[f64], p: &mut [f64]) {
        self.rows[1].iter().zip(left).for_each(|(&i, x)| p[i] = *x);
        for (k, &i) in self.rows[0].iter().enumerate() {
            let moved: f64 = self.columns.iter().zip(left).map(|(column, x)| column[k] * x).sum();
            p[i] = -(self.free[k] + moved);
        }
    }
}

/// J M⁻¹ J_cᵀ over all rows, for each row that is left.
fn columns((jacobian, mass): (&Jacobian, &MassGroups), split: &Split) -> Vec<Vec<f64>> {
    let mut v = vec![0.0; jacobian.layout().n];
    let mut unit = [0.0; 6];
    let mut columns = Vec::with_capacity(split.rows[1].len());
    for &c in &split.constraints[1] {
        let dim = jacobian.rows_of(c as usize).len();
        for k in 0..dim {
            unit[..dim].fill(0.0);
            unit[k] = 1.0;
            v.fill(0.0);
            jacobian.push(c as usize, mass, &unit[..dim], &mut v);
            let mut column = vec![0.0; jacobian.n_rows()];
            jacobian.multiply(&v, &mut column);
            columns.push(column);
        }
    }
    columns
}

/// The mean of a matrix and its transpose, which are equal but for rounding.
fn symmetric(mut rows: Vec<Vec<f64>>) -> Sparse {
    for i in 0..rows.len() {
        for j in 0..i {
            let mean = 0.5 * (rows[i][j] + rows[j][i]);
            (rows[i][j], rows[j][i]) = (mean, mean);
        }
    }
    Sparse::from_rows(&rows)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
