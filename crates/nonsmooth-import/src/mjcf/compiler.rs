//! Settings of the element `compiler`, and how it makes something be turned.

use crate::log::Log;
use crate::robot::Frame;
use crate::xml::Element;
use glam::{DMat3, DQuat, DVec3};

/// Where a body's inertia comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeoms {
    Never,
    Always,
    /// Where there is no `inertial`.
    Auto,
}

#[derive(Clone, Debug)]
pub(super) struct Compiler {
    pub degree: bool,
    sequence: String,
    pub from_geoms: FromGeoms,
    pub groups: [f64; 2],
    pub autolimits: bool,
    pub mesh_folder: String,
    pub strip_path: bool,
    /// Least mass [kg] and moment of inertia [kg·m²] of what moves.
    pub least: [f64; 2],
    pub balance: bool,
    pub total_mass: Option<f64>,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            degree: true,
            sequence: "xyz".to_owned(),
            from_geoms: FromGeoms::Auto,
            groups: [0.0, 5.0],
            autolimits: true,
            mesh_folder: String::new(),
            strip_path: false,
            least: [0.0; 2],
            balance: false,
            total_mass: None,
        }
    }
}

impl Compiler {
    /// Takes over what an element `compiler` says.
    pub fn take(&mut self, element: &Element, log: &mut Log) {
        let is_true =
            |name: &str, before: bool| element.attr(name).map_or(before, |value| value == "true");
        self.degree = element.attr("angle").map_or(self.degree, |angle| angle != "radian");
        self.autolimits = is_true("autolimits", self.autolimits);
        self.strip_path = is_true("strippath", self.strip_path);
        self.balance = is_true("balanceinertia", self.balance);
        if let Some(folder) = element.attr("assetdir") {
            self.mesh_folder = folder.to_owned();
        }
        if let Some(folder) = element.attr("meshdir") {
            self.mesh_folder = folder.to_owned();
        }
        match element.attr("inertiafromgeom") {
            Some("true") => self.from_geoms = FromGeoms::Always,
            Some("false") => self.from_geoms = FromGeoms::Never,
            Some("auto") => self.from_geoms = FromGeoms::Auto,
            Some(other) => log.wrong(
                &element.place,
                format!("inertiafromgeom is `{other}`; it is true, false or auto"),
            ),
            None => {}
        }
        if let Some(sequence) = element.attr("eulerseq") {
            if sequence.len() == 3 && sequence.chars().all(|c| "xyzXYZ".contains(c)) {
                self.sequence = sequence.to_owned();
            } else {
                log.wrong(
                    &element.place,
                    format!(
                        "eulerseq is `{}`; it is three letters of xyzXYZ",
                        crate::numbers::short(sequence)
                    ),
                );
            }
        }
        if let Some(groups) = log.list(element, "inertiagrouprange") {
            self.groups = groups;
        }
        for (least, name) in self.least.iter_mut().zip(["boundmass", "boundinertia"]) {
            *least = log.positive(element, name).unwrap_or(*least);
        }
        self.total_mass =
            log.number(element, "settotalmass").filter(|mass| *mass > 0.0).or(self.total_mass);
        if element.attr("coordinate").is_some_and(|c| c != "local") {
            log.wrong(&element.place, "coordinate=\"global\" is not read; let MuJoCo 2.1 or older save the file with local coordinates");
        }
        log.drop_rest(element, "", |name| match name {
            "texturedir" | "discardvisual" => Some("looks are not part of a scene"),
            "fusestatic" => Some("bodies that do not move against each other are always one"),
            "usethread" | "convexhull" | "exactmeshinertia" | "fitaabb" | "alignfree"
            | "saveinertial" => Some("a detail of another program"),
            _ => None,
        });
        for child in &element.children {
            log.drop(child, "", "", "a detail of another program");
        }
    }

    /// An angle in radians.
    pub fn angle(&self, x: f64) -> f64 {
        if self.degree { x.to_radians() } else { x }
    }

    /// Place and turn of a body, geom or frame.
    pub fn frame(&self, element: &Element, log: &mut Log) -> Frame {
        let position = log.vector(element, "pos").unwrap_or(DVec3::ZERO);
        Frame::new(position, self.turn(element, log))
    }

    /// How something is turned; one of the five ways of MJCF.
    pub fn turn(&self, element: &Element, log: &mut Log) -> DQuat {
        let given = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
        let ways: Vec<&str> = given.into_iter().filter(|way| element.peek(way).is_some()).collect();
        if ways.len() > 1 {
            let text =
                format!("{} is turned by {}; one of them is enough", element.tag, ways.join(" and "));
            log.wrong(&element.place, text);
        }
        let Some(way) = ways.first() else { return DQuat::IDENTITY };
        let turn = match *way {
            "quat" => log.list(element, way).map(|[w, x, y, z]| DQuat::from_xyzw(x, y, z, w)),
            "axisangle" => log.list(element, way).map(|[x, y, z, angle]| {
                let axis = DVec3::new(x, y, z).normalize_or_zero();
                let (sin, cos) = (0.5 * self.angle(angle)).sin_cos();
                let v = sin * axis;
                // Without an axis the length is not 1, and it is refused below.
                if axis == DVec3::ZERO {
                    DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)
                } else {
                    DQuat::from_xyzw(v.x, v.y, v.z, cos)
                }
            }),
            "xyaxes" => log.list(element, way).map(|[a, b, c, d, e, f]| {
                let x = DVec3::new(a, b, c).normalize_or_zero();
                let y = DVec3::new(d, e, f);
                let y = (y - y.dot(x) * x).normalize_or_zero();
                DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
            }),
            "zaxis" => log.vector(element, way).map(along),
            _ => log.list(element, way).map(|angles| self.euler(angles)),
        };
        let Some(turn) = turn else { return DQuat::IDENTITY };
        let length = turn.length();
        if !(length > 1e-10 && length.is_finite()) {
            log.wrong(
                &element.place_of(way),
                format!("`{way}` of {} is no turn: it has no length", element.tag),
            );
            return DQuat::IDENTITY;
        }
        turn.normalize()
    }

    /// Small letters turn about axes that turn along, capital ones about those of the parent.
    fn euler(&self, angles: [f64; 3]) -> DQuat {
        let mut turn = DQuat::IDENTITY;
        for (letter, angle) in self.sequence.chars().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => DVec3::X,
                'y' => DVec3::Y,
                _ => DVec3::Z,
            };
            let one = DQuat::from_axis_angle(axis, self.angle(angle));
            turn = if letter.is_ascii_lowercase() { turn * one } else { one * turn };
        }
        turn
    }
}

/// The shortest turn that brings z there.
pub(super) fn along(direction: DVec3) -> DQuat {
    direction
        .try_normalize()
        .map_or(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |d| DQuat::from_rotation_arc(DVec3::Z, d))
}
