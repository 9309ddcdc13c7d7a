//! Which closed contacts stay: the acceleration-level problem, after a projection on y = 0, u = 0.
//!
//! ```text
//! q ← q ⊖ M⁻¹ Jᵀ W⁻¹ y (repeated),   v ← v − M⁻¹ Jᵀ W⁻¹ u          (nearest in the metric of M)
//! 0 ≤ ÿ ⟂ λ ≥ 0,   ÿ = W λ + J M⁻¹ f + curvature                    (joints: ÿ = 0)
//! ```
//!
//! Contacts with λ > 0 bear and are held; those with ÿ > 0 leave; those with neither are idle and held too, behind
//! the others: where the contacts outnumber the freedoms, the forces then rest on those that bear.

use super::closed::Closed;
use super::course::Course;
use super::motion::Motion;
use super::point::add;
use super::rows::ConstraintStatus;
use crate::error::{StepError, StepResult};
use crate::log::{StepLog, Works};
use crate::model::Model;
use crate::phases::SolverSettings;

/// Most projections of the positions. Newton's method doubles the digits each time; three are common.
const PROJECTIONS: usize = 20;
/// Gap up to which a projection that no longer improves is at rounding, relative to the terms of the gap: a thousand
/// roundings, for M and W of bad condition.
const CLOSE_ENOUGH: f64 = 1e3;

/// What is done with contacts that last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// They are held at gap zero.
    #[default]
    Closed,
    /// They are held where they are.
    Held,
    /// They carry no force between impacts.
    Ignored,
}

/// The contacts that are to be judged.
#[derive(Default)]
pub(crate) struct Candidates {
    /// Contacts with y = 0, u = 0, sorted.
    pub(crate) closed: Vec<usize>,
    /// Those among them whose force was seen to pull at this instant.
    pub(crate) pulling: Vec<usize>,
    pub(crate) lasting: Lasting,
    rows: Vec<usize>,
    bearing: Vec<usize>,
    keys: Vec<usize>,
    a: Vec<f64>,
    correction: Vec<f64>,
    change: Vec<f64>,
    rank: Vec<Rank>,
}

/// What becomes of a row, in the order in which rows are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Joint,
    /// λ > 0.
    Bears,
    /// λ = ÿ = 0.
    Idle,
    /// Idle, after its force was seen to pull.
    Pulled,
    /// ÿ > 0.
    Leaves,
}

impl Candidates {
    /// Closes the candidates and decides on the mode; leaves the course at the closed point.
    pub(crate) fn choose_mode(
        &mut self,
        model: &Model,
        course: &mut Course,
        mode: &mut Vec<usize>,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        mode.clear();
        mode.extend(course.motion.watched.joints());
        if self.lasting == Lasting::Ignored {
            self.closed.clear();
        }
        self.rows.clear();
        self.rows.extend_from_slice(mode);
        self.rows.extend_from_slice(&self.closed);
        let rows = std::mem::take(&mut self.rows);
        let done = self.close(model, course, &rows);
        self.rows = rows;
        done?;
        if !self.closed.is_empty() {
            self.judge(model, course, settings, log)?;
            self.reduce(model, course)?;
            self.hold(model, course, mode)?;
        }
        course.arrive(model, mode)
    }

    /// Projects the present point on y = 0 and u = 0 of `rows`, joints first; on u = 0 alone where contacts are held
    /// where they are.
    pub(crate) fn close(&mut self, model: &Model, course: &mut Course, rows: &[usize]) -> StepResult {
        if rows.is_empty() {
            return Ok(());
        }
        let always = &course.motion.watched.always;
        let placed = match self.lasting {
            Lasting::Closed => rows,
            _ => &rows[..rows.iter().take_while(|&&key| always[key]).count()],
        };
        self.place(model, course, placed)?;
        let Course { motion, at, .. } = course;
        if placed.len() < rows.len() {
            motion.gather(model, rows, at)?;
        }
        self.correct(model, motion, |s| s.u);
        add(1.0, &self.change, &mut at.v);
        Ok(())
    }

    /// Projects the position on y = 0 of `rows`; leaves them gathered.
    fn place(&mut self, model: &Model, course: &mut Course, rows: &[usize]) -> StepResult {
        let Course { motion, at, .. } = course;
        let mut last = f64::INFINITY;
        for iterations in 0.. {
            motion.gather(model, rows, at)?;
            let Some((worst, share)) = worst_gap(&motion.closed) else { break };
            if share <= 1.0 || share <= CLOSE_ENOUGH && share >= last {
                break;
            }
            if iterations == PROJECTIONS || !share.is_finite() {
                let constraint = model.describe(motion.watched.id(rows[worst]));
                let gap = motion.closed.status[worst].gap;
                return Err(StepError::NotClosed { constraint, gap, iterations }.into());
            }
            last = share;
            self.correct(model, motion, |s| s.gap);
            motion.retract(model, &mut self.change, &mut at.q);
        }
        Ok(())
    }

    /// change ← −M⁻¹ Jᵀ W⁻¹ value, as velocities of the state.
    fn correct(&mut self, model: &Model, motion: &Motion, value: impl Fn(&ConstraintStatus) -> f64) {
        let closed = &motion.closed;
        self.correction.clear();
        self.correction.extend(closed.status.iter().map(|s| -value(s)));
        closed.factor.solve(&mut self.correction);
        self.change.clear();
        self.change.resize(model.n_velocities(), 0.0);
        closed.push(&self.correction, &mut self.change);
        motion.to_state(model, &mut self.change);
    }

    /// Solves the acceleration-level problem and ranks the rows.
    fn judge(
        &mut self,
        model: &Model,
        course: &mut Course,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let Course { motion, contact, at, .. } = course;
        let (rows, a) = (&self.rows, &mut self.a);
        motion.free(model, at, a, &mut Works::default())?;
        motion.gather(model, rows, at)?;
        motion.curve(model, rows)?;
        let (closed, watched) = (&motion.closed, &motion.watched);
        let rhs = |i: usize| closed.along(i, a) + closed.curvature[i];
        contact.solve(model, (watched, rows), closed, rhs, settings, log)?;
        self.rank.clear();
        let size = |i: usize| closed.size_along(i, a) + closed.curvature[i].abs();
        let noise = motion.noise * (0..rows.len()).map(size).fold(0.0, f64::max);
        for (i, key) in rows.iter().enumerate() {
            let bears = contact.x[i] * closed.delassus[i * rows.len() + i] > noise;
            self.rank.push(if watched.always[*key] {
                Rank::Joint
            } else if bears {
                Rank::Bears
            } else if contact.slack[i] > noise {
                Rank::Leaves
            } else {
                self.idle(*key)
            });
        }
        Ok(())
    }

    fn idle(&self, key: usize) -> Rank {
        if self.pulling.contains(&key) { Rank::Pulled } else { Rank::Idle }
    }

    /// Brings the forces to as few contacts as can carry them: where the contacts that bear depend on each other, force
    /// is shifted along the dependence until one of them carries none and becomes idle.
    fn reduce(&mut self, model: &Model, course: &mut Course) -> StepResult {
        let Course { motion, contact, at, .. } = course;
        loop {
            let bear = |i: &usize| self.rank[*i] <= Rank::Bears;
            self.bearing.clear();
            self.bearing.extend((0..self.rows.len()).filter(bear));
            self.keys.clear();
            self.keys.extend(self.bearing.iter().map(|&i| self.rows[i]));
            motion.gather(model, &self.keys, at)?;
            let (m, closed) = (self.bearing.len(), &motion.closed);
            let is_contact = |k: &usize| self.rank[self.bearing[*k]] == Rank::Bears;
            let dependent = (0..m).filter(is_contact).find(|&k| closed.factor.dependent[k]);
            let Some(k) = dependent else { return Ok(()) };
            // J_k = Σ c_i J_i: what k gives up, the others take over with weights c.
            self.correction.clear();
            self.correction.extend((0..m).map(|i| closed.delassus[i * m + k]));
            closed.factor.solve(&mut self.correction);
            let (mut shift, mut last) = (contact.x[self.bearing[k]], k);
            for (i, &c) in self.correction.iter().enumerate() {
                let x = contact.x[self.bearing[i]];
                if c < 0.0 && is_contact(&i) && x < -c * shift {
                    (shift, last) = (-x / c, i);
                }
            }
            for (i, &c) in self.correction.iter().enumerate() {
                contact.x[self.bearing[i]] += c * shift;
            }
            contact.x[self.bearing[k]] -= shift;
            let last = self.bearing[last];
            self.rank[last] = self.idle(self.rows[last]);
        }
    }

    /// The mode in the order of the ranks. A contact that pulled and is idle now stays only if it depends on others.
    fn hold(&mut self, model: &Model, course: &mut Course, mode: &mut Vec<usize>) -> StepResult {
        mode.clear();
        for rank in [Rank::Joint, Rank::Bears, Rank::Idle, Rank::Pulled] {
            let ranked = self.rows.iter().zip(&self.rank).filter(|(_, r)| **r == rank);
            mode.extend(ranked.map(|(key, _)| key));
        }
        let n_sure = self.rank.iter().filter(|rank| **rank < Rank::Pulled).count();
        if n_sure < mode.len() {
            let Course { motion, at, .. } = course;
            motion.gather(model, mode, at)?;
            let dependent = &motion.closed.factor.dependent;
            let mut place = 0;
            mode.retain(|_| {
                place += 1;
                place <= n_sure || dependent[place - 1]
            });
        }
        Ok(())
    }
}

/// The independent row whose gap is largest against its rounding.
fn worst_gap(closed: &Closed) -> Option<(usize, f64)> {
    let rows = closed.status.iter().enumerate().filter(|(i, _)| !closed.factor.dependent[*i]);
    rows.map(|(i, s)| (i, if s.gap == 0.0 { 0.0 } else { s.gap.abs() / s.closed }))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}
