//! Chosen constraints at one point: gap, velocity and J of each row, and how rounding shows in them.
//!
//! ```text
//! y = g(q, t),   u = J v + ∂g/∂t
//! ```
//!
//! Rows that a mode holds or an impact takes have the features with which they were found, so that they are smooth wherever a step tries to go. What is
//! watched from outside are the points that are found where the bodies are: a point that is not found there is *absent*.

use super::watched::Watched;
use crate::error::StepResult;
use crate::model::errors::check_constraint;
use crate::model::instant::{Instant, Pass};
use crate::model::{ActiveConstraints, ConstraintId, Level, Model};
use crate::part::Part;
use crate::phases::{linearize, set_offsets};

/// Rounding of a sum of a few products, relative to the sum of their sizes.
pub(crate) const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Velocity that counts as none, relative to the velocities that make it up: what projections on u = 0 and solves
/// of small problems leave.
pub(crate) const STANDSTILL: f64 = 1e-13;

/// Sizes against which rounding is judged: a body at rest at the origin has none of its own.
#[derive(Default)]
pub(crate) struct Scale {
    /// Size of each velocity over the step, max(|v|, h |M⁻¹ f|), in working axes [m/s].
    pub(crate) pace: Vec<f64>,
    /// Length of the step [s].
    pub(crate) h: f64,
}

/// How a row stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ConstraintStatus {
    /// y [m].
    pub(crate) gap: f64,
    /// u [m/s].
    pub(crate) u: f64,
    /// ∂g/∂t [m/s].
    pub(crate) rate: f64,
    /// Size of a gap that is nothing but rounding [m].
    pub(crate) closed: f64,
    /// Size of a velocity that is none [m/s].
    pub(crate) still: f64,
}

impl ConstraintStatus {
    /// Of a contact whose features do not face each other here: nothing is near.
    pub(crate) const ABSENT: Self =
        Self { gap: f64::INFINITY, u: 0.0, rate: 0.0, closed: 0.0, still: 0.0 };

    /// Whether its features do not face each other.
    pub(crate) fn is_absent(&self) -> bool {
        self.gap == f64::INFINITY
    }
}

/// Which features the contacts have that are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Features {
    /// Those found where the bodies are.
    Found,
    /// Those with which they are listed.
    Listed,
}

/// Chosen constraints at one instant.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) active: ActiveConstraints,
    /// y by row of `active` [m].
    y: Vec<f64>,
    chosen: Vec<ConstraintId>,
    /// Size of the coordinates behind each velocity.
    sizes: Vec<f64>,
}

impl Rows {
    /// Evaluates the constraints of `keys`; all instants of `pass` are the same.
    pub(crate) fn evaluate(
        &mut self,
        model: &Model,
        watched: &Watched,
        keys: impl Iterator<Item = usize>,
        (pass, features): (&Pass<'_>, Features),
    ) -> StepResult {
        let Rows { active, y, chosen, sizes } = self;
        chosen.clear();
        chosen.extend(keys.map(|key| watched.id(key)));
        chosen.sort_unstable();
        chosen.dedup();
        active.open(model);
        for (f, family) in model.constraints.iter().enumerate() {
            let begin = chosen.partition_point(|id| id.family() < f);
            let end = chosen.partition_point(|id| id.family() <= f);
            let chosen = &chosen[begin..end];
            if watched.changes && features == Features::Listed {
                family.append_frozen(model, chosen, &|id| watched.feature(id), &pass.now, active)?;
            } else {
                family.append(model, chosen, &pass.now, active)?;
            }
            active.close_family();
        }
        active.close(model);
        let part = Part::whole(pass.now.t, 0.0);
        linearize(model, &part, pass, active)?;
        if model.rigid.has_motion() {
            set_offsets(model, &part, pass, Level::Velocity, active)?;
        }
        y.clear();
        y.resize(active.n_rows(), 0.0);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            if !own.is_empty() {
                family.positions(model, &pass.now, active, own, y)?;
            }
        }
        sizes.clear();
        sizes.resize(model.n_velocities(), 0.0);
        model.smooth_motions().for_each(|motion| motion.sizes(pass.now.q, sizes));
        Ok(())
    }

    /// The constraint of a key among the active ones, and its row there.
    pub(crate) fn place(&self, watched: &Watched, key: usize) -> (usize, usize) {
        self.find(watched, key).expect("the constraint of the key was evaluated")
    }

    /// The same; none where the features of the contact were not found.
    fn find(&self, watched: &Watched, key: usize) -> Option<(usize, usize)> {
        let c = self.active.ids.binary_search(&watched.id(key)).ok()?;
        Some((c, self.active.rows(c).start + watched.row(key)))
    }

    /// How the row of a key stands.
    pub(crate) fn status(
        &self,
        model: &Model,
        watched: &Watched,
        key: usize,
        at: &Instant<'_>,
        scale: &Scale,
    ) -> StepResult<ConstraintStatus> {
        let Some((c, row)) = self.find(watched, key) else { return Ok(ConstraintStatus::ABSENT) };
        let (gap, u) = (self.y[row], self.active.u_minus[row]);
        let rate = self.active.rates.get(row).map_or(0.0, |rate| rate[0]);
        let (mut terms, mut speeds) = (gap.abs() + (rate * at.t).abs(), rate.abs());
        self.active.jacobian.for_each_entry(c, watched.row(key), |j, slope| {
            let j = j as usize;
            terms += slope.abs() * self.sizes[j].max(scale.h * scale.pace[j]);
            speeds += slope.abs() * scale.pace[j].max(at.v[j].abs());
        });
        let id = watched.id(key);
        check_constraint(model, "gap", id, gap)?;
        check_constraint(model, "velocity", id, u)?;
        check_constraint(model, "jacobian", id, terms)?;
        Ok(ConstraintStatus { gap, u, rate, closed: ROUNDING * terms, still: STANDSTILL * speeds })
    }
}
