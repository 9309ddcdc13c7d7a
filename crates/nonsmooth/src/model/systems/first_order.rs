//! First-order systems: states without positions.
//!
//! ```text
//! ẋ = A x + b(t) + r          θ: (I − hθ A)(x_free − x) = h (A x + θ b⁺ + (1−θ) b)
//! ```
//!
//! v holds x; nothing of it stands in q. What is not linear, and what other systems do to it, is r: relations and couplings
//! (`model/relations`). The family stands behind all others in v. [Acary06, eq. (3), (8), (9)]

use super::TimeForce;
use super::{Coeffs, Layout, SystemFamily, ThetaMotion};
use crate::energy::{Energies, Works};
use crate::error::{StepError, StepResult};
use crate::model::errors::check_finite_from;
use crate::model::instant::{Instant, Pass};
use crate::model::systems::prescribed::invert_masked;
use crate::model::systems::{Free, Theta, ThetaStep};
use crate::model::{Model, SparseRow, UserError};
use crate::part::Part;
use nonsmooth_solvers::{MassGroups, Sparse};
use std::ops::Range;

/// A first-order system ẋ = A x + b(t) + r.
pub struct FirstOrder {
    /// Name for messages and results.
    pub name: String,
    /// Names of its states.
    pub states: Vec<String>,
    /// A [1/s in the units of the states].
    pub matrix: Option<Sparse>,
    /// b(t), where it is not zero.
    pub input: Option<TimeForce>,
    /// Initial values.
    pub x: Vec<f64>,
}

impl FirstOrder {
    /// ẋ = r, starting at `x`, with states `x0`, `x1`, ….
    pub fn new(name: &str, x: &[f64]) -> Self {
        Self {
            name: name.to_owned(),
            states: (0..x.len()).map(|i| format!("x{i}")).collect(),
            matrix: None,
            input: None,
            x: x.to_vec(),
        }
    }

    /// Names the states.
    pub fn states(mut self, states: &[&str]) -> Self {
        self.states = states.iter().map(|&state| state.to_owned()).collect();
        self
    }

    /// Sets A.
    pub fn matrix(mut self, matrix: Sparse) -> Self {
        self.matrix = Some(matrix);
        self
    }

    /// Sets b(t).
    pub fn input(
        mut self,
        input: impl Fn(f64, &mut [f64]) -> Result<(), UserError> + Send + Sync + 'static,
    ) -> Self {
        self.input = Some(Box::new(input));
        self
    }
}

/// The first-order systems of a model.
pub struct FirstOrderSystems {
    layout: Layout,
    systems: Vec<(Range<usize>, FirstOrder)>,
    /// Number of the first dense mass group.
    first_dense: usize,
}

impl FirstOrderSystems {
    /// The systems, whose places in v follow each other.
    pub(crate) fn new(
        systems: Vec<(Range<usize>, FirstOrder)>,
        n_coordinates: usize,
        first_member: usize,
        first_dense: usize,
    ) -> Self {
        let first = systems.first().map_or(0, |(range, _)| range.start);
        let end = systems.last().map_or(0, |(range, _)| range.end);
        let layout = Layout {
            q: n_coordinates..n_coordinates,
            v: first..end,
            members: first_member..first_member + systems.len(),
            is_linear: true,
            keeps_energy: true,
            sees_velocities: true,
            ..Layout::default()
        };
        Self { layout, systems, first_dense }
    }

    /// Adds weight · b(t) of one system to its places of `out`.
    fn add_input(
        &self,
        model: &Model,
        (range, system): &(Range<usize>, FirstOrder),
        (t, weight): (f64, f64),
        (scratch, out): (&mut Vec<f64>, &mut [f64]),
    ) -> StepResult {
        let Some(input) = system.input.as_ref().filter(|_| weight != 0.0) else { return Ok(()) };
        scratch.clear();
        scratch.resize(range.len(), 0.0);
        input(t, scratch).map_err(StepError::in_system(model, range.start))?;
        check_finite_from(model, "b(t)", range.start, scratch)?;
        out[range.clone()].iter_mut().zip(&*scratch).for_each(|(out, b)| *out += weight * b);
        Ok(())
    }
}

impl SystemFamily for FirstOrderSystems {
    fn name(&self) -> &'static str {
        "first-order systems"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn velocity_name(&self, _model: &Model, i: usize) -> (String, String) {
        let found = self.systems.iter().find(|(range, _)| range.contains(&i));
        let (range, system) = found.expect("every state belongs to a system");
        (system.name.clone(), system.states[i - range.start].clone())
    }

    fn member_of(&self, i: usize) -> usize {
        let own = self.systems.iter().position(|(range, _)| range.contains(&i));
        self.layout.members.start + own.expect("every state belongs to a system")
    }

    fn is_first_order(&self) -> bool {
        true
    }

    fn push_groups(&self, _model: &Model, mass: &mut MassGroups) {
        for (range, _) in &self.systems {
            let states: Vec<u32> = range.clone().map(|i| i as u32).collect();
            mass.push_dense(&states);
        }
    }

    fn retract(&self, _part: &Part<'_>, _q: &[f64], _step: &[f64], _q_next: &mut [f64]) {}

    fn difference(&self, _q: &[f64], _to: &[f64], step: &mut [f64]) {
        step[self.layout.v.clone()].fill(0.0);
    }

    fn pull_back(&self, _coordinate: usize, _q: &[f64], _slope: f64, _row: &mut SparseRow) {}

    fn factorize(
        &self,
        _model: &Model,
        _part: &Part<'_>,
        _at: &Pass<'_>,
        coeffs: Coeffs,
        mass_known: bool,
        mass: &mut MassGroups,
    ) -> StepResult {
        if mass_known {
            return Ok(());
        }
        mass.set_symmetric(false);
        for (number, (range, system)) in self.systems.iter().enumerate() {
            let n = range.len();
            let inverse = mass.dense_mut(self.first_dense + number);
            inverse.fill(0.0);
            for i in 0..n {
                inverse[i * n + i] = 1.0;
                let Some(matrix) = &system.matrix else { continue };
                let (columns, values) = matrix.row(i);
                for (&j, &a) in columns.iter().zip(values) {
                    inverse[i * n + j as usize] -= coeffs.damping * a;
                }
            }
            if !invert_masked(inverse, n, |_| false, &mut Vec::new()) {
                return Err(StepError::SingularStates { system: system.name.clone() }.into());
            }
        }
        mass.mark_changed();
        Ok(())
    }

    /// States have neither mass nor energy.
    fn times(
        &self,
        _model: &Model,
        _at: &Instant<'_>,
        _mck: [f64; 3],
        _x: &[f64],
        _out: &mut [f64],
    ) -> StepResult {
        Ok(())
    }

    fn energies(&self, _model: &Model, _at: &Instant<'_>, _total: &mut Energies) -> StepResult {
        Ok(())
    }

    fn spoils_energy(&self, _model: &Model) -> Option<(&'static str, String)> {
        self.systems.first().map(|(_, system)| ("first-order system", system.name.clone()))
    }

    fn theta(&self) -> Option<&dyn ThetaMotion> {
        Some(self)
    }
}

impl ThetaMotion for FirstOrderSystems {
    fn free_motion(
        &self,
        model: &Model,
        _part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        let Theta { h, theta } = rule;
        let Free { v, external, scratch, .. } = free;
        for (k, own) in self.systems.iter().enumerate() {
            let (range, system) = own;
            v[range.clone()].fill(0.0);
            if !external.is_empty() {
                v[range.clone()].copy_from_slice(&external[range.clone()]);
            }
            if let Some(matrix) = &system.matrix {
                matrix.multiply_add(h, &at.now.v[range.clone()], &mut v[range.clone()]);
            }
            self.add_input(model, own, (at.end.t, h * theta), (&mut *scratch, &mut *v))?;
            self.add_input(model, own, (at.now.t, h * (1.0 - theta)), (&mut *scratch, &mut *v))?;
            mass.solve_group(self.layout.members.start + k, v, scratch);
            range.clone().for_each(|i| v[i] += at.now.v[i]);
        }
        check_finite_from(model, "state", self.layout.v.start, &v[self.layout.v.clone()])
    }

    fn works(&self, _model: &Model, _step: &ThetaStep<'_>, _works: &mut Works) -> StepResult {
        Ok(())
    }
}
