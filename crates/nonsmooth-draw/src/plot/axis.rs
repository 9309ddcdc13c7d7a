//! One axis: the interval it shows and the map from values to pixels.
//!
//! On a log axis lo and hi are decimal exponents.

use super::{Figure, Item, Scale};

/// A log axis shows at least this many decades: over less, noise would look like a trend.
const LEAST_DECADES: f64 = 0.6;

/// The interval shown and where it lies on the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Value, or exponent, at the first pixel.
    pub lo: f64,
    /// Value, or exponent, at the last pixel; always > `lo`.
    pub hi: f64,
    /// First and last pixel.
    pub pixels: (f64, f64),
}

impl Axis {
    /// The x axis of a figure; its pixels are set by the frame.
    pub fn x(figure: &Figure) -> Self {
        let values = figure.items.iter().flat_map(|i| i.points()).map(|p| p.0);
        // Curves run from edge to edge; marks and stems keep off the frame.
        let curves = figure.items.iter().all(is_curve);
        let pad = if curves && figure.x_scale == Scale::Linear { 0.0 } else { 0.03 };
        let (lo, hi) = interval(figure.x_scale, values);
        let (lo, hi) = padded(lo, hi, pad);
        Self { scale: figure.x_scale, lo, hi, pixels: (0.0, 1.0) }
    }

    /// The y axis of a figure; its pixels are set by the frame.
    pub fn y(figure: &Figure) -> Self {
        let scale = figure.y_scale;
        let values = figure.items.iter().flat_map(|i| i.points()).map(|p| p.1);
        let stems = scale == Scale::Linear
            && figure
                .items
                .iter()
                .any(|i| matches!(i, Item::Stems { points, .. } if !points.is_empty()));
        let foot = stems.then_some(0.0);
        let (lo, hi) = interval(scale, values.chain(foot));
        let (mut low, high) = padded(lo, hi, 0.06);
        // Stems stand on the frame when nothing is below zero.
        if stems && lo == 0.0 {
            low = 0.0;
        }
        Self { scale, lo: low, hi: high, pixels: (0.0, 1.0) }
    }

    /// Value, or exponent on a log axis.
    pub fn coordinate(&self, v: f64) -> f64 {
        match self.scale {
            Scale::Linear => v,
            Scale::Log => v.log10(),
        }
    }

    /// Pixel of a value.
    pub fn at(&self, v: f64) -> f64 {
        self.at_coordinate(self.coordinate(v))
    }

    /// Pixel of a value, or of an exponent on a log axis.
    pub fn at_coordinate(&self, c: f64) -> f64 {
        let (first, last) = self.pixels;
        first + (c - self.lo) / (self.hi - self.lo) * (last - first)
    }
}

fn is_curve(item: &Item) -> bool {
    let is_line = matches!(item, Item::Line { .. } | Item::Dashed { .. } | Item::Noted { .. });
    is_line || matches!(item, Item::Continued { .. })
}

/// Smallest interval with all values, opened up if it is a point or empty.
fn interval(scale: Scale, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (v.min(lo), v.max(hi)));
    if lo > hi {
        return match scale {
            Scale::Linear => (0.0, 1.0),
            Scale::Log => (-1.0, 1.0),
        };
    }
    if scale == Scale::Log {
        let (lo, hi) = (lo.log10(), hi.log10());
        let missing = (LEAST_DECADES - (hi - lo)).max(0.0);
        return (lo - 0.5 * missing, hi + 0.5 * missing);
    }
    // A few units of round-off are not a range, nor is a span whose powers of ten underflow.
    let largest = lo.abs().max(hi.abs());
    if hi - lo > 16.0 * f64::EPSILON * largest && hi - lo > 1e-290 {
        return (lo, hi);
    }
    let half = if largest > 1e-280 { 0.1 * largest } else { 1.0 };
    (lo - half, hi + half)
}

fn padded(lo: f64, hi: f64, fraction: f64) -> (f64, f64) {
    let pad = fraction * (hi - lo);
    (lo - pad, hi + pad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_is_never_empty() {
        for values in [vec![], vec![0.0], vec![9.81; 3], vec![1e-300], vec![1.0, 1.0 + f64::EPSILON]] {
            let (lo, hi) = interval(Scale::Linear, values.iter().copied());
            assert!(lo < hi, "{values:?}: {lo} {hi}");
        }
        let (lo, hi) = interval(Scale::Log, [1e-16].into_iter());
        assert!(lo < -16.0 && hi > -16.0);
    }
}
