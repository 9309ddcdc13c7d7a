//! What users get wrong: sizes, numbers that are none, option names and values.

use crate::oracle::{build, run};
use crate::samples::{FAMILIES, Sample};
use nonsmooth_solvers::{
    Kind, OptionError, Options, Problem, ProblemError, SOLVERS, Set, Sparse, SparseError, Status,
    Unsupported, Value, find, solve,
};

fn two_rows() -> Problem {
    let w = Sparse::from_rows(&[vec![2.0, -1.0], vec![-1.0, 2.0]]);
    Problem::complementarity(w, vec![-1.0, -1.0]).expect("well posed")
}

#[test]
fn sizes_that_disagree_are_refused_with_all_of_them() {
    let mut problem = two_rows();
    problem.u_free.push(1.0);
    let sizes = |rows, columns, u_free, sets| Err(ProblemError::Sizes { rows, columns, u_free, sets });
    assert_eq!(problem.check(), sizes(2, 2, 3, 2));

    let mut problem = two_rows();
    problem.sets.pop();
    assert_eq!(problem.check(), sizes(2, 2, 2, 1));
    problem.sets.extend([Set::Free, Set::Free]);
    assert_eq!(problem.check(), sizes(2, 2, 2, 3));

    let wide = Sparse::from_rows(&[vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]]);
    let refused = Problem::complementarity(wide, vec![1.0, 1.0]).expect_err("not square");
    assert_eq!(refused, ProblemError::Sizes { rows: 2, columns: 3, u_free: 2, sets: 2 });
    let text = refused.to_string();
    assert!(text.contains("2 × 3") && text.contains("u_free has 2"), "{text}");

    let tall = Sparse::from_rows(&[vec![1.0], vec![1.0]]);
    assert!(Problem::complementarity(tall, vec![1.0, 1.0]).is_err());
    let missing = Problem::complementarity(Sparse::default(), vec![1.0]);
    assert_eq!(missing.err(), Some(ProblemError::Sizes { rows: 0, columns: 0, u_free: 1, sets: 1 }));
}

#[test]
fn numbers_that_are_not_finite_are_refused_with_their_row() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let is_bad = |x: f64| x == bad || (x.is_nan() && bad.is_nan());
        for row in 0..2 {
            let mut problem = two_rows();
            problem.u_free[row] = bad;
            match problem.check() {
                Err(ProblemError::NotFinite { what: "u_free", index, value }) => {
                    assert!(index == row && is_bad(value), "{index} {value}");
                }
                other => panic!("{bad} in u_free[{row}]: {other:?}"),
            }
            let mut problem = two_rows();
            problem.delassus.explicit_mut().value[2 * row] = bad;
            match problem.check() {
                Err(ProblemError::NotFinite { what: "W", index, value }) => {
                    assert!(index == row && is_bad(value), "{index} {value}");
                }
                other => panic!("{bad} in W, row {row}: {other:?}"),
            }
        }
        let w = Sparse::from_rows(&[vec![bad]]);
        assert!(Problem::complementarity(w, vec![1.0]).is_err(), "{bad}");
        let refused = Sparse::from_triplets(1, 1, &[(0, 0, bad)]);
        assert!(matches!(refused, Err(SparseError::NotFinite { row: 0, column: 0, .. })), "{refused:?}");
    }
}

#[test]
fn entries_outside_the_matrix_are_refused() {
    for (row, column) in [(2, 0), (0, 2), (usize::MAX, 0)] {
        let refused = Sparse::from_triplets(2, 2, &[(row, column, 1.0)]);
        let expected = SparseError::Outside { row, column, n_rows: 2, n_columns: 2 };
        assert_eq!(refused.err(), Some(expected));
    }
}

#[test]
fn an_empty_problem_converges() {
    let by_default = Problem::default();
    let by_hand = Problem::complementarity(Sparse::empty(0), Vec::new()).expect("empty is well posed");
    for problem in [by_default, by_hand] {
        assert_eq!(problem.check(), Ok(()));
        for entry in SOLVERS {
            let mut u = vec![1.0; 3];
            let report = solve(&mut *build(entry), &problem, 1e-12, &mut [], &mut u);
            assert_eq!(report.status, Status::Converged, "{}", entry.name);
            assert_eq!((report.residual, report.worst, u.len()), (0.0, None, 0), "{}", entry.name);
        }
    }
}

#[test]
fn unknown_options_are_refused_with_the_nearest_name() {
    for entry in SOLVERS {
        let refused = entry.build(&Options::default().with("colour", 1.0));
        let errors = refused.err().expect("no solver has a colour");
        let [OptionError::Unknown { owner, name, nearest, allowed }] = &errors[..] else {
            panic!("{}: {errors:?}", entry.name)
        };
        assert_eq!((owner.as_str(), name.as_str(), nearest), (entry.name, "colour", &None));
        let declared: Vec<&str> = entry.options.iter().map(|declared| declared.name).collect();
        assert_eq!(allowed, &declared, "{}", entry.name);

        for declared in entry.options {
            // One letter missing, one too many, hyphen for underscore, capitals: slips of the fingers.
            let name = declared.name;
            let slips =
                [name[1..].to_owned(), format!("{name}s"), name.replace('_', "-"), name.to_uppercase()];
            for slip in slips.iter().filter(|slip| *slip != name) {
                let errors = entry.build(&Options::default().with(slip, 1.0)).err().unwrap_or_default();
                let [error @ OptionError::Unknown { nearest, .. }] = &errors[..] else {
                    panic!("{} {slip}: {errors:?}", entry.name)
                };
                assert_eq!(nearest.as_deref(), Some(name), "{} {slip}", entry.name);
                assert!(error.to_string().contains(&format!("did you mean `{name}`")), "{error}");
            }
        }
    }
}

/// Values that an option of this kind must refuse.
fn refused_by(kind: Kind) -> Vec<Value> {
    let mut bad = vec![Value::Number(f64::NAN), Value::Flag(true), Value::Word("no such word".into())];
    bad.extend(
        match kind {
            Kind::Number { min, max } => vec![min - 1.0, max + 1.0, f64::INFINITY, f64::NEG_INFINITY],
            Kind::Positive => vec![0.0, -0.0, -1.0, f64::INFINITY],
            Kind::Whole { min, max } => {
                vec![f64::from(min) - 1.0, 0.5, f64::from(max) + 1.0, f64::INFINITY]
            }
            Kind::Count => vec![0.0, -1.0, 0.5, 1.5, f64::INFINITY, 1e300],
            Kind::Word(_) => vec![1.0],
        }
        .into_iter()
        .map(Value::Number),
    );
    bad
}

#[test]
fn option_values_out_of_range_are_refused_and_all_errors_come_at_once() {
    for entry in SOLVERS {
        for declared in entry.options {
            for value in refused_by(declared.kind) {
                let mut options = Options::default();
                options.set(declared.name, value.clone());
                options.set("colour", Value::Flag(true));
                let errors = entry.build(&options).err().unwrap_or_default();
                assert_eq!(errors.len(), 2, "{} {} = {value}: {errors:?}", entry.name, declared.name);
                let good = errors.iter().any(
                    |error| matches!(error, OptionError::Value { name, .. } if name == declared.name),
                );
                assert!(good, "{} {} = {value}: {errors:?}", entry.name, declared.name);
            }
        }
    }
}

#[test]
fn the_default_of_each_option_is_itself_allowed_and_described() {
    for entry in SOLVERS {
        for declared in entry.options {
            let mut options = Options::default();
            let value = match declared.kind {
                Kind::Word(_) => Value::Word(declared.default.into()),
                _ => Value::Number(declared.default.parse().expect("a number")),
            };
            options.set(declared.name, value);
            assert!(entry.build(&options).is_ok(), "{} {}", entry.name, declared.name);
            assert!(!declared.about.is_empty(), "{} {}", entry.name, declared.name);
        }
    }
}

#[test]
fn an_option_given_twice_counts_once_with_its_last_value() {
    let lemke = find("lemke").expect("listed");
    assert!(lemke.build(&Options::default().with("max_pivots", -1.0).with("max_pivots", 5.0)).is_ok());
    assert!(lemke.build(&Options::default().with("max_pivots", 5.0).with("max_pivots", -1.0)).is_err());
}

#[test]
fn one_iteration_is_too_few_or_enough_but_never_a_lie_or_a_panic() {
    let mut limited = 0;
    for entry in SOLVERS {
        for declared in entry.options.iter().filter(|declared| declared.kind == Kind::Count) {
            for family in FAMILIES {
                for seed in 0..50 {
                    let problem = family.sample(seed).problem();
                    let options = Options::default().with(declared.name, 1.0);
                    let mut solver = entry.build(&options).expect("1 is a count");
                    let solved = run(&mut *solver, &problem, 1e-12, &vec![0.0; problem.size()]);
                    let converged = solved.report.status == Status::Converged;
                    assert_eq!(
                        converged,
                        solved.report.residual <= 1e-12,
                        "{} seed {seed} by {}",
                        family.name,
                        entry.name
                    );
                    assert!(solved.p.iter().all(|p| p.is_finite()), "{} seed {seed}", family.name);
                    limited += usize::from(solved.report.status == Status::IterationLimit);
                }
            }
        }
    }
    assert!(limited > 0, "the option is read: a limit of one must stop something");
}

#[test]
fn a_problem_too_large_for_a_solver_is_declined_in_words() {
    let n = 30;
    let sample = Sample::unilateral(
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect(),
        vec![-1.0; n],
    );
    let problem = sample.problem();
    let mut enumerate = build(find("enumerate").expect("listed"));
    let declined = enumerate.accepts(&problem).expect_err("2³⁰ systems are too many");
    assert!(matches!(declined, Unsupported::TooLarge { solver: "enumerate", rows: 30, .. }));
    assert!(declined.to_string().contains("try `auto`"), "{declined}");
    let solved = run(&mut *enumerate, &problem, 1e-12, &vec![0.0; n]);
    assert_eq!(solved.report.status, Status::Unsupported);
    assert_eq!(solved.p, vec![0.0; n], "what was not solved was not touched");
}
