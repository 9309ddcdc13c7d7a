//! Moreau–Paoli: the velocity-based scheme whose convergence is proved with M(q) and several constraints.
//!
//! ```text
//! q⁺ = q ⊕ h v
//! M(q⁺)(v⁺ − v) = h f(t⁺, q⁺, v⁺) + J(q⁺)ᵀ p
//! y(q⁺) ≤ 0:   0 ≤ u⁺ + e u ⟂ p ≥ 0,   u = J(q⁺) v + ∂g/∂t(t⁺)                otherwise p = 0
//! ```
//!
//! that is v⁺ = −e v + (1+e) proj(V(q⁺), v + h/(1+e) M⁻¹f), the projection being that of the metric M(q⁺) on the cone
//! V of admissible velocities; hence one e for all contacts, which may move. [Paoli08] The law's `step` form writes e u; that e is
//! one is seen by `Law::rebound`. By option f is taken at v instead of v⁺; the two differ by O(h). Joints take part as subspaces of
//! V: their drift is of first order. Bodies keep v and their ω in body axes while they move to q⁺, where contacts are looked for.
//!
//! The gap in the log is that at q⁺, by which the scheme decides. At states with two or more closed contacts the
//! conditions (H'4) and (H'5) of the proof are checked and breaches noted; see `phases/angles.rs`.

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::{Counts, StepLog};
use crate::model::instant::{Implicit, Pass};
use crate::model::{Activation, ActiveConstraints, Coeffs, Level, Model, State, Theta};
use crate::newton::{Newton, Solved};
use crate::part::Part;
use crate::phases::{
    Angles, LawForm, Ledger, SolverSettings, account, conclude, detect, factorize, impact_work, judge,
    kinetic_angles, linearize, set_laws, set_offsets,
};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-paoli",
    about: "projection of the velocity in the kinetic metric at q + h v; proved to converge with M(q)",
    options: &[&FORCE, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, settings| Box::new(MoreauPaoli::new(options, settings)),
};

const FORCE: Declared = Declared {
    name: "force",
    about: "whether forces see the velocity at the end of the step (implicit) or at its start",
    kind: Kind::Word(&["implicit", "explicit"]),
    default: "implicit",
};

/// Cosine of a kinetic angle that may be rounding: some thousand units in the last place.
const ORTHOGONAL: f64 = 1e-12;

/// Most closed contacts whose angles are measured: beyond, the check would cost more than the step.
const MOST_CHECKED: usize = 300;

const SEVERAL: &str = "states with two or more closed contacts [number of contacts]";
const DEPENDENT: &str = "closed contacts with dependent gradients, against (H'4) [number too many]";
const ANGLE: &str = "closed contacts with a kinetic angle against (H'5): the limit may depend on which is hit first [cosine]";

/// The scheme of Moreau and Paoli.
pub struct MoreauPaoli {
    is_explicit: bool,
    newton: Newton,
    settings: SolverSettings,
    scratch: Scratch,
    /// (t⁺, q⁺, v): where the step is decided.
    there: State,
    angles: Angles,
}

impl MoreauPaoli {
    pub(super) fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            is_explicit: options.word(&FORCE) == "explicit",
            newton: Newton {
                tolerance: options.number(&NEWTON_TOLERANCE),
                most_iterations: options.count(&NEWTON_ITERATIONS),
            },
            settings,
            scratch: Scratch::default(),
            there: State::default(),
            angles: Angles::default(),
        }
    }

    /// How forces are taken: f(t⁺, q⁺, v⁺) is θ = 1 from q, f(t⁺, q⁺, v) is θ = 0 from q⁺.
    fn rule(&self, h: f64) -> (Theta, Implicit, Coeffs) {
        let (theta, velocity) = if self.is_explicit { (0.0, 0.0) } else { (1.0, 1.0) };
        let implicit = Implicit { ahead: 0.0, displacement: 0.0, velocity, length: h };
        (Theta { h, theta }, implicit, Coeffs { damping: h * velocity, stiffness: 0.0 })
    }

    /// Writes energies and works of the step into the log.
    fn book(&mut self, model: &Model, now: &State, next: &State, log: &mut StepLog) -> StepResult {
        let Scratch { at, active, free, impulses, v_next, v_mean, .. } = &mut self.scratch;
        let ledger = Ledger {
            now,
            next,
            v_next,
            v_end: if self.is_explicit { at.now(now).v } else { v_next },
            rule: Theta { h: next.step_size, theta: 1.0 },
            phi: 0.0,
            at,
            free,
            active,
            impulses,
        };
        account(model, &ledger, v_mean, log)?;
        impact_work(model, active, impulses, log);
        book_springs(model, now, next, log)
    }
}

impl Integrator for MoreauPaoli {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::needs_theta(ENTRY.name, model)?;
        super::refusal::no_meshes(ENTRY.name, model)?;
        super::needs_step_form(ENTRY.name, model)?;
        super::no_tangents(ENTRY.name, model)?;
        super::no_drives(ENTRY.name, model)?;
        super::one_restitution(ENTRY.name, model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let (rule, implicit, coeffs) = self.rule(h);
        let part = Part::whole(now.t, h);
        let Scratch { at, active, mass, free, problem, impulses, parts, v_next, v_mean, .. } =
            &mut self.scratch;
        let settings = &mut self.settings;
        let there = &mut self.there;

        drift(model, now, h, v_mean, there);
        at.configure_there(model, now, there, implicit)?;
        let closed = Activation::Ahead { ahead: 0.0, distance: 0.0 };
        detect(model, &part, &at.pass(now).jacobian, closed, active)?;
        impulses.warm_start(model, now, active, h);
        let mut newton = self.newton.start(model, false, at.velocities(now), v_next);
        parts.start();
        loop {
            let part = parts.part(now.t, h);
            if newton.is_needed() {
                at.guess(model, now, v_next)?;
            }
            let pass = at.pass(now);
            let pass = if self.is_explicit { Pass { now: pass.jacobian, ..pass } } else { pass };
            factorize(model, &part, &pass, coeffs, problem, mass)?;
            model.free_motion(&part, &pass, rule, mass.groups(), free)?;
            linearize(model, &part, &pass, active)?;
            set_offsets(model, &part, &pass, Level::Velocity, active)?;
            set_laws(model, now, LawForm::Step, (h, 0.0), impulses, active);
            let posed = (&*active, &*mass, &*free);
            parts.impose(posed, settings, (problem, impulses), (v_next, &mut next.v), log)?;
            let solved = Solved {
                problem,
                free,
                rule: Theta { h, theta: 1.0 },
                q_end: pass.end.q,
                tolerance: settings.tolerance,
            };
            let (of, v) = ((model, &*active, &*mass), (&mut v_next[..], &mut next.v[..]));
            if newton.is_done_by_island(of, parts, &solved, v, impulses)? {
                break;
            }
        }
        judge(model, active, settings.tolerance, settings.policy, log)?;
        log.newton_iterations = newton.iterations();
        log.counts = Counts { steps: 1, rejected: 0, evaluations: newton.iterations() as u64 };
        check_angles(model, &part, &at.pass(now), active, &mut self.angles, log)?;
        v_next.clone_from(&next.v);
        model.to_state(&there.q, &mut next.v);
        next.q.clone_from(&there.q);
        conclude(model, now, h, (active, impulses), next)?;
        self.book(model, now, next, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.scratch.problem)
    }

    fn reset(&mut self) {
        self.scratch.reset();
        self.there = State::default();
        self.angles = Angles::default();
        self.settings.solver.forget();
    }
}

/// (t⁺, q ⊕ h v, v).
fn drift(model: &Model, now: &State, h: f64, step: &mut Vec<f64>, there: &mut State) {
    step.clear();
    step.extend(now.v.iter().map(|v| h * v));
    if !now.presence.is_empty() {
        model.rigid.hold_absent(&now.presence, step);
    }
    there.t = now.t + h;
    there.q.resize(now.q.len(), 0.0);
    model.retract(&now.q, step, &mut there.q);
    there.v.clone_from(&now.v);
}

/// Books the energy that springs took up on the way to q⁺, which the ledger, all at q⁺, does not see.
fn book_springs(model: &Model, now: &State, next: &State, log: &mut StepLog) -> StepResult {
    if !model.is_elastic() {
        return Ok(());
    }
    let stored = |state: &State| -> StepResult<f64> {
        model.at_state(state, |at| model.constraints.iter().map(|f| f.potential(model, at)).sum())
    };
    log.works.scheme += stored(next)? - stored(now)?;
    Ok(())
}

/// Notes the states with several closed contacts, and the conditions that they break.
fn check_angles(
    model: &Model,
    part: &Part<'_>,
    at: &Pass<'_>,
    active: &ActiveConstraints,
    angles: &mut Angles,
    log: &mut StepLog,
) -> StepResult {
    if active.len() < 2 {
        return Ok(());
    }
    angles.find_closed(model, active);
    let n_closed = angles.closed.len();
    if n_closed < 2 {
        return Ok(());
    }
    log.note(SEVERAL, n_closed as f64);
    if n_closed > MOST_CHECKED {
        return Ok(());
    }
    kinetic_angles(model, part, at, active, angles)?;
    if angles.rank < n_closed {
        log.note(DEPENDENT, (n_closed - angles.rank) as f64);
    }
    let rebounds = model.law(active.laws[angles.closed[0] as usize]).forms().rebounds;
    let cosine = angles.farthest(rebounds);
    if cosine.abs() > ORTHOGONAL {
        log.note(ANGLE, cosine);
    }
    Ok(())
}
