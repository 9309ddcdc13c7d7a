//! What holds for every pair of shapes.

use crate::random::Random;
use crate::samples::{all, moved};
use glam::DVec3;
use nonsmooth_geometry::spatial::{Contact, Pose, Shape, contacts};

const PREDICTION: f64 = 0.2;

fn found(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<Contact> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, PREDICTION, &mut out);
    out
}

/// Calls `check` for many poses of every pair of kinds.
fn every_pair(seed: u64, mut check: impl FnMut(&str, (&Shape, &Pose), (&Shape, &Pose))) {
    let mut random = Random::new(seed);
    for _ in 0..20 {
        let (first, second) = (all(&mut random), all(&mut random));
        for (name_a, a) in &first {
            for (name_b, b) in &second {
                let (pose_a, pose_b) = (random.pose(0.2), random.pose(1.6));
                check(&format!("{name_a}–{name_b}"), (a, &pose_a), (b, &pose_b));
            }
        }
    }
}

/// The same contacts up to round-off; curved shapes are iterated to about the root of it.
fn assert_same(name: &str, first: &[Contact], second: &[Contact]) {
    let near = |p: [f64; 3], q: [f64; 3]| DVec3::from_array(p).distance(DVec3::from_array(q)) < 1e-6;
    let same = |p: &Contact, q: &Contact| {
        let equal = near(p.point, q.point) && near(p.normal, q.normal);
        p.key == q.key && equal && (p.distance - q.distance).abs() < 1e-9
    };
    let equal = first.len() == second.len() && first.iter().zip(second).all(|(p, q)| same(p, q));
    assert!(equal, "{name}:\n{first:#?}\n{second:#?}");
}

#[test]
fn contacts_are_sorted_unique_finite_and_within_the_prediction() {
    let mut n_touching = 0;
    every_pair(11, |name, (a, pose_a), (b, pose_b)| {
        let contacts = found(a, pose_a, b, pose_b);
        n_touching += usize::from(!contacts.is_empty());
        assert!(contacts.is_sorted_by(|p, q| p.key < q.key), "{name}: {contacts:?}");
        for contact in &contacts {
            assert!(contact.distance <= PREDICTION, "{name}: {contact:?}");
            assert!(contact.point.iter().all(|x| x.is_finite()), "{name}: {contact:?}");
            let length = DVec3::from_array(contact.normal).length();
            assert!((length - 1.0).abs() < 1e-12, "{name}: {contact:?}");
        }
    });
    assert!(n_touching > 1000, "{n_touching}");
}

#[test]
fn shapes_may_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Shape>();
    is_shared::<nonsmooth_geometry::planar::Shape>();
}

#[test]
fn a_second_call_gives_the_same_bits_and_leaves_what_is_there() {
    every_pair(12, |name, (a, pose_a), (b, pose_b)| {
        let first = found(a, pose_a, b, pose_b);
        let mut out = first.clone();
        contacts(a, pose_a, b, pose_b, PREDICTION, &mut out);
        assert_eq!(out.len(), 2 * first.len(), "{name}");
        assert_eq!(out[..first.len()], first, "{name}");
        assert_eq!(out[first.len()..], first, "{name}");
    });
}

#[test]
fn swapping_the_shapes_turns_the_contacts_over() {
    every_pair(13, |name, (a, pose_a), (b, pose_b)| {
        let there = found(a, pose_a, b, pose_b);
        let mut back: Vec<Contact> = found(b, pose_b, a, pose_a).iter().map(Contact::swapped).collect();
        back.sort_by_key(|contact| contact.key);
        // Two surfaces that have passed through each other are not promised to be told the same.
        let surfaces = name.matches("mesh").count() + name.matches("field").count();
        if surfaces < 2 {
            assert_same(name, &there, &back);
        }
    });
}

#[test]
fn a_common_motion_moves_the_contacts_along() {
    let mut random = Random::new(99);
    every_pair(14, |name, (a, pose_a), (b, pose_b)| {
        let motion = random.pose(30.0);
        let still = found(a, pose_a, b, pose_b);
        let carried = found(a, &moved(&motion, pose_a), b, &moved(&motion, pose_b));
        let rotation = crate::oracle::rotation(&motion);
        let still: Vec<Contact> = still
            .iter()
            .map(|c| Contact {
                point: crate::oracle::world(&motion, c.point.into()).to_array(),
                normal: (rotation * DVec3::from_array(c.normal)).to_array(),
                ..*c
            })
            .collect();
        assert_same(name, &still, &carried);
    });
}

/// Poses where everything is parallel, aligned, concentric or just touching.
#[test]
fn aligned_poses_bring_no_surprises() {
    let mut random = Random::new(15);
    let half = |k: usize| 0.25 * k as f64 - 0.5;
    for _ in 0..2 {
        let shapes = all(&mut random);
        for (name_a, a) in &shapes {
            for (name_b, b) in &shapes {
                for _ in 0..40 {
                    let mut place = || std::array::from_fn(|_| half(random.below(5)));
                    let positions: [[f64; 3]; 2] = [place(), place()];
                    let axis = random.below(3);
                    let angle = std::f64::consts::FRAC_PI_4 * random.below(8) as f64;
                    let mut direction = [0.0; 3];
                    direction[axis] = 1.0;
                    let pose_a = Pose::at(positions[0]);
                    let pose_b = Pose::turned(positions[1], direction, angle);
                    let contacts = found(a, &pose_a, b, &pose_b);
                    assert!(
                        contacts.is_sorted_by(|p, q| p.key < q.key),
                        "{name_a}–{name_b}: {contacts:?}"
                    );
                    for contact in &contacts {
                        let length = DVec3::from_array(contact.normal).length();
                        let sound = contact.distance <= PREDICTION && contact.distance.is_finite();
                        assert!(
                            sound && (length - 1.0).abs() < 1e-12,
                            "{name_a}–{name_b} {pose_a:?} {pose_b:?}: {contact:?}"
                        );
                        assert!(
                            contact.point.iter().all(|x| x.is_finite()),
                            "{name_a}–{name_b}: {contact:?}"
                        );
                    }
                }
            }
        }
    }
}
