//! The look of all figures: sizes, colours, dashes. Change it here, nowhere else.
//!
//! Sizes are in px at 96 dpi, so that 16 px are 12 pt. Colours are the palette of Okabe and Ito
//! without its yellow, which is too pale for a thin line on white.

use super::shape::{Colour, Mark, Pen};

/// Size of the title [px].
pub const TITLE: f64 = 20.0;
/// Size of the axis labels [px].
pub const LABEL: f64 = 18.0;
/// Size of tick labels and legend [px].
pub const TEXT: f64 = 16.0;
/// Space between neighbouring things [px].
pub const GAP: f64 = 10.0;
/// Length of a labelled tick [px]; the others have half of it.
pub const TICK: f64 = 6.0;
/// Half width of a mark [px].
pub const MARK: f64 = 5.0;
/// Half width of a dot [px].
pub const DOT: f64 = 0.8;

/// Text, frame and ticks.
pub const INK: Colour = Colour(0x22, 0x22, 0x22);
/// Grid lines.
pub const GRID: Pen = Pen { colour: Colour(0xe4, 0xe4, 0xe4), width: 1.0, dash: &[] };
/// The line y = 0.
pub const ZERO: Pen = Pen { colour: Colour(0xa8, 0xa8, 0xa8), width: 1.0, dash: &[] };
/// Frame and ticks.
pub const FRAME: Pen = Pen { colour: INK, width: 1.2, dash: &[] };
/// Border of the legend.
pub const BORDER: Pen = Pen { colour: Colour(0xc8, 0xc8, 0xc8), width: 1.0, dash: &[] };

const COLOURS: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2), // blue
    Colour(0xd5, 0x5e, 0x00), // vermillion
    Colour(0x00, 0x9e, 0x73), // bluish green
    Colour(0xcc, 0x79, 0xa7), // reddish purple
    Colour(0xe6, 0x9f, 0x00), // orange
    Colour(0x56, 0xb4, 0xe9), // sky blue
    Colour(0x00, 0x00, 0x00), // black
];

const DASHES: [&[f64]; 4] = [&[], &[14.0, 4.0], &[14.0, 4.0, 3.0, 4.0], &[3.0, 3.0]];

/// Dash of a curve that goes on beyond its data.
pub const DOTS: &[f64] = &[2.0, 4.0];

const REFERENCES: [&[f64]; 3] = [&[7.0, 5.0], &[2.0, 4.0], &[10.0, 4.0, 2.0, 4.0]];

const MARKS: [Mark; 4] = [Mark::Disc, Mark::Square, Mark::Triangle, Mark::Diamond];

/// Pen of the i-th series. Period 28 in (colour, dash).
pub fn pen(i: usize) -> Pen {
    Pen { colour: COLOURS[i % COLOURS.len()], width: 2.0, dash: DASHES[i % DASHES.len()] }
}

/// Pen of the i-th dashed reference.
pub fn reference(i: usize) -> Pen {
    let dash = REFERENCES[i % REFERENCES.len()];
    Pen { colour: Colour(0x55, 0x55, 0x55), width: 1.6, dash }
}

/// Mark of the i-th series.
pub fn mark(i: usize) -> Mark {
    MARKS[i % MARKS.len()]
}
