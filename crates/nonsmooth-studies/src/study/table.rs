//! Tables of a study: aligned on the terminal, as CSV in files.

use super::runs::{Made, Measure, Of, Studied};
use nonsmooth::analysis::{NORMS, Work};

/// Rows as aligned columns, the first on the left, the others on the right.
pub(super) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |k: usize| rows.iter().filter_map(|row| row.get(k)).map(|c| c.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|k| width(k).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (k, (cell, wide)) in row.iter().zip(&widths).enumerate() {
            line += &if k == 0 { format!("{cell:<wide$}") } else { format!("   {cell:>wide$}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// `97`, or `97–107`.
pub(super) fn range(values: impl Iterator<Item = u64> + Clone) -> String {
    match (values.clone().min(), values.max()) {
        (Some(a), Some(b)) if a < b => format!("{a}–{b}"),
        (Some(a), _) => a.to_string(),
        _ => "–".into(),
    }
}

/// A text that a CSV reader takes for one cell.
pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A number with all its digits; nothing for none.
pub(super) fn digits(x: Option<f64>) -> String {
    x.map_or(String::new(), |x| format!("{x:e}"))
}

/// Every run of every scheme, empty where there is no number.
pub(super) fn runs_csv(studied: &[Studied], step_size: impl Fn(u64) -> f64) -> String {
    let names: Vec<String> = measures().map(|m| format!("{}_{}", m.of.name(), m.name())).collect();
    let mut text = format!(
        "scheme,rung,steps,step_size,tolerance,{},inner_steps,rejected,evaluations,problems,seconds,failure\n",
        names.join(",")
    );
    for studied in studied {
        for (rung, runs) in studied.rungs.iter().enumerate() {
            for made in runs {
                let head = format!("{},{},{}", quoted(&studied.label), rung + 1, made.steps);
                text += &format!("{head},{:e},{}\n", step_size(made.steps), run_cells(made));
            }
        }
    }
    text
}

fn run_cells(made: &Made) -> String {
    let run = made.run.as_ref().ok();
    let mut cells = vec![digits(made.tolerance)];
    cells.extend(measures().map(|measure| digits(run.map(|run| measure.error(run)))));
    let count = |of: fn(&Work) -> u64| run.map_or(String::new(), |run| of(&run.work).to_string());
    cells.push(count(|work| work.counts.steps));
    cells.push(count(|work| work.counts.rejected));
    cells.push(count(|work| work.counts.evaluations));
    cells.push(count(|work| work.problems));
    cells.push(digits(made.seconds));
    cells.push(made.run.as_ref().err().map_or(String::new(), |failure| quoted(failure)));
    cells.join(",")
}

/// Every norm of q, then every norm of v.
pub(super) fn measures() -> impl Iterator<Item = Measure> {
    [Of::Q, Of::V].into_iter().flat_map(|of| (0..NORMS.len()).map(move |norm| Measure { of, norm }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a", "1", "μ"], ["long", "100", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows), "a        1   μ\nlong   100\n");
    }

    #[test]
    fn failed_runs_leave_their_numbers_empty() {
        let run = Err("step 3: \"odd\", sad".to_owned());
        let made = Made { steps: 97, tolerance: None, seconds: None, run };
        let studied = [Studied { label: "a:b=1".into(), rungs: vec![vec![made]] }];
        let text = runs_csv(&studied, |steps| 1.0 / steps as f64);
        let (head, row) = text.trim_end().split_once('\n').unwrap();
        assert!(
            head.starts_with(
                "scheme,rung,steps,step_size,tolerance,q_l1,q_l2,q_maximum,q_hausdorff,v_l1"
            )
        );
        assert!(row.starts_with("a:b=1,1,97,1.03"), "{row}");
        assert!(row.ends_with(",\"step 3: \"\"odd\"\", sad\""), "{row}");
        assert_eq!(head.matches(',').count(), row.matches(',').count() - 1, "one comma is quoted");
    }

    #[test]
    fn ranges_are_short() {
        assert_eq!(range([103, 97, 101].into_iter()), "97–103");
        assert_eq!((range([5].into_iter()), range([].into_iter())), ("5".into(), "–".into()));
    }
}
