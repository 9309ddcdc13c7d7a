//! Figures of numbers and pictures of surfaces, as PNG and SVG.
//!
//! [`plot`] draws curves, marks and bars over axes. [`render`] draws triangulated surfaces in space, shaded, with contact
//! forces. [`framing`] finds what a picture of a run has to show. Nothing here reads files or knows what a scene is: numbers
//! and meshes go in, bytes come out, the same bytes for the same input.

pub mod framing;
pub mod plot;
pub mod render;
