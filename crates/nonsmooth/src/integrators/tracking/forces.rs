//! The smooth forces f(t, q, v) of the whole model, and the power of those without potential.
//!
//! ```text
//! linear       f = load + F_ext(t) − C v − K q                          external = F_ext · v
//! Lagrangian   f = F_ext(t) − N(q, v) − F_int(t, q, v) − ∇V(q)          viscous  = −v · (C v + F_int)
//! ```

use crate::error::{StepError, StepResult, check_finite};
use crate::model::{Model, UserError, UserSystem};

/// Where the motion is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    pub(crate) t: f64,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
}

impl Point {
    pub(crate) fn copy_from(&mut self, other: &Point) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
    }

    pub(crate) fn poison(&mut self) {
        self.t = f64::NAN;
        self.q.fill(f64::NAN);
        self.v.fill(f64::NAN);
    }
}

/// Power of the forces by column of the ledger [W]; integrated over time, their work [J].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Power {
    pub(crate) external: f64,
    pub(crate) viscous: f64,
    pub(crate) contact: f64,
    pub(crate) obstacle: f64,
}

impl Power {
    /// self ← self + weight · other.
    pub(crate) fn add(&mut self, weight: f64, other: &Power) {
        self.external += weight * other.external;
        self.viscous += weight * other.viscous;
        self.contact += weight * other.contact;
        self.obstacle += weight * other.obstacle;
    }
}

/// The forces at a point, with the scratch to find them.
#[derive(Default)]
pub(crate) struct Forces {
    part: Vec<f64>,
}

impl Forces {
    /// f ← f(t, q, v); `power` gets what has no potential.
    pub(crate) fn fill(
        &mut self,
        model: &Model,
        at: &Point,
        f: &mut Vec<f64>,
        power: &mut Power,
    ) -> StepResult {
        f.clear();
        f.extend_from_slice(&model.linear.load);
        f.resize(model.n_velocities(), 0.0);
        *power = Power::default();
        self.linear(model, at, f, power)?;
        for system in &model.user {
            self.user(system, at, f, power).map_err(StepError::in_system(model, system.range.start))?;
        }
        check_finite(model, "force", f)
    }

    fn linear(&mut self, model: &Model, at: &Point, f: &mut [f64], power: &mut Power) -> StepResult {
        let linear = &model.linear;
        for (range, force) in &linear.forces {
            self.clear(range.len());
            force(at.t, &mut self.part).map_err(StepError::in_system(model, range.start))?;
            power.external += add(1.0, &self.part, &at.v[range.clone()], &mut f[range.clone()]);
        }
        if let Some(damping) = &linear.damping {
            self.clear(linear.n);
            damping.multiply(&at.v, &mut self.part);
            power.viscous += add(-1.0, &self.part, &at.v, f);
        }
        if let Some(stiffness) = &linear.stiffness {
            stiffness.multiply_add(-1.0, &at.q, &mut f[..linear.n]);
        }
        Ok(())
    }

    fn user(
        &mut self,
        system: &UserSystem,
        at: &Point,
        f: &mut [f64],
        power: &mut Power,
    ) -> Result<(), UserError> {
        let (range, dynamics) = (system.range.clone(), &system.dynamics);
        let (q, v, f) = (&at.q[range.clone()], &at.v[range.clone()], &mut f[range.clone()]);
        self.clear(range.len());
        dynamics.external(at.t, &mut self.part)?;
        power.external += add(1.0, &self.part, v, f);
        self.clear(range.len());
        dynamics.internal(at.t, q, v, &mut self.part)?;
        power.viscous += add(-1.0, &self.part, v, f);
        self.clear(range.len());
        dynamics.inertial(q, v, &mut self.part)?;
        add(-1.0, &self.part, v, f);
        self.clear(range.len());
        dynamics.gradient(q, &mut self.part)?;
        add(-1.0, &self.part, v, f);
        Ok(())
    }

    fn clear(&mut self, n: usize) {
        self.part.clear();
        self.part.resize(n, 0.0);
    }

    pub(crate) fn poison(&mut self) {
        self.part.fill(f64::NAN);
    }
}

/// f ← f + sign · part; returns the power of what was added.
fn add(sign: f64, part: &[f64], v: &[f64], f: &mut [f64]) -> f64 {
    let mut power = 0.0;
    for ((f, part), v) in f.iter_mut().zip(part).zip(v) {
        *f += sign * part;
        power += sign * part * v;
    }
    power
}
