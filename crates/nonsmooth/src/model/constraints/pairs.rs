//! What rows between two rigid things share: joints, their axes, springs.

use crate::error::StepResult;
use crate::model::constraints::ActiveConstraints;
use crate::model::instant::{Instant, Pass};
use crate::model::{Model, RigidId, RigidState, RigidTable};
use crate::part::Part;
use glam::{DMat3, DVec3};

/// Half of the time over which what is given as a function of time is differenced [s].
pub(super) const DIFFERENCE: f64 = 1e-5;

/// Whether one of the moving things is among the members of a part.
#[inline]
pub(super) fn takes_part(model: &Model, part: &Part<'_>, between: [RigidId; 2]) -> bool {
    let moves = |id: &RigidId| (id.0 as usize) < model.rigid.bodies.len();
    part.members.is_all() || between.iter().any(|id| moves(id) && part.members.contains(id.0 as usize))
}

/// Turns the moments of rows that were made at `there` into working axes.
#[inline]
pub(super) fn turn_rows(at: &Pass<'_>, there: &Instant<'_>, id: RigidId, rows: &mut [[f64; 6]]) {
    let turn = at.turn(there, id);
    for row in rows {
        let moment = turn * DVec3::new(row[3], row[4], row[5]);
        row[3..].copy_from_slice(&moment.to_array());
    }
}

/// What turns moments that were made at an instant into working axes, thing by thing. The last one is kept: neighbours in a chain share it.
pub(super) struct Turns<'a> {
    at: &'a Pass<'a>,
    there: &'a Instant<'a>,
    last: RigidId,
    /// None where nothing has turned.
    turn: Option<DMat3>,
}

impl<'a> Turns<'a> {
    /// For rows that are made at `there`.
    pub(super) fn new(at: &'a Pass<'a>, there: &'a Instant<'a>) -> Self {
        Self { at, there, last: RigidId(u32::MAX), turn: None }
    }

    /// Copies rows, with their moments turned.
    #[inline]
    pub(super) fn turn_into(&mut self, id: RigidId, made: &[[f64; 6]; 6], rows: &mut [[f64; 6]]) {
        if id != self.last {
            let (now, there) = (self.at.now.rigid(id).rotation, self.there.rigid(id).rotation);
            self.turn = (now != there).then(|| DMat3::from_quat(now * there.inverse()));
            self.last = id;
        }
        let Some(turn) = &self.turn else {
            rows.iter_mut().zip(made).for_each(|(row, made)| *row = *made);
            return;
        };
        for (row, &[x, y, z, a, b, c]) in rows.iter_mut().zip(made) {
            let m = *turn * DVec3::new(a, b, c);
            *row = [x, y, z, m.x, m.y, m.z];
        }
    }
}

/// ∂y/∂t by kinematic bodies that move of one row with J on both sides: at the start and at the end of the step.
pub(super) fn driven_rates(
    model: &Model,
    between: [RigidId; 2],
    at: &Pass<'_>,
    on: [&[f64; 6]; 2],
) -> [f64; 2] {
    [&at.now, &at.end].map(|instant| {
        let driven = between.iter().zip(on).filter(|(id, _)| model.rigid.is_driven(**id));
        driven.map(|(id, row)| instant.rigid(*id).power(row)).sum::<f64>()
    })
}

/// Writes ∂y/∂t of row `row`; the list of rates is made where it is still missing.
pub(super) fn write_rate(active: &mut ActiveConstraints, row: usize, rate: [f64; 2]) {
    let n_rows = active.n_rows();
    active.rates.resize(n_rows, [0.0; 2]);
    active.rates[row] = rate;
}

impl RigidState {
    /// A row of J times the twist.
    #[inline]
    pub fn power(&self, row: &[f64; 6]) -> f64 {
        let (v, w) = (self.velocity, self.spin);
        row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * w.x + row[4] * w.y + row[5] * w.z
    }
}

impl RigidTable {
    /// Whether it is a kinematic body that moves.
    #[inline]
    pub fn is_driven(&self, id: RigidId) -> bool {
        self.kinematic_number(id).is_some_and(|number| self.kinematic[number].motion.is_some())
    }

    /// Adds a row of J, times `factor`, to the entries of a moving body in a vector over all velocities (world axes).
    #[inline]
    pub fn add_row(&self, id: RigidId, factor: f64, row: &[f64; 6], out: &mut [f64]) {
        let i = id.0 as usize;
        if i < self.bodies.len() {
            let (force, moment) =
                (DVec3::new(row[0], row[1], row[2]), DVec3::new(row[3], row[4], row[5]));
            self.add_wrench(i, factor * force, factor * moment, out);
        }
    }

    /// What accelerations of kinematic bodies add to d²y/dt² of a row, by differences of their velocities [m/s²].
    pub(super) fn driven_acceleration(
        &self,
        between: [RigidId; 2],
        t: f64,
        on: [&[f64; 6]; 2],
    ) -> StepResult<f64> {
        let mut sum = 0.0;
        for (id, row) in between.into_iter().zip(on) {
            if let Some(number) = self.kinematic_number(id).filter(|_| self.is_driven(id)) {
                let at = |t: f64| self.kinematic[number].state(t).map(|state| state.power(row));
                sum += (at(t + DIFFERENCE)? - at(t - DIFFERENCE)?) / (2.0 * DIFFERENCE);
            }
        }
        Ok(sum)
    }
}
