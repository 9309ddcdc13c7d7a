//! The iteration matrix M̂ = M + c C + k K, block by block, and its inverse.
//!
//! For the θ-scheme c = hθ and k = h²θ². The linear systems are factored once per (c, k); Lagrangian
//! systems at every Newton iterate, with M at the chosen configuration and C, K (the Jacobians of the
//! left-hand forces) at the end of the step. Rows and columns of prescribed coordinates are those of
//! the identity, and their entries of every right-hand side count as zero: they do not move.

use super::iterate::Iterate;
use super::springs::SpringFactors;
use crate::error::{StepError, StepResult};
use crate::model::{At, Block, Model};
use nonsmooth_solvers::{Factor, Sparse, invert};

/// The weights of damping and stiffness in M̂.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coeffs {
    /// Weight of C [s].
    pub damping: f64,
    /// Weight of K [s²].
    pub stiffness: f64,
}

impl Coeffs {
    /// M̂ = M: nothing is implicit, so no Jacobian is asked for.
    pub const EXPLICIT: Self = Self { damping: 0.0, stiffness: 0.0 };
}

/// M̂⁻¹ by blocks. Written by `factorize`, read by everything after it.
#[derive(Default)]
pub struct Factors {
    /// Grows whenever M̂ changes.
    pub stamp: u64,
    known: Option<(u64, Coeffs)>,
    /// Inverse of the single coordinates, by place in v; 0 for all others.
    single: Vec<f64>,
    dense: Vec<Vec<f64>>,
    user: Vec<Vec<f64>>,
    sparse: Vec<SparseBlock>,
    fixed: Vec<bool>,
    pub(super) springs: SpringFactors,
    pivots: Vec<usize>,
    pub(super) scratch: Vec<f64>,
}

struct SparseBlock {
    factor: Factor,
    /// For each contact place: its row of M̂⁻¹ at the contact places; empty until needed.
    compliance: Vec<Vec<f64>>,
    x: Vec<f64>,
}

/// Brings `factors` up to date.
pub fn factorize(model: &Model, at: &Iterate, coeffs: Coeffs, factors: &mut Factors) -> StepResult {
    if factors.known != Some((model.id, coeffs)) {
        factors.known = None;
        factors.factor_linear(model, coeffs)?;
        factors.known = Some((model.id, coeffs));
        factors.stamp += 1;
    }
    if !model.user.is_empty() {
        factors.factor_user(model, at, coeffs)?;
        factors.stamp += 1;
    }
    Ok(())
}

/// Brings `factors` up to date with M̂ = M(q), for schemes that work with accelerations.
pub fn factorize_mass(model: &Model, q: &[f64], factors: &mut Factors) -> StepResult {
    let coeffs = Coeffs { damping: 0.0, stiffness: 0.0 };
    if factors.known != Some((model.id, coeffs)) {
        factors.known = None;
        factors.factor_linear(model, coeffs)?;
        factors.known = Some((model.id, coeffs));
    }
    factors.user.resize(model.user.len(), Vec::new());
    for (system, inverse) in model.user.iter().zip(&mut factors.user) {
        let (range, n) = (system.range.clone(), system.range.len());
        inverse.clear();
        inverse.resize(n * n, 0.0);
        let mass = system.dynamics.mass(&q[range.clone()], inverse);
        mass.map_err(StepError::in_system(model, range.start))?;
        let fixed = |k: usize| factors.fixed[range.start + k];
        if !invert_masked(inverse, n, fixed, &mut factors.pivots) {
            let system = model.coordinate_name(range.start).0.to_owned();
            return Err(StepError::SingularMass { system }.into());
        }
    }
    factors.stamp += 1;
    Ok(())
}

impl Factors {
    #[inline(never)]
    fn factor_linear(&mut self, model: &Model, coeffs: Coeffs) -> StepResult {
        let n = model.bodies.first_v;
        self.fixed.clear();
        self.fixed.resize(n, false);
        for prescribed in &model.prescribed {
            self.fixed[prescribed.index] = true;
        }
        let entry = |i: usize, j: usize| linear_entry(model, coeffs, i, j);
        self.single.clear();
        self.single.resize(n, 0.0);
        for &i in &model.blocks.single {
            let i = i as usize;
            let mass = entry(i, i);
            if !(mass.abs() > 0.0 && mass.is_finite()) {
                return Err(singular(model, i));
            }
            self.single[i] = if self.fixed[i] { 0.0 } else { 1.0 / mass };
        }
        self.dense.resize(model.blocks.dense.len(), Vec::new());
        for (group, inverse) in model.blocks.dense.iter().zip(&mut self.dense) {
            let n = group.len();
            inverse.clear();
            for &i in group {
                inverse.extend(group.iter().map(|&j| entry(i as usize, j as usize)));
            }
            let fixed = |k: usize| self.fixed[group[k] as usize];
            if !invert_masked(inverse, n, fixed, &mut self.pivots) {
                return Err(singular(model, group[0] as usize));
            }
        }
        self.sparse.clear();
        for (group, contacts) in model.blocks.sparse.iter().zip(&model.blocks.contacts) {
            let block = SparseBlock::new(model, coeffs, group, &self.fixed, contacts.len())?;
            self.sparse.push(block);
        }
        Ok(())
    }

    #[inline(never)]
    fn factor_user(&mut self, model: &Model, at: &Iterate, coeffs: Coeffs) -> StepResult {
        self.user.resize(model.user.len(), Vec::new());
        for (system, inverse) in model.user.iter().zip(&mut self.user) {
            let (range, n) = (system.range.clone(), system.range.len());
            let in_system = || StepError::in_system(model, range.start);
            self.scratch.clear();
            self.scratch.resize(2 * n * n, 0.0);
            let (damping, stiffness) = self.scratch.split_at_mut(n * n);
            inverse.clear();
            inverse.resize(n * n, 0.0);
            system.dynamics.mass(&at.q_mass[range.clone()], inverse).map_err(in_system())?;
            if coeffs != Coeffs::EXPLICIT {
                let end = At { t: at.t_next, q: &at.q_next[range.clone()], v: &at.v[range.clone()] };
                system.dynamics.jacobians(end, damping, stiffness).map_err(in_system())?;
                for k in 0..n * n {
                    inverse[k] += coeffs.damping * damping[k] + coeffs.stiffness * stiffness[k];
                }
            }
            let fixed = |k: usize| self.fixed[range.start + k];
            if !invert_masked(inverse, n, fixed, &mut self.pivots) {
                return Err(singular(model, range.start));
            }
        }
        Ok(())
    }

    /// The weights of C and K in the M̂ that was factored.
    pub(super) fn coeffs(&self) -> Coeffs {
        self.known.expect("factorize comes first").1
    }

    /// v_free ← v + h M⁻¹ load, for models of independent coordinates.
    #[inline]
    pub(super) fn fall(&self, load: &[f64], v: &[f64], h: f64, v_free: &mut [f64]) {
        let n = v_free.len();
        let (load, v, inverse) = (&load[..n], &v[..n], &self.single[..n]);
        for i in 0..n {
            v_free[i] = v[i] + h * load[i] * inverse[i];
        }
    }

    /// x ← M̂⁻¹ x.
    #[inline]
    pub fn solve(&mut self, model: &Model, x: &mut [f64]) {
        self.solve_systems(model, x);
        if !model.bodies.is_empty() {
            self.solve_bodies(model, x);
        }
    }

    /// x ← M̂⁻¹ x for all but rigid bodies.
    #[inline]
    pub(super) fn solve_systems(&mut self, model: &Model, x: &mut [f64]) {
        if model.blocks.single.len() == x.len() {
            x.iter_mut().zip(&self.single).for_each(|(x, inverse)| *x *= inverse);
        } else {
            self.solve_blocks(model, x);
        }
    }

    #[inline(never)]
    fn solve_blocks(&mut self, model: &Model, x: &mut [f64]) {
        for &i in &model.blocks.single {
            x[i as usize] *= self.single[i as usize];
        }
        for (group, inverse) in model.blocks.dense.iter().zip(&self.dense) {
            self.scratch.clear();
            self.scratch.extend(group.iter().map(|&i| x[i as usize]));
            for (row, &i) in inverse.chunks_exact(group.len()).zip(group) {
                x[i as usize] = dot(row, &self.scratch);
            }
        }
        for (system, inverse) in model.user.iter().zip(&self.user) {
            let x = &mut x[system.range.clone()];
            self.scratch.clear();
            self.scratch.extend_from_slice(x);
            for (row, x) in inverse.chunks_exact(system.range.len()).zip(x) {
                *x = dot(row, &self.scratch);
            }
        }
        for (group, block) in model.blocks.sparse.iter().zip(&mut self.sparse) {
            // Most systems are untouched in most steps: nothing in, nothing out.
            if group.iter().all(|&i| x[i as usize] == 0.0) {
                continue;
            }
            block.x.clear();
            block
                .x
                .extend(group.iter().map(|&i| if self.fixed[i as usize] { 0.0 } else { x[i as usize] }));
            block.factor.solve(&mut block.x);
            for (&i, &value) in group.iter().zip(&block.x) {
                x[i as usize] = value;
            }
        }
    }

    /// Calls `visit(j, (M̂⁻¹)_ij)` for the coordinates j that matter: those of the same block, and of a
    /// sparse block only those that constraints touch.
    #[inline]
    pub fn for_each_in_row(&mut self, model: &Model, i: usize, mut visit: impl FnMut(usize, f64)) {
        if i >= model.bodies.first_v {
            return self.for_each_of_body(model, i, visit);
        }
        match model.blocks.of[i] {
            Block::Single => visit(i, self.single[i]),
            Block::Dense(block, place) => {
                let group = &model.blocks.dense[block as usize];
                let (n, inverse) = (group.len(), &self.dense[block as usize]);
                for (&j, &value) in group.iter().zip(&inverse[place as usize * n..]) {
                    visit(j as usize, value);
                }
            }
            Block::User(system, place) => {
                let range = model.user[system as usize].range.clone();
                let (n, inverse) = (range.len(), &self.user[system as usize]);
                for (j, &value) in range.zip(&inverse[place as usize * n..]) {
                    visit(j, value);
                }
            }
            Block::Sparse(block, place) => {
                let group = &model.blocks.sparse[block as usize];
                let contacts = &model.blocks.contacts[block as usize];
                let fixed = self.fixed[i];
                let row = self.sparse[block as usize].row(contacts, place, fixed);
                for (&j, &value) in contacts.iter().zip(row) {
                    let j = group[j as usize] as usize;
                    visit(j, if self.fixed[j] { 0.0 } else { value });
                }
            }
        }
    }

    /// Whether M̂⁻¹ is symmetric, so that W is.
    pub fn is_symmetric(&self, model: &Model) -> bool {
        model.user.is_empty() && model.linear.damping.as_ref().is_none_or(|c| c.is_symmetric(0.0))
    }

    /// Overwrites every number with NaN and forgets what was factored.
    pub(crate) fn poison(&mut self) {
        let stamp = self.stamp;
        *self = Self { stamp, scratch: vec![f64::NAN; self.scratch.len()], ..Self::default() };
    }
}

impl SparseBlock {
    fn new(
        model: &Model,
        coeffs: Coeffs,
        group: &[u32],
        fixed: &[bool],
        n_contacts: usize,
    ) -> StepResult<Self> {
        let failed = || singular(model, group[0] as usize);
        let matrix = local_matrix(model, coeffs, group, fixed);
        let symmetric = matrix.is_symmetric(1e-14);
        let mut factor = Factor::analyse(&matrix, symmetric).map_err(|_| failed())?;
        factor.factor(|k, _, _| matrix.value[k]).map_err(|_| failed())?;
        // A sparse factor can be silently wrong (DEPENDENCIES of the project tell of one case): solve
        // A x = A 1 once. 1e-6 leaves room for condition numbers up to 1e9 and catches nonsense.
        let ones = vec![1.0; group.len()];
        let mut x = vec![0.0; group.len()];
        matrix.multiply(&ones, &mut x);
        factor.solve(&mut x);
        if x.iter().any(|x| !((x - 1.0).abs() < 1e-6)) {
            return Err(failed());
        }
        Ok(Self { factor, compliance: vec![Vec::new(); n_contacts], x })
    }

    /// Row `place` of M̂⁻¹ at the contact places, computed when first asked for.
    fn row(&mut self, contacts: &[u32], place: u32, fixed: bool) -> &[f64] {
        let k = contacts.binary_search(&place).expect("constraints touch contact coordinates only");
        if self.compliance[k].is_empty() {
            self.x.fill(0.0);
            self.x[place as usize] = if fixed { 0.0 } else { 1.0 };
            self.factor.solve_transposed(&mut self.x);
            self.compliance[k] = contacts.iter().map(|&j| self.x[j as usize]).collect();
        }
        &self.compliance[k]
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn singular(model: &Model, index: usize) -> Box<StepError> {
    StepError::Singular { system: model.coordinate_name(index).0.to_owned() }.into()
}

fn linear_entry(model: &Model, coeffs: Coeffs, i: usize, j: usize) -> f64 {
    let linear = &model.linear;
    let mut entry = linear.mass.get(i, j);
    if let Some(damping) = &linear.damping {
        entry += coeffs.damping * damping.get(i, j);
    }
    if let Some(stiffness) = &linear.stiffness {
        entry += coeffs.stiffness * stiffness.get(i, j);
    }
    entry
}

/// M̂ of one component, with the identity in the rows and columns of prescribed coordinates.
fn local_matrix(model: &Model, coeffs: Coeffs, group: &[u32], fixed: &[bool]) -> Sparse {
    let linear = &model.linear;
    let weighted = [
        (1.0, Some(&linear.mass)),
        (coeffs.damping, linear.damping.as_ref()),
        (coeffs.stiffness, linear.stiffness.as_ref()),
    ];
    let mut matrix = Sparse::empty(group.len());
    let mut row: Vec<(u32, f64)> = Vec::new();
    for &i in group {
        row.clear();
        for (weight, part) in weighted {
            let Some(part) = part else { continue };
            let (columns, values) = part.row(i as usize);
            row.extend(columns.iter().zip(values).map(|(&j, &x)| (j, weight * x)));
        }
        row.sort_by_key(|&(j, _)| j);
        for &(j, x) in &row {
            let Block::Sparse(_, place) = model.blocks.of[j as usize] else {
                unreachable!("components are closed");
            };
            let cut = fixed[i as usize] || fixed[j as usize];
            let x = if cut { 0.0 } else { x };
            let begin = matrix.start[matrix.n_rows()];
            if matrix.column.len() > begin && matrix.column.last() == Some(&place) {
                let last = matrix.value.len() - 1;
                matrix.value[last] += x;
            } else {
                matrix.column.push(place);
                matrix.value.push(x);
            }
            if i == j && fixed[i as usize] {
                let last = matrix.value.len() - 1;
                matrix.value[last] = 1.0;
            }
        }
        matrix.finish_row();
    }
    matrix
}

/// Inverts a dense block with the rows and columns of fixed coordinates taken out (zero in the result).
fn invert_masked(
    a: &mut [f64],
    n: usize,
    fixed: impl Fn(usize) -> bool,
    pivots: &mut Vec<usize>,
) -> bool {
    for k in (0..n).filter(|&k| fixed(k)) {
        for i in 0..n {
            a[k * n + i] = 0.0;
            a[i * n + k] = 0.0;
        }
        // Any nonzero number of the matrix's own size decouples the row without touching the pivots.
        a[k * n + k] = a.iter().fold(0.0f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
    }
    let good = invert(a, n, pivots);
    for k in (0..n).filter(|&k| fixed(k)) {
        a[k * n + k] = 0.0;
    }
    good
}
