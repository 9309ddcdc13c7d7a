//! Tables of rigid bodies: shapes, parts and masses once; poses and contact points by frame.
//!
//! Poses and touches of frame k are the rows of `poses`, `pose_bodies` and `touches`, `touch_bodies` up to `poses_end` and
//! `touches_end` (exclusive) of its row in `body_frames`, beginning where those of the frame before end. Moving bodies
//! come first in the numbering, obstacles after them.

use super::recorder::{Fixed, RecordError, fixed};
use crate::store::{Kind, StoreError, TableSpec, Writer};
use nonsmooth::{Bodies, Dimension, Frame, Model, Placed, Placement, Symmetric, Touched};
use nonsmooth_geometry::{Description, KINDS, planar, spatial};
use std::collections::BTreeMap;

#[rustfmt::skip]
const TABLES: [Fixed; 12] = [
    ("shapes", Kind::Integer, &["type", "vertices_end", "triangles_end"],
     "", "type: a line of the root attribute `shape_types`; its vertices and triangles begin where those of the shape before end"),
    ("shape_sizes", Kind::Float, &["a", "b", "c"],
     "m", "of each shape: radius; half sides; half length and radius; outward normal; 1 for a closed chain"),
    ("shape_vertices", Kind::Float, &["x", "y", "z"],
     "m", "vertices of hulls, meshes, height fields, polygons and chains, in the frame of the shape"),
    ("shape_triangles", Kind::Integer, &["a", "b", "c"],
     "", "vertices of each triangle, counted from the first of its shape, counter-clockwise seen from outside"),
    ("parts", Kind::Integer, &["body", "shape", "material"],
     "", "pieces of bodies: names in the root attributes `bodies` and `materials`; obstacles are numbered after the moving bodies"),
    ("part_poses", Kind::Float, &["x", "y", "z", "q_w", "q_x", "q_y", "q_z"],
     "m, 1", "place of each part in the frame of its body, whose origin is the centre of mass (of an obstacle: its origin)"),
    ("body_masses", Kind::Float, &["mass", "i_xx", "i_yy", "i_zz", "i_xy", "i_xz", "i_yz", "born"],
     "kg, kg·m², s", "moving bodies: inertia about the centre of mass in body axes; born = -inf: from the start"),
    ("obstacles", Kind::Float, &["moves", "x", "y", "z", "q_w", "q_x", "q_y", "q_z"],
     "1, m, 1", "fixed and prescribed bodies: 1 if it moves, and its pose at the start"),
    ("poses", Kind::Float,
     &["x", "y", "z", "q_w", "q_x", "q_y", "q_z", "v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"],
     "m, 1, m/s, rad/s", "bodies that are present and obstacles that move: centre of mass, rotation, velocity, angular velocity in body axes"),
    ("pose_bodies", Kind::Integer, &["body"], "", "body of each row of poses"),
    ("touches", Kind::Float,
     &["x", "y", "z", "n_x", "n_y", "n_z", "t_x", "t_y", "t_z", "gap",
       "p_n", "p_t1", "p_t2", "f_n", "f_t1", "f_t2"],
     "m, 1, 1, m, N·s, N", "contact points of the step that led to a frame: point, normal from the first body to the second and tangent 1 (tangent 2 = n × t), gap at its start, impulse on the second body, force = impulse / step size"),
    ("touch_bodies", Kind::Integer, &["a", "b"], "", "the two bodies of each row of touches"),
];
const FRAMES_TABLE: Fixed = (
    "body_frames",
    Kind::Integer,
    &["poses_end", "touches_end", "present", "impacts"],
    "",
    "one row per frame: ends of its poses and touches, bodies that are present, points that began to carry an impulse in its step",
);

/// Names of the tables of bodies.
pub(super) const NAMES: [&str; 13] = [
    "shapes",
    "shape_sizes",
    "shape_vertices",
    "shape_triangles",
    "parts",
    "part_poses",
    "body_masses",
    "obstacles",
    "poses",
    "pose_bodies",
    "touches",
    "touch_bodies",
    "body_frames",
];

/// Places in `TABLES`, from the first table of bodies.
const SHAPES: usize = 0;
const SIZES: usize = 1;
const VERTICES: usize = 2;
const TRIANGLES: usize = 3;
const PARTS: usize = 4;
const PART_POSES: usize = 5;
const MASSES: usize = 6;
const OBSTACLES: usize = 7;
const POSES: usize = 8;
const POSE_BODIES: usize = 9;
const TOUCHES: usize = 10;
const TOUCH_BODIES: usize = 11;
const FRAMES: usize = 12;

/// Whether the model has anything to write.
pub(super) fn has_bodies(model: &Model) -> bool {
    !model.bodies.names.is_empty()
}

/// The tables of bodies.
pub(super) fn specs() -> impl Iterator<Item = TableSpec> {
    TABLES.into_iter().chain([FRAMES_TABLE]).map(fixed)
}

/// Root attributes.
pub(super) fn attributes(model: &Model, materials: &[String]) -> [(String, String); 4] {
    let dimension = match model.bodies.dimension {
        Dimension::Plane => "plane",
        Dimension::Space => "space",
    };
    [
        ("dimension".to_owned(), dimension.to_owned()),
        ("bodies".to_owned(), model.bodies.names.join("\n")),
        ("shape_types".to_owned(), KINDS.join("\n")),
        ("materials".to_owned(), materials.join("\n")),
    ]
}

/// Writes the tables of bodies, the first of which is table `first` of the file.
pub(super) struct BodyTables {
    first: usize,
}

impl BodyTables {
    pub(super) fn new(first: usize) -> Self {
        Self { first }
    }

    /// Writes what does not change.
    pub(super) fn begin(&self, writer: &mut Writer, model: &Model) -> Result<(), StoreError> {
        let bodies = &model.bodies;
        let mut known = BTreeMap::new();
        for part in &bodies.parts {
            for (pose, piece) in pieces(&part.part.placed) {
                let shape = match known.get(&piece.identity()) {
                    Some(number) => *number,
                    None => {
                        let number = known.len() as i64;
                        known.insert(piece.identity(), number);
                        self.shape(writer, &piece.describe())?;
                        number
                    }
                };
                let row = [i64::from(part.body), shape, part.part.material.0 as i64];
                writer.append_integers(self.first + PARTS, &row)?;
                writer.append(self.first + PART_POSES, &pose)?;
            }
        }
        for i in 0..bodies.n {
            let Symmetric(inertia) = bodies.inertia[i];
            let born = bodies.born.get(i).copied().unwrap_or(f64::NEG_INFINITY);
            let row = [&[bodies.mass[i]][..], &inertia, &[born]].concat();
            writer.append(self.first + MASSES, &row)?;
        }
        for obstacle in &bodies.obstacles {
            let moves = f64::from(u8::from(obstacle.motion.is_some()));
            let row = [&[moves][..], &obstacle.position, &obstacle.rotation].concat();
            writer.append(self.first + OBSTACLES, &row)?;
        }
        Ok(())
    }

    fn shape(&self, writer: &mut Writer, shape: &Description) -> Result<(), StoreError> {
        for vertex in &shape.vertices {
            writer.append(self.first + VERTICES, vertex)?;
        }
        for triangle in &shape.triangles {
            writer.append_integers(self.first + TRIANGLES, &triangle.map(i64::from))?;
        }
        let kind = KINDS.iter().position(|kind| *kind == shape.kind).map_or(-1, |k| k as i64);
        let row = [kind, self.rows(writer, VERTICES), self.rows(writer, TRIANGLES)];
        writer.append_integers(self.first + SHAPES, &row)?;
        writer.append(self.first + SIZES, &shape.sizes)
    }

    fn rows(&self, writer: &Writer, table: usize) -> i64 {
        writer.rows(self.first + table).unwrap_or(0) as i64
    }

    /// Writes the contact points of the step that led to a frame.
    pub(super) fn touches(&self, writer: &mut Writer, frame: &Frame<'_>) -> Result<(), StoreError> {
        let (touches, h) = (&frame.log.touches, frame.after.step_size);
        for i in 0..touches.len() {
            writer.append(self.first + TOUCHES, &touch_row(touches, i, h))?;
            let [a, b] = touches.bodies[i];
            writer.append_integers(self.first + TOUCH_BODIES, &[i64::from(a), i64::from(b)])?;
        }
        Ok(())
    }

    /// Writes the poses of a frame and its row of ends.
    pub(super) fn frame(
        &self,
        writer: &mut Writer,
        (model, state): (&Model, &nonsmooth::State),
        impacts: usize,
    ) -> Result<(), RecordError> {
        let bodies = &model.bodies;
        let mut present = 0;
        for i in (0..bodies.n).filter(|&i| bodies.is_present(state, i)) {
            present += 1;
            self.pose(writer, bodies, i, &bodies.placement(state, i))?;
        }
        for (k, _) in bodies.obstacles.iter().enumerate().filter(|(_, o)| o.motion.is_some()) {
            self.pose(writer, bodies, bodies.n + k, &bodies.obstacle(k, state.t)?)?;
        }
        let ends = [self.rows(writer, POSES), self.rows(writer, TOUCHES)];
        writer.append_integers(self.first + FRAMES, &[ends[0], ends[1], present, impacts as i64])?;
        Ok(())
    }

    fn pose(
        &self,
        writer: &mut Writer,
        bodies: &Bodies,
        number: usize,
        at: &Placement,
    ) -> Result<(), StoreError> {
        let (x, q, v) = (at.position, at.rotation, at.velocity);
        let omega = bodies.to_body(q, at.spin);
        let row = [x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, omega.x, omega.y, omega.z];
        writer.append(self.first + POSES, &row)?;
        writer.append_integers(self.first + POSE_BODIES, &[number as i64])
    }
}

fn touch_row(touches: &Touched, i: usize, h: f64) -> [f64; 16] {
    let [normal, tangent, _] = touches.frame(i);
    let (x, p) = (touches.points[i], touches.impulses[i]);
    let force = p.map(|p| p / h);
    let mut row = [0.0; 16];
    let parts = [x, normal, tangent, [touches.gaps[i], p[0], p[1]], [p[2], force[0], force[1]]];
    row[..15].copy_from_slice(parts.as_flattened());
    row[15] = force[2];
    row
}

/// A simple shape of the plane or of space.
enum Piece {
    Plane(planar::Shape),
    Space(spatial::Shape),
}

impl Piece {
    fn identity(&self) -> [u64; 4] {
        match self {
            Piece::Plane(shape) => shape.identity(),
            Piece::Space(shape) => shape.identity(),
        }
    }

    fn describe(&self) -> Description {
        match self {
            Piece::Plane(shape) => shape.describe(),
            Piece::Space(shape) => shape.describe(),
        }
    }
}

/// The simple shapes of a part with their poses (position, quaternion) in the frame of the body.
fn pieces(placed: &Placed) -> Vec<([f64; 7], Piece)> {
    match placed {
        Placed::Plane(shape, own) => {
            let piece = |(at, piece): (planar::Pose, planar::Shape)| {
                let (sine, cosine) = own.angle.sin_cos();
                let [x, y] = at.position;
                let (half, [a, b]) = (0.5 * (own.angle + at.angle), own.position);
                let x = [a + cosine * x - sine * y, b + sine * x + cosine * y];
                ([x[0], x[1], 0.0, half.cos(), 0.0, 0.0, half.sin()], Piece::Plane(piece))
            };
            shape.pieces().into_iter().map(piece).collect()
        }
        Placed::Space(shape, own) => {
            let piece = |(at, piece): (spatial::Pose, spatial::Shape)| {
                let turn = quaternion(own.rotation);
                let x =
                    glam::DVec3::from_array(own.position) + turn * glam::DVec3::from_array(at.position);
                let q = turn * quaternion(at.rotation);
                ([x.x, x.y, x.z, q.w, q.x, q.y, q.z], Piece::Space(piece))
            };
            shape.pieces().into_iter().map(piece).collect()
        }
    }
}

fn quaternion([w, x, y, z]: [f64; 4]) -> glam::DQuat {
    glam::DQuat::from_xyzw(x, y, z, w).normalize()
}
