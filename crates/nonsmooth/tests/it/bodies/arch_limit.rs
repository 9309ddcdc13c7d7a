//! The least thickness of a semicircular arch of voussoirs, by the static theorem of limit analysis and by simulation.
//!
//! A symmetric arch of mean radius 1 on the floor. Right springing: force (−H, W/2) at (x₀, 0). Across the joint at angle
//! φ goes F = (−H, W/2 − Σ w) with moment M = x₀ W/2 − Σ x w about the centre, sums over the voussoirs before it:
//!
//! ```text
//! N = F·e_φ,  T = F·e_r:     (1 − t/2) N ≤ M ≤ (1 + t/2) N,     |T| ≤ μ N
//! ```
//!
//! Everything is affine in (H, x₀): the arch can stand iff these half-planes have a point in common, which clipping a
//! polygon tells. By symmetry and convexity nothing is lost by asking for symmetric states. [Heyman66]

use super::prelude::*;
use std::f64::consts::PI;

/// Corners of voussoir `i` of `n`.
fn corners(i: usize, n: usize, t: f64) -> [[f64; 2]; 4] {
    let at = |k: usize, r: f64| {
        let (s, c) = (PI * k as f64 / n as f64).sin_cos();
        [r * c, r * s]
    };
    [at(i, 1.0 - 0.5 * t), at(i, 1.0 + 0.5 * t), at(i + 1, 1.0 + 0.5 * t), at(i + 1, 1.0 - 0.5 * t)]
}

/// Area and centre by the shoelace formula.
fn figure(corners: &[[f64; 2]]) -> (f64, [f64; 2]) {
    let (mut area, mut x, mut y) = (0.0, 0.0, 0.0);
    for k in 0..corners.len() {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        let cross = a[0] * b[1] - b[0] * a[1];
        area += 0.5 * cross;
        x += cross * (a[0] + b[0]) / 6.0;
        y += cross * (a[1] + b[1]) / 6.0;
    }
    (area, [x / area, y / area])
}

/// Cuts a convex polygon by a[0] H + a[1] x₀ + a[2] ≥ 0.
fn clip(polygon: &[[f64; 2]], a: [f64; 3]) -> Vec<[f64; 2]> {
    let value = |p: [f64; 2]| a[0] * p[0] + a[1] * p[1] + a[2];
    let mut out = Vec::new();
    for k in 0..polygon.len() {
        let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (f, g) = (value(p), value(q));
        if f >= 0.0 {
            out.push(p);
        }
        if (f >= 0.0) != (g >= 0.0) {
            let s = f / (f - g);
            out.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
        }
    }
    out
}

/// Whether an arch of `n` voussoirs of thickness `t` can stand.
fn stands(n: usize, t: f64, mu: f64) -> bool {
    let pieces: Vec<(f64, [f64; 2])> = (0..n).map(|i| figure(&corners(i, n, t))).collect();
    let half: f64 = 0.5 * pieces.iter().map(|piece| piece.0).sum::<f64>();
    let (low, high) = (1.0 - 0.5 * t, 1.0 + 0.5 * t);
    let mut polygon = vec![[0.0, low], [10.0 * half, low], [10.0 * half, high], [0.0, high]];
    let (mut weight, mut moment) = (0.0, 0.0);
    for joint in 0..=n {
        let (s, c) = (PI * joint as f64 / n as f64).sin_cos();
        // As (coefficient of H, of x₀, constant).
        let normal = [s, 0.0, (half - weight) * c];
        let shear = [-c, 0.0, (half - weight) * s];
        let turn = [0.0, half, -moment];
        let sum = |x: [f64; 3], a: f64, y: [f64; 3], b: f64| -> [f64; 3] {
            std::array::from_fn(|k| a * x[k] + b * y[k])
        };
        for cut in [
            sum(turn, 1.0, normal, -low),
            sum(turn, -1.0, normal, high),
            sum(normal, mu, shear, 1.0),
            sum(normal, mu, shear, -1.0),
        ] {
            // Rounding must not cut where a condition holds with equality at the springings.
            polygon = clip(&polygon, [cut[0], cut[1], cut[2] + 1e-12]);
        }
        if let Some((area, centre)) = pieces.get(joint) {
            weight += area;
            moment += area * centre[0];
        }
    }
    !polygon.is_empty()
}

/// t* by bisection.
fn least_thickness(n: usize, mu: f64) -> f64 {
    let (mut falls, mut holds) = (0.01, 0.5);
    for _ in 0..50 {
        let t = 0.5 * (falls + holds);
        *if stands(n, t, mu) { &mut holds } else { &mut falls } = t;
    }
    holds
}

/// How far the crown has dropped after `n_steps`.
fn drop(mut simulation: Simulation, crown: usize, n_steps: u64) -> f64 {
    let start = simulation.state.q[crown];
    for _ in 0..n_steps {
        simulation.step().unwrap_or_else(|error| panic!("{error}"));
        // Fallen is fallen.
        if start - simulation.state.q[crown] > 0.1 {
            break;
        }
    }
    start - simulation.state.q[crown]
}

const FRICTION: f64 = 0.8;

fn plane_arch(n: usize, t: f64, h: f64) -> Simulation {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -9.81, 0.0]);
    let stone = builder.material("stone");
    let law = builder.law("joint", Coulomb { friction: FRICTION, ..Coulomb::default() });
    builder.default_pair(law);
    let floor = planar::Shape::half_plane([0.0, 1.0]).expect("a right shape");
    builder.kinematic(KinematicBody::new("floor", vec![Collider::plane(floor, stone)]));
    for i in 0..n {
        let corners = corners(i, n, t);
        let (_, [x, y]) = figure(&corners);
        let shape =
            planar::Shape::polygon(&corners.map(|p| [p[0] - x, p[1] - y])).expect("a right shape");
        let mass = shape.mass_properties(2000.0).expect("a solid");
        let colliders = vec![Collider::plane(shape, stone)];
        let position = [x, y, 0.0];
        builder.body(Body {
            position,
            colliders,
            ..Body::planar(&format!("{i}"), mass.mass, mass.inertia)
        });
    }
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, MoreauJean::default(), h).expect("the scheme takes it")
}

fn space_arch(n: usize, t: f64, h: f64) -> Simulation {
    let mut yard = super::Yard::new(FRICTION, 0.0);
    yard.floor();
    for i in 0..n {
        let points: Vec<[f64; 3]> =
            corners(i, n, t).iter().flat_map(|p| [-0.2, 0.2].map(|y| [p[0], y, p[1]])).collect();
        assert!(spatial::Shape::hull(&points).is_ok());
        let body = yard.hull(&format!("{i}"), &points, 2000.0);
        yard.builder.body(body);
    }
    yard.simulation(h)
}

/// The least thickness of a continuous arch with radial joints is 0.1075 of its mean radius [Heyman66]; few joints leave
/// fewer places for hinges.
#[test]
fn the_oracle_knows_the_continuous_arch() {
    let many = least_thickness(400, 10.0);
    assert!((many - 0.1075).abs() < 3e-4, "{many}");
    assert!(least_thickness(15, 10.0) < many);
    // This much friction does not matter.
    assert!((least_thickness(15, FRICTION) - least_thickness(15, 10.0)).abs() < 1e-9);
    // The number in scenes/arch.toml.
    assert!((least_thickness(15, FRICTION) - 0.10607).abs() < 5e-6);
}

#[test]
fn a_plane_arch_stands_and_falls_by_its_thickness() {
    for n in [15, 21] {
        let least = least_thickness(n, FRICTION);
        let crown = 3 * (n / 2) + 1;
        let (thick, thin) = (plane_arch(n, 1.05 * least, 2e-3), plane_arch(n, 0.95 * least, 2e-3));
        // It does not move but for residuals; 5 % too thin it falls with some per cent of g.
        let (held, fell) = (drop(thick, crown, 500), drop(thin, crown, 2000));
        assert!(held.abs() < 1e-6, "{n}: the thick one dropped by {held:.2e}");
        assert!(fell > 0.1, "{n}: the thin one dropped by {fell:.2e} only");
    }
}

#[test]
fn a_spatial_arch_stands_and_falls_by_its_thickness() {
    let n = 15;
    let least = least_thickness(n, FRICTION);
    let crown = 7 * (n / 2) + 2;
    let (thick, thin) = (space_arch(n, 1.05 * least, 4e-3), space_arch(n, 0.95 * least, 4e-3));
    let (held, fell) = (drop(thick, crown, 250), drop(thin, crown, 1000));
    assert!(held.abs() < 1e-6, "the thick one dropped by {held:.2e}");
    assert!(fell > 0.1, "the thin one dropped by {fell:.2e} only");
}
