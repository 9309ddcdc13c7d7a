//! Work on many contact points in chunks of fixed size, which threads share: no bit depends on their number.

use rayon::prelude::*;
use std::ops::Range;

/// Points of one chunk: far more work than it takes to hand it to a thread.
const CHUNK: usize = 1024;

/// A stretch of points and the stretch of rows that belong to them.
pub struct Chunk {
    /// The points.
    pub points: Range<usize>,
    /// Their rows.
    pub rows: Range<usize>,
}

/// All chunks of `n` points, of which point i has `dim(i)` rows.
pub fn chunks(n: usize, dim: impl Fn(usize) -> usize) -> Vec<Chunk> {
    let mut row = 0;
    let chunk = |first: usize| {
        let points = first..(first + CHUNK).min(n);
        let begin = row;
        row += points.clone().map(&dim).sum::<usize>();
        Chunk { points, rows: begin..row }
    };
    (0..n).step_by(CHUNK).map(chunk).collect()
}

/// What `make` returns for each chunk, in order.
pub fn map_chunks<T: Send>(chunks: &[Chunk], make: impl Fn(&Chunk) -> T + Sync) -> Vec<T> {
    if chunks.len() > 1 && rayon::current_num_threads() > 1 {
        chunks.par_iter().map(&make).collect()
    } else {
        chunks.iter().map(make).collect()
    }
}

/// Lets `write` fill the rows of each chunk in `out`, which has as many as all chunks together.
pub fn fill_rows(chunks: &[Chunk], out: &mut [f64], write: impl Fn(&Chunk, &mut [f64]) + Sync) {
    let mut parts = Vec::with_capacity(chunks.len());
    let mut rest = out;
    for chunk in chunks {
        let (own, others) = rest.split_at_mut(chunk.rows.len());
        parts.push((chunk, own));
        rest = others;
    }
    if parts.len() > 1 && rayon::current_num_threads() > 1 {
        parts.into_par_iter().for_each(|(chunk, out)| write(chunk, out));
    } else {
        parts.into_iter().for_each(|(chunk, out)| write(chunk, out));
    }
}

/// Fills `out` with `make(0)`, …, `make(n − 1)`.
pub fn fill<T: Send>(n: usize, out: &mut Vec<T>, make: impl Fn(usize) -> T + Sync) {
    if n > CHUNK && rayon::current_num_threads() > 1 {
        (0..n).into_par_iter().with_min_len(CHUNK).map(&make).collect_into_vec(out);
    } else {
        out.clear();
        out.extend((0..n).map(make));
    }
}
