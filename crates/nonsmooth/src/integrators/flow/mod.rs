//! The event-driven flow with its derivative: where a motion leads, and how that depends on initial values and parameters.
//!
//! ```text
//! x(T) = Φ(x₀, p),    δx' = ∂f/∂x δx + ∂f/∂p δp  between events,    saltation at events (`turns.rs`)
//! ```
//!
//! The path is that of `event-driven`: smooth steps to a tolerance, events located to rounding. It is made once. Along it each step, with its
//! length and its closed contacts, is evaluated again beside the path, and differences of fourth order give its derivative: that of the
//! variational equations as the scheme integrates them, through contacts that last, for any system and any force. Grazing, impacts at one
//! instant whose order matters, Painlevé's paradox and accumulations of impacts have no derivative; the error says so, with the time.
//!
//! A ball of mass 1 that falls from height z₀ on a floor with restitution e, after its first impact:
//!
//! ```
//! use nonsmooth::integrators::flow::{Direction, FlowSettings, Neighbours, Varied, flow_with_derivative};
//! use nonsmooth::model::{Linear, ModelBuilder, ModelError};
//! use nonsmooth::{laws::NewtonImpact, solvers::Sparse};
//!
//! let make = |e: f64| -> Result<_, ModelError> {
//!     let mut builder = ModelBuilder::new();
//!     let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-10.0]);
//!     let ball = builder.linear(ball.initial(&[0.2], &[0.0]));
//!     let law = builder.law("rebound", NewtonImpact { restitution: e });
//!     builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
//!     builder.build(0.0)
//! };
//! let (model, state) = make(0.5)?;
//! let e = Direction::Parameter(Box::new(Neighbours::by("e", 0.5, 1e-4, make)?));
//! let varied = Varied { model, state, directions: vec![Direction::Position(0), e] };
//! let flow = flow_with_derivative(&varied, 0.3, &FlowSettings::default(), &[])?;
//!
//! // It hits the floor at t = 0.2 with 2 m/s: z = 2 e s − 5 s² with s = 0.3 − 0.2, and dt/dz₀ = 1/2.
//! assert!((flow.state.q[0] - 0.05).abs() < 1e-12);
//! assert!((flow.events[0].t.d[0] - 0.5).abs() < 1e-9);
//! assert!((flow.d_state[1][0] - 2.0 * 0.1).abs() < 1e-9); // ∂z/∂e = 2 s
//! let by_height = 0.5 * 10.0 * 0.5 * 0.1 - (2.0 * 0.5 - 10.0 * 0.1) * 0.5;
//! assert!((flow.d_state[0][0] - by_height).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod extremes;
mod grazing;
mod probe;
mod turns;
mod types;

pub use types::{
    Direction, Dual, Extremes, Flow, FlowError, FlowEvent, FlowEventKind, FlowSettings, Kink,
    Neighbours, Quantity, Tangent, Varied,
};

use super::tracking::{
    Accumulation, Control, Leg, Locate, Mode, Piece, Point, Rules, Tracker, Width, find, refuse_changes,
    refuse_untracked,
};
use crate::error::StepError;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::SolverSettings;
use columns::Columns;
use extremes::Watch;
use turns::step;

/// The method between events.
const METHOD: &str = "dormand-prince";
/// Largest certificate of a problem of the path and of its differences: these lose four digits.
const SOLVED: f64 = 1e-12;
/// Length of an inner step, relative to a step, below which something jumps. With the tolerance of 1e-12 a jump of the acceleration by J leads to 1e-12/J.
const JUMP: f64 = 1e-6;
/// What is shorter than this, relative to t, lies between two events of one instant: they are located to about 1e-13.
const LOCATED: f64 = 1e-12;
/// What is left of the time is nothing, relative to a step.
const NOTHING_LEFT: f64 = 1e-9;

/// All directions of the initial state: every coordinate, then every velocity.
pub fn all_directions(model: &Model) -> Vec<Direction> {
    let n = model.n_velocities();
    (0..n).map(Direction::Position).chain((0..n).map(Direction::Velocity)).collect()
}

/// The motion of `varied` until `t_end` [s] with its derivative; of `quantities` both ends and the extremes. Without directions it is the motion
/// alone, and nothing is refused for want of a derivative but impacts that accumulate, which `event-driven` cannot pass.
pub fn flow_with_derivative(
    varied: &Varied,
    t_end: f64,
    settings: &FlowSettings,
    quantities: &[Quantity<'_>],
) -> Result<Flow, FlowError> {
    refuse_untracked("event-driven", &varied.model, &[])?;
    refuse_changes(&varied.model)?;
    check(varied, t_end, settings)?;
    let mut follower = Follower::new(varied, settings)?;
    let mut watch = Watch::new(quantities, settings.extremes);
    watch.start(&mut follower, &start_of(&varied.state))?;
    let mut tracker = tracker(settings);
    let mut solving = solver();
    let (start, h) = (varied.state.t, settings.step);
    let (mut now, mut next) = (fresh(&varied.state), State::default());
    let mut log = StepLog::default();
    let mut mode = Mode::default();
    let span = t_end - start;
    let n = (span / h - NOTHING_LEFT).ceil().max(1.0) as u64;
    for k in 0..n {
        let length = if k + 1 == n { t_end - now.t } else { h };
        log.clear();
        next.clone_from(&now);
        let made = tracker.step(&varied.model, &now, length, &mut solving, &mut next, &mut log);
        for probe in &mut follower.columns.probes {
            step(now.t, probe.begin(&now, h))?;
        }
        // What happened before an error is looked at first: it may be why.
        let pieces = tracker.trace.as_deref().unwrap_or_default();
        for (place, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Step(leg) => {
                    follower.refuse_jump(leg, pieces.get(place + 1))?;
                    watch.leg(&mut follower, leg)?;
                    follower.follow(leg)?;
                    mode.clone_from(&leg.mode);
                }
                Piece::Turn(turn) => {
                    watch.before(&follower);
                    follower.pass(turn)?;
                    watch.after(&mut follower, turn)?;
                    mode.clone_from(&turn.next);
                }
            }
        }
        made.map_err(|error| explain(now.t, error))?;
        std::mem::swap(&mut now, &mut next);
        now.t = if k + 1 == n { t_end } else { start + (k + 1) as f64 * h };
        now.step = 0;
    }
    follower.finish(now, &mode, watch)
}

fn start_of(state: &State) -> Point {
    Point { t: state.t, q: state.q.clone(), v: state.v.clone() }
}

/// The state without what schemes remember.
fn fresh(state: &State) -> State {
    let mut state = state.clone();
    state.scheme.clear();
    state.lag.clear();
    state.memory.clear();
    state.step = 0;
    state
}

fn check(varied: &Varied, t_end: f64, settings: &FlowSettings) -> Result<(), FlowError> {
    let positive = [
        ("step", settings.step),
        ("tolerance", settings.tolerance),
        ("increment", settings.increment),
        ("time of the motion", t_end - varied.state.t),
    ];
    match positive.iter().find(|(_, x)| !(*x > 0.0 && x.is_finite())) {
        Some((name, x)) => Err(FlowError::Input(format!("the {name} must be positive, got {x}"))),
        None => Ok(()),
    }
}

fn tracker(settings: &FlowSettings) -> Tracker {
    let rules = Rules {
        locate: Locate::Newton,
        width: Width::Rounding,
        accumulation: Accumulation::Refuse,
        max_events: settings.max_events,
    };
    let control = Control::new(find(METHOD), Some(settings.tolerance), false);
    let mut tracker = Tracker::new(rules, control);
    tracker.trace = Some(Vec::new());
    tracker
}

fn solver() -> SolverSettings {
    SolverSettings { tolerance: SOLVED, ..SolverSettings::default() }
}

/// What the end of the path means for the derivative.
fn explain(t: f64, error: Box<StepError>) -> FlowError {
    match *error {
        StepError::Accumulation { constraint, t: until } => {
            FlowError::NotDifferentiable { t: until, why: Kink::Accumulation { constraint, t: until } }
        }
        StepError::Jammed { t, .. } => FlowError::NotDifferentiable { t, why: Kink::Paradox },
        _ => FlowError::Step { t, source: error },
    }
}

/// Goes along the path with the columns.
struct Follower<'a> {
    varied: &'a Varied,
    columns: Columns,
    settings: SolverSettings,
    events: Vec<FlowEvent>,
    h: f64,
    /// Smooth steps so far.
    legs: usize,
    /// Length of the last smooth step [s].
    last_step: f64,
    /// The last turn, and the steps before it.
    last_turn: Option<(f64, usize)>,
    /// The instant whose impacts are among the events.
    noted: Option<f64>,
}

impl<'a> Follower<'a> {
    fn new(varied: &'a Varied, settings: &FlowSettings) -> Result<Self, FlowError> {
        let mut columns = Columns::new(varied, settings)?;
        let now = fresh(&varied.state);
        for probe in &mut columns.probes {
            step(now.t, probe.begin(&now, settings.step))?;
        }
        let at = start_of(&now);
        let rates = step(at.t, columns.probes[0].rates(&at, &Mode::default()))?;
        columns.grow(&at, &rates);
        Ok(Self {
            varied,
            columns,
            settings: solver(),
            events: Vec::new(),
            h: settings.step,
            legs: 0,
            last_step: settings.step,
            last_turn: None,
            noted: None,
        })
    }

    /// Takes the columns over a smooth step.
    fn follow(&mut self, leg: &Leg) -> Result<(), FlowError> {
        if self.columns.list.is_empty() {
            return Ok(());
        }
        let rates = step(leg.from.t, self.columns.probes[0].rates(&leg.from, &leg.mode))?;
        self.columns.grow(&leg.from, &rates);
        self.legs += 1;
        self.look_for_grazing(leg)?;
        self.columns.carry(&leg.from, |probe, at| step(at.t, probe.step(at, leg)))
    }

    /// Refuses a step that is short for no reason that the path knows. A slip that turns in space has one: it is singular where it ends. So has
    /// what rounding leaves between two events of one instant; after it steps grow again.
    fn refuse_jump(&mut self, leg: &Leg, next: Option<&Piece>) -> Result<(), FlowError> {
        let rounding = LOCATED * leg.from.t.abs().max(self.h);
        let grows = leg.tau > 2.0 * std::mem::replace(&mut self.last_step, leg.tau);
        let is_short = leg.tau > rounding && leg.tau < JUMP * self.h && !grows && !leg.mode.turns();
        if is_short && matches!(next, Some(Piece::Step(_))) && !self.columns.list.is_empty() {
            let why = Kink::Jump { tau: leg.tau };
            return Err(FlowError::NotDifferentiable { t: leg.from.t, why });
        }
        Ok(())
    }

    fn describe(&self, key: usize) -> String {
        let probe = &self.columns.probes[0];
        probe.model.describe(probe.course.motion.watched.id(key))
    }

    /// What a direction is called.
    fn direction(&self, k: usize) -> String {
        let model = &self.varied.model;
        match &self.varied.directions[k] {
            Direction::Position(j) | Direction::Velocity(j) => {
                let (system, name) = model.velocity_name(*j);
                let what = match self.varied.directions[k] {
                    Direction::Position(_) => "the initial position along",
                    _ => "the initial velocity",
                };
                format!("{what} `{name}` of `{system}`")
            }
            Direction::Tangent(tangent) => tangent.name.clone(),
            Direction::Parameter(near) => format!("parameter `{}`", near.name),
        }
    }

    fn finish(mut self, state: State, mode: &Mode, watch: Watch<'_>) -> Result<Flow, FlowError> {
        let at = start_of(&state);
        let rate = step(state.t, self.columns.probes[0].rates(&at, mode))?;
        let extremes = watch.finish(&mut self, (&at, &rate))?;
        let watched = &self.columns.probes[0].course.motion.watched;
        let closed = mode.contacts(watched).map(|(key, _)| watched.id(key)).collect();
        let d_state = self.columns.list.into_iter().map(|column| column.x).collect();
        Ok(Flow { state, rate, d_state, events: self.events, extremes, closed })
    }
}
