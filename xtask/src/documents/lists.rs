//! The options in `docs/lists.md` are those that `nonsmooth list` prints: default and allowed values.

use std::collections::BTreeMap;

/// The page.
pub(super) const PAGE: &str = "docs/lists.md";

/// Default and allowed values by entry and option.
type Options = BTreeMap<(String, String), [String; 2]>;

/// Rows of the page that differ from what the program prints.
pub(super) fn differences(printed: &str, page: &str) -> Vec<String> {
    let known = of_program(printed);
    let mut wrong = Vec::new();
    for ((entry, option), found) in of_page(page) {
        match known.get(&(entry.clone(), option.clone())) {
            Some(expected) if *expected == found => {}
            Some([default, allowed]) => {
                wrong.push(format!(
                    "{PAGE}: `{option}` of `{entry}`: default {default}, allowed: {allowed}"
                ));
            }
            None => wrong.push(format!("{PAGE}: `{entry}` has no option `{option}`")),
        }
    }
    wrong
}

/// `    name = default — meaning; allowed` below `  entry  about`.
fn of_program(printed: &str) -> Options {
    let mut options = Options::new();
    let mut entry = String::new();
    for line in printed.lines() {
        let indent = line.len() - line.trim_start().len();
        if indent == 2 {
            entry = line.split_whitespace().next().unwrap_or_default().to_owned();
        }
        let Some((name, rest)) = line.trim_start().split_once(" = ").filter(|_| indent > 2) else {
            continue;
        };
        let (Some((default, _)), Some((_, allowed))) = (rest.split_once(" — "), rest.rsplit_once("; "))
        else {
            continue;
        };
        options.insert((entry.clone(), name.to_owned()), [plain(default), plain(allowed)]);
    }
    options
}

/// `` | `name` | default | allowed | meaning | `` below ``### `entry` ``.
fn of_page(page: &str) -> Options {
    let mut options = Options::new();
    let mut entries: Vec<String> = Vec::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("##") {
            let names = heading.split('`').skip(1).step_by(2).map(str::to_owned);
            entries = if heading.starts_with('#') { names.collect() } else { Vec::new() };
        }
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let Some(name) = cells[0].strip_prefix('`').and_then(|x| x.strip_suffix('`')) else { continue };
        if line.starts_with("| `") && cells.len() >= 4 {
            for entry in &entries {
                options.insert((entry.clone(), name.to_owned()), [plain(cells[1]), plain(cells[2])]);
            }
        }
    }
    options
}

/// A text without marks of code and quotes, and without `one of`.
fn plain(text: &str) -> String {
    text.replace(['`', '"'], "").trim_start_matches("one of ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_default_is_told() {
        let printed = "laws\n  coulomb   about\n      friction = 0 — μ; [–]; a number in [0, 1e6]\n      at = \"end\" — x; one of \"end\", \"start\"\n";
        let page = "### `coulomb`\n\n| option | default |\n| `friction` | 0 | a number in [0, 1e6] | μ |\n| `at` | `\"end\"` | `\"end\"`, `\"start\"` | x |\n## Others\n| `a` | b | c | d |\n";
        assert_eq!(differences(printed, page), [""; 0]);
        let wrong = page.replace("| 0 |", "| -0.5 |").replace("`at`", "`to`");
        assert_eq!(
            differences(printed, &wrong),
            [
                "docs/lists.md: `friction` of `coulomb`: default 0, allowed: a number in [0, 1e6]",
                "docs/lists.md: `coulomb` has no option `to`"
            ]
        );
    }
}
