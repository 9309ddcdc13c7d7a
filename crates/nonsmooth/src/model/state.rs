//! The state: everything the next step reads, and all that travels between machines. A checkpoint is the state, whole.

use super::memory::ConstraintMemory;
use super::rigid::Presence;

/// Where the model is, and what schemes, constraints and controllers must remember.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time [s].
    pub t: f64,
    /// Number of steps made since the start.
    pub step: u64,
    /// Size of the step that led here [s]; 0 at the start.
    pub step_size: f64,
    /// Coordinates [m, rad].
    pub q: Vec<f64>,
    /// Velocities, right limits; of bodies in space ω in body axes [m/s, rad/s].
    pub v: Vec<f64>,
    /// How much earlier than q the velocity of each member is [s]; empty where all are of the same instant.
    pub lag: Vec<f64>,
    /// What a scheme with memory keeps (earlier coordinates, accelerations); empty for one-step schemes.
    pub scheme: Vec<f64>,
    /// What is remembered of the constraints of the last step.
    pub memory: ConstraintMemory,
    /// Which bodies are there; empty where all are from start to end.
    pub presence: Vec<Presence>,
    /// Angles of joints, counted through whole turns, zero at the start [rad]; empty where no joint turns about one axis.
    pub angles: Vec<f64>,
    /// Numbers set from outside.
    pub inputs: Vec<f64>,
    /// Sampled values.
    pub held: Vec<f64>,
}

impl State {
    /// Makes `self` equal to `other` and keeps the buffers.
    pub fn copy_from(&mut self, other: &State) {
        (self.t, self.step, self.step_size) = (other.t, other.step, other.step_size);
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.lag.clone_from(&other.lag);
        self.scheme.clone_from(&other.scheme);
        self.memory.copy_from(&other.memory);
        self.presence.clone_from(&other.presence);
        self.angles.clone_from(&other.angles);
        self.inputs.clone_from(&other.inputs);
        self.held.clone_from(&other.held);
    }
}
