//! Processor time of a Gauss–Seidel sweep per contact, on piles of spheres and walls of bricks, W formed, by bodies and by
//! bodies that touch.
//!
//! `cargo run --release -p nonsmooth-solvers --example bench_sweeps -- --contacts 1000` measures one size, without
//! arguments 10 to 100 000. `--solver` names another method than `nsgs`, `--order` another order than `natural`;
//! `--csv` writes the table to a file too. `--spheres yes` measures contacts of bodies alone: spheres from 100 to
//! 100 000, one and two threads, with the memory that a solve takes beside its problem.

mod contacts;
#[path = "../../tests/it/pile.rs"]
mod pile;
#[allow(dead_code)]
#[path = "../../tests/it/scenes.rs"]
mod scenes;
mod wall;

use nonsmooth_solvers::{Options, Problem, find, solve};
use pile::Pile;
use std::fmt::Write as _;

/// Shortest measurement that counts [s].
const LEAST: f64 = 0.3;
/// Sweeps of one solve; the certificates among them are measured too.
const SWEEPS: usize = 100;

struct Asked {
    sizes: Vec<usize>,
    solver: String,
    order: String,
    csv: Option<String>,
    spheres: bool,
}

fn main() -> Result<(), String> {
    let asked = asked()?;
    if asked.spheres {
        return contacts::table();
    }
    let mut table = String::from("family,form,contacts,microseconds,residual\n");
    println!("family  W          contacts  processor ns/contact/sweep  residual");
    for (family, make) in [("pile", Pile::new as fn(usize, f64) -> Pile), ("wall", wall::new)] {
        for &size in &asked.sizes {
            let made = make(size, 0.5);
            for (form, problem) in [("formed", made.formed()), ("by bodies", made.factored())] {
                let (nanoseconds, residual) = measure(&problem, &asked)?;
                let n = problem.sets.len();
                println!("{family}    {form:<9}  {n:8}  {nanoseconds:26.1}  {residual:8.1e}");
                let _ = writeln!(table, "{family},{form},{n},{:.5},{residual:.2e}", 1e-3 * nanoseconds);
            }
        }
    }
    let Some(path) = asked.csv else { return Ok(()) };
    std::fs::write(&path, table).map_err(|error| format!("{path}: {error}"))
}

fn asked() -> Result<Asked, String> {
    let sizes = vec![10, 100, 1000, 10_000, 100_000];
    let (solver, order) = ("nsgs".into(), "natural".into());
    let mut asked = Asked { sizes, solver, order, csv: None, spheres: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        match name.as_str() {
            "--contacts" => asked.sizes = vec![value.parse().map_err(|_| "--contacts needs a number")?],
            "--solver" => asked.solver = value,
            "--order" => asked.order = value,
            "--spheres" => asked.spheres = value == "yes",
            "--csv" => asked.csv = Some(value),
            other => return Err(format!("no argument {other}")),
        }
    }
    Ok(asked)
}

/// Time per contact and sweep [ns] and the last residual: solves are repeated until they take long enough, and what a
/// solve of one sweep costs is taken off.
fn measure(problem: &Problem, asked: &Asked) -> Result<(f64, f64), String> {
    let entry = find(&asked.solver).ok_or(format!("no solver {}", asked.solver))?;
    let (mut residual, mut u) = (0.0, Vec::new());
    let mut run = |sweeps: usize, times: usize| -> Result<(usize, f64), String> {
        let options = Options::default().with("max_sweeps", sweeps as f64);
        let mut solver = entry
            .build(&options.with_word("order", &asked.order))
            .map_err(|errors| format!("{errors:?}"))?;
        let (begin, mut made) = (processor_seconds()?, 0);
        for _ in 0..times {
            let mut p = vec![0.0; problem.size()];
            let report = solve(&mut *solver, problem, 0.0, &mut p, &mut u);
            made += report.iterations;
            residual = report.residual;
        }
        Ok((made, processor_seconds()? - begin))
    };
    let mut times = 1;
    while run(SWEEPS, times)?.1 < LEAST {
        times *= 2;
    }
    let (few, prepare) = run(1, times)?;
    let (made, seconds) = run(SWEEPS, times)?;
    let visits = (made - few).max(1) as f64 * problem.sets.len() as f64;
    Ok((1e9 * (seconds - prepare) / visits, residual))
}

/// Processor time of all threads so far [s].
fn processor_seconds() -> Result<f64, String> {
    let mut sum = 0.0;
    for entry in std::fs::read_dir("/proc/self/task").map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path().join("schedstat");
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        sum += text.split(' ').next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    }
    Ok(1e-9 * sum)
}
