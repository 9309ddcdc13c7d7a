//! Contact points of rigid bodies: who meets whom, along which axes, how fast.
//!
//! ```text
//! u = F (v_b + ω_b × r_b − v_a − ω_a × r_a)          F: rows normal, tangent 1, tangent 2;  r: from the origins to the point
//! rolling  u_R = (tangent 1, tangent 2)·(ω_b − ω_a),  u_S = normal·(ω_b − ω_a);  in the plane u_R = ω_b − ω_a
//! ahead   a point is active if  y + γ h u_N ≤ d
//! swept   all points of pairs that may close within the part, features frozen
//! reach   those of them with y ≤ a given distance
//! ```
//!
//! Points and axes are those of the start. Pairs are looked for within γ h times the speeds of their surfaces,
//! ‖v‖ + ‖ω‖ R, so that no active point is missed. The law of a point is that of the two materials; d is the activation
//! distance times the size of the pair. A kinematic body adds its velocity at the point to u. [Acary10; Trinkle08]

use super::{
    Activation, ActiveConstraints, Confirmed, ConstraintFamily, Expected, GapsOf, Level, RowWriter,
};
use crate::error::StepResult;
use crate::model::collision::{
    DriftPath, Point, Situation, along, fall, fill, frame_of, frozen, meetings_of_all, pose_of,
    set_margins, swept_reach,
};
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::{ColliderRow, RigidId, RigidState, RigidTable};
use crate::model::{ConstraintId, ConstraintMemory, LawId, Model, Renamed, SparseRow};
use crate::part::Part;
use glam::DVec3;
use nonsmooth_geometry::FrozenContact;
use nonsmooth_solvers::ContactRows;
use std::ops::Range;

/// A point takes the place of another of its pair that is gone if it is nearer than this, relative to the size of the pair. Cubes that
/// are stacked corner on corner change the features of their points with every rounding; without this their forces are lost, and a
/// stack of five moves by 3e-8 m when that happens (`kick_drift::lasting::a_stack_stays_where_it_is`).
const SAME_PLACE: f64 = 1e-3;

/// Cosine of the angle between the normals of such points at most: friction on a face is no force along another one.
const SAME_NORMAL: f64 = 0.9;

/// The contacts of all rigid bodies.
pub struct Contacts {
    /// Its place among the families of the model.
    family: u8,
    /// Rows of a point by law: in the plane, in space.
    dims: Vec<[u8; 2]>,
    /// Whether each collider is in the plane.
    is_planar: Vec<bool>,
    /// Whether points may have rows of rolling.
    rolls: bool,
}

/// A point that is active.
struct ActivePoint {
    id: ConstraintId,
    law: LawId,
    gap: f64,
    place: [[f64; 3]; 2],
    u: [f64; 6],
    dim: usize,
}

/// The two rigid things of a contact.
#[inline]
fn pair_of(table: &RigidTable, id: ConstraintId) -> [RigidId; 2] {
    id.colliders().map(|k| table.colliders[k as usize].on)
}

/// Velocity of b relative to a at a point.
#[inline]
fn relative(rigid: &[RigidState], pair: [RigidId; 2], point: DVec3) -> DVec3 {
    let [a, b] = pair.map(|id| {
        let at = &rigid[id.0 as usize];
        at.velocity_at(point - at.position)
    });
    b - a
}

/// Angular velocity of b relative to a.
fn relative_spin(rigid: &[RigidState], pair: [RigidId; 2]) -> DVec3 {
    let [a, b] = pair.map(|id| rigid[id.0 as usize].spin);
    b - a
}

/// The axis of the rolling or spinning row `k` of a frame; none of other rows.
fn turning_axis(planar: bool, frame: &[[f64; 3]; 3], k: usize) -> Option<DVec3> {
    match (planar, k) {
        (true, 2) => Some(DVec3::Z),
        (false, 3 | 4) => Some(DVec3::from_array(frame[k - 2])),
        (false, 5) => Some(DVec3::from_array(frame[0])),
        _ => None,
    }
}

/// Rows of a point from a velocity and, where the law has rows for it, a spin.
#[inline]
fn rows_along(
    planar: bool,
    frame: &[[f64; 3]; 3],
    dim: usize,
    u: DVec3,
    spin: impl Fn() -> DVec3,
) -> [f64; 6] {
    let [n, t, s] = along(frame, u);
    let mut rows = [n, t, s, 0.0, 0.0, 0.0];
    let slips = if planar { 2 } else { 3 };
    if dim > slips {
        let spin = spin();
        for k in slips..dim {
            rows[k] = turning_axis(planar, frame, k).map_or(0.0, |axis| axis.dot(spin));
        }
    }
    rows
}

impl Contacts {
    /// The family at place `family` of the model; `dims` says how many rows each law of the model has in the plane and in space.
    pub fn new(family: u8, dims: Vec<[u8; 2]>, table: &RigidTable) -> Self {
        let is_planar = table.colliders.iter().map(ColliderRow::is_planar).collect();
        let rolls = dims.iter().any(|[plane, space]| *plane > 2 || *space > 3);
        Self { family, dims, is_planar, rolls }
    }

    /// What there is to know of a point, if it is active.
    #[inline]
    fn see(
        &self,
        at: &Situation<'_>,
        point: &Point,
        is_active: impl Fn(f64, [RigidId; 2]) -> bool,
    ) -> Option<ActivePoint> {
        let rows = point.colliders.map(|k| &at.table.colliders[k as usize]);
        let pair = rows.map(|row| row.on);
        let u = relative(at.rigid, pair, point.point);
        if !is_active(point.normal.dot(u), pair) {
            return None;
        }
        let law = at.table.pair_law(rows[0].collider.material, rows[1].collider.material);
        let law = law.expect("pairs that may meet have a law: checked with the model");
        let planar = rows[0].is_planar();
        let normal = point.normal.to_array();
        let dim = self.dims[law.0 as usize][usize::from(!planar)] as usize;
        Some(ActivePoint {
            id: ConstraintId::contact(self.family, point.colliders, point.features),
            law,
            gap: point.distance,
            place: [point.point.to_array(), normal],
            u: rows_along(planar, &frame_of(planar, normal), dim, u, || relative_spin(at.rigid, pair)),
            dim,
        })
    }

    /// Appends the points that are active.
    #[inline(never)]
    fn search(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        activation: Activation,
        active: &mut ActiveConstraints,
    ) {
        let table = &model.rigid;
        let (mut search, mut margins) = active.take_search();
        let range = match activation {
            Activation::Ahead { ahead, .. } => (ahead, 0.0),
            Activation::Swept | Activation::Reach { .. } => (part.h, fall(table, part.h)),
            Activation::All => (0.0, 0.0),
        };
        set_margins(table, part, at, range, &mut margins);
        let situation = Situation { table, rigid: at.rigid, margins: &margins };
        if matches!(activation, Activation::All) {
            search.pair_all(&situation);
        } else {
            let likely = search.pair(&situation);
            active.reserve_contacts(likely);
        }
        let take = |seen: ActivePoint| {
            active.push(seen.id, seen.law, seen.gap, &seen.u[..seen.dim]);
            active.places.push(seen.place);
        };
        match activation {
            Activation::Ahead { ahead, .. } => {
                let within = |rows: [&ColliderRow; 2]| {
                    let [a, b] = rows.map(|row| margins[row.on.0 as usize]);
                    a + b
                };
                let see = |point: &Point| {
                    let d = |pair| table.activation_of(pair);
                    self.see(&situation, point, |u, pair| point.distance + ahead * u <= d(pair))
                };
                search.meet(&situation, within, see, take);
            }
            Activation::Swept => {
                let within = |rows: [&ColliderRow; 2]| swept_reach(table, part, at, rows);
                search.meet(&situation, within, |point| self.see(&situation, point, |_, _| true), take);
            }
            Activation::Reach { distance } => {
                let within = |rows: [&ColliderRow; 2]| swept_reach(table, part, at, rows).min(distance);
                let is_near = |point: &Point| point.distance <= distance;
                let see = |point: &Point| self.see(&situation, point, |_, _| is_near(point));
                search.meet(&situation, within, see, take);
            }
            Activation::All => {
                let see = |point: &Point| self.see(&situation, point, |_, _| true);
                search.meet(&situation, |_| f64::INFINITY, see, take);
            }
        }
        active.give_search(search, margins);
    }

    /// Writes the features of all points.
    fn freeze(&self, model: &Model, at: &Instant<'_>, active: &mut ActiveConstraints) {
        let ActiveConstraints { ids, places, gap, features, first_contact, .. } = active;
        let (ids, gap) = (&ids[*first_contact..], &gap[*first_contact..]);
        let one = |k: usize| frozen(&model.rigid, at.rigid, ids[k], places[k], gap[k]);
        fill(places.len(), features, one);
    }

    /// The constraints of the family.
    #[inline]
    fn own(&self, active: &ActiveConstraints) -> Range<usize> {
        active.own[self.family as usize].clone()
    }

    /// Normal and tangents of constraint `c`.
    #[inline]
    fn frame(&self, active: &ActiveConstraints, c: usize) -> [[f64; 3]; 3] {
        let normal = active.places[c - active.first_contact][1];
        frame_of(self.is_planar(active.ids[c]), normal)
    }

    /// Whether a point is in the plane.
    #[inline]
    fn is_planar(&self, id: ConstraintId) -> bool {
        self.is_planar[id.colliders()[0] as usize]
    }

    /// Whether a point of a pair of colliders is a row.
    fn is_watched(
        &self,
        active: &ActiveConstraints,
        (a, b): (u32, u32),
        is_row: &dyn Fn(usize) -> bool,
    ) -> bool {
        let own = self.own(active);
        let first = own.start + active.ids[own.clone()].partition_point(|id| id.colliders() < [a, b]);
        (first..own.end).take_while(|&c| active.ids[c].colliders() == [a, b]).any(is_row)
    }

    /// The features of constraint `c`, which must have been frozen.
    #[inline]
    fn feature<'a>(&self, active: &'a ActiveConstraints, c: usize) -> &'a FrozenContact {
        &active.features[c - active.first_contact]
    }

    /// Gap of constraint `c` at an instant, features frozen [m].
    #[inline]
    fn gap_at(&self, model: &Model, at: &Instant<'_>, active: &ActiveConstraints, c: usize) -> f64 {
        let [a, b] = pair_of(&model.rigid, active.ids[c]).map(|id| pose_of(at.rigid(id)));
        self.feature(active, c).gap(&a, &b)
    }

    /// What kinematic bodies that are at `bodies` add to u of constraint `c`, `ahead` after detection [m/s].
    fn rate(
        &self,
        model: &Model,
        now: &Instant<'_>,
        (bodies, ahead): (&Instant<'_>, f64),
        active: &ActiveConstraints,
        c: usize,
    ) -> [f64; 6] {
        let table = &model.rigid;
        let pair = pair_of(table, active.ids[c]);
        let point = DVec3::from_array(active.places[c - active.first_contact][0]);
        let (mut rate, mut spin) = (DVec3::ZERO, DVec3::ZERO);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let [body, other] = [pair[side], pair[1 - side]];
            if table.kinematic_number(body).is_some() {
                // The body takes the point along: what moves with a turning body then has u⁺ = 0.
                let at = bodies.rigid(body);
                let point = point + ahead * now.rigid(other).velocity;
                rate += sign * at.velocity_at(point - at.position);
                spin += sign * at.spin;
            }
        }
        let planar = self.is_planar(active.ids[c]);
        rows_along(planar, &self.frame(active, c), active.rows(c).len(), rate, || spin)
    }

    /// Writes what kinematic bodies add to u at the start and at the end.
    #[inline(never)]
    fn set_rates(&self, model: &Model, part: &Part<'_>, at: &Pass<'_>, active: &mut ActiveConstraints) {
        active.open_rates();
        for c in part.constraints.within(self.own(active)) {
            let ends =
                [(&at.now, 0.0), (&at.end, part.h)].map(|end| self.rate(model, &at.now, end, active, c));
            for (k, row) in active.rows(c).enumerate() {
                active.rates[row] = [ends[0][k], ends[1][k]];
            }
        }
    }
}

impl ConstraintFamily for Contacts {
    fn name(&self) -> &'static str {
        "contacts"
    }

    fn n_members(&self) -> usize {
        0
    }

    fn member_name(&self, _number: usize) -> &str {
        unreachable!("contacts have no members with names")
    }

    fn describe(&self, model: &Model, id: ConstraintId) -> String {
        let [a, b] = pair_of(&model.rigid, id).map(|id| model.rigid.name(id));
        format!("the contact of `{a}` and `{b}`")
    }

    fn size(&self, model: &Model, id: ConstraintId) -> f64 {
        let [a, b] = pair_of(&model.rigid, id);
        model.rigid.size(a, b)
    }

    fn law(&self, model: &Model, id: ConstraintId) -> LawId {
        let [a, b] = id.colliders().map(|k| model.rigid.colliders[k as usize].collider.material);
        model.rigid.pair_law(a, b).expect("pairs that may meet have a law: checked with the model")
    }

    fn is_linear(&self, _model: &Model) -> bool {
        true
    }

    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        active.first_contact = active.len();
        self.search(model, part, at, activation, active);
        let by_position = match activation {
            Activation::Ahead { distance, .. } => distance.is_infinite(),
            Activation::Swept | Activation::Reach { .. } | Activation::All => true,
        };
        if by_position {
            self.freeze(model, at, active);
        }
        Ok(())
    }

    fn append(
        &self,
        model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        active.first_contact = active.len();
        let situation = Situation { table: &model.rigid, rigid: at.rigid, margins: &[] };
        let (mut search, margins) = active.take_search();
        for pair in ids.chunk_by(|a, b| a.colliders() == b.colliders()) {
            let [a, b] = pair[0].colliders();
            if !pair_of(&model.rigid, pair[0]).iter().all(|id| at.is_present(id.0 as usize)) {
                continue;
            }
            let see =
                |point| self.see(&situation, point, |_, _| true).expect("all points are asked for");
            let points = search.points_of(&situation, (a, b));
            let is_named = |seen: &ActivePoint| pair.binary_search(&seen.id).is_ok();
            // Where a name is gone its force goes on under another (`predecessor`): all points are there for it.
            let all = points.iter().filter(|point| is_named(&see(point))).count() < pair.len();
            for seen in points.iter().map(see) {
                if all || is_named(&seen) {
                    active.push(seen.id, seen.law, seen.gap, &seen.u[..seen.dim]);
                    active.places.push(seen.place);
                }
            }
        }
        active.give_search(search, margins);
        self.freeze(model, at, active);
        Ok(())
    }

    fn append_frozen(
        &self,
        model: &Model,
        ids: &[ConstraintId],
        features: &dyn Fn(ConstraintId) -> FrozenContact,
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        active.first_contact = active.len();
        let situation = Situation { table: &model.rigid, rigid: at.rigid, margins: &[] };
        for &id in ids {
            let [a, b] = pair_of(&model.rigid, id).map(|id| pose_of(at.rigid(id)));
            let feature = features(id);
            let found = feature.at(&a, &b);
            let point = Point {
                colliders: id.colliders(),
                features: id.features(),
                point: DVec3::from_array(found.point),
                normal: DVec3::from_array(found.normal),
                distance: found.gap,
            };
            let seen = self.see(&situation, &point, |_, _| true).expect("all points are asked for");
            active.push(seen.id, seen.law, seen.gap, &seen.u[..seen.dim]);
            active.places.push(seen.place);
            active.features.push(feature);
        }
        Ok(())
    }

    fn linearize(
        &self,
        model: &Model,
        _part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        // J is that of detection: written once.
        if !rows.is_first() {
            return Ok(());
        }
        let table = &model.rigid;
        let own = self.own(rows.active());
        let contact = |id, [point, normal]: [[f64; 3]; 2]| {
            let pair = pair_of(table, id);
            let point = DVec3::from_array(point);
            ContactRows {
                bodies: pair.map(|body| table.solver_body(body)),
                frame: frame_of(self.is_planar(id), normal),
                arms: pair.map(|body| (point - at.now.rigid(body).position).to_array()),
            }
        };
        if !self.rolls {
            rows.contacts(own, contact);
            return Ok(());
        }
        for c in own {
            let (active, id) = (rows.active(), rows.active().ids[c]);
            let (dim, planar) = (active.rows(c).len(), self.is_planar(id));
            let made = contact(id, active.places[c - active.first_contact]);
            if dim > if planar { 2 } else { 3 } {
                let general = rolling_rows(table, planar, &made, dim);
                rows.general(c, general.iter().map(|row| (&row.columns[..], &row.values[..])));
            } else {
                rows.contact(c, made);
            }
        }
        Ok(())
    }

    fn set_offsets(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let own = self.own(active);
        if own.is_empty() {
            return Ok(());
        }
        let moves = model.rigid.has_motion();
        if moves {
            self.set_rates(model, part, at, active);
        }
        for c in part.constraints.within(own) {
            let rows = active.rows(c);
            for row in rows.clone() {
                let [start, end] = if moves { active.rates[row] } else { [0.0; 2] };
                active.offset[row] = if matches!(level, Level::Linearized { .. }) { start } else { end };
            }
            let more = match level {
                Level::Velocity => closing(model, part, active, c),
                Level::Linearized { h } => active.gap[c] / h,
                Level::Position { ahead } => {
                    let mut u = [0.0; 6];
                    active.jacobian.dot(c, at.end.v, &mut u[..rows.len()]);
                    // The gap at the end sees the motion of kinematic bodies itself.
                    active.offset[rows.start] = 0.0;
                    self.gap_at(model, &at.end, active, c) / ahead - u[0]
                }
            };
            active.offset[rows.start] += more;
        }
        Ok(())
    }

    fn gaps(&self, model: &Model, at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        if let GapsOf::Active(active, own) = of {
            out.extend(own.clone().map(|c| self.gap_at(model, at, active, c)));
        }
        Ok(())
    }

    fn positions(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            out[active.rows(c).start] = self.gap_at(model, at, active, c);
        }
        Ok(())
    }

    fn velocities(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            let pair = pair_of(&model.rigid, active.ids[c]);
            let [a, b] = pair.map(|id| pose_of(at.rigid(id)));
            let point = DVec3::from_array(self.feature(active, c).at(&a, &b).point);
            let (planar, rows) = (self.is_planar(active.ids[c]), active.rows(c));
            let u = relative(at.rigid, pair, point);
            let spin = || relative_spin(at.rigid, pair);
            let u = rows_along(planar, &self.frame(active, c), rows.len(), u, spin);
            out[rows.clone()].copy_from_slice(&u[..rows.len()]);
        }
        Ok(())
    }

    fn add_forces(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        lambda: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            let lambda = &lambda[active.rows(c)];
            if lambda.iter().all(|x| *x == 0.0) {
                continue;
            }
            let pair = pair_of(&model.rigid, active.ids[c]);
            let [a, b] = pair.map(|id| pose_of(at.rigid(id)));
            let point = DVec3::from_array(self.feature(active, c).at(&a, &b).point);
            let frame = self.frame(active, c);
            let (planar, force) = (self.is_planar(active.ids[c]), world_vector(&frame, lambda));
            let turning = |(k, x): (usize, &f64)| turning_axis(planar, &frame, k).map(|axis| *x * axis);
            let moment: DVec3 = lambda.iter().enumerate().filter_map(turning).sum();
            for (id, sign) in [(pair[0], -1.0), (pair[1], 1.0)] {
                if (id.0 as usize) < model.rigid.bodies.len() {
                    let arm = point - at.rigid(id).position;
                    let moment = sign * (arm.cross(force) + moment);
                    model.rigid.add_wrench(id.0 as usize, sign * force, moment, out);
                }
            }
        }
        Ok(())
    }

    fn confirm(
        &self,
        model: &Model,
        path: &DriftPath<'_>,
        expected: &Expected<'_>,
        active: &mut ActiveConstraints,
    ) -> Confirmed {
        self.confirm_on(model, path, expected, active)
    }

    fn first_meeting(
        &self,
        model: &Model,
        path: &DriftPath<'_>,
        active: &ActiveConstraints,
        is_row: &dyn Fn(usize) -> bool,
    ) -> StepResult<Option<f64>> {
        let mut first = None;
        let is_known = |pair: (u32, u32)| self.is_watched(active, pair, is_row);
        meetings_of_all(model, path, is_known, |_, time| {
            first = Some(time);
            time
        });
        Ok(first)
    }

    fn meetings(
        &self,
        model: &Model,
        path: &DriftPath<'_>,
        active: &ActiveConstraints,
        is_row: &dyn Fn(usize) -> bool,
        bodies: &mut Vec<u32>,
    ) -> StepResult {
        let is_known = |pair: (u32, u32)| self.is_watched(active, pair, is_row);
        let n = model.rigid.bodies.len() as u32;
        meetings_of_all(model, path, is_known, |(a, b), _| {
            let sides = [a, b].map(|k| model.rigid.colliders[k as usize].on.0);
            bodies.extend(sides.into_iter().filter(|i| *i < n));
            path.duration
        });
        Ok(())
    }

    fn curvature(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        self.own(active).try_for_each(|c| self.curve(model, at, active, c, out))?;
        Ok(())
    }

    fn is_of_bodies(&self) -> bool {
        true
    }

    fn extract(&self, renamed: &Renamed<'_>, _numbers: &[u32]) -> Option<Box<dyn ConstraintFamily>> {
        Some(Box::new(Self::new(self.family, self.dims.clone(), renamed.table)))
    }

    fn stores_rows(&self) -> bool {
        false
    }

    /// The force in world axes, then the point and the normal.
    fn store_force(&self, active: &ActiveConstraints, c: usize, rows: &[f64], out: &mut Vec<f64>) {
        out.extend_from_slice(&world_vector(&self.frame(active, c), rows).to_array());
        out.extend(active.places[c - active.first_contact].iter().flatten());
    }

    /// The nearest point of the same pair that carried and is gone, if `c` is in turn the nearest to it of the points that are new.
    fn predecessor(
        &self,
        model: &Model,
        memory: &ConstraintMemory,
        active: &ActiveConstraints,
        c: usize,
    ) -> Option<usize> {
        let [a, b] = active.ids[c].colliders();
        let begin =
            memory.ids.partition_point(|id| *id < ConstraintId::contact(self.family, [a, b], [0; 2]));
        let same = |id: &ConstraintId| id.family() == self.family as usize && id.colliders() == [a, b];
        let known = begin..begin + memory.ids[begin..].iter().take_while(|id| same(id)).count();
        if known.is_empty() {
            return None;
        }
        let own = self.own(active);
        let first = own.start + active.ids[own.clone()].partition_point(|id| id.colliders() < [a, b]);
        let points = first..first + active.ids[first..own.end].iter().take_while(|id| same(id)).count();
        let stored = |k: usize| DVec3::from_slice(&memory.at(k).force[3..6]);
        let point = |c: usize| DVec3::from_array(active.places[c - active.first_contact][0]);
        let is_gone = |k: &usize| active.ids[points.clone()].binary_search(&memory.ids[*k]).is_err();
        let is_new = |c: &usize| memory.ids[known.clone()].binary_search(&active.ids[*c]).is_err();
        let nearer = |x: DVec3| move |y: &DVec3, z: &DVec3| x.distance(*y).total_cmp(&x.distance(*z));
        let normal = DVec3::from_array(active.places[c - active.first_contact][1]);
        let near = |k: &usize| {
            stored(*k).distance(point(c)) <= SAME_PLACE * self.size(model, active.ids[c])
                && normal.dot(DVec3::from_slice(&memory.at(*k).force[6..9])) >= SAME_NORMAL
        };
        let gone = known.clone().filter(is_gone).filter(near);
        let best = gone.min_by(|&j, &k| nearer(point(c))(&stored(j), &stored(k)))?;
        let new = points.clone().filter(is_new);
        let heir = new.min_by(|&j, &k| nearer(stored(best))(&point(j), &point(k)))?;
        (heir == c).then_some(best)
    }

    fn recall_force(&self, active: &ActiveConstraints, c: usize, stored: &[f64], rows: &mut [f64]) {
        let u = along(&self.frame(active, c), DVec3::from_slice(&stored[..3]));
        // What rolled is not remembered: its guess is 0.
        let n = rows.len().min(3);
        rows[..n].copy_from_slice(&u[..n]);
        rows[n..].fill(0.0);
    }
}

/// The rows of a point with rolling over all velocities.
fn rolling_rows(table: &RigidTable, planar: bool, contact: &ContactRows, dim: usize) -> Vec<SparseRow> {
    let mut rows: Vec<SparseRow> = (0..dim).map(|_| SparseRow::default()).collect();
    for (k, row) in rows.iter_mut().enumerate() {
        let turning = turning_axis(planar, &contact.frame, k);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(body) = table.bodies.get(contact.bodies[side] as usize) else { continue };
            let (force, moment) = turning.map_or_else(
                || {
                    let axis = DVec3::from_array(contact.frame[k]);
                    (axis, DVec3::from_array(contact.arms[side]).cross(axis))
                },
                |axis| (DVec3::ZERO, axis),
            );
            let [f, m] = [force.to_array(), moment.to_array()];
            let all = [f[0], f[1], f[2], m[0], m[1], m[2]];
            let own = if planar { &[0, 1, 5][..] } else { &[0, 1, 2, 3, 4, 5][..] };
            for (place, &k) in own.iter().enumerate() {
                row.add(body.v as usize + place, sign * all[k]);
            }
        }
    }
    rows
}

/// A vector given by components along axes.
fn world_vector(frame: &[[f64; 3]; 3], components: &[f64]) -> DVec3 {
    components.iter().zip(frame).fold(DVec3::ZERO, |sum, (x, axis)| sum + *x * DVec3::from_array(*axis))
}

/// Gap drift correction: a contact that carried a force is closed, and its gap y is the sum of residuals of earlier solves. Where y > d/2 it is
/// reduced, u⁺ ≥ −(y − d/2)/h. Without that the point would leave the activation distance d in time, and its body would fall by
/// ½ h² g. Gaps below d/2 are at rounding level and are not corrected.
#[inline]
fn closing(model: &Model, part: &Part<'_>, active: &ActiveConstraints, c: usize) -> f64 {
    if active.gap[c] <= 0.0 || !active.carried[c] {
        return 0.0;
    }
    let d = model.rigid.activation_of(pair_of(&model.rigid, active.ids[c]));
    (active.gap[c] - 0.5 * d).max(0.0) / part.h
}

mod confirm;
mod curvature;
#[cfg(test)]
mod tests;
