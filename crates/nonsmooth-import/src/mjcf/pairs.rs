//! Pairs that meet or do not, and equalities that close loops.

use super::Reader;
use crate::log::Log;
use crate::robot::{Closure, Coupling, Loop};
use crate::xml::Element;
use glam::DVec3;

impl Reader<'_> {
    /// Notes the geoms that explicit pairs name, before geoms are read.
    pub(super) fn name_pairs(&mut self, contact: &Element, _log: &mut Log) {
        for pair in contact.all("pair") {
            self.paired.extend(
                ["geom1", "geom2"].into_iter().filter_map(|key| pair.peek(key)).map(str::to_owned),
            );
        }
    }

    /// Pairs that meet whatever their bits say, and bodies that do not.
    pub(super) fn contact(&mut self, contact: &Element, log: &mut Log) {
        for entry in &contact.children {
            let _ = entry.attr("name");
            match entry.tag.as_str() {
                "exclude" => {
                    if let Some(pair) = self.two(entry, ["body1", "body2"], log) {
                        self.robot.apart.push(pair);
                    }
                    log.drop_rest(entry, "", |_| None);
                }
                "pair" => {
                    let (Some(a), Some(b)) = (log.needed(entry, "geom1"), log.needed(entry, "geom2"))
                    else {
                        continue;
                    };
                    let _ = entry.attr("class");
                    log.drop_rest(entry, &format!("{a}, {b}"), |_| {
                        Some("the pair has the friction of its geoms")
                    });
                    self.robot.meeting.push([a, b]);
                }
                _ => log.drop(entry, "", "", "not known to this importer"),
            }
        }
    }

    /// Two bodies by name.
    fn two(&self, entry: &Element, keys: [&str; 2], log: &mut Log) -> Option<[Option<usize>; 2]> {
        let mut find = |key: &str| {
            let name = log.needed(entry, key)?;
            let found = self.find(&name);
            if found.is_none() {
                log.wrong(
                    &entry.place_of(key),
                    format!("{} names the body `{name}`, which is not there", entry.tag),
                );
            }
            found
        };
        let (a, b) = (find(keys[0]), find(keys[1]));
        Some([a?, b?])
    }

    /// Equalities: pins and welds of bodies, and hinges that follow each other.
    pub(super) fn equality(&mut self, equality: &Element, log: &mut Log) {
        for (k, entry) in equality.children.iter().enumerate() {
            let entry = &self.classes.apply(entry, None, log);
            let name = entry.attr("name").map_or_else(|| format!("{}_{k}", entry.tag), str::to_owned);
            if entry.attr("active") == Some("false") {
                log.drop(entry, "", &name, "it is not active");
                continue;
            }
            match entry.tag.as_str() {
                "connect" | "weld" => self.closing(entry, name, log),
                "joint" => self.coupling(entry, name, log),
                _ => log.drop(entry, "", &name, "a scene has no joint for that"),
            }
        }
    }

    fn closing(&mut self, entry: &Element, name: String, log: &mut Log) {
        if entry.peek("site1").is_some() || entry.peek("site2").is_some() {
            return log.drop(entry, "", &name, "it joins marks on bodies, which a scene does not have");
        }
        let closure = if entry.tag == "weld" { Closure::Weld } else { Closure::Pin };
        let pose = log.numbers(entry, "relpose").unwrap_or_default();
        // All zero, or a turn of length zero, is the pose at the start.
        if pose.iter().skip(3).any(|x| *x != 0.0) {
            return log.drop(entry, "", &name, "it holds the bodies as they do not stand at the start");
        }
        let _ = [entry.attr("torquescale"), entry.peek("body2")];
        let bodies = match entry.peek("body2") {
            Some(_) => self.two(entry, ["body1", "body2"], log),
            None => self.two(entry, ["body1", "body1"], log).map(|[a, _]| [a, None]),
        };
        let anchor = log.vector(entry, "anchor").unwrap_or(DVec3::ZERO);
        log.drop_rest(entry, &name, |_| Some("joints are rigid here, without a softness"));
        let Some(bodies) = bodies else { return };
        // Of a weld the anchor is on the second body, and it matters for what the softness does.
        let at = if closure == Closure::Weld { DVec3::ZERO } else { anchor };
        self.robot.loops.push(Loop { name, closure, bodies, at });
    }

    fn coupling(&mut self, entry: &Element, name: String, log: &mut Log) {
        let Some(follower) = log.needed(entry, "joint1") else { return };
        let Some(leader) = entry.attr("joint2").map(str::to_owned) else {
            return log.drop(
                entry,
                "",
                &name,
                "it holds a joint where it is; leave the joint out instead",
            );
        };
        let given = log.numbers(entry, "polycoef").unwrap_or_else(|| vec![0.0, 1.0]);
        if given.iter().skip(2).any(|x| *x != 0.0) {
            return log.drop(entry, "", &name, "wheels of a belt turn in proportion");
        }
        if given.first().is_some_and(|x| *x != 0.0) {
            log.drop(
                entry,
                "polycoef",
                &name,
                "its constant: the coupling holds as the joints stand at the start",
            );
        }
        log.drop_rest(entry, &name, |_| Some("joints are rigid here, without a softness"));
        let factor = given.get(1).copied().unwrap_or(0.0);
        self.robot.couplings.push(Coupling { name, element: entry.clone(), leader, follower, factor });
    }
}
