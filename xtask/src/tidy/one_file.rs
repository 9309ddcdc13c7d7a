//! A law or a joint is one file and one line in the list of its folder: no other source of the crates knows it by name. The proofs are a law
//! with phases, a law with a history and two joints.

use std::path::Path;

/// The type, its folder below `crates/nonsmooth/src`, its file.
const PROOFS: &[(&str, &str, &str)] = &[
    ("Poisson", "laws", "poisson.rs"),
    ("StaticDynamic", "laws", "static_dynamic.rs"),
    ("Spherical", "model/constraints/joints", "spherical.rs"),
    ("Prismatic", "model/constraints/joints", "prismatic.rs"),
];

/// Lines of code, comments left out, that have one of these words.
fn uses(text: &str, words: &[&str]) -> usize {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.filter(|line| line.split(|c| !is_part(c)).any(|part| words.contains(&part))).count()
}

#[test]
fn a_law_or_joint_is_one_file_and_one_list_line() {
    let root = crate::root();
    let paths = super::tracked_or_walked(&root).expect("readable");
    let is_source =
        |path: &&String| path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs");
    for (word, folder, file) in PROOFS {
        let folder = Path::new("crates/nonsmooth/src").join(folder);
        let (own, list) = (folder.join(file), folder.join("mod.rs"));
        let mut listed = 0;
        for path in paths.iter().filter(is_source) {
            let text = std::fs::read_to_string(root.join(path)).expect("UTF-8");
            if Path::new(path) == list {
                listed = uses(&text, &[word, file.trim_end_matches(".rs")]);
            } else if Path::new(path) != own {
                assert_eq!(uses(&text, &[word]), 0, "{path} knows {word}");
            }
        }
        // The module, its type for users, its entry of the list.
        assert_eq!(listed, 3, "{word}: lines of {}", list.display());
    }
}
