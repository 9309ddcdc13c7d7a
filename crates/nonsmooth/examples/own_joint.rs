//! A joint of one's own: cylindrical, which lets a body turn about an axis and travel along it.

use nonsmooth::joints::{AxisKind, Joint, JointAxes, JointRows, Side, Within};
use nonsmooth::model::{JointAt, ModelBuilder, Rigid, rigid::Body};
use nonsmooth::{Error, Simulation, integrators::KickDrift};

struct Cylindrical;
impl Joint for Cylindrical {
    fn name(&self) -> &'static str {
        "cylindrical"
    }

    fn dim(&self, _within: Within) -> usize {
        4
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[AxisKind::Travel, AxisKind::Angle]
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        for k in 0..2 {
            out.slide(a, b, k);
            out.align(a, b, k);
        }
    }

    fn axes(&self, _within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.travel(a, b);
        out.angle(a, b);
    }
}

pub(crate) fn main() -> Result<(), Error> {
    // The axis is z, 0.5 m from the body's centre, which circles while it falls.
    let (radius, spin, gravity, end) = (0.5, 3.0, 9.81, 1.0);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -gravity]);
    let inertia = [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3]];
    let body = builder.body(Body {
        position: [radius, 0.0, 0.0],
        velocity: [0.0, radius * spin, 0.0],
        angular_velocity: [0.0, 0.0, spin],
        ..Body::new("ring", 2.0, inertia)
    });
    let joint = JointAt::new(Box::new(Cylindrical), [0.0; 3]).axis([0.0, 0.0, 1.0]);
    builder.joint("shaft", joint, Rigid::World, body);
    let (model, state) = builder.build(0.0)?;
    let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-3)?;
    simulation.run(1000, &mut [])?;
    let expected =
        [radius * (spin * end).cos(), radius * (spin * end).sin(), -0.5 * gravity * end * end];
    println!("at {:?}, expected {expected:?}", &simulation.state.q[..3]);
    assert!(simulation.state.q.iter().zip(expected).all(|(q, x)| (q - x).abs() < 1e-5));
    Ok(())
}
