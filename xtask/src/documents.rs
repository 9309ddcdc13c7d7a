//! The `documents` tier: every fenced block of every document is compiled, checked or run.
//!
//! | first line of the block | what is done with it |
//! |---|---|
//! | ```` ```toml ends=ENERGY ```` | a whole scene, checked and run: kinetic and potential energy at its end [J] |
//! | ```` ```toml completed-by=FILE ends=ENERGY ```` | the same, after the text of FILE, a path from the root |
//! | ```` ```sh ```` | run in a scratch folder that has the scenes and some problems; `cargo run --release --` is the command built |
//! | ```` ```text output ```` | what the commands of the `sh` block before print; a line `…` stands for lines left out, a word `…` for a word |
//! | ```` ```sh network ```` or ```` ```sh long ```` | listed, not run |
//! | ```` ```rust ```` | a doctest of `crates/nonsmooth-documents`, which must list the document |
//! | ```` ```rust file=PATH ```` | the text of that file, which the tests of its crate compile and run |
//! | ```` ```json ````, ```` ```python ````, ```` ```text ```` | shown |
//!
//! Any other first line is red, and so is an indented block. Beside the blocks, the options in `docs/lists.md` are compared with those of the
//! program. The pages of `cargo doc` belong to the documents: a warning is red.

mod blocks;
mod checker;
mod lists;
mod scratch;

use crate::Workspace;
use crate::command::{BUILD, cargo, show};
use crate::outcome::Outcome;
use crate::tidy::tracked_or_walked;
use blocks::{Block, Kind};
pub(crate) use checker::{Checker, Mutated};
use scratch::Scratch;
use std::collections::BTreeMap;

/// Where the documents with Rust blocks are listed.
const DOCTESTS: &str = "crates/nonsmooth-documents/src/lib.rs";

/// Checks all blocks and prints how many there were of each kind.
pub(crate) fn tier(workspace: &Workspace) -> Outcome {
    let blocks = match all_blocks(workspace) {
        Ok(blocks) => blocks,
        Err(wrong) => return Outcome::of(&[wrong], "make the documents readable"),
    };
    let mut wrong: Vec<String> = blocks.iter().filter_map(unknown).collect();
    wrong.extend(unlisted(workspace, &blocks));
    match show(&mut cargo(&workspace.root, &BUILD)).and_then(|()| Scratch::new(workspace)) {
        Ok(scratch) => {
            let mut printed = String::new();
            wrong.extend(blocks.iter().filter_map(|block| scratch.check(block, &mut printed).err()));
            let page = std::fs::read_to_string(workspace.root.join(lists::PAGE)).unwrap_or_default();
            match scratch.list() {
                Ok(printed) => wrong.extend(lists::differences(&printed, &page)),
                Err(words) => wrong.push(words),
            }
        }
        Err(words) => wrong.push(words),
    }
    wrong.extend(files(workspace, &blocks));
    // Units stand in brackets, [m], which rustdoc takes for links.
    let mut pages = cargo(&workspace.root, &["doc", "--release", "--workspace", "--no-deps", "--lib"]);
    let flags = "-D warnings -A rustdoc::broken-intra-doc-links";
    wrong.extend(show(pages.env("RUSTDOCFLAGS", flags)).err());
    print!("{}", counts(&blocks));
    Outcome::of(
        &wrong,
        "mend the document or the program; again with `cargo xtask test --only documents`",
    )
}

/// The blocks of all documents, in order.
fn all_blocks(workspace: &Workspace) -> Result<Vec<Block>, String> {
    let paths = tracked_or_walked(&workspace.root).map_err(|error| error.to_string())?;
    // Beside the references of other codes stand their own texts.
    let documents =
        paths.iter().filter(|path| path.ends_with(".md") && !path.starts_with("references/"));
    let mut blocks = Vec::new();
    for path in documents {
        let text = std::fs::read_to_string(workspace.root.join(path))
            .map_err(|error| format!("{path}: {error}"))?;
        blocks.extend(blocks::read(path, &text)?);
    }
    Ok(blocks)
}

fn unknown(block: &Block) -> Option<String> {
    let Kind::Unknown(words) = &block.kind else { return None };
    Some(format!(
        "{}: `{words}` is no known kind of block; write toml, sh, rust, json, python or text",
        block.place()
    ))
}

/// Documents with Rust blocks that no doctest compiles.
fn unlisted(workspace: &Workspace, blocks: &[Block]) -> Vec<String> {
    let listed = std::fs::read_to_string(workspace.root.join(DOCTESTS)).unwrap_or_default();
    let rust = blocks.iter().filter(|block| block.kind == Kind::Rust);
    let missing =
        rust.filter(|block| !listed.contains(&format!("include_str!(\"../../../{}\")", block.document)));
    missing
        .map(|block| {
            format!("{}: a Rust block, but {DOCTESTS} does not list the document", block.place())
        })
        .collect()
}

/// Blocks that show a file of a crate and differ from it.
fn files(workspace: &Workspace, blocks: &[Block]) -> Vec<String> {
    let differs = |block: &Block| {
        let Kind::RustFile(path) = &block.kind else { return None };
        let text = std::fs::read_to_string(workspace.root.join(path)).unwrap_or_default();
        (text != block.text).then(|| format!("{}: differs from the file {path}", block.place()))
    };
    blocks.iter().filter_map(differs).collect()
}

/// How many blocks of each kind there are, and which are not run.
fn counts(blocks: &[Block]) -> String {
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for block in blocks {
        *by_kind.entry(block.kind.name()).or_default() += 1;
    }
    let by_kind: Vec<String> = by_kind.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    let mut text = format!("blocks: {} in all: {}\n", blocks.len(), by_kind.join(", "));
    for block in blocks {
        if let Kind::ShellListed(why) = &block.kind {
            text += &format!("not run ({why}): {}\n", block.place());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_of_the_documents_is_of_a_known_kind() {
        let workspace = Workspace::find();
        let blocks = all_blocks(&workspace).unwrap();
        let mut wrong: Vec<String> = blocks.iter().filter_map(unknown).collect();
        wrong.extend(unlisted(&workspace, &blocks));
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for kind in [Kind::Rust, Kind::Output, Kind::Shell] {
            assert!(
                blocks.iter().any(|block| block.kind == kind),
                "no block of the kind {kind:?} was found"
            );
        }
        // A scene says how it ends.
        let silent = |block: &&Block| matches!(block.kind, Kind::Scene { ends: None, .. });
        assert_eq!(blocks.iter().filter(silent).map(Block::place).collect::<Vec<_>>(), [""; 0]);
        assert!(blocks.iter().any(|block| matches!(block.kind, Kind::Scene { .. })));
    }

    #[test]
    fn a_block_that_shows_a_file_is_that_file() {
        let workspace = Workspace::find();
        let blocks = all_blocks(&workspace).unwrap();
        assert!(blocks.iter().any(|block| matches!(block.kind, Kind::RustFile(_))));
        assert_eq!(files(&workspace, &blocks), Vec::<String>::new());
        let wrong = blocks::read("a.md", "```rust file=xtask/src/main.rs\nfn main() {}\n```\n").unwrap();
        assert_eq!(files(&workspace, &wrong), ["a.md:1: differs from the file xtask/src/main.rs"]);
    }

    #[test]
    fn blocks_are_counted() {
        let blocks =
            blocks::read("a.md", "```sh long\nx\n```\n```text\ny\n```\n```text\nz\n```\n").unwrap();
        assert_eq!(counts(&blocks), "blocks: 3 in all: 1 sh listed, 2 text\nnot run (long): a.md:1\n");
    }
}
