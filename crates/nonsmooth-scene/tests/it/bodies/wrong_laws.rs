//! Bad laws, constraints, tables of contact and expressions: small edits of a good scene, each with the place and the words of the message.

use super::wrong_joints::{Case, check};
use crate::{from_text, mistakes_of};

/// Bodies of two materials, a cart with three constraints, a law with phases, a relay and a law with history.
pub const LAWS: &str = r#"title = "Laws, tables and expressions"

[parameters]
mu = 0.3
n = 4

[world]
gravity = [0, 0, -9.81]

[expressions]
height = "puck.z"
push = "-2*height + sin(t)"

[[body]]
name = "floor"
shape = { type = "half-space", normal = [0, 0, 1] }
material = "stone"
fixed = true

[[body]]
name = "puck"
shape = "round"
material = "ice"
density = 900
position = [0, 0, 0.2]
velocity = [1, 0, 0]
force = ["push", 0, 0]

[[body]]
name = "bead"
repeat = "n"
shape = { type = "ball", radius = 0.05 }
material = "stone"
mass = 0.1
position = ["0.2*i", 2, 0.5]
angular_velocity = [0, 0, 1]
appears_at = "0.1*i"

[shape.round]
type = "ball"
radius = 0.1

[[system.linear]]
name = "cart"
coordinates = ["s", "n1"]
mass = [2, 1]
stiffness = [[4, 0], [0, 4]]
q = [0.5, 0.5]

[[constraint]]
name = "stop"
gap = "s + 1"
law = "hard"

[[constraint]]
name = "rub"
velocity = "v_s - v_n1"
law = "guide"

[[constraint]]
name = "slide"
gap = "n1 - 0.5"
tangents = ["v_s"]
law = "rough"

[law.hard]
type = "poisson"
restitution = 0.4

[law.guide]
type = "relay"
lower = -1
upper = 2

[law.rough]
type = "static-dynamic"
friction_static = 0.5
friction_dynamic = 0.3

[contact]
default = { friction = "mu", restitution = 0.2 }

[[contact.pair]]
between = ["ice", "stone"]
friction = 0.02

[run]
end = 0.02
step_size = 0.005
"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("restitution = 0.4", "restitution = 1.4", "1.4", &["`restitution` must be a number in [0, 1], got 1.4"]),
    ("restitution = 0.4", "restitution = nan", "nan", &["must be finite, got NaN"]),
    ("restitution = 0.4", "restituton = 0.4", "restituton", &["unknown key `restituton`, did you mean `restitution`?"]),
    ("restitution = 0.4", "friction = 0.4", "0.4", &["`poisson` has no option `friction`; it takes restitution"]),
    ("type = \"poisson\"", "type = \"poison\"", "\"poison\"", &["no \"poison\", did you mean \"poisson\"?"]),
    ("type = \"poisson\"\n", "", "[law.hard]", &["key `type` is missing"]),
    ("lower = -1", "lower = 3", "\"guide\"\n\n[[constraint]]\nname = \"slide\"", &["lower must be at most upper, got 3 and 2", "swap them"]),
    ("upper = 2", "upper = inf", "inf", &["must be finite, got inf"]),
    ("lower = -1", "lower = \"x\"", "x\"\nupper", &["no name `x`; known are mu, n, pi"]),
    ("friction_static = 0.5", "friction_static = 0.2", "\"rough\"\n\n[law.hard]", &["friction_dynamic must be at most friction_static, got 0.3 and 0.2"]),
    ("friction_dynamic = 0.3", "friction_dynamic = -0.3", "-0.3", &["`friction_dynamic` must be a number in [0, 1e6], got -0.3"]),
    ("friction_static = 0.5", "friction_static = \"mu + q\"", "q\"\nfriction", &["no name `q`"]),
    ("law = \"hard\"", "law = \"hrad\"", "\"hrad\"", &["no law `hrad`, did you mean `hard`?"]),
    ("law = \"hard\"\n", "", "[[constraint]]\nname = \"stop\"", &["key `law` is missing"]),
    ("law = \"guide\"", "law = \"rough\"", "\"rough\"\n\n[[constraint]]", &["law `rough` has friction, but the constraint has no tangents", "or use newton-impact"]),
    ("law = \"rough\"", "law = \"hard\"", "\"hard\"\n\n[law.hard]", &["law `hard` knows no friction, but the constraint has 1 tangents", "leave them out"]),
    ("law = \"rough\"", "law = \"guide\"", "\"guide\"\n\n[law.hard]", &["law `guide` knows no friction"]),
    ("velocity = \"v_s - v_n1\"", "velocity = \"s - n1\"", "\"s - n1\"", &["depends on no velocity, so no impulse could act on it", "give a `gap`"]),
    ("velocity = \"v_s - v_n1\"", "velocity = \"puck.v_x\"", "\"puck.v_x\"", &["constraints on velocities do not take rigid bodies; give a gap"]),
    ("velocity = \"v_s - v_n1\"", "gap = \"s\"\nvelocity = \"v_s\"", "[[constraint]]\nname = \"rub\"", &["exactly one of `gap` and `velocity`"]),
    ("velocity = \"v_s - v_n1\"\n", "", "[[constraint]]\nname = \"rub\"", &["exactly one of `gap` and `velocity`"]),
    ("gap = \"s + 1\"", "gap = \"1\"", "\"1\"", &["depends on no coordinate, so no impulse could act on it"]),
    ("gap = \"s + 1\"", "gap = \"s - 3\"", "\"s - 3\"", &["the initial state violates the constraint `stop`", "move it, or allow it"]),
    ("gap = \"s + 1\"", "gap = \"v_s\"", "v_s\"\nlaw = \"hard\"", &["no name `v_s`"]),
    ("gap = \"s + 1\"", "gap = \"s + 1/0\"", "\"s + 1/0\"", &["every number must be finite"]),
    ("gap = \"s + 1\"", "gap = \"log(s - 1)\"", "log(", &["no function `log`"]),
    ("tangents = [\"v_s\"]", "tangents = [\"s\"]", "\"s\"]\nlaw = \"rough\"", &["depends on no velocity; give the sliding velocity"]),
    ("height = \"puck.z\"", "height = \"1/0\"", "\"1/0\"", &["must be finite, but it is inf"]),
    ("height = \"puck.z\"", "height = \"puck.z\"\ndeep = \"sqrt(puck.z - 10)\"\nboth = \"2*deep*height\"", "\"sqrt(puck.z - 10)\"", &["`expressions.deep` is NaN at the start, t = 0 s; it must be finite"]),
    ("end = 0.02", "end = 0.002", "0.005", &["a step of 0.005 s is longer than the run, 0.002 s", "take a smaller step or a later `end`"]),
    ("tangents = [\"v_s\"]", "tangents = [\"v_s^2\"]", "\"v_s^2\"", &["a sliding velocity must be linear in the velocities"]),
    ("tangents = [\"v_s\"]", "tangents = []", "\"rough\"\n\n[law.hard]", &["has friction, but the constraint has no tangents"]),
    ("tangents = [\"v_s\"]", "tangents = [\"v_s\", \"v_n1\", \"v_s\"]", "\"rough\"\n\n[law.hard]", &["takes one tangent (in the plane) or two (in space), the constraint has 3"]),
    ("tangents = [\"v_s\"]", "tangents = \"v_s\"", "\"v_s\"\nlaw", &["`tangents` must be a list, got a text"]),
    ("friction = \"mu\"", "friction = -1", "-1, rest", &["`friction` must be a number in [0, 1e6], got -1"]),
    ("friction = \"mu\"", "friction = \"mu*i\"", "i\", rest", &["no name `i`; known are mu, n, pi"]),
    ("friction = 0.02", "friction = nan", "nan", &["must be finite, got NaN"]),
    ("between = [\"ice\", \"stone\"]", "between = [\"ice\", \"stone\", \"ice\"]", "[\"ice\", \"stone\", \"ice\"]", &["`between` names two materials, got 3"]),
    ("friction = 0.02", "friction = 0.02\n\n[[contact.pair]]\nbetween = [\"stone\", \"ice\"]\nfriction = 0.1", "[\"stone\", \"ice\"]", &["the pair `stone` and `ice` is given twice"]),
    ("restitution = 0.2", "restitution = 2", "2 }", &["`restitution` must be a number in [0, 1], got 2"]),
    ("height = \"puck.z\"", "height = \"bead.z\"", "bead.z", &["no name `bead.z`"]),
    ("height = \"puck.z\"", "height = \"bead[9].z\"", "bead[9].z", &["no name `bead[9].z`", "did you mean `bead[0].z`?"]),
    ("height = \"puck.z\"", "height = true", "true", &["must be a number or a text or formula in quotes"]),
    ("sin(t)\"", "sin(t, 2)\"", "sin(t, 2)", &["`sin` takes 1 argument, got 2"]),
    ("sin(t)\"", "((t\"", "(t\"", &["`(` is never closed"]),
    ("\"-2*height + sin(t)\"", "\"\"", "\"\n\n[[body]]\nname = \"floor\"", &["the formula is empty"]),
    ("\"-2*height + sin(t)\"", "\"1e400*height\"", "1e400", &["`1e400` is not a number"]),
    ("force = [\"push\", 0, 0]\n", "", "\"-2*height + sin(t)\"", &["no formula uses `push`; use it, or take it out"]),
    ("force = [\"push\", 0, 0]", "force = [\"push\", 0]", "[\"push\", 0]", &["must have 3 numbers, has 2"]),
    ("radius = 0.1", "radius = -0.1", "[shape.round]", &["radius must be > 0 and finite, got -0.1"]),
    ("appears_at = \"0.1*i\"", "appears_at = \"t\"", "t\"\n", &["no name `t`"]),
    ("repeat = \"n\"", "repeat = \"n + 0.5\"", "\"n + 0.5\"", &["must be a whole number from 1 to 10⁷, got 4.5"]),
    ("mass = 0.1", "mass = \"0.1*i\"", "\"0.1*i\"\nposition", &["`mass` must be > 0, got 0 for i = 0"]),
    ("name = \"cart\"", "name = \"puck\"", "\"puck\"\nshape", &["there are two bodies or systems called `puck`"]),
    ("mass = [2, 1]", "mass = [2, 0]", "[2, 0]", &["must be positive definite: entry (1, 1) is 0"]),
];

#[test]
fn the_good_scene_is_good() {
    if let Err(error) = from_text(LAWS) {
        panic!("{error}");
    }
}

#[test]
fn wrong_laws_constraints_tables_and_expressions() {
    check(LAWS, CASES);
}

/// A wrong shape, a wrong density, a wrong place and a wrong inertia of one body are told at once.
#[test]
fn a_wrong_shape_hides_nothing() {
    let text = LAWS
        .replace("shape = \"round\"", "shape = \"ruond\"")
        .replace("density = 900", "density = -900");
    let text = text.replace("position = [0, 0, 0.2]", "position = [0, 0]");
    let mistakes = mistakes_of(&text);
    let words = [
        "no shape `ruond`, did you mean `round`?",
        "`density` must be > 0, got -900",
        "must have 3 numbers, has 2",
    ];
    for word in words {
        let found = mistakes.iter().filter(|mistake| mistake.message.contains(word)).count();
        assert_eq!(found, 1, "{word}: {mistakes:?}");
    }
    assert_eq!(mistakes.len(), words.len(), "{mistakes:?}");
}

/// One mistake each, however many use the value that is missing; all tangents are judged.
#[test]
fn mistakes_of_expressions_and_tangents_are_told_once_and_all_at_once() {
    let cases: [(&str, &str, &[&str]); 3] = [
        ("height = \"puck.z\"", "height = \"1/0\"", &["must be finite, but it is inf"]),
        (
            "height = \"puck.z\"",
            "height = \"sqrt(puck.z - 10)\"",
            &["`expressions.height` is NaN at the start"],
        ),
        (
            "tangents = [\"v_s\"]",
            "tangents = [\"s\", \"v_s*v_n1\"]",
            &["depends on no velocity", "must be linear in the velocities"],
        ),
    ];
    for (from, to, words) in cases {
        let mistakes = mistakes_of(&LAWS.replace(from, to));
        let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        assert_eq!(messages.len(), words.len(), "{to}: {messages:#?}");
        for word in words {
            assert!(messages.iter().any(|message| message.contains(word)), "{word}: {messages:#?}");
        }
    }
}
