//! An impact that is followed along its path: the islands that are hit, as a whole.
//!
//! W and u⁻ of the constraints that feel the impact go to `laws/path/mod.rs`, which gives p. What lasts or is only closed takes part by its own
//! law: a ball that rests is thrown up by what goes through it.

use super::factorize::Mass;
use super::impact::Impact;
use super::solve_part::{PartBuffers, pose_part};
use crate::error::{StepError, StepResult};
use crate::laws::path::{Island, Member, follow};
use crate::model::instant::Instant;
use crate::model::{ActiveConstraints, Model};
use nonsmooth_solvers::{Problem, Sparse};

/// Writes the impulses of `made` where a law that acts along the path begins, and marks all contacts that carry some; false where none does.
pub(super) fn impact_path(
    model: &Model,
    (active, list): (&mut ActiveConstraints, &[u32]),
    at: &Instant<'_>,
    mass: &Mass,
    problem: &mut Problem,
    made: &mut Impact,
) -> StepResult<bool> {
    let path = |c: usize| model.law(active.laws[c]).along_path();
    let begins = |c: &u32| made.begins[*c as usize];
    let Some(&hit) = list.iter().find(|c| begins(c) && path(**c as usize).is_some()) else {
        return Ok(false);
    };
    active.shift.fill(0.0);
    active.compliance.clear();
    active.compliance.resize(active.n_rows(), 0.0);
    pose_part((active, list), mass, at.v, problem, &made.p, &mut PartBuffers::default());
    let (w, u_minus) = (problem.assembled(), &problem.u_free);
    let (mut members, mut first) = (Vec::with_capacity(list.len()), 0);
    for &c in list {
        let dim = active.rows(c as usize).len();
        members.push(Member { first, dim, law: path(c as usize) });
        first += dim;
    }
    let feels = reached(w, &members, |k| begins(&list[k]));
    for (k, &c) in list.iter().enumerate() {
        let is_joint = model.law(active.laws[c as usize]).forms().bilateral;
        if feels[k] && !is_joint && members[k].law.is_none() {
            let name = |c: u32| model.describe(active.ids[c as usize]);
            let (first, second) = (name(hit), name(c));
            return Err(Box::new(StepError::MixedImpact { first, second, t: at.t }));
        }
    }
    let felt: Vec<Member> =
        members.iter().zip(&feels).filter(|(_, feels)| **feels).map(|(m, _)| *m).collect();
    let p = follow(&Island { delassus: w, u_minus, members: &felt }).map_err(|reason| {
        let constraint = model.describe(active.ids[hit as usize]);
        Box::new(StepError::ImpactPath { constraint, t: at.t, reason })
    })?;
    for (member, &c) in members.iter().zip(list) {
        let rows = active.rows(c as usize);
        made.p[rows.clone()].copy_from_slice(&p[member.first..member.first + member.dim]);
        made.begins[c as usize] = member.law.is_some() && made.p[rows.start] > 0.0;
    }
    Ok(true)
}

/// Which members are connected by W with those that begin.
pub(crate) fn reached(w: &Sparse, members: &[Member], begins: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut owner = vec![0; w.n_rows()];
    for (k, member) in members.iter().enumerate() {
        owner[member.first..member.first + member.dim].fill(k);
    }
    let mut found: Vec<bool> = (0..members.len()).map(begins).collect();
    let mut open: Vec<usize> = (0..members.len()).filter(|&k| found[k]).collect();
    while let Some(k) = open.pop() {
        for row in members[k].first..members[k].first + members[k].dim {
            let (columns, values) = w.row(row);
            for (&column, _) in columns.iter().zip(values).filter(|(_, w)| **w != 0.0) {
                let other = owner[column as usize];
                if !std::mem::replace(&mut found[other], true) {
                    open.push(other);
                }
            }
        }
    }
    found
}
