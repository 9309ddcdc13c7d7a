//! The ladder that the arguments ask for.

use super::args::Common;
use super::input;
use super::subject::Subject;
use crate::command::Failure;
use nonsmooth::analysis::Ladder;

/// Steps of the coarsest and the finest rung where nothing else is known.
const STEPS: (f64, f64) = (100.0, 1600.0);

/// With a scene: factors of its own number of steps, and the fewest steps that make a ladder worth having.
const AROUND: (f64, f64) = (0.25, 4.0);
const FEWEST: f64 = 10.0;

/// More rungs or runs per rung than these are a slip of the fingers.
const MOST: (usize, usize) = (100, 1000);

/// What the nodes of all runs that are kept at the same time may take [bytes].
const MOST_BYTES: f64 = 4e9;

/// Numbers kept per number of a node: the run itself, the reference at its nodes, and the graphs of both.
const COPIES: f64 = 5.0;

/// The ladder over the interval of the subject.
pub(super) fn ladder(args: &Common, subject: &Subject, fewest: usize) -> Result<Ladder, Failure> {
    let (start, end) = subject.interval;
    let length = end - start;
    if !(length > 0.0 && length.is_finite()) {
        return Err(input(format!("--end: the interval from {start} to {end} s has no length")));
    }
    if !(fewest..=MOST.0).contains(&args.rungs) {
        return Err(input(format!("--rungs must be from {fewest} to {}, got {}", MOST.0, args.rungs)));
    }
    if !(1..=MOST.1).contains(&args.phases) {
        return Err(input(format!("--phases must be from 1 to {}, got {}", MOST.1, args.phases)));
    }
    let (coarsest, finest) = match (&args.steps, &args.h) {
        (Some(text), _) => steps(text)?,
        (None, Some(text)) => {
            let (coarsest, finest) = step_sizes(text)?;
            (length / coarsest, length / finest)
        }
        (None, None) => match subject.step_size {
            Some(h) => {
                let around = |factor: f64| factor * (length / h).max(FEWEST / AROUND.0);
                (around(AROUND.0), around(AROUND.1))
            }
            None => STEPS,
        },
    };
    Ladder::new((start, end), (length / coarsest, length / finest), args.rungs, args.phases)
        .map_err(|error| input(error.to_string()))
}

/// `100:1600`.
fn steps(text: &str) -> Result<(f64, f64), Failure> {
    let wrong = || input(format!("--steps must be COARSEST:FINEST, as in 100:1600, got `{text}`"));
    let (coarsest, finest) = pair(text).ok_or_else(wrong)?;
    let is_whole = |n: f64| n >= 1.0 && n.fract() == 0.0;
    if !is_whole(coarsest) || !is_whole(finest) {
        return Err(input(format!("--steps must be whole numbers ≥ 1, got `{text}`")));
    }
    if coarsest > finest {
        return Err(input(format!("--steps: the finest rung must have the most steps, got `{text}`")));
    }
    Ok((coarsest, finest))
}

/// `1e-2:1e-4`.
fn step_sizes(text: &str) -> Result<(f64, f64), Failure> {
    let wrong = || input(format!("--h must be COARSEST:FINEST, as in 1e-2:1e-4, got `{text}`"));
    let (coarsest, finest) = pair(text).ok_or_else(wrong)?;
    let is_size = |h: f64| h > 0.0 && h.is_finite();
    if !is_size(coarsest) || !is_size(finest) {
        return Err(input(format!("--h must be numbers > 0, got `{text}`")));
    }
    if coarsest < finest {
        return Err(input(format!("--h: the finest rung must have the smallest step, got `{text}`")));
    }
    Ok((coarsest, finest))
}

fn pair(text: &str) -> Option<(f64, f64)> {
    let (a, b) = text.split_once(':')?;
    Some((a.trim().parse().ok()?, b.trim().parse().ok()?))
}

/// The largest number of steps of a ladder.
pub(super) fn most_steps(ladder: &Ladder) -> u64 {
    ladder.rungs.iter().flatten().copied().max().unwrap_or(1)
}

/// Refuses what would not fit into memory: `nodes` nodes at the same time.
pub(super) fn check_memory(nodes: f64, subject: &Subject) -> Result<(), Failure> {
    let bytes = nodes * subject.places.width() as f64 * COPIES * size_of::<f64>() as f64;
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(input(format!(
        "the runs would take {:.0} GB of memory; choose fewer --coordinates, --steps, --reference-steps or --threads",
        1e-9 * bytes
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(failure: Result<(f64, f64), Failure>) -> String {
        match failure {
            Err(Failure::Input(error)) => error.to_string(),
            _ => panic!("must be refused"),
        }
    }

    #[test]
    fn pairs_are_read() {
        assert_eq!(steps("100:1600").ok(), Some((100.0, 1600.0)));
        assert_eq!(steps(" 1e2 : 1e3 ").ok(), Some((100.0, 1000.0)));
        assert_eq!(step_sizes("1e-2:1e-4").ok(), Some((1e-2, 1e-4)));
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        for text in ["", "100", "100:", "a:b", "100:200:300", "100-200"] {
            assert!(words(steps(text)).contains("COARSEST:FINEST"), "{text}");
            assert!(words(step_sizes(text)).contains("COARSEST:FINEST"), "{text}");
        }
        for text in ["0:10", "-5:10", "1.5:10", "nan:10", "10:nan"] {
            assert!(words(steps(text)).contains("whole numbers"), "{text}");
        }
        for text in ["0:1e-3", "-1:1e-3", "nan:1e-3", "1e-2:nan", "inf:1e-3"] {
            assert!(words(step_sizes(text)).contains("numbers > 0"), "{text}");
        }
        assert!(words(steps("200:100")).contains("most steps"));
        assert!(words(step_sizes("1e-4:1e-2")).contains("smallest step"));
    }
}
