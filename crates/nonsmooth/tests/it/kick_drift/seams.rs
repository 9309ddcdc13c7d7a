//! Bodies that slide over floors made of pieces: seams are no walls, steps are.
//!
//! On a plane a block slides x = v t − ½ μ g t². A ball or cylinder slides until it rolls, J = k m r²: with t₁ = v k / (μ g (1 + k)),
//! x = v t₁ − ½ μ g t₁² + (t − t₁) v / (1 + k).

use super::{G, ball, cuboid, diagonal, run, world};
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, MaterialId};
use nonsmooth_geometry::planar;
use nonsmooth_geometry::spatial::{Pose, Shape};

const MU: f64 = 0.2;
const SPEED: f64 = 3.0;

/// Makes a body of a material.
type Made<'a> = dyn Fn(MaterialId) -> Body + 'a;
/// Adds a floor of a material.
type Laid<'a> = dyn Fn(&mut ModelBuilder, MaterialId) + 'a;

/// Boxes in a row whose tops are at `top(i)`.
fn tiles(builder: &mut ModelBuilder, material: MaterialId, top: &dyn Fn(usize) -> f64) {
    for i in 0..40 {
        let shape = Shape::cuboid([0.065, 2.0, 0.1]).expect("it is right");
        let mut tile = KinematicBody::new(&format!("tile{i}"), vec![Collider::space(shape, material)]);
        tile.position = [-1.0 + 0.13 * i as f64, 0.0, top(i) - 0.1];
        builder.kinematic(tile);
    }
}

/// Where a body is after a second, and how far it rose at most; it starts at x = 0.
fn slide(
    floor: &dyn Fn(&mut ModelBuilder, MaterialId),
    body: &dyn Fn(MaterialId) -> Body,
    h: f64,
) -> (f64, f64) {
    slide_for(1.0, floor, body, h)
}

/// The same after another time.
fn slide_for(
    end: f64,
    floor: &dyn Fn(&mut ModelBuilder, MaterialId),
    body: &dyn Fn(MaterialId) -> Body,
    h: f64,
) -> (f64, f64) {
    let (mut builder, material) = world(MU, 0.0);
    floor(&mut builder, material);
    let mut body = body(material);
    body.velocity = [SPEED, 0.0, 0.0];
    let up = if body.planar { 1 } else { 2 };
    if body.planar {
        builder.gravity([0.0, -G, 0.0]);
    }
    let start = body.position[up];
    builder.body(body);
    let mut simulation = run(builder, h);
    let mut hop = 0.0f64;
    for _ in 0..(end / h).round() as u64 {
        simulation.step().expect("it is right");
        hop = hop.max(simulation.state.q[up] - start);
    }
    (simulation.state.q[0], hop)
}

fn turned(mut body: Body, position: [f64; 3], axis: [f64; 3], angle: f64) -> Body {
    body.position = position;
    body.rotation = Pose::turned([0.0; 3], axis, angle).rotation;
    body
}

fn cube(material: MaterialId, angle: f64) -> Body {
    turned(cuboid("cube", [0.1; 3], 1.0, material), [0.0, 0.0, 0.1], [0.0, 0.0, 1.0], angle)
}

/// x of a body that slides, or slides until it rolls with J = k m r².
fn exact(k: Option<f64>) -> f64 {
    let Some(k) = k else { return SPEED - 0.5 * MU * G };
    let t = SPEED * k / (MU * G * (1.0 + k));
    SPEED * t - 0.5 * MU * G * t * t + (1.0 - t) * SPEED / (1.0 + k)
}

#[test]
fn a_cube_slides_over_flush_tiles_as_over_a_plane() {
    for (h, angles) in [(2e-3, &[0.0, 0.01, 0.3, std::f64::consts::FRAC_PI_4][..]), (1e-3, &[0.3])] {
        for &angle in angles {
            for (drop, tolerance) in [(0.0, 1e-4), (1e-6, 1e-4)] {
                let floor = |b: &mut ModelBuilder, m| tiles(b, m, &|i| -drop * (i.max(8) - 8) as f64);
                let (x, hop) = slide(&floor, &|m| cube(m, angle), h);
                let what = format!("angle {angle}, h = {h}, each lower by {drop}");
                assert!((x - exact(None)).abs() < tolerance, "{what}: x = {x}");
                assert!(hop < 1e-5, "{what}: it rises by {hop}");
            }
        }
    }
}

#[test]
fn a_cube_slides_down_a_small_step_and_trips_over_one_that_goes_up() {
    for h in [2e-3, 1e-3] {
        let down = |b: &mut ModelBuilder, m| tiles(b, m, &|i| if i > 11 { -1e-4 } else { 0.0 });
        let (x, hop) = slide(&down, &|m| cube(m, 0.3), h);
        assert!((x - exact(None)).abs() < 5e-4 && hop < 1e-4, "h = {h}: x = {x}, rises by {hop}");
        for step in [1e-5, 1e-3] {
            let up = |b: &mut ModelBuilder, m| tiles(b, m, &|i| if i > 11 { step } else { 0.0 });
            let (x, _) = slide_for(0.4, &up, &|m| cube(m, 0.3), h);
            // On a plane it would be at 1.043 m.
            assert!(x < 0.8, "h = {h}: x = {x} over a step of {step}");
        }
    }
}

#[test]
fn planks_balls_capsules_and_cylinders_do_not_feel_seams() {
    let floor = |b: &mut ModelBuilder, m| tiles(b, m, &|_| 0.0);
    let quarter = std::f64::consts::FRAC_PI_2;
    let rod = |m: MaterialId, shape: Result<Shape, _>, j: [f64; 3]| {
        let mut body = Body::new("rod", 1.0, diagonal(j));
        body.colliders = vec![Collider::space(shape.expect("it is right"), m)];
        body
    };
    let plank = |m| {
        let body = cuboid("plank", [0.5, 0.05, 0.02], 1.0, m);
        turned(body, [0.0, 0.0, 0.02], [0.0, 0.0, 1.0], 0.3)
    };
    let sphere = |m| turned(ball("ball", 0.1, 1.0, m), [0.0, 0.0, 0.1], [0.0, 0.0, 1.0], 0.0);
    let capsule = |m| {
        let body = rod(m, Shape::capsule(0.1, 0.05), [0.004, 0.004, 0.00125]);
        turned(body, [0.0, 0.0, 0.05], [0.0, 1.0, 0.0], quarter)
    };
    let cylinder = |m| {
        let body = rod(m, Shape::cylinder(0.05, 0.1), [0.004, 0.004, 0.005]);
        turned(body, [0.0, 0.0, 0.1], [1.0, 0.0, 0.0], quarter)
    };
    let all: [(&str, &Made<'_>, Option<f64>); 4] = [
        ("plank", &plank, None),
        ("ball", &sphere, Some(0.4)),
        ("capsule along its axis", &capsule, None),
        ("cylinder that rolls", &cylinder, Some(0.5)),
    ];
    for (name, body, k) in all {
        let (x, hop) = slide(&floor, body, 2e-3);
        assert!((x - exact(k)).abs() < 1e-4, "{name}: x = {x}, not {}", exact(k));
        assert!(hop < 1e-5, "{name}: it rises by {hop}");
    }
}

#[test]
fn inner_edges_of_meshes_height_fields_and_compounds_are_no_walls() {
    let field = |b: &mut ModelBuilder, m| {
        let shape = Shape::height_field(vec![0.0; 61 * 5], 61, 5, [0.13, 0.5]).expect("it is right");
        b.kinematic(KinematicBody::new("field", vec![Collider::space(shape, m)]));
    };
    let pieces = |b: &mut ModelBuilder, m| {
        let tile = Shape::cuboid([0.065, 1.0, 0.1]).expect("it is right");
        let at = |i: usize| Pose::at([-1.0 + 0.13 * i as f64, 0.0, -0.1]);
        let parts: Vec<(Pose, Shape)> = (0..40).map(|i| (at(i), tile.clone())).collect();
        let shape = Shape::compound(&parts).expect("it is right");
        b.kinematic(KinematicBody::new("course", vec![Collider::space(shape, m)]));
    };
    let floors: [(&str, &Laid<'_>); 2] = [("height field", &field), ("compound", &pieces)];
    for (name, floor) in floors {
        let (x, hop) = slide(floor, &|m| cube(m, 0.3), 2e-3);
        assert!((x - exact(None)).abs() < 1e-4 && hop < 1e-5, "{name}: x = {x}, rises by {hop}");
    }
}

#[test]
fn a_plate_in_the_plane_slides_over_seams() {
    let floor = |b: &mut ModelBuilder, m| {
        for i in 0..40 {
            let shape = planar::Shape::rectangle([0.065, 0.1]).expect("it is right");
            let mut tile = KinematicBody::new(&format!("tile{i}"), vec![Collider::plane(shape, m)]);
            tile.position = [-1.0 + 0.13 * i as f64, -0.1, 0.0];
            b.kinematic(tile);
        }
    };
    let corners = [[-0.1, -0.05], [0.1, -0.05], [0.06, 0.05], [-0.06, 0.05]];
    let shapes = [planar::Shape::rectangle([0.1, 0.05]), planar::Shape::polygon(&corners)];
    for (k, shape) in shapes.into_iter().enumerate() {
        let shape = shape.expect("it is right");
        let body = |m| {
            let mut body = Body::planar("plate", 1.0, 0.01);
            body.colliders = vec![Collider::plane(shape.clone(), m)];
            body.position = [0.0, 0.05, 0.0];
            body
        };
        let (x, hop) = slide(&floor, &body, 2e-3);
        assert!((x - exact(None)).abs() < 1e-4 && hop < 1e-5, "{k}: x = {x}, rises by {hop}");
    }
}
