//! Tables of what does not change: shapes, colliders and masses of rigid bodies. Moving bodies come first in the numbering, kinematic
//! bodies after them.

use super::tables::{Fixed, fixed, rigid_names};
use crate::store::{Kind, StoreError, TableSpec, Writer};
use crate::views::identity;
use nonsmooth::Model;
use nonsmooth::model::rigid::{PosedShape, Symmetric};
use nonsmooth_geometry::{Description, KINDS};
use std::collections::BTreeMap;

#[rustfmt::skip]
const TABLES: [Fixed; 8] = [
    ("shapes", Kind::Integer, &["type", "planar", "vertices_end", "triangles_end"],
     "", "type: a line of the root attribute `shape_types`; 1 if it is in the plane; its vertices and triangles begin where those of the shape before end"),
    ("shape_sizes", Kind::Float, &["a", "b", "c"],
     "m", "of each shape: radius; half sides; half length and radius; outward normal; 1 for a closed chain"),
    ("shape_vertices", Kind::Float, &["x", "y", "z"],
     "m", "vertices of hulls, meshes, height fields, polygons and chains, in the frame of the shape"),
    ("shape_triangles", Kind::Integer, &["a", "b", "c"],
     "", "vertices of each triangle, counted from the first of its shape, counter-clockwise seen from outside"),
    ("colliders", Kind::Integer, &["body", "shape", "material"],
     "", "shapes on bodies: names in the root attributes `bodies` and `materials`; kinematic bodies are numbered after the moving ones"),
    ("collider_poses", Kind::Float, &["x", "y", "z", "q_w", "q_x", "q_y", "q_z"],
     "m, 1", "place of each collider in the axes of its body, whose origin is the centre of mass (of a kinematic body: its origin)"),
    ("body_masses", Kind::Float, &["mass", "i_xx", "i_yy", "i_zz", "i_xy", "i_xz", "i_yz", "appears_at", "planar"],
     "kg, kg·m², s, 1", "moving bodies: inertia about the centre of mass in body axes; appears_at = -inf: from the start; 1 if it moves in the plane"),
    ("kinematic_bodies", Kind::Float, &["moves", "x", "y", "z", "q_w", "q_x", "q_y", "q_z"],
     "1, m, 1", "fixed and prescribed bodies: 1 if it moves, and the pose of one that does not"),
];

/// Places in `TABLES`, which are the first tables of a file with bodies.
const SHAPES: usize = 0;
const SIZES: usize = 1;
const VERTICES: usize = 2;
const TRIANGLES: usize = 3;
const COLLIDERS: usize = 4;
const COLLIDER_POSES: usize = 5;
const MASSES: usize = 6;
const KINEMATIC: usize = 7;

/// Whether the model has anything to write.
pub(crate) fn has_bodies(model: &Model) -> bool {
    rigid_names(model).next().is_some()
}

/// The tables of bodies.
pub(super) fn specs() -> impl Iterator<Item = TableSpec> {
    TABLES.into_iter().map(fixed)
}

/// Root attributes.
pub(crate) fn attributes(model: &Model) -> [(String, String); 3] {
    let bodies: Vec<&str> = rigid_names(model).collect();
    [
        ("bodies".to_owned(), bodies.join("\n")),
        ("shape_types".to_owned(), KINDS.join("\n")),
        ("materials".to_owned(), model.rigid.materials.join("\n")),
    ]
}

/// Writes the tables of bodies.
pub(crate) fn write(writer: &mut Writer, model: &Model) -> Result<(), StoreError> {
    let rigid = &model.rigid;
    let mut known = BTreeMap::new();
    for row in &rigid.colliders {
        let (identity, pose) = identity(&row.collider.posed);
        let identity = (row.is_planar(), identity);
        let shape = match known.get(&identity) {
            Some(number) => *number,
            None => {
                let number = known.len() as i64;
                known.insert(identity, number);
                write_shape(writer, &row.collider.posed)?;
                number
            }
        };
        let material = row.collider.material.0 as i64;
        writer.append_integers(COLLIDERS, &[i64::from(row.on.0), shape, material])?;
        writer.append(COLLIDER_POSES, &[&pose.position[..], &pose.rotation].concat())?;
    }
    for body in &rigid.bodies {
        let Symmetric(inertia) = body.inertia;
        let last = [body.appears_at, f64::from(u8::from(body.planar))];
        writer.append(MASSES, &[&[body.mass][..], &inertia, &last].concat())?;
    }
    for body in &rigid.kinematic {
        let moves = f64::from(u8::from(body.motion.is_some()));
        let (x, q) = (body.at.position, body.at.rotation);
        writer.append(KINEMATIC, &[moves, x.x, x.y, x.z, q.w, q.x, q.y, q.z])?;
    }
    Ok(())
}

fn write_shape(writer: &mut Writer, posed: &PosedShape) -> Result<(), StoreError> {
    let (shape, planar): (Description, i64) = match posed {
        PosedShape::Space(shape, _) => (shape.describe(), 0),
        PosedShape::Plane(shape, _) => (shape.describe(), 1),
    };
    for vertex in &shape.vertices {
        writer.append(VERTICES, vertex)?;
    }
    for triangle in &shape.triangles {
        writer.append_integers(TRIANGLES, &triangle.map(i64::from))?;
    }
    let kind = KINDS.iter().position(|kind| *kind == shape.kind).map_or(-1, |k| k as i64);
    let rows = |table: usize| writer.rows(table).unwrap_or(0) as i64;
    let row = [kind, planar, rows(VERTICES), rows(TRIANGLES)];
    writer.append_integers(SHAPES, &row)?;
    writer.append(SIZES, &shape.sizes)
}
