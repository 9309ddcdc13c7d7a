//! The states in which one constraint can be, each a piece on which the law is linear.
//!
//! ```text
//! p = offset + Σ_a y_a column_a,     row_a·u = 0,     g·p ≥ h,     g·u ≥ 0
//! ```
//!
//! with as many rows as columns. A unilateral row is open (p = 0) or closed (u = 0); a relay at one of its bounds or
//! between; a contact with friction open, or closed with each factor of its section sticking (u_T = 0), sliding with
//! the impulse in a corner (p_T = μ c p_N), or on an edge between two corners, u_T perpendicular to it. A disc has
//! no such pieces but sticking; how it slides is in `sliding.rs`.

use crate::set::{MAX_DIM, Set};

/// One vector of a constraint's components.
pub(super) type Vector = [f64; MAX_DIM];

/// One piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Mode {
    pub offset: Vector,
    pub columns: Vec<Vector>,
    pub rows: Vec<Vector>,
    /// g and h of g·p ≥ h.
    pub impulse_limits: Vec<(Vector, f64)>,
    /// g of g·u ≥ 0.
    pub velocity_limits: Vec<Vector>,
}

fn unit(k: usize, x: f64) -> Vector {
    let mut v = [0.0; MAX_DIM];
    v[k] = x;
    v
}

/// All pieces of a set; of a disc only open and sticking.
pub(super) fn modes(set: Set) -> Vec<Mode> {
    match set {
        Set::Free => vec![closed()],
        Set::Nonnegative => {
            let mut closed = closed();
            closed.impulse_limits.push((unit(0, 1.0), 0.0));
            vec![open(), closed]
        }
        Set::Interval { lower, upper } => relay(lower, upper),
        Set::Pyramid { mu, sides } => friction(&[polygon(1, mu, sides)]),
        _ => {
            let (parts, n) = set.parts();
            let factors: Vec<Vec<Mode>> = parts[..n]
                .iter()
                .map(|part| match part.end - part.begin {
                    1 => segment(part.begin, part.radius),
                    _ if part.radius == 0.0 => vec![Mode::default()],
                    _ => vec![stick(&[part.begin, part.begin + 1])],
                })
                .collect();
            friction(&factors)
        }
    }
}

fn open() -> Mode {
    Mode { velocity_limits: vec![unit(0, 1.0)], ..Mode::default() }
}

fn closed() -> Mode {
    Mode { columns: vec![unit(0, 1.0)], rows: vec![unit(0, 1.0)], ..Mode::default() }
}

fn relay(lower: f64, upper: f64) -> Vec<Mode> {
    let mut between = closed();
    let mut found = Vec::new();
    for (bound, sign) in [(lower, 1.0), (upper, -1.0)] {
        if bound.is_finite() {
            between.impulse_limits.push((unit(0, sign), sign * bound));
            let velocity_limits = vec![unit(0, sign)];
            found.push(Mode { offset: unit(0, bound), velocity_limits, ..Mode::default() });
        }
    }
    found.push(between);
    found
}

/// Open, and closed with every combination of the factors' pieces.
///
/// A factor's piece has its share of the normal impulse's column in `offset`.
fn friction(factors: &[Vec<Mode>]) -> Vec<Mode> {
    let mut start = closed();
    start.impulse_limits.push((unit(0, 1.0), 0.0));
    let mut found = vec![start];
    for factor in factors {
        found = found
            .iter()
            .flat_map(|base| factor.iter().map(move |piece| join(base.clone(), piece)))
            .collect();
    }
    found.insert(0, open());
    found
}

fn join(mut base: Mode, piece: &Mode) -> Mode {
    for (x, y) in base.columns[0].iter_mut().zip(piece.offset) {
        *x += y;
    }
    base.columns.extend(&piece.columns);
    base.rows.extend(&piece.rows);
    base.impulse_limits.extend(&piece.impulse_limits);
    base.velocity_limits.extend(&piece.velocity_limits);
    base
}

/// u_T = 0 on these components.
fn stick(components: &[usize]) -> Mode {
    let vectors: Vec<Vector> = components.iter().map(|&k| unit(k, 1.0)).collect();
    Mode { columns: vectors.clone(), rows: vectors, ..Mode::default() }
}

/// |p_T| ≤ μ p_N on one component.
fn segment(at: usize, mu: f64) -> Vec<Mode> {
    if mu == 0.0 {
        return vec![Mode::default()];
    }
    let mut sticking = stick(&[at]);
    let mut found = Vec::new();
    for sign in [1.0, -1.0] {
        let mut limit = unit(0, mu);
        limit[at] = sign;
        sticking.impulse_limits.push((limit, 0.0));
        let velocity_limits = vec![unit(at, -sign)];
        found.push(Mode { offset: unit(at, sign * mu), velocity_limits, ..Mode::default() });
    }
    found.push(sticking);
    found
}

/// p_T/p_N in the regular polygon with corners μ (cos, sin)(2πk/sides).
fn polygon(at: usize, mu: f64, sides: u32) -> Vec<Mode> {
    if mu == 0.0 {
        return vec![Mode::default()];
    }
    let step = std::f64::consts::TAU / f64::from(sides);
    let tangent = |x: f64, y: f64| {
        let mut v = unit(at, x);
        v[at + 1] = y;
        v
    };
    let corner = |k: u32| (mu * (f64::from(k) * step).cos(), mu * (f64::from(k) * step).sin());
    let mut sticking = stick(&[at, at + 1]);
    let mut found = Vec::new();
    for k in 0..sides {
        let (before, here, next) = (corner((k + sides - 1) % sides), corner(k), corner((k + 1) % sides));
        // In a corner −u_T points further along it than along either neighbour.
        let velocity_limits = [before, next].map(|c| tangent(c.0 - here.0, c.1 - here.1)).to_vec();
        found.push(Mode { offset: tangent(here.0, here.1), velocity_limits, ..Mode::default() });
        let edge = (next.0 - here.0, next.1 - here.1);
        let middle = (f64::from(k) + 0.5) * step;
        let (x, y) = (middle.cos(), middle.sin());
        let mut inside = tangent(-x, -y);
        inside[0] = mu * (0.5 * step).cos();
        sticking.impulse_limits.push((inside, 0.0));
        // 0 ≤ s ≤ p_N with p_T = c_k p_N + s e, e·e s = e·p_T − e·c_k p_N.
        let square = edge.0 * edge.0 + edge.1 * edge.1;
        let along = edge.0 * here.0 + edge.1 * here.1;
        let (mut first, mut last) = (tangent(edge.0, edge.1), tangent(-edge.0, -edge.1));
        first[0] = -along;
        last[0] = along + square;
        found.push(Mode {
            offset: tangent(here.0, here.1),
            columns: vec![tangent(edge.0, edge.1)],
            rows: vec![tangent(edge.0, edge.1)],
            impulse_limits: vec![(first, 0.0), (last, 0.0)],
            velocity_limits: vec![tangent(-x, -y)],
        });
    }
    found.push(sticking);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_as_many_rows_as_columns_and_lies_in_its_set() {
        let sets = [
            (Set::Nonnegative, 2),
            (Set::Free, 1),
            (Set::Interval { lower: -1.0, upper: 2.0 }, 3),
            (Set::Interval { lower: f64::NEG_INFINITY, upper: 2.0 }, 2),
            (Set::Coulomb2 { mu: 0.5 }, 4),
            (Set::Rolling2 { mu: 0.5, mu_r: 0.1 }, 10),
            (Set::Pyramid { mu: 0.5, sides: 5 }, 12),
            (Set::Coulomb3 { mu: 0.5 }, 2),
            (Set::Coulomb3 { mu: 0.0 }, 2),
        ];
        for (set, count) in sets {
            let found = modes(set);
            assert_eq!(found.len(), count, "{set:?}");
            assert!(found.iter().all(|mode| mode.rows.len() == mode.columns.len()), "{set:?}");
        }
    }

    /// Sliding along +x with the impulse in the opposite corner, and along a facet's normal on its edge.
    #[test]
    fn a_corner_and_an_edge_of_a_pyramid_are_where_they_should_be() {
        let dot = |a: &Vector, b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let found = modes(Set::Pyramid { mu: 0.5, sides: 4 });
        let holds = |mode: &Mode, u: [f64; 3]| mode.velocity_limits.iter().all(|g| dot(g, &u) > -1e-15);
        // The corner (−½, 0).
        let corner = found.iter().find(|mode| mode.columns.len() == 1 && mode.columns[0][1] < -0.4);
        assert!(holds(corner.unwrap(), [0.0, 1.0, 0.3]) && !holds(corner.unwrap(), [0.0, 1.0, 1.3]));
        // The edge from (½, 0) to (0, ½): u_T along (−1, −1).
        let edge =
            found.iter().find(|mode| mode.columns.len() == 2 && mode.columns[0][1] > 0.4).unwrap();
        assert!(dot(&edge.rows[1], &[0.0, -1.0, -1.0]).abs() < 1e-15 && holds(edge, [0.0, -1.0, -1.0]));
        let inside = |p: [f64; 3]| edge.impulse_limits.iter().all(|(g, h)| dot(g, &p) >= *h);
        assert!(inside([1.0, 0.25, 0.25]) && !inside([1.0, 0.6, -0.1]) && !inside([1.0, -0.1, 0.6]));
    }
}
