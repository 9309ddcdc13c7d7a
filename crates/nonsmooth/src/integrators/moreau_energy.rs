//! Moreau–Jean with the energy that an impact takes given back to what is not in contact.
//!
//! ```text
//! Moreau–Jean gives (q⁺, v⁺) with p > 0;      c = E(q⁺, v⁺) − E(q, v)
//! v⁺ ← v⁺ + β d,   q⁺ ← q⁺ ⊕ hθ β d,          J d = 0 on the constraints that take part,  dᵀMd = 1
//! a β² + b β + c = 0,    a = ½dᵀMd + ½(hθ)² dᵀKd,    b = dᵀMv⁺ + hθ dᵀ∇V(q⁺)
//! ```
//!
//! [Yoong17], read with its (3c) as u̇₂⁺ + e u̇₂ ≤ 0, R ≤ 0. The law at the contact is untouched, the energy is kept to
//! rounding; the momentum is not, since no force stands behind β. It is a device to find periodic orbits with sticking,
//! not mechanics. The root of smaller size is β = −2c / (b + sign(b) √(b² − 4ac)). E is quadratic along d for linear systems and for bodies
//! under gravity, in whose axes M is constant.
//!
//! The direction d is the projection of the mean velocity of the step on the directions that no constraint of the step
//! resists (`phases/tangent.rs`); where one mass is free and M diagonal, as in the paper, d is that mass.
//!
//! β = 0, with a note, where there is no impulse, no direction or no real root; c is then what the step changed. If
//! b = 0 the roots differ in sign only: β > 0, along d, is taken. The larger root is taken in steps that close a contact;
//! while it stays closed c is rounding, and that root would throw the velocity about.

use super::moreau_jean::{self as inner, MoreauJean};
use super::{Entry, Integrator, Refusal};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::instant::Place;
use crate::model::instant::{Instant, Pass};
use crate::model::{Coeffs, Model, State};
use crate::part::Part;
use crate::phases::{Mass, SolverSettings, Tangent, factorize, tangent};
use crate::scratch::Scratch;
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-energy",
    about: "Moreau–Jean that keeps the energy: the energy lost at impacts is returned to coordinates without contact",
    options: &[&inner::THETA, &GAMMA, &ROOT, &DIRECTION],
    make: |options, settings| Box::new(MoreauEnergy::new(options, settings)),
};

const GAMMA: Declared = Declared { default: "0", ..inner::GAMMA };
const ROOT: Declared = Declared {
    name: "root",
    about: "which root of the energy balance corrects the velocity; the large one makes it jump",
    kind: Kind::Word(&["small", "large"]),
    default: "small",
};
const DIRECTION: Declared = Declared {
    name: "direction",
    about: "what is projected on the directions free of contact: the mean velocity of the step, or all coordinates alike",
    kind: Kind::Word(&["velocity", "uniform"]),
    default: "velocity",
};

/// Length of the free part of a vector, relative to its own, that may be rounding.
const NO_DIRECTION: f64 = 1e-13;

const FREE: &str = "steps without contact, not corrected: energy change [J]";
const NO_IMPULSE: &str = "steps with closed contacts but no impulse, not corrected: energy change [J]";
const NO_WAY: &str = "steps in which no direction is free of contact, not corrected: energy change [J]";
const NO_ROOT: &str = "steps whose energy no correction restores, not corrected: energy change [J]";
const TIE: &str = "steps in which both roots are equally large: correction [m/s]";

/// Moreau–Jean that keeps the energy.
pub struct MoreauEnergy {
    theta: f64,
    takes_large_root: bool,
    is_uniform: bool,
    inner: MoreauJean,
    scratch: EnergyScratch,
}

#[derive(Default)]
struct EnergyScratch {
    /// d in working axes.
    d: Vec<f64>,
    tangent: Tangent,
    mass: Mass,
    part: Vec<f64>,
    end: Place,
}

/// a β² + b β + c = 0.
#[derive(Clone, Copy)]
struct Quadratic {
    a: f64,
    b: f64,
    c: f64,
}

impl MoreauEnergy {
    pub(super) fn new(options: &Options, settings: SolverSettings) -> Self {
        let theta = options.number(&inner::THETA);
        let given = Options::default().with("theta", theta).with("gamma", options.number(&GAMMA));
        Self {
            theta,
            takes_large_root: options.word(&ROOT) == "large",
            is_uniform: options.word(&DIRECTION) == "uniform",
            inner: MoreauJean::new(&given, settings),
            scratch: EnergyScratch::default(),
        }
    }

    /// Why the step stays as Moreau–Jean made it; or its direction is in `d`.
    fn find_direction(
        &mut self,
        model: &Model,
        now: &State,
        log: &StepLog,
    ) -> StepResult<Option<&'static str>> {
        if log.constraints.is_empty() {
            return Ok(Some(FREE));
        }
        let Scratch { at, active, impulses, v_next, problem, .. } = &mut self.inner.scratch;
        let is_closed = |c: usize| {
            impulses.p[active.rows(c)].iter().any(|p| *p != 0.0)
                && !model.law(active.laws[c]).forms().bilateral
        };
        // A law that acts in phases acts at the start of the step, before the problem of the step.
        if log.struck.is_none() && !(0..active.len()).any(is_closed) {
            return Ok(Some(NO_IMPULSE));
        }
        let EnergyScratch { d, tangent: scratch, mass, part: image, .. } = &mut self.scratch;
        let start = at.now(now);
        let pass = Pass::at(&start);
        let part = Part::whole(now.t, 0.0);
        factorize(model, &part, &pass, Coeffs::MASS, problem, mass)?;
        d.clear();
        match self.is_uniform {
            true => d.resize(now.v.len(), 1.0),
            false => d.extend(start.v.iter().zip(&*v_next).map(|(a, b)| 0.5 * (a + b))),
        }
        let share = tangent(model, &start, active, mass, scratch, d)?;
        if share <= NO_DIRECTION {
            return Ok(Some(NO_WAY));
        }
        let scale = 1.0 / form(model, &start, [1.0, 0.0, 0.0], d, image)?.sqrt();
        d.iter_mut().for_each(|d| *d *= scale);
        Ok(None)
    }

    /// The energy along d, as a polynomial in β less the energy before.
    fn balance(
        &mut self,
        model: &Model,
        now: &State,
        next: &State,
        change: f64,
    ) -> StepResult<Quadratic> {
        let EnergyScratch { d, part, .. } = &mut self.scratch;
        let (at, reach) = (self.inner.scratch.at.now(now), next.step_size * self.theta);
        let mut quadratic = Quadratic { a: 0.0, b: 0.0, c: change };
        quadratic.a = 0.5 * form(model, &at, [1.0, 0.0, reach * reach], d, part)?;
        part.fill(0.0);
        model.times(&at, [1.0, 0.0, 0.0], d, part)?;
        quadratic.b = dot(part, &self.inner.scratch.v_next);
        part.fill(0.0);
        model.smooth_motions().try_for_each(|motion| motion.gradient(model, &next.q, part))?;
        quadratic.b += reach * dot(part, d);
        Ok(quadratic)
    }

    /// v⁺ + β d and q⁺ ⊕ hθ β d, with energies and gaps there.
    fn correct(
        &mut self,
        model: &Model,
        now: &State,
        beta: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        let EnergyScratch { d, part, end, .. } = &mut self.scratch;
        model.to_state(&now.q, d);
        part.clear();
        part.extend(d.iter().map(|d| next.step_size * self.theta * beta * d));
        model.rigid.hold_absent(&now.presence, part);
        end.q.clone_from(&next.q);
        model.retract(&end.q, part, &mut next.q);
        next.v.iter_mut().zip(&*d).for_each(|(v, d)| *v += beta * d);
        model.update_presence(next);
        model.update_angles(now, next)?;
        end.t = next.t;
        end.q.clone_from(&next.q);
        end.v.resize(next.v.len(), 0.0);
        model.to_working(&next.q, &next.v, &mut end.v);
        end.inputs.clone_from(&next.inputs);
        end.angles.clone_from(&next.angles);
        end.complete(model, &next.presence, &next.v)?;
        let at = end.instant(&next.presence);
        log.energies = model.energies(&at)?;
        model.gaps(&at, &mut log.gaps)
    }
}

/// xᵀ (m M + c C + k K) x; `part` is scratch.
fn form(
    model: &Model,
    at: &Instant<'_>,
    mck: [f64; 3],
    x: &[f64],
    part: &mut Vec<f64>,
) -> StepResult<f64> {
    part.clear();
    part.resize(x.len(), 0.0);
    model.times(at, mck, x, part)?;
    Ok(dot(part, x))
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

impl Quadratic {
    fn discriminant(&self) -> f64 {
        self.b * self.b - 4.0 * self.a * self.c
    }

    /// The root of smaller, or of larger, size; of two of one size the positive one.
    fn root(&self, large: bool) -> f64 {
        let Quadratic { a, b, c } = *self;
        let far = if b < 0.0 { b - self.discriminant().sqrt() } else { b + self.discriminant().sqrt() };
        match (far == 0.0, b == 0.0) {
            (true, _) => 0.0,
            (_, true) => far / (2.0 * a),
            _ if large => -far / (2.0 * a),
            _ => -2.0 * c / far,
        }
    }
}

impl Integrator for MoreauEnergy {
    fn accepts(&self, model: &Model) -> Result<(), Refusal> {
        super::refusal::no_extras(ENTRY.name, model)?;
        self.inner.accepts(model)?;
        super::frictionless(ENTRY.name, model)?;
        super::conservative(ENTRY.name, model)?;
        has_direction(model)
    }

    fn step(
        &mut self,
        model: &Model,
        now: &State,
        h: f64,
        next: &mut State,
        log: &mut StepLog,
    ) -> StepResult {
        self.inner.step(model, now, h, next, log)?;
        if !model.has_working_axes() {
            self.inner.scratch.v_next.clone_from(&next.v);
        }
        let change = log.works.sum();
        if let Some(reason) = self.find_direction(model, now, log)? {
            if change != 0.0 || reason != FREE {
                log.note(reason, change);
            }
            return Ok(());
        }
        let quadratic = self.balance(model, now, next, change)?;
        if !(quadratic.discriminant() >= 0.0) {
            log.note(NO_ROOT, change);
            return Ok(());
        }
        let beta = quadratic.root(self.takes_large_root && !log.events.is_empty());
        if quadratic.b == 0.0 && beta != 0.0 {
            log.note(TIE, beta);
        }
        log.works.scheme -= change;
        self.correct(model, now, beta, next, log)
    }

    fn last_problem(&self) -> Option<&Problem> {
        self.inner.last_problem()
    }

    fn reset(&mut self) {
        self.scratch = EnergyScratch::default();
        self.inner.reset();
    }
}

/// Refuses models without bodies in which a single closed contact, with the joints, leaves no coordinate free.
fn has_direction(model: &Model) -> Result<(), Refusal> {
    if model.has_working_axes() {
        return Ok(());
    }
    let n_joints = (0..model.n_constraints()).filter(|&i| model.is_bilateral_gap(i)).count();
    let contact = model.constraint_names().enumerate().find(|(i, _)| !model.is_bilateral_gap(*i));
    match contact {
        Some((_, name)) if model.n_velocities() <= n_joints + 1 => {
            Err(Refusal::NoFreeDirection { integrator: ENTRY.name, constraint: name.to_owned() })
        }
        _ => Ok(()),
    }
}
