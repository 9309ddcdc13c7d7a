//! The event-driven flow with its derivative.

mod closed_forms;
mod differences;
mod kinks;
mod systems;

use crate::kit::Built;
use nonsmooth::integrators::flow::{Direction, FlowSettings, Neighbours, Varied};

/// A built system with one direction for each parameter.
pub fn varied(p: &[f64], make: impl Fn(&[f64]) -> Built) -> Varied {
    let (model, state) = make(p);
    let directions = (0..p.len()).map(|k| {
        let at = |x: f64| {
            let mut p = p.to_vec();
            p[k] = x;
            Ok::<_, std::convert::Infallible>(make(&p))
        };
        let step = 1e-4 * if p[k] == 0.0 { 1.0 } else { p[k].abs() };
        let near = Neighbours::by(&format!("p{k}"), p[k], step, at);
        Direction::Parameter(Box::new(near.expect("it cannot fail")))
    });
    Varied { model, state, directions: directions.collect() }
}

pub fn settings(h: f64) -> FlowSettings {
    FlowSettings { step: h, ..FlowSettings::default() }
}
