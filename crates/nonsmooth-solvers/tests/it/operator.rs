//! The operator W = J M̂⁻¹ Jᵀ + D of every mix of groups and rows, against dense matrices.

use crate::samples::Random;
use nonsmooth_solvers::{
    BodyVelocities, ContactRows, Delassus, Factor, IMMOVABLE, Incidence, Inertia, Jacobian, MassGroups,
    Problem, Set, Sparse, VelocityLayout, certify, invert,
};
use std::sync::Arc;

/// Condition numbers stay below 100: a few units in the last place.
const ROUNDING: f64 = 1e-12;

type Dense = Vec<Vec<f64>>;

/// Groups of all kinds, and M̂⁻¹.
pub struct Masses {
    pub groups: MassGroups,
    pub inverse: Dense,
    fixed_body: Option<usize>,
}

/// A symmetric positive definite matrix and its inverse, by rows.
fn definite(random: &mut Random, n: usize) -> (Vec<f64>, Vec<f64>) {
    let a = random.signed_matrix(n, n);
    let entry = |i: usize, j: usize| {
        (0..n).map(|k| a[i][k] * a[j][k]).sum::<f64>() / n as f64 + if i == j { 1.0 } else { 0.0 }
    };
    let matrix: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    let mut inverse = matrix.clone();
    assert!(invert(&mut inverse, n, &mut Vec::new()));
    (matrix, inverse)
}

/// Two spatial bodies, two planar ones, one that nothing moves, two numbers, two small blocks and a sparse factor.
pub fn masses(random: &mut Random) -> Masses {
    let (mut bodies, mut n) = (Vec::new(), 0);
    let mut others = vec![vec![0], vec![1]];
    n += 2;
    for planar in [false, true, false, true, false] {
        bodies.push(BodyVelocities { first: n, planar });
        n += if planar { 3 } else { 6 };
    }
    for size in [3, 5, 20] {
        others.push((n..n + size).collect());
        n += size;
    }
    let layout = Arc::new(VelocityLayout { n: n as usize, bodies: bodies.clone() });
    let mut groups = MassGroups::new(layout);
    let mut inverse = vec![vec![0.0; n as usize]; n as usize];
    for (number, velocities) in others.iter().enumerate() {
        let size = velocities.len();
        let (matrix, mut own) = definite(random, size);
        match number {
            0 | 1 => {
                groups.push_scalar(velocities[0]);
                groups.scalars_mut()[number] = own[0];
            }
            2 | 3 => {
                groups.push_dense(velocities);
                if number == 3 {
                    // A prescribed velocity: a row and a column of zeros.
                    (0..size).for_each(|k| (own[2 * size + k], own[k * size + 2]) = (0.0, 0.0));
                }
                groups.dense_mut(number - 2).copy_from_slice(&own);
            }
            _ => {
                groups.push_factored(velocities, &velocities[..8]);
                let rows: Dense = matrix.chunks(size).map(<[f64]>::to_vec).collect();
                let sparse = Sparse::from_rows(&rows);
                let mut factor = Factor::analyse(&sparse, true).expect("it is right");
                factor.factor(|k, _, _| sparse.value[k]).expect("it is right");
                groups.set_factor(0, factor, vec![false; size]);
            }
        }
        for (a, &i) in velocities.iter().enumerate() {
            for (b, &j) in velocities.iter().enumerate() {
                inverse[i as usize][j as usize] = own[a * size + b];
            }
        }
    }
    for (number, body) in bodies.iter().enumerate().take(4) {
        let (_, i) = definite(random, 3);
        let inertia = if body.planar {
            Inertia { inv_mass: i[0], inv_inertia: [0.0, 0.0, i[4], 0.0, 0.0, 0.0] }
        } else {
            Inertia { inv_mass: i[0], inv_inertia: [i[0], i[4], i[8], i[1], i[2], i[5]] }
        };
        groups.bodies_mut()[number] = inertia;
        let first = body.first as usize;
        let (linear, angular) = if body.planar { (2, 2..3) } else { (3, 3..6) };
        (0..linear).for_each(|k| inverse[first + k][first + k] = i[0]);
        for a in angular.clone() {
            for b in angular.clone() {
                let entry = if body.planar { i[4] } else { i[3 * (a - 3) + b - 3] };
                inverse[first + a][first + b] = entry;
            }
        }
    }
    groups.mark_changed();
    Masses { groups, inverse, fixed_body: Some(4) }
}

/// General, contact and pair rows in a mixed order, and J.
pub fn rows(random: &mut Random, masses: &Masses, n: usize) -> (Jacobian, Dense) {
    let layout = masses.groups.layout().clone();
    let mut jacobian = Jacobian::new(layout.clone());
    let mut dense = Dense::new();
    let put = |row: &mut Vec<f64>, body: u32, wrench: [f64; 6]| {
        if body == IMMOVABLE {
            return;
        }
        let BodyVelocities { first, planar } = layout.bodies[body as usize];
        let kept: &[usize] = if planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        for (k, &component) in kept.iter().enumerate() {
            row[first as usize + k] += wrench[component];
        }
    };
    let spatial = [[0, 2], [IMMOVABLE, 2], [0, 4], [2, IMMOVABLE]];
    let planar = [[1, 3], [3, IMMOVABLE], [IMMOVABLE, 1], [3, 1]];
    for number in 0..n {
        let (in_plane, dim) = (number % 2 == 0, 1 + number % 3);
        let bodies = if in_plane { planar } else { spatial }[random.count(0, 4 - 1)];
        match (number + random.count(0, 2 - 1)) % 3 {
            0 => {
                for _ in 0..dim {
                    // Any velocities but the inner ones of the factored group, in any order.
                    let columns =
                        [random.count(0, 24 - 1) as u32, 24 + random.count(0, 16 - 1) as u32, 41, 37];
                    let columns = &columns[..2 + random.count(0, 3 - 1)];
                    let mut columns = columns.to_vec();
                    columns.sort_unstable();
                    columns.dedup();
                    columns.reverse();
                    let values = random.signed_vector(columns.len());
                    jacobian.push_row(&columns, &values);
                    let mut row = vec![0.0; layout.n];
                    columns.iter().zip(&values).for_each(|(&j, x)| row[j as usize] = *x);
                    dense.push(row);
                }
                jacobian.finish_rows();
            }
            1 => {
                let dim = if in_plane { dim.min(2) } else { dim };
                let mut numbers = random.signed_matrix(5, 3);
                if in_plane {
                    numbers.iter_mut().for_each(|x| x[2] = 0.0);
                }
                let vector = |k: usize| [numbers[k][0], numbers[k][1], numbers[k][2]];
                let contact = ContactRows {
                    bodies,
                    frame: [vector(0), vector(1), vector(2)],
                    arms: [vector(3), vector(4)],
                };
                jacobian.push_contact(contact, dim);
                for [x, y, z] in &contact.frame[..dim] {
                    let mut row = vec![0.0; layout.n];
                    for (side, sign) in [(0, -1.0), (1, 1.0)] {
                        let [a, b, c] = contact.arms[side];
                        let moment = [b * z - c * y, c * x - a * z, a * y - b * x];
                        let wrench = [*x, *y, *z, moment[0], moment[1], moment[2]].map(|x| sign * x);
                        put(&mut row, contact.bodies[side], wrench);
                    }
                    dense.push(row);
                }
            }
            _ => {
                let six = |random: &mut Random| -> [f64; 6] {
                    random.signed_vector(6).try_into().expect("it is right")
                };
                let sides: Vec<[[f64; 6]; 2]> = (0..dim).map(|_| [six(random), six(random)]).collect();
                let of = |side: usize| sides.iter().map(|row| row[side]).collect::<Vec<[f64; 6]>>();
                jacobian.push_pair(bodies, &of(0), &of(1));
                for [on_a, on_b] in &sides {
                    let mut row = vec![0.0; layout.n];
                    put(&mut row, bodies[0], *on_a);
                    put(&mut row, bodies[1], *on_b);
                    dense.push(row);
                }
            }
        }
    }
    jacobian.mark_changed();
    (jacobian, dense)
}

/// One cone for each contact, one bilateral set for each other row.
pub fn sets(jacobian: &Jacobian, list: impl Iterator<Item = usize>) -> Vec<Set> {
    list.flat_map(|c| match (jacobian.contact(c), jacobian.rows_of(c).len()) {
        (Some(_), 1) => vec![Set::Nonnegative],
        (Some(_), 2) => vec![Set::Coulomb2 { mu: 0.5 }],
        (Some(_), _) => vec![Set::Coulomb3 { mu: 0.5 }],
        (None, dim) => vec![Set::Free; dim],
    })
    .collect()
}

fn times(a: &Dense, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn transposed(a: &Dense) -> Dense {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn near(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= ROUNDING * (1.0 + b.abs()), "{what} {k}: {a} {b}");
    }
}

#[test]
fn rows_and_masses_multiply_as_dense_matrices_do() {
    for seed in 0..20 {
        let random = &mut Random::mixed(seed);
        let masses = masses(random);
        let (jacobian, dense) = rows(random, &masses, 25);
        assert_eq!(jacobian.n_rows(), dense.len());
        let n = jacobian.layout().n;
        let (v, p) = (random.signed_vector(n), random.signed_vector(dense.len()));
        let (mut u, mut x) = (vec![f64::NAN; dense.len()], vec![0.0; n]);
        for c in 0..jacobian.n_constraints() {
            let range = jacobian.rows_of(c);
            jacobian.dot(c, &v, &mut u[range.clone()]);
            jacobian.add_transposed(c, &p[range], &mut x);
        }
        near(&u, &times(&dense, &v), "J v");
        near(&x, &times(&transposed(&dense), &p), "Jᵀ p");
        let mut y = v.clone();
        masses.groups.solve(&mut y, &mut Vec::new());
        near(&y, &times(&masses.inverse, &v), "M̂⁻¹ v");
    }
}

#[test]
fn the_operator_is_the_dense_product_with_compliance() {
    for seed in 0..20 {
        let random = &mut Random::mixed(seed);
        let masses = masses(random);
        let (jacobian, dense) = rows(random, &masses, 25);
        let m = dense.len();
        let compliance: Vec<f64> = match seed % 3 {
            0 => Vec::new(),
            _ => random.signed_vector(m).iter().map(|x| x.max(0.0)).collect(),
        };
        let response = |p: &[f64]| times(&masses.inverse, &times(&transposed(&dense), p));
        let p = random.signed_vector(m);
        let mut expected = times(&dense, &response(&p));
        compliance.iter().zip(&p).zip(&mut expected).for_each(|((d, p), u)| *u += d * p);
        let expected_v = response(&p);
        let jacobian = Arc::new(jacobian);
        let groups = Arc::new(masses.groups);
        let delassus = Delassus::new(groups.clone(), jacobian.clone(), compliance.clone());
        assert!(delassus.symmetric);
        let mut v = vec![0.0; jacobian.layout().n];
        delassus.push(&p, &mut v);
        near(&v, &expected_v, "M̂⁻¹ Jᵀ p");
        let sets = sets(&jacobian, 0..jacobian.n_constraints());
        let problem = Problem::posed(delassus, vec![0.0; m], sets).unwrap();
        let mut u = Vec::new();
        certify(&problem, &p, &mut u);
        near(&u, &expected, "W p");
        let mut product = vec![0.0; m];
        problem.assembled().multiply(&p, &mut product);
        near(&product, &expected, "W p, formed");
        let mut scratch = Vec::new();
        product.fill(0.0);
        problem.add_product(&p, &mut scratch, &mut product);
        near(&product, &expected, "W p, applied");
    }
}

#[test]
fn a_part_is_a_block_of_the_whole() {
    for seed in 0..10 {
        let random = &mut Random::mixed(seed);
        let masses = masses(random);
        let (jacobian, _) = rows(random, &masses, 20);
        let compliance: Vec<f64> = (0..jacobian.n_rows()).map(|i| i as f64).collect();
        let (jacobian, groups) = (Arc::new(jacobian), Arc::new(masses.groups));
        let whole = Delassus::new(groups.clone(), jacobian.clone(), compliance.clone());
        let list: Vec<u32> = (0..20).filter(|c| c % 3 != 1).collect();
        let kept: Vec<usize> = list.iter().flat_map(|&c| jacobian.rows_of(c as usize)).collect();
        let own: Vec<f64> = kept.iter().map(|&i| compliance[i]).collect();
        let mut renewed = Delassus::default();
        renewed.renew(&groups, &jacobian, Some(&list), &own);
        let part = whole.part(&list);
        let of_list = sets(&jacobian, list.iter().map(|&c| c as usize));
        let of_all = sets(&jacobian, 0..20);
        let pose = |delassus: Delassus, sets: &[Set]| {
            let m = sets.iter().map(|set| set.dim()).sum();
            Problem::posed(delassus, vec![0.0; m], sets.to_vec()).unwrap()
        };
        let p = random.signed_vector(kept.len());
        let mut all = vec![0.0; jacobian.n_rows()];
        kept.iter().zip(&p).for_each(|(&i, p)| all[i] = *p);
        let mut v = vec![0.0; jacobian.layout().n];
        let mut expected_v = v.clone();
        whole.push(&all, &mut expected_v);
        part.push(&p, &mut v);
        near(&v, &expected_v, "v of a part");
        let (whole, part, renewed) =
            (pose(whole, &of_all), pose(part, &of_list), pose(renewed, &of_list));
        for (a, &i) in kept.iter().enumerate() {
            for (b, &j) in kept.iter().enumerate() {
                let expected = whole.assembled().get(i, j);
                for other in [&part, &renewed] {
                    near(&[other.assembled().get(a, b)], &[expected], "entry of a part");
                }
            }
        }
    }
}

#[test]
fn release_lets_the_owners_write() {
    let random = &mut Random::mixed(1);
    let masses = masses(random);
    let (jacobian, _) = rows(random, &masses, 5);
    let (mut jacobian, mut groups) = (Arc::new(jacobian), Arc::new(masses.groups));
    let mut delassus = Delassus::new(groups.clone(), jacobian.clone(), Vec::new());
    let before = delassus.stamp;
    delassus.release();
    Arc::get_mut(&mut jacobian).unwrap().mark_changed();
    let numbers = Arc::get_mut(&mut groups).unwrap();
    numbers.scalars_mut()[0] *= 2.0;
    numbers.mark_changed();
    delassus.renew(&groups, &jacobian, None, &[]);
    assert_ne!(delassus.stamp, before);
}

#[test]
fn islands_are_what_the_entries_of_the_operator_join() {
    for seed in 0..20 {
        let random = &mut Random::mixed(seed);
        let masses = masses(random);
        let (jacobian, _) = rows(random, &masses, 2 + seed as usize % 5);
        let mut incidence = Incidence::default();
        incidence.build(&masses.groups, &jacobian);
        let n = jacobian.n_constraints();
        let owner: Vec<usize> = (0..n).flat_map(|c| jacobian.rows_of(c).map(move |_| c)).collect();
        let m = owner.len();
        let (jacobian, groups) = (Arc::new(jacobian), Arc::new(masses.groups));
        let delassus = Delassus::new(groups.clone(), jacobian.clone(), Vec::new());
        let problem = Problem::posed(delassus, vec![0.0; m], sets(&jacobian, 0..n)).unwrap();
        // The least constraint that each is joined to, by rounds until nothing changes.
        let mut least: Vec<usize> = (0..n).collect();
        for _ in 0..n {
            for i in 0..m {
                for j in (0..m).filter(|&j| problem.assembled().get(i, j).abs() > 1e-14) {
                    let (a, b) = (owner[i], owner[j]);
                    let both = least[a].min(least[b]);
                    (least[a], least[b]) = (both, both);
                }
            }
        }
        let mut numbers: Vec<usize> = least.clone();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(incidence.n_islands(), numbers.len());
        for c in 0..n {
            let island = incidence.island_of(c) as usize;
            assert_eq!(numbers[island], least[c]);
            assert!(incidence.constraints_of(island).contains(&(c as u32)));
            for &group in incidence.groups_of(c) {
                assert!(incidence.members_of(island).contains(&group));
                assert!(incidence.constraints_at(group as usize).contains(&(c as u32)));
                assert_ne!(Some(group as usize), masses.fixed_body);
            }
        }
    }
}
