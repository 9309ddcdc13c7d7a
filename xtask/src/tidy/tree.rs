//! The files of the repository: their texts, and which lines of Rust are tests.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that hold no sources, where git cannot say so.
const SKIPPED: [&str; 4] = [".git", "target", "results", ".venv"];

/// A file.
pub(super) struct File {
    /// Its text; empty if it is none.
    pub text: String,
    /// Its size [bytes].
    pub bytes: u64,
}

/// All files by their path from the root, with `/` between folders.
#[derive(Default)]
pub(super) struct Tree {
    files: BTreeMap<String, File>,
    /// Modules declared under `#[cfg(test)]` in another file: the path without `.rs`.
    test_modules: Vec<String>,
}

/// A line of a file.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    /// Its text.
    pub text: &'a str,
    /// It is compiled for tests only.
    pub is_test: bool,
}

impl Tree {
    /// Reads what git tracks or would track; without git, all but the usual build folders.
    pub(super) fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Tree::default();
        for path in tracked_or_walked(root)? {
            let full = root.join(&path);
            // Deleted but still in the index, or a link to a folder.
            if full.is_file() {
                let bytes = std::fs::read(&full)?;
                let size = bytes.len() as u64;
                tree.insert(&path, String::from_utf8(bytes).unwrap_or_default(), size);
            }
        }
        Ok(tree)
    }

    /// A tree of these texts.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.insert(path, (*text).to_owned(), text.len() as u64);
        }
        tree
    }

    /// Adds a file.
    pub(super) fn insert(&mut self, path: &str, text: String, bytes: u64) {
        if path.ends_with(".rs") {
            self.test_modules.extend(test_modules(path, &text));
        }
        self.files.insert(path.to_owned(), File { text, bytes });
    }

    /// How many files there are.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Every file with its path.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// Every file of Rust with its path.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// The text of a file, if it is there.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|file| file.text.as_str())
    }

    /// Whether a file is there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The lines of a file, with those that only tests compile marked.
    pub(super) fn lines<'a>(&self, path: &str, file: &'a File) -> Vec<Line<'a>> {
        let marks = if self.is_test_file(path, file) {
            vec![true; file.text.lines().count()]
        } else if path.ends_with(".rs") {
            test_lines(&file.text)
        } else {
            vec![false; file.text.lines().count()]
        };
        let lines = file.text.lines().zip(marks).enumerate();
        lines.map(|(i, (text, is_test))| Line { number: i + 1, text, is_test }).collect()
    }

    /// Whether only tests compile a file.
    pub(super) fn is_test_file(&self, path: &str, file: &File) -> bool {
        let module = path.strip_suffix(".rs").unwrap_or(path);
        let inside = |test: &String| {
            module
                .strip_prefix(test.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        path.split('/').any(|part| part == "tests" || part == "tests-python" || part == "tests.rs")
            || file.text.lines().any(|line| line == "#![cfg(test)]")
            || self.test_modules.iter().any(inside)
    }
}

/// The files of a tree from its root: what git tracks or would track; without git, all but the usual build folders.
pub(crate) fn tracked_or_walked(root: &Path) -> io::Result<Vec<String>> {
    if let Some(paths) = tracked(root) {
        return Ok(paths);
    }
    let mut paths = Vec::new();
    walk(root, Path::new(""), &mut paths)?;
    Ok(paths)
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
    let out = git.output().ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(out.stdout).ok()?;
    Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walk(root: &Path, folder: &Path, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name();
        let path: PathBuf = folder.join(&name);
        if !entry.file_type()?.is_dir() {
            let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
            paths.push(parts.join("/"));
        } else if !SKIPPED.iter().any(|skipped| name == *skipped) {
            walk(root, &path, paths)?;
        }
    }
    Ok(())
}

/// Marks the items under `#[cfg(test)]`. In formatted code an item ends where its indentation returns.
fn test_lines(text: &str) -> Vec<bool> {
    let lines: Vec<&str> = text.lines().collect();
    let mut marks = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        if lines[at].trim_start() != "#[cfg(test)]" {
            at += 1;
            continue;
        }
        let indent = lines[at].len() - lines[at].trim_start().len();
        let end =
            (at + 1..lines.len()).find(|&i| ends_item(lines[i], indent)).unwrap_or(lines.len() - 1);
        marks[at..=end].fill(true);
        at = end + 1;
    }
    marks
}

/// Whether a line closes an item that began with this indentation.
fn ends_item(line: &str, indent: usize) -> bool {
    let text = line.trim_start();
    let here = line.len() - text.len() == indent && !text.starts_with("#[") && !text.starts_with("//");
    here && !text.is_empty() && (text.ends_with('}') || text.ends_with("};") || text.ends_with(';'))
}

/// Where the modules `#[cfg(test)] mod name;` of a file live.
fn test_modules(path: &str, text: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let base = match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    };
    let declared = |line: &str| {
        let rest = line.trim().strip_suffix(';')?;
        rest.strip_prefix("mod ").or_else(|| rest.strip_prefix("pub(crate) mod ")).map(str::to_owned)
    };
    let marks = test_lines(text);
    let modules = text.lines().zip(marks).filter(|(_, is_test)| *is_test);
    modules.filter_map(|(line, _)| declared(line)).map(|name| format!("{base}/{name}")).collect()
}

/// The code of a line, without its comment.
pub(super) fn code(line: &str) -> &str {
    &line[..comment_start(line)]
}

/// Where the comment of a line begins, outside texts in quotes; its end if there is none.
pub(super) fn comment_start(line: &str) -> usize {
    let (mut quoted, mut before) = (false, ' ');
    for (at, c) in line.char_indices() {
        match c {
            // An escaped quote, or the character '"', opens and closes nothing.
            '"' if before != '\\' && before != '\'' => quoted = !quoted,
            '/' if !quoted && line[at..].starts_with("//") => return at,
            _ => {}
        }
        // A pair of backslashes is one character that escapes nothing.
        before = if c == '\\' && before == '\\' { ' ' } else { c };
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(tree: &Tree, path: &str) -> Vec<bool> {
        let (_, file) = tree.files().find(|(p, _)| *p == path).unwrap();
        tree.lines(path, file).iter().map(|line| line.is_test).collect()
    }

    #[test]
    fn tests_are_told_from_the_rest() {
        let text = "fn a() {\n}\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn b() {\n    }\n}\nfn c() {}\n\
                    impl A {\n    #[cfg(test)]\n    fn d() {\n        e();\n    }\n    fn f() {}\n}\n";
        let tree = Tree::of(&[("src/a.rs", text)]);
        let tests: Vec<usize> =
            marks(&tree, "src/a.rs").iter().enumerate().filter(|(_, m)| **m).map(|(i, _)| i).collect();
        assert_eq!(tests, [2, 3, 4, 5, 6, 7, 10, 11, 12, 13]);
    }

    #[test]
    fn test_modules_in_other_files_are_found() {
        let tree = Tree::of(&[
            ("src/x/mod.rs", "#[cfg(test)]\nmod fuzz;\nmod real;\n"),
            ("src/x/fuzz.rs", "a\n"),
            ("src/x/fuzz/more.rs", "a\n"),
            ("src/x/fuzzy.rs", "a\n"),
            ("src/x/real.rs", "a\n"),
            ("crates/y/tests/it/b.rs", "a\n"),
        ]);
        assert_eq!(marks(&tree, "src/x/mod.rs"), [true, true, false]);
        for (path, is_test) in [
            ("src/x/fuzz.rs", true),
            ("src/x/fuzz/more.rs", true),
            ("src/x/fuzzy.rs", false),
            ("src/x/real.rs", false),
            ("crates/y/tests/it/b.rs", true),
        ] {
            assert_eq!(marks(&tree, path), [is_test], "{path}");
        }
    }

    #[test]
    fn comments_are_told_from_texts() {
        assert_eq!(code("a(); // b"), "a(); ");
        assert_eq!(code("//! b"), "");
        for line in [r#"f("http://x");"#, r#"f("\"//");"#, r#"f("a // b")"#] {
            assert_eq!(code(line), line);
        }
        assert_eq!(code(r#"f('"', "\\"); // c"#), r#"f('"', "\\"); "#);
    }

    #[test]
    fn walking_finds_what_git_finds() {
        let root = crate::root();
        let mut walked = Vec::new();
        walk(&root.join("xtask"), Path::new(""), &mut walked).unwrap();
        assert!(walked.contains(&"src/tidy/tree.rs".to_owned()));
    }
}
