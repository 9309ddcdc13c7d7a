//! Single blocks, checked again with something wrong in them, for `cargo xtask mutations`.

use super::blocks::{Block, Kind};
use super::scratch::Scratch;
use super::{all_blocks, files};
use crate::Workspace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is needed to check a block.
pub(crate) struct Checker<'a> {
    workspace: &'a Workspace,
    scratch: Scratch,
    blocks: Vec<Block>,
    /// What the commands before a block of output printed, by its place.
    printed: BTreeMap<String, String>,
    /// The library that Rust blocks use, in the folder of its dependencies.
    library: PathBuf,
}

/// A block with something wrong in it.
pub(crate) struct Mutated {
    /// What was done.
    pub(crate) what: String,
    pub(crate) block: Block,
}

/// Place and kind of a block, and the block with each of its mistakes.
pub(crate) type Mutations = Vec<((String, &'static str), Vec<Mutated>)>;

impl<'a> Checker<'a> {
    /// Checks every block as it is: nothing can be said about mistakes in one that fails. Programs are those in `programs`.
    pub(crate) fn new(
        workspace: &'a Workspace,
        programs: &Path,
        library: PathBuf,
    ) -> Result<Self, String> {
        let scratch = Scratch::with_programs(workspace, programs)?;
        let (blocks, printed) = (all_blocks(workspace)?, BTreeMap::new());
        let mut checker = Self { workspace, scratch, blocks, printed, library };
        let mut last = String::new();
        for block in &checker.blocks {
            checker.scratch.check(block, &mut last)?;
            if block.kind == Kind::Rust {
                checker.compile_and_run(block)?;
            }
            if block.kind == Kind::Output {
                checker.printed.insert(block.place(), last.clone());
            }
        }
        Ok(checker)
    }

    /// Every block that has a result, with its mistakes: `wrong` gives texts with one number turned, told how comments begin.
    pub(crate) fn mutations(&self, wrong: impl Fn(&str, &str) -> Vec<(String, String)>) -> Mutations {
        let of = |block: &Block| {
            let comment = match block.kind {
                Kind::Scene { .. } => "#",
                Kind::Shell => " #",
                Kind::Rust | Kind::RustFile(_) => "//",
                Kind::Output => "\n",
                _ => return None,
            };
            let misspelt = (block.kind == Kind::Shell).then(|| misspelt(&block.text));
            let texts = wrong(&block.text, comment).into_iter().chain(misspelt.into_iter().flatten());
            let mutated =
                texts.map(|(what, text)| Mutated { what, block: Block { text, ..block.clone() } });
            Some(((block.place(), block.kind.name()), mutated.collect()))
        };
        self.blocks.iter().filter_map(of).collect()
    }

    /// Whether the check of a block fails.
    pub(crate) fn notices(&self, block: &Block) -> bool {
        match &block.kind {
            Kind::Rust => self.compile_and_run(block).is_err(),
            Kind::RustFile(_) => !files(self.workspace, std::slice::from_ref(block)).is_empty(),
            _ => {
                let mut printed = self.printed.get(&block.place()).cloned().unwrap_or_default();
                let fails = self.scratch.check(block, &mut printed).is_err();
                // What commands print is compared where a block shows it.
                let at = self.blocks.iter().position(|other| other.place() == block.place());
                let next = at.and_then(|k| self.blocks.get(k + 1));
                let shown = next.filter(|next| block.kind == Kind::Shell && next.kind == Kind::Output);
                fails || shown.is_some_and(|next| self.scratch.check(next, &mut printed).is_err())
            }
        }
    }

    fn compile_and_run(&self, block: &Block) -> Result<(), String> {
        let (source, program) = (self.scratch.path("block.rs"), self.scratch.path("block"));
        std::fs::write(&source, &block.text)
            .map_err(|error| format!("{}: {error}", source.display()))?;
        let dependencies = self.library.parent().unwrap_or(Path::new("."));
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition", "2024", "-L"]).arg(format!("dependency={}", dependencies.display()));
        rustc.arg("--extern").arg(format!("nonsmooth={}", self.library.display()));
        rustc.arg("-o").arg(&program).arg(&source);
        for command in [&mut rustc, &mut Command::new(&program)] {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match command.status() {
                Ok(status) if status.success() => {}
                _ => {
                    return Err(format!(
                        "{}: it does not compile, or its assertion fails",
                        block.place()
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The commands with the first one misspelt.
fn misspelt(text: &str) -> Option<(String, String)> {
    let line = text.lines().next()?;
    let command =
        ["cargo run --release -- ", "nonsmooth "].iter().find_map(|start| line.strip_prefix(start));
    let command = command.unwrap_or(line);
    let word = command.split_whitespace().next()?;
    let wrong = line[..line.len() - command.len()].to_owned() + "x" + command;
    Some((format!("line 1: {word} → x{word}"), text.replacen(line, &wrong, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_is_misspelt() {
        let (what, text) = misspelt("nonsmooth solve a.json   # one\nls\n").unwrap();
        assert_eq!(what, "line 1: solve → xsolve");
        assert_eq!(text, "nonsmooth xsolve a.json   # one\nls\n");
        let (_, text) = misspelt("sed a > b\n").unwrap();
        assert_eq!(text, "xsed a > b\n");
    }
}
