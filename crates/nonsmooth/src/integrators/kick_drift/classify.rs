//! Which part each constraint plays in the kick.
//!
//! ```text
//! lasting   joints; contacts that carried force in the last kick, whatever their velocity; those that touched then and are within the noise of the solver
//! soft      new, closes, flight after the bounce shorter than the step:  −u⁻ ≤ h a_N  or  0 < rebound ≤ h a_N / 2
//! cut       new, closes faster than that: the step is cut at the instant of contact
//! early     the same where impacts are many: rebounds at the start of the step, in the one solve
//! open      does not reach the other within the step
//! ```
//!
//! a_N = max(0, −J(v_f − v̂)/κ, −J(ṽ − v̂)/κ) is the closing acceleration without the contact's own reaction, h the whole
//! step, never what is left of it. No absolute speed appears: without acceleration every impact is an impact. The solver's error in
//! velocities, C ε h max(a_N, ‖ṽ − v_f‖/κ), goes with what reactions make of the bodies: points that touch in a wall at rest close without any
//! acceleration of their own, by noise, and by the hundred.

use super::drift::Drift;
use super::kick::Kick;
use crate::model::constraints::Column;
use crate::model::{ActiveConstraints, Free, Model, Role};

/// A contact is closed when its gap is below this, relative to its size.
const TOUCHING: f64 = 1e-11;
/// Half width of the dead band of lasting gaps, relative to the size.
const BAND: f64 = 1e-9;
/// The dead band in units of ε a h²: measured on stacks (five cubes are quiet from there on).
const BAND_OF_TOLERANCE: f64 = 800.0;
/// More fast impacts in a step than this rebound early.
pub(super) const MOST_FAST: usize = 8;
/// Islands with more rows than this take their impacts early.
pub(super) const MOST_ROWS: usize = 64;

/// The part of every active constraint in the kick.
#[derive(Default)]
pub(super) struct Roles {
    pub(super) role: Vec<Role>,
    /// Constraints that have rows in the kick, ascending.
    pub(super) rows: Vec<u32>,
    /// Those of them that are bilateral and no springs, ascending.
    pub(super) bilateral: Vec<u32>,
    /// For early rebounds: J v + rate must be at least this [m/s].
    pub(super) rebound: Vec<Option<f64>>,
    /// J v̂ of the normal row.
    pub(super) along_minus: Vec<f64>,
    /// δ: half width of the dead band [m].
    pub(super) band: Vec<f64>,
    /// Whether it approaches by more than noise: where a contact that does not comes to bear, nothing lands.
    pub(super) lands: Vec<bool>,
    /// Size of the pair [m].
    pub(super) size: Vec<f64>,
    /// Joints and other constraints that always act.
    pub(super) is_bilateral: Vec<bool>,
    /// Springs: rows that their families write.
    pub(super) is_elastic: Vec<bool>,
    /// Rebounds given up in large islands.
    pub(super) lost: usize,
    /// Impacts that rebound early because the step was cut too often.
    pub(super) capped: usize,
    /// Impacts of large islands, which act at the start of the step.
    pub(super) early: usize,
    /// Fast impacts, with their closing accelerations [m/s²].
    pub(super) fast: Vec<(u32, f64)>,
}

/// How impacts are treated, and the tolerance of the solver.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// The step was cut too often: no impact cuts it again.
    pub(super) is_capped: bool,
    /// Impacts that may cut the step went with their islands: those that are left are of crowded ones, and early.
    pub(super) is_crowded: bool,
    /// Largest residual of a solve [–].
    pub(super) tolerance: f64,
}

/// Fills `roles` but for fast impacts.
pub(super) fn classify(
    model: &Model,
    (active, kick, free): (&ActiveConstraints, &Kick, &Free),
    drift: &Drift,
    rules: Rules,
    roles: &mut Roles,
) {
    roles.clear();
    for (family, own) in model.constraints.iter().zip(&active.own) {
        for c in own.clone() {
            let column = family.column(model, active.laws[c], 0);
            let bilateral = column != Column::Contact;
            roles.is_elastic.push(column == Column::Own);
            roles.push(model, active, (kick, free), (drift, rules.tolerance), (c, bilateral));
        }
    }
}

/// Decides what becomes of fast impacts.
pub(super) fn decide(
    model: &Model,
    active: &ActiveConstraints,
    drift: &Drift,
    rules: Rules,
    roles: &mut Roles,
) {
    let is_large = roles.fast.len() > MOST_FAST || roles.n_rows(active) > MOST_ROWS;
    let is_crowded = rules.is_crowded || is_large;
    let many = rules.is_capped || is_crowded;
    (roles.capped, roles.early) = match (many, rules.is_capped) {
        (true, true) => (roles.fast.len(), 0),
        (true, false) => (0, roles.fast.len()),
        _ => (0, 0),
    };
    for k in 0..roles.fast.len() {
        let (c, acceleration) = roles.fast[k];
        if many {
            roles.rebound_early(model, active, drift, c as usize, acceleration);
        } else {
            roles.role[c as usize] = Role::Cut;
        }
    }
    roles.rows.sort_unstable();
    let Roles { rows, bilateral, is_bilateral, is_elastic, .. } = roles;
    bilateral.extend(rows.iter().filter(|&&c| is_bilateral[c as usize] && !is_elastic[c as usize]));
}

impl Roles {
    fn clear(&mut self) {
        self.role.clear();
        self.rows.clear();
        self.bilateral.clear();
        self.rebound.clear();
        self.along_minus.clear();
        self.band.clear();
        self.lands.clear();
        self.size.clear();
        self.is_bilateral.clear();
        self.is_elastic.clear();
        self.fast.clear();
        self.lost = 0;
    }

    fn push(
        &mut self,
        model: &Model,
        active: &ActiveConstraints,
        (kick, free): (&Kick, &Free),
        (drift, tolerance): (&Drift, f64),
        (c, bilateral): (usize, bool),
    ) {
        let size = model.size_of(active.ids[c]);
        self.size.push(size);
        self.is_bilateral.push(bilateral);
        self.rebound.push(None);
        let row = active.rows(c).start;
        let (along_minus, along_free) = (normal(active, c, drift.here().v), normal(active, c, &free.v));
        self.along_minus.push(along_minus);
        let u_hat = active.u_minus[row];
        let u_tilde = kick.u[row];
        let u_free = u_hat + along_free - along_minus;
        let length = drift.kick_length();
        let acceleration = ((u_hat - u_tilde) / length).max((u_hat - u_free) / length).max(0.0);
        let held = held(model, active, c, (&kick.v, &free.v)) / length;
        // What the solver leaves of velocities [m/s].
        let noise = BAND_OF_TOLERANCE * tolerance * acceleration.max(held) * drift.h;
        let band = (BAND * size).max(noise * drift.h);
        self.band.push(band);
        let (y, y_end) = (active.gap[c], kick.y_end[row]);
        let stays = kick.is_known[c] && y <= band && u_hat.abs() <= noise;
        if bilateral || kick.before[row] > 0.0 || stays {
            self.lands.push(false);
            self.rows.push(c as u32);
            return self.role.push(Role::Lasting);
        }
        let is_closed = y <= TOUCHING * size;
        let approach = if is_closed {
            (-u_hat).max(0.0)
        } else {
            (-(u_hat - drift.lag * acceleration)).max(-u_tilde).max(-u_free).max(0.0)
        };
        self.lands.push(approach > noise);
        let rebound = model.law(active.laws[c]).rebound(approach);
        let within = drift.h * acceleration;
        let slow = approach <= within.max(noise) || rebound > 0.0 && rebound <= 0.5 * within;
        let closes = is_closed || y_end < 0.0;
        if closes && !slow && approach > 0.0 {
            self.fast.push((c as u32, acceleration));
            self.role.push(Role::Open);
        } else if closes || y_end < 2.0 * u_tilde.abs() * drift.rest + BAND * size {
            self.rows.push(c as u32);
            self.role.push(Role::Soft);
        } else {
            self.role.push(Role::Open);
        }
    }

    /// How many rows the kick has.
    pub(super) fn n_rows(&self, active: &ActiveConstraints) -> usize {
        self.rows.iter().map(|&c| active.rows(c as usize).len()).sum()
    }

    /// Leaves only the rows of what lasts or touches.
    pub(super) fn keep_supports(&mut self, active: &ActiveConstraints) {
        let Self { role, rows, size, .. } = self;
        rows.retain(|&c| {
            let c = c as usize;
            let stays = role[c] == Role::Lasting || active.gap[c] <= TOUCHING * size[c];
            if !stays {
                role[c] = Role::Open;
            }
            stays
        });
    }

    /// u_c² = u_q² + 2 a y, u⁺² = rebound(u_c)² − 2 a y: the apex is that of the law although the body turns at the height y.
    fn rebound_early(
        &mut self,
        model: &Model,
        active: &ActiveConstraints,
        drift: &Drift,
        c: usize,
        acceleration: f64,
    ) {
        self.rows.push(c as u32);
        self.role[c] = Role::Soft;
        let fall = 2.0 * acceleration * active.gap[c].max(0.0);
        let u_q = (-active.u_minus[active.rows(c).start] + drift.lag * acceleration).max(0.0);
        let rebound = model.law(active.laws[c]).rebound((u_q * u_q + fall).sqrt());
        let square = rebound * rebound - fall;
        if rebound > 0.0 && square > 0.0 {
            self.role[c] = Role::Early;
            self.rebound[c] = Some(square.sqrt() - 0.5 * drift.rest * acceleration);
        } else if rebound > 0.0 {
            self.lost += 1;
        }
    }
}

impl Roles {
    /// Gives up early rebounds of bodies at whose contacts the solved kick gave energy, Σ p_N ½ (u⁻ + u⁺) > `share` of the kinetic energy `kinetic`:
    /// all of them, where none is of such a body. Whether there were any. One that rebounds towards a neighbour in the same solve meets it as a wall:
    /// a light ball between a wall and one of 10⁶ times its mass, faster than ten gaps per step, threw that away with its own speed.
    pub(super) fn give_up(
        &mut self,
        model: &Model,
        active: &ActiveConstraints,
        kick: &Kick,
        (share, kinetic): (f64, f64),
    ) -> bool {
        if self.rebound.iter().all(Option::is_none) {
            return false;
        }
        let work = |c: usize| {
            let row = active.rows(c).start;
            0.5 * kick.p[row] * (active.u_minus[row] + kick.u[row])
        };
        let sum: f64 = active.contacts().map(work).sum();
        if sum <= share * kinetic {
            return false;
        }
        let table = &model.rigid;
        let on = |c: usize| active.ids[c].colliders().map(|k| table.colliders[k as usize].on.0 as usize);
        let mut gains = vec![false; table.bodies.len()];
        for c in active.contacts().filter(|&c| work(c) > 0.0) {
            on(c).into_iter().for_each(|i| gains.get_mut(i).into_iter().for_each(|gains| *gains = true));
        }
        let is_early = |c: &usize| self.rebound[*c].is_some();
        let of_gaining = |c: &usize| on(*c).into_iter().any(|i| gains.get(i) == Some(&true));
        let early: Vec<usize> = active.contacts().filter(is_early).collect();
        let mut chosen: Vec<usize> = early.iter().copied().filter(of_gaining).collect();
        if chosen.is_empty() {
            chosen = early;
        }
        self.lost += chosen.len();
        for c in chosen {
            (self.rebound[c], self.role[c]) = (None, Role::Soft);
        }
        true
    }

    /// λ = p/κ by row of the constraints that go on to act: not those of early rebounds.
    pub(super) fn lasting_forces(
        &self,
        active: &ActiveConstraints,
        p: &[f64],
        length: f64,
        out: &mut Vec<f64>,
    ) {
        out.clear();
        out.resize(active.n_rows(), 0.0);
        for &c in self.rows.iter().filter(|&&c| self.role[c as usize] != Role::Early) {
            for row in active.rows(c as usize) {
                out[row] = p[row] / length;
            }
        }
    }
}

/// What reactions make of the velocity of a body of the contact, the larger of the two: ‖ṽ − v_f‖ [m/s]. The solver's error goes with it.
pub(super) fn held(
    model: &Model,
    active: &ActiveConstraints,
    c: usize,
    (v, v_free): (&[f64], &[f64]),
) -> f64 {
    if !active.contacts().contains(&c) {
        return 0.0;
    }
    let sides = active.ids[c].colliders().map(|k| model.rigid.colliders[k as usize].on.0 as usize);
    let bodies = sides.into_iter().filter_map(|i| model.rigid.bodies.get(i));
    bodies.fold(0.0, |m, body| {
        let [with, without] = [v, v_free].map(|v| body.twist(&v[body.v as usize..]).0);
        m.max(with.distance(without))
    })
}

/// J_N v of a constraint.
fn normal(active: &ActiveConstraints, c: usize, v: &[f64]) -> f64 {
    let mut u = [0.0; 6];
    active.jacobian.dot(c, v, &mut u[..active.rows(c).len()]);
    u[0]
}
