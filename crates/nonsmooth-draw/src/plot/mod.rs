//! Figures for papers and reports: one `Figure` in, one PNG and one SVG out.
//!
//! A figure goes through four phases: check the numbers, lay out the axes, trace the items in
//! pixels, add the legend. The result is a list of shapes that is written twice, as SVG text and
//! through tiny-skia as PNG, so that both show the same picture. Text is measured and drawn with
//! DejaVu Sans, which is compiled in: no font lookup, same bytes on every run.

mod axis;
mod check;
pub(crate) mod font;
mod frame;
mod legend;
mod page;
mod polyline;
mod raster;
mod shape;
mod style;
mod svg;
mod ticks;
mod trace;

#[cfg(test)]
mod tests;

use std::{fs, io, path::Path};

pub use page::{Page, draw_page};
pub use polyline::{thin, with_jumps};

use frame::Frame;
use legend::Legend;
use shape::Shape;
use trace::Trace;

/// What to draw. Build it with `Figure { title, items, ..Figure::default() }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Above the plot; empty leaves the space to the data.
    pub title: String,
    /// Quantity and unit, such as `time t [s]`.
    pub x_label: String,
    /// Quantity and unit, such as `velocity v [m/s]`.
    pub y_label: String,
    /// How x is mapped to pixels.
    pub x_scale: Scale,
    /// How y is mapped to pixels.
    pub y_scale: Scale,
    /// Drawn in order, the last on top; also the order of the legend.
    pub items: Vec<Item>,
    /// Width and height of the drawing [px at 96 dpi].
    pub size: (u32, u32),
    /// PNG pixels per drawing pixel [–]; 2 or 3 for print.
    pub pixel_ratio: u32,
}

impl Default for Figure {
    fn default() -> Self {
        Self {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            items: Vec::new(),
            size: (1000, 600),
            pixel_ratio: 1,
        }
    }
}

/// How values are mapped to pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences, equal lengths.
    #[default]
    Linear,
    /// Equal ratios, equal lengths; values must be positive.
    Log,
}

/// One series. An empty label keeps it out of the legend.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A curve in the colour and dash of its place in the figure.
    Line {
        /// Text in the legend.
        label: String,
        /// Vertices in drawing order.
        points: Vec<(f64, f64)>,
    },
    /// A grey dashed curve: a reference solution, a limit, a slope.
    Dashed {
        /// Text in the legend.
        label: String,
        /// Vertices in drawing order.
        points: Vec<(f64, f64)>,
    },
    /// A grey dashed curve with its name beside its middle, not in the legend: a slope to compare with.
    Noted {
        /// The name.
        note: String,
        /// Vertices in drawing order.
        points: Vec<(f64, f64)>,
    },
    /// Measured points joined by a line, one legend entry for both.
    Marked {
        /// Text in the legend.
        label: String,
        /// Vertices in drawing order.
        points: Vec<(f64, f64)>,
    },
    /// A dotted curve in the colour of the series before it: where that would go on.
    Continued {
        /// Text in the legend.
        label: String,
        /// Vertices in drawing order.
        points: Vec<(f64, f64)>,
    },
    /// Impulses: a vertical line from zero (log scale: from the axis) to each value.
    Stems {
        /// Text in the legend.
        label: String,
        /// Tops of the stems.
        points: Vec<(f64, f64)>,
    },
    /// Points only.
    Markers {
        /// Text in the legend.
        label: String,
        /// Centres of the marks.
        points: Vec<(f64, f64)>,
    },
    /// Very many points, each as small as can be seen.
    Dots {
        /// Text in the legend.
        label: String,
        /// Centres of the dots.
        points: Vec<(f64, f64)>,
    },
    /// Rectangles of one colour.
    Cells {
        /// Text in the legend.
        label: String,
        /// Two opposite corners of each.
        points: Vec<(f64, f64)>,
    },
}

impl Item {
    /// Text in the legend.
    pub fn label(&self) -> &str {
        match self {
            Self::Line { label, .. }
            | Self::Dashed { label, .. }
            | Self::Marked { label, .. }
            | Self::Continued { label, .. }
            | Self::Stems { label, .. }
            | Self::Markers { label, .. }
            | Self::Dots { label, .. }
            | Self::Cells { label, .. } => label,
            Self::Noted { .. } => "",
        }
    }

    /// Takes it out of the legend.
    fn unlabel(&mut self) {
        match self {
            Self::Line { label, .. }
            | Self::Dashed { label, .. }
            | Self::Marked { label, .. }
            | Self::Continued { label, .. }
            | Self::Stems { label, .. }
            | Self::Markers { label, .. }
            | Self::Dots { label, .. }
            | Self::Cells { label, .. } => label.clear(),
            Self::Noted { .. } => {}
        }
    }

    /// The data of the series.
    pub fn points(&self) -> &[(f64, f64)] {
        match self {
            Self::Line { points, .. }
            | Self::Dashed { points, .. }
            | Self::Noted { points, .. }
            | Self::Marked { points, .. }
            | Self::Continued { points, .. }
            | Self::Stems { points, .. }
            | Self::Markers { points, .. }
            | Self::Dots { points, .. }
            | Self::Cells { points, .. } => points,
        }
    }
}

/// The x or the y direction, in error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Horizontal.
    X,
    /// Vertical.
    Y,
}

/// Why a figure cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlotError {
    /// A coordinate is NaN, infinite or beyond ±1e300.
    #[error("series `{label}`, point {index}: ({}, {}) cannot be drawn", at.0, at.1)]
    NonFinite {
        /// Label of the series.
        label: String,
        /// Index of the first bad point.
        index: usize,
        /// The point.
        at: (f64, f64),
    },
    /// A logarithmic axis got zero or a negative number.
    #[error("series `{label}`, point {index}: {direction:?} = {value} on a logarithmic axis")]
    NotPositive {
        /// Label of the series.
        label: String,
        /// Index of the first bad point.
        index: usize,
        /// Which axis.
        direction: Direction,
        /// The coordinate.
        value: f64,
    },
    /// The drawing is too small for its labels or too large for the memory.
    #[error("size {width} × {height} px at {pixel_ratio} px per px: need 300 × 200 to 16000 × 16000")]
    Size {
        /// Width [px at 96 dpi].
        width: u32,
        /// Height [px at 96 dpi].
        height: u32,
        /// PNG pixels per drawing pixel [–].
        pixel_ratio: u32,
    },
    /// The PNG encoder failed.
    #[error("PNG encoder: {0}")]
    Encode(String),
}

/// A finished figure, in two formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Bytes of a PNG file, white background.
    pub png: Vec<u8>,
    /// The same picture with text as text.
    pub svg: String,
}

impl Drawing {
    /// Writes `stem.png` and `stem.svg`; a dot in `stem` is kept.
    pub fn save(&self, stem: &Path) -> io::Result<()> {
        let with = |extension: &str| {
            let mut path = stem.as_os_str().to_owned();
            path.push(extension);
            path
        };
        fs::write(with(".png"), &self.png)?;
        fs::write(with(".svg"), &self.svg)
    }
}

/// Draws a figure. Same input, same bytes.
pub fn draw(figure: &Figure) -> Result<Drawing, PlotError> {
    let shapes = shapes(figure)?;
    Ok(Drawing {
        png: raster::png(&shapes, figure.size, figure.pixel_ratio)?,
        svg: svg::svg(&shapes, figure.size, &figure.title),
    })
}

/// The shapes of a figure.
fn shapes(figure: &Figure) -> Result<Vec<Shape>, PlotError> {
    check::check(figure)?;
    let mut frame = Frame::new(figure, 0.0);
    let mut traces = trace::traces(figure, &frame);

    // The legend goes where the plot is free of ink, else the plot makes room on the right.
    let (legend, place) = match Legend::inside(figure, &frame, &traces) {
        Some((legend, place)) => (legend, Some(place)),
        None => (Legend::new(figure, legend::OUTSIDE), None),
    };
    let place = place.unwrap_or_else(|| {
        if !legend.is_empty() {
            frame = Frame::new(figure, legend.width());
            traces = trace::traces(figure, &frame);
        }
        legend.outside(&frame)
    });

    let mut shapes = frame.shapes(figure);
    shapes.extend(traces.iter().flat_map(Trace::shapes));
    if !legend.is_empty() {
        shapes.extend(legend.shapes(place, &traces));
    }
    Ok(shapes)
}
