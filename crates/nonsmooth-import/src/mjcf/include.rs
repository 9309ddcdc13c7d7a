//! `<include file="…"/>`: the children of another file's root in its place. A file is included once, as MuJoCo has it.

use crate::folder::Folder;
use crate::log::Log;
use crate::xml::Element;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Deepest chain of files that include each other.
const DEEPEST: usize = 30;

/// Puts included files in their places.
pub(super) fn expand(root: &mut Element, folder: &Folder, base: &Path, log: &mut Log) {
    let mut known = BTreeSet::new();
    inside(root, (folder, base), &mut known, 0, log);
}

fn inside(
    element: &mut Element,
    files: (&Folder, &Path),
    known: &mut BTreeSet<PathBuf>,
    depth: usize,
    log: &mut Log,
) {
    let children = std::mem::take(&mut element.children);
    for mut child in children {
        if child.tag != "include" {
            inside(&mut child, files, known, depth, log);
            element.children.push(child);
            continue;
        }
        if depth >= DEEPEST {
            log.wrong(&child.place, format!("files are included more than {DEEPEST} deep"));
        } else if let Some(mut root) = included(&child, files, known, log) {
            inside(&mut root, files, known, depth + 1, log);
            element.children.append(&mut root.children);
        }
    }
}

fn included(
    element: &Element,
    (folder, base): (&Folder, &Path),
    known: &mut BTreeSet<PathBuf>,
    log: &mut Log,
) -> Option<Element> {
    let name = log.needed(element, "file")?;
    let (path, bytes) = match folder.read(base, &name) {
        Ok(read) => read,
        Err(message) => {
            log.wrong(&element.place, format!("include: {message}"));
            return None;
        }
    };
    if !known.insert(path) {
        log.wrong(&element.place, format!("`{name}` is included a second time, or includes itself"));
        return None;
    }
    let Ok(text) = String::from_utf8(bytes) else {
        log.wrong(&element.place, format!("`{name}` is no text (UTF-8)"));
        return None;
    };
    match Element::parse(&text, &name) {
        Ok(root) => Some(root),
        Err((place, message)) => {
            log.wrong(&place, message);
            None
        }
    }
}
