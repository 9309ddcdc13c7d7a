//! Sizes: long files of Rust need a reason, and nothing large enters the repository.

use super::Breach;
use super::tree::Tree;

/// Most lines of a file of Rust, tests not counted.
pub(super) const MOST_LINES: usize = 500;
/// Most bytes of any file: 1 MiB.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn check(tree: &Tree, long_files: &[(&str, &str)], breaches: &mut Vec<Breach>) {
    for (path, file) in tree.files().filter(|(_, file)| file.bytes > MOST_BYTES) {
        let wrong = format!("{} bytes; at most 1 MiB belongs into the repository", file.bytes);
        breaches.push(Breach::new(path, 1, wrong));
    }
    for (path, file) in tree.rust() {
        let n_lines = tree.lines(path, file).iter().filter(|line| !line.is_test).count();
        let excuse = long_files.iter().find(|(long, _)| *long == path);
        match excuse {
            None if n_lines > MOST_LINES => {
                let wrong = format!(
                    "{n_lines} lines without tests, at most {MOST_LINES}: split it, or give a reason in LONG_FILES of xtask/src/tidy.rs"
                );
                breaches.push(Breach::new(path, MOST_LINES + 1, wrong));
            }
            Some(_) if n_lines <= MOST_LINES => {
                breaches.push(Breach::new(path, 1, "no longer long: take it out of LONG_FILES"));
            }
            Some((_, reason)) if reason.trim().is_empty() => {
                breaches.push(Breach::new(path, 1, "LONG_FILES gives no reason"));
            }
            _ => {}
        }
    }
    for (path, _) in long_files.iter().filter(|(path, _)| !tree.has(path)) {
        breaches.push(Breach::new(path, 1, "LONG_FILES names it, but it does not exist"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(tree: &Tree, long_files: &[(&str, &str)]) -> Vec<String> {
        let mut breaches = Vec::new();
        check(tree, long_files, &mut breaches);
        breaches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn long_files_need_a_reason() {
        let long = "a;\n".repeat(501);
        let tests =
            format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "a;\n".repeat(500), "    b;\n".repeat(50));
        let tree =
            Tree::of(&[("a.rs", &long), ("b.rs", &tests), ("c.md", &long), ("x/tests/d.rs", &long)]);
        let found = breaches(&tree, &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a.rs:501: 501 lines"), "{found:?}");
        assert!(breaches(&tree, &[("a.rs", "a table")]).is_empty());
        assert_eq!(breaches(&tree, &[("a.rs", " ")]), ["a.rs:1: LONG_FILES gives no reason"]);
        assert_eq!(breaches(&tree, &[("a.rs", "a table"), ("b.rs", "x"), ("e.rs", "x")]).len(), 2);
    }

    #[test]
    fn large_files_are_refused() {
        let mut tree = Tree::default();
        tree.insert("a.bin", String::new(), MOST_BYTES);
        assert!(breaches(&tree, &[]).is_empty());
        tree.insert("b.bin", String::new(), MOST_BYTES + 1);
        assert!(breaches(&tree, &[])[0].starts_with("b.bin:1: 1048577 bytes"));
    }
}
