//! Hulls against hulls and boxes, against the oracle.

use crate::oracle::Solid;
use crate::random::Random;
use crate::samples::{box_mesh, cloud, cuboid, hull};
use glam::DVec3;
use nonsmooth_geometry::spatial::{Pose, contacts, distance};

#[test]
fn random_hulls_have_the_distance_of_the_oracle() {
    let mut random = Random::new(3);
    for _ in 0..1500 {
        let [p, q] = [0, 1].map(|_| {
            let n = 5 + random.below(8);
            cloud(&mut random, n)
        });
        let (pose_a, pose_b) = (random.pose(0.1), random.pose(1.5));
        let expected = Solid::hull(&p, &pose_a).signed_distance(&Solid::hull(&q, &pose_b));
        let mut found = Vec::new();
        contacts(&hull(&p), &pose_a, &hull(&q), &pose_b, expected.max(0.0) + 0.1, &mut found);
        let least = found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        assert!(
            (least - expected).abs() < 1e-13,
            "{least} {expected}: {p:?} {q:?} {pose_a:?} {pose_b:?}"
        );
    }
}

/// The hull of a box's corners has six faces, and its contacts are those of the box.
#[test]
fn the_hull_of_a_boxs_corners_is_the_box() {
    let mut random = Random::new(4);
    for _ in 0..2000 {
        let half = std::array::from_fn(|_| random.between(0.2, 1.0));
        let as_hull = hull(&box_mesh(half).0);
        let (other, pose) = (cuboid([0.5, 0.7, 0.4]), random.pose(1.5));
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        contacts(&as_hull, &Pose::IDENTITY, &other, &pose, 0.1, &mut found);
        contacts(&cuboid(half), &Pose::IDENTITY, &other, &pose, 0.1, &mut expected);
        assert_eq!(found.len(), expected.len(), "{half:?} {pose:?}: {found:?} {expected:?}");
        for contact in &found {
            let near = |other: &&_| {
                let other: &nonsmooth_geometry::spatial::Contact = other;
                DVec3::from(other.point).distance(contact.point.into()) < 1e-12
            };
            let twin = expected.iter().find(near);
            let twin = twin.unwrap_or_else(|| panic!("{half:?} {pose:?}: {contact:?} of {expected:?}"));
            assert!((twin.distance - contact.distance).abs() < 1e-13);
            assert!(DVec3::from(twin.normal).distance(contact.normal.into()) < 1e-13);
        }
    }
}

/// Where GJK alone would lose the normal: gaps down to round-off between a face and a vertex.
#[test]
fn normals_are_those_of_the_face_at_any_gap() {
    let ground = hull(&box_mesh([1.0, 1.0, 0.5]).0);
    let tip =
        hull(&[[0.0, 0.0, 0.0], [0.4, 0.1, 0.9], [-0.3, 0.4, 0.8], [-0.2, -0.5, 1.0], [0.1, 0.1, 1.4]]);
    for gap in [1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 0.0, -1e-14, -1e-12, -1e-9, -1e-6, -1e-3] {
        let pose = Pose::at([0.31, -0.17, 0.5 + gap]);
        let mut found = Vec::new();
        contacts(&ground, &Pose::IDENTITY, &tip, &pose, 0.01, &mut found);
        assert_eq!(found.len(), 1, "{gap}");
        assert_eq!(found[0].normal, [0.0, 0.0, 1.0], "{gap}");
        assert!((found[0].distance - gap).abs() < 2e-16, "{gap} {}", found[0].distance);
    }
}

/// Points on a sphere: many small faces, overlapping and apart.
#[test]
fn fine_hulls_come_close_to_balls() {
    let mut random = Random::new(5);
    let points: Vec<[f64; 3]> = (0..500).map(|_| random.direction()).collect();
    let sphere = hull(&points);
    for _ in 0..300 {
        let (pose, other) = (random.pose(1.3), random.pose(0.2));
        let centres = DVec3::from(pose.position).distance(other.position.into());
        let found = distance(&sphere, &pose, &sphere, &other);
        // The largest of 1000 faces has its middle about 2 % inside the sphere.
        assert!((found - (centres - 2.0)).abs() < 0.1, "{found} {centres}");
    }
}
