//! Springs between bodies: ends by the names of bodies, points in the frames of their shapes.

use super::Build;
use super::bodies::{Seat, full_name};
use super::copies::At;
use super::names::Family;
use crate::scene::{self, Quantity};
use crate::source::Path;
use glam::DVec3;
use nonsmooth::model::{Anchor, Rigid, Spring};

impl Build<'_> {
    pub(super) fn springs(&mut self) {
        let scene = self.scene;
        for (k, spec) in scene.spring.iter().enumerate() {
            let path = Path::of("spring").index(k);
            self.compiled.clear();
            if spec.between.len() != 2 {
                let message = format!("a spring has two ends, got {}", spec.between.len());
                self.mistake(&path.key("between"), message);
                continue;
            }
            if spec.stiffness.is_none() && spec.damping.is_none() {
                let message =
                    "a spring without `stiffness` and `damping` does nothing; give one of them";
                self.mistake(&path, message.to_owned());
                continue;
            }
            self.each_copy(&path, spec.repeat.as_ref(), |build, copy| {
                build.spring((k, &path), spec, copy);
            });
        }
    }

    fn spring(&mut self, (number, path): (usize, &Path), spec: &scene::Spring, copy: Option<usize>) {
        let at = At::Path(path);
        let between = at.key("between");
        let ends: Vec<Option<(Anchor, DVec3)>> = spec
            .between
            .iter()
            .enumerate()
            .map(|(k, end)| self.end(&between.entry(k), end, copy))
            .collect();
        let stiffness = self.optional(&at.key("stiffness"), spec.stiffness.as_ref(), copy);
        let damping = self.optional(&at.key("damping"), spec.damping.as_ref(), copy);
        let rest_length = self.optional(&at.key("rest_length"), spec.rest_length.as_ref(), copy);
        let [Some(a), Some(b)] = ends[..] else { return };
        // After a mistake nothing is built, but the model still looks at what is there.
        let value_or =
            |read: Result<Option<f64>, ()>, default: f64| read.ok().flatten().unwrap_or(default);
        let rest_length = value_or(rest_length, a.1.distance(b.1));
        let (stiffness, damping) = (value_or(stiffness, 0.0), value_or(damping, 0.0));
        let name = spec.name.clone().unwrap_or_else(|| format!("spring_{number}"));
        let name = full_name(&name, copy);
        self.builder.spring(Spring { name, ends: [a.0, b.0], stiffness, damping, rest_length });
        self.spring_paths.push(path.clone());
    }

    /// An end, and where it is at the start.
    fn end(&mut self, at: &At<'_>, end: &scene::End, copy: Option<usize>) -> Option<(Anchor, DVec3)> {
        let point = self.point(&at.key("point"), end.point.as_ref(), copy, DVec3::ZERO);
        let Some(name) = &end.body else {
            return point.map(|x| (Anchor { on: Rigid::World, at: x.to_array() }, x));
        };
        let (on, seat) = self.named_body(&at.key("body"), name, copy)?;
        let point = point?;
        let anchor = Anchor { on, at: (point - seat.centre).to_array() };
        Some((anchor, seat.position + seat.rotation * point))
    }

    /// The body called `name`, where an index may be a formula, and where it is at the start.
    pub(super) fn named_body(
        &mut self,
        at: &At<'_>,
        name: &str,
        copy: Option<usize>,
    ) -> Option<(Rigid, Seat)> {
        let (base, index) = match name.split_once('[') {
            Some((base, rest)) => (base, Some(rest.trim_end().trim_end_matches(']'))),
            None => (name, None),
        };
        let Some(Family { first, count, is_kinematic }) = self.directory.family(base) else {
            let known: Vec<String> = self.directory.families().cloned().collect();
            let hint = nonsmooth_solvers::nearest(base, known.iter().map(String::as_str));
            let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
            let list = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            self.wrong(at, format!("no body `{base}`{hint}; there are {list}"));
            return None;
        };
        let number = match (index, count) {
            (None, None) => first,
            (None, Some(n)) => {
                self.wrong(
                    at,
                    format!("`{base}` is repeated: say which, `{base}[0]` to `{base}[{}]`", n - 1),
                );
                return None;
            }
            (Some(_), None) => {
                self.wrong(at, format!("`{base}` is not repeated: leave out the index"));
                return None;
            }
            (Some(index), Some(n)) => {
                let k = self.value(at, &Quantity::Formula(index.to_owned()), copy)?;
                if !(k >= 0.0 && k < n as f64 && k.fract() == 0.0) {
                    self.wrong(at, format!("there is no `{base}[{k}]`: indices go from 0 to {}", n - 1));
                    return None;
                }
                first + k as usize
            }
        };
        // A body with a mistake of its own is not there.
        if is_kinematic {
            return self.kinematic.get(number).map(|seat| (Rigid::Kinematic(number), *seat));
        }
        self.moving.get(number).map(|seat| (Rigid::Body(number), *seat))
    }
}
