//! Moreau–Jean with projection: joints that do not drift, contacts that do not overlap, and what that costs in energy.

mod bodies;

use crate::integrator;
use crate::kit::{
    Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Refusal, RunError, Simulation,
    Sparse, StepError, Trajectory,
};
use crate::models::{self, ball, bob};

/// Default of `projection_tolerance` [m].
const TOLERANCE: f64 = 1e-10;

fn direct() -> Options {
    Options::default()
}

fn combined() -> Options {
    Options::default().with_word("projection", "combined")
}

fn simulation((model, state): Built, options: &Options, h: f64) -> Simulation {
    Simulation::new(model, state, integrator("moreau-projected", options), h).expect("accepted")
}

fn run(made: Built, options: &Options, h: f64, n: u64) -> (Trajectory, EnergyLedger) {
    let (mut trajectory, mut ledger) = (Trajectory::default(), EnergyLedger::default());
    let mut simulation = simulation(made, options, h);
    simulation.run(n, &mut [&mut trajectory, &mut ledger]).expect("the run ends well");
    (trajectory, ledger)
}

fn lowest(trajectory: &Trajectory) -> f64 {
    trajectory.gaps.iter().flatten().fold(0.0, |m, gap| m.min(*gap))
}

#[test]
fn joints_end_every_step_where_they_belong() {
    for options in [direct(), combined()] {
        let (ours, ledger) = run(bob(), &options, 0.01, 1000);
        for (t, gaps) in ours.t.iter().zip(&ours.gaps) {
            assert!(gaps[0].abs() <= TOLERANCE, "gap {:e} at t = {t}", gaps[0]);
        }
        // The system is linear although the joint is not: every joule is explained, and the projection has its share.
        assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
        assert!(ledger.total.projection != 0.0);
        assert_eq!(ledger.total.scheme, 0.0);
    }
    let scheme = integrator("moreau-jean", &Options::default());
    let (model, state) = bob();
    let mut plain = Simulation::new(model, state, scheme, 0.01).expect("accepted");
    let mut trajectory = Trajectory::default();
    plain.run(1000, &mut [&mut trajectory]).expect("a good run");
    let drift = trajectory.gaps.iter().fold(0.0f64, |m, gaps| m.max(gaps[0].abs()));
    assert!(drift > 1e-4, "without projection the joint drifts by {drift:.1e}");
}

/// A contact is at rest with y = 0 to the tolerance, neither falling nor jumping, and carries its weight.
#[test]
fn a_resting_contact_stays_closed() {
    for options in [direct(), combined(), direct().with_word("project", "all")] {
        let h = 0.013;
        let (ours, ledger) = run(ball(3.0, 0.0), &options, h, 500);
        for k in 100..=500 {
            let (y, v, p) = (ours.q[k][0], ours.v[k][0], ours.impulses[k][0]);
            assert!(y.abs() <= TOLERANCE && v.abs() < 1e-12, "y = {y:e}, v = {v:e} at step {k}");
            assert!((p - 6.0 * h).abs() < 1e-11, "p = {p} at step {k}");
        }
        assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
    }
}

/// With restitution a combined projection comes to rest, and a direct one rattles, as its header says.
#[test]
fn the_end_of_an_accumulation_is_rest_or_a_rattle() {
    let (h, e, n) = (0.0013, 0.5, 5000);
    let (ours, _) = run(ball(3.0, e), &combined(), h, n);
    for k in 4000..=n as usize {
        assert!(ours.q[k][0].abs() <= TOLERANCE && ours.v[k][0].abs() < 1e-12, "{k}: {:?}", ours.v[k]);
    }
    let (ours, _) = run(ball(3.0, e), &direct(), h, n);
    let up = e * 2.0 * h / (1.0 + e);
    for k in 4000..n as usize {
        let (now, then) = (ours.v[k][0].max(ours.v[k + 1][0]), ours.impulses[k][0] > 0.0);
        assert!((now - up).abs() < 1e-12, "{k}: {now} {up}");
        assert!(then != (ours.impulses[k + 1][0] > 0.0), "{k}");
    }
}

/// The energy of the projection is that of the weight moved: load times distance.
#[test]
fn the_ledger_holds_what_the_projection_adds() {
    let h = 0.013;
    let mut simulation = simulation(ball(3.0, 0.5), &direct(), h);
    let mut moved = 0.0;
    for _ in 0..200 {
        let frame = simulation.step().expect("a good step");
        let (v, w) = (frame.before.v[0], frame.after.v[0]);
        let step = frame.after.q[0] - (frame.before.q[0] + 0.5 * h * (v + w));
        let found = frame.log.works.projection;
        assert!((found - 6.0 * step).abs() < 1e-13, "{found} {step}");
        moved += step;
    }
    assert!(moved > 1e-4, "{moved}");
}

/// Two masses pressed together are moved apart in the metric of M: the common centre of mass stays.
#[test]
fn the_projection_is_the_shortest_in_the_metric_of_the_mass() {
    let mut builder = ModelBuilder::new();
    let a = builder.linear(Linear::new("a", Sparse::diagonal(&[1.0])).initial(&[0.0], &[1.0]));
    let b = builder.linear(Linear::new("b", Sparse::diagonal(&[4.0])).initial(&[0.1], &[-1.0]));
    let law = builder.law("plastic", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("between", law, &[(b, 0, 1.0), (a, 0, -1.0)], 0.0);
    let made = builder.build(0.0).expect("a right model");
    // One step enters by 0.1 before the contact is seen, the next stops both and moves them apart.
    let (ours, _) = run(made, &direct().with("gamma", 0.0), 0.1, 3);
    assert!((ours.gaps[1][0] + 0.1).abs() < 1e-15);
    for k in 2..=3 {
        assert!(ours.gaps[k][0].abs() <= TOLERANCE, "{:?}", ours.gaps[k]);
    }
    for k in 1..=3 {
        let centre = ours.q[k][0] + 4.0 * ours.q[k][1];
        assert!((centre - (0.4 - 3.0 * 0.1 * k as f64)).abs() < 1e-14, "{:?}", ours.q[k]);
    }
}

fn beads(n: usize) -> Built {
    let mut builder = ModelBuilder::new();
    let law = builder.law("rebound", NewtonImpact { restitution: 0.8 });
    let mut below = None;
    for i in 0..n {
        let start = [0.5 + 0.25 * i as f64];
        let bead = Linear::new(&format!("bead {i}"), Sparse::diagonal(&[1.0 + i as f64]));
        let bead = builder.linear(bead.load(&[-9.81 * (1.0 + i as f64)]).initial(&start, &[0.0]));
        match below {
            None => builder.linear_gap("floor", law, &[(bead, 0, 1.0)], -0.1),
            Some(below) => {
                let name = format!("under bead {i}");
                builder.linear_gap(&name, law, &[(bead, 0, 1.0), (below, 0, -1.0)], -0.2);
            }
        }
        below = Some(bead);
    }
    builder.build(0.0).expect("a right model")
}

#[test]
fn nothing_overlaps_where_the_scheme_says_so() {
    let h = 2e-3;
    // Rounding of sums of size 3 comes on top of the tolerance.
    let floor = -TOLERANCE - 1e-15;
    let (ours, ledger) = run(beads(6), &combined(), h, 1500);
    assert!(lowest(&ours) >= floor, "combined: {:e}", lowest(&ours));
    assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
    let (ours, _) = run(beads(6), &direct().with_word("project", "all"), h, 1500);
    assert!(lowest(&ours) >= floor, "direct, all: {:e}", lowest(&ours));
    // Contacts that did not take part keep their overlap, of the order of a step, until they do.
    let (ours, _) = run(beads(6), &direct(), h, 1500);
    assert!(lowest(&ours) < -1e-4 && lowest(&ours) > -0.02, "direct: {:e}", lowest(&ours));
}

/// Errors of the ball through two impacts, up to t = 2.3 s.
fn ball_errors(options: &Options, n: u64) -> [f64; 3] {
    models::ball_errors(&run(ball(3.0, 0.5), options, 2.3 / n as f64, n).0)
}

#[test]
fn it_is_of_order_one_through_impacts() {
    for options in [direct(), combined(), direct().with_word("project", "all")] {
        models::assert_order_one(|n| ball_errors(&options, n));
    }
}

#[test]
fn what_cannot_be_honoured_is_refused() {
    let (model, state) = ball(3.0, 0.5);
    let scheme = integrator("moreau-projected", &combined().with_word("project", "all"));
    let refusal = Simulation::new(model, state, scheme, 0.1).err().expect("refused");
    assert!(matches!(refusal, Refusal::IdleOption { option: "project", .. }), "{refusal}");
    // One pass cannot reach a round rod to 1e-16.
    let hasty = direct().with("projection_iterations", 1.0).with("projection_tolerance", 1e-16);
    let error = simulation(bob(), &hasty, 0.1).step().err().expect("fails");
    let RunError::Step { source, .. } = error else { panic!("not a step: {error}") };
    assert!(matches!(source, StepError::Projection { iterations: 1, .. }), "{source}");
    assert!(source.to_string().contains("`rod`"), "{source}");
}

/// No bit depends on scratch.
#[test]
fn scratch_does_not_matter() {
    for (made, options) in [
        (beads as fn(usize) -> Built, combined()),
        (beads, direct().with_word("project", "all")),
        (|_| bob(), direct()),
    ] {
        let (mut plain, mut poisoned) =
            (simulation(made(4), &options, 0.003), simulation(made(4), &options, 0.003));
        for k in 0..400 {
            poisoned.reset();
            plain.step().expect("a good step");
            poisoned.step().expect("a good step");
            assert_eq!(plain.state, poisoned.state, "step {k}");
        }
    }
}
