//! The three Euler schemes with rigid bodies: closed forms of free flight, tumbling, springs, forces of the state, refusals.

use super::build;
use crate::body_kit::{INERTIA, about, order, run};
use crate::kit::{ModelBuilder, Options, Refusal, Simulation};
use glam::{DQuat, DVec3};
use nonsmooth::laws::Coulomb;
use nonsmooth::model::constraints::joints::Revolute;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::model::{Anchor, Rigid, Spring};
use nonsmooth::observers::EnergyLedger;
use nonsmooth_geometry::spatial::Shape;

const SCHEMES: [&str; 3] = ["euler-explicit", "euler-semi-implicit", "euler-implicit"];

fn simulated(builder: ModelBuilder, name: &str, h: f64, n: u64) -> (Simulation, EnergyLedger) {
    run(builder, build(name, &Options::default()), h, n)
}

/// A stone in the plane or in space that turns about one of its axes.
fn thrown(planar: bool) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -10.0, 0.0]);
    let (velocity, angular_velocity) = ([3.0, 4.0, 0.0], [0.0, 0.0, 2.0]);
    builder.body(Body { planar, velocity, angular_velocity, ..Body::new("stone", 2.0, INERTIA) });
    builder
}

/// After n steps y = n h v₀ − g h² n (n ∓ 1)/2, and the angle is n h ω.
#[test]
fn a_thrown_body_follows_the_sum_of_its_steps() {
    let (h, n) = (0.01, 100);
    for name in SCHEMES {
        let sum = if name == "euler-explicit" { 4950.0 } else { 5050.0 };
        let y = 4.0 - 10.0 * h * h * sum;
        for planar in [true, false] {
            let (simulation, ledger) = simulated(thrown(planar), name, h, n);
            let (q, v) = (&simulation.state.q, &simulation.state.v);
            let angle = if planar { q[2] } else { 2.0 * q[6].atan2(q[3]) };
            // Rounding of 100 sums of size 4.
            for (got, want) in [(q[0], 3.0), (q[1], y), (angle, 2.0), (v[1], -6.0)] {
                assert!((got - want).abs() < 1e-13, "{name}: {got} {want}");
            }
            assert!(ledger.worst_remainder < 1e-14 * ledger.scale, "{name}: {ledger:?}");
            // −(φ − ½) m (g h)² per step.
            let sign = if name == "euler-explicit" { 1.0 } else { -1.0 };
            assert!((ledger.total.scheme - sign).abs() < 1e-12, "{name}: {:?}", ledger.total);
        }
    }
}

/// A body that turns about no axis of its own.
fn tumbling() -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let rotation = about([0.6, 0.0, 0.8], 0.7);
    let angular_velocity = [0.5, 2.0, -0.7];
    builder.body(Body { rotation, angular_velocity, ..Body::new("top", 1.0, INERTIA) });
    builder
}

/// R J ω and ½ ω·Jω.
fn momentum(simulation: &Simulation) -> (DVec3, f64) {
    let (q, v) = (&simulation.state.q, &simulation.state.v);
    let omega = DVec3::new(v[3], v[4], v[5]);
    let turning = DVec3::new(0.2, 0.3, 0.4) * omega;
    (DQuat::from_xyzw(q[4], q[5], q[6], q[3]) * turning, 0.5 * omega.dot(turning))
}

/// Momentum in space and energy are kept to first order; the ledger says how much energy the scheme adds, to rounding.
#[test]
fn a_tumbling_body_keeps_momentum_and_energy_to_first_order() {
    for name in SCHEMES {
        let (start, energy) = momentum(&simulated(tumbling(), name, 1e-3, 0).0);
        let errors = |n: u64| {
            let (simulation, ledger) = simulated(tumbling(), name, 2.0 / n as f64, n);
            assert!(ledger.worst_remainder < 1e-14 * ledger.scale, "{name}: {ledger:?}");
            let (end, left) = momentum(&simulation);
            let gained = left - energy;
            // Rounding of up to 8000 steps.
            assert!((gained - ledger.total.scheme).abs() < 1e-11, "{name}: {gained}");
            assert_eq!(gained > 0.0, name != "euler-implicit", "{name}: {gained} J");
            [(end - start).length(), gained.abs()]
        };
        let (coarse, fine) = (errors(4000), errors(8000));
        for k in 0..2 {
            let order = order(coarse[k], fine[k], 2.0);
            // The next term is a per mille or two of the first.
            assert!((order - 1.0).abs() < 0.02, "{name}, {k}: order {order}");
        }
    }
}

/// Two bodies 1 m apart on a spring of this length, in the plane or in space.
fn pair(planar: bool) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let [a, b]: [Rigid; 2] = [0, 1].map(|i| {
        let position = [1.1 * i as f64, 0.0, 0.0];
        let name = ["a", "b"][i];
        builder.body(Body { planar, position, ..Body::new(name, [2.0, 3.0][i], INERTIA) })
    });
    let ends = [a, b].map(|on| Anchor { on, at: [0.0; 3] });
    let name = "spring".to_owned();
    builder.spring(Spring { name, ends, stiffness: 12.0, damping: 0.0, rest_length: 1.0 });
    builder
}

/// m₁m₂/(m₁ + m₂) = 6/5 and k = 12: ω² = 10. The energy changes by the factor of the oscillator in every step.
#[test]
fn bodies_on_a_spring_grow_keep_or_shrink_by_the_known_factor() {
    let (h, n) = (0.01f64, 300);
    let z = 10.0 * h * h;
    for planar in [true, false] {
        for name in SCHEMES {
            let (simulation, ledger) = simulated(pair(planar), name, h, n);
            let energy = ledger.energies.kinetic + ledger.energies.potential;
            let ratio = energy / ledger.initial.potential;
            match name {
                // Rounding of 300 steps.
                "euler-explicit" => {
                    assert!((ratio / (1.0 + z).powi(300) - 1.0).abs() < 1e-12, "{ratio}")
                }
                "euler-implicit" => {
                    assert!((ratio * (1.0 + z).powi(300) - 1.0).abs() < 1e-12, "{ratio}")
                }
                _ => {
                    let (q, v) = (&simulation.state.q, &simulation.state.v);
                    let (i, j) = if planar { (3, 3) } else { (7, 6) };
                    let (x, u) = (q[i] - q[0] - 1.0, v[j] - v[0]);
                    let kept = u * u + 10.0 * x * x - 10.0 * h * x * u;
                    assert!((kept / 0.1 - 1.0).abs() < 1e-12, "{kept}");
                }
            }
            assert!(ledger.worst_remainder < 1e-14 * ledger.scale, "{name}: {ledger:?}");
        }
    }
}

/// A torque −c ω of the state on a body that turns about an axis: ω decays by 1 − h c/J or 1/(1 + h c/J) per step.
#[test]
fn forces_of_the_state_act_at_the_start_or_at_the_end() {
    let (h, n, rate) = (0.01f64, 200, 0.4 / 0.4);
    for name in SCHEMES {
        let mut builder = ModelBuilder::new();
        let rotation = about([1.0, 0.0, 0.0], 0.6);
        let angular_velocity = [0.0, 0.0, 3.0];
        let top = Body { rotation, angular_velocity, ..Body::new("top", 1.0, INERTIA) };
        let top = builder.body(top);
        let drag = |at: &nonsmooth::Instant<'_>| {
            let spin = -0.4 * at.rigid[0].spin;
            Ok([0.0, 0.0, 0.0, spin.x, spin.y, spin.z])
        };
        builder.wrench(top, true, Box::new(drag));
        let (simulation, _) = simulated(builder, name, h, n);
        let factor = if name == "euler-implicit" { 1.0 / (1.0 + h * rate) } else { 1.0 - h * rate };
        let v = &simulation.state.v;
        let omega = DVec3::new(v[3], v[4], v[5]).length();
        // Newton leaves 1e-12 of the velocity in each step.
        assert!((omega / (3.0 * factor.powi(200)) - 1.0).abs() < 1e-9, "{name}: {omega}");
    }
}

#[test]
fn contacts_and_joints_are_refused_by_name() {
    for name in SCHEMES {
        let refused = |builder: ModelBuilder| {
            let (model, state) = builder.build(0.0).expect("a right model");
            Simulation::new(model, state, build(name, &Options::default()), 0.01).err()
        };
        let mut builder = thrown(false);
        let arm = builder.body(Body::new("arm", 1.0, INERTIA));
        builder.joint("hinge", Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]), Rigid::World, arm);
        let constraint = "hinge".to_owned();
        assert_eq!(refused(builder), Some(Refusal::FreeMotionOnly { integrator: name, constraint }));

        let mut builder = ModelBuilder::new();
        let material = builder.material("stuff");
        let law = builder.law("rough", Coulomb { friction: 0.5, ..Coulomb::default() });
        builder.default_pair(law);
        let (ball, ground) = (Shape::ball(0.1), Shape::half_space([0.0, 0.0, 1.0]));
        let colliders = vec![Collider::space(ball.expect("a ball"), material)];
        builder.body(Body { colliders, position: [0.0, 0.0, 1.0], ..Body::new("ball", 1.0, INERTIA) });
        let ground = Collider::space(ground.expect("a half-space"), material);
        builder.kinematic(KinematicBody::new("ground", vec![ground]));
        let constraint = "contacts".to_owned();
        assert_eq!(refused(builder), Some(Refusal::FreeMotionOnly { integrator: name, constraint }));
    }
}
