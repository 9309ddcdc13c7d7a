//! Impacts with friction, supports that share their friction, the ledger, and runs that are resumed.

use super::Yard;
use super::friction::{SCHEMES, coulomb, on_belt, run, simulation};
use crate::kit::{Built, Coulomb, EnergyLedger, Options};
use nonsmooth::laws::StaticDynamic;
use nonsmooth::model::rigid::{Body, Collider, PosedShape};
use nonsmooth_geometry::broad::Groups;
use nonsmooth_geometry::{planar, spatial};

const G: f64 = 9.81;

/// A ball that comes with (1, −1) m/s without weight or spin: p_N = 1 + e, and along the floor −μ p_N or what stops the slip, −2/7 u_T.
/// Schemes that do not locate impacts let it overlap by up to h · 1 m/s: the arm of the impulse is then shorter than 0.1 m by that, and the speed
/// of sticking, 1/(1 + 0.4 · 0.01/r²), changes by less than 5 h.
#[test]
fn an_impact_slides_or_sticks_as_the_law_says() {
    for scheme in SCHEMES {
        let locates = matches!(scheme, "event-driven" | "high-order");
        for (h, is_planar) in [(0.01, true), (0.01, false), (0.001, true), (0.001, false)] {
            let tolerance = if locates { 1e-9 } else { 5.0 * h };
            for (mu, along) in [(0.1, 1.0 - 0.15), (0.5, 1.0 - 2.0 / 7.0)] {
                let mut yard = Yard::new(is_planar, 0.0);
                let law = Coulomb { friction: mu, restitution: 0.5, ..Coulomb::default() };
                let law = yard.builder.law("rough", law);
                yard.builder.default_pair(law);
                yard.builder.gravity([0.0; 3]);
                yard.floor();
                let velocity = if is_planar { [1.0, -1.0, 0.0] } else { [0.6, -0.8, -1.0] };
                let ball = yard.ball("ball", 1.0, 0.1, yard.at(0.0, 0.153));
                yard.builder.body(Body { velocity, ..ball });
                let up = yard.up();
                let end = run(yard.build(), scheme, h, (0.2 / h) as u64);
                let speed = if is_planar { end.v[0] } else { end.v[0].hypot(end.v[1]) };
                assert!((speed - along).abs() < tolerance, "{scheme}, h = {h}, μ = {mu}: {:?}", end.v);
                assert!((end.v[up] - 0.5).abs() < 1e-9, "{scheme}, h = {h}, μ = {mu}: {:?}", end.v);
            }
        }
    }
}

/// A body on two feet in the plane or four in space, on a slope: more rows than the freedoms need.
fn on_feet(is_planar: bool, mu: f64, alpha: f64) -> Built {
    let mut yard = Yard::new(is_planar, 0.0);
    let law = yard.builder.law("rough", coulomb(mu));
    yard.builder.default_pair(law);
    let (down, fall) = (-G * alpha.cos(), G * alpha.sin());
    yard.builder.gravity(if is_planar { [fall, down, 0.0] } else { [fall, 0.0, down] });
    yard.floor();
    let (material, groups) = (yard.material, Groups::ALL);
    let foot = |x: f64, y: f64| {
        let posed = if is_planar {
            let pose = planar::Pose { position: [x, -0.1], angle: 0.0 };
            PosedShape::Plane(planar::Shape::ball(0.05).expect("a right shape"), pose)
        } else {
            let pose = spatial::Pose::turned([x, y, -0.1], [0.0, 0.0, 1.0], 0.0);
            PosedShape::Space(spatial::Shape::ball(0.05).expect("a right shape"), pose)
        };
        Collider { posed, material, groups }
    };
    let colliders = match is_planar {
        true => vec![foot(-0.5, 0.0), foot(0.5, 0.0)],
        false => [[-0.5, -0.4], [-0.5, 0.4], [0.5, -0.4], [0.5, 0.4]].map(|[x, y]| foot(x, y)).to_vec(),
    };
    let inertia = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.2]];
    let position = yard.at(0.0, 0.15);
    yard.builder.body(Body {
        planar: is_planar,
        position,
        colliders,
        ..Body::new("table", 1.0, inertia)
    });
    yard.build()
}

#[test]
fn supports_share_their_friction_on_a_slope() {
    let alpha = 0.5f64.atan();
    for scheme in SCHEMES {
        for is_planar in [true, false] {
            for (mu, exact) in [(0.55, 0.0), (0.4, 0.5 * G * (alpha.sin() - 0.4 * alpha.cos()) * 0.25)] {
                let end = run(on_feet(is_planar, mu, alpha), scheme, 0.01, 50);
                assert!(
                    (end.q[0] - exact).abs() < 1e-6,
                    "{scheme}, plane {is_planar}, μ = {mu}: {:?}, not {exact}",
                    end.q
                );
            }
        }
    }
}

#[test]
fn the_ledger_has_the_work_of_friction() {
    let law = StaticDynamic { friction_static: 0.5, friction_dynamic: 0.3, restitution: 0.0 };
    for (scheme, most) in [("event-driven", 1e-9), ("high-order", 1e-6)] {
        let mut simulation = simulation(on_belt(law, 20.0, 0.4), scheme, &Options::default(), 0.01);
        let mut ledger = EnergyLedger::default();
        simulation.run(400, &mut [&mut ledger]).expect("it runs");
        assert!(ledger.remainder.abs() < most, "{scheme}: {:e}", ledger.remainder);
        assert!(ledger.total.friction.abs() > 0.1, "{scheme}: {:?}", ledger.total);
    }
}

/// Who sticks and who slides where to is part of the state.
#[test]
fn runs_with_friction_resume_to_the_bit() {
    let law = StaticDynamic { friction_static: 0.5, friction_dynamic: 0.3, restitution: 0.0 };
    for scheme in SCHEMES {
        let make = || simulation(on_belt(law, 20.0, 0.4), scheme, &Options::default(), 0.01);
        let mut whole = make();
        let mut states = vec![whole.state.clone()];
        for _ in 0..150 {
            whole.step().expect("the run goes on");
            states.push(whole.state.clone());
        }
        for at in [1, 70, 90, 130] {
            let mut half = make();
            half.resume(states[at].clone(), 0.0);
            for state in &states[at + 1..] {
                half.reset();
                half.step().expect("the run goes on");
                assert_eq!(&half.state, state, "{scheme}, resumed at step {at}");
            }
        }
    }
}
