//! The default chain: picks by kind and size, watches progress, moves on, and says what it tried.
//!
//! Joints and springs alone: one factor (`bilateral.rs`). Complementarity problems (rows in ℝ₊ and ℝ): `active-set`, which a warm start makes one back-substitution; where it ends on a limit or stalls because W is no P-matrix `lemke` decides up to `LEMKE_LIMIT` rows, then `newton`, then
//! `interior-point`. Relays begin with `lemke`, small unsymmetric problems go there after a few exchanges. A ray of Lemke that no other method refutes is reported as infeasible.
//!
//! Friction: sweeps over the whole, contacts of bodies in any case and others where there is a guess, while their rate promises the tolerance
//! within `MORE_SWEEPS`; that is all that most steps need. Sweeps over bodies are extrapolated (`gauss_seidel.rs`). Then the problem is split
//! into islands, and each goes down the table of `chain.rs`, by its kind (`kinds.rs`), until its certificate is met. Islands too large for factors have sweeps and
//! gradients only, so that memory stays proportional to the contacts.
//!
//! What all of it misses from a guess is begun anew from p = 0; the best impulses of all are returned.
//!
//! An island's share of the tolerance is that of its rows: ‖r_i‖² ≤ (n_i/n) (tolerance · S)², S that of the certificate, so that an island at rest need not be solved to the rounding of its own small velocities.

use super::active_set::{ActiveSet, MAX_EXCHANGES, single};
use super::admm::Admm;
use super::apgd::Apgd;
use super::bilateral::Bilateral;
use super::chain::{INTERIOR_STEPS, Method, NEWTON_SYSTEMS, STAGES, Stage, Start};
use super::gauss_seidel::Progress;
use super::interior_point::{InteriorPoint, RUNAWAY};
use super::kinds::{Kind, MOST_CONTACTS};
use super::lemke::Lemke;
use super::lemke_faceted::LemkeFaceted;
use super::newton::Newton;
use super::nsgs::Nsgs;
use super::sweep::Order;
use super::{Attempt, Entry, Factored, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::islands::{Island, islands};
use crate::linearise::Equations;
use crate::options::Options;
use crate::problem::Problem;
use crate::set::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "auto",
    about: "the default chain: picks by kind and size, moves on where a method stalls, says what it tried",
    options: &[&MAX_EXCHANGES],
    make: |options| Box::new(Auto::new(options.count(&MAX_EXCHANGES))),
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
/// Sweeps before another method is tried, whatever they promise. Steps of a wall to 1e-8 take two thirds of the time that they take with `newton` first, those of a tower twice as long.
const MOST_SWEEPS: usize = 2000;
/// Sweeps over the whole where an island is too large for anything else.
const LAST_SWEEPS: usize = 20_000;
/// Rounds over the islands until the whole is within tolerance.
const ROUNDS: usize = 4;

struct Auto {
    bilateral: Bilateral,
    active_set: ActiveSet,
    lemke: Lemke,
    newton: Newton,
    nsgs: Nsgs,
    interior_point: InteriorPoint,
    admm: Admm,
    apgd: Apgd,
    attempts: Vec<Attempt>,
    kept: Vec<f64>,
    u: Vec<f64>,
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
}

impl Auto {
    fn new(max_exchanges: usize) -> Self {
        Self {
            bilateral: Bilateral::default(),
            active_set: ActiveSet::new(max_exchanges),
            lemke: Lemke::new(100_000),
            newton: Newton::new(Equations::AlartCurnier, NEWTON_SYSTEMS),
            nsgs: Nsgs::new(LAST_SWEEPS, Order::BySize),
            interior_point: InteriorPoint::new(INTERIOR_STEPS),
            admm: Admm::new(&Options::default()),
            apgd: Apgd::new(&Options::default()),
            attempts: Vec::new(),
            kept: Vec::new(),
            u: Vec::new(),
        }
    }

    /// Tries one method, keeping the better of what was and what it made; returns the residual.
    fn attempt(&mut self, stage: Stage, part: &Part, p: &mut [f64]) -> f64 {
        let &Part { problem, tolerance, number, first, .. } = part;
        let before = match self.attempts[first..].last() {
            Some(last) => last.residual,
            None => self.guess(problem, p),
        };
        self.kept.clear();
        self.kept.extend_from_slice(p);
        if stage.start == Start::Zero {
            p.fill(0.0);
        }
        let Outcome { status, iterations, method } = self.run(stage, problem, tolerance, p);
        let mut residual = certify(problem, p, &mut self.u).residual;
        if !(residual <= before) {
            p.copy_from_slice(&self.kept);
            residual = before;
        }
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
                self.admm.limit(most);
                self.admm.solve(problem, tolerance, p)
            }
            Method::Apgd => self.apgd.run(problem, tolerance, p, most),
            Method::LemkeFaceted => LemkeFaceted::new(&Options::default()).solve(problem, tolerance, p),
            Method::Sweeps => {
                let made = self.nsgs.sweep_until(problem, tolerance, p, most);
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

    /// More sweeps while they pay, then the table, on one island or the whole.
    fn friction(&mut self, part: &Part, p: &mut [f64], begun: Progress) -> Outcome {
        self.sweep_while_it_pays(part, p, begun);
        let kind = Kind::of(part.problem, part.tolerance, part.cold);
        for stage in STAGES.iter().filter(|stage| (stage.fits)(&kind)) {
            if self.attempts.last().is_some_and(|last| last.residual <= part.tolerance) {
                break;
            }
            self.attempt(*stage, part, p);
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
            // Extrapolation begins anew with every call.
            let contacts = part.problem.delassus.has_contacts();
            let budget = FIRST_SWEEPS.max(if contacts { sweeps } else { sweeps / 2 });
            made = self.nsgs.sweep_until(part.problem, part.tolerance, p, budget);
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
        found: &[(Island, Option<Problem>)],
        p: &mut [f64],
        total: &mut Outcome,
    ) {
        let scale = certify(whole.problem, p, &mut self.u).scale;
        let mut part_p = Vec::new();
        let mut largest = 0;
        for (number, (island, prepared)) in found.iter().enumerate() {
            // Contacts of bodies are taken out one by one, so that memory is that of the largest of these.
            if prepared.is_none() && island.constraints.len() > MOST_CONTACTS {
                continue;
            }
            let built = prepared.is_none().then(|| island.problem(whole.problem));
            let Some(problem) = prepared.as_ref().or(built.as_ref()) else { continue };
            let share = (problem.size() as f64 / whole.problem.size() as f64).sqrt();
            part_p.clear();
            part_p.extend(island.rows.iter().map(|&i| p[i]));
            let own = certify(problem, &part_p, &mut self.u).scale;
            let tolerance = (tolerance * share * scale / own).max(tolerance);
            let first = self.attempts.len();
            let part = Part { problem, tolerance, number: number + 1, first, cold: whole.cold };
            let made = if problem.is_scalar() && !problem.delassus.has_contacts() {
                self.complementarity(&part, &mut part_p)
            } else {
                let begun = self.sweep(&part, &mut part_p, FIRST_SWEEPS);
                self.friction(&part, &mut part_p, begun)
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
        let first = self.attempts.len();
        let whole = Part { problem, tolerance, number: 0, first, cold };
        let contacts = problem.delassus.has_contacts();
        self.nsgs.accelerate(contacts);
        if problem.is_scalar() && !contacts {
            return self.complementarity(&whole, p);
        }
        let mut begun = None;
        if contacts || !whole.cold {
            let mut made = self.sweep(&whole, p, FIRST_SWEEPS);
            if contacts {
                made = self.sweep_while_it_pays(&whole, p, made);
            }
            if made.status == Status::Converged {
                return self.summary(first);
            }
            begun = Some(made);
        }
        let mut found = islands(problem);
        if found.len() == 1 {
            let begun = begun.unwrap_or_else(|| self.sweep(&whole, p, FIRST_SWEEPS));
            return self.friction(&whole, p, begun);
        }
        if contacts && found.iter().any(|island| island.constraints.len() > MOST_CONTACTS) {
            // Only sweeps fit the largest island, and they take the others along.
            let (method, most) = (Method::Sweeps, LAST_SWEEPS);
            let stage = Stage { method, start: Start::Best, most, fits: |_| true };
            if self.attempt(stage, &whole, p) <= tolerance {
                return self.summary(first);
            }
        }
        let prepare = |island: Island| {
            let problem = (!contacts).then(|| island.problem(problem));
            (island, problem)
        };
        let found: Vec<(Island, Option<Problem>)> = found.drain(..).map(prepare).collect();
        let mut total = Outcome { status: Status::Converged, iterations: 0, method: "nsgs" };
        total.iterations += begun.map_or(0, |made| made.sweeps);
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
        if cold || made.status == Status::Converged {
            return made;
        }
        let residual = certify(problem, p, &mut self.u).residual;
        if residual <= tolerance {
            return made;
        }
        // A guess may lead astray what is solved from nothing, as a problem from a file is.
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

    fn factor(&mut self, problem: &Problem) -> Factored {
        self.bilateral.factor_soundly(problem)
    }

    fn back_substitute(&self, x: &mut [f64]) {
        self.bilateral.back_substitute(x);
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
        self.admm.forget();
        self.apgd.forget();
        (self.kept, self.u) = (Vec::new(), Vec::new());
    }
}
