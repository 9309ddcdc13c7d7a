//! Schemes of any order and splitting schemes: orders, and precision against work.

use super::background::MEASURES;
use crate::reproduce::paper::Section;
use crate::reproduce::schemes::Schemes;
use crate::reproduce::studies::{Points, convergence, known, known_with, series, slope, study, work};
use nonsmooth::analysis::{Order, Run, Runs};
use nonsmooth::solvers::Options;

/// Runge–Kutta methods with their order and the step sizes at which errors lie between 1e-3 and 1e-11.
const METHODS: [(&str, f64, (f64, f64)); 5] = [
    ("midpoint", 2.0, (0.1, 2e-3)),
    ("radau3", 3.0, (0.2, 6e-3)),
    ("rk4", 4.0, (0.15, 8e-3)),
    ("dormand-prince", 5.0, (0.5, 4e-2)),
    ("gauss6", 6.0, (0.8, 0.1)),
];

/// Within what an order must be met, and why.
fn margin(order: f64) -> (f64, &'static str) {
    if order <= 4.0 {
        (0.1, "eight phases on each rung leave a spread of 0.1")
    } else {
        (0.25, "beyond order 4 errors reach rounding after few rungs: the ladder is short")
    }
}

fn evaluations(run: &Run) -> f64 {
    run.work.counts.evaluations as f64
}

/// Error of q over evaluations of f, the mean of each rung.
fn precision(runs: &Runs) -> Points {
    runs.rungs(|run| run.q.l1)
        .iter()
        .zip(work(runs, evaluations))
        .map(|(rung, work)| (work, rung.mean))
        .collect()
}

/// Evaluations that a scheme needs for the error `goal`, from the slope of its ladder.
fn extrapolated(points: &Points, goal: f64) -> f64 {
    let line = Order::fit(points.iter().map(|(work, error)| (1.0 / work, *error)), 0.0);
    line.map_or(f64::NAN, |line| (line.constant / goal).powf(1.0 / line.slope))
}

/// Precision–work of the schemes of any order on the oscillator, through an accumulation, and on the ball.
pub(in crate::reproduce) fn any_order(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Time-stepping schemes of any order",
        "`high-order`: a Runge–Kutta method between events, each event bracketed to a small part of h^{p+1}, Moreau's scheme on the \
         bracket. The order is that of the Runge–Kutta method, on the oscillator and through the accumulation of the pressed one. \
         The flight of the ball is a parabola, which every method of order two integrates exactly.",
    );
    for (example, stem) in [("oscillator", "oscillator"), ("pressed-oscillator", "pressed")] {
        let exact = known(example)?;
        let (mut errors, mut work) = (Vec::new(), Vec::new());
        for (method, order, sizes) in METHODS {
            let options = Options::default().with_word("method", method);
            let runs = study(schemes, ("high-order", &options), &*exact, sizes, 8)?;
            let what = format!("order of q in the maximum with {method}, {example}");
            section.close(
                "precision–work diagrams",
                &what,
                slope(&runs, |run| run.q.maximum),
                order,
                margin(order),
            );
            errors.extend(series(&runs, &[(method, |run| run.q.maximum)]));
            work.push((method.to_owned(), precision(&runs)));
        }
        let caption = format!("Largest error of q on the {example} over the step size");
        section.figure(
            &format!("acary-2010-high-order-{stem}"),
            convergence("", &errors, &[2, 4, 6]),
            &caption,
        );
        if example == "oscillator" {
            compare(schemes, work, &mut section)?;
        }
    }
    let ball = known("ball")?;
    let runs = study(
        schemes,
        ("high-order", &Options::default().with_word("method", "rk4")),
        &*ball,
        (0.3, 2e-2),
        8,
    )?;
    let worst = runs.0.iter().flatten().map(|run| run.q.maximum).fold(0.0, f64::max);
    section.at_most(
        "results on the bouncing ball",
        "largest error of q with rk4 at any of the steps [m]",
        worst,
        (1e-5, "what is left is the bracket of the events and the rest criterion, small against any of these steps to the fourth"),
    );
    Ok(section)
}

/// The diagram, with Moreau's scheme beside, and how many evaluations 1e-8 takes.
fn compare(
    schemes: &Schemes,
    mut curves: Vec<(String, Points)>,
    section: &mut Section,
) -> anyhow::Result<()> {
    let exact = known("oscillator")?;
    let moreau = study(schemes, ("moreau-jean", &Options::default()), &*exact, (2e-2, 5e-4), 8)?;
    let reference = extrapolated(&precision(&moreau), 1e-8);
    for (method, points) in
        curves.iter().filter(|(method, _)| ["rk4", "dormand-prince", "gauss6"].contains(&&**method))
    {
        let fewer = reference / extrapolated(points, 1e-8);
        let what = format!(
            "evaluations of f for 1e-8 in L1(q): moreau-jean (extrapolated) over high-order, {method}"
        );
        section.at_least(
            "precision–work, oscillator",
            &what,
            fewer,
            (1e3, "three powers of ten: order 4 and more against order 1 at 1e-8"),
        );
    }
    curves.push(("moreau-jean".into(), precision(&moreau)));
    let mut figure = convergence("", &curves, &[]);
    figure.x_label = "evaluations of f".into();
    figure.y_label = "error of q in L1 [m·s]".into();
    section.figure(
        "acary-2010-work-oscillator",
        figure,
        "Precision against work on the oscillator, event location included",
    );
    Ok(())
}

/// Orders of the splitting schemes.
pub(in crate::reproduce) fn splitting(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Splitting based schemes",
        "The smooth flow by RKF45, then the impact at fixed q: of order one whatever the flow, since the impact is applied at the \
         end of its step. Without a lasting contact force a body at rest sinks at each step; with it, it does not.",
    );
    for example in ["ball", "oscillator"] {
        let exact = known(example)?;
        // A lasting contact ends the ball's motion; without its force the ball would sink.
        let options = Options::default().with_word("contact_force", "yes");
        let runs = study(schemes, ("splitting", &options), &*exact, (2e-2, 5e-4), 12)?;
        for (label, error) in [MEASURES[0], MEASURES[3]] {
            let what = format!("order in {label}, constant step, {example}");
            section.close("splitting, constant time step", &what, slope(&runs, error), 1.0, (0.15, "five rungs of twelve phases: a spread of 0.1, and the flow adds its own error at coarse steps"));
        }
        let caption = format!("Errors of the splitting scheme on the {example}");
        section.figure(
            &format!("acary-2010-splitting-{example}"),
            convergence("", &series(&runs, &MEASURES), &[1]),
            &caption,
        );
    }
    adaptive(schemes, &mut section)?;
    sinking(schemes, &mut section)?;
    Ok(section)
}

/// With the adaptive step the error follows the tolerance.
fn adaptive(schemes: &Schemes, section: &mut Section) -> anyhow::Result<()> {
    let exact = known("oscillator")?;
    let mut errors = Vec::new();
    for tolerance in [1e-2, 1e-3, 1e-4, 1e-5] {
        let options = Options::default().with_word("adaptive", "yes").with("tolerance", tolerance);
        let runs = study(schemes, ("splitting", &options), &*exact, (0.4, 0.3), 8)?;
        let rung = runs.rungs(|run| run.q.l1);
        errors.push((tolerance, rung.first().map_or(f64::NAN, |rung| rung.mean)));
    }
    let order = Order::fit(errors.iter().copied(), 0.0).map_or(f64::NAN, |order| order.slope);
    section.close(
        "splitting, adaptive time step",
        "slope of the error of q over the tolerance, oscillator",
        order,
        1.0,
        (0.3, "the overlap at an impact is held below the tolerance, so that the impact is late by tolerance over speed; where it falls below it is left to the step control"),
    );
    Ok(())
}

/// An inelastic ball at rest for one second with steps of 10 ms.
fn sinking(schemes: &Schemes, section: &mut Section) -> anyhow::Result<()> {
    let inelastic = known_with("ball", &Options::default().with("restitution", 0.0))?;
    let falls = "rounding of 100 falls by |f| h²/2, each before the impact that stops it";
    for (force, expected, tolerance) in
        [("no", 1e-2, (1e-12, falls)), ("yes", 0.0, (1e-12, "the tolerance of the solves"))]
    {
        let (model, mut state) = inelastic.model()?;
        (state.q, state.v) = (vec![0.0], vec![0.0]);
        let run = schemes.run(
            ("splitting", &Options::default().with_word("contact_force", force)),
            (model, state),
            1e-2,
            100,
        )?;
        let sunk = -run.q.last().map_or(f64::NAN, |q| q[0]);
        section.close(
            "splitting, resting contact",
            &format!("depth after 1 s at rest, contact force: {force} [m]"),
            sunk,
            expected,
            tolerance,
        );
    }
    Ok(())
}
