//! Schatzman–Paoli: the reference table, the recurrence written by hand, start-ups, orders, joints, the ledger.

use super::{run, simulate};
use crate::kit::{
    Bilateral, Built, Coulomb, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Refusal,
    Simulation, Sparse, Trajectory,
};
use crate::models::{self, Rod, Shaken};
use crate::nonlinear::{DoublePendulum, SineSum};
use crate::schemes::academic::{EXAMPLES, assert_first_order};
use crate::{integrator, order};
use nonsmooth_testkit::Table;

const NAME: &str = "schatzman-paoli";
const STARTS: [(&str, f64); 3] = [("second-order", 0.5), ("first-order", 1.0), ("backward", 0.0)];

fn start(word: &str) -> Options {
    Options::default().with_word("start", word)
}

/// A ball of mass m under gravity above a floor.
fn ball(m: f64, e: f64, q: f64, v: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[m])).load(&[-9.81 * m]).initial(&[q], &[v]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn bouncing_ball_schatzman_paoli() {
    let table = Table::read("bouncing_ball_schatzman_paoli");
    let h = 0.005;
    let ours = run(ball(1.0, 0.9, 1.0, 0.0), (NAME, &start("backward")), h, 2000);
    assert_eq!(table.rows.len(), ours.t.len());
    // From the spec: 1e-8 before t = 6, then an accumulation amplifies rounding.
    let before = |k: usize| table.rows[k][0] < 6.0;
    type Column<'a> = (&'a str, usize, f64, &'a dyn Fn(usize) -> f64);
    let columns: [Column<'_>; 5] = [
        ("t", 0, 1e-12, &|k| ours.t[k]),
        ("q", 1, 1e-5, &|k| ours.q[k][0]),
        ("v", 2, 2e-3, &|k| ours.v[k][0]),
        // The table's multiplier has units of impulse times h; the accumulation reaches it through h v.
        ("p", 3, 2e-3 * h, &|k| h * ours.impulses[k][0]),
        ("lambda", 4, 2e-3 * h, &|k| h * ours.impulses[k][0]),
    ];
    for (name, column, whole, value) in columns {
        table.check(name, whole, value);
        let far = (0..table.rows.len()).filter(|&k| before(k));
        let far = far.fold(0.0f64, |m, k| m.max((value(k) - table.rows[k][column]).abs()));
        eprintln!("{name}: {far:.1e} before t = 6");
        assert!(far < 1e-8, "{name}: {far:.1e} before t = 6");
    }
}

/// (q, (q⁺ − q⁻)/2h, p) of m q̈ = −c q̇ − k q + a sin(ωt) over a floor at s sin(2t), by the recurrence for positions.
fn by_hand(sigma: f64, e: f64, h: f64, n: usize) -> Vec<[f64; 3]> {
    let f = |t: f64, q: f64, w: f64| 20.0 * (5.0 * t).sin() - 9.0 * q - 0.5 * w;
    let (m, floor) = (1.7, |t: f64| 0.1 * (2.0 * t).sin());
    let (mut q, v) = (0.4, 0.3);
    let mut before = q - h * v + sigma * h * h / m * f(0.0, q, v);
    let mut rows = vec![[q, v, 0.0]];
    for k in 0..n {
        let t = k as f64 * h;
        let free = 2.0 * q - before + h * h / m * f(t, q, (q - before) / h);
        // 0 ≤ g(q*, t*): q⁺ + e q⁻ ≥ (1 + e) s(t*).
        let height = floor(t + h * (1.0 - e) / (1.0 + e));
        let next = free.max((1.0 + e) * height - e * before);
        rows.push([next, (next - before) / (2.0 * h), m * (next - free) / h]);
        (before, q) = (q, next);
    }
    rows
}

fn shaken(e: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let system = Linear::new("mass", Sparse::diagonal(&[1.7]))
        .damping(Sparse::diagonal(&[0.5]))
        .stiffness(Sparse::diagonal(&[9.0]))
        .force(|t, out| {
            out[0] = 20.0 * (5.0 * t).sin();
            Ok(())
        });
    let mass = builder.linear(system.initial(&[0.4], &[0.3]));
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    builder.gap("floor", law, &[(mass, 0)], Shaken { amplitude: 0.1, frequency: 2.0 });
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn a_shaken_mass_follows_the_recurrence_written_by_hand() {
    let (h, n) = (2.3e-3, 2000);
    for (word, sigma) in STARTS {
        for e in [0.0, 0.5, 1.0] {
            let ours = run(shaken(e), (NAME, &start(word)), h, n as u64);
            let hand = by_hand(sigma, e, h, n);
            let mut impacts = 0;
            for k in 1..=n {
                let [q, v, p] = hand[k];
                impacts += usize::from(p > 0.0);
                let far = (ours.q[k][0] - q).abs().max((ours.impulses[k][0] - p).abs() * h);
                // The hand's second differences round by ε/h per step; q and h p agree to what that leaves after 2000.
                assert!(far < 1e-10, "{word}, e = {e}, step {k}: {far:.1e}");
                assert!((ours.v[k][0] - v).abs() < 1e-7, "{word}, e = {e}, step {k}");
            }
            assert!(impacts > 5, "{impacts} steps with an impulse");
        }
    }
}

#[test]
fn the_orders_are_one_in_position_and_in_l1_of_the_velocity() {
    for example in &EXAMPLES {
        for (word, _) in STARTS {
            assert_first_order(example, (NAME, &start(word)));
        }
    }
}

#[test]
fn in_free_flight_the_order_of_the_position_is_that_of_the_start() {
    for (word, expected) in [("second-order", 2.0), ("first-order", 1.0), ("backward", 1.0)] {
        let error = |n: u64| {
            let mut builder = ModelBuilder::new();
            let system = Linear::new("oscillator", Sparse::diagonal(&[1.0]));
            builder.linear(system.stiffness(Sparse::diagonal(&[4.0])).initial(&[0.5], &[1.0]));
            let ours = run(builder.build(0.0).unwrap(), (NAME, &start(word)), 2.0 / n as f64, n);
            let exact = |t: f64| 0.5 * (2.0 * t).cos() + 0.5 * (2.0 * t).sin();
            (0..ours.t.len()).fold(0.0f64, |m, k| m.max((ours.q[k][0] - exact(ours.t[k])).abs()))
        };
        let measured = order(error(400), error(800), 2.0);
        eprintln!("{word}: order {measured:.3} in free flight");
        assert!((measured - expected).abs() < 0.02, "{word}: order {measured:.3}");
    }
}

/// A double pendulum beside a wall: sin a + sin b ≥ 0.
fn pendulum() -> Built {
    let mut builder = ModelBuilder::new();
    let dynamics = DoublePendulum { gravity: 10.0 };
    let pendulum = builder.lagrangian("pendulum", &["a", "b"], dynamics, &[0.3, 0.2], &[0.0; 2]);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    builder.gap("wall", law, &[(pendulum, 0), (pendulum, 1)], SineSum);
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn a_double_pendulum_at_a_wall_converges_with_order_one() {
    let (end, step) = (2.6, 3e-6);
    let fine = run(pendulum(), ("moreau-jean", &Options::default()), step, (end / step) as u64 + 1);
    let l1 = |ours: &Trajectory| {
        let far = |k: usize| {
            let at = (ours.t[k] / step).round() as usize;
            (0..2).map(|i| (ours.q[k][i] - fine.q[at][i]).abs()).sum::<f64>()
        };
        ours.t[1] * (0..ours.t.len()).map(far).sum::<f64>()
    };
    let mean = |first: u64| {
        let runs = (0..12).map(|i| {
            let n = first + 7 * i;
            l1(&run(pendulum(), (NAME, &Options::default()), end / n as f64, n)) / 12.0
        });
        runs.sum::<f64>()
    };
    let (coarse, fine) = (mean(509), mean(4019));
    let measured = order(coarse, fine, 4019.0 / 509.0);
    eprintln!("{coarse:.1e} → {fine:.1e}, order {measured:.3}");
    assert!((measured - 1.0).abs() < 0.12, "order {measured:.3}");
}

#[test]
fn a_joint_holds_to_rounding_because_it_is_imposed_on_positions() {
    let mut builder = ModelBuilder::new();
    let bob = Linear::new("bob", Sparse::diagonal(&[1.0, 1.0])).load(&[0.0, -9.81]);
    let bob = builder.linear(bob.initial(&[1.0, 0.0], &[0.0, 0.0]));
    let joint = builder.law("joint", Bilateral);
    builder.gap("rod", joint, &[(bob, 0), (bob, 1)], Rod);
    let mut simulation = simulate(builder.build(0.0).unwrap(), (NAME, &Options::default()), 0.005);
    for _ in 0..2000 {
        let frame = simulation.step().expect("a good step");
        // Newton stops at a change of 1e-12 of the velocity, 5 m/s, times h; the rest is quadratic.
        assert!(frame.log.gaps[0].abs() < 1e-13, "{}", frame.log.gaps[0]);
    }
}

#[test]
fn the_ledger_of_linear_systems_closes_to_rounding() {
    for (word, _) in STARTS {
        for e in [0.0, 0.5, 1.0] {
            for model in [shaken(e), ball(1.3, e, 1.0, 0.2)] {
                let mut simulation = simulate(model, (NAME, &start(word)), 2.3e-3);
                let mut ledger = EnergyLedger::default();
                simulation.run(2000, &mut [&mut ledger]).expect("it runs");
                let relative = ledger.worst_remainder / ledger.scale;
                assert!(relative < 4e-15, "{word}, e = {e}: remainder {relative:.1e}, {ledger:?}");
            }
        }
    }
    // An impact without forces takes ½ (1 − e²) m v², in its two steps together.
    let mut builder = ModelBuilder::new();
    let free = Linear::new("free", Sparse::diagonal(&[2.0])).initial(&[0.5], &[-1.0]);
    let free = builder.linear(free);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.6 });
    builder.linear_gap("floor", law, &[(free, 0, 1.0)], 0.0);
    let mut simulation = simulate(builder.build(0.0).unwrap(), (NAME, &Options::default()), 0.0173);
    let mut ledger = EnergyLedger::default();
    simulation.run(60, &mut [&mut ledger]).expect("it runs");
    assert!((simulation.state.v[0] - 0.6).abs() < 1e-13, "{:?}", simulation.state.v);
    let taken = ledger.total.impact + ledger.total.contact;
    assert!((taken + 1.0 - 0.36).abs() < 1e-13, "{ledger:?}");
}

#[test]
fn a_ball_at_rest_stays_at_rest_and_feels_its_weight() {
    for e in [0.0, 0.7] {
        let ours = run(ball(2.0, e, 0.0, 0.0), (NAME, &start("backward")), 0.01, 100);
        for k in 1..ours.t.len() {
            assert_eq!((ours.q[k][0], ours.v[k][0]), (0.0, 0.0), "step {k}");
            assert!((ours.impulses[k][0] - 2.0 * 9.81 * 0.01).abs() < 1e-15, "step {k}");
        }
    }
}

#[test]
fn friction_and_constraints_of_velocities_that_may_open_are_refused() {
    let refusal = |builder: ModelBuilder| {
        let (model, state) = builder.build(0.0).expect("the model is sound");
        let made = Simulation::new(model, state, integrator(NAME, &Options::default()), 0.01);
        made.err().expect("it is refused")
    };
    let mut builder = ModelBuilder::new();
    let block = builder.linear(Linear::new("block", Sparse::diagonal(&[1.0, 1.0])));
    let rough = builder.law("rough", Coulomb { friction: 0.3, ..Coulomb::default() });
    builder.linear_contact("floor", rough, &[(block, 0, 1.0)], 0.0, &[&[(block, 1, 1.0)]]);
    let refused = refusal(builder);
    assert!(matches!(refused, Refusal::Frictionless { .. }), "{refused}");
    let mut builder = ModelBuilder::new();
    let block = builder.linear(Linear::new("block", Sparse::diagonal(&[1.0])));
    let stop = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.velocity_constraint("brake", stop, &[(block, 0)], models::FirstVelocity);
    let text = refusal(builder).to_string();
    assert!(text.contains("`brake`") && text.contains("moreau-jean"), "{text}");
}

/// At rest with every start and every e. A ball that starts upwards from the floor
/// does not rest.
#[test]
fn what_rests_at_the_start_stays_at_rest() {
    for (word, _) in STARTS {
        for e in [0.0, 0.3, 0.9, 1.0] {
            let ours = run(ball(2.0, e, 0.0, 0.0), (NAME, &start(word)), 0.01, 200);
            let far = ours.q.iter().fold(0.0f64, |m, q| m.max(q[0].abs()));
            assert!(far < 1e-15, "{word}, {e}: {far:e}");
            for p in ours.impulses.iter().skip(1) {
                assert!((p[0] - 0.01 * 2.0 * 9.81).abs() < 1e-12, "{word}, {e}: {p:?}");
            }
            let up = run(ball(2.0, e, 0.0, 1.0), (NAME, &start(word)), 0.01, 10);
            assert!(up.q[10][0] > 0.04, "{word}, {e}: {:?}", up.q[10]);
        }
    }
}
