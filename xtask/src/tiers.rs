//! The tiers of `cargo xtask test`: run in order, each whatever became of the others, then one table.

use crate::command::{cargo, show, works};
use crate::{Workspace, bench, python, readme, tidy};
use std::process::Command;
use std::time::Instant;

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

    fn word(&self) -> &'static str {
        match self {
            Outcome::Pass => "PASS",
            Outcome::Fail(_) => "FAIL",
            Outcome::Skip(_) => "SKIP",
        }
    }
}

/// A tier: its name, whether only `ci --full` runs it, and the work.
struct Tier {
    name: &'static str,
    full: bool,
    work: fn(&Workspace) -> Outcome,
}

/// Every tier, in order.
const TIERS: &[Tier] = &[
    Tier { name: "style", full: false, work: style },
    Tier { name: "rust", full: false, work: rust },
    Tier { name: "shared", full: false, work: shared },
    Tier { name: "readme", full: false, work: readme::tier },
    Tier { name: "python", full: false, work: python::tier },
    Tier { name: "callgrind", full: true, work: callgrind },
    Tier { name: "vtk", full: true, work: python::vtk_tier },
];

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    full: bool,
    require: Vec<String>,
    only: Vec<String>,
}

impl Choice {
    /// Reads the arguments of `test`, or of `ci`, which knows `--full`.
    pub(crate) fn parse(words: &[&str], ci: bool) -> Result<Self, String> {
        let mut choice = Choice::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) => (flag, Some(value)),
                None => (word, None),
            };
            let mut tier = || {
                let name = value.or_else(|| words.next().copied());
                name.ok_or_else(|| format!("{flag} needs the name of a tier")).map(str::to_owned)
            };
            match flag {
                "--full" if ci && value.is_none() => choice.full = true,
                "--require" => choice.require.push(tier()?),
                "--only" => choice.only.push(tier()?),
                _ => return Err(format!("`{word}` is not understood")),
            }
        }
        let names = choice.names();
        match choice.require.iter().chain(&choice.only).find(|name| !names.contains(&name.as_str())) {
            Some(name) => Err(format!("no tier `{name}`; there are: {}", names.join(", "))),
            None => Ok(choice),
        }
    }

    fn names(&self) -> Vec<&'static str> {
        TIERS.iter().filter(|tier| self.full || !tier.full).map(|tier| tier.name).collect()
    }

    fn wants(&self, tier: &Tier) -> bool {
        (self.full || !tier.full) && (self.only.is_empty() || self.only.iter().any(|n| n == tier.name))
    }

    /// A skipped tier that was required has failed.
    fn judge(&self, name: &str, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Skip(why) if self.require.iter().any(|n| n == name) => Outcome::Fail(why),
            outcome => outcome,
        }
    }
}

/// Runs the chosen tiers and prints the table; true if none failed.
pub(crate) fn run(workspace: &Workspace, choice: &Choice) -> bool {
    let mut rows = Vec::new();
    for tier in TIERS.iter().filter(|tier| choice.wants(tier)) {
        println!("\n==== {} ====", tier.name);
        let begun = Instant::now();
        let outcome = choice.judge(tier.name, (tier.work)(workspace));
        rows.push((tier.name, outcome, begun.elapsed().as_secs_f64()));
    }
    print!("\n{}", table(&rows));
    rows.iter().all(|(_, outcome, _)| !matches!(outcome, Outcome::Fail(_)))
}

fn table(rows: &[(&str, Outcome, f64)]) -> String {
    let mut text = format!("{:<10} {:<6} {:>7}  reason and remedy\n", "tier", "result", "seconds");
    for (name, outcome, seconds) in rows {
        let head = format!("{name:<10} {:<6} {seconds:>7.1}", outcome.word());
        match outcome {
            Outcome::Pass => text += &format!("{head}\n"),
            Outcome::Fail(why) | Outcome::Skip(why) => {
                text += &format!("{head}  {}\n{:27}remedy: {}\n", why.reason, "", why.remedy);
            }
        }
    }
    text
}

fn style(workspace: &Workspace) -> Outcome {
    let root = &workspace.root;
    let mut wrong = Vec::new();
    if show(&mut cargo(root, &["fmt", "--all", "--check"])).is_err() {
        wrong.push("the code is not formatted (`cargo fmt --all`)".to_owned());
    }
    let clippy = ["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"];
    if show(&mut cargo(root, &clippy)).is_err() {
        wrong.push("clippy has complaints".to_owned());
    }
    println!("$ cargo xtask tidy");
    if !tidy::run(root) {
        wrong.push("the tree is not tidy".to_owned());
    }
    Outcome::of(&wrong, "mend what is listed above; again with `cargo xtask test --only style`")
}

/// The tests that solve the collection of problems beside the clone: in the tier `shared`, not twice.
const COLLECTION: &str = "collection::";

fn rust(workspace: &Workspace) -> Outcome {
    let words = ["test", "--release", "--workspace", "--", "--skip", COLLECTION];
    let tests = show(&mut cargo(&workspace.root, &words));
    Outcome::of(&tests.err().into_iter().collect::<Vec<_>>(), "see the failing tests above")
}

fn shared(workspace: &Workspace) -> Outcome {
    let beside = workspace.root.join("../shared");
    if !["references", "problems"].iter().all(|folder| beside.join(folder).is_dir()) {
        return Outcome::Skip(Why::new(
            "the folder ../shared is not beside the clone: nothing was compared with it",
            "put the folder `shared`, with `references` and `problems`, beside the clone",
        ));
    }
    println!("../shared is beside the clone: the tier `rust` compares with its reference trajectories");
    let words = ["test", "--release", "--package", "nonsmooth-scene", "--test", "it", "--", COLLECTION];
    let tests = show(&mut cargo(&workspace.root, &words));
    Outcome::of(&tests.err().into_iter().collect::<Vec<_>>(), "see the failing tests above")
}

fn callgrind(workspace: &Workspace) -> Outcome {
    if !works(Command::new("valgrind").arg("--version")) {
        return Outcome::Skip(Why::new("valgrind is missing", "apt install valgrind"));
    }
    let wrong = match bench::run(workspace, &["small", "--count"]) {
        Ok(true) => Vec::new(),
        Ok(false) => vec!["`cargo xtask bench small --count` failed".to_owned()],
        Err(wrong) => vec![wrong],
    };
    Outcome::of(&wrong, "find what costs more instructions, or justify a new guarded figure")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_required_tier_that_is_skipped_fails() {
        let choice = Choice::parse(&["--require", "python", "--require=shared"], false).unwrap();
        let why = || Why::new("no pip", "install pip");
        assert_eq!(choice.judge("python", Outcome::Skip(why())), Outcome::Fail(why()));
        assert_eq!(choice.judge("shared", Outcome::Skip(why())), Outcome::Fail(why()));
        assert_eq!(choice.judge("readme", Outcome::Skip(why())), Outcome::Skip(why()));
        assert_eq!(choice.judge("python", Outcome::Pass), Outcome::Pass);
    }

    #[test]
    fn only_full_runs_what_needs_extras() {
        let names = |choice: &Choice| -> Vec<&str> {
            TIERS.iter().filter(|tier| choice.wants(tier)).map(|tier| tier.name).collect()
        };
        let usual = ["style", "rust", "shared", "readme", "python"];
        assert_eq!(names(&Choice::parse(&[], true).unwrap()), usual);
        assert_eq!(names(&Choice::parse(&["--full"], true).unwrap()).len(), 7);
        assert_eq!(names(&Choice::parse(&["--only", "rust"], false).unwrap()), ["rust"]);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for words in [&["--full"][..], &["--only"], &["--only", "browser"], &["--require=x"], &["rust"]]
        {
            assert!(Choice::parse(words, false).is_err(), "{words:?}");
        }
        assert!(Choice::parse(&["--only", "callgrind"], true).is_err());
    }

    #[test]
    fn the_table_gives_reason_and_remedy() {
        let skip = Outcome::Skip(Why::new("pip is missing", "install it"));
        let text = table(&[("rust", Outcome::Pass, 61.25), ("python", skip, 0.5)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "rust       PASS      61.2");
        assert_eq!(lines[2], "python     SKIP       0.5  pip is missing");
        assert_eq!(lines[3].trim(), "remedy: install it");
    }
}
