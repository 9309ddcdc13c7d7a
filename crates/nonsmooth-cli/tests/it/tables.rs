//! Result files compared bit by bit.

use nonsmooth_scene::RESULT_FILE;
use nonsmooth_scene::store::{FRAMES, Kind, Reader};
use std::collections::BTreeMap;
use std::path::Path;

/// Every table of a result file: entries per row, and all entries as bits.
pub struct Tables(pub BTreeMap<String, (usize, Vec<u64>)>);

/// A text as one number.
fn hash(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Tables {
    /// Reads the result file in `folder`.
    pub fn read(folder: &Path) -> Self {
        let reader = Reader::open(folder.join(RESULT_FILE)).expect("the result file is readable");
        let read = |name: &str, kind: Kind| -> (usize, Vec<u64>) {
            match kind {
                Kind::Float => {
                    let rows = reader.floats(name).expect("readable");
                    (rows.width, rows.values.iter().map(|x| x.to_bits()).collect())
                }
                Kind::Integer => {
                    let rows = reader.integers(name).expect("readable");
                    (rows.width, rows.values.iter().map(|x| *x as u64).collect())
                }
                Kind::Record => {
                    let n = reader.table(name).expect("there").rows;
                    let rows = reader.records_in(name, 0..n).expect("readable");
                    let cell = |row: usize, column: usize| match rows.is_text(column) {
                        true => hash(rows.text(row, column)),
                        false => rows.float(row, column).to_bits(),
                    };
                    let cells = |row| (0..rows.width()).map(move |column| (row, column));
                    let cells = (0..rows.len()).flat_map(cells);
                    (rows.width(), cells.map(|(row, column)| cell(row, column)).collect())
                }
            }
        };
        let tables =
            reader.tables().iter().map(|t| (t.spec.name.clone(), read(&t.spec.name, t.spec.kind)));
        Self(tables.collect())
    }

    pub fn rows(&self, name: &str) -> usize {
        let (width, values) = &self.0[name];
        values.len() / width
    }

    /// The last row of a table of floats.
    pub fn last(&self, name: &str) -> Vec<f64> {
        let (width, values) = &self.0[name];
        values[values.len() - width..].iter().map(|bits| f64::from_bits(*bits)).collect()
    }

    /// One column of a table of floats.
    pub fn column(&self, name: &str, column: usize) -> Vec<f64> {
        let (width, values) = &self.0[name];
        values.chunks(*width).map(|row| f64::from_bits(row[column])).collect()
    }

    /// Asserts that both hold the same bits.
    pub fn assert_same(&self, other: &Self) {
        assert!(self.0.keys().eq(other.0.keys()), "{:?} and {:?}", self.0.keys(), other.0.keys());
        for name in self.0.keys() {
            assert_eq!(self.rows(name), other.rows(name), "rows of {name}");
            self.assert_same_start(other, name);
        }
    }

    /// Asserts that this is what a run leaves that got no further than this: every table has the rows that
    /// `frames` vouches for, and all rows are those of the whole run.
    pub fn assert_prefix_of(&self, whole: &Self) {
        assert!(self.0.keys().eq(whole.0.keys()), "{:?} and {:?}", self.0.keys(), whole.0.keys());
        for name in self.0.keys() {
            assert!(self.rows(name) <= whole.rows(name), "{name} is longer than that of the whole run");
            self.assert_same_start(whole, name);
        }
        let n_frames = self.rows(FRAMES);
        for name in ["coordinates", "energy", "solver", "gaps"] {
            assert!(self.rows(name) >= n_frames, "{name}: {} rows, {n_frames} frames", self.rows(name));
        }
        let frame = self.last(FRAMES);
        for (name, end) in [("contacts", frame[4]), ("events", frame[6])] {
            assert!(
                self.rows(name) as f64 >= end,
                "{name}: {} rows, frames claim {end}",
                self.rows(name)
            );
        }
    }

    fn assert_same_start(&self, whole: &Self, name: &str) {
        let ((width, ours), (other_width, theirs)) = (&self.0[name], &whole.0[name]);
        assert_eq!(width, other_width, "width of {name}");
        if let Some(at) = ours.iter().zip(theirs).position(|(a, b)| a != b) {
            let (a, b) = (f64::from_bits(ours[at]), f64::from_bits(theirs[at]));
            panic!("{name}: row {}, entry {}: {a:?} instead of {b:?}", at / width, at % width);
        }
    }
}
