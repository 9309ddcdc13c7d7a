//! Steps in which nothing touches and only constant loads act are one formula (`phases/fly.rs`). They are those that the phases make one by
//! one: the same model with a force of zeros, which sends it through all of them, has the same bits.

use nonsmooth::integrators::MoreauJean;
use nonsmooth::laws::NewtonImpact;
use nonsmooth::model::{Linear, ModelBuilder};
use nonsmooth::observers::{EnergyLedger, Summary};
use nonsmooth::solvers::Sparse;
use nonsmooth::{RunError, Simulation};

/// Two masses over a floor, with a force of zeros or without a force.
fn falling(masses: [f64; 2], (q, v): ([f64; 2], [f64; 2]), has_force: bool, step: f64) -> Simulation {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&masses)).load(&[-9.81 * masses[0], 0.25]);
    let mut ball = ball.initial(&q, &v);
    if has_force {
        ball = ball.force(|_, f| {
            f.fill(0.0);
            Ok(())
        });
    }
    let ball = builder.linear(ball);
    let law = builder.law("rebound", NewtonImpact { restitution: 0.8 });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0), (ball, 1, 0.1)], -0.1);
    let (model, state) = builder.build(0.0).expect("a right model");
    Simulation::new(model, state, MoreauJean::default(), step).expect("accepted")
}

#[test]
fn a_flight_has_the_bits_of_the_phases_one_by_one() {
    let start = ([1.3, -0.4], [0.7, 2.0]);
    let [mut short, mut long] =
        [false, true].map(|has_force| falling([0.3, 1.7], start, has_force, 0.003));
    let mut watched = [(); 2].map(|()| (EnergyLedger::default(), Summary::default()));
    let (mut flights, mut touching) = (0, 0);
    for _ in 0..1500 {
        for (simulation, (ledger, summary)) in [&mut short, &mut long].into_iter().zip(&mut watched) {
            simulation.run(1, &mut [ledger, summary]).expect("a good step");
        }
        assert_eq!(short.state, long.state);
        let [a, b] = [&short, &long].map(|simulation| simulation.contacts().impulse.clone());
        assert_eq!(a, b);
        *(if a.is_empty() { &mut flights } else { &mut touching }) += 1;
        let [a, b] = [&watched[0], &watched[1]];
        assert_eq!((a.0.energies, a.0.total, &a.1), (b.0.energies, b.0.total, &b.1));
    }
    // The ball flies, and it bounces.
    assert!(flights > 500 && touching > 10, "{flights} {touching}");
}

/// What is refused, in the same words: velocities whose energy overflows, and coordinates that do.
#[test]
fn a_flight_beyond_all_numbers_is_refused() {
    let cases = [
        ([1.0, 1.0], ([1.0, 1.0], [1e200, 0.0]), 0.1, "energy"),
        ([1e-300, 1.0], ([1.0, 1.0], [1e300, 0.0]), 1e9, "position"),
    ];
    for (masses, start, step, expected) in cases {
        let said = [false, true].map(|has_force| {
            let mut simulation = falling(masses, start, has_force, step);
            match simulation.step() {
                Err(RunError::Step { source, .. }) => source.to_string(),
                _ => "no error".to_owned(),
            }
        });
        assert_eq!(said[0], said[1]);
        assert!(said[0].contains(expected) && said[0].contains("ball"), "{}", said[0]);
    }
}
