//! Rigid bodies in the plane.
//!
//! ```text
//! q = (x, y, φ),   v = (ẋ, ẏ, φ̇)          m v̇ = m g + f + …,     J φ̈ = τ + …
//! ```
//!
//! Everything is linear: working axes are those of the state, M is constant. The centre of mass is the origin of a body.

use super::{
    Coeffs, Free, KickDriftMotion, Layout, SmoothMotion, SystemFamily, Theta, ThetaMotion, ThetaStep,
};
use crate::energy::{Energies, Works};
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::{BodyRow, RigidState, is_present};
use crate::model::{Model, Presence, SparseRow};
use crate::part::{Part, Selection};
use glam::{DQuat, DVec3};
use nonsmooth_solvers::{Inertia, MassGroups};

/// Names of the coordinates of a body.
const COORDINATES: [&str; 3] = ["x", "y", "phi"];
/// Names of its velocities.
const VELOCITIES: [&str; 3] = ["v_x", "v_y", "v_phi"];

/// All bodies in the plane; they stand in the table of rigid things at the places of the family's members.
pub struct PlanarBodies {
    layout: Layout,
}

impl PlanarBodies {
    /// The bodies at `layout.members` of the table.
    pub fn new(layout: Layout) -> Self {
        Self { layout: Layout { is_linear: true, ..layout } }
    }

    /// Chosen members: their numbers, and their first places in q and v.
    fn chosen<'a>(
        &self,
        members: Selection<'a>,
    ) -> impl Iterator<Item = (usize, usize, usize)> + use<'a> {
        let Layout { q, v, members: own, .. } = self.layout.clone();
        members
            .within(own.clone())
            .map(move |i| (i, q.start + 3 * (i - own.start), v.start + 3 * (i - own.start)))
    }

    /// All members with their rows of the table and their first places in v.
    fn rows<'m>(&self, model: &'m Model) -> impl Iterator<Item = (usize, &'m BodyRow, usize)> + use<'m> {
        self.chosen(Selection::All).map(|(i, _, v)| (i, &model.rigid.bodies[i], v))
    }
}

/// m g of a body, over its velocities.
fn weight(model: &Model, body: &BodyRow) -> [f64; 3] {
    let g = model.rigid.gravity;
    [body.mass * g.x, body.mass * g.y, 0.0]
}

/// 1/m, 1/m, 1/J of a body.
fn inverse_mass(body: &BodyRow) -> [f64; 3] {
    [1.0 / body.mass, 1.0 / body.mass, body.inv_inertia.0[2]]
}

/// m, m, J of a body.
fn mass_of(body: &BodyRow) -> [f64; 3] {
    [body.mass, body.mass, body.inertia.0[2]]
}

impl SystemFamily for PlanarBodies {
    fn name(&self) -> &'static str {
        "bodies in the plane"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn velocity_name(&self, model: &Model, i: usize) -> (String, String) {
        let k = i - self.layout.v.start;
        let body = &model.rigid.bodies[self.layout.members.start + k / 3];
        (body.name.clone(), VELOCITIES[k % 3].to_owned())
    }

    fn coordinate_name(&self, model: &Model, i: usize) -> (String, String) {
        let k = i - self.layout.q.start;
        let body = &model.rigid.bodies[self.layout.members.start + k / 3];
        (body.name.clone(), COORDINATES[k % 3].to_owned())
    }

    fn push_groups(&self, _model: &Model, _mass: &mut MassGroups) {}

    fn retract(&self, part: &Part<'_>, q: &[f64], step: &[f64], q_next: &mut [f64]) {
        for (_, at, v) in self.chosen(part.members) {
            for k in 0..3 {
                q_next[at + k] = q[at + k] + step[v + k];
            }
        }
    }

    fn pull_back(&self, coordinate: usize, _q: &[f64], slope: f64, row: &mut SparseRow) {
        row.add(coordinate - self.layout.q.start + self.layout.v.start, slope);
    }

    fn rigid_states(&self, q: &[f64], v: &[f64], out: &mut [RigidState]) {
        for (i, at, first) in self.chosen(Selection::All) {
            out[i] = RigidState {
                position: DVec3::new(q[at], q[at + 1], 0.0),
                rotation: DQuat::from_rotation_z(q[at + 2]),
                velocity: DVec3::new(v[first], v[first + 1], 0.0),
                spin: DVec3::new(0.0, 0.0, v[first + 2]),
            };
        }
    }

    fn factorize(
        &self,
        model: &Model,
        _part: &Part<'_>,
        at: &Pass<'_>,
        _coeffs: Coeffs,
        mass_known: bool,
        mass: &mut MassGroups,
    ) -> StepResult {
        if mass_known {
            return Ok(());
        }
        let groups = mass.bodies_mut();
        for (i, body, _) in self.rows(model) {
            groups[i] = if at.now.is_present(i) {
                Inertia { inv_mass: 1.0 / body.mass, inv_inertia: body.inv_inertia.0 }
            } else {
                Inertia::default()
            };
        }
        mass.mark_changed();
        Ok(())
    }

    fn times(
        &self,
        model: &Model,
        at: &Instant<'_>,
        mck: [f64; 3],
        x: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        for (_, body, v) in self.rows(model).filter(|(i, ..)| at.is_present(*i)) {
            let mass = mass_of(body);
            (0..3).for_each(|k| out[v + k] += mck[0] * mass[k] * x[v + k]);
        }
        Ok(())
    }

    fn energies(&self, model: &Model, at: &Instant<'_>, total: &mut Energies) -> StepResult {
        let mut sum = Energies::default();
        for (i, body, _) in self.rows(model).filter(|(i, ..)| at.is_present(*i)) {
            let RigidState { position, velocity, spin, .. } = at.rigid[i];
            let turning = body.inertia.0[2] * spin.z * spin.z;
            sum.kinetic += 0.5 * (body.mass * velocity.length_squared() + turning);
            sum.potential -= body.mass * model.rigid.gravity.dot(position);
        }
        *total += sum;
        Ok(())
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

impl ThetaMotion for PlanarBodies {
    fn free_motion(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        _mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        let g = model.rigid.gravity;
        for (i, _, v) in self.chosen(part.members) {
            for k in 0..3 {
                free.v[v + k] = at.now.v[v + k];
            }
            if !at.now.is_present(i) {
                continue;
            }
            free.v[v] += rule.h * g.x;
            free.v[v + 1] += rule.h * g.y;
            if !free.external.is_empty() {
                let inverse = inverse_mass(&model.rigid.bodies[i]);
                (0..3).for_each(|k| free.v[v + k] += inverse[k] * free.external[v + k]);
            }
        }
        Ok(())
    }

    fn works(&self, model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        super::bodies_works(self.layout.v.clone(), step, works);
        if step.phi != 0.5 {
            for (_, body, v) in self.rows(model).filter(|(i, ..)| step.now.is_present(*i)) {
                let mass = mass_of(body);
                let form: f64 =
                    (0..3).map(|k| mass[k] * (step.next.v[v + k] - step.now.v[v + k]).powi(2)).sum();
                works.scheme -= (step.phi - 0.5) * form;
            }
        }
        Ok(())
    }
}

impl KickDriftMotion for PlanarBodies {
    fn kick(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        (length, kicked): (f64, &[f64]),
        _mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        let g = model.rigid.gravity;
        for (i, _, v) in self.chosen(part.members) {
            free.v[v..v + 3].copy_from_slice(&kicked[v..v + 3]);
            if !at.is_present(i) {
                continue;
            }
            free.v[v] += length * g.x;
            free.v[v + 1] += length * g.y;
            if !free.external.is_empty() {
                let inverse = inverse_mass(&model.rigid.bodies[i]);
                (0..3).for_each(|k| free.v[v + k] += inverse[k] * free.external[v + k]);
            }
        }
        Ok(())
    }

    fn drift(
        &self,
        _model: &Model,
        part: &Part<'_>,
        presence: &[Presence],
        dt: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> StepResult {
        for (_, at, first) in self.chosen(part.members).filter(|(i, ..)| is_present(presence, *i)) {
            (0..3).for_each(|k| q[at + k] += dt * v[first + k]);
        }
        Ok(())
    }
}

impl SmoothMotion for PlanarBodies {
    fn rate(&self, _q: &[f64], v: &[f64], q_dot: &mut [f64]) {
        q_dot[self.layout.q.clone()].copy_from_slice(&v[self.layout.v.clone()]);
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        for (_, at, v) in self.chosen(Selection::All) {
            (0..2).for_each(|k| out[v + k] = q[at + k].abs());
            // Sine and cosine of a small angle have the rounding of 1.
            out[v + 2] = q[at + 2].abs().max(1.0);
        }
    }

    fn forces(
        &self,
        model: &Model,
        at: &Instant<'_>,
        out: &mut [f64],
        _power: &mut Works,
    ) -> StepResult {
        for (_, body, v) in self.rows(model).filter(|(i, ..)| at.is_present(*i)) {
            let weight = weight(model, body);
            (0..3).for_each(|k| out[v + k] += weight[k]);
        }
        Ok(())
    }

    fn gradient(&self, model: &Model, _q: &[f64], out: &mut [f64]) -> StepResult {
        for (_, body, v) in self.rows(model) {
            let weight = weight(model, body);
            (0..3).for_each(|k| out[v + k] -= weight[k]);
        }
        Ok(())
    }
}
