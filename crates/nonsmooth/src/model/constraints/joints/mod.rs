//! Joints between two rigid things: bodies, kinematic bodies, the world.
//!
//! A joint has a frame (point, axes e₁ e₂ e₃) on each side, fixed in the axes of that side. Both are the same frame at the start, with e₃
//! along the joint's axis. Its rows y(q) = 0 are built from four kinds:
//!
//! ```text
//! meet    x·(p_b − p_a)            x along the world axes; arms to the middle of p_a and p_b
//! slide   e·(p_b − p_a)            e fixed in a; arms to p_b
//! align   e·f                      e fixed in a, f = e₃ of b
//! turn    2 vec(q_aᵀ q_b)          of the frames, with w ≥ 0: 2 sin(angle/2), which grows up to half a turn
//! ```
//!
//! Both arms of a row end at one point, so that impulse and angular impulse on a and b cancel to rounding whatever y is.

mod family;
mod fixed;
mod prismatic;
mod revolute;
mod rows;
mod spherical;
mod table;

pub use family::Joints;
pub use fixed::Fixed;
pub use prismatic::Prismatic;
pub use revolute::Revolute;
pub use rows::{Asked, AxisKind, JointAxes, JointAxis, JointRows, MOST_AXES, PairRow, Side};
pub use spherical::Spherical;
pub use table::{JointRow, JointTable, Reaction};

use nonsmooth_solvers::{Declared, OptionError, Options};

/// Every type of joint, in the order in which they are listed to users.
pub static JOINTS: &[Entry] = &[revolute::ENTRY, spherical::ENTRY, prismatic::ENTRY, fixed::ENTRY];

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

    /// Number of rows: 1 to 6.
    fn dim(&self, within: Within) -> usize;

    /// Whether it needs an axis.
    fn needs_axis(&self, within: Within) -> bool;

    /// Its free angles and travels, in order: those that may have stops, springs and motors.
    fn free_axes(&self, within: Within) -> &'static [AxisKind];

    /// y [m, rad], J on both sides in world axes and J̇ v by row.
    fn rows(&self, within: Within, a: &Side, b: &Side, out: &mut JointRows);

    /// Its free angles, in (−π, π], and travels, with their J.
    fn axes(&self, within: Within, a: &Side, b: &Side, out: &mut JointAxes);
}
