//! Whether each judged line can fail: every scheme of a section is made wrong in turn, and the lines that fall are noted.
//!
//! A line **depends** on a scheme if some mistake in it changes the line's number. It must then fall by its number with at least one
//! mistake in that scheme, for each scheme it depends on. A mistake with which the section cannot be made at all, or the line has no
//! number, shows nothing.
//! A line that uses no scheme says so and is not counted; if a mistake does change its number, that is told.

use super::mistake::Mistake;
use super::paper::{Line, Make, Section};
use super::schemes::Schemes;
use nonsmooth::solvers::Options;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What was found about a line's ability to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It uses no scheme, as it says.
    Arithmetic,
    /// The schemes it depends on, each with the mistakes that make it fail.
    Felled(BTreeMap<String, Vec<&'static str>>),
    /// Schemes it depends on that can be wrong in every way without making it fail.
    Survives(Vec<String>),
    /// It says that it uses no scheme, but depends on these.
    NotArithmetic(Vec<String>),
    /// No mistake changes its number, and it does not say that it uses no scheme.
    Unmoved,
}

impl Proof {
    /// Whether the line is shown able to fail, or is none that can.
    pub(super) fn is_good(&self) -> bool {
        matches!(self, Proof::Arithmetic | Proof::Felled(_))
    }

    /// For the page and the terminal.
    pub(super) fn told(&self) -> String {
        match self {
            Proof::Arithmetic => "arithmetic, not counted".to_owned(),
            Proof::Felled(by) => {
                let told = by.iter().map(|(scheme, names)| format!("{scheme}: {}", names.join(", ")));
                format!("felled by {}", told.collect::<Vec<_>>().join("; "))
            }
            Proof::Survives(schemes) => format!("SURVIVES every mistake in {}", schemes.join(", ")),
            Proof::NotArithmetic(schemes) => format!("NO ARITHMETIC: depends on {}", schemes.join(", ")),
            Proof::Unmoved => "UNMOVED by every mistake".to_owned(),
        }
    }
}

/// Makes sections, and each again with each of its schemes mistaken in each way, by so many threads; writes into their lines what
/// felled them. `progress` gets the numbers of makings done and known so far.
pub(super) fn prove(
    makes: &[Make],
    threads: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> anyhow::Result<Vec<Section>> {
    let sound: Vec<Schemes> = makes.iter().map(|_| Schemes::with_threads(1)).collect();
    let made = by_threads(threads, makes.len(), |k| {
        let section = makes[k](&sound[k]);
        progress(0, makes.len());
        section
    });
    let mut sections = made.into_iter().collect::<anyhow::Result<Vec<Section>>>()?;
    let mut tasks = Vec::new();
    for (k, schemes) in sound.iter().enumerate() {
        for scheme in schemes.made() {
            tasks.extend(wrong_schemes(&scheme).into_iter().map(|wrong| (k, scheme.clone(), wrong)));
        }
    }
    let done = AtomicUsize::new(0);
    let hook = std::panic::take_hook();
    // What is measured of a wrong run may not even be there: that is no news.
    std::panic::set_hook(Box::new(|_| ()));
    let made = by_threads(threads, tasks.len(), |i| {
        let (k, _, (_, wrong)) = &tasks[i];
        let section = catch_unwind(AssertUnwindSafe(|| makes[*k](wrong))).ok().and_then(Result::ok);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, tasks.len());
        section
    });
    std::panic::set_hook(hook);
    for (k, section) in sections.iter_mut().enumerate() {
        let trials = tasks.iter().zip(&made).filter(|((of, ..), _)| *of == k);
        let trials: Vec<Trial<'_>> = trials
            .filter_map(|((_, scheme, (mistake, _)), made)| {
                Some((scheme.as_str(), *mistake, made.as_ref()?))
            })
            .collect();
        judge(&mut section.lines, &trials);
    }
    Ok(sections)
}

/// A scheme, what was wrong with it, and the section made with it.
type Trial<'a> = (&'a str, &'static str, &'a Section);

fn judge(lines: &mut [Line], trials: &[Trial<'_>]) {
    for k in 0..lines.len() {
        let mut felled: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
        for (scheme, mistake, section) in trials {
            let (line, Some(again)) = (&lines[k], same(lines, k, &section.lines)) else { continue };
            let is_moved = again.measured != line.measured || again.expected != line.expected;
            if is_moved || again.passed != line.passed {
                let by = felled.entry((*scheme).to_owned()).or_default();
                let has_number = !again.measured.contains("NaN");
                by.extend((!again.passed && has_number).then_some(*mistake));
            }
        }
        let names = |felled: BTreeMap<String, Vec<_>>| felled.into_keys().collect();
        lines[k].proof = Some(if lines[k].is_arithmetic {
            if felled.is_empty() { Proof::Arithmetic } else { Proof::NotArithmetic(names(felled)) }
        } else if felled.is_empty() {
            Proof::Unmoved
        } else if felled.values().all(|by| !by.is_empty()) {
            Proof::Felled(felled)
        } else {
            felled.retain(|_, by| by.is_empty());
            Proof::Survives(names(felled))
        });
    }
}

/// The same statement in another making of the section: in its place, or by its words where lines are missing.
fn same<'a>(lines: &[Line], k: usize, others: &'a [Line]) -> Option<&'a Line> {
    if lines.len() == others.len() {
        return others.get(k);
    }
    others.iter().find(|other| other.place == lines[k].place && other.what == lines[k].what)
}

/// The wrong schemes for one: with each mistake, and other schemes in its place. A better one fells lines that bound an error from below.
fn wrong_schemes(scheme: &str) -> Vec<(&'static str, Schemes)> {
    let mistaken = |mistake: Mistake| {
        let mistaken = Some((scheme.to_owned(), mistake));
        (mistake.name(), Schemes { mistaken, ..Schemes::with_threads(1) })
    };
    let mut all: Vec<(&'static str, Schemes)> = Mistake::ALL.into_iter().map(mistaken).collect();
    if let Some(entry) = nonsmooth::integrators::find(scheme) {
        for other in OTHERS.into_iter().filter(|other| *other != entry.name) {
            let instead = Some((entry.name, other, Options::default()));
            all.push((other, Schemes { instead, ..Schemes::with_threads(1) }));
        }
    }
    all
}

/// The schemes that take the place of others: one that resolves events, and one that leaves no overlap.
pub(super) const OTHERS: [&str; 2] = ["event-driven", "schatzman-paoli"];

/// The results of `work` for 0 … n, in order.
fn by_threads<T: Send>(threads: usize, n: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, n.max(1)) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= n {
                        break;
                    }
                    let result = work(k);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((k, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(k, _)| *k);
    results.into_iter().map(|(_, result)| result).collect()
}
