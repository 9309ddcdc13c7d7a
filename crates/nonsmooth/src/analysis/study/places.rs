//! The places in q and in v that are compared.

use super::StudyError;
use crate::analysis::exact::Exact;
use crate::model::State;

/// The places in q and in v that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    pub(super) q: Vec<usize>,
    pub(super) v: Vec<usize>,
    /// q̇ = v, place by place.
    pub(super) is_paired: bool,
}

impl Places {
    /// These coordinates of a model that begins in `state`; all if none are given.
    pub fn new(state: &State, coordinates: &[usize]) -> Result<Self, StudyError> {
        let sizes = [state.q.len(), state.v.len()];
        Self::checked(sizes, sizes, coordinates)
    }

    /// The same, for a comparison with an exact solution, which must have them too.
    pub fn shared(state: &State, exact: &dyn Exact, coordinates: &[usize]) -> Result<Self, StudyError> {
        let motion = exact.at(state.t);
        let sizes = [state.q.len(), state.v.len()];
        Self::checked(sizes, [motion.q.len(), motion.v.len()], coordinates)
    }

    fn checked(
        model: [usize; 2],
        reference: [usize; 2],
        coordinates: &[usize],
    ) -> Result<Self, StudyError> {
        let mut known = model.iter().chain(&reference).copied();
        let is_missing = |&&i: &&usize| known.clone().any(|n| i >= n);
        if let Some(&index) = coordinates.iter().find(is_missing) {
            return Err(StudyError::Coordinate { index, model, reference });
        }
        if coordinates.is_empty() && model != reference {
            let index = known.by_ref().min().unwrap_or(0);
            return Err(StudyError::Coordinate { index, model, reference });
        }
        let [q, v] = model.map(|n| match coordinates {
            [] => (0..n).collect(),
            chosen => chosen.to_vec(),
        });
        Ok(Self { q, v, is_paired: model[0] == model[1] })
    }

    /// Numbers that are kept of every node: its time, the chosen coordinates and velocities.
    pub fn width(&self) -> usize {
        1 + self.q.len() + self.v.len()
    }
}
