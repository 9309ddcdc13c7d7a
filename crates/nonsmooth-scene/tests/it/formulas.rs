//! Models made of formulas: derived forces of inertia, Jacobians, recognition of linear gaps.

use crate::{from_text, scene, scenes};
use nonsmooth::observers::Trajectory;
use nonsmooth::{Model, State, Works};
use nonsmooth_scene::Loaded;
use std::sync::Arc;

fn double_pendulum(edits: &[(&str, &str)]) -> Loaded {
    let text = std::fs::read_to_string(scenes().join("double-pendulum.toml")).expect("readable");
    let edited = edits.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "the scene has no {from}");
        text.replacen(from, to, 1)
    });
    from_text(&edited).unwrap_or_else(|error| panic!("{error}"))
}

fn trajectory(mut loaded: Loaded) -> Trajectory {
    let mut trajectory = Trajectory::default();
    loaded.simulation.run(loaded.n_steps, &mut [&mut trajectory]).expect("the run ends well");
    trajectory
}

/// Points (q, v) all over, from quotients without structure.
fn points() -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
    let spread = |k: usize, a: f64| 6.0 * ((k as f64 * a).fract() - 0.5);
    (1..200).map(move |k| {
        ([spread(k, 0.618_034), spread(k, 0.754_878)], [spread(k, 0.569_840), spread(k, 0.819_173)])
    })
}

/// All forces on the pendulum, of which those of inertia are all that depend on v.
fn forces(loaded: &Loaded, q: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    let model = &loaded.simulation.model;
    let mut state = State::clone(&loaded.simulation.state);
    (state.q, state.v) = (q.to_vec(), v.to_vec());
    let mut force = [0.0; 2];
    let found = model.at_state(&state, |at| {
        let smooth = model.systems[0].smooth().expect("Lagrangian systems move smoothly");
        smooth.forces(model, at, &mut force, &mut Works::default())
    });
    found.expect("formulas do not fail");
    force
}

/// N(q, v) less N(q, 0).
fn inertial(loaded: &Loaded, q: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    let (rest, moving) = (forces(loaded, q, [0.0; 2]), forces(loaded, q, v));
    [rest[0] - moving[0], rest[1] - moving[1]]
}

#[test]
fn derived_forces_of_inertia_are_those_derived_by_hand() {
    let loaded =
        scene("double-pendulum.toml", &[("m1", "1.7"), ("m2", "0.6"), ("l1", "1.3"), ("l2", "0.8")]);
    for (q, v) in points() {
        let c = 0.6 * 1.3 * 0.8 * (q[0] - q[1]).sin();
        let want = [c * v[1] * v[1], -c * v[0] * v[0]];
        let got = inertial(&loaded, q, v);
        for (got, want) in got.iter().zip(want) {
            // Round-off: forces are below 100 with those of gravity, sums of a few terms.
            assert!((got - want).abs() < 1e-12, "at q = {q:?}, v = {v:?}: {got} instead of {want}");
        }
    }
}

#[test]
fn given_forces_of_inertia_are_used_as_they_are() {
    let given = "inertial_force = [\"v_b^2*sin(a - b)\", \"-v_a^2*sin(a - b)\"]\nq = [0.1, 0.2]";
    let given = trajectory(double_pendulum(&[("q = [0.1, 0.2]", given)]));
    let derived = trajectory(double_pendulum(&[]));
    for k in 0..derived.t.len() {
        for i in 0..2 {
            // Round-off, amplified by ten impacts.
            assert!((given.q[k][i] - derived.q[k][i]).abs() < 1e-11, "at t = {}", derived.t[k]);
        }
    }
    let wrong = "inertial_force = [\"1\", 0]\nq = [0.1, 0.2]";
    let wrong = double_pendulum(&[("q = [0.1, 0.2]", wrong)]);
    // N = (1, 0) at rest too; hanging, there is no other force.
    assert_eq!(forces(&wrong, [0.0; 2], [0.0; 2]), [-1.0, 0.0]);
}

#[test]
fn finite_differences_give_the_trajectory_of_symbolic_jacobians() {
    let symbolic = trajectory(double_pendulum(&[]));
    let estimated = "jacobians = \"finite-differences\"\nq = [0.1, 0.2]";
    let estimated = trajectory(double_pendulum(&[("q = [0.1, 0.2]", estimated)]));
    assert_eq!(symbolic.t.len(), 10_001);
    let mut worst = (0.0, 0.0);
    for k in 0..symbolic.t.len() {
        for i in 0..2 {
            let far = (symbolic.q[k][i] - estimated.q[k][i])
                .abs()
                .max((symbolic.v[k][i] - estimated.v[k][i]).abs());
            worst = if far > worst.0 { (far, symbolic.t[k]) } else { worst };
        }
    }
    eprintln!("worst difference {:.1e} at t = {} s", worst.0, worst.1);
    // Newton's fixed point does not depend on the Jacobian; its tolerance of 1e-12 is amplified by impacts.
    assert!(worst.0 < 1e-9, "{:.1e} at t = {} s", worst.0, worst.1);
}

fn with_gap(gap: &str) -> Arc<Model> {
    let text = std::fs::read_to_string(scenes().join("bouncing-ball.toml")).expect("readable");
    let text = text.replacen("gap = \"z - R - h0\"", &format!("gap = \"{gap}\""), 1);
    from_text(&text).unwrap_or_else(|error| panic!("{gap}: {error}")).simulation.model
}

/// Number of members of a family of constraints.
fn members(model: &Model, family: &str) -> usize {
    let families = model.constraints.iter().filter(|found| found.name() == family);
    families.map(|found| found.n_members()).sum()
}

#[test]
fn gaps_that_are_linear_in_truth_join_the_linear_family() {
    for gap in ["z - R - h0", "-(R - z)", "2*(z - R)/2 + x - x", "sin(pi/2)*z", "z*cos(0) - sqrt(R^2)"] {
        let model = with_gap(gap);
        assert!(model.is_linear(), "{gap}");
        assert_eq!((members(&model, "linear gaps"), members(&model, "gaps")), (1, 0), "{gap}");
    }
    // A floor that moves is linear in q: no Newton iteration, but a family of its own.
    let model = with_gap("z - R - 0.01*sin(t)");
    assert!(model.is_linear());
    assert_eq!((members(&model, "linear gaps"), members(&model, "gaps")), (0, 1));
    // The last is linear in truth, but the simplifier does not cancel 2*z - 2*z: slower, not wrong.
    for gap in ["z^2", "z - R*cos(phi)", "hypot(z, x) - R", "(z^2 - z^2) + z"] {
        assert!(!with_gap(gap).is_linear(), "{gap}");
    }
}

#[test]
fn a_linear_gap_written_as_nonlinear_gives_the_same_trajectory() {
    let text = std::fs::read_to_string(scenes().join("bouncing-ball.toml")).expect("readable");
    let plain = trajectory(from_text(&text).expect("good"));
    // sin² + cos² is beyond the simplifier: it stays a formula, and must not matter.
    let round = text.replacen("z - R - h0", "z*(sin(x)^2 + cos(x)^2) - R - h0", 1);
    let round = trajectory(from_text(&round).expect("good"));
    for k in 0..plain.t.len() {
        let far = (plain.q[k][0] - round.q[k][0]).abs();
        assert!(far < 1e-10, "{far:.1e} at t = {}", plain.t[k]);
    }
}

#[test]
fn the_knife_edge_traces_a_cycloid() {
    let loaded = scene("knife-edge.toml", &[]);
    let of = |name: &str| loaded.parameters[name];
    let (w, downhill) = (of("w"), of("g") * of("slope").sin());
    let (h, ours) = (loaded.step_size, trajectory(loaded));
    for (k, &t) in ours.t.iter().enumerate() {
        // Along the blade s' = g sin(slope) cos(w t); the rest is geometry.
        let a = downhill / (2.0 * w * w);
        let want = [a * (w * t).sin().powi(2), a * (w * t - (w * t).sin() * (w * t).cos()), w * t];
        for (i, want) in want.into_iter().enumerate() {
            // First order: the blade is held at the end of each step, so the skate lags by about h/2 of a
            // motion with velocities up to 1.7 m/s, over ten seconds.
            let far = (ours.q[k][i] - want).abs();
            assert!(far < 10.0 * h * 1.7, "coordinate {i} off by {far:.1e} at t = {t}");
        }
    }
}
