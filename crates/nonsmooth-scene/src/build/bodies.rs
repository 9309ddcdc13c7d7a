//! Rigid bodies of a scene: moving, fixed and prescribed.
//!
//! A scene places the origin of a shape; a model places centres of mass. With the centre c in the frame of the shape,
//! x = position + R c, and the parts of the body move by −c.

use super::copies::{At, Programs, values_at};
use super::elastic::Standing;
use super::instant::InstantFormulas;
use super::names::Family;
use super::shapes::Built;
use super::systems::is_name;
use super::{Build, Dimension, MOST_COPIES};
use crate::scene::{self, ShapeRef};
use crate::source::Path;
use glam::{DQuat, DVec3};
use nonsmooth::model::rigid::{
    Body, Collider, KinematicBody, KinematicState, MaterialId, Motion, Region,
};
use nonsmooth::model::{Opponent, Rigid, WrenchFunction};
use nonsmooth_geometry::broad::Groups;
use std::sync::Arc;

/// Where a body of the scene is at the start, and which table it comes from.
#[derive(Clone, Copy)]
pub(super) struct Seat {
    /// Number of the table `[[body]]`.
    pub(super) table: u32,
    /// Of the origin of its shape [m].
    pub(super) position: DVec3,
    /// From its axes to those of the world.
    pub(super) rotation: DQuat,
    /// Centre of mass in its frame [m].
    pub(super) centre: DVec3,
}

/// What a table `[[body]]` holds for all its copies.
struct Table<'a> {
    number: usize,
    path: &'a Path,
    spec: &'a scene::Body,
    motion: Option<Course>,
    /// The shapes of its parts, where they do not depend on i.
    shapes: Vec<Option<Arc<Built>>>,
}

/// A prescribed motion: position and angle with their derivatives, and the axis.
struct Course {
    position: Option<(Programs, Programs)>,
    angle: Option<(Programs, Programs)>,
}

/// A part at its place in the frame of the body.
pub(super) struct Piece {
    pub(super) built: Arc<Built>,
    pub(super) position: DVec3,
    pub(super) rotation: DQuat,
    material: MaterialId,
    groups: Groups,
}

impl Piece {
    /// As a collider of the model, whose origin is `centre` in the frame of the body.
    fn collider(&self, centre: DVec3) -> Collider {
        let posed = self.built.form.posed(self.position - centre, self.rotation);
        Collider { posed, material: self.material, groups: self.groups }
    }
}

impl Build<'_> {
    /// Reads where bodies live.
    pub(super) fn world(&mut self) {
        let world = &self.scene.world;
        let path = Path::of("world.gravity");
        if let Some(list) = &world.gravity {
            match list.len() {
                2 => {
                    self.dimension = Dimension::Plane;
                    self.directory.in_plane = true;
                }
                3 => {}
                n => {
                    let message =
                        format!("gravity has three numbers in space, two in the plane; got {n}");
                    return self.mistake(&path, message);
                }
            }
        }
        if let Some(g) = self.point(&At::Path(&path), world.gravity.as_ref(), None, DVec3::ZERO) {
            self.builder.gravity(g.to_array());
            self.gravity = g;
        }
        if let Some(region) = &world.region {
            let path = Path::of("world.region");
            let at = At::Path(&path);
            let low = self.point(&at.key("low"), Some(&region.low), None, DVec3::ZERO);
            let high = self.point(&at.key("high"), Some(&region.high), None, DVec3::ZERO);
            if let (Some(mut low), Some(mut high)) = (low, high) {
                if self.dimension == Dimension::Plane {
                    (low.z, high.z) = (f64::NEG_INFINITY, f64::INFINITY);
                }
                self.builder.region(Region { low: low.to_array(), high: high.to_array() });
            }
        }
    }

    pub(super) fn bodies(&mut self) {
        let scene = self.scene;
        let all: Vec<Vec<Option<usize>>> = self.register_bodies();
        for ((number, spec), copies) in scene.body.iter().enumerate().zip(all) {
            let path = Path::of("body").index(number);
            self.compiled.clear();
            let Some(mut table) = self.body_table(number, &path, spec) else { continue };
            let before = self.mistakes.len();
            for copy in copies {
                if is_kinematic(spec) {
                    self.kinematic(&mut table, copy);
                } else {
                    self.body(&mut table, copy);
                }
                // Further copies would repeat the mistake.
                if self.mistakes.len() > before {
                    break;
                }
            }
        }
    }

    /// Notes the names of all tables, so that any formula may use any body; returns the copies of each.
    fn register_bodies(&mut self) -> Vec<Vec<Option<usize>>> {
        let scene = self.scene;
        let mut next = [0, 0];
        let mut all = Vec::with_capacity(scene.body.len());
        for (number, spec) in scene.body.iter().enumerate() {
            let path = Path::of("body").index(number);
            let copies = self.copies(&path, spec.repeat.as_ref());
            // A body with a mistake of its own is known by name, so that the mistake is not repeated where it is used.
            let n = if copies.is_empty() { MOST_COPIES } else { copies.len() };
            let first = &mut next[usize::from(is_kinematic(spec))];
            self.register_body(&path, spec, (*first, n));
            *first += copies.len();
            all.push(copies);
        }
        all
    }

    /// Notes the name of a table, and the number and count of its bodies.
    fn register_body(&mut self, path: &Path, spec: &scene::Body, (first, n): (usize, usize)) {
        let name = &spec.name;
        if !is_name(name) {
            let message = format!("`{name}` is not a name: letters, digits and _, not first a digit");
            self.mistake(&path.key("name"), message);
        }
        let of_system = |known: &String| known.split('[').next() == Some(name);
        if self.directory.family(name).is_some() || self.system_names.iter().any(of_system) {
            self.mistake(&path.key("name"), format!("there are two bodies or systems called `{name}`"));
        }
        let count = spec.repeat.as_ref().map(|_| n);
        self.directory.add_family(name, Family { first, count, is_kinematic: is_kinematic(spec) });
    }

    /// What all copies of a table share; refuses keys that do not go together.
    fn body_table<'a>(
        &mut self,
        number: usize,
        path: &'a Path,
        spec: &'a scene::Body,
    ) -> Option<Table<'a>> {
        let before = self.mistakes.len();
        self.check_keys(path, spec);
        let (at, repeated) = (At::Path(path), spec.repeat.is_some());
        let motion = spec.motion.as_ref().map(|motion| {
            let at = at.key("motion");
            let position = motion.position.as_ref();
            let position = position.map(|list| self.point_programs(&at.key("position"), list, repeated));
            let angle = motion.angle.as_ref();
            let angle = angle
                .map(|angle| self.programs(&at.key("angle"), std::slice::from_ref(angle), repeated));
            Course { position: position.flatten(), angle: angle.flatten() }
        });
        let n_parts = spec.parts.as_ref().map_or(1, Vec::len);
        (self.mistakes.len() == before).then(|| Table {
            number,
            path,
            spec,
            motion,
            shapes: vec![None; n_parts],
        })
    }

    /// Forces and torques of bodies: formulas of the state, once everything that they may name is known.
    pub(super) fn wrenches(&mut self) {
        let scene = self.scene;
        for (number, spec) in scene.body.iter().enumerate() {
            let family = self.directory.family(&spec.name);
            let (Some(family), false) = (family, is_kinematic(spec)) else { continue };
            if spec.force.is_none() && spec.torque.is_none() {
                continue;
            }
            let path = Path::of("body").index(number);
            self.each_copy(&path, spec.repeat.as_ref(), |build, copy| {
                let body = Rigid::Body(family.first + copy.unwrap_or(0));
                build.wrench(&path, spec, (body, copy));
            });
        }
    }

    fn wrench(&mut self, path: &Path, spec: &scene::Body, (body, copy): (Rigid, Option<usize>)) {
        let before = self.mistakes.len();
        let at = At::Path(path);
        let force = spec.force.as_ref().and_then(|list| {
            let list = self.axis_entries(&at.key("force"), list)?;
            self.instant_list(&path.key("force"), list, copy)
        });
        let torque = spec.torque.as_ref().and_then(|vector| {
            let list = self.turning(&at.key("torque"), vector)?;
            self.instant_list(&path.key("torque"), list, copy)
        });
        if self.mistakes.len() > before {
            return;
        }
        let depends = [&force, &torque].into_iter().flatten().any(InstantFormulas::depends_on_state);
        let in_plane = self.dimension == Dimension::Plane;
        self.builder.wrench(body, depends, wrench(force, torque, in_plane));
    }

    fn check_keys(&mut self, path: &Path, spec: &scene::Body) {
        let at = At::Path(path);
        if spec.shape.is_some() && spec.parts.is_some() {
            self.wrong(&at.key("parts"), "a body has one `shape` or several `parts`, not both".into());
        }
        let what = match (spec.fixed, &spec.motion) {
            (true, Some(_)) => {
                let message = "a body is `fixed` or has a `motion`, not both".to_owned();
                return self.wrong(&at.key("motion"), message);
            }
            (true, None) => "is fixed",
            (false, Some(_)) => "moves as its `motion` says",
            (false, None) => return self.check_mass_keys(&at, spec),
        };
        let given = [
            ("density", spec.density.is_some()),
            ("mass", spec.mass.is_some()),
            ("inertia", spec.inertia.is_some()),
            ("centre", spec.centre.is_some()),
            ("velocity", spec.velocity.is_some()),
            ("angular_velocity", spec.angular_velocity.is_some()),
            ("force", spec.force.is_some()),
            ("torque", spec.torque.is_some()),
            ("appears_at", spec.appears_at.is_some()),
        ];
        for (key, _) in given.iter().filter(|(_, given)| *given) {
            self.wrong(&at.key(key), format!("`{}` {what}, so `{key}` has no meaning", spec.name));
        }
    }

    /// Adds a moving body.
    fn body(&mut self, table: &mut Table<'_>, copy: Option<usize>) {
        let (spec, at) = (table.spec, At::Path(table.path));
        let pieces = self.pieces(table, copy);
        let place = self.place(&at, spec, copy);
        let velocity = self.point(&at.key("velocity"), spec.velocity.as_ref(), copy, DVec3::ZERO);
        let spin = self.spin(&at.key("angular_velocity"), spec.angular_velocity.as_ref(), copy);
        let appears_at = self.optional(&at.key("appears_at"), spec.appears_at.as_ref(), copy);
        // All of it before anything is given up: a wrong shape must not hide a wrong density.
        let weight = self.weight(&at, spec, copy);
        let inertia = self.given_inertia(&at, spec, copy);
        let (Some(weight), Some(inertia)) = (weight, inertia) else { return };
        let (Some(pieces), Some((position, rotation))) = (pieces, place) else { return };
        let (Some(velocity), Some(spin), Ok(appears_at)) = (velocity, spin, appears_at) else { return };
        let whole = match inertia {
            Some((centre, inertia)) => Some((weight, centre, inertia)),
            None => self.mass(&at, spec, &pieces, weight),
        };
        let Some((mass, centre, inertia)) = whole else { return };
        let colliders: Vec<Collider> = pieces.iter().map(|piece| piece.collider(centre)).collect();
        let number = self.moving.len();
        self.stand(&full_name(&spec.name, copy), &colliders, Some(number), || Opponent::Body);
        self.builder.body(Body {
            name: full_name(&spec.name, copy),
            planar: self.dimension == Dimension::Plane,
            mass,
            inertia,
            position: (position + rotation * centre).to_array(),
            rotation: [rotation.w, rotation.x, rotation.y, rotation.z],
            velocity: velocity.to_array(),
            angular_velocity: spin.to_array(),
            colliders,
            appears_at,
        });
        self.moving.push(Seat { table: table.number as u32, position, rotation, centre });
    }

    /// Keeps what elastic bodies may meet, where there are any.
    fn stand(
        &mut self,
        name: &str,
        colliders: &[Collider],
        moving: Option<usize>,
        opponent: impl FnOnce() -> Opponent,
    ) {
        if !self.scene.system.elastic.is_empty() {
            let shapes = Arc::new(colliders.iter().map(|collider| collider.posed.clone()).collect());
            self.standing.insert(name.to_owned(), Standing { shapes, opponent: opponent(), moving });
        }
    }

    /// Adds a fixed or prescribed body.
    fn kinematic(&mut self, table: &mut Table<'_>, copy: Option<usize>) {
        let (spec, at) = (table.spec, At::Path(table.path));
        let pieces = self.pieces(table, copy);
        let place = self.place(&at, spec, copy);
        let axis = match &spec.motion {
            Some(motion) if motion.angle.is_some() => {
                self.axis(&at.key("motion"), motion.axis.as_ref(), copy)
            }
            Some(motion) if motion.axis.is_some() => {
                self.wrong(&at.key("motion").key("axis"), "an `axis` needs an `angle`".into());
                None
            }
            _ => Some(DVec3::Z),
        };
        let (Some(pieces), Some((position, rotation)), Some(axis)) = (pieces, place, axis) else {
            return;
        };
        let colliders: Vec<Collider> = pieces.iter().map(|piece| piece.collider(DVec3::ZERO)).collect();
        let i = copy.unwrap_or(0) as f64;
        let moves = || table.motion.as_ref().map(|course| motion(course, (position, rotation), axis, i));
        self.stand(&full_name(&spec.name, copy), &colliders, None, || match moves() {
            Some(motion) => Opponent::Moving(Arc::new(motion)),
            None => {
                Opponent::Fixed(position.to_array(), [rotation.w, rotation.x, rotation.y, rotation.z])
            }
        });
        self.builder.kinematic(KinematicBody {
            name: full_name(&spec.name, copy),
            planar: self.dimension == Dimension::Plane,
            colliders,
            position: position.to_array(),
            rotation: [rotation.w, rotation.x, rotation.y, rotation.z],
            motion: moves(),
        });
        let seat = Seat { table: table.number as u32, position, rotation, centre: DVec3::ZERO };
        self.kinematic.push(seat);
    }

    fn place(&mut self, at: &At<'_>, spec: &scene::Body, copy: Option<usize>) -> Option<(DVec3, DQuat)> {
        let position = self.point(&at.key("position"), spec.position.as_ref(), copy, DVec3::ZERO);
        let rotation = self.orientation(&at.key("orientation"), spec.orientation.as_ref(), copy);
        position.zip(rotation)
    }

    /// The parts of a body in its frame.
    fn pieces(&mut self, table: &mut Table<'_>, copy: Option<usize>) -> Option<Vec<Piece>> {
        let (spec, at) = (table.spec, At::Path(table.path));
        let groups = self.groups(&at.key("groups"), spec.groups.as_ref());
        let Some(parts) = &spec.parts else {
            let Some(reference) = &spec.shape else { return Some(Vec::new()) };
            let material = self.material(&at, spec.material.as_deref());
            let built = self.shared_shape(&at.key("shape"), reference, &mut table.shapes[0], copy)?;
            let (position, rotation) = (DVec3::ZERO, DQuat::IDENTITY);
            return Some(vec![Piece {
                built,
                position,
                rotation,
                material: material?,
                groups: groups?,
            }]);
        };
        let (body, list) = (at, at.key("parts"));
        let mut pieces = Vec::with_capacity(parts.len());
        for (k, part) in parts.iter().enumerate() {
            let at = list.entry(k);
            let built = self.shared_shape(&at.key("shape"), &part.shape, &mut table.shapes[k], copy);
            let position = self.point(&at.key("position"), part.position.as_ref(), copy, DVec3::ZERO);
            let rotation = self.orientation(&at.key("orientation"), part.orientation.as_ref(), copy);
            let material = match &part.material {
                Some(name) => self.material(&at, Some(name)),
                None => self.material(&body, spec.material.as_deref()),
            };
            let groups = match &part.groups {
                Some(own) => self.groups(&at.key("groups"), Some(own)),
                None => groups,
            };
            let place = position.zip(rotation).zip(material.zip(groups));
            pieces.extend(built.zip(place).map(
                |(built, ((position, rotation), (material, groups)))| Piece {
                    built,
                    position,
                    rotation,
                    material,
                    groups,
                },
            ));
        }
        (pieces.len() == parts.len()).then_some(pieces)
    }

    /// The shape, made anew only if it depends on i.
    fn shared_shape(
        &mut self,
        at: &At<'_>,
        reference: &ShapeRef,
        known: &mut Option<Arc<Built>>,
        copy: Option<usize>,
    ) -> Option<Arc<Built>> {
        if let Some(built) = known {
            return Some(built.clone());
        }
        self.compiled.used_index = false;
        let built = self.shape_ref(at, reference, copy)?;
        if !self.compiled.used_index {
            *known = Some(built.clone());
        }
        Some(built)
    }

    fn groups(&mut self, at: &At<'_>, groups: Option<&scene::Groups>) -> Option<Groups> {
        let Some(scene::Groups { member_of, meets }) = groups else { return Some(Groups::ALL) };
        let mut bits = |key: &str, list: &Option<Vec<u32>>| match list {
            None => Some(u32::MAX),
            Some(list) => {
                if let Some(k) = list.iter().position(|group| *group > 31) {
                    let message = format!("groups are numbered 0 to 31, got {}", list[k]);
                    self.wrong(&at.key(key).entry(k), message);
                    return None;
                }
                Some(list.iter().fold(0, |bits, group| bits | 1 << group))
            }
        };
        let (member_of, meets) = (bits("member_of", member_of), bits("meets", meets));
        Some(Groups { member_of: member_of?, meets: meets? })
    }
}

/// Whether a body is fixed or prescribed.
fn is_kinematic(spec: &scene::Body) -> bool {
    spec.fixed || spec.motion.is_some()
}

/// Force and torque in the axes of the world: two or three entries, then one or three.
fn wrench(
    force: Option<InstantFormulas>,
    torque: Option<InstantFormulas>,
    in_plane: bool,
) -> WrenchFunction {
    Box::new(move |at| {
        let values = |formulas: &Option<InstantFormulas>| {
            formulas.as_ref().map_or([0.0; 3], |formulas| formulas.values::<3>(at))
        };
        let ([x, y, z], torque) = (values(&force), values(&torque));
        let [a, b, c] = if in_plane { [0.0, 0.0, torque[0]] } else { torque };
        Ok([x, y, z, a, b, c])
    })
}

/// The name of a copy.
pub(super) fn full_name(name: &str, copy: Option<usize>) -> String {
    copy.map_or_else(|| name.to_owned(), |i| format!("{name}[{i}]"))
}

/// Position and turn as functions of time, their velocities by differentiation.
fn motion(course: &Course, (position, rotation): (DVec3, DQuat), axis: DVec3, i: f64) -> Motion {
    let (path, angle) = (course.position.clone(), course.angle.clone());
    Box::new(move |t: f64| {
        let (at, velocity) = match &path {
            Some((values, rates)) => (values_at::<3>(values, t, i), values_at::<3>(rates, t, i)),
            None => (position.to_array(), [0.0; 3]),
        };
        let (turn, spin) = match &angle {
            Some((values, rates)) => (values_at::<1>(values, t, i)[0], values_at::<1>(rates, t, i)[0]),
            None => (0.0, 0.0),
        };
        let q = (DQuat::from_axis_angle(axis, turn) * rotation).normalize();
        Ok(KinematicState {
            position: at,
            rotation: [q.w, q.x, q.y, q.z],
            velocity,
            angular_velocity: (spin * axis).to_array(),
        })
    })
}
