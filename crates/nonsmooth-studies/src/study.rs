//! `nonsmooth study`: orders of convergence and work–precision diagrams of several schemes on one model.

mod args;
mod figures;
mod forecast;
mod order;
mod progress;
mod reference;
mod rungs;
mod runs;
mod scheme;
mod subject;
mod table;
mod work;

pub use args::Study;
pub use scheme::Scheme;

use crate::command::{Failure, short};
use args::Common;
use nonsmooth::analysis::NORMS;
use reference::Reference;
use runs::{Refused, Studied};
use std::path::{Path, PathBuf};
use subject::Subject;

/// Makes the study.
pub fn run(study: &Study) -> Result<(), Failure> {
    match study {
        Study::Order(args) => order::run(args),
        Study::Work(args) => work::run(args),
    }
}

fn input(message: String) -> Failure {
    Failure::Input(anyhow::anyhow!(message))
}

/// A line on the terminal, unless it is to be quiet.
fn say(args: &Common, line: &str) {
    if !args.quiet {
        crate::command::say(line);
    }
}

/// The place of a norm in the list of all.
fn norm(name: &str) -> Result<usize, Failure> {
    let names = NORMS.iter().map(|(name, _)| *name);
    let place = names.clone().position(|known| known == name);
    place.ok_or_else(|| input(scheme::unknown("norm", name, names)))
}

fn check_floor(args: &Common) -> Result<(), Failure> {
    if args.floor >= 0.0 && args.floor.is_finite() {
        return Ok(());
    }
    Err(input(format!("--floor must be a number ≥ 0, got {}", args.floor)))
}

/// Folder of the study, made if need be.
fn folder(args: &Common, name: &str, kind: &str) -> Result<PathBuf, Failure> {
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(format!("{name}-{kind}")));
    std::fs::create_dir_all(&out).map_err(|error| written(&out, &error))?;
    Ok(out)
}

fn write(args: &Common, what: &str, path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| written(path, &error))?;
    say(args, &format!("{what:<8}{}", path.display()));
    Ok(())
}

fn written(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Run(anyhow::anyhow!("{}: {error}", path.display()))
}

/// What is studied, over which time, against what.
fn tell_subject(args: &Common, subject: &Subject, reference: &Reference) {
    let (start, end) = subject.interval;
    say(args, &format!("{}, t = {} … {} s", subject.title, short(start), short(end)));
    say(args, &format!("reference  {}", reference.about));
}

/// Who refused, and why.
fn tell_refusals(args: &Common, refused: &[Refused]) {
    for Refused { label, reason } in refused {
        say(args, &format!("`{label}` does not take the model: {reason}"));
    }
}

/// The exit code.
fn judge(studied: &[Studied], refused: &[Refused]) -> Result<(), Failure> {
    let failed: Vec<String> = studied
        .iter()
        .filter_map(|studied| Some((studied.failures()?, &studied.label)))
        .map(|((n, all, first), label)| {
            format!("`{label}`: {n} of {all} runs failed; the first: {first}")
        })
        .collect();
    if studied.is_empty() {
        let reasons: Vec<String> =
            refused.iter().map(|one| format!("`{}`: {}", one.label, one.reason)).collect();
        return Err(Failure::Run(anyhow::anyhow!("no scheme takes the model: {}", reasons.join("; "))));
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Run(anyhow::anyhow!(failed.join("\n")))) }
}
