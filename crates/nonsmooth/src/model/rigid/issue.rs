//! What can be wrong with rigid bodies, in words.

use thiserror::Error;

/// Coordinates beyond this resolve less than a tenth of a millimetre [m].
pub(crate) const FARTHEST: f64 = 1e12;

/// One thing that is wrong with a body.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BodyIssue {
    /// The mass is not a positive number.
    #[error("mass must be a finite number > 0, got {0}")]
    Mass(f64),
    /// Another body has the same name.
    #[error("there are two bodies called `{0}`; give each its own name, results are told by it")]
    NameTwice(String),
    /// The inertia is not positive definite.
    #[error("inertia must be symmetric and positive definite, got {0:?}")]
    Inertia([[f64; 3]; 3]),
    /// No body has these moments.
    #[error(
        "inertia {0:?} has a principal moment above the sum of the two others, which no body has; correct it"
    )]
    NoBody([[f64; 3]; 3]),
    /// A place or velocity is not a number, or far beyond any scene.
    #[error("{what} {value:?} must be finite and at most {FARTHEST:e} in size")]
    Far {
        /// What is wrong.
        what: &'static str,
        /// What was given.
        value: Vec<f64>,
    },
    /// The quaternion has no direction.
    #[error("the quaternion {0:?} must be finite and not zero")]
    Rotation([f64; 4]),
    /// Something of space in the plane, or the reverse.
    #[error("{0}")]
    Plane(&'static str),
    /// The time at which it appears is not a number.
    #[error("the time at which it appears must be finite, got {0}")]
    AppearsAt(f64),
    /// A number that must not be negative is, or is not finite.
    #[error("{what} must be a finite number ≥ 0, got {value}")]
    Negative {
        /// Which parameter.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The region holds nothing.
    #[error("the region must have low < high in every direction, got {low:?} and {high:?}")]
    Region {
        /// Lowest corner [m].
        low: [f64; 3],
        /// Highest corner [m].
        high: [f64; 3],
    },
    /// A law is not one of contacts.
    #[error(
        "law `{0}` is not one of contacts between bodies; use one that is, such as coulomb or newton-impact"
    )]
    Law(String),
    /// The law of a pair needs rows that contact points do not have.
    #[error(
        "law `{0}` has spinning friction, but bodies in the plane do not spin about the normal; set spinning_friction = 0"
    )]
    Rolls(String),
    /// What is glued would have to follow a prescribed motion.
    #[error(
        "a law of cohesion would glue a body to `{0}`, which moves as prescribed; bonds hold bodies, fixed things and gaps: give it no motion, or make it a body"
    )]
    Glued(String),
    /// A material does not exist.
    #[error("there is no material {material}: the model has {n}")]
    NoSuchMaterial {
        /// The material asked for.
        material: usize,
        /// How many there are.
        n: usize,
    },
    /// A body does not exist.
    #[error("there is no body {body}: the model has {n}")]
    NoSuchBody {
        /// The body asked for.
        body: usize,
        /// How many there are.
        n: usize,
    },
    /// A parameter of a law is out of range.
    #[error("law `{law}` is out of range: {fault}")]
    LawRange {
        /// Name of the law.
        law: String,
        /// What is wrong.
        fault: String,
    },
    /// A pair of materials without a law, or with two.
    #[error("{0}")]
    Pair(#[from] PairError),
    /// Bodies overlap at the start, or will when they appear.
    #[error("{}", overlap_text(overlaps, *count))]
    Overlap {
        /// The deepest at the start, then those foreseen, by time.
        overlaps: Vec<Overlap>,
        /// How many pairs overlap in all.
        count: usize,
    },
    /// The motion of a kinematic body failed.
    #[error("{0}")]
    Motion(String),
}

/// Two bodies that overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// One body.
    pub first: String,
    /// The other.
    pub second: String,
    /// How deep [m].
    pub depth: f64,
    /// When the second one appears [s]; `None`: both are there at the start.
    pub t: Option<f64>,
}

fn overlap_text(overlaps: &[Overlap], count: usize) -> String {
    let mut text = String::new();
    for Overlap { first, second, depth, t } in overlaps {
        let when = t.map_or("at the start".into(), |t| format!("when the latter appears at t = {t} s"));
        text += &format!("`{first}` and `{second}` overlap by {depth:.6e} m {when}; ");
    }
    if count > overlaps.len() {
        text += &format!("and {} more pairs; ", count - overlaps.len());
    }
    text + "move them, or allow it (in a scene: run.allow_initial_violation = true)"
}

/// A pair of materials without a law, or with two.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PairError {
    /// Two bodies may meet whose materials have no law.
    #[error(
        "`{first}` and `{second}` may meet, but their materials `{a}` and `{b}` have no law; give the pair one, or a default for all pairs"
    )]
    Missing {
        /// A body of one material.
        first: String,
        /// A body of the other.
        second: String,
        /// One material.
        a: String,
        /// The other.
        b: String,
    },
    /// A pair was given twice.
    #[error("the law of the materials `{a}` and `{b}` is given twice")]
    Twice {
        /// One material.
        a: String,
        /// The other.
        b: String,
    },
}
