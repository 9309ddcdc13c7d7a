//! Bodies of a frame: all triangles at their poses, with what is known of the body at each point.

use super::Body;
use super::piece::{Array, Kind, Piece};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::SurfaceMesh;
use std::io::{self, Write};

/// Writes the file of a frame.
pub(super) fn write(t: f64, bodies: &[Body<'_>], to: &mut dyn Write) -> io::Result<()> {
    let surfaces = || bodies.iter().filter_map(|body| body.surface);
    let n_points = bodies.iter().map(points_of).sum();
    let n_vertices = bodies.iter().filter(|body| body.surface.is_none()).count() as u64;
    let n_triangles = surfaces().map(|surface| surface.triangles.len() as u64).sum();
    let per_point = |name, components, value: fn(usize, &Body<'_>) -> Vec<f64>| Array {
        name,
        kind: Kind::Float32,
        components,
        tuples: n_points,
        write: Box::new(move |to| repeat(bodies, |k, body| singles(&value(k, body)), to)),
    };
    let number = Array {
        write: Box::new(move |to| repeat(bodies, |k, _| (k as i32).to_le_bytes().to_vec(), to)),
        kind: Kind::Int32,
        ..per_point("body", 1, |_, _| Vec::new())
    };
    let integers = |name, tuples, write| Array { name, kind: Kind::Int32, components: 1, tuples, write };
    let piece = Piece {
        t,
        n_points,
        n_vertices,
        n_triangles,
        points: Array {
            name: "Points",
            kind: Kind::Float32,
            components: 3,
            tuples: n_points,
            write: Box::new(move |to| places(bodies, to)),
        },
        active: ("speed", "velocity"),
        data: vec![
            number,
            per_point("velocity", 3, |_, body| body.velocity.to_vec()),
            per_point("angular_velocity", 3, |_, body| body.angular_velocity.to_vec()),
            per_point("speed", 1, |_, body| vec![DVec3::from_array(body.velocity).length()]),
            per_point("kinetic_energy", 1, |_, body| vec![body.kinetic_energy]),
            per_point("orientation", 4, |_, body| {
                let [x, y, z, w] = quaternion(body).to_array();
                vec![w, x, y, z]
            }),
        ],
        vertices: [
            integers("connectivity", n_vertices, Box::new(move |to| single_points(bodies, to))),
            integers("offsets", n_vertices, Box::new(move |to| count(n_vertices, 1, to))),
        ],
        triangles: [
            integers("connectivity", 3 * n_triangles, Box::new(move |to| corners(bodies, to))),
            integers("offsets", n_triangles, Box::new(move |to| count(n_triangles, 3, to))),
        ],
    };
    piece.write(to)
}

fn points_of(body: &Body<'_>) -> u64 {
    body.surface.map_or(1, |surface| surface.vertices.len() as u64)
}

fn quaternion(body: &Body<'_>) -> DQuat {
    let [w, x, y, z] = body.pose.rotation;
    DQuat::from_xyzw(x, y, z, w).normalize()
}

fn singles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect()
}

/// The same bytes for every point of a body.
fn repeat(
    bodies: &[Body<'_>],
    value: impl Fn(usize, &Body<'_>) -> Vec<u8>,
    to: &mut dyn Write,
) -> io::Result<()> {
    for (k, body) in bodies.iter().enumerate() {
        let bytes = value(k, body);
        for _ in 0..points_of(body) {
            to.write_all(&bytes)?;
        }
    }
    Ok(())
}

fn places(bodies: &[Body<'_>], to: &mut dyn Write) -> io::Result<()> {
    const ORIGIN: &[[f64; 3]] = &[[0.0; 3]];
    for body in bodies {
        let (turn, shift) = (quaternion(body), DVec3::from_array(body.pose.position));
        for p in body.surface.map_or(ORIGIN, |surface| &surface.vertices) {
            to.write_all(&singles(&(turn * DVec3::from_array(*p) + shift).to_array()))?;
        }
    }
    Ok(())
}

/// Numbers of the points of bodies without surface.
fn single_points(bodies: &[Body<'_>], to: &mut dyn Write) -> io::Result<()> {
    with_first(bodies, |first, surface| {
        if surface.is_none() { to.write_all(&(first as i32).to_le_bytes()) } else { Ok(()) }
    })
}

fn corners(bodies: &[Body<'_>], to: &mut dyn Write) -> io::Result<()> {
    with_first(bodies, |first, surface| {
        for v in surface.iter().flat_map(|surface| surface.triangles.iter().flatten()) {
            to.write_all(&((first + u64::from(*v)) as i32).to_le_bytes())?;
        }
        Ok(())
    })
}

/// Calls `visit` with the number of each body's first point.
fn with_first(
    bodies: &[Body<'_>],
    mut visit: impl FnMut(u64, Option<&SurfaceMesh>) -> io::Result<()>,
) -> io::Result<()> {
    let mut first = 0;
    for body in bodies {
        visit(first, body.surface)?;
        first += points_of(body);
    }
    Ok(())
}

/// Ends of cells of equal size.
pub(super) fn count(n: u64, size: u64, to: &mut dyn Write) -> io::Result<()> {
    (1..=n).try_for_each(|k| to.write_all(&((k * size) as i32).to_le_bytes()))
}
