//! Wrong scenes: small edits of a good one, each with the place and the words of the message.

use crate::{complaint, from_text, mistakes_of, scene_files};
use nonsmooth_scene::{LoadError, Mistake, line_column, load, load_text};
use std::path::PathBuf;

const GOOD: &str = r#"title = "Good"

[parameters]
m = 1.0
g = 9.81
e = 0.5
twice = "2*m"

[[system.linear]]
name = "ball"
coordinates = ["z", "x"]
mass = [["m", 0], [0, "m"]]
load = ["-m*g", 0]
force = ["sin(t)", 0]
q = [1, 0]

[[system.linear]]
name = "plate"
coordinates = ["y"]
mass = "twice"
q = 0
prescribed = { y = "0.1*cos(t)" }

[[system.lagrangian]]
name = "arm"
coordinates = ["a", "b"]
mass = [[2, "cos(a - b)"], ["cos(a - b)", 1]]
potential = "-g*cos(a)"
internal_force = ["0.1*v_a", 0]
q = [0.1, 0.2]

[[constraint]]
name = "floor"
gap = "z - y"
law = "rebound"

[[constraint]]
name = "limit"
gap = "sin(a) + 1"
law = "rebound"

[law.rebound]
type = "newton-impact"
restitution = "e"

[run]
end = 1
step_size = 0.01

[integrator]
type = "moreau-jean"
theta = 0.5

[solver]
type = "auto"

[output]
every = 1
"#;

/// What is replaced by what, and where and how that is reported: line, column, words.
type Case = (&'static str, &'static str, (usize, usize), &'static str);

#[rustfmt::skip]
const KEYS: &[Case] = &[
    ("title =", "titel =", (1, 1), "unknown key `titel`, did you mean `title`?"),
    ("[run]", "[runs]", (46, 2), "unknown key `runs`, did you mean `run`?"),
    ("[[system.linear]]\nname = \"plate\"", "[[system.liner]]\nname = \"plate\"", (17, 10), "unknown key `liner`, did you mean `linear`?"),
    ("load =", "laod =", (13, 1), "unknown key `laod`, did you mean `load`?"),
    ("potential =", "potental =", (28, 1), "unknown key `potental`, did you mean `potential`?"),
    ("gap = \"z - y\"", "gpa = \"z - y\"", (34, 1), "unknown key `gpa`, did you mean `gap`?"),
    ("restitution =", "restituton =", (44, 1), "unknown key `restituton`, did you mean `restitution`?"),
    ("step_size =", "stepsize =", (48, 1), "unknown key `stepsize`, did you mean `step_size`?"),
    ("theta =", "thetta =", (52, 1), "unknown key `thetta`, did you mean `theta`?"),
    ("every =", "evry =", (58, 1), "unknown key `evry`, did you mean `every`?"),
    ("type = \"auto\"", "type = \"auto\"\ntolerence = 1e-8", (56, 1), "unknown key `tolerence`, did you mean `tolerance`?"),
    ("title = \"Good\"", "title = \"Good\"\nzzzzzz = 1", (2, 1), "unknown key `zzzzzz`; allowed here: body, bvp, constraint, "),
    ("mass = \"twice\"\n", "", (17, 1), "key `mass` is missing"),
    ("end = 1\n", "", (46, 1), "run: key `end` is missing"),
    ("mass = \"twice\"", "mass = { file = \"x.mtx\", scal = 2 }", (20, 26), "unknown key `scal`, did you mean `scale`?"),
];

#[rustfmt::skip]
const TYPES: &[Case] = &[
    ("title = \"Good\"", "title = 7", (1, 9), "`title` must be a text"),
    ("m = 1.0", "m = true", (4, 5), "`m` must be a number or a text or formula in quotes, got true or false"),
    ("coordinates = [\"y\"]", "coordinates = 1.5", (19, 15), "`coordinates` must be a list or a whole number, got a number"),
    ("coordinates = [\"y\"]", "coordinates = [1]", (19, 16), "`coordinates[0]` must be a text"),
    ("q = [1, 0]", "q = { z = 1 }", (15, 5), "`q` must be a list or a number"),
    ("every = 1", "every = \"often\"", (58, 9), "`every` must be a whole number, got a text"),
    ("every = 1", "every = 0", (58, 9), "`every` must be at least 1, got 0"),
    ("every = 1", "plots = 1", (58, 9), "`plots` must be true or false, got a whole number"),
    ("end = 1", "end = 2020-01-01", (47, 7), "`end` must be a number or a text or formula in quotes, got a date"),
    ("[run]", "[[run]]", (46, 1), "`run` must be a table, got a list"),
    ("gap = \"z - y\"", "gap = [1]", (34, 7), "`gap` must be a number or a text or formula in quotes, got a list"),
];

#[rustfmt::skip]
const SIZES: &[Case] = &[
    ("q = [1, 0]", "q = [1, 0, 0]", (15, 5), "must have one entry per coordinate (2), has 3"),
    ("load = [\"-m*g\", 0]", "load = [\"-m*g\"]", (13, 8), "must have one entry per coordinate (2), has 1"),
    ("force = [\"sin(t)\", 0]", "force = [0, 0, 0]", (14, 9), "must have one entry per coordinate (2), has 3"),
    ("mass = [[\"m\", 0], [0, \"m\"]]", "mass = [[\"m\", 0]]", (12, 8), "must have one row per coordinate (2), has 1"),
    ("mass = [[\"m\", 0], [0, \"m\"]]", "mass = [[\"m\", 0], [0]]", (12, 19), "must have one entry per coordinate (2), has 1"),
    ("mass = [[\"m\", 0], [0, \"m\"]]", "mass = [\"m\"]", (12, 8), "must have one entry per coordinate (2), has 1"),
    ("internal_force = [\"0.1*v_a\", 0]", "internal_force = [0]", (29, 18), "must have one entry per coordinate (2), has 1"),
    ("q = [0.1, 0.2]", "q = [0.1, 0.2]\nv = [1]", (31, 5), "must have one entry per coordinate (2), has 1"),
    ("mass = \"twice\"", "mass = { file = \"impacting-bar-mass.mtx\" }", (20, 17), "must be 1 × 1, is 100 × 100"),
    ("mass = \"twice\"", "mass = { file = \"nowhere.mtx\" }", (20, 17), "cannot read `nowhere.mtx`"),
    ("mass = \"twice\"", "mass = { file = \"bouncing-ball.toml\" }", (20, 17), "line 1 must read `%%MatrixMarket"),
];

#[rustfmt::skip]
const FORMULAS: &[Case] = &[
    ("twice = \"2*m\"", "twice = \"2*mm\"", (7, 12), "no name `mm`; did you mean `m`?"),
    ("twice = \"2*m\"", "twice = \"2*other\"\nother = \"twice + 1\"", (7, 12), "in a circle"),
    ("twice = \"2*m\"", "twice = \"2*twice\"", (7, 12), "in a circle"),
    ("twice = \"2*m\"", "twice = \"1/0\"", (7, 9), "parameter `twice` must be finite"),
    ("twice = \"2*m\"", "twice = \"2*m\"\npi = 3", (8, 6), "`pi` has a meaning of its own"),
    ("load = [\"-m*g\", 0]", "load = [\"-m*gg\", 0]", (13, 13), "no name `gg`"),
    ("gap = \"z - y\"", "gap = \"z - u\"", (34, 12), "no name `u`"),
    ("gap = \"z - y\"", "gap = \"z -\"", (34, 11), "the formula ends too early"),
    ("gap = \"z - y\"", "gap = \"(z - y\"", (34, 8), "`(` is never closed"),
    ("gap = \"z - y\"", "gap = \"z - y)\"", (34, 13), "`)` closes nothing"),
    ("gap = \"z - y\"", "gap = \"2z - y\"", (34, 9), "missing operator; write 2*z"),
    ("gap = \"z - y\"", "gap = \"z - sine(y)\"", (34, 12), "no function `sine`"),
    ("gap = \"z - y\"", "gap = \"z - sin(y, 1)\"", (34, 12), "`sin` takes 1 argument, got 2"),
    ("gap = \"z - y\"", "gap = \"\"", (34, 8), "the formula is empty"),
    ("gap = \"z - y\"", "gap = \"z - v_y\"", (34, 12), "no name `v_y`"),
    ("gap = \"z - y\"", "gap = \"z - ball[0].x\"", (34, 12), "no name `ball[0].x`"),
    ("force = [\"sin(t)\", 0]", "force = [\"sin(t) + w\", 0]", (14, 20), "no name `w`"),
    ("mass = [[2, \"cos(a - b)\"]", "mass = [[2, \"cos(a - v_b)\"]", (27, 22), "no name `v_b`"),
    ("{ y = \"0.1*cos(t)\" }", "{ y = \"0.1*cos(s)\" }", (22, 29), "no name `s`"),
    ("prescribed = { y =", "prescribed = { yy =", (22, 21), "system `plate` has no coordinate `yy`"),
    ("restitution = \"e\"", "restitution = \"ee\"", (44, 16), "no name `ee`; did you mean `e`?"),
];

#[rustfmt::skip]
const VALUES: &[Case] = &[
    ("[0, \"m\"]]", "[0, 0]]", (12, 8), "must be positive definite: entry (1, 1) is 0"),
    ("m = 1.0", "m = -1.0", (12, 8), "must be positive definite: entry (0, 0) is -1"),
    ("[[\"m\", 0], [0, \"m\"]]", "[[1, 1], [1, 1]]", (12, 8), "must be positive definite: a combination"),
    ("[[\"m\", 0], [0, \"m\"]]", "[[1, 0.5], [0, 1]]", (12, 8), "must be symmetric"),
    ("mass = [[2, \"cos(a - b)\"]", "mass = [[2, \"sin(a - b)\"]", (27, 8), "must be symmetric"),
    ("load = [\"-m*g\", 0]", "load = [\"-m*g\", 0]\nstiffness = [[1, 1], [0, 1]]", (14, 13), "must be symmetric"),
    ("e = 0.5", "e = 1.5", (44, 15), "`restitution` must be a number in [0, 1], got 1.5"),
    ("restitution = \"e\"", "restitution = -0.1", (44, 15), "`restitution` must be a number in [0, 1], got -0.1"),
    ("theta = 0.5", "theta = 1.01", (52, 9), "`theta` must be a number in [0, 1], got 1.01"),
    ("step_size = 0.01", "step_size = 0", (48, 13), "`step_size` must be > 0, got 0"),
    ("step_size = 0.01", "step_size = -1", (48, 13), "`step_size` must be > 0, got -1"),
    ("step_size = 0.01", "step_size = nan", (48, 13), "must be finite, got NaN"),
    ("step_size = 0.01", "step_size = 1e-300", (48, 13), "steps are too many"),
    ("end = 1", "end = 1\nstart = 2", (47, 7), "`end` must be after `start` = 2, got 1"),
    ("q = [1, 0]", "q = [-0.25, 0]", (34, 7), "the initial state violates the constraint `floor`: gap -2.5"),
    ("q = [1, 0]", "q = [inf, 0]", (15, 6), "must be finite, got inf"),
    ("[run]", "[law.rebound2]\ntype = \"bilateral\"\nrestitution = 1\n\n[run]", (48, 15), "`bilateral` has no option `restitution`"),
    ("theta = 0.5", "theta = 0.5\ntolerance = 1", (53, 13), "`moreau-jean` has no option `tolerance`"),
    ("type = \"auto\"", "type = \"enumerate\"\nmax_pivots = 5", (56, 14), "`enumerate` has no option `max_pivots`"),
    ("theta = 0.5", "level = \"position\"", (50, 1), "leaves no rebound and cannot honour the restitution of law `rebound`"),
    ("every = 1", "plot = [\"ball.z\", \"ball.w\"]", (58, 19), "no coordinate `ball.w`; there are"),
];

#[rustfmt::skip]
const NAMES: &[Case] = &[
    ("law = \"rebound\"", "law = \"rebond\"", (35, 7), "no law `rebond`, did you mean `rebound`?"),
    ("type = \"newton-impact\"", "type = \"newton_impact\"", (43, 8), "`type`: no \"newton_impact\", did you mean \"newton-impact\"?"),
    ("type = \"moreau-jean\"", "type = \"moreau-jaen\"", (51, 8), "`type`: no \"moreau-jaen\", did you mean \"moreau-jean\"?"),
    ("type = \"auto\"", "type = \"lemk\"", (55, 8), "`type`: no \"lemk\", did you mean \"lemke\"?"),
    ("theta = 0.5", "level = \"speed\"", (52, 9), "`level`: no \"speed\""),
    ("end = 1", "end = 1\non_unconverged = \"go\"", (48, 18), "`on_unconverged`: no \"go\""),
    ("potential =", "jacobians = \"symbolical\"\npotential =", (28, 13), "did you mean \"symbolic\"?"),
    ("gap = \"z - y\"", "gap = \"z - y\"\nvelocity = \"v_z\"", (32, 1), "exactly one of `gap` and `velocity`"),
    ("gap = \"z - y\"\n", "", (32, 1), "exactly one of `gap` and `velocity`"),
    ("gap = \"z - y\"", "gap = \"1 + t\"", (34, 7), "depends on no coordinate"),
    ("gap = \"z - y\"", "gap = 1", (34, 7), "depends on no coordinate"),
    ("gap = \"z - y\"", "gap = \"z - y + a\"", (34, 7), "involves 3 systems; a constraint involves at most two"),
    ("gap = \"z - y\"", "velocity = \"v_z - v_y\"", (35, 7), "is at velocity level, so the rebound of law `rebound` has no meaning"),
    ("name = \"plate\"", "name = \"plate\"\nrepeat = 1.5", (19, 10), "`repeat` must be a whole number from 1 to 10⁷, got 1.5"),
    ("name = \"plate\"", "name = \"plate\"\nrepeat = 0", (19, 10), "`repeat` must be a whole number from 1 to 10⁷, got 0"),
    ("name = \"plate\"", "name = \"ball\"", (18, 8), "there are two systems called `ball`"),
    ("name = \"limit\"", "name = \"floor\"", (38, 8), "there are two constraints called `floor`"),
    ("coordinates = [\"z\", \"x\"]", "coordinates = [\"z\", \"z\"]", (11, 21), "there are two coordinates called `z`"),
    ("coordinates = [\"z\", \"x\"]", "coordinates = [\"z\", \"m\"]", (11, 21), "`m` is a parameter"),
    ("coordinates = [\"z\", \"x\"]", "coordinates = [\"z\", \"sin\"]", (11, 21), "`sin` has a meaning of its own"),
    ("coordinates = [\"z\", \"x\"]", "coordinates = [\"z\", \"t\"]", (11, 21), "`t` has a meaning of its own"),
    ("coordinates = [\"z\", \"x\"]", "coordinates = [\"z\", \"1st\"]", (11, 21), "`1st` is not a name"),
    ("coordinates = [\"y\"]", "coordinates = 0", (19, 15), "at least one coordinate"),
];

#[rustfmt::skip]
const SYNTAX: &[Case] = &[
    ("m = 1.0", "m = ", (4, 5), "not valid TOML"),
    ("m = 1.0", "m = 1.0\nm = 2", (5, 1), "not valid TOML: duplicate key"),
    ("[run]", "[run", (46, 5), "not valid TOML"),
    ("title = \"Good\"", "title = \"Good", (1, 14), "not valid TOML"),
    (GOOD, "", (1, 1), "key `run` is missing"),
    (GOOD, "[system]\n[run]\nend = 1\nstep_size = 1\n", (1, 1), "at least one [[system.linear]]"),
];

fn check(table: &[Case]) {
    let complaints =
        table.iter().map(|&(from, to, at, words)| complaint(GOOD, (from, to), |_| at, words));
    let complaints: String = complaints.collect();
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn a_line_that_is_not_toml_is_one_mistake() {
    let told =
        crate::from_text("root:x:0:0:root:/root\ndaemon:x:1:1\n").err().expect("no scene").to_string();
    assert_eq!(told.matches("not valid TOML").count(), 2, "{told}");
    assert!(told.contains("2 mistakes in"), "{told}");
}

/// A key without its last letter is one mistake, whatever would follow from its absence.
#[test]
fn a_slip_in_a_key_is_one_mistake() {
    let mut n = 0;
    for good in [GOOD, crate::bodies::GOOD, crate::bodies::FLAT] {
        for (end, _) in good.match_indices(" = ") {
            let start =
                good[..end].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |k| k + 1);
            let key = &good[start..end];
            let text = format!("{}{}", &good[..end - 1], &good[end..]);
            let Err(LoadError::Scene(error)) = from_text(&text) else { continue };
            let is_slip = |mistake: &Mistake| mistake.message.contains(&format!("did you mean `{key}`"));
            // Names of the scene's own (parameters, expressions) are not keys.
            if error.mistakes.iter().any(is_slip) {
                n += 1;
                assert_eq!(error.mistakes.len(), 1, "{error}");
            }
        }
    }
    assert!(n > 60, "only {n} keys");
}

#[test]
fn the_good_scene_is_good() {
    if let Err(error) = from_text(GOOD) {
        panic!("{error}");
    }
}

#[test]
fn unknown_and_missing_keys() {
    check(KEYS);
}

#[test]
fn wrong_types() {
    check(TYPES);
}

#[test]
fn wrong_sizes_and_files() {
    check(SIZES);
}

#[test]
fn wrong_formulas_are_shown_inside_the_text() {
    check(FORMULAS);
}

#[test]
fn wrong_values() {
    check(VALUES);
}

#[test]
fn wrong_names() {
    check(NAMES);
}

#[test]
fn broken_files() {
    check(SYNTAX);
}

#[test]
fn all_mistakes_are_reported_at_once_in_the_order_of_the_text() {
    // From the end to the start, so that the order of discovery is not the order of the text.
    let edits = [
        ("restitution = \"e\"", "restitution = 2"),
        ("gap = \"sin(a) + 1\"", "gap = \"sine(a) + c\""),
        ("law = \"rebound\"", "law = \"rebond\""),
        ("q = [1, 0]", "q = [1]"),
        ("twice = \"2*m\"", "twice = \"2*m\"\nthrice = \"3*n\""),
    ];
    let text = edits.iter().fold(GOOD.to_owned(), |text, (from, to)| text.replacen(from, to, 1));
    let mistakes = mistakes_of(&text);
    let places: Vec<(usize, usize)> =
        mistakes.iter().map(|m| line_column(&text, m.span.start)).collect();
    assert_eq!(places, [(8, 13), (16, 5), (36, 7), (40, 8), (40, 18), (45, 15)], "{mistakes:#?}");
}

#[test]
fn mistakes_of_form_are_all_reported_too() {
    let text = GOOD.replacen("load =", "laod =", 1).replacen("every = 1", "every = \"x\"", 1);
    let text = text.replacen("type = \"auto\"", "type = \"best\"", 1);
    let lines: Vec<usize> =
        mistakes_of(&text).iter().map(|m| line_column(&text, m.span.start).0).collect();
    assert_eq!(lines, [13, 55, 58]);
}

#[test]
fn an_initial_violation_is_told_by_how_much_and_can_be_allowed() {
    let text = GOOD.replacen("q = [1, 0]", "q = [-0.25, 0]", 1);
    let mistakes = mistakes_of(&text);
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    for words in ["`floor`", "-2.5", "allow_initial_violation"] {
        assert!(mistakes[0].message.contains(words), "no {words} in: {}", mistakes[0].message);
    }
    let allowed = text.replacen("end = 1", "end = 1\nallow_initial_violation = true", 1);
    assert!(from_text(&allowed).is_ok());
}

#[test]
fn a_mistake_is_shown_with_its_line_and_carets() {
    let text = GOOD.replacen("gap = \"z - y\"", "gap = \"z - yy\"", 1);
    let Err(error) = from_text(&text) else { panic!("accepted") };
    let shown = error.to_string();
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("scene.toml:34:12: no name `yy`; did you mean `y`?"), "{shown}");
    assert_eq!(lines[1], "   34 | gap = \"z - yy\"");
    assert_eq!(lines[2], "      |            ^^");
    assert_eq!(lines[3], "1 mistake in scene.toml");
}

#[test]
fn columns_count_characters_not_bytes() {
    let text = GOOD.replacen("gap = \"z - y\"", "gap = \"z - µ*y\"", 1);
    let at = line_column(&text, mistakes_of(&text)[0].span.start);
    assert_eq!(at, (34, 12));
    let text = GOOD.replacen("title = \"Good\"", "title = \"Größe\" # µ\ntittle = 1", 1);
    assert_eq!(line_column(&text, mistakes_of(&text)[0].span.start), (2, 1));
}

#[test]
fn form_numbers_and_formulas_are_reported_together() {
    let text = r#"
[parameters]
m = 1

[[system.linear]]
name = "ball"
coordinates = ["z"]
mass = ["m"]
colour = "red"
q = [-1]

[[constraint]]
name = "floor"
gap = "z"
law = "rebound"

[law.rebound]
type = "newton-impact"
restitution = 0.5

[run]
end = 1
step_size = -1

[integrator]
type = "moreau-jean"
theta = 2
"#;
    let error = load_text("all.toml", text.to_owned(), PathBuf::new(), &[]).err().expect("it is wrong");
    let told = error.to_string();
    for part in
        ["unknown key `colour`", "gap -1.000000e0 m", "`step_size` must be > 0", "`theta` must be"]
    {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
    assert!(told.ends_with("4 mistakes in all.toml"), "{told}");
    // Where the form is too wrong to go on, that is said.
    let broken = text.replace("q = [-1]", "q = true");
    let error = load_text("all.toml", broken, PathBuf::new(), &[]).err().expect("it is wrong");
    assert!(error.to_string().contains("are checked when these are mended"), "{error}");
}

#[test]
fn a_parameter_with_a_mistake_is_told_once() {
    let mut n = 0;
    for path in scene_files() {
        let names: Vec<String> =
            load(&path, &[]).expect("a good scene").parameters.into_keys().collect();
        for name in names {
            for (value, words) in [("nonsense", "no name `nonsense`"), ("1/0", "must be finite")] {
                let set = [(name.clone(), value.to_owned())];
                let told = load(&path, &set).err().expect("it is wrong").to_string();
                let end = format!("1 mistake in {}", path.display());
                assert!(told.contains(words) && told.ends_with(&end), "--set {name}={value}: {told}");
                n += 1;
            }
        }
    }
    assert!(n > 100, "{n} cases");
}

#[test]
fn a_misspelt_option_is_told_once() {
    for (table, right, wrong) in [
        ("law.rebound", "restitution = 0.5", "restitutoin = 0.5"),
        ("integrator", "theta = 0.5", "thetta = 0.5"),
        ("solver", "tolerance = 1e-9", "tolerence = 1e-9"),
    ] {
        let text = "[[system.linear]]\nname = \"ball\"\ncoordinates = [\"z\"]\nmass = [1]\nq = [1]\n\n\
             [[constraint]]\nname = \"floor\"\ngap = \"z\"\nlaw = \"rebound\"\n\n\
             [law.rebound]\ntype = \"newton-impact\"\nrestitution = 0.5\n\n\
             [run]\nend = 1\nstep_size = 0.1\n\n\
             [integrator]\ntype = \"moreau-jean\"\ntheta = 0.5\n\n\
             [solver]\ntype = \"auto\"\ntolerance = 1e-9\n"
            .to_owned();
        assert!(load_text("good.toml", text.clone(), PathBuf::new(), &[]).is_ok(), "{table}");
        let text = text.replace(right, wrong);
        let told = load_text("wrong.toml", text, PathBuf::new(), &[]).err().expect(table).to_string();
        assert!(
            told.contains("did you mean") && told.ends_with("1 mistake in wrong.toml"),
            "{table}: {told}"
        );
    }
}
