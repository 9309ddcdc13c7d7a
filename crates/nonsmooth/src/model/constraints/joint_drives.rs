//! Drives that prescribe the motion of a free axis of a joint, and dry friction on it: rows of velocities.
//!
//! ```text
//! friction            u = ẋ                   h (−F) ≤ p ≤ h F, against u (a relay)
//! drive by velocity   u = ẋ − w(t, q, v)      u⁺ = 0
//! drive by position   y = x − x*(t, q, v)     y⁺ = 0, u = ẋ − ∂x*/∂t
//! ```
//!
//! x is the angle, counted through whole turns, or the travel of the axis, zero at the start. A drive gives whatever impulse that takes;
//! its work p ẋ stands in the column `drive`, with the share of a kinematic body that the joint is on. Where positions are imposed at the end
//! of a step a drive by position is exact there; in a θ-step at velocity level ẋ⁺ = (x*⁺ − x)/h, so that an error goes in a few steps.

use super::joint_axes::Posed;
use super::joints::JointRow;
use super::pairs::{DIFFERENCE, driven_rates, takes_part, turn_rows, write_rate};
use super::{Activation, ActiveConstraints, Column, ConstraintFamily, Level, RowWriter};
use crate::error::{StepError, StepResult};
use crate::model::instant::{Instant, Pass};
use crate::model::{ConstraintId, LawId, Model, Renamed, RigidId, UserError};
use crate::part::Part;
use std::ops::Range;
use std::sync::Arc;

/// A number as a function of the instant.
pub type DriveFunction = Arc<dyn Fn(&Instant<'_>) -> Result<f64, UserError> + Send + Sync>;

/// How a drive moves its axis.
#[derive(Clone)]
pub enum Drive {
    /// With this velocity [rad/s, m/s].
    Velocity(DriveFunction),
    /// To this place [rad, m].
    Position(DriveFunction),
}

/// Something that holds or brakes a free axis of a joint.
#[derive(Clone)]
pub struct DriveRow {
    /// Name for messages and results.
    pub name: String,
    /// The joint.
    pub joint: u32,
    /// Which of its free axes.
    pub axis: u8,
    /// What it prescribes; nothing: dry friction.
    pub drive: Option<Drive>,
    /// Its law.
    pub law: LawId,
}

/// The family of drives and dry friction on free axes.
pub struct JointDrives {
    family: u8,
    rows: Vec<DriveRow>,
}

impl DriveRow {
    fn joint<'a>(&self, model: &'a Model) -> &'a JointRow {
        &model.joints.joints[self.joint as usize]
    }

    fn posed(&self, model: &Model, at: &Instant<'_>) -> Posed {
        Posed::new(self.joint(model), self.axis, at)
    }

    fn call(&self, function: &DriveFunction, at: &Instant<'_>) -> StepResult<f64> {
        let place = || self.name.clone();
        let value = function(at).map_err(|source| StepError::User { place: place(), source })?;
        if value.is_finite() {
            return Ok(value);
        }
        let source = format!("it gives {value} at t = {} s", at.t).into();
        Err(StepError::User { place: place(), source }.into())
    }

    /// What is taken from ẋ to give u [rad/s, m/s].
    fn wanted_rate(&self, at: &Instant<'_>) -> StepResult<f64> {
        match &self.drive {
            None => Ok(0.0),
            Some(Drive::Velocity(rate)) => self.call(rate, at),
            Some(Drive::Position(place)) => {
                let [before, after] = [-DIFFERENCE, DIFFERENCE]
                    .map(|dt| self.call(place, &Instant { t: at.t + dt, ..*at }));
                Ok((after? - before?) / (2.0 * DIFFERENCE))
            }
        }
    }

    /// y of a drive by position [rad, m].
    fn error(&self, model: &Model, at: &Instant<'_>) -> StepResult<Option<f64>> {
        match &self.drive {
            Some(Drive::Position(place)) => {
                Ok(Some(self.posed(model, at).value - self.call(place, at)?))
            }
            _ => Ok(None),
        }
    }
}

impl JointDrives {
    /// Family number `family` of the model.
    pub fn new(family: u8, rows: Vec<DriveRow>) -> Self {
        Self { family, rows }
    }

    fn row(&self, active: &ActiveConstraints, c: usize) -> &DriveRow {
        &self.rows[active.ids[c].number()]
    }

    fn push(
        &self,
        model: &Model,
        number: usize,
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let row = &self.rows[number];
        let u = row.posed(model, at).rate() - row.wanted_rate(at)?;
        active.push(ConstraintId::member(self.family, number), row.law, 0.0, &[u]);
        Ok(())
    }
}

impl ConstraintFamily for JointDrives {
    fn name(&self) -> &'static str {
        "joint drives"
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
        false
    }

    fn spoils_energy(&self, _model: &Model) -> Option<String> {
        self.rows.first().map(|row| row.name.clone())
    }

    fn is_of_velocities(&self) -> bool {
        true
    }

    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        _activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        for (number, row) in self.rows.iter().enumerate() {
            let joint = row.joint(model);
            if joint.is_present(at) && takes_part(model, part, joint.between) {
                self.push(model, number, at, active)?;
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
        let there = |id: &&ConstraintId| self.rows[id.number()].joint(model).is_present(at);
        ids.iter().filter(there).try_for_each(|id| self.push(model, id.number(), at, active))
    }

    /// Drives are functions of everything: then the model stays whole.
    fn is_of_bodies(&self) -> bool {
        self.rows.iter().all(|row| row.drive.is_none())
    }

    fn between(&self, model: &Model, number: usize) -> [RigidId; 2] {
        self.rows[number].joint(model).between
    }

    fn extract(&self, renamed: &Renamed<'_>, numbers: &[u32]) -> Option<Box<dyn ConstraintFamily>> {
        let own = |&k: &u32| {
            let row = &self.rows[k as usize];
            Some(DriveRow { joint: renamed.joint(row.joint)?, ..row.clone() })
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
            let made = row.posed(model, &at.jacobian).axis.row;
            let (mut on_a, mut on_b) = ([made.on_a], [made.on_b]);
            turn_rows(at, &at.jacobian, a, &mut on_a);
            turn_rows(at, &at.jacobian, b, &mut on_b);
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
            let (between, place) = (row.joint(model).between, active.rows(c).start);
            let made = row.posed(model, &at.jacobian).axis.row;
            let mut rate = driven_rates(model, between, at, [&made.on_a, &made.on_b]);
            rate[0] -= row.wanted_rate(&at.now)?;
            rate[1] -= row.wanted_rate(&at.end)?;
            write_rate(active, place, rate);
            active.offset[place] = match (level, row.error(model, &at.now)?) {
                (Level::Linearized { .. }, None) => rate[0],
                (_, None) => rate[1],
                (Level::Linearized { h }, Some(y)) => y / h + rate[0],
                (Level::Velocity, Some(y)) => {
                    // The mean rate of x* over the step, whatever it is a function of.
                    let after = row.error(model, &at.end)?.unwrap_or(0.0);
                    let moved = row.posed(model, &at.end).value - row.posed(model, &at.now).value;
                    let wanted = (moved - after + y) / at.implicit.length;
                    let driven = rate[1] + row.wanted_rate(&at.end)?;
                    y / at.implicit.length + driven - wanted
                }
                (Level::Position { ahead }, Some(_)) => {
                    let mut u = [0.0];
                    active.jacobian.dot(c, at.end.v, &mut u);
                    row.error(model, &at.end)?.unwrap_or(0.0) / ahead - u[0]
                }
            };
        }
        Ok(())
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
            if let Some(y) = self.row(active, c).error(model, at)? {
                out[active.rows(c).start] = y;
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
            out[active.rows(c).start] = row.posed(model, at).rate() - row.wanted_rate(at)?;
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
            let force = lambda[active.rows(c).start];
            super::joint_axes::add_along(
                model,
                row.joint(model),
                force,
                &row.posed(model, at).axis,
                out,
            );
        }
        Ok(())
    }

    /// J̇ v; schemes that ask for it refuse drives.
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
            out[active.rows(c).start] = posed.curvature + driven;
        }
        Ok(())
    }

    fn column(&self, model: &Model, law: LawId, _row: usize) -> Column {
        if model.law(law).forms().relay { Column::Friction } else { Column::Drive }
    }
}
