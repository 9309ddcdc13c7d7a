//! Damaged robots: words, bytes and lines are deleted, doubled, replaced or swapped. An import gives a scene that loads, or mistakes with
//! their places, never a panic.

use crate::models;
use nonsmooth_import::{Options, import_text};
use nonsmooth_scene::load_text;
use nonsmooth_testkit::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

const MUTATIONS: usize = 6000;
const SEED: u64 = 0x0b0d_1e5a_11ed_0001;

/// What a word may be replaced by: things that mean something somewhere else.
const WORDS: &[&str] = &[
    "",
    "0",
    "-1",
    "1e300",
    "-1e-300",
    "nan",
    "inf",
    "0 0 0",
    "1 0 0",
    "1 1 1 1",
    "free",
    "hinge",
    "ball",
    "slide",
    "mesh",
    "plane",
    "ellipsoid",
    "box",
    "true",
    "false",
    "revolute",
    "floating",
    "planar",
    "fixed",
    "robot",
    "mujoco",
    "body",
    "<",
    ">",
    "/>",
    "\"",
    "&lt;",
    "&#0;",
    "<!--",
    "-->",
    "<![CDATA[",
    "<!DOCTYPE x>",
    "é",
    "\u{7f}",
    "../../etc/passwd",
    "pos",
    "quat",
    "euler",
    "fromto",
    "name",
    "class",
    "type",
    "range",
    "joint",
    "geom",
    "inertial",
    "mass",
    "=",
];

/// The text cut into words, blanks and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || "._-".contains(c) => 1,
        ' ' | '\n' => 2,
        _ => 0,
    };
    let (mut tokens, mut start, mut before) = (Vec::new(), 0, None);
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

fn damaged(text: &str, random: &mut Random) -> String {
    let mut list: Vec<&str> =
        if random.below(5) == 0 { text.split_inclusive('\n').collect() } else { tokens(text) };
    let (at, other) = (random.below(list.len()), random.below(list.len()));
    match random.below(5) {
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[other]),
        2 => list.swap(at, other),
        _ => list[at] = WORDS[random.below(WORDS.len())],
    }
    list.concat()
}

/// Whether it was imported; `Err` with what is wrong with the importer.
fn outcome(name: &str, text: &str) -> Result<bool, String> {
    let options =
        Options { split: Some(0.01), free_base: text.len().is_multiple_of(2), ..Options::default() };
    let imported = catch_unwind(AssertUnwindSafe(|| import_text(name, text, &models(), &options)));
    match imported {
        Err(_) => Err("it panicked".into()),
        Ok(Err(error)) => {
            let lines = text.matches('\n').count() + 1;
            let placed = error
                .0
                .iter()
                .all(|m| m.place.line >= 1 && m.place.line <= lines && !m.message.is_empty());
            if placed && !error.0.is_empty() {
                Ok(false)
            } else {
                Err(format!("places are wrong: {error}"))
            }
        }
        Ok(Ok(imported)) => {
            let loads = catch_unwind(AssertUnwindSafe(|| {
                load_text("scene.toml", imported.scene.clone(), models(), &[]).map(drop)
            }));
            match loads {
                Err(_) => Err(format!("the scene panics:\n{}", imported.scene)),
                Ok(Err(error)) => Err(format!("the scene has mistakes: {error}\n{}", imported.scene)),
                Ok(Ok(())) => Ok(true),
            }
        }
    }
}

#[test]
fn damaged_robots_are_imported_or_refused_and_nothing_panics() {
    let names = ["pendulum.urdf", "cart.urdf", "arm.xml"];
    let texts = names.map(|name| std::fs::read_to_string(models().join(name)).expect("readable"));
    let mut random = Random::new(SEED);
    let (mut accepted, mut wrong) = (0, Vec::new());
    for k in 0..MUTATIONS {
        let mut text = texts[k % 3].clone();
        for _ in 0..=random.below(2) {
            text = damaged(&text, &mut random);
        }
        match outcome(names[k % 3], &text) {
            Ok(is_scene) => accepted += usize::from(is_scene),
            Err(complaint) => wrong.push(format!("mutation {k}: {complaint}\n---\n{text}\n---")),
        }
    }
    eprintln!("{accepted} of {MUTATIONS} accepted, {} complaints", wrong.len());
    assert!(wrong.is_empty(), "{} complaints, the first:\n{}", wrong.len(), wrong[0]);
    assert!(accepted > MUTATIONS / 10 && accepted < MUTATIONS * 9 / 10, "{accepted} accepted");
}
