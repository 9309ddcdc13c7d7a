//! Paths in the plane, drawn to scale.

use nonsmooth_draw::plot::{Figure, Item};

/// Largest width and height of the plot itself [px].
const ROOM: (f64, f64) = (760.0, 560.0);

/// What labels and ticks take beside the plot [px].
const MARGINS: (f64, f64) = (120.0, 90.0);

/// Smallest width and height of the plot, for very narrow paths [px].
const LEAST: f64 = 240.0;

/// A figure with equal scales, so that circles are round.
pub(super) fn plan(items: Vec<Item>) -> Figure {
    let points = || items.iter().flat_map(|item| item.points());
    let extent = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) =
            points().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        high - low
    };
    let (width, height) = (extent(|p| p.0), extent(|p| p.1));
    let scale = (ROOM.0 / width).min(ROOM.1 / height);
    let pixels = |length: f64, margin: f64| ((scale * length).max(LEAST) + margin).round() as u32;
    Figure {
        x_label: "x [m]".into(),
        y_label: "y [m]".into(),
        size: (pixels(width, MARGINS.0), pixels(height, MARGINS.1)),
        items,
        ..Figure::default()
    }
}
