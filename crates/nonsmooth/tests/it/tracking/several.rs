//! Friction at several contacts, and where accelerations do not exist or are not alone.

use super::Yard;
use super::friction::{SCHEMES, coulomb, run, simulation};
use crate::kit::{Built, Linear, ModelBuilder, Options, Sparse, State};
use nonsmooth::model::rigid::{Body, Collider, PosedShape};
use nonsmooth_geometry::broad::Groups;
use nonsmooth_geometry::{planar, spatial};

const G: f64 = 9.81;

/// A block of mass 1 that slides with 2 m/s on a block of mass 2 at rest on a floor.
fn two_blocks(upper: f64, lower: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let blocks = Linear::new("blocks", Sparse::diagonal(&[2.0, 2.0, 1.0, 1.0]));
    let blocks = blocks.load(&[-2.0 * G, 0.0, -G, 0.0]).initial(&[0.0; 4], &[0.0, 0.0, 0.0, 2.0]);
    let b = builder.linear(blocks);
    let law = builder.law("lower", coulomb(lower));
    builder.linear_contact("floor", law, &[(b, 0, 1.0)], 0.0, &[&[(b, 1, 1.0)]]);
    let law = builder.law("upper", coulomb(upper));
    let normal = [(b, 2, 1.0), (b, 0, -1.0)];
    builder.linear_contact("between", law, &normal, 0.0, &[&[(b, 3, 1.0), (b, 1, -1.0)]]);
    builder.build(0.0).expect("a right model")
}

/// With μ = ½ between the blocks and 0.1 on the floor the lower one starts with 0.1 g; after 2/(0.6 g) they have ⅓ m/s both, and stop
/// together with 0.1 g. With 0.2 on the floor the lower one stays where it is.
#[test]
fn two_blocks_meet_and_stop_together() {
    let meet = 2.0 / (0.6 * G);
    let together = meet + (1.0 / 3.0) / (0.1 * G);
    let lower = 0.05 * G * meet * meet + 0.5 * (1.0 / 3.0) * (together - meet);
    let upper = 2.0 * meet - 0.25 * G * meet * meet + 0.5 * (1.0 / 3.0) * (together - meet);
    for scheme in SCHEMES {
        let end = run(two_blocks(0.5, 0.1), scheme, 0.01, 100);
        let off = (end.q[1] - lower).abs().max((end.q[3] - upper).abs());
        eprintln!("{scheme}: {off:.1e}");
        let tolerance = if ["event-driven", "high-order"].contains(&scheme) { 1e-9 } else { 5e-3 };
        assert!(off < tolerance, "{scheme}: {:?}, not {lower} {upper}", end.q);
        assert!(end.v.iter().all(|v| v.abs() < 1e-12), "{scheme}: {:?}", end.v);
        let end = run(two_blocks(0.5, 0.2), scheme, 0.01, 100);
        let stops = 2.0 * 2.0 / (2.0 * 0.5 * G);
        // d1-minus does not project: what its solver leaves adds up.
        let creep = if scheme == "d1-minus" { 1e-9 } else { 1e-12 };
        assert!(end.q[1].abs() < creep, "{scheme}: {:?}", end.q);
        assert!((end.q[3] - stops).abs() < tolerance, "{scheme}: {:?}, not {stops}", end.q);
    }
}

/// A plate on three small balls that turns and slides.
fn plate(velocity: [f64; 3], spin: f64) -> Built {
    let mut yard = Yard::new(false, 0.0);
    let law = yard.builder.law("rough", coulomb(0.3));
    yard.builder.default_pair(law);
    yard.floor();
    let feet = [0.0, 1.0, 2.0].map(|k: f64| {
        let (y, x) = (k * 2.0 * std::f64::consts::PI / 3.0).sin_cos();
        let shape = spatial::Shape::ball(0.05).expect("a right shape");
        let pose = spatial::Pose::turned([0.5 * x, 0.5 * y, -0.1], [0.0, 0.0, 1.0], 0.0);
        Collider { posed: PosedShape::Space(shape, pose), material: yard.material, groups: Groups::ALL }
    });
    let body = Body::new("plate", 1.0, [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.2]]);
    let (position, angular_velocity) = ([0.0, 0.0, 0.15], [0.0, 0.0, spin]);
    let colliders = feet.to_vec();
    yard.builder.body(Body { position, velocity, angular_velocity, colliders, ..body });
    yard.build()
}

/// Horizontal place of foot `k` of a plate that lies flat.
fn foot(state: &State, k: usize) -> [f64; 2] {
    let angle = 2.0 * state.q[6].atan2(state.q[3]) + k as f64 * 2.0 * std::f64::consts::PI / 3.0;
    [state.q[0] + 0.5 * angle.cos(), state.q[1] + 0.5 * angle.sin()]
}

/// Each foot has its own answer: the one that is slowest comes to rest first, and the plate pivots about it until all stand.
#[test]
fn a_plate_on_three_feet_ends_pivoting_about_the_one_that_stuck() {
    let (velocity, spin) = ([0.02, -0.48, 0.0], 1.0);
    let reference = {
        let mut fine = simulation(plate(velocity, spin), "moreau-jean", &Options::default(), 1e-4);
        fine.run(6000, &mut []).expect("it runs");
        fine.state.q.clone()
    };
    for scheme in ["event-driven", "high-order", "d1-minus", "splitting", "generalized-alpha"] {
        let mut simulation = simulation(plate(velocity, spin), scheme, &Options::default(), 0.002);
        let (mut pivots, mut before) = (0, (*simulation.state).clone());
        for _ in 0..300 {
            let after = simulation.step().unwrap_or_else(|e| panic!("{scheme}: {e}")).after;
            let moved: Vec<f64> = (0..3)
                .map(|k| {
                    let (a, b) = (foot(&before, k), foot(after, k));
                    (a[0] - b[0]).hypot(a[1] - b[1])
                })
                .collect();
            let others = moved[1].min(moved[2]);
            pivots += u32::from(moved[0] < 2e-3 * others && others > 1e-6);
            before.clone_from(after);
        }
        let end = &simulation.state;
        let off = end.q.iter().zip(&reference).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        eprintln!("{scheme}: {pivots} steps about one foot, {off:.1e} from moreau-jean");
        assert!(pivots > 20, "{scheme}: {pivots}");
        assert!(off < 1e-3, "{scheme}: {:?}, not {reference:?}", end.q);
        assert!(end.v.iter().all(|v| v.abs() < 1e-9), "{scheme}: {:?}", end.v);
    }
}

/// Painlevé's rod: half length 1, mass 1, at 1 rad to the floor, on which its tip, a tiny disc, slides ahead with its centre.
fn rod(friction: f64, spin: f64) -> Built {
    let mut yard = Yard::new(true, 0.0);
    let law = yard.builder.law("rough", coulomb(friction));
    yard.builder.default_pair(law);
    yard.floor();
    let shape = planar::Shape::ball(1e-3).expect("a right shape");
    let pose = planar::Pose { position: [1.0, 0.0], angle: 0.0 };
    let posed = PosedShape::Plane(shape, pose);
    let tip = Collider { posed, material: yard.material, groups: Groups::ALL };
    let (s, c) = 0.5f64.sin_cos();
    yard.builder.body(Body {
        position: [0.0, 1f64.sin() + 1e-3, 0.0],
        rotation: [c, 0.0, 0.0, -s],
        velocity: [1.0, -spin * 1f64.cos(), 0.0],
        angular_velocity: [0.0, 0.0, spin],
        colliders: vec![tip],
        ..Body::planar("rod", 1.0, 1.0 / 3.0)
    });
    yard.build()
}

/// A = W_NN − μ W_NT = 1.88 − 1.36 μ and b = −g + ω² sin 1: one solution where A > 0, none where A < 0 and b < 0, two where A < 0 < b.
#[test]
fn painleve_rods_are_told_by_their_number_of_solutions() {
    for (mu, spin, note) in
        [(0.5, 0.0, ""), (0.5, 4.0, ""), (2.0, 0.0, "no finite force"), (2.0, 4.0, "several")]
    {
        for scheme in ["event-driven", "high-order", "splitting", "d1-minus"] {
            let mut simulation = simulation(rod(mu, spin), scheme, &Options::default(), 1e-4);
            let frame = simulation.step().unwrap_or_else(|e| panic!("{scheme}, {mu}, {spin}: {e}"));
            let notes: Vec<_> = frame.log.notes.iter().map(|note| note.what).collect();
            let is_told = notes.iter().any(|what| what.contains(note));
            eprintln!("{scheme}, μ = {mu}, ω = {spin}: {notes:?} {:?}", frame.after.v);
            assert!(is_told || note.is_empty() && notes.is_empty(), "{scheme}, {mu}, {spin}: {notes:?}");
        }
    }
}

/// Where there is no solution the velocities jump, by what a very short step of a time-stepping scheme does, and the impact is an event
/// without approach.
#[test]
fn an_inconsistent_rod_goes_on_by_an_impact_without_collision() {
    let exact = run(rod(2.0, 0.0), "moreau-jean", 1e-8, 1).v;
    assert!((exact[0] - 1.0).abs() > 0.1, "{exact:?}");
    for scheme in ["event-driven", "high-order", "splitting"] {
        let mut simulation = simulation(rod(2.0, 0.0), scheme, &Options::default(), 1e-6);
        let frame = simulation.step().unwrap_or_else(|e| panic!("{scheme}: {e}"));
        let event = frame.log.events.first().expect("an impact");
        assert!(event.u_minus[0].abs() < 1e-12 && event.impulse[0] > 0.1, "{scheme}: {event:?}");
        let off = frame.after.v.iter().zip(&exact).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-4, "{scheme}: {:?}, not {exact:?}", frame.after.v);
        simulation.run(1000, &mut []).unwrap_or_else(|e| panic!("{scheme}: {e}"));
    }
}
