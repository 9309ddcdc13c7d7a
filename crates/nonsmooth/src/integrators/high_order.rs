//! Time stepping of any order: Runge–Kutta between events, Moreau–Jean on a narrow bracket around each.
//!
//! ```text
//! [t_k, t_a]      a Runge–Kutta step of order p                                 t_* ∈ [t_a, t_b]
//! [t_a, t_b]      Moreau–Jean: 0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0                            t_b − t_a ≤ C h (h/T)^p
//! [t_b, t_{k+1}]  the same again, as often as there are events
//! ```
//!
//! Lasting contact is part of the smooth motion, its force eliminated at acceleration level; a contact whose next
//! flight is shorter than order p can see is closed, so that accumulations of impacts are passed. The path is in
//! `tracking/tracker.rs`. [Acary10, eq. (48); Mannshardt78]

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
    name: "high-order",
    about: "Runge–Kutta of any order between located impacts; keeps its order through accumulations",
    options: &[
        &METHOD,
        &LOCATION,
        &WINDOW,
        &REST,
        &TIME_SCALE,
        &MAX_EVENTS,
        &ADAPTIVE,
        &TOLERANCE,
        &ORDER,
    ],
    make: |options, settings| Box::new(HighOrder::new(options, settings)),
};

const WINDOW: Declared = Declared {
    name: "window",
    about: "C of the bracket C h (h/T)^p around an event; large values hide the order [–]",
    kind: Kind::Positive,
    default: "1e-6",
};
const REST: Declared = Declared {
    name: "rest",
    about: "a contact is at rest when its next flight is shorter than rest · T (h/T)^p [–]",
    kind: Kind::Positive,
    default: "1e-3",
};
const TIME_SCALE: Declared = Declared {
    name: "time_scale",
    about: "T against which the step h counts as short, in `window` and `rest` [s]",
    kind: Kind::Positive,
    default: "1",
};
const ADAPTIVE: Declared = Declared {
    name: "adaptive",
    about: "whether inner steps are chosen by their error, so that `tolerance` holds",
    kind: Kind::Word(&["no", "yes"]),
    default: "no",
};
const TOLERANCE: Declared = Declared {
    name: "tolerance",
    about: "with adaptive = \"yes\": error of an inner step in q and v, relative to max(|x|, 1) [–]",
    kind: Kind::Positive,
    default: "1e-8",
};

/// Runge–Kutta between events, Moreau–Jean at events.
struct HighOrder {
    tracker: Tracker,
    /// Options that were given although others leave them without meaning: (option, what it needs).
    idle: Vec<(&'static str, &'static str)>,
    settings: SolverSettings,
}

impl HighOrder {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        let adaptive = options.word(&ADAPTIVE) == "yes";
        let tolerance = adaptive.then(|| options.number(&TOLERANCE));
        let time_scale = options.number(&TIME_SCALE);
        let rules = Rules {
            locate: Locate::from_word(options.word(&LOCATION)),
            width: Width::Order { factor: options.number(&WINDOW), time_scale },
            accumulation: Accumulation::Rest { factor: options.number(&REST), time_scale },
            max_events: options.count(&MAX_EVENTS),
        };
        let any_order = options.word(&ORDER) == "adaptive";
        let control = Control::new(find(options.word(&METHOD)), tolerance, any_order);
        let (idle, needs) = if adaptive {
            (&[&WINDOW, &REST, &TIME_SCALE][..], "adaptive = \"no\"")
        } else {
            (&[&TOLERANCE, &ORDER][..], "adaptive = \"yes\"")
        };
        let idle = idle.iter().filter(|option| options.is_given(option));
        let idle = idle.map(|option| (option.name, needs)).collect();
        Self { tracker: Tracker::new(rules, control), idle, settings }
    }
}

impl Integrator for HighOrder {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        refuse_untracked("high-order", model, &self.idle)
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
