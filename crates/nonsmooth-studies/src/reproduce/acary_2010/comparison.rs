//! The two comparison slides, each line backed by a run, and the contact measure in its two parts.

use crate::reproduce::paper::Section;
use crate::reproduce::schemes::Schemes;
use crate::reproduce::studies::known;
use nonsmooth::model::UserError;
use nonsmooth::solvers::Options;
use nonsmooth::{Model, Observation, Observer, Simulation, State};
use std::sync::Arc;

fn model(name: &str) -> anyhow::Result<(Arc<Model>, State)> {
    Ok(known(name)?.model()?)
}

/// Impulses of impacts and of lasting contact, apart.
#[derive(Default)]
struct Measure {
    impacts: f64,
    lasting: f64,
    last_force: f64,
}

impl Observer for Measure {
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        let hit: f64 = frame.log.events.iter().map(|event| event.impulse[0]).sum();
        let all: f64 = frame.log.constraints.impulse.iter().sum();
        self.impacts += hit;
        self.lasting += all - hit;
        self.last_force = (all - hit) / frame.after.step_size;
        Ok(())
    }
}

/// (13): the contact measure written apart as force and impulses.
pub(in crate::reproduce) fn contact_measure(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Eq. (13): the contact measure, force and impulses apart",
        "`high-order` on the pressed oscillator: impacts carry impulses until they accumulate, then the contact carries a force. \
         Both together are what the momentum needs.",
    );
    let exact = known("pressed-oscillator")?;
    let n = 97;
    let h = exact.horizon() / n as f64;
    let (model, state) = model("pressed-oscillator")?;
    let start = state.clone();
    let mut simulation =
        Simulation::new(model, state, schemes.make("high-order", &Options::default())?, h)?;
    let mut measure = Measure::default();
    let mut forces = 0.0;
    for _ in 0..n {
        let frame = simulation.step()?;
        measure.step(&frame).map_err(|error| anyhow::anyhow!("{error}"))?;
        // q̈ + q = −1 + r: ∫(−1 − q) dt by the trapezium, corrected by the exact end slopes below.
        forces += frame.after.step_size * (-1.0 - 0.5 * (frame.before.q[0] + frame.after.q[0]));
    }
    let gained = simulation.state.v[0] - start.v[0];
    // The trapezium errs by h²/12 times the jump of slope over each smooth piece, |v| ≤ 2.
    let tolerance = h * h;
    section.close(
        "eq. (13)",
        "impulses + ∫λ dt = Δ(m v) − ∫f dt [N·s]",
        measure.impacts + measure.lasting,
        gained - forces,
        (
            tolerance,
            "the trapezium rule errs by h²/12 times the jump of slope over each smooth piece, |v| ≤ 2",
        ),
    );
    section.close(
        "eq. (13)",
        "contact force at rest [N]",
        measure.last_force,
        1.0,
        (1e-9, "the tolerance of the solves, over h"),
    );
    section.at_least(
        "eq. (13)",
        "share of the impulses of impacts before the accumulation [N·s]",
        measure.impacts,
        (1.0, "the first impact alone carries (1+e)|v| ≥ 1 N·s"),
    );
    Ok(section)
}

/// Event capturing against event tracking.
pub(in crate::reproduce) fn capturing_and_tracking(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "State of the art: capturing against tracking",
        "The slide says of time-stepping schemes: robust, able to deal with accumulation, low order even in free flight; of \
         event-driven ones: accurate in free flight, unable to deal with accumulation.",
    );
    let ball = known("ball")?;
    let end = ball.horizon();
    // A scheme that does not get through the accumulation leaves no number, and the line fails.
    let run = schemes.run(("moreau-jean", &Options::default()), model("ball")?, end / 997.0, 997);
    let rest = run.ok().and_then(|run| run.v.last().map(|v| v[0].abs())).unwrap_or(f64::NAN);
    section.at_most(
        "capturing: accumulation",
        "velocity after the accumulation, moreau-jean [m/s]",
        rest,
        (1e-12, "rounding of velocities of size 2"),
    );
    let steps = end / 97.0;
    let (built, state) = model("ball")?;
    let mut simulation =
        Simulation::new(built, state, schemes.make("event-driven", &Options::default())?, steps)?;
    let mut stopped = f64::INFINITY;
    for _ in 0..97 {
        if simulation.step().is_err() {
            stopped = simulation.state.t;
            break;
        }
    }
    section.close(
        "tracking: accumulation",
        "start of the step in which event-driven gives up [s]",
        stopped,
        3.0,
        (steps, "it gives up in the step that contains the accumulation at t = 3"),
    );
    let flight = |name: &str| -> anyhow::Result<f64> {
        let n = 15;
        let h = 1.5 / n as f64;
        // Free flight of the oscillator, before its first impact at π/2.
        let run = schemes.run((name, &Options::default()), model("oscillator")?, h, n)?;
        Ok(run.t.iter().zip(&run.q).map(|(t, q)| (q[0] - t.cos()).abs()).fold(0.0, f64::max))
    };
    section.at_least(
        "capturing: low order in free flight",
        "error of q in free flight with 15 steps, moreau-jean [m]",
        flight("moreau-jean")?,
        (1e-4, "h²/12 of the trapezium rule is 8e-4; an order higher would leave 1e-5"),
    );
    section.at_most(
        "tracking: high order in free flight",
        "error of q in free flight with 15 steps, event-driven [m]",
        flight("event-driven")?,
        (1e-10, "its Runge–Kutta method keeps 1e-12 in each step"),
    );
    Ok(section)
}

/// Moreau's scheme against that of Schatzman and Paoli.
pub(in crate::reproduce) fn moreau_and_schatzman(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Comparison: Moreau against Schatzman and Paoli",
        "The slide lists: velocity against position constraints, an impact respected in one step against two, linearised constraints.",
    );
    // One impact of a ball without forces, q₀ = 1, v₀ = −1, e = ½: the velocity jumps to ½.
    let steps = |name: &str| -> anyhow::Result<usize> {
        let mut builder = nonsmooth::model::ModelBuilder::new();
        let ball = nonsmooth::model::Linear::new("ball", nonsmooth::solvers::Sparse::diagonal(&[1.0]))
            .initial(&[1.0], &[-1.0]);
        let ball = builder.linear(ball);
        let law = builder.law("rebound", nonsmooth::laws::NewtonImpact { restitution: 0.5 });
        builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
        let run = schemes.run((name, &Options::default()), builder.build(0.0)?, 0.07, 40)?;
        Ok(run.impulses.iter().filter(|p| p[0] > 0.0).count())
    };
    section.close(
        "impact in one or two steps",
        "steps with an impulse, moreau-jean",
        steps("moreau-jean")? as f64,
        1.0,
        (0.0, "a count"),
    );
    section.close(
        "impact in one or two steps",
        "steps with an impulse, schatzman-paoli",
        steps("schatzman-paoli")? as f64,
        2.0,
        (0.0, "a count"),
    );
    let h = 1e-2;
    let overlap = |name: &str| -> anyhow::Result<(f64, f64)> {
        let run = schemes.run((name, &Options::default()), model("ball")?, h, 367)?;
        let at_rest = run.gaps[340..].iter().map(|gap| gap[0].abs()).fold(0.0, f64::max);
        Ok((run.v.last().map_or(f64::NAN, |v| v[0].abs()), at_rest))
    };
    let (moreau, schatzman) = (overlap("moreau-jean")?, overlap("schatzman-paoli")?);
    section.at_most(
        "velocity constraint",
        "velocity at rest, moreau-jean [m/s]",
        moreau.0,
        (1e-12, "rounding of velocities of size 2"),
    );
    section.at_least(
        "velocity constraint",
        "overlap that stays at rest, moreau-jean [m]",
        moreau.1,
        (1e-9, "what entered at an impact is of size h |v| = 0.02 and is never moved out; below 1e-9 it would be the tolerance of the solves"),
    );
    section.at_most(
        "position constraint",
        "overlap at rest, schatzman-paoli [m]",
        schatzman.1,
        (1e-9, "one digit above the tolerance of the solves"),
    );
    Ok(section)
}
