//! Stewart–Trinkle: the gap at the end of the step is not negative.
//!
//! ```text
//! M(q)(v⁺ − v) = h f + Hᵀ p          q⁺ = q + h v⁺
//! 0 ≤ ψ⁺ ⟂ p_N ≥ 0                   friction on u_T⁺ = T v⁺ + s
//! ψ⁺ = ψ + h (∂ψ/∂q v⁺ + ∂ψ/∂t)      linearised at (q, t): one LCP
//! ψ⁺ = ψ(q⁺, t⁺)                     nonlinear: an NCP, by Newton
//! ```
//!
//! [Trinkle08; Stewart96], with p = h λ. The forces f are those at the start of the step (semi-implicit Euler), or by
//! option at its end. Contacts with ψ ≤ `layer` are imminent and take part; those beyond are not seen, and what
//! enters in such a step is thrown out at speed |ψ|/h in the next. Outside a convex obstacle the linearised gap is
//! never larger than the true one, so nothing enters; inside one O(h²) does.
//!
//! There is no restitution. An impact takes two steps: one to arrive at ψ = 0, one to lose the velocity.
//! Order 1; forces at the start need h ω < 2 where there is stiffness. The ledger closes for linear systems:
//! scheme = −½ ΔvᵀMΔv ± ½ ΔqᵀKΔq (+ for forces at the start, − at the end).

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal, Solving};
use crate::error::{StepError, StepResult};
use crate::log::{Counts, StepLog};
use crate::model::{Model, State};
use crate::phases::{
    Accounting, Activation, Assembly, Coeffs, Configuration, Factors, Free, Impulses, Iterate, Level,
    Made, Rows, Theta, account, advance, apply, assemble, detect, factorize, free_motion, judge,
    linearize, solve, warm_start,
};
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "stewart-trinkle",
    about: "gap at the end of the step not negative, linearised or not; inelastic, moving obstacles",
    options: &[&GAP, &FORCES, &LAYER, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, solving| Box::new(StewartTrinkle::new(options, solving)),
};

const GAP: Declared = Declared {
    name: "gap",
    about: "whether the gap at the end of the step is that seen from its start, or the true one",
    kind: Kind::Word(&["linearised", "nonlinear"]),
    default: "linearised",
};
const FORCES: Declared = Declared {
    name: "forces",
    about: "when forces are evaluated: at the start of the step (semi-implicit Euler) or at its end (implicit)",
    kind: Kind::Word(&["start", "end"]),
    default: "start",
};
const LAYER: Declared = Declared {
    name: "layer",
    about: "distance up to which contacts are imminent and take part; inf for all [m]",
    kind: Kind::Number { min: 0.0, max: f64::INFINITY },
    default: "inf",
};
/// q⁺ = q + h v⁺.
const MOTION: f64 = 1.0;

/// The scheme of Stewart and Trinkle.
pub struct StewartTrinkle {
    level: Level,
    /// θ of the forces: 0 at the start, 1 at the end.
    theta: f64,
    layer: f64,
    newton_tolerance: f64,
    newton_iterations: usize,
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
    accounting: Accounting,
}

impl StewartTrinkle {
    fn new(options: &Options, solving: Solving) -> Self {
        let nonlinear = options.word(&GAP) == "nonlinear";
        Self {
            level: if nonlinear { Level::Position } else { Level::Linearised },
            theta: if options.word(&FORCES) == "end" { 1.0 } else { 0.0 },
            layer: options.number(&LAYER),
            newton_tolerance: options.number(&NEWTON_TOLERANCE),
            newton_iterations: options.count(&NEWTON_ITERATIONS),
            solving,
            work: Work::default(),
        }
    }

    /// Whether one pass makes the step: everything that is evaluated at its end is linear.
    fn is_linear(&self, model: &Model) -> bool {
        let gaps = self.level == Level::Linearised;
        let forces = self.theta == 0.0 || model.user.is_empty();
        model.is_linear || gaps && forces
    }
}

impl Integrator for StewartTrinkle {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        for (name, &law) in model.constraints.names.iter().zip(&model.constraints.laws) {
            let form = model.laws[law].1;
            let restitution = form.restitution.max(form.tangential_restitution);
            if restitution != 0.0 {
                let (integrator, constraint) = (ENTRY.name, name.clone());
                return Err(Refusal::Restitution { integrator, constraint, restitution });
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
        let (rule, motion) = (Theta { h, theta: self.theta }, Theta { h, theta: MOTION });
        let coeffs = Coeffs { damping: h * self.theta, stiffness: (h * self.theta).powi(2) };
        let one_pass = self.is_linear(model);
        let Work { at, rows, factors, free, assembly, impulses, accounting } = &mut self.work;
        let Solving { solver, tolerance, policy } = &mut self.solving;

        detect(model, now, Activation { look_ahead: 0.0, layer: self.layer }, rows)?;
        warm_start(model, now, rows, h, impulses);
        at.start(model, now, h)?;
        for iteration in 1.. {
            at.update(model, now, motion, (Configuration::Start, Configuration::End));
            factorize(model, at, coeffs, factors)?;
            free_motion(model, now, at, rule, factors, free)?;
            linearize(model, now, at, motion, self.level, rows)?;
            assemble(model, rows, factors, free, assembly);
            solve(rows, assembly, &mut **solver, *tolerance, impulses, log)?;
            apply(model, free, rows, &impulses.p, factors, &mut next.v);
            log.newton_iterations = iteration;
            log.counts = Counts { steps: 1, rejected: 0, evaluations: iteration as u64 };
            if one_pass {
                break;
            }
            let change = at.accept(&next.v, &free.v, motion);
            if change <= self.newton_tolerance {
                break;
            }
            if iteration >= self.newton_iterations {
                let (iterations, tolerance) = (iteration, self.newton_tolerance);
                return Err(StepError::Newton { iterations, change, tolerance }.into());
            }
        }
        judge(model, rows, *tolerance, *policy, log)?;
        advance(model, now, motion, rows, &impulses.p, next)?;

        let Impulses { p, previous, .. } = impulses;
        account(
            model,
            &Made { now, next, end: next, rule, phi: MOTION, at, free, rows, p, previous },
            accounting,
            log,
        )
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.work.assembly.problem)
    }

    fn poison(&mut self) {
        let Work { at, rows, factors, free, assembly, impulses, accounting } = &mut self.work;
        at.poison();
        rows.poison();
        factors.poison();
        free.poison();
        assembly.poison();
        impulses.poison();
        accounting.poison();
        self.solving.solver.forget();
    }
}
