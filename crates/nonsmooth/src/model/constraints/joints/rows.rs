//! Rows of joints: y, J on both sides and J̇ v, from the frames of the two sides.
//!
//! ```text
//! u = J_a (v_a, ω_a) + J_b (v_b, ω_b),        d²y/dt² = J v̇ + curvature        v, ω in world axes
//! ```

use super::gear::Mesh;
use crate::model::RigidState;
use glam::{DQuat, DVec3};

/// One side of a joint at an instant, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Origin of the rigid thing (bodies: centre of mass) [m].
    pub origin: DVec3,
    /// The joint's point on it [m].
    pub point: DVec3,
    /// From the axes of the rigid thing to world axes.
    pub rotation: DQuat,
    /// From the joint's frame on it to its axes.
    pub local: DQuat,
    /// Velocity of the origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub spin: DVec3,
}

impl Side {
    /// The side of a joint whose point and frame are given in the axes of the rigid thing.
    #[inline(always)]
    pub fn new(state: &RigidState, point: DVec3, frame: DQuat) -> Self {
        Self {
            origin: state.position,
            point: state.point(point),
            rotation: state.rotation,
            local: frame,
            velocity: state.velocity,
            spin: state.spin,
        }
    }

    /// The joint's frame on it, from the frame to world axes.
    #[inline]
    pub fn frame(&self) -> DQuat {
        self.rotation * self.local
    }

    /// Axis `k` of the frame.
    #[inline]
    pub fn axis(&self, k: usize) -> DVec3 {
        let DQuat { x, y, z, w } = self.frame();
        match k {
            0 => DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
            1 => DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
            _ => DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
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

/// What is asked of the rows of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// y alone.
    Positions,
    /// y and J.
    Rows,
    /// y, J and J̇ v.
    #[default]
    All,
}

/// The rows of a joint at an instant; what was not asked for is not written.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointRows {
    n: usize,
    asked: Asked,
    /// y by row [m, rad].
    pub y: [f64; 6],
    /// J on side a.
    pub on_a: [[f64; 6]; 6],
    /// J on side b.
    pub on_b: [[f64; 6]; 6],
    /// J̇ v with v̇ = 0 [m/s², rad/s²].
    pub curvature: [f64; 6],
}

impl JointRows {
    /// For these numbers of joints, one after the other.
    pub fn new(asked: Asked) -> Self {
        Self { asked, ..Self::default() }
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

    /// Multiplies row `k` by a factor.
    #[inline]
    pub fn scale(&mut self, k: usize, factor: f64) {
        self.y[k] *= factor;
        self.curvature[k] *= factor;
        self.on_a[k].iter_mut().chain(&mut self.on_b[k]).for_each(|x| *x *= factor);
    }

    /// u of all rows with the twists of the two sides [m/s, rad/s].
    #[inline]
    pub fn rates(&self, a: &Side, b: &Side, out: &mut [f64]) {
        let (a, b) = (a.twist(), b.twist());
        for ((u, on_a), on_b) in out.iter_mut().zip(&self.on_a).zip(&self.on_b) {
            *u = dot(on_a, &a) + dot(on_b, &b);
        }
    }

    /// The two points coincide along the first `n` world axes.
    #[inline]
    pub fn meet(&mut self, a: &Side, b: &Side, n: usize) {
        let apart = b.point - a.point;
        let rows = self.n..self.n + n;
        self.n += n;
        self.y[rows.clone()].copy_from_slice(&apart.to_array()[..n]);
        if self.asked == Asked::Positions {
            return;
        }
        let middle = 0.5 * (a.point + b.point);
        unit_rows(middle - a.origin, -1.0, &mut self.on_a[rows.clone()]);
        unit_rows(middle - b.origin, 1.0, &mut self.on_b[rows.clone()]);
        if self.asked == Asked::All {
            let curvature = b.centripetal_at(b.point) - a.centripetal_at(a.point);
            self.curvature[rows].copy_from_slice(&curvature.to_array()[..n]);
        }
    }

    /// The two points coincide along axis `k` of a.
    #[inline]
    pub fn slide(&mut self, a: &Side, b: &Side, k: usize) {
        let (y, row, curvature) = slide(a, b, a.axis(k));
        self.push(y, row, curvature);
    }

    /// Axis `k` of a is perpendicular to axis `l` of b.
    #[inline]
    pub fn cross(&mut self, a: &Side, b: &Side, [k, l]: [usize; 2]) {
        let (e, f) = (a.axis(k), b.axis(l));
        if self.asked == Asked::Positions {
            self.y[self.n] = e.dot(f);
            self.n += 1;
            return;
        }
        let mut curvature = 0.0;
        if self.asked == Asked::All {
            let (e_dot, f_dot) = (a.spin.cross(e), b.spin.cross(f));
            curvature = b.spin.cross(f_dot).dot(e) + 2.0 * f_dot.dot(e_dot) + f.dot(a.spin.cross(e_dot));
        }
        self.push(e.dot(f), PairRow::moment(f.cross(e)), curvature);
    }

    /// The joint's axis of b is parallel to that of a: perpendicular to axes e₁ and e₂ of a.
    #[inline]
    pub fn align(&mut self, a: &Side, b: &Side) {
        self.cross(a, b, [0, 2]);
        self.cross(a, b, [1, 2]);
    }

    /// The travel along the joint's axis is the angle about axis `about` times `lead` / 2π, up to whole turns.
    pub fn tied(&mut self, a: &Side, b: &Side, about: usize, lead: f64) {
        let (travel, slide, bend) = slide(a, b, a.axis(2));
        let (turn, pitch) = (turn_about(a, b, about), lead / std::f64::consts::TAU);
        let y = travel - pitch * turn.value;
        let less = |x: [f64; 6], y: [f64; 6]| std::array::from_fn(|k| x[k] - pitch * y[k]);
        let row =
            PairRow { on_a: less(slide.on_a, turn.row.on_a), on_b: less(slide.on_b, turn.row.on_b) };
        self.push(y - lead * (y / lead).round(), row, bend - pitch * turn.curvature);
    }

    /// Two wheels that are tied.
    pub fn mesh(&mut self, a: &Side, b: &Side, mesh: &Mesh) {
        let ([r_a, r_b], [from_a, from_b]) = (mesh.radii, [bearing(a, b), bearing(b, a)]);
        let y = r_a * (from_a.0 - mesh.bearings[0]) + r_b * (from_b.0 - mesh.bearings[1]);
        let sum = |x: [f64; 6], y: [f64; 6]| std::array::from_fn(|k| r_a * x[k] + r_b * y[k]);
        // The way back is seen from b.
        let (go, back) = (from_a.1, from_b.1);
        let row = PairRow { on_a: sum(go.on_a, back.on_b), on_b: sum(go.on_b, back.on_a) };
        let teeth = (y / mesh.pitch).round();
        self.push(y - mesh.pitch * teeth, row, r_a * from_a.2 + r_b * from_b.2);
    }

    /// The two points stay at the distance `length` from each other.
    pub fn distance(&mut self, a: &Side, b: &Side, length: f64) {
        let apart = b.point - a.point;
        let (now, along) = (apart.length(), apart.normalize_or_zero());
        let relative = b.velocity_at(b.point) - a.velocity_at(a.point);
        let across = relative - along.dot(relative) * along;
        let bend = along.dot(b.centripetal_at(b.point) - a.centripetal_at(a.point));
        let row = PairRow::pull(a, b, along, b.point);
        self.push(now - length, row, bend + across.length_squared() / now.max(f64::MIN_POSITIVE));
    }

    /// The frames do not turn against each other about axis `k` of a.
    #[inline]
    pub fn turn(&mut self, a: &Side, b: &Side, k: usize) {
        // q̇ = ½ (0, Ω) q for q = q_aᵀ q_b and Ω the spin of b against a in the frame of a.
        let to_frame = a.frame().inverse();
        let q = to_frame * b.frame();
        let q = if q.w < 0.0 { -q } else { q };
        let (w, x) = (q.w, DVec3::new(q.x, q.y, q.z));
        let unit = [DVec3::X, DVec3::Y, DVec3::Z][k];
        let (spin, spin_dot) = (to_frame * (b.spin - a.spin), -(to_frame * a.spin.cross(b.spin)));
        let (w_dot, x_dot) = (-0.5 * spin.dot(x), 0.5 * (w * spin + spin.cross(x)));
        let second = w_dot * spin + spin.cross(x_dot) + w * spin_dot + spin_dot.cross(x);
        let row = PairRow::moment(a.frame() * (w * unit + x.cross(unit)));
        self.push(2.0 * x[k], row, second[k]);
    }

    /// ‖y‖.
    pub fn error(&self) -> f64 {
        self.y[..self.n].iter().map(|y| y * y).sum::<f64>().sqrt()
    }
}

/// Forces `s` along x, y and z and their moments r × e, as many as there are rows.
#[inline(always)]
fn unit_rows(r: DVec3, s: f64, rows: &mut [[f64; 6]]) {
    let DVec3 { x, y, z } = s * r;
    let made = [[s, 0.0, 0.0, 0.0, z, -y], [0.0, s, 0.0, -z, 0.0, x], [0.0, 0.0, s, y, -x, 0.0]];
    match rows.first_chunk_mut() {
        Some(rows) => *rows = made,
        None => rows.iter_mut().zip(made).for_each(|(row, made)| *row = made),
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

/// The angle of b against a about axis `k` of a, in (−π, π].
fn turn_about(a: &Side, b: &Side, k: usize) -> JointAxis {
    let (about, next, last) = (a.axis(k), a.axis((k + 1) % 3), a.axis((k + 2) % 3));
    let f = b.axis((k + 1) % 3);
    let value = last.dot(f).atan2(next.dot(f));
    // e·(ω_b − ω_a), with e carried along by a.
    let curvature = about.dot(b.spin.cross(a.spin));
    JointAxis { kind: AxisKind::Angle, value, row: PairRow::moment(about), curvature }
}

/// The direction from the point of a to that of b, as an angle about e₃ of a from its e₁: its row and J̇ v.
///
/// ```text
/// α = atan2(X₂, X₁),     α̇ = (X₁ Ẋ₂ − X₂ Ẋ₁)/ρ²,     ρ² = X₁² + X₂²,     X of the point of b as seen in a
/// ```
fn bearing(a: &Side, b: &Side) -> (f64, PairRow, f64) {
    let (e, f, apart) = (a.axis(0), a.axis(1), b.point - a.point);
    let relative = b.velocity_at(b.point) - a.velocity_at(b.point);
    let acceleration =
        b.centripetal_at(b.point) - a.centripetal_at(b.point) - 2.0 * a.spin.cross(relative);
    let both = |x: DVec3| [e.dot(x), f.dot(x)];
    let ([x, y], [u, v], [p, q]) = (both(apart), both(relative), both(acceleration));
    // Where the two points are one there is no direction; the row stays finite.
    let square = (x * x + y * y).max(f64::MIN_POSITIVE);
    let row = PairRow::pull(a, b, (x * f - y * e) / square, b.point);
    let bend = (x * q - y * p) / square - 2.0 * (x * v - y * u) / square * ((x * u + y * v) / square);
    (y.atan2(x), row, bend)
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
        self.push(turn_about(a, b, 2));
    }

    /// The angle of b against a about axis e₁ of b, which is perpendicular to the joint's axis of a.
    pub fn swing(&mut self, a: &Side, b: &Side) {
        let (e1, e3, f3) = (b.axis(0), a.axis(2), b.axis(2));
        let value = e3.cross(f3).dot(e1).atan2(e3.dot(f3));
        // e₁·(ω_b − ω_a), with e₁ carried along by b.
        let curvature = e1.dot(b.spin.cross(a.spin));
        self.push(JointAxis { kind: AxisKind::Angle, value, row: PairRow::moment(e1), curvature });
    }

    /// The travel of b against a along axis `k` of a.
    pub fn travel(&mut self, a: &Side, b: &Side, k: usize) {
        let (value, row, curvature) = slide(a, b, a.axis(k));
        self.push(JointAxis { kind: AxisKind::Travel, value, row, curvature });
    }
}

/// The angle that differs from `wrapped` by whole turns and is nearest to `before`.
#[inline]
pub fn unwrap(wrapped: f64, before: f64) -> f64 {
    use std::f64::consts::TAU;
    wrapped + TAU * ((before - wrapped) / TAU).round()
}
