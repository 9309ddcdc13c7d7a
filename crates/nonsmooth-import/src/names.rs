//! Names that a scene may have: letters, digits and `_`, not first a digit, each once.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// The names that were given, and those that had to be others.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    /// New names by old ones.
    pub changed: BTreeMap<String, String>,
}

impl Names {
    /// The name for something called `name`.
    pub fn give(&mut self, name: &str) -> String {
        let mut base: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(80).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            base.insert(0, '_');
        }
        let mut free = base.clone();
        let mut k = 2;
        while !self.taken.insert(free.clone()) {
            free = format!("{base}_{k}");
            k += 1;
        }
        if free != name {
            self.changed.insert(name.to_owned(), free.clone());
        }
        free
    }
}
