//! The gallery of rigid bodies: every scene does what mechanics says it must.
//!
//! `play` runs a scene to its end and asks of every scene: all steps are solved, and the ledger of energy closes.

mod balls;
mod blocks;
mod driven;
mod grains;
mod structures;

use crate::scene;
use glam::DVec3;
use nonsmooth::{Bodies, EnergyLedger, Frame, Simulation, Summary};

/// A scene at its end.
struct Played {
    simulation: Simulation,
    ledger: EnergyLedger,
    summary: Summary,
}

/// Runs a scene to its end and shows every step to `see`.
fn play(name: &str, set: &[(&str, &str)], see: impl FnMut(&Frame<'_>)) -> Played {
    play_for(name, set, None, see)
}

/// Runs a scene for `n` steps, by default to its end.
fn play_for(
    name: &str,
    set: &[(&str, &str)],
    n: Option<u64>,
    mut see: impl FnMut(&Frame<'_>),
) -> Played {
    let loaded = scene(name, set);
    let n = n.unwrap_or(loaded.n_steps);
    let mut simulation = loaded.simulation;
    let mut ledger = EnergyLedger::begin(&simulation.model, &simulation.state).expect("finite");
    let mut summary = Summary::default();
    while simulation.state.step < n {
        match simulation.step() {
            Ok(frame) => {
                ledger.book(frame.log.energies, frame.log.works);
                summary.book(&frame);
                see(&frame);
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert_eq!(summary.unconverged, 0, "{name}");
    // The books are kept to rounding: sums over up to 10³ bodies and contacts.
    let worst = ledger.worst_remainder / ledger.scale;
    assert!(worst < 1e-12, "{name}: {worst:.1e} of the energy is unexplained in a step");
    Played { simulation, ledger, summary }
}

impl Played {
    fn bodies(&self) -> &Bodies {
        &self.simulation.model.bodies
    }

    fn position(&self, i: usize) -> DVec3 {
        self.bodies().pose(&self.simulation.state.q, i).0
    }

    /// T + V at the end less that at the start [J].
    fn gain(&self) -> f64 {
        let sum = |e: nonsmooth::Energies| e.kinetic + e.potential;
        sum(self.ledger.energies) - sum(self.ledger.initial)
    }
}

/// Where the centre of mass of body `i` is after a step [m].
fn position(frame: &Frame<'_>, i: usize) -> DVec3 {
    frame.model.bodies.pose(&frame.after.q, i).0
}

/// Its velocity [m/s].
fn velocity(frame: &Frame<'_>, i: usize) -> DVec3 {
    frame.model.bodies.twist(&frame.after.v, i).0
}

/// Impulse of all obstacles on all bodies in a step [N·s], and its moment about the origin [N·m·s].
fn support(frame: &Frame<'_>) -> (DVec3, DVec3) {
    let (n, touches) = (frame.model.bodies.n as u32, &frame.log.touches);
    let (mut sum, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    for (i, bodies) in touches.bodies.iter().enumerate() {
        let sign = match bodies.map(|body| body >= n) {
            [true, false] => 1.0,
            [false, true] => -1.0,
            _ => continue,
        };
        let p = sign * DVec3::from_array(touches.world_impulse(i));
        sum += p;
        moment += DVec3::from_array(touches.points[i]).cross(p);
    }
    (sum, moment)
}

/// Mass [kg] and momentum [N·s] of all bodies present after a step.
fn momentum(frame: &Frame<'_>) -> (f64, DVec3) {
    let bodies = &frame.model.bodies;
    let present = (0..bodies.n).filter(|&i| bodies.is_present(frame.after, i));
    present.fold((0.0, DVec3::ZERO), |(mass, sum), i| {
        (mass + bodies.mass[i], sum + bodies.mass[i] * velocity(frame, i))
    })
}
