//! Mistakes on purpose: a scheme whose every step is wrong in one way, so that a judged line can be shown able to fail.
//!
//! ```text
//! velocity   v⁺ ← v + 0.9 (v⁺ − v)          position   q⁺ ← q + 0.9 (q⁺ − q)
//! excess     v⁺ ← v + 1.5 (v⁺ − v), q⁺ ← q + 1.5 (q⁺ − q)
//! offset     v⁺ ← v⁺ + 0.01, q⁺ ← q⁺ + 0.01       sink       q⁺ ← q⁺ − 0.01       still      v⁺ ← v, q⁺ ← q
//! log        impulses, velocities of constraints, gaps, works and energies × 0.9; events 0.1 h early; evaluations × 10⁴
//! ```

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
    /// What the step says of itself.
    Log,
}

impl Mistake {
    pub(super) const ALL: [Self; 7] = [
        Mistake::Velocity,
        Mistake::Position,
        Mistake::Excess,
        Mistake::Offset,
        Mistake::Sink,
        Mistake::Still,
        Mistake::Log,
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
            Mistake::Log => "log",
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
            Mistake::Log => misreport(h, log),
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
