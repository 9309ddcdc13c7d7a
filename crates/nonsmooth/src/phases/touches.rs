//! Contact points of rigid bodies: who touches whom, along which axes, how fast.
//!
//! ```text
//! u = F (v_b + ω_b × r_b − v_a − ω_a × r_a)          F: rows normal, tangent 1, tangent 2;  r: from the origins to the point
//! a point takes part if  y + γ h u_N ≤ d
//! ```
//!
//! Points and axes are those of the start of the step. Pairs are looked for within γ h times the speeds of their
//! surfaces, ‖v‖ + ‖ω‖ R, so that no point that takes part is missed. The law of a point is that of the two materials.
//! [Acary10; Trinkle08]

use super::chunks::{Chunk, chunks, fill};
use super::detect::Activation;
use crate::error::StepResult;
use crate::laws::StepForm;
use crate::log::{StepLog, Touched};
use crate::model::{Bodies, Collider, Model, Placement, Point, Situation, State};
use glam::DVec3;
use nonsmooth_solvers::{IMMOVABLE, Set, Touch};

/// Gaps that a projection keeps an eye on, in units of the deepest overlap: one pass moves no body much farther.
const NEAR: f64 = 2.0;

/// The contact points that take part in a step, sorted by key. Written by `detect` and `linearize`.
#[derive(Default)]
pub struct Touches {
    /// Where they are: what the log is to have, once `record` has added velocities and impulses.
    pub found: Touched,
    /// The law of each, an index into the model's laws.
    laws: Vec<u32>,
    /// What obstacles add to u at the start and at the end of the step [m/s]; empty where none moves. Written by
    /// `look_ahead`.
    pub rate: Vec<[[f64; 3]; 2]>,
    /// Where all bodies are at the start of the step, obstacles last.
    pub placements: Vec<Placement>,
    /// Placements at the end of the step of obstacles that move.
    moved: Vec<Placement>,
    /// What u⁺ may fall short of zero to close gaps of points that carry [m/s].
    back: Vec<f64>,
    /// Whether the points are to be moved apart: only normals count, and u stands for the gap [m].
    apart: bool,
    margins: Vec<f64>,
    collider: Collider,
}

/// A point that takes part.
struct Seen {
    point: Point,
    bodies: [u32; 2],
    law: u32,
}

/// Fills `touches` with the points that take part at the start of the step.
#[inline(never)]
pub fn detect_touches(
    model: &Model,
    now: &State,
    activation: Activation,
    touches: &mut Touches,
) -> StepResult {
    let bodies = &model.bodies;
    bodies.place(now, &mut touches.placements)?;
    touches.set_margins(bodies, now, activation);
    let Touches { found, laws, placements, margins, collider, .. } = &mut *touches;
    let at = Situation { placements, margins };
    let likely = collider.pair(bodies, &at);
    found.clear();
    found.reserve_places(likely);
    found.dimension = bodies.dimension;
    laws.clear();
    laws.reserve_exact(likely);
    let see = |point: &Point| see(bodies, placements, activation, point);
    collider.meet(bodies, &at, see, |seen| {
        found.keys.push(seen.point.key);
        found.bodies.push(seen.bodies);
        found.points.push(seen.point.point.to_array());
        found.normals.push(seen.point.normal.to_array());
        found.gaps.push(seen.point.distance);
        laws.push(seen.law);
    });
    if bodies.are_many() {
        *collider = Collider::default();
        *margins = Vec::new();
    }
    Ok(())
}

/// What there is to know of a point, if it takes part.
fn see(bodies: &Bodies, placements: &[Placement], when: Activation, point: &Point) -> Option<Seen> {
    let parts = [point.key.parts.0, point.key.parts.1].map(|k| &bodies.parts[k as usize]);
    let pair = parts.map(|part| part.body);
    let [a, b] = pair.map(|body| {
        let at = &placements[body as usize];
        at.velocity_at(point.point - at.position)
    });
    let u_normal = point.normal.dot(b - a);
    if !(point.distance + when.look_ahead * u_normal <= when.layer) {
        return None;
    }
    let law = bodies.pair_law(parts[0].part.material, parts[1].part.material);
    let law = law.expect("pairs that may meet have a law: checked with the model") as u32;
    Some(Seen { point: *point, bodies: pair, law })
}

impl Touches {
    /// Whether no bodies touch.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The law of point `i`.
    #[inline]
    pub fn form(&self, model: &Model, i: usize) -> StepForm {
        if self.apart {
            let set = Set::Nonnegative;
            return StepForm { set, restitution: 0.0, tangential_restitution: 0.0 };
        }
        model.laws[self.laws[i] as usize].1
    }

    /// Finds the points that overlap in `state`, and those nearly as close as the deepest is deep; returns its depth and
    /// its bodies.
    pub fn survey(&mut self, model: &Model, state: &State) -> StepResult<(f64, Option<[u32; 2]>)> {
        self.apart = true;
        detect_touches(model, state, Activation { look_ahead: 0.0, layer: 0.0 }, self)?;
        let Touched { gaps, bodies, .. } = &self.found;
        let deepest = (0..gaps.len()).min_by(|&i, &j| gaps[i].total_cmp(&gaps[j]));
        let Some(deepest) = deepest else { return Ok((0.0, None)) };
        let (depth, pair) = (-gaps[deepest], bodies[deepest]);
        detect_touches(model, state, Activation { look_ahead: 0.0, layer: NEAR * depth }, self)?;
        Ok((depth, Some(pair)))
    }

    /// Number of points.
    #[inline]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Bodies, axes and arms of point `i`.
    #[inline]
    pub fn touch(&self, bodies: &Bodies, i: usize) -> Touch {
        let pair = self.found.bodies[i];
        let point = DVec3::from_array(self.found.points[i]);
        let arm = |body: u32| (point - self.placements[body as usize].position).to_array();
        Touch {
            bodies: pair.map(|body| if (body as usize) < bodies.n { body } else { IMMOVABLE }),
            frame: self.found.frame(i),
            arms: pair.map(arm),
        }
    }

    /// The points in chunks for threads, with their rows among those of points.
    pub fn chunks(&self, model: &Model) -> Vec<Chunk> {
        chunks(self.len(), |i| self.form(model, i).set.dim())
    }

    /// How far from its surface each body looks: γ h times the speed of its surface.
    fn set_margins(&mut self, bodies: &Bodies, now: &State, activation: Activation) {
        let Activation { look_ahead, layer } = activation;
        self.margins.clear();
        for (i, at) in self.placements.iter().enumerate() {
            let present = i >= bodies.n || bodies.is_present(now, i);
            let turning = at.spin.length();
            let surface = if turning > 0.0 { turning * bodies.reach[i] } else { 0.0 };
            let margin = look_ahead * (at.velocity.length() + surface) + 0.5 * layer;
            self.margins.push(if present { margin } else { f64::NAN });
        }
        // A turning half-space reaches as far as there are bodies.
        for k in bodies.n..self.placements.len() {
            if self.margins[k].is_infinite() {
                let origin = self.placements[k].position;
                let far = (0..bodies.n)
                    .filter(|&i| bodies.is_present(now, i))
                    .map(|i| (self.placements[i].position - origin).length() + bodies.reach[i]);
                let far = far.fold(0.0, f64::max);
                let at = &self.placements[k];
                self.margins[k] =
                    look_ahead * (at.velocity.length() + at.spin.length() * far) + 0.5 * layer;
            }
        }
    }

    /// What bias and obstacles add to u in a step of size `h`.
    pub fn look_ahead(&mut self, model: &Model, now: &State, h: f64) -> StepResult {
        self.close_gaps(model.bodies.layer, now, h);
        self.follow_obstacles(model, now.t + h, h)
    }

    /// A point that carried an impulse in the last step is closed: what gap it has is what residuals added up to. Beyond
    /// half the layer d it is taken back, u⁺ ≥ −(y − d/2)/h. Without that it leaves the layer some day, and its body falls
    /// by ½ h² g (`a_pinched_box_does_not_creep_in_an_hour`); with it below d/2, rounding would set the task.
    fn close_gaps(&mut self, layer: f64, now: &State, h: f64) {
        self.back.clear();
        self.back.reserve_exact(self.found.len());
        let mut known = now.touches.walk();
        for (key, gap) in self.found.keys.iter().zip(&self.found.gaps) {
            let beyond = gap - 0.5 * layer;
            let carried = beyond > 0.0 && known.find(key).is_some_and(|p| p[0] > 0.0);
            self.back.push(if carried { beyond / h } else { 0.0 });
        }
    }

    /// What obstacles add to u at the start and at the end of the step, which is at time `t`.
    fn follow_obstacles(&mut self, model: &Model, t: f64, h: f64) -> StepResult {
        let bodies = &model.bodies;
        self.rate.clear();
        if !bodies.has_moving_obstacles {
            return Ok(());
        }
        self.moved.clear();
        for k in 0..bodies.obstacles.len() {
            self.moved.push(bodies.finite_obstacle(k, t)?);
        }
        for i in 0..self.len() {
            let ends = [(&self.placements[bodies.n..], 0.0), (&self.moved, h)];
            self.rate.push(ends.map(|(at, ahead)| self.obstacle_rate(bodies, i, at, ahead)));
        }
        Ok(())
    }

    /// What obstacles that are at `obstacles` add to u of point `i`, `ahead` after the start of the step.
    fn obstacle_rate(&self, bodies: &Bodies, i: usize, obstacles: &[Placement], ahead: f64) -> [f64; 3] {
        let mut rate = DVec3::ZERO;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let [body, other] = [side, 1 - side].map(|side| self.found.bodies[i][side] as usize);
            if body >= bodies.n {
                // The body takes the point along: what moves with a turning obstacle then has u⁺ = 0.
                let at = &obstacles[body - bodies.n];
                let point = DVec3::from_array(self.found.points[i]);
                let point = point + ahead * self.placements[other].velocity;
                rate += sign * at.velocity_at(point - at.position);
            }
        }
        self.found.frame(i).map(|axis| DVec3::from_array(axis).dot(rate))
    }

    /// What the law of point `i` adds to H v⁺ before it compares with zero [m/s].
    #[inline]
    pub fn bias(&self, model: &Model, i: usize) -> [f64; 3] {
        if self.apart {
            return [self.found.gaps[i], 0.0, 0.0];
        }
        let (form, u) = (self.form(model, i), self.u_minus(i));
        let rate = self.rate.get(i).map_or([0.0; 3], |rate| rate[1]);
        let (e, e_t) = (form.restitution, form.tangential_restitution);
        [rate[0] + e * u[0] + self.back[i], rate[1] + e_t * u[1], rate[2] + e_t * u[2]]
    }

    /// u of point `i` at the start of the step [m/s].
    #[inline]
    fn u_minus(&self, i: usize) -> [f64; 3] {
        let point = DVec3::from_array(self.found.points[i]);
        let [a, b] = self.found.bodies[i].map(|body| {
            let at = &self.placements[body as usize];
            at.velocity_at(point - at.position)
        });
        self.found.frame(i).map(|axis| DVec3::from_array(axis).dot(b - a))
    }

    /// F (v_b + ω_b × r_b − v_a − ω_a × r_a) of point `i` for the velocities `v` of moving bodies.
    #[inline]
    pub fn relative(&self, bodies: &Bodies, v: &[f64], i: usize) -> [f64; 3] {
        let Touch { bodies: pair, frame, arms } = self.touch(bodies, i);
        let mut u = DVec3::ZERO;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if pair[side] != IMMOVABLE {
                let (v, omega) = self.world_twist(bodies, v, pair[side] as usize);
                u += sign * (v + omega.cross(DVec3::from_array(arms[side])));
            }
        }
        frame.map(|axis| DVec3::from_array(axis).dot(u))
    }

    /// Velocity and angular velocity in world axes of body `i` for velocities `v`, turned as at the start of the step.
    #[inline]
    fn world_twist(&self, bodies: &Bodies, v: &[f64], i: usize) -> (DVec3, DVec3) {
        let (velocity, omega) = bodies.twist(v, i);
        if bodies.n_v() == 3 {
            (velocity, omega)
        } else {
            (velocity, self.placements[i].rotation * omega)
        }
    }

    /// Adds Hᵀ p, the impulses and angular impulses in body axes, to `out`, which is over all velocities. `p` has one
    /// entry per component of each law.
    pub fn add_impulses(&self, model: &Model, p: &[f64], out: &mut [f64]) {
        let bodies = &model.bodies;
        let mut k = 0;
        for i in 0..self.len() {
            let Touch { bodies: pair, frame, arms } = self.touch(bodies, i);
            let dim = self.form(model, i).set.dim();
            let mut impulse = DVec3::ZERO;
            for r in 0..dim {
                impulse += p[k + r] * DVec3::from_array(frame[r]);
            }
            k += dim;
            if impulse == DVec3::ZERO {
                continue;
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if pair[side] == IMMOVABLE {
                    continue;
                }
                let body = pair[side] as usize;
                let turn = DVec3::from_array(arms[side]).cross(sign * impulse);
                let turn = bodies.to_body(self.placements[body].rotation, turn);
                bodies.add_to(out, body, sign * impulse, turn);
            }
        }
    }

    /// Takes the lists back from the log of the step before; where memory counts, those go that a step writes last.
    #[inline(never)]
    pub fn take_back(&mut self, model: &Model, next: &mut State, log: &mut StepLog) {
        std::mem::swap(&mut self.found, &mut log.touches);
        if model.bodies.are_many() {
            self.found.give_back();
            next.give_back();
        }
    }

    /// Adds u at both ends of the step and the impulses to the points, and hands them to the log.
    #[inline(never)]
    pub fn record(&mut self, model: &Model, (now, next): (&State, &State), log: &mut StepLog) {
        let mut u_plus = std::mem::take(&mut self.found.u_plus);
        fill(self.len(), &mut u_plus, |i| {
            let mut u = self.relative(&model.bodies, &next.v, i);
            if let Some([_, rate]) = self.rate.get(i) {
                (0..3).for_each(|r| u[r] += rate[r]);
            }
            u
        });
        let mut u_minus = std::mem::take(&mut self.found.u_minus);
        fill(self.len(), &mut u_minus, |i| self.u_minus(i));
        let found = &mut self.found;
        (found.u_minus, found.u_plus) = (u_minus, u_plus);
        found.impulses.clone_from(&next.touches.impulses);
        let mut known = now.touches.walk();
        for (key, p) in found.keys.iter().zip(&found.impulses) {
            let carried = |p: [f64; 3]| p[0] > 0.0;
            found.n_impacts += usize::from(p[0] > 0.0 && !known.find(key).is_some_and(carried));
        }
        std::mem::swap(found, &mut log.touches);
    }
}
