//! Bodies without contact.

use super::{G, diagonal, run};
use nonsmooth::model::ModelBuilder;
use nonsmooth::model::rigid::Body;

#[test]
fn a_thrown_body_follows_its_parabola() {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let mut body = Body::new("stone", 2.0, diagonal([0.1, 0.2, 0.3]));
    body.velocity = [1.0, 2.0, 3.0];
    builder.body(body);
    let mut simulation = run(builder, 0.01);
    simulation.run(100, &mut []).unwrap();
    let q = &simulation.state.q;
    let exact = [1.0, 2.0, 3.0 - 0.5 * G];
    for k in 0..3 {
        assert!((q[k] - exact[k]).abs() < 1e-13, "{} instead of {}", q[k], exact[k]);
    }
}
