//! Mass properties against parry's and against each other.

use crate::random::Random;
use crate::samples::{
    ball, box_mesh, capsule, cone, cuboid, cylinder, grid, half_space, height_field, hull, mesh,
};
use glam::{DMat3, DQuat, DVec3};
use nonsmooth_geometry::MassError;
use nonsmooth_geometry::spatial::{MassProperties, Pose, Shape};
use parry3d_f64::shape::{Ball, Capsule, Cone, Cuboid, Cylinder, Shape as ParryShape};

fn properties(shape: &Shape) -> MassProperties {
    shape.mass_properties(2.5).expect("a solid")
}

fn inertia(properties: &MassProperties) -> DMat3 {
    DMat3::from_cols_array_2d(&properties.inertia)
}

fn assert_near(found: &MassProperties, expected: &MassProperties, tolerance: f64) {
    assert!((found.mass / expected.mass - 1.0).abs() < tolerance, "{found:?} {expected:?}");
    assert!(
        DVec3::from(found.centre).distance(expected.centre.into()) < tolerance,
        "{found:?} {expected:?}"
    );
    let off = (inertia(found) - inertia(expected)).to_cols_array().map(f64::abs);
    assert!(off.iter().all(|x| *x < tolerance * expected.mass), "{found:?} {expected:?}");
}

/// Parry's axis of revolution is y, ours z.
#[test]
fn simple_solids_weigh_what_parry_says() {
    let (h, r) = (0.7, 0.4);
    let pairs: [(Shape, Box<dyn ParryShape>); 5] = [
        (ball(r), Box::new(Ball::new(r))),
        (cuboid([0.3, 0.4, 0.5]), Box::new(Cuboid::new(DVec3::new(0.3, 0.5, 0.4)))),
        (capsule(h, r), Box::new(Capsule::new_y(h, r))),
        (cylinder(h, r), Box::new(Cylinder::new(h, r))),
        (cone(h, r), Box::new(Cone::new(h, r))),
    ];
    for (shape, parry) in &pairs {
        let expected = parry.mass_properties(2.5);
        let found = properties(shape);
        assert!((found.mass / expected.mass() - 1.0).abs() < 1e-14, "{shape:?}");
        let centre = expected.local_com;
        assert!(
            DVec3::from(found.centre).distance(DVec3::new(centre.x, centre.z, centre.y)) < 1e-15,
            "{shape:?}"
        );
        let moments = expected.principal_inertia();
        let expected = DMat3::from_diagonal(DVec3::new(moments.x, moments.z, moments.y));
        let off = (inertia(&found) - expected).to_cols_array().map(f64::abs);
        assert!(off.iter().all(|x| *x < 1e-14), "{shape:?} {found:?} {expected:?}");
    }
}

#[test]
fn a_box_is_a_box_as_hull_as_mesh_and_in_parts() {
    let half = [0.3, 0.4, 0.5];
    let expected = properties(&cuboid(half));
    let as_mesh = box_mesh(half);
    assert_near(&properties(&hull(&as_mesh.0)), &expected, 1e-14);
    assert_near(&properties(&mesh(&as_mesh)), &expected, 1e-14);
    let part = |x: f64| (Pose::at([x, 0.0, 0.0]), cuboid([0.15, 0.4, 0.5]));
    let compound = Shape::compound(&[part(-0.15), part(0.15)]).unwrap();
    assert_near(&properties(&compound), &expected, 1e-14);
}

/// Far from its own origin a mesh loses no digits of its inertia.
#[test]
fn a_body_far_from_its_origin_keeps_its_inertia() {
    let (points, triangles) = box_mesh([0.3, 0.4, 0.5]);
    let far: Vec<[f64; 3]> =
        points.iter().map(|p| [p[0] + 1000.0, p[1] - 2000.0, p[2] + 500.0]).collect();
    let found = properties(&mesh(&(far, triangles)));
    let expected = properties(&cuboid([0.3, 0.4, 0.5]));
    // The points themselves are rounded to 2e-13.
    let off = (inertia(&found) - inertia(&expected)).to_cols_array().map(f64::abs);
    assert!(off.iter().all(|x| *x < 1e-11), "{found:?}");
    assert!(DVec3::from(found.centre).distance(DVec3::new(1000.0, -2000.0, 500.0)) < 1e-11);
}

#[test]
fn principal_axes_undo_a_rotation() {
    let mut random = Random::new(60);
    let expected = properties(&cuboid([0.3, 0.4, 0.5]));
    for _ in 0..200 {
        let pose = random.pose(1.0);
        let turned = Shape::compound(&[(pose, cuboid([0.3, 0.4, 0.5]))]).unwrap();
        let found = properties(&turned);
        assert!(DVec3::from(found.centre).distance(pose.position.into()) < 1e-15);
        let (moments, [w, x, y, z]) = found.principal();
        let mut sorted = [0, 1, 2].map(|k| expected.inertia[k][k]);
        sorted.sort_by(f64::total_cmp);
        assert!((0..3).all(|k| (moments[k] - sorted[k]).abs() < 1e-14), "{moments:?} {sorted:?}");
        let axes = DMat3::from_quat(DQuat::from_xyzw(x, y, z, w));
        let again = axes * DMat3::from_diagonal(moments.into()) * axes.transpose();
        let off = (again - inertia(&found)).to_cols_array().map(f64::abs);
        assert!(off.iter().all(|x| *x < 1e-14), "{off:?}");
    }
}

#[test]
fn what_bounds_no_volume_has_no_mass() {
    let refused = |shape: &Shape| shape.mass_properties(1.0).unwrap_err();
    assert_eq!(refused(&half_space([0.0, 0.0, 1.0])), MassError::NoVolume("half-space"));
    assert_eq!(refused(&height_field(2, 1.0, vec![0.0; 4])), MassError::NoVolume("height field"));
    let open = refused(&mesh(&grid(2, 1.0, |_, _| 0.0)));
    assert!(matches!(&open, MassError::Open { count: 8, first } if first.len() == 5), "{open:?}");
    assert!(open.to_string().contains("8 open edges, the first between vertices 0–1"), "{open}");
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(ball(1.0).mass_properties(density), Err(MassError::Density(_))));
    }
}
