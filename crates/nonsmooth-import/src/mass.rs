//! Which inertias a body can have: the largest moment is at most the sum of the other two, and none is negative.

use glam::{DMat3, DVec3};

/// Moments that are wrong by less than this part of the largest are rounding of what was typed.
const ROUNDING: f64 = 1e-6;

/// Smallest moment, in parts of the largest, that is more than the rounding of zero.
const LEAST: f64 = 1e-10;

/// The principal moments [kg·m²], smallest first, by Jacobi's rotations, and the axes as columns.
pub(crate) fn principal(inertia: DMat3) -> (DVec3, DMat3) {
    let (mut a, mut axes) = (inertia, DMat3::IDENTITY);
    for _ in 0..60 {
        let off = [(0, 1), (0, 2), (1, 2)];
        let &(p, q) = off
            .iter()
            .max_by(|x, y| a.col(x.1)[x.0].abs().total_cmp(&a.col(y.1)[y.0].abs()))
            .expect("there are three");
        let (apq, app, aqq) = (a.col(q)[p], a.col(p)[p], a.col(q)[q]);
        if apq == 0.0 {
            break;
        }
        let (sin, cos) = (0.5 * (2.0 * apq).atan2(aqq - app)).sin_cos();
        let mut turn = DMat3::IDENTITY;
        turn.col_mut(p)[p] = cos;
        turn.col_mut(q)[q] = cos;
        turn.col_mut(q)[p] = sin;
        turn.col_mut(p)[q] = -sin;
        a = turn.transpose() * a * turn;
        axes *= turn;
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), axes)
}

/// What is wrong with an inertia.
pub(crate) fn fault(inertia: DMat3) -> Option<String> {
    let mut m = principal(inertia).0.to_array();
    m.sort_by(f64::total_cmp);
    let [a, b, c] = m;
    let shown = format!("principal moments {a:.6e}, {b:.6e}, {c:.6e} kg·m²");
    if !(a > LEAST * c) {
        return Some(format!("its inertia has {shown}; all must be > 0"));
    }
    (a + b < c * (1.0 - ROUNDING)).then(|| {
        format!("its inertia has {shown}, and no body has one moment above the sum of the other two")
    })
}

/// The inertia with the mean of its moments about every axis, where no body can have it.
pub(crate) fn balanced(inertia: DMat3) -> Option<DMat3> {
    let (m, _) = principal(inertia);
    let largest = m.max_element();
    let sum = m.x + m.y + m.z;
    (sum < 2.0 * largest).then(|| DMat3::from_diagonal(DVec3::splat(sum / 3.0)))
}
