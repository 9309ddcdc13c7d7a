//! From a scene to a model: names resolved, formulas parsed, numbers checked; every mistake with its
//! place, all at once.

mod bodies;
mod constraints;
mod copies;
mod expressions;
mod files;
mod height_field;
mod instant;
mod joints;
mod masses;
mod materials;
mod names;
mod parameters;
mod plotted;
mod recipe;
mod shapes;
mod solid;
mod springs;
mod systems;
mod translate;

use crate::formula::{Expr, FormulaError, Scope, Wrong, parse};
use crate::observers;
use crate::scene::{Chosen, OnUnconverged, Output, Quantity, Scene, TOLERANCE, schema};
use crate::source::{Mistake, Path, SceneError, Seg, Source};
use crate::validate::validate;
use bodies::Seat;
use copies::Compiled;
use names::{Constants, Directory};
use nonsmooth::integrators::{self, INTEGRATORS, Integrator};
use nonsmooth::laws::LAWS;
use nonsmooth::model::rigid::MaterialId;
use nonsmooth::model::{ModelBuilder, Place};
use nonsmooth::{Model, Policy, Simulation, n_steps};
use nonsmooth_solvers::{Declared, Kind, OptionError, Options, SOLVERS, Value};
pub use recipe::Recipe;
use serde::Deserialize;
use shapes::Built;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use systems::StateForce;
use thiserror::Error;

/// Why there is nothing to write for ParaView.
pub const NO_BODIES: &str = "files for ParaView show rigid bodies, and the scene has none; leave it out";

/// A scene that is ready to run.
pub struct Loaded {
    /// Path of the scene file, as given.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Parameters set from outside, as `name=value`.
    pub overrides: Vec<(String, String)>,
    /// The line that names the scene.
    pub title: String,
    /// All parameters with their values.
    pub parameters: BTreeMap<String, f64>,
    /// The model, its initial state and the scheme, ready to step.
    pub simulation: Simulation,
    /// Name of the scheme and of the solver.
    pub methods: (String, String),
    /// The same with their options, to make further integrators for this scene.
    pub recipe: Recipe,
    /// Largest certificate that counts as solved [–].
    pub tolerance: f64,
    /// Initial time [s].
    pub start: f64,
    /// Step size [s].
    pub step_size: f64,
    /// Number of steps.
    pub n_steps: u64,
    /// Files of matrices and shapes that were read, each with a hash of its text.
    pub files: Vec<(String, u64)>,
    /// What is written, and how often.
    pub output: Output,
    /// Coordinates to plot, as places in q.
    pub plot: Vec<usize>,
    /// Names of the materials of bodies, by number.
    pub materials: Vec<String>,
}

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
    let mut mistakes = Vec::new();
    let scene = read(&text, &mut mistakes);
    let built = match &scene {
        Some((source, scene)) => {
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
            let mut build = Build::new(source, scene, folder);
            let built = build.all(overrides);
            mistakes.append(&mut build.mistakes);
            built
        }
        None => None,
    };
    let unfinished = scene.is_none();
    drop(scene);
    match built {
        Some(loaded) if mistakes.is_empty() => {
            let mut overrides = overrides.to_vec();
            overrides.sort();
            Ok(Loaded { name: name.to_owned(), text, overrides, ..loaded })
        }
        _ => {
            mistakes.sort_by_key(|m| (m.span.start, m.span.end));
            mistakes.dedup();
            Err(SceneError { name: name.to_owned(), text, mistakes, unfinished }.into())
        }
    }
}

/// Parses the text and checks its form; `None` if that found mistakes.
fn read<'a>(text: &'a str, mistakes: &mut Vec<Mistake>) -> Option<(Source<'a>, Scene)> {
    let source = Source::parse(text, mistakes);
    if mistakes.is_empty() {
        validate(&schema(), &source.table, mistakes);
    }
    // Unknown keys do not keep the rest from being read, so that its mistakes are found as well.
    match Scene::deserialize(toml::Deserializer::parse(text).ok()?) {
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

/// Whether what is wrong at a place of the model is wrong whatever else the model has.
fn stands_alone(place: &Place) -> bool {
    matches!(
        place,
        Place::Body(..)
            | Place::Kinematic(..)
            | Place::Joint(..)
            | Place::JointAxis(..)
            | Place::Spring(..)
            | Place::Region
    )
}

/// Where the bodies of a scene live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Dimension {
    /// Coordinates x, y and an angle.
    Plane,
    /// Coordinates x, y, z and a rotation.
    #[default]
    Space,
}

/// Most copies of one table.
const MOST_COPIES: usize = 10_000_000;

/// A scene under construction.
struct Build<'a> {
    source: &'a Source<'a>,
    scene: &'a Scene,
    folder: PathBuf,
    parameters: BTreeMap<String, f64>,
    /// Parameters that have no value, for a mistake.
    without_value: BTreeSet<String>,
    /// Tables whose number of copies has a mistake.
    uncounted: BTreeSet<String>,
    directory: Directory,
    builder: ModelBuilder,
    /// For each system of the model: where it stands in the scene.
    system_paths: Vec<Path>,
    system_names: Vec<String>,
    constraint_paths: Vec<Path>,
    prescribed_paths: Vec<Path>,
    spring_paths: Vec<Path>,
    joint_paths: Vec<Path>,
    /// Places in q of coordinates that constraints use.
    constrained: BTreeSet<usize>,
    /// Where bodies live.
    dimension: Dimension,
    shapes: BTreeMap<String, Arc<Built>>,
    materials: BTreeMap<String, MaterialId>,
    /// The moving bodies.
    moving: Vec<Seat>,
    /// The kinematic bodies.
    kinematic: Vec<Seat>,
    /// Forces of systems that depend on more than t, to be read when everything they may name is known.
    state_forces: Vec<StateForce<'a>>,
    /// Formulas of the table at hand.
    compiled: Compiled,
    files: Vec<(String, u64)>,
    mistakes: Vec<Mistake>,
}

impl<'a> Build<'a> {
    fn new(source: &'a Source<'a>, scene: &'a Scene, folder: PathBuf) -> Self {
        Self {
            source,
            scene,
            folder,
            parameters: BTreeMap::new(),
            without_value: BTreeSet::new(),
            uncounted: BTreeSet::new(),
            directory: Directory::default(),
            builder: ModelBuilder::new(),
            system_paths: Vec::new(),
            system_names: Vec::new(),
            constraint_paths: Vec::new(),
            prescribed_paths: Vec::new(),
            spring_paths: Vec::new(),
            joint_paths: Vec::new(),
            constrained: BTreeSet::new(),
            dimension: Dimension::default(),
            shapes: BTreeMap::new(),
            materials: BTreeMap::new(),
            moving: Vec::new(),
            kinematic: Vec::new(),
            state_forces: Vec::new(),
            compiled: Compiled::default(),
            files: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    fn all(&mut self, overrides: &[(String, String)]) -> Option<Loaded> {
        self.parameters(overrides);
        self.systems();
        self.world();
        self.shapes();
        self.materials();
        self.bodies();
        self.expressions_of_scene();
        self.wrenches();
        self.forces_of_state();
        self.springs();
        self.joints();
        self.constraints();
        let is_sound = self.mistakes.is_empty();
        if is_sound {
            // A formula with a mistake may be the one that uses them.
            self.unused_expressions();
        }
        let run = self.run();
        let solving = self.solving();
        let stepping = solving.and_then(|solving| self.integrator(solving));
        let plot = self.plotted();
        // Mistakes of the run, the solver or the integrator do not keep the model from being checked.
        if !is_sound {
            // Of a model with gaps only what stands alone can be judged.
            let mut issues = self.builder.check_parts();
            issues.retain(|(place, _)| stands_alone(place));
            self.translate(&issues);
            return None;
        }
        let builder = std::mem::take(&mut self.builder);
        let (model, state) = match builder.build(run.map_or(0.0, |(start, _, _)| start)) {
            Ok(built) => built,
            Err(error) => {
                self.translate(&error.issues);
                return None;
            }
        };
        let (_, step_size, n_steps) = run?;
        let start = state.t;
        let (recipe, integrator) = stepping?;
        let simulation = match Simulation::new(model, state, integrator, step_size) {
            Ok(simulation) => simulation,
            Err(refusal) => {
                self.mistake(&Path::of("integrator"), refusal.to_string());
                return None;
            }
        };
        if !self.check_observers(&simulation.model) {
            return None;
        }
        Some(Loaded {
            name: String::new(),
            text: String::new(),
            overrides: Vec::new(),
            title: self.scene.title.clone(),
            parameters: self.parameters.clone(),
            methods: (recipe.scheme().0.name.to_owned(), self.scene.solver.name.clone()),
            output: self.scene.output.clone(),
            files: std::mem::take(&mut self.files),
            simulation,
            tolerance: recipe.solver.tolerance,
            recipe,
            start,
            step_size,
            n_steps,
            plot,
            materials: self.material_names(),
        })
    }

    /// Whether the chosen observers exist and have something to watch.
    fn check_observers(&mut self, model: &Model) -> bool {
        let (before, output, path) = (self.mistakes.len(), &self.scene.output, Path::of("output"));
        let without_bodies = model.rigid.bodies.is_empty() && model.rigid.kinematic.is_empty();
        if output.vtk && without_bodies {
            self.mistake(&path.key("vtk"), NO_BODIES.to_owned());
        }
        for (i, name) in output.observers.iter().enumerate() {
            let path = path.key("observers").index(i);
            if observers::find(name).is_none() {
                let known: Vec<&str> = observers::OBSERVERS.iter().map(|entry| entry.name).collect();
                let hint = nonsmooth_solvers::nearest(name, known.iter().copied());
                let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
                let list = known.join(", ");
                self.mistake(&path, format!("no observer `{name}`{hint}; there are {list}"));
            } else if name == observers::VTK && without_bodies {
                self.mistake(&path, NO_BODIES.to_owned());
            } else if output.observers[..i].contains(name) {
                self.mistake(&path, format!("`{name}` is given twice"));
            }
        }
        self.mistakes.len() == before
    }

    fn mistake(&mut self, path: &Path, message: String) {
        let span = self.source.span(path);
        self.mistakes.push(Mistake { span, message });
    }

    fn mistake_at(&mut self, span: Range<usize>, message: String) {
        self.mistakes.push(Mistake { span, message });
    }

    fn constants(&self, index: Option<usize>) -> Constants<'_> {
        Constants { parameters: &self.parameters, index }
    }

    /// Parses a quantity; mistakes are noted at their place inside the text.
    fn formula(&self, path: &Path, q: &Quantity, scope: &dyn Scope) -> Result<Expr, Vec<Mistake>> {
        match q {
            Quantity::Number(x) if x.is_finite() => Ok(Expr::number(*x)),
            Quantity::Number(x) => Err(vec![Mistake {
                span: self.source.span(path),
                message: format!("must be finite, got {x}"),
            }]),
            Quantity::Formula(text) => {
                let expression =
                    parse(text, scope).map_err(|errors| self.formula_mistakes(path, errors))?;
                match expression.constant().filter(|x| !x.is_finite()) {
                    None => Ok(expression),
                    Some(x) => Err(vec![Mistake {
                        span: self.source.span(path),
                        message: format!("must be finite, but it is {x}"),
                    }]),
                }
            }
        }
    }

    /// The mistakes of the formula at `path`. A parameter that has a mistake of its own is not reported where it is used.
    fn formula_mistakes(&self, path: &Path, errors: Vec<FormulaError>) -> Vec<Mistake> {
        let is_own = |error: &FormulaError| match &error.wrong {
            Wrong::UnknownName { name, .. } => {
                let table = name.split_once('[').map_or(name.as_str(), |(table, _)| table);
                !self.without_value.contains(name) && !self.uncounted.contains(table)
            }
            _ => true,
        };
        let mistake = |error: FormulaError| Mistake {
            span: self.source.span_in_string(path, error.span.clone()),
            message: error.wrong.to_string(),
        };
        errors.into_iter().filter(is_own).map(mistake).collect()
    }

    /// A quantity that must be a number once parameters are known.
    fn number(&mut self, path: &Path, q: &Quantity, index: Option<usize>) -> Option<f64> {
        match self.formula(path, q, &self.constants(index)) {
            Err(mut mistakes) => {
                self.mistakes.append(&mut mistakes);
                None
            }
            Ok(expression) => match expression.constant() {
                Some(x) => Some(x),
                None => {
                    self.mistake(path, "must be a number or a formula over parameters".into());
                    None
                }
            },
        }
    }

    /// Makes every copy that a table asks for, up to the first with a mistake: the others would repeat it.
    fn each_copy(
        &mut self,
        path: &Path,
        repeat: Option<&Quantity>,
        mut make: impl FnMut(&mut Self, Option<usize>),
    ) {
        let before = self.mistakes.len();
        for copy in self.copies(path, repeat) {
            make(self, copy);
            if self.mistakes.len() > before {
                break;
            }
        }
    }

    /// How many copies a table asks for; `None` in the list means: no repetition.
    fn copies(&mut self, path: &Path, repeat: Option<&Quantity>) -> Vec<Option<usize>> {
        let Some(repeat) = repeat else { return vec![None] };
        let path = path.key("repeat");
        match self.number(&path, repeat, None) {
            Some(n) if n >= 1.0 && n.fract() == 0.0 && n <= MOST_COPIES as f64 => {
                (0..n as usize).map(Some).collect()
            }
            Some(n) => {
                self.mistake(&path, format!("`repeat` must be a whole number from 1 to 10⁷, got {n}"));
                self.without_copies(&path)
            }
            None => self.without_copies(&path),
        }
    }

    /// No copies of the table with a mistake at `path`; that they are missing is not reported where they are used.
    fn without_copies(&mut self, path: &Path) -> Vec<Option<usize>> {
        let name = self.source.text.get(self.source.span(&path.parent().key("name")));
        self.uncounted.extend(name.map(|name| name.trim_matches(['"', '\'']).to_owned()));
        Vec::new()
    }

    fn run(&mut self) -> Option<(f64, f64, u64)> {
        let (run, path) = (&self.scene.run, Path::of("run"));
        let start = match &run.start {
            Some(start) => self.number(&path.key("start"), start, None),
            None => Some(0.0),
        };
        let end = self.number(&path.key("end"), &run.end, None);
        let step_size = self.number(&path.key("step_size"), &run.step_size, None);
        if let Some(h) = step_size.filter(|h| *h <= 0.0) {
            self.mistake(&path.key("step_size"), format!("`step_size` must be > 0, got {h}"));
            return None;
        }
        let (start, end, h) = (start?, end?, step_size?);
        if end <= start {
            self.mistake(&path.key("end"), format!("`end` must be after `start` = {start}, got {end}"));
            return None;
        }
        // As in `n_steps`, 1e-9 may be rounding.
        if h > (end - start) * (1.0 + 1e-9) {
            let message = format!(
                "a step of {h} s is longer than the run, {} s; take a smaller step or a later `end`",
                end - start
            );
            self.mistake(&path.key("step_size"), message);
            return None;
        }
        if (end - start) / h > 1e15 {
            self.mistake(&path.key("step_size"), format!("{:e} steps are too many", (end - start) / h));
            return None;
        }
        if run.allow_initial_violation {
            self.builder.allow_initial_violation();
        }
        Some((start, h, n_steps(start, end, h)))
    }

    fn solving(&mut self) -> Option<recipe::Solver> {
        let entry = nonsmooth_solvers::find(&self.scene.solver.name)?;
        let declared = [&[&TOLERANCE], entry.options].concat();
        let path = Path::of("solver");
        let all = self.options(&path, &self.scene.solver, &declared)?;
        if let Err(errors) = all.check(entry.name, &declared) {
            self.option_errors(&path, &errors);
            return None;
        }
        let tolerance = all.number(&TOLERANCE);
        let mut own = all;
        own.remove(TOLERANCE.name);
        let policy = match self.scene.run.on_unconverged {
            OnUnconverged::Limit => Policy::Limit,
            OnUnconverged::Stop => Policy::Stop,
            OnUnconverged::Count => Policy::Count,
        };
        Some(recipe::Solver { entry, options: own, tolerance, policy })
    }

    fn integrator(&mut self, solver: recipe::Solver) -> Option<(Recipe, Box<dyn Integrator>)> {
        let chosen = self.scene.integrator();
        let entry = integrators::find(&chosen.name)?;
        let path = Path::of("integrator");
        let options = self.options(&path, &chosen, entry.options)?;
        match entry.build(&options, solver.solving()) {
            Ok(integrator) => Some((Recipe { integrator: (entry, options), solver }, integrator)),
            Err(errors) => {
                self.option_errors(&path, &errors);
                None
            }
        }
    }

    /// Options as values: words as they are, numbers evaluated.
    fn options(&mut self, path: &Path, chosen: &Chosen, declared: &[&Declared]) -> Option<Options> {
        let mut options = Options::default();
        let mut good = true;
        // A key that no entry of the list has was reported with the form of the scene.
        for (name, quantity) in chosen.options.iter().filter(|(name, _)| is_listed(path, name)) {
            let is_word = declared.iter().any(|d| d.name == name && matches!(d.kind, Kind::Word(_)));
            let value = match quantity {
                Quantity::Formula(word) if is_word => Some(Value::Word(word.clone())),
                quantity => self.number(&path.key(name), quantity, None).map(Value::Number),
            };
            match value {
                Some(value) => options.set(name, value),
                None => good = false,
            }
        }
        good.then_some(options)
    }

    fn option_errors(&mut self, path: &Path, errors: &[OptionError]) {
        for error in errors {
            self.mistake(&path.key(error.name()), error.to_string());
        }
    }
}

/// Whether any entry of the list to which the table at `path` belongs has this option.
fn is_listed(path: &Path, name: &str) -> bool {
    let has = |options: &[&Declared]| options.iter().any(|option| option.name == name);
    match path.0.first() {
        Some(Seg::Key(key)) if key == "law" => LAWS.iter().any(|e| has(e.options)),
        Some(Seg::Key(key)) if key == "solver" => {
            name == TOLERANCE.name || SOLVERS.iter().any(|e| has(e.options))
        }
        _ => INTEGRATORS.iter().any(|e| has(e.options)),
    }
}
