//! `nonsmooth check`: every mistake of a scene, or what it holds.

use crate::Failure;
use nonsmooth::{Dimension, KineticAngles};
use nonsmooth_scene::{Loaded, load};
use std::io::Write as _;
use std::path::Path;

/// Loads the scene and says what it holds.
pub(crate) fn check(scene: &Path, set: &[(String, String)]) -> Result<(), Failure> {
    let loaded = load(scene, set).map_err(|error| Failure::Input(error.into()))?;
    let model = &loaded.simulation.model;
    let mut out = std::io::stdout().lock();
    let text = format!(
        "{}: no mistakes\n  {} systems, {} coordinates, {} constraints; {}, solver {}; {} steps of {} s from t = {} s\n",
        scene.display(),
        model.systems.len(),
        model.bodies.first_v,
        model.constraints.len(),
        loaded.methods.0,
        loaded.methods.1,
        loaded.n_steps,
        loaded.step_size,
        loaded.start,
    );
    let text = text + &bodies_at_start(&loaded)? + &closed_at_start(&loaded)?;
    // A closed pipe is no error of ours.
    let _ = out.write_all(text.as_bytes());
    Ok(())
}

/// What there is of bodies, and where they touch at the start.
fn bodies_at_start(loaded: &Loaded) -> Result<String, Failure> {
    let (model, state) = (&loaded.simulation.model, &loaded.simulation.state);
    let bodies = &model.bodies;
    if bodies.names.is_empty() {
        return Ok(String::new());
    }
    let touches =
        model.count_touches(state).map_err(|error| Failure::Input(anyhow::anyhow!("{error}")))?;
    let present = (0..bodies.n).filter(|&i| bodies.is_present(state, i)).count();
    let place = if bodies.dimension == Dimension::Plane { "the plane" } else { "space" };
    let later = if present < bodies.n {
        format!(" ({} appear later or are outside the region)", bodies.n - present)
    } else {
        String::new()
    };
    Ok(format!(
        "  {} bodies in {place}{later}, {} obstacles, {} materials ({}), {} springs; {touches} contact points at the start\n",
        bodies.n,
        bodies.obstacles.len(),
        loaded.materials.len(),
        loaded.materials.join(", "),
        bodies.springs.len(),
    ))
}

/// Gap up to which a constraint counts as closed at the start [m]: rounding of lengths up to a kilometre.
const CLOSED: f64 = 1e-12;
/// Most pairs that are listed.
const PAIRS: usize = 10;

/// How the contacts that are closed at the start stand to each other, if there are two or more.
fn closed_at_start(loaded: &Loaded) -> Result<String, Failure> {
    let (model, state) = (&loaded.simulation.model, &loaded.simulation.state);
    let angles = model.kinetic_angles(state, CLOSED).map_err(|e| Failure::Input((*e).into()))?;
    let KineticAngles { closed, rank, mut cosines } = angles;
    if closed.len() < 2 {
        return Ok(String::new());
    }
    let mut text = format!(
        "  {} contacts are closed at the start, {rank} gradients of them independent (H'4)\n",
        closed.len()
    );
    cosines.sort_by(|a, b| b.2.total_cmp(&a.2));
    for (a, b, cosine) in cosines.iter().take(PAIRS) {
        let (a, b) = (model.constraints.name(*a), model.constraints.name(*b));
        text += &format!("    kinetic angle of `{a}` and `{b}`: cos = {cosine:.6}\n");
    }
    if cosines.len() > PAIRS {
        text += &format!("    and {} pairs with smaller cosines\n", cosines.len() - PAIRS);
    }
    text += "    (H'5) asks for cos <= 0 with restitution 0, cos = 0 with any other\n";
    Ok(text)
}
