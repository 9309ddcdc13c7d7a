//! What the schemes do not take, in words.

use super::{ALL, Yard};
use crate::by_name::integrator;
use crate::kit::{Coulomb, Options, Refusal, Simulation};
use nonsmooth::laws::Poisson;
use nonsmooth::model::Rigid;
use nonsmooth::model::constraints::joints::Fixed;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth_geometry::{planar, spatial::Shape};

fn refusal(yard: Yard, scheme: &str) -> Option<Refusal> {
    let (model, state) = yard.builder.build(0.0).expect("a right model");
    Simulation::new(model, state, integrator(scheme, &Options::default()), 0.01).err()
}

fn cuboid(yard: &Yard) -> Body {
    let shape = Shape::cuboid([0.1; 3]).expect("a right shape");
    let colliders = vec![Collider::space(shape, yard.material)];
    Body { position: [0.0, 0.0, 1.0], colliders, ..Body::new("box", 1.0, crate::body_kit::INERTIA) }
}

/// Of surfaces of many faces seams would be hit; corners of one over a half-space never change.
#[test]
fn surfaces_are_refused_where_their_features_may_change() {
    for scheme in ALL {
        let hill = |yard: &Yard| {
            let shape = planar::Shape::chain(&[[-1.0, 0.0], [0.0, 0.1], [1.0, 0.0]], false);
            Collider::plane(shape.expect("a right shape"), yard.material)
        };
        let mut yard = Yard::new(true, 0.5);
        let body = yard.ball("ball", 1.0, 0.1, [0.0, 1.0, 0.0]);
        yard.builder.body(body);
        let ground = hill(&yard);
        yard.builder.kinematic(KinematicBody::new("hill", vec![ground]));
        let refused = refusal(yard, scheme).expect("refused");
        assert!(matches!(&refused, Refusal::Surface { body, .. } if body == "hill"), "{refused}");
        assert!(refused.to_string().contains("or `kick-drift` or `moreau-jean`"), "{refused}");
        let mut yard = Yard::new(true, 0.5);
        yard.floor();
        let colliders = vec![hill(&yard)];
        let body = Body { position: [0.0, 1.0, 0.0], colliders, ..Body::planar("hill", 1.0, 1.0) };
        yard.builder.body(body);
        assert!(refusal(yard, scheme).is_none());
    }
}

#[test]
fn boxes_are_taken() {
    for scheme in ALL {
        let mut yard = Yard::new(false, 0.5);
        yard.floor();
        let body = cuboid(&yard);
        yard.builder.body(body);
        assert!(refusal(yard, scheme).is_none());
        // Alone, held by a joint, its shape does not matter.
        let mut yard = Yard::new(false, 0.5);
        let body = cuboid(&yard);
        let body = yard.builder.body(body);
        yard.builder.joint("bolt", Fixed::at([0.0; 3]), Rigid::World, body);
        assert!(refusal(yard, scheme).is_none());
    }
}

#[test]
fn polygons_of_friction_are_refused_and_phases_where_steps_are_not_cut() {
    for scheme in ALL {
        for (facets, is_refused) in [(0, false), (8, true)] {
            let mut yard = Yard::new(false, 0.5);
            let law = Coulomb { friction: 0.3, facets, ..Coulomb::default() };
            let law = yard.builder.law("rough", law);
            yard.builder.default_pair(law);
            let refused = refusal(yard, scheme);
            let cone = matches!(&refused, Some(Refusal::Cone { law, .. }) if law == "rough");
            assert_eq!(cone, is_refused, "{refused:?}");
        }
        let mut yard = Yard::new(false, 0.5);
        let law = yard.builder.law("phases", Poisson { restitution: 0.3 });
        yard.builder.default_pair(law);
        assert_eq!(refusal(yard, scheme).is_some(), scheme == "d1-minus");
    }
}
