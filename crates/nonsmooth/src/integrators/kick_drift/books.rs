//! The energy ledger of a step.
//!
//! Whenever impulses change the velocity from v_a to v_b at one configuration, each does its work against ½ (v_a + v_b):
//!
//! ```text
//! kick       share φ = 1, or (τ + ½σ)/κ before a cut at σ:     φ p · ½ (u_a + u_b),   u_b = u_a + φ J (v − v̂)
//! half kick  ½σ λ at the configuration of the cut              impact   p · ½ (u⁻ + u⁺)
//! ```
//!
//! What holds a prescribed coordinate does its work likewise: R = M Δv − κ f − Jᵀ p there.
//!
//! These telescope. The drift changes V only; with the works of conservative forces in the kicks that is `scheme`. The energy shown is
//! that of the velocity at q, which is half a kick ahead of v̂. The works of that half kick, column by column, are booked with the step that
//! ends at q and taken back from the next one. So every column is that of the time at which it is shown.

use super::classify::Roles;
use super::drift::{Drift, half_kick, on_step_velocity};
use super::kick::Kick;
use super::path::Path;
use super::settle::drives;
use crate::error::StepResult;
use crate::log::{ConstraintLog, Energies, Event, N_WORKS, StepLog, Works};
use crate::log::{IMPACTS_AT_THE_START, REBOUNDS_CAPPED, REBOUNDS_GIVEN_UP};
use crate::model::constraints::Column;
use crate::model::instant::Instant;
use crate::model::{ActiveConstraints, Coeffs, Free, Model, RigidState, Role, State};
use crate::part::Part;
use crate::phases::{Impact, Mass, Merging, SolverSettings, factorize};
use nonsmooth_solvers::Problem;

/// Works of the step so far.
#[derive(Default)]
pub(super) struct Books {
    pub(super) works: Works,
    /// Works of the half kick from v̂ to the velocity at q, at the start: booked with the step before.
    ahead: Works,
    /// V where the step stands [J].
    potential: f64,
    has_potential: bool,
    vector: Vec<f64>,
    force: Vec<f64>,
    lambda: Vec<f64>,
    /// One kick or impact, and scratch to add it to those before.
    act: ConstraintLog,
    merging: Merging,
    /// λ of the rows of one column.
    chosen: Vec<f64>,
    /// What constraints do in the half kick, by velocity [N·s, N·m·s].
    total: Vec<f64>,
    /// Constraints where the step ends, for a half kick that is solved.
    ends: Option<Box<ActiveConstraints>>,
    /// Poses and twists with the velocity at q.
    rigid: Vec<RigidState>,
}

impl Books {
    /// Begins a step.
    pub(super) fn start(&mut self, now: &State) {
        self.works = Works::default();
        let ahead = <[f64; N_WORKS]>::try_from(&now.scheme[..]);
        self.ahead = ahead.map_or_else(|_| Works::default(), Works::from_columns);
        self.has_potential = false;
    }

    /// Books the kick up to the instant `hit` of a cut, or the whole of it.
    pub(super) fn kick(
        &mut self,
        model: &Model,
        (active, roles, free): (&ActiveConstraints, &Roles, &Free),
        (drift, kick, path): (&Drift, &Kick, &Path),
        hit: Option<f64>,
        log: &mut StepLog,
    ) -> StepResult {
        let here = drift.here();
        if !self.has_potential {
            self.potential = potential(model, &here)?;
            self.has_potential = true;
        }
        let share = hit.map_or(1.0, |time| (drift.lag + 0.5 * time) / drift.kick_length());
        self.book_forces(model, &here, share, free, &path.acceleration, drift.kick_length())?;
        self.log_kick(active, kick, (share, drift.kick_length()), log);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            for c in own.clone() {
                let begins = kick.before[active.rows(c).start] <= 0.0 && roles.lands[c];
                let (mut done, rubbed) = (0.0, self.works.friction);
                for (k, row) in active.rows(c).enumerate() {
                    let p = share * kick.p[row];
                    if p == 0.0 {
                        continue;
                    }
                    let u = active.u_minus[row] + 0.5 * share * (kick.u[row] - active.u_minus[row]);
                    let work = p * u;
                    done += work;
                    let column = family.column(model, active.laws[c], k);
                    self.book(column, begins, work);
                    if column == Column::Own {
                        // Of what a spring and damper do, the damper's share is viscous.
                        let rate = 0.5 * (active.u_minus[row] + kick.u[row]);
                        let damper =
                            family.damping(active.ids[c]) * share * drift.kick_length() * rate * u;
                        self.works.viscous -= damper;
                        self.works.scheme += damper;
                    }
                }
                let column = family.column(model, active.laws[c], 0);
                self.book_rates((active, c), column, here.v, share, &kick.p);
                if begins && kick.p[active.rows(c).start] > 0.0 {
                    let landed = event(active, c, here.t, (&kick.p, &kick.u[active.rows(c)]), done);
                    // No law of impact rules a soft landing.
                    let is_ruled = roles.role[c] == Role::Early;
                    if is_ruled {
                        self.works.name_gain(rubbed);
                    }
                    let whole = if is_ruled { done } else { 0.0 };
                    log.events.push(Event { whole, ..landed });
                }
            }
        }
        if model.has_prescribed() {
            let length = drift.kick_length();
            let all: Vec<f64> = path.acceleration.iter().map(|a| length * a).collect();
            let free: Vec<f64> = free.v.iter().zip(here.v).map(|(w, v)| w - v).collect();
            self.book_supports(model, &here, (share, length), (&all, &free), (active, &kick.p))?;
        }
        if roles.lost > 0 {
            log.note(REBOUNDS_GIVEN_UP, roles.lost as f64);
        }
        if roles.early > 0 {
            log.note(IMPACTS_AT_THE_START, roles.early as f64);
        }
        if roles.capped > 0 {
            log.note(REBOUNDS_CAPPED, roles.capped as f64);
        }
        Ok(())
    }

    /// Work of kinematic bodies that move and of drives: −p times what they add to u.
    fn book_rates(
        &mut self,
        (active, c): (&ActiveConstraints, usize),
        column: Column,
        v: &[f64],
        share: f64,
        p: &[f64],
    ) {
        let rows = active.rows(c);
        let mut along = [0.0; 6];
        active.jacobian.dot(c, v, &mut along[..rows.len()]);
        for (k, row) in rows.enumerate() {
            self.works
                .add_driven(column == Column::Drive, -share * p[row] * (active.u_minus[row] - along[k]));
        }
    }

    /// Works of forces in a kick of `length`, of which `share` has acted: v_a → v_a + share · length · a.
    fn book_forces(
        &mut self,
        model: &Model,
        at: &Instant<'_>,
        share: f64,
        free: &Free,
        acceleration: &[f64],
        length: f64,
    ) -> StepResult {
        // M (v_free − v̂) is the impulse of all forces.
        self.vector.clear();
        self.vector.extend(free.v.iter().zip(at.v).map(|(w, v)| w - v));
        self.force.clear();
        self.force.resize(at.v.len(), 0.0);
        model.times(at, [1.0, 0.0, 0.0], &self.vector, &mut self.force)?;
        for i in 0..at.v.len() {
            let mean = at.v[i] + 0.5 * share * length * acceleration[i];
            let (external, drive) = free.external_at(i);
            self.works.external += share * external * mean;
            self.works.drive += share * drive * mean;
            self.works.scheme += share * (self.force[i] - external - drive) * mean;
        }
        Ok(())
    }

    /// Works of what holds prescribed coordinates while impulses p change the velocity by `all`, and would by `free` without them: what
    /// holds them against forces was booked with the forces.
    fn book_supports(
        &mut self,
        model: &Model,
        at: &Instant<'_>,
        (share, length): (f64, f64),
        (all, free): (&[f64], &[f64]),
        (active, p): (&ActiveConstraints, &[f64]),
    ) -> StepResult {
        let n = at.v.len();
        let (mut with, mut without, mut f) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        model.times(at, [1.0, 0.0, 0.0], all, &mut with)?;
        model.times(at, [1.0, 0.0, 0.0], free, &mut without)?;
        model.smooth_forces(at, &mut f)?;
        for c in 0..active.len() {
            let minus: Vec<f64> = p[active.rows(c)].iter().map(|p| -p).collect();
            active.jacobian.add_transposed(c, &minus, &mut with);
        }
        for i in model.prescribed() {
            let mean = at.v[i] + 0.5 * share * all[i];
            self.works.prescribed += share * (with[i] - length * f[i]) * mean;
            self.works.scheme -= share * (without[i] - length * f[i]) * mean;
        }
        Ok(())
    }

    fn book(&mut self, column: Column, begins: bool, work: f64) {
        match column {
            Column::Contact if begins => self.works.impact += work,
            Column::Contact => self.works.contact += work,
            Column::Friction => self.works.friction += work,
            Column::Joint => self.works.joint += work,
            Column::Drive => self.works.drive += work,
            Column::Own => self.works.scheme += work,
        }
    }

    /// Adds a kick to the log.
    fn log_kick(
        &mut self,
        active: &ActiveConstraints,
        kick: &Kick,
        (share, length): (f64, f64),
        log: &mut StepLog,
    ) {
        self.log_act(active, &kick.p, share, &kick.u, log);
        log.constraints.length += share * length;
    }

    /// Adds impulses `share` · p to the log, by constraint: what acts in a step is told there, whatever part of it a kick, an impact or the
    /// half kick before it was.
    fn log_act(
        &mut self,
        active: &ActiveConstraints,
        p: &[f64],
        share: f64,
        u_plus: &[f64],
        log: &mut StepLog,
    ) {
        let is_first = log.constraints.is_empty();
        let act = if is_first { &mut log.constraints } else { &mut self.act };
        act.open(active, p);
        act.impulse.iter_mut().for_each(|p| *p *= share);
        act.u_plus.clone_from_slice(u_plus);
        if !is_first {
            self.merging.add(&self.act, &mut log.constraints);
        }
    }

    /// Adds an impact to the log.
    pub(super) fn log_impact(&mut self, active: &ActiveConstraints, made: &Impact, log: &mut StepLog) {
        self.log_act(active, &made.p, 1.0, &made.u_plus, log);
    }

    /// Adds the half kick before a cut to the log: reactions `lambda` over `length`.
    pub(super) fn log_half_kick(
        &mut self,
        active: &ActiveConstraints,
        (lambda, length): (&[f64], f64),
        kick: &Kick,
        log: &mut StepLog,
    ) {
        self.log_act(active, lambda, length, &kick.u, log);
        log.constraints.length += length;
    }

    /// Books the change of potential energy where the step stands now.
    pub(super) fn drifted(&mut self, model: &Model, drift: &Drift) -> StepResult {
        let after = potential(model, &drift.here())?;
        self.works.scheme += after - self.potential;
        self.potential = after;
        Ok(())
    }

    /// Books the second half of a kick before a cut, from the velocity here to `free.v`.
    pub(super) fn half_kick(
        &mut self,
        model: &Model,
        active: &ActiveConstraints,
        lambda: &[f64],
        (drift, length): (&Drift, f64),
        free: &Free,
    ) -> StepResult {
        let at = drift.here();
        let mean = |i: usize| 0.5 * (at.v[i] + free.v[i]);
        let mut total = std::mem::take(&mut self.total);
        total.clear();
        total.resize(at.v.len(), 0.0);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            for tangents in [false, true] {
                self.chosen.clear();
                self.chosen.resize(lambda.len(), 0.0);
                let mut acts = false;
                for c in own.clone() {
                    for (k, row) in active.rows(c).enumerate() {
                        let column = family.column(model, active.laws[c], k);
                        if (column == Column::Friction) == tangents {
                            self.chosen[row] = lambda[row];
                            acts |= lambda[row] != 0.0;
                        }
                    }
                }
                if !acts {
                    continue;
                }
                let column_of = |c: usize| family.column(model, active.laws[c], 0);
                let Some(first) = own.clone().find(|&c| tangents || column_of(c) != Column::Friction)
                else {
                    continue;
                };
                let column = if tangents { Column::Friction } else { column_of(first) };
                self.force.clear();
                self.force.resize(at.v.len(), 0.0);
                family.add_forces(model, &at, active, own, &self.chosen, &mut self.force)?;
                let is_moved =
                    model.rigid.has_motion() && !family.is_elastic() && column != Column::Drive;
                let driven = if is_moved {
                    self.vector.clear();
                    self.vector.resize(lambda.len(), 0.0);
                    family.velocities(model, &at, active, own, &mut self.vector)?;
                    let relative: f64 = self.chosen.iter().zip(&self.vector).map(|(l, u)| l * u).sum();
                    relative - self.force.iter().zip(at.v).map(|(f, v)| f * v).sum::<f64>()
                } else {
                    0.0
                };
                let own_work: f64 = (0..at.v.len()).map(|i| length * self.force[i] * mean(i)).sum();
                // Against u, of which kinematic bodies make a part.
                let work = own_work + length * driven;
                self.works.prescribed -= length * driven;
                self.book(column, false, work);
                total.iter_mut().zip(&self.force).for_each(|(t, f)| *t += length * f);
            }
        }
        // What is left of M Δv is that of the forces.
        self.vector.clear();
        self.vector.extend(free.v.iter().zip(at.v).map(|(w, v)| w - v));
        self.force.clear();
        self.force.resize(at.v.len(), 0.0);
        model.times(&at, [1.0, 0.0, 0.0], &self.vector, &mut self.force)?;
        for i in 0..at.v.len() {
            let (external, drive) = free.external_at(i);
            self.works.external += external * mean(i);
            self.works.drive += drive * mean(i);
            self.works.scheme += (self.force[i] - total[i] - external - drive) * mean(i);
        }
        if model.has_prescribed() {
            let mut f = vec![0.0; at.v.len()];
            model.smooth_forces(&at, &mut f)?;
            for i in model.prescribed() {
                let held = (self.force[i] - total[i] - length * f[i]) * mean(i);
                self.works.prescribed += held;
                self.works.scheme -= held;
            }
        }
        self.total = total;
        Ok(())
    }

    /// Energies where the step stands, with another velocity in working axes.
    fn energies_with(&mut self, model: &Model, drift: &Drift, v: &[f64]) -> StepResult<Energies> {
        let (at, Self { vector, rigid, .. }) = (drift.here(), self);
        vector.clear();
        vector.extend_from_slice(v);
        model.to_state(at.q, vector);
        model.rigid_states(at.t, at.q, vector, rigid)?;
        model.energies(&Instant { v, rigid, ..at })
    }

    /// Ends the step: energies of the velocity at q, and what the ledger says.
    pub(super) fn finish(
        &mut self,
        model: &Model,
        (drift, active, roles, kick): (&Drift, &ActiveConstraints, &Roles, &Kick),
        (mass, free, problem): (&mut Mass, &mut Free, &mut Problem),
        settings: &mut SolverSettings,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let at = drift.here();
        let staggered = model.energies(&at)?;
        self.works.scheme += staggered.potential - self.potential;
        let (mut shown, mut ahead) = (staggered, Works::default());
        if drift.lag > 0.0 {
            let part = Part::whole(at.t, 0.0);
            factorize(model, &part, &drift.pass(), Coeffs::MASS, problem, mass)?;
            // The kick of a drift of length 2 τ had the length τ + what lagged before it.
            roles.lasting_forces(active, &kick.p, kick.length, &mut self.lambda);
            half_kick(model, drift, drift.lag, (active, &self.lambda), mass, free)?;
            let mut ends = self.ends.take();
            let (mut lambda, mut acting) = (std::mem::take(&mut self.lambda), active);
            if drives(active, (at.v, &kick.u_end), (&lambda, drift.lag), (mass, free)) {
                let ends = ends.get_or_insert_default();
                let scratch = (&mut **ends, &mut *mass, problem);
                on_step_velocity(model, drift, scratch, settings, (&mut lambda, free))?;
                acting = ends;
            }
            shown = self.energies_with(model, drift, &free.v)?;
            let booked = std::mem::take(&mut self.works);
            self.half_kick(model, acting, &lambda, (drift, drift.lag), free)?;
            ahead = std::mem::replace(&mut self.works, booked);
            (self.lambda, self.ends) = (lambda, ends);
        }
        self.works += ahead;
        self.works -= self.ahead;
        next.scheme.clear();
        next.scheme.extend(ahead.columns().map(|(_, work)| work));
        log.energies = shown;
        log.works = self.works;
        Ok(())
    }
}

/// V at an instant.
fn potential(model: &Model, at: &Instant<'_>) -> StepResult<f64> {
    Ok(model.energies(at)?.potential)
}

fn event(
    active: &ActiveConstraints,
    c: usize,
    t: f64,
    (p, u_plus): (&[f64], &[f64]),
    work: f64,
) -> Event {
    let rows = active.rows(c);
    let six = |x: &[f64]| {
        let mut out = [0.0; 6];
        out[..x.len()].copy_from_slice(x);
        out
    };
    Event {
        t,
        id: active.ids[c],
        gap: active.gap[c],
        u_minus: six(&active.u_minus[rows.clone()]),
        u_plus: six(u_plus),
        impulse: six(&p[rows]),
        work,
        whole: work,
    }
}
