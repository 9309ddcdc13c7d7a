//! Words that must not be there: paths of one machine, work left undone, tests switched off, and
//! unwrapping outside tests.

use super::Breach;
use super::tree::{Line, Tree, code};

// Each word is written in two parts, so that this file passes its own check.
const MACHINE: [&str; 3] = [concat!("/wor", "k/"), concat!("/roo", "t/"), concat!("/hom", "e/")];
const SCRATCH: &str = concat!("/tm", "p/");
const UNDONE: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
const IN_RUST: [&str; 3] =
    [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("#[ign", "ore")];
const UNWRAP: &str = concat!(".unw", "rap()");
/// What lies beside the clone, and the one file that may read it: for the tier `large`.
const BESIDE: &str = concat!("/sha", "red/");
const READS_BESIDE: &str = "crates/nonsmooth-testkit/src/references.rs";
/// How a test begins that passes because something is missing.
const GIVES_UP: &str = concat!("else { ret", "urn };");

pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    for (path, file) in tree.files() {
        for line in tree.lines(path, file) {
            let wrong = anywhere(line)
                .or_else(|| path.ends_with(".rs").then(|| in_rust(line)).flatten())
                .or_else(|| path.starts_with("crates/").then(|| in_tests(path, line)).flatten());
            breaches.extend(wrong.map(|wrong| Breach::new(path, line.number, wrong)));
        }
    }
}

fn anywhere(line: Line<'_>) -> Option<String> {
    let machine = MACHINE.iter().copied().chain((!line.is_test).then_some(SCRATCH));
    if let Some(path) = machine.into_iter().find(|path| has_path(line.text, path)) {
        return Some(format!("`{path}` is a path of one machine"));
    }
    let word = UNDONE.iter().find(|word| is_bare(line.text, word))?;
    Some(format!("`{word}` without the number of an issue: write `{word}(#12)`, or do it"))
}

fn in_rust(line: Line<'_>) -> Option<String> {
    let code = code(line.text);
    if let Some(word) = IN_RUST.iter().find(|word| code.contains(**word)) {
        return Some(format!("`{word}` leaves work undone: assert what happens now instead"));
    }
    let unwraps = !line.is_test && code.contains(UNWRAP);
    unwraps.then(|| format!("`{UNWRAP}` outside tests: return the error, or `expect` with the reason"))
}

/// A test compares with what is committed, and does not pass because something is missing.
fn in_tests(path: &str, line: Line<'_>) -> Option<String> {
    let code = code(line.text);
    if path.ends_with(".rs") && path != READS_BESIDE && line.text.contains(BESIDE) {
        return Some(
            "reads a folder beside the clone: what tests need is committed in `references/`".to_owned(),
        );
    }
    let is_body = line.text.starts_with("    let ") && path.contains("/tests/");
    let gives_up = is_body && code.trim_end().ends_with(GIVES_UP);
    gives_up
        .then(|| "a test that returns here passes without comparing anything: fail instead".to_owned())
}

/// Whether an absolute path begins so; in an address or a relative path a letter or dot comes before.
fn has_path(text: &str, path: &str) -> bool {
    let begins =
        |before: Option<char>| before.is_none_or(|c| !c.is_alphanumeric() && !"._-*~>})".contains(c));
    text.match_indices(path).any(|(at, _)| begins(text[..at].chars().next_back()))
}

/// Whether the word stands there for itself: neither as code nor with the number of an issue.
fn is_bare(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), &text[at + word.len()..]);
        let is_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '`')
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        is_word && !after.starts_with("(#") && !after.starts_with(" #")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let mut breaches = Vec::new();
        check(&Tree::of(&[(path, text)]), &mut breaches);
        breaches.iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for path in MACHINE {
            assert_eq!(lines("a.md", &format!("see\n`{path}x`\n")), [2]);
            assert_eq!(lines("a/tests/b.rs", &format!("\"{path}x\"\n")), [1]);
            assert_eq!(lines("a.toml", &format!("# https://example.org{path}x, ..{path}y\n")), [0; 0]);
        }
        assert_eq!(lines("src/a.rs", &format!("// {SCRATCH}x\n")), [1]);
        assert_eq!(lines(".ci/run", &format!("cd {SCRATCH}x\n")), [1]);
        assert_eq!(lines("tests/a.rs", &format!("\"{SCRATCH}x\"\n")), [0; 0]);
    }

    #[test]
    fn undone_work_is_found() {
        for word in UNDONE {
            let text = format!(
                "// {word}: x\n// {word}(#12): x\n// the word `{word}`\n// {word}S_{word}\n{word}\n"
            );
            assert_eq!(lines("a.rs", &text), [1, 5]);
        }
        for word in IN_RUST {
            assert_eq!(lines("a.rs", &format!("// {word}\n{word}\n")), [2]);
            assert_eq!(lines("tests/a.rs", &format!("{word}\n")), [1]);
            assert_eq!(lines("a.md", &format!("{word}\n")), [0; 0]);
        }
    }

    #[test]
    fn unwrapping_outside_tests_is_found() {
        let text = format!(
            "/// a{UNWRAP}\nlet a = b{UNWRAP};\n#[cfg(test)]\nmod tests {{\n    c{UNWRAP};\n}}\n"
        );
        assert_eq!(lines("src/a.rs", &text), [2]);
        assert_eq!(lines("crates/x/tests/a.rs", &text), [0; 0]);
    }

    #[test]
    fn tests_that_compare_nothing_are_found() {
        let text =
            format!("fn a() {{\n    let Some(b) = c() {GIVES_UP}\n        let d = e() {GIVES_UP}\n}}\n");
        assert_eq!(lines("crates/x/tests/a.rs", &text), [2]);
        assert_eq!(lines("crates/x/src/a.rs", &text), [0; 0]);
        let text = format!("let a = \"..{BESIDE}b\";\n");
        assert_eq!(lines("crates/x/tests/a.rs", &text), [1]);
        assert_eq!(lines(READS_BESIDE, &text), [0; 0]);
    }
}
