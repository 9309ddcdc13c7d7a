//! The first-order form of a Lagrangian model: ẋ = f(t, x) + (0, M⁻¹ r), x = (q, v).
//!
//! [Acary06, eq. (2)–(3)] For comparison with ordinary differential equation solvers, and for those who
//! want to bring their own. Constraints enter only through the generalized force r.

use super::{Model, State, UserError};
use nonsmooth_solvers::{Factor, FactorError, eliminate};
use thiserror::Error;

/// The model as a first-order system in x = (q, v).
pub struct FirstOrderForm<'a> {
    model: &'a Model,
    mass: Option<Factor>,
}

/// Why the right-hand side could not be evaluated.
#[derive(Debug, Error)]
pub enum FirstOrderError {
    /// A function of the user failed.
    #[error("{0}")]
    User(#[from] UserError),
    /// M(q) is singular there.
    #[error("the mass matrix of system `{system}` is singular")]
    Singular {
        /// Name of the system.
        system: String,
    },
    /// The mass matrix of the linear systems has no factors.
    #[error("{0}")]
    Factor(#[from] FactorError),
}

impl<'a> FirstOrderForm<'a> {
    /// Factors the constant mass matrix once.
    pub fn new(model: &'a Model) -> Result<Self, FirstOrderError> {
        let mass = if model.linear.n > 0 {
            let matrix = &model.linear.mass;
            let mut factor = Factor::analyse(matrix, true)?;
            factor.factor(|k, _, _| matrix.value[k])?;
            Some(factor)
        } else {
            None
        };
        Ok(Self { model, mass })
    }

    /// x = (q, v) of a state.
    pub fn pack(&self, state: &State) -> Vec<f64> {
        [&state.q[..], &state.v[..]].concat()
    }

    /// ẋ at (t, x) under the generalized force `r` [N].
    pub fn derivative(&mut self, t: f64, x: &[f64], r: &[f64]) -> Result<Vec<f64>, FirstOrderError> {
        let n = self.model.n_velocities();
        let (q, v) = x.split_at(n);
        let mut acceleration = r.to_vec();
        let linear = &self.model.linear;
        let (head, _) = acceleration.split_at_mut(linear.n);
        for (i, a) in head.iter_mut().enumerate() {
            *a += linear.load[i];
        }
        for (range, force) in &linear.forces {
            let mut part = vec![0.0; range.len()];
            force(t, &mut part)?;
            head[range.clone()].iter_mut().zip(part).for_each(|(a, f)| *a += f);
        }
        if let Some(damping) = &linear.damping {
            damping.multiply_add(-1.0, v, head);
        }
        if let Some(stiffness) = &linear.stiffness {
            stiffness.multiply_add(-1.0, q, head);
        }
        if let Some(mass) = &mut self.mass {
            mass.solve(head);
        }
        for i in 0..self.model.user.len() {
            self.user_acceleration(i, t, x, &mut acceleration)?;
        }
        Ok([v, &acceleration[..]].concat())
    }

    fn user_acceleration(
        &self,
        i: usize,
        t: f64,
        x: &[f64],
        acceleration: &mut [f64],
    ) -> Result<(), FirstOrderError> {
        let system = &self.model.user[i];
        let (range, n) = (system.range.clone(), system.range.len());
        let (q, v) = x.split_at(x.len() / 2);
        let (q, v) = (&q[range.clone()], &v[range.clone()]);
        let a = &mut acceleration[range.clone()];
        let mut part = vec![0.0; n];
        system.dynamics.external(t, &mut part)?;
        a.iter_mut().zip(&part).for_each(|(a, f)| *a += f);
        let mut subtract = |fill: &dyn Fn(&mut [f64]) -> Result<(), UserError>| {
            part.fill(0.0);
            fill(&mut part)?;
            a.iter_mut().zip(&part).for_each(|(a, f)| *a -= f);
            Ok::<(), UserError>(())
        };
        subtract(&|out| system.dynamics.inertial(q, v, out))?;
        subtract(&|out| system.dynamics.internal(t, q, v, out))?;
        subtract(&|out| system.dynamics.gradient(q, out))?;
        let mut mass = vec![0.0; n * n];
        system.dynamics.mass(q, &mut mass)?;
        if !eliminate(&mut mass, a) {
            let system = self.model.coordinate_name(range.start).0.to_owned();
            return Err(FirstOrderError::Singular { system });
        }
        Ok(())
    }
}
