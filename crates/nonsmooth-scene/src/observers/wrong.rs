//! What is wrong with the observers that a scene chooses.

use super::{OBSERVERS, RECORDER, VTK, find};
use crate::build::Loaded;
use crate::scene::Output;
use crate::source::Path;

/// Why there is nothing to write for ParaView.
pub const NO_BODIES: &str =
    "files for ParaView show rigid and elastic bodies, and the scene has none; leave it out";

/// Why there is nothing to make CSV files and figures from.
pub const NO_RECORDER: &str = "CSV files and figures are made from the file of `recorder`; without it set `plots = false` and leave out `csv`";

/// What is wrong, each with its place: names that are none, and observers that have nothing to watch.
pub(crate) fn wrong(output: &Output, loaded: &Loaded) -> Vec<(Path, String)> {
    let (table, mut wrong) = (Path::of("output"), Vec::new());
    let without_bodies = !loaded.has_bodies();
    if output.vtk && without_bodies {
        wrong.push((table.key("vtk"), NO_BODIES.to_owned()));
    }
    let twice = |name: &str| format!("`{name}` is given twice");
    for (i, name) in output.observers.iter().enumerate() {
        let message = match find(name) {
            None => no_observer(name),
            Some(_) if name == VTK && without_bodies => NO_BODIES.to_owned(),
            Some(_) if output.observers[..i].contains(name) => twice(name),
            Some(_) => continue,
        };
        wrong.push((table.key("observers").index(i), message));
    }
    for (i, name) in output.without.iter().enumerate() {
        let message = match find(name) {
            None => no_observer(name),
            Some(entry) if !entry.is_default => {
                format!("`{name}` watches only runs that choose it; leave it out here")
            }
            Some(_) if output.observers.contains(name) => {
                format!("`{name}` is also in `observers`; it is one or the other")
            }
            Some(_) if output.without[..i].contains(name) => twice(name),
            Some(_) if name == RECORDER && (output.plots || output.csv) => NO_RECORDER.to_owned(),
            Some(_) => continue,
        };
        wrong.push((table.key("without").index(i), message));
    }
    wrong
}

/// What is said of a name that no observer has.
fn no_observer(name: &str) -> String {
    let known: Vec<&str> = OBSERVERS.iter().map(|entry| entry.name).collect();
    let hint = nonsmooth_solvers::nearest(name, known.iter().copied());
    let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
    format!("no observer `{name}`{hint}; there are {}", known.join(", "))
}
