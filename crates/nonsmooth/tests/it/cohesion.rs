//! Cohesion: the pull-off force and the energy of a bond, blocks that hang, peel and slide, momentum, energy.

use crate::body_kit::{about, body, made};
use crate::kick_drift::cuboid;
use nonsmooth::integrators::{INTEGRATORS, MoreauJean};
use nonsmooth::laws::Cohesion;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, KinematicState, MaterialId};
use nonsmooth::model::systems::Linear;
use nonsmooth::model::{ConstraintId, ModelBuilder};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{Refusal, Simulation, SolverSettings};
use nonsmooth_geometry::{planar, spatial};
use nonsmooth_solvers::{Options, Sparse};

const G: f64 = 9.81;
const LAW: Cohesion = Cohesion {
    friction: 0.0,
    restitution: 0.0,
    normal_stiffness: 4e4,
    tangential_stiffness: 1e4,
    energy: 0.1,
    viscosity: 0.0,
    intensity: 1.0,
};

/// Largest force and work of a bond over a floor that is drawn open with the speed `v` up to `most`, along the normal or a tangent.
fn draw(law: Cohesion, tangent: bool, v: f64, most: f64, h: f64, theta: f64) -> (f64, f64) {
    let mut builder = ModelBuilder::new();
    let block = builder.linear(Linear::new("block", Sparse::diagonal(&[1.0, 1.0])));
    let law = builder.law("glue", law);
    builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &[&[(block, 1, 1.0)]]);
    builder.prescribe(block, usize::from(tangent), move |_| Ok(v));
    builder.prescribe(block, usize::from(!tangent), move |_| Ok(0.0));
    let (model, state) = builder.build(0.0).expect("a right model");
    let scheme = made(MoreauJean { theta, ..MoreauJean::default() });
    let mut simulation = Simulation::new(model, state, scheme, h).expect("it is taken");
    let mut ledger = EnergyLedger::default();
    let mut most_force = 0.0f64;
    for _ in 0..(most / (v * h)) as usize {
        simulation.run(1, &mut [&mut ledger]).expect("it runs");
        let known = simulation.state.memory.find(ConstraintId::member(1, 0)).expect("bonds last");
        most_force = most_force.max(-known.force[usize::from(tangent)]);
    }
    assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:e}", ledger.worst_remainder);
    (most_force, -ledger.total.contact)
}

/// Without viscosity the largest force is √(w C) and the energy w, along the normal and along a tangent, slowly or fast; both errors halve with h.
#[test]
fn a_bond_pulls_with_the_root_of_w_c_and_takes_w() {
    for (tangent, v) in [(false, 0.5), (true, 0.5), (false, 5.0)] {
        let stiffness: f64 = if tangent { LAW.tangential_stiffness } else { LAW.normal_stiffness };
        let force = (LAW.energy * stiffness).sqrt();
        let opening = (LAW.energy / stiffness).sqrt();
        // Beyond y it has w²/(2 C y²) left to take, here 2e-4 of w; then it is let go.
        let errors = [200.0, 400.0].map(|steps| {
            let (most, work) = draw(LAW, tangent, v, 50.0 * opening, opening / v / steps, 0.5);
            ((most / force - 1.0).abs(), (work / LAW.energy - 1.0 + 0.5 / 2500.0).abs())
        });
        eprintln!("{tangent} {v}: {errors:?}");
        assert!(errors[1].0 < 2.0 / 400.0 && errors[1].1 < 2.0 / 400.0, "{errors:?}");
        assert!(errors[1].1 < 0.6 * errors[0].1, "{errors:?}");
    }
}

/// With viscosity force and energy are larger, the more the faster; as b → 0 they tend to those without.
#[test]
fn viscosity_makes_force_and_energy_larger() {
    let at = |viscosity: f64, v: f64| {
        let opening = (LAW.energy / LAW.normal_stiffness).sqrt();
        draw(Cohesion { viscosity, ..LAW }, false, v, 50.0 * opening, opening / v / 400.0, 0.5)
    };
    let (force, work) = at(0.0, 0.5);
    let cases = [at(1e-6, 0.5), at(1e-4, 0.5), at(1e-3, 0.5), at(1e-3, 2.0)];
    eprintln!("{force} {work} {cases:?}");
    assert!((cases[0].0 / force - 1.0).abs() < 0.02 && (cases[0].1 / work - 1.0).abs() < 0.02);
    for pair in cases.windows(2) {
        assert!(pair[1].0 > 1.03 * pair[0].0 && pair[1].1 > 1.03 * pair[0].1, "{cases:?}");
    }
}

/// The damage of viscous bonds is that of b β̇ = −(β C v² t² − w)₊, by an independent quadrature.
#[test]
fn viscous_damage_follows_its_equation() {
    let (b, v, stiffness, w) = (1e-3, 0.5, LAW.normal_stiffness, LAW.energy);
    let opening = (w / stiffness).sqrt();
    let (most, work) =
        draw(Cohesion { viscosity: b, ..LAW }, false, v, 50.0 * opening, opening / v / 2000.0, 0.5);
    let (n, end) = (400_000, 50.0 * opening / v);
    let dt = end / f64::from(n);
    let (mut beta, mut force, mut taken) = (1.0f64, 0.0f64, 0.0);
    for k in 0..n {
        let y = v * (f64::from(k) + 0.5) * dt;
        let slope = |beta: f64| -(beta * stiffness * y * y - w).max(0.0) / b;
        let middle = beta + 0.5 * dt * slope(beta);
        let pull = middle * middle * stiffness * y;
        beta += dt * slope(middle);
        force = force.max(pull);
        taken += pull * v * dt;
    }
    eprintln!("{most} {force} {work} {taken}");
    assert!((most / force - 1.0).abs() < 2e-3 && (work / taken - 1.0).abs() < 2e-3);
}

/// The θ of the scheme is that of the bond: with θ = 1 and ¾ force and energy are the same up to O(h).
#[test]
fn any_theta_gives_the_same_bond() {
    let opening = (LAW.energy / LAW.normal_stiffness).sqrt();
    for theta in [0.75, 1.0] {
        let (most, work) = draw(LAW, false, 0.5, 50.0 * opening, opening / 0.5 / 400.0, theta);
        let force = (LAW.energy * LAW.normal_stiffness).sqrt();
        assert!((most / force - 1.0).abs() < 0.01, "{theta}: {most}");
        assert!((work / LAW.energy - 1.0).abs() < 0.01, "{theta}: {work}");
    }
}

/// A block under a ceiling, in space or in the plane, of the weight `load` [N].
fn hanging(law: Cohesion, load: f64, planar: bool) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let material = builder.material("glue");
    let law = builder.law("glue", law);
    builder.default_pair(law);
    let mass = load / G;
    if planar {
        builder.gravity([0.0, -G, 0.0]);
        let shape = planar::Shape::half_plane([0.0, -1.0]).expect("a right shape");
        builder.kinematic(KinematicBody::new("ceiling", vec![Collider::plane(shape, material)]));
        let shape = planar::Shape::rectangle([0.1, 0.1]).expect("a right shape");
        let colliders = vec![Collider::plane(shape, material)];
        let inertia = mass * 0.08 / 12.0;
        builder.body(Body {
            position: [0.0, -0.1, 0.0],
            colliders,
            ..Body::planar("block", mass, inertia)
        });
    } else {
        builder.gravity([0.0, 0.0, -G]);
        let shape = spatial::Shape::half_space([0.0, 0.0, -1.0]).expect("a right shape");
        builder.kinematic(KinematicBody::new("ceiling", vec![Collider::space(shape, material)]));
        let block = cuboid("block", [0.1; 3], mass, material);
        builder.body(Body { position: [0.0, 0.0, -0.1], ..block });
    }
    builder
}

/// A block hangs by its corners, y = m g/(n C) below the ceiling on average, while its weight, applied at once, is below half of what they hold together;
/// above it falls.
#[test]
fn a_block_hangs_below_its_pull_off_force_and_falls_above() {
    for (planar, corners) in [(false, 4.0), (true, 2.0)] {
        let hold = corners * (LAW.energy * LAW.normal_stiffness).sqrt();
        // A load that acts at once swings to twice the deflection at rest.
        for (part, falls) in [(0.45, false), (0.55, true)] {
            let (model, state) = hanging(LAW, part * hold, planar).build(0.0).expect("right");
            let start = state.q[if planar { 1 } else { 2 }];
            let mut simulation =
                Simulation::new(model, state, made(MoreauJean::default()), 2e-5).expect("taken");
            // Two whole swings.
            let rate = (corners * LAW.normal_stiffness * G / (part * hold)).sqrt();
            let (mut sum, n) = (0.0, (2.0 * std::f64::consts::TAU / rate / 2e-5).round() as u32);
            let mut ledger = EnergyLedger::default();
            for _ in 0..n {
                simulation.run(1, &mut [&mut ledger]).expect("it runs");
                sum += start - simulation.state.q[if planar { 1 } else { 2 }];
            }
            assert!(ledger.worst_remainder < 1e-10 * ledger.scale, "{:e}", ledger.worst_remainder);
            let (mean, deflection) =
                (sum / f64::from(n), part * hold / (corners * LAW.normal_stiffness));
            eprintln!("{planar} {part}: {mean:e} {deflection:e} {:e}", ledger.worst_remainder);
            if falls {
                assert!(start - simulation.state.q[if planar { 1 } else { 2 }] > 0.02, "{planar}");
            } else {
                assert!((mean / deflection - 1.0).abs() < 1e-3, "{planar}: {mean} {deflection}");
            }
        }
    }
}

/// Two cubes that spin together, glued face on face, however they are turned: both momenta are kept, glued or torn apart by their spin.
#[test]
fn bonds_keep_momenta_and_a_fast_spin_tears_them() {
    for (spin, tears) in [(3.0, false), (40.0, true)] {
        let mut builder = ModelBuilder::new();
        let material = builder.material("glue");
        let law = builder.law("glue", LAW);
        builder.default_pair(law);
        let turn = about([0.6, 0.0, 0.8], 0.9);
        let to_world = glam::DQuat::from_xyzw(turn[1], turn[2], turn[3], turn[0]);
        for (name, side) in [("a", -1.0), ("b", 1.0)] {
            let place = to_world * glam::DVec3::new(side * 0.1, 0.0, 0.0);
            let omega = to_world * glam::DVec3::new(0.0, spin, 0.0);
            builder.body(Body {
                position: place.to_array(),
                rotation: turn,
                velocity: omega.cross(place).to_array(),
                angular_velocity: [0.0, spin, 0.0],
                ..cuboid(name, [0.1; 3], 1.0, material)
            });
        }
        let (model, state) = builder.build(0.0).expect("right");
        let momenta = |simulation: &Simulation| {
            let (q, v) = (&simulation.state.q, &simulation.state.v);
            let mut sum = [glam::DVec3::ZERO; 2];
            for k in 0..2 {
                let at = |x: &[f64], i: usize| glam::DVec3::new(x[i], x[i + 1], x[i + 2]);
                let (place, speed) = (at(q, 7 * k), at(v, 6 * k));
                let turn =
                    glam::DQuat::from_xyzw(q[7 * k + 4], q[7 * k + 5], q[7 * k + 6], q[7 * k + 3]);
                // A cube of half width 0.1 and mass 1.
                let inertia = 2.0 * 0.01 / 3.0;
                sum[0] += speed;
                sum[1] += place.cross(speed) + turn * (inertia * at(v, 6 * k + 3));
            }
            sum
        };
        let mut simulation =
            Simulation::new(model, state, made(MoreauJean::default()), 1e-4).expect("taken");
        let before = momenta(&simulation);
        let mut ledger = EnergyLedger::default();
        simulation.run(2000, &mut [&mut ledger]).expect("it runs");
        let after = momenta(&simulation);
        let apart = (0..3)
            .map(|k| (simulation.state.q[7 + k] - simulation.state.q[k]).powi(2))
            .sum::<f64>()
            .sqrt();
        eprintln!("{spin}: {before:?} {after:?} {apart} {:e}", ledger.worst_remainder / ledger.scale);
        assert!((after[0] - before[0]).length() < 1e-10, "{before:?} {after:?}");
        assert!((after[1] - before[1]).length() < 1e-3 * before[1].length(), "{before:?} {after:?}");
        assert_eq!(apart > 0.3, tears, "{apart}");
        assert!(ledger.worst_remainder < 1e-10 * ledger.scale);
    }
}

/// Where the bond is whole the contact has no friction of its own; once it is gone it has μ: a block that is torn off along a slope then slides with μ.
#[test]
fn friction_takes_over_as_the_bond_goes() {
    let law = Cohesion { friction: 0.3, tangential_stiffness: 1e4, energy: 1e-2, ..LAW };
    let slide = |speed: f64, intensity: f64| {
        let mut builder = ModelBuilder::new();
        let block = Linear::new("block", Sparse::diagonal(&[1.0, 1.0])).load(&[-G, 0.0]);
        let block = builder.linear(block.initial(&[0.0; 2], &[0.0, speed]));
        let law = builder.law("glue", Cohesion { intensity, ..law });
        builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &[&[(block, 1, 1.0)]]);
        let (model, state) = builder.build(0.0).expect("right");
        let mut simulation =
            Simulation::new(model, state, made(MoreauJean::default()), 1e-5).expect("taken");
        let mut before = 0.0;
        for k in 0..20_000 {
            if k == 10_000 {
                before = simulation.state.v[1];
            }
            simulation.run(1, &mut []).expect("it runs");
        }
        (simulation.state.v[1], (before - simulation.state.v[1]) / 0.1)
    };
    // ½ m v² above the energy of the bond: it goes, and friction brakes.
    let (speed, brake) = slide(2.0, 1.0);
    assert!((brake / (0.3 * G) - 1.0).abs() < 1e-3, "{brake}");
    let alone = slide(2.0, 0.0).0;
    // The bond takes w while friction, with β = min(1, s₀²/s²), takes 2 s₀ μ m g less than without.
    let lost = 0.5 * (4.0 - (2.0 - (alone - speed)).powi(2));
    let want = law.energy - 2.0 * (law.energy / law.tangential_stiffness).sqrt() * 0.3 * G;
    // A step is 2 % of s₀, and the energy of a bond is of first order in it.
    assert!((lost - want).abs() < 0.03 * law.energy, "{lost} {want}");
    // Below it the block swings and comes to no rest by friction: β = 1 leaves none.
    let (k, slow) = (law.tangential_stiffness, 0.04);
    assert!(0.5 * slow * slow < 0.5 * law.energy);
    let (speed, _) = slide(slow, 1.0);
    let phase = (k.sqrt() * 0.2f64).cos();
    assert!((speed - slow * phase).abs() < 2e-2 * slow, "{speed} {}", slow * phase);
}

/// Gaps that are open at the start and bodies that do not touch are not glued.
#[test]
fn only_what_is_closed_is_glued() {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[1.0])).initial(&[1e-3], &[0.0]);
    let block = builder.linear(block);
    let law = builder.law("glue", LAW);
    builder.linear_gap("floor", law, &[(block, 0, 1.0)], 0.0);
    let (model, _) = builder.build(0.0).expect("right");
    assert!(model.constraints.iter().all(|family| family.name() != "bonds"));
    let (model, _) = hanging(LAW, 1.0, false).build(0.0).expect("right");
    let bonds = model.constraints.iter().find(|family| family.name() == "bonds").expect("glued");
    assert_eq!(bonds.n_members(), 4);
}

/// What moves as prescribed is not glued to: it would need a rate that the bond has not.
#[test]
fn a_moving_body_is_refused_as_a_side() {
    let mut builder = ModelBuilder::new();
    let material: MaterialId = builder.material("glue");
    let law = builder.law("glue", LAW);
    builder.default_pair(law);
    let shape = spatial::Shape::half_space([0.0, 0.0, 1.0]).expect("right");
    let motion = |t: f64| {
        Ok(KinematicState {
            position: [0.0, 0.0, t],
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity: [0.0, 0.0, 1.0],
            angular_velocity: [0.0; 3],
        })
    };
    let lift = KinematicBody::new("lift", vec![Collider::space(shape, material)]);
    builder.kinematic(KinematicBody { motion: Some(Box::new(motion)), ..lift });
    builder.body(Body { position: [0.0, 0.0, 0.1], ..cuboid("block", [0.1; 3], 1.0, material) });
    builder.body(body("other", 1.0, [9.0; 3]));
    let error = builder.build(0.0).err().expect("refused").to_string();
    assert!(error.contains("`lift`") && error.contains("cohesion"), "{error}");
}

/// Every scheme but `moreau-jean` and `moreau-adaptive` refuses it by name.
#[test]
fn schemes_that_have_no_place_for_bonds_say_so() {
    for entry in INTEGRATORS {
        let (model, state) = hanging(LAW, 10.0, false).build(0.0).expect("right");
        let scheme = entry.build(&Options::default(), SolverSettings::default()).expect("defaults");
        match Simulation::new(model, state, scheme, 1e-3) {
            Ok(_) => assert!(["moreau-jean", "moreau-adaptive"].contains(&entry.name), "{}", entry.name),
            Err(Refusal::Elastic { integrator, law }) => {
                assert_eq!((integrator, law.as_str()), (entry.name, "glue"));
            }
            Err(other) => assert_eq!(entry.name, "none", "{other}"),
        }
    }
}
