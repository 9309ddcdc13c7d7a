//! What functions of an instant read of a joint: the value of a free axis and its rate.
//!
//! A reading is made before the model and filled in when it is built, so that a force, a motor or an expression may hold it.

use super::table::JointRow;
use crate::model::instant::Instant;
use std::sync::{Arc, OnceLock};

/// A free axis of a joint, by name.
///
/// ```
/// use nonsmooth::joints::{AxisReading, Revolute};
/// use nonsmooth::model::rigid::Body;
/// use nonsmooth::model::{ModelBuilder, Rigid};
/// use nonsmooth::{Simulation, integrators::KickDrift};
///
/// let mut builder = ModelBuilder::new();
/// let inertia = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]];
/// let wheel = builder.body(Body { angular_velocity: [0.0, 0.0, 3.0], ..Body::new("wheel", 1.0, inertia) });
/// let turn = AxisReading::new("hinge", 0);
/// builder.read_axis(&turn);
/// // A spring of 8 N·m/rad by feedback: ω = 2 rad/s.
/// builder
///     .joint("hinge", Revolute::at([0.0; 3]).axis([0.0, 0.0, 1.0]), Rigid::World, wheel)
///     .motor(move |at| Ok(-8.0 * turn.value(at)));
/// let (model, state) = builder.build(0.0)?;
/// let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-3)?;
/// simulation.run(1000, &mut [])?;
/// assert!((simulation.state.angles[0] - 1.5 * 2.0f64.sin()).abs() < 1e-6);
/// # Ok::<(), nonsmooth::Error>(())
/// ```
#[derive(Clone)]
pub struct AxisReading {
    pub(crate) name: String,
    pub(crate) axis: usize,
    pub(crate) joint: Arc<OnceLock<JointRow>>,
}

impl AxisReading {
    /// Free axis `axis`, counted from 0, of the joint called `name`.
    pub fn new(name: &str, axis: usize) -> Self {
        Self { name: name.to_owned(), axis, joint: Arc::default() }
    }

    /// Travel, or angle counted through whole turns, zero at the start [m, rad]; NaN before the model is built.
    pub fn value(&self, at: &Instant<'_>) -> f64 {
        self.look(at, |value, _| value)
    }

    /// Its rate [m/s, rad/s]; NaN before the model is built.
    pub fn rate(&self, at: &Instant<'_>) -> f64 {
        self.look(at, |_, rate| rate)
    }

    fn look(&self, at: &Instant<'_>, choose: impl Fn(f64, f64) -> f64) -> f64 {
        let Some(joint) = self.joint.get() else { return f64::NAN };
        let (mut k, mut found) = (0, f64::NAN);
        joint.coordinates(at, |value, rate| {
            if k == self.axis {
                found = choose(value, rate);
            }
            k += 1;
        });
        found
    }
}

impl PartialEq for AxisReading {
    /// Whether both read the same axis of the same joint.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.axis == other.axis
    }
}

impl std::fmt::Debug for AxisReading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "axis {} of joint `{}`", self.axis, self.name)
    }
}
