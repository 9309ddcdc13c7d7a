//! Nonsmooth generalized-α: positions and velocities both meet their constraints.
//!
//! ```text
//! smooth      M(q⁺) z⁺ = f(t⁺, q⁺, v⁺) + H_Jᵀ λ̃,   H_J ṽ + ∂g/∂t = 0        q̃, ṽ from z⁺ by generalized-α
//! position    q⁺ = q̃ + U,   M U = Hᵀ ν             joints y⁺ = 0, contacts 0 ≤ y⁺ ⟂ ν ≥ 0
//! velocity    v⁺ = ṽ + W,   M W = Hᵀ Λ             joints u⁺ = 0, contacts with ν > 0: 0 ≤ u⁺ + e u ⟂ Λ ≥ 0
//! ```
//!
//! with H, M at q⁺ and J the joints. [Bruls14; Chen13] The smooth part knows joints but no contacts: z⁺ and a⁺, which are
//! remembered, stay bounded through impacts.
//!
//! It is an equation for (z, ν, Λ), solved by Newton's iteration: see `phases/two_levels.rs`.
//!
//! Order 2 in smooth motion, joints included; 1 through impacts and in lasting contact with curved surfaces (2 with flat
//! ones). ρ = 1 keeps the energy of linear systems, ρ < 1 takes it from fast oscillations.
//!
//! The ledger is that of the trapezoidal rule, x_½ = ½ (x + x⁺), and closes for linear systems and gaps:
//!
//! ```text
//! scheme     = v_½·M h ((1−γ) a + γ a⁺ − ½ (z + z⁺)) + ∇V_½·h² (β − γ/2)(a⁺ − a)
//! projection = ∇V_½·M⁻¹ Hᵀ (ν − h Λ/2)
//! ```

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::tracking::{Forces, Motion, Point, Power, Rate, refuse_untracked};
use super::{Entry, Integrator, Refusal, Solving};
use crate::error::{StepError, StepResult};
use crate::log::{Counts, StepLog};
use crate::model::{Model, State};
use crate::phases::{
    Accounting, Activation, Balance, Free, Impulses, Made, Newmark, Rows, Smooth, Stage, Theta,
    TwoLevels, account, detect, external_impulse, judge_solve, warm_start,
};
use nonsmooth_solvers::{Declared, Kind, Options, Problem, Status};

pub(super) const ENTRY: Entry = Entry {
    name: "generalized-alpha",
    about: "nonsmooth generalized-α: constraints met by positions and velocities, damping of fast oscillations",
    options: &[&RHO_INFINITY, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, solving| Box::new(GeneralizedAlpha::new(options, solving)),
};

const RHO_INFINITY: Declared = Declared {
    name: "rho_infinity",
    about: "spectral radius for infinitely fast oscillations: 1 keeps them, 0 kills them in one step [–]",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    default: "0.8",
};

/// The nonsmooth generalized-α scheme.
pub struct GeneralizedAlpha {
    method: Newmark,
    newton_tolerance: f64,
    newton_iterations: usize,
    solving: Solving,
    work: Work,
}

/// Scratch; no bit of a result depends on it.
#[derive(Default)]
struct Work {
    /// All constraints at the start of the step.
    start: Rows,
    /// a, then z, at the start.
    memory: Vec<f64>,
    smooth: Smooth,
    levels: TwoLevels,
    forces: Forces,
    balance: Balance,
    point: Point,
    /// f − M z, and other sums over coordinates.
    r: Vec<f64>,
    x: Vec<f64>,
    motion: Motion,
    rate: Rate,
    free: Free,
    /// Impulses of the last step.
    carried: Impulses,
    accounting: Accounting,
}

impl GeneralizedAlpha {
    fn new(options: &Options, solving: Solving) -> Self {
        Self {
            method: Newmark::new(options.number(&RHO_INFINITY)),
            newton_tolerance: options.number(&NEWTON_TOLERANCE),
            newton_iterations: options.count(&NEWTON_ITERATIONS),
            solving,
            work: Work::default(),
        }
    }

    /// One iteration; returns how far it moved.
    fn iterate(&mut self, model: &Model, now: &State, h: f64, log: &mut StepLog) -> StepResult<f64> {
        let (method, weights) = (self.method, self.method.weights(h));
        self.work.residual(model)?;
        let Work { start, memory, smooth, levels, r, .. } = &mut self.work;
        let solving = &mut self.solving;
        levels.factor(model, weights)?;
        levels.positions(model, r, weights, smooth, solving, log)?;
        smooth.place(method, now, memory, h);
        levels.velocities(model, start, weights.velocity, smooth, solving, log)?;
        smooth.place(method, now, memory, h);
        levels.advance(model, now, h, smooth)
    }

    /// Writes the next state and the log.
    fn finish(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let Work { start, smooth, levels, free, carried, accounting, .. } = &mut self.work;
        let TwoLevels { there, at, velocity, joints, mu, nu, .. } = levels;
        (next.t, next.step, next.step_size) = (now.t + h, now.step + 1, h);
        next.q.clone_from(&there.q);
        next.v.clone_from(&there.v);
        next.memory.clear();
        next.memory.extend(smooth.a.iter().chain(&smooth.z));
        let Stage { rows, multipliers, .. } = velocity;
        warm_start(model, now, rows, h, carried);
        rows.as_seen_from(start);
        // Λ, and for joints h λ̃ beside it: β' λ̃ = μ − ν.
        for key in joints {
            let (i, key) = (rows.keys.binary_search(key), key.0 as usize);
            let i = i.expect("joints are in every problem");
            multipliers.p[i] += h * (mu[key] - nu[key]) / self.method.weights(h).position;
        }
        next.contacts.keys.clone_from(&rows.keys);
        next.contacts.impulses.clone_from(&multipliers.p);

        let rule = Theta { h, theta: 0.5 };
        external_impulse(model, now, at, rule, free)?;
        let (p, previous) = (&multipliers.p, &carried.previous);
        let made = Made { now, next, end: next, rule, phi: 0.5, at, free, rows, p, previous };
        account(model, &made, accounting, log)?;
        self.work.book_defects(model, now, next, self.method, log)
    }
}

impl Work {
    /// Takes up a state: its memory, or accelerations that fit it, and the first guess.
    fn begin(&mut self, model: &Model, now: &State, method: Newmark, h: f64) -> StepResult {
        let n = now.v.len();
        detect(model, now, Activation { look_ahead: 0.0, layer: f64::INFINITY }, &mut self.start)?;
        if now.memory.len() == 2 * n {
            self.memory.clone_from(&now.memory);
        } else {
            self.accelerate(model, now)?;
        }
        self.smooth.z.clear();
        self.smooth.z.extend_from_slice(&self.memory[n..]);
        self.smooth.place(method, now, &self.memory, h);
        self.levels.begin(model, now.t + h, &self.smooth);
        Ok(())
    }

    /// The memory of a state that has none: its acceleration with joints held, twice.
    fn accelerate(&mut self, model: &Model, now: &State) -> StepResult {
        let point = Point { t: now.t, q: now.q.clone(), v: now.v.clone() };
        let n_gaps = model.constraints.n_gaps();
        let joints: Vec<usize> = (0..n_gaps).filter(|&key| model.constraints.always[key]).collect();
        self.motion.scale.pace.clear();
        self.motion.scale.pace.extend(now.v.iter().map(|v| v.abs()));
        self.motion.rate(model, &joints, &point, &mut self.rate)?;
        self.memory.clear();
        self.memory.extend(self.rate.a.iter().chain(&self.rate.a));
        Ok(())
    }

    /// r ← f − M z at the iterate.
    fn residual(&mut self, model: &Model) -> StepResult {
        let Work { levels, forces, balance, point, smooth, r, .. } = self;
        let there = &levels.there;
        point.t = there.t;
        point.q.clone_from(&there.q);
        point.v.clone_from(&there.v);
        forces.fill(model, point, r, &mut Power::default())?;
        balance.add_inertia(model, &there.q, -1.0, &smooth.z, r)
    }

    /// Books what the step adds beyond the trapezoidal rule.
    fn book_defects(
        &mut self,
        model: &Model,
        now: &State,
        next: &State,
        method: Newmark,
        log: &mut StepLog,
    ) -> StepResult {
        let Work { balance, smooth, memory, r: gradient, x: momentum, .. } = self;
        let (n, h) = (now.v.len(), next.step_size);
        // ∇V_½ and M v_½.
        for x in [&mut *gradient, &mut *momentum] {
            x.clear();
            x.resize(n, 0.0);
        }
        for State { q, v, .. } in [now, next] {
            balance.add_gradient(model, q, 0.5, gradient)?;
            balance.add_inertia(model, &next.q, 0.5, v, momentum)?;
        }
        for i in 0..n {
            let (impulse, displacement) = smooth.defects(method, memory, h, i);
            log.works.scheme += momentum[i] * impulse + gradient[i] * displacement;
            let moved = next.q[i] - now.q[i] - 0.5 * h * (now.v[i] + next.v[i]) - displacement;
            log.works.projection += gradient[i] * moved;
        }
        Ok(())
    }
}

impl Integrator for GeneralizedAlpha {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        refuse_untracked(ENTRY.name, model, &[])
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.work.begin(model, now, self.method, h)?;
        let mut first;
        let mut iteration = 0;
        loop {
            iteration += 1;
            first = log.solves.len();
            let change = self.iterate(model, now, h, log)?;
            if change <= self.newton_tolerance {
                break;
            }
            if iteration >= self.newton_iterations {
                let (iterations, tolerance) = (iteration, self.newton_tolerance);
                return Err(StepError::Newton { iterations, change, tolerance }.into());
            }
        }
        let Solving { tolerance, policy, .. } = self.solving;
        let TwoLevels { position, joint, velocity, .. } = &self.work.levels;
        for Stage { rows, report, .. } in [position, joint, velocity] {
            if let Some(report) = report {
                judge_solve(model, rows, tolerance, policy, report)?;
            }
        }
        log.worst_last(first);
        log.newton_iterations = iteration;
        log.counts = Counts { steps: 1, rejected: 0, evaluations: iteration as u64 };
        self.finish(model, now, h, next, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        let TwoLevels { position, joint, velocity, .. } = &self.work.levels;
        let is_unsolved = |stage: &&Stage| {
            stage.report.as_ref().is_some_and(|report| report.status != Status::Converged)
        };
        [position, joint, velocity].into_iter().find(is_unsolved).map(|stage| &stage.assembly.problem)
    }

    fn poison(&mut self) {
        let Work { start, memory, smooth, levels, forces, balance, point, r, x, .. } = &mut self.work;
        start.poison();
        smooth.poison();
        levels.poison();
        forces.poison();
        balance.poison();
        point.poison();
        for x in [memory, r, x] {
            x.fill(f64::NAN);
        }
        let Work { motion, rate, free, carried, accounting, .. } = &mut self.work;
        carried.poison();
        motion.poison();
        rate.poison();
        free.poison();
        accounting.poison();
        self.solving.solver.forget();
    }
}
