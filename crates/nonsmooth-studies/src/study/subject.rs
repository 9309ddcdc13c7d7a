//! What is studied: the model of a scene or of an exact solution, made anew for every run.

use super::args::Common;
use super::input;
use super::scheme::{Scheme, parse_options, unknown, value_of};
use crate::command::Failure;
use nonsmooth::analysis::Places;
use nonsmooth::analysis::exact::{self, EXACT, Exact};
use nonsmooth::solvers::Options;
use nonsmooth::{Integrator, Model, Simulation, SolverSettings, State};
use nonsmooth_scene::{Loaded, Recipe, load_text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scene's initial state may differ from the exact one by rounding of its formulas.
const SAME: f64 = 1e-9;

/// A model, an interval of time, what counts, and the exact solution if there is one.
pub(super) struct Subject {
    /// For file names.
    pub(super) name: String,
    /// For titles.
    pub(super) title: String,
    scene: Option<Scene>,
    exact: Option<(String, Box<dyn Exact>)>,
    /// Start and end [s].
    pub(super) interval: (f64, f64),
    /// Step size of the scene [s].
    pub(super) step_size: Option<f64>,
    /// What is compared.
    pub(super) places: Places,
}

struct Scene {
    path: PathBuf,
    text: String,
    set: Vec<(String, String)>,
    recipe: Recipe,
}

impl Subject {
    /// Reads the scene, finds the exact solution, and checks that they go together.
    pub(super) fn new(args: &Common) -> Result<Self, Failure> {
        let exact = args.exact.as_deref().map(|text| find_exact(text, args)).transpose()?;
        let subject = match &args.scene {
            Some(path) => Self::of_scene(path, args, exact)?,
            None => Self::of_exact(args, exact)?,
        };
        match args.end {
            Some(end) => Ok(Self { interval: (subject.interval.0, end), ..subject }),
            None => Ok(subject),
        }
    }

    fn of_scene(
        path: &Path,
        args: &Common,
        exact: Option<(String, Box<dyn Exact>)>,
    ) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| input(format!("{}: {error}", path.display())))?;
        let loaded = read(path, &text, &args.set)?;
        let Simulation { model, state, .. } = loaded.simulation;
        let coordinates = coordinates(&model, &args.coordinates)?;
        if let Some((name, exact)) = &exact {
            same_start(name, &**exact, &state, &coordinates)?;
        }
        let stem = path.file_stem().map_or("scene".into(), |s| s.to_string_lossy().into_owned());
        let end = loaded.start + loaded.n_steps as f64 * loaded.step_size;
        Ok(Self {
            title: if loaded.title.is_empty() { stem.clone() } else { loaded.title },
            name: stem,
            interval: (loaded.start, end),
            step_size: Some(loaded.step_size),
            places: places(&state, &exact, &coordinates)?,
            scene: Some(Scene {
                path: path.to_owned(),
                text,
                set: args.set.clone(),
                recipe: loaded.recipe,
            }),
            exact,
        })
    }

    fn of_exact(args: &Common, exact: Option<(String, Box<dyn Exact>)>) -> Result<Self, Failure> {
        let Some((label, solution)) = &exact else {
            return Err(input("give a scene, or --exact with the name of an exact solution".into()));
        };
        let (model, state) = solution.model().map_err(|error| Failure::Input(error.into()))?;
        let coordinates = coordinates(&model, &args.coordinates)?;
        Ok(Self {
            name: label.split(':').next().unwrap_or_default().to_owned(),
            title: label.clone(),
            scene: None,
            interval: (state.t, solution.horizon()),
            step_size: None,
            places: places(&state, &exact, &coordinates)?,
            exact,
        })
    }

    /// The exact solution with its name.
    pub(super) fn exact(&self) -> Option<(&str, &dyn Exact)> {
        self.exact.as_ref().map(|(name, exact)| (name.as_str(), &**exact))
    }

    /// Whether q is in metres: it is in the models of exact solutions, of a scene only its author knows.
    pub(super) fn is_metric(&self) -> bool {
        self.scene.is_none()
    }

    /// The scheme and the solver of the scene.
    pub(super) fn recipe(&self) -> Option<&Recipe> {
        self.scene.as_ref().map(|scene| &scene.recipe)
    }

    /// The model and its initial state, anew.
    pub(super) fn model(&self) -> Result<(Arc<Model>, State), Failure> {
        match (&self.scene, &self.exact) {
            (Some(scene), _) => {
                let loaded = read(&scene.path, &scene.text, &scene.set)?;
                Ok((loaded.simulation.model, *loaded.simulation.state))
            }
            (None, Some((_, exact))) => exact.model().map_err(|error| Failure::Input(error.into())),
            (None, None) => Err(input("nothing to study".into())),
        }
    }

    /// The scheme with the solver of the scene.
    pub(super) fn integrator(&self, scheme: &Scheme) -> Box<dyn Integrator> {
        scheme.build(self.recipe().map_or_else(SolverSettings::default, Recipe::solving))
    }

    /// Why the scheme does not take the model.
    pub(super) fn refusal(&self, scheme: &Scheme) -> Result<Option<String>, Failure> {
        let (model, state) = self.model()?;
        let (start, end) = self.interval;
        let refused = Simulation::new(model, state, self.integrator(scheme), end - start).err();
        Ok(refused.map(|refusal| refusal.to_string()))
    }
}

/// The scene; matrix files are beside it.
fn read(path: &Path, text: &str, set: &[(String, String)]) -> Result<Loaded, Failure> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    load_text(&path.display().to_string(), text.to_owned(), folder, set)
        .map_err(|error| Failure::Input(error.into()))
}

/// The exact solution `name:parameter=value`; without a scene, `--set` is for it too.
fn find_exact(text: &str, args: &Common) -> Result<(String, Box<dyn Exact>), Failure> {
    let find = |name: &str| {
        exact::find(name).ok_or_else(|| unknown("exact solution", name, EXACT.iter().map(|e| e.name)))
    };
    let (name, mut options) = parse_options(text, |name| Ok(find(name)?.options)).map_err(input)?;
    let entry = find(name).map_err(input)?;
    let mut label = text.trim().to_owned();
    if args.scene.is_none() {
        for (name, value) in &args.set {
            if options_hold(&options, entry, name) {
                return Err(input(format!("--set {name}: given twice")));
            }
            options.set(name, value_of(entry.options, name, value));
            label += &format!(":{name}={value}");
        }
    }
    let made = entry.build(&options).map_err(|errors| {
        input(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })?;
    Ok((label, made))
}

fn options_hold(options: &Options, entry: &exact::Entry, name: &str) -> bool {
    entry.options.iter().any(|declared| declared.name == name && options.is_given(declared))
}

fn places(
    state: &State,
    exact: &Option<(String, Box<dyn Exact>)>,
    coordinates: &[usize],
) -> Result<Places, Failure> {
    let places = match exact {
        Some((_, exact)) => Places::shared(state, &**exact, coordinates),
        None => Places::new(state, coordinates),
    };
    places.map_err(|error| input(format!("{error}; choose with --coordinates")))
}

/// The places of these coordinates, given as `system.coordinate` or, where it is unique, as `coordinate`.
fn coordinates(model: &Model, names: &[String]) -> Result<Vec<usize>, Failure> {
    let known: Vec<(String, String, usize)> = (0..model.n_coordinates())
        .map(|i| {
            let (owner, name) = model.coordinate_name(i);
            (format!("{owner}.{name}"), name, i)
        })
        .collect();
    let mut found = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        let plain = known.iter().filter(|(_, short, _)| *short == name).count() == 1;
        let is_it =
            |(full, short, _): &&(String, String, usize)| full == name || (plain && *short == name);
        let Some((_, _, i)) = known.iter().find(is_it) else {
            let few: Vec<&str> = known.iter().take(12).map(|(full, ..)| full.as_str()).collect();
            let more = if known.len() > few.len() { ", …" } else { "" };
            return Err(input(format!("no coordinate `{name}`; there are {}{more}", few.join(", "))));
        };
        if found.contains(i) {
            return Err(input(format!("--coordinates: `{name}` is given twice")));
        }
        found.push(*i);
    }
    Ok(found)
}

/// A scene that does not begin like the exact solution is another problem.
fn same_start(
    name: &str,
    exact: &dyn Exact,
    state: &State,
    coordinates: &[usize],
) -> Result<(), Failure> {
    if state.t < 0.0 {
        return Err(input(format!(
            "the exact solution `{name}` begins at t = 0, the scene at {}",
            state.t
        )));
    }
    let motion = exact.at(state.t);
    for (what, ours, theirs) in [("q", &state.q, &motion.q), ("v", &state.v, &motion.v)] {
        for (i, (x, y)) in ours.iter().zip(theirs).enumerate() {
            let counts = coordinates.is_empty() || coordinates.contains(&i);
            if counts && !((x - y).abs() <= SAME * y.abs().max(1.0)) {
                return Err(input(format!(
                    "the scene begins with {what}[{i}] = {x}, the exact solution `{name}` with {y}: not the same problem"
                )));
            }
        }
    }
    Ok(())
}
