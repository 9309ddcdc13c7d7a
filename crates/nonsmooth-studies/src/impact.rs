//! `nonsmooth impact`: the impact of the closed contacts in the initial state of a scene, by every law of impact, side by side.
//!
//! No step is made and no force acts. Each law gets the restitution and the friction of the law of the scene in whose place it stands.

use crate::command::{Failure, parse_set, say};
use nonsmooth::laws::{LAWS, Law, counterparts};
use nonsmooth::{SolverSettings, StepLog, Strike, strike_at};
use nonsmooth_scene::load;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of `nonsmooth impact`.
#[derive(clap::Args, Debug)]
pub struct ImpactArgs {
    /// The scene file; its initial state is that before the impact
    pub scene: PathBuf,
    /// Set a parameter of the scene
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_set)]
    pub set: Vec<(String, String)>,
    /// This law of impact alone
    #[arg(long, value_name = "NAME")]
    pub law: Option<String>,
    /// A contact takes part if its gap is at most this share of its size
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-9)]
    pub reach: f64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What a law does, or why it does nothing.
struct Outcome {
    name: &'static str,
    along_path: bool,
    made: Result<Made, String>,
}

/// What a law does.
struct Made {
    strike: Strike,
    /// Names of the constraints of the strike.
    names: Vec<String>,
}

/// Applies the laws and prints what they do.
pub fn run(args: &ImpactArgs) -> Result<(), Failure> {
    let fault = |message: String| Failure::Input(anyhow::anyhow!(message));
    if !(args.reach >= 0.0 && args.reach.is_finite()) {
        return Err(fault(format!("--reach must be a finite number ≥ 0, got {}", args.reach)));
    }
    let of_impact = |entry: &&nonsmooth::laws::Entry| {
        let has = |name: &str| entry.options.iter().any(|option| option.name == name);
        has("restitution")
            && !has("friction_static")
            && !has("rolling_friction")
            && args.law.as_deref().is_none_or(|name| name == entry.name)
    };
    let names: Vec<&'static str> = LAWS.iter().filter(of_impact).map(|entry| entry.name).collect();
    if let (Some(name), true) = (&args.law, names.is_empty()) {
        return Err(fault(format!("`{name}` is no law of impact; `nonsmooth list` shows them")));
    }
    let (mut outcomes, mut t) = (Vec::new(), 0.0);
    for name in names {
        let outcome = apply(args, name, &mut t)?;
        outcomes.push(outcome);
    }
    if args.json {
        let laws: Vec<Value> = outcomes.iter().map(to_json).collect();
        let all = json!({ "scene": args.scene.display().to_string(), "t": t, "laws": laws });
        say(&all.to_string());
    } else {
        say(&table(&outcomes));
    }
    match outcomes.iter().all(|outcome| outcome.made.is_err()) {
        true => Err(Failure::Run(anyhow::anyhow!("no law could be applied"))),
        false => Ok(()),
    }
}

/// The impact by one law in the place of those of the scene.
fn apply(args: &ImpactArgs, name: &'static str, t: &mut f64) -> Result<Outcome, Failure> {
    let mut loaded = load(&args.scene, &args.set).map_err(|error| Failure::Input(error.into()))?;
    let state = &loaded.simulation.state;
    *t = state.t;
    let model = Arc::get_mut(&mut loaded.simulation.model)
        .ok_or_else(|| Failure::Run(anyhow::anyhow!("the model of the scene is in use")))?;
    let mut missing = false;
    let other = |law: &dyn Law| counterparts(law).into_iter().find(|(other, _)| *other == name);
    for law in model.laws().filter(|law| !counterparts(*law).is_empty()) {
        missing |= other(law).is_none();
    }
    model.exchange_laws(|law| other(law).map(|(_, law)| law));
    let along_path = model.laws().any(|law| law.along_path().is_some());
    let made = if missing {
        Err("takes no friction, which a contact of the scene has".to_owned())
    } else {
        let mut log = StepLog::default();
        strike_at(model, state, args.reach, &mut SolverSettings::default(), &mut log)
            .map(|strike| {
                let names = strike.constraints.iter().map(|c| model.describe(c.id)).collect();
                Made { strike, names }
            })
            .map_err(|error| error.to_string())
    };
    Ok(Outcome { name, along_path, made })
}

fn to_json(outcome: &Outcome) -> Value {
    let acts = if outcome.along_path { "along the path" } else { "at once" };
    match &outcome.made {
        Err(reason) => json!({ "law": outcome.name, "acts": acts, "refused": reason }),
        Ok(Made { strike, names }) => {
            let contacts: Vec<Value> = strike
                .constraints
                .iter()
                .zip(names)
                .map(|(c, name)| {
                    json!({ "name": name, "u_minus": c.u_minus, "u_plus": c.u_plus, "impulse": c.impulse })
                })
                .collect();
            let [before, after] = strike.kinetic;
            json!({
                "law": outcome.name, "acts": acts, "kinetic_before": before, "kinetic_after": after,
                "v_plus": strike.v, "contacts": contacts,
            })
        }
    }
}

/// One line per law and contact.
fn table(outcomes: &[Outcome]) -> String {
    let numbers = |x: &[f64]| x.iter().map(|x| format!("{x:.6}")).collect::<Vec<_>>().join(" ");
    let mut rows = vec![
        ["law", "constraint", "u- [m/s]", "u+ [m/s]", "p [N s]", "T- [J]", "T+ [J]"].map(str::to_owned),
    ];
    let mut refused = Vec::new();
    for Outcome { name, made, .. } in outcomes {
        match made {
            Err(reason) => refused.push(format!("{name}: {reason}")),
            Ok(Made { strike, names }) => {
                let energy = strike.kinetic.map(|x| format!("{x:.9}"));
                if names.is_empty() {
                    let [before, after] = energy.clone();
                    let none = "nothing closed approaches".to_owned();
                    rows.push([
                        (*name).to_owned(),
                        none,
                        String::new(),
                        String::new(),
                        String::new(),
                        before,
                        after,
                    ]);
                }
                for (k, (c, constraint)) in strike.constraints.iter().zip(names).enumerate() {
                    let first = |text: &str| if k == 0 { text.to_owned() } else { String::new() };
                    let [before, after] = &energy;
                    rows.push([
                        first(name),
                        constraint.clone(),
                        numbers(&c.u_minus),
                        numbers(&c.u_plus),
                        numbers(&c.impulse),
                        first(before),
                        first(after),
                    ]);
                }
            }
        }
    }
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |row: &[String; 7]| {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.extend(refused);
    lines.join("\n")
}
