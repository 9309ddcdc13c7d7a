//! Forces that depend on velocities act with a velocity between those before and after the kick:
//!
//! ```text
//! v(w) = v̂ + κ M⁻¹ (f(q, w) + Jᵀ λ),     w = v̂ + s (v(w) − v̂)
//! ```
//!
//! In a kick s = ½, the midpoint rule. It is of second order. Drag takes energy however stiff it is, and a force across the velocity does no work.
//! In the half kick to the velocity at q s = 1, so that two halves, one backward and one forward, are that kick.
//! With the velocity before the kick, drag c would throw a mass m back and forth faster and faster where c κ > 2 m.
//!
//! r(w) = v̂ + s (v(w) − v̂) − w vanishes by secants, one for each velocity: a drag acts along its own velocity, and a damper between two bodies
//! moves both along one line. Where r has changed its sign they are those of regula falsi (Illinois). λ are the last reactions.

use super::drift::Drift;
use super::kick::Kick;
use crate::error::StepResult;
use crate::log::{FAST_FORCES, StepLog};
use crate::model::instant::Place;
use crate::model::{ActiveConstraints, Free, Model};
use crate::part::Part;
use crate::phases::Mass;

/// Most evaluations of the forces for one kick.
const MOST: usize = 60;
/// r is small where it is less than this share of s (v − v̂). The forces are then as exact as those of a step a thousandth as long.
const SMALL: f64 = 1e-7;
/// A change of velocity is nothing where it is less than this share of the largest velocity of the member.
const NOTHING: f64 = 1e-3;
/// Slope of r with w where forces push with the velocity: none is taken for flatter than this.
const FLATTEST: f64 = -0.5;

/// Forces that change by more than this times what changes them are faster than the step: drag c on a mass m with c κ = 2 m.
const FAST: f64 = 1.0;

/// A kick of forces: its length κ, how far ahead springs look, and s.
#[derive(Clone, Copy)]
pub(super) struct Between {
    pub(super) length: f64,
    pub(super) ahead: f64,
    pub(super) share: f64,
}

impl Kick {
    /// Lets forces that depend on velocities act with the mean velocity of the kick, and predicts again.
    pub(super) fn act_between(
        &mut self,
        model: &Model,
        (part, ahead): (&Part<'_>, f64),
        (active, mass): (&ActiveConstraints, &Mass),
        free: &mut Free,
        drift: &mut Drift,
        log: &mut StepLog,
    ) -> StepResult {
        let reaction: Vec<f64> = self.v.iter().zip(&free.v).map(|(v, v_free)| v - v_free).collect();
        let between = Between { length: self.length, ahead, share: 0.5 };
        let speed = act_between(model, part, drift, between, (mass, &reaction), free)?;
        if speed > 0.0 {
            log.note(FAST_FORCES, speed);
        }
        self.predict(model, active, mass, free, drift)
    }
}

/// Lets forces act with w. `free` holds the kick with the velocities of here on entry and that with w on return; `reaction` is κ M⁻¹ Jᵀ λ.
/// Returns how much faster than the kick the forces are, 0 where they are slower: c κ/m of a drag c. Where no w was found they jump.
pub(super) fn act_between(
    model: &Model,
    part: &Part<'_>,
    drift: &Drift,
    between: Between,
    (mass, reaction): (&Mass, &[f64]),
    free: &mut Free,
) -> StepResult<f64> {
    let Between { length, ahead, share } = between;
    let here = drift.here();
    let target = |free: &Free, i: usize| here.v[i] + share * (free.v[i] + reaction[i] - here.v[i]);
    let mut roots: Vec<Root> = (0..here.v.len())
        .map(|i| {
            let r = target(free, i) - here.v[i];
            Root { w: here.v[i], r, before: (f64::NAN, f64::NAN) }
        })
        .collect();
    let mut seen = Place::default();
    for _ in 0..MOST {
        seen.v.clear();
        seen.v.extend(roots.iter().map(Root::next));
        drift.see_with(model, &mut seen)?;
        let at = seen.instant(here.presence);
        model.kick(part, (&here, &at), (length, ahead), mass.groups(), free)?;
        for (i, root) in roots.iter_mut().enumerate() {
            root.take(seen.v[i], target(free, i) - seen.v[i]);
        }
        if let Some(steepest) = found(model, here.v, &roots) {
            return Ok(if steepest > FAST { steepest / share } else { 0.0 });
        }
    }
    Ok(f64::MAX)
}

/// Whether w is found, and then the largest change of a force of a member relative to the change of its velocities. A force across the velocity
/// may be steep along one of them that hardly changes, so that the largest of the member counts.
fn found(model: &Model, v: &[f64], roots: &[Root]) -> Option<f64> {
    let (mut fastest, mut moved) = (vec![0.0f64; model.n_members()], vec![0.0f64; model.n_members()]);
    for (i, root) in roots.iter().enumerate() {
        let member = model.member_of(i);
        fastest[member] = fastest[member].max(v[i].abs()).max(root.w.abs());
        moved[member] = moved[member].max((root.w - root.before.0).abs());
    }
    let mut steepest = 0.0f64;
    for (i, root) in roots.iter().enumerate() {
        let member = model.member_of(i);
        let (change, nothing) = ((root.w + root.r - v[i]).abs(), NOTHING * fastest[member]);
        if root.r.abs() > SMALL * (change + nothing) {
            return None;
        }
        if change > nothing && moved[member] > 0.0 {
            let opposes = -(1.0 + root.slope()) * (root.w - root.before.0).abs();
            steepest = steepest.max(opposes / moved[member]);
        }
    }
    Some(steepest)
}

/// The search for one velocity.
struct Root {
    /// Where it stands.
    w: f64,
    /// r there.
    r: f64,
    /// w and r of the point before, or of the other end of the interval where r changes its sign.
    before: (f64, f64),
}

impl Root {
    /// Slope of r. Where none is known r = F(w) − w is taken for that of a force that does not depend on w.
    fn slope(&self) -> f64 {
        let slope = (self.r - self.before.1) / (self.w - self.before.0);
        if slope.is_finite() { slope } else { -1.0 }
    }

    /// Where the secant vanishes.
    fn next(&self) -> f64 {
        self.w - self.r / self.slope().min(FLATTEST)
    }

    /// Goes to `w`, where the residual is `r`.
    fn take(&mut self, w: f64, r: f64) {
        if r * self.r > 0.0 && r * self.before.1 < 0.0 {
            self.before.1 *= 0.5;
        } else {
            self.before = (self.w, self.r);
        }
        (self.w, self.r) = (w, r);
    }
}
