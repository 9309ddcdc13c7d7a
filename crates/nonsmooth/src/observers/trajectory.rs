//! The whole trajectory in memory, for tests, studies and small runs.

use crate::model::{Model, State, UserError};
use crate::simulation::{Frame, Observer};

/// One row per instant, the start included.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// Times [s].
    pub t: Vec<f64>,
    /// Coordinates.
    pub q: Vec<Vec<f64>>,
    /// Velocities.
    pub v: Vec<Vec<f64>>,
    /// Normal impulse of every constraint in the step that led here, by key [N·s].
    pub impulses: Vec<Vec<f64>>,
    /// Gaps of the constraints that have one, by key [m].
    pub gaps: Vec<Vec<f64>>,
}

impl Observer for Trajectory {
    fn start(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        let mut gaps = Vec::new();
        model.gaps(state, &mut Vec::new(), &mut gaps)?;
        self.push(state, vec![0.0; model.constraints.len()], gaps);
        Ok(())
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<(), UserError> {
        let mut impulses = vec![0.0; frame.model.constraints.len()];
        let contacts = &frame.log.contacts;
        for (i, key) in contacts.keys.iter().enumerate() {
            if contacts.components[i] == 0 {
                impulses[key.0 as usize] = contacts.impulse[i];
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
