//! Laws with phases and with a history: Poisson's impact, static and dynamic friction, relay.

use crate::body_kit::{made, run, schemes};
use nonsmooth::integrators::{KickDrift, MoreauJean};
use nonsmooth::laws::{Coulomb, Law, NewtonImpact, Poisson, Relay, StaticDynamic};
use nonsmooth::model::systems::Linear;
use nonsmooth::model::{ModelBuilder, SystemId};
use nonsmooth::{Integrator, Simulation};
use nonsmooth_solvers::Sparse;

const G: f64 = 9.81;

/// A point mass at height `height` with velocity `speed`, over ground with a law.
fn ball(law: impl Law + 'static, mass: f64, height: f64, speed: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let mut point = Linear::new("ball", Sparse::from_rows(&[vec![mass]]));
    (point.load, point.q, point.v) = (vec![-mass * G], vec![height], vec![speed]);
    let point = builder.linear(point);
    let law = builder.law("ground", law);
    builder.linear_gap("ground", law, &[(point, 0, 1.0)], 0.0);
    builder
}

/// A small random number generator, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[test]
fn every_random_drop_rebounds_by_poissons_law() {
    let mut random = Random(5);
    for drop in 0..400 {
        let (e, height) = (0.3 + 0.7 * random.next(), 0.05 + random.next());
        let (h, mass) = (1e-3 * (0.2 + random.next()), 0.1 + random.next());
        let builder = ball(Poisson { restitution: e }, mass, height, -random.next());
        let (model, state) = builder.build(0.0).unwrap();
        let mut simulation = Simulation::new(model, state, MoreauJean::default(), h).unwrap();
        let event = loop {
            let step = simulation.step().unwrap();
            if let Some(event) = step.log.events.first() {
                break *event;
            }
            assert!(step.after.t < 2.0, "drop {drop} never lands");
        };
        let want = -e * event.u_minus[0];
        assert!((event.u_plus[0] - want).abs() < 1e-9, "drop {drop}: {event:?}");
        let after = simulation.state.v[0];
        assert!((after - (want - G * h)).abs() < 1e-9 && after > 0.0, "drop {drop}: {after} {want}");
    }
}

#[test]
fn a_ball_at_rest_stays_at_rest_by_poissons_law() {
    for (scheme, integrator) in schemes() {
        let builder = ball(Poisson { restitution: 0.5 }, 2.0, 0.0, 0.0);
        let (simulation, ledger) = run(builder, integrator, 1e-2, 100);
        let state = &simulation.state;
        assert!(state.q[0].abs() < 1e-15 && state.v[0].abs() < 1e-15, "{scheme}: {:?}", state.q);
        assert!(ledger.total.impact == 0.0, "{scheme}: {:?}", ledger.total);
    }
}

/// A single ball: Poisson's and Newton's laws agree, and the ledger closes.
#[test]
fn poisson_is_newton_for_one_contact() {
    let ends = [true, false].map(|poisson| {
        let builder = if poisson {
            ball(Poisson { restitution: 0.7 }, 2.0, 0.5, 0.0)
        } else {
            ball(NewtonImpact { restitution: 0.7 }, 2.0, 0.5, 0.0)
        };
        let (simulation, ledger) = run(builder, made(KickDrift::default()), 1e-3, 800);
        assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{:e}", ledger.worst_remainder);
        assert!(ledger.total.impact < -1.0);
        simulation.state.q[0]
    });
    assert!((ends[0] - ends[1]).abs() < 1e-12, "{ends:?}");
    let builder = ball(Poisson { restitution: 0.7 }, 2.0, 0.5, 0.0);
    let (_, ledger) = run(builder, made(MoreauJean::default()), 1e-3, 800);
    assert!(ledger.worst_remainder < 1e-12 * ledger.scale, "{:e}", ledger.worst_remainder);
}

/// Three equal balls in a row that touch, the first with speed 1: the expansion repeats e times the impulses of compression.
#[test]
fn poisson_in_a_row_of_balls_keeps_momentum_and_repeats_the_impulses_of_compression() {
    let mut builder = ModelBuilder::new();
    let balls: Vec<SystemId> = (0..3)
        .map(|k| {
            let mut point = Linear::new(&format!("ball {k}"), Sparse::from_rows(&[vec![1.0]]));
            (point.q, point.v) = (vec![k as f64], vec![if k == 0 { 1.0 } else { 0.0 }]);
            builder.linear(point)
        })
        .collect();
    let law = builder.law("balls", Poisson { restitution: 0.5 });
    for k in 0..2 {
        builder.linear_gap(
            &format!("pair {k}"),
            law,
            &[(balls[k], 0, -1.0), (balls[k + 1], 0, 1.0)],
            -1.0,
        );
    }
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, MoreauJean::default(), 1e-3).unwrap();
    simulation.step().unwrap();
    // Compression: p₁ = 2/3, p₂ = 1/3, all at 1/3; expansion adds half of that.
    let want = [1.0 - 1.0, 0.5, 0.5];
    let v = &simulation.state.v;
    assert!(v.iter().zip(want).all(|(v, w)| (v - w).abs() < 1e-12), "{v:?} {want:?}");
}

/// A block on a floor, pulled by a force that grows: held up to μ_s m g, then sliding with μ_d.
fn pulled(law: impl Law + 'static, force: f64, speed: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let mass = 2.0;
    let mut block = Linear::new("block", Sparse::from_rows(&[vec![mass, 0.0], vec![0.0, mass]]));
    (block.load, block.v) = (vec![force, -mass * G], vec![speed, 0.0]);
    let block = builder.linear(block);
    let law = builder.law("floor", law);
    builder.linear_contact("floor", law, &[(block, 1, 1.0)], 0.0, &[&[(block, 0, 1.0)]]);
    builder
}

const LAW: StaticDynamic =
    StaticDynamic { friction_static: 0.5, friction_dynamic: 0.3, restitution: 0.0 };

#[test]
fn static_friction_holds_and_dynamic_friction_brakes() {
    let weight = 2.0 * G;
    for (scheme, _) in schemes() {
        let integrator = || schemes().into_iter().find(|(name, _)| *name == scheme).unwrap().1;
        // Between the two coefficients: held from rest, and goes on sliding once it slides.
        let (held, _) = run(pulled(LAW, 0.4 * weight, 0.0), integrator(), 1e-3, 500);
        assert!(held.state.q[0].abs() < 1e-12, "{scheme}: {}", held.state.q[0]);
        let (slides, _) = run(pulled(LAW, 0.4 * weight, 0.1), integrator(), 1e-3, 500);
        let want = 0.1 * 0.5 + 0.5 * 0.1 * G * 0.25;
        assert!((slides.state.q[0] - want).abs() < 1e-6, "{scheme}: {} {want}", slides.state.q[0]);
        // Beyond μ_s it breaks away: one step with μ_s, then μ_d.
        let (off, _) = run(pulled(LAW, 0.6 * weight, 0.0), integrator(), 1e-3, 500);
        let want = 0.5 * 0.3 * G * 0.25;
        assert!((off.state.q[0] - want).abs() < 2e-3, "{scheme}: {} {want}", off.state.q[0]);
        // Without pull it comes to rest where Coulomb's law with μ_d brings it, and stays.
        let (stops, _) = run(pulled(LAW, 0.0, 1.0), integrator(), 1e-3, 1000);
        let want = 1.0 / (2.0 * 0.3 * G);
        assert!((stops.state.q[0] - want).abs() < 1e-3 && stops.state.v[0].abs() < 1e-12, "{scheme}");
    }
}

/// With equal coefficients it is Coulomb's law.
#[test]
fn equal_coefficients_are_coulombs_law() {
    let both = StaticDynamic { friction_static: 0.3, friction_dynamic: 0.3, restitution: 0.0 };
    let coulomb = Coulomb { friction: 0.3, ..Coulomb::default() };
    let (a, _) = run(pulled(both, 3.0, 1.0), made(MoreauJean::default()), 1e-3, 700);
    let (b, _) = run(pulled(coulomb, 3.0, 1.0), made(MoreauJean::default()), 1e-3, 700);
    assert_eq!(a.state.q, b.state.q);
}

/// A run that is cut anywhere and goes on from the state has the same bits.
#[test]
fn a_history_resumes_to_the_bit() {
    let make: [fn() -> Box<dyn Integrator>; 2] =
        [|| made(MoreauJean::default()), || made(KickDrift::default())];
    for make in make {
        let start = || Simulation::new_for_test(pulled(LAW, 0.45 * 2.0 * G, 0.2), make());
        let mut whole = start();
        whole.run(300, &mut []).unwrap();
        for cut in [1, 2, 117, 250] {
            let mut first = start();
            first.run(cut, &mut []).unwrap();
            assert!(!first.state.memory.histories.is_empty(), "the law has a history at step {cut}");
            let mut second =
                Simulation::new(first.model.clone(), first.state.clone(), make(), 1e-3).unwrap();
            second.run(300 - cut, &mut []).unwrap();
            assert_eq!(whole.state, second.state, "cut at {cut}");
        }
    }
}

trait ForTest {
    fn new_for_test(builder: ModelBuilder, integrator: Box<dyn Integrator>) -> Simulation;
}

impl ForTest for Simulation {
    fn new_for_test(builder: ModelBuilder, integrator: Box<dyn Integrator>) -> Simulation {
        let (model, state) = builder.build(0.0).expect("it is right");
        Simulation::new(model, state, integrator, 1e-3).expect("it is right")
    }
}

/// Dry friction of a guide by a relay: brakes with F/m to a stop and holds against a smaller force.
#[test]
fn a_relay_brakes_and_holds() {
    let mut builder = ModelBuilder::new();
    let mut block = Linear::new("block", Sparse::from_rows(&[vec![2.0]]));
    (block.load, block.v) = (vec![1.0], vec![1.5]);
    let block = builder.linear(block);
    let law = builder.law("guide", Relay { lower: -3.0, upper: 3.0 });
    builder.velocity_constraint("guide", law, &[(block, 0)], crate::models::FirstVelocity);
    let (simulation, ledger) = run(builder, made(MoreauJean::default()), 1e-3, 3000);
    // Brakes with (3 − 1)/2 m/s²: 1.5²/2 m.
    let state = &simulation.state;
    assert!((state.q[0] - 1.125).abs() < 1e-3 && state.v[0].abs() < 1e-12, "{:?}", state.q);
    assert!((ledger.total.friction + 3.0 * state.q[0]).abs() < 1e-2, "{:?}", ledger.total);
}

/// Every law of the list with wrong numbers says so, and each is found by its name.
#[test]
fn laws_are_listed_and_refuse_wrong_numbers() {
    let names: Vec<&str> = nonsmooth::laws::LAWS.iter().map(|entry| entry.name).collect();
    assert_eq!(
        names,
        [
            "newton-impact",
            "poisson",
            "coulomb",
            "fremond",
            "newton-path",
            "poisson-path",
            "stronge",
            "lzb",
            "static-dynamic",
            "stribeck",
            "rolling",
            "cohesion",
            "compliant",
            "bilateral",
            "relay",
            "complementarity"
        ]
    );
    assert!(
        Poisson { restitution: 1.5 }.fault().is_some() && Poisson { restitution: 1.0 }.fault().is_none()
    );
    assert!(Relay { lower: 1.0, upper: -1.0 }.fault().is_some());
}

/// An arm on a hinge strikes a rough floor. It has one degree of freedom, so Newton's law turns its slip round with its approach, and friction,
/// which opposes the slip after the impact, gives ½p(u⁻ + u⁺) > 0. That is booked with the impact, by every scheme; friction only takes.
#[test]
fn what_friction_gives_at_an_impact_is_booked_with_the_impact() {
    use crate::kick_drift::{ball, floor};
    use nonsmooth::model::Rigid;
    use nonsmooth::model::constraints::joints::Revolute;
    use nonsmooth::model::rigid::Body;
    use nonsmooth::observers::EnergyLedger;
    use nonsmooth_solvers::Options;
    for scheme in ["kick-drift", "moreau-jean", "moreau-projected"] {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, 0.0, -9.81]);
        let material = builder.material("stuff");
        let law =
            builder.law("rough", Coulomb { friction: 0.3, restitution: 0.5, ..Coulomb::default() });
        builder.default_pair(law);
        floor(&mut builder, material);
        let arm = Body { position: [0.5, 0.0, 0.4], ..ball("arm", 0.1, 1.0, material) };
        let arm = builder.body(arm);
        let hinge = Revolute::at([0.0, 0.0, 0.4]).axis([0.0, 1.0, 0.0]);
        builder.joint("hinge", hinge, Rigid::World, arm);
        let (model, state) = builder.build(0.0).expect("a right model");
        let entry = nonsmooth::integrators::find(scheme).expect("a scheme");
        let settings = nonsmooth::SolverSettings::default();
        let made = entry.build(&Options::default(), settings).expect("right options");
        let mut ledger = EnergyLedger::begin(&model, &state).expect("finite");
        let mut simulation = Simulation::new(model, state, made, 1e-3).expect("accepted");
        let mut gains = 0;
        // Three impacts; then it comes to rest, and what acts is lasting contact.
        while gains < 3 {
            let frame = simulation.step().expect("a good step");
            assert!(frame.after.t < 1.0, "{scheme}: {gains} impacts turned the slip round");
            ledger.book(frame.log.energies, frame.log.works);
            let works = frame.log.works;
            for event in &frame.log.events {
                let work = |k: usize| 0.5 * event.impulse[k] * (event.u_minus[k] + event.u_plus[k]);
                let rubbed = work(1) + work(2);
                if rubbed > 1e-6 {
                    gains += 1;
                    assert!(works.impact > work(0) + 0.5 * rubbed, "{scheme}: {works:?} {event:?}");
                }
            }
            assert!(works.friction <= 1e-12, "{scheme}: {works:?}");
        }
        assert!(ledger.total.impact < 0.0, "{scheme}: {:?}", ledger.total);
    }
}
