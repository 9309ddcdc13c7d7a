//! The adaptive scheme of order 0: precision against work.

use crate::reproduce::paper::Section;
use crate::reproduce::schemes::Schemes;
use crate::reproduce::studies::{Points, convergence, known, study};
use nonsmooth::analysis::Order;
use nonsmooth::solvers::Options;

/// Tolerances of the ladder of adaptive runs.
const TOLERANCES: [f64; 5] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// Error of q over inner steps, for the fixed and the adaptive step.
fn curves(schemes: &Schemes, example: &str) -> anyhow::Result<[Points; 2]> {
    let exact = known(example)?;
    let fixed = study(schemes, ("moreau-jean", &Options::default()), &*exact, (2e-2, 2e-4), 12)?;
    let fixed = fixed.rungs(|run| run.q.l1);
    let fixed: Points = fixed.iter().map(|rung| (exact.horizon() / rung.step_size, rung.mean)).collect();
    let mut adaptive = Points::new();
    for tolerance in TOLERANCES {
        let options = Options::default().with("tolerance", tolerance);
        let runs = study(schemes, ("moreau-adaptive", &options), &*exact, (0.11, 0.1), 8)?;
        let all: Vec<_> = runs.0.iter().flatten().collect();
        let n = all.len().max(1) as f64;
        // A kept step was made three times: whole and in two halves.
        let steps =
            all.iter().map(|run| (run.work.counts.steps + run.work.counts.rejected) as f64).sum::<f64>()
                / n;
        let error = (all.iter().map(|run| run.q.l1.ln()).sum::<f64>() / n).exp();
        adaptive.push((steps, error));
    }
    Ok([fixed, adaptive])
}

fn slope(points: &Points) -> f64 {
    let inverse = points.iter().map(|(work, error)| (1.0 / work, *error));
    Order::fit(inverse, 0.0).map_or(f64::NAN, |order| order.slope)
}

/// Precision–work diagrams of the adaptive scheme on ball and oscillator.
pub(in crate::reproduce) fn precision_work(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Order 0 time-step adjustment",
        "Step doubling, e = 2(x_½ − x_1), with the growth of the penetration beside it: as printed, (47) does not see an impact late \
         in the step. Steps are spent where impacts are, so the error falls faster with the number of steps than with a fixed step.",
    );
    for example in ["ball", "oscillator"] {
        let [fixed, adaptive] = curves(schemes, example)?;
        section.close(
            "precision–work, order 0",
            &format!("slope of the error over the steps, fixed, {example}"),
            slope(&fixed),
            1.0,
            (
                0.12,
                "five rungs of twelve phases: the phase of an impact in its step leaves a spread of 0.1",
            ),
        );
        let what = format!("slope of the error over the steps, adaptive, {example}");
        section.at_least(
            "precision–work, order 0",
            &what,
            slope(&adaptive),
            (1.5, "half an order above the fixed step: three times the spread of 0.1 and more"),
        );
        let mut figure =
            convergence("", &[("fixed step".into(), fixed), ("adaptive step".into(), adaptive)], &[]);
        figure.x_label = "steps, rejected ones included".into();
        figure.y_label = "error of q in L1 [m·s]".into();
        section.figure(
            &format!("acary-2010-adaptive-{example}"),
            figure,
            &format!("Precision against work on the {example}"),
        );
    }
    Ok(section)
}
