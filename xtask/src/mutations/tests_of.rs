//! The integration tests of the crates: built once, then run by name with a folder of references.

use crate::Workspace;
use crate::command::cargo;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The profile: quick to build, half as fast.
const BUILD: [&str; 8] =
    ["test", "--profile", "quick", "--workspace", "--test", "it", "--no-run", "--message-format=json"];

/// The integration tests of a crate.
pub(super) struct Tests {
    /// Folder of the crate.
    pub(super) folder: PathBuf,
    program: PathBuf,
}

/// How the tests ended.
pub(super) struct Ran {
    pub(super) failed: Vec<String>,
    pub(super) n: usize,
}

impl Tests {
    /// The tests of all crates that have some.
    pub(super) fn build(workspace: &Workspace) -> Result<Vec<Self>, String> {
        Ok(build(workspace)?.lines().filter_map(program).collect())
    }

    /// Runs the tests whose names contain one of `names`.
    pub(super) fn run(&self, names: &[String], references: &Path) -> Result<Ran, String> {
        let mut command = Command::new(&self.program);
        command.args(names).current_dir(&self.folder).env("NONSMOOTH_REFERENCES", references);
        let done = command.output().map_err(|error| format!("{}: {error}", self.program.display()))?;
        Ok(read(&String::from_utf8_lossy(&done.stdout)))
    }

    /// The name of the crate.
    pub(super) fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Builds tests and programs; what cargo says about each.
fn build(workspace: &Workspace) -> Result<String, String> {
    println!("$ cargo {}", BUILD.join(" "));
    let done = cargo(&workspace.root, &BUILD).output().map_err(|error| error.to_string())?;
    if !done.status.success() {
        return Err(format!("the tests do not compile:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The compiled library `nonsmooth`.
pub(super) fn library(workspace: &Workspace) -> Result<PathBuf, String> {
    let messages = build(workspace)?;
    let of = |message: &str| {
        let rest = message.split_once("\"filenames\":[\"")?.1;
        let path = rest.split('"').find(|path| path.ends_with(".rlib"))?;
        path.rsplit('/').next()?.starts_with("libnonsmooth-").then(|| PathBuf::from(path))
    };
    messages.lines().find_map(of).ok_or_else(|| "cargo names no library `nonsmooth`".to_owned())
}

/// The tests that a message of cargo is about.
fn program(message: &str) -> Option<Tests> {
    let text = |key: &str| {
        let rest = message.split_once(&format!("\"{key}\":\""))?.1;
        Some(PathBuf::from(rest.split_once('"')?.0))
    };
    let program = text("executable")?;
    message.contains("\"kind\":[\"test\"]").then_some(())?;
    Some(Tests { folder: text("manifest_path")?.parent()?.to_owned(), program })
}

/// What the test program said.
fn read(output: &str) -> Ran {
    let lines = || output.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let failed = lines().filter(|(_, how)| how.starts_with("FAILED")).map(|(name, _)| name.to_owned());
    Ran { failed: failed.collect(), n: lines().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_results_are_read() {
        let message = r#"{"manifest_path":"/a/crates/b/Cargo.toml","target":{"kind":["test"]},"executable":"/a/t/it-1"}"#;
        let tests = program(message).unwrap();
        assert_eq!((tests.name().as_str(), tests.program.as_path()), ("b", Path::new("/a/t/it-1")));
        assert!(program(r#"{"target":{"kind":["lib"]},"executable":null}"#).is_none());
        let ran = read("running 2 tests\ntest a::b ... ok\ntest c ... FAILED\n\nfailures:\n");
        assert_eq!((ran.failed, ran.n), (vec!["c".to_owned()], 2));
    }
}
