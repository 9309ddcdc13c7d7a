//! The functions h and g of a relation, and their slopes.

use crate::model::UserError;

/// Where a function is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time [s].
    pub t: f64,
    /// The variables that are read, in the order of registration.
    pub z: &'a [f64],
    /// λ, by row.
    pub lambda: &'a [f64],
    /// Inputs, held values and named expressions of the model.
    pub signals: &'a [f64],
}

/// Derivatives of y and r, by rows: of y by z, y by λ, r by z, r by λ. Zero on entry.
#[derive(Clone, Debug, Default)]
pub struct Slopes {
    /// ∂h/∂z.
    pub y_z: Vec<f64>,
    /// ∂h/∂λ.
    pub y_lambda: Vec<f64>,
    /// ∂g/∂z.
    pub r_z: Vec<f64>,
    /// ∂g/∂λ.
    pub r_lambda: Vec<f64>,
}

impl Slopes {
    /// Zeros, for `m` rows, `n` variables and `k` places on which r acts.
    pub(crate) fn reset(&mut self, m: usize, n: usize, k: usize) {
        let Self { y_z, y_lambda, r_z, r_lambda } = self;
        for (x, size) in [(y_z, m * n), (y_lambda, m * m), (r_z, k * n), (r_lambda, k * m)] {
            x.clear();
            x.resize(size, 0.0);
        }
    }
}

/// y = h(z, λ, t) and r = g(z, λ, t).
pub trait RelationFunction: Send + Sync {
    /// Number of rows: entries of y and of λ; 0 for a coupling.
    fn n_rows(&self) -> usize;

    /// Writes y; zeros on entry.
    fn output(&self, at: &Point<'_>, y: &mut [f64]) -> Result<(), UserError>;

    /// Writes r over the places on which it acts; zeros on entry.
    fn input(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError>;

    /// Writes the slopes; by central differences unless given.
    fn slopes(&self, at: &Point<'_>, n_acts: usize, slopes: &mut Slopes) -> Result<(), UserError> {
        differences(self, at, n_acts, slopes)
    }

    /// Whether h and g are linear in z and λ: then one pass of a step solves them.
    fn is_linear(&self) -> bool {
        false
    }

    /// The numbers that make it up, with the names of their fields and the sizes wanted for `n` variables and `k` places: for checks.
    fn parts(&self, _n: usize, _k: usize) -> Vec<(&'static str, &[f64], usize)> {
        Vec::new()
    }

    /// y as results show it: without the multipliers of a polytope.
    fn shown(&self, at: &Point<'_>, y: &mut [f64]) -> Result<(), UserError> {
        self.output(at, y)
    }

    /// Number of rows that results show, the first ones.
    fn n_shown(&self) -> usize {
        self.n_rows()
    }
}

/// Step of the differences, relative to the size of the variable: the cube root of rounding balances error and noise.
const STEP: f64 = 6e-6;

fn differences<F: RelationFunction + ?Sized>(
    function: &F,
    at: &Point<'_>,
    n_acts: usize,
    slopes: &mut Slopes,
) -> Result<(), UserError> {
    let (n, m) = (at.z.len(), at.lambda.len());
    let mut x = [at.z, at.lambda].concat();
    let mut sides = [vec![0.0; m + n_acts], vec![0.0; m + n_acts]];
    for j in 0..n + m {
        let (middle, step) = (x[j], STEP * x[j].abs().max(1.0));
        let mut width = 0.0;
        for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
            x[j] = middle + sign * step;
            width += sign * x[j];
            side.fill(0.0);
            let point = Point { z: &x[..n], lambda: &x[n..], ..*at };
            let (y, r) = side.split_at_mut(m);
            function.output(&point, y)?;
            function.input(&point, r)?;
        }
        x[j] = middle;
        for i in 0..m + n_acts {
            let slope = (sides[0][i] - sides[1][i]) / width;
            let (row, is_output) = if i < m { (i, true) } else { (i - m, false) };
            let place = match (is_output, j < n) {
                (true, true) => &mut slopes.y_z[row * n + j],
                (true, false) => &mut slopes.y_lambda[row * m + j - n],
                (false, true) => &mut slopes.r_z[row * n + j],
                (false, false) => &mut slopes.r_lambda[row * m + j - n],
            };
            *place = slope;
        }
    }
    Ok(())
}

/// y = C z + D λ + e(t), r = B λ; all matrices dense, by rows.
pub struct LinearRelation {
    /// Number of rows.
    pub rows: usize,
    /// C, rows × variables.
    pub c: Vec<f64>,
    /// D, rows × rows; empty: zero.
    pub d: Vec<f64>,
    /// e, where it is constant; empty: zero.
    pub e: Vec<f64>,
    /// e(t), added to it.
    pub offset: Option<crate::model::systems::TimeForce>,
    /// B, places × rows.
    pub b: Vec<f64>,
}

impl LinearRelation {
    /// y = C z, r = B λ.
    pub fn new(rows: usize, c: &[f64], b: &[f64]) -> Self {
        Self { rows, c: c.to_vec(), d: Vec::new(), e: Vec::new(), offset: None, b: b.to_vec() }
    }

    /// Sets D.
    pub fn feedthrough(mut self, d: &[f64]) -> Self {
        self.d = d.to_vec();
        self
    }

    /// Sets e.
    pub fn constant(mut self, e: &[f64]) -> Self {
        self.e = e.to_vec();
        self
    }

    /// Sets e(t).
    pub fn offset(
        mut self,
        offset: impl Fn(f64, &mut [f64]) -> Result<(), UserError> + Send + Sync + 'static,
    ) -> Self {
        self.offset = Some(Box::new(offset));
        self
    }
}

/// out += A x.
fn add_product(a: &[f64], x: &[f64], out: &mut [f64]) {
    if !x.is_empty() {
        for (out, row) in out.iter_mut().zip(a.chunks_exact(x.len())) {
            *out += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
    }
}

impl RelationFunction for LinearRelation {
    fn n_rows(&self) -> usize {
        self.rows
    }

    fn output(&self, at: &Point<'_>, y: &mut [f64]) -> Result<(), UserError> {
        if let Some(offset) = &self.offset {
            offset(at.t, y)?;
        }
        y.iter_mut().zip(&self.e).for_each(|(y, e)| *y += e);
        add_product(&self.c, at.z, y);
        add_product(&self.d, at.lambda, y);
        Ok(())
    }

    fn input(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        add_product(&self.b, at.lambda, r);
        Ok(())
    }

    fn slopes(&self, _at: &Point<'_>, _n_acts: usize, slopes: &mut Slopes) -> Result<(), UserError> {
        slopes.y_z.copy_from_slice(&self.c);
        slopes.r_lambda.copy_from_slice(&self.b);
        if !self.d.is_empty() {
            slopes.y_lambda.copy_from_slice(&self.d);
        }
        Ok(())
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn parts(&self, n: usize, k: usize) -> Vec<(&'static str, &[f64], usize)> {
        let m = self.rows;
        let mut parts = vec![("C", &self.c[..], m * n), ("B", &self.b[..], k * m)];
        parts.extend((!self.d.is_empty()).then_some(("D", &self.d[..], m * m)));
        parts.extend((!self.e.is_empty()).then_some(("e", &self.e[..], m)));
        parts
    }
}

/// r = g(z, t) of a coupling.
pub trait CouplingFunction: Send + Sync {
    /// Writes r over the places on which it acts; zeros on entry.
    fn force(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError>;

    /// Writes ∂g/∂z by rows, zeros on entry, and tells that it did; by default differences are taken.
    fn slope(&self, _at: &Point<'_>, _r_z: &mut [f64]) -> Result<bool, UserError> {
        Ok(false)
    }

    /// Whether g is linear in z.
    fn is_linear(&self) -> bool {
        false
    }
}

/// A coupling as a relation without rows.
pub(crate) struct Coupling<F>(pub(crate) F);

impl<F: CouplingFunction> RelationFunction for Coupling<F> {
    fn n_rows(&self) -> usize {
        0
    }

    fn output(&self, _at: &Point<'_>, _y: &mut [f64]) -> Result<(), UserError> {
        Ok(())
    }

    fn input(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        self.0.force(at, r)
    }

    fn slopes(&self, at: &Point<'_>, n_acts: usize, slopes: &mut Slopes) -> Result<(), UserError> {
        if self.0.slope(at, &mut slopes.r_z)? {
            return Ok(());
        }
        slopes.r_z.fill(0.0);
        differences(self, at, n_acts, slopes)
    }

    fn is_linear(&self) -> bool {
        self.0.is_linear()
    }
}
