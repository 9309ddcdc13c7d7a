//! Bonds: what holds closed gaps and contact points together. Made with the model and never dropped; how far each is damaged is the history of its law.
//!
//! ```text
//! gap            the rows of the gap itself, whether it is open or closed
//! two bodies     d = Rᵀ (x_b − x_a),   y = d_N,   rows over velocities by ∂d/∂q T(q)
//! ```
//!
//! x_a and x_b are the points of the two bodies that were one at the start, R are the normal and tangents of then, carried along by the body that does
//! not move, or by the first. The contact itself stays a constraint of its own family.
//!
//! All work of a bond stands in the column `contact` of the ledger: what it stores and what damage takes together. Once it has opened
//! nothing is stored, and minus the work is what was taken.

use super::function_gaps::FunctionGap;
use super::gap::Gap;
use super::{
    Activation, ActiveConstraints, Column, ConstraintFamily, FunctionGaps, GapsOf, Level, RowWriter,
};
use crate::energy::Works;
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::systems::ThetaStep;
use crate::model::{ConstraintId, LawId, Model, RigidId, UserError};
use crate::part::Part;
use glam::{DQuat, DVec3};
use std::ops::Range;

/// One of the two bodies of a bond: where its coordinates begin among those of the bond, and the point in its axes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    /// Stays where it is: the point in world axes [m].
    Fixed(DVec3),
    /// Three coordinates.
    Plane(usize, DVec3),
    /// Seven coordinates.
    Space(usize, DVec3),
}

impl Side {
    /// Where a point or direction of the body is and how it is turned, and its derivative by each of the coordinates that turn it.
    fn turned(self, x: DVec3, q: &[f64]) -> (DVec3, [DVec3; 4]) {
        match self {
            Side::Fixed(_) => (x, [DVec3::ZERO; 4]),
            Side::Plane(first, _) => {
                let turned = DQuat::from_rotation_z(q[first + 2]) * x;
                (turned, [DVec3::Z.cross(turned), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO])
            }
            Side::Space(first, _) => {
                let [w, i, j, k] = [q[first + 3], q[first + 4], q[first + 5], q[first + 6]];
                let v = DVec3::new(i, j, k);
                // R(q) x = x + 2 w v × x + 2 v × (v × x).
                let cross = v.cross(x);
                let along = |e: DVec3| 2.0 * (w * e.cross(x) + e.cross(cross) + v.cross(e.cross(x)));
                let turned = x + 2.0 * (w * cross + v.cross(cross));
                (turned, [2.0 * cross, along(DVec3::X), along(DVec3::Y), along(DVec3::Z)])
            }
        }
    }

    /// Its first coordinate, the number of those that move it and of those that turn it.
    fn places(self) -> (usize, usize, usize) {
        match self {
            Side::Fixed(_) => (0, 0, 0),
            Side::Plane(first, _) => (first, 2, 1),
            Side::Space(first, _) => (first, 3, 4),
        }
    }

    fn point(self) -> DVec3 {
        let (Side::Fixed(x) | Side::Plane(_, x) | Side::Space(_, x)) = self;
        x
    }

    /// Where its point is, relative to the origin of the world [m], and the derivatives by what turns it.
    fn place(self, q: &[f64]) -> (DVec3, [DVec3; 4]) {
        let (turned, slopes) = self.turned(self.point(), q);
        let (first, moves, _) = self.places();
        let origin: [f64; 3] = std::array::from_fn(|k| if k < moves { q[first + k] } else { 0.0 });
        (DVec3::from_array(origin) + turned, slopes)
    }
}

/// Two points of two bodies that were one at the start.
#[derive(Clone, Debug)]
pub(crate) struct GluedPoint {
    /// Where the points are.
    pub(crate) sides: [Side; 2],
    /// Which side carries the axes.
    pub(crate) carrier: usize,
    /// Normal from the first side to the second, and tangents, in the axes of the carrier.
    pub(crate) axes: Vec<DVec3>,
}

impl GluedPoint {
    /// ∂d_k/∂q.
    fn slope(&self, k: usize, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let [a, b] = self.sides.map(|side| side.place(q));
        let apart = b.0 - a.0;
        let (axis, axis_slopes) = self.sides[self.carrier].turned(self.axes[k], q);
        for (side, (sign, place)) in [(-1.0, a), (1.0, b)].into_iter().enumerate() {
            let (first, moves, turns) = self.sides[side].places();
            let axis = axis.to_array();
            (0..moves).for_each(|i| out[first + i] += sign * axis[i]);
            for i in 0..turns {
                let by = DVec3::from_array(axis).dot(place.1[i]);
                out[first + moves + i] += sign * by;
                if side == self.carrier {
                    out[first + moves + i] += axis_slopes[i].dot(apart);
                }
            }
        }
    }
}

impl Gap for GluedPoint {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        let [a, b] = self.sides.map(|side| side.place(q).0);
        Ok(self.sides[self.carrier].turned(self.axes[0], q).0.dot(b - a))
    }

    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.slope(0, q, out);
        Ok(())
    }

    fn n_tangents(&self) -> usize {
        self.axes.len() - 1
    }

    fn tangents(
        &self,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), UserError> {
        for (k, row) in jacobian.chunks_exact_mut(q.len()).enumerate() {
            self.slope(1 + k, q, row);
        }
        rate.fill(0.0);
        Ok(())
    }
}

/// The bonds of a model.
#[derive(Default)]
pub struct Bonds {
    index: u8,
    rows: FunctionGaps,
    /// The two rigid things of each; the world for gaps.
    between: Vec<[RigidId; 2]>,
}

impl Bonds {
    /// Appends a bond.
    pub(crate) fn append(&mut self, rows: FunctionGap, between: [RigidId; 2]) {
        FunctionGaps::append(&mut self.rows, rows);
        self.between.push(between);
    }

    /// The family at its place in the model.
    pub(crate) fn at(self, index: u8) -> Self {
        Self { index, rows: self.rows.at(index), ..self }
    }
}

impl ConstraintFamily for Bonds {
    fn name(&self) -> &'static str {
        "bonds"
    }

    fn coordinates_of(&self, number: usize) -> Option<&[u32]> {
        self.rows.coordinates_of(number)
    }

    fn n_members(&self) -> usize {
        self.rows.n_members()
    }

    fn n_gaps(&self) -> usize {
        0
    }

    fn member_name(&self, number: usize) -> &str {
        self.rows.member_name(number)
    }

    fn describe(&self, _model: &Model, id: ConstraintId) -> String {
        format!("the bond of {}", self.rows.member_name(id.number()))
    }

    fn law(&self, model: &Model, id: ConstraintId) -> LawId {
        self.rows.law(model, id)
    }

    fn is_linear(&self, model: &Model) -> bool {
        self.rows.is_linear(model)
    }

    fn spoils_energy(&self, model: &Model) -> Option<String> {
        self.rows.spoils_energy(model)
    }

    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        _activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        for (i, between) in self.between.iter().enumerate() {
            let is_there = between.iter().all(|id| at.is_present(id.0 as usize));
            if is_there && (part.members.is_all() || self.rows.is_of(model, part, i, at)) {
                self.rows.append_one(model, i, at, active)?;
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
        self.rows.append(model, ids, at, active)
    }

    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        self.rows.linearize(model, part, at, rows)
    }

    fn set_offsets(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        self.rows.set_offsets(model, part, at, level, active)
    }

    fn gaps(&self, model: &Model, at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        match of {
            GapsOf::Members => Ok(()),
            GapsOf::Active(..) => self.rows.gaps(model, at, of, out),
        }
    }

    fn positions(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        self.rows.positions(model, at, active, own, out)
    }

    fn velocities(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        self.rows.velocities(model, at, active, own, out)
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
        self.rows.add_forces(model, at, active, own, lambda, out)
    }

    fn curvature(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        self.rows.curvature(model, at, active, out)
    }

    fn column(&self, _model: &Model, _law: LawId, _row: usize) -> Column {
        Column::Own
    }

    fn works(&self, _model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        let (active, phi) = (step.active, step.phi);
        for c in active.own[self.index as usize].clone() {
            let (rows, mut u) = (active.rows(c), [0.0; 3]);
            active.jacobian.dot(c, step.v_phi, &mut u[..rows.len()]);
            for (u, row) in u.into_iter().zip(rows) {
                let [now, next] = active.rates.get(row).copied().unwrap_or_default();
                works.contact += step.p[row] * (u + phi * next + (1.0 - phi) * now);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slopes are derivatives by differences, for every kind of side and carrier.
    #[test]
    fn slopes_are_derivatives() {
        let (r, s) = (DVec3::new(0.3, -0.2, 0.5), DVec3::new(-0.1, 0.4, 0.2));
        let axes = vec![DVec3::new(0.6, 0.0, 0.8), DVec3::new(0.8, 0.0, -0.6), DVec3::Y];
        let flat = vec![DVec3::new(0.6, 0.8, 0.0), DVec3::new(-0.8, 0.6, 0.0)];
        let cases = [
            (
                GluedPoint {
                    sides: [Side::Space(0, r), Side::Space(7, s)],
                    carrier: 0,
                    axes: axes.clone(),
                },
                14,
            ),
            (
                GluedPoint {
                    sides: [Side::Space(0, r), Side::Space(7, s)],
                    carrier: 1,
                    axes: axes.clone(),
                },
                14,
            ),
            (GluedPoint { sides: [Side::Fixed(r), Side::Space(0, s)], carrier: 0, axes }, 7),
            (
                GluedPoint {
                    sides: [Side::Plane(0, r), Side::Plane(3, s)],
                    carrier: 0,
                    axes: flat.clone(),
                },
                6,
            ),
            (GluedPoint { sides: [Side::Plane(0, r), Side::Fixed(s)], carrier: 1, axes: flat }, 3),
        ];
        for (glued, n) in cases {
            let q: Vec<f64> = (0..n).map(|k| (0.3 * k as f64 + 0.7).sin()).collect();
            for k in 0..glued.axes.len() {
                let mut slope = vec![0.0; n];
                glued.slope(k, &q, &mut slope);
                let first = GluedPoint { axes: vec![glued.axes[k]], ..glued.clone() };
                for (i, slope) in slope.iter().enumerate() {
                    let at = |d: f64| {
                        let mut q = q.clone();
                        q[i] += d;
                        first.gap(0.0, &q).expect("no user function")
                    };
                    let by_differences = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!((slope - by_differences).abs() < 1e-9, "{glued:?} {k} {i}");
                }
            }
        }
    }
}
