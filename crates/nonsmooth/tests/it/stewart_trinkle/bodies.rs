//! Stewart–Trinkle with rigid bodies, in the plane and in space: landing, sliding, turning, joints, reach of the step.

use super::{linearised, nonlinear};
use crate::kit::{
    Coulomb, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Simulation, Sparse, Summary,
};
use crate::models::assert_cut_and_reset;
use crate::stage::{G, Stage, height, pendulum, pendulum_exact, places};
use crate::{integrator, order};
use nonsmooth::model::constraints::joints::Revolute;
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{Anchor, Rigid, Spring};

fn all_options() -> [Options; 4] {
    let end = |options: Options| options.with_word("forces", "end");
    [linearised(), nonlinear(), end(linearised()), end(nonlinear())]
}

fn begin(stage: Stage, options: &Options, h: f64) -> Simulation {
    stage.simulation(integrator("stewart-trinkle", options), h)
}

fn watch(simulation: &mut Simulation, n: u64) -> EnergyLedger {
    let mut ledger = EnergyLedger::default();
    if let Err(error) = simulation.run(n, &mut [&mut ledger]) {
        panic!("{error}");
    }
    ledger
}

/// A ball of radius 0.1 m that falls on the floor is the mass over a linear gap of the scheme's own tests.
#[test]
fn a_ball_lands_as_a_mass_over_a_gap_does() {
    let (h, n) = (0.01, 100);
    for options in all_options() {
        let mut builder = ModelBuilder::new();
        let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).load(&[-G]).initial(&[0.9], &[0.0]);
        let mass = builder.linear(mass);
        let law = builder.law("floor", NewtonImpact { restitution: 0.0 });
        builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
        let (model, state) = builder.build(0.0).expect("a right model");
        let scheme = integrator("stewart-trinkle", &options);
        let mut twin = Simulation::new(model, state, scheme, h).expect("accepted");
        let mut balls = [true, false].map(|planar| {
            let mut stage = Stage::rough(planar, 0.3);
            stage.floor();
            let ball = stage.ball("ball", 0.1, [0.0, 1.0]);
            stage.builder.body(ball);
            begin(stage, &options, h)
        });
        for k in 0..n {
            twin.step().expect("a good step");
            for ball in &mut balls {
                ball.step().expect("a good step");
                let [y, v] = height(ball);
                // Rounding of 100 sums, and Newton's 1e-12 of the velocity.
                assert!((y - 0.1 - twin.state.q[0]).abs() < 1e-12, "step {k}: {y}");
                assert!((v - twin.state.v[0]).abs() < 1e-11, "step {k}: {v}");
            }
        }
        assert!(twin.state.q[0].abs() < 1e-13, "at rest on the floor");
    }
}

/// v = v₀ − n h μ g until it rests; facets act exactly where the block slides towards a corner of the polygon.
#[test]
fn a_block_slides_to_its_stop() {
    let (h, mu, v0) = (0.01, 0.25, 1.0);
    for options in all_options() {
        for (planar, facets) in [(true, 0), (false, 0), (false, 4), (false, 8)] {
            let mut stage = Stage::new(planar, Coulomb { friction: mu, facets, ..Coulomb::default() });
            stage.floor();
            let block = stage.block("block", [0.2, 0.1], [0.0, 0.1], 0.0);
            // The first tangent of the ground's normal is −x in the plane, z or x in space: corners of polygons of 4 and 8.
            stage.builder.body(Body { velocity: [v0, 0.0, 0.0], ..block });
            let mut simulation = begin(stage, &options, h);
            let mut ledger =
                EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite energies");
            for k in 1..=60 {
                let frame = simulation.step().expect("a good step");
                ledger.book(frame.log.energies, frame.log.works);
                let want = (v0 - f64::from(k) * h * mu * G).max(0.0);
                let got = frame.after.v[0];
                // The certificate's 1e-10, summed over the steps.
                assert!((got - want).abs() < 1e-8, "{planar} {facets} step {k}: {got} {want}");
            }
            assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{planar} {facets}: {ledger:?}");
            assert!(ledger.total.friction < 0.0);
        }
    }
}

/// A block that falls on its corner and turns over: how far below the floor its lowest corner ends at most, how far off the floor in
/// steps in which it is pushed, and that over ½ r (h ω⁺)².
fn off_the_floor(planar: bool, options: &Options, h: f64) -> [f64; 3] {
    let mut stage = Stage::rough(planar, 0.4);
    stage.floor();
    let half = [0.2, 0.1];
    let block = stage.block("block", half, [0.0, 0.4], 0.5);
    stage.builder.body(Body { angular_velocity: [0.0, 0.0, 3.0], ..block });
    let mut simulation = begin(stage, options, h);
    let mut off = [0.0f64; 3];
    for _ in 0..(0.8 / h) as usize {
        let log = match simulation.step() {
            Ok(frame) => &frame.log.constraints,
            Err(error) => panic!("planar {planar}, h = {h}: {error}"),
        };
        let is_pushed = (0..log.len()).any(|c| log.impulse[log.rows(c).start] > 0.0);
        let q = &simulation.state.q;
        let angle = if planar { q[2] } else { 2.0 * q[6].atan2(q[3]) };
        let (s, c) = angle.sin_cos();
        let lowest = q[1] - half[0] * s.abs() - half[1] * c.abs();
        off[0] = off[0].max(-lowest);
        if is_pushed {
            off[1] = off[1].max(lowest.abs());
            let arc = 0.5
                * half[0].hypot(half[1])
                * (h * simulation.state.v[if planar { 2 } else { 5 }]).powi(2);
            // Rounding of numbers of size 0.1 where it no longer turns.
            off[2] = off[2].max(lowest.abs() / (arc + 1e-12));
        }
    }
    off
}

/// A corner below the centre of mass moves on an arc that bends upwards: with J of the start it ends above the floor by the square of
/// the step; with the true gap it ends on it to what Newton leaves.
#[test]
fn a_block_that_turns_ends_off_the_floor_by_the_square_of_the_step_or_on_it() {
    for planar in [true, false] {
        for h in [4e-3, 5e-4] {
            let [deep, off, of_arc] = off_the_floor(planar, &linearised(), h);
            eprintln!(
                "planar {planar}, h = {h}: {deep:.1e} m deep, {off:.1e} m off, {of_arc:.3} of the arc"
            );
            assert!(deep < 1e-13 && (0.1..1.0).contains(&of_arc), "{deep:e} {off:e} {of_arc}");
        }
        for h in [4e-3, 5e-4] {
            let off = off_the_floor(planar, &nonlinear(), h);
            assert!(off[..2].iter().all(|off| *off < 1e-11), "planar {planar}, h = {h}: {off:.1?}");
        }
    }
}

/// However fast, a ball ends its step on the floor: the pair is within reach of the step.
#[test]
fn nothing_is_missed_however_large_the_step() {
    for planar in [true, false] {
        for speed in [1.0, 100.0, 1e4] {
            for options in [linearised(), nonlinear()] {
                let mut stage = Stage::rough(planar, 0.0);
                stage.floor();
                let ball = stage.ball("ball", 0.1, [0.0, 1.0]);
                stage.builder.body(Body { velocity: [0.0, -speed, 0.0], ..ball });
                let mut simulation = begin(stage, &options, 0.1);
                for _ in 0..20 {
                    simulation.step().expect("a good step");
                    // Rounding of h times the speed.
                    assert!(height(&simulation)[0] > 0.1 - 1e-15 * speed.max(10.0), "{speed}");
                }
                assert!(height(&simulation)[1].abs() < 1e-9, "{speed}: {:?}", height(&simulation));
            }
        }
    }
}

/// With a thin layer a contact is not seen, and what entered is thrown out at |y|/h, as for gaps of coordinates.
#[test]
fn a_thin_layer_throws_bodies_out() {
    for planar in [true, false] {
        let mut stage = Stage::rough(planar, 0.0);
        stage.builder.gravity([0.0; 3]);
        stage.floor();
        let ball = stage.ball("ball", 0.25, [0.0, 1.25]);
        stage.builder.body(Body { velocity: [0.0, -3.0, 0.0], ..ball });
        let (h, options) = (0.125, linearised().with("activation_distance", 0.0));
        let mut simulation = begin(stage, &options, h);
        watch(&mut simulation, 10);
        let depth = 3.0 * h * 3.0 - 1.0;
        assert!((height(&simulation)[1] - depth / h).abs() < 1e-12, "{:?}", height(&simulation));
    }
}

/// The ground rises as 0.05 sin² 3t: the ball rides on it, linearised to O(h²), or exactly.
#[test]
fn a_moving_ground_carries_a_ball() {
    let place = |t: f64| 0.05 * (3.0 * t).sin().powi(2);
    let speed = |t: f64| 0.3 * (3.0 * t).sin() * (3.0 * t).cos();
    let h = 5e-3;
    for planar in [true, false] {
        // ½ h² ÿ with ÿ ≤ 0.9 m/s²: less than g, so that the ball does not leave.
        for (options, bound) in [(linearised(), 0.5 * 0.9 * h * h * 1.01), (nonlinear(), 1e-12)] {
            let mut stage = Stage::rough(planar, 0.5);
            stage.lift(place, speed);
            let ball = stage.ball("ball", 0.1, [0.0, 0.1]);
            stage.builder.body(ball);
            let mut simulation = begin(stage, &options, h);
            let mut ledger =
                EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite energies");
            for k in 0..400 {
                let frame = simulation.step().expect("a good step");
                ledger.book(frame.log.energies, frame.log.works);
                let gap = height(&simulation)[0] - 0.1 - place(simulation.state.t);
                assert!(gap.abs() < bound, "planar {planar}, step {k}: {gap:.1e}");
            }
            assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
            assert!(ledger.total.prescribed != 0.0);
        }
    }
}

/// The hinge of a pendulum ends every step at y = 0 with the true gap, at O(h²) without; the swing is of order one.
#[test]
fn a_pendulum_on_a_hinge_swings_with_order_one() {
    let (start, end) = (0.9, 1.3);
    let exact = pendulum_exact(start, end);
    for options in all_options() {
        let is_linearized =
            options == linearised() || options == linearised().with_word("forces", "end");
        for planar in [true, false] {
            let run = |n: u64| {
                let (model, state) = pendulum(planar, start).build(0.0).expect("a right model");
                let scheme = integrator("stewart-trinkle", &options);
                let mut simulation =
                    Simulation::new(model, state, scheme, end / n as f64).expect("accepted");
                let mut off = 0.0f64;
                for _ in 0..n {
                    let frame = simulation.step().expect("a good step");
                    off = off.max(-frame.log.gaps[0]);
                }
                ((simulation.state.angles[0] + start - exact).abs(), off)
            };
            let (coarse, fine) = (run(400), run(800));
            let measured = order(coarse.0, fine.0, 2.0);
            assert!((measured - 1.0).abs() < 0.05, "planar {planar}: order {measured:.3}");
            if is_linearized {
                let measured = order(coarse.1, fine.1, 2.0);
                assert!((measured - 2.0).abs() < 0.1, "planar {planar}: hinge of order {measured:.3}");
            } else {
                assert!(coarse.1 < 1e-12, "planar {planar}: {:.1e}", coarse.1);
            }
        }
    }
}

/// Two balls and a block in a heap, run with scratch kept and dropped, and cut in two: the same bits.
#[test]
fn scratch_does_not_matter_and_a_run_can_be_cut() {
    for options in [linearised(), nonlinear()] {
        for planar in [true, false] {
            let make = || {
                let mut stage = Stage::rough(planar, 0.4);
                stage.floor();
                for (name, x, y) in [("a", 0.0, 0.3), ("b", 0.05, 0.6)] {
                    let ball = stage.ball(name, 0.1, [x, y]);
                    stage.builder.body(ball);
                }
                let block = stage.block("block", [0.1, 0.05], [0.02, 0.12], 0.3);
                stage.builder.body(block);
                begin(stage, &options, 5e-3)
            };
            let kept = assert_cut_and_reset(make, 150, 70);
            let (q, _) = places(&kept, 2);
            assert!(kept.state.q[q + 1] < 0.2, "the block lies");
        }
    }
}

/// Twelve balls and boxes fall into a corner, with exact and faceted friction: every step is solved, the ledger closes, and they come to
/// lie with little overlap.
#[test]
fn a_heap_comes_to_lie() {
    for (options, facets) in [(linearised(), 0), (linearised(), 6), (nonlinear(), 0), (nonlinear(), 6)] {
        let mut stage = Stage::new(false, Coulomb { friction: 0.4, facets, ..Coulomb::default() });
        stage.floor();
        for i in 0..12 {
            let at = [0.04 * f64::from(i % 3), 0.2 + 0.22 * f64::from(i)];
            let name = format!("body {i}");
            let body = if i % 2 == 0 {
                stage.ball(&name, 0.1, at)
            } else {
                stage.block(&name, [0.1, 0.06], at, 0.3 * f64::from(i))
            };
            stage.builder.body(body);
        }
        let mut simulation = begin(stage, &options, 2e-3);
        let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
        if let Err(error) = simulation.run(800, &mut [&mut ledger, &mut summary]) {
            panic!("{options:?}, {facets} facets: {error}");
        }
        eprintln!(
            "{options:?}, {facets} facets: overlap {:.2e}, {} impacts",
            summary.overlap, summary.impacts
        );
        assert!(summary.impacts > 20, "{}", summary.impacts);
        assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:.2e}", ledger.worst_remainder);
        // What an impact drives beyond its reach enters by less than h times 5 m/s, a tenth of the size, and mostly by far less.
        assert!(summary.relative_overlap < 0.02, "{:.2e}", summary.relative_overlap);
    }
}

/// A pendulum that swings against the stop of its hinge, with a spring between it and the world: no step ends beyond the stop with the
/// true gap, none by more than the square of the step without, and the ledger closes.
#[test]
fn a_stop_of_a_joint_is_not_passed() {
    let h = 2e-3;
    for options in all_options() {
        for planar in [true, false] {
            let mut builder = ModelBuilder::new();
            builder.gravity([0.0, -G, 0.0]);
            let inertia = [[0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.4]];
            let position = [0.8, 0.0, 0.0];
            let bob = builder.body(Body { planar, position, ..Body::new("bob", 2.0, inertia) });
            let hinge = Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]);
            builder.joint("hinge", hinge, Rigid::World, bob).stop(-1.2..0.5, 0.0);
            let ends = [
                Anchor { on: bob, at: [0.1, 0.0, 0.0] },
                Anchor { on: Rigid::World, at: [1.0, 0.5, 0.0] },
            ];
            let name = "spring".to_owned();
            builder.spring(Spring { name, ends, stiffness: 5.0, damping: 0.3, rest_length: 0.4 });
            let (model, state) = builder.build(0.0).expect("a right model");
            let scheme = integrator("stewart-trinkle", &options);
            let mut simulation = Simulation::new(model, state, scheme, h).expect("accepted");
            let mut ledger =
                EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite energies");
            let mut least = 0.0f64;
            for _ in 0..700 {
                let frame = simulation.step().expect("a good step");
                ledger.book(frame.log.energies, frame.log.works);
                least = least.min(frame.after.angles[0]);
            }
            // The hinge swings with less than 5 rad/s, so that the joint, and the angle with it, is off by (h ω)² at most.
            let is_true = options != linearised() && options != linearised().with_word("forces", "end");
            let bound = if is_true { 1e-11 } else { (5.0 * h).powi(2) };
            assert!((least + 1.2).abs() < bound, "planar {planar}, {options:?}: {least}");
            assert!((simulation.state.angles[0] + 1.2).abs() < bound, "it rests on the stop");
            assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
        }
    }
}
