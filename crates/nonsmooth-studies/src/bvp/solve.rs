//! Newton's iteration on the residuals, with steps that are shortened until they help; and bracketing of one unknown.

use super::shooting::{Iterate, Residual, Shooting, Trouble};
use crate::command::Failure;
use nonsmooth_solvers::invert;

/// Shortest share of a step that is tried.
const SHORTEST: f64 = 1e-8;
/// Decrease of the residual that is asked of a share of a step, relatively.
const DECREASE: f64 = 1e-4;
/// Places between the bounds at which the residual is looked at for a change of its sign.
const PLACES: usize = 64;
/// Most halvings of a bracket.
const HALVINGS: usize = 200;

/// How a solution was found, or why not.
pub(super) struct Outcome {
    pub(super) at: Iterate,
    /// At the last iterate; none if the motion failed there.
    pub(super) residual: Option<Residual>,
    pub(super) iterations: usize,
    pub(super) method: &'static str,
    /// Why it ended without a solution.
    pub(super) failure: Option<String>,
}

/// Solves the problem from a first iterate.
pub(super) fn solve(problem: &Shooting<'_>, start: Iterate, most: usize) -> Result<Outcome, Failure> {
    let newton = newton(problem, start, most)?;
    let Some(failure) = &newton.failure else { return Ok(newton) };
    let [lowest, highest] = problem.bvp.unknowns[0].bounds;
    let is_bounded = lowest.is_finite() && highest.is_finite();
    if problem.n() != 1 || !is_bounded {
        let why = if problem.n() != 1 {
            "bracketing takes one unknown and one part"
        } else {
            "without `min` and `max` there is nothing to bracket"
        };
        let failure = Some(format!("{failure}; {why}"));
        return Ok(Outcome { failure, ..newton });
    }
    let first = failure.clone();
    let bracketed = bracket(problem, [lowest, highest], most)?;
    match bracketed {
        Ok(found) => Ok(Outcome { iterations: newton.iterations + found.iterations, ..found }),
        Err(why) => Ok(Outcome { failure: Some(format!("{first}; {why}")), ..newton }),
    }
}

/// A trouble that a shorter step may avoid, in words; what is wrong with the input at the guess itself is an error.
fn in_words(problem: &Shooting<'_>, trouble: Trouble) -> String {
    match trouble {
        Trouble::Input(failure) => failure.to_string(),
        Trouble::Flow(error) => error.to_string(),
        Trouble::Short => {
            let last = problem.times.last().copied().unwrap_or(0.0);
            format!("the final time comes before the last node at t = {last} s")
        }
    }
}

fn newton(problem: &Shooting<'_>, start: Iterate, most: usize) -> Result<Outcome, Failure> {
    let mut at = start;
    for iterations in 0.. {
        let fail = |at: Iterate, residual: Option<Residual>, why: String| {
            Ok(Outcome { at, residual, iterations, method: "newton", failure: Some(why) })
        };
        let residual = match problem.residual(&at, true) {
            Ok(residual) => residual,
            Err(Trouble::Input(failure)) if iterations == 0 => return Err(failure),
            Err(trouble) => {
                let alone = problem.residual(&at, false).ok();
                return fail(at, alone, in_words(problem, trouble));
            }
        };
        if residual.size() <= 1.0 {
            let residual = Some(residual);
            return Ok(Outcome { at, residual, iterations, method: "newton", failure: None });
        }
        if iterations == most {
            return fail(at, Some(residual), format!("{most} iterations were not enough"));
        }
        let Some(change) = newton_step(&residual, problem.n()) else {
            let why = "the derivatives of the conditions depend on each other: the unknowns do not determine them";
            return fail(at, Some(residual), why.into());
        };
        match shorten(problem, &at, &residual, &change) {
            Ok(next) => at = next,
            Err(why) => return fail(at, Some(residual), why),
        }
    }
    unreachable!("the iteration returns")
}

/// −J⁻¹ r, with rows and columns brought to the size 1.
fn newton_step(residual: &Residual, n: usize) -> Option<Vec<f64>> {
    let mut a = residual.jacobian.clone();
    let mut r = residual.scaled.clone();
    for (row, r) in a.chunks_mut(n).zip(&mut r) {
        let size = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        row.iter_mut().for_each(|x| *x /= size);
        *r /= size;
    }
    let mut columns = vec![0.0f64; n];
    for row in a.chunks(n) {
        columns.iter_mut().zip(row).for_each(|(m, x)| *m = m.max(x.abs()));
    }
    if columns.contains(&0.0) {
        return None;
    }
    for row in a.chunks_mut(n) {
        row.iter_mut().zip(&columns).for_each(|(x, size)| *x /= size);
    }
    if !invert(&mut a, n, &mut Vec::new()) {
        return None;
    }
    let step = a
        .chunks(n)
        .zip(&columns)
        .map(|(row, size)| -row.iter().zip(&r).map(|(a, r)| a * r).sum::<f64>() / size);
    Some(step.collect())
}

/// The largest share of a step, in halvings, that makes the residual smaller.
fn shorten(
    problem: &Shooting<'_>,
    at: &Iterate,
    residual: &Residual,
    change: &[f64],
) -> Result<Iterate, String> {
    let size = residual.size();
    let (mut share, mut why, mut stopped) = (1.0, None, None);
    while share >= SHORTEST {
        let (next, held) = problem.advanced(at, change, share);
        stopped = stopped.or(held);
        if next.values == at.values && next.nodes.is_empty() {
            break;
        }
        match problem.residual(&next, false) {
            Ok(found) if found.size() <= (1.0 - DECREASE * share) * size => return Ok(next),
            Ok(_) => {}
            Err(trouble) => why = why.or(Some(in_words(problem, trouble))),
        }
        share *= 0.5;
    }
    let held = stopped.map(|k| {
        let unknown = &problem.bvp.unknowns[k];
        format!(
            "`{}` stops at its bound {:?}",
            unknown.name,
            problem.advanced(at, change, 1.0).0.values[k]
        )
    });
    let why = why.map(|why| format!("beyond it: {why}"));
    let more: Vec<String> = held.into_iter().chain(why).collect();
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
    Err(format!("no share of Newton's step makes the residual smaller{more}"))
}

/// A zero between the bounds, or why there is none.
fn bracket(
    problem: &Shooting<'_>,
    [lowest, highest]: [f64; 2],
    most: usize,
) -> Result<Result<Outcome, String>, Failure> {
    let look = |x: f64| {
        let at = Iterate { values: vec![x], nodes: Vec::new() };
        problem.residual(&at, false).ok().map(|residual| (at, residual))
    };
    let mut before: Option<(f64, f64)> = None;
    let (mut jumps, mut seen) = (Vec::new(), 0);
    for place in 0..=PLACES {
        let x = lowest + (highest - lowest) * place as f64 / PLACES as f64;
        let Some((at, residual)) = look(x) else {
            before = None;
            continue;
        };
        seen += 1;
        let value = residual.scaled[0];
        if value.abs() <= 1.0 {
            return Ok(Ok(found(at, residual, place)));
        }
        if let Some((low, was)) = before.filter(|(_, was)| was.signum() != value.signum()) {
            match narrow(&look, (low, was), (x, value), most.max(HALVINGS)) {
                Some((at, residual)) => return Ok(Ok(found(at, residual, place))),
                None => jumps.push(low),
            }
        }
        before = Some((x, value));
    }
    let name = &problem.bvp.unknowns[0].name;
    Ok(Err(match jumps.first() {
        Some(x) => format!("the residual jumps over zero, not through it, beyond {name} = {x}"),
        None => format!(
            "between {name} = {lowest} and {highest} the residual has one sign at all {seen} of {} places where the motion exists",
            PLACES + 1
        ),
    }))
}

fn found(at: Iterate, residual: Residual, iterations: usize) -> Outcome {
    Outcome { at, residual: Some(residual), iterations, method: "bracketing", failure: None }
}

/// Halves a bracket until the residual is within its tolerance; `None` where it jumps.
fn narrow(
    look: &dyn Fn(f64) -> Option<(Iterate, Residual)>,
    mut low: (f64, f64),
    mut high: (f64, f64),
    most: usize,
) -> Option<(Iterate, Residual)> {
    for _ in 0..most {
        let middle = 0.5 * (low.0 + high.0);
        if middle <= low.0 || middle >= high.0 {
            return None;
        }
        let (at, residual) = look(middle)?;
        let value = residual.scaled[0];
        if value.abs() <= 1.0 {
            return Some((at, residual));
        }
        if value.signum() == low.1.signum() { low = (middle, value) } else { high = (middle, value) }
    }
    None
}
