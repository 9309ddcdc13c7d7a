//! Coulomb friction against closed forms: sliding, sticking, impacts, in the plane and in space.

use crate::kit::{
    At, Built, Coulomb, EnergyLedger, Gap, Lagrangian, Linear, ModelBuilder, Options, Simulation,
    Sparse, Trajectory, UserError,
};
use crate::moreau_jean;

const GRAVITY: f64 = 9.81;
const MASS: f64 = 1.7;

fn coulomb(friction: f64) -> Coulomb {
    Coulomb { friction, ..Coulomb::default() }
}

/// A block with coordinates (along, normal) on a slope of angle `alpha`, moving along it at `v`.
fn block(law: Coulomb, alpha: f64, v: f64) -> Built {
    let weight = MASS * GRAVITY;
    let block = Linear::new("block", Sparse::diagonal(&[MASS, MASS]))
        .load(&[weight * alpha.sin(), -weight * alpha.cos()])
        .initial(&[0.0, 0.0], &[v, 0.0]);
    let mut builder = ModelBuilder::new();
    let block = builder.linear(block);
    let law = builder.law("slope", law);
    builder.linear_contact("slope", law, &[(block, 1, 1.0)], 0.0, &[&[(block, 0, 1.0)]]);
    builder.build(0.0).expect("a right model")
}

/// A particle (x, y, z) that slides on the plane z = 0 with velocity `v`.
fn particle(law: Coulomb, v: [f64; 3], z: f64) -> Built {
    let particle = Linear::new("particle", Sparse::diagonal(&[MASS; 3]))
        .load(&[0.0, 0.0, -MASS * GRAVITY])
        .initial(&[0.0, 0.0, z], &v);
    let mut builder = ModelBuilder::new();
    let p = builder.linear(particle);
    let law = builder.law("floor", law);
    builder.linear_contact("floor", law, &[(p, 2, 1.0)], 0.0, &[&[(p, 0, 1.0)], &[(p, 1, 1.0)]]);
    builder.build(0.0).expect("a right model")
}

fn simulation((model, state): Built, h: f64) -> Simulation {
    Simulation::new(model, state, moreau_jean(&Options::default()), h).expect("accepted")
}

fn run(made: Built, h: f64, n: u64) -> (Trajectory, EnergyLedger) {
    let (mut trajectory, mut ledger) = (Trajectory::default(), EnergyLedger::default());
    simulation(made, h).run(n, &mut [&mut trajectory, &mut ledger]).expect("the run ends well");
    (trajectory, ledger)
}

#[test]
fn a_sliding_block_stops_where_and_when_it_must() {
    let (mu, v, h) = (0.4, 2.0, 1e-3);
    let (time, distance) = (v / (mu * GRAVITY), v * v / (2.0 * mu * GRAVITY));
    let (trajectory, ledger) = run(block(coulomb(mu), 0.0, v), h, 1000);
    let stopped = trajectory.v.iter().position(|v| v[0].abs() < 1e-12).expect("it stops");
    assert_eq!(stopped, (time / h).ceil() as usize);
    // The deceleration is constant, so θ = ½ is exact but for the step in which it stops: there the mean
    // velocity is that of a stop at its end, at most μ g h²/8 too far.
    let end = trajectory.q.last().expect("states")[0];
    assert!((end - distance).abs() <= mu * GRAVITY * h * h / 8.0 + 1e-12, "{end} {distance}");
    // Friction takes all the energy, the normal impulse none.
    let energy = 0.5 * MASS * v * v;
    assert!((ledger.total.friction + energy).abs() < 1e-12 * energy, "{:?}", ledger.total);
    assert!(ledger.total.contact.abs() < 1e-12 * energy);
    assert!(ledger.worst_remainder < 1e-13 * energy);
}

#[test]
fn a_block_sticks_below_the_friction_angle_for_an_hour() {
    let mu = 0.5f64;
    // Just inside the cone: tan α = μ (1 − 1e-6).
    let alpha = (mu * (1.0 - 1e-6)).atan();
    let mut simulation = simulation(block(coulomb(mu), alpha, 0.0), 0.01);
    for _ in 0..360_000 {
        simulation.step().expect("a good step");
    }
    assert!(simulation.state.t > 3599.9);
    let creep = simulation.state.q[0].abs();
    assert!(creep < 1e-12, "creep {creep:e} m in an hour");
}

#[test]
fn a_block_slides_above_the_friction_angle() {
    let mu = 0.5f64;
    let alpha = (mu * (1.0 + 1e-3)).atan();
    let (h, n) = (0.01, 500);
    let (trajectory, _) = run(block(coulomb(mu), alpha, 0.0), h, n);
    let acceleration = GRAVITY * (alpha.sin() - mu * alpha.cos());
    let t = h * n as f64;
    let (q, v) = (trajectory.q[n as usize][0], trajectory.v[n as usize][0]);
    // Constant acceleration: exact for θ = ½; the rounding is that of the weight, μ = 1e3 times the difference.
    assert!((v - acceleration * t).abs() < 1e-10, "{v} {}", acceleration * t);
    assert!((q - 0.5 * acceleration * t * t).abs() < 1e-10);
}

#[test]
fn a_particle_slides_straight_in_space() {
    let (mu, h) = (0.3, 1e-3);
    let v = [1.2, -0.5, 0.0];
    let (trajectory, ledger) = run(particle(coulomb(mu), v, 0.0), h, 600);
    let speed = 1.3f64;
    let end = trajectory.q.last().expect("states");
    let distance = speed * speed / (2.0 * mu * GRAVITY);
    let expected = [distance * v[0] / speed, distance * v[1] / speed];
    let bound = mu * GRAVITY * h * h / 8.0 + 1e-9;
    assert!((end[0] - expected[0]).abs() < bound && (end[1] - expected[1]).abs() < bound, "{end:?}");
    // The path is a straight line at every instant, to the tolerance of the solves (1e-10 of the speed).
    for q in &trajectory.q {
        assert!((q[0] * v[1] - q[1] * v[0]).abs() < 1e-9);
    }
    assert!((ledger.total.friction + 0.5 * MASS * speed * speed).abs() < 1e-9);
}

/// With facets the force points to a corner of the polygon; along a corner it is Coulomb's, between two it is
/// smaller against the motion by cos(π/k) and has a part across it.
#[test]
fn facets_are_another_law_and_show_it() {
    let (mu, h, n) = (0.3, 1e-3, 100);
    let facets = |facets| Coulomb { friction: mu, facets, ..Coulomb::default() };
    let deceleration = |law: Coulomb, angle: f64| {
        let v = [angle.cos(), angle.sin(), 0.0];
        let (trajectory, _) = run(particle(law, v, 0.0), h, n);
        let end = &trajectory.v[n as usize];
        let along = 1.0 - (end[0] * v[0] + end[1] * v[1]);
        let across = (end[1] * v[0] - end[0] * v[1]).abs();
        (along / (mu * GRAVITY * h * n as f64), across)
    };
    for angle in [0.0, std::f64::consts::FRAC_PI_8, 0.3] {
        let (along, across) = deceleration(facets(0), angle);
        assert!((along - 1.0).abs() < 1e-9 && across < 1e-9, "{angle}: {along} {across}");
    }
    let (along, across) = deceleration(facets(8), 0.0);
    assert!((along - 1.0).abs() < 1e-9 && across < 1e-9, "towards a corner: {along} {across}");
    let (along, across) = deceleration(facets(8), 0.3);
    // The nearest corner is at 0: the force is along −x, cos 0.3 of it against the motion.
    // It turns the motion by 0.09 rad until then.
    let mean = 0.345f64.cos();
    assert!((along - mean).abs() < 0.015 && across > 0.05, "{along} {across}");
}

/// A ball in the plane (height, sideways, angle): sliding impact p_T = μ p_N, sticking impact u_T⁺ = −e_T u_T⁻.
#[test]
fn oblique_impacts_follow_both_restitutions() {
    let (radius, inertia) = (0.1, 0.4 * MASS * 0.01);
    let bounce = |law: Coulomb, v: [f64; 3]| {
        let ball = Linear::new("ball", Sparse::diagonal(&[MASS, MASS, inertia]))
            .initial(&[radius, 0.0, 0.0], &v);
        let mut builder = ModelBuilder::new();
        let b = builder.linear(ball);
        let law = builder.law("floor", law);
        builder.linear_contact("floor", law, &[(b, 0, 1.0)], -radius, &[&[(b, 1, 1.0), (b, 2, radius)]]);
        let (trajectory, ledger) = run(builder.build(0.0).expect("a right model"), 1e-6, 1);
        (trajectory.v[1].clone(), ledger)
    };
    let sticking = Coulomb { friction: 1e3, restitution: 0.8, tangential_restitution: 0.6, facets: 0 };
    let (v, ledger) = bounce(sticking, [-3.0, 2.0, 5.0]);
    assert!((v[0] - 0.8 * 3.0).abs() < 1e-12);
    let slide = |v: &[f64]| v[1] + radius * v[2];
    assert!((slide(&v) + 0.6 * slide(&[-3.0, 2.0, 5.0])).abs() < 1e-10, "{v:?}");
    // The impulse does no work on the sliding that it does not see: angular momentum about the contact stays.
    let momentum = |v: &[f64]| MASS * radius * v[1] - inertia * v[2];
    assert!((momentum(&v) - momentum(&[-3.0, 2.0, 5.0])).abs() < 1e-12);
    assert!(ledger.worst_remainder < 1e-13 * ledger.scale);

    let sliding = Coulomb { friction: 0.1, restitution: 0.8, ..Coulomb::default() };
    let (v, _) = bounce(sliding, [-3.0, 2.0, 5.0]);
    let p_n = MASS * 3.0 * 1.8;
    assert!((v[1] - (2.0 - 0.1 * p_n / MASS)).abs() < 1e-10, "{v:?}");
    assert!((v[2] - (5.0 - 0.1 * p_n * radius / inertia)).abs() < 1e-10);
}

const LENGTH: f64 = 2.0;

/// A uniform rod, centre (x, y) and angle from the vertical.
struct Rod;

impl Lagrangian for Rod {
    fn mass(&self, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let inertia = MASS * LENGTH * LENGTH / 12.0;
        out.copy_from_slice(&[MASS, 0.0, 0.0, 0.0, MASS, 0.0, 0.0, 0.0, inertia]);
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(MASS * GRAVITY * q[1])
    }
    fn gradient(&self, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[0.0, MASS * GRAVITY, 0.0]);
        Ok(())
    }
    fn jacobians(&self, _at: At<'_>, _c: &mut [f64], _k: &mut [f64]) -> Result<(), UserError> {
        Ok(())
    }
}

/// An end of the rod: the foot at (x + ½L sin φ, y − ½L cos φ) on the floor, the head at (x − …, y + …) on the wall x = 0.
struct End {
    foot: bool,
    friction: bool,
}

impl Gap for End {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        let (sin, cos) = q[2].sin_cos();
        Ok(if self.foot { q[1] - 0.5 * LENGTH * cos } else { q[0] - 0.5 * LENGTH * sin })
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let (sin, cos) = q[2].sin_cos();
        let row =
            if self.foot { [0.0, 1.0, 0.5 * LENGTH * sin] } else { [1.0, 0.0, -0.5 * LENGTH * cos] };
        out.copy_from_slice(&row);
        Ok(())
    }
    fn n_tangents(&self) -> usize {
        usize::from(self.friction)
    }
    fn tangents(
        &self,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        rate: &mut [f64],
    ) -> Result<(), UserError> {
        let (sin, cos) = q[2].sin_cos();
        let row =
            if self.foot { [1.0, 0.0, 0.5 * LENGTH * cos] } else { [0.0, 1.0, -0.5 * LENGTH * sin] };
        jacobian.copy_from_slice(&row);
        rate.fill(0.0);
        Ok(())
    }
}

/// A ladder at angle φ from a smooth vertical wall stands on a rough floor iff ½ tan φ ≤ μ.
#[test]
fn a_ladder_stands_iff_the_floor_is_rough_enough() {
    let phi = 0.6f64;
    let limit = 0.5 * phi.tan();
    let slip = |mu: f64| {
        let mut builder = ModelBuilder::new();
        let q = [0.5 * LENGTH * phi.sin(), 0.5 * LENGTH * phi.cos(), phi];
        let rod = builder.lagrangian("rod", &["x", "y", "phi"], Rod, &q, &[0.0; 3]);
        let on = [(rod, 0), (rod, 1), (rod, 2)];
        let floor = builder.law("floor", coulomb(mu));
        let wall = builder.law("wall", crate::kit::NewtonImpact { restitution: 0.0 });
        builder.gap("foot", floor, &on, End { foot: true, friction: true });
        builder.gap("head", wall, &on, End { foot: false, friction: false });
        let made = builder.build(0.0).expect("a right model");
        let (trajectory, ledger) = run(made, 1e-3, 500);
        (trajectory.q[10][2] - phi, trajectory.q[500][2] - phi, ledger)
    };
    let (settled, stands, _) = slip(1.001 * limit);
    // Rounding of a gap may free a contact for the first step, in which it falls by at most g h².
    assert!(settled.abs() < GRAVITY * 1e-6 && (stands - settled).abs() < 1e-9, "{settled} {stands} rad");
    let (_, falls, ledger) = slip(0.98 * limit);
    assert!(falls > 1e-3, "it stays at {falls} rad");
    assert!(ledger.total.friction < 0.0);
}

/// A belt that moves drags the block: the sliding velocity counts against the belt.
#[test]
fn a_belt_carries_a_block_up_to_its_speed() {
    struct Belt;
    impl Gap for Belt {
        fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
            Ok(q[1])
        }
        fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
            out.copy_from_slice(&[0.0, 1.0]);
            Ok(())
        }
        fn is_linear(&self) -> bool {
            true
        }
        fn n_tangents(&self) -> usize {
            1
        }
        fn tangents(
            &self,
            _t: f64,
            _q: &[f64],
            jacobian: &mut [f64],
            rate: &mut [f64],
        ) -> Result<(), UserError> {
            jacobian.copy_from_slice(&[1.0, 0.0]);
            rate[0] = -2.0;
            Ok(())
        }
    }
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[MASS; 2])).load(&[0.0, -MASS * GRAVITY]);
    let block = builder.linear(block);
    let law = builder.law("belt", coulomb(0.25));
    builder.gap("belt", law, &[(block, 0), (block, 1)], Belt);
    let (trajectory, ledger) = run(builder.build(0.0).expect("a right model"), 1e-3, 1500);
    let half = &trajectory.v[400];
    assert!((half[0] - 0.25 * GRAVITY * 0.4).abs() < 1e-10);
    assert!((trajectory.v[1500][0] - 2.0).abs() < 1e-10);
    // The belt gives μ m g · 2 m/s · (2/μg) s = 4 m, of which the block keeps 2 m and friction takes 2 m.
    assert!((ledger.total.prescribed - 4.0 * MASS).abs() < 1e-9, "{:?}", ledger.total);
    assert!((ledger.total.friction + 2.0 * MASS).abs() < 1e-9);
    assert!(ledger.worst_remainder < 1e-12);
}
