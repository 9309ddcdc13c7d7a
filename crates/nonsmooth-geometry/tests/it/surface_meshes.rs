//! Surface meshes: closed, turned outwards, as large as the shapes to the accuracy of their pieces.

use crate::random::Random;
use crate::samples;
use nonsmooth_geometry::{Detail, Patch, SurfaceMesh, planar, spatial};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

type Vector = [f64; 3];

fn sub(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn corners(surface: &SurfaceMesh) -> impl Iterator<Item = [Vector; 3]> + '_ {
    surface.triangles.iter().map(|t| t.map(|i| surface.vertices[i as usize]))
}

fn volume(surface: &SurfaceMesh) -> f64 {
    corners(surface).map(|[a, b, c]| dot(a, cross(b, c)) / 6.0).sum()
}

fn area(surface: &SurfaceMesh) -> f64 {
    corners(surface).map(|[a, b, c]| twice_area(a, b, c) / 2.0).sum()
}

fn twice_area(a: Vector, b: Vector, c: Vector) -> f64 {
    let n = cross(sub(b, a), sub(c, a));
    dot(n, n).sqrt()
}

/// How often each directed edge occurs without its opposite.
fn open_edges(surface: &SurfaceMesh) -> usize {
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for &[a, b, c] in &surface.triangles {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            let sign = if i < j { 1 } else { -1 };
            *edges.entry([i.min(j), i.max(j)]).or_default() += sign;
        }
    }
    edges.values().filter(|n| **n != 0).count()
}

/// All numbers in range, normals of length 1 and on the front of their triangles.
fn check(name: &str, surface: &SurfaceMesh) {
    assert_eq!(surface.triangles.len(), surface.shading.len(), "{name}");
    for (t, [a, b, c]) in corners(surface).enumerate() {
        let front = cross(sub(b, a), sub(c, a));
        assert!(dot(front, front) > 0.0, "{name}: triangle {t} has no area");
        for number in surface.shading[t] {
            let n = surface.normals[number as usize];
            // Round-off of the construction.
            assert!((dot(n, n) - 1.0).abs() < 1e-12, "{name}: normal {number} is {n:?}");
            assert!(dot(n, front) > 0.0, "{name}: normal {number} is behind triangle {t}");
        }
    }
    assert!(surface.creases.iter().flatten().all(|i| (*i as usize) < surface.vertices.len()), "{name}");
    if surface.is_closed {
        assert_eq!(open_edges(surface), 0, "{name}: open edges");
        assert!(volume(surface) > 0.0, "{name}: inside out");
    }
}

#[test]
fn surface_meshes_of_all_kinds_are_sound() {
    let mut random = Random::new(7);
    for segments in [0, 8, 13, 32] {
        for (name, shape) in samples::all(&mut random) {
            let surface = shape.surface_mesh(&Detail::of(segments));
            check(name, &surface);
            let is_open = ["open mesh", "height field", "half-space"].contains(&name);
            assert_eq!(surface.is_closed, !is_open, "{name}");
            if name != "half-space" {
                // Inscribed: no vertex is beyond the shape, but by round-off.
                assert!(surface.outer_radius() <= shape.outer_radius() * (1.0 + 1e-12), "{name}");
            }
        }
    }
}

/// Flat shapes are exact; a circle of n pieces has the area n/2 sin(2π/n) r².
#[test]
fn volumes_and_areas_against_closed_forms() {
    let n = 48.0;
    let disc = n / 2.0 * (TAU / n).sin();
    let side = 2.0 * n * (PI / n).sin();
    let detail = Detail::of(48);
    let (h, r) = (0.7, 0.4);
    let cuboid = samples::cuboid([0.3, 0.5, 0.7]).surface_mesh(&detail);
    let cylinder = samples::cylinder(h, r).surface_mesh(&detail);
    let cone = samples::cone(h, r).surface_mesh(&detail);
    // Height of the triangles of the cone over the middles of the sides of its base.
    let slope = (2.0 * h).hypot(r * (PI / n).cos());
    let exact = [
        ("box", volume(&cuboid), 8.0 * 0.105),
        ("box", area(&cuboid), 8.0 * (0.15 + 0.35 + 0.21)),
        ("cylinder", volume(&cylinder), 2.0 * h * disc * r * r),
        ("cylinder", area(&cylinder), 2.0 * disc * r * r + 2.0 * h * side * r),
        ("cone", volume(&cone), 2.0 / 3.0 * h * disc * r * r),
        ("cone", area(&cone), disc * r * r + 0.5 * side * r * slope),
    ];
    for (name, got, want) in exact {
        // Round-off of some hundred sums.
        assert!((got - want).abs() < 1e-13, "{name}: {got} against {want}");
    }
}

/// With δ = 2π/n, the turn loses δ²/6 of the volume of a ball and the profile δ²/4: 5π²/3 n⁻² in all.
#[test]
fn round_shapes_lose_volume_with_the_square_of_the_pieces() {
    let ball = |n: u32| 1.0 - volume(&samples::ball(0.5).surface_mesh(&Detail::of(n))) / (PI / 6.0);
    let full = 2.0 * 0.3 * PI * 0.25 + PI / 6.0;
    let capsule = |n: u32| 1.0 - volume(&samples::capsule(0.3, 0.5).surface_mesh(&Detail::of(n))) / full;
    for (name, loss) in [("ball", &ball as &dyn Fn(u32) -> f64), ("capsule", &capsule)] {
        for n in [16, 32, 64, 128] {
            let square = f64::from(n * n);
            assert!(
                loss(n) > 0.0 && loss(n) * square <= 5.0 * PI * PI / 3.0,
                "{name}: {} with {n}",
                loss(n) * square
            );
            // The next term of the series is about 7/n² of the first, which takes 21/n² off the ratio.
            assert!((loss(n) / loss(2 * n) - 4.0).abs() < 30.0 / square, "{name}: {n}");
        }
    }
}

#[test]
fn hulls_and_meshes_keep_their_volume_and_a_box_its_twelve_edges() {
    let detail = Detail::default();
    let points = samples::box_mesh([0.2, 0.3, 0.4]);
    for surface in
        [samples::mesh(&points).surface_mesh(&detail), samples::hull(&points.0).surface_mesh(&detail)]
    {
        assert!((volume(&surface) - 8.0 * 0.024).abs() < 1e-15, "{}", volume(&surface));
        assert_eq!(surface.creases.len(), 12);
    }
    assert_eq!(samples::cuboid([1.0; 3]).surface_mesh(&detail).creases.len(), 12);
}

#[test]
fn smooth_surfaces_get_smooth_normals() {
    let wave = samples::grid(24, 0.1, |x, y| 0.2 * x * y);
    let surface = samples::mesh(&wave).surface_mesh(&Detail::default());
    // One normal to a vertex, borders as the only creases.
    assert_eq!(surface.normals.len(), surface.vertices.len());
    assert_eq!(surface.creases.len(), 4 * 24);
    for (t, numbers) in surface.triangles.iter().zip(&surface.shading) {
        for (i, number) in t.iter().zip(numbers) {
            let [x, y, _] = surface.vertices[*i as usize];
            let (n, scale) = (surface.normals[*number as usize], (0.2 * y).hypot(0.2 * x).hypot(1.0));
            let exact = [-0.2 * y / scale, -0.2 * x / scale, 1.0 / scale];
            // One-sided at the borders: half a cell times the curvature 0.2.
            assert!(dot(sub(n, exact), sub(n, exact)).sqrt() < 0.02, "{n:?} {exact:?}");
        }
    }
}

#[test]
fn the_patch_of_a_half_space_lies_about_the_nearest_point() {
    let patch = Patch { about: [3.0, -2.0, 5.0], half: 4.0 };
    let surface =
        samples::half_space([0.0, 0.6, 0.8]).surface_mesh(&Detail { patch, ..Detail::default() });
    check("half-space", &surface);
    assert!((area(&surface) - 64.0).abs() < 1e-12);
    for p in &surface.vertices {
        assert!(dot(*p, [0.0, 0.6, 0.8]).abs() < 1e-14, "{p:?}");
    }
    let middle =
        surface.vertices.iter().fold([0.0; 3], |m, p| std::array::from_fn(|k| m[k] + p[k] / 4.0));
    // 5·0.8 − 2·0.6 = 2.8 above the plane.
    let want = [3.0, -2.0 - 2.8 * 0.6, 5.0 - 2.8 * 0.8];
    assert!(dot(sub(middle, want), sub(middle, want)) < 1e-28, "{middle:?}");
}

fn planar_shapes() -> Vec<(&'static str, planar::Shape, f64)> {
    use planar::{Pose, Shape};
    let n = 32.0;
    let disc = n / 2.0 * (TAU / n).sin();
    let star: Vec<[f64; 2]> = (0..14)
        .map(|k| {
            let (s, c) = (f64::from(k) * TAU / 14.0).sin_cos();
            let r = if k % 2 == 0 { 1.0 } else { 0.4 };
            [r * c, r * s]
        })
        .collect();
    let rectangle = Shape::rectangle([0.5, 0.2]).expect("lengths");
    let parts =
        [(Pose::at([2.0, 0.0]), rectangle.clone()), (Pose::IDENTITY, Shape::ball(0.5).expect("sound"))];
    vec![
        ("ball", Shape::ball(0.5).expect("sound"), disc * 0.25),
        ("capsule", Shape::capsule(0.7, 0.5).expect("sound"), disc * 0.25 + 1.4),
        ("rectangle", rectangle, 0.4),
        ("polygon", Shape::polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).expect("sound"), 0.5),
        ("star", Shape::chain(&star, true).expect("sound"), 7.0 * 0.4 * (TAU / 14.0).sin()),
        ("compound", Shape::compound(&parts).expect("sound"), disc * 0.25 + 0.4),
        ("half-plane", Shape::half_plane([0.6, 0.8]).expect("sound"), 200.0),
    ]
}

#[test]
fn plane_shapes_become_prisms_of_their_area() {
    let depth = 0.25;
    for (name, shape, area) in planar_shapes() {
        let surface = shape.surface_mesh(&Detail::default(), depth);
        check(name, &surface);
        assert!(surface.is_closed, "{name}");
        // Round-off of sums of up to 200.
        assert!((volume(&surface) - depth * area).abs() < 1e-12 * (1.0 + area), "{name}");
        let outlines = shape.outlines(&Detail::default());
        let signed = outlines.iter().map(|outline| {
            let p = &outline.points;
            let next = |k: usize| p[(k + 1) % p.len()];
            (0..p.len()).map(|k| 0.5 * (p[k][0] * next(k)[1] - p[k][1] * next(k)[0])).sum::<f64>()
        });
        assert!((signed.sum::<f64>() - area).abs() < 1e-12 * (1.0 + area), "{name}");
    }
}

#[test]
fn an_open_chain_becomes_a_band_behind_its_front() {
    let heights = [0.0, 0.3, -0.2, 0.1, 0.0];
    let chain = planar::Shape::height_field(&heights, 1.0).expect("a line");
    let surface = chain.surface_mesh(&Detail::default(), 0.1);
    check("band", &surface);
    assert!(surface.is_closed);
    // The front is the upper side: the highest point is that of the heights.
    let top = surface.vertices.iter().map(|p| p[1]).fold(f64::MIN, f64::max);
    assert_eq!(top, 0.3);
    let outline = &chain.outlines(&Detail::default())[0];
    assert!(!outline.is_closed && outline.points.len() == 5);
}

#[test]
fn a_pose_in_the_plane_is_one_in_space() {
    let pose = planar::Pose { position: [1.0, 2.0], angle: 0.3 };
    let mut surface = SurfaceMesh::default();
    surface.append(&samples::cuboid([1.0; 3]).surface_mesh(&Detail::default()), &pose.in_space());
    let want = [1.0 + 0.3_f64.cos() - 0.3_f64.sin(), 2.0 + 0.3_f64.cos() + 0.3_f64.sin(), 1.0];
    let got = surface.vertices[7];
    assert!(dot(sub(got, want), sub(got, want)) < 1e-28, "{got:?}");
    let _: spatial::Pose = pose.in_space();
}
