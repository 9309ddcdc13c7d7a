//! The forms of a law on the rows of one contact at an instant.

use crate::laws::{Law, LawRows};
use nonsmooth_solvers::Set;

/// Most rows of a contact: normal and two tangents.
pub(crate) const MOST_ROWS: usize = 3;
/// Most numbers that a law remembers of a contact.
const MOST_HISTORY: usize = 8;

/// The rows of a contact that a law is asked about; the public fields are written by the law.
pub(crate) struct RowForm {
    dim: usize,
    u_minus: [f64; MOST_ROWS],
    p_before: [f64; MOST_ROWS],
    history: [f64; MOST_HISTORY],
    /// What it adds to u⁺ [m/s].
    pub(crate) shift: [f64; MOST_ROWS],
    /// Impulse that acts in any case [N·s].
    pub(crate) given: [f64; MOST_ROWS],
    sets: [Set; 1],
    compliance: [f64; MOST_ROWS],
}

impl RowForm {
    /// Rows with this u⁻ [m/s] and impulse of the last phase [N·s]. Nothing is remembered of them.
    pub(crate) fn new(u_minus: &[f64], p_before: &[f64]) -> Self {
        let three = |x: &[f64]| std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0));
        Self {
            dim: u_minus.len(),
            u_minus: three(u_minus),
            p_before: three(p_before),
            history: [0.0; MOST_HISTORY],
            shift: [0.0; MOST_ROWS],
            given: [0.0; MOST_ROWS],
            sets: [Set::Nonnegative],
            compliance: [0.0; MOST_ROWS],
        }
    }

    /// The rows as a law takes them.
    pub(crate) fn rows(&mut self, law: &dyn Law) -> LawRows<'_> {
        let dim = self.dim;
        LawRows {
            dim,
            h: 0.0,
            ahead: 0.0,
            gap: &[0.0],
            u_minus: &self.u_minus[..dim],
            p_before: &self.p_before[..dim],
            history: &self.history[..law.n_history()],
            coupled: &[],
            sets: &mut self.sets,
            shift: &mut self.shift[..dim],
            compliance: &mut self.compliance[..dim],
            given: &mut self.given[..dim],
        }
    }

    /// The set that the law wrote.
    pub(crate) fn set(&self) -> Set {
        self.sets[0]
    }
}

/// The set of a lasting contact with this sliding velocity [m/s]; none where it slides, which laws with two coefficients tell apart.
pub(crate) fn lasting_set(law: &dyn Law, slip: &[f64]) -> Set {
    let mut u = [0.0; MOST_ROWS];
    u[1..=slip.len()].copy_from_slice(slip);
    let mut form = RowForm::new(&u[..=slip.len()], &[0.0; MOST_ROWS]);
    law.contact(&mut form.rows(law));
    form.set()
}

/// μ of a lasting contact with this sliding velocity; 0 for sets without a disc of friction.
pub(crate) fn friction(law: &dyn Law, slip: &[f64]) -> f64 {
    match lasting_set(law, slip) {
        Set::Coulomb2 { mu } | Set::Coulomb3 { mu } => mu,
        _ => 0.0,
    }
}
