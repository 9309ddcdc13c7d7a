//! The acceleration of the smooth motion, with the forces of closed constraints eliminated.
//!
//! ```text
//! v̇ = M⁻¹ (f + Jᵀ λ),     ÿ = J M⁻¹ Jᵀ λ + J M⁻¹ f + curvature = 0   on the closed constraints,     q̇ = T(q) v
//! ```
//!
//! The closed constraints (the *mode*) are held as equations: the right-hand side is then as smooth as the model,
//! and Runge–Kutta methods keep their order. What contacts with friction do is part of the mode (`grip.rs`, `hold.rs`). That no contact
//! pulls, and none sticks beyond its cone, is watched from outside: λ_N < 0 and ‖λ_T‖ > μ λ_N are events.
//!
//! Stages of a method leave the unit quaternions by their error. All but q̇ is evaluated at the nearest ones, a smooth continuation of
//! the right-hand side. Velocities of the state and working axes are both body or world axes of one rotation, R ω, and
//! d(R ω)/dt = R ω̇: accelerations turn as velocities do.

use super::closed::Closed;
use super::grip::Mode;
use super::hold::{Holding, excesses};
use super::point::Point;
use super::rows::Scale;
use super::watched::Watched;
use crate::error::StepResult;
use crate::log::Works;
use crate::model::constraints::Column;
use crate::model::instant::Place;
use crate::model::instant::{Implicit, Instant, Pass};
use crate::model::{Coeffs, Model, Presence, State};
use crate::part::Part;
use crate::phases::{Mass, factorize_released};

/// Force that counts as pulling, in noises of the acceleration-level problem: who pulls must be seen to leave there.
const PULL: f64 = 10.0;

/// The same for contacts whose friction falls when they slide, relatively.
const SHARP: f64 = 1e-4;

/// Rates and contact forces at a point.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    /// q̇.
    pub(crate) q_dot: Vec<f64>,
    /// v̇, as velocities of the state [m/s²].
    pub(crate) a: Vec<f64>,
    /// λ of each row of the mode [N].
    pub(crate) lambda: Vec<f64>,
    /// Whether a row of the mode pulls beyond noise; at the first tangent of a contact that sticks, whether it is beyond the cone.
    pub(crate) pulls: Vec<bool>,
    /// What is negative there: λ_N, or μ λ_N − ‖λ_T‖ [N]; ∞ of rows that cannot pull.
    pub(crate) margin: Vec<f64>,
    /// u̇ of the tangents that slide, which are the last rows of the mode [m/s²].
    pub(crate) slipping: Vec<f64>,
    /// Power of what has no potential [W].
    pub(crate) power: Works,
    /// Largest entry of M⁻¹ f [m/s²]: v̇ of what is held is its rounding.
    pub(crate) size: f64,
}

impl Rate {
    pub(crate) fn copy_from(&mut self, other: &Rate) {
        self.q_dot.clone_from(&other.q_dot);
        self.a.clone_from(&other.a);
        self.lambda.clone_from(&other.lambda);
        self.pulls.clone_from(&other.pulls);
        self.margin.clone_from(&other.margin);
        self.slipping.clone_from(&other.slipping);
        (self.power, self.size) = (other.power, other.size);
    }
}

/// What is needed to evaluate the smooth motion.
#[derive(Default)]
pub(crate) struct Motion {
    /// The point of the last evaluation, with unit quaternions, in working axes.
    pub(crate) place: Place,
    pub(crate) presence: Vec<Presence>,
    pub(crate) mass: Mass,
    pub(crate) watched: Watched,
    /// The rows of the last evaluation.
    pub(crate) closed: Closed,
    pub(crate) scale: Scale,
    /// Acceleration that counts as none, relative to the largest that the closed constraints resist [–].
    pub(crate) noise: f64,
    /// M⁻¹ f of the last evaluation in a mode, in working axes [m/s²].
    pub(crate) unheld: Vec<f64>,
    holding: Holding,
    /// Evaluations of f since the count was reset.
    pub(crate) evaluations: u64,
    /// The point of the last evaluation as it was given, and whether there was one in this step.
    here: Point,
    is_here: bool,
    has_mass: bool,
    part: Vec<f64>,
    v_present: Vec<f64>,
}

/// The instant of a place.
pub(crate) fn instant<'a>(place: &'a Place, presence: &'a [Presence]) -> Instant<'a> {
    place.instant(presence)
}

/// A pass all of whose instants are that of a place.
pub(crate) fn pass<'a>(place: &'a Place, presence: &'a [Presence]) -> Pass<'a> {
    let now = instant(place, presence);
    Pass { now, mass: now, jacobian: now, end: now, implicit: Implicit::default() }
}

impl Motion {
    /// Takes up what a state has beside its point, and lists the rows to be watched.
    pub(crate) fn begin(&mut self, model: &Model, now: &State, at: &Point) -> StepResult {
        self.is_here = false;
        self.place.inputs.clone_from(&now.inputs);
        self.place.angles.clone_from(&now.angles);
        self.presence.clone_from(&now.presence);
        self.go_to(model, at)?;
        self.watched.list(model, &instant(&self.place, &self.presence))
    }

    /// Evaluates poses, twists and signals at a point.
    pub(crate) fn go_to(&mut self, model: &Model, at: &Point) -> StepResult {
        if self.is_here && self.here.is(at) {
            return Ok(());
        }
        (self.is_here, self.has_mass) = (false, false);
        let place = &mut self.place;
        place.t = at.t;
        place.q.clone_from(&at.q);
        model.normalize(&mut place.q);
        place.v.resize(at.v.len(), 0.0);
        model.to_working(&place.q, &at.v, &mut place.v);
        place.complete(model, &self.presence, &at.v)?;
        self.here.copy_from(at);
        self.is_here = true;
        Ok(())
    }

    /// Brings M⁻¹ to a point.
    fn factorize(&mut self, model: &Model, at: &Point) -> StepResult {
        self.go_to(model, at)?;
        if !self.has_mass {
            let pass = pass(&self.place, &self.presence);
            let part = Part::whole(pass.now.t, 0.0);
            factorize_released(model, &part, &pass, Coeffs::MASS, &mut self.mass)?;
            self.has_mass = true;
        }
        Ok(())
    }

    /// Gathers the rows `keys` at a point.
    pub(crate) fn gather(&mut self, model: &Model, keys: &[usize], at: &Point) -> StepResult {
        self.gather_held(model, keys, keys.len(), at)
    }

    /// Gathers the rows `keys` at a point, of which the first `n_held` are to be held.
    fn gather_held(&mut self, model: &Model, keys: &[usize], n_held: usize, at: &Point) -> StepResult {
        self.factorize(model, at)?;
        let Motion { place, presence, mass, watched, closed, scale, .. } = self;
        closed.fill(model, (watched, keys, n_held), &pass(place, presence), mass.groups(), scale)
    }

    /// The curvature of the rows gathered last.
    pub(crate) fn curve(&mut self, model: &Model, keys: &[usize]) -> StepResult {
        let Motion { place, presence, watched, closed, .. } = self;
        closed.curve(model, (watched, keys), &pass(place, presence))
    }

    /// a ← M⁻¹ f at a point in working axes, without contact forces.
    pub(crate) fn free(
        &mut self,
        model: &Model,
        at: &Point,
        a: &mut Vec<f64>,
        power: &mut Works,
    ) -> StepResult {
        self.evaluations += 1;
        self.factorize(model, at)?;
        *power = Works::default();
        model.all_forces(&instant(&self.place, &self.presence), a, &mut self.part, power)?;
        self.mass.groups().solve(a, &mut self.part);
        Ok(())
    }

    /// A change of working velocities at the present place, as one of velocities of the state.
    pub(crate) fn to_state(&self, model: &Model, x: &mut [f64]) {
        model.to_state(&self.place.q, x);
    }

    /// Rates and forces with the rows `mode` held closed.
    pub(crate) fn rate(
        &mut self,
        model: &Model,
        mode: &Mode,
        at: &Point,
        rate: &mut Rate,
    ) -> StepResult {
        let Rate { q_dot, a, lambda, pulls, margin, slipping, power, size } = rate;
        self.free(model, at, a, power)?;
        self.unheld.clone_from(a);
        *size = a.iter().fold(0.0, |m, a| m.max(a.abs()));
        lambda.clear();
        pulls.clear();
        margin.clear();
        slipping.clear();
        if !mode.rows.is_empty() {
            self.gather_held(model, &mode.rows, mode.n_held, at)?;
            self.curve(model, &mode.rows)?;
            self.hold((model, at.t), mode, a, (lambda, pulls, margin), power)?;
            let closed = &self.closed;
            let sliding = mode.n_held..mode.rows.len();
            slipping.extend(sliding.map(|i| closed.along(i, a) + closed.curvature[i]));
        }
        self.to_state(model, a);
        self.drift(model, at, q_dot);
        Ok(())
    }

    /// The forces that hold the rows gathered last, and what they do.
    fn hold(
        &mut self,
        (model, t): (&Model, f64),
        mode: &Mode,
        a: &mut [f64],
        (lambda, pulls, margin): (&mut Vec<f64>, &mut Vec<bool>, &mut Vec<f64>),
        power: &mut Works,
    ) -> StepResult {
        let Motion { closed, watched, noise, holding, .. } = self;
        let mut resisted = 0.0f64;
        for i in 0..mode.n_held {
            lambda.push(-(closed.along(i, a) + closed.curvature[i]));
            resisted = resisted.max(closed.size_along(i, a) + closed.curvature[i].abs());
        }
        holding.solve((model, t), mode, (closed, watched), lambda)?;
        closed.push(lambda, a);
        let weight = |i: usize| closed.delassus[i * mode.rows.len() + i];
        margin.extend_from_slice(lambda);
        for (i, (&lambda, &key)) in lambda.iter().zip(&mode.rows).enumerate() {
            let is_normal = !watched.always[key] && !watched.tangent[key];
            pulls.push(lambda * weight(i) < -PULL * *noise * resisted && is_normal);
            if !is_normal {
                margin[i] = f64::INFINITY;
            }
            let status = &closed.status[i];
            book(watched.column[key], lambda * status.u, power);
            power.prescribed -= lambda * status.rate;
        }
        for (i, excess, falls) in excesses(model, mode, (closed, watched), lambda) {
            // Where friction falls, who is beyond the cone leaves without being seen to, and late is wrong.
            let least = if falls { SHARP } else { 1.0 };
            pulls[i] = excess * weight(i) > least * PULL * *noise * resisted;
            margin[i] = -excess;
        }
        Ok(())
    }

    /// q̇ at a point; bodies that are not there stand still.
    pub(crate) fn drift(&mut self, model: &Model, at: &Point, q_dot: &mut Vec<f64>) {
        self.v_present.clone_from(&at.v);
        model.rigid.hold_absent(&self.presence, &mut self.v_present);
        q_dot.resize(at.q.len(), 0.0);
        model.rate(&at.q, &self.v_present, q_dot);
    }

    /// q ← q ⊕ step, where the step is a change of velocities of the state times a time.
    pub(crate) fn retract(&mut self, model: &Model, step: &mut [f64], q: &mut [f64]) {
        model.rigid.hold_absent(&self.presence, step);
        self.part.clear();
        self.part.extend_from_slice(q);
        model.retract(&self.part, step, q);
    }
}

/// Books the work of a lasting normal force or of a joint.
pub(crate) fn book(column: Column, work: f64, works: &mut Works) {
    match column {
        Column::Joint | Column::Own => works.joint += work,
        Column::Drive => works.drive += work,
        Column::Friction => works.friction += work,
        Column::Contact => works.contact += work,
    }
}

/// sum ← sum + weight · works.
pub(crate) fn add_works(sum: &mut Works, weight: f64, works: &Works) {
    *sum += Works::from_columns(works.columns().map(|(_, work)| weight * work));
}
