//! Islands that are cut or go in pieces go by themselves.

use super::{ball, cuboid, floor, run, synchronized, world};
use crate::body_kit::about;
use glam::{DQuat, DVec3};
use nonsmooth::integrators::KickDrift;
use nonsmooth::laws::Coulomb;
use nonsmooth::model::constraints::joints::Spherical;
use nonsmooth::model::{ModelBuilder, State};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{ConstraintLog, Model, Simulation};

/// Three balls that bounce at x = 0, and a box that slides, rocks and comes to rest at x = 50.
fn far_islands(balls: bool, block: bool) -> Simulation {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let bouncing = Coulomb { friction: 0.2, restitution: 0.95, ..Coulomb::default() };
    let bouncing = builder.law("bouncing", bouncing);
    let rubbing =
        builder.law("rubbing", Coulomb { friction: 0.4, restitution: 0.0, ..Coulomb::default() });
    let (rubber, wood) = (builder.material("rubber"), builder.material("wood"));
    builder.pair(rubber, rubber, bouncing);
    builder.pair(rubber, wood, rubbing);
    builder.pair(wood, wood, rubbing);
    floor(&mut builder, rubber);
    // The law of the box with the floor is `rubbing`.
    if balls {
        for i in 0..3 {
            let mut body = ball(&format!("ball{i}"), 0.1, 1.0 + i as f64, rubber);
            body.position = [0.01 * i as f64, 0.013 * i as f64, 0.5 + 0.35 * i as f64];
            body.velocity = [0.0, 0.0, -3.0 + i as f64];
            builder.body(body);
        }
    }
    if block {
        let mut body = cuboid("block", [0.1, 0.1, 0.2], 2.0, wood);
        body.position = [50.0, 0.0, 0.2 * 0.1f64.cos() + 0.1 * 0.1f64.sin()];
        body.rotation = about([0.0, 1.0, 0.0], 0.1);
        body.velocity = [0.3, 0.1, 0.0];
        builder.body(body);
    }
    run(builder, 2e-3)
}

/// q and v of the bodies from `first` on.
fn bits(state: &State, bodies: std::ops::Range<usize>) -> Vec<u64> {
    let q = &state.q[7 * bodies.start..7 * bodies.end];
    let v = &state.v[6 * bodies.start..6 * bodies.end];
    q.iter().chain(v).map(|x| x.to_bits()).collect()
}

/// Forces of the contacts of a collider with the floor, each over the length of its own kick.
fn forces(log: &ConstraintLog, collider: u32) -> Vec<f64> {
    let own = (0..log.len()).filter(|&c| log.ids[c].colliders() == [0, collider]);
    own.flat_map(|c| log.impulse[log.rows(c)].iter().map(move |p| p / log.length_of(c))).collect()
}

#[test]
fn an_island_that_is_struck_leaves_no_bit_in_another_one() {
    let [mut both, mut balls, mut block] =
        [far_islands(true, true), far_islands(true, false), far_islands(false, true)];
    let (mut n, mut kicks) = (0, [0; 2]);
    for step in 0..400 {
        let made = both.step().unwrap().log;
        n += made.events.len();
        kicks[0] += made.counts.steps;
        let of_block = forces(&made.constraints, 4);
        kicks[1] += balls.step().unwrap().log.counts.steps;
        let alone = block.step().unwrap().log.constraints.clone();
        assert_eq!(bits(&both.state, 0..3), bits(&balls.state, 0..3), "the balls at step {step}");
        assert_eq!(bits(&both.state, 3..4), bits(&block.state, 0..1), "the block at step {step}");
        assert_eq!(both.state.lag[3], block.state.lag[0], "the block is not cut at step {step}");
        assert_eq!(of_block, forces(&alone, 1), "forces on the block at step {step}");
    }
    // Balls on each other and on the floor, and a block that rocks to rest; what only touches is none.
    assert!(n > 30, "only {n} impacts");
    // One kick of what goes on undisturbed, and those that the balls take.
    assert!(kicks[0] <= kicks[1] + 400, "{kicks:?} kicks");
}

/// A ball that bounces at x = 0, and a tower of five boxes that rests at x = 10.
fn ball_and_tower(is_ball: bool, is_tower: bool) -> Simulation {
    let (mut builder, stuff) = world(0.5, 0.9);
    floor(&mut builder, stuff);
    if is_ball {
        let mut body = ball("ball", 0.1, 1.0, stuff);
        body.position = [0.0, 0.0, 0.2];
        body.velocity = [0.01, 0.0, -1.0];
        builder.body(body);
    }
    for i in 0..if is_tower { 5 } else { 0 } {
        let mut body = cuboid(&format!("box{i}"), [0.1, 0.1, 0.05], 1.0, stuff);
        body.position = [10.0, 0.0, 0.05 + 0.1 * f64::from(i)];
        builder.body(body);
    }
    run(builder, 2e-3)
}

#[test]
fn a_ball_that_bounces_beside_a_tower_changes_no_bit_of_it_and_makes_it_work_no_more() {
    let [mut both, mut ball, mut tower] =
        [ball_and_tower(true, true), ball_and_tower(true, false), ball_and_tower(false, true)];
    let mut n_impacts = 0;
    for step in 0..1500 {
        let mut work = [(0, 0); 3];
        for (work, simulation) in work.iter_mut().zip([&mut both, &mut ball, &mut tower]) {
            let log = simulation.step().unwrap().log;
            *work = (log.counts.steps, log.solves.len());
            n_impacts += log.events.len();
        }
        assert_eq!(bits(&both.state, 0..1), bits(&ball.state, 0..1), "the ball at step {step}");
        assert_eq!(bits(&both.state, 1..6), bits(&tower.state, 0..5), "the tower at step {step}");
        let [both, ball, tower] = work;
        assert_eq!(tower.0, 1, "the tower takes one kick at step {step}");
        assert!(both.0 <= ball.0 + tower.0, "{both:?}, {ball:?} and {tower:?} kicks at step {step}");
        assert!(both.1 <= ball.1 + tower.1, "{both:?}, {ball:?} and {tower:?} solves at step {step}");
    }
    assert!(n_impacts >= 20, "only {n_impacts} impacts");
}

/// Total linear and angular momentum of velocities that lag.
fn momenta(model: &Model, state: &State) -> [DVec3; 2] {
    let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
    for (body, (q, v)) in model.rigid.bodies.iter().zip(state.q.chunks(7).zip(state.v.chunks(6))) {
        let turn = DQuat::from_xyzw(q[4], q[5], q[6], q[3]);
        let (x, u) = (DVec3::from_slice(q), DVec3::from_slice(v));
        p += body.mass * u;
        l += body.mass * x.cross(u) + turn * body.inertia.times(DVec3::from_slice(&v[3..]));
    }
    [p, l]
}

/// Balls and a hinged pair of boxes that fly about each other without gravity, and rub.
fn swarm(seed: u32) -> Simulation {
    let (mut builder, stuff) = world(0.4, 0.7);
    builder.gravity([0.0; 3]);
    let mut roll = f64::from(seed);
    let mut dice = || {
        roll = (roll * 12.9898 + 0.618).sin() * 43758.547;
        roll -= roll.floor();
        2.0 * roll - 1.0
    };
    let mut hinged = Vec::new();
    for i in 0..2 {
        let mut body = cuboid(&format!("box{i}"), [0.1, 0.06, 0.05], 0.8, stuff);
        body.position = [0.12 * (2.0 * i as f64 - 1.0), 0.0, 0.0];
        hinged.push(builder.body(body));
    }
    builder.joint("hinge", Spherical::at([0.0; 3]), hinged[0], hinged[1]);
    for i in 0..9 {
        let mut body = ball(&format!("ball{i}"), 0.05, 0.3, stuff);
        let far = 0.35 + 0.2 * (i / 3) as f64;
        let way = DVec3::new(dice(), dice(), dice()).normalize() * far;
        body.position = way.to_array();
        body.velocity = (-20.0 * way.normalize() + DVec3::new(dice(), dice(), dice())).to_array();
        body.angular_velocity = [30.0 * dice(), 30.0 * dice(), 30.0 * dice()];
        builder.body(body);
    }
    builder.allow_initial_violation();
    run(builder, 2e-3)
}

#[test]
fn momentum_is_kept_when_islands_of_different_lag_meet() {
    let (mut lags, mut met) = (0, 0);
    for seed in 1..6 {
        let mut simulation = swarm(seed);
        let model = simulation.model.clone();
        let [p, l] = momenta(&model, &simulation.state);
        let scale = 0.3 * 20.0 * 9.0;
        for step in 0..60 {
            let differ = simulation.state.lag.windows(2).any(|lag| lag[0] != lag[1]);
            let made = simulation.step().unwrap().log;
            lags += usize::from(differ);
            met += usize::from(differ && !made.events.is_empty());
            let [now_p, now_l] = momenta(&model, &simulation.state);
            let off = (now_p - p).length().max((now_l - l).length()) / scale;
            assert!(off < 1e-13, "seed {seed}, step {step}: momentum is off by {off:.1e}");
            let shown = momenta(&model, &synchronized(&model, &simulation.state));
            let off = (shown[0] - p).length().max((shown[1] - l).length()) / scale;
            assert!(off < 1e-13, "seed {seed}, step {step}: that shown is off by {off:.1e}");
        }
    }
    assert!(lags > 20 && met > 5, "lags differed in {lags} steps, in {met} of them bodies met");
}

#[test]
fn a_run_goes_on_to_the_bit_from_any_step_with_islands_of_different_lag() {
    let mut simulation = swarm(3);
    for _ in 0..40 {
        let (model, state) = (simulation.model.clone(), simulation.state.clone());
        let mut resumed = Simulation::new(model, state, KickDrift::default(), 2e-3).unwrap();
        simulation.step().unwrap();
        resumed.step().unwrap();
        assert_eq!(simulation.state, resumed.state);
    }
}

#[test]
fn the_ledger_closes_over_islands_that_go_by_themselves() {
    for simulation in [&mut swarm(2), &mut far_islands(true, true)] {
        let mut ledger = EnergyLedger::default();
        simulation.run(200, &mut [&mut ledger]).unwrap();
        let off = ledger.worst_remainder / ledger.scale;
        assert!(off < 1e-12, "the remainder is {off:.1e} of the energy");
    }
}
