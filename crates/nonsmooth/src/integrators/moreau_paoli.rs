//! Moreau–Paoli: the velocity-based scheme whose convergence is proved with M(q) and several constraints.
//!
//! ```text
//! q⁺ = q + h u
//! M(q⁺)(u⁺ − u) = h f(t⁺, q⁺, u⁺) + G(q⁺)ᵀ p
//! g(q⁺) ≤ 0:   0 ≤ G u⁺ + ∂g/∂t + e (G u + ∂g/∂t) ⟂ p ≥ 0                otherwise p = 0
//! ```
//!
//! that is u⁺ = −e u + (1+e) proj(V(q⁺), u + h/(1+e) M⁻¹f), the projection being that of the metric M(q⁺) on the cone
//! V of admissible velocities; hence one e for all contacts, which may move. [Paoli08] By option f is taken at u
//! instead of u⁺; the two differ by O(h). Joints take part as subspaces of V.
//!
//! The gap in the log is that at q⁺, by which the scheme decides. At states with two or more closed contacts the
//! conditions (H'4) and (H'5) of the proof are checked and breaches noted; see `phases/angles.rs`.

use super::moreau_jean::{NEWTON_ITERATIONS, NEWTON_TOLERANCE};
use super::{Entry, Integrator, Refusal, Solving, frictionless};
use crate::error::{StepError, StepResult};
use crate::log::{Counts, StepLog};
use crate::model::{Model, State};
use crate::phases::{
    Accounting, Activation, Angles, Assembly, Coeffs, Factors, Free, Impulses, Iterate, Level, Made,
    Rows, Theta, account, advance, apply, assemble, detect, factorize, free_motion, impact_work, judge,
    kinetic_angles, linearize, solve, warm_start,
};
use nonsmooth_solvers::{Declared, Kind, Options, Problem, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-paoli",
    about: "projection of the velocity in the kinetic metric at q + h u; proved to converge with M(q)",
    options: &[&FORCE, &NEWTON_TOLERANCE, &NEWTON_ITERATIONS],
    make: |options, solving| Box::new(MoreauPaoli::new(options, solving)),
};

const FORCE: Declared = Declared {
    name: "force",
    about: "whether forces see the velocity at the end of the step (implicit) or at its start",
    kind: Kind::Word(&["implicit", "explicit"]),
    default: "implicit",
};

/// Cosine of a kinetic angle that may be rounding: some thousand units in the last place.
const ORTHOGONAL: f64 = 1e-12;

const SEVERAL: &str = "states with two or more closed contacts [number of contacts]";
const DEPENDENT: &str = "closed contacts with dependent gradients, against (H'4) [number too many]";
const ANGLE: &str = "closed contacts with a kinetic angle against (H'5): the limit may depend on which is hit first [cosine]";

/// The scheme of Moreau and Paoli.
struct MoreauPaoli {
    is_explicit: bool,
    newton_tolerance: f64,
    newton_iterations: usize,
    solving: Solving,
    work: Work,
}

/// Scratch, one value per phase.
#[derive(Default)]
struct Work {
    /// (t⁺, q⁺, u): where the step is decided.
    there: State,
    at: Iterate,
    rows: Rows,
    factors: Factors,
    free: Free,
    assembly: Assembly,
    impulses: Impulses,
    angles: Angles,
    accounting: Accounting,
}

impl MoreauPaoli {
    fn new(options: &Options, solving: Solving) -> Self {
        Self {
            is_explicit: options.word(&FORCE) == "explicit",
            newton_tolerance: options.number(&NEWTON_TOLERANCE),
            newton_iterations: options.count(&NEWTON_ITERATIONS),
            solving,
            work: Work::default(),
        }
    }
}

impl Integrator for MoreauPaoli {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        frictionless(ENTRY.name, model)?;
        one_restitution(model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let Work { there, at, rows, factors, free, assembly, impulses, angles, accounting } =
            &mut self.work;
        let Solving { solver, tolerance, policy } = &mut self.solving;

        drift(now, h, there);
        detect(model, there, Activation { look_ahead: 0.0, layer: 0.0 }, rows)?;
        warm_start(model, now, rows, h, impulses);
        at.hold(model, there)?;
        // f(t⁺, q⁺, u⁺) is θ = 1 from `now`, f(t⁺, q⁺, u) is θ = 0 from `there`.
        let (from, rule, coeffs) = match self.is_explicit {
            true => (&*there, Theta { h, theta: 0.0 }, Coeffs::EXPLICIT),
            false => (now, Theta { h, theta: 1.0 }, Coeffs { damping: h, stiffness: 0.0 }),
        };
        let is_linear = model.is_linear || self.is_explicit && model.constraints.velocity.is_empty();
        for iteration in 1.. {
            factorize(model, at, coeffs, factors)?;
            free_motion(model, from, at, rule, factors, free)?;
            linearize(model, there, at, rule, Level::Velocity, rows)?;
            assemble(model, rows, factors, free, assembly);
            solve(rows, assembly, &mut **solver, *tolerance, impulses, log)?;
            apply(model, free, rows, &impulses.p, factors, &mut next.v);
            log.newton_iterations = iteration;
            log.counts = Counts { steps: 1, rejected: 0, evaluations: iteration as u64 };
            if is_linear {
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
        check_angles(model, there, rows, angles, log)?;
        advance(model, now, Theta { h, theta: 0.0 }, rows, &impulses.p, next)?;

        let Impulses { p, previous, .. } = impulses;
        let (rule, end) = (Theta { h, theta: 1.0 }, if self.is_explicit { &*there } else { &*next });
        let made = Made { now, next, end, rule, phi: 0.0, at, free, rows, p, previous };
        account(model, &made, accounting, log)?;
        impact_work(log);
        Ok(())
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.work.assembly.problem)
    }

    fn poison(&mut self) {
        let Work { there, at, rows, factors, free, assembly, impulses, angles, accounting } =
            &mut self.work;
        there.poison();
        at.poison();
        rows.poison();
        factors.poison();
        free.poison();
        assembly.poison();
        impulses.poison();
        angles.poison();
        accounting.poison();
        self.solving.solver.forget();
    }
}

/// (t⁺, q + h u, u).
fn drift(now: &State, h: f64, there: &mut State) {
    there.t = now.t + h;
    there.q.clear();
    there.q.extend(now.q.iter().zip(&now.v).map(|(q, u)| q + h * u));
    there.v.clone_from(&now.v);
}

fn one_restitution(model: &Model) -> Result<(), Refusal> {
    let laws = model.constraints.laws.iter().map(|&law| model.laws[law].1);
    let mut contacts = model.constraints.names.iter().zip(laws).filter(|(_, law)| law.set != Set::Free);
    let Some((first, law)) = contacts.next() else { return Ok(()) };
    let e_first = law.restitution;
    match contacts.find(|(_, law)| law.restitution != e_first) {
        None => Ok(()),
        Some((second, law)) => Err(Refusal::OneRestitution {
            integrator: ENTRY.name,
            first: first.clone(),
            e_first,
            second: second.clone(),
            e_second: law.restitution,
        }),
    }
}

/// Notes the states with several closed contacts, and the conditions that they break.
fn check_angles(
    model: &Model,
    there: &State,
    rows: &Rows,
    angles: &mut Angles,
    log: &mut StepLog,
) -> StepResult {
    let Some(e) = rows.forms.iter().find(|form| form.set != Set::Free).map(|form| form.restitution)
    else {
        return Ok(());
    };
    let n_closed = rows.forms.iter().filter(|form| form.set != Set::Free).count();
    if n_closed < 2 {
        return Ok(());
    }
    kinetic_angles(model, there, rows, angles)?;
    log.note(SEVERAL, n_closed as f64);
    if angles.rank < n_closed {
        log.note(DEPENDENT, (n_closed - angles.rank) as f64);
    }
    let cosine = angles.farthest(e);
    if cosine.abs() > ORTHOGONAL {
        log.note(ANGLE, cosine);
    }
    Ok(())
}
