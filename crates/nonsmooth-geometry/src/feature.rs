//! Names of places on a shape, and of contact points, that persist from step to step.
//!
//! A contact point is where a vertex, edge or face of one shape meets one of the other. The pair of
//! names is its key: the same point of the same two shapes has the same key at the next step, so
//! that impulses can be carried over.
//!
//! Within a pair of simple shapes a kind (2 bits) and an index (30 bits) on each side are enough:
//! [`Feature::code`] packs them into 32 bits. A piece of a compound is named beside them; who names
//! the pieces himself, as colliders of their own, needs the codes only.

/// What kind of place a feature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureKind {
    /// A corner, the tip of a cone, or a point of a rim.
    Vertex,
    /// An edge between two faces, or the line along which a curved side touches.
    Edge,
    /// A face, or a smooth side.
    Face,
}

/// A vertex, edge or face of one part of a shape, packed into 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature(u64);

/// Bits of the index within its kind in a code.
const CODE_BITS: u32 = 30;
/// Largest index within a kind.
pub(crate) const MOST_INDEX: u32 = (1 << CODE_BITS) - 1;
/// Bits kept for the index beside kind and part.
const INDEX_BITS: u32 = 32;
/// Bits of the kind.
const KIND_BITS: u32 = 2;
/// Most parts of a compound, so that the part fits beside kind and index.
pub(crate) const MOST_PARTS: usize = 1 << (64 - INDEX_BITS - KIND_BITS);

impl Feature {
    /// The place `index` < 2³⁰ of its kind on part 0.
    pub const fn new(kind: FeatureKind, index: u32) -> Self {
        assert!(index <= MOST_INDEX, "an index has 30 bits");
        Self(((kind as u64) << INDEX_BITS) | index as u64)
    }

    pub(crate) const fn vertex(index: u32) -> Self {
        Self::new(FeatureKind::Vertex, index)
    }

    pub(crate) const fn edge(index: u32) -> Self {
        Self::new(FeatureKind::Edge, index)
    }

    pub(crate) const fn face(index: u32) -> Self {
        Self::new(FeatureKind::Face, index)
    }

    /// The same place on another part of a compound.
    pub(crate) const fn on_part(self, part: u32) -> Self {
        Self(self.0 | ((part as u64) << (INDEX_BITS + KIND_BITS)))
    }

    /// The part of a compound it lies on; 0 for a shape of one part.
    pub const fn part(self) -> u32 {
        (self.0 >> (INDEX_BITS + KIND_BITS)) as u32
    }

    /// Vertex, edge or face.
    pub const fn kind(self) -> FeatureKind {
        match (self.0 >> INDEX_BITS) & 3 {
            0 => FeatureKind::Vertex,
            1 => FeatureKind::Edge,
            _ => FeatureKind::Face,
        }
    }

    /// Number within its kind.
    pub const fn index(self) -> u32 {
        self.0 as u32
    }

    /// Kind and index in 32 bits, without the part.
    pub const fn code(self) -> u32 {
        ((self.kind() as u32) << CODE_BITS) | self.index()
    }

    /// The place on part 0 with this code.
    pub const fn from_code(code: u32) -> Self {
        let kind = match code >> CODE_BITS {
            0 => FeatureKind::Vertex,
            1 => FeatureKind::Edge,
            _ => FeatureKind::Face,
        };
        Self::new(kind, code & MOST_INDEX)
    }

    /// All of it in one number, for tables and files.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl std::fmt::Debug for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {} of part {}", self.kind(), self.index(), self.part())
    }
}

/// Which features meet at a contact point; unique among the points of one pair of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// On the first shape.
    pub a: Feature,
    /// On the second shape.
    pub b: Feature,
}

impl Key {
    /// The key of the same point when the shapes change places.
    pub const fn swapped(self) -> Self {
        Self { a: self.b, b: self.a }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_keeps_part_kind_and_index() {
        for kind in [FeatureKind::Vertex, FeatureKind::Edge, FeatureKind::Face] {
            for (part, index) in [(0, 0), (7, MOST_INDEX), (MOST_PARTS as u32 - 1, 12)] {
                let feature = Feature::new(kind, index).on_part(part);
                assert_eq!((feature.part(), feature.kind(), feature.index()), (part, kind, index));
                let again = Feature::from_code(feature.code());
                assert_eq!((again.part(), again.kind(), again.index()), (0, kind, index));
            }
        }
    }
}
