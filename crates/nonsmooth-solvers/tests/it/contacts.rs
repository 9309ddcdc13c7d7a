//! Contacts of bodies: the same problem as with J and M in rows or with W formed, whatever solves it.

use crate::oracle::{build_named, run};
use crate::samples::Random;
use crate::scenes::{Scene, arch, boxes, operator, spheres, tower, wall};
use nonsmooth_solvers::{
    ContactRows, Delassus, IMMOVABLE, Inertia, Options, Primal, Problem, SOLVERS, Set, Sparse, Status,
    certify, find, solve,
};

type Vector = [f64; 3];

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Vector {
    let size = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / size)
}

struct Bodies {
    bodies: Vec<Inertia>,
    contacts: Vec<ContactRows>,
}

/// I⁻¹ of a random body: A Aᵀ + ½.
fn inertia(random: &mut Random, planar: bool) -> Inertia {
    let inv_mass = random.power(-0.5, 0.5);
    if planar {
        return Inertia { inv_mass, inv_inertia: [0.0, 0.0, random.power(-0.5, 0.5), 0.0, 0.0, 0.0] };
    }
    let a: [Vector; 3] = std::array::from_fn(|_| std::array::from_fn(|_| random.signed()));
    let entry = |i: usize, j: usize| {
        (0..3).map(|k| a[i][k] * a[j][k]).sum::<f64>() + if i == j { 0.5 } else { 0.0 }
    };
    let inv_inertia = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
    Inertia { inv_mass, inv_inertia }
}

/// Bodies in levels, each contact between two levels or with the ground, as piles have them; solvable whatever the friction.
fn random(seed: u64, planar: bool, bodies: usize, contacts: usize) -> (Bodies, Vec<Set>, Vec<[f64; 6]>) {
    let random = &mut Random::mixed(seed);
    let inertias: Vec<Inertia> = (0..bodies).map(|_| inertia(random, planar)).collect();
    let mut keyed = Vec::new();
    for c in 0..contacts {
        let upper = if c < bodies { c } else { random.count(0, bodies - 1) };
        let lower = (upper > 1 && random.count(0, 3) > 0).then(|| random.count(0, upper - 1) as u32);
        let z = if planar { 0.0 } else { random.signed() };
        let normal = unit([random.signed(), 1.5, z]);
        let (first, second) = if planar {
            ([-normal[1], normal[0], 0.0], [0.0, 0.0, 1.0])
        } else {
            let first = unit(cross(normal, [1.0, 0.3, 0.2]));
            (first, cross(normal, first))
        };
        let mut arm = |sign: f64| {
            let around: Vector = std::array::from_fn(|_| 0.2 * random.signed());
            let z = if planar { 0.0 } else { sign * normal[2] + around[2] };
            [sign * normal[0] + around[0], sign * normal[1] + around[1], z]
        };
        let arms = [arm(1.0), arm(-1.0)];
        let touch = ContactRows {
            bodies: [lower.unwrap_or(IMMOVABLE), upper as u32],
            frame: [normal, first, second],
            arms,
        };
        let mu = 0.6 * random.unit();
        let set = match (random.count(0, 5), planar) {
            (0, _) => Set::Nonnegative,
            (_, true) => Set::Coulomb2 { mu },
            _ => Set::Coulomb3 { mu },
        };
        keyed.push((touch, set));
    }
    let v = (0..bodies)
        .map(|_| {
            let mut v: [f64; 6] = std::array::from_fn(|_| 0.3 * random.signed());
            v[1] -= 1.0;
            if planar {
                (v[2], v[3], v[4]) = (0.0, 0.0, 0.0);
            }
            v
        })
        .collect();
    let (contacts, sets) = keyed.into_iter().unzip();
    (Bodies { bodies: inertias, contacts }, sets, v)
}

/// J of a touch by its definition, six columns per body.
fn rows(given: &Bodies, sets: &[Set]) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for (touch, set) in given.contacts.iter().zip(sets) {
        for e in &touch.frame[..set.dim()] {
            let mut row = vec![0.0; 6 * given.bodies.len()];
            for (k, sign) in
                [(0, -1.0), (1, 1.0)].into_iter().filter(|(k, _)| touch.bodies[*k] != IMMOVABLE)
            {
                let turn = cross(touch.arms[k], *e);
                let begin = 6 * touch.bodies[k] as usize;
                (0..3).for_each(|i| row[begin + i] += sign * e[i]);
                (0..3).for_each(|i| row[begin + 3 + i] += sign * turn[i]);
            }
            rows.push(row);
        }
    }
    rows
}

/// The problem, and the same with W formed from dense J and M⁻¹.
fn pair(seed: u64, planar: bool, bodies: usize, contacts: usize) -> (Problem, Problem) {
    let (given, sets, v) = random(seed, planar, bodies, contacts);
    let j = rows(&given, &sets);
    let v: Vec<f64> = v.concat();
    let u_free: Vec<f64> = j.iter().map(|row| row.iter().zip(&v).map(|(h, v)| h * v).sum()).collect();
    let moved: Vec<Vec<f64>> = j.iter().map(|row| apply(&given.bodies, row)).collect();
    let w: Vec<Vec<f64>> = j
        .iter()
        .map(|a| moved.iter().map(|b| a.iter().zip(b).map(|(x, y)| x * y).sum()).collect())
        .collect();
    let formed = Problem::new(Sparse::from_rows(&w), u_free.clone(), sets.clone()).expect("well posed");
    let mut formed = formed;
    formed.delassus.symmetric = true;
    let delassus = operator(&given.bodies, &given.contacts, &sets);
    (Problem::posed(delassus, u_free, sets).expect("well posed"), formed)
}

/// M⁻¹ x.
fn apply(bodies: &[Inertia], x: &[f64]) -> Vec<f64> {
    let mut y = Vec::new();
    for (body, x) in bodies.iter().zip(x.chunks(6)) {
        let [xx, yy, zz, xy, xz, yz] = body.inv_inertia;
        y.extend(x[..3].iter().map(|x| body.inv_mass * x));
        for row in [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] {
            y.push((0..3).map(|k| row[k] * x[3 + k]).sum());
        }
    }
    y
}

/// The same problem with J and M as sparse matrices.
fn factored(problem: &Problem) -> Problem {
    let factored: Primal = problem.primal().expect("not formed").clone();
    Problem::posed(Delassus::from_primal(factored, true), problem.u_free.clone(), problem.sets.clone())
        .expect("well posed")
}

fn cases() -> impl Iterator<Item = (u64, bool)> {
    (0..12).map(|seed| (seed, seed % 2 == 1))
}

#[test]
fn w_products_and_certificate_are_those_of_w_formed() {
    for (seed, planar) in cases() {
        let (touching, formed) = pair(seed, planar, 5, 12);
        let random = &mut Random::mixed(seed + 100);
        let p: Vec<f64> = (0..formed.size()).map(|_| random.signed()).collect();
        let largest = formed.assembled().value.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        for i in 0..formed.size() {
            for j in 0..formed.size() {
                let (x, y) = (touching.assembled().get(i, j), formed.assembled().get(i, j));
                // Sums of a dozen products.
                assert!((x - y).abs() <= 1e-14 * largest, "seed {seed} ({i}, {j}): {x} {y}");
            }
        }
        let (mut u, mut v) = (Vec::new(), Vec::new());
        let (a, b) = (certify(&touching, &p, &mut u), certify(&formed, &p, &mut v));
        assert!(
            (a.residual - b.residual).abs() <= 1e-13 * b.residual && a.worst == b.worst,
            "{a:?} {b:?}"
        );
        let size = v.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        assert!(u.iter().zip(&v).all(|(u, v)| (u - v).abs() <= 1e-13 * size), "seed {seed}");
        let (mut sum, mut other) = (formed.u_free.clone(), Vec::new());
        touching.add_product(&p, &mut other, &mut sum);
        assert!(sum.iter().zip(&v).all(|(u, v)| (u - v).abs() <= 1e-13 * size), "seed {seed}");
    }
}

/// Sweeps in the same order make the same impulses up to rounding, however W is given.
#[test]
fn sweeps_are_those_of_w_formed() {
    for (seed, planar) in cases() {
        let (touching, formed) = pair(seed, planar, 6, 14);
        for (name, order) in
            [("nsgs", "natural"), ("nsgs", "coloured"), ("pgs", "natural"), ("psor", "coloured")]
        {
            let options = Options::default().with("max_sweeps", 7.0).with_word("order", order);
            let run = |problem: &Problem| {
                let mut solver = find(name).expect("listed").build(&options).expect("options");
                let mut p = vec![0.0; problem.size()];
                solve(&mut *solver, problem, 1e-14, &mut p, &mut Vec::new());
                p
            };
            let (p, q) = (run(&touching), run(&formed));
            let size = q.iter().fold(0.0f64, |m, p| m.max(p.abs()));
            if order == "natural" {
                let off = p.iter().zip(&q).fold(0.0f64, |m, (p, q)| m.max((p - q).abs()));
                assert!(off <= 1e-11 * size, "seed {seed} {name}: {off:e} of {size:e}");
            }
            let by_rows = run(&factored(&touching));
            let off = p.iter().zip(&by_rows).fold(0.0f64, |m, (p, q)| m.max((p - q).abs()));
            // Colours are those of bodies in both; ground and velocities do not add to them.
            assert!(order == "coloured" || off <= 1e-11 * size, "seed {seed} {name}: {off:e}");
        }
    }
}

#[test]
fn every_solver_solves_it_in_every_form() {
    for (seed, planar) in cases() {
        let (touching, formed) = pair(seed, planar, 4, 6);
        for entry in SOLVERS {
            let mut solver = entry.build(&Options::default()).expect("defaults");
            if solver.accepts(&formed).is_err() {
                assert!(solver.accepts(&touching).is_err(), "{}", entry.name);
                continue;
            }
            let guess = vec![0.0; formed.size()];
            let there = run(&mut *solver, &formed, 1e-8, &guess);
            // The faceted cone is not the true one, and first-order methods may need more than their limit.
            let certain = !matches!(entry.name, "lemke-faceted" | "pgs" | "psor" | "apgd" | "admm");
            for problem in [&touching, &factored(&touching)] {
                let found = run(&mut *solver, problem, 1e-8, &guess);
                let (here, there) = (found.report, there.report);
                assert_eq!(here.status, there.status, "{} seed {seed}: {here:?}", entry.name);
                if here.status != Status::Converged {
                    assert!(!certain, "{} seed {seed}: {here:?}", entry.name);
                    continue;
                }
                let elsewhere = certify(&formed, &found.p, &mut Vec::new());
                assert!(elsewhere.residual <= 1.001e-8, "{} seed {seed}: {elsewhere:?}", entry.name);
            }
        }
    }
}

/// Two heaps side by side are two islands, and the ground joins nothing.
#[test]
fn islands_are_solved_by_themselves_and_many_of_them_quickly() {
    let one = boxes([1, 1, 3], false, 0.5).falling(0.02, 0.3, 0.1);
    let many = boxes([40, 40, 3], false, 0.5).falling(0.02, 0.3, 0.1);
    for (scene, contacts) in [(one, 12), (many, 19_200)] {
        let problem = scene.problem();
        assert_eq!(problem.sets.len(), contacts);
        let found = run(&mut *build_named("auto"), &problem, 1e-10, &vec![0.0; problem.size()]);
        assert_eq!(found.report.status, Status::Converged, "{:?}", found.report);
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads")
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // The spheres have more than 512 contacts of a colour, so that threads share them; to few digits, for speed.
    let scenes: [(Scene, f64); 4] = [
        (spheres(3000, 0.5).falling(0.01, 0.1, 0.0), 3e-2),
        (boxes([3, 3, 3], true, 0.5).falling(0.02, 0.3, 0.0), 1e-6),
        (boxes([20, 20, 3], false, 0.5).falling(0.02, 0.3, 0.1), 1e-6),
        (wall(8, 8, 0.6).falling(0.02, 0.2, 0.0), 1e-6),
    ];
    for (scene, tolerance) in scenes {
        let problem = scene.problem();
        for (name, order) in [("auto", None), ("nsgs", Some("coloured"))] {
            let run = |threads: usize| {
                pool(threads).install(|| {
                    let mut options = Options::default();
                    if let Some(order) = order {
                        options = options.with("max_sweeps", 40.0).with_word("order", order);
                    }
                    let mut solver = find(name).expect("listed").build(&options).expect("options");
                    let mut p = vec![0.0; problem.size()];
                    let report = solve(&mut *solver, &problem, tolerance, &mut p, &mut Vec::new());
                    (p, report)
                })
            };
            let (p, report) = run(1);
            assert!(name == "nsgs" || report.status == Status::Converged, "{report:?}");
            for threads in [2, 8] {
                let (q, again) = run(threads);
                assert!(p.iter().zip(&q).all(|(p, q)| p.to_bits() == q.to_bits()), "{name}, {threads}");
                assert_eq!(report, again);
            }
        }
    }
}

#[test]
fn ordinary_stacks_walls_arches_and_towers_converge() {
    let scenes = [
        ("stack", boxes([3, 3, 4], true, 0.5)),
        ("columns", boxes([3, 3, 5], false, 0.5)),
        ("wall", wall(6, 8, 0.6)),
        ("arch", arch(11, 0.6)),
        ("tower", tower(8, 0.4)),
    ];
    for (name, scene) in scenes {
        for (speed, noise, sideways) in [(0.01, 0.0, 0.0), (0.03, 0.2, 0.0), (0.05, 0.02, 0.3)] {
            let problem = scene.clone().falling(speed, noise, sideways).problem();
            for tolerance in [1e-10, 1e-4] {
                let found =
                    run(&mut *build_named("auto"), &problem, tolerance, &vec![0.0; problem.size()]);
                assert_eq!(
                    found.report.status,
                    Status::Converged,
                    "{name} {speed} {noise} {sideways}: {:?}",
                    found.report
                );
                let next = scene.clone().falling(1.01 * speed, noise, 0.98 * sideways).problem();
                let again = run(&mut *build_named("auto"), &next, tolerance, &found.p);
                assert_eq!(again.report.status, Status::Converged, "{name}, next: {:?}", again.report);
            }
        }
    }
}

#[test]
fn bad_input_is_refused_in_words() {
    let scene = boxes([1, 1, 2], false, 0.5).falling(0.02, 0.3, 0.1);
    let problem = scene.problem();
    let spoilt = |spoil: fn(&mut Vec<Inertia>, &mut Vec<ContactRows>, &mut Vec<Set>)| {
        let mut problem = problem.clone();
        let (mut bodies, mut contacts) = (scene.bodies.clone(), scene.contacts.clone());
        spoil(&mut bodies, &mut contacts, &mut problem.sets);
        problem.delassus = operator(&bodies, &contacts, &problem.sets);
        problem.u_free.resize(problem.sets.iter().map(|set| set.dim()).sum(), 0.0);
        problem.check().expect_err("it is wrong").to_string()
    };
    assert_eq!(spoilt(|_, t, _| t[3].bodies[1] = 7), "constraint 3: names body 7 of 2 bodies");
    assert_eq!(spoilt(|_, t, _| t[5].bodies = [1, 1]), "constraint 5: joins body 1 to itself");
    let nan = spoilt(|_, t, _| t[2].frame[1][0] = f64::NAN);
    assert_eq!(nan, "frame[2] is NaN; every number must be finite");
    let infinite = spoilt(|_, t, _| t[4].arms[0][2] = f64::INFINITY);
    assert_eq!(infinite, "arms[4] is inf; every number must be finite");
    let heavy = spoilt(|b, _, _| b[1].inv_mass = f64::INFINITY);
    assert_eq!(heavy, "bodies[1] is inf; every number must be finite");
    let negative = spoilt(|b, _, _| b[1].inv_mass = -1.0);
    assert_eq!(negative, "constraint 4: body 1 has inv_mass = -1; it must be ≥ 0");
    let rolling = spoilt(|_, _, sets| sets[0] = Set::Rolling3 { mu: 0.1, mu_r: 0.1 });
    assert_eq!(rolling, "constraint 0: contacts of bodies have no rows for rolling friction");
}
