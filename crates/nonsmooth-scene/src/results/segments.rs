//! Segments of a run: what may change when it is resumed, and the record of it.
//!
//! Two scenes are compared value by value, not letter by letter, so that comments and layout do not count. A resumed run may
//! have another end, another solver, other output settings and another answer to unconverged steps.

use super::RESULT_FILE;
use crate::build::Loaded;
use crate::store::Reader;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Value;

/// Keys that may change, and tables all of whose keys may.
const MAY_CHANGE: [&str; 4] = ["run.end", "run.on_unconverged", "solver", "output"];
/// What may not, within those tables: an observer that was left out cannot know what it missed.
const MAY_NOT: &str = "output.without";

/// A key whose value is another than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The key, such as `run.end` or `body[2].mass`.
    pub key: String,
    /// Its value before; empty if there was none.
    pub from: String,
    /// Its value now; empty if there is none.
    pub to: String,
}

/// A part of a run with one set of settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Step after which it begins.
    pub step: u64,
    /// Time at which it begins [s].
    pub t: f64,
    /// What differs from the segment before.
    pub changes: Vec<Change>,
}

impl Change {
    /// Whether a resumed run may have it.
    pub fn is_allowed(&self) -> bool {
        let is = |key: &str| {
            self.key.strip_prefix(key).is_some_and(|r| r.is_empty() || r.starts_with(['.', '[']))
        };
        MAY_CHANGE.into_iter().any(is) && !is(MAY_NOT)
    }
}

impl Segment {
    /// The segment with which a run begins, at time `t` [s].
    pub(crate) fn first(t: f64) -> Self {
        Self { step: 0, t, changes: Vec::new() }
    }

    /// Segments as text.
    pub(crate) fn text(segments: &[Self]) -> String {
        serde_json::to_string(segments).unwrap_or_default()
    }

    /// The segments of a result file.
    pub(crate) fn of(reader: &Reader) -> Vec<Self> {
        let text = reader.texts().get("segments");
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The segments of the run in `folder`.
    pub(crate) fn all(folder: &Path) -> Vec<Self> {
        Reader::open(folder.join(RESULT_FILE)).map_or(Vec::new(), |reader| Self::of(&reader))
    }
}

/// What was set from outside, as `name=value` in lines of their own.
pub(crate) fn set_values(loaded: &Loaded) -> String {
    let lines: Vec<String> = loaded.overrides.iter().map(|(n, v)| format!("{n}={v}")).collect();
    lines.join("\n")
}

/// What differs between a scene as text with `--set` values, a line each, and one that is loaded.
pub(super) fn changes(text: &str, set: &str, loaded: &Loaded) -> Vec<Change> {
    let (before, now) = (values(text, set), values(&loaded.text, &set_values(loaded)));
    let keys: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let value = |of: &BTreeMap<String, String>, key: &String| of.get(key).cloned().unwrap_or_default();
    keys.into_iter()
        .map(|key| Change { key: key.clone(), from: value(&before, key), to: value(&now, key) })
        .filter(|change| change.from != change.to)
        .collect()
}

/// Every value of a scene by its key, with what was set from outside in place of it: parameters, or whole keys, which have a point.
fn values(text: &str, set: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let table = text.parse::<toml::Table>().unwrap_or_default();
    flatten(String::new(), &Value::Table(table), &mut found);
    for (name, value) in set.lines().filter_map(|line| line.split_once('=')) {
        let (key, value) = match value.parse::<f64>() {
            _ if name.contains('.') => (name.to_owned(), value.to_owned()),
            _ if name == "integrator" => (name.to_owned(), format!("{value:?}")),
            Ok(x) => (format!("parameters.{name}"), format!("{x:?}")),
            Err(_) => (format!("parameters.{name}"), format!("{value:?}")),
        };
        found.insert(key, value);
    }
    found
}

fn flatten(key: String, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Table(table) => {
            let dot = if key.is_empty() { "" } else { "." };
            table.iter().for_each(|(name, value)| flatten(format!("{key}{dot}{name}"), value, found));
        }
        Value::Array(list) => {
            let entries = list.iter().enumerate();
            entries.for_each(|(i, value)| flatten(format!("{key}[{i}]"), value, found));
        }
        // A whole number and the same with a point are the same value.
        Value::Integer(n) => drop(found.insert(key, format!("{:?}", *n as f64))),
        Value::Float(x) => drop(found.insert(key, format!("{x:?}"))),
        Value::Boolean(flag) => drop(found.insert(key, flag.to_string())),
        Value::String(text) => drop(found.insert(key, format!("{text:?}"))),
        Value::Datetime(date) => drop(found.insert(key, date.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_keys_and_layout_does_not_count() {
        let a = values("[run]\nend = 1 # s\n[[body]]\nposition = [0, 1]\n", "");
        let b = values("body = [{ position = [0.0, 1] }]\nrun.end = 1.0", "");
        assert_eq!(a, b);
        assert_eq!(a["body[0].position[1]"], "1.0");
        assert_eq!(values("[parameters]\ne = 1", "e=0.5")["parameters.e"], "0.5");
        assert_eq!(values("[output]\ncsv = true", ""), values("", "output.csv=true"));
    }

    #[test]
    fn only_some_keys_may_change() {
        let allowed =
            |key: &str| Change { key: key.into(), from: String::new(), to: String::new() }.is_allowed();
        for key in ["run.end", "run.on_unconverged", "solver.type", "solver", "output.plot[0]"] {
            assert!(allowed(key), "{key}");
        }
        for key in [
            "output.without",
            "output.without[0]",
            "run.end_of",
            "run.step_size",
            "run.start",
            "solvers.x",
            "title",
            "integrator",
        ] {
            assert!(!allowed(key), "{key}");
        }
    }
}
