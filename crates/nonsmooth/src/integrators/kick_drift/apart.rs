//! Islands that take more than one kick in the step: each goes by itself, as a model of its own, and all others go on without them.
//!
//! An island is set apart where an impact cuts the step, where a body turns fast, and where its velocities lag otherwise than those of the
//! others: what a cut leaves behind. Islands of different lag that come within reach of each other have one lag from then on: each is taken
//! to its velocity at q, v̂ + τ M⁻¹ (f + Jᵀ λ) with its own τ, which keeps momentum, since both sides of every λ have the same τ.
//!
//! An impact may send a body farther than its island reaches. Then the islands are found again with that reach, and if somebody new is in
//! it the step is made again. Nothing of a step is final before.

use super::books::Books;
use super::classify::{MOST_FAST, MOST_ROWS, Roles};
use super::drift::{Drift, Start, on_step_velocity};
use super::islands::Islands;
use super::kick::Kick;
use super::path::Path;
use super::pieces::{long_islands, longest_after, longest_drift, turns_after, turns_fast};
use super::{Course, KickScratch, Limits};
use crate::error::StepResult;
use crate::log::{ConstraintLog, StepLog, Works};
use crate::model::instant::Instant;
use crate::model::rigid::is_present;
use crate::model::{ActiveConstraints, Chosen, ConstraintId, ConstraintMemory, Extract, Model};
use crate::model::{Presence, State};
use crate::phases::{Merging, SolverSettings};
use nonsmooth_solvers::Problem;
use std::sync::Arc;

/// Reach of bodies of an island that is set apart, relative to the largest of the island: the fastest may pass its speed on.
const PASSED_ON: f64 = 2.0;
/// Reach of a body that went beyond its reach, relative to how far it went.
const BEYOND: f64 = 1.5;
/// How often the islands of a step are found again before all bodies are one.
const MOST_ROUNDS: usize = 8;

/// The islands of a step that go by themselves.
#[derive(Default)]
pub(super) struct Apart {
    /// Whether the model can be taken apart and has more than one island, as far as is known.
    is_possible: bool,
    /// Whether this is for one island, which goes by itself.
    is_alone: bool,
    is_known: bool,
    islands: Islands,
    /// Bodies of islands that were set apart.
    marked: Vec<bool>,
    /// Presence for those that were not.
    presence: Vec<Presence>,
    /// How much earlier than q the velocities of these are [s].
    lag: f64,
    /// The state at the start with one lag by island, where it is not that of the step before.
    start: Option<Arc<State>>,
    /// Works of what led there, and its impulses.
    works: Works,
    taken: ConstraintLog,
    parts: Vec<Part>,
    scratch: Option<Box<KickScratch>>,
    /// The first problem of an island that missed its tolerance.
    missed: Option<Problem>,
    rounds: usize,
}

/// An island that goes by itself.
struct Part {
    extract: Extract,
    now: State,
    next: State,
    log: StepLog,
    /// How far points of its bodies went [m].
    way: Vec<f64>,
}

impl Apart {
    /// For an island that goes by itself, whose velocities lag by `lag` [s]: it has no others.
    fn alone(lag: f64) -> Self {
        Self { is_alone: true, lag, ..Self::default() }
    }

    /// Begins a step.
    pub(super) fn start(&mut self, model: &Model, now: &State) {
        let n = model.rigid.bodies.len();
        self.lag = now.lag.iter().copied().fold(0.0, f64::max);
        (self.start, self.works, self.missed) = (None, Works::default(), None);
        (self.is_known, self.rounds) = (false, 0);
        self.parts.clear();
        self.is_possible = n > 1 && model.is_separable();
        if self.is_possible {
            self.marked.clear();
            self.marked.resize(n, false);
            self.islands.start(n);
        }
    }

    /// Gives every island one lag, and sets those apart that have another one than the others.
    pub(super) fn synchronize(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        scratch: &mut KickScratch,
        settings: &mut SolverSettings,
    ) -> StepResult {
        let latest = now.lag.iter().copied().fold(0.0, f64::max);
        (self.start, self.works, self.lag) = (None, Works::default(), latest);
        self.taken.clear();
        if now.lag.iter().all(|lag| *lag == latest) {
            return Ok(());
        }
        scratch.drift.start(model, now, h, (&now.presence, latest))?;
        self.know(model, &scratch.drift.here(), h);
        let n = if self.is_possible { self.islands.n } else { 1 };
        let (lags, is_mixed) = self.lags(now, n);
        let is_other = |k: usize| is_mixed[k] || lags[k] != Some(latest);
        if n > 1 && self.islands.bound.is_some_and(is_other) {
            // What gaps by functions name cannot go by itself: all are one.
            self.is_possible = false;
            return self.synchronize(model, now, h, scratch, settings);
        }
        if is_mixed.contains(&true) {
            self.take_to_q(model, now, (h, &is_mixed), scratch, settings)?;
        }
        if n == 1 {
            let own = if is_mixed[0] { Some(0.0) } else { lags[0] };
            (self.is_possible, self.lag) = (false, own.unwrap_or(latest));
        } else {
            self.mark(&(0..n).map(is_other).collect::<Vec<bool>>());
        }
        Ok(())
    }

    /// The lag of each of `n` islands, and whether it has several.
    fn lags(&self, now: &State, n: usize) -> (Vec<Option<f64>>, Vec<bool>) {
        let (mut lags, mut is_mixed) = (vec![None; n], vec![false; n]);
        for (i, &lag) in now.lag.iter().enumerate() {
            let Some(island) = self.islands.of_body(i).map(|island| island.min(n - 1)) else { continue };
            is_mixed[island] |= lags[island].is_some_and(|known: f64| known != lag);
            lags[island] = Some(lag);
        }
        (lags, is_mixed)
    }

    /// Takes islands whose members lag differently to their velocity at q.
    fn take_to_q(
        &mut self,
        model: &Model,
        now: &State,
        (h, is_mixed): (f64, &[bool]),
        scratch: &mut KickScratch,
        settings: &mut SolverSettings,
    ) -> StepResult {
        let last = is_mixed.len() - 1;
        let mut start = now.clone();
        let is_chosen = |i: usize| self.islands.of_body(i).is_some_and(|k| is_mixed[k.min(last)]);
        let chosen: Vec<usize> = (0..now.lag.len()).filter(|&i| is_chosen(i)).collect();
        let mut lags: Vec<f64> = chosen.iter().map(|&i| now.lag[i]).collect();
        lags.sort_by(f64::total_cmp);
        lags.dedup();
        let (mut books, mut act, mut merging) =
            (Books::default(), ConstraintLog::default(), Merging::default());
        for lag in lags {
            let own = |i: usize| is_chosen(i) && now.lag[i] == lag;
            let presence: Vec<Presence> = (0..now.lag.len()).map(|i| there(own(i))).collect();
            let KickScratch { drift, active, mass, free, problem, .. } = scratch;
            drift.start(model, now, h, (&presence, lag))?;
            let mut lambda = Vec::new();
            let found = (&mut lambda, &mut *free, &mut books.settling);
            on_step_velocity(model, drift, (active, mass, problem), settings, found)?;
            for (family, constraints) in model.constraints.iter().zip(&active.own) {
                // Gaps by functions act with the lag of the bodies that they name.
                let is_own = |i: &usize| self.islands.of_body(*i) == self.islands.bound && own(*i);
                if !family.is_of_bodies() && !chosen.iter().any(is_own) {
                    lambda[active.rows_of(constraints)].fill(0.0);
                }
            }
            books.half_kick(model, active, &lambda, (drift, lag), free)?;
            lambda.iter_mut().for_each(|force| *force *= lag);
            act.open(active, &lambda);
            act.lengths.resize(act.len(), lag);
            merging.add(&act, &mut self.taken);
            problem.delassus.release();
            model.to_state(&now.q, &mut free.v);
            for &i in chosen.iter().filter(|&&i| own(i)) {
                let body = &model.rigid.bodies[i];
                let range = body.v as usize..body.v as usize + body.n_velocities();
                start.v[range.clone()].copy_from_slice(&free.v[range]);
                start.lag[i] = 0.0;
            }
        }
        self.works = books.works;
        self.start = Some(Arc::new(start));
        Ok(())
    }

    /// The state from which the step begins.
    pub(super) fn state<'a>(&self, now: &'a State) -> Start<'a> {
        self.start.clone().map_or(Start::Given(now), Start::Synchronized)
    }

    /// Who goes on with the whole model, and the lag of their velocities.
    pub(super) fn others<'a>(&'a mut self, now: &'a State) -> (&'a [Presence], f64) {
        if !self.is_possible || !self.marked.contains(&true) {
            return (&now.presence, self.lag);
        }
        let stays = |i: usize| there(is_present(&now.presence, i) && !self.marked[i]);
        self.presence.clear();
        self.presence.extend((0..self.marked.len()).map(stays));
        (&self.presence, self.lag)
    }

    /// Whether islands may be set apart.
    pub(super) fn is_possible(&self) -> bool {
        self.is_possible
    }

    /// The islands from an instant, where they are not known yet.
    pub(super) fn know(&mut self, model: &Model, at: &Instant<'_>, h: f64) -> &Islands {
        if !self.is_known {
            self.islands.find(model, at, h);
            self.is_known = true;
        }
        &self.islands
    }

    fn mark(&mut self, islands: &[bool]) {
        for i in 0..self.marked.len() {
            self.marked[i] |= self.islands.of_body(i).is_some_and(|island| islands[island]);
        }
    }

    /// Sets islands apart; whether that changes anything. `at` is the start of the step, with all bodies.
    pub(super) fn set(&mut self, model: &Model, at: &Instant<'_>, h: f64, chosen: &[bool]) -> bool {
        if !chosen.contains(&true) {
            return false;
        }
        let before = self.marked.clone();
        self.mark(chosen);
        let mut farthest = vec![0.0f64; self.islands.n];
        let of = |islands: &Islands, i: usize| islands.of_body(i).filter(|k| chosen[*k]);
        for i in 0..before.len() {
            if let Some(island) = of(&self.islands, i) {
                farthest[island] = farthest[island].max(self.islands.reach(i));
            }
        }
        for i in 0..before.len() {
            if let Some(island) = of(&self.islands, i) {
                self.islands.widen(i, PASSED_ON * farthest[island]);
            }
        }
        self.find_again(model, at, h);
        self.marked != before || !self.is_possible
    }

    /// Finds the islands anew; one with a body that was set apart is apart as a whole.
    fn find_again(&mut self, model: &Model, at: &Instant<'_>, h: f64) {
        self.islands.find(model, at, h);
        let mut apart = vec![false; self.islands.n];
        for i in (0..self.marked.len()).filter(|&i| self.marked[i]) {
            self.islands.of_body(i).into_iter().for_each(|island| apart[island] = true);
        }
        self.mark(&apart);
        // What gaps by functions name cannot go by itself.
        let is_bound = self.islands.bound.is_some_and(|island| apart[island]);
        self.is_possible = self.islands.n > 1 && !is_bound;
    }

    /// What becomes of a drift that is too long, from here or after a kick that was solved: the islands that need it shorter are set apart, or all
    /// is shortened where none can be.
    pub(super) fn shorten(
        &mut self,
        model: &Model,
        now: &State,
        (active, kick): (&ActiveConstraints, Option<&Kick>),
        drift: &mut Drift,
    ) -> StepResult<Option<Course>> {
        if self.is_possible {
            return Ok(self.turns(model, now, (drift, active, kick)).then_some(Course::Apart));
        }
        let length = match kick {
            None => longest_drift(model, drift, active),
            Some(kick) => longest_after(model, drift, active, kick)?,
        };
        Ok(drift.shorten(length).then_some(Course::Again))
    }

    /// Sets islands apart in which a body turns too fast for a drift of the whole step: from here, or after a kick that was solved.
    fn turns(
        &mut self,
        model: &Model,
        now: &State,
        (drift, active, kick): (&Drift, &ActiveConstraints, Option<&Kick>),
    ) -> bool {
        let may = match kick {
            None => turns_fast(model, drift, active),
            Some(kick) => turns_after(model, drift, active, kick),
        };
        let at = Instant { presence: &now.presence, ..drift.here() };
        may && {
            let islands = self.know(model, &at, drift.h);
            let long = long_islands(model, drift, active, kick, islands);
            self.set(model, &at, drift.h, &long)
        }
    }

    /// Sets islands apart that an impact cuts: those with few rows and few impacts.
    pub(super) fn is_struck(
        &mut self,
        model: &Model,
        now: &State,
        (drift, active, roles): (&Drift, &ActiveConstraints, &Roles),
    ) -> bool {
        if !self.is_possible || roles.fast.is_empty() {
            return false;
        }
        let at = Instant { presence: &now.presence, ..drift.here() };
        let islands = self.know(model, &at, drift.h);
        let mut counts = vec![(0, 0); islands.n];
        let of = |c: u32| islands.of_constraint(model, active.ids[c as usize]);
        for &c in &roles.rows {
            of(c).into_iter().for_each(|island| counts[island].0 += active.rows(c as usize).len());
        }
        for (c, _) in &roles.fast {
            of(*c).into_iter().for_each(|island| counts[island].1 += 1);
        }
        let is_cut = |(rows, fast): (usize, usize)| fast > 0 && fast <= MOST_FAST && rows <= MOST_ROWS;
        let struck: Vec<bool> = counts.into_iter().map(is_cut).collect();
        self.set(model, &at, drift.h, &struck)
    }

    /// Sets islands apart in which somebody meets on the path of a kick that was solved.
    pub(super) fn is_hit(
        &mut self,
        model: &Model,
        now: &State,
        (drift, active, roles): (&mut Drift, &ActiveConstraints, &Roles),
        path: &mut Path,
    ) -> StepResult<bool> {
        if !self.is_possible {
            return Ok(false);
        }
        let (closing, meeting) = path.hits(model, drift, active, roles)?;
        if closing.is_empty() && meeting.is_empty() {
            return Ok(false);
        }
        let at = Instant { presence: &now.presence, ..drift.here() };
        let islands = self.know(model, &at, drift.h);
        let mut hit = vec![false; islands.n];
        let closing = closing.iter().filter_map(|&c| islands.of_constraint(model, active.ids[c]));
        let meeting = meeting.iter().filter_map(|&i| islands.of_body(i as usize));
        closing.chain(meeting).for_each(|island| hit[island] = true);
        Ok(self.set(model, &at, drift.h, &hit))
    }

    /// Whether islands go by themselves.
    pub(super) fn has_islands(&self) -> bool {
        self.is_possible && self.marked.contains(&true)
    }

    /// Whether somebody asks how far points of bodies go.
    pub(super) fn asks_for_ways(&self) -> bool {
        self.is_alone || self.has_islands()
    }

    /// Lets every island that was set apart go through the step by itself.
    pub(super) fn run(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        (settings, limits): (&mut SolverSettings, Limits),
    ) -> StepResult {
        let chosen = self.chosen(model);
        let mut known = std::mem::take(&mut self.parts);
        let scratch = self.scratch.get_or_insert_default();
        for chosen in chosen {
            let same = known.iter().position(|part| part.extract.is_of(model, &chosen));
            let mut part = same.map_or_else(|| Part::new(model, chosen), |k| known.swap_remove(k));
            let Part { extract, now: own, next, log, way } = &mut part;
            extract.take(model, now, own);
            log.clear();
            let mut alone = Self::alone(own.lag.first().copied().unwrap_or(0.0));
            scratch.run(&extract.model, own, h, (settings, limits), &mut alone, (next, log))?;
            scratch.problem.delassus.release();
            way.clone_from(&scratch.way);
            if self.missed.is_none() {
                self.missed = scratch.missed.take();
            }
            self.parts.push(part);
        }
        Ok(())
    }

    /// What belongs to each island that is apart.
    fn chosen(&self, model: &Model) -> Vec<Chosen> {
        if !self.is_possible || !self.marked.contains(&true) {
            return Vec::new();
        }
        let mut apart = vec![false; self.islands.n];
        for i in (0..self.marked.len()).filter(|&i| self.marked[i]) {
            self.islands.of_body(i).into_iter().for_each(|island| apart[island] = true);
        }
        self.islands.choose(model, &apart)
    }

    /// Whether all bodies stayed within the reach of their islands, or meet nobody beyond; `way` is how far points of the others went.
    pub(super) fn stayed(
        &mut self,
        model: &Model,
        now: &State,
        drift: &mut Drift,
        way: &[f64],
    ) -> StepResult<bool> {
        if self.parts.is_empty() {
            return Ok(true);
        }
        let mut all = way.to_vec();
        for part in &self.parts {
            part.extract.bodies().iter().zip(&part.way).for_each(|(&i, way)| all[i as usize] = *way);
        }
        let mut is_beyond = false;
        for (i, way) in all.iter().enumerate() {
            // A body that is not there has no reach.
            if *way > self.islands.reach(i) {
                self.islands.widen(i, BEYOND * way);
                is_beyond = true;
            }
        }
        if !is_beyond {
            return Ok(true);
        }
        drift.start(model, now, drift.h, (&now.presence, self.lag))?;
        self.find_again(model, &drift.here(), drift.h);
        let chosen = self.chosen(model);
        let same = |(part, chosen): (&Part, &Chosen)| part.extract.is_of(model, chosen);
        let stayed = chosen.len() == self.parts.len() && self.parts.iter().zip(&chosen).all(same);
        self.rounds += 1;
        if !stayed && self.rounds >= MOST_ROUNDS {
            self.is_possible = false;
        }
        Ok(stayed)
    }

    /// Puts what the islands made of their share, and what led to their start, into the state and the log of the step.
    pub(super) fn merge(&mut self, model: &Model, next: &mut State, log: &mut StepLog) {
        self.merge_parts(model, next, log);
        if !self.taken.is_empty() {
            // What led to the start came first.
            self.taken.length = log.constraints.length;
            Merging::default().add(&log.constraints, &mut self.taken);
            std::mem::swap(&mut log.constraints, &mut self.taken);
        }
    }

    fn merge_parts(&mut self, model: &Model, next: &mut State, log: &mut StepLog) {
        log.works += self.works;
        if self.parts.is_empty() {
            return;
        }
        let names = |part: &Part, ids: &[ConstraintId]| -> Vec<ConstraintId> {
            ids.iter().map(|id| part.extract.to_whole(*id)).collect()
        };
        let (memory, constraints) =
            (std::mem::take(&mut next.memory), std::mem::take(&mut log.constraints));
        let mut memories = vec![(&memory, memory.ids.clone())];
        let mut logs: Vec<(&ConstraintLog, Vec<ConstraintId>)> =
            vec![(&constraints, constraints.ids.clone())];
        for part in &self.parts {
            part.extract.put(model, &part.next, next);
            next.scheme.iter_mut().zip(&part.next.scheme).for_each(|(sum, own)| *sum += own);
            memories.push((&part.next.memory, names(part, &part.next.memory.ids)));
            logs.push((&part.log.constraints, names(part, &part.log.constraints.ids)));
            log.take_part(&part.log, |id| part.extract.to_whole(id));
        }
        let mut merged = ConstraintMemory::default();
        merged.merge(&memories);
        next.memory = merged;
        log.constraints.length = constraints.length;
        log.constraints.merge(&logs);
        log.events.sort_by(|a, b| a.t.total_cmp(&b.t));
    }

    /// The problem on which an island failed, or that missed its tolerance first.
    pub(super) fn problem(&self) -> Option<&Problem> {
        let failed = self.scratch.as_deref().filter(|scratch| scratch.is_solving);
        failed.map(|scratch| &scratch.problem).or(self.missed.as_ref())
    }
}

impl Part {
    fn new(model: &Model, chosen: Chosen) -> Self {
        let extract = model.extract(chosen).expect("a separable model can be taken apart");
        let (now, next) = (State::default(), State::default());
        Self { extract, now, next, log: StepLog::default(), way: Vec::new() }
    }
}

fn there(is_there: bool) -> Presence {
    if is_there { Presence::Present } else { Presence::Removed }
}
