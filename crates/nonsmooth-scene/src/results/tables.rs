//! The tables of a result file that grow from frame to frame, and the names that stand in them.

use super::{bodies, elastic};
use crate::meshed::MeshedBody;
use crate::store::{FRAMES, Field, Kind, RecordWriter, StoreError, TableSpec, Writer};
use crate::tidy::{BodyRow, Cells, ContactRow, EnergyRow, EventRow, JointRow, Row};
use nonsmooth::model::ConstraintId;
use nonsmooth::model::constraints::Column;
use nonsmooth::model::relations::RelationValues;
use nonsmooth::{Model, State, StepResult};

/// Name, kind, columns, units and meaning of a table of fixed width.
pub(super) type Fixed = (&'static str, Kind, &'static [&'static str], &'static str, &'static str);

/// Name of the table of states.
pub(crate) const STATES: &str = "states";

const SOLVER: Fixed = (
    "solver",
    Kind::Float,
    &["t", "residual", "iterations", "newton_iterations", "converged"],
    "s, 1",
    "the step that led to an instant: residual, iterations of all its solves, 1 if it converged",
);
const FRAMES_TABLE: Fixed = (
    FRAMES,
    Kind::Float,
    &["t", "step", "step_size", "bodies_end", "contacts_end", "joints_end", "events_end", "present"],
    "s, 1, s, 1",
    "one row per frame: where its rows in `bodies`, `contacts`, `joints` and `events` end, and the number of bodies that are present; written last, defines what is valid",
);

/// A table of fixed width.
pub(super) fn fixed((name, kind, columns, unit, about): Fixed) -> TableSpec {
    let columns = columns.iter().map(|&c| c.to_owned()).collect();
    table(name, kind, columns, unit, about)
}

fn table(name: &str, kind: Kind, columns: Vec<String>, unit: &str, about: &str) -> TableSpec {
    let (width, name, unit, about) = (columns.len(), name.to_owned(), unit.to_owned(), about.to_owned());
    TableSpec { name, kind, width, columns, fields: Vec::new(), unit, about }
}

/// A tidy table; `text` is what its columns of names hold.
fn tidy<R: Row>(text: Field) -> TableSpec {
    let columns: Vec<String> = R::COLUMNS.iter().map(|&c| c.to_owned()).collect();
    let field = |k: usize| if (1..=R::N_TEXTS).contains(&k) { text } else { Field::Float };
    let fields = (0..R::COLUMNS.len()).map(field).collect();
    TableSpec { fields, ..table(R::NAME, Kind::Record, columns, R::UNITS, R::ABOUT) }
}

/// Number of coordinates of systems; those of bodies follow.
pub(crate) fn n_system_coordinates(model: &Model) -> usize {
    model.rigid.bodies.iter().map(|body| body.q as usize).min().unwrap_or(model.n_coordinates())
}

/// Names of all rigid things but the world, in the order of their numbers.
pub(super) fn rigid_names(model: &Model) -> impl Iterator<Item = &str> {
    let moving = model.rigid.bodies.iter().map(|body| body.name.as_str());
    moving.chain(model.rigid.kinematic.iter().map(|body| body.name.as_str()))
}

/// Names of the systems of a model, bodies left out, in the order of their coordinates.
pub fn system_names(model: &Model) -> Vec<String> {
    let mut names: Vec<String> =
        (0..n_system_coordinates(model)).map(|i| model.coordinate_name(i).0).collect();
    names.dedup();
    names
}

/// Names of the constraints that have a gap, in the order of `StepLog::gaps`.
pub(crate) fn gap_names(model: &Model) -> Vec<String> {
    let mut names = Vec::new();
    for (f, family) in model.constraints.iter().enumerate() {
        // Families without gaps, such as springs, say nothing of them; springs on joint axes stand among stops.
        let mut gaps = Vec::new();
        family.bilateral_gaps(model, &mut gaps);
        let law = |i: usize| family.law(model, ConstraintId::member(f as u8, i));
        let has_gap = |i: &usize| family.column(model, law(*i), 0) != Column::Own;
        let members = (0..family.n_members()).filter(has_gap).take(gaps.len());
        names.extend(members.map(|i| family.member_name(i).to_owned()));
    }
    names
}

/// All tables of the results of a model, in the order in which they are written.
pub(crate) fn specs(model: &Model, meshed: &[MeshedBody]) -> Vec<TableSpec> {
    let has_bodies = bodies::has_bodies(model);
    let mut specs = Vec::new();
    if has_bodies {
        specs.extend(bodies::specs());
        specs.push(tidy::<BodyRow<'_>>(Field::text_for(rigid_names(model))));
    }
    specs.extend(elastic::specs(meshed));
    specs.extend(coordinates(model));
    specs.extend(states(model));
    let text = |texts: Vec<&str>| Field::text_for(texts);
    let both: Vec<&str> = rigid_names(model).chain(model.constraint_names()).collect();
    specs.push(tidy::<EnergyRow>(Field::Float));
    specs.push(tidy::<ContactRow<'_>>(text(both.clone())));
    specs.push(tidy::<EventRow<'_>>(text([&both[..], &[super::step_rows::IMPACT]].concat())));
    if !model.joints.joints.is_empty() {
        let names = model.joints.joints.iter().map(|joint| joint.name.as_str());
        specs.push(tidy::<JointRow<'_>>(Field::text_for(names)));
    }
    let mut names = gap_names(model);
    if !names.is_empty() {
        names.insert(0, "t".to_owned());
        specs.push(table("gaps", Kind::Float, names, "s, m", "gap of every constraint that has one"));
    }
    specs.push(fixed(SOLVER));
    specs.push(fixed(FRAMES_TABLE));
    specs
}

/// The table of coordinates of systems, if there are any.
fn coordinates(model: &Model) -> Option<TableSpec> {
    let n = n_system_coordinates(model);
    let mut columns = vec!["t".to_owned()];
    for (system, coordinate) in (0..n).map(|i| model.coordinate_name(i)) {
        columns.extend([format!("{system}.{coordinate}"), format!("{system}.v_{coordinate}")]);
    }
    let about = "coordinates of the systems, each with its velocity (right limit)";
    (n > 0).then(|| table("coordinates", Kind::Float, columns, "s, m, rad, m/s, rad/s", about))
}

/// The table of states of first-order systems, and of y and λ of relations, if there are any.
fn states(model: &Model) -> Option<TableSpec> {
    let mut columns = vec!["t".to_owned()];
    columns.extend(state_places(model).map(|i| {
        let (system, state) = model.velocity_name(i);
        format!("{system}.{state}")
    }));
    for relation in &model.relations {
        for what in ["y", "lambda"] {
            let index =
                |k: usize| if relation.n_shown() == 1 { String::new() } else { format!("[{k}]") };
            columns.extend(
                (0..relation.n_shown()).map(|k| format!("{}.{what}{}", relation.name(), index(k))),
            );
        }
    }
    let about = "states of the first-order systems, and output y and input lambda of the relations, of the step that led to the instant";
    (columns.len() > 1).then(|| table(STATES, Kind::Float, columns, "s, units of the scene", about))
}

/// The row of a state in that table, the time left out.
pub(crate) fn state_row(model: &Model, state: &State, row: &mut Vec<f64>) -> StepResult {
    row.extend(state_places(model).map(|i| state.v[i]));
    let RelationValues { y, lambda } = model.relation_values(state)?;
    for relation in &model.relations {
        for values in [&y, &lambda] {
            row.extend_from_slice(&values[relation.rows()][..relation.n_shown()]);
        }
    }
    Ok(())
}

/// Places in v of the states of first-order systems.
fn state_places(model: &Model) -> std::ops::Range<usize> {
    let family = model.systems.iter().find(|family| family.is_first_order());
    family.map_or(0..0, |family| family.layout().v.clone())
}

/// A record of the result file as the cells of a tidy row.
struct Record<'a, 'b>(&'a mut RecordWriter<'b>);

impl Cells for Record<'_, '_> {
    fn number(&mut self, x: f64) {
        self.0.float(x);
    }

    fn text(&mut self, text: &str) {
        self.0.text(text);
    }

    fn skip(&mut self) {
        self.0.empty();
    }
}

/// Appends a tidy row.
pub(crate) fn append<R: Row>(writer: &mut Writer, table: usize, row: &R) -> Result<(), StoreError> {
    writer.append_record(table, |to| row.cells(&mut Record(to)))
}
