//! The rows of the tidy tables that a state or a step gives.

use crate::tidy::{BodyRow, ContactRow, EventRow, JointRow};
use crate::views::is_contact;
use nonsmooth::model::RigidState;
use nonsmooth::model::constraints::joints::Reaction;
use nonsmooth::model::rigid::is_present;
use nonsmooth::{ConstraintLog, Event, Model, State, StepLog, StepResult};

/// The kind of all events so far.
pub(super) const IMPACT: &str = "impact";

/// Most free axes of a joint.
const AXES: usize = 3;

/// Bodies that are present.
pub(crate) fn n_present(model: &Model, state: &State) -> usize {
    (0..model.rigid.bodies.len()).filter(|&i| is_present(&state.presence, i)).count()
}

/// Which rigid things have a row of their own in each frame: bodies that are present, kinematic bodies that move.
fn shown<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = (usize, &'a str)> {
    let (bodies, kinematic) = (&model.rigid.bodies, &model.rigid.kinematic);
    let moving = bodies.iter().enumerate().filter(|(i, _)| is_present(&state.presence, *i));
    let driven = kinematic.iter().enumerate().filter(|(_, body)| body.motion.is_some());
    let moving = moving.map(|(i, body)| (i, body.name.as_str()));
    moving.chain(driven.map(|(k, body)| (bodies.len() + k, body.name.as_str())))
}

/// The rows of `bodies` of a state; `rigid` is scratch.
pub(crate) fn body_rows<'a>(
    model: &'a Model,
    state: &'a State,
    rigid: &'a mut Vec<RigidState>,
) -> StepResult<impl Iterator<Item = BodyRow<'a>>> {
    model.rigid_states(state.t, &state.q, &state.v, rigid)?;
    let rigid = &*rigid;
    Ok(shown(model, state).map(|(i, body)| {
        let RigidState { position, rotation: q, velocity, spin } = rigid[i];
        BodyRow {
            t: state.t,
            body,
            position: position.to_array(),
            rotation: [q.w, q.x, q.y, q.z],
            velocity: velocity.to_array(),
            angular_velocity: spin.to_array(),
        }
    }))
}

/// Names of the two bodies of a contact, or of the constraint and nothing.
fn names(model: &Model, id: nonsmooth::model::ConstraintId) -> Result<[&str; 2], &str> {
    if model.constraint_number(id).is_some() {
        return Err(model.family(id).member_name(id.number()));
    }
    Ok(id.colliders().map(|k| model.rigid.name(model.rigid.colliders[k as usize].on)))
}

/// The rows of `contacts` of a step of size `h` that led to time `t`.
pub(crate) fn contact_rows<'a>(
    model: &'a Model,
    log: &'a ConstraintLog,
    t: f64,
) -> impl Iterator<Item = ContactRow<'a>> {
    (0..log.len()).filter(move |&c| is_contact(model, log, c)).map(move |c| {
        let rows = log.rows(c);
        let mut impulse = [0.0; 3];
        impulse.iter_mut().zip(&log.impulse[rows.clone()]).for_each(|(to, p)| *to = *p);
        let [a, b] = names(model, log.ids[c]).unwrap_or_else(|name| [name, ""]);
        let place = log.places.get(c).filter(|place| place[0][0].is_finite()).copied();
        let (gap, u_n) = (log.gap[c], log.u_plus[rows.start]);
        ContactRow { t, a, b, place, gap, u_n, impulse, force: impulse.map(|p| p / log.length_of(c)) }
    })
}

/// The row of `events` of an event.
pub(crate) fn event_row<'a>(model: &'a Model, event: &Event) -> EventRow<'a> {
    let ([a, b], name) = match names(model, event.id) {
        Ok(bodies) => (bodies, ""),
        Err(name) => ([""; 2], name),
    };
    EventRow {
        t: event.t,
        kind: IMPACT,
        name,
        a,
        b,
        gap: event.gap,
        u_minus: event.u_minus[0],
        u_plus: event.u_plus[0],
        impulse: event.impulse[0],
        energy: event.work,
    }
}

/// A joint at an instant.
pub(crate) struct PosedJoint {
    number: usize,
    n_axes: usize,
    coordinates: [f64; AXES],
    rates: [f64; AXES],
    reaction: Reaction,
}

impl PosedJoint {
    /// Its row at time `t`.
    pub(crate) fn row<'a>(&'a self, model: &'a Model, t: f64) -> JointRow<'a> {
        JointRow {
            t,
            joint: &model.joints.joints[self.number].name,
            coordinates: &self.coordinates[..self.n_axes],
            rates: &self.rates[..self.n_axes],
            force: self.reaction.force,
            torque: self.reaction.torque,
        }
    }
}

/// The joints whose two sides are there, with the mean reactions of the step that led to the state, if there was one.
pub(crate) fn joints(
    model: &Model,
    state: &State,
    log: Option<&StepLog>,
) -> StepResult<Vec<PosedJoint>> {
    let of = |number: usize| log.map_or(Vec::new(), |log| forces(model, &log.constraints, number));
    model.at_state(state, |at| {
        let mut found = Vec::new();
        for (number, joint) in model.joints.joints.iter().enumerate() {
            if !joint.is_present(at) {
                continue;
            }
            let (mut n_axes, mut coordinates, mut rates) = (0, [0.0; AXES], [0.0; AXES]);
            joint.coordinates(at, |value, rate| {
                if n_axes < AXES {
                    (coordinates[n_axes], rates[n_axes]) = (value, rate);
                    n_axes += 1;
                }
            });
            let reaction = joint.reaction(at, &of(number));
            found.push(PosedJoint { number, n_axes, coordinates, rates, reaction });
        }
        Ok(found)
    })
}

/// The mean forces of the rows of a joint in a step; none if it was not active.
fn forces(model: &Model, log: &ConstraintLog, number: usize) -> Vec<f64> {
    let Some(family) = model.constraints.iter().position(|family| family.name() == "joints") else {
        return Vec::new();
    };
    let key = (family, number);
    match log.ids.binary_search_by_key(&key, |id| (id.family(), id.number())) {
        Ok(c) => log.impulse[log.rows(c)].iter().map(|p| p / log.length_of(c)).collect(),
        Err(_) => Vec::new(),
    }
}
