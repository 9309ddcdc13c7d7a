//! Kick–drift: impulses act at one configuration, between kicks bodies drift freely; contacts and joints hold at the end of the drift.
//!
//! ```text
//! κ  = τ + h/2                                  v_f = v̂ + κ M⁻¹ f(q)
//! ṽ  = v_f + M⁻¹ Jᵀ κ λ                          q̃ = drift(q, ṽ, h)              predictor with the last reactions λ
//! normal row    (y(q̃) − y*)/h + J_N (v − ṽ)      0 ≤ · ⟂ p_N ≥ 0;   joints: = 0
//! tangent row   s̃ + J_T (v − ṽ) − c (s̃ − s)       −· ∈ N(p_T),    s̃ = ½ (slip at q + slip at q̃) of ṽ
//! v  = v_f + M⁻¹ Jᵀ p                            q⁺ = drift(q, v, h)
//! ```
//!
//! Forces that depend on velocities act with ½ (v̂ + ṽ), where ṽ is what they lead to (`velocity_forces.rs`).
//! v̂ is the velocity τ before q, τ half the length of the last drift (`State.lag`). An impact cuts the step: everything is taken to
//! its instant along the path of the drift, the law acts there, and a fresh kick drives the rest of the step. So does a slip that ends or turns
//! round. Where a body that may
//! meet another turns fast the step is made in pieces. Where there are many impacts at once they act at the start of the step in the
//! one solve (early rebound). Lasting gaps within ±δ are kept as they are, so that rest is a fixed point.
//!
//! Islands, bodies that may meet within the step, know nothing of each other. One that is cut or goes in pieces is set apart and goes
//! through the step by itself; all others take one kick together.

mod apart;
mod books;
mod classify;
mod cut;
mod drift;
mod islands;
mod joints;
mod kick;
mod path;
mod pieces;
mod settle;
mod still;
mod targets;
mod turn;
mod velocity_forces;

use super::{Accuracy, Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::{Counts, StepLog};
use crate::model::collision::fall;
use crate::model::constraints::Confirmed;
use crate::model::errors::{check_coordinates, check_finite};
use crate::model::instant::{Implicit, Instant, Place};
use crate::model::{Activation, ActiveConstraints, Coeffs, Free, Model, Presence, State};
use crate::part::Part;
use crate::phases::{Mass, SolverSettings, detect, factorize, judge, linearize};
use apart::Apart;
use books::Books;
use classify::{Roles, Rules, classify, decide};
use cut::impact_at;
use drift::Drift;
use joints::JointCorrection;
use kick::Kick;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};
use path::Path;
use still::Still;
use turn::Turn;

pub(super) const ENTRY: Entry = Entry {
    name: "kick-drift",
    about: "kicks at one configuration, free drifts, impacts at their instant; the default for bodies",
    options: &[&MOST_CUTS, &MOST_PASSES],
    make: |options, settings| Box::new(KickDrift::new(options, settings)),
};

const MOST_CUTS: Declared = Declared {
    name: "most_cuts",
    about: "most impacts at which a step is cut; further ones rebound at the start of what is left [–]",
    kind: Kind::Whole { min: 0, max: 1000 },
    default: "100",
};
const MOST_PASSES: Declared = Declared {
    name: "most_passes",
    about: "most passes in which joints are brought to their place at the end of the drift [–]",
    kind: Kind::Whole { min: 1, max: 1000 },
    default: "30",
};

/// Early rebounds that give more than this share of the kinetic energy are given up.
const LEAST_GAIN: f64 = 1e-9;

/// The kick–drift scheme.
pub struct KickDrift {
    limits: Limits,
    settings: SolverSettings,
    scratch: KickScratch,
    apart: Apart,
    still: Still,
}

/// Options of the scheme.
#[derive(Clone, Copy)]
struct Limits {
    most_cuts: usize,
    most_passes: usize,
}

/// Scratch, one value per phase.
#[derive(Default)]
struct KickScratch {
    drift: Drift,
    active: ActiveConstraints,
    mass: Mass,
    free: Free,
    problem: Problem,
    roles: Roles,
    kick: Kick,
    joints: JointCorrection,
    path: Path,
    books: Books,
    /// Places of the solves that made the step, in the log: the last of every kick, and all of impacts.
    made: Vec<usize>,
    /// The first problem of the step that missed its tolerance, where the step went on.
    missed: Option<Problem>,
    /// Whether a problem is being solved: it is the one to show where that stops the step.
    is_solving: bool,
    turn: Turn,
    /// How far points of each body went in the step, where that is asked for [m].
    way: Vec<f64>,
}

/// What a kick comes to.
enum Course {
    /// Islands were set apart: the step is to be made again without them.
    Apart,
    /// It was too long, and is to be made again.
    Again,
    /// An impact or the end of a slip, and something is left of the step.
    Cut,
    /// A piece of the step is done.
    Piece,
    /// The step is done.
    Over,
}

impl KickScratch {
    /// Takes who is there through the step, kick by kick. Says whether that was all: else islands were set `apart`, and the step is to be made
    /// again without them.
    fn run(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        (settings, limits): (&mut SolverSettings, Limits),
        apart: &mut Apart,
        (next, log): (&mut State, &mut StepLog),
    ) -> StepResult<bool> {
        self.start(model, now, h, apart)?;
        log.constraints.length = 0.0;
        let mut cuts = 0;
        loop {
            let limits = Limits { most_cuts: limits.most_cuts.saturating_sub(cuts), ..limits };
            match self.kick(model, now, (settings, limits), apart, log)? {
                Course::Apart => return Ok(false),
                Course::Again => {}
                Course::Cut => cuts += 1,
                Course::Piece => cuts = 0,
                Course::Over => break,
            }
        }
        self.finish(model, now, settings, (next, log))?;
        Ok(true)
    }

    /// One kick, the drift after it, and the impact that ends it, if there is one.
    fn kick(
        &mut self,
        model: &Model,
        now: &State,
        (settings, limits): (&mut SolverSettings, Limits),
        apart: &mut Apart,
        log: &mut StepLog,
    ) -> StepResult<Course> {
        let Self { drift, active, .. } = self;
        let part = Part::whole(drift.here().t, drift.rest);
        detect(model, &part, &drift.here(), Activation::Swept, active)?;
        if let Some(course) = apart.shorten(model, now, (active, None), drift)? {
            return Ok(course);
        }
        self.predict(model, log)?;
        let (is_capped, is_crowded) = (limits.most_cuts == 0, apart.is_possible());
        let rules = Rules { is_capped, is_crowded, tolerance: settings.tolerance };
        self.confirm(model, rules, (settings, limits.most_passes), log)?;
        let Self { drift, active, free, roles, kick, turn, .. } = self;
        classify(model, (active, kick, free), drift, rules, roles);
        if apart.is_struck(model, now, (drift, active, roles)) {
            return Ok(Course::Apart);
        }
        decide(model, active, drift, rules, roles);
        turn.keep(kick);
        self.solve(model, (settings, limits.most_passes), log)?;
        self.tame(model, (settings, limits.most_passes), log)?;
        let Self { drift, active, problem, kick, .. } = self;
        if let Some(course) = apart.shorten(model, now, (active, Some(kick)), drift)? {
            problem.delassus.release();
            return Ok(course);
        }
        if let Some(course) = self.turn(model, now, limits, apart) {
            return Ok(course);
        }
        let Self { drift, active, roles, kick, path, .. } = self;
        path.set(drift, kick);
        let hit = path.first_hit(model, drift, active, roles)?;
        if hit.is_some() && apart.is_hit(model, now, (drift, active, roles), path)? {
            return Ok(Course::Apart);
        }
        self.judge(model, settings, log)?;
        let Self { drift, active, mass, free, problem, roles, kick, path, books, way, turn, .. } = self;
        let turned = turn.take(drift.rest);
        path.add_ways(model, drift, hit.unwrap_or(drift.rest), way);
        log.longest_drift = log.longest_drift.max(drift.rest);
        books.kick(model, (active, roles, free), (drift, kick, path), hit, log)?;
        drift.remember(model, active, roles, kick)?;
        log.counts += Counts { steps: 1, rejected: 0, evaluations: 1 };
        let Some(time) = hit.or(turned) else { return self.go_on(model) };
        let made = (&*active, &*roles, &*kick);
        path.go_to(model, time, made, (mass, free, problem), (books, log), drift)?;
        if hit.is_some() {
            self.strike(model, settings, log)?;
        }
        self.drift.join_later();
        Ok(if self.drift.is_over() { Course::Over } else { Course::Cut })
    }

    fn start(&mut self, model: &Model, now: &State, h: f64, apart: &mut Apart) -> StepResult {
        self.books.start(now);
        self.made.clear();
        (self.missed, self.is_solving) = (None, false);
        self.turn.start();
        let n = if apart.asks_for_ways() { model.rigid.bodies.len() } else { 0 };
        self.way.clear();
        self.way.resize(n, 0.0);
        self.drift.start(model, now, h, apart.others(now))
    }

    /// Shortens the drift to the end of a slip that turns in it, or sets its island apart.
    fn turn(&mut self, model: &Model, now: &State, limits: Limits, apart: &mut Apart) -> Option<Course> {
        let Self { drift, active, free, problem, roles, kick, turn, .. } = self;
        let may = limits.most_cuts > 0 && !turn.is_cut();
        let made = (&*active, &*roles, &*kick, &*free);
        let course = if may { turn.course(model, now, made, drift, apart) } else { None };
        if course.is_some() {
            problem.delassus.release();
        }
        course
    }

    /// The end of a drift without impact: of the step, or of a piece of it.
    fn go_on(&mut self, model: &Model) -> StepResult<Course> {
        if self.drift.is_last() {
            return Ok(Course::Over);
        }
        self.drift.go_on();
        self.books.drifted(model, &self.drift)?;
        Ok(Course::Piece)
    }

    /// M, J and the kick without constraints, and where the drift would lead with the last reactions.
    fn predict(&mut self, model: &Model, log: &mut StepLog) -> StepResult {
        let Self { drift, active, mass, free, problem, kick, .. } = self;
        let part = Part::whole(drift.here().t, drift.rest);
        factorize(model, &part, &drift.pass(), Coeffs::MASS, problem, mass)?;
        let Implicit { length, ahead, .. } = drift.pass().implicit;
        let here = drift.here();
        model.kick(&part, (&here, &here), (length, ahead), mass.groups(), free)?;
        linearize(model, &part, &drift.pass(), active)?;
        kick.predict(model, active, mass, free, drift)?;
        if model.sees_velocities() {
            kick.act_between(model, (&part, ahead), (active, mass), free, drift, log)?;
        }
        Ok(())
    }

    /// Confirms new contacts on the predicted path. Where the prediction is too coarse for that, on the path of a kick that only what lasts
    /// and touches resists.
    fn confirm(
        &mut self,
        model: &Model,
        rules: Rules,
        (settings, most_passes): (&mut SolverSettings, usize),
        log: &mut StepLog,
    ) -> StepResult {
        let Self { drift, active, mass, free, problem, roles, kick, joints, path, .. } = self;
        let fall = fall(&model.rigid, drift.rest);
        let mut confirmed = path.confirm(model, drift, (kick, fall), active);
        if confirmed == Confirmed::AsSeen {
            return Ok(());
        }
        if confirmed == Confirmed::InDoubt {
            classify(model, (active, kick, free), drift, rules, roles);
            decide(model, active, drift, rules, roles);
            roles.keep_supports(active);
            let solving = (settings, most_passes);
            kick.solve(model, (active, roles, free, mass), solving, (problem, joints), drift, log)?;
            joints.release();
            problem.delassus.release();
            confirmed = path.confirm(model, drift, (kick, 0.0), active);
        }
        if confirmed == Confirmed::Changed {
            let part = Part::whole(drift.here().t, drift.rest);
            linearize(model, &part, &drift.pass(), active)?;
        }
        kick.predict(model, active, mass, free, drift)
    }

    /// Solves the kick.
    fn solve(
        &mut self,
        model: &Model,
        solving: (&mut SolverSettings, usize),
        log: &mut StepLog,
    ) -> StepResult {
        self.is_solving = true;
        let Self { drift, active, mass, free, problem, roles, kick, joints, .. } = self;
        kick.solve(model, (active, roles, free, mass), solving, (problem, joints), drift, log)?;
        joints.release();
        Ok(())
    }

    /// Solves the kick again without early rebounds that give energy.
    fn tame(
        &mut self,
        model: &Model,
        (settings, most_passes): (&mut SolverSettings, usize),
        log: &mut StepLog,
    ) -> StepResult {
        if self.roles.early + self.roles.capped == 0 {
            return Ok(());
        }
        let kinetic = model.energies(&self.drift.here())?.kinetic;
        let share = LEAST_GAIN.max(10.0 * settings.tolerance);
        while self.roles.give_up(model, &self.active, &self.kick, (share, kinetic)) {
            self.problem.delassus.release();
            self.solve(model, (settings, most_passes), log)?;
        }
        Ok(())
    }

    /// Judges the solve of a kick that is kept.
    fn judge(&mut self, model: &Model, settings: &SolverSettings, log: &mut StepLog) -> StepResult {
        if !self.roles.rows.is_empty() {
            self.made.extend(log.solves.len().checked_sub(1));
            judge(model, &self.active, settings.tolerance, settings.policy, log)?;
        }
        self.keep_missed(log);
        Ok(())
    }

    /// The laws of impact act where the step stands.
    fn strike(&mut self, model: &Model, settings: &mut SolverSettings, log: &mut StepLog) -> StepResult {
        self.is_solving = true;
        let first = log.solves.len();
        let Self { drift, active, mass, problem, books, .. } = self;
        impact_at(model, drift, active, (mass, problem), settings, books, log)?;
        self.made.extend(first..log.solves.len());
        self.keep_missed(log);
        Ok(())
    }

    /// Keeps the problem just solved where it missed its tolerance and the step goes on, unless there is one already.
    fn keep_missed(&mut self, log: &StepLog) {
        self.is_solving = false;
        if log.missed && self.missed.is_none() {
            self.missed = Some(self.problem.detached());
        }
    }

    /// The rest of the drift, memory, and the ledger.
    fn finish(
        &mut self,
        model: &Model,
        now: &State,
        settings: &mut SolverSettings,
        (next, log): (&mut State, &mut StepLog),
    ) -> StepResult {
        let Self { drift, active, mass, free, problem, roles, kick, books, made, .. } = self;
        drift.finish(model, now, next);
        log.put_worst_last(made);
        log.newton_iterations = kick.passes;
        let last = (&*drift, &*active, &*roles, &*kick);
        books.finish(model, last, (mass, free, problem), settings, next, log)
    }
}

impl KickDrift {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        let limits =
            Limits { most_cuts: options.count(&MOST_CUTS), most_passes: options.count(&MOST_PASSES) };
        let (scratch, apart, still) = Default::default();
        Self { limits, settings, scratch, apart, still }
    }
}

impl Integrator for KickDrift {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::needs_kick_drift("kick-drift", model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        if self.still.repeats(now, h) {
            self.still.repeat(now, h, next, log);
            return Ok(());
        }
        let Self { limits, settings, scratch, apart, .. } = self;
        apart.start(model, now);
        loop {
            apart.synchronize(model, now, h, scratch, settings)?;
            let start = apart.state(now);
            let made = (&mut *next, &mut *log);
            if scratch.run(model, &start, h, (settings, *limits), apart, made)? {
                apart.run(model, &start, h, (settings, *limits))?;
                if apart.stayed(model, now, &mut scratch.drift, &scratch.way)? {
                    break;
                }
            }
            log.clear();
            scratch.problem.delassus.release();
        }
        apart.merge(model, next, log);
        self.still.freeze(model, (now, h, self.settings.tolerance), next, log);
        self.close(model, now, next, log)?;
        self.still.keep(now, h, next, log);
        Ok(())
    }

    fn synchronize(&mut self, model: &Model, state: &State, out: &mut State) -> StepResult {
        if self.still.is_at(state) {
            out.copy_from(state);
            out.lag.fill(0.0);
            return Ok(());
        }
        drift::synchronize(model, state, &mut self.scratch, &mut self.settings, out)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy { order: 2, resolves_impacts: true }
    }

    fn is_staggered(&self) -> bool {
        true
    }

    fn last_problem(&self) -> Option<&Problem> {
        let KickScratch { problem, missed, is_solving, .. } = &self.scratch;
        if *is_solving {
            return Some(problem);
        }
        Some(self.apart.problem().or(missed.as_ref()).unwrap_or(problem))
    }

    fn reset(&mut self) {
        (self.scratch, self.apart, self.still) = Default::default();
        self.settings.solver.forget();
    }
}

impl KickDrift {
    /// Ends a step that is written: presence, angles, gaps.
    fn close(&self, model: &Model, now: &State, next: &mut State, log: &mut StepLog) -> StepResult {
        next.presence.clone_from(&now.presence);
        model.update_presence(next);
        if model.is_separable() {
            // The velocity of a newborn is that at its place.
            let lives = now.presence.iter().zip(&next.presence).zip(&mut next.lag);
            let born = lives.filter(|((before, after), _)| {
                **before == Presence::Pending && **after == Presence::Present
            });
            born.for_each(|(_, lag)| *lag = 0.0);
        }
        model.update_angles(now, next)?;
        check_finite(model, "velocity", &next.v)?;
        check_coordinates(model, &next.q)?;
        if next.presence == now.presence && !self.apart.has_islands() {
            return model.gaps(&self.scratch.drift.here(), &mut log.gaps);
        }
        let mut place =
            Place { t: next.t, q: next.q.clone(), inputs: next.inputs.clone(), ..Place::default() };
        place.angles.clone_from(&now.angles);
        place.v.resize(next.v.len(), 0.0);
        model.to_working(&next.q, &next.v, &mut place.v);
        place.complete(model, &now.presence, &next.v)?;
        let at = place.instant(&now.presence);
        let before = model.energies(&at)?;
        let after = model.energies(&Instant { presence: &next.presence, ..at })?;
        let kinetic = after.kinetic - before.kinetic;
        log.works.exchange += kinetic + after.potential - before.potential;
        log.energies.kinetic += kinetic;
        log.energies.potential += after.potential - before.potential;
        model.gaps(&at, &mut log.gaps)
    }
}
