//! `nonsmooth study order`: errors over a ladder of step sizes and the slopes of their logarithms. The worst phase of each rung is judged; the mean of
//! all stands beside it.

use super::args::{Common, OrderArgs};
use super::figures::{Curve, label, panel};
use super::reference::Reference;
use super::runs::{Made, Measure, Of, Studied, record};
use super::scheme::Scheme;
use super::subject::Subject;
use super::{
    check_floor, folder, input, judge, norm, reference, rungs, runs, say, table, tell_refusals,
    tell_subject,
};
use crate::command::Failure;
use indicatif::ProgressBar;
use nonsmooth::analysis::{Ladder, NORMS, Order, in_parallel};
use nonsmooth_draw::plot::{Page, draw_page};
use std::path::Path;

/// Only curves whose slope is known so well get a line of their order in figures.
const STRAIGHT: f64 = 0.1;

/// Makes the study.
pub(super) fn run(args: &OrderArgs) -> Result<(), Failure> {
    let common = &args.common;
    check_floor(common)?;
    let (norms, threads) = (norms(&args.norms)?, threads(args.threads)?);
    let subject = Subject::new(common)?;
    let schemes = Scheme::parse_all(&common.schemes, subject.recipe()).map_err(input)?;
    let ladder = rungs::ladder(common, &subject, 2)?;
    let reference_steps = reference::steps(common, &ladder)?;
    let most = rungs::most_steps(&ladder);
    rungs::check_memory(
        1.5 * reference_steps.unwrap_or(0) as f64 + (most * threads as u64) as f64,
        &subject,
    )?;
    let (takers, refused) = runs::takers(&subject, schemes)?;
    if takers.is_empty() {
        return judge(&[], &refused);
    }

    let in_ladder: u64 = ladder.rungs.iter().flatten().sum();
    let in_reference = reference_steps.map_or(0, |steps| steps + steps / 2);
    let bar = super::progress::bar(common.quiet, in_ladder * takers.len() as u64 + in_reference);
    let reference = reference::make(common, &subject, &takers, (reference_steps, threads), &bar)?;
    bar.set_message("runs");
    let studied = study((&subject, &reference), &takers, &ladder, threads, &bar);
    bar.finish_and_clear();

    tell(common, &subject, &reference, &ladder);
    for of in [Of::Q, Of::V] {
        say(common, &format!("\n{}", order_table(of, &norms, &studied, &reference).trim_end()));
    }
    say(common, "");
    say(common, &reference.counts());
    tell_refusals(common, &refused);
    save(common, &subject, &norms, &studied, &reference, &ladder)?;
    judge(&studied, &refused)
}

fn norms(names: &[String]) -> Result<Vec<usize>, Failure> {
    if names.iter().any(|name| name == "all") {
        return Ok((0..NORMS.len()).collect());
    }
    let mut norms = Vec::new();
    for name in names {
        let place = norm(name.trim())?;
        if !norms.contains(&place) {
            norms.push(place);
        }
    }
    Ok(norms)
}

fn threads(asked: Option<usize>) -> Result<usize, Failure> {
    match asked {
        Some(0) => Err(input("--threads must be at least 1".into())),
        Some(n) => Ok(n),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// Every scheme on every rung; the long runs begin first, so that no thread is left with one at the end.
fn study(
    (subject, reference): (&Subject, &Reference),
    schemes: &[Scheme],
    ladder: &Ladder,
    threads: usize,
    bar: &ProgressBar,
) -> Vec<Studied> {
    let mut jobs: Vec<(usize, usize, u64)> = Vec::new();
    for s in 0..schemes.len() {
        for (r, rung) in ladder.rungs.iter().enumerate() {
            jobs.extend(rung.iter().map(|&steps| (s, r, steps)));
        }
    }
    jobs.sort_by_key(|&(s, r, steps)| (std::cmp::Reverse(steps), s, r));
    let made = in_parallel(threads, jobs.len(), |i| {
        let (s, _, steps) = jobs[i];
        let run = record(subject, &schemes[s], steps, bar).map(|run| reference.known.compare(&run));
        Made { steps, tolerance: None, seconds: None, run }
    });
    let empty = |scheme: &Scheme| Studied {
        label: scheme.label.clone(),
        rungs: ladder.rungs.iter().map(|_| Vec::new()).collect(),
    };
    let mut studied: Vec<Studied> = schemes.iter().map(empty).collect();
    for ((s, r, _), made) in jobs.into_iter().zip(made) {
        studied[s].rungs[r].push(made);
    }
    for rung in studied.iter_mut().flat_map(|studied| &mut studied.rungs) {
        rung.sort_by_key(|made| made.steps);
    }
    studied
}

/// What was studied, against what.
fn tell(args: &Common, subject: &Subject, reference: &Reference, ladder: &Ladder) {
    tell_subject(args, subject, reference);
    let (start, end) = subject.interval;
    let ends = [ladder.rungs.first(), ladder.rungs.last()].map(|rung| {
        let rung = rung.map_or(&[][..], Vec::as_slice);
        let mean = rung.iter().map(|&n| (n as f64).ln()).sum::<f64>() / rung.len() as f64;
        (table::range(rung.iter().copied()), (end - start) / mean.exp())
    });
    let [(coarse, big), (fine, small)] = ends;
    let (rungs, phases) = (ladder.rungs.len(), ladder.rungs.first().map_or(0, Vec::len));
    let runs = if phases == 1 { "run" } else { "runs" };
    say(
        args,
        &format!(
            "ladder     {rungs} rungs of {phases} {runs}, {coarse} to {fine} steps, h = {big:.2e} to {small:.2e} s"
        ),
    );
}

/// Slope ± spread and error of the worst phase of the finest rung, and the slope of the means, one row per scheme.
fn order_table(of: Of, norms: &[usize], studied: &[Studied], reference: &Reference) -> String {
    let measures = || norms.iter().map(|&norm| Measure { of, norm });
    let mut rows = vec![vec![format!("error of {}", of.name())]];
    let heads = |m: Measure| [format!("{} order", m.name()), "finest error".into(), "of means".into()];
    rows[0].extend(measures().flat_map(heads));
    for studied in studied {
        let mut row = vec![studied.label.clone()];
        for measure in measures() {
            let finest = studied.counted(measure).last().map(|rung| rung.maximum);
            let mean = studied.mean_order(measure, reference.floor(measure));
            row.push(slope(studied.order(measure, reference.floor(measure))));
            row.push(finest.map_or("–".to_owned(), |error| format!("{error:.2e}")));
            row.push(mean.map_or("–".to_owned(), |order| format!("{:.2}", order.slope)));
        }
        rows.push(row);
    }
    if let Some(doubt) = &reference.doubt {
        let mut row = vec!["(the reference from half its steps)".to_owned()];
        let cells = |m: Measure| [String::new(), format!("{:.2e}", m.error(doubt)), String::new()];
        row.extend(measures().flat_map(cells));
        rows.push(row);
    }
    table::aligned(&rows)
}

/// `1.00 ± 0.01`; without spread if only two rungs count.
fn slope(order: Option<Order>) -> String {
    match order {
        Some(order) if order.spread.is_finite() => format!("{:.2} ± {:.2}", order.slope, order.spread),
        Some(order) => format!("{:.2}", order.slope),
        None => "–".to_owned(),
    }
}

/// Tables and figures.
fn save(
    args: &Common,
    subject: &Subject,
    norms: &[usize],
    studied: &[Studied],
    reference: &Reference,
    ladder: &Ladder,
) -> Result<(), Failure> {
    let out = folder(args, &subject.name, "order")?;
    let runs = args.csv.clone().unwrap_or_else(|| out.join("runs.csv"));
    super::write(args, "runs", &runs, &table::runs_csv(studied, |n| ladder.step_size(n)))?;
    super::write(args, "orders", &out.join("orders.csv"), &orders_csv(studied, reference))?;
    for &norm in norms {
        draw(args, subject, norm, studied, (reference, &out))?;
    }
    Ok(())
}

/// The fitted orders in all norms.
fn orders_csv(studied: &[Studied], reference: &Reference) -> String {
    let mut text = String::from(
        "scheme,quantity,norm,slope,spread,least,most,constant,rungs,finest_step_size,finest_error,floor,\
         mean_slope,finest_mean\n",
    );
    for studied in studied {
        for measure in table::measures() {
            let floor = reference.floor(measure);
            let order = studied.order(measure, floor);
            let mean = studied.mean_order(measure, floor);
            let finest = studied.counted(measure).last().copied();
            let part = |of: fn(&Order) -> f64| table::digits(order.as_ref().map(of));
            let cells = [
                table::quoted(&studied.label),
                measure.of.name().to_owned(),
                measure.name().to_owned(),
                part(|order| order.slope),
                order
                    .filter(|order| order.spread.is_finite())
                    .map_or(String::new(), |o| format!("{:e}", o.spread)),
                part(|order| order.least),
                part(|order| order.most),
                part(|order| order.constant),
                order.map_or(0, |order| order.n_rungs).to_string(),
                table::digits(finest.map(|rung| rung.step_size)),
                table::digits(finest.map(|rung| rung.maximum)),
                format!("{floor:e}"),
                table::digits(mean.map(|order| order.slope)),
                table::digits(finest.map(|rung| rung.mean)),
            ];
            text += &format!("{}\n", cells.join(","));
        }
    }
    text
}

/// The errors of q and of v in one norm, side by side.
fn draw(
    args: &Common,
    subject: &Subject,
    norm: usize,
    studied: &[Studied],
    (reference, out): (&Reference, &Path),
) -> Result<(), Failure> {
    let both = [Of::Q, Of::V].map(|of| Measure { of, norm });
    let order = |studied: &Studied, measure| studied.order(measure, reference.floor(measure));
    let panels = both.map(|measure| {
        let curves = studied.iter().map(|studied| {
            let slopes = both.map(|m| {
                let slope =
                    order(studied, m).map_or("–".into(), |order| format!("{:.2}", order.slope));
                format!("{} {slope}", m.of.name())
            });
            let points =
                studied.counted(measure).iter().map(|rung| (rung.step_size, rung.maximum)).collect();
            let straight = order(studied, measure).filter(|order| order.spread <= STRAIGHT);
            let label = format!("{}, slopes {}", studied.label, slopes.join(", "));
            let order = straight.map(|order| order.slope);
            Curve { label, points, beyond: None, order }
        });
        let labels = ("step size h [s]", label(measure, subject.is_metric()));
        panel(labels, curves.collect(), None)
    });
    let (title, panels) = (subject.title.clone(), panels.to_vec());
    let page = Page { title, panels, columns: 2, is_legend_shared: true };
    let drawing = draw_page(&page).map_err(|error| Failure::Run(error.into()))?;
    let stem = out.join(format!("order-{}", NORMS[norm].0));
    drawing.save(&stem).map_err(|error| super::written(&stem, &error))?;
    say(args, &format!("{:<8}{}.png, .svg", "figure", stem.display()));
    Ok(())
}
