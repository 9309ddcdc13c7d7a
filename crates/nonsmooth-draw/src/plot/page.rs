//! Several figures on one page, in rows, with one legend for all or one each.

use super::frame::{Frame, text};
use super::legend::Legend;
use super::shape::{Anchor, Point, Shape};
use super::style::{GAP, TITLE};
use super::{Drawing, Figure, Item, PlotError, check, font, raster, shapes, svg, trace};

/// The share of a panel's width that the legend for all may take beside them.
const BESIDE: f64 = 0.6;

/// Figures side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Above all panels; may be empty.
    pub title: String,
    /// The panels, row by row, each as large as the first.
    pub panels: Vec<Figure>,
    /// Panels side by side; 0 counts as 1.
    pub columns: usize,
    /// Whether the first panel has the legend for all of them; it stands on the right if there is no room.
    pub is_legend_shared: bool,
}

/// Draws a page. Same input, same bytes.
pub fn draw_page(page: &Page) -> Result<Drawing, PlotError> {
    let Some(first) = page.panels.first() else {
        return Err(PlotError::Size { width: 0, height: 0, pixel_ratio: 1 });
    };
    page.panels.iter().try_for_each(check::check)?;
    let columns = page.columns.clamp(1, page.panels.len());
    let (width, height) = first.size;
    let above = if page.title.is_empty() { 0.0 } else { TITLE + 2.0 * GAP };
    // A legend for all stands in the first panel where that has room, else on the right.
    let frame = Frame::new(first, 0.0);
    let traces = trace::traces(first, &frame);
    let is_inside =
        Legend::inside(first, &frame, &traces).is_some_and(|(legend, _)| legend.is_legible());
    let mut all = Vec::new();
    for (i, panel) in page.panels.iter().enumerate() {
        let mut panel = Figure { size: first.size, ..panel.clone() };
        if page.is_legend_shared && !(i == 0 && is_inside) {
            panel.items.iter_mut().for_each(Item::unlabel);
        }
        let (row, column) = (i / columns, i % columns);
        let corner = (f64::from(width) * column as f64, above + f64::from(height) * row as f64);
        all.extend(shapes(&panel)?.into_iter().map(|shape| shape.shifted(corner)));
    }

    let mut right = f64::from(width) * columns as f64;
    let below = above + f64::from(height) * page.panels.len().div_ceil(columns) as f64;
    let legend = Legend::new(first, BESIDE);
    if page.is_legend_shared && !is_inside && !legend.is_empty() {
        all.extend(legend.shapes((right + GAP, above + 2.0 * GAP), &traces));
        right += legend.width() + 2.0 * GAP;
    }
    let size = font::fit(&page.title, TITLE, right - 2.0 * GAP);
    all.push(text((right / 2.0, GAP + TITLE), &page.title, size, Anchor::Middle));

    // The sum of the panels may be too large for the memory although each of them is not.
    let size = (right.ceil() as u32, below.ceil() as u32);
    let pixel_ratio = first.pixel_ratio;
    check::size(size, pixel_ratio)?;
    let svg = svg::svg(&all, size, &page.title);
    Ok(Drawing { png: raster::png(&all, size, pixel_ratio)?, svg })
}

impl Shape {
    /// The same shape elsewhere.
    fn shifted(self, by: Point) -> Self {
        let shift = |p: Point| (p.0 + by.0, p.1 + by.1);
        let all = |points: Vec<Point>| points.into_iter().map(shift).collect::<Vec<Point>>();
        match self {
            Shape::Lines { paths, pen } => {
                Shape::Lines { paths: paths.into_iter().map(all).collect(), pen }
            }
            Shape::Marks { at, mark, radius, colour, has_edge } => {
                Shape::Marks { at: all(at), mark, radius, colour, has_edge }
            }
            Shape::Boxes { at, colour } => {
                Shape::Boxes { at: at.into_iter().map(|corners| corners.map(shift)).collect(), colour }
            }
            Shape::Panel { at, size, pen } => Shape::Panel { at: shift(at), size, pen },
            Shape::Text(mut text) => {
                text.at = shift(text.at);
                Shape::Text(text)
            }
        }
    }
}
