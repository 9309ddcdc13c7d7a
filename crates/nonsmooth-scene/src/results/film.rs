//! The bodies of a result file, frame by frame, ready to be drawn.

use super::RESULT_FILE;
use super::framing::{Extent, LOOKED_AT, reach};
use crate::render::{Camera, Drawn, DrawnContact, Ground, Image, Picture, RenderError, draw};
use crate::store::{Reader, StoreError};
use glam::{DQuat, DVec3};
use nonsmooth_geometry::spatial::Pose;
use nonsmooth_geometry::{Detail, KINDS, ShapeError, Skin, planar, spatial};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Segments of a circle.
const SEGMENTS: u32 = 24;
/// Bodies from which surfaces are coarser, and their segments.
const MANY: (usize, u32) = (2000, 12);

/// Why a film cannot be shown.
#[derive(Debug, Error)]
pub enum FilmError {
    /// The file cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// There is nothing to draw.
    #[error("{path} has no rigid bodies; pictures show bodies only")]
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
pub struct Film {
    reader: Reader,
    title: String,
    is_plane: bool,
    times: Vec<f64>,
    /// Ends of poses and touches of each frame.
    ends: Vec<[u64; 2]>,
    skins: Vec<Skin>,
    /// Skin and place of the pieces of each body.
    pieces: Vec<Vec<(usize, Pose)>>,
    /// Poses of the obstacles that do not move, by body.
    fixed: Vec<(usize, Pose)>,
    n_moving: usize,
    /// Half-spaces, with their bodies and places on them.
    planes: Vec<(usize, spatial::Shape, Pose)>,
    /// Shapes that are seen from above, by their number.
    is_land: Vec<bool>,
    /// Shapes without end.
    is_endless: Vec<bool>,
}

/// How a frame is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Shot {
    /// Width and height [px].
    pub size: (u32, u32),
    /// Direction of view; by default from the front, above and a little from the side.
    pub direction: Option<[f64; 3]>,
    /// Whether contact forces are drawn.
    pub forces: bool,
}

/// From the front, above and a little from the side.
const FROM_ABOVE: [f64; 3] = [-0.45, 1.0, -0.45];
/// The same, higher: a height field is seen from above.
const FROM_HIGH: [f64; 3] = [-0.45, 1.0, -0.8];

impl Film {
    /// Opens the results in a folder, or a result file.
    pub fn open(path: &Path) -> Result<Self, FilmError> {
        let path = if path.is_dir() { path.join(RESULT_FILE) } else { path.to_owned() };
        let reader = Reader::open(&path)?;
        if reader.table("body_frames").is_err() {
            return Err(FilmError::NoBodies { path });
        }
        let damaged = |what: String| FilmError::Damaged { path: path.clone(), what };
        let text = |key: &str| reader.texts().get(key).cloned().unwrap_or_default();
        let (title, is_plane) = (text("title"), text("dimension") == "plane");
        let times: Vec<f64> = rows(&reader.floats("frames")?).map(|row| row[0]).collect();
        let frames = reader.integers("body_frames")?;
        let ends = rows(&frames).take(times.len()).map(|row| [row[0] as u64, row[1] as u64]).collect();
        let n_moving = reader.table("body_masses")?.rows as usize;
        let detail = if n_moving >= MANY.0 { MANY.1 } else { SEGMENTS };
        let obstacles = reader.floats("obstacles")?;
        let n_bodies = n_moving + reader.table("obstacles")?.rows as usize;
        let (shapes, is_land, depth) =
            read_shapes(&reader, is_plane).map_err(|e| damaged(e.to_string()))?;
        let skins: Vec<Skin> = shapes.iter().map(|shape| shape.skin(detail, depth)).collect();
        let mut pieces: Vec<Vec<(usize, Pose)>> = vec![Vec::new(); n_bodies];
        let still: Vec<Option<Pose>> =
            rows(&obstacles).map(|row| (row[0] == 0.0).then(|| pose(&row[1..]))).collect();
        let mut planes = Vec::new();
        for (part, at) in rows(&reader.integers("parts")?).zip(rows(&reader.floats("part_poses")?)) {
            let (body, shape) = (part[0] as usize, part[1] as usize);
            let own = pose(at);
            let Some(kind) = shapes.get(shape).filter(|_| body < n_bodies) else {
                return Err(damaged(format!("part of body {body}, shape {shape}")));
            };
            match kind {
                Kind::Space(half) if half.half_space_normal().is_some() => {
                    planes.push((body, half.clone(), own));
                }
                _ => pieces[body].push((shape, own)),
            }
        }
        let fixed =
            still.iter().enumerate().filter_map(|(k, at)| Some((n_moving + k, (*at)?))).collect();
        let is_endless = shapes.iter().map(|shape| shape.reach().is_infinite()).collect();
        Ok(Self {
            reader,
            title,
            is_plane,
            times,
            ends,
            skins,
            pieces,
            fixed,
            n_moving,
            planes,
            is_land,
            is_endless,
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
    pub fn draw(&self, frame: usize, shot: &Shot) -> Result<Image, FilmError> {
        let n = self.times.len();
        if frame >= n.min(self.ends.len()) {
            return Err(FilmError::NoFrame { frame, n });
        }
        let [_, touches_begin] = frame.checked_sub(1).map_or([0, 0], |before| self.ends[before]);
        let touches_end = self.ends[frame][1];
        let mut placed = self.poses(frame)?;
        placed.extend(self.fixed.iter().copied());
        let near = self.course()?.grown();
        let (mut bodies, mut around, mut high) = (Vec::new(), Vec::new(), false);
        for (body, at) in &placed {
            for (shape, own) in self.pieces.get(*body).into_iter().flatten() {
                let (skin, at) = (&self.skins[*shape], compose(at, own));
                let moves = *body < self.n_moving;
                if !moves && !self.is_endless[*shape] {
                    near.points_of(skin, &at, &mut around);
                }
                high |= !moves && self.is_land[*shape];
                bodies.push(match (moves, skin.is_closed || self.is_land[*shape]) {
                    (true, _) => Drawn::moving(*body, skin, at),
                    (false, true) => Drawn::fixed(skin, at),
                    (false, false) => Drawn::glass(skin, at),
                });
            }
        }
        let ground = self.planes.iter().find_map(|(body, half, own)| {
            let (_, at) = placed.iter().find(|(other, _)| other == body)?;
            Ground::of(half, &compose(at, own)).filter(is_floor)
        });
        let mut contacts = Vec::new();
        if shot.forces {
            let touches = self.reader.floats_in("touches", touches_begin..touches_end)?;
            contacts.extend(rows(&touches).map(force));
        }
        let (title, t) = (self.title.clone(), Some(self.times[frame]));
        let picture = Picture { bodies, around, contacts, ground, title, t, force_scale: None };
        let camera: Camera = if self.is_plane {
            picture.flat_camera(shot.direction.unwrap_or([0.0, 0.0, -1.0]), shot.size)
        } else {
            let usual = if high { FROM_HIGH } else { FROM_ABOVE };
            picture.camera(shot.direction.unwrap_or(usual), shot.size)
        };
        Ok(draw(&picture, &camera, shot.size)?)
    }

    /// Bodies and their places in a frame, obstacles that move included.
    fn poses(&self, frame: usize) -> Result<Vec<(usize, Pose)>, FilmError> {
        let begin = frame.checked_sub(1).map_or(0, |before| self.ends[before][0]);
        let range = begin..self.ends[frame][0];
        let poses = self.reader.floats_in("poses", range.clone())?;
        let owners = self.reader.integers_in("pose_bodies", range)?;
        let placed = rows(&poses).zip(rows(&owners));
        Ok(placed.map(|(row, body)| (body[0] as usize, pose(row))).collect())
    }

    /// Where the moving bodies are in the run, by some of its frames.
    fn course(&self) -> Result<Extent, FilmError> {
        let (mut course, n) = (Extent::NONE, self.ends.len());
        let reaches: Vec<f64> =
            self.pieces[..self.n_moving].iter().map(|pieces| reach(pieces, &self.skins)).collect();
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

/// A contact point with the force on its second body, or on the first where it stands on the second.
fn force(row: &[f64]) -> DrawnContact {
    let vector = |k: usize| DVec3::from_slice(&row[k..k + 3]);
    let (normal, tangent) = (vector(3), vector(6));
    let force = row[13] * normal + row[14] * tangent + row[15] * normal.cross(tangent);
    DrawnContact { point: [row[0], row[1], row[2]], force: force.to_array() }
}

enum Kind {
    Plane(planar::Shape),
    Space(spatial::Shape),
}

impl Kind {
    fn skin(&self, segments: u32, depth: f64) -> Skin {
        let detail = Detail::of(segments);
        match self {
            Kind::Plane(shape) => shape.skin(&detail, depth),
            Kind::Space(shape) if shape.half_space_normal().is_some() => Skin::default(),
            Kind::Space(shape) => shape.skin(&detail),
        }
    }

    fn reach(&self) -> f64 {
        match self {
            Kind::Plane(shape) => shape.reach(),
            Kind::Space(shape) => shape.reach(),
        }
    }
}

/// The shapes, whether they are seen from above, and the thickness with which those of the plane are drawn [m].
fn read_shapes(reader: &Reader, is_plane: bool) -> Result<(Vec<Kind>, Vec<bool>, f64), ShapesError> {
    let (kinds, sizes) = (reader.integers("shapes")?, reader.floats("shape_sizes")?);
    let vertices: Vec<[f64; 3]> =
        rows(&reader.floats("shape_vertices")?).map(|v| [v[0], v[1], v[2]]).collect();
    let triangles: Vec<[u32; 3]> = rows(&reader.integers("shape_triangles")?)
        .map(|t| [t[0], t[1], t[2]].map(|k| k as u32))
        .collect();
    let (mut shapes, mut is_land, mut first) = (Vec::new(), Vec::new(), [0, 0]);
    for (row, size) in rows(&kinds).zip(rows(&sizes)) {
        let ends = [row[1] as usize, row[2] as usize];
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
    let least = shapes.iter().map(Kind::reach).filter(|r| r.is_finite()).fold(f64::INFINITY, f64::min);
    Ok((shapes, is_land, if least.is_finite() { 0.5 * least } else { 1.0 }))
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

/// The place of a piece in the world.
pub(super) fn compose(at: &Pose, own: &Pose) -> Pose {
    let turn = |[w, x, y, z]: [f64; 4]| DQuat::from_xyzw(x, y, z, w).normalize();
    let (a, b) = (turn(at.rotation), turn(own.rotation));
    let position = DVec3::from_array(at.position) + a * DVec3::from_array(own.position);
    let q = a * b;
    Pose { position: position.to_array(), rotation: [q.w, q.x, q.y, q.z] }
}
