//! acary-2006: the bouncing ball of the template and its four figures.

use super::paper::{Paper, Section};
use super::schemes::Schemes;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::UserError;
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::observers::Trajectory;
use nonsmooth::solvers::Options;
use nonsmooth::solvers::Sparse;
use nonsmooth::{Model, Simulation};
use nonsmooth::{Observation, Observer, State};
use nonsmooth_draw::plot::{Figure, Item, with_jumps};
use std::sync::Arc;

pub(super) const PAPER: Paper = Paper {
    key: "acary-2006",
    title: "V. Acary, template of the bouncing ball: Lagrangian nonsmooth systems and Moreau's time stepping",
    about: "A ball of radius 0.1 m, dropped from 1 m on a rigid plane, restitution 0.9, h = 5 ms, θ = ½. The paper prints four \
        figures without numbers; the numbers judged here follow from its equations. Read with e ẏ_i in Algorithm 1 (the paper has \
        e y_i there) and with p = h λ for the impulse.",
    sections: &[figures],
};

const MASS: f64 = 1.0;
const RADIUS: f64 = 0.1;
const GRAVITY: f64 = 9.81;
const RESTITUTION: f64 = 0.9;
const STEP: f64 = 0.005;
const STEPS: u64 = 2000;

fn ball() -> Result<(Arc<Model>, State), nonsmooth::model::ModelError> {
    let mut builder = ModelBuilder::new();
    let inertia = 0.6 * MASS * RADIUS * RADIUS;
    let ball = Linear::new("ball", Sparse::diagonal(&[MASS, MASS, inertia]))
        .load(&[-MASS * GRAVITY, 0.0, 0.0])
        .initial(&[1.0, 0.0, 0.0], &[0.0; 3]);
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: RESTITUTION });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], -RADIUS);
    builder.build(0.0)
}

/// Energies after each step: kinetic, potential, and the work of the contact, at impacts and while it lasts.
#[derive(Default)]
struct Energies(Vec<[f64; 3]>, EnergyLedger);

impl Observer for Energies {
    fn start(&mut self, model: &Model, state: &State) -> Result<(), UserError> {
        self.1.start(model, state)?;
        self.push();
        Ok(())
    }
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        self.1.step(frame)?;
        self.push();
        Ok(())
    }
}

impl Energies {
    fn push(&mut self) {
        let EnergyLedger { energies, total, .. } = &self.1;
        self.0.push([energies.kinetic, energies.potential, total.impact + total.contact]);
    }
}

fn figures(schemes: &Schemes) -> anyhow::Result<Section> {
    let (model, state) = ball()?;
    let integrator = schemes.make("moreau-jean", &Options::default())?;
    let mut simulation = Simulation::new(model, state, integrator, STEP)?;
    let (mut run, mut energies) = (Trajectory::default(), Energies::default());
    simulation.run(STEPS, &mut [&mut run, &mut energies])?;
    let mut section = Section::new(
        "Figure 2: position, velocity, reaction, energy",
        "Steps of 5 ms for 10 s: the bounces shorten, accumulate, and the ball rests.",
    );
    judge_motion(&run, &mut section);
    judge_reaction(&run, &energies, &mut section);
    draw(&run, &energies, &mut section);
    Ok(section)
}

fn judge_motion(run: &Trajectory, section: &mut Section) {
    let first = run.impulses.iter().position(|p| p[0] > 0.0).unwrap_or(1);
    let fall = (2.0 * (1.0 - RADIUS) / GRAVITY).sqrt();
    let late = 1.5 * STEP;
    section.close("fig. 2(a)", "time of the first impact √(2(z₀−R)/g) [s]", run.t[first], fall, (late, "an impact is found when y + ½ h u ≤ 0 at the start of a step and reported at its end: 1.5 h"));
    let second = (first + 1..run.t.len()).find(|&k| run.impulses[k][0] > 0.0).unwrap_or(first + 1);
    let top = run.q[first..second].iter().map(|q| q[0]).fold(0.0, f64::max);
    let height = RADIUS + RESTITUTION * RESTITUTION * (1.0 - RADIUS);
    let late = 2.0 * STEP * GRAVITY * fall;
    section.close(
        "fig. 2(a)",
        "height of the first rebound R + e²(z₀−R) [m]",
        top,
        height,
        (late, "the impact is up to a step early or late, at 4.2 m/s: 2 h |v|"),
    );
    let (before, after) = (run.v[first - 1][0] - STEP * GRAVITY, run.v[first][0]);
    section.close(
        "fig. 2(b)",
        "velocity after over before the first impact",
        -after / before,
        RESTITUTION,
        (STEP / fall, "the law takes the velocity at the start of the step, a kick h g earlier, of g times the fall"),
    );
    let last = run.v.last().map_or(f64::NAN, |v| v[0]);
    section.close(
        "fig. 2(b)",
        "velocity at rest [m/s]",
        last,
        0.0,
        (1e-12, "rounding of velocities of size 4"),
    );
    let deepest = run.gaps.iter().map(|gap| -gap[0]).fold(0.0, f64::max);
    section.at_most(
        "fig. 2(a)",
        "largest penetration, at most ½ h |v| [m]",
        deepest,
        (
            0.5 * STEP * GRAVITY * fall,
            "contact is found half a step ahead, so that the ball enters by at most half a step",
        ),
    );
}

fn judge_reaction(run: &Trajectory, energies: &Energies, section: &mut Section) {
    let force = run.impulses.last().map_or(f64::NAN, |p| p[0]) / STEP;
    section.close(
        "fig. 2(c)",
        "reaction at rest p/h = m g [N]",
        force,
        MASS * GRAVITY,
        (1e-9, "the tolerance of the solves, over h"),
    );
    let total: f64 = run.impulses.iter().map(|p| p[0]).sum();
    let t = run.t.last().copied().unwrap_or(0.0);
    section.close(
        "fig. 2(c)",
        "sum of impulses = m g t, since it ends at rest [N·s]",
        total,
        MASS * GRAVITY * t,
        (1e-9, "rounding of 2000 impulses of size 0.05 to 8"),
    );
    let initial = energies.1.initial.kinetic + energies.1.initial.potential;
    section.at_most(
        "fig. 2(d)",
        "largest error of the energy balance in a step, relative",
        energies.1.worst_remainder / initial,
        (1e-13, "rounding of a sum of five terms"),
    );
    let rising = energies.0.windows(2).map(|e| e[1][2] - e[0][2]).fold(0.0, f64::max) / initial;
    section.at_most("fig. 2(d)", "largest work gained by contact in a step, relative", rising, (1e-5, "a ball that still overlaps when it already separates gets a last impulse, against the sign of dissipation: at most h m g at a velocity of h g, 2.5e-4 of the energy; a twentieth of it"));
}

fn draw(run: &Trajectory, energies: &Energies, section: &mut Section) {
    let series = |x: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        run.t.iter().enumerate().map(|(k, t)| (*t, x(k))).collect()
    };
    let figure = |y_label: &str, items: Vec<Item>| Figure {
        x_label: "time t [s]".into(),
        y_label: y_label.into(),
        items,
        ..Figure::default()
    };
    let line = |label: &str, points| Item::Line { label: label.into(), points };
    let position = figure("position z [m]", vec![line("", series(&|k| run.q[k][0]))]);
    section.figure("acary-2006-position", position, "Figure 2(a): position of the ball");
    let v: Vec<f64> = run.v.iter().map(|v| v[0]).collect();
    let hits = run.t.iter().zip(&run.impulses).filter(|(_, p)| p[0] > 0.0);
    let hits: Vec<f64> = hits.map(|(t, _)| *t).collect();
    let jumps = with_jumps(&run.t, &v, &hits);
    section.figure(
        "acary-2006-velocity",
        figure("velocity v [m/s]", vec![line("", jumps)]),
        "Figure 2(b): velocity of the ball",
    );
    let stems = Item::Stems {
        label: String::new(),
        points: series(&|k| run.impulses[k][0] / STEP).into_iter().filter(|(_, p)| *p > 0.0).collect(),
    };
    section.figure(
        "acary-2006-reaction",
        figure("reaction p/h [N]", vec![stems]),
        "Figure 2(c): reaction, as a mean force over each step",
    );
    let energy = vec![
        line("kinetic", series(&|k| energies.0[k][0])),
        line("potential", series(&|k| energies.0[k][1])),
        line("total", series(&|k| energies.0[k][0] + energies.0[k][1])),
        line("work of contact", series(&|k| energies.0[k][2])),
    ];
    section.figure("acary-2006-energy", figure("energy [J]", energy), "Figure 2(d): energy balance");
}
