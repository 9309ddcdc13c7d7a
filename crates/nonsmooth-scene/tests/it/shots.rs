//! Random shots: bodies of six shapes at speeds up to 300 of their lengths per step, turning, against walls, thin plates and each other.
//!
//! Whatever a shot does, it stays on its side, no frictionless impact gives energy, and the first impact follows its law. Two bodies that fly at each
//! other must meet where the balls inside of them do. `cargo xtask bench shots` makes ten thousand of them.

use crate::from_text;
use nonsmooth::model::RigidState;
use nonsmooth_testkit::Random;
use std::fmt::Write;

/// Shots of the test, where NONSMOOTH_SHOTS does not say how many.
const SHOTS: u64 = 400;
/// A length of the bodies [m].
const LENGTH: f64 = 0.1;
/// Where the wall or the other body is [m].
const WALL: f64 = 0.5;

const SHAPES: [&str; 6] = [
    "{ type = \"ball\", radius = 0.05 }",
    "{ type = \"box\", size = [0.1, 0.06, 0.08] }",
    "{ type = \"capsule\", length = 0.1, radius = 0.03 }",
    "{ type = \"cylinder\", length = 0.1, radius = 0.04 }",
    "{ type = \"cone\", length = 0.1, radius = 0.05 }",
    "{ type = \"mesh\", vertices = [[0.05, 0, 0], [-0.05, 0, 0], [0, 0.05, 0], [0, -0.05, 0], [0, 0, 0.05], [0, 0, -0.05]], triangles = \
     [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]] }",
];
/// Radius of a ball about its centre of mass that each of the shapes holds [m]; of the cone, whose centre of mass is not its origin, none.
const WITHIN: [f64; 6] = [0.05, 0.03, 0.03, 0.04, f64::NAN, 0.028];
/// A wall, a sheet of 2 mm, a slab of 0.3 m, a sheet of two triangles: each has its face at `WALL`, but for half of the sheet of 2 mm.
const WALLS: [(&str, f64); 4] = [
    ("{ type = \"half-space\", normal = [-1, 0, 0] }", 0.0),
    ("{ type = \"box\", size = [0.002, 4, 4] }", 0.0),
    ("{ type = \"box\", size = [0.3, 4, 4] }", 0.15),
    (
        "{ type = \"mesh\", vertices = [[0, -2, -2], [0, -2, 2], [0, 2, 2], [0, 2, -2]], triangles = [[0, 1, 2], [0, 2, 3]] }",
        0.0,
    ),
];

struct Shot {
    text: String,
    restitution: f64,
    friction: f64,
    is_at_wall: bool,
    /// Whether it cannot but strike.
    must_strike: bool,
}

/// `number` of the shots that usually are made, or as many times more as are asked for.
fn count(number: u64) -> u64 {
    let shots = std::env::var("NONSMOOTH_SHOTS").map(|n| n.parse().expect("a number of shots"));
    number * shots.unwrap_or(SHOTS) / SHOTS
}

/// A body as text; where it flies, y and z, and the radius of a ball within it.
fn body(random: &mut Random, name: &str, x: f64, speed: f64, turn: f64) -> (String, [f64; 3]) {
    let (axis, omega) = (random.direction(), random.vector(turn));
    let (k, angle) = (random.below(SHAPES.len()), 3.0 * random.signed());
    let (shape, density) = (SHAPES[k], random.power(2.0, 4.0));
    let [y, z, _] = random.vector(0.02);
    let text = format!(
        "[[body]]\nname = \"{name}\"\nshape = {shape}\ndensity = {density}\nposition = [{x}, {y}, {z}]\nvelocity = [{speed}, 0, 0]\n\
         angular_velocity = {omega:?}\norientation = {{ axis = {axis:?}, angle = {angle} }}\n"
    );
    (text, [y, z, WITHIN[k]])
}

fn shot(seed: u64) -> Shot {
    let random = &mut Random::new(seed);
    let (restitution, friction) =
        (random.one_of(&[0.0, 0.3, 0.7, 1.0]), random.one_of(&[0.0, 0.0, 0.4]));
    let h = random.one_of(&[1e-3, 5e-3]);
    let lengths = random.power(0.3f64.log10(), 300f64.log10());
    let speed = lengths * LENGTH / h;
    let target = random.one_of(&[0, 1, 2, 3, 4]);
    let mut text = format!(
        "[world]\ngravity = [0, 0, 0]\n[contact]\ndefault = {{ friction = {friction}, restitution = {restitution} }}\n"
    );
    let (first, a) = body(random, "shot", -1.0, speed, 0.2 / h);
    text += &first;
    let mut must_strike = true;
    if let Some((shape, behind)) = WALLS.get(target) {
        let x = WALL + behind;
        write!(
            text,
            "[[body]]\nname = \"wall\"\nfixed = true\nshape = {shape}\nposition = [{x}, 0, 0]\n"
        )
        .expect("a string takes text");
    } else {
        let back = random.one_of(&[0.0, -speed]);
        let (second, b) = body(random, "other", WALL, back, 0.0);
        text += &second;
        must_strike = (a[0] - b[0]).hypot(a[1] - b[1]) < 0.99 * (a[2] + b[2]);
    }
    let steps = (4.0 / (speed * h)).ceil().max(20.0);
    write!(text, "[run]\nend = {}\nstep_size = {h}\n", steps * h).expect("a string takes text");
    Shot { text, restitution, friction, is_at_wall: target < WALLS.len(), must_strike }
}

#[test]
fn random_shots_stay_on_their_side_give_no_energy_and_obey_the_law_of_impact() {
    let (mut hits, mut rigid): (usize, Vec<RigidState>) = (0, Vec::new());
    let shots = count(SHOTS);
    for seed in 0..shots {
        let Shot { text, restitution, friction, is_at_wall, must_strike } = shot(seed);
        let loaded = from_text(&text).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        let mut simulation = loaded.simulation;
        let start = simulation.model.energies_of(&simulation.state).expect("finite").kinetic;
        let mut is_first = true;
        for _ in 0..loaded.n_steps {
            let frame = simulation.step().unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            assert!(!frame.log.missed, "{seed}: a solve missed its tolerance\n{text}");
            // Newton's law with friction may give energy, which the summary tells.
            let energy = frame.log.energies.kinetic;
            assert!(
                friction > 0.0 || energy <= start * (1.0 + 1e-9),
                "{seed}: {energy} of {start}\n{text}"
            );
            if let (Some(event), true) = (frame.log.events.first(), is_first) {
                is_first = false;
                hits += 1;
                let (before, after) = (event.u_minus[0], event.u_plus[0]);
                let is_lawful = (after + restitution * before).abs() <= 1e-9 * before.abs();
                assert!(is_lawful, "{seed}: {before} m/s became {after} m/s\n{text}");
            }
            let shown = frame.shown;
            frame.model.rigid_states(shown.t, &shown.q, &shown.v, &mut rigid).expect("finite");
            let x = rigid[0].position.x;
            assert!(!is_at_wall || x < WALL, "{seed}: the shot is at {x} m, behind the wall\n{text}");
        }
        assert!(!(must_strike && is_first), "{seed}: no impact\n{text}");
    }
    assert!(hits as u64 > shots / 2, "{hits} of {shots} shots hit something");
}

/// Drops of the test.
const DROPS: u64 = 40;

/// Two to seven bodies of six shapes above a floor, turning, with any law.
fn drop(seed: u64) -> Shot {
    let random = &mut Random::new(1000 + seed);
    let restitution = random.one_of(&[0.0, 0.0, 0.3, 0.7, 1.0]);
    let (friction, h) = (random.one_of(&[0.0, 0.3, 0.6]), random.one_of(&[1e-3, 2e-3, 5e-3]));
    let mut text = format!(
        "[world]\ngravity = [0, 0, -9.81]\n[contact]\ndefault = {{ friction = {friction}, restitution = {restitution} }}\n\
         [[body]]\nname = \"floor\"\nfixed = true\nshape = {{ type = \"half-space\", normal = [0, 0, 1] }}\n"
    );
    for k in 0..random.count(2, 7) {
        let (axis, omega, shape) = (random.direction(), random.vector(10.0), random.one_of(&SHAPES));
        let [x, y, angle] = random.vector(1.0);
        let (x, y, z, density) = (0.04 * x, 0.04 * y, 0.12 + 0.17 * k as f64, random.power(2.0, 4.0));
        write!(
            text,
            "[[body]]\nname = \"b{k}\"\nshape = {shape}\ndensity = {density}\nposition = [{x}, {y}, {z}]\nangular_velocity = {omega:?}\n\
             orientation = {{ axis = {axis:?}, angle = {} }}\n",
            3.0 * angle
        )
        .expect("a string takes text");
    }
    write!(text, "[run]\nend = 1\nstep_size = {h}\n").expect("a string takes text");
    Shot { text, restitution, friction, is_at_wall: false, must_strike: true }
}

#[test]
fn random_drops_come_through_stay_above_the_floor_and_give_no_energy() {
    let mut rigid: Vec<RigidState> = Vec::new();
    for seed in 0..count(DROPS) {
        let Shot { text, restitution, friction, .. } = drop(seed);
        let loaded = from_text(&text).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        let mut simulation = loaded.simulation;
        let start = simulation.model.energies_of(&simulation.state).expect("finite");
        let total = start.kinetic + start.potential;
        for _ in 0..loaded.n_steps {
            let frame = simulation.step().unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            assert!(!frame.log.missed, "{seed}: a solve missed its tolerance\n{text}");
            let now = frame.log.energies.kinetic + frame.log.energies.potential;
            // Newton's law with friction may give energy, which the summary tells.
            let may_gain = friction > 0.0 && restitution > 0.0;
            assert!(may_gain || now <= total * (1.0 + 1e-9), "{seed}: {now} J of {total} J\n{text}");
            let shown = frame.shown;
            frame.model.rigid_states(shown.t, &shown.q, &shown.v, &mut rigid).expect("finite");
            // The flattest of the bodies is 0.06 m thick, the cone has its centre 0.0125 m from its tip's side.
            let lowest = rigid[..frame.model.rigid.bodies.len()].iter().map(|body| body.position.z);
            let lowest = lowest.fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.01, "{seed}: a body is at z = {lowest} m\n{text}");
        }
    }
}

/// A thin rod that sweeps past a ball, up to four radians per step, and nothing else: without gravity and friction.
fn sweep(seed: u64) -> String {
    let random = &mut Random::new(2000 + seed);
    let (h, restitution) = (1e-3, random.one_of(&[0.0, 0.5, 1.0]));
    let spin = random.power(-1.5, 4f64.log10()) / h;
    let (away, angle) = (0.1 + 0.35 * random.signed().abs(), 3.0 * random.signed());
    let (x, y) = (away * angle.cos(), away * angle.sin());
    let steps = (8.0 / (spin * h)).ceil().max(5.0);
    let shape = random.one_of(&SHAPES);
    format!(
        "[world]\ngravity = [0, 0, 0]\n[contact]\ndefault = {{ friction = 0, restitution = {restitution} }}\n\
         [[body]]\nname = \"rod\"\nshape = {{ type = \"box\", size = [1, 0.02, 0.02] }}\ndensity = 1000\n\
         angular_velocity = [0, 0, {spin}]\norientation = {{ axis = [0, 0, 1], angle = {} }}\n\
         [[body]]\nname = \"struck\"\nshape = {shape}\ndensity = 1000\nposition = [{x}, {y}, 0]\n\
         [run]\nend = {}\nstep_size = {h}\n",
        angle + 0.9 + 0.3 * random.signed(),
        steps * h
    )
}

#[test]
fn rods_that_sweep_strike_what_is_in_their_way_and_give_no_energy() {
    for seed in 0..count(60) {
        let text = sweep(seed);
        let loaded = from_text(&text).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        let (mut simulation, mut hits) = (loaded.simulation, 0);
        let start = simulation.model.energies_of(&simulation.state).expect("finite").kinetic;
        for _ in 0..loaded.n_steps {
            let frame = simulation.step().unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            hits += frame.log.events.len();
            let energy = frame.log.energies.kinetic;
            assert!(energy <= start * (1.0 + 1e-9), "{seed}: {energy} of {start}\n{text}");
        }
        assert!(hits > 0, "{seed}: the rod went through\n{text}");
    }
}

/// A ball that is shot at up to a hundred of its lengths per step into a block of 27 balls, which touch.
#[test]
fn a_fast_ball_into_a_heap_strikes_it_and_gives_no_energy() {
    for seed in 0..count(20) {
        let random = &mut Random::new(3000 + seed);
        let (h, restitution) = (1e-3, random.one_of(&[0.0, 0.5, 1.0]));
        let speed = random.power(0.0, 2.0) * LENGTH / h;
        let mut text = format!(
            "[world]\ngravity = [0, 0, 0]\n[contact]\ndefault = {{ friction = 0, restitution = {restitution} }}\n"
        );
        let [y, z, _] = random.vector(0.08);
        write!(
            text,
            "[[body]]\nname = \"shot\"\nshape = {{ type = \"ball\", radius = 0.05 }}\ndensity = 1000\nposition = [-0.6, {y}, {z}]\n\
             velocity = [{speed}, 0, 0]\n"
        )
        .expect("a string takes text");
        for k in 0..27 {
            let [x, y, z] = [k % 3, k / 3 % 3, k / 9].map(|i| 0.1 * (f64::from(i) - 1.0));
            write!(
                text,
                "[[body]]\nname = \"b{k}\"\nshape = {{ type = \"ball\", radius = 0.05 }}\ndensity = 1000\nposition = [{x}, {y}, {z}]\n"
            )
            .expect("a string takes text");
        }
        let steps = (2.0 / (speed * h)).ceil().max(5.0);
        write!(text, "[run]\nend = {}\nstep_size = {h}\n", steps * h).expect("a string takes text");
        let loaded = from_text(&text).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        let (mut simulation, mut hits) = (loaded.simulation, 0);
        let start = simulation.model.energies_of(&simulation.state).expect("finite").kinetic;
        for _ in 0..loaded.n_steps {
            let frame = simulation.step().unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            hits += frame.log.events.len();
            let energy = frame.log.energies.kinetic;
            assert!(energy <= start * (1.0 + 1e-9), "{seed}: {energy} of {start}\n{text}");
        }
        assert!(hits > 0, "{seed}: the ball went through\n{text}");
        let moved = simulation.state.v.chunks(6).map(|v| v[0]).sum::<f64>();
        assert!((moved - speed).abs() <= 1e-9 * speed, "{seed}: momentum {moved} of {speed}");
    }
}
