//! The `scenes` tier: every sample scene is checked and run.

use crate::Workspace;
use crate::command::{BUILD, cargo, show};
use crate::outcome::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks and runs every scene; results go to a scratch folder.
pub(crate) fn tier(workspace: &Workspace) -> Outcome {
    let scratch = std::env::temp_dir().join(format!("nonsmooth-scenes-{}", std::process::id()));
    let wrong = scenes(workspace, &scratch);
    // What is left behind in the system's scratch folder is no failure of the tier.
    let _ = std::fs::remove_dir_all(&scratch);
    Outcome::of(&wrong, "mend the scene or the program; again with `cargo xtask test --only scenes`")
}

fn scenes(workspace: &Workspace, scratch: &Path) -> Vec<String> {
    // `cargo run` would pay for looking at every source again for each scene.
    if let Err(wrong) = show(&mut cargo(&workspace.root, &BUILD)) {
        return vec![wrong];
    }
    let program = workspace.release.join("nonsmooth");
    let paths = scene_paths(&workspace.root);
    if paths.is_empty() {
        return vec!["there is no scene in scenes/".to_owned()];
    }
    let mut wrong = Vec::new();
    for path in paths {
        let out = scratch.join(path.file_stem().unwrap_or_default());
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
