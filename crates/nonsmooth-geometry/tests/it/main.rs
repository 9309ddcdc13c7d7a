//! Integration tests of the geometry. One binary, so linking is cheap.

mod boxes;
mod broad;
mod closed_forms;
mod codes;
mod curved;
mod frozen;
mod hulls;
mod keys;
mod masses;
mod mesh_files;
mod oracle;
mod planar;
mod properties;
mod random;
mod samples;
mod sizes;
mod surface_meshes;
mod surfaces;
mod sweeps;
mod wrong_shapes;
