//! Bodies and other systems in one model, tied by gaps on their coordinates.

use super::kit::observe;
use crate::{moreau_jean, order};
use nonsmooth::laws::{Bilateral, Coulomb, NewtonImpact};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::model::{Gap, Linear, ModelBuilder, UserError};
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth::{ConstraintLog, Model, Simulation};
use nonsmooth_geometry::planar;

const UNIT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];

fn simulation(builder: ModelBuilder, h: f64) -> Simulation {
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, moreau_jean(&Options::default()), h).expect("the scheme takes it")
}

/// Sum of the normal impulses of gaps, and of contacts of bodies [N·s].
fn normal_impulses(model: &Model, log: &ConstraintLog) -> (f64, f64) {
    let mut sums = (0.0, 0.0);
    for (c, id) in log.ids.iter().enumerate() {
        let p = log.impulse[log.rows(c).start];
        match model.constraint_number(*id) {
            Some(_) => sums.0 += p,
            None => sums.1 += p,
        }
    }
    sums
}

/// A body falls on a plate (a linear system, height q) that stands on a spring: Newton's law at the impact, the weight
/// m g/k as the mean deflection afterwards.
#[test]
fn a_body_falls_on_a_plate_on_a_spring() {
    for plane in [false, true] {
        let (stone_mass, plate_mass, stiffness) = (2.0, 3.0, 5e3);
        let mut builder = ModelBuilder::new();
        let up = if plane { 1 } else { 2 };
        let mut gravity = [0.0; 3];
        gravity[up] = -9.81;
        builder.gravity(gravity);
        let plate = Linear {
            stiffness: Some(Sparse::diagonal(&[stiffness])),
            damping: Some(Sparse::diagonal(&[50.0])),
            ..Linear::new("plate", Sparse::diagonal(&[plate_mass]))
        };
        let plate = builder.linear(plate);
        let mut position = [0.0; 3];
        position[up] = 0.2;
        let stone =
            builder.body(Body { position, planar: plane, ..Body::new("stone", stone_mass, UNIT) });
        let law = builder.law("plastic", NewtonImpact { restitution: 0.0 });
        builder.linear_gap("on plate", law, &[(stone.system(), up, 1.0), (plate, 0, -1.0)], -0.1);
        let h = 1e-4;
        let mut simulation = simulation(builder, h);
        let (first_v, mut landed) = (1 + up, None);
        let (ledger, _) = observe(&mut simulation, 40_000, |frame| {
            if landed.is_none() && frame.after.v[0] != 0.0 {
                landed = Some((frame.after.v[0], frame.after.v[first_v]));
            }
        });
        let (plate_v, stone_v) = landed.expect("it falls on the plate");
        // v = √(2 g 0.1); the common velocity after the impact, within the h g of the step.
        let want = -(2.0f64 * 9.81 * 0.1).sqrt() * stone_mass / (stone_mass + plate_mass);
        assert!(
            (plate_v - want).abs() < 3e-3 && (stone_v - want).abs() < 3e-3,
            "{plate_v} {stone_v} {want}"
        );
        // At rest after 4 s, δ = 5/s.
        let q = &simulation.state.q;
        let rest = -stone_mass * 9.81 / stiffness;
        assert!((q[0] - rest).abs() < 1e-6, "plane {plane}: {} {rest}", q[0]);
        // The overlap of the landing stays: h v.
        assert!((q[first_v] - 0.1 - rest).abs() < 1.4 * h, "plane {plane}: {q:?}");
        assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:e}", ledger.worst_remainder);
    }
}

/// ‖a − b‖ − 2r of points in the plane.
struct Apart(f64);

impl Gap for Apart {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok((q[2] - q[0]).hypot(q[3] - q[1]) - self.0)
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let (x, y) = (q[2] - q[0], q[3] - q[1]);
        let d = x.hypot(y);
        out.copy_from_slice(&[-x / d, -y / d, x / d, y / d]);
        Ok(())
    }
}

/// A disk that is a body meets a disk that is a linear system: off as two bodies part that touch by their shapes.
#[test]
fn a_disk_meets_a_disk_of_another_kind() {
    let radius = 0.1;
    let shape = planar::Shape::ball(radius).unwrap();
    let mass = shape.mass_properties(100.0).unwrap();
    let run = |both_bodies: bool| {
        let mut builder = ModelBuilder::new();
        let material = builder.material("stuff");
        let law = builder.law("elastic", NewtonImpact { restitution: 0.8 });
        builder.default_pair(law);
        let colliders = vec![Collider::plane(shape.clone(), material)];
        let body = |name: &str, position, velocity| Body {
            position,
            velocity,
            colliders: colliders.clone(),
            ..Body::planar(name, mass.mass, mass.inertia)
        };
        let first = builder.body(body("first", [-0.5, 0.03, 0.0], [2.0, 0.0, 0.0]));
        if both_bodies {
            builder.body(body("second", [0.0; 3], [0.0; 3]));
        } else {
            let second = builder.linear(Linear::new("second", Sparse::diagonal(&[mass.mass; 2])));
            let on = [(first.system(), 0), (first.system(), 1), (second, 0), (second, 1)];
            builder.gap("apart", law, &on, Apart(2.0 * radius));
        }
        let mut simulation = simulation(builder, 1e-4);
        let mut force = 0.0;
        observe(&mut simulation, 5000, |frame| {
            let (gaps, contacts) = normal_impulses(frame.model, &frame.log.constraints);
            force += gaps + contacts;
        });
        let (v, k) = (simulation.state.v, if both_bodies { 0 } else { 2 });
        (v[k], v[k + 1], force)
    };
    let (shapes, gap) = (run(true), run(false));
    assert!(shapes.1.abs() > 0.1, "they part obliquely: {shapes:?}");
    // The gap takes its axes at the end of the step, shapes at its start: h v/(2r) of the direction.
    for (a, b) in [(shapes.0, gap.0), (shapes.1, gap.1), (shapes.2, gap.2)] {
        assert!((a - b).abs() < 3e-3 * a.abs().max(1.0), "{shapes:?} {gap:?}");
    }
}

/// Component `k` of x + R(q) a: a point of a body, to be held at the origin.
struct Held {
    arm: [f64; 3],
    k: usize,
}

impl Gap for Held {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        let turn = glam::DQuat::from_xyzw(q[4], q[5], q[6], q[3]);
        let rotated = glam::DMat3::from_quat(turn) * glam::DVec3::from_array(self.arm);
        Ok(q[self.k] + rotated[self.k])
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.fill(0.0);
        out[self.k] = 1.0;
        // R a = (w² − u·u) a + 2 (u·a) u + 2 w u × a, differentiated.
        let (w, u) = (q[3], glam::DVec3::new(q[4], q[5], q[6]));
        let a = glam::DVec3::from_array(self.arm);
        out[3] = (2.0 * w * a + 2.0 * u.cross(a))[self.k];
        for c in 0..3 {
            let axis = glam::DVec3::AXES[c];
            let slope =
                -2.0 * u[c] * a + 2.0 * a[c] * u + 2.0 * u.dot(a) * axis + 2.0 * w * axis.cross(a);
            out[4 + c] = slope[self.k];
        }
        Ok(())
    }
}

/// A body hung up at a point swings as a physical pendulum: T = 2π √((J + m l²)/(m g l)) for small angles.
#[test]
fn a_body_hung_at_a_point_is_a_pendulum() {
    let (length, angle, m) = (0.6, 0.02f64, 2.0);
    let period = |h: f64| {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81]);
        let position = [length * angle.sin(), 0.0, -length * angle.cos()];
        let rotation = super::kit::about([0.0, 1.0, 0.0], -angle);
        let body = builder.body(Body { position, rotation, ..Body::new("bob", m, UNIT) });
        let law = builder.law("hinge", Bilateral);
        let on: Vec<_> = (0..7).map(|k| (body.system(), k)).collect();
        for k in 0..3 {
            builder.gap(&format!("hinge {k}"), law, &on, Held { arm: [0.0, 0.0, length], k });
        }
        let mut simulation = simulation(builder, h);
        let (mut crossings, mut drift) = (Vec::new(), 0.0f64);
        let n = (30.0 / h) as u64;
        observe(&mut simulation, n, |frame| {
            let (a, b) = (frame.before.q[0], frame.after.q[0]);
            if a > 0.0 && b <= 0.0 {
                crossings.push(frame.before.t + h * a / (a - b));
            }
            drift = frame.log.gaps.iter().fold(drift, |m, gap| m.max(gap.abs()));
        });
        // Joints at velocity level drift by (h v)² in a step; v is 0.04 m/s, the swings cancel most of it.
        assert!(drift < 1e-4, "the hinge opens by {drift:.2e}");
        (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
    };
    let want = std::f64::consts::TAU * ((UNIT[1][1] + m * length * length) / (m * 9.81 * length)).sqrt();
    let want = want * (1.0 + angle * angle / 16.0);
    let (coarse, fine) = (period(2e-2), period(1e-2));
    assert!((fine / want - 1.0).abs() < 1e-3, "{fine} {want}");
    let order = order((coarse - want).abs(), (fine - want).abs(), 2.0);
    assert!(order > 0.8, "order {order}: {coarse} {fine} {want}");
}

/// A body on a sledge (a linear system along x) with friction: both end with the common velocity after
/// t = v m/(μ g (m + M))·M/m, having lost ½ m M/(m + M) v².
#[test]
fn friction_between_a_body_and_a_sledge() {
    let (m, sledge_mass, mu, v) = (2.0, 3.0, 0.3, 1.0);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let sledge = builder.linear(Linear::new("sledge", Sparse::diagonal(&[sledge_mass])));
    let velocity = [v, 0.0, 0.0];
    let load = builder.body(Body { velocity, ..Body::new("load", m, UNIT) });
    let law = builder.law("rough", Coulomb { friction: mu, ..Coulomb::default() });
    let load = load.system();
    let along = [(load, 0, 1.0), (sledge, 0, -1.0)];
    builder.linear_contact("on sledge", law, &[(load, 2, 1.0)], 0.0, &[&along, &[(load, 1, 1.0)]]);
    let mut simulation = simulation(builder, 1e-3);
    let (ledger, _) = observe(&mut simulation, 1000, |_| {});
    let common = m * v / (m + sledge_mass);
    for (k, got) in [(0, simulation.state.v[0]), (1, simulation.state.v[1])] {
        assert!((got - common).abs() < 1e-9, "{k}: {got} {common}");
    }
    let loss = -0.5 * m * sledge_mass / (m + sledge_mass) * v * v;
    assert!((ledger.total.friction / loss - 1.0).abs() < 1e-6, "{:?}", ledger.total);
    // The sledge is ahead or behind by ½ v t, t = v/(μ g (1 + m/M)).
    let t = v / (mu * 9.81 * (1.0 + m / sledge_mass));
    let q = &simulation.state.q;
    assert!((q[1] - q[0] - 0.5 * v * t).abs() < 1e-6, "{} {}", q[1] - q[0], 0.5 * v * t);
    assert!(ledger.worst_remainder <= 1e-12 * ledger.scale, "{:e}", ledger.worst_remainder);
}

/// A body with a shape on the floor and a gap to a linear system at once: both carry.
#[test]
fn a_shape_and_a_gap_carry_together() {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -9.81, 0.0]);
    let material = builder.material("stuff");
    let law = builder.law("rough", Coulomb { friction: 0.5, ..Coulomb::default() });
    let smooth = builder.law("smooth", NewtonImpact { restitution: 0.0 });
    builder.default_pair(law);
    let floor = Collider::plane(planar::Shape::half_plane([0.0, 1.0]).unwrap(), material);
    builder.kinematic(KinematicBody::new("floor", vec![floor]));
    let shape = planar::Shape::rectangle([0.2, 0.1]).unwrap();
    let mass = shape.mass_properties(100.0).unwrap();
    let colliders = vec![Collider::plane(shape, material)];
    let position = [0.0, 0.1, 0.0];
    let block =
        builder.body(Body { position, colliders, ..Body::planar("block", mass.mass, mass.inertia) });
    // A weight of 5 kg rests on top of the block.
    let weight = Linear {
        load: vec![-5.0 * 9.81],
        q: vec![0.2],
        ..Linear::new("weight", Sparse::diagonal(&[5.0]))
    };
    let weight = builder.linear(weight);
    builder.linear_gap("on block", smooth, &[(weight, 0, 1.0), (block.system(), 1, -1.0)], -0.1);
    let mut simulation = simulation(builder, 1e-3);
    let start = simulation.state.clone();
    let mut forces = (0.0, 0.0);
    observe(&mut simulation, 2000, |frame| {
        let (gaps, contacts) = normal_impulses(frame.model, &frame.log.constraints);
        forces = (gaps / 1e-3, contacts / 1e-3);
    });
    assert!(super::kit::moved(&start, &simulation.state) < 1e-9);
    let (top, floor) = (5.0 * 9.81, (5.0 + mass.mass) * 9.81);
    assert!((forces.0 / top - 1.0).abs() < 1e-8 && (forces.1 / floor - 1.0).abs() < 1e-8, "{forces:?}");
}
