//! Shapes in space.
//!
//! Distances and normals of convex shapes are exact to round-off, apart and overlapping; so are those
//! of a convex shape and a surface it does not overlap deeply, where surfaces act as the solids
//! behind their fronts. Less is promised in two cases: surfaces that have passed through each other
//! give contacts, but not always the least deep; and parts of a compound know nothing of each
//! other, so a seam between two of them may be felt as an edge.

mod ball;
mod balls;
mod bounds;
mod confirm;
mod contact;
mod contacts;
mod core;
mod describe;
mod ends;
mod epa;
mod freeze;
mod gjk;
mod half_space;
mod height_field;
mod hull;
mod mass;
mod mesh;
mod near;
mod nearest;
mod outline;
mod pair;
mod patch;
mod polish;
mod quickhull;
mod reduce;
mod ridge;
mod sat;
mod shape;
mod size;
mod surface;
mod sweep;

pub use crate::frame::frame;
pub(crate) use crate::frame::tangents;
pub use crate::pose::Pose;
pub use balls::{BallContacts, Balls};
pub use confirm::{Confirmation, confirm};
pub use contact::Contact;
pub use contacts::{contacts, distance};
pub use freeze::freeze;
pub use mass::MassProperties;
pub(crate) use shape::Kind;
pub use shape::Shape;
