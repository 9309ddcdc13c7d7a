//! What the commands that need derivatives of the flow share: a scene whose parameters and initial values vary.
//!
//! A *point* says what has another value than the scene gives it. A parameter is varied by building the scene anew beside it, an initial
//! value by moving the initial state.

mod target;

pub(crate) use target::Target;

use crate::command::Failure;
use nonsmooth::integrators::flow::{Direction, FlowSettings, Neighbours, Varied};
use nonsmooth::{Model, State};
use nonsmooth_scene::{Loaded, load_text};
use nonsmooth_solvers::nearest;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Step of a parameter, relative to its value; a step of this size where that is zero.
pub(crate) const STEP: f64 = 1e-4;

pub(crate) fn input(message: impl std::fmt::Display) -> Failure {
    Failure::Input(anyhow::anyhow!("{message}"))
}

pub(crate) fn failed(message: impl std::fmt::Display) -> Failure {
    Failure::Run(anyhow::anyhow!("{message}"))
}

/// Targets with their values.
pub(crate) type Point<'a> = &'a [(Target, f64)];

/// A scene that is built again and again.
pub(crate) struct Subject {
    pub(crate) name: String,
    text: String,
    folder: PathBuf,
    set: Vec<(String, String)>,
    /// As it is given.
    pub(crate) loaded: Loaded,
    /// Steps of parameters that were asked for.
    steps: Vec<(String, f64)>,
}

impl Subject {
    /// Reads a scene.
    pub(crate) fn read(path: &Path, set: &[(String, String)]) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| input(format!("{name}: {error}")))?;
        let folder = path.parent().map_or_else(PathBuf::new, PathBuf::from);
        let loaded = load_text(&name, text.clone(), folder.clone(), set);
        let loaded = loaded.map_err(|error| Failure::Input(error.into()))?;
        Ok(Self { name, text, folder, set: set.to_vec(), loaded, steps: Vec::new() })
    }

    /// Takes steps of parameters, `NAME=VALUE`, instead of its own.
    pub(crate) fn take_steps(&mut self, steps: &[(String, String)]) -> Result<(), Failure> {
        for (name, text) in steps {
            let step = text.parse().ok().filter(|step: &f64| *step > 0.0 && step.is_finite());
            let step = step.ok_or_else(|| input(format!("--step {name}={text}: write a number > 0")))?;
            if !self.loaded.parameters.contains_key(name) {
                return Err(input(format!("--step {name}: the scene has no parameter `{name}`")));
            }
            self.steps.push((name.clone(), step));
        }
        Ok(())
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.loaded.simulation.model
    }

    /// When the scene ends [s].
    pub(crate) fn end(&self) -> f64 {
        self.loaded.start + self.loaded.n_steps as f64 * self.loaded.step_size
    }

    /// How the flow of the scene is computed.
    pub(crate) fn settings(&self) -> FlowSettings {
        FlowSettings { step: self.loaded.step_size, ..FlowSettings::default() }
    }

    /// What `name` stands for.
    pub(crate) fn target(&self, name: &str) -> Result<Target, String> {
        if self.loaded.parameters.contains_key(name) {
            return Ok(Target::Parameter(name.to_owned()));
        }
        let initial = target::initial_values(self.model());
        if let Some(found) = initial.iter().find(|(known, _)| known == name) {
            return Ok(found.1.clone());
        }
        let parameters = self.loaded.parameters.keys().map(String::as_str);
        let names = parameters.chain(initial.iter().map(|(name, _)| name.as_str()));
        let near = nearest(name, names.clone());
        let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        let all = names.collect::<Vec<_>>().join(", ");
        Err(format!("the scene has no parameter or initial value `{name}`{near}; it has {all}"))
    }

    /// The value that the scene itself gives to a target.
    pub(crate) fn value(&self, target: &Target) -> f64 {
        match target {
            Target::Parameter(name) => self.loaded.parameters[name],
            Target::Initial(initial) => initial.value(self.model(), &self.loaded.simulation.state),
        }
    }

    /// The scene at a point, and its initial state there.
    pub(crate) fn at(&self, point: Point<'_>) -> Result<(Loaded, State), Failure> {
        let mut set = self.set.clone();
        for (target, value) in point {
            if let Target::Parameter(name) = target {
                set.retain(|(known, _)| known != name);
                set.push((name.clone(), format!("{value:?}")));
            }
        }
        let loaded = load_text(&self.name, self.text.clone(), self.folder.clone(), &set);
        let loaded = loaded.map_err(|error| Failure::Input(error.into()))?;
        let grid = |loaded: &Loaded| (loaded.start, loaded.step_size, loaded.n_steps);
        if grid(&loaded) != grid(&self.loaded) {
            return Err(input(
                "a parameter that changes the time or the steps of the run cannot vary here",
            ));
        }
        let mut state = State::clone(&loaded.simulation.state);
        for (target, value) in point {
            if let Target::Initial(initial) = target {
                initial.set(&loaded.simulation.model, *value, &mut state);
            }
        }
        Ok((loaded, state))
    }

    /// The scene at a point with the directions of these targets; `loaded` is told every model that is built.
    pub(crate) fn varied(
        &self,
        point: Point<'_>,
        targets: &[&Target],
        mut loaded: impl FnMut(Loaded),
    ) -> Result<Varied, Failure> {
        let (own, state) = self.at(point)?;
        let model = own.simulation.model.clone();
        loaded(own);
        let mut directions = Vec::new();
        for target in targets {
            directions.push(match target {
                Target::Initial(initial) => {
                    Direction::Tangent(Box::new(initial.tangent(&model, &state)))
                }
                Target::Parameter(name) => {
                    let known = point.iter().find(|(known, _)| known == *target);
                    let value = known.map_or_else(|| self.value(target), |(_, value)| *value);
                    self.parameter(point, name, value, &mut loaded)?
                }
            });
        }
        Ok(Varied { model, state, directions })
    }

    /// Step of a parameter with this value.
    pub(crate) fn step(&self, name: &str, value: f64) -> f64 {
        let asked = self.steps.iter().find(|(known, _)| known == name).map(|(_, step)| *step);
        asked.unwrap_or(if value == 0.0 { STEP } else { STEP * value.abs() })
    }

    fn parameter(
        &self,
        point: Point<'_>,
        name: &str,
        value: f64,
        loaded: &mut impl FnMut(Loaded),
    ) -> Result<Direction, Failure> {
        let near = Neighbours::by(name, value, self.step(name, value), |x| {
            let others = point.iter().filter(|(target, _)| !target.is_parameter(name)).cloned();
            let point: Vec<_> = others.chain([(Target::Parameter(name.to_owned()), x)]).collect();
            let (near, state) = self.at(&point).map_err(|failure| {
                let hint = "a derivative needs the scene on both sides of a value";
                input(format!("{name} = {x}, beside {value}: {failure}\n({hint}; choose another, or a smaller --step)"))
            })?;
            let model = near.simulation.model.clone();
            loaded(near);
            Ok::<_, Failure>((model, state))
        })?;
        Ok(Direction::Parameter(Box::new(near)))
    }
}
