//! Bodies that appear and leave: who is present, what the ledger says, whose contact is whose.

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

const BOX: Region = Region { low: [-2.0, -2.0, -1.0], high: [2.0, 2.0, 5.0] };

/// A ball appears at rest at its time, falls as if thrown then, and is gone below z = −1.
#[test]
fn a_body_falls_from_its_birth_until_it_leaves() {
    let mut yard = Yard::new(0.5, 0.0);
    yard.builder.region(BOX);
    let ball = Shape::ball(0.1).unwrap();
    for (k, born) in [None, Some(0.25), Some(0.5)].into_iter().enumerate() {
        let mut body = yard.body(&format!("ball {k}"), &ball, 1000.0, [k as f64 - 1.0, 0.0, 2.0]);
        body.velocity = [0.0, 0.0, 1.0];
        body.appears_at = born;
        yard.builder.body(body);
    }
    let mut simulation = yard.simulation(1e-3);
    assert_eq!(simulation.state.presence, [Presence::Present, Presence::Pending, Presence::Pending]);
    let starts = [0.0, 0.25, 0.5];
    // z = 2 + t − ½ g t² reaches −1 at:
    let fall = (1.0 + (1.0f64 + 6.0 * 9.81).sqrt()) / 9.81;
    let (ledger, _) = observe(&mut simulation, 2000, |frame| {
        for (k, start) in starts.into_iter().enumerate() {
            let (age, life) = (frame.after.t - start, frame.after.presence[k]);
            let near = |t: f64| (age - t).abs() < 1.5e-3;
            if age < 0.0 && !near(0.0) {
                assert_eq!(life, Presence::Pending, "ball {k} at age {age}");
                assert_eq!(frame.after.q[7 * k + 2], 2.0);
            } else if age < fall && !near(fall) && !near(0.0) {
                assert_eq!(life, Presence::Present, "ball {k} at age {age}");
                let z = 2.0 + age - 0.5 * 9.81 * age * age;
                // The grid point of birth is the first at or after its time.
                assert!((frame.after.q[7 * k + 2] - z).abs() < 2e-3 * 9.81, "ball {k} at age {age}");
            } else if age > fall && !near(fall) {
                assert_eq!(life, Presence::Removed, "ball {k} at age {age}");
            }
        }
    });
    // In the end nobody is left: all that was brought was taken along.
    assert!(ledger.energies.kinetic == 0.0 && ledger.energies.potential == 0.0);
    assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:.2e}", ledger.worst_remainder);
    let sum = ledger.total.sum();
    let change = -(ledger.initial.kinetic + ledger.initial.potential);
    assert!((sum - change).abs() <= 1e-10 * ledger.scale, "total {:?} against {change}", ledger.total);
    // Each of the two born later brings T + V, each of the three takes its energy along.
    assert!(ledger.total.exchange < 0.0);
}

/// A box under two others is taken away by the region: the others fall onto the floor and carry on.
#[test]
fn contacts_follow_those_who_stay() {
    let mut yard = Yard::new(0.0, 0.0);
    yard.floor();
    yard.builder.region(BOX);
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    // The lowest is pulled away and out of the region within 2 ms, on a floor without friction.
    for k in 0..3 {
        let mut body = yard.body(&format!("cube {k}"), &cube, 1000.0, [1.85, 0.0, 0.1 + 0.2 * k as f64]);
        body.velocity[0] = if k == 0 { 100.0 } else { 0.0 };
        yard.builder.body(body);
    }
    let mut simulation = yard.simulation(1e-3);
    let mut force = [0.0; 3];
    let (ledger, _) = observe(&mut simulation, 3000, |frame| {
        force = support(frame);
        for contact in contacts(frame) {
            let there = |i: usize| {
                i >= frame.model.rigid.bodies.len() || frame.before.presence[i] == Presence::Present
            };
            assert!(contact.pair.into_iter().all(there), "a body that is gone touches another");
        }
    });
    assert_eq!(simulation.state.presence, [Presence::Removed, Presence::Present, Presence::Present]);
    let q = &simulation.state.q;
    // The landing overlaps by at most h v = 1e-3 · 2 m/s.
    assert!((q[7 + 2] - 0.1).abs() < 2e-3 && (q[14 + 2] - 0.3).abs() < 4e-3, "{q:?}");
    assert!((force[2] / (16.0 * 9.81) - 1.0).abs() < 1e-8, "{force:?}");
    assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:.2e}", ledger.worst_remainder);
}

/// A small hopper: balls are born above a funnel of four slopes, fall through its mouth and leave below.
#[test]
fn a_hopper_runs_empty() {
    let mut yard = Yard::new(0.3, 0.0);
    yard.builder.region(Region { low: [-3.0, -3.0, -1.0], high: [3.0, 3.0, 6.0] });
    // Plates that lean inwards; the mouth is 0.5 m wide at z = 0.
    let plate = Shape::cuboid([1.0, 2.0, 0.05]).unwrap();
    for side in 0..4 {
        let angle = std::f64::consts::FRAC_PI_2 * f64::from(side);
        let lean = glam::DQuat::from_axis_angle(glam::DVec3::Y, -0.9);
        let turn = glam::DQuat::from_axis_angle(glam::DVec3::Z, angle);
        let out =
            turn * (glam::DVec3::new(0.25 + 0.05 * 0.9f64.sin(), 0.0, 0.0) + lean * glam::DVec3::X);
        let q = turn * lean;
        let part = Collider::space(plate.clone(), yard.material);
        let (position, rotation) = (out.to_array(), [q.w, q.x, q.y, q.z]);
        yard.builder.kinematic(KinematicBody {
            position,
            rotation,
            ..KinematicBody::new(&format!("plate {side}"), vec![part])
        });
    }
    let ball = Shape::ball(0.08).unwrap();
    let mut random = Random::new(7);
    let n: i32 = 40;
    for k in 0..n {
        // 25 places, each used again after 0.75 s.
        let place =
            [7 * k % 5, 7 * k / 5 % 5].map(|i| 0.2 * f64::from(i - 2) + random.between(-0.02, 0.02));
        let at = [place[0], place[1], 3.0 + random.between(0.0, 0.5)];
        let mut body = yard.body(&format!("ball {k}"), &ball, 1000.0, at);
        body.appears_at = Some(0.03 * f64::from(k) + 1e-3);
        yard.builder.body(body);
    }
    let mut simulation = yard.simulation(2e-3);
    let (mut most, mut keys) = (0, 0);
    let (ledger, summary) = observe(&mut simulation, 3000, |frame| {
        most = most.max(frame.after.presence.iter().filter(|life| **life == Presence::Present).count());
        keys = keys.max(frame.log.constraints.len());
        assert!(frame.log.constraints.ids.windows(2).all(|w| w[0] < w[1]), "keys are sorted and unique");
    });
    assert!(
        simulation.state.presence.iter().all(|life| *life == Presence::Removed),
        "{:?}",
        simulation.state.presence
    );
    assert!(most > 5 && keys > 5, "{most} {keys}");
    assert_eq!(summary.unconverged, 0);
    assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:.2e}", ledger.worst_remainder);
    let end = ledger.initial.kinetic + ledger.initial.potential + ledger.total.sum();
    assert!(end.abs() <= 1e-9 * ledger.scale, "all that came has left: {end:.2e} J remain");
}

/// A source that is blocked: the third ball would appear inside of the second, which rests on the first.
#[test]
fn a_body_is_not_born_inside_of_another() {
    let source = |allow: bool, born: [f64; 3]| {
        let mut yard = Yard::new(0.5, 0.0);
        yard.floor();
        let ball = Shape::ball(0.1).unwrap();
        for (k, born) in born.into_iter().enumerate() {
            let mut body = yard.body(&format!("ball {k}"), &ball, 1000.0, [0.0, 0.0, 0.35]);
            body.appears_at = Some(born);
            yard.builder.body(body);
        }
        if allow {
            yard.builder.allow_initial_violation();
        }
        yard
    };
    let times = [0.0, 0.5, 1.0];
    let mut simulation = source(false, times).simulation(1e-3);
    let error = simulation.run(2000, &mut []).expect_err("the place is taken");
    let text = error.to_string();
    for words in [
        "body `ball 2` would appear inside of `ball 1`, 1.4",
        "m deep, at t = 1 s",
        "later or elsewhere",
    ] {
        assert!(text.contains(words), "{text}");
    }
    let RunError::Step { source: StepError::AppearsInside { depth, t, .. }, .. } = error else {
        panic!("{text}")
    };
    // The second rests at 0.3 m, less what it and the first sank in when they landed at 1.4 and 2.2 m/s: h v at most.
    assert!(depth < 0.15 && depth > 0.15 - 4e-3, "{depth}");
    assert_eq!(t, 1.0);
    // The state is the last good one.
    assert_eq!(simulation.state.step, 999);
    assert_eq!(simulation.state.presence[2], Presence::Pending);
    source(true, times).simulation(1e-3).run(2000, &mut []).expect("it is allowed");
}

/// What is fixed, and who comes at the same time, is known before the run.
#[test]
fn births_inside_of_others_are_foreseen() {
    let mut yard = Yard::new(0.5, 0.0);
    yard.floor();
    let ball = Shape::ball(0.1).unwrap();
    let heights = [(0.08, 1.0), (0.5, 2.0), (0.6, 2.0), (0.5, 3.0), (0.0995, 4.0)];
    for (k, (z, born)) in heights.into_iter().enumerate() {
        let mut body = yard.body(&format!("ball {k}"), &ball, 1000.0, [0.0, 0.0, z]);
        body.appears_at = Some(born);
        yard.builder.body(body);
    }
    let text = yard.builder.build(0.0).err().expect("two overlaps").to_string();
    for words in [
        "`floor` and `ball 0` overlap by 2.000000e-2 m when the latter appears at t = 1 s",
        "`ball 2` and `ball 1` overlap by 1.000000e-1 m when the latter appears at t = 2 s",
    ] {
        assert!(text.contains(words), "{text}");
    }
    // Half a per cent of the radius is not deep.
    assert!(!text.contains("ball 3") && !text.contains("ball 4"), "{text}");
}
