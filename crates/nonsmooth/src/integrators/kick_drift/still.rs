//! Rest: where no body of an island moves by more than the solver's tolerance, none does; where all rest, the step repeats itself.
//!
//! ```text
//! ‖v̂‖, ‖v⁺‖ ≤ ε h ‖g‖ before and after the step      ⇒      q⁺ = q,  v⁺ = 0
//! ```
//!
//! An island is what contacts and joints connect. What falls has h ‖g‖ after one step, so a body at the apex of its flight is not at rest;
//! without gravity only what does not move at all is. v = 0 is as good a solution of the kick as v⁺: both miss the balance of forces by ε of
//! the weights. From then on the last reactions are taken as they are while they solve the problem (`kick.rs`). Then everything that the
//! next step reads has the same bits, and so has what it would write: it is copied. Models whose forces know the time, moving obstacles and
//! bodies that come and go are never at rest.

use super::islands::{bodies_of, root};
use crate::log::{StepLog, Works};
use crate::model::rigid::BodyRow;
use crate::model::{Model, State};

/// ε is not looser than this: a slope that is too steep by less than ε would hold for ever.
const LOOSEST: f64 = 1e-8;

/// A step that repeats itself.
#[derive(Default)]
pub(super) struct Still {
    /// The state that it leaves.
    state: State,
    log: StepLog,
    is_known: bool,
    /// Whether all bodies rest after the step.
    is_whole: bool,
    /// Whether each body moves, or one of its island.
    moves: Vec<bool>,
    /// Another body of the island, or the body itself.
    parent: Vec<u32>,
}

impl Still {
    /// Whether a step of length `h` from this state is the one that is known.
    pub(super) fn repeats(&self, now: &State, h: f64) -> bool {
        self.is_known && now.step_size == h && self.is_at(now)
    }

    /// Whether a state is the one that the known step leaves, but for time.
    pub(super) fn is_at(&self, state: &State) -> bool {
        let known = &self.state;
        self.is_known
            && known.step_size == state.step_size
            && known.v == state.v
            && known.q == state.q
            && known.lag == state.lag
            && known.scheme == state.scheme
            && known.angles == state.angles
            && known.inputs == state.inputs
            && known.held == state.held
            && known.presence == state.presence
            && known.memory == state.memory
    }

    /// Makes the known step again.
    pub(super) fn repeat(&self, now: &State, h: f64, next: &mut State, log: &mut StepLog) {
        next.copy_from(&self.state);
        (next.t, next.step) = (now.t + h, now.step + 1);
        log.repeat(&self.log);
    }

    /// Lets islands that hardly move rest after a step that was made.
    pub(super) fn freeze(
        &mut self,
        model: &Model,
        (now, h, tolerance): (&State, f64, f64),
        next: &mut State,
        log: &StepLog,
    ) {
        (self.is_known, self.is_whole) = (false, false);
        let bodies = &model.rigid.bodies;
        let least = tolerance.min(LOOSEST) * h * model.rigid.gravity.length();
        let rests = |i: usize| {
            let lags = now.lag.get(i) == Some(&(0.5 * h)) && next.lag[i] == 0.5 * h;
            lags && rests(&bodies[i], &next.v, least) && rests(&bodies[i], &now.v, least)
        };
        self.moves.clear();
        self.moves.extend((0..bodies.len()).map(|i| !rests(i)));
        if !self.moves.contains(&false) || !knows_no_time(model, now) {
            return;
        }
        self.spread(model, next, log);
        for (body, _) in bodies.iter().zip(&self.moves).filter(|(_, moves)| !**moves) {
            let (q, v) = (body.q as usize, body.v as usize);
            let own = q..q + if body.planar { 3 } else { 7 };
            next.q[own.clone()].copy_from_slice(&now.q[own]);
            next.v[v..v + body.n_velocities()].fill(0.0);
        }
        self.is_whole = !self.moves.contains(&true);
    }

    /// Lets all of an island move where one does, or is struck.
    fn spread(&mut self, model: &Model, next: &State, log: &StepLog) {
        let Self { moves, parent, .. } = self;
        log.events.iter().flat_map(|event| bodies_of(model, event.id)).for_each(|i| moves[i] = true);
        parent.clear();
        parent.extend(0..moves.len() as u32);
        for &id in &next.memory.ids {
            let mut sides = bodies_of(model, id);
            let (Some(a), Some(b)) = (sides.next(), sides.next()) else { continue };
            let (a, b) = (root(parent, a as u32), root(parent, b as u32));
            parent[a.max(b) as usize] = a.min(b);
        }
        for i in 0..moves.len() {
            if moves[i] {
                moves[root(parent, i as u32) as usize] = true;
            }
        }
        for i in 0..moves.len() {
            moves[i] = moves[root(parent, i as u32) as usize];
        }
    }

    /// Keeps a step after which all rest, where it repeats itself.
    pub(super) fn keep(&mut self, now: &State, h: f64, next: &mut State, log: &mut StepLog) {
        if !self.is_whole || !log.events.is_empty() || !log.notes.is_empty() || log.missed {
            return;
        }
        next.angles.clone_from(&now.angles);
        next.scheme.fill(0.0);
        log.works = Works::default();
        log.energies.kinetic = 0.0;
        let is_solved = log.solves.iter().all(|report| report.iterations == 0);
        let is_same = now.v == next.v
            && now.scheme == next.scheme
            && now.step_size == h
            && now.memory.ids == next.memory.ids
            && now.memory.histories == next.memory.histories;
        if is_solved && is_same {
            next.memory.copy_from(&now.memory);
            self.state.copy_from(next);
            self.log.repeat(log);
            self.is_known = true;
        }
    }
}

/// Whether a body moves by no more than `least` [m/s], its farthest points included.
fn rests(body: &BodyRow, v: &[f64], least: f64) -> bool {
    let (velocity, omega) = body.twist(&v[body.v as usize..]);
    let turns = omega.length();
    // What has no extent shows by its turning alone.
    let has_extent = body.bounding_radius > 0.0 || turns == 0.0;
    has_extent && velocity.length() + body.bounding_radius * turns <= least
}

/// Whether what acts does not depend on time, but on the state alone.
fn knows_no_time(model: &Model, now: &State) -> bool {
    now.presence.is_empty()
        && model.is_separable()
        && !model.rigid.has_motion()
        && model.constraints.iter().all(|family| family.is_of_bodies())
}
