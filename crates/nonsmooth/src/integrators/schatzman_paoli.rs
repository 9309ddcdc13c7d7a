//! Schatzman–Paoli: two steps of the position, the constraint on a weighted mean of positions.
//!
//! ```text
//! M(q_k)(q⁺ − 2q + q⁻) = h² f(t_k, q_k, w) + h G(q*)ᵀ p,        w = (q − q⁻)/h
//! 0 ≤ g(q*, t*) ⟂ p ≥ 0,      q* = (q⁺ + e q⁻)/(1+e),   t* = (t⁺ + e t⁻)/(1+e)
//! ```
//!
//! [Acary10, eq. (30)–(31)]. For linear g the constraint is 0 ≤ y⁺ + e y⁻; the gap y⁺ itself may be negative for
//! e > 0, and an impact takes two steps. Every constraint takes part in every step. p is an impulse [N·s]; the papers'
//! multiplier is h p. Written with the mean velocities w of the steps, which is what the state remembers, the scheme is
//!
//! ```text
//! M(q_k)(w⁺ − w) = h f(t_k, q_k, w) + G(q*)ᵀ p,     q⁺ = q + h w⁺,     H w⁺ + (1+e)/h g(q*ⁱ) − H wⁱ ≥ 0
//! ```
//!
//! the last being g(q*) ≥ 0 linearised at the iterate wⁱ. The velocity of the state at t_{k+1} is (30b),
//! v⁺ = (q⁺ − q⁻)/2h = ½(w + w⁺): centred at t_k, so it is one step late. The energies of the log are those of w⁺
//! and q⁺, for which the ledger closes (`phases/account.rs`, θ = 0, φ = 1); the kinetic energy that the start-up adds
//! is booked under `scheme`.
//!
//! Start-up: w₀ = v₀ − σ h M⁻¹f(t₀, q₀, v₀), that is q₁ = q₀ + h v₀ + (1−σ) h² M⁻¹f in free motion. σ = ½ is second
//! order, σ = 1 is q₁ = q₀ + h v₀, σ = 0 is q₋₁ = q₀ − h v₀.

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal, Solving, frictionless};
use crate::error::{StepError, StepResult, check_constraint};
use crate::log::{Counts, StepLog};
use crate::model::{Key, Model, State, gather};
use crate::phases::{
    Accounting, Activation, Assembly, Coeffs, Factors, Free, Impulses, Iterate, Made, Rows, Theta,
    account, advance, apply, assemble, detect, energies, factorize, free_motion, impact_work, judge,
    solve, warm_start,
};
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "schatzman-paoli",
    about: "two-step scheme at position level; frictionless, velocities one step late",
    options: &[&START, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, solving| Box::new(SchatzmanPaoli::new(options, solving)),
};

const START: Declared = Declared {
    name: "start",
    about: "first position: q0 + h v0 + h²/2 a (second-order), q0 + h v0 (first-order), or from q0 − h v0 before (backward)",
    kind: Kind::Word(&["second-order", "first-order", "backward"]),
    default: "second-order",
};

/// The scheme of Schatzman and Paoli.
struct SchatzmanPaoli {
    /// σ of the start-up [–].
    sigma: f64,
    newton_tolerance: f64,
    newton_iterations: usize,
    solving: Solving,
    work: Work,
}

/// Scratch, one value per phase.
#[derive(Default)]
struct Work {
    /// (t, q, w).
    from: State,
    at: Iterate,
    rows: Rows,
    factors: Factors,
    free: Free,
    assembly: Assembly,
    impulses: Impulses,
    accounting: Accounting,
    local: Local,
}

/// One constraint's share of q*, w and the iterate.
#[derive(Default)]
struct Local {
    q: Vec<f64>,
    w: Vec<f64>,
    guess: Vec<f64>,
    slope: Vec<f64>,
}

impl SchatzmanPaoli {
    fn new(options: &Options, solving: Solving) -> Self {
        Self {
            sigma: match options.word(&START) {
                "first-order" => 1.0,
                "backward" => 0.0,
                _ => 0.5,
            },
            newton_tolerance: options.number(&NEWTON_TOLERANCE),
            newton_iterations: options.count(&NEWTON_ITERATIONS),
            solving,
            work: Work::default(),
        }
    }
}

impl Integrator for SchatzmanPaoli {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        frictionless(ENTRY.name, model)?;
        match model.constraints.names.get(model.constraints.n_gaps()) {
            None => Ok(()),
            Some(name) => Err(Refusal::GapsOnly { integrator: ENTRY.name, constraint: name.clone() }),
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
        let started = self.work.begin(model, now, h, self.sigma)?;
        let Work { from, at, rows, factors, free, assembly, impulses, accounting, local } =
            &mut self.work;
        let Solving { solver, tolerance, policy } = &mut self.solving;
        let explicit = Theta { h, theta: 0.0 };

        detect(model, from, Activation { look_ahead: 0.0, layer: f64::INFINITY }, rows)?;
        warm_start(model, now, rows, h, impulses);
        free_motion(model, from, at, explicit, factors, free)?;
        for iteration in 1.. {
            let guess = if model.is_linear { &from.v } else { &at.v };
            weigh(model, from, guess, h, local, rows)?;
            assemble(model, rows, factors, free, assembly);
            solve(rows, assembly, &mut **solver, *tolerance, impulses, log)?;
            apply(model, free, rows, &impulses.p, factors, &mut next.v);
            log.newton_iterations = iteration;
            if model.is_linear || rows.keys.len() == rows.n_linear {
                break;
            }
            let change = at.accept(&next.v, &free.v, Theta { h, theta: 1.0 });
            if change <= self.newton_tolerance {
                break;
            }
            if iteration >= self.newton_iterations {
                let (iterations, tolerance) = (iteration, self.newton_tolerance);
                return Err(StepError::Newton { iterations, change, tolerance }.into());
            }
        }
        log.counts = Counts { steps: 1, rejected: 0, evaluations: 1 + u64::from(started.is_some()) };
        judge(model, rows, *tolerance, *policy, log)?;
        advance(model, from, Theta { h, theta: 1.0 }, rows, &impulses.p, next)?;

        let Impulses { p, previous, .. } = impulses;
        let made =
            Made { now: from, next, end: next, rule: explicit, phi: 1.0, at, free, rows, p, previous };
        account(model, &made, accounting, log)?;
        impact_work(log);
        log.works.scheme += started.unwrap_or(0.0);

        next.memory.clone_from(&next.v);
        next.v.iter_mut().zip(&from.v).for_each(|(v, w)| *v = 0.5 * (*v + w));
        Ok(())
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.work.assembly.problem)
    }

    fn poison(&mut self) {
        let Work { from, at, rows, factors, free, assembly, impulses, accounting, local } =
            &mut self.work;
        from.poison();
        at.poison();
        rows.poison();
        factors.poison();
        free.poison();
        assembly.poison();
        impulses.poison();
        accounting.poison();
        for x in [&mut local.q, &mut local.w, &mut local.guess, &mut local.slope] {
            x.fill(f64::NAN);
        }
        self.solving.solver.forget();
    }
}

impl Work {
    /// Fills `from` and factors M(q). At the very start w is made up; then returns the kinetic energy that this adds [J].
    fn begin(&mut self, model: &Model, now: &State, h: f64, sigma: f64) -> StepResult<Option<f64>> {
        let Work { from, at, factors, free, accounting, .. } = self;
        let starts = now.memory.len() != now.v.len();
        (from.t, from.step) = (now.t, now.step);
        from.q.clone_from(&now.q);
        from.v.clone_from(if starts { &now.v } else { &now.memory });
        at.hold(model, from)?;
        // Prescribed velocities are means over the step: taken in its middle.
        at.t_next = now.t + 0.5 * h;
        factorize(model, at, Coeffs::EXPLICIT, factors)?;
        if !starts {
            return Ok(None);
        }
        free_motion(model, from, at, Theta { h, theta: 0.0 }, factors, free)?;
        for (w, kicked) in from.v.iter_mut().zip(&free.v) {
            *w -= sigma * (kicked - *w);
        }
        let before = energies(model, now, accounting)?.kinetic;
        Ok(Some(energies(model, from, accounting)?.kinetic - before))
    }
}

/// H and bias of every row, such that H w⁺ + bias ≥ 0 is g(q*, t*) ≥ 0 linearised at the guess of w⁺.
fn weigh(
    model: &Model,
    from: &State,
    guess: &[f64],
    h: f64,
    local: &mut Local,
    rows: &mut Rows,
) -> StepResult {
    for i in 0..rows.n_linear {
        let e = rows.forms[i].restitution;
        // y⁺ + e y⁻ = y + h H w⁺ + e (y − h H w).
        rows.bias[i] = (1.0 + e) * rows.gap[i] / h - e * rows.u_minus[i];
    }
    for i in rows.n_linear..rows.keys.len() {
        weigh_gap(model, from, guess, (h, i), local, rows)?;
    }
    if !model.is_linear {
        rows.stamp += 1;
    }
    Ok(())
}

fn weigh_gap(
    model: &Model,
    from: &State,
    guess: &[f64],
    (h, i): (f64, usize),
    local: &mut Local,
    rows: &mut Rows,
) -> StepResult {
    let (key, e): (Key, f64) = (rows.keys[i], rows.forms[i].restitution);
    let (columns, function) = &model.constraints.gaps[key.0 as usize - model.constraints.n_linear()];
    let user = || StepError::in_constraint(model, key);
    let Local { q, w, guess: ahead, slope } = local;
    gather(columns, &from.q, q);
    gather(columns, &from.v, w);
    gather(columns, guess, ahead);
    for (q, (w, ahead)) in q.iter_mut().zip(w.iter().zip(&*ahead)) {
        *q += h * (ahead - e * w) / (1.0 + e);
    }
    let t = from.t + h * (1.0 - e) / (1.0 + e);
    let gap = function.gap(t, q).map_err(user())?;
    let rate = function.rate(t, q).map_err(user())?;
    slope.clear();
    slope.resize(q.len(), 0.0);
    function.jacobian(t, q, slope).map_err(user())?;
    slope.iter().try_for_each(|&s| check_constraint(model, "jacobian", key, s))?;
    let dot = |x: &[f64]| slope.iter().zip(x).map(|(s, x)| s * x).sum::<f64>();
    rows.bias[i] = (1.0 + e) * gap / h - dot(ahead);
    check_constraint(model, "gap", key, rows.bias[i])?;
    // What the log tells of the contact is measured where the constraint is.
    rows.u_minus[i] = dot(w) + rate;
    (rows.rate[i], rows.rate_next[i]) = (rate, rate);
    let place = rows.jacobian.start[i]..rows.jacobian.start[i + 1];
    rows.jacobian.value[place].copy_from_slice(slope);
    Ok(())
}
