//! What a step with inner events leaves in the log: works, impulses by constraint, energies.
//!
//! ```text
//! impact     contact += p (u⁺ + u⁻)/2,   obstacle −= p ∂g/∂t              (M Δv = Hᵀ p at fixed q: exact)
//! between    external, viscous, contact = ∫ λ u dt, obstacle = −∫ λ ∂g/∂t dt, by the weights of the method
//! ```
//!
//! What projections on closed constraints and the error of the method add is the ledger's remainder. The impulse of
//! a contact is that of its impacts, which are events of their own, and ∫ λ dt.

use super::closed::Standing;
use super::forces::Power;
use crate::error::StepResult;
use crate::log::{Event, StepLog};
use crate::model::{Key, Model, State};
use crate::phases::{Accounting, Works, energies};

/// What happened so far in the step, by constraint.
#[derive(Default)]
pub(crate) struct Record {
    /// How each constraint stood at the start of the step.
    start: Vec<Standing>,
    took_part: Vec<bool>,
    /// Contacts that carried an impulse just before: what they carry now is no impact.
    carrying: Vec<bool>,
    /// u before the last impact, or at the start of the step [m/s].
    u_minus: Vec<f64>,
    impulse: Vec<f64>,
    work: Vec<f64>,
    power: Power,
    accounting: Accounting,
    part: Vec<f64>,
}

/// One constraint in an impact.
pub(crate) struct Hit {
    pub(crate) t: f64,
    pub(crate) key: usize,
    pub(crate) u_minus: f64,
    pub(crate) u_plus: f64,
    pub(crate) impulse: f64,
    /// ∂g/∂t [m/s].
    pub(crate) rate: f64,
}

impl Record {
    /// A step begins, with the constraints as they stand.
    pub(crate) fn begin(&mut self, standing: &[Standing]) {
        let n = standing.len();
        self.start.clear();
        self.start.extend_from_slice(standing);
        for x in [&mut self.took_part, &mut self.carrying] {
            x.clear();
            x.resize(n, false);
        }
        for x in [&mut self.impulse, &mut self.work] {
            x.clear();
            x.resize(n, 0.0);
        }
        self.u_minus.clear();
        self.u_minus.extend(standing.iter().map(|s| s.u));
        self.power = Power::default();
    }

    /// Says which contacts carried an impulse just before.
    pub(crate) fn carry(&mut self, keys: impl Iterator<Item = usize>) {
        self.carrying.fill(false);
        for key in keys {
            if let Some(carrying) = self.carrying.get_mut(key) {
                *carrying = true;
            }
        }
    }

    /// Books a smooth piece in which `mode` was closed.
    pub(crate) fn smooth(&mut self, mode: &[usize], work: &Power, impulse: &[f64]) {
        self.power.add(1.0, work);
        for (&key, &p) in mode.iter().zip(impulse) {
            self.took_part[key] = true;
            self.impulse[key] += p;
        }
    }

    /// Books one constraint of an impact; joints and contacts that carried an impulse just before are no events.
    pub(crate) fn hit(&mut self, model: &Model, hit: &Hit, log: &mut StepLog) {
        let &Hit { t, key, u_minus, u_plus, impulse, rate } = hit;
        let work = 0.5 * impulse * (u_minus + u_plus);
        self.took_part[key] = true;
        self.u_minus[key] = u_minus;
        self.impulse[key] += impulse;
        self.work[key] += work;
        self.power.contact += work;
        self.power.obstacle -= impulse * rate;
        if impulse != 0.0 && !model.constraints.always[key] && !self.carrying[key] {
            let (gap, key) = (self.start[key].gap, Key(key as u64));
            log.events.push(Event { t, key, gap, u_minus, u_plus, impulse });
        }
    }

    /// Writes the log of the step that ended in `next`, where the constraints stand as told.
    pub(crate) fn finish(
        &mut self,
        model: &Model,
        next: &mut State,
        end: &[Standing],
        log: &mut StepLog,
    ) -> StepResult {
        next.contacts.keys.clear();
        next.contacts.impulses.clear();
        for key in (0..self.took_part.len()).filter(|&key| self.took_part[key]) {
            let contacts = &mut log.contacts;
            contacts.keys.push(Key(key as u64));
            contacts.components.push(0);
            contacts.gap.push(self.start[key].gap);
            contacts.u_minus.push(self.u_minus[key]);
            contacts.u_plus.push(end[key].u);
            contacts.impulse.push(self.impulse[key]);
            contacts.work.push(self.work[key]);
            next.contacts.keys.push(Key(key as u64));
            next.contacts.impulses.push(self.impulse[key]);
        }
        let Power { external, viscous, contact, obstacle } = self.power;
        log.works = Works { external, viscous, contact, obstacle, ..Works::default() };
        log.energies = energies(model, next, &mut self.accounting)?;
        model.gaps(next, &mut self.part, &mut log.gaps)
    }

    pub(crate) fn poison(&mut self) {
        for x in [&mut self.u_minus, &mut self.impulse, &mut self.work, &mut self.part] {
            x.fill(f64::NAN);
        }
        self.accounting.poison();
    }
}
