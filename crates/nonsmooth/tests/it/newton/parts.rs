//! Newton's iteration by island: what is linear is solved once, and each nonlinear island ends at its own accuracy.

use nonsmooth::geometry::spatial::Shape;
use nonsmooth::integrators::{MoreauJean, Scheme};
use nonsmooth::joints::Revolute;
use nonsmooth::laws::{Coulomb, NewtonImpact};
use nonsmooth::model::constraints::Drive;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::model::{Instant, Linear, ModelBuilder, Rigid};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::solvers::{Options, Outcome, Problem, Solver, Sparse, Unsupported};
use nonsmooth::{Integrator, Simulation, SolverSettings};
use std::sync::{Arc, Mutex};

/// `auto`, which notes the number of sets of each problem that it is given.
struct Noting {
    inner: Box<dyn Solver>,
    sizes: Arc<Mutex<Vec<usize>>>,
}

impl Solver for Noting {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        self.inner.accepts(problem)
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        self.sizes.lock().expect("one thread").push(problem.sets.len());
        self.inner.solve(problem, tolerance, p)
    }

    fn forget(&mut self) {
        self.inner.forget();
    }
}

/// moreau-jean, and what it gives its solver.
fn noted() -> (Box<dyn Integrator>, Arc<Mutex<Vec<usize>>>) {
    let auto = nonsmooth::solvers::find("auto").expect("listed");
    let inner = auto.build(&Options::default()).expect("no options");
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let solver = Box::new(Noting { inner, sizes: sizes.clone() });
    let settings = SolverSettings { solver, ..SolverSettings::default() };
    (MoreauJean::default().with_solver(settings).expect("right settings"), sizes)
}

const MOMENTS: [f64; 3] = [0.01, 0.08, 0.08];

fn inertia(moments: [f64; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { moments[i] } else { 0.0 }))
}

/// An arm on a hinge, level, `x` beside the origin.
fn pendulum(builder: &mut ModelBuilder, x: f64) -> Rigid {
    let arm = Body::new(&format!("arm {x}"), 1.0, inertia(MOMENTS));
    let arm = builder.body(Body { position: [x + 0.5, 0.0, 5.0], ..arm });
    let hinge = Revolute::at([x, 0.0, 5.0]).axis([0.0, 1.0, 0.0]);
    builder.joint(&format!("hinge {x}"), hinge, Rigid::World, arm);
    arm
}

/// Balls in two layers on a floor, pushed together a little.
fn heap(builder: &mut ModelBuilder) {
    let material = builder.material("stuff");
    let law = builder.law("all", Coulomb { friction: 0.4, restitution: 0.2, ..Coulomb::default() });
    builder.default_pair(law);
    let floor = Shape::half_space([0.0, 0.0, 1.0]).expect("a plane");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::space(floor, material)]));
    let ball = Shape::ball(0.1).expect("a ball");
    for k in 0..18 {
        let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(|i| 0.199 * f64::from(i));
        let body = Body::solid(&format!("ball {k}"), ball.clone(), 1000.0, material).expect("a solid");
        builder.body(Body { position: [x, y, 0.099 + z], velocity: [0.1 * x, 0.05, -0.2], ..body });
    }
    builder.allow_initial_violation();
}

fn world() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    builder
}

fn simulation(builder: ModelBuilder, scheme: Box<dyn Integrator>, h: f64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, scheme, h).expect("accepted")
}

/// q and v of the body `name`, one after the other.
fn of_body(simulation: &Simulation, name: &str) -> Vec<f64> {
    let (model, state) = (&simulation.model, &simulation.state);
    let body = model.rigid.bodies.iter().find(|body| body.name == name).expect("it is there");
    let (q, v) = (body.q as usize, body.v as usize);
    [&state.q[q..q + 7], &state.v[v..v + 6]].concat()
}

/// The heap is given to the solver once in each step; the passes of the pendulum are problems of its own, and it swings as it does alone.
#[test]
fn a_heap_beside_a_pendulum_is_solved_once() {
    let mut builder = world();
    pendulum(&mut builder, 10.0);
    let mut alone = simulation(builder, noted().0, 1e-3);
    let mut builder = world();
    heap(&mut builder);
    pendulum(&mut builder, 10.0);
    let (scheme, sizes) = noted();
    let mut both = simulation(builder, scheme, 1e-3);
    let mut passes = 0;
    for _ in 0..200 {
        sizes.lock().expect("one thread").clear();
        let contacts = both.step().expect("the run goes on").log.constraints.len() - 1;
        alone.step().expect("the run goes on");
        let sizes = sizes.lock().expect("one thread");
        let of_heap = sizes.iter().filter(|size| **size > 5).count();
        assert!(of_heap <= 1 && (of_heap == 1 || contacts == 0), "{sizes:?}");
        passes += sizes.len() - of_heap;
    }
    assert!(passes > 200, "the pendulum takes passes: {passes}");
    let pairs = of_body(&both, "arm 10").into_iter().zip(of_body(&alone, "arm 10"));
    let off = pairs.fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 1e-11, "{off:.1e}");
}

/// A drive that follows another pendulum, which no row joins it to: the step ends where the whole agrees, not each island for itself.
#[test]
fn what_one_island_sees_of_another_is_that_of_the_end() {
    let mut builder = world();
    heap(&mut builder);
    let leader = pendulum(&mut builder, 10.0);
    let Rigid::Body(leader) = leader else { panic!("a body") };
    let follow = move |at: &Instant<'_>| Ok(at.rigid[leader].spin.y);
    let arm = Body::new("follower", 1.0, inertia(MOMENTS));
    let arm = builder.body(Body { position: [20.5, 0.0, 5.0], ..arm });
    let hinge = Revolute::at([20.0, 0.0, 5.0]).axis([0.0, 1.0, 0.0]);
    builder.joint("driven", hinge, Rigid::World, arm).drive(Drive::Velocity(Arc::new(follow)));
    let mut both = simulation(builder, noted().0, 1e-3);
    for _ in 0..200 {
        both.step().expect("the run goes on");
        let [leads, follows] = ["arm 10", "follower"].map(|name| of_body(&both, name)[7 + 4]);
        assert!((leads - follows).abs() < 1e-10 * leads.abs(), "{leads} {follows}");
    }
}

/// A damped mass under a force of time that hits a floor, beside a pendulum: each column of the ledger is the sum of those that both have alone.
#[test]
fn what_stands_is_booked_while_a_pendulum_takes_passes() {
    let driven = |builder: &mut ModelBuilder| {
        let mass = Linear::new("mass", Sparse::diagonal(&[2.0]))
            .damping(Sparse::diagonal(&[3.0]))
            .stiffness(Sparse::diagonal(&[40.0]))
            .force(|t, out| {
                out[0] = -30.0 * (5.0 * t).sin();
                Ok(())
            })
            .initial(&[0.2], &[0.0]);
        let mass = builder.linear(mass);
        let law = builder.law("floor", NewtonImpact { restitution: 0.5 });
        builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
    };
    let swinging = |builder: &mut ModelBuilder| {
        heap(builder);
        pendulum(builder, 10.0);
    };
    let ledger_of = |parts: &[&dyn Fn(&mut ModelBuilder)]| {
        let mut builder = world();
        parts.iter().for_each(|part| part(&mut builder));
        let (mut simulation, mut ledger) =
            (simulation(builder, noted().0, 1e-3), EnergyLedger::default());
        simulation.run(300, &mut [&mut ledger]).expect("the run goes on");
        ledger
    };
    let [mass, arm, both] =
        [ledger_of(&[&driven]), ledger_of(&[&swinging]), ledger_of(&[&driven, &swinging])];
    assert!(mass.total.external.abs() > 0.1 && mass.total.viscous < -0.01 && mass.total.impact < 0.0);
    let sums = mass.total.columns().into_iter().zip(arm.total.columns());
    for (((name, a), (_, b)), (_, both)) in sums.zip(both.total.columns()) {
        assert!((a + b - both).abs() < 1e-7, "{name}: {a} + {b} is not {both}");
    }
    assert!(both.remainder.abs() < 1e-9 * both.scale, "{} of {}", both.remainder, both.scale);
}
