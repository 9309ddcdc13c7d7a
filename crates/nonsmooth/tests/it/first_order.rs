//! First-order systems and relations: circuits, relays, sliding, and mechanics beside them.

mod control;
mod laws;
mod mechanics;
mod orders;
mod references;

use crate::kit::{Arc, Model, ModelBuilder, Simulation, Sparse, State};
use nonsmooth::integrators::EulerMoreau;
use nonsmooth::laws::{Complementarity, Relay};
use nonsmooth::model::FirstOrder;
use nonsmooth::model::relations::{LinearRelation, Variable};

/// States, y and λ of a run of `n` steps, the start included.
struct Course {
    t: Vec<f64>,
    x: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    lambda: Vec<Vec<f64>>,
}

fn run(model: &Arc<Model>, state: &State, scheme: EulerMoreau, h: f64, n: usize) -> Course {
    let mut simulation = Simulation::new(model.clone(), state.clone(), scheme, h).expect("accepted");
    let mut course = Course { t: vec![], x: vec![], y: vec![], lambda: vec![] };
    let mut see = |state: &State| {
        let values = model.relation_values(state).expect("finite");
        course.t.push(state.t);
        course.x.push(state.v.clone());
        course.y.push(values.y);
        course.lambda.push(values.lambda);
    };
    see(state);
    for _ in 0..n {
        see(simulation.step().expect("the step is made").after);
    }
    course
}

fn theta(theta: f64) -> EulerMoreau {
    EulerMoreau { theta, ..EulerMoreau::default() }
}

/// L = 10 mH and C = 1 µF in parallel with a diode and R = 1 kΩ in series, charged to 10 V.
fn circuit() -> (Arc<Model>, State) {
    let (l, c, r) = (1e-2, 1e-6, 1e3);
    let mut builder = ModelBuilder::new();
    let matrix = Sparse::from_rows(&[vec![0.0, -1.0 / c], vec![1.0 / l, 0.0]]);
    let system = FirstOrder::new("circuit", &[10.0, 0.0]).states(&["v_c", "i_l"]).matrix(matrix);
    let circuit = builder.first_order(system);
    let law = builder.law("diode", Complementarity);
    let diode = LinearRelation::new(1, &[-1.0], &[-1.0 / c]).feedthrough(&[r]);
    let v_c = Variable::state(circuit, 0);
    builder.relation("diode", law, &[v_c], &[(circuit, 0)], diode);
    builder.build(0.0).expect("a right model")
}

/// ẋ = A x + B λ with a relay on y = C x.
fn relay_system(x: &[f64], a: Option<&[Vec<f64>]>, b: &[f64], c: &[f64]) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let mut system = FirstOrder::new("plant", x);
    if let Some(a) = a {
        system = system.matrix(Sparse::from_rows(a));
    }
    let plant = builder.first_order(system);
    let law = builder.law("relay", Relay { lower: -1.0, upper: 1.0 });
    let n = x.len();
    let rows = c.len() / n;
    let reads: Vec<Variable> = (0..n).map(|i| Variable::state(plant, i)).collect();
    let acts: Vec<_> = (0..n).map(|i| (plant, i)).collect();
    builder.relation("switch", law, &reads, &acts, LinearRelation::new(rows, c, b));
    builder.build(0.0).expect("a right model")
}
