//! The step log: what happened inside a step. Written by the integrator, read by observers.

pub use crate::energy::{Energies, N_WORKS, Works};
use crate::model::{ActiveConstraints, ConstraintId, RigidState};
use nonsmooth_solvers::{Report, Status};

/// Notes of a scheme after which impacts were not resolved in time.
pub(crate) const REBOUNDS_GIVEN_UP: &str = "rebounds given up in large islands";
/// Impacts where they are many.
pub(crate) const IMPACTS_AT_THE_START: &str =
    "impacts of large islands, which act at the start of the step";
/// Sliding that no acceleration solves.
pub(crate) const JAMMED: &str = "instants at which no finite force lets a contact slide (Painlevé), passed by an impact without collision";
/// Sliding that several accelerations solve.
pub(crate) const KEPT: &str = "instants at which sliding has several solutions (Painlevé), contact kept";
/// The same.
pub(crate) const LET_GO: &str =
    "instants at which sliding has several solutions (Painlevé), contact let go";
/// Impacts that came after the most cuts that a step may take.
pub(crate) const REBOUNDS_CAPPED: &str = "impacts that rebound early because the step was cut too often";

/// Forces that depend on velocities and were averaged over a step.
pub(crate) const FAST_FORCES: &str =
    "forces of velocities that act faster than a step [step over their time]: they are averaged";

/// Active constraints of a step with what happened to them, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct ConstraintLog {
    /// Which constraints, ascending.
    pub ids: Vec<ConstraintId>,
    /// Where the rows of each begin; one more than ids.
    pub row_start: Vec<u32>,
    /// Gap at the start of the step [m].
    pub gap: Vec<f64>,
    /// u at the start of the step by row, or before the last impact where a scheme resolves impacts [m/s].
    pub u_minus: Vec<f64>,
    /// u at the end of the step by row [m/s].
    pub u_plus: Vec<f64>,
    /// Impulse of the step by row, that of impacts included [N·s].
    pub impulse: Vec<f64>,
    /// Time over which the impulses acted [s]: the step, but for kicks of another length. A lasting force is an impulse over this time.
    pub length: f64,
    /// The same by constraint, where not all are alike; else empty [s].
    pub lengths: Vec<f64>,
    /// Work of the impulse by row [J].
    pub work: Vec<f64>,
    /// Point and normal of contacts of bodies: (point, normal) in world axes; NaN for other constraints. Empty where the model has no colliders.
    pub places: Vec<[[f64; 3]; 2]>,
}

impl ConstraintLog {
    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The rows of a constraint.
    pub fn rows(&self, c: usize) -> std::ops::Range<usize> {
        self.row_start[c] as usize..self.row_start[c + 1] as usize
    }

    /// Time over which the impulse of a constraint acted [s].
    #[inline]
    pub fn length_of(&self, c: usize) -> f64 {
        self.lengths.get(c).copied().unwrap_or(self.length)
    }

    /// Takes the constraints of several logs, none of which is in two of them, each under the name that stands with it.
    pub(crate) fn merge(&mut self, logs: &[(&ConstraintLog, Vec<ConstraintId>)]) {
        let mut order: Vec<(ConstraintId, usize, usize)> = Vec::new();
        for (k, (_, ids)) in logs.iter().enumerate() {
            order.extend(ids.iter().enumerate().map(|(c, id)| (*id, k, c)));
        }
        order.sort_unstable_by_key(|entry| entry.0);
        self.clear();
        self.row_start.push(0);
        let has_places = logs.iter().any(|(log, _)| !log.places.is_empty());
        for (id, k, c) in order {
            let log = logs[k].0;
            let rows = log.rows(c);
            self.ids.push(id);
            self.row_start.push(self.row_start[self.ids.len() - 1] + rows.len() as u32);
            self.gap.push(log.gap[c]);
            self.lengths.push(log.length_of(c));
            self.u_minus.extend_from_slice(&log.u_minus[rows.clone()]);
            self.u_plus.extend_from_slice(&log.u_plus[rows.clone()]);
            self.impulse.extend_from_slice(&log.impulse[rows.clone()]);
            self.work.extend_from_slice(&log.work[rows]);
            if has_places {
                self.places.push(log.places.get(c).copied().unwrap_or([[f64::NAN; 3]; 2]));
            }
        }
    }

    /// Empties the arrays and keeps their memory.
    pub fn clear(&mut self) {
        let Self { ids, row_start, gap, u_minus, u_plus, impulse, work, places, lengths, length: _ } =
            self;
        lengths.clear();
        ids.clear();
        row_start.clear();
        places.clear();
        for x in [gap, u_minus, u_plus, impulse, work] {
            x.clear();
        }
    }

    /// Takes another log and keeps the memory of the arrays.
    pub(crate) fn copy_from(&mut self, other: &ConstraintLog) {
        self.ids.clone_from(&other.ids);
        self.row_start.clone_from(&other.row_start);
        self.gap.clone_from(&other.gap);
        self.u_minus.clone_from(&other.u_minus);
        self.u_plus.clone_from(&other.u_plus);
        self.impulse.clone_from(&other.impulse);
        self.length = other.length;
        self.lengths.clone_from(&other.lengths);
        self.work.clone_from(&other.work);
        self.places.clone_from(&other.places);
    }

    /// Takes names, gaps and u⁻ of the active constraints and the impulses `p`; `u_plus` and `work` are zero.
    pub fn open(&mut self, active: &ActiveConstraints, p: &[f64]) {
        self.name(active, p);
        self.u_plus.fill(0.0);
        self.work.fill(0.0);
    }

    /// The same, but `u_plus` and `work` hold anything: they are still to be written, for every row.
    pub(crate) fn name(&mut self, active: &ActiveConstraints, p: &[f64]) {
        self.lengths.clear();
        self.ids.clone_from(&active.ids);
        self.row_start.clone_from(&active.row_start);
        self.gap.clone_from(&active.gap);
        self.u_minus.clone_from(&active.u_minus);
        self.impulse.clear();
        self.impulse.extend_from_slice(p);
        self.u_plus.resize(p.len(), 0.0);
        self.work.resize(p.len(), 0.0);
        self.places.clear();
        if !active.places.is_empty() {
            self.places.resize(active.len(), [[f64::NAN; 3]; 2]);
            let first = active.first_contact;
            self.places[first..first + active.places.len()].copy_from_slice(&active.places);
        }
    }
}

/// Something that a scheme counts or measures and that the summary of a run is to tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Note {
    /// What it is about: the words under which the summary adds it up.
    pub what: &'static str,
    /// How much, in the unit that the words give.
    pub value: f64,
}

/// What a step cost. Its one-step problems are counted by [`StepLog::solves`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inner steps that were kept; 1 for schemes without inner steps.
    pub steps: u64,
    /// Inner steps that were made and thrown away.
    pub rejected: u64,
    /// Evaluations of the forces f(t, q, v) of the whole model.
    pub evaluations: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.evaluations += other.evaluations;
    }
}

/// An impact: a constraint that carries an impulse after a step or an instant in which it carried none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When [s]; for schemes that do not resolve impacts the end of the step.
    pub t: f64,
    /// Which constraint.
    pub id: ConstraintId,
    /// Gap [m].
    pub gap: f64,
    /// Relative velocity before, by row; unused components are zero [m/s].
    pub u_minus: [f64; 6],
    /// Relative velocity after [m/s].
    pub u_plus: [f64; 6],
    /// Impulse [N·s].
    pub impulse: [f64; 6],
    /// Work of the impulse [J].
    pub work: f64,
    /// Work of all impulses at contacts of that instant, lasting ones too [J]: what an impact of several points did as a whole. 0
    /// where a contact only comes to bear, which no law of impact rules.
    pub whole: f64,
}

/// Everything that an observer may want to know about a step beyond the two states.
#[derive(Clone, Debug, Default)]
pub struct StepLog {
    /// Constraints that were active.
    pub constraints: ConstraintLog,
    /// Impacts inside the step, in order.
    pub events: Vec<Event>,
    /// Every solve of the step, in order; the one that made the step is last.
    pub solves: Vec<Report>,
    /// Largest residual of the solves whose impulses acted: the last of Newton's passes, of every kick, of every impact [–].
    pub residual: f64,
    /// Whether one of these missed its tolerance.
    pub missed: bool,
    /// The longest time over which bodies moved without a new look at their contacts [s]; 0 where that is the step.
    pub longest_drift: f64,
    /// Newton iterations made; 1 for linear models.
    pub newton_iterations: usize,
    /// What the step cost.
    pub counts: Counts,
    /// Energies at the end of the step.
    pub energies: Energies,
    /// Energy that flowed during the step.
    pub works: Works,
    /// Gap of every member of the families that have gaps, at the end of the step, family by family [m].
    pub gaps: Vec<f64>,
    /// What the scheme has to say beyond that, in order.
    pub notes: Vec<Note>,
    /// Whether it is known that nothing did work: all of `works` is zero.
    pub(crate) is_still: bool,
    /// Works and impulses, by row, of impacts at the start of the step, where there were any.
    pub(crate) struck: Option<(Works, Vec<f64>)>,
    /// Pose and twist of rigid things at the end of the step: scratch of the ledger.
    pub(crate) rigid: Vec<RigidState>,
}

impl StepLog {
    /// Empties the lists and keeps their memory; the numbers are written anew by every step.
    #[inline]
    pub fn clear(&mut self) {
        if !self.constraints.is_empty() {
            self.constraints.clear();
        }
        self.events.clear();
        self.solves.clear();
        self.notes.clear();
        self.counts = Counts::default();
        self.struck = None;
        (self.residual, self.missed, self.longest_drift) = (0.0, false, 0.0);
        self.is_still = false;
    }

    /// Takes what a step without impacts, notes and works told, and keeps the memory of the lists.
    pub(crate) fn repeat(&mut self, known: &StepLog) {
        self.constraints.copy_from(&known.constraints);
        self.solves.clone_from(&known.solves);
        self.gaps.clone_from(&known.gaps);
        (self.residual, self.longest_drift) = (known.residual, known.longest_drift);
        (self.newton_iterations, self.counts) = (known.newton_iterations, known.counts);
        (self.energies, self.works, self.is_still) = (known.energies, Works::default(), true);
    }

    /// Notes that the impulses of a solve acted, by what its report says.
    #[inline]
    pub(crate) fn acted(&mut self, residual: f64, status: Status) {
        // A residual that is no number is kept.
        if !(residual <= self.residual) {
            self.residual = residual;
        }
        self.missed |= status != Status::Converged;
    }

    /// Puts the last solve before the one that makes the step, which stays last.
    pub(crate) fn set_aside(&mut self) {
        let n = self.solves.len();
        if n >= 2 {
            self.solves.swap(n - 2, n - 1);
        }
    }

    /// Puts the worst of the solves at `made`, each of which made a part of the step, in the last place, by which a step is judged.
    pub(crate) fn put_worst_last(&mut self, made: &[usize]) {
        let residual = |k: &usize| match self.solves[*k].residual {
            x if x.is_nan() => f64::INFINITY,
            x => x,
        };
        if let Some(&worst) = made.iter().max_by(|a, b| residual(a).total_cmp(&residual(b))) {
            let last = self.solves.len() - 1;
            self.solves.swap(worst, last);
        }
    }

    /// Takes what a part of the model did in the step beside its constraints; `name` is what its constraints are called here.
    pub(crate) fn take_part(&mut self, part: &StepLog, name: impl Fn(ConstraintId) -> ConstraintId) {
        self.events.extend(part.events.iter().map(|event| Event { id: name(event.id), ..*event }));
        let worst = self.solves.pop();
        self.solves.extend_from_slice(&part.solves);
        if let Some(worst) = worst {
            let is_worse = self.solves.last().is_none_or(|last| !(last.residual > worst.residual));
            let place = self.solves.len() - usize::from(!is_worse);
            self.solves.insert(place, worst);
        }
        if !(part.residual <= self.residual) {
            self.residual = part.residual;
        }
        self.missed |= part.missed;
        self.longest_drift = self.longest_drift.max(part.longest_drift);
        self.newton_iterations = self.newton_iterations.max(part.newton_iterations);
        self.counts += part.counts;
        self.energies.kinetic += part.energies.kinetic;
        self.energies.potential += part.energies.potential;
        self.works += part.works;
        self.notes.extend_from_slice(&part.notes);
    }

    /// Notes a value for the summary.
    pub fn note(&mut self, what: &'static str, value: f64) {
        self.notes.push(Note { what, value });
    }

    /// Notes an impact of active constraint `c` at time `t`: u⁻ and u⁺, impulse and work by its rows.
    pub(crate) fn event(
        &mut self,
        active: &ActiveConstraints,
        c: usize,
        t: f64,
        (u_minus, u_plus): (&[f64], &[f64]),
        impulse: &[f64],
        work: f64,
    ) {
        let six = |x: &[f64]| {
            let mut out = [0.0; 6];
            out[..x.len()].copy_from_slice(x);
            out
        };
        let (u_minus, u_plus, impulse) = (six(u_minus), six(u_plus), six(impulse));
        self.events.push(Event {
            t,
            id: active.ids[c],
            gap: active.gap[c],
            u_minus,
            u_plus,
            impulse,
            work,
            whole: work,
        });
    }

    /// Sets the work of the whole impact for the events from the `first` on.
    pub(crate) fn set_whole(&mut self, first: usize, whole: f64) {
        self.events[first..].iter_mut().for_each(|event| event.whole = whole);
    }

    /// Whether a constraint had an impact at the start of this step.
    pub(crate) fn was_struck(&self, id: ConstraintId) -> bool {
        self.struck.is_some() && self.events.iter().any(|event| event.id == id)
    }

    /// Notes that constraint `c` of the log is an impact at time `t`.
    #[inline(never)]
    pub(crate) fn impact(&mut self, c: usize, t: f64) {
        let log = &self.constraints;
        let rows = log.rows(c);
        let six = |x: &[f64]| {
            let mut out = [0.0; 6];
            out[..rows.len()].copy_from_slice(&x[rows.clone()]);
            out
        };
        let work = log.work[rows.clone()].iter().sum();
        let event = Event {
            t,
            id: log.ids[c],
            gap: log.gap[c],
            u_minus: six(&log.u_minus),
            u_plus: six(&log.u_plus),
            impulse: six(&log.impulse),
            work,
            whole: work,
        };
        self.events.push(event);
    }
}
