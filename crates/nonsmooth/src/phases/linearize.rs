//! Linearization of the active constraints: J, the offset of each row, and what the laws add.
//!
//! ```text
//! −(J v⁺ + offset + shift + D p) ∈ N_C(p)
//!
//! velocity level     offset = ∂g/∂t(t⁺);   of velocity constraints h(q⁺, vⁱ, t⁺) − J vⁱ
//! position level     offset = (y(q⁺) − y*)/a − J vⁱ,   a = ∂y⁺/∂u⁺
//! linearized         offset = y/h + ∂g/∂t at the start
//! ```

use super::solve::Impulses;
use crate::error::StepResult;
use crate::laws::LawRows;
use crate::model::instant::Pass;
use crate::model::{ActiveConstraints, Level, Model, RowWriter, State};
use crate::part::Part;

/// Writes J of the chosen constraints.
#[inline]
pub fn linearize(
    model: &Model,
    part: &Part<'_>,
    at: &Pass<'_>,
    active: &mut ActiveConstraints,
) -> StepResult {
    if active.is_empty() && !active.is_new() {
        return Ok(());
    }
    let mut rows = RowWriter::new(active);
    for family in &model.constraints {
        family.linearize(model, part, at, &mut rows)?;
    }
    rows.finish();
    Ok(())
}

/// Writes the offsets of the chosen constraints, and D of springs.
#[inline]
pub fn set_offsets(
    model: &Model,
    part: &Part<'_>,
    at: &Pass<'_>,
    level: Level,
    active: &mut ActiveConstraints,
) -> StepResult {
    active.compliance.clear();
    model.constraints.iter().try_for_each(|family| family.set_offsets(model, part, at, level, active))
}

/// Which form of a law is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawForm {
    /// Impact and contact in one.
    Step,
    /// Lasting contact.
    Contact,
}

/// Writes sets, shift and compliance of all active constraints by their laws; `h` is the length of the step, `ahead` = ∂y⁺/∂u⁺.
#[inline]
pub fn set_laws(
    model: &Model,
    now: &State,
    form: LawForm,
    (h, ahead): (f64, f64),
    impulses: &Impulses,
    active: &mut ActiveConstraints,
) {
    if !active.is_empty() {
        write_laws(model, now, form, (h, ahead), impulses, active);
    }
}

#[inline(never)]
fn write_laws(
    model: &Model,
    now: &State,
    form: LawForm,
    (h, ahead): (f64, f64),
    impulses: &Impulses,
    active: &mut ActiveConstraints,
) {
    let ActiveConstraints {
        ids, runs, gap, u_minus, row_start, set_start, sets, shift, compliance, ..
    } = active;
    shift.fill(0.0);
    compliance.resize(shift.len(), 0.0);
    let mut coupled = Vec::new();
    for run in &*runs {
        let law = model.law(run.law);
        let own = run.constraints.start..run.constraints.end;
        let among = |start: &[u32]| start[own.start] as usize..start[own.end] as usize;
        let (rows, own_sets) = (among(row_start), among(set_start));
        let history = match run.n_history {
            0 => Vec::new(),
            n => impulses.history(now, &ids[own.clone()], n),
        };
        if run.is_elastic {
            model.intensities(&now.memory, &ids[own.clone()], &mut coupled);
        }
        let mut rows = LawRows {
            dim: run.dim,
            h,
            ahead,
            gap: &gap[own],
            u_minus: &u_minus[rows.clone()],
            p_before: &impulses.before[rows.clone()],
            history: &history,
            coupled: if run.is_elastic { &coupled } else { &[] },
            sets: &mut sets[own_sets],
            shift: &mut shift[rows.clone()],
            compliance: &mut compliance[rows],
            given: &mut [],
        };
        match form {
            // What has no step form had its impact at the start of the step.
            LawForm::Step if run.has_step => law.step(&mut rows),
            LawForm::Step | LawForm::Contact => law.contact(&mut rows),
        }
    }
}
