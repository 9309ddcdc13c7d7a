//! Named options of solvers, integrators and laws, read once and checked.
//!
//! An entry of a list declares its options; `Options` holds what the user gave. Reading goes through
//! `Options::check`, so a name that the entry does not know is an error and no option is ever
//! accepted and ignored.

use crate::nearest::nearest;
use thiserror::Error;

/// A value given for an option.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
    /// Yes or no.
    Flag(bool),
}

/// What an option may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number in a closed interval.
    Number {
        /// Smallest allowed value.
        min: f64,
        /// Largest allowed value.
        max: f64,
    },
    /// A number greater than zero.
    Positive,
    /// A whole number, at least 1.
    Count,
    /// A whole number in a closed interval.
    Whole {
        /// Smallest allowed value.
        min: u32,
        /// Largest allowed value.
        max: u32,
    },
    /// One of these words.
    Word(&'static [&'static str]),
}

/// An option that an entry understands.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Its name in scene files and on the command line.
    pub name: &'static str,
    /// One line on what it does, with unit.
    pub about: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is when not given, as it would be written.
    pub default: &'static str,
}

/// Why an option was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum OptionError {
    /// The entry has no such option.
    #[error("`{owner}` has no option `{name}`{}; {}", did_you_mean(nearest), allowed_list(allowed))]
    Unknown {
        /// The entry that was asked for.
        owner: String,
        /// The option as given.
        name: String,
        /// The closest name it has.
        nearest: Option<String>,
        /// All names it has.
        allowed: Vec<String>,
    },
    /// The value is not allowed.
    #[error("`{name}` must be {must}, got {got}")]
    Value {
        /// The option as given.
        name: String,
        /// What is allowed.
        must: String,
        /// What was given.
        got: String,
    },
}

impl OptionError {
    /// The option that the error is about.
    pub fn name(&self) -> &str {
        match self {
            OptionError::Unknown { name, .. } | OptionError::Value { name, .. } => name,
        }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |n| format!(", did you mean `{n}`?"))
}

fn allowed_list(allowed: &[String]) -> String {
    if allowed.is_empty() {
        return "it takes none".into();
    }
    format!("it takes {}", allowed.join(", "))
}

/// The options a user gave to one entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    given: Vec<(String, Value)>,
}

impl Options {
    /// Adds an option, replacing an earlier value of the same name.
    pub fn set(&mut self, name: &str, value: Value) {
        self.remove(name);
        self.given.push((name.to_owned(), value));
    }

    /// Takes an option out.
    pub fn remove(&mut self, name: &str) {
        self.given.retain(|(known, _)| known != name);
    }

    /// Adds a number; for chaining in Rust programs.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.set(name, Value::Number(value));
        self
    }

    /// Adds a word; for chaining in Rust programs.
    pub fn with_word(mut self, name: &str, word: &str) -> Self {
        self.set(name, Value::Word(word.to_owned()));
        self
    }

    /// Refuses every option that `declared` does not list, or lists with another range.
    pub fn check(&self, owner: &str, declared: &[&Declared]) -> Result<(), Vec<OptionError>> {
        let errors: Vec<OptionError> = self
            .given
            .iter()
            .filter_map(|(name, value)| match declared.iter().find(|d| d.name == name) {
                Some(declared) => declared.check(value),
                None => Some(OptionError::Unknown {
                    owner: owner.to_owned(),
                    name: name.clone(),
                    nearest: nearest(name, declared.iter().map(|d| d.name)),
                    allowed: declared.iter().map(|d| d.name.to_owned()).collect(),
                }),
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Every option that was given, with its value.
    pub fn given(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.given.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether the option was given.
    pub fn is_given(&self, declared: &Declared) -> bool {
        self.get(declared.name).is_some()
    }

    /// A number, or its default.
    pub fn number(&self, declared: &Declared) -> f64 {
        match self.get(declared.name) {
            Some(Value::Number(x)) => *x,
            _ => declared.default.parse().expect("the default of a number is a number"),
        }
    }

    /// A whole number, or its default.
    pub fn count(&self, declared: &Declared) -> usize {
        self.number(declared) as usize
    }

    /// A word, or its default.
    pub fn word<'a>(&'a self, declared: &'a Declared) -> &'a str {
        match self.get(declared.name) {
            Some(Value::Word(word)) => word,
            _ => declared.default,
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.given.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl Declared {
    fn check(&self, value: &Value) -> Option<OptionError> {
        let good = match (self.kind, value) {
            (Kind::Number { min, max }, Value::Number(x)) => (min..=max).contains(x),
            (Kind::Positive, Value::Number(x)) => *x > 0.0 && x.is_finite(),
            (Kind::Count, Value::Number(x)) => *x >= 1.0 && x.fract() == 0.0 && *x <= 1e15,
            (Kind::Whole { min, max }, Value::Number(x)) => {
                (f64::from(min)..=f64::from(max)).contains(x) && x.fract() == 0.0
            }
            (Kind::Word(words), Value::Word(word)) => words.contains(&word.as_str()),
            _ => false,
        };
        (!good).then(|| OptionError::Value {
            name: self.name.to_owned(),
            must: self.kind.to_string(),
            got: value.to_string(),
        })
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // Bounds that only say "finite" are left out.
            Kind::Number { min, max } => match (*min > -f64::MAX, *max < f64::MAX) {
                (true, true) => write!(f, "a number in [{}, {}]", short(*min), short(*max)),
                (true, false) => write!(f, "a number ≥ {}", short(*min)),
                (false, true) => write!(f, "a number ≤ {}", short(*max)),
                (false, false) => write!(f, "a number"),
            },
            Kind::Positive => write!(f, "a number > 0"),
            Kind::Count => write!(f, "a whole number ≥ 1"),
            Kind::Whole { min, max } => write!(f, "a whole number in [{min}, {max}]"),
            Kind::Word(words) => write!(f, "one of \"{}\"", words.join("\", \"")),
        }
    }
}

/// A bound, without rows of zeros.
fn short(bound: f64) -> String {
    if bound == 0.0 || (1e-9..1e6).contains(&bound.abs()) {
        bound.to_string()
    } else {
        format!("{bound:e}")
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(x) => write!(f, "{x}"),
            Value::Word(word) => write!(f, "\"{word}\""),
            Value::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THETA: Declared =
        Declared { name: "theta", about: "", kind: Kind::Number { min: 0.0, max: 1.0 }, default: "0.5" };
    const LEVEL: Declared = Declared {
        name: "level",
        about: "",
        kind: Kind::Word(&["velocity", "position"]),
        default: "velocity",
    };

    #[test]
    fn unknown_names_and_values_out_of_range_are_all_reported() {
        let options = Options::default().with("thetta", 1.0).with("theta", 2.0).with("level", 1.0);
        let errors = options.check("moreau-jean", &[&THETA, &LEVEL]).unwrap_err();
        let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            [
                "`moreau-jean` has no option `thetta`, did you mean `theta`?; it takes theta, level",
                "`theta` must be a number in [0, 1], got 2",
                "`level` must be one of \"velocity\", \"position\", got 1",
            ]
        );
    }

    #[test]
    fn defaults_are_used_where_nothing_is_given() {
        assert_eq!(Options::default().number(&THETA), 0.5);
        assert_eq!(Options::default().word(&LEVEL), "velocity");
        assert_eq!(Options::default().with("theta", 0.75).number(&THETA), 0.75);
    }
}
