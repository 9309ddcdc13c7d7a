//! The slider-crank with clearance, of three bodies and three joints, against the table that angles and M(q) made.
//!
//! The table has errors of its own: its Newton iterations stop after the first one in free flight (with that, and with angles, the core
//! matches it to rounding: `references/slider_crank.rs` there). So the judge is the exact motion until the slider first touches its guide,
//!
//! ```text
//! M(q) q̈ = −c sin(q₀ − q₁) (q̇₁², −q̇₀²) − (w₁ cos q₀, w₂ cos q₁),      c = (m₂/2 + m₃) l₁ l₂
//! ```
//!
//! by Runge–Kutta with tiny steps. Joints meet it with order 2, more than five times closer than the table at the table's own step; what is between ours
//! and the table is then the error of the table.

use crate::from_text;
use nonsmooth::observers::Trajectory;
use nonsmooth_testkit::Table;

const SCENE: &str = r#"title = "Slider-crank"

[parameters]
l1 = 0.153
l2 = 0.306
a = 0.05
b = 0.025
c = 0.001

[world]
gravity = [0, -9.81]

[[body]]
name = "upper"
shape = { type = "half-plane", normal = [0, -1] }
position = [0, "b + c"]
fixed = true

[[body]]
name = "lower"
shape = { type = "half-plane", normal = [0, 1] }
position = [0, "-b - c"]
fixed = true

[[body]]
name = "crank"
mass = 0.038
inertia = 7.4e-5
position = ["l1/2", 0]
velocity = [0, "150*l1/2"]
angular_velocity = 150

[[body]]
name = "rod"
mass = 0.038
inertia = 5.9e-4
position = ["l1 + l2/2", 0]
velocity = [0, "150*l1 - 75*l2/2"]
angular_velocity = -75

[[body]]
name = "slider"
shape = { type = "rectangle", size = ["2*a", "2*b"] }
mass = 0.076
inertia = 2.7e-6
position = ["l1 + l2", 0]
velocity = [0, "150*l1 - 75*l2"]

[[joint]]
name = "bearing"
type = "revolute"
between = [{}, { body = "crank" }]
at = [0, 0]

[[joint]]
name = "pin"
type = "revolute"
between = [{ body = "crank" }, { body = "rod" }]
at = ["l1", 0]

[[joint]]
name = "wrist"
type = "revolute"
between = [{ body = "rod" }, { body = "slider" }]
at = ["l1 + l2", 0]

[contact]
default = { friction = 0.01, restitution = 0.4 }

[run]
end = 0.02
"#;

const L1: f64 = 0.153;
const L2: f64 = 0.306;
/// The slider first touches at 2.7 ms.
const FREE: f64 = 0.00261;

/// (q̇, q̈) of crank and rod.
fn rate([q0, q1, v0, v1]: [f64; 4]) -> [f64; 4] {
    let (m1, m2, m3, j1, j2, g) = (0.038, 0.038, 0.0760, 7.4e-5, 5.9e-4, 9.81);
    let coupling = (0.5 * m2 + m3) * L1 * L2;
    let m00 = j1 + (0.25 * m1 + m2 + m3) * L1 * L1;
    let m11 = j2 + (0.25 * m2 + m3) * L2 * L2;
    let m01 = coupling * (q1 - q0).cos();
    let f0 = -coupling * (q0 - q1).sin() * v1 * v1 - g * (0.5 * m1 + m2 + m3) * L1 * q0.cos();
    let f1 = coupling * (q0 - q1).sin() * v0 * v0 - g * (0.5 * m2 + m3) * L2 * q1.cos();
    let det = m00 * m11 - m01 * m01;
    [v0, v1, (m11 * f0 - m01 * f1) / det, (m00 * f1 - m01 * f0) / det]
}

/// Angle of the crank and height of the slider at multiples of 0.2 ms.
fn exact() -> Vec<[f64; 2]> {
    let (h, mut x) = (1e-6, [0.0f64, 0.0, 150.0, -75.0]);
    let along = |x: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
    let mut out = Vec::new();
    for step in 0..=(FREE / h) as usize {
        if step % 200 == 0 {
            out.push([x[0], L1 * x[0].sin() + L2 * x[1].sin()]);
        }
        let a = rate(x);
        let b = rate(along(x, a, 0.5 * h));
        let c = rate(along(x, b, 0.5 * h));
        let d = rate(along(x, c, h));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    out
}

fn run(n: usize) -> Trajectory {
    let text = format!("{SCENE}step_size = {}\n", 2e-4 / n as f64);
    let mut loaded = from_text(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut trajectory = Trajectory::default();
    loaded.simulation.run(14 * n as u64, &mut [&mut trajectory]).expect("the run ends well");
    trajectory
}

#[test]
fn slider_crank_through_joints() {
    let table = Table::read("slider_crank_direct_projection");
    let exact = exact();
    let worst = |of: &dyn Fn(usize) -> [f64; 2]| {
        exact.iter().enumerate().fold([0.0f64; 2], |m, (k, exact)| {
            let found = of(k);
            std::array::from_fn(|i| m[i].max((found[i] - exact[i]).abs()))
        })
    };
    // Bodies are crank, rod, slider; x, y and angle each.
    let joints = |n: usize| {
        let ours = run(n);
        worst(&|k: usize| [ours.q[n * k][2], ours.q[n * k][7]])
    };
    let [turn, height] = ["crank_revolutions", "slider_y"].map(|name| table.column(name));
    let of_table =
        worst(&|k: usize| [table.rows[k][turn] * std::f64::consts::TAU, 1e-3 * table.rows[k][height]]);
    // The table has h = 0.1 ms.
    let (same, fine) = (joints(2), joints(4));
    eprintln!("table off by {of_table:?}, ours by {same:?}, with half the step by {fine:?}");
    for i in 0..2 {
        assert!((same[i] / fine[i]).log2() > 1.8, "order: {same:?} → {fine:?}");
        assert!(5.0 * same[i] < of_table[i], "ours {same:?}, table {of_table:?}");
    }
}
