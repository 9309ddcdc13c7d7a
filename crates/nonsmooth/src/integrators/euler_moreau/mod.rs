//! Euler–Moreau: the θ-scheme of first-order systems with relations, and of the mechanics that stands beside them.
//!
//! ```text
//! (I − hθ A) x⁺ = (I + h (1−θ) A) x + h (θ b⁺ + (1−θ) b) + h B λ        y⁺ = C x⁺ + D λ + e⁺,   −y⁺ ∈ N_C(λ)
//! M(q_m)(v⁺ − v) = h (θ f⁺ + (1−θ) f) + J(q⁺)ᵀ p + h B λ                q⁺ = q + h (θ v⁺ + (1−θ) v)
//! ```
//!
//! [Acary06, eq. (3), (6)–(9), (40)–(48)]. λ is taken at the end of the step, so that what switches is decided there and slides without
//! chattering. Unknowns of one problem are p and h λ:
//!
//! ```text
//! W = [J; Ĉ] N [Jᵀ B] + diag(D_J, D/h),     N = (M̂ − K)⁻¹
//! ```
//!
//! with K the slopes of couplings and relations over velocities (`model/relations`). W is not symmetric and is given by rows; where a
//! model has no relations it is the problem of `moreau-jean`. Nonlinear functions are solved by Newton's iteration about the end of
//! the step. Where a controller samples or acts (`model/controllers.rs`) a step is cut. The rows of mechanics are those of `moreau-jean` at velocity level.

mod pose;

use super::{Accuracy, Entry, Integrator, Refusal};
use crate::error::{StepError, StepResult};
use crate::instants::Configuration;
use crate::log::{Counts, StepLog, Works};
use crate::model::{Activation, Level, Model, State, Theta};
use crate::newton::{Newton, Solved};
use crate::part::Part;
use crate::phases::{
    LawForm, Ledger, Merging, SolverSettings, Struck, account, advance, apply, assemble, detect,
    factorize, judge_report, linearize, merge, set_laws, set_offsets, solve, strike,
};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};
use pose::Relating;

pub(super) const ENTRY: Entry = Entry {
    name: "euler-moreau",
    about: "θ-scheme of first-order systems with relations: circuits, switches, sliding modes; mechanics beside them",
    options: &[&THETA, &super::moreau_jean::GAMMA, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, settings| Box::new(EulerMoreau::new(options, settings)),
};

const THETA: Declared = Declared {
    name: "theta",
    about: "implicitness θ: 1 is Euler's implicit method, of order 1; ½ has order 2 while nothing switches; < ½ is unstable [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "1",
};
const NEWTON_TOLERANCE: Declared = super::moreau_jean::NEWTON_TOLERANCE;
const NEWTON_ITERATIONS: Declared = super::moreau_jean::NEWTON_ITERATIONS;

/// The θ-scheme of first-order systems.
struct EulerMoreau {
    theta: f64,
    gamma: f64,
    newton: Newton,
    settings: SolverSettings,
    scratch: Scratch,
    relating: Relating,
    struck: Option<Box<Struck>>,
    merging: Merging,
}

impl EulerMoreau {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            theta: options.number(&THETA),
            gamma: options.number(&super::moreau_jean::GAMMA),
            newton: Newton {
                tolerance: options.number(&NEWTON_TOLERANCE),
                most_iterations: options.count(&NEWTON_ITERATIONS),
            },
            settings,
            scratch: Scratch::default(),
            relating: Relating::default(),
            struck: None,
            merging: Merging::default(),
        }
    }

    /// Passes until v⁺ and λ stand still: one where everything is linear. `v_plus` becomes v⁺ in working axes.
    fn iterate(
        &mut self,
        model: &Model,
        now: &State,
        rule: Theta,
        v_plus: &mut Vec<f64>,
        log: &mut StepLog,
    ) -> StepResult<usize> {
        let part = Part::whole(now.t, rule.h);
        let Self { newton: settings_of_newton, settings, scratch, relating, .. } = self;
        let Scratch { at, v_next, .. } = scratch;
        let mut newton = settings_of_newton.start(model, false, at.velocities(now), v_next);
        v_next.clear();
        v_next.extend_from_slice(at.velocities(now));
        relating.start(model, now);
        loop {
            let Scratch { at, active, mass, free, problem, impulses, v_next, .. } = scratch;
            at.predict(model, now, rule, (Configuration::Theta, Configuration::End), v_next)?;
            let pass = at.pass(now);
            factorize(model, &part, &pass, rule.coeffs(), problem, mass)?;
            model.free_motion(&part, &pass, rule, mass.groups(), free)?;
            linearize(model, &part, &pass, active)?;
            set_offsets(model, &part, &pass, Level::Velocity, active)?;
            set_laws(model, now, LawForm::Step, (rule.h, 0.0), impulses, active);
            let mut lambda_change = 0.0;
            if model.relations.is_empty() {
                assemble(active, mass, free, problem);
                solve(&mut *settings.solver, settings.tolerance, problem, impulses, log)?;
                apply(problem, free, impulses, v_plus);
            } else {
                relating.linearize(model, &pass, rule, mass.groups(), free)?;
                relating.pose(model, rule.h, (active, mass.groups()), problem);
                relating.extend(rule.h, impulses);
                solve(&mut *settings.solver, settings.tolerance, problem, impulses, log)?;
                lambda_change = relating.take(rule.h, impulses);
                relating.apply(rule.h, (active, mass.groups()), impulses, v_plus);
            }
            if !newton.is_needed() {
                return Ok(1);
            }
            let (q_end, tolerance) = (at.end(now).q, settings.tolerance);
            let solved = Solved { problem, free, rule, q_end, tolerance };
            if newton.is_done(&solved, v_next, v_plus, impulses)?
                && (relating.is_linear(model) || lambda_change <= settings_of_newton.tolerance)
            {
                return Ok(newton.iterations());
            }
            if newton.iterations() >= settings_of_newton.most_iterations {
                let Newton { tolerance, most_iterations } = *settings_of_newton;
                let (change, before) = (lambda_change, f64::NAN);
                let error = StepError::Newton { iterations: most_iterations, change, before, tolerance };
                return Err(error.into());
            }
        }
    }

    /// Applies the policy to the solve that made the step.
    fn judge(&self, model: &Model, log: &mut StepLog) -> StepResult {
        let Some(&report) = log.solves.last() else { return Ok(()) };
        log.acted(report.residual, report.status);
        let SolverSettings { tolerance, policy, .. } = self.settings;
        let active = &self.scratch.active;
        let n_sets = active.sets.len();
        judge_report(&report, tolerance, policy, |set| match set.checked_sub(n_sets) {
            Some(row) => {
                let relation = model.relations.iter().find(|relation| relation.rows().contains(&row))?;
                Some(format!("relation `{}`", relation.name()))
            }
            None => {
                let c = active.set_start.partition_point(|&first| first as usize <= set) - 1;
                active.ids.get(c).map(|id| model.describe(*id))
            }
        })
    }
}

impl Integrator for EulerMoreau {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        crate::integrators::refusal::no_extras(ENTRY.name, model)?;
        match model.systems.iter().find(|family| family.theta().is_none()) {
            Some(family) => Err(Refusal::Family { integrator: ENTRY.name, family: family.name() }),
            None => Ok(()),
        }
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        if model.controllers.is_empty() {
            return self.piece(model, now, h, next, log);
        }
        let mut here = now.clone();
        model.control(&mut here)?;
        if model.until_control(&here, h) == h {
            return self.piece(model, &here, h, next, log);
        }
        self.pieces(model, here, h, next, log)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy { order: 1, resolves_impacts: false }
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.scratch.problem)
    }

    fn reset(&mut self) {
        self.scratch.reset();
        self.relating = Relating::default();
        self.struck = None;
        self.merging = Merging::default();
        self.settings.solver.forget();
    }
}

impl EulerMoreau {
    /// A step that is cut where controllers sample or act.
    fn pieces(
        &mut self,
        model: &Model,
        mut here: State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let (end, step) = (here.t + h, here.step + 1);
        let mut inner = StepLog::default();
        log.works = Works::default();
        log.newton_iterations = 0;
        loop {
            let left = end - here.t;
            let length = model.until_control(&here, left);
            inner.clear();
            inner.constraints.length = length;
            self.piece(model, &here, length, next, &mut inner)?;
            log.solves.extend_from_slice(&inner.solves);
            log.counts += inner.counts;
            merge(&inner, &mut self.merging, log);
            if length == left {
                break;
            }
            here.copy_from(next);
            model.control(&mut here)?;
        }
        (next.t, next.step, next.step_size) = (end, step, h);
        Ok(())
    }

    /// A step, or a part of one, in which no controller has anything to do.
    fn piece(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let (rule, part) = (Theta { h, theta: self.theta }, Part::whole(now.t, h));
        let activation = Activation::Ahead { ahead: self.gamma * h, distance: 0.0 };
        let Self { settings, scratch, struck, .. } = &mut *self;
        let Scratch { at, active, problem, .. } = scratch;

        at.configure(model, now, rule)?;
        detect(model, &part, &at.now(now), activation, active)?;
        let mut struck = struck.take();
        let now = if model.has_phases() {
            let struck = struck.get_or_insert_default();
            strike(model, (now, rule), at, active, struck, (settings, problem), log)?
        } else {
            now
        };
        self.scratch.impulses.warm_start(model, now, &mut self.scratch.active, h);
        let mut v_plus = std::mem::take(&mut next.v);
        let made = self.iterate(model, now, rule, &mut v_plus, log);
        next.v = v_plus;
        log.newton_iterations = made?;
        self.judge(model, log)?;
        log.counts = Counts { steps: 1, rejected: 0, evaluations: log.newton_iterations as u64 };
        let Scratch { at, active, free, impulses, v_next, v_mean, .. } = &mut self.scratch;
        v_next.clone_from(&next.v);
        advance(model, now, rule, (active, impulses), v_mean, next)?;
        self.relating.check(model, next)?;
        self.relating.store(next);
        self.relating.add_works(model, free);

        let v_next: &[f64] = v_next;
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
        let booked = account(model, &ledger, v_mean, log);
        self.struck = struck;
        booked
    }
}
