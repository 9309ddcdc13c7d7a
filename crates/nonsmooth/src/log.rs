//! The step log: what happened inside a step. Written by the integrator, read by observers.

use crate::model::Key;
use crate::phases::{Energies, Rows, Works};
use nonsmooth_solvers::Report;

/// Everything that an observer may want to know about a step beyond the two states.
#[derive(Clone, Debug, Default)]
pub struct StepLog {
    /// Contacts that took part, sorted by key.
    pub contacts: Contacts,
    /// Impacts inside the step, in order.
    pub events: Vec<Event>,
    /// Every solve of the step, in order.
    pub solves: Vec<Report>,
    /// Newton iterations made; 1 for linear models.
    pub newton_iterations: usize,
    /// Energies at the end of the step.
    pub energies: Energies,
    /// Energy that flowed during the step.
    pub works: Works,
    /// Gap of every constraint that has one, at the end of the step, by key [m].
    pub gaps: Vec<f64>,
}

/// Contacts as parallel arrays.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Which constraint.
    pub keys: Vec<Key>,
    /// Gap at the start of the step [m].
    pub gap: Vec<f64>,
    /// Relative velocity at the start of the step [m/s].
    pub u_minus: Vec<f64>,
    /// Relative velocity at the end of the step [m/s].
    pub u_plus: Vec<f64>,
    /// Impulse of the step [N·s].
    pub impulse: Vec<f64>,
    /// Work of the impulse [J].
    pub work: Vec<f64>,
}

/// An impact: a contact that carries an impulse after a step in which it carried none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When [s]; for time-stepping schemes the end of the step.
    pub t: f64,
    /// Which constraint.
    pub key: Key,
    /// Gap at the start of the step [m].
    pub gap: f64,
    /// Relative velocity before [m/s].
    pub u_minus: f64,
    /// Relative velocity after [m/s].
    pub u_plus: f64,
    /// Impulse [N·s].
    pub impulse: f64,
}

impl StepLog {
    /// Empties the log and keeps its memory.
    pub fn clear(&mut self) {
        let Contacts { keys, gap, u_minus, u_plus, impulse, work } = &mut self.contacts;
        keys.clear();
        for x in [gap, u_minus, u_plus, impulse, work] {
            x.clear();
        }
        self.events.clear();
        self.solves.clear();
        self.gaps.clear();
        self.newton_iterations = 0;
        self.energies = Energies::default();
        self.works = Works::default();
    }

    /// Notes row `i` with (u⁺, p, work), and the impact at time `t` if it is one.
    pub(crate) fn contact(
        &mut self,
        rows: &Rows,
        i: usize,
        (u_plus, impulse, work): (f64, f64, f64),
        t: Option<f64>,
    ) {
        let (key, gap, u_minus) = (rows.keys[i], rows.gap[i], rows.u_minus[i]);
        self.contacts.keys.push(key);
        self.contacts.gap.push(gap);
        self.contacts.u_minus.push(u_minus);
        self.contacts.u_plus.push(u_plus);
        self.contacts.impulse.push(impulse);
        self.contacts.work.push(work);
        if let Some(t) = t {
            self.events.push(Event { t, key, gap, u_minus, u_plus, impulse });
        }
    }
}
