//! A ball is dropped on a floor. It bounces with restitution ½ and comes to rest.
//!
//! From the height H it falls for √(2H/g), and each flight is half as long as the one before: it rests after 3 √(2H/g).

use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::{Error, Simulation, integrators::KickDrift, laws::NewtonImpact, model::ModelBuilder};
use nonsmooth::{observers::EnergyLedger, shapes::Shape};

pub(crate) fn main() -> Result<(), Error> {
    let (radius, height, gravity) = (0.1, 1.0, 9.81);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -gravity]);
    let rubber = builder.material("rubber");
    let law = builder.law("rebound", NewtonImpact { restitution: 0.5 });
    builder.default_pair(law);
    let floor = Collider::space(Shape::half_space([0.0, 0.0, 1.0])?, rubber);
    builder.kinematic(KinematicBody::new("floor", vec![floor]));
    let ball = Body::solid("ball", Shape::ball(radius)?, 1000.0, rubber)?;
    let weight = ball.mass * gravity;
    builder.body(Body { position: [0.0, 0.0, radius + height], ..ball });
    let (model, state) = builder.build(0.0)?;

    let (h, fall) = (1e-3, (2.0 * height / gravity).sqrt());
    let mut simulation = Simulation::new(model, state, KickDrift::default(), h)?;
    let mut ledger = EnergyLedger::default();
    // At the top of the first flight: fall, and half of a flight that lasts as long as the fall.
    let steps = (1.5 * fall / h).round() as u64;
    simulation.run(steps, &mut [&mut ledger])?;
    let top = simulation.state.q[2] - radius;
    // Time is a whole number of steps, at most h/2 off the top.
    assert!((top - height / 4.0).abs() < gravity * h * h / 8.0 + 1e-9, "the top is at {top} m");

    simulation.run(2 * steps, &mut [&mut ledger])?;
    let contacts = simulation.contacts();
    let force = contacts.impulse[0] / contacts.length;
    println!("at rest at z = {} m; the floor carries {force} N", simulation.state.q[2]);
    println!("impacts took {} J, unexplained {:e} J", -ledger.total.impact, ledger.remainder);
    assert!((simulation.state.q[2] - radius).abs() < 1e-6);
    assert!((force - weight).abs() < 1e-9 * weight);
    assert!((ledger.total.impact + weight * height).abs() < 1e-3 * weight * height);
    Ok(())
}
