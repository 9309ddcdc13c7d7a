//! The figures of a run: position, velocity with its jumps, impulses at impacts, contact force,
//! energy balance. Drawn from the result file.

use super::recorder::RESULT_FILE;
use crate::plot::{Drawing, Figure, Item, PlotError, draw, with_jumps};
use crate::store::{FRAMES, Reader, StoreError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a figure could not be made.
#[derive(Debug, Error)]
pub enum FigureError {
    /// The result file cannot be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The numbers cannot be drawn.
    #[error("{0}")]
    Plot(#[from] PlotError),
    /// The picture cannot be written.
    #[error("{path}: {source}")]
    Io {
        /// Where to.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Names of the figures of systems, without ending.
const FIGURES: [&str; 5] = ["position", "velocity", "impulse", "energy", "force"];

/// Names of all figures that a run may have, without ending.
pub fn figure_names() -> impl Iterator<Item = &'static str> {
    FIGURES.into_iter().chain(super::figures_bodies::FIGURES)
}

/// Constraints that get a line of their own in the figures; more would be unreadable.
const MOST_CONSTRAINTS: usize = 6;

pub(super) struct Data {
    pub(super) reader: Reader,
    title: String,
    pub(super) t: Vec<f64>,
    step_size: f64,
    constraints: Vec<String>,
}

/// Draws all figures of the result file in `folder` for these coordinates (places in q), as PNG and SVG.
/// Returns the paths of the PNG files.
pub fn draw_figures(folder: &Path, coordinates: &[usize]) -> Result<Vec<PathBuf>, FigureError> {
    let reader = Reader::open(folder.join(RESULT_FILE))?;
    let frames = reader.floats(FRAMES)?;
    let text = |key: &str| reader.texts().get(key).cloned().unwrap_or_default();
    let data = Data {
        title: text("title"),
        constraints: text("constraints").lines().map(str::to_owned).collect(),
        t: frames.values.chunks(5).map(|row| row[0]).collect(),
        step_size: frames.values.chunks(5).last().map_or(0.0, |row| row[2]),
        reader,
    };
    let mut figures = vec![("energy", data.energy()?)];
    if !coordinates.is_empty() {
        figures.push(("position", data.motion("q", coordinates)?));
        figures.push(("velocity", data.motion("v", coordinates)?));
    }
    if !data.constraints.is_empty() || !data.has_bodies() {
        figures.push(("impulse", data.impulses()?));
    }
    if data.has_bodies() {
        figures.extend(data.of_bodies()?);
    }
    if let Some(force) = data.force()? {
        figures.push(("force", force));
    }
    let mut paths = Vec::new();
    for (name, figure) in figures {
        let drawing: Drawing = draw(&Figure { pixel_ratio: 2, ..figure })?;
        let stem = folder.join(name);
        drawing.save(&stem).map_err(|source| FigureError::Io { path: stem.clone(), source })?;
        paths.push(stem.with_extension("png"));
    }
    Ok(paths)
}

impl Data {
    pub(super) fn figure(&self, what: &str, y_label: &str, items: Vec<Item>) -> Figure {
        let title =
            if self.title.is_empty() { what.to_owned() } else { format!("{}: {what}", self.title) };
        Figure {
            title,
            x_label: "time t [s]".into(),
            y_label: y_label.into(),
            items,
            ..Figure::default()
        }
    }

    fn motion(&self, table: &str, coordinates: &[usize]) -> Result<Figure, FigureError> {
        let n = self.n_of_systems();
        let events = self.reader.floats("events")?;
        let jumps: Vec<f64> = events.values.chunks(5).map(|row| row[0]).collect();
        let mut items = Vec::new();
        for &k in coordinates {
            let Some(k) = k.checked_sub(n) else {
                items.push(self.system_motion(table, k, &jumps)?);
                continue;
            };
            items.push(self.body_motion(table, k)?);
        }
        Ok(match table {
            "v" => self.figure("velocity", "velocity v [m/s, rad/s]", items),
            _ => self.figure("position", "coordinate q [m, rad]", items),
        })
    }

    /// The course of column `k` of the table `q` or `v`.
    fn system_motion(&self, table: &str, k: usize, jumps: &[f64]) -> Result<Item, FigureError> {
        let rows = self.reader.floats(table)?;
        let columns = &self.reader.table(table)?.spec.columns;
        let x: Vec<f64> = rows.values.chunks(rows.width).take(self.t.len()).map(|row| row[k]).collect();
        let label = columns.get(k).cloned().unwrap_or_else(|| format!("{table}[{k}]"));
        let points = if table == "v" {
            with_jumps(&self.t, &x, jumps)
        } else {
            self.t.iter().copied().zip(x).collect()
        };
        Ok(Item::Line { label, points })
    }

    fn name(&self, key: i64) -> String {
        self.constraints.get(key as usize).cloned().unwrap_or_else(|| format!("constraint {key}"))
    }

    fn impulses(&self) -> Result<Figure, FigureError> {
        let events = self.reader.floats("events")?;
        let keys = self.reader.integers("event_keys")?;
        let mut series: BTreeMap<i64, Vec<(f64, f64)>> = BTreeMap::new();
        for (row, key) in events.values.chunks(5).zip(keys.values.chunks(2)) {
            series.entry(key[0]).or_default().push((row[0], row[4]));
        }
        let what = if series.is_empty() { "no impacts" } else { "impulses at impacts" };
        let mut items = self.stems(series);
        items.push(self.baseline());
        Ok(self.figure(what, "impulse p [N·s]", items))
    }

    /// A line at zero over the whole time, so that all figures of a run share their time axis.
    fn baseline(&self) -> Item {
        let ends = [self.t.first(), self.t.last()].into_iter().flatten();
        Item::Dashed { label: String::new(), points: ends.map(|t| (*t, 0.0)).collect() }
    }

    fn stems(&self, series: BTreeMap<i64, Vec<(f64, f64)>>) -> Vec<Item> {
        let more = series.len() > MOST_CONSTRAINTS;
        let mut items: Vec<Item> = Vec::new();
        let mut others = Vec::new();
        for (k, (key, points)) in series.into_iter().enumerate() {
            if more && k + 1 >= MOST_CONSTRAINTS {
                others.extend(points);
            } else {
                items.push(Item::Stems { label: self.name(key), points });
            }
        }
        if more {
            items.push(Item::Stems { label: "others".into(), points: others });
        }
        items
    }

    /// The force p/h of contacts that last: rows of contacts that are not the first of an impact.
    fn force(&self) -> Result<Option<Figure>, FigureError> {
        let frames = self.reader.floats(FRAMES)?;
        let contacts = self.reader.floats("contacts")?;
        let keys = self.reader.integers("contact_keys")?;
        let mut series: BTreeMap<[i64; 2], Vec<(f64, f64)>> = BTreeMap::new();
        let mut carried: BTreeMap<[i64; 2], usize> = BTreeMap::new();
        let mut begin = 0;
        for (k, frame) in frames.values.chunks(5).enumerate() {
            let end = frame[3] as usize;
            for i in begin..end.min(keys.values.len() / 2) {
                let key = [keys.values[2 * i], keys.values[2 * i + 1]];
                let force = contacts.values[6 * i + 4];
                if force == 0.0 {
                    continue;
                }
                // Two frames in a row: the contact lasts.
                if carried.insert(key, k) == Some(k.wrapping_sub(1)) && series_room(&series, key) {
                    series.entry(key).or_default().push((frame[0], force));
                }
            }
            begin = end;
        }
        let gap = 1.5 * self.step_size.max(self.spacing());
        let mut items = Vec::new();
        for (key, points) in series {
            let label = match key[1] {
                0 => self.name(key[0]),
                k => format!("{}, tangent {k}", self.name(key[0])),
            };
            items.push(Item::Line { label, points: down_to_zero(&points, gap) });
        }
        let drawn = !items.is_empty();
        items.push(self.baseline());
        Ok(drawn.then(|| self.figure("contact force", "force λ = p/h [N]", items)))
    }

    fn spacing(&self) -> f64 {
        match self.t[..] {
            [a, b, ..] => b - a,
            _ => 0.0,
        }
    }

    fn energy(&self) -> Result<Figure, FigureError> {
        let rows = self.reader.floats("energy")?;
        let column = |f: &dyn Fn(&[f64]) -> f64| -> Vec<(f64, f64)> {
            self.t.iter().zip(rows.values.chunks(rows.width)).map(|(t, row)| (*t, f(row))).collect()
        };
        let mut items = vec![
            Item::Line { label: "kinetic T".into(), points: column(&|r| r[0]) },
            Item::Line { label: "potential V".into(), points: column(&|r| r[1]) },
            Item::Line { label: "T + V".into(), points: column(&|r| r[0] + r[1]) },
        ];
        let works = [
            "external work",
            "viscous work",
            "contact work",
            "friction work",
            "obstacle work",
            "prescribed work",
            "scheme",
            "projection",
            "bodies in and out",
        ];
        let scale = rows.values.chunks(rows.width).fold(0.0f64, |m, r| m.max(r[0].abs() + r[1].abs()));
        for (k, label) in works.into_iter().enumerate() {
            let points = column(&|r| r[2 + k]);
            // A column that stays at rounding level would only clutter the legend.
            if points.iter().any(|(_, w)| w.abs() > 1e-12 * scale) {
                items.push(Item::Line { label: label.into(), points });
            }
        }
        Ok(self.figure("energy balance", "energy [J]", items))
    }
}

fn series_room(series: &BTreeMap<[i64; 2], Vec<(f64, f64)>>, key: [i64; 2]) -> bool {
    series.len() < MOST_CONSTRAINTS || series.contains_key(&key)
}

/// A line that drops to zero where neighbouring points are further apart than `gap`.
fn down_to_zero(points: &[(f64, f64)], gap: f64) -> Vec<(f64, f64)> {
    let mut line = Vec::new();
    for (i, &(t, f)) in points.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| points[j].0);
        if before.is_none_or(|before| t - before > gap) {
            if let Some(before) = before {
                line.push((before, 0.0));
            }
            line.push((t, 0.0));
        }
        line.push((t, f));
    }
    if let Some(&(t, _)) = points.last() {
        line.push((t, 0.0));
    }
    line
}
