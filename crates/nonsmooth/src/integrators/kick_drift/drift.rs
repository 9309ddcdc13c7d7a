//! Where the step stands: configuration, staggered velocity and its lag, what is left of the step, what constraints carry.
//!
//! After a drift of length σ the velocity is that of the middle of the drift, τ = σ/2 before q. The velocity at q is
//! v̂ + τ M⁻¹ (f(q) + J(q)ᵀ λ), with the arms of q and the lasting reactions λ.

use super::KickScratch;
use super::classify::Roles;
use super::islands::bodies_of;
use super::kick::Kick;
use super::settle::{drives, settle};
use super::velocity_forces::{Between, act_between};
use crate::error::StepResult;
use crate::model::instant::Place;
use crate::model::instant::{Implicit, Instant, Pass};
use crate::model::rigid::is_present;
use crate::model::{ActiveConstraints, Coeffs, ConstraintMemory, Free, Model, Presence, Role, State};
use crate::part::Part;
use crate::phases::{Mass, SolverSettings, factorize, linearize};
use nonsmooth_solvers::Problem;
use std::sync::Arc;

/// Below this share of the step what is left of it is rounding.
const NOTHING: f64 = 1e-12;

/// A step under way.
#[derive(Default)]
pub(super) struct Drift {
    /// The whole step [s].
    pub(super) h: f64,
    /// What is left of it for the present drift [s].
    pub(super) rest: f64,
    /// What is left of it after that [s].
    later: f64,
    /// τ: how much earlier than q the velocity is [s].
    pub(super) lag: f64,
    /// Where it stands; v is v̂ in working axes.
    place: Place,
    /// v̂ as in the state.
    v_state: Vec<f64>,
    /// The end of the drift as it is guessed.
    pub(super) end: Place,
    /// End velocity as in the state.
    end_v_state: Vec<f64>,
    /// Lasting forces, slips and histories.
    pub(super) memory: ConstraintMemory,
    pub(super) presence: Vec<Presence>,
}

impl Drift {
    /// Begins a step of those who are there, whose velocities lag by `lag`.
    pub(super) fn start(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        (presence, lag): (&[Presence], f64),
    ) -> StepResult {
        (self.h, self.rest, self.later) = (h, h, 0.0);
        self.lag = lag;
        self.presence.clear();
        self.presence.extend_from_slice(presence);
        self.memory.copy_from(&now.memory);
        self.place.t = now.t;
        self.place.q.clone_from(&now.q);
        self.v_state.clone_from(&now.v);
        self.place.inputs.clone_from(&now.inputs);
        self.end.inputs.clone_from(&now.inputs);
        self.place.angles.clone_from(&now.angles);
        self.end.angles.clone_from(&now.angles);
        self.arrive(model)
    }

    /// Completes the place from q and the velocity as in the state.
    fn arrive(&mut self, model: &Model) -> StepResult {
        self.place.v.resize(self.v_state.len(), 0.0);
        model.to_working(&self.place.q, &self.v_state, &mut self.place.v);
        self.place.complete(model, &self.presence, &self.v_state)
    }

    /// Where the step stands.
    pub(super) fn here(&self) -> Instant<'_> {
        self.place.instant(&self.presence)
    }

    /// The same as a pass: everything is evaluated here.
    pub(super) fn pass(&self) -> Pass<'_> {
        let here = self.here();
        let implicit = Implicit::kick(self.lag, self.rest);
        Pass { now: here, mass: here, jacobian: here, end: here, implicit }
    }

    /// The end of the drift as it is guessed.
    pub(super) fn there(&self) -> Instant<'_> {
        self.end.instant(&self.presence)
    }

    /// Completes `seen`: here with the velocities `seen.v`, in working axes.
    pub(super) fn see_with(&self, model: &Model, seen: &mut Place) -> StepResult {
        let place = &self.place;
        seen.t = place.t;
        seen.q.clone_from(&place.q);
        seen.inputs.clone_from(&place.inputs);
        seen.angles.clone_from(&place.angles);
        let mut v_state = seen.v.clone();
        model.to_state(&place.q, &mut v_state);
        seen.complete(model, &self.presence, &v_state)
    }

    /// κ = τ + ½ rest: the length of the kick [s].
    pub(super) fn kick_length(&self) -> f64 {
        self.lag + 0.5 * self.rest
    }

    /// Whether nothing that takes part moved in the last drift.
    pub(super) fn rests(&self, model: &Model, active: &ActiveConstraints, roles: &Roles) -> bool {
        let bodies = &model.rigid.bodies;
        let is_still = |i: usize| {
            let first = bodies[i].v as usize;
            self.place.v[first..first + bodies[i].n_velocities()].iter().all(|v| *v == 0.0)
        };
        let rows = || roles.rows.iter().map(|&c| active.ids[c as usize]);
        self.lag > 0.0
            && rows().all(|id| model.family(id).is_of_bodies())
            && rows().all(|id| bodies_of(model, id).all(is_still))
    }

    /// Whether nothing is left of the step.
    pub(super) fn is_over(&self) -> bool {
        self.rest <= NOTHING * self.h
    }

    /// Lets the present drift be no longer than `length` [s]; whether that makes it shorter.
    pub(super) fn shorten(&mut self, length: f64) -> bool {
        let is_shorter = length < self.rest;
        if is_shorter {
            self.later += self.rest - length;
            self.rest = length;
        }
        is_shorter
    }

    /// Whether the present drift ends with the step.
    pub(super) fn is_last(&self) -> bool {
        self.later <= NOTHING * self.h
    }

    /// Takes the end of the present drift as the place, with the velocity of its middle: what is left of the step follows.
    pub(super) fn go_on(&mut self) {
        self.lag = 0.5 * self.rest;
        self.arrive_at_end(self.rest);
        self.join_later();
    }

    /// Lets the present drift go to the end of the step again.
    pub(super) fn join_later(&mut self) {
        self.rest += std::mem::take(&mut self.later);
    }

    /// Drifts from here for the time `dt` with the velocity `v` (working axes of here), into the guessed end.
    pub(super) fn guess_end(&mut self, model: &Model, v: &[f64], dt: f64) -> StepResult {
        let Self { place, end, end_v_state, presence, .. } = self;
        end.t = place.t + dt;
        end.q.clone_from(&place.q);
        end_v_state.clear();
        end_v_state.extend_from_slice(v);
        model.to_state(&place.q, end_v_state);
        let part = Part::whole(place.t, dt);
        for motion in model.kick_drift_motions() {
            motion.drift(model, &part, presence, dt, &mut end.q, end_v_state)?;
        }
        end.v.resize(v.len(), 0.0);
        model.to_working(&end.q, end_v_state, &mut end.v);
        end.complete(model, presence, end_v_state)
    }

    /// Takes the guessed end as the place, `dt` later.
    pub(super) fn arrive_at_end(&mut self, dt: f64) {
        std::mem::swap(&mut self.place, &mut self.end);
        std::mem::swap(&mut self.v_state, &mut self.end_v_state);
        self.rest -= dt;
    }

    /// Sets the velocity here, in working axes, with no lag.
    pub(super) fn set_velocity(&mut self, model: &Model, v: &[f64]) -> StepResult {
        self.v_state.clear();
        self.v_state.extend_from_slice(v);
        model.to_state(&self.place.q, &mut self.v_state);
        self.lag = 0.0;
        self.arrive(model)
    }

    /// Keeps lasting forces λ = p/κ and mean slips by constraint.
    pub(super) fn remember(
        &mut self,
        model: &Model,
        active: &ActiveConstraints,
        roles: &Roles,
        kick: &Kick,
    ) -> StepResult {
        let length = self.kick_length();
        let memory = &mut self.memory;
        let histories = kick.histories(model, active, memory, length);
        memory.clear();
        memory.force_start.push(0);
        let mut buffer = [0.0; 6];
        for (family, own) in model.constraints.iter().zip(&active.own) {
            for c in own.clone() {
                let carries = roles.role[c] != Role::Open && roles.role[c] != Role::Cut;
                let lasts = carries && roles.role[c] != Role::Early;
                memory.ids.push(active.ids[c]);
                let scale = if lasts { 1.0 / length } else { 0.0 };
                let p = &kick.p[active.rows(c)];
                let rows = &mut buffer[..p.len()];
                rows.iter_mut().zip(p).for_each(|(force, p)| *force = scale * p);
                family.store_force(active, c, rows, &mut memory.forces);
                memory.force_start.push(memory.forces.len() as u32);
                let slides = lasts && rows.len() > 1 && rows[0] > 0.0;
                memory.slips.push(if slides { kick.slip(active, c) } else { [0.0; 3] });
            }
        }
        if !histories.0.is_empty() {
            (memory.history_start, memory.histories) = histories;
        }
        Ok(())
    }

    /// Writes coordinates, velocities and memory at the end of the step.
    pub(super) fn finish(&mut self, model: &Model, now: &State, next: &mut State) {
        if !self.is_over() {
            self.lag = 0.5 * self.rest;
            self.arrive_at_end(self.rest);
        }
        next.t = now.t + self.h;
        next.step = now.step + 1;
        next.step_size = self.h;
        next.q.clone_from(&self.place.q);
        next.v.clone_from(&self.v_state);
        next.lag.clear();
        next.lag.resize(model.n_members(), self.lag);
        next.memory.copy_from(&self.memory);
        next.inputs.clone_from(&now.inputs);
        next.held.clone_from(&now.held);
    }
}

/// v + length · M⁻¹ (f + Jᵀ λ) where the step stands, with the arms of there: into `free.v`, working axes there.
pub(super) fn half_kick(
    model: &Model,
    drift: &Drift,
    length: f64,
    (active, lambda): (&ActiveConstraints, &[f64]),
    mass: &Mass,
    free: &mut Free,
) -> StepResult {
    let at = drift.here();
    let part = Part::whole(at.t, 0.0);
    model.kick(&part, (&at, &at), (length, 0.0), mass.groups(), free)?;
    let mut reaction = std::mem::take(&mut free.scratch);
    reaction.clear();
    reaction.resize(free.v.len(), 0.0);
    for (family, own) in model.constraints.iter().zip(&active.own) {
        family.add_forces(model, &at, active, own, lambda, &mut reaction)?;
    }
    mass.groups().solve(&mut reaction, &mut free.more);
    reaction.iter_mut().for_each(|dv| *dv *= length);
    if model.sees_velocities() {
        let between = Between { length, ahead: 0.0, share: 1.0 };
        act_between(model, &part, drift, between, (mass, &reaction), free)?;
    }
    free.v.iter_mut().zip(&reaction).for_each(|(v, dv)| *v += dv);
    free.scratch = reaction;
    Ok(())
}

/// The state from which a step begins.
pub(super) enum Start<'a> {
    /// That of the step before.
    Given(&'a State),
    /// The same with velocities at q where islands of different lag are one.
    Synchronized(Arc<State>),
}

impl std::ops::Deref for Start<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        match self {
            Start::Given(state) => state,
            Start::Synchronized(state) => state,
        }
    }
}

/// The state with all velocities at the instant of q.
pub(super) fn synchronize(
    model: &Model,
    state: &State,
    scratch: &mut KickScratch,
    settings: &mut SolverSettings,
    out: &mut State,
) -> StepResult {
    out.copy_from(state);
    let Some(&first) = state.lag.first() else { return Ok(()) };
    let KickScratch { drift, active, mass, free, problem, path, .. } = scratch;
    if state.lag.iter().all(|lag| *lag == first) {
        if first > 0.0 {
            drift.start(model, state, 0.0, (&state.presence, first))?;
            on_step_velocity(model, drift, (active, mass, problem), settings, (&mut path.lambda, free))?;
            out.v.clone_from(&free.v);
            model.to_state(&state.q, &mut out.v);
            out.lag.fill(0.0);
        }
        return Ok(());
    }
    // Bodies alone: those of one lag after the other, as if the others were not there. Nothing that carries is between them.
    let mut lags = state.lag.clone();
    lags.sort_by(f64::total_cmp);
    lags.dedup();
    for lag in lags.into_iter().filter(|lag| *lag > 0.0) {
        let own = |i: usize| state.lag[i] == lag && is_present(&state.presence, i);
        let there = |i: usize| if own(i) { Presence::Present } else { Presence::Removed };
        let presence: Vec<Presence> = (0..state.lag.len()).map(there).collect();
        drift.start(model, state, 0.0, (&presence, lag))?;
        on_step_velocity(model, drift, (active, mass, problem), settings, (&mut path.lambda, free))?;
        problem.delassus.release();
        model.to_state(&state.q, &mut free.v);
        for (i, body) in model.rigid.bodies.iter().enumerate().filter(|(i, _)| own(*i)) {
            let range = body.v as usize..body.v as usize + body.n_velocities();
            out.v[range.clone()].copy_from_slice(&free.v[range]);
            out.lag[i] = 0.0;
        }
    }
    out.lag.fill(0.0);
    Ok(())
}

/// v̂ + τ M⁻¹ (f + Jᵀ λ) where the step stands, from what its memory says of λ: into `free.v`. `lambda` receives λ, by row of `active`: other than
/// in the memory where friction would drive a contact.
pub(super) fn on_step_velocity(
    model: &Model,
    drift: &Drift,
    (active, mass, problem): (&mut ActiveConstraints, &mut Mass, &mut Problem),
    settings: &mut SolverSettings,
    (lambda, free): (&mut Vec<f64>, &mut Free),
) -> StepResult {
    let part = Part::whole(drift.here().t, 0.0);
    active.open(model);
    for (k, family) in model.constraints.iter().enumerate() {
        let begin = drift.memory.ids.partition_point(|id| id.family() < k);
        let end = drift.memory.ids.partition_point(|id| id.family() <= k);
        family.append(model, &drift.memory.ids[begin..end], &drift.here(), active)?;
        active.close_family();
    }
    active.close(model);
    factorize(model, &part, &drift.pass(), Coeffs::MASS, problem, mass)?;
    linearize(model, &part, &drift.pass(), active)?;
    lambda.clear();
    lambda.resize(active.n_rows(), 0.0);
    model.recall(&drift.memory, active, lambda, |_, _, _| {});
    let here = drift.here();
    half_kick(model, drift, drift.lag, (active, lambda), mass, free)?;
    if drives(active, (here.v, &active.u_minus), (lambda, drift.lag), (mass, free)) {
        settle(model, drift, (active, mass), settings, (lambda, free))?;
    }
    Ok(())
}
