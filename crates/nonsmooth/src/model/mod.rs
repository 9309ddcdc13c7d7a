//! The model: families of systems tied by families of constraints, checked once, constant during a run.
//!
//! All coordinates live in one vector q and all velocities in one vector v, family by family. A loop over a list of families is a
//! method of [`Model`]; nothing else asks what kinds there are.

mod ballistic;
mod builder;
mod check;
pub(crate) mod collision;
pub mod constraints;
pub mod controllers;
pub(crate) mod errors;
mod extract;
mod forces;
mod id;
pub(crate) mod instant;
mod issue;
mod loops;
mod memory;
mod motions;
pub mod relations;
pub mod rigid;
mod signals;
mod state;
pub mod systems;

pub use crate::error::UserError;
use ballistic::Ballistic;
pub use builder::{
    Anchor, Coordinate, FreeAxis, GivenJoint, JointAt, LinearTerm, ModelBuilder, Rigid, Spring, SystemId,
};
pub use constraints::joints::JointTable;
pub use constraints::{
    Activation, ActiveConstraints, ConstraintFamily, ConvexRegion, ConvexRegionError, Gap, GapsOf,
    Level, LinearContact, Opponent, PointGap, Role, RowWriter, VelocityConstraint,
};
pub use extract::Renamed;
pub(crate) use extract::{Chosen, Extract};
pub use forces::{Force, Wrench, WrenchFunction};
pub use id::ConstraintId;
pub use instant::{Implicit, Instant, Pass};
pub use issue::{Issue, ModelError, Place};
pub use memory::{ConstraintMemory, Remembered};
pub use rigid::{Presence, RigidId, RigidState, RigidTable};
pub use signals::{Signal, Signals};
pub use state::State;
pub use systems::{
    Angles, At, Coeffs, FiniteDifferences, FirstOrder, Free, Lagrangian, Layout, Linear, SystemFamily,
    Theta,
};

use crate::laws::Law;
use nonsmooth_solvers::{MassGroups, VelocityLayout};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Models built so far by this process; gives each its number.
static N_MODELS: AtomicU64 = AtomicU64::new(1);

/// Names a law of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LawId(pub u32);

/// A sparse row under construction: entries over velocities, added up by column.
#[derive(Clone, Debug, Default)]
pub struct SparseRow {
    /// Velocities, in order of first appearance.
    pub columns: Vec<u32>,
    /// Their entries.
    pub values: Vec<f64>,
}

impl SparseRow {
    /// Adds an entry.
    pub fn add(&mut self, column: usize, value: f64) {
        match self.columns.iter().position(|&c| c as usize == column) {
            Some(place) => self.values[place] += value,
            None => {
                self.columns.push(column as u32);
                self.values.push(value);
            }
        }
    }

    /// Forgets all entries and keeps the memory.
    pub fn clear(&mut self) {
        self.columns.clear();
        self.values.clear();
    }
}

/// What a model is made of; `ModelBuilder` fills it and checks it.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) systems: Vec<Box<dyn SystemFamily>>,
    pub(crate) constraints: Vec<Box<dyn ConstraintFamily>>,
    pub(crate) forces: Vec<Box<dyn Force>>,
    pub(crate) rigid: RigidTable,
    pub(crate) joints: JointTable,
    pub(crate) signals: Signals,
    pub(crate) relations: Vec<relations::Relation>,
    pub(crate) controllers: Vec<controllers::Controller>,
    pub(crate) laws: Vec<(String, Box<dyn Law>)>,
    pub(crate) bonds: Vec<(ConstraintId, ConstraintId)>,
    pub(crate) n_coordinates: usize,
    pub(crate) velocity_layout: VelocityLayout,
}

/// Families of systems tied by families of constraints. Constant during a run; built by `ModelBuilder` alone.
pub struct Model {
    /// Families of systems, in the order of their places in q and v.
    pub systems: Vec<Box<dyn SystemFamily>>,
    /// Families of constraints, in the order of their names.
    pub constraints: Vec<Box<dyn ConstraintFamily>>,
    /// Forces beside those of the families.
    pub forces: Vec<Box<dyn Force>>,
    /// Rigid things.
    pub rigid: RigidTable,
    /// Joints between them.
    pub joints: JointTable,
    /// Inputs and named expressions.
    pub signals: Signals,
    /// Relations and couplings of first-order systems with themselves and with mechanics.
    pub relations: Vec<relations::Relation>,
    /// Sampled control.
    pub controllers: Vec<controllers::Controller>,
    laws: Arc<Vec<(String, Box<dyn Law>)>>,
    /// What is glued, ascending, and the bond of each.
    bonds: Vec<(ConstraintId, ConstraintId)>,
    n_coordinates: usize,
    velocity_layout: Arc<VelocityLayout>,
    has_instants: bool,
    is_linear: bool,
    is_elastic: bool,
    has_phases: bool,
    has_constant_mass: bool,
    has_linear_systems: bool,
    /// The coordinates, where nothing but constant loads acts on independent ones.
    ballistic: Option<Ballistic>,
    /// Whether such a model has no instants beyond the state either.
    flies: bool,
    has_constant_rows: bool,
    stores_rows: bool,
    keeps_energy: bool,
    sees_velocities: bool,
    /// Whether it has bodies, or angles that must stay small: what a summary warns of step by step.
    pub(crate) is_watched: bool,
    /// Member of each velocity.
    members: Vec<u32>,
    /// Whether each gap of the members of all families is that of a bilateral constraint; empty where none is.
    bilateral_gaps: Vec<bool>,
    id: u64,
}

impl Model {
    pub(crate) fn new(mut contents: Contents) -> Self {
        let laws = Arc::new(std::mem::take(&mut contents.laws));
        Self::with_laws(contents, laws)
    }

    /// The same with laws that another model has too.
    fn with_laws(contents: Contents, laws: Arc<Vec<(String, Box<dyn Law>)>>) -> Self {
        let Contents {
            systems,
            constraints,
            forces,
            rigid,
            joints,
            signals,
            relations,
            controllers,
            laws: _,
            bonds,
            n_coordinates,
            velocity_layout,
        } = contents;
        let id = N_MODELS.fetch_add(1, Ordering::Relaxed);
        let velocity_layout = Arc::new(velocity_layout);
        let mut model = Self {
            systems,
            constraints,
            forces,
            rigid,
            joints,
            signals,
            relations,
            controllers,
            laws,
            bonds,
            n_coordinates,
            velocity_layout,
            has_instants: false,
            is_linear: false,
            is_elastic: false,
            has_phases: false,
            has_constant_mass: false,
            has_linear_systems: false,
            ballistic: None,
            flies: false,
            has_constant_rows: false,
            stores_rows: false,
            keeps_energy: false,
            sees_velocities: false,
            is_watched: false,
            members: Vec::new(),
            bilateral_gaps: Vec::new(),
            id,
        };
        model.find_properties();
        model
    }

    /// Finds what holds for the model as a whole.
    fn find_properties(&mut self) {
        let model = self;
        model.has_instants = !model.rigid.bodies.is_empty()
            || !model.rigid.kinematic.is_empty()
            || !model.signals.is_empty();
        model.has_phases = model.laws.iter().any(|(_, law)| !law.forms().step);
        model.is_elastic = model.constraints.iter().any(|family| family.is_elastic());
        for family in &model.systems {
            model.members.extend(family.layout().v.clone().map(|i| family.member_of(i) as u32));
        }
        let mut bilateral = Vec::new();
        model.constraints.iter().for_each(|family| family.bilateral_gaps(model, &mut bilateral));
        if bilateral.contains(&true) {
            model.bilateral_gaps = bilateral;
        }
        model.has_linear_systems = model.systems.iter().all(|family| family.layout().is_linear);
        model.has_constant_mass = model.rigid.bodies.is_empty() && model.has_linear_systems;
        let is_ballistic = model.forces.is_empty()
            && model.has_constant_mass
            && model.systems.iter().all(|family| family.layout().is_ballistic);
        if is_ballistic {
            let all = |of: fn(&dyn SystemFamily) -> &[f64]| -> Vec<f64> {
                model.systems.iter().flat_map(|family| of(&**family)).copied().collect()
            };
            model.ballistic =
                Ballistic::new(&all(|family| family.loads()), &all(|family| family.masses()));
        }
        model.flies = model.ballistic.is_some() && !model.has_instants && !model.is_elastic;
        model.has_constant_rows = model.constraints.iter().all(|family| family.has_constant_rows());
        model.stores_rows = model.constraints.iter().all(|family| family.stores_rows());
        model.keeps_energy = model.systems.iter().all(|family| family.layout().keeps_energy);
        model.sees_velocities = model.systems.iter().any(|family| family.layout().sees_velocities)
            || model.forces.iter().any(|force| force.depends_on_state());
        model.is_watched =
            !model.rigid.bodies.is_empty() || model.systems.iter().any(|family| family.has_angles());
        model.is_linear = model.has_linear_systems
            && model.constraints.iter().all(|family| family.is_linear(model))
            && model.forces.iter().all(|force| !force.depends_on_state())
            && model.relations.iter().all(|relation| relation.is_linear());
    }

    /// Number of the model within the process; caches of an integrator belong to one model.
    #[inline]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Number of coordinates.
    #[inline]
    pub fn n_coordinates(&self) -> usize {
        self.n_coordinates
    }

    /// Number of velocities.
    #[inline]
    pub fn n_velocities(&self) -> usize {
        self.velocity_layout.n
    }

    /// Where bodies' velocities stand.
    #[inline]
    pub fn velocity_layout(&self) -> &Arc<VelocityLayout> {
        &self.velocity_layout
    }

    /// Whether an instant has more than the state: poses, or named expressions.
    #[inline]
    pub(crate) fn has_instants(&self) -> bool {
        self.has_instants
    }

    /// Whether everything is linear, so that a θ-step needs one pass.
    #[inline]
    pub fn is_linear(&self) -> bool {
        self.is_linear
    }

    /// Whether all systems are linear or bodies: their M̂ and free motion depend on the end of a step through forces alone.
    #[inline]
    pub(crate) fn has_linear_systems(&self) -> bool {
        self.has_linear_systems
    }

    /// Whether a law has no step form, so that schemes must let it have its impacts at an instant.
    #[inline]
    pub fn has_phases(&self) -> bool {
        self.has_phases
    }

    /// Whether velocities of bodies have working axes that differ from those of the state.
    #[inline]
    pub fn has_working_axes(&self) -> bool {
        !self.rigid.bodies.is_empty()
    }

    /// Whether springs or dampers exert forces explicitly.
    #[inline]
    pub fn is_elastic(&self) -> bool {
        self.is_elastic
    }

    /// Whether forces may depend on velocities, those of springs and dampers left out.
    #[inline]
    pub fn sees_velocities(&self) -> bool {
        self.sees_velocities
    }

    /// Whether M̂ depends on its coefficients alone.
    #[inline]
    pub fn has_constant_mass(&self) -> bool {
        self.has_constant_mass
    }

    /// Whether nothing but constant loads acts, on independent coordinates.
    #[inline]
    pub fn is_ballistic(&self) -> bool {
        self.ballistic.is_some()
    }

    /// Whether J of all constraints is constant and nothing moves by itself.
    #[inline]
    pub fn has_constant_rows(&self) -> bool {
        self.has_constant_rows
    }

    /// Whether what is remembered of lasting forces is their rows.
    #[inline]
    pub(crate) fn stores_rows(&self) -> bool {
        self.stores_rows
    }

    /// Number of members of all families.
    pub fn n_members(&self) -> usize {
        self.systems.iter().map(|family| family.layout().members.end).max().unwrap_or(0)
    }

    /// The member to which the velocity at place `i` of v belongs.
    #[inline]
    pub fn member_of(&self, i: usize) -> usize {
        self.members[i] as usize
    }

    /// Whether one of these velocities belongs to a member of the part.
    pub fn involves(
        &self,
        part: &crate::part::Part<'_>,
        mut velocities: impl Iterator<Item = u32>,
    ) -> bool {
        velocities.any(|i| part.members.contains(self.member_of(i as usize)))
    }

    /// Whether gap `i` of the members of all families is that of a bilateral constraint.
    pub fn is_bilateral_gap(&self, i: usize) -> bool {
        self.bilateral_gaps.get(i).copied().unwrap_or(false)
    }

    /// A law.
    #[inline]
    pub(crate) fn law(&self, id: LawId) -> &dyn Law {
        &*self.laws[id.0 as usize].1
    }

    /// Puts other laws in the place of those for which `exchange` has one. Rows stay those of the constraints: who asks for an impact is told
    /// where a law does not fit.
    pub fn exchange_laws(&mut self, exchange: impl Fn(&dyn Law) -> Option<Box<dyn Law>>) {
        let laws =
            Arc::get_mut(&mut self.laws).expect("a model that was built alone has its laws alone");
        for (_, law) in laws {
            if let Some(other) = exchange(&**law) {
                *law = other;
            }
        }
        self.has_phases = self.laws.iter().any(|(_, law)| !law.forms().step);
    }

    /// All laws with their names.
    pub(crate) fn laws_in_use(&self) -> impl Iterator<Item = (String, &dyn Law)> {
        self.laws.iter().map(|(name, law)| (name.clone(), &**law))
    }

    /// All laws with their names, for who describes a model.
    pub fn named_laws(&self) -> impl Iterator<Item = (&str, &dyn Law)> {
        self.laws.iter().map(|(name, law)| (name.as_str(), &**law))
    }

    /// Intensities of the bonds of some constraints, into `out`; of a contact point that was none at the start the mean of those of its colliders,
    /// 0 where nothing is glued. Nothing is written where the model has no bonds.
    pub(crate) fn intensities(
        &self,
        memory: &ConstraintMemory,
        ids: &[ConstraintId],
        out: &mut Vec<f64>,
    ) {
        out.clear();
        if self.bonds.is_empty() {
            return;
        }
        let of = |bond: ConstraintId| {
            let law = self.law(self.family(bond).law(self, bond));
            let none = [0.0; 8];
            let known = memory.find(bond).map_or(&none[..law.n_history()], |known| known.history);
            law.intensity(known).unwrap_or(0.0)
        };
        for &id in ids {
            let own = self.bonds.binary_search_by_key(&id, |(glued, _)| *glued);
            out.push(own.map_or_else(|_| self.mean_intensity(id, of), |k| of(self.bonds[k].1)));
        }
    }

    /// The mean of the bonds of two colliders.
    fn mean_intensity(&self, id: ConstraintId, of: impl Fn(ConstraintId) -> f64) -> f64 {
        if self.family(id).n_members() > 0 {
            return 0.0;
        }
        let is_same =
            |glued: &ConstraintId| glued.family() == id.family() && glued.colliders() == id.colliders();
        let same = self.bonds.iter().filter(|(glued, _)| is_same(glued));
        let (sum, n) = same.fold((0.0, 0.0), |(sum, n), (_, bond)| (sum + of(*bond), n + 1.0));
        if n > 0.0 { sum / n } else { 0.0 }
    }

    /// All laws.
    pub fn laws(&self) -> impl Iterator<Item = &dyn Law> {
        self.laws.iter().map(|(_, law)| &**law)
    }

    /// The name of a law.
    pub fn law_name(&self, id: LawId) -> &str {
        &self.laws[id.0 as usize].0
    }

    /// The family of a constraint.
    #[inline]
    pub fn family(&self, id: ConstraintId) -> &dyn ConstraintFamily {
        &*self.constraints[id.family()]
    }

    /// Number of all constraints that were registered by name.
    pub fn n_constraints(&self) -> usize {
        self.constraints.iter().map(|family| family.n_members()).sum()
    }

    /// Number of a constraint among all that were registered by name, counted through the families; `None` for contacts of bodies.
    pub fn constraint_number(&self, id: ConstraintId) -> Option<usize> {
        let before =
            self.constraints[..id.family()].iter().map(|family| family.n_members()).sum::<usize>();
        (id.number() < self.family(id).n_members()).then(|| before + id.number())
    }

    /// Names of all constraints that were registered by name, in the order of their numbers.
    pub fn constraint_names(&self) -> impl Iterator<Item = &str> {
        self.constraints.iter().flat_map(|family| (0..family.n_members()).map(|i| family.member_name(i)))
    }

    /// The size by which lengths of a constraint are judged [m].
    pub fn size_of(&self, id: ConstraintId) -> f64 {
        self.family(id).size(self, id)
    }

    /// What a constraint is called in messages.
    pub fn describe(&self, id: ConstraintId) -> String {
        self.family(id).describe(self, id)
    }

    /// System or body and velocity at place `i` of v.
    pub fn velocity_name(&self, i: usize) -> (String, String) {
        let family = self.systems.iter().find(|family| family.layout().v.contains(&i));
        family.expect("every velocity belongs to a family").velocity_name(self, i)
    }

    /// System or body and coordinate at place `i` of q.
    pub fn coordinate_name(&self, i: usize) -> (String, String) {
        let family = self.systems.iter().find(|family| family.layout().q.contains(&i));
        family.expect("every coordinate belongs to a family").coordinate_name(self, i)
    }

    /// Empty mass groups of all families.
    pub fn mass_groups(&self) -> MassGroups {
        let mut mass = MassGroups::new(self.velocity_layout.clone());
        self.systems.iter().for_each(|family| family.push_groups(self, &mut mass));
        mass
    }
}
