use super::*;
use crate::certificate::certify;
use crate::delassus::Delassus;
use crate::mass_groups::IMMOVABLE;
use crate::solvers::descent::{Descent, Vectors, Work};
use crate::solvers::scaled::Scaled;

const COLOURED: Plan = Plan { coloured: true, shuffled: false };
const SHUFFLED: Plan = Plan { coloured: true, shuffled: true };

/// Balls in a cubic lattice on the ground, with masses, velocities and friction that differ.
fn lattice(side: usize, fixed: usize) -> Problem {
    let at = |i: usize, j: usize, k: usize| ((k * side + j) * side + i) as u32;
    let noise = |k: usize| 2.0 * ((k + 1) as f64 * 0.618_034).fract() - 1.0;
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut contacts = Vec::new();
    let mut meet = |a: u32, b: u32, axis: usize| {
        let n: [f64; 3] = axes[axis];
        let frame = [n, axes[(axis + 1) % 3], axes[(axis + 2) % 3]];
        contacts.push(ContactRows {
            bodies: [a, b],
            frame,
            arms: [n.map(|x| 0.1 * x), n.map(|x| -0.1 * x)],
        });
    };
    for (k, j, i) in (0..side * side * side).map(|c| (c / side / side, c / side % side, c % side)) {
        if i + 1 < side {
            meet(at(i, j, k), at(i + 1, j, k), 0);
        }
        if j + 1 < side {
            meet(at(i, j, k), at(i, j + 1, k), 1);
        }
        meet(if k > 0 { at(i, j, k - 1) } else { IMMOVABLE }, at(i, j, k), 2);
    }
    let n = contacts.len();
    let sets: Vec<Set> = (0..n)
        .map(|c| if c % 11 == 0 { Set::Nonnegative } else { Set::Coulomb3 { mu: 0.4 + 0.2 * noise(c) } })
        .collect();
    let mut delassus = Delassus::default();
    delassus.fill_contacts(sets.iter().map(|set| set.dim()), |bodies, rows| {
        for body in 0..side * side * side {
            let inv_mass = 1.0 + 0.5 * noise(body);
            let turn = 250.0 * inv_mass;
            // Some balls are fixed.
            let inertia = Inertia { inv_mass, inv_inertia: [turn, turn, turn, 0.0, 0.0, 0.0] };
            bodies.push(if body % 97 == fixed { Inertia::default() } else { inertia });
        }
        rows.extend_from_slice(&contacts);
    });
    let rows = sets.iter().map(|set| set.dim()).sum();
    let u_free = (0..rows).map(|i| noise(3 * i) - 0.3).collect();
    Problem::posed(delassus, u_free, sets).expect("a lattice is well posed")
}

/// Impulses and change after extrapolated sweeps, more than between two renewals of v.
fn swept(problem: &Problem, width: Width, (plan, rule): (Plan, Rule)) -> (Vec<f64>, f64) {
    let mut wide = Wide::<Balls<false>> { width, ..Default::default() };
    wide.prepare(problem, plan);
    let mut p = vec![0.01; problem.size()];
    wide.load(&p);
    wide.remember();
    let mut change = 0.0;
    for k in 0..REFRESH + 10 {
        change = wide.sweep(rule);
        wide.extrapolate(0.5, if k % 7 == 0 { 0.0 } else { 0.5 });
    }
    change += wide.sweep(rule);
    wide.store(&mut p);
    (p, change)
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

#[test]
fn any_width_and_any_number_of_threads_gives_the_same_bits() {
    // About 6000 contacts of three colours and more, so that threads share colours.
    let problem = lattice(14, 5);
    let Form::Posed(posed) = &problem.delassus.form else { panic!("not formed") };
    assert!(takes(&problem, posed, false));
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let mut found = Vec::new();
    for way in [(COLOURED, Rule::Exact), (SHUFFLED, Rule::Relaxed(1.2))] {
        let (p, change) = alone.install(|| swept(&problem, Width::detect(), way));
        assert!(p.iter().all(|p| p.is_finite()) && change > 0.0);
        for (width, threads) in
            [(Width::Plain, 1), (Width::Plain, 2), (Width::detect(), 2), (Width::detect(), 8)]
        {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let (q, again) = pool.install(|| swept(&problem, width, way));
            assert!(same(&p, &q), "{way:?}, {width:?}, {threads} threads");
            assert_eq!(change.to_bits(), again.to_bits(), "{way:?}, {width:?}, {threads} threads");
        }
        found.push(p);
    }
    assert!(!same(&found[0], &found[1]), "another order is another way");
    let mut wide = Wide::<Balls<false>>::default();
    wide.prepare(&problem, COLOURED);
    let largest = wide.colours.windows(2).map(|range| range[1] - range[0]).max();
    assert!(largest >= Some(SHARED), "no colour is shared: {largest:?}");
}

#[test]
fn a_contact_of_fixed_bodies_gets_no_impulse() {
    // Ball 5 is fixed and stands on the ground.
    let problem = lattice(3, 5);
    let Form::Posed(posed) = &problem.delassus.form else { panic!("not formed") };
    let idle = |c: usize| contact_is_idle(posed, &posed.contacts()[c]);
    let found: Vec<usize> = (0..problem.sets.len()).filter(|&c| idle(c)).collect();
    assert_eq!(found.len(), 1);
    let (p, _) = swept(&problem, Width::detect(), (COLOURED, Rule::Exact));
    let (begin, set) = problem.blocks().nth(found[0]).expect("it is there");
    assert!(p[begin..begin + set.dim()].iter().all(|p| *p == 0.0), "the guess was 0.01");
    assert!(p.iter().any(|p| *p != 0.0));
}

/// The same problem with W formed.
fn formed(problem: &Problem) -> Problem {
    let w = problem.assembled().clone();
    let mut formed = Problem::new(w, problem.u_free.clone(), problem.sets.clone()).expect("well posed");
    formed.delassus.symmetric = true;
    formed
}

#[test]
fn gradient_steps_on_blocks_are_those_on_vectors() {
    let problem = lattice(4, 97);
    let mut blocks = gradients(&problem).expect("balls");
    let formed = formed(&problem);
    let (mut scaled, mut work) = (Scaled::default(), Work::default());
    scaled.prepare(&formed);
    // Blocks of balls are diagonal; the closed form of eigenvalues has half the digits where two are the same.
    for (begin, set) in formed.blocks() {
        let own = begin..begin + set.dim();
        let largest = own.clone().map(|i| formed.assembled().get(i, i)).fold(0.0, f64::max);
        own.for_each(|i| scaled.weight[i] = largest);
    }
    let mut vectors = Vectors::new(&formed, &mut scaled, &mut work);
    let guess = vec![0.0; problem.size()];
    blocks.begin(&guess);
    vectors.begin(&guess);
    let (mut p, mut q) = (guess.clone(), guess);
    for k in 0..40 {
        // A step that is too long is made again.
        if k % 5 == 0 {
            blocks.descend(0.7);
            vectors.descend(0.7);
        }
        let (here, there) = (blocks.descend(4.0), vectors.descend(4.0));
        for (a, b) in [
            (here.form, there.form),
            (here.square, there.square),
            (here.turned, there.turned),
            (blocks.residual(), vectors.residual()),
        ] {
            assert!((a - b).abs() <= 1e-10 * (there.square + b.abs()), "step {k}: {a} {b}");
        }
        blocks.store(&mut p);
        vectors.store(&mut q);
        let off = p.iter().zip(&q).fold(0.0f64, |m, (p, q)| m.max((p - q).abs()));
        assert!(off <= 1e-11, "step {k}: {off:e}");
        let beta = if k % 9 == 0 { 0.0 } else { 0.8 };
        blocks.extrapolate(beta);
        vectors.extrapolate(beta);
    }
    let certificate = certify(&problem, &p, &mut Vec::new()).residual;
    let residual = {
        blocks.descend(4.0);
        blocks.residual()
    };
    assert!(residual < 2.0 * certificate && certificate > 0.0);
}
