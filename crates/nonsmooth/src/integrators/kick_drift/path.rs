//! The path inside the drift, and the first impact on it.
//!
//! ```text
//! a = (v − v̂)/κ,   v_q = v̂ + τ a,      pose(σ) = drift(q, v_q + ½ σ a, σ)
//! v(σ) = v_q + ½ σ a + ½ σ M(q_σ)⁻¹ (f(q_σ) + J(q_σ)ᵀ λ)
//! ```
//!
//! Half of a kick acts at q, half at q_σ with the arms of q_σ and the lasting reactions of this kick: angular momentum of joined
//! bodies is kept at every cut.

use super::books::Books;
use super::classify::Roles;
use super::drift::{Drift, half_kick};
use super::kick::Kick;
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::collision::DriftPath;
use crate::model::constraints::{Confirmed, Expected};
use crate::model::{ActiveConstraints, Coeffs, Free, Model, RigidId, Role};
use crate::part::Part;
use crate::phases::{Mass, factorize};
use nonsmooth_solvers::Problem;

/// Most evaluations of the gap of one contact in the search for its instant.
const MOST_STEPS: usize = 100;

/// The path of the present drift, working axes of its start.
#[derive(Default)]
pub(super) struct Path {
    /// v_q.
    pub(super) v_start: Vec<f64>,
    /// a: kick per time.
    pub(super) acceleration: Vec<f64>,
    v: Vec<f64>,
    y: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    carried: Vec<bool>,
}

impl Path {
    /// The path of a kick as its velocity now is: predicted or solved.
    pub(super) fn set(&mut self, drift: &Drift, kick: &Kick) {
        let length = drift.kick_length();
        let v_hat = drift.here().v;
        self.acceleration.clear();
        self.acceleration.extend(kick.v.iter().zip(v_hat).map(|(v, v_hat)| (v - v_hat) / length));
        self.v_start.clear();
        self.v_start.extend(v_hat.iter().zip(&self.acceleration).map(|(v, a)| v + drift.lag * a));
    }

    /// Puts the contacts that meet on the path in the place of those that seem to; the path may be wrong by `doubt`.
    pub(super) fn confirm(
        &mut self,
        model: &Model,
        drift: &Drift,
        (kick, doubt): (&Kick, f64),
        active: &mut ActiveConstraints,
    ) -> Confirmed {
        self.set(drift, kick);
        self.carried.clear();
        self.carried.extend((0..active.len()).map(|c| kick.before[active.rows(c).start] > 0.0));
        let expected = Expected { carried: &self.carried, y_end: &kick.y_end, doubt };
        let path = self.of_drift(drift, drift.rest);
        let mut all = Confirmed::AsSeen;
        for family in &model.constraints {
            match family.confirm(model, &path, &expected, active) {
                Confirmed::AsSeen => {}
                Confirmed::Changed => all = Confirmed::Changed,
                Confirmed::InDoubt => return Confirmed::InDoubt,
            }
        }
        all
    }

    /// The first part of the path.
    fn of_drift<'a>(&'a self, drift: &'a Drift, duration: f64) -> DriftPath<'a> {
        let at = drift.here();
        DriftPath { at, v: &self.v_start, acceleration: &self.acceleration, duration }
    }

    /// Takes the guessed end of the drift to the time σ of the path.
    pub(super) fn place_at(&mut self, model: &Model, time: f64, drift: &mut Drift) -> StepResult {
        self.v.clear();
        self.v.extend(self.v_start.iter().zip(&self.acceleration).map(|(v, a)| v + 0.5 * time * a));
        drift.guess_end(model, &self.v, time)
    }

    /// The first instant at which a contact without a row in the kick closes, if one does. Afterwards the guessed end of the drift is the
    /// end of the whole drift again.
    pub(super) fn first_hit(
        &mut self,
        model: &Model,
        drift: &mut Drift,
        active: &ActiveConstraints,
        roles: &Roles,
    ) -> StepResult<Option<f64>> {
        let mut first: Option<f64> = None;
        let mut closing = self.closing(model, drift, active, roles)?;
        closing.sort_by(|a, b| a.1.total_cmp(&b.1));
        for (c, y_end) in closing {
            let size = roles.size[c];
            let is_closed = active.gap[c] <= 1e-11 * size;
            if is_closed && roles.role[c] == Role::Cut {
                return Ok(Some(0.0));
            }
            if is_closed {
                continue;
            }
            let time = self.instant(model, drift, active, (c, y_end), first.unwrap_or(drift.rest))?;
            if let Some(time) = time {
                first = Some(first.map_or(time, |known| known.min(time)));
            }
        }
        self.sweep(model, drift, active, roles, first)
    }

    /// Constraints without a row in the kick that close on the path, and bodies that meet there and are fast.
    pub(super) fn hits(
        &mut self,
        model: &Model,
        drift: &mut Drift,
        active: &ActiveConstraints,
        roles: &Roles,
    ) -> StepResult<(Vec<usize>, Vec<u32>)> {
        let closing = self.closing(model, drift, active, roles)?;
        let is_open = |c: &usize| active.gap[*c] > 1e-11 * roles.size[*c];
        let is_row = |c: usize| !matches!(roles.role[c], Role::Open | Role::Cut);
        let (path, mut bodies) = (self.of_drift(drift, drift.rest), Vec::new());
        for family in &model.constraints {
            family.meetings(model, &path, active, &is_row, &mut bodies)?;
        }
        Ok((closing.into_iter().map(|(c, _)| c).filter(is_open).collect(), bodies))
    }

    /// Adds how far points of the bodies go on the first part of the path.
    pub(super) fn add_ways(&self, model: &Model, drift: &Drift, duration: f64, way: &mut [f64]) {
        let path = self.of_drift(drift, duration);
        for (i, way) in way.iter_mut().enumerate().filter(|(i, _)| path.at.is_present(*i)) {
            *way += path.own_way(model, RigidId(i as u32));
        }
    }

    /// The first instant at which bodies meet that are fast compared with their thickness, or `first` if that is earlier.
    fn sweep(
        &self,
        model: &Model,
        drift: &Drift,
        active: &ActiveConstraints,
        roles: &Roles,
        mut first: Option<f64>,
    ) -> StepResult<Option<f64>> {
        let is_row = |c: usize| !matches!(roles.role[c], Role::Open | Role::Cut);
        for family in &model.constraints {
            let path = self.of_drift(drift, first.unwrap_or(drift.rest));
            first = family.first_meeting(model, &path, active, &is_row)?.or(first);
        }
        Ok(first)
    }

    /// Contacts without a row whose gap is negative at the end of the drift, or that are closed and approach.
    fn closing(
        &mut self,
        model: &Model,
        drift: &mut Drift,
        active: &ActiveConstraints,
        roles: &Roles,
    ) -> StepResult<Vec<(usize, f64)>> {
        let watched = |c: &usize| matches!(roles.role[*c], Role::Open | Role::Cut);
        if !(0..active.len()).any(|c| watched(&c)) {
            return Ok(Vec::new());
        }
        self.gaps(model, drift, active)?;
        let found = |c: usize| {
            let y = self.y[active.rows(c).start];
            let is_closed = roles.role[c] == Role::Cut && active.gap[c] <= 1e-11 * roles.size[c];
            (y < 0.0 || is_closed).then_some((c, y))
        };
        Ok((0..active.len()).filter(watched).filter_map(found).collect())
    }

    /// y of all rows at the guessed end of the drift.
    fn gaps(&mut self, model: &Model, drift: &Drift, active: &ActiveConstraints) -> StepResult {
        self.y.clear();
        self.y.resize(active.n_rows(), f64::NAN);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            family.positions(model, &drift.there(), active, own, &mut self.y)?;
        }
        Ok(())
    }

    /// The instant at which the gap of a contact vanishes: regula falsi on the path (Illinois), to rounding.
    fn instant(
        &mut self,
        model: &Model,
        drift: &mut Drift,
        active: &ActiveConstraints,
        (c, y_end): (usize, f64),
        until: f64,
    ) -> StepResult<Option<f64>> {
        let row = active.rows(c).start;
        let (mut low, mut y_low) = (0.0, active.gap[c]);
        let (mut high, mut y_high) = (drift.rest, y_end);
        if until < high {
            self.place_at(model, until, drift)?;
            self.gaps(model, drift, active)?;
            if self.y[row] >= 0.0 {
                return Ok(None);
            }
            (high, y_high) = (until, self.y[row]);
        }
        let mut side = 0;
        for _ in 0..MOST_STEPS {
            let time = (low * y_high - high * y_low) / (y_high - y_low);
            self.place_at(model, time, drift)?;
            self.gaps(model, drift, active)?;
            let y = self.y[row];
            if y.abs() <= 1e-15 * model.size_of(active.ids[c]) || high - low <= 1e-15 * drift.rest {
                return Ok(Some(time));
            }
            if y < 0.0 {
                (high, y_high) = (time, y);
                y_low = if side == -1 { 0.5 * y_low } else { y_low };
                side = -1;
            } else {
                (low, y_low) = (time, y);
                y_high = if side == 1 { 0.5 * y_high } else { y_high };
                side = 1;
            }
        }
        Ok(Some(high))
    }

    /// Takes the step to the time σ of the path: the place and the velocity there, with no lag.
    pub(super) fn go_to(
        &mut self,
        model: &Model,
        time: f64,
        (active, roles, kick): (&ActiveConstraints, &Roles, &Kick),
        (mass, free, problem): (&mut Mass, &mut Free, &mut Problem),
        (books, log): (&mut Books, &mut StepLog),
        drift: &mut Drift,
    ) -> StepResult {
        roles.lasting_forces(active, &kick.p, drift.kick_length(), &mut self.lambda);
        self.place_at(model, time, drift)?;
        drift.arrive_at_end(time);
        books.drifted(model, drift)?;
        let part = Part::whole(drift.here().t, 0.0);
        factorize(model, &part, &drift.pass(), Coeffs::MASS, problem, mass)?;
        half_kick(model, drift, 0.5 * time, (active, &self.lambda), mass, free)?;
        books.half_kick(model, active, &self.lambda, (drift, 0.5 * time), free)?;
        books.log_half_kick(active, (&self.lambda, 0.5 * time), kick, log);
        drift.set_velocity(model, &free.v)
    }
}
