//! Rotations of rigid bodies, and symmetric 3 × 3 matrices.
//!
//! ```text
//! R(q) x = q x q*,   q⁺ = q exp(h ω/2),   exp(a) = (cos‖a‖, sin‖a‖ a/‖a‖)        ω in body axes
//! ```

use glam::{DMat3, DQuat, DVec3};

/// A symmetric matrix by its entries xx, yy, zz, xy, xz, yz.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Symmetric(pub [f64; 6]);

impl Symmetric {
    /// The matrix with these rows, of which the upper half is read.
    pub fn from_rows(a: &[[f64; 3]; 3]) -> Self {
        Self([a[0][0], a[1][1], a[2][2], a[0][1], a[0][2], a[1][2]])
    }

    /// A x.
    #[inline]
    pub fn times(&self, x: DVec3) -> DVec3 {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        DVec3::new(
            xx * x.x + xy * x.y + xz * x.z,
            xy * x.x + yy * x.y + yz * x.z,
            xz * x.x + yz * x.y + zz * x.z,
        )
    }

    /// As a matrix.
    pub fn matrix(&self) -> DMat3 {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }

    /// R A Rᵀ.
    #[inline]
    pub fn rotated(&self, rotation: &DMat3) -> Self {
        // Balls and cubes have A = a I, which no rotation changes.
        if self.is_round() {
            return *self;
        }
        Self::of(&(*rotation * self.matrix() * rotation.transpose()))
    }

    /// Adds the symmetric part of what a turn makes of the moment a × f of a force at an arm that turns: ½ (a fᵀ + f aᵀ) − (a·f) 1.
    #[inline]
    pub fn add_turned(&mut self, a: DVec3, f: DVec3) {
        let [xx, yy, zz, xy, xz, yz] = &mut self.0;
        *xx -= a.y * f.y + a.z * f.z;
        *yy -= a.x * f.x + a.z * f.z;
        *zz -= a.x * f.x + a.y * f.y;
        *xy += 0.5 * (a.x * f.y + a.y * f.x);
        *xz += 0.5 * (a.x * f.z + a.z * f.x);
        *yz += 0.5 * (a.y * f.z + a.z * f.y);
    }

    /// Whether it is a multiple of the identity.
    #[inline]
    pub fn is_round(&self) -> bool {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        xy == 0.0 && xz == 0.0 && yz == 0.0 && xx == yy && yy == zz
    }

    /// A⁻¹.
    pub fn inverse(&self) -> Self {
        Self::of(&self.matrix().inverse())
    }

    fn of(a: &DMat3) -> Self {
        let (x, y, z) = (a.x_axis, a.y_axis, a.z_axis);
        Self([x.x, y.y, z.z, y.x, z.x, z.y])
    }

    /// Whether all leading minors are positive.
    pub fn is_positive(&self) -> bool {
        let [xx, yy, ..] = self.0;
        xx > 0.0 && xx * yy > self.0[3] * self.0[3] && self.matrix().determinant() > 0.0
    }
}

/// The unit quaternion of [w, x, y, z].
#[inline]
pub fn quaternion(q: &[f64]) -> DQuat {
    DQuat::from_xyzw(q[1], q[2], q[3], q[0])
}

/// [w, x, y, z] of a quaternion.
#[inline]
pub fn components(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

/// ω of body axes from R ω as `rotation * omega` gave it. The product scales by ‖q‖², which is 1 only to rounding: without the division
/// 10⁵ steps lose four digits of the energy (`bodies::free::a_long_free_rotation_keeps_energy_and_momentum`).
#[inline]
pub fn to_body(rotation: DQuat, x: DVec3) -> DVec3 {
    let scale = rotation.length_squared();
    rotation.inverse() * x / (scale * scale)
}

/// exp(θ/2): the turn by |θ| about θ.
#[inline]
pub fn exponential(turn: DVec3) -> DQuat {
    let square = 0.25 * turn.length_squared();
    let (ratio, cosine) = if square < SMALL {
        // sin(a)/a and cos(a) by their series: the first term left out is below the last bit of 1.
        let ratio =
            1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0)));
        let cosine =
            1.0 - square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
        (ratio, cosine)
    } else {
        let half = square.sqrt();
        (half.sin() / half, half.cos())
    };
    let axis = turn * (0.5 * ratio);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine)
}

/// Squares of half angles below which sine and cosine are sums of five terms: (4e-3)⁵/10! = 3e-19.
const SMALL: f64 = 4e-3;

/// The turn θ with exp(θ/2) = ± `rotation`, at most half a turn.
#[inline]
pub fn logarithm(rotation: DQuat) -> DVec3 {
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    let axis = sign * DVec3::new(rotation.x, rotation.y, rotation.z);
    let sine = axis.length();
    // a/sin(a) to rounding where a² is below the last bit of 1.
    let ratio = if sine > 1e-8 { sine.atan2(sign * rotation.w) / sine } else { 1.0 };
    2.0 * ratio * axis
}

/// The matrix of x ↦ a × x.
#[inline]
pub fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_turns_by_its_length_about_its_axis() {
        let turn = DVec3::new(0.3, -0.4, 1.2);
        let (angle, axis) = (turn.length(), turn.normalize());
        let x = DVec3::new(1.0, 2.0, -0.5);
        // Rodrigues' formula.
        let (s, c) = angle.sin_cos();
        let want = x * c + axis.cross(x) * s + axis * (axis.dot(x) * (1.0 - c));
        assert!((exponential(turn) * x - want).length() < 1e-15);
        assert_eq!(exponential(DVec3::ZERO), DQuat::IDENTITY);
    }

    #[test]
    fn the_logarithm_undoes_the_exponential() {
        for turn in [DVec3::new(0.3, -0.4, 1.2), DVec3::new(3.0, 0.5, 0.0), DVec3::X * 1e-9, DVec3::ZERO]
        {
            for sign in [1.0, -1.0] {
                let back = logarithm(exponential(turn) * sign);
                assert!((back - turn).length() < 1e-15 * (1.0 + 8.0 * turn.length()), "{turn} {back}");
            }
        }
    }

    #[test]
    fn a_rotated_inverse_is_the_inverse_rotated() {
        let a = Symmetric([3.0, 2.0, 1.5, 0.3, -0.2, 0.4]);
        let r = DMat3::from_quat(exponential(DVec3::new(0.5, 1.0, -0.7)));
        let x = DVec3::new(0.2, -1.0, 0.6);
        let back = a.inverse().rotated(&r).times(a.rotated(&r).times(x));
        assert!((back - x).length() < 1e-14);
        assert!(a.is_positive() && !Symmetric([1.0, 1.0, 1.0, 2.0, 0.0, 0.0]).is_positive());
    }
}
