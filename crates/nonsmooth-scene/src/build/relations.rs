//! First-order systems, relations and couplings of a scene.

use super::Build;
use super::names::OfRelation;
use super::systems::is_name;
use crate::formula::{Expr, Op, Program};
use crate::relations::{FormulaCoupling, FormulaRelation, Used, variables};
use crate::scene::{self, Quantity, Vector};
use crate::source::Path;
use nonsmooth::model::relations::{LinearRelation, Polytope, RelationFunction, Variable};
use nonsmooth::model::{FirstOrder, LawId, SystemId};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// ẋ by formulas, to be read when everything it may name is known: system, its number of states, path, formulas, copy.
pub(super) struct Rate<'a> {
    system: usize,
    name: String,
    n: usize,
    path: Path,
    vector: &'a Vector,
    copy: Option<usize>,
}

/// On what a relation acts: system and place.
type Acts = Vec<(SystemId, usize)>;

impl<'a> Build<'a> {
    pub(super) fn first_order_systems(&mut self) {
        let scene = self.scene;
        for (k, spec) in scene.system.first_order.iter().enumerate() {
            let path = Path::of("system.first_order").index(k);
            self.each_copy(&path, spec.repeat.as_ref(), |build, copy| {
                build.first_order(&path, spec, copy);
            });
        }
    }

    fn first_order(&mut self, path: &Path, spec: &'a scene::FirstOrder, copy: Option<usize>) {
        let owner = self.register_states(path, spec, copy);
        let (n, system) = (spec.states.len(), self.system_names.len() - 1);
        let matrix = spec.a.as_ref().map(|a| self.matrix(&path.key("A"), a, n, copy));
        let input = spec.b.as_ref().map(|b| self.of_time(&path.key("b"), b, n, copy));
        let x = self.vector(&path.key("x"), &spec.x, n, copy);
        if let Some(vector) = &spec.rate {
            if let Vector::Each(list) = vector
                && list.len() != n
            {
                let got = list.len();
                let message = format!("must have one entry per state ({n}), has {got}");
                self.mistake(&path.key("rate"), message);
            } else {
                let (name, path) = (format!("{owner}.rate"), path.key("rate"));
                self.rates.push(Rate { system, name, n, path, vector, copy });
            }
        }
        if matches!(matrix, Some(None)) || matches!(input, Some(None)) {
            return;
        }
        let Some(x) = x else { return };
        let names: Vec<&str> = spec.states.iter().map(String::as_str).collect();
        let mut given = FirstOrder::new(&owner, &x).states(&names);
        given.matrix = matrix.flatten();
        if let Some(programs) = input.flatten() {
            given = given.input(move |t, out| {
                programs.iter().zip(out).for_each(|(program, out)| *out = program.eval(&[t]));
                Ok(())
            });
        }
        self.builder.first_order(given);
    }

    /// Registers the names of the states; returns the system's full name.
    fn register_states(&mut self, path: &Path, spec: &scene::FirstOrder, copy: Option<usize>) -> String {
        let owner = copy.map_or(spec.name.clone(), |i| format!("{}[{i}]", spec.name));
        if !is_name(&spec.name) {
            let name = &spec.name;
            let message = format!("`{name}` is not a name: letters, digits and _, not first a digit");
            self.mistake(&path.key("name"), message);
        }
        if copy.is_none_or(|i| i == 0) && self.system_names.contains(&owner) {
            self.mistake(&path.key("name"), format!("there are two systems called `{owner}`"));
        }
        if spec.states.is_empty() {
            self.mistake(&path.key("states"), "a first-order system needs at least one state".into());
        }
        for (i, state) in spec.states.iter().enumerate() {
            match self.wrong_name(state, &spec.states[..i]) {
                Some(message) => self.mistake(&path.key("states").index(i), message),
                None => self.directory.add_state(&owner, state, self.system_names.len(), i),
            }
        }
        self.directory.add_states(spec.states.len());
        self.system_names.push(owner.clone());
        self.system_paths.push(path.clone());
        owner
    }

    /// Why a state or an input cannot have this name.
    pub(super) fn wrong_name(&self, name: &str, before: &[String]) -> Option<String> {
        if !is_name(name) {
            return Some(format!("`{name}` is not a name: letters, digits and _, not first a digit"));
        }
        if matches!(name, "t" | "pi" | "i") || Op::named(name).is_some() {
            return Some(format!("`{name}` has a meaning of its own in formulas; choose another name"));
        }
        if self.parameters.contains_key(name) {
            return Some(format!("`{name}` is a parameter; choose another name"));
        }
        before.contains(&name.to_owned()).then(|| format!("`{name}` is given twice"))
    }

    /// One program of t for each of `n` entries.
    fn of_time(
        &mut self,
        path: &Path,
        vector: &Vector,
        n: usize,
        copy: Option<usize>,
    ) -> Option<Vec<Program>> {
        let parameters = self.parameters.clone();
        let constants = super::names::Constants { parameters: &parameters, index: copy };
        let expressions = self.expressions(path, vector, n, &super::names::OfTime(constants))?;
        Some(expressions.iter().map(Program::compile).collect())
    }

    /// Rates, couplings and relations, once everything that they may name is known.
    pub(super) fn relations(&mut self, laws: &BTreeMap<&str, LawId>) {
        for Rate { system, name, n, path, vector, copy } in std::mem::take(&mut self.rates) {
            let list: Vec<(Path, &Quantity)> = match vector {
                Vector::All(quantity) => vec![(path.clone(), quantity); n],
                Vector::Each(list) => {
                    list.iter().enumerate().map(|(k, quantity)| (path.index(k), quantity)).collect()
                }
            };
            let Some((found, used)) = self.relation_formulas(&list, &[], copy) else { continue };
            let acts: Acts = (0..n).map(|k| (SystemId(system), k)).collect();
            let coupling = FormulaCoupling::new(&found, &used);
            self.builder.coupling(&name, &variables(&used), &acts, coupling);
            self.relation_paths.push(path);
        }
        let scene = self.scene;
        for (k, spec) in scene.coupling.iter().enumerate() {
            let path = Path::of("coupling").index(k);
            if spec.acts.is_empty() {
                let message = "acts on nothing; name a state or a coordinate".to_owned();
                self.mistake(&path.key("acts"), message);
            }
            let Some(acts) = self.acts(&path, &spec.acts) else { continue };
            let list: Vec<(Path, &Quantity)> =
                spec.acts.iter().map(|(name, q)| (path.key("acts").key(name), q)).collect();
            let Some((found, used)) = self.relation_formulas(&list, &[], None) else { continue };
            let coupling = FormulaCoupling::new(&found, &used);
            self.builder.coupling(&spec.name, &variables(&used), &acts, coupling);
            self.relation_paths.push(path);
        }
        for (k, spec) in scene.relation.iter().enumerate() {
            let path = Path::of("relation").index(k);
            let law = match (&spec.law, &spec.polytope) {
                (Some(law), None) => self.law_called(&path, law, laws).map(Some),
                (None, Some(_)) => Some(None),
                _ => {
                    let message = "a relation has exactly one of `law` and `polytope`".to_owned();
                    self.mistake(&path, message);
                    None
                }
            };
            match (&spec.system, spec.outputs.is_empty()) {
                (Some(system), true) => self.relation_of_matrices(&path, spec, system, law),
                (None, false) => self.relation_of_formulas(&path, spec, law),
                _ => {
                    let message = "a relation is given by `inputs`, `outputs` and `acts`, or by `system`, `C`, `D`, `e` and `B`";
                    self.mistake(&path, message.to_owned());
                }
            }
        }
    }

    fn relation_of_formulas(
        &mut self,
        path: &Path,
        spec: &'a scene::Relation,
        law: Option<Option<LawId>>,
    ) {
        let given = [("C", !spec.c.is_empty()), ("D", !spec.d.is_empty()), ("e", !spec.e.is_empty())];
        for (key, _) in given.into_iter().chain([("B", !spec.b.is_empty())]).filter(|(_, is)| *is) {
            let message = "belongs to `system`, not to formulas; leave it out".to_owned();
            self.mistake(&path.key(key), message);
        }
        for (i, input) in spec.inputs.iter().enumerate() {
            let taken = self.directory.reading(input).is_some();
            let taken =
                taken.then(|| format!("`{input}` is a state or coordinate; choose another name"));
            if let Some(message) = self.wrong_name(input, &spec.inputs[..i]).or(taken) {
                self.mistake(&path.key("inputs").index(i), message);
            }
        }
        let (m, got) = (spec.inputs.len(), spec.outputs.len());
        if m != got {
            let message = format!("must have one output for each input ({m}), has {got}");
            return self.mistake(&path.key("outputs"), message);
        }
        let outputs = spec.outputs.iter().enumerate().map(|(i, q)| (path.key("outputs").index(i), q));
        let acting = spec.acts.iter().map(|(name, q)| (path.key("acts").key(name), q));
        let list: Vec<(Path, &Quantity)> = outputs.chain(acting).collect();
        let acts = self.acts(path, &spec.acts);
        let found = self.relation_formulas(&list, &spec.inputs, None);
        let (Some(acts), Some((found, used)), Some(law)) = (acts, found, law) else { return };
        let (outputs, inputs) = found.split_at(m);
        let function = FormulaRelation::new(outputs, inputs, &used);
        self.add_relation(path, spec, (law, m), (&variables(&used), &acts), function);
    }

    fn relation_of_matrices(
        &mut self,
        path: &Path,
        spec: &'a scene::Relation,
        system: &str,
        law: Option<Option<LawId>>,
    ) {
        for (key, is_given) in [("inputs", !spec.inputs.is_empty()), ("acts", !spec.acts.is_empty())] {
            if is_given {
                let message = "belongs to formulas, not to `system`; leave it out".to_owned();
                self.mistake(&path.key(key), message);
            }
        }
        let Some((number, n)) = self.directory.states_of(system, &self.system_names) else {
            let known = self.directory.state_systems(&self.system_names).join(", ");
            let known = if known.is_empty() { "none".to_owned() } else { known };
            let message = format!("no first-order system `{system}`; the scene has {known}");
            return self.mistake(&path.key("system"), message);
        };
        let m = spec.c.len();
        let c = self.table(&path.key("C"), &spec.c, (m, n));
        let b = self.table(&path.key("B"), &spec.b, (n, m));
        let d = if spec.d.is_empty() {
            Some(Vec::new())
        } else {
            self.table(&path.key("D"), &spec.d, (m, m))
        };
        let e = match spec.e.is_empty() {
            true => Some(Vec::new()),
            false => self.of_time(&path.key("e"), &Vector::Each(spec.e.clone()), m, None),
        };
        if m == 0 {
            self.mistake(path, "`C` needs a row for each output".to_owned());
        }
        let (Some(c), Some(b), Some(d), Some(e), Some(law)) = (c, b, d, e, law) else { return };
        let mut function = LinearRelation::new(m, &c, &b).feedthrough(&d);
        if !e.is_empty() {
            function = function.offset(move |t, out| {
                e.iter().zip(out).for_each(|(program, out)| *out = program.eval(&[t]));
                Ok(())
            });
        }
        let reads: Vec<Variable> = (0..n).map(|k| Variable::state(SystemId(number), k)).collect();
        let acts: Acts = (0..n).map(|k| (SystemId(number), k)).collect();
        self.add_relation(path, spec, (law, m), (&reads, &acts), function);
    }

    /// Adds a relation with its law or polytope.
    fn add_relation(
        &mut self,
        path: &Path,
        spec: &scene::Relation,
        (law, m): (Option<LawId>, usize),
        (reads, acts): (&[Variable], &[(SystemId, usize)]),
        function: impl RelationFunction + 'static,
    ) {
        if let Some(law) = law {
            self.builder.relation(&spec.name, law, reads, acts, function);
        } else if let Some(sides) = &spec.polytope {
            let place = path.key("polytope");
            let normals = self.table(&place.key("normals"), &sides.normals, (sides.bounds.len(), m));
            let bounds = self.table(
                &place.key("bounds"),
                std::slice::from_ref(&sides.bounds),
                (1, sides.bounds.len()),
            );
            let (Some(normals), Some(bounds)) = (normals, bounds) else { return };
            let function = Polytope::new(function, &normals, &bounds);
            self.builder.polytope(&spec.name, reads, acts, function);
        }
        self.relation_paths.push(path.clone());
    }

    /// Numbers by rows.
    fn table(
        &mut self,
        path: &Path,
        rows: &[Vec<Quantity>],
        (m, n): (usize, usize),
    ) -> Option<Vec<f64>> {
        let before = self.mistakes.len();
        if rows.len() != m {
            let message = format!("must have {m} rows, has {}", rows.len());
            self.mistake(path, message);
        }
        let mut out = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            if row.len() != n {
                let message = format!("row {i} must have {n} entries, has {}", row.len());
                self.mistake(&path.index(i), message);
            }
            for (j, quantity) in row.iter().enumerate() {
                out.extend(self.number(&path.index(i).index(j), quantity, None));
            }
        }
        (self.mistakes.len() == before).then_some(out)
    }

    /// The states and velocities that names mean.
    fn acts(&mut self, path: &Path, given: &BTreeMap<String, Quantity>) -> Option<Acts> {
        let mut out = Vec::new();
        for name in given.keys() {
            match self.directory.acted(name) {
                Some((system, place)) => out.push((SystemId(system), place)),
                None => {
                    let known = self.directory.acted_names();
                    let hint = nonsmooth_solvers::nearest(name, known.iter().map(String::as_str));
                    let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
                    let message = format!(
                        "no state or coordinate `{name}` to act on{hint}; rotations of bodies in space take torques by [[body]]"
                    );
                    self.mistake(&path.key("acts").key(name), message);
                }
            }
        }
        (out.len() == given.len()).then_some(out)
    }

    /// Formulas of inputs, t and everything that relations read.
    fn relation_formulas(
        &mut self,
        list: &[(Path, &Quantity)],
        inputs: &[String],
        copy: Option<usize>,
    ) -> Option<(Vec<Expr>, Vec<Used>)> {
        let scope = OfRelation {
            constants: self.constants(copy),
            directory: &self.directory,
            inputs,
            used: RefCell::default(),
        };
        let found: Vec<_> =
            list.iter().map(|(path, quantity)| self.formula(path, quantity, &scope)).collect();
        let used = scope.used.into_inner();
        let mut good = Vec::new();
        for formula in found {
            match formula {
                Ok(expression) => good.push(expression),
                Err(mut mistakes) => self.mistakes.append(&mut mistakes),
            }
        }
        (good.len() == list.len()).then_some((good, used))
    }
}
