//! Schatzman–Paoli: two steps of the position, the constraint on a weighted mean of positions.
//!
//! ```text
//! M(q_k)(q⁺ − 2q + q⁻) = h² f(t_k, q_k, w) + h J(q*)ᵀ p,        w = (q − q⁻)/h
//! 0 ≤ y(q*, t*) ⟂ p ≥ 0,      q* = (q⁺ + e q⁻)/(1+e),   t* = (t⁺ + e t⁻)/(1+e)
//! ```
//!
//! [Acary10, eq. (30)–(31)]. For linear gaps the constraint is 0 ≤ y⁺ + e y⁻; the gap y⁺ itself may be negative for
//! e > 0, and an impact takes two steps. Every gap takes part in every step, of contacts of bodies those within reach. p is an
//! impulse [N·s]; the papers' multiplier is h p. Written with the mean velocities w of the steps, which is what the state remembers,
//! the scheme is
//!
//! ```text
//! M(q_k)(w⁺ − w) = h f(t_k, q_k, w) + J(q*)ᵀ p,     q⁺ = q ⊕ h w⁺,     q* = q ⊕ h (w⁺ − e w)/(1+e)
//! J w⁺ + (1+e)/h y(q*ⁱ) − J wⁱ ≥ 0
//! ```
//!
//! the last being y(q*) ≥ 0 linearized at the iterate wⁱ. All contacts have one e, hence one q*; that it is one is seen by
//! `Law::rebound`, and laws give their `contact` form. Poisson's law with one e is the same law here: without friction its impulses of
//! compression p_c solve 0 ≤ W p_c + u⁻ ⟂ p_c ≥ 0, so (1+e) p_c are those of Newton's, and no expansion needs more, since no contact that
//! closes has u⁻ > 0. Relays act on the velocities w⁺. Joints have e = 0: y(q⁺) = 0. Springs act explicitly. The velocity of the
//! state at t_{k+1} is (30b), v⁺ = (q⁺ − q⁻)/2h = ½(w + w⁺): centred at t_k, so it is one step late. The energies of the log are
//! those of w⁺ and q⁺, for which the ledger closes (`phases/account.rs`, θ = 0, φ = 1); the kinetic energy that the start-up
//! adds is booked under `scheme`.
//!
//! Start-up: w₀ = v₀ − σ h a₀, that is q₁ = q₀ + h v₀ + (1−σ) h² a₀. σ = ½ is second order, σ = 1 is q₁ = q₀ + h v₀, σ = 0 is
//! q₋₁ = q₀ − h v₀. a₀ is the acceleration with the forces of joints and of contacts that rest: M a₀ = f + Jᵀλ, 0 ≤ J a₀ + J̇ v₀ ⟂ λ ≥ 0.
//! Without them a body at rest would have been inside before, and hop by e σ h² g.

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::{Counts, StepLog};
use crate::model::instant::{Instant, Pass};
use crate::model::{Activation, ActiveConstraints, Coeffs, Level, Model, State, Theta};
use crate::newton::{Newton, Solved};
use crate::part::{Part, Selection};
use crate::phases::{
    LawForm, Ledger, SolverSettings, account, advance, apply, assemble, detect, detect_chosen,
    factorize, impact_work, judge, linearize, set_laws, set_offsets, solve,
};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "schatzman-paoli",
    about: "two-step scheme at position level; frictionless, velocities one step late",
    options: &[&START, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, settings| Box::new(SchatzmanPaoli::new(options, settings)),
};

const START: Declared = Declared {
    name: "start",
    about: "first position: q0 + h v0 + h²/2 a (second-order), q0 + h v0 (first-order), or from q0 − h v0 before (backward)",
    kind: Kind::Word(&["second-order", "first-order", "backward"]),
    default: "second-order",
};

/// A contact is closed at the start where its gap is below this, relative to its size.
const CLOSED: f64 = 1e-11;
/// A closed contact rests at the start where its speed is below this, relative to the largest velocity.
const REST: f64 = 1e-10;

/// The scheme of Schatzman and Paoli.
pub struct SchatzmanPaoli {
    /// σ of the start-up [–].
    sigma: f64,
    newton: Newton,
    settings: SolverSettings,
    scratch: Scratch,
    /// The state with w in place of v.
    from: State,
    weighted: Weighted,
}

/// Which active constraints are imposed where.
#[derive(Default)]
struct Weighted {
    /// At q*.
    contacts: Vec<u32>,
    /// At q⁺.
    joints: Vec<u32>,
}

impl SchatzmanPaoli {
    pub(super) fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            sigma: match options.word(&START) {
                "first-order" => 1.0,
                "backward" => 0.0,
                _ => 0.5,
            },
            newton: Newton {
                tolerance: options.number(&NEWTON_TOLERANCE),
                most_iterations: options.count(&NEWTON_ITERATIONS),
            },
            settings,
            scratch: Scratch::default(),
            from: State::default(),
            weighted: Weighted::default(),
        }
    }

    /// Fills `from`, and in `free` where it would go. At the very start w is made up; then returns the kinetic energy that this adds [J].
    fn begin(
        &mut self,
        model: &Model,
        now: &State,
        rule: Theta,
        log: &mut StepLog,
    ) -> StepResult<Option<f64>> {
        let starts = now.scheme.len() != now.v.len();
        self.from.copy_from(now);
        if !starts {
            self.from.v.clone_from(&now.scheme);
            self.move_freely(model, rule)?;
            return Ok(None);
        }
        self.move_freely(model, rule)?;
        let kicked = self.hold(model, now, rule.h, log)?;
        let kicked = self.scratch.at.now(&self.from).v.iter().zip(&kicked);
        let mut w: Vec<f64> = kicked.map(|(v, kicked)| v - self.sigma * (kicked - v)).collect();
        model.to_state(&now.q, &mut w);
        self.from.v = w;
        self.move_freely(model, rule)?;
        let kinetic = |state: &State| model.energies_of(state).map(|energies| energies.kinetic);
        Ok(Some(kinetic(&self.from)? - kinetic(now)?))
    }

    /// v + h a₀: the free motion with joints held, and contacts that are closed at no speed.
    fn hold(&mut self, model: &Model, now: &State, h: f64, log: &mut StepLog) -> StepResult<Vec<f64>> {
        let Scratch { at, active, mass, free, problem, impulses, .. } = &mut self.scratch;
        let SolverSettings { solver, tolerance, policy } = &mut self.settings;
        let (part, pass) = (Part::whole(now.t, 0.0), at.pass(&self.from));
        let start = pass.now;
        let speed = start.v.iter().zip(&free.v).fold(0.0f64, |m, (v, w)| m.max(v.abs()).max(w.abs()));
        detect(model, &part, &start, Activation::Swept, active)?;
        let rests = |c: &usize| {
            let forms = model.law(active.laws[*c]).forms();
            if !forms.impact {
                // A spring: it acted in the free motion.
                return false;
            }
            let is_closed = active.gap[*c] <= CLOSED * model.size_of(active.ids[*c]);
            forms.bilateral || is_closed && active.u_minus[active.rows(*c).start].abs() <= REST * speed
        };
        let ids: Vec<_> = (0..active.len()).filter(rests).map(|c| active.ids[c]).collect();
        let is_chosen = |id| ids.binary_search(&id).is_ok();
        detect_chosen(model, &part, &start, Activation::Swept, is_chosen, active)?;
        problem.delassus.release();
        linearize(model, &part, &Pass::at(&start), active)?;
        let mut curvature = vec![0.0; active.n_rows()];
        model.constraints.iter().try_for_each(|f| f.curvature(model, &start, active, &mut curvature))?;
        let mut along = [0.0; 6];
        for c in 0..active.len() {
            let rows = active.rows(c);
            active.jacobian.dot(c, start.v, &mut along[..rows.len()]);
            rows.zip(along).for_each(|(row, along)| active.offset[row] = h * curvature[row] - along);
        }
        impulses.warm_start(model, now, active, h);
        active.compliance.clear();
        set_laws(model, now, LawForm::Contact, (h, 0.0), impulses, active);
        assemble(active, mass, free, problem);
        solve(&mut **solver, *tolerance, problem, impulses, log)?;
        judge(model, active, *tolerance, *policy, log)?;
        let mut v = Vec::new();
        apply(problem, free, impulses, &mut v);
        Ok(v)
    }

    /// w + h M⁻¹ f at the start.
    fn move_freely(&mut self, model: &Model, rule: Theta) -> StepResult {
        let Scratch { at, mass, free, problem, v_mean: guess, .. } = &mut self.scratch;
        let part = Part::whole(self.from.t, rule.h);
        at.configure(model, &self.from, rule)?;
        let pass = at.pass(&self.from);
        // Prescribed velocities are means over the step: taken in its middle.
        let t = self.from.t + 0.5 * rule.h;
        guess.clear();
        guess.extend_from_slice(pass.now.v);
        model.theta_motions().try_for_each(|motion| motion.prescribe(model, t, guess))?;
        let middle = Instant { t, v: guess, ..pass.now };
        let pass = Pass { end: middle, ..pass };
        factorize(model, &part, &pass, Coeffs::MASS, problem, mass)?;
        model.free_motion(&part, &pass, rule, mass.groups(), free)
    }

    /// Writes energies and works of the step to q⁺ and w⁺ into the log.
    fn book(&mut self, model: &Model, next: &State, log: &mut StepLog) -> StepResult {
        let Scratch { at, active, free, impulses, v_next, v_mean, .. } = &mut self.scratch;
        let ledger = Ledger {
            now: &self.from,
            next,
            v_next,
            v_end: v_next,
            rule: Theta { h: next.step_size, theta: 0.0 },
            phi: 1.0,
            at,
            free,
            active,
            impulses,
        };
        account(model, &ledger, v_mean, log)?;
        impact_work(model, active, impulses, log);
        Ok(())
    }
}

impl Integrator for SchatzmanPaoli {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::needs_theta(ENTRY.name, model)?;
        super::refusal::no_meshes(ENTRY.name, model)?;
        super::no_tangents(ENTRY.name, model)?;
        super::no_relays_on_gaps(ENTRY.name, model)?;
        super::gaps_only(ENTRY.name, model)?;
        super::acts_at_once(ENTRY.name, model)?;
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
        let rule = Theta { h, theta: 0.0 };
        let e = super::restitution(model);
        let started = self.begin(model, now, rule, log)?;
        let Scratch { at, active, mass, free, problem, impulses, v_next, v_mean, .. } =
            &mut self.scratch;
        let SolverSettings { solver, tolerance, policy } = &mut self.settings;
        let from = &self.from;

        detect(model, &Part::whole(now.t, h), &at.now(from), Activation::Swept, active)?;
        self.weighted.sort(model, active);
        impulses.warm_start(model, now, active, h);
        let mut newton = self.newton.start(model, true, at.velocities(from), v_next);
        v_next.clear();
        v_next.extend_from_slice(at.now(from).v);
        loop {
            at.predict_weighted(model, from, (h, e), v_next)?;
            let pass = at.pass(from);
            problem.delassus.release();
            self.weighted.impose(model, &pass, (h, e), active)?;
            set_laws(model, now, LawForm::Contact, (h, h), impulses, active);
            assemble(active, mass, free, problem);
            solve(&mut **solver, *tolerance, problem, impulses, log)?;
            apply(problem, free, impulses, &mut next.v);
            let solved = Solved {
                problem,
                free,
                rule: Theta { h, theta: 1.0 },
                q_end: pass.end.q,
                tolerance: *tolerance,
            };
            if newton.is_done(&solved, v_next, &mut next.v, impulses)? {
                break;
            }
        }
        judge(model, active, *tolerance, *policy, log)?;
        log.newton_iterations = newton.iterations();
        log.counts = Counts { steps: 1, rejected: 0, evaluations: 1 + u64::from(started.is_some()) };
        measure_start(at.now(from).v, active);
        v_next.clone_from(&next.v);
        advance(model, from, Theta { h, theta: 1.0 }, (active, impulses), v_mean, next)?;
        self.book(model, next, log)?;
        log.works.scheme += started.unwrap_or(0.0);

        next.scheme.clone_from(&next.v);
        next.v.iter_mut().zip(&self.from.v).for_each(|(v, w)| *v = 0.5 * (*v + w));
        Ok(())
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.scratch.problem)
    }

    fn reset(&mut self) {
        self.scratch.reset();
        self.from = State::default();
        self.weighted = Weighted::default();
        self.settings.solver.forget();
    }
}

impl Weighted {
    /// Sorts the active constraints into contacts and joints.
    fn sort(&mut self, model: &Model, active: &ActiveConstraints) {
        self.contacts.clear();
        self.joints.clear();
        for c in 0..active.len() {
            let is_joint = model.law(active.laws[c]).forms().bilateral;
            if is_joint { &mut self.joints } else { &mut self.contacts }.push(c as u32);
        }
    }

    /// J and offsets: contacts at q*, joints at q⁺.
    fn impose(
        &self,
        model: &Model,
        at: &Pass<'_>,
        (h, e): (f64, f64),
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let lists = [
            // q* is the end of a step of t* − t with ∂q*/∂w⁺ = h/(1+e).
            (&self.contacts, Pass { end: at.jacobian, ..*at }, h * (1.0 - e) / (1.0 + e), h / (1.0 + e)),
            (&self.joints, Pass { jacobian: at.end, ..*at }, h, h),
        ];
        active.compliance.clear();
        for (list, at, length, ahead) in lists {
            let part = Part { constraints: Selection::List(list), ..Part::whole(at.now.t, length) };
            linearize(model, &part, &at, active)?;
            set_offsets(model, &part, &at, Level::Position { ahead }, active)?;
        }
        Ok(())
    }
}

/// u of the start, with J and ∂g/∂t of where the constraint is imposed: what the log tells is measured there.
fn measure_start(w: &[f64], active: &mut ActiveConstraints) {
    for c in 0..active.len() {
        let rows = active.rows(c);
        let ActiveConstraints { jacobian, u_minus, rates, .. } = &mut *active;
        jacobian.dot(c, w, &mut u_minus[rows.clone()]);
        for row in rows {
            if let Some(rate) = rates.get_mut(row) {
                rate[0] = rate[1];
                u_minus[row] += rate[1];
            }
        }
    }
}
