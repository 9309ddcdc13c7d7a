//! Static solutions by dense elimination, the oracle of the other tests.

use nonsmooth_elements::Body;
use nonsmooth_solvers::{Sparse, eliminate};

/// The coordinates of a group, held at zero.
pub(crate) fn hold(body: &Body, group: &str, components: &[usize]) -> Vec<(usize, f64)> {
    body.coordinates_of(group, components).expect("it is valid").into_iter().map(|i| (i, 0.0)).collect()
}

/// u of K u = f where some coordinates are given.
pub(crate) fn solve(stiffness: &Sparse, load: &[f64], held: &[(usize, f64)]) -> Vec<f64> {
    let n = load.len();
    let mut u = vec![f64::NAN; n];
    held.iter().for_each(|&(i, x)| u[i] = x);
    let free: Vec<usize> = (0..n).filter(|&i| u[i].is_nan()).collect();
    let mut rhs: Vec<f64> = Vec::new();
    let mut matrix = Vec::with_capacity(free.len() * free.len());
    for &i in &free {
        let (columns, values) = stiffness.row(i);
        let known = columns.iter().zip(values).filter(|(j, _)| !u[**j as usize].is_nan());
        rhs.push(load[i] - known.map(|(&j, k)| k * u[j as usize]).sum::<f64>());
        matrix.extend(free.iter().map(|&j| stiffness.get(i, j)));
    }
    assert!(eliminate(&mut matrix, &mut rhs), "the body is not held");
    free.iter().zip(rhs).for_each(|(&i, x)| u[i] = x);
    u
}

/// The lowest frequencies ω of K φ = ω² M φ with held coordinates, by inverse iteration with deflation [rad/s].
pub(crate) fn frequencies(
    (stiffness, mass): (&Sparse, &Sparse),
    held: &[(usize, f64)],
    count: usize,
) -> Vec<f64> {
    let n = stiffness.n_rows();
    let mut modes: Vec<Vec<f64>> = Vec::new();
    let mut found = Vec::new();
    for number in 0..count {
        let mut x: Vec<f64> = (0..n).map(|i| ((i * 37 + number * 11 + 5) % 17) as f64 - 8.0).collect();
        held.iter().for_each(|&(i, _)| x[i] = 0.0);
        let mut last = 0.0;
        for _ in 0..200 {
            for mode in &modes {
                let part = mass.form(mode, &x);
                x.iter_mut().zip(mode).for_each(|(x, m)| *x -= part * m);
            }
            let size = mass.form(&x, &x).sqrt();
            x.iter_mut().for_each(|x| *x /= size);
            let squared = stiffness.form(&x, &x);
            if (squared - last).abs() <= 1e-13 * squared {
                break;
            }
            last = squared;
            let mut load = vec![0.0; n];
            mass.multiply(&x, &mut load);
            x = solve(stiffness, &load, held);
        }
        found.push(last.sqrt());
        modes.push(x);
    }
    found
}
