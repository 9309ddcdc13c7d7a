//! The trust summary: how far the run may be believed, in a few numbers.

use crate::log::{Contacts, Counts, Note, StepLog};
use crate::model::{Key, UserError};
use crate::simulation::{Frame, Observer};
use nonsmooth_solvers::Status;

/// Counts and extremes over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Steps made.
    pub steps: u64,
    /// Contacts that closed.
    pub impacts: u64,
    /// Largest overlap of a unilateral constraint, or error of a joint [m], with its place and time.
    pub penetration: f64,
    /// Where and when that was.
    pub penetration_at: Option<(Key, f64)>,
    /// Largest overlap of two bodies at the start of a step [m].
    pub overlap: f64,
    /// Which two bodies, and when.
    pub overlap_at: Option<([u32; 2], f64)>,
    /// Largest certificate of any step [–].
    pub residual: f64,
    /// When that was [s].
    pub residual_at: f64,
    /// Steps whose solve missed its tolerance.
    pub unconverged: u64,
    /// Newton iterations of all steps together.
    pub newton_iterations: u64,
    /// Inner steps and evaluations of all steps together.
    pub counts: Counts,
    /// One-step problems of all steps together.
    pub problems: u64,
    /// Most contacts that took part in one step.
    pub most_contacts: usize,
    /// Steps in which a unilateral contact with p > 0 was separating at the start, p u⁻ > 0 beyond rounding
    /// (1e-12 of the energy): there the scheme may gain energy.
    pub separating_impulses: u64,
    /// What the scheme noted, in order of first appearance.
    pub notes: Vec<Noted>,
}

/// All notes of one kind together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noted {
    /// What they are about, with unit.
    pub what: String,
    /// How many there were.
    pub count: u64,
    /// The value of largest size.
    pub largest: f64,
    /// Sum of the values.
    pub sum: f64,
}

impl Summary {
    /// Books one step.
    pub fn book(&mut self, frame: &Frame<'_>) {
        let (log, t) = (frame.log, frame.after.t);
        self.steps += 1;
        self.newton_iterations += log.newton_iterations as u64;
        self.counts += log.counts;
        self.problems += log.solves.len() as u64;
        if !log.contacts.keys.is_empty() {
            self.book_contacts(log, &frame.model.constraints.always);
        }
        if !log.touches.is_empty() {
            self.book_touches(log, t);
        }
        if let Some(report) = log.solves.last() {
            // The last solve is the one that made the step; earlier ones belong to Newton iterates.
            if !(report.residual <= self.residual) {
                (self.residual, self.residual_at) = (report.residual, t);
            }
            self.unconverged += u64::from(report.status != Status::Converged);
        }
        for note in &log.notes {
            self.book_note(note);
        }
        for (i, &gap) in log.gaps.iter().enumerate() {
            // Written so that the common case, a gap above the worst, costs one comparison.
            if gap < -self.penetration {
                (self.penetration, self.penetration_at) = (-gap, Some((Key(i as u64), t)));
            } else if gap > self.penetration && frame.model.constraints.always[i] {
                (self.penetration, self.penetration_at) = (gap, Some((Key(i as u64), t)));
            }
        }
    }

    fn book_touches(&mut self, log: &StepLog, t: f64) {
        let touches = &log.touches;
        self.impacts += touches.n_impacts as u64;
        self.most_contacts = self.most_contacts.max(touches.len());
        for (gap, bodies) in touches.gaps.iter().zip(&touches.bodies) {
            if *gap < -self.overlap {
                (self.overlap, self.overlap_at) = (-gap, Some((*bodies, t)));
            }
        }
    }

    #[cold]
    fn book_note(&mut self, note: &Note) {
        let known = self.notes.iter().position(|noted| noted.what == note.what);
        let place = known.unwrap_or_else(|| {
            self.notes.push(Noted { what: note.what.to_owned(), ..Noted::default() });
            self.notes.len() - 1
        });
        let noted = &mut self.notes[place];
        noted.count += 1;
        noted.sum += note.value;
        if !(note.value.abs() <= noted.largest.abs()) {
            noted.largest = note.value;
        }
    }

    fn book_contacts(&mut self, log: &StepLog, always: &[bool]) {
        self.impacts += log.events.len() as u64;
        let n_contacts = log.contacts.components.iter().filter(|component| **component == 0).count();
        self.most_contacts = self.most_contacts.max(n_contacts);
        let Contacts { keys, components, u_minus, impulse, .. } = &log.contacts;
        // Work that is rounding of the energy at hand is none.
        let energy = log.energies.kinetic + log.energies.potential.abs();
        let separating = (0..keys.len()).any(|i| {
            let (u, p) = (u_minus[i], impulse[i]);
            u > 0.0 && p * u > 1e-12 * energy && components[i] == 0 && !always[keys[i].0 as usize]
        });
        self.separating_impulses += u64::from(separating);
    }
}

impl Observer for Summary {
    fn step(&mut self, frame: &Frame<'_>) -> Result<(), UserError> {
        self.book(frame);
        Ok(())
    }
}
