//! Where a motion is.

/// Time, coordinates and velocities as in the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    pub(crate) t: f64,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
}

impl Point {
    pub(crate) fn copy_from(&mut self, other: &Point) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
    }

    /// Whether it is the same, number by number.
    pub(crate) fn is(&self, other: &Point) -> bool {
        self.t == other.t && self.q == other.q && self.v == other.v
    }
}

/// y ← y + a x.
pub(crate) fn add(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
