//! `summary`: steps, impacts, the largest penetration and residual, steps above the tolerance.

use super::{ObserverEntry, Report, RunObserver, Setup};
use crate::results::Memory;
use nonsmooth::Counts;
use nonsmooth::model::{ConstraintId, UserError};
use nonsmooth::observers::{Noted, Summary};

pub(super) const ENTRY: ObserverEntry = ObserverEntry {
    name: "summary",
    about: "steps, impacts, largest penetration and residual, unconverged steps",
    is_default: true,
    make,
};

fn make(setup: &Setup<'_>) -> Result<Box<dyn RunObserver>, UserError> {
    let summary = match setup.resumed {
        None => Summary::default(),
        Some(from) => summary(from.memory).ok_or("the summary in the checkpoint is damaged")?,
    };
    Ok(Box::new(summary))
}

impl RunObserver for Summary {
    fn memory(&self) -> Memory {
        let words: Vec<String> = self.notes.iter().map(note_words).collect();
        Memory { numbers: numbers(self), counts: counts(self), words: words.join("\n") }
    }

    fn report(&self, report: &mut Report) {
        report.summary = Some(self.clone());
    }
}

/// The numbers of a summary; those of its notes are last.
fn numbers(summary: &Summary) -> Vec<f64> {
    let s = summary;
    let at = |t: Option<f64>| t.unwrap_or(0.0);
    let mut numbers = vec![
        s.penetration,
        at(s.penetration_at.map(|(_, t)| t)),
        s.overlap,
        s.relative_overlap,
        at(s.overlap_at.map(|(_, t)| t)),
        s.residual,
        s.residual_at,
        s.turn,
        s.slip,
        s.restarted_slip,
    ];
    numbers.extend(s.notes.iter().flat_map(|note| [note.largest, note.sum, note.largest_at]));
    numbers
}

/// The counts of a summary; those of its notes are last.
fn counts(summary: &Summary) -> Vec<i64> {
    let s = summary;
    let Counts { steps, rejected, evaluations } = s.counts;
    let counts = [
        s.steps,
        s.impacts,
        s.unconverged,
        s.newton_iterations,
        s.most_constraints as u64,
        s.separating_impulses,
        steps,
        rejected,
        evaluations,
        s.problems,
    ];
    let mut numbers: Vec<i64> = counts.iter().map(|n| *n as i64).collect();
    numbers.push(s.penetration_at.map_or(-1, |(place, _)| place as i64));
    let [high, low] = s.overlap_at.map_or([0; 2], |(id, _)| id.bits().map(|bits| bits as i64));
    numbers.extend([i64::from(s.overlap_at.is_some()), high, low]);
    numbers.extend(s.notes.iter().map(|note| note.count as i64));
    numbers
}

/// Words and names of a note in one line.
fn note_words(note: &Noted) -> String {
    std::iter::once(&note.what).chain(&note.names).map(String::as_str).collect::<Vec<_>>().join("\t")
}

/// The summary from its numbers, counts and the words of its notes, a line each.
fn summary(Memory { numbers, counts, words }: &Memory) -> Option<Summary> {
    let (first, of_notes) = numbers.split_first_chunk::<10>()?;
    let [penetration, at, overlap, relative_overlap, overlap_at, residual, residual_at, rest @ ..] =
        *first;
    let [turn, slip, restarted_slip] = rest;
    let (first, note_counts) = counts.split_first_chunk::<14>()?;
    let [tallies @ .., place, overlaps, high, low] = *first;
    let [steps, impacts, unconverged, newton_iterations, most, separating, inner @ ..] =
        tallies.map(|n: i64| n as u64);
    let id = ConstraintId::from_bits([high as u64, low as u64]);
    Some(Summary {
        steps,
        impacts,
        penetration,
        penetration_at: usize::try_from(place).ok().map(|place| (place, at)),
        overlap,
        relative_overlap,
        overlap_at: (overlaps != 0).then_some((id, overlap_at)),
        residual,
        residual_at,
        unconverged,
        newton_iterations,
        counts: Counts { steps: inner[0], rejected: inner[1], evaluations: inner[2] },
        problems: inner[3],
        most_constraints: most as usize,
        separating_impulses: separating,
        turn,
        slip,
        restarted_slip,
        notes: notes(words, of_notes, note_counts)?,
    })
}

/// The notes of a summary: their words and names, with (largest, sum, time of the largest) and counts.
fn notes(words: &str, numbers: &[f64], counts: &[i64]) -> Option<Vec<Noted>> {
    let words: Vec<&str> = words.lines().collect();
    if numbers.len() != 3 * words.len() || counts.len() != words.len() {
        return None;
    }
    let numbers = numbers.chunks_exact(3).zip(counts);
    let note = |(words, (x, count)): (&str, (&[f64], &i64))| {
        let mut words = words.split('\t').map(str::to_owned);
        let what = words.next().unwrap_or_default();
        let (largest, sum, largest_at) = (x[0], x[1], x[2]);
        Noted { what, count: *count as u64, largest, sum, largest_at, names: words.collect() }
    };
    Some(words.into_iter().zip(numbers).map(note).collect())
}
