//! `recorder`: appends what happened to the tables of `results.h5`.
//!
//! The tables are those of `tidy`, one row each, so that CSV files are copies of them. Further tables hold the gaps, what the
//! solver did, and the shapes and masses of bodies (`bodies.rs`). A frame is one row of `coordinates`, `energy`, `gaps`, `solver` and
//! `frames`; its rows in `bodies`, `contacts` and `joints` end before the numbers in its row of `frames`, and begin where those of the
//! frame before end. Impacts of every step, written or not, are in `events`. `frames` is written last and defines what is valid.

use super::energy_ledger::{ledger, numbers};
use super::{Due, ObserverEntry, Resumed, RunObserver, Setup};
use crate::build::Loaded;
use crate::meshed::MeshedBody;
use crate::results::{
    Memory, RESULT_FILE, STATES, Segment, append, bodies, body_rows, contact_rows, elastic, event_row,
    file_list, joints, n_present, n_system_coordinates, set_values, specs, state_row, system_names,
};
use crate::store::{Options, Reader, StoreError, Writer};
use crate::tidy::EnergyRow;
use nonsmooth::model::{RigidState, UserError};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{Model, Observation, Observer, State, StepError, StepLog};
use nonsmooth_solvers::Status;
use std::sync::Arc;
use thiserror::Error;

/// Frames between commits: what a killed run may lose at most, and few enough that a commit's
/// partial chunks waste little space.
const COMMIT_EVERY: u64 = 4096;

pub(super) const ENTRY: ObserverEntry = ObserverEntry {
    name: "recorder",
    about: "all tables of the run, as results.h5; CSV files and figures are made from it",
    is_default: true,
    make,
};

fn make(setup: &Setup<'_>) -> Result<Box<dyn RunObserver>, UserError> {
    Ok(Box::new(match &setup.resumed {
        None => Recorder::create(setup)?,
        Some(from) => Recorder::resume(setup, from)?,
    }))
}

/// Writes the tables of a run.
struct Recorder {
    writer: Writer,
    due: Due,
    ledger: EnergyLedger,
    places: Places,
    uncommitted: u64,
    row: Vec<f64>,
    rigid: Vec<RigidState>,
    elastic: Arc<Vec<MeshedBody>>,
}

/// Why a frame could not be written.
#[derive(Debug, Error)]
enum RecordError {
    /// The result file refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The motion of a kinematic body failed.
    #[error("{0}")]
    Motion(#[from] Box<StepError>),
}

/// Places of the tables in the file; those that not every model has may be missing.
struct Places {
    bodies: Option<usize>,
    elastic: Option<usize>,
    coordinates: Option<usize>,
    states: Option<usize>,
    energy: usize,
    contacts: usize,
    events: usize,
    joints: Option<usize>,
    gaps: Option<usize>,
    solver: usize,
    frames: usize,
}

impl Places {
    fn of(writer: &Writer) -> Self {
        let find = |name: &str| writer.index(name);
        // A table that is not there is refused when it is written to.
        let always = |name: &str| find(name).unwrap_or(usize::MAX);
        Self {
            bodies: find("bodies"),
            elastic: find(elastic::VALUES),
            coordinates: find("coordinates"),
            states: find(STATES),
            energy: always("energy"),
            contacts: always("contacts"),
            events: always("events"),
            joints: find("joints"),
            gaps: find("gaps"),
            solver: always("solver"),
            frames: always("frames"),
        }
    }
}

/// The texts that a result file carries.
fn attributes(loaded: &Loaded) -> Vec<(String, String)> {
    let model = &loaded.simulation.model;
    let text = |key: &str, value: String| (key.to_owned(), value);
    let parameters: Vec<String> = loaded.parameters.iter().map(|(n, v)| format!("{n}={v:?}")).collect();
    let constraints: Vec<&str> = model.constraint_names().collect();
    let mut attributes = vec![
        text("program", "nonsmooth".into()),
        text("version", env!("CARGO_PKG_VERSION").into()),
        text("title", loaded.title.clone()),
        text("scene", loaded.text.clone()),
        text("set", set_values(loaded)),
        text("parameters", parameters.join("\n")),
        text("integrator", loaded.methods.0.clone()),
        text("solver", loaded.methods.1.clone()),
        text("files", file_list(loaded)),
        text("segments", Segment::text(&[Segment::first(loaded.start)])),
        text("systems", system_names(model).join("\n")),
        text("constraints", constraints.join("\n")),
    ];
    if bodies::has_bodies(model) {
        attributes.extend(bodies::attributes(model));
    }
    attributes.extend(elastic::attributes(&loaded.elastic));
    attributes
}

impl Recorder {
    /// Begins a new file.
    fn create(setup: &Setup<'_>) -> Result<Self, StoreError> {
        let loaded = setup.loaded;
        let model = &loaded.simulation.model;
        let options = Options { compress: loaded.output.compress, ..Options::default() };
        let path = setup.out.join(RESULT_FILE);
        let mut writer =
            Writer::create(path, &attributes(loaded), specs(model, &loaded.elastic), options)?;
        if bodies::has_bodies(model) {
            bodies::write(&mut writer, model)?;
        }
        elastic::write(&mut writer, &loaded.elastic)?;
        Ok(Self::with_writer(writer, setup))
    }

    /// Goes on with the file, cut to the number of rows per table that it had. Changed settings become a new segment.
    fn resume(setup: &Setup<'_>, from: &Resumed<'_>) -> Result<Self, UserError> {
        let Resumed { step, t, changes, memory: Memory { numbers, counts, words } } = *from;
        let (loaded, path) = (setup.loaded, setup.out.join(RESULT_FILE));
        let ledger = ledger(numbers).filter(|_| words.lines().count() == counts.len());
        let ledger = ledger.ok_or("what the recorder kept in the checkpoint is damaged")?;
        let mut texts = Vec::new();
        if !changes.is_empty() {
            let mut segments = Segment::of(&Reader::open(&path)?);
            segments.push(Segment { step, t, changes: changes.to_vec() });
            let now = [
                ("segments", Segment::text(&segments)),
                ("scene", loaded.text.clone()),
                ("set", set_values(loaded)),
                ("solver", loaded.methods.1.clone()),
            ];
            texts.extend(now.map(|(name, text)| (name.to_owned(), text)));
        }
        let rows: Vec<(String, u64)> =
            words.lines().zip(counts).map(|(name, n)| (name.to_owned(), *n as u64)).collect();
        let writer = Writer::resume_with(path, &rows, &texts)?;
        Ok(Self { ledger, ..Self::with_writer(writer, setup) })
    }

    fn with_writer(writer: Writer, setup: &Setup<'_>) -> Self {
        let (places, due) = (Places::of(&writer), setup.due);
        let (ledger, elastic) = (EnergyLedger::default(), setup.loaded.elastic.clone());
        Self { writer, due, ledger, places, uncommitted: 0, row: Vec::new(), rigid: Vec::new(), elastic }
    }

    /// Writes a step if it is due, and its impacts in any case.
    fn record(&mut self, step: &Observation<'_>) -> Result<(), RecordError> {
        let Observation { model, shown, log, .. } = *step;
        for event in &log.events {
            append(&mut self.writer, self.places.events, &event_row(model, event))?;
        }
        if !self.due.is(shown.step) {
            return Ok(());
        }
        for row in contact_rows(model, &log.constraints, shown.t) {
            append(&mut self.writer, self.places.contacts, &row)?;
        }
        self.frame(model, shown, Some(log), &log.gaps)
    }

    /// Writes the rows of a frame.
    fn frame(
        &mut self,
        model: &Model,
        state: &State,
        log: Option<&StepLog>,
        gaps: &[f64],
    ) -> Result<(), RecordError> {
        self.solver(state.t, log)?;
        self.motion(model, state)?;
        if let Some(table) = self.places.elastic {
            elastic::append_values(&mut self.writer, table, &self.elastic, (model, state, log))?;
        }
        let EnergyLedger { energies, total: works, remainder, .. } = self.ledger;
        let energy = EnergyRow { t: state.t, energies, works, remainder };
        append(&mut self.writer, self.places.energy, &energy)?;
        if let Some(table) = self.places.gaps {
            self.row.clear();
            self.row.push(state.t);
            self.row.extend_from_slice(gaps);
            self.writer.append(table, &self.row)?;
        }
        if let Some(table) = self.places.joints {
            for joint in joints(model, state, log)? {
                append(&mut self.writer, table, &joint.row(model, state.t))?;
            }
        }
        self.end_frame(model, state)
    }

    /// Writes the row of `solver`.
    fn solver(&mut self, t: f64, log: Option<&StepLog>) -> Result<(), StoreError> {
        let last = log.and_then(|log| log.solves.last());
        let residual = last.map_or(0.0, |report| report.residual);
        let converged = last.is_none_or(|report| report.status == Status::Converged);
        let iterations: usize =
            log.map_or(0, |log| log.solves.iter().map(|report| report.iterations).sum());
        let newton = log.map_or(0, |log| log.newton_iterations);
        let row = [t, residual, iterations as f64, newton as f64, f64::from(u8::from(converged))];
        self.writer.append(self.places.solver, &row)
    }

    /// Writes where the systems and the bodies are.
    fn motion(&mut self, model: &Model, state: &State) -> Result<(), RecordError> {
        if let Some(table) = self.places.coordinates {
            let n = n_system_coordinates(model);
            self.row.clear();
            self.row.push(state.t);
            self.row.extend(state.q[..n].iter().zip(&state.v).flat_map(|(q, v)| [*q, *v]));
            self.writer.append(table, &self.row)?;
        }
        if let Some(table) = self.places.states {
            self.row.clear();
            self.row.push(state.t);
            state_row(model, state, &mut self.row)?;
            self.writer.append(table, &self.row)?;
        }
        if let Some(table) = self.places.bodies {
            for row in body_rows(model, state, &mut self.rigid)? {
                append(&mut self.writer, table, &row)?;
            }
        }
        Ok(())
    }

    /// Writes the row of `frames`.
    fn end_frame(&mut self, model: &Model, state: &State) -> Result<(), RecordError> {
        let Places { bodies, contacts, joints, events, .. } = self.places;
        let ends = [bodies, Some(contacts), joints, Some(events)];
        let end = |table: Option<usize>| table.and_then(|k| self.writer.rows(k)).unwrap_or(0) as f64;
        self.row.clear();
        self.row.extend([state.t, state.step as f64, state.step_size]);
        self.row.extend(ends.map(end));
        self.row.push(n_present(model, state) as f64);
        self.writer.append(self.places.frames, &self.row)?;
        self.uncommitted += 1;
        if self.uncommitted >= COMMIT_EVERY {
            self.writer.commit()?;
            self.uncommitted = 0;
        }
        Ok(())
    }
}

impl Observer for Recorder {
    fn start(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        self.ledger.start(model, state)?;
        let mut gaps = Vec::new();
        model.gaps_of(state, &mut gaps)?;
        Ok(self.frame(model, state, None, &gaps)?)
    }

    fn step(&mut self, step: &Observation<'_>) -> Result<(), UserError> {
        self.ledger.step(step)?;
        Ok(self.record(step)?)
    }

    fn save(&mut self) -> Result<(), UserError> {
        self.uncommitted = 0;
        Ok(self.writer.sync()?)
    }
}

impl RunObserver for Recorder {
    /// The ledger, and the rows of each table.
    fn memory(&self) -> Memory {
        let (words, rows): (Vec<&str>, Vec<u64>) = self.writer.lengths().unzip();
        let counts = rows.into_iter().map(|n| n as i64).collect();
        Memory { numbers: numbers(&self.ledger), counts, words: words.join("\n") }
    }

    fn close(self: Box<Self>) -> Result<(), UserError> {
        Ok(self.writer.finish()?)
    }
}
