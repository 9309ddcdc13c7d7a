//! How a tier ended, and why.

/// How a tier ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything held.
    Pass,
    /// Something did not.
    Fail(Why),
    /// It cannot run here.
    Skip(Why),
}

/// What is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Why {
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}

impl Why {
    /// Both sentences.
    pub(crate) fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { reason: reason.into(), remedy: remedy.into() }
    }
}

impl Outcome {
    /// Fails with every problem found, or passes if there is none.
    pub(crate) fn of(wrong: &[String], remedy: &str) -> Self {
        if wrong.is_empty() { Outcome::Pass } else { Outcome::Fail(Why::new(wrong.join("; "), remedy)) }
    }

    /// One word for the table.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Outcome::Pass => "PASS",
            Outcome::Fail(_) => "FAIL",
            Outcome::Skip(_) => "SKIP",
        }
    }
}
