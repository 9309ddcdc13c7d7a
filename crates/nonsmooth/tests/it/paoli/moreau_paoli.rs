//! Moreau–Paoli: the discrete ball in closed form, the projection at every step against enumeration, orders, corners
//! inside and outside (H'5), the ledger, refusals.

use super::{run, simulate};
use crate::kit::{
    Built, Coulomb, EnergyLedger, Gap, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation,
    Sparse, Summary, Trajectory, UserError,
};
use crate::nonlinear::{DoublePendulum, SineSum};
use crate::schemes::academic::{EXAMPLES, assert_first_order};
use crate::{integrator, order};

const NAME: &str = "moreau-paoli";

fn variants() -> [Options; 2] {
    ["implicit", "explicit"].map(|word| Options::default().with_word("force", word))
}

/// A point in the plane with mass matrix `mass` between walls n·q ≥ 0, from (q, v).
fn corner(mass: [[f64; 2]; 2], walls: &[[f64; 2]], e: f64, q: [f64; 2], v: [f64; 2]) -> Built {
    let mut builder = ModelBuilder::new();
    let mass = Sparse::from_rows(&mass.map(|row| row.to_vec()));
    let point = builder.linear(Linear::new("point", mass).initial(&q, &v));
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    for (i, n) in walls.iter().enumerate() {
        builder.linear_gap(&format!("wall{i}"), law, &[(point, 0, n[0]), (point, 1, n[1])], 0.0);
    }
    builder.build(0.0).expect("the model is sound")
}

#[test]
fn the_discrete_ball_is_met_in_closed_form() {
    for e in [0.0, 0.3, 1.0] {
        // 1/h is no whole number: there rounding would decide in which step the floor is met.
        for h in [0.0937, 0.031, 0.0173] {
            let mut builder = ModelBuilder::new();
            let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).initial(&[1.0], &[-1.0]);
            let ball = builder.linear(ball);
            let law = builder.law("rebound", NewtonImpact { restitution: e });
            builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
            let n = (1.7 / h) as u64;
            let ours = run(builder.build(0.0).unwrap(), (NAME, &Options::default()), h, n);
            let p = (1.0 / h).floor();
            for k in 0..=n as usize {
                let i = k as f64;
                let exact = if i <= p {
                    [1.0 - i * h, -1.0]
                } else {
                    [1.0 - (p + 1.0) * h + e * (i - p - 1.0) * h, e]
                };
                let far = (ours.q[k][0] - exact[0]).abs().max((ours.v[k][0] - exact[1]).abs());
                assert!(far < 1e-13, "e = {e}, h = {h}, step {k}: {far:.1e}");
            }
        }
    }
}

/// (q, v, p) of one coordinate by hand: m v̇ = −c v − k q + a sin(ωt), q ≥ 0.
#[test]
fn a_damped_forced_mass_follows_the_scheme_written_by_hand() {
    let (m, c, k, a, omega, e, h, n) = (1.3, 0.8, 12.0, 30.0, 7.0, 0.4, 2.3e-3, 3000);
    for options in variants() {
        let mut builder = ModelBuilder::new();
        let system = Linear::new("mass", Sparse::diagonal(&[m]))
            .damping(Sparse::diagonal(&[c]))
            .stiffness(Sparse::diagonal(&[k]))
            .force(move |t, out| {
                out[0] = a * (omega * t).sin();
                Ok(())
            });
        let system = builder.linear(system.initial(&[0.5], &[0.0]));
        let law = builder.law("rebound", NewtonImpact { restitution: e });
        builder.linear_gap("floor", law, &[(system, 0, 1.0)], 0.0);
        let ours = run(builder.build(0.0).unwrap(), (NAME, &options), h, n);
        let implicit = options == variants()[0];
        let (mut q, mut v, mut impacts) = (0.5, 0.0, 0);
        for i in 1..=n as usize {
            q += h * v;
            let f = a * (omega * i as f64 * h).sin() - k * q;
            let inverse = if implicit { 1.0 / (m + h * c) } else { 1.0 / m };
            let free = if implicit { (m * v + h * f) * inverse } else { v + h * (f - c * v) / m };
            let p = if q <= 0.0 { f64::max(0.0, -(free + e * v) / inverse) } else { 0.0 };
            v = free + inverse * p;
            impacts += usize::from(p > 0.0);
            let far = (ours.q[i][0] - q).abs().max((ours.v[i][0] - v).abs());
            // Rounding, amplified a little by every impact.
            assert!(far.max((ours.impulses[i][0] - p).abs()) < 1e-11, "step {i}: {far:.1e}");
        }
        assert!(impacts > 5, "{impacts} impacts");
    }
}

/// Nearest point of {x: n·x ≥ 0 for all n} to `x` in the metric M, by trying every set of active walls.
fn project(mass: [[f64; 2]; 2], walls: &[[f64; 2]], x: [f64; 2]) -> [f64; 2] {
    let det = mass[0][0] * mass[1][1] - mass[0][1] * mass[1][0];
    let inverse = |f: [f64; 2]| {
        [(mass[1][1] * f[0] - mass[0][1] * f[1]) / det, (mass[0][0] * f[1] - mass[1][0] * f[0]) / det]
    };
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let mut candidates = vec![x, [0.0, 0.0]];
    for &n in walls {
        let s = dot(n, x) / dot(n, inverse(n));
        let d = inverse(n);
        candidates.push([x[0] - s * d[0], x[1] - s * d[1]]);
    }
    let distance = |y: [f64; 2]| {
        let d = [y[0] - x[0], y[1] - x[1]];
        d[0] * (mass[0][0] * d[0] + mass[0][1] * d[1]) + d[1] * (mass[1][0] * d[0] + mass[1][1] * d[1])
    };
    let admissible = |y: &[f64; 2]| walls.iter().all(|&n| dot(n, *y) >= -1e-12);
    let inside = candidates.into_iter().filter(admissible);
    inside.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).expect("0 is admissible")
}

#[test]
fn every_step_is_the_projection_in_the_kinetic_metric() {
    let mass = [[2.0, 0.7], [0.7, 1.0]];
    for (i, second) in [[0.8, 0.6], [-0.8, 0.6], [-0.6, 0.8], [0.0, 1.0]].into_iter().enumerate() {
        let walls = [[1.0, 0.0], second];
        for e in [0.0, 0.5, 1.0] {
            // 0.3 m from either wall.
            let scale = 0.3 / (1.0 + second[0]);
            let start = [scale * (1.0 + second[0]), scale * second[1]];
            let (model, state) = corner(mass, &walls, e, start, [-1.0, -1.3]);
            let mut simulation = simulate((model, state), (NAME, &Options::default()), 0.017);
            for step in 0..60 {
                let frame = simulation.step().expect("a good step");
                let (u, w, q) = (&frame.before.v, &frame.after.v, &frame.after.q);
                let closed = walls.into_iter().filter(|n| n[0] * q[0] + n[1] * q[1] <= 0.0);
                let closed: Vec<[f64; 2]> = closed.collect();
                let mean = [0, 1].map(|j| (w[j] + e * u[j]) / (1.0 + e));
                let near = project(mass, &closed, [u[0], u[1]]);
                let far = (mean[0] - near[0]).abs().max((mean[1] - near[1]).abs());
                assert!(far < 1e-12, "wall {i}, e = {e}, step {step}: {mean:?} is not {near:?}");
            }
        }
    }
}

#[test]
fn the_orders_are_one_in_position_and_in_l1_of_the_velocity() {
    for example in &EXAMPLES {
        for options in variants() {
            assert_first_order(example, (NAME, &options));
        }
    }
}

/// A double pendulum beside a wall: sin a + sin b ≥ 0.
fn pendulum() -> Built {
    let mut builder = ModelBuilder::new();
    let dynamics = DoublePendulum { gravity: 10.0 };
    let pendulum = builder.lagrangian("pendulum", &["a", "b"], dynamics, &[0.3, 0.2], &[0.0; 2]);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    builder.gap("wall", law, &[(pendulum, 0), (pendulum, 1)], SineSum);
    builder.build(0.0).expect("the model is sound")
}

/// L1 of the positions and of the velocities against a run with a very small step of another scheme.
fn l1(ours: &Trajectory, fine: &Trajectory, step: f64) -> [f64; 2] {
    let h = ours.t[1];
    let mut sum = [0.0; 2];
    for (k, t) in ours.t.iter().enumerate() {
        let at = (t / step).round() as usize;
        for i in 0..2 {
            sum[0] += h * (ours.q[k][i] - fine.q[at][i]).abs();
            sum[1] += h * (ours.v[k][i] - fine.v[at][i]).abs();
        }
    }
    sum
}

#[test]
fn a_double_pendulum_at_a_wall_converges_with_order_one() {
    let (end, step) = (2.6, 3e-6);
    let n = (end / step) as u64 + 1;
    let fine = run(pendulum(), ("moreau-jean", &Options::default()), step, n);
    let hits = (1..fine.t.len()).filter(|&k| fine.impulses[k][0] > 0.0).count();
    assert!(hits >= 2, "{hits} impacts");
    for options in variants() {
        let mean = |first: u64| {
            let runs = (0..12).map(|i| {
                let n = first + 7 * i;
                l1(&run(pendulum(), (NAME, &options), end / n as f64, n), &fine, step)
            });
            runs.fold([0.0; 2], |m, e| [m[0] + e[0] / 12.0, m[1] + e[1] / 12.0])
        };
        let (coarse, fine) = (mean(509), mean(4019));
        for i in 0..2 {
            let measured = order(coarse[i], fine[i], 4019.0 / 509.0);
            eprintln!("{options:?}: {:.1e} → {:.1e}, order {measured:.3}", coarse[i], fine[i]);
            assert!((measured - 1.0).abs() < 0.12, "order {measured:.3} of {}", ["q", "v"][i]);
        }
    }
}

/// The wall along the angle `a`, admissible to its left.
fn wall_at(a: f64) -> [f64; 2] {
    [-a.sin(), a.cos()]
}

/// Velocity after a point has come into the corner of opening `angle`, a little to either side of its tip.
fn after_corner(angle: f64, e: f64, offset: f64) -> ([f64; 2], Summary) {
    let back = wall_at(angle);
    let walls = [wall_at(0.0), [-back[0], -back[1]]];
    // Down the middle of the corner, so that both walls are loaded, shifted sideways.
    let (s, c) = (0.5 * angle).sin_cos();
    let start = [c - offset * s, s + offset * c];
    let (model, state) = corner([[1.0, 0.0], [0.0, 1.0]], &walls, e, start, [-c, -s]);
    let mut simulation = simulate((model, state), (NAME, &Options::default()), 1.3e-3);
    let mut summary = Summary::default();
    simulation.run(1000, &mut [&mut summary]).expect("it runs");
    ([simulation.state.v[0], simulation.state.v[1]], summary)
}

fn noted(summary: &Summary, words: &str) -> u64 {
    summary.notes.iter().filter(|note| note.what.contains(words)).map(|note| note.count).sum()
}

#[test]
fn inside_h5_it_does_not_matter_which_wall_is_hit_first() {
    // A right angle for any e, an acute one for e = 0.
    for (angle, e) in [(90.0f64, 0.0), (90.0, 0.5), (90.0, 1.0), (60.0, 0.0), (40.0, 0.0)] {
        let [(a, left), (b, right)] =
            [0.02, -0.02].map(|offset| after_corner(angle.to_radians(), e, offset));
        let far = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
        assert!(far < 1e-12, "{angle}°, e = {e}: {a:?} and {b:?}");
        for summary in [left, right] {
            assert_eq!(noted(&summary, "H'4") + noted(&summary, "H'5"), 0, "{summary:?}");
        }
    }
}

#[test]
fn outside_h5_the_limit_depends_on_the_wall_that_is_hit_first_and_a_note_says_so() {
    // An obtuse corner for e = 0, an acute one for e > 0.
    for (angle, e) in [(120.0f64, 0.0), (60.0, 0.5)] {
        let [(a, _), (b, _)] = [0.02, -0.02].map(|offset| after_corner(angle.to_radians(), e, offset));
        let far = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
        assert!(far > 0.05, "{angle}°, e = {e}: {a:?} and {b:?}");
        eprintln!("{angle}°, e = {e}: {a:.3?} and {b:.3?}");
        // Into the tip itself.
        let (_, summary) = after_corner(angle.to_radians(), e, 0.0);
        assert!(noted(&summary, "H'5") > 0, "{angle}°, e = {e}: {:?}", summary.notes);
    }
}

#[test]
fn kinetic_angles_are_those_of_the_metric() {
    // cos = (n, M⁻¹ m)/(‖n‖‖m‖) with M⁻¹ = [[1, −0.7], [−0.7, 2]]/1.51.
    let mass = [[2.0, 0.7], [0.7, 1.0]];
    let (model, state) = corner(mass, &[[1.0, 0.0], [0.0, 1.0]], 0.0, [0.0; 2], [0.0; 2]);
    let angles = model.kinetic_angles(&state, 0.0).expect("it can be evaluated");
    assert_eq!((angles.closed.len(), angles.rank, angles.cosines.len()), (2, 2, 1));
    assert!((angles.cosines[0].2 - -0.7 / 2f64.sqrt()).abs() < 1e-15, "{angles:?}");
    // Apart they are not closed; three lines in the plane are dependent.
    let walls = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]];
    let (model, state) = corner(mass, &walls, 0.0, [0.1, 0.0], [0.0; 2]);
    assert_eq!(model.kinetic_angles(&state, 0.0).expect("evaluated").closed.len(), 1);
    let angles = model.kinetic_angles(&state, 0.2).expect("evaluated");
    assert_eq!((angles.closed.len(), angles.rank, angles.cosines.len()), (3, 2, 3));
}

#[test]
fn the_ledger_closes_to_rounding_and_an_impact_takes_what_newton_says() {
    for e in [0.0, 0.5, 1.0] {
        for options in variants() {
            let mut builder = ModelBuilder::new();
            let matrix = |rows: [[f64; 2]; 2]| Sparse::from_rows(&rows.map(|row| row.to_vec()));
            let system = Linear::new("pair", matrix([[2.0, 0.5], [0.5, 1.0]]))
                .stiffness(matrix([[9.0, -4.0], [-4.0, 6.0]]))
                .damping(matrix([[0.3, 0.5], [-0.2, 0.1]]))
                .load(&[1.0, -2.0])
                .force(|t, out| {
                    out[1] = 5.0 * (3.0 * t).cos();
                    Ok(())
                });
            let pair = builder.linear(system.initial(&[0.4, 0.3], &[0.0, 1.0]));
            let law = builder.law("rebound", NewtonImpact { restitution: e });
            builder.linear_gap("floor", law, &[(pair, 1, 1.0)], 0.0);
            builder.linear_gap("pair", law, &[(pair, 0, 1.0), (pair, 1, 0.5)], 0.0);
            let mut simulation = simulate(builder.build(0.0).unwrap(), (NAME, &options), 1.7e-3);
            let mut ledger = EnergyLedger::default();
            simulation.run(4000, &mut [&mut ledger]).expect("it runs");
            let relative = ledger.worst_remainder / ledger.scale;
            assert!(relative < 4e-15, "e = {e}: remainder {relative:.1e}, {ledger:?}");
            let taken = ledger.total.impact + ledger.total.contact;
            assert!(taken < if e < 1.0 { -0.1 } else { 0.05 }, "{ledger:?}");
        }
        // A free mass: the impact takes ½ (1 − e²) u² exactly, the scheme nothing.
        let walls = [[0.0, 1.0]];
        let model = corner([[1.0, 0.0], [0.0, 1.0]], &walls, e, [0.0, 0.5], [0.3, -1.0]);
        let mut simulation = simulate(model, (NAME, &Options::default()), 0.017);
        let mut ledger = EnergyLedger::default();
        simulation.run(60, &mut [&mut ledger]).expect("it runs");
        assert!((ledger.total.impact + 0.5 * (1.0 - e * e)).abs() < 1e-15, "{ledger:?}");
        assert!(ledger.total.scheme.abs() < 1e-15, "{ledger:?}");
    }
}

/// y = z − s t: a floor that rises at s.
struct Lift {
    speed: f64,
}

impl Gap for Lift {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0] - self.speed * t)
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn rate(&self, _t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(-self.speed)
    }
    fn is_linear(&self) -> bool {
        true
    }
}

#[test]
fn a_floor_that_rises_carries_and_throws() {
    for (e, after) in [(0.0, 0.4), (0.5, 0.4 + 0.5 * 1.4)] {
        let mut builder = ModelBuilder::new();
        let ball = Linear::new("ball", Sparse::diagonal(&[2.0])).initial(&[0.5], &[-1.0]);
        let ball = builder.linear(ball);
        let law = builder.law("rebound", NewtonImpact { restitution: e });
        builder.gap("lift", law, &[(ball, 0)], Lift { speed: 0.4 });
        let model = builder.build(0.0).unwrap();
        let mut simulation = simulate(model, (NAME, &Options::default()), 0.0123);
        let mut ledger = EnergyLedger::default();
        simulation.run(100, &mut [&mut ledger]).expect("it runs");
        // u⁺ = −e u⁻ with u = v − 0.4.
        assert!((simulation.state.v[0] - after).abs() < 1e-14, "e = {e}: {:?}", simulation.state.v);
        assert!(ledger.worst_remainder < 1e-15 && ledger.total.prescribed > 0.0, "{ledger:?}");
    }
}

fn refusal(model: Built) -> Refusal {
    let made = Simulation::new(model.0, model.1, integrator(NAME, &Options::default()), 0.01);
    made.err().expect("it is refused")
}

#[test]
fn several_restitutions_and_friction_are_refused_with_a_remedy() {
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0, 1.0])));
    let soft = builder.law("soft", NewtonImpact { restitution: 0.0 });
    let hard = builder.law("hard", NewtonImpact { restitution: 0.7 });
    builder.linear_gap("floor", soft, &[(ball, 0, 1.0)], 0.0);
    builder.linear_gap("wall", hard, &[(ball, 1, 1.0)], 0.0);
    let text = refusal(builder.build(0.0).unwrap()).to_string();
    for word in ["`soft` has 0", "`hard` has 0.7", "make them equal", "moreau-jean"] {
        assert!(text.contains(word), "{text}");
    }
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0, 1.0])));
    let rough = builder.law("rough", Coulomb { friction: 0.3, ..Coulomb::default() });
    builder.linear_contact("floor", rough, &[(ball, 0, 1.0)], 0.0, &[&[(ball, 1, 1.0)]]);
    let refused = refusal(builder.build(0.0).unwrap());
    let expected = Refusal::Frictionless { integrator: NAME, law: "rough".to_owned() };
    assert_eq!(refused, expected);
}
