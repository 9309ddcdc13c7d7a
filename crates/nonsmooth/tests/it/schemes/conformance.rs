//! What every listed integrator promises, on every model that it accepts: scratch does not matter, a run can be cut
//! anywhere, a failed step leaves the state alone, one integrator serves two models.

use super::build;
use crate::kit::{
    At, Built, Lagrangian, Linear, ModelBuilder, NewtonImpact, Observation, Options, RunError,
    Simulation, SolverSettings, Sparse, StepError, StepLog, UserError,
};
use crate::nonlinear::{DoublePendulum, SineSum, free_double_pendulum, linear_system};
use crate::paoli::bodies;
use crate::tracking::{ALL as TRACKING, contacts, joints};
use nonsmooth::INTEGRATORS;
use nonsmooth_solvers::{Outcome, Problem, Solver, Unsupported, certify};
use std::sync::{Arc, Mutex};

type Make = fn() -> Built;
const MODELS: [(&str, Make); 16] = [
    ("free linear system", linear_system),
    ("free double pendulum", free_double_pendulum),
    ("ball", ball),
    ("beads", beads),
    ("chain", chain),
    ("two masses", two_masses),
    ("pendulum at a wall", pendulum),
    ("shaken support", || support(false)),
    ("shaken support with a stop", || support(true)),
    ("ball in space", || contacts::bouncing(false, 0.0).build()),
    ("ball on a ball", || contacts::sliding(true).build()),
    ("pendulum by a joint", || joints::hinged(false).build(0.0).expect("a right model")),
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

fn ball() -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-9.81]).initial(&[0.3], &[0.0]);
    let ball = builder.linear(ball);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
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
            Some(last) => builder.linear_gap("pair", law, &[(last, 0, -1.0), (bead, 0, 1.0)], -0.02),
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
        builder.linear_gap("floor", law, &[(system, i, 1.0)], 0.0);
    }
    builder.build(0.0).expect("a right model")
}

fn two_masses() -> Built {
    let mut builder = ModelBuilder::new();
    let stiffness = Sparse::from_rows(&[vec![2.0, -1.0], vec![-1.0, 1.0]]);
    let system = Linear::new("masses", Sparse::diagonal(&[1.0, 1.0])).stiffness(stiffness);
    let system = builder.linear(system.initial(&[0.0; 2], &[10.0, 10.0]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("wall", law, &[(system, 1, -1.0)], 1.0);
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

const STEP: f64 = 0.01;

/// A run of this model by this integrator; `None` if it is refused.
fn begin(scheme: &str, make: Make) -> Option<Simulation> {
    let (model, state) = make();
    Simulation::new(model, state, build(scheme, &Options::default()), STEP).ok()
}

/// Shows every pair of an integrator and a model that it accepts; every integrator must accept at least one.
fn every_pair(mut see: impl FnMut(&str, &str, Make)) {
    for entry in INTEGRATORS {
        let accepted = MODELS.iter().filter(|(_, make)| begin(entry.name, *make).is_some());
        let accepted: Vec<_> = accepted.collect();
        assert!(!accepted.is_empty(), "{} accepts none of the models", entry.name);
        for (name, make) in accepted {
            see(entry.name, name, *make);
        }
    }
}

/// All numbers of a step as bits.
fn bits(frame: Observation<'_>) -> Vec<u64> {
    let (after, log) = (frame.after, frame.log);
    let rest = [log.energies.kinetic, log.energies.potential, log.works.sum(), after.t, after.step_size];
    let state = after
        .q
        .iter()
        .chain(&after.v)
        .chain(&after.scheme)
        .chain(&after.memory.forces)
        .chain(&after.angles);
    let rows = &log.constraints;
    let rows = rows.impulse.iter().chain(&rows.work).chain(&rows.u_plus);
    state.chain(rows).chain(&log.gaps).chain(&rest).map(|x| x.to_bits()).collect()
}

/// Two steps that must be the same: both good, or both failed with the same words (`event-driven` cannot pass an
/// accumulation).
fn both<'a>(
    a: Result<Observation<'a>, RunError>,
    b: Result<Observation<'a>, RunError>,
    what: &str,
) -> Option<(Observation<'a>, Observation<'a>)> {
    match (a, b) {
        (Ok(a), Ok(b)) => Some((a, b)),
        (Err(a), Err(b)) => {
            assert_eq!(a.to_string(), b.to_string(), "{what}");
            None
        }
        (a, b) => panic!("{what}: {:?} {:?}", a.err(), b.err()),
    }
}

#[test]
fn scratch_changes_no_bit() {
    every_pair(|scheme, name, make| {
        let [mut clean, mut dropped] = [0, 1].map(|_| begin(scheme, make).expect("accepted"));
        for step in 1..=200 {
            dropped.reset();
            let what = format!("{scheme}, {name}, step {step}");
            let Some((a, b)) = both(clean.step(), dropped.step(), &what) else { break };
            assert!(bits(a) == bits(b), "{scheme}, {name}, step {step}: {:?} {:?}", a.after, b.after);
            assert_eq!(a.log.notes, b.log.notes, "{scheme}, {name}, step {step}");
        }
    });
}

#[test]
fn a_run_can_be_cut_anywhere() {
    every_pair(|scheme, name, make| {
        let mut whole = begin(scheme, make).expect("accepted");
        if let Some(error) = (0..60).find_map(|_| whole.step().err()) {
            // It cannot pass an accumulation: there is nothing to cut.
            assert_eq!(scheme, "event-driven", "{name}: {error}");
            return;
        }
        let mut resumed = begin(scheme, make).expect("accepted");
        resumed.resume(whole.state.clone(), 0.0);
        for step in 61..=200 {
            let what = format!("{scheme}, {name}, step {step}");
            let Some((a, b)) = both(whole.step(), resumed.step(), &what) else { break };
            assert!(bits(a) == bits(b), "{scheme}, {name}, step {step}: {:?} {:?}", a.after, b.after);
        }
    });
}

#[test]
fn the_ledger_of_linear_models_closes() {
    every_pair(|scheme, name, make| {
        let mut simulation = begin(scheme, make).expect("accepted");
        // A box that tumbles has the identity only where its rotation is a midpoint rule.
        let tumbles = scheme == "generalized-alpha" && name == "box and ball";
        if !simulation.model.is_linear() || tumbles {
            return;
        }
        let mut ledger = crate::kit::EnergyLedger::default();
        let ended = simulation.run(300, &mut [&mut ledger]);
        // The one that does not go past an accumulation is judged up to there.
        assert!(ended.is_ok() || scheme == "event-driven", "{scheme}, {name}: {ended:?}");
        // Rounding of the sums of one step, or of the inner steps of one. Schemes without an identity leave their local error,
        // ω h = 0.1 to the fifth.
        let bound = match scheme {
            "high-order" | "event-driven" | "splitting" => 1e-6,
            _ => 1e-12,
        };
        let relative = ledger.worst_remainder / ledger.scale;
        assert!(relative < bound, "{scheme}, {name}: remainder {relative:.1e}");
    });
}

/// The same support with the smallest steps, by every scheme that takes it: one motion, and one work of what shakes it. M couples the support to
/// the mass, so that the acceleration of the support acts on the mass, and the floor on the support.
#[test]
fn a_shaken_support_moves_the_same_by_every_scheme_and_does_the_same_work() {
    let end = |scheme: &str, has_stop: bool, n: u64| {
        let (model, state) = support(has_stop);
        let mut simulation =
            Simulation::new(model, state, build(scheme, &Options::default()), 1.5 / n as f64).ok()?;
        let mut ledger = crate::kit::EnergyLedger::default();
        simulation.run(n, &mut [&mut ledger]).ok()?;
        Some([simulation.state.q[1], ledger.total.prescribed])
    };
    for has_stop in [false, true] {
        let [x, work] = end("moreau-jean", has_stop, 30_000).expect("it takes the model");
        assert!(work.abs() > 0.1, "the support does work: {work}");
        for scheme in ["kick-drift", "moreau-projected"] {
            let [y, done] = end(scheme, has_stop, 6000).expect("it takes the model");
            // h = 0.25 ms, ω = 9 / s.
            assert!((x - y).abs() < 2e-3 * 0.1, "{scheme}, {has_stop}: {x} {y}");
            assert!((done - work).abs() < 5e-3 * work.abs(), "{scheme}, {has_stop}: {done} {work}");
        }
    }
}

/// A solver that shows the impulses with which its last solve ended.
struct Shown {
    inner: Box<dyn Solver>,
    p: Arc<Mutex<Vec<f64>>>,
}

impl Solver for Shown {
    fn accepts(&self, problem: &Problem) -> Result<(), Unsupported> {
        self.inner.accepts(problem)
    }

    fn solve(&mut self, problem: &Problem, tolerance: f64, p: &mut [f64]) -> Outcome {
        let outcome = self.inner.solve(problem, tolerance, p);
        *self.p.lock().expect("no panic") = p.to_vec();
        outcome
    }

    fn forget(&mut self) {
        self.inner.forget();
    }
}

/// One sweep of Gauss–Seidel does not solve a column of beads: what was not solved can be saved. With the impulses of
/// the last solve it has the residual of the error, to the bit, so it is the problem that failed.
#[test]
fn a_step_that_is_not_solved_leaves_its_problem() {
    let mut left = Vec::new();
    for entry in INTEGRATORS {
        let sweep = Options::default().with("max_sweeps", 1.0);
        let inner = nonsmooth_solvers::find("nsgs").expect("listed").build(&sweep).expect("valid");
        let p = Arc::default();
        let solver = Box::new(Shown { inner, p: Arc::clone(&p) });
        let solving = SolverSettings { solver, ..SolverSettings::default() };
        let integrator = entry.build(&Options::default(), solving).expect("valid");
        let (model, state) = beads();
        let Ok(mut simulation) = Simulation::new(model, state, integrator, 0.01) else { continue };
        let Err(error) = simulation.run(100, &mut []) else { continue };
        let RunError::Step { source: StepError::NotConverged { residual, .. }, .. } = error else {
            continue;
        };
        let problem = simulation.last_problem().expect("a failed step keeps its problem");
        let p = p.lock().expect("no panic");
        assert_eq!(problem.size(), p.len(), "{}", entry.name);
        assert_eq!(certify(problem, &p, &mut Vec::new()).residual, residual, "{}", entry.name);
        left.push(entry.name);
    }
    eprintln!("{left:?}");
    assert!(
        TRACKING.iter().chain(&["moreau-adaptive", "moreau-jean"]).all(|s| left.contains(s)),
        "{left:?}"
    );
}

#[test]
fn one_integrator_serves_two_models_in_turn() {
    for entry in INTEGRATORS {
        let accepted: Vec<Make> = MODELS
            .iter()
            .map(|(_, make)| *make)
            .filter(|make| begin(entry.name, *make).is_some())
            .collect();
        let mut shared = build(entry.name, &Options::default());
        for make in accepted.iter().chain(&accepted) {
            let (model, state) = make();
            let mut own = build(entry.name, &Options::default());
            let results = [&mut shared, &mut own].map(|integrator| {
                let (mut next, mut log) = (state.clone(), StepLog::default());
                integrator.step(&model, &state, STEP, &mut next, &mut log).expect("a good step");
                (next, log.energies, log.works)
            });
            assert_eq!(results[0], results[1], "{}", entry.name);
        }
    }
}

#[test]
fn a_failing_force_stops_the_run_at_the_last_good_state() {
    let mut met = 0;
    for entry in INTEGRATORS {
        let mut builder = ModelBuilder::new();
        let system = Linear::new("mass", Sparse::diagonal(&[1.0])).initial(&[1.0], &[0.0]);
        builder.linear(system.force(|t, out| {
            out[0] = 1.0;
            if t > 0.1 { Err("the force is broken".into()) } else { Ok(()) }
        }));
        let (model, state) = builder.build(0.0).expect("a right model");
        let integrator = build(entry.name, &Options::default());
        let Ok(mut simulation) = Simulation::new(model, state, integrator, STEP) else { continue };
        met += 1;
        let error = simulation.run(50, &mut []).expect_err("the force fails").to_string();
        assert!(error.contains("the force is broken") && error.contains("`mass`"), "{error}");
        assert!(simulation.state.t <= 0.1 + STEP && simulation.state.q[0].is_finite(), "{}", entry.name);
    }
    assert!(met >= 12, "{met}");
}

/// Two masses of which M couples one to the other, whose velocity is prescribed, as a Lagrangian system or as a linear one.
fn coupled(is_lagrangian: bool) -> Built {
    struct Coupled;
    impl Lagrangian for Coupled {
        fn mass(&self, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
            out.copy_from_slice(&[2.0, 1.0, 1.0, 3.0]);
            Ok(())
        }
        fn jacobians(&self, _at: At<'_>, c: &mut [f64], k: &mut [f64]) -> Result<(), UserError> {
            c.fill(0.0);
            k.fill(0.0);
            Ok(())
        }
    }
    let mut builder = ModelBuilder::new();
    let system = if is_lagrangian {
        builder.lagrangian("pair", &["a", "b"], Coupled, &[0.0; 2], &[0.0; 2])
    } else {
        let mass = Sparse::from_rows(&[vec![2.0, 1.0], vec![1.0, 3.0]]);
        builder.linear(Linear::new("pair", mass))
    };
    builder.prescribe(system, 0, |t| Ok(1.0 + t));
    builder.build(0.0).expect("a right model")
}

/// The prescribed velocity acts through M in the same step, in schemes with one pass too.
#[test]
fn a_prescribed_velocity_acts_through_the_mass() {
    let mut met = 0;
    for entry in INTEGRATORS {
        let run = |is_lagrangian: bool| {
            let (model, state) = coupled(is_lagrangian);
            let integrator = build(entry.name, &Options::default());
            let mut simulation = Simulation::new(model, state, integrator, STEP).ok()?;
            simulation.run(20, &mut []).ok()?;
            Some(simulation.state)
        };
        let (Some(a), Some(b)) = (run(true), run(false)) else { continue };
        met += 1;
        for (a, b) in a.q.iter().chain(&a.v).zip(b.q.iter().chain(&b.v)) {
            // Newton's tolerance, relative to velocities of 1 m/s.
            assert!((a - b).abs() < 1e-11, "{}: {a} {b}", entry.name);
        }
    }
    assert!(met >= 7, "{met}");
}
