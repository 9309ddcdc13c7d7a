//! What acts on the free axes of joints: stops, springs and dampers, motors.
//!
//! ```text
//! lower stop   y = x − lower ≥ 0,   J = J_x         upper stop   y = upper − x ≥ 0,   J = −J_x        Newton's impact law
//! spring       −(k (x − x₀) + c ẋ) along J_x, explicitly, and the row of its implicit correction (see `springs.rs`)
//! motor        τ(t, q, v) along J_x, a force whose work is that of a drive
//! ```
//!
//! x is the angle, counted through whole turns, or the travel of an axis, zero at the start.

use super::joints::{JointAxis, JointRow, Side};
use super::pairs::{driven_rates, takes_part, turn_rows, write_rate};
use super::springs::{Elastic, add_power, advanced, book_elastic, write_elastic};
use super::stretched::turned_back;
use super::{Activation, ActiveConstraints, Column, ConstraintFamily, GapsOf, Level, RowWriter};
use crate::energy::Works;
use crate::error::{StepError, StepResult};
use crate::model::instant::{Instant, Pass};
use crate::model::systems::ThetaStep;
use crate::model::{ConstraintId, Force, LawId, Model, Renamed, RigidId, UserError};
use crate::part::Part;
use std::ops::Range;

/// What a member of the family does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AxisAction {
    /// Keeps the axis from going below this [rad, m].
    LowerStop(f64),
    /// Keeps the axis from going above this [rad, m].
    UpperStop(f64),
    /// Pulls it back.
    Spring {
        /// Stiffness and damping [N·m/rad, N·m·s/rad; N/m, N·s/m].
        elastic: Elastic,
        /// Where it is slack [rad, m].
        rest: f64,
    },
}

/// Something that acts on a free axis of a joint.
#[derive(Clone, Debug)]
pub struct AxisRow {
    /// Name for messages and results.
    pub name: String,
    /// The joint.
    pub joint: u32,
    /// Which of its free axes.
    pub axis: u8,
    /// What it does.
    pub action: AxisAction,
    /// Its law.
    pub law: LawId,
}

/// The family of what acts on free axes.
pub struct JointAxes {
    family: u8,
    rows: Vec<AxisRow>,
}

/// An axis at an instant.
pub(super) struct Posed {
    sides: [Side; 2],
    pub(super) axis: JointAxis,
    /// Angle through whole turns, or travel.
    pub(super) value: f64,
}

impl Posed {
    pub(super) fn new(joint: &JointRow, axis: u8, at: &Instant<'_>) -> Self {
        Self::of(joint, axis, joint.sides_at(at), at)
    }

    fn of(joint: &JointRow, axis: u8, sides: [Side; 2], at: &Instant<'_>) -> Self {
        let posed = *joint.axes(&sides).get(axis as usize);
        Self { sides, axis: posed, value: joint.unwrapped(axis as usize, posed.value, at) }
    }

    pub(super) fn rate(&self) -> f64 {
        self.axis.row.rate(&self.sides[0], &self.sides[1])
    }
}

impl AxisRow {
    fn joint<'a>(&self, model: &'a Model) -> &'a JointRow {
        &model.joints.joints[self.joint as usize]
    }

    fn posed(&self, model: &Model, at: &Instant<'_>) -> Posed {
        Posed::new(self.joint(model), self.axis, at)
    }

    /// The axis after the time `ahead` [s] at the velocities of an instant, its row in the axes of the start.
    fn ahead(&self, model: &Model, at: &Instant<'_>, ahead: f64) -> Posed {
        let joint = self.joint(model);
        let [(a, turn_a), (b, turn_b)] = joint.between.map(|id| advanced(at.rigid(id), ahead));
        let mut posed = Posed::of(joint, self.axis, joint.sides(&a, &b), at);
        posed.axis.row = turned_back(posed.axis.row, [turn_a, turn_b]);
        posed
    }

    /// The sign of its row against that of the axis.
    fn sign(&self) -> f64 {
        if matches!(self.action, AxisAction::UpperStop(_)) { -1.0 } else { 1.0 }
    }

    /// y of a stop where the axis is at `value`; NaN for springs.
    fn gap(&self, value: f64) -> f64 {
        match self.action {
            AxisAction::LowerStop(lower) => value - lower,
            AxisAction::UpperStop(upper) => upper - value,
            AxisAction::Spring { .. } => f64::NAN,
        }
    }

    fn elastic(&self) -> Option<(Elastic, f64)> {
        match self.action {
            AxisAction::Spring { elastic, rest } => Some((elastic, rest)),
            _ => None,
        }
    }
}

impl JointAxes {
    /// Family number `family` of the model.
    pub fn new(family: u8, rows: Vec<AxisRow>) -> Self {
        Self { family, rows }
    }

    fn row(&self, active: &ActiveConstraints, c: usize) -> &AxisRow {
        &self.rows[active.ids[c].number()]
    }

    fn push(&self, number: usize, posed: &Posed, active: &mut ActiveConstraints) {
        let row = &self.rows[number];
        let gap = if row.elastic().is_some() { 0.0 } else { row.gap(posed.value) };
        let id = ConstraintId::member(self.family, number);
        active.push(id, row.law, gap, &[row.sign() * posed.rate()]);
    }
}

impl ConstraintFamily for JointAxes {
    fn name(&self) -> &'static str {
        "joint axes"
    }

    fn n_members(&self) -> usize {
        self.rows.len()
    }

    fn member_name(&self, number: usize) -> &str {
        &self.rows[number].name
    }

    fn describe(&self, _model: &Model, id: ConstraintId) -> String {
        self.rows[id.number()].name.clone()
    }

    fn law(&self, _model: &Model, id: ConstraintId) -> LawId {
        self.rows[id.number()].law
    }

    fn is_linear(&self, _model: &Model) -> bool {
        self.rows.iter().all(|row| row.elastic().is_some())
    }

    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let (ahead, distance) = activation.of_gaps();
        for (number, row) in self.rows.iter().enumerate() {
            let joint = row.joint(model);
            if !joint.is_present(at) || !takes_part(model, part, joint.between) {
                continue;
            }
            let posed = row.posed(model, at);
            let is_near = || row.gap(posed.value) + ahead * row.sign() * posed.rate() <= distance;
            if row.elastic().is_some() || is_near() {
                self.push(number, &posed, active);
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
            let row = &self.rows[id.number()];
            if row.joint(model).is_present(at) {
                self.push(id.number(), &row.posed(model, at), active);
            }
        }
        Ok(())
    }

    fn is_of_bodies(&self) -> bool {
        true
    }

    fn between(&self, model: &Model, number: usize) -> [RigidId; 2] {
        self.rows[number].joint(model).between
    }

    fn extract(&self, renamed: &Renamed<'_>, numbers: &[u32]) -> Option<Box<dyn ConstraintFamily>> {
        let own = |&k: &u32| {
            let row = &self.rows[k as usize];
            Some(AxisRow { joint: renamed.joint(row.joint)?, ..row.clone() })
        };
        Some(Box::new(Self::new(self.family, numbers.iter().map(own).collect::<Option<_>>()?)))
    }

    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        let own = rows.chosen(part, self.family);
        for c in own {
            let row = self.row(rows.active(), c);
            let [a, b] = row.joint(model).between;
            let (mut on_a, mut on_b);
            if row.elastic().is_some() {
                let made = row.ahead(model, &at.now, at.implicit.ahead).axis.row;
                (on_a, on_b) = ([made.on_a], [made.on_b]);
            } else {
                let made = row.posed(model, &at.jacobian).axis.row;
                (on_a, on_b) = ([made.on_a], [made.on_b]);
                turn_rows(at, &at.jacobian, a, &mut on_a);
                turn_rows(at, &at.jacobian, b, &mut on_b);
                on_a[0].iter_mut().chain(&mut on_b[0]).for_each(|x| *x *= row.sign());
            }
            rows.pair(c, [a, b].map(|id| model.rigid.solver_body(id)), &on_a, &on_b);
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
            let row = self.row(active, c);
            let joint = row.joint(model);
            let place = active.rows(c).start;
            let is_driven = joint.between.iter().any(|id| model.rigid.is_driven(*id));
            let mut rate = [0.0; 2];
            if is_driven {
                let made = row.posed(model, &at.jacobian).axis.row;
                rate = driven_rates(model, joint.between, at, [&made.on_a, &made.on_b])
                    .map(|x| row.sign() * x);
                write_rate(active, place, rate);
            }
            if let Some((elastic, _)) = row.elastic() {
                write_elastic(elastic, at, rate[1] - rate[0], c, active);
                continue;
            }
            active.offset[place] = match level {
                Level::Velocity => rate[1],
                Level::Linearized { h } => row.gap(row.posed(model, &at.now).value) / h + rate[0],
                Level::Position { ahead } => {
                    let mut u = [0.0];
                    active.jacobian.dot(c, at.end.v, &mut u);
                    row.gap(row.posed(model, &at.end).value) / ahead - u[0]
                }
            };
        }
        Ok(())
    }

    fn gaps(&self, model: &Model, at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        match of {
            GapsOf::Members => {
                let stops = self.rows.iter().filter(|row| row.elastic().is_none());
                out.extend(stops.map(|row| row.gap(row.posed(model, at).value)));
            }
            GapsOf::Active(active, own) => out.extend(own.clone().map(|c| {
                let row = self.row(active, c);
                if row.elastic().is_some() { 0.0 } else { row.gap(row.posed(model, at).value) }
            })),
        }
        Ok(())
    }

    fn bilateral_gaps(&self, _model: &Model, out: &mut Vec<bool>) {
        let stops = self.rows.iter().filter(|row| row.elastic().is_none());
        out.resize(out.len() + stops.count(), false);
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
            let row = self.row(active, c);
            if row.elastic().is_none() {
                out[active.rows(c).start] = row.gap(row.posed(model, at).value);
            }
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
            let row = self.row(active, c);
            out[active.rows(c).start] = row.sign() * row.posed(model, at).rate();
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
            let row = self.row(active, c);
            let force = row.sign() * lambda[active.rows(c).start];
            add_along(model, row.joint(model), force, &row.posed(model, at).axis, out);
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
            let row = self.row(active, c);
            let posed = row.posed(model, at).axis;
            let on = [&posed.row.on_a, &posed.row.on_b];
            let driven = model.rigid.driven_acceleration(row.joint(model).between, at.t, on)?;
            out[active.rows(c).start] = row.sign() * (posed.curvature + driven);
        }
        Ok(())
    }

    fn column(&self, model: &Model, law: LawId, _row: usize) -> Column {
        if model.law(law).forms().bilateral { Column::Own } else { Column::Contact }
    }

    fn works(&self, model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        for c in step.active.own[self.family as usize].clone() {
            let row = self.row(step.active, c);
            let Some((elastic, rest)) = row.elastic() else { continue };
            let ahead = row.ahead(model, &step.now, step.ahead).value - rest;
            let ends = [&step.now, &step.next].map(|at| row.posed(model, at).value - rest);
            book_elastic(elastic, ahead, ends, (step, c), works);
        }
        Ok(())
    }

    fn potential(&self, model: &Model, at: &Instant<'_>) -> StepResult<f64> {
        let springs = self.rows.iter().filter(|row| row.joint(model).is_present(at));
        let energy = |row: &AxisRow| {
            row.elastic().map_or(0.0, |(e, rest)| e.potential(row.posed(model, at).value - rest))
        };
        Ok(springs.map(energy).sum())
    }

    fn spoils_energy(&self, _model: &Model) -> Option<String> {
        self.rows.iter().find(|row| row.elastic().is_some()).map(|row| row.name.clone())
    }

    fn is_elastic(&self) -> bool {
        self.rows.iter().any(|row| row.elastic().is_some())
    }

    fn damping(&self, id: ConstraintId) -> f64 {
        self.rows[id.number()].elastic().map_or(0.0, |(elastic, _)| elastic.damping)
    }

    fn elastic_power(&self, model: &Model, at: &Instant<'_>, power: &mut Works) {
        for row in self.rows.iter().filter(|row| row.joint(model).is_present(at)) {
            let Some((elastic, rest)) = row.elastic() else { continue };
            let posed = row.posed(model, at);
            let (between, on) = (row.joint(model).between, &posed.axis.row);
            add_power(model, (elastic, posed.value - rest), between, (on, at), power);
        }
    }

    fn elastic_forces(
        &self,
        model: &Model,
        at: &Instant<'_>,
        ahead: f64,
        out: &mut [f64],
    ) -> StepResult {
        for row in &self.rows {
            let (Some((elastic, rest)), true) = (row.elastic(), row.joint(model).is_present(at)) else {
                continue;
            };
            let posed = row.ahead(model, at, ahead);
            let force = -elastic.force(posed.value - rest, row.joint(model).rate(&posed.axis.row, at));
            add_along(model, row.joint(model), force, &posed.axis, out);
        }
        Ok(())
    }
}

/// Adds a force or torque along an axis to a vector over all velocities.
pub(super) fn add_along(model: &Model, joint: &JointRow, force: f64, axis: &JointAxis, out: &mut [f64]) {
    let [a, b] = joint.between;
    model.rigid.add_row(a, force, &axis.row.on_a, out);
    model.rigid.add_row(b, force, &axis.row.on_b, out);
}

/// Force or torque of a motor as a function of the instant [N, N·m].
pub type MotorFunction = Box<dyn Fn(&Instant<'_>) -> Result<f64, UserError> + Send + Sync>;

/// A motor on a free axis: what it exerts is given, and its work is that of a drive.
pub struct Motor {
    /// The joint.
    pub joint: u32,
    /// Which of its free axes.
    pub axis: u8,
    /// Force or torque on side b, the opposite on side a [N, N·m].
    pub function: MotorFunction,
}

impl Force for Motor {
    fn add(&self, model: &Model, at: &Instant<'_>, out: &mut [f64]) -> StepResult {
        let joint = &model.joints.joints[self.joint as usize];
        if !joint.is_present(at) {
            return Ok(());
        }
        let place = || format!("motor of joint `{}`", joint.name);
        let force = (self.function)(at).map_err(|source| StepError::User { place: place(), source })?;
        if !force.is_finite() {
            let source = format!("it gives {force} at t = {} s", at.t).into();
            return Err(StepError::User { place: place(), source }.into());
        }
        add_along(model, joint, force, &Posed::new(joint, self.axis, at).axis, out);
        Ok(())
    }

    fn is_drive(&self) -> bool {
        true
    }
}
