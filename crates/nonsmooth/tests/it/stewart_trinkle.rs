//! Stewart–Trinkle: the tables of the notes, moving obstacles, circles from both sides, layers, orders.

mod bodies;
mod corners;
mod friction;

use crate::kit::{
    Built, EnergyLedger, Gap, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation, Sparse,
    Trajectory, UserError,
};
use crate::models::{self, Shaken, bob};
use crate::nonlinear::{DoublePendulum, SineSum, driven_pair};
use crate::{integrator, moreau_jean, order};

/// Runs `n` steps and keeps everything.
fn run((model, state): Built, options: &Options, h: f64, n: u64) -> (Trajectory, EnergyLedger) {
    let scheme = integrator("stewart-trinkle", options);
    let mut simulation = Simulation::new(model, state, scheme, h).expect("accepted");
    let (mut trajectory, mut ledger) = (Trajectory::default(), EnergyLedger::default());
    simulation.run(n, &mut [&mut trajectory, &mut ledger]).expect("the run ends well");
    (trajectory, ledger)
}

fn linearised() -> Options {
    Options::default()
}

fn nonlinear() -> Options {
    Options::default().with_word("gap", "nonlinear")
}

/// Unit mass under unit force towards a wall at 11 + w t.
struct Wall {
    w: f64,
}

impl Gap for Wall {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(11.0 + self.w * t - q[0])
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = -1.0;
        Ok(())
    }
    fn rate(&self, _t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(self.w)
    }
    fn is_linear(&self) -> bool {
        true
    }
}

fn cart(wall: Option<Wall>) -> Built {
    let mut builder = ModelBuilder::new();
    let cart = builder.linear(Linear::new("cart", Sparse::diagonal(&[1.0])).load(&[1.0]));
    let law = builder.law("wall", NewtonImpact { restitution: 0.0 });
    if let Some(wall) = wall {
        builder.gap("wall", law, &[(cart, 0)], wall);
    }
    builder.build(0.0).expect("a right model")
}

/// The four tables, h = m = F = 1: every number is a small whole one, so that nothing is rounded.
#[test]
fn the_tables_of_the_notes_are_reproduced_exactly() {
    // Explicit Euler is the θ-scheme with θ = 0.
    let (model, state) = cart(None);
    let explicit = moreau_jean(&Options::default().with("theta", 0.0));
    let mut simulation = Simulation::new(model, state, explicit, 1.0).expect("accepted");
    let mut euler = Trajectory::default();
    simulation.run(5, &mut [&mut euler]).expect("a good run");
    let table = [(0, 0), (0, 1), (1, 2), (3, 3), (6, 4), (10, 5)];
    for (l, (x, v)) in table.into_iter().enumerate() {
        assert_eq!((euler.q[l][0], euler.v[l][0]), (f64::from(x), f64::from(v)), "explicit, l = {l}");
    }
    // Without a wall the scheme is semi-implicit Euler.
    for options in [linearised(), nonlinear()] {
        let (free, _) = run(cart(None), &options, 1.0, 4);
        for (l, (x, v)) in [(0, 0), (1, 1), (3, 2), (6, 3), (10, 4)].into_iter().enumerate() {
            assert_eq!((free.q[l][0], free.v[l][0]), (f64::from(x), f64::from(v)), "l = {l}");
        }
        let fixed = [
            [0, 0, 11, 0],
            [1, 1, 10, 0],
            [3, 2, 8, 0],
            [6, 3, 5, 0],
            [10, 4, 1, 0],
            [11, 1, 0, 4],
            [11, 0, 0, 2],
            [11, 0, 0, 1],
        ];
        let moving = [
            [0, 0, 11, 0],
            [1, 1, 9, 0],
            [3, 2, 6, 0],
            [6, 3, 2, 0],
            [7, 1, 0, 3],
            [6, -1, 0, 3],
            [5, -1, 0, 1],
        ];
        for (w, table) in [(0.0, &fixed[..]), (-1.0, &moving[..])] {
            let (ours, _) = run(cart(Some(Wall { w })), &options, 1.0, table.len() as u64 - 1);
            for (l, row) in table.iter().enumerate() {
                let found = [ours.q[l][0], ours.v[l][0], ours.gaps[l][0], ours.impulses[l][0]];
                assert_eq!(found, row.map(f64::from), "wall velocity {w}, l = {l}");
            }
        }
    }
}

/// λ = p/h: the impulse of a step, not the force, is what the log holds.
#[test]
fn at_rest_against_the_wall_the_impulse_is_the_force_times_the_step() {
    let (ours, _) = run(cart(Some(Wall { w: 0.0 })), &linearised(), 0.25, 100);
    assert_eq!(ours.impulses[100][0], 0.25);
}

/// A sphere of radius 1 about (t w, 0, 0), and a particle outside (`sign` = 1) or inside (−1).
#[derive(Clone, Copy)]
struct Ball {
    sign: f64,
    w: f64,
}

impl Ball {
    fn arm(&self, t: f64, q: &[f64]) -> ([f64; 3], f64) {
        let z = q.get(2).copied().unwrap_or(0.0);
        let arm = [q[0] - self.w * t, q[1], z];
        (arm, arm.iter().map(|x| x * x).sum::<f64>().sqrt())
    }
}

impl Gap for Ball {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.sign * (self.arm(t, q).1 - 1.0))
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let (arm, r) = self.arm(t, q);
        out.iter_mut().zip(arm).for_each(|(out, x)| *out = self.sign * x / r);
        Ok(())
    }
    fn rate(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        let (arm, r) = self.arm(t, q);
        Ok(-self.sign * self.w * arm[0] / r)
    }
}

/// A particle of unit mass near the ball; the dimension is that of `q`.
fn near_ball(ball: Ball, load: &[f64], q: &[f64], v: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let mass = Sparse::diagonal(&vec![1.0; q.len()]);
    let particle = builder.linear(Linear::new("particle", mass).load(load).initial(q, v));
    let law = builder.law("ball", NewtonImpact { restitution: 0.0 });
    let on: Vec<_> = (0..q.len()).map(|i| (particle, i)).collect();
    builder.gap("ball", law, &on, ball);
    builder.build(0.0).expect("a right model")
}

fn deepest(trajectory: &Trajectory) -> f64 {
    trajectory.gaps.iter().fold(0.0, |m, gaps| m.max(-gaps[0]))
}

/// ψ is convex outside a convex obstacle, so that its linearisation is a lower bound: no step enters. 1e-15 is the
/// rounding of numbers of size 1.
#[test]
fn nothing_enters_a_convex_obstacle_from_outside() {
    for h in [0.3, 0.1, 0.03] {
        let starts = [([0.05, 1.5], [0.0, -1.0]), ([0.4, 2.0], [0.3, -2.0]), ([-3.0, 0.7], [5.0, 0.0])];
        for (q, v) in starts {
            let made = near_ball(Ball { sign: 1.0, w: 0.0 }, &[0.0, -1.0], &q, &v);
            let (ours, _) = run(made, &linearised(), h, 40);
            assert!(deepest(&ours) < 1e-15, "h = {h}, from {q:?}: {:.1e} deep", deepest(&ours));
            let touched = ours.impulses.iter().any(|p| p[0] > 0.0);
            assert!(touched || q[0] < 0.0, "h = {h}, from {q:?}: never touched");
        }
    }
}

/// ψ + h ∂ψ/∂t is a lower bound too where ψ(q, t) is convex in both: a sphere that moves steadily, in space.
#[test]
fn a_moving_sphere_pushes_a_particle_in_space_without_entering_it() {
    for options in [linearised(), nonlinear()] {
        let made = near_ball(Ball { sign: 1.0, w: 2.0 }, &[0.0; 3], &[1.5, 0.1, -0.05], &[0.0; 3]);
        let (ours, ledger) = run(made, &options, 0.02, 100);
        // Newton leaves 1e-12 of the velocity, times h.
        assert!(deepest(&ours) < 1e-13, "{:.1e} deep", deepest(&ours));
        let hit = ours.impulses.iter().position(|p| p[0] > 0.0).expect("it is hit");
        assert_eq!(hit, 13, "the sphere reaches the particle after 0.25 s");
        // It slides off to the side where it was and ends faster than the sphere, along the normal.
        let v = &ours.v[100];
        assert!(v[0] > 1.9 && v[1] > 0.0 && v[2] < 0.0, "{v:?}");
        assert!((v[1] / v[2] + 2.0).abs() < 1e-9, "no force acts across the plane of motion: {v:?}");
        // All energy comes from the obstacle.
        assert!(ledger.total.prescribed > 0.0 && ledger.worst_remainder < 1e-12, "{ledger:?}");
    }
}

/// With the true gap the end of every step with a force lies on the surface.
#[test]
fn the_nonlinear_gap_ends_on_the_surface() {
    let inside = near_ball(Ball { sign: -1.0, w: 0.0 }, &[0.0, -1.0], &[0.9, 0.0], &[0.0; 2]);
    let (ours, _) = run(inside, &nonlinear(), 0.1, 60);
    for k in 1..ours.t.len() {
        if ours.impulses[k][0] > 0.0 {
            assert!(ours.gaps[k][0].abs() < 1e-12, "gap {:.1e} at step {k}", ours.gaps[k][0]);
        }
    }
    assert!(deepest(&ours) < 1e-12);
}

/// From rest at (0.9, 0) in a unit circle under unit gravity: the fall of s = √0.19 keeps the tangential part of its
/// velocity, and at the bottom v² = 2 − 2 s³. A step of length h v along the tangent ends √(1 + h²v²) − 1 ≈ h²v²/2
/// outside.
#[test]
fn inside_a_circle_the_linearised_gap_lets_the_square_of_the_step_through() {
    let speed2 = 2.0 - 2.0 * 0.19f64.powf(1.5);
    let mut found = Vec::new();
    for (h, known) in [(0.1, 9.1e-3), (0.05, 2.3e-3), (0.025, 5.7e-4)] {
        let inside = near_ball(Ball { sign: -1.0, w: 0.0 }, &[0.0, -1.0], &[0.9, 0.0], &[0.0; 2]);
        let (ours, _) = run(inside, &linearised(), h, (4.0 / h) as u64);
        let (deep, estimate) = (deepest(&ours), (1.0 + h * h * speed2).sqrt() - 1.0);
        eprintln!("h = {h}: {deep:.3e} deep, estimate {estimate:.3e}, known {known:.1e}");
        // The first order of the scheme changes the speed by O(h); two digits are known.
        assert!((deep - estimate).abs() < 0.1 * h * estimate);
        assert_eq!(format!("{deep:.1e}"), format!("{known:.1e}"));
        found.push(deep);
    }
    let (first, last) = (order(found[0], found[1], 2.0), order(found[1], found[2], 2.0));
    assert!((first - 2.0).abs() < 0.1 && (last - 2.0).abs() < 0.05, "orders {first:.3}, {last:.3}");
}

fn falling(v: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[2.0])).initial(&[1.0], &[-v]);
    let ball = builder.linear(ball);
    let law = builder.law("floor", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// What is not imminent is not seen: the step enters by d < h v, and the next throws the particle out at d/h, a bounce
/// although e = 0.
#[test]
fn a_thin_layer_lets_large_steps_enter_and_throws_them_out() {
    // Binary fractions: nothing is rounded.
    let (h, v) = (0.125, 3.0);
    let (seen, _) = run(falling(v), &linearised(), h, 10);
    assert_eq!(deepest(&seen), 0.0);
    assert_eq!(seen.v[10][0], 0.0);
    let (unseen, _) = run(falling(v), &linearised().with("activation_distance", 0.0), h, 10);
    let depth = 3.0 * h * v - 1.0;
    assert_eq!(deepest(&unseen), depth);
    // It flies off: no force, so that velocity stays.
    assert_eq!(unseen.v[10][0], depth / h);
    // A layer of h v catches every contact.
    let (layer, _) = run(falling(v), &linearised().with("activation_distance", h * v), h, 10);
    assert_eq!(layer.q, seen.q);
}

#[test]
fn restitution_is_refused_with_a_remedy() {
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0])).initial(&[1.0], &[0.0]));
    let law = builder.law("rebound", NewtonImpact { restitution: 0.3 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    let (model, state) = builder.build(0.0).expect("a right model");
    let scheme = integrator("stewart-trinkle", &linearised());
    let refusal = Simulation::new(model, state, scheme, 0.1).err().expect("refused");
    assert!(matches!(refusal, Refusal::Rebound { integrator: "stewart-trinkle", .. }));
    let text = refusal.to_string();
    assert!(text.contains("`rebound`") && text.contains("use restitution 0"), "{text}");
}

/// q̈ + q = −1 + r from q = 1: q = 2 cos t − 1 until π/3, then rest. Errors of q (largest, mean) and of v (mean) for n
/// steps up to 2.
fn oscillator_errors(options: &Options, n: u64) -> [f64; 3] {
    let mut builder = ModelBuilder::new();
    let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).stiffness(Sparse::diagonal(&[1.0]));
    let mass = builder.linear(mass.load(&[-1.0]).initial(&[1.0], &[0.0]));
    let law = builder.law("floor", NewtonImpact { restitution: 0.0 });
    builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
    let (ours, _) = run(builder.build(0.0).expect("a right model"), options, 2.0 / n as f64, n);
    let mut errors = [0.0f64; 3];
    for (k, &t) in ours.t.iter().enumerate() {
        let flying = t < std::f64::consts::FRAC_PI_3;
        let (q, v) = if flying { (2.0 * t.cos() - 1.0, -2.0 * t.sin()) } else { (0.0, 0.0) };
        let (q, v) = ((ours.q[k][0] - q).abs(), (ours.v[k][0] - v).abs());
        errors = [errors[0].max(q), errors[1] + q / n as f64, errors[2] + v / n as f64];
    }
    errors
}

#[test]
fn it_is_of_order_one_through_an_impact() {
    for options in [linearised(), nonlinear(), linearised().with_word("forces", "end")] {
        models::assert_order_one(|n| oscillator_errors(&options, n));
    }
}

/// A spring and damper pressed against a moving floor with a prescribed neighbour: every column is at work.
fn machine() -> Built {
    let mut builder = ModelBuilder::new();
    let pair = builder.linear(driven_pair([0.4, 0.1], [0.0, 1.0]));
    let law = builder.law("floor", NewtonImpact { restitution: 0.0 });
    builder.gap("floor", law, &[(pair, 1)], Shaken { amplitude: 0.1, frequency: 3.0 });
    builder.prescribe(pair, 0, |t| Ok(0.5 * (2.0 * t).sin()));
    builder.build(0.0).expect("a right model")
}

#[test]
fn the_ledger_closes_for_both_places_of_the_forces() {
    for gap in ["linearised", "nonlinear"] {
        for forces in ["start", "end"] {
            let options = Options::default().with_word("gap", gap).with_word("forces", forces);
            let (ours, ledger) = run(machine(), &options, 0.01, 500);
            // Rounding of energies of size 10.
            assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{gap} {forces}: {ledger:?}");
            let total = ledger.total;
            let used = [total.external, total.viscous, total.contact, total.impact, total.prescribed];
            assert!(used.iter().all(|work| *work != 0.0), "{total:?}");
            assert!(total.scheme != 0.0);
            let met = ours.gaps.iter().fold(0.0f64, |m, gaps| m.min(gaps[0]));
            // ½ h² g̈ with g̈ = 0.9 for the gap as it looks from the start.
            assert!(
                met > if gap == "linearised" { -0.45 * 0.01 * 0.01 * 1.01 } else { -1e-13 },
                "{met}"
            );
        }
    }
}

#[test]
fn joints_do_not_drift() {
    let drift = |options: &Options, n: u64| {
        let (ours, _) = run(bob(), options, 10.0 / n as f64, n);
        ours.gaps.iter().fold(0.0f64, |m, gaps| m.max(gaps[0].abs()))
    };
    // The tangent is left by h² |v|² in a step, and found again in the next: no growth over five swings.
    let [coarse, fine] = [1000, 4000].map(|n| drift(&linearised(), n));
    assert!((order(coarse, fine, 4.0) - 2.0).abs() < 0.1, "{coarse:.2e} → {fine:.2e}");
    assert!(coarse < 1.1 * 1e-4 * 2.0 * 9.81, "{coarse:.2e}");
    assert!(drift(&nonlinear(), 1000) < 1e-12);
}

/// A double pendulum against two walls, M(q) and gaps nonlinear.
#[test]
fn lagrangian_systems_keep_their_walls() {
    let made = || {
        let mut builder = ModelBuilder::new();
        let pendulum = DoublePendulum { gravity: 10.0 };
        let pendulum = builder.lagrangian("pendulum", &["a", "b"], pendulum, &[0.1, 0.2], &[0.0; 2]);
        let law = builder.law("plastic", NewtonImpact { restitution: 0.0 });
        builder.gap("a", law, &[(pendulum, 0)], SineSum);
        builder.gap("b", law, &[(pendulum, 0), (pendulum, 1)], SineSum);
        builder.build(0.0).expect("a right model")
    };
    let lowest = |options: &Options| {
        let (ours, ledger) = run(made(), options, 1e-3, 3000);
        assert!(ours.impulses.iter().any(|p| p[0] > 0.0) && ours.impulses.iter().any(|p| p[1] > 0.0));
        // Inelastic: energy is lost at impacts; what the ledger cannot explain stays at the order of the scheme.
        assert!(ledger.remainder.abs() < 0.02 * ledger.scale, "{ledger:?}");
        ours.gaps.iter().flatten().fold(0.0f64, |m, gap| m.min(*gap))
    };
    for forces in ["start", "end"] {
        let low = lowest(&nonlinear().with_word("forces", forces));
        assert!(low > -1e-12, "{forces}: {low:e}");
        let low = lowest(&linearised().with_word("forces", forces));
        // ½ h² |v|² with speeds up to 5.
        assert!(low > -0.5 * 1e-6 * 25.0, "{forces}: {low:e}");
    }
}

/// No bit depends on scratch, and a copy of a state resumes as if nothing had happened.
#[test]
fn scratch_does_not_matter() {
    for options in [linearised(), nonlinear()] {
        let made = || near_ball(Ball { sign: -1.0, w: 0.3 }, &[0.0, -1.0], &[0.9, 0.0], &[0.0; 2]);
        let begin = || {
            let (model, state) = made();
            let scheme = integrator("stewart-trinkle", &options);
            Simulation::new(model, state, scheme, 0.05).expect("accepted")
        };
        let (mut plain, mut poisoned) = (begin(), begin());
        for k in 0..80 {
            poisoned.reset();
            plain.step().expect("a good step");
            poisoned.step().expect("a good step");
            assert_eq!(plain.state, poisoned.state, "step {k}");
        }
    }
}
