//! One slip is one mistake, at its own place, whatever else depends on what is wrong.

use crate::{from_text, mistakes_of};

const GOOD: &str = r#"title = "Good"

[world]
gravity = [0, 0, -9.81]

[[body]]
name = "arm"
shape = { type = "box", size = [1, 0.1, 0.1] }
density = 700
position = [0.5, 0, 2]

[[body]]
name = "ground"
shape = { type = "half-space", normal = [0, 0, 1] }
fixed = true

[[joint]]
name = "hinge"
type = "revolute"
between = [{}, { body = "arm" }]
at = [0, 0, 2]
axis = [0, 1, 0]
axes = [{ motor = { torque = "-lean" } }]

[[spring]]
between = [{ point = [0, 0, 3] }, { body = "arm" }]
stiffness = 10

[expressions]
lean = "2*hinge.angle"

[law.rough]
type = "coulomb"
friction = 0.4

[contact]
default = { law = "rough" }

[run]
end = 0.1
step_size = 0.01
"#;

/// What stands in place of what, the text that is underlined, and words of the message.
type Slip = (&'static str, &'static str, &'static str, &'static [&'static str]);

#[rustfmt::skip]
const SLIPS: &[Slip] = &[
    ("axis = [0, 1, 0]", "axis = [0, 0, 0]", "[0, 0, 0]", &["its axis has length zero"]),
    ("axis = [0, 1, 0]", "axis = [0, 1e200, 0]", "[0, 1e200, 0]", &["has no finite length; give a direction"]),
    ("[{}, { body = \"arm\" }]", "[{ body = \"arm\" }, { body = \"arm\" }]", "[{ body = \"arm\" }, { body = \"arm\" }]", &["it joins a body to itself"]),
    ("[{}, { body = \"arm\" }]", "[{}, { body = \"ground\" }]", "[{}, { body = \"ground\" }]", &["neither of its sides moves"]),
    ("axes = [{ motor", "axes = [{ stop = [1, -1], motor", "[1, -1]", &["are out of order"]),
    ("friction = 0.4", "friction = 0.4\nstiffnes = 3", "stiffnes", &["unknown key `stiffnes`; allowed here: facets, friction, restitution, tangential_restitution, type"]),
    ("friction = 0.4", "frictoin = 0.4", "frictoin", &["unknown key `frictoin`, did you mean `friction`?"]),
    ("type = \"coulomb\"\nfriction = 0.4", "type = \"bilateral\"", "\"bilateral\"", &["law `rough` is not one of contacts between bodies", "such as coulomb"]),
    ("stiffness = 10\n", "", "[[spring]]", &["a spring without `stiffness` and `damping` does nothing"]),
    ("hinge.angle", "hinge.travel", "hinge.travel", &["no name `hinge.travel`"]),
];

#[test]
fn one_slip_is_one_mistake_at_its_place() {
    assert!(from_text(GOOD).is_ok(), "the good scene is good");
    for (good, wrong, place, words) in SLIPS {
        assert_eq!(GOOD.matches(good).count(), 1, "{good}");
        let text = GOOD.replace(good, wrong);
        let found = mistakes_of(&text);
        let [mistake] = &found[..] else { panic!("{wrong}: {found:?}") };
        assert_eq!(&text[mistake.span.clone()], *place, "{wrong}: {mistake:?}");
        words.iter().for_each(|words| assert!(mistake.message.contains(words), "{wrong}: {mistake:?}"));
    }
}
