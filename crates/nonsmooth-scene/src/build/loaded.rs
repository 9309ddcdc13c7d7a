//! What a scene has become.

use super::{Bvp, Recipe};
use crate::meshed::MeshedBody;
use crate::scene::Output;
use nonsmooth::Simulation;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A scene that is ready to run.
pub struct Loaded {
    /// Path of the scene file, as given.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What was set from outside, as `name=value`: parameters, `integrator`, and keys such as `output.csv`.
    pub overrides: Vec<(String, String)>,
    /// The line that names the scene.
    pub title: String,
    /// All parameters with their values.
    pub parameters: BTreeMap<String, f64>,
    /// The model, its initial state and the scheme, ready to step.
    pub simulation: Simulation,
    /// Name of the scheme and of the solver.
    pub methods: (String, String),
    /// The same with their options, to make further integrators for this scene.
    pub recipe: Recipe,
    /// Largest certificate that counts as solved [–].
    pub tolerance: f64,
    /// Initial time [s].
    pub start: f64,
    /// Step size [s].
    pub step_size: f64,
    /// Number of steps.
    pub n_steps: u64,
    /// Files of matrices and shapes that were read, each with a hash of its text.
    pub files: Vec<(String, u64)>,
    /// What is written, and how often.
    pub output: Output,
    /// Coordinates to plot, as places in q.
    pub plot: Vec<usize>,
    /// The boundary value problem, if the scene poses one.
    pub bvp: Option<Bvp>,
    /// Names of the materials of bodies, by number.
    pub materials: Vec<String>,
    /// The elastic bodies.
    pub elastic: Arc<Vec<MeshedBody>>,
}

impl Loaded {
    /// Whether it has rigid or elastic bodies, which pictures and files for ParaView show.
    pub fn has_bodies(&self) -> bool {
        let rigid = &self.simulation.model.rigid;
        !(rigid.bodies.is_empty() && rigid.kinematic.is_empty() && self.elastic.is_empty())
    }
}
