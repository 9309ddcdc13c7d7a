//! The chain `auto` on jammed heaps of spheres: what is asked for more is never answered with less.

#[allow(dead_code)] // The bench lets columns fall too.
#[path = "../../examples/bench_heaps/fall.rs"]
mod fall;

use fall::Fall;
use nonsmooth_solvers::{Options, Problem, Status, find, solve};

/// A step to be solved, and its guess.
struct Hard {
    problem: Problem,
    guess: Vec<f64>,
}

/// Every tenth step of a heap that jams, made by sweeps to 1e-3: as hard as steps of a run to 1e-4.
fn hard_steps(spheres: usize, side: usize, friction: f64, steps: std::ops::Range<usize>) -> Vec<Hard> {
    let options = Options::default()
        .with("max_sweeps", 300.0)
        .with_word("order", "coloured")
        .with_word("acceleration", "conjugate");
    let mut leader = find("nsgs").expect("listed").build(&options).expect("options");
    let mut fall = Fall::into_box(spheres, side, friction, 0);
    let mut found = Vec::new();
    for k in 0..steps.end {
        let step = fall.step();
        let mut p = step.guess.clone();
        solve(&mut *leader, &step.problem, 1e-3, &mut p, &mut Vec::new());
        fall.advance(&step, &p);
        if k >= steps.start && k % 10 == 0 {
            found.push(Hard { problem: step.problem, guess: step.guess });
        }
    }
    found
}

/// The residual that `auto` reaches from `guess`.
fn reached(problem: &Problem, guess: &[f64], tolerance: f64, budget: Option<f64>) -> f64 {
    let options = budget.map_or(Options::default(), |budget| Options::default().with("budget", budget));
    let mut auto = find("auto").expect("listed").build(&options).expect("options");
    let mut p = guess.to_vec();
    let report = solve(&mut *auto, problem, tolerance, &mut p, &mut Vec::new());
    assert_eq!(report.status == Status::Converged, report.residual <= tolerance);
    report.residual
}

#[test]
fn a_larger_budget_never_gives_a_worse_result() {
    let mut cut = 0;
    for (k, step) in hard_steps(100, 5, 0.8, 220..261).iter().enumerate() {
        let mut before = f64::INFINITY;
        for budget in [1.0, 7.0, 50.0, 333.0, 1000.0, 5000.0, 20_000.0, 1e6] {
            let residual = reached(&step.problem, &step.guess, 1e-7, Some(budget));
            assert!(
                residual <= before.max(1e-7),
                "step {k}, budget {budget}: {residual:.1e} after {before:.1e}"
            );
            cut += usize::from(residual < before && before < f64::INFINITY);
            before = residual;
        }
    }
    assert!(cut > 10, "budgets cut the work: {cut}");
}

#[test]
fn what_a_looser_tolerance_reaches_a_tighter_one_reaches_too() {
    for (k, step) in hard_steps(100, 5, 0.8, 230..251).iter().enumerate() {
        let mut known: f64 = 1.0;
        for tolerance in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-13] {
            let residual = reached(&step.problem, &step.guess, tolerance, None);
            assert!(
                residual <= known.max(tolerance),
                "step {k} at {tolerance:e}: {residual:.1e}, {known:e} before"
            );
            known = known.min(tolerance.max(residual));
        }
    }
}

#[test]
fn what_a_file_reaches_a_run_reaches_too() {
    let mut solved = 0;
    for (k, step) in hard_steps(150, 5, 0.8, 220..261).iter().enumerate() {
        let (w, free) = (step.problem.assembled().clone(), step.problem.u_free.clone());
        let file = Problem::new(w, free, step.problem.sets.clone()).expect("well posed");
        let from_file = reached(&file, &vec![0.0; file.size()], 1e-4, None);
        let from_run = reached(&step.problem, &step.guess, 1e-4, None);
        assert!(
            from_run <= 1e-4 || from_file > 1e-4,
            "step {k}: file {from_file:.1e}, run {from_run:.1e}"
        );
        solved += usize::from(from_run <= 1e-4);
    }
    assert_eq!(solved, 5, "jammed steps of 150 spheres are solved");
}
