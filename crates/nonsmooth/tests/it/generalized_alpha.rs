//! Nonsmooth generalized-α: orders, both levels of the constraints, energy, impacts, and what it remembers.

mod bodies;

use crate::kit::{
    Bilateral, Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Simulation, Sparse,
    Trajectory,
};
use crate::models::{self, Rod, ball, bowl, pressed};
use crate::nonlinear::{DoublePendulum, SineSum, free_double_pendulum, linear_system};
use crate::{integrator, order};

fn rho(rho: f64) -> Options {
    Options::default().with("rho_infinity", rho)
}

fn simulation((model, state): Built, options: &Options, h: f64) -> Simulation {
    Simulation::new(model, state, integrator("generalized-alpha", options), h).expect("accepted")
}

fn run(made: Built, options: &Options, h: f64, n: u64) -> (Trajectory, EnergyLedger) {
    let (mut trajectory, mut ledger) = (Trajectory::default(), EnergyLedger::default());
    let mut simulation = simulation(made, options, h);
    simulation.run(n, &mut [&mut trajectory, &mut ledger]).expect("the run ends well");
    (trajectory, ledger)
}

fn matrix(rows: [[f64; 2]; 2]) -> Sparse {
    Sparse::from_rows(&rows.map(|row| row.to_vec()))
}

/// Two masses on springs.
fn springs() -> Built {
    let system = Linear::new("pair", matrix([[2.0, 0.5], [0.5, 1.0]]))
        .stiffness(matrix([[9.0, -4.0], [-4.0, 6.0]]))
        .load(&[1.0, -2.0])
        .initial(&[0.4, -0.3], &[0.0, 1.0]);
    let mut builder = ModelBuilder::new();
    builder.linear(system);
    builder.build(0.0).expect("a right model")
}

/// Two masses on two rods, let go from the horizontal.
fn rods() -> Built {
    let mut builder = ModelBuilder::new();
    let mass = |name: &str, x: f64| {
        let mass = Linear::new(name, Sparse::diagonal(&[2.0, 2.0])).load(&[0.0, -20.0]);
        mass.initial(&[x, 0.0], &[0.0, 0.0])
    };
    let (a, b) = (builder.linear(mass("a", 1.0)), builder.linear(mass("b", 2.0)));
    let joint = builder.law("joint", Bilateral);
    builder.gap("inner", joint, &[(a, 0), (a, 1)], Rod);
    builder.gap("outer", joint, &[(b, 0), (b, 1), (a, 0), (a, 1)], Rod);
    builder.build(0.0).expect("a right model")
}

/// Largest difference of (q, v) at 100 instants up to t = 1 from a run with 64 times the steps.
fn measured_order(made: impl Fn() -> Built, options: &Options) -> f64 {
    let states = |n: u64| {
        let (ours, _) = run(made(), options, 1.0 / n as f64, n);
        let all: Vec<Vec<f64>> = ours.q.iter().zip(&ours.v).map(|(q, v)| [&q[..], v].concat()).collect();
        all.into_iter().step_by(n as usize / 100).flatten().collect::<Vec<f64>>()
    };
    let fine = states(12_800);
    let far = |n: u64| states(n).iter().zip(&fine).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    let (coarse, finer) = (far(200), far(800));
    let measured = order(coarse, finer, 4.0);
    eprintln!("{coarse:.2e} → {finer:.2e}, order {measured:.3}");
    measured
}

#[test]
fn smooth_motion_is_of_order_two() {
    for options in [rho(1.0), rho(0.8), rho(0.0)] {
        for made in [springs as fn() -> Built, linear_system, free_double_pendulum, rods] {
            let measured = measured_order(made, &options);
            assert!((measured - 2.0).abs() < 0.1, "{measured}");
        }
    }
}

/// The force of a contact is a chain of impulses: no matter on a flat wall, order 1 on a curved one.
#[test]
fn lasting_contact_is_of_order_two_on_flat_and_one_on_curved_walls() {
    for options in [rho(1.0), rho(0.8)] {
        let (flat, curved) = (measured_order(pressed, &options), measured_order(bowl, &options));
        assert!((flat - 2.0).abs() < 0.1, "{flat}");
        assert!((curved - 1.0).abs() < 0.1, "{curved}");
    }
}

#[test]
fn joints_are_met_by_positions_and_by_velocities() {
    for options in [rho(1.0), rho(0.5)] {
        let (ours, _) = run(rods(), &options, 0.01, 1000);
        for k in 1..ours.t.len() {
            let (q, v) = (&ours.q[k], &ours.v[k]);
            let inner = q[0] * v[0] + q[1] * v[1];
            let outer = (q[2] - q[0]) * (v[2] - v[0]) + (q[3] - q[1]) * (v[3] - v[1]);
            let gaps = ours.gaps[k].iter().fold(0.0f64, |m, gap| m.max(gap.abs()));
            // Newton leaves 1e-12 of velocities up to 10.
            assert!(gaps < 1e-11, "gap {gaps:.1e} at t = {}", ours.t[k]);
            assert!(inner.abs().max(outer.abs()) < 1e-10, "{inner:.1e}, {outer:.1e}");
        }
    }
}

#[test]
fn without_damping_of_its_own_the_scheme_keeps_the_energy_of_linear_systems() {
    let (_, ledger) = run(springs(), &rho(1.0), 0.05, 2000);
    assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
    let change = ledger.energies.kinetic + ledger.energies.potential
        - ledger.initial.kinetic
        - ledger.initial.potential;
    assert!(change.abs() < 1e-11 * ledger.scale, "{change:e}");
    let (_, ledger) = run(linear_system(), &rho(1.0), 0.05, 2000);
    assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
    // With ρ < 1 the scheme takes its share, and says so.
    for made in [springs(), linear_system(), ball(3.0, 0.5), pressed()] {
        let (_, ledger) = run(made, &rho(0.5), 0.05, 2000);
        assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{ledger:?}");
    }
    let (_, ledger) = run(springs(), &rho(0.5), 0.05, 2000);
    assert!(ledger.total.scheme < -1e-3 * ledger.scale, "{ledger:?}");
}

/// A single oscillation at h ω = 10⁴: its amplitude falls as n² ρⁿ (the root at infinity is threefold).
#[test]
fn fast_oscillations_shrink_by_the_spectral_radius() {
    let made = || {
        let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).stiffness(Sparse::diagonal(&[1e8]));
        let mut builder = ModelBuilder::new();
        builder.linear(mass.initial(&[1.0], &[0.0]));
        builder.build(0.0).expect("a right model")
    };
    for radius in [0.9f64, 0.6, 0.2] {
        let (ours, _) = run(made(), &rho(radius), 1.0, 40);
        for k in [20, 40] {
            let bound = f64::from(k * k) * radius.powi(k) + 1e-10;
            assert!(ours.q[k as usize][0].abs() < bound, "{radius}, {k}: {}", ours.q[k as usize][0]);
        }
    }
    let (ours, _) = run(made(), &rho(1.0), 1.0, 40);
    assert!((ours.q[40][0].abs() - 1.0).abs() < 1e-3, "{}", ours.q[40][0]);
}

#[test]
fn a_ball_never_enters_and_rests() {
    for options in [rho(1.0), rho(0.8), rho(0.0)] {
        let h = 0.013;
        let (ours, _) = run(ball(3.0, 0.5), &options, h, 600);
        for k in 1..=600 {
            assert!(ours.gaps[k][0] >= -1e-16, "{:e} at step {k}", ours.gaps[k][0]);
        }
        for k in 400..=600 {
            let (q, v, p) = (ours.q[k][0], ours.v[k][0], ours.impulses[k][0]);
            assert!(q.abs() < 1e-14 && v.abs() < 1e-12, "{q:e}, {v:e} at step {k}");
            assert!((p - 6.0 * h).abs() < 1e-11, "{p} at step {k}");
        }
    }
}

/// Errors of the ball through two impacts, up to t = 2.3 s.
fn ball_errors(options: &Options, n: u64) -> [f64; 3] {
    models::ball_errors(&run(ball(3.0, 0.5), options, 2.3 / n as f64, n).0)
}

#[test]
fn impacts_are_of_order_one() {
    models::assert_order_one(|n| ball_errors(&rho(0.8), n));
}

/// An elastic bar of 20 elements pressed on a wall by a constant force, with steps far longer than its fastest
/// oscillation: it ends in the static solution, force and all, whatever M.
#[test]
fn a_pressed_bar_ends_in_its_static_solution() {
    for damping in [0.0, 1e-6, 1e-5, 1e-4] {
        let (n, k, m, force) = (20, 1e4, 1e-3, 5.0);
        let (mut springs, mut dampers) = (Vec::new(), Vec::new());
        for i in 0..n - 1 {
            for (a, b, sign) in [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)] {
                springs.push((a, b, sign * k));
                dampers.push((a, b, sign * k * damping));
            }
        }
        let matrix = |triplets: &[(usize, usize, f64)]| {
            Sparse::from_triplets(n, n, triplets).expect("triplets are inside")
        };
        let mut load = vec![0.0; n];
        load[n - 1] = -force;
        let mut bar = Linear::new("bar", Sparse::diagonal(&vec![m; n])).stiffness(matrix(&springs));
        if damping > 0.0 {
            bar = bar.damping(matrix(&dampers));
        }
        let mut builder = ModelBuilder::new();
        let bar = builder.linear(bar.load(&load).initial(&vec![0.001; n], &vec![-0.1; n]));
        let law = builder.law("wall", NewtonImpact { restitution: 0.0 });
        builder.linear_gap("wall", law, &[(bar, 0, 1.0)], 0.0);
        let made = builder.build(0.0).expect("a right model");
        // h ω = 60.
        let h = 0.01;
        let mut simulation = simulation(made, &rho(0.3), h);
        let mut most = 0;
        for _ in 0..3000 {
            let frame = simulation.step().expect("a good step");
            // Newton leaves 1e-12 of velocities up to 10, times h.
            assert!(frame.log.gaps[0] >= -1e-13, "{:e}", frame.log.gaps[0]);
            most = most.max(frame.log.newton_iterations);
        }
        let state = &simulation.state;
        for i in 0..n {
            let expected = -(i as f64) * force / k;
            assert!((state.q[i] - expected).abs() < 1e-9, "{i}: {} {expected}", state.q[i]);
        }
        let lasting = state.memory.forces[0];
        assert!((lasting - force).abs() < 1e-6, "{lasting}");
        eprintln!("damping {damping}: at most {most} iterations");
        // U and W are coupled through C alone: one after the other they converge linearly.
        assert!(most <= if damping > 0.0 { 20 } else { 3 }, "{most}");
    }
}

/// The double pendulum against two walls: M(q), gaps and impacts nonlinear.
#[test]
fn lagrangian_systems_keep_their_walls() {
    let mut builder = ModelBuilder::new();
    let pendulum = DoublePendulum { gravity: 10.0 };
    let pendulum = builder.lagrangian("pendulum", &["a", "b"], pendulum, &[0.1, 0.2], &[0.0; 2]);
    let elastic = builder.law("elastic", NewtonImpact { restitution: 0.7 });
    let plastic = builder.law("plastic", NewtonImpact { restitution: 0.0 });
    builder.gap("a", elastic, &[(pendulum, 0)], SineSum);
    builder.gap("b", plastic, &[(pendulum, 0), (pendulum, 1)], SineSum);
    let made = builder.build(0.0).expect("a right model");
    let (ours, ledger) = run(made, &rho(0.9), 1e-3, 3000);
    let lowest = ours.gaps.iter().flatten().fold(0.0f64, |m, gap| m.min(*gap));
    assert!(lowest > -1e-12, "{lowest:e}");
    assert!(ours.impulses.iter().any(|p| p[0] > 0.0) && ours.impulses.iter().any(|p| p[1] > 0.0));
    assert!(ledger.remainder.abs() < 0.05 * ledger.scale, "{ledger:?}");
}

/// The accelerations are all that a state must remember: a copy goes on with the same bits in a new integrator.
#[test]
fn a_state_resumes_where_it_was() {
    for made in [rods as fn() -> Built, || ball(3.0, 0.5), linear_system] {
        let mut whole = simulation(made(), &rho(0.7), 0.01);
        for _ in 0..150 {
            whole.step().expect("a good step");
        }
        let saved = whole.state.clone();
        let mut resumed = simulation(made(), &rho(0.7), 0.01);
        resumed.resume(saved, 0.0);
        for k in 0..150 {
            resumed.reset();
            whole.step().expect("a good step");
            resumed.step().expect("a good step");
            assert_eq!(whole.state, resumed.state, "step {k}");
        }
    }
}
