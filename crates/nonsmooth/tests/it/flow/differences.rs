//! Derivatives of the flow against central differences of runs by `event-driven`.

use super::systems::{SYSTEMS, System};
use super::{settings, varied};
use crate::by_name::integrator;
use crate::kit::{Options, Simulation};
use nonsmooth::integrators::flow::{FlowEventKind, flow_with_derivative};

/// The end of a run and the instants of its impacts, by the scheme alone.
fn run(system: &System, p: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (model, state) = (system.make)(p);
    let scheme = integrator("event-driven", &Options::default());
    let mut simulation = Simulation::new(model, state, scheme, system.h).expect("it is taken");
    let mut times = Vec::new();
    for _ in 0..(system.end / system.h).round() as u64 {
        let frame = simulation.step().unwrap_or_else(|error| panic!("{}: {error}", system.name));
        times.extend(frame.log.events.iter().map(|event| event.t));
    }
    let state = &simulation.state;
    (state.q.iter().chain(&state.v).copied().collect(), times)
}

/// By two central differences, extrapolated.
fn difference(system: &System, k: usize) -> (Vec<f64>, Vec<f64>) {
    let size = if system.p[k] == 0.0 { 1.0 } else { system.p[k].abs() };
    let by = |d: f64| {
        let at = |sign: f64| {
            let mut p = system.p.to_vec();
            p[k] += sign * d;
            run(system, &p)
        };
        let (a, b) = (at(-1.0), at(1.0));
        assert_eq!(a.1.len(), b.1.len(), "{}: other impacts at {k}", system.name);
        let quotient = |(a, b): (&f64, &f64)| (b - a) / (2.0 * d);
        let quotients = |a: &[f64], b: &[f64]| a.iter().zip(b).map(quotient).collect::<Vec<_>>();
        (quotients(&a.0, &b.0), quotients(&a.1, &b.1))
    };
    let (wide, narrow) = (by(4e-5 * size), by(2e-5 * size));
    let extrapolate = |wide: &[f64], narrow: &[f64]| -> Vec<f64> {
        wide.iter().zip(narrow).map(|(wide, narrow)| (4.0 * narrow - wide) / 3.0).collect()
    };
    (extrapolate(&wide.0, &narrow.0), extrapolate(&wide.1, &narrow.1))
}

/// Largest difference, relative to the largest entry, or to a hundredth: differences of runs are good to 1e-8.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1e-2f64, |m, b| m.max(b.abs()));
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs() / size))
}

/// Compares one system; the largest differences of states and of instants, or what is wrong.
fn compare(system: &System) -> Result<[f64; 2], String> {
    let varied = varied(system.p, system.make);
    let flow = flow_with_derivative(&varied, system.end, &settings(system.h), &[]);
    let flow = flow.map_err(|error| error.to_string())?;
    let impacts: Vec<_> =
        flow.events.iter().filter(|event| event.kind == FlowEventKind::Impact).collect();
    let (end, times) = run(system, system.p);
    if (times.len(), impacts.len()) != (system.impacts, system.impacts) {
        return Err(format!("impacts at {times:?}, in the flow {}", impacts.len()));
    }
    let x: Vec<f64> = flow.state.q.iter().chain(&flow.state.v).copied().collect();
    if apart(&x, &end) > 1e-9 {
        return Err(format!("the end is {x:?}, not {end:?}"));
    }
    let mut worst = [0.0f64; 2];
    for k in 0..system.p.len() {
        let (exact, exact_times) = difference(system, k);
        let found: Vec<f64> = impacts.iter().map(|event| event.t.d[k]).collect();
        let (state, instants) = (apart(&flow.d_state[k], &exact), apart(&found, &exact_times));
        if !(state < 1e-6 && instants < 1e-6) {
            let d = &flow.d_state[k];
            return Err(format!(
                "parameter {k}: {state:.1e}, {instants:.1e}\n{d:?}\n{exact:?}\n{found:?}\n{exact_times:?}"
            ));
        }
        worst = [worst[0].max(state), worst[1].max(instants)];
    }
    Ok(worst)
}

#[test]
fn derivatives_are_central_differences_through_impacts_and_friction() {
    let mut wrong = Vec::new();
    for system in SYSTEMS {
        match compare(system) {
            Ok([state, instants]) => eprintln!("{}: {state:.1e} {instants:.1e}", system.name),
            Err(what) => wrong.push(format!("{}: {what}", system.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
