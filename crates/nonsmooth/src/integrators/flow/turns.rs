//! Events: saltation.
//!
//! ```text
//! g(x⁻, t, p) = 0,   x⁺ = E(x⁻, t, p):     δt = −(∂g·δx + ∂g/∂p δp) / ġ,     ġ = ∂g·f⁻ + ∂g/∂t
//!                                           δx⁺ = ∂E·(δx + f⁻ δt) + ∂E/∂t δt + ∂E/∂p δp − f⁺ δt
//! ```
//!
//! E is the impact by its laws and the projection on what is closed afterwards. Several impacts at one instant have a derivative if those of
//! all orders are the same, each contact with its own δt.

use super::columns::{Column, Columns, Mapped};
use super::probe::{Probe, joined};
use super::{Dual, FlowError, FlowEvent, FlowEventKind, Follower, Kink};
use crate::integrators::tracking::{Cause, Mode, Point, STANDSTILL, Sign, Turn};

/// Depth to which a contact would be entered, relative to the coordinates, below which it is grazed: what the motion is sure of.
pub(super) const GRAZED: f64 = 1e-10;
/// Change of a force or slip over a step, relative to the largest, below which it only touches zero.
const FLAT: f64 = 1e-8;
/// Difference between instants, states and derivatives of several orders that is none.
const SAME: f64 = 1e-6;
/// Change of the speed with which a contact is hit, relative to it, in differences of an impact.
const APPROACH: f64 = 1e-3;
/// Difference between two instants that is rounding, relative to a step and to the change that made it.
const NOISE: f64 = 1e-9;
/// Change of gap or velocity of a contact that is closed at the start which is none, relative to the direction.
const LEAVES: f64 = 1e-7;

/// What vanishes in an event.
#[derive(Clone, Copy)]
enum Guard {
    Gap(usize),
    Sign(Sign),
}

impl Guard {
    fn key(self) -> usize {
        match self {
            Guard::Gap(key) => key,
            Guard::Sign(Sign::Pulls(key) | Sign::Slips(key) | Sign::Stops(key) | Sign::Closes(key)) => {
                key
            }
        }
    }

    fn kind(self) -> FlowEventKind {
        match self {
            Guard::Gap(_) => FlowEventKind::Impact,
            Guard::Sign(Sign::Slips(_)) => FlowEventKind::Slips,
            Guard::Sign(Sign::Stops(_)) => FlowEventKind::Stops,
            Guard::Sign(Sign::Closes(_)) => FlowEventKind::Closes,
            Guard::Sign(Sign::Pulls(_)) => FlowEventKind::Leaves,
        }
    }

    /// Its value where a probe stands.
    fn value(self, probe: &Probe, mode: &Mode) -> f64 {
        let place = |key: usize| mode.rows.iter().position(|known| *known == key);
        let margin = |row: Option<usize>| row.map_or(f64::NAN, |row| probe.rate().margin[row]);
        let grip = |key: usize| mode.grips.iter().find(|grip| mode.rows[grip.normal] == key);
        match self {
            Guard::Gap(key) | Guard::Sign(Sign::Closes(key)) => probe.status(key).gap,
            Guard::Sign(Sign::Pulls(key)) => margin(place(key)),
            Guard::Sign(Sign::Slips(key)) => margin(grip(key).map(|grip| grip.tangent)),
            Guard::Sign(Sign::Stops(key)) => grip(key)
                .map_or(f64::NAN, |grip| grip.slip(&probe.course.start[key + 1..=key + grip.n]).0),
        }
    }
}

/// One event of one cause: derivatives of its instant, and of the state after it.
struct Saltation {
    dt: Vec<f64>,
    x: Vec<Vec<f64>>,
    after: Point,
}

impl Follower<'_> {
    /// Takes the columns over a turn.
    pub(super) fn pass(&mut self, turn: &Turn) -> Result<(), FlowError> {
        let t = turn.before.t;
        if self.columns.list.is_empty() {
            self.note_all(turn);
            return Ok(());
        }
        if turn.is_paradox {
            return Err(FlowError::NotDifferentiable { t, why: Kink::Paradox });
        }
        match &turn.cause {
            Cause::Start => self.start_closed(turn)?,
            Cause::Impact(hit) => {
                self.refuse_a_second(t, hit)?;
                if self.legs == 0 {
                    let why = Kink::StartsWithImpact { constraint: self.describe(hit[0]) };
                    return Err(FlowError::NotDifferentiable { t, why });
                }
                self.impacts(turn, hit)?;
            }
            Cause::Change(signs) => {
                let keys: Vec<usize> = signs.iter().map(|sign| Guard::Sign(*sign).key()).collect();
                self.refuse_a_second(t, &keys)?;
                self.change(turn, signs)?;
            }
        }
        self.last_turn = Some((t, self.legs));
        self.look_for_idle(turn)
    }

    /// Notes what happened, where there are no directions.
    fn note_all(&mut self, turn: &Turn) {
        let guards: Vec<Guard> = match &turn.cause {
            Cause::Start => Vec::new(),
            Cause::Impact(hit) => hit.iter().map(|&key| Guard::Gap(key)).collect(),
            Cause::Change(signs) => signs.iter().map(|&sign| Guard::Sign(sign)).collect(),
        };
        guards.into_iter().for_each(|guard| self.note(turn.before.t, guard, &[]));
    }

    /// Refuses an event at the instant of another.
    fn refuse_a_second(&self, t: f64, keys: &[usize]) -> Result<(), FlowError> {
        match self.last_turn {
            Some((_, legs)) if legs == self.legs && legs > 0 => {
                Err(FlowError::NotDifferentiable { t, why: self.simultaneous(keys) })
            }
            _ => Ok(()),
        }
    }

    fn simultaneous(&self, keys: &[usize]) -> Kink {
        let mut constraints: Vec<String> = keys.iter().map(|key| self.describe(*key)).collect();
        constraints.dedup();
        Kink::Simultaneous { constraints }
    }

    /// Contacts that are closed at the start stay so along every direction; joints and what sticks is projected.
    fn start_closed(&mut self, turn: &Turn) -> Result<(), FlowError> {
        let watched = &self.columns.probes[0].course.motion.watched;
        let keys: Vec<usize> = turn.next.contacts(watched).map(|(key, _)| key).collect();
        let at = &turn.after;
        for k in 0..self.columns.list.len() {
            let Column { x, variant } = self.columns.list[k].clone();
            let moved = self.columns.along(at, (&x, 0.0), variant, |probe, at| {
                step(at.t, probe.look(at, &Mode::default()))?;
                Ok(keys.iter().flat_map(|&key| [probe.status(key).gap, probe.status(key).u]).collect())
            })?;
            let [q, v] = self.columns.sizes();
            let epsilon = self.columns.unit(&x, variant);
            let leaves = |pair: &[f64]| {
                let relative = (pair[0].abs() / q).max(pair[1].abs() / v);
                relative * epsilon > LEAVES * self.columns.increment
            };
            if let Some(place) = moved.chunks(2).position(leaves) {
                let why = Kink::StartsClosed {
                    constraint: self.describe(keys[place]),
                    direction: self.direction(k),
                };
                return Err(FlowError::NotDifferentiable { t: at.t, why });
            }
        }
        let next = turn.next.clone();
        self.columns.carry(&turn.before, |probe, at| step(at.t, probe.close(at, &next)))
    }

    /// An impact of one contact, or of several that commute.
    fn impacts(&mut self, turn: &Turn, hit: &[usize]) -> Result<(), FlowError> {
        let t = turn.before.t;
        let start = (turn.before.clone(), self.columns.list.clone());
        let first = self.sequence(turn, hit, &start)?;
        let commute = |other: &Saltation, columns: &Columns| {
            let [q, v] = columns.sizes();
            let n = turn.after.q.len();
            let apart = |a: &[f64], b: &[f64], size: &dyn Fn(usize) -> f64| {
                a.iter().zip(b).enumerate().any(|(k, (a, b))| (a - b).abs() > SAME * size(k))
            };
            let states =
                apart(&joined(&other.after), &joined(&turn.after), &|k| if k < n { q } else { v });
            let derivatives = other.x.iter().zip(&first.x).any(|(a, b)| {
                let size = b.iter().fold(f64::MIN_POSITIVE, |m, b| m.max(b.abs()));
                apart(a, b, &|_| size)
            });
            !states && !derivatives
        };
        let mut agree = commute(&first, &self.columns);
        for i in 0..hit.len() {
            for j in i + 1..hit.len() {
                let mut order = hit.to_vec();
                order.swap(i, j);
                let other = self.sequence(turn, &order, &start)?;
                agree &= commute(&other, &self.columns);
            }
        }
        if !agree {
            // One contact alone gives the state of the path, but for what the tracker did in addition.
            return Err(FlowError::NotDifferentiable { t, why: self.simultaneous(hit) });
        }
        self.columns.list = start.1;
        for (column, x) in self.columns.list.iter_mut().zip(first.x) {
            column.x = x;
        }
        Ok(())
    }

    /// The contacts hit one after the other, in this order, from `start`; notes the events of the first order that is tried.
    fn sequence(
        &mut self,
        turn: &Turn,
        hit: &[usize],
        start: &(Point, Vec<Column>),
    ) -> Result<Saltation, FlowError> {
        let is_first = self.noted != Some(turn.before.t);
        self.columns.list.clone_from(&start.1);
        let mut at = start.0.clone();
        let mut mode = turn.mode.clone();
        let mut dt = Vec::new();
        for (k, &key) in hit.iter().enumerate() {
            let next =
                if k + 1 == hit.len() { turn.next.clone() } else { self.between(turn, &hit[..=k]) };
            let guards = [Guard::Gap(key)];
            let saltation = self.saltate((&at, &mode), &guards, &next, Some(key))?;
            for (column, x) in self.columns.list.iter_mut().zip(saltation.x) {
                column.x = x;
            }
            if is_first {
                self.note(at.t, Guard::Gap(key), &saltation.dt);
            }
            (at, mode, dt) = (saltation.after, next, saltation.dt);
        }
        self.noted = Some(turn.before.t);
        let x = self.columns.list.iter().map(|column| column.x.clone()).collect();
        Ok(Saltation { dt, x, after: at })
    }

    /// What is closed after the contacts `hit` of a turn and before the others.
    fn between(&self, turn: &Turn, hit: &[usize]) -> Mode {
        let watched = &self.columns.probes[0].course.motion.watched;
        let after = |key: usize| turn.next.contacts(watched).find(|known| known.0 == key);
        let mut contacts: Vec<_> =
            turn.mode.contacts(watched).map(|known| after(known.0).unwrap_or(known)).collect();
        contacts.extend(hit.iter().filter_map(|key| after(*key)));
        let mut mode = Mode::default();
        mode.assemble(watched, &contacts);
        mode
    }

    /// A change of the mode.
    fn change(&mut self, turn: &Turn, signs: &[Sign]) -> Result<(), FlowError> {
        let t = turn.before.t;
        if let Some(Sign::Closes(key)) = signs.iter().find(|sign| matches!(sign, Sign::Closes(_))) {
            let why = Kink::Grazing { constraint: self.describe(*key) };
            return Err(FlowError::NotDifferentiable { t, why });
        }
        let guards: Vec<Guard> = signs.iter().map(|sign| Guard::Sign(*sign)).collect();
        let saltation = self.saltate((&turn.before, &turn.mode), &guards, &turn.next, None)?;
        for (column, x) in self.columns.list.iter_mut().zip(saltation.x) {
            column.x = x;
        }
        for guard in guards {
            self.note(t, guard, &saltation.dt);
        }
        Ok(())
    }

    /// The derivative over one event, whose guards vanish together: an impact of the contact `hit`, or a change of mode.
    fn saltate(
        &mut self,
        (at, mode): (&Point, &Mode),
        guards: &[Guard],
        next: &Mode,
        hit: Option<usize>,
    ) -> Result<Saltation, FlowError> {
        let t = at.t;
        let speed = step(t, self.columns.probes[0].rates(at, mode))?;
        self.columns.grow(at, &speed);
        let slopes = self.slopes((at, mode), guards, &speed)?;
        let settings = &mut self.settings;
        let mut event = |probe: &mut Probe, at: &Point| -> Result<Point, FlowError> {
            let struck = match hit {
                Some(key) => step(at.t, probe.strike(at, mode, &[key], settings))?,
                None => at.clone(),
            };
            step(at.t, probe.close(&struck, next))
        };
        let after = event(&mut self.columns.probes[0], at)?;
        let speed_after = step(t, self.columns.probes[0].rates(&after, next))?;
        let (mut dt, mut columns) = (Vec::new(), Vec::new());
        for k in 0..self.columns.list.len() {
            let Column { x, variant } = self.columns.list[k].clone();
            let values = self.columns.along(at, (&x, 0.0), variant, guard_values(mode, guards))?;
            let shifts: Vec<f64> = values.iter().zip(&slopes).map(|(g, slope)| -g / slope).collect();
            let shift = shifts[0];
            let epsilon = self.columns.unit(&x, variant);
            let noise = NOISE * self.h / epsilon;
            if shifts.iter().any(|other| (other - shift).abs() > SAME * shift.abs() + noise) {
                let keys: Vec<usize> = guards.iter().map(|guard| guard.key()).collect();
                return Err(FlowError::NotDifferentiable { t, why: self.simultaneous(&keys) });
            }
            let arrives: Vec<f64> = x.iter().zip(&speed).map(|(x, f)| x + f * shift).collect();
            let most = match hit {
                Some(key) => most(&mut self.columns, (at, mode), key, (&arrives, shift))?,
                None => f64::INFINITY,
            };
            let along = (&arrives[..], shift, most);
            let (mut x, is_smooth) = self
                .columns
                .along_smooth(at, along, variant, |probe, at| Ok(joined(&event(probe, at)?)))?;
            if !is_smooth {
                let why = Kink::Border { constraint: self.describe(guards[0].key()) };
                return Err(FlowError::NotDifferentiable { t, why });
            }
            x.iter_mut().zip(&speed_after).for_each(|(x, f)| *x -= f * shift);
            dt.push(shift);
            columns.push(x);
        }
        self.columns.grow(&after, &speed_after);
        Ok(Saltation { dt, x: columns, after })
    }

    /// ġ of each guard; refuses those that only touch zero.
    fn slopes(
        &mut self,
        (at, mode): (&Point, &Mode),
        guards: &[Guard],
        speed: &[f64],
    ) -> Result<Vec<f64>, FlowError> {
        let mut slopes = self.columns.along(at, (speed, 1.0), None, guard_values(mode, guards))?;
        let keys: Vec<usize> = guards.iter().map(|guard| guard.key()).collect();
        let turns = self.columns.along(at, (speed, 1.0), None, |probe, at| {
            step(at.t, probe.look(at, mode))?;
            Ok(keys.iter().map(|&key| probe.status(key).u).collect())
        })?;
        let probe = &mut self.columns.probes[0];
        step(at.t, probe.look(at, mode))?;
        let forces = probe.rate().lambda.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (k, guard) in guards.iter().enumerate() {
            let probe = &self.columns.probes[0];
            let is_flat = match guard {
                Guard::Gap(key) => {
                    let u = probe.status(*key).u;
                    slopes[k] = u;
                    // What comes down ever slower accumulates, which the path itself tells.
                    u * u <= 2.0 * GRAZED * self.columns.sizes()[0] * turns[k]
                }
                Guard::Sign(Sign::Stops(key)) => {
                    let speeds = probe.course.start[key + 1].still / STANDSTILL;
                    !(slopes[k] * self.h < -FLAT * speeds)
                }
                Guard::Sign(_) => !(slopes[k] * self.h < -FLAT * forces),
            };
            if is_flat {
                let why = Kink::Grazing { constraint: self.describe(guard.key()) };
                return Err(FlowError::NotDifferentiable { t: at.t, why });
            }
        }
        Ok(slopes)
    }

    fn note(&mut self, t: f64, guard: Guard, dt: &[f64]) {
        let id = self.columns.probes[0].course.motion.watched.id(guard.key());
        let is_same =
            |event: &&mut FlowEvent| event.kind == guard.kind() && event.t.value == t && event.t.d == dt;
        match self.events.last_mut().filter(is_same) {
            Some(event) => event.constraints.push(id),
            None => self.events.push(FlowEvent {
                t: Dual { value: t, d: dt.to_vec() },
                kind: guard.kind(),
                constraints: vec![id],
            }),
        }
    }

    /// Refuses contacts that are closed without force and would be pressed or opened by a direction.
    fn look_for_idle(&mut self, turn: &Turn) -> Result<(), FlowError> {
        let (at, mode) = (&turn.after, &turn.next);
        let t = at.t;
        let least = self.columns.sizes()[1] / self.h * f64::EPSILON;
        let probe = &mut self.columns.probes[0];
        step(t, probe.look(at, mode))?;
        let (rate, motion) = (probe.rate(), &probe.course.motion);
        let is_contact = |i: &usize| !motion.watched.always[mode.rows[*i]];
        let is_free = |i: &usize| !motion.closed.factor.dependent[*i];
        let m = mode.rows.len();
        let weights: Vec<f64> = (0..m).map(|i| motion.closed.delassus[i * m + i]).collect();
        let size = rate.size.max(least);
        let is_idle = |i: &usize| rate.lambda[*i].abs() * weights[*i] <= LEAVES * size;
        let idle: Vec<usize> = (0..mode.n_placed.min(m)).filter(is_contact).collect();
        let idle: Vec<usize> = idle.into_iter().filter(is_free).filter(is_idle).collect();
        if idle.is_empty() {
            return Ok(());
        }
        for k in 0..self.columns.list.len() {
            let Column { x, variant } = self.columns.list[k].clone();
            let change = self.columns.along(at, (&x, 0.0), variant, |probe, at| {
                step(at.t, probe.look(at, mode))?;
                Ok(idle.iter().map(|&i| probe.rate().lambda[i]).collect())
            })?;
            let epsilon = self.columns.unit(&x, variant);
            let wrong = change.iter().zip(&idle).find(|(d, i)| {
                d.abs() * weights[**i] * epsilon > LEAVES * self.columns.increment * size
            });
            if let Some((_, &i)) = wrong {
                let why = Kink::Closed {
                    constraint: self.describe(mode.rows[i]),
                    direction: self.direction(k),
                };
                return Err(FlowError::NotDifferentiable { t, why });
            }
        }
        Ok(())
    }
}

/// What guards are at a point with a mode closed.
fn guard_values<'a>(
    mode: &'a Mode,
    guards: &'a [Guard],
) -> impl FnMut(&mut Probe, &Point) -> Mapped + 'a {
    move |probe, at| {
        step(at.t, probe.look(at, mode))?;
        Ok(guards.iter().map(|guard| guard.value(probe, mode)).collect())
    }
}

/// The error of an evaluation at t.
pub(super) fn step<T>(t: f64, result: crate::error::StepResult<T>) -> Result<T, FlowError> {
    result.map_err(|source| FlowError::Step { t, source })
}

/// The largest ε with which a contact that is hit is still approaching.
fn most(
    columns: &mut Columns,
    (at, mode): (&Point, &Mode),
    key: usize,
    change: (&[f64], f64),
) -> Result<f64, FlowError> {
    let u = |probe: &mut Probe, at: &Point| {
        step(at.t, probe.look(at, mode))?;
        Ok(vec![probe.status(key).u])
    };
    let change = columns.along(at, change, None, u)?[0].abs();
    let approach = u(&mut columns.probes[0], at)?[0].abs();
    Ok(if change > 0.0 { APPROACH * approach / change } else { f64::INFINITY })
}
