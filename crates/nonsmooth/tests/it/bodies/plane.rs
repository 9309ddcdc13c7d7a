//! Bodies in the plane: closed forms, and the same motion as in space.

use super::prelude::*;
use nonsmooth_geometry::planar::Shape;

struct Flat {
    builder: ModelBuilder,
    material: MaterialId,
}

impl Flat {
    /// A half-plane below the line through the origin with this normal.
    fn new(friction: f64, restitution: f64, normal: [f64; 2]) -> Self {
        let mut builder = ModelBuilder::new();
        builder.gravity([0.0, -9.81, 0.0]);
        let material = builder.material("stuff");
        let law = builder.law("all", Coulomb { friction, restitution, ..Coulomb::default() });
        builder.default_pair(law);
        let part = Collider::plane(Shape::half_plane(normal).expect("a right shape"), material);
        builder.kinematic(KinematicBody::new("ground", vec![part]));
        Self { builder, material }
    }

    fn body(&self, shape: &Shape, at: [f64; 2]) -> Body {
        let mass = shape.mass_properties(100.0).expect("a solid");
        let colliders = vec![Collider::plane(shape.clone(), self.material)];
        let name = format!("body at {at:?}");
        Body { position: [at[0], at[1], 0.0], colliders, ..Body::planar(&name, mass.mass, mass.inertia) }
    }

    fn simulation(self, h: f64) -> Simulation {
        let (model, state) = self.builder.build(0.0).expect("a right model");
        Simulation::new(model, state, MoreauJean::default(), h).expect("the scheme takes it")
    }
}

/// A disk rolls with a = ⅔ g sin α where μ ≥ ⅓ tan α, else it slides with g (sin α − μ cos α).
#[test]
fn a_disk_rolls_or_slides_down_an_incline() {
    let (s, c) = f64::to_radians(20.0).sin_cos();
    for ratio in [0.5, 0.99, 1.01, 2.0] {
        let mu = ratio * s / (3.0 * c);
        let mut flat = Flat::new(mu, 0.0, [s, c]);
        let body = flat.body(&Shape::ball(0.1).unwrap(), [0.1 * s, 0.1 * c]);
        flat.builder.body(body);
        let mut simulation = flat.simulation(1e-3);
        watch(&mut simulation, 1000);
        let (q, v) = (&simulation.state.q, &simulation.state.v);
        let (a, turn) = if ratio > 1.0 {
            (2.0 / 3.0 * 9.81 * s, 2.0 / 3.0 * 9.81 * s / 0.1)
        } else {
            (9.81 * (s - mu * c), 2.0 * mu * 9.81 * c / 0.1)
        };
        let way = (q[0] - 0.1 * s) * c - (q[1] - 0.1 * c) * s;
        // Constant accelerations: θ = ½ is exact up to residuals.
        assert!((way / (0.5 * a) - 1.0).abs() < 1e-8, "{ratio}: {way} {}", 0.5 * a);
        // Down the slope is to the right: the disk turns clockwise.
        assert!((v[2] / -turn - 1.0).abs() < 1e-8, "{ratio}: {} {turn}", v[2]);
    }
}

#[test]
fn a_stack_of_rectangles_stays() {
    let mut flat = Flat::new(0.5, 0.0, [0.0, 1.0]);
    let shape = Shape::rectangle([0.2, 0.1]).unwrap();
    for i in 0..6 {
        let body = flat.body(&shape, [0.02 * f64::from(i % 2), 0.1 + 0.2 * f64::from(i)]);
        flat.builder.body(body);
    }
    let mut simulation = flat.simulation(1e-3);
    let start = simulation.state.clone();
    let (ledger, summary) = watch(&mut simulation, 10_000);
    let moved = moved(&start, &simulation.state);
    // As for stacks in space.
    assert!(moved < 1e-9, "{moved:.2e}");
    assert!(summary.overlap < 1e-9 && summary.unconverged == 0);
    assert!(ledger.worst_remainder <= 1e-13 * ledger.scale);
}

/// A rectangle slides to a halt after v²/(2 μ g) and does not turn.
#[test]
fn a_rectangle_slides_to_a_halt() {
    let (mu, v, h) = (0.3, 2.0, 1e-3);
    let mut flat = Flat::new(mu, 0.0, [0.0, 1.0]);
    let mut body = flat.body(&Shape::rectangle([0.2, 0.1]).unwrap(), [0.0, 0.1]);
    body.velocity = [v, 0.0, 0.0];
    flat.builder.body(body);
    let mut simulation = flat.simulation(h);
    watch(&mut simulation, 800);
    let q = &simulation.state.q;
    assert!((q[0] - v * v / (2.0 * mu * 9.81)).abs() < 0.5 * h * h * mu * 9.81 + 1e-9, "{q:?}");
    assert!(q[2].abs() < 1e-9, "{q:?}");
}

/// A box thrown flat, spinning about the axis across, bounces and slides in space as in the plane: the four corners in
/// space are two pairs of one corner in the plane, which share its impulse.
#[test]
fn a_planar_motion_is_the_same_in_space() {
    for (e, mu, height) in [(0.0, 0.4, 0.5), (0.5, 0.2, 0.8), (0.3, 2.0, 0.4)] {
        let h = 1e-3;
        let (velocity, spin, tilt) = (1.5, -3.0, 0.3);
        let mut flat = Flat::new(mu, e, [0.0, 1.0]);
        let mut body = flat.body(&Shape::rectangle([0.2, 0.1]).unwrap(), [0.0, height]);
        body.velocity = [velocity, 0.0, 0.0];
        body.angular_velocity = [0.0, 0.0, spin];
        body.rotation = about([0.0, 0.0, 1.0], tilt);
        flat.builder.body(body);
        let mut plane = flat.simulation(h);

        // In space the plane is x, z; a turn by φ from x to z is one by −φ about y.
        let mut yard = Yard::new(mu, e);
        yard.floor();
        let shape = spatial::Shape::cuboid([0.2, 0.5, 0.1]).unwrap();
        let mut body = yard.body("body", &shape, 100.0, [0.0, 0.0, height]);
        body.velocity = [velocity, 0.0, 0.0];
        body.angular_velocity = [0.0, -spin, 0.0];
        body.rotation = about([0.0, 1.0, 0.0], -tilt);
        yard.builder.body(body);
        let mut space = yard.simulation(h);

        for k in 0..1500 {
            plane.step().unwrap_or_else(|error| panic!("{error}"));
            space.step().unwrap_or_else(|error| panic!("{error}"));
            let (p, s) = (&plane.state, &space.state);
            let angle = -2.0 * s.q[5].atan2(s.q[3]);
            let turn = (p.q[2] - angle).rem_euclid(std::f64::consts::TAU);
            let turn = turn.min(std::f64::consts::TAU - turn);
            let off = (p.q[0] - s.q[0]).abs().max((p.q[1] - s.q[2]).abs()).max(turn);
            // Residuals of 1e-10 grow with every impact of a corner, some tenfold each.
            assert!(off < 1e-6, "e = {e}, μ = {mu}, step {k}: {off:.2e}");
            assert!(s.q[1].abs() < 1e-7, "it leaves its plane: {}", s.q[1]);
        }
    }
}
