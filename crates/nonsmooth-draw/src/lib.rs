//! Figures of numbers and pictures of surfaces, as PNG and SVG.
//!
//! [`plot`] draws curves, marks and bars over axes. [`render`] draws triangulated surfaces in space, shaded, with contact
//! forces. [`framing`] finds what a picture of a run has to show. Nothing here reads files or knows what a scene is: numbers
//! and meshes go in, bytes come out, the same bytes for the same input.
//!
//! ```
//! use nonsmooth_draw::plot::{Figure, Item, draw};
//!
//! let points = (0..=100).map(|k| 0.01 * f64::from(k)).map(|t| (t, 1.0 - 4.9 * t * t)).collect();
//! let items = vec![Item::Line { label: "z".to_owned(), points }];
//! let (x_label, y_label) = ("time t [s]".to_owned(), "height z [m]".to_owned());
//! let drawing = draw(&Figure { x_label, y_label, items, ..Figure::default() })?;
//! assert!(drawing.png.starts_with(b"\x89PNG") && drawing.svg.contains("height z [m]"));
//! # Ok::<(), nonsmooth_draw::plot::PlotError>(())
//! ```

pub mod framing;
pub mod plot;
pub mod render;
