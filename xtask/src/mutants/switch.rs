//! Many mistakes in one build. A function whose body a patch changes gets both bodies, and chooses when it runs:
//!
//! ```text
//! fn f(…) -> T { body }     ↦     fn f(…) -> T { if «NONSMOOTH_MUTANT is NAME» { body with the mistake } else { body } }
//! ```
//!
//! The variable is read once per function. That is possible where a patch changes bodies of functions in `crates/` and nothing else, the
//! function is not `const` and returns a type with a name. All other patches have a build each.

use std::ops::Range;

/// The environment variable that names the mistake that is switched on.
pub(super) const VARIABLE: &str = "NONSMOOTH_MUTANT";

/// The body of a function that is in no other function.
#[derive(Debug, PartialEq, Eq)]
struct Body {
    /// Its bytes, braces included.
    range: Range<usize>,
    /// Whether it may become an `if`.
    may_switch: bool,
}

/// The bodies that differ, by their number in the file; `None` where something else differs too.
pub(super) fn changed_bodies(sound: &str, patched: &str) -> Option<Vec<(usize, String)>> {
    let (before, after) = (bodies(sound), bodies(patched));
    if before.len() != after.len() || between(sound, &before) != between(patched, &after) {
        return None;
    }
    let mut changed = Vec::new();
    for (i, (a, b)) in before.iter().zip(&after).enumerate() {
        let body = &patched[b.range.clone()];
        if sound[a.range.clone()] != *body {
            if !a.may_switch {
                return None;
            }
            changed.push((i, body.to_owned()));
        }
    }
    Some(changed)
}

/// The file with switches: each change is the mistake's name, the number of the body, and the body that it becomes.
pub(super) fn with_switches(sound: &str, changes: &[(&str, usize, &str)]) -> String {
    let (mut text, mut end) = (String::new(), 0);
    for (i, body) in bodies(sound).iter().enumerate() {
        let mine: Vec<_> = changes.iter().filter(|change| change.1 == i).collect();
        if mine.is_empty() {
            continue;
        }
        text += &sound[end..body.range.start];
        text += "{ ";
        for (name, _, wrong) in mine {
            text += &format!("if {} {wrong} else ", is_on(name));
        }
        text += &sound[body.range.clone()];
        text += " }";
        end = body.range.end;
    }
    text + &sound[end..]
}

/// An expression that is true while this mistake is switched on.
fn is_on(name: &str) -> String {
    format!(
        "{{ static ON: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| \
         std::env::var_os(\"{VARIABLE}\").is_some_and(|name| name == \"{name}\")); *ON }}"
    )
}

/// What stands between the bodies.
fn between<'a>(text: &'a str, bodies: &[Body]) -> Vec<&'a str> {
    let starts = bodies.iter().map(|body| body.range.start).chain([text.len()]);
    let ends = [0].into_iter().chain(bodies.iter().map(|body| body.range.end));
    ends.zip(starts).map(|(end, start)| &text[end..start]).collect()
}

/// The bodies of functions that are in no other function, in their order.
fn bodies(text: &str) -> Vec<Body> {
    let bytes = text.as_bytes();
    let (mut found, mut open, mut at) = (Vec::new(), None, 0);
    // Parentheses that are open since each brace; what stands since the last brace or semicolon, without comments.
    let (mut round, mut braces, mut head) = (0i32, Vec::new(), Vec::new());
    while at < bytes.len() {
        if let Some(end) = skip(bytes, at) {
            at = end;
            continue;
        }
        match bytes[at] {
            b'(' | b'[' => round += 1,
            b')' | b']' => round -= 1,
            b'{' => {
                let words = String::from_utf8_lossy(&head).into_owned();
                if open.is_none() && round == 0 && is_function(&words) {
                    open = Some((at, braces.len(), may_switch(&words)));
                }
                braces.push(round);
                round = 0;
            }
            b'}' => {
                round = braces.pop().unwrap_or(0);
                if let Some((start, _, may_switch)) = open.filter(|o| o.1 == braces.len()) {
                    found.push(Body { range: start..at + 1, may_switch });
                    open = None;
                }
            }
            _ => {}
        }
        let ends = matches!(bytes[at], b'{' | b'}') || bytes[at] == b';' && round == 0;
        if ends {
            head.clear()
        } else {
            head.push(bytes[at])
        }
        at += 1;
    }
    found
}

/// Whether these words before a brace are those of a function with a name.
fn is_function(head: &str) -> bool {
    let mut words = head.split_whitespace();
    words.any(|word| word == "fn") && words.next().is_some_and(|name| !name.starts_with('('))
}

/// Not where only a constant may stand, nor where two bodies would be two types.
fn may_switch(head: &str) -> bool {
    let returned = head.rsplit_once("->").map_or("", |(_, returned)| returned);
    !head.contains("const fn") && !returned.contains("impl ")
}

/// Where the comment, string or character that begins here ends; `None` if none begins.
fn skip(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let find = |from: usize, what: &[u8]| {
        rest[from..].windows(what.len()).position(|w| w == what).map(|k| at + from + k + what.len())
    };
    let end = Some(bytes.len());
    let is_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    match rest {
        [b'/', b'/', ..] => find(2, b"\n").map(|end| end - 1).or(end),
        [b'/', b'*', ..] => find(2, b"*/").or(end),
        [b'r', b'"' | b'#', ..] if !is_word => {
            let hashes = rest[1..].iter().take_while(|b| **b == b'#').count();
            // `r#name` is no string.
            (rest.get(1 + hashes) == Some(&b'"')).then_some(())?;
            find(2 + hashes, &[b"\"", &b"#".repeat(hashes)[..]].concat()).or(end)
        }
        [b'"', ..] => {
            let mut k = 1;
            while k < rest.len() && rest[k] != b'"' {
                k += if rest[k] == b'\\' { 2 } else { 1 };
            }
            Some(at + k + 1)
        }
        [b'\'', b'\\', ..] => find(3, b"'"),
        // A character, of up to four bytes; what has no second quote is a lifetime.
        [b'\'', first, ..] => {
            let length = match first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            (rest.get(1 + length) == Some(&b'\'')).then_some(at + length + 2)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r##"
/// A doc that says fn wrong(x) { and more.
struct Pair { a: fn(f64) -> f64, b: &'static str }
const BRACE: char = '{';
impl Pair {
    fn sum(&self, x: [f64; 2]) -> f64 {
        fn inner(x: f64) -> f64 { x + 1.0 }
        let text = "} not an end \" {"; // nor this }
        x[0] + inner(x[1])
    }
    const fn two() -> f64 { 2.0 }
    fn all(&self) -> impl Iterator<Item = f64> { [1.0].into_iter() }
}
fn raw<'a>(x: &'a str) -> &'a str { r#"a " { b"#; x }
"##;

    #[test]
    fn the_bodies_of_functions_are_found() {
        let names: Vec<(&str, bool)> =
            bodies(SOUND).iter().map(|b| (&SOUND[b.range.clone()][..3], b.may_switch)).collect();
        assert_eq!(names, [("{\n ", true), ("{ 2", false), ("{ [", false), ("{ r", true)]);
        assert!(SOUND[bodies(SOUND)[0].range.clone()].ends_with("x[0] + inner(x[1])\n    }"));
    }

    #[test]
    fn a_changed_body_gets_a_switch() {
        let patched = SOUND.replace("x[0] + inner", "x[0] - inner");
        let changed = changed_bodies(SOUND, &patched).expect("a body");
        assert_eq!(changed.len(), 1);
        let (i, body) = &changed[0];
        let text = with_switches(SOUND, &[("sign", *i, body), ("other", 3, "{ x }")]);
        assert!(text.contains("x[0] - inner") && text.contains("x[0] + inner"), "{text}");
        assert!(text.contains("name == \"sign\"") && text.contains("name == \"other\""));
        // Without its switches it is the file as it was.
        assert_eq!(between(SOUND, &bodies(SOUND)), between(&text, &bodies(&text)));
    }

    #[test]
    fn what_is_no_body_has_a_build_of_its_own() {
        for (old, new) in
            [("'{'", "'}'"), ("x: [f64; 2]", "y: [f64; 2]"), ("2.0", "3.0"), ("[1.0]", "[2.0]")]
        {
            assert_eq!(changed_bodies(SOUND, &SOUND.replace(old, new)), None, "{old}");
        }
        assert_eq!(changed_bodies(SOUND, SOUND), Some(Vec::new()));
    }
}
