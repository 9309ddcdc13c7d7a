//! x

/// What a shape occupies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// A box with sides along the axes.
    Box {
        /// Lowest corner [m].
        low: [f64; 3],
        /// Highest corner [m].
        high: [f64; 3],
    },
    /// All x with normal·x ≤ offset.
    HalfSpace {
        /// Outward unit normal [–].
        normal: [f64; 3],
        /// Distance of the plane from the origin along the normal [m].
        offset: f64,
    },
}
