//! The scenes of the project against the tables they correspond to, as the spec of each table says.

mod knee;
mod slider_crank;

use crate::{from_text, scene};
use nonsmooth::State;
use nonsmooth::observers::Trajectory;
use nonsmooth_scene::Loaded;
use nonsmooth_testkit::Table;

/// The specs give up to 3e-13 for an independent code: numbers up to 10, and every impact amplifies
/// rounding a little.
const ROUNDING: f64 = 1e-12;

/// Runs the scene to its end; the table must have a row for every `every`-th step.
fn run(mut loaded: Loaded, table: &Table, every: usize) -> Trajectory {
    let mut trajectory = Trajectory::default();
    loaded.simulation.run(loaded.n_steps, &mut [&mut trajectory]).expect("the run ends well");
    assert_eq!(table.rows.len(), (trajectory.t.len() - 1) / every + 1, "steps of the scene");
    trajectory
}

#[test]
fn bouncing_ball() {
    let table = Table::read("bouncing_ball_ts");
    // In the table the radius does not enter.
    let ours = run(scene("bouncing-ball.toml", &[("R", "0"), ("inertia", "1")]), &table, 1);
    table.check("t", ROUNDING, |k| ours.t[k]);
    table.check("q", ROUNDING, |k| ours.q[k][0]);
    table.check("v", ROUNDING, |k| ours.v[k][0]);
    table.check("lambda", ROUNDING, |k| ours.impulses[k][0]);
}

#[test]
fn two_balls() {
    let table = Table::read("two_bouncing_balls");
    let ours = run(scene("two-balls.toml", &[]), &table, 1);
    for (i, [q, v]) in [["q1", "v1"], ["q2", "v2"]].into_iter().enumerate() {
        table.check(q, ROUNDING, |k| ours.q[k][i]);
        table.check(v, ROUNDING, |k| ours.v[k][i]);
    }
    table.check("lambda_ground", ROUNDING, |k| ours.impulses[k][0]);
    table.check("p2", ROUNDING, |k| ours.impulses[k][1]);
}

#[test]
fn column_of_beads() {
    let table = Table::read("column_of_beads_ts");
    let ours = run(scene("column-of-beads.toml", &[]), &table, 4);
    for i in 0..10 {
        table.check(&format!("q{i}"), ROUNDING, |k| ours.q[4 * k][i]);
        table.check(&format!("v{i}"), ROUNDING, |k| ours.v[4 * k][i]);
    }
}

#[test]
fn ball_on_moving_plane() {
    let table = Table::read("ball_on_moving_plane");
    let ours = run(scene("ball-on-moving-plane.toml", &[]), &table, 1);
    for (i, [q, v]) in [["q_ball", "v_ball"], ["q_plane", "v_plane"]].into_iter().enumerate() {
        table.check(q, ROUNDING, |k| ours.q[k][i]);
        table.check(v, ROUNDING, |k| ours.v[k][i]);
    }
    table.check("lambda", ROUNDING, |k| ours.impulses[k][0]);
}

#[test]
fn moving_floor_follows_the_moving_plane() {
    let table = Table::read("ball_on_moving_plane");
    let ours = run(scene("moving-floor.toml", &[]), &table, 1);
    // The same mechanics in another discretization: some of the 12 impacts fall one step of 5 ms apart, at up
    // to 10 m/s. Measured: 5.5e-2.
    table.check_until("q_ball", 7.0, 0.1, |k| ours.q[k][0]);
}

#[test]
fn impacting_bar() {
    let table = Table::read("impacting_bar_fem");
    let loaded = scene("impacting-bar.toml", &[]);
    let (model, h) = (loaded.simulation.model.clone(), loaded.step_size);
    let start = State::clone(&loaded.simulation.state);
    let ours = run(loaded, &table, 1);
    // Displacements are 1e-4 and velocities 0.1; the spec finds 1e-13 for these.
    let small = 1e-12;
    table.check("t", small, |k| ours.t[k]);
    for (place, [q, v]) in
        [(0, ["q_first", "v_first"]), (50, ["q_mid", "v_mid"]), (99, ["q_last", "v_last"])]
    {
        table.check(q, small, |k| ours.q[k][place]);
        table.check(v, small, |k| ours.v[k][place]);
    }
    table.check("lambda", small, |k| ours.impulses[k][0]);
    // Forces reach 1e4; the spec finds 3e-10.
    table.check("force_first", 1e-8, |k| ours.impulses[k][0] / h);
    let energies = |k: usize| {
        let state = State { q: ours.q[k].clone(), v: ours.v[k].clone(), ..start.clone() };
        model.energies_of(&state).expect("finite")
    };
    table.check("twice_elastic_energy", small, |k| 2.0 * energies(k).potential);
    table.check("twice_kinetic_energy", small, |k| 2.0 * energies(k).kinetic);
}

#[test]
fn double_pendulum() {
    let table = Table::read("double_pendulum");
    let ours = run(scene("double-pendulum.toml", &[]), &table, 2);
    for (i, [q, v]) in [["q0", "v0"], ["q1", "v1"]].into_iter().enumerate() {
        // From the spec, which means angles; in the rates Newton, stopped early there, leaves 2.1e-8.
        table.check_until(q, 0.639, 1e-8, |k| ours.q[2 * k][i]);
        table.check_until(v, 0.639, 3e-8, |k| ours.v[2 * k][i]);
        table.check_until(q, 1.499, 3e-5, |k| ours.q[2 * k][i]);
        table.check_until(v, 1.499, 3e-5, |k| ours.v[2 * k][i]);
    }
}

/// A body and a joint of a table, at θ = 1 as there; rows of the tables begin after the first step.
fn joined(body: &str, joint: &str, run: &str, table: &Table) -> Trajectory {
    let text = format!(
        "[world]\ngravity = [0, 0, -9.81]\n\n[[body]]\nname = \"body\"\nmass = 1\n{body}\n\n\
         [[joint]]\nname = \"joint\"\nbetween = [{{}}, {{ body = \"body\" }}]\n{joint}\n\n\
         [integrator]\ntype = \"moreau-jean\"\ntheta = 1\n{run}\n"
    );
    let mut loaded = from_text(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut trajectory = Trajectory::default();
    loaded.simulation.run(loaded.n_steps, &mut [&mut trajectory]).expect("the run ends well");
    assert_eq!(table.rows.len() + 1, trajectory.t.len(), "steps of the scene");
    trajectory
}

const POSE: [&str; 7] = ["x", "y", "z", "q0", "q1", "q2", "q3"];

/// A body falls along a guide that is no axis of its own.
#[test]
fn prismatic_joint() {
    let table = Table::read("prismatic_joint");
    let turn = "{ axis = [3, 2, 1], angle = \"2*pi/5\" }";
    let body = format!("inertia = [1, 1, 1]\nposition = [1, 1, 1]\norientation = {turn}");
    let joint = "type = \"prismatic\"\nat = [1, 1, 1]\naxis = [0, 0, 1]";
    let ours = joined(&body, joint, "[run]\nend = 2\nstep_size = 0.001", &table);
    // The spec finds 3e-12 over 20 m.
    table.check("t", ROUNDING, |k| ours.t[k + 1]);
    for (i, column) in POSE.into_iter().enumerate() {
        table.check(column, 2e-11, |k| ours.q[k + 1][i]);
    }
}
