//! What was not carried over, as lines: one for each element, attribute and reason, with names and places.

use crate::log::Dropped;
use std::collections::BTreeMap;

/// Lines of a list, with at most so many names each.
pub(crate) fn lines(dropped: &[Dropped], most: usize) -> Vec<String> {
    let mut kinds: BTreeMap<(&str, &str, &str), Vec<&Dropped>> = BTreeMap::new();
    for one in dropped {
        kinds.entry((&one.element, &one.attribute, &one.why)).or_default().push(one);
    }
    let line = |((element, attribute, why), list): ((&str, &str, &str), Vec<&Dropped>)| {
        let what = if attribute.is_empty() {
            format!("<{element}>")
        } else {
            format!("<{element} {attribute}>")
        };
        let named = |one: &&Dropped| {
            if one.name.is_empty() {
                format!("line {}", one.line)
            } else {
                format!("{} (line {})", one.name, one.line)
            }
        };
        let names: Vec<String> = list.iter().take(most).map(named).collect();
        let more = list.len().saturating_sub(most);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{what} {why}: {}{more}", names.join(", "))
    };
    kinds.into_iter().map(line).collect()
}

impl crate::Imported {
    /// What was not carried over: a line for each element, attribute and reason, with at most so many names.
    pub fn lines(&self, most: usize) -> Vec<String> {
        lines(&self.dropped, most)
    }
}
