//! What is wrong with a model: every issue at once, each with its place.

use super::rigid::BodyIssue;
use thiserror::Error;

/// Where in a model something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A field of the system with this index.
    System(usize, &'static str),
    /// A field of the constraint with this index, counted in the order of registration.
    Constraint(usize, &'static str),
    /// A field of the relation or coupling with this index, counted in the order of registration.
    Relation(usize, &'static str),
    /// A field of the controller with this index.
    Controller(usize, &'static str),
    /// The prescribed coordinate with this index.
    Prescribed(usize),
    /// A field of the body with this index.
    Body(usize, &'static str),
    /// A field of the kinematic body with this index.
    Kinematic(usize, &'static str),
    /// A field of the joint with this index.
    Joint(usize, &'static str),
    /// A field of what acts on a free axis: index of the joint, index of the axis.
    JointAxis(usize, usize, &'static str),
    /// A field of the spring with this index.
    Spring(usize, &'static str),
    /// The input or expression with this name.
    Signal(String),
    /// The table of materials.
    Materials,
    /// The region of the run.
    Region,
    /// All bodies together.
    Bodies,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Error)]
pub enum Issue {
    /// A vector or matrix has the wrong size.
    #[error("must have {want}, has {got}")]
    Size {
        /// What was expected.
        want: String,
        /// What was found.
        got: String,
    },
    /// A number is not finite.
    #[error("entry {index} is {value}; every number must be finite")]
    NotFinite {
        /// Which entry.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A matrix that must be symmetric is not.
    #[error("must be symmetric; {remedy}")]
    NotSymmetric {
        /// What to do instead.
        remedy: &'static str,
    },
    /// A mass matrix is singular or not positive.
    #[error("must be positive definite: {reason}")]
    NotPositive {
        /// How it fails.
        reason: String,
    },
    /// The initial state lies beyond a gap, or off a joint.
    #[error(
        "the initial state violates the constraint `{name}`: gap {gap:.6e} m; move it, or allow it (in a scene: run.allow_initial_violation = true)"
    )]
    InitialGap {
        /// Name of the constraint.
        name: String,
        /// The gap found [m].
        gap: f64,
    },
    /// The initial velocity violates a velocity-level constraint.
    #[error(
        "the initial velocity violates the constraint `{name}`: u = {u:.6e} m/s; change it, or allow it (in a scene: run.allow_initial_violation = true)"
    )]
    InitialVelocity {
        /// Name of the constraint.
        name: String,
        /// The value found [m/s].
        u: f64,
    },
    /// A constraint involves no coordinate.
    #[error("depends on no coordinate, so no impulse could act on it")]
    NoCoordinate,
    /// A coordinate does not exist.
    #[error("system {system} has {n} coordinates, so there is no coordinate {coordinate}")]
    NoSuchCoordinate {
        /// Index of the system.
        system: usize,
        /// The coordinate asked for.
        coordinate: usize,
        /// How many it has.
        n: usize,
    },
    /// A parameter of the law is out of range.
    #[error("has a law out of range: {0}")]
    Law(String),
    /// The law and the constraint disagree about tangents.
    #[error("{}", tangents_text(law, *friction, *tangents))]
    Tangents {
        /// Name of the law.
        law: String,
        /// Whether the law has friction.
        friction: bool,
        /// How many tangents the constraint has.
        tangents: usize,
    },
    /// A constraint involves too many systems.
    #[error("involves {count} systems; a constraint involves at most two")]
    TooManySystems {
        /// How many.
        count: usize,
    },
    /// A velocity-level constraint with restitution.
    #[error(
        "is at velocity level, so the rebound of law `{law}` has no meaning; use restitution 0 or a gap"
    )]
    ReboundAtVelocityLevel {
        /// Name of the law.
        law: String,
    },
    /// A coordinate of a body is prescribed.
    #[error(
        "single coordinates of a rigid body cannot be prescribed; make it a kinematic body with a motion"
    )]
    PrescribedBody,
    /// A velocity-level constraint on a body.
    #[error("constraints on velocities do not take rigid bodies; give a gap")]
    VelocityOfBody,
    /// A coordinate is prescribed twice.
    #[error("the velocity of this coordinate is prescribed twice")]
    PrescribedTwice,
    /// Two signals have the same name.
    #[error("there are two inputs or expressions with this name")]
    SignalTwice,
    /// A rigid body is not as it should be.
    #[error("{0}")]
    Body(#[from] BodyIssue),
    /// A function supplied by the user failed, or something else in words.
    #[error("{0}")]
    User(String),
}

/// Everything that is wrong with a model.
#[derive(Clone, Debug, Error)]
#[error("{}", text(issues))]
pub struct ModelError {
    /// Each issue with its place.
    pub issues: Vec<(Place, Issue)>,
}

fn tangents_text(law: &str, friction: bool, tangents: usize) -> String {
    match (friction, tangents) {
        (false, _) => format!(
            "law `{law}` knows no friction, but the constraint has {tangents} tangents; leave them out or use a law with friction (coulomb)"
        ),
        (_, 0) => format!(
            "law `{law}` has friction, but the constraint has no tangents; give the sliding velocities (in a scene: tangents = [\"…\"]) or use newton-impact"
        ),
        _ => format!(
            "law `{law}` takes one tangent (in the plane) or two (in space), the constraint has {tangents}"
        ),
    }
}

fn text(issues: &[(Place, Issue)]) -> String {
    let lines: Vec<String> = issues.iter().map(|(place, issue)| format!("{place}: {issue}")).collect();
    lines.join("\n")
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::System(i, field) => write!(f, "system[{i}].{field}"),
            Place::Constraint(i, field) => write!(f, "constraint[{i}].{field}"),
            Place::Relation(i, field) => write!(f, "relation[{i}].{field}"),
            Place::Controller(i, field) => write!(f, "controller[{i}].{field}"),
            Place::Prescribed(i) => write!(f, "prescribed[{i}]"),
            Place::Body(i, field) => write!(f, "body[{i}].{field}"),
            Place::Kinematic(i, field) => write!(f, "kinematic[{i}].{field}"),
            Place::Joint(i, field) => write!(f, "joint[{i}].{field}"),
            Place::JointAxis(i, k, field) => write!(f, "joint[{i}].axes[{k}].{field}"),
            Place::Spring(i, field) => write!(f, "spring[{i}].{field}"),
            Place::Signal(name) => write!(f, "signal `{name}`"),
            Place::Materials => write!(f, "materials"),
            Place::Region => write!(f, "region"),
            Place::Bodies => write!(f, "bodies"),
        }
    }
}
