//! The figures of a run: position, velocity with its jumps, impulses at impacts, contact force,
//! energy balance. Drawn from the result file.

use super::RESULT_FILE;
use super::frames::{Columns, ends, frames, place, rows_of};
use crate::store::{Reader, StoreError};
use crate::tidy::{EnergyRow, Row};
use nonsmooth::Works;
use nonsmooth_draw::plot::{Drawing, Figure, Item, PlotError, draw, with_jumps};
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
const FIGURES: [&str; 7] = ["position", "velocity", "impulse", "energy", "force", "states", "inputs"];

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
    has_constraints: bool,
}

/// Draws all figures of the result file in `folder` for these coordinates (places in q), as PNG and SVG.
/// Returns the paths of the PNG files.
pub fn draw_figures(folder: &Path, coordinates: &[usize]) -> Result<Vec<PathBuf>, FigureError> {
    let reader = Reader::open(folder.join(RESULT_FILE))?;
    let text = |key: &str| reader.texts().get(key).cloned().unwrap_or_default();
    let data = Data {
        title: text("title"),
        has_constraints: !text("constraints").is_empty(),
        t: frames(&reader, "t")?,
        step_size: frames(&reader, "step_size")?.last().copied().unwrap_or(0.0),
        reader,
    };
    let mut figures = vec![("energy", data.energy()?)];
    if !coordinates.is_empty() {
        figures.push(("position", data.motion(Level::Position, coordinates)?));
        figures.push(("velocity", data.motion(Level::Velocity, coordinates)?));
    }
    let is_plain = !data.has_bodies() && !data.has_states();
    if data.has_constraints || is_plain {
        figures.push(("impulse", data.impulses()?));
    }
    if data.has_bodies() {
        figures.extend(data.of_bodies()?);
    }
    if let Some(force) = data.force()? {
        figures.push(("force", force));
    }
    figures.extend(data.of_states()?);
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

    fn motion(&self, level: Level, coordinates: &[usize]) -> Result<Figure, FigureError> {
        let n = self.n_of_systems();
        let jumps: Vec<f64> = self.events()?.iter().map(|(_, t, _)| *t).collect();
        let mut items = Vec::new();
        for &k in coordinates {
            items.push(match k.checked_sub(n) {
                None => self.system_motion(level, k, &jumps)?,
                Some(k) => self.body_motion(level, k)?,
            });
        }
        Ok(match level {
            Level::Velocity => self.figure("velocity", "velocity v [m/s, rad/s]", items),
            Level::Position => self.figure("position", "coordinate q [m, rad]", items),
        })
    }

    /// The course of coordinate `k` of the systems, or of its velocity.
    fn system_motion(&self, level: Level, k: usize, jumps: &[f64]) -> Result<Item, FigureError> {
        let rows = self.reader.floats("coordinates")?;
        let columns = &self.reader.table("coordinates")?.spec.columns;
        // After the time, each coordinate is followed by its velocity.
        let column = 1 + 2 * k + usize::from(level == Level::Velocity);
        let values = rows.values.chunks(rows.width).take(self.t.len());
        let x: Vec<f64> = values.map(|row| row[column]).collect();
        let label = columns.get(1 + 2 * k).cloned().unwrap_or_else(|| format!("q[{k}]"));
        let points = match level {
            Level::Velocity => with_jumps(&self.t, &x, jumps),
            Level::Position => self.t.iter().copied().zip(x).collect(),
        };
        Ok(Item::Line { label, points })
    }

    /// Impacts of constraints between coordinates: name, time and impulse.
    fn events(&self) -> Result<Vec<(String, f64, f64)>, FigureError> {
        let columns = Columns::new(&self.reader, "events", ["t", "impulse"])?;
        let name = place(&self.reader, "events", "name")?;
        let rows = columns.read(&self.reader, 0..self.reader.table("events")?.rows)?;
        let of = |row: usize| {
            let [t, impulse] = columns.floats(&rows, row);
            let name = rows.text(row, name);
            (!name.is_empty()).then(|| (name.to_owned(), t, impulse))
        };
        Ok((0..rows.len()).filter_map(of).collect())
    }

    fn impulses(&self) -> Result<Figure, FigureError> {
        let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for (name, t, impulse) in self.events()? {
            series.entry(name).or_default().push((t, impulse));
        }
        let what = if series.is_empty() { "no impacts" } else { "impulses at impacts" };
        let mut items = stems(series);
        items.push(self.baseline());
        Ok(self.figure(what, "impulse p [N·s]", items))
    }

    /// A line at zero over the whole time, so that all figures of a run share their time axis.
    fn baseline(&self) -> Item {
        let ends = [self.t.first(), self.t.last()].into_iter().flatten();
        Item::Dashed { label: String::new(), points: ends.map(|t| (*t, 0.0)).collect() }
    }

    /// The force p/h of contacts between coordinates that last: those that carry in two frames in a row.
    fn force(&self) -> Result<Option<Figure>, FigureError> {
        let columns = Columns::new(&self.reader, "contacts", ["f_n", "f_t1", "f_t2"])?;
        let [a, b] = [place(&self.reader, "contacts", "a")?, place(&self.reader, "contacts", "b")?];
        let ends = ends(&self.reader, "contacts_end")?;
        let mut series: Series = BTreeMap::new();
        let mut carried: BTreeMap<(String, usize), usize> = BTreeMap::new();
        // Only constraints between coordinates have lines of their own.
        let n_frames = if self.has_constraints { self.t.len() } else { 0 };
        for frame in 0..n_frames {
            let rows = columns.read(&self.reader, rows_of(&ends, frame))?;
            for row in (0..rows.len()).filter(|&row| rows.text(row, b).is_empty()) {
                for (k, force) in columns.floats(&rows, row).into_iter().enumerate() {
                    let key = (rows.text(row, a).to_owned(), k);
                    let lasts = force != 0.0
                        && carried.insert(key.clone(), frame) == Some(frame.wrapping_sub(1));
                    if lasts && series_room(&series, &key) {
                        series.entry(key).or_default().push((self.t[frame], force));
                    }
                }
            }
        }
        let gap = 1.5 * self.step_size.max(self.spacing());
        let mut items = Vec::new();
        for ((name, k), points) in series {
            let label = if k == 0 { name } else { format!("{name}, tangent {k}") };
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
        let rows = self.reader.records_in("energy", 0..self.t.len() as u64)?;
        let column = |f: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
            self.t.iter().enumerate().map(|(row, t)| (*t, f(row))).collect()
        };
        let [kinetic, potential] = [1, 2].map(|k| column(&|row| rows.float(row, k)));
        let sum = column(&|row| rows.float(row, 1) + rows.float(row, 2));
        let scale = (0..rows.len())
            .fold(0.0f64, |most, row| most.max(rows.float(row, 1).abs() + rows.float(row, 2).abs()));
        let mut items = vec![
            Item::Line { label: "kinetic T".into(), points: kinetic },
            Item::Line { label: "potential V".into(), points: potential },
            Item::Line { label: "T + V".into(), points: sum },
        ];
        for (k, name) in EnergyRow::COLUMNS.iter().enumerate().skip(3) {
            let points = column(&|row| rows.float(row, k));
            // A column that stays at rounding level would only clutter the legend.
            let label = Works::in_words(name);
            if *name != "remainder" && points.iter().any(|(_, w)| w.abs() > 1e-12 * scale) {
                items.push(Item::Line { label, points });
            }
        }
        Ok(self.figure("energy balance", "energy [J]", items))
    }
}

/// Forces over time, by constraint and component.
type Series = BTreeMap<(String, usize), Vec<(f64, f64)>>;

/// What is plotted of a coordinate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// The coordinate.
    Position,
    /// Its velocity.
    Velocity,
}

fn stems(series: BTreeMap<String, Vec<(f64, f64)>>) -> Vec<Item> {
    let more = series.len() > MOST_CONSTRAINTS;
    let mut items: Vec<Item> = Vec::new();
    let mut others = Vec::new();
    for (k, (label, points)) in series.into_iter().enumerate() {
        if more && k + 1 >= MOST_CONSTRAINTS {
            others.extend(points);
        } else {
            items.push(Item::Stems { label, points });
        }
    }
    if more {
        items.push(Item::Stems { label: "others".into(), points: others });
    }
    items
}

fn series_room(series: &Series, key: &(String, usize)) -> bool {
    series.len() < MOST_CONSTRAINTS || series.contains_key(key)
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
