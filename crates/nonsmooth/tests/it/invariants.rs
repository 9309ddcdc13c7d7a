//! Properties of random linear systems under random linear constraints. A failure names the seed;
//! `random(seed, …)` brings the model back.

use crate::kit::{
    ConstraintId, Integrator, Model, Observation, Options, SOLVERS, Simulation, SolverSettings, State,
    StepError, StepLog, find_integrator,
};
use crate::ledger::{Dense, Plant, Tie, balances, dot, energies_of, integrator, recompute};
use nonsmooth_testkit::Random;

/// Largest residual that the integrator lets pass (`DEFAULT_TOLERANCE`), doubled because the test sums in
/// another order.
const CERTIFIED: f64 = 2.0 * crate::kit::DEFAULT_TOLERANCE;
const SEEDS: u64 = 400;
const STEPS: u64 = 150;

/// 0 or 1 now and then, else in between.
fn restitution(random: &mut Random) -> f64 {
    [0.0, 1.0, random.unit(), random.unit()][random.count(0, 3)]
}

struct Case {
    plant: Plant,
    theta: f64,
    h: f64,
    /// Whether no constraint follows from the others.
    independent: bool,
    max_restitution: f64,
}

/// Adds scale·Σ x xᵀ with `rank` random x on the coordinates `first..first + n`.
fn add_squares(a: &mut Dense, random: &mut Random, first: usize, n: usize, (rank, scale): (usize, f64)) {
    for _ in 0..rank {
        let x = random.signed_vector(n);
        for i in 0..n {
            for j in 0..n {
                a[first + i][first + j] += scale * x[i] * x[j];
            }
        }
    }
}

/// Number of rows that are independent, by Gram–Schmidt.
fn rank(rows: &[&Vec<f64>]) -> usize {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let mut x = (*row).clone();
        let whole = dot(&x, &x).sqrt();
        for _ in 0..2 {
            for b in &basis {
                let along = dot(&x, b);
                x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        let left = dot(&x, &x).sqrt();
        // Random rows are this close to dependent once in 1e3; then one common e does no harm.
        if left > 1e-3 * whole {
            basis.push(x.iter().map(|x| x / left).collect());
        }
    }
    basis.len()
}

/// Up to six coordinates in up to three systems under up to six constraints; `forced` adds loads.
fn random(seed: u64, forced: bool) -> Case {
    let mut random = Random::new(seed);
    let n = random.count(1, 6);
    let mut sizes = Vec::new();
    while sizes.iter().sum::<usize>() < n {
        sizes.push(random.count(1, n - sizes.iter().sum::<usize>()));
    }
    let zero = || vec![vec![0.0; n]; n];
    let (mut mass, mut damping, mut stiffness) = (zero(), zero(), zero());
    let (mut first, mut bounds) = (0, Vec::new());
    for &size in &sizes {
        add_squares(&mut mass, &mut random, first, size, (size, 1.0));
        (first..first + size).for_each(|i| mass[i][i] += 0.5);
        let (a, b) = (random.count(0, size), random.count(0, size));
        add_squares(&mut damping, &mut random, first, size, (a, 0.3));
        add_squares(&mut stiffness, &mut random, first, size, (b, 30.0));
        bounds.push(first..first + size);
        first += size;
    }
    let (q, v) = (random.signed_vector(n), random.signed_vector(n));
    let mut ties: Vec<Tie> = Vec::new();
    for k in 0..random.count(1, 6) {
        let (a, b) = (random.count(0, sizes.len() - 1), random.count(0, sizes.len() - 1));
        let mut row = random.signed_vector(n);
        (0..n).filter(|i| !bounds[a].contains(i) && !bounds[b].contains(i)).for_each(|i| row[i] = 0.0);
        let mut gap = random.between(0.0, 0.3);
        // One in three repeats an earlier one, scaled.
        if k > 0 && random.count(0, 2) == 0 {
            let (like, scale) = (&ties[random.count(0, k - 1)], random.between(0.5, 2.0));
            row = like.row.iter().map(|x| scale * x).collect();
            gap = scale * (dot(&like.row, &q) + like.offset);
        }
        let offset = gap - dot(&row, &q);
        ties.push(Tie { row, offset, restitution: None, motion: None });
    }
    let independent = rank(&ties.iter().map(|tie| &tie.row).collect::<Vec<_>>()) == ties.len();
    // With different e on dependent constraints a step may have no solution (READING-THE-PAPERS, LCP).
    let common = restitution(&mut random);
    for tie in &mut ties {
        tie.restitution = Some(if independent { restitution(&mut random) } else { common });
    }
    let max_restitution = ties.iter().filter_map(|tie| tie.restitution).fold(0.0, f64::max);
    let load = if forced { random.signed_vector(n) } else { vec![0.0; n] };
    let force = if forced { random.signed_vector(n) } else { Vec::new() };
    let top = 1.0 / (1.0 + max_restitution);
    let theta = [0.5, top, random.between(0.5, top), random.between(0.5, top)][random.count(0, 3)];
    let h = random.between(0.005, 0.05);
    let prescribed = Vec::new();
    let plant = Plant { sizes, mass, damping, stiffness, load, force, q, v, ties, prescribed };
    Case { plant, theta, h, independent, max_restitution }
}

impl Case {
    fn start(&self) -> Simulation {
        let (model, state) = self.plant.build();
        Simulation::new(model, state, integrator(self.theta), self.h).expect("accepted")
    }

    /// W = H M̂⁻¹ Hᵀ of the constraints of a step, by elimination.
    fn delassus(&self, rows: &[&Vec<f64>]) -> Dense {
        let Plant { mass, damping, stiffness, .. } = &self.plant;
        let a = self.h * self.theta;
        let m_hat = |i: usize, j: usize| mass[i][j] + a * damping[i][j] + a * a * stiffness[i][j];
        let n = mass.len();
        let column = |row: &Vec<f64>| {
            let whole: Dense = (0..n).map(|i| (0..n).map(|j| m_hat(i, j)).collect()).collect();
            let x = eliminate(whole, row.clone());
            rows.iter().map(|row| dot(row, &x)).collect()
        };
        rows.iter().map(|row| column(row)).collect()
    }
}

/// A⁻¹ b for a positive definite A.
fn eliminate(mut a: Dense, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// Norm of min(W_ii p_i, u⁺ + e u⁻) over the constraints of a step, relative as in the certificate.
fn complementarity(case: &Case, frame: Observation<'_>) -> f64 {
    let contacts = &frame.log.constraints;
    let ties: Vec<&Tie> = contacts.ids.iter().map(|&k| case.plant.tie(frame.model, k)).collect();
    let delassus = case.delassus(&ties.iter().map(|tie| &tie.row).collect::<Vec<_>>());
    let (mut sum, mut sum_free, mut sum_moved) = (0.0, 0.0, 0.0);
    for (i, tie) in ties.iter().enumerate() {
        let moved = dot(&delassus[i], &contacts.impulse);
        let e = tie.restitution.expect("unilateral");
        let law = dot(&tie.row, &frame.after.v) + e * dot(&tie.row, &frame.before.v);
        sum += law.min(delassus[i][i] * contacts.impulse[i]).powi(2);
        sum_free += (law - moved).powi(2);
        sum_moved += moved.powi(2);
    }
    let scale = f64::max(sum_free, sum_moved).sqrt();
    if scale > 0.0 { sum.sqrt() / scale } else { 0.0 }
}

#[test]
fn impulses_and_velocities_are_complementary_on_active_constraints() {
    let (mut worst, mut at, mut loaded) = (0.0, 0, 0u64);
    for seed in 0..SEEDS {
        let case = random(seed, true);
        let mut simulation = case.start();
        for _ in 0..STEPS {
            let frame = simulation.step().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let (contacts, step) = (&frame.log.constraints, frame.after.step);
            for (&key, &p) in contacts.ids.iter().zip(&contacts.impulse) {
                assert!(p >= 0.0, "seed {seed}, step {step}: {key:?} pulls with {p}");
                loaded += u64::from(p > 0.0);
            }
            let residual = complementarity(&case, frame);
            if residual > worst {
                (worst, at) = (residual, seed);
            }
            assert!(residual <= CERTIFIED, "seed {seed}, step {step}: {residual:e}, {contacts:?}");
        }
    }
    println!("worst residual {worst:e} at seed {at}; {loaded} impulses");
    assert!(loaded > 10_000, "the random models hardly touch anything: {loaded}");
}

#[test]
fn a_constraint_takes_part_if_and_only_if_its_predicted_gap_is_closed() {
    let mut worst = 0.0f64;
    for seed in 0..SEEDS {
        let case = random(seed, true);
        let mut simulation = case.start();
        for _ in 0..STEPS {
            let frame = simulation.step().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let (now, step) = (frame.before, frame.after.step);
            for key in all(frame.model) {
                let tie = case.plant.tie(frame.model, key);
                let ahead = tie.gap(now.t, &now.q) + 0.5 * case.h * dot(&tie.row, &now.v);
                let place = frame.log.constraints.ids.binary_search(&key);
                // Closer to zero than the rounding of terms of order one, either answer is right.
                let near = ahead.abs() < 1e-14;
                assert!(near || place.is_ok() == (ahead < 0.0), "seed {seed}, step {step}: {ahead:e}");
                if let Ok(i) = place {
                    let off = (frame.log.constraints.gap[i] - tie.gap(now.t, &now.q)).abs();
                    // Sums of at most seven terms of order one.
                    assert!(off < 1e-14, "seed {seed}, step {step}: {off:e}");
                }
            }
            // No impulse but those logged: they account for the whole motion, to 50 ulp.
            let residual = recompute(&case.plant, case.theta, case.h, frame).residual;
            worst = worst.max(residual);
            assert!(residual < 1e-14, "seed {seed}, step {step}: unexplained impulse {residual:e}");
        }
    }
    println!("worst unexplained impulse {worst:e}");
}

#[test]
fn energy_does_not_grow_unless_a_separating_contact_is_loaded() {
    let (mut worst, mut at) = (0.0, 0);
    let (mut closing, mut separating, mut gained) = (0u64, 0u64, 0u64);
    for seed in 0..SEEDS {
        let case = random(seed, false);
        assert!(case.theta >= 0.5 && case.theta * (1.0 + case.max_restitution) <= 1.0 + f64::EPSILON);
        let mut simulation = case.start();
        let mut before = energies_of(&case.plant, &simulation.state.q, &simulation.state.v).0;
        for _ in 0..STEPS {
            let frame = simulation.step().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let (log, step) = (frame.log, frame.after.step);
            let own = recompute(&case.plant, case.theta, case.h, frame);
            assert!(balances(before, log.energies, log.works, own.scale), "seed {seed}, step {step}");
            let now = log.energies;
            let growth = (now.kinetic - before.kinetic + now.potential - before.potential)
                / own.scale.max(f64::MIN_POSITIVE);
            let contacts = &log.constraints;
            let mut pairs = contacts.impulse.iter().zip(&contacts.u_minus);
            if pairs.any(|(&p, &u)| p > 0.0 && u > 0.0) {
                separating += 1;
                gained += u64::from(growth > 1e-12);
            } else {
                closing += u64::from(contacts.impulse.iter().any(|&p| p > 0.0));
                if growth > worst {
                    (worst, at) = (growth, seed);
                }
                // Rounding, plus p times what the solver leaves of the law.
                assert!(growth <= 1e-12, "seed {seed}, step {step}: energy grows by {growth:e}");
            }
            before = now;
        }
    }
    println!(
        "worst growth {worst:e} at seed {at}; {closing} closing, {separating} separating, {gained} gain"
    );
    assert!(closing > 5000, "{closing} steps with impulses are too few to mean anything");
}

/// The state with its numbers where `there` keeps them, and no memory of contacts.
fn carried(here: &Model, state: &State, there: &Model) -> State {
    let mut moved = State { memory: Default::default(), ..state.clone() };
    let names: Vec<_> = (0..there.n_velocities()).map(|i| there.velocity_name(i)).collect();
    for from in 0..here.n_velocities() {
        let name = here.velocity_name(from);
        let to = names.iter().position(|known| *known == name).expect("the same systems");
        (moved.q[to], moved.v[to]) = (state.q[from], state.v[from]);
    }
    moved
}

/// Every constraint.
fn all(model: &Model) -> impl Iterator<Item = ConstraintId> + '_ {
    let families = model.constraints.iter().enumerate();
    families
        .flat_map(|(f, family)| (0..family.n_members()).map(move |i| ConstraintId::member(f as u8, i)))
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().chain(b).fold(1e-3f64, |m, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size
}

/// Makes the next step of `state` with another integrator or model.
fn once(
    integrator: &mut dyn Integrator,
    model: &Model,
    state: &State,
    h: f64,
) -> Result<(State, StepLog), Box<StepError>> {
    let (mut next, mut log) = (state.clone(), StepLog::default());
    integrator.step(model, state, h, &mut next, &mut log)?;
    Ok((next, log))
}

#[test]
fn renumbering_systems_and_constraints_changes_nothing() {
    let (mut worst, mut at) = (0.0, 0);
    for seed in 0..SEEDS {
        let case = random(seed, true);
        let mut shuffle = Random::new(!seed);
        let systems = shuffle.permutation(case.plant.sizes.len());
        let ties = shuffle.permutation(case.plant.ties.len());
        let (other, _) = case.plant.build_in_order(&systems, &ties);
        let mut second = integrator(case.theta);
        let mut simulation = case.start();
        for _ in 0..STEPS {
            let frame = simulation.step().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let from = carried(frame.model, frame.before, &other);
            let (next, log) = once(&mut *second, &other, &from, case.h)
                .unwrap_or_else(|error| panic!("seed {seed}, renumbered: {error}"));
            let found = carried(&other, &next, frame.model);
            let step = frame.after.step;
            let near = frame.log.constraints.ids.len() != log.constraints.ids.len();
            if near {
                // Sums in another order put a gap of rounding size on the other side of zero.
                let ahead = |k| {
                    let tie = case.plant.tie(frame.model, k);
                    tie.gap(0.0, &frame.before.q) + 0.5 * case.h * dot(&tie.row, &frame.before.v)
                };
                let closest = all(frame.model).map(ahead).fold(1.0f64, |m, x| m.min(x.abs()));
                assert!(closest < 1e-14, "seed {seed}, step {step}: other contacts, {closest:e}");
                continue;
            }
            let off = largest_difference(&frame.after.v, &found.v);
            if off > worst {
                (worst, at) = (off, seed);
            }
            // Two certified solutions of one problem, times the condition of W (up to 1e2 here).
            assert!(off <= 100.0 * CERTIFIED, "seed {seed}, step {step}: velocities differ by {off:e}");
            if case.independent {
                let total = |p: &[f64]| p.iter().sum::<f64>();
                let (a, b) = (total(&frame.log.constraints.impulse), total(&log.constraints.impulse));
                assert!((a - b).abs() <= 1e-8 * (1.0 + a), "seed {seed}, step {step}: p {a} {b}");
            }
        }
    }
    println!("worst difference {worst:e} at seed {at}");
}

#[test]
fn every_solver_that_takes_the_problem_gives_the_same_velocities() {
    let entry = find_integrator("moreau-jean").expect("listed");
    let mut worst = vec![(0.0, 0u64); SOLVERS.len()];
    for seed in 0..SEEDS / 2 {
        let case = random(seed, true);
        let options = Options::default().with("theta", case.theta);
        let mut others: Vec<Box<dyn Integrator>> = SOLVERS
            .iter()
            .map(|solver| {
                let solver = solver.build(&Options::default()).expect("defaults are valid");
                entry
                    .build(&options, SolverSettings { solver, ..SolverSettings::default() })
                    .expect("valid options")
            })
            .collect();
        let mut simulation = case.start();
        for _ in 0..STEPS {
            let frame = simulation.step().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for (k, other) in others.iter_mut().enumerate() {
                let (name, step) = (SOLVERS[k].name, frame.after.step);
                let next = match once(&mut **other, frame.model, frame.before, case.h) {
                    Ok((next, _)) => next,
                    Err(error) if matches!(*error, StepError::Unsupported(_)) => continue,
                    Err(error) => panic!("seed {seed}, step {step}, {name}: {error}"),
                };
                let off = largest_difference(&frame.after.v, &next.v);
                if off > worst[k].0 {
                    worst[k] = (off, seed);
                }
                // Two certified solutions of one problem, times the condition of W: 1e2 where it is solved to
                // rounding, more where the whole tolerance is used up (apgd: 1.0e-7 at seed 64, psor 3.3e-8).
                let iterative = ["nsgs", "pgs", "psor", "admm", "apgd", "newton", "interior-point"];
                let condition = if iterative.contains(&name) { 1e4 } else { 1e2 };
                assert!(
                    off <= condition * CERTIFIED,
                    "seed {seed}, step {step}, {name}: off by {off:e}"
                );
            }
        }
    }
    for (solver, (off, seed)) in SOLVERS.iter().zip(worst) {
        println!("{}: {off:e} at seed {seed}", solver.name);
    }
}

#[test]
fn the_time_grid_has_no_drift() {
    let case = random(3, true);
    for (start, h) in [(0.0, 0.1), (0.1, 0.1 / 3.0), (-7.3, 1e-3), (1e-8, 2e-6)] {
        let (model, mut state) = case.plant.build();
        state.t = start;
        let mut simulation = Simulation::new(model, state, integrator(case.theta), h).expect("accepted");
        for k in 1..=2000u64 {
            let frame = simulation.step().unwrap_or_else(|error| panic!("step {k}: {error}"));
            // Equal to the bit: the grid is computed, not accumulated.
            assert_eq!(frame.after.t, start + k as f64 * h, "step {k}");
            assert_eq!((frame.after.step, frame.after.step_size), (k, h));
        }
    }
}

#[test]
fn an_impact_is_dated_at_the_end_of_its_step() {
    let mut events = 0;
    for seed in 0..SEEDS {
        let case = random(seed, true);
        let mut simulation = case.start();
        for _ in 0..STEPS {
            let frame = simulation.step().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for event in &frame.log.events {
                events += 1;
                // The grid time itself, so that rows of a file of events and of states can be matched.
                assert_eq!(event.t, frame.after.t, "seed {seed}, step {}", frame.after.step);
            }
        }
    }
    assert!(events > 100, "{events}");
}
