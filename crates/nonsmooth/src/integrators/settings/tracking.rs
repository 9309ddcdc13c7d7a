//! Settings of schemes that resolve events.

use super::{Locate, MethodOrder, Persistent, RungeKutta, Scheme};
use nonsmooth_solvers::{Settings, Value, word};

/// `high-order`: Runge–Kutta of any order between located impacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HighOrder {
    /// Method between events.
    pub method: RungeKutta,
    /// How the time of an event is searched.
    pub locate: Locate,
    /// C of the bracket C h (h/T)^p around an event [–].
    pub window: f64,
    /// A contact is at rest when its next flight is shorter than rest · T (h/T)^p [–].
    pub rest: f64,
    /// T against which the step h counts as short [s].
    pub time_scale: f64,
    /// Most events in one step; more stop the run.
    pub max_events: usize,
    /// Whether inner steps are chosen by their error.
    pub adaptive: bool,
    /// With `adaptive`: error of an inner step, relative to max(|x|, 1) [–].
    pub tolerance: f64,
    /// With `adaptive`: whether the method may change.
    pub order: MethodOrder,
}

impl Default for HighOrder {
    fn default() -> Self {
        Self {
            method: RungeKutta::DormandPrince,
            locate: Locate::Newton,
            window: 1e-6,
            rest: 1e-3,
            time_scale: 1.0,
            max_events: 10_000,
            adaptive: false,
            tolerance: 1e-8,
            order: MethodOrder::Fixed,
        }
    }
}

impl Settings for HighOrder {
    const NAME: &'static str = "high-order";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("method", word(self.method)),
            ("locate", word(self.locate)),
            ("window", self.window.into()),
            ("rest", self.rest.into()),
            ("time_scale", self.time_scale.into()),
            ("max_events", self.max_events.into()),
            ("adaptive", self.adaptive.into()),
            ("tolerance", self.tolerance.into()),
            ("order", word(self.order)),
        ]
    }
}

impl Scheme for HighOrder {}

/// `splitting`: smooth flow by any Runge–Kutta method, then the impact at fixed position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Splitting {
    /// Method of the smooth flow.
    pub method: RungeKutta,
    /// Whether lasting contacts carry a force in the smooth flow.
    pub contact_force: bool,
    /// Whether inner steps are chosen by error and overlap.
    pub adaptive: bool,
    /// With `adaptive`: error of an inner step, relative to max(|x|, 1) [–], and new overlap [m].
    pub tolerance: f64,
}

impl Default for Splitting {
    fn default() -> Self {
        Self { method: RungeKutta::Rkf45, contact_force: false, adaptive: false, tolerance: 1e-6 }
    }
}

impl Settings for Splitting {
    const NAME: &'static str = "splitting";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("method", word(self.method)),
            ("contact_force", self.contact_force.into()),
            ("adaptive", self.adaptive.into()),
            ("tolerance", self.tolerance.into()),
        ]
    }
}

impl Scheme for Splitting {}

/// `event-driven`: every event at its instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventDriven {
    /// Method between events.
    pub method: RungeKutta,
    /// How the time of an event is searched.
    pub locate: Locate,
    /// Most events in one step; more stop the run.
    pub max_events: usize,
    /// Whether inner steps are chosen by their error.
    pub adaptive: bool,
    /// With `adaptive`: error of an inner step, relative to max(|x|, 1) [–].
    pub tolerance: f64,
    /// With `adaptive`: whether the method may change.
    pub order: MethodOrder,
}

impl Default for EventDriven {
    fn default() -> Self {
        Self {
            method: RungeKutta::DormandPrince,
            locate: Locate::Newton,
            max_events: 10_000,
            adaptive: true,
            tolerance: 1e-12,
            order: MethodOrder::Fixed,
        }
    }
}

impl Settings for EventDriven {
    const NAME: &'static str = "event-driven";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("method", word(self.method)),
            ("locate", word(self.locate)),
            ("max_events", self.max_events.into()),
            ("adaptive", self.adaptive.into()),
            ("tolerance", self.tolerance.into()),
            ("order", word(self.order)),
        ]
    }
}

impl Scheme for EventDriven {}

/// `d1-minus`: discontinuous Galerkin of half-explicit steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct D1Minus {
    /// Gap up to which a contact is closed [m].
    pub closed_gap: f64,
    /// Velocity up to which a closed contact does not part [m/s].
    pub closed_velocity: f64,
    /// What closed contacts do.
    pub persistent: Persistent,
}

impl Default for D1Minus {
    fn default() -> Self {
        Self { closed_gap: 1e-8, closed_velocity: 1e-8, persistent: Persistent::Impact }
    }
}

impl Settings for D1Minus {
    const NAME: &'static str = "d1-minus";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("closed_gap", self.closed_gap.into()),
            ("closed_velocity", self.closed_velocity.into()),
            ("persistent", word(self.persistent)),
        ]
    }
}

impl Scheme for D1Minus {}
