//! What a run must tell even where every residual is small: a line when it happens, with the worst step, and silence otherwise.
//!
//! ```text
//! gain      Σ p·½(u⁻ + u⁺) > 0 at an impact: the law creates energy (Newton's law with friction) [Kane84]
//! spin      ‖ω‖ h > ½ of a body in contact: the contact point turns far within a step, or within the longest piece of it
//! travel    ‖v‖ h > thickness: a scheme that does not sweep may miss a thin wall
//! overlap   −y > 10⁻³ of the size of the pair
//! angle     ‖A q‖ > 0.1: a part of a linear system turns so far that it is no longer linear
//! ```

use crate::log::Event;
use crate::model::rigid::{RigidId, is_present};
use crate::model::{ConstraintId, Model};
use crate::simulation::Observation;

/// A gain below this share of what its impulses move is rounding.
const GAIN: f64 = 1e-6;
/// Least share of the normal approach in what the impulses of an impact move.
const STRUCK: f64 = 1e-2;
/// Turn per step of a body in contact that is told [rad]. The heavy top is 0.004 rad off at 0.4 and 0.015 rad at 0.8.
const SPIN: f64 = 0.5;
/// Overlap that is told, relative to the size of the pair.
const OVERLAP: f64 = 1e-3;

/// Angle of a part of a linear system that is told [rad]: its length is wrong by 1 − cos 0.1 = 0.5 % there.
const ANGLE: f64 = 0.1;

/// Something that happened in a step.
pub(super) struct Warning {
    /// Words and unit under which the summary adds it up.
    pub(super) what: &'static str,
    /// How much.
    pub(super) value: f64,
    /// What had it.
    pub(super) about: About,
}

/// What a warning is about.
#[derive(Clone, Copy)]
pub(super) enum About {
    /// A body.
    Body(usize),
    /// A constraint.
    Constraint(ConstraintId),
    /// A system that turns too far.
    TurnedSystem,
}

impl About {
    /// Names for the summary: the two bodies of a contact, the body, or the constraint.
    pub(super) fn names(self, step: &Observation<'_>) -> Vec<String> {
        let model = step.model;
        let name = |on: RigidId| model.rigid.name(on).to_owned();
        match self {
            About::Body(i) => vec![name(RigidId(i as u32))],
            About::Constraint(id) if is_contact(model, id) => {
                id.colliders().map(|k| name(model.rigid.colliders[k as usize].on)).to_vec()
            }
            About::Constraint(id) => vec![model.describe(id)],
            About::TurnedSystem => {
                largest_angle(step).map(|(_, name)| name.to_owned()).into_iter().collect()
            }
        }
    }
}

/// The worst of each kind in a step.
pub(super) fn warnings(step: &Observation<'_>) -> [Option<Warning>; 5] {
    [gain(step), spin(step), travel(step), overlap(step), angle(step)]
}

/// The impact that gains most. What one point of a body gains another may lose at the same instant: only together they are an impact.
fn gain(step: &Observation<'_>) -> Option<Warning> {
    let events = &step.log.events;
    let residual = step.log.solves.iter().map(|report| report.residual).fold(0.0, f64::max);
    let least = GAIN.max(10.0 * residual);
    let gains =
        |event: &&Event| is_impact(event) && event.work.min(event.whole) > least * size_of_work(event);
    let worst = events.iter().filter(gains).max_by(|a, b| a.work.total_cmp(&b.work))?;
    let value = worst.work.min(worst.whole);
    Some(Warning {
        what: "impacts in which the law gains energy [J]",
        value,
        about: About::Constraint(worst.id),
    })
}

/// Whether a contact that begins to carry was struck: what only comes to bear moves nothing along the normal.
fn is_impact(event: &Event) -> bool {
    -event.impulse[0] * event.u_minus[0] > STRUCK * size_of_work(event)
}

/// Σ |p| ½ (|u⁻| + |u⁺|) of an impact [J].
fn size_of_work(event: &Event) -> f64 {
    let terms =
        (0..6).map(|k| event.impulse[k] * 0.5 * (event.u_minus[k].abs() + event.u_plus[k].abs()));
    terms.map(f64::abs).sum()
}

/// ‖ω‖ h of a body in a step or in the longest piece of it [rad]; 0 where it is not present.
fn turn_of(step: &Observation<'_>, i: usize) -> f64 {
    let body = &step.model.rigid.bodies[i];
    let h = match step.log.longest_drift {
        0.0 => step.after.t - step.before.t,
        length => length,
    };
    let turn = body.twist(&step.after.v[body.v as usize..]).1.length() * h;
    if is_present(&step.after.presence, i) { turn } else { 0.0 }
}

/// Largest ‖ω‖ h of a body in space whose moments of inertia differ, or of one that a joint holds [rad].
pub(super) fn largest_turn(step: &Observation<'_>) -> f64 {
    let Model { rigid, joints, .. } = step.model;
    let gyroscopic = |i: &usize| !rigid.bodies[*i].planar && !rigid.bodies[*i].is_round;
    let joined = joints.joints.iter().flat_map(|joint| joint.between.map(|id| id.0 as usize));
    let turns =
        (0..rigid.bodies.len()).filter(gyroscopic).chain(joined.filter(|i| *i < rigid.bodies.len()));
    turns.fold(0.0, |most: f64, i| most.max(turn_of(step, i)))
}

/// The body in contact that turns farthest.
fn spin(step: &Observation<'_>) -> Option<Warning> {
    let table = &step.model.rigid;
    let turn = |i: usize| turn_of(step, i);
    let is_fast = |i: &usize| turn(*i) > SPIN;
    // The loop over contacts is made only where a body turns fast at all.
    if !(0..table.bodies.len()).any(|i| is_fast(&i)) {
        return None;
    }
    let log = &step.log.constraints;
    let carries =
        |c: &usize| is_contact(step.model, log.ids[*c]) && log.impulse[log.rows(*c).start] > 0.0;
    let on = |c: usize| log.ids[c].colliders().map(|k| table.colliders[k as usize].on.0 as usize);
    let fast = (0..log.len()).filter(carries).flat_map(on);
    let worst = fast
        .filter(|i| *i < table.bodies.len() && is_fast(i))
        .max_by(|a, b| turn(*a).total_cmp(&turn(*b)))?;
    Some(Warning {
        what: "steps in which a body in contact turns more than 0.5 rad [rad]",
        value: turn(worst),
        about: About::Body(worst),
    })
}

/// The body that moves most, compared with its thickness.
fn travel(step: &Observation<'_>) -> Option<Warning> {
    let table = &step.model.rigid;
    let h = step.after.t - step.before.t;
    let way = |i: usize| {
        let body = &table.bodies[i];
        let speed = body.twist(&step.after.v[body.v as usize..]).0.length();
        if is_present(&step.after.presence, i) && body.thickness > 0.0 {
            h * speed / body.thickness
        } else {
            0.0
        }
    };
    let worst = (0..table.bodies.len()).max_by(|a, b| way(*a).total_cmp(&way(*b)))?;
    (way(worst) > 1.0).then(|| Warning {
        what: "steps in which a body moves more than its thickness [of it]",
        value: way(worst),
        about: About::Body(worst),
    })
}

/// The deepest overlap of two bodies, compared with their size.
fn overlap(step: &Observation<'_>) -> Option<Warning> {
    let (log, model) = (&step.log.constraints, step.model);
    let depth = |c: usize| -log.gap[c] / model.size_of(log.ids[c]);
    let deep = (0..log.len()).filter(|c| log.gap[*c] < 0.0 && is_contact(model, log.ids[*c]));
    let worst = deep.max_by(|a, b| depth(*a).total_cmp(&depth(*b)))?;
    (depth(worst) > OVERLAP).then(|| Warning {
        what: "steps in which bodies overlap by more than 1e-3 of their size [of it]",
        value: depth(worst),
        about: About::Constraint(log.ids[worst]),
    })
}

/// The largest angle of a part of a linear system at the end of the step, and the system.
fn largest_angle<'m>(step: &Observation<'m>) -> Option<(f64, &'m str)> {
    let angles = step.model.systems.iter().filter_map(|family| family.largest_angle(&step.after.q));
    angles.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The part of a linear system that turns farthest.
fn angle(step: &Observation<'_>) -> Option<Warning> {
    let (value, _) = largest_angle(step)?;
    (value > ANGLE).then_some(Warning {
        what: "steps in which a part turns more than 0.1 rad, too far for a linear system [rad]",
        value,
        about: About::TurnedSystem,
    })
}

/// Whether a constraint is a contact point of two bodies: these have no names of their own.
fn is_contact(model: &Model, id: ConstraintId) -> bool {
    model.constraint_number(id).is_none()
}
