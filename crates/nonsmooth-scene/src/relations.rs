//! Relations and couplings given by formulas, with symbolic slopes.
//!
//! Slot 0 is t, then come the inputs λ, then what is read: variables z, and signals, which are held through a step.

use crate::formula::{Expr, Program};
use nonsmooth::model::UserError;
use nonsmooth::model::relations::{CouplingFunction, Point, RelationFunction, Slopes, Variable};

/// Slot of input `k`.
pub(crate) fn input(k: usize) -> u32 {
    1 + k as u32
}

/// Slot of what is read as number `k` where there are `m` inputs.
pub(crate) fn read(m: usize, k: usize) -> u32 {
    (1 + m + k) as u32
}

/// What a relation reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Used {
    /// A state, coordinate or velocity.
    Variable(Variable),
    /// An output of a controller, by its place among the signals.
    Signal(usize),
}

/// The variables among what is read.
pub(crate) fn variables(used: &[Used]) -> Vec<Variable> {
    let variable = |used: &Used| match used {
        Used::Variable(variable) => Some(*variable),
        Used::Signal(_) => None,
    };
    used.iter().filter_map(variable).collect()
}

/// Values, and their slopes by λ and by z.
struct Formulas {
    values: Vec<Program>,
    /// By value, then by λ and z.
    slopes: Vec<Program>,
    used: Vec<Used>,
    n_slopes: usize,
    is_linear: bool,
}

impl Formulas {
    /// Of `m` inputs.
    fn new(values: &[Expr], m: usize, used: &[Used]) -> Self {
        let is_variable = |k: &usize| matches!(used[*k], Used::Variable(_));
        let reads = (0..used.len()).filter(is_variable).map(|k| read(m, k));
        let slots: Vec<u32> = (0..m).map(input).chain(reads).collect();
        let slopes: Vec<Expr> =
            values.iter().flat_map(|value| slots.iter().map(|&slot| value.derivative(slot))).collect();
        let is_linear = slopes.iter().all(|slope| slots.iter().all(|&slot| !slope.uses(slot)));
        let compile = |list: &[Expr]| list.iter().map(Program::compile).collect();
        let (values, n_slopes) = (compile(values), slots.len());
        Self { values, slopes: compile(&slopes), used: used.to_vec(), n_slopes, is_linear }
    }

    fn slots(&self, at: &Point<'_>) -> Vec<f64> {
        let mut slots = vec![at.t];
        slots.extend_from_slice(at.lambda);
        let mut z = at.z.iter();
        slots.extend(self.used.iter().map(|used| match used {
            Used::Variable(_) => z.next().copied().unwrap_or(f64::NAN),
            Used::Signal(k) => at.signals[*k],
        }));
        slots
    }

    fn write(&self, at: &Point<'_>, out: &mut [f64]) {
        let slots = self.slots(at);
        self.values.iter().zip(out).for_each(|(value, out)| *out = value.eval(&slots));
    }

    /// Slopes by λ and by z, by rows.
    fn write_slopes(&self, at: &Point<'_>, by_lambda: &mut [f64], by_z: &mut [f64]) {
        let (slots, m, n) = (self.slots(at), at.lambda.len(), at.z.len());
        for (i, row) in self.slopes.chunks_exact(self.n_slopes.max(1)).enumerate() {
            for (j, slope) in row.iter().enumerate() {
                let value = slope.eval(&slots);
                if j < m { by_lambda[i * m + j] = value } else { by_z[i * n + j - m] = value }
            }
        }
    }
}

/// A relation by formulas.
pub(crate) struct FormulaRelation {
    outputs: Formulas,
    acts: Formulas,
}

impl FormulaRelation {
    /// Of as many outputs as there are inputs.
    pub(crate) fn new(outputs: &[Expr], acts: &[Expr], used: &[Used]) -> Self {
        let m = outputs.len();
        Self { outputs: Formulas::new(outputs, m, used), acts: Formulas::new(acts, m, used) }
    }
}

impl RelationFunction for FormulaRelation {
    fn n_rows(&self) -> usize {
        self.outputs.values.len()
    }

    fn output(&self, at: &Point<'_>, y: &mut [f64]) -> Result<(), UserError> {
        self.outputs.write(at, y);
        Ok(())
    }

    fn input(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        self.acts.write(at, r);
        Ok(())
    }

    fn slopes(&self, at: &Point<'_>, _n_acts: usize, slopes: &mut Slopes) -> Result<(), UserError> {
        self.outputs.write_slopes(at, &mut slopes.y_lambda, &mut slopes.y_z);
        self.acts.write_slopes(at, &mut slopes.r_lambda, &mut slopes.r_z);
        Ok(())
    }

    fn is_linear(&self) -> bool {
        self.outputs.is_linear && self.acts.is_linear
    }
}

/// A coupling by formulas.
pub(crate) struct FormulaCoupling(Formulas);

impl FormulaCoupling {
    /// Of what it reads.
    pub(crate) fn new(acts: &[Expr], used: &[Used]) -> Self {
        Self(Formulas::new(acts, 0, used))
    }
}

impl CouplingFunction for FormulaCoupling {
    fn force(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        self.0.write(at, r);
        Ok(())
    }

    fn slope(&self, at: &Point<'_>, r_z: &mut [f64]) -> Result<bool, UserError> {
        self.0.write_slopes(at, &mut [], r_z);
        Ok(true)
    }

    fn is_linear(&self) -> bool {
        self.0.is_linear
    }
}
