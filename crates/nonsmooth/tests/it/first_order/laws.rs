//! Polytopes, nonlinear relations, wrong input.

use super::{LinearRelation, Variable, run, theta};
use crate::kit::{ModelBuilder, NewtonImpact, Simulation, Sparse};
use nonsmooth::laws::Complementarity;
use nonsmooth::model::relations::{Point, Polytope, RelationFunction};
use nonsmooth::model::{FirstOrder, UserError};

/// λ in a triangle against x in the plane: x is pulled along the corner that −x likes most, and stays at rest at the origin.
#[test]
fn a_polytope_pulls_towards_its_best_corner() {
    let mut builder = ModelBuilder::new();
    let plant = builder.first_order(FirstOrder::new("plant", &[0.3, 0.1]));
    let reads = [Variable::state(plant, 0), Variable::state(plant, 1)];
    let identity = LinearRelation::new(2, &[1.0, 0.0, 0.0, 1.0], &[1.0, 0.0, 0.0, 1.0]);
    // Corners (−1, 0), (½, ±√3/2).
    let s = 3f64.sqrt();
    let normals = [2.0, 0.0, -1.0, s, -1.0, -s];
    let triangle = Polytope::new(identity, &normals, &[1.0, 1.0, 1.0]);
    builder.polytope("pull", &reads, &[(plant, 0), (plant, 1)], triangle);
    let (model, state) = builder.build(0.0).unwrap();
    let ours = run(&model, &state, theta(1.0), 1e-3, 1000);
    // x = (0.3, 0.1): −x·corner is largest at (−1, 0).
    assert!((ours.lambda[1][0] + 1.0).abs() < 1e-11 && ours.lambda[1][1].abs() < 1e-11);
    // Against every corner: −y·λ is the support of the triangle.
    for k in 1..=1000 {
        let (y, lambda) = (&ours.y[k], &ours.lambda[k]);
        let corners = [[-1.0, 0.0], [0.5, 0.5 * s], [0.5, -0.5 * s]];
        let support = corners.map(|c| -y[0] * c[0] - y[1] * c[1]).into_iter().fold(f64::MIN, f64::max);
        let work = -y[0] * lambda[0] - y[1] * lambda[1];
        assert!((support - work).abs() < 1e-11, "step {k}: {work} for {support}");
    }
    assert!(ours.x[1000].iter().all(|x| x.abs() < 1e-12), "{:?}", ours.x[1000]);
}

/// A real diode, 0 = v_C − V_T ln(1 + λ/I_s) − … as a smooth relation: λ free, y = h(z, λ).
struct Exponential;

impl RelationFunction for Exponential {
    fn n_rows(&self) -> usize {
        1
    }

    fn output(&self, at: &Point<'_>, y: &mut [f64]) -> Result<(), UserError> {
        y[0] = 0.1 * (at.lambda[0] / 1e-3).sinh().asinh().max(-1.0) + 10.0 * at.lambda[0] - at.z[0];
        Ok(())
    }

    fn input(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        r[0] = -at.lambda[0] * (1.0 + 0.1 * at.z[0] * at.z[0]);
        Ok(())
    }
}

/// ẋ = −λ (1 + 0.1 x²), x = 110 λ: against a fine integration by a formula of its own.
#[test]
fn nonlinear_relations_are_solved_by_newton() {
    let mut builder = ModelBuilder::new();
    let plant = builder.first_order(FirstOrder::new("plant", &[2.0]));
    let law = builder.law("open", nonsmooth::laws::Bilateral);
    builder.relation("r", law, &[Variable::state(plant, 0)], &[(plant, 0)], Exponential);
    let (model, state) = builder.build(0.0).unwrap();
    let (h, n) = (0.1, 100);
    let ours = run(&model, &state, theta(1.0), h, n);
    // Implicit Euler of the reduced equation, by bisection.
    let mut x = 2.0f64;
    for k in 1..=n {
        let (mut low, mut high) = (0.0, x);
        for _ in 0..200 {
            let mid: f64 = 0.5 * (low + high);
            let f = mid - x + h * mid / 110.0 * (1.0 + 0.1 * mid * mid);
            if f > 0.0 { high = mid } else { low = mid }
        }
        x = low;
        assert!((ours.x[k][0] - x).abs() < 1e-11, "step {k}: {} for {x}", ours.x[k][0]);
        assert!(ours.y[k][0].abs() < 1e-11);
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let mut builder = ModelBuilder::new();
    let matrix = Sparse::from_rows(&[vec![0.0, 1.0, 2.0]]);
    let plant = builder.first_order(FirstOrder::new("plant", &[0.0, f64::NAN]).matrix(matrix));
    let law = builder.law("bounce", NewtonImpact { restitution: 0.5 });
    let reads = [Variable::state(plant, 0), Variable::state(plant, 7), Variable::Coordinate(plant, 0)];
    let wrong = LinearRelation::new(1, &[1.0], &[f64::INFINITY]).feedthrough(&[1.0, 2.0]);
    builder.relation("r", law, &reads, &[(plant, 0)], wrong);
    let text = builder.build(0.0).err().unwrap().to_string();
    for part in [
        "system[0].x: entry 1 is NaN",
        "system[0].A: must have 2 × 2 entries, has 1 × 3",
        "relation[0].reads: system 0 has 2",
        "relation[0].reads: system 0 has 0",
        "relation[0].C: must have 3 entries, has 1",
        "relation[0].B: entry 0 is inf",
        "relation[0].D: must have 1 entries, has 2",
        "relation[0].law: law `bounce` ties gaps and impulses, not y and λ",
    ] {
        assert!(text.contains(part), "`{part}` not in:\n{text}");
    }
}

/// y = −1 whatever λ is: nothing solves 0 ≤ y, and the step says so with the name.
#[test]
fn what_has_no_solution_is_refused_with_its_name() {
    let mut builder = ModelBuilder::new();
    let plant = builder.first_order(FirstOrder::new("plant", &[0.0]));
    let law = builder.law("diode", Complementarity);
    let blind = LinearRelation::new(1, &[0.0], &[1.0]).constant(&[-1.0]);
    builder.relation("blind", law, &[Variable::state(plant, 0)], &[(plant, 0)], blind);
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, theta(1.0), 1e-2).unwrap();
    let text = simulation.step().err().unwrap().to_string();
    assert!(text.contains("relation `blind`"), "{text}");
}
