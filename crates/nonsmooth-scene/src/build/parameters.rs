//! Parameters: each may be a formula over the others; circles are mistakes.

use super::names::Constants;
use super::{Build, Loaded};
use crate::formula::{FormulaError, Wrong, parse};
use crate::scene::Quantity;
use crate::source::Path;
use std::collections::{BTreeMap, BTreeSet};

impl Build<'_> {
    /// Evaluates all parameters; those set from outside replace what the scene says.
    pub(super) fn parameters(&mut self, overrides: &[(String, String)]) {
        let mut open: BTreeMap<&str, Quantity> = BTreeMap::new();
        for (name, quantity) in &self.scene.parameters {
            let set = overrides.iter().rev().find(|(known, _)| known == name);
            let quantity = set.map_or(quantity.clone(), |(_, text)| Quantity::Formula(text.clone()));
            open.insert(name, quantity);
            if matches!(name.as_str(), "t" | "pi" | "i") {
                let path = Path::of("parameters").key(name);
                self.mistake(
                    &path,
                    format!("`{name}` has a meaning of its own in formulas; choose another name"),
                );
            }
        }
        // Pass by pass, take what depends only on what is known.
        loop {
            let before = open.len();
            open.retain(|name, quantity| !self.try_parameter(name, quantity));
            if open.is_empty() || open.len() == before {
                break;
            }
        }
        self.without_value = open.keys().map(|name| (*name).to_owned()).collect();
        let consequences = self.consequences(&open);
        for (name, quantity) in open.iter().filter(|(name, _)| !consequences.contains(**name)) {
            self.explain_parameter(name, quantity, overrides);
        }
    }

    /// Of the parameters without a value, those that only use one which has a mistake of its own.
    fn consequences(&self, open: &BTreeMap<&str, Quantity>) -> BTreeSet<String> {
        let used: BTreeMap<&str, Vec<String>> = open
            .iter()
            .filter_map(|(name, quantity)| Some((*name, self.uses_only(quantity)?)))
            .collect();
        // What uses no other is itself mistaken; the rest follows from it, unless it is a circle.
        let mut mistaken: BTreeSet<&str> =
            open.keys().copied().filter(|name| !used.contains_key(name)).collect();
        let mut found = BTreeSet::new();
        loop {
            let next = used.iter().find(|(name, others)| {
                !mistaken.contains(*name) && others.iter().any(|other| mistaken.contains(other.as_str()))
            });
            let Some((name, _)) = next else { return found };
            mistaken.insert(*name);
            found.insert((*name).to_owned());
        }
    }

    /// The parameters without a value in a formula, if they are its only mistakes.
    fn uses_only(&self, quantity: &Quantity) -> Option<Vec<String>> {
        let Quantity::Formula(text) = quantity else { return None };
        let scope = Constants { parameters: &self.parameters, index: None };
        let of = |error: FormulaError| match error.wrong {
            Wrong::UnknownName { name, .. } if self.without_value.contains(&name) => Some(name),
            _ => None,
        };
        parse(text, &scope).err()?.into_iter().map(of).collect()
    }

    fn try_parameter(&mut self, name: &str, quantity: &Quantity) -> bool {
        let value = match quantity {
            Quantity::Number(x) => Some(*x),
            Quantity::Formula(text) => {
                let scope = Constants { parameters: &self.parameters, index: None };
                parse(text, &scope).ok().and_then(|expression| expression.constant())
            }
        };
        let value = value.filter(|x| x.is_finite());
        self.parameters.extend(value.map(|x| (name.to_owned(), x)));
        value.is_some()
    }

    /// Says why a parameter has no value.
    fn explain_parameter(&mut self, name: &str, quantity: &Quantity, overrides: &[(String, String)]) {
        let path = Path::of("parameters").key(name);
        let Quantity::Formula(text) = quantity else {
            return self.mistake(&path, format!("parameter `{name}` must be finite"));
        };
        let from_outside = overrides.iter().any(|(known, _)| known == name);
        let prefix = if from_outside { format!("--set {name}={text}: ") } else { String::new() };
        let scope = Constants { parameters: &self.parameters, index: None };
        match parse(text, &scope) {
            Ok(expression) => {
                let value = expression.constant().unwrap_or(f64::NAN);
                self.mistake(
                    &path,
                    format!("{prefix}parameter `{name}` must be finite, but it is {value}"),
                );
            }
            Err(errors) => {
                for error in errors {
                    let message = match &error.wrong {
                        Wrong::UnknownName { name: other, .. } if self.without_value.contains(other) => {
                            format!("`{other}` has no value: parameters refer to each other in a circle")
                        }
                        wrong => wrong.to_string(),
                    };
                    let span = if from_outside {
                        self.source.span(&path)
                    } else {
                        self.source.span_in_string(&path, error.span.clone())
                    };
                    self.mistake_at(span, format!("{prefix}{message}"));
                }
            }
        }
    }
}

impl Loaded {
    /// The value of a formula over the parameters of the scene, or what is wrong with it.
    pub fn number(&self, formula: &str) -> Result<f64, String> {
        let scope = Constants { parameters: &self.parameters, index: None };
        let wrong = |errors: Vec<crate::formula::FormulaError>| {
            errors.iter().map(|error| error.wrong.to_string()).collect::<Vec<_>>().join("; ")
        };
        match parse(formula, &scope).map_err(wrong)?.constant() {
            Some(x) if x.is_finite() => Ok(x),
            Some(x) => Err(format!("must be finite, but it is {x}")),
            None => Err("must be a number or a formula over parameters".to_owned()),
        }
    }
}
