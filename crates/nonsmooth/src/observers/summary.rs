//! The trust summary: how far the run may be believed, in a few numbers.

use super::slips::slips;
use super::warnings::{Warning, largest_turn, warnings};
use crate::log::{ConstraintLog, Counts, StepLog};
use crate::model::{ConstraintId, Model, UserError};
use crate::simulation::{Observation, Observer};

/// Counts and extremes over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Steps made.
    pub steps: u64,
    /// Constraints that began to carry.
    pub impacts: u64,
    /// Largest overlap of a gap, or error of a bilateral one [m], among constraints with names.
    pub penetration: f64,
    /// Place among `StepLog::gaps`, and when that was.
    pub penetration_at: Option<(usize, f64)>,
    /// Largest overlap of two bodies at the start of a step [m].
    pub overlap: f64,
    /// The same relative to the size of the pair [–].
    pub relative_overlap: f64,
    /// Which contact, and when.
    pub overlap_at: Option<(ConstraintId, f64)>,
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
    /// Most constraints active in one step.
    pub most_constraints: usize,
    /// Steps in which a unilateral contact with p > 0 was separating at the start, p u⁻ > 0 beyond rounding
    /// (1e-12 of the energy): there the scheme may gain energy.
    pub separating_impulses: u64,
    /// Largest ‖ω‖ h of a body in space whose moments of inertia differ, or of one that a joint holds [rad].
    pub turn: f64,
    /// Largest slip of a contact, where the scheme remembers it [m/s].
    pub slip: f64,
    /// Largest slip in a step after one in which the contact carried and stuck [m/s].
    pub restarted_slip: f64,
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
    /// End of the step with that value [s].
    pub largest_at: f64,
    /// Names of what had it: bodies or a constraint; empty where the note is about the whole step.
    pub names: Vec<String>,
}

impl Summary {
    /// Books one step.
    #[inline]
    pub fn book(&mut self, step: &Observation<'_>) {
        let (log, t) = (step.log, step.after.t);
        self.steps += 1;
        self.impacts += log.events.len() as u64;
        self.newton_iterations += log.newton_iterations as u64;
        self.counts += log.counts;
        self.problems += log.solves.len() as u64;
        if !log.constraints.is_empty() {
            self.book_constraints(step.model, log, t, step.after.lag.is_empty());
        }
        if !(log.residual <= self.residual) {
            (self.residual, self.residual_at) = (log.residual, t);
        }
        self.unconverged += u64::from(log.missed);
        if !log.notes.is_empty() {
            self.book_notes(log, t);
        }
        for (i, &gap) in log.gaps.iter().enumerate() {
            // Written so that the common case, a gap above the worst, costs one comparison.
            if gap < -self.penetration {
                (self.penetration, self.penetration_at) = (-gap, Some((i, t)));
            } else if step.model.is_bilateral_gap(i) && gap > self.penetration {
                (self.penetration, self.penetration_at) = (gap, Some((i, t)));
            }
        }
        if !log.events.is_empty() || step.model.is_watched {
            self.book_warnings(step);
        }
    }

    #[inline(never)]
    fn book_notes(&mut self, log: &StepLog, t: f64) {
        for note in &log.notes {
            self.book_note(note.what, note.value, t, Vec::new);
        }
    }

    #[inline(never)]
    fn book_warnings(&mut self, step: &Observation<'_>) {
        self.turn = self.turn.max(largest_turn(step));
        let slips = slips(step);
        self.slip = self.slip.max(slips.largest);
        self.restarted_slip = self.restarted_slip.max(slips.restarted);
        for Warning { what, value, about } in warnings(step).into_iter().flatten() {
            self.book_note(what, value, step.after.t, || about.names(step));
        }
    }

    #[inline(never)]
    fn book_constraints(&mut self, model: &Model, log: &StepLog, t: f64, is_synchronous: bool) {
        let constraints = &log.constraints;
        self.most_constraints = self.most_constraints.max(constraints.len());
        // Work that is rounding of the energy at hand is none.
        let energy = log.energies.kinetic + log.energies.potential.abs();
        let mut separating = false;
        for (&id, &row) in constraints.ids.iter().zip(&constraints.row_start) {
            let (u, p) = (constraints.u_minus[row as usize], constraints.impulse[row as usize]);
            if u > 0.0 && p * u > 1e-12 * energy {
                separating |= model.is_of_contact(id);
            }
        }
        if !model.rigid.colliders.is_empty() {
            self.book_overlaps(model, constraints, t);
        }
        // Velocities that lag behind q are not those of the contact: a body that rolls separates half a step later.
        self.separating_impulses += u64::from(separating && is_synchronous);
    }

    /// Overlaps of bodies: of contacts, which have no names.
    #[inline(never)]
    fn book_overlaps(&mut self, model: &Model, constraints: &ConstraintLog, t: f64) {
        for (&id, &gap) in constraints.ids.iter().zip(&constraints.gap) {
            if gap < 0.0 && model.constraint_number(id).is_none() {
                self.book_overlap(model, id, -gap, t);
            }
        }
    }

    /// The largest overlap and the largest relative to the size, which may be that of another pair.
    fn book_overlap(&mut self, model: &Model, id: ConstraintId, overlap: f64, t: f64) {
        if overlap > self.overlap {
            (self.overlap, self.overlap_at) = (overlap, Some((id, t)));
        }
        let [a, b] = id.colliders().map(|k| model.rigid.colliders[k as usize].on);
        self.relative_overlap = self.relative_overlap.max(overlap / model.rigid.size(a, b));
    }

    #[cold]
    fn book_note(&mut self, what: &str, value: f64, t: f64, names: impl FnOnce() -> Vec<String>) {
        let known = self.notes.iter().position(|noted| noted.what == what);
        let place = known.unwrap_or_else(|| {
            self.notes.push(Noted { what: what.to_owned(), ..Noted::default() });
            self.notes.len() - 1
        });
        let noted = &mut self.notes[place];
        noted.count += 1;
        noted.sum += value;
        if noted.count == 1 || !(value.abs() <= noted.largest.abs()) {
            noted.largest = value;
            noted.largest_at = t;
            noted.names = names();
        }
    }
}

impl Observer for Summary {
    fn looks_at_shown(&self) -> bool {
        false
    }

    fn step(&mut self, step: &Observation<'_>) -> Result<(), UserError> {
        self.book(step);
        Ok(())
    }
}
