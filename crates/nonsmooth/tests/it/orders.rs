//! Measured orders.
use nonsmooth::*;

/// An integrator by name.
pub fn integrator(name: &str, options: &Options) -> Box<dyn Integrator> {
    let entry = find_integrator(name).expect("it is listed");
    entry.build(options, Solving::default()).expect("the options are valid")
}

/// q'' + k q = load + r, q ≥ 0, from (q, 0).
pub fn oscillator(k: f64, load: f64, e: f64, q: f64) -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let mass = Linear::new("mass", Sparse::diagonal(&[1.0])).stiffness(Sparse::diagonal(&[k]));
    let mass = builder.linear(mass.load(&[load]).initial(&[q], &[0.0]));
    let law = builder.law("rebound", NewtonImpact { restitution: e });
    builder.linear_gap("floor", law, &[(mass, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

pub fn l1((model, state): (Model, State), options: &Options, end: f64, n: u64, exact: &dyn Fn(f64) -> Vec<f64>) -> f64 {
    let h = end / n as f64;
    let mut simulation = Simulation::new(model, state, integrator("high-order", options), h).expect("accepted");
    let mut sum = 0.0;
    for _ in 0..n {
        let after = simulation.step().expect("it runs").after;
        let x = exact(after.t);
        let far: f64 = after.q.iter().chain(&after.v).zip(&x).map(|(a, b)| (a - b).abs()).sum();
        sum += h * far;
    }
    sum
}

#[test]
fn explore() {
    use std::f64::consts::FRAC_PI_2;
    let exact = |t: f64| {
        let n = ((t + FRAC_PI_2) / std::f64::consts::PI).floor();
        let s = 0.5f64.powf(n);
        let sign = if t.cos() < 0.0 { -1.0 } else { 1.0 };
        vec![s * t.cos().abs(), -s * sign * t.sin()]
    };
    for method in ["midpoint", "radau3", "rk4", "rkf45", "gauss4", "lobatto4", "dormand-prince", "radau5", "gauss6", "gauss2", "lobatto2"] {
        let options = Options::default().with_word("method", method);
        let mut last = f64::NAN;
        for n in [10u64, 20, 40, 80, 160, 320] {
            let mean: f64 = (0..8).map(|k| l1(oscillator(1.0, 0.0, 0.5, 1.0), &options, 5.0, n + k, &exact)).sum::<f64>() / 8.0;
            eprint!(" {mean:.2e} ({:.2})", (last / mean).log2());
            last = mean;
        }
        eprintln!(" {method}");
    }
}
