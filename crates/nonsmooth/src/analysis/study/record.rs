//! One run, kept in memory: the nodes, the times of impacts, and what it cost.

use super::{Places, StudyError, Work};
use crate::integrators::Integrator;
use crate::model::{Model, State};
use crate::simulation::{Frame, Simulation};

/// The nodes of a run, the start included.
pub(super) struct Record {
    /// h [s].
    pub step_size: f64,
    /// Times [s].
    pub t: Vec<f64>,
    /// Chosen coordinates, node after node.
    pub q: Vec<f64>,
    /// Chosen velocities, node after node.
    pub v: Vec<f64>,
    /// The last impact of each step that has one [s], with the number of the node after it.
    pub impacts: Vec<(usize, f64)>,
    /// Whether q̇ = v, place by place.
    pub is_paired: bool,
    /// What it cost.
    pub work: Work,
}

/// A run of `n` steps of size `h`.
pub(super) fn record(
    (model, state): (Model, State),
    integrator: Box<dyn Integrator>,
    h: f64,
    n: u64,
    places: &Places,
) -> Result<Record, StudyError> {
    let size = n as usize + 1;
    let mut record = Record {
        step_size: h,
        t: Vec::with_capacity(size),
        q: Vec::with_capacity(size * places.q.len()),
        v: Vec::with_capacity(size * places.v.len()),
        impacts: Vec::new(),
        is_paired: places.is_paired,
        work: Work::default(),
    };
    record.push(&state, places);
    let mut simulation = Simulation::new(model, state, integrator, h)?;
    for _ in 0..n {
        let frame = simulation.step().map_err(|source| StudyError::Run { steps: n, source })?;
        record.book(&frame, places);
    }
    Ok(record)
}

impl Record {
    fn book(&mut self, frame: &Frame<'_>, places: &Places) {
        if let Some(event) = frame.log.events.last() {
            self.impacts.push((self.t.len(), event.t));
        }
        self.push(frame.after, places);
        self.work.steps += 1;
        self.work.counts += frame.log.counts;
        self.work.problems += frame.log.solves.len() as u64;
    }

    fn push(&mut self, state: &State, places: &Places) {
        self.t.push(state.t);
        self.q.extend(places.q.iter().map(|&i| state.q[i]));
        self.v.extend(places.v.iter().map(|&i| state.v[i]));
    }
}
