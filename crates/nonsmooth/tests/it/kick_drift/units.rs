//! No absolute length, speed or mass appears: the same scene in other units moves alike.

use super::{ball, cuboid, run};
use crate::body_kit::about;
use nonsmooth::laws::Coulomb;
use nonsmooth::model::constraints::joints::{Revolute, Spherical};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, MaterialId};
use nonsmooth::model::{ModelBuilder, Rigid};
use nonsmooth_geometry::spatial::Shape;

/// How many units of length, mass and time a metre, a kilogram and a second are.
#[derive(Clone, Copy, Debug)]
struct Units {
    length: f64,
    mass: f64,
    time: f64,
}

struct Scene {
    builder: ModelBuilder,
    material: MaterialId,
    units: Units,
    n_bodies: usize,
}

impl Scene {
    fn new(units: Units, friction: f64, restitution: f64) -> Self {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81 * units.length / units.time.powi(2)]);
        let law = builder.law("pair", Coulomb { friction, restitution, ..Coulomb::default() });
        let material = builder.material("stuff");
        builder.default_pair(law);
        let floor = Shape::half_space([0.0, 0.0, 1.0]).expect("it is right");
        builder.kinematic(KinematicBody::new("floor", vec![Collider::space(floor, material)]));
        Self { builder, material, units, n_bodies: 0 }
    }

    fn add(&mut self, mut body: Body, position: [f64; 3], velocity: [f64; 3]) -> Rigid {
        let Units { length, time, .. } = self.units;
        body.name = format!("body{}", self.n_bodies);
        self.n_bodies += 1;
        body.position = position.map(|x| length * x);
        body.velocity = velocity.map(|v| length / time * v);
        body.angular_velocity = body.angular_velocity.map(|w| w / time);
        self.builder.body(body)
    }

    fn ball(&mut self, radius: f64, mass: f64) -> Body {
        ball("ball", self.units.length * radius, self.units.mass * mass, self.material)
    }

    fn block(&mut self, half: [f64; 3], mass: f64) -> Body {
        cuboid("block", half.map(|x| self.units.length * x), self.units.mass * mass, self.material)
    }
}

/// Balls of different mass that bounce on each other.
fn bouncing(units: Units) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.2, 0.6);
    for i in 0..3 {
        let body = scene.ball(0.1, 1.0 + f64::from(i));
        scene.add(body, [0.0, 0.0, 0.3 + 0.25 * f64::from(i)], [0.0, 0.0, -1.0]);
    }
    scene.builder
}

/// A box that falls on a corner, tumbles and rubs.
fn tumbling(units: Units) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.4, 0.0);
    let mut body = scene.block([0.1, 0.07, 0.05], 1.0);
    body.rotation = about([0.6, 0.8, 0.0], 0.9);
    body.angular_velocity = [1.0, -3.0, 0.5];
    scene.add(body, [0.0, 0.0, 0.3], [0.7, 0.2, 0.0]);
    scene.builder
}

/// A stack of four, the lowest of which slides.
fn stack(units: Units) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.5, 0.0);
    for i in 0..4 {
        let body = scene.block([0.1, 0.1, 0.05], 1.0);
        let speed = if i == 0 { 1.0 } else { 0.0 };
        scene.add(body, [0.0, 0.0, 0.05 + 0.1 * f64::from(i)], [speed, 0.0, 0.0]);
    }
    scene.builder
}

/// A chain that hangs, swings and sweeps a ball off the floor.
fn chain(units: Units) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.3, 0.5);
    let unit = scene.units.length;
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
fn fast(units: Units) -> ModelBuilder {
    let mut scene = Scene::new(units, 0.0, 0.8);
    let mut body = scene.block([0.2, 0.01, 0.01], 0.3);
    body.angular_velocity = [0.0, 300.0, 20.0];
    scene.add(body, [0.0, 0.0, 0.5], [0.0; 3]);
    let body = scene.ball(0.01, 0.05);
    scene.add(body, [-1.0, 0.3, 0.4], [100.0, 0.0, 0.0]);
    scene.builder
}

type Made = fn(Units) -> ModelBuilder;

const SI: Units = Units { length: 1.0, mass: 1.0, time: 1.0 };

/// Places in metres and rotations of all steps.
fn motion(name: &str, scene: Made, h: f64, steps: usize, units: Units) -> Vec<Vec<f64>> {
    let mut simulation = run(scene(units), h * units.time);
    let one = |q: &[f64]| -> Vec<f64> {
        let metres = |(k, x): (usize, &f64)| if k % 7 < 3 { x / units.length } else { *x };
        q.iter().enumerate().map(metres).collect()
    };
    (0..steps)
        .map(|_| {
            simulation.step().unwrap_or_else(|e| panic!("{name} {units:?}: {e}"));
            one(&simulation.state.q)
        })
        .collect()
}

/// The step of the stack is shorter. At 2 ms which of its contact points carry is a matter of rounding where it comes to rest: the same scene in mm
/// parts by 1.4e-5 m, at 1 ms by 6e-8 m, at 0.5 ms by 1e-11 m.
#[test]
fn the_same_scene_in_other_units_moves_alike() {
    let scenes: [(&str, Made, f64, usize); 5] = [
        ("balls", bouncing, 2e-3, 300),
        ("box", tumbling, 2e-3, 250),
        ("stack", stack, 5e-4, 300),
        ("chain", chain, 2e-3, 300),
        ("fast", fast, 2e-3, 60),
    ];
    for (name, scene, h, steps) in scenes {
        let metres = motion(name, scene, h, steps, SI);
        for (length, mass, time) in
            [(1e3, 1e3, 1.0), (1e6, 1.0, 1e3), (1e-3, 1e-6, 1.0), (3.7, 0.43, 0.29)]
        {
            let units = Units { length, mass, time };
            let mut worst = (0.0, 0);
            let other = motion(name, scene, h, steps, units);
            for (step, (q, p)) in metres.iter().zip(&other).enumerate() {
                let off = q.iter().zip(p).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                if off > worst.0 {
                    worst = (off, step);
                }
            }
            let (off, step) = worst;
            assert!(off < 1e-8, "{name} in {units:?}: off by {off:.1e} m at step {step}");
        }
    }
}

/// Numbers of another unit that is a power of two have the same digits, so any number with a unit in the code would show in some bit. Units of length
/// change the order of pivots where Newton's method is asked: in the stack, and where the box comes to rest. Angles of joints are lengths at the size
/// of the joint: in the chain too no bit changes.
#[test]
fn units_that_are_powers_of_two_change_no_bit() {
    let scenes: [(&str, Made, usize, bool); 5] = [
        ("balls", bouncing, 300, true),
        ("box", tumbling, 170, true),
        ("stack", stack, 60, false),
        ("chain", chain, 300, true),
        ("fast", fast, 60, true),
    ];
    for (name, scene, steps, any_length) in scenes {
        let metres = motion(name, scene, 2e-3, steps, SI);
        let length = if any_length { 1.0 / 1024.0 } else { 1.0 };
        for units in [
            Units { length: if any_length { 256.0 } else { 1.0 }, ..SI },
            Units { mass: 64.0, ..SI },
            Units { time: 16.0, ..SI },
            Units { length, mass: 1.0 / 65536.0, time: 1.0 / 32.0 },
        ] {
            let other = motion(name, scene, 2e-3, steps, units);
            let first = metres.iter().zip(&other).position(|(q, p)| q != p);
            assert_eq!(first, None, "{name} in {units:?} parts at this step");
        }
    }
}
