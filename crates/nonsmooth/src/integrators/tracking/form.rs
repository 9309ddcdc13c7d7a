//! The forms of a law on one row at an instant.

use crate::laws::LawRows;
use nonsmooth_solvers::Set;

/// A row that a law is asked about; all but the first two fields are written by the law.
pub(crate) struct RowForm {
    u_minus: [f64; 1],
    p_before: [f64; 1],
    /// What it adds to u⁺ [m/s].
    pub(crate) shift: [f64; 1],
    /// Impulse that acts in any case [N·s].
    pub(crate) given: [f64; 1],
    sets: [Set; 1],
    compliance: [f64; 1],
}

impl RowForm {
    /// A row with this u⁻ [m/s] and impulse of the last phase [N·s].
    pub(crate) fn new(u_minus: f64, p_before: f64) -> Self {
        let (u_minus, p_before) = ([u_minus], [p_before]);
        Self { u_minus, p_before, shift: [0.0], given: [0.0], sets: [Set::Free], compliance: [0.0] }
    }

    /// The row as a law takes it.
    pub(crate) fn rows(&mut self) -> LawRows<'_> {
        LawRows {
            dim: 1,
            h: 0.0,
            ahead: 0.0,
            gap: &[0.0],
            u_minus: &self.u_minus,
            p_before: &self.p_before,
            history: &[],
            coupled: &[],
            sets: &mut self.sets,
            shift: &mut self.shift,
            compliance: &mut self.compliance,
            given: &mut self.given,
        }
    }
}
