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
        Self::with_programs(workspace, &workspace.release)
    }

    /// The same, with the programs of another folder.
    pub(super) fn with_programs(workspace: &Workspace, programs: &Path) -> Result<Self, String> {
        let here = std::env::temp_dir().join(format!("nonsmooth-documents-{}", std::process::id()));
        let (root, release) = (workspace.root.clone(), programs.to_owned());
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

    /// What `nonsmooth list` prints.
    pub(super) fn list(&self) -> Result<String, String> {
        let done = Command::new(self.release.join("nonsmooth")).arg("list").output();
        done.map(|done| String::from_utf8_lossy(&done.stdout).into_owned())
            .map_err(|error| format!("nonsmooth list: {error}"))
    }

    /// A file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.here.join(name)
    }

    /// Checks and runs a scene, or runs commands; blocks of other kinds pass. `printed` is what the commands before printed, and becomes
    /// what these print.
    pub(super) fn check(&self, block: &Block, printed: &mut String) -> Result<(), String> {
        match &block.kind {
            Kind::Scene { before, ends } => self.scene(block, before.as_deref(), ends.as_deref()),
            Kind::Shell => self.shell(block).map(|output| *printed = output),
            Kind::Output if is_printed(&block.text, printed) => Ok(()),
            Kind::Output => Err(format!("{}: the commands before print something else", block.place())),
            _ => Ok(()),
        }
    }

    /// The scene is right, and its run ends with the energy that the block says.
    fn scene(&self, block: &Block, before: Option<&str>, ends: Option<&str>) -> Result<(), String> {
        let mut text = match before {
            Some(path) => std::fs::read_to_string(self.root.join(path))
                .map_err(|error| format!("{path}: {error}"))?,
            None => String::new(),
        };
        text += &block.text;
        let name = format!("{}.toml", block.place().replace(['/', ':', '.'], "-"));
        std::fs::write(self.here.join(&name), text).map_err(|error| format!("{name}: {error}"))?;
        let nonsmooth = || {
            let mut command = Command::new(self.release.join("nonsmooth"));
            command.current_dir(&self.here);
            command
        };
        show(nonsmooth().arg("check").arg(&name)).map_err(|wrong| told(block, &wrong))?;
        let out = format!("results/{name}");
        show(nonsmooth().arg("run").arg(&name).args(["--quiet", "--overwrite", "--out", &out]))
            .map_err(|wrong| told(block, &wrong))?;
        let summary = std::fs::read_to_string(self.here.join(&out).join("summary.json"))
            .map_err(|error| format!("{out}: {error}"))?;
        let energy = number(&summary, "kinetic")? + number(&summary, "potential")?;
        let found = format!("{energy:.3e}");
        match ends {
            Some(ends) if ends == found => Ok(()),
            _ => Err(format!(
                "{}: the run ends with an energy of {found} J: write ends={found}",
                block.place()
            )),
        }
    }

    /// Runs the commands by a shell that stops at the first failure; what they print.
    fn shell(&self, block: &Block) -> Result<String, String> {
        let script: Vec<String> = block.text.lines().map(command).collect();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        println!("$ {}", script.join("\n$ "));
        shell.args(["-euc", &script.join("\n")]).current_dir(&self.here);
        shell.env("PATH", format!("{}:{path}", self.release.display()));
        let done = shell.output().map_err(|error| told(block, &error.to_string()))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let printed = text(&done.stdout) + &text(&done.stderr);
        print!("{printed}");
        match done.status.code() {
            Some(0) => Ok(printed),
            code => Err(told(block, &format!("exit code {}", code.unwrap_or(-1)))),
        }
    }
}

/// The number of a key of a summary.
fn number(summary: &str, key: &str) -> Result<f64, String> {
    let key = format!("\"{key}\":");
    let line = summary.lines().find_map(|line| line.trim().strip_prefix(&key));
    let number = line.and_then(|rest| rest.trim().trim_end_matches(',').parse().ok());
    number.ok_or_else(|| format!("the summary has no number {key}"))
}

/// Whether the lines are printed one after the other. A line `…` stands for lines that were left out, a word `…` for one word.
fn is_printed(text: &str, printed: &str) -> bool {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut from = 0;
    lines.split(|line| line.trim() == "…").all(|part| {
        let fits = |&k: &usize| part.iter().zip(&printed[k..]).all(|(line, other)| is_same(line, other));
        let last = printed.len().saturating_sub(part.len());
        let found = (from..=last).filter(|k| k + part.len() <= printed.len()).find(fits);
        from = found.map_or(from, |k| k + part.len());
        found.is_some()
    })
}

/// Whether two lines have the same words, `…` in the first being any.
fn is_same(line: &str, printed: &str) -> bool {
    let (words, others): (Vec<_>, Vec<_>) =
        (line.split_whitespace().collect(), printed.split_whitespace().collect());
    line == printed
        || line.contains('…')
            && words.len() == others.len()
            && words.iter().zip(others).all(|(word, other)| *word == "…" || *word == other)
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
        let mut printed = String::new();
        assert_eq!(scratch.check(&block("test -f scene.toml && echo a b\n"), &mut printed), Ok(()));
        assert_eq!(printed, "a b\n");
        let failed = scratch.check(&block("false\ntrue\n"), &mut printed);
        assert_eq!(failed, Err("a.md:7: exit code 1".to_owned()));
    }

    #[test]
    fn what_is_printed_is_told_from_what_is_not() {
        let printed = "a 1\nb 2\n\nc 3\nd 4\n";
        for text in ["a 1\n", "b 2\n\nc 3\n", "a 1\n…\nd 4\n", "…\nc 3\n", "c …\n"] {
            assert!(is_printed(text, printed), "{text}");
        }
        for text in ["a -1\n", "a 1\nc 3\n", "d 4\n…\na 1\n", "a 1\n…\nb -2\n", "e …\n"] {
            assert!(!is_printed(text, printed), "{text}");
        }
    }

    #[test]
    fn numbers_of_a_summary_are_read() {
        let summary = "{\n  \"kinetic\": 1.5e-3,\n  \"potential\": -2\n}";
        assert_eq!((number(summary, "kinetic"), number(summary, "potential")), (Ok(1.5e-3), Ok(-2.0)));
        assert!(number(summary, "none").is_err());
    }
}
