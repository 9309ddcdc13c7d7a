//! The table of `nonsmooth solve`: on the terminal as it grows, as CSV when it is whole.

use nonsmooth_scene::problems::StoredProblem;
use nonsmooth_solvers::{Report, Status, Unsupported};

/// One solver on one problem.
pub(super) struct Row {
    /// Place of its file among all.
    pub file: usize,
    pub problem: String,
    pub kind: &'static str,
    pub contacts: Option<usize>,
    pub rows: usize,
    pub solver: &'static str,
    pub outcome: Outcome,
}

/// What came of it.
pub(super) enum Outcome {
    /// The solver worked.
    Solved {
        report: Report,
        /// ‖p − P_C(p − (u + shift))‖ / ‖u_free‖.
        measure: f64,
        /// Processor time [s].
        seconds: f64,
    },
    /// The solver does not take the problem, and why.
    Refused(Unsupported),
}

const HEADER: [&str; 12] = [
    "problem",
    "kind",
    "contacts",
    "rows",
    "solver",
    "method",
    "status",
    "iterations",
    "residual",
    "FCLIB measure",
    "worst",
    "time [ms]",
];

/// Widths of the columns; that of the problem is the longest name.
const WIDTHS: [usize; 12] = [0, 6, 8, 6, 14, 21, 15, 10, 9, 13, 6, 10];

/// Columns that are texts and begin on the left.
const LEFT: [usize; 5] = [0, 1, 4, 5, 6];

impl Row {
    pub(super) fn new(
        file: usize,
        stored: &StoredProblem,
        solver: &'static str,
        outcome: Outcome,
    ) -> Self {
        let (contacts, rows) = (stored.n_contacts(), stored.problem.size());
        Self {
            file,
            problem: stored.name.clone(),
            kind: stored.kind.name(),
            contacts,
            rows,
            solver,
            outcome,
        }
    }

    /// The time, if it was brought to tolerance [s].
    pub(super) fn solved_in(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Solved { report, seconds, .. } if report.status == Status::Converged => {
                Some(seconds)
            }
            _ => None,
        }
    }

    pub(super) fn refused(&self) -> Option<&Unsupported> {
        match &self.outcome {
            Outcome::Refused(why) => Some(why),
            Outcome::Solved { .. } => None,
        }
    }

    fn cells(&self) -> [String; 12] {
        let none = || "–".to_owned();
        let count = |n: Option<usize>| n.map_or_else(none, |n| n.to_string());
        let (method, status, tail) = match &self.outcome {
            Outcome::Refused(_) => {
                (none(), Status::Unsupported, [none(), none(), none(), none(), none()])
            }
            Outcome::Solved { report, measure, seconds } => {
                let residual = format!("{:.2e}", report.residual);
                let tail = [
                    report.iterations.to_string(),
                    residual,
                    format!("{measure:.2e}"),
                    count(report.worst),
                    format!("{:.3}", 1e3 * seconds),
                ];
                (report.method.to_owned(), report.status, tail)
            }
        };
        let [iterations, residual, measure, worst, time] = tail;
        [
            self.problem.clone(),
            self.kind.to_owned(),
            count(self.contacts),
            self.rows.to_string(),
            self.solver.to_owned(),
            method,
            status.to_string(),
            iterations,
            residual,
            measure,
            worst,
            time,
        ]
    }

    /// Its line on the terminal.
    pub(super) fn line(&self, width: usize) -> String {
        line(&self.cells(), width)
    }
}

/// The line above the others.
pub(super) fn header(width: usize) -> String {
    line(&HEADER.map(str::to_owned), width)
}

fn line(cells: &[String; 12], width: usize) -> String {
    let mut text = String::new();
    for (k, cell) in cells.iter().enumerate() {
        let wide = if k == 0 { width } else { WIDTHS[k] };
        let padded = if LEFT.contains(&k) { format!("{cell:<wide$}") } else { format!("{cell:>wide$}") };
        text += &padded;
        text += if k + 1 < cells.len() { "  " } else { "" };
    }
    text.trim_end().to_owned()
}

/// The whole table as CSV, numbers with all their digits, empty where there is none.
pub(super) fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "problem,kind,contacts,rows,solver,method,status,iterations,residual,fclib_measure,worst,seconds,reason\n",
    );
    for row in rows {
        let contacts = row.contacts.map_or(String::new(), |n| n.to_string());
        let head =
            format!("{},{},{contacts},{},{}", quoted(&row.problem), row.kind, row.rows, row.solver);
        text += &match &row.outcome {
            Outcome::Refused(why) => {
                format!("{head},,{},,,,,,{}\n", Status::Unsupported, quoted(&why.to_string()))
            }
            Outcome::Solved { report, measure, seconds } => {
                let worst = report.worst.map_or(String::new(), |n| n.to_string());
                let Report { method, status, iterations, residual, .. } = report;
                format!(
                    "{head},{method},{status},{iterations},{residual:e},{measure:e},{worst},{seconds:e},\n"
                )
            }
        };
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
