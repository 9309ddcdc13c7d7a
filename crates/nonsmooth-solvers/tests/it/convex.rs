//! Every solver that takes spatial friction, against an interior-point solver of convex programs.
//!
//! At a solution u* of the true problem, p solves the convex problem with the shift frozen at shift(u*):
//!
//! ```text
//! minimise ½ pᵀ W p + (u_free + shift(u*))ᵀ p   over p ∈ C
//! ```
//!
//! and its u = W p + u_free is unique. The other solver, which knows nothing of this crate, must find the same u.

use crate::oracle::{Verdict, Worst, build, norm, run};
use crate::piles::{Kind, Pile};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus,
    SupportedConeT,
};
use nonsmooth_solvers::{Entry, Problem, SOLVERS, Set, Sparse, Status};

/// The solvers that take spatial friction, those to come included.
fn solvers_for(problem: &Problem) -> impl Iterator<Item = &'static Entry> {
    SOLVERS.iter().filter(|entry| build(entry).accepts(problem).is_ok())
}

/// u of the convex problem with these shifts, one per constraint; `None` if the other solver gave up.
fn convex_velocities(problem: &Problem, shifts: &[f64]) -> Option<Vec<f64>> {
    let (w, n) = (problem.assembled(), problem.size());
    let mut linear = problem.u_free.clone();
    let mut upper: (Vec<usize>, Vec<usize>, Vec<f64>) = Default::default();
    for i in 0..n {
        let (columns, values) = w.row(i);
        for (&j, &x) in columns.iter().zip(values).filter(|(j, _)| **j as usize >= i) {
            upper.0.push(i);
            upper.1.push(j as usize);
            upper.2.push(x);
        }
    }
    // s = (μ p_N, p_T) in a second-order cone; joints have no row.
    let mut rows: (Vec<usize>, Vec<usize>, Vec<f64>) = Default::default();
    let mut cones: Vec<SupportedConeT<f64>> = Vec::new();
    for ((begin, set), shift) in problem.blocks().zip(shifts) {
        linear[begin] += shift;
        let mu = match set {
            Set::Free => continue,
            Set::Nonnegative => 1.0,
            Set::Coulomb3 { mu } => mu,
            other => panic!("{other:?} is not for this test"),
        };
        cones.push(if set.dim() == 1 { NonnegativeConeT(1) } else { SecondOrderConeT(3) });
        for k in 0..set.dim() {
            rows.0.push(rows.0.len());
            rows.1.push(begin + k);
            rows.2.push(if k == 0 { -mu } else { -1.0 });
        }
    }
    let m = rows.0.len();
    let quadratic = CscMatrix::new_from_triplets(n, n, upper.0, upper.1, upper.2);
    let linear_rows = CscMatrix::new_from_triplets(m, n, rows.0, rows.1, rows.2);
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .expect("these settings are allowed");
    let mut solver =
        DefaultSolver::new(&quadratic, &linear, &linear_rows, &vec![0.0; m], &cones, settings)
            .expect("a convex program");
    solver.solve();
    let good = solver.solution.status == SolverStatus::Solved;
    let mut u = vec![0.0; n];
    w.multiply(&solver.solution.x, &mut u);
    u.iter_mut().zip(&problem.u_free).for_each(|(u, free)| *u += free);
    good.then_some(u)
}

fn shifts(problem: &Problem, u: &[f64]) -> Vec<f64> {
    problem.blocks().map(|(begin, set)| set.shift(&u[begin..begin + set.dim()])).collect()
}

#[test]
fn the_fixed_point_of_the_shift_is_found_by_a_convex_solver_too() {
    let mut verdict = Verdict::default();
    let mut worst = Worst::new("u against the convex solver");
    let mut compared = 0;
    for (levels, contacts) in [(2, 5), (3, 8), (3, 12)] {
        for seed in 0..12 {
            let problem = Pile::new(Kind::Spatial, levels, contacts, seed).assembled();
            // Eight facets are not a disc.
            for entry in solvers_for(&problem).filter(|entry| entry.name != "lemke-faceted") {
                let zero = vec![0.0; problem.size()];
                let solved = run(&mut *build(entry), &problem, 1e-8, &zero);
                let at = || format!("{contacts} contacts, seed {seed}, by {}", entry.name);
                verdict.expect(solved.report.status == Status::Converged, || {
                    format!("{}: {:?}", at(), solved.report)
                });
                let Some(u) = convex_velocities(&problem, &shifts(&problem, &solved.u)) else {
                    continue;
                };
                let error: Vec<f64> = u.iter().zip(&solved.u).map(|(a, b)| a - b).collect();
                worst.see(norm(&error) / norm(&problem.u_free), at);
                compared += 1;
            }
        }
    }
    println!("{compared} comparisons");
    verdict.expect(compared > 0, || "the convex solver gave up everywhere".into());
    // 1e−8 in the residual times the condition of piles with masses from 0.3 to 3.
    worst.within(1e-5, &mut verdict);
    verdict.pass();
}

/// A box on four legs under its weight and a sideways push within the cone: no slip, hence no shift, and the
/// true problem is the convex one.
#[test]
fn a_box_that_sticks_is_a_convex_problem() {
    let mut rows = Vec::new();
    for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        // Normal and two tangents at (x, y, −1): J = [e, r × e].
        rows.push(vec![0.0, 0.0, 1.0, y, -x, 0.0]);
        rows.push(vec![1.0, 0.0, 0.0, 0.0, -1.0, -y]);
        rows.push(vec![0.0, 1.0, 0.0, 1.0, 0.0, x]);
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let w: Vec<Vec<f64>> = rows.iter().map(|a| rows.iter().map(|b| dot(a, b)).collect()).collect();
    let u_free = rows.iter().map(|row| dot(row, &[0.2, 0.1, -1.0, 0.0, 0.0, 0.0])).collect();
    let sets = vec![Set::Coulomb3 { mu: 0.5 }; 4];
    let problem = Problem::new(Sparse::from_rows(&w), u_free, sets).expect("a box is well posed");
    let convex = convex_velocities(&problem, &[0.0; 4]).expect("the convex solver solves a box");
    let mut verdict = Verdict::default();
    for entry in solvers_for(&problem) {
        let solved = run(&mut *build(entry), &problem, 1e-10, &[0.0; 12]);
        verdict.expect(solved.report.status == Status::Converged && norm(&solved.u) < 1e-8, || {
            format!("{}: {:?}, u = {:?}", entry.name, solved.report, solved.u)
        });
    }
    // What the convex solver itself leaves, asked for 1e−12.
    verdict.expect(norm(&convex) < 1e-8, || format!("convex: u = {convex:?}"));
    verdict.pass();
}
