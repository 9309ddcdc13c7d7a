//! The energy ledger against columns recomputed here, from dense matrices and the states alone.
//!
//! The models are in `ledger/plant.rs`; `invariants.rs` shares them.

mod plant;

use crate::kit::{
    Energies, EnergyLedger, Integrator, Observation, Options, Simulation, SolverSettings, UserError,
    Works, find_integrator,
};
pub(crate) use plant::{Dense, Plant, Tie, dot};
use plant::{force_at, form, multiply, plants, size, sizes};

/// Rounding of the longest sums here, relative to the sum of the sizes of all terms: 16 ulp. The
/// largest seen is printed by each test (about 1 ulp).
const ROUNDING: f64 = 16.0 * f64::EPSILON;

pub(crate) fn integrator(theta: f64) -> Box<dyn Integrator> {
    let options = Options::default().with("theta", theta);
    let entry = find_integrator("moreau-jean").expect("listed");
    entry.build(&options, SolverSettings::default()).expect("valid options")
}

/// The ledger of one step, by the formulas of the specification.
pub(crate) struct Own {
    pub(crate) before: Energies,
    pub(crate) works: Works,
    /// Sum of the sizes of all products that enter: what rounding is relative to [J].
    pub(crate) scale: f64,
    /// Largest |M Δv + h C v_θ + h K q_θ − h F_θ − Hᵀp| of a coordinate that is not prescribed, over
    /// the size of the largest terms.
    pub(crate) residual: f64,
}

pub(crate) fn energies_of(plant: &Plant, q: &[f64], v: &[f64]) -> (Energies, f64) {
    let kinetic = 0.5 * form(&plant.mass, v);
    let potential = 0.5 * form(&plant.stiffness, q) - dot(&plant.load, q);
    let size_of = 0.5 * form(&sizes(&plant.mass), &size(v))
        + 0.5 * form(&sizes(&plant.stiffness), &size(q))
        + dot(&size(&plant.load), &size(q));
    (Energies { kinetic, potential }, size_of)
}

pub(crate) fn recompute(plant: &Plant, theta: f64, h: f64, frame: Observation<'_>) -> Own {
    let (now, next) = (frame.before, frame.after);
    let mix = |b: &[f64], a: &[f64]| -> Vec<f64> {
        b.iter().zip(a).map(|(b, a)| theta * b + (1.0 - theta) * a).collect()
    };
    let n = now.q.len();
    let (v_theta, q_theta) = (mix(&next.v, &now.v), mix(&next.q, &now.q));
    let dv: Vec<f64> = (0..n).map(|i| next.v[i] - now.v[i]).collect();
    let dq: Vec<f64> = (0..n).map(|i| next.q[i] - now.q[i]).collect();
    let theta_force = |(i, &a): (usize, &f64)| {
        h * (theta * force_at(a, i, now.t + h) + (1.0 - theta) * force_at(a, i, now.t))
    };
    let external: Vec<f64> = plant.force.iter().enumerate().map(theta_force).collect();
    // Left side and right side of the impulse balance, with the sizes of their terms.
    let (m, c, k) = (&plant.mass, &plant.damping, &plant.stiffness);
    let mut left = vec![0.0; n];
    let mut terms = vec![0.0; n];
    let parts = [(1.0, m, &dv), (h, c, &v_theta), (h, k, &q_theta)];
    for (weight, matrix, x) in parts {
        let abs = multiply(&sizes(matrix), &size(x));
        for (i, y) in multiply(matrix, x).into_iter().enumerate() {
            left[i] += weight * y;
            terms[i] += weight * abs[i];
        }
    }
    for i in 0..n {
        let f = external.get(i).copied().unwrap_or(0.0);
        left[i] -= h * plant.load[i] + f;
        terms[i] += h * plant.load[i].abs() + f.abs();
    }
    let mut works = Works::default();
    let contacts = &frame.log.constraints;
    let (mut wall_size, mut walls) = (0.0, 0.0);
    for (&key, &p) in contacts.ids.iter().zip(&contacts.impulse) {
        let tie = plant.tie(frame.model, key);
        let rate = theta * tie.rate(now.t + h) + (1.0 - theta) * tie.rate(now.t);
        works.contact += p * (dot(&tie.row, &v_theta) + rate);
        walls -= p * rate;
        wall_size += 2.0 * (p * rate).abs();
        for i in 0..n {
            left[i] -= tie.row[i] * p;
            terms[i] += (tie.row[i] * p).abs();
        }
    }
    works.external = dot(&external, &v_theta);
    works.viscous = -h * form(c, &v_theta);
    works.prescribed = walls + plant.prescribed.iter().map(|&i| left[i] * v_theta[i]).sum::<f64>();
    works.scheme = -(theta - 0.5) * (form(m, &dv) + form(k, &dq));
    let free = (0..n).filter(|i| !plant.prescribed.contains(i));
    // Δv is a difference: its rounding is that of v.
    let momentum = multiply(&sizes(m), &size(&next.v));
    let largest = terms.iter().chain(&momentum).fold(f64::MIN_POSITIVE, |m, x| m.max(*x));
    let residual = free.map(|i| left[i].abs()).fold(0.0, f64::max) / largest;
    let (before, a) = energies_of(plant, &now.q, &now.v);
    let (_, b) = energies_of(plant, &next.q, &next.v);
    let scale = a + b + dot(&terms, &size(&v_theta)) + wall_size;
    Own { before, works, scale, residual }
}

/// What the ledger leaves unexplained: Δ(T + V) − Σ works.
pub(crate) fn unexplained(before: Energies, after: Energies, works: Works) -> f64 {
    (after.kinetic - before.kinetic) + (after.potential - before.potential) - works.sum()
}

/// The check: true if the columns explain the change of energy up to rounding of terms of size `scale`.
pub(crate) fn balances(before: Energies, after: Energies, works: Works, scale: f64) -> bool {
    unexplained(before, after, works).abs() <= ROUNDING * scale
}

/// The works with those of all normal rows in one column: impacts, lasting contacts, joints.
fn together(works: Works) -> Works {
    let contact = works.impact + works.contact + works.joint;
    Works { contact, impact: 0.0, joint: 0.0, ..works }
}

type Column = (&'static str, fn(&mut Works) -> &mut f64);

const COLUMNS: [Column; 5] = [
    ("external", |w| &mut w.external),
    ("viscous", |w| &mut w.viscous),
    ("contact", |w| &mut w.contact),
    ("prescribed", |w| &mut w.prescribed),
    ("scheme", |w| &mut w.scheme),
];

const STEP_SIZE: f64 = 0.01;
const STEPS: usize = 300;
const CASES: [(f64, f64); 9] = [
    (0.5, 0.0),
    (0.5, 0.5),
    (0.5, 1.0),
    (0.75, 0.0),
    (0.75, 0.5),
    (0.75, 1.0),
    (1.0, 0.0),
    (1.0, 0.5),
    (1.0, 1.0),
];

/// Shows every step of every plant, θ and e to `see(what, plant, θ, frame)`.
fn every_step(mut see: impl FnMut(&str, &Plant, f64, Observation<'_>)) {
    for (theta, e) in CASES {
        for (name, plant) in plants(e) {
            let what = format!("{name}, θ = {theta}");
            let (model, state) = plant.build();
            let mut simulation =
                Simulation::new(model, state, integrator(theta), STEP_SIZE).expect("accepted");
            for _ in 0..STEPS {
                let frame = simulation.step().unwrap_or_else(|error| panic!("{what}: {error}"));
                see(&what, &plant, theta, frame);
            }
        }
    }
}

#[test]
fn each_column_is_its_own_formula_and_their_sum_vanishes_at_every_step() {
    let (mut worst_sum, mut worst_column, mut worst_motion) = (0.0f64, 0.0f64, 0.0f64);
    every_step(|what, plant, theta, frame| {
        let own = recompute(plant, theta, STEP_SIZE, frame);
        let (log, step) = (frame.log, frame.after.step);
        // The states obey the equation of motion.
        assert!(own.residual <= ROUNDING, "{what}, step {step}: motion {:e}", own.residual);
        worst_motion = worst_motion.max(own.residual);
        let mut works = together(log.works);
        let mut expected = own.works;
        for (name, column) in COLUMNS {
            let (found, wanted) = (*column(&mut works), *column(&mut expected));
            let off = (found - wanted).abs() / own.scale;
            assert!(off <= ROUNDING, "{what}, step {step}, {name}: {found:e}, own {wanted:e}");
            worst_column = worst_column.max(off);
        }
        let off = unexplained(own.before, log.energies, log.works).abs() / own.scale;
        assert!(
            balances(own.before, log.energies, log.works, own.scale),
            "{what}, step {step}: {off:e} of {:e} J unexplained, {:?}",
            own.scale,
            log.works
        );
        worst_sum = worst_sum.max(off);
    });
    println!("worst sum {worst_sum:e}, column {worst_column:e}, motion {worst_motion:e}");
}

#[test]
fn a_percent_in_any_column_is_noticed() {
    let mut noticed = std::collections::BTreeMap::new();
    every_step(|what, plant, theta, frame| {
        let own = recompute(plant, theta, STEP_SIZE, frame);
        let (log, step) = (frame.log, frame.after.step);
        for (name, column) in COLUMNS {
            let mut works = together(log.works);
            let seen: &mut u64 = noticed.entry(format!("{name} of {what}")).or_default();
            // Columns that are mere rounding in this step cannot be noticed.
            if 0.01 * column(&mut works).abs() <= 2.0 * ROUNDING * own.scale {
                continue;
            }
            *column(&mut works) *= 1.01;
            assert!(
                !balances(own.before, log.energies, works, own.scale),
                "{what}, step {step}: 1 % of {name} passes"
            );
            *seen += 1;
        }
        for energies in [
            Energies { kinetic: 1.01 * log.energies.kinetic, ..log.energies },
            Energies { potential: 1.01 * log.energies.potential, ..log.energies },
        ] {
            let moved = (energies.kinetic - log.energies.kinetic).abs()
                + (energies.potential - log.energies.potential).abs();
            let passes = balances(own.before, energies, log.works, own.scale);
            assert!(!passes || moved <= 2.0 * ROUNDING * own.scale, "{what}, step {step}: {energies:?}");
        }
    });
    for (what, seen) in noticed {
        // θ = ½ has no scheme loss; θ (1 + e) = 1 makes the work p (θ u⁺ + (1−θ) u⁻) vanish.
        let still = ["e = 0, θ = 1", "e = 1, θ = 0.5"].iter().any(|end| what.ends_with(end));
        let absent = (what.starts_with("scheme") && what.ends_with("θ = 0.5"))
            || (what.starts_with("contact") && still);
        assert!(if absent { seen == 0 } else { seen >= 1 }, "{what}: large enough in {seen} steps");
    }
}

#[test]
fn energies_belong_to_the_instant_of_q_and_v() {
    let mut worst = 0.0f64;
    every_step(|what, plant, _, frame| {
        let after = frame.after;
        let (own, scale) = energies_of(plant, &after.q, &after.v);
        let found = frame.log.energies;
        let off = (found.kinetic - own.kinetic).abs().max((found.potential - own.potential).abs());
        assert!(off <= ROUNDING * scale, "{what}, step {}: {found:?}, own {own:?}", after.step);
        worst = worst.max(off / scale);
    });
    println!("worst {worst:e}");
}

#[test]
fn works_of_the_contacts_add_up_to_the_contact_column() {
    every_step(|what, plant, theta, frame| {
        let (contacts, step) = (&frame.log.constraints, frame.after.step);
        let (mut sum, mut size_of) = (0.0f64, 0.0f64);
        for (i, &key) in contacts.ids.iter().enumerate() {
            let tie = plant.tie(frame.model, key);
            let u = theta * contacts.u_plus[i] + (1.0 - theta) * contacts.u_minus[i];
            let (work, p) = (contacts.work[i], contacts.impulse[i]);
            let speed = |v: &[f64]| dot(&size(&tie.row), &size(v)) + tie.rate(0.0).abs();
            let scale = p.abs() * (speed(&frame.before.v) + speed(&frame.after.v));
            assert!((work - p * u).abs() <= ROUNDING * scale, "{what}, step {step}: {work} of {key:?}");
            sum += work;
            size_of += work.abs();
        }
        let column = together(frame.log.works).contact;
        assert!((sum - column).abs() <= ROUNDING * size_of, "{what}, step {step}: {sum} {column}");
    });
}

#[test]
fn the_law_holds_for_velocities_recomputed_from_the_states() {
    let (mut worst, mut loaded) = (0.0f64, 0);
    every_step(|what, plant, _, frame| {
        let (contacts, step) = (&frame.log.constraints, frame.after.step);
        for (i, &key) in contacts.ids.iter().enumerate() {
            let (tie, p) = (plant.tie(frame.model, key), contacts.impulse[i]);
            let u_minus = dot(&tie.row, &frame.before.v) + tie.rate(frame.before.t);
            let u_plus = dot(&tie.row, &frame.after.v) + tie.rate(frame.after.t);
            let law = u_plus + tie.restitution.unwrap_or(0.0) * u_minus;
            let open = tie.restitution.is_some() && p == 0.0;
            let violation = if open { (-law).max(0.0) } else { law.abs() };
            // The certificate allows 1e-10 of the velocities, which are of order one; ten for the sum
            // in another order, and for t⁺ = t + h against the grid.
            assert!(violation <= 1e-9, "{what}, step {step}, {key:?}: {violation:e} m/s, p = {p}");
            assert!(tie.restitution.is_none() || p >= 0.0, "{what}, step {step}, {key:?} pulls: {p}");
            let off = (contacts.u_minus[i] - u_minus).abs().max((contacts.u_plus[i] - u_plus).abs());
            // Rounding of a few terms of order one.
            assert!(off <= 1e-13, "{what}, step {step}, {key:?}: u is logged {off:e} m/s off");
            worst = worst.max(violation);
            loaded += usize::from(p != 0.0);
        }
    });
    println!("worst violation {worst:e} m/s, {loaded} impulses");
    assert!(loaded > 10_000, "{loaded} impulses are too few to mean anything");
}

#[test]
fn the_ledger_adds_up_what_the_steps_say() {
    for (name, plant) in plants(0.5) {
        let (model, state) = plant.build();
        let (initial, scale) = energies_of(&plant, &state.q, &state.v);
        let (q, v) = (state.q.clone(), state.v.clone());
        let run = |n: usize, observe: &mut dyn FnMut(Observation<'_>), ledger: &mut EnergyLedger| {
            let (model, state) = plant.build();
            assert_eq!((&state.q, &state.v), (&q, &v));
            let mut simulation =
                Simulation::new(model, state, integrator(0.75), STEP_SIZE).expect("accepted");
            simulation.run(n as u64, &mut [ledger, &mut Seen(observe)]).expect("runs");
        };
        let begun = EnergyLedger::begin(&model, &state).expect("finite");
        assert!((begun.initial.kinetic - initial.kinetic).abs() <= ROUNDING * scale, "{name}");
        assert!((begun.initial.potential - initial.potential).abs() <= ROUNDING * scale, "{name}");
        let mut ledger = EnergyLedger::default();
        let (mut sum, mut last) = (Works::default(), Energies::default());
        let mut add = |frame: Observation<'_>| {
            sum += frame.log.works;
            last = frame.log.energies;
        };
        run(STEPS, &mut add, &mut ledger);
        // The same sums in the same order: equal to the bit.
        assert_eq!(
            (ledger.initial, ledger.total, ledger.energies),
            (begun.initial, sum, last),
            "{name}"
        );
        let whole = unexplained(ledger.initial, ledger.energies, ledger.total);
        // 300 steps of rounding, each below ROUNDING of the largest energy flow seen.
        let bound = STEPS as f64 * ROUNDING * (ledger.scale + ledger.total.external.abs());
        assert!((whole - ledger.remainder).abs() <= bound, "{name}: {whole:e} {:e}", ledger.remainder);
        assert!(ledger.worst_remainder <= ROUNDING * 10.0 * ledger.scale, "{name}: {ledger:?}");
    }
}

/// An observer from a closure.
struct Seen<'a>(&'a mut dyn FnMut(Observation<'_>));

impl crate::kit::Observer for Seen<'_> {
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        (self.0)(*frame);
        Ok(())
    }
}
