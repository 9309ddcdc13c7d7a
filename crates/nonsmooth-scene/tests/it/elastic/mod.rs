//! Elastic bodies in scenes: waves, statics, contact with rigid bodies and with each other, and what is refused.

mod hertz;
mod peel;
mod sliding;
mod turns;
mod written;

use crate::{from_text, mistakes_of, scene};
use nonsmooth::observers::{EnergyLedger, Summary};
use nonsmooth::{Observation, Simulation};
use nonsmooth_scene::Loaded;

/// Runs a scene to its end and shows every step to `see`; the books close, and every step is solved.
fn play(text: &str, see: impl FnMut(&Observation<'_>)) -> Simulation {
    play_loaded(from_text(text).unwrap_or_else(|error| panic!("{error}")), see)
}

fn play_loaded(loaded: Loaded, see: impl FnMut(&Observation<'_>)) -> Simulation {
    play_within(loaded, 1e-11, see)
}

/// The same where the ledger closes to another share of the energy in each step.
fn play_within(loaded: Loaded, share: f64, mut see: impl FnMut(&Observation<'_>)) -> Simulation {
    let mut simulation = loaded.simulation;
    let mut ledger = EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite");
    let mut summary = Summary::default();
    while simulation.state.step < loaded.n_steps {
        let frame = simulation.step().unwrap_or_else(|error| panic!("{error}"));
        ledger.book(frame.log.energies, frame.log.works);
        summary.book(&frame);
        see(&frame);
    }
    assert_eq!(summary.unconverged, 0);
    let worst = ledger.worst_remainder / ledger.scale;
    assert!(worst < share, "{worst:.1e} of the energy is unexplained in a step");
    simulation
}

/// Impulses of the step, row by row.
fn impulses<'f>(frame: &'f Observation<'_>) -> &'f [f64] {
    &frame.log.constraints.impulse
}

/// A bar of steel, one metre long, hits a wall at 2 m/s.
fn bar(cells: usize, step_size: f64) -> String {
    format!(
        r#"
[[mesh]]
name = "bar"
shape = "line"
from = [0, 0, 0]
to = [1, 0, 0]
cells = {cells}
[[system.elastic]]
name = "bar"
mesh = "bar"
material = {{ type = "bar-line", young = 2e11, density = 8000, area = 1e-4 }}
velocity = [-2, 0, 0]
[[constraint]]
name = "wall"
gap = "bar.x0"
law = "plastic"
[law.plastic]
type = "newton-impact"
[run]
end = 6e-4
step_size = {step_size}
"#
    )
}

#[test]
fn a_wave_keeps_a_bar_at_the_wall_for_twice_its_travel() {
    // c = 5000 m/s: contact lasts 2 L/c = 0.4 ms with E A v/c = 8 kN, and then the bar flies away with its velocity.
    let (mut last, mut impulse) = (0.0, 0.0);
    let mut middle = (0.0, 0u32);
    let end = play(&bar(200, 1e-6), |frame| {
        let p: f64 = impulses(frame).iter().sum();
        if p > 0.0 {
            last = frame.after.t;
            impulse += p;
        }
        if (1e-4..3e-4).contains(&frame.after.t) {
            middle = (middle.0 + p, middle.1 + 1);
        }
    });
    assert!((last - 4e-4).abs() < 1.2e-5, "the contact ends at {last}");
    let force = middle.0 / (f64::from(middle.1) * 1e-6);
    assert!((force / 8000.0 - 1.0).abs() < 0.01, "force {force} N");
    // 2 m v: all the energy is in the flight again, but for the waves that a mesh leaves behind.
    assert!((impulse / (2.0 * 0.8 * 2.0) - 1.0).abs() < 0.01, "impulse {impulse}");
    let mean = end.state.v.iter().sum::<f64>() / end.state.v.len() as f64;
    assert!((mean - 2.0).abs() < 0.03, "it flies away with {mean} m/s");
}

#[test]
fn a_cantilever_comes_to_rest_where_statics_has_it() {
    let text = r#"
[world]
gravity = [0, 0]
[[mesh]]
name = "beam"
shape = "line"
from = [0, 0]
to = [1.5, 0]
cells = 4
[[system.elastic]]
name = "beam"
mesh = "beam"
material = { type = "beam-plane", young = 2.1e11, density = 7800, area = 2.4e-3, inertia = 3.2e-7 }
damping = [40, 1e-3]
fixed = [{ group = "start" }]
load = [{ group = "end", force = [0, -1000] }]
[run]
end = 2
step_size = 1e-3
"#;
    let end = play(text, |_| {});
    let exact = -1000.0 * 1.5f64.powi(3) / (3.0 * 2.1e11 * 3.2e-7);
    let tip = end.state.q[4 * 3 + 1];
    assert!((tip / exact - 1.0).abs() < 1e-6, "{tip} m for {exact}");
}

/// A block of rubber on a rough floor, pressed by 2 kPa and dragged by 1.5 kPa.
fn block(friction: f64, drag: &str) -> String {
    format!(
        r#"
[world]
gravity = [0, -9.81]
[[mesh]]
name = "block"
shape = "rectangle"
size = [0.2, 0.1]
cells = [8, 4]
cell = "quad4"
[[system.elastic]]
name = "block"
mesh = "block"
material = {{ type = "plane-strain", young = 5e6, poisson = 0.3, density = 1200 }}
damping = [0, 1e-3]
load = [{{ group = "top", pressure = 2000 }}, {{ group = "top", traction = ["{drag}", 0] }}]
contact = [{{ group = "bottom", with = "floor", law = "rough" }}]
[[body]]
name = "floor"
shape = {{ type = "half-plane", normal = [0, 1] }}
fixed = true
[law.rough]
type = "coulomb"
friction = {friction}
[run]
end = 0.2
step_size = 5e-4
"#
    )
}

/// Mean velocity along x of nodes of a rectangle, weighed by what they carry: corners ¼, edges ½ of a cell.
fn mean_velocity(v: &[f64], [nx, ny]: [usize; 2]) -> f64 {
    let mut sum = 0.0;
    for j in 0..=ny {
        for i in 0..=nx {
            let share = |k: usize, n: usize| if k == 0 || k == n { 0.5 } else { 1.0 };
            sum += share(i, nx) * share(j, ny) * v[2 * (j * (nx + 1) + i)];
        }
    }
    sum / (nx * ny) as f64
}

#[test]
fn a_block_sticks_and_slides_as_a_rigid_one() {
    // m = 24 kg, N = m g + 400 N, F = 300 N. What holds is loaded slowly: struck at once, its waves would make it slip.
    let normal = 24.0 * 9.81 + 400.0;
    let held = play(&block(0.5, "1500*min(1, 10*t)"), |_| {});
    assert!(mean_velocity(&held.state.v, [8, 4]).abs() < 1e-3, "μ N = 318 N hold it");
    let slides = play(&block(0.3, "1500"), |_| {});
    let exact = 0.2 * (300.0 - 0.3 * normal) / 24.0;
    let found = mean_velocity(&slides.state.v, [8, 4]);
    // The momentum that its own waves carry: they take some per cent of a slip that has hardly begun.
    assert!((found / exact - 1.0).abs() < 0.02, "{found} m/s for {exact}");
}

#[test]
fn a_block_and_a_free_disc_exchange_their_momentum() {
    let text = r#"
[world]
gravity = [0, 0]
[[mesh]]
name = "block"
shape = "rectangle"
corner = [-0.1, 0]
size = [0.2, 0.1]
cells = [10, 5]
cell = "triangle3"
[[system.elastic]]
name = "block"
mesh = "block"
material = { type = "plane-stress", young = 1e7, poisson = 0.3, density = 1000, thickness = 0.5 }
mass = "lumped"
contact = [{ group = "top", with = "disc", law = "rough" }]
[[body]]
name = "disc"
shape = { type = "ball", radius = 0.05 }
mass = 3
position = [0.01, 0.1505]
velocity = [0.3, -1]
[contact]
default = { friction = 0 }
[law.rough]
type = "coulomb"
friction = 0.4
[run]
end = 0.02
step_size = 2e-5
"#;
    let mut most = 0.0f64;
    let end = play(text, |frame| most = most.max(impulses(frame).iter().sum::<f64>()));
    assert!(most > 0.0, "they meet");
    // 66 nodes of 2 coordinates, then the disc: 10 kg and 3 kg.
    let v = &end.state.v;
    assert_eq!(v.len(), 2 * 66 + 3);
    assert!(v[133] > 0.0, "the disc rebounds: {}", v[133]);
    let mut momentum = [3.0 * v[132], 3.0 * v[133]];
    // Triangles whose halves alternate: a node has a third of the area of those around it.
    let elastic = nonsmooth_elements::mesh::generate::rectangle(
        glam::DVec3::new(-0.1, 0.0, 0.0),
        [0.2, 0.1],
        [10, 5],
        nonsmooth_elements::mesh::generate::Blocks::Split,
    );
    for element in elastic.body() {
        let mass = 10.0 / 100.0 / 3.0;
        for &a in &element.nodes {
            momentum[0] += mass * v[2 * a as usize];
            momentum[1] += mass * v[2 * a as usize + 1];
        }
    }
    for (found, exact) in momentum.iter().zip([0.9, -3.0]) {
        assert!((found - exact).abs() < 1e-10, "{momentum:?}");
    }
}

/// Two blocks on each other with meshes that do not match; the lower one is held, the upper one pressed and dragged.
fn two_blocks(drag: f64) -> String {
    format!(
        r#"
[world]
gravity = [0, 0]
[[mesh]]
name = "low"
shape = "rectangle"
corner = [-0.1, -0.1]
size = [0.6, 0.1]
cells = [13, 3]
[[mesh]]
name = "high"
shape = "rectangle"
size = [0.2, 0.1]
cells = [7, 4]
cell = "triangle3"
[[system.elastic]]
name = "low"
mesh = "low"
material = {{ type = "plane-strain", young = 2e7, poisson = 0.3, density = 1000 }}
damping = [20, 1e-3]
fixed = [{{ group = "bottom" }}]
[[system.elastic]]
name = "high"
mesh = "high"
material = {{ type = "plane-strain", young = 2e7, poisson = 0.3, density = 1000 }}
damping = [0, 1e-3]
load = [{{ group = "top", pressure = 1e4 }}, {{ group = "top", traction = [{drag}, 0] }}]
contact = [{{ group = "bottom", with = "low.top", law = "rough" }}]
[law.rough]
type = "coulomb"
friction = 0.3
[run]
end = 0.05
step_size = 1e-4
"#
    )
}

#[test]
fn two_blocks_slide_along_each_other_at_friction_times_the_load() {
    // N = 2 kN, μ N = 600 N; the drag is 400 N, then 1000 N on 20 kg.
    let held = play(&two_blocks(2e3), |_| {});
    let high = held.state.v.len() - 2 * 40;
    assert!(mean_velocity(&held.state.v[high..], [7, 4]).abs() < 1e-3);
    let mut pressed = 0.0;
    let slides = play(&two_blocks(5e3), |frame| {
        // One tangent each: the normal impulses are every other entry.
        pressed = impulses(frame).iter().step_by(2).sum::<f64>() / 1e-4;
    });
    assert!((pressed / 2000.0 - 1.0).abs() < 0.01, "{pressed} N press");
    let exact = 0.05 * (1000.0 - 600.0) / 20.0;
    let found = mean_velocity(&slides.state.v[high..], [7, 4]);
    assert!((found / exact - 1.0).abs() < 0.03, "{found} m/s for {exact}");
}

#[test]
fn a_whipping_beam_meets_its_post_and_never_passes_it() {
    let (mut impacts, mut deepest, mut fastest) = (0, 0.0f64, 0.0f64);
    play_loaded(scene("beam-stop.toml", &[]), |frame| {
        // The post ends 10 mm below the beam; of 24 cells node 24 is the end, y is the second of three.
        let (y, v) = (frame.after.q[24 * 3 + 1], frame.before.v[24 * 3 + 1]);
        deepest = deepest.min(y + 0.01);
        fastest = fastest.max(-v);
        impacts += usize::from(impulses(frame).iter().any(|p| *p > 0.0) && v < -0.1);
    });
    assert!(impacts >= 3, "{impacts} impacts");
    // A velocity law finds the contact up to v h late.
    assert!(deepest > -1e-4 * fastest, "{deepest} m at {fastest} m/s");
}

#[test]
fn wrong_elastic_bodies_are_refused_at_their_place() {
    let good = block(0.3, "1500");
    assert!(from_text(&good).is_ok());
    let cases = [
        ("cells = [8, 4]", "cells = [8, 0]", "cells are whole numbers ≥ 1"),
        ("cells = [8, 4]", "cells = [8]", "needs 2 numbers, got 1"),
        (
            "cell = \"quad4\"",
            "cell = \"hex8\"",
            "`hex8` is no cell of this shape; there are quad4, quad8",
        ),
        ("size = [0.2, 0.1]", "size = [0.2, -0.1]", "a side must be > 0, got -0.1"),
        ("size = [0.2, 0.1]", "radii = [0, 1]", "`radii` has no meaning here"),
        ("size = [0.2, 0.1]", "file = \"a.msh\"", "a mesh has a `shape` or a `file`"),
        ("size = [0.2, 0.1]", "size = [0.2, 0.1]\ngrading = [1]", "needs 2 numbers, got 1"),
        (
            "size = [0.2, 0.1]",
            "size = [0.2, 0.1]\ngrading = [1, 0]",
            "the last cell by the first is between 1e-6 and 1e6, got 0",
        ),
        ("mesh = \"block\"", "mesh = \"blok\"", "no mesh `blok`, did you mean `block`?"),
        ("young = 5e6, ", "", "`plane-strain` needs `young`"),
        ("poisson = 0.3", "poisson = 0.5", "`poisson` must be a number in [-0.999, 0.4999]"),
        ("\"plane-strain\"", "\"beam-plane\"", "`beam-plane` has no option `poisson`"),
        ("damping = [0, 1e-3]", "damping = [0, -1e-3]", "damping must not drive"),
        (
            "group = \"bottom\"",
            "group = \"botom\"",
            "the mesh has no group `botom`, did you mean `bottom`?",
        ),
        ("with = \"floor\"", "with = \"flor\"", "no body `flor`, did you mean `floor`?"),
        ("law = \"rough\"", "law = \"ruff\"", "no law `ruff`; the scene has rough"),
        ("pressure = 2000", "pressure = 2000, force = [1, 0]", "a load is one of"),
        ("traction = [\"1500\", 0]", "traction = [1500]", "needs 2 numbers, one for each direction"),
        ("gravity = [0, -9.81]", "gravity = [0, -9.81, 0]", "half-plane"),
    ];
    for (from, to, expected) in cases {
        assert!(good.contains(from), "{from}");
        let mistakes = mistakes_of(&good.replacen(from, to, 1));
        let texts: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        assert!(texts.iter().any(|text| text.contains(expected)), "{to}: {texts:#?}");
    }
}
