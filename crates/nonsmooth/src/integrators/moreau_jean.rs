//! Moreau–Jean: the θ-scheme at velocity level.
//!
//! ```text
//! M(q_m)(v⁺ − v) = h (θ f⁺ + (1−θ) f) + J(q_c)ᵀ p          q⁺ = q + h (θ v⁺ + (1−θ) v)
//! y + γ h u ≤ 0:   0 ≤ u⁺ + e u ⟂ p ≥ 0,  u⁺ = J(q_c) v⁺ + ∂g/∂t(t⁺)         otherwise p = 0
//! ```
//!
//! [Acary06, Algorithm 1; Acary10, eq. (29)], read as x_{k+θ} = θ x⁺ + (1−θ) x. p is an impulse: W is
//! used with p, not with h λ. Where M and J are evaluated (q_m, q_c) is an option; see
//! `instants.rs`. Linear models take one pass; others iterate by Newton until v⁺ changes by less than
//! `newton_tolerance`, relatively. By option the law is imposed on the gap at the end of the step,
//! 0 ≤ y⁺ ⟂ p ≥ 0 [Acary06, eq. (51)].

use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::instants::Configuration;
use crate::log::{Counts, StepLog};
use crate::model::{Activation, ActiveConstraints, Level, Model, State, Theta};
use crate::newton::{Newton, Solved, Verdict};
use crate::part::Part;
use crate::phases::{
    LawForm, Ledger, Mass, REDUNDANT, SolverSettings, Struck, account, advance, apply, assemble,
    assemble_with, certify_pass, correct, detect, factorize, fly, guess, is_bilateral, judge, linearize,
    set_laws, set_offsets, solve, stiffen, strike,
};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Factored, Kind, Options, Problem, Status};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-jean",
    about: "θ-scheme at velocity level with Newton impacts; the default",
    options: &[&THETA, &GAMMA, &LEVEL, &MASS_AT, &JACOBIAN_AT, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, settings| Box::new(MoreauJean::new(options, settings)),
};

pub(super) const THETA: Declared = Declared {
    name: "theta",
    about: "implicitness θ: ½ conserves, 1 damps, < ½ is unstable with stiffness [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0.5",
};
pub(super) const GAMMA: Declared = Declared {
    name: "gamma",
    about: "look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–]",
    kind: Kind::Number { min: 0.0, max: 10.0 },
    default: "0.5",
};
pub(super) const LEVEL: Declared = Declared {
    name: "level",
    about: "whether the law holds for the velocity or for the gap at the end of the step",
    kind: Kind::Word(&["velocity", "position"]),
    default: "velocity",
};
pub(super) const MASS_AT: Declared = Declared {
    name: "mass_at",
    about: "where M(q) is evaluated: at q_{k+θ} (second order for θ = ½) or at the end of the step",
    kind: Kind::Word(&["theta", "end"]),
    default: "theta",
};
pub(super) const JACOBIAN_AT: Declared = Declared {
    name: "jacobian_at",
    about: "where J(q) of gaps is evaluated: at the end of the step (joints hold), at q_{k+θ} or at the start",
    kind: Kind::Word(&["start", "theta", "end"]),
    default: "end",
};
pub(super) const NEWTON_TOLERANCE: Declared = Declared {
    name: "newton_tolerance",
    about: "relative change of v⁺ at which Newton's iteration stops [–]",
    kind: Kind::Positive,
    default: "1e-12",
};
pub(super) const NEWTON_ITERATIONS: Declared = Declared {
    name: "newton_iterations",
    about: "most Newton iterations per step [–]",
    kind: Kind::Count,
    default: "50",
};

/// The θ-scheme of Moreau and Jean.
pub struct MoreauJean {
    theta: f64,
    gamma: f64,
    passes: Passes,
    /// Options given that only the velocity level can honour.
    velocity_only: Vec<&'static str>,
    settings: SolverSettings,
    pub(super) scratch: Scratch,
    /// Impacts at the start of the step, where a law has them.
    struck: Option<Box<Struck>>,
}

/// How the passes of a step are made.
#[derive(Clone, Copy)]
struct Passes {
    position_level: bool,
    /// Where M and J are evaluated.
    configuration: (Configuration, Configuration),
    newton: Newton,
}

impl MoreauJean {
    pub(super) fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            theta: options.number(&THETA),
            gamma: options.number(&GAMMA),
            passes: Passes {
                position_level: options.word(&LEVEL) == "position",
                configuration: (place(options.word(&MASS_AT)), place(options.word(&JACOBIAN_AT))),
                newton: Newton {
                    tolerance: options.number(&NEWTON_TOLERANCE),
                    most_iterations: options.count(&NEWTON_ITERATIONS),
                },
            },
            velocity_only: [&GAMMA, &JACOBIAN_AT]
                .into_iter()
                .filter(|option| options.is_given(option))
                .map(|option| option.name)
                .collect(),
            settings,
            scratch: Scratch::default(),
            struck: None,
        }
    }

    /// Swaps its scratch with another.
    pub(super) fn exchange(&mut self, scratch: &mut Scratch) {
        std::mem::swap(&mut self.scratch, scratch);
    }

    fn activation(&self, h: f64) -> Activation {
        let distance = if self.passes.position_level { f64::INFINITY } else { 0.0 };
        Activation::Ahead { ahead: self.gamma * h, distance }
    }
}

impl Passes {
    /// Passes until v⁺ stands still: one where everything is linear. Returns how many there were.
    #[inline(never)]
    fn iterate(
        self,
        model: &Model,
        now: &State,
        rule: Theta,
        (scratch, settings): (&mut Scratch, &mut SolverSettings),
        v_plus: &mut Vec<f64>,
        log: &mut StepLog,
    ) -> StepResult<usize> {
        if model.has_linear_systems()
            && self.newton.is_needed(model, self.position_level)
            && is_bilateral(model, &scratch.active)
            && let Some(passes) = self.correct(model, now, rule, (scratch, settings), v_plus, log)?
        {
            return Ok(passes);
        }
        let (level, ahead) = self.level(rule);
        let Scratch { at, active, mass, free, problem, impulses, parts, v_next, .. } = scratch;
        let mut newton = self.newton.start(model, self.position_level, at.velocities(now), v_next);
        parts.start();
        loop {
            if newton.is_needed() {
                at.predict(model, now, rule, self.configuration, v_next)?;
            }
            let (part, pass) = (parts.part(now.t, rule.h), at.pass(now));
            factorize(model, &part, &pass, rule.coeffs(), problem, mass)?;
            model.free_motion(&part, &pass, rule, mass.groups(), free)?;
            linearize(model, &part, &pass, active)?;
            set_offsets(model, &part, &pass, level, active)?;
            set_laws(model, now, LawForm::Step, (rule.h, ahead), impulses, active);
            let posed = (&*active, &*mass, &*free);
            parts.impose(posed, settings, (problem, impulses), (v_next, v_plus), log)?;
            if !newton.is_needed() {
                return Ok(1);
            }
            let (q_end, tolerance) = (pass.end.q, settings.tolerance);
            let solved = Solved { problem, free, rule, q_end, tolerance };
            let (of, v) = ((model, &*active, &*mass), (&mut v_next[..], &mut v_plus[..]));
            if newton.is_done_by_island(of, parts, &solved, v, impulses)? {
                return Ok(newton.iterations());
            }
        }
    }

    /// The laws of the active constraints act on v_free: v⁺.
    #[inline(never)]
    fn impose(
        self,
        model: &Model,
        now: &State,
        rule: Theta,
        (scratch, settings): (&mut Scratch, &mut SolverSettings),
        v_plus: &mut Vec<f64>,
        log: &mut StepLog,
    ) -> StepResult {
        let Scratch { active, mass, free, problem, impulses, .. } = scratch;
        let (_, ahead) = self.level(rule);
        set_laws(model, now, LawForm::Step, (rule.h, ahead), impulses, active);
        assemble(active, mass, free, problem);
        solve(&mut *settings.solver, settings.tolerance, problem, impulses, log)?;
        apply(problem, free, impulses, v_plus);
        Ok(())
    }

    /// The same where all constraints are bilateral and join bodies, by one factor (`phases/correct.rs`). None where it has no sound factor or
    /// does not converge: then everything is as it was.
    #[inline(never)]
    fn correct(
        self,
        model: &Model,
        now: &State,
        rule: Theta,
        (scratch, settings): (&mut Scratch, &mut SolverSettings),
        v_plus: &mut Vec<f64>,
        log: &mut StepLog,
    ) -> StepResult<Option<usize>> {
        let part = Part::whole(now.t, rule.h);
        let (level, ahead) = self.level(rule);
        let Scratch { at, active, mass, stiffened, free, problem, impulses, v_next, .. } = scratch;
        let SolverSettings { solver, tolerance, .. } = settings;
        let mut newton = self.newton.start(model, self.position_level, at.velocities(now), v_next);
        let pass = at.pass(now);
        factorize(model, &part, &pass, rule.coeffs(), problem, mass)?;
        model.free_motion(&part, &pass, rule, mass.groups(), free)?;
        linearize(model, &part, &pass, active)?;
        guess(active, mass, free, &impulses.p, v_next);
        let mut made = None;
        loop {
            at.predict(model, now, rule, self.configuration, v_next)?;
            let pass = at.pass(now);
            problem.delassus.release();
            // Bodies move freely as they did in the guess, unless forces see the end of the step.
            if !model.forces.is_empty() {
                model.free_motion(&part, &pass, rule, mass.groups(), free)?;
            }
            linearize(model, &part, &pass, active)?;
            set_offsets(model, &part, &pass, level, active)?;
            set_laws(model, now, LawForm::Step, (rule.h, ahead), impulses, active);
            if made.is_none() {
                stiffen(model, &pass, rule, (active, &impulses.p), stiffened);
                assemble_with(active, stiffened.groups(), free, problem);
                made = Some(solver.factor(problem));
            }
            if made != Some(Factored::Made) {
                if made == Some(Factored::Singular) {
                    log.note(REDUNDANT, 1.0);
                }
                break;
            }
            let step = (model, &*active, &*free);
            correct(&**solver, step, (mass, stiffened), impulses, v_next, v_plus);
            match newton.judge_correction((rule, pass.end.q), &free.v, v_next, v_plus) {
                Verdict::Failed => break,
                Verdict::GoOn => continue,
                Verdict::Slow => made = None,
                Verdict::Done => {
                    let (made, passes) = ((&*active, &*mass, &*free), newton.iterations());
                    let report = certify_pass(made, *tolerance, problem, impulses, passes);
                    if report.status == Status::Converged {
                        log.solves.push(report);
                        return Ok(Some(passes));
                    }
                    break;
                }
            }
        }
        impulses.forget_passes();
        problem.delassus.release();
        Ok(None)
    }

    /// At which level rows are imposed, and ∂y⁺/∂u⁺.
    fn level(self, rule: Theta) -> (Level, f64) {
        let ahead = rule.h * rule.theta;
        (if self.position_level { Level::Position { ahead } } else { Level::Velocity }, ahead)
    }

    /// Whether a pass has nothing to evaluate but v_free, which is a fall: M̂ and J are those of the step before, the rows have no
    /// offset, and no impulses act, as when M̂ was made.
    #[inline]
    fn is_steady(self, model: &Model, rule: Theta, mass: &Mass, active: &ActiveConstraints) -> bool {
        model.is_ballistic()
            && mass.is_for(model, rule.coeffs())
            && (active.is_empty()
                || model.has_constant_rows() && !active.is_new() && !self.position_level)
    }
}

pub(super) fn place(word: &str) -> Configuration {
    match word {
        "end" => Configuration::End,
        "start" => Configuration::Start,
        _ => Configuration::Theta,
    }
}

impl Integrator for MoreauJean {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::refusal::needs_theta_alone("moreau-jean", model)?;
        if self.theta == 0.0 {
            super::refusal::no_elastic("moreau-jean with theta = 0", model)?;
        }
        if !self.passes.position_level {
            return Ok(());
        }
        super::refusal::no_elastic("moreau-jean with level = \"position\"", model)?;
        if self.theta == 0.0 {
            return Err(Refusal::ExplicitAtPositionLevel);
        }
        if let Some(option) = self.velocity_only.first() {
            return Err(Refusal::IgnoredAtPositionLevel { option });
        }
        super::acts_at_once("moreau-jean with level = \"position\"", model)?;
        super::no_rebound("moreau-jean with level = \"position\"", model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let (rule, part) = (Theta { h, theta: self.theta }, Part::whole(now.t, h));
        let activation = self.activation(h);
        let Self { passes, settings, scratch, struck, .. } = self;
        let Scratch { at, active, mass, free, problem, impulses, .. } = scratch;

        at.configure(model, now, rule)?;
        detect(model, &part, &at.now(now), activation, active)?;
        let now = if model.has_phases() {
            let struck = struck.get_or_insert_default();
            strike(model, (now, rule), at, active, struck, (settings, problem), log)?
        } else {
            now
        };
        if active.is_empty() && model.flies(rule) {
            return fly(model, now, rule, next, log);
        }
        impulses.warm_start(model, now, active, h);
        log.newton_iterations = 1;
        if passes.is_steady(model, rule, mass, active) {
            model.fall(now, h, &mut free.v);
            passes.impose(model, now, rule, (scratch, settings), &mut next.v, log)?;
        } else {
            log.newton_iterations =
                passes.iterate(model, now, rule, (scratch, settings), &mut next.v, log)?;
        }
        let Scratch { at, active, free, impulses, v_next, v_mean, .. } = scratch;
        judge(model, active, settings.tolerance, settings.policy, log)?;
        log.counts = Counts { steps: 1, rejected: 0, evaluations: log.newton_iterations as u64 };
        if model.has_working_axes() {
            v_next.clone_from(&next.v);
        }
        advance(model, now, rule, (active, impulses), v_mean, next)?;

        let v_next: &[f64] = if model.has_working_axes() { v_next } else { &next.v };
        let ledger = Ledger {
            now,
            next,
            v_next,
            v_end: v_next,
            rule,
            phi: rule.theta,
            at,
            free,
            active,
            impulses,
        };
        account(model, &ledger, v_mean, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.scratch.problem)
    }

    fn reset(&mut self) {
        self.scratch.reset();
        self.struck = None;
        self.settings.solver.forget();
    }
}
