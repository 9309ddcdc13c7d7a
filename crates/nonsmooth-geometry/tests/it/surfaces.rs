//! Meshes and height fields: no ghosts on flat ground, true contacts on ridges.

use crate::oracle::{rotation, world};
use crate::random::Random;
use crate::samples::{
    ball, box_mesh, capsule, cloud, cone, cuboid, cylinder, grid, half_space, height_field, hull, mesh,
    moved,
};
use glam::DVec3;
use nonsmooth_geometry::spatial::{Contact, Pose, Shape, contacts, distance};

fn found(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, prediction: f64) -> Vec<Contact> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, prediction, &mut out);
    out
}

/// Flat ground of triangles in several guises, with the pose that makes its normal the given one.
fn flat_grounds() -> Vec<(&'static str, Shape)> {
    let mut random = Random::new(30);
    let mut uneven = grid(12, 0.5, |_, _| 0.0);
    // Inner vertices are moved within the plane: no two triangles are alike.
    for p in &mut uneven.0 {
        if p[0].abs() < 2.9 && p[1].abs() < 2.9 {
            p[0] += random.between(-0.15, 0.15);
            p[1] += random.between(-0.15, 0.15);
        }
    }
    vec![
        ("even mesh", mesh(&grid(12, 0.5, |_, _| 0.0))),
        ("uneven mesh", mesh(&uneven)),
        ("height field", height_field(13, 0.5, vec![0.0; 169])),
    ]
}

/// Places on the ground where ghosts live: on vertices, on edges, beside them, and anywhere.
fn places(random: &mut Random) -> Vec<[f64; 2]> {
    let mut places = vec![[0.0, 0.0], [0.25, 0.0], [0.25, 0.25], [0.0, 0.25], [0.5, 0.5], [0.1, 0.1]];
    for tiny in [1e-16, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3] {
        places.extend([
            [tiny, 0.0],
            [0.0, tiny],
            [-tiny, tiny],
            [0.25 + tiny, 0.0],
            [0.25, 0.25 - tiny],
        ]);
    }
    places.extend((0..100).map(|_| [random.between(-1.0, 1.0), random.between(-1.0, 1.0)]));
    places
}

/// A body over flat ground meets the same points as over a half-space, wherever it is.
fn like_a_half_space(body: &Shape, lean: f64, up: f64, same_points: bool) {
    let mut random = Random::new(31);
    let plane = half_space([0.0, 0.0, 1.0]);
    for (name, ground) in flat_grounds() {
        for [x, y] in places(&mut random) {
            for gap in [0.0, 1e-3, -1e-3, 1e-12, -1e-12] {
                let spin = Pose::turned([0.0; 3], [0.0, 0.0, 1.0], random.between(-3.0, 3.0));
                let tilt = Pose::turned([x, y, 0.0], [0.6, 0.8, 0.0], lean);
                let mut pose = moved(&tilt, &spin);
                pose.position[2] += up - distance(&plane, &Pose::IDENTITY, body, &pose.lifted(up)) + gap;
                let motion = random.pose(3.0);
                let (still, carried) = (Pose::IDENTITY, moved(&motion, &pose));
                let expected = found(&plane, &still, body, &pose, 0.01);
                let contacts = found(&ground, &motion, body, &carried, 0.01);
                let show = || format!("{name} {pose:?} {gap}:\n{contacts:#?}\n{expected:#?}");
                assert!(!contacts.is_empty() && contacts.len() <= 4, "{}", show());
                assert!(!same_points || contacts.len() == expected.len(), "{}", show());
                let least =
                    |list: &[Contact]| list.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
                assert!((least(&contacts) - least(&expected)).abs() < 1e-13, "{}", show());
                for contact in &contacts {
                    let normal = rotation(&motion) * DVec3::Z;
                    assert!(DVec3::from(contact.normal).distance(normal) < 1e-14, "{}", show());
                    let near = |c: &&Contact| {
                        world(&motion, c.point.into()).distance(contact.point.into()) < 1e-8
                    };
                    assert!(!same_points || expected.iter().any(|c| near(&c)), "{}", show());
                }
            }
        }
    }
}

trait Lifted {
    fn lifted(&self, up: f64) -> Pose;
}

impl Lifted for Pose {
    fn lifted(&self, up: f64) -> Pose {
        let [x, y, z] = self.position;
        Pose { position: [x, y, z + up], ..*self }
    }
}

#[test]
fn a_ball_on_flat_triangles_has_one_vertical_contact() {
    like_a_half_space(&ball(0.4), 0.0, 2.0, true);
    like_a_half_space(&ball(3.0), 0.0, 6.0, true);
}

#[test]
fn a_capsule_on_flat_triangles_sees_no_edges() {
    for lean in [std::f64::consts::FRAC_PI_2, 1.0, 0.0] {
        like_a_half_space(&capsule(0.5, 0.2), lean, 2.0, true);
    }
}

#[test]
fn a_box_on_flat_triangles_sees_no_edges() {
    for lean in [0.0, 1e-4, 0.6] {
        like_a_half_space(&cuboid([0.45, 0.35, 0.25]), lean, 2.0, true);
    }
}

#[test]
fn a_hull_on_flat_triangles_sees_no_edges() {
    let mut random = Random::new(32);
    like_a_half_space(&hull(&cloud(&mut random, 20)), 0.3, 3.0, false);
}

#[test]
fn a_cylinder_and_a_cone_on_flat_triangles_see_no_edges() {
    for lean in [0.0, 0.5] {
        like_a_half_space(&cylinder(0.3, 0.4), lean, 2.0, false);
        like_a_half_space(&cone(0.3, 0.4), lean, 2.0, false);
    }
}

/// A convex surface of triangles has the distance of the solid it bounds.
#[test]
fn a_closed_convex_mesh_is_as_far_as_its_hull() {
    let mut random = Random::new(33);
    for _ in 0..400 {
        let half = std::array::from_fn(|_| random.between(0.3, 1.0));
        let (points, triangles) = box_mesh(half);
        let (surface, solid) = (mesh(&(points.clone(), triangles)), hull(&points));
        let bodies =
            [ball(0.3), cuboid([0.2, 0.3, 0.4]), capsule(0.3, 0.2), cylinder(0.2, 0.3), cone(0.3, 0.2)];
        let pose = random.pose(2.0);
        for body in &bodies {
            let expected = distance(&solid, &Pose::IDENTITY, body, &pose);
            if expected > 0.0 {
                let found = distance(&surface, &Pose::IDENTITY, body, &pose);
                assert!(
                    (found - expected).abs() < 1e-13,
                    "{half:?} {pose:?} {body:?}: {found} {expected}"
                );
            }
        }
    }
}

/// The same for two surfaces, and for shallow overlap of a box on a face.
#[test]
fn two_closed_meshes_are_as_far_as_their_boxes() {
    let mut random = Random::new(34);
    let (a, b) = (box_mesh([0.5, 0.4, 0.3]), box_mesh([0.3, 0.6, 0.5]));
    let (solid_a, solid_b) = (cuboid([0.5, 0.4, 0.3]), cuboid([0.3, 0.6, 0.5]));
    let (a, b) = (mesh(&a), mesh(&b));
    for _ in 0..500 {
        let pose = random.pose(1.5);
        let expected = distance(&solid_a, &Pose::IDENTITY, &solid_b, &pose);
        if expected > 0.0 {
            let found = distance(&a, &Pose::IDENTITY, &b, &pose);
            assert!((found - expected).abs() < 1e-13, "{pose:?}: {found} {expected}");
        }
    }
    for gap in [1e-3, 1e-9, 0.0, -1e-9, -1e-3] {
        for angle in [0.0, 0.3, 1.0] {
            let pose = Pose::turned([0.05, 0.02, 0.8 + gap], [0.0, 0.0, 1.0], angle);
            let contacts = found(&a, &Pose::IDENTITY, &b, &pose, 0.01);
            assert_eq!(contacts.len(), 4, "{gap} {angle} {contacts:?}");
            for contact in contacts {
                assert!(DVec3::from(contact.normal).distance(DVec3::Z) < 1e-14, "{contact:?}");
                assert!((contact.distance - gap).abs() < 1e-15, "{contact:?}");
            }
        }
    }
}

#[test]
fn a_ball_on_a_ridge_and_in_a_valley() {
    let roof = mesh(&grid(4, 1.0, |x, _| -x.abs()));
    let centre = |z: f64| Pose::at([0.0, 0.3, z]);
    let contacts = found(&roof, &Pose::IDENTITY, &ball(0.5), &centre(0.51), 0.1);
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert!(DVec3::from(contacts[0].normal).distance(DVec3::Z) < 1e-15);
    assert!((contacts[0].distance - 0.01).abs() < 1e-15);
    let valley = mesh(&grid(4, 1.0, |x, _| x.abs()));
    let height = 0.5 * 2.0_f64.sqrt() + 0.01;
    let contacts = found(&valley, &Pose::IDENTITY, &ball(0.5), &centre(height), 0.1);
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    for contact in contacts {
        assert!((contact.distance - 0.01 / 2.0_f64.sqrt()).abs() < 1e-15, "{contact:?}");
        assert!((contact.normal[0].abs() - 0.5_f64.sqrt()).abs() < 1e-15, "{contact:?}");
    }
}

/// A ball rolling over a step's edge: the normal turns from vertical to horizontal without a jump.
#[test]
fn normals_turn_smoothly_around_an_edge() {
    let block = mesh(&box_mesh([1.0, 1.0, 0.5]));
    let mut last = DVec3::Z;
    for k in 0..=1000 {
        let angle = std::f64::consts::FRAC_PI_2 * f64::from(k) / 1000.0;
        let normal = DVec3::new(angle.sin(), 0.0, angle.cos());
        let centre = DVec3::new(1.0, 0.37, 0.5) + 0.3 * normal;
        let contacts = found(&block, &Pose::IDENTITY, &ball(0.3), &Pose::at(centre.to_array()), 0.01);
        assert_eq!(contacts.len(), 1, "{angle} {contacts:?}");
        assert!(DVec3::from(contacts[0].normal).distance(normal) < 1e-6, "{angle} {contacts:?}");
        assert!(contacts[0].distance.abs() < 1e-9);
        assert!(last.distance(contacts[0].normal.into()) < 2e-3);
        last = contacts[0].normal.into();
    }
}

#[test]
fn contacts_are_made_with_the_front_only() {
    let ground = mesh(&grid(4, 1.0, |_, _| 0.0));
    assert!(found(&ground, &Pose::IDENTITY, &ball(0.3), &Pose::at([0.1, 0.1, -0.35]), 0.1).is_empty());
    assert!(
        found(&ground, &Pose::IDENTITY, &cuboid([0.3; 3]), &Pose::at([0.1, 0.1, -0.35]), 0.1).is_empty()
    );
}

/// A box on a thin plate is pushed off its upper side, not off its lower one.
#[test]
fn a_thin_plate_is_not_felt_from_behind() {
    let plate = mesh(&box_mesh([1.0, 1.0, 0.01]));
    for gap in [1e-3, 0.0, -1e-3, -5e-3] {
        let contacts =
            found(&plate, &Pose::IDENTITY, &cuboid([0.3; 3]), &Pose::at([0.1, 0.2, 0.31 + gap]), 0.1);
        assert_eq!(contacts.len(), 4, "{gap} {contacts:?}");
        assert!(contacts.iter().all(|c| c.normal == [0.0, 0.0, 1.0]), "{gap} {contacts:?}");
        assert!(contacts.iter().all(|c| (c.distance - gap).abs() < 1e-15), "{gap} {contacts:?}");
    }
}

/// Bodies that overlap a solid a little are told the same by its surface: how deep, and which way out.
#[test]
fn shallow_overlap_with_a_closed_mesh_is_that_with_the_solid() {
    let mut random = Random::new(35);
    let half = [0.5, 0.4, 0.3];
    let (surface, solid) = (mesh(&box_mesh(half)), cuboid(half));
    let bodies = [
        ball(0.3),
        cuboid([0.2, 0.3, 0.4]),
        capsule(0.3, 0.2),
        cylinder(0.2, 0.3),
        cone(0.3, 0.2),
        hull(&cloud(&mut random, 15)),
    ];
    let (mut n_all, mut n_other) = (0, 0);
    let deepest = |list: Vec<Contact>| list.into_iter().min_by(|p, q| p.distance.total_cmp(&q.distance));
    for body in &bodies {
        for depth in [1e-6, 1e-4, 1e-2] {
            for _ in 0..150 {
                // From apart along the normal into the solid.
                let mut pose = random.pose(2.0);
                let first = deepest(found(&solid, &Pose::IDENTITY, body, &pose, 10.0)).expect("one");
                if first.distance < 0.1 {
                    continue;
                }
                for k in 0..3 {
                    pose.position[k] -= (first.distance + depth) * first.normal[k];
                }
                let expected =
                    deepest(found(&solid, &Pose::IDENTITY, body, &pose, 0.0)).expect("overlap");
                let Some(contact) = deepest(found(&surface, &Pose::IDENTITY, body, &pose, 0.0)) else {
                    panic!("{body:?} {pose:?}: no contact, expected {expected:?}")
                };
                let turned = DVec3::from(contact.normal).distance(expected.normal.into());
                n_all += 1;
                n_other +=
                    usize::from((contact.distance - expected.distance).abs() > 1e-12 || turned > 1e-6);
            }
        }
    }
    // Where two ways out are nearly as short, the longer may be reported beside the shorter.
    assert!(n_all > 2000 && n_other * 200 < n_all, "{n_other} of {n_all}");
}
