//! Wrong joints.

use crate::body_kit::body;
use nonsmooth::model::constraints::joints::{Revolute, Spherical};
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{ModelBuilder, Rigid};

#[test]
#[allow(clippy::too_many_lines)] // A table of mistakes.
fn mistakes_are_told_with_the_joint_and_a_remedy() {
    let refused = |make: &dyn Fn(&mut ModelBuilder, Rigid, Rigid)| {
        let mut builder = ModelBuilder::new();
        let a = builder.body(body("a", 1.0, [0.0; 3]));
        let b = builder.body(Body { velocity: [0.0, 0.0, 1.0], ..body("b", 1.0, [1.0, 0.0, 0.0]) });
        make(&mut builder, a, b);
        builder.build(0.0).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let hinge = || Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]);
    type Make = Box<dyn Fn(&mut ModelBuilder, Rigid, Rigid)>;
    let cases: Vec<(&str, &str, Make)> = vec![
        ("itself", "two different", Box::new(move |m, a, _| _ = m.joint("knee", hinge(), a, a))),
        (
            "length zero",
            "direction",
            Box::new(|m, a, _| {
                _ = m.joint("knee", Revolute::at([0.0; 3]).axis([0.0; 3]), a, Rigid::World);
            }),
        ),
        (
            "needs an axis",
            "direction",
            Box::new(|m, a, _| {
                _ = m.joint("knee", Revolute::at([0.0; 3]), a, Rigid::World);
            }),
        ),
        (
            "out of order",
            "lower one first",
            Box::new(move |m, a, _| {
                _ = m.joint("knee", hinge(), a, Rigid::World).stop(0.5..-0.5, 0.0);
            }),
        ),
        (
            "violated at the start",
            "shift the stops",
            Box::new(move |m, a, _| {
                _ = m.joint("knee", hinge(), a, Rigid::World).stop(0.5..1.5, 0.0);
            }),
        ),
        (
            "velocities at the start",
            "allow_initial_violation",
            Box::new(move |m, a, b| {
                _ = m.joint("knee", hinge(), a, b);
            }),
        ),
        (
            "not in the model",
            "add the body",
            Box::new(move |m, a, _| {
                _ = m.joint("knee", hinge(), a, Rigid::Body(7));
            }),
        ),
        (
            "neither of its sides",
            "must be a body",
            Box::new(move |m, _, _| {
                _ = m.joint("knee", hinge(), Rigid::World, Rigid::Kinematic(0));
            }),
        ),
        (
            "restitution",
            "between 0 and 1",
            Box::new(move |m, a, _| {
                _ = m.joint("knee", hinge(), a, Rigid::World).stop(-1.0..1.0, 1.5);
            }),
        ),
        (
            "stiffness",
            "≥ 0",
            Box::new(move |m, a, _| {
                _ = m.joint("knee", hinge(), a, Rigid::World).spring(-1.0, 0.0);
            }),
        ),
        (
            "free axes",
            "leave the others out",
            Box::new(|m, a, _| {
                _ = m.joint("knee", Spherical::at([0.0; 3]), a, Rigid::World).spring(1.0, 0.0);
            }),
        ),
    ];
    for (what, remedy, make) in cases {
        let text = refused(&*make);
        let named = text.contains("joint[0]") && text.contains("joint `knee`");
        assert!(named && text.contains(what) && text.contains(remedy), "{what}: {text:?}");
    }
}
