//! A joint of one's own: it keeps an axis upright, and leaves the body free to move and to turn about that axis.

use nonsmooth::joints::{AxisKind, Joint, JointAxes, JointRows, Side, Within};
use nonsmooth::model::{JointAt, ModelBuilder, Rigid, rigid::Body};
use nonsmooth::{Error, Simulation, integrators::KickDrift};

struct Upright;
impl Joint for Upright {
    fn name(&self) -> &'static str {
        "upright"
    }

    fn dim(&self, _within: Within) -> usize {
        2
    }

    fn needs_axis(&self, _within: Within) -> bool {
        true
    }

    fn free_axes(&self, _within: Within) -> &'static [AxisKind] {
        &[AxisKind::Angle]
    }

    fn rows(&self, _within: Within, a: &Side, b: &Side, out: &mut JointRows) {
        out.align(a, b);
    }

    fn axes(&self, _within: Within, a: &Side, b: &Side, out: &mut JointAxes) {
        out.angle(a, b);
    }
}

pub(crate) fn main() -> Result<(), Error> {
    // The body is not balanced about z, so without the joint it would tumble; with it, it turns about z while it flies.
    let (speed, spin, gravity, end) = (2.0, 3.0, 9.81, 1.0);
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -gravity]);
    let inertia = [[0.2, 0.0, 0.05], [0.0, 0.2, 0.0], [0.05, 0.0, 0.3]];
    let body = builder.body(Body {
        velocity: [speed, 0.0, 0.0],
        angular_velocity: [0.0, 0.0, spin],
        ..Body::new("gyro", 2.0, inertia)
    });
    let joint = JointAt::new(Box::new(Upright), [0.0; 3]).axis([0.0, 0.0, 1.0]);
    builder.joint("gimbal", joint, Rigid::World, body);
    let (model, state) = builder.build(0.0)?;
    let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-3)?;
    simulation.run(1000, &mut [])?;
    let half = 0.5 * spin * end;
    let expected = [speed * end, 0.0, -0.5 * gravity * end * end, half.cos(), 0.0, 0.0, half.sin()];
    println!("at {:?}, expected {expected:?}", &simulation.state.q);
    assert!(simulation.state.q.iter().zip(expected).all(|(q, x)| (q - x).abs() < 1e-5));
    Ok(())
}
