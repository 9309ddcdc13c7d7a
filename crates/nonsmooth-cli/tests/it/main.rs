//! The built `nonsmooth` command as a user meets it: words, exit codes, files, interruptions.

mod bodies;
mod commands;
mod derivatives;
mod failures;
mod interruptions;
mod map;
mod notes;
mod orbit;
mod pictures;
mod runs;
mod solve;
mod study;
mod sweep;
mod tables;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command, not yet started.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonsmooth"));
    command.args(arguments);
    command
}

/// What a finished command left behind.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command writes UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Ended {
    /// Asserts the exit code, and that each of the words is in the output or among the errors.
    fn expect(&self, code: i32, words: &[&str]) -> &Self {
        let all = format!("stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        assert_eq!(self.code, Some(code), "{all}");
        for word in words {
            assert!(all.contains(word), "no `{word}` in\n{all}");
        }
        self
    }
}

fn nonsmooth(arguments: &[&str]) -> Ended {
    command(arguments).output().expect("the command starts").into()
}

/// A scene that comes with the project.
fn scene(name: &str) -> String {
    text_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name))
}

fn text_of(path: &Path) -> String {
    path.to_str().expect("paths of tests are UTF-8").to_owned()
}

/// An empty folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nonsmooth-cli").join(test);
        if path.exists() {
            std::fs::remove_dir_all(&path).expect("removable");
        }
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn text(&self, name: &str) -> String {
        text_of(&self.path(name))
    }

    /// Writes a file and returns its path.
    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).expect("writable");
        self.text(name)
    }
}

impl Drop for Folder {
    /// Removes the folder of a test that passed; that of a failed one is kept to be looked at.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
