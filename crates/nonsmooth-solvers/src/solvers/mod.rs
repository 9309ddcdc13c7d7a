//! The list of solvers, what they share, and the one function that judges their results.

mod active_block;
mod active_set;
mod admm;
mod anderson;
mod apgd;
mod auto;
mod bilateral;
mod block_factor;
mod block_graph;
mod central_path;
mod chain;
mod complementary;
mod descent;
mod enumerate;
mod gauss_seidel;
mod interior_point;
mod kinds;
mod kkt;
mod lemke;
mod lemke_faceted;
mod lorentz;
mod methods;
mod mixed;
mod modes;
mod newton;
mod newton_system;
mod nsgs;
mod pgs;
mod presolve;
mod primal_system;
mod rank;
mod reduction;
#[cfg(test)]
mod row_by_row;
mod scaled;
mod shuffle;
mod slack;
mod sliding;
mod sweep;
mod tableau;

pub use enumerate::all_solutions;
pub use lemke_faceted::FACETED;

use crate::certificate::{Certificate, certify};
use crate::contradiction::contradiction;
use crate::options::{Declared, OptionError, Options};
use crate::problem::Problem;
use crate::set::Set;
use thiserror::Error;

/// Every solver, in the order in which they are listed to users.
pub static SOLVERS: &[Entry] = &[
    auto::ENTRY,
    active_set::ENTRY,
    lemke::ENTRY,
    lemke_faceted::ENTRY,
    nsgs::ENTRY,
    pgs::ENTRY,
    pgs::OVER_RELAXED,
    newton::ENTRY,
    interior_point::ENTRY,
    admm::ENTRY,
    apgd::ENTRY,
    enumerate::ENTRY,
];

/// The solver called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    SOLVERS.iter().find(|entry| entry.name == name)
}

/// A solver's name, what it is for, and how to make one.
pub struct Entry {
    /// Name in scene files, on the command line and in Python.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// The options it understands.
    pub options: &'static [&'static Declared],
    make: fn(&Options) -> Box<dyn Solver>,
}

impl Entry {
    /// A solver with these options, or what is wrong with them.
    pub fn build(&self, options: &Options) -> Result<Box<dyn Solver>, Vec<OptionError>> {
        options.check(self.name, self.options)?;
        Ok((self.make)(options))
    }
}

/// A method for one-step problems. It owns its options and its scratch memory.
pub trait Solver: Send {
    /// Says in words why this problem is not for this solver.
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported>;

    /// Improves `p`, which holds a guess on entry, to the tolerance asked for.
    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome;

    /// Factors W for `back_substitute`.
    fn factor(&mut self, _problem: &Problem) -> Factored {
        Factored::Unsuited
    }

    /// x ← W⁻¹ x with the W that `factor` took last. An iteration whose W changes a little uses it as an approximate inverse.
    fn back_substitute(&self, _x: &mut [f64]) {}

    /// What the last solve tried, in order; empty for solvers that are no chains.
    fn attempts(&self) -> &[Attempt] {
        &[]
    }

    /// Forgets everything remembered from earlier problems and gives its memory back; no result depends on it.
    fn forget(&mut self);
}

/// What became of a factor of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factored {
    /// There is one.
    Made,
    /// Rows follow from others: W is singular.
    Singular,
    /// The method has none of this problem: rows that are not bilateral or join no bodies, too many blocks.
    Unsuited,
}

/// How a solver believes to have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The certificate is within tolerance.
    Converged,
    /// The iteration limit came first.
    IterationLimit,
    /// No further progress is possible, or the result misses the tolerance.
    Stalled,
    /// The problem has no solution (`contradiction`), or none that this method can reach (a ray of Lemke, no valid active set).
    Infeasible,
    /// The solver does not take this problem.
    Unsupported,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration limit",
            Status::Stalled => "stalled",
            Status::Infeasible => "infeasible",
            Status::Unsupported => "unsupported",
        })
    }
}

/// What a solver says about its own work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it believes to have ended.
    pub status: Status,
    /// Pivots, exchanges or sweeps made.
    pub iterations: usize,
    /// The method at work in the end; differs from the solver's name for chains.
    pub method: &'static str,
}

/// One method that a chain tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The method.
    pub method: &'static str,
    /// The island it was tried on: its number, 0 for the whole problem, and its rows.
    pub island: (usize, usize),
    /// How it believes to have ended.
    pub status: Status,
    /// Pivots, exchanges or sweeps made.
    pub iterations: usize,
    /// Relative residual of the island after it [–].
    pub residual: f64,
}

/// What is known about a solve: the solver's word and the independent certificate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Converged only if the certificate says so.
    pub status: Status,
    /// Pivots, exchanges or sweeps made.
    pub iterations: usize,
    /// The method at work in the end.
    pub method: &'static str,
    /// Relative residual [–], computed apart from the solver.
    pub residual: f64,
    /// The constraint that contributes most to the residual.
    pub worst: Option<usize>,
}

/// Why a solver does not take a problem.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unsupported {
    /// The problem is too large for the method.
    #[error("`{solver}` takes at most {limit} rows, this problem has {rows}; try `auto`")]
    TooLarge {
        /// The solver asked.
        solver: &'static str,
        /// Its limit.
        limit: usize,
        /// Rows of the problem.
        rows: usize,
    },
    /// The problem has a kind of constraint that the method does not know.
    #[error("`{solver}` does not take {what}; try `auto`")]
    Kind {
        /// The solver asked.
        solver: &'static str,
        /// What it does not take.
        what: &'static str,
    },
}

impl Unsupported {
    /// Refuses a problem with a constraint that `takes` does not take.
    pub(crate) fn unless(
        solver: &'static str,
        problem: &Problem,
        takes: impl Fn(Set) -> bool,
    ) -> Result<(), Unsupported> {
        let other = problem.sets.iter().find(|set| !takes(**set));
        other.map_or(Ok(()), |set| Err(Unsupported::Kind { solver, what: set.name() }))
    }
}

/// Rows of problems with contacts from which a solver gives its memory back: the rest of the step can do with it, and to ask
/// for it again takes little beside the sweeps. Nothing is remembered from such problems.
const LARGE: usize = 200_000;

/// Solves, then judges: `status` is `Converged` exactly when the solver took the problem and the
/// certificate is within `tolerance`, and `Infeasible` where it is not and [`contradiction`] proves that it cannot be, whatever the solver says.
///
/// `u` receives W p + u_free.
#[inline]
pub fn solve(
    solver: &mut dyn Solver,
    problem: &Problem,
    tolerance: f64,
    p: &mut [f64],
    u: &mut Vec<f64>,
) -> Report {
    if problem.size() == 0 {
        u.clear();
        let (status, method) = (Status::Converged, "none");
        return Report { status, iterations: 0, method, residual: 0.0, worst: None };
    }
    let outcome = match solver.accepts(problem) {
        Ok(()) => solver.solve(problem, tolerance, p),
        Err(_) => Outcome { status: Status::Unsupported, iterations: 0, method: "none" },
    };
    if problem.size() >= LARGE && problem.delassus.has_contacts() {
        solver.forget();
    }
    let Certificate { residual, worst, .. } = certify(problem, p, u);
    let status = match outcome.status {
        Status::Unsupported => Status::Unsupported,
        _ if residual <= tolerance => Status::Converged,
        _ if contradiction(problem, tolerance).is_some() => Status::Infeasible,
        Status::Converged => Status::Stalled,
        status => status,
    };
    Report { status, iterations: outcome.iterations, method: outcome.method, residual, worst }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Sparse;

    #[test]
    fn the_solver_of_the_contributing_guide_solves_and_refuses() {
        let w = Sparse::from_rows(&[vec![2.0, 1.0], vec![1.0, 2.0]]);
        let problem = Problem::complementarity(w, vec![-1.0, 1.0]).unwrap();
        let mut solver = row_by_row::ENTRY.build(&Options::default()).unwrap();
        let (mut p, mut u) = (vec![0.0; 2], Vec::new());
        let report = solve(&mut *solver, &problem, 1e-12, &mut p, &mut u);
        assert_eq!(report.status, Status::Converged);
        assert!((p[0] - 0.5).abs() < 1e-12 && p[1] == 0.0, "{p:?}");
        let w = Sparse::from_rows(&[vec![1.0, 0.0], vec![0.0, 1.0]]);
        let friction = Problem::new(w, vec![-1.0, 0.0], vec![Set::Coulomb2 { mu: 0.5 }]).unwrap();
        assert!(matches!(solver.accepts(&friction), Err(Unsupported::Kind { .. })));
    }
}
