//! Sweeps of Gauss–Seidel until the certificate is within tolerance.
//!
//! A sweep tells its change ‖λ_max δp‖, in velocities. The certificate costs five, so it is asked for when
//! the change, times the quotient of the two when it was last computed, promises the tolerance, and else at
//! intervals that grow by `GROWTH`. The best impulses are kept. The rate of convergence is the mean
//! reduction of the residual per sweep over the last half of the sweeps.
//!
//! Accelerated sweeps go on along the way of p, d ← β d + δ, p ← p + β⁺ d, δ the change by a sweep and β⁺ the quotient of
//! ‖δ‖² and that of the sweep before, 0 where that is not below 1: the factor of conjugate gradients, as in
//! [Silcowitz10], with the step of Nesterov. A wall of 100 bricks reaches 1e-10 in 1280 sweeps, not at all in 10 000 with
//! p ← p + β⁺ d of the direction before; Nesterov's own factors without restarts do not converge. The certificate is that of
//! impulses as a sweep leaves them, before they are extrapolated.
//!
//! Only a sweep that changes nothing ends the work early. A residual that stays where it is proves nothing: on
//! the collection's `fclib_local_problem_test` it stays at 3.3e-4 from sweep 2500 to 5000, yet falls below 1e-11 before 180 000.

use super::Status;
use super::apgd::is_skew;
use super::sweep::{Order, Rule, Sweeper};
use crate::certificate::certify;
use crate::problem::Problem;

/// Part of the tolerance at which a guess is taken as it is. A guess at the tolerance itself would be taken step after step
/// in a contact that lasts, and its error add up to creep.
const GUESS: f64 = 1e-2;
/// A guess begins unless p = 0 has a residual this much smaller. Impulses of the step before know the chains of force even where
/// an impact makes their residual larger than that of nothing: in `cargo xtask bench scenes` steps of the wall take 221 sweeps, 294 with
/// 1 in place of 10, of 125 cubes 53 and 75. 1000 does no better.
const KEPT: f64 = 10.0;
/// Growth of the interval between certificates. One costs 5.5 sweeps on a pile of 100 contacts, hence a tenth of the work after
/// 100 sweeps.
const GROWTH: f64 = 0.5;

/// Where the sweeps have come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Progress {
    /// Converged, at the budget, or stalled where a sweep changed nothing.
    pub(super) status: Status,
    /// Sweeps made.
    pub(super) sweeps: usize,
    /// Best certificate, that of the impulses returned [–].
    pub(super) residual: f64,
    /// Mean factor by which a sweep reduced the residual of late [–]; 1 if unknown.
    pub(super) rate: f64,
    /// Whether p = 0 took the place of the guess.
    pub(super) from_zero: bool,
}

/// Sweeps with one rule, and the memory for it.
pub(super) struct Relaxation {
    rule: Rule,
    order: Order,
    accelerated: bool,
    /// Whether that applies to the problem at hand: W is not far from symmetric.
    extrapolates: bool,
    sweeper: Sweeper,
    u: Vec<f64>,
    trial: Vec<f64>,
    /// Sweep and best residual of each certificate.
    history: Vec<(usize, f64)>,
    /// Whether p = 0 took the place of the guess.
    from_zero: bool,
}

impl Relaxation {
    pub(super) fn new(rule: Rule, order: Order) -> Self {
        let sweeper = Sweeper::default();
        let (u, trial, history) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            rule,
            order,
            accelerated: false,
            extrapolates: false,
            sweeper,
            u,
            trial,
            history,
            from_zero: false,
        }
    }

    /// Extrapolates from now on, or not, where W is not far from symmetric.
    pub(super) fn accelerate(&mut self, yes: bool) {
        self.accelerated = yes;
    }

    /// Gives its memory back.
    pub(super) fn forget(&mut self) {
        *self = Self { accelerated: self.accelerated, ..Self::new(self.rule, self.order) };
    }

    /// At most `budget` sweeps from `p`, which receives the best impulses.
    pub(super) fn sweep_until(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        budget: usize,
    ) -> Progress {
        let (mut best, mut scale) = self.start(problem, p);
        self.history.clear();
        self.history.push((0, best));
        if best <= GUESS * tolerance {
            return self.progress(Status::Converged, 0, best);
        }
        self.sweeper.prepare(problem, self.order, self.rule);
        self.sweeper.load(p);
        self.trial.clear();
        self.trial.extend_from_slice(p);
        let first_look = if best <= tolerance { 1 } else { 8 };
        let (mut quotient, mut next, mut soonest) = (1.0, first_look, 0);
        let (mut before, mut theta) = (0.0, 0.0);
        self.extrapolates = self.accelerated && !is_skew(problem);
        if self.extrapolates {
            self.sweeper.remember();
        }
        for k in 1..=budget {
            let square = self.sweeper.sweep(self.rule);
            let beta = if square < before { square / before } else { 0.0 };
            before = square;
            let change = square.sqrt() / scale;
            let promising = change * quotient <= tolerance && k >= soonest;
            let ended = !(change > 0.0 && change.is_finite()) || k == budget;
            if !(promising || ended || k >= next) {
                self.extrapolate(&mut theta, beta);
                continue;
            }
            self.sweeper.store(&mut self.trial);
            let found = certify(problem, &self.trial, &mut self.u);
            let residual = found.residual;
            scale = found.scale;
            if residual < best {
                best = residual;
                p.copy_from_slice(&self.trial);
            }
            self.history.push((k, best));
            if best <= tolerance {
                return self.progress(Status::Converged, k, best);
            }
            if k == budget && change > 0.0 {
                return self.progress(Status::IterationLimit, k, best);
            }
            if ended {
                return self.progress(Status::Stalled, k, best);
            }
            quotient = residual / change;
            next = k + 4 + (GROWTH * k as f64) as usize;
            soonest = k + 1 + k / 16;
            self.extrapolate(&mut theta, beta);
        }
        self.progress(Status::IterationLimit, budget, best)
    }

    fn extrapolate(&mut self, theta: &mut f64, beta: f64) {
        if self.extrapolates {
            self.sweeper.extrapolate(*theta, beta);
            *theta = beta;
        }
    }

    /// Makes the guess usable, or zero where that is much nearer; returns its certificate and the scale of velocities.
    fn start(&mut self, problem: &Problem, p: &mut [f64]) -> (f64, f64) {
        for (begin, set) in problem.blocks() {
            let block = &mut p[begin..begin + set.dim()];
            if block.iter().any(|p| !p.is_finite()) {
                block.fill(0.0);
            }
            set.project_block(block);
        }
        self.from_zero = false;
        let guess = certify(problem, p, &mut self.u);
        self.trial.clear();
        self.trial.extend_from_slice(p);
        p.fill(0.0);
        for (begin, set) in problem.blocks() {
            set.project_block(&mut p[begin..begin + set.dim()]);
        }
        if self.trial == p {
            return (guess.residual, guess.scale);
        }
        // With an unsymmetric W a guess may lie on a ray: zero wins a tie.
        let kept = if problem.delassus.symmetric { KEPT } else { 1.0 };
        // Both absolute: each has a scale of its own.
        let zero = certify(problem, p, &mut self.u);
        if guess.residual * guess.scale < kept * zero.residual * zero.scale {
            p.copy_from_slice(&self.trial);
            (guess.residual, guess.scale)
        } else {
            self.from_zero = true;
            (zero.residual, zero.scale)
        }
    }

    /// The last certificate of the first half of the sweeps.
    fn half_ago(&self, k: usize) -> Option<(usize, f64)> {
        self.history.iter().rev().find(|(at, _)| 2 * at <= k).copied()
    }

    /// Mean factor of the residual per sweep since `half_ago`; 1 where it has not fallen.
    fn rate(&self, sweeps: usize, residual: f64) -> f64 {
        match self.half_ago(sweeps) {
            Some((at, then)) if at < sweeps && residual > 0.0 && residual < then => {
                (residual / then).powf(1.0 / (sweeps - at) as f64)
            }
            _ => 1.0,
        }
    }

    fn progress(&self, status: Status, sweeps: usize, residual: f64) -> Progress {
        let (rate, from_zero) = (self.rate(sweeps, residual), self.from_zero);
        Progress { status, sweeps, residual, rate, from_zero }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;
    use crate::sparse::Sparse;

    /// One contact with W = 1 that closes with 1 m/s: p = 0 has the residual 1, p > 1 that of p − 1.
    #[test]
    fn a_guess_begins_unless_nothing_is_much_better() {
        let mut problem =
            Problem::new(Sparse::diagonal(&[1.0]), vec![-1.0], vec![Set::Nonnegative]).unwrap();
        let start = |problem: &Problem, guess: f64| {
            let mut p = [guess];
            Relaxation::new(Rule::Exact, Order::Natural).start(problem, &mut p);
            p[0]
        };
        assert_eq!(
            [5.0, 10.9, 11.1, f64::NAN].map(|guess| start(&problem, guess)),
            [5.0, 10.9, 0.0, 0.0]
        );
        problem.delassus.symmetric = false;
        assert_eq!([1.9, 2.1].map(|guess| start(&problem, guess)), [1.9, 0.0]);
    }
}
