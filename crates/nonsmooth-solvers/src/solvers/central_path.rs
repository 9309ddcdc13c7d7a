//! Steps along the central path of a conic complementarity problem.
//!
//! ```text
//! W p + u_free = Bᵀ z,   s = A p + b,   s ∘ z = τ e,   s, z inside the cones
//! ```
//!
//! With the scaling Q of Nesterov and Todd, λ = Q z = Q⁻¹ s, one step solves
//!
//! ```text
//! (W + Bᵀ Q⁻² A + δ I) dp = −(W p + u_free − Bᵀ z) + Bᵀ c,   ds = A dp,   dz = c − Q⁻² ds,   c = Q⁻¹ (λ \ d)
//! d = −λ ∘ λ                                              predictor
//! d = σ τ e − λ ∘ λ − (Q⁻¹ ds) ∘ (Q dz)                   corrector, ds and dz of the predictor
//! ```
//!
//! σ = (1 − α)³ with α the part of the predictor that stays inside [Mehrotra92, Vandenberghe10]. A step ends where the
//! least eigenvalue of λ² is not too small against τ; one that this cuts short is followed by pure centring,
//! d = τ e − λ ∘ λ.

use super::kkt::Kkt;
use super::lorentz::{self, Point, Scaling};
use super::slack::Slack;
use crate::problem::Problem;

/// s ∘ z of a round cone is not driven below this, relative to s₀ z₀: det s and det z then keep three digits, while
/// cones that are not strictly complementary go on. Without it 42 of the 81 friction problems of the collection end between
/// 1e-12 and 6e-9; with it all reach 1e-12.
const FLOOR: f64 = 1e-13;
/// Parts of the way to the boundary: the least when the predictor is cut short, the largest when it is not. With 0.9
/// or 0.9995 throughout gen_boxdrop_t0600 ends at 5e-12, and 0.9 takes more steps on the others (2107 against 1732).
const REACH: [f64; 2] = [0.9, 0.999];
/// A step that must be shortened into the neighbourhood is, by this factor, at most this often.
const SHORTEN: (f64, usize) = (0.8, 20);
/// A step shorter than this moves nothing.
const NO_STEP: f64 = 1e-9;

/// How a path is begun and followed.
pub(super) struct Course {
    /// p and z at the start.
    pub(super) depth: [f64; 2],
    /// Least eigenvalue of λ², relative to τ, that a step may leave.
    pub(super) nearness: f64,
    /// A step shorter than this is followed by centring.
    pub(super) short: f64,
    /// δ of the linear system.
    pub(super) damping: f64,
}

/// A step of p, s and z.
struct Direction {
    p: Vec<f64>,
    s: Vec<Point>,
    z: Vec<Point>,
}

impl Direction {
    fn new(rows: usize, cones: usize) -> Self {
        Self { p: vec![0.0; rows], s: vec![[0.0; 3]; cones], z: vec![[0.0; 3]; cones] }
    }
}

/// A point inside the cones, and what its next step needs.
pub(super) struct Path {
    slack: Slack,
    kkt: Kkt,
    u_free: Vec<f64>,
    pub(super) p: Vec<f64>,
    s: Vec<Point>,
    z: Vec<Point>,
    /// W p + u_free − Bᵀ z.
    rest: Vec<f64>,
    /// A p + b − s, which is rounding.
    drift: Vec<Point>,
    scaling: Vec<Scaling>,
    lambda: Vec<Point>,
    /// Below this s ∘ z of each cone is not driven.
    floor: Vec<f64>,
    /// Mean s·z of the cones above their floor.
    tau: f64,
    /// d, then c, of each cone.
    wanted: Vec<Point>,
    right: Vec<f64>,
    predictor: Direction,
    corrector: Direction,
    /// Length of the last step.
    length: f64,
}

impl Path {
    /// The start of a path, with W and u_free in the units `row` and `velocity`; None if W cannot be analysed.
    pub(super) fn new(problem: &Problem, row: &[f64], velocity: f64, course: &Course) -> Option<Self> {
        let (mut slack, mut p) = (Slack::default(), Vec::with_capacity(problem.size()));
        for (begin, set) in problem.blocks() {
            slack.push(set, row[begin] * velocity, course.depth[0], &mut p);
        }
        let symmetric = problem.delassus.symmetric && !slack.cones.iter().any(|cone| cone.tangential);
        let kkt = Kkt::new(problem, row, &slack.fixed, symmetric).ok()?;
        let (rows, cones) = (p.len(), slack.cones.len());
        Some(Self {
            u_free: problem.u_free.iter().zip(row).map(|(u, d)| u / velocity * d).collect(),
            s: slack
                .cones
                .iter()
                .map(|cone| add(&cone.image(&p), 1.0, &[cone.offset, 0.0, 0.0]))
                .collect(),
            z: vec![[course.depth[1], 0.0, 0.0]; cones],
            rest: vec![0.0; rows],
            drift: vec![[0.0; 3]; cones],
            scaling: vec![Scaling::default(); cones],
            lambda: vec![[0.0; 3]; cones],
            floor: vec![0.0; cones],
            tau: 0.0,
            wanted: vec![[0.0; 3]; cones],
            right: vec![0.0; rows],
            predictor: Direction::new(rows, cones),
            corrector: Direction::new(rows, cones),
            length: 1.0,
            slack,
            kkt,
            p,
        })
    }

    /// One step; false if there is none that can be computed.
    pub(super) fn step(&mut self, course: &Course) -> bool {
        self.measure();
        if !self.factor(course.damping) {
            return false;
        }
        self.predict();
        let ahead = self.reach(&self.predictor).min(1.0);
        let centring = self.length < course.short;
        self.correct(if centring { None } else { Some((1.0 - ahead).powi(3).max(1e-6)) });
        let far = ahead.clamp(REACH[0], REACH[1]) * self.reach(&self.corrector);
        let length = self.shorten(far.min(1.0), course.nearness);
        if !(length > NO_STEP) {
            return false;
        }
        self.advance(length);
        true
    }

    /// Residuals of the linear equations, floors and τ.
    fn measure(&mut self) {
        self.kkt.w.multiply(&self.p, &mut self.rest);
        self.right.fill(0.0);
        let (mut sum, mut count) = (0.0, 0.0);
        for (k, cone) in self.slack.cones.iter().enumerate() {
            let (s, z) = (&self.s[k], &self.z[k]);
            cone.add_transposed(z, &mut self.right);
            let slack = add(&cone.image(&self.p), 1.0, &[cone.offset, 0.0, 0.0]);
            self.drift[k] = add(&slack, -1.0, s);
            self.floor[k] = if cone.is_round() { FLOOR * s[0] * z[0] } else { 0.0 };
            let product = lorentz::dot(s, z);
            if product > 3.0 * self.floor[k] {
                (sum, count) = (sum + product, count + 1.0);
            }
        }
        self.tau = if count > 0.0 { sum / count } else { 0.0 };
        for i in 0..self.rest.len() {
            self.rest[i] += self.u_free[i] - self.right[i];
        }
    }

    /// Q, λ, and the factors of W + Bᵀ Q⁻² A + δ I; false if the point is no longer inside or W stands in the way.
    fn factor(&mut self, damping: f64) -> bool {
        self.kkt.blocks.fill(0.0);
        for (k, cone) in self.slack.cones.iter().enumerate() {
            let Some(scaling) = Scaling::new(&self.s[k], &self.z[k]) else { return false };
            self.scaling[k] = scaling;
            self.lambda[k] = scaling.apply(&self.z[k]);
            let block = &mut self.kkt.blocks[self.kkt.block_of_row[cone.begin]..][..cone.dim * cone.dim];
            cone.add_block(|x| scaling.apply_inverse_square(x), block);
        }
        self.rest.iter().all(|x| x.is_finite()) && self.kkt.factor(damping).is_ok()
    }

    fn predict(&mut self) {
        for k in 0..self.wanted.len() {
            let square = lorentz::product(&self.lambda[k], &self.lambda[k]);
            self.wanted[k] = add(&[self.floor[k], 0.0, 0.0], -1.0, &square);
        }
        self.direct(|path| &mut path.predictor);
    }

    /// The corrector with this σ, or pure centring.
    fn correct(&mut self, sigma: Option<f64>) {
        let target = sigma.unwrap_or(1.0) * self.tau;
        for k in 0..self.wanted.len() {
            let square = lorentz::product(&self.lambda[k], &self.lambda[k]);
            self.wanted[k] = add(&[target.max(self.floor[k]), 0.0, 0.0], -1.0, &square);
            if sigma.is_some() {
                let ds = self.scaling[k].apply_inverse(&self.predictor.s[k]);
                let dz = self.scaling[k].apply(&self.predictor.z[k]);
                self.wanted[k] = add(&self.wanted[k], -1.0, &lorentz::product(&ds, &dz));
            }
        }
        self.direct(|path| &mut path.corrector);
    }

    /// The direction of the d in `wanted`, written to the chosen place.
    fn direct(&mut self, choose: impl Fn(&mut Self) -> &mut Direction) {
        self.right.fill(0.0);
        for (k, cone) in self.slack.cones.iter().enumerate() {
            let scaling = &self.scaling[k];
            let c = scaling.apply_inverse(&lorentz::divide(&self.lambda[k], &self.wanted[k]));
            self.wanted[k] = c;
            let drift = scaling.apply_inverse_square(&self.drift[k]);
            cone.add_transposed(&add(&c, -1.0, &drift), &mut self.right);
        }
        for i in 0..self.right.len() {
            self.right[i] = if self.slack.fixed[i] { 0.0 } else { self.right[i] - self.rest[i] };
        }
        let mut direction = std::mem::replace(choose(self), Direction::new(0, 0));
        self.kkt.solve(&self.right, &mut direction.p);
        for (k, cone) in self.slack.cones.iter().enumerate() {
            direction.s[k] = add(&cone.image(&direction.p), 1.0, &self.drift[k]);
            let image = self.scaling[k].apply_inverse_square(&direction.s[k]);
            direction.z[k] = add(&self.wanted[k], -1.0, &image);
        }
        *choose(self) = direction;
    }

    /// The largest step that stays inside.
    fn reach(&self, direction: &Direction) -> f64 {
        (0..self.s.len()).fold(f64::INFINITY, |least, k| {
            least
                .min(lorentz::reach(&self.s[k], &direction.s[k]))
                .min(lorentz::reach(&self.z[k], &direction.z[k]))
        })
    }

    /// Shortens a step until it ends in the neighbourhood of the path.
    fn shorten(&self, mut length: f64, nearness: f64) -> f64 {
        for _ in 0..SHORTEN.1 {
            let (mut least, mut sum, mut count) = (f64::INFINITY, 0.0, 0.0f64);
            for k in 0..self.s.len() {
                let s = add(&self.s[k], length, &self.corrector.s[k]);
                let z = add(&self.z[k], length, &self.corrector.z[k]);
                let product = lorentz::dot(&s, &z);
                // The eigenvalues a, b of λ have a b = √(det s det z) and a² + b² = 2 s·z.
                let square = lorentz::det(&s) * lorentz::det(&z);
                least = least.min(square / (product + (product * product - square).max(0.0).sqrt()));
                if product > 3.0 * self.floor[k] {
                    (sum, count) = (sum + product, count + 1.0);
                }
            }
            if count == 0.0 || least >= nearness * sum / count {
                break;
            }
            length *= SHORTEN.0;
        }
        length
    }

    fn advance(&mut self, length: f64) {
        self.length = length;
        for (p, d) in self.p.iter_mut().zip(&self.corrector.p) {
            *p += length * d;
        }
        for k in 0..self.s.len() {
            self.s[k] = add(&self.s[k], length, &self.corrector.s[k]);
            self.z[k] = add(&self.z[k], length, &self.corrector.z[k]);
        }
    }
}

/// x + a y.
#[inline]
fn add(x: &Point, a: f64, y: &Point) -> Point {
    [x[0] + a * y[0], x[1] + a * y[1], x[2] + a * y[2]]
}
