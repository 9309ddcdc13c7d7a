//! A checkpoint: the state, the ledger, the summary and the length of every result table.
//!
//! Written to a new file that replaces the old one at once, so that a killed run always has a whole
//! checkpoint. It remembers the scene text and the parameters that were set, and refuses others.

use super::checkpoint_state as state;
use super::checkpoint_trust as trust;
use super::segments::{Change, changes};
use crate::build::Loaded;
use crate::store::{Kind, Options, Reader, StoreError, TableSpec, Writer};
use nonsmooth::Simulation;
use nonsmooth::model::State;
use nonsmooth::observers::{EnergyLedger, Summary};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Name of the file in the folder of results.
pub(crate) const CHECKPOINT_FILE: &str = "checkpoint.h5";

/// Everything needed to go on.
#[derive(Clone, Debug)]
pub struct Checkpoint<'a> {
    /// The state.
    pub state: Cow<'a, State>,
    /// The energy ledger.
    pub ledger: EnergyLedger,
    /// The summary.
    pub summary: Summary,
    /// Rows of each result table.
    pub rows: Vec<(String, u64)>,
}

/// Why a run cannot be resumed.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// There is no checkpoint.
    #[error("{path}: there is no checkpoint to resume from; run without --resume")]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// It belongs to something else.
    #[error("{path}: the checkpoint was written by {what}; begin anew with --overwrite")]
    Differs {
        /// The checkpoint.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The scene has changed in a way that a resumed run cannot honour.
    #[error(
        "{path}: `{}` was {} and is {}; a resumed run may have another run.end (not before t = {t} s), run.on_unconverged, [solver] and [output]; begin anew with --overwrite",
        change.key, shown(&change.from), shown(&change.to)
    )]
    Changed {
        /// The checkpoint.
        path: PathBuf,
        /// What has changed.
        change: Change,
        /// Time reached [s].
        t: f64,
    },
    /// It cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The new file could not take the place of the old one.
    #[error("{path}: {source}")]
    Io {
        /// The checkpoint.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A table has the wrong size.
    #[error("{path}: the checkpoint is damaged ({what}); begin anew with --overwrite")]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// Which part.
        what: &'static str,
    },
}

/// A value in words.
fn shown(value: &str) -> &str {
    if value.is_empty() { "not there" } else { value }
}

fn identity(loaded: &Loaded) -> [(String, String); 4] {
    let set: Vec<String> = loaded.overrides.iter().map(|(n, v)| format!("{n}={v}")).collect();
    [
        ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("scene".to_owned(), loaded.text.clone()),
        ("set".to_owned(), set.join("\n")),
        ("files".to_owned(), file_list(loaded)),
    ]
}

/// The matrix files of a scene with a hash of each, a line each.
pub(super) fn file_list(loaded: &Loaded) -> String {
    let lines: Vec<String> =
        loaded.files.iter().map(|(name, hash)| format!("{name} {hash:016x}")).collect();
    lines.join("\n")
}

/// Tables of floats beside those of the state, and tables of integers.
const FLOATS: [&str; 2] = ["ledger", "summary"];
const INTEGERS: [&str; 2] = ["counts", "rows"];

fn table(name: &str, kind: Kind) -> TableSpec {
    TableSpec {
        name: name.to_owned(),
        kind,
        width: 1,
        columns: Vec::new(),
        fields: Vec::new(),
        unit: String::new(),
        about: String::new(),
    }
}

impl Checkpoint<'_> {
    /// Writes the checkpoint into `folder`, replacing an earlier one at once.
    pub fn write(&self, folder: &Path, loaded: &Loaded) -> Result<(), CheckpointError> {
        let (path, new) = (folder.join(CHECKPOINT_FILE), folder.join("checkpoint.new.h5"));
        let mut attributes = identity(loaded).to_vec();
        let names: Vec<&str> = self.rows.iter().map(|(name, _)| name.as_str()).collect();
        attributes.push(("tables".to_owned(), names.join("\n")));
        let notes: Vec<String> = self.summary.notes.iter().map(trust::note_words).collect();
        attributes.push(("notes".to_owned(), notes.join("\n")));
        let floats = state::FLOATS.iter().chain(&FLOATS).map(|name| table(name, Kind::Float));
        let integers = state::INTEGERS.iter().chain(&INTEGERS).map(|name| table(name, Kind::Integer));
        let specs = floats.chain(integers).collect();
        let mut writer = Writer::create(&new, &attributes, specs, Options::default())?;
        let own = [trust::ledger_numbers(&self.ledger), trust::numbers(&self.summary)];
        let floats: Vec<Vec<f64>> = state::floats(&self.state).into_iter().chain(own).collect();
        for (i, list) in floats.iter().enumerate() {
            list.iter().try_for_each(|x| writer.append(i, &[*x]))?;
        }
        let rows = self.rows.iter().map(|(_, n)| *n as i64).collect();
        let own = [trust::counts(&self.summary), rows];
        for (i, list) in state::integers(&self.state).into_iter().chain(own).enumerate() {
            list.iter().try_for_each(|n| writer.append_integers(floats.len() + i, &[*n]))?;
        }
        writer.sync()?;
        writer.finish()?;
        std::fs::rename(&new, &path).map_err(|source| CheckpointError::Io { path, source })
    }

    /// Reads the checkpoint of the same scene from `folder`, and what has changed in the scene since.
    pub fn read(folder: &Path, loaded: &Loaded) -> Result<(Self, Vec<Change>), CheckpointError> {
        let path = folder.join(CHECKPOINT_FILE);
        if !path.exists() {
            return Err(CheckpointError::Missing { path });
        }
        let unreadable =
            |_: StoreError| CheckpointError::Damaged { path: path.clone(), what: "unreadable" };
        let reader = Reader::open(&path).map_err(unreadable)?;
        let text = |name: &str| reader.texts().get(name).cloned().unwrap_or_default();
        let [(_, version), _, _, (_, files)] = identity(loaded);
        for (name, value, what) in [
            ("version", version, "another version of the program"),
            ("files", files, "other matrix files, or they have changed"),
        ] {
            if text(name) != value {
                return Err(CheckpointError::Differs { path: path.clone(), what });
            }
        }
        let changes = changes(&text("scene"), &text("set"), loaded);
        let floats = |name: &str| reader.floats(name).map(|rows| rows.values).map_err(unreadable);
        let integers = |name: &str| reader.integers(name).map(|rows| rows.values).map_err(unreadable);
        let damaged = |what| CheckpointError::Damaged { path: path.clone(), what };
        let (step, time) = (integers("step")?, floats("t")?);
        let (Some(step), Some(t)) = (step.first(), time.first().copied()) else {
            return Err(damaged("time"));
        };
        let is_refused = |change: &&Change| {
            !change.is_allowed() || change.key == "run.end" && loaded.n_steps < *step as u64
        };
        if let Some(change) = changes.iter().find(is_refused) {
            return Err(CheckpointError::Changed { path, change: change.clone(), t });
        }
        let Simulation { model, state: initial, .. } = &loaded.simulation;
        let lists = (collect(state::FLOATS, floats)?, collect(state::INTEGERS, integers)?);
        let state = state::state(model, initial, lists.0, lists.1).map_err(damaged)?;
        let ledger = trust::ledger(&floats("ledger")?).ok_or_else(|| damaged("ledger"))?;
        let summary = trust::summary(&floats("summary")?, &integers("counts")?, &text("notes"));
        let summary = summary.ok_or_else(|| damaged("summary"))?;
        let (names, rows) = (text("tables"), integers("rows")?);
        if names.lines().count() != rows.len() {
            return Err(damaged("rows"));
        }
        let rows = names.lines().map(str::to_owned).zip(rows.iter().map(|n| *n as u64)).collect();
        Ok((Self { state: Cow::Owned(state), ledger, summary, rows }, changes))
    }
}

/// Reads each of these tables.
fn collect<T: Default, const N: usize>(
    names: [&str; N],
    read: impl Fn(&str) -> Result<T, CheckpointError>,
) -> Result<[T; N], CheckpointError> {
    let mut lists = std::array::from_fn(|_| T::default());
    for (to, name) in lists.iter_mut().zip(names) {
        *to = read(name)?;
    }
    Ok(lists)
}
