//! What is told of orbits: tables, figures, lines.

use super::branch::{Branch, Mark, Point};
use super::shoot::{Energy, Problem, at};
use crate::command::Failure;
use crate::study::Scheme;
use crate::sweep::{failed, save};
use nonsmooth::{Simulation, State};
use nonsmooth_draw::plot::{Figure, Item, draw};
use nonsmooth_scene::store::{Field, Kind, Options, TableSpec, Writer};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The file of the table.
pub(super) const TABLE_FILE: &str = "orbits.h5";
/// Its copy.
const CSV_FILE: &str = "orbits.csv";
/// Steps of the run that shows an orbit.
const SHOWN: u64 = 400;
/// Multiplier up to which an orbit counts as stable: 1 and the rounding of the flow.
const STABLE: f64 = 1.0 + 1e-5;
/// Share of a step below which an impact is at its start.
const SHORT: f64 = 1e-9;
/// Words of eight bytes of a mark.
const MARK: usize = 2;

/// Columns before those of coordinates and multipliers, after the value that is followed.
const FIXED: [&str; 7] =
    ["branch", "point", "period", "energy", "impacts", "changes", "largest_multiplier"];

/// A row: numbers, whether it is stable, and its mark.
struct Row {
    branch: usize,
    value: f64,
    numbers: Vec<f64>,
    is_stable: bool,
    mark: &'static str,
}

/// All orbits that were found.
pub(super) struct Table {
    title: String,
    /// Name of what is followed.
    name: Option<String>,
    /// Names of coordinates and velocities.
    coordinates: Vec<String>,
    rows: Vec<Row>,
    n_branches: usize,
    /// Multipliers of the first orbit, and its course in the plane of the first coordinate.
    multipliers: Vec<[f64; 2]>,
    course: Vec<(f64, f64)>,
}

impl Table {
    pub(super) fn new(problem: &Problem<'_>, u: &[f64], name: Option<&str>) -> Result<Self, String> {
        let loaded = problem.load(problem.value(u).filter(|_| problem.along.is_some()))?;
        let model = &loaded.simulation.model;
        let q = (0..model.n_coordinates())
            .map(|i| model.coordinate_name(i))
            .map(|(s, c)| format!("{s}.{c}"));
        let v =
            (0..model.n_velocities()).map(|i| model.velocity_name(i)).map(|(s, c)| format!("{s}.v_{c}"));
        Ok(Self {
            title: loaded.title.clone(),
            name: name.map(str::to_owned),
            coordinates: q.chain(v).collect(),
            rows: Vec::new(),
            n_branches: 0,
            multipliers: Vec::new(),
            course: Vec::new(),
        })
    }

    /// Adds the orbits of a branch.
    pub(super) fn add(&mut self, problem: &Problem<'_>, branch: &Branch) -> Result<(), String> {
        self.n_branches += 1;
        for (k, point) in branch.points.iter().enumerate() {
            let shown = show(problem, point)?;
            if self.rows.is_empty() {
                self.multipliers.clone_from(&point.multipliers);
                self.course.clone_from(&shown.course);
            }
            let rest = nontrivial(problem, &point.multipliers);
            let largest = rest.iter().map(|m| m[0].hypot(m[1])).fold(f64::NAN, f64::max);
            let n = problem.n(&point.u);
            let shot = &point.shot;
            let mut numbers = vec![
                self.n_branches as f64,
                k as f64,
                shot.time,
                shot.energy,
                shot.impacts as f64,
                shot.changes as f64,
                largest,
            ];
            numbers.extend_from_slice(&point.u[..2 * n]);
            numbers.extend(shown.extremes.iter().flatten());
            numbers.extend(point.multipliers.iter().flatten());
            self.rows.push(Row {
                branch: self.n_branches,
                value: point.u.last().copied().unwrap_or(f64::NAN),
                numbers,
                is_stable: !(largest > STABLE),
                mark: match point.mark {
                    None => "",
                    Some(Mark::Fold) => "fold",
                    Some(Mark::Doubling) => "doubling",
                },
            });
        }
        Ok(())
    }

    /// Names of the numbers of a row.
    fn columns(&self) -> Vec<String> {
        let n = self.coordinates.len() / 2;
        let extremes =
            self.coordinates[..n].iter().flat_map(|name| [format!("min:{name}"), format!("max:{name}")]);
        let multipliers =
            (1..=2 * n).flat_map(|k| [format!("multiplier{k}_re"), format!("multiplier{k}_im")]);
        let fixed = FIXED.iter().map(|name| (*name).to_owned());
        fixed.chain(self.coordinates.iter().cloned()).chain(extremes).chain(multipliers).collect()
    }

    /// The value first where one is followed, then the numbers, and whether it is stable.
    fn cells(&self, row: &Row) -> Vec<f64> {
        let value = self.name.is_some().then_some(row.value);
        let stable = f64::from(u8::from(row.is_stable));
        value.into_iter().chain(row.numbers.iter().copied()).chain([stable]).collect()
    }

    fn head(&self) -> Vec<String> {
        let value = self.name.iter().map(|name| format!("{name} (followed)"));
        value.chain(self.columns()).chain(["stable".to_owned(), "mark".to_owned()]).collect()
    }

    /// Writes the table as HDF5 and CSV.
    pub(super) fn write(&self, out: &Path, scene: &str) -> Result<Vec<PathBuf>, Failure> {
        let (path, csv) = (out.join(TABLE_FILE), out.join(CSV_FILE));
        let columns = self.head();
        let mut text = columns.join(",") + "\n";
        for row in &self.rows {
            for x in self.cells(row) {
                let _ = if x.is_finite() { write!(text, "{x:?},") } else { write!(text, ",") };
            }
            let _ = writeln!(text, "{}", row.mark);
        }
        std::fs::write(&csv, text).map_err(|error| failed(&csv)(&error))?;
        let width = columns.len();
        let mut fields = vec![Field::Float; width - 1];
        fields.push(Field::Text(MARK));
        let spec = TableSpec {
            name: "orbits".to_owned(),
            kind: Kind::Record,
            width,
            columns,
            fields,
            unit: "as in the scene".to_owned(),
            about: "periodic motions along their branches: state at the start, extremes, Floquet multipliers"
                .to_owned(),
        };
        let texts = [("scene".to_owned(), scene.to_owned())];
        let wrong = |error: &dyn std::fmt::Display| failed(&path)(error);
        let mut writer = Writer::create(&path, &texts, vec![spec], Options::default())
            .map_err(|error| wrong(&error))?;
        for row in &self.rows {
            let append = writer.append_record(0, |record| {
                self.cells(row).into_iter().for_each(|x| record.float(x));
                record.text(row.mark);
            });
            append.map_err(|error| wrong(&error))?;
        }
        writer.finish().map_err(|error| wrong(&error))?;
        Ok(vec![path, csv])
    }

    /// The first orbit as JSON.
    pub(super) fn first(&self) -> serde_json::Value {
        let Some(row) = self.rows.first() else { return serde_json::Value::Null };
        let n = self.coordinates.len();
        serde_json::json!({
            "period": row.numbers[2], "energy": row.numbers[3], "impacts": row.numbers[4],
            "changes": row.numbers[5], "state": &row.numbers[FIXED.len()..FIXED.len() + n],
            "coordinates": self.coordinates, "multipliers": self.multipliers, "stable": row.is_stable,
        })
    }

    /// The first orbit in lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let Some(row) = self.rows.first() else { return Vec::new() };
        let stable = if row.is_stable { "stable" } else { "unstable" };
        let (time, energy) = (row.numbers[2], row.numbers[3]);
        let (impacts, changes) = (row.numbers[4], row.numbers[5]);
        let state = self.coordinates.iter().zip(&row.numbers[FIXED.len()..]);
        let state: Vec<String> = state.map(|(name, x)| format!("{name} = {x:.10}")).collect();
        let complex = |m: &[f64; 2]| {
            if m[1].abs() < 1e-9 {
                format!("{:.8}", m[0])
            } else {
                format!("{:.8} {:+.8} i", m[0], m[1])
            }
        };
        let multipliers: Vec<String> = self.multipliers.iter().map(complex).collect();
        vec![
            format!(
                "a {stable} orbit, period {time:.10} s, {impacts} impacts, {changes} changes of contact, energy {energy:.10} J"
            ),
            format!("state        {}", state.join(", ")),
            format!("multipliers  {}", multipliers.join(", ")),
        ]
    }

    /// The course of the first orbit, and what was followed: largest values, period, energy, multipliers.
    pub(super) fn draw(&self, out: &Path) -> Result<Vec<PathBuf>, Failure> {
        let n = self.coordinates.len() / 2;
        let label = |k: usize| self.coordinates.get(k).cloned().unwrap_or_default();
        let orbit = Figure {
            title: self.title.clone(),
            x_label: label(0),
            y_label: label(n),
            items: vec![Item::Line { label: String::new(), points: self.course.clone() }],
            ..Figure::default()
        };
        let mut figures = vec![("orbit".to_owned(), orbit)];
        if let Some(name) = self.name.as_ref().filter(|_| self.rows.len() > 1) {
            let columns = self.columns();
            let wanted = |column: &str| {
                column.starts_with("max:")
                    || ["period", "energy", "largest_multiplier"].contains(&column)
            };
            for (k, column) in columns.iter().enumerate().filter(|(_, column)| wanted(column)) {
                let items = self.items(k);
                if !items.is_empty() && column != name {
                    let (x_label, y_label) = (name.clone(), column.clone());
                    let title = self.title.clone();
                    figures.push((
                        column.clone(),
                        Figure { title, x_label, y_label, items, ..Figure::default() },
                    ));
                }
            }
        }
        let mut files = Vec::new();
        for (name, figure) in figures {
            let drawing = draw(&figure).map_err(|error| failed(out)(&error))?;
            files.extend(save(&drawing, out, &name)?);
        }
        Ok(files)
    }

    /// Column `k` over the value: full where stable, dotted where not, folds and doublings marked.
    fn items(&self, k: usize) -> Vec<Item> {
        let mut items = Vec::new();
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.numbers[k].is_finite()).collect();
        let at = |row: &Row| (row.value, row.numbers[k]);
        let mut labels = vec!["stable", "unstable"];
        let mut label = |word: &str| match labels.iter().position(|known| *known == word) {
            Some(place) => labels.remove(place).to_owned(),
            None => String::new(),
        };
        for branch in rows.chunk_by(|a, b| a.branch == b.branch) {
            let mut before: Option<(f64, f64)> = None;
            for part in branch.chunk_by(|a, b| a.is_stable == b.is_stable) {
                let points: Vec<(f64, f64)> =
                    before.into_iter().chain(part.iter().map(|row| at(row))).collect();
                before = points.last().copied();
                items.push(if part[0].is_stable {
                    Item::Line { label: label("stable"), points }
                } else {
                    Item::Continued { label: label("unstable"), points }
                });
            }
        }
        for mark in ["fold", "doubling"] {
            let points: Vec<(f64, f64)> =
                rows.iter().filter(|row| row.mark == mark).map(|row| at(row)).collect();
            if !points.is_empty() {
                items.push(Item::Markers { label: mark.to_owned(), points });
            }
        }
        items
    }
}

/// The multipliers without those that are 1 for every such orbit: along it, and across the energies where it is kept.
fn nontrivial(problem: &Problem<'_>, multipliers: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut rest = multipliers.to_vec();
    let n = usize::from(problem.is_free) + usize::from(problem.energy != Energy::Any);
    for _ in 0..n.min(rest.len()) {
        let distance = |m: &[f64; 2]| (m[0] - 1.0).hypot(m[1]);
        let nearest = (0..rest.len()).min_by(|&a, &b| distance(&rest[a]).total_cmp(&distance(&rest[b])));
        nearest.map(|place| rest.remove(place));
    }
    rest
}

/// An orbit as a run shows it.
struct Shown {
    /// Smallest and largest value of each coordinate.
    extremes: Vec<[f64; 2]>,
    /// The first coordinate and its velocity.
    course: Vec<(f64, f64)>,
}

/// Widens an extreme.
fn take(extreme: &mut [f64; 2], x: f64) {
    *extreme = [extreme[0].min(x), extreme[1].max(x)];
}

/// The extreme between two ends at which a motion moves towards and away from it: of the parabola with both velocities, whose error is of third
/// order in h.
fn turn([a, b]: [f64; 2], [v, w]: [f64; 2], h: f64) -> Option<f64> {
    if !(v * w < 0.0) {
        return None;
    }
    let share = v / (v - w);
    // From both ends, by their shares, so that it meets both.
    let (from_a, from_b) = (a + 0.5 * v * share * h, b - 0.5 * w * (1.0 - share) * h);
    Some((1.0 - share) * from_a + share * from_b)
}

fn show(problem: &Problem<'_>, point: &Point) -> Result<Shown, String> {
    let loaded = problem.load(problem.value(&point.u).filter(|_| problem.along.is_some()))?;
    let mut loaded = Scheme::replace(loaded, "event-driven").map_err(|failure| failure.to_string())?;
    let n = problem.n(&point.u);
    let state = at(&loaded, &point.u[..2 * n]);
    let simulation: &mut Simulation = &mut loaded.simulation;
    simulation.set_state(state).map_err(|error| error.to_string())?;
    let h = point.shot.time / SHOWN as f64;
    simulation.set_step_size(h).map_err(|error| error.to_string())?;
    let mut before = State::clone(&simulation.state);
    let mut extremes: Vec<[f64; 2]> = point.u[..n].iter().map(|&x| [x, x]).collect();
    let mut course = vec![(point.u[0], point.u[n])];
    for _ in 0..SHOWN {
        let (frame, before) = (simulation.step().map_err(|error| error.to_string())?, &mut before);
        before.copy_from(frame.before);
        let impacts: Vec<f64> = frame.log.events.iter().map(|event| event.t).collect();
        let after = frame.after.clone();
        for i in 0..n {
            take(&mut extremes[i], after.q[i]);
            if impacts.is_empty() {
                let ends = [before.q[i], after.q[i]];
                let turn = turn(ends, [before.v[i], after.v[i]], after.t - before.t);
                turn.into_iter().for_each(|x| take(&mut extremes[i], x));
            }
        }
        // A largest value at an impact lies within the step: the same way again, up to there.
        for t in impacts.into_iter().filter(|t| t - before.t > SHORT * h) {
            simulation.set_step_size(t - before.t).map_err(|error| error.to_string())?;
            simulation.set_state(before.clone()).map_err(|error| error.to_string())?;
            let hit = simulation.step().map_err(|error| error.to_string())?;
            (0..n).for_each(|i| take(&mut extremes[i], hit.after.q[i]));
            simulation.set_step_size(h).map_err(|error| error.to_string())?;
            simulation.set_state(after.clone()).map_err(|error| error.to_string())?;
        }
        course.push((after.q[0], after.v[0]));
    }
    Ok(Shown { extremes, course })
}
