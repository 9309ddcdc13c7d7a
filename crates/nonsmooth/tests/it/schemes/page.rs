//! The page `docs/schemes.md`: every scheme with every feature, run on a small model whose answer is known. A cell that is refused has its
//! reason and the test that shows it. `cargo xtask schemes` writes the page; this test compares it.

use super::build;
use crate::kick_drift::{ball, cuboid, floor};
use crate::kit::{
    Built, Coulomb, Linear, ModelBuilder, NewtonImpact, Options, Refusal, Simulation, Sparse, State,
};
use crate::models::Alike;
use nonsmooth::INTEGRATORS;
use nonsmooth::laws::{Bilateral, Law, Poisson, Relay, StaticDynamic};
use nonsmooth::model::constraints::joints::Revolute;
use nonsmooth::model::rigid::{Body, Collider, KinematicBody, KinematicState, MaterialId};
use nonsmooth::model::{Anchor, Rigid, Spring};
use nonsmooth_geometry::spatial::Shape;
use std::path::Path;

const G: f64 = 9.81;
const STEP: f64 = 1e-3;

/// A feature: a model, how long it runs, and what must then be true.
struct Feature {
    name: &'static str,
    make: fn() -> Built,
    steps: u64,
    holds: fn(&State) -> bool,
}

const FEATURES: &[Feature] = &[
    Feature { name: "bodies in the plane", make: disc, steps: 300, holds: flies },
    Feature { name: "bodies in space", make: top, steps: 300, holds: flies },
    Feature {
        name: "joints",
        make: pendulum,
        steps: 300,
        holds: |s| near(s.q[0].hypot(s.q[1]), 0.5, 1e-2),
    },
    Feature {
        name: "boxes",
        make: || dropped_box(NewtonImpact { restitution: 0.0 }),
        steps: 300,
        holds: |s| near(s.q[2], 0.1, 1e-2),
    },
    Feature {
        name: "newton-impact, e = 0",
        make: || dropped(NewtonImpact { restitution: 0.0 }),
        steps: 250,
        holds: |s| near(s.q[2], 0.1, 1e-2),
    },
    // From 0.1 m it falls for 0.143 s; with half of the speed it is 0.025 m high after 0.0714 s more.
    Feature {
        name: "newton-impact, e = ½",
        make: || dropped(NewtonImpact { restitution: 0.5 }),
        steps: 214,
        holds: |s| near(s.q[2], 0.125, 5e-3),
    },
    Feature {
        name: "two restitutions",
        make: two_balls,
        steps: 200,
        holds: |s| near(s.v[0], 0.2, 1e-6) && near(s.v[1], 0.8, 1e-6),
    },
    Feature {
        name: "poisson",
        make: || dropped(Poisson { restitution: 0.5 }),
        steps: 214,
        holds: |s| near(s.q[2], 0.125, 5e-3),
    },
    Feature {
        name: "coulomb",
        make: || sliding(Coulomb { friction: 0.3, ..Coulomb::default() }),
        steps: 200,
        holds: slid,
    },
    Feature {
        name: "static-dynamic",
        make: || {
            sliding(StaticDynamic { friction_static: 0.5, friction_dynamic: 0.3, restitution: 0.0 })
        },
        steps: 200,
        holds: slid,
    },
    Feature {
        name: "faceted friction",
        make: || sliding_in_space(Coulomb { friction: 0.3, facets: 8, ..Coulomb::default() }),
        steps: 200,
        holds: slid,
    },
    Feature {
        name: "bilateral",
        make: tied,
        steps: 200,
        holds: |s| near(s.q[0], 0.02, 1e-3) && near(s.q[0], s.q[1], 1e-9),
    },
    Feature {
        name: "relay",
        make: rubbed,
        steps: 400,
        holds: |s| near(s.v[0], 0.8, 2e-2) && near(s.v[1], 0.2, 2e-2),
    },
    Feature { name: "moving bodies", make: lifted, steps: 200, holds: |s| near(s.q[2], 0.2, 1e-3) },
    Feature {
        name: "prescribed motion",
        make: shaken,
        steps: 500,
        holds: |s| near(s.q[0], 0.5f64.sin(), 1e-3),
    },
    Feature {
        name: "springs",
        make: sprung,
        steps: 500,
        holds: |s| near(s.q[0], 1.0 + 0.3 * 1f64.cos(), 5e-3),
    },
    Feature {
        name: "velocity constraints",
        make: alike,
        steps: 500,
        holds: |s| near(s.v[0], 0.5, 1e-2) && near(s.v[0], s.v[1], 1e-9),
    },
];

fn near(x: f64, want: f64, tolerance: f64) -> bool {
    (x - want).abs() < tolerance
}

fn built(builder: ModelBuilder) -> Built {
    builder.build(0.0).expect("a right model")
}

/// A body that was thrown along x with 2 m/s.
fn disc() -> Built {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -G, 0.0]);
    builder.body(Body { velocity: [2.0, 0.0, 0.0], ..Body::planar("disc", 1.0, 0.1) });
    built(builder)
}

fn top() -> Built {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -G, 0.0]);
    let body = Body::new("top", 1.0, crate::body_kit::INERTIA);
    builder.body(Body { velocity: [2.0, 0.0, 0.0], angular_velocity: [1.0, 2.0, 0.5], ..body });
    built(builder)
}

fn flies(state: &State) -> bool {
    let spins = state.q.len() == 3 || near(state.q[3..7].iter().map(|x| x * x).sum(), 1.0, 1e-9);
    near(state.q[0], 0.6, 3e-3) && near(state.q[1], -0.5 * G * 0.09, 1e-2) && spins
}

fn pendulum() -> Built {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, -G, 0.0]);
    let rod = builder.body(Body { position: [0.5, 0.0, 0.0], ..Body::planar("rod", 1.0, 0.1) });
    builder.joint("hinge", Revolute::at([0.0; 3]), Rigid::World, rod);
    built(builder)
}

/// A floor, with this law for all pairs.
fn yard(law: impl Law + 'static) -> (ModelBuilder, MaterialId) {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let material = builder.material("stuff");
    let law = builder.law("floor", law);
    builder.default_pair(law);
    floor(&mut builder, material);
    (builder, material)
}

/// A ball with some speed along the floor, 0.1 m above it.
fn dropped(law: impl Law + 'static) -> Built {
    let (mut builder, material) = yard(law);
    let mut body = ball("ball", 0.1, 1.0, material);
    (body.position, body.velocity) = ([0.0, 0.0, 0.2], [0.1, 0.0, 0.0]);
    builder.body(body);
    built(builder)
}

fn dropped_box(law: impl Law + 'static) -> Built {
    let (mut builder, material) = yard(law);
    let mut body = cuboid("box", [0.1; 3], 1.0, material);
    (body.position, body.velocity) = ([0.0, 0.0, 0.2], [0.1, 0.0, 0.0]);
    builder.body(body);
    built(builder)
}

fn two_balls() -> Built {
    let mut builder = ModelBuilder::new();
    for (i, e) in [0.2, 0.8].into_iter().enumerate() {
        let ball = Linear::new(&format!("ball{i}"), Sparse::diagonal(&[1.0])).initial(&[0.1], &[-1.0]);
        let ball = builder.linear(ball);
        let law = builder.law(&format!("law{i}"), NewtonImpact { restitution: e });
        builder.linear_gap(&format!("floor{i}"), law, &[(ball, 0, 1.0)], 0.0);
    }
    built(builder)
}

/// A block that slides with 1 m/s on a floor: with μ = 0.3 it is at v = 1 − μ g t.
fn sliding(law: impl Law + 'static) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[1.0, 1.0])).load(&[-G, 0.0]);
    let block = builder.linear(block.initial(&[0.0; 2], &[0.0, 1.0]));
    let law = builder.law("rough", law);
    builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &[&[(block, 1, 1.0)]]);
    built(builder)
}

/// The same with two tangents.
fn sliding_in_space(law: impl Law + 'static) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[1.0; 3])).load(&[-G, 0.0, 0.0]);
    let block = builder.linear(block.initial(&[0.0; 3], &[0.0, 1.0, 0.0]));
    let law = builder.law("rough", law);
    let tangents: [&[_]; 2] = [&[(block, 1, 1.0)], &[(block, 2, 1.0)]];
    builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &tangents);
    built(builder)
}

fn slid(state: &State) -> bool {
    near(state.v[1], 1.0 - 0.3 * G * 0.2, 1e-2)
}

/// Two masses that are one, pulled with 2 N.
fn tied() -> Built {
    let mut builder = ModelBuilder::new();
    let pair = Linear::new("pair", Sparse::diagonal(&[1.0, 1.0])).load(&[2.0, 0.0]);
    let pair = builder.linear(pair.initial(&[0.0; 2], &[0.0; 2]));
    let law = builder.law("tie", Bilateral);
    builder.linear_gap("tie", law, &[(pair, 0, 1.0), (pair, 1, -1.0)], 0.0);
    built(builder)
}

fn alike() -> Built {
    let mut builder = ModelBuilder::new();
    let pair = Linear::new("pair", Sparse::diagonal(&[1.0, 1.0])).load(&[2.0, 0.0]);
    let pair = builder.linear(pair.initial(&[0.0; 2], &[0.0; 2]));
    let law = builder.law("tie", Bilateral);
    builder.velocity_constraint("tie", law, &[(pair, 0), (pair, 1)], Alike);
    built(builder)
}

/// A slip of 1 m/s that 0.5 N brake on both masses.
fn rubbed() -> Built {
    let mut builder = ModelBuilder::new();
    let pair = Linear::new("pair", Sparse::diagonal(&[1.0, 1.0])).initial(&[0.0; 2], &[1.0, 0.0]);
    let pair = builder.linear(pair);
    let law = builder.law("rub", Relay { lower: -0.5, upper: 0.5 });
    builder.velocity_constraint("rub", law, &[(pair, 0), (pair, 1)], Alike);
    built(builder)
}

/// A ball on a lift that rises with 0.5 m/s.
fn lifted() -> Built {
    lifted_along(0.1)
}

/// The same with another velocity along the floor [m/s].
pub(super) fn lifted_along(speed: f64) -> Built {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -G]);
    let material = builder.material("stuff");
    let law = builder.law("hit", NewtonImpact { restitution: 0.0 });
    builder.default_pair(law);
    let shape = Shape::half_space([0.0, 0.0, 1.0]).expect("a right shape");
    let motion = |t: f64| {
        let (position, velocity) = ([0.0, 0.0, 0.5 * t], [0.0, 0.0, 0.5]);
        Ok(KinematicState {
            position,
            rotation: [1.0, 0.0, 0.0, 0.0],
            velocity,
            angular_velocity: [0.0; 3],
        })
    };
    let lift = KinematicBody::new("lift", vec![Collider::space(shape, material)]);
    builder.kinematic(KinematicBody { motion: Some(Box::new(motion)), ..lift });
    let mut body = ball("ball", 0.1, 1.0, material);
    (body.position, body.velocity) = ([0.0, 0.0, 0.1], [speed, 0.0, 0.5]);
    builder.body(body);
    built(builder)
}

/// A coordinate that moves with cos t, and a mass on a spring between.
fn shaken() -> Built {
    let mut builder = ModelBuilder::new();
    let stiffness = Sparse::from_rows(&[vec![9.0, -9.0], vec![-9.0, 9.0]]);
    let pair = Linear::new("pair", Sparse::diagonal(&[1.0, 1.0])).stiffness(stiffness);
    let pair = builder.linear(pair.initial(&[0.0; 2], &[1.0, 0.0]));
    builder.prescribe(pair, 0, |t| Ok(t.cos()));
    built(builder)
}

/// A body on a spring of 4 N/m, 0.3 m beyond its rest length of 1 m: ω = 2.
fn sprung() -> Built {
    let mut builder = ModelBuilder::new();
    let body = builder.body(Body { position: [1.3, 0.0, 0.0], ..Body::planar("mass", 1.0, 0.1) });
    let ends = [Anchor { on: body, at: [0.0; 3] }, Anchor { on: Rigid::World, at: [0.0; 3] }];
    let name = "string".to_owned();
    builder.spring(Spring { name, ends, stiffness: 4.0, damping: 0.0, rest_length: 1.0 });
    built(builder)
}

/// The scheme that keeps the energy, where something must change it.
const KEEPS: (&str, &str) = (
    "the energy is kept, so the work of friction and of drives is returned to coordinates without contact",
    "where_energy_is_kept_friction_and_drives_act_on_what_touches_nothing",
);

/// Why a scheme refuses a feature, and the test that runs it past its refusal and shows the failure.
fn reason(scheme: &str, feature: &str, refusal: &Refusal) -> (&'static str, &'static str) {
    match refusal {
        Refusal::FreeMotionOnly { .. } if ["joints", "bilateral"].contains(&feature) => {
            ("a joint of positions is lost: each step leaves its circle", "a_joint_is_not_honoured")
        }
        Refusal::FreeMotionOnly { .. } => {
            ("without a law of impact what must rebound enters the floor", "a_floor_is_not_honoured")
        }
        Refusal::Rebound { .. } => (
            "the gap at the end of the step leaves no rebound",
            "where_the_end_gap_rules_nothing_rebounds",
        ),
        Refusal::Phases { .. } => (
            "its impact has one phase: compression alone",
            "a_law_that_acts_in_phases_is_not_honoured_in_one",
        ),
        Refusal::OneRestitution { .. } if scheme == "moreau-paoli" => (
            "with unequal restitution the step is no projection and gains energy",
            "with_unequal_restitution_the_step_is_no_projection_and_gains_energy",
        ),
        Refusal::OneRestitution { .. } => (
            "gaps are imposed at one position, which is that of one e",
            "with_one_weighted_position_a_second_restitution_is_not_honoured",
        ),
        Refusal::Law { .. } | Refusal::Frictionless { .. } | Refusal::GapsOnly { .. }
            if feature == "relay" =>
        {
            if scheme == "moreau-energy" {
                KEEPS
            } else {
                ("nothing brakes", "a_relay_does_not_brake_where_there_is_no_friction")
            }
        }
        Refusal::Cone { .. } => (
            "a polygon has no direction of sliding: nothing brakes",
            "past_the_refusal_a_polygon_of_friction_does_not_brake",
        ),
        Refusal::Frictionless { .. } => match scheme {
            "moreau-energy" => KEEPS,
            _ => (
                "with friction the step is no projection and gains energy",
                "with_friction_the_step_is_no_projection_and_gains_energy",
            ),
        },
        Refusal::Prescribed { .. } => (
            "a prescribed velocity gives no acceleration",
            "a_prescribed_velocity_gives_no_acceleration",
        ),
        Refusal::NotConservative { .. } => match feature {
            "springs" => {
                ("its balance has no springs: energy is lost", "with_springs_the_energy_is_not_kept")
            }
            "moving bodies" => (
                "the energy is kept, so a lift does no work",
                "where_energy_is_kept_a_lift_does_not_lift",
            ),
            _ => KEEPS,
        },
        other => panic!("{scheme} × {feature}: {other}"),
    }
}

/// The page, from runs.
fn page() -> String {
    let mut notes: Vec<(&str, &str)> = Vec::new();
    let names: Vec<&str> = INTEGRATORS.iter().map(|entry| entry.name).collect();
    let mut rows = String::new();
    for feature in FEATURES {
        rows += &format!("| {} |", feature.name);
        for scheme in &names {
            let (model, state) = (feature.make)();
            match Simulation::new(model, state, build(scheme, &Options::default()), STEP) {
                Ok(mut simulation) => {
                    let ran = simulation.run(feature.steps, &mut []);
                    assert!(ran.is_ok(), "{scheme} × {}: {:?}", feature.name, ran.err());
                    let state = &simulation.state;
                    assert!(
                        (feature.holds)(state),
                        "{scheme} × {}: {:?} {:?}",
                        feature.name,
                        state.q,
                        state.v
                    );
                    rows += " yes |";
                }
                Err(refusal) => {
                    let why = reason(scheme, feature.name, &refusal);
                    let known = notes.iter().position(|note| *note == why);
                    let k = known.unwrap_or_else(|| {
                        notes.push(why);
                        notes.len() - 1
                    });
                    rows += &format!(" {} |", k + 1);
                }
            }
        }
        rows.push('\n');
    }
    let head = format!(
        "| |{}\n|---|{}\n",
        names.iter().map(|n| format!(" {n} |")).collect::<String>(),
        "---|".repeat(names.len())
    );
    let list: String = notes
        .iter()
        .enumerate()
        .map(|(k, (why, test))| format!("{}. {why}: `{test}`.\n", k + 1))
        .collect();
    format!(
        "# What each scheme takes\n\n\
         Written by `cargo xtask schemes` from runs: *yes* is a small model that ran with the default options and came to its known answer.\n\
         A number is a refusal; its reason and the test that runs the scheme past it stand below.\n\n{head}{rows}\n{list}"
    )
}

/// Every test that the page names is in the sources.
fn check_tests(page: &str) {
    let mut sources = String::new();
    for folder in ["tests", "src"] {
        read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut sources);
    }
    for (k, name) in page.split('`').enumerate().filter(|(k, _)| k % 2 == 1) {
        let is_command = name.starts_with("cargo ");
        assert!(is_command || sources.contains(&format!("fn {name}(")), "no test {name} ({k})");
    }
}

fn read_all(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_all(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            *out += &std::fs::read_to_string(&path).expect("UTF-8");
        }
    }
}

#[test]
fn the_page_of_schemes_is_what_runs_show() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemes.md");
    let page = page();
    check_tests(&page);
    if std::env::var_os("NONSMOOTH_WRITE_PAGES").is_some() {
        std::fs::write(&path, &page).expect("writable");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "docs/schemes.md is not what runs show; write it with `cargo xtask schemes`");
}
