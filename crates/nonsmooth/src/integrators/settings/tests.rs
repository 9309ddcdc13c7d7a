//! The typed settings against the list.

use super::*;
use crate::integrators::INTEGRATORS;

/// Whether the fields of `S` are the options of its entry, with their defaults; its name.
fn checked<S: Scheme>() -> &'static str {
    let entry = find(S::NAME).unwrap();
    S::check_against(entry.options);
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
        checked::<EulerMoreau>(),
    ];
    assert_eq!(names.to_vec(), INTEGRATORS.iter().map(|entry| entry.name).collect::<Vec<_>>());
}

#[test]
fn options_and_settings_are_two_ways_of_saying_the_same() {
    let chosen = MoreauJean { theta: 1.0, jacobian_at: JacobianAt::Start, ..Default::default() };
    let options = Options::default().with("theta", 1.0).with_word("jacobian_at", "start");
    assert_eq!(chosen.options(), options);
    assert_eq!(MoreauJean::from_options(&options).unwrap(), chosen);
    let options = Options::default().with_word("adaptive", "yes").with_word("method", "gauss6");
    let read = HighOrder::from_options(&options).unwrap();
    assert_eq!((read.adaptive, read.method, read.rest), (true, RungeKutta::Gauss6, 1e-3));
    let refused = MoreauPaoli::from_options(&options).unwrap_err().to_string();
    assert!(refused.contains("`moreau-paoli` has no option `adaptive`"), "{refused}");
    assert!(refused.contains("`method`"), "all mistakes at once: {refused}");
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
