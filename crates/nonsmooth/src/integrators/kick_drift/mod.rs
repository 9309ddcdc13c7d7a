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
//! Forces that depend on velocities act with ½ (v̂ + ṽ), where ṽ is what they lead to (`velocity_forces.rs`). v̂ is the velocity τ before q, τ half the length of the last drift (`State.lag`). An impact cuts the step: everything is taken to
//! its instant along the path of the drift, the law acts there, and a fresh kick drives the rest of the step. Where a body that may
//! meet another turns fast the step is made in pieces. Where there are many impacts at once they act at the start of the step in the
//! one solve (early rebound). Lasting gaps within ±δ are kept as they are, so that rest is a fixed point.

mod books;
mod classify;
mod cut;
mod drift;
mod joints;
mod kick;
mod path;
mod pieces;
mod settle;
mod targets;
mod velocity_forces;

use super::{Accuracy, Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::{Counts, StepLog};
use crate::model::collision::fall;
use crate::model::constraints::Confirmed;
use crate::model::instant::Implicit;
use crate::model::{Activation, ActiveConstraints, Coeffs, Free, Model, State};
use crate::part::Part;
use crate::phases::{Mass, SolverSettings, detect, factorize, linearize};
use books::Books;
use classify::{Roles, Rules, classify};
use cut::impact_at;
use drift::Drift;
use joints::JointCorrection;
use kick::Kick;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};
use path::Path;
use pieces::{longest_after, longest_drift};

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

/// The kick–drift scheme.
pub struct KickDrift {
    most_cuts: usize,
    most_passes: usize,
    settings: SolverSettings,
    scratch: KickScratch,
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
}

impl KickScratch {
    fn start(&mut self, model: &Model, now: &State, h: f64) -> StepResult {
        self.books.start(now);
        self.made.clear();
        (self.missed, self.is_solving) = (None, false);
        self.drift.start(model, now, h)
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
        rules: Rules,
        solving: (&mut SolverSettings, usize),
        log: &mut StepLog,
    ) -> StepResult {
        self.is_solving = true;
        let Self { drift, active, mass, free, problem, roles, kick, joints, .. } = self;
        classify(model, (active, kick, free), drift, rules, roles);
        kick.solve(model, (active, roles, free, mass), solving, (problem, joints), drift, log)?;
        joints.release();
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
}

impl KickDrift {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        let (most_cuts, most_passes) = (options.count(&MOST_CUTS), options.count(&MOST_PASSES));
        Self { most_cuts, most_passes, settings, scratch: KickScratch::default() }
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
        let settings = &mut self.settings;
        self.scratch.start(model, now, h)?;
        log.constraints.length = 0.0;
        let mut cuts = 0;
        loop {
            let KickScratch { drift, active, mass, free, problem, kick, .. } = &mut self.scratch;
            let part = Part::whole(drift.here().t, drift.rest);
            detect(model, &part, &drift.here(), Activation::Swept, active)?;
            if drift.shorten(longest_drift(model, drift, active)) {
                continue;
            }
            factorize(model, &part, &drift.pass(), Coeffs::MASS, problem, mass)?;
            let Implicit { length, ahead, .. } = drift.pass().implicit;
            let here = drift.here();
            model.kick(&part, (&here, &here), (length, ahead), mass.groups(), free)?;
            linearize(model, &part, &drift.pass(), active)?;
            kick.predict(model, active, mass, free, drift)?;
            if model.sees_velocities() {
                kick.act_between(model, (&part, ahead), (active, mass), free, drift, log)?;
            }
            let rules = Rules { all_early: cuts >= self.most_cuts, tolerance: settings.tolerance };
            self.scratch.confirm(model, rules, (settings, self.most_passes), log)?;
            self.scratch.solve(model, rules, (settings, self.most_passes), log)?;

            let KickScratch {
                drift, active, mass, free, problem, roles, kick, path, books, made, ..
            } = &mut self.scratch;
            if drift.shorten(longest_after(model, drift, active, kick)?) {
                problem.delassus.release();
                continue;
            }
            log.longest_drift = log.longest_drift.max(drift.rest);
            made.extend(log.solves.len().checked_sub(1).filter(|_| !roles.rows.is_empty()));
            path.set(drift, kick);
            let hit = path.first_hit(model, drift, active, roles)?;
            books.kick(model, (active, roles, free), (drift, kick, path), hit, log)?;
            drift.remember(model, active, roles, kick)?;
            log.counts += Counts { steps: 1, rejected: 0, evaluations: 1 };
            let Some(time) = hit else {
                if drift.is_last() {
                    break;
                }
                drift.go_on();
                books.drifted(model, drift)?;
                cuts = 0;
                continue;
            };
            cuts += 1;
            path.go_to(model, time, (active, roles, kick), (mass, free, problem), books, drift)?;
            self.scratch.strike(model, settings, log)?;
            let drift = &mut self.scratch.drift;
            drift.join_later();
            if drift.is_over() {
                break;
            }
        }
        let KickScratch { drift, active, mass, free, problem, roles, kick, books, made, .. } =
            &mut self.scratch;
        drift.finish(model, now, next)?;
        log.put_worst_last(made);
        log.newton_iterations = kick.passes;
        let last = (&*drift, &*active, &*roles, &*kick);
        books.finish(model, last, (mass, free, problem), settings, next, log)
    }

    fn synchronize(&mut self, model: &Model, state: &State, out: &mut State) -> StepResult {
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
        Some(missed.as_ref().filter(|_| !is_solving).unwrap_or(problem))
    }

    fn reset(&mut self) {
        self.scratch = KickScratch::default();
        self.settings.solver.forget();
    }
}
