//! Newton's iteration on a mechanism whose contact problems are solved to the tolerance of the solver only: a slider-crank with
//! clearance. Its four corners share one tangent, so that sweeps move the impulses slowly along what W hardly sees, and v⁺ with them.

use crate::from_text;

const SLIDER_CRANK: &str = r#"
title = "Slider-crank with clearance"
[parameters]
l1 = 0.153
l2 = 0.306
m1 = 0.038
m2 = 0.038
m3 = 0.076
J1 = 7.4e-5
J2 = 5.9e-4
J3 = 2.7e-6
a = 0.05
b = 0.025
c = 0.001
g = 9.81
w = 150
[[system.lagrangian]]
name = "crank"
coordinates = ["t1", "t2", "t3"]
mass = [["J1 + m1*l1^2/4 + (m2+m3)*l1^2", "(m2/2+m3)*l1*l2*cos(t1-t2)", 0], ["(m2/2+m3)*l1*l2*cos(t1-t2)", "J2 + m2*l2^2/4 + m3*l2^2", 0], [0, 0, "J3"]]
potential = "g*l1*sin(t1)*(m1/2+m2+m3) + g*l2*sin(t2)*(m2/2+m3)"
q = [0, 0, 0]
v = ["w", "-w/2", 0]
[[constraint]]
name = "c1"
gap = "c - (l1*sin(t1)+l2*sin(t2)) + a*sin(t3) - b*cos(t3) + b"
tangents = ["-l1*sin(t1)*v_t1 - l2*sin(t2)*v_t2"]
law = "slot"
[[constraint]]
name = "c2"
gap = "c - (l1*sin(t1)+l2*sin(t2)) - a*sin(t3) - b*cos(t3) + b"
tangents = ["-l1*sin(t1)*v_t1 - l2*sin(t2)*v_t2"]
law = "slot"
[[constraint]]
name = "c3"
gap = "c + (l1*sin(t1)+l2*sin(t2)) - a*sin(t3) - b*cos(t3) + b"
tangents = ["-l1*sin(t1)*v_t1 - l2*sin(t2)*v_t2"]
law = "slot"
[[constraint]]
name = "c4"
gap = "c + (l1*sin(t1)+l2*sin(t2)) + a*sin(t3) - b*cos(t3) + b"
tangents = ["-l1*sin(t1)*v_t1 - l2*sin(t2)*v_t2"]
law = "slot"
[law.slot]
type = "coulomb"
friction = 0.01
restitution = 0.4
[run]
end = 0.2
step_size = 1e-5
"#;

/// The scene with parameters and settings replaced, line by line.
fn with(changes: &[(&str, &str)]) -> String {
    let mut text = SLIDER_CRANK.to_owned();
    for (key, value) in changes {
        let start = text.find(&format!("\n{key} = ")).expect("the scene has this line") + 1;
        let end = start + text[start..].find('\n').expect("lines end");
        text.replace_range(start..end, &format!("{key} = {value}"));
    }
    text
}

/// Runs a scene to its end; returns the energy at the end, the passes per step and the largest residual.
fn run(changes: &[(&str, &str)], n_steps: usize) -> (f64, f64, f64) {
    let mut loaded = from_text(&with(changes)).unwrap_or_else(|error| panic!("{changes:?}: {error}"));
    let (mut energy, mut passes, mut worst) = (0.0, 0, 0.0f64);
    for _ in 0..n_steps {
        let seen = loaded.simulation.step().unwrap_or_else(|error| panic!("{changes:?}: {error}"));
        energy = seen.log.energies.kinetic + seen.log.energies.potential;
        passes += seen.log.newton_iterations;
        worst = worst.max(seen.log.solves.last().map_or(0.0, |solve| solve.residual));
    }
    (energy, passes as f64 / n_steps as f64, worst)
}

/// With the defaults, at its own speed and ten times faster or slower, with small and large steps, narrow guide and heavy friction. Passes
/// that do nothing but move impulses within the tolerance of the solver would show in their number.
#[test]
fn a_slider_crank_runs_with_the_defaults() {
    let cases: [(&[(&str, &str)], usize); 9] = [
        (&[], 20_000),
        (&[("step_size", "1e-4")], 2000),
        (&[("step_size", "1e-3")], 200),
        (&[("step_size", "1e-6")], 8000),
        (&[("w", "1500")], 2000),
        (&[("w", "1.5")], 20_000),
        (&[("c", "1e-6")], 2000),
        (&[("friction", "0.8")], 2000),
        (&[("restitution", "0")], 2000),
    ];
    for (changes, n_steps) in cases {
        let (_, passes, worst) = run(changes, n_steps);
        assert!(worst <= 1e-10, "{changes:?}: residual {worst:e}");
        assert!(passes < 8.0, "{changes:?}: {passes} passes per step");
    }
}

/// Metres, millimetres and kilometres, kilograms and grams: the same motion by the same passes. All is solved to 1e-10, and a few impacts
/// multiply that.
#[test]
fn newton_does_not_see_units() {
    let n_steps = 5000;
    let (energy, passes, _) = run(&[], n_steps);
    let lengths = |unit: f64| -> Vec<(&'static str, String)> {
        let length =
            [("l1", 0.153), ("l2", 0.306), ("a", 0.05), ("b", 0.025), ("c", 0.001), ("g", 9.81)];
        let square = [("J1", 7.4e-5), ("J2", 5.9e-4), ("J3", 2.7e-6)];
        let length = length.into_iter().map(|(name, x)| (name, format!("{:e}", x / unit)));
        length.chain(square.map(|(name, x)| (name, format!("{:e}", x / unit / unit)))).collect()
    };
    let masses = ["m1", "m2", "m3", "J1", "J2", "J3"]
        .into_iter()
        .zip([0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6]);
    let grams = masses.map(|(name, x)| (name, format!("{:e}", 1000.0 * x))).collect();
    for (changes, unit) in [(lengths(1e-3), 1e6), (lengths(1e3), 1e-6), (grams, 1e3)] {
        let changes: Vec<(&str, &str)> = changes.iter().map(|(name, x)| (*name, &**x)).collect();
        let found = run(&changes, n_steps);
        assert!((found.0 / unit - energy).abs() < 1e-8 * energy, "{changes:?}: {} {energy}", found.0);
        assert!((found.1 - passes).abs() < 0.01, "{changes:?}: {} {passes}", found.1);
    }
}
