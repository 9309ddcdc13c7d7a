//! Spheres in contact: wall clock and processor time per contact and sweep, on one thread and on two, and memory.

use crate::processor_seconds;
use crate::scenes::spheres;
use nonsmooth_solvers::{Options, Problem, Set, find, solve};
use std::time::Instant;

/// Orders of a sweep, and how it is extrapolated.
const ORDERS: [(&str, &str); 4] =
    [("natural", "none"), ("natural", "conjugate"), ("coloured", "none"), ("coloured", "conjugate")];

/// Prints one line per number of spheres, order, friction and number of threads.
pub fn table() -> Result<(), String> {
    println!(
        "spheres  contacts  friction  order     extrapolated  threads  ns/contact/sweep  processor  memory [MiB]"
    );
    for n in [100, 1000, 10_000, 100_000] {
        let scene = spheres(n, 0.5).falling(0.01, 0.1, 0.0);
        for (friction, set) in [("yes", Set::Coulomb3 { mu: 0.5 }), ("no", Set::Nonnegative)] {
            let problem = scene.with_sets(vec![set; scene.contacts.len()]);
            for (order, acceleration) in ORDERS {
                for threads in [1, 2] {
                    let before = resident()?;
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    let pool = pool.map_err(|error| error.to_string())?;
                    let (wall, processor) = pool.install(|| measure(&problem, order, acceleration))?;
                    let memory = resident()?.saturating_sub(before) as f64 / 1048576.0;
                    let contacts = problem.sets.len();
                    println!(
                        "{n:7}  {contacts:8}  {friction:<8}  {order:<8}  {acceleration:<12}  {threads:7}  {wall:16.1}  {processor:9.1}  {memory:12.1}"
                    );
                }
            }
        }
    }
    Ok(())
}

/// Nanoseconds per contact and sweep, wall clock and processor: what one sweep more than one costs.
fn measure(problem: &Problem, order: &str, acceleration: &str) -> Result<(f64, f64), String> {
    let sweeps = (20_000_000 / problem.sets.len()).clamp(20, 2000);
    let run = |sweeps: usize| -> Result<(f64, f64), String> {
        let options = Options::default().with("max_sweeps", sweeps as f64);
        let options = options.with_word("order", order).with_word("acceleration", acceleration);
        let mut solver = find("nsgs").ok_or("no nsgs")?.build(&options).map_err(|e| format!("{e:?}"))?;
        let mut p = vec![0.0; problem.size()];
        let (begin, busy) = (Instant::now(), processor_seconds()?);
        solve(&mut *solver, problem, 0.0, &mut p, &mut Vec::new());
        Ok((begin.elapsed().as_secs_f64(), processor_seconds()? - busy))
    };
    run(1)?;
    let (few, many) = (run(1)?, run(sweeps)?);
    let visits = (sweeps - 1) as f64 * problem.sets.len() as f64;
    Ok((1e9 * (many.0 - few.0) / visits, 1e9 * (many.1 - few.1) / visits))
}

/// Largest resident memory so far [B].
fn resident() -> Result<usize, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find(|line| line.starts_with("VmHWM")).ok_or("no VmHWM")?;
    let kib = line.split_whitespace().nth(1).and_then(|word| word.parse::<usize>().ok());
    Ok(1024 * kib.ok_or("VmHWM is no number")?)
}
