//! Joints with a second axis, a second point or an option, in scenes: one good scene, and small edits of it.

use super::wrong_joints::{Case, check};
use crate::from_text;

/// Two shafts with a cross between them, a nut on its thread, a rod, a puck.
const GOOD: &str = r#"title = "Types of joints"

[world]
gravity = [0, 0, -9.81]

[[body]]
name = "input"
shape = { type = "cylinder", radius = 0.1, length = 1 }
mass = 1
position = [0, 0, 0.5]

[[body]]
name = "output"
shape = { type = "cylinder", radius = 0.1, length = 1 }
mass = 1
position = [0, 0, 1.5]

[[body]]
name = "nut"
repeat = 2
shape = { type = "cylinder", radius = 0.1, length = 0.1 }
mass = 1
position = ["2 + i", 0, 0]

[[body]]
name = "puck"
shape = { type = "cylinder", radius = 0.1, length = 0.1 }
mass = 1
position = [5, 0, 0]

[[joint]]
name = "bearing"
type = "revolute"
between = [{}, { body = "input" }]
at = [0, 0, 0]
axis = [0, 0, 1]

[[joint]]
name = "cross"
type = "universal"
between = [{ body = "input" }, { body = "output" }]
at = [0, 0, 1]
axis = [1, 0, 0]
second_axis = [0, 2, 0]
axes = [{ stop = [-1, 1] }, { damping = 0.1 }]

[[joint]]
name = "thread"
type = "screw"
repeat = 2
between = [{}, { body = "nut[i]" }]
at = ["2 + i", 0, 0]
axis = [0, 0, 1]
lead = "0.01*(i + 1)"

[[joint]]
name = "rod"
type = "distance"
between = [{}, { body = "puck" }]
at = [5, 0, 1]
to = [5.05, 0, 0]

[[joint]]
name = "table"
type = "planar"
between = [{}, { body = "puck" }]
at = [5, 0, 0]
axis = [1, 0, 0]

[contact]
default = { friction = 0 }

[run]
end = 0.1
step_size = 0.001
"#;

#[rustfmt::skip]
const WRONG: &[Case] = &[
    ("second_axis = [0, 2, 0]", "second_axis = [1, 2, 0]", "[1, 2, 0]", &["its second axis must be perpendicular to the first; the angle between them is 63.434949°"]),
    ("second_axis = [0, 2, 0]", "second_axis = [0, 0, 0]", "[0, 0, 0]\naxes", &["its axis has length zero"]),
    ("second_axis = [0, 2, 0]\n", "", "[[joint]]\nname = \"cross\"", &["a universal joint needs the direction of its second axis: second_axis = [0, 0, 1], for one"]),
    ("second_axis = [0, 2, 0]", "second_axs = [0, 2, 0]", "second_axs", &["unknown key `second_axs`, did you mean `second_axis`?"]),
    ("axis = [0, 0, 1]\n\n[[joint]]\nname = \"cross\"", "axis = [0, 0, 1]\nsecond_axis = [1, 0, 0]\n\n[[joint]]\nname = \"cross\"", "[1, 0, 0]\n\n[[joint]]", &["a revolute joint has no second axis of its own here", "leave it out"]),
    ("lead = \"0.01*(i + 1)\"", "lead = 0", "\"screw\"", &["its lead is 0: without a lead it neither travels nor stops"]),
    ("lead = \"0.01*(i + 1)\"", "lead = nan", "nan", &["must be finite, got NaN"]),
    ("lead = \"0.01*(i + 1)\"", "leed = 0.01", "leed", &["unknown key `leed`, did you mean `lead`?"]),
    ("axis = [1, 0, 0]\nsecond_axis", "lead = 0.5\naxis = [1, 0, 0]\nsecond_axis", "0.5\naxis", &["`universal` has no option `lead`"]),
    ("to = [5.05, 0, 0]", "to = [5, 0, 1]", "[5, 0, 1]\n\n[[joint]]", &["its two points are the same"]),
    ("to = [5.05, 0, 0]\n", "", "[[joint]]\nname = \"rod\"", &["a distance joint needs its point on the second side: to = [x, y, z]"]),
    ("to = [5.05, 0, 0]", "to = [5.05, 0]", "[5.05, 0]", &["must have 3 numbers, has 2"]),
    ("at = [0, 0, 0]\n", "at = [0, 0, 0]\nto = [1, 0, 0]\n", "[1, 0, 0]\naxis = [0, 0, 1]", &["a revolute joint has one point; leave `to` out"]),
    ("axes = [{ stop = [-1, 1] }, { damping = 0.1 }]", "axes = [{ stop = [-1, 1] }]", "[{ stop = [-1, 1] }]", &["a universal joint has 2 free axes that take entries, got 1"]),
];

/// The same types in the plane: screw and planar joints have no meaning there.
const FLAT: &str = r#"
[world]
gravity = [0, -9.81]

[[body]]
name = "bead"
shape = { type = "ball", radius = 0.1 }
mass = 1
position = [0, 0]

[[joint]]
name = "wire"
type = "point-on-line"
between = [{}, { body = "bead" }]
at = [0, 0]
axis = [3, 4]

[run]
end = 1
step_size = 0.01
"#;

#[rustfmt::skip]
const WRONG_FLAT: &[Case] = &[
    ("type = \"point-on-line\"", "type = \"screw\"", "\"screw\"", &["a screw joint is for bodies in space; these are in the plane"]),
    ("type = \"point-on-line\"", "type = \"planar\"", "\"planar\"", &["a planar joint is for bodies in space; these are in the plane"]),
    ("type = \"point-on-line\"", "type = \"universal\"", "[3, 4]", &["a universal joint has no axis of its own here"]),
];

#[test]
fn joints_are_refused_with_place_and_remedy() {
    check(GOOD, WRONG);
    check(FLAT, WRONG_FLAT);
}

#[test]
fn nuts_of_two_leads_run_down_their_threads() {
    let mut simulation = from_text(GOOD).expect("it is good").simulation;
    let start = simulation.state.q.clone();
    simulation.run(100, &mut []).expect("it runs");
    let (mass, inertia) = (1.0, 0.5 * 0.1 * 0.1);
    for (k, lead) in [(2, 0.01), (3, 0.02)] {
        let p = lead / std::f64::consts::TAU;
        let want = -0.5 * 9.81 / (1.0 + inertia / (mass * p * p)) * 0.01;
        let got = simulation.state.q[7 * k + 2] - start[7 * k + 2];
        assert!((got - want).abs() < 1e-9 * want.abs(), "lead {lead}: {got} {want}");
    }
    if let Err(error) = from_text(FLAT) {
        panic!("{error}");
    }
}
