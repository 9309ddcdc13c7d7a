//! Boxes against boxes: fuzzed in all the ways they meet, against the oracle.

use crate::oracle::{Solid, rotation, world};
use crate::random::Random;
use crate::samples::cuboid;
use glam::DVec3;
use nonsmooth_geometry::spatial::{Contact, Pose, contacts};

/// A pair of boxes with poses.
struct Case {
    half: [[f64; 3]; 2],
    pose: [Pose; 2],
}

impl Case {
    fn contacts(&self, prediction: f64) -> Vec<Contact> {
        let [a, b] = self.half.map(cuboid);
        let mut out = Vec::new();
        contacts(&a, &self.pose[0], &b, &self.pose[1], prediction, &mut out);
        out
    }

    fn oracle(&self) -> f64 {
        let [a, b] = [0, 1].map(|k| Solid::cuboid(self.half[k], &self.pose[k]));
        a.signed_distance(&b)
    }

    fn show(&self) -> String {
        format!("{:?} {:?}", self.half, self.pose)
    }
}

fn sizes(random: &mut Random) -> [f64; 3] {
    std::array::from_fn(|_| random.between(0.1, 1.5))
}

/// Boxes anywhere near each other: apart, crossing, deep.
fn anywhere(random: &mut Random) -> Case {
    Case { half: [sizes(random), sizes(random)], pose: [random.pose(0.1), random.pose(2.0)] }
}

/// The second on the top face of the first, turned about the vertical, with a gap and a small tilt.
fn resting(random: &mut Random, gap: f64, tilt: f64) -> Case {
    let half = [sizes(random), sizes(random)];
    let base = random.pose(5.0);
    let spin = Pose::turned([0.0; 3], [0.0, 0.0, 1.0], random.between(-3.0, 3.0));
    let lean = Pose::turned([0.0; 3], random.direction(), tilt);
    let place = DVec3::new(
        random.between(-1.0, 1.0) * half[0][0],
        random.between(-1.0, 1.0) * half[0][1],
        half[0][2] + half[1][2] + gap,
    );
    let turn = rotation(&base) * rotation(&lean) * rotation(&spin);
    let on_top =
        Pose { position: world(&base, place).to_array(), rotation: [turn.w, turn.x, turn.y, turn.z] };
    Case { half, pose: [base, on_top] }
}

fn check(case: &Case, tolerance: f64) {
    let expected = case.oracle();
    let found = case.contacts(expected.max(0.0) + 0.3);
    let least = found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
    assert!((least - expected).abs() <= tolerance, "{least} {expected}: {}", case.show());
    let solids = [0, 1].map(|k| Solid::cuboid(case.half[k], &case.pose[k]));
    for contact in &found {
        let length = DVec3::from_array(contact.normal).length();
        assert!((length - 1.0).abs() < 1e-14, "{length}");
        // Each point lies on the surface it belongs to; where the boxes overlap deeply, inside is near enough.
        let heights = [solids[0].point(contact.on_a().into()), solids[1].point(contact.on_b().into())];
        let slack = 1e-8 - expected.min(0.0);
        assert!(heights.iter().all(|h| *h <= 1e-8 && *h >= -slack), "{heights:?}: {}", case.show());
    }
}

#[test]
fn random_boxes_have_the_distance_of_the_oracle() {
    let mut random = Random::new(1);
    for _ in 0..8_000 {
        check(&anywhere(&mut random), 1e-13);
    }
}

#[test]
fn resting_boxes_have_the_distance_of_the_oracle() {
    let mut random = Random::new(2);
    for gap in [0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-4, -1e-4, 0.01, -0.01, 0.1] {
        for tilt in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1] {
            for _ in 0..100 {
                check(&resting(&mut random, gap, tilt), 2e-12);
            }
        }
    }
}
