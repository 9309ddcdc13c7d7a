//! Moreau–Jean with the energy that an impact takes given back to what does not touch.
//!
//! ```text
//! Moreau–Jean gives (q⁺, v⁺) with p > 0;      c = E(q⁺, v⁺) − E(q, v)
//! v⁺ ← v⁺ + β d,   q⁺ ← q⁺ + hθ β d,          H d = 0 on the constraints that take part,  dᵀMd = 1
//! a β² + b β + c = 0,    a = ½dᵀMd + ½(hθ)² dᵀKd,    b = dᵀMv⁺ + hθ dᵀ(K q⁺ − load)
//! ```
//!
//! [Yoong17], read with its (3c) as u̇₂⁺ + e u̇₂ ≤ 0, R ≤ 0. The law at the contact is untouched, the energy is kept to
//! rounding; the momentum is not, since no force stands behind β. It is a device to find periodic orbits with sticking,
//! not mechanics. The root of smaller size is β = −2c / (b + sign(b) √(b² − 4ac)).
//!
//! The direction d is the projection of the mean velocity of the step on the directions that no constraint of the step
//! resists (`phases/tangent.rs`); where one mass is free and M diagonal, as in the paper, d is that mass.
//!
//! β = 0, with a note, where there is no impulse, no direction or no real root; c is then what the step changed. If
//! b = 0 the roots differ in sign only: β > 0, along d, is taken. The larger root is taken in steps that close a contact;
//! while it stays closed c is rounding, and that root would throw the velocity about.

use super::moreau_jean::{self as inner, MoreauJean};
use super::{Entry, Integrator, Refusal, Solving, frictionless};
use crate::error::StepResult;
use crate::log::StepLog;
use crate::model::{Model, State};
use crate::phases::{Accounting, Tangent, energies, tangent};
use nonsmooth_solvers::{Declared, Kind, Options, Problem};

pub(super) const ENTRY: Entry = Entry {
    name: "moreau-energy",
    about: "Moreau–Jean that keeps the energy: what an impact takes goes to coordinates that do not touch",
    options: &[&inner::THETA, &GAMMA, &ROOT, &DIRECTION],
    make: |options, solving| Box::new(MoreauEnergy::new(options, solving)),
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
struct MoreauEnergy {
    theta: f64,
    takes_large_root: bool,
    is_uniform: bool,
    inner: MoreauJean,
    work: Work,
}

#[derive(Default)]
struct Work {
    d: Vec<f64>,
    tangent: Tangent,
    accounting: Accounting,
    part: Vec<f64>,
}

/// a β² + b β + c = 0.
#[derive(Clone, Copy)]
struct Quadratic {
    a: f64,
    b: f64,
    c: f64,
}

impl MoreauEnergy {
    fn new(options: &Options, solving: Solving) -> Self {
        let theta = options.number(&inner::THETA);
        let given = Options::default().with("theta", theta).with("gamma", options.number(&GAMMA));
        Self {
            theta,
            takes_large_root: options.word(&ROOT) == "large",
            is_uniform: options.word(&DIRECTION) == "uniform",
            inner: MoreauJean::new(&given, solving),
            work: Work::default(),
        }
    }

    /// Why the step stays as Moreau–Jean made it; or its direction is in `work.d`.
    fn find_direction(
        &mut self,
        model: &Model,
        now: &State,
        next: &State,
        log: &StepLog,
    ) -> StepResult<Option<&'static str>> {
        if log.contacts.keys.is_empty() {
            return Ok(Some(FREE));
        }
        let touches = |(key, p): (&crate::model::Key, &f64)| {
            *p != 0.0 && !model.constraints.always[key.0 as usize]
        };
        if !log.contacts.keys.iter().zip(&log.contacts.impulse).any(touches) {
            return Ok(Some(NO_IMPULSE));
        }
        let Work { d, tangent: scratch, .. } = &mut self.work;
        d.clear();
        match self.is_uniform {
            true => d.resize(now.v.len(), 1.0),
            false => d.extend(now.v.iter().zip(&next.v).map(|(a, b)| 0.5 * (a + b))),
        }
        let share = tangent(model, &log.contacts.keys, scratch, d)?;
        if share <= NO_DIRECTION {
            return Ok(Some(NO_WAY));
        }
        let scale = 1.0 / model.linear.mass_form(d).sqrt();
        d.iter_mut().for_each(|d| *d *= scale);
        Ok(None)
    }

    /// The energy along d, as a polynomial in β less the energy before.
    fn balance(&mut self, model: &Model, h: f64, next: &State, change: f64) -> Quadratic {
        let Work { d, part, .. } = &mut self.work;
        let (linear, reach) = (&model.linear, h * self.theta);
        let mut quadratic =
            Quadratic { a: 0.5 * linear.mass_form(d), b: linear.mass.form(d, &next.v), c: change };
        if let Some(stiffness) = &linear.stiffness {
            quadratic.a += 0.5 * reach * reach * stiffness.form(d, d);
        }
        part.clear();
        part.extend(linear.load.iter().map(|load| -load));
        if let Some(stiffness) = &linear.stiffness {
            stiffness.multiply_add(1.0, &next.q, part);
        }
        quadratic.b += reach * d.iter().zip(&*part).map(|(d, f)| d * f).sum::<f64>();
        quadratic
    }
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
        frictionless(ENTRY.name, model)?;
        conservative(model)?;
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
        let change = log.works.sum();
        if let Some(reason) = self.find_direction(model, now, next, log)? {
            if change != 0.0 || reason != FREE {
                log.note(reason, change);
            }
            return Ok(());
        }
        let quadratic = self.balance(model, h, next, change);
        if !(quadratic.discriminant() >= 0.0) {
            log.note(NO_ROOT, change);
            return Ok(());
        }
        let beta = quadratic.root(self.takes_large_root && !log.events.is_empty());
        if quadratic.b == 0.0 && beta != 0.0 {
            log.note(TIE, beta);
        }
        let Work { d, accounting, part, .. } = &mut self.work;
        for (i, d) in d.iter().enumerate() {
            next.v[i] += beta * d;
            next.q[i] += h * self.theta * beta * d;
        }
        log.works.scheme -= change;
        log.energies = energies(model, next, accounting)?;
        model.gaps(next, part, &mut log.gaps)
    }

    fn last_problem(&self) -> Option<&Problem> {
        self.inner.last_problem()
    }

    fn poison(&mut self) {
        let Work { d, tangent, accounting, part } = &mut self.work;
        d.fill(f64::NAN);
        part.fill(f64::NAN);
        tangent.poison();
        accounting.poison();
        self.inner.poison();
    }
}

/// Refuses what does not keep its energy between impacts.
fn conservative(model: &Model) -> Result<(), Refusal> {
    let refuse = |what: &'static str, name: &str| {
        Err(Refusal::NotConservative { integrator: ENTRY.name, what, name: name.to_owned() })
    };
    if let Some(system) = model.user.first() {
        return refuse("nonlinear dynamics of system", model.coordinate_name(system.range.start).0);
    }
    if let Some(damping) = &model.linear.damping {
        let damped = |i: &usize| damping.row(*i).1.iter().any(|c| *c != 0.0);
        if let Some(i) = (0..model.linear.n).find(damped) {
            return refuse("damping of system", model.coordinate_name(i).0);
        }
    }
    if let Some((range, _)) = model.linear.forces.first() {
        return refuse("force in time on system", model.coordinate_name(range.start).0);
    }
    if let Some(prescribed) = model.prescribed.first() {
        return refuse("prescribed motion of system", model.coordinate_name(prescribed.index).0);
    }
    match model.constraints.names.get(model.constraints.n_linear()) {
        Some(name) => refuse("constraint that is no constant linear gap,", name),
        None => Ok(()),
    }
}

/// Refuses models in which a single closed contact, with the joints, leaves no coordinate free.
fn has_direction(model: &Model) -> Result<(), Refusal> {
    let always = &model.constraints.always;
    let n_joints = always.iter().filter(|always| **always).count();
    let contact = always.iter().position(|always| !always);
    match contact {
        Some(contact) if model.n_velocities() <= n_joints + 1 => Err(Refusal::NoFreeDirection {
            integrator: ENTRY.name,
            constraint: model.constraints.names[contact].clone(),
        }),
        _ => Ok(()),
    }
}
