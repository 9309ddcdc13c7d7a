//! Every issue that a model can have, produced by the smallest model that has it.

use crate::kit::{
    At, Bilateral, Coulomb, Gap, Issue, Lagrangian, LawId, Linear, ModelBuilder, ModelError,
    NewtonImpact, Place, Sparse, SystemId, UserError, VelocityConstraint,
};

/// The variant's name. No wildcard: a new variant must be given a wrong model below.
fn variant(issue: &Issue) -> &'static str {
    match issue {
        Issue::Size { .. } => "Size",
        Issue::NotFinite { .. } => "NotFinite",
        Issue::NotSymmetric { .. } => "NotSymmetric",
        Issue::NotPositive { .. } => "NotPositive",
        Issue::InitialGap { .. } => "InitialGap",
        Issue::InitialVelocity { .. } => "InitialVelocity",
        Issue::NoCoordinate => "NoCoordinate",
        Issue::NoSuchCoordinate { .. } => "NoSuchCoordinate",
        Issue::TooManySystems { .. } => "TooManySystems",
        Issue::ReboundAtVelocityLevel { .. } => "ReboundAtVelocityLevel",
        Issue::PrescribedTwice => "PrescribedTwice",
        Issue::User(_) => "User",
        Issue::Law(_) => "Law",
        Issue::Tangents { .. } => "Tangents",
        Issue::SignalTwice => "SignalTwice",
        Issue::Body(_) => "Body",
        Issue::PrescribedBody => "PrescribedBody",
        Issue::VelocityOfBody => "VelocityOfBody",
    }
}

fn mass(builder: &mut ModelBuilder, name: &str) -> SystemId {
    builder.linear(Linear::new(name, Sparse::diagonal(&[1.0])))
}

fn impact(builder: &mut ModelBuilder, restitution: f64) -> LawId {
    builder.law("impact", NewtonImpact { restitution })
}

fn refused(builder: ModelBuilder) -> ModelError {
    builder.build(0.0).err().expect("the model is wrong")
}

/// One linear system of two coordinates, changed by `change`.
fn pair(change: impl FnOnce(Linear) -> Linear) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.linear(change(Linear::new("pair", Sparse::diagonal(&[1.0, 1.0]))));
    builder
}

/// A Lagrangian system with the mass matrix `m`, or an error.
struct Body(Option<[f64; 4]>);

impl Lagrangian for Body {
    fn mass(&self, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&self.0.ok_or("no mass today")?);
        Ok(())
    }
    fn jacobians(&self, _at: At<'_>, _c: &mut [f64], _k: &mut [f64]) -> Result<(), UserError> {
        Ok(())
    }
}

fn body(mass: Option<[f64; 4]>) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.lagrangian("body", &["x", "y"], Body(mass), &[0.0; 2], &[0.0; 2]);
    builder
}

/// y = q₀ + 1, or an error.
struct Height(bool);

impl Gap for Height {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        if self.0 { Err("no gap today".into()) } else { Ok(q[0] + 1.0) }
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.fill(1.0);
        Ok(())
    }
}

struct Speed;

impl VelocityConstraint for Speed {
    fn value(&self, _t: f64, _q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(v[0])
    }
    fn jacobian(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.fill(1.0);
        Ok(())
    }
}

type Wrong = (&'static str, Place, ModelBuilder);

fn wrong_systems() -> Vec<Wrong> {
    let skew = || Sparse::from_rows(&[vec![1.0, 0.5], vec![0.0, 1.0]]);
    let flat = || Sparse::from_rows(&[vec![1.0, 1.0], vec![1.0, 1.0]]);
    let nan = || Sparse { value: vec![1.0, f64::NAN], ..Sparse::diagonal(&[1.0, 1.0]) };
    let at = |field| Place::System(0, field);
    let mut empty = ModelBuilder::new();
    empty.lagrangian("nothing", &[], Body(None), &[], &[]);
    vec![
        ("Size", at("q"), pair(|s| s.initial(&[0.0], &[0.0; 2]))),
        ("Size", at("v"), pair(|s| s.initial(&[0.0; 2], &[0.0; 3]))),
        ("Size", at("load"), pair(|s| s.load(&[1.0]))),
        ("Size", at("damping"), pair(|s| s.damping(Sparse::diagonal(&[1.0])))),
        ("Size", at("stiffness"), pair(|s| s.stiffness(Sparse::from_rows(&[vec![1.0, 0.0]])))),
        ("NotFinite", at("q"), pair(|s| s.initial(&[0.0, f64::NAN], &[0.0; 2]))),
        ("NotFinite", at("v"), pair(|s| s.initial(&[0.0; 2], &[f64::INFINITY, 0.0]))),
        ("NotFinite", at("load"), pair(|s| s.load(&[f64::NEG_INFINITY, 0.0]))),
        ("NotFinite", at("damping"), pair(|s| s.damping(nan()))),
        ("NotFinite", at("mass"), pair(|s| Linear { mass: nan(), ..s })),
        ("NotSymmetric", at("mass"), pair(|s| Linear { mass: skew(), ..s })),
        ("NotSymmetric", at("stiffness"), pair(|s| s.stiffness(skew()))),
        ("NotSymmetric", at("mass"), body(Some([1.0, 0.5, 0.0, 1.0]))),
        ("NotPositive", at("mass"), pair(|s| Linear { mass: flat(), ..s })),
        ("NotPositive", at("mass"), pair(|s| Linear { mass: Sparse::diagonal(&[1.0, -1.0]), ..s })),
        ("NotPositive", at("mass"), body(Some([1.0, 0.0, 0.0, 0.0]))),
        ("NotPositive", at("mass"), body(Some([1.0, 0.0, 0.0, f64::NAN]))),
        ("User", at("mass"), body(None)),
        ("Size", at("coordinates"), empty),
    ]
}

/// A constraint of one kind on a number of masses.
fn tied(masses: usize, tie: impl FnOnce(&mut ModelBuilder, &[SystemId])) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let ids: Vec<SystemId> = (0..masses).map(|i| mass(&mut builder, &format!("m{i}"))).collect();
    tie(&mut builder, &ids);
    builder
}

fn wrong_constraints() -> Vec<Wrong> {
    let at = |field| Place::Constraint(0, field);
    let linear = |coefficient: f64, offset: f64| {
        tied(1, |b, m| {
            let law = impact(b, 0.5);
            b.linear_gap("floor", law, &[(m[0], 0, coefficient)], offset);
        })
    };
    let speed = tied(1, |b, m| {
        let law = impact(b, 0.5);
        b.velocity_constraint("speed", law, &[(m[0], 0)], Speed);
    });
    let three = tied(3, |b, m| {
        let law = impact(b, 0.5);
        b.linear_gap("far", law, &[(m[0], 0, 1.0), (m[1], 0, 1.0), (m[2], 0, 1.0)], 0.0);
    });
    let failing = tied(1, |b, m| {
        let law = impact(b, 0.5);
        b.gap("floor", law, &[(m[0], 0)], Height(true));
    });
    let nowhere = tied(1, |b, _| {
        let law = impact(b, 0.5);
        b.gap("floor", law, &[], Height(false));
    });
    let off = tied(2, |b, m| {
        let law = b.law("joint", Bilateral);
        b.linear_gap("rod", law, &[(m[0], 0, 1.0), (m[1], 0, -1.0)], 0.5);
    });
    let bouncing = |e: f64| {
        tied(1, |b, m| {
            let law = impact(b, e);
            b.linear_gap("floor", law, &[(m[0], 0, 1.0)], 0.0);
        })
    };
    // Coordinate 1 of `m0` does not exist; its place in q belongs to `m1`.
    let astray = tied(2, |b, m| {
        let law = impact(b, 0.5);
        b.linear_gap("floor", law, &[(m[0], 1, 1.0)], 0.0);
    });
    let twice = tied(1, |b, m| (0..2).for_each(|_| b.prescribe(m[0], 0, |_| Ok(0.0))));
    let mut signals = ModelBuilder::new();
    signals.input("a", 1.0);
    signals.expression("a", Box::new(|_| Ok(0.0)));
    let mut moving = ModelBuilder::new();
    let cart = moving.linear(Linear::new("cart", Sparse::diagonal(&[1.0])).initial(&[0.0], &[3.0]));
    let joint = moving.law("joint", Bilateral);
    moving.velocity_constraint("stand still", joint, &[(cart, 0)], Speed);
    vec![
        ("InitialVelocity", at("velocity"), moving),
        ("InitialGap", at("gap"), linear(1.0, -0.25)),
        ("NotFinite", at("gap"), linear(1.0, f64::NAN)),
        ("NotFinite", at("gap"), linear(f64::INFINITY, 0.0)),
        ("NotFinite", at("gap"), apart(f64::NAN, true)),
        ("InitialGap", at("gap"), off),
        ("NoCoordinate", at("gap"), linear(0.0, 1.0)),
        ("NoCoordinate", at("gap"), nowhere),
        ("TooManySystems", at("gap"), three),
        ("ReboundAtVelocityLevel", at("law"), speed),
        ("Law", at("law"), bouncing(1.5)),
        ("Law", at("law"), bouncing(-0.1)),
        ("Law", at("law"), bouncing(f64::NAN)),
        ("NoSuchCoordinate", at("gap"), astray),
        ("NoSuchCoordinate", Place::Prescribed(0), tied(1, |b, m| b.prescribe(m[0], 7, |_| Ok(0.0)))),
        ("User", at("gap"), failing),
        ("PrescribedTwice", Place::Prescribed(1), twice),
        ("SignalTwice", Place::Signal("a".to_owned()), signals),
    ]
}

fn wrong_friction() -> Vec<Wrong> {
    let at = |field| Place::Constraint(0, field);
    let rubbing = |law: Coulomb, tangents: usize| {
        tied(1, |b, m| {
            let law = b.law("rub", law);
            let tangent: &[_] = &[(m[0], 0, 1.0)];
            b.linear_contact("floor", law, &[(m[0], 0, 1.0)], 0.0, &vec![tangent; tangents]);
        })
    };
    let rough = Coulomb { friction: 0.3, ..Coulomb::default() };
    let smooth = tied(1, |b, m| {
        let law = impact(b, 0.5);
        b.linear_contact("floor", law, &[(m[0], 0, 1.0)], 0.0, &[&[(m[0], 0, 1.0)]]);
    });
    vec![
        ("Law", at("law"), rubbing(Coulomb { tangential_restitution: 2.0, ..rough }, 1)),
        ("Law", at("law"), rubbing(Coulomb { friction: -0.1, ..rough }, 1)),
        ("Law", at("law"), rubbing(Coulomb { friction: f64::NAN, ..rough }, 1)),
        ("Law", at("law"), rubbing(Coulomb { facets: 2, ..rough }, 2)),
        ("Tangents", at("law"), rubbing(rough, 0)),
        ("Tangents", at("law"), rubbing(rough, 3)),
        ("Tangents", at("law"), smooth),
    ]
}

#[test]
fn every_issue_is_found_at_its_place() {
    let mut seen = std::collections::BTreeSet::new();
    for (number, (name, place, builder)) in
        wrong_systems().into_iter().chain(wrong_constraints()).chain(wrong_friction()).enumerate()
    {
        let error = refused(builder);
        let [(found_at, issue)] = &error.issues[..] else { panic!("{number}, {name}: {error}") };
        assert_eq!((variant(issue), found_at), (name, &place), "{number}: {error}");
        assert!(error.to_string().starts_with(&place.to_string()), "{error}");
        seen.insert(name);
    }
    // As many as `variant` has arms.
    assert_eq!(seen.len(), 15, "{seen:?}");
}

#[test]
fn several_wrong_things_are_told_at_once() {
    let mut builder = pair(|s| s.load(&[f64::NAN, 0.0]).initial(&[0.0], &[0.0; 2]));
    let m = mass(&mut builder, "good");
    builder.linear(Linear::new("massless", Sparse::diagonal(&[0.0])));
    let law = impact(&mut builder, 0.5);
    builder.linear_gap("nothing", law, &[(m, 0, 0.0)], 1.0);
    builder.velocity_constraint("speed", law, &[(m, 0)], Speed);
    (0..2).for_each(|_| builder.prescribe(m, 0, |_| Ok(0.0)));
    let error = refused(builder);
    let found: Vec<(String, &str)> =
        error.issues.iter().map(|(place, issue)| (place.to_string(), variant(issue))).collect();
    let wanted = [
        ("system[0].q", "Size"),
        ("system[0].load", "NotFinite"),
        ("system[2].mass", "NotPositive"),
        ("constraint[0].gap", "NoCoordinate"),
        ("constraint[1].law", "ReboundAtVelocityLevel"),
        ("prescribed[1]", "PrescribedTwice"),
    ];
    for (place, name) in wanted {
        assert!(found.iter().any(|(p, n)| p == place && *n == name), "no {name} at {place}:\n{error}");
    }
    assert_eq!(found.len(), wanted.len(), "{error}");
    assert_eq!(error.to_string().lines().count(), wanted.len());
}

/// Two masses at 0.1 and 0.3 with a gap of q₁ − q₀ − `distance`.
fn apart(distance: f64, allow: bool) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    let at = |q: f64| Linear::new("mass", Sparse::diagonal(&[1.0])).initial(&[q], &[0.0]);
    let (a, b) = (builder.linear(at(0.1)), builder.linear(at(0.3)));
    let law = impact(&mut builder, 0.5);
    builder.linear_gap("pair", law, &[(a, 0, -1.0), (b, 0, 1.0)], -distance);
    if allow {
        builder.allow_initial_violation();
    }
    builder
}

#[test]
fn an_initial_violation_says_by_how_much_and_can_be_allowed() {
    let error = refused(apart(0.45, false));
    let [(_, Issue::InitialGap { name, gap })] = &error.issues[..] else { panic!("{error}") };
    // 0.3 − 0.1 − 0.45 to rounding.
    assert!(name == "pair" && (gap + 0.25).abs() < 1e-15, "{error}");
    assert!(error.to_string().contains("`pair`: gap -2.500000e-1 m"), "{error}");
    apart(0.45, true).build(0.0).expect("allowed");
}

#[test]
fn a_violation_of_rounding_size_is_no_violation() {
    // 0.3 − 0.1 − 0.2 is −2.8e-17 in doubles.
    apart(0.2, false).build(0.0).expect("-2.8e-17 m is rounding");
    // Ten picometres are not.
    refused(apart(0.2 + 1e-11, false));
}
