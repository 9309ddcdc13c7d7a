//! Vectors of three components, and of six (force and moment, velocity and spin), as plain arrays.

pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a · b of six components.
#[inline(always)]
pub(crate) fn dot6(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let [x, y, z, u, v, w]: [f64; 6] = std::array::from_fn(|k| a[k] * b[k]);
    ((x + y) + (z + u)) + (v + w)
}

/// sum ← sum + factor · x.
#[inline(always)]
pub(crate) fn add6(sum: &mut [f64; 6], factor: f64, x: &[f64; 6]) {
    for k in 0..6 {
        sum[k] += factor * x[k];
    }
}

/// Six neighbouring numbers.
#[inline(always)]
pub(crate) fn six(x: &[f64], first: usize) -> &[f64; 6] {
    x[first..].first_chunk().expect("six numbers from here on")
}

/// u_k ← u_k + rows_k · v. The usual numbers of rows are known where it is compiled.
#[inline(always)]
pub(crate) fn add_rows(rows: &[[f64; 6]], v: &[f64; 6], u: &mut [f64]) {
    match u.len() {
        1 => add_rows_of::<1>(rows, v, u),
        2 => add_rows_of::<2>(rows, v, u),
        3 => add_rows_of::<3>(rows, v, u),
        _ => u.iter_mut().zip(rows).for_each(|(u, row)| *u += dot6(row, v)),
    }
}

/// The same for a number of rows that is known.
#[inline(always)]
pub(crate) fn add_rows_of<const N: usize>(rows: &[[f64; 6]], v: &[f64; 6], u: &mut [f64]) {
    let (Some(rows), Some(u)) = (rows.first_chunk::<N>(), u.first_chunk_mut::<N>()) else { return };
    for k in 0..N {
        u[k] += dot6(&rows[k], v);
    }
}

/// Σ p_k rows_k.
#[inline(always)]
pub(crate) fn wrench(rows: &[[f64; 6]], p: &[f64]) -> [f64; 6] {
    match p.len() {
        1 => wrench_of::<1>(rows, p),
        2 => wrench_of::<2>(rows, p),
        3 => wrench_of::<3>(rows, p),
        5 => wrench_of::<5>(rows, p),
        _ => {
            let mut sum = [0.0; 6];
            rows.iter().zip(p).for_each(|(row, p)| add6(&mut sum, *p, row));
            sum
        }
    }
}

#[inline(always)]
pub(crate) fn wrench_of<const N: usize>(rows: &[[f64; 6]], p: &[f64]) -> [f64; 6] {
    let mut sum = [0.0; 6];
    if let (Some(rows), Some(p)) = (rows.first_chunk::<N>(), p.first_chunk::<N>()) {
        for k in 0..N {
            add6(&mut sum, p[k], &rows[k]);
        }
    }
    sum
}
