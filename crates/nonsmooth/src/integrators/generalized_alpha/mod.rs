//! Nonsmooth generalized-α: positions and velocities both meet their constraints.
//!
//! ```text
//! smooth      M(q⁺) z⁺ = f(t⁺, q⁺, v⁺) + J_bᵀ λ̃,   J_b ṽ + ∂g/∂t = 0        Δ̃, ṽ from z⁺ by generalized-α
//! position    q⁺ = q ⊕ (Δ̃ + U),   M U = Jᵀ ν       joints y⁺ = 0, contacts 0 ≤ y⁺ ⟂ ν ≥ 0
//! velocity    v⁺ = ṽ + W,   M W = Jᵀ Λ             joints u⁺ = 0, contacts with ν > 0: 0 ≤ u⁺ + e u ⟂ Λ ≥ 0
//! friction    Λ in the cone of the law against u_T⁺, ν_T = h/2 Λ_T
//! ```
//!
//! with J, M at q⁺ and b the joints. [Bruls14; Chen13] The smooth part knows joints but no contacts: z⁺ and a⁺, which are
//! remembered, stay bounded through impacts. Laws give their `contact` form for positions and their `step` form for velocities. Springs
//! between bodies are forces, which the iteration takes as they are: it converges while h² k ≪ m.
//!
//! It is an equation for (z, ν, Λ), solved by Newton's iteration: see `position_velocity.rs`.
//!
//! Order 2 in smooth motion, joints included; 1 through impacts and in lasting contact with curved surfaces (2 with flat
//! ones). ρ = 1 keeps the energy of linear systems, ρ < 1 takes it from fast oscillations. Bodies in space move by ⊕, with
//! ω in body axes; the gyroscopic term is one of the forces.
//!
//! The ledger is that of the trapezoidal rule, x_½ = ½ (x + x⁺), and closes for linear systems and gaps:
//!
//! ```text
//! scheme     = v_½·M h ((1−γ) a + γ a⁺ − ½ (z + z⁺)) + ∇V_½·h² (β − γ/2)(a⁺ − a)
//! projection = ∇V_½·M⁻¹ Jᵀ (ν − h Λ/2)
//! ```

mod ledger;
mod newmark;
mod position_velocity;
mod stage;

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal};
use crate::error::{StepError, StepResult};
use crate::instants::Instants;
use crate::log::{Counts, StepLog};
use crate::model::instant::Place;
use crate::model::instant::{Instant, Pass};
use crate::model::{Activation, ActiveConstraints, Coeffs, Free, Level, Model, State};
use crate::newton::Newton;
use crate::part::Part;
use crate::phases::{
    Impulses, LawForm, SolverSettings, conclude, detect, factorize, judge, linearize, set_offsets,
};
use newmark::{Newmark, Smooth};
use nonsmooth_solvers::{Declared, Kind, Options, Problem, Status};
use position_velocity::{TwoLevels, is_joint, take_velocities};
use stage::Stage;

pub(super) const ENTRY: Entry = Entry {
    name: "generalized-alpha",
    about: "nonsmooth generalized-α: constraints met by positions and velocities, damping of fast oscillations",
    options: &[&RHO_INFINITY, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, settings| Box::new(GeneralizedAlpha::new(options, settings)),
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
    newton: Newton,
    settings: SolverSettings,
    scratch: AlphaScratch,
}

/// Scratch; no bit of a result depends on it.
#[derive(Default)]
struct AlphaScratch {
    /// The start of the step.
    begin: Place,
    /// All constraints within reach, at the start of the step.
    start: ActiveConstraints,
    /// a, then z, at the start.
    memory: Vec<f64>,
    smooth: Smooth,
    levels: TwoLevels,
    /// f − M z, and other sums over velocities, in world axes.
    r: Vec<f64>,
    x: Vec<f64>,
    /// The state with the velocities of the start at the end, for the ledger.
    there: State,
    at: Instants,
    free: Free,
    /// Impulses of the last step and of this one.
    impulses: Impulses,
    /// v_½ and M v_½.
    v_mean: Vec<f64>,
    momentum: Vec<f64>,
}

impl GeneralizedAlpha {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            method: Newmark::new(options.number(&RHO_INFINITY)),
            newton: Newton {
                tolerance: options.number(&NEWTON_TOLERANCE),
                most_iterations: options.count(&NEWTON_ITERATIONS),
            },
            settings,
            scratch: AlphaScratch::default(),
        }
    }

    /// Takes up a state: its memory, or accelerations that fit it, and the first guess.
    fn begin(&mut self, model: &Model, now: &State, h: f64, log: &mut StepLog) -> StepResult {
        let AlphaScratch { begin, start, .. } = &mut self.scratch;
        begin.t = now.t;
        begin.q.clone_from(&now.q);
        begin.v.resize(now.v.len(), 0.0);
        model.to_working(&now.q, &now.v, &mut begin.v);
        begin.inputs.clone_from(&now.inputs);
        begin.angles.clone_from(&now.angles);
        begin.complete(model, &now.presence, &now.v)?;
        let at = begin.instant(&now.presence);
        detect(model, &Part::whole(now.t, h), &at, Activation::Swept, start)?;
        if model.rigid.has_motion() {
            // What moves by itself, at the start.
            let (part, pass) = (Part::whole(now.t, 0.0), Pass::at(&at));
            linearize(model, &part, &pass, start)?;
            set_offsets(model, &part, &pass, Level::Velocity, start)?;
        }
        if now.scheme.len() == 2 * now.v.len() {
            self.scratch.memory.clone_from(&now.scheme);
        } else {
            self.accelerate(model, now, log)?;
        }
        let AlphaScratch { start, memory, smooth, levels, .. } = &mut self.scratch;
        smooth.z.clear();
        smooth.z.extend_from_slice(&memory[now.v.len()..]);
        smooth.place(self.method, now, memory, h);
        levels.begin(model, now, h, start, smooth)
    }

    /// The memory of a state that has none: its acceleration with joints held, twice.
    fn accelerate(&mut self, model: &Model, now: &State, log: &mut StepLog) -> StepResult {
        let AlphaScratch { begin, start, memory, levels, r, x, .. } = &mut self.scratch;
        let TwoLevels { joint, velocity, mass, .. } = levels;
        let at = begin.instant(&now.presence);
        let joints: Vec<_> =
            (0..start.len()).filter(|&c| is_joint(model, start, c)).map(|c| start.ids[c]).collect();
        joint.evaluate(model, &joints, &at)?;
        velocity.problem.delassus.release();
        factorize(
            model,
            &Part::whole(at.t, 0.0),
            &Pass::at(&at),
            Coeffs::MASS,
            &mut joint.problem,
            mass,
        )?;
        forces(model, &at, r)?;
        mass.groups().solve(r, &mut Vec::new());
        joint.free.v.clone_from(r);
        let mut curvature = vec![0.0; joint.active.n_rows()];
        for family in &model.constraints {
            family.curvature(model, &at, &joint.active, &mut curvature)?;
        }
        joint.active.offset.copy_from_slice(&curvature);
        joint.multipliers.p.clear();
        joint.multipliers.p.resize(curvature.len(), 0.0);
        joint.solve((model, now), LawForm::Contact, mass, &mut self.settings, log, x)?;
        model.to_state(&now.q, x);
        memory.clear();
        memory.extend(x.iter().chain(&*x));
        Ok(())
    }

    /// One iteration; returns how far it moved.
    fn iterate(&mut self, model: &Model, now: &State, h: f64, log: &mut StepLog) -> StepResult<f64> {
        let (method, weights) = (self.method, self.method.weights(h));
        self.scratch.residual(model, now)?;
        let AlphaScratch { start, memory, smooth, levels, r, .. } = &mut self.scratch;
        let settings = &mut self.settings;
        levels.factor(model, now, weights)?;
        levels.positions((model, now), r, weights, smooth, settings, log)?;
        smooth.place(method, now, memory, h);
        levels.velocities((model, now), start, weights.velocity, smooth, settings, log)?;
        smooth.place(method, now, memory, h);
        levels.advance((model, now), h, start, smooth)
    }

    /// Judges the step by the worst of its last solves, which becomes the last of the log.
    fn judge(&self, model: &Model, first: usize, log: &mut StepLog) -> StepResult {
        let residual = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        let TwoLevels { position, joint, velocity, .. } = &self.scratch.levels;
        let solved = [position, joint, velocity]
            .into_iter()
            .filter_map(|stage| stage.report.as_ref().map(|report| (stage, residual(report.residual))));
        let Some((worst, most)) = solved.max_by(|a, b| a.1.total_cmp(&b.1)) else { return Ok(()) };
        let last = log.solves.len() - 1;
        if let Some(place) = (first..=last).find(|&i| residual(log.solves[i].residual) == most) {
            log.solves.swap(place, last);
        }
        judge(model, &worst.active, self.settings.tolerance, self.settings.policy, log)
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
        let AlphaScratch { start, smooth, levels, impulses, .. } = &mut self.scratch;
        let TwoLevels { here, v, velocity, mu, nu, .. } = levels;
        next.q.clone_from(&here.q);
        next.v.clone_from(v);
        let Stage { active, multipliers, .. } = velocity;
        impulses.warm_start(model, now, active, h);
        see_from(start, active);
        impulses.p.clone_from(&multipliers.p);
        // Λ, and for joints h λ̃ beside it: β' λ̃ = μ − ν.
        let ratio = h / self.method.weights(h).position;
        for c in (0..active.len()).filter(|&c| is_joint(model, active, c)) {
            let (mu, nu) = (mu.of(active.ids[c]), nu.of(active.ids[c]));
            for (p, (mu, nu)) in impulses.p[active.rows(c)].iter_mut().zip(mu.iter().zip(nu)) {
                *p += ratio * (mu - nu);
            }
        }
        conclude(model, now, h, (active, impulses), next)?;
        next.scheme.clear();
        next.scheme.extend(smooth.a.iter().chain(&smooth.z));
        self.scratch.book(model, now, next, self.method, log)
    }
}

impl AlphaScratch {
    /// r ← f − M z at the iterate.
    fn residual(&mut self, model: &Model, now: &State) -> StepResult {
        let AlphaScratch { levels, smooth, r, x, .. } = self;
        let at = levels.here.instant(&now.presence);
        forces(model, &at, r)?;
        x.resize(smooth.z.len(), 0.0);
        model.to_working(at.q, &smooth.z, x);
        model.times(&at, [-1.0, 0.0, 0.0], x, r)
    }
}

/// out ← f(t, q, v), in world axes.
fn forces(model: &Model, at: &Instant<'_>, out: &mut Vec<f64>) -> StepResult {
    out.clear();
    out.resize(at.v.len(), 0.0);
    model.smooth_forces(at, out)?;
    if model.is_elastic() {
        model.constraints.iter().try_for_each(|family| family.elastic_forces(model, at, 0.0, out))?;
    }
    Ok(())
}

/// Takes gap, u⁻ and ∂g/∂t from the constraints at the start of the step.
fn see_from(start: &ActiveConstraints, active: &mut ActiveConstraints) {
    take_velocities(start, active);
    for c in 0..active.len() {
        let Ok(s) = start.ids.binary_search(&active.ids[c]) else { continue };
        active.gap[c] = start.gap[s];
        for (row, at_start) in active.rows(c).zip(start.rows(s)) {
            if let Some(rate) = active.rates.get_mut(row) {
                rate[0] = start.rates.get(at_start).map_or(0.0, |rate| rate[1]);
            }
        }
    }
}

impl Integrator for GeneralizedAlpha {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::refusal::mechanics(ENTRY.name, model)?;
        if let Some(family) = model.systems.iter().find(|family| family.smooth().is_none()) {
            return Err(Refusal::Family { integrator: ENTRY.name, family: family.name() });
        }
        super::needs_theta(ENTRY.name, model)?;
        super::gaps_only(ENTRY.name, model)?;
        let refuse = |law| Refusal::Law { scheme: ENTRY.name, law };
        super::refusal::refuse_laws(model, |forms| forms.relay, refuse)?;
        super::needs_step_form(ENTRY.name, model)?;
        if let Some(index) = model.systems.iter().find_map(|family| family.first_prescribed()) {
            let (system, coordinate) = model.velocity_name(index);
            return Err(Refusal::Prescribed { scheme: ENTRY.name, system, coordinate });
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
        self.begin(model, now, h, log)?;
        let mut first;
        let (mut iteration, mut before) = (0, f64::INFINITY);
        loop {
            iteration += 1;
            first = log.solves.len();
            let change = self.iterate(model, now, h, log)?;
            if change <= self.newton.tolerance {
                break;
            }
            if iteration >= self.newton.most_iterations {
                let (iterations, tolerance) = (iteration, self.newton.tolerance);
                return Err(StepError::Newton { iterations, change, before, tolerance }.into());
            }
            before = change;
        }
        self.judge(model, first, log)?;
        log.newton_iterations = iteration;
        log.counts = Counts { steps: 1, rejected: 0, evaluations: iteration as u64 };
        self.finish(model, now, h, next, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        let TwoLevels { position, joint, velocity, .. } = &self.scratch.levels;
        let is_unsolved = |stage: &&Stage| {
            stage.report.as_ref().is_some_and(|report| report.status != Status::Converged)
        };
        [position, joint, velocity].into_iter().find(is_unsolved).map(|stage| &stage.problem)
    }

    fn reset(&mut self) {
        self.scratch = AlphaScratch::default();
        self.settings.solver.forget();
    }
}
