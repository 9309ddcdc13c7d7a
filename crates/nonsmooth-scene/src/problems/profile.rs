//! Performance profiles: how often a solver is within a factor τ of the fastest one [Dolan02].
//!
//! ```text
//! ρ_s(τ) = |{ p : t_{s,p} ≤ τ min_s t_{s,p} }| / |{ p }|
//! ```
//!
//! ρ_s(1) is the share of problems on which s is the fastest, ρ_s(∞) the share that it solves at all. Problems that a
//! solver does not solve, or does not take, count against it.

use nonsmooth_draw::plot::{Figure, Item, Scale};

/// Shortest time that is told apart from others [s].
const SHORTEST: f64 = 1e-9;

/// The vertices (τ, ρ) of one solver's step line, from τ = 1 to the same last τ for all.
pub type Curve = Vec<(f64, f64)>;

/// One curve per solver from `times[solver][problem]` [s], `None` where it was not solved.
pub fn curves(times: &[Vec<Option<f64>>]) -> Vec<Curve> {
    let n_problems = times.iter().map(Vec::len).max().unwrap_or(0);
    let time = |solver: &Vec<Option<f64>>, problem: usize| {
        solver.get(problem).copied().flatten().map(|t| t.max(SHORTEST))
    };
    let best: Vec<f64> = (0..n_problems)
        .map(|p| times.iter().filter_map(|s| time(s, p)).fold(f64::INFINITY, f64::min))
        .collect();
    let mut ratios: Vec<Vec<f64>> = times
        .iter()
        .map(|solver| (0..n_problems).filter_map(|p| Some(time(solver, p)? / best[p])).collect())
        .collect();
    ratios.iter_mut().for_each(|ratios| ratios.sort_by(f64::total_cmp));
    let last = ratios.iter().flatten().fold(1.0f64, |m, &r| m.max(r));
    // Room to the right of the last step; at least a decade, so that equal solvers give a picture too.
    let end = (1.2 * last).max(10.0);
    ratios.iter().map(|ratios| steps(ratios, n_problems, end)).collect()
}

/// The step line of sorted ratios.
fn steps(ratios: &[f64], n_problems: usize, end: f64) -> Curve {
    let share = |n: usize| n as f64 / n_problems.max(1) as f64;
    let fastest = ratios.iter().take_while(|&&r| r <= 1.0).count();
    let mut curve = vec![(1.0, share(fastest))];
    for (k, &ratio) in ratios.iter().enumerate().skip(fastest) {
        curve.push((ratio, share(k)));
        curve.push((ratio, share(k + 1)));
    }
    curve.push((end, share(ratios.len())));
    curve
}

/// The profile of these solvers as a figure; the legend says how many problems each solves.
pub fn figure(title: &str, names: &[String], times: &[Vec<Option<f64>>]) -> Figure {
    let n_problems = times.iter().map(Vec::len).max().unwrap_or(0);
    let curves = curves(times);
    let end = curves.first().and_then(|curve| curve.last()).map_or(10.0, |last| last.0);
    // The line at 1 keeps the whole range of shares in sight.
    let mut items = vec![Item::Dashed { label: String::new(), points: vec![(1.0, 1.0), (end, 1.0)] }];
    for ((name, points), times) in names.iter().zip(curves).zip(times) {
        let solved = times.iter().flatten().count();
        items.push(Item::Line { label: format!("{name} ({solved}/{n_problems})"), points });
    }
    Figure {
        title: title.to_owned(),
        x_label: "processor time over that of the fastest solver τ [–]".into(),
        y_label: "share of problems solved within τ [–]".into(),
        x_scale: Scale::Log,
        items,
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three solvers on four problems; the last problem is solved by none.
    ///
    /// ```text
    ///        1   2   3   4        ratios
    ///   a    1   4   2   –        1, 4, 1
    ///   b    2   1   –   –        2, 1
    ///   c    –   –   8   –        4
    /// ```
    #[test]
    fn a_case_by_hand() {
        let times = [
            vec![Some(1.0), Some(4.0), Some(2.0), None],
            vec![Some(2.0), Some(1.0), None, None],
            vec![None, None, Some(8.0), None],
        ];
        let found = curves(&times);
        assert_eq!(found[0], [(1.0, 0.5), (4.0, 0.5), (4.0, 0.75), (10.0, 0.75)]);
        assert_eq!(found[1], [(1.0, 0.25), (2.0, 0.25), (2.0, 0.5), (10.0, 0.5)]);
        assert_eq!(found[2], [(1.0, 0.0), (4.0, 0.0), (4.0, 0.25), (10.0, 0.25)]);
    }

    #[test]
    fn nothing_solved_and_no_time_at_all_make_curves_too() {
        assert!(curves(&[]).is_empty());
        assert_eq!(curves(&[vec![]]), [[(1.0, 0.0), (10.0, 0.0)]]);
        assert_eq!(curves(&[vec![None], vec![Some(0.0)]])[1], [(1.0, 1.0), (10.0, 1.0)]);
        let times = [vec![Some(0.0), Some(1.0)], vec![Some(1e-3), None]];
        let figure = figure("", &["a".into(), "b".into()], &times);
        assert!(nonsmooth_draw::plot::draw(&figure).is_ok());
    }
}
