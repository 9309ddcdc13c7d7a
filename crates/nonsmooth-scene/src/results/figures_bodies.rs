//! Figures of runs with bodies: largest overlap, number of contacts, residual; and the motion of bodies that the scene
//! asks for.

use super::figures::{Data, FigureError};
use crate::plot::{Figure, Item, Scale};

/// Names of the figures that only runs with bodies have.
pub(super) const FIGURES: [&str; 3] = ["overlap", "touches", "residual"];

impl Data {
    /// Whether the run has bodies.
    pub(super) fn has_bodies(&self) -> bool {
        self.reader.table("body_frames").is_ok()
    }

    /// All figures of bodies.
    pub(super) fn of_bodies(&self) -> Result<Vec<(&'static str, Figure)>, FigureError> {
        let frames = self.reader.integers("body_frames")?;
        let touches = self.reader.floats("touches")?;
        let (mut begin, mut depths, mut counts, mut present) = (0, Vec::new(), Vec::new(), Vec::new());
        for (t, row) in self.t.iter().zip(frames.values.chunks(4)) {
            let end = row[1] as usize;
            let gaps = touches.values.chunks(16).skip(begin).take(end - begin).map(|touch| touch[9]);
            let depth = gaps.fold(0.0f64, |depth, gap| depth.max(-gap));
            depths.push((*t, depth));
            counts.push((*t, (end - begin) as f64));
            present.push((*t, row[2] as f64));
            begin = end;
        }
        let line = |label: &str, points| Item::Line { label: label.to_owned(), points };
        let mut items = vec![line("contact points", counts)];
        // Where no body comes or goes, their number says nothing.
        if present.windows(2).any(|pair| pair[0].1 != pair[1].1) {
            items.push(line("bodies", present));
        }
        let mut figures = vec![
            ("overlap", self.figure("largest overlap", "overlap [m]", vec![line("overlap", depths)])),
            ("touches", self.figure("contacts", "number [1]", items)),
        ];
        figures.extend(self.residual()?.map(|figure| ("residual", figure)));
        Ok(figures)
    }

    /// Residuals on a logarithmic axis, where there are any above zero.
    fn residual(&self) -> Result<Option<Figure>, FigureError> {
        let rows = self.reader.floats("solver")?;
        let all = self.t.iter().zip(rows.values.chunks(4)).map(|(t, row)| (*t, row[0]));
        let points: Vec<(f64, f64)> = all.filter(|(_, r)| *r > 0.0 && r.is_finite()).collect();
        if points.len() < 2 {
            return Ok(None);
        }
        let items = vec![Item::Line { label: "residual".to_owned(), points }];
        let figure = self.figure("residual of the solver", "residual [1]", items);
        Ok(Some(Figure { y_scale: Scale::Log, ..figure }))
    }

    /// Number of coordinates of systems; those of bodies follow.
    pub(super) fn n_of_systems(&self) -> usize {
        self.reader.table("q").map_or(0, |table| table.spec.width)
    }

    /// The course of coordinate `place` of all bodies, or of its velocity.
    pub(super) fn body_motion(&self, table: &str, place: usize) -> Result<Item, FigureError> {
        let in_plane = self.reader.texts().get("dimension").is_some_and(|text| text == "plane");
        let n_q = if in_plane { 3 } else { 7 };
        let (body, k) = (place / n_q, place % n_q);
        let names = self.reader.texts().get("bodies").cloned().unwrap_or_default();
        let axis = if in_plane { ["x", "y", "phi"][k] } else { ["x", "y", "z"][k.min(2)] };
        let label = format!("{}.{axis}", names.lines().nth(body).unwrap_or("body"));
        let value = |row: &[f64]| match (table, in_plane && k == 2) {
            ("v", true) => row[12],
            ("v", false) => row[7 + k.min(2)],
            (_, true) => 2.0 * row[6].atan2(row[3]),
            (_, false) => row[k.min(2)],
        };
        let (poses, bodies) = (self.reader.floats("poses")?, self.reader.integers("pose_bodies")?);
        let frames = self.reader.integers("body_frames")?;
        let (mut begin, mut points) = (0, Vec::new());
        for (t, row) in self.t.iter().zip(frames.values.chunks(4)) {
            let end = row[0] as usize;
            let found = bodies.values[begin..end].iter().position(|number| *number == body as i64);
            points.extend(
                found.map(|i| (*t, value(&poses.values[13 * (begin + i)..13 * (begin + i + 1)]))),
            );
            begin = end;
        }
        Ok(Item::Line { label, points })
    }
}
