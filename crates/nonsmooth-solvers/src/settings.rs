//! Settings of solvers as plain structs: `Nsgs { max_sweeps: 500, ..Default::default() }.solver()?`.
//!
//! A struct has one public field for each option of the entry of the same name, with the same default. `solver` goes through the list,
//! so that what is out of range is refused there, in the same words.

use crate::options::{OptionError, Options};
use crate::solvers::{Solver, find};
use crate::typed::Settings;
use crate::{settings, words};

/// Settings of a solver of the list.
pub trait SolverChoice: Settings {
    /// The solver, or what is wrong with the settings.
    fn solver(&self) -> Result<Box<dyn Solver>, Vec<OptionError>> {
        find(Self::NAME).expect("every choice is listed").build(&self.options())
    }

    /// The settings that named options mean, as a scene gives them, or everything that is wrong with these.
    fn from_options(options: &Options) -> Result<Self, Vec<OptionError>> {
        Self::read(options, find(Self::NAME).expect("every choice is listed").options)
    }
}

words! {
    /// The order of a sweep.
    pub enum Order {
        /// As the problem lists the constraints.
        Natural,
        /// By colours, which threads share.
        Coloured,
    }

    /// How sweeps over bodies that touch are extrapolated.
    pub enum SweepAcceleration {
        /// Not at all.
        None,
        /// As conjugate gradients.
        Conjugate,
    }

    /// The LCP that stands for friction.
    pub enum Formulation {
        /// Facets with a sliding speed.
        Alternative,
        /// Positive and negative parts, in the plane only.
        Parts,
    }

    /// The nonsmooth equations that Newton's method solves.
    pub enum Equations {
        /// Of Alart and Curnier.
        AlartCurnier,
        /// The natural map.
        NaturalMap,
        /// Of Fischer and Burmeister.
        FischerBurmeister,
    }

    /// Whether the penalty of `admm` changes.
    pub enum PenaltyPolicy {
        /// It follows the residuals.
        Balanced,
        /// It stays.
        Fixed,
    }

    /// How the fixed point of `admm` is extrapolated.
    pub enum AdmmAcceleration {
        /// By Anderson's method.
        Anderson,
        /// Not at all.
        None,
    }

    /// The step of `apgd`.
    pub enum GradientStep {
        /// Accelerated; extragradients where W is far from symmetric and progress ends.
        Auto,
        /// Accelerated.
        Accelerated,
        /// Extragradients.
        Extragradient,
    }
}

settings! {
    /// `auto`: a chain of methods by structure, size and tolerance.
    pub struct Auto = "auto" {
        /// Most exchanges of the active set before the next method.
        pub max_exchanges: usize = 1000,
        /// Most work on friction, in sweeps over the problem.
        pub budget: usize = 10_000_000,
    }

    /// `active-set`: warm-started block pivoting on a sparse factor.
    pub struct ActiveSet = "active-set" {
        /// Most exchanges of the active set before giving up.
        pub max_exchanges: usize = 1000,
    }

    /// `lemke`: lexicographic Lemke.
    pub struct Lemke = "lemke" {
        /// Most pivots before giving up.
        pub max_pivots: usize = 100_000,
    }

    /// `lemke-faceted`: friction as an LCP by Lemke.
    pub struct LemkeFaceted = "lemke-faceted" {
        /// Facets that stand for a disc in space, 3 to 1000.
        pub sides: usize = 8,
        /// The LCP.
        pub formulation: Formulation = Formulation::Alternative,
        /// Most pivots before giving up.
        pub max_pivots: usize = 100_000,
    }

    /// `nsgs`: nonsmooth Gauss–Seidel with exact local solves.
    pub struct Nsgs = "nsgs" {
        /// Most sweeps over all constraints before giving up.
        pub max_sweeps: usize = 10_000,
        /// The order of a sweep.
        pub order: Order = Order::Natural,
        /// How sweeps are extrapolated.
        pub acceleration: SweepAcceleration = SweepAcceleration::None,
    }

    /// `pgs`: projected Gauss–Seidel.
    pub struct Pgs = "pgs" {
        /// Most sweeps over all constraints before giving up.
        pub max_sweeps: usize = 10_000,
        /// The order of a sweep.
        pub order: Order = Order::Natural,
    }

    /// `psor`: projected Gauss–Seidel with over-relaxation.
    pub struct Psor = "psor" {
        /// ω on the step of each constraint [–].
        pub relaxation: f64 = 1.2,
        /// Most sweeps over all constraints before giving up.
        pub max_sweeps: usize = 10_000,
        /// The order of a sweep.
        pub order: Order = Order::Natural,
    }

    /// `newton`: semismooth Newton with proximal points.
    pub struct Newton = "newton" {
        /// What is solved.
        pub equations: Equations = Equations::AlartCurnier,
        /// Most linear systems before giving up.
        pub max_iterations: usize = 500,
    }

    /// `interior-point`: a central path on a sparse factor.
    pub struct InteriorPoint = "interior-point" {
        /// Most Newton steps, over all starts, before giving up.
        pub max_iterations: usize = 400,
    }

    /// `admm`: alternating directions.
    pub struct Admm = "admm" {
        /// Most iterations before giving up.
        pub max_iterations: usize = 10_000,
        /// Over-relaxation α [–].
        pub relaxation: f64 = 1.6,
        /// ρ at the start, relative to λ_max(W_cc) [–].
        pub penalty: f64 = 1.0,
        /// Whether ρ changes.
        pub penalty_policy: PenaltyPolicy = PenaltyPolicy::Balanced,
        /// How the fixed point is extrapolated.
        pub acceleration: AdmmAcceleration = AdmmAcceleration::Anderson,
    }

    /// `apgd`: accelerated projected gradients.
    pub struct Apgd = "apgd" {
        /// Most iterations before giving up.
        pub max_iterations: usize = 10_000,
        /// Which step is made.
        pub step: GradientStep = GradientStep::Auto,
    }

    /// `enumerate`: every choice of states, for small problems and as a judge.
    pub struct Enumerate = "enumerate" {}
}

impl SolverChoice for Auto {}
impl SolverChoice for ActiveSet {}
impl SolverChoice for Lemke {}
impl SolverChoice for LemkeFaceted {}
impl SolverChoice for Nsgs {}
impl SolverChoice for Pgs {}
impl SolverChoice for Psor {}
impl SolverChoice for Newton {}
impl SolverChoice for InteriorPoint {}
impl SolverChoice for Admm {}
impl SolverChoice for Apgd {}
impl SolverChoice for Enumerate {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::SOLVERS;

    /// Whether the fields of `S` are the options of its entry, with their defaults; its name.
    fn checked<S: SolverChoice>() -> &'static str {
        let entry = find(S::NAME).unwrap();
        S::check_against(entry.options);
        S::default().solver().unwrap();
        S::NAME
    }

    #[test]
    fn the_fields_of_every_solver_are_its_options_with_their_defaults() {
        let names = [
            checked::<Auto>(),
            checked::<ActiveSet>(),
            checked::<Lemke>(),
            checked::<LemkeFaceted>(),
            checked::<Nsgs>(),
            checked::<Pgs>(),
            checked::<Psor>(),
            checked::<Newton>(),
            checked::<InteriorPoint>(),
            checked::<Admm>(),
            checked::<Apgd>(),
            checked::<Enumerate>(),
        ];
        assert_eq!(names.to_vec(), SOLVERS.iter().map(|entry| entry.name).collect::<Vec<_>>());
    }

    #[test]
    fn options_and_settings_are_two_ways_of_saying_the_same() {
        let admm = Admm { penalty: 2.5, penalty_policy: PenaltyPolicy::Fixed, ..Default::default() };
        assert_eq!(Admm::from_options(&admm.options()).unwrap(), admm);
        let given = Options::default().with("sides", 16.0).with_word("formulation", "parts");
        let read = LemkeFaceted::from_options(&given).unwrap();
        assert_eq!((read.sides, read.formulation, read.max_pivots), (16, Formulation::Parts, 100_000));
        assert_eq!(read.options(), given);
        let errors = Nsgs::from_options(&given).unwrap_err();
        assert!(errors[0].to_string().starts_with("`nsgs` has no option `sides`"), "{errors:?}");
    }

    #[test]
    fn what_is_out_of_range_is_refused_in_the_words_of_the_list() {
        let Err(errors) = Psor { relaxation: 3.0, ..Default::default() }.solver() else {
            panic!("it was made");
        };
        assert_eq!(errors[0].to_string(), "`relaxation` must be a number in [0.01, 1.99], got 3");
        let nsgs = Nsgs { max_sweeps: 7, ..Default::default() };
        assert_eq!(nsgs.options(), Options::default().with("max_sweeps", 7.0));
    }
}
