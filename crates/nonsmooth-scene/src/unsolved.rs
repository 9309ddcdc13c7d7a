//! Problems that no solver brought to tolerance, saved beside the results: those of the first steps that were counted, and that of the
//! step at which a run stopped.

use crate::build::Loaded;
use crate::problems::{StoredProblem, write};
use nonsmooth::{RunError, StepError};
use std::path::{Path, PathBuf};

/// How the names of their files begin.
const NAME: &str = "unsolved-step-";
/// Most steps that were counted whose problems are saved.
const MOST: usize = 10;

/// Saves the problem of the step that failed and says where, or why not; `None` if it failed for
/// another reason or the scheme does not keep its problems.
pub(crate) fn save_unsolved(loaded: &Loaded, error: &RunError, out: &Path) -> Option<String> {
    let RunError::Step { step, source: StepError::NotConverged { residual, .. }, .. } = error else {
        return None;
    };
    Some(match save(loaded, *step, *residual, out)? {
        Ok(path) => format!(
            "\nthe problem is saved as {path}; try: nonsmooth solve {path} --solver all",
            path = path.display()
        ),
        Err(why) => format!("\nthe problem could not be saved: {why}"),
    })
}

/// Saves the problem of the step just made, which was counted as above the tolerance, if it is one of the first ten; `n_saved` is
/// the number of those before. That it cannot be saved is no reason to stop a run.
pub(crate) fn save_counted(loaded: &Loaded, n_saved: &mut usize, residual: f64, out: &Path) {
    if *n_saved < MOST {
        let _ = save(loaded, loaded.simulation.state.step, residual, out);
        *n_saved += 1;
    }
}

/// How many problems of steps up to this one are saved.
pub(crate) fn n_unsolved(out: &Path, up_to: u64) -> usize {
    steps(out).iter().filter(|(step, _)| *step <= up_to).count()
}

/// Saves the problem that was posed last; `None` if the scheme does not keep it.
fn save(loaded: &Loaded, step: u64, residual: f64, out: &Path) -> Option<Result<PathBuf, String>> {
    let problem = loaded.simulation.last_problem()?.clone();
    let name = format!("{NAME}{step}");
    let mut stored = StoredProblem::new(&name, problem);
    stored.info.title = format!("{}, step {step}", loaded.title);
    let tolerance = loaded.tolerance;
    stored.info.description = format!("residual {residual:.3e}, tolerance {tolerance:.1e}");
    stored.source = loaded.name.clone();
    let path = out.join(format!("{name}.{}", stored.extension()));
    Some(write(&path, &stored).map(|()| path).map_err(|why| why.to_string()))
}

/// The problems that are saved in the folder, by step; matrices that lie beside them belong to them.
pub(crate) fn unsolved(out: &Path) -> Vec<PathBuf> {
    steps(out).into_iter().map(|(_, path)| path).collect()
}

/// The same with the numbers of their steps.
fn steps(out: &Path) -> Vec<(u64, PathBuf)> {
    let mut found: Vec<(u64, PathBuf)> = Vec::new();
    for path in files(out).filter(|path| path.extension().is_none_or(|ending| ending != "mtx")) {
        let step = path.file_stem().and_then(|stem| stem.to_str()?.strip_prefix(NAME)?.parse().ok());
        found.extend(step.map(|step| (step, path)));
    }
    found.sort();
    found
}

/// The files of all problems in the folder.
fn files(out: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(out).into_iter().flatten().flatten();
    let is_one = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(NAME);
    entries.filter(is_one).map(|entry| entry.path())
}

/// Removes problems that an earlier run left in the folder.
pub(crate) fn forget_unsolved(out: &Path) {
    for path in files(out) {
        let _ = std::fs::remove_file(path);
    }
}
