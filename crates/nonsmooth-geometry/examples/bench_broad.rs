//! Time of the broad phase and of ball contacts [ms]:
//! `cargo run --release -p nonsmooth-geometry --example bench_broad`.
//!
//! Balls fill a cube to a third of its volume, moving a little from call to call; then ten of them get other boxes and
//! their pairs are asked for.

use nonsmooth_geometry::broad::BroadPhase;
use nonsmooth_geometry::spatial::{BallContacts, Balls};
use std::time::Instant;

const RUNS: usize = 10;

fn main() {
    println!(
        "{:<34}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "balls, radii", "pairs", "boxes", "contacts", "n", "ten"
    );
    for n in [1_000, 10_000, 100_000] {
        for (name, spread) in [("equal", 1.0), ("1 to 3", 3.0), ("1 to 30", 30.0)] {
            row(&format!("{n}, {name}"), n, spread, 0.0);
        }
        row(&format!("{n}, equal, one at 1e9 m"), n, 1.0, 1e9);
    }
}

/// Times one scene.
fn row(name: &str, n: usize, spread: f64, outlier: f64) {
    let (mut centres, radii) = scene(n, spread);
    centres[0][0] += outlier;
    let margins = vec![0.02; n];
    let (mut bounds, mut pairs, mut contacts) = (Vec::new(), Vec::new(), BallContacts::default());
    let (mut broad, mut few) = (BroadPhase::default(), Vec::new());
    let mut least = [f64::INFINITY; 3];
    for run in 0..RUNS {
        centres.iter_mut().for_each(|p| p[0] += 1e-3 * run as f64);
        let balls = Balls { centres: &centres, radii: &radii, margins: &margins };
        let start = Instant::now();
        balls.bounds(&mut bounds);
        broad.pairs(&bounds, &margins, |_, _| true, &mut pairs);
        least[0] = least[0].min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        contacts.clear();
        balls.contacts(&pairs, &mut contacts);
        least[1] = least[1].min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        for body in 0..10 {
            broad.replace(body, &bounds[body as usize], 0.03);
        }
        broad.pairs_of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], |_, _| true, &mut few);
        least[2] = least[2].min(start.elapsed().as_secs_f64() * 1e3);
    }
    let [found, exact, ten] = least;
    let n_contacts = contacts.bodies.len();
    println!("{name:<34}{:>9}{found:>9.2}{exact:>9.2}{n_contacts:>9}{ten:>9.3}", pairs.len());
}

/// Balls at places from a multiplicative sequence, scaled so that a third of the cube is filled.
fn scene(n: usize, spread: f64) -> (Vec<[f64; 3]>, Vec<f64>) {
    let part = |k: usize, by: f64| (k as f64 * by).fract();
    // More small balls than large ones: the cube of the radius is what is spread evenly.
    let radii: Vec<f64> =
        (0..n).map(|k| 0.5 * spread.powf(-part(k, 0.754_877_666).powf(0.33))).collect();
    let volume: f64 = radii.iter().map(|r| 4.19 * r.powi(3)).sum();
    let side = (3.0 * volume).cbrt();
    let place = |k: usize| {
        [0.819_172_513_396, 0.671_043_606_704, 0.549_700_477_901].map(|by| side * part(k, by))
    };
    ((0..n).map(place).collect(), radii)
}
