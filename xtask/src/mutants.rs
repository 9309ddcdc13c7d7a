//! `cargo xtask mutants`: each patch in `mutants/` puts one mistake into a copy of the tree, and a named test must fail.
//!
//! A patch begins with two lines: `# Mistake:` says what is wrong, `# Test:` is the command that must notice it (`cargo test …` or
//! `cargo xtask test --only TIER`). Mistakes within functions are built together, once, and switched on at run time (`switch.rs`); the
//! others have a build each. Each command is run once with no mistake first, in the same build, and must pass. The copy lies in the
//! system's folder for temporary files; the working tree is never touched. Whether every patch still fits is cheap, so `cargo xtask tidy`
//! looks at that too.

mod copy;
mod page;
mod switch;
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

/// Chooses the mutants that no row of the page shows as noticed, so that a run that was stopped goes on.
const OPEN: &str = "--open";

/// Runs the mutants named, all, or those still open; true if each was noticed by its test.
pub(crate) fn run(workspace: &Workspace, names: &[&str]) -> Result<bool, String> {
    let all = read(&workspace.root.join(FOLDER))?;
    let page = std::fs::read_to_string(workspace.root.join(PAGE)).unwrap_or_default();
    let noticed = page::noticed(&page);
    let is_open = |mutant: &&Mutant| !noticed.contains(&mutant.name);
    let open: Vec<&str> = all.iter().filter(is_open).map(|mutant| mutant.name.as_str()).collect();
    let names = match names {
        [OPEN] if open.is_empty() => {
            println!("all {} mutants are noticed, says {PAGE}", all.len());
            return Ok(true);
        }
        [OPEN] => &open[..],
        names => names,
    };
    if let Some(name) = names.iter().find(|name| !all.iter().any(|mutant| mutant.name == **name)) {
        let there: Vec<&str> = all.iter().map(|mutant| mutant.name.as_str()).collect();
        return Err(format!("no mutant `{name}`; there are: {}", there.join(", ")));
    }
    let copy = Copy::new(workspace, "-alone", BTreeMap::new())?;
    // The build is the same whoever is chosen.
    let (mut together, mut alone, changed) = switch_on(&copy, &all)?;
    for list in [&mut together, &mut alone] {
        list.retain(|mutant| names.is_empty() || names.contains(&mutant.name.as_str()));
    }
    let switched = Copy::new(workspace, "", changed)?;
    println!("{} mutants in one build, {} with a build each", together.len(), alone.len());
    let mut told = Told::new(workspace, &all);
    for (command, mutants) in by_command(&together) {
        let sound = verdict::of_sound_tree(&switched.test(command, None)?);
        for mutant in mutants {
            let judge = || Ok(verdict::of_mutant(&switched.test(command, Some(&mutant.name))?));
            told.tell(mutant, &sound, judge)?;
        }
    }
    for (command, mutants) in by_command(&alone) {
        copy.restore()?;
        let sound = verdict::of_sound_tree(&copy.test(command, None)?);
        for mutant in mutants {
            copy.restore()?;
            told.tell(mutant, &sound, || judge(&copy, mutant))?;
        }
    }
    print!("\n{}", table(&told.verdicts));
    println!("written to {PAGE}");
    Ok(told.verdicts.iter().all(|(_, verdict)| verdict.is_good()))
}

/// What became of the mutants so far; the page has it after each of them.
struct Told<'a> {
    page: std::path::PathBuf,
    rows: BTreeMap<String, String>,
    n: usize,
    verdicts: Vec<(&'a Mutant, Verdict)>,
}

impl<'a> Told<'a> {
    fn new(workspace: &Workspace, all: &[Mutant]) -> Self {
        let page = workspace.root.join(PAGE);
        let mut rows = page::rows(&std::fs::read_to_string(&page).unwrap_or_default());
        rows.retain(|name, _| all.iter().any(|mutant| mutant.name == *name));
        Self { page, rows, n: all.len(), verdicts: Vec::new() }
    }

    /// Judges a mutant, unless its command fails without it.
    fn tell(
        &mut self,
        mutant: &'a Mutant,
        sound: &Verdict,
        judge: impl FnOnce() -> Result<Verdict, String>,
    ) -> Result<(), String> {
        println!("\n---- {}: {}", mutant.name, mutant.mistake);
        let verdict = if *sound == Verdict::Sound { judge()? } else { sound.clone() };
        println!("{}: {verdict}", mutant.name);
        self.rows.insert(mutant.name.clone(), page::row(mutant, &verdict));
        std::fs::write(&self.page, page::text(&self.rows, self.n))
            .map_err(|error| format!("{PAGE}: {error}"))?;
        self.verdicts.push((mutant, verdict));
        Ok(())
    }
}

/// The mutants of each command, so that each command is run without a mistake just before them.
fn by_command<'a>(mutants: &[&'a Mutant]) -> BTreeMap<&'a [String], Vec<&'a Mutant>> {
    let mut groups: BTreeMap<&[String], Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        groups.entry(&mutant.test).or_default().push(mutant);
    }
    groups
}

/// The mutants whose mistakes are within functions, the others, and the files with the mistakes of the first, each behind its switch.
fn switch_on<'a>(copy: &Copy, all: &'a [Mutant]) -> Result<Switched<'a>, String> {
    let (mut together, mut alone) = (Vec::new(), Vec::new());
    // By path: name of the mutant, number of the body, body with the mistake.
    let mut changes: BTreeMap<String, Vec<(&str, usize, String)>> = BTreeMap::new();
    for mutant in all {
        let Some(bodies) = within_functions(copy, mutant)? else {
            alone.push(mutant);
            continue;
        };
        together.push(mutant);
        for (path, i, body) in bodies {
            changes.entry(path).or_default().push((&mutant.name, i, body));
        }
    }
    let mut files = BTreeMap::new();
    for (path, changes) in changes {
        let changes: Vec<_> = changes.iter().map(|(name, i, body)| (*name, *i, body.as_str())).collect();
        let text = switch::with_switches(&copy.sound_text(&path)?, &changes);
        files.insert(path, text);
    }
    Ok((together, alone, files))
}

/// Mutants in one build, mutants with a build each, changed files by path.
type Switched<'a> = (Vec<&'a Mutant>, Vec<&'a Mutant>, BTreeMap<String, String>);

/// Path of the file, number of the body in it, body with the mistake.
type ChangedBody = (String, usize, String);

/// The bodies that a patch changes; `None` where it changes anything else.
fn within_functions(copy: &Copy, mutant: &Mutant) -> Result<Option<Vec<ChangedBody>>, String> {
    let Ok(files) = copy.patched(&mutant.patch)? else { return Ok(None) };
    let mut all = Vec::new();
    for (path, text) in files {
        let is_of_a_crate = path.starts_with("crates/") && path.ends_with(".rs");
        if !is_of_a_crate {
            return Ok(None);
        }
        match switch::changed_bodies(&copy.sound_text(&path)?, &text) {
            Some(bodies) => all.extend(bodies.into_iter().map(|(i, body)| (path.clone(), i, body))),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
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
        Ok(()) => {
            // A patch that is in place does not fit once more: that must not be what a test notices.
            copy.remove(&format!("{FOLDER}/{}.patch", mutant.name))?;
            Ok(verdict::of_mutant(&copy.test(&mutant.test, None)?))
        }
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
