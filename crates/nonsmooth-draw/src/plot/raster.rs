//! Shapes to PNG through tiny-skia, anti-aliased, on white.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};

use super::PlotError;
use super::font;
use super::shape::{Anchor, Colour, EDGE, Mark, Pen, Point, Shape, Text, WHITE};
use super::style;

/// Bytes of a PNG file.
pub fn png(shapes: &[Shape], size: (u32, u32), pixel_ratio: u32) -> Result<Vec<u8>, PlotError> {
    let (width, height) = size;
    let mut canvas = Canvas {
        pixels: Pixmap::new(width * pixel_ratio, height * pixel_ratio).ok_or(PlotError::Size {
            width,
            height,
            pixel_ratio,
        })?,
        view: Transform::from_scale(pixel_ratio as f32, pixel_ratio as f32),
    };
    canvas.pixels.fill(Color::WHITE);
    for shape in shapes {
        canvas.draw(shape);
    }
    canvas.pixels.encode_png().map_err(|e| PlotError::Encode(e.to_string()))
}

struct Canvas {
    pixels: Pixmap,
    view: Transform,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Lines { paths, pen } => self.stroke(polylines(paths), pen),
            Shape::Marks { at, mark, radius, colour, has_edge } => {
                let path = marks(at, *mark, *radius);
                self.fill(path.clone(), *colour, self.view);
                self.stroke(path.filter(|_| *has_edge), &EDGE);
            }
            Shape::Boxes { at, colour } => {
                // Without anti-aliasing: half covered pixels would draw a seam between neighbours.
                let paint = Paint { anti_alias: false, ..paint(*colour) };
                if let Some(path) = boxes(at) {
                    self.pixels.fill_path(&path, &paint, FillRule::Winding, self.view, None);
                }
            }
            Shape::Panel { at, size, pen } => {
                let rect = Rect::from_xywh(at.0 as f32, at.1 as f32, size.0 as f32, size.1 as f32);
                let path = rect.map(PathBuilder::from_rect);
                self.fill(path.clone(), WHITE, self.view);
                self.stroke(path, pen);
            }
            Shape::Text(text) => {
                let path = font::outline(&text.words, text.size);
                self.fill(path, style::INK, self.view.pre_concat(transform_of(text)));
            }
        }
    }

    fn fill(&mut self, path: Option<Path>, colour: Colour, view: Transform) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &paint(colour), FillRule::Winding, view, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, pen: &Pen) {
        let dash = pen.dash.iter().map(|&length| length as f32).collect();
        let stroke = Stroke {
            width: pen.width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(dash, 0.0),
            ..Stroke::default()
        };
        if let Some(path) = path {
            self.pixels.stroke_path(&path, &paint(pen.colour), &stroke, self.view, None);
        }
    }
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(colour.0, colour.1, colour.2, 0xff);
    paint
}

fn polylines(paths: &[Vec<Point>]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for path in paths {
        append(&mut builder, path.iter().copied());
    }
    builder.finish()
}

fn append(builder: &mut PathBuilder, points: impl Iterator<Item = Point>) {
    for (i, (x, y)) in points.enumerate() {
        match i {
            0 => builder.move_to(x as f32, y as f32),
            _ => builder.line_to(x as f32, y as f32),
        }
    }
}

fn marks(at: &[Point], mark: Mark, radius: f64) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let corners = mark.corners(radius);
    for &(x, y) in at {
        if mark == Mark::Disc {
            builder.push_circle(x as f32, y as f32, radius as f32);
        } else {
            append(&mut builder, corners.iter().map(|c| (x + c.0, y + c.1)));
            builder.close();
        }
    }
    builder.finish()
}

fn boxes(at: &[[Point; 2]]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for [a, b] in at {
        append(&mut builder, [*a, (b.0, a.1), *b, (a.0, b.1)].into_iter());
        builder.close();
    }
    builder.finish()
}

/// Moves a text from the origin to its place.
fn transform_of(text: &Text) -> Transform {
    let shift = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5,
        Anchor::End => -1.0,
    } * font::width(&text.words, text.size);
    let turn = if text.upright { -90.0 } else { 0.0 };
    Transform::from_translate(text.at.0 as f32, text.at.1 as f32)
        .pre_concat(Transform::from_rotate(turn))
        .pre_translate(shift as f32, 0.0)
}
