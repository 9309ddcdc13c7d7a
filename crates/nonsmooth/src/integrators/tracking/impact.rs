//! The impact on a bracket: Moreau–Jean's step over its width δ, at velocity level.
//!
//! ```text
//! v⁻ = v + δ v̇,   0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0 on contacts, u⁺ = 0 on joints,   u⁺ = u⁻ + W p,   q⁺ = q + δ v⁺
//! ```
//!
//! with H and M at the left end of the bracket; δ = 0 is an impact at fixed q. Since q moves with v⁺, no gap is
//! negative afterwards, up to δ². Contacts that were closed take part with u⁻ = 0. [Acary10, eq. (48), (53)]

use super::course::Course;
use super::record::{Hit, Record};
use super::runge_kutta::add;
use super::settle::Candidates;
use crate::error::StepResult;
use crate::integrators::Solving;
use crate::log::StepLog;
use crate::model::{Key, Model};
use crate::phases::factorize_mass;

/// The constraints that take part in an impact and what became of them.
#[derive(Default)]
pub(crate) struct Impact {
    /// Joints, closed contacts and contacts that are hit, sorted.
    pub(crate) rows: Vec<usize>,
    /// Contacts whose restitution is not used: those closed before, and those that come to rest.
    pub(crate) soft: Vec<usize>,
    /// Relative velocities after it [m/s].
    pub(crate) u_plus: Vec<f64>,
    u_minus: Vec<f64>,
    /// Velocities that count as none [m/s].
    still: Vec<f64>,
    impulse: Vec<f64>,
    rate: Vec<f64>,
    restitution: Vec<f64>,
}

impl Impact {
    /// Chooses who takes part: the constraints closed before, and those hit; false if none is hit.
    pub(crate) fn gather(&mut self, mode: &[usize], hit: impl Iterator<Item = usize>) -> bool {
        self.soft.clear();
        self.soft.extend_from_slice(mode);
        self.rows.clear();
        self.rows.extend_from_slice(mode);
        self.rows.extend(hit);
        self.rows.sort_unstable();
        self.rows.len() > mode.len()
    }

    /// Moves the course over the bracket of width `delta`.
    pub(crate) fn strike(
        &mut self,
        model: &Model,
        course: &mut Course,
        delta: f64,
        solving: &mut Solving,
        log: &mut StepLog,
    ) -> StepResult {
        let Course { motion, rk, contact, at, .. } = course;
        add(delta, &rk.start.a, &mut at.v);
        factorize_mass(model, &at.q, &mut motion.factors)?;
        motion.closed.fill(model, &self.rows, at, &mut motion.factors, &motion.scale)?;
        let closed = &motion.closed;
        self.u_minus.clear();
        self.restitution.clear();
        self.rate.clear();
        self.still.clear();
        for (&key, standing) in self.rows.iter().zip(&closed.standing) {
            // What comes at no speed is not thrown back: a contact that closes softly.
            let soft = standing.u.abs() <= standing.still || self.soft.contains(&key);
            let e = if soft { 0.0 } else { model.law(Key(key as u64)).restitution };
            self.restitution.push(e);
            self.u_minus.push(standing.u);
            self.rate.push(standing.rate);
            self.still.push(standing.still);
        }
        let rhs = |i: usize| (1.0 + self.restitution[i]) * self.u_minus[i];
        contact.solve(model, &self.rows, closed, rhs, solving, log)?;
        self.impulse.clone_from(&contact.x);
        closed.push(&self.impulse, &mut at.v);
        self.u_plus.clear();
        let plus = |i: usize| contact.slack[i] - self.restitution[i] * self.u_minus[i];
        self.u_plus.extend((0..self.rows.len()).map(plus));
        let Course { at, .. } = course;
        let v = std::mem::take(&mut at.v);
        add(delta, &v, &mut at.q);
        at.v = v;
        course.pass(delta);
        Ok(())
    }

    /// The contacts that came, or were closed, and do not part.
    pub(crate) fn closing(&self, model: &Model, candidates: &mut Candidates) {
        candidates.closed.clear();
        candidates.pulling.clear();
        for (i, &key) in self.rows.iter().enumerate() {
            let stays = self.u_minus[i] <= self.still[i] && self.u_plus[i] <= self.still[i];
            if stays && !model.constraints.always[key] {
                candidates.closed.push(key);
            }
        }
    }

    /// Contacts that are thrown back or part, with their speed before and after [m/s].
    pub(crate) fn parting<'a>(
        &'a self,
        model: &'a Model,
        mode: &'a [usize],
    ) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
        let rows = (0..self.rows.len()).filter(move |&i| {
            let (key, parts) = (self.rows[i], self.u_plus[i] > 0.0);
            let thrown = self.restitution[i] > 0.0 && self.impulse[i] > 0.0;
            parts && !model.constraints.always[key] && (thrown || !mode.contains(&key))
        });
        rows.map(|i| (self.rows[i], -self.u_minus[i], self.u_plus[i]))
    }

    /// The contacts that carry an impulse.
    pub(crate) fn carrying(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.rows.iter().zip(&self.impulse).filter(|(_, p)| **p != 0.0);
        rows.map(|(&key, _)| key)
    }

    /// Books what happened.
    pub(crate) fn book(&self, model: &Model, t: f64, record: &mut Record, log: &mut StepLog) {
        for (i, &key) in self.rows.iter().enumerate() {
            let (u_minus, u_plus) = (self.u_minus[i], self.u_plus[i]);
            let (impulse, rate) = (self.impulse[i], self.rate[i]);
            record.hit(model, &Hit { t, key, u_minus, u_plus, impulse, rate }, log);
        }
    }

    pub(crate) fn poison(&mut self) {
        let Impact { u_plus, u_minus, still, impulse, rate, restitution, .. } = self;
        for x in [u_plus, u_minus, still, impulse, rate, restitution] {
            x.fill(f64::NAN);
        }
    }
}
