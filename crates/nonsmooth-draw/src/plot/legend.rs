//! The legend: inside the frame where there is no ink, else to the right of it.

use super::Figure;
use super::font;
use super::frame::{Frame, text};
use super::shape::{Anchor, Point, Shape};
use super::style::{self, GAP, TEXT};
use super::trace::Trace;

/// Shares of the page's width that a legend may take inside the frame, tried in this order.
const INSIDE: [f64; 3] = [0.6, 0.5, 0.4];
/// The share that it may take outside, where it makes the plot narrower.
pub const OUTSIDE: f64 = 0.4;

/// Share of the usual size down to which letters are read with ease.
const LEGIBLE: f64 = 0.7;

/// Smallest half width of a mark [px].
const LEAST_MARK: f64 = 3.0;

/// Length of the line sample [px].
const SAMPLE: f64 = 44.0;

/// The labelled items, with the text size at which they fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Index of the item and its label.
    entries: Vec<(usize, String)>,
    /// Font size [px].
    size: f64,
}

impl Legend {
    /// Takes the labels that are not empty. Shrinks the text so that it takes at most `share` of the
    /// width and 90 % of the height of the page.
    pub fn new(figure: &Figure, share: f64) -> Self {
        let entries: Vec<(usize, String)> = figure
            .items
            .iter()
            .map(|item| item.label().to_owned())
            .enumerate()
            .filter(|(_, label)| !label.is_empty())
            .collect();
        let room = share * f64::from(figure.size.0) - SAMPLE - 3.0 * GAP;
        let rows = 1.4 * entries.len() as f64;
        let size = entries
            .iter()
            .map(|(_, label)| font::fit(label, TEXT, room))
            .fold(TEXT, f64::min)
            .min(0.9 * f64::from(figure.size.1) / rows.max(1.0));
        Self { entries, size }
    }

    /// The legend and its place inside the frame, in small letters if there is no room for large ones.
    pub fn inside(figure: &Figure, frame: &Frame, traces: &[Trace]) -> Option<(Self, Point)> {
        INSIDE.into_iter().find_map(|share| {
            let legend = Self::new(figure, share);
            let place = legend.free_place(frame, traces)?;
            Some((legend, place))
        })
    }

    /// Width of the box [px].
    pub fn width(&self) -> f64 {
        let widest = self.entries.iter().map(|(_, l)| font::width(l, self.size)).fold(0.0, f64::max);
        SAMPLE + widest + 3.0 * GAP
    }

    fn row(&self) -> f64 {
        1.4 * self.size
    }

    fn height(&self) -> f64 {
        self.row() * self.entries.len() as f64 + GAP
    }

    /// Upper left point of the first place inside the frame without ink, if any: corners first,
    /// then down the right side, then the rest.
    fn free_place(&self, frame: &Frame, traces: &[Trace]) -> Option<Point> {
        let ((left, right), (bottom, top)) = (frame.x.pixels, frame.y.pixels);
        let slack = (right - left - self.width() - 2.0 * GAP, bottom - top - self.height() - 2.0 * GAP);
        if slack.0 < 0.15 * frame.width() || slack.1 < 0.0 {
            return None;
        }
        let place = |across: f64, down: f64| (left + GAP + across * slack.0, top + GAP + down * slack.1);
        let is_free = |at: &Point| {
            let lo = (at.0 - GAP, at.1 - GAP);
            let hi = (at.0 + self.width() + GAP, at.1 + self.height() + GAP);
            !traces.iter().any(|trace| trace.crosses(lo, hi))
        };
        let corners = [(1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let columns = [1.0, 0.0, 0.5, 0.75, 0.25];
        let grid = columns.into_iter().flat_map(|a| [0.0, 0.25, 0.5, 0.75, 1.0].map(|d| (a, d)));
        corners.into_iter().chain(grid).map(|(a, d)| place(a, d)).find(is_free)
    }

    /// Whether it need not be shrunk by much.
    pub fn is_legible(&self) -> bool {
        self.size >= LEGIBLE * TEXT
    }

    /// No labels, no box.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Upper left point to the right of the frame.
    pub fn outside(&self, frame: &Frame) -> Point {
        (frame.x.pixels.1 + 1.5 * GAP, frame.y.pixels.1)
    }

    /// Box, samples and labels.
    pub fn shapes(&self, at: Point, traces: &[Trace]) -> Vec<Shape> {
        let size = (self.width(), self.height());
        let mut shapes = vec![Shape::Panel { at, size, pen: style::BORDER }];
        for (row, (i, label)) in self.entries.iter().enumerate() {
            let middle = at.1 + GAP / 2.0 + (row as f64 + 0.5) * self.row();
            shapes.extend(self.sample((at.0 + GAP, middle), &traces[*i]));
            let start = (at.0 + 2.0 * GAP + SAMPLE, middle + 0.36 * self.size);
            shapes.push(text(start, label, self.size, Anchor::Start));
        }
        shapes
    }

    fn sample(&self, (x, y): Point, trace: &Trace) -> Vec<Shape> {
        let mut shapes = Vec::new();
        if trace.has_line {
            let paths = vec![vec![(x, y), (x + SAMPLE, y)]];
            shapes.push(Shape::Lines { paths, pen: trace.pen });
        }
        if trace.has_mark {
            // A dot of the plot would be too small to show its colour.
            shapes.push(trace.marks_at(vec![(x + SAMPLE / 2.0, y)], trace.radius.max(LEAST_MARK)));
        }
        shapes
    }
}
