//! The convex sets in which impulses lie, and what the solvers ask of them.
//!
//! A friction set is the cone over a *section* S, the tangential impulses allowed at p_N = 1:
//!
//! ```text
//! K = { p : p_N ≥ 0, p_T ∈ p_N S },   K* = { u : u_N ≥ h_S(−u_T) },   h_S(x) = max over s ∈ S of s·x
//! ```
//!
//! Coulomb's law with its non-associated slip is −(u + h_S(−u_T) n) ∈ N_K(p) [DeSaxce98]: then u_N ≥ 0 is
//! complementary to p_N ≥ 0 and p_T does as much against u_T as the section allows. S is a segment (plane), a
//! disc (space), a regular polygon inscribed in that disc (faceted), or a product of such with one factor
//! each for sliding, rolling and spinning. Components are ordered N, T, T, R, R, S.

/// The set in which one constraint's impulse may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Set {
    /// p ≥ 0: unilateral constraint.
    Nonnegative,
    /// p ∈ ℝ: bilateral constraint.
    Free,
    /// lower ≤ p ≤ upper: relay. A bound may be infinite.
    Interval {
        /// Smallest impulse.
        lower: f64,
        /// Largest impulse.
        upper: f64,
    },
    /// Coulomb friction in the plane: (N, T), |p_T| ≤ μ p_N.
    Coulomb2 {
        /// Friction coefficient [–].
        mu: f64,
    },
    /// Coulomb friction in space: (N, T, T), ‖p_T‖ ≤ μ p_N.
    Coulomb3 {
        /// Friction coefficient [–].
        mu: f64,
    },
    /// Faceted friction in space: p_T/p_N in the regular polygon inscribed in the disc of radius μ, with a corner
    /// on the first tangent.
    Pyramid {
        /// Friction coefficient [–].
        mu: f64,
        /// Corners of the polygon, at least 3.
        sides: u32,
    },
    /// Sliding and rolling friction in the plane: (N, T, R), |p_T| ≤ μ p_N, |p_R| ≤ μ_r p_N.
    Rolling2 {
        /// Friction coefficient [–].
        mu: f64,
        /// Rolling coefficient [m].
        mu_r: f64,
    },
    /// Sliding and rolling friction in space: (N, T, T, R, R).
    Rolling3 {
        /// Friction coefficient [–].
        mu: f64,
        /// Rolling coefficient [m].
        mu_r: f64,
    },
    /// Sliding, rolling and spinning friction in space: (N, T, T, R, R, S).
    Spinning3 {
        /// Friction coefficient [–].
        mu: f64,
        /// Rolling coefficient [m].
        mu_r: f64,
        /// Spinning coefficient [m].
        mu_s: f64,
    },
}

/// One factor of a section made of balls: ‖p_T‖ ≤ radius · p_N on these components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Radius of the ball at p_N = 1.
    pub radius: f64,
    /// First component.
    pub begin: usize,
    /// One past the last component.
    pub end: usize,
}

/// Largest number of components of a set.
pub const MAX_DIM: usize = 6;

impl Set {
    /// Number of components of the impulse.
    #[inline]
    pub fn dim(self) -> usize {
        match self {
            Set::Nonnegative | Set::Free | Set::Interval { .. } => 1,
            Set::Coulomb2 { .. } => 2,
            Set::Coulomb3 { .. } | Set::Pyramid { .. } | Set::Rolling2 { .. } => 3,
            Set::Rolling3 { .. } => 5,
            Set::Spinning3 { .. } => 6,
        }
    }

    /// What it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Set::Nonnegative => "unilateral rows",
            Set::Free => "bilateral rows",
            Set::Interval { .. } => "relay rows",
            Set::Coulomb2 { .. } => "planar friction",
            Set::Coulomb3 { .. } => "spatial friction",
            Set::Pyramid { .. } => "faceted friction",
            Set::Rolling2 { .. } => "planar rolling friction",
            Set::Rolling3 { .. } => "rolling friction",
            Set::Spinning3 { .. } => "rolling and spinning friction",
        }
    }

    /// Whether the impulse is a number, not a vector.
    #[inline]
    pub fn is_scalar(self) -> bool {
        matches!(self, Set::Nonnegative | Set::Free | Set::Interval { .. })
    }

    /// What is wrong with its parameters, if anything.
    pub fn fault(self) -> Option<String> {
        let coefficient = |name: &str, x: f64| {
            (!(x >= 0.0 && x.is_finite())).then(|| format!("{name} must be ≥ 0 and finite, got {x}"))
        };
        match self {
            Set::Nonnegative | Set::Free => None,
            Set::Interval { lower, upper } => {
                let good = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
                (!good).then(|| format!("the interval [{lower}, {upper}] is empty"))
            }
            Set::Coulomb2 { mu } | Set::Coulomb3 { mu } => coefficient("mu", mu),
            Set::Pyramid { mu, sides } => coefficient("mu", mu).or_else(|| {
                (!(3..=1000).contains(&sides))
                    .then(|| format!("a pyramid has 3 to 1000 sides, got {sides}"))
            }),
            Set::Rolling2 { mu, mu_r } | Set::Rolling3 { mu, mu_r } => {
                coefficient("mu", mu).or_else(|| coefficient("mu_r", mu_r))
            }
            Set::Spinning3 { mu, mu_r, mu_s } => coefficient("mu", mu)
                .or_else(|| coefficient("mu_r", mu_r))
                .or_else(|| coefficient("mu_s", mu_s)),
        }
    }

    /// The interval of a scalar set.
    #[inline]
    pub fn bounds(self) -> (f64, f64) {
        match self {
            Set::Nonnegative => (0.0, f64::INFINITY),
            Set::Interval { lower, upper } => (lower, upper),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The balls whose product is the section; none for scalar sets and pyramids.
    #[inline]
    pub fn parts(self) -> ([Part; 3], usize) {
        const NONE: Part = Part { radius: 0.0, begin: 0, end: 0 };
        let part = |radius, begin, end| Part { radius, begin, end };
        match self {
            Set::Nonnegative | Set::Free | Set::Interval { .. } | Set::Pyramid { .. } => ([NONE; 3], 0),
            Set::Coulomb2 { mu } => ([part(mu, 1, 2), NONE, NONE], 1),
            Set::Coulomb3 { mu } => ([part(mu, 1, 3), NONE, NONE], 1),
            Set::Rolling2 { mu, mu_r } => ([part(mu, 1, 2), part(mu_r, 2, 3), NONE], 2),
            Set::Rolling3 { mu, mu_r } => ([part(mu, 1, 3), part(mu_r, 3, 5), NONE], 2),
            Set::Spinning3 { mu, mu_r, mu_s } => {
                ([part(mu, 1, 3), part(mu_r, 3, 5), part(mu_s, 5, 6)], 3)
            }
        }
    }

    /// h_S(−u_T), which Coulomb's law adds to u_N; 0 for scalar sets.
    pub fn shift(self, u: &[f64]) -> f64 {
        if let Set::Pyramid { mu, sides } = self {
            let (x, y) = (-u[1], -u[2]);
            let step = std::f64::consts::TAU / f64::from(sides);
            let corner = (y.atan2(x) / step).round() * step;
            return mu * (x * corner.cos() + y * corner.sin());
        }
        let (parts, n) = self.parts();
        parts[..n].iter().map(|part| part.radius * norm(&u[part.begin..part.end])).sum()
    }

    /// (p − P_C(p − u/d)) d for a scalar set, written so that a large p does not hide u.
    #[inline]
    pub fn natural_map(self, p: f64, u: f64, d: f64) -> f64 {
        match self {
            Set::Nonnegative if p * d < u => p * d,
            // Not `min`, which would drop a NaN.
            Set::Nonnegative => {
                if u <= p * d {
                    u
                } else {
                    f64::NAN
                }
            }
            Set::Interval { lower, .. } if (p - lower) * d < u => (p - lower) * d,
            Set::Interval { upper, .. } if (p - upper) * d > u => (p - upper) * d,
            // A NaN of p must show.
            Set::Interval { .. } => u + 0.0 * p,
            _ => u,
        }
    }

    /// Nearest point of a scalar set.
    #[inline]
    pub fn project(self, p: f64) -> f64 {
        match self {
            Set::Nonnegative => p.max(0.0),
            Set::Interval { lower, upper } => p.max(lower).min(upper),
            _ => p,
        }
    }

    /// Replaces `p` by the nearest point of the set, whatever its dimension.
    #[inline]
    pub fn project_block(self, p: &mut [f64]) {
        if self.is_scalar() {
            p[0] = self.project(p[0]);
        } else if let Set::Pyramid { mu, sides } = self {
            project_pyramid(mu, sides, p);
        } else {
            let (parts, n) = self.parts();
            project_cone(&parts[..n], p);
        }
    }
}

/// Projection on the cone over a product of balls.
///
/// The nearest point at height s costs (s − a)² + Σ (n_j − μ_j s)₊², n_j = ‖b_j‖; its derivative vanishes where
/// s = a + Σ μ_j (n_j − μ_j s)₊. Taking too many factors as active gives too small an s, so dropping those that
/// turn out inactive ends after at most one pass per factor.
#[inline]
fn project_cone(parts: &[Part], p: &mut [f64]) {
    let a = p[0];
    let mut norms = [0.0; 3];
    for (norm_j, part) in norms.iter_mut().zip(parts) {
        *norm_j = norm(&p[part.begin..part.end]);
    }
    let mut s = a.max(0.0);
    loop {
        let (mut sum, mut weight, mut dropped) = (a, 1.0, false);
        let before = s;
        for (part, n) in parts.iter().zip(norms) {
            if n > part.radius * before {
                sum += part.radius * n;
                weight += part.radius * part.radius;
            }
        }
        s = (sum / weight).max(before);
        for (part, n) in parts.iter().zip(norms) {
            dropped |= n > part.radius * before && n <= part.radius * s;
        }
        if !dropped {
            break;
        }
    }
    // `+ 0·a` lets a NaN through, which `max` would drop.
    p[0] = s + 0.0 * a;
    for (part, n) in parts.iter().zip(norms) {
        if n > part.radius * s {
            let scale = part.radius * s / n;
            p[part.begin..part.end].iter_mut().for_each(|x| *x *= scale);
        }
    }
}

/// Projection on the cone over a regular polygon.
///
/// By symmetry the nearest point lies in the sector of the polygon that b points to. There the cone is bounded
/// by one facet, x ≤ c s along the facet's normal, and by its two corner rays.
fn project_pyramid(mu: f64, sides: u32, p: &mut [f64]) {
    let half = std::f64::consts::PI / f64::from(sides);
    let (a, b1, b2) = (p[0], p[1], p[2]);
    // The facet's middle lies between two corners.
    let middle = ((b2.atan2(b1) / (2.0 * half)).floor() + 0.5) * 2.0 * half;
    let (cos, sin) = (middle.cos(), middle.sin());
    let (x, y) = (b1 * cos + b2 * sin, b2 * cos - b1 * sin);
    let (c, d) = (mu * half.cos(), mu * half.sin());
    if x <= c * a && a >= 0.0 {
        return;
    }
    let s = (a + c * x) / (1.0 + c * c);
    let (s, x, y) = if s > 0.0 && y.abs() <= d * s {
        (s, c * s, y)
    } else {
        let s = ((a + c * x + d * y.abs()) / (1.0 + mu * mu)).max(0.0);
        (s, c * s, (d * s).copysign(y))
    };
    p[0] = s + 0.0 * (a + b1 + b2);
    p[1] = x * cos - y * sin;
    p[2] = x * sin + y * cos;
}

#[inline]
pub(crate) fn norm(x: &[f64]) -> f64 {
    match x {
        [a] => a.abs(),
        _ => x.iter().map(|x| x * x).sum::<f64>().sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETS: [Set; 9] = [
        Set::Nonnegative,
        Set::Interval { lower: -0.5, upper: 1.0 },
        Set::Coulomb2 { mu: 0.7 },
        Set::Coulomb3 { mu: 0.3 },
        Set::Coulomb3 { mu: 0.0 },
        Set::Pyramid { mu: 0.8, sides: 5 },
        Set::Rolling2 { mu: 0.6, mu_r: 0.2 },
        Set::Rolling3 { mu: 0.6, mu_r: 1.5 },
        Set::Spinning3 { mu: 0.4, mu_r: 0.1, mu_s: 0.3 },
    ];

    fn point(seed: usize, dim: usize) -> Vec<f64> {
        (0..dim).map(|k| 3.0 * ((seed * 7 + k * 13 + 1) as f64 * 0.618_034).fract() - 1.5).collect()
    }

    /// The nearest point y of a convex set C is the only one with (x − y)·(z − y) ≤ 0 for all z in C.
    #[test]
    fn projections_meet_the_variational_inequality() {
        for set in SETS {
            for seed in 0..300 {
                let x = point(seed, set.dim());
                let mut y = x.clone();
                set.project_block(&mut y);
                let mut again = y.clone();
                set.project_block(&mut again);
                let moved: f64 = y.iter().zip(&again).map(|(a, b)| (a - b).abs()).sum();
                assert!(moved < 1e-14, "{set:?}: {y:?} moves to {again:?}");
                for other in 0..300 {
                    let mut z = point(other + 1000, set.dim());
                    set.project_block(&mut z);
                    let product: f64 = (0..x.len()).map(|k| (x[k] - y[k]) * (z[k] - y[k])).sum();
                    assert!(product < 1e-14, "{set:?}: {x:?} → {y:?} against {z:?}: {product}");
                }
            }
        }
    }

    /// u + shift(u) n lies in the dual cone exactly when u_N ≥ 0.
    #[test]
    fn the_shift_is_the_support_function_of_the_section() {
        for set in SETS.into_iter().filter(|set| !set.is_scalar()) {
            for seed in 0..300 {
                let mut u = point(seed, set.dim());
                u[0] = set.shift(&u);
                let least = (0..300)
                    .map(|other| {
                        let mut z = point(other + 500, set.dim());
                        set.project_block(&mut z);
                        z.iter().zip(&u).map(|(z, u)| z * u).sum::<f64>()
                    })
                    .fold(f64::INFINITY, f64::min);
                assert!(least > -1e-14, "{set:?}: {u:?} gives {least}");
            }
        }
        let pyramid = Set::Pyramid { mu: 0.5, sides: 4 };
        assert!((pyramid.shift(&[0.0, -2.0, 0.0]) - 1.0).abs() < 1e-15);
        assert!((pyramid.shift(&[0.0, -1.0, -1.0]) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_pyramid_of_many_sides_is_nearly_the_cone() {
        for seed in 0..100 {
            let (mut x, mut y) = (point(seed, 3), point(seed, 3));
            Set::Pyramid { mu: 0.6, sides: 1000 }.project_block(&mut x);
            Set::Coulomb3 { mu: 0.6 }.project_block(&mut y);
            let distance: f64 = x.iter().zip(&y).map(|(a, b)| (a - b).abs()).sum();
            // Points of a facet project along it: they differ by less than its length, 2π μ s/1000.
            assert!(distance < 5e-3, "{x:?} {y:?}");
        }
    }

    #[test]
    fn faults_are_named() {
        assert!(SETS.iter().all(|set| set.fault().is_none()));
        let text = Set::Coulomb3 { mu: -0.1 }.fault().unwrap();
        assert_eq!(text, "mu must be ≥ 0 and finite, got -0.1");
        assert!(Set::Coulomb2 { mu: f64::NAN }.fault().is_some());
        assert!(Set::Rolling3 { mu: 0.1, mu_r: f64::INFINITY }.fault().is_some());
        assert!(Set::Pyramid { mu: 0.1, sides: 2 }.fault().is_some());
        assert!(Set::Interval { lower: 1.0, upper: 0.0 }.fault().is_some());
        assert!(Set::Interval { lower: f64::NAN, upper: 0.0 }.fault().is_some());
    }
}
