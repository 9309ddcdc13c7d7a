//! The JSON Schema of scene files: sound in itself, and complete for the scenes of the project.

use crate::scene_files;
use nonsmooth::INTEGRATORS;
use nonsmooth::laws::LAWS;
use nonsmooth_scene::{load, load_text, schema};
use nonsmooth_solvers::SOLVERS;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The schema that `$ref` points to, or the schema itself.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => {
            let path = reference.strip_prefix('#').expect("references stay inside");
            resolve(root, root.pointer(path).unwrap_or_else(|| panic!("{reference} leads nowhere")))
        }
        None => schema,
    }
}

/// Every schema that could describe a value described by `schema`.
fn alternatives<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let schema = resolve(root, schema);
    let offered = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array());
    offered.map_or(vec![schema], |list| list.iter().flat_map(|s| alternatives(root, s)).collect())
}

/// Keys of `value` that no alternative knows, with their path.
fn unknown(root: &Value, schemas: &[&Value], value: &toml::Value, path: &str, out: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let below: Vec<&Value> = schemas
                    .iter()
                    .flat_map(|s| [&s["properties"][key], &s["additionalProperties"]])
                    .filter(|s| s.is_object())
                    .take(1)
                    .flat_map(|s| alternatives(root, s))
                    .collect();
                let path = format!("{path}.{key}");
                if below.is_empty() {
                    out.push(path);
                } else {
                    unknown(root, &below, value, &path, out);
                }
            }
        }
        toml::Value::Array(list) => {
            let items: Vec<&Value> = schemas
                .iter()
                .filter(|s| s["items"].is_object())
                .flat_map(|s| alternatives(root, &s["items"]))
                .collect();
            list.iter().for_each(|value| unknown(root, &items, value, path, out));
        }
        _ => {}
    }
}

fn every_reference(root: &Value, value: &Value) {
    if value["$ref"].is_string() {
        resolve(root, value);
    }
    match value {
        Value::Object(map) => map.values().for_each(|value| every_reference(root, value)),
        Value::Array(list) => list.iter().for_each(|value| every_reference(root, value)),
        _ => {}
    }
}

#[test]
fn the_schema_is_json_and_its_references_lead_somewhere() {
    let schema = schema();
    let text = serde_json::to_string_pretty(&schema).expect("writable");
    let back: Value = serde_json::from_str(&text).expect("valid JSON");
    assert_eq!(back, schema);
    assert!(
        back["$schema"].as_str().is_some_and(|s| s.contains("json-schema.org")),
        "{}",
        back["$schema"]
    );
    assert_eq!(back["title"], "nonsmooth scene");
    assert_eq!(back["type"], "object");
    every_reference(&back, &back);
}

#[test]
fn every_key_is_described() {
    fn undescribed(value: &Value, path: &str, out: &mut Vec<String>) {
        let Some(map) = value.as_object() else { return };
        for (key, value) in map {
            let path = format!("{path}/{key}");
            if path.contains("properties/")
                && !path.contains("/additionalProperties")
                && value.is_object()
            {
                let parent_is_properties = path.rsplit('/').nth(1) == Some("properties");
                if parent_is_properties && !value["description"].is_string() {
                    out.push(path.clone());
                }
            }
            undescribed(value, &path, out);
        }
    }
    let mut found = Vec::new();
    undescribed(&schema(), "", &mut found);
    assert!(found.is_empty(), "keys without a description: {found:#?}");
}

#[test]
fn every_scene_loads_and_uses_only_keys_that_the_schema_lists() {
    let schema = schema();
    for path in scene_files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let value: toml::Table =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut found = Vec::new();
        unknown(&schema, &alternatives(&schema, &schema), &toml::Value::Table(value), "", &mut found);
        assert!(found.is_empty(), "{}: keys that the schema does not list: {found:?}", path.display());
        let loaded = load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert!(!loaded.title.is_empty(), "{} has no title", path.display());
        assert!(loaded.n_steps <= 100_000, "{} has {} steps", path.display(), loaded.n_steps);
    }
}

#[test]
fn unknown_keys_are_found_by_this_test() {
    let schema = schema();
    let value: toml::Table =
        "[run]\nend = 1\nbegin = 0\n[[system.linear]]\nmas = 1\n".parse().expect("TOML");
    let mut found = Vec::new();
    unknown(&schema, &alternatives(&schema, &schema), &toml::Value::Table(value), "", &mut found);
    found.sort();
    assert_eq!(found, [".run.begin", ".system.linear.mas"]);
}

#[test]
fn every_integrator_law_and_solver_is_named_with_its_options() {
    let schema = schema();
    let lists = [
        (
            &schema["properties"]["integrator"],
            INTEGRATORS.iter().map(|e| (e.name, e.options)).collect::<Vec<_>>(),
        ),
        (&schema["properties"]["solver"], SOLVERS.iter().map(|e| (e.name, e.options)).collect()),
        (
            &schema["properties"]["law"]["additionalProperties"],
            LAWS.iter().map(|e| (e.name, e.options)).collect(),
        ),
    ];
    for (table, entries) in lists {
        let names: Vec<&str> = table["properties"]["type"]["enum"]
            .as_array()
            .expect("a list of words")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        for (name, options) in entries {
            assert!(names.contains(&name), "`{name}` is not among {names:?}");
            for option in options {
                let about = &table["properties"][option.name]["description"];
                assert!(
                    about.as_str().is_some_and(|s| s.contains(option.about)),
                    "{name}.{}",
                    option.name
                );
            }
        }
    }
    assert!(schema["properties"]["solver"]["properties"]["tolerance"].is_object());
}

#[test]
fn every_toml_block_of_the_readme_is_a_scene() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).expect("the README is there");
    // Words after `toml` tell the documents tier what the block does.
    let after_words = text.split("```toml").skip(1).filter_map(|rest| rest.split_once('\n'));
    let blocks: Vec<&str> = after_words.filter_map(|(_, rest)| rest.split("```").next()).collect();
    assert!(!blocks.is_empty(), "the README shows no scene");
    for block in blocks {
        let loaded = load_text("README.md", block.to_owned(), PathBuf::new(), &[]);
        assert!(loaded.is_ok(), "{}", loaded.err().map_or(String::new(), |e| e.to_string()));
    }
}
