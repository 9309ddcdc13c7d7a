//! Accelerated projected gradients on the blocks of the sweeps.
//!
//! ```text
//! y = p + β (p − p before),   p⁺ = Π(y − D⁻¹ u(y)/L),   v⁺ = v_y + M⁻¹ Jᵀ (p⁺ − y),   ΔᵀWΔ = ‖v⁺ − v_y‖²_M
//! ```
//!
//! One pass over the contacts and one over the bodies per iteration; D = diag(λ_max(W_cc)), the same for normal and tangents.

use super::lanes::{Four, Work};
use super::lines::{Line, Shared};
use super::{Balls, Block, Wide, takes};
use crate::delassus::Form;
use crate::problem::Problem;
use crate::solvers::descent::{Descent, Measured};
use crate::solvers::sweep::{Plan, Sweeps};

/// Gradients of a problem whose constraints are all contacts of balls, or of disks.
pub(in crate::solvers) fn gradients(problem: &Problem) -> Option<Box<dyn Descent>> {
    let Form::Posed(posed) = &problem.delassus.form else { return None };
    if !posed.is_contacts() || posed.is_compliant() {
        None
    } else if takes(problem, posed, false) {
        Some(Box::new(WideGradients::<Balls<false>>::new(problem)))
    } else if takes(problem, posed, true) {
        Some(Box::new(WideGradients::<Balls<true>>::new(problem)))
    } else {
        None
    }
}

struct WideGradients<B> {
    /// Its lines have the velocities of p⁺.
    wide: Wide<B>,
    /// Velocities of y and of p before.
    at_y: Vec<Line>,
    before: Vec<Line>,
    /// Momentum of a step that the blocks have not made yet.
    beta: Option<f64>,
    /// ‖u_free‖².
    free: f64,
}

impl<B: Block> WideGradients<B> {
    fn new(problem: &Problem) -> Self {
        let mut wide = Wide::default();
        wide.prepare(problem, Plan { coloured: true, shuffled: false });
        let free = problem.u_free.iter().map(|u| u * u).sum();
        Self { wide, at_y: Vec::new(), before: Vec::new(), beta: None, free }
    }
}

impl<B: Block> Descent for WideGradients<B> {
    fn begin(&mut self, p: &[f64]) {
        self.wide.load(p);
        self.wide.blocks.iter_mut().for_each(B::remember);
        self.at_y.clone_from(&self.wide.lines);
        self.before.clone_from(&self.wide.lines);
        self.beta = Some(0.0);
    }

    fn descend(&mut self, curvature: f64) -> Measured {
        let (rate, beta) = (1.0 / curvature, self.beta.take());
        self.wide.lines.copy_from_slice(&self.at_y);
        let at_y = Shared::new(&mut self.at_y);
        let [square, turned] = self.wide.pass(|blocks, lines| Step { blocks, at_y, lines, beta, rate });
        let (mut form, mut rounding) = (0.0, 0.0);
        let moving = self.wide.lines.iter().zip(&self.at_y).take(self.wide.n_bodies);
        for (line, at_y) in moving {
            for half in 0..2 {
                let (next, y) = (&line.0[half].0, &at_y.0[half].0);
                let (mut own, mut most) = (0.0, 0.0);
                for k in 0..3 {
                    let step = next[k] - y[k];
                    own += step * step;
                    most += step.abs() * (next[k].abs() + y[k].abs());
                }
                if next[3] > 0.0 {
                    form += own / next[3];
                    rounding += most / next[3];
                }
            }
        }
        Measured { form, square, rounding, turned }
    }

    fn residual(&mut self) -> f64 {
        let [natural, acts] = self.wide.pass(|blocks, lines| Natural { blocks, lines });
        // What the certificate has in its denominator.
        let scale = if acts > 0.0 { acts } else { self.free };
        if scale > 0.0 { (natural / scale).sqrt() } else { natural.sqrt() }
    }

    fn store(&mut self, p: &mut [f64]) {
        self.wide.store(p);
    }

    fn extrapolate(&mut self, beta: f64) {
        let lines = self.wide.lines.iter().zip(&mut self.at_y).zip(&mut self.before);
        for ((next, y), before) in lines {
            for (half, k) in (0..8).map(|k| (k / 4, k % 4)) {
                let v = next.0[half].0[k];
                y.0[half].0[k] = v + beta * (v - before.0[half].0[k]);
            }
            *before = *next;
        }
        self.beta = Some(beta);
    }
}

/// One projected step of some blocks.
struct Step<'a, B> {
    blocks: &'a mut [B],
    at_y: Shared<'a>,
    lines: Shared<'a>,
    beta: Option<f64>,
    rate: f64,
}

impl<B: Block> Work for Step<'_, B> {
    type Result = [f64; 2];

    #[inline(always)]
    fn run<V: Four>(self) -> [f64; 2] {
        let (lines, rate) = ([self.at_y, self.lines], V::splat(self.rate));
        let (mut square, mut turned) = (V::splat(0.0), V::splat(0.0));
        let beta = self.beta.map(V::splat);
        for block in self.blocks {
            let own = block.descend(lines, beta, rate);
            (square, turned) = (square + own[0], turned + own[1]);
        }
        [square.total(), turned.total()]
    }
}

/// The natural map of some blocks.
struct Natural<'a, B> {
    blocks: &'a mut [B],
    lines: Shared<'a>,
}

impl<B: Block> Work for Natural<'_, B> {
    type Result = [f64; 2];

    #[inline(always)]
    fn run<V: Four>(self) -> [f64; 2] {
        let (mut natural, mut acts) = (V::splat(0.0), V::splat(0.0));
        for block in self.blocks {
            let own = block.natural_square::<V>(self.lines);
            (natural, acts) = (natural + own[0], acts + own[1]);
        }
        [natural.total(), acts.total()]
    }
}
