//! What the model finds wrong, at its place in the scene.

use super::Build;
use crate::source::Path;
use nonsmooth::model::rigid::{BodyIssue, Overlap, PairError};
use nonsmooth::model::{Issue, Place};

impl Build<'_> {
    /// Model errors as mistakes at the place in the scene; of copies of a table, the first of a kind.
    pub(super) fn translate(&mut self, issues: &[(Place, Issue)]) {
        let mut told: Vec<Path> = Vec::new();
        for (place, issue) in issues {
            if let Issue::Body(issue @ (BodyIssue::Overlap { .. } | BodyIssue::Pair(_))) = issue {
                self.translate_meeting(issue);
                continue;
            }
            let path = match issue {
                // A law of the scene has a place of its own.
                Issue::Body(BodyIssue::Law(name)) if self.scene.law.contains_key(name) => {
                    Path::of("law").key(name).key("type")
                }
                _ => self.path_of(place),
            };
            if matches!(
                place,
                Place::Body(..)
                    | Place::Kinematic(..)
                    | Place::Joint(..)
                    | Place::JointAxis(..)
                    | Place::Spring(..)
            ) {
                if told.contains(&path) {
                    continue;
                }
                told.push(path.clone());
            }
            // What the scene's own checks have told is not told again.
            let span = self.source.span(&path);
            if !self.mistakes.iter().any(|mistake| mistake.span == span) {
                self.mistake(&path, format!("`{path}` {issue}"));
            }
        }
    }

    fn path_of(&self, place: &Place) -> Path {
        let table = |number: u32, field: &str| {
            let field = if field == "rotation" { "orientation" } else { field };
            Path::of("body").index(number as usize).key(field)
        };
        match place {
            Place::System(i, field) => self.system_paths[*i].key(field),
            Place::Constraint(i, "law") => self.constraint_paths[*i].parent().key("law"),
            Place::Constraint(i, _) => self.constraint_paths[*i].clone(),
            Place::Relation(i, field) => self.relation_paths[*i].key(field),
            Place::Controller(i, field) => self.controller_paths[*i].key(field),
            Place::Prescribed(i) => self.prescribed_paths[*i].clone(),
            Place::Body(i, field) => table(self.moving[*i].table, field),
            Place::Kinematic(i, field) => table(self.kinematic[*i].table, field),
            Place::Spring(i, "ends") => self.spring_paths[*i].key("between"),
            Place::Spring(i, field) => self.spring_paths[*i].key(field),
            Place::Joint(i, field) => self.joint_paths[*i].key(field),
            Place::JointAxis(i, k, field) => self.joint_paths[*i].key("axes").index(*k).key(field),
            Place::Signal(name) => Path::of("expressions").key(name),
            Place::Materials => Path::of("contact"),
            Place::Region => Path::of("world.region"),
            Place::Bodies => Path::of("body"),
        }
    }

    /// Bodies that overlap, and materials without a law: said at one of the bodies.
    fn translate_meeting(&mut self, issue: &BodyIssue) {
        match issue {
            BodyIssue::Overlap { overlaps, count } => {
                for (k, overlap) in overlaps.iter().enumerate() {
                    let last = k + 1 == overlaps.len();
                    let count = if last { count - overlaps.len() + 1 } else { 1 };
                    let one = BodyIssue::Overlap { overlaps: vec![overlap.clone()], count };
                    let Overlap { second, .. } = overlap;
                    let path = self.table_of(second).key("position");
                    self.mistake(&path, one.to_string());
                }
            }
            BodyIssue::Pair(PairError::Missing { first, a, b, .. }) => {
                let path = self.table_of(first).key("material");
                let remedy = format!(
                    "[[contact.pair]] between = [\"{a}\", \"{b}\"], own coefficients in [material.{a}] and [material.{b}], or [contact] default"
                );
                self.mistake(&path, format!("{issue}: {remedy}"));
            }
            _ => self.mistake(&Path::of("contact"), issue.to_string()),
        }
    }

    /// The table of the body called `name`.
    fn table_of(&self, name: &str) -> Path {
        let base = name.split('[').next().unwrap_or(name);
        match self.scene.body.iter().position(|body| body.name == base) {
            Some(k) => Path::of("body").index(k),
            None => Path::of("body"),
        }
    }
}
