//! What a step with inner events leaves in the log and in the state: works, impulses by constraint, energies, memory.
//!
//! ```text
//! impact     p (u⁺ + u⁻)/2,   prescribed −= p ∂g/∂t                          (M Δv = Jᵀ p at fixed q: exact)
//! between    external, viscous, ∫ λ u dt, prescribed = −∫ λ ∂g/∂t dt, by the weights of the method
//! ```
//!
//! What projections on closed constraints and the error of the method add is the ledger's remainder. The impulse of
//! a contact is that of its impacts, which are events of their own, and ∫ λ dt.

use super::motion::{Motion, add_works, book, instant};
use super::point::Point;
use super::rows::{ConstraintStatus, Rows};
use super::watched::Watched;
use crate::error::StepResult;
use crate::log::{Event, StepLog, Works};
use crate::model::constraints::Column;
use crate::model::{Model, State};
use crate::phases::carry_over;

/// What happened so far in the step, by key.
#[derive(Default)]
pub(crate) struct Record {
    /// How each row stood at the start of the step.
    start: Vec<ConstraintStatus>,
    pub(crate) took_part: Vec<bool>,
    /// Rows that carried an impulse just before: what they carry now is no impact.
    pub(crate) carrying: Vec<bool>,
    /// u before the last impact, or at the start of the step [m/s].
    u_minus: Vec<f64>,
    pub(crate) impulse: Vec<f64>,
    work: Vec<f64>,
    pub(crate) works: Works,
    forces: Vec<f64>,
}

/// One contact, or one row of a joint, in an impact.
pub(crate) struct Hit<'a> {
    pub(crate) t: f64,
    /// Its first row; the others follow.
    pub(crate) key: usize,
    pub(crate) u_minus: &'a [f64],
    pub(crate) u_plus: &'a [f64],
    pub(crate) impulse: &'a [f64],
    /// ∂g/∂t, or how fast what stands opposite moves along [m/s].
    pub(crate) rate: &'a [f64],
    /// Whether it was closed before.
    pub(crate) lasts: bool,
}

impl Record {
    /// A step begins, with the rows as they stand.
    pub(crate) fn begin(&mut self, status: &[ConstraintStatus]) {
        let n = status.len();
        self.start.clear();
        self.start.extend_from_slice(status);
        for x in [&mut self.took_part, &mut self.carrying] {
            x.clear();
            x.resize(n, false);
        }
        for x in [&mut self.impulse, &mut self.work] {
            x.clear();
            x.resize(n, 0.0);
        }
        self.u_minus.clear();
        self.u_minus.extend(status.iter().map(|s| s.u));
        self.works = Works::default();
    }

    /// Takes up points that were found on the way, as they stood when they were first met.
    pub(crate) fn follow(&mut self, status: &[ConstraintStatus]) {
        let n = status.len();
        for x in [&mut self.took_part, &mut self.carrying] {
            x.resize(n, false);
        }
        for x in [&mut self.impulse, &mut self.work] {
            x.resize(n, 0.0);
        }
        self.start.resize(n, ConstraintStatus::ABSENT);
        self.u_minus.resize(n, 0.0);
        let rows = self.start.iter_mut().zip(&mut self.u_minus).zip(status);
        for ((start, u_minus), now) in rows.filter(|((start, _), _)| start.is_absent()) {
            (*start, *u_minus) = (*now, now.u);
        }
    }

    /// Takes those that carried force at the end of the step before as carrying.
    pub(crate) fn recall(&mut self, watched: &Watched, now: &State) {
        for (id, keys) in watched.constraints() {
            let known = now.memory.find(id);
            let carried = known.is_some_and(|known| known.force.iter().take(3).any(|f| *f != 0.0));
            self.carrying[keys].fill(carried);
        }
    }

    /// Says which rows carried an impulse just before.
    pub(crate) fn carry(&mut self, keys: impl Iterator<Item = usize>) {
        self.carrying.fill(false);
        keys.for_each(|key| self.carrying[key] = true);
    }

    /// Books a smooth piece in which `mode` was closed.
    pub(crate) fn smooth(&mut self, mode: &[usize], work: &Works, impulse: &[f64]) {
        add_works(&mut self.works, 1.0, work);
        for (&key, &p) in mode.iter().zip(impulse) {
            self.took_part[key] = true;
            self.impulse[key] += p;
        }
    }

    /// Books one contact of an impact; joints and contacts that carried just before are no events.
    pub(crate) fn hit(&mut self, watched: &Watched, hit: &Hit<'_>, log: &mut StepLog) {
        let &Hit { t, key, u_minus, u_plus, impulse, rate, lasts } = hit;
        let begins = !lasts && !self.carrying[key] && watched.column[key] == Column::Contact;
        let mut done = 0.0;
        for k in 0..impulse.len() {
            let (row, work) = (key + k, 0.5 * impulse[k] * (u_minus[k] + u_plus[k]));
            done += work;
            self.took_part[row] = true;
            self.u_minus[row] = u_minus[k];
            self.impulse[row] += impulse[k];
            self.work[row] += work;
            self.works.prescribed -= impulse[k] * rate[k];
            if begins && k == 0 {
                self.works.impact += work;
            } else {
                book(watched.column[row], work, &mut self.works);
            }
        }
        if begins && impulse[0] != 0.0 {
            let six = |x: &[f64]| std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0));
            log.events.push(Event {
                t,
                id: watched.id(key),
                gap: self.start[key].gap,
                u_minus: six(u_minus),
                u_plus: six(u_plus),
                impulse: six(impulse),
                work: done,
                whole: done,
            });
        }
    }

    /// Writes the state after the step, its scheme's numbers excepted, and the log. The rows stand at `at` as `end` tells, evaluated in
    /// `rows`; `carries` tells which carry force there.
    pub(crate) fn finish(
        &mut self,
        model: &Model,
        (now, h): (&State, f64),
        motion: &mut Motion,
        (at, end, rows): (&Point, &[ConstraintStatus], &Rows),
        carries: impl Fn(usize) -> bool,
        (next, log): (&mut State, &mut StepLog),
    ) -> StepResult {
        carry_over(now, next);
        next.scheme.clear();
        (next.t, next.step, next.step_size) = (now.t + h, now.step + 1, h);
        next.q.clone_from(&at.q);
        next.v.clone_from(&at.v);
        self.remember(model, (motion, rows), carries, h, next);
        self.list((motion, rows), end, log);
        model.update_presence(next);
        model.update_angles(now, next)?;
        motion.go_to(model, at)?;
        let here = instant(&motion.place, &motion.presence);
        log.works = self.works;
        log.energies =
            model.energies(&crate::model::instant::Instant { presence: &next.presence, ..here })?;
        if next.presence != now.presence {
            let before = model.energies(&here)?;
            log.works.exchange += log.energies.kinetic + log.energies.potential;
            log.works.exchange -= before.kinetic + before.potential;
        }
        model.gaps(&here, &mut log.gaps)
    }

    /// Mean forces of the step of the constraints that took part; of those that no longer carry, none.
    fn remember(
        &mut self,
        model: &Model,
        (motion, rows): (&Motion, &Rows),
        carries: impl Fn(usize) -> bool,
        h: f64,
        next: &mut State,
    ) {
        let memory = &mut next.memory;
        memory.clear();
        for (id, keys) in motion.watched.constraints() {
            if !keys.clone().any(|key| self.took_part[key]) {
                continue;
            }
            let Ok(c) = rows.active.ids.binary_search(&id) else { continue };
            if memory.ids.is_empty() {
                memory.force_start.push(0);
            }
            self.forces.clear();
            self.forces.resize(rows.active.rows(c).len(), 0.0);
            for (force, key) in self.forces.iter_mut().zip(keys) {
                *force = if carries(key) { self.impulse[key] / h } else { 0.0 };
            }
            memory.ids.push(id);
            model.family(id).store_force(&rows.active, c, &self.forces, &mut memory.forces);
            memory.force_start.push(memory.forces.len() as u32);
        }
    }

    /// The constraints that took part, in the log.
    fn list(&self, (motion, rows): (&Motion, &Rows), end: &[ConstraintStatus], log: &mut StepLog) {
        let (table, active) = (&mut log.constraints, &rows.active);
        table.clear();
        for (id, keys) in motion.watched.constraints() {
            if !keys.clone().any(|key| self.took_part[key]) {
                continue;
            }
            if table.ids.is_empty() {
                table.row_start.push(0);
            }
            table.ids.push(id);
            table.gap.push(if motion.watched.always[keys.start] {
                0.0
            } else {
                self.start[keys.start].gap
            });
            for key in keys {
                table.u_minus.push(self.u_minus[key]);
                table.u_plus.push(end[key].u);
                table.impulse.push(self.impulse[key]);
                table.work.push(self.work[key]);
            }
            table.row_start.push(table.u_minus.len() as u32);
            if !active.places.is_empty() {
                let c = active.ids.binary_search(&id).ok();
                let place = c.and_then(|c| c.checked_sub(active.first_contact));
                let place = place.and_then(|k| active.places.get(k)).copied();
                table.places.push(place.unwrap_or([[f64::NAN; 3]; 2]));
            }
        }
    }
}

/// A step is judged by its last solve; here all count, so the worst goes there.
pub(crate) fn worst_last(log: &mut StepLog) {
    let worst =
        (0..log.solves.len()).max_by(|&i, &j| log.solves[i].residual.total_cmp(&log.solves[j].residual));
    if let Some(worst) = worst {
        log.solves[worst..].rotate_left(1);
    }
}
