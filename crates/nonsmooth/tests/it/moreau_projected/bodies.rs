//! Moreau–Jean with projection and rigid bodies, in the plane and in space: no overlap, no drift of joints, rest, order, ledger.

use super::{TOLERANCE, combined, direct};
use crate::kit::{Coulomb, EnergyLedger, ModelBuilder, Options, Refusal, Simulation, Summary};
use crate::models::assert_cut_and_reset;
use crate::stage::{G, Stage, height, pendulum, pendulum_exact};
use crate::{integrator, order};
use nonsmooth::laws::Poisson;
use nonsmooth::model::Rigid;
use nonsmooth::model::constraints::joints::{Revolute, Spherical};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth_geometry::spatial::Shape;

fn begin(builder: ModelBuilder, options: &Options, h: f64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, integrator("moreau-projected", options), h).expect("accepted")
}

fn watch(simulation: &mut Simulation, n: u64) -> (EnergyLedger, Summary) {
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    if let Err(error) = simulation.run(n, &mut [&mut ledger, &mut summary]) {
        panic!("{error}");
    }
    (ledger, summary)
}

/// Balls and boxes that fall into a corner and on each other.
fn heap() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let material = builder.material("stuff");
    let law = Coulomb { friction: 0.4, restitution: 0.2, ..Coulomb::default() };
    let law = builder.law("all", law);
    builder.default_pair(law);
    for normal in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.3]] {
        let shape = Shape::half_space(normal).expect("a half-space");
        let name = format!("wall {normal:?}");
        builder.kinematic(KinematicBody::new(&name, vec![Collider::space(shape, material)]));
    }
    let shapes =
        [Shape::ball(0.1), Shape::cuboid([0.1, 0.08, 0.06])].map(|shape| shape.expect("a shape"));
    for i in 0..12 {
        let shape = &shapes[i % 2];
        let mass = shape.mass_properties(1000.0).expect("a solid");
        let position = [0.35 + 0.05 * (i % 3) as f64, 0.02 * i as f64, 0.3 + 0.22 * i as f64];
        let colliders = vec![Collider::space(shape.clone(), material)];
        let body = Body::new(&format!("body {i}"), mass.mass, mass.inertia);
        builder.body(Body { position, colliders, ..body });
    }
    builder
}

#[test]
fn a_heap_does_not_overlap() {
    for options in [direct(), combined()] {
        let mut simulation = begin(heap(), &options, 2e-3);
        let (ledger, summary) = watch(&mut simulation, 1000);
        eprintln!("{:?}", summary.notes);
        // Overlap at the start of a step is what the projection of the step before left.
        assert!(summary.overlap <= TOLERANCE, "{:.2e}", summary.overlap);
        assert!(summary.impacts > 20, "they did meet: {}", summary.impacts);
        assert!(ledger.total.projection != 0.0);
        assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:.2e}", ledger.worst_remainder);
    }
}

/// A ball with restitution e, 0.4 m above the floor.
fn dropped(planar: bool, e: f64) -> Stage {
    let mut stage = Stage::new(planar, Coulomb { friction: 0.3, restitution: e, ..Coulomb::default() });
    stage.floor();
    let ball = stage.ball("ball", 0.1, [0.0, 0.5]);
    stage.builder.body(ball);
    stage
}

/// The projected step of a ball is that of a mass over a gap, combined too: no step ends inside, and it comes to rest on the floor.
#[test]
fn a_ball_comes_to_rest_on_the_floor() {
    for planar in [true, false] {
        for (options, e) in [(direct(), 0.0), (combined(), 0.0), (combined(), 0.5)] {
            let h = 0.0013;
            let mut simulation = begin(dropped(planar, e).builder, &options, h);
            for k in 0..2000 {
                simulation.step().expect("a good step");
                let [y, v] = height(&simulation);
                assert!(y - 0.1 >= -TOLERANCE, "step {k}: {:e}", y - 0.1);
                if k > 1500 {
                    assert!((y - 0.1).abs() <= TOLERANCE && v.abs() < 1e-12, "step {k}: {y} {v}");
                }
            }
        }
    }
}

/// The first bounce reaches e² of the height, to the order of the step.
#[test]
fn a_bounce_has_its_height_to_order_one() {
    let (e, fall) = (0.5, (2.0 * 0.4 / G).sqrt());
    for planar in [true, false] {
        for options in [direct(), combined()] {
            let error = |n: u64| {
                // No simple fraction: the impact has another phase in its step for every n.
                let h = 2.5137 * fall / n as f64;
                let mut simulation = begin(dropped(planar, e).builder, &options, h);
                let mut highest = 0.0f64;
                for _ in 0..n {
                    simulation.step().expect("a good step");
                    if simulation.state.t > 1.2 * fall {
                        highest = highest.max(height(&simulation)[0]);
                    }
                }
                (highest - 0.1 - e * e * 0.4).abs()
            };
            // Averaged over the phase of the impact in its step.
            let mean = |n: u64| (0..40).map(|k| error(n + k * n / 101)).sum::<f64>() / 40.0;
            let (coarse, fine) = (mean(101), mean(1616));
            let measured = order(coarse, fine, 16.0);
            eprintln!("planar {planar}: {coarse:.2e} → {fine:.2e}, order {measured:.3}");
            assert!((measured - 1.0).abs() < 0.1, "planar {planar}: order {measured:.3}");
        }
    }
}

/// Laws in phases have their impact at the start of the step; Poisson's e is Newton's for one ball.
#[test]
fn a_ball_with_the_law_of_poisson_bounces() {
    for options in [direct(), combined()] {
        let mut stage = Stage::rough(true, 0.0);
        let law = stage.builder.law("poisson", Poisson { restitution: 0.5 });
        stage.builder.default_pair(law);
        stage.floor();
        let ball = stage.ball("ball", 0.1, [0.0, 0.5]);
        stage.builder.body(ball);
        let mut simulation = begin(stage.builder, &options, 1e-3);
        let mut highest = 0.0f64;
        let (ledger, mut events) = (EnergyLedger::begin(&simulation.model, &simulation.state), 0);
        let mut ledger = ledger.expect("finite energies");
        for _ in 0..500 {
            let frame = simulation.step().expect("a good step");
            ledger.book(frame.log.energies, frame.log.works);
            events += frame.log.events.len();
            if frame.after.t > 0.35 {
                highest = highest.max(frame.after.q[1]);
            }
        }
        // The impact is placed to a step of 1 ms at 2.8 m/s.
        assert!((highest - 0.2).abs() < 3e-3, "{highest}");
        assert!(events >= 1);
        assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
    }
}

/// Hinges hold to the tolerance, and the swing is that of the closed equation of the pendulum.
#[test]
fn a_pendulum_on_a_hinge_keeps_its_hinge() {
    let (start, end) = (0.9, 1.3);
    let exact = pendulum_exact(start, end);
    for options in [direct(), combined()] {
        for planar in [true, false] {
            let run = |n: u64| {
                let mut simulation = begin(pendulum(planar, start), &options, end / n as f64);
                let (ledger, summary) = watch(&mut simulation, n);
                assert!(summary.penetration <= 2.0 * TOLERANCE, "{:e}", summary.penetration);
                assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
                (simulation.state.angles[0] + start - exact).abs()
            };
            let (coarse, fine) = (run(400), run(800));
            let measured = order(coarse, fine, 2.0);
            eprintln!("planar {planar}: {coarse:.2e} → {fine:.2e}, order {measured:.3}");
            assert!(fine < 1e-2 && measured > 0.9, "planar {planar}: {fine:.2e}, order {measured:.3}");
        }
    }
}

/// Three rods on ball joints, hung up in space: no joint drifts in 2000 steps; without projection they do.
#[test]
fn a_chain_does_not_drift() {
    let make = || {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, -G, 0.0]);
        let (mut last, inertia) = (Rigid::World, [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.25]]);
        for i in 0..3 {
            let position = [0.5 + f64::from(i), 0.0, 0.0];
            let body = Body { position, ..Body::new(&format!("rod {i}"), 1.0, inertia) };
            let rod = builder.body(Body { angular_velocity: [0.5, 0.0, 0.0], ..body });
            builder.joint(&format!("joint {i}"), Spherical::at([f64::from(i), 0.0, 0.0]), last, rod);
            last = rod;
        }
        builder
    };
    for options in [direct(), combined()] {
        let mut simulation = begin(make(), &options, 1e-3);
        let (ledger, summary) = watch(&mut simulation, 2000);
        // Three rows each within the tolerance.
        assert!(summary.penetration <= 2.0 * TOLERANCE, "{:e}", summary.penetration);
        assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
    }
    let (model, state) = make().build(0.0).expect("a right model");
    let plain = integrator("moreau-jean", &Options::default());
    let mut simulation = Simulation::new(model, state, plain, 1e-3).expect("accepted");
    let (_, summary) = watch(&mut simulation, 2000);
    assert!(summary.penetration > 1e-6, "without projection: {:e}", summary.penetration);
}

/// A pendulum that swings against the stop of its hinge ends no step beyond it.
#[test]
fn a_stop_of_a_joint_is_not_passed() {
    for options in [combined(), direct().with_word("project", "all")] {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, -G, 0.0]);
        let inertia = [[0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.4]];
        let bob = builder.body(Body { position: [0.8, 0.0, 0.0], ..Body::new("bob", 2.0, inertia) });
        let hinge = Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]);
        builder.joint("hinge", hinge, Rigid::World, bob).stop(-1.2..0.5, 0.3);
        let mut simulation = begin(builder, &options, 2e-3);
        let (mut least, mut bounces) = (0.0f64, 0);
        for _ in 0..1000 {
            let frame = simulation.step().expect("a good step");
            least = least.min(frame.after.angles[0]);
            bounces += frame.log.events.len();
        }
        assert!((-1.2 - TOLERANCE..-1.199).contains(&least), "{least}");
        assert!(bounces >= 2, "{bounces}");
    }
}

/// A block that lands on two corners at once rests on both.
#[test]
fn a_block_lies_on_its_corners() {
    for planar in [true, false] {
        for options in [direct(), combined()] {
            let mut stage = Stage::rough(planar, 0.5);
            stage.floor();
            let block = stage.block("block", [0.2, 0.1], [0.0, 0.3], 0.15);
            stage.builder.body(block);
            let mut simulation = begin(stage.builder, &options, 2e-3);
            let (ledger, summary) = watch(&mut simulation, 1000);
            assert!(summary.overlap <= TOLERANCE, "planar {planar}: {:e}", summary.overlap);
            let [y, v] = height(&simulation);
            // It lies: what is left is the activation distance and the tolerance of the projection.
            assert!((y - 0.1).abs() < 1e-8 && v.abs() < 1e-9, "planar {planar}: {y} {v}");
            assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
        }
    }
}

/// The ground rises and sinks: the ball that lies on it is never inside, and combined it follows the ground to the tolerance.
#[test]
fn a_moving_ground_carries_a_ball() {
    let place = |t: f64| 0.05 * (3.0 * t).sin().powi(2);
    let speed = |t: f64| 0.3 * (3.0 * t).sin() * (3.0 * t).cos();
    for planar in [true, false] {
        for (options, is_combined) in [(direct(), false), (combined(), true)] {
            let mut stage = Stage::rough(planar, 0.5);
            stage.lift(place, speed);
            let ball = stage.ball("ball", 0.1, [0.0, 0.1]);
            stage.builder.body(ball);
            let mut simulation = begin(stage.builder, &options, 5e-3);
            let mut ledger =
                EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite energies");
            for k in 0..400 {
                let frame = simulation.step().expect("a good step");
                ledger.book(frame.log.energies, frame.log.works);
                let gap = height(&simulation)[0] - 0.1 - place(simulation.state.t);
                assert!(gap >= -TOLERANCE, "planar {planar}, step {k}: {gap:.1e}");
                assert!(!is_combined || gap <= TOLERANCE, "planar {planar}, step {k}: {gap:.1e}");
            }
            assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
            assert!(ledger.total.prescribed != 0.0 && ledger.total.projection != 0.0);
        }
    }
}

#[test]
fn an_option_without_use_is_refused() {
    let (model, state) = heap().build(0.0).expect("a right model");
    let scheme = integrator("moreau-projected", &direct().with_word("project", "all"));
    let refusal = Simulation::new(model, state, scheme, 0.1).err().expect("refused");
    assert!(matches!(refusal, Refusal::IdleOption { option: "project", .. }), "{refusal}");
}

/// No bit depends on scratch, and a run can be cut.
#[test]
fn scratch_does_not_matter_and_a_run_can_be_cut() {
    for options in [direct(), combined()] {
        let make = || begin(heap(), &options, 2e-3);
        assert_cut_and_reset(make, 150, 100);
    }
}
