//! Rods that lie nearly along each other, or along edges.

use super::prelude::*;
use glam::DQuat;
use nonsmooth_geometry::spatial::{Pose, Shape, distance};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

const RADIUS: f64 = 0.05;

/// The z axis of the body lies along x, turned about the vertical by `yaw`; the body is turned about it by `roll` [rad].
fn lying(yaw: f64, roll: f64) -> [f64; 4] {
    let turn =
        DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(FRAC_PI_2) * DQuat::from_rotation_z(roll);
    [turn.w, turn.x, turn.y, turn.z]
}

/// Two fixed solids side by side that carry a rod.
struct Bed {
    under: Shape,
    poses: [Pose; 2],
    /// Of the axis of a rod that touches both [m].
    height: f64,
}

impl Bed {
    /// Turned by 3 and −2 mrad. What carries is a line `top` above the centres, rounded by `round`; the two are `aside`
    /// from the middle.
    fn new(under: Shape, aside: f64, (top, round): (f64, f64), roll: f64) -> Self {
        let poses = [(-aside, 3e-3), (aside, -2e-3)]
            .map(|(y, yaw)| Pose { position: [0.0, y, 0.0], rotation: lying(yaw, roll) });
        let apart = RADIUS + round;
        Self { under, poses, height: top + (apart * apart - aside * aside).sqrt() }
    }

    fn overlap(&self, shape: &Shape, simulation: &Simulation) -> f64 {
        let q = &simulation.state.q;
        let pose = Pose { position: [q[0], q[1], q[2]], rotation: [q[3], q[4], q[5], q[6]] };
        let overlaps = self.poses.iter().map(|fixed| -distance(shape, &pose, &self.under, fixed));
        overlaps.fold(0.0, f64::max)
    }
}

/// A prism along z with an edge at x = −0.05.
fn rail() -> Shape {
    let corners = [(-0.05, 0.0), (0.05, 0.05), (0.05, -0.05)];
    let corners = corners.map(|(x, y)| [[x, y, -0.15], [x, y, 0.15]]).concat();
    Shape::hull(&corners).expect("a right shape")
}

/// Overlaps of a rod in the groove of a bed [m], after 1 s and after 3 s of rest.
fn depths(shape: &Shape, bed: &Bed, (h, drop): (f64, f64)) -> [f64; 2] {
    let mut yard = Yard::new(0.5, 0.0);
    for (k, &Pose { position, rotation }) in bed.poses.iter().enumerate() {
        let part = Collider::space(bed.under.clone(), yard.material);
        let obstacle = KinematicBody::new(&format!("under {k}"), vec![part]);
        yard.builder.kinematic(KinematicBody { position, rotation, ..obstacle });
    }
    let mut body = yard.body("rod", shape, 2000.0, [0.01, 0.0, bed.height + drop]);
    body.rotation = lying(1e-3, 0.0);
    yard.builder.body(body);
    let mut simulation = yard.simulation(h);
    let seconds = (1.0 / h).round() as u64;
    [seconds, 2 * seconds].map(|n| {
        simulation.run(n, &mut []).unwrap_or_else(|error| panic!("{error}"));
        bed.overlap(shape, &simulation)
    })
}

/// Every pair has one point of closest approach, because nothing is quite parallel. With that point alone a rod rocks from
/// end to end and sinks for as long as it lies there: capsules by 13 mm in 1 s and 35 mm in 3 s, a cylinder on rails by
/// 22 mm and 36 mm.
#[test]
fn a_rod_along_another_does_not_sink() {
    let capsule = Shape::capsule(0.1, RADIUS).unwrap();
    let cylinder = Shape::cylinder(0.12, RADIUS).unwrap();
    let cuboid = Shape::cuboid([0.03, 0.03, 0.15]).unwrap();
    let ridge = 0.03 * std::f64::consts::SQRT_2;
    let beds = [
        Bed::new(capsule.clone(), 0.06, (0.0, RADIUS), 0.0),
        Bed::new(cylinder.clone(), 0.06, (0.0, RADIUS), 0.0),
        // Edges so close to each other that the normals are far from those of the faces.
        Bed::new(cuboid, 0.01, (ridge, 0.0), FRAC_PI_4),
        Bed::new(rail(), 0.02, (0.05, 0.0), 0.0),
    ];
    // Turned by 4 mrad at most, ends 0.15 m from the middle are 0.6 mm aside, on slopes of up to 3 : 4.
    let (h, drop) = (2e-3, 2e-3);
    for bed in &beds {
        for shape in [&capsule, &cylinder] {
            let [early, late] = depths(shape, bed, (h, drop));
            // It falls by less than twice the drop, one end before the other, and each time overlaps by v h.
            let most = 2.0 * h * (4.0 * 9.81 * drop).sqrt();
            assert!(early < most, "{shape:?} on {:?}: {early:.2e} m deep", bed.under);
            // Residuals of 1e-10 of h g, in 1000 steps.
            assert!(
                (late - early).abs() < 1e-8,
                "{shape:?} on {:?}: {early:.3e}, {late:.3e}",
                bed.under
            );
        }
    }
}

/// Overlap of a rod that rocks on a crossed one of radius r after 1 s [m], and ∫ h (r − c) ω² dt.
fn rocked(scheme: &str, h: f64) -> [f64; 2] {
    let (r, turning) = (0.1, 3.0);
    let (shape, under) = (
        Shape::capsule(0.1, RADIUS).expect("a right shape"),
        Shape::capsule(0.2, r).expect("a right shape"),
    );
    let fixed = Pose::turned([0.0; 3], [1.0, 0.0, 0.0], FRAC_PI_2);
    let mut yard = Yard::new(1.0, 0.0);
    let part = Collider::space(under.clone(), yard.material);
    let obstacle = KinematicBody::new("under", vec![part]);
    yard.builder.kinematic(KinematicBody { rotation: fixed.rotation, ..obstacle });
    let mut body = yard.body("rod", &shape, 2000.0, [0.0, 0.0, r + RADIUS]);
    body.rotation = lying(0.0, 0.0);
    body.velocity = [turning * RADIUS, 0.0, 0.0];
    body.angular_velocity = [0.0, turning, 0.0];
    yard.builder.body(body);
    let (model, state) = yard.builder.build(0.0).expect("a right model");
    let scheme = integrators::find(scheme).expect("a listed scheme");
    let scheme =
        scheme.build(&Options::default(), SolverSettings::default()).expect("defaults are valid");
    let mut simulation = Simulation::new(model, state, scheme, h).expect("the scheme takes it");
    let mut expected = 0.0;
    for _ in 0..(1.0 / h).round() as u64 {
        let frame = simulation.step().unwrap_or_else(|error| panic!("{error}"));
        expected += h * h * (r - RADIUS) * frame.after.v[4].powi(2);
    }
    let q = &simulation.state.q;
    let pose = Pose { position: [q[0], q[1], q[2]], rotation: [q[3], q[4], q[5], q[6]] };
    [-distance(&shape, &pose, &under, &fixed), expected]
}

/// A straight rod, its centre c above the contact, rolls on a circle of radius r. In a step the contact moves along it by
/// r ω h, and the centre about which the velocities turn it moves by c ω h, with the body: kept, they would close the gap by
/// ÿ = −(r − c) ω². `moreau-jean` asks for H(q) v⁺ ≥ 0 with H of the start of the step and moves by ½ (v + v⁺), of which v is
/// one step older still: h² ÿ in every step. Projection takes it back.
#[test]
fn a_rocking_rod_sinks_in_proportion_to_the_step() {
    for h in [2e-3, 1e-3, 5e-4] {
        let [overlap, expected] = rocked("moreau-jean", h);
        // 0.002 at h = 2 ms: the overlap itself shortens r − c.
        assert!((overlap / expected - 1.0).abs() < 0.01, "h = {h}: {overlap:.3e} for {expected:.3e} m");
        let [overlap, _] = rocked("moreau-projected", h);
        assert!(overlap < 1.1e-10, "h = {h}: {overlap:.3e} m after projection");
    }
}
