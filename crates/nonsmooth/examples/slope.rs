//! A box slides down a slope of 30° with μ = 0.3: a = g (sin α − μ cos α), and the slope carries m g cos α.

use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::{Error, Simulation, integrators::KickDrift, laws::Coulomb, model::ModelBuilder};
use nonsmooth::{shapes::Pose, shapes::Shape};

pub(crate) fn main() -> Result<(), Error> {
    let (angle, friction, gravity) = (30.0f64.to_radians(), 0.3, 9.81);
    let (sin, cos) = angle.sin_cos();
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -gravity]);
    let wood = builder.material("wood");
    let law = builder.law("wood on wood", Coulomb { friction, ..Default::default() });
    builder.pair(wood, wood, law);
    let slope = Collider::space(Shape::half_space([sin, 0.0, cos])?, wood);
    builder.kinematic(KinematicBody::new("slope", vec![slope]));
    let half = [0.2, 0.15, 0.1];
    let Pose { position, rotation } =
        Pose::turned([half[2] * sin, 0.0, half[2] * cos], [0.0, 1.0, 0.0], angle);
    let box_ = Body::solid("box", Shape::cuboid(half)?, 600.0, wood)?;
    let mass = box_.mass;
    builder.body(Body { position, rotation, ..box_ });
    let (model, state) = builder.build(0.0)?;

    let (h, end) = (1e-3, 1.0);
    let mut simulation = Simulation::new(model, state, KickDrift::default(), h)?;
    simulation.run((end / h) as u64, &mut [])?;
    let at = simulation.body("box").expect("it is there").position;
    let [x, z] = [at.x - position[0], at.z - position[2]];
    let travel = 0.5 * gravity * (sin - friction * cos) * end * end;
    println!("it slid {} m, expected {travel} m", x * cos - z * sin);
    assert!((x * cos - z * sin - travel).abs() < 1e-6);
    assert!((x * sin + z * cos).abs() < 1e-6, "it neither lifts nor sinks");

    let contacts = simulation.contacts();
    let normal = |c: usize| contacts.impulse[contacts.rows(c).start];
    let force = (0..contacts.len()).map(normal).sum::<f64>() / contacts.length;
    assert!((force - mass * gravity * cos).abs() < 1e-6 * mass * gravity, "the slope carries {force} N");
    Ok(())
}
