//! The default chain: picks by kind and size, watches progress, moves on, and says what it tried.
//!
//! Joints and springs alone: one factor (`bilateral.rs`). Complementarity problems (rows in ℝ₊ and ℝ): `active-set`, which a warm start makes one back-substitution; where it ends on a limit or stalls because W is no P-matrix `lemke` decides up to `LEMKE_LIMIT` rows, then `newton`, then
//! `interior-point`. Relays begin with `lemke`, small unsymmetric problems go there after a few exchanges. A ray of Lemke that no other method refutes is reported as infeasible.
//!
//! Friction: sweeps over the whole, contacts of bodies in any case and others where there is a guess, while their rate promises the tolerance
//! within `MORE_SWEEPS`; that is all that most steps need. Heaps begin with the better of guess and p = 0, by the certificate, and have
//! `COMMON_SWEEPS` over the whole. Sweeps over bodies are extrapolated (`gauss_seidel.rs`). Then the problem is split into islands, and each
//! goes down the table of `chain.rs`, by its kind (`kinds.rs`), until its certificate is met. Islands too large for factors have sweeps and
//! gradients only, so that memory stays proportional to the contacts.
//!
//! What all of it misses from a guess is begun anew from p = 0 (heaps have both starts in the table). What is then above the tolerance is solved to
//! looser ones, decade by decade: to ask for more never gives less. The best impulses of all are returned.
//!
//! An island's share of the tolerance is that of its rows: ‖r_i‖² ≤ (n_i/n) (tolerance · S)², S that of the certificate, so that an island at rest need not be solved to the rounding of its own small velocities.

use super::active_set::{ActiveSet, MAX_EXCHANGES, single};
use super::bilateral::Bilateral;
use super::chain::{Method, NEWTON_SYSTEMS, STAGES, Stage, Start};
use super::gauss_seidel::{Progress, Until};
use super::interior_point::tame;
use super::kinds::{Kind, MOST_CONTACTS};
use super::methods::Methods;
use super::presolve::Presolve;
use super::{Attempt, Entry, Factored, Outcome, Solver, Status, Unsupported};
use crate::certificate::certify;
use crate::contradiction::contradiction;
use crate::islands::{Island, islands};
use crate::options::{self, Declared};
use crate::problem::Problem;
use crate::set::Set;

pub(super) const ENTRY: Entry = Entry {
    name: "auto",
    about: "the default chain: picks by kind and size, moves on where a method stalls, says what it tried",
    options: &[&MAX_EXCHANGES, &BUDGET],
    make: |options| Box::new(Auto::new(options.count(&MAX_EXCHANGES), options.count(&BUDGET) as f64)),
};

const BUDGET: Declared = Declared {
    name: "budget",
    about: "most work on friction, in sweeps over the problem; what a smaller budget finds a larger one finds too [–]",
    kind: options::Kind::Count,
    default: "10000000",
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
/// Sweeps over the whole of a heap before it is split into islands.
const COMMON_SWEEPS: usize = 200;
/// Rounds over the islands until the whole is within tolerance.
const ROUNDS: usize = 4;

struct Auto {
    bilateral: Bilateral,
    presolve: Presolve,
    active_set: ActiveSet,
    methods: Methods,
    /// Most work, and what is left of it [sweeps over the whole].
    budget: f64,
    left: f64,
    attempts: Vec<Attempt>,
    kept: Vec<f64>,
    /// Where the last stage ended.
    end: Vec<f64>,
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
    /// The one of guess and p = 0 that the chain did not begin with; empty where it is not known.
    other: &'a [f64],
    /// Its rows, as a share of those of the whole.
    share: f64,
}

impl Auto {
    fn new(max_exchanges: usize, budget: f64) -> Self {
        Self {
            bilateral: Bilateral::default(),
            presolve: Presolve::default(),
            active_set: ActiveSet::new(max_exchanges),
            methods: Methods::new(),
            budget,
            left: budget,
            attempts: Vec::new(),
            kept: Vec::new(),
            end: Vec::new(),
            u: Vec::new(),
        }
    }

    /// The stage as far as the budget reaches, and whether that cuts it; none where the work ends.
    fn affordable(&mut self, stage: &Stage, part: &Part) -> Option<(Stage, bool)> {
        if part.problem.is_scalar() && !part.problem.delassus.has_contacts() {
            return Some((*stage, false));
        }
        let cost = stage.method.cost(part.problem.size()) * part.share;
        let within = (self.left / cost) as usize;
        if within >= stage.most {
            return Some((*stage, false));
        }
        let most = stage.method.group().map_or(0, |group| within - within % group);
        // What follows would find something that a larger budget does not come to.
        if most == 0 {
            self.left = 0.0;
            return None;
        }
        Some((Stage { most, ..*stage }, true))
    }

    fn charge(&mut self, method: Method, iterations: usize, part: &Part) {
        let cost = method.cost(part.problem.size()) * part.share;
        self.left = (self.left - cost * iterations as f64).max(0.0);
    }

    /// Tries one method, keeping the better of what was and what it made; returns the residual.
    fn attempt(&mut self, stage: &Stage, part: &Part, p: &mut [f64]) -> f64 {
        let &Part { problem, tolerance, number, first, .. } = part;
        let before = match self.attempts[first..].last() {
            Some(last) => last.residual,
            None => tame(problem, p, &mut self.u),
        };
        let Some((stage, is_cut)) = self.affordable(stage, part) else { return before };
        let mut trial = std::mem::take(&mut self.kept);
        trial.clear();
        match stage.start {
            Start::Other if part.other.len() == p.len() => trial.extend_from_slice(part.other),
            Start::End if self.end.len() == p.len() => trial.extend_from_slice(&self.end),
            Start::Best | Start::End => trial.extend_from_slice(p),
            Start::Zero | Start::Other => trial.resize(p.len(), 0.0),
        }
        let made = self.methods.run(&stage, is_cut, (problem, tolerance), &mut trial);
        let Outcome { status, iterations, method } = made;
        self.charge(stage.method, iterations, part);
        let mut residual = certify(problem, &trial, &mut self.u).residual;
        if residual <= before {
            p.copy_from_slice(&trial);
        } else {
            residual = before;
        }
        self.kept = std::mem::replace(&mut self.end, trial);
        let island = (number, problem.size());
        self.attempts.push(Attempt { method, island, status, iterations, residual });
        residual
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
            if self.attempt(&Stage::new(method, Start::Best, NEWTON_SYSTEMS), part, p) <= tolerance {
                break;
            }
        }
        self.summary(part.first)
    }

    /// The table, on one island or the whole.
    fn friction(&mut self, part: &Part, p: &mut [f64], begun: Progress) -> Outcome {
        let kind = Kind::of(part.problem, part.tolerance, part.cold);
        if !kind.heap {
            self.sweep_while_it_pays(part, p, begun);
        }
        self.end.clear();
        for stage in STAGES.iter().filter(|stage| (stage.fits)(&kind)) {
            let is_solved = self.attempts.last().is_some_and(|last| last.residual <= part.tolerance);
            if is_solved || self.left == 0.0 {
                break;
            }
            self.attempt(stage, part, p);
        }
        self.summary(part.first)
    }

    /// So many sweeps, or as many as the budget allows.
    fn sweeps(&mut self, part: &Part, p: &mut [f64], most: usize) -> Progress {
        let within = (self.left / part.share) as usize;
        let until = Until { sweeps: most.min(within), cycle: false, is_judged: within >= most };
        let made = self.methods.sweep(part.problem, part.tolerance, p, until);
        self.charge(Method::Sweeps, until.sweeps.max(1).min(made.sweeps), part);
        if !until.is_judged && made.status == Status::IterationLimit {
            self.left = 0.0;
        }
        made
    }

    /// The first sweeps.
    fn sweep(&mut self, part: &Part, p: &mut [f64], budget: usize) -> Progress {
        let made = self.sweeps(part, p, budget);
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
            if made.status != Status::IterationLimit || !worth || self.left == 0.0 {
                return made;
            }
            // Extrapolation begins anew with every call.
            let contacts = part.problem.delassus.has_contacts();
            let budget = FIRST_SWEEPS.max(if contacts { sweeps } else { sweeps / 2 });
            made = self.sweeps(part, p, budget);
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
        let (mut part_p, mut part_other) = (Vec::new(), Vec::new());
        let mut largest = 0;
        for (number, (island, prepared)) in found.iter().enumerate() {
            // Contacts of bodies are taken out one by one, so that memory is that of the largest of these.
            if prepared.is_none() && island.constraints.len() > MOST_CONTACTS {
                continue;
            }
            let built = prepared.is_none().then(|| island.problem(whole.problem));
            let Some(problem) = prepared.as_ref().or(built.as_ref()) else { continue };
            let share = problem.size() as f64 / whole.problem.size() as f64;
            part_p.clear();
            part_p.extend(island.rows.iter().map(|&i| p[i]));
            part_other.clear();
            if !whole.other.is_empty() {
                part_other.extend(island.rows.iter().map(|&i| whole.other[i]));
            }
            let own = certify(problem, &part_p, &mut self.u).scale;
            let tolerance = (tolerance * share.sqrt() * scale / own).max(tolerance);
            let first = self.attempts.len();
            let (number, cold) = (number + 1, whole.cold);
            let part = Part { problem, tolerance, number, first, cold, other: &part_other, share };
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

    /// Leaves the better of the guess and p = 0 in `p` and returns the other.
    fn take_better(&mut self, problem: &Problem, p: &mut [f64]) -> Vec<f64> {
        p.iter_mut().filter(|p| !p.is_finite()).for_each(|p| *p = 0.0);
        let mut other = vec![0.0; p.len()];
        // Both absolute: each has a scale of its own.
        let mut velocity = |p: &[f64]| {
            let found = certify(problem, p, &mut self.u);
            found.residual * found.scale
        };
        if velocity(p) > velocity(&other) {
            p.swap_with_slice(&mut other);
        }
        other
    }

    /// The chain from the impulses in `p`; `cold` says that they are no guess.
    fn chain(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64], cold: bool) -> Outcome {
        let first = self.attempts.len();
        let contacts = problem.delassus.has_contacts();
        let heap = Kind::of(problem, tolerance, cold).heap;
        self.methods.accelerate(contacts || heap);
        let other = if heap && !cold { self.take_better(problem, p) } else { Vec::new() };
        let whole = Part { problem, tolerance, number: 0, first, cold, other: &other, share: 1.0 };
        if problem.is_scalar() && !contacts {
            return self.complementarity(&whole, p);
        }
        let mut begun = None;
        if contacts || heap || !whole.cold {
            let mut made = self.sweep(&whole, p, if heap { COMMON_SWEEPS } else { FIRST_SWEEPS });
            if contacts && !heap {
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
            let stage = Stage::new(Method::Sweeps, Start::Best, LAST_SWEEPS);
            if self.attempt(&stage, &whole, p) <= tolerance {
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
            if self.left == 0.0 || !(residual > tolerance) || total.status != Status::Converged {
                break;
            }
            strictness *= 0.3 * tolerance / residual;
        }
        total
    }

    /// The chain, and where it misses the tolerance from a guess anew from p = 0, unless it had that start too; the better end.
    fn solve_from_both_starts(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        cold: bool,
    ) -> Outcome {
        let made = self.chain(problem, tolerance, p, cold);
        let had_both = cold || Kind::of(problem, tolerance, cold).heap;
        if had_both || made.status == Status::Converged || self.left == 0.0 {
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
        self.left = self.budget;
        if let Some(found) = single(problem, p) {
            return found;
        }
        if let Some(found) = self.bilateral.solve(problem, tolerance, p) {
            return found;
        }
        let cold = p.iter().all(|p| *p == 0.0);
        if let Some(left) = self.presolve.eliminate(problem) {
            let chain = |of: &Problem, tolerance: f64, p: &mut [f64]| self.chain(of, tolerance, p, cold);
            if let Some(found) = left.solve(problem, tolerance, p, chain) {
                return found;
            }
            self.attempts.clear();
        }
        let guess = p.to_vec();
        let mut made = self.solve_from_both_starts(problem, tolerance, p, cold);
        let mut residual = certify(problem, p, &mut self.u).residual;
        if residual > tolerance && contradiction(problem, tolerance).is_some() {
            return Outcome { status: Status::Infeasible, ..made };
        }
        // What a looser tolerance would have found is found too: other methods fit there, and sweeps are judged elsewhere.
        for rung in (1..=15).map(|k| 10f64.powi(-k)).filter(|rung| *rung > 1.01 * tolerance) {
            if residual <= tolerance || self.left == 0.0 || made.status == Status::Infeasible {
                break;
            }
            if rung >= residual {
                continue;
            }
            let mut trial = guess.clone();
            let anew = self.solve_from_both_starts(problem, rung, &mut trial, cold);
            let found = certify(problem, &trial, &mut self.u).residual;
            made.iterations += anew.iterations;
            if found < residual {
                (made.method, residual) = (anew.method, found);
                p.copy_from_slice(&trial);
            }
            if residual > rung {
                break;
            }
        }
        made
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
        self.presolve = Presolve::default();
        self.active_set.forget();
        self.methods.forget();
        (self.kept, self.end) = (Vec::new(), Vec::new());
        self.u = Vec::new();
    }
}
