//! Settings of solvers as plain structs: `Nsgs { max_sweeps: 500, ..Default::default() }.solver()?`.
//!
//! A struct has one public field for each option of the entry of the same name, with the same default. `solver` goes through the list,
//! so that what is out of range is refused there, in the same words.

use crate::options::{OptionError, Settings, Value, word};
use crate::solvers::{Solver, find};

/// Settings of a solver of the list.
pub trait SolverChoice: Settings {
    /// The solver, or what is wrong with the settings.
    fn solver(&self) -> Result<Box<dyn Solver>, Vec<OptionError>> {
        find(Self::NAME).expect("every choice is listed").build(&self.options())
    }
}

/// The order of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the problem lists the constraints.
    #[default]
    Natural,
    /// By colours, which threads share.
    Coloured,
}

/// How sweeps over bodies that touch are extrapolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepAcceleration {
    /// Not at all.
    #[default]
    None,
    /// As conjugate gradients.
    Conjugate,
}

/// The LCP that stands for friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Facets with a sliding speed.
    #[default]
    Alternative,
    /// Positive and negative parts, in the plane only.
    Parts,
}

/// The nonsmooth equations that Newton's method solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Equations {
    /// Of Alart and Curnier.
    #[default]
    AlartCurnier,
    /// The natural map.
    NaturalMap,
    /// Of Fischer and Burmeister.
    FischerBurmeister,
}

/// Whether the penalty of `admm` changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PenaltyPolicy {
    /// It follows the residuals.
    #[default]
    Balanced,
    /// It stays.
    Fixed,
}

/// How the fixed point of `admm` is extrapolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdmmAcceleration {
    /// By Anderson's method.
    #[default]
    Anderson,
    /// Not at all.
    None,
}

/// The step of `apgd`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GradientStep {
    /// Accelerated; extragradients where W is far from symmetric and progress ends.
    #[default]
    Auto,
    /// Accelerated.
    Accelerated,
    /// Extragradients.
    Extragradient,
}

/// `auto`: a chain of methods by structure, size and tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Auto {
    /// Most exchanges of the active set before the next method.
    pub max_exchanges: usize,
    /// Most work on an island with friction, in sweeps over it.
    pub max_cost: usize,
}

/// `active-set`: warm-started block pivoting on a sparse factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveSet {
    /// Most exchanges of the active set before giving up.
    pub max_exchanges: usize,
}

/// `lemke`: lexicographic Lemke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lemke {
    /// Most pivots before giving up.
    pub max_pivots: usize,
}

/// `lemke-faceted`: friction as an LCP by Lemke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeFaceted {
    /// Facets that stand for a disc in space, 3 to 1000.
    pub sides: usize,
    /// The LCP.
    pub formulation: Formulation,
    /// Most pivots before giving up.
    pub max_pivots: usize,
}

/// `nsgs`: nonsmooth Gauss–Seidel with exact local solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nsgs {
    /// Most sweeps over all constraints before giving up.
    pub max_sweeps: usize,
    /// The order of a sweep.
    pub order: Order,
    /// How sweeps are extrapolated.
    pub acceleration: SweepAcceleration,
}

/// `pgs`: projected Gauss–Seidel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pgs {
    /// Most sweeps over all constraints before giving up.
    pub max_sweeps: usize,
    /// The order of a sweep.
    pub order: Order,
}

/// `psor`: projected Gauss–Seidel with over-relaxation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Psor {
    /// ω on the step of each constraint [–].
    pub relaxation: f64,
    /// Most sweeps over all constraints before giving up.
    pub max_sweeps: usize,
    /// The order of a sweep.
    pub order: Order,
}

/// `newton`: semismooth Newton with proximal points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// What is solved.
    pub equations: Equations,
    /// Most linear systems before giving up.
    pub max_iterations: usize,
}

/// `interior-point`: a central path on a sparse factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorPoint {
    /// Most Newton steps, over all starts, before giving up.
    pub max_iterations: usize,
}

/// `admm`: alternating directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admm {
    /// Most iterations before giving up.
    pub max_iterations: usize,
    /// Over-relaxation α [–].
    pub relaxation: f64,
    /// ρ at the start, relative to λ_max(W_cc) [–].
    pub penalty: f64,
    /// Whether ρ changes.
    pub penalty_policy: PenaltyPolicy,
    /// How the fixed point is extrapolated.
    pub acceleration: AdmmAcceleration,
}

/// `apgd`: accelerated projected gradients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apgd {
    /// Most iterations before giving up.
    pub max_iterations: usize,
    /// Which step is made.
    pub step: GradientStep,
}

/// `enumerate`: every choice of states, for small problems and as a judge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Enumerate;

impl Default for Auto {
    fn default() -> Self {
        Self { max_exchanges: 1000, max_cost: 1_000_000 }
    }
}

impl Settings for Auto {
    const NAME: &'static str = "auto";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("max_exchanges", self.max_exchanges.into()), ("max_cost", self.max_cost.into())]
    }
}

impl SolverChoice for Auto {}

impl Default for ActiveSet {
    fn default() -> Self {
        Self { max_exchanges: 1000 }
    }
}

impl Settings for ActiveSet {
    const NAME: &'static str = "active-set";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("max_exchanges", self.max_exchanges.into())]
    }
}

impl SolverChoice for ActiveSet {}

impl Default for Lemke {
    fn default() -> Self {
        Self { max_pivots: 100_000 }
    }
}

impl Settings for Lemke {
    const NAME: &'static str = "lemke";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("max_pivots", self.max_pivots.into())]
    }
}

impl SolverChoice for Lemke {}

impl Default for LemkeFaceted {
    fn default() -> Self {
        Self { sides: 8, formulation: Formulation::Alternative, max_pivots: 100_000 }
    }
}

impl Settings for LemkeFaceted {
    const NAME: &'static str = "lemke-faceted";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("sides", self.sides.into()),
            ("formulation", word(self.formulation)),
            ("max_pivots", self.max_pivots.into()),
        ]
    }
}

impl SolverChoice for LemkeFaceted {}

impl Default for Nsgs {
    fn default() -> Self {
        Self { max_sweeps: 10_000, order: Order::Natural, acceleration: SweepAcceleration::None }
    }
}

impl Settings for Nsgs {
    const NAME: &'static str = "nsgs";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("max_sweeps", self.max_sweeps.into()),
            ("order", word(self.order)),
            ("acceleration", word(self.acceleration)),
        ]
    }
}

impl SolverChoice for Nsgs {}

impl Default for Pgs {
    fn default() -> Self {
        Self { max_sweeps: 10_000, order: Order::Natural }
    }
}

impl Settings for Pgs {
    const NAME: &'static str = "pgs";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("max_sweeps", self.max_sweeps.into()), ("order", word(self.order))]
    }
}

impl SolverChoice for Pgs {}

impl Default for Psor {
    fn default() -> Self {
        Self { relaxation: 1.2, max_sweeps: 10_000, order: Order::Natural }
    }
}

impl Settings for Psor {
    const NAME: &'static str = "psor";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("relaxation", self.relaxation.into()),
            ("max_sweeps", self.max_sweeps.into()),
            ("order", word(self.order)),
        ]
    }
}

impl SolverChoice for Psor {}

impl Default for Newton {
    fn default() -> Self {
        Self { equations: Equations::AlartCurnier, max_iterations: 500 }
    }
}

impl Settings for Newton {
    const NAME: &'static str = "newton";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("equations", word(self.equations)), ("max_iterations", self.max_iterations.into())]
    }
}

impl SolverChoice for Newton {}

impl Default for InteriorPoint {
    fn default() -> Self {
        Self { max_iterations: 400 }
    }
}

impl Settings for InteriorPoint {
    const NAME: &'static str = "interior-point";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("max_iterations", self.max_iterations.into())]
    }
}

impl SolverChoice for InteriorPoint {}

impl Default for Admm {
    fn default() -> Self {
        Self {
            max_iterations: 10_000,
            relaxation: 1.6,
            penalty: 1.0,
            penalty_policy: PenaltyPolicy::Balanced,
            acceleration: AdmmAcceleration::Anderson,
        }
    }
}

impl Settings for Admm {
    const NAME: &'static str = "admm";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("max_iterations", self.max_iterations.into()),
            ("relaxation", self.relaxation.into()),
            ("penalty", self.penalty.into()),
            ("penalty_policy", word(self.penalty_policy)),
            ("acceleration", word(self.acceleration)),
        ]
    }
}

impl SolverChoice for Admm {}

impl Default for Apgd {
    fn default() -> Self {
        Self { max_iterations: 10_000, step: GradientStep::Auto }
    }
}

impl Settings for Apgd {
    const NAME: &'static str = "apgd";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![("max_iterations", self.max_iterations.into()), ("step", word(self.step))]
    }
}

impl SolverChoice for Apgd {}

impl Settings for Enumerate {
    const NAME: &'static str = "enumerate";

    fn values(&self) -> Vec<(&'static str, Value)> {
        vec![]
    }
}

impl SolverChoice for Enumerate {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Kind, Options};
    use crate::solvers::SOLVERS;

    /// Whether the fields of `S` are the options of its entry, with their defaults; its name.
    fn checked<S: SolverChoice>() -> &'static str {
        let entry = find(S::NAME).unwrap();
        S::default().check_against(entry.options);
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
    fn every_word_of_an_option_has_its_variant() {
        let words = |solver: &str, option: &str| {
            let entry = find(solver).unwrap();
            match entry.options.iter().find(|declared| declared.name == option).unwrap().kind {
                Kind::Word(words) => words.iter().map(|w| Value::Word((*w).to_owned())).collect(),
                _ => Vec::new(),
            }
        };
        assert_eq!(words("nsgs", "order"), [Order::Natural, Order::Coloured].map(word));
        let sweeps = [SweepAcceleration::None, SweepAcceleration::Conjugate];
        assert_eq!(words("nsgs", "acceleration"), sweeps.map(word));
        let lcps = [Formulation::Alternative, Formulation::Parts];
        assert_eq!(words("lemke-faceted", "formulation"), lcps.map(word));
        let equations = [Equations::AlartCurnier, Equations::NaturalMap, Equations::FischerBurmeister];
        assert_eq!(words("newton", "equations"), equations.map(word));
        let policies = [PenaltyPolicy::Balanced, PenaltyPolicy::Fixed];
        assert_eq!(words("admm", "penalty_policy"), policies.map(word));
        let ways = [AdmmAcceleration::Anderson, AdmmAcceleration::None];
        assert_eq!(words("admm", "acceleration"), ways.map(word));
        let steps = [GradientStep::Auto, GradientStep::Accelerated, GradientStep::Extragradient];
        assert_eq!(words("apgd", "step"), steps.map(word));
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
