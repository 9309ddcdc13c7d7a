//! No absolute length, speed or mass appears: the same scene in other units moves alike.

use super::{ball, cuboid, run};
use crate::body_kit::about;
use nonsmooth::laws::Coulomb;
use nonsmooth::model::constraints::joints::{Revolute, Spherical};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, MaterialId};
use nonsmooth::model::{ModelBuilder, Rigid};
use nonsmooth_geometry::spatial::Shape;

/// A scene whose lengths are in units of 1/`unit` m and whose masses are in units of 1/`mass` kg.
struct Scene {
    builder: ModelBuilder,
    material: MaterialId,
    unit: f64,
    mass: f64,
}

impl Scene {
    fn new((unit, mass): (f64, f64), friction: f64, restitution: f64) -> Self {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81 * unit]);
        let law = builder.law("pair", Coulomb { friction, restitution, ..Coulomb::default() });
        let material = builder.material("stuff");
        builder.default_pair(law);
        let floor = Shape::half_space([0.0, 0.0, 1.0]).expect("it is right");
        builder.kinematic(KinematicBody::new("floor", vec![Collider::space(floor, material)]));
        Self { builder, material, unit, mass }
    }

    fn add(&mut self, mut body: Body, position: [f64; 3], velocity: [f64; 3]) -> Rigid {
        body.position = position.map(|x| self.unit * x);
        body.velocity = velocity.map(|v| self.unit * v);
        self.builder.body(body)
    }

    fn ball(&mut self, radius: f64, mass: f64) -> Body {
        ball("ball", self.unit * radius, self.mass * mass, self.material)
    }

    fn block(&mut self, half: [f64; 3], mass: f64) -> Body {
        cuboid("block", half.map(|x| self.unit * x), self.mass * mass, self.material)
    }
}

/// Balls of different mass that bounce on each other.
fn bouncing(units: (f64, f64)) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.2, 0.6);
    for i in 0..3 {
        let body = scene.ball(0.1, 1.0 + f64::from(i));
        scene.add(body, [0.0, 0.0, 0.3 + 0.25 * f64::from(i)], [0.0, 0.0, -1.0]);
    }
    scene.builder
}

/// A box that falls on a corner, tumbles and rubs.
fn tumbling(units: (f64, f64)) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.4, 0.0);
    let mut body = scene.block([0.1, 0.07, 0.05], 1.0);
    body.rotation = about([0.6, 0.8, 0.0], 0.9);
    body.angular_velocity = [1.0, -3.0, 0.5];
    scene.add(body, [0.0, 0.0, 0.3], [0.7, 0.2, 0.0]);
    scene.builder
}

/// A stack of four, the lowest of which slides.
fn stack(units: (f64, f64)) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.5, 0.0);
    for i in 0..4 {
        let body = scene.block([0.1, 0.1, 0.05], 1.0);
        let speed = if i == 0 { 1.0 } else { 0.0 };
        scene.add(body, [0.0, 0.0, 0.05 + 0.1 * f64::from(i)], [speed, 0.0, 0.0]);
    }
    scene.builder
}

/// A chain that hangs, swings and sweeps a ball off the floor.
fn chain(units: (f64, f64)) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.3, 0.5);
    let unit = scene.unit;
    let mut last = Rigid::World;
    for i in 0..3 {
        let body = scene.block([0.1, 0.02, 0.02], 0.5);
        let next = scene.add(body, [0.1 + 0.2 * f64::from(i), 0.0, 0.7], [0.0; 3]);
        let at = [0.2 * f64::from(i) * unit, 0.0, 0.7 * unit];
        if i == 1 {
            scene.builder.joint("hinge", Revolute::at(at).axis([0.0, 1.0, 0.0]), last, next);
        } else {
            scene.builder.joint(&format!("joint{i}"), Spherical::at(at), last, next);
        }
        last = next;
    }
    let body = scene.ball(0.1, 0.2);
    scene.add(body, [0.05, 0.01, 0.1], [0.0; 3]);
    scene.builder
}

/// A rod that turns fast and a ball that is fast compared with its size.
fn fast(units: (f64, f64)) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.0, 0.8);
    let mut body = scene.block([0.2, 0.01, 0.01], 0.3);
    body.angular_velocity = [0.0, 300.0, 20.0];
    scene.add(body, [0.0, 0.0, 0.5], [0.0; 3]);
    let body = scene.ball(0.01, 0.05);
    scene.add(body, [-1.0, 0.3, 0.4], [100.0, 0.0, 0.0]);
    scene.builder
}

#[test]
fn the_same_scene_in_other_units_moves_alike() {
    type Made = fn((f64, f64)) -> ModelBuilder;
    let scenes: [(&str, Made, usize); 5] = [
        ("balls", bouncing, 300),
        ("box", tumbling, 250),
        ("stack", stack, 300),
        ("chain", chain, 300),
        ("fast", fast, 60),
    ];
    for (name, scene, steps) in scenes {
        let places = |units: (f64, f64)| -> Vec<Vec<f64>> {
            let mut simulation = run(scene(units), 2e-3);
            let one = |q: &[f64]| -> Vec<f64> {
                q.chunks(7)
                    .flat_map(|q| [q[0] / units.0, q[1] / units.0, q[2] / units.0, q[3]])
                    .collect()
            };
            (0..steps)
                .map(|_| {
                    simulation.step().unwrap_or_else(|e| panic!("{name} {units:?}: {e}"));
                    one(&simulation.state.q)
                })
                .collect()
        };
        let metres = places((1.0, 1.0));
        for units in [(1e3, 1e3), (1e6, 1.0), (1e-3, 1e-6)] {
            let mut worst = (0.0, 0);
            for (step, (q, p)) in metres.iter().zip(places(units)).enumerate() {
                let off = q.iter().zip(&p).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                if off > worst.0 {
                    worst = (off, step);
                }
            }
            assert!(
                worst.0 < 1e-8,
                "{name} in units {units:?}: off by {:.1e} m at step {}",
                worst.0,
                worst.1
            );
        }
    }
}
