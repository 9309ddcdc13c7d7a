//! Materials: the law of every pair. One that is given stands; else own coefficients are combined; else the default
//! holds; a pair without any of these is a mistake where its bodies may meet.

use super::Build;
use super::copies::At;
use crate::scene::{PairLaw, Quantity, Rule};
use crate::source::Path;
use nonsmooth::laws::{self, Coulomb, Law, NewtonImpact};
use nonsmooth::model::rigid::MaterialId;
use nonsmooth_solvers::{Options, Value, nearest};
use std::collections::{BTreeMap, BTreeSet};

/// The material of bodies that name none.
const DEFAULT: &str = "default";

impl Build<'_> {
    /// Registers all materials and the laws of their pairs.
    pub(super) fn materials(&mut self) {
        let scene = self.scene;
        let mut names: BTreeSet<&str> = scene.material.keys().map(String::as_str).collect();
        let bodies = || scene.body.iter();
        let nameless = |body: &crate::scene::Body| {
            body.material.is_none()
                && body.parts.as_ref().is_none_or(|parts| parts.iter().any(|p| p.material.is_none()))
        };
        if bodies().any(nameless) {
            names.insert(DEFAULT);
        }
        names.extend(scene.contact.pair.iter().flat_map(|pair| &pair.between).map(String::as_str));
        for name in names {
            let id = self.builder.material(name);
            self.materials.insert(name.to_owned(), id);
        }
        let own = self.own_coefficients();
        let given = self.given_pairs();
        let ids: Vec<(String, MaterialId)> =
            self.materials.iter().map(|(name, id)| (name.clone(), *id)).collect();
        for (k, (a, a_id)) in ids.iter().enumerate() {
            for (b, b_id) in &ids[..=k] {
                if given.contains(&(b.clone(), a.clone())) {
                    continue;
                }
                let (Some(x), Some(y)) = (own.get(a), own.get(b)) else { continue };
                let combine = &scene.contact.combine;
                let friction = combine.friction.of(x.0, y.0);
                let restitution = combine.restitution.of(x.1, y.1);
                let law = Coulomb { friction, restitution, ..Default::default() };
                let law = if friction > 0.0 {
                    self.builder.law(&format!("{a} and {b}"), law)
                } else {
                    self.builder.law(&format!("{a} and {b}"), NewtonImpact { restitution })
                };
                self.builder.pair(*a_id, *b_id, law);
            }
        }
        if let Some(distance) = &scene.contact.activation_distance {
            let path = Path::of("contact.activation_distance");
            if let Some(distance) = self.value(&At::Path(&path), distance, None) {
                if distance < 0.0 {
                    let text = format!("`activation_distance` must be ≥ 0, got {distance}");
                    return self.mistake(&path, text);
                }
                self.builder.activation_distance(distance);
            }
        }
        if let Some(default) = &scene.contact.default {
            let path = Path::of("contact.default");
            if let Some(form) = self.pair_law(&path, default) {
                let name = default.law.as_deref().unwrap_or("default of contacts");
                let law = self.builder.boxed_law(name, form);
                self.builder.default_pair(law);
            }
        }
    }

    /// Names by number.
    pub(super) fn material_names(&self) -> Vec<String> {
        let mut names: Vec<(MaterialId, &String)> =
            self.materials.iter().map(|(name, id)| (*id, name)).collect();
        names.sort();
        names.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// Friction and restitution of materials that have any.
    fn own_coefficients(&mut self) -> BTreeMap<String, (f64, f64)> {
        let mut own = BTreeMap::new();
        for (name, material) in &self.scene.material {
            if material.friction.is_none() && material.restitution.is_none() {
                continue;
            }
            let path = Path::of("material").key(name);
            let friction = self.coefficient(&path, "friction", material.friction.as_ref(), 1e6);
            let restitution = self.coefficient(&path, "restitution", material.restitution.as_ref(), 1.0);
            own.extend(friction.zip(restitution).map(|both| (name.clone(), both)));
        }
        own
    }

    fn coefficient(
        &mut self,
        path: &Path,
        key: &str,
        quantity: Option<&Quantity>,
        largest: f64,
    ) -> Option<f64> {
        let at = At::Path(path);
        let at = at.key(key);
        let x = self.optional(&at, quantity, None).ok()?.unwrap_or(0.0);
        if !(0.0..=largest).contains(&x) {
            self.wrong(&at, format!("`{key}` must be a number in [0, {largest}], got {x}"));
            return None;
        }
        Some(x)
    }

    /// Registers the pairs of the table; returns them, the names in order.
    fn given_pairs(&mut self) -> BTreeSet<(String, String)> {
        let scene = self.scene;
        let used: BTreeSet<&str> = scene
            .body
            .iter()
            .flat_map(|body| {
                let parts = body.parts.iter().flatten().filter_map(|part| part.material.as_deref());
                parts.chain(body.material.as_deref())
            })
            .chain(scene.material.keys().map(String::as_str))
            .chain([DEFAULT])
            .collect();
        let mut given = BTreeSet::new();
        for (k, pair) in scene.contact.pair.iter().enumerate() {
            let path = Path::of("contact.pair").index(k);
            let [a, b] = &pair.between[..] else {
                let message = format!("`between` names two materials, got {}", pair.between.len());
                self.mistake(&path.key("between"), message);
                continue;
            };
            for (k, name) in [a, b].into_iter().enumerate() {
                if !used.contains(name.as_str()) {
                    self.no_material(&path.key("between").index(k), name, &used);
                }
            }
            let key = if a <= b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
            if !given.insert(key) {
                self.mistake(&path.key("between"), format!("the pair `{a}` and `{b}` is given twice"));
                continue;
            }
            let law = PairLaw {
                friction: pair.friction.clone(),
                restitution: pair.restitution.clone(),
                tangential_restitution: pair.tangential_restitution.clone(),
                facets: pair.facets.clone(),
                law: pair.law.clone(),
            };
            if let Some(form) = self.pair_law(&path, &law) {
                let name = pair.law.clone().unwrap_or_else(|| format!("{a} and {b}"));
                let law = self.builder.boxed_law(&name, form);
                self.builder.pair(self.materials[a], self.materials[b], law);
            }
        }
        given
    }

    /// Coulomb's law, or Newton's where there is no friction.
    fn pair_law(&mut self, path: &Path, pair: &PairLaw) -> Option<Box<dyn Law>> {
        let PairLaw { friction, restitution, tangential_restitution, facets, law } = pair;
        let at = At::Path(path);
        let mut options = Options::default();
        let list = [
            ("friction", friction),
            ("restitution", restitution),
            ("tangential_restitution", tangential_restitution),
            ("facets", facets),
        ];
        let (mut good, mut mu) = (true, 0.0);
        if let Some(name) = law {
            for (key, _) in list.iter().filter(|(_, quantity)| quantity.is_some()) {
                self.wrong(&at.key(key), format!("`{key}` belongs into the table [law.{name}]"));
                good = false;
            }
            return self.named_law(&path.key("law"), name).filter(|_| good);
        }
        for (key, quantity) in list {
            match self.optional(&at.key(key), quantity.as_ref(), None) {
                Ok(Some(x)) => {
                    if key == "friction" {
                        mu = x;
                    }
                    options.set(key, Value::Number(x));
                }
                Ok(None) => {}
                Err(()) => good = false,
            }
        }
        if !good {
            return None;
        }
        if mu == 0.0 {
            options.remove("friction");
            for (key, _) in list[2..].iter().filter(|(_, quantity)| quantity.is_some()) {
                self.wrong(&at.key(key), format!("without `friction`, `{key}` has no meaning"));
                good = false;
            }
        }
        let entry = laws::find(if mu == 0.0 { "newton-impact" } else { "coulomb" })?;
        match entry.build(&options) {
            Ok(form) => good.then_some(form),
            Err(errors) => {
                self.option_errors(path, &errors);
                None
            }
        }
    }

    /// The material that a body or part at `at` names.
    pub(super) fn material(&mut self, at: &At<'_>, name: Option<&str>) -> Option<MaterialId> {
        let name = name.unwrap_or(DEFAULT);
        if let Some(id) = self.materials.get(name) {
            return Some(*id);
        }
        // A default that was not registered belongs to a body whose parts all have materials of their own.
        if name == DEFAULT {
            let id = self.builder.material(name);
            self.materials.insert(name.to_owned(), id);
            return Some(id);
        }
        let known: Vec<String> = self.materials.keys().cloned().collect();
        let known = known.iter().map(String::as_str).collect();
        self.no_material(&at.key("material").path(), name, &known);
        None
    }

    fn no_material(&mut self, path: &Path, name: &str, known: &BTreeSet<&str>) {
        let hint = nearest(name, known.iter().copied());
        let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
        let list = known.iter().copied().collect::<Vec<_>>().join(", ");
        let list = if list.is_empty() { "none".to_owned() } else { list };
        self.mistake(
            path,
            format!("no material `{name}`{hint}; known from [material.…] and [[contact.pair]]: {list}"),
        );
    }
}

impl Rule {
    /// The coefficient of a pair.
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Rule::Minimum => a.min(b),
            Rule::Maximum => a.max(b),
            Rule::Mean => 0.5 * (a + b),
            Rule::GeometricMean => (a * b).sqrt(),
        }
    }
}
