//! Shapes in the plane.
//!
//! Every bounded convex shape is a convex polygon of one, two or more corners, rounded by a radius:
//! a ball has one corner, a capsule two. All pairs have closed forms.

mod chain;
mod confirm;
mod contact;
mod contacts;
mod core;
mod describe;
mod freeze;
mod mass;
mod pair;
mod pose;
mod reduce;
mod shape;
mod size;
mod sweep;

pub(crate) use core::Core;
pub(crate) use pose::Isometry;
pub(crate) use shape::Kind;

pub use confirm::{Confirmation, confirm};
pub use contact::Contact;
pub use contacts::{contacts, distance};
pub use freeze::freeze;
pub use mass::MassProperties;
pub use pose::Pose;
pub use shape::Shape;

/// The contact axes [normal, tangent] of a unit normal: the tangent is the normal turned by +90°.
pub fn frame(normal: [f64; 2]) -> [[f64; 2]; 2] {
    [normal, [-normal[1], normal[0]]]
}
