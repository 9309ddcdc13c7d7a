//! The whole trajectory in memory, for tests, studies and small runs.

use crate::model::{Model, State, UserError};
use crate::simulation::{Observation, Observer};

/// One row per instant, the start included.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// Times [s].
    pub t: Vec<f64>,
    /// Coordinates.
    pub q: Vec<Vec<f64>>,
    /// Velocities.
    pub v: Vec<Vec<f64>>,
    /// Normal impulse of every constraint in the step that led here, by number [N·s].
    pub impulses: Vec<Vec<f64>>,
    /// Gaps of the constraints that have one, family by family [m].
    pub gaps: Vec<Vec<f64>>,
}

impl Observer for Trajectory {
    fn start(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        let mut gaps = Vec::new();
        model.gaps_of(state, &mut gaps)?;
        self.push(state, vec![0.0; model.n_constraints()], gaps);
        Ok(())
    }

    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        let mut impulses = vec![0.0; frame.model.n_constraints()];
        let log = &frame.log.constraints;
        for (c, id) in log.ids.iter().enumerate() {
            if let Some(number) = frame.model.constraint_number(*id) {
                impulses[number] = log.impulse[log.row_start[c] as usize];
            }
        }
        self.push(frame.after, impulses, frame.log.gaps.clone());
        Ok(())
    }
}

impl Trajectory {
    fn push(&mut self, state: &State, impulses: Vec<f64>, gaps: Vec<f64>) {
        self.t.push(state.t);
        self.q.push(state.q.clone());
        self.v.push(state.v.clone());
        self.impulses.push(impulses);
        self.gaps.push(gaps);
    }
}
