//! The gallery of rigid bodies: every scene does what mechanics says it must.
//!
//! `play` runs a scene to its end and asks of every scene: all steps are solved, and the ledger of energy closes.

mod balls;
mod blocks;
mod driven;
mod grains;
mod machines;
mod structures;

use crate::scene;
use glam::DVec3;
use nonsmooth::model::rigid::is_present;
use nonsmooth::model::{RigidId, RigidState, RigidTable};
use nonsmooth::observers::{EnergyLedger, Summary};
use nonsmooth::{Model, Observation, Simulation, State};

/// A scene at its end.
struct Played {
    simulation: Simulation,
    ledger: EnergyLedger,
    summary: Summary,
}

/// Runs a scene to its end and shows every step to `see`.
fn play(name: &str, set: &[(&str, &str)], see: impl FnMut(&Observation<'_>)) -> Played {
    play_for(name, set, None, see)
}

/// Runs a scene for `n` steps, by default to its end.
fn play_for(
    name: &str,
    set: &[(&str, &str)],
    n: Option<u64>,
    mut see: impl FnMut(&Observation<'_>),
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

/// Pose and twist of a rigid thing in a state.
fn rigid_state(model: &Model, state: &State, i: usize) -> RigidState {
    let mut out = Vec::new();
    model.rigid_states(state.t, &state.q, &state.v, &mut out).expect("finite");
    out[i]
}

impl Played {
    fn bodies(&self) -> &RigidTable {
        &self.simulation.model.rigid
    }

    fn n(&self) -> usize {
        self.bodies().bodies.len()
    }

    fn position(&self, i: usize) -> DVec3 {
        let pose = self.bodies().pose(RigidId(i as u32), &self.simulation.state);
        pose.expect("finite").position
    }

    fn velocity(&self, i: usize) -> DVec3 {
        rigid_state(&self.simulation.model, &self.simulation.state, i).velocity
    }

    fn is_present(&self, i: usize) -> bool {
        is_present(&self.simulation.state.presence, i)
    }

    /// T + V at the end less that at the start [J].
    fn gain(&self) -> f64 {
        let sum = |e: nonsmooth::Energies| e.kinetic + e.potential;
        sum(self.ledger.energies) - sum(self.ledger.initial)
    }
}

/// Where body `i` is after a step.
fn pose(frame: &Observation<'_>, i: usize) -> RigidState {
    frame.model.rigid.pose(RigidId(i as u32), frame.shown).expect("finite")
}

/// Where the centre of mass of body `i` is after a step [m].
fn position(frame: &Observation<'_>, i: usize) -> DVec3 {
    pose(frame, i).position
}

/// Its velocity [m/s].
fn velocity(frame: &Observation<'_>, i: usize) -> DVec3 {
    let body = &frame.model.rigid.bodies[i];
    body.twist(&frame.shown.v[body.v as usize..]).0
}

/// Impulse of all kinematic bodies on all bodies in a step [N·s], and its moment about the origin [N·m·s].
fn support(frame: &Observation<'_>) -> (DVec3, DVec3) {
    supported(frame, |_| 1.0)
}

/// The same as force [N] and its moment [N·m]: each impulse over the time in which it acted.
fn support_force(frame: &Observation<'_>) -> (DVec3, DVec3) {
    supported(frame, |c| 1.0 / frame.log.constraints.length_of(c))
}

fn supported(frame: &Observation<'_>, share: impl Fn(usize) -> f64) -> (DVec3, DVec3) {
    let (rigid, log) = (&frame.model.rigid, &frame.log.constraints);
    let n = rigid.bodies.len() as u32;
    let (mut sum, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    for (c, [point, normal]) in
        log.places.iter().enumerate().filter(|(_, place)| place[0][0].is_finite())
    {
        let colliders = log.ids[c].colliders().map(|k| &rigid.colliders[k as usize]);
        let sign = match colliders.map(|collider| collider.on.0 >= n) {
            [true, false] => 1.0,
            [false, true] => -1.0,
            _ => continue,
        };
        let axes = if colliders[0].is_planar() {
            [*normal, [-normal[1], normal[0], 0.0], [0.0; 3]]
        } else {
            nonsmooth_geometry::spatial::frame(*normal)
        };
        let along = axes.iter().zip(&log.impulse[log.rows(c)]);
        let p: DVec3 = along.map(|(axis, p)| share(c) * sign * *p * DVec3::from_array(*axis)).sum();
        sum += p;
        moment += DVec3::from_array(*point).cross(p);
    }
    (sum, moment)
}

/// Mass [kg] and momentum [N·s] of all bodies present after a step, with the velocities that impulses changed, which may lag behind those shown.
fn momentum(frame: &Observation<'_>) -> (f64, DVec3) {
    let bodies = frame.model.rigid.bodies.iter().enumerate();
    let present = bodies.filter(|(i, _)| is_present(&frame.after.presence, *i));
    present.fold((0.0, DVec3::ZERO), |(mass, sum), (_, body)| {
        (mass + body.mass, sum + body.mass * body.twist(&frame.after.v[body.v as usize..]).0)
    })
}
