//! Starting other programs: each is announced, and its output passes through untouched.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Builds all programs and tests. Every tier uses this one selection of packages: with another, cargo chooses other features of
/// some dependencies, and faer and every crate above it would be compiled again. Examples are left to clippy.
pub(crate) const BUILD: [&str; 7] =
    ["test", "--release", "--workspace", "--lib", "--bins", "--tests", "--no-run"];

/// The cargo that started this program.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    // Set for this program by cargo; they would mislead another package's build.
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME");
    command
}

/// Runs to the end with its output visible; says in words how it failed.
pub(crate) fn show(command: &mut Command) -> Result<(), String> {
    let line = line(command);
    println!("$ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(match status.code() {
            Some(code) => format!("exit code {code} of `{line}`"),
            None => format!("`{line}` was killed"),
        }),
        Err(error) => Err(format!("`{line}` did not start: {error}")),
    }
}

/// Whether a command runs and succeeds, without showing anything.
pub(crate) fn works(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words: Vec<String> = std::iter::once(program).chain(command.get_args()).map(quoted).collect();
    words.join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,+@%^*".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into_owned() } else { format!("'{word}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_as_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["run", "--", "a b"]);
        assert_eq!(line(&command), "cargo run -- 'a b'");
    }

    #[test]
    fn failures_name_the_command() {
        let wrong = show(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(wrong.contains("`no-such-program-here` did not start"), "{wrong}");
        let wrong = show(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(wrong, "exit code 3 of `sh -c 'exit 3'`");
    }
}
