//! `nonsmooth check`: every mistake of a scene, or what it holds.

use crate::Failure;
use nonsmooth_scene::load;
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
        model.n_velocities(),
        model.constraints.len(),
        loaded.methods.0,
        loaded.methods.1,
        loaded.n_steps,
        loaded.step_size,
        loaded.start,
    );
    // A closed pipe is no error of ours.
    let _ = out.write_all(text.as_bytes());
    Ok(())
}
