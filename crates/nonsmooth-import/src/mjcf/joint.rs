//! Joints of a body of MJCF.

use super::Reader;
use crate::log::Log;
use crate::robot::{Body, Freedom, Joint};
use crate::xml::Element;
use glam::DVec3;

/// Attributes that are not carried over.
fn reason(name: &str) -> Option<&'static str> {
    Some(match name {
        "armature" => "the inertia of a rotor, which no body here carries",
        "solreflimit" | "solimplimit" | "solreffriction" | "solimpfriction" | "margin" => {
            "stops and friction are rigid here, without a softness"
        }
        "springdamper" => "give `stiffness` and `damping`",
        "actuatorgravcomp" => "nothing carries a weight here",
        "user" | "group" => "says nothing about the motion",
        "damping" | "stiffness" | "frictionloss" | "range" | "limited" | "springref" | "ref"
        | "axis" => "a free body has none of its own",
        _ => return None,
    })
}

impl Reader<'_> {
    /// Reads a `joint` or `freejoint` into its body.
    pub(super) fn joint(
        &mut self,
        element: &Element,
        class: Option<&str>,
        body: &mut Body,
        log: &mut Log,
    ) {
        let element = &self.classes.apply(element, class, log);
        let name = element
            .attr("name")
            .map_or_else(|| format!("{}_joint_{}", body.name, body.joints.len()), str::to_owned);
        let kind =
            if element.tag == "freejoint" { "free" } else { element.attr("type").unwrap_or("hinge") };
        let freedom = match kind {
            "free" => {
                if body.parent.is_some() || !body.joints.is_empty() {
                    log.wrong(&element.place, format!("joint `{name}` is free: its body must hang on the world and have no other joint"));
                }
                body.is_free = true;
                // Defaults of other joints, and where it would be.
                for habit in ["pos", "align", "armature", "limited", "margin"] {
                    let _ = element.attr(habit);
                }
                let zero =
                    |key: &str| element.peek(key).is_some_and(|value| value.trim().parse() == Ok(0.0));
                for key in ["damping", "stiffness", "frictionloss"].into_iter().filter(|key| zero(key)) {
                    let _ = element.attr(key);
                }
                return log.drop_rest(element, &name, reason);
            }
            "hinge" => Freedom::Turn,
            "slide" => Freedom::Slide,
            "ball" => Freedom::Ball,
            other => {
                return log.wrong(
                    &element.place,
                    format!("joint `{name}` has the type `{other}`; there are free, ball, slide, hinge"),
                );
            }
        };
        let turns = freedom != Freedom::Slide;
        let unit = |x: f64| if turns { self.compiler.angle(x) } else { x };
        let mut joint =
            Joint::plain(&name, &element.place, freedom, log.direction(element, "axis", DVec3::Z));
        joint.at = log.vector(element, "pos").unwrap_or(DVec3::ZERO);
        joint.reference = unit(log.number(element, "ref").unwrap_or(0.0));
        joint.start = joint.reference;
        joint.slack = unit(log.number(element, "springref").unwrap_or(0.0));
        joint.stiffness = first(log, element, "stiffness");
        joint.damping = first(log, element, "damping");
        joint.friction = log.positive(element, "frictionloss").unwrap_or(0.0);
        let range = log.list::<2>(element, "range").map(|range| range.map(unit));
        if self.is_limited(element, "limited", range.is_some()) {
            joint.range = range;
            if let Some([lower, upper]) = range.filter(|[lower, upper]| lower >= upper) {
                log.wrong(
                    &element.place_of("range"),
                    format!("joint `{name}`: its range goes from {lower} to {upper}"),
                );
            }
        }
        let force = log.list::<2>(element, "actuatorfrcrange");
        joint.force_range =
            force.filter(|_| self.is_limited(element, "actuatorfrclimited", force.is_some()));
        if element.peek("armature").is_some_and(|value| value.trim().parse() == Ok(0.0)) {
            let _ = element.attr("armature");
        }
        log.drop_rest(element, &name, reason);
        if body.is_free {
            log.wrong(
                &element.place,
                format!("joint `{name}`: body `{}` is free and has no other joint", body.name),
            );
        }
        body.joints.push(joint);
    }

    /// Whether bounds hold: as said, or where they are given.
    pub(super) fn is_limited(&self, element: &Element, name: &str, is_given: bool) -> bool {
        match element.attr(name) {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler.autolimits && is_given,
        }
    }
}

/// A number that may be the first of a polynomial.
fn first(log: &mut Log, element: &Element, name: &str) -> f64 {
    let numbers = log.numbers(element, name).unwrap_or_default();
    if numbers.iter().skip(1).any(|x| *x != 0.0) {
        log.drop(element, name, "", "of a polynomial the linear term is taken");
    }
    let x = numbers.first().copied().unwrap_or(0.0);
    if x < 0.0 {
        log.wrong(
            &element.place_of(name),
            format!("`{name}` of {} is {x}; it must not be negative", element.tag),
        );
        return 0.0;
    }
    x
}
