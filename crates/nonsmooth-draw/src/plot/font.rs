//! DejaVu Sans 2.37, compiled in: widths for the layout and outlines for the PNG.
//!
//! Covers Latin, Greek, Cyrillic, mathematical signs, sub- and superscripts. A character it lacks
//! shows as an empty box. Licence of the font: Bitstream Vera (free to embed), changes public domain.

use std::sync::LazyLock;

use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(dejavu::sans::regular(), 0).expect("the compiled-in DejaVu Sans is a valid font")
});

fn glyph(c: char) -> GlyphId {
    let c = if c.is_control() { ' ' } else { c };
    FACE.glyph_index(c).unwrap_or_default()
}

fn advance(id: GlyphId) -> f64 {
    f64::from(FACE.glyph_hor_advance(id).unwrap_or_default())
}

/// Width of a line of text [px], without kerning.
pub fn width(words: &str, size: f64) -> f64 {
    let units: f64 = words.chars().map(|c| advance(glyph(c))).sum();
    units * size / f64::from(FACE.units_per_em())
}

/// The largest size up to `size` at which the text is no wider than `room` [px].
pub fn fit(words: &str, size: f64, room: f64) -> f64 {
    (size * room / width(words, size).max(1e-9)).min(size)
}

/// Outline of a line of text that starts at the origin of the base line.
pub fn outline(words: &str, size: f64) -> Option<tiny_skia::Path> {
    let scale = size / f64::from(FACE.units_per_em());
    let mut pen = Pen { path: PathBuilder::new(), scale, x: 0.0 };
    for id in words.chars().map(glyph) {
        FACE.outline_glyph(id, &mut pen);
        pen.x += advance(id) * scale;
    }
    pen.path.finish()
}

/// Moves font units, y upwards, to pixels, y downwards.
struct Pen {
    path: PathBuilder,
    scale: f64,
    x: f64,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        let px = self.x + f64::from(x) * self.scale;
        (px as f32, (-f64::from(y) * self.scale) as f32)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
