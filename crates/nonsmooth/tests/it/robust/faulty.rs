//! A model with one of everything, each function of which fails on demand.

use crate::kit::{
    At, Bilateral, Built, Gap, Lagrangian, Linear, ModelBuilder, NewtonImpact, Sparse, UserError,
    VelocityConstraint,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What a function does when its switch is on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    None,
    Error,
    Nan,
}

/// A function that a user supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Site {
    Force,
    Prescribed,
    Mass,
    Inertial,
    Internal,
    Potential,
    Gradient,
    External,
    Jacobians,
    OpenGap,
    ClosedGap,
    GapJacobian,
    GapRate,
    VelocityValue,
    VelocityJacobian,
}

pub(super) const SITES: &[Site] = &[
    Site::Force,
    Site::Prescribed,
    Site::Mass,
    Site::Inertial,
    Site::Internal,
    Site::Potential,
    Site::Gradient,
    Site::External,
    Site::Jacobians,
    Site::OpenGap,
    Site::ClosedGap,
    Site::GapJacobian,
    Site::GapRate,
    Site::VelocityValue,
    Site::VelocityJacobian,
];

impl Site {
    /// The system or constraint to which the function belongs.
    pub(super) fn owner(self) -> &'static str {
        match self {
            Site::Force => "cart",
            Site::Prescribed => "drive",
            Site::OpenGap => "ceiling",
            Site::ClosedGap | Site::GapJacobian | Site::GapRate => "wall",
            Site::VelocityValue | Site::VelocityJacobian => "skate",
            _ => "pendulum",
        }
    }
}

/// Makes the function at one site fail, or none.
#[derive(Clone, Default)]
pub(super) struct Switch {
    site: Option<Site>,
    state: Arc<AtomicU8>,
}

impl Switch {
    pub(super) fn new(site: Site) -> Self {
        Self { site: Some(site), state: Arc::default() }
    }

    pub(super) fn set(&self, fault: Fault) {
        self.state.store(fault as u8, Ordering::Relaxed);
    }

    /// `x`, or what the fault makes of it.
    fn at(&self, site: Site, x: f64) -> Result<f64, UserError> {
        let fault = if self.site == Some(site) { self.state.load(Ordering::Relaxed) } else { 0 };
        match fault {
            0 => Ok(x),
            1 => Err("broken on purpose".into()),
            _ => Ok(f64::NAN),
        }
    }
}

const GRAVITY: f64 = 9.81;

/// A double pendulum of unit masses and lengths, angles from the vertical, with friction 0.1 in both
/// joints and a torque 0.3 sin 2t on the first.
struct Pendulum(Switch);

impl Lagrangian for Pendulum {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let c = (q[0] - q[1]).cos();
        out.copy_from_slice(&[2.0, c, c, self.0.at(Site::Mass, 1.0)?]);
        Ok(())
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let s = (q[0] - q[1]).sin();
        out.copy_from_slice(&[s * v[1] * v[1], self.0.at(Site::Inertial, -s * v[0] * v[0])?]);
        Ok(())
    }
    fn internal(&self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[0.1 * v[0], self.0.at(Site::Internal, 0.1 * v[1])?]);
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        self.0.at(Site::Potential, -GRAVITY * (2.0 * q[0].cos() + q[1].cos()))
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let second = self.0.at(Site::Gradient, GRAVITY * q[1].sin())?;
        out.copy_from_slice(&[2.0 * GRAVITY * q[0].sin(), second]);
        Ok(())
    }
    fn external(&self, t: f64, out: &mut [f64]) -> Result<(), UserError> {
        out[0] = self.0.at(Site::External, 0.3 * (2.0 * t).sin())?;
        Ok(())
    }
    fn jacobians(&self, at: At<'_>, c: &mut [f64], k: &mut [f64]) -> Result<(), UserError> {
        let (q, v) = (at.q, at.v);
        let (sin, cos) = (q[0] - q[1]).sin_cos();
        let friction = self.0.at(Site::Jacobians, 0.1)?;
        c.copy_from_slice(&[friction, 2.0 * sin * v[1], -2.0 * sin * v[0], friction]);
        let (a, b) = (cos * v[1] * v[1], cos * v[0] * v[0]);
        let (first, second) = (2.0 * GRAVITY * q[0].cos(), GRAVITY * q[1].cos());
        k.copy_from_slice(&[a + first, -a, -b, b + second]);
        Ok(())
    }
}

/// The tip of the pendulum left of a wall that swings about `at`; the site tells which gap it is.
struct Wall {
    switch: Switch,
    at: f64,
    site: Site,
}

impl Gap for Wall {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        let gap = self.at - q[0].sin() - q[1].sin() + 0.05 * (5.0 * t).sin();
        self.switch.at(self.site, gap)
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let second = -q[1].cos();
        let closed = self.site == Site::ClosedGap;
        let second = if closed { self.switch.at(Site::GapJacobian, second)? } else { second };
        out.copy_from_slice(&[-q[0].cos(), second]);
        Ok(())
    }
    fn rate(&self, t: f64, _q: &[f64]) -> Result<f64, UserError> {
        let rate = 0.25 * (5.0 * t).cos();
        if self.site == Site::ClosedGap { self.switch.at(Site::GapRate, rate) } else { Ok(rate) }
    }
}

/// u = v₁ − (1 + q₀) v₀: no side slip of a skate.
struct Skate(Switch);

impl VelocityConstraint for Skate {
    fn value(&self, _t: f64, q: &[f64], v: &[f64]) -> Result<f64, UserError> {
        self.0.at(Site::VelocityValue, v[1] - (1.0 + q[0]) * v[0])
    }
    fn jacobian(&self, _t: f64, q: &[f64], _v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out.copy_from_slice(&[-1.0 - q[0], self.0.at(Site::VelocityJacobian, 1.0)?]);
        Ok(())
    }
}

/// A cart with a force, two masses on a skate, a driven slider tied to the cart, a double pendulum that
/// leans on a wall that swings and is far from a second one.
pub(super) fn everything(switch: &Switch) -> Built {
    let mut builder = ModelBuilder::new();
    let force = switch.clone();
    let cart = Linear::new("cart", Sparse::diagonal(&[1.0, 2.0]))
        .stiffness(Sparse::from_rows(&[vec![30.0, -10.0], vec![-10.0, 20.0]]))
        .force(move |t, out| {
            out[0] = force.at(Site::Force, t.sin())?;
            Ok(())
        })
        .initial(&[0.1, 0.0], &[0.0, 0.5]);
    let cart = builder.linear(cart);
    let sled = builder.linear(
        Linear::new("sled", Sparse::diagonal(&[1.0, 1.0]))
            .load(&[1.0, -0.5])
            .initial(&[0.0; 2], &[0.2, 0.2]),
    );
    let drive = Linear::new("drive", Sparse::from_rows(&[vec![1.0, 0.3], vec![0.3, 1.0]]));
    let drive = builder.linear(drive);
    let prescribed = switch.clone();
    builder.prescribe(drive, 0, move |t| prescribed.at(Site::Prescribed, (3.0 * t).sin()));
    let (q, v) = ([0.8, 0.5], [0.5, 0.5]);
    let pendulum = Pendulum(switch.clone());
    let pendulum = builder.lagrangian("pendulum", &["alpha", "beta"], pendulum, &q, &v);

    let impact = builder.law("impact", NewtonImpact { restitution: 0.4 });
    let joint = builder.law("joint", Bilateral);
    // Closed at the start, so that its functions are all asked for in every step.
    let near = q[0].sin() + q[1].sin();
    let closed = Wall { switch: switch.clone(), at: near, site: Site::ClosedGap };
    builder.gap("wall", joint, &[(pendulum, 0), (pendulum, 1)], closed);
    let open = Wall { switch: switch.clone(), at: 5.0, site: Site::OpenGap };
    builder.gap("ceiling", impact, &[(pendulum, 0), (pendulum, 1)], open);
    builder.linear_gap("stop", impact, &[(cart, 0, 1.0)], 0.05);
    builder.linear_gap("rod", joint, &[(cart, 1, 1.0), (drive, 1, -1.0)], 0.0);
    builder.velocity_constraint("skate", joint, &[(sled, 0), (sled, 1)], Skate(switch.clone()));
    builder.build(0.0).expect("a right model")
}
