//! The energy ledger of rigid bodies.
//!
//! ```text
//! T = Σ ½ m‖v‖² + ½ ω·Jω       V = −Σ m g·x + Σ ½ k (l − l₀)²
//! external = Σ h (f_θ·v_φ + Rᵀτ_θ·ω_φ)       contact, friction = Σ p (H v_φ + rate_φ)       obstacle = −Σ p rate_φ
//! viscous  = −Σ h c l̇_θ l̇_φ                  exchange = Σ (T + V) of bodies that appear, less those that leave
//! scheme   = (½ − φ) Σ ΔvᵀMΔv − Σ h ω_φ·(ω_θ × Jω_θ)
//! ```
//!
//! ω_θ of the gyroscopic term is that of the free motion: without contact impulses its work vanishes for φ = θ. Without
//! springs the balance closes to rounding; the forces of springs are linearised, and what is missing is the remainder.

use super::account::{Made, Works};
use super::chunks::map_chunks;
use super::free_motion::Theta;
use super::springs::Stretched;
use crate::model::{Bodies, Model, State};

/// Adds the kinetic and potential energy of the bodies of a state [J].
#[inline(never)]
pub fn add_body_energies(bodies: &Bodies, state: &State, kinetic: &mut f64, potential: &mut f64) {
    for i in (0..bodies.n).filter(|&i| bodies.is_present(state, i)) {
        let (t, v) = bodies.energies(state, i);
        *kinetic += t;
        *potential += v;
    }
    for spring in &bodies.springs {
        let at = Stretched::at(bodies, spring, &state.q);
        if at.ends.iter().flatten().all(|end| bodies.is_present(state, end.0)) {
            *potential += 0.5 * spring.stiffness * (at.length - spring.rest_length).powi(2);
        }
    }
}

/// Adds the works of the bodies.
#[inline(never)]
pub fn add_body_works(model: &Model, made: &Made<'_>, v_phi: &[f64], works: &mut Works) {
    let bodies = &model.bodies;
    for &(i, force, torque) in &made.free.drive.wrenches {
        let (velocity, omega) = bodies.twist(v_phi, i as usize);
        works.external += force.dot(velocity) + torque.dot(omega);
    }
    for (i, gyroscopic) in made.free.drive.gyroscopic.iter().enumerate() {
        works.scheme += gyroscopic.dot(bodies.twist(v_phi, i).1);
    }
    if made.phi != 0.5 {
        for i in (0..bodies.n).filter(|&i| bodies.is_present(made.now, i)) {
            let ((v, w), (a, b)) = (bodies.twist(&made.now.v, i), bodies.twist(&made.next.v, i));
            let (dv, dw) = (a - v, b - w);
            let form = bodies.mass[i] * dv.length_squared() + dw.dot(bodies.inertia[i].times(dw));
            works.scheme -= (made.phi - 0.5) * form;
        }
    }
    spring_works(bodies, made, v_phi, works);
    touch_works(model, made, v_phi, works);
    exchange(bodies, made, works);
}

fn spring_works(bodies: &Bodies, made: &Made<'_>, v_phi: &[f64], works: &mut Works) {
    let Theta { h, theta } = made.rule;
    for spring in bodies.springs.iter().filter(|spring| spring.damping > 0.0) {
        let at = Stretched::ahead(bodies, spring, made.now, h * theta);
        if at.ends.iter().flatten().all(|end| bodies.is_present(made.now, end.0)) {
            let rate = |v: &[f64]| at.rate(bodies, v);
            let mean = theta * rate(&made.end.v) + (1.0 - theta) * rate(&made.now.v);
            works.viscous -= h * spring.damping * mean * rate(v_phi);
        }
    }
}

fn touch_works(model: &Model, made: &Made<'_>, v_phi: &[f64], works: &mut Works) {
    let (touches, phi) = (&made.rows.touches, made.phi);
    let p = &made.p[made.rows.keys.len()..];
    let parts = map_chunks(&touches.chunks(model), |chunk| {
        let (mut sums, mut p) = (Works::default(), &p[chunk.rows.clone()]);
        for i in chunk.points.clone() {
            let own;
            (own, p) = p.split_at(touches.form(model, i).set.dim());
            if own.iter().all(|p| *p == 0.0) {
                continue;
            }
            let u = touches.relative(&model.bodies, v_phi, i);
            let rate = touches.rate.get(i).map_or([0.0; 3], |[now, next]| {
                std::array::from_fn(|r| phi * next[r] + (1.0 - phi) * now[r])
            });
            sums.contact += own[0] * (u[0] + rate[0]);
            sums.friction += (1..own.len()).map(|r| own[r] * (u[r] + rate[r])).sum::<f64>();
            sums.obstacle -= (0..own.len()).map(|r| own[r] * rate[r]).sum::<f64>();
        }
        sums
    });
    for part in &parts {
        works.contact += part.contact;
        works.friction += part.friction;
        works.obstacle += part.obstacle;
    }
}

/// Energy of bodies that appear or leave at the end of the step.
fn exchange(bodies: &Bodies, made: &Made<'_>, works: &mut Works) {
    for i in 0..made.next.lives.len() {
        let (was, is) = (bodies.is_present(made.now, i), bodies.is_present(made.next, i));
        if was != is {
            let (t, v) = bodies.energies(made.next, i);
            works.exchange += if is { t + v } else { -(t + v) };
        }
    }
}
