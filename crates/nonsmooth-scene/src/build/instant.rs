//! Formulas of the state at an instant: forces, torques, motors and named expressions.
//!
//! They see t, coordinates and velocities of systems, poses and velocities of bodies in world axes, free axes of joints, and expressions. Each is compiled
//! once; what it reads is a list of places in the instant, in the order of its slots.

use super::Build;
use super::names::{Constants, Directory, Reading};
use crate::formula::{Expr, Meaning, Program, Scope};
use crate::formulas::TIME;
use crate::scene::Quantity;
use crate::source::Path;
use nonsmooth::Instant;
use std::cell::RefCell;

/// Constants, t, everything that an instant shows, and expressions; notes what was used, in order.
pub(super) struct OfInstant<'a> {
    pub(super) constants: Constants<'a>,
    pub(super) directory: &'a Directory,
    pub(super) used: RefCell<Vec<Reading>>,
}

impl Scope for OfInstant<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        if name == "t" {
            return Some(Meaning::Slot(TIME));
        }
        let Some(reading) = self.directory.reading(name) else { return self.constants.look_up(name) };
        let mut used = self.used.borrow_mut();
        let k = used.iter().position(|known| *known == reading).unwrap_or_else(|| {
            used.push(reading);
            used.len() - 1
        });
        Some(Meaning::Slot(1 + k as u32))
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.directory.readings();
        names.extend(self.directory.axes_of_joints());
        names.push("t".to_owned());
        names.extend(self.constants.names());
        names
    }
}

/// Formulas of an instant, ready to be evaluated.
pub(super) struct InstantFormulas {
    programs: Vec<Program>,
    readings: Vec<Reading>,
}

/// Readings up to which the slots fit on the stack.
const ON_STACK: usize = 31;

impl InstantFormulas {
    fn new(expressions: &[Expr], readings: Vec<Reading>) -> Self {
        Self { programs: expressions.iter().map(Program::compile).collect(), readings }
    }

    /// Whether they read anything but t.
    pub(super) fn depends_on_state(&self) -> bool {
        !self.readings.is_empty()
    }

    /// Their values, in order.
    pub(super) fn each(&self, at: &Instant<'_>, mut show: impl FnMut(usize, f64)) {
        let fill = |slots: &mut [f64]| {
            slots[0] = at.t;
            slots[1..].iter_mut().zip(&self.readings).for_each(|(slot, reading)| *slot = reading.at(at));
        };
        let mut run = |slots: &[f64]| {
            self.programs.iter().enumerate().for_each(|(k, program)| show(k, program.eval(slots)));
        };
        let n = 1 + self.readings.len();
        if n <= ON_STACK {
            let mut slots = [0.0; ON_STACK];
            fill(&mut slots[..n]);
            run(&slots[..n]);
        } else {
            let mut slots = vec![0.0; n];
            fill(&mut slots);
            run(&slots);
        }
    }

    /// The first `N` values; zero where there are fewer.
    pub(super) fn values<const N: usize>(&self, at: &Instant<'_>) -> [f64; N] {
        let mut out = [0.0; N];
        self.each(at, |k, x| {
            if let Some(out) = out.get_mut(k) {
                *out = x;
            }
        });
        out
    }
}

impl Build<'_> {
    /// The formulas of a list at `path`.
    pub(super) fn instant_list(
        &mut self,
        path: &Path,
        list: &[Quantity],
        copy: Option<usize>,
    ) -> Option<InstantFormulas> {
        // A single number that stands for itself has the place of its key.
        let place = |k: usize| if list.len() == 1 { path.clone() } else { path.index(k) };
        let list: Vec<(Path, &Quantity)> =
            list.iter().enumerate().map(|(k, quantity)| (place(k), quantity)).collect();
        self.instant_formulas(&list, copy)
    }

    /// Formulas of an instant, each at its place; `None` after a mistake.
    pub(super) fn instant_formulas(
        &mut self,
        list: &[(Path, &Quantity)],
        copy: Option<usize>,
    ) -> Option<InstantFormulas> {
        let scope = OfInstant {
            constants: self.constants(copy),
            directory: &self.directory,
            used: RefCell::default(),
        };
        let found: Vec<_> =
            list.iter().map(|(path, quantity)| self.formula(path, quantity, &scope)).collect();
        let used = scope.used.into_inner();
        let mut good = Vec::new();
        for formula in found {
            match formula {
                Ok(expression) => good.push(expression),
                Err(mut mistakes) => self.mistakes.append(&mut mistakes),
            }
        }
        (good.len() == list.len()).then(|| InstantFormulas::new(&good, used))
    }
}
