//! How far one drift may go.
//!
//! A contact is frozen as features of the two shapes: vertex, edge, face. They stand for the shapes while these turn little. So a drift ends
//! where a body that may meet another has turned by [`TURN`], and the next kick follows there, as at the end of a step: a step in pieces.
//!
//! ```text
//! length = rest / n,    n = ⌈rest · max ‖ω‖ / TURN⌉        over the bodies of active contacts that are no balls
//! ```
//!
//! A kick after which one of them turns faster, or whose contacts give energy, Σ p_N ½ (u⁻ + u⁺)⁺ > [`GAIN`] T, was too long as well: it is
//! made again, half as long, until the turn in it is [`LITTLE`].
//!
//! Without this a brick that an impact has set turning by 12 rad per step meets its neighbour with corners that are long elsewhere:
//! energy grew by a factor of 10³. Of 300 random shots 56 were wrong in this way or another. Pieces are made by islands: of a model with
//! several, those that need them are named here and go by themselves.

use super::drift::Drift;
use super::islands::Islands;
use super::kick::Kick;
use crate::error::StepResult;
use crate::model::{ActiveConstraints, Model};

/// Most turn in a drift [rad].
const TURN: f64 = 0.2;
/// A turn in which features are as good as the shapes [rad].
const LITTLE: f64 = 0.01;
/// Energy that contacts may give in a kick, relative to the kinetic energy.
const GAIN: f64 = 1e-6;
/// Most pieces of a step.
const MOST_PIECES: f64 = 4096.0;
/// Contacts of an island beyond which its step is not made in pieces: the price would be that of many steps of a heap.
const MOST_CONTACTS: usize = 256;

/// The longest drift from here, of what is left of the step [s].
pub(super) fn longest_drift(model: &Model, drift: &Drift, active: &ActiveConstraints) -> f64 {
    let here = drift.here();
    let spin = |i: usize| here.rigid[i].spin.length();
    if active.contacts().len() > MOST_CONTACTS {
        return drift.rest;
    }
    let fastest = fastest(model, active, TURN / drift.rest, here.rigid.len(), spin);
    let most = (MOST_PIECES * drift.rest / drift.h).max(1.0);
    drift.rest / (drift.rest * fastest / TURN).ceil().clamp(1.0, most)
}

/// The longest drift after a kick that was solved [s]: half of it where that was too long.
pub(super) fn longest_after(
    model: &Model,
    drift: &Drift,
    active: &ActiveConstraints,
    kick: &Kick,
) -> StepResult<f64> {
    let turn = drift.rest * fastest_after(model, active, kick, LITTLE / drift.rest);
    let is_crowded = active.contacts().len() > MOST_CONTACTS;
    if is_crowded || turn <= LITTLE || MOST_PIECES * drift.rest <= drift.h {
        return Ok(drift.rest);
    }
    let gain: f64 = active.contacts().map(|c| gain(active, kick, c)).sum();
    let is_long = turn > 2.0 * TURN || gain > GAIN * model.energies(&drift.here())?.kinetic;
    Ok(if is_long { 0.5 * drift.rest } else { drift.rest })
}

/// Whether a body turns so fast that a drift from here must be shorter.
pub(super) fn turns_fast(model: &Model, drift: &Drift, active: &ActiveConstraints) -> bool {
    let here = drift.here();
    let spin = |i: usize| here.rigid[i].spin.length();
    fastest(model, active, TURN / drift.rest, here.rigid.len(), spin) > 0.0
}

/// Whether a body turns enough after a kick that it may have been too long.
pub(super) fn turns_after(
    model: &Model,
    drift: &Drift,
    active: &ActiveConstraints,
    kick: &Kick,
) -> bool {
    fastest_after(model, active, kick, LITTLE / drift.rest) > 0.0
}

/// Islands whose drift must be shorter: from here, or after a kick that was solved.
pub(super) fn long_islands(
    model: &Model,
    drift: &Drift,
    active: &ActiveConstraints,
    kick: Option<&Kick>,
    islands: &Islands,
) -> Vec<bool> {
    let (rest, here, bodies) = (drift.rest, drift.here(), &model.rigid.bodies);
    let mut contacts = vec![(0, 0.0f64, 0.0); islands.n];
    for c in active.contacts() {
        let Some(island) = islands.of_constraint(model, active.ids[c]) else { continue };
        let spin = |i: usize| match kick {
            Some(kick) if i < bodies.len() => {
                bodies[i].twist(&kick.v[bodies[i].v as usize..]).1.length()
            }
            Some(_) => 0.0,
            None => here.rigid[i].spin.length(),
        };
        let (n, turn, given) = &mut contacts[island];
        let sides = active.ids[c].colliders().map(|k| model.rigid.colliders[k as usize].on.0 as usize);
        for i in sides.into_iter().filter(|&i| bodies.get(i).is_none_or(|body| !body.is_ball())) {
            *turn = turn.max(rest * spin(i));
        }
        *n += 1;
        *given += kick.map_or(0.0, |kick| gain(active, kick, c));
    }
    let mut kinetic = vec![0.0; islands.n];
    for (i, body) in bodies.iter().enumerate() {
        let Some(island) = islands.of_body(i) else { continue };
        let at = &here.rigid[i];
        let turning = at.spin.dot(body.world_inertia_times(at.rotation, at.spin));
        kinetic[island] += 0.5 * (body.mass * at.velocity.length_squared() + turning);
    }
    let is_long = |((n, turn, given), kinetic): ((usize, f64, f64), f64)| {
        let too_long = match kick {
            None => turn > TURN,
            Some(_) => turn > 2.0 * TURN || turn > LITTLE && given > GAIN * kinetic,
        };
        n <= MOST_CONTACTS && too_long
    };
    contacts.into_iter().zip(kinetic).map(is_long).collect()
}

/// The largest spin above `least` after a kick of a body that is no ball and may meet another [rad/s]; else 0.
fn fastest_after(model: &Model, active: &ActiveConstraints, kick: &Kick, least: f64) -> f64 {
    let bodies = &model.rigid.bodies;
    let spin = |i: usize| bodies[i].twist(&kick.v[bodies[i].v as usize..]).1.length();
    fastest(model, active, least, bodies.len(), spin)
}

/// The largest spin above `least` of a body that is no ball and may meet another, of the first `n` rigid things [rad/s]; else 0.
fn fastest(
    model: &Model,
    active: &ActiveConstraints,
    least: f64,
    n: usize,
    spin: impl Fn(usize) -> f64,
) -> f64 {
    let own = active.contacts();
    // The loop over contacts is made only where something turns fast at all.
    if own.is_empty() || !(0..n).any(|i| spin(i) > least) {
        return 0.0;
    }
    let table = &model.rigid;
    let on = |c: usize| active.ids[c].colliders().map(|k| table.colliders[k as usize].on.0 as usize);
    let is_ball = |i: usize| table.bodies.get(i).is_some_and(|body| body.is_ball());
    let spins = own.flat_map(on).filter(|&i| i < n && !is_ball(i)).map(spin);
    spins.filter(|spin| *spin > least).fold(0.0, f64::max)
}

/// What a contact of bodies gives in a kick: p_N ½ (u⁻ + u⁺), if it gives [J].
fn gain(active: &ActiveConstraints, kick: &Kick, c: usize) -> f64 {
    let row = active.rows(c).start;
    (0.5 * kick.p[row] * (active.u_minus[row] + kick.u[row])).max(0.0)
}
