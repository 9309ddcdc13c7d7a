//! Blocks of documents: the sign of one number at a time, and a misspelt word of each command.

use super::{Found, tests_of};
use crate::Workspace;
use crate::documents::{Checker, Mutated};

/// Numbers of a block that are turned; of longer blocks every second, third, … one.
const MOST: usize = 12;

/// Mistakes that change nothing, each with the document and the reason.
const LEFT_OUT: [(&str, &str, &str); 2] = [
    ("docs/scenes.md", "0.01 → -0.01", "the pile leans the other way, with the same energy"),
    ("docs/scenes.md", "line 16: 2 → -2", "the ball spins the other way, with the same energy"),
];

pub(super) fn run(workspace: &Workspace) -> Result<Found, String> {
    let quick = workspace.target().join("quick");
    let library = tests_of::library(workspace)?;
    let checker = Checker::new(workspace, &quick, library)?;
    let mut found = Found {
        text: format!(
            "The sign of one number of a block at a time, comments left out, of long blocks at most {MOST} numbers; of commands one misspelt word. The \
             check of the tier `documents` must fail. Blocks that are shown alone (`json`, `python`, `text`) have no result to compare.\n\n\
             | block | kind | noticed | not noticed |\n|---|---|---|---|\n"
        ),
        ..Found::default()
    };
    for (block, mutated) in checker.mutations(wrong) {
        let (mut noticed, mut rest, mut left_out) = (0, Vec::new(), Vec::new());
        for Mutated { what, block } in &mutated {
            if checker.notices(block) {
                noticed += 1;
            } else if let Some((_, _, why)) = LEFT_OUT
                .iter()
                .find(|(place, of, _)| block.place().starts_with(place) && what.ends_with(of))
            {
                left_out.push(format!("left out: {what} ({why})"));
            } else {
                rest.push(what.clone());
            }
        }
        println!("{}: {noticed} of {}; not noticed: {}", block.0, mutated.len(), rest.join(", "));
        let cell: Vec<String> = rest.iter().cloned().chain(left_out).collect();
        let cell = cell.join(", ").replace('|', "\\|");
        found.text +=
            &format!("| {} | {} | {noticed} of {} | {cell} |\n", block.0, block.1, mutated.len());
        found.unnoticed.extend(rest.into_iter().map(|what| format!("{}: {what}", block.0)));
    }
    Ok(found)
}

/// Texts with one number turned, each with what was done.
fn wrong(text: &str, comment: &str) -> Vec<(String, String)> {
    let numbers = numbers(text, comment);
    let every = numbers.len().div_ceil(MOST).max(1);
    numbers.into_iter().step_by(every).map(|(from, to)| turned(text, from, to)).collect()
}

/// The text with the sign of the number in `from..to` turned.
fn turned(text: &str, from: usize, to: usize) -> (String, String) {
    let line = text[..from].matches('\n').count() + 1;
    let (before, number, after) = (&text[..from], &text[from..to], &text[to..]);
    // A minus that is a sign has no number, name or bracket before it.
    let is_sign = before.strip_suffix('-').is_some_and(|rest| {
        !rest.trim_end().ends_with(|c: char| c.is_alphanumeric() || c == ')' || c == ']')
    });
    match before.strip_suffix('-') {
        Some(rest) if is_sign => {
            (format!("line {line}: -{number} → {number}"), format!("{rest}{number}{after}"))
        }
        _ => (format!("line {line}: {number} → -{number}"), format!("{before}-{number}{after}")),
    }
}

/// Where the numbers of a text stand, without zeros, those of names and those of comments.
fn numbers(text: &str, comment: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split(comment).next().unwrap_or(line);
        let (bytes, mut i) = (code.as_bytes(), 0);
        while i < bytes.len() {
            let is_start = bytes[i].is_ascii_digit()
                && !code[..i].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
            let mut j = i + 1;
            if is_start {
                while j < bytes.len() && is_inside(bytes, j) {
                    j += 1;
                }
                let is_name = code[j..].starts_with(|c: char| c.is_alphabetic() || c == '_');
                let is_zero = code[i..j].parse::<f64>().is_ok_and(|x| x == 0.0);
                if !is_name && !is_zero {
                    found.push((start + i, start + j));
                }
            }
            i = j;
        }
        start += line.len();
    }
    found
}

/// Whether a number goes on here: a digit, a point before one, an exponent.
fn is_inside(bytes: &[u8], j: usize) -> bool {
    let digit = |k: usize| bytes.get(k).is_some_and(u8::is_ascii_digit);
    match bytes[j] {
        b'0'..=b'9' => true,
        b'.' => digit(j + 1),
        b'e' => digit(j + 1) || (bytes.get(j + 1) == Some(&b'-') && digit(j + 2)),
        b'-' => bytes[j - 1] == b'e' && digit(j + 1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_and_turned() {
        let text = "a = [0, -9.81]  # 3\nb = \"x1 - 2*t\" 1e-3\n";
        let told: Vec<String> = wrong(text, "#").into_iter().map(|(what, _)| what).collect();
        assert_eq!(told, ["line 1: -9.81 → 9.81", "line 2: 2 → -2", "line 2: 1e-3 → -1e-3"]);
        let texts: Vec<String> = wrong(text, "#").into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts[0], "a = [0, 9.81]  # 3\nb = \"x1 - 2*t\" 1e-3\n");
        assert_eq!(texts[1], "a = [0, -9.81]  # 3\nb = \"x1 - -2*t\" 1e-3\n");
    }

    #[test]
    fn of_many_numbers_some_are_taken() {
        let text = (1..=100).map(|k| k.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(wrong(&text, "#").len(), 12);
    }
}
