//! Gaps on coordinates of any system: rows against differences of y along the motion, and a point of a body on a plane.

use crate::kit::{
    Bilateral, Built, EnergyLedger, Gap, Linear, ModelBuilder, NewtonImpact, Options, Simulation,
    Sparse, State, UserError,
};
use crate::moreau_jean;
use nonsmooth::Model;
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ActiveConstraints, ConstraintId};

/// Height of the point `arm` of a body over the plane z = 0.1 x + 0.05 sin t, on (x, z, quaternion).
struct Corner([f64; 3]);

impl Corner {
    /// R(q) arm and its derivative by each component of the quaternion, along x and z.
    fn turned(&self, q: &[f64]) -> [[f64; 2]; 5] {
        let [a, b, c] = self.0;
        let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
        // Not divided by |q|²: the functions of a user need not know that q is a unit quaternion.
        let along = |w: f64, x: f64, y: f64, z: f64| {
            [
                (w * w + x * x - y * y - z * z) * a
                    + 2.0 * (x * y - w * z) * b
                    + 2.0 * (x * z + w * y) * c,
                2.0 * (x * z - w * y) * a
                    + 2.0 * (y * z + w * x) * b
                    + (w * w - x * x - y * y + z * z) * c,
            ]
        };
        [
            along(w, x, y, z),
            [2.0 * (w * a - z * b + y * c), 2.0 * (-y * a + x * b + w * c)],
            [2.0 * (x * a + y * b + z * c), 2.0 * (z * a + w * b - x * c)],
            [2.0 * (-y * a + x * b + w * c), 2.0 * (-w * a + z * b - y * c)],
            [2.0 * (-z * a - w * b + x * c), 2.0 * (x * a + y * b + z * c)],
        ]
    }
}

impl Gap for Corner {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        let [x, z] = self.turned(&q[2..])[0];
        Ok(q[1] + z - 0.1 * (q[0] + x) - 0.05 * t.sin())
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = -0.1;
        out[1] = 1.0;
        let turned = self.turned(&q[2..]);
        for k in 0..4 {
            out[2 + k] = turned[1 + k][1] - 0.1 * turned[1 + k][0];
        }
        Ok(())
    }
    fn rate(&self, t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(-0.05 * t.cos())
    }
}

/// A turning body with one corner over the plane.
fn turning(joint: bool) -> Built {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let inertia = [[0.4, 0.05, 0.0], [0.05, 0.6, 0.0], [0.0, 0.0, 0.7]];
    let body = builder.body(Body {
        position: [0.2, -0.1, if joint { 0.0 } else { 1.0 }],
        rotation: [0.8, 0.2, -0.5, 0.3],
        velocity: [0.3, 0.1, -0.4],
        angular_velocity: [1.5, -2.0, 0.7],
        ..Body::new("brick", 2.0, inertia)
    });
    let on = [0, 2, 3, 4, 5, 6].map(|c| (body.system(), c));
    if joint {
        let law = builder.law("joint", Bilateral);
        builder.gap("corner", law, &on, Corner([0.3, 0.2, -0.4]));
        builder.allow_initial_violation();
    } else {
        let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
        builder.gap("corner", law, &on, Corner([0.3, 0.2, -0.4]));
    }
    builder.build(0.3).expect("a right model")
}

/// u of the corner as detection finds it.
fn velocity(model: &Model, state: &State) -> f64 {
    let mut active = ActiveConstraints::default();
    active.open(model);
    model
        .at_state(state, |at| {
            model.constraints[0].append(model, &[ConstraintId::member(0, 0)], at, &mut active)
        })
        .expect("finite");
    active.u_minus[0]
}

#[test]
fn a_row_on_a_quaternion_is_the_derivative_of_the_gap_along_the_motion() {
    let (model, state) = turning(false);
    let gap = |s: f64| {
        let mut there = State { t: state.t + s, ..state.clone() };
        let step: Vec<f64> = state.v.iter().map(|v| s * v).collect();
        model.retract(&state.q, &step, &mut there.q);
        let mut gaps = Vec::new();
        model.gaps_of(&there, &mut gaps).expect("finite");
        gaps[0]
    };
    let s = 1e-5;
    let by_differences = (gap(s) - gap(-s)) / (2.0 * s);
    let u = velocity(&model, &state);
    // Central differences: s² times a third derivative of order 10, and 1e-16/s of rounding.
    assert!((u - by_differences).abs() < 1e-8, "{u} {by_differences}");
}

#[test]
fn a_corner_of_a_turning_body_bounces_on_a_plane_that_moves() {
    let (model, state) = turning(false);
    let mut simulation =
        Simulation::new(model, state, moreau_jean(&Options::default()), 1e-3).expect("accepted");
    let mut ledger = EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite");
    let (mut impacts, mut lowest) = (0, 0.0f64);
    for _ in 0..1500 {
        let frame = simulation.step().expect("a good step");
        ledger.book(frame.log.energies, frame.log.works);
        for event in &frame.log.events {
            impacts += 1;
            let (before, after) = (event.u_minus[0], event.u_plus[0]);
            // J is that of the end of the step and u⁻ that of the start: a turn of 2.6e-3 rad lies between.
            assert!((after + 0.5 * before).abs() < 0.03 * (1.0 + before.abs()), "{before} {after}");
        }
        lowest = lowest.min(frame.log.gaps[0]);
    }
    // It enters by at most one step of the fastest approach, 6 m/s.
    assert!(impacts > 0 && lowest > -0.01, "{impacts} impacts, {lowest:e} m");
}

#[test]
fn a_corner_that_is_held_on_the_plane_stays_there() {
    let off = |h: f64| {
        let (model, state) = turning(true);
        let mut simulation =
            Simulation::new(model, state, moreau_jean(&Options::default()), h).expect("accepted");
        let steps = (0.2 / h) as u64;
        let mut gaps = Vec::new();
        let first = simulation.step().expect("a good step").log.gaps[0];
        for _ in 1..steps {
            gaps.push(simulation.step().expect("a good step").log.gaps[0] - first);
        }
        gaps.into_iter().fold(0.0f64, |m, y| m.max(y.abs()))
    };
    // u⁺ = 0 with J of the end: the gap drifts by O(h²) in a step, O(h) in a given time.
    let [coarse, fine] = [off(1e-3), off(5e-4)];
    assert!(coarse < 0.02 && fine < 0.7 * coarse, "{coarse:e} {fine:e}");
}

/// |q| = 1.
struct Circle;

impl Gap for Circle {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0].hypot(q[1]) - 1.0)
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let r = q[0].hypot(q[1]);
        out.copy_from_slice(&[q[0] / r, q[1] / r]);
        Ok(())
    }
}

/// A mass on a circle: J(q_c) v⁺ = 0 where the option says, and nowhere else.
#[test]
fn the_jacobian_is_evaluated_where_the_option_says() {
    for (place, share) in [("start", 0.0), ("theta", 0.5), ("end", 1.0)] {
        let mut builder = ModelBuilder::new();
        let mass = Linear::new("mass", Sparse::diagonal(&[1.0, 1.0])).initial(&[1.0, 0.0], &[0.0, 1.0]);
        let mass = builder.linear(mass);
        let law = builder.law("joint", Bilateral);
        builder.gap("rod", law, &[(mass, 0), (mass, 1)], Circle);
        let (model, state) = builder.build(0.0).expect("a right model");
        let options = Options::default().with_word("jacobian_at", place);
        let mut simulation =
            Simulation::new(model, state, moreau_jean(&options), 0.1).expect("accepted");
        for _ in 0..10 {
            let seen = simulation.step().expect("a step");
            let (q, next) = (&seen.before.q, seen.after);
            let rate = |share: f64| -> f64 {
                (0..2).map(|i| (q[i] + share * (next.q[i] - q[i])) * next.v[i]).sum()
            };
            assert!(rate(share).abs() < 1e-12, "{place}: {}", rate(share));
            assert!([0.0, 0.5, 1.0].iter().all(|x| *x == share || rate(*x).abs() > 1e-2), "{place}");
        }
    }
}
