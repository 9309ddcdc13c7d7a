//! What holds for every step with bodies: scratch does not matter, a failed step leaves the state, a checkpoint
//! continues the run, and schemes that do not take bodies say so.

use super::prelude::*;
use nonsmooth::Instant;
use nonsmooth_geometry::spatial::Shape;

/// Boxes, balls and capsules fall on each other; some are tied by springs, one is born later, one is shaken.
fn heap(name: &str, springs: bool, h: f64) -> Simulation {
    let mut yard = Yard::new(0.4, 0.2);
    let ice = yard.builder.material("ice");
    let smooth = yard.builder.law("smooth", NewtonImpact { restitution: 0.5 });
    yard.builder.pair(yard.material, ice, smooth);
    yard.builder.pair(ice, ice, smooth);
    let floor = Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape");
    yard.drive("floor", floor, |t| {
        shifted([0.01 * (20.0 * t).sin(), 0.0, 0.0], [0.2 * (20.0 * t).cos(), 0.0, 0.0])
    });
    yard.builder.region(Region { low: [-5.0; 3], high: [5.0; 3] });
    let shapes = [
        Shape::cuboid([0.1, 0.08, 0.06]).expect("a right shape"),
        Shape::ball(0.1).expect("a right shape"),
        Shape::capsule(0.1, 0.06).expect("a right shape"),
    ];
    let mut random = Random::new(3);
    let mut ids = Vec::new();
    for k in 0..12 {
        let at = [0.13 * (k % 2) as f64, 0.12 * (k / 2 % 2) as f64, 0.2 + 0.3 * (k / 4) as f64];
        let mut body = yard.body(&format!("body {k}"), &shapes[k % 3], 1000.0, at);
        body.position[0] += 0.3 * (k % 2) as f64;
        body.position[1] += 0.3 * (k / 2 % 2) as f64;
        body.rotation = random.turn();
        body.angular_velocity = random.vector(2.0);
        body.appears_at = (k == 11).then_some(0.1);
        if k % 4 == 0 {
            body.colliders[0].material = ice;
        }
        ids.push(yard.builder.body(body));
        if k == 5 {
            let shake = |at: &Instant<'_>| Ok([0.0, 20.0 * (9.0 * at.t).sin(), 0.0, 0.0, 0.0, 1.0]);
            yard.builder.wrench(ids[k], false, Box::new(shake));
        }
    }
    if springs {
        let ends = [Anchor { on: ids[0], at: [0.1, 0.0, 0.0] }, Anchor { on: ids[7], at: [0.0; 3] }];
        yard.builder.spring(Spring {
            name: "first".into(),
            ends,
            stiffness: 200.0,
            damping: 1.0,
            rest_length: 0.3,
        });
        let ends = [Anchor { on: ids[3], at: [0.0, 0.05, 0.0] }, world([0.0, 0.0, 2.0])];
        yard.builder.spring(Spring {
            name: "second".into(),
            ends,
            stiffness: 50.0,
            damping: 0.0,
            rest_length: 1.0,
        });
    }
    let (model, state) = yard.builder.build(0.0).expect("a right model");
    Simulation::new(model, state, integrator(name, &Options::default()), h).expect("the scheme takes it")
}

fn same(a: &State, b: &State) -> bool {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    bits(&a.q) == bits(&b.q) && bits(&a.v) == bits(&b.v) && a == b
}

#[test]
fn scratch_does_not_matter() {
    for name in ["moreau-jean", "kick-drift", "moreau-projected"] {
        for springs in [false, true] {
            let (mut plain, mut poisoned) = (heap(name, springs, 2e-3), heap(name, springs, 2e-3));
            let mut n_touched = 0;
            for k in 0..300 {
                n_touched +=
                    plain.step().unwrap_or_else(|error| panic!("{error}")).log.constraints.len();
                poisoned.reset();
                poisoned.step().unwrap_or_else(|error| panic!("{error}"));
                assert!(
                    same(&plain.state, &poisoned.state),
                    "{name}, springs {springs}: step {}",
                    k + 1
                );
            }
            assert!(n_touched > 500, "they touch: {n_touched}");
        }
    }
}

/// A run that is taken up again from a copy of its state goes on bit by bit.
#[test]
fn a_checkpoint_continues_the_run() {
    for name in ["moreau-jean", "kick-drift", "moreau-projected"] {
        let mut whole = heap(name, true, 2e-3);
        whole.run(150, &mut []).unwrap();
        let kept = whole.state.clone();
        whole.run(150, &mut []).unwrap();
        let mut resumed = heap(name, true, 2e-3);
        resumed.resume(kept, 0.0);
        resumed.run(150, &mut []).unwrap();
        assert!(same(&whole.state, &resumed.state), "{name}");
    }
}

/// A force that becomes NaN at some time stops the run by name; the state is that before the step.
#[test]
fn a_failed_step_leaves_the_state() {
    let mut yard = Yard::new(0.4, 0.0);
    yard.floor();
    let body = yard.add("victim", &Shape::cuboid([0.1; 3]).unwrap(), 1000.0, [0.0, 0.0, 0.1]);
    let force = |at: &Instant<'_>| {
        let x = if at.t > 0.05 { f64::NAN } else { 10.0 };
        Ok([x, 0.0, 0.0, 0.0, 0.0, 0.0])
    };
    yard.builder.wrench(body, false, Box::new(force));
    let mut simulation = yard.simulation(1e-3);
    let mut last = simulation.state.clone();
    let error = loop {
        match simulation.step() {
            Ok(frame) => last = frame.after.clone().into(),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("victim"), "{error}");
    assert!(same(&last, &simulation.state));
    // And again, to the same end.
    assert!(simulation.step().is_err());
    assert!(same(&last, &simulation.state));
}

/// Every listed scheme either takes bodies or says that it does not and which one does.
#[test]
fn schemes_take_bodies_or_say_so() {
    for entry in INTEGRATORS {
        let mut yard = Yard::new(0.0, 0.0);
        yard.floor();
        yard.add("pebble", &Shape::ball(0.1).unwrap(), 1000.0, [0.0, 0.0, 0.1]);
        let (model, state) = yard.builder.build(0.0).unwrap();
        let scheme = integrator(entry.name, &Options::default());
        match Simulation::new(model, state, scheme, 1e-3) {
            Ok(mut simulation) => {
                let start = simulation.state.clone();
                simulation.run(100, &mut []).unwrap();
                assert!(moved(&start, &simulation.state) < 1e-9, "{}: it does not rest", entry.name);
            }
            Err(refusal) => {
                let text = refusal.to_string();
                assert!(text.contains("moreau-jean"), "{}: {text}", entry.name);
            }
        }
    }
}

/// With projection nothing overlaps by more than the tolerance after a step.
#[test]
fn projected_bodies_do_not_overlap() {
    let mut simulation = heap("moreau-projected", false, 2e-3);
    let mut worst = 0.0f64;
    for _ in 0..500 {
        let frame = simulation.step().unwrap_or_else(|error| panic!("{error}"));
        if frame.before.step > 0 {
            let log = &frame.log.constraints;
            let points = (0..log.len()).filter(|&c| frame.model.constraint_number(log.ids[c]).is_none());
            worst = points.fold(worst, |m, c| m.max(-log.gap[c]));
        }
    }
    // The default tolerance of the projection, and bodies that begin to touch within a step.
    assert!(worst < 2e-6, "overlap {worst:.2e}");
}

/// The pair with the largest overlap is not that with the largest relative to its size; the summary tells both.
#[test]
fn a_small_overlap_of_small_bodies_is_not_hidden_by_a_large_one() {
    let mut yard = Yard::new(0.0, 0.0);
    yard.builder.gravity([0.0; 3]);
    yard.builder.allow_initial_violation();
    for (name, radius, x, overlap) in [("large", 1.0, 0.0, 0.01), ("small", 0.01, 9.0, 0.002)] {
        let ball = Shape::ball(radius).expect("a right shape");
        yard.add(&format!("{name} left"), &ball, 1000.0, [x, 0.0, 0.0]);
        yard.add(&format!("{name} right"), &ball, 1000.0, [x + 2.0 * radius - overlap, 0.0, 0.0]);
    }
    let mut simulation = yard.simulation(1e-3);
    let (_, summary) = watch(&mut simulation, 1);
    assert!((summary.overlap - 0.01).abs() < 1e-12, "{}", summary.overlap);
    assert!((summary.relative_overlap - 0.2).abs() < 1e-12, "{}", summary.relative_overlap);
}
