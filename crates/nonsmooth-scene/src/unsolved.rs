//! A problem that no solver brought to tolerance, saved beside the results.

use crate::build::Loaded;
use crate::problems::{StoredProblem, write};
use nonsmooth::{RunError, StepError};
use std::path::Path;

/// Saves the problem of the step that failed and says where, or why not; `None` if it failed for
/// another reason or the scheme does not keep its problems.
pub(crate) fn save_unsolved(loaded: &Loaded, error: &RunError, out: &Path) -> Option<String> {
    let RunError::Step { step, source: StepError::NotConverged { residual, tolerance, .. }, .. } = error
    else {
        return None;
    };
    let problem = loaded.simulation.last_problem()?.clone();
    let name = format!("unsolved-step-{step}");
    let mut stored = StoredProblem::new(&name, problem);
    stored.info.title = format!("{}, step {step}", loaded.title);
    stored.info.description = format!("residual {residual:.3e}, tolerance {tolerance:.1e}");
    stored.source = loaded.name.clone();
    let path = out.join(format!("{name}.{}", stored.extension()));
    Some(match write(&path, &stored) {
        Ok(()) => format!(
            "\nthe problem is saved as {path}; try: nonsmooth solve {path} --solver all",
            path = path.display()
        ),
        Err(why) => format!("\nthe problem could not be saved: {why}"),
    })
}

/// Removes problems that an earlier run left in the folder.
pub(crate) fn forget_unsolved(out: &Path) {
    for entry in std::fs::read_dir(out).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("unsolved-step-") {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
