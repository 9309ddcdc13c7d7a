//! Boxes that slide, and boxes that must not.

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

/// Friction at four corners of a box that slides without turning acts at the centre of pressure, which lies ahead of the
/// centre of mass on the line of motion: no torque about the vertical, whatever the box's yaw.
#[test]
fn a_sliding_box_does_not_turn() {
    let (mu, v, h, n) = (0.3, 2.0, 1e-3, 800);
    for (yaw_deg, direction_deg) in
        [(0.0, 0.0), (0.0, 90.0), (0.0, 37.0), (30.0, 0.0), (30.0, 30.0), (30.0, 100.0), (71.0, 250.0)]
    {
        let (yaw, direction) = (f64::to_radians(yaw_deg), f64::to_radians(direction_deg));
        let mut yard = Yard::new(mu, 0.0);
        yard.floor();
        let cuboid = Shape::cuboid([0.2, 0.1, 0.06]).unwrap();
        let mut body = yard.body("box", &cuboid, 700.0, [0.0, 0.0, 0.06]);
        body.rotation = about([0.0, 0.0, 1.0], yaw);
        let (s, c) = direction.sin_cos();
        body.velocity = [v * c, v * s, 0.0];
        yard.builder.body(body);
        let mut simulation = yard.simulation(h);
        let start = simulation.state.clone();
        watch(&mut simulation, n);
        let (q, case) = (&simulation.state.q, (yaw_deg, direction_deg));
        let way = v * v / (2.0 * mu * 9.81);
        // θ = ½ is exact under constant deceleration; the step in which it stops is not: ½ h² μ g.
        let (along, across) = (c * q[0] + s * q[1], c * q[1] - s * q[0]);
        assert!((along - way).abs() < 0.5 * h * h * mu * 9.81 + 1e-9, "{case:?}: {along} and {way}");
        // Residuals: 800 steps, each 1e-10 of h g, on arms of 0.1 m.
        assert!(across.abs() < 1e-9, "{case:?}: {across:.2e} off the line");
        assert!((q[2] - 0.06).abs() < 1e-9, "{case:?}: height {}", q[2]);
        let turned = (3..7).fold(0.0f64, |m, k| m.max((q[k] - start.q[k]).abs()));
        assert!(turned < 1e-8, "{case:?}: turned by {turned:.2e}");
    }
}

/// A box that pads press against a wall stays there for an hour. A residual of 1e-10 in every step may let it creep with
/// 1e-10 h (g + F/m): 1.4e-6 m in an hour with h = 0.1 s and F/m = 3 g.
#[test]
fn a_pinched_box_does_not_creep_in_an_hour() {
    for pushed_by_spring in [false, true] {
        let mut yard = Yard::with_law(|builder| {
            builder.law("rough", Coulomb { friction: 0.5, ..Coulomb::default() })
        });
        let (rough, ice) = (yard.material, yard.builder.material("ice"));
        let smooth = yard.builder.law("smooth", NewtonImpact { restitution: 0.0 });
        yard.builder.pair(rough, ice, smooth);
        let wall = Shape::half_space([1.0, 0.0, 0.0]).unwrap();
        yard.fix("wall", wall, [0.0; 3]);
        // The pad stands on ice, which takes its weight and leaves it free to press.
        let shelf = Collider::space(Shape::half_space([0.0, 0.0, 1.0]).unwrap(), ice);
        let shelf =
            KinematicBody { position: [0.0, 0.0, -0.2], ..KinematicBody::new("shelf", vec![shelf]) };
        yard.builder.kinematic(shelf);
        let cube = Shape::cuboid([0.1; 3]).unwrap();
        yard.add("box", &cube, 1000.0, [0.1, 0.0, 0.0]);
        let pad = Shape::cuboid([0.1, 0.1, 0.2]).unwrap();
        let pad = yard.add("pad", &pad, 1000.0, [0.3, 0.0, 0.0]);
        let force = 3.0 * 8.0 * 9.81;
        if !pushed_by_spring {
            yard.builder.wrench(pad, false, Box::new(move |_| Ok([-force, 0.0, 0.0, 0.0, 0.0, 0.0])));
        }
        if pushed_by_spring {
            // Compressed by 1 cm.
            yard.builder.spring(Spring {
                name: "spring".into(),
                ends: [Anchor { on: pad, at: [0.1, 0.0, 0.0] }, world([0.89, 0.0, 0.0])],
                stiffness: force / 0.01,
                damping: 0.0,
                rest_length: 0.5,
            });
        }
        let h = 0.1;
        let mut simulation = yard.simulation(h);
        let start = simulation.state.clone();
        let (_, summary) = observe(&mut simulation, (3600.0 / h) as u64, |_| {});
        let creep = moved(&start, &simulation.state);
        assert!(creep < 1.4e-6, "spring: {pushed_by_spring}: crept by {creep:.2e} m");
        assert!(summary.overlap < 1.4e-6, "{:.2e}", summary.overlap);
    }
}

/// With too little force it falls, with g − 2 μ F/m while it slides.
#[test]
fn a_box_pressed_too_weakly_slides_down() {
    let (mu, h) = (0.5, 1e-3);
    let mut yard = Yard::new(mu, 0.0);
    yard.fix("wall", Shape::half_space([1.0, 0.0, 0.0]).unwrap(), [0.0; 3]);
    let cube = Shape::cuboid([0.1; 3]).unwrap();
    let body = yard.add("box", &cube, 1000.0, [0.1, 0.0, 0.0]);
    let force = 8.0 * 9.81;
    yard.builder.wrench(body, false, Box::new(move |_| Ok([-force, 0.0, 0.0, 0.0, 0.0, 0.0])));
    let mut simulation = yard.simulation(h);
    watch(&mut simulation, 1000);
    // a = g − μ F/m = g/2, exact for θ = ½; the friction at the wall's side is balanced by pressure there.
    let fall = 0.25 * 9.81;
    assert!((simulation.state.q[2] + fall).abs() < 1e-8, "{} {fall}", simulation.state.q[2]);
    assert!(simulation.state.q[4..7].iter().all(|x| x.abs() < 1e-8), "{:?}", simulation.state.q);
}
