//! Settings of schemes as plain structs: `MoreauJean { theta: 1.0, ..Default::default() }`.
//!
//! A struct has one public field for each option of the entry of the same name, with the same default. The integrator is made through
//! the list, so that what is out of range or has no meaning is refused there, in the same words.

#[cfg(test)]
mod tests;
mod tracking;
mod words;

pub use tracking::{D1Minus, EventDriven, HighOrder, Splitting};
pub use words::{
    Direction, EndGap, EvaluatedAt, ForceAt, ForcesAt, Level, Locate, MethodOrder, Persistent,
    Projected, ProjectionKind, Root, RungeKutta, Start,
};

use super::{Integrator, Refusal, find};
use crate::phases::SolverSettings;
use nonsmooth_solvers::{Settings, Value, word};

/// Settings of a scheme of the list.
pub trait Scheme: Settings {
    /// The integrator with this solver, or what is wrong with the settings.
    fn with_solver(&self, solver: SolverSettings) -> Result<Box<dyn Integrator>, Refusal> {
        let entry = find(Self::NAME).expect("every scheme is listed");
        let made = entry.build(&self.options(), solver);
        made.map_err(|errors| Refusal::Options { integrator: Self::NAME, errors })
    }
}

/// What a run can be made with: settings of a scheme, with the default solver, or an integrator.
pub trait IntoIntegrator {
    /// The integrator, or what is wrong with the settings.
    fn into_integrator(self) -> Result<Box<dyn Integrator>, Refusal>;
}

impl<S: Scheme> IntoIntegrator for S {
    fn into_integrator(self) -> Result<Box<dyn Integrator>, Refusal> {
        self.with_solver(SolverSettings::default())
    }
}

impl IntoIntegrator for Box<dyn Integrator> {
    fn into_integrator(self) -> Result<Box<dyn Integrator>, Refusal> {
        Ok(self)
    }
}

/// `kick-drift`: kicks at one configuration, free drifts, impacts at their instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KickDrift {
    /// Most impacts at which a step is cut; further ones rebound at the start of what is left.
    pub most_cuts: usize,
    /// Most passes in which joints are brought to their place at the end of the drift.
    pub most_passes: usize,
}

impl Default for KickDrift {
    fn default() -> Self {
        Self { most_cuts: 100, most_passes: 30 }
    }
}

impl Settings for KickDrift {
    const NAME: &'static str = "kick-drift";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("most_cuts", self.most_cuts.into()), ("most_passes", self.most_passes.into())]
    }
}

impl Scheme for KickDrift {}

/// `moreau-jean`: the θ-scheme at velocity level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreauJean {
    /// Implicitness θ: ½ conserves, 1 damps [–].
    pub theta: f64,
    /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
    pub gamma: f64,
    /// Where the law holds.
    pub level: Level,
    /// Where M(q) is evaluated.
    pub mass_at: EvaluatedAt,
    /// Where J(q) of gaps is evaluated.
    pub jacobian_at: EvaluatedAt,
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for MoreauJean {
    fn default() -> Self {
        Self {
            theta: 0.5,
            gamma: 0.5,
            level: Level::Velocity,
            mass_at: EvaluatedAt::Theta,
            jacobian_at: EvaluatedAt::End,
            newton_tolerance: 1e-12,
            newton_iterations: 50,
        }
    }
}

impl Settings for MoreauJean {
    const NAME: &'static str = "moreau-jean";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("theta", self.theta.into()),
            ("gamma", self.gamma.into()),
            ("level", word(self.level)),
            ("mass_at", word(self.mass_at)),
            ("jacobian_at", word(self.jacobian_at)),
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for MoreauJean {}

/// `moreau-projected`: moreau-jean, then positions are projected onto the constraints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreauProjected {
    /// How.
    pub projection: ProjectionKind,
    /// Which gaps a direct projection moves out.
    pub project: Projected,
    /// Largest gap that counts as closed after the projection [m].
    pub projection_tolerance: f64,
    /// Most passes of the projection.
    pub projection_iterations: usize,
    /// Implicitness θ: ½ conserves, 1 damps [–].
    pub theta: f64,
    /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
    pub gamma: f64,
    /// Where M(q) is evaluated.
    pub mass_at: EvaluatedAt,
    /// Where J(q) of gaps is evaluated.
    pub jacobian_at: EvaluatedAt,
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for MoreauProjected {
    fn default() -> Self {
        Self {
            projection: ProjectionKind::Direct,
            project: Projected::Active,
            projection_tolerance: 1e-10,
            projection_iterations: 100,
            theta: 0.5,
            gamma: 0.5,
            mass_at: EvaluatedAt::Theta,
            jacobian_at: EvaluatedAt::End,
            newton_tolerance: 1e-12,
            newton_iterations: 50,
        }
    }
}

impl Settings for MoreauProjected {
    const NAME: &'static str = "moreau-projected";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("projection", word(self.projection)),
            ("project", word(self.project)),
            ("projection_tolerance", self.projection_tolerance.into()),
            ("projection_iterations", self.projection_iterations.into()),
            ("theta", self.theta.into()),
            ("gamma", self.gamma.into()),
            ("mass_at", word(self.mass_at)),
            ("jacobian_at", word(self.jacobian_at)),
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for MoreauProjected {}

/// `moreau-paoli`: projection of the velocity in the kinetic metric at q + h v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreauPaoli {
    /// Which velocity forces read.
    pub force: ForceAt,
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for MoreauPaoli {
    fn default() -> Self {
        Self { force: ForceAt::Implicit, newton_tolerance: 1e-12, newton_iterations: 50 }
    }
}

impl Settings for MoreauPaoli {
    const NAME: &'static str = "moreau-paoli";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("force", word(self.force)),
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for MoreauPaoli {}

/// `schatzman-paoli`: two-step scheme at position level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchatzmanPaoli {
    /// The first position.
    pub start: Start,
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for SchatzmanPaoli {
    fn default() -> Self {
        Self { start: Start::SecondOrder, newton_tolerance: 1e-12, newton_iterations: 50 }
    }
}

impl Settings for SchatzmanPaoli {
    const NAME: &'static str = "schatzman-paoli";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("start", word(self.start)),
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for SchatzmanPaoli {}

/// `stewart-trinkle`: gap at the end of the step not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StewartTrinkle {
    /// Which gap.
    pub gap: EndGap,
    /// When forces are evaluated.
    pub forces: ForcesAt,
    /// Distance up to which contacts take part [m].
    pub activation_distance: f64,
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for StewartTrinkle {
    fn default() -> Self {
        Self {
            gap: EndGap::Linearised,
            forces: ForcesAt::Start,
            activation_distance: f64::INFINITY,
            newton_tolerance: 1e-12,
            newton_iterations: 50,
        }
    }
}

impl Settings for StewartTrinkle {
    const NAME: &'static str = "stewart-trinkle";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("gap", word(self.gap)),
            ("forces", word(self.forces)),
            ("activation_distance", self.activation_distance.into()),
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for StewartTrinkle {}

/// `moreau-adaptive`: moreau-jean with inner steps chosen by step doubling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreauAdaptive {
    /// Largest error of a coordinate or velocity, and growth of a penetration, per inner step [SI].
    pub tolerance: f64,
    /// Inner step that is kept whatever its error [s].
    pub h_min: f64,
    /// Largest inner step [s].
    pub h_max: f64,
    /// Implicitness θ: ½ conserves, 1 damps [–].
    pub theta: f64,
    /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
    pub gamma: f64,
    /// Where the law holds.
    pub level: Level,
    /// Where M(q) is evaluated.
    pub mass_at: EvaluatedAt,
    /// Where J(q) of gaps is evaluated.
    pub jacobian_at: EvaluatedAt,
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for MoreauAdaptive {
    fn default() -> Self {
        Self {
            tolerance: 1e-4,
            h_min: 1e-8,
            h_max: 1e9,
            theta: 0.5,
            gamma: 0.5,
            level: Level::Velocity,
            mass_at: EvaluatedAt::Theta,
            jacobian_at: EvaluatedAt::End,
            newton_tolerance: 1e-12,
            newton_iterations: 50,
        }
    }
}

impl Settings for MoreauAdaptive {
    const NAME: &'static str = "moreau-adaptive";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("tolerance", self.tolerance.into()),
            ("h_min", self.h_min.into()),
            ("h_max", self.h_max.into()),
            ("theta", self.theta.into()),
            ("gamma", self.gamma.into()),
            ("level", word(self.level)),
            ("mass_at", word(self.mass_at)),
            ("jacobian_at", word(self.jacobian_at)),
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for MoreauAdaptive {}

/// `moreau-energy`: moreau-jean that keeps the energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreauEnergy {
    /// Implicitness θ: ½ conserves, 1 damps [–].
    pub theta: f64,
    /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
    pub gamma: f64,
    /// Which root corrects the velocity.
    pub root: Root,
    /// What is projected on the directions free of contact.
    pub direction: Direction,
}

impl Default for MoreauEnergy {
    fn default() -> Self {
        Self { theta: 0.5, gamma: 0.0, root: Root::Small, direction: Direction::Velocity }
    }
}

impl Settings for MoreauEnergy {
    const NAME: &'static str = "moreau-energy";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("theta", self.theta.into()),
            ("gamma", self.gamma.into()),
            ("root", word(self.root)),
            ("direction", word(self.direction)),
        ]
    }
}

impl Scheme for MoreauEnergy {}

/// `generalized-alpha`: the nonsmooth generalized-α scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralizedAlpha {
    /// Spectral radius for infinitely fast oscillations [–].
    pub rho_infinity: f64,
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for GeneralizedAlpha {
    fn default() -> Self {
        Self { rho_infinity: 0.8, newton_tolerance: 1e-12, newton_iterations: 50 }
    }
}

impl Settings for GeneralizedAlpha {
    const NAME: &'static str = "generalized-alpha";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("rho_infinity", self.rho_infinity.into()),
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for GeneralizedAlpha {}

/// `euler-explicit`: free motion, for teaching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EulerExplicit;

impl Settings for EulerExplicit {
    const NAME: &'static str = "euler-explicit";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![]
    }
}

impl Scheme for EulerExplicit {}

/// `euler-semi-implicit`: free motion, for teaching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EulerSemiImplicit;

impl Settings for EulerSemiImplicit {
    const NAME: &'static str = "euler-semi-implicit";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![]
    }
}

impl Scheme for EulerSemiImplicit {}

/// `euler-implicit`: free motion, for teaching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EulerImplicit {
    /// Relative change of v⁺ at which Newton's iteration stops [–].
    pub newton_tolerance: f64,
    /// Most Newton iterations per step.
    pub newton_iterations: usize,
}

impl Default for EulerImplicit {
    fn default() -> Self {
        Self { newton_tolerance: 1e-12, newton_iterations: 50 }
    }
}

impl Settings for EulerImplicit {
    const NAME: &'static str = "euler-implicit";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("newton_tolerance", self.newton_tolerance.into()),
            ("newton_iterations", self.newton_iterations.into()),
        ]
    }
}

impl Scheme for EulerImplicit {}
