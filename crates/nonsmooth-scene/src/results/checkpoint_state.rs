//! The state in a checkpoint: every field of it, and the checks when it is read back.

use nonsmooth::model::{ConstraintId, ConstraintMemory, Model, Presence, State};

/// Tables of floats, in the order of `lists`.
pub(super) const FLOATS: [&str; 11] =
    ["t", "q", "v", "lag", "scheme", "angles", "inputs", "held", "forces", "slips", "histories"];
/// Tables of integers, in the order of `integers`.
pub(super) const INTEGERS: [&str; 5] = ["step", "ids", "force_start", "history_start", "presence"];

/// The numbers of a state, in the order of [`FLOATS`].
pub(super) fn floats(state: &State) -> [Vec<f64>; FLOATS.len()] {
    let State { t, step: _, step_size, q, v, lag, scheme, memory, presence: _, angles, inputs, held } =
        state;
    let ConstraintMemory { ids: _, force_start: _, forces, slips, history_start: _, histories } = memory;
    [
        vec![*t, *step_size],
        q.clone(),
        v.clone(),
        lag.clone(),
        scheme.clone(),
        angles.clone(),
        inputs.clone(),
        held.clone(),
        forces.clone(),
        slips.as_flattened().to_vec(),
        histories.clone(),
    ]
}

/// The integers of a state, in the order of [`INTEGERS`].
pub(super) fn integers(state: &State) -> [Vec<i64>; INTEGERS.len()] {
    let starts = |list: &[u32]| list.iter().map(|start| i64::from(*start)).collect();
    let memory = &state.memory;
    [
        vec![state.step as i64],
        memory.ids.iter().flat_map(|id| id.bits().map(|bits| bits as i64)).collect(),
        starts(&memory.force_start),
        starts(&memory.history_start),
        state.presence.iter().map(|presence| *presence as i64).collect(),
    ]
}

/// A state from its numbers, for a model whose run began at `initial`; or which part does not fit.
pub(super) fn state(
    model: &Model,
    initial: &State,
    floats: [Vec<f64>; FLOATS.len()],
    integers: [Vec<i64>; INTEGERS.len()],
) -> Result<State, &'static str> {
    let [time, q, v, lag, scheme, angles, inputs, held, forces, slips, histories] = floats;
    let [step, ids, force_start, history_start, presence] = integers;
    let (&[t, step_size], &[step]) = (&time[..], &step[..]) else { return Err("time") };
    let starts = |list: &[i64]| list.iter().map(|n| u32::try_from(*n).ok()).collect::<Option<Vec<_>>>();
    let (ids, []) = ids.as_chunks::<2>() else { return Err("names of constraints") };
    let (slips, []) = slips.as_chunks::<3>() else { return Err("slips") };
    let memory = ConstraintMemory {
        ids: ids.iter().map(|bits| ConstraintId::from_bits(bits.map(|n| n as u64))).collect(),
        force_start: starts(&force_start).ok_or("places of forces")?,
        forces,
        slips: slips.to_vec(),
        history_start: starts(&history_start).ok_or("places of histories")?,
        histories,
    };
    let presence = presences(&presence).ok_or("presence")?;
    let step = u64::try_from(step).map_err(|_| "step")?;
    let state = State { t, step, step_size, q, v, lag, scheme, memory, presence, angles, inputs, held };
    check(model, initial, &state)?;
    check_memory(model, &state.memory)?;
    Ok(state)
}

fn presences(numbers: &[i64]) -> Option<Vec<Presence>> {
    let all = [Presence::Pending, Presence::Present, Presence::Removed];
    numbers.iter().map(|n| all.get(usize::try_from(*n).ok()?).copied()).collect()
}

/// Whether all lists have the sizes that the model asks for.
fn check(model: &Model, initial: &State, state: &State) -> Result<(), &'static str> {
    let is_none_or = |list: &[f64], n: usize| list.is_empty() || list.len() == n;
    let sizes = [
        (state.q.len() == model.n_coordinates(), "coordinates"),
        (state.v.len() == model.n_velocities(), "velocities"),
        (is_none_or(&state.lag, model.n_members()), "lag"),
        (state.angles.len() == initial.angles.len(), "angles of joints"),
        (state.inputs.len() == initial.inputs.len(), "inputs"),
        (state.held.len() == initial.held.len(), "held values"),
        (state.presence.len() == initial.presence.len(), "presence"),
    ];
    sizes.into_iter().find(|(fits, _)| !fits).map_or(Ok(()), |(_, what)| Err(what))
}

/// Whether the memory is of constraints that the model has, in their order, and its lists fit together.
fn check_memory(model: &Model, memory: &ConstraintMemory) -> Result<(), &'static str> {
    let n = memory.ids.len();
    let is_sorted = memory.ids.is_sorted_by(|a, b| a < b);
    if !is_sorted || !memory.ids.iter().all(|id| is_known(model, *id)) {
        return Err("names of constraints");
    }
    if !covers(&memory.force_start, n, memory.forces.len(), n == 0) {
        return Err("forces");
    }
    if !covers(&memory.history_start, n, memory.histories.len(), memory.histories.is_empty()) {
        return Err("histories");
    }
    if memory.slips.is_empty() || memory.slips.len() == n { Ok(()) } else { Err("slips") }
}

/// Whether the model has such a constraint.
fn is_known(model: &Model, id: ConstraintId) -> bool {
    if id.family() >= model.constraints.len() {
        return false;
    }
    let family = model.family(id);
    if family.n_members() > 0 {
        return id.number() < family.n_members();
    }
    id.colliders().iter().all(|k| (*k as usize) < model.rigid.colliders.len())
}

/// Whether these are the places of `n` lists, one after the other, of `length` numbers together; none at all where that may be.
fn covers(starts: &[u32], n: usize, length: usize, may_be_empty: bool) -> bool {
    if starts.is_empty() {
        return may_be_empty && length == 0;
    }
    let ends = [starts.first(), starts.last()].map(|end| end.map(|end| *end as usize));
    starts.len() == n + 1 && starts.is_sorted() && ends == [Some(0), Some(length)]
}
