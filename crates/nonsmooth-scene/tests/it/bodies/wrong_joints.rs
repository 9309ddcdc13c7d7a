//! Bad joints, axes, motors, expressions and springs: small edits of good scenes, each with the place and the words of the message.

use crate::{complaint, from_text, mistakes_of};
use nonsmooth_scene::line_column;

/// A robot in space: a hinge with stop, spring and motor to the world, a slider to a kinematic body, a chain of copies.
pub const SPACE: &str = r#"title = "Joints in space"

[parameters]
n = 3
k = 2

[world]
gravity = [0, 0, -9.81]

[expressions]
lift = "arm.z - 1"
pull = "-5*lift - arm.v_z"

[[body]]
name = "arm"
shape = { type = "box", size = [1, 0.1, 0.1] }
density = 700
position = [0.5, 0, 2]

[[body]]
name = "sledge"
shape = { type = "box", size = [0.2, 0.2, 0.2] }
mass = 3
position = [0, 3, 1]

[[body]]
name = "rail"
motion = { position = [0, 3, "1 + 0*t"] }

[[body]]
name = "link"
repeat = "n + 1"
shape = { type = "ball", radius = 0.05 }
mass = 0.1
position = ["0.2*i", -3, 1]

[[joint]]
name = "hinge"
type = "revolute"
between = [{}, { body = "arm" }]
at = [0, 0, 2]
axis = [0, 1, 0]
axes = [{ stop = [-0.5, 0.6], restitution = 0.3, stiffness = 4, damping = 0.5, rest = 0.1, motor = { torque = "pull" } }]

[[joint]]
name = "slide"
type = "prismatic"
between = [{ body = "rail" }, { body = "sledge" }]
at = [0, 3, 1]
axis = [0, 0, "k"]
axes = [{ stiffness = 10, motor = { force = "2*sin(t)" } }]

[[joint]]
name = "chain"
type = "spherical"
repeat = "n"
between = [{ body = "link[i]" }, { body = "link[i + 1]" }]
at = ["0.2*i + 0.1", -3, 1]
collide = false

[[spring]]
name = "string"
between = [{ body = "arm", point = [0.5, 0, 0] }, { point = [1, 0, 4] }]
stiffness = 20
damping = 1
rest_length = 1.5

[contact]
default = { friction = 0.2, restitution = 0.1 }

[run]
end = 0.05
step_size = 0.005
"#;

/// The same in the plane, much smaller.
pub const PLANE: &str = r#"title = "Joints in the plane"

[world]
gravity = [0, -9.81]

[[body]]
name = "crank"
shape = { type = "box", size = [1, 0.1] }
density = 7
position = [0.5, 0]

[[body]]
name = "piston"
shape = { type = "box", size = [0.2, 0.2] }
mass = 3
position = [3, 0]

[[joint]]
name = "hinge"
type = "revolute"
between = [{}, { body = "crank" }]
at = [0, 0]
axes = [{ stop = [-3, 3] }]

[[joint]]
name = "guide"
type = "prismatic"
between = [{}, { body = "piston" }]
at = [3, 0]
axis = [1, 0]

[contact]
default = { friction = 0.2 }

[run]
end = 0.05
step_size = 0.005
"#;

/// What is replaced by what, the text at which that is reported, and words of the message: what is wrong, and a remedy.
pub(super) type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

#[rustfmt::skip]
const SIDES: &[Case] = &[
    ("between = [{}, { body = \"arm\" }]", "between = [{ body = \"arm\" }, { body = \"arm\" }]", "[{ body = \"arm\" }, { body = \"arm\" }]", &["joint `hinge`: it joins a body to itself", "leave one out for the world"]),
    ("between = [{}, { body = \"arm\" }]", "between = [{}, { body = \"amr\" }]", "\"amr\"", &["no body `amr`, did you mean `arm`?", "there are"]),
    ("between = [{}, { body = \"arm\" }]", "between = [{}, {}]", "[{}, {}]", &["it joins a body to itself", "name two different ones"]),
    ("between = [{}, { body = \"arm\" }]", "between = [{}, { body = \"rail\" }]", "[{}, { body = \"rail\" }]", &["neither of its sides moves; one of them must be a body"]),
    ("between = [{}, { body = \"arm\" }]", "between = [{ body = \"arm\" }]", "[{ body = \"arm\" }]\nat", &["a joint has two sides, got 1"]),
    ("between = [{}, { body = \"arm\" }]", "between = [{}, {}, { body = \"arm\" }]", "[{}, {}, {", &["a joint has two sides, got 3"]),
    ("between = [{}, { body = \"arm\" }]", "between = [{}, { bodi = \"arm\" }]", "bodi", &["unknown key `bodi`, did you mean `body`?"]),
    ("between = [{}, { body = \"arm\" }]", "between = [{}, { body = 3 }]", "3 }]", &["`body` must be a text"]),
    ("{ body = \"link[i]\" }", "{ body = \"link\" }", "\"link\" }", &["`link` is repeated: say which, `link[0]` to `link[3]`"]),
    ("{ body = \"link[i + 1]\" }", "{ body = \"link[i + 2]\" }", "\"link[i + 2]\"", &["there is no `link[4]`: indices go from 0 to 3"]),
    ("{ body = \"link[i + 1]\" }", "{ body = \"link[i]\" }", "[{ body = \"link[i]\" }, { body = \"link[i]\" }]", &["joint `chain[0]`: it joins a body to itself"]),
    ("{ body = \"link[i]\" }", "{ body = \"link[j]\" }", "link[j]", &["no name `j`"]),
    ("{ body = \"arm\" }]\nat", "{ body = \"arm[0]\" }]\nat", "\"arm[0]\"", &["`arm` is not repeated: leave out the index"]),
    ("name = \"slide\"", "name = \"hinge\"", "\"hinge\"\ntype = \"prismatic\"", &["there are two joints with this name; give each its own"]),
    ("name = \"slide\"", "name = \"2nd\"", "\"2nd\"", &["is not a name: letters, digits and _"]),
    ("type = \"revolute\"", "type = \"revolut\"", "\"revolut\"", &["no \"revolut\", did you mean \"revolute\"?"]),
    ("type = \"revolute\"", "type = \"hinge\"", "\"hinge\"\nbetween", &["no \"hinge\"", "one of \"revolute\", \"spherical\", \"prismatic\", \"fixed\""]),
    ("type = \"revolute\"\n", "", "[[joint]]\nname = \"hinge\"", &["key `type` is missing"]),
    ("collide = false", "collide = \"no\"", "\"no\"", &["`collide` must be true or false, got a text"]),
    ("collide = false", "colide = false", "colide", &["unknown key `colide`, did you mean `collide`?"]),
    ("repeat = \"n\"\nbetween", "repeat = -1\nbetween", "-1\nbetween", &["`repeat` must be a whole number from 1 to 10⁷, got -1"]),
];

#[rustfmt::skip]
const PLACES: &[Case] = &[
    ("axis = [0, 1, 0]", "axis = [0, 0, 0]", "[0, 0, 0]", &["its axis has length zero; give a direction"]),
    ("axis = [0, 1, 0]", "axis = [0, 1]", "[0, 1]", &["must have 3 numbers, has 2; the scene is in space"]),
    ("axis = [0, 1, 0]", "axis = [0, 1, 0, 0]", "[0, 1, 0, 0]", &["must have 3 numbers, has 4"]),
    ("axis = [0, 1, 0]", "axis = [0, nan, 0]", "nan", &["must be finite, got NaN"]),
    ("axis = [0, 1, 0]", "axis = [0, inf, 0]", "inf", &["must be finite, got inf"]),
    ("axis = [0, 1, 0]", "axis = [0, \"1/0\", 0]", "\"1/0\"", &["must be finite, but it is inf"]),
    ("axis = [0, 1, 0]\n", "", "[[joint]]\nname = \"hinge\"", &["a revolute joint needs the direction of its axis: axis = [0, 0, 1], for one"]),
    ("axis = [0, 0, \"k\"]", "axis = [0, 0, \"kk\"]", "kk", &["no name `kk`; did you mean `k`?"]),
    ("collide = false", "axis = [0, 0, 1]", "[0, 0, 1]\n\n[[spring]]", &["a spherical joint has no axis of its own here", "leave it out"]),
    ("at = [0, 0, 2]", "at = [0, 0]", "[0, 0]", &["must have 3 numbers, has 2"]),
    ("at = [0, 0, 2]", "at = [0, 0, nan]", "nan", &["must be finite, got NaN"]),
    ("at = [0, 0, 2]", "at = 2", "2\naxis", &["`at` must be a list, got a whole number"]),
    ("at = [0, 0, 2]\n", "", "[[joint]]\nname = \"hinge\"", &["key `at` is missing"]),
    ("at = [0, 0, 2]", "at = [0, 0, \"t\"]", "t\"]\naxis", &["no name `t`"]),
    ("position = [0.5, 0, 2]", "position = [0.5, 0, 2]\nvelocity = [0, 0, 1]", "[{}, { body = \"arm\" }]", &["the velocities at the start violate it", "run.allow_initial_violation = true"]),
    ("position = [0.5, 0, 2]", "position = [0.5, 0, 2]\nangular_velocity = [0, 0, 1]", "[{}, { body = \"arm\" }]", &["the velocities at the start violate it"]),
];

#[rustfmt::skip]
const AXES: &[Case] = &[
    ("stop = [-0.5, 0.6]", "stop = [0.6, -0.5]", "[0.6, -0.5]", &["its stops [0.6, -0.5] are out of order; give the lower one first"]),
    ("stop = [-0.5, 0.6]", "stop = [0.1, 0.6]", "[0.1, 0.6]", &["are violated at the start, where the axis is at 0", "shift the stops"]),
    ("stop = [-0.5, 0.6]", "stop = [0.6]", "[0.6]", &["a stop has a lower and an upper end, got 1 numbers"]),
    ("stop = [-0.5, 0.6]", "stop = [-0.5, nan]", "nan", &["must be finite, got NaN"]),
    ("stop = [-0.5, 0.6]", "stop = [-0.5, \"1/0\"]", "\"1/0\"", &["must be finite, but it is inf"]),
    ("restitution = 0.3, ", "restitution = 1.3, ", "1.3", &["its restitution must lie between 0 and 1, got 1.3"]),
    ("restitution = 0.3, ", "restitution = -0.1, ", "-0.1,", &["its restitution must lie between 0 and 1, got -0.1"]),
    ("stop = [-0.5, 0.6], restitution", "restitution", "0.3, stiff", &["without a `stop`, `restitution` has no meaning; leave it out"]),
    ("stiffness = 4", "stiffness = -4", "-4", &["its stiffness must be ≥ 0 and finite, got -4"]),
    ("stiffness = 4", "stiffness = nan", "nan", &["must be finite, got NaN"]),
    ("damping = 0.5", "damping = -0.5", "-0.5, rest", &["its damping must be ≥ 0 and finite, got -0.5"]),
    ("damping = 0.5", "damping = inf", "inf", &["must be finite, got inf"]),
    ("rest = 0.1", "rest = nan", "nan", &["must be finite, got NaN"]),
    ("rest = 0.1", "friction = -0.1", "-0.1, motor", &["its friction must be ≥ 0 and finite, got -0.1"]),
    ("rest = 0.1, motor = { torque = \"pull\" }", "friction = 0.1, motor = { velocity = 1 }", "{ velocity = 1 }", &["take the motor by force or torque and the friction out"]),
    ("motor = { torque = \"pull\" }", "motor = { torque = \"pull\", velocity = 1 }", "\"pull\", velocity", &["a motor has one of these; leave `torque` or `velocity` out"]),
    ("motor = { torque = \"pull\" }", "motor = { torque = \"hinge.agle\" }", "hinge.agle", &["no name `hinge.agle`; did you mean `hinge.angle`?"]),
    ("rest = 0.1", "rset = 0.1", "rset", &["unknown key `rset`, did you mean `rest`?"]),
    ("motor = { torque = \"pull\" }", "motor = { torque = \"pulll\" }", "pulll", &["no name `pulll`; did you mean `pull`?"]),
    ("motor = { torque = \"pull\" }", "motor = { force = \"pull\" }", "\"pull\" }", &["this axis takes a `torque`, not a `force`"]),
    ("motor = { torque = \"pull\" }", "motor = { }", "{ } }]", &["a motor of this axis needs a `torque`"]),
    ("motor = { torque = \"pull\" }", "motor = { torque = nan }", "nan", &["must be finite, got NaN"]),
    ("motor = { torque = \"pull\" }", "motor = { torque = inf }", "inf", &["must be finite, got inf"]),
    ("motor = { torque = \"pull\" }", "motor = \"pull\"", "\"pull\" }]", &["`motor` must be a table, got a text"]),
    ("motor = { force = \"2*sin(t)\" }", "motor = { torque = \"2*sin(t)\" }", "\"2*sin(t)\"", &["this axis takes a `force`, not a `torque`"]),
    ("axes = [{ stiffness = 10", "axes = [{}, { stiffness = 10", "[{}, { stiffness = 10", &["a prismatic joint has 1 free axes that take entries, got 2"]),
    ("axes = [{ stiffness = 10, motor = { force = \"2*sin(t)\" } }]", "axes = { stiffness = 10 }", "{ stiffness = 10 }", &["`axes` must be a list, got a table"]),
];

#[rustfmt::skip]
const EXPRESSIONS: &[Case] = &[
    ("lift = \"arm.z - 1\"", "lift = \"arm.z - lift\"", "lift\"\npull", &["`lift` has no value: expressions refer to each other in a circle"]),
    ("lift = \"arm.z - 1\"", "lift = \"arm.z - pull\"", "pull\"\npull", &["`pull` has no value: expressions refer to each other in a circle"]),
    ("lift = \"arm.z - 1\"", "lift = \"a1\"\na1 = \"a2\"\na2 = \"lift\"", "a1\"\na1", &["`a1` has no value: expressions refer to each other in a circle"]),
    ("lift = \"arm.z - 1\"", "lift = \"arm.w - 1\"", "arm.w", &["no name `arm.w`"]),
    ("lift = \"arm.z - 1\"", "lift = \"amr.z - 1\"", "amr.z", &["no name `amr.z`"]),
    ("lift = \"arm.z - 1\"", "lift = nan", "nan", &["must be finite, got NaN"]),
    ("lift = \"arm.z - 1\"", "lift = [1]", "[1]", &["`lift` must be a number or a text or formula in quotes, got a list"]),
    ("lift = \"arm.z - 1\"", "lift = \"arm.z -\"", "\"\npull", &["the formula ends too early"]),
    ("lift = \"arm.z - 1\"", "lift = \"arm.z - 1\"\nk = 3", "3\npull", &["`k` is a parameter; choose another name"]),
    ("lift = \"arm.z - 1\"", "lift = \"arm.z - 1\"\nsin = 3", "3\npull", &["`sin` has a meaning of its own in formulas; choose another name"]),
    ("lift = \"arm.z - 1\"", "lift = \"arm.z - 1\"\n\"2nd\" = 3", "3\npull", &["`2nd` is not a name"]),
    ("lift = \"arm.z - 1\"", "lift = \"arm.z - 1\"\nlift = 2", "lift = 2", &["duplicate key"]),
    ("lift = \"arm.z - 1\"", "lfit = \"arm.z - 1\"", "lift - arm", &["no name `lift`; did you mean `lfit`?"]),
];

#[rustfmt::skip]
const SPRINGS: &[Case] = &[
    ("stiffness = 20", "stiffness = -20", "-20", &["its stiffness must be ≥ 0 and finite, got -20"]),
    ("stiffness = 20", "stiffness = nan", "nan", &["must be finite, got NaN"]),
    ("damping = 1", "damping = -1", "-1\nrest", &["its damping must be ≥ 0 and finite, got -1"]),
    ("damping = 1", "damping = inf", "inf", &["must be finite, got inf"]),
    ("rest_length = 1.5", "rest_length = -1.5", "-1.5", &["its rest_length must be ≥ 0 and finite, got -1.5"]),
    ("rest_length = 1.5", "rest_lenght = 1.5", "rest_lenght", &["unknown key `rest_lenght`, did you mean `rest_length`?"]),
    ("{ point = [1, 0, 4] }", "{ point = [1, 0] }", "[1, 0]", &["must have 3 numbers, has 2"]),
    ("{ point = [1, 0, 4] }", "{ point = [1, 0, nan] }", "nan", &["must be finite, got NaN"]),
    ("{ point = [1, 0, 4] }", "{ body = \"arm\", point = [1, 0, 4] }", "[{ body = \"arm\", point = [0.5", &["both of its ends are on the same body"]),
    ("rest_length = 1.5", "rest_length = 1.5\n\n[[spring]]\nname = \"string\"\nbetween = [{ body = \"arm\" }, { body = \"sledge\" }]\nstiffness = 1", "\"string\"\nbetween = [{ body = \"arm\" }", &["there are two springs with this name; give each its own"]),
];

#[rustfmt::skip]
const SCHEMES: &[Case] = &[
    ("[run]", "[integrator]\ntype = \"stewart-trinkle\"\n\n[run]", "[integrator]", &["leaves no rebound and cannot honour the restitution", "use restitution 0 or another integrator"]),
    ("[run]", "[integrator]\ntype = \"moreau-paoli\"\n\n[run]", "[integrator]", &["is for frictionless contacts and joints and cannot honour law", "or moreau-jean"]),
    ("[run]", "[integrator]\ntype = \"euler-implicit\"\n\n[run]", "[integrator]", &["integrates free motion and constraints of velocities and cannot honour constraint", "or use moreau-jean"]),
];

#[rustfmt::skip]
const FLAT: &[Case] = &[
    ("at = [0, 0]", "at = [0, 0, 0]", "[0, 0, 0]", &["must have 2 numbers, has 3; the scene is in the plane"]),
    ("at = [0, 0]", "at = [0, 0]\naxis = [0, 0, 1]", "[0, 0, 1]", &["a revolute joint has no axis of its own here (the scene is in the plane", "leave it out"]),
    ("axis = [1, 0]", "axis = [1, 0, 0]", "[1, 0, 0]", &["must have 2 numbers, has 3"]),
    ("axis = [1, 0]", "axis = [0, 0]", "[0, 0]\n\n[contact]", &["its axis has length zero"]),
    ("axis = [1, 0]\n", "", "[[joint]]\nname = \"guide\"", &["a prismatic joint needs the direction of its axis: axis = [1, 0], for one"]),
    ("axes = [{ stop = [-3, 3] }]", "axes = [{}, {}]", "[{}, {}]", &["a revolute joint has 1 free axes that take entries, got 2"]),
    ("size = [1, 0.1]", "size = [1, 0.1, 0.1]", "[1, 0.1, 0.1]", &["must have 2 numbers, has 3"]),
];

pub(super) fn check(good: &str, table: &[Case]) {
    let mut complaints = String::new();
    for &(from, to, at, words) in table {
        let place = |text: &str| line_column(text, text.find(at).expect("the edited scene has it"));
        for words in words {
            complaints += &complaint(good, (from, to), place, words);
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn the_good_scenes_are_good() {
    for text in [SPACE, PLANE] {
        if let Err(error) = from_text(text) {
            panic!("{error}");
        }
    }
}

#[test]
fn wrong_sides_names_and_types() {
    check(SPACE, SIDES);
}

#[test]
fn wrong_places_and_velocities() {
    check(SPACE, PLACES);
}

#[test]
fn wrong_axes_and_motors() {
    check(SPACE, AXES);
}

#[test]
fn wrong_expressions() {
    check(SPACE, EXPRESSIONS);
}

#[test]
fn wrong_springs() {
    check(SPACE, SPRINGS);
}

#[test]
fn laws_that_a_scheme_cannot_honour() {
    check(SPACE, SCHEMES);
}

#[test]
fn wrong_joints_of_the_plane() {
    check(PLANE, FLAT);
}

/// Wrong names and formulas, which are found while the scene is read, beside wrong numbers, which the model finds, beside what is only
/// found when the bodies are laid out.
#[test]
fn mistakes_of_all_stages_are_told_at_once() {
    let edits = [
        ("lift = \"arm.z - 1\"", "lift = \"arm.z - lift\""),
        ("mass = 3", "mass = 3\ninertia = [1, 1, -1]"),
        ("between = [{}, { body = \"arm\" }]", "between = [{ body = \"arm\" }, { body = \"arm\" }]"),
        ("axis = [0, 1, 0]", "axis = [0, 0, 0]"),
        (
            "stop = [-0.5, 0.6], restitution = 0.3, stiffness = 4",
            "stop = [1, -1], restitution = 2, stiffness = -4",
        ),
        ("motor = { force = \"2*sin(t)\" }", "motor = { force = \"2*sine(t)\" }"),
        ("damping = 1\n", "damping = -1\n"),
        ("step_size = 0.005", "step_size = 0"),
    ];
    let text = edits.iter().fold(SPACE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "no {from}");
        text.replacen(from, to, 1)
    });
    let mistakes = mistakes_of(&text);
    let words = [
        "in a circle",
        "symmetric and positive definite",
        "joins a body to itself",
        "length zero",
        "out of order",
        "restitution must lie between 0 and 1",
        "stiffness must be ≥ 0",
        "no function `sine`",
        "damping must be ≥ 0",
        "`step_size` must be > 0",
    ];
    assert_eq!(mistakes.len(), words.len(), "{mistakes:#?}");
    for (mistake, words) in mistakes.iter().zip(words) {
        assert!(mistake.message.contains(words), "{words}: {mistakes:#?}");
    }
    // Velocities that violate one joint, beside a stop of another that is out of order.
    let text = SPACE.replacen("axes = [{ stiffness = 10", "axes = [{ stop = [1, -1], stiffness = 10", 1);
    let text =
        text.replacen("position = [0.5, 0, 2]", "position = [0.5, 0, 2]\nvelocity = [0, 0, 1]", 1);
    let mistakes = mistakes_of(&text);
    assert_eq!(mistakes.len(), 2, "{mistakes:#?}");
}

/// Every number of the scenes in turn as nan, inf and −inf: a mistake at the line of the number, or a scene that is still good; no panic.
#[test]
fn no_number_may_be_nan_or_infinite() {
    let mut refused = 0;
    for good in [SPACE, PLANE] {
        for (start, number) in numbers_of(good) {
            for bad in ["nan", "inf", "-inf"] {
                let text = format!("{}{bad}{}", &good[..start], &good[start + number.len()..]);
                let Err(error) = from_text(&text) else { panic!("{bad} for {number}:\n{text}") };
                let line = line_column(&text, start).0;
                let told = error.to_string();
                assert!(told.contains(&format!("scene.toml:{line}:")), "{bad} for {number}: {told}");
                refused += 1;
            }
        }
    }
    assert!(refused > 150, "{refused}");
}

/// Numbers that stand for themselves in a scene, outside of quotes, with their places.
fn numbers_of(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut quoted, mut start) = (Vec::new(), false, None);
    for (i, c) in text.char_indices() {
        let is_number = c.is_ascii_digit() || c == '.' || c == '-';
        let is_word = |i: usize| text[..i].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match start {
            None if is_number && !quoted && !is_word(i) => start = Some(i),
            Some(begin) if !is_number => {
                found.push((begin, &text[begin..i]));
                start = None;
            }
            _ => {}
        }
        quoted ^= c == '"';
    }
    found
}
