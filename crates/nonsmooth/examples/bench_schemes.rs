//! Cost of a step of every integrator, relative to `moreau-jean` on the same model in the same run.
//!
//! Each pair makes the same steps several times and the shortest time counts; the schemes take turns, so that a slow moment of
//! the machine meets them all. Inner steps and evaluations of f per step stand beside, because a step of a scheme with inner
//! steps does more.

use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::observers::Summary;
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth::{INTEGRATORS, Model, Simulation, SolverSettings, State};
use std::sync::Arc;
use std::time::Instant;

type Make = fn() -> (Arc<Model>, State);

const MODELS: [(&str, Make, f64); 4] = [
    ("free oscillator", free, 1e-3),
    ("inelastic ball", ball, 1e-3),
    ("two masses and a wall", two_masses, 1e-3),
    ("chain of 50 over a floor", chain, 1e-3),
];
const STEPS: u64 = 4000;
const TURNS: usize = 7;

fn free() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let system = Linear::new("mass", Sparse::diagonal(&[1.0])).stiffness(Sparse::diagonal(&[1.0]));
    builder.linear(system.initial(&[1.0], &[0.0]));
    builder.build(0.0).expect("a right model")
}

fn ball() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-9.81]).initial(&[1.0], &[0.0]);
    let ball = builder.linear(ball);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

fn two_masses() -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let stiffness = Sparse::from_rows(&[vec![2.0, -1.0], vec![-1.0, 1.0]]);
    let system = Linear::new("masses", Sparse::diagonal(&[1.0, 1.0])).stiffness(stiffness);
    let system = builder.linear(system.initial(&[0.0; 2], &[10.0, 10.0]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("wall", law, &[(system, 1, -1.0)], 1.0);
    builder.build(0.0).expect("a right model")
}

fn chain() -> (Arc<Model>, State) {
    let n = 50;
    let mut stiffness = Vec::new();
    for i in 0..n {
        stiffness.push((i, i, 200.0));
        if i + 1 < n {
            stiffness.extend([(i, i + 1, -100.0), (i + 1, i, -100.0)]);
        }
    }
    let mut builder = ModelBuilder::new();
    let system = Linear::new("chain", Sparse::diagonal(&vec![1.0; n]))
        .stiffness(Sparse::from_triplets(n, n, &stiffness).expect("inside"))
        .load(&vec![-5.0; n])
        .initial(&vec![0.02; n], &vec![0.0; n]);
    let system = builder.linear(system);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    for i in [0, n / 2, n - 1] {
        builder.linear_gap("floor", law, &[(system, i, 1.0)], 0.0);
    }
    builder.build(0.0).expect("a right model")
}

/// Seconds per step, and what was counted; `Err` with the reason where the scheme does not take the model.
fn measure(name: &str, make: Make, h: f64) -> Result<(f64, Summary), String> {
    let (model, state) = make();
    let entry = nonsmooth::integrators::find(name).expect("listed");
    let integrator =
        entry.build(&Options::default(), SolverSettings::default()).expect("defaults are valid");
    let mut simulation = Simulation::new(model, state, integrator, h).map_err(|why| why.to_string())?;
    let mut summary = Summary::default();
    let begun = Instant::now();
    simulation.run(STEPS, &mut [&mut summary]).map_err(|why| why.to_string())?;
    Ok((begun.elapsed().as_secs_f64() / STEPS as f64, summary))
}

fn main() {
    for (model, make, h) in MODELS {
        let mut best: Vec<Result<(f64, Summary), String>> = Vec::new();
        for turn in 0..TURNS {
            for (k, entry) in INTEGRATORS.iter().enumerate() {
                let made = measure(entry.name, make, h);
                if turn == 0 {
                    best.push(made);
                } else if let (Ok(known), Ok(new)) = (&mut best[k], made)
                    && new.0 < known.0
                {
                    *known = new;
                }
            }
        }
        let reference = best[0].as_ref().map_or(f64::NAN, |(seconds, _)| *seconds);
        println!("\n{model}, {STEPS} steps of {h} s; moreau-jean: {:.3} µs per step", 1e6 * reference);
        println!(
            "{:<22}{:>14}{:>18}{:>18}",
            "scheme", "cost / m.-j.", "inner steps/step", "evaluations/step"
        );
        for (entry, made) in INTEGRATORS.iter().zip(&best) {
            match made {
                Ok((seconds, summary)) => {
                    let per_step = |n: u64| n as f64 / STEPS as f64;
                    let (inner, calls) =
                        (per_step(summary.counts.steps), per_step(summary.counts.evaluations));
                    println!(
                        "{:<22}{:>14.2}{inner:>18.2}{calls:>18.2}",
                        entry.name,
                        seconds / reference
                    );
                }
                Err(why) => println!("{:<22}  not measured: {why}", entry.name),
            }
        }
    }
}
