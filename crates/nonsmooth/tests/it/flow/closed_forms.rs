//! Derivatives of the flow against closed forms.

use super::systems::ball;
use super::{settings, varied};
use nonsmooth::integrators::flow::{Direction, FlowEventKind, Varied, flow_with_derivative};
use nonsmooth::model::{Model, State};

fn near(found: f64, exact: f64, what: &str) {
    assert!((found - exact).abs() <= 1e-8 * exact.abs().max(1.0), "{what}: {found}, not {exact}");
}

/// From height z at rest the ball hits at t₁ = √(2z/g), then at t_k = t₁ (1 + 2e + … + 2e^{k−1}), and leaves with e^k g t₁.
#[test]
fn a_ball_on_a_floor_depends_on_height_restitution_and_weight_as_the_closed_form_says() {
    let (z, e, g, end) = (1.0, 0.8, 10.0, 2.5);
    let flow = flow_with_derivative(&varied(&[z, 0.0, e, g], ball), end, &settings(0.05), &[]);
    let flow = flow.expect("it is smooth");
    let t1 = f64::sqrt(2.0 * z / g);
    // Sums over the flights between, and their derivatives by e.
    let flights = |k: i32| (1..k).map(|j| 2.0 * f64::powi(e, j)).sum::<f64>();
    let by_e = |k: i32| (1..k).map(|j| 2.0 * f64::from(j) * f64::powi(e, j - 1)).sum::<f64>();
    assert_eq!(flow.events.len(), 4);
    for (event, k) in flow.events.iter().zip(1..) {
        assert_eq!(event.kind, FlowEventKind::Impact);
        near(event.t.value, t1 * (1.0 + flights(k)), "t_k");
        near(event.t.d[0], t1 / (2.0 * z) * (1.0 + flights(k)), "dt_k/dz");
        near(event.t.d[2], t1 * by_e(k), "dt_k/de");
        near(event.t.d[3], -t1 / (2.0 * g) * (1.0 + flights(k)), "dt_k/dg");
    }
    // z(T) = w s − g s²/2 with w = e⁴ g t₁ and s = T − t₄.
    let k = 4;
    let (w, s) = (f64::powi(e, k) * g * t1, end - t1 * (1.0 + flights(k)));
    let exact = |dw: f64, ds: f64| dw * s + (w - g * s) * ds;
    near(flow.state.q[0], w * s - 0.5 * g * s * s, "z");
    near(flow.d_state[0][0], exact(w / (2.0 * z), -t1 / (2.0 * z) * (1.0 + flights(k))), "dz/dz₀");
    near(flow.d_state[2][0], exact(4.0 * w / e, -t1 * by_e(k)), "dz/de");
    near(flow.d_state[2][1], 4.0 * w / e + g * t1 * by_e(k), "dv/de");
}

/// Thrown up with w from z it is highest, z + w²/2g, at w/g.
#[test]
fn the_highest_point_and_its_instant_have_their_derivatives() {
    let (z, w, g) = (1.0, 2.0, 10.0);
    let height = |_: &Model, state: &State| Ok(state.q[0]);
    let speed = |_: &Model, state: &State| Ok(state.v[0]);
    let varied = varied(&[z, w, 0.7, g], ball);
    let flow = flow_with_derivative(&varied, 1.0, &settings(0.1), &[&height, &speed]);
    let flow = flow.expect("it is smooth");
    let [max, when] = &flow.extremes[0].max;
    near(max.value, z + w * w / (2.0 * g), "max");
    near(max.d[0], 1.0, "dmax/dz");
    near(max.d[1], w / g, "dmax/dw");
    near(max.d[3], -w * w / (2.0 * g * g), "dmax/dg");
    near(when.value, w / g, "when");
    near(when.d[1], 1.0 / g, "dwhen/dw");
    near(when.d[3], -w / (g * g), "dwhen/dg");
    // Lowest where it hits, whatever happens: y = 0 there, at t₁ = (w + √(w² + 2gz))/g.
    let root = f64::sqrt(w * w + 2.0 * g * z);
    let [min, when] = &flow.extremes[0].min;
    near(min.value, 0.0, "min");
    near(min.d[0], 0.0, "dmin/dz");
    near(when.value, (w + root) / g, "when");
    near(when.d[0], 1.0 / root, "dwhen/dz");
    // Slowest just before the impact, −√(w² + 2gz), fastest just after it or at the start.
    near(flow.extremes[1].min[0].value, -root, "slowest");
    near(flow.extremes[1].min[0].d[0], -g / root, "dslowest/dz");
    near(flow.extremes[1].max[0].value, 0.7 * root, "fastest");
    near(flow.extremes[1].max[0].d[2], root, "dfastest/de");
}

/// The free flight of a ball: Φ = [[1, t], [0, 1]], with directions of the initial state; and the end by its time.
#[test]
fn directions_of_the_initial_state_and_the_final_time() {
    let (model, state) = ball(&[5.0, 1.0, 0.5, 10.0]);
    let varied =
        Varied { model, state, directions: vec![Direction::Position(0), Direction::Velocity(0)] };
    let flow = flow_with_derivative(&varied, 0.25, &settings(0.1), &[]).expect("it is smooth");
    near(flow.d_state[0][0], 1.0, "dz/dz");
    near(flow.d_state[0][1], 0.0, "dv/dz");
    near(flow.d_state[1][0], 0.25, "dz/dv");
    near(flow.rate[0], 1.0 - 2.5, "dz/dt");
    near(flow.rate[1], -10.0, "dv/dt");
}
