//! What solids of density 1 weigh, alone and together.
//!
//! Parts with volume V, centre c and inertia I about it, turned by R and moved by x, make a body with
//! V = Σ V_k, V c = Σ V_k c_k and I = Σ R_k I_k R_kᵀ + V_k (d·d 1 − d dᵀ), d = c_k − c. In the plane only the last entry of I
//! has a meaning, and follows the same rule.

use super::shapes::Form;
use glam::{DMat3, DQuat, DVec3};
use nonsmooth_geometry::MassError;

/// Volume [m³] (in the plane area [m²]), centre and inertia about it, per density.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    pub(super) volume: f64,
    pub(super) centre: DVec3,
    pub(super) inertia: DMat3,
}

impl Solid {
    pub(super) fn of(form: &Form) -> Result<Self, MassError> {
        match form {
            Form::Plane(shape) => shape.mass_properties(1.0).map(|m| Self {
                volume: m.mass,
                centre: DVec3::new(m.centre[0], m.centre[1], 0.0),
                inertia: DMat3::from_diagonal(DVec3::splat(m.inertia)),
            }),
            Form::Space(shape) => shape.mass_properties(1.0).map(|m| Self {
                volume: m.mass,
                centre: DVec3::from_array(m.centre),
                inertia: DMat3::from_cols_array_2d(&m.inertia),
            }),
        }
    }

    /// The solid at another place.
    pub(super) fn transformed(&self, position: DVec3, rotation: DQuat) -> Self {
        let r = DMat3::from_quat(rotation);
        Self {
            volume: self.volume,
            centre: position + rotation * self.centre,
            inertia: r * self.inertia * r.transpose(),
        }
    }

    /// Several solids as one body.
    pub(super) fn joined(parts: &[Self]) -> Self {
        if let [one] = parts {
            return *one;
        }
        let volume: f64 = parts.iter().map(|part| part.volume).sum();
        let centre = parts.iter().map(|part| part.volume * part.centre).sum::<DVec3>() / volume;
        let about = |part: &Self| {
            let d = part.centre - centre;
            let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            part.inertia + (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * part.volume
        };
        Self { volume, centre, inertia: parts.iter().map(about).sum() }
    }
}

/// The rows of a symmetric matrix.
pub(super) fn rows(a: &DMat3) -> [[f64; 3]; 3] {
    let a = *a + a.transpose();
    (a * 0.5).to_cols_array_2d()
}
