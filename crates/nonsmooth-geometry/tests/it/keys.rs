//! Keys persist while bodies move a little, and frames turn with the normal.

use crate::random::Random;
use crate::samples::{ball, capsule, cuboid, cylinder, grid, half_space, hull, mesh};
use glam::DVec3;
use nonsmooth_geometry::spatial::{Pose, Shape, contacts, frame};
use nonsmooth_geometry::{Key, spatial::Contact};

fn keys(a: &Shape, b: &Shape, pose: &Pose) -> Vec<Key> {
    let mut out: Vec<Contact> = Vec::new();
    contacts(a, &Pose::IDENTITY, b, pose, 0.01, &mut out);
    out.iter().map(|contact| contact.key).collect()
}

/// A body at rest that trembles by round-off keeps its keys.
#[test]
fn trembling_bodies_keep_their_keys() {
    let mut random = Random::new(50);
    let prism: Vec<[f64; 3]> = (0..12)
        .map(|k| {
            let (sine, cosine) = (std::f64::consts::TAU * f64::from(k % 6) / 6.0).sin_cos();
            [0.5 * cosine, 0.5 * sine, if k < 6 { -0.5 } else { 0.5 }]
        })
        .collect();
    let bodies =
        [ball(0.5), cuboid([0.4, 0.3, 0.5]), capsule(0.3, 0.2), cylinder(0.5, 0.3), hull(&prism)];
    let grounds =
        [half_space([0.0, 0.0, 1.0]), cuboid([1.0, 1.0, 1.0]), mesh(&grid(4, 0.9, |_, _| 0.0))];
    for (ground, level) in grounds.iter().zip([0.0, 1.0, 0.0]) {
        for body in &bodies {
            let still = Pose::turned([0.123, 0.077, level + 0.5], [0.0, 0.0, 1.0], 0.4321);
            let expected = keys(ground, body, &still);
            assert!(!expected.is_empty());
            for _ in 0..200 {
                let mut pose = still;
                pose.position =
                    std::array::from_fn(|k| still.position[k] + random.between(-1e-13, 1e-13));
                pose.rotation =
                    std::array::from_fn(|k| still.rotation[k] + random.between(-1e-13, 1e-13));
                assert_eq!(keys(ground, body, &pose), expected, "{body:?} on {ground:?}: {pose:?}");
            }
        }
    }
}

/// A box sliding and turning slowly on another: a key lost or won is a corner that crosses an edge.
#[test]
fn sliding_boxes_keep_most_keys() {
    let (table, block) = (cuboid([1.0, 1.0, 0.5]), cuboid([0.3, 0.2, 0.1]));
    let mut changes = 0;
    let mut last: Option<Vec<Key>> = None;
    for k in 0..2000 {
        let t = f64::from(k) * 1e-3;
        let pose = Pose::turned([0.7 * t - 0.6, 0.1 * t, 0.6 + 1e-7], [0.0, 0.0, 1.0], 0.3 * t);
        let now = keys(&table, &block, &pose);
        assert_eq!(now.len(), 4, "{t} {now:?}");
        changes += usize::from(last.as_ref().is_some_and(|last| *last != now));
        last = Some(now);
    }
    // Two corners leave the table, and one more is left out where five could stay.
    assert!(changes <= 6, "{changes}");
}

#[test]
fn frames_are_right_handed_and_orthonormal() {
    let mut random = Random::new(51);
    for _ in 0..10_000 {
        let [n, s, t] = frame(random.direction()).map(DVec3::from);
        assert!((s.cross(t) - n).length() < 2e-15, "{n}");
        assert!(s.dot(t).abs() < 1e-15 && n.dot(s).abs() < 1e-15 && n.dot(t).abs() < 1e-15, "{n}");
        assert!((s.length() - 1.0).abs() < 1e-15 && (t.length() - 1.0).abs() < 1e-15, "{n}");
    }
}

/// Around the axes and diagonals of the world frames vary continuously.
#[test]
fn frames_are_continuous_where_scenes_need_it() {
    let mut random = Random::new(52);
    for x in [-1.0, 0.0, 1.0] {
        for y in [-1.0, 0.0, 1.0] {
            for z in [-1.0, 0.0, 1.0] {
                let Some(n) = DVec3::new(x, y, z).try_normalize() else { continue };
                let still = frame(n.to_array());
                for _ in 0..100 {
                    let m = (n + 1e-3 * DVec3::from(random.direction())).normalize();
                    let moved = frame(m.to_array());
                    for k in 0..3 {
                        assert!(DVec3::from(still[k]).distance(moved[k].into()) < 5e-3, "{n} {k}");
                    }
                }
            }
        }
    }
}

#[test]
fn frames_of_opposite_normals_are_turned_over() {
    let mut random = Random::new(53);
    for _ in 0..1000 {
        let n = random.direction();
        let ([_, s, t], [_, u, v]) = (frame(n), frame(n.map(|x| -x)));
        assert_eq!((s, t), (u, v.map(|x| -x)));
    }
    assert_eq!(frame([0.0, 0.0, 1.0]), [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
}
