//! Nonsmooth equations whose zeros are the solutions, and one element of their generalized Jacobians.
//!
//! In one constraint, with P = d p (velocity units, d = λ_max(W_cc)) and u its velocity, F(P, u) = 0 if and only if
//! −(u + shift(u)) ∈ N_C(p). Written out are, with x = P − u:
//!
//! ```text
//! alart-curnier        F_N = P_N − x_N⁺,   F_T = P_T − proj(x_T, x_N⁺ S)                     [AlartCurnier91]
//! natural-map          F = P − proj(x − shift(u) n, K)                                       [FacchineiPang03]
//! fischer-burmeister   F = a + b − (a² + b²)^½,  a = (μ P_N, P_T), b = ((u_N + shift)/μ, u_T)  [Fukushima02]
//! ```
//!
//! the last with squares and root of the Jordan algebra of the second-order cone. For scalar sets the first two are
//! P − proj(x, d C). A = ∂F/∂P and B = ∂F/∂u are one element of the generalized Jacobian.

use crate::set::{MAX_DIM, Set, norm};

/// The equations that a Newton method solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equations {
    AlartCurnier,
    NaturalMap,
    FischerBurmeister,
}

/// F, A and B of one constraint, row-major with its own dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    pub f: [f64; MAX_DIM],
    pub a: [f64; MAX_DIM * MAX_DIM],
    pub b: [f64; MAX_DIM * MAX_DIM],
}

impl Linear {
    pub(crate) const ZERO: Linear =
        Linear { f: [0.0; MAX_DIM], a: [0.0; MAX_DIM * MAX_DIM], b: [0.0; MAX_DIM * MAX_DIM] };
}

impl Equations {
    /// F at (P, u), with its derivatives.
    pub(crate) fn at(self, set: Set, d: f64, p: &[f64], u: &[f64]) -> Linear {
        let mut out = Linear::ZERO;
        match self {
            _ if set.is_scalar() => scalar(self, set, d, p[0], u[0], &mut out),
            Equations::AlartCurnier => alart_curnier(set, p, u, &mut out),
            Equations::NaturalMap => natural_map(set, p, u, &mut out),
            Equations::FischerBurmeister => fischer_burmeister(set, p, u, &mut out),
        }
        out
    }
}

fn scalar(equations: Equations, set: Set, d: f64, p: f64, u: f64, out: &mut Linear) {
    let (lower, upper) = set.bounds();
    let (lower, upper) = (d * lower, d * upper);
    let x = p - u;
    (out.f[0], out.a[0], out.b[0]) = if equations == Equations::FischerBurmeister {
        match (lower.is_finite(), upper.is_finite()) {
            (false, false) => (u, 0.0, 1.0),
            (true, false) => half_line(p - lower, u),
            (false, true) => {
                let (f, a, b) = half_line(upper - p, -u);
                (-f, a, b)
            }
            // φ(P − l, −φ(h − P, −u)) [Billups95].
            (true, true) => {
                let (g, ga, gb) = half_line(upper - p, -u);
                let (f, a, b) = half_line(p - lower, -g);
                (f, a + b * ga, b * gb)
            }
        }
    } else if x < lower {
        (p - lower, 1.0, 0.0)
    } else if x > upper {
        (p - upper, 1.0, 0.0)
    } else {
        (u, 0.0, 1.0)
    };
}

/// φ(a, b) = a + b − √(a² + b²) and its derivatives.
fn half_line(a: f64, b: f64) -> (f64, f64, f64) {
    let r = a.hypot(b);
    if r == 0.0 {
        // One element of the generalized Jacobian at the kink.
        let c = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return (0.0, c, c);
    }
    // a + b − r without cancellation where both are positive.
    let f = if a > 0.0 && b > 0.0 { 2.0 * a * b / (a + b + r) } else { a + b - r };
    (f, 1.0 - a / r, 1.0 - b / r)
}

fn identity(a: &mut [f64], dim: usize) {
    (0..dim).for_each(|i| a[i * dim + i] = 1.0);
}

fn alart_curnier(set: Set, p: &[f64], u: &[f64], out: &mut Linear) {
    let dim = p.len();
    let x_n = p[0] - u[0];
    if x_n <= 0.0 {
        out.f[..dim].copy_from_slice(p);
        identity(&mut out.a, dim);
        return;
    }
    out.f[0] = u[0];
    out.b[0] = 1.0;
    if let Set::Pyramid { mu, sides } = set {
        polygon(mu, sides, x_n, p, u, out);
        return;
    }
    let (parts, n) = set.parts();
    for part in &parts[..n] {
        let (begin, end) = (part.begin, part.end);
        let mut y = [0.0; 2];
        for i in begin..end {
            y[i - begin] = p[i] - u[i];
        }
        let length = norm(&y[..end - begin]);
        let radius = part.radius * x_n;
        if length <= radius {
            for i in begin..end {
                out.f[i] = u[i];
                out.b[i * dim + i] = 1.0;
            }
            continue;
        }
        // proj = radius·e with e = y/‖y‖, d proj = μ e dx_N + (radius/‖y‖)(I − e eᵀ) dy.
        for i in begin..end {
            let e_i = y[i - begin] / length;
            out.f[i] = p[i] - radius * e_i;
            (out.a[i * dim], out.b[i * dim]) = (-part.radius * e_i, part.radius * e_i);
            for j in begin..end {
                let one = if i == j { 1.0 } else { 0.0 };
                let turn = radius / length * (one - e_i * y[j - begin] / length);
                (out.a[i * dim + j], out.b[i * dim + j]) = (one - turn, turn);
            }
        }
    }
}

/// The tangential rows for a polygonal section: inside, on a facet, at a corner.
fn polygon(mu: f64, sides: u32, x_n: f64, p: &[f64], u: &[f64], out: &mut Linear) {
    let half = std::f64::consts::PI / f64::from(sides);
    let y = [p[1] - u[1], p[2] - u[2]];
    let middle = ((y[1].atan2(y[0]) / (2.0 * half)).floor() + 0.5) * 2.0 * half;
    let normal = [middle.cos(), middle.sin()];
    let along = [-middle.sin(), middle.cos()];
    let (out_of, beside) = (y[0] * normal[0] + y[1] * normal[1], y[0] * along[0] + y[1] * along[1]);
    let (c, d) = (mu * half.cos(), mu * half.sin());
    if out_of <= c * x_n {
        for i in 1..3 {
            out.f[i] = u[i];
            out.b[i * 3 + i] = 1.0;
        }
        return;
    }
    let on_facet = beside.abs() <= d * x_n;
    for i in 0..2 {
        let corner = c * normal[i] + d.copysign(beside) * along[i];
        let (slope, place) = if on_facet {
            (c * normal[i], c * x_n * normal[i] + beside * along[i])
        } else {
            (corner, corner * x_n)
        };
        let row = (i + 1) * 3;
        out.f[i + 1] = p[i + 1] - place;
        (out.a[row], out.b[row]) = (-slope, slope);
        for j in 0..2 {
            let turn = if on_facet { along[i] * along[j] } else { 0.0 };
            let one = if i == j { 1.0 } else { 0.0 };
            (out.a[row + j + 1], out.b[row + j + 1]) = (one - turn, turn);
        }
    }
}

/// F = P − proj(x − shift(u) n, K), A = I − Q, B = Q (I + n ∇shiftᵀ), Q the derivative of the projection.
fn natural_map(set: Set, p: &[f64], u: &[f64], out: &mut Linear) {
    let dim = p.len();
    let mut x = [0.0; MAX_DIM];
    for i in 0..dim {
        x[i] = p[i] - u[i];
    }
    x[0] -= set.shift(u);
    let mut y = x;
    set.project_block(&mut y[..dim]);
    let mut q = [0.0; MAX_DIM * MAX_DIM];
    projection_derivative(set, &x[..dim], &y[..dim], &mut q);
    let mut gradient = [0.0; MAX_DIM];
    shift_gradient(set, u, &mut gradient);
    for i in 0..dim {
        out.f[i] = p[i] - y[i];
        for j in 0..dim {
            out.a[i * dim + j] = if i == j { 1.0 } else { 0.0 } - q[i * dim + j];
            out.b[i * dim + j] = q[i * dim + j] + q[i * dim] * gradient[j];
        }
    }
}

/// ∂shift/∂u of a section made of balls (pyramids keep to Alart and Curnier's equations).
fn shift_gradient(set: Set, u: &[f64], gradient: &mut [f64]) {
    let (parts, n) = set.parts();
    for part in &parts[..n] {
        let length = norm(&u[part.begin..part.end]);
        if length > 0.0 {
            for i in part.begin..part.end {
                gradient[i] = part.radius * u[i] / length;
            }
        }
    }
}

/// The derivative of x ↦ y = proj(x, K) for a section made of balls.
///
/// With s = y_N = (x_N + Σ μ_j n_j)/w over the active factors, n_j = ‖x_j‖ and e_j = x_j/n_j:
/// ds = (dx_N + Σ μ_j e_j·dx_j)/w and dy_j = μ_j e_j ds + (μ_j s/n_j)(I − e_j e_jᵀ) dx_j; inactive factors keep x_j.
fn projection_derivative(set: Set, x: &[f64], y: &[f64], q: &mut [f64]) {
    let dim = x.len();
    let s = y[0];
    if !(s > 0.0) {
        return;
    }
    let (parts, n) = set.parts();
    let mut ds = [0.0; MAX_DIM];
    let mut weight = 1.0;
    ds[0] = 1.0;
    for part in &parts[..n] {
        let length = norm(&x[part.begin..part.end]);
        if length > part.radius * s {
            weight += part.radius * part.radius;
            for i in part.begin..part.end {
                ds[i] = part.radius * x[i] / length;
            }
        }
    }
    ds.iter_mut().for_each(|x| *x /= weight);
    q[..dim].copy_from_slice(&ds[..dim]);
    for part in &parts[..n] {
        let length = norm(&x[part.begin..part.end]);
        for i in part.begin..part.end {
            if length <= part.radius * s {
                q[i * dim + i] = 1.0;
                continue;
            }
            let e_i = x[i] / length;
            for j in 0..dim {
                q[i * dim + j] = part.radius * e_i * ds[j];
            }
            for j in part.begin..part.end {
                let one = if i == j { 1.0 } else { 0.0 };
                q[i * dim + j] += part.radius * s / length * (one - e_i * x[j] / length);
            }
        }
    }
}

/// Where a spectral value of a² + b² is smaller than this times the larger one, it is lifted to it.
const SPECTRAL_FLOOR: f64 = 1e-30;

/// F = a + b − z, z = (a² + b²)^½, ∂F/∂a = I − L_z⁻¹ L_a, ∂F/∂b = I − L_z⁻¹ L_b.
///
/// The rows are those of the cone's own scaling: F_N in units of μ P_N.
fn fischer_burmeister(set: Set, p: &[f64], u: &[f64], out: &mut Linear) {
    let (Set::Coulomb2 { mu } | Set::Coulomb3 { mu }) = set else {
        return natural_map(set, p, u, out);
    };
    let dim = p.len();
    if mu == 0.0 {
        return natural_map(set, p, u, out);
    }
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    a[..dim].copy_from_slice(p);
    b[..dim].copy_from_slice(u);
    a[0] = mu * p[0];
    b[0] = (u[0] + set.shift(u)) / mu;
    // w = a² + b² = (‖a‖² + ‖b‖², 2(a₀ a_T + b₀ b_T)), with spectral values w₀ ± ‖w_T‖.
    let mut w = [0.0; 3];
    for i in 0..dim {
        w[0] += a[i] * a[i] + b[i] * b[i];
    }
    for i in 1..dim {
        w[i] = 2.0 * (a[0] * a[i] + b[0] * b[i]);
    }
    let length = norm(&w[1..dim]);
    let floor = SPECTRAL_FLOOR.max(SPECTRAL_FLOOR * w[0]);
    let (least, most) = ((w[0] - length).max(floor).sqrt(), (w[0] + length).max(floor).sqrt());
    let mut z = [0.0; 3];
    z[0] = 0.5 * (least + most);
    for i in 1..dim {
        z[i] = if length > 0.0 { 0.5 * (most - least) * w[i] / length } else { 0.0 };
    }
    let mut gradient = [0.0; MAX_DIM];
    shift_gradient(set, u, &mut gradient);
    let (mut column_a, mut column_b) = ([0.0; 9], [0.0; 9]);
    for j in 0..dim {
        let (x, y) = (arrow_solve(&z[..dim], &a[..dim], j), arrow_solve(&z[..dim], &b[..dim], j));
        for i in 0..dim {
            let one = if i == j { 1.0 } else { 0.0 };
            (column_a[i * dim + j], column_b[i * dim + j]) = (one - x[i], one - y[i]);
        }
    }
    for i in 0..dim {
        out.f[i] = a[i] + b[i] - z[i];
        for j in 0..dim {
            // a₀ = μ P_N; b₀ = (u_N + shift(u_T))/μ.
            let of_b0 = column_b[i * dim] / mu;
            (out.a[i * dim + j], out.b[i * dim + j]) = if j == 0 {
                (mu * column_a[i * dim], of_b0)
            } else {
                (column_a[i * dim + j], column_b[i * dim + j] + of_b0 * gradient[j])
            };
        }
    }
}

/// L_z⁻¹ (L_x e_j), L_x the arrow matrix [x₀ x_Tᵀ; x_T x₀ I].
fn arrow_solve(z: &[f64], x: &[f64], j: usize) -> [f64; 3] {
    let dim = z.len();
    let mut r = [0.0; 3];
    if j == 0 {
        r[..dim].copy_from_slice(x);
    } else {
        (r[0], r[j]) = (x[j], x[0]);
    }
    let square: f64 = z[1..].iter().map(|z| z * z).sum();
    let along: f64 = (1..dim).map(|i| z[i] * r[i]).sum();
    let first = (z[0] * r[0] - along) / (z[0] * z[0] - square);
    let mut out = [first, 0.0, 0.0];
    for i in 1..dim {
        out[i] = (r[i] - z[i] * first) / z[0];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Equations; 3] =
        [Equations::AlartCurnier, Equations::NaturalMap, Equations::FischerBurmeister];

    const SETS: [Set; 8] = [
        Set::Nonnegative,
        Set::Free,
        Set::Interval { lower: -0.4, upper: 0.7 },
        Set::Coulomb2 { mu: 0.7 },
        Set::Coulomb3 { mu: 0.3 },
        Set::Rolling2 { mu: 0.6, mu_r: 0.2 },
        Set::Rolling3 { mu: 0.6, mu_r: 1.5 },
        Set::Spinning3 { mu: 0.4, mu_r: 0.1, mu_s: 0.3 },
    ];

    fn point(seed: usize, dim: usize) -> Vec<f64> {
        (0..dim).map(|k| 3.0 * ((seed * 7 + k * 13 + 1) as f64 * 0.618_034).fract() - 1.5).collect()
    }

    /// Away from kinks, which random points do not meet, A and B are the derivatives of F.
    #[test]
    fn derivatives_agree_with_differences() {
        let pyramid = Set::Pyramid { mu: 0.8, sides: 5 };
        for set in SETS.into_iter().chain([pyramid]) {
            for equations in ALL {
                if set == pyramid && equations != Equations::AlartCurnier {
                    continue;
                }
                for seed in 0..200 {
                    let dim = set.dim();
                    let (p, u) = (point(seed, dim), point(seed + 3333, dim));
                    let at = equations.at(set, 1.3, &p, &u);
                    for j in 0..dim {
                        let h = 1e-6;
                        let (mut p2, mut u2) = (p.clone(), u.clone());
                        p2[j] += h;
                        u2[j] += h;
                        let by_p = equations.at(set, 1.3, &p2, &u);
                        let by_u = equations.at(set, 1.3, &p, &u2);
                        for i in 0..dim {
                            let a = (by_p.f[i] - at.f[i]) / h - at.a[i * dim + j];
                            let b = (by_u.f[i] - at.f[i]) / h - at.b[i * dim + j];
                            // h times second derivatives, which grow like 1/‖x_T‖ and 1/‖u_T‖.
                            assert!(
                                a.abs().max(b.abs()) < 1e-3,
                                "{equations:?} {set:?} {p:?} {u:?}: {a} {b}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// p = proj(P₀), u with −(u + shift) = P₀ − p solves the inclusion, and only then F vanishes.
    #[test]
    fn zeros_are_the_solutions() {
        for set in SETS {
            for equations in ALL {
                for seed in 0..200 {
                    let dim = set.dim();
                    let start = point(seed, dim);
                    let mut p = start.clone();
                    if set.is_scalar() {
                        p[0] = set.project(start[0]);
                    } else {
                        set.project_block(&mut p);
                    }
                    let mut u: Vec<f64> = p.iter().zip(&start).map(|(p, x)| p - x).collect();
                    u[0] -= set.shift(&u);
                    let f = equations.at(set, 1.0, &p, &u).f;
                    // The Fischer–Burmeister root halves the digits at the cone's tip.
                    let bound = if equations == Equations::FischerBurmeister { 1e-7 } else { 1e-14 };
                    assert!(norm(&f[..dim]) < bound, "{equations:?} {set:?} {p:?} {u:?}: {f:?}");
                    // Nothing may approach in the end, except against an interval's upper bound.
                    u[0] = -0.1;
                    let f = equations.at(set, 1.0, &p, &u).f;
                    let bounded = matches!(set, Set::Interval { .. });
                    assert!(
                        bounded || norm(&f[..dim]) > 1e-3,
                        "{equations:?} {set:?} {p:?} {u:?}: {f:?}"
                    );
                }
            }
        }
    }
}
