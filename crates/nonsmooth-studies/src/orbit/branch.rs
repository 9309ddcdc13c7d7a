//! A branch of orbits by pseudo-arclength, with its folds and doublings.
//!
//! ```text
//! predict   p = u + Δs t          t the direction of the branch, in scaled unknowns
//! correct   the orbit on the plane t·(u − p) = 0
//! fold      t_λ changes its sign          doubling   det(∂Φ/∂x + 1) changes its sign
//! ```
//!
//! Where the number of impacts changes a contact is grazed and the flow has a kink: the branch is not followed beyond. [AllgowerGeorg90]

use super::linear::kernel;
use super::newton::{Plane, Solved, solve, tangent};
use super::shoot::{Anchor, Problem, Shot};
use std::sync::atomic::{AtomicBool, Ordering};

/// Smallest step, as a share of the largest.
const SMALLEST: f64 = 1e-4;
/// Cosine of the angle by which the direction may change within a step.
const STRAIGHT: f64 = 0.95;
/// Newton iterations up to which the step may grow.
const EASY: usize = 4;
/// Halvings and secants by which a fold or a doubling is located.
const LOCATE: usize = 60;
/// Share of a step that its place may be off.
const LOCATED: f64 = 1e-9;
/// First step onto a branch of twice the period, as a share of the largest.
const FIRST: f64 = 0.2;

/// What is special about a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Fold,
    Doubling,
}

/// An orbit of a branch.
pub(super) struct Point {
    pub(super) u: Vec<f64>,
    pub(super) shot: Shot,
    pub(super) multipliers: Vec<[f64; 2]>,
    tangent: Vec<f64>,
    pub(super) mark: Option<Mark>,
}

/// A function of orbits that vanishes where something is special.
type Test = fn(&Point) -> f64;

/// How a branch is followed.
pub(super) struct Course {
    pub(super) scales: Vec<f64>,
    /// Values between which it is followed.
    pub(super) range: [f64; 2],
    /// Largest step in scaled unknowns.
    pub(super) step: f64,
    pub(super) most: usize,
    pub(super) tolerance: f64,
}

/// A branch, and why it ends.
pub(super) struct Branch {
    pub(super) points: Vec<Point>,
    pub(super) end: String,
    /// Whether it was followed as far as asked for.
    pub(super) is_whole: bool,
}

impl Point {
    fn new(
        problem: &Problem<'_>,
        solved: Solved,
        course: &Course,
        along: &[f64],
    ) -> Result<Self, String> {
        let Solved { u, shot, .. } = solved;
        let multipliers = shot.multipliers()?;
        let tangent = if problem.is_followed() {
            tangent(&shot, &course.scales, along).ok_or("the branch has no single direction here")?
        } else {
            Vec::new()
        };
        Ok(Self { u, shot, multipliers, tangent, mark: None })
    }

    /// det(∂Φ/∂x + 1) = Π (μ + 1), real.
    fn doubles(&self) -> f64 {
        let product = self.multipliers.iter().fold([1.0, 0.0], |p, m| {
            let [a, b] = [m[0] + 1.0, m[1]];
            [p[0] * a - p[1] * b, p[0] * b + p[1] * a]
        });
        product[0]
    }

    /// Turns back where it vanishes.
    fn folds(&self) -> f64 {
        self.tangent.last().copied().unwrap_or(0.0)
    }

    fn anchor(&self, n: usize) -> Anchor {
        Anchor { x: self.u[..2 * n].to_vec(), rate: self.shot.rate.clone() }
    }
}

/// The first orbit, at the first value of what is followed.
pub(super) fn first(problem: &Problem<'_>, u: Vec<f64>, course: &Course) -> Result<Point, String> {
    let anchor = if problem.is_free { Some(problem.anchor(&u)?) } else { None };
    let mut row = vec![0.0; u.len()];
    if let Some(last) = row.last_mut() {
        *last = (course.range[1] - course.range[0]).signum();
    }
    let along = row.clone();
    let plane = problem.is_followed().then(|| Plane { row, through: u.clone() });
    let found = solve(problem, u, &course.scales, (anchor.as_ref(), plane.as_ref()), course.tolerance)?;
    Point::new(problem, found, course, &along)
}

/// A step of length `s` from a point along `direction`.
fn advance(
    problem: &Problem<'_>,
    from: &Point,
    direction: &[f64],
    (s, course): (f64, &Course),
) -> Result<(Point, usize), String> {
    let n = problem.n(&from.u);
    let scales = &course.scales;
    let through: Vec<f64> =
        from.u.iter().zip(direction).zip(scales).map(|((u, t), scale)| u + s * t * scale).collect();
    let row = direction.iter().zip(scales).map(|(t, scale)| t / scale).collect();
    let anchor = problem.is_free.then(|| from.anchor(n));
    let plane = Plane { row, through: through.clone() };
    let found = solve(problem, through, scales, (anchor.as_ref(), Some(&plane)), course.tolerance)?;
    let iterations = found.iterations;
    Ok((Point::new(problem, found, course, direction)?, iterations))
}

/// Follows a branch from its first point; `see` is shown each point, `stop` ends it.
pub(super) fn follow(
    problem: &Problem<'_>,
    first: Point,
    course: &Course,
    stop: &AtomicBool,
    mut see: impl FnMut(&Point),
) -> Branch {
    let (low, high) = (course.range[0].min(course.range[1]), course.range[0].max(course.range[1]));
    let value = |point: &Point| point.u.last().copied().unwrap_or(f64::NAN);
    // Rounding must not end a branch where it begins.
    let slack = 1e-9 * (high - low);
    let mut step = course.step;
    let mut points = vec![first];
    let (end, is_whole) = loop {
        let last = points.len() - 1;
        see(&points[last]);
        if points.len() >= course.most {
            break (format!("{} points: follow it further with --most", course.most), false);
        }
        if stop.load(Ordering::Relaxed) {
            break ("interrupted".to_owned(), false);
        }
        let from = &points[last];
        match next(problem, from, (&mut step, course)) {
            Err(why) => break (why, false),
            Ok((s, point)) => {
                let special = special(problem, from, &point, (s, course));
                let is_beyond = !(low - slack..=high + slack).contains(&value(&point));
                let inside = special.into_iter().filter(|p| (low..=high).contains(&value(p)));
                points.extend(inside);
                if is_beyond {
                    break ("the end of the range".to_owned(), true);
                }
                points.push(point);
            }
        }
    };
    Branch { points, end, is_whole }
}

/// The next point, by a step that is short enough.
fn next(
    problem: &Problem<'_>,
    from: &Point,
    (step, course): (&mut f64, &Course),
) -> Result<(f64, Point), String> {
    loop {
        let s = *step;
        let why = match advance(problem, from, &from.tangent, (s, course)) {
            Err(why) => why,
            Ok((point, iterations)) => {
                let cosine: f64 = point.tangent.iter().zip(&from.tangent).map(|(a, b)| a * b).sum();
                let [a, b] = [from.shot.impacts, point.shot.impacts];
                if a != b {
                    format!("a contact is grazed: impacts change from {a} to {b}")
                } else if cosine < STRAIGHT {
                    "the branch turns sharply".to_owned()
                } else {
                    if iterations <= EASY {
                        *step = (1.5 * s).min(course.step);
                    }
                    return Ok((s, point));
                }
            }
        };
        *step = 0.5 * s;
        if *step < SMALLEST * course.step {
            return Err(why);
        }
    }
}

/// Folds and doublings between two points, in order.
fn special(problem: &Problem<'_>, from: &Point, to: &Point, (s, course): (f64, &Course)) -> Vec<Point> {
    let kinds: [(Mark, Test); 2] = [(Mark::Fold, Point::folds), (Mark::Doubling, Point::doubles)];
    let mut found: Vec<(f64, Point)> = kinds
        .into_iter()
        .filter(|(_, f)| f(from) * f(to) < 0.0)
        .filter_map(|(mark, f)| {
            let (place, mut point) = locate(problem, (from, f(from), f(to)), f, (s, course))?;
            point.mark = Some(mark);
            Some((place, point))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, point)| point).collect()
}

/// Where `f` vanishes within a step, by the Illinois method.
fn locate(
    problem: &Problem<'_>,
    (from, at_start, at_end): (&Point, f64, f64),
    f: Test,
    (s, course): (f64, &Course),
) -> Option<(f64, Point)> {
    let (mut low, mut high) = ((0.0, at_start), (s, at_end));
    let (mut best, mut before) = (None, f64::NAN);
    for _ in 0..LOCATE {
        let middle = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        let (point, _) = advance(problem, from, &from.tangent, (middle, course)).ok()?;
        let y = f(&point);
        best = Some((middle, point));
        // The end that stays counts half, so that both ends move.
        if y * high.1 < 0.0 {
            low = high
        } else {
            low.1 *= 0.5
        }
        high = (middle, y);
        if y == 0.0 || (middle - before).abs() <= LOCATED * s {
            break;
        }
        before = middle;
    }
    best
}

/// The first point of the branch of twice the period that begins at a doubling; `problem` has twice the period.
pub(super) fn doubled(problem: &Problem<'_>, at: &Point, course: &Course) -> Result<Point, String> {
    let n = problem.n(&at.u);
    let mut matrix = at.shot.monodromy.clone();
    (0..2 * n).for_each(|i| matrix[i][i] += 1.0);
    let kernel =
        kernel(&matrix).ok_or("the direction of the branch of twice the period was not found")?;
    let mut direction: Vec<f64> = kernel.iter().zip(&course.scales).map(|(x, s)| x / s).collect();
    direction.resize(at.u.len(), 0.0);
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    direction.iter_mut().for_each(|x| *x /= length);
    let mut u = at.u.clone();
    if problem.is_free {
        u[2 * n] *= 2.0;
    }
    let shot = problem.shoot(&u, None)?;
    let multipliers = shot.multipliers()?;
    let from = Point { u, shot, multipliers, tangent: direction.clone(), mark: None };
    let mut step = FIRST * course.step;
    loop {
        match advance(problem, &from, &direction, (step, course)) {
            // The branch begins across the old one and turns into the side where it exists.
            Ok((point, _)) if point.shot.impacts == from.shot.impacts => return Ok(point),
            Ok(_) if step < SMALLEST * course.step => {
                return Err("a contact is grazed at once".to_owned());
            }
            Err(why) if step < SMALLEST * course.step => return Err(why),
            _ => step *= 0.5,
        }
    }
}
