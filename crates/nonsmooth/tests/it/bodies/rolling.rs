//! Rolling: on planes, meshes and height fields alike; from sliding to rolling; down an incline.

use super::prelude::*;
use nonsmooth_geometry::spatial::Shape;

const RADIUS: f64 = 0.1;

/// A floor of triangles over |x|, |y| ≤ 6 m with diagonals both ways.
fn mesh() -> Shape {
    let n = 25u32;
    let at = |i: u32| 0.5 * f64::from(i) - 6.0;
    let vertices: Vec<[f64; 3]> = (0..n * n).map(|k| [at(k % n), at(k / n), 0.0]).collect();
    let mut triangles = Vec::new();
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let [a, b, c, d] = [i + n * j, i + 1 + n * j, i + n * (j + 1), i + 1 + n * (j + 1)];
            triangles.extend(if (i + j) % 2 == 0 {
                [[a, b, d], [a, d, c]]
            } else {
                [[a, b, c], [b, d, c]]
            });
        }
    }
    Shape::mesh(&vertices, &triangles).expect("a right shape")
}

fn floors() -> [(&'static str, Shape); 3] {
    let field = Shape::height_field(vec![0.0; 31 * 31], 31, 31, [0.4, 0.4]).expect("a right shape");
    [
        ("plane", Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape")),
        ("mesh", mesh()),
        ("field", field),
    ]
}

/// 10 m at 2 m/s over dozens of triangles, along edges, across them and through vertices.
#[test]
fn a_ball_rolls_without_loss_on_any_floor() {
    let (v, h, n) = (2.0, 2e-3, 2500);
    for (name, floor) in floors() {
        for direction_deg in [0.0, 45.0, 21.7] {
            let mut yard = Yard::new(0.5, 0.0);
            yard.fix("floor", floor.clone(), [0.0; 3]);
            let (s, c) = f64::to_radians(direction_deg).sin_cos();
            let ball = Shape::ball(RADIUS).unwrap();
            let mut body = yard.body("ball", &ball, 1000.0, [-5.0 * c, -5.0 * s, RADIUS]);
            body.velocity = [v * c, v * s, 0.0];
            body.angular_velocity = [-v * s / RADIUS, v * c / RADIUS, 0.0];
            yard.builder.body(body);
            let mut simulation = yard.simulation(h);
            let start = simulation.state.clone();
            watch(&mut simulation, n);
            let (q, w) = (&simulation.state.q, &simulation.state.v);
            // Residuals of 1e-10 of h g in 2500 steps.
            let lost = start.v.iter().zip(w).take(3).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(lost < 1e-8, "{name} {direction_deg}: v changed by {lost:.2e}");
            assert!((q[2] - RADIUS).abs() < 1e-8, "{name} {direction_deg}: height {:e}", q[2] - RADIUS);
            let way = (q[0] - start.q[0]) * c + (q[1] - start.q[1]) * s;
            assert!((way - 10.0).abs() < 1e-7, "{name} {direction_deg}: way {way}");
        }
    }
}

/// A cylinder on a line of contact rolls like the ball, with yaw, and does not turn away.
#[test]
fn a_cylinder_rolls_without_loss() {
    let (v, h, n) = (1.0, 2e-3, 2500);
    for (name, floor) in floors() {
        for yaw_deg in [0.0, 33.0] {
            let yaw = f64::to_radians(yaw_deg);
            let mut yard = Yard::new(0.5, 0.0);
            yard.fix("floor", floor.clone(), [0.0; 3]);
            let cylinder = Shape::cylinder(0.15, RADIUS).unwrap();
            let (s, c) = yaw.sin_cos();
            let mut body = yard.body("roller", &cylinder, 1000.0, [-2.5 * c, -2.5 * s, RADIUS]);
            // The body's z axis lies along (−sin, cos, 0), about which it rolls towards (cos, sin, 0).
            body.rotation = about([-c, -s, 0.0], std::f64::consts::FRAC_PI_2);
            body.velocity = [v * c, v * s, 0.0];
            body.angular_velocity = [0.0, 0.0, v / RADIUS];
            yard.builder.body(body);
            let mut simulation = yard.simulation(h);
            let start = simulation.state.clone();
            watch(&mut simulation, n);
            let (q, w) = (&simulation.state.q, &simulation.state.v);
            let lost = start.v.iter().zip(w).take(3).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            // As for the ball; two points share the load.
            assert!(lost < 1e-7, "{name} {yaw_deg}: v changed by {lost:.2e}: {w:?}");
            assert!((q[2] - RADIUS).abs() < 1e-8, "{name} {yaw_deg}: height {:e}", q[2] - RADIUS);
        }
    }
}

/// m r v + J ω is kept about the line of contact: v_end = (5 v₀ + 2 r ω₀)/7, from t = 2 |v₀ − r ω₀|/(7 μ g) on.
#[test]
fn a_ball_with_backspin_ends_rolling() {
    let (mu, h) = (0.2, 1e-3);
    for (v, spin) in [(3.0, 0.0), (3.0, -20.0), (1.0, -50.0), (0.5, 80.0)] {
        let mut yard = Yard::new(mu, 0.0);
        yard.floor();
        let ball = Shape::ball(RADIUS).unwrap();
        let mut body = yard.body("ball", &ball, 1000.0, [0.0, 0.0, RADIUS]);
        (body.velocity, body.angular_velocity) = ([v, 0.0, 0.0], [0.0, spin, 0.0]);
        yard.builder.body(body);
        let mut simulation = yard.simulation(h);
        let (ledger, _) = watch(&mut simulation, 2000);
        let slip: f64 = v - RADIUS * spin;
        let (end, t_roll) =
            ((5.0 * v + 2.0 * RADIUS * spin) / 7.0, 2.0 * slip.abs() / (7.0 * mu * 9.81));
        assert!(t_roll < 2.0, "it rolls within the run");
        let w = &simulation.state.v;
        assert!((w[0] - end).abs() < 1e-8, "{v} {spin}: {} {end}", w[0]);
        assert!((w[0] - RADIUS * w[4]).abs() < 1e-8, "{v} {spin}: still slips");
        let way = 0.5 * (v + end) * t_roll + end * (2.0 - t_roll);
        // Exact but for the step in which it begins to roll: ½ h² μ g.
        let x = simulation.state.q[0];
        assert!((x - way).abs() < 0.5 * h * h * mu * 9.81 + 1e-8, "{v} {spin}: {x} {way}");
        // Lost to friction: ½ (2m/7) slip² of the reduced mass of the point of contact.
        let mass = simulation.model.rigid.bodies[0].mass;
        let loss = -mass * slip * slip / 7.0;
        assert!((ledger.total.friction / loss - 1.0).abs() < 1e-6 || slip == 0.0, "{:?}", ledger.total);
    }
}

/// a = 5/7 g sin α where μ ≥ 2/7 tan α; else g (sin α − μ cos α), with ω̇ = 5 μ g cos α/(2 r).
#[test]
fn a_ball_rolls_or_slides_down_an_incline() {
    let (h, n) = (1e-3, 1000);
    for angle_deg in [10.0, 30.0, 60.0] {
        let angle = f64::to_radians(angle_deg);
        let (s, c) = angle.sin_cos();
        let least = 2.0 / 7.0 * s / c;
        for mu in [0.5 * least, 0.99 * least, 1.01 * least, 2.0 * least] {
            let mut yard = Yard::new(mu, 0.0);
            yard.slope([s, 0.0, c]);
            let ball = Shape::ball(RADIUS).unwrap();
            yard.add("ball", &ball, 1000.0, [RADIUS * s, 0.0, RADIUS * c]);
            let mut simulation = yard.simulation(h);
            watch(&mut simulation, n);
            let (q, v) = (&simulation.state.q, &simulation.state.v);
            let (a, turn) = if mu > least {
                (5.0 / 7.0 * 9.81 * s, 5.0 / 7.0 * 9.81 * s / RADIUS)
            } else {
                (9.81 * (s - mu * c), 2.5 * mu * 9.81 * c / RADIUS)
            };
            // Constant accelerations: θ = ½ is exact up to residuals.
            let way = (q[0] - RADIUS * s) * c - (q[2] - RADIUS * c) * s;
            assert!((way / (0.5 * a) - 1.0).abs() < 1e-8, "{angle_deg} {mu}: {way} {}", 0.5 * a);
            assert!((v[4] / turn - 1.0).abs() < 1e-8, "{angle_deg} {mu}: {} {turn}", v[4]);
        }
    }
}

/// Down one slope of a valley and up the other. The impact at the bottom keeps the angular momentum about the new point
/// of contact: (J + m r² cos 2α) ω⁻ = (J + m r²) ω⁺.
#[test]
fn a_ball_rolls_through_a_valley() {
    let angle = f64::to_radians(5.0);
    let (s, c) = angle.sin_cos();
    let mut yard = Yard::new(1.0, 0.0);
    for side in [-1.0, 1.0] {
        yard.fix(&format!("slope {side}"), Shape::half_space([side * s, 0.0, c]).unwrap(), [0.0; 3]);
    }
    let ball = Shape::ball(RADIUS).unwrap();
    // On the left slope, whose normal is (s, 0, c), 1 m up.
    yard.add("ball", &ball, 1000.0, [-c + RADIUS * s, 0.0, s + RADIUS * c]);
    let mut simulation = yard.simulation(1e-3);
    let (mut before, mut after) = (0.0f64, None);
    let (ledger, _) = observe(&mut simulation, 2500, |frame| {
        let (x, square) = (frame.after.q[0], frame.after.v[0].powi(2) + frame.after.v[2].powi(2));
        if x < 0.0 && after.is_none() {
            before = before.max(square);
        } else if x > 0.02 && after.is_none() {
            // Back to the bottom by energy.
            after = Some(square + 10.0 / 7.0 * 9.81 * s * x / c);
        }
    });
    let want = 10.0 / 7.0 * 9.81 * s * (1.0 - RADIUS * s / c);
    // The last step before the bottom is up to h v away: h g s of the speed.
    assert!((before / want - 1.0).abs() < 2e-3, "{before} {want}");
    let ratio = (0.4 + (2.0 * angle).cos()) / 1.4;
    let found = (after.expect("it passes the bottom") / want).sqrt();
    // The step of the impact is made with the old slope up to its end: h g s.
    assert!((found / ratio - 1.0).abs() < 1e-3, "{found} {ratio}");
    assert!(ledger.worst_remainder <= 1e-13 * ledger.scale);
}
