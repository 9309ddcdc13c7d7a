//! The references of the repository, in `references/`: trajectories and one-step problems of other codes.
//!
//! Files of up to 300 kB are committed. Larger problems lie beside the clone, in `../shared/problems`;
//! only the tests of the tier `large` read them.

use crate::tolerance::assert_close;
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest file that is committed [bytes].
pub const LARGEST_COMMITTED: f64 = 300_000.0;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the committed references. `cargo xtask mutations` names another one, with a mistake in it.
fn references() -> PathBuf {
    std::env::var_os("NONSMOOTH_REFERENCES").map_or_else(|| root().join("references"), PathBuf::from)
}

/// A reference trajectory.
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// The numbers by rows; the first column is the time.
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// The table of this entry of `references/trajectories`.
    pub fn read(entry: &str) -> Self {
        let folder = references().join("trajectories").join(entry);
        let mut text = String::new();
        let (plain, packed) = (folder.join("ref.csv"), folder.join("ref.csv.gz"));
        let read = match (File::open(plain), File::open(packed)) {
            (Ok(mut file), _) => file.read_to_string(&mut text),
            (_, Ok(file)) => GzDecoder::new(file).read_to_string(&mut text),
            _ => panic!("no reference table in {}", folder.display()),
        };
        read.unwrap_or_else(|error| panic!("the table in {}: {error}", folder.display()));
        Self::parse(&text)
    }

    fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let names = lines.next().expect("a table has a header").split(',').map(str::to_owned).collect();
        let number = |x: &str| x.trim().parse().expect("a table holds numbers");
        let rows = lines.map(|line| line.split(',').map(number).collect()).collect();
        Self { names, rows }
    }

    /// The place of a column; panics if there is none of this name.
    pub fn column(&self, name: &str) -> usize {
        let place = self.names.iter().position(|n| n == name);
        place.unwrap_or_else(|| panic!("no column `{name}`; there are: {}", self.names.join(", ")))
    }

    /// Largest difference between a column and `ours(row)` up to time `end`, and its time.
    pub fn worst(&self, name: &str, end: f64, ours: impl Fn(usize) -> f64) -> (f64, f64) {
        let column = self.column(name);
        let (mut worst, mut compared) = ((0.0, 0.0), 0);
        for (k, row) in self.rows.iter().enumerate().filter(|(_, row)| row[0] <= end) {
            let difference = (ours(k) - row[column]).abs();
            if !(difference <= worst.0) {
                worst = (difference, row[0]);
            }
            compared += 1;
        }
        assert!(compared >= 2, "{name}: {compared} rows compared");
        worst
    }

    /// Asserts that `ours(k)`, by row, agrees with the column.
    pub fn check(&self, name: &str, tolerance: f64, ours: impl Fn(usize) -> f64) {
        self.check_until(name, f64::INFINITY, tolerance, ours);
    }

    /// Asserts that `ours(k)`, by row, agrees with the column up to time `end`.
    pub fn check_until(&self, name: &str, end: f64, tolerance: f64, ours: impl Fn(usize) -> f64) {
        let (difference, t) = self.worst(name, end, ours);
        let told = format!("{name}: worst difference {difference:.1e} at t = {t}");
        eprintln!("{told}");
        assert!(difference <= tolerance, "{told}, tolerance {tolerance:.0e}");
    }
}

/// One line of the manifest of problems, by the names of its columns.
pub type Line = HashMap<String, String>;

/// Some of the one-step problems: their folder and their lines of the manifest.
pub struct Problems {
    /// The folder that the column `file` starts from.
    pub folder: PathBuf,
    /// Their lines.
    pub lines: Vec<Line>,
}

impl Problems {
    /// The problems that are committed.
    pub fn committed() -> Self {
        let lines = manifest(|bytes| bytes <= LARGEST_COMMITTED);
        Self { folder: references().join("problems"), lines }
    }

    /// The larger ones, beside the clone; panics if they are not there.
    pub fn large() -> Self {
        let folder = root().join("../shared/problems");
        assert!(
            folder.is_dir(),
            "no folder {}: put the collection of problems beside the clone",
            folder.display()
        );
        Self { folder, lines: manifest(|bytes| bytes > LARGEST_COMMITTED) }
    }

    /// The file of a line.
    pub fn path(&self, line: &Line) -> PathBuf {
        self.folder.join(&line["file"])
    }

    /// The file of the problem of this name; panics if it is not among them.
    pub fn named(&self, name: &str) -> PathBuf {
        let line = self.lines.iter().find(|line| line["name"] == name);
        self.path(line.unwrap_or_else(|| panic!("no problem `{name}` among {}", self.lines.len())))
    }
}

/// The number in a column; `None` where the cell is empty or a word.
pub fn number(line: &Line, column: &str) -> Option<f64> {
    line[column].parse().ok()
}

/// The lines of the manifest whose size [bytes] is wanted.
fn manifest(wanted: impl Fn(f64) -> bool) -> Vec<Line> {
    let path = references().join("problems/manifest.csv");
    let text =
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let names = cells(lines.next().expect("a manifest has a header"));
    let line = |line| -> Line { names.iter().cloned().zip(cells(line)).collect() };
    let size = |line: &Line| number(line, "bytes").expect("each problem has a size");
    lines.map(line).filter(|line| wanted(size(line))).collect()
}

/// The cells of a line of CSV; quoted ones may hold commas.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("never empty").push(c),
        }
    }
    cells
}

/// Asserts that the sum of the committed and the large problems is the whole manifest.
pub fn assert_collection_is_whole() {
    let (all, small) = (manifest(|_| true), Problems::committed());
    let large = manifest(|bytes| bytes > LARGEST_COMMITTED);
    assert_close("problems", (small.lines.len() + large.len()) as f64, all.len() as f64, 0.0);
    for line in &small.lines {
        let path = small.path(line);
        assert!(path.is_file(), "{} is in the manifest, but not committed", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_collection_is_whole() {
        assert_collection_is_whole();
        assert_eq!(Problems::committed().lines.len(), 96);
        assert!(Problems::committed().named("lcp_trivial").ends_with("lcp/lcp_trivial.json"));
    }

    #[test]
    fn every_listed_table_is_there_with_its_rows() {
        let index = std::fs::read_to_string(references().join("trajectories/index.csv")).unwrap();
        let lines: Vec<Vec<String>> = index.lines().skip(1).map(cells).collect();
        assert_eq!(lines.len(), 25);
        for line in lines {
            let table = Table::read(&line[0]);
            assert_eq!(table.rows.len().to_string(), line[2], "{}", line[0]);
            assert!(table.rows.iter().all(|row| row.len() == table.names.len()), "{}", line[0]);
        }
    }

    #[test]
    #[should_panic(expected = "worst difference 1.0e0 at t = 2, tolerance 1e-1")]
    fn a_wrong_sign_is_noticed() {
        Table::parse("t,q\n1,0\n2,0.5\n3,0.25\n").check("q", 0.1, |k| [0.0, -0.5, 0.25][k]);
    }

    #[test]
    #[should_panic(expected = "no reference table")]
    fn a_missing_table_fails() {
        Table::read("nowhere");
    }

    #[test]
    #[should_panic(expected = "0 rows compared")]
    fn comparing_nothing_fails() {
        Table::parse("t,q\n1,0\n").check_until("q", 0.5, 1.0, |_| 0.0);
    }
}
