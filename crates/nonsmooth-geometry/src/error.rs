//! What can be wrong with a shape. Carries data; `Display` writes the sentence.

use thiserror::Error;

/// Why a shape cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A length is not a positive finite number.
    #[error("{what} must be > 0 and finite, got {got}")]
    NotPositive {
        /// `radius`, `half length`, …
        what: &'static str,
        /// The value given.
        got: f64,
    },
    /// A direction has no length or is not finite.
    #[error("the normal of a half-space must be finite and not zero")]
    NoDirection,
    /// A coordinate is not finite.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// `point`, `vertex`, `height`, `part`.
        what: &'static str,
        /// Counted from 0.
        index: usize,
    },
    /// Too few points.
    #[error("{what} needs at least {least} points, got {got}")]
    TooFew {
        /// The shape.
        what: &'static str,
        /// Points needed.
        least: usize,
        /// Points given.
        got: usize,
    },
    /// All points of a hull lie in one plane (on one line in the plane), or nearly so.
    #[error("the points of the convex hull have no extent in some direction; add points off their {0}")]
    Flat(&'static str),
    /// The hull algorithm failed or left points outside.
    #[error("no convex hull was found ({0}); merge points that nearly coincide")]
    NoHull(String),
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} names vertex {vertex}, but there are only {n_vertices}, counted from 0"
    )]
    OutOfRange {
        /// Counted from 0.
        triangle: usize,
        /// The number it gives.
        vertex: u32,
        /// Vertices there are.
        n_vertices: usize,
    },
    /// A triangle or segment without extent.
    #[error("{what} {index} is degenerate: its corners coincide or lie on one line")]
    Degenerate {
        /// `triangle` or `link`.
        what: &'static str,
        /// Counted from 0.
        index: usize,
    },
    /// More than two triangles share an edge, or two of them run along it in the same direction.
    #[error(
        "triangles {first} and {second} run along the edge from vertex {from} to {to} in the same direction: they are turned against each other, given twice, or more than two meet there"
    )]
    NotManifold {
        /// First triangle.
        first: usize,
        /// Second triangle.
        second: usize,
        /// Start of the edge.
        from: u32,
        /// End of the edge.
        to: u32,
    },
    /// A closed mesh is inside out.
    #[error("the closed mesh is inside out (volume {volume:.3e}): turn its triangles round")]
    InsideOut {
        /// Signed volume [m³].
        volume: f64,
    },
    /// A closed chain runs the wrong way round.
    #[error(
        "the closed chain runs clockwise (area {area:.3e}): turn its points round, so that its outside is on the right"
    )]
    Clockwise {
        /// Signed area [m²].
        area: f64,
    },
    /// The heights do not fill the grid.
    #[error("the height field has {got} heights for a grid of {columns} × {rows}")]
    GridMismatch {
        /// Heights given.
        got: usize,
        /// Grid points along x.
        columns: usize,
        /// Grid points along y.
        rows: usize,
    },
    /// Nothing given.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// Parts of a compound must be simple.
    #[error("part {part} of the compound is itself a compound or a half-space")]
    Nested {
        /// Counted from 0.
        part: usize,
    },
    /// More than the features can count.
    #[error("{what}: at most {most}, got {got}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// The most allowed.
        most: usize,
        /// The number given.
        got: usize,
    },
}

/// Why a shape has no mass properties.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MassError {
    /// The density is not a positive finite number.
    #[error("the density must be > 0 and finite, got {0}")]
    Density(f64),
    /// The shape bounds no volume.
    #[error("a {0} has no volume: give the mass and inertia of its body, or fix the body")]
    NoVolume(&'static str),
    /// A mesh with holes bounds no volume.
    #[error(
        "the mesh is not closed: {count} open edges, the first between vertices {}",
        first.iter().map(|[from, to]| format!("{from}–{to}")).collect::<Vec<_>>().join(", ")
    )]
    Open {
        /// How many edges have one triangle only.
        count: usize,
        /// The first of them, by vertex numbers.
        first: Vec<[u32; 2]>,
    },
    /// A mesh that encloses nothing.
    #[error("the mesh encloses no volume ({volume:.3e})")]
    Volume {
        /// Signed volume [m³].
        volume: f64,
    },
}

/// The value, if it is a positive finite number.
pub(crate) fn positive(what: &'static str, got: f64) -> Result<f64, ShapeError> {
    if got > 0.0 && got.is_finite() { Ok(got) } else { Err(ShapeError::NotPositive { what, got }) }
}
