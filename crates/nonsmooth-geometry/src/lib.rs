//! Shapes, their distances, the points where they touch, who may touch whom, and what they weigh.
//!
//! Two shapes with poses give [`spatial::Contact`] points: where, along which normal, how far apart
//! (the signed distance, with no margin hidden in it), and under which [`Key`], which persists from
//! step to step. It is a pure function of the poses: nothing is remembered between calls. Masses
//! come from a density; velocities, forces and time are not known here.
//!
//! ```
//! use nonsmooth_geometry::spatial::{Pose, Shape, contacts};
//!
//! let floor = Shape::half_space([0.0, 0.0, 1.0])?;
//! let brick = Shape::cuboid([0.12, 0.06, 0.03])?;
//! let pose = Pose::at([0.0, 0.0, 0.031]);
//! let mut points = Vec::new();
//! contacts(&floor, &Pose::IDENTITY, &brick, &pose, 0.01, &mut points);
//! assert_eq!(points.len(), 4);
//! assert!(points.iter().all(|p| p.normal == [0.0, 0.0, 1.0] && (p.distance - 0.001).abs() < 1e-15));
//! # Ok::<(), nonsmooth_geometry::ShapeError>(())
//! ```

pub mod broad;
mod describe;
mod error;
mod feature;
pub mod files;
mod frame;
mod frozen;
pub mod planar;
mod pose;
pub mod spatial;
mod surface_mesh;
mod sweep;
mod tree;

pub use describe::{Description, KINDS};
pub use error::{MassError, ShapeError};
pub use feature::{Feature, FeatureKind, Key};
pub use frozen::{FrozenContact, FrozenPoint};
pub use surface_mesh::{Detail, Outline, Patch, SurfaceMesh};
pub use sweep::{Approach, Impact, Moving, Swept, Turning, time_of_impact};
