//! The figures of a study: log–log, with lines of whole and half orders to compare with.

use super::runs::{Measure, Of};
use nonsmooth_draw::plot::{Figure, Item, Scale};

/// A slope so near to a multiple of ½ gets a line of that order.
const NEAR: f64 = 0.2;

/// Size of a panel [px at 96 dpi].
const SIZE: (u32, u32) = (680, 500);

/// Factor between the lowest curve of an order and its line.
const BELOW: f64 = 1.8;

/// A curve of measured points.
#[derive(Clone)]
pub(super) struct Curve {
    pub(super) label: String,
    pub(super) points: Vec<(f64, f64)>,
    /// Where it would go on.
    pub(super) beyond: Option<(f64, f64)>,
    /// Its fitted order, if it is a straight line.
    pub(super) order: Option<f64>,
}

/// Words for a norm in labels.
fn words(name: &str) -> &str {
    match name {
        "l1" => "L1",
        "l2" => "L2",
        "hausdorff" => "Hausdorff",
        other => other,
    }
}

/// `L1 error of q [m·s]`; of a scene only its author knows the units.
pub(super) fn label(measure: Measure, is_metric: bool) -> String {
    let name = measure.name();
    let unit = match (is_metric, measure.of) {
        (true, Of::Q) => ["m·s", "m·√s", "m", "m or s"],
        (true, Of::V) => ["m", "m/√s", "m/s", "m/s or s"],
        (false, Of::Q) => ["unit of q · s", "unit of q · √s", "unit of q", "unit of q, or s"],
        (false, Of::V) => ["unit of v · s", "unit of v · √s", "unit of v", "unit of v, or s"],
    };
    let unit = match name {
        "l1" => unit[0],
        "l2" => unit[1],
        "hausdorff" => unit[3],
        _ => unit[2],
    };
    format!("{} error of {} [{unit}]", words(name), measure.of.name())
}

/// A log–log panel of these curves, with a line at the error `level` and lines of the orders that the curves come near to.
pub(super) fn panel(
    (x_label, y_label): (&str, String),
    curves: Vec<Curve>,
    level: Option<f64>,
) -> Figure {
    let curves: Vec<Curve> = curves.into_iter().map(drawable).collect();
    let lines = order_lines(&curves);
    let mut items = Vec::new();
    // The last one that goes on explains all dots.
    let explained = curves.iter().rposition(|curve| curve.beyond.is_some());
    for (i, curve) in curves.into_iter().enumerate() {
        let last = curve.points.last().copied();
        items.push(Item::Marked { label: curve.label, points: curve.points });
        if let (Some(last), Some(beyond)) = (last, curve.beyond) {
            let label = if explained == Some(i) { "extrapolated" } else { "" }.to_owned();
            items.push(Item::Continued { label, points: vec![last, beyond] });
        }
    }
    items.extend(level.and_then(|error| across(error, &items)));
    items.extend(lines);
    Figure {
        x_label: x_label.to_owned(),
        y_label,
        x_scale: Scale::Log,
        y_scale: Scale::Log,
        items,
        size: SIZE,
        ..Figure::default()
    }
}

/// A grey line across all that there is.
fn across(error: f64, items: &[Item]) -> Option<Item> {
    let x = items.iter().flat_map(Item::points).map(|p| p.0);
    let (a, b) = x.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
    let (label, points) = (format!("error {error:e}"), vec![(a, error), (b, error)]);
    (a <= b).then_some(Item::Dashed { label, points })
}

/// Only what a log axis can show.
fn drawable(curve: Curve) -> Curve {
    let can = |p: &(f64, f64)| [p.0, p.1].iter().all(|x| *x > 1e-300 && *x < 1e300);
    Curve {
        points: curve.points.into_iter().filter(can).collect(),
        beyond: curve.beyond.filter(can),
        ..curve
    }
}

/// One line for each order, below the curves that have it, cut off where the data end.
fn order_lines(curves: &[Curve]) -> Vec<Item> {
    let mut halves: Vec<i64> = curves
        .iter()
        .filter_map(|curve| curve.order)
        .map(|order| 2.0 * order)
        .filter(|twice| *twice > 0.5 && (twice - twice.round()).abs() <= 2.0 * NEAR)
        .map(|twice| twice.round() as i64)
        .collect();
    halves.sort_unstable();
    halves.dedup();
    halves.into_iter().filter_map(|half| order_line(0.5 * half as f64, curves)).collect()
}

/// e = C h^q with C below all points of the curves of order q.
fn order_line(q: f64, curves: &[Curve]) -> Option<Item> {
    let is_mine = |curve: &&Curve| curve.order.is_some_and(|order| (order - q).abs() <= NEAR);
    let mine = || curves.iter().filter(is_mine).flat_map(|curve| &curve.points);
    let constant = mine().map(|p| p.1 / p.0.powf(q)).fold(f64::INFINITY, f64::min) / BELOW;
    let (a, b) = mine().fold((f64::INFINITY, 0.0f64), |(a, b), p| (a.min(p.0), b.max(p.0)));
    // Not far below the data: that would only make the figure taller.
    let lowest =
        curves.iter().flat_map(|curve| &curve.points).map(|p| p.1).fold(f64::INFINITY, f64::min);
    let a = a.max((lowest / BELOW / constant).powf(1.0 / q));
    let points = [a, b].map(|h| (h, constant * h.powf(q))).to_vec();
    (a < b && constant.is_finite()).then(|| Item::Noted { note: format!("order {q}"), points })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(order: f64) -> Curve {
        let points = [0.1, 0.01, 0.001].map(|h: f64| (h, 2.0 * h.powf(order))).to_vec();
        Curve { label: format!("{order}"), points, beyond: None, order: Some(order) }
    }

    #[test]
    fn orders_get_their_lines() {
        let figure = panel(("h", "e".into()), [1.0, 0.5, 1.1, 0.0, 1.75].map(curve).to_vec(), None);
        let noted = figure.items.iter().filter_map(|item| match item {
            Item::Noted { note, points } => Some((note.as_str(), points)),
            _ => None,
        });
        let lines: Vec<(&str, &Vec<(f64, f64)>)> = noted.collect();
        assert_eq!(lines.iter().map(|(note, _)| *note).collect::<Vec<_>>(), ["order 0.5", "order 1"]);
        for ((_, p), order) in lines.iter().zip([0.5, 1.0]) {
            let slope = (p[1].1 / p[0].1).ln() / (p[1].0 / p[0].0).ln();
            // Rounding of logarithms.
            assert!((slope - order).abs() < 1e-12, "{slope}");
        }
    }

    #[test]
    fn what_a_log_axis_cannot_show_is_left_out() {
        let points = vec![(0.1, 1.0), (0.0, 1.0), (0.1, f64::NAN), (0.1, 0.0), (f64::INFINITY, 1.0)];
        let order = Some(f64::NAN);
        let curve = Curve { label: "a".into(), points, beyond: Some((0.0, 1.0)), order };
        let figure = panel(("h", "e".into()), vec![curve], Some(1e-3));
        assert_eq!(figure.items.len(), 2);
        assert_eq!(figure.items[0].points(), [(0.1, 1.0)]);
        assert_eq!(figure.items[1].points(), [(0.1, 1e-3), (0.1, 1e-3)]);
        assert!(nonsmooth_draw::plot::draw(&figure).is_ok());
    }
}
