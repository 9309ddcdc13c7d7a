//! Gaps as functions: y = g(q, t), u = ∂g/∂q q̇ + ∂g/∂t, with tangents where something slides.
//!
//! A gap may involve any coordinate: q̇ = T(q) v makes the slope over coordinates a row over velocities, quaternions included. A row
//! that is made at another configuration than that of the start is turned into working axes.
//!
//! ```text
//! velocity level     offset = ∂g/∂t(q_c, t⁺),  s(q_c, t⁺)          J = ∂g/∂q T(q_c, t⁺)
//! position level     offset = y(q⁺, t⁺)/a − J vⁱ                  J constant: (y(q, t⁺) + (h − a) J v)/a
//! linearized         offset = y(q, t)/h + ∂g/∂t(q, t)
//! ```
//!
//! Tangents stay at velocity level. [Acary06, eq. (51), (55); Trinkle08]

use super::differences::tangent_curvature;
use super::gap::Gap;
use super::{Activation, ActiveConstraints, ConstraintFamily, GapsOf, Level, RowWriter};
use crate::error::{StepError, StepResult};
use crate::model::errors::check_constraint;
use crate::model::instant::{Instant, Pass};
use crate::model::{ConstraintId, Contents, LawId, Model, RigidId, SparseRow, UserError};
use crate::part::Part;
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A gap with the coordinates on which it depends.
pub(crate) struct FunctionGap {
    name: String,
    law: LawId,
    /// Whether it is active in every step: joints, bonds and compliant contacts are.
    always: bool,
    /// Places in q.
    coordinates: Vec<u32>,
    /// Family of systems of each coordinate.
    families: Vec<u8>,
    /// Bodies whose quaternion is involved, with their first angular velocity.
    turning: Vec<(RigidId, u32)>,
    /// Whether its rows do not depend on the configuration.
    is_constant: bool,
    function: Arc<dyn Gap>,
}

impl FunctionGap {
    pub(crate) fn new(
        name: String,
        (law, always): (LawId, bool),
        coordinates: Vec<u32>,
        function: Arc<dyn Gap>,
        contents: &Contents,
    ) -> Self {
        let family = |j: &u32| {
            let holds = contents.systems.iter().position(|f| f.layout().q.contains(&(*j as usize)));
            holds.expect("every coordinate belongs to a family") as u8
        };
        let families = coordinates.iter().map(family).collect();
        let mut turning = Vec::new();
        for (i, body) in contents.rigid.bodies.iter().enumerate() {
            let quaternion = body.q + 3..body.q + 7;
            if !body.planar && coordinates.iter().any(|j| quaternion.contains(j)) {
                turning.push((RigidId(i as u32), body.v + 3));
            }
        }
        let is_constant = function.is_linear() && turning.is_empty();
        Self { name, law, always, coordinates, families, turning, is_constant, function }
    }

    /// Slope `slope` over its coordinates as a row over velocities, in working axes at q.
    fn row(&self, model: &Model, q: &[f64], slope: &[f64], row: &mut SparseRow) {
        row.clear();
        for ((&j, &family), &s) in self.coordinates.iter().zip(&self.families).zip(slope) {
            model.systems[family as usize].pull_back(j as usize, q, s, row);
        }
    }

    /// Turns a row made at `there` into the working axes of the start.
    fn turn(&self, at: &Pass<'_>, there: &Instant<'_>, row: &mut SparseRow) {
        for &(body, first) in &self.turning {
            let Some(place) = row.columns.iter().position(|&j| j == first) else { continue };
            let own = &mut row.values[place..place + 3];
            let turned = at.turn(there, body) * DVec3::from_slice(own);
            own.copy_from_slice(&turned.to_array());
        }
    }
}

impl FunctionGap {
    /// ∂g/∂q·q̈ at ω̇ = 0, or T·q̈ of tangent `row` − 1: a quaternion has q̈ = −¼ |ω|² q then.
    fn turning_curvature(
        &self,
        model: &Model,
        (id, row): (ConstraintId, usize),
        at: &Instant<'_>,
    ) -> StepResult<f64> {
        if self.turning.is_empty() {
            return Ok(0.0);
        }
        let q: Vec<f64> = self.coordinates.iter().map(|&j| at.q[j as usize]).collect();
        let mut slope = vec![0.0; q.len()];
        if row == 0 {
            self.function.jacobian(at.t, &q, &mut slope).map_err(StepError::in_constraint(model, id))?;
        } else {
            let n = self.function.n_tangents();
            let (mut tangents, mut rates) = (vec![0.0; n * q.len()], vec![0.0; n]);
            let made = self.function.tangents(at.t, &q, &mut tangents, &mut rates);
            made.map_err(StepError::in_constraint(model, id))?;
            slope.copy_from_slice(&tangents[(row - 1) * q.len()..row * q.len()]);
        }
        let mut sum = 0.0;
        for &(body, _) in &self.turning {
            let first = model.rigid.bodies[body.0 as usize].q + 3;
            let own = self.coordinates.iter().zip(slope.iter().zip(&q));
            let along: f64 =
                own.filter(|(j, _)| (first..first + 4).contains(j)).map(|(_, (s, q))| s * q).sum();
            sum -= 0.25 * at.rigid(body).spin.length_squared() * along;
        }
        Ok(sum)
    }
}

/// What a gap is at one place: y, rows of normal and tangents over velocities, and their rates.
#[derive(Default)]
struct Evaluated {
    q: Vec<f64>,
    slope: Vec<f64>,
    tangents: Vec<f64>,
    rates: Vec<f64>,
    rows: [SparseRow; 6],
    /// Velocities of the state, q̇ of the model and of the coordinates of a gap.
    v: Vec<f64>,
    q_dot: Vec<f64>,
    local: Vec<f64>,
}

/// Scratch that a thread keeps: gaps are evaluated many times per step.
fn with_scratch<T>(work: impl FnOnce(&mut Evaluated) -> T) -> T {
    thread_local! {
        static SCRATCH: std::cell::RefCell<Evaluated> = std::cell::RefCell::default();
    }
    SCRATCH.with_borrow_mut(work)
}

impl Evaluated {
    /// Evaluates ∂g/∂q, ∂g/∂t and tangents at (t, q).
    fn linearize(
        &mut self,
        model: &Model,
        gap: &FunctionGap,
        id: ConstraintId,
        at: &Instant<'_>,
    ) -> StepResult {
        let user = || StepError::in_constraint(model, id);
        self.gather(gap, at.q);
        let (n, n_tangents) = (self.q.len(), gap.function.n_tangents());
        for (x, n) in [
            (&mut self.slope, n),
            (&mut self.tangents, n * n_tangents),
            (&mut self.rates, 1 + n_tangents),
        ] {
            x.clear();
            x.resize(n, 0.0);
        }
        gap.function.jacobian(at.t, &self.q, &mut self.slope).map_err(user())?;
        self.rates[0] = gap.function.rate(at.t, &self.q).map_err(user())?;
        if n_tangents > 0 {
            let tangents =
                gap.function.tangents(at.t, &self.q, &mut self.tangents, &mut self.rates[1..]);
            tangents.map_err(user())?;
        }
        self.slope
            .iter()
            .chain(&self.tangents)
            .try_for_each(|&s| check_constraint(model, "jacobian", id, s))?;
        self.rates.iter().try_for_each(|&s| check_constraint(model, "velocity", id, s))?;
        gap.row(model, at.q, &self.slope, &mut self.rows[0]);
        for k in 0..n_tangents {
            let tangent = &self.tangents[k * n..(k + 1) * n];
            gap.row(model, at.q, tangent, &mut self.rows[1 + k]);
        }
        Ok(())
    }

    fn gather(&mut self, gap: &FunctionGap, q: &[f64]) {
        self.q.clear();
        self.q.extend(gap.coordinates.iter().map(|&j| q[j as usize]));
    }

    /// y at (t, q).
    fn gap(
        &mut self,
        model: &Model,
        gap: &FunctionGap,
        id: ConstraintId,
        t: f64,
        q: &[f64],
    ) -> StepResult<f64> {
        self.gather(gap, q);
        let y = gap.function.gap(t, &self.q).map_err(StepError::in_constraint(model, id))?;
        check_constraint(model, "gap", id, y)?;
        Ok(y)
    }

    /// u of row `k` for velocities `v`.
    fn velocity(&self, k: usize, v: &[f64]) -> f64 {
        let SparseRow { columns, values } = &self.rows[k];
        self.rates[k] + columns.iter().zip(values).map(|(&j, s)| s * v[j as usize]).sum::<f64>()
    }
}

/// The gaps of a model that are functions.
#[derive(Default)]
pub struct FunctionGaps {
    index: u8,
    gaps: Vec<FunctionGap>,
}

impl FunctionGaps {
    /// Appends a gap.
    pub(crate) fn append(&mut self, gap: FunctionGap) {
        self.gaps.push(gap);
    }

    /// The family at its place in the model.
    pub(crate) fn at(self, index: u8) -> Self {
        Self { index, ..self }
    }

    /// Number of gaps.
    pub(crate) fn len(&self) -> usize {
        self.gaps.len()
    }

    /// Whether a member of the part is involved in gap `i`.
    pub(super) fn is_of(&self, model: &Model, part: &Part<'_>, i: usize, at: &Instant<'_>) -> bool {
        let gap = &self.gaps[i];
        with_scratch(|there| {
            gap.row(model, at.q, &vec![0.0; gap.coordinates.len()], &mut there.rows[0]);
            model.involves(part, there.rows[0].columns.iter().copied())
        })
    }

    fn id(&self, i: usize) -> ConstraintId {
        ConstraintId::member(self.index, i)
    }

    /// y of gap `i`, and the size of its terms [m].
    pub(crate) fn with_size(&self, i: usize, t: f64, q: &[f64]) -> Result<(f64, f64), UserError> {
        let gap = &self.gaps[i];
        let q: Vec<f64> = gap.coordinates.iter().map(|&j| q[j as usize]).collect();
        let mut slope = vec![0.0; q.len()];
        gap.function.jacobian(t, &q, &mut slope)?;
        let size: f64 = slope.iter().zip(&q).map(|(s, q)| (s * q).abs()).sum();
        Ok((gap.function.gap(t, &q)?, 1.0 + size))
    }

    /// Appends gap `i`, open or closed.
    pub(super) fn append_one(
        &self,
        model: &Model,
        i: usize,
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        self.look_at(model, i, at, |_, _| true, active)
    }

    /// Appends gap `i` if `takes` says so of its gap and velocity.
    fn look_at(
        &self,
        model: &Model,
        i: usize,
        at: &Instant<'_>,
        takes: impl Fn(f64, f64) -> bool,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let (gap, id) = (&self.gaps[i], self.id(i));
        with_scratch(|there| {
            let y = there.gap(model, gap, id, at.t, at.q)?;
            there.linearize(model, gap, id, at)?;
            let mut u = [0.0; 6];
            let n = there.rates.len();
            for (k, u) in u[..n].iter_mut().enumerate() {
                *u = there.velocity(k, at.v);
                check_constraint(model, "velocity", id, *u)?;
            }
            if takes(y, u[0]) || gap.always {
                let before = active.n_rows();
                active.push(id, gap.law, y, &u[..n]);
                active.rates.resize(before, [0.0; 2]);
                active.rates.extend(there.rates.iter().map(|&rate| [rate; 2]));
            }
            Ok(())
        })
    }

    /// Offset and rates at the end of constraint `c`.
    fn set_offset(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        (c, level): (usize, Level),
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let id = active.ids[c];
        let (gap, rows) = (&self.gaps[id.number()], active.rows(c));
        with_scratch(|there| {
            let place = if gap.is_constant { Instant { t: at.end.t, ..at.now } } else { at.jacobian };
            there.linearize(model, gap, id, &place)?;
            for (row, &rate) in rows.clone().zip(&there.rates) {
                active.rates[row][1] = rate;
                active.offset[row] = rate;
            }
            if let Level::Position { ahead } = level {
                let first = rows.start;
                active.offset[first] = if gap.is_constant {
                    let along = active.u_minus[first] - active.rates[first][0];
                    (there.gap(model, gap, id, at.end.t, at.now.q)? + (part.h - ahead) * along) / ahead
                } else {
                    let mut u = [0.0; 6];
                    active.jacobian.dot(c, at.end.v, &mut u[..rows.len()]);
                    there.gap(model, gap, id, at.end.t, at.end.q)? / ahead - u[0]
                };
            }
            Ok(())
        })
    }
}

impl ConstraintFamily for FunctionGaps {
    fn name(&self) -> &'static str {
        "gaps"
    }

    fn coordinates_of(&self, number: usize) -> Option<&[u32]> {
        Some(&self.gaps[number].coordinates)
    }

    fn n_members(&self) -> usize {
        self.gaps.len()
    }

    fn member_name(&self, number: usize) -> &str {
        &self.gaps[number].name
    }

    fn describe(&self, _model: &Model, id: ConstraintId) -> String {
        format!("constraint `{}`", self.gaps[id.number()].name)
    }

    fn law(&self, _model: &Model, id: ConstraintId) -> LawId {
        self.gaps[id.number()].law
    }

    fn is_linear(&self, _model: &Model) -> bool {
        self.gaps.iter().all(|gap| gap.is_constant)
    }

    fn spoils_energy(&self, _model: &Model) -> Option<String> {
        self.gaps.first().map(|gap| gap.name.clone())
    }

    #[inline(never)]
    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        let (ahead, distance) = activation.of_gaps();
        for i in 0..self.gaps.len() {
            if !part.members.is_all() && !self.is_of(model, part, i, at) {
                continue;
            }
            let near = distance.max(self.gaps[i].function.activation_distance());
            self.look_at(model, i, at, |gap, u| gap + ahead * u <= near, active)?;
        }
        Ok(())
    }

    fn append(
        &self,
        model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        ids.iter().try_for_each(|id| self.append_one(model, id.number(), at, active))
    }

    #[inline(never)]
    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult {
        let is_new = rows.is_new();
        for c in rows.chosen(part, self.index) {
            let id = rows.active().ids[c];
            let gap = &self.gaps[id.number()];
            if gap.is_constant && !is_new {
                continue;
            }
            with_scratch(|there| {
                there.linearize(model, gap, id, &at.jacobian)?;
                // A list may leave out the tangents.
                let n = rows.active().rows(c).len();
                there.rows[..n].iter_mut().for_each(|row| gap.turn(at, &at.jacobian, row));
                rows.general(c, there.rows[..n].iter().map(|row| (&row.columns[..], &row.values[..])));
                Ok::<(), Box<StepError>>(())
            })?;
        }
        Ok(())
    }

    #[inline(never)]
    fn set_offsets(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        for c in part.constraints.within(active.own[self.index as usize].clone()) {
            if let Level::Linearized { h } = level {
                for row in active.rows(c) {
                    active.offset[row] = active.rates[row][0];
                    active.rates[row][1] = active.rates[row][0];
                }
                active.offset[active.row_start[c] as usize] += active.gap[c] / h;
            } else {
                self.set_offset(model, part, at, (c, level), active)?;
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn gaps(&self, model: &Model, at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        let mut push = |i: usize| {
            let y = with_scratch(|there| there.gap(model, &self.gaps[i], self.id(i), at.t, at.q))?;
            out.push(y);
            Ok(())
        };
        match of {
            GapsOf::Members => (0..self.gaps.len()).try_for_each(&mut push),
            GapsOf::Active(active, own) => {
                active.ids[own.clone()].iter().try_for_each(|id| push(id.number()))
            }
        }
    }

    fn bilateral_gaps(&self, model: &Model, out: &mut Vec<bool>) {
        out.extend(self.gaps.iter().map(|gap| model.law(gap.law).forms().bilateral));
    }

    fn positions(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            let id = active.ids[c];
            let gap = &self.gaps[id.number()];
            let y = with_scratch(|there| there.gap(model, gap, id, at.t, at.q))?;
            out[active.row_start[c] as usize] = y;
        }
        Ok(())
    }

    fn velocities(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            let id = active.ids[c];
            with_scratch(|there| {
                there.linearize(model, &self.gaps[id.number()], id, at)?;
                active.rows(c).enumerate().for_each(|(k, row)| out[row] = there.velocity(k, at.v));
                Ok::<(), Box<StepError>>(())
            })?;
        }
        Ok(())
    }

    fn add_forces(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        lambda: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            let id = active.ids[c];
            with_scratch(|there| {
                there.linearize(model, &self.gaps[id.number()], id, at)?;
                for (row, p) in there.rows.iter().zip(&lambda[active.rows(c)]) {
                    row.columns.iter().zip(&row.values).for_each(|(&j, s)| out[j as usize] += s * p);
                }
                Ok::<(), Box<StepError>>(())
            })?;
        }
        Ok(())
    }

    fn curvature(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult {
        with_scratch(|there| {
            let Evaluated { q, v, q_dot, local, .. } = there;
            v.clear();
            v.extend_from_slice(at.v);
            model.to_state(at.q, v);
            q_dot.resize(model.n_coordinates(), 0.0);
            model.rate(at.q, v, q_dot);
            for c in active.own[self.index as usize].clone() {
                let id = active.ids[c];
                let (gap, rows) = (&self.gaps[id.number()], active.rows(c));
                for (out, x) in [(&mut *q, at.q), (&mut *local, &q_dot[..])] {
                    out.clear();
                    out.extend(gap.coordinates.iter().map(|&j| x[j as usize]));
                }
                out[rows.clone()].fill(0.0);
                let value = gap.function.curvature(at.t, q, local);
                let value = value.map_err(StepError::in_constraint(model, id))?;
                out[rows.start] = value + gap.turning_curvature(model, (id, 0), at)?;
                for (k, row) in rows.skip(1).enumerate() {
                    let value = tangent_curvature(&*gap.function, k, at.t, q, local);
                    let value = value.map_err(StepError::in_constraint(model, id))?;
                    out[row] = value + gap.turning_curvature(model, (id, k + 1), at)?;
                }
            }
            Ok(())
        })
    }
}
