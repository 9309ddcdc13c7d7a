//! Springs and dampers between points of rigid things.
//!
//! ```text
//! l̇ = J v,   force on v: −Jᵀ (k (l − l₀) + c l̇)
//! explicit   −ℓ Jᵀ (k (l − l₀) + c l̇),   l and J where the bodies get in the time `ahead` with the velocities of the start
//! row        u = J (v⁺ − v),   p = −u/D,   1/D = ℓ (displacement · k + velocity · c)        see `Implicit`
//! ```
//!
//! Together they are the θ-scheme for a spring along a line, and of second order for θ = ½ where the spring turns. (With J of the start
//! a mass that circles on a spring gains energy at the rate ½ h Ω².) The row is the implicit correction only, so a soft spring
//! that is far stretched has a small impulse and leaves the scale of the certificate alone.
//!
//! The family books ½ k (l − l₀)² as potential energy and the work of the damper; what the linearized spring does beyond that is
//! work of the scheme: nothing along a line with θ = ½.

use super::joints::PairRow;
use super::pairs::{driven_rates, takes_part, write_rate};
use super::stretched::{Stretched, direction};
use super::{Activation, ActiveConstraints, Column, ConstraintFamily, Level, RowWriter};
use crate::energy::Works;
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::exponential;
use crate::model::systems::ThetaStep;
use crate::model::{ConstraintId, LawId, Model, Renamed, RigidId, RigidState};
use crate::part::Part;
use glam::{DQuat, DVec3};
use std::ops::Range;

/// 1/D below which a row does nothing.
const NOTHING: f64 = 1e-30;

/// Stiffness and damping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elastic {
    /// k ≥ 0 [N/m or N·m/rad].
    pub stiffness: f64,
    /// c ≥ 0 [N·s/m or N·m·s/rad].
    pub damping: f64,
}

impl Elastic {
    /// k x + c ẋ.
    #[inline]
    pub(super) fn force(&self, stretch: f64, rate: f64) -> f64 {
        self.stiffness * stretch + self.damping * rate
    }

    /// ½ k x².
    #[inline]
    pub(super) fn potential(&self, stretch: f64) -> f64 {
        0.5 * self.stiffness * stretch * stretch
    }
}

/// 1/(1/D), D of a row that does nothing where there is neither stiffness nor damping.
#[inline]
fn compliance_of(elastic: Elastic, at: &Pass<'_>) -> f64 {
    1.0 / at.implicit.inverse_compliance(elastic.stiffness, elastic.damping).max(NOTHING)
}

/// Writes D and the offset of the row of constraint `c`, whose J has been written; `driven` is what sides that move as prescribed add to u.
pub(super) fn write_elastic(
    elastic: Elastic,
    at: &Pass<'_>,
    driven: f64,
    c: usize,
    active: &mut ActiveConstraints,
) {
    let (row, n_rows) = (active.rows(c).start, active.n_rows());
    active.compliance.resize(n_rows, 0.0);
    active.compliance[row] = compliance_of(elastic, at);
    let mut u = [0.0];
    active.jacobian.dot(c, at.now.v, &mut u);
    active.offset[row] = driven - u[0];
}

/// Books a spring of a θ-step: `stretch` where it was evaluated, and at the start and the end of the step.
#[inline]
pub(super) fn book_elastic(
    elastic: Elastic,
    stretch: f64,
    ends: [f64; 2],
    (step, c): (&ThetaStep<'_>, usize),
    works: &mut Works,
) {
    let row = step.active.rows(c).start;
    let driven = step.active.rates.get(row).copied().unwrap_or_default();
    let [now, end, u_phi] = step.u.map(|u| u[row]);
    let (h, theta, phi) = (step.rule.h, step.rule.theta, step.phi);
    let start = now + driven[0];
    let rate = theta * (end + driven[1]) + (1.0 - theta) * start;
    let driven = phi * driven[1] + (1.0 - phi) * driven[0];
    let u_phi = u_phi + driven;
    let explicit = -h * elastic.force(stretch, start);
    let damper = -h * elastic.damping * rate;
    works.viscous += damper * u_phi;
    works.scheme += (explicit + step.p[row] - damper) * u_phi + elastic.potential(ends[1])
        - elastic.potential(ends[0]);
    works.prescribed -= explicit * driven;
}

/// Adds the power of a damper, and what sides that move as prescribed give to a spring [W].
pub(super) fn add_power(
    model: &Model,
    (elastic, stretch): (Elastic, f64),
    between: [RigidId; 2],
    (row, at): (&PairRow, &Instant<'_>),
    power: &mut Works,
) {
    let sides =
        [(between[0], &row.on_a), (between[1], &row.on_b)].map(|(id, on)| (id, at.rigid(id).power(on)));
    let rate = sides[0].1 + sides[1].1;
    power.viscous -= elastic.damping * rate * rate;
    let driven = sides.iter().filter(|(id, _)| model.rigid.is_driven(*id)).map(|(_, u)| u).sum::<f64>();
    power.prescribed += elastic.force(stretch, rate) * driven;
}

/// Where a rigid thing gets in the time `ahead` with its twist, and what turns vectors back from there.
#[inline]
pub(crate) fn advanced(state: &RigidState, ahead: f64) -> (RigidState, DQuat) {
    if ahead == 0.0 {
        return (*state, DQuat::IDENTITY);
    }
    if state.spin == DVec3::ZERO {
        return (
            RigidState { position: state.position + ahead * state.velocity, ..*state },
            DQuat::IDENTITY,
        );
    }
    let turn = exponential(ahead * state.spin);
    let (position, rotation) = (state.position + ahead * state.velocity, turn * state.rotation);
    (RigidState { position, rotation, ..*state }, turn.inverse())
}

/// A spring of the model.
#[derive(Clone, Debug)]
pub struct SpringRow {
    /// Name for messages and results.
    pub name: String,
    /// The rigid things at its ends.
    pub between: [RigidId; 2],
    /// Its ends in the axes of each [m].
    pub points: [DVec3; 2],
    /// k and c.
    pub elastic: Elastic,
    /// l₀ [m].
    pub rest_length: f64,
}

impl SpringRow {
    fn is_present(&self, at: &Instant<'_>) -> bool {
        self.between.iter().all(|id| at.is_present(id.0 as usize))
    }

    /// End `k` in world axes; one at the centre of its rigid thing does not turn with it.
    #[inline]
    fn end(&self, k: usize, state: &RigidState) -> DVec3 {
        if self.points[k] == DVec3::ZERO { state.position } else { state.point(self.points[k]) }
    }

    /// From its first end to its second at an instant [m].
    #[inline]
    fn vector(&self, [a, b]: [&RigidState; 2]) -> DVec3 {
        self.end(1, b) - self.end(0, a)
    }

    /// l − l₀ at an instant [m].
    #[inline(always)]
    fn stretch(&self, at: &Instant<'_>) -> f64 {
        self.vector(self.between.map(|id| at.rigid(id))).length() - self.rest_length
    }

    /// The spring at an instant.
    #[inline(always)]
    fn now(&self, at: &Instant<'_>) -> Stretched {
        let [a, b] = self.between.map(|id| at.rigid(id));
        let ends = [self.end(0, a), self.end(1, b)];
        let vector = ends[1] - ends[0];
        let length = vector.length();
        // A spring of no length has no direction and pulls nowhere.
        let along = if length > 0.0 { vector / length } else { DVec3::ZERO };
        let arms = [self.arm(0, a), self.arm(1, b)];
        Stretched { length, along, arms, back: [DQuat::IDENTITY; 2] }
    }

    /// From the origin of its rigid thing to end `k`, in world axes.
    #[inline(always)]
    fn arm(&self, k: usize, state: &RigidState) -> DVec3 {
        if self.points[k] == DVec3::ZERO { DVec3::ZERO } else { state.rotation * self.points[k] }
    }

    /// End `k` after the time `ahead` [s]: its place, its arm and what turns vectors back from there.
    #[inline(always)]
    fn end_ahead(&self, k: usize, state: &RigidState, ahead: f64) -> (DVec3, DVec3, DQuat) {
        if self.points[k] == DVec3::ZERO {
            return (state.position + ahead * state.velocity, DVec3::ZERO, DQuat::IDENTITY);
        }
        let (there, back) = advanced(state, ahead);
        let arm = there.rotation * self.points[k];
        (there.position + arm, arm, back)
    }

    /// The spring after the time `ahead` [s] at the velocities of an instant.
    #[inline(always)]
    fn stretched(&self, at: &Instant<'_>, ahead: f64) -> Stretched {
        self.stretched_from(at, ahead).0
    }

    /// The same, and its length at the instant itself [m].
    #[inline(always)]
    fn stretched_from(&self, at: &Instant<'_>, ahead: f64) -> (Stretched, f64) {
        if ahead == 0.0 {
            let now = self.now(at);
            return (now, now.length);
        }
        let [a, b] = self.between.map(|id| at.rigid(id));
        let start = self.vector([a, b]);
        let (along, start_length) = direction(start);
        let (from, arm_a, back_a) = self.end_ahead(0, a, ahead);
        let (to, arm_b, back_b) = self.end_ahead(1, b, ahead);
        let end = to - from;
        // It turns as its ends move across it. Along it they may pass each other, which a linear spring does not mind:
        // a stiff one with a large step does so within a step.
        let across = end - along.dot(end) * along;
        let (along, _) = direction(start + across);
        let (arms, back) = ([arm_a, arm_b], [back_a, back_b]);
        (Stretched { length: along.dot(end), along, arms, back }, start_length)
    }

    /// l̇ at an instant [m/s].
    #[inline(always)]
    fn rate_now(&self, at: &Instant<'_>) -> f64 {
        let [a, b] = self.between.map(|id| at.rigid(id));
        let now = self.now(at);
        let end = |k: usize, state: &RigidState| match now.arms[k] == DVec3::ZERO {
            true => state.velocity,
            false => state.velocity + state.spin.cross(now.arms[k]),
        };
        now.along.dot(end(1, b) - end(0, a))
    }

    #[inline]
    fn rate(&self, row: &PairRow, at: &Instant<'_>) -> f64 {
        let [a, b] = self.between.map(|id| at.rigid(id));
        a.power(&row.on_a) + b.power(&row.on_b)
    }

    fn add(&self, model: &Model, force: f64, row: &PairRow, out: &mut [f64]) {
        model.rigid.add_row(self.between[0], force, &row.on_a, out);
        model.rigid.add_row(self.between[1], force, &row.on_b, out);
    }
}

/// The family of springs.
pub struct Springs {
    family: u8,
    law: LawId,
    springs: Vec<SpringRow>,
}

impl Springs {
    /// Family number `family` of the model, with the law of elastic rows.
    pub fn new(family: u8, law: LawId, springs: Vec<SpringRow>) -> Self {
        Self { family, law, springs }
    }

    fn push(&self, number: usize, at: &Instant<'_>, active: &mut ActiveConstraints) {
        let spring = &self.springs[number];
        let rate = spring.rate_now(at);
        active.push(ConstraintId::member(self.family, number), self.law, 0.0, &[rate]);
    }

    fn spring(&self, active: &ActiveConstraints, c: usize) -> &SpringRow {
        &self.springs[active.ids[c].number()]
    }

    /// D and offset of all springs at once, where nothing moves as prescribed.
    fn set_all_offsets(&self, at: &Pass<'_>, active: &mut ActiveConstraints) {
        let own = active.own[self.family as usize].clone();
        let (rows, n_rows) = (active.rows_of(&own), active.n_rows());
        active.compliance.resize(n_rows, 0.0);
        let ActiveConstraints { ids, jacobian, offset, compliance, .. } = active;
        let offset = &mut offset[rows.clone()];
        jacobian.multiply_some(own.clone(), at.now.v, offset);
        for ((id, offset), compliance) in ids[own].iter().zip(offset).zip(&mut compliance[rows]) {
            *offset = -*offset;
            *compliance = compliance_of(self.springs[id.number()].elastic, at);
        }
    }
}

impl ConstraintFamily for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn n_members(&self) -> usize {
        self.springs.len()
    }

    fn member_name(&self, number: usize) -> &str {
        &self.springs[number].name
    }

    fn describe(&self, _model: &Model, id: ConstraintId) -> String {
        format!("spring `{}`", self.springs[id.number()].name)
    }

    fn law(&self, _model: &Model, _id: ConstraintId) -> LawId {
        self.law
    }

    fn is_linear(&self, _model: &Model) -> bool {
        // Everything is evaluated from the start of the step.
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
        for (number, spring) in self.springs.iter().enumerate() {
            if spring.is_present(at) && takes_part(model, part, spring.between) {
                self.push(number, at, active);
            }
        }
        Ok(())
    }

    fn append(
        &self,
        _model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let there = ids.iter().map(|id| id.number()).filter(|&k| self.springs[k].is_present(at));
        there.for_each(|number| self.push(number, at, active));
        Ok(())
    }

    fn is_of_bodies(&self) -> bool {
        true
    }

    fn between(&self, _model: &Model, number: usize) -> [RigidId; 2] {
        self.springs[number].between
    }

    fn extract(&self, renamed: &Renamed<'_>, numbers: &[u32]) -> Option<Box<dyn ConstraintFamily>> {
        let own = |&k: &u32| {
            let spring = &self.springs[k as usize];
            let [a, b] = spring.between.map(|id| renamed.id(id));
            Some(SpringRow { between: [a?, b?], ..spring.clone() })
        };
        Some(Box::new(Self::new(self.family, self.law, numbers.iter().map(own).collect::<Option<_>>()?)))
    }

    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        let own = rows.chosen(part, self.family);
        let spring = |id: ConstraintId| &self.springs[id.number()];
        let bodies = |id: ConstraintId| spring(id).between.map(|id| model.rigid.solver_body(id));
        rows.pairs(own, bodies, |id, [on_a, on_b]| {
            let stretched = spring(id).stretched(&at.now, at.implicit.ahead);
            (on_a[0], on_b[0]) = (stretched.on(0), stretched.on(1));
        });
        Ok(())
    }

    fn set_offsets(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        _level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let has_motion = model.rigid.has_motion();
        if !has_motion && part.constraints.is_all() {
            self.set_all_offsets(at, active);
            return Ok(());
        }
        for c in part.constraints.within(active.own[self.family as usize].clone()) {
            let spring = self.spring(active, c);
            let mut rate = [0.0; 2];
            if has_motion && spring.between.iter().any(|id| model.rigid.is_driven(*id)) {
                let row = spring.stretched(&at.now, at.implicit.ahead).row();
                rate = driven_rates(model, spring.between, at, [&row.on_a, &row.on_b]);
                write_rate(active, active.rows(c).start, rate);
            }
            write_elastic(spring.elastic, at, rate[1] - rate[0], c, active);
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
            let spring = self.spring(active, c);
            spring.add(model, lambda[active.rows(c).start], &spring.now(at).row(), out);
        }
        Ok(())
    }

    fn curvature(
        &self,
        _model: &Model,
        _at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        out[active.rows_of(&active.own[self.family as usize])].fill(0.0);
        Ok(())
    }

    fn column(&self, _model: &Model, _law: LawId, _row: usize) -> Column {
        Column::Own
    }

    fn works(&self, _model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        for c in step.active.own[self.family as usize].clone() {
            let spring = self.spring(step.active, c);
            let (stretched, start) = spring.stretched_from(&step.now, step.ahead);
            let ends = [start - spring.rest_length, spring.stretch(&step.next)];
            let ahead = stretched.length - spring.rest_length;
            book_elastic(spring.elastic, ahead, ends, (step, c), works);
        }
        Ok(())
    }

    fn potential(&self, _model: &Model, at: &Instant<'_>) -> StepResult<f64> {
        let present = self.springs.iter().filter(|spring| spring.is_present(at));
        let energy = |s: &SpringRow| s.elastic.potential(s.stretch(at));
        Ok(present.map(energy).sum())
    }

    fn spoils_energy(&self, _model: &Model) -> Option<String> {
        self.springs.first().map(|spring| spring.name.clone())
    }

    fn is_elastic(&self) -> bool {
        true
    }

    fn damping(&self, id: ConstraintId) -> f64 {
        self.springs[id.number()].elastic.damping
    }

    fn elastic_power(&self, model: &Model, at: &Instant<'_>, power: &mut Works) {
        for spring in self.springs.iter().filter(|spring| spring.is_present(at)) {
            let now = spring.now(at);
            let stretch = now.length - spring.rest_length;
            add_power(model, (spring.elastic, stretch), spring.between, (&now.row(), at), power);
        }
    }

    fn elastic_forces(
        &self,
        model: &Model,
        at: &Instant<'_>,
        ahead: f64,
        out: &mut [f64],
    ) -> StepResult {
        for spring in self.springs.iter().filter(|spring| spring.is_present(at)) {
            let (stretched, elastic) = (spring.stretched(at, ahead), &spring.elastic);
            let row = stretched.row();
            let rate = if elastic.damping == 0.0 { 0.0 } else { spring.rate(&row, at) };
            spring.add(model, -elastic.force(stretched.length - spring.rest_length, rate), &row, out);
        }
        Ok(())
    }
}
