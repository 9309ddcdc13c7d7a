//! What is refused fails: each model is run past its refusal, `Integrator::step` alone, and shows why. More of them are in
//! `paoli/refused.rs` (friction, unequal restitution) and in `integrators/tracking/refuse.rs` (polygons of friction).

use super::build;
use crate::kick_drift::{ball, diagonal, floor};
use crate::kit::{
    Built, Linear, ModelBuilder, NewtonImpact, Options, Simulation, Sparse, State, StepLog, UserError,
    VelocityConstraint,
};
use crate::models::Alike;
use nonsmooth::laws::{Bilateral, Coulomb, Poisson, Relay};
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{Anchor, Rigid, Spring};

/// The state after `n` steps of a model that the scheme refuses, or why there is none.
fn past(
    scheme: &str,
    options: &Options,
    (model, state): Built,
    h: f64,
    n: usize,
) -> Result<State, String> {
    let refused = Simulation::new(model.clone(), state.clone(), build(scheme, options), h);
    assert!(refused.is_err(), "{scheme} refuses the model");
    let mut made = build(scheme, options);
    let (mut now, mut next, mut log) = (state.clone(), state, StepLog::default());
    for _ in 0..n {
        log.clear();
        made.step(&model, &now, h, &mut next, &mut log).map_err(|error| error.to_string())?;
        std::mem::swap(&mut now, &mut next);
    }
    Ok(now)
}

fn plain(scheme: &str, model: Built, h: f64, n: usize) -> State {
    past(scheme, &Options::default(), model, h, n).expect("a good step")
}

/// A mass that falls on a floor with this law.
fn dropped(law: impl nonsmooth::laws::Law + 'static) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0])).initial(&[0.1], &[-1.0]));
    let law = builder.law("floor", law);
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// 0 ≤ y⁺ ⟂ p ≥ 0 at the end of the step leaves no velocity to rebound with: the ball stays on the floor although e = 0.8.
#[test]
fn where_the_end_gap_rules_nothing_rebounds() {
    let mut by_position = Options::default();
    by_position.set("level", nonsmooth_solvers::Value::Word("position".into()));
    for (scheme, options) in [("stewart-trinkle", Options::default()), ("moreau-jean", by_position)] {
        let end = past(scheme, &options, dropped(NewtonImpact { restitution: 0.8 }), 1e-3, 150);
        let end = end.expect("a good step");
        assert!(end.v[0].abs() < 0.1 && end.q[0].abs() < 1e-2, "{scheme}: {end:?}");
    }
}

/// Twenty masses on stiff springs, ω h up to 20: what treats stiffness explicitly throws them farther in every step.
#[test]
fn a_mesh_that_is_kicked_explicitly_bursts() {
    let (n, k) = (20, 1e6);
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i: usize| {
            let entry = |j: usize| match i.abs_diff(j) {
                0 => 2.0 * k,
                1 => -k,
                _ => 0.0,
            };
            (0..n).map(entry).collect()
        })
        .collect();
    let mut builder = ModelBuilder::new();
    let start: Vec<f64> = (0..n).map(|i| 1e-3 * (i as f64).sin()).collect();
    builder.linear(
        Linear::new("mesh", Sparse::diagonal(&[1.0; 20]))
            .stiffness(Sparse::from_rows(&rows))
            .initial(&start, &[0.0; 20]),
    );
    let built = builder.build(0.0).expect("a right model");
    let schemes =
        ["kick-drift", "moreau-paoli", "schatzman-paoli", "stewart-trinkle", "splitting", "d1-minus"];
    for scheme in schemes {
        let (model, state) = built.clone();
        let refusal = Simulation::new(model, state, build(scheme, &Options::default()), 1e-2);
        let refusal = refusal.err().expect("it is refused").to_string();
        assert!(refusal.contains("would bound the step; use moreau-jean or"), "{scheme}: {refusal}");
        let end = past(scheme, &Options::default(), built.clone(), 1e-2, 20);
        // Where numbers leave their range the step says so.
        assert!(end.is_err() || end.is_ok_and(|state| state.q[0].abs() > 1.0), "{scheme}");
    }
}

/// A skate: no velocity across its blade.
struct Skate;

impl VelocityConstraint for Skate {
    fn value(&self, _t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(-v[0] * q[2].sin() + v[1] * q[2].cos())
    }

    fn jacobian(&self, _t: f64, q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[-q[2].sin(), q[2].cos(), 0.0]);
        Ok(())
    }
}

/// With speed 1 and spin 2 a skate goes round in a circle of radius ½. Every scheme that works with velocities or accelerations holds it
/// with its own order; positions have nothing to hold.
#[test]
fn a_skate_goes_round_with_the_order_of_the_scheme() {
    let off = |scheme: &str, n: u64| {
        let mut builder = ModelBuilder::new();
        let skate = Linear::new("skate", Sparse::diagonal(&[1.0, 1.0, 0.2]));
        let skate = builder.linear(skate.initial(&[0.0; 3], &[1.0, 0.0, 2.0]));
        let law = builder.law("edge", Bilateral);
        builder.velocity_constraint("edge", law, &[(skate, 0), (skate, 1), (skate, 2)], Skate);
        let (model, state) = builder.build(0.0).expect("a right model");
        let made = build(scheme, &Options::default());
        let mut simulation = Simulation::new(model, state, made, 1.0 / n as f64).expect("accepted");
        simulation.run(n, &mut []).expect("it runs");
        let q = &simulation.state.q;
        (q[0] - 0.5 * 2f64.sin()).hypot(q[1] - 0.5 * (1.0 - 2f64.cos()))
    };
    let cases = [
        ("euler-explicit", 1.0, 200),
        ("euler-semi-implicit", 1.0, 200),
        ("euler-implicit", 1.0, 200),
        ("schatzman-paoli", 1.0, 200),
        ("generalized-alpha", 2.0, 100),
        ("d1-minus", 2.0, 100),
        ("splitting", 1.0, 20),
        ("high-order", 5.0, 10),
    ];
    for (scheme, order, n) in cases {
        let (coarse, fine) = (off(scheme, n), off(scheme, 2 * n));
        let measured = (coarse / fine).log2();
        assert!(measured > order - 0.3, "{scheme}: {coarse:e} {fine:e}, order {measured}");
    }
    // It chooses its own steps.
    assert!(off("event-driven", 10) < 1e-12);
}

/// A body whose moments of inertia differ, on a hinge and on a ball joint: generalized-α has its order on the group of rotations too.
#[test]
fn generalized_alpha_takes_bodies_that_are_not_round() {
    use nonsmooth::model::constraints::joints::{Revolute, Spherical};
    for is_hinge in [true, false] {
        let end = |scheme: &str, n: u64| {
            let mut builder = ModelBuilder::new();
            builder.gravity([0.0, 0.0, -9.81]);
            let body = Body::new("top", 1.0, diagonal([0.15, 0.3, 0.4]));
            let angular_velocity = [if is_hinge { 0.0 } else { 3.0 }, 0.0, 0.0];
            let body = builder.body(Body { position: [0.5, 0.0, 0.0], angular_velocity, ..body });
            if is_hinge {
                builder.joint("joint", Revolute::at([0.0; 3]).axis([0.0, 0.8, 0.6]), Rigid::World, body);
            } else {
                builder.joint("joint", Spherical::at([0.0; 3]), Rigid::World, body);
            }
            let (model, state) = builder.build(0.0).expect("a right model");
            let made = build(scheme, &Options::default());
            let mut simulation = Simulation::new(model, state, made, 1.0 / n as f64).expect("accepted");
            simulation.run(n, &mut []).expect("it runs");
            glam::DVec3::from_slice(&simulation.state.q[..3])
        };
        let exact = end("high-order", 1000);
        let [coarse, fine] = [100, 200].map(|n| (end("generalized-alpha", n) - exact).length());
        let measured = (coarse / fine).log2();
        assert!((measured - 2.0).abs() < 0.1, "hinge {is_hinge}: {coarse:e} {fine:e}, order {measured}");
    }
}

/// A coordinate whose velocity is prescribed moves with cos t; a mass hangs on it by a spring.
fn shaken() -> Built {
    let mut builder = ModelBuilder::new();
    let stiffness = Sparse::from_rows(&[vec![9.0, -9.0], vec![-9.0, 9.0]]);
    let pair = Linear::new("pair", Sparse::diagonal(&[1.0, 1.0])).stiffness(stiffness);
    let pair = builder.linear(pair.initial(&[0.0; 2], &[1.0, 0.0]));
    builder.prescribe(pair, 0, |t| Ok(t.cos()));
    builder.build(0.0).expect("a right model")
}

/// A prescribed velocity is no acceleration: past the refusal the coordinate is left to the forces, and is not where it must be.
#[test]
fn a_prescribed_velocity_gives_no_acceleration() {
    for scheme in ["generalized-alpha", "high-order", "event-driven", "splitting", "d1-minus"] {
        // sin 1 = 0.84, but it goes on at the speed of the start.
        let end = plain(scheme, shaken(), 1e-2, 100);
        assert!((end.q[0] - 1.0).abs() < 1e-9, "{scheme}: {:?}", end.q);
    }
}

/// A ball hits the first of two that rest in contact. By Poisson's law the impulses of compression act e times again, which no shift e u⁻ gives.
fn row_of_balls() -> Built {
    let mut builder = ModelBuilder::new();
    let law = builder.law("hit", Poisson { restitution: 0.5 });
    let masses: Vec<_> = [-0.05, 0.0, 0.0]
        .iter()
        .enumerate()
        .map(|(i, x)| {
            let v = if i == 0 { 1.0 } else { 0.0 };
            builder
                .linear(Linear::new(&format!("ball{i}"), Sparse::diagonal(&[1.0])).initial(&[*x], &[v]))
        })
        .collect();
    for i in 0..2 {
        let name = format!("pair{i}");
        builder.linear_gap(&name, law, &[(masses[i], 0, -1.0), (masses[i + 1], 0, 1.0)], 0.0);
    }
    builder.build(0.0).expect("a right model")
}

#[test]
fn a_law_that_acts_in_phases_is_not_honoured_in_one() {
    // What the law says, by a scheme that lets it act at an instant.
    let (model, state) = row_of_balls();
    let mut simulation = Simulation::new(model, state, build("event-driven", &Options::default()), 1e-3)
        .expect("accepted");
    simulation.run(100, &mut []).expect("it runs");
    let law = simulation.state.v.clone();
    let sum: f64 = law.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9 && law[2] > 0.4, "{law:?}");
    // Without friction and with one e, impulses of Newton's law are 1 + e times those of compression, as Poisson's: `y⁺ + e y⁻ ≥ 0` is that law.
    let (model, state) = row_of_balls();
    let made = build("schatzman-paoli", &Options::default());
    let mut two_step = Simulation::new(model, state, made, 1e-3).expect("accepted");
    two_step.run(100, &mut []).expect("it runs");
    assert!(
        two_step.state.v.iter().zip(&law).all(|(a, b)| (a - b).abs() < 1e-9),
        "{:?}",
        two_step.state.v
    );
    for scheme in ["moreau-paoli", "d1-minus", "generalized-alpha"] {
        // Compression alone: all three go on together.
        let end = plain(scheme, row_of_balls(), 1e-3, 100);
        assert!(
            end.v.iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-9),
            "{scheme}: {:?}, not {law:?}",
            end.v
        );
    }
}

/// A ball on a lift that rises: all of its energy comes from the lift.
#[test]
fn where_energy_is_kept_a_lift_does_not_lift() {
    let end = plain("moreau-energy", super::page::lifted_along(1.0), 1e-2, 100);
    // It rises by 0.5 m and must go on at 1 m/s; the energy for the rise is taken from its motion along.
    assert!(end.q[2] > 0.55 && end.v[0] < 0.5, "{:?} {:?}", end.q, end.v);
}

/// A relay at velocity level, which schemes of frictionless contacts have no set for.
#[test]
fn a_relay_does_not_brake_where_there_is_no_friction() {
    let make = || {
        let mut builder = ModelBuilder::new();
        let pair = Linear::new("pair", Sparse::diagonal(&[1.0, 1.0])).initial(&[0.0; 2], &[1.0, 0.0]);
        let pair = builder.linear(pair);
        let law = builder.law("rub", Relay { lower: -0.5, upper: 0.5 });
        builder.velocity_constraint("rub", law, &[(pair, 0), (pair, 1)], Alike);
        builder.build(0.0).expect("a right model")
    };
    for scheme in ["generalized-alpha", "high-order", "event-driven", "splitting", "d1-minus"] {
        // Slip 1 m/s, to be braked by 0.5 N on each: alike after 1 s. Nothing brakes.
        let end = plain(scheme, make(), 1e-2, 200);
        assert_eq!(end.v, [1.0, 0.0], "{scheme}");
    }
}

/// The balance of the scheme has no potential of springs: what an impact takes is given back wrongly, and the energy is not kept.
#[test]
fn with_springs_the_energy_is_not_kept() {
    let make = |stiffness: f64, in_phases: bool| -> Built {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81]);
        let material = builder.material("stuff");
        let law = match in_phases {
            true => builder.law("hit", Poisson { restitution: 0.5 }),
            false => builder.law("hit", NewtonImpact { restitution: 0.5 }),
        };
        builder.default_pair(law);
        floor(&mut builder, material);
        let mut body = ball("ball", 0.1, 1.0, material);
        (body.position, body.velocity) = ([0.3, 0.0, 0.3], [1.0, 0.0, 0.0]);
        let body = builder.body(body);
        if stiffness > 0.0 {
            let ends =
                [Anchor { on: body, at: [0.0; 3] }, Anchor { on: Rigid::World, at: [0.0, 0.0, 3.0] }];
            let name = "string".to_owned();
            builder.spring(Spring { name, ends, stiffness, damping: 0.0, rest_length: 1.0 });
        }
        builder.build(0.0).expect("a right model")
    };
    let energy = |model: &nonsmooth::Model, state: &State| {
        let e = model.energies_of(state).expect("finite");
        e.kinetic + e.potential
    };
    let (model, state) = make(4.0, false);
    let before = energy(&model, &state);
    let after = energy(&model, &plain("moreau-energy", (model.clone(), state), 5e-3, 400));
    assert!(after < before - 0.3, "{before} J → {after} J");
    // Without the spring it is kept, by a law in one phase and in two.
    for in_phases in [false, true] {
        let (model, state) = make(0.0, in_phases);
        let before = energy(&model, &state);
        let made = build("moreau-energy", &Options::default());
        let mut simulation = Simulation::new(model, state, made, 5e-3).expect("accepted");
        simulation.run(400, &mut []).expect("it runs");
        let after = energy(&simulation.model, &simulation.state);
        assert!((after - before).abs() < 1e-9 * before, "in phases {in_phases}: {before} J → {after} J");
    }
}

/// v_x = t: it is driven.
struct Driven;

impl VelocityConstraint for Driven {
    fn value(&self, t: f64, _q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(v[0] - t)
    }

    fn jacobian(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
}

/// What rests on a floor is rubbed, braked by a relay, or driven along it. Beside it flies a mass that nothing touches, with 1 m/s.
/// Moreau–Jean leaves it alone; past its refusal the scheme that keeps the energy gives it what friction takes, and takes what a drive gives.
#[test]
fn where_energy_is_kept_friction_and_drives_act_on_what_touches_nothing() {
    type Add = fn(&mut ModelBuilder, nonsmooth::model::SystemId);
    let cases: [(&str, [f64; 4], Add); 4] = [
        ("friction", [0.0, 1.0, 0.0, 1.0], |m, s| {
            let law = m.law("rough", Coulomb { friction: 0.3, ..Coulomb::default() });
            m.linear_contact("floor", law, &[(s, 0, 1.0)], 0.0, &[&[(s, 1, 1.0)]]);
        }),
        ("relay", [0.0, 1.0, 0.0, 1.0], |m, s| {
            let law = m.law("rub", Relay { lower: -0.5, upper: 0.5 });
            m.velocity_constraint("rub", law, &[(s, 1), (s, 2)], Alike);
        }),
        ("prescribed", [0.0, 0.0, 0.0, 1.0], |m, s| m.prescribe(s, 1, Ok)),
        ("driven", [0.0, 0.0, 0.0, 1.0], |m, s| {
            let law = m.law("drive", Bilateral);
            m.velocity_constraint("drive", law, &[(s, 1)], Driven);
        }),
    ];
    for (name, velocities, add) in cases {
        let make = || {
            let mut builder = ModelBuilder::new();
            let masses =
                Linear::new("masses", Sparse::diagonal(&[1.0; 4])).load(&[-9.81, 0.0, 0.0, 0.0]);
            let masses = builder.linear(masses.initial(&[0.0; 4], &velocities));
            if name != "friction" {
                let law = builder.law("floor", NewtonImpact { restitution: 0.0 });
                builder.linear_gap("floor", law, &[(masses, 0, 1.0)], 0.0);
            }
            add(&mut builder, masses);
            builder.build(0.0).expect("a right model")
        };
        let (model, state) = make();
        let made = build("moreau-jean", &Options::default());
        let mut alone = Simulation::new(model, state, made, 1e-2).expect("accepted");
        alone.run(70, &mut []).expect("it runs");
        assert!((alone.state.v[3] - 1.0).abs() < 1e-12, "{name}: {:?}", alone.state.v);
        let end = plain("moreau-energy", make(), 1e-2, 70);
        assert!((end.v[3] - 1.0).abs() > 0.05, "{name}: {:?}", end.v);
    }
}

/// A relay acts against a velocity. On a gap at position level it pulls a mass at rest to where the gap is zero.
#[test]
fn a_relay_on_a_gap_at_position_level_pulls_what_rests() {
    let make = || {
        let mut builder = ModelBuilder::new();
        let mass =
            builder.linear(Linear::new("mass", Sparse::diagonal(&[1.0])).initial(&[-0.5], &[0.0]));
        let law = builder.law("rub", Relay { lower: -1.0, upper: 1.0 });
        builder.linear_gap("guide", law, &[(mass, 0, 1.0)], 0.0);
        builder.build(0.0).expect("a right model")
    };
    let (model, state) = make();
    let made = build("moreau-jean", &Options::default());
    let mut rests = Simulation::new(model, state, made, 1e-2).expect("accepted");
    rests.run(100, &mut []).expect("it runs");
    assert_eq!((rests.state.q[0], rests.state.v[0]), (-0.5, 0.0));
    let end = plain("schatzman-paoli", make(), 1e-2, 50);
    assert!(end.q[0] > -0.45, "{:?}", end.q);
}
