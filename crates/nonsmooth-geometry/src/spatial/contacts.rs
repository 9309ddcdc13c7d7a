//! The contact points of two posed shapes: one dispatcher over the kinds of shape.
//!
//! A pure function of shapes and poses: nothing is kept from call to call. All work is done in the
//! frame of one of the shapes, so that a common rigid motion of both changes nothing but round-off.

use super::contact::{Contact, Sink};
use super::core::Core;
use super::near::Near;
use super::pair::Pair;
use super::patch::{certifies, patch, patch_and_closest, push_closest};
use super::reduce::reduce;
use super::shape::{Kind, Shape};
use super::surface::Surface;
use super::{ball, half_space, nearest, sat};
use crate::pose::{Isometry, Pose};

/// Appends the contact points of a and b no farther apart than `prediction` [m], sorted by key.
///
/// The least distance is the signed distance of the shapes; the points of a flat patch are few and
/// span it. With no point within the prediction, nothing is appended. A pose that is not finite
/// gives no contacts.
pub fn contacts(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    prediction: f64,
    out: &mut Vec<Contact>,
) {
    if ball::contacts(a, pose_a, b, pose_b, prediction, out) {
        return;
    }
    let (world_from_a, world_from_b) = (pose_a.isometry(), pose_b.isometry());
    if !(world_from_a.is_finite() && world_from_b.is_finite()) {
        return;
    }
    let start = out.len();
    let mut each_b = |a: Posed<'_>| match &b.0 {
        Kind::Compound(compound) => {
            for (part, index) in compound.parts.iter().zip(0..) {
                let world_from_part = world_from_b.after(&part.isometry);
                of_parts(a, Posed { shape: &part.shape, world_from_part, part: index }, prediction, out);
            }
        }
        _ => of_parts(a, Posed { shape: b, world_from_part: world_from_b, part: 0 }, prediction, out),
    };
    match &a.0 {
        Kind::Compound(compound) => {
            for (part, index) in compound.parts.iter().zip(0..) {
                let world_from_part = world_from_a.after(&part.isometry);
                each_b(Posed { shape: &part.shape, world_from_part, part: index });
            }
        }
        _ => each_b(Posed { shape: a, world_from_part: world_from_a, part: 0 }),
    }
    reduce(out, start, a.outer_radius().min(b.outer_radius()));
}

/// The signed distance of two shapes [m]; infinite for two half-spaces and for a pose that is not finite.
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

impl Posed<'_> {
    /// The shape of higher rank lends its frame.
    fn rank(&self) -> u8 {
        match self.shape.0 {
            Kind::HalfSpace { .. } => 9,
            Kind::HeightField(_) => 8,
            Kind::Mesh(_) => 7,
            Kind::Hull(_) => 6,
            Kind::Cylinder { .. } => 5,
            Kind::Cone { .. } => 4,
            Kind::Cuboid { .. } => 3,
            Kind::Capsule { .. } => 2,
            Kind::Ball { .. } => 1,
            Kind::Compound(_) => 0,
        }
    }
}

fn of_parts(a: Posed<'_>, b: Posed<'_>, prediction: f64, out: &mut Vec<Contact>) {
    let is_swapped = b.rank() > a.rank();
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
    match (&a.shape.0, a.shape.surface(), b.shape.surface(), b.shape.core()) {
        (Kind::HalfSpace { normal }, _, Some(surface), _) => {
            half_space::with_surface(*normal, &surface, &b_in_a, &mut sink);
        }
        (Kind::HalfSpace { normal }, _, _, Some((core, radius))) => {
            sink.radii.1 = radius;
            half_space::contacts(*normal, &core, &b_in_a, &mut sink);
        }
        (_, Some(surface), Some(other), _) => surfaces(surface, other, &b_in_a, size, &mut sink),
        (_, Some(surface), _, Some((core, radius))) => {
            sink.radii.1 = radius;
            Near { surface, core, isometry: b_in_a, size, other: None }.contacts(&mut sink);
        }
        (_, _, _, Some((core, radius))) => {
            let Some((core_a, radius_a)) = a.shape.core() else { return };
            sink.radii = (radius_a, radius);
            convex(&Pair { a: core_a, b: core, b_in_a, size }, &mut sink);
        }
        // Two half-spaces: both unbounded, hence both fixed.
        _ => {}
    }
}

/// Every triangle of the second surface that is near the first, as a core.
fn surfaces(
    surface: Surface<'_>,
    other: Surface<'_>,
    b_in_a: &Isometry,
    size: f64,
    sink: &mut Sink<'_>,
) {
    let (low, high) = surface.extent_in(b_in_a);
    let reach = sink.limit();
    other.near(low - reach, high + reach, |index| {
        let triangle = other.triangle(index);
        let core = Core::Triangle(&triangle);
        Near { surface, core, isometry: *b_in_a, size, other: Some(other) }.contacts(sink);
    });
}

/// Two convex cores.
fn convex(pair: &Pair<'_>, sink: &mut Sink<'_>) {
    let limit = sink.limit();
    if let Core::Point = pair.b {
        let closed_form = nearest::point(&pair.a, pair.b_in_a.translation);
        if let Some(closest) = closed_form.or_else(|| pair.closest(limit)) {
            push_closest(pair, &closest, sink);
        }
        return;
    }
    if sat::applies(pair) {
        let best = sat::deepest(pair);
        if best.distance > limit {
            return;
        }
        let start = sink.out.len();
        let least = patch(pair, best.normal, sink);
        if certifies(least, best.distance, pair.size) {
            return;
        }
        if best.distance <= 0.0 {
            return push_closest(pair, &best, sink);
        }
        // The axis is not the direction of closest approach: its patch is void.
        sink.out.truncate(start);
    }
    if let Some(closest) = pair.closest_by_iteration(limit) {
        patch_and_closest(pair, &closest, sink);
    }
}
