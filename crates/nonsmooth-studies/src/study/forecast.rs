//! The work that an error costs: measured where the runs reach it, else along the fitted slope.
//!
//! ```text
//! error = C n^{−p}            over the steps made n, by least squares:  an error ε takes n_ε = (C/ε)^{1/p} steps,
//! work  = w_N (n/n_N)^b       from the finest rung N on:                and the work w_N (n_ε/n_N)^b
//! ```
//!
//! An exponent b near 0 or 1 is taken as that: the number of impacts does not grow with the steps, and what every step
//! costs grows with them; small runs hide that behind what they cost but once.

use super::runs::{Made, Measure, Studied};
use nonsmooth::analysis::Order;

/// Name and unit in tables, label of an axis, how a value is shown, and how it is read from a run.
pub(super) type Kind = (&'static str, &'static str, fn(f64) -> String, fn(&Made) -> f64);

/// What work is counted by.
pub(super) const WORKS: [Kind; 4] = [
    ("steps", "steps made, rejected ones too [–]", count, |made| {
        of(made, |c, _| c.steps + c.rejected)
    }),
    ("evaluations", "evaluations of the forces [–]", count, |made| of(made, |c, _| c.evaluations)),
    ("problems", "one-step problems solved [–]", count, |made| of(made, |_, problems| problems)),
    ("time [ms]", "processor time [s]", milliseconds, |made| made.seconds.unwrap_or(f64::NAN)),
];

/// Place of the steps in [`WORKS`].
pub(super) const STEPS: usize = 0;

/// A slope flatter than this is no convergence.
const FLAT: f64 = 0.1;

/// An exponent so near to 0 or 1 is taken as that; the processor time of runs of 100 to 1600 steps has 0.9.
const NEAR: f64 = 0.2;

/// Rungs of an adaptive scheme that count for its slope.
const LAST: usize = 3;

/// Figures do not go on further than so many times the largest work measured.
const FAR: f64 = 1e7;

fn of(made: &Made, read: fn(nonsmooth::Counts, u64) -> u64) -> f64 {
    made.run.as_ref().map_or(f64::NAN, |run| read(run.work.counts, run.work.problems) as f64)
}

/// A whole number up to a million, then with an exponent.
fn count(x: f64) -> String {
    if x < 1e6 { format!("{x:.0}") } else { format!("{x:.2e}") }
}

fn milliseconds(x: f64) -> String {
    let ms = 1e3 * x;
    if ms < 1e6 { format!("{ms:.3}") } else { format!("{ms:.2e}") }
}

/// The geometric means of a rung.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    is_adaptive: bool,
    pub(super) error: f64,
    pub(super) works: [f64; 4],
}

impl Point {
    /// None if a run failed.
    pub(super) fn new(rung: &[Made], measure: Measure) -> Option<Self> {
        let runs = super::runs::good(rung)?;
        if runs.is_empty() {
            return None;
        }
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            (values.map(f64::ln).sum::<f64>() / runs.len() as f64).exp()
        };
        let error = mean(&mut runs.iter().map(|run| measure.error(run)));
        let is_adaptive = rung.iter().any(|made| made.tolerance.is_some());
        Some(Self {
            is_adaptive,
            error,
            works: WORKS.map(|(.., read)| mean(&mut rung.iter().map(read))),
        })
    }
}

/// The rungs of a scheme of which all runs went well.
pub(super) fn points(studied: &Studied, measure: Measure) -> Vec<Point> {
    studied.rungs.iter().filter_map(|rung| Point::new(rung, measure)).collect()
}

/// What an error costs.
pub(super) struct Forecast {
    /// d ln error / d ln n, if two rungs count.
    pub(super) slope: Option<f64>,
    /// In the order of [`WORKS`].
    pub(super) works: [f64; 4],
    /// Between two rungs, not beyond the last.
    pub(super) is_measured: bool,
}

impl Forecast {
    /// Whether it is beyond the points, but not far.
    pub(super) fn is_drawable(&self, points: &[Point]) -> bool {
        let largest = points.iter().map(|point| point.works[STEPS]).fold(0.0, f64::max);
        !self.is_measured && self.works[STEPS] <= FAR * largest
    }
}

/// The line through (ln n, ln error); of adaptive schemes the last rungs alone, since the first make no more steps than
/// the grid and the impacts ask for.
fn fit(points: &[Point], floor: f64) -> Option<Order> {
    let skipped = points.len().saturating_sub(LAST).min(points.iter().filter(|p| p.is_adaptive).count());
    Order::fit(points[skipped..].iter().map(|point| (point.works[STEPS], point.error)), floor)
}

/// The work for an error of `reach`; points below `floor` do not count for the slope. None if the error does not fall.
pub(super) fn forecast(points: &[Point], reach: f64, floor: f64) -> Option<Forecast> {
    let fit = fit(points, floor);
    let slope = fit.map(|fit| fit.slope);
    if let Some(works) = between(points, reach) {
        return Some(Forecast { slope, works, is_measured: true });
    }
    let fit = fit.filter(|fit| fit.slope < -FLAT)?;
    let steps = (reach / fit.constant).powf(1.0 / fit.slope);
    let last = points.last()?.works;
    let works = [0, 1, 2, 3].map(|k| last[k] * (steps / last[STEPS]).powf(exponent(points, k)));
    Some(Forecast { slope, works, is_measured: false })
}

/// b of work `k`.
fn exponent(points: &[Point], k: usize) -> f64 {
    let fit = Order::fit(points.iter().map(|point| (point.works[STEPS], point.works[k])), 0.0);
    let b = fit.map_or(0.0, |fit| fit.slope);
    if (b - b.round()).abs() <= NEAR && (0.0..=1.0).contains(&b.round()) { b.round() } else { b }
}

/// The work where the error passes `reach` for the first time, on a line in log–log between two rungs.
fn between(points: &[Point], reach: f64) -> Option<[f64; 4]> {
    let first = points.iter().position(|point| point.error <= reach)?;
    let after = points[first];
    // The coarsest rung is good enough already: its work is what is known.
    let Some(before) = first.checked_sub(1).map(|i| points[i]).filter(|_| after.error > 0.0) else {
        return Some(after.works);
    };
    let s = (reach / before.error).ln() / (after.error / before.error).ln();
    let blend = |k: usize| match (before.works[k], after.works[k]) {
        (a, b) if a > 0.0 && b > 0.0 => a * (b / a).powf(s),
        (a, b) => a + s * (b - a),
    };
    Some([0, 1, 2, 3].map(blend))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// error = 3 n⁻², 2n evaluations, 7 problems, 1 µs per step.
    fn second_order() -> Vec<Point> {
        [10.0, 20.0, 40.0, 80.0]
            .map(|n: f64| Point {
                error: 3.0 / (n * n),
                works: [n, 2.0 * n, 7.0, 1e-6 * n],
                ..Point::default()
            })
            .to_vec()
    }

    #[test]
    fn beyond_the_last_rung_the_slope_goes_on() {
        let ahead = forecast(&second_order(), 3e-8, 0.0).unwrap();
        assert!(!ahead.is_measured);
        // Rounding of logarithms.
        assert!((ahead.slope.unwrap() + 2.0).abs() < 1e-12);
        for (found, expected) in ahead.works.iter().zip([1e4, 2e4, 7.0, 1e-2]) {
            assert!((found / expected - 1.0).abs() < 1e-11, "{:?}", ahead.works);
        }
        assert!(ahead.is_drawable(&second_order()));
        assert!(!forecast(&second_order(), 3e-22, 0.0).unwrap().is_drawable(&second_order()), "too far");
    }

    #[test]
    fn noise_does_not_grow_and_what_runs_cost_but_once_is_not_taken_for_a_trend() {
        // Problems 3.7 … 4.2 without order, time 1 µs + 0.1 µs per step.
        let problems = [3.7, 4.2, 3.9, 4.0];
        let points: Vec<Point> = [100.0, 200.0, 400.0, 800.0]
            .iter()
            .zip(problems)
            .map(|(&n, k)| Point {
                error: 1.0 / n,
                works: [n, n, k, 1e-6 + 1e-7 * n],
                ..Point::default()
            })
            .collect();
        let ahead = forecast(&points, 1e-9, 0.0).unwrap();
        assert_eq!(ahead.works[2], 4.0);
        // What is paid once is 1 in 81 of the last run.
        assert!((ahead.works[3] / 100.0 - 1.0).abs() < 0.02, "{:?}", ahead.works);
    }

    #[test]
    fn between_rungs_it_is_measured() {
        let ahead = forecast(&second_order(), 3.0 / 900.0, 0.0).unwrap();
        assert!(ahead.is_measured && !ahead.is_drawable(&second_order()));
        for (found, expected) in ahead.works.iter().zip([30.0, 60.0, 7.0, 3e-5]) {
            assert!((found / expected - 1.0).abs() < 1e-12, "{:?}", ahead.works);
        }
        assert_eq!(forecast(&second_order(), 1.0, 0.0).unwrap().works, second_order()[0].works);
    }

    #[test]
    fn of_adaptive_schemes_the_last_rungs_count() {
        // Two loose tolerances ask for no more than the grid of 10 steps.
        let mut points = second_order();
        points.iter_mut().for_each(|point| point.is_adaptive = true);
        points.insert(0, Point { error: 0.04, ..points[0] });
        points.insert(0, Point { error: 0.06, ..points[0] });
        let ahead = forecast(&points, 3e-8, 0.0).unwrap();
        // Rounding of logarithms.
        assert!((ahead.works[STEPS] / 1e4 - 1.0).abs() < 1e-11, "{:?}", ahead.works);
    }

    #[test]
    fn what_does_not_converge_does_not_get_there() {
        let flat =
            [10.0, 20.0, 40.0].map(|n| Point { error: 0.5, works: [n, n, 0.0, n], ..Point::default() });
        assert!(forecast(&flat, 1e-3, 0.0).is_none());
        assert!(forecast(&second_order()[..1], 1e-9, 0.0).is_none(), "one rung has no slope");
        assert!(forecast(&[], 1e-9, 0.0).is_none());
    }

    #[test]
    fn numbers_are_shown_short() {
        assert_eq!((count(101.6), count(1.234e9)), ("102".into(), "1.23e9".into()));
        assert_eq!((milliseconds(0.012_345), milliseconds(1e5)), ("12.345".into(), "1.00e8".into()));
    }
}
