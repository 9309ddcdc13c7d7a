//! Parts that turn too far for small rotations are told in the summary, and nothing is told where they do not.

use crate::from_text;
use nonsmooth::observers::{Noted, Summary};

/// A cantilever of 1 m, its end loaded up to a force [N] along y.
fn cantilever(mesh: &str, material: &str, force: &str) -> String {
    format!(
        r#"
[world]
gravity = [0, 0]
[[mesh]]
name = "beam"
{mesh}
[[system.elastic]]
name = "beam"
mesh = "beam"
material = {material}
damping = [DAMPING, 0]
{force}
[run]
end = 2
step_size = 0.01
[integrator]
type = "moreau-jean"
theta = 1
"#
    )
}

/// What is told of a scene that runs to its end.
fn told(text: &str) -> Vec<Noted> {
    let loaded = from_text(text).unwrap_or_else(|error| panic!("{error}"));
    let (mut simulation, mut summary) = (loaded.simulation, Summary::default());
    simulation.run(loaded.n_steps, &mut [&mut summary]).unwrap_or_else(|error| panic!("{error}"));
    summary.notes
}

#[test]
fn a_part_that_turns_far_is_told_with_its_angle() {
    let line = "shape = \"line\"\nfrom = [0, 0]\nto = [1, 0]\ncells = 10";
    let beam = r#"{ type = "beam-plane", young = 2e11, density = 8000, area = 1e-4, inertia = 1e-10 }"#;
    let plate = "shape = \"rectangle\"\nsize = [1, 0.02]\ncells = [40, 1]\ncell = \"quad8\"";
    let strip =
        r#"{ type = "plane-stress", young = 1.5e8, poisson = 0, density = 1000, thickness = 0.2 }"#;
    let load = |group: &str, force: f64| {
        format!(
            "fixed = [{{ group = \"{group}\" }}]\nload = [{{ group = \"{}\", force = [0, {force}] }}]",
            if group == "start" { "end" } else { "right" }
        )
    };
    // The end turns by F L²/(2 E I), E I = 20 N m².
    // The first mode is damped critically: 2 · 3.516 √(E I/(ρ A)).
    for (mesh, material, group, damping, share) in
        [(line, beam, "start", "35.2", 1e-4), (plate, strip, "left", "15.7", 0.01)]
    {
        for (force, angle) in [(3.9, 0.0975), (-4.4, 0.11), (80.0, 2.0)] {
            let text = cantilever(mesh, material, &load(group, force)).replace("DAMPING", damping);
            let notes = told(&text);
            if angle < 0.1 {
                assert_eq!(notes, [], "{force} N");
                continue;
            }
            assert_eq!(notes.len(), 1, "{force} N: {notes:?}");
            assert!(notes[0].what.contains("turns more than 0.1 rad"), "{notes:?}");
            assert_eq!(notes[0].names, ["beam"]);
            assert!((notes[0].largest / angle - 1.0).abs() < share, "{notes:?} for {angle}");
        }
    }
}

/// A bar across its direction has no stiffness at all: it turns, and that is told as well.
#[test]
fn a_bar_that_swings_is_told() {
    let mesh = "shape = \"line\"\nfrom = [0, 0]\nto = [1, 0]\ncells = 1";
    let bar = r#"{ type = "bar-plane", young = 2e11, density = 8000, area = 1e-4 }"#;
    let rest = "fixed = [{ group = \"start\" }]\nvelocity = [0, 0.5]";
    let notes = told(&cantilever(mesh, bar, rest).replace("damping = [DAMPING, 0]", ""));
    // Held at one end, a bar with a consistent mass has 3/2 of the velocity at the other: (1/6 + 1/3)/(1/3).
    assert!(notes.len() == 1 && (notes[0].largest - 1.5).abs() < 1e-9, "{notes:?}");
}
