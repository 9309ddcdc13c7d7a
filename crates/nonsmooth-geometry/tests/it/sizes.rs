//! Least widths and bounding radii, against sampling.

use crate::random::Random;
use crate::samples::{all, box_mesh, cone, hull};
use glam::{DVec2, DVec3};
use nonsmooth_geometry::broad::Bounds;
use nonsmooth_geometry::planar;
use nonsmooth_geometry::spatial::{Pose, Shape};

/// Width along the x axis of the world after a turn.
fn width(shape: &Shape, rotation: [f64; 4]) -> f64 {
    match shape.bounds(&Pose { position: [0.0; 3], rotation }) {
        Bounds::Box { low, high } => high[0] - low[0],
        Bounds::HalfSpace { .. } => f64::INFINITY,
    }
}

#[test]
fn no_width_is_less_than_the_thickness_and_some_reach_it() {
    let mut random = Random::new(70);
    for round in 0..3 {
        for (name, shape) in all(&mut random) {
            let thickness = shape.thickness();
            if ["open mesh", "closed mesh", "height field"].contains(&name) {
                assert_eq!(thickness, 0.0, "{name}");
            } else if name == "half-space" {
                assert_eq!(thickness, f64::INFINITY);
            } else if name != "compound" {
                let widths = (0..20_000).map(|_| width(&shape, random.rotation()));
                let least = widths.fold(f64::INFINITY, f64::min);
                assert!(least >= thickness * (1.0 - 1e-12), "{name} {round}: {least} {thickness}");
                // Random directions come within 0.025 rad of the best, where widths are steep by twice the reach.
                assert!(
                    least <= thickness + 0.05 * shape.outer_radius(),
                    "{name} {round}: {least} {thickness}"
                );
            }
        }
    }
}

#[test]
fn widths_with_closed_forms() {
    // Two opposite edges of a regular tetrahedron of edge 2√2 are 2 apart, and its height is larger.
    let tetrahedron = hull(&[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]);
    assert!((tetrahedron.thickness() - 2.0).abs() < 1e-14);
    let brick = hull(&box_mesh([0.5, 0.3, 0.8]).0);
    assert!((brick.thickness() - 0.6).abs() < 1e-14);
    // Base 2, height 1: the altitude on the base. Base 2, height 10: that on the side.
    assert!((cone(0.5, 1.0).thickness() - 1.0).abs() < 1e-15);
    assert!((cone(5.0, 1.0).thickness() - 20.0 / 101f64.sqrt()).abs() < 1e-14);
}

#[test]
fn bounding_radii_are_reached_and_not_passed() {
    let mut random = Random::new(71);
    for _ in 0..5 {
        for (name, shape) in all(&mut random).into_iter().filter(|(name, _)| *name != "half-space") {
            let centre = random.vector(0.7);
            let radius = shape.bounding_radius(centre);
            // The farthest extent from the centre along random directions.
            let extent = |rotation: [f64; 4]| {
                let pose = Pose { position: [0.0; 3], rotation };
                let at = crate::oracle::world(&pose, DVec3::from(centre)).x;
                let Bounds::Box { high, .. } = shape.bounds(&pose) else { return f64::NAN };
                high[0] - at
            };
            let most = (0..20_000).map(|_| extent(random.rotation())).fold(0.0, f64::max);
            // The box around a height field is not the smallest.
            if name != "height field" {
                assert!(most <= radius * (1.0 + 1e-12), "{name}: {most} {radius}");
            }
            assert!(most >= 0.99 * radius, "{name}: {most} {radius}");
        }
        assert!((shape_at_origin(&mut random)).abs() < 1e-12);
    }
}

/// About the origin both radii are one.
fn shape_at_origin(random: &mut Random) -> f64 {
    let simple = |(name, _): &(&str, Shape)| *name != "half-space" && *name != "compound";
    let off = |(_, shape): (&str, Shape)| (shape.bounding_radius([0.0; 3]) - shape.outer_radius()).abs();
    all(random).into_iter().filter(simple).map(off).fold(0.0, f64::max)
}

#[test]
fn sizes_in_the_plane() {
    let made = |shape: Result<planar::Shape, _>| shape.expect("a sound shape");
    let triangle = made(planar::Shape::polygon(&[[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]));
    assert!((triangle.thickness() - 12.0 / 5.0).abs() < 1e-15);
    assert!((triangle.bounding_radius([3.0, 0.0]) - 5.0).abs() < 1e-15);
    let capsule = made(planar::Shape::capsule(1.0, 0.25));
    assert_eq!(capsule.thickness(), 0.5);
    assert!((capsule.bounding_radius([0.5, 0.0]) - 1.75).abs() < 1e-15);
    let ball = made(planar::Shape::ball(0.3));
    assert_eq!((ball.thickness(), ball.bounding_radius([0.0, 0.4])), (0.6, 0.7));
    assert_eq!(made(planar::Shape::rectangle([0.4, 0.1])).thickness(), 0.2);
    let chain = made(planar::Shape::chain(&[[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]], false));
    assert_eq!((chain.thickness(), chain.bounding_radius([2.0, 0.0])), (0.0, 2.0));
    let half_plane = made(planar::Shape::half_plane([0.0, 1.0]));
    assert_eq!(half_plane.thickness(), f64::INFINITY);
    let place = planar::Pose { position: [1.0, 0.0], angle: 1.0 };
    let both = made(planar::Shape::compound(&[(place, ball), (place, capsule)]));
    assert_eq!(both.thickness(), 0.5);
    let end = DVec2::new(1.0, 0.0) + DVec2::from_angle(1.0);
    assert!((both.bounding_radius([0.0, 0.0]) - end.length() - 0.25).abs() < 1e-15);
}
