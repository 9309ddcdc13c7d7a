//! First-order systems beside mechanics: motors, switches, sliding-mode control of a pendulum.

use super::{LinearRelation, Variable, run, theta};
use crate::kit::{Linear, ModelBuilder, NewtonImpact, Simulation, Sparse};
use crate::order;
use nonsmooth::Refusal;
use nonsmooth::integrators::{EulerMoreau, MoreauJean};
use nonsmooth::laws::Relay;
use nonsmooth::model::relations::{CouplingFunction, Point};
use nonsmooth::model::{FirstOrder, UserError};

/// r = B z.
struct Constant(Vec<f64>);

impl CouplingFunction for Constant {
    fn force(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        let n = at.z.len();
        for (r, row) in r.iter_mut().zip(self.0.chunks_exact(n)) {
            *r = row.iter().zip(at.z).map(|(a, z)| a * z).sum();
        }
        Ok(())
    }

    fn slope(&self, _at: &Point<'_>, r_z: &mut [f64]) -> Result<bool, UserError> {
        r_z.copy_from_slice(&self.0);
        Ok(true)
    }

    fn is_linear(&self) -> bool {
        true
    }
}

/// A motor, L i̇ = V − R i − k ω, J ω̇ = k i; its ω against the exponentials of the 2 × 2 system.
fn motor(scheme: f64, n: usize) -> (f64, f64) {
    let (l, r, k, j, volt) = (0.02, 1.0, 0.3, 0.01, 12.0);
    let mut builder = ModelBuilder::new();
    let rotor = builder.linear(Linear::new("rotor", Sparse::diagonal(&[j])));
    let system = FirstOrder::new("coil", &[0.0])
        .states(&["i"])
        .matrix(Sparse::diagonal(&[-r / l]))
        .input(move |_, b| {
            b[0] = volt / l;
            Ok(())
        });
    let coil = builder.first_order(system);
    let (i, omega) = (Variable::state(coil, 0), Variable::Velocity(rotor, 0));
    builder.coupling("torque", &[i], &[(rotor, 0)], Constant(vec![k]));
    builder.coupling("back EMF", &[omega], &[(coil, 0)], Constant(vec![-k / l]));
    let (model, state) = builder.build(0.0).expect("a right model");
    let h = 0.1 / n as f64;
    let mut simulation = Simulation::new(model, state, theta(scheme), h).expect("a right model");
    let (mut drive, mut remainder) = (0.0, 0.0f64);
    let mut before = 0.0;
    let mut v = Vec::new();
    for _ in 0..n {
        let seen = simulation.step().expect("the step is made");
        drive += seen.log.works.drive;
        let energy = seen.log.energies.kinetic;
        let works: f64 = seen.log.works.columns().iter().map(|(_, work)| work).sum();
        remainder = remainder.max((energy - before - works).abs());
        before = energy;
        v = seen.after.v.clone();
    }
    // λ² + (R/L) λ + k²/(JL) = 0; ω(t) = V/k (1 + (λ₂ e^{λ₁t} − λ₁ e^{λ₂t})/(λ₁ − λ₂)).
    let (p, d) = (r / l, f64::sqrt(r * r / (l * l) - 4.0 * k * k / (j * l)));
    let (a, b) = (0.5 * (-p + d), 0.5 * (-p - d));
    let t: f64 = 0.1;
    let exact = volt / k * (1.0 + (b * (a * t).exp() - a * (b * t).exp()) / (a - b));
    assert!(remainder < 1e-12, "remainder {remainder:e}");
    if scheme == 0.5 {
        let kinetic = 0.5 * j * v[0] * v[0];
        assert!((drive - kinetic).abs() < 1e-12, "drive {drive}, kinetic {kinetic}");
    }
    ((v[0] - exact).abs(), exact)
}

#[test]
fn a_motor_has_the_order_of_its_theta_and_its_work_is_that_of_a_drive() {
    let first = order(motor(1.0, 200).0, motor(1.0, 400).0, 2.0);
    let second = order(motor(0.5, 200).0, motor(0.5, 400).0, 2.0);
    assert!((first - 1.0).abs() < 0.05, "θ = 1: order {first}");
    assert!((second - 2.0).abs() < 0.05, "θ = ½: order {second}");
    let (error, exact) = motor(0.5, 400);
    assert!(error < 1e-5 * exact, "ω off by {error} of {exact}");
    // A step far above the electric time constant does not blow up: the coupling is implicit.
    assert!(motor(1.0, 2).0 < 0.2 * exact);
}

/// A mass on a spring under u = −K sgn(s), s = c q + v: the implicit relay holds s at rounding, and q decays with e^{−ct}.
#[test]
fn implicit_sliding_mode_control_holds_its_variable_at_rounding() {
    let (m, gain, c) = (2.0, 10.0, 1.5);
    let mut builder = ModelBuilder::new();
    let mass = Linear::new("mass", Sparse::diagonal(&[m]))
        .stiffness(Sparse::diagonal(&[3.0]))
        .initial(&[1.0], &[0.0]);
    let mass = builder.linear(mass);
    let law = builder.law("switch", Relay { lower: -gain, upper: gain });
    let reads = [Variable::Coordinate(mass, 0), Variable::Velocity(mass, 0)];
    builder.relation("control", law, &reads, &[(mass, 0)], LinearRelation::new(1, &[c, 1.0], &[1.0]));
    let (model, state) = builder.build(0.0).unwrap();
    let h = 1e-3;
    let ours = run(&model, &state, theta(1.0), h, 4000);
    let reached = ours.y.iter().position(|y| y[0].abs() < 1e-13).unwrap();
    assert!(reached > 100 && reached < 1000, "reached at step {reached}");
    for k in reached + 1..=4000 {
        assert!(ours.y[k][0].abs() < 1e-14, "s = {:e} at step {k}", ours.y[k][0]);
        assert!(ours.lambda[k][0].abs() < gain, "the control is inside its bounds");
    }
    // On s = 0 v = −c q: implicit Euler decays with 1/(1 + c h) per step.
    let rate = (ours.x[4000][0] / ours.x[reached + 1][0]).powf(1.0 / (3999 - reached) as f64);
    assert!((rate - 1.0 / (1.0 + c * h)).abs() < 1e-12, "rate {rate}");
}

/// The same law beside a contact: a mass driven against a wall by a relay that reads its place.
#[test]
fn contacts_and_relations_share_one_problem() {
    let mut builder = ModelBuilder::new();
    let ball = builder
        .linear(Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-9.81]).initial(&[1.0], &[0.0]));
    let rigid = builder.law("floor", NewtonImpact { restitution: 0.5 });
    builder.linear_gap("floor", rigid, &[(ball, 0, 1.0)], 0.0);
    let coil = builder.first_order(FirstOrder::new("coil", &[0.0]).matrix(Sparse::diagonal(&[-10.0])));
    // The coil is driven by a relay on the height over 0.2 and lifts the ball.
    let relay = builder.law("relay", Relay { lower: 0.0, upper: 200.0 });
    let height = Variable::Coordinate(ball, 0);
    let switch = LinearRelation::new(1, &[1.0], &[1.0]).constant(&[-0.2]);
    builder.relation("switch", relay, &[height], &[(coil, 0)], switch);
    builder.coupling("lift", &[Variable::state(coil, 0)], &[(ball, 0)], Constant(vec![1.0]));
    let (model, state) = builder.build(0.0).unwrap();
    let refused = Simulation::new(model.clone(), state.clone(), MoreauJean::default(), 1e-3).err();
    assert!(matches!(refused, Some(Refusal::FirstOrder { integrator: "moreau-jean", .. })));
    for name in nonsmooth::INTEGRATORS.iter().map(|entry| entry.name).filter(|n| *n != "euler-moreau") {
        let scheme = crate::integrator(name, &crate::kit::Options::default());
        let refused = scheme.accepts(&model).expect_err(name).to_string();
        assert!(refused.contains("euler-moreau"), "{name}: {refused}");
    }
    let scheme = EulerMoreau { theta: 0.5, ..EulerMoreau::default() };
    let mut simulation = Simulation::new(model, state, scheme, 1e-3).unwrap();
    let (mut worst, mut before, mut impacts) = (0.0f64, 9.81, 0);
    for _ in 0..5000 {
        let seen = simulation.step().unwrap();
        impacts += seen.log.events.len();
        let energy = seen.log.energies.kinetic + seen.log.energies.potential;
        let works: f64 = seen.log.works.columns().iter().map(|(_, work)| work).sum();
        worst = worst.max((energy - before - works).abs());
        before = energy;
        assert!(seen.after.q[0] > -0.02);
    }
    assert!(impacts > 0, "the ball struck");
    assert!(worst < 1e-12, "remainder {worst:e}");
}
