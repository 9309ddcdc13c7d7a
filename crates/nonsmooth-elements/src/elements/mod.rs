//! Formulations: how a cell becomes an element with stiffness, mass and stresses.
//!
//! ```text
//! K_e = ∫ Bᵀ D B dV,     M_e = ∫ ρ NᵀN dV,     σ = D B u_e          small strains
//! ```
//!
//! A formulation is one file and one line in [`FORMULATIONS`]. Its numbers are declared options.

mod axisymmetric;
mod bar;
mod beam;
mod continuum;
mod frame;
mod plane_strain;
mod plane_stress;
mod solid;
mod timoshenko;

use crate::cells::Cell;
use glam::DVec3;
use nonsmooth_solvers::{Declared, Kind, OptionError, Options};
use thiserror::Error;

/// Element matrices and stresses of one formulation with its numbers. Matrices are dense by rows; entries are ordered by node, then by
/// component.
pub trait Formulation: Send + Sync {
    /// Coordinates of a node: displacements `x`, `y`, `z`, rotations `r` or `r_x`, `r_y`, `r_z`.
    fn components(&self) -> &'static [&'static str];

    /// Adds K_e [N/m].
    fn stiffness(&self, cell: &Cell, nodes: &[DVec3], out: &mut [f64]);

    /// Adds the consistent M_e [kg].
    fn mass(&self, cell: &Cell, nodes: &[DVec3], out: &mut [f64]);

    /// What belongs to a unit of the measure of a side or of a cell at x: the thickness, or the way around the axis.
    fn depth(&self, _x: DVec3) -> f64 {
        1.0
    }

    /// Names of its stresses.
    fn stresses(&self) -> &'static [&'static str];

    /// Stresses at a place of the cell with displacements `u` of its nodes.
    fn stress(&self, cell: &Cell, nodes: &[DVec3], u: &[f64], xi: [f64; 3]) -> [f64; 6];

    /// Angles by which an element turns, as rows over its displacements [rad/m, –]: one row for each part in the plane, three in space. None
    /// where nothing can turn.
    fn angles(&self, cell: &Cell, nodes: &[DVec3]) -> Vec<Vec<f64>>;

    /// What is wrong with an element at this place, in words.
    fn fault(&self, _nodes: &[DVec3]) -> Option<String> {
        None
    }
}

/// A formulation of the list.
pub struct Entry {
    /// Its name in scenes.
    pub name: &'static str,
    /// One line on it.
    pub about: &'static str,
    /// Names of the cells it takes.
    pub cells: &'static [&'static str],
    /// Its numbers.
    pub options: &'static [&'static Declared],
    /// Makes it.
    pub make: fn(&Options) -> Result<Box<dyn Formulation>, PropertyError>,
}

/// Every formulation.
pub static FORMULATIONS: &[Entry] = &[
    bar::ON_A_LINE,
    bar::IN_THE_PLANE,
    bar::IN_SPACE,
    beam::IN_THE_PLANE,
    beam::IN_SPACE,
    timoshenko::IN_THE_PLANE,
    timoshenko::IN_SPACE,
    plane_stress::ENTRY,
    plane_strain::ENTRY,
    axisymmetric::ENTRY,
    solid::ENTRY,
];

/// The formulation of this name.
pub fn formulation(name: &str) -> Option<&'static Entry> {
    FORMULATIONS.iter().find(|entry| entry.name == name)
}

/// Why a formulation was not made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PropertyError {
    /// A number must be given.
    #[error("`{formulation}` needs `{name}`: {about}")]
    Missing {
        /// The formulation.
        formulation: &'static str,
        /// The number.
        name: &'static str,
        /// What it is.
        about: &'static str,
    },
    /// A number is not understood, or out of range.
    #[error("{0}")]
    Option(#[from] OptionError),
}

impl Entry {
    /// Makes the formulation, or says all that is wrong.
    pub fn build(&self, options: &Options) -> Result<Box<dyn Formulation>, Vec<PropertyError>> {
        let mut errors: Vec<PropertyError> = Vec::new();
        if let Err(wrong) = options.check(self.name, self.options) {
            errors.extend(wrong.into_iter().map(PropertyError::from));
        }
        let missing = self.options.iter().filter(|o| o.default.is_empty() && !options.is_given(o));
        errors.extend(missing.map(|option| PropertyError::Missing {
            formulation: self.name,
            name: option.name,
            about: option.about,
        }));
        if errors.is_empty() { (self.make)(options).map_err(|error| vec![error]) } else { Err(errors) }
    }
}

// An option without a default must be given.
const YOUNG: Declared = positive("young", "Young's modulus E [Pa]");
const DENSITY: Declared = positive("density", "density ρ [kg/m³]");
const AREA: Declared = positive("area", "area A of the cross section [m²]");
const POISSON: Declared = Declared {
    name: "poisson",
    about: "ratio ν of lateral contraction, below ½ [–]",
    kind: Kind::Number { min: -0.999, max: 0.4999 },
    default: "",
};
const THICKNESS: Declared =
    Declared { name: "thickness", about: "thickness [m]", kind: Kind::Positive, default: "1" };

/// A number > 0 that must be given.
const fn positive(name: &'static str, about: &'static str) -> Declared {
    Declared { name, about, kind: Kind::Positive, default: "" }
}
