//! Steps of one scene, for counting instructions: `bench_core SCENE STEPS`; without arguments the scenes are listed.
//! `cargo xtask bench core` runs them under callgrind and writes docs/bench-core.md. At the end a scene prints a number that has every bit of
//! its state in it, and the most memory that the process had.

mod piles;

use nonsmooth::geometry::spatial::Shape;
use nonsmooth::integrators::{IntoIntegrator, KickDrift, MoreauJean};
use nonsmooth::joints::{Revolute, Spherical};
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::model::{Anchor, Linear, ModelBuilder, Rigid, Spring};
use nonsmooth::observers::{EnergyLedger, Summary};
use nonsmooth::solvers::Sparse;
use nonsmooth::{Simulation, State};
use piles::{add_gap, add_joint, add_pendulum, add_spring, packing};

/// A scene and how to make so many steps of it.
struct Scene {
    name: &'static str,
    run: fn(u64),
}

const SCENES: &[Scene] = &[
    Scene { name: "ball", run: |steps| watch(ball(), steps) },
    Scene { name: "sphere", run: |steps| watch(sphere(), steps) },
    Scene { name: "pendulum", run: |steps| watch(pendulum(), steps) },
    Scene { name: "packing", run: |steps| go(packing(10, |_| {}), steps) },
    Scene { name: "packing-spring", run: |steps| go(packing(10, add_spring), steps) },
    Scene { name: "packing-gap", run: |steps| go(packing(10, add_gap), steps) },
    Scene { name: "packing-joint", run: |steps| go(packing(10, add_joint), steps) },
    Scene { name: "packing-pendulum", run: |steps| go(packing(10, add_pendulum), steps) },
    Scene { name: "packing-10000", run: |steps| go(packing(22, |_| {}), steps) },
    Scene { name: "packing-100000", run: |steps| go(packing(47, |_| {}), steps) },
    Scene { name: "beads", run: |steps| go(piles::beads(), steps) },
    Scene { name: "wall", run: |steps| go(piles::wall(), steps) },
    Scene { name: "tower", run: |steps| go(piles::tower(), steps) },
    Scene { name: "arch", run: |steps| go(piles::arch(), steps) },
    Scene { name: "capsules", run: |steps| go(piles::capsules(), steps) },
    Scene { name: "disks", run: |steps| go(piles::disks(), steps) },
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
    println!("bits {:x}", bits(&simulation.state));
    println!("memory {:.0} kB", memory());
}

/// A number that changes with any bit of q, v and the lasting forces.
fn bits(state: &State) -> u64 {
    let all = state.q.iter().chain(&state.v).chain(&state.memory.forces);
    all.fold(0xcbf2_9ce4_8422_2325, |sum: u64, x| {
        (sum.rotate_left(5) ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The most memory that the process had [kB]; 0 where the system does not tell.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
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
