//! Typed settings: a struct whose public fields are the options of an entry of a list, with their defaults.
//!
//! The macro `settings!` writes the struct, its defaults and both ways between struct and [`Options`] from one list of fields;
//! `words!` does so for an option that is a word.

use crate::options::{Declared, Kind, OptionError, Options, Value};

/// What a field of settings can be: a number, a whole number, yes or no, a word.
pub trait Field: Sized {
    /// The field as the value of an option.
    fn value(&self) -> Value;

    /// The field that this value stands for, if there is one.
    fn read(value: &Value) -> Option<Self>;
}

/// An option that is one of some words.
pub trait Word: Copy + std::fmt::Debug + 'static {
    /// Every variant.
    const ALL: &'static [Self];
}

/// Typed settings of one entry of a list.
pub trait Settings: Default {
    /// Name of the entry.
    const NAME: &'static str;

    /// Every option with its value, in the order of the entry.
    fn values(&self) -> Vec<(&'static str, Value)>;

    /// Sets the field of that name; none if there is no such field, or none of its values is meant.
    fn set(&mut self, name: &str, value: &Value) -> Option<()>;

    /// The options that differ from their defaults.
    fn options(&self) -> Options {
        let defaults = Self::default().values();
        let mut options = Options::default();
        for ((name, value), (_, default)) in self.values().into_iter().zip(defaults) {
            if value != default {
                options.set(name, value);
            }
        }
        options
    }

    /// The settings that these options mean, or everything that is wrong with them.
    fn read(options: &Options, declared: &[&Declared]) -> Result<Self, Vec<OptionError>> {
        options.check(Self::NAME, declared)?;
        let mut settings = Self::default();
        for (name, value) in options.given() {
            settings.set(name, value).expect("every allowed value has a field: a test of the list");
        }
        Ok(settings)
    }

    /// Panics unless the fields are the declared options, each with its default and all its words: for tests of lists.
    fn check_against(declared: &[&Declared]) {
        let names: Vec<&str> = declared.iter().map(|declared| declared.name).collect();
        let values = Self::default().values();
        assert_eq!(values.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names, "{}", Self::NAME);
        let nothing = Options::default();
        for ((name, value), declared) in values.iter().zip(declared) {
            let default = match declared.kind {
                Kind::Word(_) => Value::Word(declared.default.to_owned()),
                _ => Value::Number(nothing.number(declared)),
            };
            assert_eq!(*value, default, "default of `{name}` of `{}`", Self::NAME);
            let Kind::Word(words) = declared.kind else { continue };
            for word in words {
                let given = Options::default().with_word(name, word);
                let read = Self::read(&given, &[declared]).unwrap_or_else(|errors| panic!("{errors:?}"));
                let back = read.values().into_iter().find(|(known, _)| known == name);
                let back = back.map(|(_, value)| value);
                assert_eq!(back, Some(Value::Word((*word).to_owned())), "{name} of {}", Self::NAME);
            }
        }
    }
}

impl Field for f64 {
    fn value(&self) -> Value {
        Value::Number(*self)
    }

    fn read(value: &Value) -> Option<Self> {
        if let Value::Number(x) = value { Some(*x) } else { None }
    }
}

impl Field for usize {
    fn value(&self) -> Value {
        Value::Number(*self as f64)
    }

    fn read(value: &Value) -> Option<Self> {
        f64::read(value).map(|x| x as usize)
    }
}

/// As the words yes and no.
impl Field for bool {
    fn value(&self) -> Value {
        Value::Word(if *self { "yes" } else { "no" }.to_owned())
    }

    fn read(value: &Value) -> Option<Self> {
        [true, false].into_iter().find(|flag| flag.value() == *value)
    }
}

/// A variant as the word of an option: `FirstOrder` is first-order.
impl<W: Word> Field for W {
    fn value(&self) -> Value {
        let mut text = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_uppercase() && !text.is_empty() {
                text.push('-');
            }
            text.extend(c.to_lowercase());
        }
        Value::Word(text)
    }

    fn read(value: &Value) -> Option<Self> {
        W::ALL.iter().find(|word| word.value() == *value).copied()
    }
}

/// Writes settings of one entry: `settings! { /// Words. pub struct Pgs = "pgs" { pub max_sweeps: usize = 10_000, } }`.
#[macro_export]
macro_rules! settings {
    ($($(#[$about:meta])* pub struct $Name:ident = $name:literal {
        $($(#[$doc:meta])* pub $field:ident: $Type:ty = $default:expr,)*
    })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $Name {
            $($(#[$doc])* pub $field: $Type,)*
        }

        impl Default for $Name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::Settings for $Name {
            const NAME: &'static str = $name;

            fn values(&self) -> Vec<(&'static str, $crate::Value)> {
                vec![$((stringify!($field), $crate::Field::value(&self.$field)),)*]
            }

            fn set(&mut self, name: &str, value: &$crate::Value) -> Option<()> {
                match name {
                    $(stringify!($field) => self.$field = $crate::Field::read(value)?,)*
                    _ => { let _ = value; return None; }
                }
                #[allow(unreachable_code)]
                Some(())
            }
        }
    )*};
}

/// Writes an option that is one of some words: `words! { /// Words. pub enum Order { /// Words. Natural, } }`.
#[macro_export]
macro_rules! words {
    ($($(#[$about:meta])* pub enum $Name:ident {
        $($(#[$doc:meta])* $Variant:ident,)*
    })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Name {
            $($(#[$doc])* $Variant,)*
        }

        impl $crate::Word for $Name {
            const ALL: &'static [Self] = &[$(Self::$Variant,)*];
        }
    )*};
}
