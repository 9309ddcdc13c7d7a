//! Bonds: everything with a law of cohesion that is closed at the start is glued.

use crate::model::collision::{Point, Search, Situation, frame_of};
use crate::model::constraints::{Bonds, FunctionGap, Gap, GluedPoint, Side};
use crate::model::issue::{Issue, Place};
use crate::model::rigid::{BodyIssue, ColliderRow, Presence, RigidState};
use crate::model::{ConstraintId, Contents, LawId, RigidId, State};
use glam::DVec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A gap that is closed by up to this, relative to the size of its terms, is glued: the rest is rounding.
const CLOSED: f64 = 1e-9;

/// A gap whose law has a bond.
pub(super) struct Gluable {
    /// Its number in the order of registration.
    pub(super) number: usize,
    pub(super) id: ConstraintId,
    pub(super) name: String,
    pub(super) law: LawId,
    pub(super) columns: Vec<u32>,
    pub(super) function: Arc<dyn Gap>,
}

/// Appends the family of bonds, where something is glued.
pub(super) fn append_bonds(
    gaps: Vec<Gluable>,
    contents: &mut Contents,
    state: &State,
    issues: &mut Vec<(Place, Issue)>,
) {
    let mut bonds = Bonds::default();
    let mut laws: BTreeMap<u32, LawId> = BTreeMap::new();
    let mut links = Vec::new();
    let mut append = |glued: (ConstraintId, String, LawId, Vec<u32>, Arc<dyn Gap>),
                      between: [RigidId; 2],
                      contents: &mut Contents| {
        let (id, name, law, columns, function) = glued;
        let own = *laws.entry(law.0).or_insert_with(|| {
            let (of, law) = &contents.laws[law.0 as usize];
            let (of, law) = (of.clone(), law.bond().expect("only laws with a bond are asked"));
            contents.laws.push((format!("bond of {of}"), law));
            LawId(contents.laws.len() as u32 - 1)
        });
        bonds.append(FunctionGap::new(name, (own, true), columns, function, contents), between);
        links.push(id);
    };
    let world = contents.rigid.world();
    for Gluable { number, id, name, law, columns, function } in gaps {
        match is_closed(&*function, &columns, state) {
            Ok(true) => append((id, name, law, columns, function), [world; 2], contents),
            Ok(false) => {}
            Err(issue) => issues.push((Place::Constraint(number, "gap"), issue)),
        }
    }
    for (id, [a, b], glued) in glued_points(contents, state) {
        let table = &contents.rigid;
        let moves = |id: &RigidId| {
            table.kinematic_number(*id).is_some_and(|k| table.kinematic[k].motion.is_some())
        };
        if let Some(id) = [a, b].iter().find(|id| moves(id)) {
            let issue = BodyIssue::Glued(table.name(*id).to_owned());
            issues.push((Place::Materials, issue.into()));
            continue;
        }
        let [name_a, name_b] = [a, b].map(|id| contents.rigid.name(id).to_owned());
        let columns = [a, b].iter().flat_map(|id| coordinates(contents, *id)).collect();
        let row = id.colliders().map(|k| &contents.rigid.colliders[k as usize].collider.material);
        let law = contents.rigid.pair_law(*row[0], *row[1]).expect("they meet by a law");
        let name = format!("`{name_a}` and `{name_b}`");
        append((id, name, law, columns, Arc::new(glued)), [a, b], contents);
    }
    if !links.is_empty() {
        let family = contents.constraints.len() as u8;
        let own = |(k, id): (usize, ConstraintId)| (id, ConstraintId::member(family, k));
        contents.bonds = links.into_iter().enumerate().map(own).collect();
        contents.bonds.sort_unstable();
        contents.constraints.push(Box::new(bonds.at(family)));
    }
}

/// Whether a gap is closed at the start.
fn is_closed(function: &dyn Gap, columns: &[u32], state: &State) -> Result<bool, Issue> {
    let q: Vec<f64> = columns.iter().map(|&j| state.q[j as usize]).collect();
    let mut slope = vec![0.0; q.len()];
    let user = |error: crate::model::UserError| Issue::User(error.to_string());
    function.jacobian(state.t, &q, &mut slope).map_err(user)?;
    let size: f64 = slope.iter().zip(&q).map(|(s, q)| (s * q).abs()).sum();
    Ok(function.gap(state.t, &q).map_err(user)? <= CLOSED * (1.0 + size))
}

/// The coordinates of a rigid thing.
fn coordinates(contents: &Contents, id: RigidId) -> std::ops::Range<u32> {
    match contents.rigid.bodies.get(id.0 as usize) {
        Some(body) => body.q..body.q + if body.planar { 3 } else { 7 },
        None => 0..0,
    }
}

/// The contact points that are closed at the start and whose law has a bond, with their rigid things.
fn glued_points(contents: &Contents, state: &State) -> Vec<(ConstraintId, [RigidId; 2], GluedPoint)> {
    let table = &contents.rigid;
    let Some(family) = contents.constraints.iter().position(|family| family.name() == "contacts") else {
        return Vec::new();
    };
    let has_bond = |law: LawId| contents.laws[law.0 as usize].1.bond().is_some();
    if !table.pair_laws.iter().flatten().any(|law| has_bond(*law)) {
        return Vec::new();
    }
    let mut rigid = vec![RigidState::default(); table.world().0 as usize + 1];
    contents.systems.iter().for_each(|systems| systems.rigid_states(&state.q, &state.v, &mut rigid));
    for (k, body) in table.kinematic.iter().enumerate() {
        // Where its motion is wrong, `build` says so; such a body is not glued.
        rigid[table.bodies.len() + k] = body.state(state.t).unwrap_or(body.at);
    }
    let is_absent = |i: usize| state.presence.get(i).is_some_and(|p| *p != Presence::Present);
    let margin = |i: usize| {
        let size =
            table.bodies.get(i).map_or(0.0, |body| table.activation_distance * body.bounding_radius);
        if is_absent(i) { f64::NAN } else { size }
    };
    let margins: Vec<f64> = (0..rigid.len()).map(margin).collect();
    let at = Situation { table, rigid: &rigid, margins: &margins };
    let reach = |rows: [&ColliderRow; 2]| table.activation_of(rows.map(|row| row.on));
    let see = |point: &Point| {
        let rows = point.colliders.map(|k| &table.colliders[k as usize]);
        let law = table.pair_law(rows[0].collider.material, rows[1].collider.material)?;
        (has_bond(law) && point.distance <= reach(rows)).then_some((*point, rows[0].is_planar()))
    };
    let (mut search, mut out) = (Search::default(), Vec::new());
    search.pair(&at);
    search.meet(&at, reach, see, |(point, planar)| {
        let id = ConstraintId::contact(family as u8, point.colliders, point.features);
        let pair = point.colliders.map(|k| table.colliders[k as usize].on);
        out.push((id, pair, glue(contents, &rigid, pair, &point, planar)));
    });
    out
}

/// The bond at a contact point.
fn glue(
    contents: &Contents,
    rigid: &[RigidState],
    pair: [RigidId; 2],
    point: &Point,
    planar: bool,
) -> GluedPoint {
    let mut first = 0;
    let sides = pair.map(|id| {
        let at = &rigid[id.0 as usize];
        let arm = at.rotation.inverse() * (point.point - at.position);
        let begin = first;
        match contents.rigid.bodies.get(id.0 as usize) {
            Some(body) if body.planar => {
                first += 3;
                Side::Plane(begin, arm)
            }
            Some(_) => {
                first += 7;
                Side::Space(begin, arm)
            }
            None => Side::Fixed(point.point),
        }
    });
    let carrier = usize::from(matches!(sides[1], Side::Fixed(_)));
    let frame = frame_of(planar, point.normal.to_array()).map(DVec3::from_array);
    let back = match sides[carrier] {
        Side::Fixed(_) => glam::DQuat::IDENTITY,
        _ => rigid[pair[carrier].0 as usize].rotation.inverse(),
    };
    let axes = frame[..if planar { 2 } else { 3 }].iter().map(|axis| back * *axis).collect();
    GluedPoint { sides, carrier, axes }
}
