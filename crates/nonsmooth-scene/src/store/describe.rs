//! What a file contains: finds the tables and checks that they are laid out as this module does.

use std::path::Path;

use hdf5_pure::{Dataset, File, Group};

use super::error::{StoreError, hdf5, io};
use super::spec::{Field, Kind, Layout, MAX_ELEMENT_BYTES, MAX_WIDTH, TableSpec};

/// Attribute with the position of a table among the specs; HDF5 does not keep the order.
pub(super) const ORDER: &str = "order";

/// Attribute with the kinds of the columns of records.
pub(super) const FIELDS: &str = "fields";

/// Groups nested deeper than this are a damaged file that contains itself.
const MAX_DEPTH: usize = 32;

/// The HDF5 number of the deflate filter.
const DEFLATE: u16 = 1;

/// Deflate shrinks by at most a factor 1032; a table claiming more is damaged.
const MAX_DEFLATE_FACTOR: u64 = 1032;

/// A table found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// Its description.
    pub spec: TableSpec,
    /// Complete rows in the file.
    pub rows: u64,
    /// How it is stored.
    pub(super) layout: Layout,
    /// Elements in the file: a kill may leave part of a flat row behind.
    pub(super) n_elements: u64,
    order: i64,
}

/// Finds all tables of a file, in the order of their specs.
pub(super) fn describe(file: &File, path: &Path) -> Result<Vec<TableInfo>, StoreError> {
    let file_bytes = std::fs::metadata(path).map_err(io(path))?.len();
    let mut tables = Vec::new();
    let mut open_groups = vec![(file.root(), String::new(), 0)];
    while let Some((group, prefix, depth)) = open_groups.pop() {
        for name in group.datasets().map_err(hdf5(path))? {
            let dataset = group.dataset(&name).map_err(hdf5(path))?;
            tables.extend(describe_table(&dataset, format!("{prefix}{name}"), path, file_bytes)?);
        }
        for (name, child) in subgroups(&group, path)? {
            if depth == MAX_DEPTH {
                return Err(StoreError::BadTable { path: path.to_owned(), table: name });
            }
            open_groups.push((child, format!("{prefix}{name}/"), depth + 1));
        }
    }
    tables.sort_by_key(|table| table.order);
    Ok(tables)
}

fn subgroups(group: &Group, path: &Path) -> Result<Vec<(String, Group)>, StoreError> {
    let names = group.groups().map_err(hdf5(path))?;
    let open = |name: String| Ok((name.clone(), group.group(&name).map_err(hdf5(path))?));
    names.into_iter().map(open).collect()
}

/// Describes one dataset; `None` if it does not carry our attributes.
fn describe_table(
    dataset: &Dataset,
    name: String,
    path: &Path,
    file_bytes: u64,
) -> Result<Option<TableInfo>, StoreError> {
    let attributes = dataset.attrs().map_err(hdf5(path))?;
    let integer = |key: &str| attributes.get(key).and_then(|value| value.as_i64());
    let text = |key: &str| attributes.get(key).and_then(|v| v.as_str()).unwrap_or("").to_owned();
    let (Some(width), Some(order)) = (integer("width"), integer(ORDER)) else {
        return Ok(None);
    };
    let bad = || StoreError::BadTable { path: path.to_owned(), table: name.clone() };
    let columns = text("columns");
    let mut spec = TableSpec {
        name: name.clone(),
        kind: Kind::Float,
        width: usize::try_from(width).ok().filter(|w| (1..=MAX_WIDTH).contains(w)).ok_or_else(bad)?,
        columns: if columns.is_empty() {
            vec![]
        } else {
            columns.split(',').map(str::to_owned).collect()
        },
        fields: vec![],
        unit: text("unit"),
        about: text("about"),
    };
    // The stored type must be the one this module would choose, for one of the kinds.
    let datatype = dataset.datatype().map_err(hdf5(path))?;
    let codes = text(FIELDS);
    if !codes.is_empty() {
        let fields: Option<Vec<Field>> = codes.split(',').map(Field::from_code).collect();
        (spec.kind, spec.fields) = (Kind::Record, fields.ok_or_else(bad)?);
        let is_whole = [spec.fields.len(), spec.columns.len()] == [spec.width; 2]
            && spec.row_bytes() <= MAX_ELEMENT_BYTES;
        if !is_whole || spec.datatype() != datatype {
            return Err(bad());
        }
    } else {
        let fits = |kind: &Kind| TableSpec { kind: *kind, ..spec.clone() }.datatype() == datatype;
        spec.kind = [Kind::Float, Kind::Integer].into_iter().find(fits).ok_or_else(bad)?;
    }
    let (layout, n_elements) = stored(dataset, &spec, path)?.ok_or_else(bad)?;
    let factor = if layout.compress { MAX_DEFLATE_FACTOR } else { 1 };
    if n_elements.saturating_mul(layout.element_bytes as u64) > file_bytes.saturating_mul(factor) {
        return Err(bad());
    }
    Ok(Some(TableInfo { rows: n_elements / layout.per_row, spec, layout, n_elements, order }))
}

/// The layout and length of a dataset; `None` if it is not rank 1 and chunked.
fn stored(
    dataset: &Dataset,
    spec: &TableSpec,
    path: &Path,
) -> Result<Option<(Layout, u64)>, StoreError> {
    let shape = dataset.shape().map_err(hdf5(path))?;
    let chunks = dataset.chunk_shape().map_err(hdf5(path))?;
    let (&[n_elements], Some(&[chunk])) = (shape.as_slice(), chunks.as_deref()) else {
        return Ok(None);
    };
    let compress = dataset.filters().contains(&DEFLATE);
    Ok((chunk > 0).then_some((spec.stored_layout(chunk, compress), n_elements)))
}
