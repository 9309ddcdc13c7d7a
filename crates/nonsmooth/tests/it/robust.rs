//! What must not matter (scratch memory) and what goes wrong: errors, NaN, overflow, steps that cannot be
//! made. Wrong models are in `robust/wrong_models.rs`, a model that fails on demand in `robust/faulty.rs`.

mod faulty;
mod reuse;
mod wrong_models;

use crate::kit::{
    Built, Gap, Integrator, Linear, ModelBuilder, NewtonImpact, Observation, Options, Policy, RunError,
    Simulation, SolverSettings, Sparse, State, StepError, Summary, UserError, find_integrator,
};
use faulty::{Fault, SITES, Site, Switch, everything};

fn integrator(options: &Options, policy: Policy) -> Box<dyn Integrator> {
    let entry = find_integrator("moreau-jean").expect("listed");
    entry.build(options, SolverSettings { policy, ..SolverSettings::default() }).expect("valid options")
}

fn simulate((model, state): Built, h: f64) -> Simulation {
    Simulation::new(model, state, integrator(&Options::default(), Policy::Stop), h).expect("accepted")
}

fn ball() -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-9.81]).initial(&[0.3], &[0.0]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.7 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// A column of `n` beads, a small way apart.
fn beads(n: usize) -> Built {
    let mut builder = ModelBuilder::new();
    let law = builder.law("rebound", NewtonImpact { restitution: 0.3 });
    let mut below = None;
    for i in 0..n {
        let bead = Linear::new(&format!("bead{i}"), Sparse::diagonal(&[1.0 + 0.1 * i as f64]))
            .load(&[-9.81])
            .initial(&[0.05 * (i + 1) as f64], &[0.0]);
        let bead = builder.linear(bead);
        match below {
            None => builder.linear_gap("floor", law, &[(bead, 0, 1.0)], 0.0),
            Some(last) => builder.linear_gap("pair", law, &[(last, 0, -1.0), (bead, 0, 1.0)], 0.0),
        }
        below = Some(bead);
    }
    builder.build(0.0).expect("a right model")
}

/// A chain of `n` masses (one connected block, with damping that is unsymmetric by `skew`) over a floor.
fn chain(n: usize, skew: f64) -> Built {
    let (mut stiffness, mut damping) = (Vec::new(), Vec::new());
    for i in 0..n {
        stiffness.push((i, i, 200.0));
        damping.push((i, i, 0.2));
        if i + 1 < n {
            stiffness.extend([(i, i + 1, -100.0), (i + 1, i, -100.0)]);
            damping.extend([(i, i + 1, skew), (i + 1, i, -skew)]);
        }
    }
    let matrix = |triplets: &[_]| Sparse::from_triplets(n, n, triplets).expect("inside");
    let mut builder = ModelBuilder::new();
    let v: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let system = Linear::new("chain", Sparse::diagonal(&vec![1.0; n]))
        .stiffness(matrix(&stiffness))
        .damping(matrix(&damping))
        .load(&vec![-5.0; n])
        .initial(&vec![0.01; n], &v);
    let system = builder.linear(system);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    for i in [0, n / 2, n - 1] {
        builder.linear_gap("floor", law, &[(system, i, 1.0)], 0.0);
    }
    builder.build(0.0).expect("a right model")
}

/// All numbers of a step as bits: q, v, impulses, energies, works.
fn bits(frame: Observation<'_>) -> Vec<u64> {
    let (after, log) = (frame.after, frame.log);
    let rest = [log.energies.kinetic, log.energies.potential, log.works.sum(), after.t];
    let all =
        after.q.iter().chain(&after.v).chain(&log.constraints.impulse).chain(&log.gaps).chain(&rest);
    all.map(|x| x.to_bits()).collect()
}

#[test]
fn poisoned_scratch_changes_no_bit() {
    type Make = fn() -> Built;
    let models: [(&str, Make); 5] = [
        ("ball", ball),
        ("beads", || beads(40)),
        ("sparse chain", || chain(30, 0.0)),
        ("unsymmetric sparse chain", || chain(30, 0.1)),
        ("nonlinear, joint, velocity constraint, prescribed", || everything(&Switch::default())),
    ];
    for (name, make) in models {
        let (mut clean, mut poisoned) = (simulate(make(), 0.01), simulate(make(), 0.01));
        let mut impulses = 0;
        for step in 1..=300 {
            poisoned.reset();
            let a = clean.step().unwrap_or_else(|error| panic!("{name}: {error}"));
            let b = poisoned.step().unwrap_or_else(|error| panic!("{name}, poisoned: {error}"));
            impulses += a.log.constraints.impulse.iter().filter(|p| **p > 0.0).count();
            assert!(bits(a) == bits(b), "{name}, step {step}: {:?} {:?}", a.after, b.after);
            assert_eq!(a.after, b.after, "{name}, step {step}");
        }
        assert!(impulses > 0, "{name} never touches anything");
    }
}

/// 20 good steps, then one with the fault; the state must not move and the run must go on as if nothing
/// had happened.
fn fails_cleanly(site: Site, fault: Fault) -> Result<RunError, String> {
    let switch = Switch::new(site);
    let (mut clean, mut faulty) =
        (simulate(everything(&Switch::default()), 0.01), simulate(everything(&switch), 0.01));
    let mut reported = None;
    for step in 1..=40 {
        if step == 21 {
            let before = faulty.state.clone();
            switch.set(fault);
            reported = Some(match faulty.step() {
                Ok(frame) => return Err(format!("nothing is reported; {:?}", frame.log.energies)),
                Err(error) => error,
            });
            switch.set(Fault::None);
            assert!(same_bits(&faulty.state, &before), "{site:?}: the failed step moved the state");
        }
        let (a, b) = (clean.step().expect("clean"), faulty.step().expect("fault is off"));
        assert!(bits(a) == bits(b), "{site:?}, step {step}: the failed step left a trace");
    }
    Ok(reported.expect("step 21 is among them"))
}

/// Whether two states agree to the bit.
fn same_bits(a: &State, b: &State) -> bool {
    let all = |s: &State| -> Vec<u64> {
        let numbers = s.q.iter().chain(&s.v).chain(&s.scheme).chain(&s.memory.forces);
        numbers.chain([&s.t, &s.step_size]).map(|x| x.to_bits()).collect()
    };
    a == b && all(a) == all(b)
}

/// Where the error of the step came from, if it is the right kind and tells step and time.
fn check_place(site: Site, error: &RunError, owner: Option<&str>) -> Result<(), String> {
    let RunError::Step { step: 21, t, .. } = error else { return Err(format!("not step 21: {error}")) };
    let text = error.to_string();
    if (t - 0.2).abs() > 1e-12 || !text.starts_with("step 21 at t = 0.2") {
        return Err(format!("time is missing: {text}"));
    }
    match owner {
        Some(owner) if owner == site.owner() => Ok(()),
        _ => Err(format!("should name {}: {text}", site.owner())),
    }
}

#[test]
fn an_error_of_any_user_function_is_reported_with_its_place_and_leaves_the_state_alone() {
    let mut wrong = Vec::new();
    for &site in SITES {
        let checked = fails_cleanly(site, Fault::Error).and_then(|error| {
            let RunError::Step { source: StepError::User { place, source }, .. } = &error else {
                return Err(format!("another error: {error}"));
            };
            assert_eq!(source.to_string(), "broken on purpose");
            check_place(site, &error, place.split('`').nth(1))
        });
        wrong.extend(checked.err().map(|what| format!("{site:?}: {what}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_nan_from_any_user_function_is_reported_with_its_place_and_leaves_the_state_alone() {
    let mut wrong = Vec::new();
    for &site in SITES {
        let checked = fails_cleanly(site, Fault::Nan).and_then(|error| {
            let RunError::Step { source, .. } = &error else { return Err(format!("{error}")) };
            let owner = match source {
                StepError::NotFinite { system, value, .. } if value.is_nan() => Some(&**system),
                StepError::ConstraintNotFinite { constraint, value, .. } if value.is_nan() => {
                    constraint.split('`').nth(1)
                }
                _ => None,
            };
            check_place(site, &error, owner)
        });
        wrong.extend(checked.err().map(|what| format!("{site:?}: {what}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Two coordinates of which the second gets `force(t)`; K couples them if `coupled`.
fn pushed(coupled: bool, force: fn(f64) -> Result<f64, UserError>) -> Simulation {
    let mut builder = ModelBuilder::new();
    let c = if coupled { -1.0 } else { 0.0 };
    let mut cart = Linear::new("cart", Sparse::diagonal(&[1.0, 1.0]))
        .stiffness(Sparse::from_rows(&[vec![2.0, c], vec![c, 2.0]]))
        .force(move |t, out| {
            out[1] = force(t)?;
            Ok(())
        })
        .initial(&[1.0, 0.0], &[0.0, 0.0]);
    cart.coordinates = vec!["left".into(), "right".into()];
    builder.linear(cart);
    simulate(builder.build(0.0).expect("a right model"), 0.125)
}

#[test]
fn a_force_that_fails_at_a_given_time_stops_the_run_there() {
    // θ-averaged: the step from 0.875 to 1 is the first to ask for the force at t ≥ 1.
    let mut simulation = pushed(true, |t| if t < 1.0 { Ok(t) } else { Err("no more fuel".into()) });
    let error = simulation.run(100, &mut []).expect_err("the force fails");
    assert_eq!(error.to_string(), "step 8 at t = 0.875 s: system `cart`: no more fuel");
    assert_eq!((simulation.state.step, simulation.state.t), (7, 0.875));
}

#[test]
fn a_nan_force_is_traced_to_its_coordinate() {
    for coupled in [false, true] {
        let mut simulation = pushed(coupled, |t| Ok(if t < 1.0 { t } else { f64::NAN }));
        let error = simulation.run(100, &mut []).expect_err("the force is NaN").to_string();
        let posed = error.starts_with("step 8 at t = 0.875 s:") && error.contains("system `cart`");
        assert!(posed && error.contains("coordinate `right`"), "coupled: {coupled}, {error}");
    }
}

#[test]
fn overflow_is_reported_for_velocities_energies_and_positions() {
    // Load, step size, start: v overflows at once; v² overflows long before v does; q does though v does not.
    let cases = [
        ("velocity", 1e308, 100.0, 0.0),
        ("energy", 1e160, 0.5, 0.0),
        ("position", 1e305, 1e3, f64::MAX),
    ];
    for (what, load, h, start) in cases {
        let mut builder = ModelBuilder::new();
        let rocket = Linear::new("rocket", Sparse::diagonal(&[1.0]));
        builder.linear(rocket.load(&[load]).initial(&[start], &[0.0]));
        let mut simulation = simulate(builder.build(0.0).expect("a right model"), h);
        let error = simulation.run(1000, &mut []).expect_err("it overflows").to_string();
        let wanted = format!("{what} of system `rocket`, coordinate `q0`, is ");
        assert!(error.contains(&wanted) && error.starts_with("step "), "{error}");
        let state = &simulation.state;
        assert!(state.q[0].is_finite() && state.v[0].is_finite(), "{state:?}");
    }
}

/// Height over a floor that is not there from t = 1 on: `after` is what it says then.
struct Vanishing(fn() -> Result<f64, UserError>);

impl Gap for Vanishing {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        if t < 1.0 { Ok(q[0]) } else { (self.0)() }
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn is_linear(&self) -> bool {
        true
    }
}

fn over_a_vanishing_floor(height: f64, after: fn() -> Result<f64, UserError>) -> Simulation {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-1.0]).initial(&[height], &[0.0]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.0 });
    builder.gap("floor", law, &[(ball, 0)], Vanishing(after));
    simulate(builder.build(0.0).expect("a right model"), 0.125)
}

#[test]
fn a_gap_that_fails_at_the_end_of_the_step_is_named() {
    // In contact and in flight: the gap is asked for at other places of the step.
    for height in [0.0, 10.0] {
        let mut simulation = over_a_vanishing_floor(height, || Err("the floor is gone".into()));
        let error = simulation.run(100, &mut []).expect_err("the gap fails").to_string();
        assert_eq!(error, "step 8 at t = 0.875 s: constraint `floor`: the floor is gone", "{height}");
        assert_eq!(simulation.state.step, 7);
    }
}

#[test]
fn no_step_logs_a_gap_that_is_nan() {
    for height in [0.0, 10.0] {
        let mut simulation = over_a_vanishing_floor(height, || Ok(f64::NAN));
        let error = loop {
            match simulation.step() {
                Ok(frame) => {
                    let step = frame.after.step;
                    assert!(
                        !frame.log.gaps[0].is_nan(),
                        "height {height}: NaN in the log of step {step}"
                    );
                }
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("gap of constraint `floor` is NaN"), "{height}: {error}");
    }
}

#[test]
fn newton_that_cannot_converge_says_so() {
    let options = Options::default().with("newton_iterations", 1.0).with("newton_tolerance", 1e-15);
    let (model, state) = everything(&Switch::default());
    let before = state.clone();
    let mut simulation =
        Simulation::new(model, state, integrator(&options, Policy::Stop), 0.05).expect("accepted");
    let error = simulation.step().err().expect("one iteration is not enough");
    let RunError::Step { step: 1, source, .. } = &error else { panic!("{error}") };
    let StepError::Newton { iterations, change, tolerance, .. } = source else { panic!("{error}") };
    assert!(*iterations == 1 && *tolerance == 1e-15 && *change > 1e-15, "{error}");
    assert!(same_bits(&simulation.state, &before));
}

#[test]
fn a_singular_iteration_matrix_names_its_system() {
    // h θ = ¼, so M̂ = M + K/16: 0, a 2 × 2 matrix of rank one, the Laplacian of a path.
    let path = |n: usize| -> Vec<Vec<f64>> {
        let degree = |i: usize| if i == 0 || i + 1 == n { 1.0 } else { 2.0 };
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 16.0 * (degree(i) - 1.0),
            1 => -16.0,
            _ => 0.0,
        };
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    };
    for stiffness in [vec![vec![-16.0]], vec![vec![-8.0; 2]; 2], path(2), path(12), path(40)] {
        let n = stiffness.len();
        let mut builder = ModelBuilder::new();
        builder.linear(Linear::new("sound", Sparse::diagonal(&[1.0])));
        let system = Linear::new("unstable", Sparse::diagonal(&vec![1.0; n]));
        builder.linear(
            system.stiffness(Sparse::from_rows(&stiffness)).initial(&vec![1.0; n], &vec![0.5; n]),
        );
        let (model, state) = builder.build(0.0).expect("only the step is impossible");
        let before = state.clone();
        let mut simulation = simulate((model, state), 0.5);
        let error = simulation.step().err().unwrap_or_else(|| panic!("{n}: the step was made"));
        let RunError::Step { source: StepError::Singular { system }, .. } = &error else {
            panic!("{n}: {error}")
        };
        assert_eq!(system, "unstable");
        assert!(same_bits(&simulation.state, &before));
    }
}

/// A piston driven at −1 m/s towards a wall 0.1 m away, and a ball that bounces beside it.
fn piston(policy: Policy) -> Simulation {
    let mut builder = ModelBuilder::new();
    let piston = Linear::new("piston", Sparse::diagonal(&[1.0])).initial(&[0.1], &[-1.0]);
    let piston = builder.linear(piston);
    let ball = Linear::new("ball", Sparse::diagonal(&[2.0])).load(&[-9.81]).initial(&[0.001], &[0.0]);
    let ball = builder.linear(ball);
    builder.prescribe(piston, 0, |_| Ok(-1.0));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.linear_gap("wall", law, &[(piston, 0, 1.0)], 0.0);
    let (model, state) = builder.build(0.0).expect("a right model");
    let integrator = integrator(&Options::default(), policy);
    Simulation::new(model, state, integrator, 0.01).expect("accepted")
}

#[test]
fn a_driven_piston_at_a_wall_has_no_solution_and_the_wall_is_named() {
    let mut simulation = piston(Policy::Stop);
    let mut summary = Summary::default();
    let error = simulation.run(100, &mut [&mut summary]).expect_err("the wall cannot hold it");
    let RunError::Step { step, source, .. } = &error else { panic!("{error}") };
    let StepError::NotConverged { residual, worst, .. } = source else { panic!("{error}") };
    assert_eq!(worst.as_deref(), Some("constraint `wall`"), "{error}");
    assert!(*residual > 0.1 && summary.unconverged == 0 && summary.steps + 1 == *step, "{error}");
    // The gap 0.1 − t closes in the look-ahead γ h at t = 0.095, seen at the start of step 11.
    assert!((10..=11).contains(step), "{error}");
}

#[test]
fn with_the_policy_to_count_the_run_goes_on_and_counts() {
    let mut simulation = piston(Policy::Count);
    let mut summary = Summary::default();
    simulation.run(100, &mut [&mut summary]).expect("the policy is to go on");
    assert_eq!(summary.steps, 100);
    // All steps from the one that Policy::Stop refuses.
    assert!((90..=91).contains(&summary.unconverged), "{summary:?}");
    assert!(summary.residual > 0.1, "{summary:?}");
    // The piston keeps its velocity.
    assert!((simulation.state.q[0] + 0.9).abs() < 1e-12, "{:?}", simulation.state);
}

#[test]
fn an_unsolvable_contact_does_not_disturb_the_others() {
    let mut simulation = piston(Policy::Count);
    for _ in 0..100 {
        let frame = simulation.step().expect("the policy is to go on");
        let (q, v) = (frame.after.q[1], frame.after.v[1]);
        // The ball is at rest after step 3, at most h v = 1e-3 m deep.
        let at_rest = q.abs() < 1e-3 && (frame.after.step < 5 || v.abs() < 1e-9);
        assert!(at_rest, "step {}: ball at {q}, {v} m/s; {:?}", frame.after.step, frame.log.solves);
    }
}
