//! Tests of the crate from outside: cells, patch tests, closed forms of beams and bars, files of meshes, surfaces.

mod beams;
mod cells;
mod meshes;
mod patch;
mod statics;
mod surfaces;
