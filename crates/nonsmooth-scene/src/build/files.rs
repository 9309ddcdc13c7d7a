//! Files that a scene refers to, and a hash of each, so that a resumed run finds the same ones.

use super::Build;
use super::copies::At;
use std::hash::{DefaultHasher, Hash, Hasher};

impl Build<'_> {
    /// The contents of a file, its path relative to the scene.
    pub(super) fn file(&mut self, at: &At<'_>, name: &str) -> Option<Vec<u8>> {
        let bytes = match std::fs::read(self.folder.join(name)) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.wrong(at, format!("cannot read `{name}`: {error}"));
                return None;
            }
        };
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let seen = (name.to_owned(), hasher.finish());
        if !self.files.contains(&seen) {
            self.files.push(seen);
        }
        Some(bytes)
    }
}
