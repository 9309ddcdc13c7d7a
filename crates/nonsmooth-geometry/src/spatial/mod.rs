//! Shapes in space.

mod ball;
mod balls;
mod bounds;
mod contact;
mod contacts;
mod core;
mod epa;
mod frame;
mod gjk;
mod half_space;
mod height_field;
mod hull;
mod mass;
mod mesh;
mod near;
mod nearest;
mod outline;
mod overlap;
mod pair;
mod patch;
mod polish;
mod pose;
mod reduce;
mod ridge;
mod sat;
mod shape;
mod surface;

pub use balls::{BallContacts, Balls};
pub use contact::Contact;
pub use contacts::{contacts, distance};
pub use frame::frame;
pub use mass::MassProperties;
pub use overlap::{Overlap, overlaps};
pub use pose::Pose;
pub use shape::Shape;
