//! The typed settings against the list.

use super::*;
use crate::integrators::INTEGRATORS;
use nonsmooth_solvers::{Kind, Options};

/// Whether the fields of `S` are the options of its entry, with their defaults; its name.
fn checked<S: Scheme>() -> &'static str {
    let entry = find(S::NAME).unwrap();
    S::default().check_against(entry.options);
    assert!(S::default().with_solver(SolverSettings::default()).is_ok());
    S::NAME
}

#[test]
fn the_fields_of_every_scheme_are_its_options_with_their_defaults() {
    let names = [
        checked::<KickDrift>(),
        checked::<MoreauJean>(),
        checked::<MoreauProjected>(),
        checked::<MoreauPaoli>(),
        checked::<SchatzmanPaoli>(),
        checked::<StewartTrinkle>(),
        checked::<MoreauAdaptive>(),
        checked::<HighOrder>(),
        checked::<Splitting>(),
        checked::<MoreauEnergy>(),
        checked::<EventDriven>(),
        checked::<D1Minus>(),
        checked::<GeneralizedAlpha>(),
        checked::<EulerExplicit>(),
        checked::<EulerSemiImplicit>(),
        checked::<EulerImplicit>(),
    ];
    assert_eq!(names.to_vec(), INTEGRATORS.iter().map(|entry| entry.name).collect::<Vec<_>>());
}

#[test]
fn every_word_of_an_option_has_its_variant() {
    let check = |scheme: &str, option: &str, variants: Vec<Value>| {
        let entry = find(scheme).unwrap();
        let declared = entry.options.iter().find(|declared| declared.name == option).unwrap();
        let Kind::Word(words) = declared.kind else { panic!("{option} is no word") };
        let words: Vec<Value> = words.iter().map(|word| Value::Word((*word).to_owned())).collect();
        assert_eq!(words, variants, "{scheme}, {option}");
    };
    check("moreau-jean", "level", [Level::Velocity, Level::Position].map(word).to_vec());
    check("moreau-jean", "mass_at", [EvaluatedAt::Theta, EvaluatedAt::End].map(word).to_vec());
    check(
        "moreau-projected",
        "projection",
        [ProjectionKind::Direct, ProjectionKind::Combined].map(word).to_vec(),
    );
    check("moreau-projected", "project", [Projected::Active, Projected::All].map(word).to_vec());
    check("moreau-paoli", "force", [ForceAt::Implicit, ForceAt::Explicit].map(word).to_vec());
    check(
        "schatzman-paoli",
        "start",
        [Start::SecondOrder, Start::FirstOrder, Start::Backward].map(word).to_vec(),
    );
    check("stewart-trinkle", "gap", [EndGap::Linearised, EndGap::Nonlinear].map(word).to_vec());
    check("stewart-trinkle", "forces", [ForcesAt::Start, ForcesAt::End].map(word).to_vec());
    check(
        "high-order",
        "method",
        [
            RungeKutta::Midpoint,
            RungeKutta::Rk4,
            RungeKutta::Rkf45,
            RungeKutta::DormandPrince,
            RungeKutta::Gauss2,
            RungeKutta::Gauss4,
            RungeKutta::Gauss6,
            RungeKutta::Radau3,
            RungeKutta::Radau5,
            RungeKutta::Lobatto2,
            RungeKutta::Lobatto4,
        ]
        .map(word)
        .to_vec(),
    );
    check("high-order", "locate", [Locate::Bisection, Locate::Newton, Locate::Dense].map(word).to_vec());
    check("high-order", "order", [MethodOrder::Fixed, MethodOrder::Adaptive].map(word).to_vec());
    check("moreau-energy", "root", [Root::Small, Root::Large].map(word).to_vec());
    check("moreau-energy", "direction", [Direction::Velocity, Direction::Uniform].map(word).to_vec());
    check("d1-minus", "persistent", [Persistent::Impact, Persistent::Inelastic].map(word).to_vec());
}

#[test]
fn what_is_out_of_range_is_refused_in_the_words_of_the_list() {
    let Err(refusal) = (MoreauJean { theta: 2.0, ..Default::default() }).into_integrator() else {
        panic!("it was made");
    };
    assert_eq!(
        refusal.to_string(),
        "the settings of `moreau-jean` are wrong: `theta` must be a number in [0, 1], got 2"
    );
    let given = HighOrder { adaptive: true, ..Default::default() }.options();
    assert_eq!(given, Options::default().with_word("adaptive", "yes"));
}
