//! `cargo xtask schemes`: writes `docs/schemes.md` from runs of every scheme with every feature. The test that compares the page makes them.

use crate::Workspace;
use crate::command::{cargo, show};

/// Writes the page; true if every run came to its answer.
pub(crate) fn run(workspace: &Workspace) -> bool {
    let words = ["test", "--profile", "quick", "-p", "nonsmooth", "--test", "it", "--", "schemes::page"];
    show(cargo(&workspace.root, &words).env("NONSMOOTH_WRITE_PAGES", "1")).is_ok()
}
