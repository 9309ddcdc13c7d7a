//! Derivatives of maps along the columns, by central differences of fourth order.
//!
//! ```text
//! dF = (F(x − 2εδ) − 8 F(x − εδ) + 8 F(x + εδ) − F(x + 2εδ)) / 12ε  +  the same over p of the model, at fixed x
//! ```
//!
//! With ε δ a ten-thousandth of the largest coordinate, or velocity, so far the error is about 1e-16 of the truncation and 1e-12 of rounding.

use super::probe::{Probe, joined};
use super::{Direction, FlowError, FlowSettings, Varied};
use crate::integrators::tracking::Point;

/// Places of the differences.
const OFFSETS: [f64; 4] = [-2.0, -1.0, 1.0, 2.0];
/// Second difference, relative to the first, beyond which there is a kink: smooth maps have about the increment.
const KINK: f64 = 1e-2;
/// Second difference that is rounding or a solver's, relative to the values.
const LEAST_KINK: f64 = 1e-9;

/// One direction of the derivative.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Change of q and v.
    pub(super) x: Vec<f64>,
    /// The first of four probes, and the step of the parameter.
    pub(super) variant: Option<(usize, f64)>,
}

/// All columns, and what evaluates maps for them.
pub(super) struct Columns {
    pub(super) probes: Vec<Probe>,
    pub(super) list: Vec<Column>,
    /// Largest coordinate and velocity so far.
    size: [f64; 2],
    pub(super) increment: f64,
    h: f64,
}

/// What a map gives, or why it has no value.
pub(super) type Mapped = Result<Vec<f64>, FlowError>;

impl Columns {
    /// The columns at the start.
    pub(super) fn new(varied: &Varied, settings: &FlowSettings) -> Result<Self, FlowError> {
        let Varied { model, state, directions } = varied;
        let mut columns = Self {
            probes: vec![Probe::new(model.clone(), state.clone())],
            list: Vec::new(),
            size: [0.0; 2],
            increment: settings.increment,
            h: settings.step,
        };
        let (n, m) = (model.n_coordinates(), model.n_velocities());
        for direction in directions {
            columns.add(direction, (state, n, m))?;
        }
        Ok(columns)
    }

    fn add(
        &mut self,
        direction: &Direction,
        (state, n, m): (&crate::State, usize, usize),
    ) -> Result<(), FlowError> {
        let mut x = vec![0.0; n + m];
        let mut variant = None;
        match direction {
            Direction::Position(j) | Direction::Velocity(j) if *j >= m => {
                return Err(FlowError::Input(format!("there is no velocity {j}; the model has {m}")));
            }
            Direction::Velocity(j) => x[n + j] = 1.0,
            Direction::Position(j) => {
                let mut step = vec![0.0; m];
                step[*j] = 1.0;
                self.turn_out(&state.q, &step, &mut x[..n]);
            }
            Direction::Tangent(tangent) => {
                if tangent.position.len() != m || tangent.velocity.len() != m {
                    let what = format!("`{}` needs {m} numbers for position and velocity", tangent.name);
                    return Err(FlowError::Input(what));
                }
                self.turn_out(&state.q, &tangent.position, &mut x[..n]);
                x[n..].copy_from_slice(&tangent.velocity);
            }
            Direction::Parameter(near) => {
                if !(near.step > 0.0 && near.step.is_finite()) {
                    let what = format!("parameter `{}`: a step of {} is none", near.name, near.step);
                    return Err(FlowError::Input(what));
                }
                variant = Some((self.probes.len(), near.step));
                for (place, (model, at)) in OFFSETS.iter().zip(&near.at) {
                    if model.n_coordinates() != n || model.n_velocities() != m || at.t != state.t {
                        let what = format!(
                            "parameter `{}` changes the number of coordinates or the initial time ({place} steps off)",
                            near.name
                        );
                        return Err(FlowError::Input(what));
                    }
                    self.probes.push(Probe::new(model.clone(), at.clone()));
                }
                let values = near.at.each_ref().map(|(_, at)| [&at.q[..], &at.v[..]].concat());
                add(&mut x, near.step, &values);
            }
        }
        self.list.push(Column { x, variant });
        Ok(())
    }

    /// dq ← d(q ⊕ ε step)/dε.
    fn turn_out(&self, q: &[f64], step: &[f64], dq: &mut [f64]) {
        let model = &self.probes[0].model;
        let size = step.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let epsilon = self.increment / size;
        let moved = OFFSETS.map(|place| {
            let step: Vec<f64> = step.iter().map(|x| place * epsilon * x).collect();
            let mut moved = vec![0.0; q.len()];
            model.retract(q, &step, &mut moved);
            model.normalize(&mut moved);
            moved
        });
        add(dq, epsilon, &moved);
    }

    /// Takes notice of how large coordinates and velocities become.
    pub(super) fn grow(&mut self, at: &Point, rates: &[f64]) {
        let (q_dot, a) = rates.split_at(at.q.len());
        for (size, (x, rate)) in self.size.iter_mut().zip([(&at.q, q_dot), (&at.v, a)]) {
            *size = x.iter().fold(*size, |m, x| m.max(x.abs()));
            *size = rate.iter().fold(*size, |m, x| m.max(self.h * x.abs()));
        }
    }

    /// Largest coordinate and velocity so far; 1 where there was none.
    pub(super) fn sizes(&self) -> [f64; 2] {
        self.size.map(|size| if size > 0.0 { size } else { 1.0 })
    }

    /// ε for a change of x and t.
    pub(super) fn epsilon(&self, dx: &[f64], dt: f64) -> f64 {
        let n = self.probes[0].model.n_coordinates();
        let (dq, dv) = dx.split_at(n);
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let [q, v] = self.sizes();
        let relative = (largest(dq) / q).max(largest(dv) / v).max(dt.abs() / self.h);
        if relative > 0.0 { self.increment / relative } else { 0.0 }
    }

    /// The change that the derivative of a column is made with, in units of the direction.
    pub(super) fn unit(&self, dx: &[f64], variant: Option<(usize, f64)>) -> f64 {
        match self.epsilon(dx, 0.0) {
            0.0 => variant.map_or(1.0, |(_, step)| step),
            epsilon => epsilon,
        }
    }

    /// The derivative of a map along a change of x and t, and of the parameter.
    pub(super) fn along(
        &mut self,
        at: &Point,
        (dx, dt): (&[f64], f64),
        variant: Option<(usize, f64)>,
        mut map: impl FnMut(&mut Probe, &Point) -> Mapped,
    ) -> Mapped {
        Ok(self.differences(at, (dx, dt, f64::INFINITY), variant, &mut map, false)?.0)
    }

    /// The same with a largest ε, and whether the map is smooth there.
    pub(super) fn along_smooth(
        &mut self,
        at: &Point,
        change: (&[f64], f64, f64),
        variant: Option<(usize, f64)>,
        mut map: impl FnMut(&mut Probe, &Point) -> Mapped,
    ) -> Result<(Vec<f64>, bool), FlowError> {
        self.differences(at, change, variant, &mut map, true)
    }

    fn differences(
        &mut self,
        at: &Point,
        (dx, dt, most): (&[f64], f64, f64),
        variant: Option<(usize, f64)>,
        map: &mut dyn FnMut(&mut Probe, &Point) -> Mapped,
        judges: bool,
    ) -> Result<(Vec<f64>, bool), FlowError> {
        let epsilon = self.epsilon(dx, dt).min(most);
        let centre = if judges { Some(map(&mut self.probes[0], at)?) } else { None };
        let mut out: Vec<f64> = Vec::new();
        let mut is_smooth = true;
        if epsilon > 0.0 {
            let mut values: [Vec<f64>; 4] = Default::default();
            for (value, place) in values.iter_mut().zip(OFFSETS) {
                let moved = self.offset(at, place * epsilon, (dx, dt));
                *value = map(&mut self.probes[0], &moved)?;
            }
            out.resize(values[0].len(), 0.0);
            add(&mut out, epsilon, &values);
            is_smooth &= centre.as_ref().is_none_or(|centre| smooth(centre, &values));
        }
        if let Some((first, step)) = variant {
            let mut values: [Vec<f64>; 4] = Default::default();
            for (value, probe) in values.iter_mut().zip(&mut self.probes[first..]) {
                *value = map(probe, at)?;
            }
            out.resize(values[0].len(), 0.0);
            add(&mut out, step, &values);
            is_smooth &= centre.as_ref().is_none_or(|centre| smooth(centre, &values));
        }
        if out.is_empty() {
            let n = match centre {
                Some(centre) => centre.len(),
                None => map(&mut self.probes[0], at)?.len(),
            };
            out.resize(n, 0.0);
        }
        Ok((out, is_smooth))
    }

    /// x + a δ, on the unit quaternions.
    fn offset(&self, at: &Point, a: f64, (dx, dt): (&[f64], f64)) -> Point {
        let mut moved = at.clone();
        let n = moved.q.len();
        moved.q.iter_mut().zip(dx).for_each(|(q, d)| *q += a * d);
        moved.v.iter_mut().zip(&dx[n..]).for_each(|(v, d)| *v += a * d);
        moved.t += a * dt;
        self.probes[0].model.normalize(&mut moved.q);
        moved
    }

    /// Replaces every column by its derivative under a map of points.
    pub(super) fn carry(
        &mut self,
        at: &Point,
        mut map: impl FnMut(&mut Probe, &Point) -> Result<Point, FlowError>,
    ) -> Result<(), FlowError> {
        for k in 0..self.list.len() {
            let Column { x, variant } = self.list[k].clone();
            let next = self.along(at, (&x, 0.0), variant, |probe, at| Ok(joined(&map(probe, at)?)))?;
            self.list[k].x = next;
        }
        Ok(())
    }
}

/// out ← out + the derivative by four values; what does not change has none, exactly.
fn add(out: &mut [f64], step: f64, [a, b, c, d]: &[Vec<f64>; 4]) {
    for (k, out) in out.iter_mut().enumerate() {
        *out += (8.0 * (c[k] - b[k]) - (d[k] - a[k])) / (12.0 * step);
    }
}

/// Whether three values lie on a line, nearly.
fn smooth(centre: &[f64], values: &[Vec<f64>; 4]) -> bool {
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let pairs = || values[1].iter().zip(&values[2]);
    let first = pairs().map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
    let second = pairs().zip(centre).map(|((a, b), c)| (a + b - 2.0 * c).abs()).fold(0.0, f64::max);
    second <= KINK * first + LEAST_KINK * largest(centre)
}
