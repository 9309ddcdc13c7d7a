//! Rigid bodies in space.
//!
//! ```text
//! q = (x, unit quaternion [w, x, y, z]),   v = (ẋ, ω)      ω in body axes in the state, in world axes while a step works
//! m v̇ = m g + f + …,     J ω̇ + ω × J ω = Rᵀ τ + …,     q̇ = ½ q (0, ω)
//! ```
//!
//! The centre of mass is the origin of a body. How a body turns within a step is in `spatial_motion.rs`. [Trinkle08; Acary10]

use super::{Coeffs, KickDriftMotion, Layout, SmoothMotion, SystemFamily, ThetaMotion};
use crate::energy::{Energies, Works};
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::{
    BodyRow, RigidState, components, exponential, logarithm, quaternion, to_body,
};
use crate::model::{Model, SparseRow};
use crate::part::{Part, Selection};
use glam::DVec3;
use nonsmooth_solvers::{Inertia, MassGroups};

/// Names of the coordinates of a body.
const COORDINATES: [&str; 7] = ["x", "y", "z", "q_w", "q_x", "q_y", "q_z"];
/// Names of its velocities.
const VELOCITIES: [&str; 6] = ["v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"];

/// All bodies in space; they stand in the table of rigid things at the places of the family's members.
pub struct SpatialBodies {
    layout: Layout,
}

/// A body of the family: its number, and its first places in q and v.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) i: usize,
    pub(super) q: usize,
    pub(super) v: usize,
}

impl SpatialBodies {
    /// The bodies at `layout.members` of the table.
    pub fn new(layout: Layout) -> Self {
        Self { layout: Layout { is_linear: true, ..layout } }
    }

    /// Chosen members.
    pub(super) fn chosen<'a>(&self, members: Selection<'a>) -> impl Iterator<Item = Spot> + use<'a> {
        let Layout { q, v, members: own, .. } = self.layout.clone();
        let first = own.start;
        members.within(own).map(move |i| Spot {
            i,
            q: q.start + 7 * (i - first),
            v: v.start + 6 * (i - first),
        })
    }

    /// All members that are there, with their rows of the table.
    pub(super) fn present<'m>(
        &self,
        model: &'m Model,
        at: &Instant<'m>,
    ) -> impl Iterator<Item = (Spot, &'m BodyRow)> + use<'m> {
        let presence = at.presence;
        self.chosen(Selection::All)
            .filter(|spot| crate::model::rigid::is_present(presence, spot.i))
            .map(|spot| (spot, &model.rigid.bodies[spot.i]))
    }
}

/// Three neighbouring numbers.
#[inline]
pub(super) fn vector(x: &[f64], first: usize) -> DVec3 {
    DVec3::new(x[first], x[first + 1], x[first + 2])
}

/// Writes three neighbouring numbers.
#[inline]
pub(super) fn put(x: &mut [f64], first: usize, value: DVec3) {
    value.write_to_slice(&mut x[first..first + 3]);
}

/// Adds to three neighbouring numbers.
#[inline]
pub(super) fn add(x: &mut [f64], first: usize, value: DVec3) {
    let sum = vector(x, first) + value;
    put(x, first, sum);
}

impl SystemFamily for SpatialBodies {
    fn name(&self) -> &'static str {
        "bodies in space"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn velocity_name(&self, model: &Model, i: usize) -> (String, String) {
        let k = i - self.layout.v.start;
        let body = &model.rigid.bodies[self.layout.members.start + k / 6];
        (body.name.clone(), VELOCITIES[k % 6].to_owned())
    }

    fn coordinate_name(&self, model: &Model, i: usize) -> (String, String) {
        let k = i - self.layout.q.start;
        let body = &model.rigid.bodies[self.layout.members.start + k / 7];
        (body.name.clone(), COORDINATES[k % 7].to_owned())
    }

    fn push_groups(&self, _model: &Model, _mass: &mut MassGroups) {}

    fn retract(&self, part: &Part<'_>, q: &[f64], step: &[f64], q_next: &mut [f64]) {
        for Spot { q: at, v, .. } in self.chosen(part.members) {
            put(q_next, at, vector(q, at) + vector(step, v));
            let turn = vector(step, v + 3);
            let old = &q[at + 3..at + 7];
            if turn == DVec3::ZERO {
                q_next[at + 3..at + 7].copy_from_slice(old);
            } else {
                let turned = (quaternion(old) * exponential(turn)).normalize();
                q_next[at + 3..at + 7].copy_from_slice(&components(turned));
            }
        }
    }

    fn difference(&self, q: &[f64], to: &[f64], step: &mut [f64]) {
        for Spot { q: at, v, .. } in self.chosen(Selection::All) {
            put(step, v, vector(to, at) - vector(q, at));
            let turn = quaternion(&q[at + 3..at + 7]).inverse() * quaternion(&to[at + 3..at + 7]);
            put(step, v + 3, logarithm(turn));
        }
    }

    fn pull_back(&self, coordinate: usize, q: &[f64], slope: f64, row: &mut SparseRow) {
        let k = coordinate - self.layout.q.start;
        let (body, place) = (k / 7, k % 7);
        let v = self.layout.v.start + 6 * body;
        if place < 3 {
            return row.add(v + place, slope);
        }
        let at = self.layout.q.start + 7 * body + 3;
        let [w, x, y, z] = [q[at], q[at + 1], q[at + 2], q[at + 3]];
        // q̇ = ½ (0, ω) q with ω in world axes.
        let slopes = match place {
            3 => [-x, -y, -z],
            4 => [w, z, -y],
            5 => [-z, w, x],
            _ => [y, -x, w],
        };
        for (k, of) in slopes.into_iter().enumerate() {
            row.add(v + 3 + k, 0.5 * slope * of);
        }
    }

    fn to_working(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        for Spot { q: at, v: first, .. } in self.chosen(Selection::All) {
            put(out, first, vector(v, first));
            let omega = vector(v, first + 3);
            put(
                out,
                first + 3,
                if omega == DVec3::ZERO { omega } else { quaternion(&q[at + 3..]) * omega },
            );
        }
    }

    fn to_state(&self, q: &[f64], v: &mut [f64]) {
        for Spot { q: at, v: first, .. } in self.chosen(Selection::All) {
            let omega = vector(v, first + 3);
            if omega != DVec3::ZERO {
                put(v, first + 3, to_body(quaternion(&q[at + 3..]), omega));
            }
        }
    }

    fn rigid_states(&self, q: &[f64], v: &[f64], out: &mut [RigidState]) {
        for Spot { i, q: at, v: first } in self.chosen(Selection::All) {
            let rotation = quaternion(&q[at + 3..]);
            let omega = vector(v, first + 3);
            out[i] = RigidState {
                position: vector(q, at),
                rotation,
                velocity: vector(v, first),
                spin: if omega == DVec3::ZERO { omega } else { rotation * omega },
            };
        }
    }

    fn factorize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        _coeffs: Coeffs,
        mass_known: bool,
        mass: &mut MassGroups,
    ) -> StepResult {
        let groups = mass.bodies_mut();
        let mut changed = false;
        for Spot { i, .. } in self.chosen(part.members) {
            let body = &model.rigid.bodies[i];
            if mass_known && body.is_round {
                continue;
            }
            let inertia = if at.now.is_present(i) {
                let inv_inertia = body.world_inv_inertia(at.now.rigid[i].rotation).0;
                Inertia { inv_mass: 1.0 / body.mass, inv_inertia }
            } else {
                Inertia::default()
            };
            if groups[i] != inertia {
                groups[i] = inertia;
                changed = true;
            }
        }
        if changed {
            mass.mark_changed();
        }
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
        for (Spot { i, v, .. }, body) in self.present(model, at) {
            add(out, v, mck[0] * body.mass * vector(x, v));
            let turning = body.world_inertia_times(at.rigid[i].rotation, vector(x, v + 3));
            add(out, v + 3, mck[0] * turning);
        }
        Ok(())
    }

    fn energies(&self, model: &Model, at: &Instant<'_>, total: &mut Energies) -> StepResult {
        let mut sum = Energies::default();
        for (Spot { i, .. }, body) in self.present(model, at) {
            let RigidState { position, rotation, velocity, spin } = at.rigid[i];
            let turning = spin.dot(body.world_inertia_times(rotation, spin));
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

impl SmoothMotion for SpatialBodies {
    fn rate(&self, q: &[f64], v: &[f64], q_dot: &mut [f64]) {
        for Spot { q: at, v: first, .. } in self.chosen(Selection::All) {
            put(q_dot, at, vector(v, first));
            let omega = vector(v, first + 3);
            let spin = glam::DQuat::from_xyzw(0.5 * omega.x, 0.5 * omega.y, 0.5 * omega.z, 0.0);
            let rate = quaternion(&q[at + 3..]) * spin;
            q_dot[at + 3..at + 7].copy_from_slice(&components(rate));
        }
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        for Spot { q: at, v, .. } in self.chosen(Selection::All) {
            (0..3).for_each(|k| out[v + k] = q[at + k].abs());
            out[v + 3..v + 6].fill(1.0);
        }
    }

    fn normalize(&self, q: &mut [f64]) {
        for Spot { q: at, .. } in self.chosen(Selection::All) {
            let unit = quaternion(&q[at + 3..]).normalize();
            q[at + 3..at + 7].copy_from_slice(&components(unit));
        }
    }

    fn forces(
        &self,
        model: &Model,
        at: &Instant<'_>,
        out: &mut [f64],
        _power: &mut Works,
    ) -> StepResult {
        for (Spot { i, v, .. }, body) in self.present(model, at) {
            add(out, v, body.mass * model.rigid.gravity);
            if !body.is_round {
                let RigidState { rotation, spin, .. } = at.rigid[i];
                add(out, v + 3, -spin.cross(body.world_inertia_times(rotation, spin)));
            }
        }
        Ok(())
    }

    fn gradient(&self, model: &Model, _q: &[f64], out: &mut [f64]) -> StepResult {
        for Spot { i, v, .. } in self.chosen(Selection::All) {
            add(out, v, -model.rigid.bodies[i].mass * model.rigid.gravity);
        }
        Ok(())
    }
}
