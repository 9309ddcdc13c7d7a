//! Springs and dampers between bodies: frequency, order, energy, stiffness, certificate.

use crate::body_kit::{about, body, order, run, schemes};
use nonsmooth::integrators::MoreauJean;
use nonsmooth::model::rigid::Body;
use nonsmooth::model::{Anchor, ModelBuilder, Rigid, Spring};
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{Integrator, Simulation};

const UNIT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];

fn spring(ends: [(Rigid, [f64; 3]); 2], stiffness: f64, damping: f64, rest_length: f64) -> Spring {
    let ends = ends.map(|(on, at)| Anchor { on, at });
    Spring { name: "spring".to_owned(), ends, stiffness, damping, rest_length }
}

/// Two bodies on the x axis, 1 m apart, pulled apart by 0.1 m.
fn pair(m: [f64; 2], stiffness: f64, damping: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let ends = [0, 1].map(|i| {
        let position = [1.1 * i as f64, 0.0, 0.0];
        (builder.body(Body { position, ..Body::new(["a", "b"][i], m[i], UNIT) }), [0.0; 3])
    });
    builder.spring(spring(ends, stiffness, damping, 1.0));
    builder
}

/// The distance of the two is 1 + 0.1 e^{−δt} (cos νt + δ/ν sin νt) with m = m₁m₂/(m₁ + m₂).
fn distance(t: f64, m: [f64; 2], stiffness: f64, damping: f64) -> f64 {
    let m = m[0] * m[1] / (m[0] + m[1]);
    let delta = 0.5 * damping / m;
    let nu = (stiffness / m - delta * delta).sqrt();
    1.0 + 0.1 * (-delta * t).exp() * ((nu * t).cos() + delta / nu * (nu * t).sin())
}

fn scheme(name: &str) -> Box<dyn Integrator> {
    schemes().into_iter().find(|(known, _)| *known == name).expect("it is right").1
}

fn energy(ledger: &EnergyLedger) -> [f64; 2] {
    [ledger.initial, ledger.energies].map(|e| e.kinetic + e.potential)
}

#[test]
fn two_masses_swing_with_the_reduced_mass() {
    let m = [2.0, 3.0];
    for (name, _) in schemes() {
        for damping in [0.0, 4.0] {
            let error = |n: u64| {
                let (simulation, _) = run(pair(m, 500.0, damping), scheme(name), 1.0 / n as f64, n);
                let q = &simulation.state.q;
                // The centre of mass does not move.
                assert!((m[0] * q[0] + m[1] * q[7] - 3.3).abs() < 1e-12);
                (q[7] - q[0] - distance(1.0, m, 500.0, damping)).abs()
            };
            let (coarse, fine) = (error(200), error(400));
            assert!(fine < 1e-3, "{name} {damping}: {fine}");
            let order = order(coarse, fine, 2.0);
            assert!((1.9..2.1).contains(&order), "{name}, damping {damping}: order {order}");
        }
    }
}

/// Along a line the spring is linear: the midpoint rule keeps its energy, the ledger closes, damping takes the rest.
#[test]
fn energy_along_a_line() {
    for (name, _) in schemes() {
        let (_, ledger) = run(pair([2.0, 3.0], 500.0, 0.0), scheme(name), 5e-3, 10_000);
        let [before, after] = energy(&ledger);
        let bound = if name == "kick-drift" { 1e-2 } else { 1e-10 };
        assert!((after / before - 1.0).abs() < bound, "{name}: {before} {after}");
        let (_, ledger) = run(pair([2.0, 3.0], 500.0, 4.0), scheme(name), 5e-3, 2000);
        assert!(ledger.worst_remainder < 1e-13 * ledger.scale, "{name}: {:e}", ledger.worst_remainder);
        let viscous = ledger.total.viscous / -energy(&ledger)[0];
        let bound = if name == "kick-drift" { 1e-2 } else { 1e-9 };
        assert!((viscous - 1.0).abs() < bound, "{name}: {:?}", ledger.total);
        if name == "moreau-jean" {
            assert!(ledger.total.scheme.abs() < 1e-12 * ledger.scale, "{:?}", ledger.total);
        }
    }
}

/// ω h = 10⁴: implicit, so bounded with θ = ½ and damped with θ = 1.
#[test]
fn a_stiff_spring_allows_a_large_step() {
    for (name, _) in schemes() {
        let (simulation, _) = run(pair([1.0, 1.0], 1e10, 0.0), scheme(name), 0.1, 1000);
        let q = &simulation.state.q;
        assert!((q[7] - q[0] - 1.0).abs() < 0.1 + 1e-6, "{name}: {}", q[7] - q[0]);
    }
    let entry = nonsmooth::integrators::find("moreau-jean").unwrap();
    let options = nonsmooth_solvers::Options::default().with("theta", 1.0);
    let damped = entry.build(&options, Default::default()).unwrap();
    let (simulation, _) = run(pair([1.0, 1.0], 1e10, 0.0), damped, 0.1, 1000);
    let q = &simulation.state.q;
    assert!((q[7] - q[0] - 1.0).abs() < 1e-8, "{}", q[7] - q[0]);
}

/// A mass that circles about a fixed point on a stretched spring: Ω² = k (r − l₀)/(m r), to second order, without
/// gaining energy.
#[test]
fn a_mass_circles_on_a_spring() {
    let (m, stiffness, rest_length, radius) = (2.0f64, 100.0, 0.5, 1.0);
    let rate = (stiffness * (radius - rest_length) / (m * radius)).sqrt();
    for (name, _) in schemes() {
        let circle = |n: u64, time: f64| {
            let mut builder = ModelBuilder::new();
            let position = [radius, 0.0, 0.0];
            let velocity = [0.0, rate * radius, 0.0];
            let mass = builder.body(Body { position, velocity, ..Body::new("mass", m, UNIT) });
            let ends = [(Rigid::World, [0.0; 3]), (mass, [0.0; 3])];
            builder.spring(spring(ends, stiffness, 0.0, rest_length));
            let (simulation, ledger) = run(builder, scheme(name), time / n as f64, n);
            let q = &simulation.state.q;
            let (s, c) = (rate * time).sin_cos();
            let error = (q[0] - radius * c).hypot(q[1] - radius * s);
            let [before, after] = energy(&ledger);
            (error, after / before - 1.0)
        };
        let (coarse, fine) = (circle(400, 2.0), circle(800, 2.0));
        let order = order(coarse.0, fine.0, 2.0);
        assert!((1.8..2.2).contains(&order), "{name}: order {order}: {coarse:?} {fine:?}");
        // 200 turns: no drift of the energy beyond what a step of second order swings by.
        let long = circle(40_000, 200.0);
        assert!(long.1.abs() < 1e-3, "{name}: energy changed by {:.2e}", long.1);
    }
}

/// A stone on a rod (a spring of ω h = 50) swings as a pendulum: the spring stays stiff, the swing does not grow.
#[test]
fn a_stiff_spring_makes_a_pendulum() {
    let (length, start, h) = (1.0, 0.3f64, 5e-3);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let position = [length * start.sin(), 0.0, -length * start.cos()];
    let stone = builder.body(Body { position, ..Body::new("stone", 1.0, UNIT) });
    builder.spring(spring([(Rigid::World, [0.0; 3]), (stone, [0.0; 3])], 1e8, 0.0, length));
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, MoreauJean::default(), h).unwrap();
    let (mut widest, mut crossings) = (0.0f64, Vec::new());
    for _ in 0..20_000 {
        let frame = simulation.step().unwrap();
        let (a, b) = (frame.before.q[0], frame.after.q[0]);
        widest = widest.max(b.abs());
        if a > 0.0 && b <= 0.0 {
            crossings.push(frame.before.t + h * a / (a - b));
        }
        let stretch = frame.after.q[..3].iter().map(|x| x * x).sum::<f64>().sqrt() - length;
        assert!(stretch.abs() < 1e-3, "stretched by {stretch:.2e} at t = {}", frame.after.t);
    }
    // T = 2π √(l/g) (1 + φ²/16 + 11 φ⁴/3072); the scheme is of second order: (ω h)²/24.
    let series = 1.0 + start.powi(2) / 16.0 + 11.0 * start.powi(4) / 3072.0;
    let want = std::f64::consts::TAU * (length / 9.81).sqrt() * series;
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((period / want - 1.0).abs() < 1e-4, "{period} {want}");
    assert!(widest < 1.001 * length * start.sin(), "swings out to {widest}");
}

/// A bar held by springs at its ends: torsion with the lever, ω² = 2 k a²/J for small turns of two springs.
#[test]
fn springs_at_the_ends_of_a_bar_turn_it() {
    let (stiffness, a, far) = (50.0, 0.5, 100.0);
    for (name, _) in schemes() {
        let mut builder = ModelBuilder::new();
        let angle: f64 = 1e-3;
        let rotation = about([0.0, 0.0, 1.0], angle);
        let bar = builder.body(Body { rotation, ..Body::new("bar", 1.0, UNIT) });
        for side in [-1.0, 1.0] {
            // Long springs along y, slack at rest.
            let ends = [(bar, [side * a, 0.0, 0.0]), (Rigid::World, [side * a, far, 0.0])];
            let name = format!("string at {side}");
            builder.spring(Spring { name, ..spring(ends, stiffness, 0.0, far) });
        }
        let omega = (2.0 * stiffness * a * a / UNIT[2][2]).sqrt();
        let (time, n) = (3.0, 3000);
        let (simulation, _) = run(builder, scheme(name), time / n as f64, n);
        let q = &simulation.state.q;
        let found = 2.0 * q[6].atan2(q[3]);
        let want = angle * (omega * time).cos();
        // Small turns: angle³, and the lean of the springs, a/far.
        assert!((found - want).abs() < 1e-2 * angle, "{name}: {found} {want}");
    }
}

/// A spring of no length pulls nowhere, whatever its rest length.
#[test]
fn a_spring_of_no_length_has_no_direction() {
    for (name, _) in schemes() {
        let mut builder = ModelBuilder::new();
        let mass = builder.body(body("mass", 1.0, [0.0; 3]));
        builder.spring(spring([(Rigid::World, [0.0; 3]), (mass, [0.0; 3])], 100.0, 1.0, 0.5));
        let (simulation, _) = run(builder, scheme(name), 1e-2, 10);
        assert!(simulation.state.q[..3].iter().all(|x| *x == 0.0), "{name}: {:?}", simulation.state.q);
    }
}

/// A soft spring that is stretched by 1 km far away leaves the residual of another island alone.
#[test]
fn a_stretched_soft_spring_does_not_change_the_residual() {
    let residual = |with_spring: bool| {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81]);
        let hung = builder.body(body("hung", 1.0, [1.0, 0.0, 0.0]));
        let hinge = nonsmooth::model::constraints::joints::Spherical::at([0.0; 3]);
        builder.joint("hinge", hinge, Rigid::World, hung);
        if with_spring {
            let far = builder.body(body("far", 1.0, [0.0, 1000.0, 0.0]));
            builder.spring(spring([(Rigid::World, [0.0; 3]), (far, [0.0; 3])], 1e-3, 0.0, 0.0));
        }
        let (model, state) = builder.build(0.0).unwrap();
        let mut simulation = Simulation::new(model, state, MoreauJean::default(), 1e-3).unwrap();
        let mut worst = 0.0f64;
        for _ in 0..50 {
            let step = simulation.step().unwrap();
            worst = step.log.solves.iter().fold(worst, |m, report| m.max(report.residual));
        }
        worst
    };
    let (without, with) = (residual(false), residual(true));
    assert!(with < 2.0 * without + 1e-15, "{without:e} {with:e}");
}

/// A spring between points that do not exist, or with numbers that cannot be, is refused.
#[test]
fn wrong_springs_are_refused() {
    let refused = |ends: [(Rigid, [f64; 3]); 2], stiffness: f64| {
        let mut builder = ModelBuilder::new();
        builder.body(Body::new("mass", 1.0, UNIT));
        builder.spring(spring(ends, stiffness, 0.0, 1.0));
        builder.build(0.0).err().map(|error| error.to_string())
    };
    let (on, world) = ((Rigid::Body(0), [0.0; 3]), (Rigid::World, [1.0, 0.0, 0.0]));
    assert!(refused([on, world], 1.0).is_none());
    for (ends, stiffness) in [
        ([world, world], 1.0),
        ([on, on], 1.0),
        ([on, world], -1.0),
        ([on, world], f64::NAN),
        ([(Rigid::Body(7), [0.0; 3]), world], 1.0),
        ([(Rigid::Body(0), [f64::NAN, 0.0, 0.0]), world], 1.0),
        ([on, (Rigid::World, [f64::INFINITY, 0.0, 0.0])], 1.0),
    ] {
        let text = refused(ends, stiffness);
        assert!(
            text.as_ref().is_some_and(|text| text.contains("spring[0]")),
            "{ends:?} {stiffness}: {text:?}"
        );
    }
}
