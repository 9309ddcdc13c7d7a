//! `cargo xtask bench NAME`: our measurement, then the peers' where they are installed, in the same run.

use crate::command::{cargo, show, works};
use std::path::Path;
use std::process::Command;

/// A bench: its name, the example that measures us, and the script that measures Siconos.
struct Bench {
    name: &'static str,
    example: &'static str,
    siconos: &'static str,
}

const BENCHES: &[Bench] =
    &[Bench { name: "small", example: "bench_small", siconos: "benches/siconos_small.py" }];

/// Debian's Siconos is seen by Debian's Python only.
const PYTHON: &str = "/usr/bin/python3";

/// Runs the bench named by the first word with the others as arguments; `Err` if there is none such.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<bool, String> {
    let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
    let [name, arguments @ ..] = words else {
        return Err(format!("bench needs a name; there are: {}", names.join(", ")));
    };
    let bench = BENCHES.iter().find(|bench| bench.name == *name);
    let bench = bench.ok_or_else(|| format!("no bench `{name}`; there are: {}", names.join(", ")))?;
    let done = measure(root, bench, arguments);
    if let Err(wrong) = &done {
        eprintln!("error: {wrong}");
    }
    Ok(done.is_ok())
}

fn measure(root: &Path, bench: &Bench, arguments: &[&str]) -> Result<(), String> {
    let ours = ["run", "--release", "--package", "nonsmooth", "--example", bench.example, "--"];
    show(cargo(root, &ours).args(arguments))?;
    // Arguments ask for something of ours alone, such as counting instructions.
    if !arguments.is_empty() {
        return Ok(());
    }
    if !root.join(bench.siconos).is_file() {
        println!("Siconos was not measured: there is no {}", bench.siconos);
        return Ok(());
    }
    if !works(Command::new(PYTHON).args(["-c", "import siconos"])) {
        println!(
            "Siconos was not measured: `{PYTHON} -c \"import siconos\"` fails (apt install python3-siconos)"
        );
        return Ok(());
    }
    show(Command::new(PYTHON).arg(bench.siconos).current_dir(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_benches_list_what_exists() {
        let wrong = run(Path::new("."), &["large"]).unwrap_err();
        assert_eq!(wrong, "no bench `large`; there are: small");
        assert!(run(Path::new("."), &[]).unwrap_err().ends_with("there are: small"));
    }
}
