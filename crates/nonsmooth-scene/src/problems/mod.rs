//! One-step problems in files: FCLIB's HDF5 (and an HDF5 of our own for what it cannot hold), and JSON beside Matrix Market.
//!
//! [`read`] gives a [`StoredProblem`] or says what is wrong with the file, [`write`] stores one. Global problems
//!
//! ```text
//! M v = H r + G λ + f,   u = Hᵀ v + w,   0 = Gᵀ v + b
//! ```
//!
//! become W = J M⁻¹ Jᵀ with J = [H G]ᵀ and u_free = J M⁻¹ f + [w; b]; M, f and [w; b] are kept, so that v
//! follows from the impulses and the file can be written again. The layouts are in `docs/problems.md`.

mod complementarity;
mod error;
mod fclib;
mod fclib_write;
mod hdf5;
mod mixed;
pub mod profile;
#[cfg(test)]
mod tests;

use crate::matrix_market;
pub use complementarity::from_json;
pub use error::{Fault, ProblemFileError};
pub use fclib::from_hdf5;
use nonsmooth_solvers::{Factor, FactorError, Problem, Set, Sparse};
use std::path::{Path, PathBuf};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 ≤ W p + u_free ⟂ p ≥ 0.
    Lcp,
    /// The same after some equations.
    Mlcp,
    /// p in a box.
    Relay,
    /// Coulomb friction in the plane, W given.
    Planar,
    /// Coulomb friction in space, W given.
    Spatial,
    /// Sliding and rolling friction in space, W given.
    Rolling,
    /// Coulomb friction in the plane, M and H given.
    GlobalPlanar,
    /// Coulomb friction in space, M and H given.
    GlobalSpatial,
    /// Sliding and rolling friction in space, M and H given.
    GlobalRolling,
    /// Constraints that FCLIB does not hold together, W given.
    Mixed,
}

impl Kind {
    /// Its short name, as in published collections.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Lcp => "lcp",
            Kind::Mlcp => "mlcp",
            Kind::Relay => "relay",
            Kind::Planar => "fc2d",
            Kind::Spatial => "fc3d",
            Kind::Rolling => "rfc3d",
            Kind::GlobalPlanar => "gfc2d",
            Kind::GlobalSpatial => "gfc3d",
            Kind::GlobalRolling => "grfc3d",
            Kind::Mixed => "mixed",
        }
    }

    fn is_friction(self) -> bool {
        !matches!(self, Kind::Lcp | Kind::Mlcp | Kind::Relay)
    }
}

/// A problem and what its file says about it.
#[derive(Clone, Debug)]
pub struct StoredProblem {
    /// Name of the file, without folder and extension.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// What is to be solved.
    pub problem: Problem,
    /// M, f and [w; b] of a global problem; J is in `problem`.
    pub global: Option<Global>,
    /// What its author says about it.
    pub info: Info,
    /// Where it comes from.
    pub source: String,
    /// A solution, good or not.
    pub solution: Option<Solution>,
}

/// The part of a global problem that its reduction to W forgets.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// M.
    pub mass: Sparse,
    /// f.
    pub force: Vec<f64>,
    /// w, and b after it.
    pub offset: Vec<f64>,
}

/// Texts of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Title.
    pub title: String,
    /// Description.
    pub description: String,
    /// What is known about existence, rank and the like.
    pub math_info: String,
}

/// Impulses and velocities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// p, one per row [N·s].
    pub impulse: Vec<f64>,
    /// u = W p + u_free [m/s].
    pub relative_velocity: Vec<f64>,
    /// v of a global problem, where it is known [m/s].
    pub velocity: Option<Vec<f64>>,
}

impl StoredProblem {
    /// A problem to be written.
    pub fn new(name: &str, problem: Problem) -> Self {
        let kind = kind_of(&problem);
        let (name, source) = (name.to_owned(), String::new());
        Self { name, kind, problem, global: None, info: Info::default(), source, solution: None }
    }

    /// Contacts with friction; `None` for complementarity problems.
    pub fn n_contacts(&self) -> Option<usize> {
        let contacts = || self.problem.sets.iter().filter(|set| !set.is_scalar()).count();
        self.kind.is_friction().then(contacts)
    }

    /// v = M⁻¹ (Jᵀ p + f) of a global problem.
    pub fn velocity(&self, impulse: &[f64]) -> Result<Option<Vec<f64>>, FactorError> {
        let (Some(global), Some(primal)) = (&self.global, self.problem.primal()) else {
            return Ok(None);
        };
        let mut v = global.force.clone();
        primal.jacobian.add_combination(impulse, &mut v);
        let mass = &global.mass;
        let mut factor = Factor::analyse(mass, mass.is_symmetric(0.0))?;
        factor.factor(|k, _, _| mass.value[k])?;
        factor.solve(&mut v);
        Ok(Some(v))
    }

    /// The extension of the files that hold such problems.
    pub fn extension(&self) -> &'static str {
        if self.kind.is_friction() { "hdf5" } else { "json" }
    }
}

/// What a problem is called in a file.
fn kind_of(problem: &Problem) -> Kind {
    let sets = &problem.sets;
    let only = |takes: fn(&Set) -> bool| sets.iter().all(takes);
    // V stands for both couplings of equations.
    let has_room = problem.delassus.symmetric
        || only(|set| *set != Set::Free)
        || problem.assembled().is_symmetric(fclib::SYMMETRIC);
    let friction = |takes: fn(&Set) -> bool| {
        has_room && sets.iter().any(takes) && sets.iter().all(|set| takes(set) || *set == Set::Free)
    };
    if only(|set| *set == Set::Nonnegative) {
        Kind::Lcp
    } else if only(|set| matches!(set, Set::Nonnegative | Set::Free)) {
        Kind::Mlcp
    } else if only(|set| set.is_scalar()) {
        Kind::Relay
    } else if friction(|set| matches!(set, Set::Coulomb2 { .. })) {
        Kind::Planar
    } else if friction(|set| matches!(set, Set::Coulomb3 { .. })) {
        Kind::Spatial
    } else if friction(|set| matches!(set, Set::Rolling3 { .. })) {
        Kind::Rolling
    } else {
        Kind::Mixed
    }
}

/// Extensions of FCLIB files.
const HDF5_EXTENSIONS: [&str; 2] = ["hdf5", "h5"];

/// Whether a path has the extension of a problem.
pub fn is_problem(path: &Path) -> bool {
    let extension = extension(path);
    extension == "json" || HDF5_EXTENSIONS.contains(&extension.as_str())
}

fn extension(path: &Path) -> String {
    path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase())
}

/// Reads a problem; its extension says which format it has.
pub fn read(path: &Path) -> Result<StoredProblem, ProblemFileError> {
    let fail = |fault| ProblemFileError { path: path.to_owned(), fault };
    let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    match extension(path).as_str() {
        "json" => {
            let text = std::fs::read_to_string(path).map_err(|error| fail(error.into()))?;
            let folder = path.parent().unwrap_or(Path::new(""));
            let matrix = |file: &str| std::fs::read_to_string(folder.join(file));
            from_json(&name, &text, &matrix).map_err(fail)
        }
        extension if HDF5_EXTENSIONS.contains(&extension) => {
            let bytes = std::fs::read(path).map_err(|error| fail(error.into()))?;
            from_hdf5(&name, bytes).map_err(fail)
        }
        found => {
            // What is not there is not blamed for its name.
            std::fs::metadata(path).map_err(|error| fail(error.into()))?;
            Err(fail(Fault::Extension { found: found.to_owned() }))
        }
    }
}

/// Writes a problem, replacing any file of that name; a JSON file has its matrix beside it.
pub fn write(path: &Path, stored: &StoredProblem) -> Result<(), ProblemFileError> {
    let fail = |fault| ProblemFileError { path: path.to_owned(), fault };
    let is_hdf5 = HDF5_EXTENSIONS.contains(&extension(path).as_str());
    if stored.kind.is_friction() != is_hdf5 || !is_problem(path) {
        let (kind, expected) = (stored.kind.name(), stored.extension());
        return Err(fail(Fault::WriteAs { kind, expected }));
    }
    if is_hdf5 {
        let bytes = fclib_write::to_hdf5(stored).map_err(fail)?;
        return replace(path, &bytes).map_err(|error| fail(error.into()));
    }
    let stem = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let matrix = format!("{stem}.M.mtx");
    let (text, delassus) = complementarity::to_json(stored, &matrix).map_err(fail)?;
    replace(&path.with_file_name(matrix), matrix_market::write(&delassus).as_bytes())
        .and_then(|()| replace(path, text.as_bytes()))
        .map_err(|error| fail(error.into()))
}

/// Complete under another name first, so that a kill leaves no half-written file.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    std::fs::write(&part, bytes)?;
    std::fs::rename(part, path)
}
