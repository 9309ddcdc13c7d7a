//! Classes of defaults: what an element does not say, its class says, or the class around that.

use crate::log::Log;
use crate::xml::Element;
use std::collections::BTreeMap;

/// Attributes by tag.
type Given = BTreeMap<String, BTreeMap<String, String>>;

/// All classes, each with what it takes from those around it.
#[derive(Debug, Default)]
pub(super) struct Classes {
    main: Given,
    by_name: BTreeMap<String, Given>,
}

/// Tags of actuators, whose bounds and gears are one default for all of them.
pub(super) const ACTUATORS: [&str; 4] = ["general", "motor", "position", "velocity"];
const SHARED: [&str; 5] = ["ctrllimited", "ctrlrange", "forcelimited", "forcerange", "gear"];

impl Classes {
    /// Takes over an element `default` of the root.
    pub fn take(&mut self, element: &Element, log: &mut Log) {
        let name = element.attr("class").unwrap_or("main").to_owned();
        let mut main = std::mem::take(&mut self.main);
        self.inside(element, &mut main, log);
        self.by_name.insert(name, main.clone());
        self.main = main;
    }

    fn inside(&mut self, element: &Element, given: &mut Given, log: &mut Log) {
        log.drop_rest(element, "", |_| None);
        // What a class says itself holds for all classes in it, wherever it stands.
        for child in element.children.iter().filter(|child| child.tag != "default") {
            let _ = child.attr("class");
            let entry = given.entry(child.tag.clone()).or_default();
            entry.extend(
                child
                    .attributes()
                    .filter(|(name, _)| *name != "class")
                    .map(|(n, v)| (n.to_owned(), v.to_owned())),
            );
            if ACTUATORS.contains(&child.tag.as_str()) {
                let shared: Vec<(String, String)> = child
                    .attributes()
                    .filter(|(name, _)| SHARED.contains(name))
                    .map(|(n, v)| (n.to_owned(), v.to_owned()))
                    .collect();
                for tag in ACTUATORS {
                    given.entry(tag.to_owned()).or_default().extend(shared.iter().cloned());
                }
            }
        }
        for child in element.children.iter().filter(|child| child.tag == "default") {
            let Some(name) = log.needed(child, "class") else { continue };
            let mut inner = given.clone();
            self.inside(child, &mut inner, log);
            if self.by_name.insert(name.clone(), inner).is_some() {
                log.wrong(&child.place, format!("there are two classes `{name}`"));
            }
        }
    }

    /// The element with what its class gives; `around` is the class of the bodies around it.
    pub fn apply(&self, element: &Element, around: Option<&str>, log: &mut Log) -> Element {
        let mut full = element.clone();
        let class = full.attr("class").map(str::to_owned).or(around.map(str::to_owned));
        let given = match &class {
            None => &self.main,
            Some(name) => self.by_name.get(name).unwrap_or_else(|| {
                log.wrong(&element.place, format!("there is no class `{name}`"));
                &self.main
            }),
        };
        for (name, value) in given.get(&element.tag).into_iter().flatten() {
            full.inherit(name, value);
        }
        full
    }
}
