//! Mistakes on purpose: a scheme whose every step is wrong in one way, so that a judged line can be shown able to fail.
//!
//! ```text
//! velocity   v⁺ ← v + 0.9 (v⁺ − v)          position   q⁺ ← q + 0.9 (q⁺ − q)
//! excess     v⁺ ← v + 1.5 (v⁺ − v), q⁺ ← q + 1.5 (q⁺ − q)
//! offset     v⁺ ← v⁺ + 0.01, q⁺ ← q⁺ + 0.01       sink       q⁺ ← q⁺ − 0.01       still      v⁺ ← v, q⁺ ← q
//! crowd      v⁺ ← v⁺ + 0.01 n, with n active constraints
//! log        impulses, velocities of constraints, gaps, works and energies × 0.9; events 0.1 h early; evaluations × 10⁴
//! sign       impulses, velocities of constraints, gaps and works × −1; a note without ground
//! ```
//!
//! A mistake of the state leaves the log as it was, except for the gaps, which are those of the wrong state.

use nonsmooth::model::State;
use nonsmooth::solvers::Problem;
use nonsmooth::{Integrator, Model, Refusal, StepLog, StepResult};

/// Share of a change that is kept.
const SHARE: f64 = 0.9;
/// Share of a change that is made in its place.
const EXCESS: f64 = 1.5;
/// What is added to coordinates and velocities [SI].
const OFFSET: f64 = 0.01;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// The change of velocity.
    Velocity,
    /// The change of position.
    Position,
    /// Too large changes.
    Excess,
    /// Something added.
    Offset,
    /// Something taken away from coordinates.
    Sink,
    /// No change at all.
    Still,
    /// Constraints that carry nothing are felt.
    Crowd,
    /// What the step says of itself.
    Log,
    /// The sign of what the step says of itself.
    Sign,
}

impl Mistake {
    pub(super) const ALL: [Self; 9] = [
        Mistake::Velocity,
        Mistake::Position,
        Mistake::Excess,
        Mistake::Offset,
        Mistake::Sink,
        Mistake::Still,
        Mistake::Crowd,
        Mistake::Log,
        Mistake::Sign,
    ];

    /// For the page.
    pub(super) fn name(self) -> &'static str {
        match self {
            Mistake::Velocity => "velocity",
            Mistake::Position => "position",
            Mistake::Excess => "excess",
            Mistake::Offset => "offset",
            Mistake::Sink => "sink",
            Mistake::Still => "still",
            Mistake::Crowd => "crowd",
            Mistake::Log => "log",
            Mistake::Sign => "sign",
        }
    }

    /// What it does to every step, for the page.
    pub(super) fn what(self) -> &'static str {
        match self {
            Mistake::Velocity => "a tenth of each change of velocity is lost",
            Mistake::Position => "a tenth of each change of position is lost",
            Mistake::Excess => "all changes are half as large again",
            Mistake::Offset => "0.01 is added to velocities and coordinates",
            Mistake::Sink => "0.01 is taken from coordinates",
            Mistake::Still => "nothing moves",
            Mistake::Crowd => "0.01 is added to velocities for each active constraint",
            Mistake::Log => {
                "a tenth of what the step reports is lost: impulses, gaps, works, energies; events are early, counts wrong, notes missing"
            }
            Mistake::Sign => {
                "impulses, gaps and works are reported with the wrong sign, and a note without ground"
            }
        }
    }
}

/// An integrator with a mistake.
pub(super) struct Mistaken {
    pub(super) inner: Box<dyn Integrator>,
    pub(super) mistake: Mistake,
}

/// x ← before + share (x − before).
fn change_by(share: f64, before: &[f64], after: &mut [f64]) {
    after.iter_mut().zip(before).for_each(|(x, before)| *x = before + share * (*x - before));
}

fn misreport(h: f64, log: &mut StepLog) {
    let arrays = [&mut log.constraints.impulse, &mut log.constraints.u_plus, &mut log.gaps];
    arrays.into_iter().flatten().for_each(|x| *x *= SHARE);
    for event in &mut log.events {
        event.t -= 0.1 * h;
        event.impulse.iter_mut().chain(&mut event.u_plus).for_each(|x| *x *= SHARE);
    }
    let lost = log.works.columns().map(|(_, x)| (1.0 - SHARE) * x);
    log.works -= nonsmooth::Works::from_columns(lost);
    log.energies.kinetic *= SHARE;
    log.energies.potential *= SHARE;
    log.counts.evaluations *= 10_000;
    log.notes.clear();
}

/// What a step with the wrong sign in its books says.
fn reverse(log: &mut StepLog) {
    let arrays = [&mut log.constraints.impulse, &mut log.constraints.u_plus, &mut log.gaps];
    arrays.into_iter().flatten().for_each(|x| *x = -*x);
    for event in &mut log.events {
        event.impulse.iter_mut().chain(&mut event.u_plus).for_each(|x| *x = -*x);
    }
    let twice = log.works.columns().map(|(_, x)| 2.0 * x);
    log.works -= nonsmooth::Works::from_columns(twice);
    log.notes.push(nonsmooth::Note { what: "a note without ground, against (H'5) [–]", value: 1.0 });
}

impl Integrator for Mistaken {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        self.inner.accepts(model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.inner.step(model, now, h, next, log)?;
        match self.mistake {
            Mistake::Velocity => change_by(SHARE, &now.v, &mut next.v),
            Mistake::Position => change_by(SHARE, &now.q, &mut next.q),
            Mistake::Excess => {
                change_by(EXCESS, &now.v, &mut next.v);
                change_by(EXCESS, &now.q, &mut next.q);
            }
            Mistake::Offset => {
                next.v.iter_mut().chain(&mut next.q).for_each(|x| *x += OFFSET);
            }
            Mistake::Sink => next.q.iter_mut().for_each(|x| *x -= OFFSET),
            Mistake::Still => {
                next.v.copy_from_slice(&now.v);
                next.q.copy_from_slice(&now.q);
            }
            Mistake::Crowd => {
                let n = log.constraints.ids.len() as f64;
                next.v.iter_mut().for_each(|v| *v += OFFSET * n);
            }
            Mistake::Log => misreport(h, log),
            Mistake::Sign => reverse(log),
        }
        if !matches!(self.mistake, Mistake::Log | Mistake::Sign) {
            model.gaps_of(next, &mut log.gaps)?;
        }
        Ok(())
    }

    fn synchronize(&mut self, model: &Model, state: &State, out: &mut State) -> StepResult {
        self.inner.synchronize(model, state, out)
    }

    fn is_staggered(&self) -> bool {
        self.inner.is_staggered()
    }

    fn last_problem(&self) -> Option<&Problem> {
        self.inner.last_problem()
    }

    fn reset(&mut self) {
        self.inner.reset();
    }
}
