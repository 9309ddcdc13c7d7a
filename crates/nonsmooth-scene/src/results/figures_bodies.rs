//! Figures of runs with bodies: largest overlap, number of contacts, residual; and the motion of bodies that the scene
//! asks for.

use super::figures::{Data, FigureError, Level};
use super::frames::{Columns, ends, frames, place, rows_of};
use nonsmooth_draw::plot::{Figure, Item, Scale};

/// Names of the figures that only runs with bodies have.
pub(super) const FIGURES: [&str; 3] = ["overlap", "contacts", "residual"];

impl Data {
    /// Whether the run has bodies.
    pub(super) fn has_bodies(&self) -> bool {
        self.reader.table("bodies").is_ok()
    }

    /// All figures of bodies.
    pub(super) fn of_bodies(&self) -> Result<Vec<(&'static str, Figure)>, FigureError> {
        let present = frames(&self.reader, "present")?;
        let ends = ends(&self.reader, "contacts_end")?;
        let columns = Columns::new(&self.reader, "contacts", ["gap"])?;
        let b = place(&self.reader, "contacts", "b")?;
        let (mut depths, mut counts) = (Vec::new(), Vec::new());
        for (frame, t) in self.t.iter().enumerate() {
            let rows = columns.read(&self.reader, rows_of(&ends, frame))?;
            let of_bodies = (0..rows.len()).filter(|&row| !rows.text(row, b).is_empty());
            let gaps = of_bodies.map(|row| columns.floats(&rows, row)[0]);
            let (n, depth) = gaps.fold((0, 0.0f64), |(n, depth), gap| (n + 1, depth.max(-gap)));
            depths.push((*t, depth));
            counts.push((*t, f64::from(n)));
        }
        let present: Vec<(f64, f64)> = self.t.iter().copied().zip(present).collect();
        let line = |label: &str, points| Item::Line { label: label.to_owned(), points };
        let mut items = vec![line("contact points", counts)];
        // Where no body comes or goes, their number says nothing.
        if present.windows(2).any(|pair| pair[0].1 != pair[1].1) {
            items.push(line("bodies", present));
        }
        let mut figures = vec![
            ("overlap", self.figure("largest overlap", "overlap [m]", vec![line("overlap", depths)])),
            ("contacts", self.figure("contacts", "number [1]", items)),
        ];
        figures.extend(self.residual()?.map(|figure| ("residual", figure)));
        Ok(figures)
    }

    /// Residuals on a logarithmic axis, where there are any above zero.
    fn residual(&self) -> Result<Option<Figure>, FigureError> {
        let rows = self.reader.floats("solver")?;
        let all = self.t.iter().zip(rows.values.chunks(rows.width)).map(|(t, row)| (*t, row[1]));
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
        self.reader.table("coordinates").map_or(0, |table| (table.spec.width - 1) / 2)
    }

    /// The body and the axis (0, 1, 2; 3 for the angle in the plane) of coordinate `coordinate` of all bodies: three of each
    /// in the plane, seven of each in space.
    fn body_of(&self, coordinate: usize) -> Result<(usize, usize), FigureError> {
        let (column, rows) =
            (place(&self.reader, "body_masses", "planar")?, self.reader.floats("body_masses")?);
        let mut first = 0;
        for (body, row) in rows.values.chunks_exact(rows.width).enumerate() {
            let planar = row[column] == 1.0;
            let n = if planar { 3 } else { 7 };
            if coordinate < first + n {
                let k = coordinate - first;
                return Ok((body, if planar && k == 2 { 3 } else { k.min(2) }));
            }
            first += n;
        }
        Ok((0, 0))
    }

    /// The course of a coordinate of all bodies, or of its velocity.
    pub(super) fn body_motion(&self, level: Level, coordinate: usize) -> Result<Item, FigureError> {
        let (body, axis) = self.body_of(coordinate)?;
        let names = self.reader.texts().get("bodies").cloned().unwrap_or_default();
        let body = names.lines().nth(body).unwrap_or("body");
        let label = format!("{body}.{}", ["x", "y", "z", "phi"][axis]);
        let positions = ["x", "y", "z", "q_z", "q_w"];
        let velocities = ["v_x", "v_y", "v_z", "omega_z", "omega_z"];
        let names = if level == Level::Velocity { velocities } else { positions };
        let columns = Columns::new(&self.reader, "bodies", names)?;
        let name = place(&self.reader, "bodies", "body")?;
        let (ends, mut points) = (ends(&self.reader, "bodies_end")?, Vec::new());
        for (frame, t) in self.t.iter().enumerate() {
            let rows = columns.read(&self.reader, rows_of(&ends, frame))?;
            let Some(row) = (0..rows.len()).find(|&row| rows.text(row, name) == body) else { continue };
            let x = columns.floats(&rows, row);
            let is_angle = axis == 3 && level == Level::Position;
            points.push((*t, if is_angle { 2.0 * x[3].atan2(x[4]) } else { x[axis] }));
        }
        Ok(Item::Line { label, points })
    }
}
