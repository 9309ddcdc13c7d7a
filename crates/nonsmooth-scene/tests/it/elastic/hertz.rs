//! Hertz's contact: pressure, width, force and approach against the closed forms, on a mesh whose cells grow away from the contact.
//!
//! ```text
//! sphere      a = √(R d),   F = 4/3 E* √R d^1.5,   p₀ = 2/π E* √(d/R) = (6 F E*²/(π³ R²))^⅓
//! cylinder    a = √(4 F R/(π E*)),   p₀ = √(F E*/(π R))          F by length       E* = E/(1 − ν²)
//! ```

use super::{impulses, play_loaded};
use crate::{from_text, scene, scenes};
use nonsmooth_scene::Loaded;
use std::f64::consts::PI;

const E_STAR: f64 = 2e9 / (1.0 - 0.3 * 0.3);
const R: f64 = 0.1;
const D: f64 = 4e-5;
/// Step of the run [s].
const H: f64 = 0.1;

/// Where the nodes of the surface are: 112 cells along 0.2 m, the last 220 times the first.
fn places() -> Vec<f64> {
    let q = 220f64.powf(1.0 / 111.0);
    (0..=112).map(|i| 0.2 * (q.powi(i) - 1.0) / (q.powi(112) - 1.0)).collect()
}

/// Forces of the nodes at the end of the run [N].
fn forces(loaded: Loaded) -> Vec<f64> {
    let mut last = Vec::new();
    play_loaded(loaded, |frame| last = impulses(frame).iter().map(|p| p / H).collect());
    assert_eq!(last.len(), 113, "every node of the surface has a row");
    last
}

/// Largest pressure, and where the ellipse p² = p₀² (1 − r²/a²) through the last two nodes that carry well ends.
fn largest_and_end(r: &[f64], pressure: &[f64]) -> (f64, f64) {
    let most = pressure.iter().copied().fold(0.0, f64::max);
    let last = pressure.iter().rposition(|p| *p > 0.2 * most).expect("something carries");
    let [x, y] = [last - 1, last].map(|k| (r[k] * r[k], pressure[k] * pressure[k]));
    let end = (y.0 + y.1 * (y.0 - x.0) / (x.1 - y.1)).sqrt();
    // Between the last node that carries and the first that does not, within a cell.
    let carries = pressure.iter().rposition(|p| *p > 0.0).expect("something carries");
    assert!(
        end > r[carries - 1] && end < r[carries + 2],
        "{end} between {} and {}",
        r[carries],
        r[carries + 1]
    );
    (most, end)
}

fn assert_close(name: &str, found: f64, exact: f64, share: f64) {
    assert!(
        (found / exact - 1.0).abs() < share,
        "{name}: {found:.5e} for {exact:.5e}: {:+.2} %",
        100.0 * (found / exact - 1.0)
    );
}

#[test]
fn a_sphere_has_the_pressure_the_radius_and_the_approach_of_hertz() {
    let forces = forces(scene("hertz-sphere.toml", &[]));
    let r = places();
    // Of a ring the part of the hat of its node: ∫ N 2πr dr.
    let area = |k: usize| {
        let part = |j: usize| PI * (r[k] - r[j]).abs() * (2.0 * r[k] + r[j]) / 3.0;
        k.checked_sub(1).map_or(0.0, part) + if k + 1 < r.len() { part(k + 1) } else { 0.0 }
    };
    let pressure: Vec<f64> = forces.iter().enumerate().map(|(k, f)| f / area(k)).collect();
    let force: f64 = forces.iter().sum();
    let (most, end) = largest_and_end(&r, &pressure);
    eprintln!("F {force} p {most} a {end}");
    assert_close("force of the approach", force, 4.0 / 3.0 * E_STAR * R.sqrt() * D.powf(1.5), 0.02);
    assert_close(
        "pressure by the force",
        most,
        (6.0 * force * E_STAR.powi(2) / (PI.powi(3) * R * R)).cbrt(),
        0.02,
    );
    assert_close("radius by the force", end, (0.75 * force * R / E_STAR).cbrt(), 0.02);
    assert_close("approach by the radius", D, end * end / R, 0.02);
    // The whole ellipse, not its top alone.
    for (r, p) in r.iter().zip(&pressure).filter(|(r, _)| **r < 0.8 * end) {
        let exact = most * (1.0 - (r / end).powi(2)).sqrt();
        assert!((p - exact).abs() < 0.03 * most, "{p} for {exact} at {r}");
    }
}

#[test]
fn a_cylinder_has_the_pressure_and_the_width_of_hertz() {
    let text = std::fs::read_to_string(scenes().join("hertz-sphere.toml")).expect("it is there");
    assert!(text.contains("\"axisymmetric\""));
    let text = text.replace("\"axisymmetric\"", "\"plane-strain\"");
    let forces = forces(from_text(&text).unwrap_or_else(|error| panic!("{error}")));
    let r = places();
    let width = |k: usize| 0.5 * (r[(k + 1).min(112)] - r[k.saturating_sub(1)]);
    let pressure: Vec<f64> = forces.iter().enumerate().map(|(k, f)| f / width(k)).collect();
    // The other half of the cylinder.
    let force = 2.0 * forces.iter().sum::<f64>();
    let (most, end) = largest_and_end(&r, &pressure);
    eprintln!("F {force} p {most} a {end}");
    assert_close("largest pressure", most, (force * E_STAR / (PI * R)).sqrt(), 0.02);
    assert_close("half width", end, (4.0 * force * R / (PI * E_STAR)).sqrt(), 0.02);
}
