//! Settings of schemes that resolve events.

use super::{Locate, MethodOrder, Persistent, RungeKutta, Scheme};
use nonsmooth_solvers::settings;

settings! {
    /// `high-order`: Runge–Kutta of any order between located impacts.
    pub struct HighOrder = "high-order" {
        /// Method between events.
        pub method: RungeKutta = RungeKutta::DormandPrince,
        /// How the time of an event is searched.
        pub locate: Locate = Locate::Newton,
        /// C of the bracket C h (h/T)^p around an event [–].
        pub window: f64 = 1e-6,
        /// A contact is at rest when its next flight is shorter than rest · T (h/T)^p [–].
        pub rest: f64 = 1e-3,
        /// T against which the step h counts as short [s].
        pub time_scale: f64 = 1.0,
        /// Most events in one step; more stop the run.
        pub max_events: usize = 10_000,
        /// Whether inner steps are chosen by their error.
        pub adaptive: bool = false,
        /// With `adaptive`: error of an inner step, relative to max(|x|, 1) [–].
        pub tolerance: f64 = 1e-8,
        /// With `adaptive`: whether the method may change.
        pub order: MethodOrder = MethodOrder::Fixed,
    }

    /// `splitting`: smooth flow by any Runge–Kutta method, then the impact at fixed position.
    pub struct Splitting = "splitting" {
        /// Method of the smooth flow.
        pub method: RungeKutta = RungeKutta::Rkf45,
        /// Whether lasting contacts carry a force in the smooth flow.
        pub contact_force: bool = true,
        /// Whether inner steps are chosen by error and overlap.
        pub adaptive: bool = false,
        /// With `adaptive`: error of an inner step, relative to max(|x|, 1) [–], and new overlap [m].
        pub tolerance: f64 = 1e-6,
    }

    /// `event-driven`: every event at its instant.
    pub struct EventDriven = "event-driven" {
        /// Method between events.
        pub method: RungeKutta = RungeKutta::DormandPrince,
        /// How the time of an event is searched.
        pub locate: Locate = Locate::Newton,
        /// Most events in one step; more stop the run.
        pub max_events: usize = 10_000,
        /// Whether inner steps are chosen by their error.
        pub adaptive: bool = true,
        /// With `adaptive`: error of an inner step, relative to max(|x|, 1) [–].
        pub tolerance: f64 = 1e-12,
        /// With `adaptive`: whether the method may change.
        pub order: MethodOrder = MethodOrder::Fixed,
    }

    /// `d1-minus`: discontinuous Galerkin of half-explicit steps.
    pub struct D1Minus = "d1-minus" {
        /// Gap up to which a contact is closed [m].
        pub closed_gap: f64 = 1e-8,
        /// Velocity up to which a closed contact does not part [m/s].
        pub closed_velocity: f64 = 1e-8,
        /// What closed contacts do.
        pub persistent: Persistent = Persistent::Resting,
    }
}

impl Scheme for HighOrder {}
impl Scheme for Splitting {}
impl Scheme for EventDriven {}
impl Scheme for D1Minus {}
