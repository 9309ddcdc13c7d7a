//! Contacts of balls and disks, four at once: the same sweeps as with W formed.

use crate::samples::Random;
use crate::scenes::operator;
use nonsmooth_solvers::{
    ContactRows, IMMOVABLE, Inertia, Options, Problem, Set, Sparse, Status, certify, find, solve,
};

type Vector = [f64; 3];

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Vector {
    let size = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / size)
}

/// Balls or disks in levels, of different sizes, one of them fixed; every contact on the line of the centres. Without a
/// fixed one there is a solution whatever the friction: each level can be lifted from the one below.
fn heap(seed: u64, planar: bool, bodies: usize, contacts: usize, fixed: usize) -> Problem {
    let random = &mut Random::mixed(seed);
    let mut inertias = Vec::new();
    for body in 0..bodies {
        let (m, i) = (random.power(-0.5, 0.5), random.power(0.0, 1.0));
        let turn = if planar { [0.0, 0.0, i] } else { [i; 3] };
        let inertia = Inertia { inv_mass: m, inv_inertia: [turn[0], turn[1], turn[2], 0.0, 0.0, 0.0] };
        inertias.push(if body == fixed { Inertia::default() } else { inertia });
    }
    let (mut rows, mut sets, mut u_free) = (Vec::new(), Vec::new(), Vec::new());
    for c in 0..contacts {
        let upper = if c < bodies { c } else { random.count(0, bodies - 1) };
        let lower = (upper > 1 && random.count(0, 3) > 0).then(|| random.count(0, upper - 1) as u32);
        let z = if planar { 0.0 } else { random.signed() };
        let n = unit([random.signed(), 1.5, z]);
        let t = if planar { [-n[1], n[0], 0.0] } else { unit(cross(n, [1.0, 0.3, 0.2])) };
        let radii = [0.5 + random.unit(), 0.5 + random.unit()];
        let arms = [n.map(|x| radii[0] * x), n.map(|x| -radii[1] * x)];
        let bodies = [lower.unwrap_or(IMMOVABLE), upper as u32];
        rows.push(ContactRows { bodies, frame: [n, t, cross(n, t)], arms });
        let mu = 0.6 * random.unit();
        let set = match (random.count(0, 5), planar) {
            (0, _) => Set::Nonnegative,
            (_, true) => Set::Coulomb2 { mu },
            _ => Set::Coulomb3 { mu },
        };
        u_free.push(-random.unit());
        u_free.extend((1..set.dim()).map(|_| random.signed()));
        sets.push(set);
    }
    Problem::posed(operator(&inertias, &rows, &sets), u_free, sets).expect("well posed")
}

/// The same with W formed, by the definition of J.
fn formed(problem: &Problem) -> Problem {
    let n = problem.size();
    let mut columns = Vec::new();
    for j in 0..n {
        let (mut e, mut column) = (vec![0.0; n], vec![0.0; n]);
        e[j] = 1.0;
        problem.delassus.apply(&e, &mut Vec::new(), &mut column);
        columns.push(column);
    }
    let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| columns[j][i]).collect()).collect();
    let mut formed =
        Problem::new(Sparse::from_rows(&rows), problem.u_free.clone(), problem.sets.clone())
            .expect("well posed");
    formed.delassus.symmetric = true;
    formed
}

#[test]
fn coloured_sweeps_of_balls_and_disks_are_those_of_w_formed() {
    for (seed, planar) in (0..20).map(|seed| (seed, seed % 2 == 1)) {
        let touching = heap(seed, planar, 9, 30, 3);
        let formed = formed(&touching);
        let options = Options::default().with("max_sweeps", 9.0).with_word("order", "coloured");
        let run = |problem: &Problem| {
            let mut solver = find("nsgs").expect("listed").build(&options).expect("options");
            let mut p = vec![0.1; problem.size()];
            let report = solve(&mut *solver, problem, 1e-14, &mut p, &mut Vec::new());
            assert_eq!(report.status, Status::IterationLimit, "{report:?}");
            p
        };
        let (p, q) = (run(&touching), run(&formed));
        let size = q.iter().fold(0.0f64, |m, q| m.max(q.abs()));
        let off = p.iter().zip(&q).fold(0.0f64, |m, (p, q)| m.max((p - q).abs()));
        assert!(off <= 1e-11 * size, "seed {seed}: {off:e} of {size:e}");
    }
}

#[test]
fn balls_and_disks_are_solved_to_rounding() {
    for (seed, planar) in (0..20).map(|seed| (seed, seed % 2 == 1)) {
        let problem = heap(seed, planar, 12, 25, usize::MAX);
        for (name, tolerance) in [("nsgs", 1e-10), ("auto", 1e-12)] {
            let options = match name {
                "nsgs" => Options::default()
                    .with_word("order", "coloured")
                    .with_word("acceleration", "conjugate"),
                _ => Options::default(),
            };
            let mut solver = find(name).expect("listed").build(&options).expect("options");
            let mut p = vec![0.0; problem.size()];
            let report = solve(&mut *solver, &problem, tolerance, &mut p, &mut Vec::new());
            let judge = certify(&formed(&problem), &p, &mut Vec::new());
            assert!(
                report.status == Status::Converged && judge.residual <= 1.01 * tolerance,
                "{name} seed {seed}: {report:?} {judge:?}"
            );
        }
    }
}
