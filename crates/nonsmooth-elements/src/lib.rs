//! Finite elements: meshes, element matrices, assembly and stresses.
//!
//! A [`mesh::Mesh`] comes from a file of Gmsh or from a formula. A formulation of [`elements::FORMULATIONS`] says what its cells are: bars,
//! beams, plates, solids. A [`Body`] is both, and gives the matrices of a linear system. Nothing here knows of time or contact.
//!
//! ```
//! use glam::DVec3;
//! use nonsmooth_elements::{Body, MassKind, elements::formulation, mesh::generate};
//! use nonsmooth_solvers::Options;
//!
//! // A steel bar of 1 m with ten elements.
//! let mesh = generate::line(DVec3::ZERO, DVec3::X, 10);
//! let entry = formulation("bar-line").expect("it is in the list");
//! let numbers = Options::default().with("young", 210e9).with("density", 7800.0).with("area", 1e-4);
//! let bar = Body::new(mesh, entry.build(&numbers).expect("the numbers are valid"), entry.cells)?;
//! let mass: f64 = bar.mass(MassKind::Lumped).value.iter().sum();
//! assert!((mass - 0.78).abs() < 1e-12);
//! # Ok::<(), nonsmooth_elements::BodyError>(())
//! ```

mod body;
pub mod cells;
pub mod elements;
pub mod mesh;

pub use body::{Body, BodyError, MassKind, Traction};
