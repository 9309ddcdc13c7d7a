//! Tests of imports: every way from a file to a scene, and what must not get there.

mod bad_input;
mod fuzz;
mod mjcf;
mod mujoco;
mod urdf;

use nonsmooth_import::{Imported, Options, import, import_text};
use nonsmooth_scene::{Loaded, load_text};
use std::path::PathBuf;

/// The folder of the models.
fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn model(name: &str, options: &Options) -> Imported {
    import(&models().join(name), options).unwrap_or_else(|error| panic!("{error}"))
}

/// Imports a text whose files lie beside the models.
fn text(name: &str, text: &str) -> Result<Imported, String> {
    import_text(name, text, &models(), &Options::default()).map_err(|error| error.to_string())
}

/// The scene of an import, which must have no mistakes.
fn loaded(scene: &str) -> Loaded {
    load_text("scene.toml", scene.to_owned(), models(), &[])
        .unwrap_or_else(|error| panic!("{error}\n{scene}"))
}

/// Whether a line of the list of what was left out names these.
fn dropped(imported: &Imported, element: &str, attribute: &str, name: &str) -> bool {
    imported
        .dropped
        .iter()
        .any(|d| d.element == element && d.attribute == attribute && d.name == name && d.line > 0)
}
