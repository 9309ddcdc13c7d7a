//! Actuators on joints: motors, servos of position and of velocity, and general ones that are of these kinds.

use super::Reader;
use super::defaults::ACTUATORS;
use crate::log::Log;
use crate::robot::Actuator;
use crate::xml::Element;

impl Reader<'_> {
    pub(super) fn actuators(&mut self, list: &Element, log: &mut Log) {
        for element in &list.children {
            let element = &self.classes.apply(element, None, log);
            let joint =
                element.attr("joint").or_else(|| element.attr("jointinparent")).map(str::to_owned);
            let name = element.attr("name").map(str::to_owned).or(joint.clone()).unwrap_or_default();
            if !ACTUATORS.contains(&element.tag.as_str()) {
                log.drop(element, "", &name, "a drive of this kind is not made");
                continue;
            }
            let Some(joint) = joint else {
                log.drop(element, "", &name, "it does not act on a joint");
                continue;
            };
            let Some(actuator) = self.actuator(element, &name, log) else { continue };
            let mut joints = self.robot.bodies.iter_mut().flat_map(|body| &mut body.joints);
            match joints.find(|known| known.name == joint) {
                Some(known) => known.actuators.push(actuator),
                None => log.drop(element, "", &name, "its joint is free or not there"),
            }
        }
    }

    /// Nothing where it is of a kind that is not made.
    fn actuator(&self, element: &Element, name: &str, log: &mut Log) -> Option<Actuator> {
        let first = |log: &mut Log, key: &str, default: f64| {
            log.numbers(element, key).and_then(|list| list.first().copied()).unwrap_or(default)
        };
        let (gain, bias) = match element.tag.as_str() {
            "motor" => (1.0, [0.0; 3]),
            "position" => {
                let (kp, kv) = (first(log, "kp", 1.0), first(log, "kv", 0.0));
                (kp, [0.0, -kp, -kv])
            }
            "velocity" => {
                let kv = first(log, "kv", 1.0);
                (kv, [0.0, 0.0, -kv])
            }
            _ => general(element, name, log)?,
        };
        let range = |log: &mut Log, range: &str, limited: &str| {
            let ends = log.list::<2>(element, range);
            let holds = self.is_limited(element, limited, ends.is_some());
            ends.filter(|_| holds)
        };
        let control_range = range(log, "ctrlrange", "ctrllimited");
        let force_range = range(log, "forcerange", "forcelimited");
        let gear = first(log, "gear", 1.0);
        log.drop_rest(element, name, |key| match key {
            "group" | "user" => Some("says nothing about the motion"),
            "dampratio" | "inheritrange" => Some("give `kv` and `ctrlrange` as numbers"),
            "timeconst" => Some("a drive acts at once"),
            "actlimited" | "actrange" | "actdim" | "actearly" | "dynprm" => {
                Some("a drive has no state of its own")
            }
            _ => None,
        });
        Some(Actuator { name: name.to_owned(), gain, bias, gear, control_range, force_range })
    }
}

/// Gain and bias of a general actuator; nothing where they depend on more than length and rate.
fn general(element: &Element, name: &str, log: &mut Log) -> Option<(f64, [f64; 3])> {
    let gains = log.numbers(element, "gainprm").unwrap_or_default();
    let biases = log.numbers(element, "biasprm").unwrap_or_default();
    let kinds = [element.attr("gaintype"), element.attr("biastype"), element.attr("dyntype")];
    let [gain, bias, dynamics] = kinds.map(|kind| kind.unwrap_or("default"));
    let known = ["default", "fixed"].contains(&gain) && ["default", "none", "affine"].contains(&bias);
    if !known || !["default", "none"].contains(&dynamics) {
        log.drop(element, "", name, "a drive of this kind is not made");
        return None;
    }
    let prm = |k: usize| if bias == "affine" { biases.get(k).copied().unwrap_or(0.0) } else { 0.0 };
    Some((gains.first().copied().unwrap_or(1.0), [prm(0), prm(1), prm(2)]))
}
