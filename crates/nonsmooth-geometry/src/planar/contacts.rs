//! The contact points of two posed shapes in the plane: one dispatcher over the kinds of shape.

use super::chain::{self, Chain, Overlap, drop_deeper};
use super::contact::{Contact, Sink};
use super::core::Core;
use super::pair::Pair;
use super::pose::{Isometry, Pose};
use super::reduce::reduce;
use super::shape::{Kind, Shape};
use crate::feature::Feature;
use glam::DVec2;
use smallvec::SmallVec;

/// Appends the contact points of a and b no farther apart than `prediction` [m], sorted by key.
///
/// A pure function of shapes and poses. The least distance is the signed distance of the shapes; a
/// flat patch has two points. A pose that is not finite gives no contacts.
pub fn contacts(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: f64,
    out: &mut Vec<Contact>,
) {
    let (world_from_a, world_from_b) = (pose_a.isometry(), pose_b.isometry());
    if !(world_from_a.is_finite() && world_from_b.is_finite()) {
        return;
    }
    let start = out.len();
    for_parts(a, &world_from_a, |part_a| {
        for_parts(b, &world_from_b, |part_b| of_parts(part_a, part_b, prediction, out));
    });
    reduce(out, start, a.outer_radius().min(b.outer_radius()));
}

/// The signed distance of two shapes [m]; infinite for two half-planes and for a pose that is not finite.
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let mut found = Vec::new();
    contacts(a, pose_a, b, pose_b, f64::MAX, &mut found);
    found.iter().map(|contact| contact.distance).fold(f64::INFINITY, f64::min)
}

/// A shape of one part, in the world.
#[derive(Clone, Copy)]
struct Posed<'a> {
    shape: &'a Shape,
    world_from_part: Isometry,
    part: u32,
}

fn for_parts<'a>(shape: &'a Shape, world_from_shape: &Isometry, mut visit: impl FnMut(Posed<'a>)) {
    match &shape.0 {
        Kind::Compound(compound) => {
            for ((isometry, shape), part) in compound.parts.iter().zip(0..) {
                visit(Posed { shape, world_from_part: world_from_shape.after(isometry), part });
            }
        }
        _ => visit(Posed { shape, world_from_part: *world_from_shape, part: 0 }),
    }
}

fn rank(shape: &Shape) -> u8 {
    match shape.0 {
        Kind::HalfPlane { .. } => 2,
        Kind::Chain(_) => 1,
        _ => 0,
    }
}

/// Points of a core in another frame.
type InFrame = SmallVec<[DVec2; 8]>;

fn of_parts(a: Posed<'_>, b: Posed<'_>, prediction: f64, out: &mut Vec<Contact>) {
    let is_swapped = rank(b.shape) > rank(a.shape);
    let (a, b) = if is_swapped { (b, a) } else { (a, b) };
    let (reach_a, reach_b) = (a.shape.outer_radius(), b.shape.outer_radius());
    let apart = (a.world_from_part.translation - b.world_from_part.translation).length();
    if apart > reach_a + reach_b + prediction {
        return;
    }
    let b_in_a = a.world_from_part.inverse_times(&b.world_from_part);
    let mut sink = Sink {
        out,
        world_from_work: a.world_from_part,
        is_swapped,
        prediction,
        radii: (0.0, 0.0),
        parts: (a.part, b.part),
    };
    let size = reach_a.min(reach_b);
    if let (Kind::Chain(chain_a), Kind::Chain(chain_b)) = (&a.shape.0, &b.shape.0) {
        return chains(chain_a, chain_b, &b_in_a, size, &mut sink);
    }
    if let (Kind::HalfPlane { normal }, Kind::Chain(chain)) = (&a.shape.0, &b.shape.0) {
        return half_plane(*normal, &chain.points, &b_in_a, &mut sink);
    }
    let Some((core, radius)) = b.shape.core() else { return };
    sink.radii.1 = radius;
    if let Kind::HalfPlane { normal } = a.shape.0 {
        return half_plane(normal, core.points, &b_in_a, &mut sink);
    }
    let points: InFrame = core.points.iter().map(|p| b_in_a.point(*p)).collect();
    let normals: InFrame = core.normals.iter().map(|n| b_in_a.vector(*n)).collect();
    let core = Core { points: &points, normals: &normals, link: None };
    match (&a.shape.0, a.shape.core()) {
        (Kind::Chain(chain), _) => with_core(chain, core, size, &|_| true, &mut sink),
        (_, Some((core_a, radius_a))) => {
            sink.radii.0 = radius_a;
            Pair { a: core_a, b: core, size }.contacts(&mut sink);
        }
        _ => {}
    }
}

/// Every corner of a shape has its own exact distance from a half-plane n·x ≤ 0.
fn half_plane(normal: DVec2, points: &[DVec2], isometry: &Isometry, sink: &mut Sink<'_>) {
    for (p, vertex) in points.iter().zip(0..) {
        let p = isometry.point(*p);
        let distance = normal.dot(p);
        sink.push(p - distance * normal, normal, distance, (Feature::edge(0), Feature::vertex(vertex)));
    }
}

/// The links near a core in the frame of the chain.
fn with_core(
    chain: &Chain,
    core: Core<'_>,
    size: f64,
    admits: &dyn Fn(DVec2) -> bool,
    sink: &mut Sink<'_>,
) {
    let reach = sink.limit();
    let low = core.points.iter().copied().reduce(DVec2::min).unwrap_or_default() - reach;
    let high = core.points.iter().copied().reduce(DVec2::max).unwrap_or_default() + reach;
    let start = sink.out.len();
    let mut overlaps: SmallVec<[Overlap; 16]> = SmallVec::new();
    chain.near(low, high, |link| {
        let first = sink.out.len();
        if let Some(side) = chain::contacts(link, core, size, admits, sink) {
            overlaps.extend(Overlap::new(link, side, first, sink));
        }
    });
    drop_deeper(&mut overlaps, size, start, sink.out);
}

/// Every link of the second chain as a core.
fn chains(a: &Chain, b: &Chain, b_in_a: &Isometry, size: f64, sink: &mut Sink<'_>) {
    for link in &b.links {
        let points = link.ends.map(|p| b_in_a.point(p));
        let normals = link.normals.map(|n| b_in_a.vector(n));
        let core = Core { points: &points, normals: &normals, link: Some(link) };
        with_core(a, core, size, &|n| link.admits(b_in_a.inverse_vector(-n)), sink);
    }
}
