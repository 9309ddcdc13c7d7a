//! Processor time per jammed step of falling spheres, one thread, and how many steps `auto` certifies.
//!
//! `cargo run --release -p nonsmooth-solvers --example bench_heaps` prints the table, `--only "500, 0.5"` the rows with these words,
//! `--attempts 0.5` what was tried in the steps that took longer [s] or missed the tolerance, `--every 3` takes every third step, `--budget 25000` bounds the work of a step.

mod fall;

use fall::Fall;
use nonsmooth_solvers::{Options, Status, find, solve};
use std::collections::BTreeMap;

/// A sequence of steps: its name, how it begins, which steps are measured and to which tolerance.
struct Case {
    name: String,
    seeds: usize,
    make: Box<dyn Fn(usize) -> Fall + Sync>,
    from: usize,
    to: usize,
    tolerance: f64,
}

fn cases() -> Vec<Case> {
    let heap = |n: usize, side: usize, friction: f64, tolerance: f64, steps: usize, seeds: usize| Case {
        name: format!("{n} spheres, {friction}"),
        seeds,
        make: Box::new(move |seed| Fall::into_box(n, side, friction, seed)),
        from: 240,
        to: 240 + steps,
        tolerance,
    };
    let column = |tolerance: f64| Case {
        name: "column of 5000, 0.5".into(),
        seeds: 1,
        make: Box::new(|_| Fall::column(5000, 0.5)),
        from: 150,
        to: 170,
        tolerance,
    };
    let whole = Case {
        name: "500 spheres, 0.5, whole run".into(),
        from: 0,
        to: 300,
        ..heap(500, 8, 0.5, 1e-4, 0, 3)
    };
    vec![
        heap(500, 8, 0.3, 1e-4, 60, 3),
        heap(500, 8, 0.5, 1e-4, 60, 3),
        heap(500, 8, 0.8, 1e-4, 60, 3),
        whole,
        heap(2000, 12, 0.5, 1e-3, 10, 3),
        heap(2000, 12, 0.5, 1e-4, 10, 1),
        heap(5000, 15, 0.5, 1e-3, 5, 1),
        heap(10_000, 25, 0.3, 1e-3, 5, 1),
        column(1e-4),
        column(1e-6),
    ]
}

/// What one step took.
struct Taken {
    seconds: f64,
    converged: bool,
    residual: f64,
    method: String,
}

/// What the user asked for.
struct Shown {
    /// Steps whose attempts are printed: those that took so long [s] or missed the tolerance.
    attempts: f64,
    /// Measures every step, or every second.
    every: usize,
    options: Options,
}

fn main() -> Result<(), String> {
    let (mut only, mut shown) =
        (String::new(), Shown { attempts: f64::INFINITY, every: 1, options: Options::default() });
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        match name.as_str() {
            "--only" => only = value,
            "--attempts" => {
                shown.attempts = value.parse().map_err(|_| format!("--attempts {value} is no number"))?
            }
            "--every" => {
                shown.every = value.parse().map_err(|_| format!("--every {value} is no number"))?
            }
            "--budget" => {
                let budget = value.parse().map_err(|_| format!("--budget {value} is no number"))?;
                shown.options = Options::default().with("budget", budget);
            }
            other => return Err(format!("no argument {other}")),
        }
    }
    println!(
        "| steps | tolerance | contacts | mean / median / worst [ms] | certified | worst residual | by |"
    );
    println!("|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|e| e.to_string())?;
    for case in cases().iter().filter(|case| case.name.contains(&only)) {
        pool.install(|| row(case, &shown))?;
    }
    Ok(())
}

/// Tolerance of the impulses that a sequence goes on with, whatever is measured: those steps are as hard as the ones after 1e-4.
const LEADING: f64 = 1e-3;

/// Options of the sweeps that make a sequence, the same for every version that is measured.
fn leading() -> Options {
    Options::default()
        .with("max_sweeps", 1000.0)
        .with_word("order", "coloured")
        .with_word("acceleration", "conjugate")
}

/// One row of the table.
fn row(case: &Case, shown: &Shown) -> Result<(), String> {
    let (mut taken, mut contacts) = (Vec::new(), 0);
    for seed in 0..case.seeds {
        let mut fall = (case.make)(seed);
        let build = |name: &str, options: &Options| {
            let entry = find(name).ok_or(format!("no {name}"))?;
            entry.build(options).map_err(|e| format!("{e:?}"))
        };
        let mut solver = build("auto", &shown.options)?;
        let mut leader = build("nsgs", &leading())?;
        for k in 0..case.to {
            let step = fall.step();
            if k >= case.from && (k - case.from).is_multiple_of(shown.every) {
                let mut p = step.guess.clone();
                let begin = processor_seconds()?;
                let report = solve(&mut *solver, &step.problem, case.tolerance, &mut p, &mut Vec::new());
                let seconds = processor_seconds()? - begin;
                contacts = contacts.max(step.problem.sets.len());
                let converged = report.status == Status::Converged;
                let method = report.method.to_owned();
                if seconds > shown.attempts || (!converged && shown.attempts.is_finite()) {
                    println!("step {k}: {:.0} ms, {:.1e}", 1e3 * seconds, report.residual);
                    solver.attempts().iter().for_each(|a| println!("   {a:?}"));
                }
                taken.push(Taken { seconds, converged, residual: report.residual, method });
            }
            let mut p = step.guess.clone();
            solve(&mut *leader, &step.problem, LEADING, &mut p, &mut Vec::new());
            fall.advance(&step, &p);
        }
    }
    let mut times: Vec<f64> = taken.iter().map(|t| 1e3 * t.seconds).collect();
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    let certified = taken.iter().filter(|t| t.converged).count();
    let residual = taken.iter().fold(0.0f64, |m, t| m.max(t.residual));
    let mut methods: BTreeMap<&str, usize> = BTreeMap::new();
    taken.iter().for_each(|t| *methods.entry(&t.method).or_default() += 1);
    let by: Vec<String> = methods.iter().map(|(name, n)| format!("{name} {n}")).collect();
    println!(
        "| {} | {:.0e} | {contacts} | {mean:.1} / {median:.1} / {worst:.0} | {certified} of {} | {residual:.1e} | {} |",
        case.name,
        case.tolerance,
        taken.len(),
        by.join(", ")
    );
    Ok(())
}

/// Processor time of all threads so far [s].
fn processor_seconds() -> Result<f64, String> {
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID);
    let now = now.map_err(|error| error.to_string())?;
    Ok(now.tv_sec() as f64 + 1e-9 * now.tv_nsec() as f64)
}
