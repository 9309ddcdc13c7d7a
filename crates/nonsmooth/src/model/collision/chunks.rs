//! Work on many contact points in chunks of fixed size, which threads share: no bit depends on their number.

use rayon::prelude::*;

/// Points of one chunk: far more work than it takes to hand it to a thread.
const CHUNK: usize = 1024;

/// Fills `out` with `make(0)`, …, `make(n − 1)`.
pub fn fill<T: Send>(n: usize, out: &mut Vec<T>, make: impl Fn(usize) -> T + Sync) {
    if n > CHUNK && rayon::current_num_threads() > 1 {
        (0..n).into_par_iter().with_min_len(CHUNK).map(&make).collect_into_vec(out);
    } else {
        out.clear();
        out.extend((0..n).map(make));
    }
}
