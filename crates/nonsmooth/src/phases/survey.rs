//! Chosen constraints at a state: y = g(q, t), H = ∂g/∂q and ∂g/∂t of each, whatever `detect` would select.

use super::detect::{Rows, slope_of};
use crate::error::{StepError, StepResult, check_constraint};
use crate::model::{Key, Model, State, gather};
use nonsmooth_solvers::Sparse;

/// Fills `rows` with the gaps, Jacobians, rates and laws of `keys`, which have gaps; their `bias` is the gap.
pub fn survey(model: &Model, keys: &[Key], at: &State, rows: &mut Rows) -> StepResult {
    rows.begin(model.n_velocities());
    for &key in keys {
        let (gap, rate) = rows.evaluate(model, key, at)?;
        check_constraint(model, "gap", key, gap)?;
        check_constraint(model, "velocity", key, rate)?;
        rows.keys.push(key);
        rows.components.push(0);
        rows.forms.push(model.law(key));
        rows.gap.push(gap);
        rows.bias.push(gap);
        rows.rate_next.push(rate);
    }
    Ok(())
}

impl Rows {
    /// Takes gap, u⁻ and ∂g/∂t from the rows of all constraints at the start of the step.
    pub fn as_seen_from(&mut self, start: &Rows) {
        let Rows { keys, gap, u_minus, rate, .. } = self;
        for x in [&mut *gap, &mut *u_minus, &mut *rate] {
            x.clear();
        }
        for key in keys.iter().map(|key| key.0 as usize) {
            gap.push(start.gap[key]);
            u_minus.push(start.u_minus[key]);
            rate.push(start.rate[key]);
        }
    }

    /// Empties the rows for another selection of constraints.
    fn begin(&mut self, n_velocities: usize) {
        self.stamp += 1;
        self.keys.clear();
        self.components.clear();
        self.forms.clear();
        self.jacobian.clear(n_velocities);
        for x in [&mut self.gap, &mut self.bias, &mut self.rate_next] {
            x.clear();
        }
    }

    /// Appends the row of H of one constraint; returns its gap and ∂g/∂t.
    fn evaluate(&mut self, model: &Model, key: Key, at: &State) -> StepResult<(f64, f64)> {
        let (constraints, i) = (&model.constraints, key.0 as usize);
        if i < constraints.n_linear() {
            let (columns, values) = constraints.jacobian.row(i);
            self.append(columns, values);
            return Ok((constraints.offset[i] + constraints.jacobian.row_dot(i, &at.q), 0.0));
        }
        let (columns, function) = &constraints.gaps[i - constraints.n_linear()];
        let user = || StepError::in_constraint(model, key);
        gather(columns, &at.q, &mut self.local_q);
        slope_of(&**function, at.t, &self.local_q, &mut self.slope).map_err(user())?;
        self.slope.iter().try_for_each(|&s| check_constraint(model, "jacobian", key, s))?;
        let lift = constraints.lift(i - constraints.n_linear());
        if let Some(lift) = lift {
            lift.apply(&at.q, &mut self.slope);
        }
        let slope = std::mem::take(&mut self.slope);
        self.append(lift.map_or(columns, |lift| &lift.columns), &slope);
        self.slope = slope;
        let gap = function.gap(at.t, &self.local_q).map_err(user())?;
        Ok((gap, function.rate(at.t, &self.local_q).map_err(user())?))
    }

    fn append(&mut self, columns: &[u32], slope: &[f64]) {
        let Sparse { column, value, .. } = &mut self.jacobian;
        column.extend_from_slice(columns);
        value.extend_from_slice(slope);
        self.jacobian.finish_row();
    }
}
