//! Rows of joints: y, J on both sides and J̇ v, from the frames of the two sides.
//!
//! ```text
//! u = J_a (v_a, ω_a) + J_b (v_b, ω_b),        d²y/dt² = J v̇ + curvature        v, ω in world axes
//! ```

use crate::model::RigidState;
use glam::{DQuat, DVec3};

/// One side of a joint at an instant, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Origin of the rigid thing (bodies: centre of mass) [m].
    pub origin: DVec3,
    /// The joint's point on it [m].
    pub point: DVec3,
    /// The joint's frame on it, from the frame to world axes.
    pub frame: DQuat,
    /// The axes of the frame.
    pub axes: [DVec3; 3],
    /// Velocity of the origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub spin: DVec3,
}

impl Side {
    /// The side of a joint whose point and frame are given in the axes of the rigid thing.
    #[inline]
    pub fn new(state: &RigidState, point: DVec3, frame: DQuat) -> Self {
        let frame = state.rotation * frame;
        Self {
            origin: state.position,
            point: state.point(point),
            frame,
            axes: [frame * DVec3::X, frame * DVec3::Y, frame * DVec3::Z],
            velocity: state.velocity,
            spin: state.spin,
        }
    }

    /// Velocity of the material point that is now at `place` [m/s].
    fn velocity_at(&self, place: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(place - self.origin)
    }

    /// Acceleration of that point with v̇ = ω̇ = 0 [m/s²].
    fn centripetal_at(&self, place: DVec3) -> DVec3 {
        self.spin.cross(self.spin.cross(place - self.origin))
    }

    /// Velocity and angular velocity in six numbers.
    #[inline]
    pub fn twist(&self) -> [f64; 6] {
        six(self.velocity, self.spin)
    }
}

#[inline]
fn six(x: DVec3, y: DVec3) -> [f64; 6] {
    [x.x, x.y, x.z, y.x, y.y, y.z]
}

#[inline]
fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// J of one row on both sides: force and moment per unit of impulse, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairRow {
    /// On side a.
    pub on_a: [f64; 6],
    /// On side b.
    pub on_b: [f64; 6],
}

impl PairRow {
    /// A pull along `along` that acts at one point of space: on b, and the opposite on a.
    #[inline]
    pub fn pull(a: &Side, b: &Side, along: DVec3, place: DVec3) -> Self {
        let on_b = six(along, (place - b.origin).cross(along));
        Self { on_a: six(-along, -(place - a.origin).cross(along)), on_b }
    }

    /// A moment about `about` on b, and the opposite on a.
    #[inline]
    pub fn moment(about: DVec3) -> Self {
        Self { on_a: six(DVec3::ZERO, -about), on_b: six(DVec3::ZERO, about) }
    }

    /// u = J v with the twists of the two sides.
    #[inline]
    pub fn rate(&self, a: &Side, b: &Side) -> f64 {
        dot(&self.on_a, &a.twist()) + dot(&self.on_b, &b.twist())
    }
}

/// The rows of a joint at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointRows {
    n: usize,
    /// y by row [m, rad].
    pub y: [f64; 6],
    /// J on side a.
    pub on_a: [[f64; 6]; 6],
    /// J on side b.
    pub on_b: [[f64; 6]; 6],
    /// J̇ v with v̇ = 0 [m/s², rad/s²].
    pub curvature: [f64; 6],
    /// Whether nobody asks for the curvature.
    is_flat: bool,
}

impl JointRows {
    /// No rows yet; those that come need no curvature.
    pub(crate) fn flat() -> Self {
        Self { is_flat: true, ..Self::default() }
    }

    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Forgets all rows.
    #[inline]
    pub fn clear(&mut self) {
        self.n = 0;
    }

    /// Appends a row.
    #[inline]
    pub fn push(&mut self, y: f64, row: PairRow, curvature: f64) {
        self.y[self.n] = y;
        self.on_a[self.n] = row.on_a;
        self.on_b[self.n] = row.on_b;
        self.curvature[self.n] = curvature;
        self.n += 1;
    }

    /// u of row `k` with the twists of the two sides [m/s, rad/s].
    #[inline]
    pub fn rate(&self, k: usize, a: &Side, b: &Side) -> f64 {
        dot(&self.on_a[k], &a.twist()) + dot(&self.on_b[k], &b.twist())
    }

    /// The two points coincide along the world axis `along`.
    #[inline]
    pub fn meet(&mut self, a: &Side, b: &Side, along: DVec3) {
        let y = along.dot(b.point - a.point);
        let row = PairRow::pull(a, b, along, 0.5 * (a.point + b.point));
        let curvature = match self.is_flat {
            true => 0.0,
            false => along.dot(b.centripetal_at(b.point) - a.centripetal_at(a.point)),
        };
        self.push(y, row, curvature);
    }

    /// The two points coincide along axis `k` of a.
    #[inline]
    pub fn slide(&mut self, a: &Side, b: &Side, k: usize) {
        let (y, row, curvature) = slide(a, b, a.axes[k]);
        self.push(y, row, curvature);
    }

    /// Axis `k` of a is perpendicular to the joint's axis of b.
    #[inline]
    pub fn align(&mut self, a: &Side, b: &Side, k: usize) {
        let (e, f) = (a.axes[k], b.axes[2]);
        let mut curvature = 0.0;
        if !self.is_flat {
            let (e_dot, f_dot) = (a.spin.cross(e), b.spin.cross(f));
            curvature = b.spin.cross(f_dot).dot(e) + 2.0 * f_dot.dot(e_dot) + f.dot(a.spin.cross(e_dot));
        }
        self.push(e.dot(f), PairRow::moment(f.cross(e)), curvature);
    }

    /// The frames do not turn against each other about axis `k` of a.
    #[inline]
    pub fn turn(&mut self, a: &Side, b: &Side, k: usize) {
        // q̇ = ½ (0, Ω) q for q = q_aᵀ q_b and Ω the spin of b against a in the frame of a.
        let q = a.frame.inverse() * b.frame;
        let q = if q.w < 0.0 { -q } else { q };
        let (w, x) = (q.w, DVec3::new(q.x, q.y, q.z));
        let unit = [DVec3::X, DVec3::Y, DVec3::Z][k];
        let to_frame = a.frame.inverse();
        let (spin, spin_dot) = (to_frame * (b.spin - a.spin), -(to_frame * a.spin.cross(b.spin)));
        let (w_dot, x_dot) = (-0.5 * spin.dot(x), 0.5 * (w * spin + spin.cross(x)));
        let second = w_dot * spin + spin.cross(x_dot) + w * spin_dot + spin_dot.cross(x);
        let row = PairRow::moment(a.frame * (w * unit + x.cross(unit)));
        self.push(2.0 * x[k], row, second[k]);
    }

    /// ‖y‖.
    pub fn error(&self) -> f64 {
        self.y[..self.n].iter().map(|y| y * y).sum::<f64>().sqrt()
    }
}

/// The distance of the points along `e`, which is fixed in a: y, its row and J̇ v.
#[inline]
fn slide(a: &Side, b: &Side, e: DVec3) -> (f64, PairRow, f64) {
    let relative = b.velocity_at(b.point) - a.velocity_at(b.point);
    let acceleration =
        b.centripetal_at(b.point) - a.centripetal_at(b.point) - 2.0 * a.spin.cross(relative);
    (e.dot(b.point - a.point), PairRow::pull(a, b, e, b.point), e.dot(acceleration))
}

/// What a free axis measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// An angle [rad].
    Angle,
    /// A travel [m].
    Travel,
}

/// A free axis at an instant.
#[derive(Clone, Copy, Debug)]
pub struct JointAxis {
    /// What it measures.
    pub kind: AxisKind,
    /// Angle in (−π, π] or travel, zero at the start [rad, m].
    pub value: f64,
    /// J.
    pub row: PairRow,
    /// J̇ v with v̇ = 0 [rad/s², m/s²].
    pub curvature: f64,
}

/// Most free axes of a joint.
pub const MOST_AXES: usize = 3;

/// The free axes of a joint at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointAxes {
    n: usize,
    axes: [Option<JointAxis>; MOST_AXES],
}

impl JointAxes {
    /// The free axes, in order.
    pub fn iter(&self) -> impl Iterator<Item = &JointAxis> {
        self.axes[..self.n].iter().flatten()
    }

    /// Free axis `k`.
    #[inline]
    pub fn get(&self, k: usize) -> &JointAxis {
        self.axes[k].as_ref().expect("the joint has this axis")
    }

    /// Forgets all axes.
    pub fn clear(&mut self) {
        self.n = 0;
    }

    fn push(&mut self, axis: JointAxis) {
        self.axes[self.n] = Some(axis);
        self.n += 1;
    }

    /// The angle of b against a about the joint's axis.
    pub fn angle(&mut self, a: &Side, b: &Side) {
        let [e1, e2, e3] = a.axes;
        let value = e2.dot(b.axes[0]).atan2(e1.dot(b.axes[0]));
        // e₃·(ω_b − ω_a), with e₃ carried along by a.
        let curvature = e3.dot(b.spin.cross(a.spin));
        self.push(JointAxis { kind: AxisKind::Angle, value, row: PairRow::moment(e3), curvature });
    }

    /// The travel of b against a along the joint's axis.
    pub fn travel(&mut self, a: &Side, b: &Side) {
        let (value, row, curvature) = slide(a, b, a.axes[2]);
        self.push(JointAxis { kind: AxisKind::Travel, value, row, curvature });
    }
}

/// The angle that differs from `wrapped` by whole turns and is nearest to `before`.
#[inline]
pub fn unwrap(wrapped: f64, before: f64) -> f64 {
    use std::f64::consts::TAU;
    wrapped + TAU * ((before - wrapped) / TAU).round()
}
