//! What a solver makes of ordinary stacks, from cold and from the step before: time, iterations, residual, methods tried.
//!
//! `cargo run --release -p nonsmooth-solvers --example bench_stacks`; `--only wall` takes the scenes with that word,
//! `--large yes` those of 10⁴ contacts and more too, `--solver nsgs` another method than `auto`.

#[allow(dead_code)]
#[path = "../../tests/it/scenes.rs"]
mod scenes;

use nonsmooth_solvers::{Options, Problem, find, solve};
use scenes::{Scene, arch, boxes, spheres, tower, wall};
use std::time::Instant;

struct Asked {
    only: String,
    large: bool,
    solver: String,
}

fn main() -> Result<(), String> {
    let asked = asked()?;
    println!(
        "scene                    state contacts    tol   time [s]     iter residual  MiB status, attempts"
    );
    for (name, large, make) in list() {
        if !name.contains(&asked.only) || (large && !asked.large) {
            continue;
        }
        let base = make();
        // At rest, after a disturbance, and pushed sideways; then a step later.
        let states = [("rest", 0.01, 0.0, 0.0), ("noise", 0.03, 0.2, 0.0), ("slide", 0.05, 0.02, 0.3)];
        for (state, speed, noise, sideways) in states {
            let problem = base.clone().falling(speed, noise, sideways).problem();
            let next = base.clone().falling(1.01 * speed, 1.01 * noise, 0.98 * sideways).problem();
            for tolerance in [1e-10, 1e-4] {
                let mut p = vec![0.0; problem.size()];
                one(&format!("{name:<20} {state:>9}"), &problem, tolerance, &mut p, &asked.solver)?;
                one(&format!("{name:<20} {:>9}", "warm"), &next, tolerance, &mut p, &asked.solver)?;
            }
        }
    }
    Ok(())
}

type Make = fn() -> Scene;

/// Names, whether they are large, and how they are made.
fn list() -> Vec<(&'static str, bool, Make)> {
    vec![
        ("boxes 5x5x5 apart", false, || boxes([5, 5, 5], false, 0.5)),
        ("boxes 5x5x5 close", false, || boxes([5, 5, 5], true, 0.5)),
        ("boxes 1x1x10", false, || boxes([1, 1, 10], true, 0.5)),
        ("boxes 10x10x10 apart", false, || boxes([10, 10, 10], false, 0.5)),
        ("boxes 10x10x10 close", true, || boxes([10, 10, 10], true, 0.5)),
        ("wall 10x10", false, || wall(10, 10, 0.6)),
        ("wall 20x20", false, || wall(20, 20, 0.6)),
        ("arch 11", false, || arch(11, 0.6)),
        ("arch 25", false, || arch(25, 0.6)),
        ("tower 10", false, || tower(10, 0.4)),
        ("tower 30", false, || tower(30, 0.4)),
        ("spheres 1000", false, || spheres(1000, 0.5)),
        ("spheres 3000", true, || spheres(3000, 0.5)),
        ("spheres 10000", true, || spheres(10_000, 0.5)),
        ("spheres 100000", true, || spheres(100_000, 0.5)),
    ]
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked { only: String::new(), large: false, solver: "auto".into() };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        match name.as_str() {
            "--only" => asked.only = value,
            "--large" => asked.large = value == "yes",
            "--solver" => asked.solver = value,
            other => return Err(format!("no argument {other}")),
        }
    }
    Ok(asked)
}

fn one(
    what: &str,
    problem: &Problem,
    tolerance: f64,
    p: &mut [f64],
    solver: &str,
) -> Result<(), String> {
    // Colder than 1e-4 the largest piles take minutes and show nothing new.
    if problem.sets.len() > 100_000 && tolerance < 1e-4 {
        return Ok(());
    }
    let entry = find(solver).ok_or(format!("no solver {solver}"))?;
    let mut options = Options::default();
    if let Ok(word) = std::env::var("PACE") {
        options = options.with_word("acceleration", &word).with("max_sweeps", 20_000.0);
    }
    let mut solver = entry.build(&options).map_err(|errors| format!("{errors:?}"))?;
    let begin = Instant::now();
    let report = solve(&mut *solver, problem, tolerance, p, &mut Vec::new());
    let time = begin.elapsed().as_secs_f64();
    let tried = solver.attempts().iter().take(8);
    let tried: Vec<String> =
        tried.map(|a| format!("{}:{}:{:.0e}", a.method, a.iterations, a.residual)).collect();
    println!(
        "{what} {:>8} {tolerance:>6.0e} {time:>10.4} {:>8} {:>8.1e} {:>4} {} {}",
        problem.sets.len(),
        report.iterations,
        report.residual,
        resident()?,
        report.status,
        tried.join(" ")
    );
    Ok(())
}

/// Largest resident memory so far [MiB].
fn resident() -> Result<usize, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find(|line| line.starts_with("VmHWM")).ok_or("no VmHWM")?;
    let kib = line.split_whitespace().nth(1).and_then(|word| word.parse::<usize>().ok());
    Ok(kib.ok_or("VmHWM is no number")? / 1024)
}
