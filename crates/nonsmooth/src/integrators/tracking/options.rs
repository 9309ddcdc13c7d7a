//! Options that the schemes with located events share.

use super::{LOCATE, METHODS};
use nonsmooth_solvers::{Declared, Kind};

/// The Runge–Kutta method.
pub(crate) const METHOD: Declared = Declared {
    name: "method",
    about: "Runge–Kutta method between events; the number in a name is its order; `midpoint` is explicit and of order 2, `rkf45` advances with its weights of order 4, `dormand-prince` with those of order 5, `lobatto` is IIIC",
    kind: Kind::Word(METHODS),
    default: "dormand-prince",
};

/// How events are located.
pub(crate) const LOCATION: Declared = Declared {
    name: "locate",
    about: "how the time of an event is searched: by halving, by Newton, or first on the dense output",
    kind: Kind::Word(LOCATE),
    default: "newton",
};

/// The cap on events.
pub(crate) const MAX_EVENTS: Declared = Declared {
    name: "max_events",
    about: "most events in one step; more stop the run [–]",
    kind: Kind::Count,
    default: "10000",
};

/// Whether the order adapts.
pub(crate) const ORDER: Declared = Declared {
    name: "order",
    about: "with adaptive = \"yes\": whether the method may change within its family, by work per unit step",
    kind: Kind::Word(&["fixed", "adaptive"]),
    default: "fixed",
};
