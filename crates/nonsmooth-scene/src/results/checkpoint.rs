//! A checkpoint: the state, the ledger, the summary and the length of every result table.
//!
//! Written to a new file that replaces the old one at once, so that a killed run always has a whole
//! checkpoint. It remembers the scene text and the parameters that were set, and refuses others.

use crate::build::Loaded;
use crate::store::{Kind, Options, Reader, StoreError, TableSpec, Writer};
use nonsmooth::{
    Counts, Energies, EnergyLedger, Key, Life, Noted, Simulation, State, Summary, TouchKey, TouchMemory,
    Works,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use thiserror::Error;

const FILE: &str = "checkpoint.h5";

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
    #[error("{path}: the checkpoint was written by {what}; run without --resume to begin anew")]
    Differs {
        /// The checkpoint.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// It cannot be read or written.
    #[error("{0}")]
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
    #[error("{path}: the checkpoint is damaged ({what}); run without --resume to begin anew")]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// Which part.
        what: &'static str,
    },
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

/// Tables of floats, then those of integers.
const FLOATS: [&str; 6] = ["q", "v", "memory", "impulses", "numbers", "touch_impulses"];
const INTEGERS: [&str; 5] = ["keys", "counts", "rows", "touch_keys", "lives"];

/// The key of a contact point as integers.
fn touch_numbers(key: &TouchKey) -> [i64; 3] {
    [i64::from(key.parts.0), i64::from(key.parts.1), key.feature as i64]
}

fn touch_memory(numbers: &[i64], impulses: &[f64]) -> Option<TouchMemory> {
    let key = |k: &[i64; 3]| {
        let parts = (u32::try_from(k[0]).ok()?, u32::try_from(k[1]).ok()?);
        Some(TouchKey { parts, feature: k[2] as u64 })
    };
    let (keys, []) = numbers.as_chunks::<3>() else { return None };
    let (impulses, []) = impulses.as_chunks::<3>() else { return None };
    let keys = keys.iter().map(key).collect::<Option<Vec<_>>>()?;
    (keys.len() == impulses.len()).then(|| TouchMemory { keys, impulses: impulses.to_vec() })
}

fn lives(numbers: &[i64]) -> Option<Vec<Life>> {
    let all = [Life::Unborn, Life::Present, Life::Gone];
    numbers.iter().map(|n| all.get(usize::try_from(*n).ok()?).copied()).collect()
}

fn table(name: &str, kind: Kind) -> TableSpec {
    TableSpec {
        name: name.to_owned(),
        kind,
        width: 1,
        columns: Vec::new(),
        unit: String::new(),
        about: String::new(),
    }
}

impl Checkpoint<'_> {
    /// Writes the checkpoint into `folder`, replacing an earlier one at once.
    pub fn write(&self, folder: &Path, loaded: &Loaded) -> Result<(), CheckpointError> {
        let (path, new) = (folder.join(FILE), folder.join("checkpoint.new.h5"));
        let mut attributes = identity(loaded).to_vec();
        let names: Vec<&str> = self.rows.iter().map(|(name, _)| name.as_str()).collect();
        attributes.push(("tables".to_owned(), names.join("\n")));
        let notes: Vec<&str> = self.summary.notes.iter().map(|note| note.what.as_str()).collect();
        attributes.push(("notes".to_owned(), notes.join("\n")));
        let floats = FLOATS.map(|name| table(name, Kind::Float));
        let integers = INTEGERS.map(|name| table(name, Kind::Integer));
        let specs = floats.into_iter().chain(integers).collect();
        let mut writer = Writer::create(&new, &attributes, specs, Options::default())?;
        let State { t, step, step_size, q, v, memory, contacts, touches, lives } = &*self.state;
        let numbers = [&[*t, *step_size][..], &self.numbers()].concat();
        let pressed = touches.impulses.as_flattened();
        let lists: [&[f64]; 6] = [q, v, memory, &contacts.impulses, &numbers, pressed];
        for (i, list) in lists.into_iter().enumerate() {
            for x in list {
                writer.append(i, &[*x])?;
            }
        }
        let counts = [&[*step as i64][..], &self.counts()].concat();
        let lists: [Box<dyn Iterator<Item = i64>>; 5] = [
            Box::new(contacts.keys.iter().map(|key| key.0 as i64)),
            Box::new(counts.into_iter()),
            Box::new(self.rows.iter().map(|(_, n)| *n as i64)),
            Box::new(touches.keys.iter().flat_map(touch_numbers)),
            Box::new(lives.iter().map(|life| *life as i64)),
        ];
        for (i, list) in lists.into_iter().enumerate() {
            for x in list {
                writer.append_integers(FLOATS.len() + i, &[x])?;
            }
        }
        writer.sync()?;
        writer.finish()?;
        std::fs::rename(&new, &path).map_err(|source| CheckpointError::Io { path, source })
    }

    /// Reads the checkpoint of the same scene from `folder`.
    pub fn read(folder: &Path, loaded: &Loaded) -> Result<Self, CheckpointError> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Err(CheckpointError::Missing { path });
        }
        let unreadable =
            |_: StoreError| CheckpointError::Damaged { path: path.clone(), what: "unreadable" };
        let reader = Reader::open(&path).map_err(unreadable)?;
        let whats = [
            "another version of the program",
            "another scene, or the scene has changed",
            "other --set values",
            "other matrix files, or they have changed",
        ];
        for ((name, value), what) in identity(loaded).iter().zip(whats) {
            if reader.texts().get(name) != Some(value) {
                return Err(CheckpointError::Differs { path: path.clone(), what });
            }
        }
        let floats = |name: &str| reader.floats(name).map(|rows| rows.values).map_err(unreadable);
        let integers = |name: &str| reader.integers(name).map(|rows| rows.values).map_err(unreadable);
        let (numbers, counts) = (floats("numbers")?, integers("counts")?);
        let damaged = |what| CheckpointError::Damaged { path: path.clone(), what };
        let ([t, step_size, ..], [step, ..]) = (&numbers[..], &counts[..]) else {
            return Err(damaged("numbers"));
        };
        let (t, step_size) = (*t, *step_size);
        let state = State {
            t,
            step: *step as u64,
            step_size,
            q: floats("q")?,
            v: floats("v")?,
            memory: floats("memory")?,
            contacts: nonsmooth::ContactMemory {
                keys: integers("keys")?.iter().map(|k| Key(*k as u64)).collect(),
                impulses: floats("impulses")?,
            },
            touches: touch_memory(&integers("touch_keys")?, &floats("touch_impulses")?)
                .ok_or_else(|| damaged("touches"))?,
            lives: lives(&integers("lives")?).ok_or_else(|| damaged("lives"))?,
        };
        let Simulation { model, state: initial, .. } = &loaded.simulation;
        if state.q.len() != model.n_coordinates()
            || state.v.len() != model.n_velocities()
            || state.contacts.keys.len() != state.contacts.impulses.len()
            || state.lives.len() != initial.lives.len()
        {
            return Err(damaged("state"));
        }
        let ledger = ledger_from(numbers.get(2..).unwrap_or(&[])).ok_or_else(|| damaged("ledger"))?;
        let text = |name: &str| reader.texts().get(name).cloned().unwrap_or_default();
        let (rest, notes) = ((numbers.get(2..), counts.get(1..)), text("notes"));
        let summary = summary_from(rest.0.unwrap_or(&[]), rest.1.unwrap_or(&[]), &notes);
        let summary = summary.ok_or_else(|| damaged("summary"))?;
        let names = text("tables");
        let rows =
            names.lines().map(str::to_owned).zip(integers("rows")?.iter().map(|n| *n as u64)).collect();
        Ok(Self { state: Cow::Owned(state), ledger, summary, rows })
    }

    /// Ledger and summary as numbers, in the order in which `ledger_from` and `summary_from` read them.
    fn numbers(&self) -> Vec<f64> {
        let l = &self.ledger;
        let works = |w: &Works| w.columns().map(|(_, work)| work);
        let energies = |e: &Energies| [e.kinetic, e.potential];
        let rest = [l.step_remainder, l.remainder, l.worst_remainder, l.scale];
        let s = &self.summary;
        let (_, at) = s.penetration_at.unwrap_or((Key(0), 0.0));
        let (_, overlap_at) = s.overlap_at.unwrap_or_default();
        let notes: Vec<f64> = s.notes.iter().flat_map(|note| [note.largest, note.sum]).collect();
        [
            &energies(&l.initial)[..],
            &energies(&l.energies),
            &works(&l.total),
            &rest,
            &[s.penetration, at, s.residual, s.residual_at, s.overlap, overlap_at],
            &notes,
        ]
        .concat()
    }

    fn counts(&self) -> Vec<i64> {
        let s = &self.summary;
        let key = s.penetration_at.map_or(-1, |(key, _)| key.0 as i64);
        let [a, b] = s.overlap_at.map_or([-1; 2], |(bodies, _)| bodies.map(i64::from));
        let most = s.most_contacts as u64;
        let Counts { steps, rejected, evaluations } = s.counts;
        let inner = [steps, rejected, evaluations, s.problems];
        let counts =
            [s.steps, s.impacts, s.unconverged, s.newton_iterations, most, s.separating_impulses];
        let notes = s.notes.iter().map(|note| note.count as i64);
        counts.iter().chain(&inner).map(|n| *n as i64).chain([key, a, b]).chain(notes).collect()
    }
}

fn ledger_from(x: &[f64]) -> Option<EnergyLedger> {
    let works: [f64; 9] = x.get(4..13)?.try_into().ok()?;
    let rest: [f64; 4] = x.get(13..17)?.try_into().ok()?;
    Some(EnergyLedger {
        initial: Energies { kinetic: x[0], potential: x[1] },
        energies: Energies { kinetic: x[2], potential: x[3] },
        total: Works::from_columns(works),
        step_remainder: rest[0],
        remainder: rest[1],
        worst_remainder: rest[2],
        scale: rest[3],
    })
}

/// The notes of a summary: their words, a line each, with (largest, sum) and counts.
fn notes_from(words: &str, x: &[f64], counts: &[i64]) -> Option<Vec<Noted>> {
    let words: Vec<&str> = words.lines().collect();
    if x.len() != 2 * words.len() || counts.len() != words.len() {
        return None;
    }
    let numbers = x.chunks_exact(2).zip(counts);
    let note = |(what, (x, count)): (&str, (&[f64], &i64))| Noted {
        what: what.to_owned(),
        count: *count as u64,
        largest: x[0],
        sum: x[1],
    };
    Some(words.into_iter().zip(numbers).map(note).collect())
}

fn summary_from(x: &[f64], counts: &[i64], words: &str) -> Option<Summary> {
    let [penetration, at, residual, residual_at, overlap, overlap_at] = x.get(17..23)? else {
        return None;
    };
    let (counts, inner) = counts.split_at_checked(6)?;
    let [steps, impacts, unconverged, newton_iterations, most, separating] = counts else {
        return None;
    };
    let [inner_steps, rejected, evaluations, problems, key, a, b, notes @ ..] = inner else {
        return None;
    };
    let overlapping = u32::try_from(*a).ok().zip(u32::try_from(*b).ok());
    Some(Summary {
        steps: *steps as u64,
        impacts: *impacts as u64,
        penetration: *penetration,
        penetration_at: (*key >= 0).then_some((Key(*key as u64), *at)),
        overlap: *overlap,
        overlap_at: overlapping.map(|(a, b)| ([a, b], *overlap_at)),
        residual: *residual,
        residual_at: *residual_at,
        unconverged: *unconverged as u64,
        newton_iterations: *newton_iterations as u64,
        most_contacts: *most as usize,
        separating_impulses: *separating as u64,
        counts: Counts {
            steps: *inner_steps as u64,
            rejected: *rejected as u64,
            evaluations: *evaluations as u64,
        },
        problems: *problems as u64,
        notes: notes_from(words, x.get(23..)?, notes)?,
    })
}
