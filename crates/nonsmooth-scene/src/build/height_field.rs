//! Heights over a grid: from a formula of x and y, a list, or a file of numbers.

use super::copies::At;
use super::names::Constants;
use super::{Build, Dimension};
use crate::formula::{Meaning, Program, Scope};
use crate::scene::{Quantity, Shape, Vector};

/// Heights row by row along x.
pub(super) struct Grid {
    pub(super) heights: Vec<f64>,
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) spacing: [f64; 2],
}

/// Grid points beyond which a number is taken for a mistake.
const MOST_POINTS: f64 = 1e8;

/// Constants, x, and in space y.
struct OfPlace<'a> {
    constants: Constants<'a>,
    has_y: bool,
}

impl Scope for OfPlace<'_> {
    fn look_up(&self, name: &str) -> Option<Meaning> {
        match name {
            "x" => Some(Meaning::Slot(0)),
            "y" if self.has_y => Some(Meaning::Slot(1)),
            _ => self.constants.look_up(name),
        }
    }
    fn names(&self) -> Vec<String> {
        let mut names = vec!["x".to_owned()];
        names.extend(self.has_y.then(|| "y".to_owned()));
        names.extend(self.constants.names());
        names
    }
}

impl Build<'_> {
    /// The heights of a height field; in the plane it is one row.
    pub(super) fn grid(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<Grid> {
        let spacing = self.spacing(at, spec, copy);
        let columns = self.count(at, "columns", spec.columns.as_ref(), copy).ok()?;
        let rows = self.count(at, "rows", spec.rows.as_ref(), copy).ok()?;
        let rows = if self.dimension == Dimension::Plane { Some(1) } else { rows };
        match (&spec.heights, &spec.file) {
            (Some(Vector::All(formula)), None) => {
                let (Some(columns), Some(rows)) = (columns, rows) else {
                    let needed = if self.dimension == Dimension::Plane {
                        "`columns`"
                    } else {
                        "`columns` and `rows`"
                    };
                    self.wrong(at, format!("heights by a formula need {needed}"));
                    return None;
                };
                let heights = self.heights_of(at, formula, (columns, rows, spacing?), copy)?;
                Some(Grid { heights, columns, rows, spacing: spacing? })
            }
            (Some(Vector::Each(list)), None) => {
                let heights = self.numbers(&at.key("heights"), list, copy)?;
                let (columns, rows) = fill(heights.len(), columns, rows);
                self.full(&at.key("heights"), Grid { heights, columns, rows, spacing: spacing? })
            }
            (None, Some(file)) => {
                let scale = self.scale(at, spec, copy)?;
                let (heights, per_line) = self.number_file(&at.key("file"), file)?;
                let heights: Vec<f64> = heights.iter().map(|h| h * scale).collect();
                let line = if self.dimension == Dimension::Plane { None } else { Some(per_line) };
                let (columns, rows) = fill(heights.len(), columns.or(line), rows);
                self.full(&at.key("file"), Grid { heights, columns, rows, spacing: spacing? })
            }
            _ => {
                self.wrong(at, "a height field has exactly one of `heights` and `file`".into());
                None
            }
        }
    }

    /// Refuses a grid that its heights do not fill.
    fn full(&mut self, at: &At<'_>, grid: Grid) -> Option<Grid> {
        let Grid { columns, rows, .. } = grid;
        let got = grid.heights.len();
        if columns.checked_mul(rows) != Some(got) {
            self.wrong(
                at,
                format!("{got} heights do not fill a grid of {columns} columns and {rows} rows"),
            );
            return None;
        }
        Some(grid)
    }

    fn count(
        &mut self,
        at: &At<'_>,
        key: &str,
        quantity: Option<&Quantity>,
        copy: Option<usize>,
    ) -> Result<Option<usize>, ()> {
        let at = at.key(key);
        match self.optional(&at, quantity, copy)? {
            Some(n) if n >= 2.0 && n.fract() == 0.0 && n <= MOST_POINTS => Ok(Some(n as usize)),
            Some(n) => {
                self.wrong(
                    &at,
                    format!("`{key}` must be a whole number from 2 to {MOST_POINTS:e}, got {n}"),
                );
                Err(())
            }
            None => Ok(None),
        }
    }

    fn spacing(&mut self, at: &At<'_>, spec: &Shape, copy: Option<usize>) -> Option<[f64; 2]> {
        let at_spacing = at.key("spacing");
        let list = match &spec.spacing {
            None => {
                self.wrong(at, "key `spacing` is missing".into());
                return None;
            }
            Some(Vector::All(one)) => [one, one],
            Some(Vector::Each(list)) => match &list[..] {
                [x, y] if self.dimension == Dimension::Space => [x, y],
                _ => {
                    let want = if self.dimension == Dimension::Space {
                        "one number or two"
                    } else {
                        "one number"
                    };
                    self.wrong(&at_spacing, format!("`spacing` is {want}, got {}", list.len()));
                    return None;
                }
            },
        };
        let x = self.value(&at_spacing, list[0], copy)?;
        let y = self.value(&at_spacing, list[1], copy)?;
        Some([x, y])
    }

    /// z = h(x, y) at every grid point.
    fn heights_of(
        &mut self,
        at: &At<'_>,
        formula: &Quantity,
        (columns, rows, [dx, dy]): (usize, usize, [f64; 2]),
        copy: Option<usize>,
    ) -> Option<Vec<f64>> {
        let at = at.key("heights");
        if columns as f64 * rows as f64 > MOST_POINTS {
            self.wrong(
                &at,
                format!("a grid of {columns} by {rows} points is too large, at most {MOST_POINTS:e}"),
            );
            return None;
        }
        let scope =
            OfPlace { constants: self.constants(copy), has_y: self.dimension == Dimension::Space };
        let program = match self.formula(&at.path(), formula, &scope) {
            Ok(expression) => Program::compile(&expression),
            Err(mut mistakes) => {
                self.mistakes.append(&mut mistakes);
                return None;
            }
        };
        self.compiled.used_index |= copy.is_some();
        let centred = |k: usize, n: usize, d: f64| (k as f64 - 0.5 * (n as f64 - 1.0)) * d;
        let mut heights = Vec::with_capacity(columns * rows);
        for j in 0..rows {
            for i in 0..columns {
                let (x, y) = (centred(i, columns, dx), centred(j, rows, dy));
                let z = program.eval(&[x, y]);
                if !z.is_finite() {
                    self.wrong(
                        &at,
                        format!("the height at x = {x}, y = {y} must be finite, but it is {z}"),
                    );
                    return None;
                }
                heights.push(z);
            }
        }
        Some(heights)
    }

    /// Numbers separated by blanks or commas, a row of the grid to a line, and how many stand in the first line.
    fn number_file(&mut self, at: &At<'_>, file: &str) -> Option<(Vec<f64>, usize)> {
        let bytes = self.file(at, file)?;
        let text = String::from_utf8_lossy(&bytes);
        let (mut numbers, mut per_line) = (Vec::new(), None);
        for (k, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("");
            let words: Vec<&str> = line
                .split(|c: char| c.is_whitespace() || c == ',')
                .filter(|word| !word.is_empty())
                .collect();
            for word in &words {
                match word.parse::<f64>().ok().filter(|x| x.is_finite()) {
                    Some(x) => numbers.push(x),
                    None => {
                        self.wrong(
                            at,
                            format!("`{file}`, line {}: `{word}` is not a finite number", k + 1),
                        );
                        return None;
                    }
                }
            }
            if !words.is_empty() && *per_line.get_or_insert(words.len()) != words.len() {
                let first = per_line.unwrap_or(0);
                let got = words.len();
                self.wrong(
                    at,
                    format!("`{file}`, line {}: {got} numbers, but the first line has {first}", k + 1),
                );
                return None;
            }
        }
        Some((numbers, per_line.unwrap_or(0)))
    }
}

/// Columns and rows, where one of them follows from the number of heights.
fn fill(n: usize, columns: Option<usize>, rows: Option<usize>) -> (usize, usize) {
    match (columns, rows) {
        (Some(columns), Some(rows)) => (columns, rows),
        (Some(columns), None) => (columns, n / columns.max(1)),
        (None, Some(rows)) => (n / rows.max(1), rows),
        (None, None) => (n, 1),
    }
}
