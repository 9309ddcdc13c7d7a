//! Vectors of three components, and of six (force and moment, velocity and spin), as plain arrays.

pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a · b of six components.
#[inline(always)]
pub(crate) fn dot6(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let [x, y, z, u, v, w]: [f64; 6] = std::array::from_fn(|k| a[k] * b[k]);
    ((x + y) + (z + u)) + (v + w)
}

/// sum ← sum + factor · x.
#[inline(always)]
pub(crate) fn add6(sum: &mut [f64; 6], factor: f64, x: &[f64; 6]) {
    (0..6).for_each(|k| sum[k] += factor * x[k]);
}

/// Six neighbouring numbers.
#[inline(always)]
pub(crate) fn six(x: &[f64], first: usize) -> &[f64; 6] {
    x[first..].first_chunk().expect("six numbers from here on")
}
