//! A ladder of step sizes, several nearby ones on each rung.
//!
//! The error of a scheme that steps over impacts depends on where in its step an impact falls: the constant C of
//! ‖e‖ = C h^q jumps with that phase, and a node that sits on an impact is wrong by the whole jump, whatever the
//! scheme [Acary10, eq. (38)]. So each rung has several step numbers N. They are prime: an impact at a rational
//! part a/b of the interval then falls on a node only if b is N itself. And they follow the golden ratio, which
//! spreads any number of them evenly.

use thiserror::Error;

/// The step numbers of a rung lie within this factor of each other, or of the next rung if that is nearer.
const RUNG_WIDTH: f64 = 1.1;

/// Most steps of a run: t, q and v of one coordinate at every node then take 2.4 GB.
const MOST_STEPS: f64 = 1e8;

/// (√5 − 1)/2.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Numbers of steps by which an interval of time is gone through, coarsest rung first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// Start of the interval [s].
    pub start: f64,
    /// End of the interval [s].
    pub end: f64,
    /// Numbers of steps, one list per rung, ascending.
    pub rungs: Vec<Vec<u64>>,
}

/// Why there is no such ladder.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LadderError {
    /// The interval has no length.
    #[error("the interval from {start} to {end} s has no length")]
    Interval {
        /// Its start [s].
        start: f64,
        /// Its end [s].
        end: f64,
    },
    /// The step sizes do not descend, or do not fit the interval.
    #[error(
        "step sizes from {coarsest} down to {finest} s must descend, and make between 1 and 1e8 steps of an interval of {length} s"
    )]
    StepSizes {
        /// The largest [s].
        coarsest: f64,
        /// The smallest [s].
        finest: f64,
        /// Length of the interval [s].
        length: f64,
    },
    /// There is no rung or no phase.
    #[error("a ladder needs at least one rung and one phase, got {rungs} and {phases}")]
    Empty {
        /// Rungs asked for.
        rungs: usize,
        /// Step numbers per rung asked for.
        phases: usize,
    },
}

impl Ladder {
    /// `rungs` step sizes from `coarsest` to `finest` [s] in equal ratios, `phases` step numbers near each.
    pub fn new(
        (start, end): (f64, f64),
        (coarsest, finest): (f64, f64),
        rungs: usize,
        phases: usize,
    ) -> Result<Self, LadderError> {
        let length = end - start;
        if !(length > 0.0 && length.is_finite()) {
            return Err(LadderError::Interval { start, end });
        }
        let fits = |h: f64| (1.0..=MOST_STEPS).contains(&(length / h));
        if !(fits(coarsest) && fits(finest) && finest <= coarsest) {
            return Err(LadderError::StepSizes { coarsest, finest, length });
        }
        if rungs == 0 || phases == 0 {
            return Err(LadderError::Empty { rungs, phases });
        }
        let ratio = (coarsest / finest).powf(1.0 / (rungs.max(2) - 1) as f64);
        let width = if rungs > 1 { ratio.min(RUNG_WIDTH) } else { RUNG_WIDTH };
        let rungs = (0..rungs).map(|j| rung(length / coarsest * ratio.powi(j as i32), width, phases));
        Ok(Self { start, end, rungs: rungs.collect() })
    }

    /// h of a run with `steps` steps [s].
    pub fn step_size(&self, steps: u64) -> f64 {
        (self.end - self.start) / steps as f64
    }

    /// Number of runs.
    pub fn n_runs(&self) -> usize {
        self.rungs.iter().map(Vec::len).sum()
    }
}

/// `phases` different primes near n, within a factor `width` of each other where that holds so many.
fn rung(n: f64, width: f64, phases: usize) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::with_capacity(phases);
    for i in 0..phases {
        let place = (0.5 + i as f64 * GOLDEN).fract() - 0.5;
        let mut candidate = (n * width.powf(place)).round() as u64;
        while !is_prime(candidate) || found.contains(&candidate) {
            candidate += 1;
        }
        found.push(candidate);
    }
    found.sort_unstable();
    found
}

/// The smallest prime ≥ n, for a run beside a ladder: a reference, say.
pub fn next_prime(n: u64) -> u64 {
    (n..).find(|&n| is_prime(n)).unwrap_or(n)
}

fn is_prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_descend_in_equal_ratios() {
        let ladder = Ladder::new((1.0, 4.7), (1e-2, 1e-5), 7, 8).unwrap();
        assert_eq!(ladder.n_runs(), 56);
        for (j, rung) in ladder.rungs.iter().enumerate() {
            let wanted = 370.0 * 10f64.powf(0.5 * j as f64);
            assert!(rung.iter().all(|&n| is_prime(n)) && rung.is_sorted_by(|a, b| a < b), "{rung:?}");
            let mean = (rung.iter().map(|&n| (n as f64).ln()).sum::<f64>() / 8.0).exp();
            // The golden ratio centres 8 points to some per cent of the width of 10 %; primes near 370
            // are 6 apart.
            assert!((mean / wanted - 1.0).abs() < 0.03, "{mean} for {wanted}: {rung:?}");
            assert!(rung[7] as f64 / rung[0] as f64 <= 1.15, "{rung:?}");
        }
        assert_eq!(ladder.step_size(37), 3.7 / 37.0);
    }

    #[test]
    fn phases_of_an_impact_cover_the_step() {
        // Where in its step each impact of the bouncing ball falls, T = 3.7: like 12 random numbers, none on
        // a node, no half of the step empty.
        let ladder = Ladder::new((0.0, 3.7), (1e-2, 1e-3), 4, 12).unwrap();
        for impact in [1.0, 2.0, 2.5] {
            for rung in &ladder.rungs {
                let mut phases: Vec<f64> =
                    rung.iter().map(|&n| (impact / 3.7 * n as f64).fract()).collect();
                phases.sort_by(f64::total_cmp);
                assert!(phases[0] > 1e-3 && phases[11] < 1.0 - 1e-3, "a node on the impact: {phases:?}");
                let gaps = phases.windows(2).map(|w| w[1] - w[0]);
                let around = phases[0] + 1.0 - phases[11];
                assert!(gaps.fold(around, f64::max) < 0.5, "{impact}: {phases:?}");
            }
        }
    }

    #[test]
    fn the_next_prime_is_found() {
        assert_eq!([0, 2, 4, 24, 7919, 7920].map(next_prime), [2, 2, 5, 29, 7919, 7927]);
    }

    #[test]
    fn what_makes_no_ladder_is_refused() {
        let make = |interval, steps, rungs, phases| Ladder::new(interval, steps, rungs, phases);
        assert!(matches!(make((1.0, 1.0), (0.1, 0.01), 2, 2), Err(LadderError::Interval { .. })));
        assert!(matches!(make((0.0, f64::NAN), (0.1, 0.01), 2, 2), Err(LadderError::Interval { .. })));
        for steps in [(0.01, 0.1), (2.0, 0.1), (0.1, 1e-9), (0.1, 0.0), (0.1, -1.0), (f64::NAN, 0.1)] {
            let refused = make((0.0, 1.0), steps, 2, 2);
            assert!(matches!(refused, Err(LadderError::StepSizes { .. })), "{steps:?}: {refused:?}");
        }
        assert!(matches!(make((0.0, 1.0), (0.1, 0.01), 0, 2), Err(LadderError::Empty { .. })));
        assert!(matches!(make((0.0, 1.0), (0.1, 0.01), 2, 0), Err(LadderError::Empty { .. })));
        // One rung, one phase, one step: the smallest prime is 2.
        assert_eq!(make((0.0, 1.0), (1.0, 1.0), 1, 1).unwrap().rungs, [[2]]);
    }
}
