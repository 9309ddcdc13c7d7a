//! The impact on a bracket of width δ, at velocity level.
//!
//! ```text
//! v⁻ = v + δ v̇,   M (v⁺ − v⁻) = Jᵀ p by the impact form of the laws, u⁺ = 0 on joints,   q⁺ = q ⊕ δ v⁺
//! ```
//!
//! with J and M at the left end of the bracket; δ = 0 is an impact at fixed q. Since q moves with v⁺, no gap is
//! negative afterwards, up to δ². W is formed and solved to rounding: what rests must not part by a solver's tolerance. Contacts that were closed, or come at no speed, take part by the contact form of their
//! law. [Acary10, eq. (48), (53)]

use super::contact::{Block, Contact, fill_blocks};
use super::course::Course;
use super::form::{MOST_ROWS, RowForm};
use super::grip::Mode;
use super::mode::Candidates;
use super::motion::Motion;
use super::point::add;
use super::record::{Hit, Record};
use super::watched::Watched;
use crate::error::{StepError, StepResult};
use crate::laws::AlongPath;
use crate::laws::path::{Island, Member, follow};
use crate::log::StepLog;
use crate::model::Model;
use crate::phases::{SolverSettings, reached};
use nonsmooth_solvers::{Set, Sparse};

/// Speed of what presses in an impact without collision, relative to the slip: far above rounding, and as far below what it does.
const PRESS: f64 = 1e-8;

/// The rows that take part in an impact and what became of them.
#[derive(Default)]
pub(crate) struct Impact {
    /// Joints, closed contacts and contacts that are hit, sorted.
    pub(crate) rows: Vec<usize>,
    /// Contacts that come to rest: their rebound is not used, and what others throw them up is taken back.
    pub(crate) resting: Vec<usize>,
    /// Rows that were closed before.
    closed: Vec<usize>,
    /// Relative velocities after it [m/s].
    u_plus: Vec<f64>,
    u_minus: Vec<f64>,
    /// Velocities that count as none [m/s].
    still: Vec<f64>,
    impulse: Vec<f64>,
    rate: Vec<f64>,
    /// Whether a contact may be thrown back by its law, by block.
    rebounds: Vec<bool>,
    /// Whose law has its impact form in the present phase, then in the next, by block.
    goes_on: Vec<bool>,
    /// Impulses of the last phase, and what the laws say in the present one.
    before: Vec<f64>,
    shift: Vec<f64>,
    given: Vec<f64>,
    change: Vec<f64>,
    blocks: Vec<Block>,
    /// Whether contacts that come at no speed are pressed all the same: an impact without collision.
    pub(crate) presses: bool,
}

impl Impact {
    /// Chooses who takes part: the rows closed before, and those hit; false if none is hit.
    pub(crate) fn gather(
        &mut self,
        watched: &Watched,
        mode: &Mode,
        hit: impl Iterator<Item = usize>,
    ) -> bool {
        self.resting.clear();
        self.closed.clear();
        self.closed.extend_from_slice(&mode.rows);
        self.rows.clear();
        self.rows.extend_from_slice(&mode.rows);
        self.rows.extend(hit.flat_map(|key| key..=key + watched.n_tangents(key)));
        self.rows.sort_unstable();
        self.rows.len() > mode.rows.len()
    }

    /// Moves the course over the bracket of width `delta`.
    pub(crate) fn strike(
        &mut self,
        model: &Model,
        course: &mut Course,
        delta: f64,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let Course { motion, rk, contact, at, .. } = course;
        add(delta, &rk.start.a, &mut at.v);
        motion.gather(model, &self.rows, at)?;
        self.look(model, motion);
        let is_followed = self.follow(model, motion, at.t)?;
        for phase in 0.. {
            if is_followed {
                break;
            }
            self.set_laws(model, motion, phase);
            self.solve_phase(model, motion, contact, settings, log)?;
            if !self.goes_on.contains(&true) {
                break;
            }
        }
        self.change.clear();
        self.change.resize(at.v.len(), 0.0);
        motion.closed.push(&self.impulse, &mut self.change);
        motion.to_state(model, &mut self.change);
        add(1.0, &self.change, &mut at.v);
        self.change.clear();
        self.change.extend(at.v.iter().map(|v| delta * v));
        if delta > 0.0 {
            motion.retract(model, &mut self.change, &mut at.q);
        }
        course.pass(delta);
        Ok(())
    }

    /// Notes how the rows stand before, and which of them begin.
    fn look(&mut self, model: &Model, motion: &Motion) {
        let (closed, watched) = (&motion.closed, &motion.watched);
        self.u_minus.clear();
        self.rate.clear();
        self.still.clear();
        self.rebounds.clear();
        self.goes_on.clear();
        fill_blocks(watched, &self.rows, &mut self.blocks, |_, _| (Set::Nonnegative, None));
        for block in &self.blocks {
            let (key, status) = (self.rows[block.first], &closed.status[block.first]);
            // What comes at no speed is not thrown back: a contact that closes softly.
            let soft = status.u.abs() <= status.still
                || self.closed.contains(&key)
                || self.resting.contains(&key);
            let begins = !soft && !watched.always[key];
            self.goes_on.push(begins);
            self.rebounds.push(begins && closed.law(model, watched, key).forms().rebounds);
        }
        for status in &closed.status {
            self.u_minus.push(status.u);
            self.rate.push(status.rate);
            self.still.push(status.still);
        }
        self.u_plus.clone_from(&self.u_minus);
        for x in [&mut self.impulse, &mut self.before] {
            x.clear();
            x.resize(self.rows.len(), 0.0);
        }
    }

    /// Follows the impact along its path where a law that acts so begins; false where none does.
    fn follow(&mut self, model: &Model, motion: &Motion, t: f64) -> StepResult<bool> {
        let (closed, watched, m) = (&motion.closed, &motion.watched, self.rows.len());
        let path = |block: &Block| {
            let key = self.rows[block.first];
            let law = (!watched.always[key]).then(|| closed.law(model, watched, key).along_path());
            let law = law.flatten();
            if self.resting.contains(&key) { law.map(AlongPath::plastic) } else { law }
        };
        let laws: Vec<_> = self.blocks.iter().map(path).collect();
        let Some(hit) = (0..laws.len()).find(|&k| self.goes_on[k] && laws[k].is_some()) else {
            return Ok(false);
        };
        let rows: Vec<Vec<f64>> = closed.delassus.chunks(m).map(<[f64]>::to_vec).collect();
        let delassus = Sparse::from_rows(&rows);
        let member = |(block, law): (&Block, &Option<AlongPath>)| Member {
            first: block.first,
            dim: block.dim,
            law: *law,
        };
        let members: Vec<Member> = self.blocks.iter().zip(&laws).map(member).collect();
        let feels = reached(&delassus, &members, |k| self.goes_on[k]);
        let name = |k: usize| model.describe(watched.id(self.rows[self.blocks[k].first]));
        for k in (0..members.len()).filter(|&k| feels[k] && laws[k].is_none()) {
            if !watched.always[self.rows[self.blocks[k].first]] {
                let (first, second) = (name(hit), name(k));
                return Err(Box::new(StepError::MixedImpact { first, second, t }));
            }
        }
        let felt: Vec<Member> =
            members.iter().zip(&feels).filter(|(_, feels)| **feels).map(|(member, _)| *member).collect();
        let island = Island { delassus: &delassus, u_minus: &self.u_minus, members: &felt };
        let p = follow(&island)
            .map_err(|reason| Box::new(StepError::ImpactPath { constraint: name(hit), t, reason }))?;
        for member in &felt {
            let own = member.first..member.first + member.dim;
            self.impulse[own.clone()].copy_from_slice(&p[own]);
        }
        for (u, row) in self.u_plus.iter_mut().zip(&rows) {
            *u += row.iter().zip(&self.impulse).map(|(w, p)| w * p).sum::<f64>();
        }
        Ok(true)
    }

    /// Set, shift and given impulse of each contact in a phase; where its law has no further phase, those of lasting contact.
    fn set_laws(&mut self, model: &Model, motion: &Motion, phase: usize) {
        for x in [&mut self.shift, &mut self.given] {
            x.clear();
            x.resize(self.rows.len(), 0.0);
        }
        for (block, goes_on) in self.blocks.iter_mut().zip(&mut self.goes_on) {
            let (own, key) = (block.first..block.first + block.dim, self.rows[block.first]);
            if !*goes_on && block.dim == 1 {
                continue;
            }
            let law = motion.closed.law(model, &motion.watched, key);
            let mut u = [0.0; MOST_ROWS];
            u[..block.dim].copy_from_slice(&self.u_minus[own.clone()]);
            if !*goes_on {
                // A slip that is rounding is none.
                let slides = own.clone().skip(1).any(|row| self.u_minus[row].abs() > self.still[row]);
                let slip = if slides { &u[1..block.dim] } else { &[0.0; 2][..block.dim - 1] };
                let mut of = [0.0; MOST_ROWS];
                of[0] = u[0];
                of[1..block.dim].copy_from_slice(slip);
                let mut form = RowForm::new(&of[..block.dim], &[0.0; MOST_ROWS]);
                law.supports(&mut form.rows(law));
                block.set = form.set();
                self.shift[own.clone()].copy_from_slice(&form.shift[..block.dim]);
                if self.presses {
                    self.shift[block.first] = -PRESS * u[1].hypot(u[2]);
                }
                continue;
            }
            let mut form = RowForm::new(&u[..block.dim], &self.before[own.clone()]);
            *goes_on = law.impact(phase, &mut form.rows(law));
            if block.dim > 1 {
                block.set = form.set();
            }
            self.shift[own.clone()].copy_from_slice(&form.shift[..block.dim]);
            self.given[own].copy_from_slice(&form.given[..block.dim]);
        }
    }

    /// Solves one phase, from u⁺ of the last.
    fn solve_phase(
        &mut self,
        model: &Model,
        motion: &Motion,
        contact: &mut Contact,
        settings: &mut SolverSettings,
        log: &mut StepLog,
    ) -> StepResult {
        let (closed, watched, m) = (&motion.closed, &motion.watched, self.rows.len());
        let rhs = |i: usize| {
            let row = &closed.delassus[i * m..(i + 1) * m];
            let given: f64 = row.iter().zip(&self.given).map(|(w, p)| w * p).sum();
            self.u_plus[i] + self.shift[i] + given
        };
        contact.solve(model, (watched, &self.rows), (closed, &self.blocks), rhs, settings, log)?;
        for i in 0..m {
            let pressed = if self.presses { 0.0 } else { self.shift[i] };
            self.u_plus[i] = contact.slack[i] - pressed;
            self.impulse[i] += contact.x[i] + self.given[i];
        }
        self.before.clone_from(&contact.x);
        Ok(())
    }

    /// The normals, and the rows of joints, with their places.
    fn firsts(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.blocks.iter().map(|block| (block.first, self.rows[block.first]))
    }

    /// The contacts that came, or were closed, and do not part; and those that come to rest.
    pub(crate) fn closing(&self, watched: &Watched, noise: f64, candidates: &mut Candidates) {
        candidates.closed.clear();
        let fastest = self.u_minus.iter().chain(&self.u_plus).fold(0.0f64, |m, u| m.max(u.abs()));
        candidates.slip_noise = noise * fastest;
        for (k, (i, key)) in self.firsts().enumerate() {
            let pressed = if self.presses { noise * fastest } else { 0.0 };
            let still = self.still[i].max(pressed).max(self.solved(k, noise * fastest));
            let stays = self.u_minus[i] <= self.still[i].max(pressed) && self.u_plus[i] <= still;
            if (stays || self.resting.contains(&key)) && !watched.always[key] {
                candidates.closed.push(key);
            }
        }
    }

    /// Contacts that are thrown back or part, with their speed before and after [m/s].
    pub(crate) fn parting<'a>(
        &'a self,
        watched: &'a Watched,
        mode: &'a Mode,
        slip_noise: f64,
    ) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
        let blocks = self.blocks.iter().zip(&self.rebounds).enumerate();
        let parting = blocks.filter(move |(k, (block, rebounds))| {
            let (i, key) = (block.first, self.rows[block.first]);
            let thrown = **rebounds && self.impulse[i] > 0.0;
            self.u_plus[i] > self.solved(*k, slip_noise)
                && !watched.always[key]
                && (thrown || !mode.contains(key))
        });
        parting
            .map(|(_, (block, _))| block.first)
            .map(|i| (self.rows[i], -self.u_minus[i], self.u_plus[i]))
    }

    /// Velocity that is none of block `k`: what carries an impulse and is not thrown back has u⁺ = 0, up to what the solver leaves [m/s].
    fn solved(&self, k: usize, noise: f64) -> f64 {
        if self.impulse[self.blocks[k].first] > 0.0 && !self.rebounds[k] { noise } else { 0.0 }
    }

    /// The rows that carry an impulse.
    pub(crate) fn carrying(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.rows.iter().zip(&self.impulse).filter(|(_, p)| **p != 0.0);
        rows.map(|(&key, _)| key)
    }

    /// Books what happened.
    pub(crate) fn book(&self, watched: &Watched, t: f64, record: &mut Record, log: &mut StepLog) {
        for block in &self.blocks {
            let (own, key) = (block.first..block.first + block.dim, self.rows[block.first]);
            let hit = Hit {
                t,
                key,
                u_minus: &self.u_minus[own.clone()],
                u_plus: &self.u_plus[own.clone()],
                impulse: &self.impulse[own.clone()],
                rate: &self.rate[own],
                lasts: self.closed.contains(&key),
            };
            record.hit(watched, &hit, log);
        }
    }
}
