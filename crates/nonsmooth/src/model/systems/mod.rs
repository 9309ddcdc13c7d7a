//! Families of systems: what has mass and moves. A family has its own coordinates, velocities and mass groups.
//!
//! ```text
//! M(q) v̇ = f(t, q, v) + Jᵀ λ,      q̇ = T(q) v,      M̂ = M + c C + k K
//! ```
//!
//! A scheme asks each family for the one motion it needs: θ-motion, kick and drift, or smooth motion. A family without
//! it is refused by name.

mod first_order;
mod lagrangian;
mod linear;
mod planar;
mod prescribed;
mod spatial;
mod spatial_motion;

pub use first_order::{FirstOrder, FirstOrderSystems};
pub(crate) use lagrangian::LagrangianSystem;
pub use lagrangian::{At, FiniteDifferences, Lagrangian, LagrangianSystems};
pub use linear::{Angles, DENSE_LIMIT, Linear, LinearSystems, TimeForce};
pub use planar::PlanarBodies;
pub use prescribed::Prescribed;
pub use prescribed::Velocity;
pub use spatial::SpatialBodies;
pub(crate) use spatial_motion::rotate_freely;

use crate::energy::{Energies, Works};
use crate::error::StepResult;
use crate::model::instant::{Instant, Pass};
use crate::model::{ActiveConstraints, Model, Presence, RigidState, SparseRow};
use crate::part::Part;
use nonsmooth_solvers::MassGroups;
use std::ops::Range;

/// Where a family stands in the model.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Its places in q.
    pub q: Range<usize>,
    /// Its places in v.
    pub v: Range<usize>,
    /// Its members, in the numbering of the model.
    pub members: Range<usize>,
    /// Whether its forces are linear in q and v and its mass is constant, so that a θ-step needs no iteration.
    pub is_linear: bool,
    /// Whether nothing but constant loads acts on independent coordinates.
    pub is_ballistic: bool,
    /// Whether a θ-step with θ = ½ keeps its energy under constant loads: it is linear and undamped, nothing is prescribed.
    pub keeps_energy: bool,
    /// Whether its forces depend on velocities.
    pub sees_velocities: bool,
    /// Whether stiffness couples more coordinates than a dense block holds, as in a mesh of finite elements.
    pub is_meshed: bool,
}

/// Whether a θ-step with these forces may have works beside those of constraints; see [`Layout::keeps_energy`].
#[inline]
pub(crate) fn flows(keeps_energy: bool, rule: Theta, phi: f64, free: &Free) -> bool {
    !keeps_energy || rule.theta != 0.5 || phi != 0.5 || !free.external.is_empty()
}

/// v⁺ = v + h M⁻¹ load of independent coordinates under constant loads.
#[inline(always)]
pub(crate) fn fall(load: &[f64], v: &[f64], h: f64, inverse: &[f64], v_next: &mut [f64]) {
    let n = load.len();
    let (v, inverse, v_next) = (&v[..n], &inverse[..n], &mut v_next[..n]);
    for i in 0..n {
        v_next[i] = v[i] + h * load[i] * inverse[i];
    }
}

/// The weights of damping and stiffness in M̂.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coeffs {
    /// Weight of C [s].
    pub damping: f64,
    /// Weight of K [s²].
    pub stiffness: f64,
}

impl Coeffs {
    /// M̂ = M: nothing is implicit.
    pub const MASS: Self = Self { damping: 0.0, stiffness: 0.0 };
}

/// h and θ of a step.
#[derive(Clone, Copy, Debug)]
pub struct Theta {
    /// Step size [s].
    pub h: f64,
    /// θ [–].
    pub theta: f64,
}

impl Theta {
    /// Weights of C and K in M̂ of the θ-scheme.
    pub fn coeffs(self) -> Coeffs {
        Coeffs { damping: self.h * self.theta, stiffness: (self.h * self.theta).powi(2) }
    }
}

/// Where the systems would go without constraints, and what drives them. Written by `free_motion` or `kick`.
#[derive(Clone, Debug, Default)]
pub struct Free {
    /// v_free in working axes.
    pub v: Vec<f64>,
    /// Impulses of forces that depend on time or state, in working axes over all velocities [N·s, N·m·s]; empty where there are none.
    pub external: Vec<f64>,
    /// Those of them that are drives; empty where there are none.
    pub drives: Vec<f64>,
    /// Those of them that springs and dampers give explicitly; their families book them.
    pub elastic: Vec<f64>,
    /// Impulses that a family books as work of the scheme (the gyroscopic term), in working axes; empty where there are none.
    pub inertial: Vec<f64>,
    /// Scratch of the families.
    pub scratch: Vec<f64>,
    /// More scratch of the families.
    pub more: Vec<f64>,
    /// Scratch of phases.
    pub(crate) spare: [Vec<f64>; 3],
}

impl Free {
    /// Forgets the impulses and keeps their memory.
    #[inline]
    pub fn clear_impulses(&mut self) {
        self.external.clear();
        self.inertial.clear();
        self.drives.clear();
        self.elastic.clear();
    }

    /// Impulses on velocity `i` of forces of the model and of drives, without those of springs, which their families book.
    pub fn external_at(&self, i: usize) -> (f64, f64) {
        let at = |x: &[f64]| x.get(i).copied().unwrap_or(0.0);
        let drive = at(&self.drives);
        (at(&self.external) - at(&self.elastic) - drive, drive)
    }
}

/// Systems of one kind.
pub trait SystemFamily: Send + Sync {
    /// Its name in messages: `linear systems`, `bodies in space`.
    fn name(&self) -> &'static str;

    /// Where it stands.
    fn layout(&self) -> &Layout;

    /// The name of the system or body and of the velocity at place `i` of v.
    fn velocity_name(&self, model: &Model, i: usize) -> (String, String);

    /// The name of the system or body and of the coordinate at place `i` of q.
    fn coordinate_name(&self, model: &Model, i: usize) -> (String, String) {
        let Layout { q, v, .. } = self.layout();
        self.velocity_name(model, i - q.start + v.start)
    }

    /// The member to which the velocity at place `i` of v belongs; by default all members have as many.
    fn member_of(&self, i: usize) -> usize {
        let Layout { v, members, .. } = self.layout();
        members.start + (i - v.start) * members.len() / v.len()
    }

    /// Whether it knows angles that must stay small.
    fn has_angles(&self) -> bool {
        false
    }

    /// The largest of these angles [rad], and the name of the system that has it.
    fn largest_angle(&self, _q: &[f64]) -> Option<(f64, &str)> {
        None
    }

    /// Whether its velocities are states without positions.
    fn is_first_order(&self) -> bool {
        false
    }

    /// Registers its mass groups, once per model, in the order of its members.
    fn push_groups(&self, model: &Model, mass: &mut MassGroups);

    /// q ⊕ step over the family's places: `step` [m, rad] is over all velocities, rotations of bodies in body axes.
    fn retract(&self, part: &Part<'_>, q: &[f64], step: &[f64], q_next: &mut [f64]);

    /// to ⊖ q over the family's places of `step`, as in `retract`: q ⊕ step = to. By default to − q, place by place.
    fn difference(&self, q: &[f64], to: &[f64], step: &mut [f64]) {
        let Layout { q: at, v, .. } = self.layout();
        for (at, v) in at.clone().zip(v.clone()) {
            step[v] = to[at] - q[at];
        }
    }

    /// T(q)ᵀ: an entry over coordinate `coordinate` becomes entries over velocities in working axes at the configuration q.
    fn pull_back(&self, coordinate: usize, q: &[f64], slope: f64, row: &mut SparseRow);

    /// Velocities of the state to working axes at the configuration q, over the family's places.
    fn to_working(&self, _q: &[f64], v: &[f64], out: &mut [f64]) {
        let range = self.layout().v.clone();
        out[range.clone()].copy_from_slice(&v[range]);
    }

    /// Velocities of working axes, as set up at the configuration q, to those of the state, over the family's places, in place.
    fn to_state(&self, _q: &[f64], _v: &mut [f64]) {}

    /// Pose and twist of its bodies from q and v, velocities as in the state.
    fn rigid_states(&self, _q: &[f64], _v: &[f64], _out: &mut [RigidState]) {}

    /// Brings the mass groups of its members up to date: M at `at.mass`, C and K at `at.end`. Constant ones are kept while
    /// `mass_known` says that they are those of the same coefficients. Calls `mass.mark_changed` where numbers changed.
    fn factorize(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        coeffs: Coeffs,
        mass_known: bool,
        mass: &mut MassGroups,
    ) -> StepResult;

    /// out += (m M + c C + k K) x over the family's places, in working axes.
    fn times(
        &self,
        model: &Model,
        at: &Instant<'_>,
        mck: [f64; 3],
        x: &[f64],
        out: &mut [f64],
    ) -> StepResult;

    /// Adds kinetic and potential energy of its members; bodies read pose and twist in `at.rigid`, others q and v.
    fn energies(&self, model: &Model, at: &Instant<'_>, total: &mut Energies) -> StepResult;

    /// Coordinates whose velocity is prescribed.
    fn prescribed(&self) -> &[Prescribed] {
        &[]
    }

    /// The place in v of the first coordinate whose velocity is prescribed, if there is one.
    fn first_prescribed(&self) -> Option<usize> {
        self.prescribed().first().map(|prescribed| prescribed.index)
    }

    /// What of it has no energy that is quadratic in v and kept in free motion, and its name: dissipation, forces in time.
    fn spoils_energy(&self, _model: &Model) -> Option<(&'static str, String)> {
        None
    }

    /// Whether it has a constant matrix C.
    fn is_damped(&self) -> bool {
        false
    }

    /// Constant loads over its velocities [N, N·m]; a family that `is_ballistic` has them all.
    fn loads(&self) -> &[f64] {
        &[]
    }

    /// Mass of each of its velocities [kg, kg·m²]; a family that `is_ballistic` has them all.
    fn masses(&self) -> &[f64] {
        &[]
    }

    /// θ-motion, if it has it.
    fn theta(&self) -> Option<&dyn ThetaMotion> {
        None
    }
    /// Kick and drift, if it has them.
    fn kick_drift(&self) -> Option<&dyn KickDriftMotion> {
        None
    }
    /// Motion with accelerations, if it has it.
    fn smooth(&self) -> Option<&dyn SmoothMotion> {
        None
    }
}

/// The step of a θ-scheme as it was made, for the ledger.
pub struct ThetaStep<'a> {
    /// The start.
    pub now: Instant<'a>,
    /// Where M was evaluated.
    pub mass: Instant<'a>,
    /// The end.
    pub next: Instant<'a>,
    /// Where the forces of weight θ were taken: `next`, or with another velocity.
    pub end: Instant<'a>,
    /// h, and θ of the forces.
    pub rule: Theta,
    /// φ of Δq = h v_φ [–].
    pub phi: f64,
    /// How far ahead of `now` springs were evaluated [s].
    pub ahead: f64,
    /// φ v⁺ + (1−φ) v in working axes.
    pub v_phi: &'a [f64],
    /// The forces.
    pub free: &'a Free,
    /// The active constraints.
    pub active: &'a ActiveConstraints,
    /// Their impulses by row [N·s].
    pub p: &'a [f64],
    /// J v at the start, at `end` and of `v_phi` by row, where some constraint is elastic; else empty [m/s].
    pub u: [&'a [f64]; 3],
}

impl ThetaStep<'_> {
    /// out ← out − Jᵀ p, over all velocities.
    pub fn subtract_impulses(&self, out: &mut [f64]) {
        let mut minus = [0.0; 6];
        for c in 0..self.active.len() {
            let rows = self.active.rows(c);
            let minus = &mut minus[..rows.len()];
            minus.iter_mut().zip(&self.p[rows]).for_each(|(minus, p)| *minus = -p);
            self.active.jacobian.add_transposed(c, minus, out);
        }
    }
}

/// M̂ (v_free − v) = h f_θ: Moreau, Paoli, Trinkle and Euler schemes.
pub trait ThetaMotion {
    /// Writes v_free (working axes) and what drives it into `free`, over the family's places.
    fn free_motion(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult;

    /// Writes what is known of v⁺ beforehand into a guess of it: prescribed velocities at time `t`, where the motion takes them from there.
    fn prescribe(&self, _model: &Model, _t: f64, _guess: &mut [f64]) -> StepResult {
        Ok(())
    }

    /// Adds the works of external, viscous, prescribed forces and of the scheme.
    fn works(&self, model: &Model, step: &ThetaStep<'_>, works: &mut Works) -> StepResult;
}

/// Forces at one configuration, then motion without forces, which turns ω too.
pub trait KickDriftMotion {
    /// Writes v + M⁻¹ (κ f + external) (working axes) into `free.v`, over the chosen members: f are the family's own forces at the
    /// instant, `free.external` (where it is not empty) has the impulses of the others; κ = `length` [s]. The velocity v that is kicked
    /// may lag behind that of the instant.
    fn kick(
        &self,
        model: &Model,
        part: &Part<'_>,
        at: &Instant<'_>,
        length_and_v: (f64, &[f64]),
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult;

    /// Moves the chosen members that are there freely for the time `dt` [s], which may differ from `part.h`; `v` is as in the
    /// state and is turned along.
    fn drift(
        &self,
        model: &Model,
        part: &Part<'_>,
        presence: &[Presence],
        dt: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> StepResult;
}

/// What schemes with accelerations ask for.
pub trait SmoothMotion {
    /// q̇ = T(q) v over the family's places, v as in the state.
    fn rate(&self, q: &[f64], v: &[f64], q_dot: &mut [f64]);
    /// The size of the coordinates that each velocity moves, over the family's places: by it rounding of a gap is judged [m, rad].
    fn sizes(&self, q: &[f64], out: &mut [f64]);
    /// Brings q back to unit quaternions.
    fn normalize(&self, _q: &mut [f64]) {}
    /// All forces f(t, q, v) in M v̇ = f, in working axes, and their power.
    fn forces(&self, model: &Model, at: &Instant<'_>, out: &mut [f64], power: &mut Works) -> StepResult;
    /// ∇V(q) over velocities in working axes.
    fn gradient(&self, model: &Model, q: &[f64], out: &mut [f64]) -> StepResult;
}

/// Works of the forces of the model and of the gyroscopic term on bodies at the places `v`.
fn bodies_works(v: Range<usize>, step: &ThetaStep<'_>, works: &mut Works) {
    let power = |impulse: &[f64]| -> f64 {
        if impulse.is_empty() {
            return 0.0;
        }
        impulse[v.clone()].iter().zip(&step.v_phi[v.clone()]).map(|(p, v)| p * v).sum()
    };
    works.external += power(&step.free.external);
    works.scheme += power(&step.free.inertial);
}
