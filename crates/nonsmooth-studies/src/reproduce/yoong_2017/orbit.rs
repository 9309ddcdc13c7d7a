//! The periodic motion with one hit and one stick, over the step size and in the limit h → 0.
//!
//! ```text
//! free    ü₁ = u₂ − 2u₁,  ü₂ = u₁ − u₂           until u₂ = 1
//! hit     u̇₂ → 0,  |u̇₁| → (u̇₁² + u̇₂²)^½           stick if u₁ > 1, else on
//! stick   ü₁ = 1 − 2u₁,  u₂ = 1                   until u₁ = 1
//! ```
//!
//! A stick ends at u = (1, 1), u̇₂ = 0. With the energy of 100 J that leaves u̇₁ = −√199: there is one orbit, and whatever
//! sticks once is on it.

use super::{masses, modified};
use crate::reproduce::paper::{Section, number};
use crate::reproduce::schemes::Schemes;
use crate::reproduce::studies::convergence;
use nonsmooth::analysis::{Order, Rung};
use nonsmooth::model::UserError;
use nonsmooth::{Observation, Observer, Simulation};
use nonsmooth_draw::plot::Figure;

/// u₁, u₂, u̇₁, u̇₂.
type Point = [f64; 4];

/// u̇₁ where the second mass leaves the wall [m/s].
fn leaving_velocity() -> f64 {
    -199f64.sqrt()
}

/// Free motion from `x` after time t, by the two modes ω² = (3 ∓ √5)/2.
fn free(x: Point, t: f64) -> Point {
    let mut out = [0.0; 4];
    for sign in [-1.0, 1.0] {
        let square = 0.5 * (3.0 + sign * 5f64.sqrt());
        let (omega, shape) = (square.sqrt(), [1.0, 2.0 - square]);
        let size = shape[0] * shape[0] + shape[1] * shape[1];
        let (q, v) = ((x[0] + shape[1] * x[1]) / size, (x[2] + shape[1] * x[3]) / size);
        let (s, c) = (omega * t).sin_cos();
        for i in 0..2 {
            out[i] += shape[i] * (q * c + v / omega * s);
            out[2 + i] += shape[i] * (v * c - q * omega * s);
        }
    }
    out
}

/// Motion from `x` with the second mass at the wall.
fn held(x: Point, t: f64) -> Point {
    let (omega, q) = (2f64.sqrt(), x[0] - 0.5);
    let (s, c) = (omega * t).sin_cos();
    [0.5 + q * c + x[2] / omega * s, 1.0, x[2] * c - q * omega * s, 0.0]
}

/// The first time at which `f` turns from negative to positive.
fn crossing(f: impl Fn(f64) -> f64) -> f64 {
    // Far below the periods of the modes; from the second place on, since the start itself may be a zero.
    let grid = |k: u32| 1e-3 * f64::from(k);
    let k = (1..100_000).find(|&k| f(grid(k)) < 0.0 && f(grid(k + 1)) >= 0.0).unwrap_or(1);
    let (mut low, mut high) = (grid(k), grid(k + 1));
    // Down to neighbouring numbers.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    high
}

/// Time in contact and period of the orbit in the limit.
struct Limit {
    stick: f64,
    period: f64,
}

fn limit() -> Limit {
    let (mut x, mut t) = ([1.0, 1.0, leaving_velocity(), 0.0], 0.0);
    loop {
        let flight = crossing(|t| free(x, t)[1] - 1.0);
        let [u, _, v, w] = free(x, flight);
        (x, t) = ([u, 1.0, v.signum() * v.hypot(w), 0.0], t + flight);
        if u > 1.0 {
            let stick = crossing(|t| 1.0 - held(x, t)[0]);
            return Limit { stick, period: t + stick };
        }
    }
}

/// A time in contact.
struct Phase {
    /// When it begins [s].
    t: f64,
    /// How many steps it lasts.
    steps: u64,
    /// u̇₁ at its end [m/s].
    v: f64,
}

#[derive(Default)]
struct Phases {
    all: Vec<Phase>,
    is_closed: bool,
}

impl Observer for Phases {
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        let was_closed = self.is_closed;
        self.is_closed = frame.log.constraints.impulse.iter().any(|p| *p > 0.0);
        let v = frame.after.v[0];
        match self.all.last_mut() {
            Some(phase) if self.is_closed && was_closed => (phase.steps, phase.v) = (phase.steps + 1, v),
            _ if self.is_closed => self.all.push(Phase { t: frame.after.t, steps: 1, v }),
            _ => {}
        }
        Ok(())
    }
}

/// What a run with steps of `h` shows of the orbit.
struct Orbit {
    h: f64,
    period: f64,
    stick: f64,
    v: f64,
    /// Times in contact that break the pattern hit, stick, hit, stick.
    others: usize,
}

fn orbit(schemes: &Schemes, h: f64) -> anyhow::Result<Orbit> {
    let (name, options) = modified();
    let (model, state) = masses()?;
    let mut simulation = Simulation::new(model, state, schemes.make(name, &options)?, h)?;
    let mut phases = Phases::default();
    simulation.run((60.0 / h) as u64, &mut [&mut phases])?;
    // After a transient; complete phases only.
    let late: Vec<&Phase> = phases.all.iter().filter(|phase| phase.t > 20.0 && phase.t < 58.0).collect();
    let breaks =
        |w: &&[&Phase]| w[0].steps.min(w[1].steps) != 1 || (w[0].steps.max(w[1].steps) as f64) * h < 0.5;
    let others = late.windows(2).filter(breaks).count();
    let (Some(first), true) = (late.first(), late.len() > 2) else {
        anyhow::bail!("h = {h}: {} phases of contact after 20 s", late.len());
    };
    let n = (late.len() - 1) / 2;
    let longest = late.iter().max_by_key(|phase| phase.steps).unwrap_or(first);
    let period = (late[2 * n].t - first.t) / n as f64;
    Ok(Orbit { h, period, stick: longest.steps as f64 * h, v: longest.v, others })
}

/// Mean sizes of the errors of period, stick and lift-off over nearby step numbers.
fn rung(
    schemes: &Schemes,
    per_second: u32,
    limit: &Limit,
) -> anyhow::Result<([Option<Rung>; 3], usize)> {
    let mut errors = [const { Vec::new() }; 3];
    let mut others = 0;
    for phase in 0..8 {
        let Orbit { h, period, stick, v, others: more } =
            orbit(schemes, 1.0 / (f64::from(per_second) * (1.0 + 0.0123 * f64::from(phase))))?;
        for (errors, error) in
            errors.iter_mut().zip([period - limit.period, stick - limit.stick, v - leaving_velocity()])
        {
            errors.push((h, error.abs()));
        }
        others += more;
    }
    Ok((errors.map(Rung::new), others))
}

/// One hit and one stick per period; the period over h.
pub(in crate::reproduce) fn periodic(schemes: &Schemes) -> anyhow::Result<Section> {
    const PLACE: &str = "periodic solution";
    let mut section = Section::new(
        "A periodic motion with sticking",
        "After a transient the modified scheme repeats one hit of a single step and one long stick. The limit h → 0 can be \
         followed exactly, from one wall contact to the next, by the modes of the two masses. A stick ends with both masses at the \
         wall and u̇₂ = 0; with all energy kept, u̇₁ = −√199 is then the only velocity left to the first mass. So there is a single \
         orbit, and what sticks once is on it.",
    );
    let limit = limit();
    section
        .table
        .push(["h [s]", "period [s]", "stick [s]", "u̇₁ at lift-off [m/s]"].map(str::to_owned).to_vec());
    let (mut rungs, mut others) = ([const { Vec::new() }; 3], Vec::new());
    for per_second in [500, 1000, 2000, 4000] {
        let Orbit { h, period, stick, v, .. } = orbit(schemes, 1.0 / f64::from(per_second))?;
        section.table.push([h, period, stick, v].map(number).to_vec());
        let (measured, more) = rung(schemes, per_second, &limit)?;
        rungs.iter_mut().zip(measured).for_each(|(rungs, rung)| rungs.extend(rung));
        others.push(more as f64);
    }
    let exact = [limit.period, limit.stick, leaving_velocity()].map(number);
    section.table.push(std::iter::once("0".to_owned()).chain(exact).collect());
    let what = "contacts out of the pattern hit, stick after 20 s, for each step size";
    section.all_close(PLACE, what, &others, &[0.0; 4], (0.0, "a count"));
    let finest = orbit(schemes, 1.0 / 4000.0)?;
    // A hit and a stick are both seen up to a step late and a step deep.
    let what = "period at h = 1/4000, against the limit [s]";
    section.close(
        PLACE,
        what,
        finest.period,
        limit.period,
        (4.0 * finest.h, "a hit and a stick are both found up to a step late and a step deep: 4 h"),
    );
    let [period, stick, velocity] = &rungs;
    for (name, rungs) in [("period", period), ("velocity at lift-off", velocity)] {
        let order = Order::of_means(rungs, 0.0).map_or(f64::NAN, |order| order.slope);
        section.close(
            PLACE,
            &format!("order of the {name} against the limit"),
            order,
            1.0,
            (0.2, "eight phases on each of four rungs: the grid of h leaves a spread of 0.1"),
        );
    }
    // Its two ends lie on the grid.
    let steps = stick.iter().map(|rung| rung.maximum / rung.step_size).fold(0.0, f64::max);
    section.at_most(
        PLACE,
        "largest error of the stick, in steps",
        steps,
        (2.0, "its two ends lie on the grid of h"),
    );
    let points = |rungs: &[Rung]| rungs.iter().map(|rung| (rung.step_size, rung.mean)).collect();
    let series = [
        ("period [s]".to_owned(), points(period)),
        ("velocity at lift-off [m/s]".to_owned(), points(velocity)),
    ];
    let figure = Figure { y_label: "error against the limit".into(), ..convergence("", &series, &[1]) };
    section.figure("yoong-2017-period", figure, "Period and velocity at lift-off converge with h");
    Ok(section)
}
