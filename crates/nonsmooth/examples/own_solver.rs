//! A solver of one's own: Jacobi's method for frictionless contacts, damped. Three blocks rest on each other.

use nonsmooth::integrators::{MoreauJean, Scheme};
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::solvers::{Outcome, Problem, Set, Solver, Sparse, Status, Unsupported, certify};
use nonsmooth::{Error, Simulation, SolverSettings, laws::NewtonImpact};

/// p ← max(0, p − ½ u_i / W_ii), all rows at once.
struct Jacobi;

impl Solver for Jacobi {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        let other = problem.sets.iter().find(|set| **set != Set::Nonnegative);
        other.map_or(Ok(()), |set| Err(Unsupported::Kind { solver: "jacobi", what: set.name() }))
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let (w, mut u, method) = (problem.assembled(), Vec::new(), "jacobi");
        for iterations in 1..10_000 {
            if certify(problem, p, &mut u).residual <= tolerance {
                return Outcome { status: Status::Converged, iterations, method };
            }
            for i in 0..p.len() {
                p[i] = (p[i] - 0.5 * u[i] / w.get(i, i)).max(0.0);
            }
        }
        Outcome { status: Status::IterationLimit, iterations: 10_000, method }
    }

    fn forget(&mut self) {}
}

pub(crate) fn main() -> Result<(), Error> {
    let (masses, gravity, h) = ([1.0, 2.0, 4.0], 9.81, 1e-3);
    let mut builder = ModelBuilder::new();
    let load = masses.map(|mass| -mass * gravity);
    let blocks =
        Linear::new("blocks", Sparse::diagonal(&masses)).load(&load).initial(&[0.0; 3], &[0.0; 3]);
    let blocks = builder.linear(blocks);
    let law = builder.law("contact", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(blocks, 0, 1.0)], 0.0);
    builder.linear_gap("first and second", law, &[(blocks, 1, 1.0), (blocks, 0, -1.0)], 0.0);
    builder.linear_gap("second and third", law, &[(blocks, 2, 1.0), (blocks, 1, -1.0)], 0.0);
    let (model, state) = builder.build(0.0)?;

    let solver = SolverSettings { solver: Box::new(Jacobi), ..Default::default() };
    let scheme = MoreauJean { theta: 1.0, ..Default::default() }.with_solver(solver)?;
    let mut simulation = Simulation::new(model, state, scheme, h)?;
    let log = simulation.step()?.log;
    let forces: Vec<f64> = log.constraints.impulse.iter().map(|p| p / h).collect();
    println!("forces {forces:?} N by {}", log.solves[0].method);
    assert_eq!(log.solves[0].method, "jacobi");
    let expected = [7.0 * gravity, 6.0 * gravity, 4.0 * gravity];
    assert!(forces.iter().zip(expected).all(|(f, x)| (f - x).abs() < 1e-6));
    Ok(())
}
