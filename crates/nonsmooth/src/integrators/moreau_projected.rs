//! Moreau–Jean with projection: the step of `moreau-jean` at velocity level, then q⁺ moves onto the constraints.
//!
//! ```text
//! M(q_m)(v⁺ − v) = h (θ f⁺ + (1−θ) f) + Jᵀ p          q⁺ = q ⊕ h (θ v⁺ + (1−θ) v)
//! y + γ h u ≤ 0:   0 ≤ u⁺ + e u ⟂ p ≥ 0
//! q⁺ ← q⁺ ⊕ M⁻¹ Jᵀ λ
//! ```
//!
//! *Direct*: joints end with y = 0, contacts that took part with y ≥ 0 and λ ≥ 0. A gap that did not take part keeps
//! its overlap until the step in which it does, unless `project` = "all"; points of bodies that overlap are always moved out. With
//! e > 0 an accumulation under the weight g does not end in rest: lifted to y = 0 and leaving at v = e g h/(1 + e), a contact does not
//! take part in the next step, falls and is thrown back, every other step. Combined projection comes to rest.
//!
//! *Combined*: contacts that would end inside by more than the tolerance take part too, with their impact law, and the
//! step is made again until no other one enters. Contacts that carried an impulse end with y = 0, λ of either sign; where
//! that cannot be had at once (a rigid body that is hit at two points, say), they only move out, and the summary counts
//! it. So no step ends inside anything. [Acary13]
//!
//! Points of bodies would end inside if the features of the start do so at q⁺ and the colliders overlap there.
//! Order 1 through impacts. The ledger has what the projection adds in a column of its own.

use super::moreau_jean::{
    GAMMA, JACOBIAN_AT, MASS_AT, NEWTON_ITERATIONS, NEWTON_TOLERANCE, THETA, place,
};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::instants::Configuration;
use crate::log::{Counts, StepLog};
use crate::model::{Activation, ActiveConstraints, ConstraintId, Level, Model, State, Theta};
use crate::newton::{Newton, Solved};
use crate::part::Part;
use crate::phases::{
    LawForm, Ledger, Projecting, Projection, SolverSettings, account, advance, detect, detect_chosen,
    factorize, judge, linearize, project, set_laws, set_offsets, strike,
};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-projected",
    about: "moreau-jean, then positions are projected onto the constraints: no drift, no overlap",
    options: &[
        &PROJECTION,
        &PROJECT,
        &PROJECTION_TOLERANCE,
        &PROJECTION_ITERATIONS,
        &THETA,
        &GAMMA,
        &MASS_AT,
        &JACOBIAN_AT,
        &NEWTON_TOLERANCE,
        &NEWTON_ITERATIONS,
    ],
    make: |options, settings| Box::new(MoreauProjected::new(options, settings)),
};

const PROJECTION: Declared = Declared {
    name: "projection",
    about: "direct: contacts that took part and overlap are moved out; combined: contacts that would overlap take part too, and all that did end on the surface",
    kind: Kind::Word(&["direct", "combined"]),
    default: "direct",
};
const PROJECT: Declared = Declared {
    name: "project",
    about: "which gaps a direct projection moves out: those that took part in the step, or all that overlap",
    kind: Kind::Word(&["active", "all"]),
    default: "active",
};
const PROJECTION_TOLERANCE: Declared = Declared {
    name: "projection_tolerance",
    about: "largest gap that counts as closed after the projection [m]",
    kind: Kind::Positive,
    default: "1e-10",
};
const PROJECTION_ITERATIONS: Declared = Declared {
    name: "projection_iterations",
    about: "most passes of the projection; hundreds of bodies that arrive at once need tens [–]",
    kind: Kind::Count,
    default: "100",
};

/// What the summary calls steps whose contacts could not all close.
const ONLY_OUT: &str = "steps whose contacts could not all end on the surface";

/// The θ-scheme of Moreau and Jean with projection of positions.
pub struct MoreauProjected {
    theta: f64,
    gamma: f64,
    /// Where M and J are evaluated.
    configuration: (Configuration, Configuration),
    newton: Newton,
    projection: Projection,
    /// Whether `project` was given.
    selects: bool,
    settings: SolverSettings,
    scratch: Scratch,
    projecting: Projecting,
    entering: Entering,
}

/// Which constraints take part in a combined projection.
#[derive(Default)]
struct Entering {
    /// All within reach of the step, features frozen.
    reach: ActiveConstraints,
    /// Those that took part at first, ascending.
    first: Vec<ConstraintId>,
    /// Those that take part because they would end inside.
    also: Vec<ConstraintId>,
}

impl MoreauProjected {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            theta: options.number(&THETA),
            gamma: options.number(&GAMMA),
            configuration: (place(options.word(&MASS_AT)), place(options.word(&JACOBIAN_AT))),
            newton: Newton {
                tolerance: options.number(&NEWTON_TOLERANCE),
                most_iterations: options.count(&NEWTON_ITERATIONS),
            },
            projection: Projection {
                onto_surface: options.word(&PROJECTION) == "combined",
                all: options.word(&PROJECT) == "all",
                tolerance: options.number(&PROJECTION_TOLERANCE),
                iterations: options.count(&PROJECTION_ITERATIONS),
            },
            selects: options.is_given(&PROJECT),
            settings,
            scratch: Scratch::default(),
            projecting: Projecting::default(),
            entering: Entering::default(),
        }
    }

    /// Which constraints take part, in pass `pass` of the step.
    fn detect(&mut self, model: &Model, now: &State, rule: Theta, pass: u64) -> StepResult {
        let Scratch { at, active, .. } = &mut self.scratch;
        let Entering { reach, first, also } = &mut self.entering;
        let (part, all) = (Part::whole(now.t, rule.h), Activation::Reach { distance: f64::INFINITY });
        at.configure(model, now, rule)?;
        if pass > 0 {
            let is_chosen = |id: ConstraintId| first.binary_search(&id).is_ok() || also.contains(&id);
            return detect_chosen(model, &part, &at.now(now), all, is_chosen, active);
        }
        also.clear();
        let ahead =
            Activation::Ahead { ahead: self.gamma * rule.h, distance: self.projection.tolerance };
        detect(model, &part, &at.now(now), ahead, active)?;
        if self.projection.onto_surface {
            first.clone_from(&active.ids);
            detect(model, &part, &at.now(now), all, reach)?;
        }
        Ok(())
    }

    /// The velocities of Moreau–Jean with the constraints that take part; returns its Newton iterations.
    fn velocities(
        &mut self,
        model: &Model,
        now: &State,
        rule: Theta,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult<usize> {
        let h = rule.h;
        let Scratch { at, active, mass, free, problem, impulses, struck, parts, v_next, .. } =
            &mut self.scratch;
        let now = if model.has_phases() {
            let struck = struck.get_or_insert_default();
            strike(model, (now, rule), at, active, struck, (&mut self.settings, problem), log)?
        } else {
            now
        };
        impulses.warm_start(model, now, active, h);
        let settings = &mut self.settings;
        let mut newton = self.newton.start(model, false, at.velocities(now), v_next);
        parts.start();
        loop {
            let part = parts.part(now.t, h);
            if newton.is_needed() {
                at.predict(model, now, rule, self.configuration, v_next)?;
            }
            let pass = at.pass(now);
            factorize(model, &part, &pass, rule.coeffs(), problem, mass)?;
            model.free_motion(&part, &pass, rule, mass.groups(), free)?;
            linearize(model, &part, &pass, active)?;
            set_offsets(model, &part, &pass, Level::Velocity, active)?;
            set_laws(model, now, LawForm::Step, (h, 0.0), impulses, active);
            let posed = (&*active, &*mass, &*free);
            parts.impose(posed, settings, (problem, impulses), (v_next, &mut next.v), log)?;
            let solved =
                Solved { problem, free, rule, q_end: pass.end.q, tolerance: settings.tolerance };
            let (of, v) = ((model, &*active, &*mass), (&mut v_next[..], &mut next.v[..]));
            if newton.is_done_by_island(of, parts, &solved, v, impulses)? {
                break;
            }
        }
        judge(model, active, settings.tolerance, settings.policy, log)?;
        v_next.clone_from(&next.v);
        Ok(newton.iterations())
    }

    /// Moves `next.q` onto the constraints; whether the step must be made again, with others that entered.
    fn project(
        &mut self,
        model: &Model,
        now: &State,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult<bool> {
        let Self { projection, settings, scratch, projecting, entering, .. } = self;
        let Scratch { at, active, impulses, .. } = scratch;
        let took_part = (&*active, &impulses.p[..]);
        projecting.select(model, &at.now(now), took_part, *projection)?;
        let found = project(model, *projection, settings, projecting, (now, next), log);
        if !projection.onto_surface {
            return found.map(|()| false);
        }
        if found.is_err() {
            projecting.exchange(next);
            let outwards = Projection { onto_surface: false, ..*projection };
            projecting.select(model, &at.now(now), took_part, outwards)?;
            project(model, outwards, settings, projecting, (now, next), log)?;
            log.note(ONLY_OUT, 1.0);
        }
        let Entering { reach, also, .. } = entering;
        projecting.entered(model, (reach, active), projection.tolerance, (now, next), also)
    }
}

impl Integrator for MoreauProjected {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::needs_theta(ENTRY.name, model)?;
        let option = PROJECT.name;
        if self.selects && self.projection.onto_surface {
            return Err(Refusal::IdleOption { option, needs: "projection = \"direct\"" });
        }
        if self.selects && model.has_working_axes() && model.n_constraints() == 0 {
            let needs = "constraints: all points of bodies that overlap are moved apart";
            return Err(Refusal::IdleOption { option, needs });
        }
        Ok(())
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let rule = Theta { h, theta: self.theta };
        log.newton_iterations = 0;
        for pass in 0.. {
            // What a pass that is made again noted did not happen.
            log.events.clear();
            log.notes.clear();
            log.struck = None;
            self.detect(model, now, rule, pass)?;
            log.newton_iterations += self.velocities(model, now, rule, next, log)?;
            log.counts = Counts { steps: 1, rejected: pass, evaluations: log.newton_iterations as u64 };
            let Scratch { active, impulses, struck, v_mean, .. } = &mut self.scratch;
            let from = struck.get_or_insert_default().start(now, log);
            advance(model, from, rule, (active, impulses), v_mean, next)?;
            if !self.project(model, now, next, log)? {
                break;
            }
        }

        self.projecting.exchange(next);
        let Scratch { at, active, free, impulses, struck, v_next, v_mean, .. } = &mut self.scratch;
        let (now, v_next, v_end, phi) =
            (struck.get_or_insert_default().start(now, log), &*v_next, &*v_next, rule.theta);
        let ledger = Ledger { now, next, v_next, v_end, rule, phi, at, free, active, impulses };
        account(model, &ledger, v_mean, log)?;
        self.projecting.exchange(next);
        self.projecting.account(model, next, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.scratch.problem)
    }

    fn reset(&mut self) {
        self.scratch.reset();
        self.projecting.reset();
        self.entering = Entering::default();
        self.settings.solver.forget();
    }
}
