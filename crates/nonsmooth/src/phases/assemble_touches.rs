//! The one-step problem where bodies touch.
//!
//! With nothing but free bodies W is never formed: the solver gets axes, arms and inverse inertias. Where constraints
//! take part too, or springs join bodies, H is written out over all velocities and W is formed.

use super::assemble::Assembly;
use super::chunks::{fill, fill_rows};
use super::detect::Rows;
use super::factorize::Factors;
use super::free_motion::Free;
use crate::model::{Bodies, Dimension, Model};
use glam::DVec3;
use nonsmooth_solvers::{IMMOVABLE, Inertia, Matrix, Sparse, Touching};

/// Fills `assembly.problem`.
#[inline(never)]
pub(super) fn assemble_touches(
    model: &Model,
    rows: &Rows,
    factors: &mut Factors,
    free: &Free,
    assembly: &mut Assembly,
) {
    let touches = &rows.touches;
    assembly.known = None;
    if rows.keys.is_empty() && model.bodies.springs.is_empty() {
        assembly.hand_over(model, rows);
    } else {
        assembly.combine(model, rows, factors);
    }
    let n = touches.len();
    assembly.problem.sets.extend((0..n).map(|i| touches.form(model, i).set));
    let u_free = &mut assembly.problem.u_free;
    u_free.clear();
    u_free.extend((0..rows.keys.len()).map(|i| rows.jacobian.row_dot(i, &free.v) + rows.bias[i]));
    let chunks = touches.chunks(model);
    let first = rows.keys.len();
    u_free.resize(first + chunks.last().map_or(0, |chunk| chunk.rows.end), 0.0);
    fill_rows(&chunks, &mut u_free[first..], |chunk, mut out| {
        for i in chunk.points.clone() {
            let u = touches.relative(&model.bodies, &free.v, i);
            let (bias, dim) = (touches.bias(model, i), touches.form(model, i).set.dim());
            let own = out.split_off_mut(..dim).expect("as many rows as the chunk's points have");
            (0..dim).for_each(|r| own[r] = u[r] + bias[r]);
        }
    });
}

impl Assembly {
    /// Axes, arms and inverse inertias, as they are.
    fn hand_over(&mut self, model: &Model, rows: &Rows) {
        let (bodies, problem) = (&model.bodies, &mut self.problem);
        if !matches!(problem.matrix, Matrix::Touching(_)) {
            problem.matrix = Matrix::Touching(Touching::default());
        }
        let Matrix::Touching(touching) = &mut problem.matrix else {
            unreachable!("written above");
        };
        let (inertias, touches) = touching.renew();
        fill(bodies.n, inertias, |i| Inertia {
            inv_mass: 1.0 / bodies.mass[i],
            inv_inertia: bodies.world_inv_inertia(rows.touches.placements[i].rotation, i).0,
        });
        fill(rows.touches.len(), touches, |i| rows.touches.touch(bodies, i));
        problem.matrix_stamp = None;
        problem.symmetric = true;
        problem.sets.clear();
    }

    /// W of constraints and contact points together.
    fn combine(&mut self, model: &Model, rows: &Rows, factors: &mut Factors) {
        let mut combined = std::mem::take(&mut self.combined);
        combined.clone_from(&rows.jacobian);
        combined.n_columns = model.n_velocities();
        if rows.keys.is_empty() {
            combined.clear(model.n_velocities());
        }
        let touches = &rows.touches;
        for i in 0..touches.len() {
            let touch = touches.touch(&model.bodies, i);
            for r in 0..touches.form(model, i).set.dim() {
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let body = touch.bodies[side];
                    if body != IMMOVABLE {
                        let rotation = touches.placements[body as usize].rotation;
                        let along = sign * DVec3::from_array(touch.frame[r]);
                        let turn = DVec3::from_array(touch.arms[side]).cross(along);
                        let turn = model.bodies.to_body(rotation, turn);
                        append(&model.bodies, body as usize, along, turn, &mut combined);
                    }
                }
                combined.finish_row();
            }
        }
        let normals = rows.forms.iter().zip(&rows.components).filter(|(_, component)| **component == 0);
        self.problem.sets.clear();
        self.problem.sets.extend(normals.map(|(form, _)| form.set));
        self.form(model, &combined, factors);
        self.combined = combined;
    }
}

/// Appends the entries of one body to the row under construction.
fn append(bodies: &Bodies, body: usize, along: DVec3, turn: DVec3, out: &mut Sparse) {
    let first = bodies.v_range(body).start as u32;
    out.column.extend((first..).take(bodies.n_v()));
    match bodies.dimension {
        Dimension::Space => {
            out.value.extend_from_slice(&[along.x, along.y, along.z, turn.x, turn.y, turn.z]);
        }
        Dimension::Plane => out.value.extend_from_slice(&[along.x, along.y, turn.z]),
    }
}
