//! Where the flow has no derivative it says so, with the time.

use super::systems::ball;
use super::{settings, varied};
use crate::kit::{Built, Coulomb, Linear, ModelBuilder, NewtonImpact, Sparse};
use crate::tracking::Yard;
use nonsmooth::integrators::flow::{Flow, FlowError, Kink, flow_with_derivative};

const G: f64 = 10.0;

fn flow(p: &[f64], end: f64, make: impl Fn(&[f64]) -> Built) -> Result<Flow, FlowError> {
    flow_with_derivative(&varied(p, make), end, &settings(0.05), &[])
}

/// Why there is no derivative, and when.
fn kink(p: &[f64], end: f64, make: impl Fn(&[f64]) -> Built) -> (f64, Kink) {
    match flow(p, end, make) {
        Err(FlowError::NotDifferentiable { t, why }) => (t, why),
        Err(error) => panic!("{error}"),
        Ok(flow) => panic!("it has a derivative: {:?}", flow.d_state),
    }
}

/// A point of mass 1 in the plane with this load, at q with v, and gaps n·q + b with restitution e.
fn point(load: [f64; 2], [q, v]: [[f64; 2]; 2], gaps: &[([f64; 2], f64)], restitution: f64) -> Built {
    let mut builder = ModelBuilder::new();
    // Neighbours of a point on a wall are behind it.
    builder.allow_initial_violation();
    let system = Linear::new("point", Sparse::diagonal(&[1.0, 1.0])).load(&load).initial(&q, &v);
    let system = builder.linear(system);
    let law = builder.law("rebound", NewtonImpact { restitution });
    for (k, (n, b)) in gaps.iter().enumerate() {
        builder.linear_gap(&format!("wall{k}"), law, &[(system, 0, n[0]), (system, 1, n[1])], *b);
    }
    builder.build(0.0).expect("a right model")
}

#[test]
fn grazing_a_ceiling_has_no_derivative_and_missing_it_has_one() {
    let make = |p: &[f64]| point([0.0, -G], [[0.0, 0.0], [1.0, p[0]]], &[([0.0, -1.0], p[1])], 0.5);
    let (t, why) = kink(&[4.0, 0.8], 1.0, make);
    assert!((t - 0.4).abs() < 1e-6, "{t}");
    assert!(matches!(why, Kink::Grazing { .. }), "{why}");
    let missed = flow(&[4.0, 0.8001], 1.0, make).expect("it misses");
    assert!(missed.events.is_empty());
    assert!((missed.d_state[0][1] - 1.0).abs() < 1e-8);
    assert!(flow(&[4.0, 0.7999], 1.0, make).expect("it hits").events.len() == 1);
}

#[test]
fn walls_at_a_right_angle_commute_and_others_do_not() {
    let corner = |n: [f64; 2]| {
        move |p: &[f64]| {
            let gaps = [([1.0, 0.0], 1.0), (n, n[0] + n[1])];
            point([0.0; 2], [[p[0], p[1]], [-1.0, -1.0]], &gaps, 0.5)
        }
    };
    let flow = flow(&[0.0, 0.0], 2.0, corner([0.0, 1.0])).expect("they commute");
    assert_eq!(flow.events.len(), 2);
    // x = −1 + ½ (t − 1 − x₀): ∂x/∂x₀ = −½ in each coordinate.
    assert!((flow.d_state[0][0] + 0.5).abs() < 1e-9 && flow.d_state[0][1].abs() < 1e-9);
    assert!((flow.d_state[1][1] + 0.5).abs() < 1e-9 && flow.d_state[1][0].abs() < 1e-9);
    assert!((flow.events[0].t.d[0] - 1.0).abs() < 1e-9 && flow.events[0].t.d[1] == 0.0);
    let (t, why) = kink(&[0.0, 0.0], 2.0, corner([0.6, 0.8]));
    assert!((t - 1.0).abs() < 1e-9, "{t}");
    assert!(matches!(&why, Kink::Simultaneous { constraints } if constraints.len() == 2), "{why}");
}

#[test]
fn accumulating_impacts_have_no_derivative_beyond_their_limit() {
    let (t, why) = kink(&[1.0, 0.0, 0.5, G], 3.0, ball);
    let exact = f64::sqrt(0.2) * 3.0;
    assert!((t - exact).abs() < 1e-6 && matches!(why, Kink::Accumulation { .. }), "{t}: {why}");
}

#[test]
fn what_rests_at_the_start_can_be_moved_along_the_floor_alone() {
    let at = |p: &[f64]| point([0.0, -G], [[p[0], p[1]], [1.0, 0.0]], &[([0.0, 1.0], 0.0)], 0.5);
    let (t, why) = kink(&[0.0, 0.0], 1.0, at);
    assert!(t == 0.0 && matches!(why, Kink::StartsClosed { .. }), "{t}: {why}");
    assert_eq!(
        why.to_string(),
        "constraint `wall0` is closed at the start, and parameter `p1` opens it or presses into it"
    );
    let along = flow(&[0.0], 1.0, |p| at(&[p[0], 0.0])).expect("it slides");
    assert!((along.d_state[0][0] - 1.0).abs() < 1e-9);
    assert_eq!(along.closed.len(), 1);
}

#[test]
fn a_contact_without_force_has_no_derivative_by_what_presses_it() {
    let (t, why) =
        kink(&[0.0], 1.0, |p| point([0.0, p[0]], [[0.0, 0.0], [1.0, 0.0]], &[([0.0, 1.0], 0.0)], 0.5));
    assert!(t == 0.0 && matches!(why, Kink::Closed { .. }), "{t}: {why}");
}

/// A disc of inertia 0.4 m r² that slides with 3.5 μ (1 + e) |u_N| is just stopped by its impact.
#[test]
fn an_impact_between_sticking_and_sliding_has_no_derivative() {
    let make = |p: &[f64]| {
        let mut yard = Yard::new(true, 0.0);
        yard.builder.gravity([0.0; 3]);
        let law = Coulomb { friction: 0.25, restitution: 0.6, ..Coulomb::default() };
        let law = yard.builder.law("rough", law);
        yard.builder.default_pair(law);
        yard.floor();
        let mut disc = yard.ball("disc", 1.0, 0.1, [0.0, 0.6, 0.0]);
        disc.velocity = [p[0], -1.0, 0.0];
        yard.builder.body(disc);
        yard.build()
    };
    let border = 3.5 * 0.25 * 1.6;
    let (t, why) = kink(&[border], 1.0, make);
    assert!((t - 0.5).abs() < 1e-9 && matches!(why, Kink::Border { .. }), "{t}: {why}");
    // A slip of u leaves 5u/7 as it rolls, u − μ (1 + e) as it slides.
    let [rolls, slides] = [0.9, 1.1].map(|x| flow(&[x * border], 1.0, make).expect("it is smooth"));
    assert!((rolls.d_state[0][3] - 5.0 / 7.0).abs() < 1e-8, "{:?}", rolls.d_state);
    assert!((slides.d_state[0][3] - 1.0).abs() < 1e-8, "{:?}", slides.d_state);
}

/// A force that is switched on at t = p moves the end by its instant; differences of steps would not see that.
#[test]
fn a_force_that_jumps_is_told_and_one_that_bends_is_not() {
    let make = |p: &[f64], bends: bool| {
        let at = p[0];
        let system = Linear::new("mass", Sparse::diagonal(&[1.0])).force(move |t, out| {
            out[0] = if t < at {
                0.0
            } else if bends {
                t - at
            } else {
                1.0
            };
            Ok(())
        });
        let mut builder = ModelBuilder::new();
        builder.linear(system.initial(&[0.0], &[0.0]));
        builder.build(0.0).expect("a right model")
    };
    let (t, why) = kink(&[0.512], 1.0, |p| make(p, false));
    assert!((t - 0.512).abs() < 1e-6 && matches!(why, Kink::Jump { .. }), "{t}: {why}");
    let bent = flow(&[0.512], 1.0, |p| make(p, true)).expect("it has one");
    // v = (t − p)²/2; differences across a bend are as good as what they vary, 1e-4 of p.
    assert!((bent.d_state[0][1] + 0.488).abs() < 1e-4, "{:?}", bent.d_state);
}
