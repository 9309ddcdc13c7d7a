//! Shapes of a scene: by numbers, formulas and files; each is made once and shared by its bodies.

use super::copies::At;
use super::solid::Solid;
use super::{Build, Dimension};
use crate::scene::{Quantity, Shape, ShapeKind, ShapeRef};
use crate::source::Path;
use glam::{DQuat, DVec3};
use nonsmooth::model::rigid::PosedShape;
use nonsmooth_geometry::files::{Triangles, read_obj, read_stl};
use nonsmooth_geometry::{MassError, ShapeError, planar, spatial};
use nonsmooth_solvers::nearest;
use std::sync::Arc;

/// A shape and what it weighs.
pub(super) struct Built {
    pub(super) form: Form,
    /// With density 1.
    pub(super) solid: Result<Solid, MassError>,
}

/// A shape of the plane or of space.
#[derive(Clone)]
pub(super) enum Form {
    Plane(planar::Shape),
    Space(spatial::Shape),
}

impl Form {
    /// The shape at a place.
    pub(super) fn posed(&self, position: DVec3, rotation: DQuat) -> PosedShape {
        match self {
            Form::Plane(shape) => PosedShape::Plane(shape.clone(), planar_pose(position, rotation)),
            Form::Space(shape) => PosedShape::Space(shape.clone(), spatial_pose(position, rotation)),
        }
    }
}

fn planar_pose(position: DVec3, rotation: DQuat) -> planar::Pose {
    let angle = 2.0 * rotation.z.atan2(rotation.w);
    planar::Pose { position: [position.x, position.y], angle }
}

fn spatial_pose(position: DVec3, rotation: DQuat) -> spatial::Pose {
    let rotation = [rotation.w, rotation.x, rotation.y, rotation.z];
    spatial::Pose { position: position.to_array(), rotation }
}

const IN_THE_PLANE: &str =
    "ball, box, rectangle, capsule, polygon, chain, height-field, half-plane, compound";
const IN_SPACE: &str =
    "ball, box, capsule, cylinder, cone, hull, mesh, height-field, half-space, compound";

/// The keys that go with a type; `None` where there is no such shape.
fn keys_of(kind: ShapeKind, dimension: Dimension) -> Option<&'static [&'static str]> {
    let in_plane = dimension == Dimension::Plane;
    Some(match kind {
        ShapeKind::Ball => &["radius"],
        ShapeKind::Box => &["size", "half"],
        ShapeKind::Rectangle if in_plane => &["size", "half"],
        ShapeKind::Capsule => &["length", "radius"],
        ShapeKind::Cylinder | ShapeKind::Cone if !in_plane => &["length", "radius"],
        ShapeKind::Hull if !in_plane => &["points", "file", "scale"],
        ShapeKind::Mesh if !in_plane => &["file", "scale", "vertices", "triangles"],
        ShapeKind::HeightField if in_plane => &["heights", "columns", "spacing", "file", "scale"],
        ShapeKind::HeightField => &["heights", "columns", "rows", "spacing", "file", "scale"],
        ShapeKind::HalfSpace if !in_plane => &["normal"],
        ShapeKind::HalfPlane | ShapeKind::Polygon | ShapeKind::Chain if in_plane => match kind {
            ShapeKind::HalfPlane => &["normal"],
            ShapeKind::Polygon => &["points"],
            _ => &["points", "closed"],
        },
        ShapeKind::Compound => &["parts"],
        _ => return None,
    })
}

/// The keys that are given.
fn given(shape: &Shape) -> Vec<&'static str> {
    let Shape { kind: _, radius, length, size, half, points, closed, vertices, triangles, .. } = shape;
    let Shape { file, scale, heights, columns, rows, spacing, normal, parts, .. } = shape;
    let all = [
        ("radius", radius.is_some()),
        ("length", length.is_some()),
        ("size", size.is_some()),
        ("half", half.is_some()),
        ("points", points.is_some()),
        ("closed", closed.is_some()),
        ("vertices", vertices.is_some()),
        ("triangles", triangles.is_some()),
        ("file", file.is_some()),
        ("scale", scale.is_some()),
        ("heights", heights.is_some()),
        ("columns", columns.is_some()),
        ("rows", rows.is_some()),
        ("spacing", spacing.is_some()),
        ("normal", normal.is_some()),
        ("parts", parts.is_some()),
    ];
    all.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect()
}

impl Build<'_> {
    /// Makes all named shapes, compounds last.
    pub(super) fn shapes(&mut self) {
        let scene = self.scene;
        for compounds in [false, true] {
            for (name, spec) in &scene.shape {
                if (spec.kind == ShapeKind::Compound) != compounds {
                    continue;
                }
                let path = Path::of("shape").key(name);
                if let Some(built) = self.shape(&At::Path(&path), spec, None) {
                    self.shapes.insert(name.clone(), built);
                }
            }
        }
    }

    /// The shape that a body or part refers to; a shape that stands there itself may use i.
    pub(super) fn shape_ref(
        &mut self,
        at: &At<'_>,
        reference: &ShapeRef,
        copy: Option<usize>,
    ) -> Option<Arc<Built>> {
        let name = match reference {
            ShapeRef::Inline(spec) => return self.shape(at, spec, copy),
            ShapeRef::Name(name) => name,
        };
        let scene = self.scene;
        if !scene.shape.contains_key(name) {
            let hint = nearest(name, scene.shape.keys().map(String::as_str));
            let hint = hint.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
            let list = scene.shape.keys().cloned().collect::<Vec<_>>().join(", ");
            let list = if list.is_empty() { "no [shape.…] table".to_owned() } else { list };
            self.wrong(at, format!("no shape `{name}`{hint}; the scene has {list}"));
        }
        // Where it could not be made, that was reported at its own place.
        self.shapes.get(name).cloned()
    }

    fn shape(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<Arc<Built>> {
        if !self.keys_fit(at, spec) {
            return None;
        }
        let before = self.mistakes.len();
        let made = match self.dimension {
            Dimension::Plane => self.plane_shape(at, spec, copy)?.map(Form::Plane),
            Dimension::Space => self.space_shape(at, spec, copy)?.map(Form::Space),
        };
        match made {
            Ok(_) if self.mistakes.len() > before => None,
            Ok(form) => {
                let solid = Solid::of(&form);
                Some(Arc::new(Built { form, solid }))
            }
            Err(error) => {
                self.wrong(at, format!("{}: {error}", spec.kind.word()));
                None
            }
        }
    }

    /// Whether the type exists here and all keys go with it.
    fn keys_fit(&mut self, at: &At<'_>, spec: &Shape) -> bool {
        let word = spec.kind.word();
        let Some(keys) = keys_of(spec.kind, self.dimension) else {
            let (why, list) = match self.dimension {
                Dimension::Plane => ("space", IN_THE_PLANE),
                Dimension::Space => ("the plane", IN_SPACE),
            };
            let where_ = self.dimension_text();
            self.wrong(
                &at.key("type"),
                format!("`{word}` is a shape of {why}, but {where_}; one of {list}"),
            );
            return false;
        };
        let extra: Vec<&str> = given(spec).into_iter().filter(|key| !keys.contains(key)).collect();
        for key in &extra {
            self.wrong(
                &at.key(key),
                format!("`{key}` does not go with `{word}`, which takes {}", keys.join(", ")),
            );
        }
        extra.is_empty()
    }

    /// A quantity that the type needs.
    fn needed(
        &mut self,
        at: &At<'_>,
        key: &str,
        quantity: Option<&Quantity>,
        copy: Option<usize>,
    ) -> Option<f64> {
        match quantity {
            Some(quantity) => self.value(&at.key(key), quantity, copy),
            None => {
                self.wrong(at, format!("key `{key}` is missing"));
                None
            }
        }
    }

    /// Half sides of a box.
    fn half_sides(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<DVec3> {
        match (&spec.size, &spec.half) {
            (Some(size), None) => Some(0.5 * self.point(&at.key("size"), Some(size), copy, DVec3::ONE)?),
            (None, Some(half)) => self.point(&at.key("half"), Some(half), copy, DVec3::ONE),
            _ => {
                self.wrong(at, "a box has exactly one of `size` (full sides) and `half`".into());
                None
            }
        }
    }

    /// Half length and radius.
    fn round(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<(f64, f64)> {
        let length = self.needed(at, "length", spec.length.as_ref(), copy);
        let radius = self.needed(at, "radius", spec.radius.as_ref(), copy);
        Some((0.5 * length?, radius?))
    }

    fn points(
        &mut self,
        at: &At<'_>,
        key: &str,
        list: Option<&Vec<Vec<Quantity>>>,
        copy: Option<usize>,
    ) -> Option<Vec<DVec3>> {
        let Some(list) = list else {
            self.wrong(at, format!("key `{key}` is missing"));
            return None;
        };
        let at = at.key(key);
        let found: Vec<Option<DVec3>> = list
            .iter()
            .enumerate()
            .map(|(k, point)| self.point(&at.entry(k), Some(point), copy, DVec3::ZERO))
            .collect();
        found.into_iter().collect()
    }

    fn plane_shape(
        &mut self,
        at: &At<'_>,
        spec: &Shape,
        copy: Option<usize>,
    ) -> Option<Result<planar::Shape, ShapeError>> {
        use planar::Shape as Plane;
        let flat = |points: Vec<DVec3>| points.iter().map(|p| [p.x, p.y]).collect::<Vec<_>>();
        Some(match spec.kind {
            ShapeKind::Ball => Plane::ball(self.needed(at, "radius", spec.radius.as_ref(), copy)?),
            ShapeKind::Capsule => {
                let (half, radius) = self.round(at, spec, copy)?;
                Plane::capsule(half, radius)
            }
            ShapeKind::Polygon => {
                Plane::polygon(&flat(self.points(at, "points", spec.points.as_ref(), copy)?))
            }
            ShapeKind::Chain => {
                let points = flat(self.points(at, "points", spec.points.as_ref(), copy)?);
                Plane::chain(&points, spec.closed.unwrap_or(false))
            }
            ShapeKind::HeightField => {
                let grid = self.grid(at, spec, copy)?;
                Plane::height_field(&grid.heights, grid.spacing[0])
            }
            ShapeKind::HalfPlane => {
                let n = self.normal(at, spec, copy)?;
                Plane::half_plane([n.x, n.y])
            }
            ShapeKind::Compound => {
                let parts = self.compound(at, spec, copy)?;
                let part = |(position, rotation, built): &(DVec3, DQuat, Arc<Built>)| match &built.form {
                    Form::Plane(shape) => Some((planar_pose(*position, *rotation), shape.clone())),
                    Form::Space(_) => None,
                };
                Plane::compound(&parts.iter().filter_map(part).collect::<Vec<_>>())
            }
            _ => {
                let half = self.half_sides(at, spec, copy)?;
                Plane::rectangle([half.x, half.y])
            }
        })
    }

    fn space_shape(
        &mut self,
        at: &At<'_>,
        spec: &Shape,
        copy: Option<usize>,
    ) -> Option<Result<spatial::Shape, ShapeError>> {
        use spatial::Shape as Space;
        Some(match spec.kind {
            ShapeKind::Ball => Space::ball(self.needed(at, "radius", spec.radius.as_ref(), copy)?),
            ShapeKind::Capsule | ShapeKind::Cylinder | ShapeKind::Cone => {
                let (half, radius) = self.round(at, spec, copy)?;
                match spec.kind {
                    ShapeKind::Capsule => Space::capsule(half, radius),
                    ShapeKind::Cylinder => Space::cylinder(half, radius),
                    _ => Space::cone(half, radius),
                }
            }
            ShapeKind::Hull => Space::hull(&self.hull_points(at, spec, copy)?),
            ShapeKind::Mesh => {
                let Triangles { vertices, triangles } = self.triangles(at, spec, copy)?;
                Space::mesh(&vertices, &triangles)
            }
            ShapeKind::HeightField => {
                let grid = self.grid(at, spec, copy)?;
                Space::height_field(grid.heights, grid.columns, grid.rows, grid.spacing)
            }
            ShapeKind::HalfSpace => Space::half_space(self.normal(at, spec, copy)?.to_array()),
            ShapeKind::Compound => {
                let parts = self.compound(at, spec, copy)?;
                let part = |(position, rotation, built): &(DVec3, DQuat, Arc<Built>)| match &built.form {
                    Form::Space(shape) => Some((spatial_pose(*position, *rotation), shape.clone())),
                    Form::Plane(_) => None,
                };
                Space::compound(&parts.iter().filter_map(part).collect::<Vec<_>>())
            }
            _ => Space::cuboid(self.half_sides(at, spec, copy)?.to_array()),
        })
    }

    fn normal(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<DVec3> {
        if spec.normal.is_none() {
            self.wrong(at, "key `normal` is missing".into());
            return None;
        }
        self.point(&at.key("normal"), spec.normal.as_ref(), copy, DVec3::Z)
    }

    /// Places and shapes of the parts of a compound.
    fn compound(
        &mut self,
        at: &At<'_>,
        spec: &Shape,
        copy: Option<usize>,
    ) -> Option<Vec<(DVec3, DQuat, Arc<Built>)>> {
        let at = at.key("parts");
        let mut parts = Vec::new();
        let given = spec.parts.as_deref().unwrap_or_default();
        for (k, part) in given.iter().enumerate() {
            let at = at.entry(k);
            if let ShapeRef::Name(name) = &part.shape
                && self.scene.shape.get(name).is_some_and(|s| s.kind == ShapeKind::Compound)
            {
                self.wrong(&at.key("shape"), "a compound cannot be part of a compound".into());
                continue;
            }
            let shape = self.shape_ref(&at.key("shape"), &part.shape, copy);
            let position = self.point(&at.key("position"), part.position.as_ref(), copy, DVec3::ZERO);
            let rotation = self.orientation(&at.key("orientation"), part.orientation.as_ref(), copy);
            parts.extend(position.zip(rotation).zip(shape).map(|((p, r), s)| (p, r, s)));
        }
        (parts.len() == given.len()).then_some(parts)
    }

    fn hull_points(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<Vec<[f64; 3]>> {
        match (&spec.points, &spec.file) {
            (Some(points), None) => {
                let points = self.points(at, "points", Some(points), copy)?;
                Some(points.iter().map(|p| p.to_array()).collect())
            }
            (None, Some(file)) => Some(self.triangle_file(at, spec, file, copy)?.vertices),
            _ => {
                self.wrong(at, "a hull has exactly one of `points` and `file`".into());
                None
            }
        }
    }

    fn triangles(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<Triangles> {
        match (&spec.file, &spec.vertices, &spec.triangles) {
            (Some(file), None, None) => self.triangle_file(at, spec, file, copy),
            (None, Some(vertices), Some(triangles)) => {
                let vertices = self.points(at, "vertices", Some(vertices), copy)?;
                let mut list = Vec::new();
                for (k, triangle) in triangles.iter().enumerate() {
                    match triangle[..] {
                        [a, b, c] => list.push([a, b, c]),
                        _ => {
                            let message =
                                format!("a triangle has three vertices, got {}", triangle.len());
                            self.wrong(&at.key("triangles").entry(k), message);
                        }
                    }
                }
                Some(Triangles {
                    vertices: vertices.iter().map(|p| p.to_array()).collect(),
                    triangles: list,
                })
            }
            _ => {
                self.wrong(at, "a mesh has either `file`, or `vertices` and `triangles`".into());
                None
            }
        }
    }

    fn triangle_file(
        &mut self,
        at: &At<'_>,
        spec: &Shape,
        file: &str,
        copy: Option<usize>,
    ) -> Option<Triangles> {
        let scale = self.scale(at, spec, copy)?;
        let at = at.key("file");
        let bytes = self.file(&at, file)?;
        let is_obj = file.to_ascii_lowercase().ends_with(".obj");
        let read = if is_obj { read_obj(&String::from_utf8_lossy(&bytes)) } else { read_stl(&bytes) };
        match read {
            Ok(mut triangles) => {
                triangles.vertices.iter_mut().flatten().for_each(|x| *x *= scale);
                Some(triangles)
            }
            Err(error) => {
                self.wrong(&at, format!("`{file}`: {error}"));
                None
            }
        }
    }

    /// The factor for lengths of a file.
    pub(super) fn scale(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<f64> {
        let scale = self.optional(&at.key("scale"), spec.scale.as_ref(), copy).ok()?.unwrap_or(1.0);
        if scale <= 0.0 {
            self.wrong(&at.key("scale"), format!("`scale` must be > 0, got {scale}"));
            return None;
        }
        Some(scale)
    }
}
