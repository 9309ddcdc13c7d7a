//! Contact axes from the normal alone: n, t₁, t₂ with t₁ × t₂ = n.
//!
//! No field of tangents on the sphere is continuous everywhere. This one is continuous except on the
//! great circle g·n = 0, whose pole g is chosen so that no normal of everyday scenes lies near it.
//! On g·n > 0, (t₁, t₂) are the axes x and y carried along by the shortest turn from z to n
//! [Frisvad12], which is smooth but at n = −z, far on the other side; on g·n < 0,
//! t₁(n) = t₁(−n), t₂(n) = −t₂(−n), so that a change of the two bodies' places turns the axes over
//! and no more. Normals along the axes of the world give tangents along them.

use glam::DVec3;

/// g; its components are incommensurate, so that simple slopes stay off the circle.
const POLE: DVec3 = DVec3::new(0.342_020_143, 0.525_731_112, 0.778_842_312);

/// The contact axes [normal, tangent 1, tangent 2] of a unit normal.
pub fn frame(normal: [f64; 3]) -> [[f64; 3]; 3] {
    let [t1, t2] = tangents(DVec3::from_array(normal));
    [normal, t1.to_array(), t2.to_array()]
}

/// t₁ and t₂.
pub(crate) fn tangents(n: DVec3) -> [DVec3; 2] {
    let sign = if n.dot(POLE) < 0.0 { -1.0 } else { 1.0 };
    let n = n * sign;
    // |n| = 1 and g·n ≥ 0 keep 1 + n_z above 0.37.
    let k = 1.0 / (1.0 + n.z);
    let xy = -n.x * n.y * k;
    let t1 = DVec3::new(1.0 - n.x * n.x * k, xy, -n.x);
    let t2 = DVec3::new(xy, 1.0 - n.y * n.y * k, -n.y);
    [t1, t2 * sign]
}
