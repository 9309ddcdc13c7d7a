//! The academic examples and the order of Moreau's scheme.

use crate::reproduce::paper::Section;
use crate::reproduce::schemes::Schemes;
use crate::reproduce::studies::{Measure, convergence, known, series, slope, slope_of_maxima, study};
use nonsmooth::analysis::exact::Exact;
use nonsmooth::solvers::Options;
use nonsmooth_draw::plot::{Figure, Item, with_jumps};

/// The exact motion as a figure, with a run beside it.
fn picture(exact: &dyn Exact, run: &nonsmooth::observers::Trajectory, velocity: bool) -> Figure {
    let (end, n) = (exact.horizon(), 2000);
    let t: Vec<f64> = (0..=n).map(|k| end * f64::from(k) / f64::from(n)).collect();
    let of =
        |motion: nonsmooth::analysis::exact::Motion| if velocity { motion.v[0] } else { motion.q[0] };
    let x: Vec<f64> = t.iter().map(|&t| of(exact.at(t))).collect();
    let points = if velocity {
        with_jumps(&t, &x, &exact.jumps(end))
    } else {
        t.iter().copied().zip(x).collect()
    };
    let rows = if velocity { &run.v } else { &run.q };
    let computed = run.t.iter().zip(rows).map(|(t, x)| (*t, x[0])).collect();
    Figure {
        x_label: "time t [s]".into(),
        y_label: if velocity { "velocity v [m/s]" } else { "position q [m]" }.into(),
        items: vec![
            Item::Line { label: "exact".into(), points },
            Item::Markers { label: "moreau-jean".into(), points: computed },
        ],
        ..Figure::default()
    }
}

/// The solution plots: exact solutions, and coarse runs of Moreau's scheme beside them.
pub(in crate::reproduce) fn solutions(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Academic examples",
        "The exact solutions, and runs of `moreau-jean` with some 80 steps beside them.",
    );
    for (name, place, jumps) in [
        ("ball", "slide “Bouncing ball”", [1.0, 2.0, 2.5]),
        ("oscillator", "slide “Linear oscillator”", [0.5, 1.5, 2.5].map(|k| k * std::f64::consts::PI)),
    ] {
        let exact = known(name)?;
        for (k, expected) in jumps.into_iter().enumerate().take_while(|(_, t)| *t < exact.horizon()) {
            let found = exact.jumps(exact.horizon()).get(k).copied().unwrap_or(f64::NAN);
            section
                .close(
                    place,
                    &format!("impact {} of the {name} [s]", k + 1),
                    found,
                    expected,
                    (1e-12, "rounding of closed forms"),
                )
                .arithmetic();
        }
        if let Some(t) = exact.accumulation() {
            section
                .close(
                    place,
                    &format!("accumulation of the {name} [s]"),
                    t,
                    3.0,
                    (1e-12, "rounding of closed forms"),
                )
                .arithmetic();
        }
        let n = 83;
        let h = exact.horizon() / n as f64;
        let model = exact.model()?;
        let run = schemes.run(("moreau-jean", &Options::default()), model, h, n)?;
        let worst =
            run.t.iter().zip(&run.q).map(|(t, q)| (q[0] - exact.at(*t).q[0]).abs()).fold(0.0, f64::max);
        section.at_most(
            place,
            &format!("largest error of q with {n} steps, ≤ (1+e)|v|h [m]"),
            worst,
            (3.0 * h, "an impact found up to a step late moves the rest by at most (1+e)|v| h, |v| ≤ 2"),
        );
        let stem = format!("acary-2010-{name}");
        section.figure(
            &format!("{stem}-position"),
            picture(&*exact, &run, false),
            &format!("Position of the {name}"),
        );
        section.figure(
            &format!("{stem}-velocity"),
            picture(&*exact, &run, true),
            &format!("Velocity of the {name}"),
        );
    }
    Ok(section)
}

pub(super) const MEASURES: [Measure; 5] = [
    ("q, L1", |run| run.q.l1),
    ("q, maximum", |run| run.q.maximum),
    ("q, Hausdorff", |run| run.q.hausdorff),
    ("v, L1", |run| run.v.l1),
    ("v, Hausdorff", |run| run.v.hausdorff),
];

/// Empirical orders of a scheme of order one on ball and oscillator.
pub(in crate::reproduce) fn first_order(
    schemes: &Schemes,
    name: &'static str,
    section: &mut Section,
) -> anyhow::Result<()> {
    for example in ["ball", "oscillator"] {
        let exact = known(example)?;
        let runs = study(schemes, (name, &Options::default()), &*exact, (2e-2, 5e-4), 12)?;
        for (label, error) in MEASURES {
            let what = format!("order in {label}, {example}");
            section.close("empirical order", &what, slope(&runs, error), 1.0, (0.12, "five rungs of twelve phases: the phase of an impact in its step leaves a spread of 0.1"));
        }
        let l2 = slope_of_maxima(&runs, |run| run.v.l2);
        section.close(
            "empirical order",
            &format!("order in v, L2, {example}"),
            l2,
            0.5,
            (0.12, "the same spread of 0.1"),
        );
        let figure = convergence("", &series(&runs, &MEASURES), &[1]);
        let caption = format!("Errors of {name} on the {example} over the step size");
        section.figure(&format!("acary-2010-order-{name}-{example}"), figure, &caption);
    }
    Ok(())
}

/// Empirical order of Moreau's scheme.
pub(in crate::reproduce) fn moreau(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Empirical order of Moreau's scheme",
        "Order 1 in L1 of position and velocity and in the distance of filled-in graphs, ½ in L2 of the velocity; the maximum of \
         the error of the velocity does not shrink, since a node next to an impact is wrong by the whole jump.",
    );
    first_order(schemes, "moreau-jean", &mut section)?;
    Ok(section)
}

/// Empirical order of the scheme of Schatzman and Paoli.
pub(in crate::reproduce) fn schatzman_paoli(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Empirical order of the scheme of Schatzman and Paoli",
        "At position level and in two steps, with the same orders. Its velocity (30b) is centred one step back.",
    );
    first_order(schemes, "schatzman-paoli", &mut section)?;
    Ok(section)
}
