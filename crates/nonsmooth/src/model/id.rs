//! Names of constraints that last for the whole run.
//!
//! ```text
//! high   family (8 bits) · first (28 bits) · second (28 bits)       low   feature of the first (32) · of the second (32)
//! ```
//!
//! `first` is the number of a member of the family (gap, joint, spring) or the first of two colliders. Active constraints are sorted by
//! their names, so each family has one range of them. No arithmetic is done on a name elsewhere.

/// Names a constraint for the whole run; never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstraintId {
    high: u64,
    low: u64,
}

/// Bits of a member or collider.
const BITS: u32 = 28;
const MASK: u64 = (1 << BITS) - 1;

impl ConstraintId {
    /// Member `number` of a family.
    pub fn member(family: u8, number: usize) -> Self {
        debug_assert!(number as u64 <= MASK, "a family has at most 2²⁸ members");
        Self { high: ((family as u64) << (2 * BITS)) | ((number as u64) << BITS), low: 0 }
    }

    /// Component `part` of member `number` of a family, where a member has several constraints.
    pub fn member_part(family: u8, number: usize, part: u32) -> Self {
        Self { low: part as u64, ..Self::member(family, number) }
    }

    /// The point of two colliders where these features meet.
    pub fn contact(family: u8, colliders: [u32; 2], features: [u32; 2]) -> Self {
        let [a, b] = colliders.map(u64::from);
        debug_assert!(a.max(b) <= MASK, "a model has at most 2²⁸ colliders");
        let high = ((family as u64) << (2 * BITS)) | (a << BITS) | b;
        Self { high, low: ((features[0] as u64) << 32) | features[1] as u64 }
    }

    /// The family.
    pub fn family(self) -> usize {
        (self.high >> (2 * BITS)) as usize
    }

    /// The number of the member.
    pub fn number(self) -> usize {
        ((self.high >> BITS) & MASK) as usize
    }

    /// The component of a member with several constraints.
    pub fn part(self) -> u32 {
        self.low as u32
    }

    /// The two colliders of a contact.
    pub fn colliders(self) -> [u32; 2] {
        [((self.high >> BITS) & MASK) as u32, (self.high & MASK) as u32]
    }

    /// The two features of a contact.
    pub fn features(self) -> [u32; 2] {
        [(self.low >> 32) as u32, self.low as u32]
    }

    /// All of it in two numbers, for files.
    pub fn bits(self) -> [u64; 2] {
        [self.high, self.low]
    }

    /// From the two numbers of `bits`.
    pub fn from_bits([high, low]: [u64; 2]) -> Self {
        Self { high, low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_parts_and_sorts_by_family_first() {
        let id = ConstraintId::contact(3, [7, 1 << 27], [u32::MAX, 5]);
        assert_eq!((id.family(), id.colliders(), id.features()), (3, [7, 1 << 27], [u32::MAX, 5]));
        assert_eq!(ConstraintId::from_bits(id.bits()), id);
        let gap = ConstraintId::member_part(1, 12, 4);
        assert_eq!((gap.family(), gap.number(), gap.part()), (1, 12, 4));
        assert!(gap < id && gap > ConstraintId::member(1, 12));
    }
}
