//! Named expressions: values of the state that other formulas use by name. Each is evaluated once per instant, after those that it
//! uses; circles are mistakes.

use super::Build;
use super::instant::OfInstant;
use super::systems::is_name;
use crate::formula::{FormulaError, Op, Wrong, parse};
use crate::scene::Quantity;
use crate::source::Path;
use std::cell::RefCell;
use std::collections::BTreeMap;

impl Build<'_> {
    /// Registers all expressions in an order in which each follows what it uses.
    pub(super) fn expressions_of_scene(&mut self) {
        let scene = self.scene;
        let mut open: BTreeMap<&str, &Quantity> = BTreeMap::new();
        for (name, quantity) in &scene.expressions {
            if self.check_expression_name(name) {
                open.insert(name, quantity);
            }
        }
        // Pass by pass, take what depends only on what is known.
        loop {
            let before = open.len();
            open.retain(|name, quantity| !self.try_expression(name, quantity));
            if open.is_empty() || open.len() == before {
                break;
            }
        }
        for (name, quantity) in &open {
            self.explain_expression(name, quantity, &open);
        }
        self.without_value.extend(open.keys().map(|name| (*name).to_owned()));
    }

    /// Refuses expressions that nothing uses: no table shows their values.
    pub(super) fn unused_expressions(&mut self) {
        for name in self.directory.unused_expressions() {
            let message = format!("no formula uses `{name}`; use it, or take it out");
            self.mistake(&Path::of("expressions").key(&name), message);
        }
    }

    fn check_expression_name(&mut self, name: &str) -> bool {
        let taken = matches!(name, "t" | "pi" | "i") || Op::named(name).is_some();
        let wrong = if !is_name(name) {
            format!("`{name}` is not a name: letters, digits and _, not first a digit")
        } else if taken {
            format!("`{name}` has a meaning of its own in formulas; choose another name")
        } else if self.parameters.contains_key(name) {
            format!("`{name}` is a parameter; choose another name")
        } else if self.directory.reading(name).is_some() {
            format!("`{name}` is a coordinate; choose another name")
        } else {
            return true;
        };
        self.mistake(&Path::of("expressions").key(name), wrong);
        false
    }

    fn try_expression(&mut self, name: &str, quantity: &Quantity) -> bool {
        let errors = self.expression_errors(quantity);
        if !errors.is_empty() {
            return false;
        }
        let path = Path::of("expressions").key(name);
        if let Some(formulas) = self.instant_formulas(&[(path, quantity)], None) {
            self.builder.expression(name, Box::new(move |at| Ok(formulas.values::<1>(at)[0])));
            self.directory.add_expression(name, quantity);
        } else {
            self.without_value.insert(name.to_owned());
        }
        true
    }

    fn expression_errors(&self, quantity: &Quantity) -> Vec<FormulaError> {
        let Quantity::Formula(text) = quantity else { return Vec::new() };
        let scope = OfInstant {
            constants: self.constants(None),
            directory: &self.directory,
            used: RefCell::default(),
        };
        parse(text, &scope).err().unwrap_or_default()
    }

    /// Says why an expression has no value. One that only uses others without a value is told if it is part of a circle.
    fn explain_expression(&mut self, name: &str, quantity: &Quantity, open: &BTreeMap<&str, &Quantity>) {
        let path = Path::of("expressions").key(name);
        for error in self.expression_errors(quantity) {
            let message = match &error.wrong {
                Wrong::UnknownName { name: other, .. } if open.contains_key(other.as_str()) => {
                    if other != name && !self.reaches(other, name, open) {
                        continue;
                    }
                    format!("`{other}` has no value: expressions refer to each other in a circle")
                }
                Wrong::UnknownName { name: other, .. } if self.without_value.contains(other) => continue,
                wrong => wrong.to_string(),
            };
            let span = self.source.span_in_string(&path, error.span.clone());
            self.mistake_at(span, message);
        }
    }

    /// Whether expression `from` uses `to`, directly or through others that have no value.
    fn reaches(&self, from: &str, to: &str, open: &BTreeMap<&str, &Quantity>) -> bool {
        let mut reached = vec![from.to_owned()];
        let mut k = 0;
        while k < reached.len() {
            let Some(quantity) = open.get(reached[k].as_str()) else { return false };
            for error in self.expression_errors(quantity) {
                if let Wrong::UnknownName { name, .. } = error.wrong {
                    if name == to {
                        return true;
                    }
                    if open.contains_key(name.as_str()) && !reached.contains(&name) {
                        reached.push(name);
                    }
                }
            }
            k += 1;
        }
        false
    }
}
