//! The gap of a node, closed within rounding.
//!
//! A node at rest has a gap that is rounding, of either sign. Let go for a step, it sinks in and stays there at velocity level: of a block at rest on
//! nine nodes the pressure at its edge was 17 % too large.

use nonsmooth::model::{Gap, UserError};

/// A gap that counts as closed up to a distance.
pub(super) struct NodeContact<G> {
    pub(super) gap: G,
    /// That distance [m].
    pub(super) distance: f64,
}

impl<G: Gap> Gap for NodeContact<G> {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        self.gap.gap(t, q)
    }

    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        self.gap.jacobian(t, q, out)
    }

    fn rate(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        self.gap.rate(t, q)
    }

    fn activation_distance(&self) -> f64 {
        self.distance
    }

    fn curvature(&self, t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        self.gap.curvature(t, q, v)
    }

    fn is_linear(&self) -> bool {
        self.gap.is_linear()
    }

    fn n_tangents(&self) -> usize {
        self.gap.n_tangents()
    }

    fn tangents(
        &self,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), UserError> {
        self.gap.tangents(t, q, jacobian, rate)
    }
}
