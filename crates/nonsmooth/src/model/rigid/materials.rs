//! Materials: which law holds between two of them. A table by pairs, and a default for pairs that are not in it.

use super::{MaterialId, PairError};
use crate::model::LawId;

/// The table while it is filled.
#[derive(Default)]
pub(in crate::model) struct Materials {
    pub(in crate::model) names: Vec<String>,
    pub(in crate::model) pairs: Vec<(MaterialId, MaterialId, LawId)>,
    pub(in crate::model) default: Option<LawId>,
}

impl Materials {
    /// The law of every pair, row by row.
    pub(in crate::model) fn table(&self) -> Vec<Option<LawId>> {
        let n = self.names.len();
        let mut table = vec![self.default; n * n];
        for &(a, b, law) in &self.pairs {
            table[a.0 * n + b.0] = Some(law);
            table[b.0 * n + a.0] = Some(law);
        }
        table
    }

    /// The first pair that was given twice.
    pub(in crate::model) fn given_twice(&self) -> Option<PairError> {
        let pair = |&(a, b, _): &(MaterialId, MaterialId, LawId)| (a.min(b), a.max(b));
        let mut pairs = self.pairs.iter().enumerate();
        let known = |i: usize, of| self.pairs[..i].iter().any(|other| pair(other) == of);
        let twice = pairs.find(|(i, given)| known(*i, pair(given)));
        twice.map(|(_, (a, b, _))| PairError::Twice {
            a: self.names[a.0].clone(),
            b: self.names[b.0].clone(),
        })
    }
}
