//! Splitting: the smooth flow over the step by any Runge–Kutta method, then the impact at fixed q.
//!
//! ```text
//! M(q) v̇ = f(t, q, v) (+ Jᵀ λ),   q̇ = T v        from (q_k, v_k) over h, to (q₁, v₁)
//! M(q₁)(v_{k+1} − v₁) = Jᵀ p,     0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0 where y(q₁) ≤ 0,     u⁻ = J v₁,     q_{k+1} = q₁
//! ```
//!
//! [Acary10, eq. (49)–(55)]; u⁻ is the velocity after the flow. Order 1 whatever the flow. Without λ a body at rest
//! falls in every step and is caught again: it sinks by O(h). With it, contacts that do not part (or whose next flight
//! is shorter than the step) are held where they are: who stays is decided by the acceleration-level problem at the
//! start of each inner step and not changed within it.

use super::tracking::{
    Control, Flow, Grip, Lasting, METHODS, NOTHING_LEFT, NextFlight, Path, Sample, find,
    refuse_untracked, slip,
};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::SolverSettings;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "splitting",
    about: "smooth flow by any Runge–Kutta method, then the impact at fixed position; reuses smooth solvers",
    options: &[&METHOD, &CONTACT_FORCE, &ADAPTIVE, &TOLERANCE],
    make: |options, settings| Box::new(Splitting::new(options, settings)),
};

const METHOD: Declared = Declared {
    name: "method",
    about: "Runge–Kutta method of the smooth flow; the number in a name is its order; `midpoint` is explicit and of order 2, `rkf45` advances with its weights of order 4, `dormand-prince` with those of order 5, `lobatto` is IIIC",
    kind: Kind::Word(METHODS),
    default: "rkf45",
};
const CONTACT_FORCE: Declared = Declared {
    name: "contact_force",
    about: "whether lasting contacts carry a force in the smooth flow; without it bodies at rest sink",
    kind: Kind::Word(&["no", "yes"]),
    default: "yes",
};
const ADAPTIVE: Declared = Declared {
    name: "adaptive",
    about: "whether inner steps are chosen by the error of the flow and the overlap at their end",
    kind: Kind::Word(&["no", "yes"]),
    default: "no",
};
const TOLERANCE: Declared = Declared {
    name: "tolerance",
    about: "with adaptive = \"yes\": error of an inner step, relative to max(|x|, 1) [–], and new overlap [m]",
    kind: Kind::Positive,
    default: "1e-6",
};

/// Smooth flow, then impact.
struct Splitting {
    contact_force: bool,
    control: Control,
    path: Path,
    sample: Sample,
    /// Options that were given although others leave them without meaning: (option, what it needs).
    idle: Vec<(&'static str, &'static str)>,
    settings: SolverSettings,
}

impl Splitting {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        let adaptive = options.word(&ADAPTIVE) == "yes";
        let tolerance = adaptive.then(|| options.number(&TOLERANCE));
        let contact_force = options.word(&CONTACT_FORCE) == "yes";
        let mut path = Path::default();
        path.candidates.lasting = if contact_force { Lasting::Held } else { Lasting::Ignored };
        let is_idle = !adaptive && options.is_given(&TOLERANCE);
        Self {
            contact_force,
            control: Control::new(find(options.word(&METHOD)), tolerance, false),
            path,
            sample: Sample::default(),
            idle: is_idle.then_some((TOLERANCE.name, "adaptive = \"yes\"")).into_iter().collect(),
            settings,
        }
    }

    /// Takes up the state; where it remembers nothing, contacts that are closed at no speed are settled first.
    fn begin(&mut self, model: &Model, now: &State, h: f64, log: &mut StepLog) -> StepResult {
        self.control.load(now);
        let known = self.path.begin(model, now, h, &self.settings)?;
        self.path.record.recall(&self.path.course.motion.watched, now);
        if known {
            return Ok(());
        }
        self.path.look_for_closed();
        self.path.choose_mode(model, &mut self.settings, log)
    }

    /// Whether a contact overlaps by more than the tolerance that did not at the start of the step tried last.
    fn overlaps(&self) -> bool {
        let Some(tolerance) = self.control.tolerance else { return false };
        let course = &self.path.course;
        let pairs = course.start.iter().zip(&self.sample.status).zip(&course.watch.open);
        pairs.filter(|(_, open)| **open).any(|((a, b), _)| b.gap < a.gap.min(0.0) - tolerance)
    }

    /// The impact at the present point, and who lasts.
    fn impact(&mut self, model: &Model, log: &mut StepLog) -> StepResult {
        let Path { course, mode, impact, .. } = &mut self.path;
        let (start, open) = (&course.start, &course.watch.open);
        let closed = (0..start.len()).filter(|&key| open[key] && start[key].gap <= start[key].closed);
        let approaching = |key: usize| start[key].u < -start[key].still;
        let any = closed.clone().any(approaching)
            || mode.contacts(&course.motion.watched).any(|(key, _)| approaching(key));
        if any {
            impact.gather(&course.motion.watched, mode, closed);
            let (longest, held) = (self.sample.trial.tau, self.contact_force);
            let rests = |flight: &NextFlight| Ok(held && flight.length <= longest);
            self.path.hit(model, 0.0, rests, &mut self.settings, log)?;
            let Path { impact, record, .. } = &mut self.path;
            record.carry(impact.carrying());
            return Ok(());
        }
        let Path { mode, record, .. } = &mut self.path;
        record.carry(mode.rows.iter().copied());
        self.path.look_for_closed();
        let pulls = self.sample.rate.pulls.contains(&true);
        let Path { candidates, course, .. } = &mut self.path;
        let stops = |contact: &&(usize, Grip)| {
            let (along, still) = slip(contact, &course.start);
            along < -still
        };
        candidates.stopped.extend(course.watch.sliding.iter().filter(stops).map(|contact| contact.0));
        let changes = pulls || !candidates.stopped.is_empty() || self.path.passed().is_some();
        if self.path.candidates.closed.is_empty() && !changes || !self.contact_force {
            return Ok(());
        }
        self.path.keep_closed();
        self.path.choose_mode(model, &mut self.settings, log)
    }
}

impl Integrator for Splitting {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::refusal::no_meshes("splitting", model)?;
        refuse_untracked("splitting", model, &self.idle)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.begin(model, now, h, log)?;
        loop {
            let remaining = h - self.path.course.elapsed;
            if remaining <= NOTHING_LEFT * h {
                break;
            }
            let Path { course, mode, .. } = &mut self.path;
            let flow = Flow { model, method: self.control.method(), mode };
            let tau = self.control.length(remaining);
            course.attempt(flow, tau, &mut self.sample)?;
            if !self.control.accepts(flow, course, &self.sample)?
                || self.overlaps() && self.control.shorten(&self.path.course, tau)
            {
                continue;
            }
            log.counts.steps += 1;
            self.path.take(model, &self.sample.trial)?;
            self.impact(model, log)?;
        }
        log.counts.rejected = self.path.course.attempts - log.counts.steps;
        self.path.finish(model, now, &self.control, next, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.path.course.contact.problem)
    }

    fn reset(&mut self) {
        self.path.reset();
        self.sample = Sample::default();
        self.settings.solver.forget();
    }
}
