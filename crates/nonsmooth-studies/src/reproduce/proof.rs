//! Whether each judged line can fail: every scheme of a section is made wrong in turn, and the lines that fall are noted.
//!
//! A mistake with which a section cannot be made at all is noted for those of its lines that no other mistake fells.
//! A line whose number no mistake changes uses no scheme: it is arithmetic, marked as such and not counted. A line whose number
//! changes but which never fails shows nothing, and is told.

use super::mistake::Mistake;
use super::paper::{Line, Make, Proof, Section};
use super::schemes::Schemes;
use nonsmooth::solvers::Options;

/// The scheme that takes the place of others.
const OTHER: &str = "event-driven";

/// Makes a section, and again with each of its schemes mistaken in each way; writes into its lines what felled them.
pub(super) fn prove(make: Make) -> anyhow::Result<Section> {
    let sound = Schemes::default();
    let mut section = make(&sound)?;
    let mut proofs: Vec<(bool, Vec<String>)> = vec![(false, Vec::new()); section.lines.len()];
    let mut stopped_by = Vec::new();
    for scheme in sound.made() {
        for (by, wrong) in wrong_schemes(&scheme) {
            let Some(other) = attempt(make, &wrong) else {
                stopped_by.push(by);
                continue;
            };
            for (k, (line, (depends, felled_by))) in section.lines.iter().zip(&mut proofs).enumerate() {
                let Some(again) = same(line, k, &other.lines) else { continue };
                *depends |= again.measured != line.measured || again.expected != line.expected;
                if !again.passed {
                    felled_by.push(by.clone());
                }
            }
        }
    }
    for (line, (depends, felled_by)) in section.lines.iter_mut().zip(proofs) {
        line.proof = Some(match (depends, felled_by.is_empty()) {
            (_, false) => Proof::FelledBy(felled_by),
            (_, true) if !stopped_by.is_empty() => Proof::StoppedBy(stopped_by.clone()),
            (true, true) => Proof::NeverFell,
            (false, true) => Proof::Arithmetic,
        });
    }
    Ok(section)
}

/// The wrong schemes for one: with each mistake, and another scheme in its place, which is too good for lines that bound an error
/// from below.
fn wrong_schemes(scheme: &str) -> Vec<(String, Schemes)> {
    let mistaken = |mistake: Mistake| {
        let wrong = Schemes { mistaken: Some((scheme.to_owned(), mistake)), ..Schemes::default() };
        (format!("{scheme}: {}", mistake.name()), wrong)
    };
    let mut all: Vec<(String, Schemes)> = Mistake::ALL.into_iter().map(mistaken).collect();
    if let Some(entry) = nonsmooth::integrators::find(scheme).filter(|entry| entry.name != OTHER) {
        let instead = Some((entry.name, OTHER, Options::default()));
        all.push((format!("{scheme}: {OTHER} in its place"), Schemes { instead, ..Schemes::default() }));
    }
    all
}

/// A section made with a wrong scheme; none if that is not possible. What is measured of a wrong run may not even be there.
fn attempt(make: Make, wrong: &Schemes) -> Option<Section> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| make(wrong)));
    std::panic::set_hook(hook);
    made.ok()?.ok()
}

/// The same statement in another making of the section: in its place, or by its words.
fn same<'a>(line: &Line, k: usize, lines: &'a [Line]) -> Option<&'a Line> {
    let is_same = |other: &&Line| other.place == line.place && other.what == line.what;
    lines.get(k).filter(is_same).or_else(|| lines.iter().find(is_same))
}
