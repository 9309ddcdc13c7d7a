//! The codes of two features name a contact point within a pair of simple shapes, and persist.

use crate::random::Random;
use crate::samples::all;
use nonsmooth_geometry::planar;
use nonsmooth_geometry::spatial::{Pose, Shape, contacts};
use nonsmooth_geometry::{Feature, Key};

const PREDICTION: f64 = 0.2;

type Codes = Vec<(u32, u32)>;

fn codes(keys: impl Iterator<Item = Key>) -> Codes {
    keys.map(|key| (key.a.code(), key.b.code())).collect()
}

fn in_space(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Codes {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, PREDICTION, &mut out);
    codes(out.iter().map(|contact| contact.key))
}

fn assert_unique(name: &str, codes: &Codes) {
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), codes.len(), "{name}: {codes:?}");
    for &(a, b) in codes {
        assert_eq!((Feature::from_code(a).code(), Feature::from_code(b).code()), (a, b), "{name}");
    }
}

/// The pose after a motion of about `size`.
fn nudged(random: &mut Random, pose: &Pose, size: f64) -> Pose {
    let shift = random.vector(size);
    let turn = random.vector(size);
    let [w, x, y, z] = pose.rotation;
    // q + ½ θ q, to first order in θ.
    let [a, b, c] = turn.map(|t| 0.5 * t);
    let rotation = [
        w - a * x - b * y - c * z,
        x + a * w + b * z - c * y,
        y + b * w + c * x - a * z,
        z + c * w + a * y - b * x,
    ];
    Pose { position: std::array::from_fn(|k| pose.position[k] + shift[k]), rotation }
}

/// Every pair of simple kinds, at random poses: what moves by a nanometre keeps its names.
#[test]
fn codes_name_points_uniquely_and_persist_in_space() {
    let mut random = Random::new(60);
    let (mut n_points, mut n_pairs, mut n_changed) = (0, 0, 0);
    for _ in 0..40 {
        let (first, second) = (all(&mut random), all(&mut random));
        for (name_a, a) in first.iter().filter(|(name, _)| *name != "compound") {
            for (name_b, b) in second.iter().filter(|(name, _)| *name != "compound") {
                let (pose_a, pose_b) = (random.pose(0.2), random.pose(1.6));
                let now = in_space(a, &pose_a, b, &pose_b);
                assert_unique(&format!("{name_a}–{name_b}"), &now);
                let next = in_space(a, &pose_a, b, &nudged(&mut random, &pose_b, 1e-9));
                n_points += now.len();
                n_pairs += usize::from(!now.is_empty());
                n_changed += usize::from(now != next);
            }
        }
    }
    assert!(n_points > 10_000 && n_pairs > 2000, "{n_points} {n_pairs}");
    // Where a point lies within a nanometre of a threshold it may come or go.
    assert!(n_changed * 1000 <= n_pairs, "{n_changed} of {n_pairs}");
}

/// Poses where edges and faces are parallel and corners meet.
#[test]
fn codes_are_unique_where_everything_is_aligned() {
    let mut random = Random::new(61);
    let mut n_points = 0;
    for _ in 0..2 {
        let shapes = all(&mut random);
        let simple = || shapes.iter().filter(|(name, _)| *name != "compound");
        for (name_a, a) in simple() {
            for (name_b, b) in simple() {
                for _ in 0..40 {
                    let mut place = || std::array::from_fn(|_| 0.25 * random.below(5) as f64 - 0.5);
                    let (at_a, at_b) = (place(), place());
                    let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][random.below(3)];
                    let angle = std::f64::consts::FRAC_PI_4 * random.below(8) as f64;
                    let found = in_space(a, &Pose::at(at_a), b, &Pose::turned(at_b, axis, angle));
                    n_points += found.len();
                    assert_unique(&format!("{name_a}–{name_b}"), &found);
                }
            }
        }
    }
    assert!(n_points > 10_000, "{n_points}");
}

fn planar_shapes(random: &mut Random) -> Vec<planar::Shape> {
    let mut size = || random.between(0.2, 1.0);
    let (x, y, h, r) = (size(), size(), size(), size());
    let round = |n: usize| (0..n).map(move |k| std::f64::consts::TAU * k as f64 / n as f64);
    let polygon: Vec<[f64; 2]> = round(7).map(|t| [x * t.cos(), y * t.sin()]).collect();
    let loop_of_links: Vec<[f64; 2]> = round(9).map(|t| [(x + 0.3) * t.cos(), y * t.sin()]).collect();
    let heights: Vec<f64> = (0..12).map(|k| 0.2 * f64::from(k).sin()).collect();
    [
        planar::Shape::ball(r),
        planar::Shape::capsule(h, r),
        planar::Shape::rectangle([x, y]),
        planar::Shape::polygon(&polygon),
        planar::Shape::chain(&loop_of_links, true),
        planar::Shape::height_field(&heights, 0.4),
        planar::Shape::half_plane([0.2, 1.0]),
    ]
    .map(|shape| shape.expect("a sound shape"))
    .to_vec()
}

#[test]
fn codes_name_points_uniquely_and_persist_in_the_plane() {
    let mut random = Random::new(62);
    let (mut n_pairs, mut n_changed) = (0, 0);
    for _ in 0..100 {
        let (first, second) = (planar_shapes(&mut random), planar_shapes(&mut random));
        for a in &first {
            for b in &second {
                let mut pose = |size: f64| planar::Pose {
                    position: [random.between(-size, size), random.between(-size, size)],
                    angle: random.between(-4.0, 4.0),
                };
                let (pose_a, pose_b) = (pose(0.2), pose(1.6));
                let found = |pose_b: &planar::Pose| {
                    let mut out = Vec::new();
                    planar::contacts(a, &pose_a, b, pose_b, PREDICTION, &mut out);
                    codes(out.iter().map(|contact| contact.key))
                };
                let now = found(&pose_b);
                assert_unique(&format!("{a:?} {b:?}"), &now);
                let mut small = || random.between(-1e-9, 1e-9);
                let position = pose_b.position.map(|x| x + small());
                let next = found(&planar::Pose { position, angle: pose_b.angle + small() });
                n_pairs += usize::from(!now.is_empty());
                n_changed += usize::from(now != next);
            }
        }
    }
    assert!(n_pairs > 1000 && n_changed * 1000 <= n_pairs, "{n_changed} of {n_pairs}");
}
