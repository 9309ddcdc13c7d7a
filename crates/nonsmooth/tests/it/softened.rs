//! Compliant contact against closed forms and against the rigid contact to which it tends; Stribeck's friction against closed forms.

use crate::body_kit::{made, order};
use crate::kick_drift::{ball, floor};
use nonsmooth::integrators::{HighOrder, INTEGRATORS, MoreauJean};
use nonsmooth::laws::{CompliantContact, Coulomb, Law, Stribeck};
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::rigid::Body;
use nonsmooth::model::systems::Linear;
use nonsmooth::observers::EnergyLedger;
use nonsmooth::{Integrator, Refusal, Simulation, SolverSettings};
use nonsmooth_solvers::{Options, Sparse};

const G: f64 = 9.81;

/// A ball of mass 2 at `height` with `speed`, over a floor.
fn falling(law: impl Law + 'static, height: f64, speed: f64, weight: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let mut point = Linear::new("ball", Sparse::diagonal(&[2.0]));
    (point.load, point.q, point.v) = (vec![-2.0 * weight], vec![height], vec![speed]);
    let point = builder.linear(point);
    let law = builder.law("ground", law);
    builder.linear_gap("ground", law, &[(point, 0, 1.0)], 0.0);
    builder
}

/// The run, with the deepest gap and the duration of contact.
fn run(builder: ModelBuilder, scheme: Box<dyn Integrator>, h: f64, n: u64) -> (Simulation, f64, f64) {
    let (model, state) = builder.build(0.0).expect("a right model");
    let mut simulation = Simulation::new(model, state, scheme, h).expect("it is taken");
    let mut ledger = EnergyLedger::default();
    let (mut deepest, mut pressed) = (0.0f64, 0.0);
    for _ in 0..n {
        simulation.run(1, &mut [&mut ledger]).expect("it runs");
        deepest = deepest.max(-simulation.state.q[0]);
        let carries = simulation.state.memory.forces.first().is_some_and(|force| *force > 0.0);
        pressed += if carries { h } else { 0.0 };
    }
    assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{:e}", ledger.worst_remainder);
    (simulation, deepest, pressed)
}

/// A linear contact is half a swing: depth v √(m/k), duration π √(m/k), rebound with the speed it came with; after Hertz depth (5 m v²/(4 k))^(2/5) and
/// duration 2.9432 depth/v, also without loss.
#[test]
fn an_impact_on_a_spring_is_half_a_swing() {
    let (m, v) = (2.0f64, 1.5f64);
    let k = 2e4;
    let linear = (v * (m / k).sqrt(), std::f64::consts::PI * (m / k).sqrt());
    let depth = (5.0 * m * v * v / (4.0 * 1e6)).powf(0.4);
    for (law, (depth, duration)) in [
        (CompliantContact { stiffness: k, ..CompliantContact::default() }, linear),
        (
            CompliantContact { stiffness: 1e6, exponent: 1.5, ..CompliantContact::default() },
            (depth, 2.9432 * depth / v),
        ),
    ] {
        let errors = [400.0, 800.0].map(|steps| {
            let h = duration / steps;
            let n = (1.5 * steps) as u64;
            let (end, deepest, pressed) =
                run(falling(law, 0.1 * h * v, -v, 0.0), made(MoreauJean::default()), h, n);
            let errors = [deepest / depth - 1.0, pressed / duration - 1.0, end.state.v[0] / v - 1.0];
            errors.iter().fold(0.0f64, |most, e| most.max(e.abs()))
        });
        eprintln!("{law:?}: {errors:?}");
        assert!(errors[1] < 5e-3 && errors[1] < 0.7 * errors[0], "{errors:?}");
    }
}

/// With a damper e = exp(−ζ π/√(1 − ζ²)) where the force may not pull only at the end; damped after Hunt and Crossley 1 − e ≈ (2/3) a v for small a v, and e
/// falls with the speed, as it does not with Kelvin and Voigt.
#[test]
fn damping_loses_what_its_closed_form_says() {
    let (m, k) = (2.0f64, 2e4f64);
    let rebound = |law: CompliantContact, v: f64| {
        let duration = std::f64::consts::PI * (m / k).sqrt();
        let h = duration / 2000.0;
        run(falling(law, 0.0, -v, 0.0), made(MoreauJean::default()), h, 3000).0.state.v[0] / v
    };
    let hunt = |a: f64| CompliantContact {
        stiffness: k,
        exponent: 1.5,
        hysteresis: a,
        ..CompliantContact::default()
    };
    let stiff = CompliantContact { stiffness: 1e6, ..hunt(0.01) };
    let (slow, fast) = (rebound(stiff, 0.5), rebound(stiff, 2.0));
    assert!((1.0 - slow - 2.0 / 3.0 * 0.005).abs() < 4e-4, "{slow}");
    assert!((1.0 - fast - 2.0 / 3.0 * 0.02).abs() < 1e-3, "{fast}");
    // F = k δ + c δ̇ vanishes at tan(ω_d t) = …; e = exp(−ζ/√(1−ζ²)·(π − 2 asin…)) for the force that never pulls, by quadrature.
    let damping = 0.1 * 2.0 * (k * m).sqrt();
    let law = CompliantContact { stiffness: k, damping, ..CompliantContact::default() };
    let (mut x, mut u, dt) = (0.0f64, 1.0f64, 1e-7);
    loop {
        let force = k * x + damping * u;
        if force < 0.0 || x < 0.0 {
            break;
        }
        let middle = (x + 0.5 * dt * u, u - 0.5 * dt * force / m);
        u -= dt * (k * middle.0 + damping * middle.1) / m;
        x += dt * middle.1;
    }
    let ours = [rebound(law, 1.0), rebound(law, 3.0)];
    assert!((ours[0] + u).abs() < 2e-3 && (ours[1] - ours[0]).abs() < 1e-6, "{ours:?} {u}");
}

/// It tends to the rigid contact with e = 1 as the stiffness grows, with an error like 1/√k: the motion after three bounces.
#[test]
fn a_stiff_contact_tends_to_the_rigid_one_with_one_over_root_k() {
    let (height, end) = (0.2f64, 1.0f64);
    let fall = (2.0 * height / G).sqrt();
    let since = (end - fall) % (2.0 * fall);
    let top = (2.0 * G * height).sqrt();
    let exact = top * since - 0.5 * G * since * since;
    let errors = [1e5, 4e5, 16e5].map(|stiffness| {
        let h = 1e-2 * (2.0f64 / stiffness).sqrt();
        let n = (end / h).round();
        let law = CompliantContact { stiffness, ..CompliantContact::default() };
        let scheme = made(MoreauJean::default());
        (run(falling(law, height, 0.0, G), scheme, end / n, n as u64).0.state.q[0] - exact).abs()
    });
    let orders = [order(errors[0], errors[1], 2.0), order(errors[1], errors[2], 2.0)];
    eprintln!("{errors:?} {orders:?}");
    assert!(orders.iter().all(|p| (p - 1.0).abs() < 0.15), "{orders:?} of {errors:?}");
}

/// Steps far longer than the duration of a contact never give energy: a ball comes to rest m g/k deep.
#[test]
fn a_contact_stiffer_than_the_step_is_stable() {
    let law = CompliantContact { stiffness: 1e9, damping: 1e5, ..CompliantContact::default() };
    let rest = -2.0 * G / 1e9;
    for h in [1e-2, 7.3e-3, 1e-3] {
        for height in [0.1, 0.137] {
            let (model, state) = falling(law, height, 0.0, G).build(0.0).expect("right");
            let scheme = made(MoreauJean::default());
            let mut simulation = Simulation::new(model, state, scheme, h).expect("taken");
            for _ in 0..2000 {
                simulation.run(1, &mut []).expect("it runs");
                let (y, v) = (simulation.state.q[0], simulation.state.v[0]);
                let energy = v * v + 2.0 * G * y + 0.5 * 1e9 * y.min(0.0).powi(2);
                assert!(energy <= 2.0 * G * height * (1.0 + 1e-9), "{h} {height}: {energy}");
            }
            let state = &simulation.state;
            assert!((state.q[0] - rest).abs() < 1e-7 && state.v[0].abs() < 1e-2, "{h}: {:?}", state.q);
        }
    }
}

/// A ball body on a compliant floor with friction: it sinks m g/k and slides with μ as on the rigid floor.
#[test]
fn a_body_slides_on_a_compliant_floor_as_on_a_rigid_one() {
    let slide = |law: Box<dyn Law>| {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -G]);
        let material = builder.material("stuff");
        let law = builder.boxed_law("floor", law);
        builder.default_pair(law);
        floor(&mut builder, material);
        let body = ball("ball", 0.1, 1.0, material);
        builder.body(Body { position: [0.0, 0.0, 0.1], velocity: [2.0, 0.0, 0.0], ..body });
        let (model, state) = builder.build(0.0).expect("right");
        let scheme = made(MoreauJean::default());
        let mut simulation = Simulation::new(model, state, scheme, 1e-4).expect("taken");
        simulation.run(2000, &mut []).expect("it runs");
        simulation.state
    };
    let soft =
        CompliantContact { stiffness: 1e6, damping: 2e3, friction: 0.2, ..CompliantContact::default() };
    let soft = slide(Box::new(soft));
    let rigid = slide(Box::new(Coulomb { friction: 0.2, ..Coulomb::default() }));
    assert!((soft.q[2] - 0.1 + G / 1e6).abs() < 1e-9, "{}", soft.q[2] - 0.1);
    assert!((soft.v[0] - rigid.v[0]).abs() < 1e-4, "{} {}", soft.v[0], rigid.v[0]);
}

/// Every scheme but `moreau-jean` and `moreau-adaptive` refuses it by name; so do they at θ = 0 and at position level.
#[test]
fn schemes_without_forces_of_gaps_say_so() {
    let refused = |scheme: Box<dyn Integrator>| {
        let (model, state) =
            falling(CompliantContact::default(), 0.1, 0.0, G).build(0.0).expect("right");
        match Simulation::new(model, state, scheme, 1e-3) {
            Ok(_) => None,
            Err(Refusal::Elastic { integrator, law }) => Some((integrator, law)),
            Err(other) => panic!("{other}"),
        }
    };
    for entry in INTEGRATORS {
        let scheme = entry.build(&Options::default(), SolverSettings::default()).expect("defaults");
        let taken = ["moreau-jean", "moreau-adaptive"].contains(&entry.name);
        let want = (!taken).then(|| (entry.name, "ground".to_owned()));
        assert_eq!(refused(scheme), want);
    }
    let explicit = refused(made(MoreauJean { theta: 0.0, ..MoreauJean::default() }));
    assert!(explicit.is_some_and(|(name, _)| name.contains("theta = 0")));
    let entry = nonsmooth::integrators::find("moreau-jean").expect("listed");
    let options = Options::default().with_word("level", "position");
    let scheme = entry.build(&options, SolverSettings::default()).expect("valid");
    assert!(refused(scheme).is_some_and(|(name, _)| name.contains("position")));
}

/// A block that slides with `speed` along a direction of its floor, in the plane or with two tangents.
fn sliding(law: Stribeck, speed: f64, planar: bool) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let (c, s) = if planar { (1.0, 0.0) } else { (0.6, 0.8) };
    let block = Linear::new("block", Sparse::diagonal(&[2.0; 3])).load(&[-2.0 * G, 0.0, 0.0]);
    let block = builder.linear(block.initial(&[0.0; 3], &[0.0, c * speed, s * speed]));
    let law = builder.law("rough", law);
    let tangents: [&[_]; 2] = [&[(block, 1, 1.0)], &[(block, 2, 1.0)]];
    builder.linear_contact(
        "floor",
        law,
        &[(block, 0, 1.0)],
        0.0,
        &tangents[..if planar { 1 } else { 2 }],
    );
    builder
}

fn slip(builder: ModelBuilder, scheme: Box<dyn Integrator>, h: f64, n: u64) -> f64 {
    let (model, state) = builder.build(0.0).expect("right");
    let mut simulation = Simulation::new(model, state, scheme, h).expect("taken");
    simulation.run(n, &mut []).expect("it runs");
    simulation.state.v[1].hypot(simulation.state.v[2])
}

/// v̇ = −g μ(v) has closed forms for each half of the curve: w = exp(v/v_s) decays linearly towards −(μ_s − μ_d)/μ_d, and with c alone v decays towards −μ_d/c.
/// `moreau-jean` follows them with first order, `high-order` to rounding of its tolerance.
#[test]
fn a_block_slows_as_stribecks_curve_says() {
    let (v, t) = (0.5f64, 0.1f64);
    let falling = Stribeck {
        friction_static: 0.5,
        friction_dynamic: 0.2,
        stribeck_speed: 0.2,
        ..Stribeck::default()
    };
    let ratio = 0.3 / 0.2;
    let w = ((v / 0.2).exp() + ratio) * (-G * 0.2 * t / 0.2).exp() - ratio;
    let viscous = Stribeck {
        friction_static: 0.2,
        viscous_friction: 0.8,
        ..Stribeck { friction_dynamic: 0.2, ..Stribeck::default() }
    };
    let drag = (v + 0.25) * (-G * 0.8 * t).exp() - 0.25;
    for (law, exact) in [(falling, 0.2 * w.ln()), (viscous, drag)] {
        for planar in [true, false] {
            let error = |n: u64| {
                (slip(sliding(law, v, planar), made(MoreauJean::default()), t / n as f64, n) - exact)
                    .abs()
            };
            let errors = [error(100), error(200)];
            let p = order(errors[0], errors[1], 2.0);
            let fine =
                (slip(sliding(law, v, planar), made(HighOrder::default()), t / 20.0, 20) - exact).abs();
            eprintln!("{planar}: {errors:?} {p} {fine:e}");
            assert!((p - 1.0).abs() < 0.05 && errors[1] < 2e-3, "{errors:?}");
            assert!(fine < 1e-7, "{fine:e}");
        }
    }
}

/// It sticks up to μ_s: on a slope below it stays, above it goes.
#[test]
fn a_block_holds_up_to_static_friction() {
    let law = Stribeck {
        friction_static: 0.5,
        friction_dynamic: 0.2,
        stribeck_speed: 0.01,
        ..Stribeck::default()
    };
    for (slope, holds) in [(0.49, true), (0.51, false)] {
        let mut builder = ModelBuilder::new();
        let block = Linear::new("block", Sparse::diagonal(&[2.0; 2])).load(&[-2.0 * G, 2.0 * G * slope]);
        let block = builder.linear(block.initial(&[0.0; 2], &[0.0; 2]));
        let law = builder.law("rough", law);
        builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &[&[(block, 1, 1.0)]]);
        let (model, state) = builder.build(0.0).expect("right");
        let scheme = made(MoreauJean::default());
        let mut simulation = Simulation::new(model, state, scheme, 1e-3).expect("taken");
        simulation.run(1000, &mut []).expect("it runs");
        let v = simulation.state.v[1];
        assert!(if holds { v.abs() < 1e-12 } else { v > 0.5 * 0.31 * G }, "{slope}: {v}");
    }
}

/// At rest with e = ½ every listed law with restitution leaves v = 0 under every scheme that takes it: for 10⁴ steps by `moreau-jean`, for 10³ by the others.
#[test]
fn a_ball_at_rest_stays_at_rest_by_every_law_and_scheme() {
    for entry in nonsmooth::laws::LAWS {
        if !entry.options.iter().any(|option| option.name == "restitution") {
            continue;
        }
        for scheme in INTEGRATORS {
            let law = entry.build(&Options::default().with("restitution", 0.5)).expect("right");
            if law.dim(0) != Some(1) && law.dim(1) != Some(2) {
                continue;
            }
            let mut builder = ModelBuilder::new();
            let block = Linear::new("ball", Sparse::diagonal(&[2.0; 2])).load(&[-2.0 * G, 0.0]);
            let block = builder.linear(block);
            let tangent: &[_] = &[(block, 1, 1.0)];
            let tangents: &[&[_]] = if law.dim(0) == Some(1) { &[] } else { &[tangent] };
            let law = builder.boxed_law("ground", law);
            builder.linear_contact("ground", law, &[(block, 0, 1.0)], 0.0, tangents);
            let (model, state) = builder.build(0.0).expect("right");
            let made = scheme.build(&Options::default(), SolverSettings::default()).expect("defaults");
            let Ok(mut simulation) = Simulation::new(model, state, made, 1e-3) else { continue };
            let n = if scheme.name == "moreau-jean" { 10_000 } else { 1000 };
            simulation.run(n, &mut []).expect("it runs");
            let (q, v) = (&simulation.state.q, &simulation.state.v);
            // Schemes at position level leave rounding of the gap.
            let still = v.iter().all(|v| v.abs() < 1e-12) && q.iter().all(|q| q.abs() < 1e-12);
            assert!(still, "{} by {}: {q:?} {v:?}", entry.name, scheme.name);
        }
    }
}
