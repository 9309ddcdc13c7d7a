//! The `python` tier: other programs can read the results. A virtual environment in the build folder
//! holds what the tests in `tests-python` need.

use crate::Workspace;
use crate::command::{BUILD, cargo, show, works};
use crate::outcome::{Outcome, Why};
use std::path::{Path, PathBuf};
use std::process::Command;

const TESTS: &str = "tests-python";
const PACKAGES: [&str; 3] = ["h5py", "numpy", "pytest"];

/// Sets up the environment, builds the command and runs pytest on it.
pub(crate) fn tier(workspace: &Workspace) -> Outcome {
    let python = match environment(&workspace.target().join("venv"), &PACKAGES) {
        Ok(python) => python,
        Err(why) => return Outcome::Skip(why),
    };
    let remedy = "see above; again with `cargo xtask test --only python`";
    if let Err(wrong) = show(&mut cargo(&workspace.root, &BUILD)) {
        return Outcome::of(&[wrong], remedy);
    }
    let mut tests = Command::new(python);
    tests
        .args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS])
        .current_dir(&workspace.root);
    tests.env("NONSMOOTH_BIN", workspace.release.join("nonsmooth"));
    Outcome::of(&show(&mut tests).err().into_iter().collect::<Vec<_>>(), remedy)
}

/// The `vtk` tier: VTK's own reader opens the frames of a run.
pub(crate) fn vtk_tier(workspace: &Workspace) -> Outcome {
    let python = match environment(&workspace.target().join("venv-vtk"), &["vtk", "numpy"]) {
        Ok(python) => python,
        Err(why) => return Outcome::Skip(why),
    };
    let out = workspace.target().join("vtk");
    let mut run = cargo(&workspace.root, &["run", "--release", "--", "run", "scenes/box-stack.toml"]);
    run.args(["--vtk", "--quiet", "--overwrite", "--out"]).arg(&out);
    let mut wrong: Vec<String> = show(&mut run).err().into_iter().collect();
    for collection in ["run_bodies.pvd", "run_contacts.pvd"] {
        let mut read = Command::new(&python);
        read.arg("-B").arg(workspace.root.join("crates/nonsmooth-scene/tests/vtk_reader.py"));
        wrong.extend(show(read.arg(out.join("vtk").join(collection))).err());
    }
    Outcome::of(&wrong, "see above; again with `cargo xtask ci --full --only vtk`")
}

/// The interpreter of the environment in `folder`, with the packages installed, or what is missing.
fn environment(folder: &Path, packages: &[&str]) -> Result<PathBuf, Why> {
    let python = folder.join("bin/python");
    let modules = format!("import {}", packages.join(", "));
    if works(Command::new(&python).args(["-c", &modules])) {
        println!("{} are installed in {}", packages.join(", "), folder.display());
        return Ok(python);
    }
    if !works(Command::new("python3").arg("--version")) {
        return Err(Why::new("python3 is missing", "install Python 3 and its pip"));
    }
    // Debian without python3-venv makes environments without pip only; packages may still be visible.
    let venv = |option: &str| show(Command::new("python3").args(["-m", "venv", option]).arg(folder));
    if venv("--clear").is_err() && venv("--without-pip").is_err() {
        return Err(Why::new("python3 cannot make a virtual environment", "apt install python3-venv"));
    }
    if !works(Command::new(&python).args(["-m", "pip", "--version"])) {
        return Err(Why::new("pip is missing", "apt install python3-pip python3-venv"));
    }
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    match show(&mut install) {
        Ok(()) => Ok(python),
        Err(wrong) => Err(Why::new(
            format!("pip could not fetch {}: {wrong}", packages.join(", ")),
            "connect to the network, or point PIP_INDEX_URL to a mirror",
        )),
    }
}
