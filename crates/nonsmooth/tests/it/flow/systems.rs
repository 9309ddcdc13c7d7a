//! Systems with parameters: each makes model and initial state from them.

use crate::body_kit::{about, body};
use crate::kit::{
    At, Built, Coulomb, FiniteDifferences, Gap, Lagrangian, Linear, ModelBuilder, NewtonImpact, Sparse,
    UserError,
};
use crate::tracking::Yard;
use nonsmooth::joints::Revolute;
use nonsmooth::laws::StaticDynamic;

/// A system: its name, the values of its parameters, the time to which it runs, the step, how many impacts it has, and how it is made.
pub struct System {
    pub name: &'static str,
    pub p: &'static [f64],
    pub end: f64,
    pub h: f64,
    pub impacts: usize,
    pub make: fn(&[f64]) -> Built,
}

pub const SYSTEMS: &[System] = &[
    System {
        name: "a damped oscillator that is driven",
        p: &[0.3, -0.2, 4.0, 0.1],
        end: 7.0,
        h: 0.1,
        impacts: 0,
        make: oscillator,
    },
    System {
        name: "a ball on a floor",
        p: &[1.0, -0.5, 0.8, 9.81],
        end: 3.0,
        h: 0.05,
        impacts: 6,
        make: ball,
    },
    System {
        name: "an oscillator that is driven against a stop",
        p: &[0.05, 0.1, 0.7, 2.0],
        end: 63.0,
        h: 0.1,
        impacts: 20,
        make: impact_oscillator,
    },
    System {
        name: "two masses on springs and a wall",
        p: &[0.4, 0.0, 30.0, 0.6],
        end: 6.0,
        h: 0.05,
        impacts: 4,
        make: two_masses,
    },
    System {
        name: "a pendulum and a wall",
        p: &[1.2, 0.0, 0.9, 0.7],
        end: 5.0,
        h: 0.05,
        impacts: 4,
        make: pendulum,
    },
    System {
        name: "a double pendulum and a wall",
        p: &[0.9, 0.5, 0.6, 0.3],
        end: 2.5,
        h: 0.02,
        impacts: 1,
        make: double_pendulum,
    },
    System {
        name: "a block that slides to a stop",
        p: &[1.5, 0.3, 9.81, 1.0],
        end: 1.0,
        h: 0.05,
        impacts: 0,
        make: block,
    },
    System {
        name: "a block on a belt",
        p: &[20.0, 0.4, 0.5, 0.1],
        end: 4.0,
        h: 0.05,
        impacts: 0,
        make: |p| {
            belt(p, StaticDynamic { friction_static: p[2], friction_dynamic: p[2], restitution: 0.0 })
        },
    },
    System {
        name: "a block on a belt with two coefficients",
        p: &[20.0, 0.4, 0.5, 0.3],
        end: 4.0,
        h: 0.05,
        impacts: 0,
        make: |p| {
            belt(p, StaticDynamic { friction_static: p[2], friction_dynamic: p[3], restitution: 0.0 })
        },
    },
    System {
        name: "a disc that spins and hops on a rough floor",
        p: &[1.0, 6.0, 0.35, 0.6],
        end: 1.6,
        h: 0.05,
        impacts: 5,
        make: disc,
    },
    System {
        name: "a ball that spins and hops in space",
        p: &[1.0, 6.0, 0.15, 0.6],
        end: 1.6,
        h: 0.05,
        impacts: 5,
        make: spinning_ball,
    },
    System {
        name: "a ball on a floor that shakes",
        p: &[0.5, 0.1, 12.0, 0.7],
        end: 2.0,
        h: 0.02,
        impacts: 4,
        make: shaken,
    },
    System {
        name: "a mass that lands without rebound, rides and takes off",
        p: &[0.05, 0.05, 20.0, 1.0],
        end: 0.35,
        h: 0.01,
        impacts: 2,
        make: rider,
    },
    System {
        name: "an arm on a hinge with a stop",
        p: &[0.2, 0.5, 1.5],
        end: 2.0,
        h: 0.02,
        impacts: 1,
        make: arm,
    },
];

fn one(system: Linear, law: Option<(f64, f64)>) -> Built {
    let mut builder = ModelBuilder::new();
    let system = builder.linear(system);
    if let Some((restitution, offset)) = law {
        let law = builder.law("rebound", NewtonImpact { restitution });
        builder.linear_gap("stop", law, &[(system, 0, 1.0)], offset);
    }
    builder.build(0.0).expect("a right model")
}

fn oscillator(p: &[f64]) -> Built {
    let system = Linear::new("mass", Sparse::diagonal(&[1.3]));
    let system = system.stiffness(Sparse::diagonal(&[p[2]])).damping(Sparse::diagonal(&[p[3]]));
    let system = system.force(|t, out| {
        out[0] = (1.7 * t).cos();
        Ok(())
    });
    one(system.initial(&[p[0]], &[p[1]]), None)
}

pub fn ball(p: &[f64]) -> Built {
    let system = Linear::new("ball", Sparse::diagonal(&[2.0])).load(&[-2.0 * p[3]]);
    one(system.initial(&[p[0]], &[p[1]]), Some((p[2], 0.0)))
}

pub fn impact_oscillator(p: &[f64]) -> Built {
    let system = Linear::new("mass", Sparse::diagonal(&[1.0])).stiffness(Sparse::diagonal(&[1.0]));
    let w = p[3];
    let system = system.force(move |t, out| {
        out[0] = (w * t).cos();
        Ok(())
    });
    one(system.initial(&[p[0]], &[p[1]]), Some((p[2], 0.0)))
}

fn two_masses(p: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let k = p[2];
    let entries = [(0, 0, 2.0 * k), (0, 1, -k), (1, 0, -k), (1, 1, k)];
    let stiffness = Sparse::from_triplets(2, 2, &entries).expect("it is finite");
    let system = Linear::new("masses", Sparse::diagonal(&[1.0, 2.0])).stiffness(stiffness);
    let system = builder.linear(system.initial(&[0.0, p[0]], &[p[1], 0.0]));
    let law = builder.law("rebound", NewtonImpact { restitution: p[3] });
    builder.linear_gap("wall", law, &[(system, 1, 1.0)], 0.1);
    builder.build(0.0).expect("a right model")
}

/// A point on a string of length l: φ from the vertical.
struct Pendulum(f64);

impl Lagrangian for Pendulum {
    fn mass(&self, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = self.0 * self.0;
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(-9.81 * self.0 * q[0].cos())
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 9.81 * self.0 * q[0].sin();
        Ok(())
    }
    fn jacobians(
        &self,
        at: At<'_>,
        damping: &mut [f64],
        stiffness: &mut [f64],
    ) -> Result<(), UserError> {
        (damping[0], stiffness[0]) = (0.0, 9.81 * self.0 * at.q[0].cos());
        Ok(())
    }
}

/// A wall at x = −0.3: y = Σ l sin q + 0.3 over all links.
struct Wall(Vec<f64>);

impl Gap for Wall {
    fn gap(&self, _t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q.iter().zip(&self.0).map(|(q, l)| l * q.sin()).sum::<f64>() + 0.3)
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        for ((out, q), l) in out.iter_mut().zip(q).zip(&self.0) {
            *out = l * q.cos();
        }
        Ok(())
    }
}

fn pendulum(p: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let system = builder.lagrangian("pendulum", &["phi"], Pendulum(p[2]), &[p[0]], &[p[1]]);
    let law = builder.law("rebound", NewtonImpact { restitution: p[3] });
    builder.gap("wall", law, &[(system, 0)], Wall(vec![p[2]]));
    builder.build(0.0).expect("a right model")
}

/// Two points of mass 1 and m on strings of length 1.
struct Double(f64);

impl Lagrangian for Double {
    fn mass(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let c = self.0 * (q[0] - q[1]).cos();
        out.copy_from_slice(&[1.0 + self.0, c, c, self.0]);
        Ok(())
    }
    fn inertial(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        let s = self.0 * (q[0] - q[1]).sin();
        (out[0], out[1]) = (s * v[1] * v[1], -s * v[0] * v[0]);
        Ok(())
    }
    fn potential(&self, q: &[f64]) -> Result<f64, UserError> {
        Ok(-9.81 * ((1.0 + self.0) * q[0].cos() + self.0 * q[1].cos()))
    }
    fn gradient(&self, q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        (out[0], out[1]) = (9.81 * (1.0 + self.0) * q[0].sin(), 9.81 * self.0 * q[1].sin());
        Ok(())
    }
    fn jacobians(&self, _: At<'_>, _: &mut [f64], _: &mut [f64]) -> Result<(), UserError> {
        unreachable!("they are estimated")
    }
}

fn double_pendulum(p: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let dynamics = FiniteDifferences(Double(p[2]));
    let system = builder.lagrangian("double", &["a", "b"], dynamics, &[p[0], p[1]], &[0.0, 0.0]);
    let law = builder.law("rebound", NewtonImpact { restitution: p[3] });
    builder.gap("wall", law, &[(system, 0), (system, 1)], Wall(vec![1.0, 1.0]));
    builder.build(0.0).expect("a right model")
}

fn block(p: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[p[3], p[3]])).load(&[-p[3] * p[2], 0.0]);
    let block = builder.linear(block.initial(&[0.0, 0.0], &[0.0, p[0]]));
    let law = builder.law("rough", Coulomb { friction: p[1], ..Coulomb::default() });
    builder.linear_contact("floor", law, &[(block, 0, 1.0)], 0.0, &[&[(block, 1, 1.0)]]);
    builder.build(0.0).expect("a right model")
}

/// y = q₀ over a belt that runs along q₁.
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

fn belt(p: &[f64], law: StaticDynamic) -> Built {
    let mut builder = ModelBuilder::new();
    let block = Linear::new("block", Sparse::diagonal(&[1.0, 1.0])).load(&[-9.81, 0.0]);
    let block = block.stiffness(Sparse::diagonal(&[0.0, p[0]])).initial(&[0.0; 2], &[0.0, p[1]]);
    let block = builder.linear(block);
    let law = builder.law("rough", law);
    builder.gap("belt", law, &[(block, 0), (block, 1)], Belt(p[1]));
    builder.build(0.0).expect("a right model")
}

fn round(planar: bool, p: &[f64]) -> Built {
    let mut yard = Yard::new(planar, 0.0);
    let law = Coulomb { friction: p[2], restitution: p[3], ..Coulomb::default() };
    let law = yard.builder.law("rough", law);
    yard.builder.default_pair(law);
    yard.floor();
    let mut ball = yard.ball("ball", 1.0, 0.1, yard.at(0.0, p[0]));
    ball.velocity = yard.at(0.7, 0.0);
    ball.angular_velocity = if planar { [0.0, 0.0, p[1]] } else { [0.8 * p[1], 0.6 * p[1], 1.0] };
    yard.builder.body(ball);
    yard.build()
}

fn disc(p: &[f64]) -> Built {
    round(true, p)
}

fn spinning_ball(p: &[f64]) -> Built {
    round(false, p)
}

/// y = q − a sin(w t).
struct Shaking(f64, f64);

impl Gap for Shaking {
    fn gap(&self, t: f64, q: &[f64]) -> Result<f64, UserError> {
        Ok(q[0] - self.0 * (self.1 * t).sin())
    }
    fn jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) -> Result<(), UserError> {
        out[0] = 1.0;
        Ok(())
    }
    fn rate(&self, t: f64, _q: &[f64]) -> Result<f64, UserError> {
        Ok(-self.0 * self.1 * (self.1 * t).cos())
    }
    fn curvature(&self, t: f64, _q: &[f64], _v: &[f64]) -> Result<f64, UserError> {
        Ok(self.0 * self.1 * self.1 * (self.1 * t).sin())
    }
}

fn on_shaking(q: f64, (a, w): (f64, f64), restitution: f64) -> Built {
    let mut builder = ModelBuilder::new();
    let ball = Linear::new("ball", Sparse::diagonal(&[1.0])).load(&[-9.81]);
    let ball = builder.linear(ball.initial(&[q], &[0.0]));
    let law = builder.law("rebound", NewtonImpact { restitution });
    builder.gap("floor", law, &[(ball, 0)], Shaking(a, w));
    builder.build(0.0).expect("a right model")
}

fn shaken(p: &[f64]) -> Built {
    on_shaking(p[0], (p[1], p[2]), p[3])
}

fn rider(p: &[f64]) -> Built {
    on_shaking(p[0], (p[1], p[2]), 0.0)
}

/// p: initial angle, restitution, spin; the arm swings about the y axis through its end and has stops.
fn arm(p: &[f64]) -> Built {
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -9.81]);
    let frame = builder.kinematic(nonsmooth::model::rigid::KinematicBody::new("frame", Vec::new()));
    let (sine, cosine) = p[0].sin_cos();
    let place = glam::DVec3::new(-0.5 * sine, 0.0, -0.5 * cosine);
    let spin = glam::DVec3::new(0.0, p[2], 0.0);
    let mut arm = body("arm", 1.0, place.into());
    arm.rotation = about([0.0, 1.0, 0.0], p[0]);
    arm.velocity = spin.cross(place).into();
    arm.angular_velocity = spin.into();
    let arm = builder.body(arm);
    let hinge = Revolute::at([0.0; 3]).axis([0.0, 1.0, 0.0]);
    builder.joint("hinge", hinge, frame, arm).stop(-0.4..0.4, p[1]);
    builder.build(0.0).expect("a right model")
}
