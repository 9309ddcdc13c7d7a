//! `nonsmooth study work`: error against what it cost.
//!
//! Runs are made one after the other, so that their processor times do not disturb each other, and short ones several
//! times, of which the shortest counts.

use super::args::WorkArgs;
use super::figures::{Curve, label, panel};
use super::forecast::{Forecast, Kind, Point, WORKS, forecast, points};
use super::reference::Reference;
use super::runs::{Made, Measure, Of, Studied};
use super::scheme::Scheme;
use super::subject::Subject;
use super::{
    check_floor, folder, input, judge, norm, reference, rungs, runs, say, table, tell_refusals,
    tell_subject,
};
use crate::clock;
use crate::command::Failure;
use indicatif::ProgressBar;
use nonsmooth::analysis::{Ladder, Record};
use nonsmooth_draw::plot::{Page, draw_page};
use std::path::Path;

/// A run is repeated up to this total time [s] and this many times, if that does not take longer than [`LONG`].
const REPEAT: (f64, usize) = (0.01, 3);
/// Runs are not repeated beyond this total time [s], nor more often than that.
const LONG: (f64, usize) = (0.3, 1000);

/// Default grid of adaptive schemes: this part of the coarsest rung, but at least so many steps.
const GRID: (u64, u64) = (4, 10);

/// One run to be made.
struct Job {
    scheme: Scheme,
    steps: u64,
    tolerance: Option<f64>,
}

/// Makes the study.
pub(super) fn run(args: &WorkArgs) -> Result<(), Failure> {
    let common = &args.common;
    let measure = measure(args)?;
    check(args)?;
    let subject = Subject::new(common)?;
    let schemes = Scheme::parse_all(&common.schemes, subject.recipe()).map_err(input)?;
    let ladder = rungs::ladder(common, &subject, 1)?;
    let grids = grids(args, &ladder)?;
    let reference_steps = reference::steps(common, &ladder)?;
    rungs::check_memory(
        (2 * reference_steps.unwrap_or(0) + rungs::most_steps(&ladder)) as f64,
        &subject,
    )?;
    let (takers, refused) = runs::takers(&subject, schemes)?;
    if takers.is_empty() {
        return judge(&[], &refused);
    }
    let mut plans = Vec::new();
    for scheme in &takers {
        plans.push((scheme.label.clone(), plan(&subject, scheme, (&ladder, &grids), &args.tolerances)?));
    }

    let planned: u64 =
        plans.iter().flat_map(|(_, rungs)| rungs.iter().flatten()).map(|job| job.steps).sum();
    let in_reference = reference_steps.map_or(0, |steps| steps + steps / 2);
    let bar = super::progress::bar(common.quiet, planned + in_reference);
    let reference = reference::make(common, &subject, &takers, (reference_steps, 2), &bar)?;
    bar.set_message("runs");
    let studied: Vec<Studied> = plans
        .into_iter()
        .map(|(label, rungs)| {
            let rungs = rungs
                .into_iter()
                .map(|jobs| jobs.into_iter().map(|job| made(&subject, &reference, job, &bar)).collect());
            Studied { label, rungs: rungs.collect() }
        })
        .collect();
    bar.finish_and_clear();

    report(args, &subject, measure, (&studied, &reference));
    tell_refusals(common, &refused);
    let out = folder(common, &subject.name, "work")?;
    let runs = common.csv.clone().unwrap_or_else(|| out.join("runs.csv"));
    super::write(common, "runs", &runs, &table::runs_csv(&studied, |n| ladder.step_size(n)))?;
    draw(args, &subject, measure, (&studied, &reference), &out)?;
    judge(&studied, &refused)
}

fn measure(args: &WorkArgs) -> Result<Measure, Failure> {
    let of = match args.of.as_str() {
        "q" => Of::Q,
        "v" => Of::V,
        other => return Err(input(format!("--of must be q or v, got `{other}`"))),
    };
    Ok(Measure { of, norm: norm(&args.norm)? })
}

fn check(args: &WorkArgs) -> Result<(), Failure> {
    check_floor(&args.common)?;
    let is_good = |x: f64| x > 0.0 && x.is_finite();
    if let Some(x) = args.tolerances.iter().find(|x| !is_good(**x)) {
        return Err(input(format!("--tolerances must be numbers > 0, got {x}")));
    }
    match args.reach {
        Some(x) if !is_good(x) => Err(input(format!("--reach must be a number > 0, got {x}"))),
        _ => Ok(()),
    }
}

/// Numbers of steps of the grids on which adaptive schemes choose their own: by default few, so that these choose.
fn grids(args: &WorkArgs, ladder: &Ladder) -> Result<Vec<u64>, Failure> {
    let coarsest = ladder.rungs.iter().flatten().copied().min().unwrap_or(GRID.1);
    let grid = match args.grid {
        Some(0) => return Err(input("--grid must be at least 1".into())),
        Some(grid) => grid,
        None => (coarsest / GRID.0).max(GRID.1),
    };
    let h = ladder.step_size(grid);
    let rung = Ladder::new((ladder.start, ladder.end), (h, h), 1, args.common.phases);
    let rung = rung.map_err(|error| input(format!("--grid: {error}")))?;
    Ok(rung.rungs.into_iter().flatten().collect())
}

/// The runs of a scheme: over the ladder, or, where its tolerance decides, over the tolerances on these grids.
fn plan(
    subject: &Subject,
    scheme: &Scheme,
    (ladder, grids): (&Ladder, &[u64]),
    tolerances: &[f64],
) -> Result<Vec<Vec<Job>>, Failure> {
    let mut adaptive = Vec::new();
    for &tolerance in tolerances {
        // A scheme that has the option and refuses it is not adaptive as it was written.
        match scheme.at_tolerance(tolerance) {
            Some(at) if subject.refusal(&at)?.is_none() => adaptive.push((at, tolerance)),
            _ => break,
        }
    }
    if adaptive.is_empty() {
        let job = |&steps: &u64| Job { scheme: scheme.clone(), steps, tolerance: None };
        return Ok(ladder.rungs.iter().map(|rung| rung.iter().map(job).collect()).collect());
    }
    let rungs = adaptive.into_iter().map(|(scheme, tolerance)| {
        let job = |&steps: &u64| Job { scheme: scheme.clone(), steps, tolerance: Some(tolerance) };
        grids.iter().map(job).collect()
    });
    Ok(rungs.collect())
}

fn made(subject: &Subject, reference: &Reference, job: Job, bar: &ProgressBar) -> Made {
    let (steps, tolerance) = (job.steps, job.tolerance);
    let timed = timed(subject, &job);
    bar.inc(steps);
    match timed {
        Ok((record, seconds)) => {
            let run = Ok(reference.known.compare(&record));
            Made { steps, tolerance, seconds: Some(seconds), run }
        }
        Err(failure) => Made { steps, tolerance, seconds: None, run: Err(failure) },
    }
}

/// A run and its processor time [s]; building the model does not count.
fn timed(subject: &Subject, job: &Job) -> Result<(Record, f64), String> {
    let (start, end) = subject.interval;
    let h = (end - start) / job.steps as f64;
    let (mut least, mut total, mut count) = (f64::INFINITY, 0.0, 0);
    loop {
        let model = subject.model().map_err(|failure| failure.to_string())?;
        let integrator = subject.integrator(&job.scheme);
        let begun = clock::seconds();
        let record = Record::new(model, integrator, h, job.steps, &subject.places, None);
        let seconds = clock::seconds() - begun;
        let record = record.map_err(|error| error.to_string())?;
        (least, total, count) = (least.min(seconds), total + seconds, count + 1);
        let is_enough = total >= REPEAT.0 && count >= REPEAT.1;
        if is_enough || total >= LONG.0 || count >= LONG.1 {
            return Ok((record, least));
        }
    }
}

/// The tables on the terminal.
fn report(
    args: &WorkArgs,
    subject: &Subject,
    measure: Measure,
    (studied, reference): (&[Studied], &Reference),
) {
    let common = &args.common;
    tell_subject(common, subject, reference);
    if let Some(doubt) = &reference.doubt {
        let far = measure.error(doubt);
        say(common, &format!("           a run with half its steps is {far:.2e} away from it"));
    }
    say(common, &format!("error      {}\n", label(measure, subject.is_metric())));
    say(common, work_table(measure, studied).trim_end());
    if let Some(reach) = args.reach {
        let floor = reference.floor(measure);
        say(common, &format!("\n{}", reach_table(reach, measure, studied, floor).trim_end()));
        if reach < floor {
            say(
                common,
                &format!(
                    "errors below {floor:.1e} cannot be measured: rounding, or the reference itself"
                ),
            );
        }
    }
    say(common, "");
}

/// The geometric means of every rung.
fn work_table(measure: Measure, studied: &[Studied]) -> String {
    let mut rows = vec![vec!["scheme".to_owned(), "grid".into(), "tolerance".into(), "error".into()]];
    rows[0].extend(WORKS.iter().map(|(name, ..)| (*name).to_owned()));
    for studied in studied {
        for rung in &studied.rungs {
            let mut row = vec![studied.label.clone(), table::range(rung.iter().map(|made| made.steps))];
            let tolerance = rung.first().and_then(|made| made.tolerance);
            row.push(tolerance.map_or(String::new(), |x| format!("{x:.0e}")));
            match Point::new(rung, measure) {
                Some(point) => {
                    row.push(format!("{:.2e}", point.error));
                    row.extend(point.works.iter().zip(WORKS).map(|(&x, (_, _, show, _))| show(x)));
                }
                None => row.push("failed".into()),
            }
            rows.push(row);
        }
    }
    table::aligned(&rows)
}

/// The work that each scheme needs for an error of `reach`.
fn reach_table(reach: f64, measure: Measure, studied: &[Studied], floor: f64) -> String {
    let title = format!("to an error of {reach:e} (~ extrapolated)");
    let mut rows = vec![vec![title, "slope".into()]];
    rows[0].extend(WORKS.iter().map(|(name, ..)| (*name).to_owned()));
    for studied in studied {
        let mut row = vec![studied.label.clone()];
        match forecast(&points(studied, measure), reach, floor) {
            Some(Forecast { slope, works, is_measured }) => {
                row.push(slope.map_or("–".into(), |slope| format!("{slope:.2}")));
                let mark = if is_measured { "" } else { "~" };
                let show = |(&x, work): (&f64, &Kind)| format!("{mark}{}", work.2(x));
                row.extend(works.iter().zip(&WORKS).map(show));
            }
            None => row.extend(["–".into(), "does not get there".into()]),
        }
        rows.push(row);
    }
    table::aligned(&rows)
}

/// Error against each kind of work, four panels.
fn draw(
    args: &WorkArgs,
    subject: &Subject,
    measure: Measure,
    (studied, reference): (&[Studied], &Reference),
    out: &Path,
) -> Result<(), Failure> {
    let y_label = label(measure, subject.is_metric());
    let floor = reference.floor(measure);
    let panels = WORKS.iter().enumerate().map(|(k, (_, x_label, ..))| {
        let curves = studied.iter().map(|studied| curve(studied, measure, (k, floor), args.reach));
        panel((x_label, y_label.clone()), curves.collect(), args.reach)
    });
    let (title, panels) = (subject.title.clone(), panels.collect());
    let drawing = draw_page(&Page { title, panels, columns: 2, is_legend_shared: true });
    let drawing = drawing.map_err(|error| Failure::Run(error.into()))?;
    let stem = out.join("work");
    drawing.save(&stem).map_err(|error| super::written(&stem, &error))?;
    say(&args.common, &format!("{:<8}{}.png, .svg", "figure", stem.display()));
    Ok(())
}

/// The points of a scheme for work `k`, and where they would go on to `reach`.
fn curve(studied: &Studied, measure: Measure, (k, floor): (usize, f64), reach: Option<f64>) -> Curve {
    let points = points(studied, measure);
    let ahead = reach.and_then(|reach| Some((forecast(&points, reach, floor)?, reach)));
    let beyond =
        ahead.filter(|(ahead, _)| ahead.is_drawable(&points)).map(|(ahead, y)| (ahead.works[k], y));
    let points = points.iter().map(|point| (point.works[k], point.error)).collect();
    Curve { label: studied.label.clone(), points, beyond, order: None }
}
