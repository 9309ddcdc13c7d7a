//! States of first-order systems by name, and what relations read and act on.

use super::{BodyReading, Constants, Directory, RATES, without_velocity_mark};
use crate::formula::{Meaning, Scope};
use crate::formulas::TIME;
use crate::relations::{self, Used};
use nonsmooth::model::SystemId;
use nonsmooth::model::relations::Variable;
use std::cell::RefCell;

impl Directory {
    /// Registers an output of a controller, before all expressions.
    pub(in super::super) fn add_input(&mut self, name: &str) {
        self.inputs.push(name.to_owned());
    }

    /// The place of an output of a controller among the signals.
    pub(super) fn input(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|known| known == name)
    }

    /// Registers state `place` of system number `system`. A plain name that a coordinate has too means neither.
    pub(in super::super) fn add_state(&mut self, owner: &str, name: &str, system: usize, place: usize) {
        self.states.insert(format!("{owner}.{name}"), Some((system, place)));
        let plain = self.states.entry(name.to_owned()).or_insert(Some((system, place)));
        if *plain != Some((system, place)) {
            *plain = None;
        }
        if let Some(known) = self.known.get_mut(name) {
            (*known, *plain) = (None, None);
        }
    }

    /// Registers the next system, of `n` states and no coordinates.
    pub(in super::super) fn add_states(&mut self, n: usize) {
        self.state_blocks.insert(self.first.len(), (self.n_states, n));
        self.n_states += n;
        self.add_system(0);
    }

    /// Number and number of states of the first-order system called `name`.
    pub(in super::super) fn states_of(&self, name: &str, systems: &[String]) -> Option<(usize, usize)> {
        let found = self.state_blocks.iter().find(|(number, _)| systems[**number] == name);
        found.map(|(number, (_, n))| (*number, *n))
    }

    /// Names of the first-order systems.
    pub(in super::super) fn state_systems(&self, systems: &[String]) -> Vec<String> {
        self.state_blocks.keys().map(|number| systems[*number].clone()).collect()
    }

    /// Place in v of a state: behind those of systems and bodies.
    pub(super) fn state_place(&self, (system, k): (usize, usize)) -> usize {
        let per_body = if self.in_plane { 3 } else { 6 };
        self.n_of_systems + per_body * self.n_moving + self.state_blocks[&system].0 + k
    }

    /// The state, or the coordinate by its velocity, on which r of a relation acts.
    pub(in super::super) fn acted(&self, name: &str) -> Option<(usize, usize)> {
        if let Some(found) = self.states.get(name).copied().flatten() {
            return Some(found);
        }
        let (system, k) = self.find(name)?;
        let is_rotation = system >= SystemId::of_body(0).0 && !self.in_plane && k >= 3;
        (!is_rotation).then_some((system, k))
    }

    /// Names on which relations can act.
    pub(in super::super) fn acted_names(&self) -> Vec<String> {
        let states = self.states.iter().filter(|(_, place)| place.is_some());
        states.map(|(name, _)| name.clone()).chain(self.names()).collect()
    }

    /// What relations read under `name`, if it is a state, a coordinate or a velocity.
    fn variable(&self, name: &str) -> Option<Variable> {
        if let Some((system, k)) = self.states.get(name).copied().flatten() {
            return Some(Variable::Velocity(SystemId(system), k));
        }
        if let Some((system, k)) = self.find(name) {
            return Some(Variable::Coordinate(SystemId(system), k));
        }
        if let Some((family, number, quantity)) = self.body(name) {
            let place = RATES[usize::from(!self.in_plane)].iter().find(|(known, _)| *known == quantity);
            let place = match place?.1 {
                BodyReading::Velocity(k) => k,
                BodyReading::Spin(_) if self.in_plane => 2,
                BodyReading::Spin(k) => 3 + k,
                _ => return None,
            };
            return (!family.is_kinematic).then(|| Variable::Velocity(SystemId::of_body(number), place));
        }
        let (system, k) = self.known.get(&without_velocity_mark(name)?).copied().flatten()?;
        Some(Variable::Velocity(SystemId(system), k))
    }
}

/// Constants, t, the inputs of a relation, and everything that relations read; notes what was used, in order.
pub(in super::super) struct OfRelation<'a> {
    pub(in super::super) constants: Constants<'a>,
    pub(in super::super) directory: &'a Directory,
    pub(in super::super) inputs: &'a [String],
    pub(in super::super) used: RefCell<Vec<Used>>,
}

impl Scope for OfRelation<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        if name == "t" {
            return Some(Meaning::Slot(TIME));
        }
        if let Some(k) = self.inputs.iter().position(|input| input == name) {
            return Some(Meaning::Slot(relations::input(k)));
        }
        if let Some(formula) = self.directory.inlined(name, self) {
            return Some(Meaning::Formula(formula));
        }
        let signal = self.directory.input(name).map(Used::Signal);
        let found = signal.or_else(|| self.directory.variable(name).map(Used::Variable));
        let Some(found) = found else { return self.constants.get(name) };
        let mut used = self.used.borrow_mut();
        let k = used.iter().position(|known| *known == found).unwrap_or_else(|| {
            used.push(found);
            used.len() - 1
        });
        Some(Meaning::Slot(relations::read(self.inputs.len(), k)))
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.directory.readings();
        names.extend(self.inputs.iter().cloned());
        names.push("t".to_owned());
        names.extend(self.constants.list());
        names
    }
}
