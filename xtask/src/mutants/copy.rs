//! The copy of the tree in which mistakes are made. It keeps its place and its build folder between runs, so that only
//! what a patch changes is compiled again.

use super::switch::VARIABLE;
use super::verdict::Ended;
use crate::Workspace;
use crate::command::cargo;
use crate::tidy::tracked_or_walked;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A copy of the tree.
pub(super) struct Copy {
    /// The original; only read.
    root: PathBuf,
    /// The copy.
    here: PathBuf,
    /// Where the copy is built.
    target: PathBuf,
    /// Files of the tree, from its root.
    paths: Vec<String>,
    /// Texts of files that differ from the tree.
    changed: BTreeMap<String, String>,
}

impl Copy {
    /// Copies the tree of the workspace to the place with this name, with these files changed.
    pub(super) fn new(
        workspace: &Workspace,
        name: &str,
        changed: BTreeMap<String, String>,
    ) -> Result<Self, String> {
        let root = workspace.root.clone();
        let mut hasher = DefaultHasher::new();
        root.hash(&mut hasher);
        // One place for each clone, outside of any repository: there `git apply` takes every path as it stands.
        let here = std::env::temp_dir().join(format!("nonsmooth-mutants-{:x}{name}", hasher.finish()));
        let paths = tracked_or_walked(&root).map_err(|error| format!("{}: {error}", root.display()))?;
        let paths = paths.into_iter().filter(|path| root.join(path).is_file()).collect();
        let copy = Self { root, here, target: workspace.target().join("mutants"), paths, changed };
        copy.restore()?;
        Ok(copy)
    }

    /// Makes the copy equal to the tree, but for what is changed. Files that are equal keep their time, so that cargo does not compile them again.
    pub(super) fn restore(&self) -> Result<(), String> {
        let wanted: std::collections::BTreeSet<&str> = self.paths.iter().map(String::as_str).collect();
        if self.here.is_dir() {
            let there = tracked_or_walked(&self.here).map_err(|error| error.to_string())?;
            for path in there.iter().filter(|path| !wanted.contains(path.as_str())) {
                std::fs::remove_file(self.here.join(path))
                    .map_err(|error| format!("{path}: {error}"))?;
            }
            remove_empty_folders(&self.here).map_err(|error| error.to_string())?;
        }
        for path in &self.paths {
            let text = self.changed.get(path).map(|text| text.as_bytes());
            copy_if_changed(&self.root.join(path), text, &self.here.join(path))
                .map_err(|error| format!("copy of {path}: {error}"))?;
        }
        Ok(())
    }

    /// Applies a patch to the copy; the inner `Err` tells why it does not fit.
    pub(super) fn apply(&self, patch: &str) -> Result<Result<(), String>, String> {
        git_apply(&self.here, &[], patch)
    }

    /// Paths and texts of the files that a patch changes, as it leaves them; the copy stays as the tree is.
    pub(super) fn patched(&self, patch: &str) -> Result<Result<Vec<(String, String)>, String>, String> {
        if let Err(words) = self.apply(patch)? {
            return Ok(Err(words));
        }
        let mut files = Vec::new();
        for path in patch.lines().filter_map(|line| line.strip_prefix("+++ b/")) {
            let read = std::fs::read_to_string(self.here.join(path));
            files.push((path.to_owned(), read.map_err(|error| format!("{path}: {error}"))?));
            std::fs::write(self.here.join(path), self.sound_text(path)?)
                .map_err(|error| format!("{path}: {error}"))?;
        }
        Ok(Ok(files))
    }

    /// The text of a file of the tree.
    pub(super) fn sound_text(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(path)).map_err(|error| format!("{path}: {error}"))
    }

    /// Removes a file of the copy.
    pub(super) fn remove(&self, path: &str) -> Result<(), String> {
        std::fs::remove_file(self.here.join(path)).map_err(|error| format!("{path}: {error}"))
    }

    /// Runs a test command in the copy with this mistake switched on, or none; its output is kept.
    pub(super) fn test(&self, words: &[String], mistake: Option<&str>) -> Result<Ended, String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        println!("$ cargo {}", words.join(" "));
        let mut command = cargo(&self.here, &words);
        command.env("CARGO_TARGET_DIR", &self.target).stdin(Stdio::null());
        command.env_remove(VARIABLE).envs(mistake.map(|name| (VARIABLE, name)));
        let out = command.output().map_err(|error| format!("cargo did not start: {error}"))?;
        let text = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
        Ok(Ended { success: out.status.success(), text: text.into_owned() })
    }
}

/// Applies a patch to the tree in `folder`, or with `--check` looks whether it fits; the inner `Err` tells why it does not.
pub(super) fn git_apply(
    folder: &Path,
    more: &[&str],
    patch: &str,
) -> Result<Result<(), String>, String> {
    let mut git = Command::new("git");
    git.args(["apply", "--whitespace=nowarn"]).args(more).arg("-").current_dir(folder);
    git.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder));
    git.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = git.spawn().map_err(|error| format!("git did not start: {error}"))?;
    let mut input = child.stdin.take().ok_or("git takes no input")?;
    input.write_all(patch.as_bytes()).map_err(|error| format!("git apply: {error}"))?;
    drop(input);
    let out = child.wait_with_output().map_err(|error| format!("git apply: {error}"))?;
    let words = String::from_utf8_lossy(&out.stderr).trim().replace('\n', "; ");
    Ok(if out.status.success() { Ok(()) } else { Err(words) })
}

/// Removes the folders below this one that hold no file: cargo takes an empty folder below `crates/` for a crate.
fn remove_empty_folders(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            remove_empty_folders(&path)?;
            if std::fs::read_dir(&path)?.next().is_none() {
                std::fs::remove_dir(&path)?;
            }
        }
    }
    Ok(())
}

/// Copies a file, or writes this text in its place.
fn copy_if_changed(from: &Path, text: Option<&[u8]>, to: &Path) -> std::io::Result<()> {
    let bytes = text.map_or_else(|| std::fs::read(from), |text| Ok(text.to_vec()))?;
    if std::fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(to, bytes)?;
    std::fs::set_permissions(to, std::fs::metadata(from)?.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(name: &str) -> Copy {
        let base = std::env::temp_dir().join(format!("nonsmooth-copy-{name}-{}", std::process::id()));
        let (root, here) = (base.join("tree"), base.join("copy"));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("a.txt"), "one\ntwo\n").unwrap();
        let (paths, changed) = (vec!["a.txt".into()], BTreeMap::new());
        Copy { root, here, target: base.join("target"), paths, changed }
    }

    const PATCH: &str = "# Mistake: x\n# Test: cargo test\ndiff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n\
                         @@ -1,2 +1,2 @@\n one\n-two\n+three\n";

    #[test]
    fn a_patch_changes_the_copy_alone_and_is_taken_back() {
        let copy = small("apply");
        copy.restore().unwrap();
        assert_eq!(copy.apply(PATCH).unwrap(), Ok(()));
        std::fs::write(copy.here.join("left.txt"), "by a patch").unwrap();
        std::fs::create_dir_all(copy.here.join("crates/left/src")).unwrap();
        std::fs::write(copy.here.join("crates/left/src/lib.rs"), "").unwrap();
        let read = |folder: &Path| std::fs::read_to_string(folder.join("a.txt")).unwrap();
        assert_eq!(
            (read(&copy.here).as_str(), read(&copy.root).as_str()),
            ("one\nthree\n", "one\ntwo\n")
        );
        copy.restore().unwrap();
        assert_eq!(read(&copy.here), "one\ntwo\n");
        assert!(!copy.here.join("left.txt").exists());
        assert!(!copy.here.join("crates").exists(), "an empty folder is left behind");
        std::fs::remove_dir_all(copy.root.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_patch_that_no_longer_fits_is_told() {
        let copy = small("stale");
        copy.restore().unwrap();
        let words = copy.apply(&PATCH.replace("-two", "-four")).unwrap().unwrap_err();
        assert!(words.contains("a.txt"), "{words}");
        std::fs::remove_dir_all(copy.root.parent().unwrap()).unwrap();
    }
}
