//! The instants of a step, evaluated where the options of the scheme say: its start, its end as guessed, and where M and J are taken.

use crate::error::StepResult;
use crate::model::constraints::advanced;
use crate::model::instant::{Implicit, Instant, Pass, Place};
use crate::model::{Model, State, Theta};

/// The instants of a step: its start, its end as guessed, and where M and J are evaluated.
#[derive(Default)]
pub struct Instants {
    now: Place,
    end: Place,
    mass: Place,
    jacobian: Place,
    /// Whether q, v of `now` were copied because working axes differ from those of the state.
    is_turned: bool,
    /// Whether end, mass and jacobian have coordinates of their own.
    is_moved: bool,
    /// Whether mass and jacobian are those of the end.
    at_end: [bool; 2],
    /// Velocities of the guess as in the state.
    v_state: Vec<f64>,
    step: Vec<f64>,
    /// Part of `step`.
    scaled: Vec<f64>,
    implicit: Implicit,
}

/// Where a matrix is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// At the start of the step.
    Start,
    /// At q ⊕ θ (q⁺ ⊖ q).
    Theta,
    /// At the end of the step.
    End,
}

impl Instants {
    /// Poses, twists and signals at the start of the step.
    #[inline]
    pub fn configure(&mut self, model: &Model, now: &State, rule: Theta) -> StepResult {
        self.now.t = now.t;
        self.end.t = now.t + rule.h;
        self.implicit = Implicit::theta(rule);
        self.is_moved = false;
        self.is_turned = model.has_instants();
        if self.is_turned {
            self.configure_rigid(model, now)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn configure_rigid(&mut self, model: &Model, now: &State) -> StepResult {
        self.now.q.clone_from(&now.q);
        self.now.v.resize(now.v.len(), 0.0);
        model.to_working(&now.q, &now.v, &mut self.now.v);
        for place in [&mut self.now, &mut self.end, &mut self.mass, &mut self.jacobian] {
            place.inputs.clone_from(&now.inputs);
            place.angles.clone_from(&now.angles);
        }
        self.now.complete(model, &now.presence, &now.v)?;
        // Until the end is predicted, it is where kinematic bodies will be and bodies get with their velocities: torques there act in
        // axes that have turned. (bodies/forced.rs: a_torque_in_world_axes_adds_to_the_angular_momentum)
        self.end.rigid.clone_from(&self.now.rigid);
        if !model.forces.is_empty() {
            let h = self.end.t - self.now.t;
            for body in self.end.rigid.iter_mut().take(model.rigid.bodies.len()) {
                *body = advanced(body, h).0;
            }
        }
        if model.rigid.has_motion() {
            model.kinematic_states(self.end.t, &mut self.end.rigid)?;
        }
        self.end.signals.clone_from(&self.now.signals);
        Ok(())
    }

    /// For a step that moves first, to `there`, and is decided there: poses, twists, axes and signals are those of `there`, and so are M,
    /// J and the end. Of `now` only t and q stay.
    pub fn configure_there(
        &mut self,
        model: &Model,
        now: &State,
        there: &State,
        implicit: Implicit,
    ) -> StepResult {
        self.implicit = implicit;
        (self.is_moved, self.at_end) = (true, [false; 2]);
        self.is_turned = model.has_instants();
        for place in [&mut self.now, &mut self.mass, &mut self.jacobian, &mut self.end] {
            place.t = there.t;
            place.q.clone_from(&there.q);
            place.v.resize(there.v.len(), 0.0);
            model.to_working(&there.q, &there.v, &mut place.v);
            place.inputs.clone_from(&now.inputs);
            place.angles.clone_from(&now.angles);
            place.complete(model, &now.presence, &there.v)?;
        }
        self.now.t = now.t;
        self.now.q.clone_from(&now.q);
        Ok(())
    }

    /// The end of a step of the position, q⁺ = q ⊕ h w⁺, and in place of J where gaps are imposed with restitution e,
    /// q* = q ⊕ h (w⁺ − e w)/(1+e) at t* = t + h (1−e)/(1+e), from a guess of w⁺ in working axes. M is that of the start.
    pub fn predict_weighted(
        &mut self,
        model: &Model,
        now: &State,
        (h, e): (f64, f64),
        w_next: &[f64],
    ) -> StepResult {
        (self.is_moved, self.at_end) = (true, [false; 2]);
        let Self { mass, jacobian, end, v_state, step, .. } = self;
        v_state.clear();
        v_state.extend_from_slice(w_next);
        model.to_state(&now.q, v_state);
        let weighted = [h / (1.0 + e), -h * e / (1.0 + e)];
        let places = [(mass, [0.0, 0.0]), (jacobian, weighted), (end, [h, 0.0])];
        for (place, [ahead, back]) in places {
            step.clear();
            step.extend(v_state.iter().zip(&now.v).map(|(next, w)| ahead * next + back * w));
            model.rigid.hold_absent(&now.presence, step);
            place.t = now.t + (ahead + back);
            place.q.resize(now.q.len(), 0.0);
            model.retract(&now.q, step, &mut place.q);
            place.v.clear();
            place.v.extend_from_slice(w_next);
            place.complete(model, &now.presence, v_state)?;
        }
        Ok(())
    }

    /// Another guess of v⁺ in working axes, at the same end.
    pub fn guess(&mut self, model: &Model, now: &State, v_next: &[f64]) -> StepResult {
        self.v_state.clear();
        self.v_state.extend_from_slice(v_next);
        model.to_state(&self.end.q, &mut self.v_state);
        self.end.v.clear();
        self.end.v.extend_from_slice(v_next);
        self.end.complete(model, &now.presence, &self.v_state)
    }

    /// The start of the step.
    #[inline]
    pub fn now<'a>(&'a self, now: &'a State) -> Instant<'a> {
        if self.is_turned {
            return self.now.instant(&now.presence);
        }
        let State { t, q, v, presence, inputs, .. } = now;
        Instant { t: *t, q, v, rigid: &[], presence, angles: &[], signals: inputs }
    }

    /// The velocities at the start of the step, in working axes.
    #[inline]
    pub fn velocities<'a>(&'a self, now: &'a State) -> &'a [f64] {
        if self.is_turned { &self.now.v } else { &now.v }
    }

    /// The end of the step as it was made: the state `next` with v⁺ in working axes. Poses are those of the last pass.
    #[inline(always)]
    pub fn made<'a>(&'a self, now: &'a State, next: &'a State, v: &'a [f64]) -> Instant<'a> {
        if self.is_turned || self.is_moved {
            return Instant { t: next.t, q: &next.q, v, ..self.end(now) };
        }
        let State { t, q, presence, inputs, .. } = next;
        Instant { t: *t, q, v, rigid: &[], presence, angles: &[], signals: inputs }
    }

    /// The instants of the present pass.
    #[inline]
    pub fn pass<'a>(&'a self, now: &'a State) -> Pass<'a> {
        let start = self.now(now);
        if self.is_moved {
            let [mass, jacobian] = [(0, &self.mass), (1, &self.jacobian)]
                .map(|(k, place)| if self.at_end[k] { &self.end } else { place });
            let at = |place: &'a Place| place.instant(&now.presence);
            return Pass {
                now: start,
                mass: at(mass),
                jacobian: at(jacobian),
                end: at(&self.end),
                implicit: self.implicit,
            };
        }
        let jacobian = Instant { t: self.end.t, ..start };
        Pass { now: start, mass: start, jacobian, end: self.end(now), implicit: self.implicit }
    }

    /// The instants of a step that takes one pass: v⁺ is guessed as v, with prescribed velocities as they will be, in `guess`.
    pub fn only_pass<'a>(
        &'a self,
        model: &Model,
        now: &'a State,
        guess: &'a mut Vec<f64>,
    ) -> StepResult<Pass<'a>> {
        let pass = self.pass(now);
        guess.clear();
        guess.extend_from_slice(pass.now.v);
        model.theta_motions().try_for_each(|motion| motion.prescribe(model, pass.end.t, guess))?;
        Ok(Pass { end: Instant { v: guess, ..pass.end }, ..pass })
    }

    /// The end of the present pass.
    #[inline]
    pub fn end<'a>(&'a self, now: &'a State) -> Instant<'a> {
        if self.is_moved {
            return self.end.instant(&now.presence);
        }
        let end = Instant { t: self.end.t, ..self.now(now) };
        match self.is_turned {
            true => Instant { rigid: &self.end.rigid, signals: &self.end.signals, ..end },
            false => end,
        }
    }

    /// The end of the step, and where M and J are evaluated, from a guess of v⁺ in working axes: q⁺ = q ⊕ h (θ v⁺ + (1−θ) v).
    pub fn predict(
        &mut self,
        model: &Model,
        now: &State,
        rule: Theta,
        (mass, jacobian): (Configuration, Configuration),
        v_next: &[f64],
    ) -> StepResult {
        let Theta { h, theta } = rule;
        self.is_moved = true;
        self.v_state.clear();
        self.v_state.extend_from_slice(v_next);
        model.to_state(&now.q, &mut self.v_state);
        let mut step = std::mem::take(&mut self.step);
        step.clear();
        step.extend(self.v_state.iter().zip(&now.v).map(|(w, v)| h * (theta * w + (1.0 - theta) * v)));
        model.rigid.hold_absent(&now.presence, &mut step);
        let v_state = std::mem::take(&mut self.v_state);
        let ahead = |at: Configuration| match at {
            Configuration::Start => 0.0,
            Configuration::Theta => theta,
            Configuration::End => 1.0,
        };
        // M of bodies and linear systems is not evaluated there.
        self.at_end =
            [mass == Configuration::End || model.has_linear_systems(), jacobian == Configuration::End];
        let places =
            [(&mut self.mass, ahead(mass)), (&mut self.jacobian, ahead(jacobian)), (&mut self.end, 1.0)];
        let mut done = Ok(());
        for (k, (place, ahead)) in places.into_iter().enumerate() {
            if self.at_end.get(k) == Some(&true) {
                continue;
            }
            place.t = now.t + h;
            place.q.resize(now.q.len(), 0.0);
            if ahead == 1.0 {
                model.retract(&now.q, &step, &mut place.q);
            } else {
                self.scaled.clear();
                self.scaled.extend(step.iter().map(|x| ahead * x));
                model.retract(&now.q, &self.scaled, &mut place.q);
            }
            place.v.clear();
            place.v.extend_from_slice(v_next);
            done = done.and(place.complete(model, &now.presence, &v_state));
        }
        (self.step, self.v_state) = (step, v_state);
        done
    }
}
