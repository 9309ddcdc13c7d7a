//! Closed forms for a point p against a core: the signed distance, the outward normal and the
//! nearest point of the boundary. [Ericson05, sec. 5.1]
//!
//! Outside, the nearest point c is a projection and n = (p − c)/‖p − c‖, but where p lies over a face
//! or smooth side, n is that of the face. Inside, the nearest face or side counts.

use super::core::{Core, Triangle, radial};
use super::pair::Closest;
use glam::{DVec2, DVec3};

/// The closest points of a core at the origin and a point, if there is a closed form.
pub(crate) fn point(core: &Core<'_>, p: DVec3) -> Option<Closest> {
    let (normal, distance, on_a) = match *core {
        Core::Point => outward(p, DVec3::ZERO, || DVec3::Z),
        Core::Segment { half } => {
            let c = DVec3::new(0.0, 0.0, p.z.clamp(-half, half));
            outward(p, c, || DVec3::X)
        }
        Core::Cuboid { half } => cuboid(half, p),
        Core::Cylinder { half, radius } => cylinder(half, radius, p),
        Core::Cone { half, radius } => cone(half, radius, p),
        Core::Triangle(t) => triangle(t, p),
        Core::Hull(_) => return None,
    };
    Some(Closest { normal, distance, on_a, on_b: p })
}

type Nearest = (DVec3, f64, DVec3);

/// The normal from c to p; another one if they coincide.
fn outward(p: DVec3, c: DVec3, otherwise: impl FnOnce() -> DVec3) -> Nearest {
    let r = p - c;
    let distance = r.length();
    if distance > 0.0 { (r / distance, distance, c) } else { (otherwise(), 0.0, c) }
}

fn cuboid(half: DVec3, p: DVec3) -> Nearest {
    let beyond = p.abs() - half;
    let n_outside = beyond.to_array().iter().filter(|x| **x > 0.0).count();
    if n_outside > 1 {
        return outward(p, p.clamp(-half, half), || DVec3::Z);
    }
    // Over one face, or inside and then nearest to one.
    let k = if beyond.x >= beyond.y && beyond.x >= beyond.z {
        0
    } else {
        1 + usize::from(beyond.z > beyond.y)
    };
    let sign = if p[k] < 0.0 { -1.0 } else { 1.0 };
    let mut c = p;
    c[k] = sign * half[k];
    (DVec3::AXES[k] * sign, beyond[k], c)
}

/// In the half-plane (r, z) of p the cylinder is a rectangle.
fn cylinder(half: f64, radius: f64, p: DVec3) -> Nearest {
    let e = radial(p);
    let r = p.dot(e);
    let top = if p.z < 0.0 { -1.0 } else { 1.0 };
    let beyond = DVec2::new(r - radius, p.z.abs() - half);
    if beyond.x > 0.0 && beyond.y > 0.0 {
        return outward(p, radius * e + top * half * DVec3::Z, || e);
    }
    if beyond.x > beyond.y {
        (e, beyond.x, radius * e + p.z * DVec3::Z)
    } else {
        (top * DVec3::Z, beyond.y, r * e + top * half * DVec3::Z)
    }
}

/// In the half-plane (r, z) of p the cone is a triangle: the axis, the base and the side line.
fn cone(half: f64, radius: f64, p: DVec3) -> Nearest {
    let e = radial(p);
    let in_space = |q: DVec2| q.x * e + q.y * DVec3::Z;
    let q = DVec2::new(p.dot(e), p.z);
    let (rim, tip) = (DVec2::new(radius, -half), DVec2::new(0.0, half));
    let side = (tip - rim).normalize();
    let side_normal = DVec2::new(side.y, -side.x);
    let (under, over) = (-half - q.y, (q - rim).dot(side_normal));
    let along = (q - rim).dot(side);
    if under >= over && under <= 0.0 || (under > 0.0 && q.x <= radius) {
        return (-DVec3::Z, under, in_space(DVec2::new(q.x, -half)));
    }
    if along >= 0.0 && along <= (tip - rim).length() {
        return (in_space(side_normal), over, in_space(rim + along * side));
    }
    outward(p, in_space(if along < 0.0 { rim } else { tip }), || e)
}

fn triangle(t: &Triangle, p: DVec3) -> Nearest {
    let height = t.normal.dot(p - t.points[0]);
    let foot = p - height * t.normal;
    if t.covers(foot) {
        let sign = if height < 0.0 { -1.0 } else { 1.0 };
        return (sign * t.normal, height.abs(), foot);
    }
    let on_edge = |k: usize| {
        let (from, to) = (t.points[k], t.points[(k + 1) % 3]);
        let along = to - from;
        from + along * ((p - from).dot(along) / along.length_squared()).clamp(0.0, 1.0)
    };
    let nearest = (0..3)
        .map(on_edge)
        .reduce(|c, d| if p.distance_squared(d) < p.distance_squared(c) { d } else { c });
    outward(p, nearest.unwrap_or(foot), || t.normal)
}
