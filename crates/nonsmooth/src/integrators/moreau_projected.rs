//! Moreau–Jean with projection: the step of `moreau-jean` at velocity level, then q⁺ moves onto the constraints.
//!
//! ```text
//! M(q_m)(v⁺ − v) = h (θ f⁺ + (1−θ) f) + Hᵀ p          q⁺ = q + h (θ v⁺ + (1−θ) v)
//! y + γ h u ≤ 0:   0 ≤ u⁺ + e u ⟂ p ≥ 0
//! q⁺ ← q⁺ + M⁻¹ Hᵀ λ
//! ```
//!
//! *Direct*: joints end with y = 0, contacts that took part with y ≥ 0 and λ ≥ 0. A contact that did not take part keeps
//! its overlap until the step in which it does, unless `project` = "all". With e > 0 an accumulation under the weight g does
//! not end in rest: lifted to y = 0 and leaving at v = e g h/(1 + e), a contact does not take part in the next step, falls
//! and is thrown back, every other step. Combined projection comes to rest.
//!
//! *Combined*: contacts that would end inside by more than the tolerance take part too, with their impact law, and the
//! step is made again until no other one enters. Contacts that carried an impulse end with y = 0, λ of either sign; where
//! that cannot be had at once (a rigid body that is hit at two points, say), they only move out, and the summary counts
//! it. So no step ends inside anything. [Acary13]
//!
//! Order 1 through impacts. The ledger has what the projection adds in a column of its own.

use super::moreau_jean::{
    GAMMA, JACOBIAN_AT, MASS_AT, NEWTON_ITERATIONS, NEWTON_TOLERANCE, THETA, place,
};
use super::{Entry, Integrator, Refusal, Solving};
use crate::error::{StepError, StepResult};
use crate::log::{Counts, StepLog};
use crate::model::{Key, Model, State};
use crate::phases::{
    Accounting, Activation, Assembly, Coeffs, Configuration, Factors, Free, Impulses, Iterate, Level,
    Made, Projecting, Projection, Rows, Theta, account, account_projection, advance, apply, assemble,
    detect_also, entered, factorize, factorize_springs, free_motion, judge, linearize, project, solve,
    warm_start,
};
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
    make: |options, solving| Box::new(MoreauProjected::new(options, solving)),
};

const PROJECTION: Declared = Declared {
    name: "projection",
    about: "direct: contacts that took part and overlap are moved out; combined: contacts that would overlap take part too, and all that did end on the surface",
    kind: Kind::Word(&["direct", "combined"]),
    default: "direct",
};
const PROJECT: Declared = Declared {
    name: "project",
    about: "which contacts a direct projection moves out: those that took part in the step, or all that overlap",
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
    /// Where M and H are evaluated.
    configuration: (Configuration, Configuration),
    newton_tolerance: f64,
    newton_iterations: usize,
    projection: Projection,
    /// Whether `project` was given although a combined projection selects its contacts itself.
    idle: bool,
    /// Whether `project` was given.
    selects: bool,
    solving: Solving,
    work: Work,
}

/// Scratch, one value per phase; no bit of a result depends on it.
#[derive(Default)]
struct Work {
    at: Iterate,
    rows: Rows,
    factors: Factors,
    free: Free,
    assembly: Assembly,
    impulses: Impulses,
    /// Contacts that take part because they would end inside.
    also: Vec<Key>,
    projecting: Projecting,
    local: Vec<f64>,
    accounting: Accounting,
}

impl MoreauProjected {
    fn new(options: &Options, solving: Solving) -> Self {
        Self {
            theta: options.number(&THETA),
            gamma: options.number(&GAMMA),
            configuration: (place(options.word(&MASS_AT)), place(options.word(&JACOBIAN_AT))),
            newton_tolerance: options.number(&NEWTON_TOLERANCE),
            newton_iterations: options.count(&NEWTON_ITERATIONS),
            projection: Projection {
                onto_surface: options.word(&PROJECTION) == "combined",
                all: options.word(&PROJECT) == "all",
                tolerance: options.number(&PROJECTION_TOLERANCE),
                iterations: options.count(&PROJECTION_ITERATIONS),
            },
            idle: options.word(&PROJECTION) == "combined" && options.is_given(&PROJECT),
            selects: options.is_given(&PROJECT),
            solving,
            work: Work::default(),
        }
    }

    /// The step of Moreau–Jean with the contacts that `detect` found; returns its Newton iterations.
    fn velocities(
        &mut self,
        model: &Model,
        now: &State,
        rule: Theta,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult<usize> {
        let Theta { h, theta } = rule;
        let coeffs = Coeffs { damping: h * theta, stiffness: (h * theta).powi(2) };
        let Work { at, rows, factors, free, assembly, impulses, .. } = &mut self.work;
        let Solving { solver, tolerance, policy } = &mut self.solving;

        warm_start(model, now, rows, h, impulses);
        at.start(model, now, h)?;
        factorize_springs(model, now, coeffs, factors)?;
        let mut iteration = 0;
        loop {
            iteration += 1;
            at.update(model, now, rule, self.configuration);
            factorize(model, at, coeffs, factors)?;
            free_motion(model, now, at, rule, factors, free)?;
            linearize(model, now, at, rule, Level::Velocity, rows)?;
            assemble(model, rows, factors, free, assembly);
            solve(rows, assembly, &mut **solver, *tolerance, impulses, log)?;
            apply(model, free, rows, &impulses.p, factors, &mut next.v);
            let change = if model.is_linear { 0.0 } else { at.accept(&next.v, &free.v, rule) };
            if change <= self.newton_tolerance {
                judge(model, rows, *tolerance, *policy, log)?;
                return Ok(iteration);
            }
            if iteration >= self.newton_iterations {
                let (iterations, tolerance) = (iteration, self.newton_tolerance);
                return Err(StepError::Newton { iterations, change, tolerance }.into());
            }
        }
    }
}

impl Integrator for MoreauProjected {
    fn takes_bodies(&self) -> bool {
        true
    }

    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        if let (true, Some(body)) = (self.projection.onto_surface, model.bodies.names.first()) {
            return Err(Refusal::CombinedWithBodies { body: body.clone() });
        }
        if self.selects && !model.bodies.is_empty() && model.constraints.is_empty() {
            let needs = "constraints: all points of bodies that overlap are moved apart";
            return Err(Refusal::IdleOption { option: PROJECT.name, needs });
        }
        if self.idle {
            return Err(Refusal::IdleOption { option: PROJECT.name, needs: "projection = \"direct\"" });
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
        let (rule, projection) = (Theta { h, theta: self.theta }, self.projection);
        self.work.also.clear();
        self.work.rows.take_back(model, next, log);
        log.newton_iterations = 0;
        for pass in 0.. {
            let Work { rows, also, .. } = &mut self.work;
            let (look_ahead, layer) = (self.gamma * h, projection.tolerance);
            detect_also(model, now, Activation { look_ahead, layer }, also, rows)?;
            let iterations = self.velocities(model, now, rule, next, log)?;
            log.newton_iterations += iterations;
            log.counts = Counts { steps: 1, rejected: pass, evaluations: log.newton_iterations as u64 };

            let Work { rows, impulses, also, projecting, local, .. } = &mut self.work;
            advance(model, now, rule, rows, &impulses.p, next)?;
            projecting.select(model, rows, &impulses.p, projection);
            let found = project(model, projection, &mut self.solving, projecting, next, log);
            if !projection.onto_surface {
                found?;
                break;
            }
            if found.is_err() {
                projecting.exchange(next);
                let outwards = Projection { onto_surface: false, ..projection };
                projecting.select(model, rows, &impulses.p, outwards);
                project(model, outwards, &mut self.solving, projecting, next, log)?;
                log.note(ONLY_OUT, 1.0);
            }
            model.gaps(next, local, &mut log.gaps)?;
            if !entered(model, rows, &log.gaps, projection.tolerance, also) {
                break;
            }
        }

        let Work { at, rows, free, impulses, projecting, accounting, .. } = &mut self.work;
        let Impulses { p, previous, .. } = impulses;
        projecting.exchange(next);
        let made = Made { now, next, end: next, rule, phi: rule.theta, at, free, rows, p, previous };
        account(model, &made, accounting, log)?;
        rows.record(model, now, next, log);
        projecting.exchange(next);
        account_projection(model, next, accounting, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.work.assembly.problem)
    }

    fn poison(&mut self) {
        let Work { at, rows, factors, free, assembly, impulses, also, projecting, local, accounting } =
            &mut self.work;
        at.poison();
        rows.poison();
        factors.poison();
        free.poison();
        assembly.poison();
        impulses.poison();
        also.clear();
        projecting.poison();
        local.fill(f64::NAN);
        accounting.poison();
        self.solving.solver.forget();
    }
}
