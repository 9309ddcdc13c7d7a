//! Contacts that are nearly touched within a smooth step.
//!
//! y has a lowest point where u passes through zero. Where it is as low as the motion is uncertain, some neighbours hit and others miss.

use super::turns::{GRAZED, step};
use super::{FlowError, Follower, Kink};
use crate::integrators::tracking::{ConstraintStatus, Leg};

/// Height of the cubic through both ends, relative to the gaps there, above which its lowest point is not looked for.
const LOW: f64 = 0.05;
/// Most tries to find the lowest point.
const TRIES: usize = 60;

impl Follower<'_> {
    /// Refuses a step in which an open contact is touched without being entered.
    pub(super) fn look_for_grazing(&mut self, leg: &Leg) -> Result<(), FlowError> {
        let t = leg.from.t;
        let probe = &mut self.columns.probes[0];
        step(t, probe.look(&leg.from, &leg.mode))?;
        let start = probe.course.start.clone();
        let end = self.rows_at(leg, leg.tau)?;
        let watched = &self.columns.probes[0].course.motion.watched;
        let is_open =
            |key: &usize| !watched.always[*key] && !watched.tangent[*key] && !leg.mode.contains(*key);
        let near = |key: &usize| {
            let (a, b) = (&start[*key], &end[*key]);
            a.u < 0.0 && b.u > 0.0 && lowest(a, b, leg.tau) <= LOW * a.gap.max(b.gap)
        };
        let keys: Vec<usize> = (0..start.len()).filter(is_open).filter(near).collect();
        keys.into_iter().try_for_each(|key| self.refuse_grazing(leg, key))
    }

    fn refuse_grazing(&mut self, leg: &Leg, key: usize) -> Result<(), FlowError> {
        let (mut low, mut high) = (0.0, leg.tau);
        for _ in 0..TRIES {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            let side = if self.rows_at(leg, middle)?[key].u < 0.0 { &mut low } else { &mut high };
            *side = middle;
        }
        let gap = self.rows_at(leg, low)?[key].gap;
        if gap <= GRAZED * self.columns.sizes()[0] {
            let why = Kink::Grazing { constraint: self.describe(key) };
            return Err(FlowError::NotDifferentiable { t: leg.from.t + low, why });
        }
        Ok(())
    }

    /// The rows after a part of a step.
    fn rows_at(&mut self, leg: &Leg, tau: f64) -> Result<Vec<ConstraintStatus>, FlowError> {
        let part = Leg { from: leg.from.clone(), tau, method: leg.method, mode: leg.mode.clone() };
        let probe = &mut self.columns.probes[0];
        let at = step(leg.from.t, probe.step(&leg.from, &part))?;
        step(leg.from.t, probe.look(&at, &leg.mode))?;
        Ok(probe.course.start.clone())
    }
}

/// The lowest value of the cubic through y and u at both ends.
fn lowest(a: &ConstraintStatus, b: &ConstraintStatus, tau: f64) -> f64 {
    let (down, up) = (a.u * tau, b.u * tau);
    let c2 = 3.0 * (b.gap - a.gap) - 2.0 * down - up;
    let c3 = 2.0 * (a.gap - b.gap) + down + up;
    let s = -down / (c2 + (c2 * c2 - 3.0 * c3 * down).max(0.0).sqrt());
    a.gap + s * (down + s * (c2 + s * c3))
}
