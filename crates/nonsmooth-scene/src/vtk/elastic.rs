//! Elastic bodies of a frame: their surfaces where they are, with what is known at each node. Double precision.

use super::VtkError;
use super::check::{countable, first_bad};
use super::piece::{Array, Fill, Kind, Piece};
use std::io::{self, Write};

/// An elastic body of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Meshed {
    /// Places of the nodes, displaced [m].
    pub nodes: Vec<[f64; 3]>,
    /// Triangles of nodes; a pair of nodes with the second one twice is drawn as points.
    pub triangles: Vec<[u32; 3]>,
    /// Displacement [m].
    pub displacement: Vec<[f64; 3]>,
    /// Stresses, as the formulation names them [Pa]; of beams forces and moments.
    pub stress: Vec<[f64; 6]>,
    /// Stress of von Mises [Pa], contact pressure [Pa], sliding velocity [m/s].
    pub scalars: Vec<[f64; 3]>,
}

/// Whether the numbers can be written.
pub(super) fn check(bodies: &[Meshed]) -> Result<(), VtkError> {
    for (index, body) in bodies.iter().enumerate() {
        let all = |rows: &[[f64; 3]]| rows.iter().flatten().all(|x| x.is_finite());
        let stresses = body.stress.iter().flatten().all(|x| x.is_finite());
        let quantities: [(&'static str, bool); 4] = [
            ("its nodes", all(&body.nodes)),
            ("its displacement", all(&body.displacement)),
            ("its stress", stresses),
            ("its pressure, slip or stress of von Mises", all(&body.scalars)),
        ];
        first_bad("elastic body", index, &quantities)?;
    }
    countable("points", bodies.iter().map(|body| body.nodes.len() as u64).sum())
}

fn doubles(values: &[f64], to: &mut dyn Write) -> io::Result<()> {
    values.iter().try_for_each(|x| to.write_all(&x.to_le_bytes()))
}

fn integers(values: impl Iterator<Item = u64>, to: &mut dyn Write) -> io::Result<()> {
    values.into_iter().try_for_each(|x| to.write_all(&(x as i32).to_le_bytes()))
}

/// Number of the first node of each body.
fn firsts(bodies: &[Meshed]) -> impl Iterator<Item = (u64, &Meshed)> {
    bodies.iter().scan(0, |next, body| {
        let first = *next;
        *next += body.nodes.len() as u64;
        Some((first, body))
    })
}

/// Nodes of lines, one point for each end.
fn points(bodies: &[Meshed]) -> impl Iterator<Item = u64> {
    firsts(bodies).flat_map(|(first, body)| {
        let lines = body.triangles.iter().filter(|t| t[1] == t[2]);
        lines.flat_map(move |t| [first + u64::from(t[0]), first + u64::from(t[1])])
    })
}

fn corners(bodies: &[Meshed]) -> impl Iterator<Item = u64> {
    firsts(bodies).flat_map(|(first, body)| {
        let faces = body.triangles.iter().filter(|t| t[1] != t[2]);
        faces.flatten().map(move |k| first + u64::from(*k))
    })
}

/// Writes the file of a frame.
pub(super) fn write(t: f64, bodies: &[Meshed], to: &mut dyn Write) -> io::Result<()> {
    let n_points: u64 = bodies.iter().map(|body| body.nodes.len() as u64).sum();
    let (n_vertices, n_triangles) = (points(bodies).count() as u64, corners(bodies).count() as u64 / 3);
    let array = |name, components, write| Array {
        name,
        kind: Kind::Float64,
        components,
        tuples: n_points,
        write,
    };
    let of = |rows: fn(&Meshed) -> &[[f64; 3]]| -> Fill<'_> {
        Box::new(move |to| bodies.iter().flat_map(rows).try_for_each(|row| doubles(row, to)))
    };
    let scalar = |k: usize| -> Fill<'_> {
        Box::new(move |to| {
            bodies.iter().flat_map(|body| &body.scalars).try_for_each(|row| doubles(&row[k..=k], to))
        })
    };
    let whole = |name, tuples, write| Array { name, kind: Kind::Int32, components: 1, tuples, write };
    let numbers: Fill<'_> = Box::new(move |to| {
        let of = |(k, body): (usize, &Meshed)| std::iter::repeat_n(k as u64, body.nodes.len());
        integers(bodies.iter().enumerate().flat_map(of), to)
    });
    let piece = Piece {
        t,
        n_points,
        n_vertices,
        n_triangles,
        points: array("Points", 3, of(|body| &body.nodes)),
        active: ("mises", "displacement"),
        data: vec![
            whole("body", n_points, numbers),
            array("displacement", 3, of(|body| &body.displacement)),
            array(
                "stress",
                6,
                Box::new(move |to| {
                    bodies.iter().flat_map(|body| &body.stress).try_for_each(|row| doubles(row, to))
                }),
            ),
            array("mises", 1, scalar(0)),
            array("pressure", 1, scalar(1)),
            array("slip_rate", 1, scalar(2)),
        ],
        vertices: [
            whole("connectivity", n_vertices, Box::new(move |to| integers(points(bodies), to))),
            whole("offsets", n_vertices, Box::new(move |to| super::bodies::count(n_vertices, 1, to))),
        ],
        triangles: [
            whole("connectivity", 3 * n_triangles, Box::new(move |to| integers(corners(bodies), to))),
            whole("offsets", n_triangles, Box::new(move |to| super::bodies::count(n_triangles, 3, to))),
        ],
    };
    piece.write(to)
}
