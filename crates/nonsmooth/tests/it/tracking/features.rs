//! Boxes and polygons: corners that come to the end of an edge are events, as contacts that part and slips that turn are.

use super::{ALL, G, LOCATE, Yard};
use crate::body_kit::order;
use crate::kit::{Coulomb, EnergyLedger, NewtonImpact, Options, Simulation, State};
use nonsmooth::laws::Law;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth_geometry::{planar, spatial};

/// A box of this width and height, as deep as wide in space.
fn solid(yard: &Yard, [w, h]: [f64; 2]) -> Collider {
    if yard.planar {
        let shape = planar::Shape::rectangle([0.5 * w, 0.5 * h]).expect("a right shape");
        Collider::plane(shape, yard.material)
    } else {
        let shape = spatial::Shape::cuboid([0.5 * w, 0.5 * w, 0.5 * h]).expect("a right shape");
        Collider::space(shape, yard.material)
    }
}

/// A block of mass 1, turned by φ so that its top goes towards negative horizontal coordinates.
fn block(yard: &Yard, size: [f64; 2], [x, height, phi]: [f64; 3]) -> Body {
    let [w, h] = size;
    let j = (w * w + h * h) / 12.0;
    let inertia = [[j, 0.0, 0.0], [0.0, j, 0.0], [0.0, 0.0, if yard.planar { j } else { w * w / 6.0 }]];
    let (s, c) = (0.5 * phi).sin_cos();
    Body {
        planar: yard.planar,
        position: yard.at(x, height),
        rotation: if yard.planar { [c, 0.0, 0.0, s] } else { [c, 0.0, -s, 0.0] },
        colliders: vec![solid(yard, size)],
        ..Body::new("block", 1.0, inertia)
    }
}

fn yard(planar: bool, law: impl Law + 'static) -> Yard {
    let mut yard = Yard::new(planar, 0.0);
    let law = yard.builder.law("own", law);
    yard.builder.default_pair(law);
    yard
}

/// Fixed boxes 2 high, with their tops at height 0: middle and width.
fn tables(yard: &mut Yard, places: &[[f64; 2]]) {
    for (k, &[x, w]) in places.iter().enumerate() {
        let top = solid(yard, [w, 2.0]);
        let mut table = KinematicBody::new(&format!("table {k}"), vec![top]);
        table.position = yard.at(x, -1.0);
        yard.builder.kinematic(table);
    }
}

fn coulomb(friction: f64, restitution: f64) -> Coulomb {
    Coulomb { friction, restitution, ..Coulomb::default() }
}

/// Horizontal place, height and φ of the first body, and their rates.
fn motion(planar: bool, s: &State) -> [f64; 6] {
    if planar {
        return std::array::from_fn(|k| if k < 3 { s.q[k] } else { s.v[k - 3] });
    }
    [s.q[0], s.q[2], -2.0 * s.q[5].atan2(s.q[3]), s.v[0], s.v[2], -s.v[4]]
}

fn ran(yard: Yard, scheme: &str, h: f64, n: u64) -> (Simulation, EnergyLedger) {
    let mut simulation = yard.run(scheme, &Options::default(), h);
    let mut ledger = EnergyLedger::default();
    let made = simulation.run(n, &mut [&mut ledger]);
    made.unwrap_or_else(|error| panic!("{scheme}, h = {h}: {error}"));
    (simulation, ledger)
}

/// Runge–Kutta's classical method.
fn rk4<const N: usize>(x: &mut [f64; N], f: impl Fn(&[f64; N]) -> [f64; N], t: f64, n: usize) {
    let dt = t / n as f64;
    for _ in 0..n {
        let at = |k: &[f64; N], s: f64| std::array::from_fn(|i| x[i] + s * dt * k[i]);
        let k1 = f(x);
        let k2 = f(&at(&k1, 0.5));
        let k3 = f(&at(&k2, 0.5));
        let k4 = f(&at(&k3, 1.0));
        (0..N).for_each(|i| x[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
}

/// A block with half diagonal R at the angle α rocks about a corner that sticks: (4/3) R φ̈ = −g sin(α − φ). At φ = 0 Housner's impact leaves
/// 1 − (3/2) sin² α of the rate, and it goes on about the other corner.
#[test]
fn a_block_rocks_by_housners_ratio() {
    let ([w, h], tilted): ([f64; 2], f64) = ([0.4, 1.0], 0.1);
    let (r, alpha) = (0.5 * w.hypot(h), w.atan2(h));
    let fall = |x: &[f64; 2]| [x[1], -0.75 * G / r * (alpha - x[0]).sin()];
    // The time at which φ = 0, by Newton's method on the end of a run.
    let (mut t, mut x) = (0.22, [tilted, 0.0]);
    for _ in 0..20 {
        x = [tilted, 0.0];
        rk4(&mut x, fall, t, 2000);
        t -= x[0] / x[1];
    }
    let end = 0.5;
    let mut y = [0.0, -x[1] * (1.0 - 1.5 * alpha.sin().powi(2))];
    rk4(&mut y, fall, end - t, 2000);
    let exact = [-y[0], -y[1]];
    for planar in [true, false] {
        for on_table in [false, true] {
            for scheme in LOCATE {
                let mut yard = yard(planar, coulomb(1.0, 0.0));
                if on_table {
                    tables(&mut yard, &[[0.0, 4.0]])
                } else {
                    yard.floor()
                }
                let (s, c) = tilted.sin_cos();
                let up = 0.5 * (w * s + h * c);
                let body = block(&yard, [w, h], [0.1, up, tilted]);
                yard.builder.body(body);
                let (simulation, ledger) = ran(yard, scheme, 0.01, 50);
                let found = motion(planar, &simulation.state);
                // The default of `high-order` at h = 0.01; the other is located and solved to 1e-9.
                let off = (found[2] - exact[0]).abs().max((found[5] - exact[1]).abs());
                assert!(off < 2e-9, "{scheme}, plane {planar}, table {on_table}: {found:?}, {exact:?}");
                assert!(ledger.remainder.abs() < 1e-8, "{scheme}: {ledger:?}");
            }
        }
    }
}

/// A block that was let fall turned by φ hits with a corner at (x, −y) from its middle. Without friction p = (1 + e) v/(1/m + x²/J): the velocity and the rate
/// after it follow, and it flies on.
#[test]
fn a_block_that_falls_on_a_corner_turns_by_its_impulse() {
    let ([w, h], phi, e): ([f64; 2], f64, f64) = ([0.4, 0.3], 0.5, 0.5);
    let (s, c) = phi.sin_cos();
    let (x, y) = (0.5 * (h * s - w * c), 0.5 * (w * s + h * c));
    let fall = (2.0 * (1.0 - y) / G).sqrt();
    let p = (1.0 + e) * G * fall / (1.0 + x * x * 12.0 / (w * w + h * h));
    let (v, omega) = (p - G * fall, x * p * 12.0 / (w * w + h * h));
    let rest = 0.41 - fall;
    let exact = [0.0, y + v * rest - 0.5 * G * rest * rest, phi + omega * rest];
    for planar in [true, false] {
        for scheme in ALL {
            let mut yard = yard(planar, NewtonImpact { restitution: e });
            yard.floor();
            let body = block(&yard, [w, h], [0.0, 1.0, phi]);
            yard.builder.body(body);
            let (simulation, _) = ran(yard, scheme, 0.41 / 64.0, 64);
            let found = motion(planar, &simulation.state);
            let off = (0..3).map(|k| (found[k] - exact[k]).abs()).fold(0.0, f64::max);
            // The impact is at the end of a step where it is not located: an error of up to h ω, with 19 rad/s.
            let bound = if LOCATE.contains(&scheme) { 1e-9 } else { 0.41 / 64.0 * 20.0 };
            assert!(off < bound, "{scheme}, plane {planar}: {found:?}, not {exact:?}");
        }
    }
}

/// A block with a smooth bottom slides over the end of a table at 1 m/s. When its middle is above the end it begins to turn about the end, which slides along its
/// bottom: in s (from the end to the middle, along the bottom) and φ < 0
///
/// ```text
/// place = s t + (h/2) n,  t = (cos φ, sin φ), n = (−sin φ, cos φ);   s̈ = s φ̇² + (h/2) φ̈ − g sin φ,
/// (s² + (h/2)² + J) φ̈ − (h/2) s̈ + 2 s ṡ φ̇ = −g (s cos φ − (h/2) sin φ)
/// ```
#[test]
fn a_block_slides_off_the_end_of_a_table_with_the_order_of_the_method() {
    let ([w, h], t_end): ([f64; 2], f64) = ([0.4, 0.2], 0.7);
    let (j, a) = ((w * w + h * h) / 12.0, 0.5 * h);
    let mut x = [0.0, 1.0, 0.0, 0.0];
    let f = |x: &[f64; 4]| {
        let [s, s_dot, phi, omega] = *x;
        // s̈ − a φ̈ = b₁ and (s² + a² + J) φ̈ − a s̈ = b₂.
        let b1 = s * omega * omega - G * phi.sin();
        let b2 = -2.0 * s * s_dot * omega - G * (s * phi.cos() - a * phi.sin());
        let turn = (b2 + a * b1) / (s * s + j);
        [s_dot, b1 + a * turn, omega, turn]
    };
    rk4(&mut x, f, t_end - 0.5, 20_000);
    let [s, _, phi, omega] = x;
    let exact = [1.0 + s * phi.cos() - a * phi.sin(), s * phi.sin() + a * phi.cos(), phi, omega];
    let error = |planar: bool, scheme: &str, n: u64| {
        let mut yard = yard(planar, NewtonImpact { restitution: 0.0 });
        tables(&mut yard, &[[0.0, 2.0]]);
        let body = block(&yard, [w, h], [0.5, a, 0.0]);
        yard.builder.body(Body { velocity: [1.0, 0.0, 0.0], ..body });
        let (simulation, _) = ran(yard, scheme, t_end / n as f64, n);
        let found = motion(planar, &simulation.state);
        let found = [found[0], found[1], found[2], found[5]];
        (0..4).map(|k| (found[k] - exact[k]).abs()).fold(0.0, f64::max)
    };
    for planar in [true, false] {
        let located = error(planar, "event-driven", 50);
        assert!(located < 1e-10, "{located:e}");
        // Steps that do not divide the times of the events.
        let errors = [37, 74, 148].map(|n| error(planar, "high-order", n));
        assert!(errors[2] < 1e-9 && order(errors[0], errors[2], 4.0) > 4.0, "{errors:?}");
        for scheme in ["splitting", "d1-minus"] {
            let errors = [37, 148, 592].map(|n| error(planar, scheme, n));
            assert!(errors[2] < 4e-3 && order(errors[0], errors[2], 16.0) > 0.8, "{scheme}: {errors:?}");
        }
    }
}

/// Over the seams of three tables in a row, all of one height, a block slides as over one: v²/(2 μ g) until it rests, wherever the seams are.
#[test]
fn seams_of_boxes_do_not_brake() {
    for planar in [true, false] {
        for scheme in LOCATE {
            for x in [0.0, 0.1, 0.0321] {
                let mut yard = yard(planar, coulomb(0.1, 0.5));
                tables(&mut yard, &[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]);
                let body = block(&yard, [0.4, 0.2], [x, 0.1, 0.0]);
                yard.builder.body(Body { velocity: [1.7, 0.0, 0.0], ..body });
                let (simulation, _) = ran(yard, scheme, 0.01, 200);
                let found = motion(planar, &simulation.state);
                let exact = [x + 1.7 * 1.7 / (2.0 * 0.1 * G), 0.1, 0.0];
                let off = (0..3).map(|k| (found[k] - exact[k]).abs()).fold(0.0, f64::max);
                assert!(off < 1e-9, "{scheme}, plane {planar}, from {x}: {found:?}, not {exact:?}");
            }
        }
    }
}

/// A block that tumbles onto a table with friction and rebounds, impact after impact until it rests: half the step gives the same, and no energy comes from nowhere.
#[test]
fn a_tumbling_block_comes_to_rest() {
    for planar in [true, false] {
        let ends = [0.01, 0.005].map(|h| {
            let mut yard = yard(planar, coulomb(0.3, 0.4));
            tables(&mut yard, &[[0.0, 4.0]]);
            let body = block(&yard, [0.4, 0.2], [0.0, 0.5, 0.3]);
            let spin = if planar { [0.0, 0.0, -3.0] } else { [0.0, 3.0, 0.0] };
            yard.builder.body(Body { velocity: [1.0, 0.0, 0.0], angular_velocity: spin, ..body });
            let (simulation, ledger) = ran(yard, "high-order", h, (1.0 / h) as u64);
            assert!(ledger.total.impact < -1.0, "{ledger:?}");
            assert!(ledger.remainder.abs() < 1e-6, "{ledger:?}");
            motion(planar, &simulation.state)
        });
        let [a, b] = ends;
        assert!((a[1] - 0.1).abs() < 1e-9 && a[3..].iter().all(|v| v.abs() < 1e-9), "{a:?}");
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-6), "{ends:?}");
    }
}

/// What is remembered of boxes between steps is enough: a run from any state is the run.
#[test]
fn a_run_goes_on_from_any_of_its_states() {
    for scheme in ALL {
        let make = || {
            let mut yard = yard(true, coulomb(0.2, 0.0));
            tables(&mut yard, &[[0.0, 2.0]]);
            let body = block(&yard, [0.4, 0.2], [0.7, 0.1, 0.0]);
            yard.builder.body(Body { velocity: [1.5, 0.0, 0.0], ..body });
            yard.run(scheme, &Options::default(), 0.01)
        };
        let mut whole = make();
        for k in 0..60 {
            let mut part = make();
            part.set_state((*whole.state).clone()).expect("a state of the model");
            whole.run(1, &mut []).unwrap_or_else(|error| panic!("{scheme}, step {k}: {error}"));
            part.run(1, &mut []).unwrap_or_else(|error| panic!("{scheme}, step {k}: {error}"));
            assert_eq!(whole.state.q, part.state.q, "{scheme}, step {k}");
            assert_eq!(whole.state.v, part.state.v, "{scheme}, step {k}");
        }
    }
}
