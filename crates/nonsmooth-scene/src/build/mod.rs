//! From a scene to a model: names resolved, formulas parsed, numbers checked; every mistake with its
//! place, all at once.

mod bodies;
mod bvp;
mod constraints;
mod controllers;
mod copies;
mod elastic;
mod expressions;
mod files;
mod height_field;
mod instant;
mod joints;
mod loaded;
mod masses;
mod materials;
mod names;
mod parameters;
mod plotted;
mod recipe;
mod relations;
mod shapes;
mod solid;
mod springs;
mod systems;
mod translate;

use crate::formula::{Expr, FormulaError, Scope, Wrong, parse};
use crate::scene::{Chosen, OnUnconverged, Quantity, Scene, TOLERANCE};
use crate::source::{Mistake, Path, Seg, Source};
use bodies::Seat;
pub use bvp::{Bvp, Condition, Unknown};
use copies::Compiled;
use elastic::{BuiltElastic, Standing};
use glam::DVec3;
pub use loaded::Loaded;
use names::{Constants, Directory};
use nonsmooth::integrators::{self, INTEGRATORS, Integrator};
use nonsmooth::joints::JOINTS;
use nonsmooth::laws::LAWS;
use nonsmooth::model::rigid::MaterialId;
use nonsmooth::model::{ModelBuilder, Place};
use nonsmooth::{Policy, Simulation, n_steps};
use nonsmooth_elements::elements::FORMULATIONS;
use nonsmooth_solvers::{Declared, Kind, OptionError, Options, SOLVERS, Value};
pub use recipe::Recipe;
use relations::Rate;
use shapes::Built;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use systems::StateForce;

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
    relation_paths: Vec<Path>,
    controller_paths: Vec<Path>,
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
    /// Gravity [m/s²].
    gravity: DVec3,
    /// Elastic bodies by name, and the bodies that they may meet.
    elastic: BTreeMap<String, BuiltElastic>,
    standing: BTreeMap<String, Standing>,
    /// Elastic bodies that have a mistake: that their coordinates are missing is not told as well.
    unbuilt: BTreeSet<String>,
    /// Forces of systems that depend on more than t, to be read when everything they may name is known.
    state_forces: Vec<StateForce<'a>>,
    /// Rates of first-order systems, to be read with the relations.
    rates: Vec<Rate<'a>>,
    /// Formulas of the table at hand.
    compiled: Compiled,
    files: Vec<(String, u64)>,
    mistakes: Vec<Mistake>,
}

/// Builds what a scene describes; what is wrong is appended to `mistakes`. The caller fills in name, text and overrides.
pub(crate) fn build(
    source: &Source<'_>,
    scene: &Scene,
    folder: PathBuf,
    overrides: &[(String, String)],
    mistakes: &mut Vec<Mistake>,
) -> Option<Loaded> {
    let mut build = Build::new(source, scene, folder);
    let built = build.all(overrides);
    mistakes.append(&mut build.mistakes);
    built
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
            relation_paths: Vec::new(),
            controller_paths: Vec::new(),
            joint_paths: Vec::new(),
            constrained: BTreeSet::new(),
            dimension: Dimension::default(),
            shapes: BTreeMap::new(),
            materials: BTreeMap::new(),
            moving: Vec::new(),
            kinematic: Vec::new(),
            gravity: DVec3::ZERO,
            elastic: BTreeMap::new(),
            standing: BTreeMap::new(),
            unbuilt: BTreeSet::new(),
            state_forces: Vec::new(),
            rates: Vec::new(),
            compiled: Compiled::default(),
            files: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    fn all(&mut self, overrides: &[(String, String)]) -> Option<Loaded> {
        self.parameters(overrides);
        self.world();
        self.systems();
        self.first_order_systems();
        self.shapes();
        self.materials();
        self.bodies();
        self.name_joints();
        self.controller_outputs();
        self.expressions_of_scene();
        self.controllers();
        self.wrenches();
        self.forces_of_state();
        self.springs();
        self.joints();
        let laws = self.laws();
        self.constraints(&laws);
        self.elastic_contacts(&laws);
        self.relations(&laws);
        let bvp = self.bvp();
        self.directory.axes_asked().iter().for_each(|axis| self.builder.read_axis(axis));
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
        if !self.check_bvp(&simulation.model) {
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
            bvp,
            materials: self.material_names(),
            elastic: Arc::new(self.meshed_bodies()),
        })
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
                let is_missing = self.uncounted.contains(table) || self.is_unbuilt(name);
                !self.without_value.contains(name) && !is_missing
            }
            _ => true,
        };
        let mistake = |error: FormulaError| Mistake {
            span: self.source.span_in_string(path, error.span.clone()),
            message: error.wrong.to_string(),
        };
        errors.into_iter().filter(is_own).map(mistake).collect()
    }

    /// Whether a name is that of a coordinate of an elastic body with a mistake of its own.
    fn is_unbuilt(&self, name: &str) -> bool {
        let owner = name.split_once('.').map_or(name, |(owner, _)| owner);
        self.unbuilt.contains(owner)
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
            let n = (end - start) / h;
            let message = format!("{n:.1e} steps are too many, 1e15 may be; take a larger step");
            self.mistake(&path.key("step_size"), message);
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
        self.options_of_copy(path, &chosen.options, declared, None)
    }

    /// The options of an entry, with formulas of `i` for a copy.
    fn options_of_copy(
        &mut self,
        path: &Path,
        given: &BTreeMap<String, Quantity>,
        declared: &[&Declared],
        copy: Option<usize>,
    ) -> Option<Options> {
        let mut options = Options::default();
        let mut good = true;
        // A key that no entry of the list has was reported with the form of the scene.
        for (name, quantity) in given.iter().filter(|(name, _)| is_listed(path, name)) {
            let is_word = declared.iter().any(|d| d.name == name && matches!(d.kind, Kind::Word(_)));
            let value = match quantity {
                Quantity::Formula(word) if is_word => Some(Value::Word(word.clone())),
                quantity => self.number(&path.key(name), quantity, copy).map(Value::Number),
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
        Some(Seg::Key(key)) if key == "joint" => JOINTS.iter().any(|e| has(e.options)),
        Some(Seg::Key(key)) if key == "system" => FORMULATIONS.iter().any(|e| has(e.options)),
        Some(Seg::Key(key)) if key == "law" => LAWS.iter().any(|e| has(e.options)),
        Some(Seg::Key(key)) if key == "solver" => {
            name == TOLERANCE.name || SOLVERS.iter().any(|e| has(e.options))
        }
        _ => INTEGRATORS.iter().any(|e| has(e.options)),
    }
}
