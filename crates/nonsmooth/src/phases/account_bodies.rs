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
use super::free_motion::Theta;
use super::springs::Stretched;
use crate::log::StepLog;
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

/// Adds the works of the bodies, and writes their contacts into the log.
#[inline(never)]
pub fn add_body_works(
    model: &Model,
    made: &Made<'_>,
    v_phi: &[f64],
    works: &mut Works,
    log: &mut StepLog,
) {
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
    touch_works(model, made, v_phi, works, log);
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

fn touch_works(model: &Model, made: &Made<'_>, v_phi: &[f64], works: &mut Works, log: &mut StepLog) {
    let (bodies, touches, phi) = (&model.bodies, &made.rows.touches, made.phi);
    let n_rows = made.rows.keys.len();
    let p = &made.p[n_rows..];
    let mut k = 0;
    for i in 0..touches.keys.len() {
        let dim = touches.form(model, i).set.dim();
        let p = &p[k..k + dim];
        k += dim;
        if p.iter().all(|p| *p == 0.0) {
            continue;
        }
        let u = touches.relative(i, |body| touches.world_twist(bodies, v_phi, body));
        let rate = touches.rate.get(i).map_or([0.0; 3], |[now, next]| {
            std::array::from_fn(|r| phi * next[r] + (1.0 - phi) * now[r])
        });
        works.contact += p[0] * (u[0] + rate[0]);
        works.friction += (1..dim).map(|r| p[r] * (u[r] + rate[r])).sum::<f64>();
        works.obstacle -= (0..dim).map(|r| p[r] * rate[r]).sum::<f64>();
    }
    let u_plus = |i: usize| {
        let mut u = touches.relative(i, |body| touches.world_twist(bodies, &made.next.v, body));
        if let Some([_, next]) = touches.rate.get(i) {
            (0..3).for_each(|r| u[r] += next[r]);
        }
        u
    };
    touches.record(model, (p, &made.previous[n_rows..]), u_plus, log);
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
