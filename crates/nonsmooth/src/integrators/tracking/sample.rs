//! The constraints at the end of a trial step, and whether something happened on the way.
//!
//! A contact that is not closed was *entered* if y < 0 and u < 0 there, or y is lower than it was at the start: after
//! an impact y is rounding and u > 0, which must not count. A closed one is *left* where its force pulls, or its friction is beyond the
//! cone; one that slides has *stopped* where its slip has turned back; one of edges and corners is *passed* where these no longer face each other. What begins and ends within one step is not seen there: `dips`
//! tells where to look.

use super::grip::{Grip, Mode};
use super::motion::{Motion, Rate, pass};
use super::point::Point;
use super::rows::{ConstraintStatus, Features, Rows};
use super::runge_kutta::TrialStep;
use super::watched::Watched;
use crate::error::StepResult;
use crate::model::Model;

/// A trial step and what it met.
#[derive(Default)]
pub(crate) struct Sample {
    pub(crate) trial: TrialStep,
    /// How every row stands at its end, by key.
    pub(crate) status: Vec<ConstraintStatus>,
    /// Forces of the mode at its end; empty if no contact is closed.
    pub(crate) rate: Rate,
}

impl Sample {
    /// Takes up points that were found since: here they were not.
    pub(crate) fn grow(&mut self, n: usize) {
        self.status.resize(n, ConstraintStatus::ABSENT);
    }
}

/// Which constraints are looked at.
#[derive(Default)]
pub(crate) struct Watch {
    /// Contacts that are not closed, by key.
    pub(crate) open: Vec<bool>,
    /// Whether the mode holds a contact, not only joints.
    pub(crate) closed: bool,
    /// Contacts of the mode whose features may come to face each other no more, by the keys of their normals.
    pub(crate) passing: Vec<usize>,
    /// Contacts that slide, with the keys of their normals.
    pub(crate) sliding: Vec<(usize, Grip)>,
    /// Slip in space that counts as none where it falls [m/s].
    pub(crate) rest: f64,
    /// All rows where they were looked at last.
    pub(crate) rows: Rows,
}

impl Watch {
    /// Watches for a mode.
    pub(crate) fn set(&mut self, watched: &Watched, mode: &Mode) {
        self.open.clear();
        self.open.extend(watched.always.iter().zip(&watched.tangent).map(|(always, t)| !always && !t));
        mode.rows.iter().for_each(|&key| self.open[key] = false);
        self.closed = mode.rows.iter().any(|&key| !watched.always[key]);
        self.sliding.clear();
        self.sliding.extend(mode.sliding().map(|grip| (mode.rows[grip.normal], *grip)));
    }

    /// Notes which contacts of a mode have features that may pass.
    pub(crate) fn hold(&mut self, watched: &Watched, mode: &Mode) {
        self.passing.clear();
        if watched.changes {
            self.passing.extend(mode.contacts(watched).map(|(key, _)| key));
        }
    }

    /// Takes up points that were found since the mode was set.
    pub(crate) fn grow(&mut self, watched: &Watched) {
        let new = self.open.len()..watched.len();
        self.open.extend(new.map(|key| !watched.tangent[key]));
    }

    /// How one row stands at a point.
    pub(crate) fn look(
        &mut self,
        model: &Model,
        key: usize,
        at: &Point,
        motion: &mut Motion,
    ) -> StepResult<ConstraintStatus> {
        motion.go_to(model, at)?;
        let Motion { place, presence, watched, scale, .. } = motion;
        let pass = pass(place, presence);
        self.rows.evaluate(model, watched, std::iter::once(key), (&pass, Features::Listed))?;
        self.rows.status(model, watched, key, &pass.now, scale)
    }

    /// How all rows stand at a point.
    pub(crate) fn evaluate(
        &mut self,
        model: &Model,
        at: &Point,
        motion: &mut Motion,
        status: &mut Vec<ConstraintStatus>,
    ) -> StepResult {
        motion.go_to(model, at)?;
        let Motion { place, presence, watched, scale, .. } = motion;
        let pass = pass(place, presence);
        self.rows.evaluate(model, watched, 0..watched.len(), (&pass, Features::Found))?;
        status.clear();
        for key in 0..watched.len() {
            status.push(self.rows.status(model, watched, key, &pass.now, scale)?);
        }
        let active = &self.rows.active;
        for &key in &self.passing {
            let id = watched.id(key);
            let place =
                active.ids.binary_search(&id).ok().and_then(|c| c.checked_sub(active.first_contact));
            if let Some([_, normal]) = place.and_then(|k| active.places.get(k))
                && !watched.has_normal(model, &pass.now, id, *normal)
            {
                status[key] = ConstraintStatus::ABSENT;
            }
        }
        Ok(())
    }

    /// Completes a sample whose step is made.
    pub(crate) fn complete(
        &mut self,
        model: &Model,
        mode: &Mode,
        motion: &mut Motion,
        sample: &mut Sample,
    ) -> StepResult {
        self.evaluate(model, &sample.trial.at, motion, &mut sample.status)?;
        sample.rate.pulls.clear();
        if self.closed { motion.rate(model, mode, &sample.trial.at, &mut sample.rate) } else { Ok(()) }
    }

    /// Whether contact `key` was entered.
    pub(crate) fn is_entered(&self, key: usize, start: &[ConstraintStatus], sample: &Sample) -> bool {
        self.open[key] && entered(&start[key], &sample.status[key])
    }

    /// Whether anything happened on the way to the sample.
    pub(crate) fn is_event(&self, start: &[ConstraintStatus], sample: &Sample) -> bool {
        sample.rate.pulls.contains(&true)
            || self.passing.iter().any(|&key| sample.status[key].is_absent())
            || self.sliding.iter().any(|contact| self.has_stopped(contact, start, sample))
            || (0..self.open.len()).any(|key| self.is_entered(key, start, sample))
    }

    /// Whether a contact that slides has turned back, or in space has come to rest.
    pub(crate) fn has_stopped(
        &self,
        contact: &(usize, Grip),
        start: &[ConstraintStatus],
        sample: &Sample,
    ) -> bool {
        let (key, grip) = *contact;
        let speed = |status: &[ConstraintStatus]| status[key + 1].u.hypot(status[key + grip.n].u);
        let (along, still) = slip(contact, &sample.status);
        let rests = || speed(&sample.status) <= self.rest && speed(&sample.status) < speed(start);
        along < -still || grip.n > 1 && rests()
    }

    /// Lengths at which something may have happened that is over at the end of the sample. Contacts may have been entered: the lowest points of the
    /// cubics through y and u at both ends, where these are below zero. Slips may have stopped: the same of u_T·d and its rate. Forces may have pulled, or
    /// been beyond their cone: where the stages let one expect it.
    pub(crate) fn dips(
        &self,
        (start, rate): (&[ConstraintStatus], &Rate),
        sample: &Sample,
        dips: &mut Vec<f64>,
    ) {
        let tau = sample.trial.tau;
        let open = (0..self.open.len()).filter(|&key| self.open[key]);
        dips.clear();
        dips.extend(open.filter_map(|key| lowest(&start[key], &sample.status[key], tau)));
        dips.extend_from_slice(&sample.trial.pulled);
        let mut first = 0;
        for contact in &self.sliding {
            let own = first..first + contact.1.n;
            first = own.end;
            let end = |status: &[ConstraintStatus], rate: &Rate| {
                let direction = contact.1.slides.unwrap_or_default();
                let along = |x: &[f64]| x.iter().zip(direction).map(|(x, d)| x * d).sum::<f64>();
                let u = rate.slipping.get(own.clone()).map_or(0.0, along);
                ConstraintStatus { gap: slip(contact, status).0, u, ..ConstraintStatus::default() }
            };
            dips.extend(lowest(&end(start, rate), &end(&sample.status, &sample.rate), tau));
        }
        dips.sort_by(f64::total_cmp);
    }
}

/// u_T·d of a contact that slides at the end of a sample, and what counts as none.
pub(crate) fn slip((key, grip): &(usize, Grip), status: &[ConstraintStatus]) -> (f64, f64) {
    grip.slip(&status[key + 1..=key + grip.n])
}

fn entered(start: &ConstraintStatus, now: &ConstraintStatus) -> bool {
    now.gap < 0.0 && now.u < -now.still || now.gap < start.gap.min(0.0) - now.closed
}

fn lowest(a: &ConstraintStatus, b: &ConstraintStatus, tau: f64) -> Option<f64> {
    if !(a.gap > 0.0 && b.gap >= 0.0 && a.u < 0.0 && b.u > 0.0) {
        return None;
    }
    // y(s) = y_a + u_a τ s + c₂ s² + c₃ s³ on [0, 1].
    let (down, up) = (a.u * tau, b.u * tau);
    let c2 = 3.0 * (b.gap - a.gap) - 2.0 * down - up;
    let c3 = 2.0 * (a.gap - b.gap) + down + up;
    let s = -down / (c2 + (c2 * c2 - 3.0 * c3 * down).max(0.0).sqrt());
    let depth = a.gap + s * (down + s * (c2 + s * c3));
    (depth < 0.0 && s > 0.0 && s < 1.0).then_some(s * tau)
}
