//! How deep the contacts of a state are inside: gaps of the model by number, points of bodies by pair of colliders.

use crate::error::StepResult;
use crate::model::instant::Place;
use crate::model::{Activation, ActiveConstraints, Model, State};
use crate::part::Part;

/// Penetrations at one state.
#[derive(Default)]
pub struct Penetration {
    there: Place,
    active: ActiveConstraints,
    /// Gaps of the members of all families [m].
    gaps: Vec<f64>,
    /// Pairs of colliders that overlap, ascending, with their depth [m].
    pairs: Vec<([u32; 2], f64)>,
}

impl Penetration {
    /// Looks at a state.
    pub fn measure(&mut self, model: &Model, state: &State) -> StepResult {
        let Self { there, active, gaps, pairs } = self;
        there.t = state.t;
        there.q.clone_from(&state.q);
        there.v.resize(state.v.len(), 0.0);
        model.to_working(&state.q, &state.v, &mut there.v);
        there.inputs.clone_from(&state.inputs);
        there.angles.clone_from(&state.angles);
        there.complete(model, &state.presence, &state.v)?;
        let at = there.instant(&state.presence);
        model.gaps(&at, gaps)?;
        pairs.clear();
        let part = Part::whole(state.t, 0.0);
        for family in model.constraints.iter().filter(|family| family.n_members() == 0) {
            active.open(model);
            family.detect(model, &part, &at, Activation::Reach { distance: 0.0 }, active)?;
            for (id, gap) in active.ids.iter().zip(&active.gap) {
                match pairs.last_mut().filter(|(pair, _)| *pair == id.colliders()) {
                    Some((_, depth)) => *depth = depth.max(-gap),
                    None => pairs.push((id.colliders(), -gap)),
                }
            }
        }
        Ok(())
    }

    /// How much deeper any contact is than it was [m].
    pub fn growth_since(&self, model: &Model, before: &Self) -> f64 {
        let depth = |gap: f64| (-gap).max(0.0);
        let gaps = before.gaps.iter().zip(&self.gaps).enumerate();
        let gaps = gaps.filter(|(i, _)| !model.is_bilateral_gap(*i));
        let of_gaps = gaps.fold(0.0f64, |m, (_, (before, after))| m.max(depth(*after) - depth(*before)));
        self.pairs.iter().fold(of_gaps, |m, (pair, depth)| {
            let known = before.pairs.binary_search_by_key(pair, |(pair, _)| *pair);
            m.max(depth - known.map_or(0.0, |k| before.pairs[k].1))
        })
    }
}
