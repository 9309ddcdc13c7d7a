//! The `readme` tier: what the README tells a newcomer to type works, and so does every sample scene.
//!
//! Tested are the lines `cargo run --release -- …` of each ```` ```sh ```` block with the comment
//! `<!-- tested -->` directly above. Runs write to a scratch folder instead of the one they name.

use crate::Workspace;
use crate::command::{cargo, show};
use crate::tiers::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

const MARK: &str = "<!-- tested -->";
const PREFIX: &str = "cargo run --release -- ";

/// Runs the README's commands, then checks and runs every scene.
pub(crate) fn tier(workspace: &Workspace) -> Outcome {
    let scratch = std::env::temp_dir().join(format!("nonsmooth-readme-{}", std::process::id()));
    let mut wrong = match std::fs::read_to_string(workspace.root.join("README.md")) {
        Ok(text) => commands(workspace, &text, &scratch),
        Err(_) => vec!["there is no README.md".to_owned()],
    };
    wrong.extend(scenes(workspace, &scratch));
    // What is left behind in the system's scratch folder is no failure of the tier.
    let _ = std::fs::remove_dir_all(&scratch);
    Outcome::of(
        &wrong,
        "mend README.md, the scene or the program; again with `cargo xtask test --only readme`",
    )
}

fn commands(workspace: &Workspace, text: &str, scratch: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let lines = tested_lines(text);
    if !lines.iter().any(|line| line.starts_with(PREFIX)) {
        wrong.push(format!("README.md has no line `{PREFIX}…` in a block marked `{MARK}`"));
    }
    for line in lines {
        let Some(rest) = line.strip_prefix(PREFIX) else {
            println!("(not run: {line})");
            continue;
        };
        let (words, dropped) = split(rest);
        if !dropped.is_empty() {
            println!("(run without: {dropped})");
        }
        let words = redirect(words, scratch);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        wrong.extend(show(cargo(&workspace.root, &["run", "--release", "--"]).args(words)).err());
    }
    wrong
}

fn scenes(workspace: &Workspace, scratch: &Path) -> Vec<String> {
    // `cargo run` would pay for looking at every source again for each scene.
    if let Err(wrong) = show(&mut cargo(&workspace.root, &["build", "--release"])) {
        return vec![wrong];
    }
    let program = workspace.release.join("nonsmooth");
    let paths = scene_paths(&workspace.root);
    if paths.is_empty() {
        return vec!["there is no scene in scenes/".to_owned()];
    }
    let mut wrong = Vec::new();
    for path in paths {
        let out = scratch.join("scenes").join(path.file_stem().unwrap_or_default());
        let mut check = Command::new(&program);
        wrong.extend(show(check.current_dir(&workspace.root).arg("check").arg(&path)).err());
        let mut run = Command::new(&program);
        run.current_dir(&workspace.root).args(["run", "--quiet"]).arg(&path).arg("--out").arg(out);
        wrong.extend(show(&mut run).err());
    }
    wrong
}

/// The sample scenes, relative to the root, sorted.
fn scene_paths(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join("scenes")).into_iter().flatten().flatten();
    let names = entries.map(|entry| Path::new("scenes").join(entry.file_name()));
    let mut paths: Vec<PathBuf> =
        names.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    paths.sort();
    paths
}

/// The lines of every marked block, continued lines joined, without comments and prompts.
fn tested_lines(text: &str) -> Vec<String> {
    let (mut lines, mut marked, mut inside) = (Vec::new(), false, false);
    let mut begun = String::new();
    for line in text.lines().map(str::trim) {
        if inside && line.starts_with("```") {
            inside = false;
        } else if inside {
            let line = line.strip_prefix("$ ").unwrap_or(line);
            match line.strip_suffix('\\') {
                Some(part) => begun += part,
                None => {
                    let whole = std::mem::take(&mut begun) + line;
                    lines.push(whole);
                }
            }
        } else if marked && line == "```sh" {
            inside = true;
        }
        marked = line == MARK;
    }
    lines.retain(|line| !line.is_empty() && !line.starts_with('#'));
    lines
}

/// Splits into words as a shell does, up to a comment, pipe or redirection; that rest comes second.
fn split(line: &str) -> (Vec<String>, String) {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '>' | '|' | '&' | ';') => {
                words.extend(word.take());
                return (words, line[at..].to_owned());
            }
            (None, '#') if word.is_none() => return (words, String::new()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (words, String::new())
}

/// Sends the results of `run` to a folder of the same name below `scratch`.
fn redirect(words: Vec<String>, scratch: &Path) -> Vec<String> {
    if words.first().is_none_or(|word| word != "run") {
        return words;
    }
    let scene = words.iter().find(|word| word.ends_with(".toml")).map_or("scene", String::as_str);
    let stem = Path::new(scene).file_stem().unwrap_or_default();
    let mut folder = Path::new("results").join(stem);
    let (mut kept, mut words) = (Vec::new(), words.into_iter());
    while let Some(word) = words.next() {
        if word == "--out" {
            folder = words.next().map_or(folder, PathBuf::from);
        } else if let Some(given) = word.strip_prefix("--out=") {
            folder = PathBuf::from(given);
        } else {
            kept.push(word);
        }
    }
    // A folder from the root or above would leave the scratch folder.
    let inside: PathBuf =
        folder.components().filter(|part| matches!(part, std::path::Component::Normal(_))).collect();
    kept.extend(["--out".to_owned(), scratch.join(inside).to_string_lossy().into_owned()]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[&str]) -> Vec<String> {
        text.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn only_marked_blocks_are_tested() {
        let text = "```sh\nno\n```\n<!-- tested -->\n```sh\n$ one \\\n  two\n# word\n\nthree\n```\n\
                    <!-- tested -->\n\n```sh\nno\n```\n<!-- tested -->\n```toml\nno\n```\n";
        assert_eq!(tested_lines(text), ["one two", "three"]);
    }

    #[test]
    fn words_split_as_in_a_shell() {
        let (split_words, rest) = split("run a.toml --set 'e = 0.5' \"\" # why");
        assert_eq!(split_words, ["run", "a.toml", "--set", "e = 0.5", ""]);
        assert_eq!(rest, "");
        assert_eq!(split("schema > a.json"), (words(&["schema"]), "> a.json".to_owned()));
    }

    #[test]
    fn runs_write_to_the_scratch_folder() {
        let scratch = Path::new("s");
        let to = |given: &[&str]| redirect(words(given), scratch);
        assert_eq!(to(&["run", "scenes/a.toml"]), ["run", "scenes/a.toml", "--out", "s/results/a"]);
        assert_eq!(to(&["run", "--out", "x", "a.toml"]), ["run", "a.toml", "--out", "s/x"]);
        assert_eq!(to(&["run", "a.toml", "--out=../y", "-q"]), ["run", "a.toml", "-q", "--out", "s/y"]);
        assert_eq!(to(&["check", "a.toml"]), ["check", "a.toml"]);
    }
}
