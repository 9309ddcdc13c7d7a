//! Checks a figure before any pixel is computed; everything after this trusts the numbers.

use super::{Direction, Figure, Item, PlotError, Scale};

/// Beyond this, a difference of two values may overflow.
const LARGEST: f64 = 1e300;

/// Names the first thing that cannot be drawn.
pub fn check(figure: &Figure) -> Result<(), PlotError> {
    size(figure.size, figure.pixel_ratio)?;
    for item in &figure.items {
        finite(item)?;
        if figure.x_scale == Scale::Log {
            positive(item, Direction::X)?;
        }
        if figure.y_scale == Scale::Log {
            positive(item, Direction::Y)?;
        }
    }
    Ok(())
}

/// Whether a drawing of this size can be made.
pub fn size((width, height): (u32, u32), pixel_ratio: u32) -> Result<(), PlotError> {
    let fits = |n: u32| n.checked_mul(pixel_ratio).is_some_and(|n| (1..=16_000).contains(&n));
    if width >= 300 && height >= 200 && fits(width) && fits(height) {
        return Ok(());
    }
    Err(PlotError::Size { width, height, pixel_ratio })
}

fn finite(item: &Item) -> Result<(), PlotError> {
    let bad = |v: f64| !v.is_finite() || v.abs() > LARGEST;
    match item.points().iter().position(|p| bad(p.0) || bad(p.1)) {
        None => Ok(()),
        Some(index) => {
            Err(PlotError::NonFinite { label: item.label().to_owned(), index, at: item.points()[index] })
        }
    }
}

fn positive(item: &Item, direction: Direction) -> Result<(), PlotError> {
    let values = item.points().iter().map(|p| match direction {
        Direction::X => p.0,
        Direction::Y => p.1,
    });
    match values.enumerate().find(|(_, v)| *v <= 0.0) {
        None => Ok(()),
        Some((index, value)) => {
            let label = item.label().to_owned();
            Err(PlotError::NotPositive { label, index, direction, value })
        }
    }
}
