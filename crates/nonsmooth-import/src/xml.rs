//! Elements of a file with their lines; each attribute knows whether it was read, so that what nobody read is reported.
//!
//! Document types are refused before they are looked at, so there are no entities beside those of XML itself.

use crate::error::Place;
use roxmltree::{Document, Node, ParsingOptions};
use std::cell::Cell;

/// Deepest nesting of elements.
const DEEPEST: usize = 200;
/// Most elements, texts and comments of a file.
const MOST_NODES: u32 = 2_000_000;

/// An attribute.
#[derive(Clone, Debug)]
struct Attribute {
    name: String,
    value: String,
    line: usize,
    read: Cell<bool>,
}

/// An element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub tag: String,
    pub place: Place,
    pub children: Vec<Element>,
    attributes: Vec<Attribute>,
}

impl Element {
    /// The root element of a text.
    pub fn parse(text: &str, file: &str) -> Result<Self, (Place, String)> {
        let place = |line: usize| Place { file: file.to_owned(), line };
        if let Some(line) = too_deep(text) {
            return Err((place(line), format!("elements are nested deeper than {DEEPEST}")));
        }
        let options = ParsingOptions { nodes_limit: MOST_NODES, ..Default::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| match error {
            roxmltree::Error::DtdDetected => {
                let line = text.split("<!DOCTYPE").next().map_or(1, |before| before.matches('\n').count() + 1);
                let message = "a document type is not read, for the sake of safety; remove <!DOCTYPE …> and write out its entities";
                (place(line), message.to_owned())
            }
            error => (place(error.pos().row as usize), format!("this is no XML: {error}")),
        })?;
        let mut lines = Lines::of(text);
        Ok(element(document.root_element(), file, &mut lines))
    }

    /// The value of an attribute, which counts as read from now on.
    pub fn attr(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|a| a.name == name)?;
        found.read.set(true);
        Some(&found.value)
    }

    /// The value of an attribute, which stays as it is.
    pub fn peek(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.name == name).map(|a| a.value.as_str())
    }

    /// The line of an attribute, of the element if it has none.
    pub fn line_of(&self, name: &str) -> usize {
        self.attributes.iter().find(|a| a.name == name).map_or(self.place.line, |a| a.line)
    }

    /// The place of an attribute.
    pub fn place_of(&self, name: &str) -> Place {
        Place { file: self.place.file.clone(), line: self.line_of(name) }
    }

    /// Names of attributes that nobody has read.
    pub fn unread(&self) -> Vec<String> {
        self.attributes.iter().filter(|a| !a.read.get()).map(|a| a.name.clone()).collect()
    }

    /// Adds an attribute that the element does not have.
    pub fn inherit(&mut self, name: &str, value: &str) {
        if self.peek(name).is_none() {
            let line = self.place.line;
            let (name, value) = (name.to_owned(), value.to_owned());
            self.attributes.push(Attribute { name, value, line, read: Cell::new(false) });
        }
    }

    /// All attributes with their values.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|a| (a.name.as_str(), a.value.as_str()))
    }

    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.tag == tag)
    }

    pub fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.tag == tag)
    }
}

fn element(node: Node<'_, '_>, file: &str, lines: &mut Lines) -> Element {
    let line = lines.at(node.range().start);
    let attributes = node.attributes().map(|a| Attribute {
        name: a.name().to_owned(),
        value: a.value().to_owned(),
        line: lines.at(a.range().start),
        read: Cell::new(false),
    });
    let attributes: Vec<Attribute> = attributes.collect();
    let children = node.children().filter(Node::is_element);
    Element {
        tag: node.tag_name().name().to_owned(),
        place: Place { file: file.to_owned(), line },
        children: children.map(|child| element(child, file, lines)).collect(),
        attributes,
    }
}

/// Offsets of line ends.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of an offset, counted from 1.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|&end| end < offset) + 1
    }
}

/// The line where tags nest too deep, by counting alone: deep nesting must not reach a parser that calls itself.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        let skip = |end: &str| rest.find(end).map_or(rest.len(), |n| n + end.len());
        at = start
            + match rest.as_bytes().get(1) {
                Some(b'!') if rest.starts_with("<!--") => skip("-->"),
                Some(b'!') if rest.starts_with("<![CDATA[") => skip("]]>"),
                Some(b'!' | b'?') | None => 1,
                Some(b'/') => {
                    depth = depth.saturating_sub(1);
                    1
                }
                Some(_) => {
                    let end = skip(">");
                    depth += usize::from(!rest[..end].ends_with("/>"));
                    1
                }
            };
        if depth > DEEPEST {
            return Some(text[..start].matches('\n').count() + 1);
        }
    }
    None
}
