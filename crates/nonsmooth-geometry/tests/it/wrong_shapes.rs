//! What is not a shape is refused, in words.

use crate::samples::{ball, box_mesh, half_space};
use nonsmooth_geometry::ShapeError;
use nonsmooth_geometry::spatial::{Pose, Shape, contacts, distance};

const BAD: [f64; 5] = [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

#[test]
fn lengths_must_be_positive_and_finite() {
    for bad in BAD {
        let refused = [
            Shape::ball(bad),
            Shape::cuboid([1.0, bad, 1.0]),
            Shape::capsule(bad, 1.0),
            Shape::capsule(1.0, bad),
            Shape::cylinder(bad, 1.0),
            Shape::cone(1.0, bad),
            Shape::height_field(vec![0.0; 4], 2, 2, [1.0, bad]),
        ];
        for shape in refused {
            assert!(matches!(shape, Err(ShapeError::NotPositive { .. })), "{shape:?}");
        }
    }
    assert_eq!(Shape::ball(-1.0).unwrap_err().to_string(), "radius must be > 0 and finite, got -1");
}

#[test]
fn directions_must_not_vanish() {
    for bad in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
        assert_eq!(Shape::half_space(bad).unwrap_err(), ShapeError::NoDirection);
    }
    for length in [1e-300, 1e300] {
        assert_eq!(half_space([0.0, length, 0.0]).half_space_normal(), Some([0.0, 1.0, 0.0]));
    }
}

#[test]
fn hulls_need_points_in_space() {
    let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.3, 0.2, 0.0]];
    assert!(matches!(Shape::hull(&corner), Err(ShapeError::Flat(_))));
    assert!(matches!(Shape::hull(&[[1.0; 3]; 10]), Err(ShapeError::TooFew { got: 1, .. })));
    assert!(matches!(Shape::hull(&[]), Err(ShapeError::TooFew { got: 0, .. })));
    let line: Vec<[f64; 3]> = (0..9).map(|k| [f64::from(k), 2.0 * f64::from(k), 0.0]).collect();
    assert!(matches!(Shape::hull(&line), Err(ShapeError::Flat(_))));
    let with_nan = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, f64::NAN], [0.0, 0.0, 1.0]];
    assert_eq!(Shape::hull(&with_nan).unwrap_err(), ShapeError::NotFinite { what: "point", index: 2 });
    // Repeated and inner points do no harm, at any size.
    for size in [1e-6, 1.0, 1e6] {
        let (mut points, _) = box_mesh([size, 2.0 * size, size]);
        points.extend(points.clone());
        points.push([0.1 * size; 3]);
        let hull = Shape::hull(&points).unwrap();
        let mass = hull.mass_properties(1.0).unwrap().mass;
        assert!((mass / (16.0 * size.powi(3)) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn meshes_must_be_sound() {
    let (points, triangles) = box_mesh([1.0; 3]);
    let mut wrong = triangles.clone();
    wrong[3] = [0, 1, 8];
    let error = Shape::mesh(&points, &wrong).unwrap_err();
    assert_eq!(error, ShapeError::OutOfRange { triangle: 3, vertex: 8, n_vertices: 8 });
    wrong[3] = [5, 5, 6];
    let error = Shape::mesh(&points, &wrong).unwrap_err();
    assert_eq!(error, ShapeError::Degenerate { what: "triangle", index: 3 });
    let turned: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let error = Shape::mesh(&points, &turned).unwrap_err();
    assert!(
        matches!(error, ShapeError::InsideOut { volume } if (volume + 8.0).abs() < 1e-12),
        "{error}"
    );
    let mut one_turned = triangles.clone();
    one_turned[5] = [triangles[5][0], triangles[5][2], triangles[5][1]];
    assert!(matches!(Shape::mesh(&points, &one_turned), Err(ShapeError::NotManifold { .. })));
    let mut twice = triangles.clone();
    twice.push(triangles[0]);
    assert!(matches!(Shape::mesh(&points, &twice), Err(ShapeError::NotManifold { .. })));
    let mut with_nan = points.clone();
    with_nan[2][1] = f64::NAN;
    assert_eq!(
        Shape::mesh(&with_nan, &triangles).unwrap_err(),
        ShapeError::NotFinite { what: "vertex", index: 2 }
    );
    assert_eq!(Shape::mesh(&points, &[]).unwrap_err(), ShapeError::Empty("the mesh"));
    // A hole is no fault of a surface.
    assert!(Shape::mesh(&points, &triangles[1..]).is_ok());
}

#[test]
fn height_fields_fill_their_grid() {
    let error = Shape::height_field(vec![0.0; 5], 2, 2, [1.0; 2]).unwrap_err();
    assert_eq!(error, ShapeError::GridMismatch { got: 5, columns: 2, rows: 2 });
    assert!(matches!(Shape::height_field(vec![0.0; 2], 1, 2, [1.0; 2]), Err(ShapeError::TooFew { .. })));
    let error = Shape::height_field(vec![0.0, 0.0, f64::NAN, 0.0], 2, 2, [1.0; 2]).unwrap_err();
    assert_eq!(error, ShapeError::NotFinite { what: "height", index: 2 });
    assert!(Shape::height_field(Vec::new(), usize::MAX, 2, [1.0; 2]).is_err());
}

#[test]
fn compounds_have_simple_parts() {
    assert_eq!(Shape::compound(&[]).unwrap_err(), ShapeError::Empty("the compound"));
    let part = (Pose::IDENTITY, ball(1.0));
    let compound = Shape::compound(std::slice::from_ref(&part)).unwrap();
    for nested in [compound, half_space([0.0, 0.0, 1.0])] {
        let error = Shape::compound(&[part.clone(), (Pose::IDENTITY, nested)]).unwrap_err();
        assert_eq!(error, ShapeError::Nested { part: 1 });
    }
    let lost = Pose { rotation: [0.0; 4], ..Pose::IDENTITY };
    assert!(matches!(Shape::compound(&[(lost, ball(1.0))]), Err(ShapeError::NotFinite { .. })));
}

/// Poses that are not finite come from a step that failed: no contacts, no panic.
#[test]
fn poses_that_are_not_finite_have_no_contacts() {
    let mut random = crate::random::Random::new(70);
    let poses = [
        Pose::at([f64::NAN, 0.0, 0.0]),
        Pose::at([f64::INFINITY, 0.0, 0.0]),
        Pose { rotation: [f64::NAN; 4], ..Pose::IDENTITY },
        Pose { rotation: [0.0; 4], ..Pose::IDENTITY },
    ];
    for (name, a) in crate::samples::all(&mut random) {
        for (other, b) in crate::samples::all(&mut random) {
            for pose in &poses {
                let mut out = Vec::new();
                contacts(&a, pose, &b, &Pose::IDENTITY, 1.0, &mut out);
                contacts(&b, &Pose::IDENTITY, &a, pose, 1.0, &mut out);
                // The rotation of a ball is not looked at where it meets balls and half-spaces.
                let is_ball = a.ball_radius().is_some() && pose.position == [0.0; 3];
                assert!(out.is_empty() || is_ball, "{name} {other} {pose:?} {out:?}");
            }
        }
    }
}

/// From a grain of dust to a mountain: no length is hidden in the code.
#[test]
fn distances_scale_with_the_bodies() {
    let mut random = crate::random::Random::new(71);
    for _ in 0..200 {
        let points = crate::samples::cloud(&mut random, 10);
        let pose = random.pose(1.5);
        let scaled = |size: f64| {
            let hull: Vec<[f64; 3]> = points.iter().map(|p| p.map(|x| size * x)).collect();
            let mut pose = pose;
            pose.position = pose.position.map(|x| size * x);
            let shapes = [
                Shape::hull(&hull),
                Shape::cylinder(0.5 * size, 0.4 * size),
                Shape::cuboid([0.4 * size; 3]),
            ];
            let [hull, cylinder, cuboid] = shapes.map(|shape| shape.unwrap());
            let pairs = [(&hull, &hull), (&hull, &cylinder), (&cylinder, &cuboid), (&cuboid, &cuboid)];
            pairs.map(|(a, b)| distance(a, &Pose::IDENTITY, b, &pose) / size)
        };
        let one = scaled(1.0);
        for size in [1e-6, 1e6] {
            let found = scaled(size);
            assert!(
                one.iter().zip(found).all(|(x, y)| (x - y).abs() < 1e-12),
                "{size} {one:?} {found:?}"
            );
        }
    }
}
