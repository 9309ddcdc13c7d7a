//! Tables of elastic bodies: nodes and triangles of their meshes, and in each frame what is known of every node.

use super::tables::{Fixed, fixed};
use crate::meshed::{MeshedBody, NodeValues};
use crate::store::{Kind, StoreError, TableSpec, Writer};
use nonsmooth::{Model, State, StepLog};

/// Names of the tables.
pub(super) const NODES: &str = "elastic_nodes";
pub(super) const TRIANGLES: &str = "elastic_triangles";
pub(crate) const VALUES: &str = "elastic_values";

/// Columns of the values; those of stresses have the names of the root attribute `elastic_stresses`.
pub(super) const COLUMNS: [&str; 15] = [
    "t",
    "body",
    "node",
    "u_x",
    "u_y",
    "u_z",
    "s_1",
    "s_2",
    "s_3",
    "s_4",
    "s_5",
    "s_6",
    "mises",
    "pressure",
    "slip_rate",
];

const TABLES: [Fixed; 3] = [
    (
        NODES,
        Kind::Float,
        &["body", "x", "y", "z"],
        "1, m",
        "nodes of the meshes of elastic bodies, body by body: a line of the root attribute `elastic_bodies`, and the place without displacement",
    ),
    (
        TRIANGLES,
        Kind::Integer,
        &["body", "a", "b", "c"],
        "",
        "their surfaces as triangles of nodes, counted from the first node of the body; of lines the second node twice",
    ),
    (
        VALUES,
        Kind::Float,
        &COLUMNS,
        "s, 1, m, Pa, m/s",
        "nodes of elastic bodies at a frame, as many rows for each: displacement, stresses by the root attribute `elastic_stresses` (of beams N and N·m), stress of von Mises, contact pressure less the pull of glue, sliding velocity of what carries",
    ),
];

/// The tables, if there are elastic bodies.
pub(super) fn specs(elastic: &[MeshedBody]) -> Vec<TableSpec> {
    if elastic.is_empty() { Vec::new() } else { TABLES.into_iter().map(fixed).collect() }
}

/// Root attributes: names of the bodies, and those of their stresses.
pub(crate) fn attributes(elastic: &[MeshedBody]) -> Vec<(String, String)> {
    if elastic.is_empty() {
        return Vec::new();
    }
    let lines =
        |of: &dyn Fn(&MeshedBody) -> String| elastic.iter().map(of).collect::<Vec<_>>().join("\n");
    let stresses = |body: &MeshedBody| body.body.formulation().stresses().join(",");
    vec![
        ("elastic_bodies".to_owned(), lines(&|body| body.name.clone())),
        ("elastic_stresses".to_owned(), lines(&stresses)),
    ]
}

/// Writes nodes and triangles.
pub(crate) fn write(writer: &mut Writer, elastic: &[MeshedBody]) -> Result<(), StoreError> {
    let (Some(nodes), Some(triangles)) = (writer.index(NODES), writer.index(TRIANGLES)) else {
        return Ok(());
    };
    for (k, body) in elastic.iter().enumerate() {
        for x in &body.body.mesh.nodes {
            writer.append(nodes, &[k as f64, x.x, x.y, x.z])?;
        }
        for triangle in body.triangles() {
            let [a, b, c] = triangle.map(i64::from);
            writer.append_integers(triangles, &[k as i64, a, b, c])?;
        }
    }
    Ok(())
}

/// Writes the rows of a frame.
pub(crate) fn append_values(
    writer: &mut Writer,
    table: usize,
    elastic: &[MeshedBody],
    (model, state, log): (&Model, &State, Option<&StepLog>),
) -> Result<(), StoreError> {
    for (k, body) in elastic.iter().enumerate() {
        let values = body.values(model, state, log.map(|log| &log.constraints));
        for (a, value) in values.into_iter().enumerate() {
            let NodeValues { displacement: [x, y, z], stress: [s, t, u, v, w, last], .. } = value;
            let NodeValues { mises, pressure, slip_rate, .. } = value;
            let row =
                [state.t, k as f64, a as f64, x, y, z, s, t, u, v, w, last, mises, pressure, slip_rate];
            writer.append(table, &row)?;
        }
    }
    Ok(())
}
