//! Damaged scenes: random bytes, characters, tokens and lines are deleted, doubled, replaced or swapped.
//! Loading gives a model or mistakes with a place inside the text, never a panic.

use crate::bodies::{FLAT, GOOD};
use crate::{scene_files, scenes};
use nonsmooth_scene::{LoadError, load_text};
use nonsmooth_testkit::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

const MUTATIONS: usize = 10_000;
const SEED: u64 = 0x5ce9_e5ee_d000_0001;

/// What a token may be replaced by: things that mean something somewhere else.
const WORDS: &[&str] = &[
    "",
    "0",
    "-1",
    "1e300",
    "nan",
    "inf",
    "-inf",
    "true",
    "\"\"",
    "\"x\"",
    "[]",
    "[[]]",
    "{}",
    "[run]",
    "[[constraint]]",
    "[parameters]",
    "\"1/0\"",
    "\"sqrt(-1)\"",
    "\"((\"",
    "\"i\"",
    "\"t\"",
    "\"z\"",
    "\"v_z\"",
    "=",
    ".",
    ",",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "\n",
    "\\",
    "é",
    "\u{0}",
    "\u{feff}",
    "1979-05-27",
    "bead[-1].z",
    "bead[1e18].z",
    "repeat = 3\n",
    "0x7fffffffffffffff",
    "1_000",
    "\"\"\"",
    "type",
    "name",
    "gap",
    "q",
    "mass",
];

/// The text cut into words, numbers, blanks and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        ' ' | '\n' => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        if before.is_some_and(|b| b != kind(c) || b == 0) {
            tokens.push(&text[start..at]);
            start = at;
        }
        before = Some(kind(c));
    }
    tokens.push(&text[start..]);
    tokens
}

fn damage_tokens(text: &str, random: &mut Random) -> String {
    let mut list = tokens(text);
    let at = random.below(list.len());
    match random.below(4) {
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[at]),
        2 => list[at] = WORDS[random.below(WORDS.len())],
        _ => {
            let other = random.below(list.len());
            list.swap(at, other);
        }
    }
    list.concat()
}

/// Bytes that make the text no longer UTF-8 become U+FFFD, as a tolerant editor would show them.
fn damage_bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return String::new();
    }
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => drop(bytes.remove(at)),
        1 => bytes.insert(at, bytes[at]),
        2 => bytes[at] = random.bits() as u8,
        _ => bytes.truncate(at),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn damage_lines(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return String::new();
    }
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at]),
        _ => lines.swap(at, other),
    }
    lines.join("\n")
}

/// `None` if all is well, else what is wrong.
fn complaint(text: &str) -> Option<String> {
    let loaded =
        catch_unwind(AssertUnwindSafe(|| load_text("scene.toml", text.to_owned(), scenes(), &[])));
    match loaded {
        Err(_) => Some("it panicked".into()),
        Ok(Ok(_)) => None,
        Ok(Err(error @ LoadError::Scene(_))) => {
            let shown = catch_unwind(AssertUnwindSafe(|| error.to_string()));
            let LoadError::Scene(error) = error else { unreachable!() };
            let inside =
                error.mistakes.iter().all(|m| m.span.start <= text.len() && m.span.end <= text.len());
            let sorted = error.mistakes.is_sorted_by_key(|m| m.span.start);
            match shown {
                Err(_) => Some("showing the mistakes panicked".into()),
                Ok(_) if error.mistakes.is_empty() => Some("refused without a mistake".into()),
                Ok(shown) if !inside || !sorted => Some(format!("places are wrong:\n{shown}")),
                Ok(_) => None,
            }
        }
        Ok(Err(other)) => Some(format!("neither a model nor mistakes: {other}")),
    }
}

#[test]
fn damaged_scenes_are_loaded_or_refused_and_nothing_panics() {
    let mut texts: Vec<String> =
        scene_files().iter().map(|path| std::fs::read_to_string(path).expect("readable")).collect();
    // Bodies have more keys than all systems together.
    texts.extend([GOOD, FLAT, GOOD, FLAT].map(str::to_owned));
    let mut random = Random::new(SEED);
    let mut accepted = 0;
    for k in 0..MUTATIONS {
        let mut text = texts[k % texts.len()].clone();
        for _ in 0..=random.below(3) {
            text = match random.below(4) {
                0 | 1 => damage_tokens(&text, &mut random),
                2 => damage_bytes(&text, &mut random),
                _ => damage_lines(&text, &mut random),
            };
        }
        if let Some(complaint) = complaint(&text) {
            panic!("mutation {k}: {complaint}\n---\n{text}\n---");
        }
        accepted += usize::from(load_text("scene.toml", text, scenes(), &[]).is_ok());
    }
    // Most comments and blanks may be damaged freely: a share of each shows that both ways are walked.
    eprintln!("{accepted} of {MUTATIONS} accepted");
    assert!(accepted > MUTATIONS / 20 && accepted < MUTATIONS * 19 / 20, "{accepted} accepted");
}
