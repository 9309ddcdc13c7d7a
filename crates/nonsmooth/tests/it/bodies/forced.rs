//! Forces and torques on bodies: θ, the axes in which a torque acts, and whose inertia it meets.

use super::prelude::*;
use glam::{DQuat, DVec3};

/// An inertia that differs about all axes.
const INERTIA: [f64; 3] = [0.2, 0.3, 0.4];

fn lonely(inertia: [f64; 3]) -> Body {
    let [a, b, c] = inertia;
    Body::new("top", 2.0, [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]])
}

/// Angular velocity in world axes.
fn spin(state: &State) -> DVec3 {
    let [w, x, y, z] = [3, 4, 5, 6].map(|k| state.q[k]);
    DQuat::from_xyzw(x, y, z, w) * DVec3::new(state.v[3], state.v[4], state.v[5])
}

/// J ω in world axes.
fn momentum(state: &State) -> DVec3 {
    let [w, x, y, z] = [3, 4, 5, 6].map(|k| state.q[k]);
    let turn = DQuat::from_xyzw(x, y, z, w);
    turn * DVec3::new(INERTIA[0] * state.v[3], INERTIA[1] * state.v[4], INERTIA[2] * state.v[5])
}

/// v⁺ = v + h (θ f(h) + (1−θ) f(0))/m, and the same of a torque, for every θ; a force that is a function of time alone.
#[test]
fn theta_weighs_forces_of_time_on_bodies() {
    let h = 0.1;
    for planar in [false, true] {
        for theta in [0.0, 0.25, 0.5, 1.0] {
            let mut builder = ModelBuilder::new();
            let body = if planar { Body::planar("disc", 2.0, 0.5) } else { lonely([0.5; 3]) };
            let top = builder.body(body);
            let wrench = |at: &nonsmooth::Instant<'_>| {
                let f = 1.0 + 3.0 * at.t;
                Ok([f, 0.0, 0.0, 0.0, 0.0, 2.0 * f])
            };
            builder.wrench(top, false, Box::new(wrench));
            let (model, state) = builder.build(0.0).expect("a right model");
            let made = MoreauJean { theta, ..MoreauJean::default() };
            let mut simulation = Simulation::new(model, state, made, h).expect("the scheme takes it");
            simulation.step().expect("a good step");
            let f = 1.0 + 3.0 * theta * h;
            let v = &simulation.state.v;
            let turn = v[if planar { 2 } else { 5 }];
            assert!((v[0] - h * f / 2.0).abs() < 1e-14, "θ = {theta}: {v:?}");
            assert!((turn - h * 2.0 * f / 0.5).abs() < 1e-14, "θ = {theta}: {v:?}");
        }
    }
}

/// A body that lies on its side: a torque about the x axis of the world meets the inertia about its own y axis. About a principal axis
/// ω = τ t/J, exactly.
#[test]
fn a_torque_meets_the_inertia_about_its_axis() {
    let schemes =
        ["moreau-jean", "kick-drift", "stewart-trinkle", "moreau-paoli", "high-order", "d1-minus"];
    for scheme in schemes {
        for (axis, angle, j) in
            [([0.0, 0.0, 1.0], 0.5, 0.3), ([0.0, 1.0, 0.0], 0.5, 0.4), ([1.0, 0.0, 0.0], 0.3, 0.2)]
        {
            let angle = angle * std::f64::consts::PI;
            let mut builder = ModelBuilder::new();
            let top = builder.body(Body { rotation: about(axis, angle), ..lonely(INERTIA) });
            builder.wrench(top, false, Box::new(|_| Ok([0.0, 0.0, 0.0, 0.7, 0.0, 0.0])));
            let (model, state) = builder.build(0.0).expect("a right model");
            let made = integrator(scheme, &Options::default());
            let mut simulation = Simulation::new(model, state, made, 0.01).expect("the scheme takes it");
            simulation.run(49, &mut []).expect("it runs");
            let omega = spin(simulation.step().expect("a good step").shown);
            let off = (omega - DVec3::X * (0.7 * 0.5 / j)).length();
            assert!(off < 1e-11, "{scheme}, turned about {axis:?}: {omega}");
        }
    }
}

/// A tumbling body under a torque that is constant in world axes: R J ω grows by τ t. θ = ½ keeps that to second order, since the torque
/// at the end of a step is seen from the axes of its start.
#[test]
fn a_torque_in_world_axes_adds_to_the_angular_momentum() {
    let torque = DVec3::new(0.4, -0.3, 0.5);
    let off = |scheme: &str, n: u64| {
        let mut builder = ModelBuilder::new();
        let top = builder.body(Body { angular_velocity: [1.0, 2.0, -0.5], ..lonely(INERTIA) });
        builder.wrench(top, false, Box::new(move |_| Ok([0.0, 0.0, 0.0, torque.x, torque.y, torque.z])));
        let (model, state) = builder.build(0.0).expect("a right model");
        let start = momentum(&state);
        let made = integrator(scheme, &Options::default());
        let mut simulation = Simulation::new(model, state, made, 1.0 / n as f64).expect("accepted");
        simulation.run(n - 1, &mut []).expect("it runs");
        let end = momentum(simulation.step().expect("a good step").shown);
        (end - start - torque).length()
    };
    for scheme in ["moreau-jean", "moreau-projected"] {
        let (coarse, fine) = (off(scheme, 100), off(scheme, 200));
        let measured = order(coarse, fine, 2.0);
        assert!((measured - 2.0).abs() < 0.1, "{scheme}: {coarse:e} {fine:e}, order {measured}");
    }
    // Kick and drift add exactly what acts.
    let exact = off("kick-drift", 100);
    assert!(exact < 1e-12, "{exact:e}");
}
