//! One-step problems: the sign of one number of the manifest at a time.

use super::tests_of::Tests;
use super::{Copied, Found, negated};
use crate::Workspace;
use std::collections::BTreeMap;

/// The crate and the tests that read the manifest.
const CRATE: &str = "nonsmooth-scene";
const TESTS: [&str; 2] = [
    "every_problem_is_read_with_the_sizes_of_the_manifest",
    "stored_solutions_have_the_residuals_of_the_manifest",
];
/// The columns compared, each with the size below which a number is rounding.
const COLUMNS: [(&str, f64); 2] = [("norm_q", 1e-15), ("ref_residual_rel", 1e-11)];
/// Problems whose file holds no solution, so that there is no residual to compare: one has u_free = 0 up to rounding, one has no solution.
const WITHOUT_SOLUTION: [&str; 2] =
    ["fc2d_granularflowonwall_00667_00000", "lcp_pang_isolated_sol_perturbed"];
/// Largest file that is committed [bytes].
const LARGEST: f64 = 300_000.0;

pub(super) fn run(workspace: &Workspace) -> Result<Found, String> {
    let all = Tests::build(workspace)?;
    let tests = all.iter().find(|tests| tests.name() == CRATE).ok_or("no tests of the scenes")?;
    let copied = Copied::new(&workspace.root)?;
    let path = copied.0.join("problems/manifest.csv");
    let sound = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let names: Vec<String> = TESTS.map(str::to_owned).to_vec();
    let ran = tests.run(&names, &copied.0)?;
    if ran.n != TESTS.len() || !ran.failed.is_empty() {
        return Err(format!("with the right manifest {} tests ran and failed: {:?}", ran.n, ran.failed));
    }
    let head = cells(sound.lines().next().unwrap_or_default());
    let place = |name: &str| head.iter().position(|x| x == name).ok_or(format!("no column {name}"));
    let (bytes, mut found) = (place("bytes")?, Found::default());
    let mut noticed: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let n_large = sound.lines().skip(1).filter(|line| !is_small(line, bytes)).count();
    for (i, line) in sound.lines().enumerate().skip(1).filter(|(_, line)| is_small(line, bytes)) {
        for (column, least) in COLUMNS {
            let mut row = cells(line);
            let k = place(column)?;
            // Where there is no number or no solution there is nothing to compare.
            let is_unsolved =
                column == "ref_residual_rel" && WITHOUT_SOLUTION.contains(&row[0].as_str());
            if row[k].parse::<f64>().is_err() || is_unsolved {
                continue;
            }
            row[k] = negated(&row[k], least);
            let lines = sound
                .lines()
                .enumerate()
                .map(|(j, line)| if i == j { row.join(",") } else { line.to_owned() });
            let text: Vec<String> = lines.collect();
            std::fs::write(&path, text.join("\n") + "\n").map_err(|error| error.to_string())?;
            let fell = !tests.run(&names, &copied.0)?.failed.is_empty();
            let count = noticed.entry(column).or_default();
            *count = (count.0 + usize::from(fell), count.1 + 1);
            if !fell {
                found.unnoticed.push(format!("manifest, {column} of {}", row[0]));
            }
            println!("{}, {column}: {}", row[0], if fell { "noticed" } else { "NOT NOTICED" });
        }
    }
    found.text = format!(
        "The sign of one number of the manifest of the committed problems at a time; what is below rounding becomes 1. The {n_large} problems \
         that are not committed are left out, and the residuals of {} whose files hold no solution: {}.\n\n| column | noticed | by |\n|---|---|---|\n",
        WITHOUT_SOLUTION.len(),
        WITHOUT_SOLUTION.map(|name| format!("`{name}`")).join(", ")
    );
    for ((column, (fell, n)), test) in noticed.into_iter().zip(TESTS) {
        found.text += &format!("| `{column}` | {fell} of {n} | `{test}` |\n");
    }
    Ok(found)
}

fn is_small(line: &str, bytes: usize) -> bool {
    cells(line).get(bytes).and_then(|x| x.parse::<f64>().ok()).is_some_and(|x| x <= LARGEST)
}

/// The cells of a line, quotes kept.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        quoted ^= c == '"';
        match cells.last_mut() {
            Some(_) if c == ',' && !quoted => cells.push(String::new()),
            Some(cell) => cell.push(c),
            None => {}
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_quotes() {
        assert_eq!(cells("a,\"b,c\",d"), ["a", "\"b,c\"", "d"]);
        assert!(is_small("a,12416", 1) && !is_small("a,400000", 1));
    }
}
