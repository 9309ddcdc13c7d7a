//! Curved obstacles: the linearised gap is safe outside a convex one, lets O(h²) through inside, and bounces when
//! steps are large.
//!
//! ```text
//! ψ(u, t) = ±(‖u − w t e₁‖ − 1),     0 ≤ ψ + h (∂ψ/∂u v⁺ + ∂ψ/∂t) ⟂ λ ≥ 0
//! ```

use crate::reproduce::paper::Section;
use crate::reproduce::plan::plan;
use crate::reproduce::schemes::Schemes;
use nonsmooth::Model;
use nonsmooth::State;
use nonsmooth::analysis::Order;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Gap, Linear, ModelBuilder, ModelError, UserError};
use nonsmooth::observers::Trajectory;
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth_draw::plot::{Figure, Item};
use std::f64::consts::PI;
use std::sync::Arc;

const PLACE: &str = "curved surface";

/// A unit sphere about (w t, 0, 0), and a particle outside (`sign` = 1) or inside (−1).
#[derive(Clone, Copy)]
struct Ball {
    sign: f64,
    w: f64,
}

impl Ball {
    fn arm(&self, t: f64, q: &[f64]) -> ([f64; 3], f64) {
        let arm = [q[0] - self.w * t, q[1], q.get(2).copied().unwrap_or(0.0)];
        (arm, arm.iter().map(|x| x * x).sum::<f64>().sqrt())
    }
}

impl Gap for Ball {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(self.sign * (self.arm(t, q).1 - 1.0))
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let (arm, r) = self.arm(t, q);
        out.iter_mut().zip(arm).for_each(|(out, x)| *out = self.sign * x / r);
        Ok(())
    }
    fn rate(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        let (arm, r) = self.arm(t, q);
        Ok(-self.sign * self.w * arm[0] / r)
    }
}

/// A unit mass near the ball; the dimension is that of `q`.
fn near(ball: Ball, load: &[f64], q: &[f64], v: &[f64]) -> Result<(Arc<Model>, State), ModelError> {
    let mut builder = ModelBuilder::new();
    let mass = Sparse::diagonal(&vec![1.0; q.len()]);
    let particle = builder.linear(Linear::new("particle", mass).load(load).initial(q, v));
    let law = builder.law("ball", NewtonImpact { restitution: 0.0 });
    let on: Vec<_> = (0..q.len()).map(|i| (particle, i)).collect();
    builder.gap("ball", law, &on, ball);
    builder.build(0.0)
}

fn run(schemes: &Schemes, model: (Arc<Model>, State), h: f64, end: f64) -> anyhow::Result<Trajectory> {
    schemes.run(("stewart-trinkle", &Options::default()), model, h, (end / h).round() as u64)
}

fn deepest(run: &Trajectory) -> f64 {
    run.gaps.iter().fold(0.0, |m, gaps| m.max(-gaps[0]))
}

fn makes_contact(run: &Trajectory) -> bool {
    run.impulses.iter().any(|p| p[0] > 0.0)
}

/// The unit circle from one angle to another.
fn arc(from: f64, to: f64) -> Vec<(f64, f64)> {
    let angle = |k: u32| from + (to - from) * f64::from(k) / 180.0;
    (0..=180).map(|k| (angle(k).cos(), angle(k).sin())).collect()
}

fn path(run: &Trajectory) -> Vec<(f64, f64)> {
    run.q.iter().map(|q| (q[0], q[1])).collect()
}

/// Outside a circle and a moving sphere.
pub(in crate::reproduce) fn outside(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Outside a convex obstacle",
        "The distance to a convex obstacle is convex, so that its linearisation is never larger than itself: a step that ends at \
         ψ + h ψ̇ ≥ 0 does not enter, however large it is. Three particles fall on a unit circle; then a unit sphere moves through \
         space at 2 m/s and pushes a particle away.",
    );
    let starts = [([0.05, 1.5], [0.0, -1.0]), ([0.4, 2.0], [0.3, -2.0]), ([-3.0, 0.9], [3.0, 0.0])];
    for h in [0.3, 0.1, 0.03] {
        let (mut depth, mut n) = (0.0f64, 0.0);
        for (q, v) in starts {
            let made = near(Ball { sign: 1.0, w: 0.0 }, &[0.0, -1.0], &q, &v)?;
            let run = run(schemes, made, h, 1.8)?;
            depth = depth.max(deepest(&run));
            n += f64::from(u8::from(makes_contact(&run)));
        }
        section.all_close(
            PLACE,
            &format!("particles of 3 that touch, h = {h}"),
            &[n],
            &[3.0],
            (0.0, "a count"),
        );
        section.at_most(
            PLACE,
            &format!("largest penetration, h = {h} [m]"),
            depth,
            (1e-15, "rounding of distances of size 3"),
        );
    }
    let sphere = Ball { sign: 1.0, w: 2.0 };
    let pushed = run(schemes, near(sphere, &[0.0; 3], &[1.5, 0.1, -0.05], &[0.0; 3])?, 0.02, 2.0)?;
    let hit = pushed.impulses.iter().position(|p| p[0] > 0.0).map_or(f64::NAN, |k| pushed.t[k]);
    // The way to the surface at (√(1 − 0.1² − 0.05²), …) at 2 m/s; seen in the step that would enter.
    let meeting = 0.5 * (1.5 - (1.0f64 - 0.01 - 0.0025).sqrt());
    section.close(
        "moving obstacle, 3D",
        "time at which the sphere meets the particle [s]",
        hit,
        meeting,
        (0.02, "found in the step that would enter: one step"),
    );
    section.at_most(
        "moving obstacle, 3D",
        "largest penetration [m]",
        deepest(&pushed),
        (1e-15, "rounding of distances of size 3"),
    );
    let (q, v) = starts[1];
    let fall = |h: f64| {
        let made = near(Ball { sign: 1.0, w: 0.0 }, &[0.0, -1.0], &q, &v)?;
        run(schemes, made, h, 1.8).map(|run| path(&run))
    };
    let items = vec![
        Item::Dashed { label: "circle".into(), points: arc(0.0, PI) },
        Item::Line { label: "h = 0.03".into(), points: fall(0.03)? },
        Item::Marked { label: "h = 0.3".into(), points: fall(0.3)? },
    ];
    let caption = "A particle falls on a circle and slides off: no step ends inside";
    section.figure("trinkle-2008-outside", plan(items), caption);
    Ok(section)
}

/// From rest at (0.9, 0) in a unit circle under unit gravity.
fn bowl() -> Result<(Arc<Model>, State), ModelError> {
    near(Ball { sign: -1.0, w: 0.0 }, &[0.0, -1.0], &[0.9, 0.0], &[0.0; 2])
}

/// Inside a circle.
pub(in crate::reproduce) fn inside(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Inside a circle",
        "From inside the tangent plane lies beyond the surface. A step of length h v along it ends √(1 + h²v²) − 1 ≈ ½ h²v² \
         outside. The particle falls from rest at (0.9, 0) in a unit circle under unit gravity; it keeps the tangential part of its \
         velocity when it hits, so that v² = 2 − 2 · 0.19^{3/2} at the bottom, where the depth is largest.",
    );
    let v2 = 2.0 - 2.0 * 0.19f64.powf(1.5);
    let (mut depths, mut items) = (Vec::new(), Vec::new());
    // Two digits, from an independent program.
    for (h, known) in [(0.1, 9.1e-3), (0.05, 2.3e-3), (0.025, 5.7e-4)] {
        let run = run(schemes, bowl()?, h, 4.0)?;
        let (depth, estimate) = (deepest(&run), (1.0 + h * h * v2).sqrt() - 1.0);
        let half = 0.5 * 10f64.powf(f64::floor(f64::log10(known)) - 1.0);
        section.close(
            PLACE,
            &format!("largest penetration, h = {h}, known to two digits [m]"),
            depth,
            known,
            (half, "half of the last of two digits"),
        );
        // The scheme is of order one: the speed at the bottom is wrong by O(h).
        let what = format!("largest penetration, h = {h}, against √(1 + h²v²) − 1 [m]");
        section.close(
            PLACE,
            &what,
            depth,
            estimate,
            (0.1 * h * estimate, "the scheme is of order one: the speed at the bottom is wrong by O(h)"),
        );
        let points = run.t.iter().zip(&run.gaps).map(|(t, gap)| (*t, (-gap[0]).max(0.0))).collect();
        items.push(Item::Line { label: format!("h = {h}"), points });
        depths.push((h, depth));
    }
    let order = Order::fit(depths, 0.0).map_or(f64::NAN, |order| order.slope);
    section.close(
        PLACE,
        "order of the penetration",
        order,
        2.0,
        (0.05, "two halvings, with O(h) in the speed"),
    );
    let figure = Figure {
        x_label: "time t [s]".into(),
        y_label: "penetration [m]".into(),
        items,
        ..Figure::default()
    };
    section.figure(
        "trinkle-2008-inside",
        figure,
        "Penetration inside a circle: a quarter with half the step",
    );
    Ok(section)
}

/// From (0.28, 0) straight down at unit speed, without load.
fn dart() -> Result<(Arc<Model>, State), ModelError> {
    near(Ball { sign: -1.0, w: 0.0 }, &[0.0; 2], &[0.28, 0.0], &[0.0, -1.0])
}

/// Steps without contact after the first contact.
fn in_the_air(run: &Trajectory) -> f64 {
    let contacts = run.impulses.iter().skip_while(|p| p[0] == 0.0);
    contacts.filter(|p| p[0] == 0.0).count() as f64
}

/// Large steps: penetration, then a bounce although e = 0.
pub(in crate::reproduce) fn large_steps(schemes: &Schemes) -> anyhow::Result<Section> {
    const PLACE: &str = "large time steps";
    let mut section = Section::new(
        "Large steps: penetration, and a bounce that is none",
        "A particle flies from (0.28, 0) straight down at unit speed inside a unit circle. The plastic impact at (0.28, −0.96) leaves \
         it sliding along the wall at 0.28 m/s. With h = 2 the first step sees the wall at (1, 0) only and ends far outside; the \
         second must come back to the tangent plane and gets the velocity depth/h inwards, with which the particle then flies off. \
         With small steps it stays on the wall.",
    );
    let h = 2.0;
    let large = run(schemes, dart()?, h, 8.0)?;
    let (outside, depth) = (0.28f64.hypot(2.0), 0.28f64.hypot(2.0) - 1.0);
    // Rounding of numbers of size 2.
    let what = "depth after the first step √(0.28² + 2²) − 1, h = 2 [m]";
    section.close(PLACE, what, -large.gaps[1][0], depth, (1e-14, "rounding of numbers of size 2"));
    let inwards = -(0.28 * large.v[2][0] - 2.0 * large.v[2][1]) / outside;
    let what = "velocity inwards after the second step, depth/h [m/s]";
    section.close(PLACE, what, inwards, depth / h, (1e-14, "rounding of numbers of size 2"));
    let small = run(schemes, dart()?, 0.02, 8.0)?;
    section.at_least(
        PLACE,
        "steps in the air after the first contact, h = 2",
        in_the_air(&large),
        (1.0, "a count"),
    );
    let what = "steps in the air after the first contact, h = 0.02";
    section.all_close(PLACE, what, &[in_the_air(&small)], &[0.0], (0.0, "a count"));
    let speed = small.v.last().map_or(f64::NAN, |v| v[0].hypot(v[1]));
    section.close(PLACE, "speed along the wall, h = 0.02 [m/s]", speed, 0.28, (0.02, "the impact is found up to a step of 0.02 m too early or late, where the wall has another angle"));
    let items = vec![
        Item::Dashed { label: "circle".into(), points: arc(0.0, 2.0 * PI) },
        Item::Line { label: "h = 0.02".into(), points: path(&small) },
        Item::Marked { label: "h = 2".into(), points: path(&large) },
    ];
    let caption = "Inside a circle: a large step leaves it, and the next ones come back too fast";
    section.figure("trinkle-2008-large-steps", plan(items), caption);
    Ok(section)
}
