//! `nonsmooth list` and `nonsmooth schema`: what there is to choose from.

use nonsmooth::INTEGRATORS;
use nonsmooth::analysis::exact::EXACT;
use nonsmooth::joints::JOINTS;
use nonsmooth::laws::LAWS;
use nonsmooth_scene::{FORMULATIONS, OBSERVERS};
use nonsmooth_solvers::{Declared, SOLVERS};
use nonsmooth_studies::command::Failure;
use std::io::Write as _;

/// Prints every entry of every list with its options.
pub(crate) fn list() -> Result<(), Failure> {
    let mut text = String::new();
    let mut section = |title: &str, entries: Vec<(&str, &str, Vec<String>)>| {
        text += &format!("{title}\n");
        for (name, about, options) in entries {
            text += &format!("  {name:<19} {about}\n");
            for option in options {
                text += &format!("  {:<19}   {option}\n", "");
            }
        }
        text.push('\n');
    };
    let describe = |options: &[&Declared]| {
        options
            .iter()
            .map(|o| match o.default {
                "" => format!("{} — {}; must be given: {}", o.name, o.about, o.kind),
                default => format!("{} = {default} — {}; {}", o.name, o.about, o.kind),
            })
            .collect::<Vec<String>>()
    };
    section("integrators", INTEGRATORS.iter().map(|e| (e.name, e.about, describe(e.options))).collect());
    section("laws", LAWS.iter().map(|e| (e.name, e.about, describe(e.options))).collect());
    section("joints", JOINTS.iter().map(|e| (e.name, e.about, describe(e.options))).collect());
    section("elements", FORMULATIONS.iter().map(|e| (e.name, e.about, describe(e.options))).collect());
    let with_tolerance =
        |options: &[&Declared]| [describe(&[&nonsmooth_scene::TOLERANCE]), describe(options)].concat();
    section("solvers", SOLVERS.iter().map(|e| (e.name, e.about, with_tolerance(e.options))).collect());
    let watching = |is_default: bool| {
        let found = OBSERVERS.iter().filter(move |e| e.is_default == is_default);
        found.map(|e| (e.name, e.about, Vec::new())).collect()
    };
    section("observers of every run, unless output.without names them", watching(true));
    section("observers, for output.observers", watching(false));
    let exact = EXACT.iter().map(|e| (e.name, e.about, describe(e.options)));
    section("exact solutions", exact.collect());
    // A closed pipe is no error of ours.
    let _ = std::io::stdout().lock().write_all(text.trim_end().as_bytes());
    let _ = std::io::stdout().lock().write_all(b"\n");
    Ok(())
}

/// Prints the JSON Schema of scene files.
pub(crate) fn schema() -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&nonsmooth_scene::schema());
    let text = text.map_err(|error| Failure::Run(error.into()))?;
    let _ = std::io::stdout().lock().write_all(format!("{text}\n").as_bytes());
    Ok(())
}
