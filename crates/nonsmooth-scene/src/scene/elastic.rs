//! Meshes and elastic bodies as they are typed.

use super::{Chosen, Quantity, Vector, formulations_schema};
use schemars::JsonSchema;
use serde::Deserialize;

/// A mesh: from a file of Gmsh, or by formula.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Mesh {
    /// Name of the mesh.
    pub name: String,
    /// line: `from`, `to`, `cells`; rectangle and box: `corner`, `size`, `cells`, `cell`; disc: `centre`, `radii`, `angles`, `cells`, `cell`.
    pub shape: Option<MeshShape>,
    /// A mesh in the format of Gmsh, version 4.1, text or binary, in place of a shape.
    pub file: Option<String>,
    /// Factor of all lengths of a file [–]; 1 if not given.
    pub scale: Option<Quantity>,
    /// Where the origin of a file stands [m]; the origin if not given.
    pub position: Option<Vec<Quantity>>,
    /// Start of a line [m].
    pub from: Option<Vec<Quantity>>,
    /// End of a line [m].
    pub to: Option<Vec<Quantity>>,
    /// The corner with the least coordinates of a rectangle or box [m]; the origin if not given.
    pub corner: Option<Vec<Quantity>>,
    /// Sides of a rectangle or box [m].
    pub size: Option<Vec<Quantity>>,
    /// How the cells of a rectangle or box grow along each axis: the last by the first, each by the same factor from one to the next [–]; 1 if not given.
    pub grading: Option<Vec<Quantity>>,
    /// Centre of a disc [m]; the origin if not given.
    pub centre: Option<Vec<Quantity>>,
    /// Inner and outer radius of a disc [m]; 0 inside: no hole.
    pub radii: Option<Vec<Quantity>>,
    /// Where a sector of a disc begins and ends, from the x axis [rad]; a whole turn if not given.
    pub angles: Option<Vec<Quantity>>,
    /// Number of cells: of a line; along x, y (and z); along the radius and around. One number: the same in each direction.
    pub cells: Option<Vector>,
    /// Kind of the cells: quad4, quad8, triangle3, triangle6 of a rectangle or disc; hex8, hex20, tet4, tet10 of a box.
    pub cell: Option<String>,
}

/// A shape that is meshed by formula.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum MeshShape {
    /// A line between two points; groups `start`, `end` and `line`.
    Line,
    /// A rectangle; groups `left`, `right`, `bottom`, `top`, `boundary`.
    Rectangle,
    /// A box; groups `left`, `right`, `back`, `front`, `bottom`, `top`, `boundary`.
    Box,
    /// A disc, ring or sector; groups `rim`, `boundary`, of a sector `first` and `last`.
    Disc,
}

/// An elastic body: small strains and small rotations about its mesh.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Elastic {
    /// Name of the body; coordinates are then `name.x12`: component and node, as numbered from 0 in the mesh.
    pub name: String,
    /// Name of its mesh.
    pub mesh: String,
    /// How its cells carry load, and its numbers.
    #[schemars(schema_with = "formulations_schema")]
    pub material: Chosen,
    /// How mass is shared among nodes.
    #[serde(default)]
    pub mass: MassKind,
    /// Rayleigh's damping C = a M + b K: a [1/s] and b [s]; none if not given.
    pub damping: Option<Vec<Quantity>>,
    /// Nodes that are held.
    #[serde(default)]
    pub fixed: Vec<Support>,
    /// Nodes whose velocity is given.
    #[serde(default)]
    pub prescribed: Vec<PrescribedNodes>,
    /// Forces on sides and nodes, beside gravity.
    #[serde(default)]
    pub load: Vec<ElasticLoad>,
    /// Velocity of all nodes at the start [m/s]; zero if not given.
    pub velocity: Option<Vec<Quantity>>,
    /// What its nodes meet.
    #[serde(default)]
    pub contact: Vec<ElasticContact>,
}

/// How mass is shared among nodes.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum MassKind {
    /// By the shape functions.
    #[default]
    Consistent,
    /// On the diagonal alone.
    Lumped,
}

/// Nodes that are held.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Support {
    /// Group of the mesh.
    pub group: String,
    /// Components that are held: x, y, z, and of beams r, or r_x, r_y, r_z; all if not given.
    pub axes: Option<Vec<String>>,
}

/// Nodes whose velocity is given.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PrescribedNodes {
    /// Group of the mesh.
    pub group: String,
    /// The component: x, y, z, r, r_x, r_y or r_z.
    pub axis: String,
    /// Its velocity, a formula of t [m/s, rad/s].
    pub velocity: Quantity,
}

/// A load on the sides or on the nodes of a group: one of `traction`, `pressure` and `force`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ElasticLoad {
    /// Group of the mesh.
    pub group: String,
    /// Force by area of the sides [Pa], formulas of t.
    pub traction: Option<Vec<Quantity>>,
    /// Pressure against the sides [Pa], a formula of t.
    pub pressure: Option<Quantity>,
    /// Force on all nodes of the group together, in equal parts [N], formulas of t.
    pub force: Option<Vec<Quantity>>,
}

/// Contact of the nodes of a group.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ElasticContact {
    /// Group of the mesh: its nodes are those that touch.
    pub group: String,
    /// A body of the scene, or the sides of another elastic body as `name.group`.
    pub with: String,
    /// Name of a law. Stiffness, damping, energy and viscosity of `cohesion` and `compliant` are by area of the surface here, of lines by length.
    pub law: String,
}
