//! Studies on the exact solutions, and their figures.

use super::schemes::Schemes;
use nonsmooth::analysis::exact::{self, Exact};
use nonsmooth::analysis::{Ladder, Order, Reference, Run, Runs, Study};
use nonsmooth::solvers::Options;
use nonsmooth_draw::plot::{Figure, Item, Scale};

/// A scheme with its options.
pub(super) type Scheme<'a> = (&'a str, &'a Options);

/// The exact solution called `name`, with its default parameters.
pub(super) fn known(name: &str) -> anyhow::Result<Box<dyn Exact>> {
    known_with(name, &Options::default())
}

/// The exact solution called `name`.
pub(super) fn known_with(name: &str, options: &Options) -> anyhow::Result<Box<dyn Exact>> {
    let entry = exact::find(name).ok_or_else(|| anyhow::anyhow!("no exact solution `{name}`"))?;
    entry.build(options).map_err(|errors| anyhow::anyhow!("{name}: {errors:?}"))
}

/// One scheme on one exact solution, step sizes from `coarsest` to `finest` [s].
pub(super) fn study(
    schemes: &Schemes,
    (name, options): Scheme<'_>,
    exact: &dyn Exact,
    (coarsest, finest): (f64, f64),
    phases: usize,
) -> anyhow::Result<Runs> {
    let ladder = Ladder::new((0.0, exact.horizon()), (coarsest, finest), 5, phases)?;
    // Whether it can be made at all is told before the factory is called.
    schemes.make(name, options)?;
    exact.model()?;
    let study = Study {
        ladder: &ladder,
        model: &|| exact.model(),
        integrator: &|| schemes.make(name, options).expect("looked at above"),
        reference: Reference::Exact(exact),
        coordinates: &[],
        threads: schemes.threads(),
        progress: &|| (),
    };
    Ok(study.run()?)
}

/// The order of the mean errors, by a measure of a run; NaN where there is none.
pub(super) fn slope(runs: &Runs, error: impl Fn(&Run) -> f64) -> f64 {
    runs.order(error, 0.0).map_or(f64::NAN, |order| order.slope)
}

/// The order of the largest errors.
pub(super) fn slope_of_maxima(runs: &Runs, error: impl Fn(&Run) -> f64) -> f64 {
    Order::of_maxima(&runs.rungs(error), 0.0).map_or(f64::NAN, |order| order.slope)
}

/// A measure of a run, with its label.
pub(super) type Measure = (&'static str, fn(&Run) -> f64);

/// Points of a curve.
pub(super) type Points = Vec<(f64, f64)>;

/// The mean of what the runs of each rung cost.
pub(super) fn work(runs: &Runs, cost: impl Fn(&Run) -> f64) -> Vec<f64> {
    runs.0.iter().map(|rung| rung.iter().map(&cost).sum::<f64>() / rung.len().max(1) as f64).collect()
}

/// Errors over step sizes with lines of whole orders.
pub(super) fn convergence(title: &str, series: &[(String, Points)], orders: &[i32]) -> Figure {
    let mut items: Vec<Item> = series
        .iter()
        .map(|(label, points)| Item::Marked { label: label.clone(), points: points.clone() })
        .collect();
    let points = || series.iter().flat_map(|(_, points)| points);
    let (small, large) = points().fold((f64::INFINITY, 0.0f64), |(a, b), (h, _)| (a.min(*h), b.max(*h)));
    let top = points().fold(0.0f64, |m, (_, e)| m.max(*e));
    let bottom = points().fold(f64::INFINITY, |m, (_, e)| m.min(*e));
    for &order in orders {
        // Down to the smallest error, so that a steep line does not stretch the figure.
        let small = small.max(large * (bottom / top).powf(1.0 / f64::from(order)));
        let line = |h: f64| (h, top * (h / large).powi(order));
        items.push(Item::Dashed {
            label: format!("order {order}"),
            points: vec![line(small), line(large)],
        });
    }
    Figure {
        title: title.to_owned(),
        x_label: "step size h [s]".into(),
        y_label: "error".into(),
        x_scale: Scale::Log,
        y_scale: Scale::Log,
        items,
        ..Figure::default()
    }
}

/// The mean errors of some measures as series of a figure.
pub(super) fn series(runs: &Runs, measures: &[Measure]) -> Vec<(String, Points)> {
    let points = |error: fn(&Run) -> f64| {
        runs.rungs(error).iter().map(|rung| (rung.step_size, rung.mean)).collect()
    };
    measures.iter().map(|(label, error)| ((*label).to_owned(), points(*error))).collect()
}
