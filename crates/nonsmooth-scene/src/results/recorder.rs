//! The recorder: appends what happened to the tables of `results.h5`.
//!
//! A frame is one row of `q`, `v`, `gaps`, `energy`, `solver` and `frames`; its contacts are the rows of
//! `contacts` and `contact_keys` up to `contacts_end` (exclusive) of its row in `frames`, beginning where
//! those of the frame before end. Impacts of every step, written or not, are in `events`. `frames` is
//! written last and defines what is valid. `q` and `v` hold the coordinates of systems only; bodies have tables of their
//! own (`bodies.rs`).

use super::bodies::{self, BodyTables};
use crate::build::Loaded;
use crate::store::{FRAMES, Kind, Options, StoreError, TableSpec, Writer};
use nonsmooth::{EnergyLedger, Frame, Model, State, Status, UserError};
use std::path::Path;
use thiserror::Error;

/// Name of the result file in the output folder.
pub const RESULT_FILE: &str = "results.h5";

/// Frames between commits: what a killed run may lose at most, and few enough that a commit's
/// partial chunks waste little space.
const COMMIT_EVERY: u64 = 4096;

/// Writes the tables of a run.
pub struct Recorder {
    writer: Writer,
    every: u64,
    places: Places,
    uncommitted: u64,
    row: Vec<f64>,
}

/// Why a frame could not be written.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The result file refused.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The motion of an obstacle failed.
    #[error("{0}")]
    Motion(#[from] UserError),
}

/// Places of the tables that every file has.
const SYSTEMS: usize = 0;
const ENERGY: usize = 1;
const CONTACTS: usize = 2;
const CONTACT_KEYS: usize = 3;
const EVENTS: usize = 4;
const EVENT_KEYS: usize = 5;
const SOLVER: usize = 6;

/// Places of the tables that depend on the model.
struct Places {
    /// The tables `q` and `v`.
    motion: Option<[usize; 2]>,
    gaps: Option<usize>,
    bodies: Option<BodyTables>,
    frames: usize,
}

impl Places {
    fn of(model: &Model) -> Self {
        let names: Vec<String> = specs(model).into_iter().map(|spec| spec.name).collect();
        let find = |name: &str| names.iter().position(|known| known == name);
        Self {
            motion: find("q").zip(find("v")).map(|(q, v)| [q, v]),
            gaps: find("gaps"),
            bodies: find("shapes").map(BodyTables::new),
            frames: names.len() - 1,
        }
    }
}

/// Name, kind, columns, units and meaning of the tables of fixed width, in the order of their places.
pub(super) type Fixed = (&'static str, Kind, &'static [&'static str], &'static str, &'static str);

const SYSTEMS_TABLE: Fixed = (
    "systems",
    Kind::Integer,
    &["first", "count", "born", "died"],
    "",
    "place of each system in q and v, and the frames in which it exists (died = -1: to the end); names in the root attribute `systems`",
);
#[rustfmt::skip]
const FIXED: [Fixed; 6] = [
    ("energy", Kind::Float,
     &["kinetic", "potential", "external", "viscous", "contact", "friction", "obstacle", "prescribed", "scheme", "projection", "exchange", "remainder"],
     "J", "energies, and work since the start; positive where the systems gain"),
    ("contacts", Kind::Float, &["gap", "u_minus", "u_plus", "impulse", "force", "work"],
     "m, m/s, m/s, N·s, N, J", "contacts of the step that led to a frame; force = impulse / step size"),
    ("contact_keys", Kind::Integer, &["constraint", "component"],
     "", "constraint of each row of contacts (names in the root attribute `constraints`), and 0 for the normal, 1, 2 for tangents"),
    ("events", Kind::Float, &["t", "gap", "u_minus", "u_plus", "impulse"],
     "s, m, m/s, m/s, N·s", "impacts of all steps"),
    ("event_keys", Kind::Integer, &["constraint", "step"],
     "", "constraint and step of each row of events"),
    ("solver", Kind::Float, &["residual", "iterations", "newton_iterations", "converged"],
     "1", "the step that led to a frame: residual, iterations of all its solves, 1 if it converged"),
];
const FRAMES_TABLE: Fixed = (
    FRAMES,
    Kind::Float,
    &["t", "step", "step_size", "contacts_end", "events_end"],
    "s, 1, s, 1, 1",
    "one row per frame; written last, defines what is valid",
);

pub(super) fn fixed((name, kind, columns, unit, about): Fixed) -> TableSpec {
    let columns = columns.iter().map(|&c| c.to_owned()).collect();
    table(name, kind, columns, unit, about)
}

fn table(name: &str, kind: Kind, columns: Vec<String>, unit: &str, about: &str) -> TableSpec {
    let (width, name, unit, about) = (columns.len(), name.to_owned(), unit.to_owned(), about.to_owned());
    TableSpec { name, kind, width, columns, unit, about }
}

fn specs(model: &Model) -> Vec<TableSpec> {
    let mut specs = vec![fixed(SYSTEMS_TABLE)];
    specs.extend(FIXED.map(fixed));
    let n = model.bodies.first_q;
    if n > 0 {
        let mut labels = vec![String::new(); n];
        for system in &model.systems {
            for (i, coordinate) in system.range.clone().zip(&system.coordinates) {
                labels[i] = format!("{}.{coordinate}", system.name);
            }
        }
        specs.push(table("q", Kind::Float, labels.clone(), "m, rad", "coordinates"));
        specs.push(table("v", Kind::Float, labels, "m/s, rad/s", "velocities (right limits)"));
    }
    let constraints = &model.constraints;
    if constraints.n_gaps() > 0 {
        let names = constraints.names[..constraints.n_gaps()].to_vec();
        specs.push(table("gaps", Kind::Float, names, "m", "gap of every constraint that has one"));
    }
    if bodies::has_bodies(model) {
        specs.extend(bodies::specs());
    }
    specs.push(fixed(FRAMES_TABLE));
    specs
}

impl Recorder {
    /// Begins a new file in `folder` and writes the initial state.
    pub fn create(folder: &Path, loaded: &Loaded) -> Result<Self, StoreError> {
        let model = &loaded.simulation.model;
        let join = |names: Vec<&str>| names.join("\n");
        let text = |key: &str, value: String| (key.to_owned(), value);
        let set: Vec<String> = loaded.overrides.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let parameters: Vec<String> =
            loaded.parameters.iter().map(|(n, v)| format!("{n}={v:?}")).collect();
        let mut attributes = vec![
            text("program", "nonsmooth".into()),
            text("version", env!("CARGO_PKG_VERSION").into()),
            text("title", loaded.title.clone()),
            text("scene", loaded.text.clone()),
            text("set", set.join("\n")),
            text("parameters", parameters.join("\n")),
            text("integrator", loaded.methods.0.clone()),
            text("solver", loaded.methods.1.clone()),
            text("files", super::checkpoint::file_list(loaded)),
            text("systems", join(model.systems.iter().map(|s| s.name.as_str()).collect())),
            text("constraints", join(model.constraints.names.iter().map(String::as_str).collect())),
        ];
        if bodies::has_bodies(model) {
            attributes.extend(bodies::attributes(model, &loaded.materials));
        }
        let options = Options { compress: loaded.output.compress, ..Options::default() };
        let writer = Writer::create(folder.join(RESULT_FILE), &attributes, specs(model), options)?;
        let mut recorder = Self::with_writer(writer, loaded);
        for system in &model.systems {
            let row = [system.range.start as i64, system.range.len() as i64, 0, -1];
            recorder.writer.append_integers(SYSTEMS, &row)?;
        }
        if let Some(tables) = &recorder.places.bodies {
            tables.begin(&mut recorder.writer, model)?;
        }
        Ok(recorder)
    }

    /// Goes on with the file in `folder`, cut to the given number of rows per table.
    pub fn resume(folder: &Path, loaded: &Loaded, rows: &[(String, u64)]) -> Result<Self, StoreError> {
        let writer = Writer::resume(folder.join(RESULT_FILE), rows)?;
        Ok(Self::with_writer(writer, loaded))
    }

    fn with_writer(writer: Writer, loaded: &Loaded) -> Self {
        let places = Places::of(&loaded.simulation.model);
        Self { writer, every: loaded.output.every, places, uncommitted: 0, row: Vec::new() }
    }

    /// Writes the initial state.
    pub fn start(
        &mut self,
        (model, state): (&Model, &State),
        gaps: &[f64],
        ledger: &EnergyLedger,
    ) -> Result<(), RecordError> {
        self.writer.append(SOLVER, &[0.0, 0.0, 0.0, 1.0])?;
        self.frame((model, state), gaps, ledger, 0)
    }

    /// Writes a step if it is due or the last one, and its impacts in any case; tells whether it was written.
    pub fn step(
        &mut self,
        frame: &Frame<'_>,
        ledger: &EnergyLedger,
        is_last: bool,
    ) -> Result<bool, RecordError> {
        let (after, log) = (frame.after, frame.log);
        for event in &log.events {
            let row = [event.t, event.gap, event.u_minus, event.u_plus, event.impulse];
            self.writer.append(EVENTS, &row)?;
            self.writer.append_integers(EVENT_KEYS, &[event.key.0 as i64, after.step as i64])?;
        }
        if !after.step.is_multiple_of(self.every) && !is_last {
            return Ok(false);
        }
        let contacts = &log.contacts;
        for i in 0..contacts.keys.len() {
            let p = contacts.impulse[i];
            let row = [
                contacts.gap[i],
                contacts.u_minus[i],
                contacts.u_plus[i],
                p,
                p / after.step_size,
                contacts.work[i],
            ];
            self.writer.append(CONTACTS, &row)?;
            self.writer.append_integers(
                CONTACT_KEYS,
                &[contacts.keys[i].0 as i64, i64::from(contacts.components[i])],
            )?;
        }
        let residual = log.solves.last().map_or(0.0, |r| r.residual);
        let iterations: usize = log.solves.iter().map(|r| r.iterations).sum();
        let converged = log.solves.last().is_none_or(|r| r.status == Status::Converged);
        let row =
            [residual, iterations as f64, log.newton_iterations as f64, f64::from(u8::from(converged))];
        self.writer.append(SOLVER, &row)?;
        if let Some(tables) = &self.places.bodies {
            tables.touches(&mut self.writer, frame)?;
        }
        self.frame((frame.model, after), &log.gaps, ledger, log.touches.n_impacts)?;
        Ok(true)
    }

    fn frame(
        &mut self,
        (model, state): (&Model, &State),
        gaps: &[f64],
        ledger: &EnergyLedger,
        impacts: usize,
    ) -> Result<(), RecordError> {
        let (energies, total) = (ledger.energies, ledger.total);
        if let Some([q, v]) = self.places.motion {
            self.writer.append(q, &state.q[..model.bodies.first_q])?;
            self.writer.append(v, &state.v[..model.bodies.first_v])?;
        }
        self.row.clear();
        self.row.extend([energies.kinetic, energies.potential]);
        self.row.extend(total.columns().map(|(_, work)| work));
        self.row.push(ledger.remainder);
        self.writer.append(ENERGY, &self.row)?;
        if let Some(table) = self.places.gaps {
            self.writer.append(table, gaps)?;
        }
        if let Some(tables) = &self.places.bodies {
            tables.frame(&mut self.writer, (model, state), impacts)?;
        }
        let rows = |table: usize| self.writer.rows(table).unwrap_or(0) as f64;
        self.row.clear();
        let ends = [rows(CONTACTS), rows(EVENTS)];
        self.row.extend([state.t, state.step as f64, state.step_size, ends[0], ends[1]]);
        self.writer.append(self.places.frames, &self.row)?;
        self.uncommitted += 1;
        if self.uncommitted >= COMMIT_EVERY {
            self.writer.commit()?;
            self.uncommitted = 0;
        }
        Ok(())
    }

    /// Makes everything so far durable; returns the rows of each table, for a checkpoint.
    pub fn sync(&mut self, model: &Model) -> Result<Vec<(String, u64)>, StoreError> {
        self.writer.sync()?;
        self.uncommitted = 0;
        let names = specs(model).into_iter().map(|s| s.name);
        Ok(names.enumerate().map(|(i, name)| (name, self.writer.rows(i).unwrap_or(0))).collect())
    }

    /// Closes the file.
    pub fn finish(self) -> Result<(), StoreError> {
        self.writer.finish()
    }
}
