//! A law of one's own: restitution that falls with the speed of approach, e(u) = e₀ / (1 + u/u₀).

use nonsmooth::laws::{Forms, Law, LawRows};
use nonsmooth::model::rigid::{Body, Collider, KinematicBody};
use nonsmooth::solvers::Set;
use nonsmooth::{Error, Simulation, integrators::KickDrift, model::ModelBuilder, shapes::Shape};

/// 0 ≤ u⁺ + e(−u⁻) u⁻ ⟂ p ≥ 0.
struct Viscous {
    /// Restitution of slow impacts [–].
    restitution: f64,
    /// Speed at which it has halved [m/s].
    speed: f64,
}

impl Law for Viscous {
    fn dim(&self, _tangents: usize) -> Option<usize> {
        Some(1)
    }

    fn forms(&self) -> Forms {
        Forms { rebounds: true, ..Forms::CONTACT }
    }

    fn step(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Nonnegative);
        for (shift, u) in rows.shift.iter_mut().zip(rows.u_minus) {
            *shift = -self.rebound((-u).max(0.0));
        }
    }

    fn contact(&self, rows: &mut LawRows<'_>) {
        rows.sets.fill(Set::Nonnegative);
    }

    fn rebound(&self, approach: f64) -> f64 {
        self.restitution * approach / (1.0 + approach / self.speed)
    }
}

pub(crate) fn main() -> Result<(), Error> {
    let (law, height, gravity) = (Viscous { restitution: 0.9, speed: 2.0 }, 1.25f64, 10.0);
    let after = law.rebound((2.0 * gravity * height).sqrt());
    let mut builder = ModelBuilder::new();
    builder.gravity([0.0, 0.0, -gravity]);
    let (clay, law) = (builder.material("clay"), builder.law("viscous", law));
    builder.pair(clay, clay, law);
    let floor = Collider::space(Shape::half_space([0.0, 0.0, 1.0])?, clay);
    builder.kinematic(KinematicBody::new("floor", vec![floor]));
    let ball = Body::solid("ball", Shape::ball(0.1)?, 1000.0, clay)?;
    builder.body(Body { position: [0.0, 0.0, 0.1 + height], ..ball });
    let (model, state) = builder.build(0.0)?;
    let mut simulation = Simulation::new(model, state, KickDrift::default(), 1e-3)?;
    simulation.run(501, &mut [])?; // it falls for 0.5 s
    let v = simulation.step()?.shown.v[2] + 0.002 * gravity;
    println!("rebound with {v} m/s, expected {after} m/s");
    assert!((v - after).abs() < 1e-9);
    Ok(())
}
