//! Shapes of the geometry crate for the forms of a robot: their masses, their distances, the corners of hulls.

use crate::robot::{Form, Frame, Mass};
use glam::{DMat3, DVec3};
use nonsmooth_geometry::files::Triangles;
use nonsmooth_geometry::spatial::{Pose, Shape};
use std::f64::consts::PI;

/// Most corners of a hull; of one with more those farthest in evenly spread directions are kept.
const MOST_CORNERS: usize = 128;

impl Form {
    /// The shape, or what is wrong with its sizes.
    pub fn shape(&self) -> Result<Shape, String> {
        let made = match self {
            Form::Ball { radius } => Shape::ball(*radius),
            Form::Box { half } => Shape::cuboid(half.to_array()),
            Form::Capsule { half, radius } => Shape::capsule(*half, *radius),
            Form::Cylinder { half, radius } => Shape::cylinder(*half, *radius),
            Form::HalfSpace => Shape::half_space([0.0, 0.0, 1.0]),
            Form::Hull { points } => Shape::hull(points),
        };
        made.map_err(|error| error.to_string())
    }

    /// The hull of points; the flag says whether corners were left out.
    pub fn hull(points: &[[f64; 3]]) -> Result<(Self, bool), String> {
        let corners = |points: &[[f64; 3]]| {
            Shape::hull(points).map(|hull| hull.describe().vertices).map_err(|error| error.to_string())
        };
        let all = corners(points)?;
        if all.len() <= MOST_CORNERS {
            return Ok((Form::Hull { points: all }, false));
        }
        let mut kept: Vec<usize> = (0..MOST_CORNERS).map(|k| farthest(&all, direction(k))).collect();
        kept.sort_unstable();
        kept.dedup();
        let few: Vec<[f64; 3]> = kept.into_iter().map(|i| all[i]).collect();
        Ok((Form::Hull { points: corners(&few)? }, true))
    }

    /// Mass properties at a density [kg/m³] in the frame of the form.
    pub fn mass(&self, density: f64) -> Result<Mass, String> {
        mass_of(&self.shape()?, density)
    }
}

/// Mass properties of a closed mesh; of its hull where it is open, which the flag says.
pub(crate) fn mesh_mass(mesh: &Triangles, density: f64) -> Result<(Mass, bool), String> {
    let closed = Shape::mesh(&mesh.vertices, &mesh.triangles).map_err(|error| error.to_string());
    match closed.and_then(|shape| mass_of(&shape, density)) {
        Ok(mass) => Ok((mass, false)),
        Err(_) => {
            let hull = Shape::hull(&mesh.vertices).map_err(|error| error.to_string())?;
            Ok((mass_of(&hull, density)?, true))
        }
    }
}

fn mass_of(shape: &Shape, density: f64) -> Result<Mass, String> {
    let m = shape.mass_properties(density).map_err(|error| error.to_string())?;
    let inertia = DMat3::from_cols_array_2d(&m.inertia);
    Ok(Mass { mass: m.mass, centre: DVec3::from_array(m.centre), inertia })
}

/// Direction k of evenly spread ones, on the spiral of Fibonacci.
fn direction(k: usize) -> DVec3 {
    let z = 1.0 - (2.0 * k as f64 + 1.0) / MOST_CORNERS as f64;
    let (sin, cos) = (PI * (3.0 - 5f64.sqrt()) * k as f64).sin_cos();
    let r = (1.0 - z * z).sqrt();
    DVec3::new(r * cos, r * sin, z)
}

fn farthest(points: &[[f64; 3]], along: DVec3) -> usize {
    let reach = |p: &[f64; 3]| DVec3::from_array(*p).dot(along);
    let best = |a: &usize, b: &usize| reach(&points[*a]).total_cmp(&reach(&points[*b]));
    (0..points.len()).max_by(best).unwrap_or(0)
}

/// Points of an ellipsoid: a hull that lies inside of it.
pub(crate) fn ellipsoid(half: DVec3) -> Vec<[f64; 3]> {
    (0..MOST_CORNERS).map(|k| (direction(k) * half).to_array()).collect()
}

/// The mass of an ellipsoid, I = m/5 (b² + c²) and so on.
pub(crate) fn ellipsoid_mass(half: DVec3, density: f64) -> Mass {
    let mass = density * 4.0 / 3.0 * PI * half.x * half.y * half.z;
    let s = half * half;
    let inertia = DMat3::from_diagonal(mass / 5.0 * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
    Mass { mass, centre: DVec3::ZERO, inertia }
}

impl Frame {
    pub fn pose(&self) -> Pose {
        let q = self.rotation;
        Pose { position: self.position.to_array(), rotation: [q.w, q.x, q.y, q.z] }
    }
}
