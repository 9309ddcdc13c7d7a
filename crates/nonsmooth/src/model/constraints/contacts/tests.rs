//! J of contact points against differences of their gaps along `retract`, for all pairs of shapes.

use crate::laws::Coulomb;
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::{Body, Collider, PosedShape};
use crate::model::{Activation, ActiveConstraints, Model, ModelBuilder, State};
use crate::part::Part;
use crate::phases::{detect, linearize};
use nonsmooth_geometry::{planar, spatial};
use nonsmooth_testkit::Random;
use std::sync::Arc;

fn pass<'a>(at: Instant<'a>) -> Pass<'a> {
    Pass {
        now: at,
        mass: at,
        jacobian: at,
        end: at,
        implicit: crate::model::instant::Implicit::default(),
    }
}

/// The gap of every active contact at another configuration.
fn gaps(model: &Model, state: &State, active: &ActiveConstraints) -> Vec<f64> {
    let mut y = vec![0.0; active.n_rows()];
    model
        .at_state(state, |at| {
            model.constraints[0].positions(model, at, active, &(0..active.len()), &mut y)
        })
        .unwrap();
    y
}

/// The state moved by `way` along velocity `k` in world axes.
fn displaced(model: &Model, state: &State, k: usize, way: f64) -> State {
    let mut step = vec![0.0; state.v.len()];
    step[k] = way;
    model.to_state(&state.q, &mut step);
    let mut next = state.clone();
    model.retract(&state.q, &step, &mut next.q);
    next
}

/// Compares J with differences; returns the number of contacts.
fn check(model: &Model, state: &State, reach: f64, what: &str) -> usize {
    let mut active = ActiveConstraints::default();
    model
        .at_state(state, |at| {
            let part = Part::whole(0.0, reach);
            detect(model, &part, at, Activation::Swept, &mut active)?;
            linearize(model, &part, &pass(*at), &mut active)
        })
        .unwrap();
    let zero = gaps(model, state, &active);
    for c in 0..active.len() {
        let row = active.rows(c).start;
        let off = (zero[row] - active.gap[c]).abs();
        assert!(off < 1e-12, "{what}: frozen gap {} and {}", zero[row], active.gap[c]);
    }
    let way = 1e-6;
    for k in 0..state.v.len() {
        let [low, high] = [-way, way].map(|way| gaps(model, &displaced(model, state, k, way), &active));
        let mut unit = vec![0.0; state.v.len()];
        unit[k] = 1.0;
        let mut u = [0.0; 6];
        for c in 0..active.len() {
            let rows = active.rows(c);
            active.jacobian.dot(c, &unit, &mut u[..rows.len()]);
            let slope = (high[rows.start] - low[rows.start]) / (2.0 * way);
            let id = active.ids[c];
            assert!((u[0] - slope).abs() < 1e-6, "{what}, velocity {k}, {id:?}: J {} and {slope}", u[0]);
        }
    }
    active.len()
}

/// Compares d²y/dt² at constant twists with second differences of the gap.
fn check_curvature(model: &Model, state: &State, what: &str) -> usize {
    let mut active = ActiveConstraints::default();
    let mut bend = Vec::new();
    model
        .at_state(state, |at| {
            let part = Part::whole(0.0, 0.0);
            detect(model, &part, at, Activation::All, &mut active)?;
            bend.resize(active.n_rows(), 0.0);
            model.constraints[0].curvature(model, at, &active, &mut bend)
        })
        .unwrap();
    let d = 1e-3;
    let along = |s: f64| {
        let mut there = state.clone();
        let step: Vec<f64> = state.v.iter().map(|v| s * v).collect();
        model.retract(&state.q, &step, &mut there.q);
        gaps(model, &there, &active)
    };
    // Fourth order: the error is d⁴/90 of the sixth derivative, rounding 1e-16/d².
    let [y, y1, z1, y2, z2] = [0.0, d, -d, 2.0 * d, -2.0 * d].map(along);
    for c in 0..active.len() {
        let row = active.rows(c).start;
        let second = (16.0 * (y1[row] + z1[row]) - y2[row] - z2[row] - 30.0 * y[row]) / (12.0 * d * d);
        assert!((bend[row] - second).abs() < 1e-8, "{what}: {} and {second}", bend[row]);
    }
    active.len()
}

#[test]
fn curvatures_are_second_derivatives_of_the_gap() {
    let mut random = Random::new(9);
    let own = spatial::Pose::turned([0.1, -0.05, 0.02], [1.0, 0.5, -0.3], 0.4);
    let (ball, half) = (spatial::Shape::ball(0.5).unwrap(), spatial::Shape::half_space([0.0, 0.6, 0.8]));
    for a in [ball.clone(), half.unwrap()] {
        for _ in 0..20 {
            let (model, mut state) = model_of(
                PosedShape::Space(a.clone(), own),
                PosedShape::Space(ball.clone(), own),
                &mut |k, body| Body {
                    position: [k as f64 * 1.3, 0.2, 0.1],
                    rotation: std::array::from_fn(|_| random.signed()),
                    ..body
                },
            );
            state.v.iter_mut().for_each(|v| *v = random.signed());
            assert_eq!(check_curvature(&model, &state, "space"), 1);
        }
    }
    let own = planar::Pose { position: [0.05, -0.02], angle: 0.3 };
    let (disc, half) = (planar::Shape::ball(0.5).unwrap(), planar::Shape::half_plane([0.6, 0.8]));
    for a in [disc.clone(), half.unwrap()] {
        let (model, mut state) =
            model_of(PosedShape::Plane(a, own), PosedShape::Plane(disc.clone(), own), &mut |k, body| {
                Body { position: [k as f64 * 1.3, 0.2, 0.0], ..body }
            });
        state.v.iter_mut().for_each(|v| *v = random.signed());
        assert_eq!(check_curvature(&model, &state, "plane"), 1);
    }
}

fn model_of(
    a: PosedShape,
    b: PosedShape,
    at: &mut dyn FnMut(usize, Body) -> Body,
) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let material = builder.material("stuff");
    let law = builder.law("all", Coulomb { friction: 0.3, ..Coulomb::default() });
    builder.default_pair(law);
    builder.allow_initial_violation();
    let is_planar = matches!(a, PosedShape::Plane(..));
    for (k, posed) in [a, b].into_iter().enumerate() {
        let name = format!("body {k}");
        let inertia = [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3]];
        let body =
            if is_planar { Body::planar(&name, 1.0, 0.3) } else { Body::new(&name, 1.0, inertia) };
        let groups = nonsmooth_geometry::broad::Groups::ALL;
        builder.body(at(k, Body { colliders: vec![Collider { posed, material, groups }], ..body }));
    }
    builder.build(0.0).unwrap()
}

#[test]
fn jacobians_in_space_are_slopes_of_the_gap() {
    let shapes: Vec<(&str, spatial::Shape)> = [
        ("ball", spatial::Shape::ball(0.5)),
        ("cuboid", spatial::Shape::cuboid([0.5, 0.4, 0.3])),
        ("capsule", spatial::Shape::capsule(0.4, 0.2)),
        ("cylinder", spatial::Shape::cylinder(0.4, 0.3)),
        ("cone", spatial::Shape::cone(0.4, 0.3)),
        (
            "hull",
            spatial::Shape::hull(&[
                [0.5, 0.0, 0.0],
                [-0.4, 0.3, 0.0],
                [-0.3, -0.4, 0.1],
                [0.0, 0.1, 0.6],
            ]),
        ),
    ]
    .into_iter()
    .map(|(name, shape)| (name, shape.unwrap()))
    .collect();
    let mut random = Random::new(7);
    let own = spatial::Pose::turned([0.1, -0.05, 0.02], [1.0, 0.5, -0.3], 0.4);
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            let mut n = 0;
            for _ in 0..6 {
                let (model, mut state) = model_of(
                    PosedShape::Space(a.clone(), own),
                    PosedShape::Space(b.clone(), spatial::Pose::IDENTITY),
                    &mut |k, body| {
                        let way: [f64; 3] = std::array::from_fn(|_| random.signed());
                        let size = way.iter().map(|x| x * x).sum::<f64>().sqrt();
                        Body {
                            position: way.map(|x| if k == 1 { 1.6 * x / size } else { 0.0 }),
                            rotation: std::array::from_fn(|_| random.signed()),
                            ..body
                        }
                    },
                );
                // They approach, so that pairs are looked at within reach.
                (0..3).for_each(|k| state.v[6 + k] = -state.q[7 + k]);
                n += check(&model, &state, 0.8, &format!("{name_a} and {name_b}"));
            }
            assert!(n >= 6, "{name_a} and {name_b}: {n} contacts");
        }
    }
}

#[test]
fn jacobians_in_the_plane_are_slopes_of_the_gap() {
    let shapes: Vec<(&str, planar::Shape)> = [
        ("disc", planar::Shape::ball(0.5)),
        ("capsule", planar::Shape::capsule(0.4, 0.2)),
        ("polygon", planar::Shape::polygon(&[[0.5, 0.0], [0.0, 0.4], [-0.5, -0.1], [0.1, -0.4]])),
    ]
    .into_iter()
    .map(|(name, shape)| (name, shape.unwrap()))
    .collect();
    let mut random = Random::new(8);
    for (name_a, a) in &shapes {
        for (name_b, b) in &shapes {
            let mut n = 0;
            for _ in 0..6 {
                let own = planar::Pose { position: [0.05, -0.02], angle: 0.3 };
                let (model, mut state) = model_of(
                    PosedShape::Plane(a.clone(), own),
                    PosedShape::Plane(b.clone(), planar::Pose::IDENTITY),
                    &mut |k, body| {
                        let [way, turn] = [0, 1].map(|_| 3.0 * random.signed());
                        let at = if k == 1 { 1.5 } else { 0.0 };
                        Body {
                            position: [at * way.cos(), at * way.sin(), 0.0],
                            rotation: [turn.cos(), 0.0, 0.0, turn.sin()],
                            ..body
                        }
                    },
                );
                (0..2).for_each(|k| state.v[3 + k] = -state.q[3 + k]);
                n += check(&model, &state, 0.8, &format!("{name_a} and {name_b}"));
            }
            assert!(n >= 6, "{name_a} and {name_b}: {n} contacts");
        }
    }
}
