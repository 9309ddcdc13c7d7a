//! Boundary value problems.

use super::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What `nonsmooth bvp` solves: values of the unknowns with which the motion meets the conditions. As many unknowns as conditions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Bvp {
    /// What is looked for.
    #[serde(default)]
    pub unknown: Vec<Unknown>,
    /// What must hold at both ends.
    #[serde(default)]
    pub condition: Vec<Condition>,
    /// Parts of equal length whose states are unknowns too: multiple shooting; 1 if not given.
    #[schemars(range(min = 1))]
    pub segments: Option<u64>,
    /// Impacts that a solution must have, by the name of a constraint or body that takes part in them.
    #[serde(default)]
    pub impacts: BTreeMap<String, u64>,
}

/// An unknown of a boundary value problem.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Unknown {
    /// A parameter, an initial value such as `ball.z` or `ball.v_x`, or `end`, the final time [s].
    pub name: String,
    /// Where the search begins; the value that the scene gives it if not given.
    pub guess: Option<Quantity>,
    /// Smallest value.
    pub min: Option<Quantity>,
    /// Largest value.
    pub max: Option<Quantity>,
}

/// A condition of a boundary value problem: `end` of the final state equals `start` of the initial one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Condition {
    /// A formula of t, coordinates, velocities and expressions at the end.
    pub end: Quantity,
    /// The same at the start; 0 if not given.
    pub start: Option<Quantity>,
    /// Difference that counts as none, in the unit of the formula; 1e-9 if not given.
    pub tolerance: Option<Quantity>,
}
