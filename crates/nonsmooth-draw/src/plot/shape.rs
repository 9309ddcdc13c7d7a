//! The shapes a figure is made of, in drawing pixels with y downwards.

/// A point of the drawing [px], y downwards.
pub type Point = (f64, f64);

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// White, the background.
pub const WHITE: Colour = Colour(0xff, 0xff, 0xff);

/// The white edge of a mark.
pub const EDGE: Pen = Pen { colour: WHITE, width: 0.8, dash: &[] };

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Colour of the stroke.
    pub colour: Colour,
    /// Width of the stroke [px].
    pub width: f64,
    /// Lengths on, off, on, … [px], an even number of them; empty is a full line.
    pub dash: &'static [f64],
}

/// The sign at a data point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A circle.
    Disc,
    /// A square.
    Square,
    /// A triangle, tip up.
    Triangle,
    /// A square on its tip.
    Diamond,
}

impl Mark {
    /// Corners of the mark with half width r about the origin; none for a disc.
    pub fn corners(self, r: f64) -> Vec<Point> {
        let s = 0.88 * r;
        let d = 1.25 * r;
        match self {
            Self::Disc => Vec::new(),
            Self::Square => vec![(-s, -s), (s, -s), (s, s), (-s, s)],
            Self::Triangle => vec![(0.0, -1.15 * r), (1.1 * r, 0.8 * r), (-1.1 * r, 0.8 * r)],
            Self::Diamond => vec![(0.0, -d), (d, 0.0), (0.0, d), (-d, 0.0)],
        }
    }
}

/// Which end of a text sits at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Text to the right of the point.
    Start,
    /// Text centred on the point.
    Middle,
    /// Text to the left of the point.
    End,
}

/// One line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Point on the base line.
    pub at: Point,
    /// The words.
    pub words: String,
    /// Font size [px].
    pub size: f64,
    /// Which end sits at `at`.
    pub anchor: Anchor,
    /// Read from bottom to top.
    pub upright: bool,
}

/// One thing to draw.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Open polylines with one pen.
    Lines {
        /// One polyline each.
        paths: Vec<Vec<Point>>,
        /// Common pen.
        pen: Pen,
    },
    /// Equal marks, filled.
    Marks {
        /// Centres.
        at: Vec<Point>,
        /// Common sign.
        mark: Mark,
        /// Half width [px].
        radius: f64,
        /// Fill.
        colour: Colour,
        /// A thin white edge keeps overlapping marks apart.
        has_edge: bool,
    },
    /// Rectangles without an edge, so that neighbours meet without a seam.
    Boxes {
        /// Two opposite corners of each.
        at: Vec<[Point; 2]>,
        /// Fill.
        colour: Colour,
    },
    /// A white box.
    Panel {
        /// Upper left corner.
        at: Point,
        /// Width and height [px].
        size: (f64, f64),
        /// Border.
        pen: Pen,
    },
    /// One line of text.
    Text(Text),
}
