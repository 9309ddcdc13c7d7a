//! Frozen contacts against the narrow phase: at the poses of freezing, and after motions.

use crate::random::Random;
use crate::samples::{all, ball, capsule, cone, cuboid, cylinder, half_space, hull, mesh};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::spatial::{Contact, Pose, Shape, contacts, freeze};
use nonsmooth_geometry::{FrozenContact, Key, planar};

const PREDICTION: f64 = 0.2;

fn found(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<Contact> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, PREDICTION, &mut out);
    out
}

/// The pose after a turn by a vector [rad] and a shift [m].
fn moved(pose: &Pose, turn: [f64; 3], shift: [f64; 3]) -> Pose {
    let [w, x, y, z] = pose.rotation;
    let q = DQuat::from_scaled_axis(turn.into()) * DQuat::from_xyzw(x, y, z, w).normalize();
    let position = std::array::from_fn(|k| pose.position[k] + shift[k]);
    Pose { position, rotation: [q.w, q.x, q.y, q.z] }
}

#[test]
fn a_frozen_contact_is_small() {
    assert!(size_of::<FrozenContact>() <= 208, "{}", size_of::<FrozenContact>());
}

/// All pairs, at random poses.
#[test]
fn at_the_poses_of_freezing_nothing_has_changed() {
    let mut random = Random::new(90);
    let mut n_points = 0;
    for _ in 0..30 {
        let (first, second) = (all(&mut random), all(&mut random));
        for (name_a, a) in &first {
            for (name_b, b) in &second {
                let (pose_a, pose_b) = (random.pose(0.2), random.pose(1.6));
                for contact in found(a, &pose_a, b, &pose_b) {
                    let frozen = freeze(a, &pose_a, b, &pose_b, &contact);
                    let at = frozen.at(&pose_a, &pose_b);
                    let off = |p: [f64; 3], q: [f64; 3]| DVec3::from(p).distance(q.into());
                    let name = format!("{name_a}–{name_b}: {contact:?} {at:?} {frozen:?}");
                    assert!((at.gap - contact.distance).abs() < 1e-12, "{name}");
                    assert!(off(at.normal, contact.normal) < 1e-6, "{name}");
                    assert!(off(at.point, contact.point) < 2e-5, "{name}");
                    assert_eq!(frozen.gap(&pose_a, &pose_b), at.gap, "{name}");
                    n_points += 1;
                }
            }
        }
    }
    assert!(n_points > 10_000, "{n_points}");
}

/// Deepest contacts that keep their key and about their normal: the difference between frozen and true
/// gaps after a motion of this size, and the distance before.
fn errors(a: &Shape, b: &Shape, size: f64, random: &mut Random) -> Vec<(f64, f64)> {
    let mut errors = Vec::new();
    for _ in 0..400 {
        let (pose_a, pose_b) = (random.pose(0.2), random.pose(1.6));
        let now = found(a, &pose_a, b, &pose_b);
        let Some(contact) = now.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)) else {
            continue;
        };
        let frozen = freeze(a, &pose_a, b, &pose_b, contact);
        let next_a = moved(&pose_a, random.vector(size), random.vector(size));
        let next_b = moved(&pose_b, random.vector(size), random.vector(size));
        let next = found(a, &next_a, b, &next_b);
        let least = next.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        let same = |c: &&Contact| {
            c.key == contact.key
                && c.distance <= least + 1e-13
                && DVec3::from(c.normal).distance(contact.normal.into()) < 10.0 * size
        };
        if let Some(c) = next.iter().find(same) {
            let at = frozen.at(&next_a, &next_b);
            errors.push(((at.gap - c.distance).abs(), contact.distance));
        }
    }
    errors
}

/// Balls, planes and what lies between them in curvature: exact after motions of 0.01.
#[test]
fn simple_features_are_followed_exactly() {
    let mut random = Random::new(91);
    let ground = half_space([0.3, -0.2, 1.0]);
    let cloud: Vec<[f64; 3]> = (0..20).map(|_| random.vector(1.0)).collect();
    let pairs = [
        ("ball–ball", ball(0.7), ball(0.4)),
        ("half-space–ball", ground.clone(), ball(0.4)),
        ("half-space–box", ground.clone(), cuboid([0.5, 0.3, 0.8])),
        ("half-space–capsule", ground.clone(), capsule(0.5, 0.3)),
        ("half-space–cylinder", ground.clone(), cylinder(0.2, 0.8)),
        ("half-space–cone", ground.clone(), cone(0.4, 0.6)),
        ("half-space–hull", ground, hull(&cloud)),
        ("box–ball", cuboid([0.5, 0.3, 0.8]), ball(0.4)),
        ("capsule–ball", capsule(0.5, 0.3), ball(0.4)),
        ("cylinder–ball", cylinder(0.2, 0.8), ball(0.4)),
        ("cone–ball", cone(0.4, 0.6), ball(0.4)),
        ("capsule–capsule", capsule(0.8, 0.2), capsule(0.7, 0.3)),
        ("mesh–ball", mesh(&crate::samples::box_mesh([0.5, 0.3, 0.8])), ball(0.4)),
    ];
    for (name, a, b) in &pairs {
        let errors = errors(a, b, 1e-2, &mut random);
        let n_exact = errors.iter().filter(|(error, _)| *error < 1e-12).count();
        // A ball has one name for all of a convex shape, and may roll from its face over an edge.
        let most = if name.ends_with("–ball") { errors.len() / 10 } else { 0 };
        assert!(errors.len() > 30, "{name}: {errors:?}");
        assert!(n_exact + most >= errors.len(), "{name}: {n_exact} of {}", errors.len());
    }
}

/// Two edges that cross, and a corner on a face, of two boxes.
#[test]
fn corners_and_edges_of_boxes_are_followed_exactly() {
    let (a, b) = (cuboid([1.0, 1.0, 0.5]), cuboid([0.4, 0.3, 0.2]));
    let mut random = Random::new(92);
    // An edge of b lies across one of a, both at 45 degrees.
    let pose_a = Pose::turned([0.0; 3], [0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_4);
    let turn = DQuat::from_rotation_z(0.6) * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let edge = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4) * DVec3::new(-1.0, 0.0, 0.5);
    let position = [edge.x, 0.0, edge.z + 0.5 / 2f64.sqrt() + 1e-3];
    let pose_b = Pose { position, rotation: [turn.w, turn.x, turn.y, turn.z] };
    let now = found(&a, &pose_a, &b, &pose_b);
    assert_eq!(now.len(), 1, "{now:?}");
    assert!((now[0].distance - 1e-3).abs() < 1e-12, "{now:?}");
    let frozen = freeze(&a, &pose_a, &b, &pose_b, &now[0]);
    for _ in 0..1000 {
        let next_a = moved(&pose_a, random.vector(0.01), random.vector(0.01));
        let next_b = moved(&pose_b, random.vector(0.01), random.vector(0.01));
        let next = found(&a, &next_a, &b, &next_b);
        assert!(next[0].key == now[0].key, "{next:?}");
        let at = frozen.at(&next_a, &next_b);
        assert!((at.gap - next[0].distance).abs() < 1e-12, "{at:?} {next:?}");
        assert!(DVec3::from(at.normal).distance(next[0].normal.into()) < 1e-12, "{at:?} {next:?}");
        assert!(DVec3::from(at.point).distance(next[0].point.into()) < 1e-12, "{at:?} {next:?}");
    }
    // A box on a corner, over a face that is not level.
    let corner = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_y(0.6);
    let pose_a = Pose::at([0.0; 3]);
    let lowest = (0..8).map(|k| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        (corner * DVec3::new(0.4 * sign(0), 0.3 * sign(1), 0.2 * sign(2))).z
    });
    let height = 0.5 - lowest.fold(0.0, f64::min) + 1e-3;
    let pose_b =
        Pose { position: [0.1, 0.2, height], rotation: [corner.w, corner.x, corner.y, corner.z] };
    let now = found(&a, &pose_a, &b, &pose_b);
    let deepest = now.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)).expect("a contact");
    let frozen = freeze(&a, &pose_a, &b, &pose_b, deepest);
    for _ in 0..1000 {
        let next_a = moved(&pose_a, random.vector(0.01), random.vector(0.01));
        let next_b = moved(&pose_b, random.vector(0.01), random.vector(0.01));
        let next = found(&a, &next_a, &b, &next_b);
        let same = next.iter().find(|c| c.key == deepest.key).expect("the same corner");
        assert!((frozen.gap(&next_a, &next_b) - same.distance).abs() < 1e-12, "{same:?}");
    }
}

/// A disk that rolls on its rim and one that spins about its axis: no false gap over a whole turn.
#[test]
fn what_rolls_and_spins_makes_no_false_gap() {
    let (ground, disk) = (half_space([0.0, 0.0, 1.0]), cylinder(0.05, 0.5));
    let tilt = DQuat::from_rotation_x(1.1);
    let height = |q: DQuat| {
        let c = (q * DVec3::Z).z;
        0.5 * (1.0 - c * c).sqrt() + 0.05 * c.abs()
    };
    let pose = |q: DQuat, x: f64| Pose { position: [x, 0.0, height(q)], rotation: [q.w, q.x, q.y, q.z] };
    let start = pose(tilt, 0.0);
    let now = found(&ground, &Pose::IDENTITY, &disk, &start);
    let lowest = now.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)).expect("a contact");
    let frozen = freeze(&ground, &Pose::IDENTITY, &disk, &start, lowest);
    for k in 0..100 {
        let angle = 0.1 * f64::from(k);
        // Spin about its own axis, precession about the vertical, and a further tilt.
        let q = DQuat::from_rotation_z(0.3 * angle)
            * DQuat::from_rotation_x(1.1 - 0.005 * angle)
            * DQuat::from_rotation_z(angle);
        let next = pose(q, 0.2 * angle);
        assert!(frozen.gap(&Pose::IDENTITY, &next).abs() < 1e-13, "{k}");
        let again = found(&ground, &Pose::IDENTITY, &disk, &next);
        let same = again.iter().find(|c| c.key == lowest.key).expect("the rim");
        let at = frozen.at(&Pose::IDENTITY, &next);
        assert!(DVec3::from(at.point).distance(same.point.into()) < 1e-12, "{at:?} {same:?}");
    }
    // A cylinder rolls along another, and a cone spins on a box's edge.
    let (log, roll) = (cylinder(2.0, 0.3), cylinder(0.5, 0.2));
    let across = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let pose_b = |spin: f64| {
        let q = across * DQuat::from_rotation_z(spin);
        Pose { position: [0.5, 0.0, 0.0], rotation: [q.w, q.x, q.y, q.z] }
    };
    let now = found(&log, &Pose::IDENTITY, &roll, &pose_b(0.0));
    let frozen = freeze(&log, &Pose::IDENTITY, &roll, &pose_b(0.0), &now[0]);
    for k in 0..50 {
        assert!(frozen.gap(&Pose::IDENTITY, &pose_b(0.1 * f64::from(k))).abs() < 1e-14, "{k}");
    }
}

/// For every pair of convex shapes the error of a motion by δ is O(δ²), and most have none.
#[test]
fn every_pair_is_followed_to_second_order() {
    let mut random = Random::new(93);
    let shapes = crate::samples::convex(&mut random);
    let (mut n_all, mut n_exact) = (0, 0);
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            for size in [1e-3, 1e-5] {
                let errors = errors(a, b, size, &mut random);
                assert!(errors.len() > 20, "{name_a}–{name_b}");
                for (error, distance) in errors {
                    // Sharp corners and edges that are apart have a curvature of one over their distance.
                    let curvature = 1.0 + 1.0 / distance.abs().max(size);
                    assert!(
                        error <= 30.0 * size * size * curvature + 1e-12,
                        "{name_a}–{name_b} {error} {distance}"
                    );
                    n_all += 1;
                    n_exact += usize::from(error <= 1e-12);
                }
            }
        }
    }
    assert!(2 * n_exact > n_all, "{n_exact} of {n_all}");
}

/// In the axes of bodies that carry their shapes off centre.
#[test]
fn a_frozen_contact_may_be_carried_by_bodies() {
    let mut random = Random::new(94);
    for _ in 0..20 {
        let shapes = all(&mut random);
        for (_, a) in &shapes {
            for (_, b) in &shapes {
                let (own_a, own_b) = (random.pose(0.3), random.pose(0.3));
                let (body_a, body_b) = (random.pose(0.2), random.pose(1.6));
                let pose_a = crate::samples::moved(&body_a, &own_a);
                let pose_b = crate::samples::moved(&body_b, &own_b);
                for contact in found(a, &pose_a, b, &pose_b) {
                    let frozen = freeze(a, &pose_a, b, &pose_b, &contact).carried(&own_a, &own_b);
                    let next_b = moved(&body_b, random.vector(1e-3), random.vector(1e-3));
                    assert!((frozen.gap(&body_a, &body_b) - contact.distance).abs() < 1e-12);
                    let direct = freeze(a, &pose_a, b, &pose_b, &contact);
                    let other = direct.gap(&pose_a, &crate::samples::moved(&next_b, &own_b));
                    assert!((frozen.gap(&body_a, &next_b) - other).abs() < 1e-10);
                }
            }
        }
    }
}

#[test]
fn planar_contacts_are_followed_exactly() {
    let mut random = Random::new(95);
    let made = |shape: Result<planar::Shape, _>| shape.expect("a sound shape");
    let heights: Vec<f64> = (0..12).map(|k| 0.2 * f64::from(k).sin()).collect();
    let shapes = [
        made(planar::Shape::ball(0.4)),
        made(planar::Shape::capsule(0.5, 0.3)),
        made(planar::Shape::rectangle([0.5, 0.3])),
        made(planar::Shape::polygon(&[[0.0, 0.0], [0.8, 0.1], [0.7, 0.6], [0.1, 0.5]])),
        made(planar::Shape::height_field(&heights, 0.4)),
        made(planar::Shape::half_plane([0.2, 1.0])),
    ];
    let (mut n, mut n_off) = (0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for _ in 0..200 {
                let mut pose = |size: f64| planar::Pose {
                    position: [random.between(-size, size), random.between(-size, size)],
                    angle: random.between(-4.0, 4.0),
                };
                let (pose_a, pose_b) = (pose(0.2), pose(1.6));
                let step = pose(1e-4);
                let next_b = planar::Pose {
                    position: [0, 1].map(|k| pose_b.position[k] + step.position[k]),
                    angle: pose_b.angle + 1e-4 * step.angle,
                };
                let see = |pose_b: &planar::Pose| {
                    let mut out = Vec::new();
                    planar::contacts(a, &pose_a, b, pose_b, PREDICTION, &mut out);
                    out
                };
                let next: Vec<(Key, f64)> = see(&next_b).iter().map(|c| (c.key, c.distance)).collect();
                for contact in see(&pose_b) {
                    let frozen = planar::freeze(a, &pose_a, b, &pose_b, &contact);
                    let in_a = pose_a.in_space();
                    let at = frozen.at(&in_a, &pose_b.in_space());
                    let name = format!("{i}–{j} {contact:?} {at:?}");
                    assert!((at.gap - contact.distance).abs() < 1e-13, "{name}");
                    assert!(
                        (at.point[0] - contact.point[0]).abs() < 1e-9 && at.point[2] == 0.0,
                        "{name}"
                    );
                    assert!(
                        (at.normal[1] - contact.normal[1]).abs() < 1e-9 && at.normal[2] == 0.0,
                        "{name}"
                    );
                    if let Some((_, distance)) = next.iter().find(|(key, _)| *key == contact.key) {
                        n += 1;
                        n_off += usize::from(
                            (frozen.gap(&in_a, &next_b.in_space()) - distance).abs() > 1e-12,
                        );
                    }
                }
            }
        }
    }
    // Sharp corners near each other are followed along a carried normal.
    assert!(n > 1000 && n_off * 5 < n, "{n_off} of {n}");
}
