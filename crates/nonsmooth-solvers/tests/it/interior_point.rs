//! The interior point on piles with every kind of constraint, on degenerate data, and in other units.

use crate::oracle::{Always, Solved, Verdict, build_named, distance, norm, run};
use crate::samples::{Random, Sample, gram, multiply};
use nonsmooth_solvers::{Delassus, Primal, Problem, Set, Sparse, Status};

fn solve(problem: &Problem, tolerance: f64) -> Solved {
    run(&mut *build_named("interior-point"), problem, tolerance, &vec![0.0; problem.size()])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Three orthogonal axes in any direction.
fn frame(random: &mut Random) -> [[f64; 3]; 3] {
    let mut axis = || loop {
        let x = [0; 3].map(|_| random.signed());
        let size = norm(&x);
        if size > 0.1 && size < 1.0 {
            return x.map(|x| x / size);
        }
    };
    let n = axis();
    loop {
        let t = cross(n, axis());
        let size = norm(&t);
        if size > 0.1 {
            let t = t.map(|x| x / size);
            return [n, t, cross(n, t)];
        }
    }
}

/// The 6 entries of each row of one contact, for a body with its contact at `arm`.
fn rows_of(set: Set, frame: [[f64; 3]; 3], arm: [f64; 3]) -> Vec<[f64; 6]> {
    let slide = |t: [f64; 3]| {
        let turn = cross(arm, t);
        [t[0], t[1], t[2], turn[0], turn[1], turn[2]]
    };
    let roll = |t: [f64; 3]| [0.0, 0.0, 0.0, t[0], t[1], t[2]];
    let [n, t, o] = frame;
    let all = [slide(n), slide(t), slide(o), roll(t), roll(o), roll(n)];
    match set {
        Set::Rolling2 { .. } => vec![all[0], all[1], all[4]],
        _ => all[..set.dim()].to_vec(),
    }
}

/// J, v and sets of unit bodies that fall on each other and on the ground, one contact per set.
struct Heap {
    jacobian: Vec<Vec<f64>>,
    v: Vec<f64>,
    sets: Vec<Set>,
}

impl Heap {
    fn new(random: &mut Random, bodies: usize, sets: Vec<Set>) -> Self {
        let mut jacobian = Vec::new();
        for &set in &sets {
            let (a, b) = (random.count(0, bodies - 1), random.count(1, 4));
            let (frame, arm) = (frame(random), [0; 3].map(|_| random.signed()));
            let other = [0; 3].map(|_| random.signed());
            let mut rows = vec![vec![0.0; 6 * bodies]; set.dim()];
            for (row, entries) in rows.iter_mut().zip(rows_of(set, frame, arm)) {
                row[6 * a..6 * a + 6].copy_from_slice(&entries);
            }
            // With a body a little further on, or with the ground where there is none.
            if a + b < bodies {
                for (row, entries) in rows.iter_mut().zip(rows_of(set, frame, other)) {
                    row[6 * (a + b)..6 * (a + b) + 6].copy_from_slice(&entries.map(|x| -x));
                }
            }
            jacobian.append(&mut rows);
        }
        let v = random.signed_vector(6 * bodies);
        Self { jacobian, v, sets }
    }

    fn sample(&self) -> Sample {
        let u_free = multiply(&self.jacobian, &self.v);
        Sample { rows: gram(&self.jacobian), u_free, sets: self.sets.clone() }
    }
}

const KINDS: [Set; 10] = [
    Set::Nonnegative,
    Set::Free,
    Set::Interval { lower: -0.3, upper: 0.5 },
    Set::Coulomb2 { mu: 0.7 },
    Set::Coulomb3 { mu: 0.5 },
    Set::Coulomb3 { mu: 0.0 },
    Set::Pyramid { mu: 0.6, sides: 5 },
    Set::Rolling2 { mu: 0.6, mu_r: 0.2 },
    Set::Rolling3 { mu: 0.6, mu_r: 0.05 },
    Set::Spinning3 { mu: 0.4, mu_r: 0.1, mu_s: 0.03 },
];

#[test]
fn piles_with_one_kind_of_constraint_are_solved() {
    let mut verdict = Verdict::default();
    for kind in KINDS {
        // Fewer rows than velocities, and more.
        for (bodies, contacts) in [(8, 10), (4, 20)] {
            let mut solved = Always::new(format!("{kind:?}, {contacts} contacts of {bodies} bodies"));
            for seed in 0..20 {
                let heap = Heap::new(&mut Random::mixed(seed), bodies, vec![kind; contacts]);
                let found = solve(&heap.sample().problem(), 1e-10);
                solved.expect(found.report.status == Status::Converged, contacts, || {
                    format!("seed {seed}: {:?}", found.report)
                });
            }
            solved.holds(&mut verdict);
        }
    }
    verdict.pass();
}

#[test]
fn piles_with_every_kind_of_constraint_are_solved() {
    let mut verdict = Verdict::default();
    let mut solved = Always::new("mixed piles");
    for seed in 0..60 {
        let random = &mut Random::mixed(seed);
        let contacts = random.count(3, 60);
        let sets = (0..contacts).map(|_| KINDS[random.count(0, KINDS.len() - 1)]).collect();
        let bodies = random.count(2, contacts);
        let sample = Heap::new(random, bodies, sets).sample();
        // Where two constraints nearly agree the path ends at 1e-10 (seed 46: 1.2e-10).
        let found = solve(&sample.problem(), 1e-9);
        solved.expect(found.report.status == Status::Converged, contacts, || {
            format!("seed {seed}, {bodies} bodies: {:?}", found.report)
        });
    }
    solved.holds(&mut verdict);
    verdict.pass();
}

/// Coulomb's law in its own words, without cones and projections.
#[test]
fn the_law_of_friction_holds_contact_by_contact() {
    let (mu, tolerance) = (0.5, 1e-11);
    let (mut open, mut sticking, mut sliding) = (0, 0, 0);
    for seed in 0..20 {
        let sample = Heap::new(&mut Random::mixed(seed), 10, vec![Set::Coulomb3 { mu }; 15]).sample();
        let Solved { p, u, report } = solve(&sample.problem(), tolerance);
        assert_eq!(report.status, Status::Converged, "seed {seed}: {report:?}");
        // Velocities and impulses are of order 1; a residual of 1e-11 leaves products below 1e-9.
        for (p, u) in p.chunks(3).zip(u.chunks(3)) {
            let (force, speed) = (norm(&p[1..]), norm(&u[1..]));
            let at = format!("seed {seed}: p = {p:?}, u = {u:?}");
            assert!(p[0] > -1e-9 && u[0] > -1e-9 && p[0] * u[0] < 1e-9, "{at}");
            assert!(force <= mu * p[0] + 1e-9, "{at}");
            assert!((mu * p[0] * speed + p[1] * u[1] + p[2] * u[2]).abs() < 1e-9, "{at}");
            open += usize::from(u[0] > 1e-6);
            sliding += usize::from(p[0] > 1e-6 && speed > 1e-6);
            sticking += usize::from(p[0] > 1e-6 && speed < 1e-9);
        }
    }
    assert!(open > 20 && sticking > 20 && sliding > 20, "{open} {sticking} {sliding}");
}

#[test]
fn a_sliding_block_has_the_impulse_of_the_closed_form() {
    for set in [Set::Coulomb3 { mu: 0.5 }, Set::Pyramid { mu: 0.5, sides: 4 }] {
        let problem = Problem::new(Sparse::diagonal(&[2.0; 3]), vec![-1.0, 1.0, 0.0], vec![set]);
        let found = solve(&problem.expect("well posed"), 1e-13);
        // The residual bounds p, since W = 2.
        assert!(distance(&found.p, &[0.5, -0.25, 0.0]) < 1e-12, "{set:?}: {found:?}");
    }
}

#[test]
fn without_friction_the_normal_impulses_are_those_of_lemke() {
    let mut verdict = Verdict::default();
    for seed in 0..50 {
        let heap = Heap::new(&mut Random::mixed(seed), 6, vec![Set::Coulomb3 { mu: 0.0 }; 6]);
        let normal: Vec<Vec<f64>> = heap.jacobian.iter().step_by(3).cloned().collect();
        let lcp = Sample::unilateral(gram(&normal), multiply(&normal, &heap.v));
        let expected = run(&mut *build_named("lemke"), &lcp.problem(), 1e-12, &[0.0; 6]);
        let found = solve(&heap.sample().problem(), 1e-12);
        let u: Vec<f64> = found.u.iter().step_by(3).copied().collect();
        verdict.expect(found.report.status == Status::Converged, || format!("{:?}", found.report));
        let difference: Vec<f64> = u.iter().zip(&expected.u).map(|(a, b)| a - b).collect();
        // Velocities are unique, and of order 1; 1e-10 for the condition of six contacts.
        verdict.expect(norm(&difference) < 1e-10, || format!("seed {seed}: {:?}", found.report));
    }
    verdict.pass();
}

/// A sphere on four points of a floor: all stick, all slide, all open, all graze, nothing moves.
#[test]
fn contacts_that_all_do_the_same_are_solved() {
    let set = Set::Coulomb3 { mu: 0.5 };
    let mut verdict = Verdict::default();
    for (name, v) in [
        ("stick", [0.1, 0.0, -1.0, 0.0, 0.0, 0.0]),
        ("slide", [5.0, 3.0, -1.0, 0.0, 0.0, 0.0]),
        ("roll over", [5.0, 0.0, -1.0, 0.0, 9.0, 0.0]),
        ("open", [0.1, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("graze", [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("rest", [0.0; 6]),
    ] {
        let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let corners = [[1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]];
        let rows = |arm| rows_of(set, axes, arm).into_iter().map(|row| row.to_vec());
        let jacobian: Vec<Vec<f64>> = corners.into_iter().flat_map(rows).collect();
        let heap = Heap { jacobian, v: v.to_vec(), sets: vec![set; 4] };
        let found = solve(&heap.sample().problem(), 1e-12);
        let report = found.report;
        verdict.expect(report.status == Status::Converged, || format!("{name}: {report:?}"));
    }
    verdict.pass();
}

#[test]
fn a_contact_that_nothing_can_stop_is_not_called_converged() {
    // The second contact approaches and no impulse moves it.
    let w = Sparse::diagonal(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let sets = vec![Set::Coulomb3 { mu: 0.3 }; 2];
    let problem = Problem::new(w, vec![-1.0, 0.5, 0.0, -1.0, 0.0, 0.0], sets).expect("well posed");
    let found = solve(&problem, 1e-6);
    assert_ne!(found.report.status, Status::Converged, "{found:?}");
    assert!(found.p.iter().all(|p| p.is_finite()));
}

#[test]
fn units_change_neither_the_work_nor_the_solution() {
    for seed in 0..10 {
        let mut sets = KINDS.to_vec();
        // Bounds have units of their own.
        sets.retain(|set| !matches!(set, Set::Interval { .. }));
        let sample = Heap::new(&mut Random::mixed(seed), 12, sets).sample();
        let first = solve(&sample.problem(), 1e-10);
        assert_eq!(first.report.status, Status::Converged, "{:?}", first.report);
        // Powers of four round nothing, so that every step is the same bit by bit; 1e±8 rounds.
        let exact = [(26, 0), (-26, 0), (0, 26), (-26, -26)].map(|(a, b)| (2f64.powi(a), 2f64.powi(b)));
        for (by_matrix, by_velocity) in exact {
            let again = solve(&sample.scaled(by_matrix, by_velocity).problem(), 1e-10);
            let u: Vec<f64> = again.u.iter().map(|u| u / by_velocity).collect();
            assert_eq!((again.report, u), (first.report, first.u.clone()), "seed {seed}");
        }
        for (by_matrix, by_velocity) in [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e8), (1e-8, 1e-8)] {
            let mut again = solve(&sample.scaled(by_matrix, by_velocity).problem(), 1e-10);
            again.u.iter_mut().for_each(|u| *u /= by_velocity);
            assert_eq!(again.report.status, Status::Converged, "seed {seed}: {:?}", again.report);
            // Both end at 1e-10; a condition of 100.
            assert!(distance(&again.u, &first.u) < 1e-8, "seed {seed}: {:?}", again.report);
        }
    }
}

#[test]
fn a_factored_problem_is_solved_as_the_formed_one_and_twice_the_same() {
    let heap = Heap::new(&mut Random::mixed(3), 8, vec![Set::Rolling3 { mu: 0.5, mu_r: 0.1 }; 12]);
    let formed = solve(&heap.sample().problem(), 1e-11);
    let mass = Sparse::diagonal(&[1.0; 48]);
    let factored = Primal::new(mass, Sparse::from_rows(&heap.jacobian)).expect("unit masses");
    let u_free = heap.sample().u_free;
    let problem =
        Problem::posed(Delassus::from_primal(factored, true), u_free, heap.sets).expect("well posed");
    let found = solve(&problem, 1e-11);
    assert_eq!((formed.report.status, found.report.status), (Status::Converged, Status::Converged));
    // Both end at 1e-11; a condition of 100.
    assert!(distance(&found.u, &formed.u) < 1e-9, "{:e}", distance(&found.u, &formed.u));
    let again = solve(&problem, 1e-11);
    assert!(found.p == again.p && found.report == again.report, "the same bits");
}

#[test]
fn a_pyramid_of_many_sides_is_nearly_a_cone() {
    let round = Heap::new(&mut Random::mixed(5), 8, vec![Set::Coulomb3 { mu: 0.5 }; 8]);
    let expected = solve(&round.sample().problem(), 1e-10);
    let sets = vec![Set::Pyramid { mu: 0.5, sides: 400 }; 8];
    let found = solve(&Sample { sets, ..round.sample() }.problem(), 1e-10);
    assert_eq!(found.report.status, Status::Converged, "{:?}", found.report);
    // A polygon of k sides lies within (π/k)²/2 of its circle: 3e-5; a condition of 100.
    assert!(distance(&found.u, &expected.u) < 3e-3, "{:e}", distance(&found.u, &expected.u));
}
