//! The equations of a closed orbit, and their derivative by the flow.
//!
//! ```text
//! unknowns   u = (x, T, λ)          x = (q, v) at the start; T only where it is free, λ only where it is followed
//! closed     Φ(x; T, λ) − x = 0
//! phase      f(a)·(x − a) = 0       T free: a is the orbit before, f its rate
//! energy     E(x; λ) − λ = 0        or at a given value, where it is kept
//! ```
//!
//! A coordinate that a closed contact holds at the start is held at the end; it is no direction of the derivative.
//! Where energy is kept the rows are dependent but not contradictory, so all are solved by least squares.

use super::linear::eigenvalues;
use nonsmooth::integrators::flow::{
    Direction, FlowEventKind, FlowSettings, Neighbours, Varied, flow_with_derivative,
};
use nonsmooth::{Model, State};
use nonsmooth_scene::{Loaded, Reading};
use std::sync::Arc;

/// Change by which derivatives with respect to a parameter are taken, relative to it.
const CHANGE: f64 = 1e-4;
/// Change by which the derivative of the energy is taken: exact for quadratic energies, up to rounding.
const NUDGE: f64 = 1e-5;
/// Gap up to which a contact counts as closed at the start [m].
const CLOSED: f64 = 1e-10;
/// Length of the flow that gives the rate at a point, as a share of the period.
const INSTANT: f64 = 1e-7;

/// What the energy of the orbit has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Energy {
    /// Whatever it is.
    Any,
    /// So much [J].
    At(f64),
    /// The unknown that is followed.
    Followed,
}

/// Which orbit.
pub(super) struct Problem<'a> {
    pub(super) reading: &'a Reading<'a>,
    pub(super) set: &'a [(String, String)],
    /// The parameter that is followed.
    pub(super) along: Option<&'a str>,
    pub(super) energy: Energy,
    /// The period of the force, or about that of the orbit.
    pub(super) period: &'a str,
    /// Whether the period is an unknown.
    pub(super) is_free: bool,
    /// Periods after which the orbit closes.
    pub(super) factor: f64,
}

/// A point near which the orbit begins, and the rate there.
pub(super) struct Anchor {
    pub(super) x: Vec<f64>,
    pub(super) rate: Vec<f64>,
}

/// A motion over the time of the orbit.
pub(super) struct Shot {
    /// What is left of the equations.
    pub(super) residual: Vec<f64>,
    /// Its derivative with respect to the unknowns, row by row.
    pub(super) jacobian: Vec<Vec<f64>>,
    /// ∂Φ/∂x.
    pub(super) monodromy: Vec<Vec<f64>>,
    /// The rate at the end.
    pub(super) rate: Vec<f64>,
    /// Time that the orbit takes [s].
    pub(super) time: f64,
    /// T + V at the start [J].
    pub(super) energy: f64,
    pub(super) impacts: usize,
    /// Contacts left, slips begun, and stops.
    pub(super) changes: usize,
}

impl Problem<'_> {
    /// The scene with the followed parameter at a value.
    pub(super) fn load(&self, value: Option<f64>) -> Result<Loaded, String> {
        let varied = self.along.zip(value).map(|(name, x)| (name.to_owned(), format!("{x:?}")));
        let set: Vec<(String, String)> = self.set.iter().cloned().chain(varied).collect();
        self.reading.build(&set).map_err(|error| error.to_string())
    }

    /// Number of velocities.
    pub(super) fn n(&self, u: &[f64]) -> usize {
        (u.len() - usize::from(self.is_free) - usize::from(self.is_followed())) / 2
    }

    pub(super) fn is_followed(&self) -> bool {
        self.along.is_some() || self.energy == Energy::Followed
    }

    /// The value that is followed.
    pub(super) fn value(&self, u: &[f64]) -> Option<f64> {
        u.last().copied().filter(|_| self.is_followed())
    }

    /// Time that the orbit takes [s].
    pub(super) fn time(&self, loaded: &Loaded, u: &[f64]) -> Result<f64, String> {
        let time =
            if self.is_free { u[2 * self.n(u)] } else { self.factor * loaded.number(self.period)? };
        if time > 0.0 && time.is_finite() {
            Ok(time)
        } else {
            Err(format!("the period is {time} s; it must be > 0"))
        }
    }

    /// Follows the motion from `u` and compares its end with its start.
    pub(super) fn shoot(&self, u: &[f64], anchor: Option<&Anchor>) -> Result<Shot, String> {
        let value = self.value(u);
        let loaded = self.load(value)?;
        let (n, time) = (self.n(u), self.time(&loaded, u)?);
        let x = &u[..2 * n];
        let model = loaded.simulation.model.clone();
        let state = at(&loaded, x);
        let free = free(&model, &state)?;
        let mut directions: Vec<Direction> =
            (0..n).filter(|&j| free[j]).map(Direction::Position).collect();
        directions.extend((0..n).filter(|&j| free[j]).map(Direction::Velocity));
        let n_free = directions.len();
        if let Some((name, p)) = self.along.zip(value) {
            directions.push(self.neighbours(name, p, x)?);
        }
        let start = state.t;
        let varied = Varied { model: model.clone(), state: state.clone(), directions };
        let step = time / (time / loaded.step_size).ceil().max(1.0);
        let settings = FlowSettings { step, ..FlowSettings::default() };
        let flow = flow_with_derivative(&varied, start + time, &settings, &[])
            .map_err(|error| error.to_string())?;
        let end = [&flow.state.q[..], &flow.state.v].concat();
        // What a contact holds at the start it holds at the end.
        let mut columns = flow.d_state[..n_free].iter();
        let mut monodromy = vec![vec![0.0; 2 * n]; 2 * n];
        for j in (0..2 * n).filter(|&j| free[j % n]) {
            if let Some(column) = columns.next() {
                (0..2 * n).for_each(|i| monodromy[i][j] = column[i]);
            }
        }
        let (energy, slope) = energies(&model, &state)?;
        let count = |is: fn(FlowEventKind) -> bool| flow.events.iter().filter(|e| is(e.kind)).count();
        let mut shot = Shot {
            residual: end.iter().zip(x).map(|(end, x)| end - x).collect(),
            jacobian: Vec::new(),
            monodromy,
            rate: flow.rate,
            time,
            energy,
            impacts: count(|kind| kind == FlowEventKind::Impact),
            changes: count(|kind| kind != FlowEventKind::Impact),
        };
        let by_parameter = flow.d_state.get(n_free).map(Vec::as_slice);
        let pace = self.pace(value)?;
        self.rows(u, (by_parameter, pace), &slope, anchor, &mut shot);
        Ok(shot)
    }

    /// Derivative of the time with respect to the followed parameter.
    fn pace(&self, value: Option<f64>) -> Result<f64, String> {
        let (Some(_), Some(p), false) = (self.along, value, self.is_free) else { return Ok(0.0) };
        let d = CHANGE * if p == 0.0 { 1.0 } else { p.abs() };
        let time = |p: f64| self.load(Some(p))?.number(self.period).map(|period| self.factor * period);
        // By two differences, so that the error is of fourth order.
        let quotient = |d: f64| Ok::<f64, String>((time(p + d)? - time(p - d)?) / (2.0 * d));
        Ok((4.0 * quotient(d)? - quotient(2.0 * d)?) / 3.0)
    }

    fn neighbours(&self, name: &str, p: f64, x: &[f64]) -> Result<Direction, String> {
        let d = CHANGE * if p == 0.0 { 1.0 } else { p.abs() };
        let make = |p: f64| -> Result<(Arc<Model>, State), String> {
            let loaded = self.load(Some(p))?;
            Ok((loaded.simulation.model.clone(), at(&loaded, x)))
        };
        Ok(Direction::Parameter(Box::new(Neighbours::by(name, p, d, make)?)))
    }

    /// Rows of the equations and of their derivative.
    fn rows(
        &self,
        u: &[f64],
        (by_parameter, pace): (Option<&[f64]>, f64),
        slope: &[f64],
        anchor: Option<&Anchor>,
        shot: &mut Shot,
    ) {
        let m = 2 * self.n(u);
        for i in 0..m {
            let mut row = vec![0.0; u.len()];
            row[..m].copy_from_slice(&shot.monodromy[i]);
            row[i] -= 1.0;
            if self.is_free {
                row[m] = shot.rate[i];
            }
            if let (Some(column), Some(last)) = (by_parameter, row.last_mut()) {
                *last = column[i] + shot.rate[i] * pace;
            }
            shot.jacobian.push(row);
        }
        if let Some(Anchor { x, rate }) = anchor.filter(|_| self.is_free) {
            let size = rate.iter().map(|f| f * f).sum::<f64>().sqrt();
            let mut row = vec![0.0; u.len()];
            (0..m).for_each(|i| row[i] = rate[i] / size);
            shot.residual.push((0..m).map(|i| row[i] * (u[i] - x[i])).sum());
            shot.jacobian.push(row);
        }
        let (energy, by_itself) = match self.energy {
            Energy::Any => return,
            Energy::At(energy) => (energy, 0.0),
            Energy::Followed => (u[u.len() - 1], -1.0),
        };
        let mut row = vec![0.0; u.len()];
        row[..m].copy_from_slice(slope);
        row[u.len() - 1] += by_itself;
        shot.residual.push(shot.energy - energy);
        shot.jacobian.push(row);
    }

    /// Where a search begins: the rate there, by the flow over an instant.
    pub(super) fn anchor(&self, u: &[f64]) -> Result<Anchor, String> {
        let loaded = self.load(self.value(u))?;
        let (n, time) = (self.n(u), self.time(&loaded, u)?);
        let x = &u[..2 * n];
        let (model, state) = (loaded.simulation.model.clone(), at(&loaded, x));
        let (start, step) = (state.t, INSTANT * time);
        let varied = Varied { model, state, directions: Vec::new() };
        let settings = FlowSettings { step, ..FlowSettings::default() };
        let flow = flow_with_derivative(&varied, start + step, &settings, &[])
            .map_err(|error| error.to_string())?;
        if !(flow.rate.iter().any(|f| *f != 0.0)) {
            return Err("the system is at rest there: begin elsewhere, by the initial values".to_owned());
        }
        Ok(Anchor { x: x.to_vec(), rate: flow.rate })
    }
}

/// The initial state of the scene with other coordinates and velocities.
pub(super) fn at(loaded: &Loaded, x: &[f64]) -> State {
    let mut state = State::clone(&loaded.simulation.state);
    let n = x.len() / 2;
    state.q.copy_from_slice(&x[..n]);
    state.v.copy_from_slice(&x[n..]);
    state
}

/// Which coordinates are not held by a contact that is closed at the start.
fn free(model: &Model, state: &State) -> Result<Vec<bool>, String> {
    let gaps = |state: &State| {
        let mut gaps = Vec::new();
        model.gaps_of(state, &mut gaps).map_err(|error| error.to_string())?;
        Ok::<Vec<f64>, String>(gaps)
    };
    let n = state.q.len();
    let (here, mut free, mut near) = (gaps(state)?, vec![true; n], state.clone());
    let mut holds = vec![0; here.len()];
    for j in 0..n {
        let d = NUDGE * state.q[j].abs().max(1.0);
        near.q[j] = state.q[j] + d;
        let there = gaps(&near)?;
        near.q[j] = state.q[j];
        for (k, (a, b)) in here.iter().zip(&there).enumerate() {
            if a.abs() <= CLOSED && (b - a).abs() > CLOSED {
                free[j] = false;
                holds[k] += 1;
            }
        }
    }
    match holds.iter().any(|&n| n > 1) {
        false => Ok(free),
        true => {
            Err("a contact of several coordinates is closed at the start: begin where it is open"
                .to_owned())
        }
    }
}

/// T + V and its derivative with respect to q and v.
fn energies(model: &Model, state: &State) -> Result<(f64, Vec<f64>), String> {
    let total = |state: &State| {
        let energies = model.energies_of(state).map_err(|error| error.to_string())?;
        Ok::<f64, String>(energies.kinetic + energies.potential)
    };
    let (n, mut near) = (state.q.len(), state.clone());
    let mut slope = Vec::with_capacity(2 * n);
    for i in 0..2 * n {
        let x = if i < n { state.q[i] } else { state.v[i - n] };
        let d = NUDGE * x.abs().max(1.0);
        let mut ends = [0.0; 2];
        for (end, x) in ends.iter_mut().zip([x - d, x + d]) {
            *(if i < n { &mut near.q[i] } else { &mut near.v[i - n] }) = x;
            *end = total(&near)?;
        }
        *(if i < n { &mut near.q[i] } else { &mut near.v[i - n] }) = x;
        slope.push((ends[1] - ends[0]) / (2.0 * d));
    }
    Ok((total(state)?, slope))
}

impl Shot {
    /// The largest of what is left.
    pub(super) fn error(&self) -> f64 {
        self.residual.iter().fold(0.0, |m, r| m.max(r.abs()))
    }

    /// Floquet multipliers, the largest first.
    pub(super) fn multipliers(&self) -> Result<Vec<[f64; 2]>, String> {
        let failed = || "the eigenvalues of the monodromy matrix were not found".to_owned();
        eigenvalues(&self.monodromy).ok_or_else(failed)
    }
}
