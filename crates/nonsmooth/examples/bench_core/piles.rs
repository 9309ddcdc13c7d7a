//! Scenes of contacts: packings, beads, wall, tower, arch, capsules, disks.

use super::simulation;
use nonsmooth::Simulation;
use nonsmooth::geometry::{planar, spatial::Shape};
use nonsmooth::integrators::{IntoIntegrator, MoreauJean};
use nonsmooth::joints::{Revolute, Spherical};
use nonsmooth::laws::{Coulomb, NewtonImpact};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, MaterialId};
use nonsmooth::model::{Anchor, Linear, ModelBuilder, Rigid, Spring};
use nonsmooth::solvers::Sparse;
use nonsmooth::{Integrator, SolverSettings};
use nonsmooth_testkit::Random;

/// Radius of the balls [m].
const RADIUS: f64 = 0.05;

/// Gravity along −z, one material, one law.
fn world(friction: f64, restitution: f64) -> (ModelBuilder, MaterialId) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let material = builder.material("stuff");
    let law = builder.law("all", Coulomb { friction, restitution, ..Coulomb::default() });
    builder.default_pair(law);
    (builder, material)
}

fn plane(builder: &mut ModelBuilder, material: MaterialId, normal: [f64; 3], at: f64) {
    let shape = Shape::half_space(normal).expect("a plane");
    let plane = KinematicBody::new(&format!("plane {normal:?}"), vec![Collider::space(shape, material)]);
    builder.kinematic(KinematicBody { position: [at; 3], ..plane });
}

/// Loose enough for heaps: what is compared is work at one tolerance.
fn to_tolerance(tolerance: f64) -> Box<dyn Integrator> {
    let solving = SolverSettings { tolerance, ..SolverSettings::default() };
    let entry = nonsmooth::integrators::find("moreau-jean").expect("listed");
    entry.build(&nonsmooth::solvers::Options::default(), solving).expect("no options")
}

/// `side`³ balls in a box, pressed together by a thousandth of their radius and shaken, and what `add` adds.
pub(super) fn packing(side: usize, add: fn(&mut ModelBuilder)) -> Simulation {
    let (mut builder, material) = world(0.4, 0.2);
    let width = 2.0 * RADIUS * side as f64;
    plane(&mut builder, material, [0.0, 0.0, 1.0], 0.0);
    for (normal, at) in [
        ([1.0, 0.0, 0.0], 0.0),
        ([0.0, 1.0, 0.0], 0.0),
        ([-1.0, 0.0, 0.0], width),
        ([0.0, -1.0, 0.0], width),
    ] {
        plane(&mut builder, material, normal, at);
    }
    let (ball, mut random) = (Shape::ball(RADIUS).expect("a ball"), Random::new(1));
    let mass = ball.mass_properties(1000.0).expect("a solid");
    for k in 0..side * side * side {
        let place = [k % side, k / side % side, k / (side * side)];
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
    if side > 10 {
        return simulation(builder, to_tolerance(1e-3), 1e-3);
    }
    simulation(builder, MoreauJean::default(), 1e-3)
}

/// A soft spring between two balls far apart.
pub(super) fn add_spring(builder: &mut ModelBuilder) {
    let ends = [0, 999].map(|i| Anchor { on: Rigid::Body(i), at: [0.0; 3] });
    let (stiffness, damping, rest_length) = (1.0, 0.0, 0.1);
    builder.spring(Spring { name: "spring".into(), ends, stiffness, damping, rest_length });
}

/// A mass that rests on a gap of its own, far from the balls.
pub(super) fn add_gap(builder: &mut ModelBuilder) {
    let mass = builder.linear(Linear::new("mass", Sparse::diagonal(&[1.0])).load(&[-9.81]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
}

/// A spherical joint between two neighbours at the top.
pub(super) fn add_joint(builder: &mut ModelBuilder) {
    builder.joint("joint", Spherical::at([0.1, 0.95, 0.95]), Rigid::Body(990), Rigid::Body(991));
}

/// A body on a hinge that swings beside the balls and touches none.
pub(super) fn add_pendulum(builder: &mut ModelBuilder) {
    let arm = Body::new("arm", 1.0, [[0.01, 0.0, 0.0], [0.0, 0.08, 0.0], [0.0, 0.0, 0.08]]);
    let arm = builder.body(Body { position: [10.5, 0.0, 0.0], ..arm });
    let hinge = Revolute::at([10.0, 0.0, 0.0]).axis([0.0, 1.0, 0.0]);
    builder.joint("hinge", hinge, Rigid::World, arm);
}

/// A column of 1000 beads that rest on each other, with linear gaps.
pub(super) fn beads() -> Simulation {
    let (n, radius) = (1000, 0.1);
    let mut builder = ModelBuilder::new();
    let start: Vec<f64> =
        (0..n).map(|i| radius + 2.0 * radius * i as f64 - 1e-6 * (i + 1) as f64).collect();
    let law = builder.law("rest", NewtonImpact { restitution: 0.0 });
    let beads = Linear::new("beads", Sparse::diagonal(&vec![1.0; n])).load(&vec![-9.81; n]);
    let beads = builder.linear(beads.initial(&start, &vec![0.0; n]));
    builder.linear_gap("floor", law, &[(beads, 0, 1.0)], -radius);
    for i in 1..n {
        let gap = [(beads, i, 1.0), (beads, i - 1, -1.0)];
        builder.linear_gap(&format!("gap {i}"), law, &gap, -2.0 * radius);
    }
    builder.allow_initial_violation();
    simulation(builder, to_tolerance(1e-8), 0.005)
}

/// A solid of 1000 kg/m³, named by its number.
fn named(builder: &mut ModelBuilder, material: MaterialId, shape: &Shape, position: [f64; 3]) {
    let body = Body::solid("solid", shape.clone(), 1000.0, material).expect("a solid");
    let name = format!("solid at {position:?}");
    builder.body(Body { name, position, ..body });
}

fn rest(builder: ModelBuilder, scheme: impl IntoIntegrator) -> Simulation {
    simulation(builder, scheme, 2e-3)
}

/// Eight courses of eight bricks in bond.
pub(super) fn wall() -> Simulation {
    let (mut builder, material) = world(0.5, 0.0);
    plane(&mut builder, material, [0.0, 0.0, 1.0], 0.0);
    let brick = Shape::cuboid([0.1, 0.05, 0.05]).expect("a brick");
    for course in 0..8 {
        for i in 0..8 {
            let x = 0.2001 * f64::from(i) + 0.1 * f64::from(course % 2);
            named(&mut builder, material, &brick, [x, 0.0, 0.05 + 0.1 * f64::from(course)]);
        }
    }
    rest(builder, to_tolerance(1e-6))
}

/// Twenty plates, one on the other.
pub(super) fn tower() -> Simulation {
    let (mut builder, material) = world(0.5, 0.0);
    plane(&mut builder, material, [0.0, 0.0, 1.0], 0.0);
    let plate = Shape::cuboid([0.2, 0.2, 0.05]).expect("a plate");
    for k in 0..20 {
        named(&mut builder, material, &plate, [0.0, 0.0, 0.05 + 0.1 * f64::from(k)]);
    }
    rest(builder, to_tolerance(1e-6))
}

/// Half a circle of eleven wedges.
pub(super) fn arch() -> Simulation {
    let (mut builder, material) = world(0.8, 0.0);
    plane(&mut builder, material, [0.0, 0.0, 1.0], 0.0);
    let angle = std::f64::consts::PI / 11.0;
    for k in 0..11 {
        let corner = |r: f64, a: f64, y: f64| [-r * a.cos(), y, r * a.sin()];
        let mut points = Vec::new();
        for a in [f64::from(k) * angle, f64::from(k + 1) * angle] {
            for (r, y) in [(1.0, -0.1), (1.0, 0.1), (1.3, -0.1), (1.3, 0.1)] {
                points.push(corner(r, a, y));
            }
        }
        let wedge = Shape::hull(&points).expect("a wedge");
        let centre = wedge.mass_properties(1000.0).expect("a solid").centre;
        named(&mut builder, material, &wedge, centre);
    }
    rest(builder, to_tolerance(1e-6))
}

/// Sixty-four capsules that fall on a floor, turned at random.
pub(super) fn capsules() -> Simulation {
    let (mut builder, material) = world(0.5, 0.1);
    plane(&mut builder, material, [0.0, 0.0, 1.0], 0.0);
    let (capsule, mut random) = (Shape::capsule(0.1, 0.05).expect("a capsule"), Random::new(2));
    for k in 0..64 {
        let [x, y, z] = [k % 4, k / 4 % 4, k / 16].map(|i| 0.25 * f64::from(i));
        let body = Body::solid("capsule", capsule.clone(), 1000.0, material).expect("a solid");
        let name = format!("capsule {k}");
        let position = [x, y, 0.15 + z];
        builder.body(Body { name, position, rotation: turn(&mut random), ..body });
    }
    builder.allow_initial_violation();
    rest(builder, to_tolerance(1e-4))
}

/// Three hundred disks in a box in the plane, pressed together.
pub(super) fn disks() -> Simulation {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -9.81, 0.0]);
    let material = builder.material("stuff");
    let law = builder.law("all", Coulomb { friction: 0.4, ..Coulomb::default() });
    builder.default_pair(law);
    let width = 2.0 * RADIUS * 15.0;
    for (k, (normal, at)) in
        [([0.0, 1.0], 0.0), ([1.0, 0.0], 0.0), ([-1.0, 0.0], width)].into_iter().enumerate()
    {
        let shape = planar::Shape::half_plane(normal).expect("a line");
        let wall = KinematicBody::new(&format!("wall {k}"), vec![Collider::plane(shape, material)]);
        builder.kinematic(KinematicBody { position: [at, 0.0, 0.0], ..wall });
    }
    let (disk, mut random) = (planar::Shape::ball(RADIUS).expect("a disk"), Random::new(3));
    for k in 0..300 {
        let off = random.vector(1e-3 * RADIUS);
        let place = [k % 15, k / 15].map(|i| (2.0 * f64::from(i) + 1.0) * RADIUS);
        let body = Body::plate("disk", disk.clone(), 1000.0, material).expect("a plate");
        let position = [place[0] + off[0], place[1] + off[1], 0.0];
        builder.body(Body { name: format!("disk {k}"), position, ..body });
    }
    builder.allow_initial_violation();
    rest(builder, to_tolerance(1e-4))
}

/// A quaternion; it need not be normalized.
fn turn(random: &mut Random) -> [f64; 4] {
    let [x, y, z] = random.vector(1.0);
    [0.5, x, y, z]
}
