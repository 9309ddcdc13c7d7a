//! Velocities of bodies, a cache line each, which several threads write at once, each its own bodies.
//!
//! ```text
//! [ v_x  v_y  v_z  1/m | ω_x  ω_y  ω_z  1/I ]
//! ```
//!
//! All that does not move, and the lanes of a block that no contact fills, stand at lines with 1/m = 1/I = 0, which are
//! read and written like the others: that costs less than to ask. Each chunk of a colour has one of these.

#![allow(unsafe_code)]

use super::lanes::{Four, Quad};
use std::marker::PhantomData;

/// A body: v and 1/m, ω and 1/I.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(in crate::solvers) struct Line(pub(in crate::solvers) [Quad; 2]);

impl Line {
    pub(in crate::solvers) fn new(inv_mass: f64, inv_inertia: f64) -> Self {
        let mut line = Self::default();
        (line.0[0].0[3], line.0[1].0[3]) = (inv_mass, inv_inertia);
        line
    }

    /// Component k of (v, ω).
    #[inline(always)]
    pub(in crate::solvers) fn velocity(&mut self, k: usize) -> &mut f64 {
        &mut self.0[k / 3].0[k % 3]
    }

    /// v = 0, ω = 0.
    pub(in crate::solvers) fn stop(&mut self) {
        (0..6).for_each(|k| *self.velocity(k) = 0.0);
    }
}

/// Lines that the tasks of one colour share.
#[derive(Clone, Copy)]
pub(in crate::solvers) struct Shared<'a> {
    first: *mut Line,
    n: usize,
    lines: PhantomData<&'a mut [Line]>,
}

// SAFETY: tasks that run at the same time name different lines; `Wide::is_disjoint` is the proof, checked by `prepare`.
unsafe impl Send for Shared<'_> {}
// SAFETY: as above.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    pub(in crate::solvers) fn new(lines: &'a mut [Line]) -> Self {
        Self { first: lines.as_mut_ptr(), n: lines.len(), lines: PhantomData }
    }

    #[inline(always)]
    fn at(self, place: u32) -> *mut Line {
        assert!((place as usize) < self.n, "a place outside of the lines");
        // SAFETY: within the lines.
        unsafe { self.first.add(place as usize) }
    }

    #[inline(always)]
    fn half<V: Four>(self, place: u32, half: usize) -> V {
        // SAFETY: `at` is within the lines, and no other task writes this one.
        V::load(unsafe { &(&(*self.at(place)).0)[half] })
    }

    /// v_x, v_y, v_z, 1/m of four bodies (half 0) or ω_x, ω_y, ω_z, 1/I (half 1), each by lanes.
    #[inline(always)]
    pub(in crate::solvers) fn gather<V: Four>(self, places: [u32; 4], half: usize) -> [V; 4] {
        let [a, b, c, d] = places;
        V::transpose([self.half(a, half), self.half(b, half), self.half(c, half), self.half(d, half)])
    }

    /// Writes what `gather` read.
    #[inline(always)]
    pub(in crate::solvers) fn scatter<V: Four>(self, places: [u32; 4], half: usize, x: [V; 4]) {
        let rows = V::transpose(x);
        for l in 0..4 {
            // SAFETY: as in `half`.
            rows[l].store(unsafe { &mut (&mut (*self.at(places[l])).0)[half] });
        }
    }
}
