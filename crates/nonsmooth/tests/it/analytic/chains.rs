//! Chains of springs: a large one against a wall, and small ones with a prescribed mass against a direct
//! solve.

use crate::kit::{EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Simulation, Sparse};
use crate::moreau_jean;

/// Springs `k` between neighbours, and to the ground at both ends if `grounded`.
fn springs(n: usize, k: f64, grounded: bool) -> Sparse {
    let mut triplets = Vec::new();
    for i in 0..n - 1 {
        triplets.extend([(i, i, k), (i + 1, i + 1, k), (i, i + 1, -k), (i + 1, i, -k)]);
    }
    if grounded {
        triplets.extend([(0, 0, k), (n - 1, n - 1, k)]);
    }
    Sparse::from_triplets(n, n, &triplets).expect("triplets are inside")
}

#[test]
fn chain_of_a_hundred_thousand_masses_keeps_its_energy() {
    let n = 100_000;
    let mut builder = ModelBuilder::new();
    let chain = Linear::new("chain", Sparse::diagonal(&vec![1.0; n])).stiffness(springs(n, 1e5, false));
    let chain = builder.linear(chain.initial(&vec![0.05; n], &vec![-1.0; n]));
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    builder.linear_gap("wall", law, &[(chain, 0, 1.0)], 0.0);
    let (model, state) = builder.build(0.0).unwrap();
    let integrator = moreau_jean(&Options::default());
    let mut simulation = Simulation::new(model, state, integrator, 1e-3).unwrap();
    let mut ledger = EnergyLedger::begin(&simulation.model, &simulation.state).unwrap();
    let mut impulses = 0;
    for step in 1..=200 {
        let before = ledger.energies;
        let frame = simulation.step().unwrap();
        ledger.book(frame.log.energies, frame.log.works);
        let after = ledger.energies;
        let change = after.kinetic + after.potential - before.kinetic - before.potential;
        let free = frame.log.constraints.impulse.iter().all(|&p| p == 0.0);
        impulses += usize::from(!free);
        // Rounding of a sum of 1e5 energies, half of it of one sign: √n ε is 7e-14.
        let rounding = 1e-12 * ledger.scale;
        assert!(!free || change.abs() < rounding, "free step {step} changed the energy by {change:e}");
        let left = ledger.step_remainder;
        assert!(left.abs() < rounding, "step {step} leaves {left:e} unexplained");
    }
    assert!(impulses > 0, "the chain never met the wall");
    let normal = ledger.total.impact + ledger.total.contact;
    assert!(normal < 0.0, "e = ½ dissipates, got {normal:e}");
}

/// x with A x = b, by Gauss with row exchange.
fn gauss(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).expect("not empty");
        a.swap(k, best);
        b.swap(k, best);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A chain with mass j prescribed and one contact y = row·q + offset, all matrices dense.
struct Direct {
    mass: Sparse,
    damping: Sparse,
    stiffness: Sparse,
    load: Vec<f64>,
    place: usize,
    row: Vec<f64>,
    offset: f64,
}

const RESTITUTION: f64 = 0.3;

fn wish(t: f64) -> f64 {
    0.5 * (2.0 * t).cos()
}

impl Direct {
    /// Mass `n / 2` prescribed; the contact is a wall at the last mass, or between the prescribed mass and
    /// the one before.
    fn new(n: usize, at_wall: bool) -> Self {
        let mass = Sparse::diagonal(&(0..n).map(|i| 1.0 + 0.1 * i as f64).collect::<Vec<f64>>());
        // Not symmetric on purpose: any C is allowed.
        let skew: Vec<_> =
            (0..n - 1).flat_map(|i| [(i, i + 1, 0.4), (i + 1, i, -0.1), (i, i, 0.2)]).collect();
        let damping = Sparse::from_triplets(n, n, &skew).expect("triplets are inside");
        let mut load: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        load[n - 1] = 1.0;
        let (place, mut row) = (n / 2, vec![0.0; n]);
        if at_wall {
            row[n - 1] = -1.0;
        } else {
            (row[place], row[place - 1]) = (1.0, -1.0);
        }
        let offset = if at_wall { 0.002 } else { 0.02 };
        let stiffness = springs(n, 40.0, true);
        Self { mass, damping, stiffness, load, place, row, offset }
    }

    /// One θ-step by direct solution: v⁺, p and the impulse R that holds the prescribed mass.
    fn step(&self, q: &[f64], v: &[f64], t_next: f64, h: f64, theta: f64) -> (Vec<f64>, f64, f64) {
        let n = q.len();
        let (c, k) = (h * theta, (h * theta).powi(2));
        let entry = |i: usize, j: usize| {
            self.mass.get(i, j) + c * self.damping.get(i, j) + k * self.stiffness.get(i, j)
        };
        let full: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let ahead: Vec<f64> = q.iter().zip(v).map(|(q, v)| q + h * theta * v).collect();
        let side = |i: usize| {
            dot(&full[i], v) - h * self.damping.row_dot(i, v) - h * self.stiffness.row_dot(i, &ahead)
                + h * self.load[i]
        };
        let side: Vec<f64> = (0..n).map(side).collect();
        let mut cut = full.clone();
        cut[self.place] = (0..n).map(|j| f64::from(u8::from(j == self.place))).collect();
        let (mut b, mut response) = (side.clone(), self.row.clone());
        (b[self.place], response[self.place]) = (wish(t_next), 0.0);
        let (free, response) = (gauss(cut.clone(), b), gauss(cut, response));
        let (y, u) = (dot(&self.row, q) + self.offset, dot(&self.row, v));
        let needed = -(dot(&self.row, &free) + RESTITUTION * u) / dot(&self.row, &response);
        let p = if y + 0.5 * h * u <= 0.0 { needed.max(0.0) } else { 0.0 };
        let next: Vec<f64> = free.iter().zip(&response).map(|(v, r)| v + p * r).collect();
        let reaction = dot(&full[self.place], &next) - side[self.place] - p * self.row[self.place];
        (next, p, reaction)
    }
}

#[test]
fn prescribed_mass_in_a_chain_agrees_with_a_direct_solve() {
    let h = 5e-3;
    // Chains of 3 are inverted densely, chains of 50 by a sparse factor.
    for (n, at_wall) in [(3, true), (3, false), (50, true), (50, false)] {
        for theta in [0.5, 1.0] {
            let direct = Direct::new(n, at_wall);
            let mut builder = ModelBuilder::new();
            let chain = Linear::new("chain", direct.mass.clone())
                .damping(direct.damping.clone())
                .stiffness(direct.stiffness.clone())
                .load(&direct.load);
            let chain = builder.linear(chain);
            builder.prescribe(chain, direct.place, |t| Ok(wish(t)));
            let law = builder.law("rebound", NewtonImpact { restitution: RESTITUTION });
            let terms = direct.row.iter().enumerate().filter(|(_, c)| **c != 0.0);
            let terms: Vec<_> = terms.map(|(i, &c)| (chain, i, c)).collect();
            builder.linear_gap("contact", law, &terms, direct.offset);
            let (model, state) = builder.build(0.0).unwrap();
            let integrator = moreau_jean(&Options::default().with("theta", theta));
            let mut simulation = Simulation::new(model, state, integrator, h).unwrap();
            let mut impulses = 0;
            for step in 1..=400 {
                let frame = simulation.step().unwrap();
                let now = frame.before;
                let (v, p, reaction) = direct.step(&now.q, &now.v, now.t + h, h, theta);
                let told = format!("{n} masses, wall {at_wall}, θ = {theta}, step {step}");
                let far = v.iter().zip(&frame.after.v).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                // One step from the same state: rounding of a well-conditioned solve.
                assert!(far < 1e-13, "{told}: velocities differ by {far:.1e}");
                assert_eq!(frame.after.v[direct.place], wish(now.t + h), "{told}");
                let ours = frame.log.constraints.impulse.first().copied().unwrap_or(0.0);
                assert!((ours - p).abs() < 1e-13, "{told}: impulses {ours} and {p}");
                let held = theta * frame.after.v[direct.place] + (1.0 - theta) * now.v[direct.place];
                let work = frame.log.works.prescribed;
                // Rounding of terms M̂ v of order 10 that cancel in R.
                assert!(
                    (work - reaction * held).abs() < 1e-12,
                    "{told}: works {work}, {reaction} × {held}"
                );
                impulses += usize::from(p > 0.0);
            }
            assert!(impulses > 0, "{n} masses, wall {at_wall}, θ = {theta}: never touched");
        }
    }
}
