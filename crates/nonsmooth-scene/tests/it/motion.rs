//! How bodies move by default: closed forms, conserved quantities and fine independent integrations.
//!
//! Bounds are three times what the scheme was measured to reach when it was designed, unless a line says otherwise.

use crate::from_text;
use glam::{DMat3, DQuat, DVec3};
use nonsmooth::model::RigidState;
use nonsmooth::observers::{EnergyLedger, Summary};

const G: f64 = 9.81;
const FLOOR: &str =
    "[[body]]\nname = \"floor\"\nshape = { type = \"half-space\", normal = [0, 0, 1] }\nfixed = true\n";

/// What a run left behind.
struct Ran {
    ledger: EnergyLedger,
    summary: Summary,
    /// Largest |E − E₀| / |E₀|.
    change: f64,
}

/// World, bodies and the other tables of a scene with gravity along −z.
fn scene(bodies: &str, contact: &str, end: f64, h: f64) -> String {
    format!(
        "[world]\ngravity = [0, 0, -{G}]\n{bodies}\n[contact]\ndefault = {{ {contact} }}\n[run]\nend = {end}\nstep_size = {h}\n"
    )
}

/// Runs a scene with its default scheme and shows time and rigid states of every step.
fn ran(text: &str, mut see: impl FnMut(f64, &[RigidState])) -> Ran {
    let loaded = from_text(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut simulation = loaded.simulation;
    let mut ledger = EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite");
    let (mut summary, mut rigid, mut change) = (Summary::default(), Vec::new(), 0.0f64);
    let start = ledger.initial.kinetic + ledger.initial.potential;
    for _ in 0..loaded.n_steps {
        let frame = simulation.step().unwrap_or_else(|error| panic!("{error}\n{text}"));
        ledger.book(frame.log.energies, frame.log.works);
        summary.book(&frame);
        let now = ledger.energies.kinetic + ledger.energies.potential;
        change = change.max((now - start).abs() / start.abs());
        frame
            .model
            .rigid_states(frame.shown.t, &frame.shown.q, &frame.shown.v, &mut rigid)
            .expect("finite");
        see(frame.shown.t, &rigid);
    }
    assert_eq!(summary.unconverged, 0, "{text}");
    Ran { ledger, summary, change }
}

/// y(end) of ẏ = f(y): Runge–Kutta of order 4 in `n` steps.
fn integrate<const N: usize>(
    mut y: [f64; N],
    f: impl Fn(&[f64; N]) -> [f64; N],
    end: f64,
    n: usize,
) -> [f64; N] {
    let h = end / n as f64;
    let plus =
        |y: &[f64; N], s: f64, d: &[f64; N]| -> [f64; N] { std::array::from_fn(|i| y[i] + s * d[i]) };
    for _ in 0..n {
        let a = f(&y);
        let b = f(&plus(&y, 0.5 * h, &a));
        let c = f(&plus(&y, 0.5 * h, &b));
        let d = f(&plus(&y, h, &c));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

/// Tilt of the body's z axis.
fn tilt(rotation: DQuat) -> f64 {
    (rotation * DVec3::Z).z.clamp(-1.0, 1.0).acos()
}

/// A coin that rolls on its rim without slip, in no steady motion: energy and tilt.
fn coin(h: f64) -> (Ran, f64) {
    let (a, thick, lean) = (0.0375, 0.01, 0.5);
    let rotation = DQuat::from_rotation_y(lean);
    let arm = rotation * DVec3::new(a, 0.0, -0.5 * thick);
    let own = DVec3::new(-20.0, 0.0, 8.0);
    let v = -(rotation * own).cross(arm);
    let body = format!(
        "{FLOOR}[[body]]\nname = \"coin\"\nshape = {{ type = \"cylinder\", radius = {a}, length = {thick} }}\nmass = 0.4\n\
         position = [0, 0, {}]\nvelocity = [{}, {}, {}]\norientation = {{ axis = [0, 1, 0], angle = {lean} }}\n\
         angular_velocity = [{}, {}, {}]\n",
        -arm.z, v.x, v.y, v.z, own.x, own.y, own.z
    );
    let mut last = 0.0;
    let ran = ran(&scene(&body, "friction = 2", 1.0, h), |_, rigid| last = tilt(rigid[0].rotation));
    (ran, last)
}

#[test]
fn a_coin_that_rolls_keeps_its_energy_with_second_order() {
    let [(coarse, first), (fine, second), (finest, third)] = [2e-4, 1e-4, 5e-5].map(coin);
    // The aim is 1e-6 of the energy per second at 1e-4; what a coin that nods does in between is 4e-6.
    let lost = |ran: &Ran| (ran.ledger.error + ran.ledger.total.friction).abs() / ran.ledger.scale;
    assert!(lost(&fine) < 1e-6, "{:.1e}", lost(&fine));
    assert!(fine.change < 1.2e-5, "{:.1e}", fine.change);
    assert!(fine.change < 0.3 * coarse.change && finest.change < 0.3 * fine.change);
    // Tilt at the end: differences fall by four.
    let ratio = (first - second) / (second - third);
    assert!((3.0..6.0).contains(&ratio), "{ratio}");
}

/// Sphere with its centre of mass below the middle, which slides all the time: tilt at t = 0.3 s by a fine integration.
fn tippe_top_exact(radius: f64, below: f64, mass: f64, inertia: DVec3, friction: f64) -> f64 {
    let columns = |y: &[f64; 14]| DMat3::from_cols_slice(&y[..9]);
    let rate = |y: &[f64; 14]| {
        let (r, w) = (columns(y), DVec3::from_slice(&y[9..12]));
        let axis = r.z_axis;
        let arm = below * axis - radius * DVec3::Z;
        let turning = w.cross(axis);
        let slip = DVec3::new(y[12], y[13], -below * turning.z) + w.cross(arm);
        let slip = DVec3::new(slip.x, slip.y, 0.0);
        let direction = DVec3::Z - friction * slip.normalize_or_zero();
        let own = r.transpose() * w;
        let free = r * (-own.cross(inertia * own) / inertia);
        let forced = r * ((r.transpose() * arm.cross(direction)) / inertia);
        // −below (ω̇ × axis + ω × (ω × axis))_z = N/m − g
        let normal = (G - below * (free.cross(axis).z + w.cross(turning).z))
            / (1.0 / mass + below * forced.cross(axis).z);
        let spin = free + normal * forced;
        let mut out = [0.0; 14];
        for (k, column) in [r.x_axis, r.y_axis, r.z_axis].into_iter().enumerate() {
            out[3 * k..3 * k + 3].copy_from_slice(&w.cross(column).to_array());
        }
        out[9..12].copy_from_slice(&spin.to_array());
        out[12] = normal * direction.x / mass;
        out[13] = normal * direction.y / mass;
        out
    };
    let start = DMat3::from_rotation_y(0.1);
    let mut y = [0.0; 14];
    y[..9].copy_from_slice(&start.to_cols_array());
    y[9..12].copy_from_slice(&(start * DVec3::new(0.0, 0.0, 150.0)).to_array());
    let end = integrate(y, rate, 0.3, 30_000);
    columns(&end).z_axis.normalize().z.acos()
}

#[test]
fn a_tippe_top_follows_a_fine_integration() {
    let (radius, below, mass) = (0.015, 0.0015, 0.01);
    let j = mass * radius * radius;
    let inertia = DVec3::new(0.45 * j, 0.45 * j, 0.4 * j);
    let exact = tippe_top_exact(radius, below, mass, inertia, 0.3);
    let body = format!(
        "{FLOOR}[[body]]\nname = \"top\"\nshape = {{ type = \"ball\", radius = {radius} }}\nmass = {mass}\n\
         inertia = [{}, {}, {}]\ncentre = [0, 0, -{below}]\nposition = [0, 0, {radius}]\n\
         orientation = {{ axis = [0, 1, 0], angle = 0.1 }}\nangular_velocity = [0, 0, 150]\n",
        inertia.x, inertia.y, inertia.z
    );
    for (h, bound) in [(1e-3, 1e-3), (2.5e-4, 2.1e-4)] {
        let mut found = 0.0;
        ran(&scene(&body, "friction = 0.3", 0.3, h), |_, rigid| found = tilt(rigid[0].rotation));
        assert!((found - exact).abs() < bound, "h = {h}: tilt {found}, not {exact}");
    }
}

/// A plate on three points in one plane with its centre of mass slides and turns: each point carries a third of the weight.
#[test]
fn a_plate_that_slides_and_spins_is_of_second_order() {
    let points = [0.0, 120.0f64, 240.0]
        .map(|angle| [0.1 * angle.to_radians().cos(), 0.1 * angle.to_radians().sin()]);
    let rate = |y: &[f64; 6]| {
        let (s, c) = y[2].sin_cos();
        let mut out = [y[3], y[4], y[5], 0.0, 0.0, 0.0];
        for [px, py] in points {
            let (rx, ry) = (c * px - s * py, s * px + c * py);
            let (vx, vy) = (y[3] - y[5] * ry, y[4] + y[5] * rx);
            let force = 0.3 * G / 3.0 / vx.hypot(vy);
            out[3] -= force * vx;
            out[4] -= force * vy;
            out[5] -= force * (rx * vy - ry * vx) / 0.02;
        }
        out
    };
    let exact = integrate([0.0, 0.0, 0.0, 1.5, 0.3, 8.0], rate, 0.3, 6000);
    // Balls of a tenth of a micrometre are points here.
    let radius = 1e-7;
    let parts: Vec<String> = points
        .iter()
        .map(|[x, y]| {
            format!("{{ shape = {{ type = \"ball\", radius = {radius} }}, position = [{x}, {y}, 0] }}")
        })
        .collect();
    let body = format!(
        "{FLOOR}[[body]]\nname = \"plate\"\nshape = {{ type = \"compound\", parts = [{}] }}\nmass = 1\ninertia = [0.01, 0.01, 0.02]\n\
         position = [0, 0, {radius}]\nvelocity = [1.5, 0.3, 0]\nangular_velocity = [0, 0, 8]\n",
        parts.join(", ")
    );
    let errors = [4e-3, 2e-3, 1e-3].map(|h| {
        let mut at = DVec3::ZERO;
        ran(&scene(&body, "friction = 0.3", 0.3, h), |_, rigid| at = rigid[0].position);
        (at.x - exact[0]).hypot(at.y - exact[1])
    });
    let order = (errors[0] / errors[2]).log2() / 2.0;
    eprintln!("plate: {errors:?}, order {order:.2}");
    assert!(errors[2] < 1.5e-6, "{errors:?}");
    assert!((1.7..2.4).contains(&order), "{errors:?}, order {order:.2}");
}

/// Housner's block: angle by steps, and the ratio of angular velocities at the first impact from the energies.
fn rocking(width: f64, h: f64) -> (f64, Vec<(f64, f64)>) {
    let start = 0.8 * width.atan();
    let at = DQuat::from_rotation_y(start) * DVec3::new(-0.5 * width, 0.0, 0.5);
    let body = format!(
        "{FLOOR}[[body]]\nname = \"block\"\nshape = {{ type = \"box\", size = [{width}, 0.3, 1] }}\nmass = 1\n\
         position = [{}, 0, {}]\norientation = {{ axis = [0, 1, 0], angle = {start} }}\n",
        at.x, at.z
    );
    let text = scene(&body, "friction = 2, restitution = 0", 2.0, h);
    let inertia = (width * width + 1.0) / 12.0;
    let (mut angles, mut energies) = (Vec::new(), Vec::new());
    ran(&text, |t, rigid| {
        let RigidState { position, rotation, velocity, spin } = rigid[0];
        angles.push((t, 2.0 * rotation.y.atan2(rotation.w)));
        energies.push(
            0.5 * velocity.length_squared()
                + 0.5 * inertia * spin.length_squared()
                + G * (position.z - 0.5),
        );
    });
    let hit = angles.windows(2).position(|pair| pair[0].1 * pair[1].1 < 0.0).expect("it rocks");
    ((energies[hit + 3] / energies[0]).sqrt(), angles)
}

#[test]
fn a_rocking_block_is_of_second_order_through_impacts() {
    for width in [0.2, 0.5] {
        let exact = 1.0 - 1.5 * width * width / (width * width + 1.0);
        let (ratio, _) = rocking(width, 5e-4);
        assert!((ratio - exact).abs() < 1e-5, "B/H = {width}: {ratio}, Housner {exact}");
    }
    let angle = |h: f64| {
        let (_, angles) = rocking(0.2, h);
        angles.iter().find(|(t, _)| (t - 1.0).abs() < 1e-9).expect("a step ends there").1
    };
    let [a, b, c] = [4e-3, 2e-3, 1e-3].map(angle);
    let ratio = (a - b) / (b - c);
    eprintln!("after an impact: {a}, {b}, {c}: ratio {ratio:.2}");
    assert!((a - b).abs() < 1.5e-5 && (3.0..6.0).contains(&ratio), "ratio {ratio}");
}

#[test]
fn a_block_on_an_incline_holds_and_slides_to_one_in_a_million() {
    for (of_limit, bound) in [(1.0 - 1e-6, 1e-8), (1.0 + 1e-6, 1e-8), (1.5, 1e-9)] {
        let slope = f64::atan(0.5 * of_limit);
        let exact = (0.5 * G * (slope.sin() - 0.5 * slope.cos())).max(0.0);
        let text = format!(
            "[world]\ngravity = [{}, 0, {}]\n{FLOOR}[[body]]\nname = \"block\"\nshape = {{ type = \"box\", size = [0.2, 0.2, 0.1] }}\n\
             mass = 1\nposition = [0, 0, 0.05]\n[contact]\ndefault = {{ friction = 0.5 }}\n[run]\nend = 1\nstep_size = 1e-3\n",
            G * slope.sin(),
            -G * slope.cos()
        );
        let mut at = DVec3::ZERO;
        let ran = ran(&text, |_, rigid| at = rigid[0].position);
        assert!((at.x - exact).abs() < bound, "{of_limit}: x = {:e}, not {exact:e}", at.x);
        assert!((at.z - 0.05).abs() < 1e-10 && ran.summary.relative_overlap < 1e-9, "{of_limit}");
    }
}

/// Three joined bodies are struck by two spinning balls: total momentum and angular momentum.
#[test]
fn joined_bodies_that_are_struck_keep_their_momenta() {
    let size = DVec3::new(0.4, 0.1, 0.15);
    let mut bodies = String::new();
    for i in 0..3 {
        bodies += &format!(
            "[[body]]\nname = \"link{i}\"\nshape = {{ type = \"box\", size = [0.4, 0.1, 0.15] }}\nmass = {}\nposition = [{}, 0, 0]\n",
            1 + i,
            0.5 * i as f64
        );
    }
    bodies += "[[joint]]\nname = \"socket\"\ntype = \"spherical\"\nbetween = [{ body = \"link0\" }, { body = \"link1\" }]\nat = [0.25, 0, 0]\n\
               [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbetween = [{ body = \"link1\" }, { body = \"link2\" }]\nat = [0.75, 0, 0]\naxis = [0, 1, 0.3]\n\
               [[body]]\nname = \"shot0\"\nshape = { type = \"ball\", radius = 0.05 }\nmass = 0.5\nposition = [0.1, 0.02, 0.5]\nvelocity = [0, 0, -3]\nangular_velocity = [20, 5, 7]\n\
               [[body]]\nname = \"shot1\"\nshape = { type = \"ball\", radius = 0.05 }\nmass = 0.7\nposition = [1.1, -0.03, -0.7]\nvelocity = [0, 0, 4]\nangular_velocity = [-10, 15, 3]\n";
    let masses = [1.0, 2.0, 3.0, 0.5, 0.7];
    let moments = |rigid: &[RigidState]| {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for (i, mass) in masses.into_iter().enumerate() {
            let square = size * size;
            let inertia = if i < 3 {
                mass / 12.0 * DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y)
            } else {
                DVec3::splat(0.4 * mass * 0.0025)
            };
            let RigidState { position, rotation, velocity, spin } = rigid[i];
            linear += mass * velocity;
            angular +=
                mass * position.cross(velocity) + rotation * (inertia * (rotation.inverse() * spin));
        }
        (linear, angular)
    };
    for h in [1e-2, 1e-3] {
        let text = scene(&bodies, "friction = 0.4, restitution = 0.6", 0.5, h)
            .replace(&format!("gravity = [0, 0, -{G}]"), "gravity = [0, 0, 0]");
        let (mut first, mut last) = (None, (DVec3::ZERO, DVec3::ZERO));
        let ran = ran(&text, |_, rigid| {
            last = moments(rigid);
            first.get_or_insert(last);
        });
        let (linear, angular) = first.expect("a step");
        let lost = (last.0 - linear).length().max((last.1 - angular).length());
        assert!(ran.summary.impacts >= 2, "nothing was struck");
        // Rounding of 500 steps.
        assert!(lost < 1e-12, "h = {h}: momenta change by {lost:.1e}");
    }
}

/// No solver reaches a tolerance of 1e-17; the step goes on, is counted, and its problem is there to be saved.
#[test]
fn the_problem_of_a_step_that_is_counted_is_kept_whole() {
    let bodies = format!(
        "{FLOOR}[[body]]\nname = \"box\"\nshape = {{ type = \"box\", size = [0.1, 0.1, 0.1] }}\ndensity = 1000\nposition = [0, 0, 0.1]\n\
         orientation = {{ axis = [1, 2, 3], angle = 0.7 }}\n"
    );
    let text = scene(&bodies, "friction = 0.4, restitution = 0", 0.3, 1e-3)
        + "on_unconverged = \"count\"\n[solver]\ntype = \"auto\"\ntolerance = 1e-17\n";
    let loaded = from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (mut simulation, mut seen) = (loaded.simulation, 0);
    for _ in 0..loaded.n_steps {
        let (is_missed, residual) = {
            let frame = simulation.step().expect("the run goes on");
            (frame.log.missed, frame.log.residual)
        };
        if is_missed {
            let problem = simulation.last_problem().expect("kick-drift keeps its problems");
            assert!(!problem.u_free.is_empty(), "residual {residual:e}");
            assert_eq!(problem.delassus.assembled().n_rows(), problem.u_free.len());
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} steps were counted");
}
