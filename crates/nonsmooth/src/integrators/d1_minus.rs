//! D1-minus: time-discontinuous Galerkin, linear in the step and half-explicit. Contact forces act between impacts,
//! impulses only at the end of the step.
//!
//! ```text
//! a⁺ = M(q)⁻¹ (f(t, q, v) + Hᵀ λ⁺)                 0 ≤ ÿ ⟂ λ⁺ ≥ 0   where y ≤ ε, u ≤ ε
//! v₁ = v + h a⁺,   q⁺ = q + h/2 (v + v₁)
//! a⁻ = M(q⁺)⁻¹ (f(t⁺, q⁺, v₁) + Hᵀ λ⁻)             0 ≤ ÿ ⟂ λ⁻ ≥ 0   where y⁺ ≤ ε, u₁ ≤ ε
//! v⁻ = v + h/2 (a⁺ + a⁻)
//! M(q⁺)(v⁺ − v⁻) = Hᵀ p                             0 ≤ u⁺ + e u⁻ ⟂ p + h/2 λ⁻ ≥ 0   where y⁺ ≤ ε
//! ```
//!
//! with ÿ = H a + curvature. In a step in which a gap closes, y > ε and y⁺ ≤ ε, v⁻ is formed without λ: there impulses
//! carry everything. Joints are in all three problems, with equality. [Schindler14] has p ≥ 0; here p may take back what λ⁻
//! gave too much, O(h³): else a contact that is pressed would part by the error of the method, lose its λ⁺ in the next
//! step and sink by a h²/2 (order 1 on curved surfaces; tests/it/d1_minus.rs: lasting_contact_is_of_order_two).
//!
//! Order 2 while nothing closes, lasting contacts included, and 1 through impacts. Explicit: h ω < 2 where there is
//! stiffness. Under the weight g an accumulation with e > 0 does not end in rest: a velocity v = e g h/(2 + 2e) is not
//! small enough for λ⁺, the step loses g h/2 of it and throws back e times the rest, so that v stays and q sinks at
//! g h/(2 + 2e). `persistent` = "inelastic" lets contacts that were closed before come to rest.
//!
//! The ledger books impacts exactly and the power of forces F = M a + ∇V by the trapezoidal rule. With v_½ = ½ (v + v⁻)
//! and the displacement defect d = q⁺ − q − h v_½ it closes for linear systems:
//!
//! ```text
//! scheme = ½ (∇V + ∇V⁺)·d + h/2 (F⁺·(v_½ − v) + F⁻·(v_½ − v₁))
//! ```

use super::tracking::{Contact, Hit, Motion, Point, Power, Record, Row, Standing, refuse_untracked};
use super::{Entry, Integrator, Refusal, Solving};
use crate::error::{StepResult, check_finite};
use crate::log::{Counts, StepLog};
use crate::model::{Key, Model, State};
use crate::phases::Balance;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "d1-minus",
    about: "time-discontinuous Galerkin, half-explicit: contact forces apart from impulses, second order in smooth phases",
    options: &[&CLOSED_GAP, &CLOSED_VELOCITY, &PERSISTENT],
    make: |options, solving| Box::new(D1Minus::new(options, solving)),
};

const CLOSED_GAP: Declared = Declared {
    name: "closed_gap",
    about: "gap up to which a contact is closed [m]",
    kind: Kind::Number { min: 0.0, max: f64::INFINITY },
    default: "1e-8",
};
const CLOSED_VELOCITY: Declared = Declared {
    name: "closed_velocity",
    about: "velocity up to which a closed contact does not part and may carry a force [m/s]",
    kind: Kind::Number { min: 0.0, max: f64::INFINITY },
    default: "1e-8",
};
const PERSISTENT: Declared = Declared {
    name: "persistent",
    about: "whether contacts that were closed at the start of the step rebound with their restitution, or not at all",
    kind: Kind::Word(&["impact", "inelastic"]),
    default: "impact",
};

/// The half-explicit D1-minus scheme at acceleration level.
pub struct D1Minus {
    closed_gap: f64,
    closed_velocity: f64,
    /// Whether contacts that were closed before keep their restitution.
    rebounds: bool,
    solving: Solving,
    work: Work,
}

/// Scratch; no bit of a result depends on it.
#[derive(Default)]
struct Work {
    motion: Motion,
    contact: Contact,
    record: Record,
    row: Row,
    /// The start of the step, then (t⁺, q⁺) with v₁ and v⁻.
    at: Point,
    /// How all constraints stand there.
    standing: Vec<Standing>,
    /// Which contacts were closed at the start.
    was_closed: Vec<bool>,
    /// The accelerations at the start and at the end.
    sides: [Side; 2],
    /// The constraints of the impulses, and what λ⁻ gave them [N·s].
    keys: Vec<usize>,
    given: Vec<f64>,
    balance: Balance,
    gradient: Vec<f64>,
}

/// Acceleration and contact forces at one end of the step.
#[derive(Default)]
struct Side {
    /// M⁻¹ f.
    free: Vec<f64>,
    /// M⁻¹ (f + Hᵀ λ), in a step with an impact M⁻¹ f.
    a: Vec<f64>,
    /// F = M a + ∇V [N].
    force: Vec<f64>,
    /// The constraints that may carry a force.
    keys: Vec<usize>,
    /// h/2 λ of each [N·s].
    impulse: Vec<f64>,
    /// h/2 times the power of what has no potential [J].
    work: Power,
}

impl Side {
    /// h/2 λ of the constraints `keys`, 0 for those that carry none; both lists are sorted.
    fn given(&self, keys: &[usize], given: &mut Vec<f64>) {
        given.clear();
        given.extend(keys.iter().map(|key| {
            let place = self.keys.binary_search(key).ok();
            place.and_then(|i| self.impulse.get(i)).copied().unwrap_or(0.0)
        }));
    }
}

impl D1Minus {
    fn new(options: &Options, solving: Solving) -> Self {
        Self {
            closed_gap: options.number(&CLOSED_GAP),
            closed_velocity: options.number(&CLOSED_VELOCITY),
            rebounds: options.word(&PERSISTENT) == "impact",
            solving,
            work: Work::default(),
        }
    }

    /// Accelerations at the present point, without contact forces and, unless there is an impact, with them.
    fn accelerate(
        &mut self,
        model: &Model,
        end: usize,
        (h, impact): (f64, bool),
        log: &mut StepLog,
    ) -> StepResult {
        let carries = |s: &Standing| s.gap <= self.closed_gap && s.u <= self.closed_velocity;
        let Work { motion, contact, at, standing, sides, .. } = &mut self.work;
        let Side { free, a, keys, impulse, work, .. } = &mut sides[end];
        let mut power = Power::default();
        motion.free(model, at, free, &mut power)?;
        a.clone_from(free);
        select(model, standing, carries, keys);
        impulse.clear();
        if !impact && !keys.is_empty() {
            motion.closed.fill(model, keys, at, &mut motion.factors, &motion.scale)?;
            motion.closed.curve(model, keys, at)?;
            let closed = &motion.closed;
            let rhs = |i: usize| closed.along(i, free) + closed.curvature[i];
            contact.solve(model, keys, closed, rhs, &mut self.solving, log)?;
            closed.push(&contact.x, a);
            impulse.extend(contact.x.iter().map(|lambda| 0.5 * h * lambda));
            for (lambda, standing) in contact.x.iter().zip(&closed.standing) {
                power.contact += lambda * standing.u;
                power.obstacle -= lambda * standing.rate;
            }
        }
        *work = Power::default();
        work.add(0.5 * h, &power);
        Ok(())
    }

    /// v⁻ into the present point, with its forces booked; returns what the scheme adds to the energy [J].
    fn combine(&mut self, model: &Model, now: &State, h: f64, impact: bool) -> StepResult<f64> {
        let Work { record, at, sides, balance, gradient, .. } = &mut self.work;
        for (side, q) in sides.iter_mut().zip([&now.q, &at.q]) {
            if impact {
                side.a.clone_from(&side.free);
            }
            side.force.clear();
            side.force.resize(q.len(), 0.0);
            balance.add_gradient(model, q, 1.0, &mut side.force)?;
            balance.add_inertia(model, q, 1.0, &side.a, &mut side.force)?;
        }
        gradient.clear();
        gradient.resize(now.q.len(), 0.0);
        for q in [&now.q, &at.q] {
            balance.add_gradient(model, q, 0.5, gradient)?;
        }
        let mut added = 0.0;
        for (i, v) in at.v.iter_mut().enumerate() {
            let v_minus = now.v[i] + 0.5 * h * (sides[0].a[i] + sides[1].a[i]);
            let mean = 0.5 * (now.v[i] + v_minus);
            added += gradient[i] * (at.q[i] - now.q[i] - h * mean);
            added += 0.5 * h * sides[0].force[i] * (mean - now.v[i]);
            added += 0.5 * h * sides[1].force[i] * (mean - *v);
            *v = v_minus;
        }
        for Side { keys, impulse, work, .. } in sides {
            if impact {
                record.smooth(&[], &Power { contact: 0.0, obstacle: 0.0, ..*work }, &[]);
            } else {
                record.smooth(keys, work, impulse);
            }
        }
        Ok(added)
    }

    /// The impulses at the end of the step; `at` holds v⁻, then v⁺.
    fn strike(&mut self, model: &Model, log: &mut StepLog) -> StepResult {
        let closed_gap = self.closed_gap;
        let Work { motion, contact, record, at, standing, keys, was_closed, sides, given, .. } =
            &mut self.work;
        select(model, standing, |s| s.gap <= closed_gap, keys);
        if keys.is_empty() {
            return Ok(());
        }
        motion.closed.fill(model, keys, at, &mut motion.factors, &motion.scale)?;
        let (closed, m) = (&motion.closed, keys.len());
        sides[1].given(keys, given);
        let restitution = |i: usize| {
            let key = keys[i];
            if self.rebounds || !was_closed[key] { model.law(Key(key as u64)).restitution } else { 0.0 }
        };
        // The unknown is p + h/2 λ⁻.
        let rhs = |i: usize| {
            let taken: f64 = closed.delassus[i * m..].iter().zip(&*given).map(|(w, p)| w * p).sum();
            (1.0 + restitution(i)) * closed.standing[i].u - taken
        };
        contact.solve(model, keys, closed, rhs, &mut self.solving, log)?;
        contact.x.iter_mut().zip(&*given).for_each(|(p, given)| *p -= given);
        closed.push(&contact.x, &mut at.v);
        for (i, &key) in keys.iter().enumerate() {
            let (Standing { u: u_minus, rate, .. }, impulse) = (closed.standing[i], contact.x[i]);
            let u_plus = contact.slack[i] - restitution(i) * u_minus;
            record.hit(model, &Hit { t: at.t, key, u_minus, u_plus, impulse, rate }, log);
        }
        Ok(())
    }
}

/// The joints, and the contacts that `takes` takes.
fn select(
    model: &Model,
    standing: &[Standing],
    takes: impl Fn(&Standing) -> bool,
    keys: &mut Vec<usize>,
) {
    let constraints = &model.constraints;
    keys.clear();
    keys.extend((0..standing.len()).filter(|&key| constraints.always[key] || takes(&standing[key])));
}

impl Work {
    /// How all constraints stand at the present point.
    fn look(&mut self, model: &Model) -> StepResult {
        let Work { motion, row, at, standing, .. } = self;
        motion.scale.pace.clear();
        motion.scale.pace.extend(at.v.iter().map(|v| v.abs()));
        standing.clear();
        for key in 0..model.constraints.n_gaps() {
            standing.push(row.look(model, key, at, &motion.scale)?);
        }
        Ok(())
    }

    /// Takes up a state.
    fn begin(&mut self, model: &Model, now: &State, h: f64, closed_gap: f64) -> StepResult {
        self.motion.scale.h = h;
        self.at.t = now.t;
        self.at.q.clone_from(&now.q);
        self.at.v.clone_from(&now.v);
        self.look(model)?;
        self.was_closed.clear();
        self.was_closed.extend(self.standing.iter().map(|s| s.gap <= closed_gap));
        self.record.begin(&self.standing);
        let carried = now.contacts.keys.iter().zip(&now.contacts.impulses).filter(|(_, p)| **p != 0.0);
        self.record.carry(carried.map(|(key, _)| key.0 as usize));
        Ok(())
    }

    /// Whether a contact is closed now and was not at the start.
    fn closes(&self, model: &Model, closed_gap: f64) -> bool {
        let Work { standing, was_closed, .. } = self;
        let closes = |key: usize| standing[key].gap <= closed_gap && !was_closed[key];
        (0..standing.len()).any(|key| closes(key) && !model.constraints.always[key])
    }

    /// v₁ = v + h a⁺, q⁺ = q + h/2 (v + v₁).
    fn predict(&mut self, model: &Model, h: f64) -> StepResult {
        let Point { t, q, v } = &mut self.at;
        *t += h;
        for ((q, v), a) in q.iter_mut().zip(v).zip(&self.sides[0].a) {
            *q += h * (*v + 0.5 * h * a);
            *v += h * a;
        }
        check_finite(model, "position", &self.at.q)?;
        check_finite(model, "velocity", &self.at.v)
    }
}

impl Integrator for D1Minus {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        refuse_untracked(ENTRY.name, model, &[])
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.work.begin(model, now, h, self.closed_gap)?;
        self.accelerate(model, 0, (h, false), log)?;
        self.work.predict(model, h)?;
        self.work.look(model)?;
        let impact = self.work.closes(model, self.closed_gap);
        self.accelerate(model, 1, (h, impact), log)?;
        let added = self.combine(model, now, h, impact)?;
        self.strike(model, log)?;
        log.worst_last(0);
        log.newton_iterations = 1;
        log.counts = Counts { steps: 1, rejected: 0, evaluations: 2 };

        self.work.look(model)?;
        let Work { at, record, standing, .. } = &mut self.work;
        (next.t, next.step, next.step_size) = (now.t + h, now.step + 1, h);
        next.q.clone_from(&at.q);
        next.v.clone_from(&at.v);
        next.memory.clear();
        check_finite(model, "velocity", &next.v)?;
        record.finish(model, next, standing, log)?;
        log.works.scheme += added;
        Ok(())
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.work.contact.problem)
    }

    fn poison(&mut self) {
        let Work { motion, contact, record, at, standing, was_closed, sides, .. } = &mut self.work;
        motion.poison();
        contact.poison();
        record.poison();
        at.poison();
        standing.clear();
        was_closed.clear();
        for side in sides {
            for x in [&mut side.free, &mut side.a, &mut side.force, &mut side.impulse] {
                x.fill(f64::NAN);
            }
        }
        let Work { given, balance, gradient, .. } = &mut self.work;
        given.fill(f64::NAN);
        gradient.fill(f64::NAN);
        balance.poison();
        self.solving.solver.forget();
    }
}
