//! Every path that `ARCHITECTURE.md` names in backticks exists.
//!
//! A path may be given from the root or by its last parts (`phases/detect.rs`); `<name>`, `…` and `*`
//! stand for anything, as the last part or within one.

use super::Breach;
use super::tree::Tree;

const DOCUMENT: &str = "ARCHITECTURE.md";

/// Made by building or running; and what lies outside the repository.
const ELSEWHERE: [&str; 3] = ["target/", "results/", "../"];

pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    let Some(text) = tree.text(DOCUMENT) else {
        breaches.push(Breach::new(DOCUMENT, 1, "does not exist"));
        return;
    };
    let mut fenced = false;
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            for path in line.split('`').skip(1).step_by(2).filter_map(path) {
                if !exists(tree, path) {
                    breaches.push(Breach::new(DOCUMENT, i + 1, format!("`{path}` does not exist")));
                }
            }
        }
    }
}

/// The path that a piece of code is, if it looks like one.
fn path(code: &str) -> Option<&str> {
    // `file.rs:function` names a place in a file.
    let code = code.split_once(".rs:").map_or(code, |(stem, _)| &code[..stem.len() + 3]);
    let code = code.strip_prefix("./").unwrap_or(code);
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-<>*…{},".contains(c);
    // Units such as `rad/s` have no part of four letters.
    let long = |part: &str| part.len() >= 4;
    let looks = [".rs", ".toml", ".md"].iter().any(|end| code.ends_with(end))
        || code.contains('/') && code.split('/').any(long);
    let elsewhere = ELSEWHERE.iter().any(|prefix| code.starts_with(prefix)) || code.contains("//");
    (looks && !elsewhere && !code.starts_with('/') && code.chars().all(plain)).then_some(code)
}

fn exists(tree: &Tree, path: &str) -> bool {
    if let (Some(open), Some(close)) = (path.find('{'), path.find('}')) {
        let choices = path.get(open + 1..close).unwrap_or("").split(',');
        let whole = |choice: &str| format!("{}{choice}{}", &path[..open], &path[close + 1..]);
        return choices.map(whole).all(|path| exists(tree, &path));
    }
    let wanted: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    tree.files().any(|(file, _)| {
        let parts: Vec<&str> = file.split('/').collect();
        // A folder exists if a file is in it: any run of parts will do.
        parts.windows(wanted.len()).enumerate().any(|(start, window)| {
            let is_whole = start + wanted.len() == parts.len()
                || start == 0
                || wanted.len() > 1
                || path.ends_with('/');
            is_whole && window.iter().zip(&wanted).all(|(have, want)| matches(have, want))
        })
    })
}

/// Whether one part of a path fits, where a stand-in fits anything.
fn matches(have: &str, want: &str) -> bool {
    let stand_in = |c: char| c == '*' || c == '…' || c == '<';
    match want.find(stand_in) {
        None => have == want,
        Some(at) => {
            let rest = want[at..].trim_start_matches(['*', '…']);
            let rest = rest.split_once('>').map_or(rest, |(_, rest)| rest);
            have.len() >= at + rest.len() && have.starts_with(&want[..at]) && have.ends_with(rest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(text: &str) -> Vec<String> {
        let files =
            ["crates/x/src/phases/detect.rs", "crates/x/src/lib.rs", "Cargo.toml", "scenes/a.toml"];
        let mut files: Vec<(&str, &str)> = files.iter().map(|&path| (path, "")).collect();
        files.push((DOCUMENT, text));
        let mut breaches = Vec::new();
        check(&Tree::of(&files), &mut breaches);
        breaches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn paths_that_exist_pass() {
        let text = "`crates/x/src/phases/detect.rs`, `phases/detect.rs`, `detect.rs:detect`, `crates/x/`,\n\
                    `x/src/phases`, `scenes/*.toml`, `crates/x/src/phases/<name>.rs`, `crates/x/src/…`,\n\
                    `Cargo.toml`, `ARCHITECTURE.md`, `crates/x/src/{lib,phases/detect}.rs`\n";
        assert_eq!(breaches(text), [""; 0]);
    }

    #[test]
    fn what_is_no_path_passes() {
        let text = "`rad/s` `cargo run --release -- a/b.toml` `../shared/references` `target/release/nonsmooth`\n\
                    `https://example.org/page` `p / h` crates/none.rs\n```\n`crates/none.rs`\n```\n";
        assert_eq!(breaches(text), [""; 0]);
    }

    #[test]
    fn paths_that_do_not_exist_are_found() {
        let text = "\n`crates/x/src/gone.rs` `gone.rs` `src/gone/`\n`crates/y/src/…` `scenes/*.md` `x/{lib,gone}.rs`\n";
        let found = breaches(text);
        assert_eq!(found.len(), 6, "{found:?}");
        assert_eq!(found[0], "ARCHITECTURE.md:2: `crates/x/src/gone.rs` does not exist");
        assert!(found[5].starts_with("ARCHITECTURE.md:3:"));
    }

    #[test]
    fn the_document_must_be_there() {
        let mut breaches = Vec::new();
        check(&Tree::of(&[]), &mut breaches);
        assert_eq!(breaches, [Breach::new(DOCUMENT, 1, "does not exist")]);
    }
}
