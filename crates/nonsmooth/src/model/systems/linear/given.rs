//! A linear system as given by the user.

use super::Angles;
use crate::model::UserError;
use nonsmooth_solvers::Sparse;

/// A force that depends on time [N]: `force(t, out)` writes one entry per coordinate; `out` holds zeros on entry.
pub type TimeForce = Box<dyn Fn(f64, &mut [f64]) -> Result<(), UserError> + Send + Sync>;

/// A linear system M v̇ + C v + K q = load + F_ext(t) + r.
pub struct Linear {
    /// Name for messages and results.
    pub name: String,
    /// Names of the coordinates; also fixes their number.
    pub coordinates: Vec<String>,
    /// M [kg, kg·m²], symmetric positive definite.
    pub mass: Sparse,
    /// C [N·s/m], any square matrix.
    pub damping: Option<Sparse>,
    /// K [N/m], symmetric.
    pub stiffness: Option<Sparse>,
    /// Constant force with potential −load·q [N].
    pub load: Vec<f64>,
    /// Force that depends on time [N]; its work is external work.
    pub force: Option<TimeForce>,
    /// Angles by which its parts turn, where a run shall tell that they are too large for a linear system.
    pub angles: Option<Angles>,
    /// Initial coordinates [m, rad].
    pub q: Vec<f64>,
    /// Initial velocities [m/s, rad/s].
    pub v: Vec<f64>,
}

impl Linear {
    /// A free system at rest at the origin, with coordinates `q0`, `q1`, ….
    pub fn new(name: &str, mass: Sparse) -> Self {
        let n = mass.n_rows();
        Self {
            name: name.to_owned(),
            coordinates: (0..n).map(|i| format!("q{i}")).collect(),
            mass,
            damping: None,
            stiffness: None,
            load: vec![0.0; n],
            force: None,
            angles: None,
            q: vec![0.0; n],
            v: vec![0.0; n],
        }
    }

    /// Sets the damping matrix C.
    pub fn damping(mut self, damping: Sparse) -> Self {
        self.damping = Some(damping);
        self
    }

    /// Sets the stiffness matrix K.
    pub fn stiffness(mut self, stiffness: Sparse) -> Self {
        self.stiffness = Some(stiffness);
        self
    }

    /// Sets the constant force [N].
    pub fn load(mut self, load: &[f64]) -> Self {
        self.load = load.to_vec();
        self
    }

    /// Sets the force that depends on time [N].
    pub fn force(
        mut self,
        force: impl Fn(f64, &mut [f64]) -> Result<(), UserError> + Send + Sync + 'static,
    ) -> Self {
        self.force = Some(Box::new(force));
        self
    }

    /// Sets the initial coordinates and velocities.
    pub fn initial(mut self, q: &[f64], v: &[f64]) -> Self {
        self.q = q.to_vec();
        self.v = v.to_vec();
        self
    }
}
