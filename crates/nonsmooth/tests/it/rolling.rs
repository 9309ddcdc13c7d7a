//! Rolling friction: a wheel that is braked, one on a slope.

use crate::body_kit::made;
use nonsmooth::integrators::MoreauJean;
use nonsmooth::laws::Rolling;
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::systems::Linear;
use nonsmooth::{Integrator, Simulation};
use nonsmooth_solvers::Sparse;

const G: f64 = 9.81;

fn schemes() -> Vec<(&'static str, Box<dyn Integrator>)> {
    vec![("moreau-jean", made(MoreauJean::default()))]
}

/// A wheel of mass 2 and radius 0.3, J = ½ m r², on ground inclined by `slope`, that rolls with `speed`: q = (x, y, φ), slip v_x + r φ̇.
fn wheel(law: Rolling, slope: f64, speed: f64) -> ModelBuilder {
    let (mass, r) = (2.0, 0.3);
    let mut builder = ModelBuilder::new();
    let mut wheel = Linear::new("wheel", Sparse::diagonal(&[mass, mass, 0.5 * mass * r * r]));
    wheel.load = vec![mass * G * slope.sin(), -mass * G * slope.cos(), 0.0];
    wheel.v = vec![speed, 0.0, -speed / r];
    let wheel = builder.linear(wheel);
    let law = builder.law("ground", law);
    let slip = [(wheel, 0, 1.0), (wheel, 2, r)];
    builder.linear_contact("ground", law, &[(wheel, 1, 1.0)], 0.0, &[&slip, &[(wheel, 2, 1.0)]]);
    builder
}

fn run(builder: ModelBuilder, integrator: Box<dyn Integrator>, h: f64, n: u64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, integrator, h).expect("it is right");
    simulation.run(n, &mut []).expect("it is right");
    simulation
}

/// The power that rolling friction takes, μ_r m g ω, brakes with a = (2/3) μ_r g/r.
#[test]
fn a_wheel_is_braked_as_its_energy_says() {
    let law = Rolling { friction: 0.5, rolling_friction: 0.01, ..Rolling::default() };
    let brake = 2.0 / 3.0 * 0.01 * G / 0.3;
    for (scheme, integrator) in schemes() {
        let h = 2e-3;
        let halfway = run(wheel(law, 0.0, 0.5), integrator, h, 500);
        let want = 0.5 - brake * 1.0;
        // The velocity of a state of kick–drift is that of half a step before.
        let late = if scheme == "kick-drift" { brake * h } else { 1e-6 };
        assert!((halfway.state.v[0] - want).abs() < late, "{scheme}: {} {want}", halfway.state.v[0]);
    }
}

/// It stays on a slope below tan α = μ_r/r, and rolls with (2/3) g (sin α − (μ_r/r) cos α) above.
#[test]
fn a_wheel_holds_on_a_slope_below_its_rolling_friction() {
    let law = Rolling { friction: 0.8, rolling_friction: 0.06, ..Rolling::default() };
    for (slope, holds) in [(0.19f64, true), (0.21, false)] {
        let alpha = slope.atan();
        for (scheme, integrator) in schemes() {
            let end = run(wheel(law, alpha, 0.0), integrator, 1e-2, 100);
            let want = if holds { 0.0 } else { 2.0 / 3.0 * G * (alpha.sin() - 0.2 * alpha.cos()) };
            let late = if scheme == "kick-drift" { 1e-2 * want } else { 0.0 };
            assert!(
                (end.state.v[0] - want).abs() < 1e-7 + late,
                "{scheme} {slope}: {} {want}",
                end.state.v[0]
            );
        }
    }
}
