//! Coulomb friction in the schemes that work with accelerations, and in generalized-α.

use crate::by_name::integrator;
use crate::kit::{
    Built, Coulomb, Gap, Linear, ModelBuilder, Options, Simulation, Sparse, State, UserError,
};
use nonsmooth::laws::Law;

const G: f64 = 9.81;
/// All that take friction with accelerations.
const SCHEMES: [&str; 5] = ["event-driven", "high-order", "splitting", "d1-minus", "generalized-alpha"];

fn coulomb(friction: f64) -> Coulomb {
    Coulomb { friction, ..Coulomb::default() }
}

fn simulation((model, state): Built, scheme: &str, options: &Options, h: f64) -> Simulation {
    Simulation::new(model, state, integrator(scheme, options), h).expect("the scheme takes friction")
}

fn run(built: Built, scheme: &str, h: f64, n: u64) -> State {
    let mut simulation = simulation(built, scheme, &Options::default(), h);
    simulation.run(n, &mut []).unwrap_or_else(|error| panic!("{scheme}: {error}"));
    *simulation.state
}

/// A block with this load along n, s (and r) that touches n ≥ 0.
fn block(law: impl Law + 'static, load: &[f64], v: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&vec![1.0; load.len()])).load(load);
    let block = builder.linear(block.initial(&vec![0.0; load.len()], v));
    let law = builder.law("rough", law);
    let tangents: Vec<_> = (1..load.len()).map(|k| [(block, k, 1.0)]).collect();
    let tangents: Vec<&[_]> = tangents.iter().map(|t| &t[..]).collect();
    builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &tangents);
    builder.build(0.0).expect("a right model")
}

/// On a slope of tan α = ½ a block holds with μ = 0.55 and slides ½ g (sin α − μ cos α) t² with μ = 0.4, downhill in the plane of two
/// tangents too.
#[test]
fn a_block_on_a_slope_holds_or_slides() {
    let (sine, cosine) = 0.5f64.atan().sin_cos();
    for scheme in SCHEMES {
        for load in [vec![-cosine, sine], vec![-cosine, 0.6 * sine, -0.8 * sine]] {
            let load: Vec<f64> = load.iter().map(|x| G * x).collect();
            for (mu, exact) in [(0.55, 0.0), (0.4, 0.5 * G * (sine - 0.4 * cosine))] {
                let end = run(block(coulomb(mu), &load, &vec![0.0; load.len()]), scheme, 0.01, 100);
                let s = end.q[1..].iter().map(|q| q * q).sum::<f64>().sqrt();
                assert!((s - exact).abs() < 1e-9, "{scheme}, μ = {mu}: {:?}, not {exact}", end.q);
                assert!(end.q[0].abs() < 1e-12, "{scheme}: {:?}", end.q);
            }
        }
    }
}

/// Sliding at 1 m/s with μ = 0.3 a block stops after 1/(μ g) and stays.
#[test]
fn a_sliding_block_stops_and_stays() {
    let (mu, n) = (0.3, 100u64);
    for scheme in SCHEMES {
        for v in [vec![0.0, 1.0], vec![0.0, -0.6, 0.8]] {
            let mut load = vec![0.0; v.len()];
            load[0] = -G;
            let end = run(block(coulomb(mu), &load, &v), scheme, 1.0 / n as f64, n);
            let s = end.q[1..].iter().map(|q| q * q).sum::<f64>().sqrt();
            let exact = 0.5 / (mu * G);
            let tolerance = match scheme {
                "event-driven" | "high-order" => 1e-9,
                _ => 2e-3,
            };
            assert!((s - exact).abs() < tolerance, "{scheme}: {:?}, not {exact}", end.q);
            assert!(end.v.iter().all(|v| v.abs() < 1e-12), "{scheme}: {:?}", end.v);
        }
    }
}

/// y = q₀ over a belt that runs with a speed along q₁.
struct Belt(f64);

impl Gap for Belt {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0])
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[1.0, 0.0]);
        Ok(())
    }
    fn n_tangents(&self) -> usize {
        1
    }
    fn tangents(&self, _t: f64, _q: &[f64], j: &mut [f64], rate: &mut [f64]) -> Result<(), UserError> {
        j.copy_from_slice(&[0.0, 1.0]);
        rate[0] = -self.0;
        Ok(())
    }
}

/// A block of mass 1 on a spring of stiffness `k`, on a belt of speed `w`.
fn on_belt(law: impl Law + 'static, k: f64, w: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[1.0, 1.0])).load(&[-G, 0.0]);
    let block = block.stiffness(Sparse::diagonal(&[0.0, k])).initial(&[0.0; 2], &[0.0, w]);
    let block = builder.linear(block);
    let law = builder.law("rough", law);
    builder.gap("belt", law, &[(block, 0), (block, 1)], Belt(w));
    builder.build(0.0).expect("a right model")
}

/// Position of a block that starts at rest on a belt: it is carried to x = μ_s g/k, then swings about c = μ_d g/k until it has the speed
/// of the belt again, is carried, and so on.
fn carried(t: f64, k: f64, w: f64, mu_s: f64, mu_d: f64) -> f64 {
    let (omega, c, release) = (k.sqrt(), mu_d * G / k, mu_s * G / k);
    let amplitude = (release - c).hypot(w / omega);
    let phase = (release - c).atan2(w / omega);
    // x = c + A sin(ω s + phase) has the speed A ω cos, again w at ω s + phase = 2π − phase.
    let slides = (2.0 * std::f64::consts::PI - 2.0 * phase) / omega;
    let (mut x, mut left) = (0.0, t);
    loop {
        let carried = (release - x) / w;
        if left <= carried {
            return x + w * left;
        }
        left -= carried;
        if left <= slides {
            return c + amplitude * (omega * left + phase).sin();
        }
        left -= slides;
        x = c + amplitude * (omega * slides + phase).sin();
    }
}

#[test]
fn on_a_belt_it_sticks_and_slips_as_the_closed_form_says() {
    use nonsmooth::laws::StaticDynamic;
    let (k, w) = (20.0, 0.4);
    for (mu_s, mu_d) in [(0.5, 0.5), (0.5, 0.3)] {
        let law = StaticDynamic { friction_static: mu_s, friction_dynamic: mu_d, restitution: 0.0 };
        for scheme in SCHEMES {
            let mut simulation = simulation(on_belt(law, k, w), scheme, &Options::default(), 0.01);
            let mut worst = 0.0f64;
            for _ in 0..400 {
                let after = simulation.step().unwrap_or_else(|e| panic!("{scheme}: {e}")).after;
                worst = worst.max((after.q[1] - carried(after.t, k, w, mu_s, mu_d)).abs());
            }
            eprintln!("{scheme}, μ_s {mu_s}, μ_d {mu_d}: {worst:.1e}");
            let tolerance = match scheme {
                "event-driven" => 1e-10,
                "high-order" => 1e-8,
                _ => 1e-2,
            };
            assert!(worst < tolerance, "{scheme}, {mu_s} {mu_d}: {worst:e}");
        }
    }
}
