//! Bodies that overlap at the start, and bodies that would appear inside of others.
//!
//! When a body appears every other one is where the motion has brought it; before the run only what is fixed, and those
//! that appear at the same time, are known. Moreau's schemes do not push overlaps apart, so that a body that appears inside of
//! another would stay there: it is refused.

use super::broad::{Search, Situation, bounds_of};
use super::narrow::{Narrow, Point};
use crate::error::StepResult;
use crate::model::rigid::{BodyIssue, ColliderRow, Overlap, Presence, RigidId, RigidState, RigidTable};
use crate::model::{Model, State};
use glam::DVec3;
use nonsmooth_geometry::broad::{Bounds, BroadPhase};
use std::collections::BTreeMap;

/// Overlap that may be rounding, of the size of the smaller collider.
const ROUNDING: f64 = 1e-9;
/// Overlaps named one by one.
const NAMED: usize = 10;
/// Overlap of a body that appears that is refused, in parts of the radius of a ball about its origin that holds the smaller
/// collider. Less is what bodies in contact have anyway after steps in which they move by less than that.
const DEEP: f64 = 0.01;

/// An overlap of two colliders, if it is deep [m].
fn deep(depth: f64, [a, b]: [&ColliderRow; 2]) -> Option<f64> {
    (depth > DEEP * a.bounding_radius.min(b.bounding_radius)).then_some(depth)
}

impl RigidTable {
    fn overlap(&self, [first, second]: [RigidId; 2], depth: f64, t: Option<f64>) -> Overlap {
        let [first, second] = [first, second].map(|id| self.name(id).to_owned());
        Overlap { first, second, depth, t }
    }

    fn rows_of(&self, point: &Point) -> [&ColliderRow; 2] {
        point.colliders.map(|k| &self.colliders[k as usize])
    }
}

/// Bodies that overlap in `state` by more than rounding, and those that will when they appear.
pub fn overlaps_at_start(model: &Model, state: &State) -> StepResult<Option<BodyIssue>> {
    let table = &model.rigid;
    let mut rigid = Vec::new();
    model.rigid_states(state.t, &state.q, &state.v, &mut rigid)?;
    let is_absent = |i: usize| state.presence.get(i).is_some_and(|p| *p != Presence::Present);
    let margins: Vec<f64> =
        (0..rigid.len()).map(|i| if is_absent(i) { f64::NAN } else { 0.0 }).collect();
    let at = Situation { table, rigid: &rigid, margins: &margins };
    let mut found: Vec<([RigidId; 2], f64)> = Vec::new();
    let see = |point: &Point| {
        let [a, b] = table.rows_of(point);
        let deep = point.distance < -ROUNDING * a.bounding_radius.min(b.bounding_radius);
        deep.then_some(([a.on, b.on], -point.distance))
    };
    let mut search = Search::default();
    search.pair(&at);
    search.meet(
        &at,
        |_| 0.0,
        see,
        |(pair, depth)| match found.last_mut().filter(|last| last.0 == pair) {
            Some(last) => last.1 = last.1.max(depth),
            None => found.push((pair, depth)),
        },
    );
    let foreseen = foreseen(table, state, &rigid);
    let count = found.len() + foreseen.len();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let named = found.iter().take(NAMED).map(|&(pair, depth)| table.overlap(pair, depth, None));
    let overlaps: Vec<Overlap> = named.chain(foreseen).take(NAMED).collect();
    Ok((count > 0).then_some(BodyIssue::Overlap { overlaps, count }))
}

/// The deepest overlap of a body that is in `after` and was pending in `before`; the newcomer is the second of the two.
pub fn appears_inside(model: &Model, before: &State, after: &State) -> StepResult<Option<Overlap>> {
    let table = &model.rigid;
    let n = table.bodies.len();
    let is_new = |i: usize| {
        i < n && before.presence[i] == Presence::Pending && after.presence[i] == Presence::Present
    };
    let mut rigid = Vec::new();
    model.rigid_states(after.t, &after.q, &after.v, &mut rigid)?;
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for i in (0..n).filter(|&i| is_new(i)) {
        low = low.min(rigid[i].position - table.bodies[i].bounding_radius);
        high = high.max(rigid[i].position + table.bodies[i].bounding_radius);
    }
    if !low.cmple(high).all() {
        return Ok(None);
    }
    // Only who comes near the newcomers is looked at.
    let margin = |(i, at): (usize, &RigidState)| {
        let there = i >= n || after.presence[i] == Presence::Present;
        let away = at.position - at.position.clamp(low, high);
        if there && away.length() < table.bounding_radius(RigidId(i as u32)) { 0.0 } else { f64::NAN }
    };
    let margins: Vec<f64> = rigid.iter().enumerate().map(margin).collect();
    let at = Situation { table, rigid: &rigid, margins: &margins };
    let see = |point: &Point| {
        let rows = table.rows_of(point);
        let [a, b] = rows.map(|row| row.on);
        let pair = if is_new(b.0 as usize) { [a, b] } else { [b, a] };
        let depth = is_new(pair[1].0 as usize).then(|| deep(-point.distance, rows)).flatten()?;
        Some((pair, depth))
    };
    let (mut search, mut deepest) = (Search::default(), None::<([RigidId; 2], f64)>);
    search.pair(&at);
    search.meet(
        &at,
        |_| 0.0,
        see,
        |found| {
            if deepest.is_none_or(|known| known.1 < found.1) {
                deepest = Some(found);
            }
        },
    );
    Ok(deepest.map(|(pair, depth)| table.overlap(pair, depth, Some(after.t))))
}

/// What is known before the run of bodies that are still to come: overlaps with kinematic bodies that do not move, and with
/// others of the same time, pair by pair.
fn foreseen(table: &RigidTable, state: &State, rigid: &[RigidState]) -> Vec<Overlap> {
    let appears = |row: &ColliderRow| table.bodies[row.on.0 as usize].appears_at;
    let is_coming =
        |row: &&ColliderRow| state.presence.get(row.on.0 as usize) == Some(&Presence::Pending);
    let mut coming: Vec<&ColliderRow> = table.colliders.iter().filter(is_coming).collect();
    coming.sort_by(|a, b| appears(a).total_cmp(&appears(b)));
    let is_fixed = |row: &&ColliderRow| {
        table.kinematic_number(row.on).is_some_and(|k| table.kinematic[k].motion.is_none())
    };
    let fixed: Vec<&ColliderRow> = table.colliders.iter().filter(is_fixed).collect();
    let mut found = Vec::new();
    for group in coming.chunk_by(|a, b| appears(a) == appears(b)) {
        let there: Vec<&ColliderRow> = group.iter().chain(&fixed).copied().collect();
        for ((other, newcomer), depth) in overlaps(table, &there, group.len(), rigid) {
            found.push(table.overlap([other, newcomer], depth, Some(appears(group[0]))));
        }
    }
    found
}

/// The deepest overlap of every two bodies of which the second carries one of the first `n_new` colliders.
fn overlaps(
    table: &RigidTable,
    there: &[&ColliderRow],
    n_new: usize,
    rigid: &[RigidState],
) -> BTreeMap<(RigidId, RigidId), f64> {
    let state = |row: &ColliderRow| &rigid[row.on.0 as usize];
    let bounds: Vec<Bounds> =
        there.iter().map(|row| bounds_of(&row.collider.posed, state(row))).collect();
    let may_meet =
        |a: u32, b: u32| (a as usize) < n_new && table.may_meet([there[a as usize], there[b as usize]]);
    let (mut pairs, mut narrow, mut found) = (Vec::new(), Narrow::default(), BTreeMap::new());
    BroadPhase::default().pairs(&bounds, &vec![0.0; there.len()], may_meet, &mut pairs);
    for pair in pairs {
        let rows = [pair.0, pair.1].map(|k| there[k as usize]);
        let points = narrow.meet(pair, rows, rows.map(state), 0.0);
        let least = points.iter().fold(0.0, |least: f64, point| least.min(point.distance));
        if let Some(depth) = deep(-least, rows) {
            let deepest = found.entry((rows[1].on, rows[0].on)).or_insert(depth);
            *deepest = depth.max(*deepest);
        }
    }
    found
}
