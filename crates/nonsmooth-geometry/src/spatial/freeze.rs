//! Which feature of a shape in space a contact point lies on, as a point, line, plane, rim or side.
//!
//! Names tell most of them. Where a name stands for the whole of a convex shape, the outward normal
//! tells: that of a face, across an edge or side, or else that of a vertex or rim.

use super::contact::Contact;
use super::core::{SMOOTH, TIP, Triangle, cuboid_vertex};
use super::hull::Hull;
use super::outline::{CAP_CORNERS, RIM, SIDE, cap_corner, cuboid_edge_ends};
use super::shape::{Kind, Shape};
use super::surface::Surface;
use crate::feature::{Feature, FeatureKind};
use crate::frozen::{Detected, Form, FrozenContact, Side};
use crate::pose::Pose;
use glam::DVec3;

/// Angle [rad] within which a normal is that of a face, or at right angles to an edge.
const NEAR: f64 = 1e-8;

/// The contact with its features as they are: `contact` must come from [`contacts`](super::contacts) of these shapes and poses.
pub fn freeze(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, contact: &Contact) -> FrozenContact {
    let at = [pose_a.isometry(), pose_b.isometry()];
    let normal = DVec3::from_array(contact.normal);
    let detected = Detected {
        point: DVec3::from_array(contact.point),
        normal,
        distance: contact.distance,
        size: a.outer_radius().min(b.outer_radius()),
    };
    let side = |shape: &Shape, feature: Feature, k: usize, on: [f64; 3], outward: DVec3| {
        let place = Place {
            point: at[k].inverse_point(DVec3::from_array(on)),
            outward: at[k].inverse_vector(outward),
        };
        shape.side(feature, &place)
    };
    FrozenContact::new(
        side(a, contact.key.a, 0, contact.on_a(), normal),
        side(b, contact.key.b, 1, contact.on_b(), -normal),
        &at,
        &detected,
    )
}

/// A point of the surface and the unit direction out of it, in the frame of the shape.
struct Place {
    point: DVec3,
    outward: DVec3,
}

impl Place {
    /// The plane of a face; but where the normal is another and belongs to an edge or vertex at this point, those.
    fn face_or(&self, normal: DVec3, origin: DVec3, other: impl FnOnce() -> Side) -> Side {
        let plane = Side::plane(origin, normal, 0.0);
        if normal.distance(self.outward) <= NEAR {
            return plane;
        }
        let other = other();
        let size = self.point.distance(origin) + self.point.length();
        let is_here = match other.form {
            // The origin of a line is the foot of the point.
            Form::Point | Form::Line => other.origin.distance(self.point) <= NEAR * size,
            Form::Plane | Form::Rim | Form::Ruled => false,
        };
        if is_here { other } else { plane }
    }
}

impl Shape {
    fn side(&self, feature: Feature, place: &Place) -> Side {
        let name = (feature.kind(), feature.index());
        match &self.0 {
            Kind::Ball { radius } => Side::point(DVec3::ZERO, *radius),
            Kind::Capsule { half, radius } => capsule(*half, *radius, name, place),
            Kind::Cuboid { half } => cuboid(*half, name, place),
            Kind::Cylinder { half, radius } => cylinder(*half, *radius, name, place),
            Kind::Cone { half, radius } => cone(*half, *radius, name, place),
            Kind::Hull(hull) => of_hull(hull, name, place),
            Kind::HalfSpace { normal } => Side::plane(DVec3::ZERO, *normal, 0.0),
            Kind::Mesh(mesh) => of_surface(&Surface::Mesh(mesh), name, place),
            Kind::HeightField(field) => of_surface(&Surface::Field(field), name, place),
            Kind::Compound(compound) => {
                let Some(part) = compound.parts.get(feature.part() as usize) else {
                    return Side::point(place.point, 0.0);
                };
                let own = Place {
                    point: part.isometry.inverse_point(place.point),
                    outward: part.isometry.inverse_vector(place.outward),
                };
                part.shape.side(Feature::from_code(feature.code()), &own).transformed(&part.isometry)
            }
        }
    }
}

type Name = (FeatureKind, u32);

fn capsule(half: f64, radius: f64, name: Name, place: &Place) -> Side {
    let end = |z: f64| Side::point(z * DVec3::Z, radius);
    match name {
        (FeatureKind::Vertex, 0) => end(-half),
        (FeatureKind::Vertex, _) => end(half),
        (FeatureKind::Face, _) if place.outward.z.abs() > NEAR => end(half.copysign(place.outward.z)),
        _ => Side::line(-half * DVec3::Z, half * DVec3::Z, place.point, radius),
    }
}

fn cuboid(half: DVec3, name: Name, place: &Place) -> Side {
    match name {
        (FeatureKind::Vertex, bits) => Side::point(cuboid_vertex(half, bits).0, 0.0),
        (FeatureKind::Edge, edge) => {
            let [p, q] = cuboid_edge_ends(half, edge);
            Side::line(p, q, place.point, 0.0)
        }
        (FeatureKind::Face, SMOOTH) => cuboid_by_normal(half, place),
        (FeatureKind::Face, face) => {
            let sign = if face % 2 == 1 { 1.0 } else { -1.0 };
            let normal = sign * DVec3::AXES[(face / 2) as usize % 3];
            place.face_or(normal, half * normal, || cuboid_by_normal(half, place))
        }
    }
}

fn cuboid_by_normal(half: DVec3, place: &Place) -> Side {
    let n = place.outward;
    let corner = DVec3::new(half.x.copysign(n.x), half.y.copysign(n.y), half.z.copysign(n.z));
    let faces = [0, 1, 2].map(|k| n[k].abs() > NEAR);
    match faces {
        [true, false, false] => Side::plane(corner, DVec3::X * n.x.signum(), 0.0),
        [false, true, false] => Side::plane(corner, DVec3::Y * n.y.signum(), 0.0),
        [false, false, true] => Side::plane(corner, DVec3::Z * n.z.signum(), 0.0),
        [true, true, true] => Side::point(corner, 0.0),
        _ => {
            let k = faces.iter().position(|is_face| !is_face).unwrap_or(0);
            Side::line(corner, corner + DVec3::AXES[k], place.point, 0.0)
        }
    }
}

/// The straight line between two corners that stand for a rim.
fn chord(z: f64, radius: f64, edge: u32, place: &Place) -> Side {
    let first = edge - edge % CAP_CORNERS;
    let ends = [edge, first + (edge + 1) % CAP_CORNERS].map(|k| cap_corner(z, radius, k));
    Side::line(ends[0], ends[1], place.point, 0.0)
}

fn cylinder(half: f64, radius: f64, name: Name, place: &Place) -> Side {
    let z = |top: bool| if top { half } else { -half };
    let cap = |top: bool| {
        let normal = if top { DVec3::Z } else { -DVec3::Z };
        Side::plane(half * normal, normal, 0.0)
    };
    let (up, side) = (place.outward.z > 0.0, Side::ruled(-half, radius, 0.0));
    let tilt = place.outward.z.abs();
    match name {
        (FeatureKind::Vertex, rim) if rim == RIM[0] => Side::rim(-half, radius),
        (FeatureKind::Vertex, rim) if rim == RIM[1] => Side::rim(half, radius),
        (FeatureKind::Vertex, k) => Side::point(cap_corner(z(k >= CAP_CORNERS), radius, k), 0.0),
        (FeatureKind::Edge, SIDE) => side,
        (FeatureKind::Edge, k) => chord(z(k >= CAP_CORNERS), radius, k, place),
        (FeatureKind::Face, SMOOTH) if tilt <= NEAR => side,
        (FeatureKind::Face, SMOOTH) if place.outward.truncate().length() <= NEAR => cap(up),
        (FeatureKind::Face, SMOOTH) => Side::rim(z(up), radius),
        (FeatureKind::Face, top) => cap(top == 1),
    }
}

fn cone(half: f64, radius: f64, name: Name, place: &Place) -> Side {
    let sine = radius / radius.hypot(2.0 * half);
    let (rim, side) = (Side::rim(-half, radius), Side::ruled(-half, radius, sine));
    let (tip, base) = (Side::point(half * DVec3::Z, 0.0), Side::plane(-half * DVec3::Z, -DVec3::Z, 0.0));
    let z = place.outward.z;
    match name {
        (FeatureKind::Vertex, TIP) => tip,
        (FeatureKind::Vertex, k) if k == RIM[0] => rim,
        (FeatureKind::Vertex, k) => Side::point(cap_corner(-half, radius, k), 0.0),
        (FeatureKind::Edge, SIDE) => side,
        (FeatureKind::Edge, k) => chord(-half, radius, k, place),
        (FeatureKind::Face, SMOOTH) if (z - sine).abs() <= NEAR => side,
        (FeatureKind::Face, SMOOTH) if z > sine => tip,
        (FeatureKind::Face, SMOOTH) if place.outward.truncate().length() > NEAR => rim,
        (FeatureKind::Face, _) => base,
    }
}

fn of_hull(hull: &Hull, name: Name, place: &Place) -> Side {
    let point = |vertex: u32| Side::point(hull.points[vertex as usize], 0.0);
    let line = |edge: u32| {
        let [p, q] = hull.edges[edge as usize].map(|i| hull.points[i as usize]);
        Side::line(p, q, place.point, 0.0)
    };
    let plane = |face: u32| {
        let face = &hull.faces[face as usize];
        Side::plane(face.offset * face.normal, face.normal, 0.0)
    };
    let by_normal = || {
        let n = place.outward;
        let vertex = hull.support(n);
        let around = hull.around(vertex as usize);
        let is_flat = |face: u32| hull.faces[face as usize].normal.distance(n) <= NEAR;
        let is_level = |edge: u32| line(edge).axis.dot(n).abs() <= NEAR;
        let face = around.iter().map(|(face, _)| *face).find(|face| is_flat(*face));
        let edge = around.iter().map(|(_, edge)| *edge).find(|edge| is_level(*edge));
        face.map(plane).or(edge.map(line)).unwrap_or_else(|| point(vertex))
    };
    match name {
        (FeatureKind::Vertex, vertex) => point(vertex),
        (FeatureKind::Edge, edge) => line(edge),
        (FeatureKind::Face, SMOOTH) => by_normal(),
        (FeatureKind::Face, face) => {
            let Side { axis, origin, .. } = plane(face);
            place.face_or(axis, origin, by_normal)
        }
    }
}

fn of_surface(surface: &Surface<'_>, name: Name, place: &Place) -> Side {
    match name {
        (FeatureKind::Vertex, vertex) => Side::point(surface.vertex(vertex), 0.0),
        (FeatureKind::Edge, edge) => {
            let [p, q] = surface.edge_ends(edge);
            Side::line(p, q, place.point, 0.0)
        }
        (FeatureKind::Face, index) => of_triangle(&surface.triangle(index), place),
    }
}

/// The face, or the edge or vertex of it at this point where the normal is another.
fn of_triangle(t: &Triangle, place: &Place) -> Side {
    let n = place.outward;
    let line = |k: usize| Side::line(t.points[k], t.points[(k + 1) % 3], place.point, 0.0);
    place.face_or(t.normal, t.points[0], || {
        let by_height = |p: &&DVec3, q: &&DVec3| p.dot(n).total_cmp(&q.dot(n));
        let highest = *t.points.iter().max_by(by_height).unwrap_or(&t.points[0]);
        let size = highest.distance(place.point);
        let is_level = |k: &usize| {
            let side = line(*k);
            side.axis.dot(n).abs() <= NEAR && (highest - side.origin).dot(n) <= NEAR * size
        };
        (0..3).find(is_level).map_or(Side::point(highest, 0.0), line)
    })
}
