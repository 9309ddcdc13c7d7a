//! Balls, half-spaces, boxes and capsules against closed forms written again, independently.

use crate::oracle::{Solid, point_segment, rotation, segments, world};
use crate::random::Random;
use crate::samples::{ball, capsule, cone, cuboid, cylinder, half_space};
use glam::{DVec2, DVec3};
use nonsmooth_geometry::spatial::{Contact, Pose, Shape, contacts};

/// Round-off for bodies of a metre some metres from the origin.
const ROUND_OFF: f64 = 2e-14;

fn found(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<Contact> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, 10.0, &mut out);
    out
}

fn least(contacts: &[Contact]) -> f64 {
    contacts.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn two_balls() {
    let mut random = Random::new(20);
    for _ in 0..10_000 {
        let (r, s) = (random.between(0.1, 2.0), random.between(0.1, 2.0));
        let (p, q) = (random.pose(2.0), random.pose(2.0));
        let contacts = found(&ball(r), &p, &ball(s), &q);
        let apart = DVec3::from(q.position) - DVec3::from(p.position);
        assert_eq!(contacts.len(), 1);
        assert!((contacts[0].distance - (apart.length() - r - s)).abs() < ROUND_OFF);
        assert!((DVec3::from(contacts[0].normal) - apart.normalize()).length() < ROUND_OFF);
        let on_a = DVec3::from(p.position) + r * apart.normalize();
        assert!(DVec3::from(contacts[0].on_a()).distance(on_a) < ROUND_OFF);
    }
}

#[test]
fn concentric_balls_have_a_normal() {
    let contacts = found(&ball(1.0), &Pose::IDENTITY, &ball(0.5), &Pose::IDENTITY);
    assert_eq!((contacts[0].normal, contacts[0].distance), ([0.0, 0.0, 1.0], -1.5));
}

#[test]
fn a_half_space_sees_every_corner_of_a_box() {
    let mut random = Random::new(21);
    for _ in 0..5000 {
        let n = random.direction();
        let half = [0.3, 0.5, 0.7];
        let (ground, pose) = (random.pose(2.0), random.pose(2.0));
        let normal = rotation(&ground) * DVec3::from(n);
        let corner = |k: usize| {
            let sign = |axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] };
            world(&pose, DVec3::new(sign(0), sign(1), sign(2)))
        };
        let height = |k: usize| normal.dot(corner(k) - DVec3::from(ground.position));
        let contacts = found(&half_space(n), &ground, &cuboid(half), &pose);
        for contact in &contacts {
            let k = contact.key.b.index() as usize;
            assert!((contact.distance - height(k)).abs() < ROUND_OFF);
            assert!(DVec3::from(contact.on_b()).distance(corner(k)) < ROUND_OFF);
        }
        let expected = (0..8).map(height).fold(f64::INFINITY, f64::min);
        assert!((least(&contacts) - expected).abs() < ROUND_OFF);
    }
}

#[test]
fn a_half_space_with_a_ball_and_a_capsule() {
    let mut random = Random::new(22);
    for _ in 0..5000 {
        let n = random.direction();
        let (ground, pose) = (random.pose(2.0), random.pose(2.0));
        let normal = rotation(&ground) * DVec3::from(n);
        let height = |p: DVec3| normal.dot(p - DVec3::from(ground.position)) - 0.4;
        let contacts = found(&half_space(n), &ground, &ball(0.4), &pose);
        assert!((contacts[0].distance - height(pose.position.into())).abs() < ROUND_OFF);
        let ends = [-0.8, 0.8].map(|z| height(world(&pose, DVec3::new(0.0, 0.0, z))));
        let contacts = found(&half_space(n), &ground, &capsule(0.8, 0.4), &pose);
        assert_eq!(contacts.len(), 2);
        for (contact, end) in contacts.iter().zip(ends) {
            assert!((contact.distance - end).abs() < ROUND_OFF);
        }
    }
}

#[test]
fn a_ball_and_a_box() {
    let mut random = Random::new(23);
    for _ in 0..10_000 {
        let half = std::array::from_fn(|_| random.between(0.2, 1.0));
        let (p, q) = (random.pose(1.0), random.pose(1.5));
        let expected = Solid::cuboid(half, &p).point(q.position.into()) - 0.3;
        let contacts = found(&cuboid(half), &p, &ball(0.3), &q);
        assert_eq!(contacts.len(), 1);
        assert!((contacts[0].distance - expected).abs() < ROUND_OFF, "{half:?} {p:?} {q:?}");
        let on_b = DVec3::from(q.position) - 0.3 * DVec3::from(contacts[0].normal);
        assert!(DVec3::from(contacts[0].on_b()).distance(on_b) < ROUND_OFF);
    }
}

#[test]
fn capsules_with_balls_and_capsules() {
    let mut random = Random::new(24);
    for _ in 0..10_000 {
        let (h, k) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
        let (p, q) = (random.pose(1.0), random.pose(1.5));
        let ends = |pose: &Pose, h: f64| [-h, h].map(|z| world(pose, DVec3::new(0.0, 0.0, z)));
        let expected = point_segment(q.position.into(), ends(&p, h)) - 0.5;
        let contacts = found(&capsule(h, 0.2), &p, &ball(0.3), &q);
        assert!(contacts.len() == 1 && (contacts[0].distance - expected).abs() < ROUND_OFF);
        let expected = segments(ends(&p, h), ends(&q, k)) - 0.5;
        let contacts = found(&capsule(h, 0.2), &p, &capsule(k, 0.3), &q);
        assert!((least(&contacts) - expected).abs() < ROUND_OFF, "{p:?} {q:?} {contacts:?} {expected}");
    }
}

#[test]
fn parallel_capsules_touch_along_a_line() {
    let shape = capsule(1.0, 0.25);
    for (shift, ends) in [(0.0, [-1.0, 1.0]), (0.5, [-0.5, 1.0]), (-1.2, [-1.0, -0.2])] {
        let mut contacts = found(&shape, &Pose::IDENTITY, &shape, &Pose::at([0.6, 0.0, shift]));
        contacts.sort_by(|p, q| p.point[2].total_cmp(&q.point[2]));
        assert_eq!(contacts.len(), 2, "{contacts:?}");
        for (contact, z) in contacts.iter().zip(ends) {
            assert!((contact.distance - 0.1).abs() < ROUND_OFF, "{contact:?}");
            assert!(DVec3::from(contact.normal).distance(DVec3::X) < ROUND_OFF);
            assert!((contact.point[2] - z).abs() < ROUND_OFF, "{contact:?} {z}");
        }
    }
}

#[test]
fn a_capsule_and_a_box() {
    let mut random = Random::new(25);
    for _ in 0..5000 {
        let half = std::array::from_fn(|_| random.between(0.2, 1.0));
        let h = random.between(0.1, 1.0);
        let (p, q) = (random.pose(0.5), random.pose(1.5));
        let expected = Solid::cuboid(half, &p).signed_distance(&Solid::segment(h, &q)) - 0.2;
        let contacts = found(&cuboid(half), &p, &capsule(h, 0.2), &q);
        assert!(
            (least(&contacts) - expected).abs() < ROUND_OFF,
            "{half:?} {h} {p:?} {q:?} {contacts:?}"
        );
    }
}

/// Signed distance of a point from a convex polygon, negative inside.
fn polygon(corners: &[DVec2], p: DVec2) -> f64 {
    let edge = |k: usize| (corners[k], corners[(k + 1) % corners.len()]);
    let mut nearest = f64::INFINITY;
    let mut is_inside = true;
    for k in 0..corners.len() {
        let (a, b) = edge(k);
        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        nearest = nearest.min(p.distance(a + t * (b - a)));
        is_inside &= (b - a).perp_dot(p - a) >= 0.0;
    }
    if is_inside { -nearest } else { nearest }
}

/// A solid of revolution is its section, mirrored; so is the distance of a point.
#[test]
fn a_ball_with_a_cylinder_and_a_cone() {
    let mut random = Random::new(26);
    for _ in 0..10_000 {
        let (h, r) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
        let pose = random.pose(1.5);
        let centre = DVec3::from(pose.position);
        let p = DVec2::new(centre.truncate().length(), centre.z);
        let rectangle = [DVec2::new(-r, -h), DVec2::new(r, -h), DVec2::new(r, h), DVec2::new(-r, h)];
        let contacts = found(&cylinder(h, r), &Pose::IDENTITY, &ball(0.3), &pose);
        assert!(
            (contacts[0].distance - (polygon(&rectangle, p) - 0.3)).abs() < ROUND_OFF,
            "{h} {r} {pose:?}"
        );
        let triangle = [DVec2::new(-r, -h), DVec2::new(r, -h), DVec2::new(0.0, h)];
        let contacts = found(&cone(h, r), &Pose::IDENTITY, &ball(0.3), &pose);
        assert!(
            (contacts[0].distance - (polygon(&triangle, p) - 0.3)).abs() < ROUND_OFF,
            "{h} {r} {pose:?}"
        );
    }
}

/// Capsules that lie on one floor have axes in one plane to the last digit: where they are apart they are, whatever the rounding.
#[test]
fn capsules_in_one_plane_are_as_far_apart_as_their_axes() {
    let mut random = Random::new(77);
    let mut apart = 0;
    for _ in 0..4000 {
        let mut pose = || {
            let angle = random.between(-3.0, 3.0);
            // From the z axis to the direction (cos, sin, 0): half a turn about the line between the two.
            let [x, y, z] = [angle.cos(), angle.sin(), 1.0].map(|x| x / 2f64.sqrt());
            let at = [random.between(-0.15, 0.15), random.between(-0.15, 0.15), 0.02999999992];
            Pose { position: at, rotation: [0.0, x, y, z] }
        };
        let (p, q) = (pose(), pose());
        let ends = |pose: &Pose| [-0.05, 0.05].map(|z| world(pose, DVec3::new(0.0, 0.0, z)));
        let distance = segments(ends(&p), ends(&q));
        let contacts = found(&capsule(0.05, 0.03), &p, &capsule(0.05, 0.03), &q);
        // Axes that cross leave the depth to the direction of the push.
        if distance > 1e-9 {
            apart += 1;
            let off = (least(&contacts) - (distance - 0.06)).abs();
            assert!(off < ROUND_OFF, "{p:?} {q:?} {contacts:?} {distance}");
        }
    }
    assert!(apart > 2000, "{apart}");
}
