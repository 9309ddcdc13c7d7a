//! Names for values that solvers may keep something of: equal stamps, equal values.

use std::sync::atomic::{AtomicU64, Ordering};

/// Stamps given so far by this process.
static GIVEN: AtomicU64 = AtomicU64::new(1);

/// A stamp that nothing else in this process has.
pub(crate) fn next_stamp() -> u64 {
    GIVEN.fetch_add(1, Ordering::Relaxed)
}
