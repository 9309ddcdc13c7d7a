//! Moreau–Jean: the θ-scheme at velocity level.
//!
//! ```text
//! M(q_m)(v⁺ − v) = h (θ f⁺ + (1−θ) f) + H(q_c)ᵀ p          q⁺ = q + h (θ v⁺ + (1−θ) v)
//! y + γ h u ≤ 0:   0 ≤ u⁺ + e u ⟂ p ≥ 0,  u⁺ = H(q_c) v⁺ + ∂g/∂t(t⁺)         otherwise p = 0
//! ```
//!
//! [Acary06, Algorithm 1; Acary10, eq. (29)], read as x_{k+θ} = θ x⁺ + (1−θ) x. p is an impulse: W is
//! used with p, not with h λ. Where M and H are evaluated (q_m, q_c) is an option; see
//! `phases/iterate.rs`. Linear models take one pass; others iterate by Newton until v⁺ changes by less than
//! `newton_tolerance`, relatively. By option the law is imposed on the gap at the end of the step,
//! 0 ≤ y⁺ ⟂ p ≥ 0 [Acary06, eq. (51)].

use super::{Entry, Integrator, Refusal, Solving};
use crate::error::{StepError, StepResult};
use crate::log::{Counts, StepLog};
use crate::model::{Model, State};
use crate::phases::{
    Accounting, Activation, Assembly, Coeffs, Configuration, Factors, Free, Impulses, Iterate, Level,
    Made, Rows, Theta, account, advance, apply, assemble, detect, factorize, factorize_springs,
    free_motion, judge, linearize, solve, warm_start,
};
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-jean",
    about: "θ-scheme at velocity level with Newton impacts; the default",
    options: &[&THETA, &GAMMA, &LEVEL, &MASS_AT, &JACOBIAN_AT, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, solving| Box::new(MoreauJean::new(options, solving)),
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
    about: "where H(q) of gaps is evaluated: at the end of the step (joints hold) or at q_{k+θ}",
    kind: Kind::Word(&["theta", "end"]),
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
    level: Level,
    /// Where M and H are evaluated.
    configuration: (Configuration, Configuration),
    newton_tolerance: f64,
    newton_iterations: usize,
    /// Options given that only the velocity level can honour.
    velocity_only: Vec<&'static str>,
    solving: Solving,
    work: Work,
}

/// Scratch, one value per phase. What is kept from step to step (factors, W) is only what would be computed
/// again: no bit of a result depends on it.
#[derive(Default)]
pub(super) struct Work {
    at: Iterate,
    rows: Rows,
    factors: Factors,
    free: Free,
    assembly: Assembly,
    impulses: Impulses,
    accounting: Accounting,
}

impl MoreauJean {
    pub(super) fn new(options: &Options, solving: Solving) -> Self {
        Self {
            theta: options.number(&THETA),
            gamma: options.number(&GAMMA),
            level: match options.word(&LEVEL) {
                "position" => Level::Position,
                _ => Level::Velocity,
            },
            configuration: (place(options.word(&MASS_AT)), place(options.word(&JACOBIAN_AT))),
            newton_tolerance: options.number(&NEWTON_TOLERANCE),
            newton_iterations: options.count(&NEWTON_ITERATIONS),
            velocity_only: [&GAMMA, &JACOBIAN_AT]
                .into_iter()
                .filter(|option| options.is_given(option))
                .map(|option| option.name)
                .collect(),
            solving,
            work: Work::default(),
        }
    }

    /// Goes on with other scratch, whose factors may be those of another step size.
    pub(super) fn exchange(&mut self, other: &mut Work) {
        std::mem::swap(&mut self.work, other);
    }

    fn coeffs(&self, h: f64) -> Coeffs {
        Coeffs { damping: h * self.theta, stiffness: (h * self.theta).powi(2) }
    }

    fn activation(&self, h: f64) -> Activation {
        let layer = if self.level == Level::Position { f64::INFINITY } else { 0.0 };
        Activation { look_ahead: self.gamma * h, layer }
    }
}

pub(super) fn place(word: &str) -> Configuration {
    if word == "end" { Configuration::End } else { Configuration::Theta }
}

impl Default for MoreauJean {
    fn default() -> Self {
        Self::new(&Options::default(), Solving::default())
    }
}

impl Integrator for MoreauJean {
    fn takes_bodies(&self) -> bool {
        true
    }

    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        if self.level == Level::Velocity {
            return Ok(());
        }
        if let Some(body) = model.bodies.names.first() {
            return Err(Refusal::BodiesAtPositionLevel { body: body.clone() });
        }
        if self.theta == 0.0 {
            return Err(Refusal::ExplicitAtPositionLevel);
        }
        if let Some(option) = self.velocity_only.first() {
            return Err(Refusal::IgnoredAtPositionLevel { option });
        }
        for (name, &law) in model.constraints.names.iter().zip(&model.constraints.laws) {
            let restitution = model.laws[law].1.restitution;
            if restitution != 0.0 {
                let constraint = name.clone();
                return Err(Refusal::RestitutionAtPositionLevel { constraint, restitution });
            }
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
        let (rule, coeffs, activation) =
            (Theta { h, theta: self.theta }, self.coeffs(h), self.activation(h));
        let Work { at, rows, factors, free, assembly, impulses, accounting } = &mut self.work;
        let Solving { solver, tolerance, policy } = &mut self.solving;

        rows.take_back(model, next, log);
        detect(model, now, activation, rows)?;
        warm_start(model, now, rows, h, impulses);
        at.start(model, now, h)?;
        factorize_springs(model, now, coeffs, factors)?;
        for iteration in 1.. {
            at.update(model, now, rule, self.configuration);
            factorize(model, at, coeffs, factors)?;
            free_motion(model, now, at, rule, factors, free)?;
            linearize(model, now, at, rule, self.level, rows)?;
            assemble(model, rows, factors, free, assembly);
            solve(rows, assembly, &mut **solver, *tolerance, impulses, log)?;
            apply(model, free, rows, &impulses.p, factors, &mut next.v);
            log.newton_iterations = iteration;
            log.counts = Counts { steps: 1, rejected: 0, evaluations: iteration as u64 };
            if model.is_linear {
                break;
            }
            let change = at.accept(&next.v, &free.v, rule);
            if change <= self.newton_tolerance {
                break;
            }
            if iteration >= self.newton_iterations {
                let (iterations, tolerance) = (iteration, self.newton_tolerance);
                return Err(StepError::Newton { iterations, change, tolerance }.into());
            }
        }
        judge(model, rows, *tolerance, *policy, log)?;
        advance(model, now, rule, rows, &impulses.p, next)?;

        let Impulses { p, previous, .. } = impulses;
        account(
            model,
            &Made { now, next, end: next, rule, phi: rule.theta, at, free, rows, p, previous },
            accounting,
            log,
        )?;
        rows.record(model, now, next, log);
        Ok(())
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.work.assembly.problem)
    }

    fn poison(&mut self) {
        self.work.poison();
        self.solving.solver.forget();
    }
}

impl Work {
    /// Overwrites every number with NaN.
    pub(super) fn poison(&mut self) {
        let Work { at, rows, factors, free, assembly, impulses, accounting } = self;
        at.poison();
        rows.poison();
        factors.poison();
        free.poison();
        assembly.poison();
        impulses.poison();
        accounting.poison();
    }
}
