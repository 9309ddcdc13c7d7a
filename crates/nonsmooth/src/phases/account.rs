//! The energy ledger of one step: every column from its own formula.
//!
//! A step takes its forces at x_θ = θ x⁺ + (1−θ) x and moves by Δq = h v_φ; φ = θ in the θ-scheme. Multiplying
//! M Δv + h C v_θ + h K q_θ = h F_θ + Hᵀp + R by v_φ gives for linear systems the identity
//!
//! ```text
//! Δ(T + V) = external − viscous + contact + friction + obstacle + prescribed − scheme
//!
//! T = ½ vᵀMv      V = ½ qᵀKq − load·q       external   = h v_φ·F_ext,θ
//! viscous  = h v_φᵀ C v_θ                    contact    = Σ p (H v_φ + ġ_φ)       ġ = ∂g/∂t, normals
//!                                            friction   = the same over tangents
//! obstacle = −Σ p ġ_φ                        prescribed = Σ R v_φ
//! scheme   = (φ − ½) ΔvᵀMΔv + (θ − ½) ΔqᵀKΔq
//! ```
//!
//! R = M Δv + h C v_θ + h K q_θ − h F_θ − Hᵀp is the impulse that holds a prescribed coordinate. For
//! Lagrangian systems M is taken at the configuration of the step, T and V at the state itself, `viscous`
//! is h v_φ·F_int,θ and K Δq becomes Δ∇V; what is then missing is the remainder, which the ledger shows
//! as a column of its own.

use super::account_bodies::{add_body_energies, add_body_works};
use super::detect::Rows;
use super::free_motion::{Free, Theta};
use super::iterate::Iterate;
use crate::error::{StepError, StepResult};
use crate::log::StepLog;
use crate::model::{Model, State, UserError, UserSystem};
use nonsmooth_solvers::Set;

/// Kinetic and potential energy at one instant [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// T [J].
    pub kinetic: f64,
    /// V [J], elastic and of constant loads.
    pub potential: f64,
}

/// Energy that flowed during one step [J]. Positive where the systems gain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Works {
    /// Work of the forces that depend on time [J].
    pub external: f64,
    /// Work of C v and of F_int [J]; ≤ 0 for dissipative ones.
    pub viscous: f64,
    /// Work of the normal impulses against the relative velocity, all contacts [J]; ≤ 0 at inelastic impacts.
    pub contact: f64,
    /// Work of the tangential impulses against the sliding velocity, all contacts [J].
    pub friction: f64,
    /// Work done by obstacles that move [J].
    pub obstacle: f64,
    /// Work done by what holds the prescribed coordinates [J].
    pub prescribed: f64,
    /// Energy that the scheme itself adds [J]; ≤ 0 for θ ≥ ½.
    pub scheme: f64,
    /// Energy that moving q onto the constraints adds [J].
    pub projection: f64,
    /// Energy that bodies bring when they appear, less what they take along when they leave [J].
    pub exchange: f64,
}

impl Works {
    /// All columns together [J].
    pub fn sum(&self) -> f64 {
        let Self {
            external,
            viscous,
            contact,
            friction,
            obstacle,
            prescribed,
            scheme,
            projection,
            exchange,
        } = self;
        external + viscous + contact + friction + obstacle + prescribed + scheme + projection + exchange
    }

    /// Every column with its name, in the order of result files [J].
    pub fn columns(&self) -> [(&'static str, f64); 9] {
        [
            ("external", self.external),
            ("viscous", self.viscous),
            ("contact", self.contact),
            ("friction", self.friction),
            ("obstacle", self.obstacle),
            ("prescribed", self.prescribed),
            ("scheme", self.scheme),
            ("projection", self.projection),
            ("exchange", self.exchange),
        ]
    }

    /// The works from their columns [J].
    pub fn from_columns(x: [f64; 9]) -> Self {
        let [external, viscous, contact, friction, obstacle, prescribed, scheme, projection, exchange] =
            x;
        Self { external, viscous, contact, friction, obstacle, prescribed, scheme, projection, exchange }
    }
}

/// Scratch of the ledger.
#[derive(Default)]
pub struct Accounting {
    v_theta: Vec<f64>,
    v_phi: Vec<f64>,
    dv: Vec<f64>,
    dq: Vec<f64>,
    pub(super) part: Vec<f64>,
    other: Vec<f64>,
    mass: Vec<f64>,
    reaction: Vec<f64>,
}

/// Energies of a state.
#[inline(always)]
pub fn energies(model: &Model, state: &State, scratch: &mut Accounting) -> StepResult<Energies> {
    let linear = &model.linear;
    let (q, v) = (&state.q[..linear.n], &state.v[..linear.n]);
    let (mut kinetic, mut potential) = (0.0, 0.0);
    if linear.mass_diagonal.len() == linear.n {
        let (mass, load) = (&linear.mass_diagonal[..q.len()], &linear.load[..q.len()]);
        for i in 0..v.len().min(q.len()) {
            kinetic += mass[i] * v[i] * v[i];
            potential -= load[i] * q[i];
        }
        kinetic *= 0.5;
    } else {
        kinetic = 0.5 * linear.mass.form(v, v);
        potential = -dot(q, &linear.load);
    }
    if let Some(stiffness) = &linear.stiffness {
        potential += 0.5 * stiffness.form(q, q);
    }
    if !model.user.is_empty() {
        add_user_energies(model, state, scratch, (&mut kinetic, &mut potential))?;
    }
    if !model.bodies.is_empty() {
        add_body_energies(&model.bodies, state, &mut kinetic, &mut potential);
    }
    if !(kinetic + potential).is_finite() {
        return Err(overflow(model, state, kinetic + potential));
    }
    Ok(Energies { kinetic, potential })
}

/// The squares of finite numbers overflow: names the largest of them.
#[cold]
fn overflow(model: &Model, state: &State, value: f64) -> Box<StepError> {
    let size = |i: usize| state.q[i].abs().max(state.v[i].abs());
    let largest = (0..state.v.len()).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(0);
    let (system, coordinate) = model.coordinate_name(largest);
    let (system, coordinate) = (system.to_owned(), coordinate.to_owned());
    StepError::NotFinite { what: "energy", system, coordinate, value }.into()
}

#[inline(never)]
fn add_user_energies(
    model: &Model,
    state: &State,
    scratch: &mut Accounting,
    (kinetic, potential): (&mut f64, &mut f64),
) -> StepResult {
    for system in &model.user {
        let (t, v) = user_energies(system, state, scratch)
            .map_err(StepError::in_system(model, system.range.start))?;
        if !(t + v).is_finite() {
            let system = model.coordinate_name(system.range.start).0.to_owned();
            let coordinate = "(all)".to_owned();
            return Err(StepError::NotFinite { what: "energy", system, coordinate, value: t + v }.into());
        }
        *kinetic += t;
        *potential += v;
    }
    Ok(())
}

#[inline(never)]
fn user_energies(
    system: &UserSystem,
    state: &State,
    scratch: &mut Accounting,
) -> Result<(f64, f64), UserError> {
    let (q, v) = (&state.q[system.range.clone()], &state.v[system.range.clone()]);
    fill_mass(system, q, &mut scratch.mass)?;
    Ok((0.5 * form(&scratch.mass, v, v), system.dynamics.potential(q)?))
}

fn fill_mass(system: &UserSystem, q: &[f64], mass: &mut Vec<f64>) -> Result<(), UserError> {
    mass.clear();
    mass.resize(q.len() * q.len(), 0.0);
    system.dynamics.mass(q, mass)
}

/// xᵀ A y for a dense row-major A.
fn form(a: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    (0..n).map(|i| x[i] * (0..n).map(|j| a[i * n + j] * y[j]).sum::<f64>()).sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The step as it was made.
pub struct Made<'a> {
    /// Before.
    pub now: &'a State,
    /// After.
    pub next: &'a State,
    /// Where the forces of weight θ were taken: `next`, or with another velocity.
    pub end: &'a State,
    /// h, and θ of the forces.
    pub rule: Theta,
    /// φ of Δq = h v_φ [–].
    pub phi: f64,
    /// The last iterate, for M(q_m).
    pub at: &'a Iterate,
    /// The forces.
    pub free: &'a Free,
    /// The constraints that took part.
    pub rows: &'a Rows,
    /// Their impulses [N·s].
    pub p: &'a [f64],
    /// Their impulses in the step before [N·s].
    pub previous: &'a [f64],
}

/// Writes energies, works, gaps, contacts and events of the step into the log.
#[inline]
pub fn account(
    model: &Model,
    made: &Made<'_>,
    scratch: &mut Accounting,
    log: &mut StepLog,
) -> StepResult {
    let mut works = Works::default();
    if flows(model, made) {
        works_of_step(model, made, scratch, &mut works, log)?;
    }
    log.works = works;
    log.energies = energies(model, made.next, scratch)?;
    model.gaps(made.next, &mut scratch.part, &mut log.gaps)
}

/// Whether energy can flow at all in this step: undamped linear systems under constant loads keep it at θ = ½
/// while nothing touches.
fn flows(model: &Model, made: &Made<'_>) -> bool {
    !made.rows.keys.is_empty()
        || !model.bodies.is_empty()
        || !made.free.external.is_empty()
        || model.linear.damping.is_some()
        || made.rule.theta != 0.5
        || made.phi != 0.5
        || !model.prescribed.is_empty()
}

#[inline(never)]
fn works_of_step(
    model: &Model,
    made: &Made<'_>,
    scratch: &mut Accounting,
    works: &mut Works,
    log: &mut StepLog,
) -> StepResult {
    // Only C asks for it.
    if model.linear.damping.is_some() {
        mean(made.rule.theta, &made.end.v, &made.now.v, &mut scratch.v_theta);
    }
    mean(made.phi, &made.next.v, &made.now.v, &mut scratch.v_phi);
    linear_works(model, made, scratch, works);
    for system in &model.user {
        user_works(system, made, scratch, works)
            .map_err(StepError::in_system(model, system.range.start))?;
    }
    contact_works(made, scratch, works, log);
    if !model.bodies.is_empty() {
        add_body_works(model, made, &scratch.v_phi, works);
    }
    if !model.prescribed.is_empty() {
        prescribed_works(model, made, scratch, works)?;
    }
    if model.bodies.are_many() {
        scratch.v_phi = Vec::new();
    }
    Ok(())
}

/// w b + (1−w) a.
fn mean(weight: f64, b: &[f64], a: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.extend(b.iter().zip(a).map(|(b, a)| weight * b + (1.0 - weight) * a));
}

fn linear_works(model: &Model, made: &Made<'_>, scratch: &mut Accounting, works: &mut Works) {
    let Theta { h, theta } = made.rule;
    let linear = &model.linear;
    let v_phi = &scratch.v_phi[..linear.n];
    if !made.free.external.is_empty() {
        works.external += dot(&made.free.external[..linear.n], v_phi);
    }
    if let Some(damping) = &linear.damping {
        works.viscous -= h * damping.form(v_phi, &scratch.v_theta[..linear.n]);
    }
    if made.phi != 0.5 {
        scratch.dv.clear();
        scratch.dv.extend(made.next.v.iter().zip(&made.now.v).map(|(w, v)| w - v));
        works.scheme -= (made.phi - 0.5) * linear.mass_form(&scratch.dv[..linear.n]);
    }
    if let Some(stiffness) = &linear.stiffness
        && theta != 0.5
    {
        scratch.dq.clear();
        scratch.dq.extend(v_phi.iter().map(|v| h * v));
        works.scheme -= (theta - 0.5) * stiffness.form(&scratch.dq, &scratch.dq);
    }
}

#[inline(never)]
fn user_works(
    system: &UserSystem,
    made: &Made<'_>,
    scratch: &mut Accounting,
    works: &mut Works,
) -> Result<(), UserError> {
    let Theta { h, theta } = made.rule;
    let range = system.range.clone();
    let v_phi = &scratch.v_phi[range.clone()];
    works.external += dot(&made.free.external[range.clone()], v_phi);
    for (state, weight) in [(made.end, theta), (made.now, 1.0 - theta)] {
        let (q, v) = (&state.q[range.clone()], &state.v[range.clone()]);
        scratch.part.clear();
        scratch.part.resize(range.len(), 0.0);
        system.dynamics.internal(state.t, q, v, &mut scratch.part)?;
        works.viscous -= h * weight * dot(&scratch.part, v_phi);
    }
    if (theta, made.phi) != (0.5, 0.5) {
        let difference = |a: &[f64], b: &[f64], out: &mut Vec<f64>| {
            out.clear();
            out.extend(a.iter().zip(b).map(|(a, b)| a - b));
        };
        difference(&made.next.v[range.clone()], &made.now.v[range.clone()], &mut scratch.dv);
        difference(&made.next.q[range.clone()], &made.now.q[range.clone()], &mut scratch.dq);
        fill_mass(system, &made.at.q_mass[range.clone()], &mut scratch.mass)?;
        works.scheme -= (made.phi - 0.5) * form(&scratch.mass, &scratch.dv, &scratch.dv);
        for (state, sign) in [(made.next, 1.0), (made.now, -1.0)] {
            scratch.part.clear();
            scratch.part.resize(range.len(), 0.0);
            system.dynamics.gradient(&state.q[range.clone()], &mut scratch.part)?;
            works.scheme -= (theta - 0.5) * sign * dot(&scratch.part, &scratch.dq);
        }
    }
    Ok(())
}

fn contact_works(made: &Made<'_>, scratch: &Accounting, works: &mut Works, log: &mut StepLog) {
    let phi = made.phi;
    let rows = made.rows;
    log.open_contacts(rows, made.p);
    for i in 0..rows.keys.len() {
        let p = made.p[i];
        let rate = phi * rows.rate_next[i] + (1.0 - phi) * rows.rate[i];
        let work = p * (rows.jacobian.row_dot(i, &scratch.v_phi) + rate);
        let u_plus = rows.jacobian.row_dot(i, &made.next.v) + rows.rate_next[i];
        let normal = rows.components[i] == 0;
        *(if normal { &mut works.contact } else { &mut works.friction }) += work;
        works.obstacle -= p * rate;
        log.contacts.u_plus[i] = u_plus;
        log.contacts.work[i] = work;
        if normal && p > 0.0 && made.previous[i] <= 0.0 && rows.forms[i].set != Set::Free {
            log.impact(i, made.next.t);
        }
    }
}

/// R of each prescribed coordinate, times its velocity.
#[inline(never)]
fn prescribed_works(
    model: &Model,
    made: &Made<'_>,
    scratch: &mut Accounting,
    works: &mut Works,
) -> StepResult {
    fill_reaction(model, made, scratch);
    for system in &model.user {
        user_reaction(system, made, scratch).map_err(StepError::in_system(model, system.range.start))?;
    }
    for (i, &p) in made.p[..made.rows.keys.len()].iter().enumerate() {
        let (columns, values) = made.rows.jacobian.row(i);
        for (&j, &h) in columns.iter().zip(values) {
            scratch.reaction[j as usize] -= h * p;
        }
    }
    for prescribed in &model.prescribed {
        works.prescribed += scratch.reaction[prescribed.index] * scratch.v_phi[prescribed.index];
    }
    Ok(())
}

/// M Δv + h C v_θ + h K q_θ − h F_θ of the linear systems.
fn fill_reaction(model: &Model, made: &Made<'_>, scratch: &mut Accounting) {
    let Theta { h, theta } = made.rule;
    let linear = &model.linear;
    let Accounting { v_theta, reaction, dv, part, .. } = scratch;
    reaction.clear();
    reaction.resize(model.n_velocities(), 0.0);
    dv.clear();
    dv.extend(made.next.v.iter().zip(&made.now.v).map(|(w, v)| w - v));
    let head = &mut reaction[..linear.n];
    linear.mass.multiply_add(1.0, dv, head);
    if let Some(damping) = &linear.damping {
        damping.multiply_add(h, v_theta, head);
    }
    if let Some(stiffness) = &linear.stiffness {
        mean(theta, &made.next.q, &made.now.q, part);
        stiffness.multiply_add(h, part, head);
    }
    for (i, reaction) in head.iter_mut().enumerate() {
        *reaction -= h * linear.load[i];
    }
    if !made.free.external.is_empty() {
        head.iter_mut().zip(&made.free.external).for_each(|(r, f)| *r -= f);
    }
}

/// M(q_m) Δv + h (N + F_int + ∇V)_θ − h F_ext,θ of one Lagrangian system.
fn user_reaction(
    system: &UserSystem,
    made: &Made<'_>,
    scratch: &mut Accounting,
) -> Result<(), UserError> {
    let Theta { h, theta } = made.rule;
    let (range, n) = (system.range.clone(), system.range.len());
    fill_mass(system, &made.at.q_mass[range.clone()], &mut scratch.mass)?;
    let Accounting { reaction, part, other, mass, .. } = scratch;
    let reaction = &mut reaction[range.clone()];
    for i in 0..n {
        let change = |j: usize| made.next.v[range.start + j] - made.now.v[range.start + j];
        reaction[i] = (0..n).map(|j| mass[i * n + j] * change(j)).sum::<f64>();
        reaction[i] -= made.free.external[range.start + i];
    }
    for (state, weight) in [(made.end, theta), (made.now, 1.0 - theta)] {
        other.clear();
        other.resize(n, 0.0);
        super::free_motion::left_forces(system, state.t, &state.q, &state.v, part, other)?;
        reaction.iter_mut().zip(&*other).for_each(|(r, f)| *r += h * weight * f);
    }
    Ok(())
}

impl Accounting {
    /// Overwrites every number with NaN.
    pub(crate) fn poison(&mut self) {
        let Accounting { v_theta, v_phi, dv, dq, part, other, mass, reaction } = self;
        for x in [v_theta, v_phi, dv, dq, part, other, mass, reaction] {
            x.fill(f64::NAN);
        }
    }
}
