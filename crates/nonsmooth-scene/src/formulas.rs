//! Systems, gaps and forces given by formulas, with symbolic derivatives.
//!
//! All formulas of one object share one slot layout: slot 0 is t, slots 1 + 2k and 2 + 2k are coordinate
//! and velocity k. The inertial force is derived from M(q) where it is not given:
//!
//! ```text
//! N_i = Σ_jk (∂M_ij/∂q_k − ½ ∂M_jk/∂q_i) v_j v_k
//! ```

use crate::formula::{Expr, Program};
use nonsmooth::model::{At, Gap, Lagrangian, UserError, VelocityConstraint};

/// Slot of t.
pub(crate) const TIME: u32 = 0;

/// Slot of coordinate k.
pub(crate) fn coordinate(k: usize) -> u32 {
    1 + 2 * k as u32
}

/// Slot of velocity k.
pub(crate) fn velocity(k: usize) -> u32 {
    2 + 2 * k as u32
}

/// Coordinates up to which the slots fit on the stack.
const ON_STACK: usize = 31;

/// Calls `body` with the slots (t, q₀, v₀, q₁, v₁, …).
fn with_slots<T>(t: f64, q: &[f64], v: &[f64], body: impl FnOnce(&[f64]) -> T) -> T {
    let fill = |slots: &mut [f64]| {
        slots[0] = t;
        for (k, q) in q.iter().enumerate() {
            slots[1 + 2 * k] = *q;
            slots[2 + 2 * k] = v.get(k).copied().unwrap_or(0.0);
        }
    };
    let n = 1 + 2 * q.len();
    if q.len() <= ON_STACK {
        let mut slots = [0.0; 1 + 2 * ON_STACK];
        fill(&mut slots[..n]);
        body(&slots[..n])
    } else {
        let mut slots = vec![0.0; n];
        fill(&mut slots);
        body(&slots)
    }
}

fn evaluate(programs: &[Program], slots: &[f64], out: &mut [f64]) {
    for (program, out) in programs.iter().zip(out) {
        *out = program.eval(slots);
    }
}

fn compile(expressions: &[Expr]) -> Vec<Program> {
    expressions.iter().map(Program::compile).collect()
}

/// The formulas of a Lagrangian system.
pub(crate) struct Terms {
    /// M, row by row.
    pub(crate) mass: Vec<Expr>,
    /// N; derived from M if `None`.
    pub(crate) inertial: Option<Vec<Expr>>,
    /// F_int.
    pub(crate) internal: Vec<Expr>,
    /// V.
    pub(crate) potential: Expr,
    /// F_ext.
    pub(crate) external: Vec<Expr>,
}

/// A Lagrangian system given by formulas.
pub(crate) struct FormulaSystem {
    mass: Vec<Program>,
    inertial: Vec<Program>,
    internal: Vec<Program>,
    potential: Program,
    gradient: Vec<Program>,
    external: Vec<Program>,
    damping: Vec<Program>,
    stiffness: Vec<Program>,
}

impl FormulaSystem {
    pub(crate) fn new(terms: &Terms) -> Self {
        let n = terms.internal.len();
        let inertial = terms.inertial.clone().unwrap_or_else(|| derived_inertial(&terms.mass, n));
        let gradient: Vec<Expr> = (0..n).map(|i| terms.potential.derivative(coordinate(i))).collect();
        let (mut damping, mut stiffness) = (Vec::new(), Vec::new());
        for i in 0..n {
            let moving = inertial[i].clone() + terms.internal[i].clone();
            let all = moving.clone() + gradient[i].clone();
            damping.extend((0..n).map(|j| moving.derivative(velocity(j))));
            stiffness.extend((0..n).map(|j| all.derivative(coordinate(j))));
        }
        Self {
            mass: compile(&terms.mass),
            inertial: compile(&inertial),
            internal: compile(&terms.internal),
            potential: Program::compile(&terms.potential),
            gradient: compile(&gradient),
            external: compile(&terms.external),
            damping: compile(&damping),
            stiffness: compile(&stiffness),
        }
    }
}

fn derived_inertial(mass: &[Expr], n: usize) -> Vec<Expr> {
    let entry = |i: usize, j: usize| &mass[i * n + j];
    (0..n)
        .map(|i| {
            let mut sum = Expr::number(0.0);
            for j in 0..n {
                for k in 0..n {
                    let slope = entry(i, j).derivative(coordinate(k));
                    let half = Expr::number(0.5) * entry(j, k).derivative(coordinate(i));
                    let speeds = Expr::slot(velocity(j)) * Expr::slot(velocity(k));
                    sum = sum + (slope - half) * speeds;
                }
            }
            sum
        })
        .collect()
}

impl Lagrangian for FormulaSystem {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        with_slots(0.0, q, &[], |slots| evaluate(&self.mass, slots, out));
        Ok(())
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        with_slots(0.0, q, v, |slots| evaluate(&self.inertial, slots, out));
        Ok(())
    }
    fn internal(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        with_slots(t, q, v, |slots| evaluate(&self.internal, slots, out));
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(with_slots(0.0, q, &[], |slots| self.potential.eval(slots)))
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        with_slots(0.0, q, &[], |slots| evaluate(&self.gradient, slots, out));
        Ok(())
    }
    fn external(&self, t: f64, out: &mut [f64]) -> Result<(), UserError> {
        evaluate(&self.external, &[t], out);
        Ok(())
    }
    fn jacobians(
        &self,
        at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        with_slots(at.t, at.q, at.v, |slots| {
            evaluate(&self.damping, slots, damping);
            evaluate(&self.stiffness, slots, stiffness);
        });
        Ok(())
    }
}

/// A gap given by a formula over its n coordinates and t.
pub(crate) struct FormulaGap {
    gap: Program,
    jacobian: Vec<Program>,
    rate: Program,
    tangents: Vec<FormulaVelocity>,
    curvature: Program,
    is_linear: bool,
}

impl FormulaGap {
    /// A gap with its sliding velocities, which are linear in the velocities.
    pub(crate) fn new(gap: &Expr, tangents: &[Expr], n: usize) -> Self {
        let jacobian: Vec<Expr> = (0..n).map(|k| gap.derivative(coordinate(k))).collect();
        let is_constant = |slope: &Expr| slope.constant().is_some();
        let slides = |u: &Expr| (0..n).all(|k| is_constant(&u.derivative(velocity(k))));
        let rate = gap.derivative(TIME);
        Self {
            curvature: Program::compile(&curvature(&jacobian, &rate)),
            gap: Program::compile(gap),
            is_linear: jacobian.iter().all(is_constant) && tangents.iter().all(slides),
            jacobian: compile(&jacobian),
            rate: Program::compile(&rate),
            tangents: tangents.iter().map(|u| FormulaVelocity::new(u, n)).collect(),
        }
    }
}

/// Whether a sliding velocity is linear in the n velocities.
pub(crate) fn is_linear_in_velocities(u: &Expr, n: usize) -> bool {
    (0..n).all(|k| {
        let slope = u.derivative(velocity(k));
        (0..n).all(|j| !slope.uses(velocity(j)))
    })
}

/// ÿ at v̇ = 0: Σ_jk ∂²g/∂q_j∂q_k v_j v_k + 2 Σ_k ∂²g/∂q_k∂t v_k + ∂²g/∂t².
fn curvature(jacobian: &[Expr], rate: &Expr) -> Expr {
    let mut sum = rate.derivative(TIME);
    for (k, slope) in jacobian.iter().enumerate() {
        let mut along = Expr::number(2.0) * slope.derivative(TIME);
        for j in 0..jacobian.len() {
            along = along + slope.derivative(coordinate(j)) * Expr::slot(velocity(j));
        }
        sum = sum + along * Expr::slot(velocity(k));
    }
    sum
}

impl Gap for FormulaGap {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(with_slots(t, q, &[], |slots| self.gap.eval(slots)))
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        with_slots(t, q, &[], |slots| evaluate(&self.jacobian, slots, out));
        Ok(())
    }
    fn rate(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(with_slots(t, q, &[], |slots| self.rate.eval(slots)))
    }
    fn curvature(&self, t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(with_slots(t, q, v, |slots| self.curvature.eval(slots)))
    }
    fn is_linear(&self) -> bool {
        self.is_linear
    }
    fn n_tangents(&self) -> usize {
        self.tangents.len()
    }
    fn tangents(
        &self,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), UserError> {
        with_slots(t, q, &[], |slots| {
            for (k, (u, out)) in self.tangents.iter().zip(jacobian.chunks_exact_mut(q.len())).enumerate()
            {
                evaluate(&u.jacobian, slots, out);
                rate[k] = u.value.eval(slots);
            }
        });
        Ok(())
    }
}

/// A velocity-level constraint given by a formula over its n coordinates, their velocities and t.
pub(crate) struct FormulaVelocity {
    value: Program,
    jacobian: Vec<Program>,
}

impl FormulaVelocity {
    pub(crate) fn new(value: &Expr, n: usize) -> Self {
        let jacobian: Vec<Expr> = (0..n).map(|k| value.derivative(velocity(k))).collect();
        Self { value: Program::compile(value), jacobian: compile(&jacobian) }
    }
}

impl VelocityConstraint for FormulaVelocity {
    fn value(&self, t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(with_slots(t, q, v, |slots| self.value.eval(slots)))
    }
    fn jacobian(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        with_slots(t, q, v, |slots| evaluate(&self.jacobian, slots, out));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Op;

    /// g = q₀² q₁ + sin(3 t) q₁ + t³, whose second derivatives are known by hand.
    #[test]
    fn the_curvature_of_a_gap_is_the_second_time_derivative_without_acceleration() {
        let (t, q0, q1) = (Expr::slot(TIME), Expr::slot(coordinate(0)), Expr::slot(coordinate(1)));
        let wave = Expr::apply(Op::Sin, vec![Expr::number(3.0) * t.clone()]);
        let gap = q0.clone() * q0 * q1.clone() + wave * q1 + t.clone() * t.clone() * t;
        let gap = FormulaGap::new(&gap, &[], 2);
        let (t, q, v) = (0.7, [1.3, -0.4], [2.0, -1.5]);
        let exact =
            2.0 * q[1] * v[0] * v[0] + 4.0 * q[0] * v[0] * v[1] + 6.0 * (3.0f64 * t).cos() * v[1]
                - 9.0 * (3.0f64 * t).sin() * q[1]
                + 6.0 * t;
        let found = gap.curvature(t, &q, &v).unwrap();
        assert!((found - exact).abs() < 1e-14 * exact.abs().max(30.0), "{found} {exact}");
    }
}
