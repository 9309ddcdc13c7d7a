//! Forces on contacts that do not slide: as much as holds them, within their discs.
//!
//! ```text
//! −(S F + c) ∈ N(F) on ‖F_j‖ ≤ r_j:    the minimum of ½ Fᵀ S F + cᵀ F
//! ```
//!
//! Normal forces are known along the path, so the discs are, and the problem is convex.

use super::dense::Semidefinite;

/// Change of a sweep at which the forces count as found, relative to the largest disc.
const STILL: f64 = 1e-14;
/// Most sweeps.
const SWEEPS: usize = 1_000;
/// Weight that decides between forces that hold alike, relative.
const SHARE: f64 = 1e-7;

/// The rows of contacts that stick.
#[derive(Default)]
pub(super) struct Stuck {
    /// Rows, contact by contact.
    pub(super) rows: Vec<usize>,
    /// Rows of each contact: 1 or 2.
    pub(super) dims: Vec<usize>,
    /// r of each contact [N].
    pub(super) radius: Vec<f64>,
    /// u̇ of the rows without these forces [m/s²].
    pub(super) rate: Vec<f64>,
    /// The forces [N].
    pub(super) force: Vec<f64>,
    matrix: Vec<f64>,
    /// Whether rows depend on each other.
    depends: bool,
}

impl Stuck {
    /// Sets W of the rows.
    pub(super) fn set_matrix(&mut self, entry: impl Fn(usize, usize) -> f64) {
        let n = self.rows.len();
        self.matrix.clear();
        self.matrix.extend(
            self.rows
                .iter()
                .flat_map(|&i| self.rows.iter().map(move |&j| (i, j)))
                .map(|(i, j)| entry(i, j)),
        );
        self.depends = !Semidefinite::new(self.matrix.clone(), n).is_regular();
        self.force.clear();
        self.force.resize(n, 0.0);
        self.rate.clear();
        self.rate.resize(n, 0.0);
        self.radius.clear();
        self.radius.resize(self.dims.len(), 0.0);
    }

    /// Finds the forces.
    pub(super) fn solve(&mut self) {
        let n = self.rows.len();
        if n == 0 {
            return;
        }
        self.share();
        if self.is_within() {
            return;
        }
        let largest = self.radius.iter().copied().fold(0.0, f64::max);
        for _ in 0..SWEEPS {
            let (mut change, mut first) = (0.0f64, 0);
            for j in 0..self.dims.len() {
                change = change.max(self.visit(j, first));
                first += self.dims[j];
            }
            if change <= STILL * largest || self.dims.len() == 1 {
                return;
            }
        }
    }

    /// The forces that hold, where rows depend on each other those that use the same share of each disc: (R S R + ε) y = −R c, F = R y, R² = r.
    fn share(&mut self) {
        let n = self.rows.len();
        let mut root = Vec::with_capacity(n);
        for (&dim, r) in self.dims.iter().zip(&self.radius) {
            root.resize(root.len() + dim, r.max(0.0).sqrt());
        }
        let mut scaled: Vec<f64> =
            (0..n * n).map(|k| root[k / n] * self.matrix[k] * root[k % n]).collect();
        let largest = (0..n).map(|i| scaled[i * n + i]).fold(0.0, f64::max);
        if largest == 0.0 {
            return self.force.fill(0.0);
        }
        if self.depends {
            (0..n).for_each(|i| scaled[i * n + i] += SHARE * largest);
        }
        let right: Vec<f64> = self.rate.iter().zip(&root).map(|(c, root)| -c * root).collect();
        let factor = Semidefinite::new(scaled.clone(), n);
        factor.solve(&right, &mut self.force);
        if self.depends {
            self.refine(&factor, &scaled, &right, SHARE * largest);
        }
        self.force.iter_mut().zip(&root).for_each(|(f, root)| *f *= root);
    }

    /// Takes the slip away that the weight leaves: (A + ε) y⁺ = b + ε y.
    fn refine(&mut self, factor: &Semidefinite, scaled: &[f64], right: &[f64], weight: f64) {
        let n = self.rows.len();
        let mut more = vec![0.0; n];
        for _ in 0..2 {
            let left: Vec<f64> = (0..n)
                .map(|i| {
                    let row = scaled[i * n..(i + 1) * n].iter().zip(&self.force);
                    right[i] + weight * self.force[i] - row.map(|(a, y)| a * y).sum::<f64>()
                })
                .collect();
            factor.solve(&left, &mut more);
            self.force.iter_mut().zip(&more).for_each(|(y, more)| *y += more);
        }
    }

    /// Whether forces on rows that depend on each other are known to some digits only; what they do together is not.
    pub(super) fn depends(&self) -> bool {
        self.depends
    }

    fn is_within(&self) -> bool {
        let mut first = 0;
        self.dims.iter().zip(&self.radius).all(|(&dim, r)| {
            let force = &self.force[first..first + dim];
            first += dim;
            force.iter().map(|f| f * f).sum::<f64>() <= r * r
        })
    }

    /// Solves for one contact while the others are held; how much its force changed.
    fn visit(&mut self, j: usize, first: usize) -> f64 {
        let (n, dim, r) = (self.rows.len(), self.dims[j], self.radius[j]);
        let mut c = [0.0; 2];
        for k in 0..dim {
            let row = &self.matrix[(first + k) * n..(first + k + 1) * n];
            let others = row.iter().zip(&self.force).enumerate();
            let known = others.filter(|(i, _)| !(first..first + dim).contains(i));
            c[k] = self.rate[first + k] + known.map(|(_, (w, f))| w * f).sum::<f64>();
        }
        let entry = |a: usize, b: usize| self.matrix[(first + a) * n + first + b];
        let found = if dim == 1 {
            [in_segment(entry(0, 0), c[0], r), 0.0]
        } else {
            in_disc([entry(0, 0), entry(0, 1), entry(1, 1)], c, r)
        };
        let mut change = 0.0f64;
        for k in 0..dim {
            change = change.max((found[k] - self.force[first + k]).abs());
            self.force[first + k] = found[k];
        }
        change
    }
}

/// The minimum of ½ a f² + c f on |f| ≤ r.
fn in_segment(a: f64, c: f64, r: f64) -> f64 {
    if c.abs() <= a * r { -c / a } else { -r * c.signum() }
}

/// The minimum of ½ fᵀ A f + c·f on ‖f‖ ≤ r, A = [[a, b], [b, d]].
fn in_disc([a, b, d]: [f64; 3], c: [f64; 2], r: f64) -> [f64; 2] {
    // Axes in which A is diagonal.
    let angle = 0.5 * (2.0 * b).atan2(a - d);
    let (sine, cosine) = angle.sin_cos();
    let (mean, half) = (0.5 * (a + d), 0.5 * (a - d).hypot(2.0 * b));
    let eigen = [mean + half, (mean - half).max(0.0)];
    let turned = [cosine * c[0] + sine * c[1], cosine * c[1] - sine * c[0]];
    let force = |kappa: f64| [0, 1].map(|i| -turned[i] / (eigen[i] + kappa));
    let back = |f: [f64; 2]| [cosine * f[0] - sine * f[1], sine * f[0] + cosine * f[1]];
    if r <= 0.0 {
        return [0.0; 2];
    }
    let free = force(0.0);
    if free[0].hypot(free[1]) <= r {
        return back(free);
    }
    // Newton on 1/‖f‖ = 1/r, which is nearly linear in κ and concave: from the left it does not overshoot.
    let mut kappa = (turned[0].hypot(turned[1]) / r - eigen[0]).max(0.0);
    for _ in 0..100 {
        let f = force(kappa);
        let norm = f[0].hypot(f[1]);
        let slope: f64 = (0..2).map(|i| f[i] * f[i] / (eigen[i] + kappa)).sum();
        let step = norm * norm * (norm / r - 1.0) / slope;
        kappa += step;
        if step.abs() <= 1e-15 * (kappa + eigen[0]) {
            break;
        }
    }
    let f = force(kappa);
    let norm = f[0].hypot(f[1]);
    back([f[0] * r / norm, f[1] * r / norm])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_in_a_disc_opposes_what_it_cannot_hold() {
        let (matrix, c, r) = ([3.0, 1.0, 1.0], [1.0, -2.0], 0.4);
        let f = in_disc(matrix, c, r);
        let rate =
            [c[0] + matrix[0] * f[0] + matrix[1] * f[1], c[1] + matrix[1] * f[0] + matrix[2] * f[1]];
        assert!((f[0].hypot(f[1]) - r).abs() < 1e-15);
        assert!((f[0] * rate[1] - f[1] * rate[0]).abs() < 1e-14 && f[0] * rate[0] < 0.0, "{f:?}");
        let held = in_disc(matrix, c, 10.0);
        assert!((c[0] + 3.0 * held[0] + held[1]).abs() < 1e-14, "{held:?}");
    }
}
