//! Why a file cannot become a scene: every mistake with file and line.

use std::fmt;

/// Where something stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as it was named.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A mistake and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub place: Place,
    /// What is wrong, and what to do.
    pub message: String,
}

/// All mistakes that were found; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError(pub Vec<Mistake>);

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Mistake { place, message } in &self.0 {
            writeln!(f, "{place}: {message}")?;
        }
        let n = self.0.len();
        write!(f, "{n} mistake{}, no scene was written", if n == 1 { "" } else { "s" })
    }
}

impl std::error::Error for ImportError {}
