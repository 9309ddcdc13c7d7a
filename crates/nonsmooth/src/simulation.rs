//! The driver: makes steps, swaps states, tells observers.

use crate::error::StepError;
use crate::integrators::{Accuracy, Integrator, IntoIntegrator, Refusal};
use crate::log::{ConstraintLog, StepLog};
use crate::model::collision::appears_inside;
use crate::model::rigid::Overlap;
use crate::model::{Model, ModelError, RigidState, State, UserError};
use nonsmooth_geometry::{MassError, ShapeError};
use nonsmooth_solvers::{OptionError, Problem};
use std::sync::Arc;
use thiserror::Error;

/// A read-only view of a step for observers.
#[derive(Clone, Copy)]
pub struct Observation<'a> {
    /// The model.
    pub model: &'a Model,
    /// State before the step.
    pub before: &'a State,
    /// State after the step.
    pub after: &'a State,
    /// What happened in between.
    pub log: &'a StepLog,
    /// The state after the step with all velocities at the instant of q: what results show. It is `after` for schemes whose
    /// velocities do not lag, and in a run whose observers all say that they do not look at it.
    pub shown: &'a State,
}

/// Watches a run; cannot influence it.
///
/// ```
/// use nonsmooth::model::UserError;
/// use nonsmooth::{Observation, Observer};
///
/// /// The largest impulse of a run [N·s], and when it acted [s].
/// #[derive(Default)]
/// struct Hardest(f64, f64);
///
/// impl Observer for Hardest {
///     fn step(&mut self, step: &Observation<'_>) -> Result<(), UserError> {
///         for &impulse in &step.log.constraints.impulse {
///             if impulse > self.0 {
///                 *self = Self(impulse, step.after.t);
///             }
///         }
///         Ok(())
///     }
/// }
///
/// # use nonsmooth::{Simulation, integrators::MoreauJean, laws::NewtonImpact, solvers::Sparse};
/// # use nonsmooth::model::{Linear, ModelBuilder};
/// # let mut builder = ModelBuilder::new();
/// # let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[2.0])).initial(&[0.1], &[-1.0]));
/// # let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
/// # builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
/// # let (model, state) = builder.build(0.0)?;
/// let mut simulation = Simulation::new(model, state, MoreauJean::default(), 0.01)?;
/// let mut hardest = Hardest::default();
/// simulation.run(20, &mut [&mut hardest])?;
/// assert!((hardest.0 - 2.0 * 1.5).abs() < 1e-12); // m (1 + e) v of the one impact
/// # Ok::<(), nonsmooth::Error>(())
/// ```
pub trait Observer {
    /// Called once, before the first step.
    fn start(&mut self, _model: &Model, _state: &State) -> Result<(), UserError> {
        Ok(())
    }

    /// Whether it looks at [`Observation::shown`], which takes time in schemes whose velocities lag.
    fn looks_at_shown(&self) -> bool {
        true
    }

    /// Called after each step.
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError>;

    /// Called whenever the run is saved, and after its last step: writes what is held back.
    fn save(&mut self) -> Result<(), UserError> {
        Ok(())
    }
}

/// A run in progress.
pub struct Simulation {
    /// What is simulated.
    pub model: Arc<Model>,
    /// Where it is. Boxed, as the next state is: they change places at every step.
    pub state: Box<State>,
    next: Box<State>,
    /// The state with velocities at the instant of q, where the scheme is staggered.
    shown: State,
    log: StepLog,
    integrator: Box<dyn Integrator>,
    is_staggered: bool,
    start: f64,
    step_size: f64,
}

/// Why a run ended early. The state of the simulation is the last good one.
#[derive(Debug, Error)]
pub enum RunError {
    /// A step failed.
    #[error("step {step} at t = {t} s: {source}")]
    Step {
        /// Number of the step that failed, from 1.
        step: u64,
        /// Time at its start [s].
        t: f64,
        /// What happened.
        source: StepError,
    },
    /// An observer failed (a full disk, say).
    #[error("after step {step}: {source}")]
    Observer {
        /// Number of the step after which it failed.
        step: u64,
        /// What it said.
        source: UserError,
    },
}

/// All that can go wrong between a model and its results, so that `?` serves a whole program.
#[derive(Debug, Error)]
pub enum Error {
    /// The model is wrong: every issue with its place.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The scheme cannot honour the model, or its settings are wrong.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A step or an observer failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An input or a state was refused.
    #[error(transparent)]
    State(#[from] StateError),
    /// A shape is none.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A shape has no mass.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// Settings of a solver are wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Options(Vec<OptionError>),
}

impl From<Vec<OptionError>> for Error {
    fn from(errors: Vec<OptionError>) -> Self {
        Error::Options(errors)
    }
}

/// Why an input or a state was refused. Nothing was changed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StateError {
    /// The model has no such input.
    #[error("the model has no input `{name}`; it has: {}", known.join(", "))]
    NoSuchInput {
        /// What was asked for.
        name: String,
        /// The inputs that there are.
        known: Vec<String>,
    },
    /// An array is not as long as the model needs it.
    #[error(
        "the state has {got} values of the kind {what}, the model has {expected}: it belongs to another model"
    )]
    Length {
        /// Of what.
        what: &'static str,
        /// Length given.
        got: usize,
        /// Length of the model.
        expected: usize,
    },
    /// A number is not finite.
    #[error("{what} {index} is {value}; it must be finite")]
    NotFinite {
        /// Of what.
        what: &'static str,
        /// Its place.
        index: usize,
        /// What was given.
        value: f64,
    },
}

impl Simulation {
    /// A run of `model` from `state` by a scheme (its settings, or an integrator) with steps of `step_size` [s]; the grid is
    /// t_k = start + k h, where `start` is the time of the state less the steps it has already made.
    pub fn new(
        model: Arc<Model>,
        state: impl Into<Box<State>>,
        scheme: impl IntoIntegrator,
        step_size: f64,
    ) -> Result<Self, Refusal> {
        let integrator = scheme.into_integrator()?;
        if !(step_size > 0.0 && step_size.is_finite()) {
            return Err(Refusal::StepSize { step_size });
        }
        integrator.accepts(&model)?;
        let state: Box<State> = state.into();
        let start = state.t - state.step as f64 * step_size;
        let (next, shown, log) = (state.clone(), State::clone(&state), StepLog::default());
        let is_staggered = integrator.is_staggered();
        Ok(Self { model, state, next, shown, log, integrator, is_staggered, start, step_size })
    }

    /// Continues a run from `state` on the grid of a run that began at `start` [s].
    pub fn resume(&mut self, state: impl Into<Box<State>>, start: f64) {
        self.state = state.into();
        self.next.copy_from(&self.state);
        self.shown.copy_from(&self.state);
        self.start = start;
    }

    /// Makes steps of another size from here on [s]; the grid is then that of `new` from the present state.
    pub fn set_step_size(&mut self, step_size: f64) -> Result<(), Refusal> {
        if !(step_size > 0.0 && step_size.is_finite()) {
            return Err(Refusal::StepSize { step_size });
        }
        self.start = self.state.t - self.state.step as f64 * step_size;
        self.step_size = step_size;
        Ok(())
    }

    /// Sets an input of the model, from the next step on.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), StateError> {
        let known = &self.model.signals.inputs;
        let Some(place) = known.iter().position(|input| input == name) else {
            return Err(StateError::NoSuchInput { name: name.to_owned(), known: known.clone() });
        };
        if !value.is_finite() {
            return Err(StateError::NotFinite { what: "input", index: place, value });
        }
        self.state.inputs[place] = value;
        Ok(())
    }

    /// The constraints of the last step: gaps, velocities, impulses, and where contacts of bodies are.
    pub fn contacts(&self) -> &ConstraintLog {
        &self.log.constraints
    }

    /// Pose and twist in world axes of the body of that name, kinematic ones too, as the last step showed it; before the first step
    /// that of the start. `None` if there is no such body.
    pub fn body(&self, name: &str) -> Option<RigidState> {
        let rigid = &self.model.rigid;
        let names = rigid.bodies.iter().map(|body| &body.name);
        let place = names
            .chain(rigid.kinematic.iter().map(|body| &body.name))
            .position(|known| known == name)?;
        let is_shown = self.integrator.is_staggered() && self.shown.step == self.state.step;
        let State { t, q, v, .. } = if is_shown { &self.shown } else { &*self.state };
        let mut states = Vec::new();
        self.model.rigid_states(*t, q, v, &mut states).ok()?;
        Some(states[place])
    }

    /// Goes on from another state of the same model, on the grid of that state.
    pub fn set_state(&mut self, state: impl Into<Box<State>>) -> Result<(), StateError> {
        let state: Box<State> = state.into();
        let now = &self.state;
        let arrays: [(_, &[f64], usize); 3] = [
            ("coordinate", &state.q, now.q.len()),
            ("velocity", &state.v, now.v.len()),
            ("input", &state.inputs, now.inputs.len()),
        ];
        for (what, values, expected) in arrays {
            if values.len() != expected {
                return Err(StateError::Length { what, got: values.len(), expected });
            }
            if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                return Err(StateError::NotFinite { what, index, value: values[index] });
            }
        }
        let start = state.t - state.step as f64 * self.step_size;
        self.resume(state, start);
        Ok(())
    }

    /// Makes one step; on error the state is as before.
    pub fn step(&mut self) -> Result<Observation<'_>, RunError> {
        let is_synchronized = self.is_staggered;
        self.advance(is_synchronized)?;
        Ok(self.observation(is_synchronized))
    }

    /// The step just made.
    #[inline]
    fn observation(&self, is_synchronized: bool) -> Observation<'_> {
        let Self { model, state, next, shown, log, .. } = self;
        let shown: &State = if is_synchronized { shown } else { state };
        Observation { model, before: next, after: state, log, shown }
    }

    /// Makes one step; where asked for, `shown` follows.
    #[inline(always)]
    fn advance(&mut self, is_synchronized: bool) -> Result<(), RunError> {
        self.log.clear();
        self.log.constraints.length = self.step_size;
        let made = self.integrator.step(
            &self.model,
            &self.state,
            self.step_size,
            &mut self.next,
            &mut self.log,
        );
        if let Err(source) = made {
            return Err(RunError::Step { step: self.state.step + 1, t: self.state.t, source: *source });
        }
        // t_k = start + k h, so that rounding does not pile up; what happened at the end stays there.
        let t = self.start + self.next.step as f64 * self.step_size;
        self.log.events.iter_mut().filter(|e| e.t == self.next.t).for_each(|e| e.t = t);
        self.next.t = t;
        if !self.next.presence.is_empty() {
            self.check_appearance()?;
        }
        if is_synchronized {
            let synchronized = self.integrator.synchronize(&self.model, &self.next, &mut self.shown);
            let (step, t) = (self.next.step, self.state.t);
            synchronized.map_err(|source| RunError::Step { step, t, source: *source })?;
        }
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }

    /// Refuses a step after which a body appears inside of another.
    #[inline(never)]
    fn check_appearance(&self) -> Result<(), RunError> {
        let Self { model, state, next, .. } = self;
        if model.rigid.may_overlap || state.presence == next.presence {
            return Ok(());
        }
        let source = match appears_inside(model, state, next) {
            Ok(None) => return Ok(()),
            Ok(Some(Overlap { first, second, depth, .. })) => {
                StepError::AppearsInside { first, second, depth, t: next.t }
            }
            Err(error) => *error,
        };
        Err(RunError::Step { step: next.step, t: state.t, source })
    }

    /// Makes `n` steps, shows each to the observers and lets these save.
    pub fn run(&mut self, n: u64, observers: &mut [&mut dyn Observer]) -> Result<(), RunError> {
        if self.state.step == 0 {
            for observer in &mut *observers {
                let told = observer.start(&self.model, &self.state);
                told.map_err(|source| RunError::Observer { step: 0, source })?;
            }
        }
        let is_synchronized =
            self.is_staggered && observers.iter().any(|observer| observer.looks_at_shown());
        for _ in 0..n {
            self.advance(is_synchronized)?;
            let frame = self.observation(is_synchronized);
            for observer in &mut *observers {
                let step = frame.after.step;
                observer.step(&frame).map_err(|source| RunError::Observer { step, source })?;
            }
        }
        let step = self.state.step;
        observers.iter_mut().try_for_each(|observer| {
            observer.save().map_err(|source| RunError::Observer { step, source })
        })
    }

    /// Order of the scheme, and whether its impacts act at their instant; order 0 where the model has more than mechanics, of whose error
    /// the ledger shows nothing.
    pub fn accuracy(&self) -> Accuracy {
        let accuracy = self.integrator.accuracy();
        if self.model.beyond_mechanics().is_some() {
            Accuracy { order: 0, ..accuracy }
        } else {
            accuracy
        }
    }

    /// The one-step problem that was posed last, where the scheme keeps it: what to save when a step fails.
    pub fn last_problem(&self) -> Option<&Problem> {
        self.integrator.last_problem()
    }

    /// Forgets all scratch; no bit of any result depends on it.
    pub fn reset(&mut self) {
        self.integrator.reset();
    }
}

/// Number of steps from `start` to `end`: ⌈(end − start)/h⌉, taken as whole when within 1e-9 of it.
pub fn n_steps(start: f64, end: f64, step_size: f64) -> u64 {
    let exact = (end - start) / step_size;
    let nearest = exact.round();
    if (exact - nearest).abs() <= 1e-9 * exact.abs().max(1.0) {
        nearest as u64
    } else {
        exact.ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrators::MoreauJean;
    use crate::model::{Linear, ModelBuilder};
    use nonsmooth_solvers::Sparse;

    #[test]
    fn inputs_and_states_of_another_model_are_refused_and_change_nothing() {
        let mut builder = ModelBuilder::new();
        builder.linear(Linear::new("mass", Sparse::diagonal(&[1.0])).initial(&[1.0], &[2.0]));
        builder.input("torque", 3.0);
        let (model, state) = builder.build(0.0).unwrap();
        let mut simulation = Simulation::new(model, state.clone(), MoreauJean::default(), 0.5).unwrap();
        let refused = simulation.set_input("force", 1.0).unwrap_err();
        assert_eq!(refused.to_string(), "the model has no input `force`; it has: torque");
        assert!(simulation.set_input("torque", f64::NAN).is_err());
        let long = State { q: vec![0.0; 2], ..state.clone() };
        assert!(matches!(simulation.set_state(long), Err(StateError::Length { got: 2, .. })));
        let nan = State { v: vec![f64::NAN], ..state.clone() };
        assert!(matches!(simulation.set_state(nan), Err(StateError::NotFinite { .. })));
        assert_eq!(*simulation.state, state);
        simulation.set_input("torque", 4.0).unwrap();
        simulation.step().unwrap();
        assert_eq!((simulation.state.t, &simulation.state.inputs[..]), (0.5, &[4.0][..]));
        simulation.set_state(State { t: 7.0, ..state }).unwrap();
        simulation.step().unwrap();
        assert_eq!((simulation.state.t, simulation.state.q[0]), (7.5, 2.0));
    }

    #[test]
    fn a_whole_number_of_steps_is_not_rounded_up() {
        assert_eq!(n_steps(0.0, 2.1, 0.7), 3);
        assert_eq!(n_steps(0.0, 1.0, 0.3), 4);
        assert_eq!(n_steps(1e-8, 1e-8 + 748.0 * 2e-6, 2e-6), 748);
    }
}
