//! Figures of first-order systems: states, and the inputs of relations.

use super::figures::{Data, FigureError};
use super::tables::STATES;
use nonsmooth_draw::plot::{Figure, Item};

/// Lines that a figure has at most; more would be unreadable.
const MOST_LINES: usize = 6;

impl Data {
    /// Whether the run has states or relations.
    pub(super) fn has_states(&self) -> bool {
        self.reader.table(STATES).is_ok()
    }

    /// The figures of states and of inputs. Units differ, so that each line is divided by its largest value, which stands in its label.
    pub(super) fn of_states(&self) -> Result<Vec<(&'static str, Figure)>, FigureError> {
        if !self.has_states() {
            return Ok(Vec::new());
        }
        let rows = self.reader.floats(STATES)?;
        let columns = &self.reader.table(STATES)?.spec.columns;
        let (mut states, mut inputs) = (Vec::new(), Vec::new());
        for (k, name) in columns.iter().enumerate().skip(1) {
            let last = name.rsplit('.').next().unwrap_or_default();
            let lines = match last.split('[').next() {
                Some("lambda") => &mut inputs,
                Some("y") => continue,
                _ => &mut states,
            };
            if lines.len() == MOST_LINES {
                continue;
            }
            let values = rows.values.chunks(rows.width).take(self.t.len()).map(|row| row[k]);
            let largest = values.clone().fold(0.0f64, |m, x| m.max(x.abs()));
            let scale = if largest > 0.0 && largest.is_finite() { largest } else { 1.0 };
            let points = self.t.iter().copied().zip(values.map(|x| x / scale)).collect();
            lines.push(Item::Line { label: format!("{name} / {scale:.4e}"), points });
        }
        let figure = |what, items| self.figure(what, "each over its largest value [1]", items);
        let mut figures = Vec::new();
        if !states.is_empty() {
            figures.push(("states", figure("states", states)));
        }
        if !inputs.is_empty() {
            figures.push(("inputs", figure("inputs of relations", inputs)));
        }
        Ok(figures)
    }
}
