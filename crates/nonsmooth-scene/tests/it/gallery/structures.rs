//! What stands: stacks, towers, walls, an arch; and a wall that is hit.

use super::{Played, momentum, play, play_for, position, support, support_force, velocity};
use glam::DVec3;
use nonsmooth::Observation;
use nonsmooth::model::rigid::is_present;

const G: f64 = 9.81;

/// Steps solve to 1e-10 of h g, with a lever of some hundreds for tall structures: see `bodies/structures.rs` of the core.
const DRIFT: f64 = 1e-9;

/// Largest change of a coordinate since the start.
fn moved(start: &[f64], end: &[f64]) -> f64 {
    start.iter().zip(end).fold(0.0, |m, (a, b)| (a - b).abs().max(m))
}

/// Steps that what rests must last: long enough for any drift to add up.
const LONG: u64 = 10_000;

/// The floor carries the weight, at the point below the common centre of mass, to this part of it.
fn carried(frame: &Observation<'_>, part: f64) {
    let rigid = &frame.model.rigid;
    let (force, moment) = support_force(frame);
    let (mut weight, mut turn) = (DVec3::ZERO, DVec3::ZERO);
    for (i, body) in rigid.bodies.iter().enumerate() {
        if is_present(&frame.before.presence, i) {
            let pull = body.mass * rigid.gravity;
            weight += pull;
            turn += position(frame, i).cross(pull);
        }
    }
    let most = part * weight.length();
    assert!((force + weight).length() < most, "{force} carries {weight} at t = {}", frame.after.t);
    let off = (moment + turn).length();
    assert!(off < most, "the floor's force is {:.1e} m off the centre of mass", off / weight.length());
}

/// Nothing stirs for so many steps, by default to the end of the scene; `coarse` is by how much the scene's steps are
/// solved to less than 1e-10.
fn stands(name: &str, set: &[(&str, &str)], n: Option<u64>, coarse: f64) {
    let (mut start, mut speed) = (Vec::new(), 0.0f64);
    let played: Played = play_for(name, set, n, |frame| {
        if start.is_empty() {
            start = frame.before.q.clone();
        }
        // One step's residual, with the same lever.
        let present =
            (0..frame.model.rigid.bodies.len()).filter(|&i| is_present(&frame.after.presence, i));
        let fastest = present.map(|i| velocity(frame, i).length() / (G * frame.after.step_size));
        speed = speed.max(fastest.fold(0.0, f64::max));
        carried(frame, 1e-7 * coarse);
    });
    let shift = moved(&start, &played.simulation.state.q);
    let (overlap, gain) = (played.summary.overlap, played.gain() / played.ledger.scale);
    eprintln!(
        "{name}: moved {shift:.1e} m, overlap {overlap:.1e} m, speed {speed:.1e} g h, gain {gain:.1e}"
    );
    assert!(shift < DRIFT * coarse, "{name}: moved by {shift:.1e} m");
    assert!(overlap < DRIFT * coarse, "{name}: overlap {overlap:.1e} m");
    assert!(speed < 1e-7 * coarse, "{name}: moves at {speed:.1e} g h");
    assert!(gain.abs() < 1e-9 * coarse, "{name}: {gain:.1e} of its energy is gained");
}

#[test]
fn a_stack_of_boxes_stands() {
    stands("box-stack.toml", &[], Some(LONG), 1.0);
}

/// Without the ball. This scene solves its steps to 1e-6 only.
#[test]
fn a_wall_stands() {
    stands("masonry-wall.toml", &[("hit", "1e9")], Some(LONG), 1e4);
}

/// A twentieth thicker than it must be.
#[test]
fn an_arch_stands() {
    stands("arch.toml", &[], Some(LONG), 1.0);
}

#[test]
fn a_tower_of_planks_stands() {
    stands("plank-tower.toml", &[], None, 1.0);
}

/// The least thickness in the scene is that of `arch_limit.rs` of the core, whose test knows the number.
#[test]
fn an_arch_falls_below_its_least_thickness() {
    let thin = play("arch.toml", &[("thickness", "0.95*limit")], |_| ());
    let crown = thin.position(7).y;
    assert!(crown < 0.8, "the crown is still {crown} m high");
}

#[test]
fn a_wall_stands_until_it_is_hit() {
    let mut start = Vec::new();
    let mut before: Option<(f64, DVec3)> = None;
    let played = play("masonry-wall.toml", &[], |frame| {
        if start.is_empty() {
            start = frame.before.q.clone();
        }
        let n = 7 * (frame.model.rigid.bodies.len() - 1);
        if frame.after.t < 0.25 {
            let shift = moved(&start[..n], &frame.after.q[..n]);
            // This scene solves its steps to 1e-6 only: 10⁴ times the drift.
            assert!(shift < 1e4 * DRIFT, "moved by {shift:.1e} m at t = {}", frame.after.t);
        }
        // Momentum comes from gravity and from the floor, and from nowhere else, over the time of the kicks.
        let (mass, now) = momentum(frame);
        if let Some((_, earlier)) = before.filter(|(known, _)| *known == mass) {
            let time = frame.log.constraints.length;
            let given = support(frame).0 + DVec3::new(0.0, 0.0, -mass * G * time);
            let off = (now - earlier - given).length();
            assert!(off < 1e-10 * mass, "{off:.1e} N s at t = {}", frame.after.t);
        }
        before = Some((mass, now));
    });
    // The ball pushes bricks out of the wall, and does not come through unchanged.
    let n = played.n() - 1;
    let out = (0..n).filter(|&i| played.position(i).y > 0.12).count();
    assert!(out >= 2, "{out} bricks are out");
    let ball = played.velocity(n);
    assert!(ball.y < 4.0, "{ball}");
    assert!(played.summary.overlap < 0.03, "{}", played.summary.overlap);
}
