//! The default chain: picks by kind and size, watches progress, moves on, and says what it tried.
//!
//! Joints and springs alone: one factor (`bilateral.rs`). Complementarity problems (rows in ℝ₊ and ℝ): `active-set`, which a warm start makes one back-substitution; where it ends
//! on a limit or stalls because W is no P-matrix `lemke` decides up to `LEMKE_LIMIT` rows, then `newton`, then
//! `interior-point`. Relays begin with `lemke`, small unsymmetric problems go there after a few exchanges. A ray of Lemke that no other method refutes is reported as infeasible.
//!
//! Friction, and contacts of bodies without: sweeps over the whole while their rate promises the tolerance within `MORE_SWEEPS`, which is all that most
//! steps need. Then the problem is split into islands, and each goes down the table of `chain.rs` until its certificate is met.
//! The first start is the guess or p = 0; the other is tried later. The best impulses of all stages are returned.
//!
//! An island's share of the tolerance is that of its rows: ‖r_i‖² ≤ (n_i/n) (tolerance · S)², S that of the certificate, so that an
//! island at rest need not be solved to the rounding of its own small velocities.

use super::active_set::{ActiveSet, MAX_EXCHANGES, single};
use super::admm::Admm;
use super::apgd::Apgd;
use super::bilateral::Bilateral;
use super::chain::{Method, STAGES, Stage, Start};
use super::gauss_seidel::Progress;
use super::interior_point::{InteriorPoint, RUNAWAY};
use super::kinds::{MOST_CONTACTS, Traits};
use super::lemke::Lemke;
use super::lemke_faceted::LemkeFaceted;
use super::newton::Newton;
use super::nsgs::Nsgs;
use super::sweep::{Order, Rule};
use super::{Attempt, Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::islands::{Island, islands};
use crate::linearise::Equations;
use crate::options::{Declared, Kind, Options};
use crate::problem::Problem;
use crate::set::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "auto",
    about: "the default chain: picks by kind and size, moves on where a method stalls, says what it tried",
    options: &[&MAX_EXCHANGES, &MAX_COST],
    make: |options| Box::new(Auto::new(options.count(&MAX_EXCHANGES), options.count(&MAX_COST))),
};

const MAX_COST: Declared = Declared {
    name: "max_cost",
    about: "most work on an island with friction before giving up, in sweeps over it; more never gives less [–]",
    kind: Kind::Count,
    default: "1000000",
};

/// Rows up to which Lemke is tried: the dense tableau of 2000 rows is 64 MB, and each pivot passes over all of it.
const LEMKE_LIMIT: usize = 2000;
/// Rows up to which an unsymmetric problem goes to Lemke after `NEAR_GUESS` exchanges: block pivoting often fails there,
/// after half a millisecond on circuits that Lemke solves in 15 µs.
const LEMKE_FIRST: usize = 100;
/// Exchanges for a step whose contacts are nearly those of the step before.
const NEAR_GUESS: usize = 3;
/// Sweeps before the rate is looked at.
const FIRST_SWEEPS: usize = 20;
/// Sweeps that are made more if they promise the tolerance: as many as the problem has rows, within these bounds. A
/// linear system of `newton` costs 50 sweeps at 60 rows and 400 at 8000, and about ten are needed.
const MORE_SWEEPS: (usize, usize) = (200, 1000);
/// Sweeps before another method is tried, whatever they promise.
const MOST_SWEEPS: usize = 2000;
/// Sweeps over the whole where an island is too large for anything else.
const LAST_SWEEPS: usize = 20_000;
/// Linear systems of Newton's method for complementarity and from the end of the interior point.
const NEWTON_SYSTEMS: usize = 300;
/// Rows up to which a problem without guess is split into islands at once.
const SPLIT_ROWS: usize = 3000;
/// Rounds over the islands until the whole is within tolerance.
const ROUNDS: usize = 4;
/// Steps of the interior point.
const INTERIOR_STEPS: usize = 400;
/// By how much steps of shuffled sweeps are longer: of 1, 1.2, 1.3 and 1.45 this solves most hard steps of spheres from p = 0.
const OMEGA: f64 = 1.2;

struct Auto {
    bilateral: Bilateral,
    active_set: ActiveSet,
    lemke: Lemke,
    newton: Newton,
    nsgs: Nsgs,
    shuffled: Nsgs,
    interior_point: InteriorPoint,
    apgd: Apgd,
    attempts: Vec<Attempt>,
    kept: Vec<f64>,
    /// Where the stage before ended.
    ended: Vec<f64>,
    /// The impulses handed in.
    given: Vec<f64>,
    u: Vec<f64>,
    max_cost: usize,
}

/// What the chain works on: an island or the whole.
struct Part<'a> {
    problem: &'a Problem,
    tolerance: f64,
    number: usize,
    /// Where its attempts begin.
    first: usize,
    /// Whether there is no guess.
    cold: bool,
    /// The start that was not taken first; empty where that is p = 0.
    other: &'a [f64],
}

impl Auto {
    fn new(max_exchanges: usize, max_cost: usize) -> Self {
        Self {
            bilateral: Bilateral::default(),
            active_set: ActiveSet::new(max_exchanges),
            lemke: Lemke::new(100_000),
            newton: Newton::new(Equations::AlartCurnier, NEWTON_SYSTEMS),
            nsgs: Nsgs::accelerated(Rule::Exact, Order::BySize),
            shuffled: Nsgs::accelerated(Rule::Relaxed(OMEGA), Order::Shuffled),
            interior_point: InteriorPoint::new(INTERIOR_STEPS),
            apgd: Apgd::new(&Options::default()),
            attempts: Vec::new(),
            kept: Vec::new(),
            ended: Vec::new(),
            given: Vec::new(),
            u: Vec::new(),
            max_cost,
        }
    }

    /// Tries one method, keeping the better of what was and what it made; returns the residual.
    fn attempt(&mut self, stage: Stage, part: &Part, p: &mut [f64]) -> f64 {
        let &Part { problem, tolerance, number, first, other, .. } = part;
        let before = match self.attempts[first..].last() {
            Some(last) => last.residual,
            None => self.guess(problem, p),
        };
        self.kept.clear();
        self.kept.extend_from_slice(p);
        match stage.start {
            Start::Best => {}
            Start::Last if !self.ended.is_empty() => p.copy_from_slice(&self.ended),
            Start::Last => {}
            Start::Other if !other.is_empty() => p.copy_from_slice(other),
            Start::Other | Start::Zero => p.fill(0.0),
        }
        let outcome = self.run(stage, problem, tolerance, p);
        let mut residual = certify(problem, p, &mut self.u).residual;
        self.ended.clear();
        self.ended.extend_from_slice(p);
        if !(residual <= before) {
            p.copy_from_slice(&self.kept);
            residual = before;
        }
        let Outcome { status, iterations, method } = outcome;
        let island = (number, problem.size());
        self.attempts.push(Attempt { method, island, status, iterations, residual });
        residual
    }

    /// One method from `p`.
    fn run(&mut self, stage: Stage, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let most = stage.most;
        match stage.method {
            Method::Lemke => self.lemke.solve(problem, tolerance, p),
            Method::Newton => self.newton.run(problem, tolerance, p, most),
            Method::InteriorPoint => {
                let made = self.interior_point.solve(problem, tolerance, p);
                if made.status == Status::Converged {
                    return made;
                }
                // Its end is worth going on from, even where the residual is not yet the smallest.
                let polished = self.newton.run(problem, tolerance, p, NEWTON_SYSTEMS);
                Outcome { iterations: made.iterations + polished.iterations, ..polished }
            }
            Method::Admm => {
                let most = Options::default().with("max_iterations", most as f64);
                Admm::new(&most).solve(problem, tolerance, p)
            }
            Method::Gradients => self.apgd.run(problem, tolerance, p, most),
            Method::LemkeFaceted => LemkeFaceted::new(&Options::default()).solve(problem, tolerance, p),
            Method::Sweeps | Method::Shuffled => {
                let shuffled = stage.method == Method::Shuffled;
                let nsgs = if shuffled { &mut self.shuffled } else { &mut self.nsgs };
                let made = nsgs.sweep_until(problem, tolerance, p, most);
                Outcome { status: made.status, iterations: made.sweeps, method: "nsgs" }
            }
        }
    }

    /// The residual of the guess; p = 0 takes its place where it is not finite or runs away along a ray.
    fn guess(&mut self, problem: &Problem, p: &mut [f64]) -> f64 {
        let residual = certify(problem, p, &mut self.u).residual;
        let (mut moved, mut free) = (0.0f64, 0.0f64);
        for (u, u_free) in self.u.iter().zip(&problem.u_free) {
            moved = moved.max((u - u_free).abs());
            free = free.max(u_free.abs());
        }
        if residual.is_finite() && moved <= RUNAWAY * free {
            return residual;
        }
        p.fill(0.0);
        certify(problem, p, &mut self.u).residual
    }

    /// Whether exchanges and pivots are tried; contacts of bodies, with or without friction, are swept.
    fn is_complementarity(problem: &Problem) -> bool {
        problem.is_scalar() && !problem.delassus.has_contacts()
    }

    /// The chain for rows in ℝ₊, ℝ and intervals.
    fn complementarity(&mut self, part: &Part, p: &mut [f64]) -> Outcome {
        let &Part { problem, tolerance, number, .. } = part;
        let relay = problem.sets.iter().any(|set| matches!(set, Set::Interval { .. }));
        let pivoting = relay || (!problem.delassus.symmetric && problem.size() <= LEMKE_FIRST);
        if pivoting && !relay {
            self.kept.clear();
            self.kept.extend_from_slice(p);
            if let Some(found) = self.active_set.near_guess(problem, tolerance, p, NEAR_GUESS) {
                return found;
            }
            p.copy_from_slice(&self.kept);
        }
        if !pivoting {
            let first = self.active_set.solve(problem, tolerance, p);
            if first.status == Status::Converged {
                return first;
            }
            let residual = certify(problem, p, &mut self.u).residual;
            let Outcome { status, iterations, method } = first;
            let island = (number, problem.size());
            self.attempts.push(Attempt { method, island, status, iterations, residual });
        }
        let small = problem.size() <= LEMKE_LIMIT;
        let lemke = small.then_some(Method::Lemke);
        for method in lemke.into_iter().chain([Method::Newton, Method::InteriorPoint]) {
            let stage = Stage { method, start: Start::Best, most: NEWTON_SYSTEMS, fits: |_| true };
            if self.attempt(stage, part, p) <= tolerance {
                break;
            }
        }
        self.summary(part.first)
    }

    /// The table, on one island or the whole.
    fn friction(&mut self, part: &Part, p: &mut [f64]) -> Outcome {
        let traits = Traits::of(part.problem, part.tolerance, part.cold);
        let mut left = self.max_cost as f64;
        self.ended.clear();
        for stage in STAGES.iter().filter(|stage| (stage.fits)(&traits)) {
            let price = stage.method.price(traits.rows);
            let most = stage.most.min((left / price) as usize);
            let solved = self.attempts.last().is_some_and(|last| last.residual <= part.tolerance);
            if solved || most == 0 {
                break;
            }
            self.attempt(Stage { most, ..*stage }, part, p);
            left -= price * self.attempts.last().map_or(0, |made| made.iterations) as f64;
        }
        self.summary(part.first)
    }

    /// The first sweeps.
    fn sweep(&mut self, part: &Part, p: &mut [f64], budget: usize) -> Progress {
        let made = self.nsgs.sweep_until(part.problem, part.tolerance, p, budget);
        let island = (part.number, part.problem.size());
        let Progress { status, residual, sweeps: iterations, .. } = made;
        self.attempts.push(Attempt { method: "nsgs", island, status, iterations, residual });
        made
    }

    /// More sweeps, while their rate promises the tolerance.
    fn sweep_while_it_pays(&mut self, part: &Part, p: &mut [f64], mut made: Progress) -> Progress {
        let mut sweeps = made.sweeps;
        let more = part.problem.size().clamp(MORE_SWEEPS.0, MORE_SWEEPS.1);
        loop {
            let needed = (part.tolerance / made.residual).ln() / made.rate.ln();
            let worth = needed > 0.0 && needed <= more as f64 && sweeps < MOST_SWEEPS;
            if made.status != Status::IterationLimit || !worth {
                return made;
            }
            // Extrapolation begins anew with every call, so the calls grow.
            made = self.nsgs.sweep_until(part.problem, part.tolerance, p, FIRST_SWEEPS.max(sweeps));
            sweeps += made.sweeps;
            let last = self.attempts.last_mut().expect("the first sweeps are noted");
            (last.status, last.residual, last.iterations) = (made.status, made.residual, sweeps);
        }
    }

    /// Each island down its chain, with its share of the tolerance.
    fn round(
        &mut self,
        whole: &Part,
        tolerance: f64,
        found: &[Island],
        p: &mut [f64],
        total: &mut Outcome,
    ) {
        let scale = certify(whole.problem, p, &mut self.u).scale;
        let (mut part_p, mut other) = (Vec::new(), Vec::new());
        let mut largest = 0;
        for (number, island) in found.iter().enumerate() {
            // Islands are taken out one by one, so that memory is that of the largest of these.
            if island.constraints.len() > MOST_CONTACTS {
                continue;
            }
            let problem = &island.problem(whole.problem);
            let share = (problem.size() as f64 / whole.problem.size() as f64).sqrt();
            part_p.clear();
            part_p.extend(island.rows.iter().map(|&i| p[i]));
            other.clear();
            if !whole.other.is_empty() {
                other.extend(island.rows.iter().map(|&i| whole.other[i]));
            }
            let own = certify(problem, &part_p, &mut self.u).scale;
            let tolerance = (tolerance * share * scale / own).max(tolerance);
            let first = self.attempts.len();
            let cold = whole.cold;
            let part = Part { problem, tolerance, number: number + 1, first, cold, other: &other };
            let made = if Self::is_complementarity(problem) {
                self.complementarity(&part, &mut part_p)
            } else {
                let begun = self.sweep(&part, &mut part_p, FIRST_SWEEPS);
                self.sweep_while_it_pays(&part, &mut part_p, begun);
                self.friction(&part, &mut part_p)
            };
            island.rows.iter().zip(&part_p).for_each(|(&i, &x)| p[i] = x);
            total.iterations += made.iterations;
            if total.status == Status::Converged {
                total.status = made.status;
            }
            // The report names the method of the largest island that needed one; `attempts` tells of all.
            if made.iterations > 0 && problem.size() > largest {
                (largest, total.method) = (problem.size(), made.method);
            }
        }
    }

    /// The chain from the impulses in `p`; `cold` says that they are no guess.
    fn chain(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64], cold: bool) -> Outcome {
        let mut given = std::mem::take(&mut self.given);
        given.clear();
        given.extend_from_slice(p);
        let made = self.chain_from(problem, tolerance, p, (&given, cold));
        self.given = given;
        made
    }

    /// The same, with a copy of these impulses.
    fn chain_from(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        (given, cold): (&[f64], bool),
    ) -> Outcome {
        let first = self.attempts.len();
        let mut whole = Part { problem, tolerance, number: 0, first, cold, other: &[] };
        if Self::is_complementarity(problem) {
            return self.complementarity(&whole, p);
        }
        // Without a guess the islands of a small problem are begun apart, so that none changes the impulses of another.
        let apart = if cold && problem.size() <= SPLIT_ROWS { islands(problem) } else { Vec::new() };
        let mut swept = 0;
        if apart.len() < 2 {
            let begun = self.sweep(&whole, p, FIRST_SWEEPS);
            if begun.from_zero {
                whole.other = given;
            }
            let begun = self.sweep_while_it_pays(&whole, p, begun);
            if begun.status == Status::Converged {
                return self.summary(first);
            }
            swept = begun.sweeps;
        }
        let found = if apart.is_empty() { islands(problem) } else { apart };
        if found.len() == 1 {
            return self.friction(&whole, p);
        }
        if found.iter().any(|island| island.constraints.len() > MOST_CONTACTS) {
            // Only sweeps fit the largest island, and they take the others along.
            let stage =
                Stage { method: Method::Sweeps, start: Start::Best, most: LAST_SWEEPS, fits: |_| true };
            if self.attempt(stage, &whole, p) <= tolerance {
                return self.summary(first);
            }
        }
        let mut total = Outcome { status: Status::Converged, iterations: 0, method: "nsgs" };
        total.iterations += swept;
        let mut strictness = 1.0;
        for _ in 0..ROUNDS {
            self.round(&whole, strictness * tolerance, &found, p, &mut total);
            let residual = certify(problem, p, &mut self.u).residual;
            if !(residual > tolerance) || total.status != Status::Converged {
                break;
            }
            strictness *= 0.3 * tolerance / residual;
        }
        total
    }

    /// What the attempts from `first` on amount to.
    fn summary(&self, first: usize) -> Outcome {
        let made = &self.attempts[first..];
        let last = made.last().expect("at least one method was tried");
        let infeasible = made.iter().any(|attempt| attempt.status == Status::Infeasible);
        let iterations = made.iter().map(|attempt| attempt.iterations).sum();
        // The word of the method that found the best impulses; `solve` replaces it where the certificate is met.
        let status = if infeasible { Status::Infeasible } else { last.status };
        Outcome { status, iterations, method: last.method }
    }
}

impl Solver for Auto {
    fn accepts(&self, _problem: &Problem) -> Result<(), Unsupported> {
        Ok(())
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        self.attempts.clear();
        if let Some(found) = single(problem, p) {
            return found;
        }
        if let Some(found) = self.bilateral.solve(problem, tolerance, p) {
            return found;
        }
        let cold = p.iter().all(|p| *p == 0.0);
        let made = self.chain(problem, tolerance, p, cold);
        // The table of friction has both starts.
        if cold || made.status == Status::Converged || !Self::is_complementarity(problem) {
            return made;
        }
        let residual = certify(problem, p, &mut self.u).residual;
        if residual <= tolerance {
            return made;
        }
        // A guess may lead astray what is solved from nothing.
        let best = p.to_vec();
        p.fill(0.0);
        let anew = self.chain(problem, tolerance, p, true);
        let iterations = made.iterations + anew.iterations;
        if certify(problem, p, &mut self.u).residual < residual {
            return Outcome { iterations, ..anew };
        }
        p.copy_from_slice(&best);
        Outcome { iterations, ..made }
    }

    fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    fn forget(&mut self) {
        self.bilateral.forget();
        self.active_set.forget();
        self.lemke.forget();
        self.newton.forget();
        self.nsgs.forget();
        self.shuffled.forget();
        self.apgd.forget();
        (self.kept, self.ended) = (Vec::new(), Vec::new());
        (self.given, self.u) = (Vec::new(), Vec::new());
    }
}
