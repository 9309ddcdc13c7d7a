//! Tables in CSV, found by the names of their columns.

/// A table: names of the columns, and the rows.
#[derive(Debug, Default)]
pub(super) struct Csv {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Lines that begin with `#`, without it.
    pub remarks: Vec<String>,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    names: &'a [String],
    cells: &'a [String],
}

impl Csv {
    /// Reads a table; every row must have as many cells as the first line has names.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut table = Self::default();
        for (k, line) in text.lines().enumerate() {
            if let Some(remark) = line.strip_prefix('#') {
                table.remarks.push(remark.trim().to_owned());
            } else if table.names.is_empty() {
                table.names = split(line);
            } else if !line.is_empty() {
                let cells = split(line);
                if cells.len() != table.names.len() {
                    let (have, want) = (cells.len(), table.names.len());
                    return Err(format!("line {}: {have} cells instead of {want}", k + 1));
                }
                table.rows.push(cells);
            }
        }
        Ok(table)
    }

    /// Reads a file; errors name it.
    pub(super) fn read(path: &std::path::Path) -> Result<Self, String> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
        Self::parse(&text).map_err(|error| named(&error))
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { names: &self.names, cells })
    }
}

impl<'a> Row<'a> {
    /// The cell of this column; empty where there is none.
    pub(super) fn text(self, name: &str) -> &'a str {
        let at = self.names.iter().position(|known| known == name);
        at.map_or("", |at| &self.cells[at])
    }

    /// The number in this column; `None` where it is empty or no number.
    pub(super) fn number(self, name: &str) -> Option<f64> {
        self.text(name).parse().ok()
    }
}

/// The cells of a line; quotes keep commas, and two quotes within quotes stand for one.
fn split(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_name() {
        let table = Csv::parse("# a remark\nname,n,note\na,2,\"x, \"\"y\"\"\"\r\nb,,\n").unwrap();
        let rows: Vec<Row<'_>> = table.rows().collect();
        assert_eq!(table.remarks, ["a remark"]);
        assert_eq!((rows[0].text("name"), rows[0].number("n")), ("a", Some(2.0)));
        assert_eq!(rows[0].text("note"), "x, \"y\"");
        assert_eq!((rows[1].number("n"), rows[1].text("other")), (None, ""));
    }

    #[test]
    fn short_rows_are_wrong() {
        assert_eq!(Csv::parse("a,b\n1\n").unwrap_err(), "line 2: 1 cells instead of 2");
    }
}
