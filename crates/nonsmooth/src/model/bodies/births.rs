//! Bodies that would appear inside of others.
//!
//! At a birth every other body and obstacle is where the motion has brought it; before the run only what is fixed, and
//! those that appear at the same time, are known. Moreau's schemes do not push overlaps apart, so that a body born inside
//! of another would stay there: it is refused.

use super::collide::{Collider, Narrow, Point, Situation};
use super::{Bodies, Life, Overlap, PartOf, Placement};
use crate::model::{State, UserError};
use glam::DVec3;

/// Overlap at birth that is refused, in parts of the radius of a ball about the smaller part: what bodies that touch have
/// anyway, after steps of a sensible size, is less.
const DEEP: f64 = 0.01;

/// How deep two parts overlap, if that is deep [m].
fn depth(narrow: &mut Narrow, [a, b]: [&PartOf; 2], at: [&Placement; 2]) -> Option<f64> {
    if a.body == b.body || !a.part.groups.meet(b.part.groups) {
        return None;
    }
    if !((at[0].position - at[1].position).length() < a.reach + b.reach) {
        return None;
    }
    // Only the depth is asked for, so the names are no matter.
    let points = narrow.meet((0, 0), [a, b], at, 0.0);
    let least = points.iter().fold(0.0, |least: f64, point| least.min(point.distance));
    deep(-least, [a, b])
}

/// An overlap of two parts, if it is deep [m].
fn deep(depth: f64, [a, b]: [&PartOf; 2]) -> Option<f64> {
    (depth > DEEP * a.reach.min(b.reach)).then_some(depth)
}

impl Bodies {
    /// The deepest overlap of a body that is in `after` and was unborn in `before`; the newcomer is the second of the two.
    pub(crate) fn born_inside(
        &self,
        before: &State,
        after: &State,
    ) -> Result<Option<Overlap>, UserError> {
        let is_new =
            |i: usize| i < self.n && before.lives[i] == Life::Unborn && after.lives[i] == Life::Present;
        let mut placements: Vec<Placement> = (0..self.n).map(|i| self.placement(after, i)).collect();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for i in (0..self.n).filter(|&i| is_new(i)) {
            low = low.min(placements[i].position - self.reach[i]);
            high = high.max(placements[i].position + self.reach[i]);
        }
        if !low.cmple(high).all() {
            return Ok(None);
        }
        for k in 0..self.obstacles.len() {
            placements.push(self.obstacle(k, after.t)?);
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
            is_new(pair[1]).then_some((pair, deep(-point.distance, parts)))
        };
        let (mut collider, mut deepest) = (Collider::default(), None);
        collider.pair(self, &at);
        let keep = |(pair, depth)| self.keep_deeper(pair, depth, after.t, &mut deepest);
        collider.meet(self, &at, see, keep);
        Ok(deepest)
    }

    /// What is known before the run of bodies that are still to come: overlaps with obstacles that do not move, and with
    /// others of the same time; of each body's part the deepest.
    pub(super) fn foreseen(&self, state: &State) -> Vec<Overlap> {
        let mut coming: Vec<(f64, f64, &PartOf)> = self
            .parts
            .iter()
            .filter(|part| state.lives.get(part.body as usize).is_some_and(|life| *life == Life::Unborn))
            .map(|part| {
                let at = self.pose(&state.q, part.body as usize).0;
                (self.born[part.body as usize], at.x - part.reach, part)
            })
            .collect();
        // By time, then along x: those that may overlap follow each other.
        coming.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (mut narrow, mut found) = (Narrow::default(), Vec::new());
        let fixed: Vec<(&PartOf, Placement)> = self.fixed_parts().collect();
        for (k, &(t, low, part)) in coming.iter().enumerate() {
            let at = self.placement(state, part.body as usize);
            let mut deepest = None;
            for (other, there) in &fixed {
                let depth = depth(&mut narrow, [part, other], [&at, there]);
                self.keep_deeper([other, part].map(|p| p.body as usize), depth, t, &mut deepest);
            }
            let near = |other: &&(f64, f64, &PartOf)| other.0 == t && other.1 < low + 2.0 * part.reach;
            for (.., other) in coming[k + 1..].iter().take_while(near) {
                let there = self.placement(state, other.body as usize);
                let depth = depth(&mut narrow, [part, other], [&at, &there]);
                self.keep_deeper([other, part].map(|p| p.body as usize), depth, t, &mut deepest);
            }
            found.extend(deepest);
        }
        found
    }

    /// Parts of obstacles that do not move, and where they are.
    fn fixed_parts(&self) -> impl Iterator<Item = (&PartOf, Placement)> {
        self.parts.iter().filter_map(|part| {
            let k = (part.body as usize).checked_sub(self.n)?;
            let is_fixed = self.obstacles[k].motion.is_none();
            is_fixed.then(|| self.obstacle(k, 0.0).ok()).flatten().map(|at| (part, at))
        })
    }

    fn keep_deeper(&self, pair: [usize; 2], depth: Option<f64>, t: f64, deepest: &mut Option<Overlap>) {
        let Some(depth) = depth else { return };
        if deepest.as_ref().is_none_or(|known| known.depth < depth) {
            let [first, second] = pair.map(|i| self.names[i].clone());
            *deepest = Some(Overlap { first, second, depth, t: Some(t) });
        }
    }
}
