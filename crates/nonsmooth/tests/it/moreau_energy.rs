//! Moreau–Jean that keeps the energy: the two masses of the paper, by hand and as it says; other systems, both roots,
//! every policy, refusals.

use crate::integrator;
use crate::kick_drift::{ball, cuboid};
use crate::kit::{
    Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Observer, Options, Refusal, Simulation,
    Sparse, Summary,
};
use crate::paoli::bodies as shared;
use crate::paoli::simulate;
use nonsmooth::model::Rigid;
use nonsmooth::model::constraints::joints::Spherical;
use nonsmooth::model::systems::TimeForce;

const NAME: &str = "moreau-energy";

/// The two masses of the paper: unit masses and springs, a wall at d = 1 before the second.
fn two_masses(q: [f64; 2], v: [f64; 2]) -> Built {
    let mut builder = ModelBuilder::new();
    builder.allow_initial_violation();
    let stiffness = Sparse::from_rows(&[vec![2.0, -1.0], vec![-1.0, 1.0]]);
    let system = Linear::new("masses", Sparse::diagonal(&[1.0, 1.0])).stiffness(stiffness);
    let system = builder.linear(system.initial(&q, &v));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("wall", law, &[(system, 1, -1.0)], 1.0);
    builder.build(0.0).expect("the model is sound")
}

fn paper() -> Built {
    two_masses([0.0, 0.0], [10.0, 10.0])
}

/// (u, u̇) by the formulas of the paper, with I = (1, 0) and θ = ½, for unit masses and springs.
fn by_hand(h: f64, n: usize) -> Vec<[f64; 4]> {
    let force = |u: [f64; 2]| [u[1] - 2.0 * u[0], u[0] - u[1]];
    let ([mut u, mut v], mut rows) = ([[0.0, 0.0], [10.0, 10.0]], vec![[0.0, 0.0, 10.0, 10.0]]);
    // W = (M + h²/4 K)⁻¹.
    let z = h * h / 4.0;
    let det = (1.0 + 2.0 * z) * (1.0 + z) - z * z;
    let w = [[(1.0 + z) / det, z / det], [z / det, (1.0 + 2.0 * z) / det]];
    for _ in 0..n {
        let f = force([u[0] + 0.5 * h * v[0], u[1] + 0.5 * h * v[1]]);
        let mut next = [0, 1].map(|i| v[i] + h * (w[i][0] * f[0] + w[i][1] * f[1]));
        // u̇₂⁺ ≤ 0, R ≤ 0, product 0, while u₂ ≥ d.
        let r = if u[1] >= 1.0 { f64::min(0.0, -next[1] / w[1][1]) } else { 0.0 };
        next = [next[0] + w[0][1] * r, next[1] + w[1][1] * r];
        let mut to = [0, 1].map(|i| u[i] + 0.5 * h * (v[i] + next[i]));
        let c = 0.5 * (v[1] + next[1]) * r;
        if c != 0.0 {
            let (a, b) = (0.5 + z, next[0] - 0.5 * h * force(to)[0]);
            let root = (b * b - 4.0 * a * c).sqrt();
            let beta = -2.0 * c / (b + b.signum() * root);
            next[0] += beta;
            to[0] += 0.5 * h * beta;
        }
        (u, v) = (to, next);
        rows.push([u[0], u[1], v[0], v[1]]);
    }
    rows
}

#[test]
fn the_two_masses_follow_the_formulas_of_the_paper() {
    let (h, n) = (1.0 / 500.0, 10_000);
    let hand = by_hand(h, n);
    for direction in ["velocity", "uniform"] {
        let options = Options::default().with_word("direction", direction);
        let mut simulation = simulate(paper(), (NAME, &options), h);
        for (k, row) in hand.iter().enumerate().skip(1) {
            let state = simulation.step().expect("a good step").after;
            let ours = [state.q[0], state.q[1], state.v[0], state.v[1]];
            let far = (0..4).fold(0.0f64, |m, i| m.max((ours[i] - row[i]).abs()));
            // Rounding of 10⁴ steps of numbers of size 10.
            assert!(far < 1e-9, "{direction}, step {k}: {far:.1e}");
        }
    }
    // What the prototype found in the first stick: the penetration of the closing step stays.
    assert!((hand[200][1] - 1.02999).abs() < 1e-5, "{}", hand[200][1]);
}

/// Total energy after every step, and the phases of contact as (time of closing, steps).
fn watch(scheme: (&str, &Options), h: f64, n: u64) -> (Vec<f64>, Vec<(f64, u64)>) {
    let mut simulation = simulate(paper(), scheme, h);
    let (mut energy, mut phases, mut was_closed) = (vec![100.0], Vec::<(f64, u64)>::new(), false);
    for _ in 0..n {
        let frame = simulation.step().expect("a good step");
        energy.push(frame.log.energies.kinetic + frame.log.energies.potential);
        let is_closed = frame.log.constraints.impulse.iter().any(|p| *p > 0.0);
        match phases.last_mut() {
            Some(phase) if is_closed && was_closed => phase.1 += 1,
            _ if is_closed => phases.push((frame.after.t, 1)),
            _ => {}
        }
        was_closed = is_closed;
    }
    (energy, phases)
}

#[test]
fn the_standard_scheme_loses_energy_at_every_closing_and_the_modified_one_none() {
    let (h, n) = (1.0 / 500.0, 50_000);
    let standard = Options::default().with("gamma", 0.0);
    let (energy, phases) = watch(("moreau-jean", &standard), h, n);
    for (t, _) in &phases {
        let k = (t / h).round() as usize;
        assert!(energy[k] < energy[k - 1] - 1e-9, "closing at {t}: {} J", energy[k] - energy[k - 1]);
    }
    assert!(phases.len() > 3 && energy[n as usize] < 60.0, "{phases:?}, {}", energy[n as usize]);
    let (energy, phases) = watch((NAME, &Options::default()), h, n);
    assert!(phases.len() > 20);
    let worst = energy.iter().fold(0.0f64, |m, e| m.max((e / 100.0 - 1.0).abs()));
    assert!(worst < 1e-12, "energy changes by {worst:.1e}");
}

#[test]
fn energy_holds_to_1e_11_over_a_million_steps() {
    for theta in [0.5, 0.75] {
        let options = Options::default().with("theta", theta);
        let mut simulation = simulate(paper(), (NAME, &options), 1.0 / 500.0);
        let (mut summary, mut ledger) = (Summary::default(), EnergyLedger::default());
        simulation.run(1_000_000, &mut [&mut summary, &mut ledger]).expect("it runs");
        let energy = ledger.energies.kinetic + ledger.energies.potential;
        // What uncorrected steps changed is known: for θ > ½ the scheme damps free flight, and the notes say by how much.
        let uncorrected: f64 =
            summary.notes.iter().filter(|n| n.what.contains("[J]")).map(|n| n.sum).sum();
        let far = (energy - 100.0 - uncorrected).abs() / 100.0;
        eprintln!(
            "θ = {theta}: {far:.1e} relative, {uncorrected:.3e} J not corrected, {:?}",
            summary.notes
        );
        assert!(far < 1e-11, "θ = {theta}: {far:.1e}");
        assert!((uncorrected == 0.0) == (theta == 0.5), "θ = {theta}: {uncorrected} J");
        assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
    }
}

#[test]
fn the_motion_becomes_periodic_with_one_hit_and_one_long_stick() {
    let mut periods = Vec::new();
    for inverse in [500.0, 1000.0, 2000.0, 4000.0] {
        let (_, phases) = watch((NAME, &Options::default()), 1.0 / inverse, (200.0 * inverse) as u64);
        let late: Vec<&(f64, u64)> = phases.iter().filter(|(t, _)| *t > 100.0).collect();
        assert!(late.len() > 20);
        for pair in late.windows(2) {
            let (short, long) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
            assert!(short == 1 && long as f64 > 0.4 * inverse, "{pair:?}");
        }
        let span = (late.len() - 1) / 2 * 2;
        periods.push((late[span].0 - late[0].0) / (span / 2) as f64);
    }
    eprintln!("periods {periods:.5?}");
    // The period converges with h: differences halve, to the resolution of the mean over a dozen periods.
    let far: Vec<f64> = periods.iter().map(|p| (p - periods[3]).abs()).collect();
    assert!(far[0] < 0.01 && far[1] < 0.6 * far[0] && far[2] < 0.6 * far[1], "{periods:?}");
}

#[test]
fn the_large_root_keeps_the_energy_too_but_the_velocity_jumps() {
    let large = Options::default().with_word("root", "large");
    let mut jumps = [0.0f64; 2];
    for (jump, options) in jumps.iter_mut().zip([&Options::default(), &large]) {
        let mut simulation = simulate(paper(), (NAME, options), 1.0 / 500.0);
        for _ in 0..20_000 {
            let frame = simulation.step().expect("a good step");
            *jump = jump.max((frame.after.v[0] - frame.before.v[0]).abs());
            let energy = frame.log.energies.kinetic + frame.log.energies.potential;
            assert!((energy - 100.0).abs() < 1e-10, "{energy} J at {}", frame.after.t);
        }
    }
    eprintln!("largest jumps of mass 1: small root {:.2}, large root {:.2} m/s", jumps[0], jumps[1]);
    assert!(jumps[1] > 2.0 * jumps[0], "{jumps:?}");
}

/// A chain of n masses with load, its last mass before a wall; `stops` more masses before walls of their own.
fn chain(n: usize, stops: usize, e: f64) -> Built {
    let mut triplets = Vec::new();
    for i in 0..n {
        triplets.push((i, i, if i + 1 < n { 2e3 } else { 1e3 }));
        if i + 1 < n {
            triplets.extend([(i, i + 1, -1e3), (i + 1, i, -1e3)]);
        }
    }
    let stiffness = Sparse::from_triplets(n, n, &triplets).expect("inside");
    let mut mass: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, 2.0 + 0.1 * i as f64)).collect();
    mass.extend((1..n).flat_map(|i| [(i, i - 1, 0.4), (i - 1, i, 0.4)]));
    let mass = Sparse::from_triplets(n, n, &mass).expect("inside");
    let mut builder = ModelBuilder::new();
    let system = Linear::new("chain", mass).stiffness(stiffness).load(&vec![0.5; n]);
    let v: Vec<f64> = (0..n).map(|i| 3.0 * i as f64 / n as f64).collect();
    let system = builder.linear(system.initial(&vec![0.0; n], &v));
    let law = builder.law("stop", NewtonImpact { restitution: e });
    for i in 0..=stops {
        builder.linear_gap(
            &format!("wall{i}"),
            law,
            &[(system, n - 1 - i, -1.0)],
            0.05 + 0.01 * i as f64,
        );
    }
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn any_number_of_masses_and_contacts_keeps_its_energy() {
    for (n, stops, e) in [(3, 0, 0.0), (5, 1, 0.0), (40, 3, 0.0), (40, 1, 0.5)] {
        let mut simulation = simulate(chain(n, stops, e), (NAME, &Options::default()), 1e-3);
        let (mut summary, mut ledger) = (Summary::default(), EnergyLedger::default());
        for step in 0..20_000 {
            if step == 0 {
                ledger = EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite");
            }
            let frame = simulation.step().expect("a good step");
            // The law at the contacts is as Moreau–Jean left it.
            for (i, id) in frame.log.constraints.ids.iter().enumerate() {
                let u = -frame.after.v[n - 1 - id.number()];
                assert!((u - frame.log.constraints.u_plus[i]).abs() < 1e-12, "step {step}: {u}");
            }
            ledger.book(frame.log.energies, frame.log.works);
            summary.step(&frame).expect("no observer fails");
        }
        let initial = ledger.initial.kinetic + ledger.initial.potential;
        let energy = ledger.energies.kinetic + ledger.energies.potential;
        let uncorrected: f64 =
            summary.notes.iter().filter(|n| n.what.contains("[J]")).map(|n| n.sum).sum();
        eprintln!(
            "n = {n}, e = {e}: {initial} → {energy} J, {} impacts, {:?}",
            summary.impacts, summary.notes
        );
        assert!((energy - initial - uncorrected).abs() < 1e-11 * ledger.scale, "n = {n}, e = {e}");
        assert!(uncorrected.abs() < 1e-3 * initial, "n = {n}, e = {e}: {uncorrected} J not corrected");
        assert!(
            summary.impacts > 20 && ledger.total.impact + ledger.total.contact < -0.1 * initial,
            "{summary:?} {ledger:?}"
        );
        assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{ledger:?}");
    }
}

#[test]
fn a_step_whose_energy_no_correction_restores_is_left_alone_and_noted() {
    // Behind the wall, mass 2 leaves it and the spring turns it round within the step: the impulse gives energy. Mass 1
    // turns round in the same step, b ≈ 0, and has none to give back.
    let h = 0.1;
    let (q, v) = ([3.0, 1.2], [0.24, -0.05]);
    let mut simulation = simulate(two_masses(q, v), (NAME, &Options::default()), h);
    let frame = simulation.step().expect("a good step");
    let [note] = frame.log.notes[..] else { panic!("{:?}", frame.log.notes) };
    eprintln!("{note:?}");
    assert!(note.what.contains("no correction restores") && note.value > 0.0, "{note:?}");
    // c = ½ u̇₂ R, with R about −0.13 N·s.
    assert!(note.value == frame.log.works.sum() && (note.value - 0.003).abs() < 1e-3, "{note:?}");
}

#[test]
fn without_impulse_or_direction_nothing_is_corrected() {
    // Leaving the wall from behind it: closed, no impulse.
    let mut simulation =
        simulate(two_masses([0.0, 1.1], [0.0, -1.0]), (NAME, &Options::default()), 0.01);
    let frame = simulation.step().expect("a good step");
    assert!(frame.log.notes[0].what.contains("no impulse"), "{:?}", frame.log.notes);
    // Both masses before a wall of their own and both closed: no direction is left.
    let mut builder = ModelBuilder::new();
    let system = Linear::new("masses", Sparse::diagonal(&[1.0, 1.0])).initial(&[0.0; 2], &[1.0, 2.0]);
    let system = builder.linear(system);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("a", law, &[(system, 0, -1.0)], 0.0);
    builder.linear_gap("b", law, &[(system, 1, -1.0)], 0.0);
    let mut simulation = simulate(builder.build(0.0).unwrap(), (NAME, &Options::default()), 0.01);
    let frame = simulation.step().expect("a good step");
    let [note] = frame.log.notes[..] else { panic!("{:?}", frame.log.notes) };
    assert!(note.what.contains("no direction") && note.value == -2.5, "{note:?}");
}

#[test]
fn equal_roots_are_decided_along_the_velocity_and_noted() {
    // Two free masses, the first at rest in the step's end: b = 0 exactly.
    let mut builder = ModelBuilder::new();
    let system = Linear::new("masses", Sparse::diagonal(&[1.0, 1.0])).initial(&[0.0; 2], &[0.0, 2.0]);
    let system = builder.linear(system);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("wall", law, &[(system, 1, -1.0)], 0.0);
    let options = Options::default().with_word("direction", "uniform");
    let mut simulation = simulate(builder.build(0.0).unwrap(), (NAME, &options), 0.01);
    let frame = simulation.step().expect("a good step");
    assert!((frame.after.v[0] - 2.0).abs() < 1e-15 && frame.after.v[1] == 0.0, "{:?}", frame.after.v);
    assert!(frame.log.notes[0].what.contains("equally large"), "{:?}", frame.log.notes);
}

/// Two masses, spoilt by `spoil`, with a wall before the second.
fn refused(spoil: impl FnOnce(Linear) -> Linear) -> Refusal {
    let mut builder = ModelBuilder::new();
    let system = builder.linear(spoil(Linear::new("masses", Sparse::diagonal(&[1.0, 1.0]))));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("wall", law, &[(system, 1, -1.0)], 1.0);
    let (model, state) = builder.build(0.0).expect("the model is sound");
    let made = Simulation::new(model, state, integrator(NAME, &Options::default()), 0.01);
    made.err().expect("it is refused")
}

#[test]
fn what_does_not_keep_its_energy_is_refused_by_name() {
    let text = refused(|s| s.damping(Sparse::diagonal(&[0.0, 0.1]))).to_string();
    assert!(text.contains("damping of system `masses`") && text.contains("moreau-jean"), "{text}");
    let silent: TimeForce = Box::new(|_, _| Ok(()));
    let text = refused(|s| Linear { force: Some(silent), ..s }).to_string();
    assert!(text.contains("force in time on system `masses`"), "{text}");
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-9.81]));
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    let (model, state) = builder.build(0.0).expect("the model is sound");
    let made = Simulation::new(model, state, integrator(NAME, &Options::default()), 0.01);
    let text = made.err().expect("one coordinate is not enough").to_string();
    assert!(text.contains("`floor` leaves none") && text.contains("moreau-jean"), "{text}");
}

/// A run with the largest change of energy that its notes do not explain, relative.
fn worst_change(made: Built, h: f64, n: u64) -> (f64, Summary, EnergyLedger) {
    let mut simulation = simulate(made, (NAME, &Options::default()), h);
    let (mut summary, mut worst) = (Summary::default(), 0.0f64);
    let mut ledger = EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite");
    let initial = ledger.initial.kinetic + ledger.initial.potential;
    let mut explained = 0.0;
    for _ in 0..n {
        let frame = simulation.step().expect("a good step");
        let noted = frame.log.notes.iter().filter(|note| note.what.contains("[J]"));
        explained += noted.map(|note| note.value).sum::<f64>();
        ledger.book(frame.log.energies, frame.log.works);
        summary.step(&frame).expect("no observer fails");
        let energy = frame.log.energies.kinetic + frame.log.energies.potential;
        worst = worst.max((energy - initial - explained).abs());
    }
    (worst / ledger.scale, summary, ledger)
}

/// Bodies that land without rebound: what the impact takes goes on as motion along the floor and as rotation.
#[test]
fn bodies_under_gravity_keep_their_energy() {
    let models = [
        shared::dropped(0.0, 0.4, true),
        shared::dropped(0.5, 0.4, false),
        shared::disks(),
        shared::box_and_ball(),
    ];
    for (i, made) in models.into_iter().enumerate() {
        let (worst, summary, ledger) = worst_change(made, 1e-3, 1000);
        eprintln!("model {i}: {worst:.1e}, {} impacts, {:?}", summary.impacts, summary.notes);
        assert!(summary.impacts > 0, "model {i}: it lands");
        // Rounding of a thousand steps.
        assert!(worst < 1e-11, "model {i}: the energy changes by {worst:.1e}");
        assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "model {i}: {ledger:?}");
    }
}

/// A ball that meets the floor at 45°, e = 0: v_z = 0 afterwards, and the speed along the floor is what the ball had.
#[test]
fn a_ball_that_lands_goes_on_with_its_speed() {
    let mut builder = ModelBuilder::new();
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    let material = builder.material("stuff");
    builder.default_pair(law);
    crate::kick_drift::floor(&mut builder, material);
    let mut body = ball("ball", 0.1, 2.0, material);
    (body.position, body.velocity) = ([0.0, 0.0, 0.3], [1.0, 0.0, -1.0]);
    builder.body(body);
    let mut simulation = simulate(builder.build(0.0).unwrap(), (NAME, &Options::default()), 1e-2);
    simulation.run(50, &mut []).expect("it runs");
    let v = &simulation.state.v;
    assert!(v[2].abs() < 1e-15 && (v[0] - 2f64.sqrt()).abs() < 1e-14, "{v:?}");
}

/// A box on a pin that swings against the floor.
#[test]
fn a_body_on_a_joint_keeps_its_energy() {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let law = builder.law("stop", NewtonImpact { restitution: 0.0 });
    let material = builder.material("stuff");
    builder.default_pair(law);
    crate::kick_drift::floor(&mut builder, material);
    let mut block = cuboid("box", [0.2, 0.05, 0.05], 1.0, material);
    (block.position, block.angular_velocity) = ([0.2, 0.0, 0.3], [0.0, 0.0, 2.0]);
    block.velocity = [0.0, 0.4, 0.0];
    let block = builder.body(block);
    builder.joint("pin", Spherical::at([0.0, 0.0, 0.3]), Rigid::World, block);
    let (worst, summary, _) = worst_change(builder.build(0.0).unwrap(), 1e-3, 1000);
    eprintln!("{worst:.1e}, {} impacts, {:?}", summary.impacts, summary.notes);
    assert!(summary.impacts > 0 && worst < 1e-11, "{worst:.1e}");
}

#[test]
fn springs_between_bodies_are_refused() {
    let (model, state) = shared::springs();
    let made = Simulation::new(model, state, integrator(NAME, &Options::default()), 0.01);
    let text = made.err().expect("it is refused").to_string();
    assert!(text.contains("`spring`") && text.contains("moreau-jean"), "{text}");
}
