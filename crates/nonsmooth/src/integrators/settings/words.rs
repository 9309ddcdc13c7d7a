//! Options of schemes that are words, each as one type.

use nonsmooth_solvers::words;

words! {
    /// Where the law of `moreau-jean` holds.
    pub enum Level {
        /// For the velocity at the end of the step.
        Velocity,
        /// For the gap at the end of the step.
        Position,
    }

    /// Where M(q) is evaluated.
    pub enum MassAt {
        /// At q_{k+θ}.
        Theta,
        /// At the end of the step.
        End,
    }

    /// Where J(q) of gaps is evaluated.
    pub enum JacobianAt {
        /// At the start of the step.
        Start,
        /// At q_{k+θ}.
        Theta,
        /// At the end of the step.
        End,
    }

    /// How `moreau-projected` projects.
    pub enum ProjectionKind {
        /// Contacts that took part and overlap are moved out.
        Direct,
        /// Contacts that would overlap take part too, and all that did end on the surface.
        Combined,
    }

    /// Which gaps a direct projection moves out.
    pub enum Projected {
        /// Those that took part in the step.
        Active,
        /// All that overlap.
        All,
    }

    /// Which velocity forces of `moreau-paoli` read.
    pub enum ForceAt {
        /// That of the end of the step.
        Implicit,
        /// That of its start.
        Explicit,
    }

    /// The first position of `schatzman-paoli`.
    pub enum Start {
        /// q₀ + h v₀ + h²/2 a.
        SecondOrder,
        /// q₀ + h v₀.
        FirstOrder,
        /// From q₀ − h v₀ before.
        Backward,
    }

    /// The gap at the end of a step of `stewart-trinkle`.
    pub enum EndGap {
        /// As seen from the start.
        Linearised,
        /// The true one.
        Nonlinear,
    }

    /// When forces of `stewart-trinkle` are evaluated.
    pub enum ForcesAt {
        /// At the start of the step.
        Start,
        /// At its end.
        End,
    }

    /// A Runge–Kutta method; the number in a name is its order.
    pub enum RungeKutta {
        /// The midpoint rule.
        Midpoint,
        /// The classical method.
        Rk4,
        /// Of Fehlberg.
        Rkf45,
        /// Of Dormand and Prince, order 5.
        DormandPrince,
        /// Gauss.
        Gauss2,
        /// Gauss.
        Gauss4,
        /// Gauss.
        Gauss6,
        /// Radau IIA.
        Radau3,
        /// Radau IIA.
        Radau5,
        /// Lobatto.
        Lobatto2,
        /// Lobatto.
        Lobatto4,
    }

    /// How the time of an event is searched.
    pub enum Locate {
        /// By halving.
        Bisection,
        /// By Newton's method.
        Newton,
        /// First on the dense output.
        Dense,
    }

    /// Whether the Runge–Kutta method may change within its family.
    pub enum MethodOrder {
        /// It stays.
        Fixed,
        /// By work per unit step.
        Adaptive,
    }

    /// Which root of the energy balance corrects the velocity.
    pub enum Root {
        /// The small one.
        Small,
        /// The large one, which makes it jump.
        Large,
    }

    /// What is projected on the directions free of contact.
    pub enum Direction {
        /// The mean velocity of the step.
        Velocity,
        /// All coordinates alike.
        Uniform,
    }

    /// What contacts do that were closed at the start of the step.
    pub enum Persistent {
        /// They rebound where the flight after it lasts longer than the step.
        Resting,
        /// They rebound with their restitution.
        Impact,
        /// They do not rebound.
        Inelastic,
    }
}
