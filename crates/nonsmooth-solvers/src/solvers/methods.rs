//! The methods of the chain with their memory, and how one of them is run for a row of the table.

use super::admm::Admm;
use super::apgd::Apgd;
use super::chain::{INTERIOR_STEPS, Method, NEWTON_SYSTEMS, Stage};
use super::gauss_seidel::{Progress, Until};
use super::interior_point::InteriorPoint;
use super::lemke::Lemke;
use super::lemke_faceted::LemkeFaceted;
use super::newton::Newton;
use super::nsgs::Nsgs;
use super::shuffle::Shuffled;
use super::sweep::Order;
use super::{Outcome, Solver, Status};
use crate::linearise::Equations;
use crate::options::Options;
use crate::problem::Problem;

/// Sweeps of `nsgs` by itself; stages bring their own bounds.
const MOST_SWEEPS: usize = 20_000;

/// One solver for each method.
pub(super) struct Methods {
    lemke: Lemke,
    newton: Newton,
    nsgs: Nsgs,
    interior_point: InteriorPoint,
    admm: Admm,
    apgd: Apgd,
}

impl Methods {
    pub(super) fn new() -> Self {
        Self {
            lemke: Lemke::new(100_000),
            newton: Newton::new(Equations::AlartCurnier, NEWTON_SYSTEMS),
            nsgs: Nsgs::new(MOST_SWEEPS, Order::BySize),
            interior_point: InteriorPoint::new(INTERIOR_STEPS),
            admm: Admm::new(&Options::default()),
            apgd: Apgd::new(&Options::default()),
        }
    }

    /// Extrapolates sweeps from now on, or not.
    pub(super) fn accelerate(&mut self, yes: bool) {
        self.nsgs.accelerate(yes);
    }

    /// Sweeps from `p`, which receives the best impulses.
    pub(super) fn sweep(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        p: &mut [f64],
        until: Until,
    ) -> Progress {
        self.nsgs.sweep_until(problem, tolerance, p, until)
    }

    /// One method from `p`; `is_cut` says that its bound is that of the whole work, after which nothing follows.
    pub(super) fn run(
        &mut self,
        stage: &Stage,
        is_cut: bool,
        (problem, tolerance): (&Problem, f64),
        p: &mut [f64],
    ) -> Outcome {
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
            Method::Gradients => {
                self.apgd.run(problem, tolerance, p, (most, stage.leaves.then_some(most / 2)))
            }
            Method::LemkeFaceted => LemkeFaceted::new(&Options::default()).solve(problem, tolerance, p),
            Method::Sweeps | Method::ShuffledSweeps(_) => {
                let until = Until { sweeps: most, cycle: stage.leaves, is_judged: !is_cut };
                let shuffled = match stage.method {
                    Method::ShuffledSweeps(seed) => Shuffled::new(problem, seed),
                    _ => None,
                };
                let made = match shuffled {
                    Some(other) => {
                        other.solve(p, |problem, p| self.nsgs.sweep_until(problem, tolerance, p, until))
                    }
                    None => self.nsgs.sweep_until(problem, tolerance, p, until),
                };
                Outcome { status: made.status, iterations: made.sweeps, method: "nsgs" }
            }
        }
    }

    pub(super) fn forget(&mut self) {
        self.lemke.forget();
        self.newton.forget();
        self.nsgs.forget();
        self.admm.forget();
        self.apgd.forget();
    }
}
