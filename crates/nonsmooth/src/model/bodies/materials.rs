//! Materials: which law holds between two of them. A table by pairs, and a default for pairs that are not in it.

use super::MaterialId;
use thiserror::Error;

/// A pair of materials without a law, or with two.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PairError {
    /// Two bodies may touch whose materials have no law.
    #[error(
        "`{first}` and `{second}` may touch, but their materials `{a}` and `{b}` have no law; give the pair one, or a default for all pairs"
    )]
    Missing {
        /// A body of one material.
        first: String,
        /// A body of the other.
        second: String,
        /// One material.
        a: String,
        /// The other.
        b: String,
    },
    /// A pair was given twice.
    #[error("the law of the materials `{a}` and `{b}` is given twice")]
    Twice {
        /// One material.
        a: String,
        /// The other.
        b: String,
    },
}

/// The table while it is filled.
#[derive(Default)]
pub(in crate::model) struct Materials {
    pub(in crate::model) names: Vec<String>,
    pub(in crate::model) pairs: Vec<(MaterialId, MaterialId, usize)>,
    pub(in crate::model) default: Option<usize>,
}

impl Materials {
    /// The law of every pair, row by row.
    pub(in crate::model) fn table(&self) -> Vec<Option<usize>> {
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
        let same = |(a, b, _): &(MaterialId, MaterialId, usize),
                    (c, d, _): &(MaterialId, MaterialId, usize)| {
            (a, b) == (c, d) || (a, b) == (d, c)
        };
        let mut pairs = self.pairs.iter().enumerate();
        let twice = pairs.find(|(i, pair)| self.pairs[..*i].iter().any(|other| same(pair, other)));
        twice.map(|(_, (a, b, _))| PairError::Twice {
            a: self.names[a.0].clone(),
            b: self.names[b.0].clone(),
        })
    }
}
