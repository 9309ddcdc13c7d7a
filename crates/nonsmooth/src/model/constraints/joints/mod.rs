//! Joints between two rigid things: bodies, kinematic bodies, the world.
//!
//! A joint has a frame (point, axes e₁ e₂ e₃) on each side, fixed in the axes of that side. Both are the same frame at the start, with e₃
//! along the joint's axis, and e₁ along its second axis where it has one. Its rows y(q) = 0 are built from these kinds:
//!
//! ```text
//! meet    x·(p_b − p_a)            x along the world axes; arms to the middle of p_a and p_b
//! slide   e·(p_b − p_a)            e fixed in a; arms to p_b
//! cross   e·f                      e fixed in a, f in b; align: e₁ and e₂ of a, e₃ of b
//! distance  ‖p_b − p_a‖ − L
//! screw   travel − lead·angle/2π    up to whole leads; of a rack about another axis
//! mesh    r_a (α − α₀) + r_b (β − β₀)    up to whole teeth; α, β: directions of the line of centres as seen in a and b
//! turn    2 vec(q_aᵀ q_b)          of the frames, with w ≥ 0: 2 sin(angle/2), which grows up to half a turn
//! ```
//!
//! Both arms of a row end at one point, so that impulse and angular impulse on a and b cancel to rounding whatever y is.

mod belt;
mod cylindrical;
mod distance;
mod family;
mod fixed;
mod gear;
mod planar;
mod point_on_line;
mod point_on_plane;
mod prismatic;
mod rack;
mod reading;
mod revolute;
mod rows;
mod screw;
mod spherical;
mod table;
mod universal;

pub use belt::Belt;
pub use cylindrical::Cylindrical;
pub use distance::Distance;
pub use family::Joints;
pub use fixed::Fixed;
pub use gear::{Gear, Mesh};
pub use planar::Planar;
pub use point_on_line::PointOnLine;
pub use point_on_plane::PointOnPlane;
pub use prismatic::Prismatic;
pub use rack::Rack;
pub use reading::AxisReading;
pub use revolute::Revolute;
pub use rows::{Asked, AxisKind, JointAxes, JointAxis, JointRows, MOST_AXES, PairRow, Side};
pub use screw::Screw;
pub use spherical::Spherical;
pub use table::{JointRow, JointTable, Reaction};
pub use universal::Universal;

use glam::DVec3;
use nonsmooth_solvers::{Declared, OptionError, Options};

/// Every type of joint, in the order in which they are listed to users.
pub static JOINTS: &[Entry] = &[
    revolute::ENTRY,
    spherical::ENTRY,
    prismatic::ENTRY,
    fixed::ENTRY,
    cylindrical::ENTRY,
    universal::ENTRY,
    planar::ENTRY,
    screw::ENTRY,
    distance::ENTRY,
    point_on_line::ENTRY,
    point_on_plane::ENTRY,
    gear::ENTRY,
    rack::ENTRY,
    belt::ENTRY,
];

/// The type of joint called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    JOINTS.iter().find(|entry| entry.name == name)
}

/// A type's name, what it is, and how to make one.
pub struct Entry {
    /// Name in scene files and in Python.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// The options it understands.
    pub options: &'static [&'static Declared],
    make: fn(&Options) -> Box<dyn Joint>,
}

impl Entry {
    /// A joint of this type with these options, or what is wrong with them.
    pub fn build(&self, options: &Options) -> Result<Box<dyn Joint>, Vec<OptionError>> {
        options.check(self.name, self.options)?;
        Ok((self.make)(options))
    }
}

/// Which bodies a joint is between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Bodies in the plane: rows along x and y, rotation about z.
    Plane,
    /// Bodies in space.
    Space,
}

/// A type of joint.
pub trait Joint: Send + Sync {
    /// Its name in the list.
    fn name(&self) -> &'static str;

    /// Number of rows: 1 to 6; 0 where it is not made for these bodies.
    fn dim(&self, within: Within) -> usize;

    /// Whether it needs an axis.
    fn needs_axis(&self, within: Within) -> bool;

    /// Whether it needs a second axis, perpendicular to the first.
    fn needs_second_axis(&self, _within: Within) -> bool {
        false
    }

    /// Whether its point on the second side is another one than that on the first.
    fn needs_second_point(&self) -> bool {
        false
    }

    /// What is wrong with its numbers.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Takes the way from its point to the second one at the start, in its frame [m].
    fn place(&mut self, _apart: DVec3) {}

    /// Its free angles and travels, in order: those that may have stops, springs and motors.
    fn free_axes(&self, within: Within) -> &'static [AxisKind];

    /// y [m, rad], J on both sides in world axes and J̇ v by row.
    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows);

    /// Its free angles, in (−π, π], and travels, with their J.
    fn axes(&self, within: Within, a: &Side, b: &Side, out: &mut JointAxes);
}
