//! Contact points as the path of a drift has them, in the place of those found where the bodies are.

use super::{Contacts, pair_of};
use crate::model::collision::{
    ActivePoint, DriftPath, Finding, Narrow, Point, Situation, confirm, pose_of,
};
use crate::model::constraints::active::NewContact;
use crate::model::constraints::{ActiveConstraints, Confirmed, Expected};
use crate::model::rigid::RigidState;
use crate::model::{ConstraintId, Model};
use glam::DVec3;
use nonsmooth_geometry::FrozenContact;
use std::ops::Range;

/// A point that lies deeper than those seen by more than this share of the size is none.
const DEEPER: f64 = 1e-3;

impl Contacts {
    /// Replaces the points of pairs that the path shows to be others, unless one is in doubt.
    pub(super) fn confirm_on(
        &self,
        model: &Model,
        path: &DriftPath<'_>,
        expected: &Expected<'_>,
        active: &mut ActiveConstraints,
    ) -> Confirmed {
        let own = self.own(active);
        if expected.carried[own.clone()].iter().all(|carried| *carried) {
            return Confirmed::AsSeen;
        }
        let (mut narrow, mut changes) = (Narrow::default(), Vec::new());
        let mut overlap = vec![0.0f64; model.rigid.bodies.len()];
        for c in own.clone() {
            for id in pair_of(&model.rigid, active.ids[c]) {
                if let Some(overlap) = overlap.get_mut(id.0 as usize) {
                    *overlap = overlap.max(-active.gap[c]);
                }
            }
        }
        let sunk = |colliders: [u32; 2]| {
            let of = |k: u32| overlap.get(model.rigid.colliders[k as usize].on.0 as usize);
            colliders.iter().filter_map(|k| of(*k)).fold(0.0f64, |most, x| most.max(*x))
        };
        let mut first = own.start;
        while first < own.end {
            let colliders = active.ids[first].colliders();
            let same = |id: &&ConstraintId| id.colliders() == colliders;
            let range = first..first + active.ids[first..own.end].iter().take_while(same).count();
            first = range.end;
            if range.clone().any(|c| expected.carried[c]) {
                continue;
            }
            let seen: Vec<ActivePoint> =
                range.clone().map(|c| self.active_point(active, expected, c)).collect();
            let names = (colliders[0], colliders[1]);
            match confirm(model, (path, expected.doubt, sunk(colliders)), names, &seen, &mut narrow) {
                Finding::AsSeen => {}
                Finding::InDoubt => return Confirmed::InDoubt,
                Finding::Apart => changes.push((range, Vec::new())),
                Finding::Others(points) => {
                    let new = self.at_the_start(model, path, &points);
                    let is_other = is_change(active, &range, &new)
                        && !is_deeper(active, &range, &new, model.size_of(active.ids[range.start]));
                    changes.extend(Some((range, new)).filter(|_| is_other));
                }
            }
        }
        if changes.is_empty() {
            return Confirmed::AsSeen;
        }
        active.replace_contacts(model, self.family as usize, &changes);
        Confirmed::Changed
    }

    fn active_point(
        &self,
        active: &ActiveConstraints,
        expected: &Expected<'_>,
        c: usize,
    ) -> ActivePoint {
        let row = active.rows(c).start;
        let [point, normal] = active.places[c - active.first_contact].map(DVec3::from_array);
        ActivePoint {
            features: active.ids[c].features(),
            distance: active.gap[c],
            point,
            normal,
            approaches: active.u_minus[row] < 0.0,
            closes: expected.is_closed(row),
        }
    }

    /// Frozen points where the bodies are.
    fn at_the_start(
        &self,
        model: &Model,
        path: &DriftPath<'_>,
        points: &[(Point, FrozenContact)],
    ) -> Vec<NewContact> {
        let situation = Situation { table: &model.rigid, rigid: path.at.rigid, margins: &[] };
        let one = |(point, feature): &(Point, FrozenContact)| {
            let state = |k: u32| -> &RigidState { path.at.rigid(model.rigid.colliders[k as usize].on) };
            let [a, b] = point.colliders.map(|k| pose_of(state(k)));
            let here = feature.at(&a, &b);
            let point = Point {
                point: here.point.into(),
                normal: here.normal.into(),
                distance: here.gap,
                ..*point
            };
            let seen = self.see(&situation, &point, |_, _| true).expect("all points are asked for");
            NewContact {
                id: seen.id,
                law: seen.law,
                gap: seen.gap,
                place: seen.place,
                u: seen.u,
                dim: seen.dim,
                feature: *feature,
            }
        };
        points.iter().map(one).collect()
    }
}

/// Whether a new point lies deeper than anything that was seen: its features are then not those that meet. (Two capsules that lie on a floor
/// and touch end to side cross as lines, 0.06 m deep.)
fn is_deeper(active: &ActiveConstraints, range: &Range<usize>, new: &[NewContact], size: f64) -> bool {
    let seen = active.gap[range.clone()].iter().fold(0.0f64, |least, gap| least.min(*gap));
    new.iter().any(|point| point.gap < seen - DEEPER * size)
}

/// Whether the new points differ from those of the range.
fn is_change(active: &ActiveConstraints, range: &Range<usize>, new: &[NewContact]) -> bool {
    let before = &active.ids[range.clone()];
    before.len() != new.len() || before.iter().zip(new).any(|(id, new)| *id != new.id)
}
