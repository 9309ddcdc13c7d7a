//! Convex obstacles: the distance against brute force, particles that pass corners, and rooms.

use super::{deepest, linearised, nonlinear, run};
use crate::kit::{Built, Coulomb, Gap, Linear, ModelBuilder, NewtonImpact, Sparse};
use nonsmooth::model::constraints::{ConvexRegion, ConvexRegionError, LinearContact};

const SQUARE: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// A box with half edges 1, 0.5, 0.25.
fn brick() -> ConvexRegion {
    let corner = |i: usize| {
        let side = |bit: usize, half: f64| if i & bit == 0 { -half } else { half };
        [side(1, 1.0), side(2, 0.5), side(4, 0.25)]
    };
    let corners: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let faces: [&[usize]; 6] =
        [&[0, 2, 3, 1], &[4, 5, 7, 6], &[0, 1, 5, 4], &[2, 6, 7, 3], &[0, 4, 6, 2], &[1, 3, 7, 5]];
    ConvexRegion::polyhedron(&corners, &faces).expect("a brick is convex")
}

/// Signed distance to a box about the origin, by its own formula.
fn to_box(half: &[f64], x: &[f64]) -> f64 {
    let beyond: Vec<f64> = x.iter().zip(half).map(|(x, h)| x.abs() - h).collect();
    let outside = beyond.iter().map(|d| d.max(0.0).powi(2)).sum::<f64>().sqrt();
    outside + beyond.iter().fold(f64::NEG_INFINITY, |m, d| m.max(*d)).min(0.0)
}

#[test]
fn distance_and_gradient_are_those_of_a_box() {
    let square = ConvexRegion::polygon(&SQUARE).expect("a square is convex");
    let brick = brick();
    // A grid that has points in the planes of faces, on edges and on corners.
    let grid = |i: usize| -2.0 + 0.25 * i as f64;
    for k in 0..17usize.pow(3) {
        let x = [grid(k % 17), grid(k / 17 % 17), grid(k / 289)];
        for (obstacle, half) in [(&square, &[1.0, 1.0][..]), (&brick, &[1.0, 0.5, 0.25][..])] {
            let x = &x[..half.len()];
            let found = obstacle.gap(0.0, x).expect("a number");
            assert!((found - to_box(half, x)).abs() < 1e-14, "{x:?}: {found} {}", to_box(half, x));
            let mut slope = vec![0.0; x.len()];
            obstacle.jacobian(0.0, x, &mut slope).expect("a slope");
            let length = slope.iter().map(|s| s * s).sum::<f64>().sqrt();
            assert!((length - 1.0).abs() < 1e-14, "{x:?}: {slope:?}");
            // Convex: no point of the grid's neighbourhood lies below the tangent plane.
            for i in 0..x.len() {
                let mut there = x.to_vec();
                there[i] += 0.3;
                let value = obstacle.gap(0.0, &there).expect("a number");
                assert!(value >= found + 0.3 * slope[i] - 1e-14, "{x:?} {i}: {slope:?}");
            }
        }
    }
}

#[test]
fn wrong_obstacles_are_refused() {
    let polygon = |corners: &[[f64; 2]]| ConvexRegion::polygon(corners).map(|_| ()).unwrap_err();
    assert_eq!(polygon(&SQUARE[..2]), ConvexRegionError::TooFew);
    let mut clockwise = SQUARE;
    clockwise.reverse();
    assert!(matches!(polygon(&clockwise), ConvexRegionError::NotConvex { .. }));
    assert!(matches!(
        polygon(&[SQUARE[0], SQUARE[1], [0.0, 0.0], SQUARE[2]]),
        ConvexRegionError::NotConvex { .. }
    ));
    assert_eq!(polygon(&[SQUARE[0], SQUARE[0], SQUARE[1]]), ConvexRegionError::Degenerate { face: 0 });
    assert_eq!(
        polygon(&[SQUARE[0], [f64::NAN, 0.0], SQUARE[1]]),
        ConvexRegionError::NotFinite { corner: 1 }
    );
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let right: [&[usize]; 4] = [&[0, 2, 1], &[0, 1, 3], &[0, 3, 2], &[1, 2, 3]];
    let faces = |faces: &[&[usize]]| ConvexRegion::polyhedron(&corners, faces).map(|_| ());
    assert_eq!(faces(&right), Ok(()));
    assert_eq!(faces(&right[..3]), Err(ConvexRegionError::TooFew));
    let flipped: [&[usize]; 4] = [&[0, 1, 2], &[0, 1, 3], &[0, 3, 2], &[1, 2, 3]];
    assert!(matches!(faces(&flipped), Err(ConvexRegionError::Open { .. })));
    let missing: [&[usize]; 4] = [&[0, 2, 7], &[0, 1, 3], &[0, 3, 2], &[1, 2, 3]];
    assert_eq!(faces(&missing), Err(ConvexRegionError::NoSuchCorner { face: 0, corner: 7, n: 4 }));
}

fn particle(gaps: Vec<Box<dyn Gap>>, load: &[f64], q: &[f64], v: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let mass = Sparse::diagonal(&vec![1.0; q.len()]);
    let particle = builder.linear(Linear::new("particle", mass).load(load).initial(q, v));
    let law = builder.law("plastic", NewtonImpact { restitution: 0.0 });
    let on: Vec<_> = (0..q.len()).map(|i| (particle, i)).collect();
    for (i, gap) in gaps.into_iter().enumerate() {
        builder.gap(&format!("gap {i}"), law, &on, Boxed(gap));
    }
    builder.allow_initial_violation();
    builder.build(0.0).expect("a right model")
}

struct Boxed(Box<dyn Gap>);

impl Gap for Boxed {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, crate::kit::UserError> {
        self.0.gap(t, q)
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), crate::kit::UserError> {
        self.0.jacobian(t, q, out)
    }
    fn is_linear(&self) -> bool {
        self.0.is_linear()
    }
}

/// Sliding along the top of the square and off its corner, the particle falls past the side. Half-planes that all hold
/// would keep it above the extension of the top for ever.
#[test]
fn a_particle_passes_the_corner_and_falls() {
    let square = ConvexRegion::polygon(&SQUARE).expect("a square is convex");
    for options in [linearised(), nonlinear()] {
        let made = particle(vec![Box::new(square.clone())], &[0.0, -1.0], &[0.0, 1.0], &[0.7, 0.0]);
        let (ours, _) = run(made, &options, 0.02, 200);
        assert!(deepest(&ours) < 1e-13, "{:.1e} deep", deepest(&ours));
        let last = &ours.q[200];
        // 10/7 s on the top, then free fall for 18/7 s.
        let fall = 4.0 - 1.0 / 0.7;
        assert!((last[0] - 0.7 * 4.0).abs() < 0.02, "{last:?}");
        assert!((last[1] - (1.0 - 0.5 * fall * fall)).abs() < 0.1, "{last:?}");
    }
    let top = LinearContact { normal: vec![0.0, 1.0], offset: -1.0, tangents: Vec::new() };
    let made = particle(vec![Box::new(top)], &[0.0, -1.0], &[0.0, 1.0], &[0.7, 0.0]);
    let (blocked, _) = run(made, &linearised(), 0.02, 200);
    assert_eq!(blocked.q[200][1], 1.0);
}

/// Close to the side of the square and beyond its top corner nothing holds a particle that flies by.
#[test]
fn flying_by_a_corner_is_free() {
    let square = ConvexRegion::polygon(&SQUARE).expect("a square is convex");
    let made = particle(vec![Box::new(square)], &[0.0; 2], &[1.02, 1.5], &[0.0, -1.0]);
    let (ours, _) = run(made, &linearised(), 0.01, 300);
    assert_eq!(ours.v[300], [0.0, -1.0]);
    assert!(ours.impulses.iter().all(|p| p[0] == 0.0));
}

/// In a corner of a room both walls hold at once, and the particle comes to rest in it.
#[test]
fn inside_a_room_every_face_is_a_wall() {
    let room = ConvexRegion::polygon(&SQUARE).expect("a square is convex");
    let walls = room.inside().into_iter().map(|wall| Box::new(wall) as Box<dyn Gap>).collect();
    let made = particle(walls, &[0.5, -1.0], &[0.0, 0.0], &[0.3, 0.2]);
    let (ours, _) = run(made, &linearised(), 0.01, 1000);
    let lowest = ours.gaps.iter().flatten().fold(0.0f64, |m, gap| m.min(*gap));
    assert!(lowest > -1e-14, "{lowest:e}");
    let (q, v) = (&ours.q[1000], &ours.v[1000]);
    assert!((q[0] - 1.0).abs() < 1e-13 && (q[1] + 1.0).abs() < 1e-13, "{q:?}");
    assert!(v[0].abs() < 1e-13 && v[1].abs() < 1e-13, "{v:?}");
}

/// On a brick in space: slides over the edge with friction-free contact and leaves it.
#[test]
fn a_particle_passes_the_edge_of_a_brick() {
    let made = particle(vec![Box::new(brick())], &[0.0, 0.0, -1.0], &[0.0, 0.0, 0.25], &[0.5, 0.4, 0.0]);
    let (ours, _) = run(made, &linearised(), 0.02, 150);
    assert!(deepest(&ours) < 1e-13, "{:.1e} deep", deepest(&ours));
    assert!(ours.q[150][2] < 0.0, "{:?}", ours.q[150]);
}

/// On the upper face of an obstacle friction stops what moves: along the hypotenuse of a triangle, and on a brick.
#[test]
fn friction_acts_along_the_faces() {
    let rough = |obstacle: ConvexRegion, load: &[f64], q: &[f64], v: &[f64]| {
        let mut builder = ModelBuilder::new();
        let mass = Sparse::diagonal(&vec![1.0; q.len()]);
        let particle = builder.linear(Linear::new("particle", mass).load(load).initial(q, v));
        let law = builder.law("rough", Coulomb { friction: 0.5, ..Coulomb::default() });
        let on: Vec<_> = (0..q.len()).map(|i| (particle, i)).collect();
        builder.gap("obstacle", law, &on, obstacle.with_tangents());
        builder.build(0.0).expect("a right model")
    };
    // tan α = 1/4 holds it, tan α = 3/4 does not: then a = g (sin α − μ cos α) = g (0.6 − 0.4).
    let h = 0.01;
    for (rise, slides) in [(1.0, 0.0), (3.0, 0.2)] {
        let wedge = ConvexRegion::polygon(&[[0.0, 0.0], [4.0, 0.0], [0.0, rise]]);
        let wedge = wedge.expect("a triangle is convex");
        let made = rough(wedge, &[0.0, -1.0], &[1.0, 0.75 * rise], &[0.0; 2]);
        let (ours, ledger) = run(made, &linearised(), h, 100);
        let gone = (ours.q[100][0] - 1.0).hypot(ours.q[100][1] - 0.75 * rise);
        // Semi-implicit Euler adds h/2 of the velocity reached.
        assert!((gone - 0.5 * slides * (1.0 + h)).abs() < 1e-9, "{gone}");
        assert!(ledger.worst_remainder < 1e-13, "{ledger:?}");
    }
    let made = rough(brick(), &[0.0, 0.0, -1.0], &[-0.5, -0.2, 0.25], &[0.3, 0.4, 0.0]);
    let (ours, _) = run(made, &linearised(), h, 150);
    let end = [ours.q[150][0] + 0.5, ours.q[150][1] + 0.2];
    // v²/2μg = 0.25 along (3, 4)/5, less h/2 of the velocity at the start.
    let way = 0.25 - 0.5 * h * 0.5;
    assert!((end[0] - 0.6 * way).abs() < 1e-6 && (end[1] - 0.8 * way).abs() < 1e-6, "{end:?}");
}
