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

/// How far Σ ‖p‖ may move within so many sweeps of a limit cycle.
const CYCLE: f64 = 1e-4;
const CYCLE_SWEEPS: usize = 500;

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
}

/// Where sweeps end above the tolerance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Until {
    /// Most sweeps.
    pub(super) sweeps: usize,
    /// Whether a limit cycle ends them. The certificate is then asked for at short intervals.
    pub(super) cycle: bool,
    /// Whether the last sweep is judged. Where it is not, fewer sweeps never find what more sweeps miss.
    pub(super) is_judged: bool,
}

impl Until {
    /// So many sweeps, the last one judged.
    pub(super) fn sweeps(sweeps: usize) -> Self {
        Self { sweeps, cycle: false, is_judged: true }
    }

    /// When the certificate is asked for next, at sweep `k`.
    fn next_look(self, k: usize) -> usize {
        if self.cycle { k + 20 + k / 50 } else { k + 4 + (GROWTH * k as f64) as usize }
    }
}

/// Σ ‖p_c‖ at certificates, for limit cycles: at friction 0.8 sweeps may go round with Σ p the same to 5e-5 for 20 000 sweeps, while in
/// a heap that converges it drifts by 1e-3 in 500.
#[derive(Default)]
struct Cycle {
    /// Sweep, its least and largest value since, and the best residual then.
    since: usize,
    range: [f64; 2],
    best: f64,
}

impl Cycle {
    /// Whether Σ p stood for `CYCLE_SWEEPS` while the best residual did not fall.
    fn is_found(&mut self, k: usize, p: &[f64], best: f64) -> bool {
        let sum: f64 = p.iter().map(|p| p.abs()).sum();
        let range = [self.range[0].min(sum), self.range[1].max(sum)];
        let stands = range[1] - range[0] <= CYCLE * sum && best > 0.7 * self.best;
        if self.since == 0 || !stands {
            *self = Self { since: k, range: [sum; 2], best };
            return false;
        }
        self.range = range;
        k >= self.since + CYCLE_SWEEPS
    }
}

/// Sweeps with one rule, and the memory for it.
pub(super) struct Relaxation {
    rule: Rule,
    order: Order,
    accelerated: bool,
    sweeper: Sweeper,
    u: Vec<f64>,
    trial: Vec<f64>,
    /// Sweep and best residual of each certificate.
    history: Vec<(usize, f64)>,
}

impl Relaxation {
    pub(super) fn new(rule: Rule, order: Order) -> Self {
        let sweeper = Sweeper::default();
        let (u, trial, history) = (Vec::new(), Vec::new(), Vec::new());
        Self { rule, order, accelerated: false, sweeper, u, trial, history }
    }

    /// Extrapolates from now on, or not; bodies in contact only.
    pub(super) fn accelerate(&mut self, yes: bool) {
        self.accelerated = yes;
    }

    /// Sweeps from `p`, which receives the best impulses.
    pub(super) fn sweep_until(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        until: Until,
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
        let (mut before, mut theta, budget) = (0.0, 0.0, until.sweeps);
        let mut cycle = Cycle::default();
        if self.accelerated {
            self.sweeper.remember();
        }
        for k in 1..=budget {
            let square = self.sweeper.sweep(self.rule);
            let beta = if square < before { square / before } else { 0.0 };
            before = square;
            let change = square.sqrt() / scale;
            let promising = change * quotient <= tolerance && k >= soonest;
            let ended = !(change > 0.0 && change.is_finite()) || (k == budget && until.is_judged);
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
            if until.cycle && cycle.is_found(k, &self.trial, best) {
                return self.progress(Status::Stalled, k, best);
            }
            quotient = residual / change;
            next = until.next_look(k);
            soonest = k + 1 + k / 16;
            self.extrapolate(&mut theta, beta);
        }
        self.progress(Status::IterationLimit, budget, best)
    }

    fn extrapolate(&mut self, theta: &mut f64, beta: f64) {
        if self.accelerated {
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
        Progress { status, sweeps, residual, rate: self.rate(sweeps, residual) }
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
