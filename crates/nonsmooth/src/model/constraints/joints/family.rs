//! Joints as a family of constraints: always active while both sides are there, every row bilateral.

use super::rows::{JointRows, Side};
use super::table::JointRow;
use crate::error::StepResult;
use crate::model::constraints::pairs::{driven_rates, takes_part, turn_rows, write_rate};
use crate::model::constraints::{
    Activation, ActiveConstraints, ConstraintFamily, GapsOf, Level, RowWriter,
};
use crate::model::instant::{Instant, Pass};
use crate::model::{ConstraintId, LawId, Model};
use crate::part::Part;
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

/// Rows of a joint with what its sides are.
struct Posed {
    sides: [Side; 2],
    rows: JointRows,
}

impl Posed {
    fn new(joint: &JointRow, at: &Instant<'_>) -> Self {
        Self::with(joint, at, JointRows::flat())
    }

    #[inline]
    fn with(joint: &JointRow, at: &Instant<'_>, mut rows: JointRows) -> Self {
        let sides = joint.sides_at(at);
        joint.rows(&sides, &mut rows);
        Self { sides, rows }
    }

    fn rate(&self, k: usize) -> f64 {
        self.rows.rate(k, &self.sides[0], &self.sides[1])
    }
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
        for (number, joint) in model.joints.joints.iter().enumerate() {
            if joint.is_present(at) && takes_part(model, part, joint.between) {
                self.push(number, joint, at, active);
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
        for id in ids {
            self.push(id.number(), &model.joints.joints[id.number()], at, active);
        }
        Ok(())
    }

    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        let own = rows.active().own[self.family as usize].clone();
        let own =
            if rows.is_new() { crate::Selection::All.within(own) } else { part.constraints.within(own) };
        for c in own {
            let joint = joint_of(model, rows.active(), c);
            let [a, b] = joint.between;
            let mut made = Posed::new(joint, &at.jacobian).rows;
            let n = made.len();
            turn_rows(at, &at.jacobian, a, &mut made.on_a[..n]);
            turn_rows(at, &at.jacobian, b, &mut made.on_b[..n]);
            let bodies = [model.rigid.solver_body(a), model.rigid.solver_body(b)];
            rows.pair(c, bodies, &made.on_a[..n], &made.on_b[..n]);
        }
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
        for c in part.constraints.within(active.own[self.family as usize].clone()) {
            let joint = joint_of(model, active, c);
            self.write_rates(model, joint, at, c, active);
            let first = active.rows(c).start;
            match level {
                // What moves by itself was written above.
                Level::Velocity => {}
                Level::Linearized { h } => {
                    let start = Posed::new(joint, &at.now);
                    for k in 0..start.rows.len() {
                        let rate = active.rates.get(first + k).map_or(0.0, |rate| rate[0]);
                        active.offset[first + k] = start.rows.y[k] / h + rate;
                    }
                }
                Level::Position { ahead } => {
                    let end = Posed::new(joint, &at.end);
                    let mut u = [0.0; 6];
                    let n = end.rows.len();
                    active.jacobian.dot(c, at.end.v, &mut u[..n]);
                    for k in 0..n {
                        active.offset[first + k] = end.rows.y[k] / ahead - u[k];
                    }
                }
            }
        }
        Ok(())
    }

    /// −‖y‖: how far the joint is off, in m and rad together.
    fn gaps(&self, model: &Model, at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        let error = |joint: &JointRow| {
            if joint.is_present(at) { -Posed::new(joint, at).rows.error() } else { 0.0 }
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
        for c in own.clone() {
            let posed = Posed::new(joint_of(model, active, c), at);
            out[active.rows(c)].copy_from_slice(&posed.rows.y[..posed.rows.len()]);
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
        for c in own.clone() {
            let posed = Posed::new(joint_of(model, active, c), at);
            for (k, row) in active.rows(c).enumerate() {
                out[row] = posed.rate(k);
            }
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
        for c in own.clone() {
            let posed = Posed::new(joint_of(model, active, c), at);
            for (k, row) in active.rows(c).enumerate() {
                (u[row], y[row]) = (posed.rate(k), posed.rows.y[k]);
            }
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
        for c in own.clone() {
            let joint = joint_of(model, active, c);
            let rows = Posed::new(joint, at).rows;
            for (k, row) in active.rows(c).enumerate() {
                model.rigid.add_row(joint.between[0], lambda[row], &rows.on_a[k], out);
                model.rigid.add_row(joint.between[1], lambda[row], &rows.on_b[k], out);
            }
        }
        Ok(())
    }

    fn curvature(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        for c in active.own[self.family as usize].clone() {
            let joint = joint_of(model, active, c);
            let posed = Posed::with(joint, at, JointRows::default());
            for (k, row) in active.rows(c).enumerate() {
                let on = [&posed.rows.on_a[k], &posed.rows.on_b[k]];
                let driven = model.rigid.driven_acceleration(joint.between, at.t, on)?;
                out[row] = posed.rows.curvature[k] + driven;
            }
        }
        Ok(())
    }
}

impl Joints {
    fn push(&self, number: usize, joint: &JointRow, at: &Instant<'_>, active: &mut ActiveConstraints) {
        let posed = Posed::new(joint, at);
        let mut u = [0.0; 6];
        let n = posed.rows.len();
        (0..n).for_each(|k| u[k] = posed.rate(k));
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
        let made = Posed::new(joint, &at.jacobian).rows;
        for (k, row) in rows.enumerate() {
            let rate = driven_rates(model, joint.between, at, [&made.on_a[k], &made.on_b[k]]);
            write_rate(active, row, rate);
            active.offset[row] = rate[1];
        }
    }
}
