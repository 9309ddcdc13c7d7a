//! Why a step failed. Carries data; the sentence is written where it is shown.

use crate::laws::PathError;
use nonsmooth_solvers::Status;
use thiserror::Error;

/// What went wrong in a function that the user supplied.
pub type UserError = Box<dyn std::error::Error + Send + Sync>;

/// Why a step could not be made. The state is as it was before.
#[derive(Debug, Error)]
pub enum StepError {
    /// The one-step problem was not brought to tolerance.
    #[error(
        "the contact problem was not solved ({status} by {method}): residual {residual:.3e}, tolerance {tolerance:.1e}{}",
        worst.as_ref().map_or(String::new(), |name| format!(", worst at {name}"))
    )]
    NotConverged {
        /// How the solver ended.
        status: Status,
        /// The method at work.
        method: &'static str,
        /// Residual reached [–].
        residual: f64,
        /// Residual wanted [–].
        tolerance: f64,
        /// The constraint or contact that contributes most.
        worst: Option<String>,
    },
    /// The solver does not take this problem.
    #[error("{0}")]
    Unsupported(#[from] nonsmooth_solvers::Unsupported),
    /// Newton's iteration did not converge.
    #[error(
        "Newton's iteration did not converge: change {change:.3e} after {iterations} iterations, {before:.3e} in the one before, tolerance {tolerance:.1e}"
    )]
    Newton {
        /// Iterations made.
        iterations: usize,
        /// Relative change of the velocity in the last one [–].
        change: f64,
        /// The same in the one before [–].
        before: f64,
        /// Relative change wanted [–].
        tolerance: f64,
    },
    /// The end of the step could not be moved onto its constraints.
    #[error(
        "the projection did not reach {constraint}: {violation:.3e} m off after {iterations} passes, tolerance {tolerance:.1e} m"
    )]
    Projection {
        /// Passes made.
        iterations: usize,
        /// What the worst constraint is called.
        constraint: String,
        /// How far off it is [m].
        violation: f64,
        /// How far it may be off [m].
        tolerance: f64,
    },
    /// The iteration matrix of a system is singular.
    #[error(
        "the iteration matrix M + hθC + h²θ²K of system `{system}` is singular; try another step size"
    )]
    Singular {
        /// Name of the system.
        system: String,
    },
    /// I − hθ A of a first-order system is singular.
    #[error("the matrix I − hθ A of first-order system `{system}` is singular; try another step size")]
    SingularStates {
        /// Name of the system.
        system: String,
    },
    /// What couplings and relations do within a step has no unique solution.
    #[error(
        "the couplings and relations of the model determine no motion in this step: M̂ less their slopes is singular; try another step size"
    )]
    SingularCoupling,
    /// The mass matrix of a system is singular.
    #[error("the mass matrix of system `{system}` is singular where the motion has led")]
    SingularMass {
        /// Name of the system.
        system: String,
    },
    /// The stages of an implicit Runge–Kutta method were not found.
    #[error(
        "the stages of `{method}` were not found: change {change:.3e} after {iterations} iterations, tolerance {tolerance:.1e}; try a smaller step or an explicit method"
    )]
    Stages {
        /// The method.
        method: &'static str,
        /// Iterations made.
        iterations: usize,
        /// Relative change of the accelerations in the last one [–].
        change: f64,
        /// Relative change wanted [–].
        tolerance: f64,
    },
    /// Closed constraints could not be brought back to gap zero.
    #[error(
        "{constraint} could not be closed: its gap stays at {gap:.3e} m after {iterations} projections; constraints may contradict each other"
    )]
    NotClosed {
        /// What the constraint is called.
        constraint: String,
        /// The gap that remains [m].
        gap: f64,
        /// Projections made.
        iterations: usize,
    },
    /// More events in a step than allowed.
    #[error(
        "more than {limit} events in one step, the last at t = {t} s, {constraint}; raise `max_events` or take smaller steps"
    )]
    TooManyEvents {
        /// The limit.
        limit: usize,
        /// Time of the last event [s].
        t: f64,
        /// The constraint of the last event.
        constraint: String,
    },
    /// Impacts follow each other ever faster.
    #[error(
        "the impacts of {constraint} accumulate at about t = {t} s, which `event-driven` cannot pass; use `high-order` or `moreau-jean`"
    )]
    Accumulation {
        /// Name of the constraint.
        constraint: String,
        /// Estimated time of the accumulation [s].
        t: f64,
    },
    /// Sliding that no finite force allows: Painlevé's paradox.
    #[error(
        "{constraint} jams at t = {t} s: no finite force lets it slide on; use `moreau-jean`, which steps over such instants"
    )]
    Jammed {
        /// Name of the constraint.
        constraint: String,
        /// When [s].
        t: f64,
    },
    /// An impact that is followed along its path meets a law without path.
    #[error(
        "{first} acts along the path of an impact, and feels {second}, whose law acts at once, at t = {t} s; give both a law that acts along the path, or both one that acts at once; `nonsmooth list` says which do"
    )]
    MixedImpact {
        /// The constraint that is hit.
        first: String,
        /// The constraint whose law has no path.
        second: String,
        /// When [s].
        t: f64,
    },
    /// The path of an impact was not followed to its end.
    #[error("at {constraint}, t = {t} s: {reason}")]
    ImpactPath {
        /// A constraint that was hit.
        constraint: String,
        /// When [s].
        t: f64,
        /// What went wrong.
        reason: PathError,
    },
    /// The error control asks for steps that are too small.
    #[error(
        "the error control asks for inner steps below {smallest:.3e} s at t = {t} s; relax `tolerance` or look for a singularity"
    )]
    InnerStep {
        /// The smallest inner step allowed [s].
        smallest: f64,
        /// Where [s].
        t: f64,
    },
    /// A number is not finite.
    #[error("{what} of system `{system}`, coordinate `{coordinate}`, is {value}")]
    NotFinite {
        /// `force`, `velocity`, `position` or `energy`.
        what: &'static str,
        /// Name of the system.
        system: String,
        /// Name of the coordinate; `(all)` for what belongs to the system as a whole.
        coordinate: String,
        /// The value found.
        value: f64,
    },
    /// A constraint is not finite.
    #[error("{what} of {constraint} is {value}")]
    ConstraintNotFinite {
        /// `gap`, `velocity` or `jacobian`.
        what: &'static str,
        /// What the constraint is called.
        constraint: String,
        /// The value found.
        value: f64,
    },
    /// The gyroscopic term of a body was not resolved.
    #[error(
        "the rotation of body `{body}` was not resolved: change {change:.3e} rad/s after {iterations} iterations; it turns by {turn:.3} rad in a step: take steps of at most {step_size:.1e} s"
    )]
    Rotation {
        /// Name of the body.
        body: String,
        /// Iterations made.
        iterations: usize,
        /// Change of the angular velocity in the last one [rad/s].
        change: f64,
        /// How far it turns in the step, before the gyroscopic term [rad].
        turn: f64,
        /// A step in which it turns by 1 rad, half of this step where it turns less [s].
        step_size: f64,
    },
    /// A body appears inside of another.
    #[error(
        "body `{second}` would appear inside of `{first}`, {depth:.3e} m deep, at t = {t} s; let it appear later or elsewhere, or clear its place, or allow it (in a scene: run.allow_initial_violation = true)"
    )]
    AppearsInside {
        /// The one that is there.
        first: String,
        /// The newcomer.
        second: String,
        /// How deep [m].
        depth: f64,
        /// When [s].
        t: f64,
    },
    /// A function supplied by the user failed.
    #[error("{place}: {source}")]
    User {
        /// The system or constraint it belongs to.
        place: String,
        /// What it said.
        source: UserError,
    },
}

/// What a phase returns. The error is boxed, so that the good case fits into a register.
pub type StepResult<T = ()> = Result<T, Box<StepError>>;
