//! Every citation in a comment, `[Key, place; Key, place]`, has its line `- **Key** …` in
//! `docs/references.md`. A key is a name and two digits of the year, perhaps with a letter.

use super::Breach;
use super::tree::{Line, Tree, comment_start};
use std::collections::BTreeSet;

const DOCUMENT: &str = "docs/references.md";

pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    let defined: BTreeSet<&str> =
        tree.text(DOCUMENT).unwrap_or("").lines().filter_map(defined).collect();
    for (path, file) in tree.rust() {
        for (line, key) in cited(&tree.lines(path, file)) {
            if !defined.contains(key.as_str()) {
                let wrong = format!("`{key}` is cited, but {DOCUMENT} has no line `- **{key}** …`");
                breaches.push(Breach::new(path, line, wrong));
            }
        }
    }
}

fn defined(line: &str) -> Option<&str> {
    line.strip_prefix("- **")?.split_once("**").map(|(key, _)| key)
}

/// The keys in the comments, each with its line. A citation may go on in the next line.
fn cited(lines: &[Line<'_>]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(comment) = comment(line.text) else { continue };
        let next = lines.get(i + 1).and_then(|line| self::comment(line.text)).unwrap_or("");
        let joined = format!("{comment} {next}");
        for (at, _) in comment.match_indices('[') {
            let inside = &joined[at + 1..];
            let inside = inside.find(']').map_or(inside, |end| &inside[..end]);
            let mut pieces = inside.split([',', ';']).map(str::trim);
            if pieces.clone().next().is_some_and(is_key) {
                let keys = pieces.by_ref().filter(|piece| is_key(piece));
                found.extend(keys.map(|key| (line.number, key.to_owned())));
            }
        }
    }
    found
}

/// What follows `//`, `///` or `//!`; a line of code may end in it.
fn comment(line: &str) -> Option<&str> {
    let comment = &line[comment_start(line)..];
    (!comment.is_empty()).then(|| comment.trim_start_matches('/').trim_start_matches('!').trim())
}

fn is_key(word: &str) -> bool {
    let word = word.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(word);
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() - name.len() == 2
        && name.chars().count() >= 2
        && name.starts_with(char::is_uppercase)
        && name.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaches(text: &str) -> Vec<String> {
        let references = "# References\n- **Acary06** A template.\n- **Murty74** A note.\nJean99\n";
        let mut breaches = Vec::new();
        check(&Tree::of(&[("a.rs", text), (DOCUMENT, references)]), &mut breaches);
        breaches.iter().map(|breach| format!("{} {}", breach.line, &breach.wrong[..9])).collect()
    }

    #[test]
    fn defined_keys_pass() {
        let text = "//! As in [Acary06, eq. (3)] and [Murty74; Acary06, sec. 2], [Acary06].\nlet a = [B07, C08]; // x[i]\n";
        assert_eq!(breaches(text), [""; 0]);
    }

    #[test]
    fn unknown_keys_are_found() {
        let text = "//! [Jean99]\n/// [Acary06, eq. (2); Doe12, sec. 1]\nfn f() {} // [Roe07b]\n// [Acary06,\n// Poe33, p. 4]\n";
        assert_eq!(breaches(text), ["1 `Jean99` ", "2 `Doe12` i", "3 `Roe07b` ", "4 `Poe33` i"]);
    }

    #[test]
    fn keys_are_told_from_other_words() {
        for key in ["Acary06", "Júdice94", "Doe12a"] {
            assert!(is_key(key), "{key}");
        }
        for word in ["acary06", "Acary", "Acary2006", "A06", "eq. 12", "R_x06", "06"] {
            assert!(!is_key(word), "{word}");
        }
    }
}
