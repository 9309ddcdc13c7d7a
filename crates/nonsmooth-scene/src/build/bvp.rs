//! Boundary value problems: names and numbers checked, conditions compiled.

use super::instant::InstantFormulas;
use super::{Build, Path};
use crate::scene::Quantity;
use nonsmooth::{Instant, Model};

/// Difference that counts as none where a condition says nothing.
const TOLERANCE: f64 = 1e-9;

/// What `nonsmooth bvp` solves.
pub struct Bvp {
    /// What is looked for.
    pub unknowns: Vec<Unknown>,
    /// What must hold.
    pub conditions: Vec<Condition>,
    /// Parts of equal length, by whose states the motion is held together.
    pub segments: usize,
    /// Impacts that a solution must have, by the name of a constraint or body.
    pub impacts: Vec<(String, u64)>,
}

/// An unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// A parameter, an initial value, or `end`.
    pub name: String,
    /// Where the search begins, if that is said.
    pub guess: Option<f64>,
    /// Smallest and largest value; infinite if not given.
    pub bounds: [f64; 2],
}

/// A condition.
pub struct Condition {
    /// As it is written.
    pub text: String,
    end: InstantFormulas,
    start: Option<InstantFormulas>,
    /// Difference that counts as none.
    pub tolerance: f64,
}

impl Condition {
    /// The left-hand side at the end.
    pub fn end(&self, at: &Instant<'_>) -> f64 {
        self.end.values::<1>(at)[0]
    }

    /// The right-hand side at the start.
    pub fn start(&self, at: &Instant<'_>) -> f64 {
        self.start.as_ref().map_or(0.0, |start| start.values::<1>(at)[0])
    }
}

/// A quantity as it is written.
fn text(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Number(x) => x.to_string(),
        Quantity::Formula(text) => text.clone(),
    }
}

impl Build<'_> {
    /// The boundary value problem of the scene, if it has one.
    pub(super) fn bvp(&mut self) -> Option<Bvp> {
        let scene = self.scene;
        let bvp = scene.bvp.as_ref()?;
        let path = Path::of("bvp");
        let (n, m) = (bvp.unknown.len(), bvp.condition.len());
        if n != m || n == 0 {
            let message =
                format!("needs as many unknowns as conditions, at least one; it has {n} and {m}");
            self.mistake(&path, message);
        }
        let mut unknowns = Vec::new();
        for (i, unknown) in bvp.unknown.iter().enumerate() {
            let place = path.key("unknown").index(i);
            let mut number = |key: &str, quantity: &Option<Quantity>| {
                quantity.as_ref().and_then(|quantity| self.number(&place.key(key), quantity, None))
            };
            let guess = number("guess", &unknown.guess);
            let bounds = [
                number("min", &unknown.min).unwrap_or(f64::NEG_INFINITY),
                number("max", &unknown.max).unwrap_or(f64::INFINITY),
            ];
            if !(bounds[0] < bounds[1]) {
                let message = format!("`max` must be above `min` = {}, got {}", bounds[0], bounds[1]);
                self.mistake(&place.key("max"), message);
            }
            if let Some(guess) = guess.filter(|x| !(bounds[0] <= *x && *x <= bounds[1])) {
                let message = format!("`guess` must lie between `min` and `max`, got {guess}");
                self.mistake(&place.key("guess"), message);
            }
            if bvp.unknown[..i].iter().any(|other| other.name == unknown.name) {
                self.mistake(&place.key("name"), format!("`{}` is an unknown already", unknown.name));
            }
            unknowns.push(Unknown { name: unknown.name.clone(), guess, bounds });
        }
        let conditions = (0..m).filter_map(|i| self.condition(i)).collect();
        let impacts = bvp.impacts.iter().map(|(name, count)| (name.clone(), *count)).collect();
        Some(Bvp { unknowns, conditions, segments: bvp.segments.unwrap_or(1) as usize, impacts })
    }

    fn condition(&mut self, i: usize) -> Option<Condition> {
        let scene = self.scene;
        let condition = &scene.bvp.as_ref()?.condition[i];
        let path = Path::of("bvp").key("condition").index(i);
        let tolerance = match &condition.tolerance {
            None => Some(TOLERANCE),
            Some(quantity) => {
                let place = path.key("tolerance");
                let tolerance = self.number(&place, quantity, None);
                if let Some(x) = tolerance.filter(|x| !(*x > 0.0)) {
                    self.mistake(&place, format!("`tolerance` must be > 0, got {x}"));
                }
                tolerance
            }
        };
        let end = self.instant_formulas(&[(path.key("end"), &condition.end)], None);
        let start = match &condition.start {
            None => Some(None),
            Some(start) => self.instant_formulas(&[(path.key("start"), start)], None).map(Some),
        };
        let right = condition.start.as_ref().map_or("0".to_owned(), text);
        let text = format!("{} = {right}", text(&condition.end));
        Some(Condition { text, end: end?, start: start?, tolerance: tolerance? })
    }

    /// Whether the names of `bvp.impacts` are those of constraints or bodies.
    pub(super) fn check_bvp(&mut self, model: &Model) -> bool {
        let Some(bvp) = &self.scene.bvp else { return true };
        let before = self.mistakes.len();
        let known: Vec<String> = model.constraint_names().map(str::to_owned).collect();
        let rigid = &model.rigid;
        let bodies = rigid.bodies.iter().map(|body| &body.name);
        let bodies = bodies.chain(rigid.kinematic.iter().map(|body| &body.name));
        let known: Vec<&str> =
            known.iter().map(String::as_str).chain(bodies.map(String::as_str)).collect();
        for name in bvp.impacts.keys().filter(|name| !known.contains(&name.as_str())) {
            let near = nonsmooth_solvers::nearest(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
            let path = Path::of("bvp").key("impacts").key(name);
            self.mistake(&path, format!("no constraint or body `{name}`{near}"));
        }
        self.mistakes.len() == before
    }
}
