//! Schemes with several problems per step on models drawn at random: they end well, their ledgers close, and what they
//! promise of gaps and velocities holds; constraints given twice do no harm.

use crate::integrator;
use crate::kit::{
    Bilateral, Built, EnergyLedger, Linear, ModelBuilder, NewtonImpact, Options, Simulation, Sparse,
};
use crate::models::Rod;

/// Name, options, whether it has restitution, and how far inside a step may end [m].
fn schemes() -> Vec<(&'static str, Options, bool, f64)> {
    let none = Options::default;
    vec![
        ("moreau-projected", none(), true, f64::INFINITY),
        ("moreau-projected", none().with_word("project", "all"), true, 1.1e-10),
        ("moreau-projected", none().with_word("projection", "combined"), true, 1.1e-10),
        ("stewart-trinkle", none(), false, 1e-11),
        ("stewart-trinkle", none().with_word("gap", "nonlinear"), false, 1e-11),
        ("d1-minus", none(), true, f64::INFINITY),
        ("generalized-alpha", none().with("rho_infinity", 0.6), true, 1e-11),
    ]
}

/// Numbers in [0, 1), the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }

    fn rolls(&mut self, n: usize, low: f64, high: f64) -> Vec<f64> {
        (0..n).map(|_| low + (high - low) * self.roll()).collect()
    }

    /// Springs, or dampers, between all pairs of n masses.
    fn ties(&mut self, n: usize, strength: f64) -> Sparse {
        let mut rows = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..i {
                let tie = strength * self.roll();
                rows[i][i] += tie;
                rows[j][j] += tie;
                rows[i][j] -= tie;
                rows[j][i] -= tie;
            }
        }
        Sparse::from_rows(&rows)
    }
}

/// 2 to 5 masses over floors, tied by springs, sometimes by dampers and by a joint.
fn masses(seed: u64, elastic: bool) -> Built {
    let mut dice = Dice(seed);
    let n = 2 + (4.0 * dice.roll()) as usize;
    let (mass, load) = (dice.rolls(n, 0.1, 1.1), dice.rolls(n, -10.0, 0.0));
    let (q, mut v) = (dice.rolls(n, 0.0, 1.0), dice.rolls(n, -2.0, 2.0));
    let (stiffness, damping) = (dice.ties(n, 50.0), dice.ties(n, 1.0));
    let (damped, joined, e) = (dice.roll() < 0.5, dice.roll() < 0.4, dice.roll());
    if joined {
        v[1] = v[0];
    }
    let mut system = Linear::new("masses", Sparse::diagonal(&mass)).stiffness(stiffness);
    system = system.load(&load).initial(&q, &v);
    if damped {
        system = system.damping(damping);
    }
    let mut builder = ModelBuilder::new();
    let system = builder.linear(system);
    let restitution = if elastic && dice.roll() < 0.5 { e } else { 0.0 };
    let floor = builder.law("floor", NewtonImpact { restitution });
    for i in 0..n {
        builder.linear_gap(&format!("floor {i}"), floor, &[(system, i, 1.0)], 0.0);
    }
    if joined {
        let joint = builder.law("joint", Bilateral);
        builder.linear_gap("joint", joint, &[(system, 0, 1.0), (system, 1, -1.0)], q[1] - q[0]);
    }
    builder.build(0.0).expect("a right model")
}

#[test]
fn random_masses_are_served_and_accounted_for() {
    for (scheme, options, elastic, depth) in schemes() {
        for seed in 0..150 {
            let (model, state) = masses(seed, elastic);
            let told = format!("{scheme} {options:?}, seed {seed}");
            let mut simulation = Simulation::new(model, state, integrator(scheme, &options), 0.01)
                .unwrap_or_else(|refusal| panic!("{told}: {refusal}"));
            let mut ledger =
                EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite numbers");
            for _ in 0..300 {
                let frame = simulation.step().unwrap_or_else(|error| panic!("{told}: {error}"));
                ledger.book(frame.log.energies, frame.log.works);
                let lowest = frame.log.gaps.iter().fold(0.0f64, |m, gap| m.min(*gap));
                assert!(lowest >= -depth, "{told}: {lowest:e} inside");
            }
            // Rounding, and the tolerance of solves and of Newton's iteration.
            let relative = ledger.worst_remainder / ledger.scale;
            assert!(relative < 1e-11, "{told}: remainder {relative:.1e}");
        }
    }
}

/// A pendulum whose rod and whose floor are each given twice falls on the floor and rests there.
#[test]
fn constraints_given_twice_do_no_harm() {
    for (scheme, options, ..) in schemes() {
        let mut builder = ModelBuilder::new();
        let mass = Linear::new("mass", Sparse::diagonal(&[2.0, 2.0])).load(&[0.0, -20.0]);
        let mass = builder.linear(mass.initial(&[1.0, 0.0], &[0.0, 0.0]));
        let joint = builder.law("joint", Bilateral);
        let plastic = builder.law("plastic", NewtonImpact { restitution: 0.0 });
        for i in 0..2 {
            builder.gap(&format!("rod {i}"), joint, &[(mass, 0), (mass, 1)], Rod);
            builder.linear_gap(&format!("floor {i}"), plastic, &[(mass, 1, 1.0)], 0.8);
        }
        let (model, state) = builder.build(0.0).expect("a right model");
        let mut simulation =
            Simulation::new(model, state, integrator(scheme, &options), 0.003).expect("accepted");
        for _ in 0..600 {
            simulation.step().unwrap_or_else(|error| panic!("{scheme} {options:?}: {error}"));
        }
        let (q, v) = (&simulation.state.q, &simulation.state.v);
        // D1-minus keeps the overlap of the impact and the drift of the rod, O(h).
        let near = if scheme == "d1-minus" { 0.01 } else { 1e-9 };
        assert!((q[0] - 0.6).abs() < near && (q[1] + 0.8).abs() < near, "{scheme}: {q:?}");
        assert!(v[0].abs() < 1e-12 && v[1].abs() < 1e-12, "{scheme}: {v:?}");
    }
}
