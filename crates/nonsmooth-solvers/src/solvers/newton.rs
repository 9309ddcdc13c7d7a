//! Semismooth Newton on the nonsmooth equations F(p) = 0, made global by proximal points.
//!
//! With u = W p + u_free eliminated, one iteration solves
//!
//! ```text
//! (d A + B W_α) δ = −F(p, u),    p ← p + t δ,    A, B from `linearise.rs`,    t by backtracking on ‖F‖
//! ```
//!
//! for the proximal problem around the centre c, W_α = W + α d, u_α = u + α d (p − c), whose solution replaces c until
//! p = c: then the problem itself is solved, not a softened one [Rockafellar76]. With W only semi-definite, the
//! normal case in stacks, plain Newton has singular systems and no globalisation saves it; with α of order 1 the
//! systems are well conditioned and a few iterations suffice. α falls by `FALL` while they do, and rises when they do not.
//!
//! The equations have a free factor: d = κ λ_max(W_cc) with any κ > 0 has the same zeros, but the Newton iterates differ.
//! Where they cycle with one κ they often do not with another, so each failure takes the next of `KAPPAS`.

use super::interior_point::RUNAWAY;
use super::newton_system::NewtonSystem;
use super::primal_system::PrimalSystem;
use super::{Entry, Outcome, Solver, Status, Unsupported};
use crate::certificate::{Certificate, certify};
use crate::eigen::largest_eigenvalue;
use crate::linearise::{Equations, Linear};
use crate::options::{Declared, Kind};
use crate::problem::Problem;
use crate::set::{MAX_DIM, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "newton",
    about: "semismooth Newton with proximal points: stacks, walls and all that Gauss–Seidel finds hard",
    options: &[&EQUATIONS, &MAX_ITERATIONS],
    make: |options| {
        let equations = match options.word(&EQUATIONS) {
            "fischer-burmeister" => Equations::FischerBurmeister,
            "natural-map" => Equations::NaturalMap,
            _ => Equations::AlartCurnier,
        };
        Box::new(Newton::new(equations, options.count(&MAX_ITERATIONS)))
    },
};

const EQUATIONS: Declared = Declared {
    name: "equations",
    about: "the nonsmooth equations that are solved",
    kind: Kind::Word(&["alart-curnier", "natural-map", "fischer-burmeister"]),
    default: "alart-curnier",
};

const MAX_ITERATIONS: Declared = Declared {
    name: "max_iterations",
    about: "most linear systems before giving up [–]",
    kind: Kind::Count,
    default: "500",
};

/// First, smallest and largest α, relative to d.
const FIRST_ALPHA: f64 = 1e-1;
const LAST_ALPHA: f64 = 1e-10;
const LARGEST_ALPHA: f64 = 1e2;
/// Change of α after a proximal problem that was solved, and after one that was not.
const FALL: f64 = 1e-1;
const RISE: f64 = 1e1;
/// Newton iterations on one proximal problem.
const INNER: usize = 20;
/// Halvings of t. With 3 the collection of one-step problems takes 4580 iterations and one friction problem is
/// left, with 8 it takes 5397 and two are left: a step that does not lower ‖F‖ often changes the right contacts.
const HALVINGS: usize = 3;
/// How far a proximal problem is solved, relative to the residual of the problem itself.
const INNER_SHARE: f64 = 0.1;
/// Factors κ, one after the other on failures. Of 106 problems at 1e-8, κ = 1 alone leaves 8 unsolved, 1, 0.3, 0.1
/// leave 7, 0.3 and 0.1 leave 4.
const KAPPAS: [f64; 2] = [0.3, 0.1];
/// Proximal problems without halving the residual before the method counts as stalled.
const PATIENCE: usize = 25;

pub(super) struct Newton {
    equations: Equations,
    max_iterations: usize,
    system: NewtonSystem,
    bodies: PrimalSystem,
    /// Whether the systems are solved in body velocities.
    in_bodies: bool,
    v: Vec<f64>,
    weight: Vec<f64>,
    linear: Vec<Linear>,
    u: Vec<f64>,
    centre: Vec<f64>,
    delta: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
    scratch: Vec<f64>,
    /// Largest |W p| that is no runaway [m/s].
    reach: f64,
    /// The velocity by which the last certificate measured [m/s].
    scale: f64,
}

impl Newton {
    pub(super) fn new(equations: Equations, max_iterations: usize) -> Self {
        Self {
            equations,
            max_iterations,
            system: NewtonSystem::default(),
            bodies: PrimalSystem::default(),
            in_bodies: false,
            v: Vec::new(),
            weight: Vec::new(),
            linear: Vec::new(),
            u: Vec::new(),
            centre: Vec::new(),
            delta: Vec::new(),
            trial: Vec::new(),
            best: Vec::new(),
            scratch: Vec::new(),
            reach: f64::INFINITY,
            scale: 1.0,
        }
    }

    /// The form of the systems, and d_c = λ_max(W_cc), the mean of the others where that is not positive.
    fn load(&mut self, problem: &Problem) {
        self.in_bodies = problem.primal().is_some_and(|primal| self.bodies.load(problem, primal));
        if !self.in_bodies {
            self.system.load(problem);
        }
        self.weight.clear();
        for (c, (begin, set)) in problem.blocks().enumerate() {
            let dim = set.dim();
            let mut block = [0.0; MAX_DIM * MAX_DIM];
            problem.block(c, begin, &mut block);
            self.weight.push(largest_eigenvalue(&block[..dim * dim], dim));
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for &d in self.weight.iter().filter(|d| **d > 0.0) {
            (sum, count) = (sum + d, count + 1.0);
        }
        let mean = if count > 0.0 { sum / count } else { 1.0 };
        self.weight.iter_mut().filter(|d| !(**d > 0.0)).for_each(|d| *d = mean);
    }

    /// ‖F‖ at `p`, with F, A and B of every constraint in `linear`; u_α goes to `u`.
    fn evaluate(
        &mut self,
        problem: &Problem,
        alpha: f64,
        p: &[f64],
        u: &mut Vec<f64>,
        linear: &mut Vec<Linear>,
    ) -> f64 {
        u.clear();
        u.extend_from_slice(&problem.u_free);
        problem.add_product(p, &mut self.v, u);
        linear.clear();
        let mut sum = 0.0;
        for ((begin, set), &d) in problem.blocks().zip(&self.weight) {
            let dim = set.dim();
            let mut scaled = [0.0; MAX_DIM];
            for i in begin..begin + dim {
                u[i] += alpha * d * (p[i] - self.centre[i]);
                scaled[i - begin] = d * p[i];
            }
            let at = self.equations.at(set, d, &scaled[..dim], &u[begin..begin + dim]);
            sum += at.f[..dim].iter().map(|f| f * f).sum::<f64>();
            linear.push(at);
        }
        sum.sqrt()
    }

    /// At most `most` Newton iterations on the proximal problem until ‖F‖ ≤ `enough`; whether that was reached, and iterations.
    fn inner(
        &mut self,
        problem: &Problem,
        alpha: f64,
        (enough, most): (f64, usize),
        p: &mut [f64],
    ) -> (bool, usize) {
        let (mut u, mut linear) = (std::mem::take(&mut self.u), std::mem::take(&mut self.linear));
        let mut size = self.evaluate(problem, alpha, p, &mut u, &mut linear);
        let mut made = 0;
        while made < most && size > enough {
            made += 1;
            self.delta.clear();
            self.delta.resize(p.len(), 0.0);
            let solved = if self.in_bodies {
                self.bodies.solve(&linear, &self.weight, alpha, &mut self.delta)
            } else {
                self.system.solve(&linear, &self.weight, alpha, &mut self.delta)
            };
            if !solved {
                break;
            }
            let reached = self.search(problem, alpha, size, p, &mut u, &mut linear);
            // Not `>`, so that a NaN ends it.
            if !(reached < 1e3 * size) {
                break;
            }
            size = reached;
        }
        (self.u, self.linear) = (u, linear);
        (size <= enough, made)
    }

    /// The largest t = 1, ½, … that lowers ‖F‖; the best of those tried where none does.
    fn search(
        &mut self,
        problem: &Problem,
        alpha: f64,
        size: f64,
        p: &mut [f64],
        u: &mut Vec<f64>,
        linear: &mut Vec<Linear>,
    ) -> f64 {
        let mut trial = std::mem::take(&mut self.trial);
        let mut t = 1.0;
        let mut best = (f64::INFINITY, 0.0);
        for halving in 0..=HALVINGS {
            trial.clear();
            trial.extend(p.iter().zip(&self.delta).map(|(p, d)| p + t * d));
            let reached = self.evaluate(problem, alpha, &trial, u, linear);
            if reached < best.0 {
                best = (reached, t);
            }
            if reached <= (1.0 - 1e-4 * t) * size {
                break;
            }
            if halving == HALVINGS {
                t = best.1;
                trial.clear();
                trial.extend(p.iter().zip(&self.delta).map(|(p, d)| p + t * d));
                self.evaluate(problem, alpha, &trial, u, linear);
                break;
            }
            t *= 0.5;
        }
        p.copy_from_slice(&trial);
        self.trial = trial;
        best.0
    }
}

impl Solver for Newton {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        match self.equations {
            Equations::AlartCurnier => Ok(()),
            _ => Unsupported::unless("newton", problem, |set| !matches!(set, Set::Pyramid { .. })),
        }
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        self.run(problem, tolerance, p, self.max_iterations)
    }

    fn forget(&mut self) {
        self.system.forget();
        self.bodies.forget();
    }
}

impl Newton {
    /// The residual of the guess, or of p = 0 in its place where that is no worse: relative residuals of far guesses
    /// are 1 all the way to the solution, and would count as a stall.
    fn start(&mut self, problem: &Problem, p: &mut [f64]) -> f64 {
        let mut zero = std::mem::take(&mut self.trial);
        zero.clear();
        zero.resize(p.len(), 0.0);
        for (begin, set) in problem.blocks() {
            set.project_block(&mut zero[begin..begin + set.dim()]);
        }
        let at_zero = certify(problem, &zero, &mut self.scratch).residual;
        let free = problem.u_free.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        let data = free.max(self.largest_response(problem));
        self.reach = if data > 0.0 { RUNAWAY * data } else { f64::INFINITY };
        let residual = self.residual(problem, p);
        let best = if residual < at_zero {
            residual
        } else {
            p.copy_from_slice(&zero);
            self.residual(problem, p)
        };
        self.trial = zero;
        best
    }

    /// The largest |W p| of the last certificate.
    fn largest_response(&self, problem: &Problem) -> f64 {
        self.scratch.iter().zip(&problem.u_free).fold(0.0, |m, (u, free)| m.max((u - free).abs()))
    }

    /// The certificate, infinite where impulses run away along a ray and it proves nothing; u goes to `scratch`.
    fn residual(&mut self, problem: &Problem, p: &[f64]) -> f64 {
        let Certificate { residual, scale, .. } = certify(problem, p, &mut self.scratch);
        self.scale = scale;
        if self.largest_response(problem) <= self.reach { residual } else { f64::INFINITY }
    }

    /// At most `budget` linear systems: for chains.
    pub(super) fn run(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        budget: usize,
    ) -> Outcome {
        self.load(problem);
        let mut best = self.start(problem, p);
        self.best.clear();
        self.best.extend_from_slice(p);
        let (mut alpha, mut total) = (FIRST_ALPHA, 0);
        let (mut kappa, mut failures, mut patience, mut milestone) = (1.0, 0, PATIENCE, best);
        while best > tolerance && total < budget && patience > 0 {
            self.centre.clear();
            self.centre.extend_from_slice(p);
            let factor = KAPPAS[failures % KAPPAS.len()] / kappa;
            self.weight.iter_mut().for_each(|d| *d *= factor);
            kappa *= factor;
            let enough = self.scale * (INNER_SHARE * best).max(0.3 * kappa * tolerance);
            let most = INNER.min(budget - total);
            let (good, made) = self.inner(problem, alpha, (enough, most), p);
            total += made.max(1);
            let residual = self.residual(problem, p);
            if residual < best {
                best = residual;
                self.best.copy_from_slice(p);
            }
            patience -= 1;
            if best < 0.5 * milestone {
                (milestone, patience) = (best, PATIENCE);
            }
            if good {
                alpha = (alpha * FALL).max(LAST_ALPHA);
            } else {
                alpha = (alpha * RISE).min(LARGEST_ALPHA);
                failures += 1;
                p.copy_from_slice(&self.best);
            }
        }
        p.copy_from_slice(&self.best);
        let status = match () {
            () if best <= tolerance => Status::Converged,
            () if patience == 0 => Status::Stalled,
            () => Status::IterationLimit,
        };
        Outcome { status, iterations: total, method: "newton" }
    }
}
