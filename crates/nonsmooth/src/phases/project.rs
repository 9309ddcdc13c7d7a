//! Projection: the end of the step moves onto the constraints that took part in it.
//!
//! ```text
//! q⁺ ← q⁺ ⊕ M(q⁺)⁻¹ Jᵀ λ          y = y(q⁺, t⁺),  J = J(q⁺, t⁺),  W = J M⁻¹ Jᵀ
//! onto the surface       y + W λ = 0, λ of either sign: joints, contacts that are to close, contacts once moved out
//! onto what is allowed   0 ≤ y + W λ ⟂ λ ≥ 0: the others
//! ```
//!
//! repeated until every |y| (or, where only overlap counts, every −y) is within the tolerance: Newton's iteration for the
//! nearest point in the metric of M. A contact that one pass moved out is held on the surface by the next ones, lest
//! the corrections of its neighbours open it again. Tangents do not act, velocities stay as they are. The energy that this adds, T + V
//! after less T + V before, is the column `projection` of the ledger. [Acary13]
//!
//! Contact points of bodies are those of q⁺, with its normals: all that overlap are moved out, and those that are nearly in contact are held
//! apart. Points that are to close are found again by name.

use super::assemble::{apply, assemble};
use super::factorize::{Mass, factorize};
use super::linearize::linearize;
use super::solve::{Impulses, SolverSettings, solve};
use crate::error::{StepError, StepResult};
use crate::log::StepLog;
use crate::model::errors::check_coordinates;
use crate::model::instant::Place;
use crate::model::instant::{Implicit, Instant, Pass};
use crate::model::{Activation, ActiveConstraints, Coeffs, ConstraintId, Free, Model, State};
use crate::part::Part;
use nonsmooth_solvers::{Problem, Set};

/// Points of bodies up to this many times the deepest overlap apart are held apart.
const NEAR: f64 = 2.0;

/// Where and how closely the end of the step is projected.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// Whether contacts that carried an impulse end on the surface, y = 0, even if they were apart.
    pub onto_surface: bool,
    /// Whether gaps that overlap are moved out even if they did not take part.
    pub all: bool,
    /// Largest |y| that counts as zero [m].
    pub tolerance: f64,
    /// Most passes of Newton's iteration.
    pub iterations: usize,
}

/// Scratch of the projection.
#[derive(Default)]
pub struct Projecting {
    there: Place,
    active: ActiveConstraints,
    mass: Mass,
    free: Free,
    problem: Problem,
    multipliers: Impulses,
    step: Vec<f64>,
    /// The constraints with a name of their own onto which q⁺ is moved, ascending.
    ids: Vec<ConstraintId>,
    /// Those of all constraints that end on the surface, ascending.
    surface: Vec<ConstraintId>,
    /// y by row of other constraints; NaN where there is none [m].
    y: Vec<f64>,
    /// Pairs of colliders that overlap before the projection, ascending.
    overlaps: Vec<[u32; 2]>,
    /// q⁺ as the velocities gave it.
    unprojected: Vec<f64>,
}

/// Moves `next.q` onto the constraints that `scratch` has selected; keeps there what it was.
pub fn project(
    model: &Model,
    rule: Projection,
    settings: &mut SolverSettings,
    scratch: &mut Projecting,
    (now, next): (&State, &mut State),
    log: &mut StepLog,
) -> StepResult {
    scratch.unprojected.clone_from(&next.q);
    for pass in 0.. {
        scratch.place(model, now, next)?;
        if rule.all {
            scratch.add_entered(model, rule.tolerance, (now, next))?;
        }
        scratch.gather(model, rule, (now, next), pass == 0)?;
        let (violation, worst) = scratch.violation();
        if violation <= rule.tolerance {
            break;
        }
        if pass >= rule.iterations {
            let constraint = worst.map_or(String::new(), |id| model.describe(id));
            let tolerance = rule.tolerance;
            return Err(
                StepError::Projection { iterations: pass, constraint, violation, tolerance }.into()
            );
        }
        scratch.correct(model, settings, (now, next), log)?;
    }
    // Who is there and how far joints have turned is told by where the bodies end.
    next.presence.clone_from(&now.presence);
    model.update_presence(next);
    model.update_angles(now, next)
}

/// The step as a part.
fn whole_step(now: &State, next: &State) -> Part<'static> {
    Part::whole(now.t, next.step_size)
}

/// Everything at one instant.
fn pass_at(at: Instant<'_>) -> Pass<'_> {
    Pass { now: at, mass: at, jacobian: at, end: at, implicit: Implicit::default() }
}

/// Whether the constraints of a family have names of their own: those of others depend on where the bodies are.
fn is_named(model: &Model, family: usize) -> bool {
    model.constraints[family].n_members() > 0
}

impl Projecting {
    /// Selects the constraints that took part, with impulses `p`, and have a gap; `at` is the start of the step.
    pub fn select(
        &mut self,
        model: &Model,
        at: &Instant<'_>,
        (active, p): (&ActiveConstraints, &[f64]),
        rule: Projection,
    ) -> StepResult {
        self.ids.clear();
        self.surface.clear();
        self.y.clear();
        self.y.resize(active.n_rows(), f64::NAN);
        for (f, own) in active.own.iter().enumerate() {
            if is_named(model, f) {
                model.constraints[f].positions(model, at, active, own, &mut self.y)?;
            }
            for c in own.clone() {
                let (id, row) = (active.ids[c], active.rows(c).start);
                let has_gap = !self.y[row].is_nan();
                if has_gap {
                    self.ids.push(id);
                }
                let is_joint = has_gap && model.law(active.laws[c]).forms().bilateral;
                let closes = rule.onto_surface && p[row] > 0.0 && (has_gap || !is_named(model, f));
                if is_joint || closes {
                    self.surface.push(id);
                }
            }
        }
        Ok(())
    }

    /// Goes to q⁺.
    fn place(&mut self, model: &Model, now: &State, next: &State) -> StepResult {
        let Place { t, q, v, inputs, angles, .. } = &mut self.there;
        *t = next.t;
        q.clone_from(&next.q);
        v.resize(next.v.len(), 0.0);
        model.to_working(&next.q, &next.v, v);
        inputs.clone_from(&next.inputs);
        angles.clone_from(&now.angles);
        self.there.complete(model, &now.presence, &next.v)
    }

    /// Selects also the gaps that overlap at q⁺; those of earlier passes stay.
    fn add_entered(
        &mut self,
        model: &Model,
        tolerance: f64,
        (now, next): (&State, &State),
    ) -> StepResult {
        let Self { there, active, ids, y, .. } = self;
        let (at, part) = (there.instant(&now.presence), whole_step(now, next));
        active.open(model);
        for (f, family) in model.constraints.iter().enumerate() {
            if is_named(model, f) {
                let overlapping = Activation::Reach { distance: -tolerance };
                family.detect(model, &part, &at, overlapping, active)?;
            }
            active.close_family();
        }
        y.clear();
        y.resize(active.n_rows(), f64::NAN);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            family.positions(model, &at, active, own, y)?;
        }
        for c in 0..active.len() {
            let is_joint = model.law(active.laws[c]).forms().bilateral;
            if y[active.rows(c).start] < -tolerance
                && !is_joint
                && let Err(place) = ids.binary_search(&active.ids[c])
            {
                ids.insert(place, active.ids[c]);
            }
        }
        Ok(())
    }

    /// The selected constraints and points of bodies at q⁺, with their y as offset.
    fn gather(
        &mut self,
        model: &Model,
        rule: Projection,
        (now, next): (&State, &State),
        is_first: bool,
    ) -> StepResult {
        let closes = rule.onto_surface && self.surface.iter().any(|id| !is_named(model, id.family()));
        self.list(model, if closes { f64::INFINITY } else { 0.0 }, (now, next))?;
        let points = |c: &usize| !is_named(model, self.active.ids[*c].family());
        let points = (0..self.active.len()).filter(points);
        let depth = points.clone().fold(0.0f64, |m, c| m.max(-self.active.gap[c]));
        if is_first {
            let inside = points.filter(|&c| self.active.gap[c] < -rule.tolerance);
            self.overlaps.clear();
            self.overlaps.extend(inside.map(|c| self.active.ids[c].colliders()));
        }
        if depth > 0.0 && !closes {
            self.list(model, NEAR * depth, (now, next))?;
        }
        let Self { there, active, surface, .. } = self;
        active.retain_rows(|active, c| {
            let id = active.ids[c];
            let is_near = is_named(model, id.family()) || active.gap[c] <= NEAR * depth;
            let keep = is_near || surface.binary_search(&id).is_ok();
            match (keep, model.law(active.laws[c]).forms().bilateral) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => active.rows(c).len(),
            }
        });
        active.close(model);
        let at = there.instant(&now.presence);
        let mut y = std::mem::take(&mut active.offset);
        for (family, own) in model.constraints.iter().zip(&active.own) {
            family.positions(model, &at, active, own, &mut y)?;
        }
        active.offset = y;
        for c in 0..active.len() {
            let on_surface = surface.binary_search(&active.ids[c]).is_ok();
            let sets = active.set_start[c] as usize..active.set_start[c + 1] as usize;
            active.sets[sets].fill(if on_surface { Set::Free } else { Set::Nonnegative });
        }
        Ok(())
    }

    /// Lists the selected constraints and the points of bodies that are not farther apart than `distance`.
    fn list(&mut self, model: &Model, distance: f64, (now, next): (&State, &State)) -> StepResult {
        let Self { there, active, ids, .. } = self;
        let (at, part) = (there.instant(&now.presence), whole_step(now, next));
        active.open(model);
        for (f, family) in model.constraints.iter().enumerate() {
            if is_named(model, f) {
                let begin = ids.partition_point(|id| id.family() < f);
                let end = ids.partition_point(|id| id.family() <= f);
                family.append(model, &ids[begin..end], &at, active)?;
            } else {
                family.detect(model, &part, &at, Activation::Reach { distance }, active)?;
            }
            active.close_family();
        }
        Ok(())
    }

    /// The largest violation [m] and its place.
    fn violation(&self) -> (f64, Option<ConstraintId>) {
        let Self { active, surface, .. } = self;
        let (mut largest, mut worst) = (0.0, None);
        for c in 0..active.len() {
            let on_surface = surface.binary_search(&active.ids[c]).is_ok();
            for &y in &active.offset[active.rows(c)] {
                let violation = if on_surface { y.abs() } else { -y };
                if violation > largest {
                    (largest, worst) = (violation, Some(active.ids[c]));
                }
            }
        }
        (largest, worst)
    }

    /// One pass: solves for λ and moves `next.q`.
    fn correct(
        &mut self,
        model: &Model,
        settings: &mut SolverSettings,
        (now, next): (&State, &mut State),
        log: &mut StepLog,
    ) -> StepResult {
        let Self { there, active, mass, free, problem, multipliers, step, surface, .. } = self;
        let part = whole_step(now, next);
        let pass = pass_at(there.instant(&now.presence));
        factorize(model, &part, &pass, Coeffs::MASS, problem, mass)?;
        linearize(model, &part, &pass, active)?;
        free.v.clear();
        free.v.resize(next.v.len(), 0.0);
        assemble(active, mass, free, problem);
        multipliers.p.clear();
        multipliers.p.resize(active.n_rows(), 0.0);
        solve(&mut *settings.solver, settings.tolerance, problem, multipliers, log)?;
        log.set_aside();
        apply(problem, free, multipliers, step);
        for c in 0..active.len() {
            let (id, is_out) = (active.ids[c], multipliers.p[active.rows(c).start] > 0.0);
            if let (true, true, Err(place)) =
                (is_out, is_named(model, id.family()), surface.binary_search(&id))
            {
                surface.insert(place, id);
            }
        }
        model.to_state(&there.q, step);
        model.retract(&there.q, step, &mut next.q);
        check_coordinates(model, &next.q)
    }

    /// Adds to `ids` the contacts of `reach`, the constraints within reach of the step, that did not take part and end inside: gaps
    /// after the projection, points of bodies before it where their colliders overlap. Whether there were any.
    pub fn entered(
        &mut self,
        model: &Model,
        (reach, active): (&ActiveConstraints, &ActiveConstraints),
        tolerance: f64,
        (now, next): (&State, &mut State),
        ids: &mut Vec<ConstraintId>,
    ) -> StepResult<bool> {
        let known = ids.len();
        self.y.clear();
        self.y.resize(reach.n_rows(), f64::NAN);
        for named in [true, false] {
            if !named {
                self.exchange(next);
            }
            let placed = self.place(model, now, next);
            if !named {
                self.exchange(next);
            }
            placed?;
            let at = self.there.instant(&now.presence);
            for (f, own) in reach.own.iter().enumerate().filter(|(f, _)| is_named(model, *f) == named) {
                model.constraints[f].positions(model, &at, reach, own, &mut self.y)?;
            }
        }
        for (c, &id) in reach.ids.iter().enumerate() {
            let is_inside = self.y[reach.rows(c).start] < -tolerance
                && (is_named(model, id.family()) || self.overlaps.contains(&id.colliders()));
            let is_joint = model.law(reach.laws[c]).forms().bilateral;
            if is_inside && !is_joint && active.ids.binary_search(&id).is_err() {
                ids.push(id);
            }
        }
        Ok(ids.len() > known)
    }

    /// Swaps q⁺ as the velocities gave it with its projection.
    pub fn exchange(&mut self, next: &mut State) {
        std::mem::swap(&mut self.unprojected, &mut next.q);
    }

    /// Books the projection: energies and gaps are those of `next`, the log has those before.
    pub fn account(&mut self, model: &Model, next: &State, log: &mut StepLog) -> StepResult {
        self.place(model, next, next)?;
        let at = self.there.instant(&next.presence);
        let before = log.energies;
        log.energies = model.energies(&at)?;
        let kinetic = log.energies.kinetic - before.kinetic;
        log.works.projection = kinetic + (log.energies.potential - before.potential);
        model.gaps(&at, &mut log.gaps)
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}
