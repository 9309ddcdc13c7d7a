//! Newton's method for an orbit, alone or on a plane across its branch, and the direction of the branch.

use super::linear::least_squares;
use super::shoot::{Anchor, Problem, Shot};

/// Most iterations; three to five are usual.
const MOST: usize = 15;
/// Shares of a Newton step that are tried.
const SHARES: [f64; 6] = [1.0, 0.5, 0.25, 0.125, 0.06, 0.03];

/// A further equation r·(u − p) = 0.
pub(super) struct Plane {
    pub(super) row: Vec<f64>,
    pub(super) through: Vec<f64>,
}

/// An orbit that was found.
pub(super) struct Solved {
    pub(super) u: Vec<f64>,
    pub(super) shot: Shot,
    pub(super) iterations: usize,
}

impl Plane {
    fn residual(&self, u: &[f64]) -> f64 {
        self.row.iter().zip(u).zip(&self.through).map(|((r, u), p)| r * (u - p)).sum()
    }
}

/// The orbit near `u`; `scales` are the sizes of the unknowns.
pub(super) fn solve(
    problem: &Problem<'_>,
    mut u: Vec<f64>,
    scales: &[f64],
    (anchor, plane): (Option<&Anchor>, Option<&Plane>),
    tolerance: f64,
) -> Result<Solved, String> {
    let shoot = |u: &[f64]| -> Result<(Shot, f64), String> {
        let shot = problem.shoot(u, anchor)?;
        let error = plane.map_or(0.0, |plane| plane.residual(u).abs()).max(shot.error());
        Ok((shot, error))
    };
    let (mut shot, mut error) = shoot(&u)?;
    for iterations in 0..MOST {
        let size = u[..2 * problem.n(&u)].iter().fold(1.0f64, |m, x| m.max(x.abs()));
        if error <= tolerance * size {
            return Ok(Solved { u, shot, iterations });
        }
        let scaled = |row: &Vec<f64>| row.iter().zip(scales).map(|(x, s)| x * s).collect();
        let mut rows: Vec<Vec<f64>> = shot.jacobian.iter().map(scaled).collect();
        let mut right: Vec<f64> = shot.residual.iter().map(|r| -r).collect();
        if let Some(plane) = plane {
            rows.push(scaled(&plane.row));
            right.push(-plane.residual(&u));
        }
        let step = least_squares(&rows, &right)
            .ok_or("the equations of the orbit are dependent: it is not isolated (a bifurcation, or a family: see --energy)")?;
        let mut why = "Newton's method does not come nearer".to_owned();
        let found = SHARES.into_iter().find_map(|share| {
            let next: Vec<f64> =
                u.iter().zip(&step).zip(scales).map(|((u, d), s)| u + share * d * s).collect();
            match shoot(&next) {
                Ok((shot, now)) if now < error || now <= tolerance => Some((next, shot, now)),
                Ok((other, _)) => {
                    let [a, b] = [shot.impacts, other.impacts];
                    if a != b {
                        why = format!("a contact is grazed: impacts change from {a} to {b}");
                    }
                    None
                }
                Err(error) => {
                    why = error;
                    None
                }
            }
        });
        let Some((next, better, now)) = found else { return Err(why) };
        (u, shot, error) = (next, better, now);
    }
    Err(format!("not closed after {MOST} iterations of Newton's method: {error:.1e} is left"))
}

/// The direction of the branch in scaled unknowns, of length 1, on the side of `along`.
pub(super) fn tangent(shot: &Shot, scales: &[f64], along: &[f64]) -> Option<Vec<f64>> {
    let scaled = |row: &Vec<f64>| row.iter().zip(scales).map(|(x, s)| x * s).collect();
    let mut rows: Vec<Vec<f64>> = shot.jacobian.iter().map(scaled).collect();
    let mut right = vec![0.0; rows.len()];
    rows.push(along.to_vec());
    right.push(1.0);
    let mut tangent = least_squares(&rows, &right)?;
    let length = tangent.iter().map(|t| t * t).sum::<f64>().sqrt();
    tangent.iter_mut().for_each(|t| *t /= length);
    Some(tangent)
}
