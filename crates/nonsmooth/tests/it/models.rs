//! Models that several tests use, each written once.

use crate::kit::{
    Bilateral, Built, Gap, Linear, ModelBuilder, NewtonImpact, Simulation, Sparse, Trajectory,
    UserError, VelocityConstraint,
};
use crate::order;

/// |a − b|² − 1 of points a and b, or |a|² − 1 of one.
pub struct Rod;

impl Gap for Rod {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        let other = |i: usize| q.get(2 + i).copied().unwrap_or(0.0);
        let (x, z) = (q[0] - other(0), q[1] - other(1));
        Ok(x * x + z * z - 1.0)
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let other = |i: usize| q.get(2 + i).copied().unwrap_or(0.0);
        let d = [2.0 * (q[0] - other(0)), 2.0 * (q[1] - other(1))];
        out[..2].copy_from_slice(&d);
        if out.len() == 4 {
            out[2..].copy_from_slice(&d.map(|x| -x));
        }
        Ok(())
    }
}

/// A mass of 2 kg on a rod of 1 m, let go from the horizontal.
pub fn bob() -> Built {
    let mut builder = ModelBuilder::new();
    let mass = Linear::new("mass", Sparse::diagonal(&[2.0, 2.0])).load(&[0.0, -19.62]);
    let mass = builder.linear(mass.initial(&[1.0, 0.0], &[0.0, 0.0]));
    let joint = builder.law("joint", Bilateral);
    builder.gap("rod", joint, &[(mass, 0), (mass, 1)], Rod);
    builder.build(0.0).expect("a right model")
}

/// A mass held at a wall by a spring that also carries a swinging mass: q₁ = 0 all the time.
pub fn pressed() -> Built {
    let matrix = |rows: [[f64; 2]; 2]| Sparse::from_rows(&rows.map(|row| row.to_vec()));
    let pair = Linear::new("pair", matrix([[1.0, 0.0], [0.0, 1.0]]))
        .stiffness(matrix([[9.0, -9.0], [-9.0, 9.0]]))
        .load(&[-20.0, 0.0])
        .initial(&[0.0, 1.0], &[0.0, 0.0]);
    let mut builder = ModelBuilder::new();
    let pair = builder.linear(pair);
    let law = builder.law("wall", NewtonImpact { restitution: 0.7 });
    builder.linear_gap("wall", law, &[(pair, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// y = 1 − |q| ≥ 0.
struct Bowl;

impl Gap for Bowl {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(1.0 - q[0].hypot(q[1]))
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let r = q[0].hypot(q[1]);
        out.copy_from_slice(&[-q[0] / r, -q[1] / r]);
        Ok(())
    }
}

/// A particle that slides in a round bowl: a pendulum as long as it is pressed against it.
pub fn bowl() -> Built {
    bowl_that_rebounds(0.0)
}

/// The same with restitution.
pub fn bowl_that_rebounds(restitution: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let start = std::f64::consts::FRAC_1_SQRT_2;
    let particle = Linear::new("particle", Sparse::diagonal(&[1.0, 1.0])).load(&[0.0, -10.0]);
    let particle = builder.linear(particle.initial(&[start, -start], &[0.0, 0.0]));
    let law = builder.law("bowl", NewtonImpact { restitution });
    builder.gap("bowl", law, &[(particle, 0), (particle, 1)], Bowl);
    builder.build(0.0).expect("a right model")
}

/// A floor that goes up and down: y = q − a sin ωt.
pub struct Shaken {
    pub amplitude: f64,
    pub frequency: f64,
}

impl Gap for Shaken {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0] - self.amplitude * (self.frequency * t).sin())
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn rate(&self, t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(-self.amplitude * self.frequency * (self.frequency * t).cos())
    }
    fn is_linear(&self) -> bool {
        true
    }
}

/// A ball of some mass [kg] that falls at 2 m/s² from a height of 1 m.
pub fn ball(mass: f64, restitution: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[mass])).load(&[-2.0 * mass]);
    let ball = builder.linear(ball.initial(&[1.0], &[0.0]));
    let law = builder.law("floor", NewtonImpact { restitution });
    builder.linear_gap("floor", law, &[(ball, 0, 1.0)], 0.0);
    builder.build(0.0).expect("a right model")
}

/// The ball of e = ½ through two impacts, up to t = 2.3 s: largest and mean error of q, mean error of v.
pub fn ball_errors(ours: &Trajectory) -> [f64; 3] {
    let exact = |t: f64| match t {
        t if t < 1.0 => (1.0 - t * t, -2.0 * t),
        t if t < 2.0 => ((t - 1.0) - (t - 1.0).powi(2), 1.0 - 2.0 * (t - 1.0)),
        t => (0.5 * (t - 2.0) - (t - 2.0).powi(2), 0.5 - 2.0 * (t - 2.0)),
    };
    let (mut errors, n) = ([0.0f64; 3], (ours.t.len() - 1) as f64);
    for (k, &t) in ours.t.iter().enumerate() {
        let (q, v) = exact(t);
        let (q, v) = ((ours.q[k][0] - q).abs(), (ours.v[k][0] - v).abs());
        errors = [errors[0].max(q), errors[1] + q / n, errors[2] + v / n];
    }
    errors
}

/// v_x − v_y, which must vanish.
pub struct Alike;

impl VelocityConstraint for Alike {
    fn value(&self, _t: f64, _q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(v[0] - v[1])
    }

    fn jacobian(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[1.0, -1.0]);
        Ok(())
    }
}

/// Errors through impacts fall with order one, averaged over 30 step numbers about each n, since an error jumps with the phase of the
/// impact in its step.
pub fn assert_order_one(errors: impl Fn(u64) -> [f64; 3]) {
    let averaged = |n: u64| {
        let all: Vec<[f64; 3]> = (0..30).map(|k| errors(n + k * n / 100)).collect();
        [0, 1, 2].map(|i| all.iter().map(|e| e[i]).sum::<f64>() / 30.0)
    };
    let (coarse, fine) = (averaged(101), averaged(1616));
    let orders = [0, 1, 2].map(|i| order(coarse[i], fine[i], 16.0));
    eprintln!("{coarse:?} → {fine:?}, orders {orders:.3?}");
    assert!(orders.iter().all(|p| (p - 1.0).abs() < 0.1), "{orders:?}");
}

/// The velocity of the one coordinate.
pub struct FirstVelocity;

impl VelocityConstraint for FirstVelocity {
    fn value(&self, _t: f64, _q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        Ok(v[0])
    }

    fn jacobian(&self, _t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
}

/// Two runs of one model for so many steps: no bit depends on scratch, and the first is cut after step `cut` and resumed. Returns the first.
pub fn assert_cut_and_reset(make: impl Fn() -> Simulation, steps: u64, cut: u64) -> Simulation {
    let (mut kept, mut dropped) = (make(), make());
    for k in 0..steps {
        dropped.reset();
        kept.step().expect("a good step");
        dropped.step().expect("a good step");
        assert_eq!(kept.state, dropped.state, "step {k}");
        if k == cut {
            let state = kept.state.clone();
            kept = make();
            kept.resume(state, 0.0);
        }
    }
    kept
}
