//! Impulses of a step, as the log and `contacts` show them, add up to the change of momentum in that step, by every scheme: those of impacts at
//! an instant are among them.
//!
//! ```text
//! m (v⁺ − v⁻) = Σ p + m g T,      T: the time over which forces acted
//! ```

use crate::kick_drift::{G, ball, cuboid, floor};
use crate::kit::{ModelBuilder, Options, Simulation};
use nonsmooth::integrators::KickDrift;
use nonsmooth::laws::{Coulomb, Law, NewtonImpact, Poisson};
use nonsmooth::model::State;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::{INTEGRATORS, Observation};
use nonsmooth_geometry::{planar, spatial};

type Vec3 = [f64; 3];
/// A model and the mass of its body.
type Make = fn() -> (ModelBuilder, f64);

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Impulse of all contacts on a body in a step [N·s], and its moment about the origin [N·m·s].
fn given(frame: &Observation<'_>, body: u32) -> (Vec3, Vec3) {
    let (log, colliders) = (&frame.log.constraints, &frame.model.rigid.colliders);
    let (mut sum, mut moment) = ([0.0; 3], [0.0; 3]);
    for c in 0..log.len() {
        let [point, n] = log.places[c];
        let axes = match log.rows(c).len() {
            2 => [n, [-n[1], n[0], 0.0], [0.0; 3]],
            _ => spatial::frame(n),
        };
        // The normal leads from the first to the second.
        let sign = match log.ids[c].colliders().map(|k| colliders[k as usize].on.0 == body) {
            [true, _] => -1.0,
            [_, true] => 1.0,
            _ => continue,
        };
        let mut p = [0.0; 3];
        for (axis, size) in axes.iter().zip(&log.impulse[log.rows(c)]) {
            (0..3).for_each(|k| p[k] += sign * size * axis[k]);
        }
        let turning = cross(point, p);
        (0..3).for_each(|k| (sum[k], moment[k]) = (sum[k] + p[k], moment[k] + turning[k]));
    }
    (sum, moment)
}

/// A body that is thrown on a floor of this law, and its mass.
fn thrown(law: impl Law + 'static, is_box: bool) -> (ModelBuilder, f64) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let law = builder.law("pair", law);
    let material = builder.material("stuff");
    builder.default_pair(law);
    floor(&mut builder, material);
    let mass = 2.0;
    let body = match is_box {
        true => cuboid("body", [0.1, 0.2, 0.15], mass, material),
        false => ball("body", 0.1, mass, material),
    };
    let spin = [3.0, 1.0, -2.0];
    builder.body(Body {
        position: [0.0, 0.0, 0.3],
        velocity: [1.0, 0.4, 0.0],
        angular_velocity: spin,
        ..body
    });
    (builder, mass)
}

/// The worst difference of the two sides in a step, relative to the largest momentum, and the number of steps with an impact.
fn worst(simulation: &mut Simulation, mass: f64, n: usize) -> (f64, usize) {
    let (mut off, mut largest, mut impacts) = (0.0f64, 0.0f64, 0);
    for _ in 0..n {
        let frame = simulation.step().expect("a good step");
        let (mut given, _) = given(&frame, 0);
        given[2] -= mass * G * frame.log.constraints.length;
        for k in 0..3 {
            largest = largest.max(mass * frame.after.v[k].abs());
            off = off.max((mass * (frame.after.v[k] - frame.before.v[k]) - given[k]).abs());
        }
        impacts += usize::from(!frame.log.events.is_empty());
    }
    (off / largest, impacts)
}

/// Gives the energy of impacts back along the velocity: no impulse of a contact does that, and no contact shows it.
const GIVES_BACK: &str = "moreau-energy";
/// v is the central difference of positions, one step late: an impulse shows half in the next step and half in the one after.
const CENTRAL: &str = "schatzman-paoli";

#[test]
fn impulses_add_up_to_the_change_of_momentum_by_every_scheme() {
    let rough = || thrown(Coulomb { friction: 0.3, restitution: 0.5, ..Coulomb::default() }, false);
    let tumbling = || thrown(Coulomb { friction: 0.3, restitution: 0.5, ..Coulomb::default() }, true);
    let plastic = || thrown(Coulomb { friction: 0.3, ..Coulomb::default() }, false);
    let smooth = || thrown(NewtonImpact { restitution: 0.5 }, false);
    let phases = || thrown(Poisson { restitution: 0.5 }, false);
    let makes: [(&str, Make); 5] = [
        ("rough", rough),
        ("tumbling", tumbling),
        ("plastic", plastic),
        ("smooth", smooth),
        ("phases", phases),
    ];
    let (mut complaints, mut runs) = (String::new(), [0; 5]);
    for entry in INTEGRATORS.iter().filter(|entry| ![GIVES_BACK, CENTRAL].contains(&entry.name)) {
        for (k, (name, make)) in makes.iter().enumerate() {
            let (builder, mass) = make();
            let (model, state) = builder.build(0.0).expect("a right model");
            let integrator = super::build(entry.name, &Options::default());
            let Ok(mut simulation) = Simulation::new(model, state, integrator, 0.004) else { continue };
            runs[k] += 1;
            let (off, impacts) = worst(&mut simulation, mass, 100);
            eprintln!("{}, {name}: {off:.1e} in steps with {impacts} impacts", entry.name);
            if !(off < 1e-9) || impacts == 0 {
                complaints += &format!("{}, {name}: {off:.1e}, {impacts} impacts\n", entry.name);
            }
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    assert!(runs.iter().all(|n| *n >= 2), "each is run by some: {runs:?}");
}

/// A plate in a rough room without gravity: between impacts nothing acts, so the moments about the origin must add up too.
#[test]
fn a_plate_that_bounces_about_a_room_gets_the_moments_that_its_contacts_show() {
    let mut builder = ModelBuilder::new();
    let law = builder.law("pair", Coulomb { friction: 0.4, restitution: 0.8, ..Coulomb::default() });
    let material = builder.material("stuff");
    builder.default_pair(law);
    for (k, (x, y)) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].into_iter().enumerate() {
        let wall = planar::Shape::half_plane([x, y]).expect("a wall");
        let mut wall = KinematicBody::new(&format!("wall{k}"), vec![Collider::plane(wall, material)]);
        wall.position = [-x, -y, 0.0];
        builder.kinematic(wall);
    }
    let (mass, inertia) = (2.0, 0.03);
    let shape = planar::Shape::rectangle([0.15, 0.3]).expect("a plate");
    builder.body(Body {
        colliders: vec![Collider::plane(shape, material)],
        velocity: [2.0, 1.3, 0.0],
        angular_velocity: [0.0, 0.0, 4.0],
        ..Body::planar("plate", mass, inertia)
    });
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, KickDrift::default(), 0.004).expect("accepted");
    let turning = |q: &[f64], v: &[f64]| mass * (q[0] * v[1] - q[1] * v[0]) + inertia * v[2];
    let (mut off, mut impacts, mut rubbed) = (0.0f64, 0, 0.0f64);
    for _ in 0..1000 {
        let frame = simulation.step().expect("a good step");
        let (before, after) = (frame.before, frame.after);
        let (p, moment) = given(&frame, 0);
        off = off.max((turning(&after.q, &after.v) - turning(&before.q, &before.v) - moment[2]).abs());
        for k in 0..2 {
            off = off.max((mass * (after.v[k] - before.v[k]) - p[k]).abs());
        }
        impacts += frame.log.events.len();
        rubbed -= frame.log.works.friction;
    }
    eprintln!("{off:.1e} after {impacts} impacts, {rubbed} J rubbed");
    assert!(off < 1e-10 && impacts > 5 && rubbed > 0.1, "{off:.1e}, {impacts} impacts, {rubbed} J");
}

/// Boxes and balls that fall on each other: islands that bounce have velocities of other times than those at rest, and become one with them. The
/// velocity of a body goes from lag⁻ before the start of the step to lag⁺ before its end, and so long its weight acts.
#[test]
fn what_falls_on_each_other_gets_the_impulses_that_its_contacts_show() {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let law = builder.law("pair", Coulomb { friction: 0.4, restitution: 0.4, ..Coulomb::default() });
    let material = builder.material("stuff");
    builder.default_pair(law);
    floor(&mut builder, material);
    for k in 0..6 {
        let (mass, x) = (1.0 + f64::from(k), 0.3 * f64::from(k % 3));
        let name = format!("body{k}");
        let body = match k % 2 {
            0 => cuboid(&name, [0.1, 0.12, 0.08], mass, material),
            _ => ball(&name, 0.1, mass, material),
        };
        let position = [x, 0.02 * f64::from(k), 0.15 + 0.35 * f64::from(k)];
        builder.body(Body { position, angular_velocity: [1.0, 0.5, 2.0], ..body });
    }
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, KickDrift::default(), 0.004).expect("accepted");
    let (mut off, mut impacts, mut mixed) = (0.0f64, 0, 0);
    for _ in 0..400 {
        let frame = simulation.step().expect("a good step");
        let lag = |state: &State, i: usize| state.lag.get(i).copied().unwrap_or(0.0);
        for (i, body) in frame.model.rigid.bodies.iter().enumerate() {
            let (p, _) = given(&frame, i as u32);
            let time = frame.after.step_size + lag(frame.before, i) - lag(frame.after, i);
            for k in 0..3 {
                let v = body.v as usize + k;
                let weight = if k == 2 { body.mass * G * time } else { 0.0 };
                let change = body.mass * (frame.after.v[v] - frame.before.v[v]);
                off = off.max((change - p[k] + weight).abs());
            }
        }
        impacts += frame.log.events.len();
        mixed += usize::from((1..6).any(|i| lag(frame.after, i) != lag(frame.after, 0)));
    }
    eprintln!("{off:.1e} N s after {impacts} impacts, {mixed} steps with different lags");
    assert!(off < 1e-11 && impacts > 20 && mixed > 20, "{off:.1e}, {impacts} impacts, {mixed} mixed");
}
