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

/// Some bodies get other boxes; their pairs are those of a search from the beginning.
#[test]
fn pairs_of_few_bodies_are_those_of_a_full_search() {
    let mut random = Random::new(84);
    let mut broad = BroadPhase::default();
    let mut n_pairs = 0;
    for round in 0..60 {
        let n = [3, 60, 800][round % 3];
        let ratio = [1.0, 8.0, 1e4][round / 3 % 3];
        let boxed = |random: &mut Random| {
            let size = random.between(0.0, 1.0).powi(4) * (ratio - 1.0) + 1.0;
            random_box(random, 6.0 + 0.2 * ratio, size)
        };
        let mut bounds: Vec<Bounds> = (0..n).map(|_| boxed(&mut random)).collect();
        bounds.push(Bounds::HalfSpace { normal: random.direction(), offset: random.between(-3.0, 0.0) });
        bounds.push(Bounds::HalfSpace { normal: [0.0, 0.0, 1.0], offset: -1.0 });
        let mut margins: Vec<f64> = bounds.iter().map(|_| random.between(0.0, 0.3)).collect();
        let keep = |a: u32, b: u32| !(a + b).is_multiple_of(7);
        let (mut all, mut few) = (Vec::new(), Vec::new());
        broad.pairs(&bounds, &margins, keep, &mut all);
        for _ in 0..4 {
            let mut chosen: Vec<u32> = (0..4).map(|_| random.below(bounds.len()) as u32).collect();
            for &body in &chosen[..2] {
                let (new, margin) = (boxed(&mut random), random.between(0.0, 0.3));
                // Swept boxes too, and planes that become boxes.
                bounds[body as usize] =
                    if random.below(2) == 0 { new } else { new.swept(&boxed(&mut random)) };
                margins[body as usize] = margin;
                broad.replace(body, &bounds[body as usize], margin);
            }
            chosen.sort_unstable();
            chosen.dedup();
            broad.pairs_of(&chosen, keep, &mut few);
            let mut expected = Vec::new();
            BroadPhase::default().pairs(&bounds, &margins, keep, &mut expected);
            expected.retain(|(a, b)| chosen.contains(a) || chosen.contains(b));
            assert_eq!(few, expected, "{round}");
            n_pairs += few.len();
        }
    }
    assert!(n_pairs > 1000, "{n_pairs}");
}

#[test]
fn swept_bounds_hold_both_ends() {
    let at = |x: f64| Bounds::Box { low: [x; 3], high: [x + 1.0; 3] };
    assert_eq!(at(0.0).swept(&at(5.0)), Bounds::Box { low: [0.0; 3], high: [6.0; 3] });
    let plane = |normal: [f64; 3], offset: f64| Bounds::HalfSpace { normal, offset };
    let up = [0.0, 0.0, 1.0];
    assert_eq!(plane(up, 1.0).swept(&plane(up, 2.0)), plane(up, 2.0));
    // A half-space that turns may meet anything.
    let turned = plane(up, -10.0).swept(&plane([0.0, 1.0, 0.0], -10.0));
    let mut out = Vec::new();
    BroadPhase::default().pairs(&[turned, at(5.0)], &[0.0; 2], |_, _| true, &mut out);
    assert_eq!(out, [(0, 1)]);
}
