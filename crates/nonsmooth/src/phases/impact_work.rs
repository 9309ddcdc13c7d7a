//! The work of impulses against the mean of the velocities before and after.
//!
//! Multiplied by v_φ the impulse balance books p u_φ at each contact: for φ = 0 an impact that stops a mass takes
//! twice its energy, and the column `scheme` gives half of it back. Against ½(u⁻ + u⁺) an impact books what it takes,
//! ½p(u⁻ + u⁺) = ΔT, whatever φ. What moves between the columns leaves their sum alone, so the ledger still closes.

use super::solve::Impulses;
use crate::log::StepLog;
use crate::model::constraints::Column;
use crate::model::{ActiveConstraints, Model};

/// Books every impulse of the log against ½(u⁻ + u⁺), at the expense of the column `scheme`.
pub fn impact_work(model: &Model, active: &ActiveConstraints, impulses: &Impulses, log: &mut StepLog) {
    if active.is_empty() {
        return;
    }
    let StepLog { constraints, works, events, .. } = log;
    for (family, own) in model.constraints.iter().zip(&active.own) {
        for c in own.clone() {
            let rows = active.rows(c);
            let begins = impulses.before[rows.start] <= 0.0;
            for (k, row) in rows.clone().enumerate() {
                let column = match family.column(model, active.laws[c], k) {
                    Column::Contact if begins => &mut works.impact,
                    Column::Contact => &mut works.contact,
                    Column::Friction => &mut works.friction,
                    Column::Joint => &mut works.joint,
                    Column::Drive => &mut works.drive,
                    Column::Own => continue,
                };
                let u = constraints.u_minus[row] + constraints.u_plus[row];
                let mean = 0.5 * constraints.impulse[row] * u;
                let moved = mean - constraints.work[row];
                constraints.work[row] = mean;
                *column += moved;
                works.scheme -= moved;
            }
            if let Some(event) = events.iter_mut().find(|event| event.id == active.ids[c]) {
                event.work = constraints.work[rows].iter().sum();
            }
        }
    }
}
