//! What kind of contact problem it is: sizes, sets, coupling and what is asked for. Nothing here depends on how W is stored.

use crate::delassus::Form;
use crate::incidence::Incidence;
use crate::primal::components;
use crate::problem::Problem;
use crate::set::Set;

/// Entries per row of W up to which constraints are sparsely coupled: piles of spheres have 10 to 20, stacks
/// 30 to 35, walls and towers 60 to 120.
const SPARSE: f64 = 28.0;
/// Entries per row of W from which contacts outnumber velocities.
const HYPERSTATIC: f64 = 40.0;
/// Contacts of an island up to which factors are tried: a bound on their memory, chosen, not measured.
pub(super) const MOST_CONTACTS: usize = 20_000;
/// The same of sparse couplings in space, whose factors fill in.
const MOST_SPARSE: usize = 3500;
/// Contacts up to which projected gradients are tried: they keep six vectors, 150 bytes per contact.
const GRADIENT_CONTACTS: usize = 100_000;
/// Tolerance from which heaps go to gradients, and alternating directions come before Newton's method everywhere: at 1e-4
/// the collection is 3 % faster with them and its worst case 2.8 times, at 1e-8 it is 3 % slower.
const LOOSE: f64 = 1e-6;
/// Rows up to which a heap goes down the whole list: at 470 rows the interior point took 60 ms to 1e-6 where the
/// methods before it ended at 1.7e-5; at 3000 the end of the list took 12 s and solved no step of 500 spheres.
const THOROUGH: usize = 1500;
/// Rows in space up to which the interior point is tried: it forms W.
const INTERIOR_ROWS: usize = 3000;
/// Rows from which sweeps that promise nothing are cheaper than a linear system.
const LARGE: usize = 100;

/// What the conditions of the chain look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    pub(super) rows: usize,
    pub(super) constraints: usize,
    /// Whether all friction is that of the plane.
    pub(super) plane: bool,
    /// Entries per row of W.
    pub(super) coupling: f64,
    pub(super) loose: bool,
    /// Whether there is no guess.
    pub(super) cold: bool,
}

impl Traits {
    pub(super) fn of(problem: &Problem, tolerance: f64, cold: bool) -> Self {
        Self {
            rows: problem.size(),
            constraints: problem.sets.len(),
            plane: is_plane(problem),
            coupling: coupling(problem),
            loose: tolerance >= LOOSE,
            cold,
        }
    }

    fn is_sparse(&self) -> bool {
        !self.plane && self.coupling <= SPARSE
    }

    /// Bodies in space with few contacts each, asked for few digits: a system of Newton's costs 200 to 400 sweeps there (in walls and towers 30 to 60).
    pub(super) fn is_heap(&self) -> bool {
        self.loose && self.is_sparse()
    }

    /// Whether one factor for tens of iterations is the better way.
    pub(super) fn one_factor(&self) -> bool {
        self.cold && (self.loose || self.coupling > HYPERSTATIC)
    }

    /// Whether factors fit into memory.
    pub(super) fn factors(&self) -> bool {
        self.constraints <= if self.is_sparse() { MOST_SPARSE } else { MOST_CONTACTS }
    }

    pub(super) fn gradients(&self) -> bool {
        self.constraints <= GRADIENT_CONTACTS
    }

    pub(super) fn interior(&self) -> bool {
        self.factors() && (self.plane || self.rows <= INTERIOR_ROWS)
    }

    pub(super) fn thorough(&self) -> bool {
        !self.is_heap() || self.rows <= THOROUGH
    }

    pub(super) fn is_large(&self) -> bool {
        self.rows >= LARGE
    }
}

/// Whether all friction is that of the plane.
fn is_plane(problem: &Problem) -> bool {
    problem.sets.iter().all(|set| matches!(set, Set::Nonnegative | Set::Free | Set::Coulomb2 { .. }))
}

/// Entries per row of W, seen from its pattern: a row meets the rows of the groups that it acts on.
fn coupling(problem: &Problem) -> f64 {
    let n = problem.size().max(1) as f64;
    match &problem.delassus.form {
        Form::Explicit(w) => w.n_entries() as f64 / n,
        Form::Posed(posed) => {
            let mut incidence = Incidence::default();
            incidence.build(&posed.mass, &posed.jacobian);
            let constraints = 0..posed.jacobian.n_constraints();
            let mut rows_at = vec![0usize; posed.mass.n_groups()];
            for c in constraints.clone() {
                let rows = posed.jacobian.rows_of(c).len();
                incidence.groups_of(c).iter().for_each(|&g| rows_at[g as usize] += rows);
            }
            let met = |c: usize| -> usize {
                let rows = posed.jacobian.rows_of(c).len();
                let groups = incidence.groups_of(c);
                let others: usize = groups.iter().map(|&g| rows_at[g as usize] - rows).sum();
                rows * (others + rows)
            };
            constraints.map(met).sum::<usize>() as f64 / n
        }
        Form::Primal(primal) => {
            let group = components(&primal.mass);
            let groups_of = |i: usize| {
                let mut own: Vec<usize> =
                    primal.jacobian.row(i).0.iter().map(|&j| group[j as usize]).collect();
                own.sort_unstable();
                own.dedup();
                own
            };
            let mut rows_at = vec![0usize; primal.mass.n_rows()];
            (0..problem.size()).for_each(|i| groups_of(i).iter().for_each(|&g| rows_at[g] += 1));
            let met = |i: usize| groups_of(i).iter().map(|&g| rows_at[g]).sum::<usize>();
            (0..problem.size()).map(met).sum::<usize>() as f64 / n
        }
    }
}
