//! Time per step of small scenes: our general engine, and hand-written loops of the same scheme as the
//! limit. Run it through `cargo xtask bench small`, which adds Siconos where it is installed.
//!
//! Times are processor times of this thread, best of several. `cargo xtask ci --full --only instructions` counts the
//! instructions of `--ball`.

use nonsmooth::integrators::MoreauJean;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::observers::{EnergyLedger, Summary};
use nonsmooth::solvers::Sparse;
use nonsmooth::{Model, Simulation, State};
use std::sync::Arc;
use std::time::{Duration, Instant};

const GRAVITY: f64 = 9.81;
const STEP: f64 = 0.005;
const RADIUS: f64 = 0.1;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => times(),
        ["--beads", n] => {
            let n = n.parse().expect("--beads takes a number of beads");
            println!("{:.3} µs/step", 1e6 * engine_beads(n, enough_steps(n)));
        }
        ["--ball", steps] => {
            let steps = steps.parse().expect("--ball takes a number of steps");
            println!("{}", engine_ball(steps));
        }
        _ => {
            eprintln!("usage: bench_small [--ball STEPS | --beads N]");
            std::process::exit(2);
        }
    }
}

fn times() {
    let n = 2_000_000;
    let engine = best(5, || engine_ball(n)) / n as f64;
    let hand = best(5, || hand_ball(n)) / n as f64;
    println!("bouncing ball, 3 coordinates, h = {STEP} s, {n} steps (10 s of motion, repeated)");
    println!("  general engine, ledger and certificate on   {:8.1} ns/step", 1e9 * engine);
    println!("  hand-written loop, scheme only              {:8.1} ns/step", 1e9 * hand);
    println!("  distance to the limit                       {:8.1} ×", engine / hand);
    let mut left = format!("ball {engine:e}\n");
    println!("column of beads, all in contact, once warm");
    println!(
        "  {:>7} {:>14} {:>14} {:>10} {:>12}",
        "beads", "engine µs/step", "hand µs/step", "ratio", "ns/bead"
    );
    for n in [10, 100, 1000, 10_000, 100_000] {
        let steps = enough_steps(n);
        let (engine, hand) = (engine_beads(n, steps), hand_beads(n, steps));
        println!(
            "  {n:>7} {:>14.3} {:>14.3} {:>10.2} {:>12.1}",
            1e6 * engine,
            1e6 * hand,
            engine / hand,
            1e9 * engine / n as f64
        );
        left += &format!("beads{n} {engine:e}\n");
    }
    // For benches/siconos_small.py, which prints the ratios.
    if let Err(error) = std::fs::write("target/bench-small.txt", left) {
        eprintln!("target/bench-small.txt: {error}");
    }
}

/// Steps that take about half a second, long against the resolution of the processor clock.
fn enough_steps(n_beads: usize) -> usize {
    (10_000_000 / n_beads).clamp(60, 200_000)
}

/// Processor time of this thread [s].
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.with(Instant::elapsed).as_secs_f64(), |ns| 1e-9 * ns)
}

thread_local! {
    static START: Instant = Instant::now();
}

fn best<T>(times: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut least = Duration::MAX.as_secs_f64();
    for _ in 0..times {
        let begun = cpu();
        std::hint::black_box(work());
        least = least.min(cpu() - begun);
    }
    least
}

fn ball() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let mass = Sparse::diagonal(&[1.0, 1.0, 0.6 * RADIUS * RADIUS]);
    let ball =
        Linear::new("ball", mass).load(&[-GRAVITY, 0.0, 0.0]).initial(&[1.0, 0.0, 0.0], &[0.0; 3]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.9 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], -RADIUS);
    builder.build(0.0).expect("the model is right")
}

/// Drops the ball again every 2000 steps, so that flight, bounces and rest keep their shares.
fn engine_ball(steps: u64) -> f64 {
    let (model, state) = ball();
    let integrator = MoreauJean::default();
    let mut simulation = Simulation::new(model, state.clone(), integrator, STEP).expect("accepted");
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    for _ in 0..steps / 2000 {
        simulation.resume(state.clone(), 0.0);
        simulation.run(2000, &mut [&mut ledger, &mut summary]).expect("the ball bounces");
    }
    simulation.state.q[0] + ledger.remainder
}

fn hand_ball(steps: u64) -> f64 {
    let (theta, gamma, e, h) = (0.5, 0.5, 0.9, STEP);
    let mut q = [1.0, 0.0, 0.0];
    let inverse = [1.0, 1.0, 1.0 / (0.6 * RADIUS * RADIUS)];
    for _ in 0..steps / 2000 {
        q = [1.0, 0.0, 0.0];
        let mut v = [0.0; 3];
        for _ in 0..2000 {
            let load = std::hint::black_box([-GRAVITY, 0.0, 0.0]);
            let mut w = [0.0; 3];
            for i in 0..3 {
                w[i] = v[i] + h * inverse[i] * load[i];
            }
            let gap = q[0] - RADIUS;
            if gap + gamma * h * v[0] <= 0.0 {
                let p = f64::max(0.0, -(w[0] + e * v[0]) / inverse[0]);
                w[0] += inverse[0] * p;
            }
            for i in 0..3 {
                q[i] += h * (theta * w[i] + (1.0 - theta) * v[i]);
            }
            v = w;
        }
    }
    q[0]
}

/// A column of n beads that rest on each other, overlapping by a micrometre so that every contact counts.
fn column(n: usize) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    let beads: Vec<_> = (0..n)
        .map(|i| {
            let height = RADIUS + 2.0 * RADIUS * i as f64 - 1e-6 * (i + 1) as f64;
            let bead = Linear::new(&format!("bead{i}"), Sparse::diagonal(&[1.0]));
            builder.linear(bead.load(&[-GRAVITY]).initial(&[height], &[0.0]))
        })
        .collect();
    builder.linear_gap("floor", law, &[(beads[0], 0, 1.0)], -RADIUS);
    for i in 1..n {
        let terms = [(beads[i], 0, 1.0), (beads[i - 1], 0, -1.0)];
        builder.linear_gap(&format!("contact{i}"), law, &terms, -2.0 * RADIUS);
    }
    builder.allow_initial_violation();
    builder.build(0.0).expect("the model is right")
}

fn engine_beads(n: usize, steps: usize) -> f64 {
    let (model, state) = column(n);
    // The rounding of a column of 10⁵ beads is 4e-9 (condition number 10¹⁰).
    let solving = nonsmooth::SolverSettings { tolerance: 1e-8, ..nonsmooth::SolverSettings::default() };
    let entry = nonsmooth::integrators::find("moreau-jean").expect("listed");
    let integrator = entry.build(&nonsmooth::solvers::Options::default(), solving).expect("no options");
    let mut simulation = Simulation::new(model, state, integrator, STEP).expect("accepted");
    let (mut ledger, mut summary) = (EnergyLedger::default(), Summary::default());
    simulation.run(5, &mut [&mut ledger, &mut summary]).expect("the column rests");
    let time =
        best(3, || simulation.run(steps as u64, &mut [&mut ledger, &mut summary]).expect("it rests"));
    assert_eq!(summary.most_constraints, n, "all beads are in contact");
    time / steps as f64
}

/// The same scheme by hand: tridiagonal elimination of W p = −u_free, p ≥ 0 checked.
fn hand_beads(n: usize, steps: usize) -> f64 {
    let h = STEP;
    let mut q: Vec<f64> =
        (0..n).map(|i| RADIUS + 2.0 * RADIUS * i as f64 - 1e-6 * (i + 1) as f64).collect();
    let (mut v, mut w) = (vec![0.0; n], vec![0.0; n]);
    let (mut p, mut pivot, mut rhs) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut step = || {
        for i in 0..n {
            w[i] = v[i] - h * GRAVITY;
        }
        // Forward elimination of the rows (−1, 2, −1), the first row (1, −1).
        for i in 0..n {
            let below = if i == 0 { (0.0, 0.0, 0.0) } else { (q[i - 1] + RADIUS, v[i - 1], w[i - 1]) };
            let (gap, u) = (q[i] - RADIUS - below.0, v[i] - below.1);
            assert!(gap + 0.5 * h * u <= 0.0, "every contact is closed");
            let u_free = w[i] - below.2 + 0.5 * u;
            if i == 0 {
                (pivot[0], rhs[0]) = (1.0, -u_free);
            } else {
                let factor = 1.0 / pivot[i - 1];
                (pivot[i], rhs[i]) = (2.0 - factor, -u_free + factor * rhs[i - 1]);
            }
        }
        for i in (0..n).rev() {
            let above = if i + 1 < n { p[i + 1] } else { 0.0 };
            p[i] = (rhs[i] + above) / pivot[i];
            assert!(p[i] >= 0.0, "every contact is pressed");
        }
        for i in 0..n {
            let above = if i + 1 < n { p[i + 1] } else { 0.0 };
            w[i] += p[i] - above;
            q[i] += 0.5 * h * (w[i] + v[i]);
        }
        std::mem::swap(&mut v, &mut w);
    };
    (0..5).for_each(|_| step());
    best(3, || (0..steps).for_each(|_| step())) / steps as f64
}
