//! Shapes in the plane, against brute force and closed forms.

use crate::random::Random;
use glam::DVec2;
use nonsmooth_geometry::planar::{Contact, MassProperties, Pose, Shape, contacts, distance, frame};
use nonsmooth_geometry::{MassError, ShapeError};

fn made(shape: Result<Shape, ShapeError>) -> Shape {
    shape.expect("a sound shape")
}

fn pose(random: &mut Random, size: f64) -> Pose {
    let mut x = || random.between(-size, size);
    Pose { position: [x(), x()], angle: random.between(-4.0, 4.0) }
}

fn world(pose: &Pose, p: DVec2) -> DVec2 {
    DVec2::from_angle(pose.angle).rotate(p) + DVec2::from(pose.position)
}

fn found(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, prediction: f64) -> Vec<Contact> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, prediction, &mut out);
    out
}

fn least(contacts: &[Contact]) -> f64 {
    contacts.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min)
}

/// A rounded convex polygon: its corners counter-clockwise, and its radius.
type Round = (Vec<DVec2>, f64);

/// Shapes with their cores.
fn samples(random: &mut Random) -> Vec<(Shape, Round)> {
    let mut size = || random.between(0.2, 1.0);
    let (x, y, h, r) = (size(), size(), size(), size());
    let corners = [[-x, -y], [x, -y], [x, y], [-x, y]].map(DVec2::from).to_vec();
    // On an ellipse, so all of them are corners.
    let around: Vec<[f64; 2]> =
        (0..7).map(|k| [x * (0.9 * f64::from(k)).cos(), y * (0.9 * f64::from(k)).sin()]).collect();
    vec![
        (made(Shape::ball(r)), (vec![DVec2::ZERO], r)),
        (made(Shape::capsule(h, r)), (vec![DVec2::new(-h, 0.0), DVec2::new(h, 0.0)], r)),
        (made(Shape::rectangle([x, y])), (corners, 0.0)),
        (made(Shape::polygon(&around)), (around.into_iter().map(DVec2::from).collect(), 0.0)),
    ]
}

fn edges(points: &[DVec2]) -> Vec<(DVec2, DVec2)> {
    (0..points.len()).map(|k| (points[k], points[(k + 1) % points.len()])).collect()
}

/// Apart: least distance of corners from edges. Overlapping: least depth over all edge normals.
fn oracle(a: &[DVec2], b: &[DVec2]) -> f64 {
    let to_edge = |p: DVec2, (q, r): (DVec2, DVec2)| {
        if q == r {
            return p.distance(q);
        }
        p.distance(q + (r - q) * ((p - q).dot(r - q) / (r - q).length_squared()).clamp(0.0, 1.0))
    };
    let mut apart = f64::INFINITY;
    for (p, q) in [(a, b), (b, a)] {
        for corner in p {
            for edge in edges(q) {
                apart = apart.min(to_edge(*corner, edge));
            }
        }
    }
    let separation = |n: DVec2| {
        let far = a.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
        b.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min) - far
    };
    let normals =
        edges(a).into_iter().chain(edges(b)).filter_map(|(p, q)| (q - p).perp().try_normalize());
    let depth = normals.map(|n| separation(n).max(separation(-n))).fold(f64::NEG_INFINITY, f64::max);
    if depth > 0.0 || (a.len() == 1 && b.len() == 1) { apart } else { depth }
}

#[test]
fn convex_pairs_have_the_distance_of_brute_force() {
    let mut random = Random::new(100);
    for _ in 0..4000 {
        let (first, second) = (samples(&mut random), samples(&mut random));
        for (a, (core_a, r)) in &first {
            for (b, (core_b, s)) in &second {
                let (p, q) = (pose(&mut random, 0.3), pose(&mut random, 1.5));
                let in_world = |core: &[DVec2], pose: &Pose| {
                    core.iter().map(|x| world(pose, *x)).collect::<Vec<_>>()
                };
                let expected = oracle(&in_world(core_a, &p), &in_world(core_b, &q)) - r - s;
                let contacts = found(a, &p, b, &q, expected.max(0.0) + 0.1);
                let show = || format!("{a:?} {p:?} {b:?} {q:?}: {contacts:?} {expected}");
                assert!((least(&contacts) - expected).abs() < 1e-14, "{}", show());
                assert!(contacts.len() <= 2, "{}", show());
                assert!(contacts.iter().all(|c| (DVec2::from(c.normal).length() - 1.0).abs() < 1e-15));
            }
        }
    }
}

#[test]
fn swapping_and_moving_change_nothing_else() {
    let mut random = Random::new(101);
    for _ in 0..1000 {
        let (first, second) = (samples(&mut random), samples(&mut random));
        for (a, _) in &first {
            for (b, _) in &second {
                let (p, q) = (pose(&mut random, 0.3), pose(&mut random, 1.5));
                let there = found(a, &p, b, &q, 0.1);
                let mut back: Vec<Contact> =
                    found(b, &q, a, &p, 0.1).iter().map(Contact::swapped).collect();
                back.sort_by_key(|contact| contact.key);
                let motion = pose(&mut random, 10.0);
                let moved = |pose: &Pose| Pose {
                    position: world(&motion, pose.position.into()).to_array(),
                    angle: motion.angle + pose.angle,
                };
                let carried = found(a, &moved(&p), b, &moved(&q), 0.1);
                assert_eq!((there.len(), there.len()), (back.len(), carried.len()));
                for ((c, d), e) in there.iter().zip(&back).zip(&carried) {
                    assert_eq!((c.key, c.key), (d.key, e.key));
                    assert!(
                        (c.distance - d.distance).abs() < 1e-14
                            && (c.distance - e.distance).abs() < 1e-13
                    );
                    assert!(DVec2::from(c.point).distance(d.point.into()) < 1e-13);
                    assert!(world(&motion, c.point.into()).distance(e.point.into()) < 1e-13);
                    assert!(DVec2::from(c.normal).distance(d.normal.into()) < 1e-13);
                }
            }
        }
    }
}

/// Flat ground in links meets bodies like a half-plane, across joints and beside them.
#[test]
fn flat_chains_have_no_ghosts() {
    let mut random = Random::new(102);
    let plane = made(Shape::half_plane([0.0, 1.0]));
    let places: Vec<[f64; 2]> = (0..25).rev().map(|k| [0.25 * f64::from(k) - 3.0, 0.0]).collect();
    let grounds = [made(Shape::chain(&places, false)), made(Shape::height_field(&[0.0; 25], 0.25))];
    for ground in &grounds {
        for (body, _) in samples(&mut random) {
            for k in 0..600 {
                let tiny = [0.0, 1e-16, 1e-12, -1e-9, 1e-7, 1e-5][k % 6];
                let x = if k % 2 == 0 {
                    0.25 * (k % 7) as f64 - 0.75 + tiny
                } else {
                    random.between(-1.0, 1.0)
                };
                let angle = if k % 3 == 0 { 0.0 } else { random.between(-3.0, 3.0) };
                let mut pose = Pose { position: [x, 5.0], angle };
                let gap = [0.0, 1e-3, -1e-3, 1e-12][k % 4];
                pose.position[1] -= distance(&plane, &Pose::IDENTITY, &body, &pose) - gap;
                let expected = found(&plane, &Pose::IDENTITY, &body, &pose, 0.01);
                let contacts = found(ground, &Pose::IDENTITY, &body, &pose, 0.01);
                let show = || format!("{body:?} {pose:?} {gap}: {contacts:?} {expected:?}");
                assert_eq!(contacts.len(), expected.len(), "{}", show());
                assert!((least(&contacts) - least(&expected)).abs() < 1e-14, "{}", show());
                for contact in &contacts {
                    assert_eq!(contact.normal, [0.0, 1.0], "{}", show());
                    let near = |c: &Contact| DVec2::from(c.point).distance(contact.point.into()) < 1e-9;
                    assert!(expected.iter().any(near), "{}", show());
                }
            }
        }
    }
}

#[test]
fn a_closed_chain_is_as_far_as_its_polygon() {
    let mut random = Random::new(103);
    let loops = [[-1.0, -0.5], [0.8, -0.7], [1.1, 0.4], [-0.3, 0.9]];
    let (chain, solid) = (made(Shape::chain(&loops, true)), made(Shape::polygon(&loops)));
    for _ in 0..500 {
        for (body, _) in samples(&mut random) {
            let (p, q) = (pose(&mut random, 0.3), pose(&mut random, 2.5));
            let expected = distance(&solid, &p, &body, &q);
            if expected > 0.0 {
                let found = distance(&chain, &p, &body, &q);
                assert!((found - expected).abs() < 1e-14, "{body:?} {p:?} {q:?}: {found} {expected}");
            }
        }
        let (p, q) = (pose(&mut random, 0.3), pose(&mut random, 2.5));
        let expected = distance(&solid, &p, &solid, &q);
        if expected > 0.0 {
            let found = distance(&chain, &p, &chain, &q);
            assert!((found - expected).abs() < 1e-14, "{p:?} {q:?}: {found} {expected}");
        }
    }
}

/// Bodies that overlap a figure a little are told the same by its outline: how deep, and which way out.
#[test]
fn shallow_overlap_with_a_closed_chain_is_that_with_the_polygon() {
    let mut random = Random::new(104);
    let loops = [[-1.0, -0.5], [0.8, -0.7], [1.1, 0.4], [-0.3, 0.9]];
    let (chain, solid) = (made(Shape::chain(&loops, true)), made(Shape::polygon(&loops)));
    let deepest = |list: Vec<Contact>| list.into_iter().min_by(|p, q| p.distance.total_cmp(&q.distance));
    let (mut n_all, mut n_other) = (0, 0);
    for round in 0..600 {
        for (body, _) in samples(&mut random) {
            let mut pose = pose(&mut random, 3.0);
            let depth = [1e-9, 1e-6, 1e-2][round % 3];
            let first = deepest(found(&solid, &Pose::IDENTITY, &body, &pose, 10.0)).unwrap();
            if first.distance < 0.1 {
                continue;
            }
            for k in 0..2 {
                pose.position[k] -= (first.distance + depth) * first.normal[k];
            }
            let expected = deepest(found(&solid, &Pose::IDENTITY, &body, &pose, 0.0)).unwrap();
            let Some(contact) = deepest(found(&chain, &Pose::IDENTITY, &body, &pose, 0.0)) else {
                panic!("{body:?} {pose:?}: no contact, expected {expected:?}")
            };
            let turned = DVec2::from(contact.normal).distance(expected.normal.into());
            n_all += 1;
            n_other +=
                usize::from((contact.distance - expected.distance).abs() > 1e-12 || turned > 1e-6);
        }
    }
    assert!(n_all > 1000 && n_other * 200 < n_all, "{n_other} of {n_all}");
}

#[test]
fn a_wheel_on_a_ridge_and_in_a_valley() {
    let wheel = made(Shape::ball(0.5));
    let ridge = made(Shape::chain(&[[1.0, -1.0], [0.0, 0.0], [-1.0, -1.0]], false));
    let contacts = found(&ridge, &Pose::IDENTITY, &wheel, &Pose::at([0.0, 0.51]), 0.1);
    assert_eq!(contacts.len(), 1);
    assert!((contacts[0].distance - 0.01).abs() < 1e-15 && contacts[0].normal == [0.0, 1.0]);
    let valley = made(Shape::chain(&[[1.0, 1.0], [0.0, 0.0], [-1.0, 1.0]], false));
    let height = 0.5 * 2.0_f64.sqrt() + 0.01;
    let contacts = found(&valley, &Pose::IDENTITY, &wheel, &Pose::at([0.0, height]), 0.1);
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    assert!(contacts.iter().all(|c| (c.distance - 0.01 / 2.0_f64.sqrt()).abs() < 1e-15));
    // From below nothing is felt.
    assert!(found(&ridge, &Pose::IDENTITY, &wheel, &Pose::at([0.0, -1.5]), 0.1).is_empty());
}

#[test]
fn compounds_meet_part_by_part() {
    let bar = made(Shape::rectangle([0.5, 0.05]));
    let parts = [(Pose::at([-0.5, 0.0]), bar.clone()), (Pose::at([0.5, 0.0]), bar)];
    let beam = made(Shape::compound(&parts));
    let ground = made(Shape::half_plane([0.0, 2.0]));
    let contacts = found(&ground, &Pose::IDENTITY, &beam, &Pose::at([0.0, 0.051]), 0.01);
    // Of eight corners the two outer ones say all.
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    assert!(
        (contacts[0].point[0].abs() - 1.0).abs() < 1e-15
            && (contacts[1].point[0].abs() - 1.0).abs() < 1e-15
    );
    assert_eq!((contacts[0].key.b.part(), contacts[1].key.b.part()), (0, 1));
}

#[test]
fn masses_in_the_plane() {
    let properties = |shape: &Shape| shape.mass_properties(3.0).unwrap();
    let near = |p: MassProperties, mass: f64, inertia: f64| {
        assert!(
            (p.mass - mass).abs() < 1e-13 && (p.inertia - inertia).abs() < 1e-13,
            "{p:?} {mass} {inertia}"
        );
    };
    let pi = std::f64::consts::PI;
    near(properties(&made(Shape::ball(2.0))), 12.0 * pi, 24.0 * pi);
    near(properties(&made(Shape::rectangle([1.0, 0.5]))), 6.0, 6.0 * (4.0 + 1.0) / 12.0);
    // A rectangle of two triangles off the origin, as polygon and as closed chain.
    let corners = [[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0]];
    for shape in [made(Shape::polygon(&corners)), made(Shape::chain(&corners, true))] {
        near(properties(&shape), 6.0, 2.5);
        assert_eq!(properties(&shape).centre, [2.0, 1.5]);
    }
    // A capsule in many small pieces.
    let (h, r, n) = (0.7, 0.4, 2000);
    let outline: Vec<[f64; 2]> = (0..n)
        .map(|k| {
            let (sine, cosine) = (std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(n)).sin_cos();
            [r * cosine + h * cosine.signum(), r * sine]
        })
        .collect();
    let (fine, exact) =
        (properties(&made(Shape::polygon(&outline))), properties(&made(Shape::capsule(h, r))));
    // The error of the arcs is about (π/n)².
    assert!(
        (fine.mass / exact.mass - 1.0).abs() < 1e-5 && (fine.inertia / exact.inertia - 1.0).abs() < 1e-5
    );
    let refused = made(Shape::half_plane([1.0, 0.0])).mass_properties(1.0);
    assert_eq!(refused, Err(MassError::NoVolume("half-plane")));
    assert!(made(Shape::chain(&corners, false)).mass_properties(1.0).is_err());
}

#[test]
fn what_is_no_shape_is_refused() {
    assert!(matches!(Shape::ball(0.0), Err(ShapeError::NotPositive { .. })));
    assert!(matches!(Shape::rectangle([1.0, f64::NAN]), Err(ShapeError::NotPositive { .. })));
    assert!(matches!(Shape::half_plane([0.0; 2]), Err(ShapeError::NoDirection)));
    let line: Vec<[f64; 2]> = (0..5).map(|k| [f64::from(k), 2.0 * f64::from(k)]).collect();
    assert!(matches!(Shape::polygon(&line), Err(ShapeError::Flat(_))));
    assert!(matches!(Shape::polygon(&line[..2]), Err(ShapeError::TooFew { .. })));
    assert!(matches!(Shape::polygon(&[[1.0; 2]; 5]), Err(ShapeError::Flat(_))));
    assert!(matches!(
        Shape::polygon(&[[0.0; 2], [1.0, f64::NAN], [1.0; 2]]),
        Err(ShapeError::NotFinite { index: 1, .. })
    ));
    let clockwise = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
    assert!(matches!(Shape::chain(&clockwise, true), Err(ShapeError::Clockwise { .. })));
    assert!(matches!(
        Shape::chain(&[[0.0; 2], [0.0; 2]], false),
        Err(ShapeError::Degenerate { index: 0, .. })
    ));
    assert!(matches!(Shape::chain(&[[0.0; 2]], false), Err(ShapeError::TooFew { .. })));
    assert!(matches!(Shape::height_field(&[0.0], 1.0), Err(ShapeError::TooFew { .. })));
    assert!(matches!(Shape::compound(&[]), Err(ShapeError::Empty(_))));
    let lost = Pose { position: [f64::NAN, 0.0], angle: 0.0 };
    let ball = made(Shape::ball(1.0));
    assert!(found(&ball, &lost, &ball, &Pose::IDENTITY, 1.0).is_empty());
    assert_eq!(frame([0.6, 0.8]), [[0.6, 0.8], [-0.8, 0.6]]);
}
