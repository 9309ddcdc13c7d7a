//! The Lagrangian systems of a model, each with matrices and forces of its own.
//!
//! ```text
//! M(q) v̇ + N(q, v) + F_int(t, q, v) + ∇V(q) = F_ext(t) + r,     q̇ = v
//! ```
//!
//! V is the conservative part of the forces, kept apart so that its energy is counted as potential energy. Each system is a dense mass
//! group, inverted at every pass. The family stands behind the linear systems: its places in q and v are the same. [Acary06, eq. (1)]

mod given;
mod motion;
mod works;

pub use given::{At, FiniteDifferences, Lagrangian};

use super::prescribed::{Prescribed, invert_masked, with_buffer};
use super::{Coeffs, KickDriftMotion, Layout, SmoothMotion, SystemFamily, ThetaMotion};
use crate::energy::Energies;
use crate::error::{StepError, StepResult};
use crate::model::instant::{Instant, Pass};
use crate::model::{Model, SparseRow, UserError};
use crate::part::Part;
use nonsmooth_solvers::MassGroups;
use std::ops::Range;

/// One system at its place in q and v.
pub(crate) struct LagrangianSystem {
    /// Its number in the order of registration.
    pub(crate) number: usize,
    /// Name for messages and results.
    pub(crate) name: String,
    /// Names of its coordinates.
    pub(crate) coordinates: Vec<String>,
    /// Its places in q and v.
    pub(crate) range: Range<usize>,
    /// Its matrices and forces.
    pub(crate) dynamics: Box<dyn Lagrangian>,
}

impl LagrangianSystem {
    /// ½ vᵀ M(q) v and V(q).
    fn energies(&self, at: &Instant<'_>) -> Result<Energies, UserError> {
        let (q, v) = (&at.q[self.range.clone()], &at.v[self.range.clone()]);
        let kinetic = self.with_mass(q, |mass| 0.5 * form(mass, v, v))?;
        Ok(Energies { kinetic, potential: self.dynamics.potential(q)? })
    }

    /// Shows M(q) to `look`.
    fn with_mass<T>(&self, q: &[f64], look: impl FnOnce(&[f64]) -> T) -> Result<T, UserError> {
        with_buffer(q.len() * q.len(), |mass| {
            self.dynamics.mass(q, mass)?;
            Ok(look(mass))
        })
    }

    /// out ← out + N + F_int + ∇V.
    fn add_left_forces(
        &self,
        (t, q, v): (f64, &[f64], &[f64]),
        part: &mut Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), UserError> {
        let (q, v) = (&q[self.range.clone()], &v[self.range.clone()]);
        for term in 0..3 {
            part.clear();
            part.resize(q.len(), 0.0);
            match term {
                0 => self.dynamics.inertial(q, v, part)?,
                1 => self.dynamics.internal(t, q, v, part)?,
                _ => self.dynamics.gradient(q, part)?,
            }
            out.iter_mut().zip(&*part).for_each(|(out, f)| *out += f);
        }
        Ok(())
    }
}

/// xᵀ A y for a dense row-major A.
fn form(a: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    (0..n).map(|i| x[i] * (0..n).map(|j| a[i * n + j] * y[j]).sum::<f64>()).sum()
}

/// The Lagrangian systems of a model.
pub struct LagrangianSystems {
    layout: Layout,
    systems: Vec<LagrangianSystem>,
    prescribed: Vec<Prescribed>,
    /// By place in the family.
    fixed: Vec<bool>,
    /// Number of the first dense mass group.
    first_dense: usize,
}

impl LagrangianSystems {
    /// The systems, whose places follow each other.
    pub(crate) fn new(
        systems: Vec<LagrangianSystem>,
        prescribed: Vec<Prescribed>,
        first_member: usize,
        first_dense: usize,
    ) -> Self {
        let first = systems.first().map_or(0, |system| system.range.start);
        let end = systems.last().map_or(0, |system| system.range.end);
        let members = first_member..first_member + systems.len();
        let (q, v) = (first..end, first..end);
        let layout = Layout { q, v, members, sees_velocities: true, ..Layout::default() };
        let mut fixed = vec![false; end - first];
        prescribed.iter().for_each(|p| fixed[p.index - first] = true);
        Self { layout, systems, prescribed, fixed, first_dense }
    }

    /// The chosen systems, with their numbers as members.
    fn chosen<'a>(&'a self, part: &Part<'a>) -> impl Iterator<Item = (usize, &'a LagrangianSystem)> {
        let first = self.layout.members.start;
        part.members.within(self.layout.members.clone()).map(move |k| (k, &self.systems[k - first]))
    }

    /// M̂⁻¹ of one system into its mass group.
    fn factor(
        &self,
        model: &Model,
        (number, system): (usize, &LagrangianSystem),
        at: &Pass<'_>,
        coeffs: Coeffs,
        mass: &mut MassGroups,
    ) -> StepResult {
        let (range, n) = (system.range.clone(), system.range.len());
        let in_system = || StepError::in_system(model, range.start);
        let inverse = mass.dense_mut(self.first_dense + number);
        inverse.fill(0.0);
        system.dynamics.mass(&at.mass.q[range.clone()], inverse).map_err(in_system())?;
        if coeffs != Coeffs::MASS {
            let end = At { t: at.end.t, q: &at.end.q[range.clone()], v: &at.end.v[range.clone()] };
            with_buffer(2 * n * n, |buffer| {
                let (damping, stiffness) = buffer.split_at_mut(n * n);
                system.dynamics.jacobians(end, damping, stiffness)?;
                for k in 0..n * n {
                    inverse[k] += coeffs.damping * damping[k] + coeffs.stiffness * stiffness[k];
                }
                Ok(())
            })
            .map_err(in_system())?;
        }
        let first = range.start - self.layout.v.start;
        if invert_masked(inverse, n, |k| self.fixed[first + k], &mut Vec::new()) {
            return Ok(());
        }
        let system = system.name.clone();
        let error = match coeffs {
            Coeffs::MASS => StepError::SingularMass { system },
            _ => StepError::Singular { system },
        };
        Err(error.into())
    }
}

impl SystemFamily for LagrangianSystems {
    fn name(&self) -> &'static str {
        "Lagrangian systems"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn velocity_name(&self, _model: &Model, i: usize) -> (String, String) {
        let system = self.systems.iter().find(|system| system.range.contains(&i));
        let system = system.expect("every coordinate belongs to a system");
        (system.name.clone(), system.coordinates[i - system.range.start].clone())
    }

    fn member_of(&self, i: usize) -> usize {
        let own = self.systems.iter().position(|system| system.range.contains(&i));
        self.layout.members.start + own.expect("every velocity belongs to a system")
    }

    fn push_groups(&self, _model: &Model, mass: &mut MassGroups) {
        for system in &self.systems {
            let velocities: Vec<u32> = system.range.clone().map(|i| i as u32).collect();
            mass.push_dense(&velocities);
        }
    }

    fn retract(&self, part: &Part<'_>, q: &[f64], step: &[f64], q_next: &mut [f64]) {
        for (_, system) in self.chosen(part) {
            system.range.clone().for_each(|i| q_next[i] = q[i] + step[i]);
        }
    }

    fn pull_back(&self, coordinate: usize, _q: &[f64], slope: f64, row: &mut SparseRow) {
        row.add(coordinate, slope);
    }

    #[inline(never)]
    fn factorize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        coeffs: Coeffs,
        _mass_known: bool,
        mass: &mut MassGroups,
    ) -> StepResult {
        if coeffs != Coeffs::MASS {
            mass.set_symmetric(false);
        }
        let first = self.layout.members.start;
        for (member, system) in self.chosen(part) {
            self.factor(model, (member - first, system), at, coeffs, mass)?;
        }
        mass.mark_changed();
        Ok(())
    }

    fn times(
        &self,
        model: &Model,
        at: &Instant<'_>,
        [m, c, k]: [f64; 3],
        x: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        for system in &self.systems {
            let (range, n) = (system.range.clone(), system.range.len());
            let own = At { t: at.t, q: &at.q[range.clone()], v: &at.v[range.clone()] };
            let (x, out) = (&x[range.clone()], &mut out[range.clone()]);
            let made: Result<(), UserError> = with_buffer(3 * n * n, |buffer| {
                let (mass, rest) = buffer.split_at_mut(n * n);
                let (damping, stiffness) = rest.split_at_mut(n * n);
                system.dynamics.mass(own.q, mass)?;
                if (c, k) != (0.0, 0.0) {
                    system.dynamics.jacobians(own, damping, stiffness)?;
                }
                for (weight, matrix) in [(m, &*mass), (c, &*damping), (k, &*stiffness)] {
                    for i in 0..n {
                        out[i] += weight * (0..n).map(|j| matrix[i * n + j] * x[j]).sum::<f64>();
                    }
                }
                Ok(())
            });
            made.map_err(StepError::in_system(model, range.start))?;
        }
        Ok(())
    }

    #[inline(never)]
    fn energies(&self, model: &Model, at: &Instant<'_>, total: &mut Energies) -> StepResult {
        let mut sum = Energies::default();
        for system in &self.systems {
            let own = system.energies(at).map_err(StepError::in_system(model, system.range.start))?;
            let value = own.kinetic + own.potential;
            if !value.is_finite() {
                let (system, coordinate) = (system.name.clone(), "(all)".to_owned());
                return Err(StepError::NotFinite { what: "energy", system, coordinate, value }.into());
            }
            sum += own;
        }
        *total += sum;
        Ok(())
    }

    fn spoils_energy(&self, _model: &Model) -> Option<(&'static str, String)> {
        self.systems.first().map(|system| ("nonlinear dynamics of system", system.name.clone()))
    }

    fn prescribed(&self) -> &[Prescribed] {
        &self.prescribed
    }

    fn theta(&self) -> Option<&dyn ThetaMotion> {
        Some(self)
    }

    fn kick_drift(&self) -> Option<&dyn KickDriftMotion> {
        Some(self)
    }

    fn smooth(&self) -> Option<&dyn SmoothMotion> {
        Some(self)
    }
}
