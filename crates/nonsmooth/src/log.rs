//! The step log: what happened inside a step. Written by the integrator, read by observers.

use crate::model::{Dimension, Key, TouchKey};
use crate::phases::{Energies, Rows, Works};
use nonsmooth_solvers::Report;

/// Everything that an observer may want to know about a step beyond the two states.
#[derive(Clone, Debug, Default)]
pub struct StepLog {
    /// Contacts that took part, sorted by key.
    pub contacts: Contacts,
    /// Contact points of bodies that took part, sorted by key.
    pub touches: Touched,
    /// Impacts inside the step, in order.
    pub events: Vec<Event>,
    /// Every solve of the step, in order.
    pub solves: Vec<Report>,
    /// Newton iterations made; 1 for linear models.
    pub newton_iterations: usize,
    /// What the step cost.
    pub counts: Counts,
    /// Energies at the end of the step.
    pub energies: Energies,
    /// Energy that flowed during the step.
    pub works: Works,
    /// Gap of every constraint that has one, at the end of the step, by key [m].
    pub gaps: Vec<f64>,
    /// What the scheme has to say beyond that, in order.
    pub notes: Vec<Note>,
}

/// Contact points of bodies as parallel arrays. Vectors of components are along normal, tangent 1, tangent 2.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Where the bodies live, which decides on the tangents.
    pub dimension: Dimension,
    /// Which points.
    pub keys: Vec<TouchKey>,
    /// The two bodies; obstacles are numbered after the moving ones.
    pub bodies: Vec<[u32; 2]>,
    /// Midway between the surfaces at the start of the step [m].
    pub points: Vec<[f64; 3]>,
    /// Unit vectors from the first body to the second.
    pub normals: Vec<[f64; 3]>,
    /// Distance at the start of the step [m].
    pub gaps: Vec<f64>,
    /// Relative velocity at the start of the step [m/s].
    pub u_minus: Vec<[f64; 3]>,
    /// Relative velocity at the end of the step [m/s].
    pub u_plus: Vec<[f64; 3]>,
    /// Impulse of the step on the second body [N·s].
    pub impulses: Vec<[f64; 3]>,
    /// Points that carry an impulse and did not in the step before.
    pub n_impacts: usize,
}

impl Touched {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether no bodies touch.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Normal and tangents of point `i`; in the plane the last is zero.
    pub fn frame(&self, i: usize) -> [[f64; 3]; 3] {
        contact_frame(self.dimension, self.normals[i])
    }

    /// Impulse of point `i` on the second body in world axes [N·s].
    pub fn world_impulse(&self, i: usize) -> [f64; 3] {
        let (frame, p) = (self.frame(i), self.impulses[i]);
        std::array::from_fn(|k| (0..3).map(|r| frame[r][k] * p[r]).sum())
    }

    /// Makes room for `n` points and where they are.
    pub(crate) fn reserve_places(&mut self, n: usize) {
        let Self { keys, bodies, points, normals, gaps, .. } = self;
        keys.reserve_exact(n);
        bodies.reserve_exact(n);
        points.reserve_exact(n);
        normals.reserve_exact(n);
        gaps.reserve_exact(n);
    }

    /// Gives back the memory of what is written after the solve.
    pub(crate) fn give_back(&mut self) {
        (self.u_minus, self.u_plus, self.impulses) = Default::default();
    }

    /// Empties the arrays and keeps their memory.
    pub(crate) fn clear(&mut self) {
        let Self {
            dimension: _,
            keys,
            bodies,
            points,
            normals,
            gaps,
            u_minus,
            u_plus,
            impulses,
            n_impacts,
        } = self;
        keys.clear();
        bodies.clear();
        gaps.clear();
        for x in [points, normals, u_minus, u_plus, impulses] {
            x.clear();
        }
        *n_impacts = 0;
    }
}

/// Normal and tangents of a contact from its normal; in the plane the last is zero.
pub(crate) fn contact_frame(dimension: Dimension, normal: [f64; 3]) -> [[f64; 3]; 3] {
    match dimension {
        Dimension::Space => nonsmooth_geometry::spatial::frame(normal),
        Dimension::Plane => [normal, [-normal[1], normal[0], 0.0], [0.0; 3]],
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

/// Contacts as parallel arrays, one entry per component: a contact with friction has its normal first, then its
/// tangents, all with the same key.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Which constraint.
    pub keys: Vec<Key>,
    /// Which component: 0 is the normal.
    pub components: Vec<u8>,
    /// Gap at the start of the step [m].
    pub gap: Vec<f64>,
    /// Relative velocity at the start of the step, or before the last impact where a scheme resolves impacts [m/s].
    pub u_minus: Vec<f64>,
    /// Relative velocity at the end of the step [m/s].
    pub u_plus: Vec<f64>,
    /// Impulse of the step [N·s].
    pub impulse: Vec<f64>,
    /// Work of the impulse [J].
    pub work: Vec<f64>,
}

impl Contacts {
    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// By what the entries are sorted.
    pub(crate) fn place(&self, i: usize) -> (Key, u8) {
        (self.keys[i], self.components[i])
    }

    /// Empties the arrays and keeps their memory.
    pub(crate) fn clear(&mut self) {
        let Contacts { keys, components, gap, u_minus, u_plus, impulse, work } = self;
        keys.clear();
        components.clear();
        for x in [gap, u_minus, u_plus, impulse, work] {
            x.clear();
        }
    }

    /// Appends entry `i` of `other`.
    pub(crate) fn push_from(&mut self, other: &Self, i: usize) {
        self.keys.push(other.keys[i]);
        self.components.push(other.components[i]);
        self.gap.push(other.gap[i]);
        self.u_minus.push(other.u_minus[i]);
        self.u_plus.push(other.u_plus[i]);
        self.impulse.push(other.impulse[i]);
        self.work.push(other.work[i]);
    }
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
    /// Empties the lists and keeps their memory; the numbers are written anew by every step.
    pub fn clear(&mut self) {
        self.contacts.clear();
        if !self.touches.is_empty() {
            self.touches.clear();
        }
        self.events.clear();
        self.solves.clear();
        self.notes.clear();
        self.counts = Counts::default();
    }

    /// Notes a value for the summary.
    pub(crate) fn note(&mut self, what: &'static str, value: f64) {
        self.notes.push(Note { what, value });
    }

    /// Where all solves from number `first` on make the step: puts the one with the largest residual last, where the
    /// summary looks.
    pub(crate) fn worst_last(&mut self, first: usize) {
        let residual =
            |report: &Report| if report.residual.is_nan() { f64::INFINITY } else { report.residual };
        let solves = &mut self.solves;
        let worst =
            (first..solves.len()).max_by(|&i, &j| residual(&solves[i]).total_cmp(&residual(&solves[j])));
        if let Some(worst) = worst {
            let last = solves.len() - 1;
            solves.swap(worst, last);
        }
    }

    /// Puts the last solve before the one that makes the step, which stays last.
    pub(crate) fn set_aside(&mut self) {
        let n = self.solves.len();
        if n >= 2 {
            self.solves.swap(n - 2, n - 1);
        }
    }

    /// Notes the contacts of the step with their impulses; `u_plus` and `work` are still to be written.
    pub(crate) fn open_contacts(&mut self, rows: &Rows, p: &[f64]) {
        let contacts = &mut self.contacts;
        contacts.keys.extend_from_slice(&rows.keys);
        contacts.components.extend_from_slice(&rows.components);
        contacts.gap.extend_from_slice(&rows.gap);
        contacts.u_minus.extend_from_slice(&rows.u_minus);
        let n = rows.keys.len();
        contacts.impulse.extend_from_slice(&p[..n]);
        contacts.u_plus.resize(n, 0.0);
        contacts.work.resize(n, 0.0);
    }

    /// Notes that contact `i` is an impact at time `t`.
    pub(crate) fn impact(&mut self, i: usize, t: f64) {
        let Contacts { keys, gap, u_minus, u_plus, impulse, .. } = &self.contacts;
        let (key, gap, u_minus) = (keys[i], gap[i], u_minus[i]);
        self.events.push(Event { t, key, gap, u_minus, u_plus: u_plus[i], impulse: impulse[i] });
    }
}
