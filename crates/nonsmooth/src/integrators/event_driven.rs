//! Event-driven: smooth motion to a tolerance, events located to rounding, an impact or a change of mode at each.
//!
//! ```text
//! M v̇ = f + Jᵀ λ,   0 ≤ ÿ ⟂ λ ≥ 0 on closed contacts (y = 0, u = 0, held by projection)        between events
//! M (v⁺ − v⁻) = Jᵀ p,   0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0 on all contacts that are closed                   at an impact
//! ```
//!
//! Contacts that close at the same time are hit together. An accumulation of impacts is not passed: the step fails
//! when the next flight is lost in rounding, and says where the impacts accumulate. The path is in
//! `tracking/tracker.rs`.

use super::tracking::{
    Accumulation, Control, LOCATION, Locate, MAX_EVENTS, METHOD, ORDER, Rules, Tracker, Width, find,
    refuse_untracked,
};
use super::{Accuracy, Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::SolverSettings;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "event-driven",
    about: "every impact located to rounding, smooth motion to a tolerance; the reference for few impacts",
    options: &[&METHOD, &LOCATION, &MAX_EVENTS, &ADAPTIVE, &TOLERANCE, &ORDER],
    make: |options, settings| Box::new(EventDriven::new(options, settings)),
};

const ADAPTIVE: Declared = Declared {
    name: "adaptive",
    about: "whether inner steps are chosen by their error, so that `tolerance` holds",
    kind: Kind::Word(&["no", "yes"]),
    default: "yes",
};
const TOLERANCE: Declared = Declared {
    name: "tolerance",
    about: "with adaptive = \"yes\": error of an inner step in q and v, relative to max(|x|, 1) [–]",
    kind: Kind::Positive,
    default: "1e-12",
};

/// Smooth motion between located events.
struct EventDriven {
    tracker: Tracker,
    /// Options that were given although others leave them without meaning: (option, what it needs).
    idle: Vec<(&'static str, &'static str)>,
    settings: SolverSettings,
}

impl EventDriven {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        let adaptive = options.word(&ADAPTIVE) == "yes";
        let rules = Rules {
            locate: Locate::from_word(options.word(&LOCATION)),
            width: Width::Rounding,
            accumulation: Accumulation::Refuse,
            max_events: options.count(&MAX_EVENTS),
        };
        let tolerance = adaptive.then(|| options.number(&TOLERANCE));
        let any_order = options.word(&ORDER) == "adaptive";
        let control = Control::new(find(options.word(&METHOD)), tolerance, any_order);
        let idle = [&TOLERANCE, &ORDER].into_iter().filter(|o| !adaptive && options.is_given(o));
        let idle = idle.map(|option| (option.name, "adaptive = \"yes\"")).collect();
        Self { tracker: Tracker::new(rules, control), idle, settings }
    }
}

impl Integrator for EventDriven {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        refuse_untracked("event-driven", model, &self.idle)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.tracker.step(model, now, h, &mut self.settings, next, log)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy { order: self.tracker.order(), resolves_impacts: true }
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(self.tracker.last_problem())
    }

    fn reset(&mut self) {
        self.tracker.reset();
        self.settings.solver.forget();
    }
}
