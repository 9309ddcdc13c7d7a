//! Local errors of Moreau's scheme: one step from the exact state.
//!
//! ```text
//! e_q = q(t+h) − q₁,   e_v = v⁺(t+h) − v₁          v = [Acary10, eq. (39)]
//! ```

use crate::reproduce::paper::Section;
use crate::reproduce::schemes::Schemes;
use crate::reproduce::studies::{convergence, known};
use nonsmooth::analysis::Order;
use nonsmooth::analysis::exact::Exact;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::solvers::{Options, Sparse};
use nonsmooth::{Model, Simulation, State};
use std::sync::Arc;

/// Step sizes of the ladders of single steps [s].
const SIZES: [f64; 7] = [1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4, 3.125e-4, 1.5625e-4];

/// (40): the largest error of the θ-rule over functions of variation 1 on a step, against C(θ) = max(θ, 1−θ).
pub(in crate::reproduce) fn quadrature(_: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Eq. (40): quadrature of functions of bounded variation",
        "|∫f − h(θ f⁺ + (1−θ) f)| ≤ C(θ) h var f with C = max(θ, 1−θ). The left side is largest for a single jump next to an end of \
         the step; it is looked for over jumps at 1000 places, alone and in pairs of either sign.",
    );
    for theta in [0.0, 0.3, 0.5, 0.75, 1.0] {
        let n = 1000;
        let mut worst = 0.0f64;
        for i in 0..=n {
            let s = f64::from(i) / f64::from(n);
            // f = 1 after s: ∫f = 1 − s on the unit step.
            worst = worst.max((1.0 - s - theta).abs());
            for j in (i..=n).step_by(10) {
                // Up by ½ at s, down or up by ½ at r: variation 1.
                let r = f64::from(j) / f64::from(n);
                let (up, down) = (0.5 * (1.0 - s) + 0.5 * (1.0 - r), 0.5 * (r - s));
                worst = worst.max((up - theta).abs()).max(down);
            }
        }
        section
            .close(
                "eq. (40)",
                &format!("sup of the error over h var f, θ = {theta}"),
                worst,
                theta.max(1.0 - theta),
                (1e-12, "rounding of sums of size 1"),
            )
            .arithmetic();
    }
    Ok(section)
}

/// |e_q|, |e_v| of one step of size `h` that begins `part` of it before `event`.
fn errors(
    schemes: &Schemes,
    exact: &dyn Exact,
    options: &Options,
    event: f64,
    (h, part): (f64, f64),
) -> anyhow::Result<(f64, f64)> {
    let t = event - part * h;
    let (model, mut state) = exact.model()?;
    let before = exact.at(t);
    (state.t, state.q, state.v) = (t, before.q, before.v);
    let mut simulation = Simulation::new(model, state, schemes.make("moreau-jean", options)?, h)?;
    simulation.step()?;
    let (after, found) = (exact.at(t + h), &simulation.state);
    Ok(((after.q[0] - found.q[0]).abs(), (after.v[0] - found.v[0]).abs()))
}

/// Orders of |e_q| and |e_v| over `SIZES`, and the errors themselves.
type Orders = ([f64; 2], [Vec<(f64, f64)>; 2]);

fn orders(
    schemes: &Schemes,
    exact: &dyn Exact,
    options: &Options,
    event: f64,
    part: f64,
) -> anyhow::Result<Orders> {
    let mut points = [Vec::new(), Vec::new()];
    for h in SIZES {
        let (q, v) = errors(schemes, exact, options, event, (h, part))?;
        points[0].push((h, q));
        points[1].push((h, v));
    }
    Ok(([slope(&points[0]), slope(&points[1])], points))
}

fn slope(points: &[(f64, f64)]) -> f64 {
    Order::fit(points.iter().copied(), 1e-14).map_or(f64::NAN, |order| order.slope)
}

/// Judges the local orders of position and velocity. Order 0 is judged by the errors themselves: each is the whole jump.
fn judge(
    section: &mut Section,
    place: &'static str,
    (label, expected): (&str, [f64; 2]),
    points: &[Vec<(f64, f64)>; 2],
    jump: f64,
) {
    for (k, what) in ["position", "velocity"].into_iter().enumerate() {
        if expected[k] == 0.0 {
            let errors: Vec<f64> = points[k].iter().map(|(_, error)| *error).collect();
            let what =
                format!("error of the {what}, {label}: the whole jump for every h, of order 0 [m/s]");
            let rounding = (1e-12, "rounding: the step misses the jump and nothing else");
            section.all_close(place, &what, &errors, &vec![jump; errors.len()], rounding);
        } else {
            let what = format!("local order of the {what}, {label}");
            let next = (0.05, "the next term is h times the first: 5 % at the coarsest of seven steps");
            section.close(place, &what, slope(&points[k]), expected[k], next);
        }
    }
}

/// One impact inside the step, with the right and with the wrong active set.
pub(in crate::reproduce) fn impact(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Local errors: an impact inside the step",
        "One step of the ball from the exact state, the impact a third into it. With the look-ahead γ = 1 the \
         constraint is active in the step of the impact, with γ = 0 it is not.",
    );
    let (exact, event) = (known("ball")?, 1.0);
    let mut series = Vec::new();
    for (label, gamma, expected) in
        [("right active set", 1.0, [1.0, 1.0]), ("wrong active set", 0.0, [1.0, 0.0])]
    {
        let options = Options::default().with("gamma", gamma);
        let (_, points) = orders(schemes, &*exact, &options, event, 1.0 / 3.0)?;
        // From −2 to 1.
        judge(&mut section, "proposition on local errors", (label, expected), &points, 3.0);
        for (points, what) in points.into_iter().zip(["position", "velocity"]) {
            series.push((format!("{what}, {label}"), points));
        }
    }
    section.figure(
        "acary-2010-local",
        convergence("", &series, &[1]),
        "Local errors of a step with an impact inside",
    );
    Ok(section)
}

/// Take-off and accumulation inside the step.
pub(in crate::reproduce) fn other_events(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Local errors: take-off, accumulation",
        "At the take-off the contact force goes to zero continuously, and the step is as good as its regularity lets it be; at the \
         end of an accumulation the velocities are small, so the step is of order 0 at least.",
    );
    let take_off = known("take-off")?;
    let (slopes, _) = orders(schemes, &*take_off, &Options::default(), 1.0, 1.0 / 3.0)?;
    section.at_least(
        "losing contact",
        "local order of the position at the take-off",
        slopes[0],
        (1.0, "what the proposition promises; less is a fall of the order by a whole number"),
    );
    section.at_least(
        "losing contact",
        "local order of the velocity at the take-off",
        slopes[1],
        (1.0, "what the proposition promises; less is a fall of the order by a whole number"),
    );
    let ball = known("ball")?;
    let (slopes, _) = orders(schemes, &*ball, &Options::default(), 3.0, 2.0 / 3.0)?;
    section.at_least(
        "finite accumulation",
        "local order of the velocity at the accumulation",
        slopes[1],
        (0.0, "what the proposition promises: the phase of the last impacts in the step moves the constant, not the order"),
    );
    section.at_least(
        "finite accumulation",
        "local order of the position at the accumulation",
        slopes[0],
        (1.0, "what the proposition promises"),
    );
    Ok(section)
}

/// A particle that slides on the floor, held by a constant force, and hits a wall at t = 0 with velocity −1, e = ½.
fn sliding_into_a_wall(t: f64) -> anyhow::Result<(Arc<Model>, State)> {
    let mut builder = ModelBuilder::new();
    let x = -t;
    let particle = Linear::new("particle", Sparse::diagonal(&[1.0, 1.0])).load(&[0.3, -9.81]);
    // Under the force 0.3 along x: x = −t + 0.15 t², exact before the impact at t = 0.
    let particle = builder.linear(particle.initial(&[x + 0.15 * t * t, 0.0], &[-1.0 + 0.3 * t, 0.0]));
    let stop = builder.law("floor", NewtonImpact { restitution: 0.0 });
    let rebound = builder.law("wall", NewtonImpact { restitution: 0.5 });
    builder.linear_gap("floor", stop, &[(particle, 1, 1.0)], 0.0);
    builder.linear_gap("wall", rebound, &[(particle, 0, 1.0)], 0.0);
    Ok(builder.build(t)?)
}

/// One impact while another contact carries a smooth force.
pub(in crate::reproduce) fn smooth_multiplier(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Local errors: an impact beside a smooth multiplier",
        "A particle slides on the floor, which carries its weight, into a wall: the same orders as for the impact alone, and the \
         lasting contact is not disturbed.",
    );
    for (label, gamma, expected) in
        [("right active set", 1.0, [1.0, 1.0]), ("wrong active set", 0.0, [1.0, 0.0])]
    {
        let mut points = [Vec::new(), Vec::new()];
        let mut lifted = 0.0f64;
        for h in SIZES {
            let begin = -h / 3.0;
            let (model, state) = sliding_into_a_wall(begin)?;
            let scheme = schemes.make("moreau-jean", &Options::default().with("gamma", gamma))?;
            let mut simulation = Simulation::new(model, state, scheme, h)?;
            simulation.step()?;
            let (t, found) = (begin + h, &simulation.state);
            points[0].push((h, (0.5 * t + 0.15 * t * t - found.q[0]).abs()));
            points[1].push((h, (0.5 + 0.3 * t - found.v[0]).abs()));
            lifted = lifted.max(found.q[1].abs()).max(found.v[1].abs());
        }
        // From −1 to ½.
        judge(&mut section, "one impact and smooth multiplier", (label, expected), &points, 1.5);
        section.at_most(
            "one impact and smooth multiplier",
            &format!("motion of the lasting contact, {label} [m, m/s]"),
            lifted,
            (1e-12, "rounding, and the tolerance of the solves"),
        );
    }
    Ok(section)
}
