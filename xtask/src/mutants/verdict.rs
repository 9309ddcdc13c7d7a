//! What became of a mutant, read from the output of its test.

use std::fmt;

/// How a test command ended.
pub(crate) struct Ended {
    pub success: bool,
    /// Its output, of both kinds.
    pub text: String,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Without the patch the command passes.
    Sound,
    /// These tests failed.
    Noticed(Vec<String>),
    /// The command passed with the mistake in place.
    Survived,
    /// The patch does not fit the tree any more.
    DoesNotApply(String),
    /// The command failed before any test ran.
    DoesNotBuild(String),
    /// The command fails, or runs no test, without the patch.
    TestIsBroken(String),
}

impl Verdict {
    pub(super) fn is_good(&self) -> bool {
        matches!(self, Verdict::Noticed(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Sound => write!(f, "the test passes without the patch"),
            Verdict::Noticed(tests) => write!(f, "{}", tests.join(", ")),
            Verdict::Survived => write!(f, "survived: no test fell"),
            Verdict::DoesNotApply(words) => write!(f, "the patch no longer applies: {words}"),
            Verdict::DoesNotBuild(words) => write!(f, "the mutant does not build: {words}"),
            Verdict::TestIsBroken(words) => write!(f, "the test is broken without the patch: {words}"),
        }
    }
}

/// Without a patch: at least one test ran, and none failed.
pub(super) fn of_sound_tree(ended: &Ended) -> Verdict {
    if !ended.success {
        let fallen = fallen(&ended.text);
        let words = if fallen.is_empty() { first_error(&ended.text) } else { fallen.join(", ") };
        return Verdict::TestIsBroken(words);
    }
    let passed = |line: &str| {
        let of_test = line.starts_with("test ") && line.ends_with("... ok");
        of_test || line.split_whitespace().nth(1) == Some("PASS")
    };
    let ran = ended.text.lines().any(passed);
    if ran { Verdict::Sound } else { Verdict::TestIsBroken("it runs no test".to_owned()) }
}

/// With the patch: at least one test failed.
pub(super) fn of_mutant(ended: &Ended) -> Verdict {
    let fallen = fallen(&ended.text);
    match (ended.success, fallen.is_empty()) {
        (true, _) => Verdict::Survived,
        (false, false) => Verdict::Noticed(fallen),
        (false, true) => Verdict::DoesNotBuild(first_error(&ended.text)),
    }
}

/// The names in the lines `test NAME ... FAILED`, and the tiers in the lines `TIER FAIL SECONDS REASON`.
fn fallen(text: &str) -> Vec<String> {
    let test = |line: &str| Some(line.strip_prefix("test ")?.split_once(" ... FAILED")?.0.to_owned());
    let tier = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let reason = || format!("tier {}: {}", words[0], words[3..].join(" "));
        (words.len() > 3 && words[1] == "FAIL").then(reason)
    };
    let name = |line: &str| test(line).or_else(|| tier(line));
    let mut names: Vec<String> = text.lines().filter_map(name).collect();
    names.sort();
    names.dedup();
    names
}

fn first_error(text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("error"));
    line.or(text.lines().last()).unwrap_or("no output").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(success: bool, text: &str) -> Ended {
        Ended { success, text: text.to_owned() }
    }

    #[test]
    fn outcomes_are_told_apart() {
        let failed = "running 2 tests\ntest a::b ... FAILED\ntest c ... ok\ntest a::a - should panic ... FAILED\n";
        assert_eq!(
            of_mutant(&ended(false, failed)),
            Verdict::Noticed(vec!["a::a - should panic".into(), "a::b".into()])
        );
        assert_eq!(of_mutant(&ended(true, "test c ... ok\n")), Verdict::Survived);
        let tier = of_mutant(&ended(false, "documents    FAIL       0.1  a.md:3: exit code 2\n"));
        assert_eq!(tier, Verdict::Noticed(vec!["tier documents: a.md:3: exit code 2".into()]));
        let build = of_mutant(&ended(false, "   Compiling x\nerror[E0425]: no `y`\n"));
        assert_eq!(build, Verdict::DoesNotBuild("error[E0425]: no `y`".into()));
        assert!(!build.is_good());
    }

    #[test]
    fn a_test_that_runs_nothing_proves_nothing() {
        assert_eq!(of_sound_tree(&ended(true, "test c ... ok\n")), Verdict::Sound);
        assert_eq!(of_sound_tree(&ended(true, "documents    PASS       0.1\n")), Verdict::Sound);
        assert_eq!(
            of_sound_tree(&ended(true, "running 0 tests\n")),
            Verdict::TestIsBroken("it runs no test".into())
        );
        assert_eq!(
            of_sound_tree(&ended(false, "test c ... FAILED\n")),
            Verdict::TestIsBroken("c".into())
        );
    }
}
