//! The joints of a model with their frames in body axes; rows, free axes and reactions at an instant.

use super::rows::{Asked, AxisKind, JointAxes, JointRows, PairRow, Side, unwrap};
use super::{Joint, Within};
use crate::error::StepResult;
use crate::model::instant::Instant;
use crate::model::rigid::quaternion;
use crate::model::{RigidId, RigidState, RigidTable, State};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A joint of the model.
#[derive(Clone)]
pub struct JointRow {
    /// Name for messages and results.
    pub name: String,
    /// Its type.
    pub joint: Arc<dyn Joint>,
    /// In plane or space.
    pub within: Within,
    /// The rigid things a and b.
    pub between: [RigidId; 2],
    /// The joint's point in the axes of each [m].
    pub points: [DVec3; 2],
    /// The joint's frame in the axes of each.
    pub frames: [DQuat; 2],
    /// Place of its first angle in `State::angles`.
    pub first_angle: u32,
    /// Length by which its error is judged: the farthest of its point from the centres of mass, or the larger bounding radius [m].
    pub size: f64,
    /// Whether each row is of an angle.
    pub turns: [bool; 6],
}

/// Force and torque that a joint exerts on its second side, in world axes; the torque is about the joint's point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Impulse or force [N·s or N].
    pub force: [f64; 3],
    /// Angular impulse or torque [N·m·s or N·m].
    pub torque: [f64; 3],
}

/// All joints of a model.
#[derive(Default)]
pub struct JointTable {
    /// The joints, in the order of registration.
    pub joints: Vec<JointRow>,
    /// Number of their angles that are counted through whole turns.
    pub n_angles: usize,
}

impl JointRow {
    /// The two sides from the poses and twists of the rigid things.
    #[inline(always)]
    pub fn sides(&self, a: &RigidState, b: &RigidState) -> [Side; 2] {
        let ([p, q], [f, g]) = (self.points, self.frames);
        [Side::new(a, p, f), Side::new(b, q, g)]
    }

    /// The two sides at an instant.
    #[inline(always)]
    pub fn sides_at(&self, at: &Instant<'_>) -> [Side; 2] {
        let [a, b] = self.between;
        self.sides(at.rigid(a), at.rigid(b))
    }

    /// Writes the rows between two sides. Angles are written as lengths at its size, y = size · angle: rows of one joint share norms, and a sum of metres
    /// and radians changes with the unit of length.
    #[inline(always)]
    pub fn rows(&self, [a, b]: &[Side; 2], out: &mut JointRows) {
        out.clear();
        self.joint.rows(self.within, a, b, out);
        (0..out.len()).filter(|&k| self.turns[k]).for_each(|k| out.scale(k, self.size));
    }

    /// Finds the rows that are of angles: those without a force.
    pub fn find_turns(&mut self, sides: &[Side; 2]) {
        let mut rows = JointRows::default();
        self.turns = [false; 6];
        self.rows(sides, &mut rows);
        for k in 0..rows.len() {
            self.turns[k] = [rows.on_a[k], rows.on_b[k]].iter().all(|on| on[..3] == [0.0; 3]);
        }
    }

    /// The free axes between two sides, angles in (−π, π].
    #[inline]
    pub fn axes(&self, [a, b]: &[Side; 2]) -> JointAxes {
        let mut out = JointAxes::default();
        self.joint.axes(self.within, a, b, &mut out);
        out
    }

    /// What its free axes measure.
    pub fn free_axes(&self) -> &'static [AxisKind] {
        self.joint.free_axes(self.within)
    }

    /// The place in `State::angles` of free axis `axis`, if it is an angle.
    #[inline]
    pub fn angle(&self, axis: usize) -> Option<usize> {
        let kinds = self.free_axes();
        let before = kinds[..axis].iter().filter(|kind| **kind == AxisKind::Angle).count();
        (kinds[axis] == AxisKind::Angle).then_some(self.first_angle as usize + before)
    }

    /// The value of free axis `axis` at an instant of the step: an angle is counted through whole turns.
    #[inline]
    pub fn unwrapped(&self, axis: usize, value: f64, at: &Instant<'_>) -> f64 {
        let before = self.angle(axis).and_then(|place| at.angles.get(place));
        before.map_or(value, |before| unwrap(value, *before))
    }

    /// Whether both sides are there.
    #[inline]
    pub fn is_present(&self, at: &Instant<'_>) -> bool {
        self.between.iter().all(|id| at.is_present(id.0 as usize))
    }

    /// u of a row between the two sides with their twists at an instant.
    #[inline]
    pub fn rate(&self, row: &PairRow, at: &Instant<'_>) -> f64 {
        let [a, b] = self.between.map(|id| at.rigid(id));
        a.power(&row.on_a) + b.power(&row.on_b)
    }

    /// Calls `show(value, rate)` for each free axis at an instant: travel, or angle counted through whole turns [m, rad; per s].
    pub fn coordinates(&self, at: &Instant<'_>, mut show: impl FnMut(f64, f64)) {
        let sides = self.sides_at(at);
        for (k, axis) in self.axes(&sides).iter().enumerate() {
            show(self.unwrapped(k, axis.value, at), axis.row.rate(&sides[0], &sides[1]));
        }
    }

    /// What the rows' impulses (or forces) `p` do to the second side, with the rows of an instant.
    pub fn reaction(&self, at: &Instant<'_>, p: &[f64]) -> Reaction {
        let sides = self.sides_at(at);
        let mut rows = JointRows::new(Asked::Rows);
        self.rows(&sides, &mut rows);
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for (row, p) in rows.on_b.iter().zip(p) {
            force += *p * DVec3::new(row[0], row[1], row[2]);
            torque += *p * DVec3::new(row[3], row[4], row[5]);
        }
        // From the centre of mass to the joint's point.
        torque -= (sides[1].point - sides[1].origin).cross(force);
        Reaction { force: force.to_array(), torque: torque.to_array() }
    }
}

impl JointTable {
    /// The joint called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Counts the angles of `next` through whole turns, from those of the state before: a step turns by less than half a turn.
    pub fn update_angles(&self, rigid: &RigidTable, before: &[f64], next: &mut State) -> StepResult {
        let mut angles = std::mem::take(&mut next.angles);
        angles.clear();
        for joint in self.joints.iter().filter(|joint| joint.free_axes().contains(&AxisKind::Angle)) {
            let [a, b] = joint.between;
            let sides = joint.sides(&rigid.pose(a, next)?, &rigid.pose(b, next)?);
            for (k, axis) in joint.axes(&sides).iter().enumerate() {
                if let Some(place) = joint.angle(k) {
                    angles.push(unwrap(axis.value, before.get(place).copied().unwrap_or(0.0)));
                }
            }
        }
        next.angles = angles;
        Ok(())
    }
}

impl RigidTable {
    /// Pose and twist of a rigid thing in a state.
    pub(crate) fn start_of(&self, id: RigidId, state: &State) -> StepResult<RigidState> {
        let pose = self.pose(id, state)?;
        let Some(body) = self.bodies.get(id.0 as usize) else { return Ok(pose) };
        let v = &state.v[body.v as usize..];
        let (velocity, spin) = if body.planar {
            (DVec3::new(v[0], v[1], 0.0), DVec3::new(0.0, 0.0, v[2]))
        } else {
            (DVec3::new(v[0], v[1], v[2]), pose.rotation * DVec3::new(v[3], v[4], v[5]))
        };
        Ok(RigidState { velocity, spin, ..pose })
    }

    /// Pose of a rigid thing in a state; its twist is not filled in.
    pub fn pose(&self, id: RigidId, state: &State) -> StepResult<RigidState> {
        let Some(body) = self.bodies.get(id.0 as usize) else {
            return match self.kinematic_number(id) {
                Some(number) => self.kinematic[number].state(state.t),
                None => Ok(RigidState::default()),
            };
        };
        let q = &state.q[body.q as usize..];
        let (position, rotation) = if body.planar {
            (DVec3::new(q[0], q[1], 0.0), DQuat::from_rotation_z(q[2]))
        } else {
            (DVec3::new(q[0], q[1], q[2]), quaternion(&q[3..7]))
        };
        Ok(RigidState { position, rotation, ..RigidState::default() })
    }
}
