//! yoong-2017: two masses and a wall, with and without the energy that an inelastic impact takes. [Yoong17]

mod figure;
mod orbit;

use super::paper::Paper;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Linear, ModelBuilder, ModelError};
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth::{Model, State};
use std::sync::Arc;

pub(super) const PAPER: Paper = Paper {
    key: "yoong-2017",
    title: "C. Yoong, V. Acary, M. Legrand, modification of Moreau–Jean's scheme for energy conservation in inelastic impact dynamics",
    about: "Two unit masses on two unit springs, a wall at d = 1 before the second, u₀ = (0, 0), u̇₀ = (10, 10), e = 0, θ = ½, h = 1/500. \
        The standard scheme loses energy whenever the contact closes; the modified one hands it to the first mass. Read with \
        u̇₂⁺ + e u̇₂ ≤ 0 in (3c), with R as an impulse, and with the smaller root of (7), computed from u^{i+1} before its \
        correction. The correction is no mechanics, since no force stands behind it: it is a device to find periodic motions.",
    sections: &[figure::figure_2, orbit::periodic],
};

/// The scheme as it is, which looks for contact at the start of the step.
fn standard() -> (&'static str, Options) {
    ("moreau-jean", Options::default().with("gamma", 0.0))
}

fn modified() -> (&'static str, Options) {
    ("moreau-energy", Options::default())
}

fn masses() -> Result<(Arc<Model>, State), ModelError> {
    let mut builder = ModelBuilder::new();
    let stiffness = Sparse::from_rows(&[vec![2.0, -1.0], vec![-1.0, 1.0]]);
    let system = Linear::new("masses", Sparse::diagonal(&[1.0; 2])).stiffness(stiffness);
    let system = builder.linear(system.initial(&[0.0; 2], &[10.0; 2]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("wall", law, &[(system, 1, -1.0)], 1.0);
    builder.build(0.0)
}

/// Total energy [J].
fn energy(u: &[f64], v: &[f64]) -> f64 {
    0.5 * (v[0] * v[0] + v[1] * v[1] + u[0] * u[0] + (u[1] - u[0]).powi(2))
}
