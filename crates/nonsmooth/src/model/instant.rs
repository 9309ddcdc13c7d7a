//! Everything at one instant, evaluated once, read by families, constraints, forces and formulas.
//!
//! Velocities of an instant are in *working axes*: those of rigid bodies in space are (v, ω) in world axes. The state keeps ω in
//! body axes. Within a step a body's working axes are the world axes seen through its rotation at the start of the part,
//! ω_working = R_start ω_body, whatever its rotation is elsewhere in the step: rows that are made at another configuration
//! are turned by [`Pass::turn`].

use super::{Model, Presence, RigidId, RigidState, Theta};
use crate::error::StepResult;
use glam::DQuat;

/// One instant of the model.
#[derive(Clone, Copy)]
pub struct Instant<'a> {
    /// Time [s].
    pub t: f64,
    /// Coordinates of the whole model [m, rad].
    pub q: &'a [f64],
    /// Velocities of the whole model in working axes [m/s, rad/s].
    pub v: &'a [f64],
    /// Pose and twist of every rigid thing in world axes, by [`RigidId`]: bodies, then kinematic bodies, then the world.
    pub rigid: &'a [RigidState],
    /// Who is there; empty where all bodies are from start to end.
    pub presence: &'a [Presence],
    /// Angles of joints at the start of the step, counted through whole turns [rad]; places as in `JointTable`.
    pub angles: &'a [f64],
    /// Inputs and named expressions, in their order.
    pub signals: &'a [f64],
}

impl Instant<'_> {
    /// Pose and twist of a rigid thing.
    #[inline]
    pub fn rigid(&self, id: RigidId) -> &RigidState {
        &self.rigid[id.0 as usize]
    }

    /// Whether body `i` is present.
    #[inline]
    pub fn is_present(&self, i: usize) -> bool {
        self.presence.get(i).is_none_or(|presence| *presence == Presence::Present)
    }
}

/// The instants of one pass of a step; `mass` and `jacobian` are `now`, an instant within the step or `end`, as the scheme's options
/// say. Where nothing depends on the configuration all of them have the coordinates of `now`.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// The start of the step.
    pub now: Instant<'a>,
    /// Where M is evaluated.
    pub mass: Instant<'a>,
    /// Where J of gaps and joints is evaluated. J of contacts of bodies is that of `now`.
    pub jacobian: Instant<'a>,
    /// The end of the step as it is guessed.
    pub end: Instant<'a>,
    /// How springs and dampers look ahead.
    pub implicit: Implicit,
}

/// How an impulse of length ℓ of springs and dampers depends on v⁺, with l̇ = J v:
///
/// ```text
/// explicit   −ℓ (k (l − l₀) + c l̇),   l and J where the bodies get in the time `ahead` with the velocities of the start
/// row        p = −u/D,   u = J (v⁺ − v),   1/D = ℓ (displacement · k + velocity · c)
/// ```
///
/// θ-scheme: ahead = hθ, displacement = hθ², velocity = θ. A kick of length κ = τ + h/2, where v lags by τ, before a drift of h:
/// ahead = h/2 − τ, displacement = h²/(4κ), velocity = ½, so that the kick is that of the trapezoidal rule,
/// κ a_k + τ/2 (a_{k−1} − a_k) + h/4 (a_{k+1} − a_k), stable for any stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Implicit {
    /// How far ahead they are evaluated [s].
    pub ahead: f64,
    /// Displacement at which they act, per change of v [s].
    pub displacement: f64,
    /// Velocity at which they act, per change of v [–].
    pub velocity: f64,
    /// ℓ [s].
    pub length: f64,
}

impl Implicit {
    /// Of a θ-step.
    pub fn theta(Theta { h, theta }: Theta) -> Self {
        Self { ahead: h * theta, displacement: h * theta * theta, velocity: theta, length: h }
    }

    /// Of a kick at velocities that lag by `lag`, before a drift of `rest` [s].
    pub fn kick(lag: f64, rest: f64) -> Self {
        let length = lag + 0.5 * rest;
        let displacement = if length > 0.0 { 0.25 * rest * rest / length } else { 0.0 };
        Self { ahead: 0.5 * rest - lag, displacement, velocity: 0.5, length }
    }

    /// 1/D of a spring with stiffness k and damping c.
    pub fn inverse_compliance(&self, k: f64, c: f64) -> f64 {
        self.length * (self.displacement * k + self.velocity * c)
    }
}

impl<'a> Pass<'a> {
    /// All instants are this one.
    pub fn at(at: &Instant<'a>) -> Self {
        Self { now: *at, mass: *at, jacobian: *at, end: *at, implicit: Implicit::default() }
    }
}

impl Pass<'_> {
    /// Turns vectors of world axes at the configuration of `there` into working axes: R_now Rᵀ_there of a rigid thing.
    #[inline]
    pub fn turn(&self, there: &Instant<'_>, id: RigidId) -> DQuat {
        self.now.rigid(id).rotation * there.rigid(id).rotation.inverse()
    }
}

/// Coordinates, velocities, rigid states and signals at one instant that differs from the state.
#[derive(Default)]
pub(crate) struct Place {
    pub(crate) t: f64,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) rigid: Vec<RigidState>,
    pub(crate) signals: Vec<f64>,
    pub(crate) inputs: Vec<f64>,
    pub(crate) angles: Vec<f64>,
}

impl Place {
    pub(crate) fn instant<'a>(&'a self, presence: &'a [Presence]) -> Instant<'a> {
        let Self { t, q, v, rigid, angles, signals, .. } = self;
        Instant { t: *t, q, v, rigid, presence, angles, signals }
    }

    /// Rigid states and signals from t, q, inputs and the velocities `v_state` as in the state.
    pub(crate) fn complete(
        &mut self,
        model: &Model,
        presence: &[Presence],
        v_state: &[f64],
    ) -> StepResult {
        model.rigid_states(self.t, &self.q, v_state, &mut self.rigid)?;
        if !model.signals.is_empty() {
            let mut signals = std::mem::take(&mut self.signals);
            let evaluated = model.signals.evaluate(&self.inputs, &self.instant(presence), &mut signals);
            self.signals = signals;
            evaluated?;
        }
        Ok(())
    }
}
