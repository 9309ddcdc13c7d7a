//! Problems side by side: each island is solved as if it were alone, whatever its neighbours weigh.

use super::{KINDS, begins, heap, rows_of, sets, truth};
use crate::judge::judge;
use crate::oracle::{Verdict, build_named, distance, run};
use crate::pile::Pile;
use crate::samples::{Random, Sample};
use nonsmooth_solvers::{Delassus, Primal, Problem, Set, Sparse, Status, certify};

/// Both problems in one, their constraints in turn.
fn beside(a: &Sample, b: &Sample) -> (Sample, Vec<usize>, Vec<usize>) {
    let (mut sets, mut rows_a, mut rows_b, mut next) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut take = |sample: &Sample, c: usize, rows: &mut Vec<usize>| {
        if let Some(set) = sample.sets.get(c) {
            rows.extend(next..next + set.dim());
            next += set.dim();
            sets.push(*set);
        }
    };
    for c in 0..a.sets.len().max(b.sets.len()) {
        take(a, c, &mut rows_a);
        take(b, c, &mut rows_b);
    }
    let n = a.size() + b.size();
    let (mut rows, mut u_free) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    for (sample, places) in [(a, &rows_a), (b, &rows_b)] {
        for (i, &x) in places.iter().enumerate() {
            u_free[x] = sample.u_free[i];
            places.iter().enumerate().for_each(|(j, &y)| rows[x][y] = sample.rows[i][j]);
        }
    }
    (Sample { rows, u_free, sets }, rows_a, rows_b)
}

/// At least one contact with friction, so that the chain for friction is taken, and one island.
fn alone(kind: super::Kind, seed: u64) -> Sample {
    let random = &mut Random::mixed(seed);
    let mut sets = sets(kind, random, 4);
    sets[0] = Set::Coulomb3 { mu: 0.4 };
    let velocities = rows_of(&sets).div_ceil(2);
    heap(random, sets, velocities)
}

#[test]
fn two_copies_side_by_side_have_the_impulses_of_each_alone() {
    let mut verdict = Verdict::default();
    let mut auto = build_named("auto");
    for kind in KINDS {
        for seed in 0..10 {
            let one = alone(kind, seed);
            let (single, _) = truth(&mut *auto, &one, 1e-9);
            let (whole, rows_a, rows_b) = beside(&one, &one);
            let (both, wrong) = truth(&mut *auto, &whole, 1e-9);
            let of = |rows: &[usize]| -> Vec<f64> { rows.iter().map(|&i| both.p[i]).collect() };
            // Each has its share of the tolerance, which for equal islands is the tolerance itself up to rounding.
            let same = of(&rows_a) == single.p && of(&rows_b) == single.p;
            let good = same && both.report.status == single.report.status && wrong.is_none();
            verdict.expect(good, || {
                format!("{kind:?} seed {seed}: {:?} alone, {:?}, {wrong:?}", single.report, both.report)
            });
        }
    }
    verdict.pass();
}

#[test]
fn islands_of_very_different_scales_are_all_solved() {
    let mut verdict = Verdict::default();
    let mut auto = build_named("auto");
    for kind in KINDS {
        for seed in 0..6 {
            let (a, b) = (alone(kind, seed), alone(kind, seed + 50));
            for (by_matrix, by_velocity) in
                [(1e8, 1.0), (1e-8, 1.0), (1.0, 1e6), (1.0, 1e-6), (1e6, 1e6)]
            {
                let (whole, _, rows_b) = beside(&a, &b.scaled(by_matrix, by_velocity));
                let (found, wrong) = truth(&mut *auto, &whole, 1e-9);
                let relay = b.sets.iter().any(|set| matches!(set, Set::Interval { .. }));
                verdict.expect(found.report.status == Status::Converged && wrong.is_none(), || {
                    let (w, u) = (by_matrix, by_velocity);
                    format!(
                        "{kind:?} seed {seed}, {w:e} {u:e}: {:?} {wrong:?} {:?}",
                        found.report,
                        auto.attempts()
                    )
                });
                // The faster island is solved to its own tolerance, up to its share.
                if by_velocity >= 1.0 && !relay {
                    let part: Vec<f64> = rows_b.iter().map(|&i| found.p[i]).collect();
                    let own = judge(&b.scaled(by_matrix, by_velocity).problem(), &part);
                    verdict.expect(own.meets(2e-9), || format!("{kind:?} seed {seed}: {own:?}"));
                }
            }
        }
    }
    verdict.pass();
}

#[test]
fn an_island_that_cannot_be_solved_does_not_spoil_the_others() {
    let mut auto = build_named("auto");
    // Two joints that ask for opposite velocities of one mass, with a contact on it.
    let h = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec::from);
    let sets = vec![Set::Free, Set::Free, Set::Coulomb2 { mu: 0.4 }];
    let rows = crate::samples::gram(&h);
    let broken = Sample { rows, u_free: vec![1.0, -1.0, -0.5, 0.2], sets };
    for seed in 0..10 {
        let good = alone(super::Kind::Spatial, seed);
        let (whole, _, rows) = beside(&broken, &good);
        let (found, wrong) = truth(&mut *auto, &whole, 1e-9);
        assert_eq!(wrong, None, "seed {seed}");
        assert_ne!(found.report.status, Status::Converged, "seed {seed}");
        let part: Vec<f64> = rows.iter().map(|&i| found.p[i]).collect();
        let judged = judge(&good.problem(), &part);
        // The whole has larger velocities than the part, hence ten times the tolerance.
        assert!(judged.meets(1e-8), "seed {seed}: {judged:?} {:?}", auto.attempts());
    }
}

#[test]
fn attempts_tell_which_island_was_tried_by_what_and_how_it_ended() {
    let mut auto = build_named("auto");
    for seed in 0..20 {
        let (a, b) = (alone(super::Kind::Spatial, seed), alone(super::Kind::Planar, seed));
        let (whole, rows_a, rows_b) = beside(&a, &b);
        let (found, wrong) = truth(&mut *auto, &whole, 1e-9);
        assert_eq!((found.report.status, wrong), (Status::Converged, None), "seed {seed}");
        let attempts = auto.attempts();
        let scale = |sample: &Sample| {
            certify(&sample.problem(), &vec![0.0; sample.size()], &mut Vec::new()).scale
        };
        for (number, rows, own) in [(1, rows_a.len(), &a), (2, rows_b.len(), &b)] {
            let of: Vec<_> = attempts.iter().filter(|attempt| attempt.island.0 == number).collect();
            assert!(!of.is_empty() && of.iter().all(|attempt| attempt.island.1 == rows), "{attempts:?}");
            assert_eq!(of[0].method, "nsgs", "the chain begins with sweeps: {attempts:?}");
            // Its share of what the whole may miss, relative to its own velocities.
            let share = (rows as f64 / whole.size() as f64).sqrt() * scale(&whole) / scale(own);
            let last = of.last().expect("not empty");
            assert!(last.residual <= 1.001e-9 * share.max(1.0), "seed {seed}: {last:?}, {share}");
        }
        let sum: usize = attempts.iter().map(|attempt| attempt.iterations).sum();
        assert_eq!(sum, found.report.iterations, "seed {seed}: {attempts:?}");
    }
}

/// Two piles in one system, given by bodies.
#[test]
fn islands_of_bodies_have_the_impulses_of_each_pile_alone() {
    let pile = Pile::new(60, 0.5);
    let (bodies, rows) = (pile.mass.n_rows(), pile.jacobian.n_rows());
    let mut jacobian = Sparse::empty(2 * bodies);
    for copy in 0..2 {
        for i in 0..rows {
            let (columns, values) = pile.jacobian.row(i);
            jacobian.column.extend(columns.iter().map(|&j| j + (copy * bodies) as u32));
            jacobian.value.extend_from_slice(values);
            jacobian.finish_row();
        }
    }
    let masses: Vec<f64> = (0..2 * bodies).map(|i| pile.mass.get(i % bodies, i % bodies)).collect();
    let factored = Primal::new(Sparse::diagonal(&masses), jacobian).expect("masses are positive");
    let u_free = [&pile.u_free[..], &pile.u_free[..]].concat();
    let sets = [&pile.sets[..], &pile.sets[..]].concat();
    let both = Problem::posed(Delassus::from_primal(factored, true), u_free, sets).expect("well posed");
    let mut auto = build_named("auto");
    let alone = run(&mut *auto, &pile.factored(), 1e-9, &vec![0.0; rows]);
    let pair = run(&mut *auto, &both, 1e-9, &vec![0.0; 2 * rows]);
    assert_eq!((alone.report.status, pair.report.status), (Status::Converged, Status::Converged));
    // The first pile may itself be several islands, so that shares of the tolerance differ by rounding.
    let (first, second) = pair.p.split_at(rows);
    assert_eq!(first, second);
    assert!(distance(first, &alone.p) <= 1e-6, "{:e}", distance(first, &alone.p));
    assert_eq!(begins(&pile.sets).len(), 60);
}
