//! Settings of schemes as plain structs: `MoreauJean { theta: 1.0, ..Default::default() }`.
//!
//! A struct has one public field for each option of the entry of the same name, with the same default. The integrator is made through
//! the list, so that what is out of range or has no meaning is refused there, in the same words. `Scheme::from_options` goes the other
//! way: from the options of a scene or a command to the struct.

#[cfg(test)]
mod tests;
mod tracking;
mod words;

pub use tracking::{D1Minus, EventDriven, HighOrder, Splitting};
pub use words::{
    Direction, EndGap, ForceAt, ForcesAt, JacobianAt, Level, Locate, MassAt, MethodOrder, Persistent,
    Projected, ProjectionKind, Root, RungeKutta, Start,
};

use super::{Integrator, Refusal, find};
use crate::phases::SolverSettings;
use nonsmooth_solvers::{Options, Settings, settings};

/// Settings of a scheme of the list.
pub trait Scheme: Settings {
    /// The integrator with this solver, or what is wrong with the settings.
    fn with_solver(&self, solver: SolverSettings) -> Result<Box<dyn Integrator>, Refusal> {
        let entry = find(Self::NAME).expect("every scheme is listed");
        let made = entry.build(&self.options(), solver);
        made.map_err(|errors| Refusal::Options { integrator: Self::NAME, errors })
    }

    /// The settings that named options mean, as a scene gives them, or everything that is wrong with these.
    fn from_options(options: &Options) -> Result<Self, Refusal> {
        let entry = find(Self::NAME).expect("every scheme is listed");
        let read = Self::read(options, entry.options);
        read.map_err(|errors| Refusal::Options { integrator: Self::NAME, errors })
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

settings! {
    /// `kick-drift`: kicks at one configuration, free drifts, impacts at their instant.
    pub struct KickDrift = "kick-drift" {
        /// Most impacts at which a step is cut; further ones rebound at the start of what is left.
        pub most_cuts: usize = 100,
        /// Most passes in which joints are brought to their place at the end of the drift.
        pub most_passes: usize = 30,
    }

    /// `moreau-jean`: the θ-scheme at velocity level.
    pub struct MoreauJean = "moreau-jean" {
        /// Implicitness θ: ½ conserves, 1 damps [–].
        pub theta: f64 = 0.5,
        /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
        pub gamma: f64 = 0.5,
        /// Where the law holds.
        pub level: Level = Level::Velocity,
        /// Where M(q) is evaluated.
        pub mass_at: MassAt = MassAt::Theta,
        /// Where J(q) of gaps is evaluated.
        pub jacobian_at: JacobianAt = JacobianAt::End,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `moreau-projected`: moreau-jean, then positions are projected onto the constraints.
    pub struct MoreauProjected = "moreau-projected" {
        /// How.
        pub projection: ProjectionKind = ProjectionKind::Direct,
        /// Which gaps a direct projection moves out.
        pub project: Projected = Projected::Active,
        /// Largest gap that counts as closed after the projection [m].
        pub projection_tolerance: f64 = 1e-10,
        /// Most passes of the projection.
        pub projection_iterations: usize = 100,
        /// Implicitness θ: ½ conserves, 1 damps [–].
        pub theta: f64 = 0.5,
        /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
        pub gamma: f64 = 0.5,
        /// Where M(q) is evaluated.
        pub mass_at: MassAt = MassAt::Theta,
        /// Where J(q) of gaps is evaluated.
        pub jacobian_at: JacobianAt = JacobianAt::End,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `moreau-paoli`: projection of the velocity in the kinetic metric at q + h v.
    pub struct MoreauPaoli = "moreau-paoli" {
        /// Which velocity forces read.
        pub force: ForceAt = ForceAt::Implicit,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `schatzman-paoli`: two-step scheme at position level.
    pub struct SchatzmanPaoli = "schatzman-paoli" {
        /// The first position.
        pub start: Start = Start::SecondOrder,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `stewart-trinkle`: gap at the end of the step not negative.
    pub struct StewartTrinkle = "stewart-trinkle" {
        /// Which gap.
        pub gap: EndGap = EndGap::Linearised,
        /// When forces are evaluated.
        pub forces: ForcesAt = ForcesAt::Start,
        /// Distance up to which contacts take part [m].
        pub activation_distance: f64 = f64::INFINITY,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `moreau-adaptive`: moreau-jean with inner steps chosen by step doubling.
    pub struct MoreauAdaptive = "moreau-adaptive" {
        /// Largest error of a coordinate or velocity, and growth of a penetration, per inner step [SI].
        pub tolerance: f64 = 1e-4,
        /// Inner step that is kept whatever its error [s].
        pub h_min: f64 = 1e-8,
        /// Largest inner step [s].
        pub h_max: f64 = 1e9,
        /// Implicitness θ: ½ conserves, 1 damps [–].
        pub theta: f64 = 0.5,
        /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
        pub gamma: f64 = 0.5,
        /// Where the law holds.
        pub level: Level = Level::Velocity,
        /// Where M(q) is evaluated.
        pub mass_at: MassAt = MassAt::Theta,
        /// Where J(q) of gaps is evaluated.
        pub jacobian_at: JacobianAt = JacobianAt::End,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `moreau-energy`: moreau-jean that keeps the energy.
    pub struct MoreauEnergy = "moreau-energy" {
        /// Implicitness θ: ½ conserves, 1 damps [–].
        pub theta: f64 = 0.5,
        /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
        pub gamma: f64 = 0.0,
        /// Which root corrects the velocity.
        pub root: Root = Root::Small,
        /// What is projected on the directions free of contact.
        pub direction: Direction = Direction::Velocity,
    }

    /// `generalized-alpha`: the nonsmooth generalized-α scheme.
    pub struct GeneralizedAlpha = "generalized-alpha" {
        /// Spectral radius for infinitely fast oscillations [–].
        pub rho_infinity: f64 = 0.8,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `euler-explicit`: free motion, for teaching.
    pub struct EulerExplicit = "euler-explicit" {}

    /// `euler-semi-implicit`: free motion, for teaching.
    pub struct EulerSemiImplicit = "euler-semi-implicit" {}

    /// `euler-implicit`: free motion, for teaching.
    pub struct EulerImplicit = "euler-implicit" {
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }

    /// `euler-moreau`: first-order systems with relations, and mechanics beside them.
    pub struct EulerMoreau = "euler-moreau" {
        /// Implicitness θ: 1 is of order 1, ½ of order 2 while nothing switches [–].
        pub theta: f64 = 1.0,
        /// Look-ahead γ: a constraint takes part if y + γ h u ≤ 0 [–].
        pub gamma: f64 = 0.5,
        /// Relative change of v⁺ at which Newton's iteration stops [–].
        pub newton_tolerance: f64 = 1e-12,
        /// Most Newton iterations per step.
        pub newton_iterations: usize = 50,
    }
}

impl Scheme for KickDrift {}
impl Scheme for MoreauJean {}
impl Scheme for MoreauProjected {}
impl Scheme for MoreauPaoli {}
impl Scheme for SchatzmanPaoli {}
impl Scheme for StewartTrinkle {}
impl Scheme for MoreauAdaptive {}
impl Scheme for MoreauEnergy {}
impl Scheme for GeneralizedAlpha {}
impl Scheme for EulerExplicit {}
impl Scheme for EulerSemiImplicit {}
impl Scheme for EulerImplicit {}
impl Scheme for EulerMoreau {}
