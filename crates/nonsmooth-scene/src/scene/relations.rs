//! First-order systems, relations and couplings as they are typed.

use super::{Matrix, Quantity, Vector};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A first-order system ẋ = A x + b(t) + rate + r: a circuit, a filter, a plant.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FirstOrder {
    /// Name of the system; states are then `name.state`, or `name[i].state` if repeated.
    pub name: String,
    /// Makes copies i = 0, 1, …: `i` may be used in the formulas of this table.
    pub repeat: Option<Quantity>,
    /// Names of the states.
    pub states: Vec<String>,
    /// A: the rows, the diagonal, or a Matrix Market file; zero if not given.
    #[serde(rename = "A")]
    pub a: Option<Matrix>,
    /// b(t): formulas of t; zero if not given.
    pub b: Option<Vector>,
    /// What else ẋ is: formulas of t, of any state, coordinate, velocity and expression.
    pub rate: Option<Vector>,
    /// Initial values of the states.
    pub x: Vector,
}

/// A relation: outputs y tied to inputs λ by a law, r of λ acting on states and velocities.
///
/// Either by formulas (`inputs`, `outputs`, `acts`) or by matrices of one first-order system (`system`, `C`, `D`, `e`, `B`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Relation {
    /// Name of the relation.
    pub name: String,
    /// Name of a law: complementarity, relay or bilateral; or give `polytope`.
    pub law: Option<String>,
    /// λ in a polytope { λ : N λ ≤ d }, in place of a law.
    pub polytope: Option<Polytope>,
    /// Names of the inputs λ in the formulas of this table.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// Outputs y, as many: formulas of t, states, coordinates, velocities, expressions and inputs.
    #[serde(default)]
    pub outputs: Vec<Quantity>,
    /// What the inputs do: rates of states, generalized forces on coordinates, by name; formulas as for the outputs.
    #[serde(default)]
    pub acts: BTreeMap<String, Quantity>,
    /// Name of the first-order system of which y = C x + D λ + e, r = B λ.
    pub system: Option<String>,
    /// C: one row for each output, one entry for each state.
    #[serde(rename = "C", default)]
    pub c: Vec<Vec<Quantity>>,
    /// D: one row for each output, one entry for each input; zero if not given.
    #[serde(rename = "D", default)]
    pub d: Vec<Vec<Quantity>>,
    /// e: one entry for each output, formulas of t; zero if not given.
    #[serde(default)]
    pub e: Vec<Quantity>,
    /// B: one row for each state, one entry for each input.
    #[serde(rename = "B", default)]
    pub b: Vec<Vec<Quantity>>,
}

/// { λ : N λ ≤ d }.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Polytope {
    /// N: one row for each side, one entry for each input.
    pub normals: Vec<Vec<Quantity>>,
    /// d: one entry for each side.
    pub bounds: Vec<Quantity>,
}

/// Sampled control: numbers computed at instants of their own, that act after a delay and are held until the next.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Controller {
    /// Name of the controller.
    pub name: String,
    /// Time between two samples [s].
    pub period: Quantity,
    /// Time from a sample until its outputs act [s]; 0 if not given.
    pub delay: Option<Quantity>,
    /// Time of the first sample [s]; 0 if not given.
    pub start: Option<Quantity>,
    /// The outputs, by name: formulas of t, states, coordinates, velocities, expressions and outputs. Formulas read them by these names.
    pub outputs: BTreeMap<String, Quantity>,
    /// Values of outputs until the first sample acts, by name; 0 if not given.
    #[serde(default)]
    pub initial: BTreeMap<String, Quantity>,
}

/// A coupling: rates and generalized forces that depend on other systems, such as a motor's torque and its back-EMF.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Coupling {
    /// Name of the coupling.
    pub name: String,
    /// Rates of states and generalized forces on coordinates, by name: formulas of t, states, coordinates, velocities and expressions.
    pub acts: BTreeMap<String, Quantity>,
}
