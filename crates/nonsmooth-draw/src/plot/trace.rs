//! Items in pixels: thinned to what can be seen, with pen and mark.

use super::font;
use super::frame::{Frame, text};
use super::polyline::{thin, thin_marks, thin_stems};
use super::shape::{Anchor, Mark, Pen, Point, Shape};
use super::style::{self, GAP, TEXT};
use super::{Figure, Item, Scale};

/// Where along their curves notes stand, in turn, so that those of curves which cross do not meet.
const NOTES: [f64; 4] = [0.5, 0.25, 0.75, 0.4];

/// One item, ready to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Polylines; one per stem.
    pub paths: Vec<Vec<Point>>,
    /// Centres of the marks.
    pub marks: Vec<Point>,
    /// Two opposite corners of each rectangle.
    pub boxes: Vec<[Point; 2]>,
    /// Pen of the polylines, colour of the marks.
    pub pen: Pen,
    /// Sign of the marks.
    pub mark: Mark,
    /// Half width of the marks [px].
    pub radius: f64,
    /// The marks have a white edge.
    pub has_edge: bool,
    /// Words beside the curve, from this point of their base line on.
    pub note: Option<(Point, String)>,
    /// The legend shows a line.
    pub has_line: bool,
    /// The legend shows a mark.
    pub has_mark: bool,
}

/// All items in order. References have their own count, so that they do not use up colours.
pub fn traces(figure: &Figure, frame: &Frame) -> Vec<Trace> {
    let (mut n_series, mut n_references) = (0usize, 0usize);
    let mut traces = Vec::with_capacity(figure.items.len());
    for item in &figure.items {
        if matches!(item, Item::Continued { .. }) {
            traces.push(trace(item, n_series.saturating_sub(1), frame));
            continue;
        }
        let is_reference = matches!(item, Item::Dashed { .. } | Item::Noted { .. });
        let count = if is_reference { &mut n_references } else { &mut n_series };
        traces.push(trace(item, *count, frame));
        *count += 1;
    }
    traces
}

fn trace(item: &Item, i: usize, frame: &Frame) -> Trace {
    let pixels: Vec<Point> = item.points().iter().map(|&p| frame.at(p)).collect();
    let n_columns = frame.width() as usize;
    let full = Pen { dash: &[], ..style::pen(i) };
    // A curve of one point would be invisible: it gets a mark.
    let single = if pixels.len() == 1 { pixels.clone() } else { Vec::new() };
    let base = Trace {
        paths: Vec::new(),
        marks: single,
        boxes: Vec::new(),
        pen: style::pen(i),
        mark: style::mark(i),
        radius: style::MARK,
        has_edge: true,
        note: None,
        has_line: true,
        has_mark: false,
    };
    match item {
        Item::Line { .. } => {
            // Dashes on a curve with several points per pixel are noise: draw it full.
            let dense = pixels.len() > 4 * n_columns;
            let pen = if dense { full } else { base.pen };
            Trace { paths: vec![thin(&pixels, n_columns)], pen, ..base }
        }
        Item::Dashed { .. } => {
            Trace { paths: vec![thin(&pixels, n_columns)], pen: style::reference(i), ..base }
        }
        Item::Noted { note, .. } => Trace {
            note: beside(&pixels, note, i),
            paths: vec![thin(&pixels, n_columns)],
            pen: style::reference(0),
            ..base
        },
        Item::Continued { .. } => {
            let pen = Pen { dash: style::DOTS, ..style::pen(i) };
            Trace { paths: vec![thin(&pixels, n_columns)], pen, ..base }
        }
        Item::Marked { .. } => Trace {
            paths: vec![thin(&pixels, n_columns)],
            marks: thin_marks(&pixels),
            pen: full,
            has_mark: true,
            ..base
        },
        Item::Markers { .. } => {
            Trace { marks: thin_marks(&pixels), has_line: false, has_mark: true, ..base }
        }
        Item::Dots { .. } => Trace {
            marks: thin_marks(&pixels),
            mark: Mark::Square,
            radius: style::DOT,
            has_edge: false,
            has_line: false,
            has_mark: true,
            ..base
        },
        Item::Cells { .. } => Trace {
            marks: Vec::new(),
            boxes: pixels.chunks_exact(2).map(|corners| [corners[0], corners[1]]).collect(),
            mark: Mark::Square,
            has_edge: false,
            has_line: false,
            has_mark: true,
            ..base
        },
        Item::Stems { .. } => stems(&pixels, frame, Trace { pen: full, has_mark: true, ..base }),
    }
}

/// Words below the i-th such curve, to its right if it rises, else to its left.
fn beside(pixels: &[Point], words: &str, i: usize) -> Option<(Point, String)> {
    let (first, last) = (pixels.first()?, pixels.last()?);
    // Pixels count downwards.
    let rises = (last.1 - first.1) * (last.0 - first.0) < 0.0;
    let across = if rises { 0.5 * GAP } else { -0.5 * GAP - font::width(words, TEXT) };
    let s = NOTES[i % NOTES.len()];
    let at = |a: f64, b: f64| a + s * (b - a);
    Some(((at(first.0, last.0) + across, at(first.1, last.1) + GAP + 0.5 * TEXT), words.to_owned()))
}

/// Stems from zero, or from the frame on a log axis; a mark on each that stands alone.
fn stems(pixels: &[Point], frame: &Frame, base: Trace) -> Trace {
    let foot = match frame.y.scale {
        Scale::Linear => frame.y.at(0.0),
        Scale::Log => frame.y.pixels.0,
    };
    let mut tops = thin_stems(pixels, foot, frame.width() as usize);
    tops.sort_by(|a, b| a.0.total_cmp(&b.0));
    let radius = 0.7 * style::MARK;
    let room = |a: usize, b: usize| tops.get(a).zip(tops.get(b)).is_none_or(|(a, b)| b.0 - a.0 > radius);
    let alone = |i: &usize| room(i.wrapping_sub(1), *i) && room(*i, i + 1);
    // One stem per column can leave a gap of two columns: no moiré with pens that wide.
    let width = if tops.len() < pixels.len() { 2.2 } else { 1.5 };
    Trace {
        paths: tops.iter().map(|&(x, y)| vec![(x, foot), (x, y)]).collect(),
        marks: (0..tops.len()).filter(alone).map(|i| tops[i]).collect(),
        pen: Pen { width, ..base.pen },
        mark: Mark::Disc,
        has_edge: false,
        radius,
        ..base
    }
}

impl Trace {
    /// Line first, marks on top.
    pub fn shapes(&self) -> Vec<Shape> {
        if !self.boxes.is_empty() {
            return vec![Shape::Boxes { at: self.boxes.clone(), colour: self.pen.colour }];
        }
        let mut shapes = vec![
            Shape::Lines { paths: self.paths.clone(), pen: self.pen },
            self.marks_at(self.marks.clone(), self.radius),
        ];
        let note = self.note.iter();
        shapes.extend(note.map(|(at, words)| text(*at, words, TEXT, Anchor::Start)));
        shapes
    }

    /// The marks of this trace at other places, of another half width.
    pub fn marks_at(&self, at: Vec<Point>, radius: f64) -> Shape {
        let (mark, colour, has_edge) = (self.mark, self.pen.colour, self.has_edge);
        Shape::Marks { at, mark, radius, colour, has_edge }
    }

    /// Does any ink fall into the box with these corners?
    pub fn crosses(&self, lo: Point, hi: Point) -> bool {
        let mut segments = self.paths.iter().flat_map(|path| path.windows(2));
        // Words count as the line through their middle.
        let is_noted = self.note.iter().any(|((x, y), words)| {
            let y = y - 0.36 * TEXT;
            crosses((*x, y), (x + font::width(words, TEXT), y), lo, hi)
        });
        let covers = |[a, b]: &[Point; 2]| {
            a.0.min(b.0) <= hi.0 && a.0.max(b.0) >= lo.0 && a.1.min(b.1) <= hi.1 && a.1.max(b.1) >= lo.1
        };
        is_noted
            || self.boxes.iter().any(covers)
            || segments.any(|s| crosses(s[0], s[1], lo, hi))
            || self
                .marks
                .iter()
                .chain(self.paths.iter().flatten())
                .any(|p| (lo.0..=hi.0).contains(&p.0) && (lo.1..=hi.1).contains(&p.1))
    }
}

/// Does the segment a b meet the box? Clips its parameter interval [0, 1] by each pair of sides.
fn crosses(a: Point, b: Point, lo: Point, hi: Point) -> bool {
    let (mut s, mut e) = (0.0_f64, 1.0_f64);
    for (a, b, lo, hi) in [(a.0, b.0, lo.0, hi.0), (a.1, b.1, lo.1, hi.1)] {
        if a == b {
            if a < lo || a > hi {
                return false;
            }
            continue;
        }
        let (u, w) = ((lo - a) / (b - a), (hi - a) / (b - a));
        s = s.max(u.min(w));
        e = e.min(u.max(w));
    }
    s <= e
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segment_meets_box_exactly_when_a_sample_of_it_does() {
        let (lo, hi) = ((0.0, 0.0), (2.0, 1.0));
        let inside = |p: Point| (0.0..=2.0).contains(&p.0) && (0.0..=1.0).contains(&p.1);
        let place = |k: usize| (((k * 37) % 11) as f64 - 4.03, ((k * 53) % 7) as f64 - 3.01);
        for k in 0..77 {
            let (a, b) = (place(k), place(3 * k + 5));
            let point = |i: u32| {
                let s = f64::from(i) / 10_000.0;
                (a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1))
            };
            let sampled = (0..=10_000).any(|i| inside(point(i)));
            assert_eq!(crosses(a, b, lo, hi), sampled, "{a:?} {b:?}");
        }
    }
}
