//! The broad phase against comparing every body with every other.

use crate::random::Random;
use crate::samples::{ball, half_space};
use nonsmooth_geometry::broad::{Bounds, BroadPhase, Groups};
use nonsmooth_geometry::spatial::{BallContacts, Balls, Contact, Pose, Shape, contacts};

/// A body's bounds and margin.
type Body = (Bounds, f64);

fn near((a, margin_a): Body, (b, margin_b): Body) -> bool {
    let finite = |low: [f64; 3], high: [f64; 3]| low.iter().chain(&high).all(|x| x.is_finite());
    match (a, b) {
        (Bounds::Box { low: l, high: h }, Bounds::Box { low: m, high: g }) => {
            let margin = margin_a + margin_b;
            finite(l, h)
                && finite(m, g)
                && (0..3).all(|k| l[k] <= g[k] + margin && m[k] <= h[k] + margin)
        }
        (Bounds::HalfSpace { normal, offset }, Bounds::Box { low, high }) => {
            let reach = |k: usize| {
                let ends = [normal[k] * (low[k] - margin_b), normal[k] * (high[k] + margin_b)];
                ends[0].min(ends[1])
            };
            finite(low, high) && (0..3).map(reach).sum::<f64>() <= offset + margin_a
        }
        (Bounds::Box { .. }, Bounds::HalfSpace { .. }) => near((b, margin_b), (a, margin_a)),
        _ => false,
    }
}

/// Those pairs are found that are near, in order.
fn check(bounds: &[Bounds], margins: &[f64], broad: &mut BroadPhase) -> usize {
    let mut found = Vec::new();
    broad.pairs(bounds, margins, |_, _| true, &mut found);
    let mut expected = Vec::new();
    for a in 0..bounds.len() {
        for b in a + 1..bounds.len() {
            if near((bounds[a], margins[a]), (bounds[b], margins[b])) {
                expected.push((a as u32, b as u32));
            }
        }
    }
    assert_eq!(found, expected);
    found.len()
}

fn random_box(random: &mut Random, place: f64, size: f64) -> Bounds {
    let low = random.vector(place);
    Bounds::Box { low, high: low.map(|x| x + random.between(0.0, size)) }
}

#[test]
fn boxes_of_all_sizes_are_paired_as_by_comparing_all() {
    let mut random = Random::new(80);
    let mut broad = BroadPhase::default();
    let mut n_pairs = 0;
    for round in 0..60 {
        let n = [3, 40, 400][round % 3];
        let ratio = [1.0, 8.0, 1e6][round / 3 % 3];
        let mut bounds: Vec<Bounds> = (0..n)
            .map(|_| {
                let size = random.between(0.0, 1.0).powi(4) * (ratio - 1.0) + 1.0;
                random_box(&mut random, 4.0 + 0.2 * ratio, size)
            })
            .collect();
        bounds.push(Bounds::HalfSpace { normal: random.direction(), offset: random.between(-3.0, 0.0) });
        bounds.push(Bounds::HalfSpace { normal: [0.0, 0.0, 1.0], offset: -1.0 });
        let margins: Vec<f64> = bounds.iter().map(|_| random.between(0.0, 0.3)).collect();
        n_pairs += check(&bounds, &margins, &mut broad);
    }
    assert!(n_pairs > 10_000, "{n_pairs}");
}

#[test]
fn odd_boxes_do_no_harm() {
    let mut random = Random::new(81);
    let mut bounds: Vec<Bounds> = (0..100).map(|_| random_box(&mut random, 3.0, 1.0)).collect();
    let at = |x: f64, size: f64| Bounds::Box { low: [x; 3], high: [x + size; 3] };
    // Points, the same box many times, the far away, the enormous, the lost.
    bounds.extend((0..40).map(|_| at(0.25, 0.0)));
    bounds.extend((0..40).map(|_| at(0.2, 0.5)));
    bounds.extend([at(1e9, 1.0), at(1e9, 1.0), at(-1e300, 1.0), at(-1e5, 2e5), at(f64::NAN, 1.0)]);
    bounds.push(Bounds::Box { low: [f64::NEG_INFINITY; 3], high: [f64::INFINITY; 3] });
    // Cells just before and after zero, where their numbers begin again.
    bounds.extend((0..40).map(|k| at(f64::from(k) * 0.5 - 10.0, 0.6)));
    let margins = vec![0.0; bounds.len()];
    assert!(check(&bounds, &margins, &mut BroadPhase::default()) > 1000);
}

/// Nothing is kept from an earlier call, and the order of the bodies changes nothing but their names.
#[test]
fn the_result_depends_on_the_arguments_alone() {
    let mut random = Random::new(82);
    let mut used = BroadPhase::default();
    for _ in 0..20 {
        let bounds: Vec<Bounds> = (0..200).map(|_| random_box(&mut random, 3.0, 1.0)).collect();
        let margins = vec![0.1; 200];
        let (mut first, mut second, mut turned) = (Vec::new(), Vec::new(), Vec::new());
        used.pairs(&bounds, &margins, |_, _| true, &mut first);
        BroadPhase::default().pairs(&bounds, &margins, |_, _| true, &mut second);
        assert_eq!(first, second);
        let back: Vec<Bounds> = bounds.iter().rev().copied().collect();
        used.pairs(&back, &margins, |_, _| true, &mut turned);
        let mut renamed: Vec<(u32, u32)> = turned.iter().map(|(a, b)| (199 - b, 199 - a)).collect();
        renamed.sort_unstable();
        assert_eq!(renamed, first);
    }
}

#[test]
fn the_caller_leaves_pairs_out() {
    let bounds = vec![Bounds::Box { low: [0.0; 3], high: [1.0; 3] }; 6];
    let (walls, grains) = (Groups { member_of: 1, meets: 2 }, Groups { member_of: 2, meets: 3 });
    let groups = [walls, walls, grains, grains, Groups::ALL, Groups { member_of: 4, meets: 4 }];
    let excluded = [(2, 3)];
    let keep = |a: u32, b: u32| {
        groups[a as usize].meet(groups[b as usize]) && excluded.binary_search(&(a, b)).is_err()
    };
    let mut out = Vec::new();
    BroadPhase::default().pairs(&bounds, &[0.0; 6], keep, &mut out);
    assert_eq!(out, [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4), (4, 5)]);
}

#[test]
fn many_balls_have_the_contacts_of_single_pairs() {
    let mut random = Random::new(83);
    let n = 500;
    let centres: Vec<[f64; 3]> = (0..n).map(|_| random.vector(3.0)).collect();
    let radii: Vec<f64> = (0..n).map(|_| random.between(0.1, 0.5)).collect();
    let margins: Vec<f64> = (0..n).map(|_| random.between(0.0, 0.1)).collect();
    let balls = Balls { centres: &centres, radii: &radii, margins: &margins };
    let (mut bounds, mut pairs, mut found) = (Vec::new(), Vec::new(), BallContacts::default());
    balls.bounds(&mut bounds);
    BroadPhase::default().pairs(&bounds, &margins, |_, _| true, &mut pairs);
    balls.contacts(&pairs, &mut found);
    let n_balls = found.bodies.len();
    assert!(n_balls > 500);
    let normal = random.direction();
    balls.contacts_with_half_space(n as u32, normal, 0.3, &mut found);
    let ground = half_space(normal);
    let ground_pose = Pose::at(normal.map(|x| 0.3 * x));
    let shapes: Vec<Shape> = radii.iter().map(|r| ball(*r)).collect();
    let mut expected: Vec<((u32, u32), Contact)> = Vec::new();
    let mut out = Vec::new();
    for a in 0..n {
        for b in a + 1..n {
            out.clear();
            let (p, q) = (Pose::at(centres[a]), Pose::at(centres[b]));
            contacts(&shapes[a], &p, &shapes[b], &q, margins[a] + margins[b], &mut out);
            expected.extend(out.iter().map(|contact| ((a as u32, b as u32), *contact)));
        }
    }
    assert_eq!(expected.len(), n_balls);
    for b in 0..n {
        out.clear();
        contacts(&ground, &ground_pose, &shapes[b], &Pose::at(centres[b]), margins[b], &mut out);
        expected.extend(out.iter().map(|contact| ((n as u32, b as u32), *contact)));
    }
    assert_eq!(expected.len(), found.bodies.len());
    for (k, (bodies, contact)) in expected.iter().enumerate() {
        assert_eq!(*bodies, found.bodies[k]);
        assert!((contact.distance - found.distances[k]).abs() < 1e-15);
        assert!((0..3).all(|i| (contact.point[i] - found.points[k][i]).abs() < 1e-15));
        assert!((0..3).all(|i| (contact.normal[i] - found.normals[k][i]).abs() < 1e-15));
    }
}
