//! What stands: stacks, towers, walls, an arch; and a wall that is hit.

use super::{Played, momentum, play, position, support};
use glam::DVec3;
use nonsmooth::Frame;

const G: f64 = 9.81;

/// Steps solve to 1e-10 of h g, with a lever of some hundreds for tall structures: see `bodies/structures.rs` of the core.
const DRIFT: f64 = 1e-9;

/// Largest change of a coordinate since the start.
fn moved(start: &[f64], end: &[f64]) -> f64 {
    start.iter().zip(end).fold(0.0, |m, (a, b)| (a - b).abs().max(m))
}

/// The floor carries the weight, at the point below the common centre of mass.
fn carried(frame: &Frame<'_>) {
    let bodies = &frame.model.bodies;
    let (impulse, moment) = support(frame);
    let h = frame.after.step_size;
    let weight = G * h * bodies.mass.iter().sum::<f64>();
    let arm = (0..bodies.n).fold(DVec3::ZERO, |sum, i| sum + bodies.mass[i] * position(frame, i));
    // About the origin the weights turn with Σ x × m g.
    let turn = -arm.cross(DVec3::new(0.0, 0.0, -G * h));
    assert!((impulse - DVec3::new(0.0, 0.0, weight)).length() < 1e-7 * weight, "{impulse}, {weight}");
    let off = (moment - turn).truncate().length();
    assert!(off < 1e-7 * weight, "the floor's force is {:.1e} m off the centre of mass", off / weight);
}

fn stands(name: &str) {
    let mut start = Vec::new();
    let played: Played = play(name, &[], |frame| {
        if start.is_empty() {
            start = frame.before.q.clone();
        }
        carried(frame);
    });
    let shift = moved(&start, &played.simulation.state.q);
    assert!(shift < DRIFT, "{name}: moved by {shift:.1e} m");
    assert!(played.summary.overlap < DRIFT, "{name}: overlap {:.1e} m", played.summary.overlap);
}

#[test]
fn a_stack_of_boxes_stands() {
    stands("box-stack.toml");
}

#[test]
fn a_tower_of_planks_stands() {
    stands("plank-tower.toml");
}

/// The least thickness in the scene is that of `arch_limit.rs` of the core, whose test knows the number.
#[test]
fn an_arch_stands_above_its_least_thickness_and_falls_below() {
    let mut start = Vec::new();
    let thick = play("arch.toml", &[], |frame| {
        if start.is_empty() {
            start = frame.before.q.clone();
        }
    });
    let shift = moved(&start, &thick.simulation.state.q);
    assert!(shift < 1e-6, "moved by {shift:.1e} m");
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
        let n = 7 * (frame.model.bodies.n - 1);
        if frame.after.t < 0.25 {
            let shift = moved(&start[..n], &frame.after.q[..n]);
            // This scene solves its steps to 1e-6 only: 10⁴ times the drift.
            assert!(shift < 1e4 * DRIFT, "moved by {shift:.1e} m at t = {}", frame.after.t);
        }
        // Momentum comes from gravity and from the floor, and from nowhere else.
        let (mass, now) = momentum(frame);
        if let Some((_, earlier)) = before.filter(|(known, _)| *known == mass) {
            let given = support(frame).0 + DVec3::new(0.0, 0.0, -mass * G * frame.after.step_size);
            let off = (now - earlier - given).length();
            assert!(off < 1e-10 * mass, "{off:.1e} N s at t = {}", frame.after.t);
        }
        before = Some((mass, now));
    });
    // The ball pushes bricks out of the wall, and does not come through unchanged.
    let n = played.bodies().n - 1;
    let out = (0..n).filter(|&i| played.position(i).y > 0.12).count();
    assert!(out >= 2, "{out} bricks are out");
    let ball = played.bodies().twist(&played.simulation.state.v, n).0;
    assert!(ball.y < 4.0, "{ball}");
    assert!(played.summary.overlap < 0.03, "{}", played.summary.overlap);
}
