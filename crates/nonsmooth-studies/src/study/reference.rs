//! What the runs are compared with: an exact solution, or a run with many more steps and how far to trust it.
//!
//! A reference run is judged by a second run with half its steps: if both are wrong by C hᵖ, they differ by
//! (2ᵖ − 1) times the error of the reference. Rungs whose error is not well above that do not count for a slope.
//!
//! The reference is made by the most exact scheme that takes the model, asked for or not: one that resolves impacts before one that steps over
//! them, then the one of the highest order.

use super::args::Common;
use super::input;
use super::runs::{Measure, record};
use super::scheme::Scheme;
use super::subject::Subject;
use crate::command::Failure;
use indicatif::ProgressBar;
use nonsmooth::INTEGRATORS;
use nonsmooth::analysis::{Known, Ladder, Run, in_parallel, next_prime};
use nonsmooth::integrators::Accuracy;

/// Steps of the reference over those of the finest rung.
const FACTOR: u64 = 16;

/// A rung counts if its error is so many times the doubt about the reference: a slope over a factor 2 of h is then
/// wrong by at most ln(1 + 1/4)/ln 2 = 0.3.
const CLEAR: f64 = 4.0;

/// Most steps of a reference run.
const MOST_STEPS: f64 = 1e9;

/// The motion known, and how it is known.
pub(super) struct Reference<'a> {
    pub(super) known: Known<'a>,
    /// In words.
    pub(super) about: String,
    /// How far a run with half the steps is from it; none for exact solutions.
    pub(super) doubt: Option<Run>,
    floor: f64,
}

impl Reference<'_> {
    /// Which rungs count for a slope, in words.
    pub(super) fn counts(&self) -> String {
        let mut text = format!("orders: rungs with an error above {:e}", self.floor);
        if self.doubt.is_some() {
            text += &format!(" and above {CLEAR} times the last line");
        }
        text + "; – where there are not two of them"
    }

    /// Errors below this do not count for a slope.
    pub(super) fn floor(&self, measure: Measure) -> f64 {
        let doubt = self.doubt.as_ref().map_or(0.0, |run| CLEAR * measure.error(run));
        if doubt > self.floor { doubt } else { self.floor }
    }
}

/// Number of steps of the reference run, if there is to be one.
pub(super) fn steps(args: &Common, ladder: &Ladder) -> Result<Option<u64>, Failure> {
    if args.exact.is_some() {
        return Ok(None);
    }
    let Some(text) = &args.reference_steps else {
        return Ok(Some(next_prime(FACTOR * super::rungs::most_steps(ladder))));
    };
    match text.parse::<f64>() {
        Ok(n) if n >= 2.0 && n.fract() == 0.0 && n <= MOST_STEPS => Ok(Some(n as u64)),
        _ => Err(input(format!(
            "--reference-steps must be a whole number from 2 to {MOST_STEPS:e}, got `{text}`"
        ))),
    }
}

/// The exact solution, or the reference run of `steps` steps by the scheme asked for, else by the most exact one whose run goes well;
/// `takers` come first among equals.
pub(super) fn make<'a>(
    args: &Common,
    subject: &'a Subject,
    takers: &[Scheme],
    (steps, threads): (Option<u64>, usize),
    bar: &ProgressBar,
) -> Result<Reference<'a>, Failure> {
    let floor = args.floor;
    let Some((name, exact)) = subject.exact() else {
        let steps = steps.ok_or_else(|| input("a reference run needs steps".into()))?;
        return run(args, subject, takers, (steps, threads), bar);
    };
    let known = Known::exact(exact, &subject.places);
    Ok(Reference { known, about: format!("exact solution `{name}`"), doubt: None, floor })
}

fn run<'a>(
    args: &Common,
    subject: &'a Subject,
    takers: &[Scheme],
    (steps, threads): (u64, usize),
    bar: &ProgressBar,
) -> Result<Reference<'a>, Failure> {
    bar.set_message("reference");
    let chosen = match &args.reference {
        Some(text) => vec![named(text, subject)?],
        None => by_accuracy(takers, subject)?,
    };
    let mut failures = Vec::new();
    for scheme in &chosen {
        match attempt(subject, scheme, (steps, threads), bar) {
            Ok((known, doubt)) => {
                let mut about = format!("run of `{}` with {steps} steps", scheme.label);
                for failure in &failures {
                    about += &format!("; not by {failure}");
                }
                return Ok(Reference { known, about, doubt, floor: args.floor });
            }
            Err(failure) => failures.push(format!("`{}`: {failure}", scheme.label)),
        }
    }
    Err(Failure::Run(anyhow::anyhow!("no reference: {}", failures.join("; "))))
}

/// The schemes that take the model, the most exact first: those that are studied, and all others with their defaults.
fn by_accuracy(takers: &[Scheme], subject: &Subject) -> Result<Vec<Scheme>, Failure> {
    let mut schemes = takers.to_vec();
    for entry in INTEGRATORS {
        let scheme = Scheme::parse(entry.name, None).map_err(input)?;
        if subject.refusal(&scheme)?.is_none() {
            schemes.push(scheme);
        }
    }
    schemes.sort_by_cached_key(|scheme| {
        let Accuracy { order, resolves_impacts } = subject.integrator(scheme).accuracy();
        std::cmp::Reverse((resolves_impacts, order))
    });
    Ok(schemes)
}

/// The scheme of `--reference`; it must take the model.
fn named(text: &str, subject: &Subject) -> Result<Scheme, Failure> {
    let scheme =
        Scheme::parse(text, subject.recipe()).map_err(|e| input(format!("--reference: {e}")))?;
    match subject.refusal(&scheme)? {
        None => Ok(scheme),
        Some(reason) => Err(input(format!("--reference {}: {reason}", scheme.label))),
    }
}

/// The run and the one that judges it, side by side.
fn attempt(
    subject: &Subject,
    scheme: &Scheme,
    (steps, threads): (u64, usize),
    bar: &ProgressBar,
) -> Result<(Known<'static>, Option<Run>), String> {
    let both = [steps, next_prime(steps / 2)];
    let mut made = in_parallel(threads, 2, |i| record(subject, scheme, both[i], bar)).into_iter();
    let (Some(whole), half) = (made.next(), made.next()) else { return Err("no run".into()) };
    let known = Known::run(whole?);
    // A run that fails with half the steps is no judge, but no reason to distrust the other either.
    let doubt = half.and_then(Result::ok).map(|half| known.compare(&half));
    Ok((known, doubt))
}
