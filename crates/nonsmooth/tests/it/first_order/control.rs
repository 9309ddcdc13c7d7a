//! Sampled control: a reference of another code, delays, chattering.

use super::{LinearRelation, Variable, run, theta};
use crate::kit::{Arc, Model, ModelBuilder, Simulation, State};
use nonsmooth::integrators::EulerMoreau;
use nonsmooth::laws::Relay;
use nonsmooth::model::controllers::Sampling;
use nonsmooth::model::relations::{CouplingFunction, Point};
use nonsmooth::model::{FirstOrder, UserError};
use nonsmooth_testkit::Table;

/// r = gain · the first input.
struct Gain(f64);

impl CouplingFunction for Gain {
    fn force(&self, at: &Point<'_>, r: &mut [f64]) -> Result<(), UserError> {
        r[0] = self.0 * at.signals[0];
        Ok(())
    }

    fn slope(&self, _at: &Point<'_>, _r_z: &mut [f64]) -> Result<bool, UserError> {
        Ok(true)
    }

    fn is_linear(&self) -> bool {
        true
    }
}

/// ẋ = b(t) + (0, 2) u with u = −sgn x₁, sampled.
fn plant(sampling: Sampling) -> (Arc<Model>, State) {
    let mut builder = ModelBuilder::new();
    let system = FirstOrder::new("plant", &[1.0, -1.0]).input(|t, b| {
        b.copy_from_slice(&[(50.0 * t).sin(), -(50.0 * t).sin()]);
        Ok(())
    });
    let plant = builder.first_order(system);
    builder.input("u", 0.0);
    builder.controller("switch", sampling, &["u"], |at, u| {
        u[0] = if at.v[1] > 0.0 { -1.0 } else { 1.0 };
        Ok(())
    });
    builder.coupling("input", &[], &[(plant, 1)], Gain(2.0));
    builder.build(0.0).expect("a right model")
}

#[test]
fn sliding_mode_explicit() {
    let table = Table::read("sliding_mode_explicit");
    let (model, state) = plant(Sampling::every(1e-2));
    let mut simulation = Simulation::new(model, state, theta(1.0), 1e-4).unwrap();
    let mut rows = vec![(0.0, vec![1.0, -1.0])];
    let mut inputs = Vec::new();
    for _ in 0..=10_000 {
        let after = simulation.step().unwrap().after;
        // What acts from the start of the step on.
        inputs.push(after.inputs[0]);
        rows.push((after.t, after.v.clone()));
    }
    let at = |k: usize| if k + 1 == table.rows.len() { 10_000 } else { 2 * k };
    table.check("t", 1e-12, |k| rows[at(k)].0);
    table.check("x0", 1e-12, |k| rows[at(k)].1[0]);
    table.check("x1", 1e-12, |k| rows[at(k)].1[1]);
    table.check("u", 1e-12, |k| inputs[at(k)]);
}

/// |x₁| of the explicit control after it has reached zero grows with its period; the implicit relay holds it at rounding.
#[test]
fn explicit_control_chatters_in_proportion_to_its_period_and_implicit_does_not() {
    let chatter = |period: f64| {
        let (model, state) = plant(Sampling::every(period));
        let ours = run(&model, &state, theta(1.0), 1e-4, 20_000);
        ours.x[10_000..].iter().map(|x| x[1].abs()).fold(0.0, f64::max)
    };
    let all = [1.6e-2, 8e-3, 4e-3, 2e-3].map(chatter);
    for pair in all.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((ratio - 2.0).abs() < 0.3, "chattering {all:?}");
    }
    let mut builder = ModelBuilder::new();
    let system = FirstOrder::new("plant", &[1.0, -1.0]).input(|t, b| {
        b.copy_from_slice(&[(50.0 * t).sin(), -(50.0 * t).sin()]);
        Ok(())
    });
    let plant = builder.first_order(system);
    let law = builder.law("switch", Relay { lower: -1.0, upper: 1.0 });
    let s = Variable::state(plant, 1);
    builder.relation("switch", law, &[s], &[(plant, 1)], LinearRelation::new(1, &[1.0], &[2.0]));
    let (model, state) = builder.build(0.0).unwrap();
    let ours = run(&model, &state, theta(1.0), 4e-3, 500);
    let most = ours.x[250..].iter().map(|x| x[1].abs()).fold(0.0, f64::max);
    assert!(most < 1e-14, "implicit: {most:e}");
}

/// ẋ = −u with u = x(t_i), held and delayed: x is a broken line, which no step size changes.
#[test]
fn a_delayed_sample_acts_at_its_instant_whatever_the_step_is() {
    for (h, period, delay) in
        [(0.013, 0.1, 0.037), (0.1, 0.1, 0.0), (0.07, 0.03, 0.0), (0.011, 0.1, 0.25), (0.2, 0.03, 0.1)]
    {
        let mut builder = ModelBuilder::new();
        let plant = builder.first_order(FirstOrder::new("plant", &[1.0]));
        let sampling = Sampling::every(period).delay(delay);
        builder.input("u", 0.5);
        builder.controller("hold", sampling, &["u"], |at, u| {
            u[0] = at.v[0];
            Ok(())
        });
        builder.coupling("input", &[], &[(plant, 0)], Gain(-1.0));
        let (model, state) = builder.build(0.0).unwrap();
        let mut simulation = Simulation::new(model.clone(), state, EulerMoreau::default(), h).unwrap();
        let n = (1.5 / h) as usize;
        // The same by its samples and the instants at which they act.
        let (mut x, mut t, mut u, mut samples) = (1.0f64, 0.0f64, 0.5f64, Vec::new());
        let (mut sampled, mut acted) = (0usize, 0usize);
        let mut middle = None;
        for k in 1..=n {
            let end = k as f64 * h;
            loop {
                let sample = sampled as f64 * period;
                let act = acted as f64 * period + delay;
                let next = if sampled > acted { sample.min(act) } else { sample };
                if next > end - 1e-9 {
                    break;
                }
                x -= u * (next - t);
                t = next;
                if sample <= next {
                    samples.push(x);
                    sampled += 1;
                }
                if sampled > acted && act <= next + 1e-12 {
                    u = samples[acted];
                    acted += 1;
                }
            }
            x -= u * (end - t);
            t = end;
            let after = simulation.step().unwrap().after.clone();
            assert!(
                (after.v[0] - x).abs() < 1e-12,
                "h = {h}, delay = {delay}, t = {end}: {} for {x}",
                after.v[0]
            );
            if k == n / 2 {
                middle = Some(after);
            }
        }
        // What waits for its delay is in the state.
        let end = simulation.state.v.clone();
        let mut again = Simulation::new(model, middle.unwrap(), EulerMoreau::default(), h).unwrap();
        for _ in n / 2..n {
            again.step().unwrap();
        }
        assert_eq!(again.state.v[0].to_bits(), end[0].to_bits());
    }
}

#[test]
fn mistakes_of_controllers_are_told() {
    let mut builder = ModelBuilder::new();
    builder.first_order(FirstOrder::new("plant", &[1.0]));
    let sampling = Sampling { period: 0.0, delay: -1.0, start: f64::NAN };
    builder.controller("wrong", sampling, &["v"], |_, _| Ok(()));
    builder.controller("empty", Sampling::every(1.0), &[], |_, _| Ok(()));
    let text = builder.build(0.0).err().unwrap().to_string();
    for part in [
        "controller[0].period: must be a finite number > 0",
        "controller[0].delay: must be a finite number ≥ 0",
        "controller[0].start: must be finite",
        "controller[0].outputs: has `v`, which is no input",
        "controller[1].outputs: are none",
    ] {
        assert!(text.contains(part), "`{part}` not in:\n{text}");
    }
    let (model, _) = plant(Sampling::every(1e-2));
    let scheme = crate::integrator("moreau-jean", &crate::kit::Options::default());
    let refused = scheme.accepts(&model).unwrap_err().to_string();
    assert!(refused.contains("euler-moreau"), "{refused}");
    let mut builder = ModelBuilder::new();
    builder.first_order(FirstOrder::new("plant", &[1.0]));
    builder.input("u", 0.0);
    builder.controller("nan", Sampling::every(0.1), &["u"], |_, u| {
        u[0] = f64::NAN;
        Ok(())
    });
    let (model, state) = builder.build(0.0).unwrap();
    let mut simulation = Simulation::new(model, state, theta(1.0), 0.1).unwrap();
    let text = simulation.step().err().unwrap().to_string();
    assert!(text.contains("controller `nan`: an output is NaN at t = 0 s"), "{text}");
}
