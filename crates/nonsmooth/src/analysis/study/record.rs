//! One run, kept in memory: the nodes, the times of impacts, and what it cost.

use super::{Places, StudyError, Work};
use crate::integrators::Integrator;
use crate::model::{Model, State};
use crate::simulation::{Observation, Observer, RunError, Simulation};
use std::sync::Arc;

/// The nodes of a run, the start included.
pub struct Record {
    /// h [s].
    pub(super) step_size: f64,
    /// Times [s].
    pub(super) t: Vec<f64>,
    /// Chosen coordinates, node after node.
    pub(super) q: Vec<f64>,
    /// Chosen velocities, node after node.
    pub(super) v: Vec<f64>,
    /// The last impact of each step that has one [s], with the number of the node after it.
    pub(super) impacts: Vec<(usize, f64)>,
    /// Whether q̇ = v, place by place.
    pub(super) is_paired: bool,
    /// What it cost.
    pub(super) work: Work,
}

impl Record {
    /// Makes a run of `steps` steps of size `step_size` [s], shows each to the observer and keeps its nodes.
    pub fn new(
        (model, state): (Arc<Model>, State),
        integrator: Box<dyn Integrator>,
        step_size: f64,
        steps: u64,
        places: &Places,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Self, StudyError> {
        let size = steps as usize + 1;
        let mut record = Record {
            step_size,
            t: Vec::with_capacity(size),
            q: Vec::with_capacity(size * places.q.len()),
            v: Vec::with_capacity(size * places.v.len()),
            impacts: Vec::new(),
            is_paired: places.is_paired,
            work: Work::default(),
        };
        record.push(&state, places);
        let mut simulation = Simulation::new(model, state, integrator, step_size)?;
        let mut observer = observer;
        for step in 1..=steps {
            let frame = simulation.step().map_err(|source| StudyError::Run { steps, source })?;
            record.book(&frame, places);
            if let Some(observer) = &mut observer {
                let failed =
                    |source| StudyError::Run { steps, source: RunError::Observer { step, source } };
                observer.step(&frame).map_err(failed)?;
            }
        }
        Ok(record)
    }

    fn book(&mut self, frame: &Observation<'_>, places: &Places) {
        if let Some(event) = frame.log.events.last() {
            self.impacts.push((self.t.len(), event.t));
        }
        self.push(frame.shown, places);
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
