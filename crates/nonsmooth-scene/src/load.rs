//! Reading a scene: its form, its model, its observers; every mistake with its place.

use crate::build::{Loaded, build};
use crate::observers;
use crate::scene::{Scene, schema};
use crate::source::{Mistake, SceneError, Source};
use crate::validate::validate;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::LazyLock;
use thiserror::Error;

/// Why a scene could not be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// Path as given.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The scene has mistakes.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// A parameter is set twice.
    #[error("--set {name}: given twice")]
    SetTwice {
        /// The name given.
        name: String,
    },
    /// A parameter set from outside does not exist.
    #[error("--set {name}: the scene has no parameter `{name}`{}; it has {} (only [parameters] can be set)", hint(nearest), known.join(", "))]
    NoParameter {
        /// The name given.
        name: String,
        /// The closest one there is.
        nearest: Option<String>,
        /// All there are.
        known: Vec<String>,
    },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |n| format!(", did you mean `{n}`?"))
}

/// Reads, checks and builds the scene at `path`, with parameters set from outside.
pub fn load(path: &std::path::Path, overrides: &[(String, String)]) -> Result<Loaded, LoadError> {
    let name = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|source| LoadError::Io { path: name.clone(), source })?;
    let folder = path.parent().unwrap_or(std::path::Path::new("")).to_owned();
    load_text(&name, text, folder, overrides)
}

/// Checks and builds a scene given as text; matrix files are looked for in `folder`.
pub fn load_text(
    name: &str,
    text: String,
    folder: PathBuf,
    overrides: &[(String, String)],
) -> Result<Loaded, LoadError> {
    Reading::new(name, &text, folder).build(overrides)
}

/// The form of scenes.
static SCHEMA: LazyLock<serde_json::Value> = LazyLock::new(schema);

/// A scene text that was parsed and whose form was checked, to be built once or at many values of its parameters.
pub struct Reading<'a> {
    name: String,
    text: &'a str,
    folder: PathBuf,
    /// Nothing where the form was wrong.
    scene: Option<(Source<'a>, Scene)>,
    /// Mistakes of the form.
    mistakes: Vec<Mistake>,
}

impl<'a> Reading<'a> {
    /// Parses the text; what is wrong with it is reported by `build`.
    pub fn new(name: &str, text: &'a str, folder: PathBuf) -> Self {
        let mut mistakes = Vec::new();
        let scene = read(text, &mut mistakes);
        Self { name: name.to_owned(), text, folder, scene, mistakes }
    }

    /// Builds the model, or lists every mistake.
    pub fn build(&self, overrides: &[(String, String)]) -> Result<Loaded, LoadError> {
        let mut mistakes = self.mistakes.clone();
        let built = match &self.scene {
            Some((source, scene)) => {
                check_names(scene, overrides)?;
                let built = build(source, scene, self.folder.clone(), overrides, &mut mistakes);
                if let Some(loaded) = &built {
                    let wrong = observers::wrong(&loaded.output, loaded).into_iter();
                    let told = |(path, message)| Mistake { span: source.span(&path), message };
                    mistakes.extend(wrong.map(told));
                }
                built
            }
            None => None,
        };
        let (name, text) = (self.name.clone(), self.text.to_owned());
        match built {
            Some(loaded) if mistakes.is_empty() => {
                let mut overrides = overrides.to_vec();
                overrides.sort();
                Ok(Loaded { name, text, overrides, ..loaded })
            }
            _ => {
                mistakes.sort_by_key(|m| (m.span.start, m.span.end));
                mistakes.dedup();
                Err(SceneError { name, text, mistakes, unfinished: self.scene.is_none() }.into())
            }
        }
    }
}

/// Whether each parameter that is set exists and is set once.
fn check_names(scene: &Scene, overrides: &[(String, String)]) -> Result<(), LoadError> {
    for (i, (name, _)) in overrides.iter().enumerate() {
        if overrides[..i].iter().any(|(known, _)| known == name) {
            return Err(LoadError::SetTwice { name: name.clone() });
        }
        if !scene.parameters.contains_key(name) {
            let known: Vec<String> = scene.parameters.keys().cloned().collect();
            let nearest = nonsmooth_solvers::nearest(name, known.iter().map(String::as_str));
            return Err(LoadError::NoParameter { name: name.clone(), nearest, known });
        }
    }
    Ok(())
}

/// Parses the text and checks its form; `None` if that found mistakes.
fn read<'a>(text: &'a str, mistakes: &mut Vec<Mistake>) -> Option<(Source<'a>, Scene)> {
    let mut source = Source::parse(text, mistakes);
    if !mistakes.is_empty() {
        return None;
    }
    validate(&SCHEMA, &mut source.table, mistakes);
    // Unknown keys do not keep the rest from being read, so that its mistakes are found as well.
    match Scene::deserialize(toml::Deserializer::from(source.table.clone())) {
        Ok(scene) => Some((source, scene)),
        Err(error) => {
            if mistakes.is_empty() {
                let span = error.span().unwrap_or(0..0);
                mistakes.push(Mistake { span, message: error.message().to_owned() });
            }
            None
        }
    }
}
