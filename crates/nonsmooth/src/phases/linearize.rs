//! Linearisation of the active rows at the Newton iterate: H and the bias of each row, such that the
//! law reads −(H v⁺ + bias) ∈ N_C(p).
//!
//! ```text
//! velocity level, gap     bias = ∂g/∂t(q_c, t⁺) + e u⁻                       H = ∂g/∂q(q_c, t⁺)
//! velocity level, tangent bias = s(q_c, t⁺) + e_T u_T⁻                        H = T(q_c, t⁺)
//! velocity level, h       bias = h(q⁺, vⁱ, t⁺) − H vⁱ                         H = ∂h/∂v(q⁺, vⁱ, t⁺)
//! position level          bias = y(q⁺, t⁺)/(hθ) − H vⁱ                        H = ∂g/∂q(q⁺, t⁺)
//! linearised gap          bias = y(q, t)/h + ∂g/∂t(q, t)                      H = ∂g/∂q(q, t)
//! ```
//!
//! At position level 0 ≤ y⁺ ⟂ p ≥ 0 is imposed, since q⁺ moves by hθ δv; the last line does so for the gap as it looks
//! from the start of the step. Tangents stay at velocity level. [Acary06, eq. (51), (55), (16); Trinkle08]

use super::detect::{Rows, slope_of};
use super::free_motion::Theta;
use super::iterate::Iterate;
use crate::error::{StepError, StepResult, check_constraint};
use crate::model::{Key, Model, State, gather};

/// At which level the law of a gap is imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// 0 ≤ u⁺ + e u⁻ ⟂ p ≥ 0 on active constraints.
    Velocity,
    /// 0 ≤ y⁺ ⟂ p ≥ 0.
    Position,
    /// 0 ≤ y + h (H v⁺ + ∂g/∂t) ⟂ p ≥ 0, with q⁺ = q + h v⁺ and everything else at the start of the step.
    Linearised,
}

/// Updates Jacobians and biases of `rows`.
#[inline]
pub fn linearize(
    model: &Model,
    now: &State,
    at: &Iterate,
    rule: Theta,
    level: Level,
    rows: &mut Rows,
) -> StepResult {
    if !rows.touches.is_empty() {
        rows.touches.look_ahead(model, now, rule.h)?;
    }
    if rows.keys.is_empty() { Ok(()) } else { linearize_rows(model, now, at, rule, level, rows) }
}

#[inline(never)]
fn linearize_rows(
    model: &Model,
    now: &State,
    at: &Iterate,
    rule: Theta,
    level: Level,
    rows: &mut Rows,
) -> StepResult {
    if level == Level::Linearised {
        rows.look_from_start(rule.h);
        return Ok(());
    }
    let ahead = rule.h * rule.theta;
    for i in 0..rows.n_linear {
        rows.bias[i] = match level {
            Level::Velocity => rows.forms[i].restitution * rows.u_minus[i],
            // y⁺ = y + h (1−θ) u⁻ + hθ H v⁺.
            _ => (rows.gap[i] + rule.h * (1.0 - rule.theta) * rows.u_minus[i]) / ahead,
        };
    }
    if rows.keys.len() == rows.n_linear {
        return Ok(());
    }
    let n_gaps = model.constraints.n_gaps();
    for i in rows.n_linear..rows.keys.len() {
        let key = rows.keys[i];
        if key.0 as usize >= n_gaps {
            linearize_velocity(model, at, key, i, rows)?;
        } else if rows.components[i] > 0 {
            // Written with the normal, which comes first.
            continue;
        } else {
            linearize_gap(model, now, at, rule, (key, i, level), rows)?;
            linearize_tangents(model, now, at, (key, i, level), rows)?;
        }
        check_constraint(model, "velocity", key, rows.bias[i])?;
    }
    rows.stamp += 1;
    Ok(())
}

#[inline(never)]
fn linearize_gap(
    model: &Model,
    now: &State,
    at: &Iterate,
    rule: Theta,
    (key, i, level): (Key, usize, Level),
    rows: &mut Rows,
) -> StepResult {
    let (columns, function) = &model.constraints.gaps[key.0 as usize - model.constraints.n_linear()];
    let user = || StepError::in_constraint(model, key);
    let ahead = rule.h * rule.theta;
    let place = rows.jacobian.start[i]..rows.jacobian.start[i + 1];
    if model.is_linear {
        // ∂g/∂q is constant; only the time at which g and ∂g/∂t are taken matters.
        gather(columns, &now.q, &mut rows.local_q);
        rows.rate_next[i] = function.rate(at.t_next, &rows.local_q).map_err(user())?;
        let y_there = function.gap(at.t_next, &rows.local_q).map_err(user())?;
        let along = rows.u_minus[i] - rows.rate[i];
        rows.bias[i] = match level {
            Level::Velocity => rows.rate_next[i] + rows.forms[i].restitution * rows.u_minus[i],
            _ => (y_there + rule.h * (1.0 - rule.theta) * along) / ahead,
        };
        return Ok(());
    }
    let q = if level == Level::Velocity { &at.q_jacobian } else { &at.q_next };
    gather(columns, q, &mut rows.local_q);
    slope_of(&**function, at.t_next, &rows.local_q, &mut rows.slope).map_err(user())?;
    check_slope(model, key, &rows.slope)?;
    if let Some(lift) = model.constraints.lift(key.0 as usize - model.constraints.n_linear()) {
        lift.apply(q, &mut rows.slope);
    }
    rows.jacobian.value[place].copy_from_slice(&rows.slope);
    rows.rate_next[i] = function.rate(at.t_next, &rows.local_q).map_err(user())?;
    rows.bias[i] = match level {
        Level::Velocity => rows.rate_next[i] + rows.forms[i].restitution * rows.u_minus[i],
        _ => {
            let y = function.gap(at.t_next, &rows.local_q).map_err(user())?;
            y / ahead - rows.jacobian.row_dot(i, &at.v)
        }
    };
    Ok(())
}

/// The rows of the tangents after row i, their normal.
#[inline(never)]
fn linearize_tangents(
    model: &Model,
    now: &State,
    at: &Iterate,
    (key, i, level): (Key, usize, Level),
    rows: &mut Rows,
) -> StepResult {
    let (columns, function) = &model.constraints.gaps[key.0 as usize - model.constraints.n_linear()];
    let n = function.n_tangents();
    if n == 0 {
        return Ok(());
    }
    let q = match level {
        _ if model.is_linear => &now.q,
        Level::Velocity => &at.q_jacobian,
        _ => &at.q_next,
    };
    gather(columns, q, &mut rows.local_q);
    let Rows { tangents, local_q, .. } = rows;
    tangents.evaluate(model, key, &**function, at.t_next, local_q)?;
    tangents.lift(model.constraints.lift(key.0 as usize - model.constraints.n_linear()), q);
    for k in 0..n {
        let row = i + 1 + k;
        let place = rows.jacobian.start[row]..rows.jacobian.start[row + 1];
        let slope = &rows.tangents.jacobian[k * place.len()..(k + 1) * place.len()];
        rows.jacobian.value[place].copy_from_slice(slope);
        rows.rate_next[row] = rows.tangents.rate[k];
        rows.bias[row] =
            rows.rate_next[row] + rows.forms[row].tangential_restitution * rows.u_minus[row];
    }
    Ok(())
}

#[inline(never)]
fn linearize_velocity(model: &Model, at: &Iterate, key: Key, i: usize, rows: &mut Rows) -> StepResult {
    let (columns, function) = &model.constraints.velocity[key.0 as usize - model.constraints.n_gaps()];
    let user = || StepError::in_constraint(model, key);
    gather(columns, &at.q_next, &mut rows.local_q);
    gather(columns, &at.v, &mut rows.local_v);
    let u = function.value(at.t_next, &rows.local_q, &rows.local_v).map_err(user())?;
    rows.slope.clear();
    rows.slope.resize(columns.len(), 0.0);
    function.jacobian(at.t_next, &rows.local_q, &rows.local_v, &mut rows.slope).map_err(user())?;
    check_slope(model, key, &rows.slope)?;
    let place = rows.jacobian.start[i]..rows.jacobian.start[i + 1];
    rows.jacobian.value[place].copy_from_slice(&rows.slope);
    rows.bias[i] = u - rows.jacobian.row_dot(i, &at.v);
    rows.rate_next[i] = rows.bias[i];
    Ok(())
}

impl Rows {
    /// H as `detect` found it; gaps as they look from the start of the step.
    fn look_from_start(&mut self, h: f64) {
        for i in 0..self.keys.len() {
            self.bias[i] = self.gap[i] / h + self.rate[i];
            self.rate_next[i] = self.rate[i];
        }
    }
}

fn check_slope(model: &Model, key: Key, slope: &[f64]) -> StepResult {
    slope.iter().try_for_each(|&s| check_constraint(model, "jacobian", key, s))
}
