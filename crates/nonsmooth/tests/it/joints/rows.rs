//! Rows of joints: Jacobians, curvature, momentum.

use crate::body_kit::{INERTIA, about};
use glam::DVec3;
use nonsmooth::model::constraints::joints::{
    Belt, Cylindrical, Distance, Fixed, Gear, JOINTS, JointRow, JointRows, Planar, PointOnLine,
    PointOnPlane, Prismatic, Rack, Revolute, Screw, Spherical, Universal,
};
use nonsmooth::model::rigid::{Body, RigidState, exponential};
use nonsmooth::model::{JointAt, ModelBuilder};

/// A pair of bodies in general position, joined.
pub(super) fn joined(posed: JointAt, planar: bool) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let [a, b] = [0.0, 1.0].map(|i| {
        let (position, rotation) = if planar {
            ([i, 0.3 - i, 0.0], about([0.0, 0.0, 1.0], 0.4 + i))
        } else {
            ([i, 0.3 - i, 0.5 * i], about([0.48, 0.6, 0.64], 0.4 + i))
        };
        let name = if i == 0.0 { "a" } else { "b" };
        builder.body(Body { planar, position, rotation, ..Body::new(name, 1.0 + i, INERTIA) })
    });
    builder.joint("joint", posed, a, b);
    builder
}

pub(super) fn every_joint(planar: bool) -> Vec<(&'static str, JointAt)> {
    let at = if planar { [0.4, -0.2, 0.0] } else { [0.4, -0.2, 0.7] };
    let axis = if planar { [0.6, 0.8, 0.0] } else { [0.48, -0.6, 0.64] };
    let to = if planar { [1.0, 0.1, 0.0] } else { [1.0, 0.1, -0.4] };
    vec![
        ("revolute", Revolute::at(at).axis(axis)),
        ("spherical", Spherical::at(at)),
        ("prismatic", Prismatic::at(at).axis(axis)),
        ("fixed", Fixed::at(at)),
        ("cylindrical", Cylindrical::at(at).axis(axis)),
        ("universal", Universal::at(at).axis(axis).second_axis([0.8, 0.64, 0.0])),
        ("planar", Planar::at(at).axis(axis)),
        ("screw", Screw { lead: -0.3 }.at(at).axis(axis)),
        ("distance", Distance::between(at, to)),
        ("point-on-line", PointOnLine::at(at).axis(axis)),
        ("point-on-plane", PointOnPlane::at(at).axis(axis)),
        ("gear", Gear::new(20.0, 35.0).between(at, to).axis(axis)),
        ("rack", Rack { radius: 0.3 }.at(at).axis(axis).second_axis([0.8, 0.64, 0.0])),
        ("belt", Belt::new(20.0, -33.0, 0.05).between(at, to).axis(axis)),
    ]
    .into_iter()
    .filter(|(name, _)| !(planar && ["planar", "screw"].contains(name)))
    .collect()
}

/// Two rigid states of a joint moved by twists for a time.
fn moved(states: [RigidState; 2], dt: f64) -> [RigidState; 2] {
    states.map(|s| RigidState {
        position: s.position + dt * s.velocity,
        rotation: exponential(dt * s.spin) * s.rotation,
        ..s
    })
}

fn rows(joint: &JointRow, [a, b]: [RigidState; 2]) -> (JointRows, Vec<f64>) {
    let sides = joint.sides(&a, &b);
    let mut rows = JointRows::default();
    joint.rows(&sides, &mut rows);
    let mut u = vec![0.0; rows.len()];
    rows.rates(&sides[0], &sides[1], &mut u);
    (rows, u)
}

/// Start states of a joined pair with twists.
fn states(joint: &JointRow, planar: bool) -> [RigidState; 2] {
    let spin = |x: f64| if planar { DVec3::new(0.0, 0.0, x) } else { DVec3::new(0.3, -0.5, x) };
    let velocity = |x: f64| if planar { DVec3::new(x, -0.4, 0.0) } else { DVec3::new(x, -0.4, 0.9) };
    let mut built = [RigidState::default(); 2];
    for (k, state) in built.iter_mut().enumerate() {
        // The pose that puts the joint's frame of this side at the origin.
        let rotation = joint.frames[k].inverse();
        let mut position = -(rotation * joint.points[k]);
        if k == 1 && joint.joint.needs_second_point() {
            // As far apart as the two points of `every_joint`, in the joint's frame at the start.
            let apart = if planar { DVec3::new(0.6, 0.3, 0.0) } else { DVec3::new(0.6, 0.3, -1.1) };
            let turn = if planar { about([0.0, 0.0, 1.0], 0.4) } else { about([0.48, 0.6, 0.64], 0.4) };
            let [w, x, y, z] = turn;
            let frame = glam::DQuat::from_xyzw(x, y, z, w) * joint.frames[0];
            position += frame.inverse() * apart;
        }
        let (v, w) = (velocity(0.7 + k as f64), spin(0.8 - 1.7 * k as f64));
        *state = RigidState { position, rotation, velocity: v, spin: w };
    }
    built
}

#[test]
fn the_jacobian_and_the_curvature_of_every_joint_are_derivatives() {
    assert_eq!(JOINTS.len(), every_joint(false).len());
    for planar in [false, true] {
        for (name, posed) in every_joint(planar) {
            let (model, _) = joined(posed, planar).build(0.0).unwrap();
            let joint = &model.joints.joints[0];
            assert_eq!(joint.joint.name(), name);
            let start = states(joint, planar);
            let (at, u) = rows(joint, start);
            assert_eq!(at.len(), joint.joint.dim(joint.within), "{name}");
            assert!(at.error() < 1e-14, "{name}: {}", at.error());
            let d = 1e-4;
            let [(after, _), (before, _)] = [d, -d].map(|dt| rows(joint, moved(start, dt)));
            for k in 0..at.len() {
                let slope = (after.y[k] - before.y[k]) / (2.0 * d);
                assert!((slope - u[k]).abs() < 1e-7, "{name} row {k}: {slope} {}", u[k]);
                let second = (after.y[k] - 2.0 * at.y[k] + before.y[k]) / (d * d);
                let bend = at.curvature[k];
                assert!((second - bend).abs() < 1e-5, "{name} row {k}: {second} {bend}");
            }
        }
    }
}

#[test]
fn rotational_rows_grow_up_to_half_a_turn_and_their_jacobian_stays_right() {
    let (model, _) = joined(Fixed::at([0.4, -0.2, 0.7]), false).build(0.0).unwrap();
    let joint = &model.joints.joints[0];
    let mut start = states(joint, false);
    let mut last = 0.0;
    for step in 1..30 {
        let turn = exponential(DVec3::new(0.6, 0.0, 0.8) * (step as f64 * 0.1));
        start[1].rotation = turn * joint.frames[1].inverse();
        start[1].position = -(start[1].rotation * joint.points[1]);
        let (at, u) = rows(joint, start);
        assert!(at.error() > last, "at {step}: {} {last}", at.error());
        last = at.error();
        let d = 1e-4;
        let [(after, _), (before, _)] = [d, -d].map(|dt| rows(joint, moved(start, dt)));
        for k in 3..6 {
            let slope = (after.y[k] - before.y[k]) / (2.0 * d);
            assert!((slope - u[k]).abs() < 1e-6, "row {k} at {step}: {slope} {}", u[k]);
        }
    }
}

/// Impulse and angular impulse of every row on both sides cancel, off the joint too.
#[test]
fn rows_keep_momentum_wherever_the_bodies_are() {
    for (name, posed) in every_joint(false) {
        let (model, _) = joined(posed, false).build(0.0).unwrap();
        let joint = &model.joints.joints[0];
        let mut start = states(joint, false);
        start[1].position += DVec3::new(0.1, 0.2, -0.3);
        start[1].rotation = exponential(DVec3::new(0.3, 0.1, 0.2)) * start[1].rotation;
        let (at, _) = rows(joint, start);
        for k in 0..at.len() {
            let sum = |on: [&[f64; 6]; 2]| {
                let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
                for (x, s) in on.into_iter().zip(start) {
                    let (f, m) = (DVec3::from_slice(&x[..3]), DVec3::from_slice(&x[3..]));
                    p += f;
                    l += m + s.position.cross(f);
                }
                p.length() + l.length()
            };
            assert!(sum([&at.on_a[k], &at.on_b[k]]) < 1e-15, "{name} row {k}");
        }
    }
}
