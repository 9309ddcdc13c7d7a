//! `solver-log`: what the solver did in every step, written or not, as `solver-log.csv`.

use super::{ObserverEntry, RunObserver, Setup};
use crate::views::n_contacts;
use nonsmooth::model::UserError;
use nonsmooth::{Observation, Observer};
use nonsmooth_solvers::Status;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

pub(super) const ENTRY: ObserverEntry = ObserverEntry {
    name: "solver-log",
    about: "residual, iterations and contacts of every step, as solver-log.csv",
    is_default: false,
    make,
};

const HEAD: &str = "t,step,residual,iterations,newton_iterations,contacts,converged";

struct SolverLog {
    file: BufWriter<File>,
}

fn make(setup: &Setup<'_>) -> Result<Box<dyn RunObserver>, UserError> {
    let path = setup.out.join("solver-log.csv");
    let kept = setup.resumed.map_or(String::new(), |from| lines_up_to(&path, from.t));
    // A run that is killed here keeps the old log: the new one takes its place at once.
    let new = setup.out.join("solver-log.new.csv");
    std::fs::write(&new, format!("{HEAD}{kept}\n"))?;
    std::fs::rename(&new, &path)?;
    Ok(Box::new(SolverLog { file: BufWriter::new(File::options().append(true).open(&path)?) }))
}

/// The whole lines of an earlier log up to time `t` [s]; of a killed run the last one may be cut off.
fn lines_up_to(path: &Path, t: f64) -> String {
    let mut text = std::fs::read_to_string(path).unwrap_or_default();
    text.truncate(text.rfind('\n').unwrap_or(0));
    let is_before = |line: &&str| {
        line.split(',').next().and_then(|x| x.parse::<f64>().ok()).is_some_and(|at| at <= t)
    };
    text.lines().filter(is_before).map(|line| format!("\n{line}")).collect()
}

impl Observer for SolverLog {
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        let (after, log) = (frame.after, frame.log);
        let residual = log.solves.last().map_or(0.0, |report| report.residual);
        let iterations: usize = log.solves.iter().map(|report| report.iterations).sum();
        let contacts = n_contacts(frame.model, &log.constraints);
        let converged = log.solves.last().is_none_or(|report| report.status == Status::Converged);
        let (t, step, newton) = (after.t, after.step, log.newton_iterations);
        let converged = u8::from(converged);
        writeln!(self.file, "{t:?},{step},{residual:e},{iterations},{newton},{contacts},{converged}")?;
        Ok(())
    }

    fn save(&mut self) -> Result<(), UserError> {
        Ok(self.file.flush()?)
    }
}

impl RunObserver for SolverLog {}
