//! Steps of one scene, for counting instructions: `bench_core SCENE STEPS`; without arguments the scenes are listed.
//! `cargo xtask bench core` runs them under callgrind and writes docs/bench-core.md.

use nonsmooth::Simulation;
use nonsmooth::geometry::spatial::Shape;
use nonsmooth::integrators::{IntoIntegrator, KickDrift, MoreauJean};
use nonsmooth::joints::{Revolute, Spherical};
use nonsmooth::laws::{Coulomb, NewtonImpact};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::model::{Anchor, Linear, ModelBuilder, Rigid, Spring};
use nonsmooth::observers::{EnergyLedger, Summary};
use nonsmooth::solvers::Sparse;
use nonsmooth_testkit::Random;

/// A scene and how to make so many steps of it.
struct Scene {
    name: &'static str,
    run: fn(u64),
}

const SCENES: &[Scene] = &[
    Scene { name: "ball", run: |steps| watch(ball(), steps) },
    Scene { name: "sphere", run: |steps| watch(sphere(), steps) },
    Scene { name: "pendulum", run: |steps| watch(pendulum(), steps) },
    Scene { name: "packing", run: |steps| go(packing(|_| {}), steps) },
    Scene { name: "packing-spring", run: |steps| go(packing(add_spring), steps) },
    Scene { name: "packing-gap", run: |steps| go(packing(add_gap), steps) },
    Scene { name: "packing-joint", run: |steps| go(packing(add_joint), steps) },
    Scene { name: "free-100", run: |steps| go(chain(100, Link::None), steps) },
    Scene { name: "free-1000", run: |steps| go(chain(1000, Link::None), steps) },
    Scene { name: "free-10000", run: |steps| go(chain(10_000, Link::None), steps) },
    Scene { name: "springs-100", run: |steps| go(chain(100, Link::Spring), steps) },
    Scene { name: "springs-1000", run: |steps| go(chain(1000, Link::Spring), steps) },
    Scene { name: "springs-10000", run: |steps| go(chain(10_000, Link::Spring), steps) },
    Scene { name: "joints-100", run: |steps| go(chain(100, Link::Joint), steps) },
    Scene { name: "joints-1000", run: |steps| go(chain(1000, Link::Joint), steps) },
    Scene { name: "joints-10000", run: |steps| go(chain(10_000, Link::Joint), steps) },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, steps] = &arguments[..] else {
        SCENES.iter().for_each(|scene| println!("{}", scene.name));
        return;
    };
    let steps = steps.parse().expect("STEPS is a number");
    let scene = SCENES.iter().find(|scene| scene.name == name).expect("the scene is listed");
    (scene.run)(steps);
}

fn go(mut simulation: Simulation, steps: u64) {
    simulation.run(steps, &mut []).expect("the run goes on");
}

/// With ledger and summary; begun again every 2000 steps, so that flight, bounces and rest keep their shares.
fn watch(mut simulation: Simulation, steps: u64) {
    let start = simulation.state.clone();
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    for _ in 0..steps / 2000 {
        simulation.resume(start.clone(), 0.0);
        simulation.run(2000, &mut [&mut ledger, &mut summary]).expect("the run goes on");
    }
}

fn simulation(builder: ModelBuilder, scheme: impl IntoIntegrator, h: f64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, scheme, h).expect("accepted")
}

/// The ball of `bench_small`.
fn ball() -> Simulation {
    let mut builder = ModelBuilder::new();
    let linear = Linear::new("ball", Sparse::diagonal(&[1.0, 1.0, 0.006]));
    let ball = builder.linear(linear.load(&[-9.81, 0.0, 0.0]).initial(&[1.0, 0.0, 0.0], &[0.0; 3]));
    let law = builder.law("rebound", NewtonImpact { restitution: 0.9 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], -0.1);
    simulation(builder, MoreauJean::default(), 0.005)
}

/// The same ball as a rigid sphere in space.
fn sphere() -> Simulation {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.9 });
    let material = builder.material("rubber");
    builder.default_pair(law);
    let floor = Shape::half_space([0.0, 0.0, 1.0]).expect("a plane");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::space(floor, material)]));
    let mut body = Body::new("ball", 1.0, round(0.004));
    body.position = [0.0, 0.0, 1.0];
    body.colliders = vec![Collider::space(Shape::ball(0.1).expect("a ball"), material)];
    builder.body(body);
    simulation(builder, KickDrift::default(), 0.005)
}

/// A body in space that swings about a fixed axis.
fn pendulum() -> Simulation {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let mut arm = Body::new("arm", 1.0, [[0.01, 0.0, 0.0], [0.0, 0.08, 0.0], [0.0, 0.0, 0.08]]);
    arm.position = [0.5, 0.0, 0.0];
    let arm = builder.body(arm);
    builder.joint("hinge", Revolute::at([0.0; 3]).axis([0.0, 1.0, 0.0]), Rigid::World, arm);
    simulation(builder, KickDrift::default(), 0.005)
}

fn round(moment: f64) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { moment } else { 0.0 }))
}

/// Balls along a side of the packing.
const SIDE: usize = 10;
/// Radius of its balls [m].
const RADIUS: f64 = 0.05;

/// 1000 balls in a box, pressed together by a thousandth of their radius and shaken, and what `add` adds.
fn packing(add: fn(&mut ModelBuilder)) -> Simulation {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let material = builder.material("stuff");
    let law = Coulomb { friction: 0.4, restitution: 0.2, ..Coulomb::default() };
    let law = builder.law("all", law);
    builder.default_pair(law);
    let width = 2.0 * RADIUS * SIDE as f64;
    let walls = [
        ([0.0, 0.0, 1.0], 0.0),
        ([1.0, 0.0, 0.0], 0.0),
        ([0.0, 1.0, 0.0], 0.0),
        ([-1.0, 0.0, 0.0], width),
        ([0.0, -1.0, 0.0], width),
    ];
    for (k, (normal, at)) in walls.into_iter().enumerate() {
        let plane = Shape::half_space(normal).expect("a plane");
        let wall = KinematicBody::new(&format!("wall {k}"), vec![Collider::space(plane, material)]);
        builder.kinematic(KinematicBody { position: [at; 3], ..wall });
    }
    let (ball, mut random) = (Shape::ball(RADIUS).expect("a ball"), Random::new(1));
    let mass = ball.mass_properties(1000.0).expect("a solid");
    for k in 0..SIDE * SIDE * SIDE {
        let place = [k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)];
        let off = random.vector(1e-3 * RADIUS);
        let body = Body::new(&format!("ball {k}"), mass.mass, mass.inertia);
        builder.body(Body {
            position: std::array::from_fn(|i| (2.0 * place[i] as f64 + 1.0) * RADIUS + off[i]),
            velocity: random.vector(0.1),
            angular_velocity: random.vector(1.0),
            colliders: vec![Collider::space(ball.clone(), material)],
            ..body
        });
    }
    builder.allow_initial_violation();
    add(&mut builder);
    simulation(builder, MoreauJean::default(), 1e-3)
}

/// A soft spring between two balls far apart.
fn add_spring(builder: &mut ModelBuilder) {
    let ends = [0, 999].map(|i| Anchor { on: Rigid::Body(i), at: [0.0; 3] });
    let (stiffness, damping, rest_length) = (1.0, 0.0, 0.1);
    builder.spring(Spring { name: "spring".into(), ends, stiffness, damping, rest_length });
}

/// A mass that rests on a gap of its own, far from the balls.
fn add_gap(builder: &mut ModelBuilder) {
    let mass = builder.linear(Linear::new("mass", Sparse::diagonal(&[1.0])).load(&[-9.81]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
}

/// A spherical joint between two neighbours at the top.
fn add_joint(builder: &mut ModelBuilder) {
    builder.joint("joint", Spherical::at([0.1, 0.95, 0.95]), Rigid::Body(990), Rigid::Body(991));
}

#[derive(Clone, Copy)]
enum Link {
    None,
    Spring,
    Joint,
}

/// A row of bodies that hang from the world and from each other.
fn chain(n: usize, link: Link) -> Simulation {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let mut last = Rigid::World;
    for i in 0..n {
        let x = 0.1 * i as f64;
        let body = Body::new(&format!("body {i}"), 0.1, round(1e-5));
        let body = builder.body(Body { position: [x, 0.0, 0.0], ..body });
        match link {
            Link::None => {}
            Link::Spring => {
                let from = if last == Rigid::World { [-0.1, 0.0, 0.0] } else { [0.0; 3] };
                let ends = [Anchor { on: last, at: from }, Anchor { on: body, at: [0.0; 3] }];
                let (name, stiffness, damping, rest_length) = (format!("spring {i}"), 1e4, 0.0, 0.1);
                builder.spring(Spring { name, ends, stiffness, damping, rest_length });
            }
            Link::Joint => {
                builder.joint(&format!("joint {i}"), Spherical::at([x - 0.05, 0.0, 0.0]), last, body);
            }
        }
        last = body;
    }
    simulation(builder, MoreauJean::default(), 1e-3)
}
