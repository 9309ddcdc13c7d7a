//! Mass, centre of mass and inertia of solids of uniform density ρ.
//!
//! Polyhedra by the divergence theorem: the tetrahedron from the origin to a triangle (p, q, r) has
//! the signed volume V = p·(q × r)/6, and with s = p + q + r
//!
//! ```text
//! ∫ x dV = V s/4,     ∫ x xᵀ dV = V (s sᵀ + p pᵀ + q qᵀ + r rᵀ)/20.
//! ```
//!
//! The inertia about the centre of mass c is I = ρ (tr(S) 1 − S) with S = ∫ x xᵀ dV − V c cᵀ. The
//! others have closed forms.

use super::shape::{Kind, Part, Shape};
use crate::error::MassError;
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// Mass, centre of mass and inertia of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the shape's frame [m].
    pub centre: [f64; 3],
    /// Inertia about the centre of mass in the shape's axes [kg·m²], symmetric.
    pub inertia: [[f64; 3]; 3],
}

/// Volume V, centre c and spread S = ∫ (x − c)(x − c)ᵀ dV of a solid.
#[derive(Clone, Copy)]
struct Solid {
    volume: f64,
    centre: DVec3,
    spread: DMat3,
}

/// Open edges named in an error.
const NAMED: usize = 5;

impl Shape {
    /// The mass properties of the solid with a density [kg/m³]. Parts of a compound that overlap count twice.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, MassError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(MassError::Density(density));
        }
        Ok(self.solid()?.properties(density))
    }

    fn solid(&self) -> Result<Solid, MassError> {
        Ok(match &self.0 {
            Kind::Ball { radius } => ball(*radius),
            Kind::Cuboid { half } => cuboid(*half),
            Kind::Capsule { half, radius } => capsule(*half, *radius),
            Kind::Cylinder { half, radius } => cylinder(*half, *radius),
            Kind::Cone { half, radius } => cone(*half, *radius),
            Kind::Hull(hull) => polyhedron(hull.centre, hull.triangles()),
            Kind::Mesh(mesh) => {
                let count = mesh.open_edges().count();
                if count > 0 {
                    return Err(MassError::Open {
                        count,
                        first: mesh.open_edges().take(NAMED).collect(),
                    });
                }
                let solid = polyhedron(mesh.points[0], mesh.corners());
                if !(solid.volume > 0.0) {
                    return Err(MassError::Volume { volume: solid.volume });
                }
                solid
            }
            Kind::HeightField(_) => return Err(MassError::NoVolume("height field")),
            Kind::HalfSpace { .. } => return Err(MassError::NoVolume("half-space")),
            Kind::Compound(compound) => {
                let solids: Result<Vec<Solid>, _> = compound.parts.iter().map(Part::solid).collect();
                joined(&solids?)
            }
        })
    }
}

impl Part {
    /// The solid of the part in the frame of the compound.
    fn solid(&self) -> Result<Solid, MassError> {
        let Solid { volume, centre, spread } = self.shape.solid()?;
        let r = self.isometry.rotation;
        Ok(Solid { volume, centre: self.isometry.point(centre), spread: r * spread * r.transpose() })
    }
}

impl Solid {
    /// Symmetric about its own axes, with its centre at height `centre` on z.
    fn diagonal(volume: f64, centre: f64, spread: DVec3) -> Self {
        Self { volume, centre: centre * DVec3::Z, spread: DMat3::from_diagonal(spread) }
    }

    fn properties(&self, density: f64) -> MassProperties {
        let s = self.spread;
        let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
        let inertia = density * (trace * DMat3::IDENTITY - s);
        let symmetric = 0.5 * (inertia + inertia.transpose());
        MassProperties {
            mass: density * self.volume,
            centre: self.centre.to_array(),
            inertia: symmetric.to_cols_array_2d(),
        }
    }
}

/// Several solids as one, by the parallel-axis theorem.
fn joined(solids: &[Solid]) -> Solid {
    let volume: f64 = solids.iter().map(|solid| solid.volume).sum();
    let centre = solids.iter().map(|solid| solid.volume * solid.centre).sum::<DVec3>() / volume;
    let spread = |solid: &Solid| {
        solid.spread + solid.volume * outer(solid.centre - centre, solid.centre - centre)
    };
    Solid { volume, centre, spread: solids.iter().map(spread).sum() }
}

fn outer(p: DVec3, q: DVec3) -> DMat3 {
    DMat3::from_cols(p * q.x, p * q.y, p * q.z)
}

fn ball(r: f64) -> Solid {
    let volume = 4.0 / 3.0 * PI * r.powi(3);
    Solid::diagonal(volume, 0.0, DVec3::splat(volume * r * r / 5.0))
}

fn cuboid(half: DVec3) -> Solid {
    let volume = 8.0 * half.x * half.y * half.z;
    Solid::diagonal(volume, 0.0, volume * half * half / 3.0)
}

fn cylinder(half: f64, r: f64) -> Solid {
    let volume = 2.0 * PI * r * r * half;
    let across = volume * r * r / 4.0;
    Solid::diagonal(volume, 0.0, DVec3::new(across, across, volume * half * half / 3.0))
}

/// A cylinder and two half balls, whose centres lie 3r/8 beyond its ends.
fn capsule(half: f64, r: f64) -> Solid {
    let (middle, ends) = (cylinder(half, r), ball(r));
    let across = middle.spread.x_axis.x + ends.spread.x_axis.x;
    let along = ends.volume * (r * r / 5.0 + half * half + 0.75 * half * r) + middle.spread.z_axis.z;
    Solid::diagonal(middle.volume + ends.volume, 0.0, DVec3::new(across, across, along))
}

/// Base at −half, tip at +half; the centre a quarter of the height above the base.
fn cone(half: f64, r: f64) -> Solid {
    let height = 2.0 * half;
    let volume = PI * r * r * height / 3.0;
    let across = volume * 3.0 * r * r / 20.0;
    let along = volume * 3.0 * height * height / 80.0;
    Solid::diagonal(volume, -0.5 * half, DVec3::new(across, across, along))
}

/// From tetrahedra with one corner at `origin`, a point near the body, so that no digits are lost.
fn polyhedron(origin: DVec3, triangles: impl Iterator<Item = [DVec3; 3]>) -> Solid {
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for corners in triangles {
        let [p, q, r] = corners.map(|x| x - origin);
        let v = p.dot(q.cross(r)) / 6.0;
        let s = p + q + r;
        volume += v;
        first += v / 4.0 * s;
        second += v / 20.0 * (outer(s, s) + outer(p, p) + outer(q, q) + outer(r, r));
    }
    let c = first / volume;
    Solid { volume, centre: origin + c, spread: second - volume * outer(c, c) }
}

impl MassProperties {
    /// Principal moments [kg·m²] in ascending order, and the rotation [w, x, y, z] that takes principal axes to
    /// the shape's axes. By Jacobi's method, which keeps equal moments exact. [GolubVanLoan]
    pub fn principal(&self) -> ([f64; 3], [f64; 4]) {
        let mut a = DMat3::from_cols_array_2d(&self.inertia);
        let mut axes = DMat3::IDENTITY;
        // Converges quadratically: six sweeps reach round-off, the rest do nothing.
        for _ in 0..12 {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                let turn = annihilate(&a, p, q);
                a = turn.transpose() * a * turn;
                axes *= turn;
            }
        }
        let mut order = [0, 1, 2];
        let moment = |k: usize| a.col(k)[k];
        order.sort_by(|&i, &j| moment(i).total_cmp(&moment(j)));
        let [x, y, _] = order.map(|k| axes.col(k));
        // The third by the cross product, so that the axes are right-handed.
        let q = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
        (order.map(moment), [q.w, q.x, q.y, q.z])
    }
}

/// The rotation in the plane (p, q) that makes a_pq zero.
fn annihilate(a: &DMat3, p: usize, q: usize) -> DMat3 {
    let off = a.col(q)[p];
    let mut turn = DMat3::IDENTITY;
    if off == 0.0 {
        return turn;
    }
    let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    turn.col_mut(p)[p] = c;
    turn.col_mut(q)[q] = c;
    turn.col_mut(q)[p] = t * c;
    turn.col_mut(p)[q] = -t * c;
    turn
}
