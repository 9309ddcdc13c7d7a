//! Shapes for tests, one of every kind.

use crate::random::Random;
use nonsmooth_geometry::spatial::{Pose, Shape};

pub fn ball(radius: f64) -> Shape {
    Shape::ball(radius).expect("a positive radius")
}

pub fn cuboid(half: [f64; 3]) -> Shape {
    Shape::cuboid(half).expect("positive lengths")
}

pub fn capsule(half: f64, radius: f64) -> Shape {
    Shape::capsule(half, radius).expect("positive lengths")
}

pub fn cylinder(half: f64, radius: f64) -> Shape {
    Shape::cylinder(half, radius).expect("positive lengths")
}

pub fn cone(half: f64, radius: f64) -> Shape {
    Shape::cone(half, radius).expect("positive lengths")
}

pub fn half_space(normal: [f64; 3]) -> Shape {
    Shape::half_space(normal).expect("a direction")
}

pub fn hull(points: &[[f64; 3]]) -> Shape {
    Shape::hull(points).expect("points in space")
}

pub fn mesh((points, triangles): &(Vec<[f64; 3]>, Vec<[u32; 3]>)) -> Shape {
    Shape::mesh(points, triangles).expect("a sound surface")
}

pub fn height_field(n: usize, cell: f64, heights: Vec<f64>) -> Shape {
    Shape::height_field(heights, n, n, [cell; 2]).expect("a square grid")
}

/// Vertices and triangles of a box, counter-clockwise seen from outside.
pub fn box_mesh(half: [f64; 3]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let corner = |k: usize, axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] };
    let points = (0..8).map(|k| std::array::from_fn(|axis| corner(k, axis))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points, quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect())
}

/// A surface over a grid of n × n cells of the given size, about the origin, with heights.
pub fn grid(n: u32, cell: f64, height: impl Fn(f64, f64) -> f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let place = |i: u32| cell * (f64::from(i) - 0.5 * f64::from(n));
    let point = |v: u32| {
        let (x, y) = (place(v % (n + 1)), place(v / (n + 1)));
        [x, y, height(x, y)]
    };
    let cells = (0..n * n).map(|c| c % n + (n + 1) * (c / n));
    // Every other cell is cut along the other diagonal.
    let cut = |v: u32| {
        let (a, b, c, d) = (v, v + 1, v + n + 2, v + n + 1);
        if (v % (n + 1) + v / (n + 1)).is_multiple_of(2) {
            [[a, b, c], [a, c, d]]
        } else {
            [[a, b, d], [b, c, d]]
        }
    };
    ((0..(n + 1) * (n + 1)).map(point).collect(), cells.flat_map(cut).collect())
}

pub fn cloud(random: &mut Random, n: usize) -> Vec<[f64; 3]> {
    (0..n).map(|_| random.vector(1.0)).collect()
}

/// One of every bounded convex kind, of random size.
pub fn convex(random: &mut Random) -> Vec<(&'static str, Shape)> {
    let mut size = || random.between(0.2, 1.0);
    let mut shapes = vec![
        ("ball", ball(size())),
        ("box", cuboid([size(), size(), size()])),
        ("capsule", capsule(size(), size())),
        ("cylinder", cylinder(size(), size())),
        ("cone", cone(size(), size())),
    ];
    shapes.push(("hull", hull(&cloud(random, 20))));
    shapes
}

/// One of every kind.
pub fn all(random: &mut Random) -> Vec<(&'static str, Shape)> {
    let mut shapes = convex(random);
    let parts = [0, 1, 5].map(|k: usize| (random.pose(0.8), shapes[k].1.clone()));
    let wave = grid(8, 0.5, |x, y| 0.2 * (1.7 * x).sin() * (1.3 * y).cos());
    let heights = wave.0.iter().map(|p| p[2]).collect();
    shapes.push(("closed mesh", mesh(&box_mesh([random.between(0.3, 1.0), 0.6, 0.4]))));
    shapes.push(("open mesh", mesh(&wave)));
    shapes.push(("height field", height_field(9, 0.5, heights)));
    shapes.push(("half-space", half_space([0.3, -0.2, 1.0])));
    shapes.push(("compound", Shape::compound(&parts).expect("simple parts")));
    shapes
}

/// The pose of a body after a further rigid motion of the world.
pub fn moved(motion: &Pose, pose: &Pose) -> Pose {
    let turn = crate::oracle::rotation(motion) * crate::oracle::rotation(pose);
    let position = crate::oracle::world(motion, pose.position.into()).to_array();
    Pose { position, rotation: [turn.w, turn.x, turn.y, turn.z] }
}
