//! Integration tests of the geometry. One binary, so linking is cheap.

mod boxes;
mod broad;
mod closed_forms;
mod curved;
mod hulls;
mod keys;
mod masses;
mod mesh_files;
mod oracle;
mod planar;
mod properties;
mod random;
mod samples;
mod skins;
mod surfaces;
mod wrong_shapes;
