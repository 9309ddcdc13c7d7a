//! Mass properties against tables and against each other.

use crate::random::Random;
use crate::samples::{
    ball, box_mesh, capsule, cone, cuboid, cylinder, grid, half_space, height_field, hull, mesh,
};
use glam::{DMat3, DQuat, DVec3};
use nonsmooth_geometry::MassError;
use nonsmooth_geometry::spatial::{MassProperties, Pose, Shape};

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

/// Mass, height of the centre of mass on the z axis, and moments about it, from tables.
#[test]
fn simple_solids_weigh_what_tables_say() {
    let (h, r, density) = (0.7, 0.4, 2.5);
    let pi = std::f64::consts::PI;
    let ball_mass = density * 4.0 / 3.0 * pi * r * r * r;
    let rod_mass = density * pi * r * r * 2.0 * h;
    let cone_mass = rod_mass / 3.0;
    let [x, y, z]: [f64; 3] = [0.3, 0.4, 0.5];
    let box_mass = density * 8.0 * x * y * z;
    let square = |a: f64, b: f64| box_mass / 3.0 * (a * a + b * b);
    let capped =
        rod_mass * (r * r / 4.0 + h * h / 3.0) + ball_mass * (0.4 * r * r + h * h + 0.75 * h * r);
    let tilted = cone_mass * (0.15 * r * r + 0.15 * h * h);
    let solids = [
        (ball(r), ball_mass, 0.0, [0.4 * ball_mass * r * r; 3]),
        (cuboid([x, y, z]), box_mass, 0.0, [square(y, z), square(x, z), square(x, y)]),
        (
            capsule(h, r),
            rod_mass + ball_mass,
            0.0,
            [capped, capped, (0.5 * rod_mass + 0.4 * ball_mass) * r * r],
        ),
        (cylinder(h, r), rod_mass, 0.0, {
            let across = rod_mass * (r * r / 4.0 + h * h / 3.0);
            [across, across, 0.5 * rod_mass * r * r]
        }),
        (cone(h, r), cone_mass, -0.5 * h, [tilted, tilted, 0.3 * cone_mass * r * r]),
    ];
    for (shape, mass, height, moments) in &solids {
        let found = properties(shape);
        assert!((found.mass / mass - 1.0).abs() < 1e-14, "{shape:?}");
        assert!(DVec3::from(found.centre).distance(DVec3::Z * *height) < 1e-15, "{shape:?}");
        let off = (inertia(&found) - DMat3::from_diagonal(DVec3::from(*moments))).to_cols_array();
        assert!(off.iter().all(|x| x.abs() < 1e-14), "{shape:?} {found:?} {moments:?}");
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
