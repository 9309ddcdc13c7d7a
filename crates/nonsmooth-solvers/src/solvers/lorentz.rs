//! Nesterov–Todd scaling in ℝ₊ and in Lorentz cones of two and three dimensions.
//!
//! ```text
//! L = { x : x₀ ≥ ‖x₁‖ },   det x = x₀² − ‖x₁‖²,   x ∘ y = (x·y, x₀ y₁ + y₀ x₁),   J = diag(1, −1, −1)
//! ```
//!
//! For s, z inside L there is one symmetric Q with Q z = Q⁻¹ s = λ, namely
//! Q = η (2 v vᵀ − J), Q⁻² = η⁻² (2 (J w)(J w)ᵀ − J), where with ŝ = s/√det s and ẑ = z/√det z
//!
//! ```text
//! w = (ŝ + J ẑ) / √(2 + 2 ŝ·ẑ),   v = (w + e) / √(2 w₀ + 2),   η⁴ = det s / det z
//! ```
//!
//! [Vandenberghe10, sec. 4]. ℝ₊ is the case of one dimension.

/// Largest dimension of a cone.
pub(super) const MAX: usize = 3;

/// A point of a cone, padded with zeros.
pub(super) type Point = [f64; MAX];

/// The scaling Q at one pair (s, z).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    eta: f64,
    w: Point,
    v: Point,
}

pub(super) fn dot(x: &Point, y: &Point) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// det x, as the product of its two eigenvalues.
pub(super) fn det(x: &Point) -> f64 {
    let tail = x[1].hypot(x[2]);
    (x[0] - tail) * (x[0] + tail)
}

/// x ∘ y.
pub(super) fn product(x: &Point, y: &Point) -> Point {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// The y with x ∘ y = d, for x inside the cone.
pub(super) fn divide(x: &Point, d: &Point) -> Point {
    let along = x[1] * d[1] + x[2] * d[2];
    let y0 = (x[0] * d[0] - along) / det(x);
    [y0, (d[1] - y0 * x[1]) / x[0], (d[2] - y0 * x[2]) / x[0]]
}

/// The largest α with x + α d in the cone, for x inside it.
pub(super) fn reach(x: &Point, d: &Point) -> f64 {
    let inner = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    // (x, d)² ≥ det x det d for every x inside the cone; rounding may say otherwise.
    let root = (inner * inner - det(x) * det(d)).max(0.0).sqrt();
    let below = root - inner;
    if below > 0.0 { det(x) / below } else { f64::INFINITY }
}

impl Scaling {
    /// None if s or z is not inside the cone, beyond what numbers can tell.
    pub(super) fn new(s: &Point, z: &Point) -> Option<Self> {
        let (a, b) = (det(s), det(z));
        if !(a > 0.0 && b > 0.0 && s[0] > 0.0 && z[0] > 0.0) {
            return None;
        }
        let (a, b) = (a.sqrt(), b.sqrt());
        let scale = 1.0 / (2.0 + 2.0 * dot(s, z) / (a * b)).sqrt();
        let w1 = [1, 2].map(|k| scale * (s[k] / a - z[k] / b));
        // w₀ from det w = 1, which keeps Q⁻² positive definite under rounding.
        let w0 = (1.0 + w1[0] * w1[0] + w1[1] * w1[1]).sqrt();
        let half = 1.0 / (2.0 * w0 + 2.0).sqrt();
        let v = [half * (w0 + 1.0), half * w1[0], half * w1[1]];
        let scaling = Self { eta: (a / b).sqrt(), w: [w0, w1[0], w1[1]], v };
        (scaling.eta > 0.0 && w0.is_finite()).then_some(scaling)
    }

    /// Q x.
    pub(super) fn apply(&self, x: &Point) -> Point {
        let t = 2.0 * dot(&self.v, x);
        let v = &self.v;
        [t * v[0] - x[0], t * v[1] + x[1], t * v[2] + x[2]].map(|y| self.eta * y)
    }

    /// Q⁻¹ x.
    pub(super) fn apply_inverse(&self, x: &Point) -> Point {
        let v = [self.v[0], -self.v[1], -self.v[2]];
        let t = 2.0 * dot(&v, x);
        [t * v[0] - x[0], t * v[1] + x[1], t * v[2] + x[2]].map(|y| y / self.eta)
    }

    /// Q⁻² x.
    pub(super) fn apply_inverse_square(&self, x: &Point) -> Point {
        let w = [self.w[0], -self.w[1], -self.w[2]];
        let t = 2.0 * dot(&w, x);
        [t * w[0] - x[0], t * w[1] + x[1], t * w[2] + x[2]].map(|y| y / (self.eta * self.eta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(Point, Point); 4] = [
        ([2.0, 0.0, 0.0], [0.5, 0.0, 0.0]),
        ([2.0, 1.0, 0.0], [3.0, -2.9, 0.0]),
        ([1.0, 0.3, -0.9], [5.0, 1.0, 2.0]),
        ([1.0, 0.6, 0.799_999], [1e-6, -0.5e-6, -0.8e-6]),
    ];

    fn near(x: &Point, y: &Point, tolerance: f64) -> bool {
        let size = dot(y, y).sqrt();
        (0..MAX).all(|k| (x[k] - y[k]).abs() <= tolerance * size)
    }

    #[test]
    fn both_points_are_scaled_to_the_same() {
        for (s, z) in PAIRS {
            let q = Scaling::new(&s, &z).unwrap();
            let (a, b) = (q.apply(&z), q.apply_inverse(&s));
            // det s = 1e-6 in the last pair: 1e-16/1e-6 of its value is rounding.
            assert!(near(&a, &b, 1e-9), "{s:?} {z:?}: {a:?} {b:?}");
            assert!(near(&q.apply_inverse_square(&s), &z, 1e-9));
            assert!(near(&q.apply_inverse(&q.apply_inverse(&s)), &z, 1e-9));
        }
    }

    #[test]
    fn division_undoes_the_product_and_reach_ends_on_the_boundary() {
        for (s, z) in PAIRS {
            assert!(near(&divide(&s, &product(&s, &z)), &z, 1e-9));
            for d in [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.2, 0.7, 0.3], [1.0, -3.0, 0.1]] {
                let alpha = reach(&s, &d);
                let end: Point = std::array::from_fn(|k| s[k] + alpha * d[k]);
                // 1e-9 as above.
                assert!(det(&end).abs() <= 1e-9 * dot(&end, &end), "{s:?} {d:?}: {end:?}");
            }
            assert_eq!(reach(&s, &[1.0, 0.5, 0.5]), f64::INFINITY);
        }
    }
}
