//! Sweeps along paths, against closed forms and dense sampling; confirmation of new contacts.

use crate::random::Random;
use crate::samples::{ball, box_mesh, capsule, cuboid, cylinder, grid, half_space, height_field, mesh};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::spatial::{Contact, Pose, Shape, confirm, distance};
use nonsmooth_geometry::{Approach, Impact, Moving, Turning, planar, time_of_impact};
use std::cell::Cell;

/// Constant velocity and spin about the origin of the shape.
#[derive(Clone, Copy)]
struct Flight {
    start: Pose,
    velocity: [f64; 3],
    spin: [f64; 3],
}

impl Flight {
    fn still(start: Pose) -> Self {
        Self { start, velocity: [0.0; 3], spin: [0.0; 3] }
    }

    fn pose(&self, time: f64) -> Pose {
        let [w, x, y, z] = self.start.rotation;
        let turn = DQuat::from_scaled_axis(DVec3::from(self.spin) * time);
        let q = turn * DQuat::from_xyzw(x, y, z, w).normalize();
        let position = std::array::from_fn(|k| self.start.position[k] + time * self.velocity[k]);
        Pose { position, rotation: [q.w, q.x, q.y, q.z] }
    }

    fn turning(&self, shape: &Shape) -> Turning {
        let spin = DVec3::from(self.spin).length();
        Turning { spin, spin_rate: 0.0, radius: shape.bounding_radius([0.0; 3]) }
    }
}

/// The impact of two flights, and how many poses were asked for.
fn shot(a: (&Shape, &Flight), b: (&Shape, &Flight), duration: f64) -> (Impact<Contact>, usize) {
    let calls = Cell::new(0);
    let pose_a = |time: f64| {
        calls.set(calls.get() + 1);
        a.1.pose(time)
    };
    let pose_b = |time: f64| b.1.pose(time);
    let speed = DVec3::from(a.1.velocity).distance(b.1.velocity.into());
    let impact = time_of_impact(
        &Moving { shape: a.0, pose: &pose_a, turning: a.1.turning(a.0) },
        &Moving { shape: b.0, pose: &pose_b, turning: b.1.turning(b.0) },
        Approach { speed, acceleration: 0.0 },
        duration,
    );
    (impact, calls.get())
}

/// Compares with the distance at many instants; whether there was a hit.
fn check(name: &str, a: (&Shape, &Flight), b: (&Shape, &Flight), duration: f64, n: usize) -> bool {
    let (impact, calls) = shot(a, b, duration);
    assert!(calls < 20_000, "{name}: {calls}");
    let apart = |time: f64| distance(a.0, &a.1.pose(time), b.0, &b.1.pose(time));
    let end = match impact {
        Impact::Overlapping(_) => {
            assert!(apart(0.0) < 0.0, "{name}");
            return false;
        }
        Impact::Never => duration,
        Impact::At { time, contact } => {
            let size = a.0.bounding_radius([0.0; 3]).min(b.0.bounding_radius([0.0; 3]));
            assert!(contact.distance.abs() < 1e-12 * size.max(1.0), "{name}: {contact:?}");
            // Just behind it they overlap.
            let behind = (0..40).map(|k| apart(time + 1e-9 * 1.6f64.powi(k) * duration));
            assert!(behind.fold(f64::INFINITY, f64::min) < 0.0, "{name}: {time} {contact:?}");
            time
        }
    };
    for k in 0..n {
        let time = end * (k as f64 + 0.5) / n as f64;
        assert!(apart(time) > -1e-12, "{name}: {impact:?} but {} at {time}", apart(time));
    }
    matches!(impact, Impact::At { .. })
}

#[test]
fn a_falling_ball_hits_the_ground_when_it_must() {
    let (ground, drop) = (half_space([0.0, 0.0, 1.0]), ball(0.1));
    for (height, speed, g) in [(1.0, 0.0, 9.81), (0.3, -2.0, 9.81), (0.101, 1.0, 9.81), (2.0, 0.5, 1.6)]
    {
        let pose = |t: f64| Pose::at([0.0, 0.0, height + speed * t - 0.5 * g * t * t]);
        let turning = |radius: f64| Turning { spin: 0.0, spin_rate: 0.0, radius };
        let gap: f64 = height - 0.1;
        let expected = (speed + (speed * speed + 2.0 * g * gap).sqrt()) / g;
        let run = |duration: f64| {
            time_of_impact(
                &Moving { shape: &ground, pose: &|_| Pose::IDENTITY, turning: turning(f64::INFINITY) },
                &Moving { shape: &drop, pose: &pose, turning: turning(0.1) },
                Approach { speed: f64::abs(speed) + g * duration, acceleration: g },
                duration,
            )
        };
        let Impact::At { time, contact } = run(1.5 * expected) else { panic!("no hit") };
        assert!((time - expected).abs() < 1e-12, "{time} {expected}");
        assert!(contact.distance >= -1e-14 && contact.distance < 1e-13, "{contact:?}");
        assert_eq!(run(0.999_999 * expected), Impact::Never);
    }
}

#[test]
fn two_balls_meet_when_they_must() {
    let mut random = Random::new(100);
    let (mut n_hits, mut n_calls) = (0, 0);
    for _ in 0..5000 {
        let (r, s) = (random.between(0.05, 1.0), random.between(0.05, 1.0));
        let (start, velocity): (DVec3, DVec3) = (random.vector(3.0).into(), random.vector(8.0).into());
        let flight = Flight { velocity: velocity.into(), ..Flight::still(Pose::at(start.into())) };
        let (a, b) = (ball(r), ball(s));
        let (impact, calls) = shot((&a, &Flight::still(Pose::IDENTITY)), (&b, &flight), 1.0);
        n_calls += calls;
        // ‖x + v t‖ = r + s.
        let (vv, xv, far) = (velocity.length_squared(), start.dot(velocity), r + s);
        let discriminant = xv * xv - vv * (start.length_squared() - far * far);
        match impact {
            Impact::Overlapping(_) => assert!(start.length() < far),
            Impact::At { time, .. } => {
                n_hits += 1;
                let expected = (-xv - discriminant.max(0.0).sqrt()) / vv;
                // A grazing hit is as uncertain as the root of round-off.
                let tolerance = 1e-13 * far * vv.sqrt() / discriminant.sqrt().max(1e-7) + 1e-14;
                assert!((time - expected).abs() < 20.0 * tolerance, "{time} {expected} {tolerance}");
            }
            Impact::Never => {
                let time = (-xv - discriminant.max(0.0).sqrt()) / vv;
                assert!(discriminant < 1e-9 || !(0.0..=1.0).contains(&time), "{time}");
            }
        }
    }
    assert!(n_hits > 200, "{n_hits}");
    // Poses asked for on average.
    assert!(n_calls < 30 * 5000, "{n_calls}");
}

/// Rods that turn up to ten times in a step and fly up to 80 lengths.
#[test]
fn no_turning_rods_pass_through_each_other() {
    let mut random = Random::new(101);
    let shapes = [capsule(0.5, 0.01), cuboid([0.5, 0.02, 0.01]), cylinder(0.5, 0.015)];
    let (mut n_hits, mut n_shots) = (0, 0);
    for round in 0..3000 {
        let (a, b) = (&shapes[random.below(3)], &shapes[random.below(3)]);
        let speed = [2.0, 10.0, 80.0][round % 3];
        let turn = [1.0, 10.0, 60.0][round / 3 % 3];
        let aim = DVec3::from(random.vector(0.5));
        let direction = DVec3::from(random.direction());
        let flight = |start: DVec3, velocity: DVec3, random: &mut Random| Flight {
            start: Pose { position: start.into(), rotation: random.rotation() },
            velocity: velocity.into(),
            spin: random.direction().map(|x| turn * x),
        };
        let first = flight(DVec3::ZERO, DVec3::ZERO, &mut random);
        let second = flight(aim - 0.5 * speed * direction, speed * direction, &mut random);
        n_shots += 1;
        let name = format!("shot {round}");
        n_hits += usize::from(check(&name, (a, &first), (b, &second), 1.0, 150));
    }
    assert!(4 * n_hits > n_shots, "{n_hits} of {n_shots}");
}

#[test]
fn thin_plates_and_bullets_do_not_pass_walls() {
    let mut random = Random::new(102);
    let plate = cuboid([0.5, 0.5, 1e-4]);
    let bullet = cylinder(0.01, 0.002);
    let walls = [
        ("half-space", half_space([0.0, 0.0, 1.0])),
        ("thin wall", cuboid([5.0, 5.0, 1e-3])),
        ("mesh", mesh(&grid(8, 1.0, |x, y| 0.05 * (x + y).sin()))),
        ("height field", height_field(9, 1.0, (0..81).map(|k| 0.05 * f64::from(k).sin()).collect())),
        ("box of triangles", mesh(&box_mesh([2.0, 2.0, 0.1]))),
    ];
    for (name, wall) in &walls {
        for (what, shape) in [("plate", &plate), ("bullet", &bullet), ("ball", &ball(0.01))] {
            for _ in 0..15 {
                let length = shape.bounding_radius([0.0; 3]);
                let velocity = [random.between(-1.0, 1.0), 0.3, -random.between(60.0, 100.0) * length];
                let height = 20.0 * length + 0.5;
                let flight = Flight {
                    start: Pose { position: [0.1, 0.2, height], rotation: random.rotation() },
                    velocity,
                    spin: random.vector(10.0),
                };
                let still = Flight::still(Pose::IDENTITY);
                let duration = 2.0 * height / -velocity[2];
                let is_hit =
                    check(&format!("{what} at {name}"), (wall, &still), (shape, &flight), duration, 60);
                assert!(is_hit, "{what} passes {name}");
            }
        }
    }
}

/// What touches and leaves, slides by, or overlaps already.
#[test]
fn touching_at_the_start_is_no_impact_for_what_leaves() {
    let (ground, brick) = (half_space([0.0, 0.0, 1.0]), cuboid([0.5, 0.5, 0.5]));
    let still = Flight::still(Pose::IDENTITY);
    let flight = |height: f64, velocity: [f64; 3]| Flight {
        velocity,
        ..Flight::still(Pose::at([0.0, 0.0, height]))
    };
    let run = |flight: Flight| shot((&ground, &still), (&brick, &flight), 1.0).0;
    assert_eq!(run(flight(0.5, [0.0, 0.0, 1.0])), Impact::Never);
    assert_eq!(run(flight(0.5 + 1e-16, [3.0, 0.0, 1e-6])), Impact::Never);
    assert_eq!(run(flight(0.5, [3.0, 0.0, 0.0])), Impact::Never);
    assert!(matches!(run(flight(0.5, [3.0, 0.0, -1e-3])), Impact::At { time, .. } if time < 1e-9));
    assert!(matches!(run(flight(0.4, [0.0, 0.0, 1.0])), Impact::Overlapping(_)));
}

/// Random flights of planar shapes against sampling.
#[test]
fn planar_shapes_do_not_pass_through_each_other() {
    let mut random = Random::new(103);
    let made = |shape: Result<planar::Shape, _>| shape.expect("a sound shape");
    let heights: Vec<f64> = (0..12).map(|k| 0.1 * f64::from(k).sin()).collect();
    let shapes = [
        made(planar::Shape::ball(0.1)),
        made(planar::Shape::capsule(0.5, 0.01)),
        made(planar::Shape::rectangle([0.5, 0.01])),
        made(planar::Shape::polygon(&[[-0.2, -0.1], [0.3, -0.1], [0.0, 0.3]])),
    ];
    let grounds = [
        made(planar::Shape::half_plane([0.0, 1.0])),
        made(planar::Shape::height_field(&heights, 1.0)),
        made(planar::Shape::rectangle([3.0, 0.001])),
        made(planar::Shape::capsule(0.6, 0.01)),
    ];
    let mut n_hits = 0;
    for _ in 0..300 {
        for shape in &shapes {
            let ground = &grounds[random.below(4)];
            let (spin, speed) = (random.between(-30.0, 30.0), random.between(2.0, 60.0));
            let (x, angle) = (random.between(-1.0, 1.0), random.between(-3.0, 3.0));
            let pose = |t: f64| planar::Pose { position: [x, 1.0 - speed * t], angle: angle + spin * t };
            let turning =
                |spin: f64, radius: f64| Turning { spin: f64::abs(spin), spin_rate: 0.0, radius };
            let duration = 1.5 / speed;
            let impact = time_of_impact(
                &Moving {
                    shape: ground,
                    pose: &|_| planar::Pose::IDENTITY,
                    turning: turning(0.0, ground.bounding_radius([0.0; 2])),
                },
                &Moving { shape, pose: &pose, turning: turning(spin, shape.bounding_radius([0.0; 2])) },
                Approach { speed, acceleration: 0.0 },
                duration,
            );
            let end = match impact {
                Impact::At { time, contact } => {
                    assert!(contact.distance.abs() < 1e-12, "{contact:?}");
                    n_hits += 1;
                    time
                }
                Impact::Never => duration,
                Impact::Overlapping(_) => 0.0,
            };
            for k in 0..200 {
                let time = end * (f64::from(k) + 0.5) / 200.0;
                let apart = planar::distance(ground, &planar::Pose::IDENTITY, shape, &pose(time));
                assert!(apart > -1e-12, "{impact:?} but {apart} at {time}");
            }
        }
    }
    assert!(n_hits > 600, "{n_hits}");
}

/// A cube slides in x from one box to the next, whose top is lower by `drop`.
fn slides_onto(drop: f64) -> (bool, Vec<Contact>) {
    let (cube, tile) = (cuboid([0.05; 3]), cuboid([0.5, 0.5, 0.5]));
    let tile_pose = Pose::at([1.0, 0.0, -0.5 - drop]);
    // It touches the side of the next box.
    let cube_pose = Pose::at([0.45, 0.0, 0.05]);
    let mut out = Vec::new();
    let depth = 1e-6 * cube.bounding_radius([0.0; 3]);
    let pair = ((&tile, &tile_pose), (&cube, &cube_pose));
    let confirmed = confirm(pair.0, pair.1, [-1.0, 0.0, 0.0], depth, 2e-4, &mut out);
    (confirmed.is_minimal, out)
}

#[test]
fn seams_between_boxes_are_no_walls_and_steps_are() {
    for drop in [0.0, 1e-6, 1e-4] {
        let (is_minimal, out) = slides_onto(drop);
        assert!(!is_minimal, "{drop}: {out:?}");
        assert!(!out.is_empty());
        for c in out {
            assert_eq!(c.normal, [0.0, 0.0, 1.0], "{drop}: {c:?}");
            assert!((c.distance - drop).abs() < 1e-15, "{drop}: {c:?}");
        }
    }
    for step in [1e-3, 1e-5] {
        let (is_minimal, out) = slides_onto(-step);
        assert!(is_minimal && out.iter().all(|c| c.normal == [-1.0, 0.0, 0.0]), "{step}: {out:?}");
    }
}

#[test]
fn confirmation_in_the_plane() {
    let made = |shape: Result<planar::Shape, _>| shape.expect("a sound shape");
    let (cube, tile) =
        (made(planar::Shape::rectangle([0.05; 2])), made(planar::Shape::rectangle([0.5; 2])));
    for (drop, is_step) in [(0.0, false), (1e-6, false), (-1e-5, true)] {
        let tile_pose = planar::Pose::at([1.0, -0.5 - drop]);
        let cube_pose = planar::Pose::at([0.45, 0.05]);
        let mut out = Vec::new();
        let pair = ((&tile, &tile_pose), (&cube, &cube_pose));
        let confirmed = planar::confirm(pair.0, pair.1, [-1.0, 0.0], 7e-8, 2e-4, &mut out);
        assert_eq!(confirmed.is_minimal, is_step, "{out:?}");
        let normal = if is_step { [-1.0, 0.0] } else { [0.0, 1.0] };
        assert!(!out.is_empty() && out.iter().all(|c| c.normal == normal), "{drop}: {out:?}");
    }
}
