//! The contacts of a step with their impulses, so that another program can judge them.
//!
//! A contact is a line of numbers: bodies a and b (−1: fixed), unit normal from a to b, arms from the centres of mass to
//! the point, gap at the start of the step, impulse on b over the whole step. All in world axes, SI.

use rapier3d_f64::geometry::NEW_CONTACT_BIT;
use rapier3d_f64::prelude::*;
use rapier3d_f64::utils::OrthonormalBasis;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Poses and velocities before a step.
pub struct Before {
    poses: HashMap<RigidBodyHandle, (i64, Pose)>,
    /// One line per moving body: pose (x y z, w x y z), velocity, angular velocity.
    text: String,
}

impl Before {
    pub fn new(world: &PhysicsWorld, bodies: &[RigidBodyHandle]) -> Self {
        let mut text = String::new();
        for body in bodies.iter().map(|handle| &world.bodies[*handle]) {
            let (v, w) = (body.linvel(), body.angvel());
            let _ = write!(text, "body {}", line(body.position()));
            let _ = writeln!(text, " {} {} {} {} {} {}", v.x, v.y, v.z, w.x, w.y, w.z);
        }
        let mut poses: HashMap<_, _> =
            world.bodies.iter().map(|(h, b)| (h, (-1, *b.position()))).collect();
        for (k, handle) in bodies.iter().enumerate() {
            poses.entry(*handle).and_modify(|entry| entry.0 = k as i64);
        }
        Self { poses, text }
    }

    /// Everything about the step that was made since.
    pub fn after(&self, world: &PhysicsWorld, step: u64) -> String {
        let mut text = format!("step {step}\n{}", self.text);
        for pair in world.narrow_phase.contact_pairs() {
            for manifold in pair.solver_manifolds() {
                self.manifold(manifold, &mut text);
            }
        }
        text
    }

    fn manifold(&self, manifold: &ContactManifold, text: &mut String) {
        let data = &manifold.data;
        let (Some(a), Some(b)) = (data.rigid_body1, data.rigid_body2) else { return };
        let ((a, pose_a), (b, pose_b)) = (self.poses[&a], self.poses[&b]);
        let n = data.normal;
        // The solver pushes the first body along −n, and takes its tangents from that.
        let first = (-n).orthonormal_vector();
        let second = (-n).cross(first);
        for solver in data.solver_contacts.iter() {
            let point = &manifold.points[(solver.contact_id[0] & !NEW_CONTACT_BIT) as usize];
            let (on_a, on_b) = (pose_a * point.local_p1, pose_b * point.local_p2);
            let (middle, gap) = (0.5 * (on_a + on_b), n.dot(on_b - on_a));
            let (arm_a, arm_b) = (middle - pose_a.translation, middle - pose_b.translation);
            let t = point.data.tangent_impulse;
            let p = n * point.data.impulse - first * t.x - second * t.y;
            let _ = write!(text, "contact {a} {b}");
            for v in [n, arm_a, arm_b, p] {
                let _ = write!(text, " {} {} {}", v.x, v.y, v.z);
            }
            let _ = writeln!(text, " {gap}");
        }
    }
}

/// Contact points that the solver sees.
pub fn count(world: &PhysicsWorld) -> usize {
    let points = |pair: &ContactPair| {
        pair.solver_manifolds().iter().map(|m| m.data.solver_contacts.len()).sum::<usize>()
    };
    world.narrow_phase.contact_pairs().map(points).sum()
}

/// x y z, w x y z.
pub fn line(pose: &Pose) -> String {
    let (x, r) = (pose.translation, pose.rotation);
    format!("{} {} {} {} {} {} {}", x.x, x.y, x.z, r.w, r.x, r.y, r.z)
}
