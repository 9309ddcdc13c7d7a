//! Passive motions against MuJoCo on the same files, joint by joint by name: `tests/models/mujoco.csv`, by `benches/import/reference.py`.
//!
//! MuJoCo's own scheme is of first order, ours of second. So at two steps its distance from ours halves, and ours is near its result at a
//! small step of its Runge–Kutta scheme.

use crate::{loaded, model, models};
use glam::{DQuat, DVec3};
use nonsmooth::{Model, State};
use nonsmooth_import::Options;
use std::collections::BTreeMap;

/// Coordinates by joint.
type Coordinates = BTreeMap<&'static str, f64>;

struct Row {
    model: String,
    joint: String,
    t: f64,
    euler: [f64; 2],
    rk4: f64,
}

fn table() -> Vec<Row> {
    let text = std::fs::read_to_string(models().join("mujoco.csv")).expect("the table is committed");
    let row = |line: &str| {
        let words: Vec<&str> = line.split(',').collect();
        let number = |k: usize| words[k].parse::<f64>().expect("a number");
        Row {
            model: words[0].to_owned(),
            joint: words[1].to_owned(),
            t: number(2),
            euler: [number(3), number(4)],
            rk4: number(5),
        }
    };
    text.lines().skip(2).map(row).collect()
}

fn pose(model: &Model, state: &State, name: &str) -> (DVec3, DQuat) {
    let body = model.rigid.bodies.iter().find(|body| body.name == name).expect("a body");
    let q = &state.q[body.q as usize..];
    (DVec3::from_slice(&q[..3]), DQuat::from_xyzw(q[4], q[5], q[6], q[3]).normalize())
}

/// The plunger's centre as the hand has it: it moves along the joint.
fn in_hand(model: &Model, state: &State) -> DVec3 {
    let ((hand, turn), (plunger, _)) = (pose(model, state, "hand"), pose(model, state, "plunger"));
    turn.inverse() * (plunger - hand)
}

/// Our coordinates, by steps of h, at a time.
fn ours(name: &str, h: f64, t: f64) -> Coordinates {
    let scene = model(name, &Options::default()).scene;
    let mut loaded = loaded(&scene.replace("step_size = 0.001", &format!("step_size = {h:?}")));
    let start = loaded.simulation.state.clone();
    loaded.simulation.run((t / h).round() as u64, &mut []).expect("it runs");
    let (model, state) = (&loaded.simulation.model, &loaded.simulation.state);
    let a = &state.angles;
    if name == "pendulum.urdf" {
        return [("pin", a[0])].into();
    }
    let way = in_hand(model, state) - in_hand(model, &start);
    // (0, 0.2, 1) in a frame that is turned by 40° about (1, 1, 0).
    let axis = DQuat::from_axis_angle(DVec3::new(1.0, 1.0, 0.0).normalize(), 40f64.to_radians())
        * DVec3::new(0.0, 0.2, 1.0).normalize();
    assert!((way - way.dot(axis) * axis).length() < 1e-10, "the plunger leaves its way: {way}");
    let elbow = 15f64.to_radians() + a[1];
    [
        ("shoulder", a[0]),
        ("elbow", elbow),
        ("wrist_1", a[2]),
        ("wrist_2", a[3]),
        ("stroke", way.dot(axis)),
    ]
    .into()
}

#[test]
fn passive_motions_are_those_of_mujoco() {
    let rows = table();
    assert_eq!(rows.len(), 18);
    let mut known: BTreeMap<(String, u64), [Coordinates; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in &rows {
        let key = (row.model.clone(), (1000.0 * row.t) as u64);
        let both = known.entry(key).or_insert_with(|| [2e-3, 1e-3].map(|h| ours(&row.model, h, row.t)));
        let [d1, d2] = [0, 1].map(|k| (both[k][row.joint.as_str()] - row.euler[k]).abs());
        let [e1, e2] = [0, 1].map(|k| (both[k][row.joint.as_str()] - row.rk4).abs());
        let first = (row.euler[0] - row.rk4).abs();
        println!(
            "{} {} t = {}: to Euler {d1:.2e}, {d2:.2e}; to Runge–Kutta {e1:.2e}, {e2:.2e}; Euler off by {first:.2e}",
            row.model, row.joint, row.t
        );
        // Halved, with the second order in it; and the second order itself is a small part of the first.
        let halves = d2 > 0.4 * d1 && d2 < 0.6 * d1;
        let near = e2 < 0.02 * first + 1e-9 && e2 < 0.35 * e1 + 1e-9;
        if !halves || !near {
            wrong
                .push(format!("{} {} at {}: {d1:e} {d2:e}, {e1:e} {e2:e}", row.model, row.joint, row.t));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
