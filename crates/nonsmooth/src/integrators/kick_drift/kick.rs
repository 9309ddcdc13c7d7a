//! The kick: rows that hold at the end of the drift, solved once; with joints again until they are in their place.
//!
//! ```text
//! normal    offset = (y(q̃) − y*)/h − J_N ṽ          y* as in `targets.rs`
//! tangent   offset = s̃ − J_T ṽ − c (s̃ − s)            c = (h/2)/κ if |s̃| > 2 |s̃ − s| and the contact lasted, else 0
//! early     offset = rate − (u⁺ − ½ h a_N),  u⁺² = e² u_c² − 2 a_N y
//! ```
//!
//! s is the mean slip of the last kick, s̃ that of the predicted drift; moving the direction of friction back by half a difference
//! makes friction with a turning direction of second order.

use super::classify::{MOST_ROWS, Roles};
use super::drift::Drift;
use super::joints::JointCorrection;
use super::targets::set_targets;
use crate::error::StepResult;
use crate::laws::LawRows;
use crate::log::StepLog;
use crate::model::{
    ActiveConstraints, ConstraintId, ConstraintMemory, Free, Level, Model, RigidState, Role,
};
use crate::part::Part;
use crate::phases::{Mass, PartBuffers, REDUNDANT, SolverSettings, is_solved_by, solve_part};
use glam::DVec3;
use nonsmooth_solvers::Problem;

/// A rest of the step that is shorter than this share of it has rows of velocities.
const SHORT: f64 = 1e-4;
/// Joints are in their place when they are off by less than this, relative to their size.
pub(super) const IN_PLACE: f64 = 1e-12;
/// Joints that no longer come nearer are in their place when they are off by less than this.
const NEARLY_IN_PLACE: f64 = 1e-9;
/// Tolerance of the first pass where joints are placed alone after it, if that is looser [–].
const FIRST_PASS: f64 = 1e-6;
/// A lasting contact that ends farther from its target than this, relative to its size, takes a second pass.
const OFF_TARGET: f64 = 1e-6;
/// A gap that is off its rates by more than this share of them has jumped. A vertex that turns by 0.2 rad is off by 0.02 of them.
const JUMP: f64 = 0.2;
/// A jump of features is of the size of the shapes; what is less than this share of it, where nothing moves, is rounding.
const LEAST_JUMP: f64 = 1e-10;

/// The impulses of a kick and what they are computed from, by row of the active constraints.
#[derive(Default)]
pub(super) struct Kick {
    /// p [N·s].
    pub(super) p: Vec<f64>,
    /// κ λ of the last reactions [N·s].
    pub(super) before: Vec<f64>,
    /// Mean slip of the last kick in the axes of this one; NaN where there was none [m/s].
    slip_before: Vec<f64>,
    /// Whether it was among the constraints of the last kick, under this name or another, by constraint.
    pub(super) is_known: Vec<bool>,
    /// ṽ, then v: working axes of the configuration of the kick.
    pub(super) v: Vec<f64>,
    /// u of v at the configuration of the kick, with what kinematic bodies add.
    pub(super) u: Vec<f64>,
    /// Relative velocity at the end of the drift.
    pub(super) u_end: Vec<f64>,
    /// y at the end of the drift; NaN for rows that have none.
    pub(super) y_end: Vec<f64>,
    /// y* by constraint.
    target: Vec<f64>,
    /// κ of the last kick [s].
    pub(super) length: f64,
    /// Passes of the last kick.
    pub(super) passes: usize,
    rows: Vec<f64>,
    buffers: PartBuffers,
}

impl Kick {
    /// ṽ = v_f + M⁻¹ Jᵀ κλ, and the end of the drift with it.
    pub(super) fn predict(
        &mut self,
        model: &Model,
        active: &ActiveConstraints,
        mass: &Mass,
        free: &mut Free,
        drift: &mut Drift,
    ) -> StepResult {
        let (n, length) = (active.n_rows(), drift.kick_length());
        self.length = length;
        self.before.clear();
        self.before.resize(n, 0.0);
        self.slip_before.clear();
        self.slip_before.resize(n, f64::NAN);
        self.is_known.clear();
        self.is_known.resize(active.len(), false);
        model.recall(&drift.memory, active, &mut self.before, |c, remembered, before| {
            self.is_known[c] = true;
            let rows = active.rows(c);
            if rows.len() > 1 && before[0] > 0.0 {
                to_rows(active, c, remembered.slip, &mut self.slip_before[rows]);
            }
            before.iter_mut().for_each(|p| *p *= length);
        });
        self.p.clone_from(&self.before);
        self.apply(active, mass, free);
        self.drift_on(model, drift)?;
        self.evaluate(model, active, drift)
    }

    /// The end of the drift with v.
    pub(super) fn drift_on(&mut self, model: &Model, drift: &mut Drift) -> StepResult {
        let v = std::mem::take(&mut self.v);
        let guessed = drift.guess_end(model, &v, drift.rest);
        self.v = v;
        guessed
    }

    /// v = v_f + M⁻¹ Jᵀ p.
    fn apply(&mut self, active: &ActiveConstraints, mass: &Mass, free: &mut Free) {
        self.v.clear();
        self.v.resize(free.v.len(), 0.0);
        if self.p.iter().any(|p| *p != 0.0) {
            for c in 0..active.len() {
                active.jacobian.add_transposed(c, &self.p[active.rows(c)], &mut self.v);
            }
            mass.groups().solve(&mut self.v, &mut free.more);
        }
        self.v.iter_mut().zip(&free.v).for_each(|(v, v_free)| *v += v_free);
    }

    /// Relative velocities of v at both ends of the drift, and y at its end.
    fn evaluate(&mut self, model: &Model, active: &ActiveConstraints, drift: &Drift) -> StepResult {
        let n = active.n_rows();
        for x in [&mut self.u, &mut self.u_end] {
            x.clear();
            x.resize(n, 0.0);
        }
        self.y_end.clear();
        self.y_end.resize(n, f64::NAN);
        // u of v here: that of v̂, which detection knows with the motion of kinematic bodies, plus J (v − v̂).
        let here = drift.here();
        self.rows.clear();
        self.rows.extend(self.v.iter().zip(here.v).map(|(v, v_hat)| v - v_hat));
        for c in 0..active.len() {
            active.jacobian.dot(c, &self.rows, &mut self.u[active.rows(c)]);
        }
        self.u.iter_mut().zip(&active.u_minus).for_each(|(u, u_hat)| *u += u_hat);
        let there = drift.there();
        for (family, own) in model.constraints.iter().zip(&active.own) {
            let found = (&mut self.u_end[..], &mut self.y_end[..]);
            family.velocities_and_positions(model, &there, active, own, found)?;
        }
        self.mend_jumps(model, active, drift);
        Ok(())
    }

    /// y at the end of the drift as J says where the frozen features of a contact jump on the way (two rims that turn find another nearest
    /// pair of points): a gap that follows its rate obeys y⁺ = y + ½ (u + u⁺) h but for small terms, h³/12 times the jerk of obstacles that
    /// move as prescribed among them. A box on a table that shakes was lost by 3e-7 m where the table is fastest, as a jump.
    fn mend_jumps(&mut self, model: &Model, active: &ActiveConstraints, drift: &Drift) {
        let (rest, here, there) = (drift.rest, drift.here(), drift.there());
        let table = &model.rigid;
        // How the velocities of prescribed motions change there.
        let change = |c: usize| -> f64 {
            let at = DVec3::from_array(active.places[c - active.first_contact][0]);
            let on = active.ids[c].colliders().map(|k| table.colliders[k as usize].on);
            let prescribed = on.into_iter().filter(|on| table.kinematic_number(*on).is_some());
            let of = |at: DVec3, state: &RigidState| state.velocity_at(at - state.position);
            prescribed.map(|on| (of(at, there.rigid(on)) - of(at, here.rigid(on))).length()).sum()
        };
        for c in active.contacts() {
            let row = active.row_start[c] as usize;
            let (y, u, u_end) = (active.gap[c], self.u[row], self.u_end[row]);
            let off = (self.y_end[row] - y - 0.5 * (u + u_end) * rest).abs();
            let least = || LEAST_JUMP * model.size_of(active.ids[c]) + rest * change(c);
            if off > JUMP * (u.abs() + u_end.abs()) * rest && off > least() {
                self.y_end[row] = y + u * rest;
            }
        }
    }

    /// y of the chosen families at the end of the drift.
    pub(super) fn place_rows(
        &mut self,
        model: &Model,
        active: &ActiveConstraints,
        drift: &Drift,
        chosen: impl Fn(usize) -> bool,
    ) -> StepResult {
        let there = drift.there();
        for (k, (family, own)) in model.constraints.iter().zip(&active.own).enumerate() {
            if chosen(k) {
                family.positions(model, &there, active, own, &mut self.y_end)?;
            }
        }
        Ok(())
    }

    /// Solves the rows of the kick; afterwards `v` is the velocity of the drift and `drift.end` where it leads.
    pub(super) fn solve(
        &mut self,
        model: &Model,
        (active, roles, free, mass): (&mut ActiveConstraints, &Roles, &mut Free, &Mass),
        (settings, most_passes): (&mut SolverSettings, usize),
        (problem, correction): (&mut Problem, &mut JointCorrection),
        drift: &mut Drift,
        log: &mut StepLog,
    ) -> StepResult {
        self.passes = 0;
        if roles.rows.is_empty() {
            if self.p.iter().all(|p| *p == 0.0) {
                // Nothing acts: the drift is the one that was predicted.
                self.passes = 1;
                return Ok(());
            }
            // Reactions of constraints that are gone do not act.
            self.p.fill(0.0);
        }
        set_targets(active, roles, drift, &mut self.target);
        self.set_laws(model, active, drift);
        set_elastic(model, active, roles, drift)?;
        self.drop_open(active, roles);
        correction.choose(active, roles, &self.y_end);
        let (mut last, mut all) = (f64::INFINITY, true);
        loop {
            self.passes += 1;
            if !roles.rows.is_empty() {
                // Contacts are linearised once, or twice: later passes are for the joints.
                let changed = if all { &roles.rows } else { &roles.bilateral };
                self.set_offsets(active, roles, drift, changed);
                let (part, tolerance) = ((&*active, &roles.rows[..]), settings.tolerance);
                let in_place =
                    !correction.is_empty() && !all && self.joint_error(active, roles) <= NEARLY_IN_PLACE;
                // What rests stays as it is, if that is a solution.
                let rests = self.passes == 1
                    && drift.rests(model, active, roles)
                    && self.joint_error(active, roles) <= IN_PLACE;
                let guess = (&self.p[..], &mut self.buffers);
                if (in_place || rests) && is_solved_by(part, mass, free, tolerance, problem, guess, log)
                {
                    break;
                }
                // Joints move once more after the first pass: it is solved in full only where that is done.
                let inexact = self.passes == 1 && correction.is_mixed();
                settings.tolerance = if inexact { tolerance.max(FIRST_PASS) } else { tolerance };
                let impulses = (&mut self.p[..], &mut self.buffers);
                let solved = solve_part(part, mass, free, settings, problem, impulses, log);
                settings.tolerance = tolerance;
                solved?;
            }
            self.apply(active, mass, free);
            self.drift_on(model, drift)?;
            self.evaluate(model, active, drift)?;
            let off = self.joint_error(active, roles);
            let stands = correction.is_empty() && off >= 0.5 * last && off <= NEARLY_IN_PLACE;
            let done = off <= IN_PLACE || stands;
            all = self.passes < 2 && self.contact_error(active, roles) > OFF_TARGET;
            last = off;
            let exact = log.solves.last().is_none_or(|report| report.residual <= settings.tolerance);
            if done && !all && (exact || self.passes > 1) || self.passes >= most_passes {
                break;
            }
            if !all && !correction.is_empty() {
                let joints = (&mut *correction, &mut *problem);
                self.place_joints(model, (active, roles, mass), settings, joints, drift)?;
                self.evaluate(model, active, drift)?;
            }
        }
        if correction.is_redundant {
            log.note(REDUNDANT, 1.0);
        }
        Ok(())
    }

    /// Rows that take no part in the kick carry nothing.
    fn drop_open(&mut self, active: &ActiveConstraints, roles: &Roles) {
        for (c, role) in roles.role.iter().enumerate() {
            if matches!(role, Role::Open | Role::Cut) {
                self.p[active.rows(c)].fill(0.0);
            }
        }
    }

    /// Sets, shift and compliance by the laws, in their form for lasting contact.
    pub(super) fn set_laws(&self, model: &Model, active: &mut ActiveConstraints, drift: &Drift) {
        let ActiveConstraints {
            ids,
            runs,
            gap,
            u_minus,
            row_start,
            set_start,
            sets,
            shift,
            compliance,
            ..
        } = active;
        shift.fill(0.0);
        compliance.clear();
        compliance.resize(shift.len(), 0.0);
        for run in &*runs {
            let law = model.law(run.law);
            let own = run.constraints.clone();
            let among = |start: &[u32]| start[own.start] as usize..start[own.end] as usize;
            let (rows, own_sets) = (among(row_start), among(set_start));
            let history = histories_of(&drift.memory, &ids[own.clone()], law.n_history());
            law.contact(&mut LawRows {
                dim: run.dim,
                h: drift.kick_length(),
                ahead: drift.rest,
                gap: &gap[own],
                u_minus: &u_minus[rows.clone()],
                p_before: &self.before[rows.clone()],
                history: &history,
                coupled: &[],
                sets: &mut sets[own_sets],
                shift: &mut shift[rows.clone()],
                compliance: &mut compliance[rows],
                given: &mut [],
            });
        }
    }

    /// Offsets of the constraints `list` of the kick from the present guess.
    pub(super) fn set_offsets(
        &self,
        active: &mut ActiveConstraints,
        roles: &Roles,
        drift: &Drift,
        list: &[u32],
    ) {
        let (rest, length) = (drift.rest, drift.kick_length());
        // y is known to rounding, 1e-17 m: over a rest of 1e-13 s that is a velocity, and a reaction of any size. There the row is its
        // limit, the rate of the gap. Guarded by seams.rs: a_cube_slides_down_a_small_step_and_trips_over_one_that_goes_up.
        let is_short = rest < SHORT * drift.h;
        for &c in list {
            let c = c as usize;
            if roles.is_elastic[c] {
                continue;
            }
            let rows = active.rows(c);
            let mut along = [0.0; 6];
            active.jacobian.dot(c, &self.v, &mut along[..rows.len()]);
            let first = rows.start;
            if let Some(rebound) = roles.rebound[c] {
                let rate = active.u_minus[first] - roles.along_minus[c];
                active.offset[first] = rate - rebound;
            }
            let bilateral = roles.is_bilateral[c];
            for (k, row) in rows.clone().enumerate() {
                let y = self.y_end[row];
                if y.is_finite() && (bilateral || k == 0) {
                    if roles.rebound[c].is_none() {
                        let rate = if is_short {
                            let open = if bilateral { 0.0 } else { active.gap[c] - roles.band[c] };
                            self.u[row] + open.max(0.0) / rest
                        } else {
                            (y - self.target[c]) / rest
                        };
                        active.offset[row] = rate - along[k];
                    }
                } else {
                    active.offset[row] = 0.5 * (self.u[row] + self.u_end[row]) - along[k];
                }
            }
            if rows.len() > 1 && !bilateral && !self.slip_before[first + 1].is_nan() {
                self.turn_friction(active, first + 1..rows.end, 0.5 * rest / length);
            }
        }
    }

    /// Moves the direction of friction back by half a difference.
    fn turn_friction(
        &self,
        active: &mut ActiveConstraints,
        tangents: std::ops::Range<usize>,
        share: f64,
    ) {
        let mean = |row: usize| 0.5 * (self.u[row] + self.u_end[row]);
        let norm =
            |f: &dyn Fn(usize) -> f64| tangents.clone().map(|row| f(row).powi(2)).sum::<f64>().sqrt();
        let change = |row: usize| mean(row) - self.slip_before[row];
        if norm(&mean) > 2.0 * norm(&change) {
            for row in tangents.clone() {
                active.offset[row] -= share * change(row);
            }
        }
    }

    /// Largest error of the joints, relative to their sizes.
    pub(super) fn joint_error(&self, active: &ActiveConstraints, roles: &Roles) -> f64 {
        let mut largest = 0.0f64;
        for c in roles.bilateral.iter().map(|&c| c as usize) {
            for row in active.rows(c).filter(|&row| self.y_end[row].is_finite()) {
                largest = largest.max(self.y_end[row].abs() / roles.size[c]);
            }
        }
        largest
    }

    /// Largest distance from its target of a lasting contact that carries, relative to its size; 0 in large islands, where a second pass costs as
    /// much as the first and leaves no less overlap.
    fn contact_error(&self, active: &ActiveConstraints, roles: &Roles) -> f64 {
        let mut largest = 0.0f64;
        if roles.n_rows(active) > MOST_ROWS {
            return largest;
        }
        for c in roles.rows.iter().map(|&c| c as usize).filter(|&c| !roles.is_bilateral[c]) {
            let row = active.rows(c).start;
            if self.p[row] > 0.0 && roles.rebound[c].is_none() && active.gap[c] >= -roles.band[c] {
                largest = largest.max((self.y_end[row] - self.target[c]).abs() / roles.size[c]);
            }
        }
        largest
    }

    /// Mean slip of the kick in world axes (contacts of bodies) or by tangents.
    pub(super) fn slip(&self, active: &ActiveConstraints, c: usize) -> [f64; 3] {
        let rows = active.rows(c);
        let mut mean = [0.0; 3];
        for (k, row) in rows.clone().enumerate().skip(1).take(2) {
            mean[k] = 0.5 * (self.u[row] + self.u_end[row]);
        }
        match active.jacobian.contact(c) {
            Some(contact) => std::array::from_fn(|k| {
                (1..rows.len().min(3)).map(|r| contact.frame[r][k] * mean[r]).sum()
            }),
            None => mean,
        }
    }

    /// Histories of all laws after this kick.
    pub(super) fn histories(
        &self,
        model: &Model,
        active: &ActiveConstraints,
        memory: &ConstraintMemory,
        length: f64,
    ) -> (Vec<u32>, Vec<f64>) {
        if active.runs.iter().all(|run| model.law(run.law).n_history() == 0) {
            return Default::default();
        }
        let (mut start, mut out) = (vec![0], Vec::new());
        for run in &active.runs {
            let law = model.law(run.law);
            let n = law.n_history();
            let mut histories = histories_of(memory, &active.ids[run.constraints.clone()], n);
            for (k, c) in run.constraints.clone().enumerate() {
                let (own, rows) = (&mut histories[k * n..(k + 1) * n], active.rows(c));
                law.update((length, length), &self.p[rows.clone()], &active.u_minus[rows], own);
                out.extend_from_slice(own);
                start.push(out.len() as u32);
            }
        }
        (start, out)
    }
}

/// Offsets and compliance of springs, which their families write themselves.
fn set_elastic(
    model: &Model,
    active: &mut ActiveConstraints,
    roles: &Roles,
    drift: &Drift,
) -> StepResult {
    let part = Part::whole(drift.here().t, drift.rest);
    for (k, family) in model.constraints.iter().enumerate() {
        if active.own[k].clone().any(|c| roles.is_elastic[c]) {
            let level = Level::Position { ahead: drift.rest };
            family.set_offsets(model, &part, &drift.pass(), level, active)?;
        }
    }
    Ok(())
}

/// Histories of neighbouring constraints, zeros where one is new.
fn histories_of(memory: &ConstraintMemory, ids: &[ConstraintId], n: usize) -> Vec<f64> {
    let mut out = Vec::new();
    if n > 0 {
        for &id in ids {
            match memory.find(id).filter(|known| known.history.len() == n) {
                Some(known) => out.extend_from_slice(known.history),
                None => out.resize(out.len() + n, 0.0),
            }
        }
    }
    out
}

/// A remembered slip in the rows of a constraint.
fn to_rows(active: &ActiveConstraints, c: usize, slip: [f64; 3], out: &mut [f64]) {
    let frame = active.jacobian.contact(c).map(|contact| contact.frame);
    for k in 1..out.len().min(3) {
        out[k] = match frame {
            Some(frame) => (0..3).map(|i| frame[k][i] * slip[i]).sum(),
            None => slip[k],
        };
    }
}
