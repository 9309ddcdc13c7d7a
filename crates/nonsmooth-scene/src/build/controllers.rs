//! Sampled control of a scene. Outputs are registered before expressions, which may read them; their formulas are read after all.

use super::Build;
use crate::scene::{self, Quantity};
use crate::source::Path;
use nonsmooth::model::controllers::Sampling;

impl Build<'_> {
    /// The names of all outputs, with their first values.
    pub(super) fn controller_outputs(&mut self) {
        let scene = self.scene;
        for (k, spec) in scene.controller.iter().enumerate() {
            let path = Path::of("controller").index(k);
            for name in spec.outputs.keys() {
                let place = path.key("outputs").key(name);
                let taken = self.directory.reading(name).is_some();
                let taken = taken.then(|| format!("`{name}` is taken; choose another name"));
                if let Some(message) = self.wrong_name(name, &[]).or(taken) {
                    self.mistake(&place, message);
                    continue;
                }
                let initial = spec.initial.get(name);
                let place = path.key("initial").key(name);
                let initial = initial.and_then(|initial| self.number(&place, initial, None));
                self.builder.input(name, initial.unwrap_or(0.0));
                self.directory.add_input(name);
            }
            for name in spec.initial.keys().filter(|name| !spec.outputs.contains_key(*name)) {
                let message = format!("the controller has no output `{name}`");
                self.mistake(&path.key("initial").key(name), message);
            }
        }
    }

    /// The controllers, once everything that their formulas may name is known.
    pub(super) fn controllers(&mut self) {
        let scene = self.scene;
        for (k, spec) in scene.controller.iter().enumerate() {
            self.controller(&Path::of("controller").index(k), spec);
        }
    }

    fn controller(&mut self, path: &Path, spec: &scene::Controller) {
        let mut time = |key: &str, quantity: Option<&Quantity>| match quantity {
            Some(quantity) => self.number(&path.key(key), quantity, None),
            None => Some(0.0),
        };
        let period = time("period", Some(&spec.period));
        let (delay, start) = (time("delay", spec.delay.as_ref()), time("start", spec.start.as_ref()));
        let list: Vec<(Path, &Quantity)> =
            spec.outputs.iter().map(|(name, q)| (path.key("outputs").key(name), q)).collect();
        let formulas = self.instant_formulas(&list, None);
        let (Some(period), Some(delay), Some(start), Some(formulas)) = (period, delay, start, formulas)
        else {
            return;
        };
        let names: Vec<&str> = spec.outputs.keys().map(String::as_str).collect();
        let sampling = Sampling { period, delay, start };
        self.builder.controller(&spec.name, sampling, &names, move |at, out| {
            formulas.each(at, |k, x| out[k] = x);
            Ok(())
        });
        self.controller_paths.push(path.clone());
    }
}
