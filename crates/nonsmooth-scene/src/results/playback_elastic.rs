//! Elastic bodies of a result file, coloured by what is known of their nodes.

use super::elastic::{COLUMNS, NODES, TRIANGLES, VALUES};
use super::playback::PlaybackError;
use crate::store::Reader;
use glam::DVec3;
use nonsmooth_draw::render::{Bar, bands};
use nonsmooth_geometry::SurfaceMesh;

/// Half the thickness of a line, in parts of the size of all elastic bodies.
const THIN: f64 = 1.0 / 300.0;

/// The elastic bodies of a file.
pub(super) struct ElasticPlayback {
    /// Names of the stresses of each body.
    stresses: Vec<Vec<String>>,
    /// Body and place without displacement [m].
    nodes: Vec<(usize, DVec3)>,
    /// Triangles of numbers of `nodes`.
    triangles: Vec<[u32; 3]>,
}

/// The elastic bodies of a frame.
#[derive(Default)]
pub(super) struct Coloured {
    /// Their parts, by band.
    pub(super) surfaces: Vec<SurfaceMesh>,
    /// Where their nodes are [m].
    pub(super) places: Vec<DVec3>,
    /// What the colours mean.
    pub(super) bar: Option<Bar>,
}

/// What is known besides stresses, with the unit.
const OTHERS: [(&str, &str); 4] =
    [("mises", "Pa"), ("displacement", "m"), ("pressure", "Pa"), ("slip_rate", "m/s")];

impl ElasticPlayback {
    /// The elastic bodies, if there are any.
    pub(super) fn open(reader: &Reader) -> Result<Option<Self>, PlaybackError> {
        if reader.table(NODES).is_err() {
            return Ok(None);
        }
        let damaged = |what: &str| PlaybackError::Damaged {
            path: super::RESULT_FILE.into(),
            what: what.to_owned(),
        };
        let text = reader.texts().get("elastic_stresses").cloned().unwrap_or_default();
        let stresses: Vec<Vec<String>> =
            text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
        let rows = reader.floats(NODES)?;
        let nodes: Vec<(usize, DVec3)> = rows
            .values
            .chunks_exact(rows.width.max(1))
            .map(|row| (row[0] as usize, DVec3::from_slice(&row[1..4])))
            .collect();
        if nodes.iter().any(|(body, _)| *body >= stresses.len()) {
            return Err(damaged("nodes of elastic bodies that are not listed"));
        }
        let first: Vec<usize> = (0..stresses.len())
            .map(|body| nodes.iter().position(|(own, _)| *own == body).unwrap_or(0))
            .collect();
        let rows = reader.integers(TRIANGLES)?;
        let triangles: Option<Vec<[u32; 3]>> = rows
            .values
            .chunks_exact(rows.width.max(1))
            .map(|row| {
                let first = *first.get(usize::try_from(row[0]).ok()?)?;
                let corner =
                    |k: i64| usize::try_from(k).ok().map(|k| first + k).filter(|k| *k < nodes.len());
                Some([corner(row[1])? as u32, corner(row[2])? as u32, corner(row[3])? as u32])
            })
            .collect();
        let triangles = triangles.ok_or_else(|| damaged("triangles of elastic bodies without nodes"))?;
        Ok(Some(Self { stresses, nodes, triangles }))
    }

    /// Whether all of them lie in the plane.
    pub(super) fn is_plane(&self) -> bool {
        self.nodes.iter().all(|(_, x)| x.z == 0.0)
    }

    /// Names of what can be shown.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = OTHERS.iter().map(|(name, _)| *name).collect();
        for name in self.stresses.iter().flatten() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// What is shown where nothing is asked for: stress, of beams the displacement.
    fn usual(&self) -> &'static str {
        let has_stress = self.stresses.iter().flatten().any(|name| name.starts_with("s_"));
        if has_stress { "mises" } else { "displacement" }
    }

    /// A frame. `exaggerated` is the factor of displacements.
    pub(super) fn frame(
        &self,
        reader: &Reader,
        frame: usize,
        (quantity, exaggerated): (Option<&str>, f64),
    ) -> Result<Coloured, PlaybackError> {
        let name = quantity.unwrap_or(self.usual());
        let known = self.names();
        if !known.contains(&name) {
            let known = known.join(", ");
            return Err(PlaybackError::NoQuantity { name: name.to_owned(), known });
        }
        let n = self.nodes.len() as u64;
        let rows = reader.floats_in(VALUES, frame as u64 * n..(frame as u64 + 1) * n)?;
        let column = |name: &str| COLUMNS.iter().position(|column| *column == name);
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for ((body, x), row) in self.nodes.iter().zip(rows.values.chunks_exact(COLUMNS.len())) {
            let u = DVec3::from_slice(&row[3..6]);
            places.push(*x + exaggerated * u);
            values.push(match column(name) {
                Some(k) => row[k],
                None if name == "displacement" => u.length(),
                // Bodies without this stress are as those where it is zero.
                None => {
                    self.stresses[*body].iter().position(|own| own == name).map_or(0.0, |k| row[6 + k])
                }
            });
        }
        let finite = values.iter().copied().filter(|x| x.is_finite());
        let range = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
        let range = if range[0] <= range[1] { range } else { [0.0; 2] };
        let unit =
            OTHERS.iter().find(|(own, _)| *own == name).map_or_else(|| unit_of(name), |(_, unit)| unit);
        let surfaces = self.surfaces(&places, &values, range);
        let bar = Some(Bar { label: format!("{name} [{unit}]"), range });
        Ok(Coloured { surfaces, places, bar })
    }

    fn surfaces(&self, places: &[DVec3], values: &[f64], range: [f64; 2]) -> Vec<SurfaceMesh> {
        let (mut vertices, mut triangles, mut numbers) = (Vec::new(), Vec::new(), values.to_vec());
        vertices.extend(places.iter().map(DVec3::to_array));
        let (low, high) =
            self.nodes.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), (_, x)| {
                (low.min(*x), high.max(*x))
            });
        let thin = THIN * (high - low).length();
        for &[a, b, c] in &self.triangles {
            if b != c {
                triangles.push([a, b, c]);
                continue;
            }
            // A line is a prism of four sides.
            let ends = [a, b].map(|k| places[k as usize]);
            let along = (ends[1] - ends[0]).normalize_or(DVec3::X);
            let side = along.cross(if along.z.abs() < 0.9 { DVec3::Z } else { DVec3::X }).normalize();
            let first = vertices.len() as u32;
            for (end, k) in ends.iter().zip([a, b]) {
                for across in [side, along.cross(side), -side, -along.cross(side)] {
                    vertices.push((*end + thin * across).to_array());
                    numbers.push(values[k as usize]);
                }
            }
            for k in 0..4 {
                let [p, q] = [first + k, first + (k + 1) % 4];
                triangles.extend([[p, q, p + 4], [q, q + 4, p + 4]]);
            }
        }
        bands(&vertices, &triangles, &numbers, range)
    }
}

/// The unit of a stress, or of a force or moment of beams.
fn unit_of(name: &str) -> &'static str {
    match name {
        name if name.starts_with("force") => "N",
        name if name.starts_with("moment") => "N·m",
        _ => "Pa",
    }
}
