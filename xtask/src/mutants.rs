//! `cargo xtask mutants`: each patch in `mutants/` puts one mistake into a copy of the tree, and a named test must fail.
//!
//! A patch begins with two lines: `# Mistake:` says what is wrong, `# Test:` is the command that must notice it (`cargo test …` or
//! `cargo xtask test --only TIER`). Each command
//! is run once without any patch first, and must pass. The copy lies in the system's folder for temporary files; the
//! working tree is never touched. Whether every patch still fits is cheap, so `cargo xtask tidy` looks at that too.

mod copy;
mod page;
mod verdict;

use crate::Workspace;
use copy::{Copy, git_apply};
use std::collections::BTreeMap;
use std::path::Path;
use verdict::Verdict;

/// The folder of the patches.
const FOLDER: &str = "mutants";
/// The page with a row for each mutant; a run writes the rows of its mutants.
const PAGE: &str = "docs/mutants.md";

/// A patch.
#[derive(Debug, PartialEq, Eq)]
struct Mutant {
    name: String,
    mistake: String,
    /// Words of a cargo command, without `cargo`.
    test: Vec<String>,
    patch: String,
}

/// Runs the mutants named, or all; true if each was noticed by its test.
pub(crate) fn run(workspace: &Workspace, names: &[&str]) -> Result<bool, String> {
    let all = read(&workspace.root.join(FOLDER))?;
    if let Some(name) = names.iter().find(|name| !all.iter().any(|mutant| mutant.name == **name)) {
        let there: Vec<&str> = all.iter().map(|mutant| mutant.name.as_str()).collect();
        return Err(format!("no mutant `{name}`; there are: {}", there.join(", ")));
    }
    let chosen: Vec<&Mutant> =
        all.iter().filter(|m| names.is_empty() || names.contains(&m.name.as_str())).collect();
    let copy = Copy::new(workspace)?;
    // All commands without any patch first: the tree is compiled once for them.
    let mut sound: BTreeMap<&[String], Verdict> = BTreeMap::new();
    for mutant in &chosen {
        if !sound.contains_key(mutant.test.as_slice()) {
            sound.insert(&mutant.test, verdict::of_sound_tree(&copy.test(&mutant.test)?));
        }
    }
    let page = workspace.root.join(PAGE);
    let mut rows = page::rows(&std::fs::read_to_string(&page).unwrap_or_default());
    rows.retain(|name, _| all.iter().any(|mutant| mutant.name == *name));
    let mut told = Vec::new();
    for mutant in chosen {
        println!("\n---- {}: {}", mutant.name, mutant.mistake);
        copy.restore()?;
        let verdict = match &sound[mutant.test.as_slice()] {
            Verdict::Sound => judge(&copy, mutant)?,
            unsound => unsound.clone(),
        };
        println!("{}: {verdict}", mutant.name);
        rows.insert(mutant.name.clone(), page::row(mutant, &verdict));
        std::fs::write(&page, page::text(&rows, all.len()))
            .map_err(|error| format!("{PAGE}: {error}"))?;
        told.push((mutant, verdict));
    }
    print!("\n{}", table(&told));
    println!("written to {PAGE}");
    Ok(told.iter().all(|(_, verdict)| verdict.is_good()))
}

/// Prints the patches that no longer fit the tree; true if there is none. Nothing is built.
pub(crate) fn all_fit(root: &Path) -> bool {
    let stale = stale(root).unwrap_or_else(|wrong| vec![(FOLDER.to_owned(), wrong)]);
    for (path, words) in &stale {
        println!("{path}:1: the patch no longer fits the tree: {words}");
    }
    stale.is_empty()
}

/// The patches that no longer fit the tree, each with the reason.
fn stale(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut stale = Vec::new();
    for mutant in read(&root.join(FOLDER))? {
        if let Err(words) = git_apply(root, &["--check"], &mutant.patch)? {
            stale.push((format!("{FOLDER}/{}.patch", mutant.name), words));
        }
    }
    Ok(stale)
}

/// Applies a patch and runs its test.
fn judge(copy: &Copy, mutant: &Mutant) -> Result<Verdict, String> {
    match copy.apply(&mutant.patch)? {
        Err(words) => Ok(Verdict::DoesNotApply(words)),
        Ok(()) => Ok(verdict::of_mutant(&copy.test(&mutant.test)?)),
    }
}

/// The patches of a folder, sorted by name.
fn read(folder: &Path) -> Result<Vec<Mutant>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{FOLDER}: {error}"))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "patch")).collect();
    paths.sort();
    let parse_one = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        parse(&name, &text).map_err(|wrong| format!("{FOLDER}/{name}.patch: {wrong}"))
    };
    let mutants: Result<Vec<Mutant>, String> = paths.iter().map(parse_one).collect();
    mutants
        .and_then(|list| if list.is_empty() { Err(format!("no patch in {FOLDER}/")) } else { Ok(list) })
}

fn parse(name: &str, text: &str) -> Result<Mutant, String> {
    let header = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.map(|rest| rest.trim().to_owned()).ok_or(format!("has no line `{key} …`"))
    };
    let (mistake, test) = (header("# Mistake:")?, header("# Test:")?);
    let words: Vec<String> = test.split_whitespace().map(str::to_owned).collect();
    let is_test =
        words.len() >= 2 && words[0] == "cargo" && ["test", "xtask"].contains(&words[1].as_str());
    if !is_test {
        return Err("`# Test:` must be a command `cargo test …` or `cargo xtask test …`".to_owned());
    }
    Ok(Mutant { name: name.to_owned(), mistake, test: words[1..].to_vec(), patch: text.to_owned() })
}

fn table(rows: &[(&Mutant, Verdict)]) -> String {
    let width = rows.iter().map(|(mutant, _)| mutant.name.len()).max().unwrap_or(0);
    let line = |(mutant, verdict): &(&Mutant, Verdict)| {
        let colour = if verdict.is_good() { "noticed" } else { "RED" };
        format!("{:<width$}  {colour:<7}  {verdict}\n", mutant.name)
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        let text =
            "# Mistake: a wrong sign.\n# Test: cargo test --release -p a -- b\ndiff --git a/x b/x\n";
        let mutant = parse("sign", text).unwrap();
        assert_eq!(mutant.mistake, "a wrong sign.");
        assert_eq!(mutant.test, ["test", "--release", "-p", "a", "--", "b"]);
        assert!(parse("a", "# Mistake: x\n").unwrap_err().contains("# Test:"));
        assert!(parse("a", "# Mistake: x\n# Test: rm -r x\n").is_err());
    }

    #[test]
    fn every_patch_has_its_header() {
        assert!(read(&crate::root().join(FOLDER)).unwrap().len() >= 20);
    }

    #[test]
    fn every_patch_fits_the_tree() {
        assert_eq!(stale(&crate::root()), Ok(Vec::new()));
    }

    #[test]
    fn the_table_tells_red_from_noticed() {
        let mutant = parse("sign", "# Mistake: x\n# Test: cargo test\n").unwrap();
        let text =
            table(&[(&mutant, Verdict::Noticed(vec!["a::b".into()])), (&mutant, Verdict::Survived)]);
        assert_eq!(text.lines().next().unwrap(), "sign  noticed  a::b");
        assert!(text.lines().nth(1).unwrap().starts_with("sign  RED"));
    }
}
