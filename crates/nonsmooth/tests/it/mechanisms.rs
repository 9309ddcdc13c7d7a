//! Mechanisms: many joints beside contacts, rows that follow from others.

use crate::body_kit::{body, gaps, schemes};
use glam::DVec3;
use nonsmooth::geometry::spatial::{Pose, Shape};
use nonsmooth::integrators::MoreauJean;
use nonsmooth::joints::{Revolute, Spherical};
use nonsmooth::laws::Coulomb;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, MaterialId, PosedShape};
use nonsmooth::model::{ModelBuilder, Rigid};
use nonsmooth::solvers::Options;
use nonsmooth::{Simulation, SolverSettings};

/// A limb of five links of 0.1 kg from `top` down, hinged about x and y in turns and a little bent; returns its last link.
fn limb(
    builder: &mut ModelBuilder,
    (name, top): (&str, [f64; 3]),
    torso: Rigid,
    feet: Option<MaterialId>,
    stiffness: f64,
) {
    let place = |k: usize| {
        let bend = 0.01 * (2.0 * k as f64).sin();
        [top[0] + bend, top[1] - bend, top[2] - 0.2 * k as f64]
    };
    let mut last = torso;
    for k in 0..5 {
        let (from, to) = (place(k), place(k + 1));
        let moment = |x: f64| 0.1 * x / 12.0;
        let (long, thin) = (moment(0.04), moment(0.002));
        let inertia = [[long, 0.0, 0.0], [0.0, long, 0.0], [0.0, 0.0, thin]];
        let mut link = Body::new(&format!("{name} {k}"), 0.1, inertia);
        link.position = std::array::from_fn(|i| 0.5 * (from[i] + to[i]));
        if let (4, Some(material)) = (k, feet) {
            // Two balls that touch the floor.
            for side in [-0.05, 0.05] {
                let shape = Shape::ball(0.02).expect("a ball");
                let low = -link.position[2] + 0.02;
                let pose = Pose { position: [side, 0.0, low], ..Pose::IDENTITY };
                let foot = Collider::space(shape.clone(), material);
                link.colliders.push(Collider { posed: PosedShape::Space(shape, pose), ..foot });
            }
        }
        let link = builder.body(link);
        let axis = if k % 2 == 0 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
        builder
            .joint(&format!("{name} joint {k}"), Revolute::at(from).axis(axis), last, link)
            .spring(stiffness, 0.5);
        last = link;
    }
}

/// A torso of 100 kg on four legs of five links, with two arms of five: 30 joints, 8 contacts, mass ratio 10³.
fn robot() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let law = builder.law("all", Coulomb { friction: 0.6, ..Coulomb::default() });
    let material = builder.material("rubber");
    builder.default_pair(law);
    let floor = Shape::half_space([0.0, 0.0, 1.0]).expect("a plane");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::space(floor, material)]));
    let inertia = [[5.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 7.0]];
    let torso = builder.body(Body { position: [0.0, 0.0, 1.1], ..Body::new("torso", 100.0, inertia) });
    for (k, (x, y)) in [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)].into_iter().enumerate() {
        limb(&mut builder, (&format!("leg {k}"), [x, y, 1.0]), torso, Some(material), 1000.0);
    }
    for (k, y) in [0.4, -0.4].into_iter().enumerate() {
        limb(&mut builder, (&format!("arm {k}"), [0.0, y, 1.2]), torso, None, 0.0);
    }
    builder
}

/// Steps of the robot: each solves 190 rows beside the contacts.
const STEPS: usize = 200;

#[test]
fn a_robot_of_thirty_joints_on_eight_contacts_is_solved_to_1e_10() {
    for (scheme, integrator) in schemes() {
        let (model, state) = robot().build(0.0).unwrap();
        assert_eq!(model.joints.joints.len(), 30);
        let mut simulation = Simulation::new(model, state, integrator, 1e-3).unwrap();
        let (mut worst, mut carrying) = (0.0f64, 0);
        for step in 0..STEPS {
            let step =
                simulation.step().unwrap_or_else(|error| panic!("{scheme}, step {step}: {error}"));
            worst = step.log.solves.last().map_or(worst, |report| worst.max(report.residual));
            let log = &step.log.constraints;
            carrying = (0..log.len())
                .filter(|&c| {
                    log.places.get(c).is_some_and(|place| place[0][0].is_finite())
                        && log.impulse[log.row_start[c] as usize] > 0.0
                })
                .count();
        }
        assert!(worst <= 1e-10, "{scheme}: residual {worst:e}");
        assert_eq!(carrying, 8, "{scheme}");
        let off = gaps(&simulation, &simulation.state)[..30].iter().fold(0.0f64, |m, g| m.max(g.abs()));
        let bound = if scheme == "kick-drift" { 1e-9 } else { 1e-4 };
        assert!(off < bound, "{scheme}: joints off by {off:e}");
    }
}

/// A chain of `n` links of 0.1 kg and 0.1 m that hangs nearly straight down from the world, at rest.
fn steep(n: usize) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let (s, c) = 1.2f64.sin_cos();
    let mut last = Rigid::World;
    for i in 0..n {
        let at = |x: f64| [x * c, 0.0, -x * s];
        let moment = |x: f64| 1e-5 * x;
        let inertia = [[moment(1.0), 0.0, 0.0], [0.0, moment(1.5), 0.0], [0.0, 0.0, moment(2.0)]];
        let mut link = Body::new(&format!("link {i}"), 0.1, inertia);
        link.position = at(0.1 * i as f64 + 0.05);
        let link = builder.body(link);
        builder.joint(&format!("joint {i}"), Spherical::at(at(0.1 * i as f64)), last, link);
        last = link;
    }
    builder
}

#[test]
fn a_long_chain_under_tension_takes_few_passes() {
    let (model, state) = steep(100).build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, MoreauJean::default(), 1e-3).unwrap();
    for step in 0..24 {
        // Without the stiffness of the tension 30 and more, and a factor for each few of them.
        let passes = simulation.step().unwrap().log.newton_iterations;
        // The first step knows of no tension when it makes its factor.
        assert!(step == 0 || passes <= 9, "step {step}: {passes} passes");
    }
}

#[test]
fn corrections_with_one_factor_end_where_whole_passes_end() {
    let run = |solver: &str| {
        let (model, state) = steep(8).build(0.0).unwrap();
        let solver = nonsmooth::solvers::find(solver).unwrap().build(&Options::default()).unwrap();
        let settings = SolverSettings { solver, tolerance: 1e-12, ..SolverSettings::default() };
        let scheme = nonsmooth::integrators::find("moreau-jean").unwrap();
        let scheme = scheme.build(&Options::default(), settings).unwrap();
        let mut simulation = Simulation::new(model, state, scheme, 1e-3).unwrap();
        simulation.run(50, &mut []).unwrap();
        simulation.state.v.clone()
    };
    // `active-set` makes no factor that it lends, so each of its passes is linearized and solved anew.
    let (one, whole) = (run("auto"), run("active-set"));
    let size = whole.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let apart = one.iter().zip(&whole).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(size > 0.1 && apart < 1e-9 * size, "velocities up to {size}, apart by {apart:e}");
}

/// Crank, coupler and rocker in a plane, hinged in space with parallel axes: three rows too many.
#[test]
fn a_redundant_four_bar_is_noted_and_a_chain_is_not() {
    let corners = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 1.5], [2.0, 0.0, 0.0]];
    for closed in [true, false] {
        for (scheme, integrator) in schemes() {
            let mut builder = ModelBuilder::new();
            builder.gravity([0.0, 0.0, -9.81]);
            let bars: Vec<Rigid> = (0..3)
                .map(|k| {
                    let middle = std::array::from_fn(|i| 0.5 * (corners[k][i] + corners[k + 1][i]));
                    builder.body(body(["crank", "coupler", "rocker"][k], 1.0 + k as f64, middle))
                })
                .collect();
            let sides = [Rigid::World, bars[0], bars[1], bars[2], Rigid::World];
            for k in 0..if closed { 4 } else { 3 } {
                let hinge = Revolute::at(corners[k]).axis([0.0, 1.0, 0.0]);
                builder.joint(&format!("hinge {k}"), hinge, sides[k], sides[k + 1]);
            }
            let (model, state) = builder.build(0.0).unwrap();
            let mut simulation = Simulation::new(model, state, integrator, 1e-3).unwrap();
            let mut noted = 0;
            for _ in 0..50 {
                let step = simulation.step().unwrap();
                noted += usize::from(step.log.notes.iter().any(|n| n.what.contains("redundant")));
                assert!(step.log.solves.last().is_none_or(|report| report.residual <= 1e-10));
            }
            // kick-drift factors only where the first solve leaves joints off their place.
            let is_asked = scheme == "moreau-jean" || !closed;
            assert!(!is_asked || (noted > 0) == closed, "{scheme}: noted in {noted} of 50 steps");
        }
    }
}

/// The passes with one factor end where passes that solve each linear problem in full end: J v⁺ = 0 at the end of the step, and the balance of
/// momentum of every body, both to the tolerance of the iteration.
#[test]
fn a_step_of_a_chain_solves_its_nonlinear_equations() {
    let (n, h) = (20, 1e-3);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let mut last = Rigid::World;
    for i in 0..n {
        let moments = [[2e-4, 0.0, 0.0], [0.0, 3e-4, 0.0], [0.0, 0.0, 4e-4]];
        let (x, link) =
            (0.1 * i as f64, Body::new(&format!("link {i}"), 0.1 + 0.05 * i as f64, moments));
        let link = builder.body(Body { position: [x, 0.0, 0.0], ..link });
        builder.joint(&format!("joint {i}"), Spherical::at([x - 0.05, 0.0, 0.0]), last, link);
        last = link;
    }
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, MoreauJean::default(), h).unwrap();
    for _ in 0..300 {
        simulation.step().unwrap();
    }
    let log = &simulation.step().unwrap().log;
    let passes = log.newton_iterations;
    // Speeds are a few m/s; the points of a joint are at 0.05 m.
    let relative = log.constraints.u_plus.iter().fold(0.0f64, |m, u| m.max(u.abs()));
    assert!(relative < 1e-11, "the points part with {relative:e} m/s after {passes} passes");
    let state = simulation.state.clone();
    let momentum = |state: &nonsmooth::State| {
        (0..n).map(|i| (0.1 + 0.05 * i as f64) * DVec3::from_slice(&state.v[6 * i..])).sum::<DVec3>()
    };
    let before = momentum(&state);
    let log = &simulation.step().unwrap().log;
    let held = DVec3::from_slice(&log.constraints.impulse[..3]);
    let weight: f64 = (0..n).map(|i| 0.1 + 0.05 * i as f64).sum();
    let off = momentum(&simulation.state) - before - held - DVec3::new(0.0, 0.0, -9.81 * weight * h);
    assert!(off.length() < 1e-11 * before.length(), "{off:?}");
}
