//! Bad bodies: small edits of a good scene, each with the place and the words of the message.

use super::GOOD;
use crate::{complaint, from_text, mistakes_of};
use nonsmooth_scene::line_column;

/// What is replaced by what, the text at which that is reported, and words of the message.
type Case = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const MASSES: &[Case] = &[
    ("density = 2000", "density = 0", "0\nposition", "`density` must be > 0, got 0 for i = 0"),
    ("density = 2000", "density = -3", "-3\nposition", "`density` must be > 0, got -3"),
    ("mass = 2", "mass = 0", "0\nposition = [1", "`mass` must be > 0, got 0"),
    ("mass = 2", "mass = -2", "-2\n", "`mass` must be > 0, got -2"),
    ("mass = 2", "mass = 2\ndensity = 7800", "7800", "give `density` or `mass`, not both"),
    ("mass = 2\n", "", "[[body]]\nname = \"ball\"", "needs a `density` or a `mass`; or fix it with `fixed = true`"),
    ("mass = 2", "mass = 2\ninertia = [1, 1]", "[1, 1]", "three diagonal entries or three rows"),
    ("mass = 2", "mass = 2\ninertia = [1, 1, -1]", "[1, 1, -1]", "symmetric and positive definite"),
    ("mass = 2", "mass = 2\ninertia = [1, 1, 2.001]", "[1, 1, 2.001]", "above the sum of the two others, which no body has"),
    ("mass = 2", "mass = 2\ninertia = [[2, 0.9, 0], [0.9, 2, 0], [0, 0, 0.5]]", "[[2, 0.9, 0]", "which no body has"),
    ("mass = 2", "mass = 2\ninertia = 0.1", "0.1\nposition = [1", "three diagonal entries or three rows"),
    ("density = 2000", "density = 2000\ninertia = [1, 1, 1]", "[1, 1, 1]", "`inertia` goes with `mass`"),
    ("mass = 2", "mass = 2\ncentre = [0, 0, 1]", "[0, 0, 1]\nposition", "`centre` goes with `mass` and `inertia`"),
    ("shape = { type = \"ball\", radius = 0.05 }\n", "", "[[body]]\nname = \"ball\"", "`ball` has no shape, so it needs a `mass` and an `inertia`"),
    ("fixed = true", "fixed = true\ndensity = 1", "1\n\n[[body]]", "`floor` is fixed, so `density` has no meaning"),
    ("fixed = true", "motion = { position = [0, 0, \"t\"] }\nvelocity = [0, 0, 1]", "[0, 0, 1]\n\n", "moves as its `motion` says, so `velocity` has no meaning"),
    ("fixed = true", "density = 1", "{ type = \"half-space\"", "`floor` moves, but a half-space has no volume"),
];

#[rustfmt::skip]
const SHAPES: &[Case] = &[
    ("shape = \"brick\"", "shape = \"brik\"", "\"brik\"", "no shape `brik`, did you mean `brick`?; the scene has brick"),
    ("type = \"box\"", "type = \"bxo\"", "\"bxo\"", "no \"bxo\", did you mean \"box\"?"),
    ("type = \"box\"", "type = \"polygon\"", "\"polygon\"", "`polygon` is a shape of the plane, but the scene is in space"),
    ("radius = 0.05 }", "radius = 0.05, length = 1 }", "1 }", "`length` does not go with `ball`, which takes radius"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"ball\" }", "{ type = \"ball\" }", "key `radius` is missing"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"ball\", radius = -1 }", "{ type = \"ball\"", "radius must be > 0 and finite, got -1"),
    ("size = [\"a\", \"a\", 0.1]", "size = [\"a\", \"a\"]", "[\"a\", \"a\"]", "must have 3 numbers, has 2; the scene is in space"),
    ("size = [\"a\", \"a\", 0.1]", "half = [1, 1, 1]\nsize = [\"a\", \"a\", 0.1]", "[shape.brick]", "exactly one of `size` (full sides) and `half`"),
    ("size = [\"a\", \"a\", 0.1]", "size = [\"a\", \"b\", 0.1]", "b\", 0.1", "no name `b`"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"hull\", points = [[0,0,0], [1,0,0], [0,1,0], [1,1,0]] }", "{ type = \"hull\"", "have no extent in some direction"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"hull\", points = [[0,0,0], [1,0,0]] }", "{ type = \"hull\"", "needs at least 4 points, got 2"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"hull\", file = \"nowhere.stl\" }", "\"nowhere.stl\"", "cannot read `nowhere.stl`"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"mesh\", file = \"bouncing-ball.toml\" }", "\"bouncing-ball.toml\"", "cut off or damaged"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"mesh\", vertices = [[0,0,0], [1,0,0], [0,1,0]], triangles = [[0, 1, 2]] }", "{ type = \"mesh\"", "`ball` moves, but the mesh is not closed: 3 open edges"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"mesh\", vertices = [[0,0,0], [1,0,0], [0,1,nan]], triangles = [[0, 1, 2]] }", "nan", "must be finite, got NaN"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"mesh\", vertices = [[0,0,0], [1,0,0], [0,1,0]], triangles = [[0, 1, 3]] }", "{ type = \"mesh\"", "triangle 0 names vertex 3"),
    ("{ type = \"ball\", radius = 0.05 }", "{ type = \"mesh\", vertices = [[0,0,0]], triangles = [[0, 0]] }", "[0, 0]]", "a triangle has three vertices, got 2"),
    ("{ type = \"half-space\", normal = [0, 0, 1] }", "{ type = \"half-space\", normal = [0, 0, 0] }", "{ type = \"half-space\"", "must be finite and not zero"),
    ("{ type = \"half-space\", normal = [0, 0, 1] }", "{ type = \"height-field\", heights = \"x*z\", columns = 3, rows = 3, spacing = 1 }", "z\", columns", "no name `z`"),
    ("{ type = \"half-space\", normal = [0, 0, 1] }", "{ type = \"height-field\", heights = \"1/x\", columns = 3, rows = 3, spacing = 1 }", "\"1/x\"", "the height at x = 0, y = -1 must be finite"),
    ("{ type = \"half-space\", normal = [0, 0, 1] }", "{ type = \"height-field\", heights = \"x\", spacing = 1 }", "{ type = \"height-field\"", "need `columns` and `rows`"),
    ("{ type = \"half-space\", normal = [0, 0, 1] }", "{ type = \"height-field\", heights = [0, 1, 2], columns = 2, rows = 2, spacing = 1 }", "[0, 1, 2]", "3 heights do not fill a grid of 2 columns and 2 rows"),
    ("{ type = \"half-space\", normal = [0, 0, 1] }", "{ type = \"compound\", parts = [{ shape = { type = \"half-space\", normal = [0, 0, 1] } }] }", "{ type = \"compound\"", "part 0 of the compound is itself a compound or a half-space"),
];

#[rustfmt::skip]
const PLACES: &[Case] = &[
    ("position = [1, 0, 1]", "position = [1, 0, 1e300]", "[1, 0, 1e300]", "must be finite and at most 1e12 in size"),
    ("position = [1, 0, 1]", "position = [1, 0]", "[1, 0]", "must have 3 numbers, has 2"),
    ("position = [1, 0, 1]", "position = [1, 0, \"1/0\"]", "\"1/0\"", "must be finite, but it is inf"),
    ("position = [1, 0, 1]", "position = [1, 0, \"i\"]", "i\"]\nvelocity", "no name `i`"),
    ("0.05 + 0.1*i\"]", "0.05 + 0.1*i + 1/(i - 1)\"]", "\"0.05 + 0.1*i + 1", "must be finite, but it is inf for i = 1"),
    ("velocity = [0, 0.5, 0]", "velocity = [0, \"t\", 0]", "t\", 0]", "no name `t`"),
    ("velocity = [0, 0.5, 0]", "orientation = 0.5", "0.5\n\n[[spring]]", "an angle alone turns in the plane"),
    ("velocity = [0, 0.5, 0]", "orientation = { angle = 0.5 }", "{ angle", "needs an `axis`"),
    ("velocity = [0, 0.5, 0]", "orientation = { axis = [0, 0, 0], angle = 0.5 }", "[0, 0, 0]", "the axis must not be zero"),
    ("velocity = [0, 0.5, 0]", "orientation = [1, 0, 0]", "[1, 0, 0]", "a quaternion has four numbers"),
    ("velocity = [0, 0.5, 0]", "orientation = [0, 0, 0, 0]", "[0, 0, 0, 0]", "must not be zero"),
    ("velocity = [0, 0.5, 0]", "angular_velocity = 1", "1\n\n[[spring]]", "must have 3 numbers, has 1"),
    ("velocity = [0, 0.5, 0]", "groups = { member_of = [32] }", "32]", "groups are numbered 0 to 31, got 32"),
    ("gravity = [0, 0, -9.81]", "gravity = [1]", "[1]\n", "gravity has three numbers in space, two in the plane; got 1"),
    ("gravity = [0, 0, -9.81]", "gravity = [0, -9.81]", "[-10, -10, -1]", "must have 2 numbers, has 3; the scene is in the plane"),
    ("low = [-10, -10, -1]", "low = [-10, -10, 20]", "{ low", "the region must have low < high"),
    ("repeat = \"n\"", "repeat = \"n/2\"", "\"n/2\"", "`repeat` must be a whole number"),
    ("0.05 + 0.1*i\"]", "0.05 + 0.09*i\"]", "[\"0.01*i\", 0", "overlap by 1.000000e-2 m at the start"),
    ("position = [1, 0, 1]", "position = [1, 0, 0.03]", "[1, 0, 0.03]", "`floor` and `ball` overlap by 2.000000e-2 m"),
    ("position = [1, 0, 1]", "appears_at = 0.05\nposition = [1, 0, 0.03]", "[1, 0, 0.03]", "when the latter appears at t = 0.05 s"),
];

#[rustfmt::skip]
const NAMES: &[Case] = &[
    ("name = \"ball\"", "name = \"brick\"", "\"brick\"\nshape = { type = \"ball\"", "there are two bodies or systems called `brick`"),
    ("name = \"ball\"", "name = \"2 balls\"", "\"2 balls\"", "is not a name"),
    ("material = \"steel\"", "material = \"steal\"", "\"steal\"", "no material `steal`, did you mean `steel`?"),
    ("between = [\"steel\", \"ground\"]", "between = [\"steel\", \"grond\"]", "\"grond\"", "no material `grond`, did you mean `ground`?"),
    ("between = [\"steel\", \"ground\"]", "between = [\"ground\", \"stone\"]", "[\"ground\", \"stone\"]", "the pair `ground` and `stone` is given twice"),
    ("between = [\"steel\", \"ground\"]", "between = [\"steel\"]", "[\"steel\"]", "`between` names two materials, got 1"),
    ("between = [\"steel\", \"ground\"]", "between = [\"steel\", \"stone\"]", "\"steel\"\nmass", "`ball` and `floor` may meet, but their materials `steel` and `ground` have no law"),
    ("[material.stone]\nfriction = 0.5\n", "", "\"stone\"\ndensity", "`brick[0]` and `brick[1]` may meet, but their materials `stone` and `stone` have no law"),
    ("friction = 0.6", "friction = -0.6", "-0.6", "`friction` must be a number in"),
    ("restitution = 0.4", "restitution = 1.4", "1.4", "`restitution` must be a number in [0, 1], got 1.4"),
    ("friction = 0.3", "facets = 8", "8\n", "without `friction`, `facets` has no meaning"),
    ("{ body = \"ball\",", "{ body = \"bal\",", "\"bal\"", "no body `bal`, did you mean `ball`?"),
    ("{ body = \"ball\",", "{ body = \"brick\",", "\"brick\", point", "`brick` is repeated: say which, `brick[0]` to `brick[2]`"),
    ("{ body = \"ball\",", "{ body = \"brick[3]\",", "\"brick[3]\"", "there is no `brick[3]`: indices go from 0 to 2"),
    ("{ body = \"ball\",", "{ ", "[{", "neither of its ends is on a body"),
    ("stiffness = 100", "stiffness = -100", "-100", "its stiffness must be ≥ 0 and finite, got -100"),
    ("fixed = true", "fixed = true\nmotion = { angle = \"t\", axis = [0, 0, 1] }", "{ angle", "`fixed` or has a `motion`, not both"),
    ("[run]", "[[constraint]]\nname = \"stop\"\ngap = \"ball.w\"\nlaw = \"hit\"\n[law.hit]\ntype = \"newton-impact\"\n[run]", "ball.w", "no name `ball.w`"),
    ("[run]", "[output]\nplot = [\"ball.w\"]\n[run]", "\"ball.w\"", "no coordinate `ball.w`; there are ball."),
];

fn check(table: &[Case]) {
    let complaints = table.iter().map(|&(from, to, at, words)| {
        let place = |text: &str| line_column(text, text.find(at).expect("the edited scene has it"));
        complaint(GOOD, (from, to), place, words)
    });
    let complaints: String = complaints.collect();
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn wrong_masses() {
    check(MASSES);
}

#[test]
fn wrong_shapes() {
    check(SHAPES);
}

#[test]
fn wrong_places() {
    check(PLACES);
}

#[test]
fn wrong_names() {
    check(NAMES);
}

#[test]
fn an_overlap_can_be_allowed() {
    let text = GOOD.replacen("position = [1, 0, 1]", "position = [1, 0, 0.03]", 1);
    assert_eq!(mistakes_of(&text).len(), 1);
    assert!(
        from_text(&text.replacen("end = 0.1", "end = 0.1\nallow_initial_violation = true", 1)).is_ok()
    );
}

#[test]
fn a_mistake_of_all_copies_is_told_once() {
    let text = GOOD.replacen("density = 2000", "density = \"1/0\"", 1);
    assert_eq!(mistakes_of(&text).len(), 1);
    let text = GOOD.replacen("0.05 + 0.1*i", "1e15 + 1e15*i", 1);
    assert_eq!(mistakes_of(&text).len(), 1);
}

#[test]
fn an_open_mesh_may_be_fixed() {
    let mesh = "{ type = \"mesh\", vertices = [[-9,-9,0], [9,-9,0], [0,9,0]], triangles = [[0, 1, 2]] }";
    let text = GOOD.replacen("{ type = \"half-space\", normal = [0, 0, 1] }", mesh, 1);
    if let Err(error) = from_text(&text) {
        panic!("{error}");
    }
}
