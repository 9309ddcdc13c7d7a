//! A scheme as written on the command line: `name:option=value:option=value`.

use crate::command::Failure;
use nonsmooth::integrators::Entry;
use nonsmooth::solvers::{Declared, Options, Value};
use nonsmooth::{INTEGRATORS, Integrator, Simulation, SolverSettings, State};
use nonsmooth_scene::{Loaded, Recipe};
use nonsmooth_solvers::{Kind, nearest};

/// Name of the option that adaptive schemes control their steps by.
const TOLERANCE: &str = "tolerance";

/// The word for the scheme of the scene itself.
const SCENE: &str = "scene";

/// A scheme with options that were checked.
#[derive(Clone)]
pub struct Scheme {
    /// As it was written.
    pub label: String,
    entry: &'static Entry,
    options: Options,
}

/// `name:a=1:b=2` as a name and options; `declared` finds what the name takes, or says what is wrong with it.
pub(super) fn parse_options(
    text: &str,
    declared: impl Fn(&str) -> Result<&'static [&'static Declared], String>,
) -> Result<(&str, Options), String> {
    let mut parts = text.split(':').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let declared = declared(name)?;
    let (mut options, mut given) = (Options::default(), Vec::new());
    for part in parts {
        let Some((option, value)) = part.split_once('=') else {
            return Err(format!("`{text}`: write NAME:OPTION=VALUE, `{part}` has no `=`"));
        };
        let (option, value) = (option.trim(), value.trim());
        if given.contains(&option) {
            return Err(format!("`{text}`: `{option}` is given twice"));
        }
        given.push(option);
        options.set(option, value_of(declared, option, value));
    }
    options.check(name, declared).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|error| format!("`{text}`: {error}")).collect();
        lines.join("\n")
    })?;
    Ok((name, options))
}

/// A word where a word is expected or nothing else can be read, else a number.
pub(super) fn value_of(declared: &[&Declared], option: &str, value: &str) -> Value {
    let is_word = declared.iter().any(|d| d.name == option && matches!(d.kind, Kind::Word(_)));
    match value.parse() {
        Ok(number) if !is_word => Value::Number(number),
        _ => Value::Word(value.to_owned()),
    }
}

impl Scheme {
    /// The scheme that `text` asks for, or what is wrong with it.
    pub fn parse(text: &str, scene: Option<&Recipe>) -> Result<Self, String> {
        let label = text.trim().to_owned();
        if let (SCENE, Some(recipe)) = (label.as_str(), scene) {
            let (entry, options) = recipe.scheme();
            let label = format!("{SCENE} ({})", entry.name);
            return Ok(Self { label, entry, options: options.clone() });
        }
        let (name, options) = parse_options(&label, |name| Ok(find(name)?.options))?;
        Ok(Self { entry: find(name)?, label, options })
    }

    /// The scene with another integrator, which the results and checkpoints record as `integrator=…`.
    pub fn replace(loaded: Loaded, text: &str) -> Result<Loaded, Failure> {
        let wrong = |message: String| Failure::Input(anyhow::anyhow!("--integrator: {message}"));
        let scheme = Self::parse(text, Some(&loaded.recipe)).map_err(wrong)?;
        let integrator = scheme.build(loaded.recipe.solving());
        let Simulation { model, state, .. } = &loaded.simulation;
        let simulation =
            Simulation::new(model.clone(), State::clone(state), integrator, loaded.step_size);
        let simulation = simulation.map_err(|refusal| wrong(refusal.to_string()))?;
        let mut overrides = loaded.overrides;
        overrides.push(("integrator".to_owned(), scheme.label.clone()));
        let methods = (scheme.label, loaded.methods.1);
        Ok(Loaded { simulation, overrides, methods, ..loaded })
    }

    /// All schemes of a list, each once; every mistake in it.
    pub(super) fn parse_all(texts: &[String], scene: Option<&Recipe>) -> Result<Vec<Self>, String> {
        if texts.iter().all(|text| text.trim().is_empty()) {
            return Err("no schemes; write --schemes moreau-jean,moreau-jean:theta=1".into());
        }
        let (mut schemes, mut mistakes) = (Vec::<Self>::new(), Vec::new());
        for text in texts {
            match Self::parse(text, scene) {
                Ok(scheme) if schemes.iter().any(|known| known.label == scheme.label) => {
                    mistakes.push(format!("`{}` is given twice", scheme.label));
                }
                Ok(scheme) => schemes.push(scheme),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if mistakes.is_empty() { Ok(schemes) } else { Err(mistakes.join("\n")) }
    }

    /// A new integrator.
    pub fn build(&self, solving: SolverSettings) -> Box<dyn Integrator> {
        self.entry.build(&self.options, solving).expect("the options were checked")
    }

    /// The same scheme at another tolerance, if it has one that was not given; the label stays.
    pub(super) fn at_tolerance(&self, tolerance: f64) -> Option<Self> {
        let declared = self.entry.options.iter().find(|option| option.name == TOLERANCE)?;
        if self.options.is_given(declared) {
            return None;
        }
        let mut scheme = self.clone();
        scheme.options.set(TOLERANCE, Value::Number(tolerance));
        scheme.options.check(self.entry.name, self.entry.options).ok()?;
        Some(scheme)
    }
}

fn find(name: &str) -> Result<&'static Entry, String> {
    nonsmooth::integrators::find(name)
        .ok_or_else(|| unknown("scheme", name, INTEGRATORS.iter().map(|e| e.name)))
}

/// `no scheme `x`, did you mean `y`?; there are: …`.
pub(super) fn unknown(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'static str> + Clone,
) -> String {
    let near = nearest(name, known.clone()).map_or(String::new(), |n| format!(", did you mean `{n}`?"));
    format!("no {what} `{name}`{near}; there are: {}", known.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &str) -> String {
        Scheme::parse(text, None).err().expect("a mistake")
    }

    #[test]
    fn schemes_are_read_with_their_options() {
        let texts = ["moreau-jean", " moreau-jean:theta=1:gamma=0 ", "moreau-jean:level=position"];
        let schemes = Scheme::parse_all(&texts.map(str::to_owned), None).unwrap();
        let labels: Vec<&str> = schemes.iter().map(|scheme| scheme.label.as_str()).collect();
        assert_eq!(labels, ["moreau-jean", "moreau-jean:theta=1:gamma=0", "moreau-jean:level=position"]);
        assert_eq!(schemes[1].options, Options::default().with("theta", 1.0).with("gamma", 0.0));
        assert_eq!(schemes[2].options, Options::default().with_word("level", "position"));
        assert!(schemes[0].at_tolerance(1e-3).is_none(), "it has no tolerance");
    }

    #[test]
    fn mistakes_are_told_in_words() {
        assert!(
            mistake("moreau-jaen").starts_with("no scheme `moreau-jaen`, did you mean `moreau-jean`?")
        );
        assert!(mistake("").starts_with("no scheme ``; there are: "));
        assert!(mistake("moreau-jean:theta").contains("`theta` has no `=`"));
        assert!(mistake("moreau-jean:theta=1:theta=0").contains("`theta` is given twice"));
        assert!(mistake("moreau-jean:thetta=1").contains("no option `thetta`, did you mean `theta`?"));
        for value in ["2", "NaN", "half", ""] {
            let text = mistake(&format!("moreau-jean:theta={value}"));
            assert!(text.contains("`theta` must be a number in [0, 1]"), "{text}");
        }
        assert!(mistake("moreau-jean:level=1").contains("`level` must be one of"));
        assert!(mistake("scene").starts_with("no scheme `scene`"), "there is no scene");
    }

    #[test]
    fn all_mistakes_of_a_list_are_told() {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let list = texts(&["moreau-jean", "moreau-jean", "nothing", "moreau-jean:theta=7"]);
        let text = Scheme::parse_all(&list, None).err().expect("mistakes");
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(
            Scheme::parse_all(&texts(&["", " "]), None).err().expect("empty").contains("no schemes")
        );
    }
}
