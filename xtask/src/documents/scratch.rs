//! The scratch folder in which scenes are checked and commands are run: it holds what the documents name.

use super::blocks::{Block, Kind};
use crate::Workspace;
use crate::command::show;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files and folders that commands in documents name, each with what stands for it in the repository.
const GIVEN: [(&str, &str); 4] = [
    ("scene.toml", "scenes/bouncing-ball.toml"),
    ("problem.hdf5", "references/problems/fc3d/rover1041.hdf5"),
    ("problem.json", "references/problems/lcp/lcp_trivial.json"),
    ("problem.M.mtx", "references/problems/lcp/lcp_trivial.M.mtx"),
];
/// Folders of the repository that commands read.
const FOLDERS: [(&str, &str); 2] = [("scenes", "scenes"), ("problems", "references/problems/relay")];

/// What a document calls the command that this repository builds.
const COMMAND: &str = "cargo run --release -- ";
/// Commands of the repository itself, which would start this program again.
const OWN: &str = "cargo xtask ";

/// The folder; removed in the end.
pub(super) struct Scratch {
    here: PathBuf,
    root: PathBuf,
    /// The folder of the command.
    release: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind in the system's scratch folder is no failure.
        let _ = std::fs::remove_dir_all(&self.here);
    }
}

impl Scratch {
    /// A new folder with all that documents name.
    pub(super) fn new(workspace: &Workspace) -> Result<Self, String> {
        let here = std::env::temp_dir().join(format!("nonsmooth-documents-{}", std::process::id()));
        let (root, release) = (workspace.root.clone(), workspace.release.clone());
        let scratch = Self { here, root, release };
        std::fs::create_dir_all(&scratch.here).map_err(|error| error.to_string())?;
        for (name, source) in GIVEN {
            copy(&scratch.root.join(source), &scratch.here.join(name))?;
        }
        for (name, source) in FOLDERS {
            let (from, to) = (scratch.root.join(source), scratch.here.join(name));
            std::fs::create_dir_all(&to).map_err(|error| error.to_string())?;
            for entry in
                std::fs::read_dir(&from).map_err(|error| format!("{source}: {error}"))?.flatten()
            {
                copy(&entry.path(), &to.join(entry.file_name()))?;
            }
        }
        Ok(scratch)
    }

    /// Checks a scene or runs commands; blocks of other kinds pass.
    pub(super) fn check(&self, block: &Block) -> Result<(), String> {
        match &block.kind {
            Kind::Scene(before) => self.scene(block, before.as_deref()),
            Kind::Shell => self.shell(block),
            _ => Ok(()),
        }
    }

    fn scene(&self, block: &Block, before: Option<&str>) -> Result<(), String> {
        let mut text = match before {
            Some(path) => std::fs::read_to_string(self.root.join(path))
                .map_err(|error| format!("{path}: {error}"))?,
            None => String::new(),
        };
        text += &block.text;
        let name = format!("{}.toml", block.place().replace(['/', ':', '.'], "-"));
        std::fs::write(self.here.join(&name), text).map_err(|error| format!("{name}: {error}"))?;
        let mut check = Command::new(self.release.join("nonsmooth"));
        show(check.current_dir(&self.here).arg("check").arg(&name)).map_err(|wrong| told(block, &wrong))
    }

    /// Runs the commands by a shell that stops at the first failure.
    fn shell(&self, block: &Block) -> Result<(), String> {
        let script: Vec<String> = block.text.lines().map(command).collect();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell.args(["-euxc", &script.join("\n")]).current_dir(&self.here);
        shell.env("PATH", format!("{}:{path}", self.release.display()));
        show(&mut shell).map_err(|wrong| told(block, &wrong))
    }
}

fn told(block: &Block, wrong: &str) -> String {
    let code = wrong.split(" of `").next().unwrap_or(wrong);
    format!("{}: {code}", block.place())
}

/// A line as the shell gets it.
fn command(line: &str) -> String {
    let line = line.trim_start().strip_prefix("$ ").unwrap_or(line);
    match line.strip_prefix(COMMAND) {
        Some(rest) => format!("nonsmooth {rest}"),
        None if line.starts_with(OWN) => format!(": not run here: {}", line.replace('#', "")),
        None => line.to_owned(),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_this_build() {
        assert_eq!(command("cargo run --release -- run a.toml"), "nonsmooth run a.toml");
        assert_eq!(command("$ nonsmooth list"), "nonsmooth list");
        assert_eq!(command("    --norms l1"), "    --norms l1");
        assert!(command("cargo xtask test").starts_with(": "));
    }

    #[test]
    fn a_failing_command_is_told_with_its_place() {
        let workspace = Workspace::find();
        let scratch = Scratch::new(&workspace).unwrap();
        let block = |text: &str| Block {
            document: "a.md".into(),
            line: 7,
            kind: Kind::Shell,
            text: text.into(),
        };
        assert_eq!(scratch.check(&block("test -f scene.toml\n")), Ok(()));
        assert_eq!(scratch.check(&block("false\ntrue\n")), Err("a.md:7: exit code 1".to_owned()));
    }
}
