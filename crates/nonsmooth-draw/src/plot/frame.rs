//! The box around the data: margins, grid, ticks, labels.

use super::Figure;
use super::axis::Axis;
use super::font;
use super::shape::{Anchor, Point, Shape, Text};
use super::style::{self, GAP, LABEL, TEXT, TICK, TITLE};
use super::ticks::{Ticks, ticks};

/// The axes with their ticks, placed on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Horizontal axis; pixels from left to right.
    pub x: Axis,
    /// Vertical axis; pixels from bottom to top.
    pub y: Axis,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl Frame {
    /// Fits the axes into the page, `right` px free for a legend.
    pub fn new(figure: &Figure, right: f64) -> Self {
        let (width, height) = (f64::from(figure.size.0), f64::from(figure.size.1));
        let (mut x, mut y) = (Axis::x(figure), Axis::y(figure));

        // Vertical space first: it decides the y ticks, whose labels decide the left margin.
        let line = |shown: bool, size: f64| if shown { size + GAP } else { 0.0 };
        let below = TICK + TEXT + GAP + line(!figure.x_label.is_empty(), LABEL) + GAP;
        let mut above = GAP + line(!figure.title.is_empty(), TITLE);
        y.pixels = (height - below, above);
        let n_y = ((height - below - above) / 55.0) as usize;
        let mut y_ticks = ticks(&y, n_y);
        above += if y_ticks.note.is_empty() { TEXT / 2.0 } else { TEXT + GAP };
        y.pixels.1 = above;
        y_ticks = ticks(&y, n_y);

        // Horizontal space: half of an x label may stick out on the right.
        let widest = y_ticks.major.iter().map(|m| font::width(&m.1, TEXT)).fold(0.0, f64::max);
        let left = GAP + line(!figure.y_label.is_empty(), LABEL) + widest + GAP + TICK;
        x.pixels = (left, width - right - 3.0 * GAP);
        let x_ticks = ticks(&x, ((x.pixels.1 - x.pixels.0) / 110.0) as usize);
        Self { x, y, x_ticks, y_ticks }
    }

    /// Pixel of a data point.
    pub fn at(&self, p: (f64, f64)) -> Point {
        (self.x.at(p.0), self.y.at(p.1))
    }

    /// Width of the box [px].
    pub fn width(&self) -> f64 {
        self.x.pixels.1 - self.x.pixels.0
    }

    /// Grid, frame and all text except the legend.
    pub fn shapes(&self, figure: &Figure) -> Vec<Shape> {
        let mut shapes = self.grid();
        shapes.push(self.border());
        shapes.extend(self.tick_labels());
        shapes.extend(self.titles(figure));
        if figure.items.iter().all(|item| item.points().is_empty()) {
            let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
            let centre = ((left + right) / 2.0, (bottom + top) / 2.0);
            shapes.push(text(centre, "no data", LABEL, Anchor::Middle));
        }
        shapes
    }

    fn grid(&self) -> Vec<Shape> {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        let upright = self.x_ticks.major.iter().map(|m| vec![(m.0, bottom), (m.0, top)]);
        let level = self.y_ticks.major.iter().map(|m| vec![(left, m.0), (right, m.0)]);
        let mut shapes = vec![Shape::Lines { paths: upright.chain(level).collect(), pen: style::GRID }];
        if self.y.scale == super::Scale::Linear && self.y.lo < 0.0 && self.y.hi > 0.0 {
            let zero = self.y.at(0.0);
            shapes
                .push(Shape::Lines { paths: vec![vec![(left, zero), (right, zero)]], pen: style::ZERO });
        }
        shapes
    }

    fn border(&self) -> Shape {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        let down = |x: f64, length: f64| vec![(x, bottom), (x, bottom + length)];
        let out = |y: f64, length: f64| vec![(left, y), (left - length, y)];
        let corners =
            [(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
        let mut paths = vec![corners.to_vec()];
        paths.extend(self.x_ticks.major.iter().map(|m| down(m.0, TICK)));
        paths.extend(self.x_ticks.minor.iter().map(|&x| down(x, TICK / 2.0)));
        paths.extend(self.y_ticks.major.iter().map(|m| out(m.0, TICK)));
        paths.extend(self.y_ticks.minor.iter().map(|&y| out(y, TICK / 2.0)));
        Shape::Lines { paths, pen: style::FRAME }
    }

    fn tick_labels(&self) -> Vec<Shape> {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        let row = bottom + TICK + TEXT + 2.0;
        let below = self.x_ticks.major.iter().map(|m| text((m.0, row), &m.1, TEXT, Anchor::Middle));
        // Digits are 0.73 em tall: 0.36 em below the tick centres them on it.
        let beside = self
            .y_ticks
            .major
            .iter()
            .map(|m| text((left - TICK - 4.0, m.0 + 0.36 * TEXT), &m.1, TEXT, Anchor::End));
        let notes = [
            text((right, row + LABEL + GAP), &self.x_ticks.note, TEXT, Anchor::End),
            text((left, top - GAP), &self.y_ticks.note, TEXT, Anchor::Start),
        ];
        below.chain(beside).chain(notes).collect()
    }

    fn titles(&self, figure: &Figure) -> Vec<Shape> {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        let (width, height) = (f64::from(figure.size.0), f64::from(figure.size.1));
        // A centred text must fit twice its distance to the nearer edge.
        let middle = (left + right) / 2.0;
        let room = 2.0 * middle.min(width - middle) - 2.0 * GAP;
        let note = font::width(&self.x_ticks.note, TEXT);
        let x_room = if note > 0.0 { self.width() - 2.0 * (note + GAP) } else { room };
        let title = font::fit(&figure.title, TITLE, room);
        let x_label = font::fit(&figure.x_label, LABEL, x_room);
        let y_label = font::fit(&figure.y_label, LABEL, bottom - top + 3.0 * GAP);
        vec![
            text((middle, GAP + TITLE), &figure.title, title, Anchor::Middle),
            text((middle, height - GAP - 4.0), &figure.x_label, x_label, Anchor::Middle),
            Shape::Text(Text {
                at: (GAP + LABEL - 2.0, (bottom + top) / 2.0),
                words: figure.y_label.clone(),
                size: y_label,
                anchor: Anchor::Middle,
                upright: true,
            }),
        ]
    }
}

/// A level line of text.
pub fn text(at: Point, words: &str, size: f64, anchor: Anchor) -> Shape {
    Shape::Text(Text { at, words: words.to_owned(), size, anchor, upright: false })
}
