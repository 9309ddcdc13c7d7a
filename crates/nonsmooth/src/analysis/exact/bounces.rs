//! Impacts of one body on a floor, each with e times the speed of the one before, and their accumulation.
//!
//! ```text
//! t₁, t_{n+1} = t_n + τ(e^n s),      t_∞ = t₁ + Σ τ(e^n s),      n ≥ 1
//! ```
//!
//! s is the speed of the first impact, τ(u) the duration of a flight that begins with speed u and ends with the same. For
//! short flights τ is proportional to u, so the end of the sum is a geometric series.

use super::Side;

/// The impacts of a body that ends at rest.
pub(super) struct Bounces {
    /// Times of the impacts [s].
    pub times: Vec<f64>,
    /// Speeds after the impacts [m/s]; the last is 0.
    speeds: Vec<f64>,
    /// t_∞ [s]; none without restitution.
    pub accumulation: Option<f64>,
}

/// What a body does at some time.
pub(super) enum Phase {
    /// It has not hit the floor yet.
    First,
    /// It is in flight.
    Flight {
        /// Time since the last impact [s].
        since: f64,
        /// Speed after it [m/s].
        speed: f64,
    },
    /// It is at rest.
    Rest,
}

impl Bounces {
    /// First impact at time `first` [s] with `speed` [m/s]; `flight` gives τ(u) [s].
    pub(super) fn new(first: f64, speed: f64, restitution: f64, flight: impl Fn(f64) -> f64) -> Self {
        let (mut t, mut u) = (first, restitution * speed);
        let (mut times, mut speeds) = (vec![t], vec![u]);
        // An infinite time ends the list too.
        while flight(u) > f64::EPSILON * t && t.is_finite() {
            t += flight(u);
            u *= restitution;
            times.push(t);
            speeds.push(u);
        }
        let rest = t + flight(u) / (1.0 - restitution);
        if let Some(last) = speeds.last_mut() {
            *last = 0.0;
        }
        Self { times, speeds, accumulation: (restitution > 0.0 && speed > 0.0).then_some(rest) }
    }

    pub(super) fn phase(&self, t: f64, side: Side) -> Phase {
        let n = self.times.partition_point(|&impact| side.is_past(impact, t));
        match n.checked_sub(1) {
            None => Phase::First,
            Some(i) if self.speeds[i] == 0.0 => Phase::Rest,
            Some(i) => Phase::Flight { since: t - self.times[i], speed: self.speeds[i] },
        }
    }

    /// The impacts until `end` [s].
    pub(super) fn until(&self, end: f64) -> Vec<f64> {
        self.times.iter().copied().take_while(|&t| t <= end).collect()
    }

    /// When the body comes to rest [s].
    pub(super) fn rest(&self) -> f64 {
        self.accumulation.or(self.times.last().copied()).unwrap_or(0.0)
    }
}
