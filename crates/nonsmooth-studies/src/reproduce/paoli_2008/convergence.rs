//! One constraint and M(q): the scheme step by step, its errors, and the estimates of the proof.

use super::pendulum::{self, END, RESTITUTION, dot, gap, gradient, kinetic_norm, mass, solve};
use crate::reproduce::paper::{Section, number};
use crate::reproduce::schemes::Schemes;
use crate::reproduce::studies::{Measure, convergence, series, slope};
use nonsmooth::analysis::{Ladder, Order, Reference, Runs, Study};
use nonsmooth::model::UserError;
use nonsmooth::observers::Trajectory;
use nonsmooth::solvers::Options;
use nonsmooth::{Observation, Observer, Simulation};
use nonsmooth_draw::plot::{Figure, Item, with_jumps};

const SCHEME: &str = "moreau-paoli";
/// Locates impacts and keeps 1e-12 between them: exact beside errors of 1e-3.
const EXACT: &str = "event-driven";

fn run(schemes: &Schemes, name: &str, n: u64) -> anyhow::Result<Trajectory> {
    schemes.run((name, &Options::default()), pendulum::model()?, END / n as f64, n)
}

/// u⁺ by the formula of the scheme, from u, at q⁺ with f taken at (q⁺, u⁺).
fn by_formula(q: &[f64], u: &[f64], u_plus: &[f64], h: f64) -> [f64; 2] {
    let (e, m, n) = (RESTITUTION, mass(q), gradient(q));
    let kick = solve(m, pendulum::force(q, u_plus));
    let mut w = [0, 1].map(|i| u[i] + h / (1.0 + e) * kick[i]);
    if gap(q) <= 0.0 && dot(n, w) < 0.0 {
        let out = solve(m, n);
        let size = dot(n, w) / dot(n, out);
        w = [0, 1].map(|i| w[i] - size * out[i]);
    }
    [0, 1].map(|i| -e * u[i] + (1.0 + e) * w[i])
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// What the slides list as properties, at every step.
pub(in crate::reproduce) fn properties(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "Properties of the scheme, on a double pendulum beside a wall",
        "Two unit masses on two unit rods, let go at (1.2, 0.4) rad, e = ½: the second mass hits the vertical through the pivot. Both \
         M and ∇g depend on q. Each step of a run is compared with the formula of the slides, written out by hand.",
    );
    let n = 2003;
    let (run, h) = (run(schemes, SCHEME, n)?, END / n as f64);
    let steps = 0..n as usize;
    let drift = |k: usize| {
        let q = [0, 1].map(|i| run.q[k][i] + h * run.v[k][i]);
        difference(&q, &run.q[k + 1])
    };
    let worst = steps.clone().map(drift).fold(0.0, f64::max);
    section.at_most(
        "scheme",
        "largest |q⁺ − q − h u| [rad]",
        worst,
        (1e-15, "rounding of angles of size 1"),
    );
    let formula = |k: usize| {
        let (q, u, next) = (&run.q[k + 1], &run.v[k], &run.v[k + 1]);
        difference(&by_formula(q, u, next, h), next)
    };
    // Newton's iteration stops at a change of 1e-12 of velocities of size 3.
    let worst = steps.clone().map(formula).fold(0.0, f64::max);
    section.at_most(
        "scheme",
        "largest |u⁺ − (−e u + (1+e) proj(V, …))| [rad/s]",
        worst,
        (1e-11, "Newton's iteration stops at a change of 1e-12 of velocities of size 3"),
    );
    let flying = |k: &usize| gap(&run.q[k + 1]) > 0.0 && *k + 2 < run.q.len();
    let acceleration = |k: usize| {
        let of = |i: usize| (run.q[k + 2][i] - 2.0 * run.q[k + 1][i] + run.q[k][i]) / (h * h);
        let free = solve(mass(&run.q[k + 1]), pendulum::force(&run.q[k + 1], &run.v[k + 1]));
        difference(&[of(0), of(1)], &free)
    };
    // Rounding of positions of size 1, over h².
    let rounding = 4.0 * f64::EPSILON / (h * h);
    let worst = steps.clone().filter(flying).map(acceleration).reduce(f64::max).unwrap_or(f64::NAN);
    let what = "largest |(q_{i+2} − 2q_{i+1} + q_i)/h² − M⁻¹f| where q_{i+1} ∈ Int K [rad/s²]";
    section.at_most("properties", what, worst, (rounding, "rounding of positions of size 1, over h²"));
    let closed = |k: &usize| gap(&run.q[k + 1]) <= 0.0;
    let mean = |k: usize| {
        let w = [0, 1].map(|i| (run.v[k + 1][i] + RESTITUTION * run.v[k][i]) / (1.0 + RESTITUTION));
        dot(gradient(&run.q[k + 1]), w)
    };
    let least = steps.filter(closed).map(mean).reduce(f64::min).unwrap_or(f64::NAN);
    // Newton's iteration and the solver leave 1e-12.
    let what = "least ∇g·(u⁺ + e u)/(1+e) where g(q⁺) ≤ 0, so that it is in V(q⁺) [m/s]";
    section.at_least(
        "properties",
        what,
        least,
        (-1e-11, "Newton's iteration and the solver leave 1e-12"),
    );
    draw(schemes, &run, &mut section)?;
    Ok(section)
}

/// Angles, and velocities of the tip against the wall.
fn draw(schemes: &Schemes, ours: &Trajectory, section: &mut Section) -> anyhow::Result<()> {
    let exact = run(schemes, EXACT, 520)?;
    let tip = |run: &Trajectory| -> Vec<(f64, f64)> {
        run.t.iter().zip(&run.q).map(|(t, q)| (*t, gap(q))).collect()
    };
    let figure = |y_label: &str, items| Figure {
        x_label: "time t [s]".into(),
        y_label: y_label.into(),
        items,
        ..Figure::default()
    };
    let coarse = run(schemes, SCHEME, 131)?;
    let items = vec![
        Item::Line { label: "h = 0.02".into(), points: tip(&coarse) },
        Item::Line { label: "h = 0.0013".into(), points: tip(ours) },
        Item::Dashed { label: "event-driven".into(), points: tip(&exact) },
    ];
    section.figure(
        "paoli-2008-pendulum",
        figure("distance from the wall g(q) [m]", items),
        "The second mass and the wall",
    );
    let hits: Vec<f64> =
        ours.t.iter().zip(&ours.impulses).filter(|(_, p)| p[0] > 0.0).map(|(t, _)| *t).collect();
    let velocity = |i: usize| {
        let v: Vec<f64> = ours.v.iter().map(|v| v[i]).collect();
        with_jumps(&ours.t, &v, &hits)
    };
    let items = vec![
        Item::Line { label: "first rod".into(), points: velocity(0) },
        Item::Line { label: "second rod".into(), points: velocity(1) },
    ];
    let caption = "Velocities of both rods jump at an impact: M(q) couples them";
    section.figure("paoli-2008-pendulum-velocity", figure("angular velocity u [rad/s]", items), caption);
    Ok(())
}

/// Runs on each rung, so that the impacts fall on all parts of their steps.
const PHASES: usize = 16;

const MEASURES: [Measure; 3] =
    [("q, maximum", |run| run.q.maximum), ("q, L1", |run| run.q.l1), ("v, L1", |run| run.v.l1)];

/// Ladder of step numbers from 520 to 13000, against the located events.
fn study(schemes: &Schemes) -> anyhow::Result<Runs> {
    let ladder = Ladder::new((0.0, END), (5e-3, 2e-4), 5, PHASES)?;
    // Whether it can be made at all is told before the factory is called.
    schemes.make(SCHEME, &Options::default())?;
    schemes.make(EXACT, &Options::default())?;
    let study = Study {
        ladder: &ladder,
        model: &pendulum::model,
        integrator: &|| schemes.make(SCHEME, &Options::default()).expect("looked at above"),
        reference: Reference::Run {
            integrator: &|| schemes.make(EXACT, &Options::default()).expect("looked at above"),
            steps: 2000,
        },
        coordinates: &[],
        threads: schemes.threads(),
        progress: &|| (),
    };
    Ok(study.run()?)
}

/// Times of impacts.
#[derive(Default)]
struct Impacts(Vec<f64>);

impl Observer for Impacts {
    fn step(&mut self, frame: &Observation<'_>) -> Result<(), UserError> {
        self.0.extend(frame.log.events.iter().map(|event| event.t));
        Ok(())
    }
}

/// Largest error of u_h at `times`, where it is the velocity of the last node.
fn pointwise(schemes: &Schemes, n: u64, times: &[(f64, Vec<f64>)]) -> anyhow::Result<f64> {
    let run = run(schemes, SCHEME, n)?;
    let at = |t: f64| &run.v[run.t.partition_point(|node| *node <= t) - 1];
    Ok(times.iter().map(|(t, v)| difference(at(*t), v)).fold(0.0, f64::max))
}

/// Times of the impacts, and the exact velocities at times at least 0.05 s from them.
struct Sample {
    impacts: Vec<f64>,
    velocities: Vec<(f64, Vec<f64>)>,
}

fn sample(schemes: &Schemes) -> anyhow::Result<Sample> {
    let n = 52u64;
    let (model, state) = pendulum::model()?;
    let integrator = schemes.make(EXACT, &Options::default())?;
    let mut simulation = Simulation::new(model, state, integrator, END / n as f64)?;
    let (mut exact, mut impacts) = (Trajectory::default(), Impacts::default());
    simulation.run(n, &mut [&mut exact, &mut impacts])?;
    let off = |t: f64| impacts.0.iter().all(|impact| (t - impact).abs() > 0.05);
    let velocities = exact.t.iter().copied().zip(exact.v).filter(|(t, _)| off(*t)).collect();
    Ok(Sample { velocities, impacts: impacts.0 })
}

/// Uniform convergence of positions, pointwise convergence of velocities.
pub(in crate::reproduce) fn errors(schemes: &Schemes) -> anyhow::Result<Section> {
    const PLACE: &str = "theorem, one constraint";
    let mut section = Section::new(
        "Convergence with M(q)",
        "Errors of the double pendulum against a run that locates its impacts, over a ladder of incommensurate steps. Positions \
         converge uniformly and velocities at every time off the impacts; the slides prove it without a rate, and the rate is one.",
    );
    let Sample { impacts, velocities: times } = sample(schemes)?;
    section.at_least(
        PLACE,
        "impacts up to t = 2.6 s",
        impacts.len() as f64,
        (2.0, "a count: theorem and figure need more than one impact"),
    );
    let runs = study(schemes)?;
    for (label, error) in MEASURES {
        section.close(PLACE, &format!("order in {label}"), slope(&runs, error), 1.0, (0.12, "five rungs of sixteen phases: the phase of an impact in its step leaves a spread of 0.1"));
    }
    let mut points = Vec::new();
    for rung in [521u64, 1163, 2602, 5818, 13009] {
        let phases = (0..PHASES as u64).map(|k| rung + k * rung / (10 * PHASES as u64));
        let mut mean = 0.0;
        for n in phases {
            mean += pointwise(schemes, n, &times)?.ln() / PHASES as f64;
        }
        points.push((END / rung as f64, mean.exp()));
    }
    let order = Order::fit(points.iter().copied(), 0.0).map_or(f64::NAN, |order| order.slope);
    let what = format!("order in v at {} times off the impacts", times.len());
    section.close(PLACE, &what, order, 1.0, (0.12, "the same spread of 0.1"));
    let mut all = series(&runs, &MEASURES);
    all.push(("v off the impacts".to_owned(), points));
    section.figure(
        "paoli-2008-convergence",
        convergence("", &all, &[1]),
        "Errors of the double pendulum over the step size",
    );
    Ok(section)
}

/// Largest ‖u‖_q, variation of u, largest velocity towards the wall, largest penetration.
fn extremes(run: &Trajectory) -> [f64; 4] {
    let rows = || run.q.iter().zip(&run.v);
    [
        rows().map(|(q, u)| kinetic_norm(q, u)).fold(0.0, f64::max),
        run.v.windows(2).map(|u| (u[1][0] - u[0][0]).hypot(u[1][1] - u[0][1])).sum(),
        rows().map(|(q, u)| -dot(gradient(q), [u[0], u[1]])).fold(0.0, f64::max),
        run.gaps.iter().fold(0.0, |m, gap| m.max(-gap[0])),
    ]
}

/// Speed, variation and penetration of the approximate solutions.
pub(in crate::reproduce) fn estimates(schemes: &Schemes) -> anyhow::Result<Section> {
    let mut section = Section::new(
        "The estimates of the proof",
        "The proof needs ‖u_h‖ and the variation of u_h bounded whatever h is, and finds q ∈ K in the limit. No motion of the \
         pendulum has more kinetic energy than it can fall: ‖u‖² ≤ R² = 2(V(q₀) − V(0)).",
    );
    let radius = (2.0 * (pendulum::potential(&pendulum::START) - pendulum::potential(&[0.0; 2]))).sqrt();
    let [fastest, variation, approach, _] = extremes(&run(schemes, EXACT, 26_000)?);
    let head = [
        "h [s]",
        "largest ‖u_h‖",
        "variation of u_h",
        "largest penetration [m]",
        "penetration / h [m/s]",
    ];
    section.table.push(head.map(str::to_owned).to_vec());
    let mut most = [0.0f64; 3];
    let mut finest = [f64::NAN; 2];
    for n in [131u64, 263, 521, 1049, 2099, 4201, 8419] {
        let h = END / n as f64;
        let [speed, var, _, depth] = extremes(&run(schemes, SCHEME, n)?);
        section.table.push([h, speed, var, depth, depth / h].map(number).to_vec());
        most = [most[0].max(speed), most[1].max(var), most[2].max(depth / h)];
        finest = [h, speed];
    }
    section
        .table
        .push(["h → 0", &number(fastest), &number(variation), "0", ""].map(str::to_owned).to_vec());
    section.at_most(
        "energy estimate",
        "largest ‖u_h‖ for any h, ≤ R [m/s]",
        most[0],
        (radius, "the bound of the theorem"),
    );
    section.close(
        "limsup",
        "largest ‖u_h‖ at the finest step, against that of the limit [m/s]",
        finest[1],
        fastest,
        (5.0 * finest[0], "order one: at the coarsest step the difference is 4.2 h"),
    );
    section.at_most(
        "bounded in BV",
        "largest variation of u_h for any h, against 1.01 of the limit's [rad/s]",
        most[1],
        (1.01 * variation, "in the two intervals with an impact, 1e-4 s each, the motion before it is missing in the limit's: 1 % has room"),
    );
    section.at_most(
        "q ∈ K",
        "largest penetration over h, at most the velocity towards the wall [m/s]",
        most[2],
        (1.01 * approach, "g(q + h u) ≥ h ∇g·u from a q in K, up to O(h²): 1 % has room"),
    );
    Ok(section)
}
