//! Cylinders and cones: against a search over all directions, and where closed forms are known.

use crate::oracle::{rotation, world};
use crate::random::Random;
use crate::samples::{box_mesh, capsule, cloud, cone, cuboid, cylinder, half_space, hull};
use glam::DVec3;
use nonsmooth_geometry::FeatureKind;
use nonsmooth_geometry::spatial::{Contact, Pose, Shape, contacts};

/// A convex solid by its support function in its own frame: max of x·d.
type Support = Box<dyn Fn(DVec3) -> f64>;

fn of_points(points: Vec<[f64; 3]>) -> Support {
    Box::new(move |d| points.iter().map(|p| DVec3::from(*p).dot(d)).fold(f64::NEG_INFINITY, f64::max))
}

fn of_cylinder(half: f64, radius: f64) -> Support {
    Box::new(move |d| half * d.z.abs() + radius * d.truncate().length())
}

fn of_cone(half: f64, radius: f64) -> Support {
    Box::new(move |d| (half * d.z).max(radius * d.truncate().length() - half * d.z))
}

fn of_capsule(half: f64, radius: f64) -> Support {
    Box::new(move |d| half * d.z.abs() + radius * d.length())
}

/// A shape, and the same by its support function.
fn solids(random: &mut Random) -> Vec<(Shape, Support)> {
    let mut size = || random.between(0.3, 1.0);
    let (h, r, half) = (size(), size(), [size(), size(), size()]);
    let points = cloud(random, 12);
    vec![
        (cylinder(h, r), of_cylinder(h, r)),
        (cone(h, r), of_cone(h, r)),
        (capsule(h, r), of_capsule(h, r)),
        (cuboid(half), of_points(box_mesh(half).0)),
        (hull(&points), of_points(points)),
    ]
}

/// Two solids in the world, by their support functions.
struct Posed<'a>(&'a Support, &'a Pose, &'a Support, &'a Pose);

impl Posed<'_> {
    /// sep(n) = −h_A(n) − h_B(−n).
    fn separation(&self, n: DVec3) -> f64 {
        let Posed(a, pose_a, b, pose_b) = self;
        let apart = DVec3::from(pose_b.position) - DVec3::from(pose_a.position);
        apart.dot(n) - a(rotation(pose_a).inverse() * n) - b(rotation(pose_b).inverse() * -n)
    }

    /// The largest sep(n) found by a search that narrows down around the best of many directions.
    fn search(&self, random: &mut Random) -> f64 {
        let mut starts: Vec<(f64, DVec3)> = (0..1000)
            .map(|_| DVec3::from(random.direction()))
            .map(|n| (self.separation(n), n))
            .collect();
        starts.sort_by(|p, q| q.0.total_cmp(&p.0));
        let mut best = f64::NEG_INFINITY;
        for (mut value, mut n) in starts.into_iter().take(5) {
            let mut step = 0.1;
            while step > 1e-10 {
                let m = (n + step * DVec3::from(random.direction())).normalize();
                if self.separation(m) > value {
                    (value, n) = (self.separation(m), m);
                } else {
                    step *= 0.95;
                }
            }
            best = best.max(value);
        }
        best
    }
}

/// The distance is sep(n) of the normal given, so at most the largest; and no search finds a larger one.
#[test]
fn curved_pairs_have_the_largest_separation_of_all_directions() {
    let mut random = Random::new(40);
    for _ in 0..60 {
        let (first, second) = (solids(&mut random), solids(&mut random));
        for (a, support_a) in first.iter().take(2) {
            for (b, support_b) in &second {
                let (pose_a, pose_b) = (random.pose(0.2), random.pose(1.4));
                let mut out = Vec::new();
                contacts(a, &pose_a, b, &pose_b, 10.0, &mut out);
                let closest =
                    out.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)).expect("a contact");
                let posed = Posed(support_a, &pose_a, support_b, &pose_b);
                let attained = posed.separation(closest.normal.into());
                let searched = posed.search(&mut random);
                let show = || format!("{a:?} {pose_a:?} {b:?} {pose_b:?}: {closest:?} {searched}");
                assert!((closest.distance - attained).abs() < 3e-14, "{}", show());
                assert!(closest.distance >= searched - 1e-14, "{}", show());
            }
        }
    }
}

/// How far contacts are looked for [m].
const PREDICTION: f64 = 0.05;

fn found(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Vec<Contact> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, PREDICTION, &mut out);
    out
}

/// A leaning cylinder touches the ground with the lowest point of its rim, at any angle about its axis.
#[test]
fn a_leaning_cylinder_stands_on_its_rim() {
    let (h, r) = (0.4, 0.3);
    let grounds = [half_space([0.0, 0.0, 1.0]), cuboid([2.0, 2.0, 1.0])];
    for (ground, level) in grounds.iter().zip([0.0, 1.0]) {
        for k in 0..200 {
            let lean = 1e-6 * 10_f64.powf(f64::from(k % 20) * 0.3);
            let spin = Pose::turned([0.0; 3], [0.0, 0.0, 1.0], 0.031 * f64::from(k));
            let tilt = Pose::turned([0.0; 3], [0.0, 1.0, 0.0], lean);
            let turn = rotation(&tilt) * rotation(&spin);
            let height = level + h * lean.cos() + r * lean.sin() + 1e-4;
            let pose = Pose { position: [0.1, 0.2, height], rotation: [turn.w, turn.x, turn.y, turn.z] };
            let contacts = found(ground, &Pose::IDENTITY, &cylinder(h, r), &pose);
            let deepest =
                contacts.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)).expect("a contact");
            assert!((deepest.distance - 1e-4).abs() < 1e-14, "{lean} {contacts:?}");
            // Four corners, and the very deepest point beside them.
            assert!(contacts.len() <= 5, "{lean} {contacts:?}");
            // The lowest point of the rim is towards +x.
            let rim = world(&tilt, DVec3::new(r, 0.0, -h)) + DVec3::from(pose.position);
            assert!(DVec3::from(deepest.on_b()).distance(rim) < 1e-7, "{lean} {deepest:?} {rim}");
        }
    }
}

#[test]
fn an_upright_cylinder_stands_on_four_points_of_its_rim() {
    let pose = Pose::turned([0.3, -0.2, 0.501], [0.0, 0.0, 1.0], 0.7);
    for ground in [half_space([0.0, 0.0, 1.0]), cuboid([2.0, 2.0, 1e-12])] {
        let contacts = found(&ground, &Pose::IDENTITY, &cylinder(0.5, 0.4), &pose);
        assert_eq!(contacts.len(), 4, "{contacts:?}");
        for contact in contacts {
            let arm = DVec3::from(contact.point) - DVec3::from(pose.position);
            assert!((arm.truncate().length() - 0.4).abs() < 1e-12, "{contact:?}");
            assert!(contact.normal == [0.0, 0.0, 1.0] && (contact.distance - 0.001).abs() < 2e-12);
        }
    }
}

/// A lying cylinder rolls on two points, the ends of its line of contact, at any angle.
#[test]
fn a_lying_cylinder_touches_along_a_line() {
    let tipped = Pose::turned([0.0; 3], [1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2);
    for ground in [half_space([0.0, 0.0, 1.0]), cuboid([2.0, 2.0, 1e-12])] {
        for k in 0..100 {
            let roll = Pose::turned([0.0; 3], [0.0, 0.0, 1.0], 0.1 * f64::from(k));
            let turn = rotation(&tipped) * rotation(&roll);
            let pose = Pose { position: [0.0, 0.0, 0.301], rotation: [turn.w, turn.x, turn.y, turn.z] };
            let contacts = found(&ground, &Pose::IDENTITY, &cylinder(0.5, 0.3), &pose);
            assert_eq!(contacts.len(), 2, "{k} {contacts:?}");
            for contact in contacts {
                assert!(
                    (contact.distance - 0.001).abs() < 2e-12 && contact.point[0].abs() < 1e-12,
                    "{contact:?}"
                );
                assert!((contact.point[1].abs() - 0.5).abs() < 1e-12, "{contact:?}");
                assert!(DVec3::from(contact.normal).distance(DVec3::Z) < 5e-15, "{contact:?}");
            }
        }
    }
}

/// Crossed cylinders touch with their sides; the normal is that of both axes. Ends that are near are farther than that.
#[test]
fn crossed_cylinders_touch_with_their_sides() {
    let mut random = Random::new(41);
    for _ in 0..200 {
        let (r, s) = (random.between(0.1, 0.5), random.between(0.1, 0.5));
        let angle = random.between(0.2, 1.4);
        let gap = random.between(-0.01, 0.04);
        let across = Pose::turned([r + s + gap, 0.1, 0.1], [1.0, 0.0, 0.0], angle);
        let motion = random.pose(2.0);
        let pose = crate::samples::moved(&motion, &across);
        let contacts = found(&cylinder(1.0, r), &motion, &cylinder(1.0, s), &pose);
        let closest = contacts.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)).unwrap();
        assert!((closest.distance - gap).abs() < 1e-14, "{contacts:?} {gap}");
        let normal = rotation(&motion) * DVec3::X;
        assert!(DVec3::from(closest.normal).distance(normal) < 1e-14);
        let is_end = |contact: &Contact| {
            [contact.key.a, contact.key.b].map(|f| f.kind()).contains(&FeatureKind::Vertex)
        };
        assert!(contacts.iter().all(|contact| contact == closest || is_end(contact)), "{contacts:?}");
    }
}

/// Capsules within 10° of parallel that cross: beside the point of closest approach there are the ends that lie over the
/// other, each as far as a ball is from a capsule, and no others.
#[test]
fn ends_of_a_capsule_along_another_are_contacts() {
    let mut random = Random::new(43);
    for _ in 0..500 {
        let [r, s] = [0; 2].map(|_| random.between(0.1, 0.3));
        let halves = [1.0, random.between(0.5, 1.0)];
        let apart = [r + s + random.between(-0.05, 0.01), 0.0, random.between(-0.3, 0.3)];
        let motion = random.pose(2.0);
        let along = Pose::turned(apart, [1.0, 0.0, 0.0], random.between(1e-6, 0.17));
        let poses = [motion, crate::samples::moved(&motion, &along)];
        let solids = [capsule(halves[0], r), capsule(halves[1], s)];
        let mut expected = vec![apart[0] - (r + s)];
        for (this, other) in [(0, 1), (1, 0)] {
            for end in [-halves[this], halves[this]] {
                let p = world(&poses[this], DVec3::new(0.0, 0.0, end));
                let seen = rotation(&poses[other]).inverse() * (p - DVec3::from(poses[other].position));
                if seen.z.abs() < halves[other] {
                    expected.push(seen.truncate().length() - (r + s));
                }
            }
        }
        expected.retain(|d| *d <= PREDICTION);
        expected.sort_by(f64::total_cmp);
        let contacts = found(&solids[0], &poses[0], &solids[1], &poses[1]);
        let mut distances: Vec<f64> = contacts.iter().map(|contact| contact.distance).collect();
        distances.sort_by(f64::total_cmp);
        assert_eq!(distances.len(), expected.len(), "{contacts:?} {expected:?}");
        for (d, e) in distances.iter().zip(&expected) {
            assert!((d - e).abs() < 1e-13, "{contacts:?} {expected:?}");
        }
    }
}
