//! What a builder collects: systems and constraints as they were given.

use super::Coordinate;
use crate::model::LawId;
use crate::model::constraints::{Gap, VelocityConstraint};
use crate::model::systems::{FirstOrder, Lagrangian, Linear};

/// Systems are counted below this number, bodies above, so that constraints may name either.
const FIRST_BODY: usize = 1 << 32;

/// Names a system of a model under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemId(pub usize);

impl SystemId {
    /// Body number `body`, in the order of registration, as a system that constraints may refer to.
    pub fn of_body(body: usize) -> Self {
        Self(FIRST_BODY + body)
    }

    /// The body that this system is, if it is one, in the order of registration.
    pub(crate) fn body(self) -> Option<usize> {
        self.0.checked_sub(FIRST_BODY)
    }
}

/// A term of a linear gap: coefficient times coordinate.
pub type LinearTerm = (SystemId, Coordinate, f64);

/// A system as given.
pub(crate) enum GivenSystem {
    Linear(Box<Linear>),
    Lagrangian {
        name: String,
        coordinates: Vec<String>,
        dynamics: Box<dyn Lagrangian>,
        q: Vec<f64>,
        v: Vec<f64>,
    },
    FirstOrder(Box<FirstOrder>),
}

impl GivenSystem {
    /// Number of coordinates: a first-order system has none.
    pub(crate) fn n_coordinates(&self) -> usize {
        match self {
            GivenSystem::FirstOrder(_) => 0,
            _ => self.len(),
        }
    }

    /// Number of velocities, or states.
    pub(crate) fn len(&self) -> usize {
        match self {
            GivenSystem::FirstOrder(system) => system.states.len(),
            GivenSystem::Linear(linear) => linear.coordinates.len(),
            GivenSystem::Lagrangian { coordinates, .. } => coordinates.len(),
        }
    }
}

/// A constraint as given.
pub(crate) struct GivenConstraint {
    pub(crate) name: String,
    pub(crate) law: LawId,
    pub(crate) on: Vec<(SystemId, Coordinate)>,
    pub(crate) kind: GivenKind,
}

/// What a constraint is.
pub(crate) enum GivenKind {
    Linear { coefficients: Vec<f64>, offset: f64 },
    Gap(Box<dyn Gap>),
    Velocity(Box<dyn VelocityConstraint>),
}

impl GivenKind {
    /// Number of tangents.
    pub(crate) fn n_tangents(&self) -> usize {
        match self {
            GivenKind::Gap(gap) => gap.n_tangents(),
            GivenKind::Linear { .. } | GivenKind::Velocity(_) => 0,
        }
    }

    /// Its family, in the order of families.
    pub(crate) fn family(&self) -> usize {
        match self {
            GivenKind::Linear { .. } => 0,
            GivenKind::Gap(_) => 1,
            GivenKind::Velocity(_) => 2,
        }
    }
}
