//! Splitting: order one whatever the flow, sinking at rest without lasting contact force and not with it.

use crate::by_name::{built, run};
use crate::high_order::oracles;
use crate::kit::{
    Bilateral, Built, EnergyLedger, Gap, Linear, NewtonImpact, Options, Sparse, Summary, UserError,
};

/// q'' + q = load + r, q ≥ 0, e = ½, from (1, 0).
fn oscillator(load: f64) -> Built {
    built(|builder| {
        let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).stiffness(Sparse::diagonal(&[1.0]));
        let mass = builder.linear(mass.load(&[load]).initial(&[1.0], &[0.0]));
        let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
        builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
    })
}

/// L1 errors of q and of v after `n` steps to t = 5.
fn l1(load: f64, options: &Options, n: u64) -> [f64; 2] {
    let exact = if load == 0.0 { oracles::oscillator } else { oracles::pressed };
    let h = 5.0 / n as f64;
    let mut simulation = run(oscillator(load), "splitting", options, h);
    let mut sum = [0.0; 2];
    for _ in 0..n {
        let after = simulation.step().expect("the run goes on").after;
        let x = exact(after.t);
        sum[0] += h * (after.q[0] - x[0]).abs();
        sum[1] += h * (after.v[0] - x[1]).abs();
    }
    sum
}

#[test]
fn the_order_is_one_in_position_and_velocity() {
    for load in [0.0, -1.0] {
        for (method, force) in [("rkf45", "no"), ("rkf45", "yes"), ("gauss4", "no"), ("midpoint", "yes")]
        {
            let options =
                Options::default().with_word("method", method).with_word("contact_force", force);
            // Sixteen step numbers per level: the phase of each impact in its step enters at first order.
            let mean = |n: u64, i: usize| {
                (0..16)
                    .map(|k| l1(load, &options, n + k * n / 24)[i] * (n + k * n / 24) as f64)
                    .sum::<f64>()
                    / (16 * n) as f64
            };
            for (i, name) in ["q", "v"].into_iter().enumerate() {
                let order = (mean(400, i) / mean(3200, i)).ln() / 8.0f64.ln();
                eprintln!(
                    "load {load}, {method}, {force}: order of {name} {order:.3}, {:.1e}",
                    mean(3200, i)
                );
                assert!((order - 1.0).abs() < 0.1, "load {load}, {method}, {force}: {name} {order}");
            }
        }
    }
}

/// A ball that lies on the floor.
fn at_rest(restitution: f64) -> Built {
    built(|builder| {
        let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[2.0])).load(&[-2.0 * 9.81]));
        let law = builder.law("rebound", NewtonImpact { restitution });
        builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    })
}

#[test]
fn a_body_at_rest_sinks_without_contact_force_and_not_with_it() {
    let h = 0.01;
    for e in [0.0, 0.5] {
        let options = Options::default().with_word("contact_force", "no");
        let mut simulation = run(at_rest(e), "splitting", &options, h);
        simulation.run(200, &mut []).expect("the run goes on");
        // u⁺ = e (g h − u) settles at e g h/(1 + e): each step moves by h u − g h²/2.
        let speed = 9.81 * h * (e / (1.0 + e) - 0.5);
        let q = simulation.state.q[0];
        assert!((q - 2.0 * speed).abs() < 9.81 * h * h, "e = {e}: {q}");
        let options = Options::default().with_word("contact_force", "yes");
        let mut simulation = run(at_rest(e), "splitting", &options, h);
        for _ in 0..200 {
            let frame = simulation.step().expect("the run goes on");
            assert!(frame.log.events.is_empty(), "a contact that lasts is no impact");
            assert!((frame.log.constraints.impulse[0] - 2.0 * 9.81 * h).abs() < 1e-14);
        }
        assert_eq!((simulation.state.q[0], simulation.state.v[0]), (0.0, 0.0), "e = {e}");
    }
}

#[test]
fn a_body_that_bounced_to_rest_stays_with_contact_force() {
    let options = Options::default().with_word("contact_force", "yes");
    let mut simulation = run(oscillator(-1.0), "splitting", &options, 0.007);
    simulation.run(600, &mut []).expect("the run goes on");
    let resting = simulation.state.clone();
    simulation.run(400, &mut []).expect("the run goes on");
    assert_eq!((&resting.q, &resting.v), (&simulation.state.q, &simulation.state.v));
    // The overlap of the last impact stays: speeds of h, times h.
    assert!(resting.q[0] <= 0.0 && resting.q[0] > -1e-3 && resting.v[0] == 0.0, "{resting:?}");
}

#[test]
fn the_adaptive_step_gets_better_with_the_tolerance() {
    let error = |tolerance: f64| {
        let options = Options::default().with_word("adaptive", "yes").with("tolerance", tolerance);
        let mut simulation = run(oscillator(0.0), "splitting", &options, 0.25);
        let (mut summary, mut worst) = (Summary::default(), 0.0f64);
        for _ in 0..20 {
            let frame = simulation.step().expect("the run goes on");
            summary.book(&frame);
            worst = worst.max((frame.after.q[0] - oracles::oscillator(frame.after.t)[0]).abs());
        }
        eprintln!("{tolerance:.0e}: {worst:.1e}, {:?}", summary.counts);
        (worst, summary)
    };
    for tolerance in [1e-3, 1e-5, 1e-7] {
        let (worst, summary) = error(tolerance);
        // Each of the two impacts comes at most `tolerance`/u late, and the errors of up to 70 steps add up.
        assert!(worst < 20.0 * tolerance, "{tolerance:.0e}: {worst:.1e}");
        assert!(summary.penetration < tolerance && summary.impacts == 2);
        assert!(summary.counts.rejected > 0);
    }
}

/// 1 − x² − y².
struct Rod;

impl Gap for Rod {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(1.0 - q[0] * q[0] - q[1] * q[1])
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[-2.0 * q[0], -2.0 * q[1]]);
        Ok(())
    }
}

#[test]
fn joints_hold_in_the_flow_and_in_impacts_and_the_ledger_closes() {
    // A bob on a rod that swings against a wall at x = 0.
    let (model, state) = built(|builder| {
        let bob = Linear::new("bob", Sparse::diagonal(&[1.0, 1.0])).load(&[0.0, -9.81]);
        let bob = builder.linear(bob.initial(&[0.6, -0.8], &[0.0; 2]));
        let rod = builder.law("rod", Bilateral);
        let wall = builder.law("wall", NewtonImpact { restitution: 0.8 });
        builder.gap("rod", rod, &[(bob, 0), (bob, 1)], Rod);
        builder.linear_gap("wall", wall, &[(bob, 0, 1.0)], 0.0);
    });
    let mut simulation = run((model, state), "splitting", &Options::default(), 0.002);
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    simulation.run(1000, &mut [&mut ledger, &mut summary]).expect("the run goes on");
    let rod = simulation.state.q.iter().map(|q| q * q).sum::<f64>() - 1.0;
    assert!(rod.abs() < 1e-14, "{rod:e}");
    assert!(summary.impacts >= 2 && ledger.total.impact < -0.5);
    // Flow of order four at h = 2 ms, projections of the same size.
    assert!(ledger.remainder.abs() < 1e-9, "{:e}", ledger.remainder);
}
