//! Structures at rest: blocks side by side and on each other, a wall in bond, an arch of voussoirs.
//!
//! A step solves for u to 1e-10 of h g, so a block that rests may drift by N h · 1e-10 h g: 1e-12 m in 10⁴ steps of 1 ms,
//! times what the structure makes of a residual (a lever of some hundreds for a wall of 30 bricks).

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

/// Drift that residuals may add up to [m].
const DRIFT: f64 = 1e-9;

/// Runs `n` steps; nothing may move, overlap, or gain energy, and the floor carries the weight.
fn stays(yard: Yard, h: f64, n: u64) {
    let mut simulation = yard.simulation(h);
    let start = simulation.state.clone();
    let weight = 9.81 * simulation.model.rigid.bodies.iter().map(|b| b.mass).sum::<f64>();
    let (mut speed, mut force) = (0.0f64, 0.0f64);
    let (ledger, summary) = observe(&mut simulation, n, |frame| {
        speed = speed.max(fastest(frame.after));
        let [x, y, z] = support(frame);
        force = force.max(x.abs()).max(y.abs()).max((z - weight).abs());
    });
    let shift = moved(&start, &simulation.state);
    assert_eq!(summary.unconverged, 0);
    assert!(shift < DRIFT, "moved {shift:.2e}");
    assert!(summary.overlap < DRIFT, "overlap {:.2e}", summary.overlap);
    // One step's residual, with the same lever.
    assert!(speed < 1e-7 * h * 9.81, "speed {speed:.2e}");
    // M Δv of all bodies is what force and weight differ by.
    assert!(force < 1e-7 * weight, "force {force:.2e} of {weight:.2e}");
    let gained = (ledger.energies.kinetic + ledger.energies.potential)
        - (ledger.initial.kinetic + ledger.initial.potential);
    assert!(gained.abs() < 1e-9 * ledger.scale, "energy changed by {gained:.2e} J");
    assert!(ledger.worst_remainder <= 1e-13 * ledger.scale, "{:.2e}", ledger.worst_remainder);
}

#[test]
fn a_block_of_27_cubes_side_by_side_stays() {
    let mut yard = Yard::new(0.5, 0.0);
    yard.floor();
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    for k in 0..27 {
        let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(|i| 0.2 * f64::from(i));
        yard.add(&format!("cube {k}"), &cube, 1000.0, [x, y, 0.1 + z]);
    }
    stays(yard, 1e-3, 10_000);
}

/// Six courses in half-brick bond, the ends closed by half bricks.
#[test]
fn a_wall_in_bond_stays() {
    let mut yard = Yard::new(0.6, 0.0);
    yard.floor();
    let (brick, half) = ([0.1, 0.05, 0.03], [0.05, 0.05, 0.03]);
    let (brick, half) = (Shape::cuboid(brick).unwrap(), Shape::cuboid(half).unwrap());
    for course in 0..6 {
        let z = 0.03 + 0.06 * f64::from(course);
        let odd = course % 2 == 1;
        for i in 0..if odd { 3 } else { 4 } {
            let x = 0.2 * f64::from(i) + if odd { 0.1 } else { 0.0 };
            yard.add(&format!("brick {course} {i}"), &brick, 2000.0, [x, 0.0, z]);
        }
        if odd {
            for x in [-0.05, 0.65] {
                yard.add(&format!("half {course} at {x}"), &half, 2000.0, [x, 0.0, z]);
            }
        }
    }
    stays(yard, 1e-3, 10_000);
}

/// A semicircular arch, 1.4 times as thick as it must be, stands on the floor.
#[test]
fn an_arch_of_voussoirs_stays() {
    let (n, thickness) = (11, 0.15);
    let mut yard = Yard::new(0.7, 0.0);
    yard.floor();
    for i in 0..n {
        let corners: Vec<[f64; 3]> = (0..8)
            .map(|k| {
                let angle = std::f64::consts::PI * (i + k % 2) as f64 / n as f64;
                let radius = 1.0 + thickness * (f64::from(u8::from(k / 2 % 2 == 1)) - 0.5);
                let y = if k / 4 == 1 { 0.2 } else { -0.2 };
                [radius * angle.cos(), y, radius * angle.sin()]
            })
            .collect();
        let body = yard.hull(&format!("voussoir {i}"), &corners, 2000.0);
        yard.builder.body(body);
    }
    stays(yard, 1e-3, 10_000);
}
