//! The ball without forces: the discrete solution in closed form.
//!
//! ```text
//! q_i = 1 − i h,  u_i = −1   for i ≤ p + 1, i ≤ p            p = max {k: q_i > 0 for i ≤ k}
//! q_i = 1 − (p+1) h + e (i − p − 1) h,  u_i = e   for i ≥ p + 1
//! ```

use crate::reproduce::paper::{Section, number};
use crate::reproduce::schemes::Schemes;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::observers::Trajectory;
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth_draw::plot::{Figure, Item, with_jumps};

const PLACE: &str = "example (bouncing ball)";

/// How long the ball is watched [s].
const END: f64 = 1.9;

fn run(schemes: &Schemes, e: f64, h: f64) -> anyhow::Result<Trajectory> {
    let mut builder = ModelBuilder::new();
    let ball = builder.linear(Linear::new("ball", Sparse::diagonal(&[1.0])).initial(&[1.0], &[-1.0]));
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    schemes.run(("moreau-paoli", &Options::default()), builder.build(0.0)?, h, (END / h) as u64)
}

/// (q_i, u_i) of the slides.
fn closed(e: f64, h: f64, p: f64, i: usize) -> [f64; 2] {
    let i = i as f64;
    if i <= p { [1.0 - i * h, -1.0] } else { [1.0 - (p + 1.0) * h + e * (i - p - 1.0) * h, e] }
}

/// The last step before which the ball is above the floor.
fn last_above(run: &Trajectory) -> usize {
    run.q.iter().take_while(|q| q[0] > 0.0).count() - 1
}

/// The discrete solution, number by number.
pub(in crate::reproduce) fn closed_form(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "The discrete ball in closed form",
        "q₀ = 1, u₀ = −1, no force: the slides give every q_i and u_i. The table shows the steps about the impact for h = 1/16, \
         e = ½, where every number is exact in doubles: q₁₆ = 0 counts as contact, so that p = 15.",
    );
    // p by exact arithmetic: ⌈1/h⌉ − 1.
    for (e, h, p) in [(0.5, 0.0625, 15), (0.0, 0.0937, 10), (0.3, 0.031, 32), (1.0, 0.0173, 57)] {
        let run = run(schemes, e, h)?;
        let case = format!("e = {e}, h = {h}");
        section.all_close(
            PLACE,
            &format!("p, {case}"),
            &[last_above(&run) as f64],
            &[f64::from(p)],
            (0.0, "a count"),
        );
        let far = |k: usize| {
            let [q, u] = closed(e, h, f64::from(p), k);
            (run.q[k][0] - q).abs().max((run.v[k][0] - u).abs())
        };
        let far = (0..run.t.len()).map(far).fold(0.0, f64::max);
        let rounding = if h == 0.0625 {
            (0.0, "with h = 1/16 nothing is rounded")
        } else {
            (1e-14, "rounding: q is a sum of up to a hundred terms of size 1")
        };
        section.at_most(
            PLACE,
            &format!("largest difference from the closed form, {case}"),
            far,
            rounding,
        );
        let after = run.v.get(p as usize + 1).map_or(f64::NAN, |v| v[0]);
        section.close(
            PLACE,
            &format!("u after over −u before the impact, {case}"),
            after,
            e,
            (1e-15, "rounding of a number of size 1"),
        );
    }
    let run = run(schemes, 0.5, 0.0625)?;
    section
        .table
        .push(["i", "q_i, slides", "q_i, here", "u_i, slides", "u_i, here"].map(str::to_owned).to_vec());
    for i in 12..21 {
        let [q, u] = closed(0.5, 0.0625, 15.0, i);
        let cells = [q, run.q[i][0], u, run.v[i][0]].map(number);
        section.table.push(std::iter::once(i.to_string()).chain(cells).collect());
    }
    Ok(section)
}

/// q_h → q uniformly.
pub(in crate::reproduce) fn uniform(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "The ball as h → 0",
        "After the impact q_h runs parallel to q, (1+e)((p+1)h − 1) below it: less than (1+e) h, so that positions converge \
         uniformly. Velocities converge at every t ≠ 1; at the impact the whole jump remains.",
    );
    let e = 0.5;
    let exact = |t: f64| if t < 1.0 { 1.0 - t } else { e * (t - 1.0) };
    for h in [0.27, 0.13, 0.0617, 0.0313] {
        let run = run(schemes, e, h)?;
        let far = run.t.iter().zip(&run.q).map(|(t, q)| (q[0] - exact(*t)).abs()).fold(0.0, f64::max);
        let below = (1.0 + e) * ((1.0 / h).ceil() * h - 1.0);
        section.close(
            PLACE,
            &format!("largest |q_h − q|, h = {h}: (1+e)((p+1)h − 1) [m]"),
            far,
            below,
            (1e-14, "rounding of sums of size 1"),
        );
    }
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for h in [0.27, 0.13] {
        let run = run(schemes, e, h)?;
        let label = format!("h = {h}");
        let points = run.t.iter().zip(&run.q).map(|(t, q)| (*t, q[0])).collect();
        positions.push(Item::Marked { label: label.clone(), points });
        let (v, hit): (Vec<f64>, usize) = (run.v.iter().map(|v| v[0]).collect(), last_above(&run) + 1);
        velocities.push(Item::Line { label, points: with_jumps(&run.t, &v, &run.t[hit..=hit]) });
    }
    let dashed = |points| Item::Dashed { label: "exact".into(), points };
    positions.push(dashed(vec![(0.0, 1.0), (1.0, 0.0), (END, exact(END))]));
    velocities.push(dashed(vec![(0.0, -1.0), (1.0, -1.0), (1.0, e), (END, e)]));
    let figure = |y_label: &str, items| Figure {
        x_label: "time t [s]".into(),
        y_label: y_label.into(),
        items,
        ..Figure::default()
    };
    section.figure(
        "paoli-2008-ball",
        figure("position q [m]", positions),
        "Position of the ball, e = ½",
    );
    let caption = "Velocity of the ball, e = ½: right off the impact, late at it";
    section.figure("paoli-2008-ball-velocity", figure("velocity u [m/s]", velocities), caption);
    Ok(section)
}
