//! What is typed into a scene about rigid bodies: the world, shapes, bodies, materials, springs.

use super::{Quantity, Vector};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where all bodies live.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct World {
    /// g [m/s²]: three numbers put all bodies into space, two into the plane; no gravity, in space, if not given.
    pub gravity: Option<Vec<Quantity>>,
    /// Bodies whose centre of mass leaves this box are taken out of the run.
    pub region: Option<Region>,
}

/// A box with sides along the axes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Region {
    /// Lowest corner [m].
    pub low: Vec<Quantity>,
    /// Highest corner [m].
    pub high: Vec<Quantity>,
}

/// What a shape is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeKind {
    /// All points within `radius` of the origin.
    Ball,
    /// A box about the origin, by its sides `size` or half of them `half`; in the plane a rectangle.
    Box,
    /// A rectangle about the origin, in the plane.
    Rectangle,
    /// All points within `radius` of a segment of `length` along z (in the plane along x).
    Capsule,
    /// About the z axis, of `length` and `radius`, in space.
    Cylinder,
    /// About the z axis, of `length` and base `radius`, tip up, its origin at half its length; in space.
    Cone,
    /// The convex hull of `points` or of the vertices of `file`, in space.
    Hull,
    /// Triangles seen counter-clockwise from outside: `file`, or `vertices` and `triangles`; in space.
    Mesh,
    /// Ground of given `heights` over a grid about the origin, solid below.
    HeightField,
    /// Everything behind the plane through the origin with the outward `normal`, in space.
    HalfSpace,
    /// Everything behind the line through the origin with the outward `normal`, in the plane.
    HalfPlane,
    /// The convex hull of `points`, in the plane.
    Polygon,
    /// Links from point to point of `points`, solid on the left; in the plane.
    Chain,
    /// Several `parts` as one.
    Compound,
}

impl ShapeKind {
    /// As it is written in a scene.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ShapeKind::Ball => "ball",
            ShapeKind::Box => "box",
            ShapeKind::Rectangle => "rectangle",
            ShapeKind::Capsule => "capsule",
            ShapeKind::Cylinder => "cylinder",
            ShapeKind::Cone => "cone",
            ShapeKind::Hull => "hull",
            ShapeKind::Mesh => "mesh",
            ShapeKind::HeightField => "height-field",
            ShapeKind::HalfSpace => "half-space",
            ShapeKind::HalfPlane => "half-plane",
            ShapeKind::Polygon => "polygon",
            ShapeKind::Chain => "chain",
            ShapeKind::Compound => "compound",
        }
    }
}

/// A shape by its `type`, in its own frame; which of the other keys go with which type is said at each.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Shape {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ShapeKind,
    /// Radius [m] of a ball, capsule, cylinder or cone.
    pub radius: Option<Quantity>,
    /// Length [m] of a capsule (of its segment), cylinder or cone.
    pub length: Option<Quantity>,
    /// Full sides [m] of a box.
    pub size: Option<Vec<Quantity>>,
    /// Half sides [m] of a box, in place of `size`.
    pub half: Option<Vec<Quantity>>,
    /// Points [m] of a hull, polygon or chain.
    pub points: Option<Vec<Vec<Quantity>>>,
    /// Whether a chain returns to its first point; it then bounds a solid if it runs counter-clockwise.
    pub closed: Option<bool>,
    /// Vertices [m] of a mesh.
    pub vertices: Option<Vec<Vec<Quantity>>>,
    /// Triangles of a mesh: three numbers of vertices each, counted from 0.
    pub triangles: Option<Vec<Vec<u32>>>,
    /// Path relative to the scene: STL or OBJ for a mesh or hull, numbers for a height field.
    pub file: Option<String>,
    /// A factor for the lengths in a file; 1 if not given.
    pub scale: Option<Quantity>,
    /// Heights [m] of a height field: a formula of x and y [m] (of x in the plane), or a list, row by row along x.
    pub heights: Option<Vector>,
    /// Grid points of a height field along x.
    pub columns: Option<Quantity>,
    /// Grid points of a height field along y, in space.
    pub rows: Option<Quantity>,
    /// Distance [m] of the grid points of a height field, one for both directions or one for each.
    pub spacing: Option<Vector>,
    /// Outward normal of a half-space or half-plane; of any length.
    pub normal: Option<Vec<Quantity>>,
    /// Parts of a compound.
    pub parts: Option<Vec<ShapePart>>,
}

/// A shape by name, or the shape itself.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ShapeRef {
    /// The name of a table `[shape.…]`.
    Name(String),
    /// The shape itself.
    Inline(Box<Shape>),
}

/// A part of a compound.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ShapePart {
    /// Its shape: a name or a table.
    pub shape: ShapeRef,
    /// Of its origin in the frame of the compound [m]; the origin if not given.
    pub position: Option<Vec<Quantity>>,
    /// How it is turned in that frame.
    pub orientation: Option<Orientation>,
}

/// How something is turned.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Orientation {
    /// In the plane: counter-clockwise [rad].
    Angle(Quantity),
    /// In space: a quaternion [w, x, y, z], of any length.
    Quaternion(Vec<Quantity>),
    /// By an angle about an axis.
    Turn(Turn),
}

/// A turn by an angle about an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Turn {
    /// Direction of the axis, of any length; not in the plane.
    pub axis: Option<Vec<Quantity>>,
    /// Angle [rad].
    pub angle: Quantity,
}

/// A rigid body: moving, fixed, or moved as prescribed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Body {
    /// Name of the body; `name[i]` if repeated.
    pub name: String,
    /// Makes copies i = 0, 1, …: `i` may be used in the formulas of this table.
    pub repeat: Option<Quantity>,
    /// Its shape: a name or a table.
    pub shape: Option<ShapeRef>,
    /// Several shapes in place of one, each with a place and, where wanted, a material of its own.
    pub parts: Option<Vec<Part>>,
    /// Name of its material; `default` if not given.
    pub material: Option<String>,
    /// Whom it meets; everything if not given.
    pub groups: Option<Groups>,
    /// Density [kg/m³], in the plane [kg/m²]; mass and inertia follow from the shape.
    pub density: Option<Quantity>,
    /// Mass [kg]; without `inertia` that follows from the shape, as of uniform density.
    pub mass: Option<Quantity>,
    /// Inertia [kg·m²] about the centre of mass in the axes of the body: three diagonal entries or three rows; in the plane a number.
    pub inertia: Option<Inertia>,
    /// Centre of mass in the frame of the body [m], where `inertia` is given; its origin if not given.
    pub centre: Option<Vec<Quantity>>,
    /// Of the origin of its shape [m], which need not be the centre of mass; the origin if not given.
    pub position: Option<Vec<Quantity>>,
    /// From the axes of the shape to those of the world: `{ axis = […], angle = … }` or a quaternion [w, x, y, z]; in the plane an angle [rad].
    pub orientation: Option<Orientation>,
    /// Velocity of the centre of mass [m/s]; zero if not given.
    pub velocity: Option<Vec<Quantity>>,
    /// Angular velocity [rad/s] in the axes of the body; in the plane a number; zero if not given.
    pub angular_velocity: Option<Vector>,
    /// Force [N] at the centre of mass in the axes of the world, as formulas of t, of any coordinate and velocity, and of expressions.
    pub force: Option<Vec<Quantity>>,
    /// Torque [N·m] about the centre of mass in the axes of the world, as formulas like those of `force`; in the plane a number.
    pub torque: Option<Vector>,
    /// When the body appears [s]; from the start if not given.
    pub appears_at: Option<Quantity>,
    /// Whether it stays where it is, whatever meets it.
    #[serde(default)]
    pub fixed: bool,
    /// How it moves, whatever touches it.
    pub motion: Option<Motion>,
}

/// A piece of a body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Part {
    /// Its shape: a name or a table.
    pub shape: ShapeRef,
    /// Of its origin in the frame of the body [m]; the origin if not given.
    pub position: Option<Vec<Quantity>>,
    /// How it is turned in that frame.
    pub orientation: Option<Orientation>,
    /// Name of its material; that of the body if not given.
    pub material: Option<String>,
    /// Whom it meets; as the body if not given.
    pub groups: Option<Groups>,
}

/// An inertia.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Inertia {
    /// Three rows.
    Rows(Vec<Vec<Quantity>>),
    /// The diagonal.
    Diagonal(Vec<Quantity>),
    /// In the plane: about the centre of mass.
    Moment(Quantity),
}

/// Two parts may touch if each is a member of a group that the other meets.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Groups {
    /// Numbers of groups, 0 to 31; all if not given.
    pub member_of: Option<Vec<u32>>,
    /// Numbers of groups, 0 to 31; all if not given.
    pub meets: Option<Vec<u32>>,
}

/// A prescribed motion: formulas of t, differentiated for the velocities.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Motion {
    /// Of the origin [m], as formulas of t; `position` of the body if not given.
    pub position: Option<Vec<Quantity>>,
    /// Angle [rad] as a formula of t, by which the body turns beyond its `orientation`.
    pub angle: Option<Quantity>,
    /// Axis of that turn in the axes of the world, of any length; not in the plane.
    pub axis: Option<Vec<Quantity>>,
}

/// What a material brings to contacts that no pair is given for; a coefficient left out beside the other is 0.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Material {
    /// Its own coefficient of friction μ [–].
    pub friction: Option<Quantity>,
    /// Its own coefficient of restitution e [–].
    pub restitution: Option<Quantity>,
}

/// Which law holds between two materials: that of the pair; else own coefficients combined; else the default.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Contact {
    /// How own coefficients of two materials become those of their pair.
    pub combine: Combine,
    /// For pairs that are not given and whose materials have no coefficients of their own.
    pub default: Option<PairLaw>,
    /// The table of pairs.
    pub pair: Vec<Pair>,
    /// Distance up to which contact points are active, relative to the size of the smaller body [–]; 1e-9 if not given.
    pub activation_distance: Option<Quantity>,
}

/// How own coefficients of two materials become those of their pair.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Combine {
    /// For friction; geometric-mean if not given.
    pub friction: Rule,
    /// For restitution; maximum if not given.
    pub restitution: Rule,
}

impl Default for Combine {
    fn default() -> Self {
        Self { friction: Rule::GeometricMean, restitution: Rule::Maximum }
    }
}

/// A rule for two coefficients.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// (a + b)/2.
    Mean,
    /// √(a b).
    GeometricMean,
}

/// The law of a contact: Coulomb's friction with restitution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PairLaw {
    /// μ [–]; 0, no friction, if not given.
    pub friction: Option<Quantity>,
    /// e of u⁺ = −e u⁻ [–]; 0 if not given.
    pub restitution: Option<Quantity>,
    /// e of the sliding velocity in an impact that sticks [–]; 0 if not given.
    pub tangential_restitution: Option<Quantity>,
    /// Sides of the polygon that takes the place of the friction disk; the disk itself if not given.
    pub facets: Option<Quantity>,
    /// Name of a law of `[law.…]` in the place of the numbers here.
    pub law: Option<String>,
}

/// The law between two materials.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Pair {
    /// Two names of materials; twice the same for bodies of one material.
    pub between: Vec<String>,
    /// μ [–]; 0, no friction, if not given.
    pub friction: Option<Quantity>,
    /// e of u⁺ = −e u⁻ [–]; 0 if not given.
    pub restitution: Option<Quantity>,
    /// e of the sliding velocity in an impact that sticks [–]; 0 if not given.
    pub tangential_restitution: Option<Quantity>,
    /// Sides of the polygon that takes the place of the friction disk; the disk itself if not given.
    pub facets: Option<Quantity>,
    /// Name of a law of `[law.…]` in the place of the numbers here.
    pub law: Option<String>,
}

/// A spring and damper along the line between two points: force k (l − l₀) + c l̇.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spring {
    /// Name for messages and results; `spring_0`, `spring_1`, … if not given.
    pub name: Option<String>,
    /// Makes copies i = 0, 1, …: `i` may be used in the formulas and in the names of bodies, as in `ball[i+1]`.
    pub repeat: Option<Quantity>,
    /// Its two ends, of which at least one is on a moving body.
    pub between: Vec<End>,
    /// k [N/m]; 0 if not given.
    pub stiffness: Option<Quantity>,
    /// c [N·s/m]; 0 if not given.
    pub damping: Option<Quantity>,
    /// l₀ [m]; the distance of the ends at the start if not given.
    pub rest_length: Option<Quantity>,
}

/// An end of a spring.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct End {
    /// Name of a body; a point of the world if not given.
    pub body: Option<String>,
    /// The point [m], in the frame of the body (that of its shape) or of the world; the origin if not given.
    pub point: Option<Vec<Quantity>>,
}

/// A joint: what it leaves free follows from its type; it holds where the bodies are at the start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Joint {
    /// Name of the joint; `name[i]` if repeated.
    pub name: String,
    /// What it leaves free.
    #[serde(rename = "type")]
    #[schemars(schema_with = "super::joint_schema")]
    pub kind: String,
    /// Makes copies i = 0, 1, …: `i` may be used in the formulas and in the names of bodies, as in `link[i+1]`.
    pub repeat: Option<Quantity>,
    /// Its two sides, of which at least one is a moving body; `{}` is the world.
    pub between: Vec<JointSide>,
    /// Its point at the start, in the axes of the world [m].
    pub at: Vec<Quantity>,
    /// Direction of its axis at the start, in the axes of the world, of any length; for types that have one.
    pub axis: Option<Vec<Quantity>>,
    /// Direction of its second axis at the start, perpendicular to the first; for types that have one.
    pub second_axis: Option<Vec<Quantity>>,
    /// Its point on the second side at the start, in the axes of the world, for types with two points [m].
    pub to: Option<Vec<Quantity>>,
    /// Whether the two bodies may meet each other.
    #[serde(default)]
    pub collide: bool,
    /// What acts on its free axes, one entry each.
    #[serde(default)]
    pub axes: Vec<JointAxis>,
    /// The options of its type.
    #[serde(flatten)]
    #[schemars(schema_with = "super::joint_options_schema")]
    pub options: BTreeMap<String, Quantity>,
}

/// A side of a joint.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JointSide {
    /// Name of a body; the world if not given.
    pub body: Option<String>,
}

/// What acts on a free axis of a joint. Its angle or travel is zero at the start.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct JointAxis {
    /// Lowest and highest angle [rad] or travel [m].
    pub stop: Option<Vec<Quantity>>,
    /// e of Newton's law at the stops [–]; 0 if not given.
    pub restitution: Option<Quantity>,
    /// k [N·m/rad or N/m]; 0 if not given.
    pub stiffness: Option<Quantity>,
    /// c [N·m·s/rad or N·s/m]; 0 if not given.
    pub damping: Option<Quantity>,
    /// Where the spring is slack [rad or m]; 0, the start, if not given.
    pub rest: Option<Quantity>,
    /// Dry friction: largest torque [N·m] or force [N] against its motion; 0 if not given.
    pub friction: Option<Quantity>,
    /// A drive.
    pub motor: Option<Motor>,
}

/// A drive of a free axis, on the second body and, reversed, on the first.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Motor {
    /// Torque [N·m] of an angle, as a formula of t, of any coordinate and velocity, and of expressions.
    pub torque: Option<Quantity>,
    /// Force [N] of a travel, like `torque`.
    pub force: Option<Quantity>,
    /// Velocity [rad/s, m/s] with which the axis moves, whatever that takes, like `torque`.
    pub velocity: Option<Quantity>,
    /// Angle or travel [rad, m] that the axis has, whatever that takes, like `torque`.
    pub position: Option<Quantity>,
}
