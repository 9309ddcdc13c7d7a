//! The bodies of a result file, frame by frame, ready to be drawn.

use super::RESULT_FILE;
use super::frames::{Columns, ends, frames, place, rows_of};
use super::playback_elastic::{Coloured, ElasticPlayback};
use crate::store::{Reader, StoreError};
use crate::views::contact_axes;
use glam::DVec3;
use nonsmooth_draw::framing::{Extent, LOOKED_AT, compose, reach};
use nonsmooth_draw::render::{
    Camera, Drawn, DrawnContact, Ground, Image, Picture, RenderError, band_colour, draw,
};
use nonsmooth_geometry::spatial::Pose;
use nonsmooth_geometry::{Detail, KINDS, ShapeError, SurfaceMesh, planar, spatial};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Segments of a circle of a body in space, whose rim the shading hides.
const SEGMENTS: u32 = 24;
/// Times as many in the plane, where a circle is an outline and costs one triangle for each.
const FINER_IN_THE_PLANE: u32 = 5;
/// Bodies from which surfaces are coarser, and their segments.
const MANY: (usize, u32) = (2000, 12);

/// Why a run cannot be shown.
#[derive(Debug, Error)]
pub enum PlaybackError {
    /// The file cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// There is nothing to draw.
    #[error("{path} has neither rigid nor elastic bodies; pictures show bodies only")]
    NoBodies {
        /// The file.
        path: PathBuf,
    },
    /// A frame that does not exist.
    #[error("there is no frame {frame}: the file has {n} frames, 0 to {}", n.saturating_sub(1))]
    NoFrame {
        /// What was asked for.
        frame: usize,
        /// How many there are.
        n: usize,
    },
    /// Something that is not known of elastic bodies.
    #[error("no `{name}` is known of elastic bodies here; there are {known}")]
    NoQuantity {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Colours without anything to be coloured.
    #[error("the run has no elastic bodies, so that there is nothing to colour")]
    NoElastic,
    /// The tables do not agree.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The picture cannot be drawn.
    #[error("{0}")]
    Render(#[from] RenderError),
}

/// A result file with bodies.
pub struct Playback {
    reader: Reader,
    title: String,
    is_plane: bool,
    times: Vec<f64>,
    /// Where the rows in `bodies` and in `contacts` end, by frame.
    ends: [Vec<u64>; 2],
    /// Numbers of bodies by name.
    numbers: HashMap<String, usize>,
    surfaces: Vec<SurfaceMesh>,
    /// Surface and place of the colliders of each body.
    colliders: Colliders,
    /// Poses of the kinematic bodies that do not move, by body.
    fixed: Vec<(usize, Pose)>,
    n_moving: usize,
    /// Half-spaces, with their bodies and places on them.
    planes: Planes,
    /// Shapes that are seen from above, by their number.
    is_land: Vec<bool>,
    /// Shapes without end.
    is_endless: Vec<bool>,
    elastic: Option<ElasticPlayback>,
}

/// How a frame is looked at.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Width and height [px].
    pub size: (u32, u32),
    /// Direction of view; by default from the front, above and a little from the side.
    pub direction: Option<[f64; 3]>,
    /// Whether contact forces are drawn.
    pub forces: bool,
    /// What colours elastic bodies: a column of `elastic_values` or a stress; by default the stress of von Mises.
    pub colour: Option<String>,
    /// Factor of the displacements of elastic bodies [–].
    pub exaggerated: f64,
}

/// From the front, above and a little from the side.
const FROM_ABOVE: [f64; 3] = [-0.45, 1.0, -0.45];
/// The same, higher: a height field is seen from above.
const FROM_HIGH: [f64; 3] = [-0.45, 1.0, -0.8];

impl Playback {
    /// Opens the results in a folder, or a result file.
    pub fn open(path: &Path) -> Result<Self, PlaybackError> {
        let path = if path.is_dir() { path.join(RESULT_FILE) } else { path.to_owned() };
        let reader = Reader::open(&path)?;
        let elastic = ElasticPlayback::open(&reader)?;
        let has_bodies = reader.table("bodies").is_ok();
        if !has_bodies && elastic.is_none() {
            return Err(PlaybackError::NoBodies { path });
        }
        if !has_bodies {
            return Self::without_bodies(reader, elastic);
        }
        let damaged = |what: String| PlaybackError::Damaged { path: path.clone(), what };
        let text = |key: &str| reader.texts().get(key).cloned().unwrap_or_default();
        let (title, names) = (text("title"), text("bodies"));
        let numbers = names.lines().enumerate().map(|(i, name)| (name.to_owned(), i)).collect();
        let times = frames(&reader, "t")?;
        let ends = [ends(&reader, "bodies_end")?, ends(&reader, "contacts_end")?];
        let n_moving = reader.table("body_masses")?.rows as usize;
        let detail = if n_moving >= MANY.0 { MANY.1 } else { SEGMENTS };
        let kinematic = reader.floats("kinematic_bodies")?;
        let n_bodies = n_moving + rows(&kinematic).count();
        let Shapes { shapes, is_land, depth } =
            read_shapes(&reader).map_err(|e| damaged(e.to_string()))?;
        let surfaces: Vec<SurfaceMesh> =
            shapes.iter().map(|shape| shape.surface(detail, depth)).collect();
        let still = rows(&kinematic).map(|row| (row[0] == 0.0).then(|| pose(&row[1..])));
        let fixed = still.enumerate().filter_map(|(k, at)| Some((n_moving + k, at?))).collect();
        let (colliders, planes) = read_colliders(&reader, &shapes, n_bodies)?.map_err(damaged)?;
        Ok(Self {
            is_plane: (!shapes.is_empty() || elastic.is_some())
                && shapes.iter().all(|s| matches!(s, Kind::Plane(_)))
                && elastic.as_ref().is_none_or(ElasticPlayback::is_plane),
            is_endless: shapes.iter().map(|shape| shape.outer_radius().is_infinite()).collect(),
            reader,
            title,
            times,
            ends,
            numbers,
            surfaces,
            colliders,
            fixed,
            n_moving,
            planes,
            is_land,
            elastic,
        })
    }

    /// Results with elastic bodies alone.
    fn without_bodies(reader: Reader, elastic: Option<ElasticPlayback>) -> Result<Self, PlaybackError> {
        Ok(Self {
            is_plane: elastic.as_ref().is_some_and(ElasticPlayback::is_plane),
            title: reader.texts().get("title").cloned().unwrap_or_default(),
            times: frames(&reader, "t")?,
            ends: [ends(&reader, "bodies_end")?, ends(&reader, "contacts_end")?],
            numbers: HashMap::new(),
            surfaces: Vec::new(),
            colliders: Vec::new(),
            fixed: Vec::new(),
            n_moving: 0,
            planes: Vec::new(),
            is_land: Vec::new(),
            is_endless: Vec::new(),
            reader,
            elastic,
        })
    }

    /// Times of the frames [s].
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The frame nearest to a time [s].
    pub fn nearest(&self, t: f64) -> usize {
        let away = |k: &usize| (self.times[*k] - t).abs();
        (0..self.times.len()).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0)
    }

    /// Draws a frame.
    pub fn draw(&self, frame: usize, shot: &Shot) -> Result<Image, PlaybackError> {
        let n = self.times.len();
        if frame >= n {
            return Err(PlaybackError::NoFrame { frame, n });
        }
        let Coloured { surfaces: coloured, places: own_places, bar } = self.coloured(frame, shot)?;
        let mut placed = self.poses(frame)?;
        placed.extend(self.fixed.iter().copied());
        let mut course = self.course()?;
        own_places.iter().for_each(|x| course.add(x.to_array(), 0.0));
        let near = course.grown();
        let (mut bodies, mut around, mut high) = (Vec::new(), Vec::new(), false);
        for (body, at) in &placed {
            for (shape, own) in self.colliders.get(*body).into_iter().flatten() {
                let (surface, at) = (&self.surfaces[*shape], compose(at, own));
                let moves = *body < self.n_moving;
                if !moves && !self.is_endless[*shape] {
                    near.points_of(surface, &at, &mut around);
                }
                high |= !moves && self.is_land[*shape];
                bodies.push(match (moves, surface.is_closed || self.is_land[*shape]) {
                    (true, _) => Drawn::moving(*body, surface, at),
                    (false, true) => Drawn::fixed(surface, at),
                    (false, false) => Drawn::glass(surface, at),
                });
            }
        }
        for (band, surface) in coloured.iter().enumerate().filter(|(_, s)| !s.triangles.is_empty()) {
            let pose = Pose { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };
            bodies.push(Drawn { colour: band_colour(band), ..Drawn::moving(0, surface, pose) });
        }
        let ground = self.planes.iter().find_map(|(body, half, own)| {
            let (_, at) = placed.iter().find(|(other, _)| other == body)?;
            Ground::of(half, &compose(at, own)).filter(is_floor)
        });
        let contacts = if shot.forces { self.forces(frame)? } else { Vec::new() };
        let (title, t) = (self.title.clone(), Some(self.times[frame]));
        let picture = Picture { bodies, around, contacts, ground, title, t, bar, force_scale: None };
        let camera: Camera = if self.is_plane {
            picture.flat_camera(shot.direction.unwrap_or([0.0, 0.0, -1.0]), shot.size)
        } else {
            let usual = if high { FROM_HIGH } else { FROM_ABOVE };
            picture.camera(shot.direction.unwrap_or(usual), shot.size)
        };
        Ok(draw(&picture, &camera, shot.size)?)
    }

    /// The elastic bodies of a frame.
    fn coloured(&self, frame: usize, shot: &Shot) -> Result<Coloured, PlaybackError> {
        match &self.elastic {
            Some(elastic) => {
                elastic.frame(&self.reader, frame, (shot.colour.as_deref(), shot.exaggerated))
            }
            None if shot.colour.is_some() => Err(PlaybackError::NoElastic),
            None => Ok(Coloured::default()),
        }
    }

    /// The contacts of bodies in a frame, with the forces on their second bodies.
    fn forces(&self, frame: usize) -> Result<Vec<DrawnContact>, PlaybackError> {
        let names = ["x", "y", "z", "n_x", "n_y", "n_z", "f_n", "f_t1", "f_t2"];
        let columns = Columns::new(&self.reader, "contacts", names)?;
        let rows = columns.read(&self.reader, rows_of(&self.ends[1], frame))?;
        let contact = |row: usize| {
            let [x, y, z, n_x, n_y, n_z, f @ ..] = columns.floats(&rows, row);
            // Constraints between coordinates have no place.
            let axes = contact_axes([n_x, n_y, n_z], self.is_plane).map(DVec3::from_array);
            let force = f[0] * axes[0] + f[1] * axes[1] + f[2] * axes[2];
            let point = [x, y, z];
            x.is_finite().then(|| DrawnContact { point, force: force.to_array() })
        };
        Ok((0..rows.len()).filter_map(contact).collect())
    }

    /// Bodies and their places in a frame, kinematic bodies that move included.
    fn poses(&self, frame: usize) -> Result<Vec<(usize, Pose)>, PlaybackError> {
        if self.numbers.is_empty() {
            return Ok(Vec::new());
        }
        let columns = Columns::new(&self.reader, "bodies", ["x", "y", "z", "q_w", "q_x", "q_y", "q_z"])?;
        let name = place(&self.reader, "bodies", "body")?;
        let rows = columns.read(&self.reader, rows_of(&self.ends[0], frame))?;
        let placed = |row: usize| {
            let number = *self.numbers.get(rows.text(row, name))?;
            Some((number, pose(&columns.floats(&rows, row))))
        };
        Ok((0..rows.len()).filter_map(placed).collect())
    }

    /// Where the moving bodies are in the run, by some of its frames.
    fn course(&self) -> Result<Extent, PlaybackError> {
        let (mut course, n) = (Extent::NONE, self.times.len());
        let reaches: Vec<f64> =
            self.colliders[..self.n_moving].iter().map(|own| reach(own, &self.surfaces)).collect();
        for k in 0..n.min(LOOKED_AT) {
            let frame = if n <= LOOKED_AT { k } else { k * (n - 1) / (LOOKED_AT - 1) };
            for (body, at) in self.poses(frame)? {
                if let Some(reach) = reaches.get(body) {
                    course.add(at.position, *reach);
                }
            }
        }
        Ok(course)
    }
}

/// Whether a plane may be drawn as the ground one stands on: within 60° of level.
fn is_floor(ground: &Ground) -> bool {
    ground.normal[2] > 0.5
}

enum Kind {
    Plane(planar::Shape),
    Space(spatial::Shape),
}

impl Kind {
    fn surface(&self, segments: u32, depth: f64) -> SurfaceMesh {
        match self {
            Kind::Plane(shape) => shape.surface_mesh(&Detail::of(FINER_IN_THE_PLANE * segments), depth),
            Kind::Space(shape) if shape.half_space_normal().is_some() => SurfaceMesh::default(),
            Kind::Space(shape) => shape.surface_mesh(&Detail::of(segments)),
        }
    }

    fn outer_radius(&self) -> f64 {
        match self {
            Kind::Plane(shape) => shape.outer_radius(),
            Kind::Space(shape) => shape.outer_radius(),
        }
    }
}

/// The shapes of a file.
struct Shapes {
    shapes: Vec<Kind>,
    /// Whether they are seen from above.
    is_land: Vec<bool>,
    /// The thickness with which those of the plane are drawn [m].
    depth: f64,
}

fn read_shapes(reader: &Reader) -> Result<Shapes, ShapesError> {
    let (kinds, sizes) = (reader.integers("shapes")?, reader.floats("shape_sizes")?);
    let vertices: Vec<[f64; 3]> =
        rows(&reader.floats("shape_vertices")?).map(|v| [v[0], v[1], v[2]]).collect();
    let triangles: Vec<[u32; 3]> = rows(&reader.integers("shape_triangles")?)
        .map(|t| [t[0], t[1], t[2]].map(|k| k as u32))
        .collect();
    let (mut shapes, mut is_land, mut first) = (Vec::new(), Vec::new(), [0, 0]);
    for (row, size) in rows(&kinds).zip(rows(&sizes)) {
        let (is_plane, ends) = (row[1] == 1, [row[2] as usize, row[3] as usize]);
        let kind = KINDS.get(row[0] as usize).copied().unwrap_or("");
        let vertices = vertices.get(first[0]..ends[0]).unwrap_or_default();
        let triangles = triangles.get(first[1]..ends[1]).unwrap_or_default();
        first = ends;
        is_land.push(!is_plane && kind == "height-field");
        shapes.push(if is_plane {
            Kind::Plane(plane_shape(kind, size, vertices)?)
        } else {
            Kind::Space(space_shape(kind, size, vertices, triangles)?)
        });
    }
    let least =
        shapes.iter().map(Kind::outer_radius).filter(|r| r.is_finite()).fold(f64::INFINITY, f64::min);
    Ok(Shapes { shapes, is_land, depth: if least.is_finite() { 0.5 * least } else { 1.0 } })
}

/// Shape and place of the colliders of each body.
type Colliders = Vec<Vec<(usize, Pose)>>;
/// Half-spaces, with their bodies and places on them.
type Planes = Vec<(usize, spatial::Shape, Pose)>;

/// The colliders, half-spaces apart; or what is wrong with them.
fn read_colliders(
    reader: &Reader,
    shapes: &[Kind],
    n_bodies: usize,
) -> Result<Result<(Colliders, Planes), String>, StoreError> {
    let (mut colliders, mut planes) = (vec![Vec::new(); n_bodies], Vec::new());
    let (list, poses) = (reader.integers("colliders")?, reader.floats("collider_poses")?);
    for (row, at) in rows(&list).zip(rows(&poses)) {
        let (body, shape, own) = (row[0] as usize, row[1] as usize, pose(at));
        let Some(kind) = shapes.get(shape).filter(|_| body < n_bodies) else {
            return Ok(Err(format!("collider of body {body}, shape {shape}")));
        };
        match kind {
            Kind::Space(half) if half.half_space_normal().is_some() => {
                planes.push((body, half.clone(), own));
            }
            _ => colliders[body].push((shape, own)),
        }
    }
    Ok(Ok((colliders, planes)))
}

#[derive(Debug, Error)]
enum ShapesError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Shape(#[from] ShapeError),
    #[error("unknown shape `{0}`")]
    Unknown(String),
}

fn space_shape(
    kind: &str,
    size: &[f64],
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
) -> Result<spatial::Shape, ShapesError> {
    use spatial::Shape;
    Ok(match kind {
        "ball" => Shape::ball(size[0])?,
        "box" => Shape::cuboid([size[0], size[1], size[2]])?,
        "capsule" => Shape::capsule(size[0], size[1])?,
        "cylinder" => Shape::cylinder(size[0], size[1])?,
        "cone" => Shape::cone(size[0], size[1])?,
        "hull" => Shape::hull(vertices)?,
        "mesh" | "height-field" => Shape::mesh(vertices, triangles)?,
        "half-space" => Shape::half_space([size[0], size[1], size[2]])?,
        other => return Err(ShapesError::Unknown(other.to_owned())),
    })
}

fn plane_shape(kind: &str, size: &[f64], vertices: &[[f64; 3]]) -> Result<planar::Shape, ShapesError> {
    use planar::Shape;
    let points: Vec<[f64; 2]> = vertices.iter().map(|v| [v[0], v[1]]).collect();
    Ok(match kind {
        "ball" => Shape::ball(size[0])?,
        "box" => Shape::rectangle([size[0], size[1]])?,
        "capsule" => Shape::capsule(size[0], size[1])?,
        "polygon" => Shape::polygon(&points)?,
        "chain" | "height-field" => Shape::chain(&points, size[0] == 1.0)?,
        "half-space" => Shape::half_plane([size[0], size[1]])?,
        other => return Err(ShapesError::Unknown(other.to_owned())),
    })
}

fn rows<T>(table: &crate::store::Rows<T>) -> impl Iterator<Item = &[T]> {
    table.values.chunks_exact(table.width.max(1))
}

fn pose(row: &[f64]) -> Pose {
    Pose { position: [row[0], row[1], row[2]], rotation: [row[3], row[4], row[5], row[6]] }
}
