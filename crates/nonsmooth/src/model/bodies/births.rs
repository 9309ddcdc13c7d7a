//! Bodies that would appear inside of others.
//!
//! At a birth every other body and obstacle is where the motion has brought it; before the run only what is fixed, and
//! those that appear at the same time, are known. Moreau's schemes do not push overlaps apart, so that a body born inside
//! of another would stay there: it is refused.

use super::collide::{Collider, Narrow, Point, Situation, bounds_of};
use super::{Bodies, Life, Overlap, PartOf, Placement};
use crate::error::StepResult;
use crate::model::State;
use glam::DVec3;
use nonsmooth_geometry::broad::{Bounds, BroadPhase};
use std::collections::BTreeMap;

/// Overlap at birth that is refused, in parts of the radius of a ball about the body's origin that holds the smaller part.
/// Less is what bodies that touch have anyway after steps in which they move by less than that.
const DEEP: f64 = 0.01;

/// An overlap of two parts, if it is deep [m].
fn deep(depth: f64, [a, b]: [&PartOf; 2]) -> Option<f64> {
    (depth > DEEP * a.reach.min(b.reach)).then_some(depth)
}

impl Bodies {
    /// The deepest overlap of a body that is in `after` and was unborn in `before`; the newcomer is the second of the two.
    pub(crate) fn born_inside(&self, before: &State, after: &State) -> StepResult<Option<Overlap>> {
        let is_new =
            |i: usize| i < self.n && before.lives[i] == Life::Unborn && after.lives[i] == Life::Present;
        let mut placements = Vec::new();
        self.place(after, &mut placements)?;
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for i in (0..self.n).filter(|&i| is_new(i)) {
            low = low.min(placements[i].position - self.reach[i]);
            high = high.max(placements[i].position + self.reach[i]);
        }
        if !low.cmple(high).all() {
            return Ok(None);
        }
        // Only who comes near the newcomers is looked at.
        let margin = |(i, at): (usize, &Placement)| {
            let there = i >= self.n || self.is_present(after, i);
            let away = at.position - at.position.clamp(low, high);
            if there && away.length() < self.reach[i] { 0.0 } else { f64::NAN }
        };
        let margins: Vec<f64> = placements.iter().enumerate().map(margin).collect();
        let at = Situation { placements: &placements, margins: &margins };
        let see = |point: &Point| {
            let parts = [point.key.parts.0, point.key.parts.1].map(|k| &self.parts[k as usize]);
            let [a, b] = parts.map(|part| part.body as usize);
            let pair = if is_new(b) { [a, b] } else { [b, a] };
            let depth = is_new(pair[1]).then(|| deep(-point.distance, parts)).flatten()?;
            Some((pair, depth))
        };
        let (mut collider, mut deepest) = (Collider::default(), None::<([usize; 2], f64)>);
        collider.pair(self, &at);
        collider.meet(self, &at, see, |found| {
            if deepest.is_none_or(|known| known.1 < found.1) {
                deepest = Some(found);
            }
        });
        Ok(deepest.map(|(pair, depth)| self.overlap(pair, depth, after.t)))
    }

    /// What is known before the run of bodies that are still to come: overlaps with obstacles that do not move, and with
    /// others of the same time, pair by pair.
    pub(super) fn foreseen(&self, state: &State) -> Vec<Overlap> {
        let born = |part: &PartOf| self.born[part.body as usize];
        let is_coming = |part: &&PartOf| state.lives.get(part.body as usize) == Some(&Life::Unborn);
        let mut coming: Vec<&PartOf> = self.parts.iter().filter(is_coming).collect();
        coming.sort_by(|a, b| born(a).total_cmp(&born(b)));
        let fixed: Vec<(&PartOf, Placement)> = self.fixed_parts().collect();
        let mut found = Vec::new();
        for group in coming.chunk_by(|a, b| born(a) == born(b)) {
            let newcomers = group.iter().map(|part| (*part, self.placement(state, part.body as usize)));
            let there: Vec<(&PartOf, Placement)> = newcomers.chain(fixed.iter().copied()).collect();
            for ((other, newcomer), depth) in overlaps(&there, group.len()) {
                found.push(self.overlap([other, newcomer], depth, born(group[0])));
            }
        }
        found
    }

    /// Parts of obstacles that do not move, and where they are.
    fn fixed_parts(&self) -> impl Iterator<Item = (&PartOf, Placement)> {
        self.parts.iter().filter_map(|part| {
            let k = (part.body as usize).checked_sub(self.n)?;
            // Without a motion there is nothing to fail.
            let at = self.obstacles[k].motion.is_none().then(|| self.obstacle(k, 0.0).ok());
            at.flatten().map(|at| (part, at))
        })
    }

    fn overlap(&self, pair: [usize; 2], depth: f64, t: f64) -> Overlap {
        let [first, second] = pair.map(|i| self.names[i].clone());
        Overlap { first, second, depth, t: Some(t) }
    }
}

/// The deepest overlap of every two bodies of which the second is among the first `n_new` parts.
fn overlaps(there: &[(&PartOf, Placement)], n_new: usize) -> BTreeMap<(usize, usize), f64> {
    let bounds: Vec<Bounds> = there.iter().map(|(part, at)| bounds_of(&part.part.placed, at)).collect();
    let part = |k: u32| there[k as usize].0;
    let may_meet = |a: u32, b: u32| {
        let (new, a, b) = ((a as usize) < n_new, part(a), part(b));
        new && a.body != b.body && a.part.groups.meet(b.part.groups)
    };
    let (mut pairs, mut narrow, mut found) = (Vec::new(), Narrow::default(), BTreeMap::new());
    BroadPhase::default().pairs(&bounds, &vec![0.0; there.len()], may_meet, &mut pairs);
    for pair in pairs {
        let [(newcomer, at), (other, place)] = [pair.0, pair.1].map(|k| &there[k as usize]);
        let points = narrow.meet(pair, [newcomer, other], [at, place], 0.0);
        let least = points.iter().fold(0.0, |least: f64, point| least.min(point.distance));
        if let Some(depth) = deep(-least, [newcomer, other]) {
            let deepest = found.entry((other.body as usize, newcomer.body as usize)).or_insert(depth);
            *deepest = depth.max(*deepest);
        }
    }
    found
}
