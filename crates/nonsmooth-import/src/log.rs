//! What an import says beside its scene: mistakes, what was not carried over, what was decided.

use crate::error::{ImportError, Mistake, Place};
use crate::xml::Element;
use serde::Serialize;

/// Something of the file that the scene does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Dropped {
    /// The element's tag.
    pub element: String,
    /// Its attribute; empty where the whole element was left out.
    pub attribute: String,
    /// The name of the element, or of the nearest one around it that has one.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// Why.
    pub why: String,
}

/// Everything that is said while a file is read.
#[derive(Debug, Default)]
pub(crate) struct Log {
    mistakes: Vec<Mistake>,
    pub dropped: Vec<Dropped>,
    pub notes: Vec<String>,
}

impl Log {
    /// Something that cannot become a scene.
    pub fn wrong(&mut self, place: &Place, message: impl Into<String>) {
        let mistake = Mistake { place: place.clone(), message: message.into() };
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// Something that was decided and that the reader should know.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Leaves out an attribute, or with an empty name the whole element.
    pub fn drop(&mut self, element: &Element, attribute: &str, name: &str, why: &str) {
        let own = element.peek("name").unwrap_or(name);
        self.dropped.push(Dropped {
            element: element.tag.clone(),
            attribute: attribute.to_owned(),
            name: own.to_owned(),
            file: element.place.file.clone(),
            line: element.line_of(attribute),
            why: why.to_owned(),
        });
    }

    /// Leaves out something that stands there, whole or in part.
    pub fn drop_at(&mut self, place: &Place, element: &str, name: &str, why: &str) {
        let (element, name, why) = (element.to_owned(), name.to_owned(), why.to_owned());
        let (file, line) = (place.file.clone(), place.line);
        self.dropped.push(Dropped { element, attribute: String::new(), name, file, line, why });
    }

    /// Leaves out every attribute that nobody has read; `why` gives the reason where there is a better one.
    pub fn drop_rest(
        &mut self,
        element: &Element,
        name: &str,
        why: impl Fn(&str) -> Option<&'static str>,
    ) {
        for attribute in element.unread() {
            let reason = why(&attribute).unwrap_or("not known to this importer");
            self.drop(element, &attribute, name, reason);
        }
    }

    pub fn is_good(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// The mistakes, in the order of their places.
    pub fn error(mut self) -> ImportError {
        self.mistakes.sort_by(|a, b| a.place.cmp(&b.place));
        ImportError(self.mistakes)
    }
}
