//! Adaptive Moreau–Jean: work against precision, late impacts, forced steps, the ledger, what the log adds up.

use super::academic::{Errors, Example, ball, ball_exact, oscillator, oscillator_exact};
use super::{run, simulate};
use crate::kit::{
    Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation, Sparse,
    Summary, Trajectory,
};
use crate::order;

const NAME: &str = "moreau-adaptive";

fn tolerance(tolerance: f64) -> Options {
    Options::default().with("tolerance", tolerance).with("h_min", 1e-12)
}

/// Work (evaluations of the forces) and errors at the nodes of a coarse grid of about 40 steps, averaged over its
/// phase.
fn precision(example: &Example, options: &Options) -> (f64, Errors) {
    let (mut work, mut sum) = (0.0, Errors::default());
    // 37 steps would put nodes on the impacts of the ball.
    let grids = [33u64, 39, 41, 43, 47];
    for n in grids {
        let mut simulation = simulate((example.make)(), (NAME, options), example.end / n as f64);
        let (mut ours, mut summary) = (Trajectory::default(), Summary::default());
        simulation.run(n, &mut [&mut ours, &mut summary]).expect("it runs");
        let errors = Errors::of(&ours, example.exact);
        let share = 1.0 / grids.len() as f64;
        work += share * summary.counts.evaluations as f64;
        sum.l1_q += share * errors.l1_q;
        sum.max_q += share * errors.max_q;
        sum.l1_v += share * errors.l1_v;
    }
    (work, sum)
}

const BALL: Example = Example { name: "ball", make: ball, exact: ball_exact, end: 3.7001 };
const OSCILLATOR: Example =
    Example { name: "oscillator", make: oscillator, exact: oscillator_exact, end: 11.3 };

/// Slope of log error (L1 of q) against log work.
fn slope(example: &Example, theta: f64) -> f64 {
    let [coarse, fine] = [1e-3, 1e-5].map(|size| {
        let found = precision(example, &tolerance(size).with("theta", theta));
        eprintln!(
            "{}, θ = {theta}, tolerance {size:.0e}: work {:.0}, {:?}",
            example.name, found.0, found.1
        );
        found
    });
    order(coarse.1.l1_q, fine.1.l1_q, fine.0 / coarse.0)
}

#[test]
fn the_error_follows_the_tolerance() {
    for example in [&BALL, &OSCILLATOR] {
        let [coarse, fine] = [1e-3, 1e-5].map(|size| precision(example, &tolerance(size)).1);
        let pairs = [(coarse.l1_q, fine.l1_q), (coarse.max_q, fine.max_q), (coarse.l1_v, fine.l1_v)];
        let measured = pairs.map(|(a, b)| order(a, b, 100.0));
        eprintln!("{}: {coarse:?} → {fine:?}, orders {measured:.3?} in the tolerance", example.name);
        // Impacts bring errors of the size of the tolerance; smooth motion, whose steps grow as its cube root, brings
        // tolerance^⅔ in all. Five grids leave some scatter, and the few nodes near the accumulation more.
        assert!(measured[..2].iter().all(|order| (0.6..1.2).contains(order)), "{measured:.3?}");
        assert!(measured[2] > 0.6, "{measured:.3?}");
    }
}

#[test]
fn work_buys_more_precision_than_with_fixed_steps_for_theta_half() {
    let steep = slope(&BALL, 0.5);
    // Fixed steps: error inversely proportional to work.
    let fixed = |n: u64| Errors::mean(&BALL, ("moreau-jean", &Options::default()), (n, 12)).l1_q;
    let fixed = order(fixed(1009), fixed(8017), 8017.0 / 1009.0);
    let (damped, smooth) = (slope(&BALL, 1.0), slope(&OSCILLATOR, 0.5));
    eprintln!("slopes: θ = ½ {steep:.2} and {smooth:.2}, θ = 1 {damped:.2}, fixed {fixed:.2}");
    assert!(steep > 2.0 * fixed, "slope {steep:.2} against {fixed:.2}");
    // The oscillator's smooth motion is of second order.
    assert!(smooth > 1.6 * fixed, "slope {smooth:.2} against {fixed:.2}");
    // With θ = 1 free flight costs as much as the impacts.
    assert!(damped < 1.5 * fixed, "slope {damped:.2} for θ = 1");
}

/// A ball thrown at the floor without gravity; it arrives at t = `arrival`.
fn thrown(arrival: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).initial(&[arrival], &[-1.0]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn an_impact_late_in_the_step_is_not_missed() {
    // In [0, 0.1] both solutions of the first attempt miss an impact after 0.075; the penetration tells.
    for arrival in [0.01, 0.03, 0.06, 0.08, 0.09, 0.099] {
        let ours = run(thrown(arrival), (NAME, &tolerance(1e-4)), 0.1, 3);
        let deepest = ours.q.iter().fold(0.0f64, |m, q| m.max(-q[0]));
        assert!(deepest <= 1e-4, "arrival at {arrival}: {deepest:.1e} m deep");
        let exact = 0.5 * (0.3 - arrival);
        let far = (ours.q[3][0] - exact).abs();
        // The impact is placed within a step of tolerance/|Δv|, and leaves at most the tolerance of penetration.
        assert!(far < 3e-4, "arrival at {arrival}: {far:.1e} m off");
        assert_eq!(ours.v[3][0], 0.5, "arrival at {arrival}");
    }
}

#[test]
fn steps_of_h_min_are_kept_and_noted() {
    let options = Options::default().with("tolerance", 1e-9).with("h_min", 1e-3);
    let mut simulation = simulate(thrown(0.0523), (NAME, &options), 0.1);
    let mut summary = Summary::default();
    simulation.run(2, &mut [&mut summary]).expect("it runs");
    let note = summary.notes.iter().find(|note| note.what.contains("h_min")).expect("a note");
    assert!(note.count >= 1 && note.largest > 1.0, "{note:?}");
    assert_eq!(simulation.state.v[0], 0.5);
}

#[test]
fn inner_steps_stay_below_h_max_and_end_with_the_step_of_the_run() {
    let options = tolerance(1e-2).with("h_max", 7e-3);
    let mut simulation = simulate(thrown(10.0), (NAME, &options), 0.1);
    let frame = simulation.step().expect("a good step");
    // 13 steps of 7 ms and the rest halved.
    assert_eq!((frame.log.counts.steps, frame.log.counts.rejected), (15, 0));
    // Each inner step is made three times.
    assert_eq!(frame.log.counts.evaluations, 45);
    assert_eq!((frame.after.t, frame.after.step, frame.after.step_size), (0.1, 1, 0.1));
    // Rounding of 30 sums of size 10.
    assert!((frame.after.q[0] - 9.9).abs() < 1e-13);
    assert_eq!(frame.after.scheme, [7e-3]);
}

/// Two masses on springs, damped and shaken, between two stops.
fn shaken(e: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let matrix = |rows: [[f64; 2]; 2]| Sparse::from_rows(&rows.map(|row| row.to_vec()));
    let system = Linear::new("pair", matrix([[2.0, 0.5], [0.5, 1.0]]))
        .stiffness(matrix([[9.0, -4.0], [-4.0, 6.0]]))
        .damping(matrix([[0.3, 0.0], [0.0, 0.1]]))
        .load(&[1.0, -2.0])
        .force(|t, out| {
            out[1] = 5.0 * (3.0 * t).cos();
            Ok(())
        });
    let pair = builder.linear(system.initial(&[0.4, 0.3], &[0.0, 1.0]));
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    builder.linear_gap("floor", law, &[(pair, 1, 1.0)], 0.0);
    builder.linear_gap("pair", law, &[(pair, 0, 1.0), (pair, 1, 0.5)], 0.0);
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn the_ledger_closes_and_the_log_adds_up() {
    let cases = [
        (shaken(0.0), 0.5, 0.05),
        (shaken(0.5), 0.5, 0.05),
        (shaken(0.8), 1.0, 0.05),
        (ball(), 0.5, 0.7),
    ];
    for (i, (model, theta, h)) in cases.into_iter().enumerate() {
        let options = tolerance(1e-4).with("theta", theta);
        let mut simulation = simulate(model, (NAME, &options), h);
        let (mut events, mut several) = (0, 0);
        let mut ledger = EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite");
        for step in 1..=200 {
            let frame = simulation.step().expect("a good step");
            let log = frame.log;
            ledger.book(log.energies, log.works);
            // Columns are those of the contacts, contacts are sorted, events lie inside the step, in order.
            let work: f64 = log.constraints.work.iter().sum();
            let booked = log.works.contact + log.works.impact;
            assert!((work - booked).abs() < 1e-13, "step {step}: {work} J");
            assert!(log.constraints.ids.is_sorted() && log.constraints.ids.len() <= 2, "step {step}");
            assert!(log.events.is_sorted_by(|a, b| a.t <= b.t), "step {step}");
            let inside = |t: f64| t > frame.before.t && t <= frame.after.t;
            assert!(log.events.iter().all(|event| inside(event.t)), "step {step}: {:?}", log.events);
            events += log.events.len();
            several += usize::from(log.events.len() > 1);
            assert!(log.constraints.impulse.iter().all(|p| *p >= 0.0));
        }
        // Some hundred inner steps add their rounding in each step of the run.
        let relative = ledger.worst_remainder / ledger.scale;
        assert!(relative < 1e-13, "case {i}, θ = {theta}: remainder {relative:.1e}");
        // The ball bounces many times before it rests at t = 3, several times in one step.
        assert!(events > 5 && (i < 3 || several > 0), "case {i}: {events} events, {several}");
    }
}

#[test]
fn the_run_does_not_depend_on_where_it_is_cut() {
    let whole = run(shaken(0.5), (NAME, &tolerance(1e-4)), 0.05, 100);
    let mut first = simulate(shaken(0.5), (NAME, &tolerance(1e-4)), 0.05);
    first.run(43, &mut []).expect("it runs");
    let mut second = simulate(shaken(0.5), (NAME, &tolerance(1e-4)), 0.05);
    second.resume(first.state.clone(), 0.0);
    second.run(57, &mut []).expect("it runs");
    assert_eq!((&second.state.q, &second.state.v), (&whole.q[100], &whole.v[100]));
}

#[test]
fn bounds_that_cross_are_refused() {
    let options = Options::default().with("h_min", 1e-2).with("h_max", 1e-3);
    let (model, state) = thrown(1.0);
    let refused = Simulation::new(model, state, super::build(NAME, &options), 0.1).err();
    assert_eq!(refused, Some(Refusal::StepBounds { h_min: 1e-2, h_max: 1e-3 }));
}
