//! Families of constraints: what ties systems to the world or to each other. A family has its own rows.
//!
//! ```text
//! u = J v + offset,      −(u⁺ + shift + D p) ∈ N_C(p),      generalized force Jᵀ p
//! ```
//!
//! Every constraint of a step (gap, contact point, joint, stop, spring) is an entry of one `ActiveConstraints`.

mod active;
mod bonds;
mod contacts;
mod convex_region;
mod differences;
mod function_gaps;
mod gap;
mod joint_axes;
mod joint_drives;
pub mod joints;
mod linear_gaps;
mod pairs;
mod point_gap;
mod springs;
mod stretched;
mod velocity;

pub use active::{ActiveConstraints, LawRun, Role, RowWriter};
pub use bonds::Bonds;
pub(crate) use bonds::{GluedPoint, Side};
pub use contacts::Contacts;
pub use convex_region::{ConvexRegion, ConvexRegionError};
pub(crate) use function_gaps::FunctionGap;
pub use function_gaps::FunctionGaps;
pub use gap::{Gap, LinearContact, VelocityConstraint};
pub use joint_axes::{AxisAction, AxisRow, JointAxes, Motor, MotorFunction};
pub use joint_drives::{Drive, DriveFunction, DriveRow, JointDrives};
pub use linear_gaps::LinearGaps;
pub use point_gap::{Opponent, PointGap};
pub(crate) use springs::advanced;
pub use springs::{Elastic, SpringRow, Springs};
pub use velocity::VelocityConstraints;
pub(crate) use velocity::VelocityRow;

use super::id::ConstraintId;
use super::memory::{ConstraintMemory, Walk};
use super::{LawId, Model, Renamed, RigidId};
use crate::energy::Works;
use crate::error::StepResult;
use crate::model::collision::DriftPath;
use crate::model::instant::{Instant, Pass};
use crate::model::rigid::Symmetric;
use crate::model::systems::ThetaStep;
use crate::part::Part;
use nonsmooth_geometry::FrozenContact;
use std::ops::Range;

/// When a constraint becomes active.
#[derive(Clone, Copy, Debug)]
pub enum Activation {
    /// y + ahead·u ≤ distance for gaps; contacts of bodies use their own activation distance d: y + ahead·u ≤ d.
    Ahead {
        /// γ h [s].
        ahead: f64,
        /// Distance up to which a gap counts as closed [m]; infinite: all gaps.
        distance: f64,
    },
    /// Everything within reach of the motion of the part: pairs whose swept boxes meet, gaps that may close. Kick and drift.
    Swept,
    /// Of that what is not farther away than `distance`, features frozen. Schemes that impose gaps at the end of the step.
    Reach {
        /// Largest gap that takes part [m]; infinite: all.
        distance: f64,
    },
    /// Everything, however far apart: schemes that watch all gaps through a step in which velocities change.
    All,
}

impl Activation {
    /// Time to look ahead [s] and distance up to which a gap counts as closed [m], for gaps of coordinates.
    #[inline]
    pub fn of_gaps(self) -> (f64, f64) {
        if let Activation::Ahead { ahead, distance } = self {
            return (ahead, distance);
        }
        match self {
            Activation::Reach { distance } => (0.0, distance),
            // How far a coordinate moves in the part is not known beforehand: all gaps are watched.
            _ => (0.0, f64::INFINITY),
        }
    }
}

/// What is known of active constraints before a drift.
pub struct Expected<'a> {
    /// Whether each carried force before.
    pub carried: &'a [bool],
    /// y by row at the end of the drift [m]; empty at an impact, where there is none.
    pub y_end: &'a [f64],
    /// By how much the path may be wrong [m].
    pub doubt: f64,
}

/// What the path of a drift says of the active constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// They are as they seem.
    AsSeen,
    /// Some were replaced: J must be written again.
    Changed,
    /// The path is not good enough to tell; nothing was replaced.
    InDoubt,
}

impl Expected<'_> {
    /// Whether the gap of a row is negative at the end.
    pub fn is_closed(&self, row: usize) -> bool {
        self.y_end.get(row).is_some_and(|y| *y < 0.0)
    }
}

/// At which level a row is imposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// u⁺ at the end; offset = ∂g/∂t(t⁺).
    Velocity,
    /// y⁺ = y* at the end; offset = (y(q⁺) − y*)/ahead − J vⁱ; tangents at velocity level.
    Position {
        /// a = ∂y⁺/∂u⁺ [s].
        ahead: f64,
    },
    /// y + h u⁺ with everything at the start: offset = y/h + ∂g/∂t.
    Linearized {
        /// Step size [s].
        h: f64,
    },
}

/// Which gaps are asked for.
#[derive(Clone, Copy)]
pub enum GapsOf<'a> {
    /// All members of the family that have a gap, in their order (contacts of bodies: none).
    Members,
    /// These active constraints of the family, features frozen.
    Active(&'a ActiveConstraints, &'a Range<usize>),
}

/// The column of the ledger to which the work of a row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Normal impulses of contacts and stops.
    Contact,
    /// Tangential impulses.
    Friction,
    /// Bilateral constraints and joints.
    Joint,
    /// Rows of springs: booked by the family itself.
    Own,
    /// Drives.
    Drive,
}

/// Constraints of one kind.
pub trait ConstraintFamily: Send + Sync {
    /// Its name in messages and tables: `gaps`, `contacts`, `joints`, `springs`.
    fn name(&self) -> &'static str;

    /// Number of constraints that were registered by name (contacts of bodies: none).
    fn n_members(&self) -> usize;

    /// Number of gaps that it reports of its members at an instant: one each, or none.
    fn n_gaps(&self) -> usize {
        self.n_members()
    }

    /// Name of member `number`.
    fn member_name(&self, number: usize) -> &str;

    /// What a constraint is called in messages.
    fn describe(&self, model: &Model, id: ConstraintId) -> String;

    /// The size by which lengths of a constraint are judged [m]: of a contact the smaller bounding radius of its moving bodies; 1 by default.
    fn size(&self, _model: &Model, _id: ConstraintId) -> f64 {
        1.0
    }

    /// The law of a constraint.
    fn law(&self, model: &Model, id: ConstraintId) -> LawId;

    /// Whether everything it does is linear in q and constant in J, so that a θ-step needs no iteration.
    fn is_linear(&self, model: &Model) -> bool;

    /// Whether its J is constant and its rows have no offset at velocity level.
    fn has_constant_rows(&self) -> bool {
        false
    }

    /// Appends the constraints that are active, in ascending order, with gap and u⁻ at the instant.
    fn detect(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        activation: Activation,
        active: &mut ActiveConstraints,
    ) -> StepResult;

    /// Appends chosen constraints of the family, whatever their gap.
    fn append(
        &self,
        model: &Model,
        ids: &[ConstraintId],
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult;

    /// The same with the features that they were found with, wherever these are now: by default they never change.
    fn append_frozen(
        &self,
        model: &Model,
        ids: &[ConstraintId],
        _features: &dyn Fn(ConstraintId) -> FrozenContact,
        at: &Instant<'_>,
        active: &mut ActiveConstraints,
    ) -> StepResult {
        self.append(model, ids, at, active)
    }

    /// Writes J of its chosen active constraints, through the writer: all rows where the list of constraints is new, else those
    /// that depend on the configuration.
    fn linearize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rows: &mut RowWriter<'_>,
    ) -> StepResult;

    /// Writes the offset of its chosen active constraints (`active.offset`), and `active.rates` where something moves.
    fn set_offsets(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        level: Level,
        active: &mut ActiveConstraints,
    ) -> StepResult;

    /// Gaps at an instant, appended to `out` [m]. By default there are none; active constraints show zero.
    fn gaps(&self, _model: &Model, _at: &Instant<'_>, of: GapsOf<'_>, out: &mut Vec<f64>) -> StepResult {
        if let GapsOf::Active(_, own) = of {
            out.resize(out.len() + own.len(), 0.0);
        }
        Ok(())
    }

    /// The name of a member that does work, or may: springs, gaps that are functions of time, constraints of velocities.
    fn spoils_energy(&self, _model: &Model) -> Option<String> {
        None
    }

    /// Whether its members constrain velocities and have no gap.
    fn is_of_velocities(&self) -> bool {
        false
    }

    /// For each gap of its members, in their order: whether it is that of a bilateral constraint, so that both signs are errors.
    fn bilateral_gaps(&self, _model: &Model, _out: &mut Vec<bool>) {}

    /// y by row of its active constraints at another instant, features frozen, into the places of its rows [m]; rows that have none
    /// (tangents, constraints of velocities, springs) are left as they are. By default none has one.
    fn positions(
        &self,
        _model: &Model,
        _at: &Instant<'_>,
        _active: &ActiveConstraints,
        _own: &Range<usize>,
        _out: &mut [f64],
    ) -> StepResult {
        Ok(())
    }

    /// Relative velocity by row at another instant: at the contact point of that instant, along the axes of detection, into the places
    /// of its rows [m/s]. By default J v with J as it was written.
    fn velocities(
        &self,
        _model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            active.jacobian.dot(c, at.v, &mut out[active.rows(c)]);
        }
        Ok(())
    }

    /// `velocities` into `u` and `positions` into `y` at once: a family may have what both need.
    fn velocities_and_positions(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        (u, y): (&mut [f64], &mut [f64]),
    ) -> StepResult {
        self.velocities(model, at, active, own, u)?;
        self.positions(model, at, active, own, y)
    }

    /// Adds Jᵀ λ with the arms of another instant, features frozen, to `out` (world axes at that instant); `lambda` is by row of all
    /// active constraints. By default with J as it was written.
    fn add_forces(
        &self,
        _model: &Model,
        _at: &Instant<'_>,
        active: &ActiveConstraints,
        own: &Range<usize>,
        lambda: &[f64],
        out: &mut [f64],
    ) -> StepResult {
        for c in own.clone() {
            active.jacobian.add_transposed(c, &lambda[active.rows(c)], out);
        }
        Ok(())
    }

    /// Puts other constraints in the place of those that the path of a drift shows to be others than they seem where the bodies are.
    fn confirm(
        &self,
        _model: &Model,
        _path: &DriftPath<'_>,
        _expected: &Expected<'_>,
        _active: &mut ActiveConstraints,
    ) -> Confirmed {
        Confirmed::AsSeen
    }

    /// The first instant of a drift at which constraints begin whose gaps were not watched from its start; `is_row` tells which active
    /// ones are rows of the kick.
    fn first_meeting(
        &self,
        _model: &Model,
        _path: &DriftPath<'_>,
        _active: &ActiveConstraints,
        _is_row: &dyn Fn(usize) -> bool,
    ) -> StepResult<Option<f64>> {
        Ok(None)
    }

    /// Appends the bodies of constraints that begin on a drift whose gaps were not watched from its start.
    fn meetings(
        &self,
        _model: &Model,
        _path: &DriftPath<'_>,
        _active: &ActiveConstraints,
        _is_row: &dyn Fn(usize) -> bool,
        _bodies: &mut Vec<u32>,
    ) -> StepResult {
        Ok(())
    }

    /// Adds the symmetric part of ∂(Jᵀp)/∂q by the turns of bodies, in working axes, by body [N·m·s]; p by row of all active constraints. What
    /// is left out costs passes of Newton's iteration and changes no result.
    fn stiffen(
        &self,
        _model: &Model,
        _at: &Pass<'_>,
        _active: &ActiveConstraints,
        _own: &Range<usize>,
        _p: &[f64],
        _moments: &mut [Symmetric],
    ) {
    }

    /// J̇ v and what else d²y/dt² has beside J v̇, into the places of its rows; `out` is by row of all active constraints [m/s²].
    fn curvature(
        &self,
        model: &Model,
        at: &Instant<'_>,
        active: &ActiveConstraints,
        out: &mut [f64],
    ) -> StepResult;

    /// The column of the ledger of row `row` of a constraint with this law.
    fn column(&self, model: &Model, law: LawId, row: usize) -> Column {
        let forms = model.law(law).forms();
        match row {
            _ if forms.bilateral => Column::Joint,
            _ if forms.relay => Column::Friction,
            0 => Column::Contact,
            _ => Column::Friction,
        }
    }

    /// Adds works that the family books itself in a θ-step: those of rows of [`Column::Own`] and of its explicit impulses.
    fn works(&self, _model: &Model, _step: &ThetaStep<'_>, _works: &mut Works) -> StepResult {
        Ok(())
    }

    /// Whether it ties rigid things alone, so that a model of some bodies may have it: then `between` and `extract` are there.
    fn is_of_bodies(&self) -> bool {
        false
    }

    /// The rigid things that member `number` of a family of bodies ties.
    fn between(&self, model: &Model, _number: usize) -> [RigidId; 2] {
        [model.rigid.world(); 2]
    }

    /// Places in q that member `number` reads, of a family that ties coordinates and no rigid things; `None` where that is not known.
    fn coordinates_of(&self, _number: usize) -> Option<&[u32]> {
        None
    }

    /// The family in a model of some bodies, with the members `numbers` of this one; `None` unless it is of bodies.
    fn extract(&self, _renamed: &Renamed<'_>, _numbers: &[u32]) -> Option<Box<dyn ConstraintFamily>> {
        None
    }

    /// Whether what is remembered of a lasting force is its rows, whatever the configuration.
    fn stores_rows(&self) -> bool {
        true
    }

    /// What is remembered of a lasting force given by rows: rows by default.
    fn store_force(&self, _active: &ActiveConstraints, _c: usize, rows: &[f64], out: &mut Vec<f64>) {
        out.extend_from_slice(rows);
    }

    /// Remembers the lasting forces p/κ of its active constraints, whose names the memory has already; p by row of all of them.
    fn store_forces(
        &self,
        active: &ActiveConstraints,
        own: Range<usize>,
        (p, length): (&[f64], f64),
        memory: &mut ConstraintMemory,
    ) {
        let mut forces = [0.0; 6];
        for c in own {
            let rows = active.rows(c);
            let forces = &mut forces[..rows.len()];
            forces.iter_mut().zip(&p[rows]).for_each(|(force, p)| *force = p / length);
            self.store_force(active, c, forces, &mut memory.forces);
            memory.force_start.push(memory.forces.len() as u32);
        }
    }

    /// The place in the memory of what goes on as constraint `c` under a new name: a corner of a box that takes the place of another.
    /// None by default.
    fn predecessor(
        &self,
        _model: &Model,
        _memory: &ConstraintMemory,
        _active: &ActiveConstraints,
        _c: usize,
    ) -> Option<usize> {
        None
    }

    /// The rows of a remembered force.
    fn recall_force(&self, _active: &ActiveConstraints, _c: usize, stored: &[f64], rows: &mut [f64]) {
        let n = rows.len().min(stored.len());
        rows[..n].copy_from_slice(&stored[..n]);
    }

    /// The rows of the remembered forces of its active constraints; those of which nothing is known are left as they are.
    fn recall_forces(
        &self,
        active: &ActiveConstraints,
        own: Range<usize>,
        known: &mut Walk<'_>,
        out: &mut [f64],
    ) {
        for c in own {
            if let Some(remembered) = known.find(active.ids[c]) {
                self.recall_force(active, c, remembered.force, &mut out[active.rows(c)]);
            }
        }
    }

    /// Potential energy that its members store (springs) [J].
    fn potential(&self, _model: &Model, _at: &Instant<'_>) -> StepResult<f64> {
        Ok(0.0)
    }

    /// Whether its members exert forces explicitly and book their own energy: springs and dampers.
    fn is_elastic(&self) -> bool {
        false
    }

    /// c of a spring and damper [N·s/m]; 0 for others.
    fn damping(&self, _id: ConstraintId) -> f64 {
        0.0
    }

    /// Adds the power of springs and dampers at an instant that is not that of a potential: of dampers, and of sides that move as
    /// prescribed [W].
    fn elastic_power(&self, _model: &Model, _at: &Instant<'_>, _power: &mut Works) {}

    /// Adds the forces that springs and dampers exert explicitly to `out` (working axes at `at`) [N, N·m]: those of where the bodies
    /// get in the time `ahead` [s] with the velocities of the instant.
    fn elastic_forces(
        &self,
        _model: &Model,
        _at: &Instant<'_>,
        _ahead: f64,
        _out: &mut [f64],
    ) -> StepResult {
        Ok(())
    }
}
