//! Shapes to SVG, with text as text so that a journal can edit it.

use std::fmt::Write;

use super::shape::{Anchor, Colour, EDGE, Mark, Pen, Point, Shape, Text};
use super::style;

/// DejaVu Sans first; Verdana has the same proportions where it is missing.
const FONTS: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// The text of an SVG file.
pub fn svg(shapes: &[Shape], (w, h): (u32, u32), title: &str) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\" font-family=\"{FONTS}\" stroke-linejoin=\"round\" role=\"img\">\n\
         <title>{}</title>\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
        escaped(title)
    );
    for shape in shapes {
        out.push_str(&element(shape));
        out.push('\n');
    }
    out.push_str("</svg>\n");
    out
}

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Lines { paths, pen } => {
            let d: String = paths.iter().map(|path| polyline(path.iter().copied())).collect();
            format!("<path d=\"{d}\" fill=\"none\" {}/>", stroke(pen))
        }
        Shape::Marks { at, mark, radius, colour, has_edge } => {
            let d: String = at.iter().map(|&centre| outline(centre, *mark, *radius)).collect();
            let edge = if *has_edge { stroke(&EDGE) } else { String::new() };
            format!("<path d=\"{d}\" fill=\"{}\" {edge}/>", hex(*colour))
        }
        Shape::Boxes { at, colour } => {
            let d: String = at.iter().map(rectangle).collect();
            format!("<path d=\"{d}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>", hex(*colour))
        }
        Shape::Panel { at, size, pen } => format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\" {}/>",
            px(at.0),
            px(at.1),
            px(size.0),
            px(size.1),
            stroke(pen)
        ),
        Shape::Text(text) => words(text),
    }
}

fn words(text: &Text) -> String {
    let (x, y) = (px(text.at.0), px(text.at.1));
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let place = if text.upright {
        format!("transform=\"translate({x} {y}) rotate(-90)\"")
    } else {
        format!("x=\"{x}\" y=\"{y}\"")
    };
    format!(
        "<text {place} font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
        px(text.size),
        hex(style::INK),
        escaped(&text.words)
    )
}

fn polyline(points: impl Iterator<Item = Point>) -> String {
    let mut d = String::new();
    for (i, (x, y)) in points.enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        write!(d, "{command}{} {}", px(x), px(y)).expect("a String takes any text");
    }
    d
}

fn outline((x, y): Point, mark: Mark, radius: f64) -> String {
    if mark == Mark::Disc {
        let (r, d) = (px(radius), px(2.0 * radius));
        return format!("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", px(x - radius), px(y));
    }
    polyline(mark.corners(radius).iter().map(|c| (x + c.0, y + c.1))) + "Z"
}

fn stroke(pen: &Pen) -> String {
    let mut out = format!("stroke=\"{}\" stroke-width=\"{}\"", hex(pen.colour), px(pen.width));
    if !pen.dash.is_empty() {
        let dash: Vec<String> = pen.dash.iter().map(|&length| px(length)).collect();
        out += &format!(" stroke-dasharray=\"{}\"", dash.join(" "));
    }
    out
}

/// A closed rectangle between two corners.
fn rectangle([a, b]: &[Point; 2]) -> String {
    format!("M{} {}H{}V{}H{}Z", px(a.0), px(a.1), px(b.0), px(b.1), px(a.0))
}

fn hex(colour: Colour) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2)
}

/// A length with at most two decimals [px].
fn px(v: f64) -> String {
    let text = format!("{v:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Text safe inside an element; control characters, which XML forbids, become spaces.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => out.push(' '),
            c => out.push(c),
        }
        out
    })
}
