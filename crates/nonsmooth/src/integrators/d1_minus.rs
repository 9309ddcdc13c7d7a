//! D1-minus: time-discontinuous Galerkin, linear in the step and half-explicit. Contact forces act between impacts,
//! impulses only at the end of the step.
//!
//! ```text
//! a⁺ = M(q)⁻¹ (f(t, q, v) + Jᵀ λ⁺)                 0 ≤ ÿ ⟂ λ⁺ ≥ 0   where y ≤ ε, u ≤ ε
//! v₁ = v + h a⁺,   q⁺ = q ⊕ h/2 (v + v₁)
//! a⁻ = M(q⁺)⁻¹ (f(t⁺, q⁺, v₁) + Jᵀ λ⁻)             0 ≤ ÿ ⟂ λ⁻ ≥ 0   where y⁺ ≤ ε, u₁ ≤ ε
//! v⁻ = v + h/2 (a⁺ + a⁻)
//! M(q⁺)(v⁺ − v⁻) = Jᵀ p                             −(u⁺ + shift) ∈ N_C(p + h/2 λ⁻)   where y⁺ ≤ ε
//! ```
//!
//! with ÿ = J a + curvature; the shift is that of the law's step form, e u⁻ for Newton's. In a step in which a gap closes, y > ε and y⁺ ≤ ε, v⁻ is formed without λ: there impulses
//! carry everything. Joints are in all three problems, with equality. [Schindler14] has p ≥ 0; here p may take back what λ⁻
//! gave too much, O(h³): else a contact that is pressed would part by the error of the method, lose its λ⁺ in the next
//! step and sink by a h²/2 (order 1 on curved surfaces; tests/it/d1_minus.rs: lasting_contact_is_of_order_two).
//!
//! Friction is in all three problems. At acceleration level a contact with ‖u_T‖ > ε slides, λ_T = −μ λ_N u_T/‖u_T‖; one without slip has
//! λ in its cone against u̇_T. The impulse has p + h/2 λ⁻ in the cone against u_T⁺, so that who comes to rest within the step is at
//! rest at its end.
//!
//! Order 2 while nothing closes, lasting contacts included, and 1 through impacts and changes between sticking and sliding. Explicit: h ω < 2 where there is
//! stiffness. A contact that was closed at the start and approaches by no more than h a_N, with a_N = −ÿ without λ, rests: it has no rebound, whose flight
//! would be shorter than the step. Without that rule (`persistent` = "impact", as published) a lasting contact rebounds from the error of the method, and
//! under the weight g an accumulation with e > 0 does not end in rest: a velocity v = e g h/(2 + 2e) is not
//! small enough for λ⁺, the step loses g h/2 of it and throws back e times the rest, so that v stays and q sinks at
//! g h/(2 + 2e). "inelastic" lets all contacts that were closed before come to rest.
//!
//! The ledger books impacts exactly and the power of forces F = M a + ∇V by the trapezoidal rule. With v_½ = ½ (v + v⁻)
//! and the displacement defect d = h/2 (v + v₁) − h v_½, in the axes of the state, it closes for linear systems and bodies:
//!
//! ```text
//! scheme = ½ (∇V + ∇V⁺)·d + h/2 (F⁺·(v_½ − v) + F⁻·(v_½ − v₁))
//! ```

use super::refusal::needs_step_form;
use super::tracking::{
    Block, ConstraintStatus, Contact, Hit, MOST_ROWS, Motion, Point, Record, RowForm, Watch, Watched,
    add_works, book, fill_blocks, instant, lasting_set, refuse_untracked, sliding_ratio, worst_last,
};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::{Counts, JAMMED, StepLog, Works};
use crate::model::errors::{check_coordinates, check_finite};
use crate::model::{Model, RigidState, State};
use crate::phases::SolverSettings;
use nonsmooth_solvers::{Declared, Kind, Options, Problem, Set};

pub(super) const ENTRY: Entry = Entry {
    name: "d1-minus",
    about: "time-discontinuous Galerkin, half-explicit: contact forces apart from impulses, second order in smooth phases",
    options: &[&CLOSED_GAP, &CLOSED_VELOCITY, &PERSISTENT],
    make: |options, settings| Box::new(D1Minus::new(options, settings)),
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
    about: "which contacts that were closed at the start of the step rebound with their restitution: those whose flight lasts longer than the step, all, or none",
    kind: Kind::Word(&["resting", "impact", "inelastic"]),
    default: "resting",
};

/// Which contacts that were closed before keep their restitution.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Persistent {
    /// Those that approach faster than the step accelerates them.
    Resting,
    /// All.
    Impact,
    /// None.
    Inelastic,
}

/// The half-explicit D1-minus scheme at acceleration level.
pub struct D1Minus {
    closed_gap: f64,
    closed_velocity: f64,
    persistent: Persistent,
    settings: SolverSettings,
    scratch: Scratch,
}

/// Scratch; no bit of a result depends on it.
#[derive(Default)]
struct Scratch {
    motion: Motion,
    contact: Contact,
    record: Record,
    watch: Watch,
    /// The start of the step.
    start: Point,
    /// The start of the step, then (t⁺, q⁺) with v₁, v⁻ and v⁺.
    at: Point,
    /// How all rows stand there.
    status: Vec<ConstraintStatus>,
    /// Which contacts were closed at the start.
    was_closed: Vec<bool>,
    /// Which rows carried something in the step.
    carries: Vec<bool>,
    /// The accelerations at the start and at the end.
    sides: [Side; 2],
    /// The rows of the impulses, what the laws add to them [m/s], and what λ⁻ gave them [N·s].
    keys: Vec<usize>,
    shift: Vec<f64>,
    given: Vec<f64>,
    blocks: Vec<Block>,
    /// h/2 (v + v₁), as velocities of the state times a time.
    step: Vec<f64>,
    change: Vec<f64>,
    rigid: Vec<RigidState>,
    part: Vec<f64>,
}

/// Acceleration and contact forces at one end of the step.
#[derive(Default)]
struct Side {
    /// M⁻¹ f, in working axes.
    free: Vec<f64>,
    /// M⁻¹ (f + Jᵀ λ), in a step with an impact M⁻¹ f, in working axes.
    a: Vec<f64>,
    /// The same as a change of velocities of the state.
    a_state: Vec<f64>,
    /// F = M a + ∇V and ∇V in the axes of the state [N].
    force: Vec<f64>,
    gradient: Vec<f64>,
    /// The rows that may carry a force.
    keys: Vec<usize>,
    /// h/2 λ of each [N·s].
    impulse: Vec<f64>,
    /// h/2 times the power of what has no potential [J]: of forces, and of contacts and joints.
    work: Works,
    held: Works,
}

impl Side {
    /// h/2 λ of the rows `keys`, 0 for those that carry none; both lists are sorted.
    fn given(&self, keys: &[usize], given: &mut Vec<f64>) {
        given.clear();
        given.extend(keys.iter().map(|key| {
            let place = self.keys.binary_search(key).ok();
            place.and_then(|i| self.impulse.get(i)).copied().unwrap_or(0.0)
        }));
    }
}

impl D1Minus {
    fn new(options: &Options, settings: SolverSettings) -> Self {
        Self {
            closed_gap: options.number(&CLOSED_GAP),
            closed_velocity: options.number(&CLOSED_VELOCITY),
            persistent: match options.word(&PERSISTENT) {
                "impact" => Persistent::Impact,
                "inelastic" => Persistent::Inelastic,
                _ => Persistent::Resting,
            },
            settings,
            scratch: Scratch::default(),
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
        let carries = |s: &ConstraintStatus| s.gap <= self.closed_gap && s.u <= self.closed_velocity;
        let slow = self.closed_velocity;
        let Scratch { motion, contact, at, status, sides, blocks, .. } = &mut self.scratch;
        let Side { free, a, a_state, keys, impulse, work, held, .. } = &mut sides[end];
        let mut power = Works::default();
        motion.free(model, at, free, &mut power)?;
        (*work, *held) = (Works::default(), Works::default());
        add_works(work, 0.5 * h, &power);
        a.clone_from(free);
        select(&motion.watched, status, carries, keys);
        impulse.clear();
        if !impact && !keys.is_empty() {
            motion.gather(model, keys, at)?;
            motion.curve(model, keys)?;
            let (closed, watched) = (&motion.closed, &motion.watched);
            let rhs = |i: usize| closed.along(i, free) + closed.curvature[i];
            fill_blocks(watched, keys, blocks, |key, own| {
                let law = closed.law(model, watched, key);
                let tangents = &closed.status[own.start + 1..own.end];
                match direction(tangents, slow) {
                    Some(d) => (Set::Nonnegative, Some(sliding_ratio(law, d, tangents))),
                    None => (lasting_set(law, &[0.0; 2][..tangents.len()]), None),
                }
            });
            let solutions = contact.count_solutions(closed, blocks, rhs, self.settings.tolerance);
            if solutions == Some(0) {
                // The impulses of the step carry what no force can.
                log.note(JAMMED, 1.0);
                contact.x.clear();
                contact.x.resize(keys.len(), 0.0);
            } else {
                let rows = (watched, &keys[..]);
                contact.solve(model, rows, (closed, blocks), rhs, &mut self.settings, log)?;
                // The end of a step is the start of the next.
                if solutions > Some(1) && end == 0 {
                    log.note(contact.choice(blocks), 1.0);
                }
            }
            closed.push(&contact.x, a);
            impulse.extend(contact.x.iter().map(|lambda| 0.5 * h * lambda));
            for ((impulse, status), &key) in impulse.iter().zip(&closed.status).zip(&*keys) {
                book(watched.column[key], impulse * status.u, held);
                held.prescribed -= impulse * status.rate;
            }
        }
        a_state.clone_from(a);
        motion.to_state(model, a_state);
        Ok(())
    }

    /// v⁻ into the present point, with its forces booked.
    fn combine(&mut self, model: &Model, h: f64, impact: bool) -> StepResult {
        let Scratch { motion, record, start, at, sides, step, rigid, part, .. } = &mut self.scratch;
        for (side, point) in sides.iter_mut().zip([&*start, &*at]) {
            motion.go_to(model, point)?;
            if impact {
                side.a.clone_from(&side.free);
                side.a_state.clone_from(&side.free);
                motion.to_state(model, &mut side.a_state);
            }
            let here = instant(&motion.place, &motion.presence);
            side.gradient.clear();
            side.gradient.resize(side.a.len(), 0.0);
            model.gradient(&here, (&mut *rigid, &mut *part), &mut side.gradient)?;
            model.rigid.hold_absent(&motion.presence, &mut side.gradient);
            side.force.clone_from(&side.gradient);
            model.times(&here, [1.0, 0.0, 0.0], &side.a, &mut side.force)?;
            motion.to_state(model, &mut side.force);
            motion.to_state(model, &mut side.gradient);
        }
        let mut added = 0.0;
        for (i, v) in at.v.iter_mut().enumerate() {
            let v_minus = start.v[i] + 0.5 * h * (sides[0].a_state[i] + sides[1].a_state[i]);
            let mean = 0.5 * (start.v[i] + v_minus);
            added += 0.5 * (sides[0].gradient[i] + sides[1].gradient[i]) * (step[i] - h * mean);
            added += 0.5 * h * sides[0].force[i] * (mean - start.v[i]);
            added += 0.5 * h * sides[1].force[i] * (mean - *v);
            *v = v_minus;
        }
        for Side { keys, impulse, work, held, .. } in sides {
            record.smooth(&[], work, &[]);
            if !impact {
                record.smooth(keys, held, impulse);
            }
        }
        record.works.scheme += added;
        Ok(())
    }

    /// The impulses at the end of the step; `at` holds v⁻, then v⁺.
    fn strike(&mut self, model: &Model, log: &mut StepLog) -> StepResult {
        let (closed_gap, persistent) = (self.closed_gap, self.persistent);
        let scratch = &mut self.scratch;
        select(&scratch.motion.watched, &scratch.status, |s| s.gap <= closed_gap, &mut scratch.keys);
        if scratch.keys.is_empty() {
            return Ok(());
        }
        scratch.motion.gather(model, &scratch.keys, &scratch.at)?;
        scratch.motion.curve(model, &scratch.keys)?;
        scratch.set_laws(model, persistent, self.closed_velocity);
        let Scratch { motion, contact, record, at, keys, sides, shift, given, blocks, change, .. } =
            scratch;
        let (closed, watched, m) = (&motion.closed, &motion.watched, keys.len());
        sides[1].given(keys, given);
        // The unknown is p + h/2 λ⁻.
        let rhs = |i: usize| {
            let taken: f64 = closed.delassus[i * m..].iter().zip(&*given).map(|(w, p)| w * p).sum();
            closed.status[i].u + shift[i] - taken
        };
        contact.solve(model, (watched, keys), (closed, blocks), rhs, &mut self.settings, log)?;
        contact.x.iter_mut().zip(&*given).for_each(|(p, given)| *p -= given);
        change.clear();
        change.resize(at.v.len(), 0.0);
        closed.push(&contact.x, change);
        motion.to_state(model, change);
        at.v.iter_mut().zip(&*change).for_each(|(v, change)| *v += change);
        contact.slack.iter_mut().zip(&*shift).for_each(|(u, shift)| *u -= shift);
        for block in &*blocks {
            let own = block.first..block.first + block.dim;
            let of = |x: fn(&ConstraintStatus) -> f64| -> [f64; MOST_ROWS] {
                std::array::from_fn(|k| closed.status.get(block.first + k).map_or(0.0, x))
            };
            let hit = Hit {
                t: at.t,
                key: keys[block.first],
                u_minus: &of(|s| s.u)[..block.dim],
                u_plus: &contact.slack[own.clone()],
                impulse: &contact.x[own],
                rate: &of(|s| s.rate)[..block.dim],
                lasts: given[block.first] > 0.0,
            };
            record.hit(watched, &hit, log);
        }
        Ok(())
    }
}

/// The joints, and the contacts that `takes` takes by their normal, with all of their rows.
fn select(
    watched: &Watched,
    status: &[ConstraintStatus],
    takes: impl Fn(&ConstraintStatus) -> bool,
    keys: &mut Vec<usize>,
) {
    keys.clear();
    let takes = |key: &usize| watched.always[*key] || takes(&status[watched.normal(*key)]);
    keys.extend((0..status.len()).filter(takes));
}

/// The direction of a slip that is faster than `slow`.
fn direction(tangents: &[ConstraintStatus], slow: f64) -> Option<[f64; 2]> {
    let speed = tangents.iter().map(|s| s.u * s.u).sum::<f64>().sqrt();
    let along = |k: usize| tangents.get(k).map_or(0.0, |s| s.u / speed);
    (speed > slow).then(|| [along(0), along(1)])
}

impl Scratch {
    /// Sets and shifts of the impulses. Of contacts that were closed before those rebound that `persistent` says.
    fn set_laws(&mut self, model: &Model, persistent: Persistent, slow: f64) {
        let Scratch { motion, keys, shift, blocks, was_closed, sides, .. } = self;
        let h = motion.scale.h;
        let (closed, watched) = (&motion.closed, &motion.watched);
        fill_blocks(watched, keys, blocks, |_, _| (Set::Nonnegative, None));
        shift.clear();
        shift.resize(keys.len(), 0.0);
        for block in blocks {
            let (first, key) = (block.first, keys[block.first]);
            let own = first..first + block.dim;
            let law = closed.law(model, watched, key);
            let mut u = [0.0; MOST_ROWS];
            u[0] = closed.status[first].u;
            if direction(&closed.status[first + 1..own.end], slow).is_some() {
                own.clone().skip(1).for_each(|row| u[row - first] = closed.status[row].u);
            }
            let mut form = RowForm::new(&u[..block.dim], &[0.0; MOST_ROWS]);
            let rebounds = match persistent {
                Persistent::Impact => true,
                Persistent::Inelastic => false,
                Persistent::Resting => {
                    let closing = -(closed.along(first, &sides[1].free) + closed.curvature[first]);
                    -u[0] > h * closing.max(0.0)
                }
            };
            if rebounds || !was_closed[key] {
                law.step(&mut form.rows(law));
            } else {
                law.contact(&mut form.rows(law));
            }
            if block.dim > 1 {
                block.set = form.set();
            }
            shift[own].copy_from_slice(&form.shift[..block.dim]);
        }
    }

    /// How all rows stand at the present point.
    fn look(&mut self, model: &Model) -> StepResult {
        let Scratch { motion, watch, at, status, record, was_closed, .. } = self;
        motion.go_to(model, at)?;
        let Motion { watched, place, presence, .. } = &mut *motion;
        watched.discover(model, &instant(place, presence), |_| true)?;
        motion.scale.pace.clear();
        motion.scale.pace.extend(motion.place.v.iter().map(|v| v.abs()));
        watch.evaluate(model, at, motion, status)?;
        record.follow(status);
        was_closed.resize(status.len(), false);
        Ok(())
    }

    /// Takes up a state.
    fn begin(&mut self, model: &Model, now: &State, h: f64, closed_gap: f64) -> StepResult {
        self.motion.scale.h = h;
        self.start.t = now.t;
        self.start.q.clone_from(&now.q);
        self.start.v.clone_from(&now.v);
        self.at.copy_from(&self.start);
        self.motion.begin(model, now, &self.start)?;
        self.look(model)?;
        self.was_closed.clear();
        self.was_closed.extend(self.status.iter().map(|s| s.gap <= closed_gap));
        self.record.begin(&self.status);
        self.record.recall(&self.motion.watched, now);
        Ok(())
    }

    /// Whether a contact is closed now and was not at the start.
    fn closes(&self, closed_gap: f64) -> bool {
        let Scratch { status, was_closed, motion, .. } = self;
        let closes = |key: usize| status[key].gap <= closed_gap && !was_closed[key];
        let watched = &motion.watched;
        (0..status.len()).any(|key| closes(key) && !watched.always[key] && !watched.tangent[key])
    }

    /// v₁ = v + h a⁺, q⁺ = q ⊕ h/2 (v + v₁).
    fn predict(&mut self, model: &Model, h: f64) -> StepResult {
        let Scratch { motion, at, step, sides, .. } = self;
        at.t += h;
        step.clear();
        for (v, a) in at.v.iter_mut().zip(&sides[0].a_state) {
            step.push(h * (*v + 0.5 * h * a));
            *v += h * a;
        }
        motion.retract(model, step, &mut at.q);
        check_coordinates(model, &at.q)?;
        check_finite(model, "velocity", &at.v)
    }
}

impl Integrator for D1Minus {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::refusal::no_meshes(ENTRY.name, model)?;
        refuse_untracked(ENTRY.name, model, &[])?;
        needs_step_form(ENTRY.name, model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.scratch.begin(model, now, h, self.closed_gap)?;
        self.accelerate(model, 0, (h, false), log)?;
        self.scratch.predict(model, h)?;
        self.scratch.look(model)?;
        let impact = self.scratch.closes(self.closed_gap);
        self.accelerate(model, 1, (h, impact), log)?;
        self.combine(model, h, impact)?;
        self.strike(model, log)?;
        worst_last(log);
        log.newton_iterations = 1;
        log.counts = Counts { steps: 1, rejected: 0, evaluations: 2 };

        check_finite(model, "velocity", &self.scratch.at.v)?;
        self.scratch.look(model)?;
        let Scratch { motion, record, watch, at, status, carries, .. } = &mut self.scratch;
        carries.clear();
        carries.extend(record.impulse.iter().map(|p| *p != 0.0));
        let end = (&*at, &status[..], &watch.rows);
        record.finish(model, (now, h), motion, end, |key| carries[key], (next, log))
    }

    fn last_problem(&self) -> Option<&Problem> {
        Some(&self.scratch.contact.problem)
    }

    fn reset(&mut self) {
        self.scratch = Scratch::default();
        self.settings.solver.forget();
    }
}
