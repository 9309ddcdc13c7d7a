//! Building first-order systems, relations and couplings: what is given, what is wrong with it, where it stands.

use super::{GivenSystem, ModelBuilder, Places, SystemId};
use crate::laws::Law;
use crate::model::controllers::{GivenController, Sampling};
use crate::model::instant::Instant;
use crate::model::issue::{Issue, Place};
use crate::model::relations::{
    Coupling, CouplingFunction, GivenRelation, Polytope, Read, Relation, RelationFunction, RelationLaw,
    Variable,
};
use crate::model::systems::{FirstOrder, FirstOrderSystems};
use crate::model::{Contents, LawId, State, UserError};
use std::ops::Range;

impl ModelBuilder {
    /// Adds a first-order system ẋ = A x + b(t) + r. [`Variable::state`] names its states.
    pub fn first_order(&mut self, system: FirstOrder) -> SystemId {
        self.systems.push(GivenSystem::FirstOrder(Box::new(system)));
        SystemId(self.systems.len() - 1)
    }

    /// Adds a relation: y = h(z, λ, t) and r = g(z, λ, t) on the variables `reads` and on the states and velocities `acts`, each row
    /// tied by the law.
    pub fn relation(
        &mut self,
        name: &str,
        law: LawId,
        reads: &[Variable],
        acts: &[(SystemId, usize)],
        function: impl RelationFunction + 'static,
    ) {
        self.add_relation(name, RelationLaw::Rows(law), reads, acts, Box::new(function));
    }

    /// Adds a relation whose λ lies in a polytope.
    pub fn polytope<F: RelationFunction + 'static>(
        &mut self,
        name: &str,
        reads: &[Variable],
        acts: &[(SystemId, usize)],
        function: Polytope<F>,
    ) {
        self.add_relation(name, RelationLaw::Polytope, reads, acts, Box::new(function));
    }

    /// Adds a coupling: the rates or generalized forces r = g(z, t) on `acts`. Its work on mechanical systems is that of a drive.
    pub fn coupling(
        &mut self,
        name: &str,
        reads: &[Variable],
        acts: &[(SystemId, usize)],
        function: impl CouplingFunction + 'static,
    ) {
        self.add_relation(name, RelationLaw::None, reads, acts, Box::new(Coupling(function)));
    }

    /// Adds sampled control: at instants of its own `function` writes the inputs `outputs`, which are registered by name. They take effect
    /// after the delay and are held.
    pub fn controller(
        &mut self,
        name: &str,
        sampling: Sampling,
        outputs: &[&str],
        function: impl Fn(&Instant<'_>, &mut [f64]) -> Result<(), UserError> + Send + Sync + 'static,
    ) {
        let outputs = outputs.iter().map(|&output| output.to_owned()).collect();
        let (name, function) = (name.to_owned(), Box::new(function));
        self.controllers.push(GivenController { name, sampling, outputs, function });
    }

    /// What is wrong with controllers.
    pub(super) fn check_controllers(&self, issues: &mut Vec<(Place, Issue)>) {
        let inputs: Vec<&str> = self.inputs.iter().map(|(name, _)| name.as_str()).collect();
        for (i, given) in self.controllers.iter().enumerate() {
            given.check(i, &inputs, issues);
        }
    }

    fn add_relation(
        &mut self,
        name: &str,
        law: RelationLaw,
        reads: &[Variable],
        acts: &[(SystemId, usize)],
        function: Box<dyn RelationFunction>,
    ) {
        let (reads, acts) = (reads.to_vec(), acts.to_vec());
        self.relations.push(GivenRelation { name: name.to_owned(), law, reads, acts, function });
    }

    /// Number of velocities of a system or body.
    fn n_velocities(&self, system: SystemId) -> usize {
        match system.body() {
            None => self.systems.get(system.0).map_or(0, GivenSystem::len),
            Some(body) => match self.bodies.n_coordinates(body) {
                7 => 6,
                n => n,
            },
        }
    }

    /// What is wrong with relations.
    pub(super) fn check_relations(&self, issues: &mut Vec<(Place, Issue)>) {
        for (i, given) in self.relations.iter().enumerate() {
            let mut tell = |field: &'static str, issue| issues.push((Place::Relation(i, field), issue));
            if self.relations[..i].iter().any(|other| other.name == given.name) {
                tell("name", Issue::User("there are two relations with this name".to_owned()));
            }
            for variable in &given.reads {
                let (system, k, n) = match *variable {
                    Variable::Coordinate(system, k) => (system, k, self.n_coordinates(system)),
                    Variable::Velocity(system, k) => (system, k, self.n_velocities(system)),
                };
                if k >= n {
                    tell("reads", Issue::NoSuchCoordinate { system: system.0, coordinate: k, n });
                }
            }
            for &(system, k) in &given.acts {
                let n = self.n_velocities(system);
                if k >= n {
                    tell("acts", Issue::NoSuchCoordinate { system: system.0, coordinate: k, n });
                }
            }
            for (field, numbers, size) in given.function.parts(given.reads.len(), given.acts.len()) {
                if numbers.len() != size {
                    let want = format!("{size} entries");
                    tell(field, Issue::Size { want, got: numbers.len().to_string() });
                } else if let Some(index) = numbers.iter().position(|x| !x.is_finite()) {
                    tell(field, Issue::NotFinite { index, value: numbers[index] });
                }
            }
            if let RelationLaw::Rows(law) = given.law {
                let (name, law) = &self.laws[law.0 as usize];
                law_faults(name, &**law).into_iter().for_each(|issue| tell("law", issue));
            }
        }
    }
}

/// Why a law cannot tie y and λ.
fn law_faults(name: &str, law: &dyn Law) -> Vec<Issue> {
    let forms = law.forms();
    let mut issues: Vec<Issue> = law.fault().map(Issue::Law).into_iter().collect();
    let is_scalar = law.dim(0) == Some(1) && law.sets_of(1) == 1;
    if !is_scalar || forms.friction || forms.rebounds || !forms.step || law.n_history() > 0 {
        issues.push(Issue::User(format!(
            "law `{name}` ties gaps and impulses, not y and λ; use complementarity, relay or bilateral, or a polytope"
        )));
    }
    issues
}

/// Appends the family of first-order systems behind all others.
pub(super) fn append_first_order(
    given: Vec<(Range<usize>, FirstOrder)>,
    n_dense: usize,
    (contents, state): (&mut Contents, &mut State),
) {
    if given.is_empty() {
        return;
    }
    let members = contents.systems.iter().map(|family| family.layout().members.end).max().unwrap_or(0);
    given.iter().for_each(|(_, system)| state.v.extend_from_slice(&system.x));
    let family = FirstOrderSystems::new(given, state.q.len(), members, n_dense);
    contents.systems.push(Box::new(family));
}

/// Relations at their places.
pub(super) fn lay_out(given: Vec<GivenRelation>, places: &Places, contents: &Contents) -> Vec<Relation> {
    let velocity = |system: SystemId, k: usize| match system.body() {
        None => (places.systems[system.0] + k) as u32,
        Some(body) => contents.rigid.bodies[places.bodies[body].0 as usize].v + k as u32,
    };
    let mut first = 0;
    let lay = |given: GivenRelation| {
        let mut reads_rotations = false;
        let read = |variable: &Variable| match *variable {
            Variable::Velocity(system, k) => Read::Velocity(velocity(system, k)),
            Variable::Coordinate(system, k) => {
                let is_spatial = system
                    .body()
                    .is_some_and(|body| !contents.rigid.bodies[places.bodies[body].0 as usize].planar);
                reads_rotations |= is_spatial && k >= 3;
                Read::Coordinate((places.first(contents, system) + k) as u32)
            }
        };
        let reads = given.reads.iter().map(read).collect();
        let acts = given.acts.iter().map(|&(system, k)| velocity(system, k)).collect();
        let GivenRelation { name, law, function, .. } = given;
        let n = function.n_rows();
        first += n;
        Relation { name, law, reads, acts, function, reads_rotations, first: first - n }
    };
    given.into_iter().map(lay).collect()
}
