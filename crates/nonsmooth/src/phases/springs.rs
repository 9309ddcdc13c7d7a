//! Springs and dampers between rigid bodies, linearly implicit.
//!
//! ```text
//! l̇ = G v,   force on v: −Gᵀ (k (l − l₀) + c l̇)
//! M̂ = M + Σ (hθ c + h²θ² k) GᵀG          M̂ (v_free − v) = … − h Gᵀ (k (l − l₀) + c l̇)
//! ```
//!
//! with l, G where the bodies get in hθ with the velocities v of the start of the step: the θ-scheme for a spring along a
//! line, and of second order for θ = ½ where the spring turns. (With G of the start a mass that circles on a spring gains
//! energy at the rate ½ h Ω².) Bodies joined by springs form a group with one dense M̂; a body without springs keeps M.

use super::factorize::{Coeffs, Factors};
use super::free_motion::Theta;
use crate::error::{StepError, StepResult};
use crate::model::{Anchor, Bodies, Dimension, Model, Spring, State, exponential};
use glam::{DQuat, DVec3};
use nonsmooth_solvers::invert;

/// M̂⁻¹ of the bodies that springs join.
#[derive(Default)]
pub struct SpringFactors {
    groups: Vec<Group>,
    /// Group and place in it of every body; empty where there are no springs.
    of: Vec<Option<(u32, u32)>>,
    stretched: Vec<Stretched>,
    x: Vec<f64>,
    pivots: Vec<usize>,
}

struct Group {
    bodies: Vec<u32>,
    inverse: Vec<f64>,
}

/// A spring at an instant.
#[derive(Clone, Copy)]
pub struct Stretched {
    /// l [m].
    pub length: f64,
    /// The bodies at its ends with their parts of G: along the line, and turns in body axes.
    pub ends: [Option<(usize, DVec3, DVec3)>; 2],
}

impl Stretched {
    /// A spring in a state.
    pub fn at(bodies: &Bodies, spring: &Spring, q: &[f64]) -> Self {
        let pose = |body| bodies.pose(q, body);
        let line = line(spring, pose);
        Self::along(bodies, spring, (line, line.normalize_or_zero()), pose)
    }

    /// A spring after the time `ahead` [s] at the velocities of a state.
    pub fn ahead(bodies: &Bodies, spring: &Spring, now: &State, ahead: f64) -> Self {
        let start = line(spring, |body| bodies.pose(&now.q, body));
        let pose = |body| {
            let ((position, rotation), (v, omega)) =
                (bodies.pose(&now.q, body), bodies.twist(&now.v, body));
            (position + ahead * v, rotation * exponential(ahead * omega))
        };
        // It turns as its ends move across it. Along it they may pass each other, which a linear spring does not mind:
        // a stiff one with a large step does so within a step.
        let (end, along) = (line(spring, pose), start.normalize_or_zero());
        let across = end - along.dot(end) * along;
        Self::along(bodies, spring, (end, (start + across).normalize_or_zero()), pose)
    }

    /// A spring of no length has no direction (`along` is zero) and pulls nowhere.
    fn along(
        bodies: &Bodies,
        spring: &Spring,
        (line, along): (DVec3, DVec3),
        pose: impl Fn(usize) -> (DVec3, DQuat),
    ) -> Self {
        let end = |side: usize| match spring.ends[side] {
            Anchor::World(_) => None,
            Anchor::On(body, point) => {
                let sign = if side == 0 { -1.0 } else { 1.0 };
                let rotation = pose(body.0).1;
                let pull = bodies.to_body(rotation, sign * along);
                let arm = DVec3::from_array(point);
                let arm = if bodies.dimension == Dimension::Space { arm } else { rotation * arm };
                Some((body.0, sign * along, arm.cross(pull)))
            }
        };
        Self { length: along.dot(line), ends: [end(0), end(1)] }
    }

    /// G v.
    pub fn rate(&self, bodies: &Bodies, v: &[f64]) -> f64 {
        let part = |&(body, along, turn): &(usize, DVec3, DVec3)| {
            let (velocity, omega) = bodies.twist(v, body);
            along.dot(velocity) + turn.dot(omega)
        };
        self.ends.iter().flatten().map(part).sum()
    }
}

/// From end to end [m].
fn line(spring: &Spring, pose: impl Fn(usize) -> (DVec3, DQuat)) -> DVec3 {
    let [from, to] = spring.ends.map(|anchor| match anchor {
        Anchor::World(point) => DVec3::from_array(point),
        Anchor::On(body, point) => {
            let (position, rotation) = pose(body.0);
            position + rotation * DVec3::from_array(point)
        }
    });
    to - from
}

/// Brings M̂⁻¹ of bodies joined by springs up to date. Without springs there is nothing to do.
#[inline]
pub fn factorize_springs(
    model: &Model,
    now: &State,
    coeffs: Coeffs,
    factors: &mut Factors,
) -> StepResult {
    if model.bodies.springs.is_empty() {
        return Ok(());
    }
    factors.stamp += 1;
    factors.springs.build(&model.bodies, now, coeffs)
}

impl SpringFactors {
    #[inline(never)]
    fn build(&mut self, bodies: &Bodies, now: &State, coeffs: Coeffs) -> StepResult {
        self.stretched.clear();
        self.stretched
            .extend(bodies.springs.iter().map(|s| Stretched::ahead(bodies, s, now, coeffs.damping)));
        self.group(bodies);
        let n_v = bodies.n_v();
        for group in &mut self.groups {
            let n = n_v * group.bodies.len();
            group.inverse.clear();
            group.inverse.resize(n * n, 0.0);
            for (place, &body) in group.bodies.iter().enumerate() {
                mass_block(bodies, body as usize, n_v * place, n, &mut group.inverse);
            }
        }
        for (spring, at) in bodies.springs.iter().zip(&self.stretched) {
            let weight = coeffs.damping * spring.damping + coeffs.stiffness * spring.stiffness;
            let ends: Vec<_> = at.ends.iter().flatten().copied().collect();
            if !ends.iter().all(|end| bodies.is_present(now, end.0)) {
                continue;
            }
            let mut row = Vec::new();
            let mut number = 0;
            for (body, along, turn) in ends {
                let (group, place) = self.of[body].expect("ends of springs are grouped");
                number = group as usize;
                let entries = match bodies.dimension {
                    Dimension::Space => [along.x, along.y, along.z, turn.x, turn.y, turn.z].to_vec(),
                    Dimension::Plane => [along.x, along.y, turn.z].to_vec(),
                };
                row.extend(entries.into_iter().enumerate().map(|(k, x)| (n_v * place as usize + k, x)));
            }
            let group = &mut self.groups[number];
            let n = n_v * group.bodies.len();
            for &(i, a) in &row {
                row.iter().for_each(|&(j, b)| group.inverse[i * n + j] += weight * a * b);
            }
        }
        for group in &mut self.groups {
            if !invert(&mut group.inverse, n_v * group.bodies.len(), &mut self.pivots) {
                let system = bodies.names[group.bodies[0] as usize].clone();
                return Err(StepError::Singular { system }.into());
            }
        }
        Ok(())
    }

    /// Finds the bodies that springs join, once.
    fn group(&mut self, bodies: &Bodies) {
        if self.of.len() == bodies.n {
            return;
        }
        let mut label: Vec<usize> = (0..bodies.n).collect();
        let mut held = vec![false; bodies.n];
        for spring in &bodies.springs {
            let ends: Vec<usize> = spring
                .ends
                .iter()
                .filter_map(|end| if let Anchor::On(body, _) = end { Some(body.0) } else { None })
                .collect();
            ends.iter().for_each(|&i| held[i] = true);
            let (a, b) = (label[ends[0]], label[ends[ends.len() - 1]]);
            label.iter_mut().filter(|l| **l == a.max(b)).for_each(|l| *l = a.min(b));
        }
        self.groups.clear();
        self.of = vec![None; bodies.n];
        for first in 0..bodies.n {
            if held[first] && label[first] == first {
                let members = (0..bodies.n).filter(|&i| label[i] == first && held[i]);
                let list: Vec<u32> = members.map(|i| i as u32).collect();
                for (place, &i) in list.iter().enumerate() {
                    self.of[i as usize] = Some((self.groups.len() as u32, place as u32));
                }
                self.groups.push(Group { bodies: list, inverse: Vec::new() });
            }
        }
    }
}

fn mass_block(bodies: &Bodies, body: usize, first: usize, n: usize, out: &mut [f64]) {
    let n_v = bodies.n_v();
    let n_linear = n_v - if bodies.dimension == Dimension::Space { 3 } else { 1 };
    for k in 0..n_linear {
        out[(first + k) * n + first + k] = bodies.mass[body];
    }
    let inertia = bodies.inertia[body].matrix();
    if bodies.dimension == Dimension::Plane {
        out[(first + 2) * n + first + 2] = inertia.z_axis.z;
        return;
    }
    for r in 0..3 {
        for c in 0..3 {
            out[(first + 3 + r) * n + first + 3 + c] = inertia.col(c)[r];
        }
    }
}

impl Factors {
    /// v_free of bodies with springs, from v_free without them.
    pub(super) fn add_springs(&mut self, model: &Model, now: &State, rule: Theta, v_free: &mut [f64]) {
        let bodies = &model.bodies;
        if bodies.springs.is_empty() {
            return;
        }
        let h = rule.h;
        // M (v_free − v) of what acts beside the springs, then the springs, then M̂⁻¹.
        let mut x = std::mem::take(&mut self.springs.x);
        x.clear();
        x.resize(now.v.len(), 0.0);
        for i in (0..bodies.n).filter(|&i| self.springs.of[i].is_some()) {
            let ((a, b), (v, w)) = (bodies.twist(v_free, i), bodies.twist(&now.v, i));
            bodies.set_twist(&mut x, i, bodies.mass[i] * (a - v), bodies.inertia[i].times(b - w));
        }
        for (spring, at) in bodies.springs.iter().zip(&self.springs.stretched) {
            let rate = at.rate(bodies, &now.v);
            let pull =
                -h * (spring.stiffness * (at.length - spring.rest_length) + spring.damping * rate);
            let present = at.ends.iter().flatten().all(|end| bodies.is_present(now, end.0));
            for &(body, along, turn) in at.ends.iter().flatten().filter(|_| present) {
                bodies.add_to(&mut x, body, pull * along, pull * turn);
            }
        }
        self.solve_bodies(model, &mut x);
        for i in (0..bodies.n).filter(|&i| self.springs.of[i].is_some() && bodies.is_present(now, i)) {
            let ((a, b), (v, w)) = (bodies.twist(&x, i), bodies.twist(&now.v, i));
            bodies.set_twist(v_free, i, v + a, w + b);
        }
        self.springs.x = x;
    }

    /// x ← M̂⁻¹ x for the bodies.
    #[inline(never)]
    pub(super) fn solve_bodies(&mut self, model: &Model, x: &mut [f64]) {
        let bodies = &model.bodies;
        for i in 0..bodies.n {
            if self.springs.of.get(i).is_none_or(Option::is_none) {
                let (impulse, turn) = bodies.twist(x, i);
                if impulse != DVec3::ZERO || turn != DVec3::ZERO {
                    let (v, omega) = bodies.inverse_times(i, impulse, turn);
                    bodies.set_twist(x, i, v, omega);
                }
            }
        }
        let n_v = bodies.n_v();
        for group in &self.springs.groups {
            self.scratch.clear();
            for &i in &group.bodies {
                self.scratch.extend_from_slice(&x[bodies.v_range(i as usize)]);
            }
            let mut rows = group.inverse.chunks_exact(n_v * group.bodies.len());
            for &i in &group.bodies {
                for k in bodies.v_range(i as usize) {
                    let row = rows.next().expect("one row per velocity of the group");
                    x[k] = row.iter().zip(&self.scratch).map(|(a, b)| a * b).sum();
                }
            }
        }
    }

    /// Calls `visit(j, (M̂⁻¹)_ij)` for the velocities j of bodies that velocity i of a body is coupled with.
    pub(super) fn for_each_of_body(&self, model: &Model, i: usize, mut visit: impl FnMut(usize, f64)) {
        let bodies = &model.bodies;
        let n_v = bodies.n_v();
        let (body, k) = ((i - bodies.first_v) / n_v, (i - bodies.first_v) % n_v);
        if let Some(Some((group, place))) = self.springs.of.get(body) {
            let group = &self.springs.groups[*group as usize];
            let n = n_v * group.bodies.len();
            let row = &group.inverse[(n_v * *place as usize + k) * n..][..n];
            let columns = group.bodies.iter().flat_map(|&b| bodies.v_range(b as usize));
            columns.zip(row).for_each(|(j, &x)| visit(j, x));
            return;
        }
        let first = bodies.v_range(body).start;
        let n_linear = if bodies.dimension == Dimension::Space { 3 } else { 2 };
        if k < n_linear {
            visit(i, 1.0 / bodies.mass[body]);
        } else if bodies.dimension == Dimension::Plane {
            visit(i, bodies.inv_inertia[body].0[2]);
        } else {
            let row = bodies.inv_inertia[body].matrix().col(k - 3);
            (0..3).for_each(|c| visit(first + 3 + c, row[c]));
        }
    }
}
