//! Impacts with bodies that move as prescribed, and impacts that rub: u⁻ is that of both bodies, and so are the works.

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

const RADIUS: f64 = 0.1;

/// A ball at rest, `far` before a wall that comes with velocity `speed`, without gravity.
fn bat(restitution: f64, speed: f64, far: f64) -> Yard {
    let mut yard = Yard::with_law(|builder| builder.law("hit", NewtonImpact { restitution }));
    yard.builder.gravity([0.0; 3]);
    let wall = Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape");
    yard.drive("bat", wall, move |t| shifted([0.0, 0.0, speed * t], [0.0, 0.0, speed]));
    yard.add("ball", &Shape::ball(RADIUS).expect("a right shape"), 1000.0, [0.0, 0.0, RADIUS + far]);
    yard
}

/// A wall of velocity w hits a ball at rest: v⁺ = (1 + e) w. Its work is p w = m (1 + e) w²; the impact takes ½ m (1 − e²) w².
#[test]
fn a_ball_that_a_bat_hits_leaves_with_one_plus_e_times_its_speed() {
    let (e, w) = (0.6, 2.0);
    let schemes = [
        "moreau-jean",
        "kick-drift",
        "moreau-projected",
        "moreau-adaptive",
        "moreau-paoli",
        "schatzman-paoli",
        "high-order",
        "event-driven",
        "splitting",
        "d1-minus",
        "generalized-alpha",
    ];
    for scheme in schemes {
        let (model, state) = bat(e, w, 0.0317).builder.build(0.0).expect("a right model");
        let made = integrator(scheme, &Options::default());
        let mut simulation = Simulation::new(model, state, made, 1e-3).expect("the scheme takes it");
        let (ledger, summary) = watch(&mut simulation, 60);
        let v = simulation.step().expect("a good step").shown.v[2];
        assert!((v - (1.0 + e) * w).abs() < 1e-9, "{scheme}: {v}");
        assert_eq!(summary.impacts, 1, "{scheme}");
        let mass = simulation.model.rigid.bodies[0].mass;
        let (work, lost) = (mass * (1.0 + e) * w * w, -0.5 * mass * (1.0 - e * e) * w * w);
        let total = &ledger.total;
        assert!(ledger.worst_remainder < 1e-9 * work, "{scheme}: {:e}", ledger.worst_remainder);
        // Schemes of positions book the impact over two steps, the one with φ = 0 by its own columns.
        if !["schatzman-paoli", "generalized-alpha", "moreau-paoli"].contains(&scheme) {
            assert!((total.prescribed / work - 1.0).abs() < 1e-9, "{scheme}: {work} {total:?}");
            assert!((total.impact / lost - 1.0).abs() < 1e-9, "{scheme}: {lost} {total:?}");
        }
    }
}

/// The same with Poisson's law, which acts in phases at an instant.
#[test]
fn poissons_law_rebounds_from_a_bat_as_newtons() {
    let (e, w) = (0.6, 2.0);
    for scheme in ["moreau-jean", "kick-drift", "event-driven"] {
        let mut yard =
            Yard::with_law(|builder| builder.law("hit", nonsmooth::laws::Poisson { restitution: e }));
        yard.builder.gravity([0.0; 3]);
        let wall = Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape");
        yard.drive("bat", wall, move |t| shifted([0.0, 0.0, w * t], [0.0, 0.0, w]));
        yard.add("ball", &Shape::ball(RADIUS).expect("a right shape"), 1000.0, [0.0, 0.0, 0.1317]);
        let (model, state) = yard.builder.build(0.0).expect("a right model");
        let made = integrator(scheme, &Options::default());
        let mut simulation = Simulation::new(model, state, made, 1e-3).expect("the scheme takes it");
        let (ledger, _) = watch(&mut simulation, 60);
        let v = simulation.step().expect("a good step").shown.v[2];
        assert!((v - (1.0 + e) * w).abs() < 1e-9, "{scheme}: {v}");
        let mass = simulation.model.rigid.bodies[0].mass;
        let work = mass * (1.0 + e) * w * w;
        assert!((ledger.total.prescribed / work - 1.0).abs() < 1e-9, "{scheme}: {:?}", ledger.total);
        assert!(ledger.worst_remainder < 1e-9 * work, "{scheme}: {:e}", ledger.worst_remainder);
    }
}

/// A lift that starts under a ball at rest and rises steadily carries it. All its work is done by lasting contact: m g times the way.
#[test]
fn a_ball_on_a_lift_gets_its_potential_energy_from_the_lift() {
    for scheme in ["moreau-jean", "kick-drift", "high-order", "event-driven", "d1-minus"] {
        let mut yard = Yard::with_law(|builder| builder.law("hit", NewtonImpact { restitution: 0.0 }));
        let speed = 0.5;
        let plate = Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape");
        yard.drive("lift", plate, move |t| shifted([0.0, 0.0, speed * t], [0.0, 0.0, speed]));
        let shape = Shape::ball(RADIUS).expect("a right shape");
        let mut body = yard.body("ball", &shape, 1000.0, [0.0, 0.0, RADIUS]);
        body.velocity = [0.0, 0.0, speed];
        yard.builder.body(body);
        let (model, state) = yard.builder.build(0.0).expect("a right model");
        let made = integrator(scheme, &Options::default());
        let mut simulation = Simulation::new(model, state, made, 1e-3).expect("the scheme takes it");
        let (ledger, summary) = watch(&mut simulation, 400);
        let rise = simulation.model.rigid.bodies[0].mass * 9.81 * speed * 0.4;
        let total = &ledger.total;
        assert!((total.prescribed / rise - 1.0).abs() < 1e-6, "{scheme}: {rise} {total:?}");
        assert!(ledger.worst_remainder < 1e-9 * rise, "{scheme}: {:e}", ledger.worst_remainder);
        assert!(summary.impacts <= 1, "{scheme}: {} impacts of a ball that lies", summary.impacts);
    }
}

/// A ball with slip that hits a rough floor: u_T⁺ = −e_T u_T⁻ and u_N⁺ = −e u_N⁻ at the point of contact, where the cone is wide enough.
#[test]
fn tangential_restitution_turns_the_slip_of_bodies_round() {
    let (e, e_t, slip, fall) = (0.5, 0.4, 1.5, 3.0);
    for planar in [false, true] {
        for scheme in ["moreau-jean", "kick-drift"] {
            let law = Coulomb {
                friction: 5.0,
                restitution: e,
                tangential_restitution: e_t,
                ..Coulomb::default()
            };
            let mut stage = crate::stage::Stage::new(planar, law);
            stage.builder.gravity([0.0; 3]);
            stage.floor();
            let mut body = stage.ball("ball", RADIUS, [0.0, RADIUS + 0.0317]);
            body.velocity = [slip, -fall, 0.0];
            stage.builder.body(body);
            let mut simulation = stage.simulation(integrator(scheme, &Options::default()), 1e-3);
            simulation.run(30, &mut []).expect("it runs");
            let v = simulation.step().expect("a good step").shown.v.clone();
            // The lowest point: v + ω × r.
            let at_contact = v[0] + RADIUS * v[if planar { 2 } else { 5 }];
            let name = format!("{scheme}, planar {planar}: {v:?}");
            assert!((v[1] - e * fall).abs() < 1e-9, "{name}");
            // Kick-drift is at the instant of the impact; a θ-step has an arm that differs by the way of a step.
            let tolerance = if scheme == "kick-drift" { 1e-9 } else { fall * 1e-3 / RADIUS };
            assert!((at_contact + e_t * slip).abs() < tolerance, "{name}: {at_contact}");
        }
    }
}

/// What lies is hit at most once, whatever carries it.
#[test]
fn a_body_that_lies_is_not_hit_in_every_step() {
    for scheme in ["moreau-jean", "kick-drift", "moreau-projected", "moreau-adaptive", "stewart-trinkle"]
    {
        let mut yard = Yard::new(0.3, 0.0);
        yard.floor();
        let shape = Shape::cuboid([0.1, 0.1, 0.1]).expect("a right shape");
        let mut body = yard.body("box", &shape, 1000.0, [0.0, 0.0, 0.1]);
        // It slides first, so that friction and the pressure of the four points change.
        body.velocity = [0.3, 0.0, 0.0];
        yard.builder.body(body);
        let (model, state) = yard.builder.build(0.0).expect("a right model");
        let made = integrator(scheme, &Options::default());
        let mut simulation = Simulation::new(model, state, made, 2e-3).expect("the scheme takes it");
        let (ledger, summary) = watch(&mut simulation, 200);
        assert!(summary.impacts <= 4, "{scheme}: {} impacts of four points", summary.impacts);
        let kinetic = 0.5 * simulation.model.rigid.bodies[0].mass * 0.09;
        // A scheme with φ = 1 books friction against u⁺, and the rest under `scheme`.
        let scheme_of_its_own = if scheme == "stewart-trinkle" { ledger.total.scheme } else { 0.0 };
        let rubbed = ledger.total.friction + scheme_of_its_own;
        assert!((rubbed / -kinetic - 1.0).abs() < 1e-6, "{scheme}: {:?}", ledger.total);
        assert!(ledger.total.impact.abs() + ledger.total.contact.abs() < 1e-9 * kinetic, "{scheme}");
    }
}
