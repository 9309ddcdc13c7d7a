//! Checks a parsed scene against the JSON Schema of the scene types: every unknown key, wrong type,
//! missing key and wrong word is reported at once, each at its place. A misspelt key is then read as the one that was meant, so that
//! what follows from the slip is not told as a mistake of its own.

use crate::source::Mistake;
use nonsmooth::integrators::INTEGRATORS;
use nonsmooth::laws::LAWS;
use nonsmooth_solvers::{Declared, SOLVERS, nearest};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Adds every mismatch between `table` and `schema` to `mistakes`, and puts the right key where one is misspelt.
pub(crate) fn validate(schema: &Value, table: &mut Spanned<DeTable<'_>>, mistakes: &mut Vec<Mistake>) {
    loop {
        let (check, mut found) = (Check { root: schema, slips: RefCell::default() }, Vec::new());
        check.table(schema, table.get_ref(), 0..0, "the scene", &mut found);
        let slips = check.slips.into_inner();
        let is_slip = |mistake: &Mistake| slips.iter().any(|(span, _)| *span == mistake.span);
        if !found.iter().any(is_slip) {
            return mistakes.append(&mut found);
        }
        mistakes.extend(found.into_iter().filter(is_slip));
        mend(table.get_mut(), &slips);
    }
}

/// A misspelt key by its place, with the key that was meant.
type Slip = (Range<usize>, String);

/// Renames misspelt keys.
fn mend(table: &mut DeTable<'_>, slips: &[Slip]) {
    let meant = |span: Range<usize>| slips.iter().find(|(place, _)| *place == span);
    let wrong: Vec<(String, String)> = table
        .keys()
        .filter_map(|key| Some((key.get_ref().to_string(), meant(key.span())?.1.clone())))
        .collect();
    for (key, name) in wrong.iter().filter(|(key, _)| !key.is_empty()) {
        let is_free = !table.contains_key(name.as_str());
        if let Some((key, value)) = is_free.then(|| table.remove_entry(key.as_str())).flatten() {
            table.insert(Spanned::new(key.span(), Cow::Owned(name.clone())), value);
        }
    }
    for (_, value) in table.iter_mut() {
        mend_value(value, slips);
    }
}

fn mend_value(value: &mut Spanned<DeValue<'_>>, slips: &[Slip]) {
    match value.get_mut() {
        DeValue::Table(table) => mend(table, slips),
        DeValue::Array(array) => array.iter_mut().for_each(|item| mend_value(item, slips)),
        _ => {}
    }
}

/// Whether a key is an option of another law, integrator or solver than the one that the table names: the form has those of all.
fn is_of_another(table: &DeTable<'_>, key: &str) -> bool {
    let kind = table.get("type").and_then(|kind| kind.get_ref().as_str());
    let has = |options: &[&Declared]| options.iter().any(|option| option.name == key);
    let is_other = |list: &[(&str, &[&Declared])]| {
        let own = list.iter().find(|(name, _)| Some(*name) == kind);
        own.is_some_and(|(_, own)| !has(own) && list.iter().any(|(_, options)| has(options)))
    };
    is_other(&LAWS.iter().map(|entry| (entry.name, entry.options)).collect::<Vec<_>>())
        || is_other(&INTEGRATORS.iter().map(|entry| (entry.name, entry.options)).collect::<Vec<_>>())
        || is_other(&SOLVERS.iter().map(|entry| (entry.name, entry.options)).collect::<Vec<_>>())
}

struct Check<'a> {
    root: &'a Value,
    /// Unknown keys that are near to one that is not there.
    slips: RefCell<Vec<Slip>>,
}

impl<'a> Check<'a> {
    fn resolve(&self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(reference) => {
                let name = reference.trim_start_matches("#/$defs/");
                self.resolve(&self.root["$defs"][name])
            }
            None => schema,
        }
    }

    /// The alternatives of a schema: itself, or those it offers.
    fn alternatives(&self, schema: &'a Value) -> Vec<&'a Value> {
        let schema = self.resolve(schema);
        let offered = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
        offered.map_or(vec![schema], |list| list.iter().flat_map(|s| self.alternatives(s)).collect())
    }

    fn value(
        &self,
        schema: &'a Value,
        value: &Spanned<DeValue<'_>>,
        name: &str,
        out: &mut Vec<Mistake>,
    ) {
        let alternatives = self.alternatives(schema);
        if let Some(words) = words_of(&alternatives) {
            return check_word(&words, value, name, out);
        }
        let fitting: Vec<&Value> =
            alternatives.iter().copied().filter(|s| fits(s, value.get_ref())).collect();
        if fitting.is_empty() {
            let mut kinds: Vec<String> = alternatives.iter().flat_map(|s| kinds_of(s)).collect();
            kinds.dedup();
            let message =
                format!("`{name}` must be {}, got {}", kinds.join(" or "), kind_of(value.get_ref()));
            out.push(Mistake { span: value.span(), message });
            return;
        }
        // Among several that fit by type, one without mistakes is enough; else those of the last are told
        // (the most general alternative comes last in the types).
        let mut found = Vec::new();
        for schema in fitting {
            found.clear();
            self.inside(schema, value, name, &mut found);
            if found.is_empty() {
                return;
            }
        }
        out.append(&mut found);
    }

    fn inside(
        &self,
        schema: &'a Value,
        value: &Spanned<DeValue<'_>>,
        name: &str,
        out: &mut Vec<Mistake>,
    ) {
        match value.get_ref() {
            DeValue::Table(table) => self.table(schema, table, value.span(), name, out),
            DeValue::Array(array) => {
                for (i, item) in array.iter().enumerate() {
                    self.value(&schema["items"], item, &format!("{name}[{i}]"), out);
                }
            }
            DeValue::Integer(integer) => {
                let number = integer.as_str().parse::<f64>().unwrap_or(0.0);
                if let Some(min) = schema["minimum"].as_f64().filter(|min| number < *min) {
                    let message = format!("`{name}` must be at least {min}, got {number}");
                    out.push(Mistake { span: value.span(), message });
                }
            }
            _ => {}
        }
    }

    fn table(
        &self,
        schema: &'a Value,
        table: &DeTable<'_>,
        span: Range<usize>,
        name: &str,
        out: &mut Vec<Mistake>,
    ) {
        let schema = self.resolve(schema);
        let empty = serde_json::Map::new();
        let known = schema["properties"].as_object().unwrap_or(&empty);
        for (key, value) in table.iter() {
            let word: &str = key.get_ref();
            if let Some(schema) = known.get(word) {
                self.value(schema, value, word, out);
            } else if schema["additionalProperties"].is_object() {
                self.value(&schema["additionalProperties"], value, word, out);
            } else {
                let names: Vec<&str> =
                    known.keys().map(String::as_str).filter(|key| !is_of_another(table, key)).collect();
                let hint = nearest(word, names.iter().copied());
                if let Some(meant) = hint.clone().filter(|meant| !table.contains_key(meant.as_str())) {
                    self.slips.borrow_mut().push((key.span(), meant));
                }
                let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
                let message = format!("unknown key `{word}`{hint}; allowed here: {}", names.join(", "));
                out.push(Mistake { span: key.span(), message });
            }
        }
        for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !table.contains_key(required) {
                let about = known[required]["description"].as_str().unwrap_or("");
                let about = about.split(';').next().unwrap_or("");
                let message = format!("{name}: key `{required}` is missing ({about})");
                out.push(Mistake { span: span.clone(), message });
            }
        }
    }
}

/// The words of a schema that is a list of words.
fn words_of(alternatives: &[&Value]) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for schema in alternatives {
        match (schema["enum"].as_array(), schema["const"].as_str()) {
            (Some(list), _) => words.extend(list.iter().filter_map(|w| w.as_str().map(str::to_owned))),
            (None, Some(word)) => words.push(word.to_owned()),
            (None, None) => return None,
        }
    }
    Some(words)
}

fn check_word(words: &[String], value: &Spanned<DeValue<'_>>, name: &str, out: &mut Vec<Mistake>) {
    let list = format!("\"{}\"", words.join("\", \""));
    let message = match value.get_ref() {
        DeValue::String(word) if words.iter().any(|w| w == word) => return,
        DeValue::String(word) => {
            let hint = nearest(word, words.iter().map(String::as_str));
            let hint = hint.map_or(String::new(), |n| format!(", did you mean \"{n}\"?"));
            format!("`{name}`: no \"{word}\"{hint}; one of {list}")
        }
        other => format!("`{name}` must be one of {list}, got {}", kind_of(other)),
    };
    out.push(Mistake { span: value.span(), message });
}

fn types_of(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn fits(schema: &Value, value: &DeValue<'_>) -> bool {
    let types = types_of(schema);
    let has = |name: &str| types.contains(&name);
    match value {
        DeValue::String(_) => has("string"),
        DeValue::Integer(_) => has("integer") || has("number"),
        DeValue::Float(_) => has("number"),
        DeValue::Boolean(_) => has("boolean"),
        DeValue::Array(_) => has("array"),
        DeValue::Table(_) => has("object"),
        DeValue::Datetime(_) => false,
    }
}

fn kinds_of(schema: &Value) -> Vec<String> {
    types_of(schema)
        .into_iter()
        .filter(|t| *t != "null")
        .map(|t| match t {
            "string" => "a text or formula in quotes".to_owned(),
            "object" => "a table".to_owned(),
            "array" => "a list".to_owned(),
            "boolean" => "true or false".to_owned(),
            "integer" => "a whole number".to_owned(),
            other => format!("a {other}"),
        })
        .collect()
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
        DeValue::Datetime(_) => "a date",
    }
}
