//! A scene text, the places in it, and the list of mistakes found there.

use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One step of a path to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seg {
    Key(String),
    Index(usize),
}

/// A path to a value, such as `system.linear[2].mass`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(pub(crate) Vec<Seg>);

impl Path {
    pub(crate) fn key(&self, key: &str) -> Self {
        let mut path = self.clone();
        path.0.push(Seg::Key(key.to_owned()));
        path
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        let mut path = self.clone();
        path.0.push(Seg::Index(index));
        path
    }

    pub(crate) fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// From a text of keys joined by dots.
    pub(crate) fn of(keys: &str) -> Self {
        Self(keys.split('.').map(|key| Seg::Key(key.to_owned())).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, seg) in self.0.iter().enumerate() {
            match seg {
                Seg::Key(key) if i == 0 => write!(f, "{key}")?,
                Seg::Key(key) => write!(f, ".{key}")?,
                Seg::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A mistake with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Bytes of the scene text that it is about.
    pub span: Range<usize>,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// Every mistake of a scene; `Display` shows each with file, line, column and the line itself.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", render(name, text, mistakes, *unfinished))]
pub struct SceneError {
    /// Name of the file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The mistakes, in the order of the text.
    pub mistakes: Vec<Mistake>,
    /// Whether the form of the scene was so wrong that formulas and numbers could not be checked yet.
    pub unfinished: bool,
}

/// Line and column (from 1, in characters) of a byte.
pub fn line_column(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) + 1;
    (line, column)
}

fn render(name: &str, text: &str, mistakes: &[Mistake], unfinished: bool) -> String {
    let mut out = String::new();
    for mistake in mistakes {
        let (line, column) = line_column(text, mistake.span.start);
        let source = text.lines().nth(line - 1).unwrap_or("");
        let width =
            text.get(mistake.span.clone()).map_or(1, |s| s.lines().next().unwrap_or("").chars().count());
        let room = source.chars().count().saturating_sub(column - 1).max(1);
        let carets = "^".repeat(width.clamp(1, room));
        out += &format!("{name}:{line}:{column}: {}\n", mistake.message);
        out += &format!("{line:>5} | {source}\n      | {}{carets}\n", " ".repeat(column - 1));
    }
    let plural = if mistakes.len() == 1 { "mistake" } else { "mistakes" };
    let more = if unfinished { "; formulas and numbers are checked when these are mended" } else { "" };
    out + &format!("{} {plural} in {name}{more}", mistakes.len())
}

/// A parsed scene text in which places can be looked up.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) table: Spanned<DeTable<'a>>,
}

impl<'a> Source<'a> {
    /// Parses as far as possible; syntax errors are mistakes.
    pub(crate) fn parse(text: &'a str, mistakes: &mut Vec<Mistake>) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut told = std::collections::BTreeSet::new();
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            // What follows in a line that is not TOML follows from the first mistake there.
            let line = text.bytes().take(span.start).filter(|byte| *byte == b'\n').count();
            if !told.insert(line) {
                continue;
            }
            let message = format!("not valid TOML: {}", error.message().replace('\n', "; "));
            mistakes.push(Mistake { span, message });
        }
        Self { text, table }
    }

    /// Place of the value at `path`, or of the nearest thing above it that exists.
    pub(crate) fn span(&self, path: &Path) -> Range<usize> {
        let mut found = 0..0;
        let mut table: Option<&DeTable<'_>> = Some(self.table.get_ref());
        let mut array: Option<&toml::de::DeArray<'_>> = None;
        for seg in &path.0 {
            let value: Option<&Spanned<DeValue<'_>>> = match seg {
                Seg::Key(key) => table.and_then(|t| t.get(key.as_str())),
                Seg::Index(index) => array.and_then(|a| a.get(*index)),
            };
            let Some(value) = value else { break };
            found = value.span();
            (table, array) = match value.get_ref() {
                DeValue::Table(t) => (Some(t), None),
                DeValue::Array(a) => (None, Some(a)),
                _ => (None, None),
            };
        }
        found
    }

    /// Place inside the string at `path`: `inner` counts bytes of the string's value.
    pub(crate) fn span_in_string(&self, path: &Path, inner: Range<usize>) -> Range<usize> {
        let whole = self.span(path);
        let Some(raw) = self.text.get(whole.clone()) else { return whole };
        // Without escapes the value stands in the text as it is, between quotes of one or three marks.
        let quotes = if raw.starts_with("\"\"\"") || raw.starts_with("'''") { 3 } else { 1 };
        let plain = !raw.contains('\\') && raw.len() >= 2 * quotes;
        if !plain || inner.end + quotes > raw.len() {
            return whole;
        }
        let start = whole.start + quotes + inner.start;
        start..(whole.start + quotes + inner.end).max(start + 1)
    }
}
