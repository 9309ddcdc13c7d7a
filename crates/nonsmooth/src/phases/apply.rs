//! The impulses act: v⁺ = v_free + M̂⁻¹ Hᵀ p.

use super::detect::Rows;
use super::factorize::Factors;
use super::free_motion::Free;
use crate::model::Model;

/// Fills `v_next`.
#[inline]
pub fn apply(
    model: &Model,
    free: &Free,
    rows: &Rows,
    p: &[f64],
    factors: &mut Factors,
    v_next: &mut Vec<f64>,
) {
    v_next.resize(free.v.len(), 0.0);
    if rows.is_empty() {
        v_next.copy_from_slice(&free.v);
    } else {
        apply_rows(model, free, rows, p, factors, v_next);
    }
}

#[inline(never)]
fn apply_rows(
    model: &Model,
    free: &Free,
    rows: &Rows,
    p: &[f64],
    factors: &mut Factors,
    v_next: &mut [f64],
) {
    v_next.fill(0.0);
    for (i, &p) in p[..rows.keys.len()].iter().enumerate() {
        if p != 0.0 {
            let (columns, values) = rows.jacobian.row(i);
            for (&j, &h) in columns.iter().zip(values) {
                v_next[j as usize] += h * p;
            }
        }
    }
    if !rows.touches.is_empty() {
        rows.touches.add_impulses(model, &p[rows.keys.len()..], v_next);
    }
    factors.solve(model, v_next);
    for (v, v_free) in v_next.iter_mut().zip(&free.v) {
        *v += v_free;
    }
}
