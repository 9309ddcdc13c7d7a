//! A checkpoint: the state, and what each observer needs when the run is resumed (the ledger, the summary, the length of every table).
//!
//! Written to a new file that replaces the old one at once, so that a killed run always has a whole
//! checkpoint. It remembers the scene text and the parameters that were set, and refuses others.

use super::checkpoint_state as state;
use super::segments::{Change, changes, set_values};
use crate::build::Loaded;
use crate::store::{Kind, Options, Reader, StoreError, TableSpec, Writer};
use nonsmooth::Simulation;
use nonsmooth::model::State;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Name of the file in the folder of results.
pub(crate) const CHECKPOINT_FILE: &str = "checkpoint.h5";

/// Everything needed to go on.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint<'a> {
    /// The state.
    pub state: Cow<'a, State>,
    /// What each observer kept, by its name.
    pub memories: Vec<(String, Memory)>,
}

/// What an observer needs when a run is resumed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    /// Numbers.
    pub numbers: Vec<f64>,
    /// Whole numbers.
    pub counts: Vec<i64>,
    /// Words.
    pub words: String,
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
    [
        ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("scene".to_owned(), loaded.text.clone()),
        ("set".to_owned(), set_values(loaded)),
        ("files".to_owned(), file_list(loaded)),
    ]
}

/// The matrix files of a scene with a hash of each, a line each.
pub(crate) fn file_list(loaded: &Loaded) -> String {
    let lines: Vec<String> =
        loaded.files.iter().map(|(name, hash)| format!("{name} {hash:016x}")).collect();
    lines.join("\n")
}

/// Names of the two tables and of the text of an observer.
fn places(observer: &str) -> [String; 3] {
    ["numbers", "counts", "words"].map(|what| format!("{observer} {what}"))
}

fn table(name: impl Into<String>, kind: Kind) -> TableSpec {
    TableSpec {
        name: name.into(),
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
    pub(crate) fn write(&self, folder: &Path, loaded: &Loaded) -> Result<(), CheckpointError> {
        let (path, new) = (folder.join(CHECKPOINT_FILE), folder.join("checkpoint.new.h5"));
        let mut attributes = identity(loaded).to_vec();
        let places: Vec<[String; 3]> = self.memories.iter().map(|(name, _)| places(name)).collect();
        let names: Vec<&str> = self.memories.iter().map(|(name, _)| name.as_str()).collect();
        attributes.push(("observers".to_owned(), names.join("\n")));
        let words = places.iter().zip(&self.memories);
        attributes.extend(words.map(|([.., place], (_, memory))| (place.clone(), memory.words.clone())));
        let kept = |k: usize, kind| places.iter().map(move |place| table(place[k].as_str(), kind));
        let floats = state::FLOATS.into_iter().map(|name| table(name, Kind::Float));
        let integers = state::INTEGERS.into_iter().map(|name| table(name, Kind::Integer));
        let floats = floats.chain(kept(0, Kind::Float));
        let specs = floats.chain(integers).chain(kept(1, Kind::Integer)).collect();
        let mut writer = Writer::create(&new, &attributes, specs, Options::default())?;
        let own = self.memories.iter().map(|(_, memory)| memory.numbers.clone());
        let floats: Vec<Vec<f64>> = state::floats(&self.state).into_iter().chain(own).collect();
        for (i, list) in floats.iter().enumerate() {
            list.iter().try_for_each(|x| writer.append(i, &[*x]))?;
        }
        let own = self.memories.iter().map(|(_, memory)| memory.counts.clone());
        for (i, list) in state::integers(&self.state).into_iter().chain(own).enumerate() {
            list.iter().try_for_each(|n| writer.append_integers(floats.len() + i, &[*n]))?;
        }
        writer.sync()?;
        writer.finish()?;
        std::fs::rename(&new, &path).map_err(|source| CheckpointError::Io { path, source })
    }

    /// Reads the checkpoint of the same scene from `folder`, and what has changed in the scene since.
    pub(crate) fn read(folder: &Path, loaded: &Loaded) -> Result<(Self, Vec<Change>), CheckpointError> {
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
        let memory = |name: &str| {
            let [numbers, counts, words] = places(name);
            let (numbers, counts) = (floats(&numbers)?, integers(&counts)?);
            Ok((name.to_owned(), Memory { numbers, counts, words: text(&words) }))
        };
        let memories = text("observers").lines().map(memory).collect::<Result<_, CheckpointError>>()?;
        Ok((Self { state: Cow::Owned(state), memories }, changes))
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
