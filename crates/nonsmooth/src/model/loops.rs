//! Loops over the families of a model. Nothing outside asks what families there are.

use super::constraints::{Column, GapsOf};
use super::{
    ActiveConstraints, ConstraintId, ConstraintMemory, Free, Model, Remembered, RigidId, RigidState,
    State, Theta,
};
use crate::energy::{Energies, Works};
use crate::error::{StepError, StepResult};
use crate::model::instant::{Instant, Pass};
use crate::model::systems::{KickDriftMotion, SmoothMotion, ThetaMotion, ThetaStep, flows};
use crate::part::Part;
use glam::DVec3;
use nonsmooth_solvers::MassGroups;

impl Model {
    /// Whether the velocity of a coordinate is prescribed.
    pub(crate) fn has_prescribed(&self) -> bool {
        self.systems.iter().any(|family| !family.prescribed().is_empty())
    }

    /// The places in v of coordinates whose velocity is prescribed.
    pub(crate) fn prescribed(&self) -> impl Iterator<Item = usize> + '_ {
        self.systems.iter().flat_map(|family| family.prescribed()).map(|prescribed| prescribed.index)
    }

    /// out += forces at an instant, of systems and given ones.
    pub(crate) fn smooth_forces(&self, at: &Instant<'_>, out: &mut [f64]) -> StepResult {
        let mut power = Works::default();
        self.smooth_motions().try_for_each(|motion| motion.forces(self, at, out, &mut power))?;
        self.forces.iter().try_for_each(|force| force.add(self, at, out))
    }

    /// T(q)ᵀ: an entry over coordinate `coordinate` becomes entries over velocities in working axes at the configuration q.
    pub(crate) fn pull_back(
        &self,
        coordinate: usize,
        q: &[f64],
        slope: f64,
        row: &mut super::SparseRow,
    ) {
        let family = self.systems.iter().find(|family| family.layout().q.contains(&coordinate));
        family.expect("every coordinate belongs to a family").pull_back(coordinate, q, slope, row);
    }

    /// q ⊕ step over all coordinates: `step` as velocities of the state times a time [m, rad].
    #[inline]
    pub fn retract(&self, q: &[f64], step: &[f64], q_next: &mut [f64]) {
        let part = Part::whole(0.0, 0.0);
        self.systems.iter().for_each(|family| family.retract(&part, q, step, q_next));
    }

    /// to ⊖ q over all velocities: `retract` by it leads from q to `to` [m, rad].
    pub fn difference(&self, q: &[f64], to: &[f64], step: &mut [f64]) {
        self.systems.iter().for_each(|family| family.difference(q, to, step));
    }

    /// Velocities of the state to working axes at q.
    pub fn to_working(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.systems.iter().for_each(|family| family.to_working(q, v, out));
    }

    /// Velocities of working axes, as set up at q, to those of the state, in place.
    #[inline]
    pub fn to_state(&self, q: &[f64], v: &mut [f64]) {
        if self.rigid.bodies.is_empty() {
            return;
        }
        self.systems.iter().for_each(|family| family.to_state(q, v));
    }

    /// Pose and twist of all rigid things at t, q and v as in the state.
    pub fn rigid_states(&self, t: f64, q: &[f64], v: &[f64], out: &mut Vec<RigidState>) -> StepResult {
        let world = self.rigid.world().0 as usize;
        out.resize(world + 1, RigidState::default());
        // Another model may have had a body in this place.
        out[world] = RigidState::default();
        self.systems.iter().for_each(|family| family.rigid_states(q, v, out));
        self.kinematic_states(t, out)
    }

    /// Pose and twist of kinematic bodies at time `t`, and of the world, in their places of `out`.
    pub fn kinematic_states(&self, t: f64, out: &mut [RigidState]) -> StepResult {
        let first = self.rigid.bodies.len();
        for (body, out) in self.rigid.kinematic.iter().zip(&mut out[first..]) {
            *out = body.state(t)?;
        }
        Ok(())
    }

    /// Brings all mass groups up to date.
    #[inline]
    pub fn factorize(
        &self,
        part: &Part<'_>,
        at: &Pass<'_>,
        coeffs: super::Coeffs,
        known: bool,
        mass: &mut MassGroups,
    ) -> StepResult {
        // Families say where M̂⁻¹ is not symmetric.
        if !known {
            mass.set_symmetric(true);
        }
        self.systems.iter().try_for_each(|family| family.factorize(self, part, at, coeffs, known, mass))
    }

    /// The θ-motion of every family; a scheme asks `accepts` first.
    #[inline]
    pub fn theta_motions(&self) -> impl Iterator<Item = &dyn ThetaMotion> {
        self.systems.iter().map(|family| family.theta().expect("the scheme accepted the model"))
    }

    /// Kick and drift of every family; a scheme asks `accepts` first.
    pub fn kick_drift_motions(&self) -> impl Iterator<Item = &dyn KickDriftMotion> {
        self.systems.iter().map(|family| family.kick_drift().expect("the scheme accepted the model"))
    }

    /// Smooth motion of every family; a scheme asks `accepts` first.
    pub fn smooth_motions(&self) -> impl Iterator<Item = &dyn SmoothMotion> {
        self.systems.iter().map(|family| family.smooth().expect("the scheme accepted the model"))
    }

    /// v_free of all families, with the forces of the model and the explicit part of springs.
    #[inline]
    pub fn free_motion(
        &self,
        part: &Part<'_>,
        at: &Pass<'_>,
        rule: Theta,
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        free.v.resize(self.n_velocities(), 0.0);
        free.clear_impulses();
        if !self.forces.is_empty() {
            self.external_impulse(at, rule, free)?;
        }
        if self.is_elastic {
            self.elastic_impulse(&at.now, at.implicit.ahead, rule.h, free)?;
        }
        self.theta_motions().try_for_each(|motion| motion.free_motion(self, part, at, rule, mass, free))
    }

    /// v + κ M⁻¹ f of all families at an instant, with the forces of the model; κ = `length` [s]; springs look `ahead` [s]. Forces depend on
    /// the velocities `seen`, which may be later than the v that is kicked.
    pub fn kick(
        &self,
        part: &Part<'_>,
        (at, seen): (&Instant<'_>, &Instant<'_>),
        (length, ahead): (f64, f64),
        mass: &MassGroups,
        free: &mut Free,
    ) -> StepResult {
        free.v.resize(self.n_velocities(), 0.0);
        free.clear_impulses();
        if !self.forces.is_empty() {
            free.external.resize(self.n_velocities(), 0.0);
            self.add_forces(seen, length, free)?;
        }
        if self.is_elastic {
            self.elastic_impulse(at, ahead, length, free)?;
        }
        self.kick_drift_motions()
            .try_for_each(|motion| motion.kick(self, part, seen, (length, at.v), mass, free))
    }

    /// h (θ f(end) + (1−θ) f(now)) of the forces of the model, in working axes.
    #[inline(never)]
    pub fn external_impulse(&self, at: &Pass<'_>, rule: Theta, free: &mut Free) -> StepResult {
        let Theta { h, theta } = rule;
        free.external.resize(self.n_velocities(), 0.0);
        if theta != 0.0 {
            self.add_forces(&at.end, h * theta, free)?;
            self.turn_torques(at, &mut free.external);
            self.turn_torques(at, &mut free.drives);
        }
        if theta != 1.0 {
            self.add_forces(&at.now, h * (1.0 - theta), free)?;
        }
        Ok(())
    }

    /// Adds the forces of the model at an instant, times `length`, to the impulses that act and, of drives, to theirs too.
    fn add_forces(&self, at: &Instant<'_>, length: f64, free: &mut Free) -> StepResult {
        let n = self.n_velocities();
        for is_drive in [false, true] {
            let mut own = self.forces.iter().filter(|force| force.is_drive() == is_drive).peekable();
            if own.peek().is_none() {
                continue;
            }
            free.scratch.clear();
            free.scratch.resize(n, 0.0);
            own.try_for_each(|force| force.add(self, at, &mut free.scratch))?;
            free.external.iter_mut().zip(&free.scratch).for_each(|(sum, f)| *sum += length * f);
            if is_drive {
                free.drives.resize(n, 0.0);
                free.drives.iter_mut().zip(&free.scratch).for_each(|(sum, f)| *sum += length * f);
            }
        }
        Ok(())
    }

    /// Torques in world axes at the end of the step to working axes.
    fn turn_torques(&self, at: &Pass<'_>, impulse: &mut [f64]) {
        if impulse.is_empty() {
            return;
        }
        for (i, body) in self.rigid.bodies.iter().enumerate().filter(|(_, body)| !body.planar) {
            let torque = &mut impulse[body.v as usize + 3..][..3];
            let turned = at.turn(&at.end, RigidId(i as u32)) * DVec3::from_slice(torque);
            torque.copy_from_slice(&turned.to_array());
        }
    }

    /// Adds what springs do explicitly, times `length`, to the impulses that act.
    #[inline(never)]
    fn elastic_impulse(&self, at: &Instant<'_>, ahead: f64, length: f64, free: &mut Free) -> StepResult {
        let n = self.n_velocities();
        free.elastic.resize(n, 0.0);
        free.external.resize(n, 0.0);
        let Free { elastic, external, .. } = free;
        self.constraints
            .iter()
            .try_for_each(|family| family.elastic_forces(self, at, ahead, elastic))?;
        for (f, sum) in elastic.iter_mut().zip(external) {
            *f *= length;
            *sum += *f;
        }
        Ok(())
    }

    /// out += (m M + c C + k K) x, in working axes.
    pub fn times(&self, at: &Instant<'_>, mck: [f64; 3], x: &[f64], out: &mut [f64]) -> StepResult {
        self.systems.iter().try_for_each(|family| family.times(self, at, mck, x, out))
    }

    /// Kinetic and potential energy at an instant.
    #[inline(always)]
    pub fn energies(&self, at: &Instant<'_>) -> StepResult<Energies> {
        let mut sum = Energies::default();
        match self.flying() {
            Some(ballistic) => sum = ballistic.energies(at.q, at.v),
            None => self.systems.iter().try_for_each(|family| family.energies(self, at, &mut sum))?,
        }
        if self.is_elastic {
            for family in &self.constraints {
                sum.potential += family.potential(self, at)?;
            }
        }
        self.check_energies(at, sum)?;
        Ok(sum)
    }

    /// Refuses energies that are not finite.
    #[inline(always)]
    pub(crate) fn check_energies(&self, at: &Instant<'_>, sum: Energies) -> StepResult {
        if (sum.kinetic + sum.potential).is_finite() { Ok(()) } else { Err(self.overflow(at, sum)) }
    }

    /// The squares of finite numbers overflow: names the largest of them.
    #[cold]
    fn overflow(&self, at: &Instant<'_>, sum: Energies) -> Box<StepError> {
        let size = |i: usize| at.v[i].abs();
        let largest = (0..at.v.len()).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(0);
        let (system, coordinate) = self.velocity_name(largest);
        let value = sum.kinetic + sum.potential;
        StepError::NotFinite { what: "energy", system, coordinate, value }.into()
    }

    /// Whether a θ-step may have works beside those of active constraints.
    #[inline]
    pub fn flows(&self, rule: Theta, phi: f64, free: &Free) -> bool {
        flows(self.keeps_energy, rule, phi, free)
    }

    /// Works of a θ-step beside those of constraints.
    pub fn works(&self, step: &ThetaStep<'_>, works: &mut Works) -> StepResult {
        self.theta_motions().try_for_each(|motion| motion.works(self, step, works))?;
        // The families book all impulses as external.
        let work = |impulse: &[f64]| impulse.iter().zip(step.v_phi).map(|(p, v)| p * v).sum::<f64>();
        if !step.free.drives.is_empty() {
            let drive = work(&step.free.drives);
            works.drive += drive;
            works.external -= drive;
        }
        if self.is_elastic {
            works.external -= work(&step.free.elastic);
        }
        self.constraints.iter().try_for_each(|family| family.works(self, step, works))
    }

    /// What is remembered of active constraints, under their name or that of what they follow: lasting forces by row into `out`, then `found`.
    pub(crate) fn recall(
        &self,
        memory: &ConstraintMemory,
        active: &ActiveConstraints,
        out: &mut [f64],
        mut found: impl FnMut(usize, Remembered<'_>, &mut [f64]),
    ) {
        let mut known = memory.walk();
        for (family, own) in self.constraints.iter().zip(&active.own) {
            for c in own.clone() {
                let heir = || family.predecessor(self, memory, active, c).map(|k| memory.at(k));
                let Some(remembered) = known.find(active.ids[c]).or_else(heir) else { continue };
                let rows = &mut out[active.rows(c)];
                family.recall_force(active, c, remembered.force, rows);
                found(c, remembered, rows);
            }
        }
    }

    /// Whether the first row of a constraint is that of a contact.
    #[inline(never)]
    pub(crate) fn is_of_contact(&self, id: ConstraintId) -> bool {
        let family = self.family(id);
        family.column(self, family.law(self, id), 0) == Column::Contact
    }

    /// Gaps of all members of all families that have gaps, family by family [m].
    #[inline]
    pub fn gaps(&self, at: &Instant<'_>, out: &mut Vec<f64>) -> StepResult {
        out.clear();
        self.constraints.iter().try_for_each(|family| family.gaps(self, at, GapsOf::Members, out))
    }

    /// Counts the angles of joints in `next` through whole turns, from those of the state before.
    #[inline]
    pub fn update_angles(&self, before: &State, next: &mut State) -> StepResult {
        if self.joints.n_angles == 0 {
            // An integrator may have used this state for another model.
            next.angles.clear();
            return Ok(());
        }
        self.joints.update_angles(&self.rigid, &before.angles, next)
    }

    /// Marks who is present at the time and place of `state`: bodies whose time has come, less those outside the region.
    pub fn update_presence(&self, state: &mut State) {
        if !state.presence.is_empty() {
            self.rigid.update_presence(state.t, &state.q, &mut state.presence);
        }
    }
}

impl Model {
    /// Shows a state as an instant to `look`.
    pub fn at_state<T>(
        &self,
        state: &State,
        look: impl FnOnce(&Instant<'_>) -> StepResult<T>,
    ) -> StepResult<T> {
        let (q, inputs) = (state.q.clone(), state.inputs.clone());
        let angles = state.angles.clone();
        let mut place =
            crate::model::instant::Place { t: state.t, q, inputs, angles, ..Default::default() };
        place.v = vec![0.0; state.v.len()];
        self.to_working(&state.q, &state.v, &mut place.v);
        place.complete(self, &state.presence, &state.v)?;
        look(&place.instant(&state.presence))
    }

    /// Kinetic and potential energy of a state.
    pub fn energies_of(&self, state: &State) -> StepResult<Energies> {
        self.at_state(state, |at| self.energies(at))
    }

    /// Gaps of all members of all families that have gaps, at a state [m].
    pub fn gaps_of(&self, state: &State, out: &mut Vec<f64>) -> StepResult {
        self.at_state(state, |at| self.gaps(at, out))
    }
}
