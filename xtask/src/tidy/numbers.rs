//! Numbers of the house: lines by crate, lengths of functions, documented items, cycles of modules.

use super::Breach;
use super::tree::{Line, Tree, code};
use std::collections::{BTreeMap, BTreeSet};

/// Words that begin a public item.
const PUBLIC: [&str; 8] = ["fn ", "struct ", "enum ", "trait ", "const ", "static ", "type ", "mod "];

/// What is counted of one crate.
#[derive(Default)]
struct Crate {
    lines: usize,
    test_lines: usize,
    public: usize,
    documented: usize,
    cycles: Vec<Vec<String>>,
}

/// A function outside tests.
struct Function {
    lines: usize,
    place: String,
}

/// The table of numbers, as it is printed.
pub(super) fn told(tree: &Tree) -> String {
    let crates = crates(tree);
    let mut text = format!(
        "{:<28} {:>7} {:>7} {:>14} {:>7}\n",
        "crate", "lines", "tests", "public, doc'd", "cycles"
    );
    for (name, one) in &crates {
        let public = format!("{} of {}", one.documented, one.public);
        text += &format!(
            "{name:<28} {:>7} {:>7} {public:>14} {:>7}\n",
            one.lines,
            one.test_lines,
            one.cycles.len()
        );
    }
    let total = |pick: fn(&Crate) -> usize| crates.values().map(pick).sum::<usize>();
    let public = format!("{} of {}", total(|one| one.documented), total(|one| one.public));
    let (lines, tests) = (total(|one| one.lines), total(|one| one.test_lines));
    text += &format!(
        "{:<28} {lines:>7} {tests:>7} {public:>14} {:>7}\n",
        "all",
        total(|one| one.cycles.len())
    );
    text + &functions_told(&mut functions(tree))
}

/// Cycles of modules, of which there must be none.
pub(super) fn check(tree: &Tree, breaches: &mut Vec<Breach>) {
    for (name, one) in crates(tree) {
        for cycle in one.cycles {
            let wrong = format!("modules use each other in a circle: {}", cycle.join(", "));
            breaches.push(Breach::new(&format!("{name}/src"), 1, wrong));
        }
    }
}

/// The crate of a path: `crates/NAME` or `xtask`.
fn crate_of(path: &str) -> Option<&str> {
    if path.starts_with("xtask/") {
        return Some("xtask");
    }
    let rest = path.strip_prefix("crates/")?;
    Some(&path[.."crates/".len() + rest.find('/')?])
}

fn crates(tree: &Tree) -> BTreeMap<String, Crate> {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    let mut uses: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (path, file) in tree.rust() {
        let Some(name) = crate_of(path) else { continue };
        let one = crates.entry(name.to_owned()).or_default();
        let lines = tree.lines(path, file);
        let tests = lines.iter().filter(|line| line.is_test).count();
        one.test_lines += tests;
        one.lines += lines.len() - tests;
        let Some(inside) = path.strip_prefix(name).and_then(|rest| rest.strip_prefix("/src/")) else {
            continue;
        };
        let (public, documented) = public_items(&lines);
        one.public += public;
        one.documented += documented;
        if let Some(module) = module_of(inside) {
            uses.entry(name.to_owned())
                .or_default()
                .entry(module)
                .or_default()
                .extend(used_modules(&lines));
        }
    }
    for (name, graph) in uses {
        crates.entry(name).or_default().cycles = cycles(&graph);
    }
    crates
}

/// The module of the first level that a file belongs to; none for the root.
fn module_of(inside: &str) -> Option<String> {
    let first = inside.split('/').next()?.trim_end_matches(".rs");
    let is_root = ["lib", "main", "bin"].contains(&first);
    (!is_root).then(|| first.to_owned())
}

/// Names after `crate::` in code that is not for tests, those of a group `crate::{a::A, b}` included.
fn used_modules(lines: &[Line<'_>]) -> BTreeSet<String> {
    let own = lines.iter().filter(|line| !line.is_test).map(|line| code(line.text));
    let text = own.collect::<Vec<_>>().join("\n");
    let mut used = BTreeSet::new();
    for (at, word) in text.match_indices("crate::") {
        let rest = &text[at + word.len()..];
        match rest.strip_prefix('{') {
            None => used.extend(first_name(rest)),
            Some(group) => used.extend(group_names(group)),
        }
    }
    used
}

/// The first name of each entry of a group, up to its closing brace.
fn group_names(group: &str) -> Vec<String> {
    let (mut names, mut depth, mut begins) = (Vec::new(), 0, true);
    for (at, c) in group.char_indices() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && !c.is_whitespace() => {
                names.extend(first_name(&group[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn first_name(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// Groups of modules that reach each other.
fn cycles(graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for next in graph.get(module).into_iter().flatten().filter(|next| *next != module) {
                if graph.contains_key(next) && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|module| (module, reach(module))).collect();
    let together = |a: &String, b: &String| reached[a].contains(b) && reached[b].contains(a);
    let group = |module: &String| -> Vec<String> {
        graph.keys().filter(|other| together(module, other)).cloned().collect()
    };
    let groups: BTreeSet<Vec<String>> =
        graph.keys().map(group).filter(|group| group.len() > 1).collect();
    groups.into_iter().collect()
}

/// Public items, and those of them with a comment above.
fn public_items(lines: &[Line<'_>]) -> (usize, usize) {
    let (mut public, mut documented) = (0, 0);
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_test) {
        let Some(rest) = line.text.trim_start().strip_prefix("pub ") else { continue };
        let rest = rest.strip_prefix("const fn ").map_or(rest, |_| "fn ");
        if !PUBLIC.iter().any(|word| rest.starts_with(word)) {
            continue;
        }
        public += 1;
        let is_attribute = |line: &&Line<'_>| {
            line.text.trim_start().starts_with("#[") && !line.text.contains("#[doc = ")
        };
        let above = lines[..i].iter().rev().find(|line| !is_attribute(line));
        // A module of its own file has its comment there.
        let is_file = rest.starts_with("mod ") && rest.trim_end().ends_with(';');
        let is_comment = |line: &Line<'_>| {
            ["///", "#[doc = ", "$(#["].iter().any(|mark| line.text.trim_start().starts_with(mark))
        };
        documented += usize::from(is_file || above.is_some_and(is_comment));
    }
    (public, documented)
}

/// Functions outside tests. In formatted code a function ends where the indentation of its first line returns.
fn functions(tree: &Tree) -> Vec<Function> {
    let mut functions = Vec::new();
    for (path, file) in tree.rust() {
        let lines = tree.lines(path, file);
        for (i, line) in
            lines.iter().enumerate().filter(|(_, line)| !line.is_test && starts_function(line.text))
        {
            let indent = line.text.len() - line.text.trim_start().len();
            let ends = |other: &Line<'_>| {
                let text = other.text.trim_start();
                other.text.len() - text.len() == indent && (text.ends_with('}') || text.ends_with(';'))
            };
            let length = lines[i..].iter().position(ends).map_or(1, |n| n + 1);
            functions.push(Function { lines: length, place: format!("{path}:{}", line.number) });
        }
    }
    functions
}

fn starts_function(line: &str) -> bool {
    let line = code(line).trim_start();
    let rest = ["pub(crate) ", "pub(super) ", "pub "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    rest.strip_prefix("const ").unwrap_or(rest).starts_with("fn ")
}

fn functions_told(functions: &mut [Function]) -> String {
    functions.sort_by_key(|function| function.lines);
    let Some(longest) = functions.last() else { return "functions: none\n".to_owned() };
    let at = |share: f64| functions[((functions.len() - 1) as f64 * share) as usize].lines;
    format!(
        "functions: {}, lines: median {}, p99 {}, longest {} ({})\n",
        functions.len(),
        at(0.5),
        at(0.99),
        longest.lines,
        longest.place
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_modules_are_found() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\nmod b;\nmod c;\nuse crate::a::A;\n"),
            ("crates/x/src/a.rs", "use crate::{\n    c::{C, D},\n    b::B,\n};\n"),
            ("crates/x/src/b/mod.rs", "// crate::a\nmod inner;\n"),
            ("crates/x/src/b/inner.rs", "fn f(x: crate::a::A) {}\n"),
            (
                "crates/x/src/c.rs",
                "use crate::a::A;\n#[cfg(test)]\nmod tests {\n    use crate::c::C;\n}\n",
            ),
        ];
        let mut breaches = Vec::new();
        check(&Tree::of(&files), &mut breaches);
        let told: Vec<String> = breaches.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["crates/x/src:1: modules use each other in a circle: a, b, c"]);
    }

    #[test]
    fn functions_and_items_are_counted() {
        let text = "/// A.\n#[inline]\npub fn a() {\n    b();\n}\npub struct B;\nimpl B {\n    fn c(\n        x: f64,\n    ) {\n    }\n}\n\
                    pub const fn d() {}\npub mod e;\n";
        let tree = Tree::of(&[("crates/x/src/lib.rs", text)]);
        let lengths: Vec<usize> = functions(&tree).iter().map(|function| function.lines).collect();
        assert_eq!(lengths, [3, 4, 1]);
        let one = &crates(&tree)["crates/x"];
        assert_eq!((one.lines, one.public, one.documented), (14, 4, 2));
        assert!(
            told(&tree)
                .contains("functions: 3, lines: median 3, p99 3, longest 4 (crates/x/src/lib.rs:8)")
        );
    }
}
