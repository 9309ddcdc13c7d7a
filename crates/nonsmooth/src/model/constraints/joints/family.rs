//! Joints as a family of constraints: always active while both sides are there, every row bilateral.

use super::rows::{Asked, JointRows, Side};
use super::table::JointRow;
use crate::error::StepResult;
use crate::model::constraints::pairs::{Turns, driven_rates, takes_part, write_rate};
use crate::model::constraints::{
    Activation, ActiveConstraints, ConstraintFamily, GapsOf, Level, RowWriter,
};
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::Symmetric;
use crate::model::{ConstraintId, LawId, Model, Renamed, RigidId};
use crate::part::Part;
use glam::DVec3;
use std::ops::Range;

/// The family of joints; the joints themselves stand in `Model::joints`.
pub struct Joints {
    family: u8,
    law: LawId,
    names: Vec<String>,
}

impl Joints {
    /// Family number `family` of the model, with a bilateral law.
    pub fn new(family: u8, law: LawId, names: Vec<String>) -> Self {
        Self { family, law, names }
    }
}

/// The joint of an active constraint.
fn joint_of<'a>(model: &'a Model, active: &ActiveConstraints, c: usize) -> &'a JointRow {
    &model.joints.joints[active.ids[c].number()]
}

/// Writes the rows of a joint at an instant, and returns its sides.
#[inline(always)]
fn pose(joint: &JointRow, at: &Instant<'_>, rows: &mut JointRows) -> [Side; 2] {
    let sides = joint.sides_at(at);
    joint.rows(&sides, rows);
    sides
}

impl ConstraintFamily for Joints {
    fn name(&self) -> &'static str {
        "joints"
    }

    fn n_members(&self) -> usize {
        self.names.len()
    }

    fn member_name(&self, number: usize) -> &str {
        &self.names[number]
    }

    fn describe(&self, _model: &Model, id: ConstraintId) -> String {
        format!("joint `{}`", self.names[id.number()])
    }

    fn size(&self, model: &Model, id: ConstraintId) -> f64 {
        model.joints.joints[id.number()].size
    }

    fn law(&self, _model: &Model, _id: ConstraintId) -> LawId {
        self.law
    }

    fn is_linear(&self, _model: &Model) -> bool {
        false
    }

    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        _activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let mut posed = JointRows::new(Asked::Rows);
        for (number, joint) in model.joints.joints.iter().enumerate() {
            if joint.is_present(at) && takes_part(model, part, joint.between) {
                self.push(number, joint, at, (&mut posed, active));
            }
        }
        Ok(())
    }

    fn append(
        &self,
        model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let mut posed = JointRows::new(Asked::Rows);
        for id in ids {
            let joint = &model.joints.joints[id.number()];
            if joint.is_present(at) {
                self.push(id.number(), joint, at, (&mut posed, active));
            }
        }
        Ok(())
    }

    fn is_of_bodies(&self) -> bool {
        true
    }

    fn between(&self, model: &Model, number: usize) -> [RigidId; 2] {
        model.joints.joints[number].between
    }

    fn extract(&self, _renamed: &Renamed<'_>, numbers: &[u32]) -> Option<Box<dyn ConstraintFamily>> {
        let names = numbers.iter().map(|&k| self.names[k as usize].clone()).collect();
        Some(Box::new(Self::new(self.family, self.law, names)))
    }

    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        let own = rows.chosen(part, self.family);
        let mut made = JointRows::new(Asked::Rows);
        let mut turns = Turns::new(at, &at.jacobian);
        let joint = |id: ConstraintId| &model.joints.joints[id.number()];
        let bodies = |id: ConstraintId| joint(id).between.map(|id| model.rigid.solver_body(id));
        rows.pairs(own, bodies, |id, [on_a, on_b]| {
            let joint = joint(id);
            pose(joint, &at.jacobian, &mut made);
            turns.turn_into(joint.between[0], &made.on_a, on_a);
            turns.turn_into(joint.between[1], &made.on_b, on_b);
        });
        Ok(())
    }

    fn set_offsets(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let own = active.own[self.family as usize].clone();
        if level == Level::Velocity && !model.rigid.has_motion() && part.constraints.is_all() {
            let rows = active.rows_of(&own);
            active.offset[rows].fill(0.0);
            return Ok(());
        }
        let mut posed = JointRows::new(Asked::Positions);
        for c in part.constraints.within(own) {
            let joint = joint_of(model, active, c);
            self.write_rates(model, joint, at, c, active);
            let first = active.rows(c).start;
            match level {
                // What moves by itself was written above.
                Level::Velocity => {}
                Level::Linearized { h } => {
                    pose(joint, &at.now, &mut posed);
                    for k in 0..posed.len() {
                        let rate = active.rates.get(first + k).map_or(0.0, |rate| rate[0]);
                        active.offset[first + k] = posed.y[k] / h + rate;
                    }
                }
                Level::Position { ahead } => {
                    pose(joint, &at.end, &mut posed);
                    let mut u = [0.0; 6];
                    let n = posed.len();
                    active.jacobian.dot(c, at.end.v, &mut u[..n]);
                    for k in 0..n {
                        active.offset[first + k] = posed.y[k] / ahead - u[k];
                    }
                }
            }
        }
        Ok(())
    }

    /// −‖y‖: how far the joint is off, angles as lengths at its size.
    fn gaps(&self, model: &Model, at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        let mut posed = JointRows::new(Asked::Positions);
        let mut error = |joint: &JointRow| {
            if !joint.is_present(at) {
                return 0.0;
            }
            pose(joint, at, &mut posed);
            -posed.error()
        };
        match of {
            GapsOf::Members => out.extend(model.joints.joints.iter().map(error)),
            GapsOf::Active(active, own) => {
                out.extend(own.clone().map(|c| error(joint_of(model, active, c))));
            }
        }
        Ok(())
    }

    fn bilateral_gaps(&self, _model: &Model, out: &mut Vec<bool>) {
        out.resize(out.len() + self.names.len(), true);
    }

    fn positions(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        let mut posed = JointRows::new(Asked::Positions);
        for c in own.clone() {
            pose(joint_of(model, active, c), at, &mut posed);
            out[active.rows(c)].copy_from_slice(&posed.y[..posed.len()]);
        }
        Ok(())
    }

    fn velocities(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        let mut posed = JointRows::new(Asked::Rows);
        for c in own.clone() {
            let [a, b] = pose(joint_of(model, active, c), at, &mut posed);
            posed.rates(&a, &b, &mut out[active.rows(c)]);
        }
        Ok(())
    }

    fn velocities_and_positions(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        (u, y): (&mut [f64], &mut [f64]),
    ) -> StepResult {
        let mut posed = JointRows::new(Asked::Rows);
        for c in own.clone() {
            let [a, b] = pose(joint_of(model, active, c), at, &mut posed);
            posed.rates(&a, &b, &mut u[active.rows(c)]);
            y[active.rows(c)].copy_from_slice(&posed.y[..posed.len()]);
        }
        Ok(())
    }

    fn add_forces(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        lambda: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        let mut rows = JointRows::new(Asked::Rows);
        for c in own.clone() {
            let joint = joint_of(model, active, c);
            pose(joint, at, &mut rows);
            for (k, row) in active.rows(c).enumerate() {
                model.rigid.add_row(joint.between[0], lambda[row], &rows.on_a[k], out);
                model.rigid.add_row(joint.between[1], lambda[row], &rows.on_b[k], out);
            }
        }
        Ok(())
    }

    /// That of forces whose direction stands still and whose point turns with the body.
    fn stiffen(
        &self,
        model: &Model,
        at: &Pass<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        p: &[f64],
        moments: &mut [Symmetric],
    ) {
        for c in own.clone() {
            let joint = joint_of(model, active, c);
            for (k, id) in joint.between.into_iter().enumerate() {
                if let Some(moment) = moments.get_mut(id.0 as usize) {
                    let arm = at.jacobian.rigid(id).rotation * joint.points[k];
                    let [x, y, z, ..] = active.jacobian.pair_wrench(c, k, &p[active.rows(c)]);
                    moment.add_turned(arm, DVec3::new(x, y, z));
                }
            }
        }
    }

    fn curvature(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        let mut posed = JointRows::default();
        for c in active.own[self.family as usize].clone() {
            let joint = joint_of(model, active, c);
            pose(joint, at, &mut posed);
            for (k, row) in active.rows(c).enumerate() {
                let on = [&posed.on_a[k], &posed.on_b[k]];
                let driven = model.rigid.driven_acceleration(joint.between, at.t, on)?;
                out[row] = posed.curvature[k] + driven;
            }
        }
        Ok(())
    }
}

impl Joints {
    #[inline]
    fn push(
        &self,
        number: usize,
        joint: &JointRow,
        at: &Instant<'_>,
        (posed, active): (&mut JointRows, &mut ActiveConstraints),
    ) {
        let [a, b] = pose(joint, at, posed);
        let (mut u, n) = ([0.0; 6], posed.len());
        posed.rates(&a, &b, &mut u[..n]);
        active.push(ConstraintId::member(self.family, number), self.law, 0.0, &u[..n]);
    }

    /// ∂y/∂t of sides that move as prescribed, at the start and at the end; the offset gets that of the end.
    fn write_rates(
        &self,
        model: &Model,
        joint: &JointRow,
        at: &Pass<'_>,
        c: usize,
        active: &mut ActiveConstraints,
    ) {
        let rows = active.rows(c);
        if !joint.between.iter().any(|id| model.rigid.is_driven(*id)) {
            active.offset[rows].fill(0.0);
            return;
        }
        let mut made = JointRows::new(Asked::Rows);
        pose(joint, &at.jacobian, &mut made);
        for (k, row) in rows.enumerate() {
            let rate = driven_rates(model, joint.between, at, [&made.on_a[k], &made.on_b[k]]);
            write_rate(active, row, rate);
            active.offset[row] = rate[1];
        }
    }
}
