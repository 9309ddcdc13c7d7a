//! Detection: which constraints take part in the step, and how they stand at its start.
//!
//! A constraint with a gap takes part when y + γ h u ≤ d (`≤`, so that a contact at rest with y = d = 0
//! counts); joints and velocity-level constraints always do. The layer d is 0 where the law is imposed at velocity
//! level, ∞ where all gaps are to be watched. [Acary06, eq. (53); Acary10, eq. (29e); Trinkle08]
//!
//! A pure function of model, state and h. The rows come sorted by key; a contact with friction has one row per component,
//! its normal first, all with the same key.

use super::touches::{Touches, detect_touches};
use crate::error::{StepError, StepResult, check_constraint};
use crate::laws::StepForm;
use crate::log::StepLog;
use crate::model::{Gap, Key, Lift, Model, State, gather};
use nonsmooth_solvers::Sparse;

/// When a constraint takes part.
#[derive(Clone, Copy, Debug)]
pub struct Activation {
    /// γ h [s]: how far ahead the gap is looked at.
    pub look_ahead: f64,
    /// d [m]: the distance up to which a gap counts as closed.
    pub layer: f64,
}

/// The rule, and constraints that take part whatever it says.
#[derive(Clone, Copy)]
struct Selection<'a> {
    activation: Activation,
    also: &'a [Key],
}

impl Selection<'_> {
    #[inline]
    fn takes(&self, key: Key, gap: f64, u: f64) -> bool {
        let Activation { look_ahead, layer } = self.activation;
        gap + look_ahead * u <= layer || self.also.contains(&key)
    }
}

/// The constraints that take part in a step. Written by `detect` and `linearize`.
#[derive(Default)]
pub struct Rows {
    /// Grows whenever keys or Jacobians may have changed.
    pub stamp: u64,
    /// Which constraints, ascending.
    pub keys: Vec<Key>,
    /// Which component of its constraint: 0 is the normal, the others are tangents.
    pub components: Vec<u8>,
    /// Their laws.
    pub forms: Vec<StepForm>,
    /// H, one row each, over all velocities.
    pub jacobian: Sparse,
    /// Gap at the start of the step [m]; 0 for tangents and velocity-level constraints.
    pub gap: Vec<f64>,
    /// u at the start of the step [m/s].
    pub u_minus: Vec<f64>,
    /// ∂g/∂t at the start of the step [m/s].
    pub rate: Vec<f64>,
    /// ∂g/∂t at the end of the step [m/s].
    pub rate_next: Vec<f64>,
    /// What the law adds to H v⁺ before it compares with zero [m/s].
    pub bias: Vec<f64>,
    /// How many of the rows are linear constraints; they come first.
    pub n_linear: usize,
    /// Contact points of bodies, whose impulses follow those of the constraints.
    pub touches: Touches,
    pub(super) local_q: Vec<f64>,
    pub(super) local_v: Vec<f64>,
    pub(super) slope: Vec<f64>,
    pub(super) tangents: Tangents,
    /// The model to which the rows belong.
    model: Option<u64>,
}

/// Fills `rows` with the constraints that take part.
pub fn detect(model: &Model, now: &State, activation: Activation, rows: &mut Rows) -> StepResult {
    select(model, now, Selection { activation, also: &[] }, rows)?;
    touch(model, now, activation, rows)
}

/// The contact points of bodies, where there are bodies.
#[inline]
fn touch(model: &Model, now: &State, activation: Activation, rows: &mut Rows) -> StepResult {
    if model.bodies.is_empty() {
        return Ok(());
    }
    let Activation { look_ahead, .. } = activation;
    detect_touches(model, now, Activation { look_ahead, layer: model.bodies.layer }, &mut rows.touches)
}

/// Fills `rows` with the constraints that take part, and those of `also`.
pub fn detect_also(
    model: &Model,
    now: &State,
    activation: Activation,
    also: &[Key],
    rows: &mut Rows,
) -> StepResult {
    select(model, now, Selection { activation, also }, rows)?;
    touch(model, now, activation, rows)
}

#[inline(never)]
fn select(model: &Model, now: &State, selection: Selection<'_>, rows: &mut Rows) -> StepResult {
    let constraints = &model.constraints;
    rows.gap.clear();
    rows.u_minus.clear();
    let mut same = rows.model == Some(model.id);
    let mut count = 0;
    for i in 0..constraints.n_linear() {
        let (columns, values) = constraints.jacobian.row(i);
        let (mut gap, mut u) = (constraints.offset[i], 0.0);
        for (&j, &h) in columns.iter().zip(values) {
            gap += h * now.q[j as usize];
            u += h * now.v[j as usize];
        }
        let key = Key(i as u64);
        if selection.takes(key, gap, u) || constraints.always[i] {
            if rows.keys.get(count) != Some(&key) {
                same = false;
                rows.keys.truncate(count);
                rows.keys.push(key);
            }
            count += 1;
            rows.gap.push(gap);
            rows.u_minus.push(u);
        }
    }
    if same && count == rows.keys.len() && constraints.len() == constraints.n_linear() {
        return Ok(());
    }
    collect(model, now, selection, count, rows)
}

/// Collects the rows anew: the first `count` linear ones, whose gaps are known, then all others.
#[inline(never)]
fn collect(
    model: &Model,
    now: &State,
    selection: Selection<'_>,
    count: usize,
    rows: &mut Rows,
) -> StepResult {
    rows.keys.truncate(count);
    rows.rebuild(model, count);
    detect_gaps(model, now, selection, rows)?;
    detect_velocity(model, now, rows)?;
    let n = rows.keys.len();
    for x in [&mut rows.bias, &mut rows.rate_next] {
        x.clear();
        x.resize(n, 0.0);
    }
    rows.model = Some(model.id);
    Ok(())
}

#[inline(never)]
fn detect_gaps(model: &Model, now: &State, selection: Selection<'_>, rows: &mut Rows) -> StepResult {
    for (i, (columns, function)) in model.constraints.gaps.iter().enumerate() {
        let key = Key((model.constraints.n_linear() + i) as u64);
        gather(columns, &now.q, &mut rows.local_q);
        let lift = model.constraints.lift(i);
        let places = lift.map_or(columns, |lift| &lift.columns);
        gather(places, &now.v, &mut rows.local_v);
        let user = || StepError::in_constraint(model, key);
        let gap = function.gap(now.t, &rows.local_q).map_err(user())?;
        let rate = function.rate(now.t, &rows.local_q).map_err(user())?;
        slope_of(&**function, now.t, &rows.local_q, &mut rows.slope).map_err(user())?;
        if let Some(lift) = lift {
            lift.apply(&now.q, &mut rows.slope);
        }
        let u = rate + rows.slope.iter().zip(&rows.local_v).map(|(s, v)| s * v).sum::<f64>();
        check_constraint(model, "gap", key, gap)?;
        check_constraint(model, "velocity", key, u)?;
        if selection.takes(key, gap, u) || model.constraints.always[key.0 as usize] {
            let slope = std::mem::take(&mut rows.slope);
            rows.push((model, key, 0), places, &slope, (gap, u, rate));
            rows.slope = slope;
            if function.n_tangents() > 0 {
                detect_tangents(model, now, (key, lift), places, &**function, rows)?;
            }
        }
    }
    Ok(())
}

/// Appends the rows of the tangents of a contact, whose normal is the last row.
#[inline(never)]
fn detect_tangents(
    model: &Model,
    now: &State,
    (key, lift): (Key, Option<&Lift>),
    columns: &[u32],
    function: &dyn Gap,
    rows: &mut Rows,
) -> StepResult {
    let mut tangents = std::mem::take(&mut rows.tangents);
    tangents.evaluate(model, key, function, now.t, &rows.local_q)?;
    tangents.lift(lift, &now.q);
    for (k, slope) in tangents.jacobian.chunks_exact(columns.len()).enumerate() {
        let rate = tangents.rate[k];
        let u = rate + slope.iter().zip(&rows.local_v).map(|(s, v)| s * v).sum::<f64>();
        check_constraint(model, "velocity", key, u)?;
        rows.push((model, key, 1 + k as u8), columns, slope, (0.0, u, rate));
    }
    rows.tangents = tangents;
    Ok(())
}

/// The tangents of one contact: u_T = T v + s.
#[derive(Default)]
pub(super) struct Tangents {
    /// T, row by row.
    pub(super) jacobian: Vec<f64>,
    /// s [m/s].
    pub(super) rate: Vec<f64>,
}

impl Tangents {
    pub(super) fn evaluate(
        &mut self,
        model: &Model,
        key: Key,
        function: &dyn Gap,
        t: f64,
        q: &[f64],
    ) -> StepResult {
        let n = function.n_tangents();
        self.jacobian.clear();
        self.jacobian.resize(n * q.len(), 0.0);
        self.rate.clear();
        self.rate.resize(n, 0.0);
        function
            .tangents(t, q, &mut self.jacobian, &mut self.rate)
            .map_err(StepError::in_constraint(model, key))?;
        self.jacobian.iter().try_for_each(|&s| check_constraint(model, "jacobian", key, s))?;
        self.rate.iter().try_for_each(|&s| check_constraint(model, "velocity", key, s))
    }
}

impl Tangents {
    /// T over velocities instead of coordinates, at coordinates `q` of the whole model.
    pub(super) fn lift(&mut self, lift: Option<&Lift>, q: &[f64]) {
        let Some(lift) = lift else { return };
        let n = self.jacobian.len() / self.rate.len().max(1);
        let mut lifted = Vec::new();
        for row in self.jacobian.chunks_exact(n.max(1)) {
            let mut row = row.to_vec();
            lift.apply(q, &mut row);
            lifted.extend(row);
        }
        self.jacobian = lifted;
    }
}

#[inline(never)]
fn detect_velocity(model: &Model, now: &State, rows: &mut Rows) -> StepResult {
    for (i, (columns, function)) in model.constraints.velocity.iter().enumerate() {
        let key = Key((model.constraints.n_gaps() + i) as u64);
        gather(columns, &now.q, &mut rows.local_q);
        gather(columns, &now.v, &mut rows.local_v);
        let u = function.value(now.t, &rows.local_q, &rows.local_v);
        let u = u.map_err(StepError::in_constraint(model, key))?;
        check_constraint(model, "velocity", key, u)?;
        rows.slope.clear();
        rows.slope.resize(columns.len(), 0.0);
        function
            .jacobian(now.t, &rows.local_q, &rows.local_v, &mut rows.slope)
            .map_err(StepError::in_constraint(model, key))?;
        // What of u is not H v: the speed of a belt, say.
        let rate = u - rows.slope.iter().zip(&rows.local_v).map(|(s, v)| s * v).sum::<f64>();
        let slope = std::mem::take(&mut rows.slope);
        rows.push((model, key, 0), columns, &slope, (0.0, u, rate));
        rows.slope = slope;
    }
    Ok(())
}

pub(super) fn slope_of(
    function: &dyn Gap,
    t: f64,
    q: &[f64],
    slope: &mut Vec<f64>,
) -> Result<(), crate::model::UserError> {
    slope.clear();
    slope.resize(q.len(), 0.0);
    function.jacobian(t, q, slope)
}

impl Rows {
    /// Whether nothing takes part.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.touches.is_empty()
    }

    /// Copies the Jacobians of the active linear constraints anew.
    fn rebuild(&mut self, model: &Model, n_linear: usize) {
        let constraints = &model.constraints;
        self.stamp += 1;
        self.n_linear = n_linear;
        self.jacobian.clear(model.n_velocities());
        self.forms.clear();
        for key in &self.keys {
            let (columns, values) = constraints.jacobian.row(key.0 as usize);
            self.jacobian.column.extend_from_slice(columns);
            self.jacobian.value.extend_from_slice(values);
            self.jacobian.finish_row();
            self.forms.push(model.law(*key));
        }
        self.components.clear();
        self.components.resize(n_linear, 0);
        self.rate.clear();
        self.rate.resize(n_linear, 0.0);
    }

    fn push(
        &mut self,
        (model, key, component): (&Model, Key, u8),
        columns: &[u32],
        slope: &[f64],
        (gap, u, rate): (f64, f64, f64),
    ) {
        self.keys.push(key);
        self.components.push(component);
        self.forms.push(model.law(key));
        self.jacobian.column.extend_from_slice(columns);
        self.jacobian.value.extend_from_slice(slope);
        self.jacobian.finish_row();
        self.gap.push(gap);
        self.u_minus.push(u);
        self.rate.push(rate);
    }

    /// Takes the lists of contact points back from the log of the step before, which `record` gave to it.
    #[inline]
    pub fn take_back(&mut self, model: &Model, next: &mut State, log: &mut StepLog) {
        if !model.bodies.is_empty() {
            self.touches.take_back(model, next, log);
        }
    }

    /// Completes the contact points of bodies and hands them to the log.
    #[inline]
    pub fn record(&mut self, model: &Model, now: &State, next: &State, log: &mut StepLog) {
        if !model.bodies.is_empty() {
            self.touches.record(model, (now, next), log);
        }
    }

    /// Key of contact number `c` of the step.
    fn contact(&self, c: usize) -> Option<Key> {
        let normals = self.keys.iter().zip(&self.components).filter(|(_, component)| **component == 0);
        normals.map(|(key, _)| *key).nth(c)
    }

    /// What contact number `c` of the step is called.
    pub(super) fn name(&self, model: &Model, c: usize) -> Option<String> {
        let n = self.components.iter().filter(|component| **component == 0).count();
        if c < n {
            return self.contact(c).map(|key| format!("constraint `{}`", model.constraints.name(key)));
        }
        let [a, b] = self.touches.found.bodies.get(c - n)?.map(|i| &model.bodies.names[i as usize]);
        Some(format!("the contact of `{a}` and `{b}`"))
    }

    /// Overwrites every number with NaN and forgets which rows there were.
    pub(crate) fn poison(&mut self) {
        let stamp = self.stamp;
        *self = Self { stamp, jacobian: Sparse::empty(0), ..Self::default() };
    }
}
