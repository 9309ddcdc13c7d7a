//! The acceleration of contact points beside J v̇.
//!
//! ```text
//! d/ds u(q ⊕ s v; v) at s = 0, at the point and along the axes of each instant, + J v̇ of kinematic bodies
//! ```
//!
//! By differences of sixth order along motion with constant twists; the features of the contact stay.

use super::{Contacts, pair_of};
use crate::error::StepResult;
use crate::model::Model;
use crate::model::collision::{along, frame_of, pose_of};
use crate::model::constraints::ActiveConstraints;
use crate::model::instant::Instant;
use crate::model::rigid::{RigidId, RigidState, RigidTable, exponential};
use glam::DVec3;

impl Contacts {
    /// d²y/dt² of constraint `c` beside J v̇, and the same along tangents, into the places of its rows.
    pub(super) fn curve(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        c: usize,
        out: &mut [f64],
    ) -> StepResult {
        let pair = pair_of(&model.rigid, active.ids[c]);
        let states = pair.map(|id| at.rigid(id));
        let ahead = difference_length(&model.rigid, pair, states);
        let sides = [1.0, 2.0, 3.0]
            .map(|n: f64| [-n, n].map(|n| self.velocity_along(active, c, states, n * ahead)));
        let point = DVec3::from_array(active.places[c - active.first_contact][0]);
        let frame = self.frame(active, c);
        for (k, row) in active.rows(c).enumerate() {
            let [one, two, three] = sides.map(|[low, high]| high[k] - low[k]);
            out[row] = (0.75 * one - 0.15 * two + three / 60.0) / ahead;
            let axis = DVec3::from_array(frame[k]);
            let on = [(0, -axis), (1, axis)].map(|(side, axis)| {
                let moment = (point - states[side].position).cross(axis);
                [axis.x, axis.y, axis.z, moment.x, moment.y, moment.z]
            });
            out[row] += model.rigid.driven_acceleration(pair, at.t, [&on[0], &on[1]])?;
        }
        Ok(())
    }

    /// u of constraint `c` at its own point and axes, `dt` along motion with constant velocities.
    fn velocity_along(
        &self,
        active: &ActiveConstraints,
        c: usize,
        states: [&RigidState; 2],
        dt: f64,
    ) -> [f64; 3] {
        let ahead = states.map(|at| RigidState {
            position: at.position + dt * at.velocity,
            rotation: exponential(dt * at.spin) * at.rotation,
            ..*at
        });
        let [a, b] = [0, 1].map(|k| pose_of(&ahead[k]));
        let there = self.feature(active, c).at(&a, &b);
        let planar = self.is_planar[active.ids[c].colliders()[0] as usize];
        let point = DVec3::from_array(there.point);
        let [a, b] = ahead.map(|at| at.velocity_at(point - at.position));
        along(&frame_of(planar, there.normal), b - a)
    }
}

/// A time over which a pair moves by 1e-2 of its size or turns by 1e-2 rad: differences of sixth order are then exact to 1e-14, and
/// rounding does no more.
fn difference_length(table: &RigidTable, pair: [RigidId; 2], states: [&RigidState; 2]) -> f64 {
    let size = table.size(pair[0], pair[1]);
    let speed = (states[1].velocity - states[0].velocity).length() / size;
    let rate = speed + states[0].spin.length() + states[1].spin.length();
    if rate > 0.0 { 1e-2 / rate } else { 1.0 }
}
