//! What the schemes promise on every model that they accept: scratch does not matter, a run can be cut anywhere, one integrator serves
//! two models, a failing force stops the run, the ledger of linear models closes.

use super::bodies;
use super::simulate;
use crate::integrator;
use crate::kit::{
    Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Observation, Options, Simulation, Sparse,
    State, StepLog,
};
use crate::nonlinear::{DoublePendulum, SineSum, free_double_pendulum, linear_system};

/// The schemes under test.
const SCHEMES: [&str; 3] = ["moreau-jean", "moreau-paoli", "schatzman-paoli"];
const STEP: f64 = 0.01;

type Make = fn() -> Built;
const MODELS: [(&str, Make); 11] = [
    ("free linear system", linear_system),
    ("free double pendulum", free_double_pendulum),
    ("beads", beads),
    ("chain", chain),
    ("pendulum at a wall", pendulum),
    ("shaken support", || support(false)),
    ("shaken support with a stop", || support(true)),
    ("heap of disks", bodies::disks),
    ("box and ball", bodies::box_and_ball),
    ("chain of hinges", bodies::hinges),
    ("springs between bodies", bodies::springs),
];

/// A mass on a spring and a damper whose support is shaken, with or without a stop.
fn support(has_stop: bool) -> Built {
    let mut builder = ModelBuilder::new();
    let matrix = |rows: [[f64; 2]; 2]| Sparse::from_rows(&rows.map(|row| row.to_vec()));
    let system = Linear::new("pair", matrix([[2.0, 0.3], [0.3, 1.0]]))
        .stiffness(matrix([[90.0, -90.0], [-90.0, 90.0]]))
        .damping(matrix([[0.5, -0.4], [-0.6, 0.5]]))
        .load(&[0.0, -9.81]);
    let system = builder.linear(system.initial(&[0.0, 0.05], &[1.0, 0.0]));
    builder.prescribe(system, 0, |t| Ok((9.0 * t).cos()));
    if has_stop {
        let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
        builder.linear_gap("floor", law, &[(system, 1, 1.0)], 0.1);
    }
    builder.build(0.0).expect("a right model")
}

fn beads() -> Built {
    let mut builder = ModelBuilder::new();
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    let mut below = None;
    for i in 0..6 {
        let bead = Linear::new(&format!("bead{i}"), Sparse::diagonal(&[1.0 + 0.1 * f64::from(i)]));
        let bead = builder.linear(bead.load(&[-9.81]).initial(&[0.05 * f64::from(i + 1)], &[0.0]));
        match below {
            None => builder.linear_gap("floor", law, &[(bead, 0, 1.0)], -0.01),
            Some(last) => {
                builder.linear_gap(&format!("pair{i}"), law, &[(last, 0, -1.0), (bead, 0, 1.0)], -0.02)
            }
        }
        below = Some(bead);
    }
    builder.build(0.0).expect("a right model")
}

/// One connected block of 30 masses, damped, over a floor.
fn chain() -> Built {
    let n = 30;
    let mut stiffness = Vec::new();
    for i in 0..n {
        stiffness.push((i, i, 200.0));
        if i + 1 < n {
            stiffness.extend([(i, i + 1, -100.0), (i + 1, i, -100.0)]);
        }
    }
    let mut builder = ModelBuilder::new();
    let v: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let system = Linear::new("chain", Sparse::diagonal(&vec![1.0; n]))
        .stiffness(Sparse::from_triplets(n, n, &stiffness).expect("inside"))
        .damping(Sparse::diagonal(&vec![0.2; n]))
        .load(&vec![-5.0; n])
        .initial(&vec![0.01; n], &v);
    let system = builder.linear(system);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    for i in [0, n / 2, n - 1] {
        builder.linear_gap(&format!("floor{i}"), law, &[(system, i, 1.0)], 0.0);
    }
    builder.build(0.0).expect("a right model")
}

fn pendulum() -> Built {
    let mut builder = ModelBuilder::new();
    let dynamics = DoublePendulum { gravity: 10.0 };
    let pendulum = builder.lagrangian("pendulum", &["a", "b"], dynamics, &[0.1, 0.2], &[0.0; 2]);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.gap("wall", law, &[(pendulum, 0), (pendulum, 1)], SineSum);
    builder.build(0.0).expect("a right model")
}

fn begin(scheme: &str, make: Make) -> Simulation {
    simulate(make(), (scheme, &Options::default()), STEP)
}

fn every_pair(mut see: impl FnMut(&str, &str, Make)) {
    for scheme in SCHEMES {
        MODELS.iter().for_each(|(name, make)| see(scheme, name, *make));
    }
}

/// All numbers of a step as bits.
pub fn bits(frame: &Observation<'_>) -> Vec<u64> {
    let State { t, step_size, q, v, scheme, memory, angles, .. } = frame.after;
    let log = frame.log;
    let rest = [log.energies.kinetic, log.energies.potential, log.works.sum(), *t, *step_size];
    let state = q.iter().chain(v).chain(scheme).chain(&memory.forces).chain(angles);
    let rows = &log.constraints;
    let rows = rows.impulse.iter().chain(&rows.work).chain(&rows.u_plus);
    state.chain(rows).chain(&log.gaps).chain(&rest).map(|x| x.to_bits()).collect()
}

#[test]
fn fresh_scratch_changes_no_bit_and_a_run_can_be_cut_anywhere() {
    every_pair(|scheme, name, make| {
        let mut whole = begin(scheme, make);
        for step in 1..=60 {
            whole.step().unwrap_or_else(|error| panic!("{scheme}, {name}, step {step}: {error}"));
        }
        let mut resumed = begin(scheme, make);
        resumed.resume(whole.state.clone(), 0.0);
        for step in 61..=200 {
            resumed.reset();
            let a = whole.step().unwrap_or_else(|error| panic!("{scheme}, {name}: {error}"));
            let b = resumed.step().unwrap_or_else(|error| panic!("{scheme}, {name}: {error}"));
            assert!(bits(&a) == bits(&b), "{scheme}, {name}, step {step}");
            assert_eq!(a.log.notes, b.log.notes, "{scheme}, {name}, step {step}");
        }
    });
}

#[test]
fn the_ledger_closes_without_bodies_that_tumble() {
    every_pair(|scheme, name, make| {
        if name.contains("pendulum") || name.contains("box") || name.contains("hinges") {
            return;
        }
        let mut simulation = begin(scheme, make);
        let mut ledger = EnergyLedger::default();
        simulation.run(300, &mut [&mut ledger]).expect("it runs");
        // Rounding of the sums of one step.
        let relative = ledger.worst_remainder / ledger.scale;
        assert!(relative < 1e-12, "{scheme}, {name}: remainder {relative:.1e}");
    });
}

#[test]
fn one_integrator_serves_all_models_in_turn() {
    for scheme in SCHEMES {
        let mut shared = integrator(scheme, &Options::default());
        for (name, make) in MODELS.iter().chain(&MODELS) {
            let (model, state) = make();
            let mut own = integrator(scheme, &Options::default());
            let results = [&mut shared, &mut own].map(|integrator| {
                let (mut next, mut log) = (state.clone(), StepLog::default());
                integrator.step(&model, &state, STEP, &mut next, &mut log).expect("a good step");
                (next, log.energies, log.works)
            });
            assert_eq!(results[0], results[1], "{scheme}, {name}");
        }
    }
}

#[test]
fn a_failing_force_stops_the_run_at_the_last_good_state() {
    for scheme in SCHEMES {
        let mut builder = ModelBuilder::new();
        let system = Linear::new("mass", Sparse::diagonal(&[1.0])).initial(&[1.0], &[0.0]);
        builder.linear(system.force(|t, out| {
            out[0] = 1.0;
            if t > 0.1 { Err("the force is broken".into()) } else { Ok(()) }
        }));
        let made = builder.build(0.0).expect("a right model");
        let mut simulation = simulate(made, (scheme, &Options::default()), STEP);
        let error = simulation.run(50, &mut []).expect_err("the force fails").to_string();
        assert!(error.contains("the force is broken") && error.contains("`mass`"), "{error}");
        assert!(simulation.state.t <= 0.1 + STEP && simulation.state.q[0].is_finite(), "{scheme}");
    }
}
