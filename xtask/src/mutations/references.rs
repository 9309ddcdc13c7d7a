//! Reference trajectories: the sign of one column at a time.

use super::tests_of::Tests;
use super::{Copied, Found, negated};
use crate::Workspace;
use crate::tidy::tracked_or_walked;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What reads a table, in the text of a test.
const READ: &str = "Table::read(\"";

/// Columns that no test compares, each with the reason.
const LEFT_OUT: &[(&str, &[&str], &str)] = &[
    ("simple_pendulum_ed", &["gap_rate"], "rounding of zero"),
    ("knee_joint_1_body", &["joint_velocity_error"], "rounding of zero"),
    (
        "knee_joint_1_body",
        &["x", "y", "z", "q0", "q1", "q2", "q3"],
        "the table takes the gyroscopic term with ω after the impulse of the joint; the test compares how far the joint opens",
    ),
];

pub(super) fn run(workspace: &Workspace) -> Result<Found, String> {
    let tests = Tests::build(workspace)?;
    let copied = Copied::new(&workspace.root)?;
    let folder = copied.0.join("trajectories");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .map_err(|error| error.to_string())?
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let readers = readers(workspace)?;
    let mut found = Found {
        text: "The sign of one column at a time; a column of zeros becomes one of ones. Every test that reads the table is run.\n\n\
               | table | columns | noticed by | not noticed |\n|---|---|---|---|\n"
            .to_owned(),
        ..Found::default()
    };
    let mut silent = Vec::new();
    for name in names {
        match readers.get(&name) {
            Some(readers) if folder.join(&name).join("ref.csv").is_file() => {
                table(&name, readers, &tests, &copied.0, &mut found)?;
            }
            // Compressed tables are not turned.
            _ => silent.push(format!("`{name}`")),
        }
    }
    found.text += &format!(
        "\nLeft out, since no test reads them: {}. They are of rolling friction of bodies and of what is not turned yet.\n",
        silent.join(", ")
    );
    Ok(found)
}

/// Mutates each column of a table.
fn table(
    name: &str,
    readers: &BTreeSet<(String, String)>,
    tests: &[Tests],
    references: &Path,
    found: &mut Found,
) -> Result<(), String> {
    let path = references.join("trajectories").join(name).join("ref.csv");
    let sound = read(&path)?;
    let mut failed: BTreeSet<String> = BTreeSet::new();
    let (mut unnoticed, mut left_out) = (Vec::new(), Vec::new());
    let columns: Vec<&str> = sound.lines().next().unwrap_or_default().split(',').collect();
    let run = |text: &str| -> Result<BTreeSet<String>, String> {
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut failed = BTreeSet::new();
        for tests in tests {
            let of_crate = readers.iter().filter(|(of, _)| *of == tests.name());
            let names: Vec<String> = of_crate.map(|(_, test)| test.clone()).collect();
            if !names.is_empty() {
                let ran = tests.run(&names, references)?;
                if ran.n == 0 {
                    return Err(format!("{}: no test is called {}", tests.name(), names.join(", ")));
                }
                failed.extend(ran.failed.into_iter().map(|test| format!("`{test}`")));
            }
        }
        Ok(failed)
    };
    if let Some(test) = run(&sound)?.into_iter().next() {
        return Err(format!("{test} fails with the right table {name}"));
    }
    for (k, column) in columns.iter().enumerate() {
        let fell = run(&with_wrong_sign(&sound, k))?;
        println!("{name}, {column}: {}", if fell.is_empty() { "NOT NOTICED" } else { "noticed" });
        let reason = LEFT_OUT.iter().find(|(table, of, _)| *table == name && of.contains(column));
        match (fell.is_empty(), reason) {
            (true, Some((_, _, why))) => left_out.push((format!("`{column}`"), *why)),
            (true, None) => unnoticed.push(format!("`{column}`")),
            _ => failed.extend(fell),
        }
    }
    std::fs::write(&path, &sound).map_err(|error| format!("{}: {error}", path.display()))?;
    let n = columns.len() - unnoticed.len() - left_out.len();
    let tests: Vec<String> = failed.into_iter().collect();
    let rest: Vec<String> = unnoticed.iter().cloned().chain(told(&left_out)).collect();
    found.text += &format!(
        "| `{name}` | {n} of {} | {} | {} |\n",
        columns.len(),
        tests.join(", "),
        rest.join(", ")
    );
    found.unnoticed.extend(unnoticed.into_iter().map(|column| format!("{name}, column {column}")));
    Ok(())
}

/// Columns left out, by their reasons.
fn told(left_out: &[(String, &'static str)]) -> Vec<String> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (column, why) in left_out {
        by_reason.entry(why).or_default().push(column);
    }
    by_reason
        .into_iter()
        .map(|(why, columns)| format!("left out: {} ({why})", columns.join(", ")))
        .collect()
}

/// The text of a table, which becomes a plain file if it was packed.
fn read(path: &Path) -> Result<String, String> {
    if let Ok(text) = std::fs::read_to_string(path) {
        return Ok(text);
    }
    let packed = path.with_extension("csv.gz");
    let done =
        Command::new("gzip").arg("-dc").arg(&packed).output().map_err(|e| format!("gzip: {e}"))?;
    String::from_utf8(done.stdout).map_err(|error| format!("{}: {error}", packed.display()))
}

fn with_wrong_sign(text: &str, column: usize) -> String {
    let row = |(i, line): (usize, &str)| {
        let cell = |(k, x): (usize, &str)| {
            if i > 0 && k == column { negated(x.trim(), 0.0) } else { x.to_owned() }
        };
        line.split(',').enumerate().map(cell).collect::<Vec<_>>().join(",") + "\n"
    };
    text.lines().enumerate().map(row).collect()
}

/// By table, the crates and tests that read it, as their sources say.
fn readers(workspace: &Workspace) -> Result<BTreeMap<String, BTreeSet<(String, String)>>, String> {
    let paths = tracked_or_walked(&workspace.root).map_err(|error| error.to_string())?;
    let mut readers: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.contains("/tests/it/") && path.ends_with(".rs")) {
        let text = std::fs::read_to_string(workspace.root.join(path))
            .map_err(|error| format!("{path}: {error}"))?;
        let of = path.split('/').nth(1).unwrap_or_default();
        for (table, test) in reads(&text) {
            readers.entry(table).or_default().insert((of.to_owned(), test));
        }
    }
    Ok(readers)
}

/// Tables that a text reads, each with the function that does.
fn reads(text: &str) -> Vec<(String, String)> {
    let mut function = "";
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("fn ") {
            function = rest.split('(').next().unwrap_or_default();
        }
        if let Some(table) = line.split_once(READ).and_then(|(_, rest)| rest.split('"').next()) {
            found.push((table.to_owned(), function.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_is_turned() {
        assert_eq!(with_wrong_sign("t,q,v\n0,1,-2\n1,0,3\n", 1), "t,q,v\n0,-1,-2\n1,1,3\n");
    }

    #[test]
    fn tests_and_their_tables_are_found() {
        let text = "#[test]\nfn a_ball() {\n    let table = Table::read(\"ball\");\n}\nfn b() {}\n";
        assert_eq!(reads(text), [("ball".to_owned(), "a_ball".to_owned())]);
        let all = readers(&Workspace::find()).unwrap();
        assert!(all.len() >= 15, "{all:?}");
    }
}
