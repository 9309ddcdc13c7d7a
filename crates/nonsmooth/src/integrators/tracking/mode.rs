//! Which closed contacts stay: the acceleration-level problem, after a projection on y = 0, u = 0.
//!
//! ```text
//! q ← q ⊖ M⁻¹ Jᵀ W⁻¹ y (repeated),   v ← v − M⁻¹ Jᵀ W⁻¹ u          (nearest in the metric of M)
//! 0 ≤ ÿ ⟂ λ ≥ 0,   ÿ = W λ + J M⁻¹ f + curvature                    (joints: ÿ = 0)
//! with friction:  u_T ≠ 0: λ_T = −μ λ_N u_T/‖u_T‖;     u_T = 0: ‖λ_T‖ ≤ μ λ_N and u̇_T = 0, or λ_T = −μ λ_N u̇_T/‖u̇_T‖
//! ```
//!
//! Contacts with λ > 0 bear and are held; those with ÿ > 0 leave; those with neither are idle and held too, behind
//! the others: where the contacts outnumber the freedoms, the forces then rest on those that bear. A contact without slip whose
//! tangential acceleration is none sticks; it slides in the direction of that acceleration where there is one. Each contact has its own
//! answer. Where sliding has no solution (Painlevé's paradox) an impact without collision goes before (`path.rs`); where it has several, the
//! solver's is taken, and the log says so.

use super::closed::Closed;
use super::contact::{Block, fill_blocks};
use super::course::Course;
use super::form::lasting_set;
use super::grip::{Hold, Mode, sliding_ratio};
use super::motion::Motion;
use super::point::add;
use super::rows::ConstraintStatus;
use crate::error::{StepError, StepResult};
use crate::log::{StepLog, Works};
use crate::model::Model;
use crate::phases::SolverSettings;
use nonsmooth_solvers::Set;

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
    /// Contacts that slid and have come to a stop at this instant, or stuck and are beyond their cone: with their friction of sliding.
    pub(crate) stopped: Vec<usize>,
    pub(crate) released: Vec<usize>,
    /// Slip that is none after an impact, whose impulses are those of a solver [m/s].
    pub(crate) slip_noise: f64,
    pub(crate) lasting: Lasting,
    /// Joints and closed contacts, each with all of its rows.
    rows: Vec<usize>,
    /// The rows that are closed: those without the tangents that slide.
    close: Vec<usize>,
    blocks: Vec<Block>,
    contacts: Vec<(usize, Hold)>,
    /// What the contacts do along their tangents, by place of the normal in `rows`.
    holds: Vec<Hold>,
    bearing: Vec<usize>,
    keys: Vec<usize>,
    a: Vec<f64>,
    correction: Vec<f64>,
    change: Vec<f64>,
    rank: Vec<Rank>,
    /// Acceleration that is none [m/s²].
    noise: f64,
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
    /// What it does is said by its contact.
    Tangent,
}

impl Candidates {
    /// Closes the candidates and decides on the mode; leaves the course at the closed point. False where no accelerations exist.
    pub(crate) fn choose_mode(
        &mut self,
        model: &Model,
        course: &mut Course,
        mode: &mut Mode,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult<bool> {
        if self.lasting == Lasting::Ignored {
            self.closed.clear();
        }
        mode.assemble(&course.motion.watched, &[]);
        self.gather(course);
        self.find_slips(model, course)?;
        let n_placed = mode.rows.len() + self.closed.len();
        let close = std::mem::take(&mut self.close);
        let done = self.close(model, course, &close, n_placed);
        self.close = close;
        done?;
        if !self.closed.is_empty() {
            if !self.judge(model, course, settings, log)? {
                return Ok(false);
            }
            if course.motion.watched.tangent.contains(&true) {
                self.decide(course);
            } else {
                self.reduce(model, course)?;
            }
            self.hold(model, course, mode)?;
        }
        self.slip_noise = 0.0;
        self.stopped.clear();
        self.released.clear();
        course.arrive(model, mode)?;
        Ok(true)
    }

    /// All rows of the joints and of the closed contacts.
    fn gather(&mut self, course: &Course) {
        let watched = &course.motion.watched;
        self.rows.clear();
        self.rows.extend(watched.joints());
        for &key in &self.closed {
            self.rows.extend(key..=key + watched.n_tangents(key));
        }
    }

    /// Finds who slides, and what is to be closed: joints, normals, and the tangents of who does not.
    fn find_slips(&mut self, model: &Model, course: &mut Course) -> StepResult {
        let Course { motion, at, .. } = course;
        let Candidates { rows, holds, close, closed: keys, .. } = self;
        holds.clear();
        holds.resize(rows.len(), Hold::Smooth);
        close.clear();
        close.extend(motion.watched.joints());
        close.extend_from_slice(keys);
        if rows.len() == close.len() {
            return Ok(());
        }
        motion.gather(model, rows, at)?;
        let (watched, status) = (&motion.watched, &motion.closed.status);
        for (i, &key) in rows.iter().enumerate().filter(|(_, key)| !watched.always[**key]) {
            let n = watched.n_tangents(key);
            if watched.tangent[key] || n == 0 {
                continue;
            }
            let tangents = &status[i + 1..=i + n];
            let speed = tangents.iter().map(|s| s.u * s.u).sum::<f64>().sqrt();
            let still = tangents.iter().map(|s| s.still).sum::<f64>().max(self.slip_noise);
            if speed > still && !self.stopped.contains(&key) {
                let along = |k: usize| tangents.get(k).map_or(0.0, |s| s.u / speed);
                holds[i] = Hold::Slides([along(0), along(1)]);
            } else {
                holds[i] = Hold::Sticks;
                close.extend(key + 1..=key + n);
            }
        }
        Ok(())
    }

    /// Projects the present point on y = 0 of the first `n_placed` of `rows`, joints first, and on u = 0 of all of them; on u = 0 alone
    /// where contacts are held where they are.
    pub(crate) fn close(
        &mut self,
        model: &Model,
        course: &mut Course,
        rows: &[usize],
        n_placed: usize,
    ) -> StepResult {
        if rows.is_empty() {
            return Ok(());
        }
        let always = &course.motion.watched.always;
        let placed = match self.lasting {
            Lasting::Closed => &rows[..n_placed],
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

    /// Solves the acceleration-level problem and ranks the rows; false if it has no solution.
    fn judge(
        &mut self,
        model: &Model,
        course: &mut Course,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult<bool> {
        let Course { motion, contact, at, .. } = course;
        let Candidates { rows, a, blocks, holds, .. } = self;
        motion.free(model, at, a, &mut Works::default())?;
        motion.gather(model, rows, at)?;
        motion.curve(model, rows)?;
        let (closed, watched) = (&motion.closed, &motion.watched);
        let (stopped, released) = (&self.stopped, &self.released);
        fill_blocks(watched, rows, blocks, |key, own| {
            let law = closed.law(model, watched, key);
            let tangents = &closed.status[own.start + 1..own.end];
            match holds[own.start] {
                Hold::Slides(d) => (Set::Nonnegative, Some(sliding_ratio(law, d, tangents))),
                // What slid is held by its friction of sliding until it has come to rest.
                _ => {
                    let slid = stopped.contains(&key) || released.contains(&key);
                    let slip = if slid { f64::MIN_POSITIVE } else { 0.0 };
                    (lasting_set(law, &[slip; 2][..own.len() - 1]), None)
                }
            }
        });
        let rhs = |i: usize| closed.along(i, a) + closed.curvature[i];
        let solutions = contact.count_solutions(closed, blocks, rhs, settings.tolerance);
        if solutions == Some(0) {
            return Ok(false);
        }
        contact.solve(model, (watched, rows), (closed, blocks), rhs, settings, log)?;
        if solutions > Some(1) {
            log.note(contact.choice(blocks), 1.0);
        }
        self.rank.clear();
        let size = |i: usize| closed.size_along(i, a) + closed.curvature[i].abs();
        self.noise = motion.noise * (0..rows.len()).map(size).fold(0.0, f64::max);
        for (i, key) in rows.iter().enumerate() {
            let bears = contact.x[i] * closed.delassus[i * rows.len() + i] > self.noise;
            self.rank.push(if watched.always[*key] {
                Rank::Joint
            } else if watched.tangent[*key] {
                Rank::Tangent
            } else if bears {
                Rank::Bears
            } else if contact.slack[i] > self.noise {
                Rank::Leaves
            } else if self.pulling.contains(key) {
                Rank::Pulled
            } else {
                Rank::Idle
            });
        }
        Ok(true)
    }

    /// Who of those without slip sticks, and where the others slide to.
    fn decide(&mut self, course: &Course) {
        let Course { motion, contact, .. } = course;
        for (i, hold) in self.holds.iter_mut().enumerate().filter(|(_, hold)| **hold == Hold::Sticks) {
            let n = motion.watched.n_tangents(self.rows[i]);
            let slack = &contact.slack[i + 1..=i + n];
            let size = slack.iter().map(|a| a * a).sum::<f64>().sqrt();
            if size > self.noise {
                let along = |k: usize| slack.get(k).map_or(0.0, |a| a / size);
                *hold = Hold::Slides([along(0), along(1)]);
            }
        }
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
    fn hold(&mut self, model: &Model, course: &mut Course, mode: &mut Mode) -> StepResult {
        let Candidates { rows, rank, holds, contacts, .. } = self;
        contacts.clear();
        for wanted in [Rank::Bears, Rank::Idle, Rank::Pulled] {
            let ranked = (0..rows.len()).filter(|&i| rank[i] == wanted);
            contacts.extend(ranked.map(|i| (rows[i], holds[i])));
        }
        let n_pulled = rank.iter().filter(|rank| **rank == Rank::Pulled).count();
        let Course { motion, at, .. } = course;
        mode.assemble(&motion.watched, contacts);
        if n_pulled > 0 {
            let n_sure = mode.n_placed - n_pulled;
            motion.gather(model, &mode.rows[..mode.n_placed], at)?;
            let n_joints = mode.n_placed - contacts.len();
            let dependent = &motion.closed.factor.dependent;
            let mut place = n_joints;
            contacts.retain(|_| {
                place += 1;
                place <= n_sure || dependent[place - 1]
            });
            mode.assemble(&motion.watched, contacts);
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
