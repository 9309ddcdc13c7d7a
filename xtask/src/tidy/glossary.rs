//! Words that the glossary replaced: no item, field, file, scene key or result column is named by them.
//! Prose and names of scenes may use them.

use super::Breach;
use super::tree::{Tree, code};

/// Old words, as parts of names, and the word of the field for each.
const OLD: &[(&[&str], &str)] = &[
    (&["touch", "touches", "touching", "touched"], "contact"),
    (&["heap", "heaps", "loose"], "isostatic, hyperstatic"),
    (&["layer", "layers"], "activation distance"),
    (&["seen"], "active"),
    (&["lift", "lifts", "lifted"], "pull back, kinematic map"),
    (
        &["census", "life", "lives", "unborn", "born", "gone"],
        "presence: pending, present, removed; appears_at",
    ),
    (&["film"], "playback"),
    (&["skin", "skins"], "surface mesh"),
    (&["obstacle", "obstacles"], "kinematic body; prescribed"),
    (&["placement", "placements", "placed", "moved"], "pose, twist"),
    (&["tie", "ties"], "member"),
    (&["subset", "subsets"], "part, island"),
    (&["user_system"], "family"),
    (&["contact_coordinate"], "interface velocity"),
    (&["part_of"], "collider"),
    (&["take_back", "give_back"], "release_buffers"),
    (&["survey"], "append"),
];

/// Words before the name of an item.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod"];

/// Old words in names.
pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    for (path, file) in tree.files().filter(|(path, _)| !path.starts_with("xtask/src/tidy/")) {
        let is_scene = path.starts_with("scenes/") && path.ends_with(".toml");
        if path.ends_with(".rs") {
            let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
            breaches.extend(
                old(stem).map(|wrong| Breach::new(path, 1, format!("the file's name: {wrong}"))),
            );
        }
        for line in tree.lines(path, file) {
            let names = match (path.ends_with(".rs"), is_scene) {
                (true, _) if !line.is_test => names_of_rust(code(line.text)),
                (_, true) => key(line.text).into_iter().collect(),
                _ => continue,
            };
            breaches.extend(
                names
                    .iter()
                    .filter_map(|name| old(name))
                    .map(|wrong| Breach::new(path, line.number, wrong)),
            );
        }
    }
}

/// Names that a line of Rust declares: items, fields, and texts that are one word, such as keys and columns.
fn names_of_rust(line: &str) -> Vec<String> {
    let mut names = Vec::new();
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    names
        .extend(words.windows(2).filter(|pair| ITEMS.contains(&pair[0])).map(|pair| pair[1].to_owned()));
    if let Some((name, _)) =
        line.trim_start().strip_prefix("pub ").and_then(|rest| rest.split_once(": "))
    {
        names.push(name.to_owned());
    }
    names.extend(line.split('"').skip(1).step_by(2).filter(|text| is_name(text)).map(str::to_owned));
    names
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// The key that a line of a scene sets.
fn key(line: &str) -> Option<String> {
    let line = line.trim_start();
    let key = match line.strip_prefix('[') {
        Some(table) => table.trim_start_matches('[').split([']', '.']).next()?,
        None => line.split_once('=').map(|(key, _)| key.trim())?,
    };
    is_name(key).then(|| key.to_owned())
}

/// What is wrong with a name, if an old word is part of it.
fn old(name: &str) -> Option<String> {
    let snake = snake(name);
    let padded = format!("_{snake}_");
    let has = |word: &&str| padded.contains(&format!("_{word}_"));
    let (word, better) =
        OLD.iter().find_map(|(words, better)| Some((words.iter().find(|w| has(w))?, better)))?;
    Some(format!("`{name}` uses the old word `{word}`; the glossary says: {better}"))
}

/// `TouchKey` as `touch_key`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
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
    fn old_words_in_names_are_found() {
        let text = "pub struct TouchKey;\nfn is_heap() {}\n    pub layer: f64,\nlet key = \"born\";\nmod survey;\n";
        assert_eq!(lines("crates/new/src/a.rs", text), [1, 2, 3, 4, 5]);
        assert_eq!(lines("crates/new/src/touches.rs", ""), [1]);
    }

    #[test]
    fn prose_locals_and_other_words_may_stay() {
        let text = "/// A heap of balls that touch.\nlet moved = \"the layer\";\nfn player(untouched: f64) {}\nfn property() {}\n";
        assert_eq!(lines("crates/new/src/a.rs", text), [0; 0]);
        assert_eq!(lines("docs/a.md", "fn touch() {}\n"), [0; 0]);
    }

    #[test]
    fn keys_of_scenes_are_names() {
        assert_eq!(key("layer = 0.1"), Some("layer".to_owned()));
        assert_eq!(key("[[body]]"), Some("body".to_owned()));
        assert_eq!(key("title = \"heap\""), Some("title".to_owned()));
        assert_eq!(key("# layer"), None);
        assert_eq!(lines("scenes/a.toml", "layer = 1\n"), [1]);
    }
}
