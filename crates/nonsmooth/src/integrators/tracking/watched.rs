//! The rows that are watched through a grid step: every gap, stop, joint and pair of colliders, however far apart.
//!
//! A row is called by its *key*, its number in this list. Where features of contacts never change the list depends on the model and on the
//! bodies that are present alone. Where they do, points that the motion meets are added at its end, so keys stay the same through a grid
//! step; each has the features with which it was found, and goes on with them as long as a mode holds it (`rows.rs`). Springs and dampers are
//! forces here, not rows.

use crate::error::StepResult;
use crate::model::collision::pose_of;
use crate::model::constraints::Column;
use crate::model::instant::Instant;
use crate::model::{Activation, ActiveConstraints, ConstraintId, Model};
use crate::part::Part;
use crate::phases::detect;
use nonsmooth_geometry::FrozenContact;

/// One minus the cosine of the angle within which normals are one: 1 mrad.
const SAME: f64 = 5e-7;

/// All rows that may carry, by key.
#[derive(Default)]
pub(crate) struct Watched {
    /// The constraints, in the order in which they were found.
    ids: Vec<ConstraintId>,
    /// Their places in this list, ascending by name.
    order: Vec<u32>,
    /// What each was found with, of contacts of bodies whose features change.
    features: Vec<Option<FrozenContact>>,
    /// Whether there are contacts whose features change.
    pub(crate) changes: bool,
    /// First key of each; one more than ids.
    start: Vec<u32>,
    /// Constraint of each key.
    constraint: Vec<u32>,
    /// Whether a row always holds, with either sign of its force: joints.
    pub(crate) always: Vec<bool>,
    /// Whether a row is a tangent of a contact with friction; its normal comes before it.
    pub(crate) tangent: Vec<bool>,
    /// Where the work of a row is booked.
    pub(crate) column: Vec<Column>,
    active: ActiveConstraints,
}

impl Watched {
    /// Lists all rows.
    pub(crate) fn list(&mut self, model: &Model, at: &Instant<'_>) -> StepResult {
        self.changes = model.rigid.changing_pairs().next().is_some();
        detect(model, &Part::whole(at.t, 0.0), at, Activation::All, &mut self.active)?;
        self.ids.clear();
        self.order.clear();
        self.features.clear();
        self.start.clear();
        self.constraint.clear();
        self.always.clear();
        self.tangent.clear();
        self.column.clear();
        self.start.push(0);
        for c in 0..self.active.len() {
            if self.add(model, c) {
                self.order.push(self.ids.len() as u32 - 1);
            }
        }
        Ok(())
    }

    /// Adds the constraint `c` of the last detection at the end of the list, if it may carry in an impact.
    fn add(&mut self, model: &Model, c: usize) -> bool {
        let Self { ids, start, constraint, always, tangent, column, active, features, changes, .. } =
            self;
        let (id, law) = (active.ids[c], active.laws[c]);
        let forms = model.law(law).forms();
        if !forms.impact {
            return false;
        }
        let n_rows = if forms.bilateral || forms.friction { active.rows(c).len() } else { 1 };
        for row in 0..n_rows {
            constraint.push(ids.len() as u32);
            always.push(forms.bilateral);
            tangent.push(!forms.bilateral && row > 0);
            column.push(model.family(id).column(model, law, row));
        }
        if *changes {
            features.push(feature(active, c));
        }
        ids.push(id);
        start.push(constraint.len() as u32);
        true
    }

    /// Adds the points that are found here and are not in the list yet; those that are known and for which `is_free` holds are taken with the
    /// features that they have here.
    pub(crate) fn discover(
        &mut self,
        model: &Model,
        at: &Instant<'_>,
        is_free: impl Fn(usize) -> bool,
    ) -> StepResult {
        if !self.changes {
            return Ok(());
        }
        detect(model, &Part::whole(at.t, 0.0), at, Activation::All, &mut self.active)?;
        for c in self.active.contacts() {
            match self.search(self.active.ids[c]) {
                Ok(place) => {
                    let known = self.order[place] as usize;
                    if is_free(self.start[known] as usize) {
                        self.features[known] = feature(&self.active, c);
                    }
                }
                Err(place) => {
                    if self.add(model, c) {
                        self.order.insert(place, self.ids.len() as u32 - 1);
                    }
                }
            }
        }
        Ok(())
    }

    /// Place of a constraint in the order of names.
    fn search(&self, id: ConstraintId) -> Result<usize, usize> {
        self.order.binary_search_by_key(&id, |&c| self.ids[c as usize])
    }

    /// The features with which a contact was found.
    pub(crate) fn feature(&self, id: ConstraintId) -> FrozenContact {
        let place = self.search(id).expect("a contact of the mode is in the list");
        self.features[self.order[place] as usize].expect("contacts are listed with their features")
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.constraint.len()
    }

    /// The constraint of a key.
    pub(crate) fn id(&self, key: usize) -> ConstraintId {
        self.ids[self.constraint[key] as usize]
    }

    /// The row of a key within its constraint.
    pub(crate) fn row(&self, key: usize) -> usize {
        key - self.start[self.constraint[key] as usize] as usize
    }

    /// The first key of the contact of a key, which is that of its normal; a row of a joint stands alone.
    pub(crate) fn normal(&self, key: usize) -> usize {
        if self.tangent[key] { self.start[self.constraint[key] as usize] as usize } else { key }
    }

    /// Number of tangents of the contact whose normal a key is.
    pub(crate) fn n_tangents(&self, key: usize) -> usize {
        self.tangent[key + 1..].iter().take_while(|tangent| **tangent).count()
    }

    /// Whether the features with which a contact is listed have this normal here: two corners that met one above the other may be found
    /// side by side later.
    pub(crate) fn has_normal(
        &self,
        model: &Model,
        at: &Instant<'_>,
        id: ConstraintId,
        normal: [f64; 3],
    ) -> bool {
        let pose = |k: u32| pose_of(at.rigid(model.rigid.colliders[k as usize].on));
        let [a, b] = id.colliders().map(pose);
        let listed = self.feature(id).at(&a, &b).normal;
        listed.iter().zip(normal).map(|(x, y)| x * y).sum::<f64>() >= 1.0 - SAME
    }

    /// All constraints with their keys, ascending by name.
    pub(crate) fn constraints(
        &self,
    ) -> impl Iterator<Item = (ConstraintId, std::ops::Range<usize>)> + '_ {
        self.order.iter().map(|&c| {
            let c = c as usize;
            (self.ids[c], self.start[c] as usize..self.start[c + 1] as usize)
        })
    }

    /// The first key of a constraint.
    pub(crate) fn find(&self, id: ConstraintId) -> Option<usize> {
        self.search(id).ok().map(|place| self.start[self.order[place] as usize] as usize)
    }

    /// Keys of joints.
    pub(crate) fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&key| self.always[key])
    }
}

/// The features of a contact of bodies.
fn feature(active: &ActiveConstraints, c: usize) -> Option<FrozenContact> {
    c.checked_sub(active.first_contact).and_then(|k| active.features.get(k)).copied()
}
