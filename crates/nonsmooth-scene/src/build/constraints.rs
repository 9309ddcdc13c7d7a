//! Constraints and laws of a scene.
//!
//! A gap that is linear in the coordinates and free of t joins the linear family; all others keep
//! their formula, with symbolic Jacobian and rate.

use super::Build;
use super::names::OfScene;
use crate::formula::Expr;
use crate::formulas::{
    FormulaGap, FormulaVelocity, TIME, coordinate, is_linear_in_velocities, velocity,
};
use crate::scene;
use crate::source::Path;
use nonsmooth::laws::{self, Law};
use nonsmooth::model::{LawId, SystemId};
use nonsmooth_solvers::nearest;
use std::cell::RefCell;
use std::collections::BTreeMap;

impl<'a> Build<'a> {
    /// The laws of the scene by name.
    pub(super) fn laws(&mut self) -> BTreeMap<&'a str, LawId> {
        let scene = self.scene;
        let mut laws = BTreeMap::new();
        for (name, chosen) in &scene.law {
            if let Some(form) = self.law(name, chosen) {
                laws.insert(name.as_str(), self.builder.boxed_law(name, form));
            }
        }
        laws
    }

    /// The law called `name`; one with a mistake of its own is `None` without a word.
    pub(super) fn law_called(
        &mut self,
        path: &Path,
        name: &str,
        laws: &BTreeMap<&str, LawId>,
    ) -> Option<LawId> {
        let known = &self.scene.law;
        if !known.contains_key(name) {
            let hint = nearest(name, known.keys().map(String::as_str));
            let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
            let list = known.keys().cloned().collect::<Vec<_>>().join(", ");
            let list = if list.is_empty() { "no [law.…] table".to_owned() } else { list };
            let message = format!("no law `{name}`{hint}; the scene has {list}");
            self.mistake(&path.key("law"), message);
        }
        laws.get(name).copied()
    }

    pub(super) fn constraints(&mut self, laws: &BTreeMap<&str, LawId>) {
        let scene = self.scene;
        let mut names = std::collections::BTreeSet::new();
        for (k, spec) in scene.constraint.iter().enumerate() {
            let path = Path::of("constraint").index(k);
            if !names.insert(&spec.name) {
                self.mistake(
                    &path.key("name"),
                    format!("there are two constraints called `{}`", spec.name),
                );
            }
            let law = self.law_called(&path, &spec.law, laws);
            self.each_copy(&path, spec.repeat.as_ref(), |build, copy| {
                build.constraint(&path, spec, law, copy);
            });
        }
    }

    /// The law of the scene that a pair of materials names.
    pub(super) fn named_law(&mut self, path: &Path, name: &str) -> Option<Box<dyn Law>> {
        let scene = self.scene;
        match scene.law.get(name) {
            Some(chosen) => self.law(name, chosen),
            None => {
                self.no_law(path, name);
                None
            }
        }
    }

    fn no_law(&mut self, path: &Path, name: &str) {
        let known = &self.scene.law;
        let hint = nearest(name, known.keys().map(String::as_str));
        let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
        let list = known.keys().cloned().collect::<Vec<_>>().join(", ");
        let list = if list.is_empty() { "no [law.…] table".to_owned() } else { list };
        self.mistake(path, format!("no law `{name}`{hint}; the scene has {list}"));
    }

    pub(super) fn law(&mut self, name: &str, chosen: &scene::Chosen) -> Option<Box<dyn Law>> {
        let path = Path::of("law").key(name);
        // An unknown name was reported with the form of the scene.
        let entry = laws::find(&chosen.name)?;
        let options = self.options(&path, chosen, entry.options)?;
        match entry.build(&options) {
            Ok(form) => Some(form),
            Err(errors) => {
                self.option_errors(&path, &errors);
                None
            }
        }
    }

    fn constraint(
        &mut self,
        path: &Path,
        spec: &scene::Constraint,
        law: Option<LawId>,
        copy: Option<usize>,
    ) {
        let (key, quantity) = match (&spec.gap, &spec.velocity) {
            (Some(gap), None) => ("gap", gap),
            (None, Some(velocity)) => ("velocity", velocity),
            _ => {
                let message = "a constraint has exactly one of `gap` and `velocity`".to_owned();
                return self.mistake(path, message);
            }
        };
        if key == "velocity" && !spec.tangents.is_empty() {
            let message = "tangents belong to a `gap`, not to a `velocity`".to_owned();
            return self.mistake(&path.key("tangents"), message);
        }
        let mut scope = OfScene {
            constants: self.constants(copy),
            directory: &self.directory,
            velocities: key == "velocity",
            used: RefCell::default(),
        };
        let formula = self.formula(&path.key(key), quantity, &scope);
        scope.velocities = true;
        let slide = |(k, u)| {
            let path = path.key("tangents").index(k);
            self.formula(&path, u, &scope)
        };
        let tangents: Vec<_> = spec.tangents.iter().enumerate().map(slide).collect();
        let used = scope.used.into_inner();
        let mut good = Vec::new();
        for formula in std::iter::once(formula).chain(tangents) {
            match formula {
                Ok(expression) => good.push(expression),
                Err(mut mistakes) => self.mistakes.append(&mut mistakes),
            }
        }
        if good.len() < 1 + spec.tangents.len() {
            return;
        }
        let (expression, tangents) = (good.remove(0), good);
        if !self.check_velocities(path, (key, &expression), &tangents, used.len()) {
            return;
        }
        let name = copy.map_or(spec.name.clone(), |i| format!("{}[{i}]", spec.name));
        let Some(law) = law else { return };
        self.constraint_paths.push(path.key(key));
        self.constrained.extend(used.iter().map(|place| self.directory.place(*place)));
        let on: Vec<(SystemId, usize)> = used.iter().map(|&(s, k)| (SystemId(s), k)).collect();
        if key == "velocity" {
            let constraint = FormulaVelocity::new(&expression, on.len());
            return self.builder.velocity_constraint(&name, law, &on, constraint);
        }
        match linear_form(&expression, on.len()) {
            Some((coefficients, offset)) if tangents.is_empty() => {
                let terms: Vec<(SystemId, usize, f64)> =
                    on.iter().zip(coefficients).map(|(&(s, k), c)| (s, k, c)).collect();
                self.builder.linear_gap(&name, law, &terms, offset);
            }
            _ => self.builder.gap(&name, law, &on, FormulaGap::new(&expression, &tangents, on.len())),
        }
    }
    /// Whether a constraint on a velocity and all tangents depend on velocities, tangents linearly.
    fn check_velocities(
        &mut self,
        path: &Path,
        (key, expression): (&str, &Expr),
        tangents: &[Expr],
        n: usize,
    ) -> bool {
        let before = self.mistakes.len();
        let slides = |u: &Expr| (0..n).any(|k| u.uses(velocity(k)));
        if key == "velocity" && !slides(expression) {
            let message = "depends on no velocity, so no impulse could act on it; give a `gap`, or velocities `v_…`";
            self.mistake(&path.key(key), message.to_owned());
        }
        for (k, u) in tangents.iter().enumerate() {
            let message = if !slides(u) {
                "depends on no velocity; give the sliding velocity, `v_…`"
            } else if !is_linear_in_velocities(u, n) {
                "a sliding velocity must be linear in the velocities"
            } else {
                continue;
            };
            self.mistake(&path.key("tangents").index(k), message.to_owned());
        }
        self.mistakes.len() == before
    }
}

/// Coefficients and offset of a formula that is linear in n coordinates and free of t.
fn linear_form(gap: &Expr, n: usize) -> Option<(Vec<f64>, f64)> {
    if gap.uses(TIME) {
        return None;
    }
    let slopes: Option<Vec<f64>> = (0..n).map(|k| gap.derivative(coordinate(k)).constant()).collect();
    let origin = vec![0.0; 1 + 2 * n];
    Some((slopes?, crate::formula::Program::compile(gap).eval(&origin)))
}
