//! Shapes as plain data, for those who draw or store them.

/// The words that [`Description::kind`] may be.
pub const KINDS: [&str; 11] = [
    "ball",
    "box",
    "capsule",
    "cylinder",
    "cone",
    "hull",
    "mesh",
    "height-field",
    "half-space",
    "polygon",
    "chain",
];

/// A simple shape in its own frame; in the plane z is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// One of [`KINDS`]; a half-plane is a half-space, a rectangle a box.
    pub kind: &'static str,
    /// Ball: radius [m]. Box: half sides [m]. Capsule, cylinder, cone: half length, radius [m]. Half-space: outward
    /// normal [–]. Chain: 1 if closed. Else zeros.
    pub sizes: [f64; 3],
    /// Of hulls, meshes, height fields, polygons and chains [m].
    pub vertices: Vec<[f64; 3]>,
    /// Three vertices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Description {
    pub(crate) fn plain(kind: &'static str, sizes: [f64; 3]) -> Self {
        Self { kind, sizes, ..Self::default() }
    }
}
