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


/// Flights of the pressed oscillator from t: (start, speed).
fn pressed(t: f64) -> Vec<f64> {
    if t < std::f64::consts::FRAC_PI_3 {
        return vec![2.0 * t.cos() - 1.0, -2.0 * t.sin()];
    }
    let (mut start, mut u) = (std::f64::consts::FRAC_PI_3, 3.0f64.sqrt() / 2.0);
    while u > 1e-300 {
        let s = t - start;
        if s < 2.0 * u.atan() {
            return vec![s.cos() + u * s.sin() - 1.0, u * s.cos() - s.sin()];
        }
        (start, u) = (start + 2.0 * u.atan(), 0.5 * u);
    }
    vec![0.0, 0.0]
}

struct Parabola;
impl Gap for Parabola {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[1] - 0.5 * q[0] * q[0])
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[-q[0], 1.0]);
        Ok(())
    }
    fn curvature(&self, _t: f64, _q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(-v[0] * v[0])
    }
}

const G: f64 = 9.81;

fn bowl() -> (Model, State) {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0, 1.0])).load(&[0.0, -G]);
    let ball = builder.linear(ball.initial(&[-0.8, 1.5], &[0.3, 0.0]));
    let law = builder.law("rebound", NewtonImpact { restitution: 0.4 });
    builder.gap("bowl", law, &[(ball, 0), (ball, 1)], Parabola);
    builder.build(0.0).expect("a right model")
}

/// The bowl by itself: parabolic flights, impacts to rounding, then the bead on the wire y = x²/2.
struct Bowl { flights: Vec<[f64; 5]>, slide: [f64; 3] }
impl Bowl {
    fn new() -> Self {
        let mut flights = vec![];
        let (mut t, mut x, mut y, mut vx, mut vy) = (0.0, -0.8, 1.5, 0.3, 0.0f64);
        loop {
            flights.push([t, x, y, vx, vy]);
            // y + vy s − g s²/2 − (x + vx s)²/2 = 0, first positive root.
            let c = y - 0.5 * x * x;
            let b = vy - x * vx;
            let a = -0.5 * (G + vx * vx);
            let c = if flights.len() > 1 { 0.0 } else { c };
            let s = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
            t += s;
            x += vx * s;
            y = 0.5 * x * x;
            vy -= G * s;
            let (nx, ny) = (-x, 1.0);
            let u = nx * vx + ny * vy;
            let p = -1.4 * u / (nx * nx + ny * ny);
            vx += p * nx;
            vy += p * ny;
            if u.abs() < 1e-14 { break; }
        }
        let v = (vx + x * vy) / (1.0 + x * x);
        Bowl { flights, slide: [t, x, v] }
    }
    fn at(&self, t: f64) -> Vec<f64> {
        if t < self.slide[0] {
            let f = self.flights.iter().rev().find(|f| f[0] <= t).unwrap();
            let s = t - f[0];
            return vec![f[1] + f[3] * s, f[2] + f[4] * s - 0.5 * G * s * s, f[3], f[4] - G * s];
        }
        // (1 + x²) x'' + x x'² + g x = 0, many small steps of order four.
        let a = |x: f64, v: f64| -(x * v * v + G * x) / (1.0 + x * x);
        let [start, mut x, mut v] = self.slide;
        let n = 8000;
        let h = (t - start) / f64::from(n);
        for _ in 0..n {
            let (k1, l1) = (v, a(x, v));
            let (k2, l2) = (v + 0.5 * h * l1, a(x + 0.5 * h * k1, v + 0.5 * h * l1));
            let (k3, l3) = (v + 0.5 * h * l2, a(x + 0.5 * h * k2, v + 0.5 * h * l2));
            let (k4, l4) = (v + h * l3, a(x + h * k3, v + h * l3));
            x += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
            v += h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4);
        }
        vec![x, 0.5 * x * x, v, x * v]
    }
}

fn show(name: &str, make: &dyn Fn() -> (Model, State), end: f64, exact: &dyn Fn(f64) -> Vec<f64>) {
    eprintln!("{name}");
    for method in ["midpoint", "radau3", "rk4", "rkf45", "gauss4", "lobatto4", "dormand-prince", "radau5", "gauss6", "gauss2", "lobatto2"] {
        let options = Options::default().with_word("method", method);
        let mut last = f64::NAN;
        for n in [20u64, 40, 80, 160, 320] {
            let mean: f64 = (0..8).map(|k| l1(make(), &options, end, n + k * n / 16, exact)).sum::<f64>() / 8.0;
            eprint!(" {mean:.2e} ({:.2})", (last / mean).log2());
            last = mean;
        }
        eprintln!(" {method}");
    }
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
    show("oscillator", &|| oscillator(1.0, 0.0, 0.5, 1.0), 5.0, &exact);
    show("pressed", &|| oscillator(1.0, -1.0, 0.5, 1.0), 5.0, &pressed);
    let oracle = Bowl::new();
    eprintln!("slide from {:?}, {} flights", oracle.slide, oracle.flights.len());
    show("bowl", &bowl, 4.0, &|t| oracle.at(t));
}
