//! What is built: masses, places, motions, laws, and how fast.

use super::{FLAT, GOOD};
use crate::{from_text, mistakes_of};
use nonsmooth::model::rigid::PosedShape;
use nonsmooth::model::{Presence, RigidId, RigidState};
use nonsmooth_scene::Loaded;
use std::f64::consts::PI;

fn load(text: &str) -> Loaded {
    from_text(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A scene with these tables and a default law.
fn with(world: &str, tables: &str) -> Loaded {
    load(&format!(
        "[world]\n{world}\n{tables}\n[contact]\ndefault = {{ friction = 0.5 }}\n[run]\nend = 0.1\nstep_size = 0.01\n"
    ))
}

const SPACE: &str = "gravity = [0, 0, -9.81]";
const PLANE: &str = "gravity = [0, -9.81]";

/// Pose of a rigid thing at the state of the simulation.
fn pose(loaded: &Loaded, i: usize) -> RigidState {
    let simulation = &loaded.simulation;
    simulation.model.rigid.pose(RigidId(i as u32), &simulation.state).expect("finite")
}

/// Number of members of a family of constraints.
fn members(loaded: &Loaded, family: &str) -> usize {
    let families = loaded.simulation.model.constraints.iter();
    families.filter(|found| found.name() == family).map(|found| found.n_members()).sum()
}

#[test]
fn the_good_scene_has_bodies_materials_and_springs() {
    let loaded = load(GOOD);
    let rigid = &loaded.simulation.model.rigid;
    assert_eq!((rigid.bodies.len(), rigid.kinematic.len(), members(&loaded, "springs")), (4, 1, 1));
    let names: Vec<&str> = (0..5).map(|i| rigid.name(RigidId(i))).collect();
    assert_eq!(names, ["brick[0]", "brick[1]", "brick[2]", "ball", "floor"]);
    assert_eq!(rigid.materials, ["ground", "steel", "stone"]);
    assert!(rigid.bodies.iter().all(|body| !body.planar));
    // 0.2 × 0.2 × 0.1 m³ at 2000 kg/m³; a ball of 2 kg.
    assert!((rigid.bodies[0].mass - 8.0).abs() < 1e-14 && rigid.bodies[3].mass == 2.0);
    let ball = rigid.bodies[3].inertia.0;
    assert!((ball[0] - 0.4 * 2.0 * 0.05 * 0.05).abs() < 1e-17, "{ball:?}");
    // The spring is slack at the start: all energy is that of places and velocities.
    let state = &loaded.simulation.state;
    let energies = loaded.simulation.model.energies_of(state).expect("finite");
    let heights = [0.05, 0.15, 0.25].iter().map(|z| 8.0 * 9.81 * z).sum::<f64>() + 2.0 * 9.81;
    assert!((energies.potential - heights).abs() < 1e-12, "{energies:?}");
    assert!(state.presence.iter().all(|presence| *presence == Presence::Present));
}

/// Friction and restitution of two materials, as a ball of one that slides on a ground of the other shows them.
fn friction_and_restitution(contact: &str, ball: &str, ground: &str) -> (f64, f64) {
    let text = format!(
        "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"ground\"\nshape = {{ type = \"half-space\", normal = [0, 0, 1] }}\nmaterial = \"{ground}\"\nfixed = true\n\
         [[body]]\nname = \"ball\"\nshape = {{ type = \"ball\", radius = 0.05 }}\nmaterial = \"{ball}\"\nmass = 2\nposition = [0, 0, 0.05]\nvelocity = [10, 0, -0.1]\n\
         [material.ground]\n[material.stone]\nfriction = 0.5\n[material.steel]\nfriction = 0.2\nrestitution = 0.4\n{contact}\n\
         [[contact.pair]]\nbetween = [\"stone\", \"ground\"]\nfriction = 0.6\nrestitution = 0.1\n\
         [integrator]\ntype = \"moreau-jean\"\n[run]\nend = 1\nstep_size = 1e-3\n"
    );
    let mut loaded = load(&text);
    let step = loaded.simulation.step().unwrap_or_else(|error| panic!("{error}"));
    let log = &step.log.constraints;
    let (u_minus, u_plus, p) = (log.u_minus[0], log.u_plus[0], &log.impulse);
    (p[1].hypot(p[2]) / p[0], -u_plus / u_minus)
}

#[test]
fn the_law_of_a_pair_is_given_or_combined_or_the_default() {
    let check = |contact: &str, [a, b]: [&str; 2], (mu, e): (f64, f64)| {
        let found = friction_and_restitution(contact, a, b);
        // Solved to 1e-10.
        assert!((found.0 - mu).abs() < 1e-8 && (found.1 - e).abs() < 1e-8, "{a}, {b}: {found:?}");
    };
    check("", ["stone", "ground"], (0.6, 0.1));
    check("", ["steel", "stone"], ((0.5f64 * 0.2).sqrt(), 0.4));
    let rule = |friction: &str, restitution: &str| {
        format!("[contact]\ncombine = {{ friction = \"{friction}\", restitution = \"{restitution}\" }}")
    };
    check(&rule("minimum", "minimum"), ["steel", "stone"], (0.2, 0.0));
    check(&rule("maximum", "mean"), ["steel", "stone"], (0.5, 0.2));
    check(&rule("mean", "geometric-mean"), ["steel", "stone"], (0.35, 0.0));
}

#[test]
fn the_origin_of_a_shape_is_placed_and_the_centre_of_mass_follows() {
    // A cone stands on its base at z = 0: its centre is a quarter of its height up.
    let cone = "[[body]]\nname = \"cone\"\nshape = { type = \"cone\", length = 0.4, radius = 0.1 }\ndensity = 100\nposition = [1, 2, 3]\norientation = { axis = [1, 0, 0], angle = \"pi/2\" }";
    let loaded = with(SPACE, cone);
    let at = pose(&loaded, 0);
    // The cone's axis z points along −y after a quarter turn about x.
    let want = [1.0, 2.0 + 0.1, 3.0];
    assert!((0..3).all(|k| (at.position[k] - want[k]).abs() < 1e-15), "{at:?}");
    let volume = PI * 0.01 * 0.4 / 3.0;
    assert!((loaded.simulation.model.rigid.bodies[0].mass - 100.0 * volume).abs() < 1e-14);
}

#[test]
fn parts_make_one_body() {
    // Two balls of radius r at ±d on x: I = 2 (2/5 m r²) + [0, 2 m d², 2 m d²].
    let text = "[[body]]\nname = \"bell\"\nmass = 2\nposition = [0, 0, 5]\nparts = [{ shape = \"ball\", position = [-0.3, 0, 0] }, { shape = \"ball\", position = [0.3, 0, 0], material = \"other\" }]\n[shape.ball]\ntype = \"ball\"\nradius = 0.1\n[material.other]\n";
    let loaded = with(SPACE, text);
    let rigid = &loaded.simulation.model.rigid;
    let (own, off) = (2.0 * 0.4 * 0.01, 2.0 * 0.09);
    for (found, want) in rigid.bodies[0].inertia.0.iter().zip([own, own + off, own + off, 0.0, 0.0, 0.0])
    {
        assert!((found - want).abs() < 1e-15, "{:?}", rigid.bodies[0].inertia);
    }
    assert_eq!(
        (rigid.colliders.len(), &rigid.materials[..]),
        (2, &["default".to_owned(), "other".to_owned()][..])
    );
}

#[test]
fn every_shape_of_space_can_be_made() {
    let shapes = [
        "{ type = \"ball\", radius = 0.1 }",
        "{ type = \"box\", half = [0.1, 0.2, 0.3] }",
        "{ type = \"capsule\", length = 0.2, radius = 0.1 }",
        "{ type = \"cylinder\", length = 0.2, radius = 0.1 }",
        "{ type = \"cone\", length = 0.2, radius = 0.1 }",
        "{ type = \"hull\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }",
        "{ type = \"mesh\", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] }",
        "{ type = \"compound\", parts = [{ shape = { type = \"ball\", radius = 0.1 }, position = [1, 0, 0] }, { shape = { type = \"box\", size = [1, 1, 1] } }] }",
    ];
    for shape in shapes {
        let loaded = with(SPACE, &format!("[[body]]\nname = \"it\"\nshape = {shape}\ndensity = 1\n"));
        assert!(loaded.simulation.model.rigid.bodies[0].mass > 0.0, "{shape}");
    }
    let grounds = [
        "{ type = \"half-space\", normal = [0, 0, 1] }",
        "{ type = \"height-field\", heights = \"0.1*sin(x)*y\", columns = 5, rows = 4, spacing = [1, 2] }",
        "{ type = \"height-field\", heights = [0, 0, 1, 0, 0, 1], columns = 3, spacing = 1 }",
    ];
    for shape in grounds {
        with(
            SPACE,
            &format!(
                "[[body]]\nname = \"it\"\nshape = {shape}\nfixed = true\n[[body]]\nname = \"ball\"\nshape = {{ type = \"ball\", radius = 0.1 }}\nmass = 1\nposition = [0, 0, 9]\n"
            ),
        );
    }
}

#[test]
fn every_shape_of_the_plane_can_be_made() {
    let shapes = [
        "{ type = \"ball\", radius = 0.1 }",
        "{ type = \"box\", size = [0.1, 0.2] }",
        "{ type = \"rectangle\", half = [0.1, 0.2] }",
        "{ type = \"capsule\", length = 0.2, radius = 0.1 }",
        "{ type = \"polygon\", points = [[0, 0], [1, 0], [0, 1]] }",
        "{ type = \"chain\", points = [[0, 0], [1, 0], [0, 1]], closed = true }",
        "{ type = \"compound\", parts = [{ shape = { type = \"ball\", radius = 0.1 }, position = [1, 0], orientation = 0.3 }] }",
    ];
    for shape in shapes {
        let body = format!(
            "[[body]]\nname = \"it\"\nshape = {shape}\ndensity = 1\norientation = \"pi/6\"\nangular_velocity = 2\ntorque = \"0.1*t\"\n"
        );
        let loaded = with(PLANE, &body);
        let state = &loaded.simulation.state;
        assert!((state.q[2] - PI / 6.0).abs() < 1e-15 && state.v[2] == 2.0, "{shape}");
    }
    for shape in [
        "{ type = \"half-plane\", normal = [0, 1] }",
        "{ type = \"height-field\", heights = \"0.1*x^2\", columns = 9, spacing = 0.5 }",
        "{ type = \"height-field\", heights = [0, 1, 0], spacing = 0.5 }",
    ] {
        with(
            PLANE,
            &format!(
                "[[body]]\nname = \"it\"\nshape = {shape}\nfixed = true\n[[body]]\nname = \"ball\"\nshape = {{ type = \"ball\", radius = 0.1 }}\nmass = 1\nposition = [0, 9]\n"
            ),
        );
    }
}

#[test]
fn a_prescribed_motion_has_the_velocities_of_its_formulas() {
    let text = "[[body]]\nname = \"arm\"\nrepeat = 2\nshape = { type = \"box\", size = [1, 1, 1] }\nmotion = { position = [\"3*i\", 0, \"0.1*sin(2*t)\"], angle = \"0.5*t^2\", axis = [0, 0, 2] }\n[[body]]\nname = \"ball\"\nshape = { type = \"ball\", radius = 0.1 }\nmass = 1\nposition = [0, 0, 9]\n";
    let loaded = with(SPACE, text);
    let at = loaded.simulation.model.rigid.kinematic[1].state(0.7).expect("defined");
    let close = |x: f64, y: f64| (x - y).abs() < 1e-15;
    assert!(close(at.position.x, 3.0) && close(at.position.z, 0.1 * 1.4f64.sin()));
    assert!(close(at.velocity.z, 0.2 * 1.4f64.cos()) && close(at.spin.z, 0.7), "{at:?}");
    assert!(close(2.0 * at.rotation.z.atan2(at.rotation.w), 0.5 * 0.49));
}

#[test]
fn forces_and_appearances_may_use_the_number_of_a_copy() {
    let text = "[[body]]\nname = \"ball\"\nrepeat = 3\nshape = { type = \"ball\", radius = \"0.1 + 0.01*i\" }\nmass = 1\nposition = [\"i\", 0, 0]\nforce = [0, 0, \"9.81 + i\"]\ntorque = [\"t\", 0, 0]\nappears_at = \"0.05*i\"\n";
    let mut loaded = with(SPACE, text);
    let bodies = &loaded.simulation.model.rigid.bodies;
    assert_eq!([0, 1, 2].map(|i| bodies[i].appears_at), [0.0, 0.05, 0.1]);
    assert!(bodies[1].bounding_radius > bodies[0].bounding_radius, "radii differ");
    loaded.simulation.run(6, &mut []).expect("it runs");
    let presence = &loaded.simulation.state.presence;
    assert_eq!(presence[..], [Presence::Present, Presence::Present, Presence::Pending]);
    // The force of the first holds its weight, that of the second lifts it once it is there.
    assert!(pose(&loaded, 0).position.z.abs() < 1e-12 && pose(&loaded, 1).position.z > 0.0);
}

#[test]
fn constraints_may_use_the_coordinates_of_bodies() {
    let text = "[[body]]\nname = \"ball\"\nrepeat = 2\nshape = { type = \"ball\", radius = 0.1 }\nmass = 1\nposition = [\"i\", 0, 1]\n[[constraint]]\nname = \"ceiling\"\ngap = \"ball[1].z - 0.9\"\nlaw = \"hit\"\n[law.hit]\ntype = \"newton-impact\"\n";
    let mut loaded = with(SPACE, text);
    loaded.n_steps = 50;
    loaded.simulation.run(50, &mut []).expect("it runs");
    let at = |i| pose(&loaded, i).position.z;
    // One falls half a second, the other lies on its stop, into which it falls less than h v in the step of its impact.
    assert!(at(0) < 0.0 && (0.9 - at(1)).abs() < 0.02, "{} {}", at(0), at(1));
}

#[test]
fn a_loop_of_many_bodies_is_quick_and_shares_shapes() {
    let text = "[[body]]\nname = \"ball\"\nrepeat = 20000\nshape = { type = \"hull\", points = [[0,0,0], [0.1,0,0], [0,0.1,0], [0,0,0.1]] }\ndensity = 1000\nposition = [\"i - 100*floor(i/100)\", \"floor(i/100)\", 0]\nvelocity = [\"sin(i)\", \"cos(i)\", 0]\n";
    let begun = std::time::Instant::now();
    let loaded = with(SPACE, text);
    // Two thirds of a second at 10⁵ bodies per second would be a disappointment; this catches only what is far off.
    assert!(begun.elapsed().as_secs_f64() < 5.0, "{:?}", begun.elapsed());
    let colliders = &loaded.simulation.model.rigid.colliders;
    let identity = |i: usize| match &colliders[i].collider.posed {
        PosedShape::Space(shape, _) => shape.identity(),
        PosedShape::Plane(..) => panic!("in space"),
    };
    assert_eq!(identity(0), identity(19_999));
}

#[test]
fn a_scene_needs_a_system_or_a_body() {
    let mistakes = mistakes_of("[run]\nend = 1\nstep_size = 1\n");
    assert!(mistakes[0].message.contains("[[system.first_order]] or [[body]]"), "{mistakes:?}");
}

#[test]
fn bodies_of_the_plane_run_beside_a_system() {
    let mut loaded = load(FLAT);
    let bodies = &loaded.simulation.model.rigid.bodies;
    assert_eq!((bodies[0].q, bodies.len(), members(&loaded, "springs")), (1, 4, 2));
    assert!(bodies.iter().all(|body| body.planar));
    loaded.simulation.run(50, &mut []).expect("it runs");
    assert!(loaded.simulation.state.q.iter().all(|x| x.is_finite()));
}
