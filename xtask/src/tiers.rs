//! The tiers of `cargo xtask test`: run in order, each whatever became of the others, then one table.
//! A tier that cannot run here is skipped, which is red; `--without TIER` leaves one out on purpose.

use crate::command::{BUILD, cargo, show};
use crate::outcome::{Outcome, Why};
use crate::{Workspace, documents, instructions, mutants, python, scenes, tidy};
use std::time::Instant;

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
    Tier { name: "large", full: false, work: large },
    Tier { name: "documents", full: false, work: documents::tier },
    Tier { name: "scenes", full: false, work: scenes::tier },
    Tier { name: "python", full: false, work: python::tier },
    Tier { name: "instructions", full: false, work: instructions::tier },
    Tier { name: "files", full: true, work: instructions::files_tier },
    Tier { name: "vtk", full: true, work: python::vtk_tier },
    Tier { name: "mutants", full: true, work: all_mutants },
];

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    full: bool,
    without: Vec<String>,
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
                "--without" => choice.without.push(tier()?),
                "--only" => choice.only.push(tier()?),
                _ => return Err(format!("`{word}` is not understood")),
            }
        }
        let names = choice.names();
        match choice.without.iter().chain(&choice.only).find(|name| !names.contains(&name.as_str())) {
            Some(name) => Err(format!("no tier `{name}`; there are: {}", names.join(", "))),
            None => Ok(choice),
        }
    }

    fn names(&self) -> Vec<&'static str> {
        TIERS.iter().filter(|tier| self.full || !tier.full).map(|tier| tier.name).collect()
    }

    fn wants(&self, tier: &Tier) -> bool {
        let named = |names: &[String]| names.iter().any(|name| name == tier.name);
        (self.full || !tier.full) && (self.only.is_empty() || named(&self.only)) && !named(&self.without)
    }
}

/// Runs the chosen tiers and prints the table; true if each of them passed.
pub(crate) fn run(workspace: &Workspace, choice: &Choice) -> bool {
    let mut rows = Vec::new();
    for tier in TIERS.iter().filter(|tier| choice.wants(tier)) {
        println!("\n==== {} ====", tier.name);
        let begun = Instant::now();
        let outcome = (tier.work)(workspace);
        rows.push((tier.name, outcome, begun.elapsed().as_secs_f64()));
    }
    print!("\n{}", table(&rows));
    for name in &choice.without {
        println!("{name:<12} was left out, as told");
    }
    is_green(&rows)
}

/// A skipped tier is red: what was not compared has not passed.
fn is_green(rows: &[(&str, Outcome, f64)]) -> bool {
    rows.iter().all(|(_, outcome, _)| *outcome == Outcome::Pass)
}

fn table(rows: &[(&str, Outcome, f64)]) -> String {
    let mut text = format!("{:<12} {:<6} {:>7}  reason and remedy\n", "tier", "result", "seconds");
    for (name, outcome, seconds) in rows {
        let head = format!("{name:<12} {:<6} {seconds:>7.1}", outcome.word());
        match outcome {
            Outcome::Pass => text += &format!("{head}\n"),
            Outcome::Fail(why) | Outcome::Skip(why) => {
                text += &format!("{head}  {}\n{:29}remedy: {}\n", why.reason, "", why.remedy);
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
    if !(tidy::run(root) & mutants::all_fit(root)) {
        wrong.push("the tree is not tidy".to_owned());
    }
    Outcome::of(&wrong, "mend what is listed above; again with `cargo xtask test --only style`")
}

fn rust(workspace: &Workspace) -> Outcome {
    let tests = [&BUILD[..6], &["--no-fail-fast"]].concat();
    let blocks = ["test", "--release", "--workspace", "--doc"];
    let wrong: Vec<String> = [&tests[..], &blocks]
        .into_iter()
        .filter_map(|words| show(&mut cargo(&workspace.root, words)).err())
        .collect();
    Outcome::of(&wrong, "see the failing tests above")
}

/// The problems that are too large to be committed.
fn large(workspace: &Workspace) -> Outcome {
    if !workspace.root.join("../shared/problems").is_dir() {
        return Outcome::Skip(Why::new(
            "the folder ../shared/problems is not beside the clone: the ten problems of over 300 kB were not solved",
            "put the folder there, or leave the tier out with `--without large`",
        ));
    }
    let words = ["test", "--release", "--workspace", "--test", "large"];
    let tests = show(&mut cargo(&workspace.root, &words));
    Outcome::of(&tests.err().into_iter().collect::<Vec<_>>(), "see the failing tests above")
}

fn all_mutants(workspace: &Workspace) -> Outcome {
    let wrong = match mutants::run(workspace, &[]) {
        Ok(true) => Vec::new(),
        Ok(false) => vec!["a mutant was not noticed".to_owned()],
        Err(wrong) => vec![wrong],
    };
    Outcome::of(&wrong, "write the test that notices it, or mend the patch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_tier_is_red() {
        let why = || Why::new("no pip", "install pip");
        assert!(is_green(&[("rust", Outcome::Pass, 1.0)]));
        assert!(!is_green(&[("rust", Outcome::Pass, 1.0), ("python", Outcome::Skip(why()), 0.0)]));
        assert!(!is_green(&[("python", Outcome::Fail(why()), 0.0)]));
    }

    #[test]
    fn only_full_runs_what_needs_extras() {
        let names = |choice: &Choice| -> Vec<&str> {
            TIERS.iter().filter(|tier| choice.wants(tier)).map(|tier| tier.name).collect()
        };
        let usual = ["style", "rust", "large", "documents", "scenes", "python", "instructions"];
        assert_eq!(names(&Choice::parse(&[], true).unwrap()), usual);
        assert_eq!(names(&Choice::parse(&["--full"], true).unwrap()).len(), 10);
        assert_eq!(names(&Choice::parse(&["--only", "rust"], false).unwrap()), ["rust"]);
        let without = ["--without", "large", "--without=python"];
        assert_eq!(names(&Choice::parse(&without, false).unwrap()).len(), 5);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for words in [&["--full"][..], &["--only"], &["--only", "browser"], &["--without=x"], &["rust"]]
        {
            assert!(Choice::parse(words, false).is_err(), "{words:?}");
        }
        assert!(Choice::parse(&["--only", "vtk"], true).is_err());
    }

    #[test]
    fn the_table_gives_reason_and_remedy() {
        let skip = Outcome::Skip(Why::new("pip is missing", "install it"));
        let text = table(&[("rust", Outcome::Pass, 61.25), ("python", skip, 0.5)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "rust         PASS      61.2");
        assert_eq!(lines[2], "python       SKIP       0.5  pip is missing");
        assert_eq!(lines[3].trim(), "remedy: install it");
    }
}
