//! Quantities at the end, and their extremes over the motion.
//!
//! ```text
//! within a step    ċ = 0:   dc = ∂c·δx,          dt = −(∂ċ·δx + …)/c̈
//! at an event               dc = ∂c·(δx + f dt) + ∂c/∂t dt on both sides,   dt of the event
//! at start and end          dc = ∂c·δx,          dt = 0
//! ```

use super::columns::{Column, Mapped};
use super::probe::Probe;
use super::turns::step;
use super::{Dual, Extremes, FlowError, Follower, Kink, Quantity};
use crate::integrators::tracking::{Leg, Mode, Point, Turn};

/// Parts of a step at whose ends the rate of a quantity is looked at.
const PARTS: usize = 4;
/// Most tries to find where a rate vanishes.
const TRIES: usize = 60;
/// Values that are the same, relatively, and derivatives that are.
const EQUAL: f64 = 1e-10;
const ALIKE: f64 = 1e-6;

/// An extreme so far.
#[derive(Clone, Debug, Default)]
struct Best {
    value: Dual,
    time: Dual,
    /// When it was reached too, with other derivatives.
    tie: Option<f64>,
    is_there: bool,
}

/// What a candidate for an extreme is.
struct Candidate<'a> {
    at: &'a Point,
    columns: &'a [Column],
    /// How the columns of the state at the instant differ: (rates, derivative of the instant).
    shift: Option<(&'a [f64], &'a [f64])>,
}

/// Watches quantities.
pub(super) struct Watch<'a> {
    quantities: &'a [Quantity<'a>],
    /// Largest and smallest of each.
    best: Vec<[Best; 2]>,
    /// At the start, once it has begun.
    first: Vec<Dual>,
    has_begun: bool,
    /// Whether extremes are looked for.
    extremes: bool,
    /// The columns before a turn.
    before: Vec<Column>,
}

/// The side of an extreme: 0 largest, 1 smallest.
const SIGNS: [f64; 2] = [1.0, -1.0];

impl<'a> Watch<'a> {
    pub(super) fn new(quantities: &'a [Quantity<'a>], extremes: bool) -> Self {
        let best = vec![Default::default(); quantities.len()];
        let (first, before) = (Vec::new(), Vec::new());
        Self { quantities, best, first, has_begun: false, extremes, before }
    }

    /// Notes the quantities at the start.
    pub(super) fn start(&mut self, follower: &mut Follower<'_>, at: &Point) -> Result<(), FlowError> {
        let columns = follower.columns.list.clone();
        let candidate = Candidate { at, columns: &columns, shift: None };
        for quantity in self.quantities {
            self.first.push(dual(follower, *quantity, &candidate)?);
        }
        Ok(())
    }

    /// Looks for extremes within a step.
    pub(super) fn leg(&mut self, follower: &mut Follower<'_>, leg: &Leg) -> Result<(), FlowError> {
        if !self.extremes {
            return Ok(());
        }
        for k in 0..self.quantities.len() {
            if !self.has_begun {
                let columns = follower.columns.list.clone();
                let candidate = Candidate { at: &leg.from, columns: &columns, shift: None };
                self.offer(follower, k, &candidate)?;
            }
            let mut from = (0.0, self.slope_at(follower, leg, k, 0.0)?);
            for part in 1..=PARTS {
                let tau = leg.tau * part as f64 / PARTS as f64;
                let to = (tau, self.slope_at(follower, leg, k, tau)?);
                for (side, sign) in SIGNS.iter().enumerate() {
                    if sign * from.1 > 0.0 && sign * to.1 <= 0.0 {
                        self.inner(follower, leg, (k, side), [from, to])?;
                    }
                }
                from = to;
            }
        }
        self.has_begun = true;
        Ok(())
    }

    /// An extreme between two instants of a step, at which its rates are known.
    fn inner(
        &mut self,
        follower: &mut Follower<'_>,
        leg: &Leg,
        (k, side): (usize, usize),
        [mut low, mut high]: [(f64, f64); 2],
    ) -> Result<(), FlowError> {
        for _ in 0..TRIES {
            let middle = 0.5 * (low.0 + high.0);
            if middle <= low.0 || middle >= high.0 {
                break;
            }
            let rate = self.slope_at(follower, leg, k, middle)?;
            let end = if SIGNS[side] * rate > 0.0 { &mut low } else { &mut high };
            *end = (middle, rate);
        }
        let part = part(leg, high.0);
        let quantity = self.quantities[k];
        let at = step(leg.from.t, follower.columns.probes[0].step(&leg.from, &part))?;
        let value = of(&mut follower.columns.probes[0], quantity, &at)?;
        if !self.best[k][side].is_below(SIGNS[side], value) {
            return Ok(());
        }
        let start = follower.columns.list.clone();
        follower.columns.carry(&leg.from, |probe, at| step(at.t, probe.step(at, &part)))?;
        let there = std::mem::replace(&mut follower.columns.list, start);
        let epsilon = epsilon(follower, &at, &leg.mode)?;
        let rates = step(at.t, follower.columns.probes[0].rates(&at, &leg.mode))?;
        let mut slope = |probe: &mut Probe, at: &Point| -> Mapped {
            Ok(vec![slope(probe, quantity, at, &leg.mode, epsilon)?])
        };
        let bend = follower.columns.along(&at, (&rates, 1.0), None, &mut slope)?[0];
        let (mut d, mut dt) = (Vec::new(), Vec::new());
        for Column { x, variant } in &there {
            let value = |probe: &mut Probe, at: &Point| Ok(vec![of(probe, quantity, at)?]);
            d.push(follower.columns.along(&at, (x, 0.0), *variant, value)?[0]);
            let turned = follower.columns.along(&at, (x, 0.0), *variant, &mut slope)?[0];
            dt.push(-turned / bend);
        }
        let found = (Dual { value, d }, Dual { value: at.t, d: dt });
        self.best[k][side].take(SIGNS[side], found);
        Ok(())
    }

    /// The rate of quantity `k` after a part of a step.
    fn slope_at(
        &self,
        follower: &mut Follower<'_>,
        leg: &Leg,
        k: usize,
        tau: f64,
    ) -> Result<f64, FlowError> {
        let probe = &mut follower.columns.probes[0];
        let at = step(leg.from.t, probe.step(&leg.from, &part(leg, tau)))?;
        let epsilon = epsilon(follower, &at, &leg.mode)?;
        slope(&mut follower.columns.probes[0], self.quantities[k], &at, &leg.mode, epsilon)
    }

    /// A turn is about to be passed.
    pub(super) fn before(&mut self, follower: &Follower<'_>) {
        if self.extremes && !self.quantities.is_empty() {
            self.before.clone_from(&follower.columns.list);
        }
    }

    /// A turn was passed: both of its sides may be extremes.
    pub(super) fn after(&mut self, follower: &mut Follower<'_>, turn: &Turn) -> Result<(), FlowError> {
        if !self.has_begun || !self.extremes || self.quantities.is_empty() {
            return Ok(());
        }
        let t = turn.before.t;
        let of_turn = |event: &&super::FlowEvent| event.t.value == t;
        let shifts: Vec<Vec<f64>> =
            follower.events.iter().filter(of_turn).map(|event| event.t.d.clone()).collect();
        // Several instants that coincide: none of them is the instant of an extreme.
        let unknown = vec![f64::NAN; follower.columns.list.len()];
        let shift = match &shifts[..] {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => first,
            _ => &unknown,
        };
        let before = std::mem::take(&mut self.before);
        let after = follower.columns.list.clone();
        let sides = [(&turn.before, &turn.mode, &before), (&turn.after, &turn.next, &after)];
        for (at, mode, columns) in sides {
            let rates = step(t, follower.columns.probes[0].rates(at, mode))?;
            for k in 0..self.quantities.len() {
                let candidate = Candidate { at, columns, shift: Some((&rates, shift)) };
                self.offer(follower, k, &candidate)?;
            }
        }
        self.before = before;
        Ok(())
    }

    fn offer(
        &mut self,
        follower: &mut Follower<'_>,
        k: usize,
        candidate: &Candidate<'_>,
    ) -> Result<(), FlowError> {
        let quantity = self.quantities[k];
        let value = of(&mut follower.columns.probes[0], quantity, candidate.at)?;
        if !(0..2).any(|side| self.best[k][side].is_below(SIGNS[side], value)) {
            return Ok(());
        }
        let dual = dual(follower, quantity, candidate)?;
        let t = candidate.at.t;
        let d = candidate.shift.map_or(vec![0.0; candidate.columns.len()], |shift| shift.1.to_vec());
        for (best, sign) in self.best[k].iter_mut().zip(SIGNS) {
            best.take(sign, (dual.clone(), Dual { value: t, d: d.clone() }));
        }
        Ok(())
    }

    /// Offers the end, and gives what was found.
    pub(super) fn finish(
        mut self,
        follower: &mut Follower<'_>,
        (at, rates): (&Point, &[f64]),
    ) -> Result<Vec<Extremes>, FlowError> {
        let columns = follower.columns.list.clone();
        let candidate = Candidate { at, columns: &columns, shift: None };
        let mut out = Vec::new();
        for (k, first) in std::mem::take(&mut self.first).into_iter().enumerate() {
            let quantity = self.quantities[k];
            let last = dual(follower, quantity, &candidate)?;
            let value = |probe: &mut Probe, at: &Point| Ok(vec![of(probe, quantity, at)?]);
            let rate = follower.columns.along(at, (rates, 1.0), None, value)?[0];
            let mut extremes = Extremes { first, last, rate, ..Extremes::default() };
            if self.extremes {
                self.offer(follower, k, &candidate)?;
                let [max, min] = self.best[k].each_ref().map(|best| best.finish(k));
                (extremes.max, extremes.min) = (max?, min?);
            }
            out.push(extremes);
        }
        Ok(out)
    }
}

impl Best {
    /// Whether a value may take its place, or shares it.
    fn is_below(&self, sign: f64, value: f64) -> bool {
        !self.is_there || sign * (value - self.value.value) >= -self.equal(value)
    }

    /// Value and instant, or why there is no derivative.
    fn finish(&self, number: usize) -> Result<[Dual; 2], FlowError> {
        let t = self.time.value;
        let why = match self.tie {
            Some(other) => Kink::Tie { number, other },
            None if self.value.d.iter().any(|d| d.is_nan()) => {
                Kink::Simultaneous { constraints: Vec::new() }
            }
            None => return Ok([self.value.clone(), self.time.clone()]),
        };
        Err(FlowError::NotDifferentiable { t, why })
    }

    fn equal(&self, value: f64) -> f64 {
        EQUAL * value.abs().max(self.value.value.abs())
    }

    fn take(&mut self, sign: f64, (value, time): (Dual, Dual)) {
        if !self.is_below(sign, value.value) {
            return;
        }
        let is_same = self.is_there && (value.value - self.value.value).abs() <= self.equal(value.value);
        if is_same {
            let size = value.d.iter().chain(&self.value.d).fold(0.0f64, |m, d| m.max(d.abs()));
            let mut pairs = value.d.iter().zip(&self.value.d);
            if pairs.any(|(a, b)| !((a - b).abs() <= ALIKE * size)) {
                self.tie = Some(time.value);
            }
            return;
        }
        *self = Self { value, time, tie: None, is_there: true };
    }
}

/// The derivatives of a quantity at a candidate.
fn dual(
    follower: &mut Follower<'_>,
    quantity: Quantity<'_>,
    candidate: &Candidate<'_>,
) -> Result<Dual, FlowError> {
    let value = of(&mut follower.columns.probes[0], quantity, candidate.at)?;
    let mut d = Vec::new();
    for (k, Column { x, variant }) in candidate.columns.iter().enumerate() {
        let (x, dt) = match candidate.shift {
            Some((rates, shift)) => {
                (x.iter().zip(rates).map(|(x, f)| x + f * shift[k]).collect(), shift[k])
            }
            None => (x.clone(), 0.0),
        };
        if dt.is_nan() {
            d.push(f64::NAN);
            continue;
        }
        let map = |probe: &mut Probe, at: &Point| Ok(vec![of(probe, quantity, at)?]);
        d.push(follower.columns.along(candidate.at, (&x, dt), *variant, map)?[0]);
    }
    Ok(Dual { value, d })
}

fn part(leg: &Leg, tau: f64) -> Leg {
    Leg { from: leg.from.clone(), tau, method: leg.method, mode: leg.mode.clone() }
}

fn of(probe: &mut Probe, quantity: Quantity<'_>, at: &Point) -> Result<f64, FlowError> {
    probe.quantity(quantity, at).map_err(|source| FlowError::Quantity { t: at.t, source })
}

/// The change of time for rates at a point.
fn epsilon(follower: &mut Follower<'_>, at: &Point, mode: &Mode) -> Result<f64, FlowError> {
    let rates = step(at.t, follower.columns.probes[0].rates(at, mode))?;
    Ok(follower.columns.epsilon(&rates, 1.0))
}

/// ċ of a probe at a point.
fn slope(
    probe: &mut Probe,
    quantity: Quantity<'_>,
    at: &Point,
    mode: &Mode,
    epsilon: f64,
) -> Result<f64, FlowError> {
    let rates = step(at.t, probe.rates(at, mode))?;
    let (q_dot, a) = rates.split_at(at.q.len());
    let mut value = |place: f64| {
        let mut moved = at.clone();
        let s = place * epsilon;
        moved.t += s;
        moved.q.iter_mut().zip(q_dot).for_each(|(q, rate)| *q += s * rate);
        moved.v.iter_mut().zip(a).for_each(|(v, rate)| *v += s * rate);
        probe.model.clone().normalize(&mut moved.q);
        of(probe, quantity, &moved)
    };
    let near = value(1.0)? - value(-1.0)?;
    let far = value(2.0)? - value(-2.0)?;
    Ok((8.0 * near - far) / (12.0 * epsilon))
}
