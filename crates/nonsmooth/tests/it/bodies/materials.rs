//! Materials: the table decides, the default fills in, what is missing or cannot be is named.

use super::prelude::*;
use nonsmooth::laws::Bilateral;
use nonsmooth_geometry::spatial::Shape;

fn cube(material: MaterialId, x: f64) -> Body {
    let shape = Shape::cuboid([0.1; 3]).expect("a right shape");
    let mass = shape.mass_properties(1000.0).expect("a solid");
    let colliders = vec![Collider::space(shape, material)];
    let position = [x, 0.0, 0.1];
    Body { position, colliders, ..Body::new(&format!("cube at {x}"), mass.mass, mass.inertia) }
}

fn floor(material: MaterialId) -> KinematicBody {
    let shape = Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape");
    KinematicBody::new("floor", vec![Collider::space(shape, material)])
}

fn coulomb(friction: f64) -> Coulomb {
    Coulomb { friction, ..Coulomb::default() }
}

/// Three cubes slide on one floor: on ice without friction, on wood with that of the table, on steel with the default.
#[test]
fn the_table_decides() {
    let mut builder = ModelBuilder::new();
    builder.gravity(GRAVITY);
    let [ground, ice, wood, steel] =
        ["ground", "ice", "wood", "steel"].map(|name| builder.material(name));
    let smooth = builder.law("smooth", NewtonImpact { restitution: 0.0 });
    let (rough, usual) = (builder.law("rough", coulomb(0.4)), builder.law("usual", coulomb(0.1)));
    builder.pair(ground, ice, smooth);
    // In the other order, which must not matter.
    builder.pair(wood, ground, rough);
    builder.default_pair(usual);
    builder.kinematic(floor(ground));
    for (k, material) in [ice, wood, steel].into_iter().enumerate() {
        let mut body = cube(material, 0.0);
        body.name = format!("cube {k}");
        body.position[1] = 3.0 * k as f64;
        body.velocity = [1.0, 0.0, 0.0];
        builder.body(body);
    }
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, MoreauJean::default(), 1e-3).unwrap();
    let (ledger, _) = watch(&mut simulation, 200);
    for (k, mu) in [0.0, 0.4, 0.1].into_iter().enumerate() {
        let v = simulation.state.v[6 * k];
        let want = 1.0 - mu * 9.81 * 0.2;
        assert!((v - want).abs() < 1e-9, "cube {k}: {v} {want}");
    }
    assert!(ledger.worst_remainder <= 1e-13 * ledger.scale);
}

/// What building says of laws and pairs that cannot be.
fn refusal(prepare: impl FnOnce(&mut ModelBuilder, MaterialId, MaterialId)) -> Option<String> {
    let mut builder = ModelBuilder::new();
    builder.gravity(GRAVITY);
    let (a, b) = (builder.material("chalk"), builder.material("cheese"));
    builder.kinematic(floor(a));
    builder.body(cube(b, 0.0));
    prepare(&mut builder, a, b);
    builder.build(0.0).err().map(|error| error.to_string())
}

#[test]
fn a_missing_pair_is_named() {
    let text = refusal(|_, _, _| {}).expect("there is no law at all");
    for word in ["chalk", "cheese", "floor", "cube at 0"] {
        assert!(text.contains(word), "{text}");
    }
    // One cube of cheese does not meet itself, two do.
    let one = |builder: &mut ModelBuilder, a, b| {
        let law = builder.law("law", coulomb(0.3));
        builder.pair(a, b, law);
    };
    assert_eq!(refusal(one), None);
    let two = refusal(|builder, a, b| {
        one(builder, a, b);
        builder.body(cube(b, 1.0));
    });
    assert!(two.as_ref().is_some_and(|text| text.matches("cheese").count() >= 2), "{two:?}");
    // Nor do two parts of one body.
    let halves = refusal(|builder, a, b| {
        one(builder, a, b);
        let c = builder.material("loaf");
        let law = builder.law("law", coulomb(0.3));
        builder.pair(a, c, law);
        builder.pair(b, c, law);
        let mut body = cube(c, 1.0);
        let part = body.colliders[0].clone();
        body.colliders.push(part);
        builder.body(body);
    });
    assert_eq!(halves, None);
}

#[test]
fn laws_that_are_not_of_contacts_are_refused() {
    let with = |law: &dyn Fn(&mut ModelBuilder) -> LawId| {
        refusal(|builder, _, _| {
            let law = law(builder);
            builder.default_pair(law);
        })
    };
    let joint = with(&|builder| builder.law("hinge", Bilateral));
    assert!(joint.as_ref().is_some_and(|text| text.contains("hinge")), "{joint:?}");
    for (what, law) in [
        ("negative friction", Coulomb { friction: -0.1, ..Coulomb::default() }),
        ("no friction at all", Coulomb { friction: f64::NAN, ..Coulomb::default() }),
        ("restitution", Coulomb { restitution: 1.5, ..Coulomb::default() }),
        ("tangential restitution", Coulomb { tangential_restitution: -0.5, ..Coulomb::default() }),
    ] {
        let text = with(&|builder| builder.law("odd", law));
        assert!(text.is_some(), "{what} was taken");
    }
    let text = with(&|builder| builder.law("odd", NewtonImpact { restitution: 2.0 }));
    assert!(text.is_some(), "restitution 2 was taken");
}

#[test]
fn a_pair_given_twice_is_named() {
    let text = refusal(|builder, a, b| {
        let law = builder.law("law", coulomb(0.3));
        builder.pair(a, b, law);
        builder.pair(b, a, law);
    });
    assert!(text.as_ref().is_some_and(|text| text.contains("twice")), "{text:?}");
}

#[test]
fn a_material_of_another_model_is_refused() {
    let text = refusal(|builder, a, _| {
        let law = builder.law("law", coulomb(0.3));
        builder.default_pair(law);
        builder.pair(a, MaterialId(9), law);
        builder.body(cube(MaterialId(8), 1.0));
        builder.kinematic(floor(MaterialId(7)));
    })
    .expect("three materials are missing");
    for word in ["material 7", "material 8", "material 9", "body[1].material", "kinematic[1].material"] {
        assert!(text.contains(word), "{word} is missing in:\n{text}");
    }
}

/// Everything that is wrong with bodies, at once and with its place.
#[test]
fn wrong_bodies_are_refused() {
    let text = refusal(|builder, a, b| {
        let law = builder.law("law", coulomb(0.3));
        builder.pair(a, b, law);
        builder.gravity([0.0, 0.0, f64::NAN]);
        builder.activation_distance(-1.0);
        let mut body = cube(b, 5.0);
        (body.mass, body.inertia) = (0.0, [[0.0; 3]; 3]);
        (body.position[0], body.velocity[1]) = (f64::NAN, f64::INFINITY);
        (body.rotation, body.appears_at) = ([0.0; 4], Some(f64::NAN));
        builder.body(body);
        let mut odd = floor(a);
        odd.rotation = [f64::NAN; 4];
        builder.kinematic(odd);
    })
    .expect("nothing of it is right");
    for word in [
        "mass",
        "inertia",
        "position",
        "velocity",
        "rotation",
        "appears_at",
        "gravity",
        "activation distance",
        "kinematic[1]",
    ] {
        assert!(text.contains(word), "{word} is missing in:\n{text}");
    }
}

/// Bodies that overlap at the start are refused, the deepest first, unless allowed.
#[test]
fn overlaps_at_the_start_are_named() {
    let build = |allow: bool| {
        let mut builder = ModelBuilder::new();
        let a = builder.material("stuff");
        let law = builder.law("law", coulomb(0.3));
        builder.default_pair(law);
        builder.kinematic(floor(a));
        builder.body(cube(a, 0.0));
        builder.body(cube(a, 0.15));
        if allow {
            builder.allow_initial_violation();
        }
        builder.build(0.0).map(|_| ()).map_err(|error| error.to_string())
    };
    let text = build(false).unwrap_err();
    assert!(
        text.contains("cube at 0`") && text.contains("cube at 0.15") && text.contains("5.0"),
        "{text}"
    );
    assert!(build(true).is_ok());
}

/// Results are told by names: two bodies of one name, kinematic ones included, are a mistake, each told with its place.
#[test]
fn two_bodies_of_one_name_are_refused() {
    let mut builder = ModelBuilder::new();
    let stuff = builder.material("stuff");
    let law = builder.law("all", coulomb(0.3));
    builder.default_pair(law);
    builder.kinematic(floor(stuff));
    let named = |name: &str, x: f64| {
        let mut body = cube(stuff, x);
        body.name = name.to_owned();
        body
    };
    builder.body(named("cube", 0.0));
    builder.body(named("floor", 5.0));
    builder.body(named("cube", 10.0));
    let text = builder.build(0.0).err().expect("it is refused").to_string();
    let want = ["body[2].name: there are two bodies called `cube`", "kinematic[0].name: there are two"];
    assert!(text.lines().count() == 2 && want.iter().all(|want| text.contains(want)), "{text}");
    assert!(text.contains("give each its own name"), "{text}");
}
