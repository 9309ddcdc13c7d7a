//! `cargo xtask`: the one entry point for testing, tidying and measuring the workspace.

mod bench;
mod command;
mod documents;
mod instructions;
mod mutants;
mod mutations;
mod outcome;
mod python;
mod scenes;
mod schemes;
mod tidy;
mod tiers;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask test [--without TIER]... [--only TIER]...
       cargo xtask ci [--full] [--without TIER]... [--only TIER]...
       cargo xtask tidy
       cargo xtask mutants [--open | NAME]...
       cargo xtask mutations [PART]...
       cargo xtask schemes
       cargo xtask bench NAME [ARGUMENT]...

  test   every tier: style, rust, large, documents, scenes, python; ends with a table
  ci     the same; --full adds VTK's reader and the mutants
  tidy   lists every breach of the rules that no compiler checks
  mutants  puts each mistake of mutants/ into a copy of the tree; red if no test notices it;
           --open runs those that docs/mutants.md does not show as noticed
  mutations  one wrong sign at a time in references, documents and judged lines; writes docs/mutations.md
  schemes  runs every scheme with every feature and writes docs/schemes.md
  bench  measures; names: small, schemes, solvers [--quick] [--siconos TABLE] [--ours TABLE],
         scenes [--quick] [--keep] [--join] [--limit SECONDS] [SCENE]..., referee

  --without TIER  leave TIER out; a TIER that cannot run here and is not left out is red
  --only TIER     run this one alone
";

/// The workspace: where it is, and where its programs are built.
struct Workspace {
    /// Folder of the workspace.
    root: PathBuf,
    /// Folder of release programs: the one this program was started from.
    release: PathBuf,
}

impl Workspace {
    fn find() -> Self {
        let release = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned));
        let root = root();
        let release = release.unwrap_or_else(|| root.join("target/release"));
        Self { root, release }
    }

    /// The build folder.
    fn target(&self) -> &Path {
        self.release.parent().unwrap_or(&self.release)
    }
}

/// Folder of the workspace, as cargo says now; if it does not, as it said at compile time.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR");
    let here = here.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or(here.clone(), Path::to_owned)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let workspace = Workspace::find();
    let done = match words[..] {
        ["test", ref rest @ ..] => {
            tiers::Choice::parse(rest, false).map(|choice| tiers::run(&workspace, &choice))
        }
        ["ci", ref rest @ ..] => {
            tiers::Choice::parse(rest, true).map(|choice| tiers::run(&workspace, &choice))
        }
        ["tidy"] => Ok(tidy::run(&workspace.root) & mutants::all_fit(&workspace.root)),
        ["mutants", ref rest @ ..] => mutants::run(&workspace, rest),
        ["mutations", ref rest @ ..] => mutations::run(&workspace, rest),
        ["schemes"] => Ok(schemes::run(&workspace)),
        ["bench", ref rest @ ..] => bench::run(&workspace, rest),
        [] => Err("a command is missing".to_owned()),
        ["tidy", word, ..] | [word, ..] => Err(format!("`{word}` is not understood")),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(wrong) => {
            eprint!("error: {wrong}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
