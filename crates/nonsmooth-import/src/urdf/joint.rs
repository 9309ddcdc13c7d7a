//! A joint of URDF: how a link hangs on its parent.

use super::origin;
use crate::log::Log;
use crate::robot::{Actuator, Body, Coupling, Freedom, Joint};
use crate::xml::Element;
use glam::DVec3;

/// Reads a joint into the body that it leads to.
pub(super) fn read(joint: &Element, body: &mut Body, couplings: &mut Vec<Coupling>, log: &mut Log) {
    let name = joint.attr("name").unwrap_or_default().to_owned();
    body.frame = origin(joint, log);
    let kind = log.needed(joint, "type").unwrap_or_default();
    log.drop_rest(joint, &name, |_| None);
    let axis = match joint.child("axis") {
        None => DVec3::X,
        Some(axis) if kind == "fixed" || kind == "floating" => {
            // Written by habit; it means nothing there.
            let _ = axis.attr("xyz");
            DVec3::X
        }
        Some(axis) => log.direction(axis, "xyz", DVec3::X),
    };
    let freedom = match kind.as_str() {
        "revolute" | "continuous" => Freedom::Turn,
        "prismatic" => Freedom::Slide,
        "fixed" => return left_out(joint, &name, &["origin", "parent", "child", "axis"], log),
        "floating" => {
            body.is_free = true;
            return left_out(joint, &name, &["origin", "parent", "child", "axis"], log);
        }
        "planar" => {
            let (x, y) = axis.any_orthonormal_pair();
            let slide = |end: &str, along| {
                Joint::plain(&format!("{name}{end}"), &joint.place, Freedom::Slide, along)
            };
            let turn = Joint::plain(&name, &joint.place, Freedom::Turn, axis);
            body.joints = vec![slide("_x", x), slide("_y", y), turn];
            return left_out(joint, &name, &["origin", "parent", "child", "axis"], log);
        }
        other => {
            let list = "revolute, continuous, prismatic, fixed, floating, planar";
            return log.wrong(
                &joint.place_of("type"),
                format!("joint `{name}` has the type `{other}`; there are {list}"),
            );
        }
    };
    let mut made = Joint::plain(&name, &joint.place, freedom, axis);
    if let Some(dynamics) = joint.child("dynamics") {
        made.damping = log.positive(dynamics, "damping").unwrap_or(0.0);
        made.friction = log.positive(dynamics, "friction").unwrap_or(0.0);
        log.drop_rest(dynamics, &name, |_| None);
    }
    if let Some(limit) = joint.child("limit") {
        limits(limit, &kind, &mut made, log);
    } else if kind == "revolute" || kind == "prismatic" {
        log.note(format!("joint `{name}` has no <limit>: it moves without stops"));
    }
    if let Some(mimic) = joint.child("mimic") {
        couplings.extend(coupling(mimic, &name, log));
        made.actuators.clear();
    }
    left_out(joint, &name, &["origin", "parent", "child", "axis", "dynamics", "limit", "mimic"], log);
    if made.range.is_some_and(|[lower, upper]| lower == upper) {
        return log.note(format!("joint `{name}` has no room between its limits: it is fixed"));
    }
    body.joints = vec![made];
}

/// Reports the children that nobody reads.
fn left_out(joint: &Element, name: &str, read: &[&str], log: &mut Log) {
    for child in joint.children.iter().filter(|child| !read.contains(&child.tag.as_str())) {
        let why = match child.tag.as_str() {
            "safety_controller" => "a controller of another program; a motor may be a formula",
            "calibration" => "says how a machine finds its zero",
            "limit" | "dynamics" => "there is nothing free that it could act on",
            _ => "not known to this importer",
        };
        log.drop(child, "", name, why);
    }
}

fn limits(limit: &Element, kind: &str, joint: &mut Joint, log: &mut Log) {
    let name = joint.name.clone();
    let ends = [log.number(limit, "lower").unwrap_or(0.0), log.number(limit, "upper").unwrap_or(0.0)];
    if kind != "continuous" {
        if ends[0] > ends[1] {
            log.wrong(
                &limit.place,
                format!("joint `{name}`: lower = {} is above upper = {}", ends[0], ends[1]),
            );
        }
        joint.range = Some(ends);
    }
    if let Some(effort) = log.positive(limit, "effort").filter(|effort| *effort > 0.0) {
        joint.actuators.push(Actuator {
            name: name.clone(),
            gain: 1.0,
            bias: [0.0; 3],
            gear: 1.0,
            control_range: Some([-effort, effort]),
            force_range: None,
        });
    }
    log.drop_rest(limit, &name, |key| {
        (key == "velocity").then_some("no law bounds a velocity without a controller")
    });
}

fn coupling(mimic: &Element, follower: &str, log: &mut Log) -> Option<Coupling> {
    let leader = log.needed(mimic, "joint")?;
    let factor = log.number(mimic, "multiplier").unwrap_or(1.0);
    // A coupling holds as the bodies stand at the start: a constant would only say where.
    let offset = log.number(mimic, "offset").unwrap_or(0.0);
    if offset != 0.0 {
        log.drop(
            mimic,
            "offset",
            follower,
            "all joints start at zero, and the coupling holds from there",
        );
    }
    log.drop_rest(mimic, follower, |_| None);
    Some(Coupling {
        name: follower.to_owned(),
        element: mimic.clone(),
        leader,
        follower: follower.to_owned(),
        factor,
    })
}
