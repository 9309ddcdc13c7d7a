//! Islands: bodies that may meet within the step, or that joints and springs tie.
//!
//! ```text
//! reach_i = h (‖v_i‖ + ‖ω_i‖ R_i) + 2 h² ‖g‖ + d
//! ```
//!
//! Surfaces farther apart than their reaches together do not meet while none of their points goes farther than its reach. So islands
//! know nothing of each other in the step. Kinematic bodies and the world unite nobody. Gaps by functions unite all bodies that they name.

use crate::model::collision::{Search, Situation, fall, set_margins};
use crate::model::instant::Instant;
use crate::model::{Chosen, ConstraintId, Model, RigidId};
use crate::part::Part;

/// The island of bodies that are not there.
const NONE: u32 = u32::MAX;

/// Who may meet whom in the step.
#[derive(Default)]
pub(super) struct Islands {
    /// Island of each body.
    of: Vec<u32>,
    /// Number of islands.
    pub(super) n: usize,
    /// That of gaps by functions, if there are any.
    pub(super) bound: Option<usize>,
    /// How far points of each rigid thing may go [m].
    reach: Vec<f64>,
    /// What the reach of each body is to be at least [m].
    least: Vec<f64>,
    /// Pairs of colliders that may meet, ascending.
    pairs: Vec<(u32, u32)>,
    search: Search,
    parent: Vec<u32>,
}

impl Islands {
    /// Forgets the islands of the step before.
    pub(super) fn start(&mut self, n_bodies: usize) {
        self.least.clear();
        self.least.resize(n_bodies, 0.0);
        self.n = 0;
    }

    /// Finds the islands of a step of length `h` from an instant.
    pub(super) fn find(&mut self, model: &Model, at: &Instant<'_>, h: f64) {
        let (table, part) = (&model.rigid, Part::whole(at.t, h));
        set_margins(table, &part, at, (h, fall(table, h)), &mut self.reach);
        for (reach, least) in self.reach.iter_mut().zip(&self.least) {
            // What is not there has no reach, and keeps none.
            *reach = if reach.is_nan() { *reach } else { reach.max(*least) };
        }
        self.search.pair(&Situation { table, rigid: at.rigid, margins: &self.reach });
        self.pairs.clear();
        self.pairs.extend_from_slice(self.search.pairs());
        let n = table.bodies.len() as u32;
        self.parent.clear();
        self.parent.extend(0..n);
        let mut first = None;
        for family in model.constraints.iter().filter(|family| !family.is_of_bodies()) {
            for place in (0..family.n_members()).flat_map(|k| family.coordinates_of(k)).flatten() {
                let body = table.bodies.partition_point(|body| body.q <= *place) as u32 - 1;
                self.unite([*first.get_or_insert(body), body].map(RigidId), n);
            }
        }
        for k in 0..self.pairs.len() {
            let (a, b) = self.pairs[k];
            self.unite([a, b].map(|k| table.colliders[k as usize].on), n);
        }
        for family in &model.constraints {
            (0..family.n_members()).for_each(|k| self.unite(family.between(model, k), n));
        }
        self.count(at);
        self.bound = first.and_then(|body| self.of_body(body as usize));
    }

    fn unite(&mut self, [a, b]: [RigidId; 2], n: u32) {
        if a.0 < n && b.0 < n {
            let (a, b) = (root(&mut self.parent, a.0), root(&mut self.parent, b.0));
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }

    /// Numbers the islands of bodies that are there by their first body.
    fn count(&mut self, at: &Instant<'_>) {
        self.n = 0;
        self.of.clear();
        self.of.resize(self.parent.len(), NONE);
        // The root of an island may be a body that is not there.
        let mut numbers = vec![NONE; self.parent.len()];
        for i in (0..self.parent.len()).filter(|&i| at.is_present(i)) {
            let number = &mut numbers[root(&mut self.parent, i as u32) as usize];
            if *number == NONE {
                *number = self.n as u32;
                self.n += 1;
            }
            self.of[i] = *number;
        }
    }

    /// The island of a body that is there.
    pub(super) fn of_body(&self, body: usize) -> Option<usize> {
        self.of.get(body).filter(|island| **island != NONE).map(|island| *island as usize)
    }

    /// The island of a constraint.
    pub(super) fn of_constraint(&self, model: &Model, id: ConstraintId) -> Option<usize> {
        if !model.family(id).is_of_bodies() {
            return self.bound;
        }
        bodies_of(model, id).find_map(|body| self.of_body(body))
    }

    /// How far points of a body may go [m].
    pub(super) fn reach(&self, body: usize) -> f64 {
        self.reach[body]
    }

    /// Lets points of a body go this far, once the islands are found again [m].
    pub(super) fn widen(&mut self, body: usize, least: f64) {
        self.least[body] = self.least[body].max(least);
    }

    /// What belongs to each island that `is_chosen` names, in their order.
    pub(super) fn choose(&self, model: &Model, is_chosen: &[bool]) -> Vec<Chosen> {
        let mut place = vec![usize::MAX; self.n];
        let mut out: Vec<Chosen> = Vec::new();
        for island in (0..self.n).filter(|&island| is_chosen[island]) {
            place[island] = out.len();
            let numbers = vec![Vec::new(); model.constraints.len()];
            out.push(Chosen { numbers, ..Chosen::default() });
        }
        let of = |body: usize| self.of_body(body).map(|island| place[island]).filter(|k| *k < out.len());
        let bodies: Vec<(usize, u32)> =
            (0..self.of.len()).filter_map(|i| Some((of(i)?, i as u32))).collect();
        let side = |id: RigidId| of(id.0 as usize);
        let on = |k: u32| side(model.rigid.colliders[k as usize].on);
        let pairs: Vec<(usize, (u32, u32))> =
            self.pairs.iter().filter_map(|&(a, b)| Some((on(b).or_else(|| on(a))?, (a, b)))).collect();
        let mut members = Vec::new();
        for (f, family) in model.constraints.iter().enumerate() {
            for number in 0..family.n_members() {
                let [a, b] = family.between(model, number).map(side);
                members.extend(a.or(b).map(|place| (place, f, number as u32)));
            }
        }
        bodies.into_iter().for_each(|(k, body)| out[k].bodies.push(body));
        pairs.into_iter().for_each(|(k, pair)| out[k].pairs.push(pair));
        members.into_iter().for_each(|(k, f, number)| out[k].numbers[f].push(number));
        out
    }
}

/// The bodies of a constraint between rigid things.
pub(super) fn bodies_of(model: &Model, id: ConstraintId) -> impl Iterator<Item = usize> {
    let (family, table) = (model.family(id), &model.rigid);
    let sides = if family.n_members() == 0 {
        id.colliders().map(|k| table.colliders[k as usize].on)
    } else {
        family.between(model, id.number())
    };
    let n = table.bodies.len();
    sides.into_iter().map(|id| id.0 as usize).filter(move |i| *i < n)
}

/// The body by which an island is known.
pub(super) fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}
